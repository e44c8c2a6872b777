"""Card files for American mahjong: reading them, checking them, and explaining a hand by them.

Behind `mahjong-table card check FILE` and `mahjong-table card explain HAND`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from table_controller.rules.american.card import (
    FACES,
    Card,
    CardError,
    Line,
    Problem,
    copies_of,
    face_of,
    parse_card,
)
from table_controller.rules.american.matching import (
    Exposure,
    Match,
    Nearness,
    Rack,
    matches,
    nearest,
    possible_lines,
)
from table_controller.rules.american.options import PRACTICE_CARD, Options
from table_controller.rules.american.scoring import base_of, best_match, card_of, hand_text
from table_controller.rules.american.table import kind_of_size
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.tiles import JOKER, Tile, format_tiles, parse_tiles

HAND = 14


class CardFileError(Exception):
    """A card file that cannot be read, with what to do about it."""


def read_card_text(path: Path) -> str:
    """The text of a card file; raises CardFileError."""
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors put a mark before the text
    except UnicodeDecodeError as error:
        raise CardFileError(f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8") from None
    except OSError as error:
        raise CardFileError(f"cannot read {path}: {error.strerror}") from None


def options_with_card(options: Options, path: Path) -> Options:
    """The same options with the card of a file; raises CardFileError or OptionError."""
    changed = replace(options, card=read_card_text(path))
    card_of(changed)
    return changed


@dataclass(frozen=True)
class CardCheck:
    """What a critical reader says about a card file."""

    file: str
    card: Card | None
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]

    @property
    def is_good(self) -> bool:
        """The card can be played with."""
        return self.card is not None

    def text(self) -> str:
        """For people: one row a problem as FILE:LINE:COLUMN, then the card line by line."""
        rows = [
            f"{self.file}:{one.place.line}:{one.place.column}: error: {one.text}"
            for one in self.problems
        ]
        rows += [
            f"{self.file}:{one.place.line}:{one.place.column}: warning: {one.text}"
            for one in self.warnings
        ]
        if self.card is not None:
            rows.append(f"{self.card.title} ({self.card.year}): {len(self.card.lines)} lines")
            rows += [_line_row(line) for line in self.card.lines]
        return "\n".join(rows)

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "file": self.file,
            "valid": self.is_good,
            "errors": [_problem_json(one) for one in self.problems],
            "warnings": [_problem_json(one) for one in self.warnings],
            "lines": [
                {"id": line.id, "instances": len(line.instances), "value": line.value}
                for line in (self.card.lines if self.card else ())
            ],
        }


def _line_row(line: Line) -> str:
    return f"  {line.id:6} {len(line.instances):4} hands  {line.text}"


def _problem_json(problem: Problem) -> dict[str, Any]:
    return {"line": problem.place.line, "column": problem.place.column, "text": problem.text}


def check_card(path: Path, *, year: int | None = None) -> CardCheck:
    """Read a card file critically; raises CardFileError when there is nothing to read."""
    text = read_card_text(path)
    try:
        card = parse_card(text, year)
    except CardError as error:
        return CardCheck(str(path), None, error.problems, ())
    return CardCheck(str(path), card, (), card.warnings)


# --- explaining a hand ------------------------------------------------------------------------

_EXPOSED = re.compile(r"\(([^()]*)\)")


def read_hand(text: str) -> tuple[Rack, tuple[Exposure, ...]]:
    """A hand such as ``222s 111f (666s jk) (666z) 2s``: exposures stand in parentheses.

    Raises NotationError or CaseError that says what cannot be read.
    """
    exposures = []
    for written in _EXPOSED.findall(text):
        tiles = parse_tiles(written)
        meld = Meld(kind_of_size(len(tiles)), tiles)
        meld.check()
        exposures.append(Exposure.of(meld))
    rest = parse_tiles(_EXPOSED.sub(" ", text))
    rack = Rack.of(rest)
    size = rack.size + sum(exposure.size for exposure in exposures)
    if not 1 <= size <= HAND:
        raise CaseError(f"the hand has {size} tiles, a hand has at most {HAND}")
    _check_copies(rest, exposures)
    return rack, tuple(exposures)


def _check_copies(rest: Sequence[Tile], exposures: Sequence[Exposure]) -> None:
    for face in (*FACES, JOKER):
        if face == JOKER:
            number = sum(tile.is_joker for tile in rest) + sum(one.jokers for one in exposures)
            most = 8
        else:
            number = sum(face_of(tile) == face for tile in rest if not tile.is_joker)
            number += sum(one.naturals for one in exposures if one.face == face)
            most = copies_of(face)
        if number > most:
            raise CaseError(f"{number} copies of {face} are named, the set has {most}")


@dataclass(frozen=True)
class HandExplanation:
    """What a card says about a hand."""

    card: Card
    rack: Rack
    exposures: tuple[Exposure, ...]
    found: tuple[Match, ...]  # the lines of a complete hand
    counted: Match | None
    waits: tuple[tuple[Tile, Line], ...]  # tiles that complete a hand of thirteen
    near: tuple[Nearness, ...]
    possible: tuple[Line, ...]

    @property
    def jokerless(self) -> bool:
        """No joker in rack or exposures."""
        return self.rack.jokers == 0 and not any(one.jokers for one in self.exposures)

    def text(self) -> str:
        """For people."""
        rows = []
        if self.counted is not None:
            line = self.counted.line
            base = base_of(line, jokerless=self.jokerless)
            rows.append(f"Mahjong: {line.id}  {line.text}")
            rows.append(f"  {hand_text(self.rack, self.exposures, self.counted)}")
            if base != line.value:
                rows.append(f"  jokerless: {line.value} counts double")
            rows.append(
                f"  on a discard {2 * base} from its seat and {base} from each other; "
                f"self-picked {2 * base} from each"
            )
            rows += [
                f"also: {match.id}  {match.line.text}"
                for match in self.found
                if match is not self.counted
            ]
            return "\n".join(rows)
        if self.exposures:
            ids = " ".join(line.id for line in self.possible)
            rows.append(f"possible with these exposures: {ids or 'no line, the hand is dead'}")
        rows += [f"waits for {tile}: {line.id}  {line.text}" for tile, line in self.waits]
        rows += [
            f"{one.missing} away: {one.line.id}  {one.line.text}\n  {_lacks(one)}"
            for one in self.near
        ]
        return "\n".join(rows) or "no line of the card is near"

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        counted = self.counted
        return {
            "card": self.card.id,
            "matches": [match.id for match in self.found],
            "counted": None if counted is None else counted.id,
            "base": None if counted is None else base_of(counted.line, jokerless=self.jokerless),
            "hand": None if counted is None else hand_text(self.rack, self.exposures, counted),
            "waits": [{"tile": str(tile), "line": line.id} for tile, line in self.waits],
            "possible": [line.id for line in self.possible],
            "near": [
                {
                    "line": one.line.id,
                    "missing": one.missing,
                    "wanted": format_tiles(one.wanted),
                    "spare": format_tiles(one.spare),
                }
                for one in self.near
            ],
        }


def explain_hand(text: str, *, card: Card | None = None, limit: int = 5) -> HandExplanation:
    """What the card (the practice card by default) says about a hand of up to fourteen tiles."""
    used = card_of(Options(card=PRACTICE_CARD)) if card is None else card
    rack, exposures = read_hand(text)
    size = rack.size + sum(exposure.size for exposure in exposures)
    found = matches(rack, exposures, used) if size == HAND else []
    jokerless = rack.jokers == 0 and not any(one.jokers for one in exposures)
    counted = best_match(found, jokerless, Options()) if found else None
    return HandExplanation(
        card=used,
        rack=rack,
        exposures=exposures,
        found=tuple(found),
        counted=counted,
        waits=tuple(_waits(rack, exposures, used)) if size == HAND - 1 else (),
        near=() if found else tuple(nearest(rack, exposures, used, limit=limit)),
        possible=tuple(possible_lines(exposures, used)),
    )


def _lacks(near: Nearness) -> str:
    """What a hand needs for the line, and what it does not."""
    wanted = format_tiles(near.wanted) or "only jokers"
    if not near.spare:
        return f"lacks {wanted}; uses every tile"
    return f"lacks {wanted}; does not use {format_tiles(near.spare)}"


def _waits(rack: Rack, exposures: Sequence[Exposure], card: Card) -> list[tuple[Tile, Line]]:
    waits = []
    for index, face in enumerate((*FACES, JOKER)):
        counts = list(rack.counts)
        if face == JOKER:
            held = replace(rack, jokers=rack.jokers + 1)
        else:
            counts[index] += 1
            held = replace(rack, counts=tuple(counts))
        waits += [(face, match.line) for match in matches(held, exposures, card)[:1]]
    return waits
