"""The profile: what is saved comes back, and what is wrong is named."""

from __future__ import annotations

import json

import numpy as np
import pytest

from calibration.profile import (
    KIND,
    VERSION,
    ConfidencePart,
    DomePart,
    LensPart,
    LiftsPart,
    PlacePart,
    Profile,
    ProfileError,
    StrokePart,
    TilesPart,
    load_profile,
    parse_profile,
)
from calibration.quality import Quality
from vision.camera import CameraModel
from vision.dice import DomeSpot
from vision.tags import TagLayout

CAMERA = CameraModel.above_table(turn_deg=1.0)
FULL = Profile(
    table="table 3",
    lens=LensPart(
        at="2026-11-30T10:00:00Z",
        qualities=(Quality("reprojection error", 0.2, 0.5, "px"),),
        size_px=(1920, 1080),
        focal_px=CAMERA.focal_px,
        centre_px=CAMERA.centre_px,
        distortion=CAMERA.distortion,
    ),
    place=PlacePart(
        qualities=(Quality("worst tag", 2.0, 1.5, "mm"),),
        rotation=CAMERA.rotation,
        translation_mm=CAMERA.translation_mm,
        tag_size_mm=30,
        tag_height_mm=0,
        tag_centres_mm={40: (-400.0, -320.0), 41: (400.0, -320.0)},
    ),
    dome=DomePart(centre_mm=(1.0, 2.0), radius_mm=35, die_mm=14, height_mm=9, sure_from=0.8),
    tiles=TilesPart(file="club.tiles"),
    confidence=ConfidencePart(temperature=1.3, sure_at=0.9, readings=1200),
    lifts=LiftsPart(
        strokes=(
            StrokePart(
                motor="lift 0",
                runs=9,
                time_ms=2700,
                time_spread_ms=40,
                current_ma=800,
                current_limit_ma=1200,
            ),
        )
    ),
)


def test_a_profile_comes_back_from_disk_as_it_was(tmp_path):
    path = tmp_path / "table3.json"
    path.write_bytes(FULL.save())
    assert load_profile(path) == FULL


def test_the_camera_of_a_profile_sees_as_the_measured_one():
    points = np.random.default_rng(1).uniform(-300, 300, (20, 3))
    again = parse_profile(FULL.save(), "x").camera_model()
    assert np.abs(again.project(points) - CAMERA.project(points)).max() < 1e-9


def test_the_file_can_be_read_by_people():
    text = FULL.save().decode()
    assert text.count("\n") > 40
    assert json.loads(text)["place"]["tag_centres_mm"]["41"] == [400.0, -320.0]


def test_parts_never_measured_fall_back_or_say_what_to_run():
    empty = Profile()
    assert empty.tag_layout() == TagLayout()
    assert empty.dome_spot() == DomeSpot()
    with pytest.raises(ProfileError, match="calibrate camera"):
        empty.camera_model()
    with pytest.raises(ProfileError, match="calibrate table"):
        Profile(lens=FULL.lens).camera_model()


def test_the_measured_parts_are_used():
    assert FULL.dome_spot() == DomeSpot((1.0, 2.0), 35, 14, 9)
    assert FULL.tag_layout().centres_mm[40] == (-400.0, -320.0)
    assert [quality.is_good for quality in FULL.qualities()] == [True, False]


def changed(**changes: object) -> bytes:
    return json.dumps({**json.loads(FULL.save()), **changes}).encode()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not JSON"),
        (FULL.save()[:200], "is not JSON"),
        (b"[]", "not a calibration profile"),
        (changed(kind="something"), KIND),
        (changed(version="1"), "version"),
        (changed(version=VERSION + 1), "newer than this program"),
        (changed(version=0), "version: 0 is not known"),
        (changed(lense={}), "lense"),
        (changed(dome={"radius_mm": 5}), "dome"),
        (
            changed(confidence={"temperature": 9, "sure_at": 0.5, "readings": 1}),
            r"confidence\.temperature",
        ),
    ],
)
def test_what_is_wrong_is_named_with_file_and_key(content, says):
    with pytest.raises(ProfileError, match=says) as caught:
        parse_profile(content, "table3.json")
    assert str(caught.value).startswith("table3.json: ")


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(ProfileError, match=r"gone\.json"):
        load_profile(tmp_path / "gone.json")


def test_a_number_says_whether_it_keeps_its_limit():
    assert str(Quality("worst tag", 0.25, 1.5, "mm")) == "worst tag: 0.25 mm (at most 1.5 mm): good"
    low = Quality("views", 3, 8, at_least=True)
    assert not low.is_good
    assert str(low).endswith("(at least 8): NOT GOOD")
