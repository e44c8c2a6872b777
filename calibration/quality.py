"""How good a calibration is: a number with its limit, and a sentence about it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class CalibrationError(ValueError):
    """A calibration cannot be done with what was given; the message says what to do."""


class Quality(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One measured number and what it may be; ``at_least`` turns the limit round."""

    name: str
    value: float
    limit: float
    unit: str = ""
    at_least: bool = False

    @property
    def is_good(self) -> bool:
        """Whether the number keeps its limit."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        side = "at least" if self.at_least else "at most"
        verdict = "good" if self.is_good else "NOT GOOD"
        value = f"{self.value:.3g}" if abs(self.value) < 100 else f"{self.value:.0f}"
        return f"{self.name}: {value}{unit} ({side} {self.limit:g}{unit}): {verdict}"


def all_good(qualities: Iterable[Quality]) -> bool:
    """Whether every number keeps its limit."""
    return all(quality.is_good for quality in qualities)
