"""The club's own tile set: learned from one photo of it in a known order, measured on another.

result = calibrate_tiles(photo, order_of("1m 2m ..."), reader, name="club night", second=other)
result.tile_set.save(path)
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.paint import label
from calibration.profile import TilesPart
from calibration.quality import CalibrationError, Quality
from vision.classify import parse_label
from vision.read import Reader, annotate
from vision.tileset import TileSet, learn, reading_order
from vision.types import Detection

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TilesLimits:
    """What a usable tile set keeps."""

    right: float = 0.99  # of the tiles of the second photo
    separation: float = 0.02  # between the two most alike faces of the set
    doubts: int = 0  # tiles of the first photo that look like another than the order says


@dataclass(frozen=True, slots=True, eq=False)
class TilesResult:
    """The set, how well it is read, and the second photo as it was read."""

    tile_set: TileSet
    part: TilesPart
    qualities: tuple[Quality, ...]
    picture: Picture
    mistakes: tuple[str, ...]


def order_of(text: str) -> tuple[str, ...]:
    """Labels in the order in which they lie, from a line of text."""
    names = text.replace(",", " ").split()
    if not names:
        raise CalibrationError("the order names no tile; write it as 1m 2m 3m ... 7z")
    try:
        return tuple(parse_label(name) for name in names)
    except ValueError as error:
        raise CalibrationError(f"the order of the tiles: {error}") from error


def calibrate_tiles(
    photo: Picture,
    order: Sequence[str],
    reader: Reader,
    *,
    name: str,
    file: str = "",
    second: Picture | None = None,
    second_order: Sequence[str] | None = None,
    limits: TilesLimits | None = None,
    at: str = "",
) -> TilesResult:
    """Learns the set; without a second photo the numbers flatter, so take one."""
    limits = limits or TilesLimits()
    learned = learn(photo, reader.detect(photo), order, reader.classifier, name=name)
    measured, wanted = (photo, order) if second is None else (second, second_order or order)
    taught = copy(reader)
    taught.tile_set = learned.tile_set
    found = reading_order(taught.detect(measured))
    if len(found) != len(wanted):
        raise CalibrationError(
            f"the {'second ' if second is not None else ''}photo shows {len(found)} tiles,"
            f" {len(wanted)} were named; lay them in rows,"
            " none touching the edge of the picture"
        )
    mistakes = wrong_ones(found, wanted)
    qualities = (
        Quality(
            "tiles right on the second photo" if second is not None else "tiles right, same photo",
            1 - len(mistakes) / len(wanted),
            limits.right,
            at_least=True,
        ),
        Quality("nearest two faces apart", learned.separation, limits.separation, at_least=True),
        Quality("tiles that look otherwise than named", len(learned.doubts), limits.doubts),
    )
    doubts = tuple(
        f"tile {doubt.place + 1} was named {doubt.expected} and looks like {doubt.seen}"
        for doubt in learned.doubts
    )
    picture = label(
        np.asarray(annotate(measured, found), np.uint8), [*map(str, qualities), *mistakes, *doubts]
    )
    part = TilesPart(at=at, qualities=qualities, file=file)
    return TilesResult(learned.tile_set, part, qualities, picture, (*mistakes, *doubts))


def wrong_ones(found: Sequence[Detection], wanted: Sequence[str]) -> tuple[str, ...]:
    """What was read wrongly, in words."""
    return tuple(
        f"tile {place} is {name} and was read as {tile.label} ({tile.confidence:.2f})"
        for place, (tile, name) in enumerate(zip(found, wanted, strict=True), 1)
        if tile.label != name
    )
