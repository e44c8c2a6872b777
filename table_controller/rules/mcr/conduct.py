"""What the table sees being done wrongly while a deal is played (mcr.md, section 14)."""

from __future__ import annotations

from table_controller.rules.core.conduct import Conduct, Fine, Found
from table_controller.rules.core.events import KongDeclared
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import format_tiles
from table_controller.rules.mcr.options import Options
from table_controller.rules.mcr.penalties import SCALED, deduction
from table_controller.rules.mcr.play import PLAY, may_declare_kong


def _kong_barred(state: DealState, event: KongDeclared, options: Options) -> Found | None:
    if may_declare_kong(state, event.seat, event, options):
        return None
    shown = format_tiles(event.meld.tiles)
    return "wrong_kong", f"{shown}: no kong is declared right after a chow or pung was claimed."


def _penalty(state: DealState, code: str, seat: Seat, options: Options) -> tuple[Payment, ...]:
    return deduction(code, seat, options, earlier=state.seats[seat].offences.count(code))


def _fines(state: DealState, seat: Seat, options: Options) -> tuple[Fine, ...]:
    """Section 14.1 as far as it has prices; a false set is a dead hand."""
    paid = options.false_win_paid
    minor = ((code, sum(p.points for p in _penalty(state, code, seat, options))) for code in SCALED)
    return (
        Fine("below_minimum", options.false_win_near, paid, dead_hand=True),
        Fine("not_a_win", options.false_win_far, paid, dead_hand=True),
        Fine("dead_hand", dead_hand=True),
        Fine("wrong_tile_count", dead_hand=True),
        *(Fine(code, points) for code, points in minor),
        Fine("counted_early", options.count_without_winning_tile),
        Fine("exposed_tile"),
        Fine("late", 10),
    )


CONDUCT = Conduct(play=PLAY, kong_barred=_kong_barred, penalty=_penalty, fines=_fines)
