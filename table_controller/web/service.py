"""What a technician sees: sensors, motors, the link, faults with their pictures, wear."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from firmware_bridge.bridge import metrics
from firmware_bridge.fault_book import ActiveFault
from firmware_bridge.health import WearReport
from firmware_bridge.messages import State
from firmware_bridge.parts import Actuator, Sensor
from table_controller.machine import Machine

LATEST_FAULTS = 20


def service_view(machine: Machine) -> dict[str, Any]:
    """The machine as it is now."""
    bridge, board, state = machine.bridge, machine.bridge.board, machine.bridge.state
    still_open = {(each.fault.code, each.side) for each in machine.book.open}
    return {
        "phase": machine.phase,
        "problem": bridge.problem,
        "board": None if board is None else {
            "id": f"{board.board_id:08x}",
            "firmware": ".".join(map(str, board.firmware)),
            "boot": f"{board.boot_id:08x}",
            "reset_cause": board.reset_cause.name.lower(),
        },
        "link": {name.removeprefix("bridge_"): v for name, v in metrics(bridge.statistics).items()},
        "supply_mv": None if state is None else state.supply_mv,
        "free_kb": None if state is None else state.free_kb,
        "sensors": {sensor.name: on for sensor, on in machine.sensors().items()},
        "motors": [] if state is None else [motor_view(part, state) for part in Actuator],
        "sets": {name: str(place) for name, place in machine.sets.items()},
        "tired": [each.part.name.lower() for each in machine.worn if each.is_early_warning],
        "builds": machine.builds,
        "build_learned_s": machine.health.build_s(machine.settings.layout.name),
        "faults": [
            fault_view(each, is_open=(each.fault.code, each.side) in still_open)
            for each in list(machine.book.history)[: -LATEST_FAULTS - 1 : -1]
        ],
    }  # fmt: skip


def motor_view(part: Actuator, state: State) -> dict[str, Any]:
    """One motor: which way it turns, what it draws, whether its place is known."""
    turns = (state.forward >> part & 1) - (state.reverse >> part & 1)
    return {
        "part": part.name.lower(),
        "turns": turns,
        "current_ma": state.current_ma[part],
        "known": bool(state.known >> part & 1),
    }


def fault_view(active: ActiveFault, *, is_open: bool) -> dict[str, Any]:
    """A fault with the sensors of the seconds before: each change, in seconds before the last."""
    return {
        "code": active.fault.code,
        "text": active.fault.cause,
        "hint": active.fault.hint,
        "response": active.fault.response.value,
        "side": active.side,
        "value": active.value,
        "at_s": round(active.at_s, 1),
        "open": is_open,
        "picture": sensor_changes(active.picture),
    }


def sensor_changes(states: Sequence[State]) -> list[dict[str, Any]]:
    """Which sensors changed, and when."""
    found: list[dict[str, Any]] = []
    for before, state in itertools.pairwise(states):
        changed = before.inputs ^ state.inputs
        found.extend(
            {
                "before_s": round((states[-1].at_ms - state.at_ms) / 1000, 2),
                "sensor": sensor.name,
                "on": bool(state.inputs >> sensor & 1),
            }
            for sensor in Sensor
            if changed >> sensor & 1
        )
    return found


def wear_view(wear: WearReport) -> dict[str, Any]:
    """One motor's life in numbers."""
    return {
        "part": wear.part.name.lower(),
        "strokes": wear.strokes,
        "last_ms": wear.last_ms,
        "mean_ms": wear.mean_ms,
        "learned_ms": wear.learned_ms,
        "peak_ma": wear.peak_ma,
        "early_warning": wear.is_early_warning,
    }
