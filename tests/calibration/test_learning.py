"""What is learned from runs, throws and confirmed readings."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.confidence import ConfidenceLimits, calibrate_confidence, threshold
from calibration.dome import calibrate_dome
from calibration.lifts import StrokeRun, learn_strokes, motor_limits, run_of
from calibration.quality import CalibrationError, all_good
from calibration.readings import Confirmed
from firmware_bridge.messages import Wear
from firmware_bridge.parts import Actuator
from firmware_bridge.settings import DEFAULT_LIMITS
from vision.camera import CameraModel
from vision.render import Look, Renderer
from vision.types import Guess

CAMERA = CameraModel.above_table()
LABELS = [f"{rank}{suit}" for rank in range(1, 10) for suit in "mps"]


def strokes(
    motor: Actuator, *, time_ms: int = 1800, peak_ma: int = 500, runs: int = 8
) -> list[StrokeRun]:
    rng = np.random.default_rng(motor)
    return [
        StrokeRun(motor, round(time_ms + rng.normal(0, 20)), round(peak_ma + rng.normal(0, 15)))
        for _ in range(runs)
    ]


LIFTS = [Actuator.LIFT_0, Actuator.LIFT_1, Actuator.LIFT_2, Actuator.LIFT_3]
HEALTHY = [run for motor in (*LIFTS, Actuator.CENTRE) for run in strokes(motor)]


def test_healthy_strokes_are_learned():
    result = learn_strokes(HEALTHY)
    assert all_good(result.qualities)
    limits = motor_limits(result.part)
    assert limits[Actuator.LIFT_2].stroke_ms == pytest.approx(1800, abs=25)
    assert limits[Actuator.LIFT_2].running_ma == pytest.approx(500, abs=15)
    assert 900 < limits[Actuator.LIFT_2].limit_ma <= DEFAULT_LIMITS[Actuator.LIFT_2].limit_ma
    assert limits[Actuator.HEAD_1] == DEFAULT_LIMITS[Actuator.HEAD_1]  # it never ran


def test_one_jam_teaches_nothing():
    jam = StrokeRun(Actuator.LIFT_1, 4000, 1250)
    assert motor_limits(learn_strokes([*HEALTHY, jam]).part)[
        Actuator.LIFT_1
    ].limit_ma == pytest.approx(
        motor_limits(learn_strokes(HEALTHY).part)[Actuator.LIFT_1].limit_ma, abs=20
    )


def test_a_stiff_table_does_not_learn_laxer_limits_than_it_came_with():
    stiff = [run for motor in LIFTS for run in strokes(motor, peak_ma=1250)]
    result = learn_strokes(stiff)
    assert not all_good(result.qualities)
    for motor in LIFTS:
        assert motor_limits(result.part)[motor].limit_ma <= DEFAULT_LIMITS[motor].limit_ma


def test_a_lift_slower_than_the_others_is_told():
    slow = [run for run in HEALTHY if run.motor is not Actuator.LIFT_3]
    slow += strokes(Actuator.LIFT_3, time_ms=2400)
    failed = [quality.name for quality in learn_strokes(slow).qualities if not quality.is_good]
    assert failed == ["lifts against each other"]


def test_few_runs_and_none_at_all():
    few = learn_strokes(strokes(Actuator.LIFT_0, runs=2))
    assert [quality.name for quality in few.qualities if not quality.is_good] == [
        "fewest runs of a motor"
    ]
    with pytest.raises(CalibrationError, match="build and raise walls"):
        learn_strokes([StrokeRun(Actuator.LIFT_0, 0, 0)])


def test_a_wear_report_is_a_run():
    wear = Wear(Actuator.CENTRE, 120, 1190, 1200, 610)
    assert run_of(wear) == StrokeRun(Actuator.CENTRE, 1190, 610)


def test_the_picture_of_the_strokes_has_a_row_for_each_motor():
    one, two = learn_strokes(strokes(Actuator.LIFT_0)), learn_strokes(HEALTHY)
    assert two.picture.shape[0] > one.picture.shape[0]


def reader(temperature: float, count: int = 3000, seed: int = 1) -> list[Confirmed]:
    """Readings of a reader whose true temperature is this: above one it boasts."""
    rng = np.random.default_rng(seed)
    confirmed = []
    for _ in range(count):
        truth, other = map(str, rng.choice(LABELS, 2, replace=False))
        chance = 0.99 - 0.44 * rng.random() ** 3  # of the label that looks best
        right = rng.random() < chance
        label, wrong = (truth, other) if right else (other, truth)
        odds = (chance / (1 - chance + 1e-9)) ** temperature
        said = float(odds / (1 + odds))
        confirmed.append(Confirmed(label, said, (Guess(wrong, 1 - said),), truth))
    return confirmed


@pytest.mark.parametrize("temperature", [0.6, 1.0, 1.8])
def test_the_temperature_of_a_reader_is_found(temperature):
    result = calibrate_confidence(reader(temperature))
    assert result.part.temperature == pytest.approx(temperature, rel=0.15)
    error = next(one for one in result.qualities if one.name == "calibration error")
    assert error.value < 0.02


def test_readings_of_a_table_whose_temperature_was_set_before_count_from_one():
    """Else a second calibration would find that nothing is to be changed, and undo the first."""

    def set_to(one: Confirmed, temperature: float) -> Confirmed:
        other = one.others[0]
        share = one.confidence ** (1 / temperature)
        left = other.confidence ** (1 / temperature)
        said, not_said = share / (share + left), left / (share + left)
        return Confirmed(one.label, said, (Guess(other.label, not_said),), one.truth, temperature)

    fresh = reader(1.8)
    mixed = [set_to(one, (1.0, 1.5, 2.2)[number % 3]) for number, one in enumerate(fresh)]
    assert calibrate_confidence(mixed).part.temperature == pytest.approx(
        calibrate_confidence(fresh).part.temperature, rel=0.03
    )


def test_readings_that_are_all_right_do_not_make_the_reader_boundlessly_sure():
    right = [Confirmed("1m", 0.995, (Guess("2m", 0.005),), "1m")] * 200  # one error was expected
    assert 0.75 < calibrate_confidence(right).part.temperature < 1


def test_the_threshold_keeps_silent_errors_out():
    confirmed = reader(1.6)
    result = calibrate_confidence(confirmed)
    silent = next(one for one in result.qualities if one.name == "wrong above the threshold")
    assert silent.is_good
    assert 0.5 <= result.part.sure_at <= 1
    assert result.part.readings == len(confirmed)


@pytest.mark.parametrize(
    ("confidence", "right", "expected"),
    [
        ([0.9, 0.8, 0.7, 0.6], [1, 1, 1, 1], 0.6),
        ([0.9, 0.8, 0.7, 0.6], [1, 1, 0, 1], 0.8),
        ([0.9, 0.8, 0.7, 0.6], [0, 1, 1, 1], 1.0),
        ([0.9, 0.3], [1, 1], 0.5),
        ([0.9, 0.8, 0.8], [1, 1, 0], 0.9),  # of two that are equally sure one was wrong
        ([0.9, 0.8, 0.8], [1, 0, 1], 0.9),
        ([0.9, 0.9], [1, 0], 1.0),
    ],
)
def test_the_threshold_is_the_lowest_that_is_safe(confidence, right, expected):
    found = threshold(np.array(confidence), np.array(right, bool), 0.01)
    assert found == pytest.approx(expected)


def test_wrong_above_the_threshold_are_told_as_a_share_of_those_above_it():
    surest = [Confirmed("1m", 1.0, (), "1m")] * 99 + [Confirmed("1m", 1.0, (), "2m")]
    unsure = [Confirmed("1m", 0.6, (), "1m")] * 60 + [Confirmed("1m", 0.6, (), "2m")] * 40
    limits = ConfidenceLimits(silent_errors=0.02)
    told = {one.name: one.value for one in calibrate_confidence(surest + unsure, limits).qualities}
    assert told["wrong above the threshold"] == 0.01


def test_a_truth_in_other_words_is_refused_not_taken_for_a_mistake():
    east = [Confirmed("1z", 0.99, (), "East")] * 40
    with pytest.raises(CalibrationError, match="'East' is no label"):
        calibrate_confidence(east)


def test_fewer_readings_than_show_one_error_in_a_thousand_are_told():
    few = {one.name: one for one in calibrate_confidence(reader(1.0, 600)).qualities}
    assert not few["confirmed readings"].is_good
    enough = {one.name: one for one in calibrate_confidence(reader(1.0, 3000)).qualities}
    assert enough["confirmed readings"].is_good


def test_too_few_readings_are_refused():
    with pytest.raises(CalibrationError, match="12 confirmed"):
        calibrate_confidence(reader(1.0, 12))


@pytest.fixture(scope="module")
def throws() -> list[np.ndarray]:
    rng = np.random.default_rng(4)
    renderers = [Renderer(CAMERA, Look(), seed=seed) for seed in range(2)]
    return [
        renderers[throw % 2].draw([], rng, dice=(1 + throw % 6, 6 - throw % 4)).image
        for throw in range(6)
    ]


def test_dome_and_dice_are_found(throws):
    result = calibrate_dome(throws, CAMERA)
    assert all_good(result.qualities)
    assert result.part.centre_mm == pytest.approx((0, 0), abs=1.5)
    assert result.part.radius_mm == pytest.approx(36, abs=2)
    assert result.part.die_mm == pytest.approx(15, abs=1)
    assert result.picture.shape[1] == 4 * 300


def test_throws_out_of_focus_fail_the_limit(throws):
    blurred = [cv2.GaussianBlur(picture, (0, 0), 6) for picture in throws]
    failed = [one.name for one in calibrate_dome(blurred, CAMERA).qualities if not one.is_good]
    assert failed == ["throws read surely"]


def test_no_throw_is_no_calibration():
    with pytest.raises(CalibrationError, match="no picture"):
        calibrate_dome([], CAMERA)


def test_a_dome_beside_the_middle_is_found():
    aside = replace(CAMERA, centre_px=(CAMERA.centre_px[0] + 12.0, CAMERA.centre_px[1]))
    rng = np.random.default_rng(4)
    renderer = Renderer(aside, Look())
    pictures = [renderer.draw([], rng, dice=(2, 5)).image for _ in range(2)]
    part = calibrate_dome(pictures, CAMERA).part
    assert part.centre_mm[0] == pytest.approx(12.0 * 740 / 1080, abs=1.5)
