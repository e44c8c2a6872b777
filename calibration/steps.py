"""The steps of a calibration by name, each from pictures or records to a better profile.

    step = measure_camera(profile, pictures, at=now)
    step.profile, step.qualities, step.picture, step.is_good
    pdf = PRINTS["camera"]()       # the sheet that a step needs, if it needs one

A step gives back a new profile and writes nothing. One that keeps its limits may be saved; one that
does not says in its qualities what is wrong, and the caller decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BoardSpec, board_pdf, tags_pdf
from calibration.camera import calibrate_camera
from calibration.confidence import calibrate_confidence
from calibration.dome import calibrate_dome
from calibration.lifts import StrokeRun, learn_strokes
from calibration.profile import Profile
from calibration.quality import Quality, all_good
from calibration.readings import Confirmed
from calibration.table import calibrate_table
from calibration.tiles import calibrate_tiles
from vision.read import Reader
from vision.tags import TagLayout
from vision.tileset import TileSet
from vision.zones import TableGeometry

Picture = NDArray[np.uint8]

PRINTS: Mapping[str, Callable[[], bytes]] = {"camera": board_pdf, "table": tags_pdf}
STEPS = ("camera", "table", "tiles", "dome", "lifts", "confidence")


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What a step measured: the profile with it, its numbers and the picture that shows them."""

    profile: Profile
    qualities: tuple[Quality, ...]
    picture: Picture
    tile_set: TileSet | None = None  # of the step ``tiles``: to be saved beside the profile

    @property
    def is_good(self) -> bool:
        """Whether every number keeps its limit."""
        return all_good(self.qualities)


def measure_camera(
    profile: Profile, pictures: Sequence[Picture], *, at: str, spec: BoardSpec | None = None
) -> Step:
    """The lens, from pictures of the printed board."""
    result = calibrate_camera(pictures, spec, at=at)
    # A new lens makes the old place worthless.
    changed = msgspec.structs.replace(profile, lens=result.lens, place=None)
    return Step(changed, result.qualities, result.picture)


def measure_table(
    profile: Profile,
    pictures: Sequence[Picture],
    *,
    at: str,
    layout: TagLayout | None = None,
    table: TableGeometry | None = None,
) -> Step:
    """Where the camera hangs, from pictures of the table with its tags."""
    known = layout or (profile.tag_layout() if profile.place else TagLayout())
    result = calibrate_table(pictures, profile.lens, known, table, at=at)
    changed = msgspec.structs.replace(profile, place=result.place)
    return Step(changed, result.qualities, result.picture)


def measure_dome(profile: Profile, pictures: Sequence[Picture], *, at: str, dice: int = 2) -> Step:
    """Where the dice are, from pictures of throws."""
    result = calibrate_dome(pictures, profile.camera_model(), count=dice, at=at)
    changed = msgspec.structs.replace(profile, dome=result.part)
    return Step(changed, result.qualities, result.picture)


def measure_tiles(
    profile: Profile,
    pictures: Sequence[Picture],
    order: Sequence[str],
    reader: Reader,
    *,
    at: str,
    name: str,
    file: str,
    second_order: Sequence[str] | None = None,
) -> Step:
    """The club's own set: the first picture teaches, the second, if there is one, measures."""
    second = pictures[1] if len(pictures) > 1 else None
    result = calibrate_tiles(
        pictures[0],
        order,
        reader,
        name=name,
        file=file,
        second=second,
        second_order=second_order,
        at=at,
    )
    changed = msgspec.structs.replace(profile, tiles=result.part)
    return Step(changed, result.qualities, result.picture, result.tile_set)


def measure_lifts(profile: Profile, runs: Iterable[StrokeRun], *, at: str) -> Step:
    """Strokes and currents, from what the board reported after strokes."""
    result = learn_strokes(runs, at=at)
    changed = msgspec.structs.replace(profile, lifts=result.part)
    return Step(changed, result.qualities, result.picture)


def measure_confidence(profile: Profile, confirmed: Sequence[Confirmed], *, at: str) -> Step:
    """Temperature and threshold, from readings that people confirmed."""
    result = calibrate_confidence(confirmed, at=at)
    changed = msgspec.structs.replace(profile, confidence=result.part)
    return Step(changed, result.qualities, result.picture)
