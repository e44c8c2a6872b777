"""The files of the screens: every tile has a picture, every colour can be read, all is our own."""

from __future__ import annotations

import ast
import json
import re
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest

from table_controller import rules
from table_controller.rules import RULESET_NAMES, find_ruleset

LITERAL = r'"(?:[^"\\]|\\.)*"'
STATIC = Path(__file__).parents[2] / "table_controller/web/static"
COLOURS = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", (STATIC / "common.css").read_text()))


def tiles_in_use():
    found = {"bk"}
    for name in RULESET_NAMES:
        try:
            ruleset = find_ruleset(name)
        except ImportError:
            continue
        for options in (ruleset.options, *ruleset.presets.values()):
            found.update(str(tile) for tile, _ in ruleset.tile_set(options).copies)
    return sorted(found)


def test_every_tile_of_every_ruleset_has_a_picture():
    missing = [tile for tile in tiles_in_use() if not (STATIC / "tiles" / f"{tile}.svg").exists()]
    assert missing == []


@pytest.mark.parametrize("path", sorted((STATIC / "tiles").glob("*.svg")), ids=lambda p: p.stem)
def test_a_tile_picture_is_a_drawing_that_loads_nothing(path):
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for element in root.iter():
        assert "script" not in element.tag
        link = element.get("{http://www.w3.org/1999/xlink}href") or element.get("href") or "#"
        assert link.startswith("#")


def _luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    """WCAG 2.2, 1.4.3."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("ink", "paper"),
    [
        *product(
            ("text", "muted", "gold", "turn", "gain", "loss", "alarm", "warn"),
            ("ground", "card", "card-2"),
        )
    ],
)
def test_every_ink_can_be_read_on_every_paper(ink, paper):
    assert contrast(COLOURS[ink], COLOURS[paper]) >= 4.5


def test_the_pages_load_nothing_from_elsewhere():
    for path in STATIC.glob("*.*"):
        outside = re.findall(r"https?://(?!www\.w3\.org/|localhost)\S+", path.read_text())
        assert outside == [], path.name


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.js")), ids=lambda p: p.stem)
def test_a_module_declares_no_name_twice(path):
    """Else the browser loads none of it."""
    declared = re.findall(
        r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", path.read_text(), re.M
    )
    assert sorted(declared) == sorted(set(declared))


def codes_of_the_rules():
    """What the rules call payments and breaches, where it is written out."""
    named = {"Payment": (3, "reason")} | dict.fromkeys(
        ("Violation", "Offence", "Fine"), (0, "code")
    )
    for path in Path(rules.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in named:
                place, keyword = named[call.func.id]
                said = [*call.args[place : place + 1]]
                said += [each.value for each in call.keywords if each.arg == keyword]
                yield from (each.value for each in said if isinstance(each, ast.Constant))


def test_the_screens_have_words_for_every_payment_and_breach_of_the_rules():
    known = json.loads(f"[{','.join(re.findall(LITERAL, (STATIC / 'words.js').read_text()))}]")
    codes = set(codes_of_the_rules())
    assert len(codes) > 50
    texts = {code.replace("_", " ") for code in codes}
    assert sorted(text for text in texts if text[0].upper() + text[1:] not in known) == []
