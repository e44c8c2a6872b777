"""A host process that is killed, hangs, or ends: the real process, the real port."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_bridge.parts import Actuator
from firmware_bridge.simulator import SimulatedTable
from tests.firmware_bridge.rigged import SMALL

ROOT = Path(__file__).resolve().parents[2]


def centre_turns(table: SimulatedTable) -> bool:
    return bool(table.world.motors[Actuator.CENTRE].direction)


def silent(host: subprocess.Popen[bytes]) -> bool:
    """Whether that process runs no more: ended, or stopped by a signal."""
    if host.poll() is not None:
        return True
    stat = Path(f"/proc/{host.pid}/stat").read_text()
    return stat.rpartition(")")[2].split()[0] == "T"


async def until(wanted, tries: int = 3000) -> None:
    """Poll the wall clock's world; the host is another process, so nothing can be awaited."""
    for _ in range(tries):
        if wanted():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM])
async def test_the_motors_stop_within_half_a_second_when_the_host_dies(how):
    labels = [str(number) for number in range(SMALL.tiles)]
    with SimulatedTable(SMALL, labels, speed=1.0) as table:
        host = subprocess.Popen(
            [sys.executable, "-m", "tests.firmware_bridge.host_process", table.port], cwd=ROOT
        )
        try:
            await until(lambda: centre_turns(table))
            host.send_signal(how)
            await until(lambda: silent(host))
            began = table.world.now_ms  # its last frame left before this
            await until(lambda: table.world.now_ms > began + 1200)
            turned = table.world.motor_log[Actuator.CENTRE]
            assert table.world.last_turned[Actuator.CENTRE] - began <= 500
            await until(lambda: table.world.now_ms > began + 2500)
            assert table.world.motor_log[Actuator.CENTRE] == turned
            assert not centre_turns(table)
        finally:
            host.kill()
            host.wait()
