"""Which faults are open, which there were, and what the sensors said in the seconds before."""

from __future__ import annotations

import logging
from collections import Counter, deque
from dataclasses import dataclass

from firmware_bridge.faults import BY_CODE, BY_NUMBER, Fault
from firmware_bridge.messages import Incident, State
from firmware_bridge.parts import Severity

logger = logging.getLogger(__name__)

PICTURE_S = 5.0  # the sensors before a fault
MANY_ALARMS = 5
ALARM_SPAN_S = 1800.0


@dataclass(frozen=True, slots=True)
class ActiveFault:
    """A fault as it happened, with the sensors of the seconds before."""

    fault: Fault
    side: int | None
    value: int
    at_s: float
    picture: tuple[State, ...] = ()

    @property
    def text(self) -> str:
        """One line for the log."""
        where = "" if self.side is None else f" (side {self.side + 1})"
        return f"{self.fault.code}{where}: {self.fault.cause} {self.fault.hint}"


class FaultBook:
    """Open faults and history; remembers the last states for their pictures."""

    def __init__(self) -> None:
        self.open: list[ActiveFault] = []
        self.history: deque[ActiveFault] = deque(maxlen=200)
        self.counts: Counter[str] = Counter()
        self._states: deque[State] = deque(maxlen=600)
        self._alarms: deque[float] = deque(maxlen=MANY_ALARMS)
        self._confirmed: list[ActiveFault] = []  # until something moves again

    def saw(self, state: State) -> None:
        """Remember a state for the pictures. What moves again has got over its fault."""
        self._states.append(state)
        if state.motion:
            self._confirmed = []

    def add(self, code: str, at_s: float, *, side: int | None = None, value: int = 0) -> bool:
        """Enter a fault; False when the same one is open already."""
        fault = BY_CODE[code]
        active = ActiveFault(fault, side, value, at_s, self._picture())
        self.history.append(active)
        self.counts[code] += 1
        if any(f.fault is fault and f.side == side for f in self.open):
            return False
        self.open.append(active)
        logger.warning("%s", active.text)
        return True

    def add_incident(self, incident: Incident, at_s: float) -> Fault | None:
        """Enter what the board noticed; the fault, or None for a number nobody knows."""
        fault = BY_NUMBER.get(incident.code)
        if fault is None:
            logger.error("the board reports an unknown fault: %r", incident)
            return None
        side = None if incident.side > 3 else incident.side
        self.add(fault.code, at_s, side=side, value=incident.value)
        if fault.severity >= Severity.PART:
            self._alarms.append(at_s)
        return fault

    @property
    def alarms_are_frequent(self) -> bool:
        """Five alarms within half an hour are no accident any more."""
        return (
            len(self._alarms) == MANY_ALARMS and self._alarms[-1] - self._alarms[0] <= ALARM_SPAN_S
        )

    def has(self, *codes: str) -> bool:
        """Whether one of these is open."""
        return any(active.fault.code in codes for active in self.open)

    def close(self, *codes: str) -> None:
        """Those are over."""
        self.open = [active for active in self.open if active.fault.code not in codes]

    def dismiss(self, code: str, side: int | None = None) -> None:
        """A person has read a warning; what stops the table stays until it is confirmed."""
        self.open = [
            active
            for active in self.open
            if active.fault.code != code
            or (side is not None and active.side != side)
            or active.fault.severity >= Severity.PART
        ]

    def confirmed(self, *unsolved: str) -> None:
        """A person looked and said "go on": only warnings, notes and the unsolved ones stay."""
        stays = [
            active.fault.severity < Severity.PART or active.fault.code in unsolved
            for active in self.open
        ]
        self._confirmed = [each for each, stay in zip(self.open, stays, strict=True) if not stay]
        self.open = [each for each, stay in zip(self.open, stays, strict=True) if stay]

    def stands(self, code: str) -> bool:
        """Whether that fault is there still; one that was confirmed in vain is open again."""
        if not self.has(code):
            self.open += [active for active in self._confirmed if active.fault.code == code]
        return self.has(code)

    def _picture(self) -> tuple[State, ...]:
        """The states of the last five seconds of the board's time."""
        if not self._states:
            return ()
        newest = self._states[-1].at_ms
        return tuple(
            state for state in self._states if 0 <= newest - state.at_ms <= PICTURE_S * 1000
        )
