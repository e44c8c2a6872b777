"""What three-player riichi adds to the options, and its presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from table_controller.rules.core.options import check_options, option
from table_controller.rules.riichi.options import (
    MOST_POINTS,
    TWO_PAO,
    AbortiveDraw,
    Bust,
    DoubleYakuman,
    FinalRounding,
    Kazoe,
    MultiRon,
    PaoCounters,
    PaoScope,
    RiichiOptions,
    TemporaryFuritenEnd,
)


class TsumoPayment(StrEnum):
    """What becomes of the absent seat's share of a self-draw."""

    TSUMO_LOSS = "tsumo_loss"
    NORTH_BISECTION = "north_bisection"
    SHARE_TO_ALL = "share_to_all"


class NorthRule(StrEnum):
    """What norths are for."""

    NUKIDORA = "nukidora"
    COMMON_YAKUHAI = "common_yakuhai"
    GUEST_WIND = "guest_wind"


class SanmaWalls(StrEnum):
    """How the walls are built."""

    THREE_SIDES = "three_sides"  # by hand
    FOUR_SIDES = "four_sides"  # by an automatic table


@dataclass(frozen=True, slots=True, kw_only=True)
class SanmaOptions(RiichiOptions):
    """The rules of one three-player table; what it adds stands by default as Tenhou plays it."""

    start_points: int = option(
        35000, "Points each seat begins with.", min=0, max=MOST_POINTS, multiple_of=100
    )
    return_points: int = option(
        40000,
        "Points that count as zero in the final score.",
        min=0,
        max=MOST_POINTS,
        multiple_of=100,
    )
    goal_points: int = option(
        40000,
        "Points somebody must reach for the last deal or an extra round to end the game.",
        min=0,
        max=MOST_POINTS,
        multiple_of=100,
    )
    uma: tuple[int, ...] = option((20, 0, -20), "Placement bonus by rank, in thousands.")
    noten_total: int = option(
        2000, "Points that change hands after an exhaustive draw.", min=0, multiple_of=200
    )
    riichi_min_wall: int = option(
        3, "Tiles that must be left in the live wall to declare riichi.", min=0, max=54
    )
    honba_self_draw: int = option(
        100, "Points a counter adds for each payer of a self-draw.", min=0, multiple_of=100
    )
    honba_value: int = option(
        200, "Points a counter adds to a win on a discard.", min=0, multiple_of=100
    )
    tsumo_payment: TsumoPayment = option(
        TsumoPayment.TSUMO_LOSS, "What becomes of the absent seat's share of a self-draw."
    )
    noten_each_1000: bool = option(
        False, "Every seat that does not wait pays 1000 to every seat that does."
    )
    north_rule: NorthRule = option(NorthRule.NUKIDORA, "What norths are for.")
    north_han: int = option(1, "Han of each north set aside.", min=1, max=2)
    flowers: bool = option(
        False, "Four flowers are in the set: set aside and replaced, a han each (Kansai)."
    )
    north_ron: bool = option(True, "A north set aside may be won by a hand that waits for it.")
    north_win_rinshan: bool = option(
        True, "Winning on the replacement of a north counts as a replacement tile."
    )
    north_breaks: bool = option(
        True, "Setting a north aside ends one-shots and first turns like a call."
    )
    dora_1m: bool = option(True, "The indicator 1m points at 9m.")
    fixed_fu: int = option(
        0, "Fu of every hand but seven pairs; 0: they are counted.", min=0, max=30, multiple_of=30
    )
    payment_unit: int = option(
        100, "Every payment for a hand is rounded up to this.", min=100, max=1000, multiple_of=100
    )
    self_draw_extra: int = option(
        0, "Points that each payer of a self-draw adds.", min=0, max=1000, multiple_of=100
    )
    walls: SanmaWalls = option(SanmaWalls.THREE_SIDES, "How the walls are built.")

    def __post_init__(self) -> None:
        check_options(self)
        self._check_lists(3)

    @property
    def honba_each(self) -> int:
        """What each payer of a self-draw adds for one counter."""
        return self.honba_self_draw

    def noten_total_for(self, waiting: int) -> int:
        """What changes hands at an exhaustive draw with that many waiting seats."""
        if self.noten_each_1000:
            return 1000 * waiting * (3 - waiting)
        return self.noten_total


SANMA_TENHOU = SanmaOptions(
    west_round=True,
    agari_yame=True,
    tenpai_yame=True,
    tobi=Bust.BELOW_ZERO,
    red_fives=(0, 1, 1),
    temp_furiten_end=TemporaryFuritenEnd.OWN_DISCARD,
    multi_ron=MultiRon.ALL,
    abortive_draws=(AbortiveDraw.KYUUSHU_KYUUHAI, AbortiveDraw.SUUKAIKAN),
    nagashi_mangan=True,
    kazoe=Kazoe.YAKUMAN,
    yakuman_stacking=True,
    rinshan_tsumo_fu=2,
    pao_yakuman=TWO_PAO,
    pao_honba_payer=PaoCounters.LIABLE,
    pao_scope=PaoScope.WHOLE_HAND,
    final_rounding=FinalRounding.THOUSAND,
)

SANMA_MAJSOUL = replace(
    SANMA_TENHOU,
    return_points=35000,
    uma=(15, 0, -15),
    double_yakuman_patterns=tuple(DoubleYakuman),
    kokushi_ankan_ron=True,
    pao_scope=PaoScope.LIABLE_YAKUMAN_ONLY,
    final_rounding=FinalRounding.NONE,
)

SANMA_PRESETS: Mapping[str, SanmaOptions] = MappingProxyType(
    {"tenhou": SANMA_TENHOU, "majsoul": SANMA_MAJSOUL}
)

SANMA_PRESET_SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "tenhou": "tenhou.net manual (three players) and recorded games, 2009-2025",
        "majsoul": "Mahjong Soul three-player rooms: recorded hands up to 2025, and the rules page "
        "of RiichiEnv 0.4, 2026",
    }
)
