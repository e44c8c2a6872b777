"""Which fans hold, family by family: what the tiles are, what the sets are, how it was won.

Tiles are indexes of the 34 kinds here, a chow is its lowest tile, and a multiset of fans is one int
(`fans.FIELD_BITS`), so that families add up. Every function depends on little and remembers
its answers: that is what makes counting a hand fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, pairwise

from table_controller.rules.core.case import Flag
from table_controller.rules.core.tiles import KIND_INDEX, parse_tiles
from table_controller.rules.mcr import fans
from table_controller.rules.mcr.fans import Fan

FIRST_HONOUR = 27
FIRST_DRAGON = 31
FIVES = (4, 13, 22)
NOBODY = -1
"""Stands where a pair or wind does not matter."""


def mask_of(kinds: Iterable[int]) -> int:
    """The kinds as a set of bits."""
    mask = 0
    for kind in kinds:
        mask |= 1 << kind
    return mask


def _mask(text: str) -> int:
    return mask_of(KIND_INDEX[tile] for tile in parse_tiles(text))


# --- The tiles ---------------------------------------------------------------------------------

CHARACTERS, CIRCLES, BAMBOOS = _mask("123456789m"), _mask("123456789p"), _mask("123456789s")
SUITED = CHARACTERS | CIRCLES | BAMBOOS
WINDS, DRAGONS = _mask("1234z"), _mask("567z")
HONOURS = WINDS | DRAGONS
ORPHANS = _mask("19m 19p 19s") | HONOURS
EVEN = _mask("2468m 2468p 2468s")

ONLY: tuple[tuple[Fan, int], ...] = (
    (fans.ALL_GREEN, _mask("23468s 6z")),
    (fans.ALL_TERMINALS, ORPHANS & SUITED),
    (fans.ALL_HONORS, HONOURS),
    (fans.ALL_TERMINALS_AND_HONORS, ORPHANS),
    (fans.UPPER_TILES, _mask("789m 789p 789s")),
    (fans.MIDDLE_TILES, _mask("456m 456p 456s")),
    (fans.LOWER_TILES, _mask("123m 123p 123s")),
    (fans.UPPER_FOUR, _mask("6789m 6789p 6789s")),
    (fans.LOWER_FOUR, _mask("1234m 1234p 1234s")),
    (fans.REVERSIBLE_TILES, _mask("1234589p 245689s 5z")),
    (fans.ALL_SIMPLES, SUITED & ~ORPHANS),
    (fans.NO_HONORS, SUITED),
)
"""Fans that ask only that every tile is one of these."""

_STRAY = tuple((~allowed, fan.one) for fan, allowed in ONLY)


def tile_fans(mask: int) -> int:
    """The fans of which tiles occur; which of them contain others is the book's business."""
    found = 0
    for stray, one in _STRAY:
        if not mask & stray:
            found += one
    suits = (mask & CHARACTERS != 0) + (mask & CIRCLES != 0) + (mask & BAMBOOS != 0)
    if suits == 1:
        found += _HALF_FLUSH if mask & HONOURS else _FULL_FLUSH
    elif suits == 2:
        found += _ONE_VOIDED_SUIT
    elif suits == 3 and mask & WINDS and mask & DRAGONS:
        found += _ALL_TYPES
    return found


_HALF_FLUSH, _FULL_FLUSH = fans.HALF_FLUSH.one, fans.FULL_FLUSH.one
_ONE_VOIDED_SUIT, _ALL_TYPES = fans.ONE_VOIDED_SUIT.one, fans.ALL_TYPES.one


# --- Combining sets ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Combination:
    """A fan that some sets of the hand form together; members are places among the sets."""

    fan: Fan
    members: tuple[int, ...]


def account_once(possible: Sequence[Combination], sets: int) -> tuple[Combination, ...]:
    """The dearest legal choice among the combinations, found by trying every choice.

    Two principles decide what is legal. Account-once: a set not yet combined may be combined once
    with sets already combined. Non-identical: a set is not used twice for the same fan. Both come
    to this: sets that already hang together are not combined with each other again. So a
    fan of three or four sets also swallows what its own sets form among themselves. Of choices
    worth the same, the one whose fans stand first in the book is taken.
    """
    best_worth = 0
    best_places: tuple[int, ...] = ()
    best: tuple[Combination, ...] = ()

    def search(start: int, joined: tuple[int, ...], chosen: tuple[Combination, ...]) -> None:
        nonlocal best_worth, best_places, best
        worth = sum(one.fan.value for one in chosen)
        places = tuple(sorted(one.fan.place for one in chosen))
        if worth > best_worth or (worth == best_worth and places < best_places):
            best_worth, best_places, best = worth, places, chosen
        for place in range(start, len(possible)):
            members = possible[place].members
            islands = {joined[member] for member in members}
            if len(islands) == len(members):
                together = min(islands)
                search(
                    place + 1,
                    tuple(together if island in islands else island for island in joined),
                    (*chosen, possible[place]),
                )

    search(0, tuple(range(sets)), ())
    return best


FanOfSets = Callable[[tuple[int, ...]], Fan | None]
"""Which fan some sets form together, if any."""


def _possible(
    sets: tuple[int, ...], four: FanOfSets, three: FanOfSets, two: FanOfSets
) -> list[Combination]:
    found = []
    if len(sets) == 4:
        fan = four(sets)
        if fan is not None:
            found.append(Combination(fan, (0, 1, 2, 3)))
    for size, fan_of in ((3, three), (2, two)):
        for members in _CHOICES[len(sets), size]:
            fan = fan_of(tuple([sets[member] for member in members]))
            if fan is not None:
                found.append(Combination(fan, members))
    return found


_CHOICES = {
    (sets, size): tuple(combinations(range(sets), size)) for sets in range(5) for size in (2, 3)
}


# --- Chows -------------------------------------------------------------------------------------


def _four_chows(chows: tuple[int, ...]) -> Fan | None:
    steps = _steps(chows)
    if steps == (0, 0, 0):
        return fans.QUADRUPLE_CHOW
    if steps in ((1, 1, 1), (2, 2, 2)) and _one_suit(chows):
        return fans.FOUR_PURE_SHIFTED_CHOWS
    return None


@cache
def _three_chows(chows: tuple[int, ...]) -> Fan | None:
    if _one_suit(chows):
        return _PURE_TRIPLES.get(_steps(chows))
    if len({chow // 9 for chow in chows}) == 3:
        return _MIXED_TRIPLES.get(_steps(tuple(chow % 9 for chow in chows)))
    return None


_PURE_TRIPLES: dict[tuple[int, ...], Fan] = {
    (0, 0): fans.PURE_TRIPLE_CHOW,
    (3, 3): fans.PURE_STRAIGHT,
    (1, 1): fans.PURE_SHIFTED_CHOWS,
    (2, 2): fans.PURE_SHIFTED_CHOWS,
}
_MIXED_TRIPLES: dict[tuple[int, ...], Fan] = {
    (0, 0): fans.MIXED_TRIPLE_CHOW,
    (3, 3): fans.MIXED_STRAIGHT,
    (1, 1): fans.MIXED_SHIFTED_CHOWS,
}


@cache
def _two_chows(chows: tuple[int, ...]) -> Fan | None:
    low, high = chows
    if low == high:
        return fans.PURE_DOUBLE_CHOW
    if low % 9 == high % 9:
        return fans.MIXED_DOUBLE_CHOW
    if not _one_suit(chows):
        return None
    if high - low == 3:
        return fans.SHORT_STRAIGHT
    return fans.TWO_TERMINAL_CHOWS if high - low == 6 else None


def _steps(ranks: tuple[int, ...]) -> tuple[int, ...]:
    ranks = tuple(sorted(ranks))
    return tuple(high - low for low, high in pairwise(ranks))


def _one_suit(sets: tuple[int, ...]) -> bool:
    return len({index // 9 for index in sets}) == 1


def _terminal_chows(chows: tuple[int, ...], pair: int) -> Fan | None:
    """Fans 13 and 29: 123 and 789 twice and a pair of fives, the suits deciding which."""
    if pair not in FIVES or sorted(chow % 9 for chow in chows) != [0, 0, 6, 6]:
        return None
    low = sorted(chow // 9 for chow in chows if chow % 9 == 0)
    high = sorted(chow // 9 for chow in chows if chow % 9 == 6)
    if low != high:
        return None
    suits = {*low, pair // 9}
    if len(suits) == 1:
        return fans.PURE_TERMINAL_CHOWS
    return fans.THREE_SUITED_TERMINAL_CHOWS if len(suits) == 3 else None


@lru_cache(maxsize=1 << 16)
def chow_combinations(chows: tuple[int, ...], pair: int) -> tuple[Combination, ...]:
    """What the chows (sorted) form together; the pair matters when it is one of fives."""
    if len(chows) == 4:
        terminal = _terminal_chows(chows, pair)
        if terminal is not None:
            return (Combination(terminal, (0, 1, 2, 3)),)
    return account_once(_possible(chows, _four_chows, _three_chows, _two_chows), len(chows))


@dataclass(frozen=True, slots=True)
class SetFans:
    """What the chows, or the pungs, of a reading contribute."""

    found: int  # multiset of fans
    all_have_five: bool
    all_are_outside: bool  # each contains a one, a nine or an honour


@lru_cache(maxsize=1 << 17)
def chow_fans(chows: tuple[int, ...], pair: int) -> SetFans:
    """The fans of the chows, sorted. ``pair`` is `NOBODY` unless it is one of fives."""
    ranks = [chow % 9 for chow in chows]
    return SetFans(
        sum(one.fan.one for one in chow_combinations(chows, pair)),
        all(2 <= rank <= 4 for rank in ranks),
        all(rank in (0, 6) for rank in ranks),
    )


# --- Pungs -------------------------------------------------------------------------------------


def _four_pungs(pungs: tuple[int, ...]) -> Fan | None:
    suited = all(pung < FIRST_HONOUR for pung in pungs) and _one_suit(pungs)
    return fans.FOUR_PURE_SHIFTED_PUNGS if suited and _steps(pungs) == (1, 1, 1) else None


@cache
def _three_pungs(pungs: tuple[int, ...]) -> Fan | None:
    if any(pung >= FIRST_HONOUR for pung in pungs):
        return None
    if _one_suit(pungs):
        return fans.PURE_SHIFTED_PUNGS if _steps(pungs) == (1, 1) else None
    if len({pung // 9 for pung in pungs}) == 3:
        return _MIXED_PUNGS.get(_steps(tuple(pung % 9 for pung in pungs)))
    return None


_MIXED_PUNGS: dict[tuple[int, ...], Fan] = {
    (0, 0): fans.TRIPLE_PUNG,
    (1, 1): fans.MIXED_SHIFTED_PUNGS,
}


@cache
def _two_pungs(pungs: tuple[int, ...]) -> Fan | None:
    low, high = pungs
    if high < FIRST_HONOUR and low % 9 == high % 9:
        return fans.DOUBLE_PUNG
    return None


@lru_cache(maxsize=1 << 16)
def pung_combinations(pungs: tuple[int, ...]) -> tuple[Combination, ...]:
    """What the pungs (sorted) form together."""
    return account_once(_possible(pungs, _four_pungs, _three_pungs, _two_pungs), len(pungs))


@lru_cache(maxsize=1 << 17)
def pung_fans(pungs: tuple[int, ...], pair: int, seat_wind: int, round_wind: int) -> SetFans:
    """The fans of the pungs and kongs, sorted. ``pair`` is `NOBODY` unless it is an honour, and so
    are the winds where no pung is."""
    if not pungs:
        return _NO_PUNGS
    found = sum(one.fan.one for one in pung_combinations(pungs))
    winds = sum(FIRST_HONOUR <= pung < FIRST_DRAGON for pung in pungs)
    dragons = sum(pung >= FIRST_DRAGON for pung in pungs)
    if winds == 4:
        found += fans.BIG_FOUR_WINDS.one
    elif winds == 3:
        found += fans.BIG_THREE_WINDS.one
        if FIRST_HONOUR <= pair < FIRST_DRAGON:
            found += fans.LITTLE_FOUR_WINDS.one
    if dragons == 3:
        found += fans.BIG_THREE_DRAGONS.one
    elif dragons == 2:
        found += fans.TWO_DRAGON_PUNGS.one
        if pair >= FIRST_DRAGON:
            found += fans.LITTLE_THREE_DRAGONS.one
    found += dragons * fans.DRAGON_PUNG.one
    for pung in pungs:
        found += sum(fan.one for fan in fans_of_pung(pung, seat_wind, round_wind, winds=winds))
    return SetFans(
        found,
        all(pung in FIVES for pung in pungs),
        all(pung >= FIRST_HONOUR or pung % 9 in (0, 8) for pung in pungs),
    )


_NO_PUNGS = SetFans(0, all_have_five=True, all_are_outside=True)


def fans_of_pung(pung: int, seat_wind: int, round_wind: int, *, winds: int) -> list[Fan]:
    """What one pung scores by its tile, dragons aside; ``winds`` counts the pungs of winds."""
    own = []
    if pung == round_wind:
        own.append(fans.PREVALENT_WIND)
    if pung == seat_wind:
        own.append(fans.SEAT_WIND)
    is_terminal = pung < FIRST_HONOUR and pung % 9 in (0, 8)
    is_spare_wind = FIRST_HONOUR <= pung < FIRST_DRAGON and not own and winds < 3
    if is_terminal or is_spare_wind:
        own.append(fans.PUNG_OF_TERMINALS_OR_HONORS)
    return own


_KONG_FANS = {
    (1, 0): fans.MELDED_KONG,
    (0, 1): fans.CONCEALED_KONG,
    (2, 0): fans.TWO_MELDED_KONGS,
    (1, 1): fans.MELDED_AND_CONCEALED_KONG,
    (0, 2): fans.TWO_CONCEALED_KONGS,
}


@cache
def kong_fans(melded: int, concealed: int) -> int:
    """The fan of the declared kongs."""
    if melded + concealed == 0:
        return 0
    if melded + concealed >= 3:
        return (fans.THREE_KONGS if melded + concealed == 3 else fans.FOUR_KONGS).one
    return _KONG_FANS[melded, concealed].one


_CONCEALED_PUNG_FANS = {
    2: fans.TWO_CONCEALED_PUNGS,
    3: fans.THREE_CONCEALED_PUNGS,
    4: fans.FOUR_CONCEALED_PUNGS,
}


@cache
def concealed_pung_fans(pungs: int, concealed_kongs: int, melded_kongs: int) -> int:
    """The fan of the pungs completed without a discard, concealed kongs among them."""
    if pungs == concealed_kongs == 2 and melded_kongs == 0:
        return 0  # the two kongs are Two Concealed Kongs already
    fan = _CONCEALED_PUNG_FANS.get(pungs)
    return 0 if fan is None else fan.one


# --- How it was won ----------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def way_fans(flags: frozenset[Flag], self_drawn: bool, open_melds: int, last_of_kind: bool) -> int:
    """The fans of how the hand was completed; Self-Drawn is there even where others contain it."""
    found = fans.LAST_TILE.one if last_of_kind else 0
    if self_drawn:
        found += fans.SELF_DRAWN.one
        if open_melds == 0:
            found += fans.FULLY_CONCEALED_HAND.one
        if Flag.LAST_TILE in flags:
            found += fans.LAST_TILE_DRAW.one
        if Flag.REPLACEMENT in flags:
            found += fans.OUT_WITH_REPLACEMENT_TILE.one
        return found
    if open_melds == 0:
        found += fans.CONCEALED_HAND.one
    if open_melds == 4:
        found += fans.MELDED_HAND.one
    if Flag.ROBBING_KONG in flags:
        found += fans.ROBBING_THE_KONG.one
    elif Flag.LAST_TILE in flags:
        found += fans.LAST_TILE_CLAIM.one
    return found
