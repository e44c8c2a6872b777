"""Whole deals played by seeded bots, with everything that must hold checked on the way."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from table_controller.rules.core.events import DrawSettled, Paid, WinJudged, hide
from table_controller.rules.core.game import conclude, open_deal, outcome, play_deal
from table_controller.rules.core.settlement import pot_change, totals
from table_controller.rules.core.state import fold
from table_controller.simulation.bots import bot
from tests.rules.breaches import breaches_of


@dataclass
class Played:
    """What was seen in the deals."""

    deals: int = 0
    wins: int = 0
    matches: int = 0
    draws: Counter = field(default_factory=Counter)
    items: Counter = field(default_factory=Counter)
    kinds: Counter = field(default_factory=Counter)


def play_deals(ruleset, number, *, seed=1, options=None, calls=0.35, conduct=None):
    """Plays deals in a row, match after match; asserts that nothing impossible happens.

    Every tile stays in play exactly once, payments balance, no claim of a bot is refused, and the
    referee who sees no hidden tile comes to the same verdict as the one who does. ``conduct`` must
    find nothing wrong with any event.
    """
    options = options or ruleset.options
    rng = random.Random(seed)
    seen = Played()
    every = Counter(ruleset.tile_set(options).tiles())
    start = ruleset.play.first_deal(options)
    for _ in range(number):
        tiles = list(every.elements())
        rng.shuffle(tiles)
        deal = open_deal(start, tiles, ruleset.play, options)
        for event in play_deal(deal, bot(rng, calls=calls)):
            seen.kinds[event.kind] += 1
            if isinstance(event, Paid):
                assert sum(totals(event.payments, 3)) == 0
        check_tiles(deal, every)
        verdicts = conclude(deal.state, deal.history, ruleset.play, options)
        check_verdicts(verdicts, seen)
        check_blind_referee(deal, verdicts, ruleset, options)
        if conduct is not None:
            public = [hide(event) for event in deal.history]
            assert breaches_of(conduct, public, ruleset.players, options) == []
        ended = outcome(deal.state, verdicts)
        deposits = ended.deposits * ruleset.play.stick(options)
        before = start.deposits * ruleset.play.stick(options)
        assert sum(ended.points) + deposits == sum(start.points) + before
        seen.deals += 1
        following = ruleset.play.next_deal(start, ended, options)
        if following is None:
            seen.matches += 1
            final = ruleset.play.final(start, ended.points, options)
            assert sorted(final.placements)[0] == 1
            following = ruleset.play.first_deal(options)
        start = following
    return seen


def check_tiles(deal, every):
    """Wall, hands, melds, ponds and bonus tiles together are the tile set."""
    state = deal.state
    on_table = Counter(deal.wall.tiles[index] for index in deal.wall.standing())
    for seat in state.seats:
        on_table.update(seat.hand)
        on_table.update(tile for meld in seat.melds for tile in meld.tiles)
        on_table.update(discard.tile for discard in seat.pond if discard.called_by is None)
        on_table.update(seat.bonus)
    assert on_table == every, (on_table - every, every - on_table)


def check_verdicts(verdicts, seen):
    for event in verdicts:
        if isinstance(event, WinJudged):
            answer = event.answer
            assert answer.valid, answer.violations
            assert sum(answer.deltas) == pot_change(answer.payments) * -1
            assert answer.deltas[event.seat] >= 0
            assert all(item.why.endswith(".") for item in answer.items)
            seen.items.update(item.id for item in answer.items)
            seen.wins += 1
        if isinstance(event, DrawSettled):
            assert sum(totals(event.payments, 3)) == 0
            seen.draws[event.reason] += 1


def check_blind_referee(deal, verdicts, ruleset, options):
    """The same verdicts from what a table without sight of concealed tiles knows."""
    public = [hide(event) for event in deal.history]
    blind = fold(public, ruleset.players)
    assert conclude(blind, public, ruleset.play, options) == verdicts
