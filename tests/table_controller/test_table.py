"""A table goes on where it stopped, tells everybody, and lets the staff put things right."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from table_controller.conductor import Key
from table_controller.option_text import changed_options, read_changes
from table_controller.rules import RULESET_NAMES, find_ruleset
from table_controller.rules.core.errors import ImpossibleEventError, OptionError
from table_controller.rules.core.events import (
    DealBegan,
    Discarded,
    Doubted,
    Drawn,
    GameBegan,
    GameEnded,
    HandDealt,
    HandShown,
    MeldCalled,
    Voided,
)
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import Tile
from table_controller.rules.two_player import RULESET
from table_controller.store import Store
from table_controller.table import (
    WAITING_UPDATES,
    Behind,
    CorrectionError,
    DoubtAnswered,
    EventUpdate,
    KeyPress,
    MachineStatus,
    StatusUpdate,
    Table,
)

A, B = Seat.A, Seat.B


def began(number=1, points=(0, 0)):
    return DealBegan(
        number=number, dealer=A, round_wind=Wind.EAST, points=points, wall_left=80, hand_size=13
    )


def discard(text, seat=A):
    return Discarded(seat=seat, tile=Tile.parse(text))


def deal_to(table, *, number=1):
    table.append(began(number))
    for seat in (A, B):
        table.append(HandDealt(seat=seat, tiles=(None,) * 13))


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "table.sqlite") as store:
        yield store


@pytest.fixture
def clock():
    times = iter(range(1000, 100000))
    return lambda: float(next(times))


@pytest.fixture
def table(store, clock):
    return Table.open(store, RULESET, clock=clock, names=("Ann", "Bo"))


def test_a_new_table_begins_a_game(table, store):
    assert not table.resumed
    assert table.began == GameBegan(ruleset="two_player", names=("Ann", "Bo"))
    assert [r.event for r in store.events(table.game)] == [table.began]
    assert table.state is None
    assert table.history == ()


def test_an_unfinished_deal_goes_on(table, store, clock):
    deal_to(table)
    table.append(Drawn(seat=A))
    table.append(discard("5p"))
    again = Table.open(store, RULESET, clock=clock)
    assert again.resumed
    assert again.game == table.game
    assert again.state == table.state
    assert again.history == table.history
    assert again.log == table.log
    assert again.state.seats[A].pond[0].tile == Tile.parse("5p")


def test_a_finished_game_and_one_by_other_rules_are_not_gone_on_with(table, store, clock):
    deal_to(table)
    changed = replace(RULESET.options, bonus_tiles=False)
    assert not Table.open(store, RULESET, changed, clock=clock).resumed
    table = Table.open(store, RULESET, changed, clock=clock)
    assert table.resumed
    table.append(GameEnded(points=(0, 0), placements=(1, 2)))
    assert table.is_over
    fresh = Table.open(store, RULESET, changed, clock=clock)
    assert not fresh.resumed
    assert fresh.game == table.game + 1


def test_an_impossible_event_is_refused_before_it_is_written(table, store):
    deal_to(table)
    before = table.state
    call = MeldCalled(seat=B, meld=Meld.of("pung", "555z", A))
    with pytest.raises(ImpossibleEventError, match="nobody discarded"):
        table.append(call)
    assert table.state == before
    assert len(store.events(table.game)) == len(table.log) == 4


@pytest.mark.fault("L05")
async def test_a_disk_that_fails_stops_no_game_and_gets_everything_later(table, store, clock):
    deal_to(table)
    store._db.execute("PRAGMA query_only = ON")  # as a file system turned read-only
    with table.subscribe() as updates:
        table.append(Drawn(seat=A))
        table.append(discard("5p"))
        wrong = table.append(discard("6p"))
        table.void(wrong.number, "fell")
        told = [await anext(updates) for _ in range(5)]
    assert [type(update) for update in told].count(StatusUpdate) == 1
    assert [fault.code for fault in table.faults] == ["L05"]
    assert len(store.events(table.game)) == 4
    store._db.execute("PRAGMA query_only = OFF")
    table.append(Drawn(seat=B))
    assert table.faults == ()
    assert store.events(table.game) == table.log
    assert Table.open(store, RULESET, clock=clock).state == table.state


def test_options_of_a_game_can_be_read_back():
    changed = replace(
        RULESET.options, bonus_tiles=False, rounds=4, seats=(2, 4), chow_source="previous"
    )
    began = GameBegan(ruleset="two_player", options=changed_options(RULESET, None, changed))
    assert began.options[:2] == (("seats", "2,4"), ("bonus_tiles", "false"))
    assert RULESET.choose(**read_changes(RULESET, began.options)) == changed
    with pytest.raises(OptionError, match="no option 'colour'"):
        read_changes(RULESET, [("colour", "red")])


def test_points_before_the_first_deal_are_zero_or_the_rulesets(table):
    assert table.points == (0, 0)


# --- staff -------------------------------------------------------------------------------------


def test_voiding_a_discard_computes_everything_again(table, store):
    deal_to(table)
    table.append(Drawn(seat=A))
    wrong = table.append(discard("5p"))
    table.void(wrong.number, "it fell from the hand")
    assert table.state.seats[A].pond == ()
    assert table.history[-1] == Drawn(seat=A)
    assert isinstance(store.events(table.game)[-1].event, Voided)
    table.append(discard("6p"))
    assert [str(t.tile) for t in table.state.seats[A].pond] == ["6p"]


def test_a_corrected_reading_stands_in_the_pond(table):
    deal_to(table)
    table.append(Drawn(seat=A))
    wrong = table.append(discard("5p"))
    table.append(Drawn(seat=B))
    table.correct(wrong.number, discard("6p"), "misread")
    assert [str(t.tile) for t in table.state.seats[A].pond] == ["6p"]
    assert table.state.turn is B


def test_a_void_that_makes_a_later_event_impossible_says_which(table, store):
    deal_to(table)
    for _ in range(3):
        table.append(Drawn(seat=A))
    last = len(table.log)
    with pytest.raises(CorrectionError, match="is the game's first"):
        table.void(0, "x")
    with pytest.raises(CorrectionError, match="was voided"):
        table.void(99, "x")
    with pytest.raises(CorrectionError, match="cannot stand in"):
        table.correct(2, Voided(index=1, reason=""), "x")
    assert len(store.events(table.game)) == last


def test_an_event_and_all_after_it_can_be_voided_at_once(table):
    deal_to(table)
    table.append(Drawn(seat=A))
    wrong = table.append(discard("5p"))
    table.append(Drawn(seat=B))
    table.append(discard("1m", B))
    table.void(wrong.number, "wrong turn", and_after=True)
    assert table.state.wall_left == 79
    assert table.state.discards == 0
    assert table.state.turn is A


def test_a_penalty_is_an_event_of_its_own(table):
    with pytest.raises(CorrectionError, match="before the first deal"):
        table.penalise(A, "late")
    deal_to(table)
    table.penalise(A, "late", [Payment(A, B, 100, "late")], text="came late")
    assert table.state.points == (-100, 100)
    table.penalise(B, "wrong_call", dead_hand=True)
    assert table.state.seats[B].dead_hand


async def test_a_doubt_is_asked_answered_and_closed(table):
    deal_to(table)
    asked = table.append(
        Doubted(question="6p or 9p?", candidates=(Tile.parse("6p"), Tile.parse("9p")), seat=A)
    )
    assert table.doubts == (asked,)
    with pytest.raises(CorrectionError, match="not an open question"):
        table.answer(asked.number + 5, None)
    table.answer(asked.number, Tile.parse("9p"))
    assert table.doubts == ()
    assert table.inbox.get_nowait() == DoubtAnswered(asked, Tile.parse("9p"))


async def test_the_answer_to_a_doubt_corrects_the_reading_it_is_about(table):
    deal_to(table)
    for first, second in (("1m", "2m"), ("6p", "4m")):
        table.append(Drawn(seat=A))
        table.append(discard(first))
        table.append(Drawn(seat=B))
        table.append(discard(second, B))
    candidates = (Tile.parse("6p"), Tile.parse("9p"))
    asked = table.append(Doubted(question="?", candidates=candidates, seat=A, place=2))
    table.answer(asked.number, Tile.parse("9p"))
    assert [str(t.tile) for t in table.state.seats[A].pond] == ["1m", "9p"]
    asked = table.append(Doubted(question="?", candidates=candidates, seat=A, place=2))
    before = len(table.log)
    table.answer(asked.number, Tile.parse("9p"))  # as it stands already: only closed
    assert len(table.log) == before + 1
    shown = HandShown(seat=B, tiles=(Tile.parse("6p"), Tile.parse("7p")))
    table.append(shown)
    asked = table.append(Doubted(question="?", candidates=candidates, seat=B))
    table.answer(asked.number, Tile.parse("9p"))
    assert table.state.seats[B].shown == (Tile.parse("9p"), Tile.parse("7p"))


async def test_a_later_look_answers_a_doubt(table, caplog):
    deal_to(table)
    table.append(Drawn(seat=A))
    table.append(discard("6p"))
    doubt = Doubted(question="?", candidates=(Tile.parse("6p"),), seat=A, place=1)
    table.append(doubt)
    table.settle(replace(doubt, question="another"))
    assert len(table.doubts) == 1
    table.settle(doubt, Tile.parse("9p"))
    assert table.doubts == ()
    assert str(table.state.seats[A].pond[0].tile) == "9p"
    assert table.log[-1].event.reason == "a later look answered 9p"


async def test_keys_reach_the_conductor(table):
    table.press(B, Key.WIN)
    assert table.inbox.get_nowait() == KeyPress(B, Key.WIN, 1001.0)
    with pytest.raises(CorrectionError, match="nobody sits at seat 2"):
        table.press(Seat.C, Key.WIN)


async def test_the_staff_key_calls_and_calls_off(table):
    table.press(B, Key.STAFF)
    assert table.calling == {B}
    table.press(A, Key.STAFF)
    table.press(B, Key.STAFF)
    assert table.calling == {A}
    table.attend(A)
    assert table.calling == frozenset()


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_every_preset_of_every_ruleset_can_be_written_as_changes_and_read_back(name):
    ruleset = find_ruleset(name)
    for preset, options in ruleset.presets.items():
        changed = changed_options(ruleset, None, options)
        assert ruleset.choose(**read_changes(ruleset, changed)) == options, preset
        assert changed_options(ruleset, preset, options) == ()


async def test_a_paused_table_waits(table):
    table.pause("tea")
    assert table.paused == "tea"
    waiting = asyncio.create_task(table.until_running())
    await asyncio.sleep(0)
    assert not waiting.done()
    table.resume()
    await waiting
    assert table.paused is None


# --- watchers ----------------------------------------------------------------------------------


async def test_watchers_are_told_of_everything_in_order(table):
    with table.subscribe() as updates:
        assert table.watchers == 1
        table.append(began())
        table.machine = MachineStatus(phase="shuffling", progress=0.5)
        table.machine = MachineStatus(phase="shuffling", progress=0.5)  # nothing new
        table.pause("")
        told = [await anext(updates) for _ in range(3)]
    assert [type(update) for update in told] == [EventUpdate, StatusUpdate, StatusUpdate]
    assert told[0].recorded.event == began()
    assert table.watchers == 0


async def test_a_watcher_that_falls_behind_is_told_so_once(table):
    deal_to(table)
    with table.subscribe() as updates:
        for place in range(WAITING_UPDATES + 1):
            table.machine = MachineStatus(progress=place / 1000)
        assert await anext(updates) == Behind()
        table.pause("")
        assert await anext(updates) == StatusUpdate()


async def test_another_game_is_told(table):
    first = table.game
    with table.subscribe() as updates:
        table.new_game()
        assert isinstance(await anext(updates), EventUpdate)
        assert await anext(updates) == Behind()
    assert table.game == first + 1
    assert table.began.names == ("Ann", "Bo")


def test_a_game_for_four_does_not_stop_a_table_for_two(store, clock):
    table = Table.open(store, find_ruleset("riichi_4p"), clock=clock)
    table.append(began(points=(25000,) * 4))
    for seat in Seat:
        table.append(HandDealt(seat=seat, tiles=(None,) * 13))
    again = Table.open(store, RULESET, clock=clock)
    assert not again.resumed
    assert again.players == 2
