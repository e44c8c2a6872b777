"""Hong Kong Old Style mahjong (港式舊章): fan, a minimum of three, payments by a doubling table."""

from __future__ import annotations

from table_controller.rules.core.conduct import Conduct
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.hong_kong_old.options import DEFAULT, PRESET_SOURCES, PRESETS, Options
from table_controller.rules.hong_kong_old.play import PLAY, fines
from table_controller.rules.hong_kong_old.scoring import EXTRA_KEYS, NAME, settle_win, tile_set

__all__ = ["RULESET", "Options", "settle_win"]

RULESET: Ruleset[Options] = Ruleset(
    name=NAME,
    title="Hong Kong Old Style",
    native="港式舊章麻雀",
    source="The Hong Kong chapter of the Russian compilation",
    players=4,
    options=DEFAULT,
    presets=PRESETS,
    preset_sources=PRESET_SOURCES,
    tile_set=tile_set,
    settle_win=settle_win,
    play=PLAY,
    conduct=Conduct(play=PLAY, fines=fines),
    extra_keys=EXTRA_KEYS,
)
