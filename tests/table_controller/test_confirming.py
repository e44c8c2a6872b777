"""What the table learns of its reader from games that were played at it."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from calibration.readings import kept_readings, parse_readings
from table_controller.conductor import Conductor
from table_controller.confirming import Confirming, confirmed
from table_controller.interpret import visible_tiles
from table_controller.layout import Untidiness, geometry_for, pond_on_table, stacks_of
from table_controller.rules import find_ruleset
from table_controller.rules.core.events import Discarded, Doubted
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import Awaiting
from table_controller.rules.core.tiles import STANDARD_136, Tile
from table_controller.simulation.bots import bot
from table_controller.simulation.run import Simulation, running
from table_controller.simulation.session import Session
from table_controller.store import Store
from table_controller.table import Table
from tests.table_controller.in_memory import Doubtful, ShuffledWalls
from vision.types import Guess


def misread(misreads):
    """A reading that is never quite sure, and takes some faces for others."""

    def read(sighting):
        if sighting.label in misreads:
            label, share = misreads[sighting.label]
            others = (Guess(sighting.label, 1 - share),)
            return replace(sighting, label=label, confidence=share, others=others)
        return replace(sighting, confidence=0.97, others=(Guess("no", 0.03),))

    return read


@dataclass
class Played:
    """A table at which bots play, and what it has kept."""

    table: Table
    conductor: Conductor
    confirming: Confirming
    session: Session
    rng: random.Random
    path: Path

    async def deal(self):
        """One deal, from the walls to the verdict."""
        await self.session.play(bot(self.rng))
        await self.told()

    async def told(self):
        """Everybody who watches the table has looked."""
        for _ in range(5):
            await asyncio.sleep(0)

    def kept(self):
        return parse_readings(kept_readings(self.path), "kept")


@asynccontextmanager
async def playing(path, name="riichi_4p", seed=0, misreads=(), pause=None):
    ruleset = find_ruleset(name)
    table = Table.open(Store(":memory:"), ruleset)
    options, geometry = table.options, geometry_for(ruleset, table.options)
    conductor = Conductor(ruleset, options, table, geometry)
    rng = random.Random(seed)
    tiles = ruleset.tile_set(options).tiles()
    walls = ShuffledWalls(stacks_of(ruleset, options), tiles, rng)
    eyes = Doubtful(geometry, misread(misreads))
    session = Session(conductor, walls, eyes, Untidiness(seed=seed))
    confirming = Confirming(table, conductor, path)
    running = asyncio.create_task(confirming.run())
    await asyncio.sleep(0)
    it = Played(table, conductor, confirming, session, rng, path)
    if pause is not None:

        async def answer():
            pause(table)

        session.pause = answer
    yield it
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def open_faces(state):
    """Every face that lies open before the players, and the indicators."""
    faces = Counter(map(str, visible_tiles(state)))
    faces.subtract(map(str, state.under_indicators))
    for seat in state.seats:
        for meld in seat.melds:
            if meld.kind is MeldKind.CONCEALED_KONG:
                faces.subtract([str(tile) for tile in meld.tiles[:2]])  # two lie face down
    return +faces


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("riichi_4p", 0),
        ("riichi_4p", 1),  # everybody who is ready shows the hand
        ("mcr", 1),  # flowers, and a concealed kong
        ("korean_japanese_3p", 2),
        ("filipino", 0),
    ],
)
async def test_every_open_face_of_a_deal_is_one_reading_and_no_other_tile_is(tmp_path, name, seed):
    path = tmp_path / "readings.jsonl"
    async with playing(path, name, seed) as it:
        await it.deal()
        state = it.table.state
        assert state.awaiting is Awaiting.OVER
        assert not path.exists()  # it may still be corrected
    assert Counter(one.truth for one in it.kept()) == open_faces(state)
    assert all(one.label == one.truth and one.confidence == 0.97 for one in it.kept())
    assert all(one.others == (Guess("no", 0.03),) for one in it.kept())


async def test_readings_are_kept_when_the_next_deal_begins_and_hold_no_name(tmp_path):
    path = tmp_path / "readings.jsonl"
    async with playing(path) as it:
        it.table.new_game(["Anna", "Bela", "Carl", "Dora"])
        await it.deal()
        first = open_faces(it.table.state)
        assert not path.exists()
        it.conductor.begin_deal((3, 4))
        async with asyncio.timeout(20):
            while not path.exists() or len(it.kept()) < first.total():
                await asyncio.sleep(0.01)
        assert Counter(one.truth for one in it.kept()) == first
        assert not any(name in path.read_text() for name in ("Anna", "Bela", "seat", "pond"))
    assert Counter(one.truth for one in it.kept()) == first  # an unfinished deal confirms nothing


def answer_with(tile):
    def answer(table):
        for record in table.doubts:
            if record.event.candidates:
                table.answer(record.number, tile)

    return answer


SIX = Tile.parse("6p")
DOUBTFUL = {"6p": ("9p", 0.6)}


async def test_what_a_person_answers_is_the_truth_of_a_wrong_reading(tmp_path):
    path = tmp_path / "readings.jsonl"
    async with playing(path, seed=3, misreads=DOUBTFUL, pause=answer_with(SIX)) as it:
        await it.deal()
        state = it.table.state
        answer_with(SIX)(it.table)
    wrong = [one for one in it.kept() if one.label != one.truth]
    assert {(one.label, one.truth, one.confidence) for one in wrong} == {("9p", "6p", 0.6)}
    assert all(one.others[0] == Guess("6p", 0.4) for one in wrong)
    ponds = Counter(str(tile.tile) for seat in state.seats for tile in seat.pond)
    assert len(wrong) >= ponds["6p"] > 0


@pytest.mark.parametrize("pause", [None, answer_with(None)], ids=["nobody answers", "nobody knows"])
async def test_a_question_without_an_answer_confirms_nothing_of_that_seat(tmp_path, pause):
    path = tmp_path / "readings.jsonl"
    async with playing(path, seed=3, misreads=DOUBTFUL, pause=pause) as it:
        await it.deal()
        log = [record.event for record in it.table.log]
        asked = {event.seat for event in log if isinstance(event, Doubted)}
        assert asked
        state = it.table.state
    lying = Counter(
        str(tile)
        for seat in Seat
        if seat not in asked
        for tile, _ in pond_on_table(state.seats[seat].pond)
    )
    assert not [one for one in it.kept() if one.label == "9p" and one.confidence == 0.6]
    assert not lying - Counter(one.truth for one in it.kept())  # the others' tiles are known


async def test_what_is_corrected_after_the_verdict_counts(tmp_path):
    """Nobody noticed during the deal that the reader was sure of a wrong tile."""
    path = tmp_path / "readings.jsonl"
    async with playing(path) as it:
        await it.deal()
        first = next(r for r in it.table.records_of_deal if isinstance(r.event, Discarded))
        read = str(first.event.tile)
        really = replace(first.event, tile=Tile.parse("9m" if read != "9m" else "8m"))
        it.table.correct(first.number, really, "the staff looked")
    wrong = [one for one in it.kept() if one.label != one.truth]
    assert [(one.label, one.truth, one.confidence) for one in wrong] == [
        (read, str(really.tile), 0.97)
    ]


# --- what cannot be told ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """A deal that came to its verdict: its state, the last scene as read, and the tiles."""

    async def play():
        async with playing(tmp_path_factory.mktemp("ended") / "readings.jsonl", seed=1) as it:
            await it.deal()
            return it.table.state, it.conductor.reading, it.conductor.rules.tile_set

    return asyncio.run(play())


def with_seat(reading, seat, **changes):
    seats = list(reading.seats)
    seats[seat] = replace(seats[seat], **changes)
    return replace(reading, seats=tuple(seats))


def truths(found):
    return Counter(one.truth for one in found)


def test_a_pond_in_which_a_tile_was_overlooked_confirms_nothing(ended):
    state, reading, tile_set = ended
    pond = reading.seats[2].pond
    missed = with_seat(reading, 2, pond=pond[:4] + pond[5:])
    everything = truths(confirmed(state, reading, tile_set, []))
    lost = everything - truths(confirmed(state, missed, tile_set, []))
    assert lost == Counter(str(one.tile) for one in pond)


def test_tiles_that_were_pushed_about_confirm_nothing_but_a_sorted_hand_does(ended):
    state, reading, tile_set = ended
    everything = truths(confirmed(state, reading, tile_set, []))
    pond = reading.seats[2].pond
    mixed = with_seat(reading, 2, pond=pond[::-1])
    lost = everything - truths(confirmed(state, mixed, tile_set, []))
    assert lost == Counter(str(one.tile) for one in pond)
    shows = next(seat for seat in Seat if state.seats[seat].shown is not None)
    turned = with_seat(reading, shows, hand=reading.seats[shows].hand[::-1])
    found = list(confirmed(state, turned, tile_set, []))
    assert truths(found) == everything
    assert all(one.label == one.truth for one in found)


def test_a_hand_that_the_game_did_not_see_shown_confirms_nothing(ended):
    state, reading, tile_set = ended
    shows = next(seat for seat in Seat if state.seats[seat].shown is not None)
    hidden = state.with_seat(shows, shown=None)
    everything = truths(confirmed(state, reading, tile_set, []))
    lost = everything - truths(confirmed(hidden, reading, tile_set, []))
    assert lost == Counter(str(tile) for tile in state.seats[shows].shown)


def test_a_deal_that_was_stopped_or_does_not_add_up_confirms_nothing(ended):
    state, reading, tile_set = ended
    stopped = replace(state, claims=(), draw_reason=None)
    assert list(confirmed(stopped, reading, tile_set, [])) == []
    odd = Doubted(question="pond of west: 1 missing", code="unexplained")
    assert list(confirmed(state, reading, tile_set, [odd])) == []
    waiting = Doubted(question="west pressed draw", seat=Seat.C, code="waiting")
    assert list(confirmed(state, reading, tile_set, [waiting]))


def test_a_red_five_where_the_rules_know_none_is_no_mistake(ended):
    state, reading, _ = ended
    seat, place = next(
        (seat, place)
        for seat in Seat
        for place, one in enumerate(reading.seats[seat].pond)
        if str(one.tile) == "5p"
    )
    pond = list(reading.seats[seat].pond)
    red = replace(pond[place].sighting, label="0p")
    pond[place] = replace(pond[place], tile=Tile.parse("0p"), sighting=red)
    read = with_seat(reading, seat, pond=tuple(pond))
    with_red = STANDARD_136.with_red_fives(m=1, p=1, s=1)
    assert not [one for one in confirmed(state, read, STANDARD_136, []) if one.label == "0p"]
    found = [one for one in confirmed(state, read, with_red, []) if one.label == "0p"]
    assert [one.truth for one in found] == ["5p"]


# --- keeping it ---------------------------------------------------------------------------------


async def test_a_disk_that_fails_is_said_once_and_stops_no_game(tmp_path, caplog, monkeypatch):
    tries = []

    def full(path, readings):
        tries.append(len(readings))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("table_controller.confirming.keep_readings", full)
    async with playing(tmp_path / "readings.jsonl") as it:
        for deals in (1, 2, 3):
            await it.deal()
            it.table.new_game()
            it.conductor.start = it.conductor.play.first_deal(it.conductor.options)
            async with asyncio.timeout(20):
                while len(tries) < deals:
                    await asyncio.sleep(0.01)
    assert all(tries)
    said = [record for record in caplog.records if "confirmed readings" in record.message]
    assert [record.levelno for record in said] == [logging.WARNING]
    assert "No space left on device" in said[0].message


async def test_a_verdict_that_was_taken_back_confirms_nothing(tmp_path):
    path = tmp_path / "readings.jsonl"
    async with playing(path) as it:
        await it.deal()
        verdict = next(r for r in it.table.records_of_deal if r.event.kind == "win_claimed")
        it.table.void(verdict.number, "pressed by mistake", and_after=True)
        await it.told()
        assert it.table.state.awaiting is not Awaiting.OVER
        assert not path.exists()
    assert not path.exists()


async def test_a_deal_that_was_taken_back_does_not_count_for_the_one_before(tmp_path):
    path = tmp_path / "readings.jsonl"
    async with playing(path) as it:
        await it.deal()
        first = open_faces(it.table.state)
        read = it.conductor.reading
        it.conductor.begin_deal()
        async with asyncio.timeout(20):
            while not path.exists() or len(it.kept()) < first.total():
                await asyncio.sleep(0.01)
        it.conductor.reading = read
        it.table.void(it.table.records_of_deal[0].number, "walls fell over", and_after=True)
        await it.told()
        assert it.table.state.awaiting is Awaiting.OVER
    assert Counter(one.truth for one in it.kept()) == first


async def test_a_deal_that_nothing_can_be_made_of_stops_no_game(tmp_path, caplog, monkeypatch):
    def broken(*args):
        raise IndexError("meld 9")

    monkeypatch.setattr("table_controller.confirming.confirmed", broken)
    async with playing(tmp_path / "readings.jsonl") as it:
        await it.deal()
        assert it.table.state.awaiting is Awaiting.OVER
    assert "cannot be told apart" in caplog.text
    assert list(tmp_path.iterdir()) == []


async def test_readings_say_at_which_temperature_they_were_made(tmp_path):
    path = tmp_path / "readings.jsonl"
    async with playing(path) as it:
        it.confirming.use(1.4)
        await it.deal()
    assert {one.temperature for one in it.kept()} == {1.4}


async def test_what_was_read_before_a_calibration_is_left_out(tmp_path):
    path = tmp_path / "readings.jsonl"
    async with playing(path) as it:
        await it.deal()
        it.confirming.use(1.4)
        await it.told()
    assert not path.exists()


@pytest.mark.parametrize(("sure_at", "asks"), [(0.96, False), (0.98, True)])
async def test_a_new_threshold_counts_at_once(tmp_path, sure_at, asks):
    async with playing(tmp_path / "readings.jsonl") as it:
        it.conductor.trust(sure_at)
        await it.deal()  # everything is read with 0.97
        asked = [record.event for record in it.table.log if isinstance(record.event, Doubted)]
    assert bool(asked) is asks


@pytest.mark.long
async def test_a_deal_that_was_read_from_pictures_gives_what_the_reader_said(tmp_path):
    path = tmp_path / "readings.jsonl"
    ruleset = find_ruleset("riichi_4p")
    async with running(Simulation(ruleset, ruleset.options, seed=3)) as it:
        confirming = Confirming(it.table, it.conductor, path)
        collecting = asyncio.create_task(confirming.run())
        await it.session.play(bot(it.rng))
        state = it.table.state
        collecting.cancel()
        await asyncio.gather(collecting, return_exceptions=True)
    kept = parse_readings(kept_readings(path), "kept")
    assert Counter(one.truth for one in kept) == open_faces(state)
    assert len({one.confidence for one in kept}) > len(kept) / 2  # nobody made them up
