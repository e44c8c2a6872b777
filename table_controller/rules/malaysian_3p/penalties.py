"""Irregularities and what they cost (section 11)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from table_controller.rules.core.case import Violation
from table_controller.rules.core.events import GameEvent, Paid
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.malaysian_3p.hand import PLAYERS
from table_controller.rules.malaysian_3p.losers import hand_value
from table_controller.rules.malaysian_3p.options import Options


class Offence(StrEnum):
    """What the house may punish."""

    FALSE_WIN = "false_win"
    WITHDRAWN_WIN = "withdrawn_win"
    LONG_HAND = "long_hand"
    SHORT_HAND = "short_hand"
    BONUS_TILE_KEPT = "bonus_tile_kept"
    WRONG_CLAIM = "wrong_claim"
    FALSE_KONG = "false_kong"

    @property
    def sentence(self) -> str:
        """The offence and its price in one sentence."""
        return _SENTENCES[self]

    @property
    def kills_hand(self) -> bool:
        """The hand may not win any more in this deal."""
        return self in (
            Offence.WITHDRAWN_WIN,
            Offence.LONG_HAND,
            Offence.SHORT_HAND,
            Offence.FALSE_KONG,
        )


_SENTENCES = {
    Offence.FALSE_WIN: (
        "Tiles were shown for a win that may not stand: the value of a ten-fan hand to each, and "
        "the deal is annulled."
    ),
    Offence.WITHDRAWN_WIN: "A win was taken back before a tile was shown: a dead hand.",
    Offence.LONG_HAND: (
        "The hand holds too many tiles: a dead hand, and instant payments received go back."
    ),
    Offence.SHORT_HAND: "The hand holds too few tiles: a dead hand.",
    Offence.BONUS_TILE_KEPT: (
        "A bonus tile was kept past the next discard: it is set aside and counts no fan."
    ),
    Offence.WRONG_CLAIM: "A discard was claimed without the tiles for the set: it goes back.",
    Offence.FALSE_KONG: (
        "A kong had a wrong tile: its payments go back doubled, and the hand is dead."
    ),
}


def penalty_payments(
    offence: Offence, seat: Seat, options: Options, history: Sequence[GameEvent] = ()
) -> tuple[Payment, ...]:
    """What the offender pays; ``history`` tells what was received at once in this deal."""
    reason = offence.value.replace("_", " ")
    match offence:
        case Offence.FALSE_WIN:
            return _to_each(seat, hand_value(options.penalty_false_win_fan, options), reason)
        case Offence.WRONG_CLAIM:
            return _to_each(seat, options.penalty_wrong_claim, reason)
        case Offence.LONG_HAND:
            return _returned(seat, history, reason)
        case Offence.FALSE_KONG:
            return _returned(seat, history, reason, times=2, only="kong")
    return ()


def _to_each(seat: Seat, points: int, reason: str) -> tuple[Payment, ...]:
    return tuple(
        Payment(seat, seat.after(step, PLAYERS), points, reason)
        for step in range(1, PLAYERS)
        if points
    )


def _returned(
    seat: Seat, history: Sequence[GameEvent], reason: str, *, times: int = 1, only: str = ""
) -> tuple[Payment, ...]:
    """What the seat received at once in this deal, back to those who paid it."""
    return tuple(
        Payment(seat, paid.payer, times * paid.points, reason)
        for event in history
        if isinstance(event, Paid)
        for paid in event.payments
        if paid.receiver is seat and only in paid.reason
    )


def offence_violation(
    offence: Offence,
    seat: Seat,
    options: Options,
    history: Sequence[GameEvent] = (),
    *,
    code: str | None = None,
    text: str | None = None,
) -> Violation:
    """The offence as a violation with its penalty."""
    return Violation(
        code=code or offence.value,
        seat=seat,
        text=text or offence.sentence,
        penalty=penalty_payments(offence, seat, options, history),
    )
