"""The doctor says what is missing for this table, and what to do."""

from __future__ import annotations

import msgspec
import pytest

from calibration.quality import Quality
from table_controller.commands.doctor import CHECKS, _calibration
from table_controller.config import parse_config
from tests.table_controller.test_app import FULL

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
