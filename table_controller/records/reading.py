"""Reads recorded games from files of any known format."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from table_controller.json_text import JsonTextError, parse_json
from table_controller.records.game import RecordedGame, RecordError, readable
from table_controller.records.kobalab import read_kobalab
from table_controller.records.mjai import read_mjai
from table_controller.records.mjlog import read_client_views, read_mjlog
from table_controller.records.own import read_own
from table_controller.records.tenhou_json import read_tenhou_json
from table_controller.records.writing import OWN_FORMAT
from table_controller.rules import find_ruleset


def read_games(path: Path) -> Iterator[RecordedGame]:
    """The games of a file; a `RecordError` says what is wrong and where."""
    text = read_text(path)
    yield from parse_games(text, path.name)


def read_text(path: Path) -> str:
    """The file's text, unpacked."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from None
    if raw[:2] == b"\x1f\x8b":
        try:
            raw = gzip.decompress(raw)
        except (EOFError, OSError, zlib.error) as error:
            raise RecordError(f"{path}: the gzip file is damaged: {error}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not text: byte {error.start} is not UTF-8") from None


def parse_games(text: str, name: str) -> Iterator[RecordedGame]:
    """The games of a text; the format is recognised by how it begins."""
    try:
        with readable(name):
            for game in _games(text, name):
                find_ruleset(game.ruleset).choose(game.preset, **game.options)
                yield game
    except RecordError as error:
        if name in str(error):
            raise
        raise RecordError(f"{name}, {error}") from None


def _games(text: str, name: str) -> Iterator[RecordedGame]:
    start = text.lstrip()
    if not start:
        raise RecordError(f"{name}: the file is empty")
    if start.startswith("==="):
        yield from read_client_views(start, name)
    elif start.startswith("<"):
        yield read_mjlog(start, name)
    elif start[0] in "{[":
        yield from _of_json(start, name)
    else:
        raise RecordError(f"{name}: {_UNKNOWN}")


_UNKNOWN = (
    "not a recorded game: expected Tenhou XML or JSON, mjai lines, the kobalab format, or our own"
)


def _of_json(text: str, name: str) -> Iterator[RecordedGame]:
    first = text.splitlines()[0]
    try:
        head = parse_json(first)
    except JsonTextError:
        head = None
    if isinstance(head, dict) and "type" in head:
        yield from read_mjai(text, name)
        return
    try:
        data = parse_json(text)
    except JsonTextError as error:
        raise RecordError(f"{name}: {error}") from None
    if isinstance(data, list):
        if not data:
            raise RecordError(f"{name}: the list holds no game")
        for number, one in enumerate(data, start=1):
            yield _of_document(one, f"{name}#{number}")
    else:
        yield _of_document(data, name)


def _of_document(data: object, name: str) -> RecordedGame:
    if isinstance(data, dict) and data.get("format") == OWN_FORMAT:
        return read_own(data, name)
    log = data.get("log") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(log, list):
        raise RecordError(f"{name}: {_UNKNOWN}")
    if log and isinstance(log[0], list) and log[0] and isinstance(log[0][0], dict):
        return read_kobalab(data, name)
    return read_tenhou_json(data, name)
