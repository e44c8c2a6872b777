"""The file of confirmed readings: what is written is read again, and it stays small and whole."""

from __future__ import annotations

import pytest

from calibration import readings
from calibration.quality import CalibrationError
from calibration.readings import (
    Confirmed,
    keep_readings,
    kept_readings,
    parse_readings,
    readings_path,
)
from vision.types import Guess


def one(number: int) -> Confirmed:
    return Confirmed("9p", number / 10_000, (Guess("6p", 0.25),), "6p", 1.3)


def kept(path):
    return parse_readings(kept_readings(path), "x")


def test_what_is_kept_is_read_again_as_the_command_takes_it(tmp_path):
    path = tmp_path / "new folder" / "readings.jsonl"
    keep_readings(path, [one(1), Confirmed("1m", 1.0, (), "1m")])
    keep_readings(path, [one(2)])
    assert kept(path) == [one(1), Confirmed("1m", 1.0, (), "1m"), one(2)]
    first, second, _ = path.read_text().splitlines()
    assert first == (
        '{"label":"9p","confidence":0.0001,"truth":"6p",'
        '"others":[{"label":"6p","confidence":0.25}],"temperature":1.3}'
    )
    assert second == '{"label":"1m","confidence":1.0,"truth":"1m"}'


def test_only_the_newest_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(readings, "MOST", 50)
    monkeypatch.setattr(readings, "ROOM", 10)
    path = tmp_path / "readings.jsonl"
    for deal in range(12):
        keep_readings(path, [one(9 * deal + place) for place in range(9)])
        assert len(path.read_bytes().splitlines()) <= 60
    assert kept(path) == [one(number) for number in range(58, 108)]
    assert list(tmp_path.iterdir()) == [path]


def test_half_a_line_that_a_power_cut_left_is_dropped(tmp_path):
    path = tmp_path / "readings.jsonl"
    keep_readings(path, [one(1), one(2)])
    path.write_bytes(path.read_bytes()[:-9])
    assert kept(path) == [one(1)]
    keep_readings(path, [one(3)])
    assert kept(path) == [one(1), one(3)]
    path.write_bytes(b'{"label":')
    keep_readings(path, [one(4)])
    assert kept(path) == [one(4)]


def test_a_table_that_has_collected_nothing_has_no_readings(tmp_path):
    assert kept(tmp_path / "readings.jsonl") == []


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"label": "1m", "confidence": 0.9, "truth": "1m", "temperature": 0}', "temperature"),
        (b'{"label": "1m", "confidence": 0.9, "truth": "1m", "temperature": 1e300}', "temperature"),
        (b'{"label":', "line 1: .*remove that line"),
        (
            b'{"label": "1m", "confidence": 0.9, "truth": "1m",'
            b' "others": [{"label": "2m", "confidence": 7}]}',
            "line 1: .*others",
        ),
        (b"\n\xff", "line 2: is not UTF-8"),
    ],
)
def test_a_line_that_is_no_reading_is_named(line, says):
    with pytest.raises(CalibrationError, match=f"mine: .*{says}"):
        parse_readings(line, "mine")


@pytest.mark.parametrize(
    ("profile", "beside"),
    [
        ("profile.json", "readings.jsonl"),
        ("simulated-profile.json", "simulated-profile-readings.jsonl"),
        ("table-3.json", "table-3-readings.jsonl"),
    ],
)
def test_each_profile_has_readings_of_its_own(tmp_path, profile, beside):
    assert readings_path(tmp_path / profile) == tmp_path / beside
