"""The doctor says what is missing for this table, and what to do."""

from __future__ import annotations

import asyncio

import msgspec
import numpy as np
import pytest
import serial

from calibration.quality import Quality
from firmware_bridge.release import firmware_id
from firmware_bridge.simulator import SimulatedTable
from table_controller.commands import doctor
from table_controller.commands.doctor import CHECKS, _board, _calibration, _tile_set
from table_controller.config import parse_config
from tests.table_controller.played import SMALL
from tests.table_controller.test_app import FULL
from vision.tileset import TileSet

CAMERA = '[camera]\nsource = "/dev/video0"\nwidth = 1280\nheight = 720\n'


def found(config):
    findings = list(_calibration(parse_config(config)))
    assert len(findings) <= 1
    return findings[0] if findings else None


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    return tmp_path


def test_a_simulated_camera_needs_no_calibration(folder):
    assert _calibration in CHECKS
    assert found("") is None


def test_a_table_that_was_never_calibrated_is_told_how(folder):
    finding = found(CAMERA)
    assert not finding.fine
    assert finding.needed
    assert "calibrate camera" in finding.advice


POOR = msgspec.structs.replace(
    FULL, place=msgspec.structs.replace(FULL.place, qualities=(Quality("error", 9.0, 1.5, "mm"),))
)


@pytest.mark.parametrize(
    ("profile", "fine", "says"),
    [
        (FULL.save(), True, "every number keeps its limit"),
        (b"{}", False, "is not a calibration profile"),
        (msgspec.structs.replace(FULL, place=None).save(), False, "table was never measured"),
        (POOR.save(), False, "error: 9 mm (at most 1.5 mm): NOT GOOD"),
    ],
)
def test_what_the_profile_lacks_is_named(folder, profile, fine, says):
    (folder / "profile.json").write_bytes(profile)
    finding = found(CAMERA)
    assert finding.fine is fine
    assert says in finding.found


def test_a_lens_measured_at_another_size_is_named(folder):
    (folder / "profile.json").write_bytes(FULL.save())
    finding = found('[camera]\nsource = "0"')
    assert not finding.fine
    assert finding.found == "measured at 1280 x 720 pixels"


def test_a_tile_set_of_another_classifier_is_to_be_learned_anew(folder):
    config = parse_config(CAMERA)
    assert list(_tile_set(config)) == []
    (folder / "profile.json").write_bytes(FULL.save())
    (finding,) = _tile_set(config)
    assert not finding.fine
    assert not finding.needed
    assert "profile-club.npz: cannot be opened" in finding.found
    TileSet.of("club", ["1m"], np.ones((1, 128)), "other").save(folder / "profile-club.npz")
    (finding,) = _tile_set(config)
    assert "calibrate tiles" in finding.found


def asked(port):
    """What the doctor says of the board at that port."""
    return asyncio.run(_board(port))


def test_the_board_is_asked_who_it_is():
    with SimulatedTable(SMALL, [str(n) for n in range(SMALL.tiles)], speed=20.0) as table:
        found = asked(table.port)
        assert (found.fine, found.found) == (True, f"1.0.0, {firmware_id():08x}")
        assert not table.world.motor_log


def test_a_board_with_other_files_is_named(monkeypatch):
    monkeypatch.setattr(doctor, "firmware_id", lambda: 1)
    with SimulatedTable(SMALL, [str(n) for n in range(SMALL.tiles)], speed=20.0) as table:
        found = asked(table.port)
        assert not found.fine
        assert "instead of 00000001" in found.found


def test_a_port_that_the_daemon_holds_is_said():
    with SimulatedTable(SMALL, [str(n) for n in range(SMALL.tiles)], speed=20.0) as table:
        holder = serial.Serial(table.port, exclusive=True)
        try:
            found = asked(table.port)
        finally:
            holder.close()
        assert not found.fine
        assert "stop the daemon" in found.advice
