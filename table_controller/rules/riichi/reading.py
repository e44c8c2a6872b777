"""One reading of a winning hand, as the yaku see it, and how readings are found quickly.

Yaku ask for few things about a hand: how many chows, how many groups with a terminal, whether the
pair has value. All of them are sums over the four suits and the melds. So every suit's ways to be
split are worked out once, each with its sums packed into one integer (a *word*); a hand is read by
adding four words. `unpack` gives the named view that the predicates in `yaku` take. Words that are
equal score equally, which is what makes the tables in `scoring` possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import NamedTuple

from table_controller.rules.core.decomposition import suit_splits
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.tiles import KIND_INDEX, KINDS, ORPHANS, Tile
from table_controller.rules.core.win import Wait
from table_controller.rules.riichi.fu import set_fu


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What yaku and fu depend on, of one reading; groups are the sets and the pair.

    The fields are sums over the groups, except for the last few. ``outside`` counts groups with a
    terminal or honour, ``set_fu`` is in units of two fu.
    """

    self_drawn: int = 0
    replacement: int = 0
    called: int = 0
    chows: int = 0
    pungs: int = 0
    concealed_pungs: int = 0
    kongs: int = 0
    pairs: int = 0
    characters: int = 0
    circles: int = 0
    bamboos: int = 0
    honours: int = 0
    outside: int = 0
    green: int = 0
    twin_chows: int = 0
    set_fu: int = 0
    white: int = 0
    green_dragon: int = 0
    red: int = 0
    seat_wind: int = 0
    round_wind: int = 0
    common_wind: int = 0  # a wind that has value for every seat
    wind_pungs: int = 0
    wind_pairs: int = 0
    pair_values: int = 0
    straights: int = 0
    three_colour_chows: int = 0
    three_colour_pungs: int = 0
    nine_gates: int = 0  # 2: waited for all nine
    orphans: int = 0  # thirteen orphans; 2: waited for all thirteen
    wait: int = 0  # index in WAITS

    @property
    def groups(self) -> int:
        """Sets and pairs together."""
        return self.characters + self.circles + self.bamboos + self.honours

    @property
    def suits(self) -> int:
        """How many of the three numbered suits occur."""
        return bool(self.characters) + bool(self.circles) + bool(self.bamboos)

    @property
    def is_concealed(self) -> bool:
        """Nothing was called: concealed kongs do not open a hand."""
        return not self.called

    @property
    def is_seven_pairs(self) -> bool:
        """The seven pairs form."""
        return self.pairs == 7

    @property
    def dragon_pungs(self) -> int:
        """Pungs and kongs of dragons."""
        return self.white + self.green_dragon + self.red

    @property
    def dragon_pair(self) -> bool:
        """The pair is of dragons."""
        return self.honours > self.dragon_pungs + self.wind_pungs + self.wind_pairs

    @property
    def waited(self) -> Wait:
        """How the winning tile completes its group."""
        return WAITS[self.wait]


WAITS = tuple(Wait)

_WIDTHS = {"set_fu": 7, "self_drawn": 1, "replacement": 1} | dict.fromkeys(
    ["twin_chows", "pair_values", "straights", "nine_gates", "orphans"], 2
)
for _role in (
    "white",
    "green_dragon",
    "red",
    "seat_wind",
    "round_wind",
    "common_wind",
):
    _WIDTHS[_role] = 1
for _pattern in ("three_colour_chows", "three_colour_pungs"):
    _WIDTHS[_pattern] = 1
_SHIFTS: dict[str, int] = {}
_MASKS: dict[str, int] = {}
for _field in fields(Reading):
    _SHIFTS[_field.name] = sum(mask.bit_length() for mask in _MASKS.values())
    _MASKS[_field.name] = (1 << _WIDTHS.get(_field.name, 3)) - 1

SELF_DRAWN = 1 << _SHIFTS["self_drawn"]
REPLACEMENT = 1 << _SHIFTS["replacement"]
CALLED = 1 << _SHIFTS["called"]
CALLED_MASK = _MASKS["called"] << _SHIFTS["called"]
_PAIRS_MASK = _MASKS["pairs"] << _SHIFTS["pairs"]
_ONE_PAIR = 1 << _SHIFTS["pairs"]


def word(**values: int) -> int:
    """The packed form of these fields; words of parts are added up."""
    return sum(value << _SHIFTS[name] for name, value in values.items())


def unpack(packed: int) -> Reading:
    """The named view of a word."""
    return Reading(**{name: packed >> shift & _MASKS[name] for name, shift in _SHIFTS.items()})


# A hand as one integer: four bits a kind, and four bits for the red fives of each suit above.
KIND_BITS = 4
SUIT_MASK = (1 << 9 * KIND_BITS) - 1
HONOUR_MASK = (1 << 7 * KIND_BITS) - 1
RED_SHIFT = 34 * KIND_BITS
ALL_KINDS = (1 << RED_SHIFT) - 1
_EACH = sum(1 << KIND_BITS * index for index in range(34))
MORE_THAN_FOUR = 8 * _EACH  # what is left of `code + THREE_EACH` when a kind occurs five times
THREE_EACH = 3 * _EACH
_NOT_PAIRS = ALL_KINDS ^ 2 * _EACH
_ORPHAN_MASK = sum(15 << KIND_BITS * KIND_INDEX[tile] for tile in ORPHANS)
_NOT_ORPHANS = ALL_KINDS & ~_ORPHAN_MASK
_ORPHANS_ONCE = sum(1 << KIND_BITS * KIND_INDEX[tile] for tile in ORPHANS)


class _Codes(dict[Tile, int]):
    """The code of each tile that can be part of a hand."""

    def __missing__(self, tile: Tile) -> int:
        raise CaseError(f"{tile} is set aside or wild: it cannot be part of a hand")


TILE_CODES = _Codes({kind: 1 << KIND_BITS * index for index, kind in enumerate(KINDS)})
for _suit, _index in enumerate((4, 13, 22)):
    _red = Tile(KINDS[_index].suit, 5, True)
    TILE_CODES[_red] = (1 << KIND_BITS * _index) + (1 << RED_SHIFT + KIND_BITS * _suit)


class Winds(NamedTuple):
    """Which winds have value: places of the seat's, the round's, and one for everybody."""

    seat: int
    round: int
    common: int = -1


NO_WINDS = Winds(-1, -1)


class Part(NamedTuple):
    """One way to split what a suit holds: the sums, the masks of its sets, and the split itself."""

    word: int
    sets: int  # chows (7 bits a suit) and pungs (9 bits a suit above), for the suits together
    chows: tuple[int, ...]  # kinds of their lowest tiles
    pungs: tuple[int, ...]
    pair: int | None
    completed: int | None = None  # the pung that a discard completed
    wait: Wait | None = None


_SUIT_NAMES = ("characters", "circles", "bamboos", "honours")
_GREEN = frozenset(KIND_INDEX[tile] for tile in TILE_CODES if str(tile) in "2s3s4s6s8s6z")
_DRAGONS = ("white", "green_dragon", "red")


def _kind_word(kind: int, winds: Winds, *, pung: bool) -> int:
    """What a pung or pair of this kind adds, whatever its fu."""
    suit, rank = divmod(kind, 9)
    packed = word(**{_SUIT_NAMES[suit]: 1})
    if suit == 3 or rank in (0, 8):
        packed += word(outside=1)
    if kind in _GREEN:
        packed += word(green=1)
    if suit < 3:
        return packed
    if rank >= 4:
        return packed + (word(**{_DRAGONS[rank - 4]: 1}) if pung else word(pair_values=1))
    is_seat, is_round = rank == winds.seat, rank == winds.round
    is_common = rank == winds.common
    if pung:
        return packed + word(
            wind_pungs=1, seat_wind=is_seat, round_wind=is_round, common_wind=is_common
        )
    return packed + word(wind_pairs=1, pair_values=is_seat + is_round + is_common)


def _chow_part(kind: int) -> tuple[int, int]:
    suit, rank = divmod(kind, 9)
    packed = word(chows=1, outside=rank in (0, 6), green=kind == 19, **{_SUIT_NAMES[suit]: 1})
    return packed, 1 << 7 * suit + rank


def _pung_part(kind: int, winds: Winds, meld: MeldKind, *, is_concealed: bool) -> tuple[int, int]:
    suit, rank = divmod(kind, 9)
    packed = _kind_word(kind, winds, pung=True) + word(
        pungs=1,
        concealed_pungs=is_concealed,
        kongs=meld.is_kong,
        set_fu=set_fu(KINDS[kind], meld, is_concealed=is_concealed) // 2,
    )
    return packed, 0 if suit == 3 else 1 << 21 + 9 * suit + rank


def _part(
    first: int,
    split: tuple[tuple[int, ...], tuple[int, ...], int | None],
    winds: Winds,
    *,
    completed: int | None = None,
    wait: Wait | None = None,
) -> Part:
    chows = tuple(first + rank for rank in split[0])
    pungs = tuple(first + rank for rank in split[1])
    pair = None if split[2] is None else first + split[2]
    packed = sets = 0
    for kind in chows:
        more, mask = _chow_part(kind)
        packed, sets = packed + more, sets | mask
    for kind in pungs:
        more, mask = _pung_part(kind, winds, MeldKind.PUNG, is_concealed=kind != completed)
        packed, sets = packed + more, sets | mask
    if pair is not None:
        packed += _kind_word(pair, winds, pung=False) + word(pairs=1)
    packed += word(twin_chows=sum(chows.count(kind) // 2 for kind in set(chows)))
    if wait is not None:
        packed += word(wait=WAITS.index(wait))
    return Part(packed, sets, chows, pungs, pair, completed, wait)


def _counts(code: int, kinds: int) -> tuple[int, ...]:
    return tuple(code >> KIND_BITS * rank & 15 for rank in range(kinds))


class _SuitTable(dict[int, tuple[Part, ...]]):
    """The parts of one suit by its code, worked out when first met."""

    def __init__(self, suit: int, winds: Winds = NO_WINDS) -> None:
        super().__init__()
        self.suit, self.winds = suit, winds

    def __missing__(self, code: int) -> tuple[Part, ...]:
        counts = _counts(code, 7 if self.suit == 3 else 9)
        parts = tuple(
            _part(9 * self.suit, split, self.winds) for split in suit_splits(counts, self.suit < 3)
        )
        self[code] = parts
        return parts


class _WinningTable(dict[int, tuple[Part, ...]]):
    """The parts of the suit that the winning tile joined, by ``code << 4 | rank``."""

    def __init__(self, suit: int, winds: Winds, *, self_drawn: bool) -> None:
        super().__init__()
        self.suit, self.winds = suit, winds
        self.self_drawn = self_drawn

    def __missing__(self, key: int) -> tuple[Part, ...]:
        counts, rank = _counts(key >> 4, 7 if self.suit == 3 else 9), key & 15
        gates = word(nine_gates=_nine_gates(counts, rank) if self.suit < 3 else 0)
        parts = tuple(
            part._replace(word=part.word + gates)
            for split in suit_splits(counts, self.suit < 3)
            for part in self._placements(split, rank)
        )
        self[key] = parts
        return parts

    def _placements(
        self, split: tuple[tuple[int, ...], tuple[int, ...], int | None], rank: int
    ) -> Iterator[Part]:
        first, winds = 9 * self.suit, self.winds
        if split[2] == rank:
            yield _part(first, split, winds, wait=Wait.PAIR)
        if rank in split[1]:
            completed = None if self.self_drawn else first + rank
            yield _part(first, split, winds, completed=completed, wait=Wait.PUNG)
        waits = {_chow_wait(low, rank) for low in set(split[0]) if low <= rank <= low + 2}
        for wait in sorted(waits, key=WAITS.index):
            yield _part(first, split, winds, wait=wait)


def _chow_wait(low: int, rank: int) -> Wait:
    if rank == low + 1:
        return Wait.CLOSED
    return Wait.EDGE if (low, rank) in ((0, 2), (6, 6)) else Wait.OPEN


def _nine_gates(counts: Sequence[int], rank: int) -> int:
    """1 when the suit is 1112345678999 and one more; 2 when the one more won."""
    needed = (3, 1, 1, 1, 1, 1, 1, 1, 3)
    if sum(counts) != 14 or any(have < need for have, need in zip(counts, needed, strict=True)):
        return 0
    return 2 if counts[rank] == needed[rank] + 1 else 1


class _PairsTable(dict[int, int]):
    """What the pairs of one suit add, in a hand of seven pairs."""

    def __init__(self, suit: int) -> None:
        super().__init__()
        self.suit = suit

    def __missing__(self, code: int) -> int:
        packed = 0
        for rank, number in enumerate(_counts(code, 9)):
            if number:
                packed += _kind_word(9 * self.suit + rank, NO_WINDS, pung=False) + word(pairs=1)
        # Which winds have value does not matter, and seven pairs of them would overflow.
        packed &= ~word(pair_values=3)
        self[code] = packed
        return packed


class _SetsTable(dict[int, int]):
    """What all sets together add: straights and the three-colour patterns."""

    def __missing__(self, sets: int) -> int:
        chows = [sets >> 7 * suit & 127 for suit in range(3)]
        pungs = [sets >> 21 + 9 * suit & 511 for suit in range(3)]
        packed = word(
            straights=sum(mask & 0b1001001 == 0b1001001 for mask in chows),
            three_colour_chows=bool(chows[0] & chows[1] & chows[2]),
            three_colour_pungs=bool(pungs[0] & pungs[1] & pungs[2]),
        )
        self[sets] = packed
        return packed


_PAIRS = [_PairsTable(suit) for suit in range(4)]
_SETS = _SetsTable()


class MeldPart(NamedTuple):
    """What a declared meld adds: its sums, its sets mask, and its tiles as a code."""

    word: int
    sets: int
    code: int


class _MeldTable(dict[tuple[MeldKind, tuple[Tile, ...]], MeldPart]):
    """What each meld adds, by kind and tiles; a meld that is none raises CaseError."""

    def __init__(self, winds: Winds) -> None:
        super().__init__()
        self.winds = winds

    def __missing__(self, key: tuple[MeldKind, tuple[Tile, ...]]) -> MeldPart:
        kind, tiles = key
        meld = Meld(kind, tiles)
        meld.check()
        lowest = KIND_INDEX[meld.tile]
        if kind is MeldKind.CHOW:
            packed, sets = _chow_part(lowest)
        else:
            packed, sets = _pung_part(lowest, self.winds, kind, is_concealed=kind.is_concealed)
        if not kind.is_concealed:
            packed += CALLED
        part = MeldPart(packed, sets, code_of(tiles))
        self[key] = part
        return part


def code_of(tiles: Iterable[Tile]) -> int:
    """The tiles as one integer."""
    return sum(map(TILE_CODES.__getitem__, tiles))


Found = tuple[int, tuple[Part, ...]]
"""A reading that was found: its word, and its parts (none for pairs and orphans)."""


PLACES: dict[Tile, tuple[int, int, int, int]] = {
    tile: (kind // 9, kind % 9, 36 * (kind // 9), SUIT_MASK if kind < 27 else HONOUR_MASK)
    for tile, kind in KIND_INDEX.items()
}
"""Suit and rank of a tile, from 0, and where its suit stands in a code."""


class Reader:
    """Finds the readings of hands of one seat wind and round wind."""

    def __init__(self, winds: Winds) -> None:
        self.melds = _MeldTable(winds)
        self._plain = [_SuitTable(suit) for suit in range(3)]
        self._plain.append(_SuitTable(3, winds))
        self._winning = [
            [_WinningTable(suit, winds, self_drawn=self_drawn) for suit in range(4)]
            for self_drawn in (False, True)
        ]

    def readings(
        self, code: int, winning: Tile, base: int, sets: int, self_drawn: bool, melded: bool
    ) -> list[Found]:
        """Every reading of the concealed tiles ``code``, the winning tile among them.

        ``base`` and ``sets`` are what melds and the way of winning add.
        """
        characters, circles, bamboos, honours = self._plain
        parts = [
            characters[code & SUIT_MASK],
            circles[code >> 36 & SUIT_MASK],
            bamboos[code >> 72 & SUIT_MASK],
            honours[code >> 108 & HONOUR_MASK],
        ]
        suit, rank, shift, mask = PLACES[winning]
        parts[suit] = self._winning[self_drawn][suit][(code >> shift & mask) << 4 | rank]
        one, two, three, four = parts
        if len(one) == len(two) == len(three) == len(four) == 1:  # most hands: one reading
            splits: Iterable[tuple[Part, ...]] = ((one[0], two[0], three[0], four[0]),)
        else:
            splits = product(one, two, three, four)
        found = []
        for split in splits:
            a, b, c, d = split
            packed = base + a[0] + b[0] + c[0] + d[0]
            if packed & _PAIRS_MASK == _ONE_PAIR:
                found.append((packed + _SETS[sets | a[1] | b[1] | c[1]], split))
        if not melded and (not code & _NOT_PAIRS or not code & _NOT_ORPHANS):
            found += self._without_sets(code & ALL_KINDS, KIND_INDEX[winning], base)
        return found

    def _without_sets(self, code: int, winning: int, base: int) -> Iterator[Found]:
        if not code & _NOT_PAIRS:
            packed = sum(table[code >> 36 * suit & SUIT_MASK] for suit, table in enumerate(_PAIRS))
            if packed & _PAIRS_MASK == _PAIRS_MASK:
                yield base + packed + word(wait=WAITS.index(Wait.PAIR)), ()
        elif (code + 7 * _ORPHANS_ONCE) & 8 * _ORPHANS_ONCE == 8 * _ORPHANS_ONCE:
            thirteen = code >> KIND_BITS * winning & 15 == 2
            yield base + word(orphans=1 + thirteen, wait=WAITS.index(Wait.OTHER)), ()
