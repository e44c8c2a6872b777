"""The table follows deals of games with jokers, sixteen tiles, flowers in the hand, two seats."""

from __future__ import annotations

import random

import pytest

from table_controller.conductor import Conductor
from table_controller.layout import Untidiness
from table_controller.rules import find_ruleset
from table_controller.rules.core.events import (
    DealEnded,
    Doubted,
    IndicatorShown,
    JokerExchanged,
    MeldCalled,
    Paid,
    PassAnnounced,
    TilesPassed,
)
from table_controller.rules.core.game import open_deal
from table_controller.rules.core.wall import broken_side, wall_order
from table_controller.simulation.bots import bot
from table_controller.simulation.match import Players
from tests.table_controller.test_conductor import MemoryLog, PerfectEyes, public
from vision.zones import TableGeometry


async def play_one(name, options, seed):
    """One deal at a simulated table; gives what the table logged and what really happened."""
    ruleset = find_ruleset(name)
    rng = random.Random(seed)
    tiles = ruleset.tile_set(options).tiles()
    rng.shuffle(tiles)
    stacks = ruleset.play.wall(options).stacks
    players = len(ruleset.play.first_deal(options).points)
    geometry = TableGeometry(seats=tuple(range(players)), wall_stacks=stacks)
    log = MemoryLog(players)
    conductor = Conductor(ruleset, options, log, geometry)
    conductor.begin_game()
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
    await table.play(bot(rng) if ruleset.player is None else ruleset.player(options))
    return log.history, deal.history


def told(events):
    """What the table can know, less what only the referee or the machine says."""
    quiet = {"dice_rolled", "win_judged", "draw_settled", "deal_ended", "game_ended"}
    return [
        event
        for event in public(e for e in events if not isinstance(e, TilesPassed | PassAnnounced))
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
    *(("two_player", {}, seed) for seed in range(2)),
]


@pytest.mark.parametrize(("name", "changes", "seed"), CASES)
async def test_scenes_and_keys_tell_the_whole_deal(name, changes, seed):
    options = find_ruleset(name).choose(**changes)
    log, truth = await play_one(name, options, seed)
    assert not [event for event in log if isinstance(event, Doubted)]
    assert_same(told(log), told(truth))
    assert any(isinstance(event, DealEnded) for event in log)


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
