"""The notation of the three-player specifications, turned into cases.

They write ``E S W N`` and ``G R Wh`` for honours, ``Fl1`` for flowers, ``pung(555p<E)`` for a meld
taken from east, and seats by their winds; east deals and is seat 0.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import Tile, parse_tiles

SEATS = {"E": Seat.A, "S": Seat.B, "W": Seat.C}
WINDS = {"E": Wind.EAST, "S": Wind.SOUTH, "W": Wind.WEST}
WORDS = {"E": "1z", "S": "2z", "W": "3z", "N": "4z", "Wh": "5z", "G": "6z", "R": "7z", "Fy": "jk"}
SPECIAL = {"Fl": "f", "Se": "g", "An": "a", "Fa": "c"}
KINDS = {
    "pung": MeldKind.PUNG,
    "kong": MeldKind.KONG,
    "kong+": MeldKind.ADDED_KONG,
    "ckong": MeldKind.CONCEALED_KONG,
}
SPECIFICATIONS = Path(__file__).resolve().parents[4] / "shared" / "rules"


def tiles(text: str) -> tuple[Tile, ...]:
    """Tiles in the specifications' notation."""
    found: list[Tile] = []
    for word in text.split():
        if word in WORDS:
            found += parse_tiles(WORDS[word])
        elif word[:2] in SPECIAL:
            found += parse_tiles(word[2:] + SPECIAL[word[:2]])
        else:
            found += parse_tiles(word)
    return tuple(found)


def meld(text: str) -> Meld:
    """A meld such as ``kong+(7777m<W)``."""
    kind, inside, source = re.fullmatch(r"(\w+\+?)\(([^<)]*)(?:<(\w))?\)", text).groups()
    made = Meld(KINDS[kind], tiles(inside), SEATS[source] if source else None)
    made.check()
    return made


def split_hand(text: str, winning: str) -> tuple[tuple[Tile, ...], Tile]:
    """The concealed tiles without the winning tile, and the winning tile."""
    held = list(tiles(text))
    (won,) = tiles(winning)
    held.remove(won)
    return tuple(held), won


def load_examples(folder: Path) -> list[dict]:
    """The worked examples of a specification, committed beside its tests."""
    return json.loads((folder / "examples.json").read_text())


def check_all_are_here(examples: list[dict], specification: str, pattern: str) -> None:
    """Every example that the specification numbers is among these."""
    path = SPECIFICATIONS / specification
    if not path.exists():
        pytest.skip(f"../shared/rules/{specification} is not here: this check did NOT run")
    written = re.findall(rf"^id: ({pattern})$", path.read_text(), re.MULTILINE)
    assert written == [example["id"] for example in examples]
