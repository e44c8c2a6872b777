"""The choices of American mahjong; the defaults are those of its description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.options import check_options, option

PRACTICE_CARD = "practice-1"


class HighestThrowTie(StrEnum):
    """Who is first East when two throws are equal."""

    FIRST = "first"  # the earlier throw counts
    RETHROW = "rethrow"


class CharlestonRule(StrEnum):
    """How much of the Charleston is played."""

    STANDARD = "standard"
    FIRST_ONLY = "first_only"
    NONE = "none"


class CourtesyRule(StrEnum):
    """How many tiles a courtesy pass exchanges when the two wishes differ."""

    MINIMUM = "minimum"
    EQUAL_ONLY = "equal_only"


class ClaimWindow(StrEnum):
    """How long a discard can be claimed."""

    UNTIL_RACKED = "until_racked"  # until the next player has racked a tile or discarded
    SECONDS = "seconds"


class ExposureEdit(StrEnum):
    """May an exposure be changed before the discard that follows it."""

    UNTIL_DISCARD = "until_discard"
    NEVER = "never"


class JokerDiscardName(StrEnum):
    """How a discarded joker is named; it cannot be claimed either way."""

    DEAD = "dead"
    SAME = "same"


class JokerlessDeclared(StrEnum):
    """Must the jokerless bonus be announced."""

    AUTOMATIC = "automatic"
    MUST_BE_ANNOUNCED = "must_be_announced"


class JokerlessScope(StrEnum):
    """Which jokers count against a jokerless hand."""

    TILES_AT_MAHJONG = "tiles_at_mahjong"
    NEVER_HELD = "never_held"


class ExchangeWin(StrEnum):
    """How a Mahjong with an exchanged joker is paid when the turn began with a claim."""

    SELF_PICK = "self_pick"
    BY_FIRST_TILE = "by_first_tile"


class HeavenlyHand(StrEnum):
    """East's Mahjong before the Charleston."""

    SELF_PICK = "self_pick"
    DOUBLE = "double"
    OFF = "off"


class DeadExposures(StrEnum):
    """What happens to the exposures of a dead hand."""

    ALL_REMAIN = "all_remain"
    VALID_ONLY = "valid_only"  # exposures made in error return to the rack


class DeadCheck(StrEnum):
    """How far the live check of exposures looks."""

    STRUCTURE = "structure"
    FULL = "full"  # also whether the tiles still needed can exist


class MahjongInError(StrEnum):
    """What a Mahjong without a matching line costs."""

    DEAD = "dead"
    PAY_ALL = "pay_all"


class WrongChallenge(StrEnum):
    """What a wrong challenge of another hand costs, beside its points."""

    POINTS = "points"
    CHALLENGER_DEAD = "challenger_dead"


class Misnaming(StrEnum):
    """What a discard named wrongly and claimed for Mahjong costs."""

    IGNORE = "ignore"
    FOUR_TIMES = "four_times"


class LargestB(StrEnum):
    """Which of several matching lines counts."""

    VALUE_AFTER_BONUS = "value_after_bonus"
    FIRST_LINE = "first_line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Every choice of the American game."""

    card: str = option(
        PRACTICE_CARD, "The card: practice-1, or the text of a card file (american-card/1)."
    )
    year: int | None = option(None, "Four digits for [YEAR]; none: the year of the card.")
    hands: int = option(16, "Hands in a game.", min=1, max=999)
    highest_throw_tie: HighestThrowTie = option(
        HighestThrowTie.FIRST,
        "Who is first East when throws are equal. The players see to it, not the table.",
    )
    charleston: CharlestonRule = option(
        CharlestonRule.STANDARD, "How much of the Charleston is played."
    )
    blind_pass_steps: tuple[int, ...] = option((3, 6), "Steps in which tiles may pass blind.")
    blind_pass_max: int = option(3, "Most tiles passed blind.", min=2, max=3)
    courtesy_rule: CourtesyRule = option(
        CourtesyRule.MINIMUM, "How many tiles a courtesy pass exchanges."
    )
    claim_window: ClaimWindow = option(
        ClaimWindow.UNTIL_RACKED,
        "How long a discard can be claimed. The players see to it, not the table.",
    )
    claim_window_s: int = option(
        5,
        "With a window of seconds: how many. The players see to it, not the table.",
        min=1,
        max=60,
    )
    exposure_edit: ExposureEdit = option(
        ExposureEdit.UNTIL_DISCARD, "May an exposure change before the discard after it."
    )
    exposure_min_naturals: int = option(
        1, "Naturals an exposure needs, the claimed tile among them.", min=1, max=2
    )
    joker_discard_name: JokerDiscardName = option(
        JokerDiscardName.DEAD,
        "How a discarded joker is named. The players see to it, not the table.",
    )
    jokerless_declared: JokerlessDeclared = option(
        JokerlessDeclared.AUTOMATIC,
        "Must the jokerless bonus be announced. The table hears no announcement: the staff tells "
        "it before the hand is judged.",
    )
    jokerless_scope: JokerlessScope = option(
        JokerlessScope.TILES_AT_MAHJONG,
        "Which jokers count against a jokerless hand. The table knows of those that were exposed, "
        "exchanged or discarded.",
    )
    exchange_win: ExchangeWin = option(
        ExchangeWin.SELF_PICK, "How a Mahjong with an exchanged joker is paid after a claim."
    )
    exchange_after_claim: bool = option(
        True, "Jokers may be exchanged in a turn that began with a claim."
    )
    heavenly_hand: HeavenlyHand = option(
        HeavenlyHand.SELF_PICK, "East's Mahjong before the Charleston."
    )
    dead_exposures: DeadExposures = option(
        DeadExposures.ALL_REMAIN,
        "What happens to the exposures of a dead hand.",
    )
    dead_check: DeadCheck = option(DeadCheck.STRUCTURE, "How far the live check looks.")
    auto_dead: bool = option(False, "An impossible exposure is dead at once, unchallenged.")
    mahjong_in_error: MahjongInError = option(
        MahjongInError.DEAD, "What a Mahjong without a matching line costs."
    )
    wrong_challenge: WrongChallenge = option(
        WrongChallenge.POINTS,
        "What a wrong challenge of another hand costs. The table hears no challenge: the staff "
        "tells it who challenges whom.",
    )
    wrong_challenge_points: int = option(
        50, "Points a wrong challenger pays to the challenged player.", min=0, max=1000
    )
    misnaming: Misnaming = option(
        Misnaming.IGNORE,
        "What a wrongly named discard costs. The table hears no names: the staff tells it before "
        "the hand is judged.",
    )
    wall_game_payment: int = option(
        0, "Points each player with a live hand is credited in a wall game.", min=0, max=1000
    )
    largest_b: LargestB = option(
        LargestB.VALUE_AFTER_BONUS, "Which of several matching lines counts."
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.year is not None and not (isinstance(self.year, int) and 1000 <= self.year <= 9999):
            raise OptionError(f"option year is {self.year!r}: four digits, or none")
        if any(step not in range(1, 7) for step in self.blind_pass_steps):
            raise OptionError(
                f"option blind_pass_steps is {list(self.blind_pass_steps)}: steps from 1 to 6"
            )


PRESETS: Mapping[str, Options] = {
    "league": Options(),
    "full_check": Options(dead_check=DeadCheck.FULL),
    "no_charleston": Options(charleston=CharlestonRule.NONE),
    "tournament": Options(wall_game_payment=10, misnaming=Misnaming.FOUR_TIMES),
}
