"""Where keys and texts stand in a TOML file: line and column, for errors that point."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""'  # texts of several lines
    r"|'''.*?'''"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|\[\[\s*(?P<table>[A-Za-z0-9_-]+)\s*\]\]"
    r"|(?P<key>[A-Za-z0-9_-]+)[ \t]*=[ \t]*"
    r"|[\[\]]",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in a file, both counted from 1."""

    line: int
    column: int


@dataclass
class _Key:
    value: int  # offset of the value
    texts: list[int] = field(default_factory=list)  # offsets inside the quotes of its texts


HEADER = "[header]"
Keys = Mapping[str, _Key]


@dataclass
class Places:
    """The places of one file: its top-level keys and those of each table of an array."""

    text: str
    top: dict[str, _Key] = field(default_factory=dict)
    tables: dict[str, list[dict[str, _Key]]] = field(default_factory=dict)

    def at(self, offset: int) -> Place:
        """Line and column of a character."""
        before = self.text[:offset]
        return Place(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)

    def table(self, name: str, index: int) -> Keys:
        """The keys of a table; none when it was written in a form not followed here."""
        tables = self.tables.get(name, [])
        return tables[index] if index < len(tables) else {}

    def header(self, keys: Keys) -> Place:
        """Where the table begins; the file's beginning for the top level."""
        return self.at(keys[HEADER].value) if HEADER in keys else Place(1, 1)

    def value(self, keys: Keys, key: str) -> Place:
        """Where the value of a key stands."""
        return self.at(keys[key].value) if key in keys else self.header(keys)

    def item(self, keys: Keys, key: str, index: int, offset: int) -> Place:
        """A character inside one of the texts of a key's value."""
        texts = keys[key].texts if key in keys else []
        return self.at(texts[index] + offset) if index < len(texts) else self.value(keys, key)


def find_places(text: str) -> Places:
    """The places of keys and texts in a file that is valid TOML."""
    places = Places(text)
    keys = places.top
    key: _Key | None = None
    depth = 0
    offset = 0
    while (token := _TOKEN.search(text, offset)) is not None:
        offset = token.end()
        written = token.group()
        if token["table"] and depth == 0 and _starts_line(text, token.start()):
            keys = {HEADER: _Key(token.start())}
            places.tables.setdefault(token["table"], []).append(keys)
            key = None
        elif token["key"] and depth == 0 and _starts_line(text, token.start()):
            key = keys[token["key"]] = _Key(token.end())
        elif written[0] in "\"'" and key is not None:
            quotes = 3 if written[:3] in ('"""', "'''") else 1
            key.texts.append(token.start() + quotes)
        elif token["table"]:  # a list in a list: [[1, 2]] inside a value
            offset = token.start() + 1
            depth += 1
        elif written in "[]":
            depth += 1 if written == "[" else -1
    return places


def _starts_line(text: str, offset: int) -> bool:
    return not text[text.rfind("\n", 0, offset) + 1 : offset].strip()
