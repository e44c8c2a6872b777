"""The daemon hands on everything that was set and measured."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import msgspec
import pytest

from calibration.lifts import motor_limits
from calibration.profile import (
    ConfidencePart,
    DomePart,
    LensPart,
    LiftsPart,
    PlacePart,
    Profile,
    ProfileError,
    StrokePart,
    TilesPart,
)
from firmware_bridge.parts import Actuator
from table_controller.app import (
    _profile,
    _without_secrets,
    eyes_settings,
    panel_pins,
    sure_at,
    use_profile,
)
from table_controller.conductor import Conductor
from table_controller.config import SURE_AT, parse_config
from table_controller.confirming import Confirming
from table_controller.desk import Desk
from table_controller.lookout import Lookout
from table_controller.rules import find_ruleset
from table_controller.store import Store
from table_controller.table import Table
from tests.table_controller.played import playing
from vision.worker import EyesSettings
from vision.zones import TableGeometry

ROOT = Path(__file__).resolve().parents[2]
FULL = Profile(
    table="East room",
    lens=LensPart(
        size_px=(1280, 720), focal_px=(900.0, 901.0), centre_px=(640.5, 360.5),
        distortion=(-0.05, 0.01, 0.0, 0.0, 0.0),
    ),
    place=PlacePart(
        rotation=(3.1, 0.01, 0.02), translation_mm=(1.0, 2.0, 1190.0), tag_size_mm=31.0,
        tag_height_mm=4.0, tag_centres_mm={40: (-400.0, -300.0), 41: (400.0, -300.0)},
    ),
    dome=DomePart(
        centre_mm=(3.0, 4.0), radius_mm=38.0, die_mm=14.0, height_mm=9.0, sure_from=0.7
    ),
    tiles=TilesPart(file="profile-club.npz"),
    confidence=ConfidencePart(temperature=1.4, sure_at=0.91, readings=900),
    lifts=LiftsPart(
        strokes=(
            StrokePart(
                motor="lift_1", runs=9, time_ms=1450.0, time_spread_ms=20.0, current_ma=610.0,
                current_limit_ma=1220.0,
            ),
        )
    ),
)  # fmt: skip
GEOMETRY = TableGeometry()


def test_every_part_of_a_profile_reaches_who_uses_it(tmp_path, monkeypatch):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    (tmp_path / "profile.json").write_bytes(FULL.save())
    config = parse_config('[camera]\nsource = "/dev/video0"')
    profile = _profile(config)
    assert profile == FULL
    settings = eyes_settings(config, profile, GEOMETRY)
    assert settings.camera == FULL.camera_model()
    assert settings.tags == FULL.tag_layout()
    assert settings.dome == FULL.dome_spot()
    assert settings.tile_set == tmp_path / "profile-club.npz"
    assert settings.temperature == 1.4
    assert sure_at(config.vision, profile) == 0.91
    assert motor_limits(profile.lifts)[Actuator.LIFT_1].stroke_ms == 1450
    parts = set(Profile.__struct_fields__) - {"kind", "version", "table"}
    assert parts == {"lens", "place", "dome", "tiles", "confidence", "lifts"}  # all of the above


async def test_a_profile_that_is_measured_while_the_table_runs_counts_at_once(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    config = parse_config('[camera]\nsource = "/dev/video0"')
    async with playing() as it:
        table = Table.open(Store(":memory:"), find_ruleset("riichi_4p"))
        conductor = Conductor(table.ruleset, table.options, table, GEOMETRY)
        desk = Desk(table, conductor, it.machine)
        lookout = Lookout(EyesSettings(), table, conductor, desk, it.machine)
        confirming = Confirming(table, conductor, tmp_path / "readings.jsonl")
        use_profile(FULL, config, conductor, confirming, lookout)
    assert conductor.rules.sure_at == 0.91
    assert confirming.temperature == 1.4
    assert lookout._settings == eyes_settings(config, FULL, GEOMETRY)


def test_without_a_profile_the_table_says_so_and_guesses_from_the_settings(
    tmp_path, monkeypatch, caplog
):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    config = parse_config('[camera]\nsource = "0"\nwidth = 1280\nheight = 720')
    profile = _profile(config)
    assert "never calibrated" in caplog.text
    settings = eyes_settings(config, profile, GEOMETRY)
    assert (settings.camera.width_px, settings.camera.height_px) == (1280, 720)
    assert sure_at(config.vision, profile) == SURE_AT
    with pytest.raises(ProfileError, match=r"mine\.json: cannot be read"):
        _profile(parse_config('[camera]\nprofile = "mine.json"'))


def test_what_is_set_goes_before_what_was_measured():
    config = parse_config("[vision]\nsure_at = 0.6\nthreads = 2\nhang_after_s = 9")
    assert sure_at(config.vision, FULL) == 0.6
    settings = eyes_settings(config, Profile(), GEOMETRY)
    assert (settings.threads, settings.answer_within_s) == (2, 9)


def test_the_log_opens_with_the_settings_but_no_secret():
    config = parse_config('[web]\nstaff_pin = "scrypt$16384$8$1$0a0b$0c0d"')
    written = msgspec.json.encode(_without_secrets(config)).decode()
    assert "scrypt" not in written
    assert '"staff_pin":"set"' in written
    assert '"ruleset":"riichi_4p"' in written


def test_every_pin_of_the_settings_is_opened():
    config = parse_config(
        "[panels]\nchip = 'mock'\nemergency_stop = 22\nbuzzer = 23\n"
        "a = { ready = 4, win = 5, call = 6, draw_end = 7, staff = 8, lift = 9, lamp = 10,"
        " dealer_lamp = 11 }"
    )
    pins = panel_pins(config.panels)
    assert {pin for _, pin in pins.used()} == {pin for _, pin in config.panels.pins()}
    assert {field.name for field in fields(pins)} == {"seats", "emergency_stop", "buzzer"}
    assert pins.seats[0].dealer_lamp == 11


def test_the_eyes_keep_their_own_defaults_for_what_nobody_sets():
    settings = eyes_settings(parse_config(""), Profile(), GEOMETRY)
    assert settings.scene == EyesSettings().scene
    assert settings.limits == EyesSettings().limits


def test_the_daemon_itself_loads_neither_opencv_nor_a_model():
    program = "import sys, table_controller.app; print({'cv2', 'onnxruntime'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "set()", done.stderr
