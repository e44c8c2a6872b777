"""Korean-Japanese mahjong for three: no chows from discards, hand and bonus points, and the
sacred discard.
"""

from __future__ import annotations

from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.korean_japanese_3p.conduct import CONDUCT
from table_controller.rules.korean_japanese_3p.hand import PLAYERS, next_in_sequence
from table_controller.rules.korean_japanese_3p.options import PRESETS, Options, tile_set
from table_controller.rules.korean_japanese_3p.play import PLAY
from table_controller.rules.korean_japanese_3p.scoring import NAME, settle_win

EXTRA_KEYS = {
    "waiting": "The seats that were waiting, where that is established; else shown hands decide.",
    "indicator": "The tile that was turned up for the dora.",
    "all_ready": "All three players have declared ready.",
    "ready_seats": "The seats that have declared ready.",
    "dead_hands": "The seats whose hand is dead.",
    "robbed_kong": "Of which kind the robbed kong is: promoted (as if not named) or concealed.",
    "history": "All discards in their order, a list of [seat, tile].",
}

RULESET: Ruleset[Options] = Ruleset(
    name=NAME,
    title="Korean-Japanese three-player",
    native="한일 3인 마작",
    source="Rules of three-player mahjong, main ruleset",
    players=PLAYERS,
    options=PRESETS["default"],
    presets=PRESETS,
    tile_set=tile_set,
    settle_win=settle_win,
    play=PLAY,
    conduct=CONDUCT,
    dora_of=next_in_sequence,
    counted=frozenset({"dora", "goulash"}),
    extra_keys=EXTRA_KEYS,
)
