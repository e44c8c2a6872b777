"""Ways for the simulated table to look at itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from vision.errors import VisionError
from vision.types import Facing, PlacedTile, Scene, Sighting
from vision.values import Drift
from vision.worker import Eyes as EyesProcess
from vision.zones import TableGeometry


class Eyes(Protocol):
    """Whatever turns the tiles on the table into a scene."""

    async def look(self, placed: Sequence[PlacedTile]) -> Scene:
        """What is read of these tiles."""

    async def camera_drift(self) -> Drift | None:
        """How far the camera has moved since it was calibrated; None where nobody can tell."""


class PixelEyes:
    """Reads pictures: the vision process draws what the camera would see, and reads that.

    No simulated time passes while a picture is drawn.
    """

    def __init__(
        self, process: EyesProcess, hold: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self.process = process
        self._hold = hold

    async def look(self, placed: Sequence[PlacedTile]) -> Scene:
        """What the model reads in the picture of these tiles."""
        with self._hold():
            return await self.process.look(placed)

    async def camera_drift(self) -> Drift | None:
        """What the tags beside the felt say."""
        with self._hold():
            try:
                return await self.process.camera_drift()
            except VisionError:
                return None


class PerfectEyes:
    """Reads every tile as it lies, without a picture: for games that only exercise the rules."""

    def __init__(self, geometry: TableGeometry) -> None:
        self.geometry = geometry
        self._looks = 0

    async def look(self, placed: Sequence[PlacedTile]) -> Scene:
        """Every tile that lies open or face down; hidden ones under another are not seen."""
        self._looks += 1
        top = {(round(t.centre_mm[0], 1), round(t.centre_mm[1], 1)): t for t in placed if t.layer}
        sightings = []
        for tile in placed:
            if tile.facing is Facing.STANDING:
                continue
            x, y = tile.centre_mm
            if tile.layer == 0 and (round(x, 1), round(y, 1)) in top:
                continue
            label = "bk" if tile.facing is Facing.DOWN else tile.label
            zone = self.geometry.zone_of(tile.centre_mm)
            sightings.append(Sighting(label, 1.0, tile.centre_mm, tile.angle_deg, zone))
        return Scene(float(self._looks), tuple(sightings), frames=1)

    async def camera_drift(self) -> Drift | None:
        """There is no camera."""
        return None
