"""The open-handed game for two: a first game in which every tile lies face up.

The turn order is clockwise; seats are numbered 1 to 4 and two players use 1 and 3. Points are
credited by the pot, nobody pays. Source: the teaching game of the Russian compilation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from table_controller.rules.core.case import Answer, Case, Item, Violation
from table_controller.rules.core.decomposition import splits
from table_controller.rules.core.errors import CaseError, OptionError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.options import check_options, option
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import (
    STANDARD_136,
    STANDARD_144,
    Suit,
    Tile,
    TileSet,
    format_tiles,
)
from table_controller.rules.core.win import Wait, Win, readings


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
    break_method: BreakMethod = option(BreakMethod.D6, "How the wall is broken.")
    place_dice: int = option(3, "With ordinary dice, how many give the place.", min=2, max=3)
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


WORTH = {MeldKind.CHOW: 3, MeldKind.PUNG: 4}
KONG_POINTS = 5
PAIR_POINTS = 2
WIN_POINTS = 5
BONUS_POINTS = 1
_NATIVE = {"chow": "顺子", "pung": "刻子", "kong": "杠子"}
_RULES = {
    "chow": "Three consecutive tiles of a suit count 3",
    "pung": "Three equal tiles count 4",
    "kong": "Four equal tiles that were announced count 5",
}


def tile_set(options: Options) -> TileSet:
    """144 tiles, or 136 without flowers and seasons."""
    return STANDARD_144 if options.bonus_tiles else STANDARD_136


def settle_win(case: Case, options: Options) -> Answer:
    """Judge a claimed win and credit its points."""
    _check(case, options)
    violation, reading = _judge(case, options)
    if violation is not None or reading is None:
        return Answer(
            ruleset=RULESET.name,
            valid=False,
            violations=() if violation is None else (violation,),
            players=options.players,
        )
    items = _winner_items(reading, case, options)
    payments = [_credit(case.winner, items, "mah-jong")]
    if options.scored_hands is ScoredHands.ALL:
        for seat in case.losers(options.players):
            shown = case.others.get(seat)
            if shown is not None and shown.hand is not None:
                counted = loser_items(seat, shown.hand, shown.melds, shown.bonus, options)
                if counted:
                    payments.append(_credit(seat, counted, "combinations in the hand"))
    points = sum(item.value for item in items)
    return Answer(
        ruleset=RULESET.name,
        valid=True,
        items=tuple(items),
        totals={"points": points},
        payments=tuple(payments),
        players=options.players,
    )


def _check(case: Case, options: Options) -> None:
    """Raises CaseError for what cannot lie on the table."""
    for seat in (case.winner, case.source):
        if seat is not None and seat >= options.players:
            raise CaseError(f"seat {int(seat)} does not play: {options.players} seats do")
    if case.source is case.winner:
        raise CaseError("the winner cannot be the discarder: a self-draw has no source")
    if case.bonus and not options.bonus_tiles:
        raise CaseError(f"bonus tiles {format_tiles(case.bonus)} in a game without them")
    for tile in (*case.hand, case.winning_tile):
        if tile.is_bonus or tile.is_joker:
            raise CaseError(f"{tile} is laid aside or not in this set: it cannot be in the hand")
    for tile in case.bonus:
        if tile.suit not in (Suit.FLOWERS, Suit.SEASONS):
            raise CaseError(f"{tile} is no flower or season")
    for meld in case.melds:
        if meld.kind in (MeldKind.QUINT, MeldKind.SEXTET):
            raise CaseError(f"a {meld.kind.value} does not exist in this game")
    expected = 13 - 3 * len(case.melds)
    if len(case.hand) != expected:
        raise CaseError(
            f"the hand names {len(case.hand)} tiles beside {len(case.melds)} melds, it holds "
            f"{expected} without the winning tile"
        )
    melded = [tile for meld in case.melds for tile in meld.tiles]
    tile_set(options).check((*case.hand, case.winning_tile, *melded, *case.bonus))


def _judge(case: Case, options: Options) -> tuple[Violation | None, Win | None]:
    """Why the win may not stand, or the dearest reading that may."""
    if not options.extend_pung:
        for meld in case.melds:
            if meld.kind is MeldKind.ADDED_KONG:
                return _refused(
                    "wrong_call",
                    case,
                    f"The kong of {meld.tile} was made by adding to a claimed pung, which this "
                    "table does not play.",
                ), None
    found = [win for win in readings(case, options.players) if win.pair is not None]
    if not found:
        return _refused(
            "not_a_win",
            case,
            "The tiles are not four combinations and a pair: "
            f"{format_tiles(sorted((*case.hand, case.winning_tile)))}.",
        ), None
    if not case.self_drawn:
        if options.win_on_discard is WinOnDiscard.OFF:
            return _refused(
                "wrong_call", case, "Here a round is won only by a tile drawn from the wall."
            ), None
        if options.win_on_discard is WinOnDiscard.COMBINATION:
            found = [win for win in found if win.wait is not Wait.PAIR]
            if not found:
                return _refused(
                    "wrong_call",
                    case,
                    f"The discarded {case.winning_tile} completes only the pair: a discard may be "
                    "claimed only when it completes a chow, pung or kong.",
                ), None
    return None, max(found, key=lambda win: sum(item.value for item in _set_items(win)))


def _refused(code: str, case: Case, text: str) -> Violation:
    return Violation(code=code, seat=case.winner, text=text + " The round continues.")


def _winner_items(win: Win, case: Case, options: Options) -> list[Item]:
    if options.scoring is Scoring.WIN_COUNT:
        first = [
            Item(
                id="win",
                name="Mah-jong",
                native="和牌",
                value=WIN_POINTS,
                unit="points",
                why="A won round counts 5.",
            )
        ]
    else:
        first = _set_items(win)
    return first + _bonus_items(case.winner, case.bonus, options)


def _set_items(win: Win) -> list[Item]:
    items = [_group_item(group.kind, group.tiles) for group in win.groups]
    assert win.pair is not None
    items.append(
        Item(
            id="pair",
            name="Pair",
            native="将",
            value=PAIR_POINTS,
            unit="points",
            why=f"The pair of the complete hand counts 2: {format_tiles((win.pair,) * 2)}.",
        )
    )
    return items


def _group_item(kind: MeldKind, tiles: Sequence[Tile]) -> Item:
    word = "kong" if kind.is_kong else kind.value
    return Item(
        id=word,
        name=word.capitalize(),
        native=_NATIVE[word],
        value=KONG_POINTS if kind.is_kong else WORTH[kind],
        unit="points",
        why=f"{_RULES[word]}: {format_tiles(tiles)}.",
    )


def _bonus_items(seat: Seat, bonus: Iterable[Tile], options: Options) -> list[Item]:
    number = options.number_of(seat)
    return [
        Item(
            id="bonus_match",
            name="Own flower" if tile.suit is Suit.FLOWERS else "Own season",
            native="正花",
            value=BONUS_POINTS,
            unit="points",
            why=f"A flower or season with the own seat number {number} counts 1: {tile}.",
        )
        for tile in bonus
        if tile.rank == number
    ]


def _credit(seat: Seat, items: Iterable[Item], reason: str) -> Payment:
    return Payment(None, seat, sum(item.value for item in items), reason)


def loser_items(
    seat: Seat,
    hand: Sequence[Tile],
    melds: Sequence[Meld],
    bonus: Sequence[Tile],
    options: Options,
) -> list[Item]:
    """What a hand that did not win counts when all hands are scored: its complete combinations and
    matching bonus tiles; with ``win_count`` nothing."""
    if options.scoring is Scoring.WIN_COUNT:
        return []
    items = [_group_item(meld.kind, meld.tiles) for meld in melds]
    items += [_group_item(kind, tiles) for kind, tiles in best_combinations(hand)]
    return items + _bonus_items(seat, bonus, options)


def best_combinations(hand: Iterable[Tile]) -> list[tuple[MeldKind, tuple[Tile, ...]]]:
    """The combinations in an incomplete hand, no tile used twice, with the highest sum."""
    by_suit: dict[Suit, list[int]] = {}
    for tile in hand:
        by_suit.setdefault(tile.suit, [0] * 9)[tile.rank - 1] += 1
    found: list[tuple[MeldKind, tuple[Tile, ...]]] = []
    for suit in sorted(by_suit):
        _, sets = _best_of_suit(tuple(by_suit[suit]), suit.is_numbered)
        for kind, rank in sets:
            step = 1 if kind is MeldKind.CHOW else 0
            tiles = tuple(Tile(suit, rank + 1 + step * place) for place in range(3))
            found.append((kind, tiles))
    return found


@lru_cache(maxsize=50_000)
def _best_of_suit(
    counts: tuple[int, ...], with_chows: bool
) -> tuple[int, tuple[tuple[MeldKind, int], ...]]:
    rank = next((place for place, number in enumerate(counts) if number), None)
    if rank is None:
        return 0, ()

    def less(*taken: int) -> tuple[int, ...]:
        left = list(counts)
        for place in taken:
            left[place] -= 1
        return tuple(left)

    choices = [_best_of_suit(less(rank), with_chows)]
    if counts[rank] >= 3:
        points, sets = _best_of_suit(less(rank, rank, rank), with_chows)
        choices.append((points + WORTH[MeldKind.PUNG], ((MeldKind.PUNG, rank), *sets)))
    if with_chows and rank <= 6 and counts[rank + 1] and counts[rank + 2]:
        points, sets = _best_of_suit(less(rank, rank + 1, rank + 2), with_chows)
        choices.append((points + WORTH[MeldKind.CHOW], ((MeldKind.CHOW, rank), *sets)))
    return max(choices, key=lambda choice: choice[0])


# --- the table before and between rounds ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Break:
    """Where the wall is split: after that many stacks, clockwise along a side from its start.

    ``side`` is the number 1 to 4 of the seat in front of which the wall stands.
    """

    side: int
    after_stack: int


def stacks_per_side(options: Options) -> int:
    """18 stacks with bonus tiles, 17 without, two high."""
    return 18 if options.bonus_tiles else 17


def break_by_dice(
    side_dice: Sequence[int], place_dice: Sequence[int], first: Seat, options: Options
) -> Break | None:
    """The break that a throw gives; None when the throw must be repeated.

    ``d4_d20``: one die of four, one of twenty. ``d6``: one die for the side (5 and 6 are thrown
    again) or two whose sum is counted around, and `place_dice` dice for the place. Sides count
    clockwise from the first player's side as 1; a place beyond the side is thrown again.
    """
    place = sum(place_dice)
    if place > stacks_per_side(options):
        return None
    if options.break_method is BreakMethod.D4_D20:
        _expect_dice(side_dice, 1, 4)
        _expect_dice(place_dice, 1, 20)
        counted = side_dice[0]
    elif options.break_method is BreakMethod.D6:
        if len(side_dice) not in (1, 2):
            raise CaseError(f"one or two dice give the side, not {len(side_dice)}")
        _expect_dice(side_dice, len(side_dice), 6)
        _expect_dice(place_dice, options.place_dice, 6)
        if len(side_dice) == 1 and side_dice[0] > 4:
            return None
        counted = sum(side_dice)
    else:
        raise CaseError("with break_method = choose the players name side and place, not dice")
    side = (options.number_of(first) - 1 + counted - 1) % 4 + 1
    return Break(side, place)


def _expect_dice(dice: Sequence[int], number: int, faces: int) -> None:
    if len(dice) != number or not all(1 <= die <= faces for die in dice):
        raise CaseError(f"expected {number} dice of {faces} faces, not {list(dice)}")


def deal_order(first: Seat, options: Options) -> Iterator[tuple[Seat, int]]:
    """Who takes how many tiles: three times four (two stacks), then one each; nobody gets 14."""
    for number in (4, 4, 4, 1):
        for steps in range(options.players):
            yield first.after(steps, options.players), number


class Claim(StrEnum):
    """What a discard is claimed for; listed from the strongest."""

    WIN = "win"
    KONG = "kong"
    PUNG = "pung"
    CHOW = "chow"


def possible_claims(
    seat: Seat,
    hand: Sequence[Tile],
    melds: Sequence[Meld],
    discard: Tile,
    discarder: Seat,
    options: Options,
) -> tuple[Claim, ...]:
    """What the discard may be claimed for: only what completes a combination, or the win."""
    claims = []
    case = Case(
        winner=seat, source=discarder, hand=tuple(hand), winning_tile=discard, melds=tuple(melds)
    )
    if len(hand) == 13 - 3 * len(melds) and _judge(case, options)[0] is None:
        claims.append(Claim.WIN)
    alike = sum(tile.face == discard.face for tile in hand)
    if alike >= 3:
        claims.append(Claim.KONG)
    if alike >= 2:
        claims.append(Claim.PUNG)
    if chows_with(hand, discard) and (
        options.chow_source is ChowSource.ANY or discarder.after(1, options.players) is seat
    ):
        claims.append(Claim.CHOW)
    return tuple(claims)


def chows_with(hand: Sequence[Tile], discard: Tile) -> list[tuple[Tile, Tile]]:
    """The pairs of tiles from the hand that form a chow with the discard."""
    if not discard.is_numbered:
        return []
    held = {tile.rank for tile in hand if tile.suit is discard.suit}
    found = []
    for first, second in ((-2, -1), (-1, 1), (1, 2)):
        ranks = (discard.rank + first, discard.rank + second)
        if held.issuperset(ranks):
            found.append((Tile(discard.suit, ranks[0]), Tile(discard.suit, ranks[1])))
    return found


def strongest_claim(
    claims: Mapping[Seat, Claim], discarder: Seat, options: Options
) -> tuple[Seat, Claim] | None:
    """Who gets the discard: the win first, kong and pung before chow, then the next clockwise."""
    rank = {Claim.WIN: 0, Claim.KONG: 1, Claim.PUNG: 1, Claim.CHOW: 2}
    if not claims:
        return None
    seat = min(
        claims, key=lambda seat: (rank[claims[seat]], discarder.turns_until(seat, options.players))
    )
    return seat, claims[seat]


def next_first(first: Seat, winner: Seat | None, options: Options) -> Seat:
    """Who begins the next round; ``winner`` is None after an exhausted wall."""
    if winner is None:
        return first if options.draw_first is DrawFirst.SAME else first.after(1, options.players)
    from_seat = winner if options.next_first is NextFirst.LEFT_OF_WINNER else first
    return from_seat.after(1, options.players)


def game_ends(rounds_played: int, options: Options) -> bool:
    """The agreed number of rounds has been played."""
    return rounds_played >= options.rounds


def leaders(totals: Sequence[int]) -> tuple[Seat, ...]:
    """Who has the highest total; several seats are a tie."""
    best = max(totals)
    return tuple(Seat(place) for place, total in enumerate(totals) if total == best)


def is_complete(hand: Iterable[Tile], melds: Sequence[Meld]) -> bool:
    """Four combinations and a pair, from the concealed tiles and the declared combinations."""
    tiles = tuple(hand)
    return len(tiles) == 14 - 3 * len(melds) and bool(splits(tiles))


PRESETS: Mapping[str, Options] = {
    "teaching": Options(),
    "hidden": Options(open_hands=False, hints=False),
    "count_wins": Options(scoring=Scoring.WIN_COUNT),
    "without_bonus_tiles": Options(bonus_tiles=False),
}

RULESET: Ruleset[Options] = Ruleset(
    name="two_player",
    title="Game for two",
    native="Маджонг для двоих",
    source="Teaching game of the Russian compilation",
    players=2,
    options=Options(),
    presets=PRESETS,
    tile_set=tile_set,
    settle_win=settle_win,
)
