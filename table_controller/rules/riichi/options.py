"""Every option of riichi, and the presets of the bodies and sites that play it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.options import check_options, option


class TieBreak(StrEnum):
    """Who ranks higher with equal points."""

    SEAT_ORDER = "seat_order"
    SPLIT = "split"


class GameLength(StrEnum):
    """How many rounds a game has."""

    HANCHAN = "hanchan"
    TONPUUSEN = "tonpuusen"


class Bust(StrEnum):
    """When a seat without points ends the game (tobi)."""

    OFF = "off"
    BELOW_ZERO = "below_zero"
    AT_OR_BELOW_ZERO = "at_or_below_zero"


class Renchan(StrEnum):
    """What lets the dealer stay after an exhaustive draw."""

    TENPAI = "tenpai"
    WIN_ONLY = "win_only"


class KanDoraTiming(StrEnum):
    """When a kong's indicator is turned."""

    IMMEDIATE = "immediate"
    AFTER_DISCARD = "after_discard"


class Kuikae(StrEnum):
    """Which discards a call forbids."""

    FORBIDDEN = "forbidden"
    SAME_TILE_ONLY = "same_tile_only"
    ALLOWED = "allowed"


class RiichiAnkan(StrEnum):
    """Which concealed kongs a seat in riichi may declare."""

    FORBIDDEN = "forbidden"
    SAME_WAIT = "same_wait"
    SAME_SHAPE = "same_shape"


class TemporaryFuritenEnd(StrEnum):
    """What ends the furiten of a missed win."""

    OWN_DRAW = "own_draw"
    DRAW_OR_CALL = "draw_or_call"
    OWN_DISCARD = "own_discard"


class MultiRon(StrEnum):
    """What happens when several seats win on one tile."""

    HEAD_BUMP = "head_bump"
    DOUBLE_OK_TRIPLE_ABORT = "double_ok_triple_abort"
    ALL = "all"


class MultiRonCounters(StrEnum):
    """Who of several winners is paid for the counters."""

    NEAREST = "nearest"
    EACH = "each"


class MultiRonSticks(StrEnum):
    """Who of several winners takes the sticks."""

    NEAREST = "nearest"
    OWN_BACK = "own_back"


class AbortiveDraw(StrEnum):
    """The abortive draws, each its own switch."""

    SUUFON_RENDA = "suufon_renda"
    KYUUSHU_KYUUHAI = "kyuushu_kyuuhai"
    SUUKAIKAN = "suukaikan"
    SANCHAHOU = "sanchahou"
    SUUCHA_RIICHI = "suucha_riichi"


class Kazoe(StrEnum):
    """What thirteen han without a yakuman are paid as."""

    YAKUMAN = "yakuman"
    SANBAIMAN = "sanbaiman"


class Renhou(StrEnum):
    """What a win on a discard before the own first draw is worth."""

    OFF = "off"
    MANGAN = "mangan"
    YAKUMAN = "yakuman"


class DoubleYakuman(StrEnum):
    """The yakuman that a house may count double."""

    KOKUSHI_13 = "kokushi_13"
    SUUANKOU_TANKI = "suuankou_tanki"
    JUNSEI_CHUUREN = "junsei_chuuren"
    DAISUUSHII = "daisuushii"


class PaoYakuman(StrEnum):
    """The yakuman for which a discarder can be liable."""

    DAISANGEN = "daisangen"
    DAISUUSHII = "daisuushii"
    SUUKANTSU = "suukantsu"


class PaoCounters(StrEnum):
    """Who pays the counters when a liable seat and a discarder share."""

    DISCARDER = "discarder"
    LIABLE = "liable"


class PaoScope(StrEnum):
    """What a liable seat is liable for when several yakuman are won."""

    LIABLE_YAKUMAN_ONLY = "liable_yakuman_only"
    WHOLE_HAND = "whole_hand"


class ChomboMode(StrEnum):
    """How a chombo is paid."""

    MANGAN_PAYMENT = "mangan_payment"
    FINAL_DEDUCTION = "final_deduction"


class FinalSticks(StrEnum):
    """Who gets the sticks left on the table at the end of the game."""

    FIRST_PLACE = "first_place"
    LOST = "lost"


class FinalRounding(StrEnum):
    """How final scores are rounded."""

    NONE = "none"
    THOUSAND = "thousand"


class PendingKanDora(StrEnum):
    """What happens to an indicator not yet turned when its owner declares another kong."""

    FLUSH_ON_NEXT_KAN = "flush_on_next_kan"
    AFTER_DISCARD = "after_discard"


ALL_ABORTIVE_DRAWS = tuple(AbortiveDraw)
THREE_PAO = tuple(PaoYakuman)
MOST_POINTS = 1_000_000
MOST_UMA = 1000
TWO_PAO = (PaoYakuman.DAISANGEN, PaoYakuman.DAISUUSHII)


@dataclass(frozen=True, slots=True, kw_only=True)
class RiichiOptions:
    """The rules of one table; the defaults are the preset ``novosibirsk``."""

    start_points: int = option(
        30000, "Points each seat begins with.", min=0, max=MOST_POINTS, multiple_of=100
    )
    return_points: int = option(
        30000,
        "Points that count as zero in the final score.",
        min=0,
        max=MOST_POINTS,
        multiple_of=100,
    )
    goal_points: int = option(
        30000,
        "Points somebody must reach for the last deal or an extra round to end the game.",
        min=0,
        max=MOST_POINTS,
        multiple_of=100,
    )
    uma: tuple[int, ...] = option((0, 0, 0, 0), "Placement bonus by rank, in thousands.")
    floating_uma: bool = option(
        False, "The placement bonus depends on how many seats end below the start (JPML A)."
    )
    tie_break: TieBreak = option(TieBreak.SEAT_ORDER, "Who ranks higher with equal points.")
    game_length: GameLength = option(GameLength.HANCHAN, "Rounds of a game.")
    west_round: bool = option(
        False, "A sudden-death round follows when nobody has the return points."
    )
    agari_yame: bool = option(
        False, "The game ends when the dealer wins the last deal in first place."
    )
    tenpai_yame: bool = option(
        False, "The game ends when the dealer waits at the last draw in first place."
    )
    tobi: Bust = option(Bust.AT_OR_BELOW_ZERO, "When a seat without points ends the game.")
    renchan: Renchan = option(Renchan.TENPAI, "What keeps the dealer after an exhaustive draw.")
    honba_value: int = option(
        300, "Points a counter adds to a win on a discard.", min=0, multiple_of=300
    )
    noten_total: int = option(
        3000, "Points that change hands after an exhaustive draw.", min=0, multiple_of=600
    )
    red_fives: tuple[int, ...] = option(
        (0, 0, 0), "Red fives of characters, circles and bamboos; they replace plain ones."
    )
    ippatsu: bool = option(True, "A win within one go-around of riichi is a han.")
    ura_dora: bool = option(True, "A winner in riichi sees the tiles under the indicators.")
    kan_dora: bool = option(True, "Each kong turns another indicator.")
    kan_ura_dora: bool = option(True, "Kong indicators have ura dora too.")
    kan_dora_closed: KanDoraTiming = option(
        KanDoraTiming.IMMEDIATE, "When the indicator of a concealed kong is turned."
    )
    kan_dora_open: KanDoraTiming = option(
        KanDoraTiming.AFTER_DISCARD, "When the indicator of an exposed or added kong is turned."
    )
    pending_kan_dora: PendingKanDora = option(
        PendingKanDora.FLUSH_ON_NEXT_KAN,
        "What happens to a pending indicator when its owner declares another kong.",
    )
    kuitan: bool = option(True, "All simples counts with called melds.")
    kuikae: Kuikae = option(Kuikae.FORBIDDEN, "Which discards a chow call forbids.")
    kuikae_pon: Kuikae = option(Kuikae.FORBIDDEN, "Which discards a pung call forbids.")
    riichi_min_points: int = option(
        1000, "Points a seat needs to declare riichi; 0: no condition.", min=0, multiple_of=100
    )
    riichi_min_wall: int = option(
        4, "Tiles that must be left in the live wall to declare riichi.", min=0, max=69
    )
    riichi_ankan: RiichiAnkan = option(
        RiichiAnkan.SAME_WAIT, "Which concealed kongs a seat in riichi may declare."
    )
    furiten_riichi: bool = option(True, "A furiten seat may declare riichi.")
    temp_furiten_end: TemporaryFuritenEnd = option(
        TemporaryFuritenEnd.OWN_DRAW, "What ends the furiten of a missed win."
    )
    missed_win_by_shape: bool = option(
        True, "A tile passed makes furiten even when no yaku would have been there."
    )
    own_four_excluded: bool = option(True, "A tile of which the seat holds all four is no wait.")
    multi_ron: MultiRon = option(
        MultiRon.DOUBLE_OK_TRIPLE_ABORT, "What happens when several seats win on one tile."
    )
    multi_ron_honba: MultiRonCounters = option(
        MultiRonCounters.NEAREST, "Who of several winners is paid for the counters."
    )
    multi_ron_sticks: MultiRonSticks = option(
        MultiRonSticks.NEAREST, "Who of several winners takes the sticks."
    )
    abortive_draws: tuple[AbortiveDraw, ...] = option(
        ALL_ABORTIVE_DRAWS, "The abortive draws that are played.", items=AbortiveDraw
    )
    four_riichi_reveal: bool = option(True, "Hands are shown after a draw by four riichi.")
    nagashi_mangan: bool = option(
        False, "A pond of terminals and honours, none called, is paid at an exhaustive draw."
    )
    nagashi_honba: bool = option(False, "Counters and sticks are paid for nagashi mangan too.")
    declare_noten: bool = option(
        True, "A waiting seat may keep its hand closed at a draw; off: all are shown."
    )
    kiriage: bool = option(False, "4 han 30 fu and 3 han 60 fu are paid as mangan.")
    kazoe: Kazoe = option(Kazoe.SANBAIMAN, "What thirteen han without a yakuman are paid as.")
    yakuman_stacking: bool = option(False, "Several yakuman are paid together.")
    double_yakuman_patterns: tuple[DoubleYakuman, ...] = option(
        (), "The yakuman that count double.", items=DoubleYakuman
    )
    ryuuiisou_needs_green: bool = option(False, "All green takes a pung of green dragons.")
    double_wind_pair_fu: int = option(
        4, "Fu of a pair of the wind that is both round and seat wind.", min=2, max=4, multiple_of=2
    )
    rinshan_tsumo_fu: int = option(
        0, "Fu for the self-draw of a replacement tile.", min=0, max=2, multiple_of=2
    )
    renhou: Renhou = option(Renhou.OFF, "A win on a discard before the own first draw.")
    kokushi_ankan_ron: bool = option(False, "Thirteen orphans may rob a concealed kong.")
    pao_yakuman: tuple[PaoYakuman, ...] = option(
        THREE_PAO, "The yakuman for which a discarder is liable.", items=PaoYakuman
    )
    pao_honba_payer: PaoCounters = option(
        PaoCounters.DISCARDER, "Who pays the counters when liable seat and discarder share."
    )
    pao_scope: PaoScope = option(PaoScope.LIABLE_YAKUMAN_ONLY, "What a liable seat is liable for.")
    chombo_mode: ChomboMode = option(ChomboMode.MANGAN_PAYMENT, "How a chombo is paid.")
    chombo_amount: int = option(
        20000, "Points off the final score for a chombo.", min=0, max=MOST_POINTS, multiple_of=100
    )
    chombo_ends_game: bool = option(
        False, "A chombo in the last deal ends the game instead of being replayed."
    )
    riichi_sticks_final: FinalSticks = option(
        FinalSticks.FIRST_PLACE, "Who gets the sticks left at the end of the game."
    )
    final_rounding: FinalRounding = option(FinalRounding.NONE, "How final scores are rounded.")

    def __post_init__(self) -> None:
        check_options(self)
        self._check_lists(4)

    def _check_lists(self, players: int) -> None:
        if len(self.uma) != players or not all(
            isinstance(one, int) and abs(one) <= MOST_UMA for one in self.uma
        ):
            raise OptionError(
                f"option uma is {self.uma!r}: it takes {players} whole numbers from -{MOST_UMA} "
                f"to {MOST_UMA}"
            )
        fives = self.red_fives
        if len(fives) != 3 or not all(isinstance(one, int) and 0 <= one <= 4 for one in fives):
            raise OptionError(f"option red_fives is {fives!r}: it takes three numbers from 0 to 4")

    @property
    def oka(self) -> int:
        """What the first place gains because everybody begins below the return points."""
        return (self.return_points - self.start_points) * len(self.uma)

    @property
    def honba_each(self) -> int:
        """What each payer of a self-draw adds for one counter."""
        return self.honba_value // 3

    def noten_total_for(self, waiting: int) -> int:
        """What changes hands at an exhaustive draw with that many waiting seats."""
        return self.noten_total if waiting else 0


NOVOSIBIRSK = RiichiOptions()

EMA = RiichiOptions(
    uma=(15, 5, -5, -15),
    tie_break=TieBreak.SPLIT,
    tobi=Bust.OFF,
    kan_dora_open=KanDoraTiming.IMMEDIATE,
    riichi_min_points=0,
    riichi_ankan=RiichiAnkan.SAME_SHAPE,
    temp_furiten_end=TemporaryFuritenEnd.DRAW_OR_CALL,
    multi_ron=MultiRon.ALL,
    multi_ron_honba=MultiRonCounters.EACH,
    multi_ron_sticks=MultiRonSticks.OWN_BACK,
    abortive_draws=(),
    rinshan_tsumo_fu=2,
    renhou=Renhou.MANGAN,
    pao_yakuman=TWO_PAO,
    chombo_mode=ChomboMode.FINAL_DEDUCTION,
)

WRC = replace(
    EMA,
    temp_furiten_end=TemporaryFuritenEnd.OWN_DRAW,
    multi_ron=MultiRon.HEAD_BUMP,
    multi_ron_honba=MultiRonCounters.NEAREST,
    multi_ron_sticks=MultiRonSticks.NEAREST,
    kiriage=True,
    riichi_sticks_final=FinalSticks.LOST,
)

M_LEAGUE = RiichiOptions(
    start_points=25000,
    uma=(30, 10, -10, -30),
    tie_break=TieBreak.SPLIT,
    tobi=Bust.OFF,
    red_fives=(1, 1, 1),
    kan_dora_open=KanDoraTiming.IMMEDIATE,
    riichi_min_points=0,
    riichi_min_wall=1,
    riichi_ankan=RiichiAnkan.SAME_SHAPE,
    multi_ron=MultiRon.HEAD_BUMP,
    abortive_draws=(),
    kiriage=True,
    yakuman_stacking=True,
    double_wind_pair_fu=2,
    rinshan_tsumo_fu=2,
    chombo_mode=ChomboMode.FINAL_DEDUCTION,
)

JPML = RiichiOptions(
    floating_uma=True,
    tie_break=TieBreak.SPLIT,
    tobi=Bust.OFF,
    ippatsu=False,
    ura_dora=False,
    kan_dora=False,
    kan_ura_dora=False,
    kuikae=Kuikae.SAME_TILE_ONLY,
    riichi_min_points=0,
    multi_ron=MultiRon.HEAD_BUMP,
    abortive_draws=tuple(one for one in AbortiveDraw if one is not AbortiveDraw.SANCHAHOU),
    ryuuiisou_needs_green=True,
    renhou=Renhou.MANGAN,
    kokushi_ankan_ron=True,
    riichi_sticks_final=FinalSticks.LOST,
)

JPML_2023 = replace(
    JPML,
    yakuman_stacking=True,
    ryuuiisou_needs_green=False,
    double_wind_pair_fu=2,
    rinshan_tsumo_fu=2,
)

TENHOU = RiichiOptions(
    start_points=25000,
    uma=(20, 10, -10, -20),
    west_round=True,
    agari_yame=True,
    tenpai_yame=True,
    tobi=Bust.BELOW_ZERO,
    red_fives=(1, 1, 1),
    temp_furiten_end=TemporaryFuritenEnd.OWN_DISCARD,
    nagashi_mangan=True,
    kazoe=Kazoe.YAKUMAN,
    yakuman_stacking=True,
    rinshan_tsumo_fu=2,
    pao_yakuman=TWO_PAO,
    pao_honba_payer=PaoCounters.LIABLE,
    pao_scope=PaoScope.WHOLE_HAND,
    final_rounding=FinalRounding.THOUSAND,
)

MAJSOUL = replace(
    TENHOU,
    return_points=25000,
    uma=(15, 5, -5, -15),
    multi_ron=MultiRon.ALL,
    abortive_draws=tuple(one for one in AbortiveDraw if one is not AbortiveDraw.SANCHAHOU),
    double_yakuman_patterns=tuple(DoubleYakuman),
    kokushi_ankan_ron=True,
    pao_scope=PaoScope.LIABLE_YAKUMAN_ONLY,
    final_rounding=FinalRounding.NONE,
)

PRESETS: Mapping[str, RiichiOptions] = MappingProxyType(
    {
        "novosibirsk": NOVOSIBIRSK,
        "ema": EMA,
        "wrc": WRC,
        "m_league": M_LEAGUE,
        "jpml": JPML,
        "jpml_2023": JPML_2023,
        "tenhou": TENHOU,
        "majsoul": MAJSOUL,
    }
)

PRESET_SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "novosibirsk": "Rules of the Novosibirsk riichi club, after the Japan Professional "
        "Mahjong League; the document is undated",
        "ema": "European Mahjong Association, Riichi Competition Rules, 2016",
        "wrc": "World Riichi Championship rules, 2015",
        "m_league": "M.League official rules, as published up to 2025",
        # The league's page names hand of man, all green with green dragons and the robbed concealed
        # kong; its examination of 2022 the 4 fu of a double wind and the 0 of a replacement tile;
        # a player's comparison of 2017 the swap calls; Pantheon's preset head bump, abortive draws,
        # sticks, three liabilities and the floating bonus. The rest is as in novosibirsk.
        "jpml": "Japan Professional Mahjong League, rule A until 2022: the league's page "
        "(ma-jan.or.jp, archived June 2012), its examination of 2022, Pantheon's preset jpmlA",
        "jpml_2023": "The same league since 2023, by the answers of its examination of that year: "
        "2 fu for a double wind pair and a replacement tile, yakuman add up, all green without "
        "green dragons",
        "tenhou": "tenhou.net manual and recorded games, 2009-2025",
        "majsoul": "Mahjong Soul ranked rooms: recorded games up to 2025; doubles, liability, "
        "three winners and the robbed concealed kong by the rules page of RiichiEnv 0.4, 2026",
    }
)
