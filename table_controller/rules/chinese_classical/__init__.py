"""Chinese Classical mahjong (中國古典麻將): points and doublings, all hands scored."""

from __future__ import annotations

from table_controller.rules.chinese_classical.conduct import CONDUCT
from table_controller.rules.chinese_classical.options import DEFAULT, PRESETS, Options
from table_controller.rules.chinese_classical.play import PLAY
from table_controller.rules.chinese_classical.scoring import (
    EXTRA_KEYS,
    NAME,
    settle_win,
    tile_set,
)
from table_controller.rules.core.ruleset import Ruleset

__all__ = ["RULESET", "Options", "settle_win"]

RULESET: Ruleset[Options] = Ruleset(
    name=NAME,
    title="Chinese Classical",
    native="中國古典麻將",
    source="The classical chapter of the Russian compilation",
    players=4,
    options=DEFAULT,
    presets=PRESETS,
    tile_set=tile_set,
    settle_win=settle_win,
    play=PLAY,
    conduct=CONDUCT,
    counted=frozenset({"counters"}),
    extra_keys=EXTRA_KEYS,
)
