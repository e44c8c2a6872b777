"""Irregularities and what they cost (mcr.md, section 14; research/players.md, 3.3).

The defaults are those of the 1998 rules; what an event plays otherwise is an option or preset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from table_controller.rules.core.case import Violation
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.mcr.options import Options

PLAYERS = 4
BASE_POINTS = 8
"""What every loser pays beside the fan."""


class Offence(StrEnum):
    """An irregularity that the table or the referee may report."""

    FALSE_WIN_BELOW_MINIMUM = "false_win_below_minimum"
    FALSE_WIN_WRONG_TILE = "false_win_wrong_tile"
    FALSE_WIN_NOT_READY = "false_win_not_ready"
    DELIBERATE_FALSE_WIN = "deliberate_false_win"
    FALSE_SET = "false_set"
    WRONG_TILE_COUNT = "wrong_tile_count"
    EMPTY_CALL = "empty_call"
    EARLY_DRAW = "early_draw"
    LATE_CALL = "late_call"
    OWN_TILE_EXPOSED = "own_tile_exposed"
    HAND_SHOWN_WIN_VALID = "hand_shown_win_valid"
    HAND_SHOWN_WIN_INVALID = "hand_shown_win_invalid"
    COUNT_WITHOUT_WINNING_TILE = "count_without_winning_tile"
    TEN_MINUTES_LATE = "ten_minutes_late"
    FIFTEEN_MINUTES_LATE = "fifteen_minutes_late"
    TOO_LATE = "too_late"
    TILES_MANIPULATED = "tiles_manipulated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty:
    """What an offence costs; points without a receiver leave the table."""

    payments: tuple[Payment, ...] = ()
    dead_hand: bool = False
    disqualified: bool = False
    is_warning: bool = False
    text: str


_SCALED = {Offence.EMPTY_CALL, Offence.EARLY_DRAW, Offence.LATE_CALL}

_TEXTS: Mapping[Offence, str] = MappingProxyType(
    {
        Offence.FALSE_WIN_BELOW_MINIMUM: "A win below the minimum was declared: the hand is dead.",
        Offence.FALSE_WIN_WRONG_TILE: "A ready hand declared a win on a tile that does not "
        "complete it: the hand is dead.",
        Offence.FALSE_WIN_NOT_READY: "A hand that was not ready declared a win: the hand is dead.",
        Offence.DELIBERATE_FALSE_WIN: "A win was declared on purpose with a hand far from ready: "
        "the player is disqualified.",
        Offence.FALSE_SET: "A set was laid down that is none: the hand is dead.",
        Offence.WRONG_TILE_COUNT: "The hand has too many or too few tiles: it is dead.",
        Offence.EMPTY_CALL: "A call was not carried out, or made without the tiles.",
        Offence.EARLY_DRAW: "A tile was drawn before the left player had discarded.",
        Offence.LATE_CALL: "A call came after the time for claims.",
        Offence.OWN_TILE_EXPOSED: "A tile of the own hand was shown: it must be the next discard.",
        Offence.HAND_SHOWN_WIN_VALID: "The hand was shown after another player's win: a warning.",
        Offence.HAND_SHOWN_WIN_INVALID: "The hand was shown after a win that did not stand: its "
        "shown tiles are discarded and the hand is dead.",
        Offence.COUNT_WITHOUT_WINNING_TILE: "Counting began before the winning tile was taken.",
        Offence.TEN_MINUTES_LATE: "The player came up to ten minutes late.",
        Offence.FIFTEEN_MINUTES_LATE: "The player came up to fifteen minutes late.",
        Offence.TOO_LATE: "The player came more than fifteen minutes late: the match is forfeit.",
        Offence.TILES_MANIPULATED: "Tiles were exchanged, taken or hidden: the player is "
        "disqualified.",
    }
)

_DEAD = {
    Offence.FALSE_WIN_BELOW_MINIMUM,
    Offence.FALSE_WIN_WRONG_TILE,
    Offence.FALSE_WIN_NOT_READY,
    Offence.FALSE_SET,
    Offence.WRONG_TILE_COUNT,
    Offence.HAND_SHOWN_WIN_INVALID,
}
_OUT = {Offence.DELIBERATE_FALSE_WIN, Offence.TOO_LATE, Offence.TILES_MANIPULATED}
_WARNED = {Offence.OWN_TILE_EXPOSED, Offence.HAND_SHOWN_WIN_VALID}


def penalty(offence: Offence, seat: Seat, options: Options, *, earlier: int = 0) -> Penalty:
    """What an offence costs the seat that already committed it ``earlier`` times in this hand."""
    payments = _payments(offence, seat, options, earlier)
    return Penalty(
        payments=payments,
        dead_hand=offence in _DEAD,
        disqualified=offence in _OUT,
        is_warning=offence in _WARNED or (offence in _SCALED and not payments),
        text=_TEXTS[offence],
    )


def _payments(offence: Offence, seat: Seat, options: Options, earlier: int) -> tuple[Payment, ...]:
    match offence:
        case Offence.FALSE_WIN_BELOW_MINIMUM | Offence.FALSE_WIN_WRONG_TILE:
            return _for_false_win(seat, options.false_win_near, options)
        case Offence.FALSE_WIN_NOT_READY:
            return _for_false_win(seat, options.false_win_far, options)
        case Offence.COUNT_WITHOUT_WINNING_TILE:
            return _deducted(seat, options.count_without_winning_tile, offence)
        case Offence.TEN_MINUTES_LATE:
            return _deducted(seat, 10, offence)
        case Offence.FIFTEEN_MINUTES_LATE:
            return _deducted(seat, 20, offence)
        case _ if offence in _SCALED:
            return _deducted(seat, scaled(options.scale, earlier), offence)
        case _:
            return ()


def scaled(scale: tuple[int, ...], earlier: int) -> int:
    """The deduction for one more offence: along the scale, then doubling."""
    if earlier < len(scale):
        return scale[earlier]
    return scale[-1] * 2 ** (earlier - len(scale) + 1) if scale else 0


def misnamed_discard(namer: Seat, claimant: Seat, fan: int) -> Payment:
    """A discard was named wrongly and led another player to declare a win of that worth: the namer
    pays alone what the three others would have owed."""
    return Payment(namer, claimant, 3 * BASE_POINTS + fan, "discard misnamed")


def _for_false_win(seat: Seat, points: int, options: Options) -> tuple[Payment, ...]:
    if not points:
        return ()
    if not options.false_win_paid:
        return (Payment(seat, None, points, "false win"),)
    return tuple(
        Payment(seat, other, points, "false win") for other in seats(PLAYERS) if other is not seat
    )


def _deducted(seat: Seat, points: int, offence: Offence) -> tuple[Payment, ...]:
    return (Payment(seat, None, points, offence.value.replace("_", " ")),) if points else ()


def false_win(seat: Seat, options: Options, *, code: str, near: bool, why: str) -> Violation:
    """The violation of a win that may not stand, with its payments."""
    points = options.false_win_near if near else options.false_win_far
    receivers = "to each other player" if options.false_win_paid else "to nobody"
    return Violation(
        code=code,
        seat=seat,
        penalty=_for_false_win(seat, points, options),
        text=f"{why} The declarer pays {points} {receivers}, the hand is dead and play goes on.",
    )
