"""House rules of the western Honshu three-player game, with its specification's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from table_controller.rules.core.options import check_options, option
from table_controller.rules.core.tiles import TileSet


class Atozuke(StrEnum):
    """What a hand must hold before it may win on a discard."""

    SAME_YAKU_ALL_WAITS = "same_yaku_all_waits"
    EACH_WAIT_SOME_YAKU = "each_wait_some_yaku"
    YAKU_COMPLETE_BEFORE = "yaku_complete_before"
    OFF = "off"


class ImpliedYaku(StrEnum):
    """Whether small three dragons and all terminals include the yaku they always hold."""

    INCLUDED = "included"
    ADDITIVE = "additive"


class PinfuWait(StrEnum):
    """The wait of an all-chows hand."""

    TWO_OR_MORE_KINDS = "two_or_more_kinds"
    TWO_SIDED = "two_sided"


class NorthInHand(StrEnum):
    """What a north that is kept is good for."""

    ORDINARY_NO_CLAIMS = "ordinary_no_claims"
    KOKUSHI_ONLY = "kokushi_only"


class FourthNorthDora(StrEnum):
    """Which norths count toward the extra indicator."""

    SET_ASIDE = "set_aside"
    VISIBLE = "visible"


class Flowers(StrEnum):
    """Whether flowers are in play."""

    OFF = "off"
    NUKIDORA = "nukidora"


class CountedYakuman(StrEnum):
    """What sixteen han and more pay."""

    FROM_16 = "from_16"
    OFF = "off"


class YakumanCombination(StrEnum):
    """How several yakuman pay."""

    SUM_CAPPED_3 = "sum_capped_3"
    HIGHEST_ONLY = "highest_only"


class PaarenchanCount(StrEnum):
    """When the dealer's streak is a yakuman."""

    RETAINED_8 = "retained_8"
    EIGHTH_WIN = "eighth_win"


class SuukantsuPayment(StrEnum):
    """Who pays four kongs."""

    BY_FOURTH_KONG = "by_fourth_kong"
    AS_TSUMO = "as_tsumo"


class IppatsuBrokenBy(StrEnum):
    """Whose calls end the first go-around after riichi."""

    OPPONENTS = "opponents"
    ANYONE = "anyone"


class MultipleRon(StrEnum):
    """What happens when two win on one tile."""

    DOUBLE = "double"
    HEAD_BUMP = "head_bump"


class DealerStaysOn(StrEnum):
    """When the dealer deals again."""

    WIN_OR_TENPAI = "win_or_tenpai"
    WIN_ONLY = "win_only"


class Rounds(StrEnum):
    """The rounds of a match."""

    E = "E"
    ES = "ES"


class DoubleKokushiTiles(StrEnum):
    """Which discards of the winner keep thirteen orphans single."""

    TERMINALS_HONOURS = "terminals_honours"
    ANY_TILE = "any_tile"


class TripleChuurenTiles(StrEnum):
    """Which discards of the winner keep nine gates single."""

    SUIT = "suit"
    ANY_TILE = "any_tile"


class KandoraReveal(StrEnum):
    """When the indicator of an open kong is turned."""

    AT_ONCE = "at_once"
    AFTER_DISCARD_FOR_OPEN = "after_discard_for_open"


class DeadWallExtension(StrEnum):
    """Whether the dead wall is refilled from the live wall."""

    MOVED_TILES = "moved_tiles"
    FIXED_FOURTEEN = "fixed_fourteen"


class WallShape(StrEnum):
    """Four walls, or three."""

    SQUARE = "square"
    TRIANGLE = "triangle"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Every choice of the specification's section 2."""

    atozuke: Atozuke = option(
        Atozuke.SAME_YAKU_ALL_WAITS, "The yaku a hand needs before it wins on a discard."
    )
    atozuke_applies_to_robbing: bool = option(False, "The same holds for robbing a kong.")
    implied_yaku: ImpliedYaku = option(
        ImpliedYaku.INCLUDED, "Whether shousangen and honroutou include what they always hold."
    )
    kuisagari: bool = option(
        False, "Open chantaiyao, ikki tsuukan, hon'iisou, junchantaiyao and chin'iisou lose a han."
    )
    menzen_tsumo: bool = option(False, "A concealed self-draw is a yaku of one han.")
    open_tanyao: bool = option(True, "All simples may be open.")
    pinfu_wait: PinfuWait = option(PinfuWait.TWO_OR_MORE_KINDS, "The wait that pinfu needs.")
    north_in_hand: NorthInHand = option(
        NorthInHand.ORDINARY_NO_CLAIMS, "What a north kept in the hand is good for."
    )
    fourth_north_dora: FourthNorthDora = option(
        FourthNorthDora.SET_ASIDE, "Which norths turn one more indicator once all four lie open."
    )
    north_after_riichi: bool = option(True, "A north drawn after riichi may be set aside.")
    concealed_kong_after_riichi: bool = option(
        False, "A concealed kong after riichi is allowed where the waits stay the same."
    )
    uradora: bool = option(True, "After riichi the tiles under the indicators count too.")
    kandora: bool = option(True, "Every kong turns one more indicator.")
    kan_uradora: bool = option(True, "The tiles under the indicators of kongs count too.")
    akadora: int = option(1, "Red fives of circles and of bamboos, of each.", min=0, max=4)
    flowers: Flowers = option(Flowers.OFF, "Four flowers, set aside for one han each.")
    counted_yakuman: CountedYakuman = option(
        CountedYakuman.FROM_16, "Whether sixteen han pay as a yakuman."
    )
    yakuman_combination: YakumanCombination = option(
        YakumanCombination.SUM_CAPPED_3, "How several yakuman pay."
    )
    paarenchan_count: PaarenchanCount = option(
        PaarenchanCount.RETAINED_8, "When the dealer's streak is a yakuman."
    )
    suukantsu_payment: SuukantsuPayment = option(
        SuukantsuPayment.BY_FOURTH_KONG, "Who pays when the fourth kong wins at once."
    )
    ippatsu_broken_by: IppatsuBrokenBy = option(
        IppatsuBrokenBy.OPPONENTS, "Whose calls and norths end ippatsu."
    )
    multiple_ron: MultipleRon = option(MultipleRon.DOUBLE, "Two winners on one tile.")
    dealer_stays_on: DealerStaysOn = option(
        DealerStaysOn.WIN_OR_TENPAI, "When the dealer deals again."
    )
    riichi_deposit: int = option(
        1000, "The stick a riichi lays on the table.", min=0, max=10_000, multiple_of=100
    )
    honba_per_payer: int = option(
        100,
        "Points for each counter from each payer of a self-draw.",
        min=0,
        max=100_000,
        multiple_of=100,
    )
    noten_payment: int = option(
        1000,
        "Points from each hand not ready to each ready one.",
        min=0,
        max=100_000,
        multiple_of=100,
    )
    starting_points: int = option(
        35_000, "Points at the start.", min=0, max=1_000_000, multiple_of=100
    )
    rounds: Rounds = option(Rounds.ES, "The rounds of a match.")
    double_kokushi_tiles: DoubleKokushiTiles = option(
        DoubleKokushiTiles.TERMINALS_HONOURS, "Own discards that keep kokushi single."
    )
    triple_chuuren_tiles: TripleChuurenTiles = option(
        TripleChuurenTiles.SUIT, "Own discards that keep chuuren single."
    )
    triple_chuuren_ron: bool = option(True, "The triple chuuren may be won on a discard.")
    double_suuankou_tsumo: bool = option(True, "Suuankou self-drawn on the pair is double too.")
    iipeikou_concealed: bool = option(True, "Iipeikou needs a concealed hand.")
    iipeikou_twice: bool = option(False, "Two pairs of identical chows count twice.")
    chanta_needs_honour_and_chow: bool = option(True, "Chantaiyao needs an honour and a chow.")
    kandora_reveal: KandoraReveal = option(
        KandoraReveal.AT_ONCE, "When the indicator of an open kong is turned."
    )
    dead_wall_extension: DeadWallExtension = option(
        DeadWallExtension.MOVED_TILES, "Whether replacements shorten the live wall."
    )
    wall_shape: WallShape = option(WallShape.SQUARE, "Four walls, or three.")

    def __post_init__(self) -> None:
        check_options(self)


PRESETS: Mapping[str, Options] = MappingProxyType(
    {
        "default": Options(),
        "east_only": Options(rounds=Rounds.E),
        "open_back": Options(atozuke=Atozuke.OFF),
        "no_extras": Options(uradora=False, kandora=False, kan_uradora=False, akadora=0),
    }
)


@lru_cache(maxsize=64)
def tile_set(options: Options) -> TileSet:
    """The 108 tiles: circles, bamboos, one and nine of characters, winds and dragons."""
    parts = [("123456789p 123456789s", 4), ("19m 1234567z", 4)]
    if options.flowers is Flowers.NUKIDORA:
        parts.append(("1234f", 1))
    return TileSet.of(*parts).with_red_fives(p=options.akadora, s=options.akadora)
