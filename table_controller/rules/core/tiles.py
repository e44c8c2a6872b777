"""Tiles, their notation, and the sets a table plays with.

Notation is mpsz: ``123m 50p 7z``. Suits: ``m`` characters, ``p`` circles, ``s`` bamboos, ``z``
honours (1-4 East South West North, 5 white, 6 green, 7 red), ``f`` flowers, ``g`` seasons, ``a``
animals (cat, mouse, cock, centipede), ``c`` faces; ``0`` is a red five and ``jk`` a joker or fly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from types import MappingProxyType

from table_controller.rules.core.errors import CaseError, NotationError


class Suit(StrEnum):
    """The suit of a tile, by its letter in the notation."""

    CHARACTERS = "m"
    CIRCLES = "p"
    BAMBOOS = "s"
    HONOURS = "z"
    FLOWERS = "f"
    SEASONS = "g"
    ANIMALS = "a"
    FACES = "c"
    JOKER = "j"

    @property
    def is_numbered(self) -> bool:
        """Characters, circles and bamboos: the suits that form chows."""
        return self in NUMBERED_SUITS

    @property
    def is_bonus(self) -> bool:
        """Flowers, seasons, animals and faces: tiles that are set aside."""
        return self in BONUS_SUITS


NUMBERED_SUITS = frozenset({Suit.CHARACTERS, Suit.CIRCLES, Suit.BAMBOOS})
BONUS_SUITS = frozenset({Suit.FLOWERS, Suit.SEASONS, Suit.ANIMALS, Suit.FACES})
_RANKS = {
    **dict.fromkeys(NUMBERED_SUITS, range(1, 10)),
    Suit.HONOURS: range(1, 8),
    **dict.fromkeys(BONUS_SUITS, range(1, 5)),
    Suit.JOKER: range(1),
}


_TILES: dict[tuple[Suit, int, bool], Tile] = {}


@dataclass(frozen=True, slots=True, order=True, init=False)
class Tile:
    """One tile. Copies of a tile are equal; a red five differs from a plain five.

    There is one object for each tile, made at import, so that comparing and hashing tiles (the
    inside of every table of the rules) costs no more than comparing objects.
    """

    suit: Suit
    rank: int
    red: bool = False

    def __new__(cls, suit: Suit, rank: int, red: bool = False) -> Tile:
        made = _TILES.get((suit, rank, red))
        if made is not None:
            return made
        if rank not in _RANKS[suit]:
            ranks = _RANKS[suit]
            raise NotationError(
                f"there is no tile {rank}{suit.value}: "
                f"{suit.value} has {ranks.start} to {ranks.stop - 1}"
            )
        if red and not (suit.is_numbered and rank == 5):
            raise NotationError(f"only fives are red, not {rank}{suit.value}")
        made = object.__new__(cls)
        object.__setattr__(made, "suit", suit)
        object.__setattr__(made, "rank", rank)
        object.__setattr__(made, "red", red)
        return made

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[type[Tile], tuple[Suit, int, bool]]:
        return Tile, (self.suit, self.rank, self.red)

    @classmethod
    def parse(cls, text: str) -> Tile:
        """The tile that ``text`` names, as ``5p``, ``0p``, ``7z`` or ``jk``."""
        found = parse_tiles(text)
        if len(found) != 1:
            raise NotationError(f"expected one tile, not {text!r}")
        return found[0]

    def __str__(self) -> str:
        if self.suit is Suit.JOKER:
            return "jk"
        return f"{0 if self.red else self.rank}{self.suit.value}"

    @property
    def face(self) -> Tile:
        """The tile without its red mark: what melds and patterns compare."""
        return Tile(self.suit, self.rank) if self.red else self

    @property
    def is_numbered(self) -> bool:
        """A tile of characters, circles or bamboos."""
        return self.suit.is_numbered

    @property
    def is_honour(self) -> bool:
        """A wind or a dragon."""
        return self.suit is Suit.HONOURS

    @property
    def is_wind(self) -> bool:
        """East, south, west or north."""
        return self.suit is Suit.HONOURS and self.rank <= 4

    @property
    def is_dragon(self) -> bool:
        """White, green or red."""
        return self.suit is Suit.HONOURS and self.rank >= 5

    @property
    def is_terminal(self) -> bool:
        """A one or a nine of a numbered suit."""
        return self.suit.is_numbered and self.rank in (1, 9)

    @property
    def is_terminal_or_honour(self) -> bool:
        """A one, a nine, a wind or a dragon."""
        return self.is_terminal or self.is_honour

    @property
    def is_simple(self) -> bool:
        """A two to eight of a numbered suit."""
        return self.suit.is_numbered and 2 <= self.rank <= 8

    @property
    def is_bonus(self) -> bool:
        """A flower, season, animal or face: set aside, not held."""
        return self.suit.is_bonus

    @property
    def is_joker(self) -> bool:
        """A joker or fly: stands for another tile."""
        return self.suit is Suit.JOKER


_TILES.update(
    {(suit, rank, False): Tile(suit, rank) for suit, ranks in _RANKS.items() for rank in ranks}
    | {(suit, 5, True): Tile(suit, 5, True) for suit in NUMBERED_SUITS}
)

_GROUP = re.compile(r"\s*(?:(jk)|([0-9]+)([mpszfgac]))")


@lru_cache(maxsize=4096)
def parse_tiles(text: str) -> tuple[Tile, ...]:
    """The tiles that ``text`` names, in its order; blanks between groups are free.

    Raises NotationError with the place of the first character that is not notation.
    """
    found: list[Tile] = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        group = _GROUP.match(text, place)
        if group is None:
            raise NotationError(
                f"cannot read {text!r} at character {place + 1}: {_expected(text[place:])}"
            )
        joker, digits, letter = group.groups()
        if joker:
            found.append(Tile(Suit.JOKER, 0))
        else:
            suit = Suit(letter)
            for digit in digits:
                red = digit == "0" and suit.is_numbered
                try:
                    found.append(Tile(suit, 5 if red else int(digit), red))
                except NotationError as error:
                    raise NotationError(f"cannot read {text!r}: {error}") from None
        place = group.end()
    return tuple(found)


def _expected(text: str) -> str:
    """What is wrong with a text that begins with no group of tiles."""
    rest = text.lstrip()
    wrong = rest.lstrip("0123456789")
    digits = rest[: len(rest) - len(wrong)]
    found = repr(wrong[0]) if wrong else "nothing"
    stands = f"after {digits!r} comes {found}" if digits else f"{found} begins no group of tiles"
    return (
        f"{stands}; expected digits and a suit letter (m p s, z for honours 1 to 7, f g a c) or "
        "jk; 0 is the red five, as in 340p"
    )


def format_tiles(tiles: Iterable[Tile]) -> str:
    """The tiles in notation, runs of one suit together: undoes `parse_tiles`."""
    groups: list[str] = []
    last: Suit | None = None
    for tile in tiles:
        if tile.suit is Suit.JOKER:
            groups.append("jk")
            last = None
        elif tile.suit is last:
            groups[-1] = f"{groups[-1][:-1]}{tile}"
        else:
            groups.append(str(tile))
            last = tile.suit
    return " ".join(groups)


JOKER = Tile(Suit.JOKER, 0)
WINDS = parse_tiles("1234z")
DRAGONS = parse_tiles("567z")
HONOURS = parse_tiles("1234567z")
TERMINALS = parse_tiles("19m 19p 19s")
ORPHANS = TERMINALS + HONOURS
KINDS = parse_tiles("123456789m 123456789p 123456789s 1234567z")
"""The 34 kinds of the standard set, in the order of their index."""

KIND_INDEX: Mapping[Tile, int] = MappingProxyType(
    {
        **{kind: index for index, kind in enumerate(KINDS)},
        **{
            Tile(Suit(letter), 5, True): index for index, letter in ((4, "m"), (13, "p"), (22, "s"))
        },
    }
)
"""Index 0..33 of a kind; a red five has the index of the plain five. For count arrays only."""


def kind_counts(tiles: Iterable[Tile]) -> list[int]:
    """How many of each of the 34 kinds; raises CaseError for a bonus tile or joker among them."""
    counts = [0] * 34
    for tile in tiles:
        try:
            counts[KIND_INDEX[tile]] += 1
        except KeyError:
            raise CaseError(f"{tile} is set aside or wild: it cannot be part of a hand") from None
    return counts


_FLOWER_SUITS = frozenset({Suit.FLOWERS, Suit.SEASONS})
_ANY_FLOWER = Tile(Suit.FLOWERS, 1)


@dataclass(frozen=True)
class TileSet:
    """All tiles a table plays with, as ``(tile, copies)`` pairs.

    With ``flowers_alike`` any flower or season may be named for any other; ``stand_ins`` is how
    many tiles may be written as jokers although the set has no joker: a turned face that is wild.
    """

    copies: tuple[tuple[Tile, int], ...]
    flowers_alike: bool = False
    stand_ins: int = 0

    @classmethod
    def of(cls, *parts: tuple[str, int]) -> TileSet:
        """A set from pairs such as ``("123456789m", 4), ("1234f", 1)``; later pairs replace."""
        copies: dict[Tile, int] = {}
        for text, number in parts:
            for tile in parse_tiles(text):
                copies[tile] = number
        return cls(tuple((tile, number) for tile, number in copies.items() if number))

    def __len__(self) -> int:
        return sum(number for _, number in self.copies)

    def tiles(self) -> list[Tile]:
        """Every single tile, copies included, in the set's order."""
        return [tile for tile, number in self.copies for _ in range(number)]

    @cached_property
    def number_of(self) -> Mapping[Tile, int]:
        """How many copies of each tile, red fives apart."""
        return MappingProxyType(dict(self.copies))

    @cached_property
    def number_of_face(self) -> Mapping[Tile, int]:
        """How many copies of each face, red and plain fives together."""
        total: Counter[Tile] = Counter()
        for tile, number in self.copies:
            total[tile.face] += number
        return MappingProxyType(dict(total))

    def with_red_fives(self, *, m: int = 0, p: int = 0, s: int = 0) -> TileSet:
        """The same set with that many fives of each suit replaced by red ones."""
        copies = dict(self.copies)
        for letter, red in (("m", m), ("p", p), ("s", s)):
            plain = Tile(Suit(letter), 5)
            if red:
                copies[plain] -= red
                copies[Tile(Suit(letter), 5, True)] = red
        return TileSet(tuple((tile, number) for tile, number in copies.items() if number))

    def are_alike(self, tiles: Iterable[Tile]) -> bool:
        """All tiles are of one face in this set."""
        return len({self._counted_as(tile) for tile in tiles}) == 1

    def _counted_as(self, tile: Tile) -> Tile:
        is_flower = self.flowers_alike and tile.suit in _FLOWER_SUITS
        return _ANY_FLOWER if is_flower else tile.face

    def check(self, tiles: Iterable[Tile]) -> None:
        """Raises CaseError when more copies are named than the set has, or a tile it lacks."""
        for face, number in Counter(self._counted_as(tile) for tile in tiles).items():
            have = self.number_of_face.get(face, 0)
            if self.flowers_alike and face == _ANY_FLOWER:
                have = sum(count for tile, count in self.copies if tile.suit in _FLOWER_SUITS)
            if face.is_joker:
                have += self.stand_ins
            if number > have:
                raise CaseError(
                    f"{number} copies of {face} are named, this set has {have or 'none'}: "
                    "check the tiles or the ruleset"
                )


STANDARD_136 = TileSet.of(("123456789m", 4), ("123456789p", 4), ("123456789s", 4), ("1234567z", 4))
STANDARD_144 = TileSet((*STANDARD_136.copies, *TileSet.of(("1234f", 1), ("1234g", 1)).copies))
