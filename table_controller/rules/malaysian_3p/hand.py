"""Readings of a hand with flies: every way the jokers can stand for real tiles (section 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations_with_replacement

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.decomposition import is_seven_pairs, suit_splits
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Wind
from table_controller.rules.core.tiles import (
    JOKER,
    KIND_INDEX,
    KINDS,
    Suit,
    Tile,
    kind_counts,
    parse_tiles,
)
from table_controller.rules.core.win import Form, Win, readings
from table_controller.rules.malaysian_3p.options import FlySubstitutes, Options, tile_set

PLAYERS = 3
EAST, SOUTH, WEST, NORTH = parse_tiles("1234z")
SEAT_NUMBERS = {Wind.EAST: 1, Wind.SOUTH: 2, Wind.WEST: 3}
ANYBODYS_NUMBER = 4  # bamboo and winter have no seat: they count for every player


@dataclass(frozen=True)
class Hand:
    """A reading with everything else its fan depend on."""

    win: Win
    options: Options
    flies: int = 0
    stands_for: tuple[Tile, ...] = ()  # what the flies stand for
    after_two_kongs: bool = False
    is_robbed: bool = False
    first_discard: bool = False  # won on the dealer's first discard

    @property
    def seat_number(self) -> int:
        """1 for east, 2 for south, 3 for west."""
        return SEAT_NUMBERS[self.win.seat_wind]

    def bonus_of(self, *suits: Suit) -> tuple[Tile, ...]:
        """The bonus tiles of these suits that the player has set aside."""
        return tuple(tile for tile in self.win.bonus if tile.suit in suits)

    def pungs_of(self, *tiles: Tile) -> list[tuple[Tile, ...]]:
        """The tiles of every pung or kong of one of these tiles."""
        return [group.tiles for group in self.win.pungs if group.tile in tiles]


def real_melds(melds: Iterable[Meld]) -> tuple[Meld, ...]:
    """The melds with what their flies stand for."""
    return tuple(
        replace(meld, tiles=tuple(meld.tile if tile.is_joker else tile for tile in meld.tiles))
        for meld in melds
    )


def substitutes(options: Options) -> tuple[Tile, ...]:
    """The kinds a fly may stand for."""
    in_play = tile_set(options).number_of_face
    return tuple(
        kind
        for kind in KINDS
        if kind in in_play
        and (
            options.fly_substitutes is FlySubstitutes.ANY_CIRCLE_OR_HONOUR
            or kind.suit is Suit.CIRCLES
        )
    )


def assignments(
    concealed: Sequence[Tile], melds: tuple[Meld, ...], options: Options
) -> Iterator[tuple[Tile, ...]]:
    """Every choice of kinds for the flies that makes the concealed tiles a winning shape."""
    flies = sum(tile.is_joker for tile in concealed)
    counts = kind_counts(tile for tile in concealed if not tile.is_joker)
    if any(counts[:9]) or any(counts[18:27]):
        return
    exposed = kind_counts(face for meld in real_melds(melds) for face in meld.faces)
    allowed = {KIND_INDEX[tile] for tile in substitutes(options)}
    for chosen in dict.fromkeys(_choices(counts, flies, melds, options)):
        copies = Counter(chosen)
        if not copies.keys() <= allowed:
            continue
        if options.fly_limit_per_kind and any(
            counts[kind] + exposed[kind] + number > 4 for kind, number in copies.items()
        ):
            continue
        yield tuple(KINDS[kind] for kind in chosen)


def _choices(
    counts: list[int], flies: int, melds: tuple[Meld, ...], options: Options
) -> Iterator[tuple[int, ...]]:
    """Indexes of kinds for the flies: sets and a pair, or seven pairs."""
    circles, honours = tuple(counts[9:18]), tuple(counts[27:])
    for number in range(flies + 1):
        of_circles = _suit_choices(circles, number, True)
        of_honours = _suit_choices(honours, flies - number, False) if of_circles else ()
        if of_honours and _has_pair(circles, number) + _has_pair(honours, flies - number) == 1:
            for some in of_circles:
                for others in of_honours:
                    yield (*(9 + rank for rank in some), *(27 + rank for rank in others))
    if not melds and sum(counts) + flies == 14:
        yield from _pair_choices(counts, flies, options)


def _has_pair(counts: tuple[int, ...], flies: int) -> bool:
    return (sum(counts) + flies) % 3 == 2


@lru_cache(maxsize=50_000)
def _suit_choices(
    counts: tuple[int, ...], flies: int, with_chows: bool
) -> tuple[tuple[int, ...], ...]:
    """Ranks for so many flies that make one suit sets, or sets and a pair."""
    if (sum(counts) + flies) % 3 == 1:
        return ()
    found = []
    for ranks in combinations_with_replacement(range(len(counts)), flies):
        filled = list(counts)
        for rank in ranks:
            filled[rank] += 1
        if suit_splits(tuple(filled), with_chows):
            found.append(ranks)
    return tuple(found)


def _pair_choices(counts: list[int], flies: int, options: Options) -> Iterator[tuple[int, ...]]:
    """Kinds for the flies that make seven pairs."""
    single = tuple(kind for kind, number in enumerate(counts) if number % 2)
    if len(single) > flies:
        return
    for more in combinations_with_replacement(
        (*range(9, 18), *range(27, 34)), (flies - len(single)) // 2
    ):
        chosen = tuple(sorted((*single, *more, *more)))
        filled = list(counts)
        for kind in chosen:
            filled[kind] += 1
        if is_seven_pairs(filled, four_alike=not options.seven_pairs_distinct):
            yield chosen


def hands(case: Case, options: Options) -> Iterator[Hand]:
    """Every reading of the case's hand under every choice for its flies."""
    concealed = (*case.hand, case.winning_tile)
    melds = real_melds(case.melds)
    melded = (tile for meld in case.melds for tile in meld.tiles)
    flies = sum(tile.is_joker for tile in (*concealed, *melded))
    for chosen in assignments(concealed, melds, options):
        for settled in _settled(case, chosen):
            for win in readings(replace(settled, melds=melds), PLAYERS):
                if win.form is Form.THIRTEEN_ORPHANS:
                    continue
                alike = max(Counter(win.tiles).values()) > 2
                if win.form is Form.SEVEN_PAIRS and alike and options.seven_pairs_distinct:
                    continue
                yield Hand(
                    win=win,
                    options=options,
                    flies=flies,
                    stands_for=chosen,
                    is_robbed=Flag.ROBBING_KONG in case.flags,
                )


def _settled(case: Case, chosen: tuple[Tile, ...]) -> Iterator[Case]:
    """The case with real tiles for the flies; a fly that was drawn last may be any of them."""
    plain = tuple(tile for tile in case.hand if not tile.is_joker)
    if case.winning_tile != JOKER:
        yield replace(case, hand=(*plain, *chosen))
        return
    for last in dict.fromkeys(chosen):
        others = list(chosen)
        others.remove(last)
        yield replace(case, hand=(*plain, *others), winning_tile=last)
