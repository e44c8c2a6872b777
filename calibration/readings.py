"""Confirmed readings: what was read of a tile and what it really was, one a line of a file.

    keep_readings(readings_path(profile_path), confirmed)
    calibrate_confidence(parse_readings(kept_readings(path), str(path)))

The file is JSON lines in the shape of a tile that ``mahjong-table read --json`` prints, with its
``truth``. A running table appends to its own after each deal. Nothing here needs OpenCV.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from calibration.quality import CalibrationError
from vision.types import Guess

LEAST = 30  # readings, from which anything can be learned
# When none of n readings is wrong, the share of wrong ones is below 3/n with 95 % (rule of three):
# so many show that a reading above the threshold is wrong less than once in a thousand.
ENOUGH = 3000
# A deal leaves about a hundred tiles open: these are the last hundred deals, a day or two of play,
# with the light and the wear of now, and three times what is enough. 1.5 MB.
MOST = 10_000
ROOM = 1000  # so many more may lie in the file before it is written anew: ten deals

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Temperature = Annotated[float, msgspec.Meta(ge=0.2, le=5)]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What was read and what it really was."""

    label: str
    confidence: Share
    others: tuple[Guess, ...]
    truth: str
    temperature: Temperature = 1.0  # at which the reader said so


class _Guess(msgspec.Struct, frozen=True):
    label: str
    confidence: Share


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the file."""

    label: str
    confidence: Share
    truth: str
    others: tuple[_Guess, ...] = ()
    temperature: Temperature = 1.0


def readings_path(profile: Path) -> Path:
    """Where a table keeps its readings: beside its profile."""
    own = "" if profile.stem == "profile" else f"{profile.stem}-"
    return profile.with_name(f"{own}readings.jsonl")


def kept_readings(path: Path) -> bytes:
    """What a table has collected there; less half a line, where the power failed."""
    content = path.read_bytes() if path.exists() else b""
    return content[: content.rfind(b"\n") + 1]


def parse_readings(content: bytes, name: str) -> list[Confirmed]:
    """The newest readings of a file's content; ``name`` is what errors call it."""
    try:
        lines = content.decode().splitlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CalibrationError(f"{name}: line {line}: is not UTF-8; remove that line") from None
    return [
        _parse(line, f"{name}: line {number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    ][-MOST:]


def _parse(line: str, where: str) -> Confirmed:
    try:
        read = msgspec.json.decode(line, type=_Line)
    except msgspec.DecodeError as error:
        raise CalibrationError(f"{where}: {error}; remove that line") from None
    others = tuple(Guess(other.label, other.confidence) for other in read.others)
    return Confirmed(read.label, read.confidence, others, read.truth, read.temperature)


def keep_readings(path: Path, confirmed: Sequence[Confirmed]) -> None:
    """Append to the file, and leave only the newest in it when it has grown too long."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = kept_readings(path)
    new = [_line(one) for one in confirmed]
    lines = [*before.splitlines(keepends=True), *new]
    is_torn = path.exists() and path.stat().st_size > len(before)
    if is_torn or len(lines) > MOST + ROOM:
        beside = path.with_suffix(".new")
        beside.write_bytes(b"".join(lines[-MOST:]))
        os.replace(beside, path)
    else:
        with path.open("ab") as file:
            file.write(b"".join(new))


def _line(one: Confirmed) -> bytes:
    others = tuple(_Guess(other.label, round(other.confidence, 6)) for other in one.others)
    line = _Line(one.label, round(one.confidence, 6), one.truth, others, one.temperature)
    return msgspec.json.encode(line) + b"\n"
