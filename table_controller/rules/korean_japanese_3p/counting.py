"""What a reading is worth, and which reading is best for the winner (section 12.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from table_controller.rules.core.case import Case
from table_controller.rules.korean_japanese_3p.hand import CHOW_WAITS, Hand, hands
from table_controller.rules.korean_japanese_3p.limits import Limit, limits_of
from table_controller.rules.korean_japanese_3p.options import Options, RobKongPatterns
from table_controller.rules.korean_japanese_3p.points import bonus_point, hand_point


@dataclass(frozen=True, slots=True)
class Count:
    """A reading and what it is worth."""

    hand: Hand
    limits: tuple[Limit, ...]
    hand_points: int
    bonus_points: int

    @property
    def rank(self) -> tuple[int, int, int]:
        """Full limit, then half limit, then hand points, then bonus points (section 12.3)."""
        limit = 0 if not self.limits else 1 if self.limits[0].is_half else 2
        return limit, self.hand_points, self.bonus_points

    def is_legal(self, options: Options) -> bool:
        """A limit hand, or hand points enough."""
        return bool(self.limits) or self.hand_points >= options.min_hand_points


def count(hand: Hand) -> Count:
    """What one reading is worth."""
    return Count(hand, tuple(limits_of(hand)), hand_point.points(hand), bonus_point.points(hand))


def best_count(case: Case, options: Options) -> Count | None:
    """The reading that is best for the winner; None when the tiles are no winning hand."""
    found = [count(hand) for hand in robbable(hands(case, options), options)]
    return max(found, key=lambda one: one.rank) if found else None


def robbable(found: Iterable[Hand], options: Options) -> list[Hand]:
    """Without the readings in which a robbed tile completes something else than a chow."""
    chow_only = options.rob_kong_patterns is RobKongPatterns.CHOW_ONLY
    return [
        hand for hand in found if not (hand.is_robbed and chow_only) or hand.win.wait in CHOW_WAITS
    ]
