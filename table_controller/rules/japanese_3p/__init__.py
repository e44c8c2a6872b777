"""Japanese mahjong for three, as played in western Honshu: no chows, norths set aside, han with
bazoro, and no win on a discard without a yaku before it.
"""

from __future__ import annotations

from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.japanese_3p.conduct import CONDUCT
from table_controller.rules.japanese_3p.hand import PLAYERS, next_in_sequence
from table_controller.rules.japanese_3p.options import PRESETS, Options, tile_set
from table_controller.rules.japanese_3p.play import PLAY
from table_controller.rules.japanese_3p.scoring import NAME, settle_win

EXTRA_KEYS = {
    "robbed": "What the winning tile was declared for: promoted, concealed (a kong) or north.",
    "dealer_retained": "How often in a row the present dealer has dealt again.",
    "dead_hands": "The seats whose hand is dead.",
    "passed": "Tiles let pass since the winner's last draw: a list of [seat, place, tile].",
    "passed_after_riichi": "Tiles let pass since the winner's riichi: as passed.",
    "winner_discarded_orphan": "The winner discarded a terminal or honour; else the pond tells.",
    "winner_discarded_suit": "The winner discarded a tile of the hand's suit; else the pond tells.",
    "fourth_kong_from": "The fourth kong wins at once; the seat that fed it, or null.",
}

RULESET: Ruleset[Options] = Ruleset(
    name=NAME,
    title="Japanese three-player (western Honshu)",
    native="三人麻雀",
    source="Rules of three-player mahjong, Japanese ruleset of western Honshu",
    players=PLAYERS,
    options=PRESETS["default"],
    presets=PRESETS,
    tile_set=tile_set,
    settle_win=settle_win,
    play=PLAY,
    conduct=CONDUCT,
    counted=frozenset({"dora", "ura", "counters", "deposits"}),
    extra_keys=EXTRA_KEYS,
    dora_of=next_in_sequence,
)
