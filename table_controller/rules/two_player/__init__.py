"""The open-handed game for two: a first game in which every tile lies face up.

The turn order is clockwise; seats are numbered 1 to 4 and two players use 1 and 3. Points are
credited by the pot, nobody pays. Source: the teaching game of the Russian compilation.
"""

from __future__ import annotations

from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.two_player.conduct import CONDUCT
from table_controller.rules.two_player.options import PRESETS, Options
from table_controller.rules.two_player.play import PLAY
from table_controller.rules.two_player.scoring import NAME, settle_win, tile_set

__all__ = ["PRESETS", "RULESET", "Options"]

RULESET: Ruleset[Options] = Ruleset(
    name=NAME,
    title="Game for two",
    native="Маджонг для двоих",
    source="Teaching game of the Russian compilation",
    players=2,
    options=Options(),
    presets=PRESETS,
    tile_set=tile_set,
    settle_win=settle_win,
    play=PLAY,
    conduct=CONDUCT,
)
