"""Chinese Official mahjong (国标麻将): the Mahjong Competition Rules, 81 fans, minimum 8."""

from __future__ import annotations

from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.mcr.conduct import CONDUCT
from table_controller.rules.mcr.options import DEFAULT, PRESET_SOURCES, PRESETS, Options
from table_controller.rules.mcr.play import PLAY
from table_controller.rules.mcr.scoring import EXTRA_KEYS, NAME, settle_win, tile_set

__all__ = ["RULESET", "Options", "settle_win"]

RULESET: Ruleset[Options] = Ruleset(
    name=NAME,
    title="Chinese Official (MCR)",
    native="国标麻将",
    source="World Mahjong Organization, Mahjong Competition Rules, 2006",
    players=4,
    options=DEFAULT,
    presets=PRESETS,
    preset_sources=PRESET_SOURCES,
    tile_set=tile_set,
    settle_win=settle_win,
    play=PLAY,
    conduct=CONDUCT,
    extra_keys=EXTRA_KEYS,
)
