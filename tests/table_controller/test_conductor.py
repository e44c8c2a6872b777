"""The table follows a game by scenes and keys alone."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from table_controller.conductor import Conductor
from table_controller.layout import TIDY, Untidiness
from table_controller.rules import find_ruleset
from table_controller.rules.core.events import (
    DealEnded,
    Doubted,
    Drawn,
    GameEvent,
    HandDealt,
    HandShown,
    WinClaimed,
    hide,
)
from table_controller.rules.core.game import open_deal
from table_controller.rules.core.state import DealState, apply, begin
from table_controller.rules.core.wall import broken_side, wall_order
from table_controller.simulation.bots import bot
from table_controller.simulation.eyes import PerfectEyes
from table_controller.simulation.match import Players
from vision.zones import TableGeometry


class MemoryLog:
    """A log that keeps its events in memory."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.events: list[GameEvent] = []
        self.state: DealState | None = None
        self.history: list[GameEvent] = []

    def append(self, event: GameEvent) -> None:
        self.events.append(event)
        if event.kind == "deal_began":
            self.state = begin(event, self.players)
            self.history = [event]
        else:
            self.history.append(event)
            if self.state is not None:
                self.state = apply(self.state, event)


@dataclass
class Played:
    conductor: Conductor
    log: MemoryLog
    truth: list[GameEvent]


async def play_one(name: str, seed: int, untidy: Untidiness = TIDY) -> Played:
    ruleset = find_ruleset(name)
    options = ruleset.options
    rng = random.Random(seed)
    tiles = ruleset.tile_set(options).tiles()
    rng.shuffle(tiles)
    stacks = ruleset.play.wall(options).stacks
    geometry = TableGeometry(seats=tuple(range(ruleset.players)), wall_stacks=(*stacks, 0, 0)[:4])
    log = MemoryLog(ruleset.players)
    conductor = Conductor(ruleset, options, log, geometry)
    conductor.begin_game()
    conductor.begin_deal(dice=(3, 4))
    deal = open_deal(conductor.start, tiles, ruleset.play, options)
    opened = broken_side(deal.state.dealer, 7, len(stacks))
    players = Players(deal, wall_order(stacks, opened, 7), conductor, PerfectEyes(geometry), untidy)
    await players.play(bot(rng))
    return Played(conductor, log, deal.history)


def public(events):
    """What the table can know, without the order in which unseen draws are noted."""
    kept = []
    for event in events:
        if isinstance(event, Drawn | HandDealt):
            continue
        event = hide(event)
        if isinstance(event, HandShown):
            event = (event.kind, event.seat, sorted(event.tiles), event.winning_tile)
        elif isinstance(event, WinClaimed):
            event = (event.kind, event.seat, event.source)
        kept.append(event)
    return kept


@pytest.mark.parametrize("name", ["riichi_4p", "korean_japanese_3p"])
@pytest.mark.parametrize("seed", range(12))
async def test_scenes_and_keys_tell_the_whole_deal(name, seed):
    played = await play_one(name, seed, Untidiness(seed=seed))
    told = public(played.log.history)
    truth = public(played.truth)
    kinds = {"dice_rolled", "win_judged", "draw_settled", "deal_ended", "penalised", "paid"}
    told = [e for e in told if isinstance(e, tuple) or e.kind not in kinds]
    truth = [e for e in truth if isinstance(e, tuple) or e.kind not in kinds]
    assert not [e for e in told if isinstance(e, Doubted)]
    assert told == truth
    assert isinstance(played.log.history[-1], DealEnded)
