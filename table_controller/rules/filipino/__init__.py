"""Filipino mahjong: sixteen tiles, five sets and a pair, honours are flowers."""

from __future__ import annotations

from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.filipino.conduct import CONDUCT
from table_controller.rules.filipino.options import PRESET_SOURCES, PRESETS, Options
from table_controller.rules.filipino.play import PLAY
from table_controller.rules.filipino.scoring import EXTRA_KEYS, settle_win, tile_set

__all__ = ["EXTRA_KEYS", "PRESETS", "RULESET", "Options"]

RULESET: Ruleset[Options] = Ruleset(
    name="filipino",
    title="Filipino mahjong",
    native="Mahjong Pilipino",
    source="Russian compilation with the English page it translates; Manila notes of 1998",
    players=4,
    options=Options(),
    presets=PRESETS,
    preset_sources=PRESET_SOURCES,
    tile_set=tile_set,
    settle_win=settle_win,
    play=PLAY,
    conduct=CONDUCT,
    extra_keys=EXTRA_KEYS,
)
