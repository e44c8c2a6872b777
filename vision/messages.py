"""What parent and vision process say to each other, and how it travels through a pipe."""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vision.types import PlacedTile, Scene
from vision.values import DiceReading, Drift, Stillness

if TYPE_CHECKING:
    from vision.render import Hand

HEADER = struct.Struct("<I")
LARGEST_MESSAGE = 64 << 20


@dataclass(frozen=True, slots=True)
class Timing:
    """Where the time of one answer went."""

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


def packed(message: object) -> bytes:
    """A message as it travels: its length, then its pickle. Both ends are our own code."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(len(content)) + content
