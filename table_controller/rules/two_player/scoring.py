"""Judging a win of the game for two, and counting its combinations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from table_controller.rules.core.case import Answer, Case, Item, Violation
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld, MeldKind
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
from table_controller.rules.two_player.options import (
    Options,
    ScoredHands,
    Scoring,
    WinOnDiscard,
)

NAME = "two_player"
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
    violation, reading = judge_case(case, options)
    if violation is not None or reading is None:
        return Answer(
            ruleset=NAME,
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
        ruleset=NAME,
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


def judge_case(case: Case, options: Options) -> tuple[Violation | None, Win | None]:
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
