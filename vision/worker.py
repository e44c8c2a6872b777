"""Vision in a process of its own, started again when it hangs or dies, but not for ever.

    async with open_eyes(EyesSettings()) as eyes:
        scene = await eyes.look(placed)         # simulated table: draws, reads, answers
        eyes.seen.timing, eyes.seen.faults      # what it cost, what was wrong with the picture

    async with open_eyes(EyesSettings(source="/dev/video0", camera=profile.camera)) as eyes:
        async for scene in eyes.scenes():       # a live camera: whenever the table has changed
            ...

The child is ``python -m vision.worker``: it imports vision and nothing else, reads requests from
its standard input and answers on its standard output.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import pickle
import queue
import resource
import signal
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

import cv2
import numpy as np

from vision.camera import CameraModel
from vision.dice import DiceReading, DomeSpot, read_dice
from vision.errors import EyesError, NoMoreFramesError, VisionError
from vision.frames import (
    Frame,
    FrameCheck,
    FrameLimits,
    Picture,
    Source,
    SyntheticTable,
    open_source,
)
from vision.render import Hand, Look, Renderer, tag_sheets
from vision.scene import Detector, SceneSettings, Stillness, Watcher, tile_px
from vision.tags import Drift, TagLayout, TagsNotSeenError, camera_drift, find_tags
from vision.types import Detection, PlacedTile, Scene
from vision.zones import TableGeometry

logger = logging.getLogger(__name__)

SYNTHETIC = "sim://"
HEADER = struct.Struct("<I")
LARGEST_MESSAGE = 64 << 20
MOST_FRAMES = 40  # a simulated table that is not still by then has a fault


@dataclass(frozen=True, slots=True)
class EyesSettings:
    """What to watch and how patient to be with the process that does it."""

    source: str = SYNTHETIC
    camera: CameraModel = field(default_factory=CameraModel.above_table)
    table: TableGeometry = field(default_factory=TableGeometry)
    scene: SceneSettings = field(default_factory=SceneSettings)
    limits: FrameLimits = field(default_factory=FrameLimits)
    tags: TagLayout = field(default_factory=TagLayout)
    dome: DomeSpot = field(default_factory=DomeSpot)
    look: Look = field(default_factory=Look)  # of the simulated table
    seed: int = 0
    fps: float = 10.0
    models: Path | None = None
    tile_set: Path | None = None  # the club's own set, as calibration saved it
    threads: int = 2
    temperature: float = 1.0  # of the reader's probabilities on this table, as calibration found
    detector: str = "vision.worker:open_reader"  # module:function that makes the detector
    start_within_s: float = 60.0
    answer_within_s: float = 20.0
    restarts: int = 4
    restart_window_s: float = 120.0
    restart_pause_s: float = 0.5


@dataclass(frozen=True, slots=True)
class Timing:
    """Where the time of one answer went."""

    draw_s: float = 0.0  # only the simulated table is drawn
    read_s: float = 0.0
    frames: int = 0
    memory_mb: float = 0.0


@dataclass(frozen=True, slots=True)
class Seen:
    """A scene, what it cost, and what was wrong with the picture."""

    scene: Scene
    timing: Timing
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Show:
    """Request: draw this and read it."""

    number: int
    placed: tuple[PlacedTile, ...]
    hands: tuple[Hand, ...]
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReadNow:
    """Request: a scene of the live camera, changed or not."""

    number: int


@dataclass(frozen=True, slots=True)
class GivePicture:
    """Request: the newest picture, for a screen."""

    number: int
    width_px: int
    quality: int


@dataclass(frozen=True, slots=True)
class CheckCamera:
    """Request: has the camera moved since it was calibrated?"""

    number: int


@dataclass(frozen=True, slots=True)
class ReadDice:
    """Request: the dice in the dome."""

    number: int
    count: int | None


@dataclass(frozen=True, slots=True)
class Knock:
    """Request: move the simulated camera, as somebody's elbow would."""

    number: int
    shift_mm: tuple[float, float, float]
    turn_deg: float


@dataclass(frozen=True, slots=True)
class Ready:
    """The child has opened everything."""

    memory_mb: float


Content = Seen | Drift | DiceReading | bytes | str  # a text says why a request cannot be answered


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request."""

    number: int
    content: Content


@dataclass(frozen=True, slots=True)
class Told:
    """A scene nobody asked for: the live table has changed."""

    seen: Seen


@dataclass(frozen=True, slots=True)
class Beat:
    """The live child is well; what it is waiting for and what is wrong with its pictures."""

    state: Stillness
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """The video or folder has come to its end; the child still answers requests."""

    source: str


@dataclass(frozen=True, slots=True)
class Broken:
    """The child cannot go on."""

    why: str


Request = Show | ReadNow | GivePicture | CheckCamera | ReadDice | Knock
Message = Ready | Answer | Told | Beat | Ended | Broken


class _LostError(VisionError):
    """The child went away or did not answer; for this module only."""


# The parent's side


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
            *(sys.executable, "-m", "vision.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
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


def packed(message: object) -> bytes:
    """A message as it travels: its length, then its pickle. Both ends are our own code."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(len(content)) + content


async def received(stream: asyncio.StreamReader) -> object:
    """The next message of the child; EOFError when it is gone."""
    (length,) = HEADER.unpack(await stream.readexactly(HEADER.size))
    if length > LARGEST_MESSAGE:
        raise ConnectionError(f"a message of {length} bytes is no message of ours")
    return pickle.loads(await stream.readexactly(length))


# The child's side


def open_reader(settings: EyesSettings) -> Detector:
    """The detector of the product: locator and classifier for the table's tile size."""
    from vision.read import Reader

    size_px = tile_px(settings.camera, settings.table)
    reader = Reader(settings.models, settings.tile_set, size_px, threads=settings.threads)
    reader.classifier.temperature *= settings.temperature
    return reader


class Worker:
    """Draws or takes pictures, reads them and answers requests."""

    def __init__(self, settings: EyesSettings, send: Callable[[Message], None]) -> None:
        self._settings, self._send = settings, send
        module, function = settings.detector.split(":")
        detector = getattr(importlib.import_module(module), function)(settings)
        self._detector = Stopwatch(detector)
        self._watcher = Watcher(settings.camera, settings.table, self._detector, settings.scene)
        size_px = (settings.camera.width_px, settings.camera.height_px)
        self._check = FrameCheck(settings.limits, size_px=size_px)
        self._frame: Frame | None = None

    def simulate(self, requests: queue.SimpleQueue[Request | None]) -> None:
        """Serves the simulated table until the parent is gone."""
        settings = self._settings
        renderer = self._renderer(settings.camera)
        table = SyntheticTable(renderer, fps=settings.fps, seed=settings.seed)
        self._send(Ready(memory_mb()))
        while (request := requests.get()) is not None:
            match request:
                case Show():
                    content: Content = self._show(table, request)
                case Knock(_, shift_mm, turn_deg):
                    camera = settings.camera.moved(shift_mm=shift_mm, turn_deg=turn_deg)
                    table.use(self._renderer(camera))
                    self._frame, content = table.read(), b""
                case _:
                    self._frame = self._frame or table.read()
                    content = self._look_at(self._frame, request)
            self._send(Answer(request.number, content))

    def _renderer(self, camera: CameraModel) -> Renderer:
        """The simulated table under this camera."""
        settings = self._settings
        return Renderer(
            camera,
            settings.look,
            size=settings.table.tile,
            centre_mm=settings.table.centre_mm,
            seed=settings.seed,
            sheets=tag_sheets(settings.tags),
        )

    def _look_at(self, frame: Frame | None, request: Request) -> Content:
        """Answers what can be told from one picture."""
        if isinstance(request, GivePicture):
            return b"" if frame is None else as_jpeg(frame.image, request)
        if frame is None:
            return "there was no picture yet"
        match request:
            case CheckCamera():
                try:
                    tags = find_tags(frame.image)
                    return camera_drift(self._settings.camera, self._settings.tags, tags)
                except TagsNotSeenError as error:
                    return str(error)
            case ReadDice(_, count):
                return read_dice(
                    frame.image, self._settings.camera, self._settings.dome, count=count
                )
            case ReadNow():
                sightings = tuple(self._watcher.read(frame.image))
                return Seen(Scene(frame.time_s, sightings, 1), Timing(frames=1))
            case _:
                return f"a live table cannot be asked to {type(request).__name__.lower()}"

    def _show(self, table: SyntheticTable, show: Show) -> Seen:
        """Draws a table, with hands first where they are asked for, and reads it."""
        begun, self._detector.spent_s = time.perf_counter(), 0.0
        if show.hands:
            table.show(show.placed, hands=show.hands, dice=show.dice)
            for _ in range(2):
                self._watcher.feed(table.read(), always=True)
        else:
            self._watcher.settle(no_arms=True)
        table.show(show.placed, dice=show.dice)
        for number in range(1, MOST_FRAMES + 1):
            self._frame = table.read()
            scene = self._watcher.feed(self._frame, always=True)
            if scene is not None:
                whole_s = time.perf_counter() - begun
                read_s = self._detector.spent_s
                timing = Timing(whole_s - read_s, read_s, number, memory_mb())
                return Seen(scene, timing, self._faults(self._frame.time_s))
        raise VisionError(f"the simulated table did not come to rest in {MOST_FRAMES} pictures")

    def watch(self, source: Source, requests: queue.SimpleQueue[Request | None]) -> None:
        """Watches a live source until the parent is gone."""
        self._send(Ready(memory_mb()))
        asked: list[int] = []
        beat_s = 0.0
        while True:
            while not requests.empty():
                request = requests.get()
                if request is None:
                    return
                if isinstance(request, ReadNow):
                    asked.append(request.number)
                else:
                    content = self._look_at(self._frame, request)
                    self._send(Answer(request.number, content))
            try:
                self._frame = source.read()
            except NoMoreFramesError as end:
                self._send(Ended(end.source))
                self._rest(requests)
                return
            self._detector.spent_s = 0.0
            scene = self._watcher.feed(self._frame, always=bool(asked))
            now_s = time.monotonic()
            if scene is not None:
                seen = self._seen(scene, source)
                for number in asked:
                    self._send(Answer(number, seen))
                asked.clear()
                self._send(Told(seen))
            if now_s - beat_s >= 1.0:
                beat_s = now_s
                self._send(Beat(self._watcher.state, self._faults(source.now_s(self._frame))))

    def _seen(self, scene: Scene, source: Source) -> Seen:
        assert self._frame is not None
        now_s = source.now_s(self._frame)
        scene = replace(scene, frame_age_s=max(0.0, now_s - scene.time_s))
        timing = Timing(0.0, self._detector.spent_s, scene.frames, memory_mb())
        return Seen(scene, timing, self._faults(now_s))

    def _rest(self, requests: queue.SimpleQueue[Request | None]) -> None:
        """After the last picture: what is asked is answered from that picture."""
        while (request := requests.get()) is not None:
            self._send(Answer(request.number, self._look_at(self._frame, request)))

    def _faults(self, now_s: float) -> tuple[str, ...]:
        assert self._frame is not None
        return tuple(str(fault) for fault in self._check.faults(self._frame, now_s))


def as_jpeg(image: Picture, request: GivePicture) -> bytes:
    """The picture as a screen wants it."""
    factor = request.width_px / image.shape[1]
    if factor < 1:
        small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        image = np.asarray(small, np.uint8)
    _, content = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, request.quality])
    return content.tobytes()


class Stopwatch:
    """A detector that keeps count of the time it takes."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self.spent_s = 0.0

    def detect(self, image: Picture) -> list[Detection]:
        """What the detector finds."""
        begun = time.perf_counter()
        found = self._detector.detect(image)
        self.spent_s += time.perf_counter() - begun
        return found


def memory_mb() -> float:
    """The most memory this process has held, in megabytes."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):  # not Linux; this counts the parent's memory before the start too
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """The child: settings first, then requests, until its input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to end
    # Libraries that print must not disturb the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def send(message: Message) -> None:
        answers.write(packed(message))
        answers.flush()

    requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
    try:
        settings = receive(sys.stdin.buffer)
        if not isinstance(settings, EyesSettings):
            return
        cv2.setNumThreads(settings.threads)
        worker = Worker(settings, send)
        threading.Thread(
            target=take_requests, args=(sys.stdin.buffer, requests), daemon=True
        ).start()
        if settings.source == SYNTHETIC:
            worker.simulate(requests)
            return
        camera = settings.camera
        size_px = (camera.width_px, camera.height_px)
        with open_source(settings.source, size_px=size_px, fps=settings.fps) as source:
            worker.watch(source, requests)
    except BrokenPipeError:
        return  # the parent is gone
    except Exception as error:  # whatever it is, the parent must hear of it
        send(Broken(f"{type(error).__name__}: {error}"))
        raise


def take_requests(stream: IO[bytes], requests: queue.SimpleQueue[Request | None]) -> None:
    """Puts requests in the queue; None when the parent is gone."""
    try:
        while True:
            requests.put(receive(stream))  # type: ignore[arg-type]
    except EOFError:
        requests.put(None)


def receive(stream: IO[bytes]) -> object:
    """The next message of the parent; EOFError when it is gone."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        raise EOFError
    return pickle.loads(stream.read(HEADER.unpack(header)[0]))


if __name__ == "__main__":
    # Under its own name, so that what is pickled here is known there.
    from vision.worker import main as run

    run()
