"""Host, cable or firmware is lost, at every step of a cycle: motors off, and nothing resumes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from firmware_bridge.bridge import LinkState, RefusedError
from firmware_bridge.errors import BridgeError
from firmware_bridge.framing import REPEATED, Frame, encode
from firmware_bridge.messages import (
    ClearFault,
    EjectRows,
    Home,
    Jog,
    MoveCentre,
    RollDice,
    SetService,
    Unlock,
)
from firmware_bridge.parts import Actuator, CentrePlace, Mode, Refusal, ResetCause, Sensor
from firmware_bridge.settings import MachineSettings
from tests.firmware_bridge.rigged import LEASE, SMALL, Rigged, rigged
from tests.firmware_bridge.test_faults import built, filled, nothing, open_centre, walls

UP = MoveCentre(CentrePlace.UP, 5000, LEASE)
DOWN = MoveCentre(CentrePlace.DOWN, 5000, LEASE)


async def half_open(it: Rigged) -> None:
    """The centre stopped half-way: homing has something to do."""
    task = await it.begin(UP)
    await it.sleep(0.5)
    it.bridge.stop()
    with pytest.raises(BridgeError):
        await task
    await it.bridge.execute(Unlock())


async def in_service(it: Rigged) -> None:
    await built(it)
    await it.bridge.execute(SetService(1))


RUN_OUT = -0.5  # seconds after the last tile


def at_a_sensor(it: Rigged, actuator: Actuator) -> bool:
    """Whether that part stands where one of its sensors sees it."""
    inputs = it.world.read_inputs()
    side = actuator.side or 0
    if actuator is Actuator.CENTRE:
        return bool(inputs & (1 << Sensor.CENTRE_UP | 1 << Sensor.CENTRE_DOWN))
    first = Sensor.LIFT_HOME_0 if actuator < Actuator.CONVEYOR_0 else Sensor.CAM_HOME_0
    return bool(inputs >> (first + side) & 1)


STEPS: dict[str, tuple[Callable[[Rigged], Awaitable[None]], object, float]] = {
    "opening": (nothing, UP, 0.4),
    "closing": (open_centre, DOWN, 0.4),
    "first-tiles": (filled, lambda it: it.build_command(), 1.5),
    "building": (filled, lambda it: it.build_command(), 3.5),
    "run-out": (filled, lambda it: it.build_command(), RUN_OUT),
    "raising": (built, walls, 0.9),
    "dice": (nothing, RollDice(2000, LEASE), 0.5),
    "homing": (half_open, Home(LEASE), 0.2),
    "ejecting": (in_service, EjectRows(15, LEASE), 0.9),
    "jogging": (in_service, Jog(Actuator.DRUM, 0, 300), 0.1),
}
POSITIONED = {a for a in Actuator if a.name.startswith(("CENTRE", "LIFT", "HEAD"))}
LOSSES = ("unplug", "mute", "freeze", "reset", "crash")


def combinations():
    """Every step with every loss; the two that end in a reset like the third run less often."""
    often = ("unplug", "mute", "freeze")
    for step in STEPS:
        for loss in LOSSES:
            common = loss in often or step in ("opening", "building", "raising")
            yield pytest.param(step, loss, marks=() if common else pytest.mark.long)


@pytest.mark.parametrize(("step", "loss"), list(combinations()))
@pytest.mark.fault("L02")
async def test_motors_are_off_within_half_a_second_and_stay_off(step, loss):
    before, command, after_s = STEPS[step]
    async with rigged() as it:
        await before(it)
        task = await it.begin(command(it) if callable(command) else command)
        if after_s < 0:
            await it.until(lambda b: b.state is not None and b.state.tiles == b.state.wanted)
        await it.sleep(abs(after_s))
        moving = it.turning()
        assert moving, "nothing moved: the step is over before the loss"
        boot = it.bridge.board.boot_id
        began = it.world.now_ms
        it.world.inject(loss)
        while it.turning():
            await it.sleep(0.005)
        assert it.world.now_ms - began <= 500
        log = dict(it.world.motor_log)
        with contextlib.suppress(BridgeError):  # a short motion may have ended in time
            await task
        await it.sleep(0.6)
        # The link comes back by itself, under another device name; motion does not.
        device = it.table.rig.cable.device
        it.world.inject("replug")
        it.world.inject("mute", None, 0)
        await it.until(lambda b: b.connected and b.state is not None)
        assert (it.table.rig.cable.device != device) == (loss == "unplug")
        await it.sleep(3.0)
        assert dict(it.world.motor_log) == log
        state = it.bridge.state
        assert state.mode in (Mode.LOCKED, Mode.FAULT)
        if loss in ("unplug", "mute") and step not in ("homing", "jogging"):
            assert it.fault == "L02"  # those two are over before the lease
        if loss in ("freeze", "reset", "crash"):
            assert it.bridge.board.boot_id != boot
            assert it.bridge.boot_changed
            assert state.known == 0
            cause = ResetCause.REQUEST if loss == "reset" else ResetCause.WATCHDOG
            assert it.bridge.board.reset_cause is cause
        for actuator in moving:
            if actuator in POSITIONED and not at_a_sensor(it, actuator):
                assert not state.known >> actuator & 1, f"{actuator.name} counts as known"
        with pytest.raises(RefusedError) as refused:
            await it.bridge.execute(UP)
        assert refused.value.reason in (Refusal.LOCKED, Refusal.FAULT)
        # A person looks and says go on.
        if state.fault:
            await it.bridge.execute(ClearFault(state.fault))
        await it.ready(MachineSettings(SMALL))
        assert it.bridge.state is not None


async def test_a_host_that_hangs_without_motion_finds_the_board_locked():
    async with rigged() as it:
        it.world.inject("mute")
        await it.sleep(0.6)
        it.world.inject("mute", None, 0)
        await it.until(lambda b: b.connected and b.state is not None)
        assert it.bridge.state.mode is Mode.LOCKED
        assert it.fault is None


async def test_nothing_of_an_old_session_acts_in_a_new_one():
    async with rigged() as it:
        old = it.bridge._session
        it.world.inject("unplug")
        await it.until(lambda b: not b.connected)
        it.world.inject("replug")
        await it.until(lambda b: b.connected and b.state is not None)
        await it.ready(MachineSettings(SMALL))
        stale = encode(Frame(UP.opcode, 0, old, 999, UP.pack()))
        it.bridge._link.write(stale)
        it.table.clock.wire(sent=len(stale))
        await it.sleep(0.5)
        assert it.turning() == set()


async def test_a_repeated_frame_is_answered_and_not_done_again():
    async with rigged() as it:
        sent: list[Frame] = []
        original = it.bridge._send

        def watch(frame: Frame) -> None:
            sent.append(frame)
            original(frame)

        it.bridge._send = watch
        await it.bridge.execute(UP)
        await it.bridge.execute(DOWN)
        it.bridge._send = original
        before = it.world.motor_log[Actuator.CENTRE]
        again = [frame for frame in sent if frame.type == UP.opcode]
        assert len(again) == 2
        for frame in again * 3:
            it.bridge._send(replace(frame, flags=REPEATED))
        await it.sleep(2.0)
        assert it.world.motor_log[Actuator.CENTRE] == before


async def test_a_port_that_is_not_there_is_said_and_tried_again():
    async with rigged() as it:
        it.world.inject("unplug")
        await it.until(lambda b: b.link_state is LinkState.NO_PORT)
        assert "cannot open" in it.bridge.problem
        await it.sleep(5.0)
        it.world.inject("replug")
        await it.until(lambda b: b.connected)
        assert it.bridge.problem == ""


async def test_a_board_that_does_not_answer_is_said_and_tried_again():
    async with rigged() as it:
        it.world.inject("mute")
        await it.until(lambda b: b.link_state is LinkState.SILENT and "no motor board" in b.problem)
        it.world.inject("mute", None, 0)
        await it.until(lambda b: b.connected)


async def test_a_board_with_another_message_table_is_never_moved():
    from firmware_bridge.bridge import Bridge
    from firmware_bridge.errors import LinkLostError
    from firmware_bridge.simulator import SimulatedTable

    labels = [str(n) for n in range(SMALL.tiles)]
    with SimulatedTable(SMALL, labels, seed=1) as table:
        async with Bridge(table.port, clock=table.clock, table_hash=0x1234) as bridge:
            await bridge.wait_for(lambda b: b.link_state is LinkState.WRONG_BOARD and b.problem)
            assert "message table" in bridge.problem
            with pytest.raises(LinkLostError):
                await bridge.execute(UP)
            await asyncio.sleep(0)
        assert not table.world.motor_log


async def test_stop_is_heard_in_any_session_and_locks():
    async with rigged() as it:
        task = await it.begin(UP)
        await it.sleep(0.3)
        began = it.world.now_ms
        it.bridge.stop()
        with pytest.raises(BridgeError):
            await task
        assert it.turning() == set()
        assert it.world.now_ms - began <= 20
        await it.sleep(0.2)
        assert it.bridge.state.mode is Mode.LOCKED
