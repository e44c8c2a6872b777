"""The log keeps what was written, whatever happens, and nothing in it is ever edited."""

from __future__ import annotations

import itertools
import os
import signal
import sqlite3
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from table_controller.rules.core.events import Corrected, Discarded, Drawn, GameBegan, Voided
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import fold
from table_controller.rules.core.tiles import Tile
from table_controller.rules.two_player import RULESET
from table_controller.store import (
    SCHEMA_VERSION,
    Recorded,
    Store,
    StoredEventError,
    StoreUnusableError,
    UnknownGameError,
    effective,
)
from table_controller.table import Table

BEGAN = GameBegan(ruleset="two_player")
REPOSITORY = Path(__file__).parents[2]


def discard(text: str, seat: Seat = Seat.A) -> Discarded:
    return Discarded(seat=seat, tile=Tile.parse(text))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.sqlite"


def test_events_are_numbered_by_game_and_read_since_a_number(path):
    with Store(path) as store:
        first = store.new_game()
        store.append(first, BEGAN, 10.0)
        assert store.append(first, discard("1m"), 11.5) == Recorded(1, 11.5, discard("1m"))
        second = store.new_game()
        assert second != first
        assert store.append(second, BEGAN, 12.0).number == 0
        assert store.append(first, discard("2m"), 13.0).number == 2
    with Store(path) as store:
        assert [r.event for r in store.events(first)] == [BEGAN, discard("1m"), discard("2m")]
        assert store.events(first, since=2) == [Recorded(2, 13.0, discard("2m"))]
        assert store.events(first, since=3) == []
        games = store.games()
        assert [(g.game, g.began_at, g.last_at, g.events, g.ruleset) for g in games] == [
            (first, 10.0, 13.0, 3, "two_player"),
            (second, 12.0, 12.0, 1, "two_player"),
        ]


def test_a_game_that_is_not_there_is_named(path):
    with Store(path) as store, pytest.raises(UnknownGameError, match="no game 7"):
        store.events(7)


def test_events_that_belong_together_are_written_together(path):
    with Store(path) as store:
        store.append(1, BEGAN, 1.0)
        together = [Recorded(1, 2.0, discard("1m")), Recorded(2, 2.5, discard("2m"))]
        store.write(1, together)
        taken = [Recorded(3, 3.0, discard("3m")), Recorded(2, 3.0, discard("4m"))]
        with pytest.raises(StoreUnusableError, match="another process wrote to this game"):
            store.write(1, taken)
        assert store.events(1, since=1) == together
        store.append(1, discard("5m"), 4.0)
    with Store(path) as store:
        assert [str(r.event.tile) for r in store.events(1, since=1)] == ["1m", "2m", "5m"]


def test_nothing_is_edited_or_removed(path):
    with Store(path) as store:
        store.append(1, BEGAN, 1.0)
    db = sqlite3.connect(path)
    for sql in ("UPDATE events SET at = 5", "DELETE FROM events"):
        with pytest.raises(sqlite3.IntegrityError, match="never edited"):
            db.execute(sql)
    db.close()


def test_every_commit_is_flushed_to_the_disk(path):
    with Store(path) as store:
        assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def test_a_folder_that_is_missing_is_said(tmp_path):
    with pytest.raises(StoreUnusableError, match=r"nowhere/x\.sqlite: cannot be opened"):
        Store(tmp_path / "nowhere" / "x.sqlite")


def test_a_file_that_is_no_log_is_said(path):
    path.write_bytes(b"not a database, but long enough to be looked at" * 30)
    with pytest.raises(StoreUnusableError, match="not an event log"):
        Store(path)
    assert path.read_bytes().startswith(b"not a database")


def test_a_log_of_a_newer_version_is_left_alone(path):
    Store(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()
    with pytest.raises(StoreUnusableError, match="newer version"):
        Store(path)


def test_a_log_that_cannot_be_written_is_said(path):
    with Store(path) as store:
        store.append(1, BEGAN, 1.0)
        store._db.execute("PRAGMA query_only = ON")  # as a file system turned read-only
        with pytest.raises(StoreUnusableError, match="read-only"):
            store.append(1, discard("1m"), 2.0)
        store._db.execute("PRAGMA query_only = OFF")
        assert len(store.events(1)) == 1


def test_a_full_disk_is_said_and_loses_nothing(path):
    with Store(path) as store:
        store.append(1, BEGAN, 1.0)
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")  # as a disk without room
        fill = itertools.repeat(discard("1m"))
        with pytest.raises(StoreUnusableError, match="disk is full"):
            deque(store.append(1, event, 2.0) for event in fill)
        written = len(store.events(1)) - 1
        store._db.execute(f"PRAGMA max_page_count = {pages + 100}")
        assert store.append(1, discard("2m"), 3.0).number == written + 1


def test_a_log_in_use_by_another_daemon_is_said(path):
    with Store(path) as store:
        store._db.execute("PRAGMA busy_timeout = 0")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnusableError, match="in use by another process"):
            store.append(1, BEGAN, 1.0)
        other.close()


def test_only_one_daemon_writes_a_log(path):
    with Store(path) as store:
        store.append(1, BEGAN, 1.0)
        with pytest.raises(StoreUnusableError, match="in use by another process"):
            Store(path)
        store.append(1, discard("1m"), 2.0)
    with Store(path) as store:
        assert len(store.events(1)) == 2


def test_a_log_is_read_while_a_daemon_writes_it_and_left_as_it_is(path):
    with Store(path) as store:
        store.append(1, BEGAN, 1.0)
        with Store(path, read_only=True) as reader:
            store.append(1, discard("1m"), 2.0)
            assert len(reader.events(1)) == 2
            with pytest.raises(StoreUnusableError, match="read-only"):
                reader.append(1, discard("1m"), 2.0)


def test_a_closed_log_is_read_from_a_read_only_disk(path, monkeypatch):
    with Store(path) as store:
        store.append(1, BEGAN, 1.0)
    monkeypatch.setattr("table_controller.store.os.access", lambda folder, mode: False)
    with Store(path, read_only=True) as reader:
        assert len(reader.events(1)) == 1
    assert not path.with_name("table.sqlite-shm").exists()


@pytest.mark.parametrize("tables", ["", "CREATE TABLE bookmarks (place)"])
def test_another_program_s_database_is_never_made_a_log(path, tables):
    db = sqlite3.connect(path)
    db.executescript(f"PRAGMA page_size = 512; {tables}")
    db.close()
    path.touch()
    before = path.read_bytes()
    with pytest.raises(StoreUnusableError, match="not an event log"):
        Store(path, read_only=True)
    if tables:
        with pytest.raises(StoreUnusableError, match="not an event log"):
            Store(path)
    assert path.read_bytes() == before


def test_no_game_has_a_number_that_a_column_cannot_hold(path):
    with Store(path) as store, pytest.raises(UnknownGameError):
        store.events(10**20)


def test_a_damaged_beginning_does_not_hide_the_other_games(path):
    with Store(path) as store:
        store.append(2, BEGAN, 1.0)
        store._db.execute("INSERT INTO events VALUES (1, 0, 0.0, 'game_began', '{')")
        assert [(game.game, game.ruleset) for game in store.games()] == [(1, ""), (2, "two_player")]


def test_a_damaged_row_names_its_place(path):
    with Store(path) as store:
        store.append(1, BEGAN, 1.0)
    db = sqlite3.connect(path)
    db.execute("INSERT INTO events VALUES (1, 1, 2.0, 'discarded', '{\"kind\": \"discarded\"}')")
    db.commit()
    db.close()
    with Store(path) as store, pytest.raises(StoredEventError, match=r"game 1, event 1: .*seat"):
        store.events(1)


# --- voids and corrections ---------------------------------------------------------------------


def log(*events):
    return [Recorded(number, float(number), event) for number, event in enumerate(events)]


def meaning(*events):
    return [(record.number, record.event) for record in effective(log(*events))]


def test_a_voided_event_does_not_count():
    assert meaning(BEGAN, discard("1m"), discard("2m"), Voided(index=1, reason="misread")) == [
        (0, BEGAN),
        (2, discard("2m")),
    ]


def test_a_corrected_event_keeps_its_place():
    fixed = Corrected(index=1, event=discard("3m"), reason="misread")
    assert meaning(BEGAN, discard("1m"), discard("2m"), fixed) == [
        (0, BEGAN),
        (1, discard("3m")),
        (2, discard("2m")),
    ]


def test_the_last_correction_counts_and_can_be_taken_back():
    first = Corrected(index=1, event=discard("3m"), reason="")
    second = Corrected(index=1, event=discard("4m"), reason="")
    assert meaning(BEGAN, discard("1m"), first, second)[1] == (1, discard("4m"))
    undone = Voided(index=3, reason="")
    assert meaning(BEGAN, discard("1m"), first, second, undone)[1] == (1, discard("3m"))


def test_a_void_can_itself_be_voided():
    assert meaning(
        BEGAN, discard("1m"), Voided(index=1, reason=""), Voided(index=2, reason="")
    ) == [
        (0, BEGAN),
        (1, discard("1m")),
    ]


# --- kill -9 -----------------------------------------------------------------------------------

WRITER = """
import sys
from table_controller.rules.core.events import DealBegan, Discarded, Drawn, HandDealt
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import KINDS
from table_controller.rules.two_player import RULESET
from table_controller.store import Store
from table_controller.table import Table

def told():
    print(flush=True)  # only now the parent may count on it

def write(event):
    table.append(event)
    told()

table = Table.open(Store(sys.argv[1]), RULESET)
told()
write(DealBegan(number=1, dealer=Seat.A, round_wind=Wind.EAST, points=(0, 0), wall_left=10**6))
for seat in (Seat.A, Seat.B):
    write(HandDealt(seat=seat, tiles=(None,) * 13))
turn = 0
while True:
    write(Drawn(seat=Seat(turn % 2)))
    write(Discarded(seat=Seat(turn % 2), tile=KINDS[turn % 34]))
    turn += 1
"""


@pytest.mark.parametrize("after", [1, 5, 40, 173])
def test_a_killed_table_loses_no_event_and_goes_on_with_the_same_deal(path, after):
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        stdout=subprocess.PIPE,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert child.stdout is not None
    for _ in range(after):
        assert child.stdout.readline() == b"\n"
    child.send_signal(signal.SIGKILL)
    told = after + len(child.stdout.read().splitlines())
    assert child.wait() == -signal.SIGKILL
    child.stdout.close()
    with Store(path) as store:
        events = [record.event for record in store.events(1)]
        assert told <= len(events) <= told + 1  # the last one may have been written untold
        table = Table.open(store, RULESET)
        assert table.resumed
        assert table.state == fold(events, 2)
        if len(events) > 4:
            assert table.state is not None
            assert table.state.wall_left == 10**6 - sum(isinstance(e, Drawn) for e in events)
            assert table.state.discards == sum(isinstance(e, Discarded) for e in events)
            assert table.append(Drawn(seat=Seat.A)).number == len(events)
