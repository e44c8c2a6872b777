"""Whole deals between bots, checked at every event: what the engine of any ruleset must keep.

The bots collect one suit and honours, and call for it: that reaches the minimum of games that have
one far oftener than playing for any complete hand.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    GameEvent,
    KongDeclared,
    MeldCalled,
    Penalised,
    ReadyDeclared,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import (
    PASS,
    Action,
    Deal,
    Final,
    conclude,
    open_deal,
    outcome,
    play_deal,
)
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import pot_change
from table_controller.rules.core.state import Awaiting, DealState
from table_controller.rules.core.tiles import Suit, Tile


@dataclass
class Played:
    """What happened in the deals of a run."""

    deals: int = 0
    matches: int = 0
    wins: int = 0
    self_draws: int = 0
    draws: int = 0
    kongs: int = 0
    calls: int = 0
    bonus: int = 0
    items: Counter[str] = field(default_factory=Counter)
    finals: list[Final] = field(default_factory=list)


def play_matches(
    ruleset: Ruleset[Any],
    options: Any,
    deals: int,
    seed: int,
    *,
    calls: float = 0.7,
    player: Callable[[random.Random], Callable[..., Action]] | None = None,
) -> Played:
    """Plays seeded matches until that many deals are done; fails at the first illegal state."""
    assert ruleset.play is not None
    rng = random.Random(seed)
    choose = collector(rng, calls) if player is None else player(rng)
    found = Played()
    start = ruleset.play.first_deal(options)
    while found.deals < deals:
        tiles = ruleset.tile_set(options).tiles()
        rng.shuffle(tiles)
        every = Counter(tiles)
        deal = open_deal(start, tiles, ruleset.play, options)
        check(deal, every)
        for event in play_whole(deal, choose):
            check(deal, every)
            note(found, event)
        verdicts = conclude(deal.state, deal.history, ruleset.play, options)
        for event in verdicts:
            note(found, event)
            balanced(event)
            deal.do(event)
        assert deal.state.awaiting is Awaiting.OVER
        ended = outcome(deal.state, verdicts)
        found.deals += 1
        found.wins += bool(ended.winners)
        found.draws += not ended.winners
        following = ruleset.play.next_deal(start, ended, options)
        if following is None:
            found.matches += 1
            found.finals.append(ruleset.play.final(start, ended.points, options))
            following = ruleset.play.first_deal(options)
        start = following
    return found


def play_whole(deal: Deal, choose: Callable[..., Action]) -> Iterator[GameEvent]:
    """The deal to its end; bots never claim what may not stand, so no refusal sends them back."""
    yield from play_deal(deal, choose)


def collector(rng: random.Random, calls: float) -> Callable[..., Action]:
    """A bot that wins when it can, keeps its longest suit and honours, and calls for them."""

    def choose(state: DealState, seat: Seat, actions: Sequence[Action]) -> Action:
        discards: list[tuple[float, Action]] = []
        hand = [tile for tile in state.seats[seat].hand if tile is not None]
        kept = _kept_suit(state, seat, hand)
        counts = Counter(tile.face for tile in hand)
        for action in actions:
            match action[0]:
                case WinClaimed() | BonusSetAside():
                    return action
                case ReadyDeclared() if rng.random() < 0.8:
                    return action
                case KongDeclared() if rng.random() < 0.6:
                    return action
                case MeldCalled(meld=meld) if (
                    meld.tile.suit in (kept, Suit.HONOURS) and rng.random() < calls
                ):
                    return action
                case Discarded(tile=tile):
                    discards.append((_use(tile, kept, counts) + rng.random() / 10, action))
        return min(discards)[1] if discards else PASS

    return choose


def _kept_suit(state: DealState, seat: Seat, hand: Sequence[Tile]) -> Suit:
    melded = [tile for meld in state.seats[seat].melds for tile in meld.tiles]
    numbers = Counter(tile.suit for tile in (*hand, *melded) if tile.is_numbered)
    return max(numbers, key=lambda suit: (numbers[suit], suit.value)) if numbers else Suit.HONOURS


def _use(tile: Tile, kept: Suit, counts: Counter[Tile]) -> float:
    face = tile.face
    if face.is_joker:
        return 100.0
    if not face.is_numbered:
        return 4.0 * (counts[face] - 1) + 1.0
    near = sum(
        weight * (counts[Tile(face.suit, face.rank + step)] > 0)
        for step, weight in ((-2, 1.0), (-1, 1.5), (1, 1.5), (2, 1.0))
        if 1 <= face.rank + step <= 9
    )
    return 2.5 * (counts[face] - 1) + near + (8.0 if face.suit is kept else 0.0)


# --- What must hold ----------------------------------------------------------------------------


def check(deal: Deal, every: Counter[Tile]) -> None:
    """No tile is lost or doubled, and every seat holds as many as its turn allows."""
    state = deal.state
    assert state.wall_left == deal.wall.left >= 0
    held: list[Tile | None] = [deal.wall.tiles[index] for index in deal.wall.standing()]
    for seat in seats(state.players):
        holder = state.seats[seat]
        held += holder.hand
        held += (tile for meld in holder.melds for tile in meld.tiles)
        held += holder.bonus
        held += (discard.tile for discard in holder.pond if discard.called_by is None)
        if state.awaiting is Awaiting.CLAIMS:
            assert state.held(seat) <= state.hand_size
    assert Counter(held) == every


def balanced(event: GameEvent) -> None:
    """Payments sum to zero, or say which pot they went to."""
    if isinstance(event, WinJudged):
        payments = event.answer.payments
        assert sum(event.answer.deltas) + pot_change(payments) == 0
        assert all(payment.points > 0 for payment in payments)


def note(found: Played, event: GameEvent) -> None:
    """Counts what happened."""
    match event:
        case KongDeclared():
            found.kongs += 1
        case MeldCalled():
            found.calls += 1
        case BonusSetAside():
            found.bonus += 1
        case WinClaimed(source=source):
            found.self_draws += source is None
        case WinJudged(answer=answer):
            assert answer.valid, answer.violations
            found.items.update(item.id for item in answer.items)
        case Penalised():
            raise AssertionError(f"a bot was penalised: {event}")
        case _:
            pass
