"""Port name -> byte pipe: pyserial on the event loop, without glue in between."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import termios
from collections.abc import Callable
from typing import Protocol

import serial

from firmware_bridge.errors import LinkLostError

logger = logging.getLogger(__name__)

BAUD = 115_200
GONE = (serial.SerialException, OSError, termios.error)


class Link(Protocol):
    """A pipe of bytes to the motor board."""

    def write(self, data: bytes) -> None:
        """Send; LinkLostError when the other end is gone."""

    def close(self) -> None:
        """Close it; more than once does no harm."""


Received = Callable[[bytes], None]
Lost = Callable[[Exception], None]
OpenLink = Callable[[str, Received, Lost], Link]


class SerialLink:
    """A serial port, read by the event loop."""

    def __init__(self, port: str, received: Received, lost: Lost) -> None:
        self._received = received
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._open = False
        self._unsent = bytearray()
        try:
            self._serial = serial.Serial(port, BAUD, timeout=0, write_timeout=0, exclusive=True)
        except GONE as error:
            raise LinkLostError(f"cannot open {port}: {error}; check cable and port name") from None
        self._fd: int = self._serial.fileno()
        self._loop.add_reader(self._fd, self._read)
        self._open = True

    def write(self, data: bytes) -> None:
        """Send; what the kernel does not take at once follows when it can."""
        if not self._open:
            raise LinkLostError("the port is closed")
        self._unsent += data
        self._flush()

    def _flush(self) -> None:
        try:
            while self._unsent:
                sent = self._serial.write(bytes(self._unsent[:512]))
                if not sent:
                    break
                del self._unsent[:sent]
        except serial.SerialTimeoutException:
            pass
        except GONE as error:
            self._fail(error)
            return
        if self._unsent:
            self._loop.add_writer(self._fd, self._flush)
        else:
            self._loop.remove_writer(self._fd)

    def _read(self) -> None:
        try:
            data = self._serial.read(4096)
        except GONE as error:
            self._fail(error)
            return
        if data:
            self._received(bytes(data))

    def _fail(self, error: Exception) -> None:
        if self._open:
            self.close()
            self._lost(error)

    def close(self) -> None:
        """Give the port back."""
        if not self._open:
            return
        self._open = False
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        with contextlib.suppress(*GONE):
            self._serial.close()


def open_link(port: str, received: Received, lost: Lost) -> Link:
    """Open the port of that name."""
    return SerialLink(port, received, lost)
