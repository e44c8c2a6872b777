"""Every text that is shown or said is there in every language, with its blanks to fill in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from firmware_bridge.faults import CATALOGUE
from firmware_bridge.parts import Actuator
from firmware_bridge.refusal_words import WORDS
from table_controller import desk, machine, voice
from table_controller.config import Language
from table_controller.machine import PartTried
from table_controller.messages import (
    LANGUAGES,
    LOCALE,
    CatalogueError,
    catalogue,
    parse_po,
    translate,
)

STATIC = Path(__file__).parents[2] / "table_controller/web/static"
TRANSLATED = [language for language in LANGUAGES if language != "en"]
LITERAL = r'"(?:[^"\\]|\\.)*"'


def texts_of_the_pages():
    found = set()
    for path in STATIC.glob("*.js"):
        calls = re.findall(rf"\bt\(\s*({LITERAL})", path.read_text())
        found |= {json.loads(text) for text in calls}
    words = (STATIC / "words.js").read_text()
    for start, end in (("const WINDS", "}"), ("const PHASES", "}"), ("const KEYS", "}")):
        part = words[words.index(start) :]
        found |= set(re.findall(rf": ({LITERAL})", part[: part.index(end)]))
    for page, start in (
        ("staff.js", "const TABS"),
        ("service.js", "const MOTIONS"),
        ("service.js", "const MOTORS"),
        ("service.js", "const SENSORS"),
        ("service.js", "const LINK"),
        ("calibration.js", "const STEPS"),
        ("calibration.js", "const WHAT_TO_DO"),
    ):
        source = (STATIC / page).read_text()
        part = source[source.index(start) :]
        found |= set(re.findall(rf": ({LITERAL})", part[: part.index("}")]))
    hints = (STATIC / "calibration.js").read_text()
    hints = hints[hints.index("export const HINTS") :]
    found |= {json.loads(text) for text in re.findall(LITERAL, hints)}
    codes = words[words.index("export const CODES") :]
    found |= {json.loads(text) for text in re.findall(LITERAL, codes)}
    return {text.strip('"') for text in found}


def texts_of_the_voice():
    source = Path(voice.__file__).read_text()
    found = {json.loads(text) for text in re.findall(rf"\bt\(({LITERAL})", source)}
    return found | set(voice._HONOURS) | set(voice._SUITS.values()) | {"red", "Joker"}


def texts_of_a_key_that_does_nothing():
    """What a lift key may be answered: sentences, as the screens show them."""
    found = set()
    for module in (machine, desk):
        source = Path(module.__file__).read_text()
        calls = re.findall(rf"NotNowError\(\s*({LITERAL})(?:,\s*({LITERAL}))?", source)
        found |= {json.loads(text) for call in calls for text in call if text}
    return found | {text for each in machine._IN_PHASE.values() for text in (each.why, each.hint)}


PAGES = texts_of_the_pages()
REFUSALS = {text for words in WORDS.values() for text in (words.why, words.hint)}
KEYS = texts_of_a_key_that_does_nothing()
FAULTS = {text for fault in CATALOGUE for text in (fault.cause, fault.hint)}
TRIED = {PartTried(Actuator.DRUM, ma, 900, ()).verdict for ma in (0, 500, 900)}
NEEDED = sorted(PAGES | FAULTS | REFUSALS | KEYS | TRIED | texts_of_the_voice())


def blanks(text):
    return set(re.findall(r"\{(\w+)\}", text))


def test_the_texts_are_found():
    assert len(PAGES) > 120
    assert {"East", "Sacred discard", "tiles left", "Building the wall"} <= PAGES
    assert "{seat}'s win does not stand" in PAGES


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_is_translated(language):
    known = catalogue(language)
    assert [text for text in NEEDED if text not in known] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_blanks_of_its_text_and_is_none_too_long(language):
    for text, translated in catalogue(language).items():
        assert blanks(text) == blanks(translated), text
        assert translated.strip() == translated
        assert len(translated) <= 2 * len(text) + 20, text


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_text_is_translated_twice_and_none_is_left_over(language):
    path = LOCALE / language / "LC_MESSAGES" / "mahjong_table.po"
    ids = [text for text, _ in parse_po(path.read_text(encoding="utf-8"))]
    assert len(ids) == len(set(ids))
    allowed = {
        "wrong PIN",  # what the door answers
    }
    assert sorted(set(ids) - set(NEEDED) - allowed) == []


def test_the_settings_know_the_same_languages():
    assert set(Language.__args__) == set(LANGUAGES)


def test_what_is_not_known_stays_english():
    assert translate("East", "ja") == "東"
    assert translate("never heard of", "ja") == "never heard of"
    assert translate("East", "en") == "East"


def test_a_catalogue_is_read_as_gettext_writes_it():
    text = """
# a comment
msgid ""
msgstr "Language: xx\\n"

#: file.js:3
msgid "one "
"two"
msgstr ""
"eins \\"zwei\\""

#, fuzzy
msgid "three"
msgstr "drei?"

msgid "four"
msgstr ""
"""
    assert list(parse_po(text)) == [("one two", 'eins "zwei"')]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("msgid three", "x.po, line 1"),
        ('"orphan"', "x.po, line 1"),
        ('msgid "a"\nmsgplural "b"', r"x.po, line 2: unexpected 'msgplural'"),
        ('msgid "a', "x.po, line 1"),
    ],
)
def test_a_damaged_catalogue_names_its_line(text, says):
    with pytest.raises(CatalogueError, match=says):
        list(parse_po(text, "x.po"))
