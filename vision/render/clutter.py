"""What else lies on a table and is no tile: score sticks, cups, chips, cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.render import table
from vision.render.bodies import Body
from vision.render.look import ClutterLook

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]

REACH_MM = 330.0  # from the table's centre
CENTRE_MM = 95.0  # half side of the middle, where nothing is put down
TRIES = 12
TILE_MM = 17.0  # from a tile's middle to its corner


@dataclass(frozen=True, slots=True)
class Spot:
    """A place where a thing may lie: its corners, and points along it that need room."""

    corners_mm: Points
    probes_mm: Points
    room_mm: float


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing as it looks from above and the places where it would be put, the dearest first."""

    picture: Picture
    spots: tuple[Spot, ...]


class Clutter:
    """The things of one table; each stays where it is until a tile takes its place."""

    def __init__(self, look: ClutterLook, seed: int) -> None:
        rng = np.random.default_rng([seed, 2])
        kinds = (
            ("stick", look.sticks),
            ("cup", look.cups),
            ("chip", look.chips),
            ("card", look.cards),
        )
        self._things = [thing(kind, rng) for kind, count in kinds for _ in range(count)]

    def rest(self, bodies: Sequence[Body]) -> tuple[int | None, ...]:
        """Which of its spots each thing takes between these tiles; None when none has room."""
        taken = np.array([body.placed.centre_mm for body in bodies]).reshape(-1, 2)
        rooms = np.full(len(taken), TILE_MM)
        chosen: list[int | None] = []
        for one in self._things:
            place = next(
                (number for number, spot in enumerate(one.spots) if is_free(spot, taken, rooms)),
                None,
            )
            chosen.append(place)
            if place is not None:
                spot = one.spots[place]
                taken = np.concatenate([taken, spot.probes_mm])
                rooms = np.concatenate([rooms, np.full(len(spot.probes_mm), spot.room_mm)])
        return tuple(chosen)

    def seen(
        self, camera: CameraModel, places: Sequence[int | None]
    ) -> list[tuple[Picture, Picture, tuple[int, int]]]:
        """The things as the camera sees them: colours, mask and upper left corner of each."""
        return [
            table.place(camera, one.picture, one.spots[place].corners_mm, 3.0)
            for one, place in zip(self._things, places, strict=True)
            if place is not None
        ]


def thing(kind: str, rng: np.random.Generator) -> Thing:
    """A thing of that kind."""
    match kind:
        case "stick":
            points = int(rng.choice([100, 1000, 5000, 10000]))
            picture, size = table.stick_sprite(points), (88.0, 7.0)
        case "cup":
            picture, size = table.cup_sprite(rng), (84.0, 84.0)
        case "chip":
            picture, size = table.chip_sprite(rng), (39.0, 39.0)
        case _:
            picture, size = table.card_sprite(rng), (86.0, 54.0)
    spots = [spot(size, rng) for _ in range(TRIES)]
    return Thing(picture, tuple(one for one in spots if one is not None))


def spot(size_mm: tuple[float, float], rng: np.random.Generator) -> Spot | None:
    """Somewhere on the table, None when that is in its middle."""
    centre = rng.uniform(-REACH_MM, REACH_MM, 2)
    turn = np.radians(float(rng.choice([0, 90])) + float(rng.normal(0, 6)))
    if max(abs(centre)) < CENTRE_MM:
        return None
    across = np.array([np.cos(turn), np.sin(turn)]) * size_mm[0] / 2
    up = np.array([-np.sin(turn), np.cos(turn)]) * size_mm[1] / 2
    corners = np.array(
        [
            centre - across + up,
            centre + across + up,
            centre + across - up,
            centre - across - up,
        ]
    )
    probes = centre + np.linspace(-1, 1, 5)[:, None] * across
    return Spot(corners, probes, size_mm[1] / 2 + 3)


def is_free(spot: Spot, taken: Points, rooms: NDArray[np.float64]) -> bool:
    """Whether nothing lies there."""
    if len(taken) == 0:
        return True
    gaps = np.hypot(*(spot.probes_mm[:, None] - taken[None]).transpose(2, 0, 1))
    return bool((gaps >= rooms + spot.room_mm).all())
