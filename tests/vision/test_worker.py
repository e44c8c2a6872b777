"""The vision process: it answers, it is replaced when it hangs or dies, and not for ever."""

from __future__ import annotations

import subprocess
import sys

import cv2
import numpy as np
import pytest

from tests.vision.fakes import PLAIN
from tests.vision.test_scene import SPREAD
from vision.camera import CameraModel
from vision.child import open_reader
from vision.dice import SURE_FROM
from vision.errors import EyesError
from vision.render import Hand, Renderer
from vision.scene import SceneSettings
from vision.tileset import TileSet
from vision.worker import EyesSettings, open_eyes

FAKES = "tests.vision.fakes"
PLAIN_TABLE = EyesSettings(look=PLAIN, detector=f"{FAKES}:back_reader")


def sick(lives, **changes) -> EyesSettings:
    """A worker whose detector falls ill as the files in the folder say."""
    return EyesSettings(
        look=PLAIN,
        detector=f"{FAKES}:sick_reader",
        models=lives,
        scene=SceneSettings(agree=1),
        restart_pause_s=0.0,
        **changes,
    )


def lives(folder) -> int:
    return len(list(folder.glob("life*")))


async def test_a_simulated_table_is_drawn_and_read():
    async with open_eyes(PLAIN_TABLE) as eyes:
        scene = await eyes.look(SPREAD)
        assert len(scene.sightings) == len(SPREAD)
        assert eyes.seen.scene == scene
        assert eyes.seen.timing.frames == scene.frames == 2
        assert eyes.seen.faults == ()
        assert len((await eyes.look(SPREAD[:3])).sightings) == 3
        assert 20 < eyes.memory_mb < 200
        assert eyes.restarted == 0


def test_a_tile_set_that_cannot_be_used_does_not_stop_the_table(tmp_path, caplog):
    """Else no update could bring another classifier, and no camera would show the set to learn."""
    stale = tmp_path / "club.npz"
    settings = EyesSettings(tile_set=stale, threads=1)
    for change in ("is gone", "is of another classifier"):
        reader = open_reader(settings)
        assert reader.tile_set is None, change
        assert "the tiles are read as those of any set" in caplog.messages[-1]
        TileSet.of("club", ["1m"], np.ones((1, 128), np.float32), "another").save(stale)
    TileSet.of("club", ["1m"], np.ones((1, 128), np.float32), reader.classifier.hash).save(stale)
    assert open_reader(settings).tile_set.name == "club"


async def test_a_hand_is_drawn_first_and_waited_for():
    async with open_eyes(PLAIN_TABLE) as eyes:
        scene = await eyes.look(SPREAD, hands=[Hand((-40, -70), (-60, -420))])
        assert len(scene.sightings) == len(SPREAD)
        assert not any(sighting.is_covered for sighting in scene.sightings)
        assert eyes.seen.timing.frames > 2


async def test_the_newest_picture_can_be_had():
    async with open_eyes(PLAIN_TABLE) as eyes:
        await eyes.look(SPREAD)
        packed = await eyes.picture(width_px=640)
    image = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
    assert image.shape == (360, 640, 3)


async def test_the_dice_are_read():
    async with open_eyes(PLAIN_TABLE) as eyes:
        await eyes.look(SPREAD, dice=(3, 6))
        reading = await eyes.read_dice(count=2)
        assert reading.values == (3, 6)
        assert reading.confidence > SURE_FROM


async def test_a_knock_against_the_camera_is_noticed_before_the_next_deal():
    async with open_eyes(PLAIN_TABLE) as eyes:
        await eyes.look(SPREAD)
        assert (await eyes.camera_drift()).is_small
        for knock in ({"shift_mm": (3.0, 0.0, 0.0)}, {"turn_deg": 1.0}):
            await eyes.knock(**knock)
            drift = await eyes.camera_drift()
            assert not drift.is_small
            assert "has moved" in str(drift)
        await eyes.knock()
        assert (await eyes.camera_drift()).is_small


async def test_a_process_that_hangs_is_replaced_and_asked_again(tmp_path):
    (tmp_path / "hang").touch()
    async with open_eyes(sick(tmp_path, answer_within_s=3.0)) as eyes:
        await eyes.look(SPREAD[:2])
        scene = await eyes.look(SPREAD)  # hangs, is replaced, answers
        assert len(scene.sightings) == len(SPREAD)
        assert eyes.restarted == 1
    assert lives(tmp_path) == 2


async def test_a_process_that_keeps_dying_is_given_up_with_a_reason(tmp_path):
    async with open_eyes(sick(tmp_path, restarts=2)) as eyes:
        (tmp_path / "die").touch()
        with pytest.raises(EyesError, match="3 times"):
            await eyes.look(SPREAD)
    assert lives(tmp_path) == 3


async def test_a_detector_that_cannot_be_made_says_why():
    settings = EyesSettings(detector=f"{FAKES}:no_reader", restarts=1, restart_pause_s=0.0)
    with pytest.raises(EyesError, match="no model at nowhere"):
        async with open_eyes(settings):
            pass


async def test_a_folder_is_watched_to_its_end(tmp_path):
    camera = CameraModel.above_table()
    renderer, noise = Renderer(camera, PLAIN), np.random.default_rng(0)
    for number, tiles in enumerate([SPREAD[:2]] * 3 + [SPREAD] * 4):
        cv2.imwrite(str(tmp_path / f"{number}.png"), renderer.draw(tiles, noise).image)
    settings = EyesSettings(source=str(tmp_path), detector=f"{FAKES}:back_reader")
    async with open_eyes(settings) as eyes:
        counts = [len(scene.sightings) async for scene in eyes.scenes()]
        assert counts == [2, len(SPREAD)]
        last = await eyes.look()
        assert len(last.sightings) == len(SPREAD)


async def test_a_source_that_is_gone_says_so(tmp_path):
    settings = EyesSettings(
        source=str(tmp_path / "gone"),
        detector=f"{FAKES}:back_reader",
        restarts=0,
        restart_pause_s=0.0,
    )
    with pytest.raises(EyesError, match="no camera"):
        async with open_eyes(settings):
            pass


def test_the_daemons_side_needs_no_opencv():
    modules = "vision.worker, vision.zones, calibration.profile, calibration.lifts"
    script = (
        f"import sys, {modules}; sys.exit('cv2' in sys.modules or 'onnxruntime' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
