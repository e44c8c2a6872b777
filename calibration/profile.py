"""What was measured on one table, as a versioned file.

    profile = load_profile(path)
    camera = profile.camera_model()
    path.write_bytes(profile.save())

A profile is JSON that a person can read. Each part is measured by its own step and carries its own
qualities; a part that was never measured is absent. Nothing here writes files.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from calibration.quality import CalibrationError, Quality
from calibration.readings import Temperature
from vision.camera import CameraModel
from vision.values import DomeSpot, TagLayout

KIND = "mahjong-table profile"
VERSION = 1
# version -> how a profile of that version becomes one of the next
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}

Length = Annotated[float, Meta(ge=-5000, le=5000)]
Pixels = Annotated[int, Meta(ge=64, le=20000)]


class ProfileError(CalibrationError):
    """A profile cannot be used: the message names the file and the key."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every part says about itself."""

    at: str = ""  # when it was measured
    qualities: tuple[Quality, ...] = ()


class LensPart(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The camera by itself, from the printed board."""

    size_px: tuple[Pixels, Pixels]
    focal_px: tuple[float, float]
    centre_px: tuple[float, float]
    distortion: tuple[float, float, float, float, float]


class PlacePart(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the camera hangs over this table, and where the tags lie."""

    rotation: tuple[float, float, float]
    translation_mm: tuple[Length, Length, Length]
    tag_size_mm: Annotated[float, Meta(ge=10, le=200)]
    tag_height_mm: Annotated[float, Meta(ge=-20, le=200)]
    tag_centres_mm: dict[int, tuple[Length, Length]]


class DomePart(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the dice are thrown."""

    centre_mm: tuple[Length, Length]
    radius_mm: Annotated[float, Meta(ge=10, le=120)]
    die_mm: Annotated[float, Meta(ge=5, le=40)]
    height_mm: Annotated[float, Meta(ge=-20, le=100)]
    sure_from: Annotated[float, Meta(ge=0, le=1)]


class ConfidencePart(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the reader's probabilities are to be taken on this table."""

    temperature: Temperature
    sure_at: Annotated[float, Meta(ge=0, le=1)]
    readings: Annotated[int, Meta(ge=0)]


class TilesPart(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The club's own tile set: the file of its prototypes, beside the profile."""

    file: str


class StrokePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one motor does when all is well, learned over runs."""

    motor: str
    runs: Annotated[int, Meta(ge=1)]
    time_ms: float
    time_spread_ms: float
    current_ma: float
    current_limit_ma: float


class LiftsPart(Part, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Strokes and currents of lifts and drum."""

    strokes: tuple[StrokePart, ...]


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything measured on one table."""

    kind: str = KIND
    version: int = VERSION
    table: str = ""
    lens: LensPart | None = None
    place: PlacePart | None = None
    dome: DomePart | None = None
    tiles: TilesPart | None = None
    confidence: ConfidencePart | None = None
    lifts: LiftsPart | None = None

    def save(self) -> bytes:
        """The profile as it is written to disk."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    def camera_model(self) -> CameraModel:
        """Lens and place together: table millimetres to pixels and back."""
        if self.lens is None:
            raise ProfileError("the camera was never calibrated: mahjong-table calibrate camera")
        if self.place is None:
            raise ProfileError("the table was never calibrated: mahjong-table calibrate table")
        return CameraModel(
            width_px=self.lens.size_px[0],
            height_px=self.lens.size_px[1],
            focal_px=self.lens.focal_px,
            centre_px=self.lens.centre_px,
            distortion=self.lens.distortion,
            rotation=self.place.rotation,
            translation_mm=self.place.translation_mm,
        )

    def tag_layout(self) -> TagLayout:
        """Where the tags lie, as calibration saw them; the printed layout before that."""
        if self.place is None:
            return TagLayout()
        return TagLayout(
            size_mm=self.place.tag_size_mm,
            height_mm=self.place.tag_height_mm,
            centres_mm=self.place.tag_centres_mm,
        )

    def dome_spot(self) -> DomeSpot:
        """Where the dice are; the usual place before it was measured."""
        if self.dome is None:
            return DomeSpot()
        return DomeSpot(
            self.dome.centre_mm, self.dome.radius_mm, self.dome.die_mm, self.dome.height_mm
        )

    def qualities(self) -> tuple[Quality, ...]:
        """All numbers of all parts."""
        parts = (self.lens, self.place, self.dome, self.tiles, self.confidence, self.lifts)
        return tuple(quality for part in parts if part is not None for quality in part.qualities)


def load_profile(path: Path) -> Profile:
    """The profile in a file."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ProfileError(f"{path}: cannot be read: {error.strerror}") from error
    return parse_profile(content, str(path))


def parse_profile(content: bytes, name: str) -> Profile:
    """A profile from its bytes; ``name`` is what errors call it."""
    try:
        raw = msgspec.json.decode(content)
    except msgspec.DecodeError as error:
        raise ProfileError(f"{name}: is not JSON: {error}") from error
    if not isinstance(raw, dict) or raw.get("kind") != KIND:
        raise ProfileError(f"{name}: is not a calibration profile (kind is not {KIND!r})")
    version = raw.get("version")
    if not isinstance(version, int):
        raise ProfileError(f"{name}: version: is missing or not a number")
    if version > VERSION:
        raise ProfileError(
            f"{name}: version: {version} is newer than this program knows ({VERSION});"
            " update the program or calibrate again"
        )
    while version < VERSION:
        if version not in MIGRATIONS:
            raise ProfileError(f"{name}: version: {version} is not known; calibrate again")
        raw = MIGRATIONS[version](raw)
        version += 1
        raw["version"] = version
    try:
        return msgspec.convert(raw, Profile, str_keys=True)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        key = where.rstrip("`") or "profile"
        raise ProfileError(f"{name}: {key}: {what}") from error
