"""Patterns declared once: name, native name, worth, what they contain, and the predicate.

A ruleset makes a `PatternTable` and declares its patterns in its rule book's order. Predicates
take one `Win`, look at nothing else and change nothing; what cancels what is data (``excludes``).
Predicates that several rulesets use stand at the end; each ruleset gives them its own name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from table_controller.rules.core.win import Win

W = TypeVar("W")
Predicate = Callable[[W], bool]


def pattern_id(name: str) -> str:
    """The stable id of a pattern's English name: ``Big Four Winds`` -> ``big_four_winds``."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


@dataclass(frozen=True, slots=True)
class Pattern(Generic[W]):
    """A declared pattern. ``exposed`` is its worth with called melds; None: concealed only."""

    id: str
    name: str
    native: str
    value: int
    exposed: int | None
    excludes: frozenset[str]  # ids
    predicate: Predicate[W]
    rule: str  # the rule in one sentence


@dataclass
class PatternTable(Generic[W]):
    """The patterns of one ruleset, in the order of its rule book."""

    unit: str = "fan"
    patterns: list[Pattern[W]] = field(default_factory=list)

    def __call__(
        self,
        name: str,
        native: str,
        value: int,
        *,
        exposed: int | None = None,
        concealed_only: bool = False,
        excludes: tuple[str, ...] = (),
        id: str | None = None,
        rule: str | None = None,
    ) -> Callable[[Predicate[W]], Predicate[W]]:
        """Declare a pattern: as a decorator, or called with a shared predicate.

        ``exposed`` defaults to ``value``. ``excludes`` names patterns (by name or id) that this one
        contains. ``rule`` defaults to the first sentence of the predicate's docstring.
        """

        def declare(predicate: Predicate[W]) -> Predicate[W]:
            sentence = rule or " ".join((predicate.__doc__ or "").split("\n\n")[0].split())
            self.patterns.append(
                Pattern(
                    id or pattern_id(name),
                    name,
                    native,
                    value,
                    None if concealed_only else (value if exposed is None else exposed),
                    frozenset(pattern_id(other) for other in excludes),
                    predicate,
                    sentence,
                )
            )
            return predicate

        return declare

    def __iter__(self) -> Iterator[Pattern[W]]:
        return iter(self.patterns)

    def __getitem__(self, id: str) -> Pattern[W]:
        for pattern in self.patterns:
            if pattern.id == id:
                return pattern
        raise KeyError(id)

    def found(self, win: W) -> list[Pattern[W]]:
        """The patterns that hold, less those that another one found contains."""
        holding = [pattern for pattern in self.patterns if pattern.predicate(win)]
        contained = frozenset().union(*(pattern.excludes for pattern in holding))
        return [pattern for pattern in holding if pattern.id not in contained]


def all_pungs(win: Win) -> bool:
    """Every set is a pung or kong."""
    return win.pair is not None and not win.chows and bool(win.pungs)


def all_chows(win: Win) -> bool:
    """Every set is a chow."""
    return win.pair is not None and not win.pungs and bool(win.chows)


def full_flush(win: Win) -> bool:
    """All tiles are of one numbered suit."""
    return len(win.numbered_suits) == 1 and not win.has_honours


def half_flush(win: Win) -> bool:
    """One numbered suit and honours, both present."""
    return len(win.numbered_suits) == 1 and win.has_honours


def all_honours(win: Win) -> bool:
    """Only winds and dragons."""
    return all(tile.is_honour for tile in win.tiles)


def all_simples(win: Win) -> bool:
    """Only twos to eights."""
    return all(tile.is_simple for tile in win.tiles)


def all_terminals(win: Win) -> bool:
    """Only ones and nines."""
    return all(tile.is_terminal for tile in win.tiles)


def terminals_and_honours(win: Win) -> bool:
    """Only ones, nines and honours, both kinds present."""
    return (
        all(tile.is_terminal_or_honour for tile in win.tiles)
        and win.has_honours
        and bool(win.numbered_suits)
    )
