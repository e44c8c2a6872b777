"""Irregularities and what they cost (section 20)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from table_controller.rules.core.case import Evidence, Violation
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.korean_japanese_3p.hand import PLAYERS
from table_controller.rules.korean_japanese_3p.options import Effect, Options


class Offence(StrEnum):
    """What the house may punish, by the names of its ``penalty_`` options."""

    FALSE_WIN = "false_win"
    WITHDRAWN_WIN = "withdrawn_win"
    LONG_HAND = "long_hand"
    SHORT_HAND = "short_hand"
    WRONG_CLAIM = "wrong_claim"
    LATE_CLAIM = "late_claim"
    FLOWER_KEPT = "flower_kept"
    MELD_CHANGED = "meld_changed"
    FALSE_READY = "false_ready"
    READY_HAND_CHANGED = "ready_hand_changed"
    TILE_KNOCKED = "tile_knocked"
    MISNAMED_DISCARD = "misnamed_discard"
    DRAW_OUT_OF_TURN = "draw_out_of_turn"

    @property
    def sentence(self) -> str:
        """The offence in one sentence."""
        return _SENTENCES[self]


_SENTENCES = {
    Offence.FALSE_WIN: "A win was declared and tiles were shown, but the win may not stand.",
    Offence.WITHDRAWN_WIN: "A win was declared and taken back before any tile was shown.",
    Offence.LONG_HAND: "The hand holds more tiles than allowed.",
    Offence.SHORT_HAND: "The hand holds fewer tiles than allowed.",
    Offence.WRONG_CLAIM: (
        "A discard was claimed without the tiles for the set, for a chow, or for an exposed pung."
    ),
    Offence.LATE_CLAIM: "A discard was claimed after the next player had drawn.",
    Offence.FLOWER_KEPT: "A flower was still in the hand after the player's next discard.",
    Offence.MELD_CHANGED: "A declared set was altered.",
    Offence.FALSE_READY: "Ready was declared by a hand that was not waiting or not concealed.",
    Offence.READY_HAND_CHANGED: (
        "After declaring ready only the drawn tile may be discarded: no claim and no kong."
    ),
    Offence.TILE_KNOCKED: "A tile of another player was turned over.",
    Offence.MISNAMED_DISCARD: "A discard was called by a wrong name.",
    Offence.DRAW_OUT_OF_TURN: "A tile was drawn out of turn or from the wrong end of the wall.",
}


def penalty_points(offence: Offence, options: Options) -> int:
    """What the offence costs to each player it is paid to."""
    points = getattr(options, f"penalty_{offence.value}")
    if points is None:
        points = options.half_limit_value
    return int(points)


def penalty_effect(offence: Offence, options: Options) -> Effect:
    """What the offence does besides."""
    return Effect(getattr(options, f"penalty_{offence.value}_effect"))


def penalty_payments(
    offence: Offence, seat: Seat, options: Options, *, to: Iterable[Seat] | None = None
) -> tuple[Payment, ...]:
    """What the offender pays: to each opponent, or to those whom the offence concerns.

    ``to`` names the owner of a knocked tile, or whom a misnamed discard would have served.
    """
    points = penalty_points(offence, options)
    if to is None:
        to = (seat.after(step, PLAYERS) for step in range(1, PLAYERS))
    reason = offence.value.replace("_", " ")
    return tuple(Payment(seat, receiver, points, reason) for receiver in to if points)


def offence_violation(
    offence: Offence,
    seat: Seat,
    options: Options,
    *,
    code: str | None = None,
    text: str | None = None,
    evidence: tuple[Evidence, ...] = (),
    to: Iterable[Seat] | None = None,
) -> Violation:
    """The offence as a violation with its penalty."""
    return Violation(
        code=code or offence.value,
        seat=seat,
        text=text or offence.sentence,
        evidence=evidence,
        penalty=penalty_payments(offence, seat, options, to=to),
    )
