"""What goes wrong in the middle of something: no row rises by accident, every tile is counted."""

from __future__ import annotations

import random
import struct

import pytest

from firmware_bridge.bridge import MotionFailedError, RefusedError
from firmware_bridge.errors import BridgeError
from firmware_bridge.faults import BY_CODE
from firmware_bridge.layout import TableLayout
from firmware_bridge.messages import (
    Build,
    ClearFault,
    EjectRows,
    Home,
    Jog,
    MoveCentre,
    RaiseWalls,
    SetService,
    Unlock,
)
from firmware_bridge.parts import Actuator, CentrePlace, Mode, Motion, Refusal, Sensor
from firmware_bridge.settings import MachineSettings
from firmware_bridge.simulator import Place
from tests.firmware_bridge.rigged import LEASE, SMALL, Rigged, rigged
from tests.firmware_bridge.test_faults import built, lift
from tests.firmware_bridge.test_interlocks import Table, configure, firmware

__all__ = ["firmware"]  # the fixture

DOWN = MoveCentre(CentrePlace.DOWN, 5000, LEASE)


async def go_on(it: Rigged) -> None:
    """A person clears what is latched and says go on; the table homes itself."""
    await it.sleep(0.3)
    state = it.bridge.state
    if state.fault:
        await it.bridge.execute(ClearFault(state.fault))
    await it.bridge.execute(Unlock())
    await it.bridge.execute(Home(LEASE))


async def raise_rest(it: Rigged):
    return await it.bridge.execute(RaiseWalls(it.build_number, it.bridge.state.tiles, 5000, LEASE))


def standing(it: Rigged) -> list[int]:
    return sorted(it.world.tiles_at(Place.WALL))


@pytest.mark.parametrize("seconds", [0.2, 0.5, 0.8, 1.1, 1.5, 1.9])
async def test_walls_that_were_stopped_on_their_way_are_finished_with_every_tile(seconds):
    """Stopped early a plate goes back with its row; late, it finishes its turn."""
    async with rigged() as it:
        await built(it)
        task = await it.begin(RaiseWalls(it.build_number, SMALL.row_tiles, 5000, LEASE))
        await it.sleep(seconds)
        it.bridge.stop()
        with pytest.raises(MotionFailedError):
            await task
        await go_on(it)
        await it.sleep(0.2)
        assert sum(it.bridge.state.tiles) == len(it.world.tiles_at(Place.ROW))
        if seconds <= 0.5:
            assert it.world.tiles_at(Place.WALL) == []
        await raise_rest(it)
        assert standing(it) == sorted(it.world.sets["A"])
        assert it.bridge.state.build == 0


async def test_a_plate_that_met_a_hand_goes_home_away_from_it():
    async with rigged() as it:
        await built(it)
        it.world.inject("hand", "lift.1")
        with pytest.raises(MotionFailedError):
            await it.raise_walls()
        met = it.world.motors[lift(1)].position
        await it.sleep(0.3)
        await it.bridge.execute(ClearFault(it.bridge.state.fault))
        await it.bridge.execute(Unlock())
        await it.bridge.execute(Home(LEASE))  # the hand is still there
        assert it.world.motors[lift(1)].position < met
        assert it.world.tiles_at(Place.WALL) == []
        it.world.inject("hand", "lift.1", 0)
        await raise_rest(it)
        assert standing(it) == sorted(it.world.sets["A"])


async def test_a_plate_pushed_by_hand_during_a_build_raises_no_half_row():
    async with rigged() as it:
        await it.fill()
        task = await it.begin(it.build_command())
        await it.until(lambda b: b.state.tiles[2] >= 2)
        it.world.inject("push_down", "lift.2")
        with pytest.raises(MotionFailedError) as failed:
            await task
        assert failed.value.fault is BY_CODE["W06"]
        await go_on(it)
        assert it.world.tiles_at(Place.WALL) == []
        again = await it.bridge.execute(it.build_command(again=True))
        assert again.verified
        await raise_rest(it)
        assert standing(it) == sorted(it.world.sets["A"])


@pytest.mark.parametrize("stuck", ["CENTRE_DOWN", "CENTRE_UP"])
async def test_a_centre_whose_switch_is_stuck_never_lets_the_drum_turn(stuck):
    """Both ends of the stroke at once: a mouth that is open may say that it is closed."""
    async with rigged() as it:
        if stuck == "CENTRE_DOWN":
            await it.centre(CentrePlace.UP)
            it.world.push_into_mouth(it.world.sets["A"])
        it.world.inject("stuck_on", stuck)
        await it.until(lambda b: it.fault == "C04")
        with pytest.raises(RefusedError) as refused:
            await it.bridge.execute(ClearFault(BY_CODE["C04"].number))
        assert refused.value.reason is Refusal.STILL_PRESENT
        for command in (DOWN, it.build_command(), Home(LEASE)):
            with pytest.raises(RefusedError):
                await it.bridge.execute(command)
        await it.sleep(1.0)
        assert not it.world.motor_log[Actuator.DRUM]
        it.world.inject("unstick", stuck)
        await go_on(it)
        await it.sleep(0.2)
        assert it.bridge.state.centre is CentrePlace.DOWN


async def test_a_tile_that_lies_before_a_jammed_head_is_not_counted_twice():
    async with rigged() as it:
        await it.fill()
        task = await it.begin(it.build_command())
        await it.until(lambda b: b.state.tiles[1] > 1)
        it.world.inject("jam", "head.1", 1)
        with pytest.raises(MotionFailedError) as failed:
            await task
        assert failed.value.fault is BY_CODE["H02"]
        it.world.inject("jam", "head.1", 0)
        await go_on(it)
        assert (await it.bridge.execute(it.build_command(again=True))).verified
        assert [len(side.row) for side in it.world.sides] == list(it.layout.row_tiles)


async def test_opening_the_lid_stops_the_plates_in_service_mode_too():
    async with rigged() as it:
        await built(it)
        await it.bridge.execute(SetService(1))
        task = await it.begin(EjectRows(15, LEASE))
        await it.sleep(0.3)
        it.world.inject("lid", None, 1)
        with pytest.raises(MotionFailedError) as failed:
            await task
        assert failed.value.fault is BY_CODE["E02"]
        assert it.turning() == set()


async def test_a_build_goes_on_only_as_it_was_begun():
    async with rigged() as it:
        await it.fill()
        task = await it.begin(it.build_command())
        await it.until(lambda b: sum(b.state.tiles) > 3)
        it.bridge.stop()
        with pytest.raises(MotionFailedError):
            await task
        await go_on(it)
        other = Build(it.build_number, (2, 2, 2, 2), (0, 0, 0, 0), 2, LEASE)
        with pytest.raises(RefusedError) as refused:
            await it.bridge.execute(other)
        assert refused.value.reason is Refusal.BAD_FIELD
        assert (await it.bridge.execute(it.build_command(again=True))).verified


async def test_rows_rise_on_every_side_that_has_one_whatever_the_setting_says_by_then():
    """Three players from the next build on: this one's fourth wall still comes up."""
    async with rigged() as it:
        await built(it)
        for command in MachineSettings(TableLayout("18", (3, 3, 3, 0))).commands():
            await it.bridge.execute(command)
        raised = await raise_rest(it)
        assert raised.stacks == (3, 3, 3, 3)
        assert standing(it) == sorted(it.world.sets["A"])


async def test_a_ring_that_drags_without_blocking_is_stopped_before_it_burns():
    async with rigged() as it:
        await it.fill()
        it.world.inject("slow", "ring", 3.0)
        with pytest.raises(MotionFailedError) as failed:
            await it.build()
        assert failed.value.fault is BY_CODE["P03"]
        assert 3000 <= it.world.motor_log[Actuator.RING] <= 5500


# ---- the board alone


def ready(firmware) -> Table:
    """Configured, unlocked and homed, on pins that hold still."""
    table = Table(firmware)
    configure(table)
    table.send(table.messages.UNLOCK)
    table.send(table.messages.HOME, 500)
    table.run(50)
    assert table.board.mode == Mode.IDLE
    return table


def test_nothing_moves_before_every_setting_was_told(firmware):
    for untold in (*Actuator, None):
        table = Table(firmware)
        for part in Actuator:
            if part != untold:
                table.send(table.messages.SET_LIMITS, part, 300, 125, 200, 300, 900)
        if untold is not None:
            table.send(table.messages.SET_MACHINE, 0, 15, 0, 60, 120, 20, 18_000)
        table.send(table.messages.UNLOCK)
        table.send(table.messages.HOME, 500)
        assert not table.board.motion
        assert not table.board.configured


def test_a_stop_ends_service_mode_too(firmware):
    table = ready(firmware)
    table.send(table.messages.SET_SERVICE, 1)
    table.send(table.messages.STOP, 0)
    table.send(table.messages.UNLOCK)
    table.pins.inputs &= ~(1 << Sensor.LID_CLOSED)
    table.run(100)
    table.send(table.messages.JOG, Actuator.DRUM, 0, 250)
    table.run(100)
    assert not table.board.motion
    table.pins.inputs |= 1 << Sensor.LID_CLOSED
    table.run(20)
    table.send(table.messages.MOVE_CENTRE, 2, 5000, 500)
    assert table.board.motion == Motion.CENTRE


def test_an_open_lid_cuts_the_supply_and_that_is_no_fault_of_the_supply(firmware):
    table = ready(firmware)
    table.pins.inputs &= ~(1 << Sensor.LID_CLOSED)
    table.pins.supply = 0
    table.run(200)
    assert (table.board.mode, table.board.fault) == (Mode.LOCKED, 0)
    assert not table.board.known  # whoever opened it may have moved anything
    table.pins.inputs |= 1 << Sensor.LID_CLOSED
    table.pins.supply = 24_000
    table.run(200)
    table.send(table.messages.UNLOCK)
    table.send(table.messages.MOVE_CENTRE, 2, 5000, 500)
    assert not table.board.motion
    table.send(table.messages.HOME, 500)
    table.send(table.messages.MOVE_CENTRE, 2, 5000, 500)
    assert table.board.motion == Motion.CENTRE


def test_motors_without_a_supply_cannot_be_acknowledged_before_it_is_back(firmware):
    table = ready(firmware)
    fault = BY_CODE["P05"].number
    table.pins.supply = 0
    table.run(200)
    table.send(table.messages.CLEAR_FAULT, fault)
    assert (table.board.mode, table.board.fault) == (Mode.FAULT, fault)
    table.pins.supply = 24_000
    table.run(200)
    table.send(table.messages.CLEAR_FAULT, fault)
    assert (table.board.mode, table.board.fault) == (Mode.LOCKED, 0)


def test_a_stray_copy_of_an_old_command_does_nothing(firmware):
    """Older than any repeat, and long gone from the answers that are kept."""
    table = ready(firmware)
    old = table.seq + 1
    table.send(table.messages.MOVE_CENTRE, 2, 5000, 500)
    table.send(table.messages.STOP, 0)
    table.send(table.messages.UNLOCK)
    for _ in range(200):
        table.send(table.messages.ECHO, 1)
    assert table.board.mode == Mode.IDLE
    table.seq = old - 1
    table.send(table.messages.MOVE_CENTRE, 2, 5000, 500)
    assert not table.board.motion
    table.seq = old + 210
    table.send(table.messages.MOVE_CENTRE, 2, 5000, 500)
    assert table.board.motion


def test_sequence_numbers_run_over(firmware):
    table = ready(firmware)
    link = table.board.link
    table.seq = 1
    for seq in (20_000, 40_000, 60_000, 0xFFFE, 0xFFFF - 1):
        table.seq = seq
        table.beat()
    table.seq = 0
    served = link.served
    table.send(table.messages.ECHO, 1)
    assert link.served == served + 1


def test_a_host_that_has_fallen_silent_is_not_talked_to(firmware):
    """A USB port that nobody empties would block the loop, and the watchdog would bite."""
    table = ready(firmware)
    wrote: list[int] = []
    table.pins.write = lambda data, size: wrote.append(size)
    table.run(1500, alive=False)
    assert wrote
    wrote.clear()
    table.run(5000, alive=False)
    assert not wrote
    table.beat()
    table.run(200)
    assert wrote


def test_a_second_master_stops_the_first_and_finds_the_board_locked(firmware):
    table = ready(firmware)
    table.send(table.messages.MOVE_CENTRE, 2, 5000, 500)
    table.run(50)
    assert table.pins.forward
    table.send(table.messages.HELLO, 1, 0, 9, 0, session=9)
    table.board.run_once()
    assert not table.pins.forward
    assert table.board.mode == Mode.LOCKED
    table.send(table.messages.UNLOCK)  # the first one goes on as if nothing had happened
    assert table.board.mode == Mode.LOCKED


def test_a_hello_without_a_session_is_nobodys(firmware):
    table = ready(firmware)
    table.send(table.messages.HELLO, 1, 0, 0, 0, session=0)
    assert table.board.mode == Mode.IDLE
    assert table.board.link.session == 7


def test_the_boards_clock_may_run_over_in_a_motion(firmware):
    table = Table(firmware)
    table.pins.now = (1 << 30) - 300
    table.board.now = table.pins.now
    configure(table)
    table.send(table.messages.UNLOCK)
    table.send(table.messages.HOME, 500)
    table.send(table.messages.ROLL_DICE, 2000, 500)
    for _ in range(100):
        table.beat()
        table.follow()
        table.pins.inputs ^= 1 << Sensor.DICE_SEEN
        table.board.run_once()
        table.check()
        table.pins.now &= (1 << 30) - 1
    assert table.pins.now < 10_000
    assert table.pins.forward == 1 << Actuator.DICE


@pytest.mark.parametrize("count", [4_000, pytest.param(300_000, marks=pytest.mark.long)])
def test_any_frames_with_a_good_checksum_in_any_order_break_no_interlock(firmware, count):
    """Bad fields, wrong lengths, unknown commands, wild sensors: refused, never an exception."""
    chance = random.Random(count)
    table = Table(firmware)
    messages = table.messages
    kinds = list(messages.BOUNDS)
    for step in range(count):
        if step % 400 == 0:
            table = Table(firmware)
            configure(table)
        kind = chance.choice(kinds) if chance.random() < 0.95 else chance.randrange(256)
        spans = messages.BOUNDS.get(kind, ())
        args = [
            chance.choice((low, high, chance.randint(low, high), chance.choice((0, 1, 255))))
            for low, high in spans
        ]
        layout = messages.LAYOUT.get(kind, "<")
        sizes = struct.Struct(layout).size
        try:
            payload = struct.pack(layout, *args)
        except struct.error:
            payload = chance.randbytes(sizes)
        if chance.random() < 0.05:
            payload = payload[: chance.randrange(len(payload) + 1)] + chance.randbytes(
                chance.randrange(3)
            )
        table.seq += 1
        session = chance.choice((7, 7, 7, 7, 8, 0))
        table.board.now = table.pins.now
        raw = bytearray(struct.pack("<BBHH", kind, 0, session, table.seq) + payload + bytes(4))
        table.board.take(raw, len(payload))
        if table.board.link.session != 7:
            table.hello()
        if chance.random() < 0.4:
            table.pins.inputs ^= 1 << chance.randrange(27)
        if chance.random() < 0.02:
            table.pins.inputs |= 1 << Sensor.ESTOP_OK | 1 << Sensor.LID_CLOSED
        if chance.random() < 0.2 and table.board.fault:
            table.send(messages.CLEAR_FAULT, table.board.fault)
        if chance.random() < 0.3:
            table.send(messages.UNLOCK)
        for _ in range(chance.randrange(4)):
            table.beat()
            table.follow()
            table.board.run_once()
            table.check()


# ---- a second fault while the first is latched


async def test_liquid_while_the_emergency_stop_is_pressed_is_latched_after_it():
    """Releasing the button must not give the supply back to a panel that is wet."""
    async with rigged() as it:
        it.world.inject("estop", None, 1)
        await it.until(lambda b: it.fault == "E01")
        it.bridge.stop(reason=4)
        await it.until(lambda b: "X04" in it.codes)
        await it.sleep(1.0)
        assert it.codes == ["E01", "X04"]  # said once
        it.world.inject("estop", None, 0)
        await it.sleep(0.3)
        cleared = await it.bridge.execute(ClearFault(BY_CODE["E01"].number))
        assert cleared.mode is Mode.FAULT
        await it.until(lambda b: it.fault == "X04")
        await it.sleep(0.2)
        assert not it.world.enabled
        with pytest.raises(RefusedError):
            await it.bridge.execute(Unlock())
        await it.bridge.execute(ClearFault(BY_CODE["X04"].number))
        assert (await it.bridge.execute(Unlock())).mode is Mode.IDLE


def test_the_emergency_stop_is_latched_although_another_fault_of_safety_was_first(firmware):
    table = ready(firmware)
    table.send(table.messages.STOP, 4)
    table.pins.inputs &= ~(1 << Sensor.ESTOP_OK)
    table.run(50)
    assert table.board.fault == BY_CODE["X04"].number
    table.pins.inputs |= 1 << Sensor.ESTOP_OK
    table.run(50)
    table.send(table.messages.CLEAR_FAULT, BY_CODE["X04"].number)
    assert (table.board.mode, table.board.fault) == (Mode.ESTOP, BY_CODE["E01"].number)
    table.send(table.messages.CLEAR_FAULT, BY_CODE["E01"].number)
    assert (table.board.mode, table.board.fault) == (Mode.LOCKED, 0)


async def test_a_part_that_moves_while_another_fault_is_latched_is_told_and_blocks_nothing_later():
    async with rigged() as it:
        it.world.inject("push_down", "lift.2")
        await it.until(lambda b: it.fault == "W06")
        await it.sleep(0.5)
        it.world.inject("push_down", "centre")
        await it.until(lambda b: "C06" in it.codes)
        await it.sleep(1.0)
        assert it.codes == ["W06", "C06"]
        assert it.fault == "W06"
        await go_on(it)
        await it.sleep(0.2)
        assert it.bridge.state.centre is CentrePlace.DOWN


def test_a_chain_of_sensors_that_is_not_read_tells_nothing_of_parts(firmware):
    """All inputs 0: only the emergency stop is reported, and every place is unknown."""
    table = ready(firmware)
    told: list[int] = []
    table.board.incident = lambda code, part, side, value: told.append(code)
    table.pins.inputs = 0
    table.run(500)
    assert told == [BY_CODE["E01"].number]
    assert not table.board.known


# ---- what people do by hand


async def test_a_centre_that_is_lifted_by_hand_in_a_build_stops_the_drum_before_a_hand_fits_in():
    async with rigged() as it:
        await it.fill()
        task = await it.begin(it.build_command())
        await it.until(lambda b: sum(b.state.tiles) > 3)
        it.world.inject("push_down", "centre")
        with pytest.raises(MotionFailedError) as failed:
            await task
        assert failed.value.fault is BY_CODE["C06"]
        it.safe()
        await it.sleep(1.0)  # the drum has come to rest
        assert it.codes == ["C06"]  # that it coasted to rest is no fault of its driver
        await go_on(it)
        assert (await it.bridge.execute(it.build_command(again=True))).verified
        await raise_rest(it)
        assert standing(it) == sorted(it.world.sets["A"])


async def test_the_lids_own_switch_cuts_the_supply_unless_the_service_key_bridges_it():
    async with rigged() as it:
        await it.bridge.execute(SetService(1))
        it.world.inject("lid", None, 1)
        assert it.world.supply_mv() == 0
        await it.until(lambda b: b.state.mode is Mode.LOCKED)
        assert (it.fault, it.codes) == (None, [])  # nothing is broken
        it.world.inject("service_key", None, 1)
        await it.sleep(0.2)
        await it.bridge.execute(Unlock())
        await it.bridge.execute(SetService(1))
        assert (await it.bridge.execute(Jog(Actuator.DRUM, 0, 300))).ran_ms > 200
        with pytest.raises(RefusedError) as refused:
            await it.bridge.execute(Home(LEASE))
        assert refused.value.reason is Refusal.LID_OPEN


async def test_a_jogged_motor_turns_at_half_its_working_speed():
    async with rigged() as it:
        await it.bridge.execute(SetService(1))
        for _ in range(2):
            ran = (await it.bridge.execute(Jog(Actuator.LIFT_1, 0, 300))).ran_ms
        assert 250 <= ran <= 310
        turned = it.world.motors[lift(1)].position
        assert 0.4 <= turned / (2 * 300 * 360 / 2000) <= 0.6


async def test_a_jam_and_a_pulled_cable_together_leave_both_on_record():
    """The board reports what it noticed once it is connected again, and is homed as ever."""
    async with rigged() as it:
        await it.fill()
        task = await it.begin(it.build_command())
        await it.until(lambda b: sum(b.state.tiles) > 3)
        it.world.inject("jam", "conveyor.1")
        it.world.inject("unplug")
        with pytest.raises(BridgeError):
            await task
        await it.sleep(0.5)
        assert it.turning() == set()
        it.world.inject("replug")
        await it.until(lambda b: b.connected and b.state is not None)
        assert it.fault == "L02"
        await it.bridge.execute(ClearFault(BY_CODE["L02"].number))
        await it.ready(MachineSettings(SMALL))
        with pytest.raises(MotionFailedError) as failed:
            await it.bridge.execute(it.build_command(again=True))
        assert failed.value.fault is BY_CODE["H01"]
        it.world.inject("jam", "conveyor.1", 0)
        await go_on(it)
        assert (await it.bridge.execute(it.build_command(again=True))).verified
        await raise_rest(it)
        assert standing(it) == sorted(it.world.sets["A"])
