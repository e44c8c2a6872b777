"""What a Hong Kong table agrees on before it plays (hong_kong_old.md, section 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.options import check_options, option


class MultiWin(StrEnum):
    """Who wins when several claim the same tile."""

    NEAREST = "nearest"
    BEST_HAND = "best_hand"


class RobConcealedKong(StrEnum):
    """Who may win on the tile of a concealed kong."""

    ANY = "any"
    ORPHANS_ONLY = "orphans_only"
    NEVER = "never"


class FalseWin(StrEnum):
    """What a false win costs."""

    OPEN_HAND = "open_hand"  # the tiles stay face up and may not win
    PAY_EACH = "pay_each"


class WrongCount(StrEnum):
    """What a wrong number of tiles costs."""

    NO_WIN = "no_win"
    NONE = "none"


class MinFanExcludes(StrEnum):
    """Which bonus fan do not count toward the minimum."""

    BONUS_TABLE = "bonus_table"
    FLOWERS_ONLY = "flowers_only"
    NONE = "none"


class SimplesRange(StrEnum):
    """Which tiles All Simples allows."""

    TWO_TO_EIGHT = "2_8"
    ONE_TO_NINE = "1_9"


class ChowsPair(StrEnum):
    """Which pair All Chows may have."""

    SUIT_TILE = "suit_tile"
    SIMPLES = "2_8"
    ANY = "any"


class PaymentScale(StrEnum):
    """How fan become a base payment."""

    FAN_TABLE = "fan_table"
    TEXT_SCALE = "text_scale"


class LimitHand(StrEnum):
    """A hand that is paid the limit."""

    HEAVENLY_HAND = "heavenly_hand"
    EARTHLY_HAND = "earthly_hand"
    THIRTEEN_ORPHANS = "thirteen_orphans"
    HEAVENLY_GATES = "heavenly_gates"
    FOUR_CONCEALED_PUNGS = "four_concealed_pungs"
    FOUR_KONGS = "four_kongs"
    ALL_HONOURS = "all_honours"
    PEARL_DRAGON = "pearl_dragon"
    RUBY_DRAGON = "ruby_dragon"
    JADE_DRAGON = "jade_dragon"
    GREAT_DRAGONS = "great_dragons"
    GREAT_WINDS = "great_winds"


class GatesWait(StrEnum):
    """What the thirteen tiles of Heavenly Gates must have been."""

    ANY = "any"
    NINE_SIDED = "nine_sided"


class DrawDealer(StrEnum):
    """Who deals after a drawn hand."""

    STAYS = "stays"
    PASSES = "passes"
    KONG_PASSES = "kong_passes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The choices of the game; the defaults are those of its description."""

    bonus_tiles: bool = option(True, "Flowers and seasons are in the wall: 144 tiles, else 136.")
    dead_wall: int = option(0, "Tiles at the end of the wall that are never drawn.", min=0, max=20)
    dealer_streak_limit: int = option(
        0, "Most deals in a row for one dealer; 0 for no limit.", min=0, max=20
    )
    multi_win: MultiWin = option(MultiWin.NEAREST, "Who wins when several claim the same tile.")
    claim_window_s: int = option(
        0,
        "Seconds in which a discard can be claimed; 0: until the next draw. The players see to "
        "it, not the table.",
        min=0,
        max=60,
    )
    rob_concealed_kong: RobConcealedKong = option(
        RobConcealedKong.ANY, "Who may win on the tile of a concealed kong."
    )
    false_win: FalseWin = option(FalseWin.OPEN_HAND, "What a false win costs.")
    false_win_points: int = option(
        128, "What a false win pays to each other seat with pay_each.", min=0, max=10_000
    )
    wrong_count: WrongCount = option(WrongCount.NO_WIN, "What a wrong number of tiles costs.")
    min_fan: int = option(3, "Fan a hand needs to win.", min=0, max=10)
    min_fan_excludes: MinFanExcludes = option(
        MinFanExcludes.BONUS_TABLE, "Which bonus fan do not count toward the minimum."
    )
    all_simples_range: SimplesRange = option(
        SimplesRange.TWO_TO_EIGHT, "Which tiles All Simples allows."
    )
    all_chows_pair: ChowsPair = option(ChowsPair.SUIT_TILE, "Which pair All Chows may have.")
    all_four_bonus: int = option(
        2, "Fan for all four flowers, or seasons, beside the own one.", min=2, max=4
    )
    payment_scale: PaymentScale = option(PaymentScale.FAN_TABLE, "How fan become a base payment.")
    east_doubles: bool = option(True, "East wins and pays double.")
    limit_points: int = option(
        0,
        "What each seat pays for a limit hand; 0: 512 with fan_table, 64 with text_scale.",
        min=0,
        max=100_000,
    )
    limit_hands: tuple[LimitHand, ...] = option(
        tuple(LimitHand), "The limit hands that are played.", items=LimitHand
    )
    limit_requires_concealed: tuple[LimitHand, ...] = option(
        (), "The limit hands that need a hand without called melds.", items=LimitHand
    )
    semi_concealed_half: bool = option(
        False, "Of those, one completed by a discard is paid half the limit."
    )
    gates_wait: GatesWait = option(GatesWait.ANY, "What Heavenly Gates must have waited for.")
    great_flowers: bool = option(True, "All eight bonus tiles win at once.")
    draw_dealer: DrawDealer = option(DrawDealer.STAYS, "Who deals after a drawn hand.")
    goulash_exchange: bool = option(
        False,
        "After a drawn hand tiles are exchanged first: the screen says goulash, and the players "
        "exchange before the first draw. The table does not follow the tiles.",
    )
    rounds: int = option(4, "Rounds in a match.", min=1, max=4)

    def __post_init__(self) -> None:
        check_options(self)
        if self.payment_scale is PaymentScale.TEXT_SCALE and self.min_fan < 3:
            raise OptionError(
                f"option min_fan is {self.min_fan}: the text scale begins at 3 fan; "
                "use payment_scale fan_table"
            )

    @property
    def limit(self) -> int:
        """What each seat pays for a limit hand."""
        if self.limit_points:
            return self.limit_points
        return 512 if self.payment_scale is PaymentScale.FAN_TABLE else 64


DEFAULT = Options()
PRESETS: Mapping[str, Options] = MappingProxyType(
    {
        "source": DEFAULT,
        "text_scale": Options(payment_scale=PaymentScale.TEXT_SCALE),
        "chicken": Options(min_fan=0),
    }
)
PRESET_SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "source": "Hong Kong Old Style as the compilation prints it: at least 3 fan, base payments "
        "of 8 for 3 fan to 128 for 10 and more, a limit of 512 from each",
        "text_scale": "The older, smaller scale of the same text: 1 for 3 fan, 2 for 4 to 6, 4 for "
        "7 to 9, 8 for more, a limit of 64 from each",
        "chicken": "Without a minimum, as beginners play: any complete hand wins",
    }
)
