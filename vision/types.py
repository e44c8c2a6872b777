"""What the eyes of the table pass on: placed tiles, sightings and scenes.

Table coordinates are millimetres on the felt: the origin is the table's centre, x grows to the
right and y away from seat 0. Seats are numbered in the order of play, counter-clockwise seen from
above: 0 at the bottom of the picture, 1 right, 2 top, 3 left. An angle is degrees
counter-clockwise, from "the tile's top points away from seat 0"; a tile that lies upright for the
player of seat ``s`` has the angle ``90 * s``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Facing(StrEnum):
    """How a tile stands on the table."""

    UP = "up"
    DOWN = "down"
    STANDING = "standing"


class ZoneKind(StrEnum):
    """What a part of the table is used for."""

    POND = "pond"
    MELDS = "melds"
    HAND = "hand"
    FLOWERS = "flowers"
    WALL = "wall"
    CENTRE = "centre"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the table and the seat it belongs to; the centre belongs to nobody."""

    kind: ZoneKind
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile as it really lies: what the renderer draws and a scene should say again."""

    label: str
    centre_mm: tuple[float, float]
    angle_deg: float
    facing: Facing = Facing.UP
    layer: int = 0  # 1 lies on top of another tile


@dataclass(frozen=True, slots=True)
class Guess:
    """One reading of a face that competes with others."""

    label: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Detection:
    """A tile found in one picture, in pixels of that picture.

    ``box_px`` is (x, y, width, height); ``quad_px`` holds the four corners of the face, clockwise
    from the tile's own top left.
    """

    label: str
    confidence: float
    box_px: tuple[float, float, float, float]
    quad_px: tuple[tuple[float, float], ...]
    angle_deg: float
    others: tuple[Guess, ...] = ()
    is_covered: bool = False


@dataclass(frozen=True, slots=True)
class Sighting:
    """A tile found on the calibrated table, in table millimetres."""

    label: str
    confidence: float
    centre_mm: tuple[float, float]
    angle_deg: float
    zone: Zone
    others: tuple[Guess, ...] = ()
    is_covered: bool = False


def mixed(readings: Iterable[tuple[Detection | Sighting, float]]) -> list[Guess]:
    """Readings of one tile as one, each by its share: labels by probability, likeliest first."""
    chances: dict[str, float] = {}
    for said, share in readings:
        for guess in (Guess(said.label, said.confidence), *said.others):
            chances[guess.label] = chances.get(guess.label, 0.0) + share * guess.confidence
    guesses = (Guess(label, float(chance)) for label, chance in chances.items())
    return sorted(guesses, key=lambda guess: guess.confidence, reverse=True)


@dataclass(frozen=True, slots=True)
class Scene:
    """What several still frames agreed on. Times are seconds of the frame source's clock."""

    time_s: float
    sightings: tuple[Sighting, ...]
    frames: int
    frame_age_s: float = 0.0
