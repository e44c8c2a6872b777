"""Calibration beside a running table: its camera's pictures go to a process that measures them.

One step at a time. Nothing is kept before a person has seen the numbers; the profile before stays
beside the new one as ``.bak``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import msgspec

from calibration.lifts import run_of
from calibration.messages import (
    Answer,
    Begin,
    Hint,
    Measure,
    Measured,
    NotMeasured,
    Offer,
    Print,
    Printed,
)
from calibration.profile import Profile, parse_profile
from calibration.quality import CalibrationError
from calibration.readings import ENOUGH, LEAST, kept_readings, readings_path
from table_controller.machine import Machine
from vision.errors import VisionError
from vision.messages import packed
from vision.worker import Eyes, received

logger = logging.getLogger(__name__)

WHOLE_PX = 4096  # wider than any camera here: the picture as it is
QUALITY = 95
LOOK_EVERY_S = 0.3
STROKES = 6
LONGEST_S = 600.0


class EndedError(CalibrationError):
    """The measuring process ended; somebody at another screen may have begun another step."""

    def __init__(self) -> None:
        super().__init__("the measuring process ended: begin the step again")


def save_measured(path: Path, profile: Profile, tile_set: bytes) -> None:
    """Write a profile, and a tile set that was learned beside it; the old one stays as ``.bak``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if tile_set and profile.tiles is not None:
        (path.parent / profile.tiles.file).write_bytes(tile_set)
        readings_path(path).unlink(missing_ok=True)  # a reader that did not know the set said so
    beside = path.with_suffix(".new")
    beside.write_bytes(profile.save())
    if path.exists():
        os.replace(path, path.with_suffix(".bak"))
    os.replace(beside, path)


@dataclass
class _Work:
    """A step under way."""

    step: str
    process: asyncio.subprocess.Process
    hint: Hint = field(default_factory=lambda: Hint("hold it still", 0, complete=False))
    problem: str = ""
    measured: Measured | None = None
    looking: asyncio.Task[None] | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Calibration:
    """Measures one table while it runs."""

    def __init__(
        self,
        path: Path,
        eyes: Callable[[], Eyes | None],
        machine: Machine,
        kept: Callable[[Profile], None] = lambda profile: None,
    ) -> None:
        self._path = path
        self._readings = readings_path(path)
        self._eyes = eyes
        self._machine = machine
        self._kept = kept
        self._work: _Work | None = None
        self._starting = asyncio.Lock()

    @property
    def profile(self) -> Profile:
        """What is known of the table now."""
        return parse_profile(self._saved(), str(self._path)) if self._saved() else Profile()

    def _saved(self) -> bytes:
        return self._path.read_bytes() if self._path.exists() else b""

    async def picture(self, width_px: int = 960) -> bytes:
        """What the camera sees now, as JPEG; empty before the first picture."""
        eyes = self._eyes()
        if eyes is None:
            raise CalibrationError("there is no camera now: see what the table says about it")
        try:
            return await eyes.picture(width_px=width_px, quality=QUALITY)
        except VisionError as error:
            raise CalibrationError(str(error)) from error

    async def sheet(self, step: str) -> bytes:
        """The sheet to print for a step, as PDF."""
        async with _process() as process:
            answer = await _asked(process, Print(step))
        if not isinstance(answer, Printed):
            raise CalibrationError(f"{step} needs no sheet")
        return answer.pdf

    async def begin(self, step: str, *, dice: int = 2, order: str = "") -> None:
        """Begin a step; another one that was under way is given up."""
        await self.end()
        runs = await self._strokes() if step == "lifts" else ()
        readings = await asyncio.to_thread(self._confirmed) if step == "confidence" else b""
        begin = Begin(
            step,
            self._saved(),
            datetime.now(UTC).isoformat(timespec="seconds"),
            dice,
            order,
            f"{self._path.stem}-club.npz",
            runs,
            readings,
        )
        async with self._starting:  # of two screens the later one goes on
            await self.end()
            self._work = work = _Work(step, await _start())
        answer = await _asked(work.process, begin)
        if isinstance(answer, NotMeasured):
            await self.end()
            raise CalibrationError(answer.why)
        if step == "lifts":
            work.hint = Hint("that is enough", STROKES, complete=True)
        elif step == "confidence":
            work.hint = Hint("that is enough", readings.count(b"\n"), complete=True)
            await self._measure(work)
        else:
            work.looking = asyncio.create_task(self._watch(work), name="calibration")

    def _confirmed(self) -> bytes:
        """The readings that games have confirmed; raises CalibrationError when they are too few."""
        content = kept_readings(self._readings)
        if (number := content.count(b"\n")) < LEAST:
            raise CalibrationError(
                f"{number} confirmed readings are too few: play on, at least {LEAST} are needed"
            )
        return content

    async def _watch(self, work: _Work) -> None:
        """Offer pictures until there are enough, or nobody goes on: a game needs the processor."""
        try:
            async with asyncio.timeout(LONGEST_S):
                await self._look(work)
        except TimeoutError:
            work.problem = "nobody went on for long: begin the step again"

    async def _look(self, work: _Work) -> None:
        while not work.hint.complete:
            try:
                jpeg = await self.picture(WHOLE_PX)
                async with work.turn:
                    answer = await _asked(work.process, Offer(jpeg))
            except EndedError as error:
                work.problem = str(error)
                return
            except CalibrationError as error:
                work.problem = str(error)
                await asyncio.sleep(1.0)
                continue
            work.problem = answer.why if isinstance(answer, NotMeasured) else ""
            if isinstance(answer, Hint):
                work.hint = answer
            await asyncio.sleep(LOOK_EVERY_S)

    async def _strokes(self) -> tuple[tuple[int, int, int], ...]:
        """Let every motor make its strokes, and note what the board measured."""
        found = []
        for _ in range(STROKES):
            runs = [run_of(wear) for wear in await self._machine.exercise()]
            found += [(int(run.motor), run.stroke_ms, run.peak_ma) for run in runs]
        return tuple(found)

    async def measure(self) -> None:
        """Measure from the pictures that were taken."""
        await self._measure(self._need())

    async def _measure(self, work: _Work) -> None:
        async with work.turn:  # no picture is on its way now
            if work.looking is not None:
                work.looking.cancel()
            answer = await _asked(work.process, Measure())
        if isinstance(answer, NotMeasured):
            work.problem = answer.why
            if work.looking is not None and not work.hint.complete:
                work.looking = asyncio.create_task(self._watch(work), name="calibration")
            raise CalibrationError(answer.why)
        assert isinstance(answer, Measured), answer
        work.measured = answer

    async def keep(self, *, anyway: bool = False) -> None:
        """Save what was measured and use it from now on."""
        work = self._need()
        measured = work.measured
        if measured is None:
            raise CalibrationError("nothing was measured yet")
        if not measured.is_good and not anyway:
            raise CalibrationError(
                "a number does not keep its limit: measure again, or keep it anyway"
            )
        profile = parse_profile(measured.profile, "the new profile")
        save_measured(self._path, profile, measured.tile_set)
        logger.info("calibration %s was kept: %s", work.step, self._path)
        await self.end()
        self._kept(profile)

    async def end(self) -> None:
        """Give up what is under way."""
        work, self._work = self._work, None
        if work is None:
            return
        if work.looking is not None:
            work.looking.cancel()
            await asyncio.gather(work.looking, return_exceptions=True)
        await _stop(work.process)

    def _need(self) -> _Work:
        if self._work is None:
            raise CalibrationError("no step was begun")
        return self._work

    @property
    def quality_picture(self) -> bytes:
        """The picture that shows how good the measured step is, as PNG; empty before."""
        return self._work.measured.png if self._work and self._work.measured else b""

    def view(self) -> dict[str, Any]:
        """What a screen shows."""
        profile = self.profile
        parts = {
            "camera": profile.lens, "table": profile.place, "tiles": profile.tiles,
            "dome": profile.dome, "lifts": profile.lifts, "confidence": profile.confidence,
        }  # fmt: skip
        work = self._work
        measured = work.measured if work else None
        number = kept_readings(self._readings).count(b"\n")  # 11 000 readings: 0.7 ms (x86)
        return {
            "steps": [
                {"step": step, "at": None if part is None else part.at or ""}
                for step, part in parts.items()
            ],
            "readings": {"number": number, "least": LEAST, "enough": ENOUGH},
            "step": work.step if work else None,
            "hint": work.hint.text if work else "",
            "taken": work.hint.taken if work else 0,
            "complete": work.hint.complete if work else False,
            "problem": work.problem if work else "",
            "qualities": [
                {**msgspec.to_builtins(quality), "good": quality.is_good}
                for quality in measured.qualities
            ]
            if measured
            else [],
            "good": measured.is_good if measured else None,
        }


async def _start() -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "calibration.live"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()  # it holds nothing that must be saved
    await process.wait()
    if process.stdin is not None:
        process.stdin.close()


@contextlib.asynccontextmanager
async def _process() -> AsyncIterator[asyncio.subprocess.Process]:
    process = await _start()
    try:
        yield process
    finally:
        await _stop(process)


async def _asked(process: asyncio.subprocess.Process, request: object) -> Answer:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(packed(request))
        await process.stdin.drain()
        return cast(Answer, await received(process.stdout))
    except (EOFError, ConnectionError):
        raise EndedError from None
