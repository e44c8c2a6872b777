"""The camera by itself: focal length and distortion from pictures of the printed board.

    result = calibrate_camera(pictures)
    result.lens, result.qualities, result.picture

Hold the board in front of the camera ten times or more: near and far, in every corner, tilted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BoardSpec
from calibration.paint import arrow, canvas, label
from calibration.profile import LensPart
from calibration.quality import CalibrationError, Quality

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]

LEAST_CORNERS = 12
GRID = (6, 4)  # cells of the picture in which corners should have been seen
MAGNIFY = 60.0  # of the error arrows in the picture


@dataclass(frozen=True, slots=True)
class CameraLimits:
    """What a good camera calibration keeps."""

    views: int = 8
    error_px: float = 0.5
    coverage: float = 0.75
    tilt_deg: float = 15.0  # without tilted boards focal length and distance look alike


@dataclass(frozen=True, slots=True, eq=False)
class BoardView:
    """The board's corners found in one picture."""

    numbers: NDArray[np.int32]
    board_mm: Points
    seen_px: Points


@dataclass(frozen=True, slots=True, eq=False)
class CameraResult:
    """The measured lens, how good it is, and a picture that shows it."""

    lens: LensPart
    qualities: tuple[Quality, ...]
    picture: Picture


def find_board(image: Picture, spec: BoardSpec | None = None) -> BoardView | None:
    """The board in one picture, or None when too little of it is seen."""
    board = (spec or BoardSpec()).board()
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    corners, numbers, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(grey)
    if numbers is None or len(numbers) < LEAST_CORNERS:
        return None
    at = np.array(board.getChessboardCorners())[numbers.ravel()]
    return BoardView(
        np.asarray(numbers, np.int32).ravel(),
        np.asarray(at, np.float64),
        np.asarray(corners, np.float64).reshape(-1, 2),
    )


def calibrate_camera(
    pictures: Sequence[Picture],
    spec: BoardSpec | None = None,
    limits: CameraLimits | None = None,
    *,
    at: str = "",
) -> CameraResult:
    """Measures the lens from pictures of the board."""
    limits = limits or CameraLimits()
    sizes = {picture.shape[1::-1] for picture in pictures}
    if len(sizes) != 1:
        raise CalibrationError(f"all pictures must have one size; these have {sorted(sizes)}")
    ((width, height),) = sizes
    found = [find_board(picture, spec) for picture in pictures]
    views = [view for view in found if view is not None]
    if len(views) < 4:
        raise CalibrationError(
            f"the board can be seen in {len(views)} of {len(pictures)} pictures; at least 4 are"
            " needed: more light, the whole board in the picture, no glare on it"
        )
    views, error_px, matrix, distortion, poses = fit(views, (width, height))
    residuals = [
        seen_again(view, matrix, distortion, pose) - view.seen_px
        for view, pose in zip(views, poses, strict=True)
    ]
    qualities = (
        Quality("views of the board", len(views), limits.views, at_least=True),
        Quality("reprojection error", error_px, limits.error_px, "px"),
        Quality(
            "picture covered", coverage(views, (width, height)), limits.coverage, at_least=True
        ),
        Quality("steepest tilt", steepest(poses), limits.tilt_deg, "degrees", at_least=True),
    )
    k1, k2, p1, p2, k3 = (float(value) for value in distortion.ravel()[:5])
    lens = LensPart(
        at=at,
        qualities=qualities,
        size_px=(width, height),
        focal_px=(float(matrix[0, 0]), float(matrix[1, 1])),
        centre_px=(float(matrix[0, 2]), float(matrix[1, 2])),
        distortion=(k1, k2, p1, p2, k3),
    )
    return CameraResult(lens, qualities, portrait(views, residuals, (width, height), qualities))


class BoardCollector:
    """Takes pictures from a live camera while somebody moves the board about.

        collector = BoardCollector()
        while not collector.is_complete:
            say(collector.offer(source.read().image))
        result = calibrate_camera(collector.pictures)

    It keeps a picture when the board lies still, elsewhere or otherwise than in those it has.
    """

    def __init__(self, spec: BoardSpec | None = None, limits: CameraLimits | None = None) -> None:
        self._spec, self._limits = spec or BoardSpec(), limits or CameraLimits()
        self._views: list[BoardView] = []
        self._last: BoardView | None = None
        self._size_px = (1, 1)
        self.pictures: list[Picture] = []

    @property
    def coverage(self) -> float:
        """The share of the picture in which the board has been."""
        return coverage(self._views, self._size_px) if self._views else 0.0

    @property
    def is_complete(self) -> bool:
        """Whether enough has been seen."""
        enough = len(self._views) >= self._limits.views
        return enough and self.coverage >= self._limits.coverage

    def offer(self, picture: Picture) -> str:
        """Looks at one more picture and says what to do next."""
        self._size_px = (picture.shape[1], picture.shape[0])
        view, last = find_board(picture, self._spec), self._last
        self._last = view
        if view is None:
            return "show the whole board"
        if last is None or apart_px(view, last) > STILL_PX:
            return "hold it still"
        if any(apart_px(view, kept) < NEW_PLACE_PX for kept in self._views):
            return self._where_next()
        self._views.append(view)
        self.pictures.append(picture)
        return f"taken: {len(self.pictures)}; {self._where_next()}"

    def _where_next(self) -> str:
        """Where the board has not been yet."""
        if self.is_complete:
            return "that is enough"
        if not self._views:
            return "hold it anywhere"
        points = np.concatenate([view.seen_px for view in self._views]) / np.array(self._size_px)
        empty = {
            "upper left": (0, 0),
            "upper right": (1, 0),
            "lower left": (0, 1),
            "lower right": (1, 1),
        }
        for name, corner in empty.items():
            if (np.abs(points - np.array(corner)).max(axis=1) > 0.3).all():
                return f"move it to the {name}"
        return "tilt it, and come nearer or go farther"


STILL_PX = 1.5
NEW_PLACE_PX = 60.0


def apart_px(one: BoardView, other: BoardView) -> float:
    """How far the board's corners have moved, in the mean of those seen in both pictures."""
    both, mine, theirs = np.intersect1d(one.numbers, other.numbers, return_indices=True)
    if len(both) < LEAST_CORNERS:
        return float("inf")
    return float(np.hypot(*(one.seen_px[mine] - other.seen_px[theirs]).T).mean())


Pose = tuple[Points, Points]


def fit(
    views: list[BoardView], size_px: tuple[int, int]
) -> tuple[list[BoardView], float, Points, Points, list[Pose]]:
    """Focal length, centre and distortion; views much worse than the rest are left out once."""
    for _ in range(2):
        error, matrix, distortion, turns, shifts, _, _, errors = cv2.calibrateCameraExtended(
            [view.board_mm.astype(np.float32) for view in views],
            [view.seen_px.astype(np.float32) for view in views],
            size_px,
            np.eye(3),
            np.zeros(5),
            flags=cv2.CALIB_FIX_K3,
        )
        good = errors.ravel() <= max(3 * float(np.median(errors)), 0.3)
        if good.all() or good.sum() < 4:
            break
        views = [view for view, keep in zip(views, good, strict=True) if keep]
    poses = [
        (np.asarray(turn, np.float64), np.asarray(shift, np.float64))
        for turn, shift in zip(turns, shifts, strict=True)
    ]
    return views, float(error), np.asarray(matrix), np.asarray(distortion), poses


def seen_again(view: BoardView, matrix: Points, distortion: Points, pose: Pose) -> Points:
    """Where the measured lens should have seen the corners."""
    again, _ = cv2.projectPoints(view.board_mm, pose[0], pose[1], matrix, distortion)
    return np.asarray(again, np.float64).reshape(-1, 2)


def coverage(views: Sequence[BoardView], size_px: tuple[int, int]) -> float:
    """The share of the picture's cells in which a corner was seen."""
    points = np.concatenate([view.seen_px for view in views])
    cells = np.clip(points * np.array(GRID) / np.array(size_px), 0, np.array(GRID) - 1).astype(int)
    return len({(x, y) for x, y in cells.tolist()}) / (GRID[0] * GRID[1])


def steepest(poses: Sequence[Pose]) -> float:
    """How far the most tilted board was from facing the camera, in degrees."""
    normals = [cv2.Rodrigues(turn)[0][:, 2] for turn, _ in poses]
    return max(float(np.degrees(np.arccos(min(1.0, abs(normal[2]))))) for normal in normals)


def portrait(
    views: Sequence[BoardView],
    residuals: Sequence[Points],
    size_px: tuple[int, int],
    qualities: Sequence[Quality],
) -> Picture:
    """All corners seen, each with its error enlarged, on the empty picture."""
    image = canvas(size_px)
    for column in range(1, GRID[0]):
        x = round(size_px[0] * column / GRID[0])
        cv2.line(image, (x, 0), (x, size_px[1]), (70, 70, 70), 1)
    for row in range(1, GRID[1]):
        y = round(size_px[1] * row / GRID[1])
        cv2.line(image, (0, y), (size_px[0], y), (70, 70, 70), 1)
    for view, errors in zip(views, residuals, strict=True):
        for point, error in zip(view.seen_px, errors, strict=True):
            far = float(np.hypot(*error))
            colour = (90, 220, 90) if far < 0.5 else (60, 200, 240) if far < 1 else (60, 60, 240)
            arrow(image, point, point + error * MAGNIFY, colour)
    return label(image, [*map(str, qualities), f"arrows: errors, {MAGNIFY:g} times enlarged"])
