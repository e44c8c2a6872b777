"""What must survive a power cut: a few facts, written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

logger = logging.getLogger(__name__)


class Journal(Protocol):
    """Keeps one small record."""

    def load(self) -> dict[str, Any]:
        """What was kept last; empty when nothing was."""

    def save(self, record: Mapping[str, Any]) -> None:
        """Keep this instead."""


class MemoryJournal:
    """Keeps it as long as the program runs; for simulations."""

    def __init__(self) -> None:
        self._record: dict[str, Any] = {}

    def load(self) -> dict[str, Any]:
        """What was kept last."""
        return dict(self._record)

    def save(self, record: Mapping[str, Any]) -> None:
        """Keep this instead."""
        self._record = dict(record)


class FileJournal:
    """Keeps it in a file: written beside, synced, renamed, so that a cut leaves old or new."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> dict[str, Any]:
        """What was kept last; a file that cannot be read counts as none, loudly."""
        try:
            record = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            logger.error("%s cannot be read: %s; the table will count its tiles", self.path, error)
            return {}
        return record if isinstance(record, dict) else {}

    def save(self, record: Mapping[str, Any]) -> None:
        """Keep this instead."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".new")
        with beside.open("w", encoding="utf-8") as file:
            json.dump(record, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self.path)
        with contextlib.suppress(OSError):
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
