"""Riichi mahjong for four and three players, as ruleset values."""

from __future__ import annotations

from table_controller.rules.core.case import Answer, Case
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.tiles import STANDARD_136, TileSet
from table_controller.rules.riichi.conduct import CONDUCT, SANMA_CONDUCT
from table_controller.rules.riichi.contradictions import check_case
from table_controller.rules.riichi.dora import dora_of
from table_controller.rules.riichi.options import (
    NOVOSIBIRSK,
    PRESET_SOURCES,
    PRESETS,
    RiichiOptions,
)
from table_controller.rules.riichi.play import PLAY, SANMA_PLAY
from table_controller.rules.riichi.sanma_options import (
    SANMA_PRESET_SOURCES,
    SANMA_PRESETS,
    SANMA_TENHOU,
    SanmaOptions,
)
from table_controller.rules.riichi.settle import EXTRA_KEYS, settle_win

SANMA_108 = TileSet.of(("19m", 4), ("123456789p", 4), ("123456789s", 4), ("1234567z", 4))
SANMA_112 = TileSet((*SANMA_108.copies, *TileSet.of(("1234f", 1)).copies))


def tile_set(options: RiichiOptions) -> TileSet:
    """The 136 tiles, with the red fives of the options."""
    characters, circles, bamboos = options.red_fives
    return STANDARD_136.with_red_fives(m=characters, p=circles, s=bamboos)


def sanma_tile_set(options: SanmaOptions) -> TileSet:
    """The 108 tiles of three players, no 2 to 8 of characters, and four flowers by option."""
    _, circles, bamboos = options.red_fives
    plain = SANMA_112 if options.flowers else SANMA_108
    return plain.with_red_fives(p=circles, s=bamboos)


def _settle_sanma(case: Case, options: SanmaOptions) -> Answer:
    return settle_win(case, options, 3)


def _check_sanma(case: Case, options: SanmaOptions) -> tuple[Case, tuple[str, ...]]:
    return check_case(case, options, 3)


COUNTED = frozenset({"dora", "ura", "counters", "deposits"})

RIICHI_4P: Ruleset[RiichiOptions] = Ruleset(
    name="riichi_4p",
    title="Riichi mahjong, four players",
    native="リーチ麻雀",
    source="Rules of the Novosibirsk riichi club; presets after EMA 2016, WRC 2015, M.League, "
    "JPML, Tenhou, Mahjong Soul",
    players=4,
    options=NOVOSIBIRSK,
    presets=PRESETS,
    preset_sources=PRESET_SOURCES,
    tile_set=tile_set,
    settle_win=settle_win,
    check_case=check_case,
    play=PLAY,
    conduct=CONDUCT,
    dora_of=dora_of,
    counted=COUNTED,
    extra_keys=EXTRA_KEYS,
)

RIICHI_3P: Ruleset[SanmaOptions] = Ruleset(
    name="riichi_3p",
    title="Riichi mahjong, three players",
    native="三人麻雀",
    source="Customary three-player rules; presets after Tenhou and Mahjong Soul",
    players=3,
    options=SANMA_TENHOU,
    presets=SANMA_PRESETS,
    preset_sources=SANMA_PRESET_SOURCES,
    tile_set=sanma_tile_set,
    settle_win=_settle_sanma,
    check_case=_check_sanma,
    play=SANMA_PLAY,
    conduct=SANMA_CONDUCT,
    dora_of=dora_of,
    counted=COUNTED,
    extra_keys=EXTRA_KEYS,
)

RULESETS = (RIICHI_4P, RIICHI_3P)
__all__ = ["EXTRA_KEYS", "RIICHI_3P", "RIICHI_4P", "RULESETS", "sanma_tile_set", "tile_set"]
