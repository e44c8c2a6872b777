"""Splitting concealed tiles into chows, pungs and a pair, for hands of any size.

Inside, a suit is a tuple of nine counts and its splits are remembered; outside there are tiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from table_controller.rules.core.tiles import KINDS, ORPHANS, Tile, kind_counts


@dataclass(frozen=True, slots=True)
class Split:
    """One way to split concealed tiles: chows by their lowest tile, pungs, and the pair."""

    chows: tuple[Tile, ...]
    pungs: tuple[Tile, ...]
    pair: Tile | None


SuitSplits = tuple[tuple[tuple[int, ...], tuple[int, ...], int | None], ...]


@lru_cache(maxsize=200_000)
def suit_splits(counts: tuple[int, ...], with_chows: bool) -> SuitSplits:
    """Every split of one suit: (chow starts, pung ranks, pair rank or None), ranks from 0."""
    return tuple(dict.fromkeys(_suit_splits(list(counts), 0, with_chows, None)))


def _suit_splits(
    counts: list[int], rank: int, with_chows: bool, pair: int | None
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int | None]]:
    while rank < len(counts) and counts[rank] == 0:
        rank += 1
    if rank == len(counts):
        yield (), (), pair
        return
    if counts[rank] >= 3:
        counts[rank] -= 3
        for chows, pungs, found in _suit_splits(counts, rank, with_chows, pair):
            yield chows, (rank, *pungs), found
        counts[rank] += 3
    if pair is None and counts[rank] >= 2:
        counts[rank] -= 2
        yield from _suit_splits(counts, rank, with_chows, rank)
        counts[rank] += 2
    if with_chows and rank + 2 < len(counts) and counts[rank + 1] and counts[rank + 2]:
        for step in range(3):
            counts[rank + step] -= 1
        for chows, pungs, found in _suit_splits(counts, rank, with_chows, pair):
            yield (rank, *chows), pungs, found
        for step in range(3):
            counts[rank + step] += 1


_SUITS = ((0, 9, True), (9, 18, True), (18, 27, True), (27, 34, False))


def splits(tiles: Iterable[Tile]) -> list[Split]:
    """Every split of the tiles into sets and exactly one pair; empty when there is none."""
    return splits_of_counts(kind_counts(tiles))


def splits_of_counts(counts: Sequence[int]) -> list[Split]:
    """As `splits`, from counts of the 34 kinds."""
    total = sum(counts)
    if total % 3 != 2:
        return []
    parts = []
    for first, end, with_chows in _SUITS:
        part = suit_splits(tuple(counts[first:end]), with_chows)
        if not part:
            return []
        parts.append([(first, split) for split in part])
    found = []
    for choice in product(*parts):
        pairs = [first + pair for first, (_, _, pair) in choice if pair is not None]
        if len(pairs) != 1:
            continue
        found.append(
            Split(
                tuple(KINDS[first + rank] for first, (chows, _, _) in choice for rank in chows),
                tuple(KINDS[first + rank] for first, (_, pungs, _) in choice for rank in pungs),
                KINDS[pairs[0]],
            )
        )
    return found


def is_standard(counts: Sequence[int]) -> bool:
    """Sets and a pair, from counts of the 34 kinds."""
    if sum(counts) % 3 != 2:
        return False
    pairs = 0
    for first, end, with_chows in _SUITS:
        part = counts[first:end]
        remainder = sum(part) % 3
        if remainder == 1:
            return False
        pairs += remainder == 2
        if pairs > 1 or not suit_splits(tuple(part), with_chows):
            return False
    return pairs == 1


def is_seven_pairs(counts: Sequence[int], *, four_alike: bool = False) -> bool:
    """Seven pairs; two pairs of one kind count when ``four_alike``."""
    if sum(counts) != 14:
        return False
    if four_alike:
        return all(number in (0, 2, 4) for number in counts)
    return all(number in (0, 2) for number in counts)


_ORPHAN_INDEXES = tuple(KINDS.index(tile) for tile in ORPHANS)


def is_thirteen_orphans(counts: Sequence[int]) -> bool:
    """One of each terminal and honour, and one more of them."""
    held = [counts[index] for index in _ORPHAN_INDEXES]
    return sum(counts) == 14 and sum(held) == 14 and all(held)


@lru_cache(maxsize=200_000)
def _completions(counts: tuple[int, ...], with_chows: bool) -> tuple[tuple[int, ...], ...]:
    """Ranks that make this suit sets alone, and ranks that make it sets and a pair.

    A fifth copy completes too: whether it exists is for the rules to say.
    """
    found: tuple[list[int], list[int]] = ([], [])
    for rank in range(len(counts)):
        more = (*counts[:rank], counts[rank] + 1, *counts[rank + 1 :])
        remainder = sum(more) % 3
        if remainder != 1 and suit_splits(more, with_chows):
            found[remainder == 2].append(rank)
    return tuple(found[0]), tuple(found[1])


def standard_waits(counts: Sequence[int]) -> list[int]:
    """Indexes of the kinds that make sets and a pair of these counts of the 34 kinds."""
    parts = [(first, tuple(counts[first:end]), chows) for first, end, chows in _SUITS]
    whole = [sum(part) % 3 != 1 and bool(suit_splits(part, chows)) for _, part, chows in parts]
    pairs = [sum(part) % 3 == 2 for _, part, _ in parts]
    found: list[int] = []
    for place, (first, part, chows) in enumerate(parts):
        if all(whole[other] for other in range(4) if other != place):
            have = sum(pairs) - pairs[place]
            if have <= 1:
                found += [first + rank for rank in _completions(part, chows)[1 - have]]
    return found


def seven_pairs_waits(counts: Sequence[int]) -> list[int]:
    """The kind that makes seven different pairs, of 13 tiles."""
    if sum(counts) != 13 or max(counts) > 2 or sum(number == 2 for number in counts) != 6:
        return []
    return [kind for kind, number in enumerate(counts) if number == 1]


def thirteen_orphans_waits(counts: Sequence[int]) -> list[int]:
    """The kinds that make thirteen orphans, of 13 tiles: one, or all thirteen."""
    held = [counts[index] for index in _ORPHAN_INDEXES]
    if sum(counts) != 13 or sum(held) != 13:
        return []
    missing = [index for index in _ORPHAN_INDEXES if not counts[index]]
    return list(_ORPHAN_INDEXES) if not missing else missing if len(missing) == 1 else []
