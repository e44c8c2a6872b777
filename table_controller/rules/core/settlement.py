"""Payments with reasons: what seats pay each other, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from table_controller.rules.core.seats import Seat


@dataclass(frozen=True, slots=True)
class Payment:
    """Points that move. None as payer or receiver is the pot: deposits and carried-over stakes."""

    payer: Seat | None
    receiver: Seat | None
    points: int
    reason: str


def totals(payments: Iterable[Payment], players: int = 4) -> tuple[int, ...]:
    """What each seat wins or loses. Sums to zero but for what the pot gave or took."""
    change = [0] * players
    for payment in payments:
        if payment.payer is not None:
            change[payment.payer] -= payment.points
        if payment.receiver is not None:
            change[payment.receiver] += payment.points
    return tuple(change)


def pot_change(payments: Iterable[Payment]) -> int:
    """What the pot wins or loses: with the seats' totals it sums to zero."""
    change = 0
    for payment in payments:
        if payment.payer is None:
            change -= payment.points
        if payment.receiver is None:
            change += payment.points
    return change
