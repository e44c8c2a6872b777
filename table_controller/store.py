"""The event log: SQLite, append only, one transaction an event.

A committed event survives `kill -9` and power loss: the journal is WAL with ``synchronous=FULL``.
Nothing is ever edited; triggers refuse it. `effective` says what a log means after the staff voided
and corrected events.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from table_controller.codec import CodecError, event_from_json, event_to_json
from table_controller.rules.core.events import Corrected, GameEvent, Voided

SCHEMA_VERSION = 1
LARGEST_GAME = 2**63 - 1  # what a column of SQLite holds
_SCHEMA = f"""
BEGIN;
CREATE TABLE events (
    game INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at REAL NOT NULL,
    kind TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (game, number)
) WITHOUT ROWID;
CREATE TRIGGER events_stay BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'the event log is never edited'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'the event log is never edited'); END;
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""


class StoreError(Exception):
    """Base of everything the event log raises."""


class StoreUnusableError(StoreError, OSError):
    """The log cannot be opened or written: read-only, full, locked, or not a log."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"event log {path}: {problem}")
        self.path = path


class StoredEventError(StoreError, ValueError):
    """A row of the log that cannot be read back."""


class UnknownGameError(StoreError, LookupError):
    """A game that the log does not hold."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event as it stands in the log: its number in the game, when it was written, and what."""

    number: int
    at: float  # unix time
    event: GameEvent


@dataclass(frozen=True, slots=True)
class GameRow:
    """One game of the log."""

    game: int
    began_at: float
    last_at: float
    events: int
    ruleset: str


class Store:
    """The log in one file; use from one thread."""

    def __init__(self, path: Path | str, *, read_only: bool = False) -> None:
        """Open the log, made new where there is none; ``":memory:"`` is lost at close.

        A log that is only read may be one that a daemon writes to, and is left as it is.
        """
        self.path = str(path)
        self._lock: int | None = None
        address = _to_read(Path(path)) if read_only else self.path
        try:
            self._db = sqlite3.connect(address, isolation_level=None, timeout=5.0, uri=read_only)
        except sqlite3.Error as error:
            raise StoreUnusableError(self.path, _problem(error)) from error
        try:
            is_new = self._check(read_only=read_only)
            if not read_only:
                self._lock = self._hold()
                self._prepare(is_new=is_new)
        except BaseException:
            self.close()
            raise

    def _check(self, *, read_only: bool) -> bool:
        """Whether the log has yet to be made; refuses a file that is none, or a newer one."""
        version = int(self._execute("PRAGMA user_version")[0][0])
        if version > SCHEMA_VERSION:
            raise StoreUnusableError(
                self.path,
                f"was written by a newer version (format {version}, this one knows "
                f"{SCHEMA_VERSION}): update the software, the log stays as it is",
            )
        tables = {str(row[0]) for row in self._execute("SELECT name FROM sqlite_master")}
        is_new = version == 0 and not tables
        if is_new and not read_only:
            return True
        if version == 0 or "events" not in tables:
            raise StoreUnusableError(self.path, "is not an event log: name another file")
        return False

    def _hold(self) -> int | None:
        """Keeps every other writer out for as long as this one lives, however it ends."""
        if self.path == ":memory:":
            return None
        try:
            lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            problem = f"{error.strerror}: check the owner of the folder and how it is mounted"
            raise StoreUnusableError(self.path, f"cannot be written: {problem}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            raise StoreUnusableError(
                self.path, "is in use by another process: stop the other table daemon"
            ) from error
        return lock

    def _prepare(self, *, is_new: bool) -> None:
        try:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            if is_new:
                self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise StoreUnusableError(self.path, _problem(error)) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def new_game(self) -> int:
        """The number of the next game; it exists once its first event is appended."""
        row = self._execute("SELECT coalesce(max(game), 0) + 1 FROM events")[0]
        return int(row[0])

    def append(self, game: int, event: GameEvent, at: float) -> Recorded:
        """Write one event; when this returns, it is on the disk."""
        rows = self._execute(
            "INSERT INTO events SELECT ?1, coalesce(max(number) + 1, 0), ?2, ?3, ?4"
            " FROM events WHERE game = ?1 RETURNING number",
            (game, at, event.kind, _text(event)),
        )
        return Recorded(int(rows[0][0]), at, event)

    def write(self, game: int, records: Sequence[Recorded]) -> None:
        """Write events under their numbers, all of them or none: they only make sense together."""
        if len(records) > 1:
            self._execute("BEGIN IMMEDIATE")
        try:
            for record in records:
                self._execute(
                    "INSERT INTO events VALUES (?, ?, ?, ?, ?)",
                    (game, record.number, record.at, record.event.kind, _text(record.event)),
                )
            if self._db.in_transaction:
                self._execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def events(self, game: int, since: int = 0) -> list[Recorded]:
        """The events of a game from that number on; raises UnknownGameError."""
        if not 0 <= game <= LARGEST_GAME:
            raise UnknownGameError(f"event log {self.path} has no game {game}")
        rows = self._execute(
            "SELECT number, at, json FROM events WHERE game = ? AND number >= ? ORDER BY number",
            (game, since),
        )
        if not rows and not self._execute("SELECT 1 FROM events WHERE game = ? LIMIT 1", (game,)):
            raise UnknownGameError(f"event log {self.path} has no game {game}")
        return [self._read(game, *row) for row in rows]

    def _read(self, game: int, number: int, at: float, text: str) -> Recorded:
        try:
            return Recorded(number, at, event_from_json(msgspec.json.decode(text)))
        except (CodecError, msgspec.DecodeError) as error:
            raise StoredEventError(
                f"event log {self.path}, game {game}, event {number}: {error}"
            ) from error

    def games(self) -> list[GameRow]:
        """All games, the first one first."""
        rows = self._execute(
            "SELECT game, min(at), max(at), count(*),"
            " coalesce((SELECT json_extract(json, '$.ruleset') FROM events b"
            "  WHERE b.game = e.game AND b.number = 0 AND json_valid(json)), '')"
            " FROM events e GROUP BY game ORDER BY game"
        )
        return [GameRow(*row) for row in rows]

    def _execute(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise StoreUnusableError(self.path, _problem(error)) from error


def _to_read(path: Path) -> str:
    """The address of a log that is only read, from a read-only disk too where it was closed."""
    unfinished = path.with_name(f"{path.name}-wal").exists()
    closed = not unfinished and not os.access(path.absolute().parent, os.W_OK)
    return f"{path.absolute().as_uri()}?{'immutable=1' if closed else 'mode=ro'}"


def _text(event: GameEvent) -> str:
    return msgspec.json.encode(event_to_json(event)).decode()


def effective(records: Iterable[Recorded]) -> list[Recorded]:
    """What the log means: without voided events, corrected ones replaced, in order.

    A void or correction can itself be voided. The last correction of an event counts.
    """
    kept: list[Recorded] = []
    voided: set[int] = set()
    corrected: dict[int, GameEvent] = {}
    for record in reversed(list(records)):
        if record.number in voided:
            continue
        match record.event:
            case Voided(index=index):
                voided.add(index)
            case Corrected(index=index, event=event):
                corrected.setdefault(index, event)
            case event:
                kept.append(replace(record, event=corrected.get(record.number, event)))
    kept.reverse()
    return kept


def _problem(error: sqlite3.Error) -> str:
    """What is wrong and what to do, for the errors a person can do something about."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_READONLY"):
        return "cannot be written (read-only): check the owner of the file and how it is mounted"
    if name.startswith("SQLITE_FULL"):
        return "the disk is full: free some space, nothing was lost so far"
    if name.startswith("SQLITE_CANTOPEN"):
        return "cannot be opened: check that the folder exists and may be written"
    if name.startswith("SQLITE_CONSTRAINT"):
        return "another process wrote to this game: stop the other table daemon"
    if name.startswith("SQLITE_BUSY"):
        return "is in use by another process: stop the other table daemon"
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return "is not an event log, or is damaged: restore it from a backup"
    if name.startswith("SQLITE_IOERR"):
        return f"reading or writing failed ({name}): check the disk or card"
    return str(error)
