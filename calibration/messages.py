"""What a table and the process that measures it say to each other; nothing here needs OpenCV."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.quality import Quality


@dataclass(frozen=True, slots=True)
class Begin:
    """Request: begin a step, on top of this profile."""

    step: str
    profile: bytes = b""  # as it is written to disk; empty: nothing was measured yet
    at: str = ""
    dice: int = 2
    order: str = ""  # tiles: how they lie
    tile_file: str = ""  # tiles: what the set's file is called
    runs: tuple[tuple[int, int, int], ...] = ()  # lifts: motor, stroke in ms, peak in mA
    readings: bytes = b""  # confidence: the confirmed ones, as they lie on disk


@dataclass(frozen=True, slots=True)
class Offer:
    """Request: look at one more picture."""

    jpeg: bytes


@dataclass(frozen=True, slots=True)
class Measure:
    """Request: measure from the pictures that were taken."""


@dataclass(frozen=True, slots=True)
class Print:
    """Request: the sheet that a step needs."""

    step: str


@dataclass(frozen=True, slots=True)
class Hint:
    """What to do next, and how far it is."""

    text: str
    taken: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """The step: the new profile, the tile set's file if there is one, numbers and picture."""

    profile: bytes
    tile_set: bytes
    qualities: tuple[Quality, ...]
    is_good: bool
    png: bytes


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """It cannot be done; says what to do."""

    why: str


@dataclass(frozen=True, slots=True)
class Printed:
    """A sheet, as PDF."""

    pdf: bytes


Answer = Hint | Measured | NotMeasured | Printed
