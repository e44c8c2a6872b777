"""What the table sees being done wrongly in the game for two: told, never penalised (section 8)."""

from __future__ import annotations

from table_controller.rules.core.conduct import Conduct, Found
from table_controller.rules.core.events import KongDeclared, MeldCalled
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import format_tiles
from table_controller.rules.two_player.options import Options
from table_controller.rules.two_player.play import PLAY, may_call, may_declare_kong


def _call_barred(state: DealState, event: MeldCalled, options: Options) -> Found | None:
    if may_call(state, event.seat, event.meld, options):
        return None
    shown = format_tiles(event.meld.tiles)
    return "wrong_call", f"{shown}: here a chow is claimed only from the seat before."


def _kong_barred(state: DealState, event: KongDeclared, options: Options) -> Found | None:
    if may_declare_kong(state, event.seat, event, options):
        return None
    return "wrong_kong", f"{event.added} was added to a claimed pung, which is not played here."


CONDUCT = Conduct(play=PLAY, call_barred=_call_barred, kong_barred=_kong_barred)
