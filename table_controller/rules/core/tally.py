"""Items that may count several times, each time with the tiles that prove it.

For games that add points item by item. An entry's function answers with one tuple of tiles for
every time the item counts: ``[(6z, 6z, 6z), (7z, 7z, 7z)]`` counts twice, ``ONCE`` counts once
and points at nothing, ``NEVER`` does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from table_controller.rules.core.case import Item
from table_controller.rules.core.patterns import pattern_id
from table_controller.rules.core.tiles import Tile, format_tiles

H = TypeVar("H")
Proofs = Sequence[tuple[Tile, ...]]

ONCE: Proofs = ((),)
NEVER: Proofs = ()


def once(holds: bool, *tiles: Tile) -> Proofs:
    """Counts once if it holds, pointing at these tiles."""
    return (tiles,) if holds else NEVER


def because(rule: str, proofs: Proofs = ()) -> str:
    """The rule in one sentence, with the tiles that fulfil it."""
    shown = ", ".join(format_tiles(tiles) for tiles in proofs if tiles)
    return f"{rule.rstrip('.')}: {shown}." if shown else rule


@dataclass(frozen=True, slots=True)
class Entry(Generic[H]):
    """A declared item: its worth each time it counts, or how its worth is found."""

    id: str
    name: str
    native: str
    value: int | Callable[[H], int]
    rule: str  # one sentence
    proofs: Callable[[H], Proofs]

    def worth(self, hand: H) -> int:
        """What it is worth each time it counts."""
        return self.value if isinstance(self.value, int) else self.value(hand)


@dataclass
class Tally(Generic[H]):
    """The items of one class of a ruleset, in the order of its rule book."""

    unit: str
    entries: list[Entry[H]] = field(default_factory=list)

    def __call__(
        self, name: str, native: str, value: int | Callable[[H], int], *, id: str | None = None
    ) -> Callable[[Callable[[H], Proofs]], Callable[[H], Proofs]]:
        """Declare an item; its rule is the first sentence of the function's docstring."""

        def declare(proofs: Callable[[H], Proofs]) -> Callable[[H], Proofs]:
            rule = " ".join((proofs.__doc__ or "").split("\n\n")[0].split())
            self.entries.append(Entry(id or pattern_id(name), name, native, value, rule, proofs))
            return proofs

        return declare

    def __iter__(self) -> Iterator[Entry[H]]:
        return iter(self.entries)

    def __getitem__(self, id: str) -> Entry[H]:
        for entry in self.entries:
            if entry.id == id:
                return entry
        raise KeyError(id)

    def points(self, hand: H) -> int:
        """What all items together are worth."""
        return sum(len(entry.proofs(hand)) * entry.worth(hand) for entry in self.entries)

    def items(self, hand: H) -> list[Item]:
        """The items that count, explained."""
        found = []
        for entry in self.entries:
            if proofs := entry.proofs(hand):
                value = len(proofs) * entry.worth(hand)
                why = because(entry.rule, proofs)
                found.append(
                    Item(
                        id=entry.id,
                        name=entry.name,
                        native=entry.native,
                        value=value,
                        unit=self.unit,
                        why=why,
                    )
                )
        return found
