"""House rules of the Malaysian three-player game, with its specification's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.options import check_options, option
from table_controller.rules.core.tiles import TileSet


class FanCounted(StrEnum):
    """Which fan add to the base."""

    ALL = "all"
    ABOVE_MINIMUM = "above_minimum"


class AllBonusTilesSet(StrEnum):
    """Which bonus tiles together are worth ten fan."""

    SIXTEEN = "sixteen"
    FLOWERS_AND_SEASONS = "flowers_and_seasons"
    FACES_AND_ANIMALS = "faces_and_animals"


class FourFliesInitial(StrEnum):
    """What four flies in the starting hand are worth."""

    INSTANT_WIN = "instant_win"
    NEEDS_HAND = "needs_hand"


class NineGatesShape(StrEnum):
    """What nine gates asks of the wait."""

    FINAL_SHAPE = "final_shape"
    NINE_SIDED_WAIT = "nine_sided_wait"


class ChowClaim(StrEnum):
    """Who may claim a chow."""

    WIN_ONLY = "win_only"
    NEXT_PLAYER = "next_player"


class FlySubstitutes(StrEnum):
    """What a fly may stand for."""

    ANY_CIRCLE_OR_HONOUR = "any_circle_or_honour"
    CIRCLES_ONLY = "circles_only"


class FlyBonusPayer(StrEnum):
    """Who pays for flies."""

    EACH_OPPONENT = "each_opponent"
    BANK = "bank"


class BothLosersBelowMinimum(StrEnum):
    """What two poor losers pay each other."""

    NO_PAYMENT = "no_payment"
    LOWER_PAYS_HIGHER = "lower_pays_higher"


class PaoPayment(StrEnum):
    """What a liable player pays."""

    ALL = "all"
    SHARE_WITH_DISCARDER = "share_with_discarder"


class BonusSetInitialWindow(StrEnum):
    """Until when a complete set of bonus tiles is an initial one."""

    INITIAL_REPLACEMENT = "initial_replacement"
    DEALT_TILES_ONLY = "dealt_tiles_only"


class DealerAfterDrawnHand(StrEnum):
    """Who deals after a drawn deal."""

    STAYS = "stays"
    PASSES_RIGHT = "passes_right"


class SingleFaceAnimalFan(StrEnum):
    """How often faces and animals count."""

    EACH = "each"
    ONCE_PER_GROUP = "once_per_group"


class InstantPaymentScope(StrEnum):
    """Whether instant payments are named for each opponent or in total."""

    EACH_OPPONENT = "each_opponent"
    TOTAL = "total"


class LoserItems(StrEnum):
    """Which items the losers compare."""

    FIRST_FIVE_LINES = "first_five_lines"
    ALL_ITEMS = "all_items"


class BonusSetCounts(StrEnum):
    """What a complete set of bonus tiles brings."""

    FAN_AND_PAYMENT = "fan_and_payment"
    FAN_ONLY = "fan_only"
    PAYMENT_ONLY = "payment_only"


class RobKongKinds(StrEnum):
    """Which kongs may be robbed."""

    PROMOTED = "promoted"
    PROMOTED_AND_CONCEALED = "promoted_and_concealed"


class MultipleWinners(StrEnum):
    """What happens when two win on one tile."""

    FIRST_IN_ORDER = "first_in_order"
    ALL = "all"


class PlayLength(StrEnum):
    """What ends the game."""

    OPEN = "open"
    DEALS = "deals"
    TIME = "time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Every choice of the specification's section 2."""

    min_fan: int = option(5, "Fan a win needs.", min=0, max=10)
    max_fan: int = option(10, "More fan count as this many.", min=1, max=100)
    base_points: int = option(100, "What a hand is worth without its fan.", min=0, max=100_000)
    points_per_fan: int = option(20, "What every fan adds.", min=0, max=100_000)
    fan_counted: FanCounted = option(FanCounted.ALL, "Which fan add to the base.")
    small_three_dragons_counts_pungs: bool = option(
        True, "Small three dragons also counts its two dragon pungs."
    )
    all_bonus_tiles_set: AllBonusTilesSet = option(
        AllBonusTilesSet.SIXTEEN, "Which bonus tiles together are worth ten fan."
    )
    four_flies_initial: FourFliesInitial = option(
        FourFliesInitial.INSTANT_WIN, "What four flies in the starting hand are worth."
    )
    first_tile_includes_first_discard: bool = option(
        False, "Winning on the dealer's first discard is ten fan too."
    )
    last_tile_includes_last_discard: bool = option(
        False, "Winning on the last discard is ten fan too."
    )
    nine_gates_shape: NineGatesShape = option(
        NineGatesShape.FINAL_SHAPE, "What nine gates asks of the wait."
    )
    seven_pairs_distinct: bool = option(True, "Four alike are not two of the seven pairs.")
    chow_claim: ChowClaim = option(ChowClaim.WIN_ONLY, "Who may claim a chow.")
    fly_substitutes: FlySubstitutes = option(
        FlySubstitutes.ANY_CIRCLE_OR_HONOUR, "What a fly may stand for."
    )
    fly_in_claims: bool = option(False, "A fly may be part of a claimed pung.")
    fly_in_kong: bool = option(False, "A fly may be part of a kong.")
    fly_limit_per_kind: bool = option(True, "Flies never make a fifth copy of a kind.")
    fly_discard_claimable: bool = option(False, "A discarded fly may be claimed and won.")
    fly_bonus_points: int = option(50, "Points for each fly after a won deal.", min=0, max=100_000)
    fly_bonus_payer: FlyBonusPayer = option(FlyBonusPayer.EACH_OPPONENT, "Who pays for flies.")
    fly_bonus_on_drawn_hand: bool = option(False, "Flies are paid after a drawn deal too.")
    loser_comparison: bool = option(True, "The losers compare their fan and pay each other.")
    both_losers_below_minimum: BothLosersBelowMinimum = option(
        BothLosersBelowMinimum.NO_PAYMENT, "What two losers below the minimum pay."
    )
    loser_fan_flies: bool = option(False, "Flies complete honour pungs of the losers.")
    pao_payment: PaoPayment = option(PaoPayment.ALL, "What a liable player pays.")
    pao_dragons: int = option(3, "Exposed dragon sets from which pao starts.", min=1, max=3)
    pao_winds: int = option(3, "Exposed wind sets from which pao starts.", min=1, max=4)
    pao_all_honours: int = option(4, "Exposed honour sets from which pao starts.", min=1, max=4)
    bonus_set_initial_window: BonusSetInitialWindow = option(
        BonusSetInitialWindow.INITIAL_REPLACEMENT, "Until when a bonus set is an initial one."
    )
    dead_wall_tiles: int = option(
        0, "Tiles at the end of the wall that are not drawn.", min=0, max=30
    )
    dealer_after_drawn_hand: DealerAfterDrawnHand = option(
        DealerAfterDrawnHand.STAYS, "Who deals after a drawn deal."
    )
    single_face_animal_fan: SingleFaceAnimalFan = option(
        SingleFaceAnimalFan.EACH, "How often faces and animals count."
    )
    north_in_set: bool = option(True, "Norths are in play; without them the set has 80 tiles.")
    dealer_east_double: bool = option(
        True, "The dealer's pung of east counts as own wind and as east."
    )
    instant_payment_scope: InstantPaymentScope = option(
        InstantPaymentScope.EACH_OPPONENT, "Whether instant payments are from each or in total."
    )
    loser_items: LoserItems = option(LoserItems.FIRST_FIVE_LINES, "What the losers compare.")
    loser_minimum_inclusive: bool = option(True, "A loser with exactly the minimum reaches it.")
    loser_fan_cap: int = option(10, "A loser's fan count as at most this many.", min=1, max=100)
    bonus_set_counts: BonusSetCounts = option(
        BonusSetCounts.FAN_AND_PAYMENT, "What a complete set of bonus tiles brings."
    )
    rob_kong_kinds: RobKongKinds = option(RobKongKinds.PROMOTED, "Which kongs may be robbed.")
    multiple_winners: MultipleWinners = option(
        MultipleWinners.FIRST_IN_ORDER, "Two winners on one tile."
    )
    play_length: PlayLength = option(
        PlayLength.OPEN,
        "What ends the game. The table counts deals; it keeps no clock, so a game by time is "
        "ended by the staff.",
    )
    play_length_deals: int = option(16, "Deals of a game that is played by deals.", min=1, max=1000)
    play_length_minutes: int = option(
        120,
        "Minutes of a game that is played by time. The table keeps no clock.",
        min=1,
        max=1440,
    )
    penalty_false_win_fan: int = option(
        10, "A false win pays the value of this to each.", min=0, max=100
    )
    penalty_wrong_claim: int = option(
        50, "Points to each opponent for a wrong claim.", min=0, max=100_000
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.min_fan > self.max_fan:
            raise OptionError(
                f"min_fan {self.min_fan} is above max_fan {self.max_fan}: no hand could win"
            )


PRESETS: Mapping[str, Options] = MappingProxyType(
    {
        "default": Options(),
        "open_chows": Options(chow_claim=ChowClaim.NEXT_PLAYER),
        "sixteen_deals": Options(play_length=PlayLength.DEALS),
    }
)


@lru_cache(maxsize=64)
def tile_set(options: Options) -> TileSet:
    """The 84 tiles: circles, honours, flowers, seasons, faces, animals and flies."""
    honours = "1234567z" if options.north_in_set else "123567z"
    return TileSet.of(
        ("123456789p", 4), (honours, 4), ("1234f 1234g 1234c 1234a", 1), ("jk", 4)
    )  # fmt: skip
