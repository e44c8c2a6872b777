"""What a sixteen-tile hand and its seventeenth tile can be read as, jokers included.

A reading is kept only by what scoring asks of it (`Shape`), so that the many ways to place jokers
fall together. Inside, a suit is nine counts; the search is remembered per suit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.tiles import Suit, Tile
from table_controller.rules.core.win import Wait

SUITS = (Suit.CHARACTERS, Suit.CIRCLES, Suit.BAMBOOS)
SETS = 5
RUN_STARTS = {0: 1, 3: 2, 6: 4}  # 123, 456, 789 as bits of a complete run
COMPLETE_RUN = 7
ANY_JOKER = -1  # the winning tile is a joker: it may stand at any joker's place


@dataclass(frozen=True, slots=True)
class Shape:
    """One reading: its form, how many chows and pungs (melds included), and what it waited for."""

    seven_pairs: bool
    chows: int
    pungs: int
    has_run: bool
    wait: Wait


class _Part(NamedTuple):
    """What one suit contributes to a reading."""

    jokers: int
    chows: int
    pungs: int
    pairs: int
    run: int
    wait: Wait | None


class _Group(NamedTuple):
    """One set or pair inside a suit: which naturals and how many jokers it takes."""

    naturals: tuple[int, ...]  # ranks
    jokers: tuple[int, ...]  # ranks that jokers stand for
    chow: int | None  # the lowest rank of a chow


def suit_counts(tiles: Iterable[Tile]) -> tuple[tuple[int, ...], ...]:
    """Nine counts for each of the three suits, from suited tiles without jokers."""
    counts = {suit: [0] * 9 for suit in SUITS}
    for tile in tiles:
        counts[tile.suit][tile.rank - 1] += 1
    return tuple(tuple(counts[suit]) for suit in SUITS)


def standard_shapes(
    naturals: Sequence[Tile],
    jokers: int,
    winning: Tile | None,
    melds: Sequence[Meld] = (),
) -> set[Shape]:
    """Every reading as five sets and a pair; ``winning`` None is a joker drawn by the winner.

    ``naturals`` and ``jokers`` are the concealed part with the winning tile.
    """
    counts = suit_counts(naturals)
    wanted = SETS - len(melds)
    if 3 * wanted + 2 != sum(map(sum, counts)) + jokers or wanted < 0:
        return set()
    meld_chows = sum(meld.kind is MeldKind.CHOW for meld in melds)
    shapes = set()
    for marks in _marks(winning):
        parts = [
            _suit_parts(count, jokers, mark) for count, mark in zip(counts, marks, strict=True)
        ]
        for combined in product(*parts):
            if (
                sum(part.jokers for part in combined) != jokers
                or sum(part.pairs for part in combined) != 1
                or sum(part.chows + part.pungs for part in combined) != wanted
            ):
                continue
            (wait,) = (part.wait for part in combined if part.wait is not None)
            chows = sum(part.chows for part in combined)
            runs = [part.run for part in combined]
            shapes.add(
                Shape(
                    seven_pairs=False,
                    chows=chows + meld_chows,
                    pungs=SETS - chows - meld_chows,
                    has_run=_has_run(runs, melds),
                    wait=wait,
                )
            )
    return shapes


def _marks(winning: Tile | None) -> Iterator[tuple[int | None, ...]]:
    """For each suit, the rank (from 0) or joker whose place in the reading is to be known."""
    for place, suit in enumerate(SUITS):
        if winning is None or winning.suit is suit:
            rank = ANY_JOKER if winning is None else winning.rank - 1
            yield tuple(rank if other == place else None for other in range(len(SUITS)))


@lru_cache(maxsize=100_000)
def _suit_parts(counts: tuple[int, ...], jokers: int, mark: int | None) -> frozenset[_Part]:
    """Every way to use all naturals of a suit and up to that many jokers.

    With a mark, only ways in which a group holds the winning tile, and how it waited.
    """
    lowest = next((rank for rank, number in enumerate(counts) if number), None)
    if lowest is None:
        done = {_Part(0, 0, 0, 0, 0, None)} if mark is None else set()
        groups = _joker_groups(jokers)
    else:
        done = set()
        groups = _groups_with(lowest, counts, jokers)
    for group in groups:
        left = list(counts)
        for rank in group.naturals:
            left[rank] -= 1
        rest, spare = tuple(left), jokers - len(group.jokers)
        for part in _suit_parts(rest, spare, mark):
            done.add(_with_group(part, group, part.wait))
        if mark is not None:
            ranks = group.jokers if mark == ANY_JOKER else (mark,) if mark in group.naturals else ()
            if ranks:
                for part in _suit_parts(rest, spare, None):
                    for rank in ranks:
                        done.add(_with_group(part, group, _wait(group, rank)))
    return frozenset(part for part in done if part.pairs <= 1)


def _with_group(part: _Part, group: _Group, wait: Wait | None) -> _Part:
    size = len(group.naturals) + len(group.jokers)
    is_chow = group.chow is not None
    return _Part(
        part.jokers + len(group.jokers),
        part.chows + is_chow,
        part.pungs + (size == 3 and not is_chow),
        part.pairs + (size == 2),
        part.run | (RUN_STARTS.get(group.chow, 0) if group.chow is not None else 0),
        wait,
    )


def _groups_with(lowest: int, counts: tuple[int, ...], jokers: int) -> Iterator[_Group]:
    """The groups that may hold the lowest natural tile of the suit."""
    for size in (2, 3):
        for natural in range(1, min(size, counts[lowest]) + 1):
            if size - natural <= jokers:
                yield _Group((lowest,) * natural, (lowest,) * (size - natural), None)
    for start in range(max(0, lowest - 2), min(lowest, 6) + 1):
        places = [rank for rank in range(start, start + 3) if rank != lowest]
        held = [rank for rank in places if counts[rank]]
        for chosen in product((True, False), repeat=len(held)):
            used = [rank for rank, natural in zip(held, chosen, strict=True) if natural]
            missing = tuple(rank for rank in places if rank not in used)
            if len(missing) <= jokers:
                yield _Group((lowest, *used), missing, start)


def _joker_groups(jokers: int) -> Iterator[_Group]:
    """Groups of jokers only; of the chows one for each third of a run and one other."""
    if jokers >= 2:
        yield _Group((), (4, 4), None)
    if jokers >= 3:
        yield _Group((), (4, 4, 4), None)
        for start in (0, 1, 3, 6):
            yield _Group((), (start, start + 1, start + 2), start)


def _wait(group: _Group, rank: int) -> Wait:
    if group.chow is None:
        return Wait.PAIR if len(group.naturals) + len(group.jokers) == 2 else Wait.PUNG
    if rank == group.chow + 1:
        return Wait.CLOSED
    if (group.chow, rank) in ((0, 2), (6, 6)):
        return Wait.EDGE
    return Wait.OPEN


def _has_run(concealed: Sequence[int], melds: Sequence[Meld]) -> bool:
    """Chows 123, 456 and 789 of one suit; a joker in a melded chow counts for its owner."""
    for place, suit in enumerate(SUITS):
        choices = [
            [RUN_STARTS.get(start, 0) for start in _chow_starts(meld)]
            for meld in melds
            if meld.kind is MeldKind.CHOW and meld.tile.suit is suit
        ]
        for chosen in product(*choices):
            found = concealed[place]
            for bit in chosen:
                found |= bit
            if found == COMPLETE_RUN:
                return True
    return False


def _chow_starts(meld: Meld) -> list[int]:
    """The ranks (from 0) at which the chow may begin: one, unless a joker stands at its end."""
    ranks = [tile.rank - 1 for tile in meld.tiles if not tile.is_joker]
    return [start for start in range(7) if start <= min(ranks) and max(ranks) <= start + 2]


def seven_pairs_shapes(
    naturals: Sequence[Tile],
    jokers: int,
    winning: Tile | None,
    *,
    any_set: bool = False,
    four_as_two: bool = True,
    open_set: bool = False,
) -> set[Shape]:
    """Seven pairs and a pung (or any set); with ``open_set`` the set is a meld already."""
    counts = [number for suit in suit_counts(naturals) for number in suit]
    total = sum(counts) + jokers
    shapes: set[Shape] = set()
    if total != (14 if open_set else 17):
        return shapes
    if open_set:
        if _pairs_missing(counts, four_as_two) <= jokers:
            shapes.add(Shape(seven_pairs=True, chows=0, pungs=1, has_run=False, wait=Wait.PAIR))
        return shapes
    if _pairs_missing(counts, four_as_two=True) > jokers + 3:
        return shapes  # a set takes three tiles: it makes at most three more faces even
    win_index = None if winning is None else SUITS.index(winning.suit) * 9 + winning.rank - 1
    for index in range(27):
        for taken in range(min(3, counts[index]) + 1):
            left = counts.copy()
            left[index] -= taken
            blocked = index if not four_as_two else None
            missing = _pairs_missing(left, four_as_two, blocked)
            if 3 - taken + missing <= jokers:
                in_set = win_index == index and taken > 0
                for wait in _special_waits(in_set, left, win_index, jokers, taken < 3):
                    shapes.add(Shape(seven_pairs=True, chows=0, pungs=1, has_run=False, wait=wait))
    if any_set:
        for start in (index for index in range(27) if index % 9 <= 6):
            for chosen in product((0, 1), repeat=3):
                left = counts.copy()
                for step, natural in enumerate(chosen):
                    left[start + step] -= natural
                if min(left) < 0:
                    continue
                if 3 - sum(chosen) + _pairs_missing(left, four_as_two) <= jokers:
                    shapes.add(
                        Shape(seven_pairs=True, chows=1, pungs=0, has_run=False, wait=Wait.OTHER)
                    )
    return shapes


def _special_waits(
    in_set: bool, left: Sequence[int], win_index: int | None, jokers: int, joker_in_set: bool
) -> Iterator[Wait]:
    if in_set or (win_index is None and joker_in_set):
        yield Wait.PUNG
    if (win_index is not None and left[win_index]) or (win_index is None and jokers):
        yield Wait.PAIR


def _pairs_missing(counts: Sequence[int], four_as_two: bool, blocked: int | None = None) -> int:
    """How many jokers make pairs of all tiles; 99 when tiles cannot be pairs at all."""
    if not four_as_two:
        if any(number > 2 for number in counts):
            return 99
        if blocked is not None and counts[blocked]:
            return 99
    return sum(number % 2 for number in counts)
