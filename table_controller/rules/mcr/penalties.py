"""What irregularities cost (mcr.md, section 14; research/players.md, 3.3).

The table itself takes false wins, and what everybody can see to be late, empty or out of turn.
All else on the book's list (tiles shown, names called wrongly, lateness, counting too early) is for
people to see: the staff writes it down, and is offered the price. The defaults are of 1998.
"""

from __future__ import annotations

from table_controller.rules.core.case import Violation
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.mcr.options import Options

PLAYERS = 4
BASE_POINTS = 8
"""What every loser pays beside the fan."""

SCALED = ("wrong_call", "late_claim", "out_of_turn")
"""Minor irregularities that cost more each time: a call too late, a call without the right to it
(M84: an empty one), a draw before the left player has discarded."""


def deduction(code: str, seat: Seat, options: Options, *, earlier: int) -> tuple[Payment, ...]:
    """What a minor irregularity costs the seat that already committed it ``earlier`` times in this
    deal; nobody receives it. The first one is a warning by the default scale."""
    points = scaled(options.scale, earlier) if code in SCALED else 0
    return (Payment(seat, None, points, code.replace("_", " ")),) if points else ()


def scaled(scale: tuple[int, ...], earlier: int) -> int:
    """The deduction for one more offence: along the scale, then doubling."""
    if earlier < len(scale):
        return scale[earlier]
    return scale[-1] * 2 ** (earlier - len(scale) + 1) if scale else 0


def false_win(seat: Seat, options: Options, *, code: str, near: bool, why: str) -> Violation:
    """The violation of a win that may not stand, with its payments."""
    points = options.false_win_near if near else options.false_win_far
    receivers = seats(PLAYERS) if options.false_win_paid else (None,)
    penalty = tuple(
        Payment(seat, receiver, points, "false win")
        for receiver in receivers
        if points and receiver is not seat
    )
    paid = "to each other player" if options.false_win_paid else "to nobody"
    return Violation(
        code=code,
        seat=seat,
        penalty=penalty,
        text=f"{why} The declarer pays {points} {paid}, the hand is dead and play goes on.",
    )
