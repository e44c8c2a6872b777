"""Where pictures come from: cameras, the Pi's camera pipe, folders, videos and the renderer.

    with open_source("/dev/video0") as source:
        frame = source.read()

Every source has its own clock in seconds; live sources use the monotonic clock, so that a frame's
age can be told. ``FrameCheck`` says what is wrong with a picture before anyone tries to read it.
"""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import NoMoreFramesError, SourceError
from vision.render import Hand, Renderer
from vision.types import PlacedTile
from vision.values import FrameLimits as FrameLimits

Picture = NDArray[np.uint8]
Clock = Callable[[], float]

PICTURES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture, BGR, and when it was taken on its source's clock."""

    image: Picture
    time_s: float
    name: str = ""


class Source:
    """Gives one picture after another; ``read`` waits for the next one."""

    def read(self) -> Frame:
        """The next picture."""
        raise NotImplementedError

    def close(self) -> None:
        """Lets go of the device or file."""

    def now_s(self, frame: Frame) -> float:
        """The source's clock, after this frame; recordings are never late."""
        return frame.time_s

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ImageFolder(Source):
    """The pictures of a folder in the order of their names, at a steady pace."""

    def __init__(self, folder: Path, *, fps: float = 10.0) -> None:
        self._name, self._fps, self._count = str(folder), fps, 0
        if not folder.is_dir():
            raise SourceError(self._name, "is not a folder")
        self._files = sorted(
            path for path in folder.iterdir() if path.suffix.lower() in PICTURES and path.is_file()
        )
        if not self._files:
            raise SourceError(self._name, f"holds no pictures ({', '.join(sorted(PICTURES))})")

    def read(self) -> Frame:
        """The next picture of the folder."""
        if self._count >= len(self._files):
            raise NoMoreFramesError(self._name)
        path = self._files[self._count]
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise SourceError(str(path), "is not a picture that can be read")
        self._count += 1
        return Frame(np.asarray(image, np.uint8), (self._count - 1) / self._fps, path.name)


class VideoFile(Source):
    """A recorded video, frame by frame, by its own clock."""

    def __init__(self, path: Path) -> None:
        self._name = str(path)
        if not path.is_file():
            raise SourceError(self._name, "is not a file")
        self._video = cv2.VideoCapture(self._name)
        if not self._video.isOpened():
            raise SourceError(self._name, "is not a video that can be read")
        self._count = 0

    def read(self) -> Frame:
        """The next picture of the video."""
        found, image = self._video.read()
        time_s = self._video.get(cv2.CAP_PROP_POS_MSEC) / 1000
        if not found:
            if self._count == 0:
                raise SourceError(self._name, "holds no pictures that can be read")
            raise NoMoreFramesError(self._name)
        self._count += 1
        return Frame(np.asarray(image, np.uint8), time_s, f"frame {self._count}")

    def close(self) -> None:
        """Closes the file."""
        self._video.release()


class UsbCamera(Source):
    """A USB camera by Video for Linux."""

    def __init__(
        self,
        device: str,
        *,
        size_px: tuple[int, int] = (1920, 1080),
        fps: float = 10.0,
        clock: Clock = time.monotonic,
    ) -> None:
        self._name, self._clock = device, clock
        number = device.removeprefix("/dev/video")
        opened = cv2.VideoCapture(int(number) if number.isdecimal() else device, cv2.CAP_V4L2)
        if not opened.isOpened():
            raise SourceError(
                device, "cannot be opened; is the camera plugged in, may this user read it?"
            )
        opened.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        opened.set(cv2.CAP_PROP_FRAME_WIDTH, size_px[0])
        opened.set(cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])
        opened.set(cv2.CAP_PROP_FPS, fps)
        opened.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._camera = opened

    def read(self) -> Frame:
        """The next picture of the camera."""
        found, image = self._camera.read()
        if not found:
            raise SourceError(self._name, "gives no picture; was it unplugged?")
        return Frame(np.asarray(image, np.uint8), self._clock())

    def now_s(self, frame: Frame) -> float:
        """The camera's clock."""
        return self._clock()

    def close(self) -> None:
        """Lets go of the camera."""
        self._camera.release()


JPEG_BEGINS, JPEG_ENDS = b"\xff\xd8", b"\xff\xd9"
LARGEST_JPEG = 32 << 20


class RpicamPipe(Source):
    """The Raspberry Pi's own camera: JPEG pictures through the pipe of ``rpicam-vid``."""

    def __init__(
        self,
        *,
        size_px: tuple[int, int] = (1920, 1080),
        fps: float = 10.0,
        command: Sequence[str] = ("rpicam-vid",),
        clock: Clock = time.monotonic,
    ) -> None:
        self._name, self._clock, self._rest = " ".join(command), clock, b""
        options = (
            *("--timeout", "0", "--nopreview", "--flush", "--codec", "mjpeg", "--quality", "95"),
            *("--width", str(size_px[0]), "--height", str(size_px[1])),
            *("--framerate", f"{fps:g}", "--output", "-"),
        )
        try:
            self._process = subprocess.Popen(
                [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise SourceError(self._name, f"cannot be started: {error.strerror}") from error
        assert self._process.stdout is not None
        self._pipe: IO[bytes] = self._process.stdout

    def read(self) -> Frame:
        """The next picture from the pipe."""
        while True:
            begin = self._rest.find(JPEG_BEGINS)
            # Inside a picture 0xff is never followed by 0xd9, so the first one ends it.
            end = self._rest.find(JPEG_ENDS, begin + 2) if begin >= 0 else -1
            if end >= 0:
                packed = np.frombuffer(self._rest[begin : end + 2], np.uint8)
                self._rest = self._rest[end + 2 :]
                image = cv2.imdecode(packed, cv2.IMREAD_COLOR)
                if image is not None:  # a damaged picture is skipped, the next one is near
                    return Frame(np.asarray(image, np.uint8), self._clock())
                continue
            if len(self._rest) > LARGEST_JPEG:
                raise SourceError(self._name, "sends something that is not a row of JPEG pictures")
            more = self._pipe.read1(1 << 20) if hasattr(self._pipe, "read1") else b""
            if not more:
                status = self._process.poll()
                raise SourceError(self._name, f"ended with status {status}; is a camera attached?")
            self._rest += more

    def now_s(self, frame: Frame) -> float:
        """The camera's clock."""
        return self._clock()

    def close(self) -> None:
        """Ends the camera program."""
        self._process.terminate()
        try:
            self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._pipe.close()


class Newest(Source):
    """Keeps only the newest picture of a live source, so that slow readers never lag behind."""

    def __init__(self, source: Source, *, patience_s: float = 5.0) -> None:
        self._source, self._patience_s = source, patience_s
        self._ready = threading.Condition()
        self._frame: Frame | None = None
        self._error: SourceError | None = None
        self._open = True
        self._thread = threading.Thread(target=self._follow, name="camera", daemon=True)
        self._thread.start()

    def read(self) -> Frame:
        """The newest picture that was not given out before."""
        with self._ready:
            arrived = self._ready.wait_for(
                lambda: self._frame is not None or self._error is not None, self._patience_s
            )
            if self._frame is not None:
                frame, self._frame = self._frame, None
                return frame
            if self._error is not None:
                raise self._error
            assert not arrived
            raise SourceError("camera", f"gave no picture for {self._patience_s:g} s")

    def close(self) -> None:
        """Ends the thread and closes the source."""
        with self._ready:
            self._open = False
        self._source.close()
        self._thread.join(2.0)

    def now_s(self, frame: Frame) -> float:
        """The live source's clock."""
        return self._source.now_s(frame)

    def _follow(self) -> None:
        while self._open:
            try:
                frame = self._source.read()
            except SourceError as error:
                with self._ready:
                    self._error = error
                    self._ready.notify_all()
                return
            with self._ready:
                self._frame = frame
                self._ready.notify_all()


class SyntheticTable(Source):
    """The simulated camera: draws whatever lies on the table when it is asked."""

    def __init__(self, renderer: Renderer, *, fps: float = 10.0, seed: int = 0) -> None:
        self._renderer, self._step_s = renderer, 1 / fps
        self._rng = np.random.default_rng(seed)
        self._placed: tuple[PlacedTile, ...] = ()
        self._hands: tuple[Hand, ...] = ()
        self._dice: tuple[int, ...] = ()
        self._time_s = 0.0

    def use(self, renderer: Renderer) -> None:
        """Draws with another renderer from now on, as after a knock against the camera."""
        self._renderer = renderer

    def show(
        self,
        placed: Sequence[PlacedTile],
        *,
        hands: Sequence[Hand] = (),
        dice: Sequence[int] = (),
    ) -> None:
        """What the next pictures show."""
        self._placed, self._hands, self._dice = tuple(placed), tuple(hands), tuple(dice)

    def read(self) -> Frame:
        """A picture of the table now."""
        drawn = self._renderer.draw(
            self._placed, self._rng, hands=self._hands, dice=self._dice, with_truth=False
        )
        self._time_s += self._step_s
        return Frame(drawn.image, self._time_s)


def open_source(
    address: str,
    *,
    size_px: tuple[int, int] = (1920, 1080),
    fps: float = 10.0,
    clock: Clock = time.monotonic,
) -> Source:
    """The source an address names: ``/dev/video0``, ``rpicam://``, a folder or a video file."""
    if address.startswith("/dev/video") or address.isdecimal():
        return Newest(UsbCamera(address, size_px=size_px, fps=fps, clock=clock))
    if address == "rpicam://":
        return Newest(RpicamPipe(size_px=size_px, fps=fps, clock=clock))
    path = Path(address)
    if path.is_dir():
        return ImageFolder(path, fps=fps)
    if path.is_file():
        return VideoFile(path)
    raise SourceError(address, "is no camera (/dev/video0, rpicam:), folder or video file")


def frames(source: Source) -> Iterator[Frame]:
    """All pictures until the source comes to its end."""
    with contextlib.suppress(NoMoreFramesError):
        while True:
            yield source.read()


class FaultKind(StrEnum):
    """What can be wrong with a picture."""

    STALE = "stale"
    FROZEN = "frozen"
    DARK = "dark"
    BRIGHT = "bright"
    BLURRED = "blurred"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class FrameFault:
    """Something wrong with a picture: what was measured, what it may be, what to do."""

    kind: FaultKind
    value: float
    limit: float
    hint: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.value:.3g}, limit {self.limit:.3g}; {self.hint}"


class FrameCheck:
    """Looks at each picture before it is read."""

    def __init__(
        self, limits: FrameLimits | None = None, *, size_px: tuple[int, int] | None = None
    ) -> None:
        self._limits, self._size_px = limits or FrameLimits(), size_px
        self._last: tuple[float, int] | None = None

    def faults(self, frame: Frame, now_s: float) -> list[FrameFault]:
        """All that is wrong with this picture, ``now_s`` on its source's clock."""
        limits, found = self._limits, []
        age_s = now_s - frame.time_s
        if age_s > limits.age_s:
            hint = "the camera or the computer is too slow"
            found.append(FrameFault(FaultKind.STALE, age_s, limits.age_s, hint))
        height, width = frame.image.shape[:2]
        if self._size_px is not None and (width, height) != self._size_px:
            wanted = f"{self._size_px[0]} x {self._size_px[1]}"
            hint = f"calibrated for {wanted} pixels, the picture has {width} x {height}"
            found.append(FrameFault(FaultKind.SIZE, width, self._size_px[0], hint))
        grey = small_grey(frame.image)
        level = float(np.median(grey))
        if level < limits.dark:
            hint = "switch on the lamp, uncover the lens or raise the exposure"
            found.append(FrameFault(FaultKind.DARK, level, limits.dark, hint))
        burnt = float((grey >= 250).mean())
        if burnt > limits.bright:
            hint = "lower the exposure or move the lamp"
            found.append(FrameFault(FaultKind.BRIGHT, burnt, limits.bright, hint))
        sharp = focus(frame.image)
        if sharp < limits.focus and level >= limits.dark:
            hint = "focus the lens and clean it"
            found.append(FrameFault(FaultKind.BLURRED, sharp, limits.focus, hint))
        return found + self._frozen(frame)

    def _frozen(self, frame: Frame) -> list[FrameFault]:
        """A live sensor never gives the same picture twice."""
        mark = hash(frame.image[::16, ::16].tobytes())
        last, self._last = self._last, (frame.time_s, mark)
        if last is None or last[1] != mark or last[0] == frame.time_s:
            return []
        hint = "the same picture came again; the camera hangs"
        return [FrameFault(FaultKind.FROZEN, frame.time_s - last[0], 0.0, hint)]


def small_grey(image: Picture, width_px: int = 480) -> Picture:
    """The picture in grey, shrunk by averaging."""
    height_px = max(1, round(image.shape[0] * width_px / image.shape[1]))
    small = cv2.resize(image, (width_px, height_px), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)


def focus(image: Picture) -> float:
    """How sharp the sharpest edges are: the steepest steps between neighbours, as a share of the
    picture's whole contrast. Noise is averaged out first by halving the picture."""
    half = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(half, cv2.COLOR_BGR2GRAY)
    step = np.abs(cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3)) / 4
    low, high = np.percentile(grey[::4, ::4], (0.5, 99.5))
    return float(np.percentile(step[::2, ::2], 99.7) / max(high - low, 1.0))
