"""The texts of screens, faults and verdicts in the players' languages.

Translations are gettext catalogues, ``locale/LANGUAGE/LC_MESSAGES/mahjong_table.po``, read as they
are: no build step, and what a club puts right takes effect at the next start. The English text is
the message id.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

LOCALE = Path(__file__).parent / "locale"

LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        "en": "English",
        "ja": "日本語",
        "zh_Hans": "简体中文",
        "zh_Hant": "繁體中文",
        "ko": "한국어",
        "ru": "Русский",
        "pl": "Polski",
        "el": "Ελληνικά",
    }
)
"""The languages there are, by their own names."""


class CatalogueError(ValueError):
    """A catalogue that cannot be read; names file and line."""


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Message id to text; empty for English, whose texts are the ids."""
    path = LOCALE / language / "LC_MESSAGES" / "mahjong_table.po"
    if language == "en" or not path.exists():
        return MappingProxyType({})
    return MappingProxyType(dict(parse_po(path.read_text(encoding="utf-8"), str(path))))


def translate(text: str, language: str) -> str:
    """The text in that language; itself where no translation is known."""
    return catalogue(language).get(text, text)


def parse_po(text: str, name: str = "catalogue") -> Iterator[tuple[str, str]]:
    """The translated messages of a .po text: no plurals, no contexts; fuzzy ones are left out."""
    fields: dict[str, str] = {}
    last = ""
    fuzzy = False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        line = line.strip()
        try:
            if line.startswith("#"):
                fuzzy = fuzzy or (line.startswith("#,") and "fuzzy" in line)
            elif line.startswith(("msgid ", "msgstr ")):
                last, value = line.split(" ", 1)
                fields[last] = _unquoted(value)
            elif line.startswith('"'):
                fields[last] += _unquoted(line)
            elif not line:
                if fields.get("msgid") and fields.get("msgstr") and not fuzzy:
                    yield fields["msgid"], fields["msgstr"]
                fields, last, fuzzy = {}, "", False
            else:
                raise ValueError(f"unexpected {line.split()[0]!r}")
        except (KeyError, ValueError, SyntaxError) as error:
            raise CatalogueError(f"{name}, line {number}: {error}") from error


def _unquoted(text: str) -> str:
    value = ast.literal_eval(text)
    if not isinstance(value, str):
        raise ValueError(f"expected a quoted text, not {text}")
    return value
