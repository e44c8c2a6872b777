"""The shapes of a complete hand and what completes them, suit by suit.

Tiles are indexes of the 34 kinds; a suit is a tuple of nine counts (seven for honours), and what
follows from it is remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from table_controller.rules.core.decomposition import suit_splits
from table_controller.rules.mcr.families import HONOURS, ORPHANS, SUITED, mask_of

Counts = tuple[int, ...]
Suits = tuple[Counts, Counts, Counts, Counts]
FIRST = (0, 9, 18, 27)
"""The first kind of characters, circles, bamboos and honours."""

KNITTED = tuple(
    mask_of(9 * suit + rank for suit, low in enumerate(lows) for rank in (low, low + 3, low + 6))
    for lows in permutations(range(3))
)
"""The six knitted sets: 147, 258 and 369, each in a suit of its own."""

NINE_GATES: Counts = (3, 1, 1, 1, 1, 1, 1, 1, 3)


@dataclass(frozen=True, slots=True)
class SuitSplit:
    """One way to split a suit's concealed tiles; the pair is its kind plus one, 0 for none."""

    chows: tuple[int, ...]
    pungs: tuple[int, ...]
    pair: int


@dataclass(frozen=True, slots=True)
class SuitPart:
    """One suit of the concealed tiles."""

    splits: tuple[SuitSplit, ...]
    pairs: int  # how many pairs its splits have: one or none
    mask: int  # the kinds that occur
    odd: int  # how many kinds occur once or three times


@lru_cache(maxsize=1 << 17)
def suit_part(suit: int, counts: Counts) -> SuitPart:
    """What the concealed tiles of one suit are."""
    first = FIRST[suit]
    return SuitPart(
        tuple(
            SuitSplit(
                tuple(first + rank for rank in chows),
                tuple(first + rank for rank in pungs),
                0 if pair is None else first + pair + 1,
            )
            for chows, pungs, pair in suit_splits(counts, suit < 3)
        ),
        int(sum(counts) % 3 == 2),
        mask_of(first + rank for rank, number in enumerate(counts) if number),
        sum(number % 2 for number in counts),
    )


@lru_cache(maxsize=1 << 17)
def completing(suit: int, counts: Counts) -> int:
    """The kinds of the suit, as a mask, that make it sets (and a pair where the number asks it)."""
    found = 0
    filled = list(counts)
    for rank in range(len(counts)):
        filled[rank] += 1
        if _splits(filled, suit < 3):
            found |= 1 << (FIRST[suit] + rank)
        filled[rank] -= 1
    return found


@lru_cache(maxsize=1 << 17)
def is_complete(suit: int, counts: Counts) -> bool:
    """The suit is sets, with a pair where the number of its tiles asks for one."""
    return _splits(list(counts), suit < 3)


def _splits(counts: list[int], with_chows: bool) -> bool:
    """As `is_complete`, on counts that are left as they were."""
    size = sum(counts) % 3
    if size == 0:
        return _are_sets(counts, with_chows)
    if size == 1:
        return False
    for rank, number in enumerate(counts):
        if number >= 2:
            counts[rank] -= 2
            done = _are_sets(counts, with_chows)
            counts[rank] += 2
            if done:
                return True
    return False


def _are_sets(counts: Sequence[int], with_chows: bool) -> bool:
    """Chows and pungs: from below, what is left of a rank after pungs must begin chows."""
    if not with_chows:
        return not any(number % 3 for number in counts)
    chows = last = 0  # chows begun one and two ranks below
    for number in counts:
        left = number - chows - last
        if left < 0:
            return False
        chows, last = left % 3, chows
    return chows == last == 0


def as_suits(counts: Sequence[int]) -> Suits:
    """The four suits of 34 counts."""
    return tuple(counts[:9]), tuple(counts[9:18]), tuple(counts[18:27]), tuple(counts[27:])


def standard_waits(suits: Suits) -> int:
    """The kinds, as a mask, that make the tiles sets and a pair."""
    sizes = [sum(counts) % 3 for counts in suits]
    open_suits = [suit for suit in range(4) if sizes[suit]]
    if sorted(sizes) not in ([0, 0, 0, 1], [0, 0, 2, 2]):
        return 0
    if any(not is_complete(suit, suits[suit]) for suit in range(4) if suit not in open_suits):
        return 0
    found = 0
    for suit in open_suits:
        others_done = all(is_complete(other, suits[other]) for other in open_suits if other != suit)
        if others_done:
            found |= completing(suit, suits[suit])
    return found


def seven_pairs_wait(counts: Sequence[int]) -> int:
    """The kind, as a mask, that makes thirteen concealed tiles seven pairs; four are two pairs."""
    odd = [kind for kind, number in enumerate(counts) if number % 2]
    return 1 << odd[0] if len(odd) == 1 and sum(counts) == 13 else 0


def orphans_waits(counts: Sequence[int]) -> int:
    """The kinds, as a mask, that make thirteen concealed tiles thirteen orphans."""
    mask = mask_of(kind for kind, number in enumerate(counts) if number)
    if sum(counts) != 13 or mask & ~ORPHANS or max(counts) > 2:
        return 0
    missing = ORPHANS & ~mask
    if not missing:
        return ORPHANS
    return missing if missing.bit_count() == 1 else 0


def knitted_honours_waits(counts: Sequence[int]) -> int:
    """The kinds that make thirteen concealed tiles honours and knitted tiles (fans 20 and 34)."""
    mask = mask_of(kind for kind, number in enumerate(counts) if number)
    if sum(counts) != 13 or mask.bit_count() != 13:
        return 0
    found = 0
    for knitted in KNITTED:
        if not mask & SUITED & ~knitted:
            found |= (knitted | HONOURS) & ~mask
    return found


def knitted_straight_waits(counts: Sequence[int]) -> int:
    """The kinds that make ten or thirteen concealed tiles a knitted straight with set and pair."""
    found = 0
    for knitted in KNITTED:
        rest = [number - (knitted >> kind & 1) for kind, number in enumerate(counts)]
        missing = [kind for kind, number in enumerate(rest) if number < 0]
        if not missing:
            found |= standard_waits(as_suits(rest))
        elif len(missing) == 1:
            rest[missing[0]] = 0
            if all(is_complete(suit, part) for suit, part in enumerate(as_suits(rest))):
                found |= 1 << missing[0]
    return found


def waits(counts: Sequence[int], melds: int) -> int:
    """Every kind, as a mask, that completes the concealed tiles in any winning form."""
    found = standard_waits(as_suits(counts))
    if melds <= 1:
        found |= knitted_straight_waits(counts)
    if melds == 0:
        found |= seven_pairs_wait(counts) | orphans_waits(counts) | knitted_honours_waits(counts)
    return found
