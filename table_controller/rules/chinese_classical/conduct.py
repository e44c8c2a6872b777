"""What a wrong claim costs in the classical game, and that a pung may come late (section 3)."""

from __future__ import annotations

from table_controller.rules.chinese_classical.options import Options
from table_controller.rules.chinese_classical.play import PLAY
from table_controller.rules.chinese_classical.scoring import to_each
from table_controller.rules.core.conduct import Conduct
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState


def _penalty(state: DealState, code: str, seat: Seat, options: Options) -> tuple[Payment, ...]:
    """What a claim without the tiles, or after the next discard, costs the table."""
    if code not in ("wrong_call", "late_claim"):
        return ()
    return to_each(seat, options.false_claim_penalty, "false claim")


def _is_at_the_deal(state: DealState, seat: Seat, options: Options) -> bool:
    """A hand that waits as it was dealt is declared at once, before the own first turn."""
    return not state.seats[seat].pond


CONDUCT = Conduct(
    play=PLAY,
    until_covered=True,
    ready_between_turns=_is_at_the_deal,
    penalty=_penalty,
)
