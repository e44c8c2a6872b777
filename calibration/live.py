"""Calibration from a live camera: which pictures count, and the process that measures them.

    collector = collector_for("camera")
    while not collector.is_complete:
        say(collector.offer(source.read().image))
    step = measure_camera(profile, collector.pictures, at=now)

A running table measures in a process of its own, ``python -m calibration.live``, so that the daemon
never loads OpenCV: it sends pictures as JPEG and gets hints, and in the end the measured step.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import BoardCollector
from calibration.dome import DomeLimits
from calibration.lifts import StrokeRun
from calibration.messages import Begin, Hint, Measure, Measured, NotMeasured, Offer, Print, Printed
from calibration.profile import Profile, parse_profile
from calibration.quality import CalibrationError
from calibration.readings import parse_readings
from calibration.steps import (
    PRINTS,
    Step,
    measure_camera,
    measure_confidence,
    measure_dome,
    measure_lifts,
    measure_table,
    measure_tiles,
)
from calibration.tiles import order_of
from firmware_bridge.parts import Actuator
from vision.errors import VisionError
from vision.frames import small_grey
from vision.messages import HEADER, packed
from vision.read import Reader

Picture = NDArray[np.uint8]

SMALL_PX = 480  # width of the picture in which motion is sought: a die is ten pixels wide
CHANGED_LEVELS = 18  # grey levels that are no noise
STILL_PX = 6  # changed pixels that a still picture may have
ANOTHER_PX = 12  # and those by which two throws differ at least
HOLD_STILL = "hold it still"
WITHOUT_PICTURES = ("lifts", "confidence")


class Collector(Protocol):
    """Takes from a live camera the pictures that a step needs."""

    pictures: list[Picture]

    @property
    def is_complete(self) -> bool:
        """Whether there are enough."""

    def offer(self, picture: Picture) -> str:
        """Look at one more picture and say what to do next."""


class StillCollector:
    """Takes pictures when nothing moves; with ``each_new``, only when something lies otherwise."""

    def __init__(self, wanted: int, next_hint: str, *, each_new: bool = False) -> None:
        self.pictures: list[Picture] = []
        self._wanted, self._next_hint, self._each_new = wanted, next_hint, each_new
        self._last: NDArray[np.int16] | None = None
        self._taken: NDArray[np.int16] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether there are enough."""
        return len(self.pictures) >= self._wanted

    def offer(self, picture: Picture) -> str:
        """Look at one more picture and say what to do next."""
        small = small_grey(picture, SMALL_PX).astype(np.int16)
        last, self._last = self._last, small
        if self.is_complete:
            return "that is enough"
        if last is None or changed_px(last, small) > STILL_PX:
            return HOLD_STILL
        is_new = self._taken is None or changed_px(self._taken, small) >= ANOTHER_PX
        if is_new or not self._each_new:
            self.pictures.append(picture)
            self._taken = small
        return "that is enough" if self.is_complete else self._next_hint


class LaidTwiceCollector(StillCollector):
    """Takes what lies there first, and once it was laid anew, what lies there last.

    No picture says whether everything has been laid anew yet, so it is never complete: a later
    picture takes the place of the second one until somebody measures.
    """

    def __init__(self) -> None:
        # Three, of which two are kept at most.
        super().__init__(3, "lay the same tiles anew in the same order", each_new=True)

    def offer(self, picture: Picture) -> str:
        """Look at one more picture and say what to do next."""
        hint = super().offer(picture)
        del self.pictures[1:-1]
        if len(self.pictures) == 1:
            return self._next_hint
        if not self.pictures or hint == HOLD_STILL:
            return hint
        return "measure now, or lay them once more"


def changed_px(one: NDArray[np.int16], other: NDArray[np.int16]) -> int:
    """How many pixels differ by more than noise."""
    return int((np.abs(one - other) > CHANGED_LEVELS).sum())


def collector_for(step: str) -> Collector:
    """What takes the pictures of this step."""
    match step:
        case "camera":
            return BoardCollector()
        case "table":
            return StillCollector(5, "clear the table and let nothing cover the tags")
        case "dome":
            return StillCollector(DomeLimits().throws, "throw the dice again", each_new=True)
        case "tiles":
            return StillCollector(1, "lay the tiles out in order")
        case _:
            raise CalibrationError(f"{step} needs no pictures")


# --- the process ---------------------------------------------------------------------------------


@dataclass
class Session:
    """One step under way."""

    begin: Begin
    profile: Profile
    collector: Collector | None

    @classmethod
    def of(cls, begin: Begin) -> Session:
        """The step that was asked for."""
        profile = parse_profile(begin.profile, "profile") if begin.profile else Profile()
        if begin.step == "tiles":
            order_of(begin.order)  # a slip is said before anybody lays out tiles
        return cls(begin, profile, cls._collector(begin.step))

    @staticmethod
    def _collector(step: str) -> Collector | None:
        if step in WITHOUT_PICTURES:
            return None
        if step == "tiles":  # somebody sits at the screen, and can lay them out twice
            return LaidTwiceCollector()
        return collector_for(step)

    def offer(self, jpeg: bytes) -> Hint:
        """One more picture of the camera."""
        assert self.collector is not None
        picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        if picture is None:
            return Hint("the camera gives no picture", len(self.collector.pictures), complete=False)
        text = self.collector.offer(np.asarray(picture, np.uint8))
        return Hint(text, len(self.collector.pictures), complete=self.collector.is_complete)

    def measure(self) -> Measured:
        """What the pictures say."""
        step = self._step(self.collector.pictures if self.collector is not None else [])
        ok, png = cv2.imencode(".png", step.picture)
        assert ok
        tile_set = b"" if step.tile_set is None else step.tile_set.saved()
        return Measured(step.profile.save(), tile_set, step.qualities, step.is_good, png.tobytes())

    def _step(self, pictures: Sequence[Picture]) -> Step:
        begin = self.begin
        if self.collector is not None and not pictures:
            raise CalibrationError("no picture was taken yet")
        match begin.step:
            case "camera":
                return measure_camera(self.profile, pictures, at=begin.at)
            case "table":
                return measure_table(self.profile, pictures, at=begin.at)
            case "dome":
                return measure_dome(self.profile, pictures, at=begin.at, dice=begin.dice)
            case "lifts":
                runs = [StrokeRun(Actuator(motor), ms, ma) for motor, ms, ma in begin.runs]
                return measure_lifts(self.profile, runs, at=begin.at)
            case "confidence":
                confirmed = parse_readings(begin.readings, "the table's readings")
                return measure_confidence(self.profile, confirmed, at=begin.at)
            case _:
                order = order_of(begin.order)
                return measure_tiles(
                    self.profile, pictures, order, Reader(), at=begin.at, name="club",
                    file=begin.tile_file,
                )  # fmt: skip


def answer(session: Session | None, request: object) -> tuple[Session | None, object]:
    """The session after a request, and its answer."""
    try:
        match request:
            case Begin():
                return Session.of(request), Hint(HOLD_STILL, 0, complete=False)
            case Print(step):
                return session, Printed(PRINTS[step]())
            case Offer(jpeg) if session is not None:
                return session, session.offer(jpeg)
            case Measure() if session is not None:
                return session, session.measure()
            case _:
                return session, NotMeasured("no step was begun")
    except (CalibrationError, VisionError, ValueError, OSError) as error:
        return session, NotMeasured(str(error))


def main() -> None:
    """Requests from standard input, answers on standard output, until the input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # libraries that print must not disturb
    session: Session | None = None
    while (request := received(sys.stdin.buffer)) is not None:
        session, reply = answer(session, request)
        answers.write(packed(reply))
        answers.flush()


def received(stream: IO[bytes]) -> object | None:
    """The next request; None when the parent is gone."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    request: object = pickle.loads(stream.read(HEADER.unpack(header)[0]))
    return request


if __name__ == "__main__":
    # Under its own name, so that what is pickled here is known there.
    from calibration.live import main as run

    run()
