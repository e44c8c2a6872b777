"""American mahjong: 152 tiles, jokers, the Charleston, and hands from a card."""

from __future__ import annotations

from table_controller.rules.american.advice import player
from table_controller.rules.american.conduct import CONDUCT
from table_controller.rules.american.options import PRESETS, Options
from table_controller.rules.american.play import PLAY
from table_controller.rules.american.scoring import EXTRA_KEYS, settle_win, tile_set
from table_controller.rules.core.ruleset import Ruleset

__all__ = ["EXTRA_KEYS", "PRESETS", "RULESET", "Options"]

RULESET: Ruleset[Options] = Ruleset(
    name="american",
    title="American mahjong",
    native="American mah-jongg",
    source="Greek description of the American game; the practice card is our own",
    players=4,
    options=Options(),
    presets=PRESETS,
    tile_set=tile_set,
    settle_win=settle_win,
    play=PLAY,
    conduct=CONDUCT,
    player=player,
    extra_keys=EXTRA_KEYS,
)
