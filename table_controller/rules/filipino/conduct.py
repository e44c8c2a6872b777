"""What the table sees being done wrongly in a Filipino hand (section 10)."""

from __future__ import annotations

from table_controller.rules.core.conduct import Conduct, Fine, Found
from table_controller.rules.core.events import KongDeclared, MeldCalled
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import format_tiles
from table_controller.rules.filipino.options import FalseWin, Options
from table_controller.rules.filipino.play import PLAY, may_call
from table_controller.rules.filipino.scoring import is_flower


def _call_barred(state: DealState, event: MeldCalled, options: Options) -> Found | None:
    meld = event.meld
    shown = format_tiles(meld.tiles)
    if _has_flowers(meld):
        return "wrong_call", f"{shown}: winds, dragons and flowers form no melds."
    if may_call(state, event.seat, meld, options):
        return None
    if meld.kind is MeldKind.CHOW and meld.source is not event.seat.after(-1, state.players):
        return "wrong_call", f"{shown}: only the next player may chow; it is refused."
    return "joker_misuse", f"{shown}: a discarded joker makes no meld."


def _kong_barred(state: DealState, event: KongDeclared, options: Options) -> Found | None:
    if _has_flowers(event.meld):
        shown = format_tiles(event.meld.tiles)
        return "wrong_kong", f"{shown}: winds, dragons and flowers form no melds."
    return None


def _has_flowers(meld: Meld) -> bool:
    return any(is_flower(tile) for tile in meld.tiles)


def _fines(state: DealState, seat: Seat, options: Options) -> tuple[Fine, ...]:
    """Section 10; a wrong meld costs this once it was found after the discard."""

    def false(code: str, rule: FalseWin) -> Fine:
        is_paid = rule is FalseWin.PAY_ALL
        return Fine(code, 2 * options.base if is_paid else 0, to_each=True, dead_hand=not is_paid)

    return (
        false("false_win", options.false_win),
        false("wrong_call", options.false_set),
        Fine("wrong_tile_count", dead_hand=True),
        Fine("out_of_turn"),
        Fine("flower_kept"),
    )


CONDUCT = Conduct(play=PLAY, call_barred=_call_barred, kong_barred=_kong_barred, fines=_fines)
