"""Vision in a process of its own, started again when it hangs or dies, but not for ever.

    async with open_eyes(EyesSettings()) as eyes:
        scene = await eyes.look(placed)         # simulated table: draws, reads, answers
        eyes.seen.timing, eyes.seen.faults      # what it cost, what was wrong with the picture

    async with open_eyes(EyesSettings(source="/dev/video0", camera=profile.camera)) as eyes:
        async for scene in eyes.scenes():       # a live camera: whenever the table has changed
            ...

The child is ``python -m vision.child``: it reads requests from its standard input and answers on
its standard output. Nothing here imports OpenCV; the daemon stays small.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from vision.errors import EyesError, NoMoreFramesError, VisionError
from vision.messages import (
    HEADER,
    LARGEST_MESSAGE,
    Answer,
    Beat,
    Broken,
    CheckCamera,
    Content,
    Ended,
    GivePicture,
    Knock,
    ReadDice,
    ReadNow,
    Ready,
    Request,
    Seen,
    Show,
    Timing,
    Told,
    packed,
)
from vision.types import PlacedTile, Scene
from vision.values import SYNTHETIC, DiceReading, Drift, EyesSettings, Stillness

if TYPE_CHECKING:
    from vision.render import Hand

__all__ = ["Eyes", "EyesSettings", "Seen", "Timing", "open_eyes"]

logger = logging.getLogger(__name__)

# glibc keeps what pictures leave behind unless it is told to give blocks of this size back:
# 2026-11-30, a watched folder of 1080p pictures, 134 MB instead of 153 and no slower.
GIVES_BACK = {"MALLOC_MMAP_THRESHOLD_": "262144"}


class _LostError(VisionError):
    """The child went away or did not answer; for this module only."""


@asynccontextmanager
async def open_eyes(settings: EyesSettings | None = None) -> AsyncIterator[Eyes]:
    """Starts the vision process and ends it again."""
    eyes = Eyes(settings or EyesSettings())
    try:
        await eyes.start()
        yield eyes
    finally:
        await eyes.close()


class Eyes:
    """The vision process as its parent sees it."""

    def __init__(
        self, settings: EyesSettings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings, self._clock = settings, clock
        self._process: asyncio.subprocess.Process | None = None
        self._follower: asyncio.Task[None] | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Content]] = {}
        self._told: asyncio.Queue[Seen | VisionError] = asyncio.Queue()
        self._starts: deque[float] = deque()
        self._lost = asyncio.Event()
        self._why = ""
        self._number = 0
        self._ended = False
        self._lock = asyncio.Lock()
        self.state = Stillness.MOVING
        self.faults: tuple[str, ...] = ()
        self.seen: Seen | None = None  # the last scene with its timing
        self.restarted = 0  # how often since it was opened
        self.memory_mb = 0.0

    @property
    def is_live(self) -> bool:
        """Whether a real source is watched, not the simulated table."""
        return self._settings.source != SYNTHETIC

    async def start(self) -> None:
        """Starts the child; it is tried again as often as the settings allow."""
        async with self._lock:
            await self._start_until_well()
        if self.is_live:
            self._watcher = asyncio.create_task(self._watch())

    async def look(
        self,
        placed: Sequence[PlacedTile] | None = None,
        *,
        hands: Sequence[Hand] = (),
        dice: Sequence[int] = (),
    ) -> Scene:
        """A scene now. The simulated table is told what lies on it; ``hands`` reach in first and
        are drawn back before it is read. A live table is read as soon as it is still."""

        def request(number: int) -> Request:
            if self.is_live:
                return ReadNow(number)
            return Show(number, tuple(placed or ()), tuple(hands), tuple(dice))

        content = await self._ask(request)
        assert isinstance(content, Seen)
        return content.scene

    async def picture(self, *, width_px: int = 960, quality: int = 80) -> bytes:
        """The newest picture as JPEG; empty before the first one."""
        content = await self._ask(lambda number: GivePicture(number, width_px, quality))
        assert isinstance(content, bytes)
        return content

    async def camera_drift(self) -> Drift:
        """How far the camera has moved since it was calibrated; TagsNotSeenError and the like when
        the picture cannot tell. Ask before each deal."""
        content = await self._ask(CheckCamera)
        assert isinstance(content, Drift)
        return content

    async def read_dice(self, *, count: int | None = None) -> DiceReading:
        """The dice in the dome as the newest picture shows them; ``count`` if it is known."""
        content = await self._ask(lambda number: ReadDice(number, count))
        assert isinstance(content, DiceReading)
        return content

    async def knock(
        self, *, shift_mm: tuple[float, float, float] = (0.0, 0.0, 0.0), turn_deg: float = 0.0
    ) -> None:
        """Moves the simulated camera away from where it was calibrated, or back by zeros."""
        await self._ask(lambda number: Knock(number, shift_mm, turn_deg))

    async def scenes(self) -> AsyncIterator[Scene]:
        """The scenes of a live table, one whenever it has changed, until its source ends."""
        while True:
            told = await self._told.get()
            if isinstance(told, NoMoreFramesError):
                return
            if isinstance(told, VisionError):
                raise told
            yield told.scene

    async def close(self) -> None:
        """Ends the child."""
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)
        await self._end()

    async def _ask(self, make: Callable[[int], Request]) -> Content:
        """Asks the child; one that does not answer is replaced and asked again."""
        async with self._lock:
            while True:
                self._number += 1
                try:
                    content = await self._exchange(make(self._number))
                except _LostError as lost:
                    await self._replace(str(lost))
                    continue
                if isinstance(content, str):
                    raise VisionError(content)
                return content

    async def _exchange(self, request: Request) -> Content:
        process = self._process
        if process is None or process.stdin is None or self._lost.is_set():
            raise _LostError(self._why or "it was not running")
        answer: asyncio.Future[Content] = asyncio.get_running_loop().create_future()
        self._waiting[request.number] = answer
        # A live child may wait long for a still picture; as long as its heart beats, it is well.
        patience_s = None if self.is_live else self._settings.answer_within_s
        try:
            process.stdin.write(packed(request))
            await process.stdin.drain()
            return await asyncio.wait_for(answer, patience_s)
        except TimeoutError as error:
            raise _LostError(f"no answer within {patience_s:g} s") from error
        except ConnectionError as error:
            raise _LostError("it closed its pipe") from error
        finally:
            del self._waiting[request.number]
            answer.cancel()

    async def _replace(self, why: str) -> None:
        """Ends the child, which is of no use any more, and starts another."""
        logger.warning("vision is started again: %s", why)
        self._why = why
        self.restarted += 1
        await self._end()
        await asyncio.sleep(self._settings.restart_pause_s)
        await self._start_until_well()

    async def _start_until_well(self) -> None:
        """Starts children until one is ready, or gives up."""
        while True:
            self._count_start()
            try:
                await self._start_once()
            except _LostError as lost:
                self._why = str(lost)
                logger.warning("vision did not start: %s", lost)
                await self._end()
                await asyncio.sleep(self._settings.restart_pause_s)
            else:
                return

    def _count_start(self) -> None:
        """Counts the starts within the window; too many are an error that a person must see."""
        now, window_s = self._clock(), self._settings.restart_window_s
        while self._starts and now - self._starts[0] > window_s:
            self._starts.popleft()
        if len(self._starts) > self._settings.restarts:
            raise EyesError(
                f"vision failed {len(self._starts)} times within {window_s:g} s and is not started"
                f" again; the last time: {self._why}"
            )
        self._starts.append(now)

    async def _start_once(self) -> None:
        self._lost.clear()
        self._ended = False
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "vision.child"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=os.environ | GIVES_BACK,
        )
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(packed(self._settings))
            await process.stdin.drain()
            ready = await asyncio.wait_for(received(process.stdout), self._settings.start_within_s)
        except TimeoutError as error:
            raise _LostError(f"not ready within {self._settings.start_within_s:g} s") from error
        except (ConnectionError, EOFError) as error:
            raise _LostError("it ended before it was ready") from error
        if isinstance(ready, Broken):
            raise _LostError(ready.why)
        assert isinstance(ready, Ready), ready
        self.memory_mb = ready.memory_mb
        self._follower = asyncio.create_task(self._follow(process.stdout))

    async def _follow(self, answers: asyncio.StreamReader) -> None:
        """Takes in what the child says until it falls silent."""
        while True:
            patience_s = self._settings.answer_within_s
            silent_may_be = not self.is_live or self._ended
            try:
                message = await asyncio.wait_for(
                    received(answers), None if silent_may_be else patience_s
                )
            except TimeoutError:
                self._lose(f"no sign of life for {patience_s:g} s")
                return
            except (EOFError, ConnectionError):
                self._lose(self._why or "it ended")
                return
            self._take(message)

    def _take(self, message: object) -> None:
        match message:
            case Answer(number, content):
                answer = self._waiting.get(number)
                if answer is not None and not answer.done():
                    answer.set_result(content)
                if isinstance(content, Seen):
                    self.seen, self.memory_mb = content, content.timing.memory_mb
            case Told(seen):
                if self._told.qsize() > 1:
                    self._told.get_nowait()  # nobody listens; only the newest scenes matter
                self._told.put_nowait(seen)
                self.seen, self.memory_mb = seen, seen.timing.memory_mb
            case Beat(state, faults):
                self.state, self.faults = state, faults
            case Ended(source):
                self._ended = True
                self._told.put_nowait(NoMoreFramesError(source))
            case Broken(why):
                self._why = why
            case _:
                logger.warning("vision said something unknown: %r", message)

    def _lose(self, why: str) -> None:
        """The child is of no use: whoever waits for it is told."""
        self._why = why
        self._lost.set()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(_LostError(why))

    async def _watch(self) -> None:
        """Replaces a live child that was lost while nobody asked it anything."""
        while True:
            await self._lost.wait()
            try:
                async with self._lock:
                    if self._lost.is_set():
                        await self._replace(self._why)
            except EyesError as error:
                self._told.put_nowait(error)
                return

    async def _end(self) -> None:
        """Ends the child process, by force if it hangs."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.kill()  # it holds nothing that must be saved
        await process.wait()
        if process.stdin is not None:
            process.stdin.close()
        follower, self._follower = self._follower, None
        if follower is not None:
            await follower  # it reads to the end of the pipe


async def received(stream: asyncio.StreamReader) -> object:
    """The next message of the child; EOFError when it is gone."""
    (length,) = HEADER.unpack(await stream.readexactly(HEADER.size))
    if length > LARGEST_MESSAGE:
        raise ConnectionError(f"a message of {length} bytes is no message of ours")
    return pickle.loads(await stream.readexactly(length))
