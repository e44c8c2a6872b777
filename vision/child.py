"""The vision process itself: ``python -m vision.child``, started by `vision.worker`."""

from __future__ import annotations

import importlib
import logging
import os
import pickle
import queue
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO

import cv2
import numpy as np

from vision.camera import CameraModel
from vision.dice import read_dice
from vision.errors import NoMoreFramesError, VisionError
from vision.frames import Frame, FrameCheck, Picture, Source, SyntheticTable, open_source
from vision.messages import (
    HEADER,
    Answer,
    Beat,
    Broken,
    CheckCamera,
    Content,
    Ended,
    GivePicture,
    Knock,
    Message,
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
from vision.render import Look, Renderer, tag_sheets
from vision.scene import Detector, Watcher, tile_px
from vision.tags import TagsNotSeenError, camera_drift, find_tags
from vision.types import Detection, Scene
from vision.values import SYNTHETIC, EyesSettings

logger = logging.getLogger(__name__)

MOST_FRAMES = 40  # a simulated table that is not still by then has a fault


def open_reader(settings: EyesSettings) -> Detector:
    """The detector of the product: locator and classifier for the table's tile size."""
    from vision.read import Reader
    from vision.tileset import TileSetError

    size_px = tile_px(settings.camera, settings.table)
    try:
        reader = Reader(settings.models, settings.tile_set, size_px, threads=settings.threads)
    except TileSetError as error:
        # An update that brings another classifier must not stop the table, nor the camera by which
        # the set is learned anew.
        logger.warning("%s; until then the tiles are read as those of any set", error)
        reader = Reader(settings.models, None, size_px, threads=settings.threads)
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
            settings.look or Look(),
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
        self._detector.spent_s = 0.0
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
                timing = Timing(self._detector.spent_s, number, memory_mb())
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
        timing = Timing(self._detector.spent_s, scene.frames, memory_mb())
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
    from vision.child import main as run

    run()
