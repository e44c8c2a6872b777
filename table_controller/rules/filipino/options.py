"""The choices of Filipino mahjong; the defaults are those of its description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from table_controller.rules.core.options import check_options, option


class DealFrom(StrEnum):
    """Where the deal starts."""

    BREAK = "break"
    DEALER_WALL = "dealer_wall"  # at the right end of the dealer's wall, without counting


class OthersPay(StrEnum):
    """What those who did not discard pay on a discard."""

    SINGLE = "single"
    NONE = "none"


class Combine(StrEnum):
    """How additions go together."""

    SUM = "sum"
    PRODUCT = "product"


class NoFlowersAt(StrEnum):
    """When having no bonus tile counts."""

    WIN = "win"
    DEAL_AND_WIN = "deal_and_win"


class ThirteenAmount(StrEnum):
    """What thirteen bonus tiles are worth from each other player."""

    QUARTER_BASE = "quarter_base"
    QUARTER_PAYMENT = "quarter_payment"  # of what a loser pays single; nothing in a drawn hand


class ThirteenTime(StrEnum):
    """When thirteen bonus tiles are paid."""

    AT_ONCE = "at_once"
    END_OF_HAND = "end_of_hand"


class Special(StrEnum):
    """Special hands that the players may agree to double."""

    ALL_PUNGS = "all_pungs"
    ONE_SUIT = "one_suit"


class DiceThrow(StrEnum):
    """Which of the two deal throws is examined for the dice double."""

    FIRST = "first"
    SECOND = "second"
    ANY = "any"


class SevenPairsSet(StrEnum):
    """What may stand beside seven pairs."""

    PUNG = "pung"
    ANY_SET = "any_set"


class Jokers(StrEnum):
    """Where jokers come from."""

    NONE = "none"
    TURNED_TILE = "turned_tile"  # the four tiles of a face turned in the wall
    PRINTED = "printed"  # extra tiles


class DiscardedJoker(StrEnum):
    """What a discarded joker is good for."""

    NATURAL_WIN_ONLY = "natural_win_only"
    NATURAL = "natural"  # also for melds, as its printed face
    DEAD = "dead"


class CountFrom(StrEnum):
    """From which end the joker indicator is counted."""

    END = "end"
    FRONT = "front"


class Redie(StrEnum):
    """When seats are drawn anew."""

    OFF = "off"
    EACH_ROUND = "each_round"
    EACH_GAME = "each_game"


class JaiAlaiDouble(StrEnum):
    """Which doubling gives an additional marker."""

    EXTRA_DOUBLING = "extra_doubling"
    ANY_DOUBLE_PAYMENT = "any_double_payment"


class JaiAlaiPayers(StrEnum):
    """Who pays the marker prize."""

    EACH = "each"
    SHARED = "shared"


class JaiAlaiOthers(StrEnum):
    """What happens to the losers' markers."""

    RESET = "reset"
    KEEP = "keep"


class DealerKeeps(StrEnum):
    """When the dealer deals again."""

    NEVER = "never"
    ON_WIN = "on_win"
    ON_WIN_OR_DRAW = "on_win_or_draw"


class FalseWin(StrEnum):
    """What a mahjong without a complete hand costs."""

    DEAD_HAND = "dead_hand"
    PAY_ALL = "pay_all"  # two bases to each other player, and the hand ends


class Addition(StrEnum):
    """House additions, each a quarter or half of the base."""

    COMPLETE_RUN = "complete_run"
    TWO_PAIR_WAIT = "two_pair_wait"
    HARD_WAIT = "hard_wait"
    ALL_CHOWS = "all_chows"
    ALL_PUNGS = "all_pungs"
    CONCEALED = "concealed"
    ALL_OPEN = "all_open"
    FIVE_DISCARDS = "five_discards"
    ONE_SUIT = "one_suit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Every choice of the Filipino game."""

    base: int = option(
        100,
        "The base unit; a multiple of 4 keeps quarters whole.",
        min=4,
        max=1_000_000,
        multiple_of=4,
    )
    players: int = option(4, "How many play; empty seats are skipped.", min=2, max=4)
    rounds: int = option(4, "Rounds in a game: in each, everybody deals.", min=1, max=99)
    deal_start: DealFrom = option(
        DealFrom.BREAK, "Where the deal starts. The players see to it, not the table."
    )
    deal_chunk: int = option(
        8,
        "Tiles taken at a time, 8 or 4. The players see to it, not the table.",
        min=4,
        max=8,
        multiple_of=4,
    )
    wall_reserve: int = option(0, "Stacks left unused at the end of the wall.", min=0, max=20)
    others_pay_on_discard: OthersPay = option(
        OthersPay.SINGLE, "What those who did not discard pay on a discard."
    )
    combine_additions: Combine = option(Combine.SUM, "Additions are added or multiplied.")
    no_flowers_at: NoFlowersAt = option(NoFlowersAt.WIN, "When having no bonus tile counts.")
    thirteen_flowers_amount: ThirteenAmount = option(
        ThirteenAmount.QUARTER_BASE, "What thirteen bonus tiles bring from each other player."
    )
    thirteen_flowers_time: ThirteenTime = option(
        ThirteenTime.AT_ONCE, "When thirteen bonus tiles are paid."
    )
    dealer_first_draw: bool = option(True, "The dealer's win on the first draw is doubled.")
    dealer_first_draw_after_replacement: bool = option(
        True, "It still is the first draw after bonus tiles or kongs were replaced."
    )
    special_double: tuple[Special, ...] = option(
        (), "Special hands that double the payment.", items=Special
    )
    extra_additions: tuple[Addition, ...] = option(
        (), "House additions that count.", items=Addition
    )
    dice_double: bool = option(False, "Equal dice in the deal throw double the hand.")
    dice_double_throw: DiceThrow = option(
        DiceThrow.SECOND, "Which deal throw is examined; where the table throws once, that one."
    )
    seven_pairs_set: SevenPairsSet = option(SevenPairsSet.PUNG, "What stands beside seven pairs.")
    seven_pairs_bonus: int = option(
        50, "What seven pairs and a pung add, in hundredths of the base.", min=0, max=400
    )
    seven_pairs_four_as_two: bool = option(True, "Four alike may serve as two pairs.")
    seven_pairs_open_pung: bool = option(False, "The pung beside seven pairs may be open.")
    chow_from_any: bool = option(False, "A chow may be claimed from any seat.")
    rob_kong: bool = option(True, "An added kong may be robbed.")
    kong_payments: bool = option(False, "Kongs are paid at once.")
    jokers: Jokers = option(Jokers.NONE, "Where jokers come from.")
    printed_jokers: int = option(4, "How many printed jokers are added to the set.", min=1, max=16)
    discarded_joker: DiscardedJoker = option(
        DiscardedJoker.NATURAL_WIN_ONLY, "What a discarded joker is good for."
    )
    joker_indicator_drawable: bool = option(
        True, "The turned tile stays in the wall; else three jokers remain."
    )
    joker_count_from: CountFrom = option(CountFrom.END, "From where the indicator is counted.")
    joker_before_flowers: bool = option(
        False,
        "The indicator is turned before the first bonus tiles are replaced. The players see to "
        "it: the table takes it when it is turned.",
    )
    goulash: bool = option(False, "Three tiles of every hand are exchanged before play.")
    goulash_jokers: bool = option(False, "Jokers may be laid down in the goulash.")
    redie: Redie = option(
        Redie.OFF,
        "When seats are drawn anew. The players see to it: points stay with the seats, so a new "
        "game is begun.",
    )
    jai_alai: bool = option(False, "The marker game runs across hands.")
    jai_alai_double: JaiAlaiDouble = option(
        JaiAlaiDouble.EXTRA_DOUBLING, "Which doubling gives an additional marker."
    )
    jai_alai_prize: int | None = option(
        None, "The prize of the marker game; none: the base.", min=0, max=1_000_000
    )
    jai_alai_payers: JaiAlaiPayers = option(JaiAlaiPayers.EACH, "Who pays the prize.")
    jai_alai_others: JaiAlaiOthers = option(
        JaiAlaiOthers.RESET, "What happens to the losers' markers."
    )
    dealer_keeps: DealerKeeps = option(DealerKeeps.NEVER, "When the dealer deals again.")
    false_win: FalseWin = option(FalseWin.DEAD_HAND, "What a false mahjong costs.")
    false_set: FalseWin = option(FalseWin.DEAD_HAND, "What a false meld costs after the discard.")

    def __post_init__(self) -> None:
        check_options(self)


PRESETS: Mapping[str, Options] = {
    "classic": Options(),
    "manila": Options(
        extra_additions=(
            Addition.COMPLETE_RUN,
            Addition.TWO_PAIR_WAIT,
            Addition.HARD_WAIT,
        ),
        kong_payments=True,
        dice_double=True,
        seven_pairs_set=SevenPairsSet.ANY_SET,
        jokers=Jokers.TURNED_TILE,
    ),
    "wiki": Options(
        extra_additions=tuple(Addition),
        kong_payments=True,
        dice_double=True,
        no_flowers_at=NoFlowersAt.DEAL_AND_WIN,
    ),
    "double_pairs": Options(seven_pairs_set=SevenPairsSet.ANY_SET, seven_pairs_bonus=100),
    "jai_alai": Options(jai_alai=True),
}
PRESET_SOURCES: Mapping[str, str] = {
    "classic": "The plain game of the compilation: a base of 100, a quarter more without flowers, "
    "a half more for seven pairs, no jokers",
    "manila": "Manila and Bay Area tables as noted in 1998: a turned joker, paid kongs, doubles on "
    "the deal dice, runs and hard waits add to the base",
    "wiki": "As the mahjong rules wiki lists it: all house additions, paid kongs, doubles on the "
    "deal dice, no flowers paid at the deal too",
    "double_pairs": "Seven pairs with any set count double, as a regional newspaper describes",
    "jai_alai": "The plain game with the marker game that runs across hands",
}
