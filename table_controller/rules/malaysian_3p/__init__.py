"""Malaysian mahjong for three: circles and honours, flies that stand for any tile, and payments
between the losers.
"""

from __future__ import annotations

from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.malaysian_3p.conduct import CONDUCT
from table_controller.rules.malaysian_3p.hand import PLAYERS
from table_controller.rules.malaysian_3p.options import PRESETS, Options, tile_set
from table_controller.rules.malaysian_3p.play import PLAY
from table_controller.rules.malaysian_3p.scoring import NAME, settle_win

EXTRA_KEYS = {
    "pao": "The seat that is liable, where that is established; else the melds tell.",
    "flies_of_losers": "The flies of losers by seat, where their hands are not named.",
    "replacement_after_two_kongs": "Won on the second replacement of two kongs in one turn.",
    "four_flies_initial": "The starting hand holds four flies and wins at once.",
    "robbed_kong": "Of which kind the robbed kong is: promoted (as if not named) or concealed.",
    "dead_hands": "The seats whose hand is dead.",
}

RULESET: Ruleset[Options] = Ruleset(
    name=NAME,
    title="Malaysian three-player",
    native="马来西亚三人麻将",
    source="Rules of three-player mahjong, Malaysian ruleset",
    players=PLAYERS,
    options=PRESETS["default"],
    presets=PRESETS,
    tile_set=tile_set,
    settle_win=settle_win,
    play=PLAY,
    conduct=CONDUCT,
    extra_keys=EXTRA_KEYS,
)
