"""The subcommands of `mahjong-table`, a module each, with `configure` and `execute`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class BadInputError(Exception):
    """What the user gave cannot be used; the message is the one line they see."""


class FailedError(Exception):
    """What was asked for was sensible and did not succeed; the message is the one line they see."""


@contextmanager
def bad_input(*errors: type[Exception], where: str = "") -> Iterator[None]:
    """Turns these errors into one line for the user, with the place before it."""
    try:
        yield
    except errors as error:
        text = " ".join(str(error).split())
        raise BadInputError(f"{where}: {text}" if where else text) from None


def print_json(value: Any) -> None:
    """One JSON value on a line of its own."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def say(text: str = "") -> None:
    """One line for a person."""
    sys.stdout.write(text + "\n")


def write_picture(path: Path, picture: Any) -> None:
    """Write a picture in the format that the file's name asks for."""
    import cv2

    try:
        written = cv2.imwrite(str(path), picture)
    except cv2.error:
        raise BadInputError(f"cannot write {path}: name it .png or .jpg") from None
    if not written:
        raise BadInputError(f"cannot write {path}: check that its folder is there, and writable")
