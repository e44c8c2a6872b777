"""A card of hands: its file format ``american-card/1``, and every hand a line stands for.

A pattern such as ``F*2 (n)*4/A (n+1)*3/B`` names groups of equal tiles. Its instances are found by
giving the tags A, B and C different suits and the variables every value that the conditions allow
(american.md, section 8).
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import permutations, product
from typing import Any

from table_controller.rules.american.notation import (
    Condition,
    GroupText,
    Pattern,
    PatternError,
    parse_conditions,
    parse_pattern,
)
from table_controller.rules.american.places import Place, Places, find_places
from table_controller.rules.core.errors import RulesError
from table_controller.rules.core.tiles import Suit, Tile

FORMAT = "american-card/1"
HAND_TILES = 14
FLOWER = Tile(Suit.FLOWERS, 1)
"""Flowers and seasons are one face: this tile stands for all eight."""
SOAP = Tile(Suit.HONOURS, 5)
DRAGON_OF = {
    Suit.CHARACTERS: Tile(Suit.HONOURS, 7),  # craks and red
    Suit.BAMBOOS: Tile(Suit.HONOURS, 6),  # bams and green
    Suit.CIRCLES: SOAP,  # dots and white
}
SUITS = (Suit.CHARACTERS, Suit.CIRCLES, Suit.BAMBOOS)
COPIES = 4
FLOWER_COPIES = 8
JOKER_COPIES = 8

FACES: tuple[Tile, ...] = (
    *(Tile(suit, rank) for suit in SUITS for rank in range(1, 10)),
    *(Tile(Suit.HONOURS, rank) for rank in range(1, 8)),
    FLOWER,
)
FACE_INDEX: Mapping[Tile, int] = {face: index for index, face in enumerate(FACES)}


def face_of(tile: Tile) -> Tile:
    """The face as the card knows it: flowers and seasons are all alike."""
    return FLOWER if tile.suit in (Suit.FLOWERS, Suit.SEASONS) else tile.face


def copies_of(face: Tile) -> int:
    """How many natural tiles of a face the set has."""
    return FLOWER_COPIES if face == FLOWER else COPIES


class CardError(RulesError, ValueError):
    """A card that cannot be used; every problem with its line and column."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, or doubtful, in a card file, and where."""

    place: Place
    text: str

    def __str__(self) -> str:
        return f"line {self.place.line}, column {self.place.column}: {self.text}"


@dataclass(frozen=True, slots=True)
class Category:
    """A part of the card."""

    id: str
    name: str
    no_jokers: bool = False
    jokerless_bonus: bool = True


@dataclass(frozen=True, slots=True, order=True)
class Group:
    """A group of an instance: equal tiles, in which jokers may stand when it is three or more."""

    face: Tile
    count: int
    no_jokers: bool = False

    @property
    def takes_jokers(self) -> bool:
        """Jokers may stand in it: three or more tiles and no mark against them."""
        return self.count >= 3 and not self.no_jokers


@dataclass(frozen=True)
class Instance:
    """One concrete hand of a line: groups of fourteen tiles in all, sorted."""

    groups: tuple[Group, ...]

    @cached_property
    def absent(self) -> int:
        """Bits of the faces that do not occur."""
        held = 0
        for group in self.groups:
            held |= 1 << FACE_INDEX[group.face]
        return ~held & (1 << len(FACES)) - 1

    @cached_property
    def needs(self) -> tuple[tuple[int, int, int], ...]:
        """For each face that occurs: its index, tiles that must be natural, tiles in all."""
        natural: Counter[int] = Counter()
        total: Counter[int] = Counter()
        for group in self.groups:
            index = FACE_INDEX[group.face]
            total[index] += group.count
            if not group.takes_jokers:
                natural[index] += group.count
        return tuple((index, natural[index], total[index]) for index in sorted(total))


@dataclass(frozen=True)
class Line:
    """A hand of the card: alternatives, its value, and whether it may be exposed."""

    id: str
    category: Category
    patterns: tuple[Pattern, ...]
    conditions: tuple[Condition, ...]
    where: str
    concealed: bool
    value: int
    instances: tuple[Instance, ...]

    @property
    def text(self) -> str:
        """The line as it is printed: alternatives, condition, C or X, and the value."""
        hands = " -or- ".join(pattern.text for pattern in self.patterns)
        where = f" ({self.where})" if self.where else ""
        return f"{hands}{where} {'C' if self.concealed else 'X'} {self.value}"


@dataclass(frozen=True)
class Card:
    """A card that was read and checked."""

    id: str
    title: str
    year: int
    currency_per_point: float
    categories: tuple[Category, ...]
    lines: tuple[Line, ...]
    warnings: tuple[Problem, ...] = ()

    @cached_property
    def instances(self) -> tuple[tuple[Line, Instance, int], ...]:
        """Every instance with its line and the bits of its absent faces, in the card's order."""
        return tuple(
            (line, instance, instance.absent) for line in self.lines for instance in line.instances
        )

    def line(self, id: str) -> Line:
        """The line with that id; raises KeyError."""
        for line in self.lines:
            if line.id == id:
                return line
        raise KeyError(id)


@lru_cache(maxsize=8)
def parse_card(text: str, year: int | None = None) -> Card:
    """The card in a file's text; ``year`` replaces the one it was printed for.

    Raises CardError with every problem found, each with its line and column.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CardError([_syntax_problem(error, text)]) from None
    return _Reader(data, find_places(text), year).card()


def _syntax_problem(error: tomllib.TOMLDecodeError, text: str) -> Problem:
    """TOML says the place at the end of its message, or that the document ended."""
    message = str(error)
    words, found, place = message.rpartition(" (at line ")
    if not found:
        words = message.removesuffix(" (at end of document)")
        lines = text.split("\n")
        return Problem(Place(len(lines), len(lines[-1]) + 1), f"not TOML: {words}")
    line, _, column = place.rstrip(")").partition(", column ")
    return Problem(Place(int(line), int(column)), f"not TOML: {words}")


_MISSING = object()


@dataclass
class _Reader:
    """Turns parsed TOML into a card, collecting problems instead of stopping at the first."""

    data: Mapping[str, Any]
    places: Places
    year_option: int | None
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def card(self) -> Card:
        """The card; raises CardError when anything is wrong."""
        top = self.places.top
        format_name = self._value(self.data, "format", str, top)
        if isinstance(format_name, str) and format_name != FORMAT:
            self._wrong(
                self.places.value(top, "format"),
                f"the format is {format_name!r}, this reader knows {FORMAT!r}",
            )
        id = self._value(self.data, "id", str, top, "")
        title = self._value(self.data, "title", str, top, "")
        year = self._value(self.data, "year", int, top, 0)
        if self.year_option is not None:
            year = self.year_option
        elif not 1000 <= year <= 9999 and "year" in self.data:
            self._wrong(self.places.value(top, "year"), f"the year is {year}, not four digits")
        currency = self._value(self.data, "currency_per_point", (int, float), top, 1, optional=True)
        if currency <= 0:
            place = self.places.value(top, "currency_per_point")
            self._wrong(place, f"currency_per_point is {currency}: more than 0")
        self._unknown(
            self.data,
            {"format", "id", "title", "year", "currency_per_point", "category", "line"},
            top,
        )
        categories = self._categories()
        lines = self._lines({category.id: category for category in categories}, year)
        if self.problems:
            raise CardError(sorted(self.problems, key=lambda problem: problem.place))
        return Card(
            id, title, year, float(currency), tuple(categories), tuple(lines), tuple(self.warnings)
        )

    def _categories(self) -> list[Category]:
        found: list[Category] = []
        for table, keys in self._tables("category"):
            id = self._value(table, "id", str, keys, "")
            if id in [category.id for category in found]:
                self._wrong(self.places.value(keys, "id"), f"category {id!r} occurs twice")
            found.append(
                Category(
                    id,
                    self._value(table, "name", str, keys, ""),
                    self._value(table, "no_jokers", bool, keys, False, optional=True),
                    self._value(table, "jokerless_bonus", bool, keys, True, optional=True),
                )
            )
            self._unknown(table, {"id", "name", "no_jokers", "jokerless_bonus"}, keys)
        return found

    def _tables(self, name: str) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        tables = self.data.get(name, [])
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            self._wrong(
                self.places.value(self.places.top, name), f"{name} is written as [[{name}]] tables"
            )
            return
        if not tables:
            self._wrong(Place(1, 1), f"the card has no [[{name}]]")
        for index, table in enumerate(tables):
            yield table, self.places.table(name, index)

    def _lines(self, categories: Mapping[str, Category], year: int) -> list[Line]:
        found: list[Line] = []
        for table, keys in self._tables("line"):
            before = len(self.problems)
            id = self._value(table, "id", str, keys, "")
            if id in [line.id for line in found]:
                self._wrong(self.places.value(keys, "id"), f"line {id!r} occurs twice")
            name = self._value(table, "category", str, keys, "")
            if name and name not in categories:
                known = ", ".join(categories)
                self._wrong(
                    self.places.value(keys, "category"),
                    f"there is no category {name!r}; the card has {known}",
                )
            category = categories.get(name, Category(name, name))
            exposure = self._value(table, "exposure", str, keys, "X")
            if exposure not in ("X", "C"):
                self._wrong(
                    self.places.value(keys, "exposure"),
                    f'exposure is "X" or "C", not {exposure!r}',
                )
            value = self._value(table, "value", int, keys, 1)
            if value < 1:
                self._wrong(
                    self.places.value(keys, "value"), f"the value is {value}: a number from 1"
                )
            self._unknown(table, {"id", "category", "patterns", "where", "exposure", "value"}, keys)
            patterns = self._patterns(table, keys, category, year)
            where = self._value(table, "where", str, keys, "", optional=True)
            conditions = self._conditions(where, keys)
            self._unused_variables(conditions, patterns, keys)
            instances: tuple[Instance, ...] = ()
            if len(self.problems) == before:
                instances = tuple(
                    dict.fromkeys(
                        instance
                        for pattern in patterns
                        for instance in instances_of(pattern, conditions)
                    )
                )
                if not instances:
                    self._wrong(
                        self.places.value(keys, "patterns"),
                        f"line {id!r} stands for no hand at all: no values fit its conditions",
                    )
            found.append(
                Line(
                    id,
                    category,
                    tuple(patterns),
                    tuple(conditions),
                    where,
                    exposure == "C",
                    value,
                    instances,
                )
            )
        return found

    def _patterns(
        self, table: Mapping[str, Any], keys: Mapping[str, Any], category: Category, year: int
    ) -> list[Pattern]:
        texts = self._value(table, "patterns", list, keys, [])
        if "patterns" in table and (not texts or not all(isinstance(text, str) for text in texts)):
            self._wrong(
                self.places.value(keys, "patterns"), "patterns is a list of one or more texts"
            )
            return []
        found = []
        for index, text in enumerate(texts):
            try:
                pattern = parse_pattern(text, year)
            except PatternError as error:
                self._wrong(self.places.item(keys, "patterns", index, error.offset), str(error))
                continue
            place = self.places.item(keys, "patterns", index, 0)
            if pattern.tiles != HAND_TILES:
                self._wrong(place, f"{text!r} has {pattern.tiles} tiles, a hand has {HAND_TILES}")
            for group in pattern.groups:
                if category.no_jokers and group.count > 2:
                    self._wrong(
                        self.places.item(keys, "patterns", index, group.offset),
                        f"{group.text} is more than a pair, and category {category.id!r} has "
                        "no_jokers",
                    )
                self._odd_digit(group, category, keys, index)
            found.append(pattern)
        return found

    def _odd_digit(
        self, group: GroupText, category: Category, keys: Mapping[str, Any], index: int
    ) -> None:
        allowed = {"2468": "02468", "13579": "013579", "369": "0369"}.get(category.id)
        if allowed is None or group.item == "[YEAR]":
            return
        strange = [sign for sign in group.item if sign.isdigit() and sign not in allowed]
        if strange and not group.item.startswith("("):
            self.warnings.append(
                Problem(
                    self.places.item(keys, "patterns", index, group.offset),
                    f"{group.text} uses {strange[0]} in category {category.id!r}",
                )
            )

    def _conditions(self, where: str, keys: Mapping[str, Any]) -> list[Condition]:
        if not where:
            return []
        try:
            return parse_conditions(where)
        except PatternError as error:
            self._wrong(self.places.item(keys, "where", 0, error.offset), str(error))
            return []

    def _unused_variables(
        self,
        conditions: Sequence[Condition],
        patterns: Sequence[Pattern],
        keys: Mapping[str, Any],
    ) -> None:
        used = {group.variable for pattern in patterns for group in pattern.groups}
        for name in sorted({name for each in conditions for name in each.variables} - used):
            text = f"no pattern of the line has ({name}): is it misspelled?"
            self.warnings.append(Problem(self.places.value(keys, "where"), text))

    def _value(
        self,
        table: Mapping[str, Any],
        key: str,
        kind: type | tuple[type, ...],
        keys: Mapping[str, Any],
        default: Any = "",
        *,
        optional: bool = False,
    ) -> Any:
        value = table.get(key, _MISSING)
        if value is _MISSING:
            if not optional:
                self._wrong(self.places.header(keys), f"{key} is missing")
            return default
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            names = " or ".join(_KIND_NAMES[one] for one in kinds)
            self._wrong(self.places.value(keys, key), f"{key} is {names}, not {value!r}")
            return default
        return value

    def _unknown(self, table: Mapping[str, Any], known: set[str], keys: Mapping[str, Any]) -> None:
        for key in table:
            if key not in known:
                self._wrong(
                    self.places.value(keys, key),
                    f"{key} is not a key here; there are {', '.join(sorted(known))}",
                )

    def _wrong(self, place: Place, text: str) -> None:
        self.problems.append(Problem(place, text))


_KIND_NAMES: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
}


def instances_of(pattern: Pattern, conditions: Sequence[Condition]) -> Iterator[Instance]:
    """Every concrete hand of a pattern, each once."""
    tags = sorted({group.tag for group in pattern.groups if group.tag})
    numbers = sorted(
        {group.variable for group in pattern.groups if group.variable in ("n", "k")}
        | {name for condition in conditions for name in condition.variables}
    )
    winds = sorted({group.variable for group in pattern.groups if group.variable in ("w", "v")})
    seen = set()
    for values in product(range(1, 10), repeat=len(numbers)):
        value_of = dict(zip(numbers, values, strict=True))
        if not all(condition.holds(value_of) for condition in conditions):
            continue
        for suits in permutations(SUITS, len(tags)):
            suit_of = dict(zip(tags, suits, strict=True))
            for chosen in permutations(range(1, 5), len(winds)):
                wind_of = dict(zip(winds, chosen, strict=True))
                groups = _groups(pattern, value_of, suit_of, wind_of)
                if groups is not None and groups not in seen:
                    seen.add(groups)
                    yield Instance(groups)


def _groups(
    pattern: Pattern,
    value_of: Mapping[str, int],
    suit_of: Mapping[str, Suit],
    wind_of: Mapping[str, int],
) -> tuple[Group, ...] | None:
    """The groups with every item replaced; None when a number leaves 1 to 9 or copies run out."""
    found: list[Group] = []
    natural: Counter[Tile] = Counter()
    for text in pattern.groups:
        for face in _faces(text, value_of, suit_of, wind_of):
            if face is None:
                return None
            group = Group(face, text.count, text.no_jokers)
            found.append(group)
            if not group.takes_jokers:
                natural[face] += group.count
    if any(number > copies_of(face) for face, number in natural.items()):
        return None
    return tuple(sorted(found))


_WINDS = {"E": 1, "S": 2, "W": 3, "N": 4}


def _faces(
    text: GroupText,
    value_of: Mapping[str, int],
    suit_of: Mapping[str, Suit],
    wind_of: Mapping[str, int],
) -> Iterator[Tile | None]:
    if text.variable in ("n", "k"):
        rank = value_of[text.variable] + text.offset_value
        yield Tile(suit_of[text.tag], rank) if 1 <= rank <= 9 else None
    elif text.variable in ("w", "v"):
        yield Tile(Suit.HONOURS, wind_of[text.variable])
    else:
        for sign in text.signs:
            yield _fixed_face(sign, suit_of.get(text.tag))


def _fixed_face(sign: str, suit: Suit | None) -> Tile:
    fixed: dict[str, Callable[[], Tile]] = {
        "F": lambda: FLOWER,
        "0": lambda: SOAP,
        "G": lambda: DRAGON_OF[Suit.BAMBOOS],
        "R": lambda: DRAGON_OF[Suit.CHARACTERS],
    }
    if sign in fixed:
        return fixed[sign]()
    if sign in _WINDS:
        return Tile(Suit.HONOURS, _WINDS[sign])
    assert suit is not None
    return DRAGON_OF[suit] if sign == "D" else Tile(suit, int(sign))
