"""The notation of a card's lines: ``F*2 2*4/A [YEAR]/B (n+1)*3/C`` and ``n even, k > n+1``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

TAGS = "ABC"


class PatternError(ValueError):
    """A pattern or condition that does not parse; ``offset`` counts its characters from 0."""

    def __init__(self, offset: int, text: str) -> None:
        super().__init__(text)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class GroupText:
    """One group as written. A word is a sequence of singles: its ``signs``, each once."""

    text: str
    offset: int
    item: str
    signs: str  # what each tile or single is: digits, F N E W S R G D; empty for a variable
    variable: str  # n k w v, or nothing
    offset_value: int  # added to the variable
    count: int
    no_jokers: bool
    tag: str  # A B C, or nothing

    @property
    def tiles(self) -> int:
        """How many tiles it takes."""
        return self.count * max(1, len(self.signs))


@dataclass(frozen=True, slots=True)
class Pattern:
    """A hand as written."""

    text: str
    groups: tuple[GroupText, ...]

    @property
    def tiles(self) -> int:
        """How many tiles it takes."""
        return sum(group.tiles for group in self.groups)


_ITEM = re.compile(
    r"(?P<fixed>[1-9]|[0FNEWSRGD])"
    r"|\((?P<number>[nk])(?:(?P<sign>[+-])(?P<by>[0-9]+))?\)"
    r"|\((?P<wind>[wv])\)"
    r"|\[(?P<word>YEAR|[0-9NEWS]+)\]"
)
_ITEM_HELP = "a digit, 0, F, N E W S, R G D, (n) (k) (w) (v), or a word such as [2468]"


def parse_pattern(text: str, year: int) -> Pattern:
    """Read a pattern; raises PatternError that points at the first thing that is wrong."""
    groups = []
    place = 0
    while True:
        group, place = _group(text, place, year)
        groups.append(group)
        if place == len(text):
            return Pattern(text, tuple(groups))
        if text[place] != " ":
            raise PatternError(place, f"{text[place]!r} cannot follow {group.text}: write a blank")
        place += 1


def _group(text: str, start: int, year: int) -> tuple[GroupText, int]:
    item = _ITEM.match(text, start)
    if item is None:
        found = "the end" if start >= len(text) else repr(text[start])
        raise PatternError(start, f"expected {_ITEM_HELP}, not {found}")
    place = item.end()
    by = int(item["by"] or 0)
    if item["by"] is not None and not 1 <= by <= 8:
        raise PatternError(
            item.start("by"), f"{item.group()} is out of reach: the offset goes from 1 to 8"
        )
    count, place = _count(text, place)
    no_jokers = text.startswith("!", place)
    place += no_jokers
    tag = ""
    if text.startswith("/", place):
        tag = text[place + 1 : place + 2]
        if tag not in TAGS or not tag:
            raise PatternError(place + 1, f"a tag is A, B or C, not {tag or 'nothing'!r}")
        place += 2
    word = str(year) if item["word"] == "YEAR" else item["word"]
    group = GroupText(
        text=text[start:place],
        offset=start,
        item=item.group(),
        signs=word or item["fixed"] or "",
        variable=item["number"] or item["wind"] or "",
        offset_value=-by if item["sign"] == "-" else by,
        count=count or 1,
        no_jokers=no_jokers,
        tag=tag,
    )
    if word and count is not None:
        raise PatternError(item.end(), f"{group.text}: a word has no count, it is singles")
    _check_tag(group)
    return group, place


def _count(text: str, place: int) -> tuple[int | None, int]:
    if not text.startswith("*", place):
        return None, place
    digits = re.compile("[0-9]*").match(text, place + 1)
    assert digits is not None
    if digits.group() not in list("12345678"):
        raise PatternError(place + 1, f"a count goes from 1 to 8, not {digits.group()!r}")
    return int(digits.group()), digits.end()


def _check_tag(group: GroupText) -> None:
    """A suit letter where the item has a suit, and nowhere else."""
    has_suit = group.variable in ("n", "k") or any(sign in "123456789D" for sign in group.signs)
    if group.variable in ("w", "v"):
        has_suit = False
    if has_suit and not group.tag:
        raise PatternError(
            group.offset, f"{group.text} needs a tag for its suit: /A, /B or /C behind it"
        )
    if group.tag and not has_suit:
        raise PatternError(
            group.offset + group.text.index("/"), f"{group.text} has no suit: leave out the tag"
        )


@dataclass(frozen=True, slots=True)
class Term:
    """A number variable, or it plus or minus an offset."""

    variable: str
    offset: int = 0

    def value(self, value_of: Mapping[str, int]) -> int:
        """Its value."""
        return value_of[self.variable] + self.offset


@dataclass(frozen=True, slots=True)
class Condition:
    """What number variables must fulfil."""

    text: str
    variables: tuple[str, ...]
    holds: Callable[[Mapping[str, int]], bool]


_TERM = r"([nk])(?:([+-])([1-8]))?"
_PARITY = re.compile(r"([nk]) (odd|even)")
_CHOICE = re.compile(r"([nk]) in \{([1-9](?:\|[1-9])*)\}")
_COMPARISON = re.compile(rf"{_TERM} (!=|<|>|=) {_TERM}")
_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}


def parse_conditions(text: str) -> list[Condition]:
    """Read a ``where``; raises PatternError that points at the condition that is wrong."""
    found = []
    offset = 0
    for part in text.split(","):
        written = part.strip()
        place = offset + len(part) - len(part.lstrip())
        found.append(_condition(written, place))
        offset += len(part) + 1
    return found


def _condition(text: str, place: int) -> Condition:
    if match := _PARITY.fullmatch(text):
        name, parity = match.groups()
        rest = 1 if parity == "odd" else 0
        return Condition(text, (name,), lambda value_of: value_of[name] % 2 == rest)
    if match := _CHOICE.fullmatch(text):
        name, digits = match.groups()
        allowed = {int(digit) for digit in digits.split("|")}
        return Condition(text, (name,), lambda value_of: value_of[name] in allowed)
    if match := _COMPARISON.fullmatch(text):
        left, sign_1, by_1, relation, right, sign_2, by_2 = match.groups()
        first, second = _term(left, sign_1, by_1), _term(right, sign_2, by_2)
        compare = _COMPARE[relation]
        return Condition(
            text,
            tuple(dict.fromkeys((left, right))),
            lambda value_of: compare(first.value(value_of), second.value(value_of)),
        )
    raise PatternError(
        place,
        f"cannot read the condition {text!r}: write n odd, n even, n in {{1|5}}, or n+1 < k",
    )


def _term(name: str, sign: str | None, by: str | None) -> Term:
    offset = int(by or 0)
    return Term(name, -offset if sign == "-" else offset)
