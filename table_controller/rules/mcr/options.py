"""What tables of the competition game agree on before they play (mcr.md, sections 14 and 16)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from table_controller.rules.core.options import check_options, option


class SpecialSelfDraw(StrEnum):
    """What a self-drawn hand of special shape scores for being concealed."""

    FULLY_CONCEALED = "fully_concealed"
    SELF_DRAWN = "self_drawn"


class Counted(StrEnum):
    """Whether something is counted beside another fan."""

    COUNT = "count"
    EXCLUDE = "exclude"


class NineGatesPung(StrEnum):
    """Pungs of ones and nines inside Nine Gates."""

    NONE = "none"
    BEYOND_ONE = "beyond_one"


class TileHogHonors(StrEnum):
    """Whether four equal honours as two pairs are a Tile Hog."""

    SUITED_ONLY = "suited_only"
    ALL = "all"


class ForcedTileHog(StrEnum):
    """Tile Hog in seven pairs that cannot do without four equal tiles."""

    NONE = "none"
    COUNT = "count"


class WaitOwnFour(StrEnum):
    """Whether a tile that the player already holds four times is waited for."""

    NOT_A_WAIT = "not_a_wait"
    IS_A_WAIT = "is_a_wait"


class KnittedWait(StrEnum):
    """Which wait fans a knitted straight may have."""

    SINGLE_ONLY = "single_only"
    ALL = "all"
    NONE = "none"


class AllTypesSpecial(StrEnum):
    """Whether All Types counts in seven pairs and knitted straights."""

    COUNT = "count"
    STANDARD_ONLY = "standard_only"


class SeatChange(StrEnum):
    """How players change seats between rounds."""

    GREEN_BOOK = "green_book"
    ALTERNATE = "alternate"
    NONE = "none"


class LastFlower(StrEnum):
    """What happens when the last tile of the wall is a flower."""

    DRAW = "draw"
    DISCARD_REQUIRED = "discard_required"


class Allowed(StrEnum):
    """Whether something may be done."""

    FORBIDDEN = "forbidden"
    ALLOWED = "allowed"


class DealerInitialWait(StrEnum):
    """Wait fans of a dealer who wins with the tiles dealt."""

    NONE = "none"
    LAST_TILE = "last_tile"


class ReplacementOrder(StrEnum):
    """Which tile of the last stack is drawn first as a replacement."""

    TOP_FIRST = "top_first"
    BOTTOM_FIRST = "bottom_first"


class TimeEnd(StrEnum):
    """What happens to a deal in progress when time is up."""

    VOID_HAND = "void_hand"
    FINISH_HAND = "finish_hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The choices of the competition game; the defaults are those of the 2006 rule book."""

    minimum: int = option(8, "Points a hand must reach without flowers.", min=0, max=88)
    special_self_draw: SpecialSelfDraw = option(
        SpecialSelfDraw.FULLY_CONCEALED,
        "What concealed special hands (fans 4, 6, 7, 12, 19, 20, 34) add when self-drawn.",
    )
    mixed_kongs: int = option(6, "Worth of one melded and one concealed kong.", min=3, max=6)
    two_concealed_kongs: int = option(8, "Worth of two concealed kongs.", min=6, max=8)
    all_green_half_flush: Counted = option(
        Counted.COUNT, "Half Flush beside All Green with green dragons."
    )
    all_terminals_double_pung: Counted = option(Counted.COUNT, "Double Pung beside All Terminals.")
    nine_gates_pung: NineGatesPung = option(
        NineGatesPung.NONE, "Pung of Terminals or Honors inside Nine Gates."
    )
    tile_hog_honors: TileHogHonors = option(
        TileHogHonors.SUITED_ONLY, "Four equal honours in seven pairs as Tile Hog."
    )
    forced_tile_hog: ForcedTileHog = option(
        ForcedTileHog.NONE, "Tile Hog in seven pairs of All Green or All Terminals."
    )
    wait_own_four: WaitOwnFour = option(
        WaitOwnFour.NOT_A_WAIT, "Whether a tile held four times counts among the waits."
    )
    knitted_wait: KnittedWait = option(KnittedWait.SINGLE_ONLY, "Wait fans of a knitted straight.")
    wait_combined_shapes: Counted = option(
        Counted.COUNT, "Wait fans of shapes such as 1233 and 4556 that wait for one tile."
    )
    all_types_special: AllTypesSpecial = option(
        AllTypesSpecial.COUNT, "All Types in seven pairs and knitted straights."
    )
    dealer_initial_wait: DealerInitialWait = option(
        DealerInitialWait.NONE, "Wait fans when the dealer wins with the tiles dealt."
    )
    limit: int = option(0, "Most points that a hand can be worth; 0 for no limit.", min=0, max=888)
    seat_change: SeatChange = option(
        SeatChange.GREEN_BOOK, "How players change seats between rounds."
    )
    flower_as_last_tile: LastFlower = option(
        LastFlower.DRAW, "A flower as the last tile of the wall ends the deal, or is discarded."
    )
    flower_discard: Allowed = option(Allowed.FORBIDDEN, "Whether a flower may be discarded.")
    kong_after_claim: Allowed = option(
        Allowed.FORBIDDEN, "A concealed or added kong right after claiming a chow or pung."
    )
    dead_hand_claims: Allowed = option(
        Allowed.FORBIDDEN, "Whether a dead hand may still claim chows, pungs and kongs."
    )
    initial_points: int = option(0, "Points each player starts with.", min=0, max=100_000)
    claim_window_s: int = option(
        3,
        "Seconds in which a discard can be claimed. The players see to it, not the table.",
        min=1,
        max=30,
    )
    replacement_order: ReplacementOrder = option(
        ReplacementOrder.TOP_FIRST, "Which tile of the last stack is the first replacement."
    )
    time_end: TimeEnd = option(
        TimeEnd.VOID_HAND,
        "Whether the deal in progress is scored when time is up. The table keeps no match clock: "
        "the staff ends the game, or lets the deal be finished.",
    )
    rounds: int = option(4, "Rounds of four deals in a match.", min=1, max=4)
    false_win_near: int = option(
        10, "A false win below the minimum or on a wrong tile: points.", min=0, max=400
    )
    false_win_far: int = option(20, "A false win of a hand not ready: points.", min=0, max=400)
    false_win_paid: bool = option(
        True, "A false win is paid to each other seat; else it is deducted once, for nobody."
    )
    scale: tuple[int, ...] = option(
        (0, 5, 10, 20),
        "Deductions for the first, second ... of the same minor irregularity of a seat in a deal: "
        "a call too late or without the right to it, a draw out of turn. The last one doubles.",
        min=0,
        max=1000,
    )
    count_without_winning_tile: int = option(
        0,
        "Deduction for counting before the winning tile was taken; 0 for none. The staff "
        "sees to it: its list of penalties offers the price.",
        min=0,
        max=100,
    )

    def __post_init__(self) -> None:
        check_options(self)


DEFAULT = Options()
PRESETS: Mapping[str, Options] = MappingProxyType(
    {
        "wmo2006": DEFAULT,
        "library": Options(
            special_self_draw=SpecialSelfDraw.SELF_DRAWN,
            mixed_kongs=5,
            two_concealed_kongs=6,
            all_green_half_flush=Counted.EXCLUDE,
            all_terminals_double_pung=Counted.EXCLUDE,
            nine_gates_pung=NineGatesPung.BEYOND_ONE,
            tile_hog_honors=TileHogHonors.ALL,
            forced_tile_hog=ForcedTileHog.COUNT,
            wait_own_four=WaitOwnFour.IS_A_WAIT,
            knitted_wait=KnittedWait.ALL,
        ),
        "china1998": Options(
            special_self_draw=SpecialSelfDraw.SELF_DRAWN,
            two_concealed_kongs=6,
            all_green_half_flush=Counted.EXCLUDE,
            all_terminals_double_pung=Counted.EXCLUDE,
            tile_hog_honors=TileHogHonors.ALL,
            forced_tile_hog=ForcedTileHog.COUNT,
            initial_points=500,
        ),
        "ema": Options(count_without_winning_tile=10),
        "mil2025": Options(
            false_win_near=40,
            false_win_far=80,
            false_win_paid=False,
            scale=(0, 10, 20, 40),
            count_without_winning_tile=10,
        ),
    }
)
PRESET_SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "wmo2006": "Mahjong Competition Rules of the World Mahjong Organization, 2006 (the Green "
        "Book): what clubs and most tournaments play",
        "library": "Hands are counted as the program PyMahjongGB 1.4.0 counts them, for comparing",
        "china1998": "Trial rules of the State General Administration of Sport of China, 1998: "
        "everybody starts with 500, Tile Hog for honours too, less beside All Green and All "
        "Terminals",
        "ema": "European tournaments: as 2006, and 10 off for counting before the winning tile was "
        "taken, which the staff writes down",
        "mil2025": "Mahjong International League, trial rules of 2025: a false win costs 40 or 80, "
        "minor irregularities 10, 20, 40, and nobody receives them",
    }
)
