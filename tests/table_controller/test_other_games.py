"""The table follows deals of games with jokers, sixteen tiles, flowers in the hand, two seats."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from table_controller.conductor import Conductor, Key
from table_controller.interpret import Rules, explain, read_scene
from table_controller.layout import Untidiness, geometry_for, laid_out
from table_controller.rules import find_ruleset
from table_controller.rules.core.events import (
    Advised,
    BonusSetAside,
    DealEnded,
    Discarded,
    Doubted,
    Drawn,
    DrawSettled,
    GameBegan,
    HandDealt,
    IndicatorShown,
    JokerExchanged,
    MeldCalled,
    Paid,
    PassAnnounced,
    TilesPassed,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import conclude, open_deal
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import fold
from table_controller.rules.core.tiles import JOKER, parse_tiles
from table_controller.rules.core.wall import broken_side, wall_order
from table_controller.score import answer_case, parse_options
from table_controller.simulation.bots import bot
from table_controller.simulation.eyes import PerfectEyes
from table_controller.simulation.match import Players
from table_controller.store import Store
from table_controller.table import Table
from table_controller.web.views import Sight, deal_view, table_view
from tests.table_controller.in_memory import MemoryLog
from tests.table_controller.test_conductor import public
from vision.types import Guess, Scene, Sighting


async def play_one(name, options, seed, tiles=None, choose=None):
    """One deal at a simulated table; gives what the table logged and what really happened."""
    ruleset = find_ruleset(name)
    rng = random.Random(seed)
    if tiles is None:
        tiles = ruleset.tile_set(options).tiles()
        rng.shuffle(tiles)
    stacks = ruleset.play.wall(options).stacks
    players = len(ruleset.play.first_deal(options).points)
    geometry = geometry_for(ruleset, options)
    log = MemoryLog(players)
    conductor = Conductor(ruleset, options, log, geometry)
    conductor.log.append(GameBegan(ruleset=conductor.ruleset.name))
    conductor.begin_deal(dice=(3, 4))
    deal = open_deal(conductor.start, tiles, ruleset.play, options)
    opened = broken_side(deal.state.dealer, 7, len(stacks))
    table = Players(
        deal,
        wall_order(stacks, opened, 7),
        conductor,
        PerfectEyes(geometry),
        Untidiness(seed=seed),
    )
    usual = bot(rng) if ruleset.player is None else ruleset.player(options)
    await table.play(choose or usual)
    return log.history, deal.history


def told(events):
    """What the table can know, less what only the referee or the machine says."""
    quiet = {"dice_rolled", "win_judged", "draw_settled", "deal_ended", "game_ended"}
    return [
        event
        for event in public(
            e for e in events if not isinstance(e, TilesPassed | PassAnnounced | Advised)
        )
        if isinstance(event, tuple) or event.kind not in quiet
    ]


def assert_same(log, truth):
    """Equal, event by event: comparing whole deals at once takes minutes to explain."""
    for logged, happened in zip(log, truth, strict=False):
        assert logged == happened
    assert len(log) == len(truth)


CASES = [
    *(("american", {}, seed) for seed in range(3)),
    ("american", {"charleston": "none"}, 7),
    *(("filipino", {}, seed) for seed in range(1)),
    *(("filipino", {"preset": "manila"}, seed) for seed in range(2)),
    *(("filipino", {"jokers": "printed", "printed_jokers": 8}, seed) for seed in range(2)),
    *(("two_player", {}, seed) for seed in (0, 1, 13, 39)),  # the last two: ponds of 40 tiles
    ("filipino", {"preset": "wiki"}, 0),
    ("mcr", {}, 2),
    ("hong_kong_old", {"dead_wall": 14, "min_fan": 0}, 0),
]


@pytest.mark.parametrize(("name", "changes", "seed"), CASES)
async def test_scenes_and_keys_tell_the_whole_deal(name, changes, seed):
    options = parse_options(find_ruleset(name), changes)
    log, truth = await play_one(name, options, seed)
    assert not [event for event in log if isinstance(event, Doubted)]
    assert_same(told(log), told(truth))
    assert any(isinstance(event, DealEnded) for event in log)
    play = find_ruleset(name).play
    players = len(play.first_deal(options).points)
    played = [event for event in truth if event.kind not in VERDICTS]
    assert settled(log) == settled(conclude(fold(played, players), played, play, options))


VERDICTS = {"win_judged", "draw_settled", "deal_ended"}


def settled(events):
    """Who won what, or what the draw cost; how the referee puts it is no matter."""
    return [
        (event.seat, event.answer.deltas, [item.id for item in event.answer.items])
        if isinstance(event, WinJudged)
        else event.payments
        for event in events
        if isinstance(event, WinJudged | DrawSettled)
    ]


@pytest.mark.parametrize("rule", ["draw", "discard_required"])
async def test_a_flower_as_the_last_tile_of_the_wall(rule):
    """Seven flowers are dealt and replaced from the end; the eighth is the last tile drawn."""
    ruleset = find_ruleset("mcr")
    options = ruleset.choose(flower_as_last_tile=rule)
    every = ruleset.tile_set(options).tiles()
    flowers = [tile for tile in every if tile.is_bonus]
    rest = [tile for tile in every if not tile.is_bonus]
    random.Random(2).shuffle(rest)
    tiles = [*flowers[:7], *rest[:130], flowers[7], *rest[130:]]

    def choose(state, seat, actions):
        quiet = [one for one in actions if isinstance(one[0], BonusSetAside | Discarded)]
        return quiet[-1] if quiet else ()

    log, truth = await play_one("mcr", options, 1, tiles, choose)
    assert not [event for event in log if isinstance(event, Doubted)]
    assert_same(told(log), told(truth))
    last = [event for event in log if isinstance(event, BonusSetAside | Discarded)][-1]
    assert isinstance(last, Discarded) is (rule == "discard_required")


async def test_an_indicator_that_is_not_drawn_stays_and_leaves_three_jokers():
    options = find_ruleset("filipino").choose("manila", joker_indicator_drawable=False)
    for seed in (1, 5):  # the whole wall is drawn, by way of the indicator's place
        log, truth = await play_one("filipino", options, seed)
        assert not [event for event in log if isinstance(event, Doubted)]
        assert_same(told(log), told(truth))
        turned = next(event.tile for event in truth if isinstance(event, IndicatorShown))
        dealt = [t for event in truth if isinstance(event, HandDealt) for t in event.tiles]
        drawn = [event.tile for event in truth if isinstance(event, Drawn)]
        assert [*dealt, *drawn].count(turned) <= 3


async def test_exposures_with_jokers_and_exchanges_are_seen():
    seen = set()
    for seed in range(4):
        log, _ = await play_one("american", find_ruleset("american").options, seed)
        for event in log:
            if isinstance(event, JokerExchanged):
                seen.add("exchange")
            if isinstance(event, MeldCalled) and any(t.is_joker for t in event.meld.tiles):
                seen.add("joker exposed")
            if isinstance(event, MeldCalled) and event.meld.kind.size > 3:
                seen.add("kong or more")
    assert seen == {"exchange", "joker exposed", "kong or more"}


async def test_an_exposure_may_grow_before_the_discard():
    ruleset = find_ruleset("american")
    options = ruleset.options
    rules = Rules(ruleset.play, options, ruleset.tile_set(options))
    geometry = rules.geometry
    grown = 0
    for seed in range(6):
        log, truth = await play_one("american", options, seed)
        calls = [place for place, event in enumerate(log) if isinstance(event, MeldCalled)]
        for place in calls:
            event = log[place]
            before = fold(log[: place + 1], 4)
            if JOKER in event.meld.tiles or event.meld.kind is not MeldKind.PUNG:
                continue
            kong = Meld(
                MeldKind.KONG, (*event.meld.tiles, JOKER), event.meld.source, event.meld.called
            )
            full = fold(
                [e for e in truth if not isinstance(e, DealEnded)][: truth.index(event) + 1], 4
            )
            seat = full.seats[event.seat]
            after = full.with_seat(event.seat, melds=(*seat.melds[:-1], kong))
            scene = await PerfectEyes(geometry).look(laid_out(after, geometry))
            found = explain(before, read_scene(scene, geometry, 4), rules)
            assert [each.kind for each in found.events] == ["meld_changed"]
            changed = found.state.seats[event.seat]
            assert sorted(changed.melds[-1].tiles) == sorted(kong.tiles)
            assert len(changed.hand) == len(before.seats[event.seat].hand) - 1
            never = replace(rules, options=ruleset.choose(exposure_edit="never"))
            assert explain(before, read_scene(scene, geometry, 4), never).events == ()
            grown += 1
    assert grown > 2


async def test_the_turned_joker_is_seen_and_kongs_are_paid_at_once():
    options = find_ruleset("filipino").choose("manila")
    shown = paid = 0
    for seed in range(3):
        log, truth = await play_one("filipino", options, seed)
        shown += sum(isinstance(event, IndicatorShown) for event in log)
        payments = [event for event in log if isinstance(event, Paid)]
        assert payments == [event for event in truth if isinstance(event, Paid)]
        paid += len(payments)
    assert shown == 3
    assert paid > 0


async def test_open_hands_are_advised_and_hidden_ones_are_not():
    ruleset = find_ruleset("two_player")
    for seed in range(2):
        log, truth = await play_one("two_player", ruleset.options, seed)
        tips = Counter(event.code for event in log if isinstance(event, Advised))
        assert set(tips) <= {"win_possible", "call_possible", "flower_kept"}  # no wrong counts
        assert tips["win_possible"] >= sum(isinstance(event, WinClaimed) for event in truth)
        assert tips["call_possible"] >= sum(isinstance(event, MeldCalled) for event in truth)
    log, truth = await play_one("two_player", ruleset.choose("hidden"), 0)
    assert_same(told(log), told(truth))
    assert not [event for event in log if isinstance(event, Advised)]


def open_hands(geometry, texts):
    """A scene in which the hands lie open."""
    sightings = []
    for side, text in zip(geometry.seats, texts, strict=True):
        tiles = parse_tiles(text)
        poses = geometry.hand_poses(side, len(tiles), shown=True)
        sightings += [
            Sighting(str(t), 1.0, p.centre_mm, p.angle_deg, geometry.zone_of(p.centre_mm))
            for t, p in zip(tiles, poses, strict=True)
        ]
    return Scene(1.0, tuple(sightings), frames=1)


@pytest.mark.parametrize(
    ("name", "changes", "sides"),
    [
        ("filipino", {"players": 3}, (0, 1, 2)),
        ("two_player", {"seats": (1, 2, 3)}, (0, 3, 2)),
        ("two_player", {"seats": (1, 2, 3, 4)}, (0, 3, 2, 1)),
    ],
)
async def test_the_options_may_say_how_many_play(name, changes, sides):
    table, conductor = seat_panels(name, **changes)
    assert conductor.geometry.seats == sides
    assert len(table.state.seats) == table.players == len(sides)
    view = table_view(table, Sight())
    assert (view["ruleset"]["players"], len(view["points"])) == (len(sides), len(sides))
    log, truth = await play_one(name, table.options, 1)
    assert_same(told(log), told(truth))


def test_a_seat_that_the_options_add_can_win_in_a_score_case():
    case = {
        "ruleset": "two_player",
        "options": {"seats": [1, 2, 3]},
        "winner": 2,
        "from": 1,
        "hand": "123m 456m 78p 234s 55z",
        "winning_tile": "9p",
    }
    assert answer_case(case)["deltas"] == [0, 0, 14]


def test_a_wrong_count_is_told_when_three_scenes_in_a_row_show_it():
    table, conductor = seat_panels("two_player")
    hands = ["123m 456m 789p 1134s", "147m 258p 369s 1234z"]
    right = open_hands(conductor.geometry, hands)
    wrong = open_hands(conductor.geometry, [hands[0], f"{hands[1]} 5z"])
    for scene in (wrong, wrong, right, wrong, wrong):
        conductor.see(scene)
        assert advice_in(table) == []
    conductor.see(wrong)
    assert [tip.code for tip in advice_in(table)] == ["wrong_tile_count"]


def advice_in(table):
    return [event for event in table.history if isinstance(event, Advised)]


# --- the Charleston at the table ---------------------------------------------------------------


def seat_panels(ruleset_name, **changes):
    """A table whose hands are dealt, and its conductor."""
    ruleset = find_ruleset(ruleset_name)
    options = ruleset.choose(**changes)
    table = Table.open(Store(":memory:"), ruleset, options, clock=lambda: 0.0)
    geometry = geometry_for(ruleset, options)
    conductor = Conductor(ruleset, options, table, geometry)
    conductor.begin_deal(dice=(3, 4))
    return table, conductor


def lying(conductor, numbers):
    """A scene with that many tiles face down before each seat."""
    geometry = conductor.geometry
    placed = [
        geometry.pond_place(seat, place, ()).of("bk")
        for seat, number in enumerate(numbers)
        for place in range(number)
    ]
    sightings = [
        Sighting("bk", 1.0, tile.centre_mm, tile.angle_deg, geometry.zone_of(tile.centre_mm))
        for tile in placed
    ]
    return Scene(1.0, tuple(sightings), frames=1)


def passing(table):
    return deal_view(table, Sight())["passing"]


def test_the_screen_guides_through_the_charleston():
    table, conductor = seat_panels("american")
    guide = passing(table)
    assert (guide["step"], guide["place"], guide["of"], guide["jokers"]) == (
        "first right",
        1,
        7,
        False,
    )
    assert [each["to"] for each in guide["seats"]] == [[1], [2], [3], [0]]
    conductor.see(lying(conductor, (3, 2, 3, 3)))
    for seat in Seat:
        conductor.press(seat, Key.CALL)
    guide = passing(table)
    assert [each["done"] for each in guide["seats"]] == [True, False, True, True]
    assert [each["seen"] for each in guide["seats"]] == [None, 2, None, None]
    conductor.see(lying(conductor, (3, 3, 3, 3)))
    conductor.press(Seat.B, Key.CALL)
    conductor.see(lying(conductor, (0, 0, 0, 0)))
    for seat in Seat:  # tiles that nobody laid before the camera are taken at the seat's word
        conductor.press(seat, Key.CALL)
    guide = passing(table)
    assert (guide["step"], guide["least"], guide["most"]) == ("first left", 0, 3)
    conductor.see(lying(conductor, (1, 0, 3, 2)))
    conductor.press(Seat.A, Key.CALL)
    conductor.press(Seat.B, Key.READY)
    assert [each["number"] for each in passing(table)["seats"]] == [1, 2, 3, 3]
    for seat in (Seat.B, Seat.C, Seat.D):
        conductor.press(seat, Key.CALL)
    assert passing(table)["step"] == "vote"
    conductor.press(Seat.C, Key.READY)  # says nothing in a vote
    conductor.press(Seat.C, Key.DRAW_END)
    assert passing(table)["step"] == "courtesy"
    for seat in Seat:
        conductor.press(seat, Key.CALL)
    assert passing(table) is None
    assert not table.doubts
    assert [table.state.held(seat) for seat in Seat] == [14, 13, 13, 13]


def test_tiles_face_down_are_no_discards_and_a_discard_ends_the_charleston():
    table, conductor = seat_panels("american")
    down = lying(conductor, (3, 3, 3, 3))
    conductor.see(down)
    assert not table.state.discards
    blank = replace(down.sightings[4], label="5z", confidence=0.6, others=(Guess("bk", 0.4),))
    rest = (sighting for sighting in down.sightings if sighting is not down.sightings[4])
    conductor.see(Scene(1.5, (blank, *rest), frames=1))
    assert not table.state.discards  # a face-down tile that is read as the blank dragon
    conductor.press(Seat.B, Key.CALL)
    assert passing(table)["seats"][1]["done"]
    tile = conductor.geometry.pond_place(0, 0, ()).of("5p")
    zone = conductor.geometry.zone_of(tile.centre_mm)
    seen = Sighting("5p", 1.0, tile.centre_mm, tile.angle_deg, zone)
    conductor.see(Scene(2.0, (seen,), frames=1))
    assert table.state.discards == 1
    assert passing(table) is None


def test_the_charleston_goes_on_after_a_restart():
    table, conductor = seat_panels("american")
    for seat in (Seat.A, Seat.B, Seat.C):
        conductor.press(seat, Key.CALL)
    again = Conductor(table.ruleset, table.options, table, conductor.geometry)
    again.resume([record.event for record in table.records])
    assert [each["done"] for each in passing(table)["seats"]] == [True, True, True, False]
    again.press(Seat.D, Key.CALL)
    assert passing(table)["step"] == "first across"


def test_a_goulash_gives_one_tile_to_each_other_player():
    table, conductor = seat_panels("filipino", goulash=True)
    guide = passing(table)
    assert (guide["step"], guide["most"], guide["least"]) == ("goulash", 3, 3)
    assert guide["seats"][1]["to"] == [2, 3, 0]
    for seat in Seat:
        conductor.press(seat, Key.CALL)
    assert passing(table) is None
    moves = [event for event in table.history if isinstance(event, TilesPassed)]
    assert len(moves) == 12
    assert {len(move.tiles) for move in moves} == {1}
