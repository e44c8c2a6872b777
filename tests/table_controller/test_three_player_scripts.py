"""Every breach that the three-player rulesets know, played at the table and told by it.

What the camera tells comes from a perfect eye in the everyday tests, from drawn and read pictures
of the whole simulated table in the long ones and in one deal of each ruleset.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from table_controller.commands.rulesets import description
from table_controller.conductor import Conductor, Key
from table_controller.interpret import explain, read_scene
from table_controller.layout import geometry_for, laid_out, stacks_of
from table_controller.rules import find_ruleset
from table_controller.rules.core.case import Evidence
from table_controller.rules.core.events import (
    DealEnded,
    Doubted,
    GameBegan,
    HandShown,
    MeldCalled,
    Penalised,
    WinJudged,
)
from table_controller.rules.core.game import OUTRANKED, conclude
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import fold
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.core.wall import wall_order
from table_controller.rules.japanese_3p.play import HEAD_BUMP
from table_controller.rules.korean_japanese_3p.options import SacredDiscard
from table_controller.simulation.eyes import PerfectEyes
from table_controller.simulation.match import Players, replayed
from table_controller.simulation.run import Simulation, running
from table_controller.simulation.scripting import Story, announced, differences, told
from table_controller.simulation.three_player_scripts import (
    HONSHU_SCRIPTS,
    KOREAN_SCRIPTS,
    MALAYSIAN_SCRIPTS,
    THREE_PLAYER_SCRIPTS,
)
from table_controller.store import Store
from table_controller.table import Table
from table_controller.web.views import Sight, deal_view, row_and_column
from tests.table_controller.in_memory import MemoryLog

EAST, SOUTH, WEST = Seat.A, Seat.B, Seat.C
RULES = Path(__file__).parents[2] / "table_controller" / "rules"
OF_RULESET = {
    "korean_japanese_3p": KOREAN_SCRIPTS,
    "japanese_3p": HONSHU_SCRIPTS,
    "malaysian_3p": MALAYSIAN_SCRIPTS,
}


async def played(script, log=None):
    """The players and the table's log after the script, seen by perfect eyes."""
    geometry = geometry_for(script.ruleset, script.options)
    log = log or MemoryLog(script.ruleset.players)
    conductor = Conductor(script.ruleset, script.options, log, geometry)
    conductor.log.append(GameBegan(ruleset=conductor.ruleset.name))
    conductor.begin_deal()
    stacks = stacks_of(script.ruleset, script.options)[
        : len(script.ruleset.play.wall(script.options).stacks)
    ]
    players = Players(
        script.open(), wall_order(stacks, Seat.A, 5), conductor, PerfectEyes(geometry)
    )
    await players.look()
    await players.perform(replayed(players.deal, script.moves))
    return players, log


@pytest.mark.parametrize("name", THREE_PLAYER_SCRIPTS)
async def test_the_breach_is_told_and_nothing_else(name):
    script = THREE_PLAYER_SCRIPTS[name]()
    _, log = await played(script)
    assert differences(script, log.history) == ()
    for each in announced(log.history):
        assert each.text.endswith(".")
        assert each.seat in tuple(Seat)[:3]


EVIDENCE = {
    "sacred_discard": [(SOUTH, 1, "5p")],
    "sacred_line": [(SOUTH, 1, "5p")],
    "sacred_missed": [(WEST, 1, "2p")],
    "sacred_pung": [(SOUTH, 1, "7z")],
    "sacred_kong": [(SOUTH, 1, "5p")],
    "chow_call": [(EAST, 1, "2p")],
    "onto_pung": [(EAST, 2, "7z")],
    "late_pung": [(EAST, 1, "3p")],
    "late_win": [(EAST, 1, "5p")],
    "flower_discarded": [(SOUTH, 1, "1f")],
    "honshu_furiten": [(SOUTH, 1, "5s")],
    "honshu_passed_tile": [(WEST, 1, "5s")],
    "honshu_passed_after_riichi": [(WEST, 1, "5s")],
    "malaysian_fly_taken": [(EAST, 1, "jk")],
}


@pytest.mark.parametrize("name", EVIDENCE)
async def test_the_breach_names_whose_tile_and_where_it_lies(name):
    _, log = await played(THREE_PLAYER_SCRIPTS[name]())
    expected = tuple(
        Evidence(seat, place, Tile.parse(tile)) for seat, place, tile in EVIDENCE[name]
    )
    assert announced(log.history)[0].evidence == expected


# Codes that no deal can show: why.
NOT_SCRIPTED = {
    # A missed tile would look like a discard out of turn: the table asks (the scripts out_of_turn).
    "korean_japanese_3p": {"out_of_turn"},
    "japanese_3p": {"out_of_turn"},
    # A dead hand comes of a wrong count only: see the test of that. Nobody declares ready there.
    "malaysian_3p": {"out_of_turn", "dead_hand", "ready_hand_changed"},
}
CODES = (
    r'\bbreach\(\s*"(\w+)"', r'\bcode="(\w+)"', r'(?:yield|return) \(?\s*"(\w+)",',
    r'kept_code="(\w+)"', r'"(\w+)" if flies else "\w+"', r'if flies else "(\w+)"',
    r'"\w+", "(\w+)", "(?:after riichi )?that bars',
)  # fmt: skip


@pytest.mark.parametrize("name", OF_RULESET)
def test_no_breach_of_the_ruleset_is_without_a_deal(name):
    sources = [RULES / "core" / "conduct.py", *(RULES / name).glob("*.py")]
    text = "\n".join(path.read_text() for path in sources)
    known = {code for pattern in CODES for code in re.findall(pattern, text)}
    assert len(known) >= 12
    scripts = [script() for script in OF_RULESET[name].values()]
    shown = {code for script in scripts for _, code in (*script.breaches, *script.answered)}
    kept = {"flower_kept"}  # the name of the same breach where no ruleset gives another
    assert known - shown - kept == NOT_SCRIPTED[name]
    assert shown - kept <= known | {OUTRANKED, HEAD_BUMP}


def test_every_meaning_of_the_sacred_discard_has_a_deal():
    shown = {
        script().options.sacred_discard
        for script in KOREAN_SCRIPTS.values()
        if any(code == "sacred_discard" for _, code in script().breaches)
    }
    assert shown == set(SacredDiscard) - {SacredDiscard.OFF}


@pytest.mark.parametrize("meaning", [m for m in SacredDiscard if m is not SacredDiscard.OFF])
async def test_the_verdict_tells_the_meaning_that_the_house_chose(meaning):
    script = next(
        script()
        for script in KOREAN_SCRIPTS.values()
        if script().options.sacred_discard is meaning
        and ("sacred_discard" in {code for _, code in script().breaches})
    )
    _, log = await played(script)
    assert meaning.sentence in announced(log.history)[0].text


def test_the_rules_page_explains_every_meaning():
    about = description(find_ruleset("korean_japanese_3p"))
    (option,) = (each for each in about["options"] if each["name"] == "sacred_discard")
    assert option["meanings"] == {meaning.value: meaning.sentence for meaning in SacredDiscard}
    assert len(set(option["meanings"].values())) == len(SacredDiscard)


async def test_what_a_breach_in_play_costs_is_paid_at_once():
    _, log = await played(KOREAN_SCRIPTS["chow_call"]())
    (fine,) = (event for event in log.history if isinstance(event, Penalised))
    assert totals(fine.payments, 3) == (2, -4, 2)
    assert log.state.points == (2, -4, 2)
    assert fine.seen


async def test_a_kong_after_riichi_ends_the_deal_and_gives_the_stick_back():
    players, log = await played(HONSHU_SCRIPTS["honshu_riichi_kong"]())
    assert isinstance(log.history[-1], DealEnded)
    assert log.history[-1].points == (35_000 + 4000, 35_000 - 6000, 35_000 + 2000)
    assert log.history[-1].deposits == 0
    again = players.conductor.start
    assert (again.dealer, again.counters, again.points) == (EAST, 0, log.history[-1].points)


async def answered(players, log):
    """A person has looked: yes, that is what lies there."""
    log.history = [event for event in log.history if not isinstance(event, Doubted)]
    await players.look()


ANSWERED = [name for name, script in THREE_PLAYER_SCRIPTS.items() if script().answered]


@pytest.mark.parametrize("name", ANSWERED)
async def test_what_a_missed_tile_might_explain_is_told_once_a_person_has_looked(name):
    script = THREE_PLAYER_SCRIPTS[name]()
    players, log = await played(script)
    assert not announced(log.history)
    await answered(players, log)
    assert tuple((each.seat, each.code) for each in announced(log.history)) == script.answered


@pytest.mark.parametrize("name", ["short_hand", "malaysian_short_hand"])
async def test_a_hand_that_a_wrong_count_killed_does_not_win(name):
    players, log = await played(THREE_PLAYER_SCRIPTS[name]())
    await answered(players, log)
    assert log.state.seats[SOUTH].dead_hand
    for event in log.history:
        if isinstance(event, WinJudged | Penalised):
            players.deal.do(event)
    hand = players.deal.state.seats[SOUTH].hand
    drawn = players.deal.wall.tiles[min(players.deal.wall.standing())]
    story = Story().turn(SOUTH, str(drawn), str(drawn))
    await players.perform(replayed(players.deal, story.events))
    story = Story().draw(WEST, str(players.deal.wall.tiles[min(players.deal.wall.standing())]))
    story.turn(WEST, None, str(players.deal.state.seats[WEST].hand[0]))
    await players.perform(replayed(players.deal, story.events))
    tile = players.deal.state.seats[WEST].pond[-1].tile
    story = Story().win(SOUTH, " ".join(map(str, hand)), str(tile), WEST)
    await players.perform(replayed(players.deal, story.events))
    assert log.state.claims[-1].seat is SOUTH
    await answered(players, log)
    assert "dead_hand" in {each.code for each in announced(log.history)}


def test_the_ready_key_means_nothing_where_nobody_declares_ready():
    script = MALAYSIAN_SCRIPTS["malaysian_poor_hand"]()
    assert not script.ruleset.play.has_ready
    assert KOREAN_SCRIPTS["open_ready"]().ruleset.play.has_ready


@pytest.mark.parametrize(("moment", "at_once"), [("between_turns", True), ("own_discard", False)])
async def test_ready_between_turns_counts_from_the_key_where_the_house_allows_it(moment, at_once):
    story = Story().turn(EAST, None, "1z")
    script = told("Ready", "korean_japanese_3p", {EAST: "1z"}, story, ready_moment=moment)
    players, log = await played(script)
    players.conductor.press(WEST, Key.READY)
    assert log.state.seats[WEST].is_ready is at_once
    await players.perform(replayed(players.deal, Story().turn(SOUTH, "2z", "2z").events))
    await players.perform(replayed(players.deal, Story().turn(WEST, "3z", "3z").events))
    assert log.state.seats[WEST].ready_at == 0
    assert [event.kind for event in log.history].count("ready_declared") == 1


# --- Rows of the ponds ------------------------------------------------------------------------


@pytest.mark.parametrize("length", [6, 8, 10])
async def test_rows_of_any_length_are_followed_and_the_evidence_names_the_place(length):
    hands = {EAST: "1z 5p 9p", SOUTH: "123m 456m 789m 34p 99p"}
    story = Story().turn(EAST, None, "1z").turn(SOUTH, "5p", "5p").turn(WEST, "2z", "2z")
    story.turn(EAST, "3z", "9p")
    story.idle((SOUTH, WEST, EAST), 24)
    script = told("Long rows", "korean_japanese_3p", hands, story, discard_row_length=length)
    players, log = await played(script)
    assert len(log.state.seats[EAST].pond) == 10
    truth = [each.tile for each in players.deal.state.seats[EAST].pond]
    assert [each.tile for each in log.state.seats[EAST].pond] == truth
    assert not [event for event in log.history if isinstance(event, Doubted)]
    geometry = geometry_for(script.ruleset, script.options)
    first, last = geometry.pond_place(0, 0), geometry.pond_place(0, length - 1)
    assert first.centre_mm[1] == last.centre_mm[1] != geometry.pond_place(0, length).centre_mm[1]
    assert row_and_column(length - 1, length) == (1, length)
    assert row_and_column(length, length) == (2, 1)


async def test_a_misread_discard_does_not_turn_an_own_kong_into_a_breach():
    """East's last discard was read as 7m; South adds the real fourth 7m to its pung."""
    hands = {EAST: "7m 1z", SOUTH: "77m 2z"}
    story = (
        Story().turn(EAST, None, "7m").call(SOUTH, "pung", "777m", EAST, "7m")
        .turn(SOUTH, None, "2z").turn(WEST, "3z", "3z").turn(EAST, "5z", "1z")
    )  # fmt: skip
    script = told("A misread discard", "korean_japanese_3p", hands, story)
    players, log = await played(script)
    known = log.state
    pond = known.seats[EAST].pond
    misread = known.with_seat(EAST, pond=(*pond[:-1], replace(pond[-1], tile=Tile.parse("7m"))))
    misread = replace(misread, offer=replace(known.offer, tile=Tile.parse("7m")))
    kong = Story().draw(SOUTH, "7m").kong(SOUTH, "added_kong", "7777m", "7m")
    for event in kong.events:
        players.deal.do(event)
    geometry = players.conductor.geometry
    scene = await PerfectEyes(geometry).look(laid_out(players.deal.state, geometry))
    reading = read_scene(scene, geometry, 3)
    found = explain(misread, reading, players.conductor.rules)
    kinds = [event.kind for event in found.events]
    assert "kong_declared" in kinds
    assert "meld_called" not in kinds


# --- Hands of the losers -------------------------------------------------------------------------

SETTLED = {"payer_waiting": (-20, 22, -2), "malaysian_losers_compared": (-600, 600, 0)}


@pytest.mark.parametrize("name", SETTLED)
async def test_what_losers_pay_rests_on_what_they_show(name):
    script = THREE_PLAYER_SCRIPTS[name]()
    players, log = await played(script)
    assert log.history[-1].kind == "deal_ended"
    assert log.history[-1].points == SETTLED[name]
    truth = conclude(players.deal.state, players.deal.history, players.deal.play, script.options)
    assert log.history[-1] == truth[-1]


@pytest.mark.parametrize("name", SETTLED)
async def test_a_win_is_settled_only_when_the_losers_have_shown_or_said_that_they_do_not(name):
    """The table waits for both: one lays its hand open, the other presses the draw key."""
    script = THREE_PLAYER_SCRIPTS[name]()
    players, log = await played(script)
    before = [event for event in log.history if event.kind not in ("win_judged", "deal_ended")]
    west_closed = [e for e in before if not (isinstance(e, HandShown) and e.seat is WEST)]
    must_show = players.conductor.play.must_show
    assert set(must_show(fold(west_closed, 3), script.options)) == {EAST, WEST}
    assert must_show(fold(before, 3), script.options) == (EAST,)
    assert log.state.seats[WEST].shown is not None
    assert log.state.seats[EAST].shown is None


# --- What the screen shows ----------------------------------------------------------------------


def table_for(script):
    return Table.open(Store(":memory:"), script.ruleset, script.options)


async def test_the_screen_names_the_hands_that_the_verdict_waits_for():
    script = THREE_PLAYER_SCRIPTS["payer_waiting"]()
    whole = table_for(script)
    await played(script, whole)
    assert deal_view(whole, Sight())["wanted"] == []
    table = table_for(script)
    wanted = []
    for record in whole.records_of_deal:
        table.append(record.event)
        wanted.append(deal_view(table, Sight())["wanted"])
    steps = [
        seats for number, seats in enumerate(wanted) if not number or seats != wanted[number - 1]
    ]
    assert steps == [[], [SOUTH], [EAST, WEST], [EAST], []]


@pytest.mark.parametrize(("announce", "is_told"), [("public", True), ("off", False)])
async def test_a_breach_in_play_stands_on_the_screen_where_the_house_tells_it(announce, is_told):
    script = THREE_PLAYER_SCRIPTS["late_pung"]()
    table = table_for(script)
    await played(script, table)
    verdicts = deal_view(table, Sight(announce=announce))["verdicts"]
    assert len(verdicts) == is_told
    for verdict in verdicts:
        assert (verdict["kind"], verdict["code"], verdict["seat"]) == (
            "penalty",
            "late_claim",
            WEST,
        )
        (proof,) = verdict["evidence"]
        assert (proof["seat"], proof["tile"], proof["called_by"]) == (EAST, "3p", WEST)


async def test_a_breach_is_taken_back_with_the_event_it_rests_on():
    script = THREE_PLAYER_SCRIPTS["chow_call"]()
    table = table_for(script)
    await played(script, table)
    assert table.points == (2, -4, 2)
    call = next(r for r in table.records_of_deal if r.event.kind == "meld_called")
    table.void(call.number, "nobody called", and_after=True)
    assert table.points == (0, 0, 0)
    assert announced(table.history) == []


async def test_a_breach_that_was_a_misread_is_taken_back_when_that_is_put_right():
    script = THREE_PLAYER_SCRIPTS["chow_call"]()
    table = table_for(script)
    await played(script, table)
    call = next(r for r in table.records_of_deal if r.event.kind == "meld_called")
    pung = Meld(MeldKind.PUNG, parse_tiles("222p"), EAST, Tile.parse("2p"))
    table.correct(call.number, MeldCalled(seat=SOUTH, meld=pung), "a pung was misread")
    assert announced(table.history) == []
    assert table.points == (0, 0, 0)
    assert table.state.seats[SOUTH].pond  # play goes on where it stood


# --- Through wire, machine, renderer and vision --------------------------------------------------


async def through_pixels(script):
    table = Simulation(script.ruleset, script.options, sets=("A",))
    async with running(table) as up:
        await up.session.perform(script)
        return up.table.history


@pytest.mark.parametrize("name", ["sacred_discard"])
async def test_the_camera_sees_it_too(name):
    script = THREE_PLAYER_SCRIPTS[name]()
    assert differences(script, await through_pixels(script)) == ()


@pytest.mark.long
@pytest.mark.parametrize("name", THREE_PLAYER_SCRIPTS)
async def test_the_camera_sees_every_breach(name):
    script = THREE_PLAYER_SCRIPTS[name]()
    assert differences(script, await through_pixels(script)) == ()
