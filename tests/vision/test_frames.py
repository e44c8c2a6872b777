"""Frame sources and the checks of their pictures."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.fakes import PLAIN
from vision.camera import CameraModel
from vision.errors import NoMoreFramesError, SourceError
from vision.frames import (
    FaultKind,
    Frame,
    FrameCheck,
    ImageFolder,
    Newest,
    RpicamPipe,
    Source,
    SyntheticTable,
    VideoFile,
    focus,
    frames,
    open_source,
)
from vision.render import Look, Renderer
from vision.zones import TableGeometry

SMALL = CameraModel.above_table().scaled(0.5)
TABLE = TableGeometry()
TILES = [TABLE.pond_place(seat, index).of("5p") for seat in range(4) for index in range(6)]


def picture(level: int, size: tuple[int, int] = (64, 48)) -> np.ndarray:
    return np.full((size[1], size[0], 3), level, np.uint8)


@pytest.fixture(scope="module")
def sharp() -> np.ndarray:
    return Renderer(SMALL, Look()).draw(TILES, np.random.default_rng(0)).image


def test_a_folder_gives_its_pictures_in_order(tmp_path):
    for name, level in (("b.png", 20), ("a.jpg", 10), ("c.bmp", 30)):
        cv2.imwrite(str(tmp_path / name), picture(level))
    (tmp_path / "notes.txt").write_text("no picture")
    seen = list(frames(ImageFolder(tmp_path, fps=5)))
    assert [frame.name for frame in seen] == ["a.jpg", "b.png", "c.bmp"]
    assert [frame.time_s for frame in seen] == [0, 0.2, 0.4]
    assert [round(float(frame.image.mean()), -1) for frame in seen] == [10, 20, 30]


def test_a_damaged_picture_is_named(tmp_path):
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n nonsense")
    with pytest.raises(SourceError, match=r"broken\.png"):
        ImageFolder(tmp_path).read()


def test_a_folder_without_pictures_is_refused(tmp_path):
    with pytest.raises(SourceError, match="holds no pictures"):
        open_source(str(tmp_path))


def test_an_address_that_names_nothing_is_refused(tmp_path):
    with pytest.raises(SourceError, match="no camera"):
        open_source(str(tmp_path / "gone"))


def test_a_video_plays_by_its_own_clock(tmp_path):
    path = tmp_path / "table.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (64, 48))
    for level in (40, 80, 120):
        writer.write(picture(level))
    writer.release()
    with open_source(str(path)) as source:
        assert isinstance(source, VideoFile)
        seen = list(frames(source))
        with pytest.raises(NoMoreFramesError):
            source.read()
    assert [round(float(frame.image.mean()), -1) for frame in seen] == [40, 80, 120]
    assert [frame.time_s for frame in seen] == pytest.approx([0, 0.05, 0.1])


def test_a_file_that_is_no_video_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("no video")
    with pytest.raises(SourceError, match=r"notes\.txt"):
        open_source(str(path))


CAMERA_PROGRAM = """
import sys
import cv2, numpy as np
assert "--nopreview" in sys.argv and "mjpeg" in sys.argv
out = sys.stdout.buffer
for level in (40, 90, 140):
    _, packed = cv2.imencode(".jpg", np.full((48, 64, 3), level, np.uint8))
    data = packed.tobytes()
    out.write(data[:100]); out.flush(); out.write(data[100:]); out.flush()
    if level == 40:
        out.write(b"\\xff\\xd8 damaged \\xff\\xd9"); out.flush()
"""


def test_the_camera_pipe_skips_damaged_pictures_and_says_when_it_ends(tmp_path):
    program = tmp_path / "camera.py"
    program.write_text(CAMERA_PROGRAM)
    ticks = iter(range(100))
    command = (sys.executable, str(program))
    with RpicamPipe(command=command, clock=lambda: float(next(ticks))) as source:
        seen = [source.read() for _ in range(3)]
        assert [round(float(frame.image.mean()), -1) for frame in seen] == [40, 90, 140]
        assert [frame.time_s for frame in seen] == [0, 1, 2]
        with pytest.raises(SourceError, match="is a camera attached"):
            source.read()


def test_a_missing_camera_program_is_named():
    with pytest.raises(SourceError, match="no-such-camera"):
        RpicamPipe(command=("no-such-camera",))


class Stepped(Source):
    """Gives a picture whenever the test allows one."""

    def __init__(self) -> None:
        self.given, self.allowed, self.taken = 0, threading.Semaphore(0), threading.Semaphore(0)

    def read(self) -> Frame:
        self.allowed.acquire()
        self.given += 1
        if self.given > 5:
            raise SourceError("stepped", "unplugged")
        self.taken.release()
        return Frame(picture(self.given), float(self.given))


def test_a_slow_reader_gets_the_newest_picture():
    steps = Stepped()
    newest = Newest(steps)
    for _ in range(3):
        steps.allowed.release()
        steps.taken.acquire()
    steps.allowed.release()  # the thread has stored picture 3 once it asks for picture 4
    steps.taken.acquire()
    assert newest.read().time_s >= 3
    for _ in range(2):
        steps.allowed.release()
    with pytest.raises(SourceError, match="unplugged"):
        list(iter(newest.read, None))
    newest.close()


def test_a_silent_source_is_an_error():
    steps = Stepped()
    newest = Newest(steps, patience_s=0.01)
    with pytest.raises(SourceError, match="gave no picture"):
        newest.read()
    for _ in range(6):
        steps.allowed.release()
    newest.close()


def test_the_synthetic_table_shows_what_it_is_told():
    table = SyntheticTable(Renderer(SMALL, PLAIN))
    empty = table.read()
    table.show(TILES)
    full = table.read()
    assert full.time_s > empty.time_s
    assert np.abs(full.image.astype(int) - empty.image).max() > 100


def kinds(frame: Frame, check: FrameCheck | None = None, now_s: float | None = None):
    check = check or FrameCheck()
    return [fault.kind for fault in check.faults(frame, frame.time_s if now_s is None else now_s)]


def test_a_good_picture_has_no_faults(sharp):
    assert kinds(Frame(sharp, 1.0), FrameCheck(size_px=(960, 540))) == []


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda image: image // 12, FaultKind.DARK),
        (lambda image: np.clip(image.astype(int) * 6, 0, 255).astype(np.uint8), FaultKind.BRIGHT),
        (lambda image: cv2.GaussianBlur(image, (0, 0), 3.5), FaultKind.BLURRED),
    ],
)
def test_each_fault_is_told_alone(sharp, change, kind):
    assert kinds(Frame(change(sharp), 1.0)) == [kind]


def test_an_old_picture_is_stale(sharp):
    assert kinds(Frame(sharp, 1.0), now_s=2.5) == [FaultKind.STALE]


def test_a_picture_of_another_size_than_calibrated_is_told(sharp):
    (fault,) = FrameCheck(size_px=(1920, 1080)).faults(Frame(sharp, 0.0), 0.0)
    assert fault.kind is FaultKind.SIZE
    assert "1920 x 1080" in str(fault)


def test_a_camera_that_hangs_is_noticed(sharp):
    check = FrameCheck()
    assert kinds(Frame(sharp, 0.0), check) == []
    assert kinds(Frame(sharp, 0.5), check) == [FaultKind.FROZEN]
    moved = Renderer(SMALL, Look()).draw(TILES, np.random.default_rng(1)).image
    assert kinds(Frame(moved, 0.6), check) == []


@pytest.mark.parametrize("noise", [0.0, 2.0, 8.0])
def test_focus_falls_with_blur_and_not_with_noise(noise):
    values = []
    for blur in (0.3, 1.0, 2.0, 3.0):
        look = Look()
        look = replace(look, sensor=replace(look.sensor, blur_px=blur, noise=noise))
        values.append(focus(Renderer(SMALL, look).draw(TILES, np.random.default_rng(0)).image))
    assert values == sorted(values, reverse=True)
    assert values[0] > 0.6
    assert values[-1] < 0.42
