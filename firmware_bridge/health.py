"""What wears and gets dirty, seen in numbers the table gives anyway: times, pulses, edges.

The idea of learning a stroke's time and warning early is from patent CN105879384A; here nothing
runs on time alone. A concern is a note for the service book, never a reason to stop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from firmware_bridge.bridge import Bridge
from firmware_bridge.messages import Built, ReadWear, State
from firmware_bridge.parts import SIDES, Actuator, Motion, Sensor
from firmware_bridge.settings import MotorLimits

SLOWER = 1.5  # a build that takes so much longer than those before
SLIPPING = 0.85  # part of the drum's usual pulses a second
CHATTER = 1.3  # edges of a tile sensor for each tile
ENOUGH_TILES = 8
EARLY = 1.15  # part of the learned stroke time at which a motor is worth a look
FIRST_GUESS_S = 25.0  # a build, before one was timed
MEMORY = 0.2  # weight of the newest measurement


@dataclass(frozen=True, slots=True)
class Concern:
    """A fault that the board itself cannot notice: of wear, or seen by the camera."""

    code: str
    side: int | None = None
    value: int = 0


@dataclass(frozen=True, slots=True)
class WearReport:
    """One motor's life in numbers."""

    part: Actuator
    strokes: int  # in its life, as far as this program has watched
    last_ms: int
    mean_ms: int
    peak_ma: int
    learned_ms: int

    @property
    def is_early_warning(self) -> bool:
        """Whether its strokes have become slow enough to be looked at."""
        return bool(self.learned_ms) and self.mean_ms > self.learned_ms * EARLY


async def read_wear(bridge: Bridge, limits: Mapping[Actuator, MotorLimits]) -> list[WearReport]:
    """The service counters of every motor that makes strokes."""
    reports = []
    for part in Actuator:
        if limits[part].stroke_ms:
            learned = limits[part].stroke_ms if limits[part].is_measured else 0
            wear = await bridge.execute(ReadWear(part))
            reports.append(
                WearReport(part, wear.strokes, wear.last_ms, wear.mean_ms, wear.peak_ma, learned)
            )
    return reports


class Health:
    """Learns from every build; keep its `record` over power cuts."""

    def __init__(self, record: Mapping[str, Mapping[str, float]] | None = None) -> None:
        record = record or {}
        self._seconds = dict(record.get("seconds", {}))
        self._pulses = dict(record.get("pulses", {}))
        self._strokes = dict(record.get("strokes", {}))
        self._edges = [0] * SIDES
        self._last: State | None = None
        self._first_tacho: tuple[int, int] | None = None
        self._rate = 0.0
        self._tiles_at_start: tuple[int, ...] = (0,) * SIDES

    def lifetime(self, boot_id: int, reports: list[WearReport]) -> list[WearReport]:
        """The board counts from its start; here the starts are added up."""
        same_boot = self._strokes.get("boot") == boot_id
        self._strokes["boot"] = boot_id
        out = []
        for report in reports:
            total, since_boot = f"{report.part.name}", f"{report.part.name} since boot"
            before = self._strokes.get(since_boot, 0) if same_boot else 0
            self._strokes[total] = self._strokes.get(total, 0) + report.strokes - before
            self._strokes[since_boot] = report.strokes
            out.append(replace(report, strokes=int(self._strokes[total])))
        return out

    @property
    def record(self) -> dict[str, dict[str, float]]:
        """What was learned, for the journal."""
        return {
            "seconds": dict(self._seconds),
            "pulses": dict(self._pulses),
            "strokes": dict(self._strokes),
        }

    def build_s(self, layout: str) -> float:
        """How long a build of that layout takes here."""
        return self._seconds.get(layout, FIRST_GUESS_S)

    def state(self, state: State) -> None:
        """Watch a build go by."""
        last, self._last = self._last, state
        if not state.motion & Motion.BUILD:
            return
        if last is None or not last.motion & Motion.BUILD:
            self._edges = [0] * SIDES
            self._first_tacho = None
            self._tiles_at_start = state.tiles
            return
        if state.forward >> Actuator.DRUM & 1:
            if self._first_tacho is None:
                if state.at_ms - last.at_ms < 1000:
                    self._first_tacho = (state.tacho, state.at_ms)
            elif state.at_ms - self._first_tacho[1] > 2000:
                pulses = (state.tacho - self._first_tacho[0]) & 0xFFFF
                self._rate = pulses * 1000.0 / (state.at_ms - self._first_tacho[1])
        risen = state.inputs & ~last.inputs
        for side in range(SIDES):
            self._edges[side] += risen >> (Sensor.TILE_0 + side) & 1

    def built(self, layout: str, built: Built) -> Iterator[Concern]:
        """A build ended: learn from it, and say what was unusual."""
        took = built.took_ms / 1000.0
        usual = self._seconds.get(layout)
        if usual is not None and took > usual * SLOWER:
            yield Concern("D06", value=built.took_ms)
        self._seconds[layout] = took if usual is None else usual + MEMORY * (took - usual)
        yield from self._drum()
        yield from self._sensors()

    def _drum(self) -> Iterator[Concern]:
        if not self._rate:
            return
        usual = self._pulses.get("drum")
        if usual is not None and self._rate < usual * SLIPPING:
            yield Concern("S04", value=round(self._rate * 1000))
            return
        self._pulses["drum"] = (
            self._rate if usual is None else usual + MEMORY * (self._rate - usual)
        )

    def _sensors(self) -> Iterator[Concern]:
        last = self._last
        if last is None:
            return
        for side in range(SIDES):
            tiles = last.tiles[side] - self._tiles_at_start[side]
            if tiles >= ENOUGH_TILES and self._edges[side] > tiles * CHATTER:
                yield Concern("S01", side, self._edges[side])
