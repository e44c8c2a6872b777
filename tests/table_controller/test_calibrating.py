"""Calibration beside a running table: pictures in, hints out, numbers to keep or not."""

from __future__ import annotations

import ast
import asyncio
import re
from pathlib import Path
from typing import get_args, get_type_hints

import cv2
import httpx
import numpy as np
import pytest

from calibration import steps
from calibration.live import LaidTwiceCollector, StillCollector, collector_for
from calibration.profile import Profile, load_profile
from calibration.quality import CalibrationError
from calibration.readings import keep_readings, readings_path
from table_controller import web
from table_controller.__main__ import main
from table_controller.calibrating import Calibration
from table_controller.commands.calibrate import collected
from table_controller.config import WebSettings
from table_controller.rules import find_ruleset
from table_controller.store import Store
from table_controller.table import Table
from table_controller.web.api import CalibrateRequest
from table_controller.web.app import Site
from table_controller.web.staff import hash_pin
from tests.calibration.boards import TRUE_CAMERA, board_pictures, tag_picture
from tests.calibration.test_learning import reader
from tests.table_controller.played import playing
from vision.frames import Frame
from vision.render import Look, Renderer, render
from vision.render.look import TileLook
from vision.types import PlacedTile

SCREEN = (Path(web.__file__).parent / "static/calibration.js").read_text()


ENDED = "the measuring process ended: begin the step again"


def jpeg(picture):
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()


class Film:
    """A camera that shows each picture twice, and the last one for ever."""

    def __init__(self, *pictures):
        self.pictures = [jpeg(picture) for picture in pictures]
        self.shown = 0

    async def picture(self, *, width_px, quality):
        at = min(self.shown // 2, len(self.pictures) - 1)
        self.shown += 1
        return self.pictures[at]


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr("table_controller.calibrating.LOOK_EVERY_S", 0.0)


async def until(calibration, wanted):
    async with asyncio.timeout(60):
        while not wanted(calibration.view()):
            await asyncio.sleep(0.02)
    return calibration.view()


async def test_lens_and_place_are_measured_from_live_pictures_and_kept(tmp_path, quick):
    kept = []
    film = Film(*board_pictures())
    calibration = Calibration(tmp_path / "profile.json", lambda: film, None, kept.append)
    assert [each["at"] for each in calibration.view()["steps"]] == [None] * 6
    await calibration.begin("camera")
    seen = await until(calibration, lambda view: view["complete"])
    assert seen["hint"].endswith("that is enough")
    assert 8 <= seen["taken"] <= 11  # one picture of each place, though each was seen twice
    await calibration.measure()
    seen = calibration.view()
    assert seen["good"] is True, seen["qualities"]
    assert calibration.quality_picture.startswith(b"\x89PNG")
    assert not (tmp_path / "profile.json").exists()
    await calibration.keep()
    assert calibration.view()["step"] is None
    lens = load_profile(tmp_path / "profile.json").lens
    assert lens.focal_px[0] == pytest.approx(TRUE_CAMERA.focal_px[0], rel=0.01)

    film.pictures = [jpeg(tag_picture())]
    await calibration.begin("table")
    await until(calibration, lambda view: view["complete"])
    await calibration.measure()
    await calibration.keep()
    profile = load_profile(tmp_path / "profile.json")
    assert kept == [load_profile(tmp_path / "profile.bak"), profile]
    flat = np.random.default_rng(1).uniform(-350, 350, (50, 2))
    points = np.column_stack([flat, np.zeros(50)])
    off = profile.camera_model().project(points) - TRUE_CAMERA.project(points)
    assert np.abs(off).max() < 2.0


async def test_a_bad_measurement_is_kept_only_when_a_person_insists(tmp_path, quick):
    film = Film(*board_pictures()[:4])
    calibration = Calibration(tmp_path / "profile.json", lambda: film, None)
    await calibration.begin("camera")
    await until(calibration, lambda view: view["taken"] == 4)
    await calibration.measure()
    assert calibration.view()["good"] is False
    with pytest.raises(CalibrationError, match="does not keep its limit"):
        await calibration.keep()
    assert not (tmp_path / "profile.json").exists()
    await calibration.keep(anyway=True)
    assert load_profile(tmp_path / "profile.json").lens is not None


async def test_what_goes_wrong_is_said(tmp_path, quick):
    calibration = Calibration(tmp_path / "profile.json", lambda: None, None)
    with pytest.raises(CalibrationError, match="no step was begun"):
        await calibration.measure()
    await calibration.begin("table")
    seen = await until(calibration, lambda view: view["problem"])
    assert "there is no camera now" in seen["problem"]
    with pytest.raises(CalibrationError, match="no picture was taken yet"):
        await calibration.measure()
    film = Film(np.full((1080, 1920, 3), 90, np.uint8))
    calibration._eyes = lambda: film
    await calibration.begin("table")
    await until(calibration, lambda view: view["complete"])
    with pytest.raises(CalibrationError, match="calibrate camera"):
        await calibration.measure()
    await calibration.end()


async def test_a_step_that_nobody_goes_on_with_leaves_the_camera_alone(
    tmp_path, quick, monkeypatch
):
    monkeypatch.setattr("table_controller.calibrating.LONGEST_S", 0.5)
    film = Film(np.full((1080, 1920, 3), 90, np.uint8))
    calibration = Calibration(tmp_path / "profile.json", lambda: film, None)
    await calibration.begin("camera")
    await until(calibration, lambda view: "begin the step again" in view["problem"])
    shown = film.shown
    await asyncio.sleep(0.05)
    assert film.shown == shown
    await calibration.end()


async def test_motors_are_learned_from_the_strokes_of_the_board(tmp_path):
    async with playing() as it:
        calibration = Calibration(tmp_path / "profile.json", lambda: None, it.machine)
        await calibration.begin("lifts")
        await calibration.measure()
        seen = calibration.view()
        assert seen["good"] is True, seen["qualities"]
        await calibration.keep()
        motors = {stroke.motor for stroke in load_profile(tmp_path / "profile.json").lifts.strokes}
        assert {"lift_0", "lift_1", "lift_2", "lift_3"} <= motors


def collect(path, number, temperature=1.5):
    """What a table has collected whose reader boasts."""
    keep_readings(readings_path(path), reader(temperature, number))


async def test_confidence_is_measured_at_once_from_what_the_games_confirmed(tmp_path):
    path, kept = tmp_path / "profile.json", []
    calibration = Calibration(path, lambda: None, None, kept.append)
    assert calibration.view()["readings"] == {"number": 0, "least": 30, "enough": 3000}
    collect(path, 3000)
    assert calibration.view()["readings"]["number"] == 3000
    await calibration.begin("confidence")
    seen = calibration.view()
    assert seen["taken"] == 3000
    by_name = {each["name"]: each for each in seen["qualities"]}
    assert by_name["confirmed readings"]["good"]
    assert by_name["calibration error"]["value"] < 0.02
    assert calibration.quality_picture.startswith(b"\x89PNG")
    assert not path.exists()
    await calibration.keep(anyway=True)
    found = load_profile(path).confidence
    assert found.temperature == pytest.approx(1.5, rel=0.15)
    assert found.readings == 3000
    assert [profile.confidence for profile in kept] == [found]
    assert calibration.view()["steps"][-1] == {"step": "confidence", "at": found.at}
    assert calibration.view()["readings"]["number"] == 3000  # the next step goes on from there


async def test_too_few_confirmed_readings_are_said(tmp_path):
    path = tmp_path / "profile.json"
    calibration = Calibration(path, lambda: None, None)
    with pytest.raises(CalibrationError, match=r"0 confirmed readings .* at least 30"):
        await calibration.begin("confidence")
    collect(path, 12)
    with pytest.raises(CalibrationError, match=r"12 confirmed readings .* at least 30"):
        await calibration.begin("confidence")
    assert calibration.view()["step"] is None


def command(capsys, *words):
    status = main(["calibrate", *map(str, words)])
    out = capsys.readouterr()
    return status, out.out, out.err


def test_the_command_takes_what_the_table_collected(tmp_path, capsys):
    path = tmp_path / "table-3.json"
    status, _, err = command(capsys, "confidence", "--profile", path)
    assert status == 2
    assert "0 confirmed readings" in err
    assert "table-3-readings.jsonl, at least 30 are needed and 3000 are good" in err
    collect(path, 40)
    status, out, _ = command(capsys, "confidence", "--profile", path)
    assert status == 1
    assert "confirmed readings: 40 (at least 3000): NOT GOOD" in out
    assert not path.exists()
    status, _, _ = command(capsys, "confidence", "--profile", path, "--anyway")
    assert load_profile(path).confidence.readings == 40
    status, _, err = command(capsys, "confidence", "--readings", tmp_path / "none.jsonl")
    assert status == 2
    assert "none.jsonl: cannot be read" in err


def test_the_command_measures_for_the_profile_that_the_settings_name(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    settings = tmp_path / "table.toml"
    settings.write_text('[camera]\nprofile = "mine.json"\n')
    collect(tmp_path / "mine.json", 40)
    command(capsys, "confidence", "--config", settings, "--anyway")
    assert load_profile(tmp_path / "mine.json").confidence.readings == 40


# Every kind once: as the real reader finds them in a picture.
FACES = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)] + [
    f"{n}z" for n in range(1, 8)
]
ORDER = " ".join(FACES)


def laid(look, shift_mm=(0.0, 0.0), order=FACES):
    """A picture of the tiles laid out in rows of nine."""
    tiles = [
        PlacedTile(
            label,
            (26.0 * (place % 9) - 104 + shift_mm[0], 60.0 - 40 * (place // 9) + shift_mm[1]),
            3.0 * ((place * 7) % 5 - 2),
        )
        for place, label in enumerate(order)
    ]
    return render(tiles, TRUE_CAMERA, look, np.random.default_rng(2)).image


async def test_the_tiles_are_learned_from_one_picture_and_measured_on_another(tmp_path, quick):
    path = tmp_path / "profile.json"
    collect(path, 40)
    look = Look(tiles=TileLook(art="lietxia"))
    first = laid(look)
    film = Film(first)
    calibration = Calibration(path, lambda: film, None)
    await calibration.begin("tiles", order=ORDER)
    seen = await until(calibration, lambda view: view["taken"] == 1)
    assert seen["hint"] == "lay the same tiles anew in the same order"
    await calibration.measure()
    names = [each["name"] for each in calibration.view()["qualities"]]
    assert names[0] == "tiles right, same photo"  # one picture is possible

    await calibration.begin("tiles", order=ORDER)
    await until(calibration, lambda view: view["taken"] == 1)
    film.pictures = [jpeg(laid(look, order=FACES[:20])), jpeg(laid(look, (14.0, -9.0)))]
    film.shown = 0
    await until(calibration, lambda view: view["taken"] == 2 and film.shown > 8)
    assert calibration.view()["hint"] == "measure now, or lay them once more"
    await calibration.measure()
    right = calibration.view()["qualities"][0]
    assert right["name"] == "tiles right on the second photo"
    assert right["value"] >= 0.97
    await calibration.keep(anyway=True)
    assert load_profile(path).tiles is not None
    assert not readings_path(path).exists()  # the reader that did not know the set made them


def test_the_last_still_picture_of_tiles_laid_anew_is_the_second():
    rng, renderer = np.random.default_rng(0), Renderer(TRUE_CAMERA, Look())

    def lying(*labels):
        tiles = [PlacedTile(label, (30.0 * n, 0.0), 0.0) for n, label in enumerate(labels)]
        return renderer.draw(tiles, rng).image

    collector = LaidTwiceCollector()
    whole, half, anew = lying("1m", "2m", "3m"), lying("3m"), lying("3m", "2m", "1m")
    hints = [collector.offer(p) for p in (whole, whole, whole, half, half, half, anew, anew, anew)]
    still, lay_anew = "hold it still", "lay the same tiles anew in the same order"
    measure = "measure now, or lay them once more"
    assert hints[:3] == [still, lay_anew, lay_anew]
    assert hints[3:] == [lay_anew, measure, measure, still, measure, measure]
    assert len(collector.pictures) == 2
    assert (collector.pictures[0] == whole).all()
    assert (collector.pictures[1] == anew).all()
    assert not collector.is_complete


def test_the_screens_have_words_for_everything_that_is_measured():
    known = set(re.findall(r'"([^"]+)"', SCREEN[SCREEN.index("export const QUALITIES") :]))
    measured = set()
    for path in Path(steps.__file__).parent.glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Quality":
                texts = (each for each in call.args if not isinstance(each, ast.Name))
                measured |= {
                    each.value
                    for arg in texts
                    for each in ast.walk(arg)
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
    assert len(measured) > 20
    assert sorted(measured - known) == []


def test_the_screen_offers_every_step_that_the_command_knows(tmp_path):
    on_screen = Calibration(tmp_path / "profile.json", lambda: None, None).view()["steps"]
    assert {each["step"] for each in on_screen} == set(steps.STEPS)
    assert get_args(get_type_hints(CalibrateRequest)["step"]) == steps.STEPS


async def test_the_sheets_are_pdf(tmp_path):
    calibration = Calibration(tmp_path / "profile.json", lambda: None, None)
    assert (await calibration.sheet("camera")).startswith(b"%PDF-1.4")


def test_each_throw_is_taken_once_and_no_moving_picture():
    rng, renderer = np.random.default_rng(0), Renderer(TRUE_CAMERA, Look())

    def thrown(*dice):
        return renderer.draw([], rng, dice=dice).image

    collector = StillCollector(2, "throw the dice again", each_new=True)
    assert collector.offer(thrown(1, 4)) == "hold it still"
    assert collector.offer(thrown(1, 4)) == "throw the dice again"
    assert collector.offer(thrown(1, 4)) == "throw the dice again"
    assert len(collector.pictures) == 1
    assert collector.offer(thrown(6, 2)) == "hold it still"
    assert collector.offer(thrown(6, 2)) == "that is enough"
    assert collector.is_complete
    with pytest.raises(CalibrationError, match="needs no pictures"):
        collector_for("confidence")


async def test_the_staff_only_sees_the_camera_and_calibrates(tmp_path):
    film = Film(tag_picture())
    table = Table.open(Store(":memory:"), find_ruleset("riichi_4p"))
    calibration = Calibration(tmp_path / "profile.json", lambda: film, None)
    site = Site(table, WebSettings(staff_pin=hash_pin("2468", b"salt")), calibration=calibration)
    reads = ("calibration", "picture", "measured", "sheet/camera")
    transport = httpx.ASGITransport(site.app())
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for path in reads:
            assert (await client.get(f"/api/v1/staff/{path}")).status_code == 401
        await client.post("/api/v1/staff/session", json={"pin": "2468"})
        shown = await client.get("/api/v1/staff/picture")
        assert shown.headers["content-type"] == "image/jpeg"
        assert shown.content == film.pictures[0]
        assert (await client.get("/api/v1/staff/measured")).status_code == 404
        assert (await client.get("/api/v1/staff/sheet/dome")).status_code == 404
        begun = await client.post("/api/v1/staff/calibrate", json={"step": "dome"})
        assert begun.status_code == 200
        assert (await client.get("/api/v1/staff/calibration")).json()["step"] == "dome"
        refused = await client.post("/api/v1/staff/keep", json={})
        assert (refused.status_code, refused.json()["error"]) == (409, "nothing was measured yet")
        await client.post("/api/v1/staff/give_up", json={})
        assert (await client.get("/api/v1/staff/calibration")).json()["step"] is None


async def test_files_that_are_broken_are_said_to_the_staff(tmp_path):
    path = tmp_path / "profile.json"
    table = Table.open(Store(":memory:"), find_ruleset("riichi_4p"))
    site = Site(table, calibration=Calibration(path, lambda: None, None))
    transport = httpx.ASGITransport(site.app())
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        await client.post("/api/v1/staff/session", json={"pin": ""})
        path.write_text("half a li")
        seen = await client.get("/api/v1/staff/calibration")
        assert seen.status_code == 409
        assert f"{path}: is not JSON" in seen.json()["error"]
        path.unlink()
        readings_path(path).mkdir()
        seen = await client.get("/api/v1/staff/calibration")
        assert seen.status_code == 409
        assert str(readings_path(path)) in seen.json()["error"]


async def test_of_two_screens_the_later_one_goes_on(tmp_path, quick):
    film = Film(np.full((108, 192, 3), 90, np.uint8))
    calibration = Calibration(tmp_path / "profile.json", lambda: film, None)
    steps = ("tiles", "dome", "table")
    begun = [calibration.begin(step, order="1m") for step in steps]
    first, second, third = await asyncio.gather(*begun, return_exceptions=True)
    assert (str(first), str(second), third) == (ENDED, ENDED, None)
    assert calibration.view()["step"] == "table"
    await until(calibration, lambda view: view["taken"])
    measuring = asyncio.create_task(calibration.measure())
    await asyncio.sleep(0)
    await calibration.end()
    with pytest.raises(CalibrationError, match=r"begin the step again|camera first"):
        await measuring
    assert not any(task.get_name() == "calibration" for task in asyncio.all_tasks())


async def test_what_a_screen_measures_is_what_it_began(tmp_path):
    path = tmp_path / "profile.json"
    collect(path, 40)
    calibration = Calibration(path, lambda: None, None)
    both = await asyncio.gather(
        calibration.begin("confidence"), calibration.begin("confidence"), return_exceptions=True
    )
    assert [str(each) for each in both] == [ENDED, "None"]
    assert calibration.view()["taken"] == 40


async def test_a_slip_in_the_order_is_said_before_tiles_are_laid_out(tmp_path):
    calibration = Calibration(tmp_path / "profile.json", lambda: None, None)
    with pytest.raises(CalibrationError, match="'99m' is not a tile label"):
        await calibration.begin("tiles", order="1m 99m")
    assert calibration.view()["step"] is None


def test_a_profile_that_was_never_written_is_empty(tmp_path):
    assert Calibration(tmp_path / "profile.json", lambda: None, None).profile == Profile()


def test_the_command_takes_only_boards_at_new_places():
    pictures = board_pictures()
    seen = [
        Frame(picture, number / 10) for number, picture in enumerate(pictures) for _ in range(3)
    ]
    taken = collected("camera", seen)
    assert 8 <= len(taken) <= 11
    assert len({picture.tobytes() for picture in taken}) == len(taken)


def test_the_command_says_that_no_picture_could_be_taken():
    one = Frame(np.full((108, 192, 3), 90, np.uint8), 0.0)
    with pytest.raises(CalibrationError, match="ended before one could be taken: hold it still"):
        collected("tiles", [one], quiet=True)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("dome", "--dice", "0"), "--dice 0: from 1 to 4"),
        (("lifts", "--runs", "-10"), "--runs -10: from 1 to 200"),
        (("tiles", "--name", "../evil"), "without /"),
        (("tiles", "a.jpg", "b.jpg", "c.jpg", "--order", "1m"), "one photo or two, not 3"),
    ],
)
def test_the_command_refuses_what_cannot_be_meant(capsys, tmp_path, words, says):
    status, _, err = command(capsys, *words, "--profile", tmp_path / "profile.json")
    assert status == 2
    assert says in err


def test_the_command_gives_up_when_nothing_new_is_shown(capsys):
    still = board_pictures()[0]
    with pytest.raises(CalibrationError, match=r"no further picture .* for 120 s: move it to"):
        collected("camera", (Frame(still, float(10 * number)) for number in range(100)))
    assert capsys.readouterr().out.startswith("hold it still\ntaken: 1; move it to the")
