"""How many tiles a hand is away from waiting, and which tiles bring it nearer.

For every suit a table says how many tiles it lacks for each number of sets, with and without the
pair. Suits with equal needs share one number (there are a few thousand), and so do sums of
suits: adding up a hand is four look-ups and three sums that are remembered as well. A suit itself
is put together from its ranks 1 to 5 and 6 to 9 for every number of chows that lie across.
Everything is worked out when first met.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from table_controller.rules.core.tiles import ORPHANS, Tile, kind_counts

Needs = tuple[int, ...]
"""Tiles lacking for 0 to 4 sets, then the same with a pair; `NEVER` where it cannot be."""

NEVER = 99
MOST_SETS = 4
_WIDTH = MOST_SETS + 1
_KEPT = 60_000  # suits remembered: a few MB

_ids: dict[Needs, int] = {}
_needs: list[Needs] = []
_sums: dict[int, int] = {}
_least: dict[int, int] = {}


def _id(needs: Needs) -> int:
    """The number of these needs; equal needs have one number."""
    found = _ids.get(needs)
    if found is None:
        found = _ids[needs] = len(_needs)
        _needs.append(needs)
    return found


@lru_cache(maxsize=40_000)
def _lacking(counts: tuple[int, ...], started: int, running: int, with_chows: bool) -> Needs:
    """The needs of these ranks when ``started`` chows began one rank before, ``running`` two."""
    if not counts:
        return (0,) + (NEVER,) * (2 * _WIDTH - 1)
    best = [NEVER] * (2 * _WIDTH)
    most_chows = 2 if with_chows and len(counts) >= 3 else 0
    for chows in range(most_chows + 1):
        rest: Needs | None = None
        for pung in (0, 1):
            for pair in (0, 1):
                needed = started + running + chows + 3 * pung + 2 * pair
                if needed > 4:
                    continue  # there are four of each
                lack = max(0, needed - counts[0])
                if rest is None:
                    rest = _lacking(counts[1:], chows, started, with_chows)
                for place, more in enumerate(rest):
                    sets = place % _WIDTH + chows + pung
                    if more == NEVER or sets > MOST_SETS or (pair and place >= _WIDTH):
                        continue
                    at = sets + (_WIDTH if pair or place >= _WIDTH else 0)
                    best[at] = min(best[at], lack + more)
    return tuple(best)


@lru_cache(maxsize=40_000)
def _part(counts: tuple[int, ...], started: int, running: int) -> int:
    return _id(_lacking(counts, started, running, True))


_ACROSS = tuple((a, b) for a in range(3) for b in range(3) if a + b <= MOST_SETS)
"""How many chows 567 and how many chows 456 lie across the two parts of a suit."""


def _suit(counts: tuple[int, ...]) -> int:
    """The number of the needs of a numbered suit."""
    low, high = counts[4::-1], counts[5:]
    best: int | None = None
    for outer, inner in _ACROSS:
        one, two = _part(low, inner, outer), _part(high, outer, inner)
        key = one << 20 | two
        both = _sums[key] if key in _sums else _both(one, two)
        across = _with_sets(both, outer + inner)
        best = across if best is None else _smaller(best, across)
    assert best is not None
    return best


@lru_cache(maxsize=4_000)
def _with_sets(needs: int, sets: int) -> int:
    """The same needs with that many sets more."""
    plain, paired = _needs[needs][:_WIDTH], _needs[needs][_WIDTH:]
    more = (NEVER,) * sets
    return _id((more + plain)[:_WIDTH] + (more + paired)[:_WIDTH])


def _smaller(first: int, second: int) -> int:
    """The lesser of both needs, place by place."""
    key = first << 20 | second
    found = _least.get(key)
    if found is None:
        found = _least[key] = _id(tuple(map(min, _needs[first], _needs[second])))
    return found


def _both(first: int, second: int) -> int:
    """The number of the needs of two parts together."""
    one, two = _needs[first], _needs[second]
    best = [NEVER] * (2 * _WIDTH)
    for place, lack in enumerate(one):
        for other, more in enumerate(two):
            sets = place % _WIDTH + other % _WIDTH
            if sets > MOST_SETS or (place >= _WIDTH and other >= _WIDTH):
                continue
            at = sets + (_WIDTH if place >= _WIDTH or other >= _WIDTH else 0)
            best[at] = min(best[at], lack + more, NEVER)
    found = _sums[first << 20 | second] = _id(tuple(best))
    return found


# What seven pairs and thirteen orphans need to know of a suit, packed so that suits can be added:
# pairs, kinds, kinds of terminals and honours, pairs of those; five bits each.
_PAIR, _KIND, _ORPHAN, _ORPHAN_PAIR = 1, 1 << 5, 1 << 10, 1 << 15


class _SuitTable(dict[tuple[int, ...], tuple[int, int]]):
    """The number of a suit's needs, and its pairs and kinds, by its counts."""

    def __init__(self, orphan_ranks: Iterable[int], *, with_chows: bool) -> None:
        super().__init__()
        self.orphan_ranks, self.with_chows = frozenset(orphan_ranks), with_chows

    def __missing__(self, counts: tuple[int, ...]) -> tuple[int, int]:
        if len(self) >= _KEPT:
            self.clear()
        packed = 0
        for rank, number in enumerate(counts):
            is_orphan = rank in self.orphan_ranks
            if number:
                packed += _KIND + _ORPHAN * is_orphan
            if number >= 2:
                packed += _PAIR + _ORPHAN_PAIR * is_orphan
        needs = _suit(counts) if self.with_chows else _id(_lacking(counts, 0, 0, False))
        found = self[counts] = (needs, packed)
        return found


_numbered = _SuitTable((0, 8), with_chows=True)
_honours = _SuitTable(range(7), with_chows=False)
assert len(ORPHANS) == 13


def shanten_of_counts(counts: Sequence[int], melds: int = 0) -> int:
    """Shanten of concealed tiles, as counts of the 34 kinds: 0 waits, -1 is complete.

    Seven pairs and thirteen orphans count only without melds.
    """
    part = tuple(counts)
    one, a = _numbered[part[:9]]
    two, b = _numbered[part[9:18]]
    three, c = _numbered[part[18:27]]
    four, d = _honours[part[27:]]
    key = one << 20 | two
    left = _sums[key] if key in _sums else _both(one, two)
    key = three << 20 | four
    right = _sums[key] if key in _sums else _both(three, four)
    key = left << 20 | right
    whole = _sums[key] if key in _sums else _both(left, right)
    best = _needs[whole][2 * MOST_SETS + 1 - melds] - 1
    if melds:
        return best
    packed = a + b + c + d
    pairs = packed & 31
    kinds = packed >> 5 & 31
    seven = 6 - pairs + (7 - kinds if kinds < 7 else 0)
    if seven < best:
        best = seven
    orphans = 13 - (packed >> 10 & 31) - (packed > _ORPHAN_PAIR - 1)
    return orphans if orphans < best else best


def shanten(tiles: Iterable[Tile], melds: int = 0) -> int:
    """Shanten of concealed tiles beside that many melds: 0 waits, -1 is complete."""
    return shanten_of_counts(kind_counts(tiles), melds)
