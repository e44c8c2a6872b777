"""From pictures to scenes: wait until hands are out and the picture is still, let several frames
agree, and say in table millimetres what lies where.

    watcher = Watcher(camera, table, reader)
    for frame in frames(source):
        scene = watcher.feed(frame)  # a Scene when there is something new to say

A watcher needs a detector, anything with ``detect(image) -> list[Detection]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.frames import Frame, Picture, small_grey
from vision.types import Detection, Scene, Sighting, ZoneKind, mixed
from vision.values import SceneSettings as SceneSettings
from vision.values import Stillness as Stillness
from vision.zones import TableGeometry

SMALL_PX = 320  # width of the picture in which motion is sought


class Detector(Protocol):
    """Finds and reads the tiles of a picture."""

    def detect(self, image: Picture) -> list[Detection]: ...


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the picture, in pixels."""

    left: int
    top: int
    right: int
    bottom: int

    def holds(self, point: NDArray[np.float64], slack: float = 0.0) -> bool:
        """Whether the point lies in it."""
        return bool(
            self.left - slack <= point[0] < self.right + slack
            and self.top - slack <= point[1] < self.bottom + slack
        )

    def meets(self, other: Box, gap: int) -> bool:
        """Whether the boxes are nearer than the gap."""
        return (
            self.left - gap < other.right
            and other.left - gap < self.right
            and self.top - gap < other.bottom
            and other.top - gap < self.bottom
        )

    def with_other(self, other: Box) -> Box:
        """The box around both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


class Watcher:
    """Watches one table. Feed it every frame; it answers with a scene when one is ready."""

    def __init__(
        self,
        camera: CameraModel,
        table: TableGeometry,
        detector: Detector,
        settings: SceneSettings | None = None,
    ) -> None:
        self._camera, self._table, self._detector = camera, table, detector
        self._settings = settings or SceneSettings()
        self._last: NDArray[np.int16] | None = None
        self._told: NDArray[np.int16] | None = None  # the picture of the last scene
        self._scene: Scene | None = None
        self._readings: list[list[Sighting]] = []
        self._arm_since_s: float | None = None
        self._read_around_arm = False
        self._read_whole = True
        # Where a whole picture is cut, so that another look is not blind in the same places: the
        # locator's cells are 7.5 pixels of a 1080-line picture.
        self._shift_px = 0
        self._whole_s = 0.0  # when the whole picture was last read
        # Arms come in over the edge and reach to where the flowers lie or farther; tiles that
        # changed at the edge, as melds do, stay there.
        self._border = beyond(camera, table.melds_to_mm + 8, picture_edge=True)
        self._inner = ~beyond(camera, table.flowers_from_mm + table.tile.length_mm)
        self._no_arms = False
        self._mm2_per_px = mm2_per_px(camera)
        self._tile_px = tile_px(camera, table)
        self._felt = felt_box(camera, table)
        self.state = Stillness.MOVING

    @property
    def felt_px(self) -> int:
        """How many pixels a whole reading looks at."""
        return (self._felt.right - self._felt.left) * (self._felt.bottom - self._felt.top)

    def feed(self, frame: Frame, *, always: bool = False) -> Scene | None:
        """Looks at one more frame; a scene when enough still frames agree on it.

        A table that has not changed since the last scene is read only now and then, unless
        ``always`` asks for it.
        """
        small = steady(small_grey(frame.image, SMALL_PX))
        last, self._last = self._last, small
        if last is not None and self._changed(last, small):
            self._wait(Stillness.MOVING)
            return None
        arms = self._arms(small)
        rested_s = self._rested_s(frame.time_s, arms is not None)
        if arms is not None and rested_s < self._settings.patience_s:
            self._wait(Stillness.ARM_OVER_TABLE)
            return None
        self.state = Stillness.STILL
        if not (always or self._readings or self._is_due(frame.time_s, small)):
            return None
        self._readings.append(self._read_changes(frame, small))
        if len(self._readings) < self._settings.agree:
            return None
        sightings = agreed(self._readings, self._settings)
        unsure = [
            *disputed(self._readings, self._settings),
            *filter(self._is_unsure, sightings),
            *self._lost(sightings),
        ]
        sightings = self._look_closer(frame.image, sightings, unsure)
        if self._read_whole:
            self._whole_s = frame.time_s
        if arms is not None and self._scene is not None:
            sightings += self._under(arms, sightings)
        scene = Scene(frame.time_s, tuple(sightings), len(self._readings))
        self._scene, self._readings, self._no_arms = scene, [], False
        self._read_around_arm = arms is not None
        if arms is None or rested_s > self._settings.absorb_s:
            self._told = small
        return scene

    def _read_changes(self, frame: Frame, small: NDArray[np.int16]) -> list[Sighting]:
        """The tiles now: parts of the picture that have not changed since the last scene are not
        read again, except now and then, so that no mistake lasts.

        Whoever looks again at a table that has not changed doubts the last scene: all is read anew.
        """
        changes = self._changes(small)
        boxes = None if changes is None else self._changed_boxes(changes)
        stale = frame.time_s - self._whole_s >= self._settings.reread_s
        self._read_whole = not boxes or stale or self._read_around_arm
        if boxes is not None and not boxes and not self._readings:
            self._shift_px = (self._shift_px + 3) % 8
        if self._read_whole or self._scene is None or boxes is None or changes is None:
            return self.read(frame.image)
        edge = round(2.5 * self._tile_px)
        fresh = [sighting for box in boxes for sighting in self._read_part(frame.image, box, edge)]
        kept = [
            sighting
            for sighting in self._scene.sightings
            if nearest(sighting, fresh, self._settings) is None
            and not (self._is_inside(sighting, boxes) and self._has_changed(sighting, changes))
        ]
        return kept + fresh

    def _is_unsure(self, sighting: Sighting) -> bool:
        """A face that is not read well, and was not looked at more closely before."""
        if sighting.confidence >= self._settings.closer_below:
            return False
        before = nearest(sighting, self._scene.sightings if self._scene else (), self._settings)
        return before is None or before.confidence != sighting.confidence

    def _lost(self, sightings: Sequence[Sighting]) -> list[Sighting]:
        """Tiles of the last scene that are not seen any more, unless the table was cleared."""
        before = self._scene.sightings if self._scene else ()
        lost = [seen for seen in before if nearest(seen, sightings, self._settings) is None]
        return lost if len(lost) <= self._settings.closer_most else []

    def _look_closer(
        self, image: Picture, sightings: list[Sighting], unsure: Sequence[Sighting]
    ) -> list[Sighting]:
        """The tiles round unsure ones as the best of several cuts of the picture shows them.

        Two neighbors of one face are now and then taken for one tile between them, or overlooked;
        which cut that happens in depends on where the cut begins.
        """
        boxes = [self._round_about(sighting) for sighting in unsure[: self._settings.closer_most]]
        for box in merged(boxes, 0):
            shown = [sighting for sighting in sightings if self._is_inside(sighting, [box])]
            others = [sighting for sighting in sightings if sighting not in shown]
            cuts = [
                [
                    sighting
                    for sighting in self._read_part(image, box, round(tiles * self._tile_px))
                    if nearest(sighting, others, self._settings) is None
                ]
                for tiles in self._settings.closer_edges
            ]
            sightings = others + max([shown, *cuts], key=clearness)
        return sightings

    def _round_about(self, sighting: Sighting) -> Box:
        """The part of the picture that holds a tile and the middles of its neighbors."""
        x, y = self._spot_px(sighting)
        reach = 1.6 * self._tile_px
        return Box(*(round(edge) for edge in (x - reach, y - reach, x + reach, y + reach)))

    def _read_part(self, image: Picture, box: Box, edge: int) -> list[Sighting]:
        """The tiles whose middle lies in this part of the picture; the detector sees a little more,
        so that it has whole tiles and what lies round them."""
        left, top = max(0, box.left - edge), max(0, box.top - edge)
        part = image[top : box.bottom + edge, left : box.right + edge]
        found = [
            moved_detection(detection, left, top)
            for detection in self._detector.detect(np.ascontiguousarray(part))
        ]
        size = 1.6 * self._tile_px
        inside = [
            detection
            for detection in found
            if box.holds(np.mean(detection.quad_px, axis=0), slack=4.0)
            and self._tile_px / 1.6 < short_side(detection) < size
        ]
        return to_sightings(inside, self._camera, self._table)

    def _changes(self, small: NDArray[np.int16]) -> NDArray[np.uint8] | None:
        """Where the small picture differs from the last scene's."""
        if self._told is None or self._scene is None:
            return None
        changed = np.abs(self._told - small) > self._settings.part_levels
        return np.asarray(changed, np.uint8)

    def _changed_boxes(self, changes: NDArray[np.uint8]) -> list[Box] | None:
        """The parts of the picture in which something changed; None when it is too much."""
        factor = self._camera.width_px / SMALL_PX
        reach = 2 * round(1.2 * self._tile_px / factor) + 1
        grown = cv2.dilate(changes, np.ones((reach, reach), np.uint8))
        if grown.mean() > self._settings.part_share:
            return None
        count, _, stats, _ = cv2.connectedComponentsWithStats(grown)
        boxes = [
            Box(*(round(float(value) * factor) for value in (x, y, x + width, y + height)))
            for x, y, width, height, _ in stats[1:count]
        ]
        boxes = merged(boxes, round(3 * self._tile_px))
        area = sum((box.right - box.left) * (box.bottom - box.top) for box in boxes)
        share = area / (self._camera.width_px * self._camera.height_px)
        return boxes if share <= self._settings.part_share else None

    def _spot_px(self, sighting: Sighting) -> NDArray[np.float64]:
        """Where the middle of the tile's face is in the picture."""
        layer = 2 if sighting.zone.kind is ZoneKind.WALL else 1
        height = layer * self._table.tile.thickness_mm
        spots = self._camera.project(np.array([[*sighting.centre_mm, height]]))
        return np.asarray(spots[0], np.float64)

    def _has_changed(self, sighting: Sighting, changes: NDArray[np.uint8]) -> bool:
        """Whether the picture differs where the tile lies; one that looks as before is there."""
        factor = self._camera.width_px / SMALL_PX
        column, row = (int(value) for value in self._spot_px(sighting) / factor)
        reach = round(0.5 * self._tile_px / factor)
        part = changes[
            max(0, row - reach) : row + reach + 1, max(0, column - reach) : column + reach + 1
        ]
        return bool(part.any())

    def _is_inside(self, sighting: Sighting, boxes: Sequence[Box]) -> bool:
        """Whether the tile's face lies in one of the parts."""
        spot = self._spot_px(sighting)
        return any(box.holds(spot) for box in boxes)

    def settle(self, *, no_arms: bool = False) -> None:
        """Takes the next frame as still, for a source that shows a new table without motion; and,
        if that is known, takes no change for an arm until the next scene."""
        self._last = None
        self._readings = []
        self._no_arms = no_arms

    def read(self, image: Picture) -> list[Sighting]:
        """The tiles of one picture in table millimetres, without waiting for anything."""
        return self._read_part(image, self._felt, edge=self._shift_px)

    def _wait(self, state: Stillness) -> None:
        """The picture is no good: what was read of it so far does not count."""
        self.state = state
        self._readings = []

    def _is_due(self, time_s: float, small: NDArray[np.int16]) -> bool:
        """Whether the table has changed since the last scene or was not read for long."""
        if self._told is None or self._scene is None:
            return True
        if self._read_around_arm and self._arm_since_s is None:
            return True  # the arm is gone: see what it hid
        waited_s = time_s - self._scene.time_s
        return waited_s >= self._settings.reread_s or self._changed(self._told, small)

    def _changed(self, one: NDArray[np.int16], other: NDArray[np.int16]) -> bool:
        changed = np.abs(one - other) > self._settings.changed_levels
        return int(changed.sum()) >= self._settings.moving_px

    def _arms(self, small: NDArray[np.int16]) -> NDArray[np.bool_] | None:
        """Where arms lie over the table: large changes that reach in from its border."""
        if self._told is None or self._no_arms:
            return None
        changed = (np.abs(self._told - small) > self._settings.changed_levels).astype(np.uint8)
        closed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        count, parts, stats, _ = cv2.connectedComponentsWithStats(closed)
        arms = np.zeros(changed.shape, np.bool_)
        for part in range(1, count):
            inside = parts == part
            area = float(stats[part, cv2.CC_STAT_AREA]) * self._mm2_per_px
            crosses = (inside & self._border).any() and (inside & self._inner).any()
            if area >= self._settings.arm_mm2 and crosses:
                arms |= inside
        return arms if arms.any() else None

    def _rested_s(self, time_s: float, arm_over_table: bool) -> float:
        """How long an arm has been lying over the table."""
        if not arm_over_table:
            self._arm_since_s = None
        elif self._arm_since_s is None:
            self._arm_since_s = time_s
        return 0.0 if self._arm_since_s is None else time_s - self._arm_since_s

    def _under(self, arms: NDArray[np.bool_], seen: Sequence[Sighting]) -> list[Sighting]:
        """Tiles of the last scene that an arm hides now; they are covered, not gone."""
        assert self._scene is not None
        grown = cv2.dilate(arms.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
        hidden = []
        for sighting in self._scene.sightings:
            point = np.array([[*sighting.centre_mm, self._table.tile.thickness_mm]])
            spot = self._camera.project(point)[0] * (SMALL_PX / self._camera.width_px)
            column, row = (int(value) for value in spot)
            inside = 0 <= row < grown.shape[0] and 0 <= column < grown.shape[1]
            if inside and grown[row, column] and nearest(sighting, seen, self._settings) is None:
                hidden.append(replace(sighting, is_covered=True))
        return hidden


def steady(grey: Picture) -> NDArray[np.int16]:
    """The small picture without the lamp's flicker: its median becomes zero."""
    level = np.int16(np.median(grey))
    return np.asarray(grey.astype(np.int16) - level, np.int16)


def merged(boxes: Sequence[Box], gap: int) -> list[Box]:
    """Boxes near each other as one; it is cheaper to read them together."""
    left = list(boxes)
    apart: list[Box] = []
    while left:
        box = left.pop()
        near = next((other for other in left if box.meets(other, gap)), None)
        if near is None:
            apart.append(box)
        else:
            left.remove(near)
            left.append(box.with_other(near))
    return apart


def felt_box(camera: CameraModel, table: TableGeometry) -> Box:
    """The part of the picture in which tiles may lie."""
    reach = table.melds_to_mm + table.tile.length_mm
    corners = [(x, y, 0.0) for x in (-reach, 0, reach) for y in (-reach, 0, reach)]
    seen = camera.project(np.array(corners))
    size = np.array([camera.width_px, camera.height_px])
    low = np.clip(np.floor(seen.min(axis=0)), 0, size).astype(int)
    high = np.clip(np.ceil(seen.max(axis=0)), 0, size).astype(int)
    return Box(int(low[0]), int(low[1]), int(high[0]), int(high[1]))


def tile_px(camera: CameraModel, table: TableGeometry) -> float:
    """The short side of a tile in the middle of the table, in pixels."""
    above_mm = float(camera.eye_mm[2]) - table.tile.thickness_mm
    return camera.focal_px[0] * table.tile.width_mm / above_mm


def short_side(detection: Detection) -> float:
    """The shorter side of what was found, in pixels."""
    quad = np.array(detection.quad_px)
    return float(min(np.hypot(*(quad[1] - quad[0])), np.hypot(*(quad[2] - quad[1]))))


def moved_detection(detection: Detection, right: float, down: float) -> Detection:
    """A detection of a part, in pixels of the whole picture."""
    x, y, width, height = detection.box_px
    return replace(
        detection,
        box_px=(x + right, y + down, width, height),
        quad_px=tuple((corner[0] + right, corner[1] + down) for corner in detection.quad_px),
    )


def beyond(camera: CameraModel, half_mm: float, *, picture_edge: bool = False) -> NDArray[np.bool_]:
    """Pixels of the small picture that lie outside a square on the felt; the outermost pixels too,
    if asked for."""
    factor = SMALL_PX / camera.width_px
    small = camera.scaled(factor)
    y, x = np.mgrid[0 : small.height_px, 0:SMALL_PX]
    pixels = np.stack([x.ravel(), y.ravel()], axis=1).astype(np.float64)
    points = small.to_table(pixels, 0.0)
    mask = (np.abs(points).max(axis=1) > half_mm).reshape(x.shape)
    if picture_edge:
        mask[[0, -1]] = True
        mask[:, [0, -1]] = True
    return np.asarray(mask)


def mm2_per_px(camera: CameraModel) -> float:
    """How much felt one pixel of the small picture covers."""
    middle = np.array([[camera.width_px / 2, camera.height_px / 2]])
    step = np.array([[camera.width_px / SMALL_PX, 0.0]])
    across = camera.to_table(np.concatenate([middle, middle + step]))
    return float(np.hypot(*(across[1] - across[0]))) ** 2


def to_sightings(
    detections: Sequence[Detection], camera: CameraModel, table: TableGeometry
) -> list[Sighting]:
    """Detections on the calibrated table. Faces lie as high as a tile is thick; the wall's are
    seen one layer higher, or parallax would push them outward."""
    if not detections:
        return []
    quads = np.array([found.quad_px for found in detections], np.float64)
    thickness = table.tile.thickness_mm
    flat = camera.to_table(quads.reshape(-1, 2), thickness).reshape(-1, 4, 2)
    zones = [table.zone_of(_point(quad.mean(axis=0))) for quad in flat]
    walls = np.array([zone.kind is ZoneKind.WALL for zone in zones])
    if walls.any():
        upper = camera.to_table(quads[walls].reshape(-1, 2), 2 * thickness)
        flat[walls] = upper.reshape(-1, 4, 2)
    sightings = []
    for found, quad in zip(detections, flat, strict=True):
        centre = _point(quad.mean(axis=0))
        up = (quad[0] + quad[1] - quad[2] - quad[3]) / 2
        sightings.append(
            Sighting(
                label=found.label,
                confidence=found.confidence,
                centre_mm=centre,
                angle_deg=float(np.degrees(np.arctan2(-up[0], up[1])) % 360),
                zone=table.zone_of(centre),
                others=found.others,
                is_covered=found.is_covered,
            )
        )
    return sightings


def clearness(sightings: Sequence[Sighting]) -> float:
    """How well tiles are read: a sure one more counts for it, an unsure one against it."""
    return sum(sighting.confidence - 0.5 for sighting in sightings)


def agreed(readings: Sequence[Sequence[Sighting]], settings: SceneSettings) -> list[Sighting]:
    """What most frames saw; where they disagree, the competing labels are kept with it."""
    if len(readings) == 1:
        return list(readings[0])
    groups = grouped(readings, settings)
    most = len(readings) // 2 + 1
    return [combined(group, settings) for group in groups if len(group) >= most]


def disputed(readings: Sequence[Sequence[Sighting]], settings: SceneSettings) -> list[Sighting]:
    """Tiles that not all frames saw."""
    groups = grouped(readings, settings) if len(readings) > 1 else []
    return [group[0] for group in groups if len(group) < len(readings)]


def grouped(
    readings: Sequence[Sequence[Sighting]], settings: SceneSettings
) -> list[list[Sighting]]:
    """The readings of each tile together."""
    groups: list[list[Sighting]] = []
    for reading in readings:
        taken: set[int] = set()
        for sighting in reading:
            place = _group_of(sighting, groups, taken, settings)
            if place is None:
                groups.append([sighting])
                taken.add(len(groups) - 1)
            else:
                groups[place].append(sighting)
                taken.add(place)
    return groups


def combined(group: Sequence[Sighting], settings: SceneSettings) -> Sighting:
    """Several readings of one tile as one: labels by their mean probability, the place by its
    median, covered if most say so."""
    likeliest, *rest = mixed((sighting, 1 / len(group)) for sighting in group)
    # The likeliest label may be the first guess of no reading: then all say how the tile lies.
    same = [sighting for sighting in group if sighting.label == likeliest.label] or list(group)
    centre = np.median([sighting.centre_mm for sighting in group], axis=0)
    turns = np.radians([sighting.angle_deg for sighting in same])
    angle = np.degrees(np.arctan2(np.sin(turns).mean(), np.cos(turns).mean())) % 360
    return replace(
        same[0],
        label=likeliest.label,
        confidence=likeliest.confidence,
        centre_mm=_point(centre),
        angle_deg=float(angle),
        others=tuple(guess for guess in rest if guess.confidence >= settings.others_from),
        is_covered=sum(sighting.is_covered for sighting in group) * 2 > len(group),
    )


def nearest(
    sighting: Sighting, others: Sequence[Sighting], settings: SceneSettings
) -> Sighting | None:
    """The reading of the same tile among others, if there is one."""
    near = [other for other in others if distance(sighting, other) <= settings.match_mm]
    return min(near, key=lambda other: distance(sighting, other), default=None)


def distance(one: Sighting, other: Sighting) -> float:
    """Millimetres between two sightings."""
    return float(np.hypot(*np.subtract(one.centre_mm, other.centre_mm)))


def _group_of(
    sighting: Sighting,
    groups: Sequence[Sequence[Sighting]],
    taken: set[int],
    settings: SceneSettings,
) -> int | None:
    """The nearest group within reach that this frame has not added to yet."""
    reach = [
        (distance(sighting, group[0]), place)
        for place, group in enumerate(groups)
        if place not in taken
    ]
    best = min(reach, default=(np.inf, -1))
    return best[1] if best[0] <= settings.match_mm else None


def _point(values: NDArray[np.float64]) -> tuple[float, float]:
    x, y = (float(value) for value in values)
    return x, y
