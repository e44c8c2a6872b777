"""The choices of the game for two; the defaults are those of its description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.options import check_options, option
from table_controller.rules.core.seats import Seat


class BreakMethod(StrEnum):
    """How the place where the wall is broken is found."""

    CHOOSE = "choose"  # the first player chooses a side, the other the place on it
    D4_D20 = "d4_d20"  # a four-sided and a twenty-sided die
    D6 = "d6"  # ordinary dice


class Scoring(StrEnum):
    """What a won round is worth."""

    SETS = "sets"  # every combination by its kind
    WIN_COUNT = "win_count"  # five for the win


class ScoredHands(StrEnum):
    """Whose hands are counted."""

    WINNER = "winner"
    ALL = "all"  # every player counts the complete combinations lying in the hand


class WinOnDiscard(StrEnum):
    """Which discards may be claimed for the win."""

    COMBINATION = "combination"  # it must complete a combination
    ANY = "any"  # also the pair
    OFF = "off"  # only an own draw wins


class ChowSource(StrEnum):
    """From whom a chow may be claimed."""

    ANY = "any"
    PREVIOUS = "previous"  # only the seat whose turn was before


class NextFirst(StrEnum):
    """Who begins the round after a win."""

    LEFT_OF_WINNER = "left_of_winner"
    LEFT_OF_FIRST = "left_of_first"


class DrawFirst(StrEnum):
    """Who begins the round after an exhausted wall."""

    SAME = "same"
    NEXT = "next"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The choices of the teaching game; the defaults are those of its description."""

    seats: tuple[int, ...] = option((1, 3), "The seat numbers in use, clockwise from 1 to 4.")
    bonus_tiles: bool = option(True, "Flowers and seasons are in the wall: 144 tiles, else 136.")
    break_method: BreakMethod = option(
        BreakMethod.D6, "How the wall is broken. The players see to it, not the table."
    )
    place_dice: int = option(
        3,
        "With ordinary dice, how many give the place. The players see to it, not the table.",
        min=2,
        max=3,
    )
    open_hands: bool = option(True, "Hands lie face up; else they stand hidden.")
    extend_pung: bool = option(True, "A drawn tile may be added to a claimed pung.")
    chow_source: ChowSource = option(ChowSource.ANY, "From whom a chow may be claimed.")
    win_on_discard: WinOnDiscard = option(
        WinOnDiscard.COMBINATION, "Which discards may be claimed for the win."
    )
    scoring: Scoring = option(Scoring.SETS, "What a won round is worth.")
    scored_hands: ScoredHands = option(ScoredHands.WINNER, "Whose hands are counted.")
    next_first: NextFirst = option(NextFirst.LEFT_OF_WINNER, "Who begins after a win.")
    draw_first: DrawFirst = option(DrawFirst.SAME, "Who begins after an exhausted wall.")
    rounds: int = option(8, "Rounds in a game.", min=1, max=999)
    hints: bool = option(True, "The table may point out a missed combination or win.")
    teaching_mode: bool = option(True, "Errors are reported and corrected, never penalised.")

    def __post_init__(self) -> None:
        check_options(self)
        if (
            not 2 <= len(self.seats) <= 4
            or list(self.seats) != sorted(set(self.seats))
            or not set(self.seats) <= {1, 2, 3, 4}
        ):
            raise OptionError(
                f"option seats is {list(self.seats)}: two to four of 1 2 3 4, in that order"
            )

    @property
    def players(self) -> int:
        """How many play."""
        return len(self.seats)

    def number_of(self, seat: Seat) -> int:
        """The seat number: what a flower or season is compared with."""
        return self.seats[seat]


PRESETS: Mapping[str, Options] = {
    "teaching": Options(),
    "hidden": Options(open_hands=False, hints=False),
    "count_wins": Options(scoring=Scoring.WIN_COUNT),
    "without_bonus_tiles": Options(bonus_tiles=False),
}
