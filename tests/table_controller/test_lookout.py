"""What the camera sees before a deal, in pictures of the simulated table, and what follows."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager

import cv2
import pytest
import pytest_asyncio

from firmware_bridge.simulator import Place
from table_controller.conductor import Conductor, Look
from table_controller.desk import Desk
from table_controller.lookout import Lookout, fresh_table
from table_controller.machine import Phase, SetPlace
from table_controller.rules import find_ruleset
from table_controller.rules.core.events import DealBegan, DiceRolled
from table_controller.simulation.run import TABLE_LOOK
from table_controller.store import Store
from table_controller.table import Table
from tests.table_controller.played import MIDDLE, playing
from vision.camera import CameraModel
from vision.errors import EyesError
from vision.frames import SyntheticTable
from vision.render import Renderer, tag_sheets
from vision.types import PlacedTile, Scene
from vision.values import TagLayout
from vision.worker import EyesSettings, open_eyes
from vision.zones import TableGeometry

GEOMETRY = TableGeometry(wall_stacks=MIDDLE.stacks)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def eyes():
    async with open_eyes(EyesSettings(table=GEOMETRY, look=TABLE_LOOK, seed=5)) as eyes:
        yield eyes


def lying(world):
    """What is on the table top: walls as they stand, the other tiles in the ponds."""
    placed = []
    for side, stacks in enumerate(world.walls()):
        for number, stack in enumerate(stacks):
            for layer, tile in enumerate(stack):
                pose = GEOMETRY.wall_place(side, number, layer, face_up=tile in world.face_up)
                if tile in world.fallen:
                    beside = GEOMETRY.from_seat(side, (GEOMETRY.pitch_mm * (2 - number), -180.0))
                    placed.append(PlacedTile("4s", beside, 90.0 * side + 55.0))
                else:
                    placed.append(pose.of("4s"))
    surface = world.tiles_at(Place.SURFACE)
    return placed + [GEOMETRY.pond_place(0, i).of("7p") for i, _ in enumerate(surface)]


@asynccontextmanager
async def fresh(without=0):
    """Walls of set A stand, set B has been pushed in, less some tiles."""
    async with playing(MIDDLE) as it:
        await it.first_wall()
        await it.feed("B", without=without)
        await it.until(lambda m: m.sets["A"] is SetPlace.PLAY)
        table = Table.open(Store(":memory:"), find_ruleset("riichi_4p"))
        conductor = Conductor(table.ruleset, table.options, table, GEOMETRY)
        yield it, Desk(table, conductor, it.machine)


async def look(it, desk, eyes):
    """The camera looks at the table as it is, and the desk is told."""
    with it.table.hold():
        scene = await eyes.look(lying(it.world))
    desk.seen(fresh_table(scene, GEOMETRY))
    return it.codes


@pytest.mark.asyncio(loop_scope="module")
async def test_a_fresh_table_is_nothing_to_worry_about(eyes):
    async with fresh() as (it, desk):
        assert await look(it, desk, eyes) == set()
        assert it.machine.phase is Phase.PLAYING


@pytest.mark.fault("D04")
@pytest.mark.asyncio(loop_scope="module")
async def test_a_tile_that_came_up_face_up_is_said_and_the_second_stops_the_table(eyes):
    async with fresh() as (it, desk):
        first, second = it.world.walls()[2][1][1], it.world.walls()[3][4][1]
        it.world.face_up.add(first)
        assert await look(it, desk, eyes) == {"D04"}
        assert [active.side for active in it.machine.faults] == [2]
        assert it.machine.phase is Phase.PLAYING
        it.world.face_up.add(second)
        await look(it, desk, eyes)
        await it.phase(Phase.LOCKED)
        assert it.turning() == set()


@pytest.mark.fault("W07")
@pytest.mark.asyncio(loop_scope="module")
async def test_a_tile_that_fell_off_a_wall_is_said_once_and_stops_nothing(eyes):
    async with fresh() as (it, desk):
        it.world.inject("fallen_tile", None, 1)
        fallen = next(iter(it.world.fallen))
        side = next(
            side
            for side, stacks in enumerate(it.world.walls())
            if any(fallen in stack for stack in stacks)
        )
        assert await look(it, desk, eyes) == {"W07"}
        assert [active.side for active in it.machine.faults] == [side]
        assert it.machine.phase is Phase.PLAYING


@pytest.mark.fault("T05")
@pytest.mark.asyncio(loop_scope="module")
async def test_tiles_that_were_forgotten_are_said_and_added_with_two_keys(eyes):
    async with fresh(without=2) as (it, desk):
        assert len(it.world.tiles_at(Place.SURFACE)) == 2
        assert "T05" in await look(it, desk, eyes)
        assert it.world.tiles_at(Place.DRUM)
        await it.machine.press_lift(0)
        await it.machine.press_lift(1)
        assert it.machine.phase is Phase.ADDING
        it.world.push_into_mouth(it.world.tiles_at(Place.SURFACE))
        await it.machine.press_lift(0)
        await it.until(lambda m: m.sets["B"] is SetPlace.ROWS)


def filmed(folder, placed, dice, frames=900, camera=None):
    """A folder that plays as a live camera: the same table again and again."""
    camera = camera or CameraModel.above_table()
    renderer = Renderer(camera, TABLE_LOOK, sheets=tag_sheets(TagLayout()))
    table = SyntheticTable(renderer)
    table.show(placed, dice=dice)
    folder.mkdir()
    image = table.read().image
    for number in range(frames):  # a camera hardly ever gives the very same picture twice
        if number < 41:
            image[:16, :16] = 6 * number
            cv2.imwrite(str(folder / f"{number:03}.jpg"), image)
        else:
            os.link(folder / f"{number % 41:03}.jpg", folder / f"{number:03}.jpg")
    return EyesSettings(str(folder), table=GEOMETRY, fps=1000)


@pytest.mark.parametrize("forgotten", [False, True])
async def test_raised_walls_begin_a_deal_unless_tiles_were_forgotten(tmp_path, forgotten):
    async with playing(MIDDLE) as it:
        await it.first_wall()
        table = Table.open(Store(":memory:"), find_ruleset("riichi_4p"))
        conductor = Conductor(table.ruleset, table.options, table, GEOMETRY)
        desk = Desk(table, conductor, it.machine)
        walls = [pose.of("4s") for side in range(4) for pose in GEOMETRY.wall_poses(side)]
        left = [GEOMETRY.pond_place(1, 0).of("7p")] if forgotten else []
        lookout = Lookout(
            filmed(tmp_path / "film", walls + left, (3, 6)),
            table,
            conductor,
            desk,
            it.machine,
            calibrated=True,
            sure_dice=0.5,
        )
        running = asyncio.create_task(lookout.run())
        async with asyncio.timeout(60):
            while lookout.eyes is None:
                await asyncio.sleep(0.02)
            assert table.state is None
            await it.feed("B")
            if forgotten:
                while "T05" not in it.codes:
                    await asyncio.sleep(0.02)
                assert table.state is None
                it.machine.dismiss("T05")  # somebody looked: nothing lies there
            while not any(isinstance(event, DiceRolled) for event in table.history):
                await asyncio.sleep(0.02)
        assert isinstance(table.history[0], DealBegan)
        assert table.history[1] == DiceRolled(dice=(3, 6))
        assert table.machine.camera == "up"
        measured = lookout.metrics()
        assert measured["vision_restarts_total"] == 0
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize(("shift_mm", "turn_deg"), [((3.0, 0.0, 0.0), 0.0), ((0.0, 0.0, 0.0), 1.0)])
async def test_no_deal_begins_with_a_camera_that_has_moved(tmp_path, shift_mm, turn_deg):
    async with playing(MIDDLE) as it:
        await it.first_wall()
        table = Table.open(Store(":memory:"), find_ruleset("riichi_4p"))
        conductor = Conductor(table.ruleset, table.options, table, GEOMETRY)
        desk = Desk(table, conductor, it.machine)
        walls = [pose.of("4s") for side in range(4) for pose in GEOMETRY.wall_poses(side)]
        moved = CameraModel.above_table().moved(shift_mm=shift_mm, turn_deg=turn_deg)
        film = filmed(tmp_path / "film", walls, (3, 6), frames=10, camera=moved)
        lookout = Lookout(film, table, conductor, desk, it.machine, calibrated=True)
        running = asyncio.create_task(lookout.run())
        async with asyncio.timeout(60):
            while lookout.eyes is None:
                await asyncio.sleep(0.02)
            await it.feed("B")
            while table.machine.camera != "moved":
                await asyncio.sleep(0.02)
            assert not await lookout._camera_in_place()
        assert table.state is None
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


class Camera:
    """Sends one scene; whoever looks again is sent it once more."""

    faults = ()

    def __init__(self):
        self.sent = [Scene(0.0, (), 2)]
        self.looks = 0

    async def start(self):
        pass

    async def close(self):
        pass

    async def look(self):
        self.looks += 1
        self.sent.append(Scene(float(self.looks), (), 2))

    async def scenes(self):
        while self.sent:
            yield self.sent.pop(0)


async def test_a_camera_counts_as_up_once_its_first_picture_came():
    async with playing(MIDDLE) as it:
        table = Table.open(Store(":memory:"), find_ruleset("riichi_4p"))
        conductor = Conductor(table.ruleset, table.options, table, GEOMETRY)
        desk = Desk(table, conductor, it.machine)
        lookout = Lookout(EyesSettings(), table, conductor, desk, it.machine)
        assert table.machine.camera == "starting"
        silent, seen = Camera(), Camera()
        silent.sent.clear()
        await lookout._follow(silent)  # it was opened, and gave nothing
        assert table.machine.camera == "starting"
        assert it.codes == set()
        await lookout._follow(seen)
        assert table.machine.camera == "up"


class NotingDesk(Desk):
    """Remembers what it was told of the camera."""

    def __init__(self, *parts):
        self.told = []
        super().__init__(*parts)

    def camera(self, state):
        self.told.append(state)
        super().camera(state)


class MissingCamera(Camera):
    async def start(self):
        raise EyesError("no camera")


async def test_a_camera_that_is_missing_is_never_said_to_be_up(monkeypatch):
    async with playing(MIDDLE) as it:
        table = Table.open(Store(":memory:"), find_ruleset("riichi_4p"))
        conductor = Conductor(table.ruleset, table.options, table, GEOMETRY)
        desk = NotingDesk(table, conductor, it.machine)
        monkeypatch.setattr("table_controller.lookout.Eyes", lambda settings: MissingCamera())
        lookout = Lookout(EyesSettings(), table, conductor, desk, it.machine)
        running = asyncio.create_task(lookout.run())
        while desk.told.count("down") < 1:
            await asyncio.sleep(0)
        assert it.codes == {"L06"}
        lookout.use(EyesSettings(), calibrated=True, sure_dice=None)
        while desk.told.count("down") < 2:
            await asyncio.sleep(0)
        assert desk.told == ["starting", "down", "starting", "down"]
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_a_doubtful_scene_is_looked_at_again_at_once(monkeypatch):
    async with playing(MIDDLE) as it:
        table = Table.open(Store(":memory:"), find_ruleset("riichi_4p"))
        conductor = Conductor(table.ruleset, table.options, table, GEOMETRY)
        answers = [Look.AGAIN, Look.AGAIN, Look.TAKEN]
        monkeypatch.setattr(conductor, "see", lambda scene: answers.pop(0))
        desk = Desk(table, conductor, it.machine)
        lookout = Lookout(EyesSettings(), table, conductor, desk, it.machine)
        camera = Camera()
        await lookout._follow(camera)
        assert camera.looks == 2
        assert answers == []
