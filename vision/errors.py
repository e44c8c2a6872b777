"""What can go wrong between a camera and a scene."""

from __future__ import annotations


class VisionError(Exception):
    """Base of everything vision raises."""


class SourceError(VisionError, OSError):
    """A camera, video or folder gives no pictures."""

    def __init__(self, source: str, why: str) -> None:
        super().__init__(f"{source}: {why}")
        self.source, self.why = source, why


class NoMoreFramesError(SourceError, EOFError):
    """A video or folder has come to its end."""

    def __init__(self, source: str) -> None:
        super().__init__(source, "no more pictures")


class EyesError(VisionError, RuntimeError):
    """The vision process does not work, even after it was started again."""
