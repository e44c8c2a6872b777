"""The camera's part of the daemon: the top is looked at before a deal, then scenes are followed.

A deal begins when walls stand. Before that the camera says what it alone can see: whether it hangs
where it was calibrated, tiles that came up face-up or fell over, tiles that were forgotten when the
table was cleared, and what the dice show. A table that cannot be looked at plays all the same.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from math import hypot

from firmware_bridge.errors import BridgeError
from firmware_bridge.health import Concern
from table_controller.conductor import Conductor, Look
from table_controller.desk import Desk
from table_controller.interpret import BACK, NOT_A_TILE
from table_controller.machine import Machine, MachineView
from table_controller.table import Table
from vision.errors import VisionError
from vision.types import Scene, Sighting, ZoneKind
from vision.worker import Eyes, EyesSettings
from vision.zones import TableGeometry

logger = logging.getLogger(__name__)

CAMERA_RETRY_S = 10.0
RELOOK_S = 1.0
PATIENCE_S = 3.0  # hands that stay over the table so long are taking their tiles
DICE = 2
# A stack stands on a ledge as wide as a tile is long. A tile that leans out of it by half a tile,
# or a back that lies askew, has fallen, and what fell lies within a tile's length of its row; ponds
# and flowers are farther away. A face in a row is told as a face, however it seems to lie.
OUT_OF_ROW_MM = 10.0
OUT_OF_LINE_DEG = 30.0
FALLEN_WITHIN_MM = 33.0
LAID_DOWN = (ZoneKind.POND, ZoneKind.MELDS, ZoneKind.FLOWERS, ZoneKind.CENTRE)


def fresh_table(scene: Scene, geometry: TableGeometry) -> list[Concern]:
    """What is wrong on a table on which only walls should stand.

    Every face-up tile is told, since each is to be marked; what fell is told once a side, and what
    was forgotten once.
    """
    found = [
        concern
        for sighting in scene.sightings
        if sighting.label != NOT_A_TILE and (concern := _concern(sighting, geometry)) is not None
    ]
    faces = [concern for concern in found if concern.code == "D04"]
    return faces + [each for each in dict.fromkeys(found) if each.code != "D04"]


def _concern(sighting: Sighting, geometry: TableGeometry) -> Concern | None:
    side, from_row_mm = _nearest_row(sighting, geometry)
    if from_row_mm <= OUT_OF_ROW_MM:
        if sighting.label != BACK:
            return Concern("D04", side)
        if _across_deg(geometry, side, sighting) <= OUT_OF_LINE_DEG:
            return None
    if from_row_mm <= FALLEN_WITHIN_MM:
        return Concern("W07", side)
    if sighting.zone.kind in LAID_DOWN and sighting.label != BACK:
        return Concern("T05")
    return None


def _nearest_row(sighting: Sighting, geometry: TableGeometry) -> tuple[int, float]:
    """The wall nearest to the tile, and how far it is from the places in it."""
    x, y = sighting.centre_mm
    return min(
        (
            (side, hypot(x - place.centre_mm[0], y - place.centre_mm[1]))
            for side, stacks in enumerate(geometry.wall_stacks)
            for place in (geometry.wall_place(side, stack, 1) for stack in range(stacks))
        ),
        key=lambda found: found[1],
    )


def _across_deg(geometry: TableGeometry, side: int, back: Sighting) -> float:
    """How far a back is turned out of its row.

    It has no upper edge, and in a tight row the reader may take its width for its length: a quarter
    turn is in line too.
    """
    turned = abs(geometry.seat_angle(side, back.angle_deg)) % 90.0
    return min(turned, 90.0 - turned)


class Lookout:
    """Watches one real table for as long as it runs."""

    def __init__(
        self,
        settings: EyesSettings,
        table: Table,
        conductor: Conductor,
        desk: Desk,
        machine: Machine,
        *,
        calibrated: bool = False,
        sure_dice: float | None = None,
        throw_dice: bool = True,
    ) -> None:
        self._settings = settings
        self._table = table
        self._conductor = conductor
        self._desk = desk
        self._machine = machine
        self._calibrated = calibrated
        self._sure_dice = sure_dice  # None: the dome was never calibrated, so dice are not read
        self._throw_dice = throw_dice
        self._walls_stand = asyncio.Event()
        self._recalibrated = asyncio.Event()
        self._in_play = machine.view.playing
        if self._in_play is not None and table.state is None:
            self._walls_stand.set()  # walls of before a restart, and no deal was begun with them
        self.eyes: Eyes | None = None
        self._scenes = 0
        self._told = 0  # scenes that brought events
        self._delay_s = 0.0  # from their pictures to the last of these
        machine.watch(self._moved)
        desk.camera("starting")

    async def run(self) -> None:
        """Watch, and begin deals, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch(), name="camera")
            tasks.create_task(self._begin_deals(), name="deals")

    # ---- following a deal

    async def _watch(self) -> None:
        """Feed the conductor with scenes; a camera that is lost is shown, and tried again."""
        while True:
            self._recalibrated.clear()
            watching = asyncio.ensure_future(self._follow(Eyes(self._settings)))
            changed = asyncio.ensure_future(self._recalibrated.wait())
            try:
                await asyncio.wait({watching, changed}, return_when=asyncio.FIRST_COMPLETED)
                if watching.done():
                    await watching
                    self._desk.camera("down")
                    await asyncio.wait({changed}, timeout=CAMERA_RETRY_S)
                if changed.done():
                    self._desk.camera("starting")
            finally:
                for task in (watching, changed):
                    task.cancel()
                await asyncio.gather(watching, changed, return_exceptions=True)

    async def _follow(self, eyes: Eyes) -> None:
        """Scenes of one vision process, until the camera is lost."""
        try:
            await eyes.start()
            self.eyes = eyes
            async for scene in eyes.scenes():
                await self._table.until_running()
                self._desk.pictures(eyes.faults)
                if self._see(scene) is Look.AGAIN:
                    await eyes.look()  # all of it is read anew, and comes as the next scene
            logger.warning("the camera's pictures ended")
        except VisionError as error:
            logger.error("the camera cannot be used: %s", error)
        finally:
            self.eyes = None
            await eyes.close()

    def use(self, settings: EyesSettings, *, calibrated: bool, sure_dice: float | None) -> None:
        """The table was calibrated: watch by the new settings from now on."""
        self._settings = settings
        self._calibrated = calibrated
        self._sure_dice = sure_dice
        self._recalibrated.set()

    def _see(self, scene: Scene) -> Look:
        before, begun = len(self._table.log), time.perf_counter()
        look = self._conductor.see(scene)
        self._scenes += 1
        if len(self._table.log) > before:
            self._told += 1
            self._delay_s += scene.frame_age_s + time.perf_counter() - begun
        return look

    def metrics(self) -> dict[str, float]:
        """Counters by the names that /metrics uses."""
        eyes = self.eyes
        return {
            "scenes_total": self._scenes,
            "picture_to_event_seconds_total": self._delay_s,
            "picture_to_event_total": self._told,
            "reading_seconds": eyes.seen.timing.read_s if eyes and eyes.seen else 0.0,
            "vision_restarts_total": eyes.restarted if eyes else 0,
            "vision_memory_bytes": 1e6 * eyes.memory_mb if eyes else 0.0,
        }

    # ---- before a deal

    def _moved(self, view: MachineView) -> None:
        """Walls that were raised start a deal; those that still stand after one do not."""
        before, self._in_play = self._in_play, view.playing
        if before is None and view.playing is not None:
            self._walls_stand.set()

    async def _begin_deals(self) -> None:
        while True:
            await self._walls_stand.wait()
            self._walls_stand.clear()
            await self._table.until_running()
            if self._conductor.is_playing or self._conductor.is_over:
                continue
            await self._until_clear()
            dice = await self._dice()
            self._conductor.begin_deal(dice)

    async def _until_clear(self) -> None:
        """Look at the top; forgotten tiles would be taken for discards, so they are waited for.

        Somebody who has read the message and dismissed it says that nothing lies there.
        """
        while not await self._camera_in_place():
            await asyncio.sleep(RELOOK_S)
        asked = False
        while True:
            scene = await self._look()
            if scene is None:
                return
            found = fresh_table(scene, self._conductor.geometry)
            if not asked:
                self._desk.seen(found)
            forgotten = Concern("T05") in found
            if not forgotten:
                self._machine.dismiss("T05")
            if not forgotten or (asked and not self._machine.book.has("T05")):
                return
            asked = True
            await asyncio.sleep(RELOOK_S)

    async def _look(self) -> Scene | None:
        """The table as soon as it is still; None where it cannot be seen soon."""
        if self.eyes is None:
            return None
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self.eyes.look()
        except (TimeoutError, VisionError) as error:
            logger.info("the table was not looked at before the deal: %s", error or "not still")
            return None

    async def _camera_in_place(self) -> bool:
        """Whether readings land where they should; a camera that has moved takes one pond's tiles
        for another's, so no deal begins before it is pushed back or calibrated."""
        if self.eyes is None or not self._calibrated:
            return True
        try:
            async with asyncio.timeout(PATIENCE_S):
                drift = await self.eyes.camera_drift()
        except (TimeoutError, VisionError) as error:
            logger.info("whether the camera has moved cannot be told: %s", error or "no answer")
            return True
        if not drift.is_small:
            logger.error("%s: calibrate the table again", drift)
        self._desk.moved(not drift.is_small)
        return drift.is_small

    async def _dice(self) -> tuple[int, ...]:
        """Throw the dice and read them; a stand-in throws where they do not turn."""
        if not self._throw_dice:
            return ()
        try:
            throw = await self._machine.roll_dice()
        except BridgeError as error:
            logger.warning("the dice were not thrown: %s", error)
            return ()
        if throw.stand_in:
            chance = random.SystemRandom()
            return tuple(chance.randint(1, 6) for _ in range(DICE))
        if self.eyes is None or self._sure_dice is None:
            return ()
        try:
            async with asyncio.timeout(PATIENCE_S):
                read = await self.eyes.read_dice(count=DICE)
        except (TimeoutError, VisionError) as error:
            logger.warning("the dice were not read: %s", error or "no answer")
            return ()
        if read.confidence < self._sure_dice:
            logger.warning("the dice are not sure: %s (%.2f)", read.values, read.confidence)
            return ()
        return read.values
