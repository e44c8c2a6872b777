"""What a classical table agrees on before it plays (chinese_classical.md, section 12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from table_controller.rules.core.options import check_options, option


class DealBlocks(StrEnum):
    """How the tiles are taken at the deal."""

    THREE_FOURS = "4x3+1"
    TWO_SIXES = "6x2+1"


class WaitingDeclaration(StrEnum):
    """Whether a waiting hand must be declared."""

    REQUIRED = "required"
    NONE = "none"


class UndeclaredWin(StrEnum):
    """What happens to a win without a declaration."""

    REJECTED = "rejected"
    ALLOWED = "allowed"


class DrawnEast(StrEnum):
    """Who is East after a drawn game."""

    STAYS = "stays"
    PASSES = "passes"


class DoubleWindPair(StrEnum):
    """A pair of the wind that is own and prevailing."""

    ADDITIVE = "additive"
    SINGLE = "single"


class OnlyPossibleTile(StrEnum):
    """When the last tile is the only possible one."""

    STRICT = "strict"  # the hand waited for one kind of tile
    PATTERN = "pattern"  # where it is placed is enough


class LoserDoublings(StrEnum):
    """Which doublings losing hands have."""

    SETS_ONLY = "sets_only"
    NONE = "none"


class NoPoints(StrEnum):
    """What a hand without points may have."""

    STRICT = "strict"
    SETS_ONLY = "sets_only"  # points for the last tile are tolerated


class PfaExemption(StrEnum):
    """Where a waiting hand is exempt from paying for all."""

    FIRST_RULE = "first_rule"
    ALL = "all"


class LimitHand(StrEnum):
    """A hand that is worth the limit."""

    THIRTEEN_ORPHANS = "thirteen_orphans"
    HIDDEN_SNAKE = "hidden_snake"
    NINE_GATES = "nine_gates"
    FOUR_CONCEALED_PUNGS = "four_concealed_pungs"
    FOUR_KONGS = "four_kongs"
    BIG_THREE_DRAGONS = "big_three_dragons"
    BIG_FOUR_WINDS = "big_four_winds"
    ALL_TERMINALS = "all_terminals"
    ALL_GREEN = "all_green"
    HEAVENLY_HAND = "heavenly_hand"
    EARTHLY_HAND = "earthly_hand"
    ALL_HONOURS_LIMIT = "all_honours_limit"
    PLUM_BLOSSOM = "plum_blossom"
    MOON_FROM_THE_SEA = "moon_from_the_sea"
    CARRYING_POLE = "carrying_pole"
    KONG_ON_KONG = "kong_on_kong"
    EAST_NINE_WINS = "east_nine_wins"


USUAL_LIMIT_HANDS = tuple(LimitHand)[:11]
"""All but all honours, which the source doubles, and those of situations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The choices of the game; the defaults are those of its description."""

    bonus_tiles: bool = option(False, "Flowers and seasons are in the wall: 144 tiles, else 136.")
    deal_blocks: DealBlocks = option(
        DealBlocks.THREE_FOURS, "How the tiles are taken. The players see to it, not the table."
    )
    break_throws: int = option(
        1,
        "Throws of two dice for the break. The players see to it, not the table.",
        min=1,
        max=2,
    )
    reserve_tiles: int = option(14, "Tiles never drawn in turn.", min=0, max=20, multiple_of=2)
    loose_tiles: int = option(2, "Replacement tiles laid apart.", min=2, max=4, multiple_of=2)
    cover_discards: bool = option(
        False,
        "Only the last discard lies face up. The players turn the others down; the table goes on "
        "reading the last one.",
    )
    waiting_declaration: WaitingDeclaration = option(
        WaitingDeclaration.REQUIRED, "Whether a waiting hand must be declared."
    )
    undeclared_win: UndeclaredWin = option(
        UndeclaredWin.REJECTED, "What happens to a win without a declaration."
    )
    original_call_exposes_hand: bool = option(
        False, "An original call lays the hand open; the table does not ask why it lies there."
    )
    drawn_east: DrawnEast = option(DrawnEast.STAYS, "Who is East after a drawn game.")
    double_wind_pair_points: DoubleWindPair = option(
        DoubleWindPair.ADDITIVE, "A pair of the wind that is own and prevailing: 4 points or 2."
    )
    only_possible_tile: OnlyPossibleTile = option(
        OnlyPossibleTile.STRICT, "When the last tile is the only possible one."
    )
    loser_doublings: LoserDoublings = option(
        LoserDoublings.SETS_ONLY, "Which doublings losing hands have."
    )
    no_points_definition: NoPoints = option(
        NoPoints.STRICT, "Whether a hand without points may have points for its last tile."
    )
    last_discard_doubles: bool = option(
        False, "The discard after the last permissible tile doubles like that tile."
    )
    limit: int = option(
        2000, "Most that a hand can be worth, before East doubles.", min=100, max=100_000
    )
    limit_hands: tuple[LimitHand, ...] = option(
        USUAL_LIMIT_HANDS, "The limit hands that are played.", items=LimitHand
    )
    pay_for_all: bool = option(True, "A discard that gives an obvious win away pays for all.")
    pfa_exemption_scope: PfaExemption = option(
        PfaExemption.FIRST_RULE, "Where a waiting hand is exempt from paying for all."
    )
    pfa_concealed_kong_counts: bool = option(
        False, "Concealed kongs count among the open sets of that rule."
    )
    false_claim_penalty: int = option(
        0, "What a call without the tiles pays to each other seat.", min=0, max=10_000
    )
    false_mahjong: int = option(
        100, "What a false mahjong pays to each other seat.", min=0, max=10_000
    )
    seven_pairs_hand: bool = option(False, "Seven pairs are a complete hand.")
    rounds: int = option(4, "Rounds in a game.", min=1, max=4)

    def __post_init__(self) -> None:
        check_options(self)


DEFAULT = Options()
PRESETS: Mapping[str, Options] = MappingProxyType(
    {
        "source": DEFAULT,
        "with_flowers": Options(bonus_tiles=True),
        # Played without declaring, as most tables do.
        "undeclared": Options(waiting_declaration=WaitingDeclaration.NONE),
    }
)
