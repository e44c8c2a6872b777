"""Players who play legally, win when they can, and keep what fits together.

They are simple on purpose: they exist to exercise the table, not to win tournaments.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence

from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    DrawDeclared,
    KongDeclared,
    MeldCalled,
    ReadyDeclared,
    WinClaimed,
)
from table_controller.rules.core.game import PASS, Action
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import Tile


def bot(rng: random.Random, *, calls: float = 0.35) -> Callable[..., Action]:
    """A player that uses this random source; ``calls`` is how often it calls a meld it may."""

    def choose(state: DealState, seat: Seat, actions: Sequence[Action]) -> Action:
        discards: list[Action] = []
        melds: list[Action] = []
        for action in actions:
            match action[0]:
                case WinClaimed() | BonusSetAside() | ReadyDeclared():
                    return action
                case DrawDeclared() if rng.random() < 0.5:
                    return action
                case KongDeclared() if rng.random() < 0.5:
                    return action
                case MeldCalled():
                    melds.append(action)
                case Discarded():
                    discards.append(action)
        if discards:
            hand = [tile for tile in state.seats[seat].hand if tile is not None]
            counts = Counter(tile.face for tile in hand)
            return min(discards, key=lambda a: (_worth(_discarded(a), counts), rng.random()))
        if melds and rng.random() < calls:
            return min(melds, key=lambda a: (_is_chow(a), rng.random()))
        return PASS

    return choose


def _discarded(action: Action) -> Tile:
    last = action[-1]
    assert isinstance(last, Discarded)
    return last.tile


def _is_chow(action: Action) -> bool:
    first = action[0]
    return isinstance(first, MeldCalled) and first.meld.kind is MeldKind.CHOW


def _worth(tile: Tile, counts: Counter[Tile]) -> float:
    """How much a tile is connected with the rest of the hand."""
    if tile.is_joker:
        return 100.0
    face = tile.face
    worth = 3.0 * (counts[face] - 1) + 0.2 * tile.red
    if face.is_numbered:
        for step, weight in ((-2, 1.0), (-1, 1.6), (1, 1.6), (2, 1.0)):
            rank = face.rank + step
            if 1 <= rank <= 9:
                worth += weight * min(1, counts[Tile(face.suit, rank)])
        worth += 0.1 * (4 - abs(5 - face.rank))
    return worth
