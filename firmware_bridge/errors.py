"""What the bridge raises."""

from __future__ import annotations


class BridgeError(Exception):
    """Base of everything the bridge raises."""


class FieldError(BridgeError, ValueError):
    """A field of a message holds a value outside its bounds."""


class FrameError(BridgeError, ValueError):
    """Bytes that are not a frame: damaged, cut short or of another message table."""


class LinkLostError(BridgeError, ConnectionError):
    """The motor board is not connected, or the connection broke while it was needed."""


class CommandTimeoutError(BridgeError, TimeoutError):
    """The table did not answer in time."""

    def __init__(self, command: object, timeout_s: float) -> None:
        super().__init__(f"no answer to {command!r} within {timeout_s:g} s")
        self.command = command
        self.timeout_s = timeout_s


class SettingsError(BridgeError, ValueError):
    """A setting of the electronics cannot be right; says which and why."""
