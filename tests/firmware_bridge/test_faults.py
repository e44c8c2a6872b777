"""Every fault the board can notice: right code, right response, nothing else moves."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from firmware_bridge.bridge import MotionFailedError, RefusedError
from firmware_bridge.faults import BY_CODE, Response
from firmware_bridge.layout import TableLayout
from firmware_bridge.messages import Build, ClearFault, MoveCentre, RaiseWalls, RollDice, Unlock
from firmware_bridge.parts import Actuator, CentrePlace, Family, LiftKind, Mode, Refusal, Severity
from firmware_bridge.settings import MachineSettings
from firmware_bridge.simulator import Place
from tests.firmware_bridge.rigged import LEASE, SMALL, Rigged, rigged

CHAIN = TableLayout("24-chain", (3, 3, 3, 3), family=Family.ONE_MOUTH)
TWO_STOP = TableLayout("24-two-stop", (3, 3, 3, 3), lifts=LiftKind.TWO_STOP)
UP = MoveCentre(CentrePlace.UP, 5000, LEASE)
DOWN = MoveCentre(CentrePlace.DOWN, 5000, LEASE)
DICE = RollDice(1000, LEASE)


async def open_centre(it: Rigged) -> None:
    await it.centre(CentrePlace.UP)


async def filled(it: Rigged) -> None:
    await it.fill()


async def built(it: Rigged) -> None:
    await it.fill()
    await it.build()


async def nothing(it: Rigged) -> None:
    pass


def build(it: Rigged) -> Build:
    return it.build_command()


def walls(it: Rigged) -> RaiseWalls:
    return RaiseWalls(it.build_number, it.layout.row_tiles, 5000, LEASE)


@dataclass(frozen=True)
class Case:
    """One fault: what was before, what is asked, what goes wrong."""

    code: str
    before: Callable[[Rigged], Awaitable[None]]
    command: object
    verbs: tuple[tuple[str, str | None, float], ...]
    side: int | None = None
    layout: TableLayout = SMALL
    early: bool = True  # injected before the command, else 600 ms after
    moving: frozenset[Actuator] = frozenset()  # what may have moved


def lift(n: int) -> Actuator:
    return Actuator(Actuator.LIFT_0 + n)


CENTRE = frozenset({Actuator.CENTRE})
LIFTS = frozenset(lift(n) for n in range(4))
BUILDERS = frozenset(a for a in Actuator if a not in (Actuator.CENTRE, Actuator.DICE, *LIFTS))

STOPPING = [
    Case("C01", nothing, UP, (("jam", "centre", 1),), moving=CENTRE),
    Case("C01", nothing, UP, (("open_circuit", "centre", 1),), moving=CENTRE),
    Case("C01", nothing, UP, (("stuck_on", "CENTRE_DOWN", 1),), moving=CENTRE),
    Case("C04", nothing, UP, (("stuck_off", "CENTRE_UP", 1), ("slow", "centre", 2)), moving=CENTRE),
    Case("C05", nothing, UP, (("jam", "centre", 1),), early=False, moving=CENTRE),
    Case("C05", open_centre, DOWN, (("hand", "centre", 1),), moving=CENTRE),
    Case("W01", built, walls, (("jam", "lift.2", 1),), side=2, moving=LIFTS),
    Case("W01", built, walls, (("open_circuit", "lift.1", 1),), side=1, moving=LIFTS),
    Case("W02", built, walls, (("stuck_on", "LIFT_HOME_3", 1),), side=3, moving=LIFTS),
    Case("W03", built, walls, (("stuck_on", "LIFT_HOME_0", 1),), side=0, early=False, moving=LIFTS),
    Case(
        "W03", built, walls, (("stuck_off", "LIFT_TOP_1", 1),), side=1, layout=TWO_STOP,
        moving=LIFTS,
    ),
    Case(
        "W04", built, walls, (("stuck_off", "LIFT_HOME_2", 1),), side=2, early=False, moving=LIFTS
    ),
    Case("W08", built, walls, (("hand", "lift.1", 1),), side=1, moving=LIFTS),
    Case("D01", filled, build, (("jam", "drum", 1),), moving=BUILDERS),
    Case("D01", filled, build, (("open_circuit", "drum", 1),), moving=BUILDERS),
    Case("D03", filled, build, (("lost_tile", None, 1),), moving=BUILDERS),
    Case("D03", filled, build, (("weak_tile", None, 2),), moving=BUILDERS),
    Case("D05", filled, build, (("spikes", "drum", 9),), moving=BUILDERS),
    Case("T01", filled, build, (("lost_tile", None, 3),), side=3, moving=BUILDERS),
    Case("T03", filled, build, (("extra_tile", None, 1),), moving=BUILDERS),
    Case("H01", filled, build, (("stuck_on", "TILE_1", 1),), side=1, moving=BUILDERS),
    Case("H01", filled, build, (("jam", "conveyor.2", 1),), side=2, moving=BUILDERS),
    Case("H02", filled, build, (("jam", "head.0", 1),), side=0, moving=BUILDERS),
    Case("H02", filled, build, (("stuck_off", "CAM_HOME_3", 1),), side=3, early=False,
         moving=BUILDERS),
    Case("H04", filled, build, (("jam", "chain", 1),), layout=CHAIN, moving=BUILDERS),
    Case("H05", filled, build, (("stuck_off", "CHAIN_CORNER", 1),), layout=CHAIN, moving=BUILDERS),
    Case("P03", filled, build, (("jam", "ring", 1),), moving=BUILDERS),
    Case("P02", filled, build, (("brown_out", None, 500),), early=False, moving=BUILDERS),
    Case("P05", filled, build, (("supply", None, 0),), early=False, moving=BUILDERS),
    Case("E02", filled, build, (("lid", None, 1),), early=False, moving=BUILDERS),
    Case("E01", filled, build, (("estop", None, 1),), early=False, moving=BUILDERS),
    Case("E01", built, walls, (("estop", None, 1),), early=False, moving=LIFTS),
    Case("E01", nothing, UP, (("estop", None, 1),), early=False, moving=CENTRE),
    Case("X02", nothing, DICE, (("runaway", "dice", 1),), moving=frozenset({Actuator.DICE})),
]  # fmt: skip


def names(case: Case) -> str:
    return f"{case.code}-{case.verbs[0][0]}-{case.verbs[0][1] or 'table'}".lower()


@pytest.mark.parametrize("case", STOPPING, ids=names)
async def test_a_fault_that_stops_the_table(case):
    async with rigged(case.layout) as it:
        await case.before(it)
        moved_before = dict(it.world.motor_log)
        walls_before = it.world.walls()
        command = case.command(it) if callable(case.command) else case.command
        if not case.early:
            task = await it.begin(command)
            await it.sleep(0.6)
        for verb, where, amount in case.verbs:
            it.world.inject(verb, where, amount)
        if case.early:
            task = asyncio.ensure_future(it.bridge.execute(command))
        with pytest.raises(MotionFailedError) as failed:
            await task
        assert failed.value.fault is BY_CODE[case.code]
        await it.until(lambda b: b.state is not None and b.state.fault)
        await it.until(lambda b: case.code in it.codes)
        assert it.fault == case.code
        if case.side is not None:
            assert it.bridge.state.fault_side == case.side
        assert it.bridge.state.mode is (Mode.ESTOP if case.code == "E01" else Mode.FAULT)
        # A centre that pinched goes back 10 mm; then everything stands, for good.
        await it.sleep(0.3)
        assert it.turning() == set()
        stood = dict(it.world.motor_log)
        await it.sleep(3.0)
        assert dict(it.world.motor_log) == stood
        moved = {a for a in Actuator if it.world.motor_log[a] != moved_before.get(a, 0)}
        assert moved <= case.moving
        if case.code[0] not in "WE":
            assert it.world.walls() == walls_before
        for blocked in (UP, DICE):
            with pytest.raises(RefusedError) as refused:
                await it.bridge.execute(blocked)
            assert refused.value.reason in (Refusal.FAULT, Refusal.ESTOP)
        severity = BY_CODE[case.code].severity
        assert severity >= Severity.PART
        assert it.world.enabled is not (BY_CODE[case.code].response is Response.CUT_SUPPLY)


async def test_a_hand_under_the_closing_centre_is_let_go_by_ten_millimetres():
    async with rigged() as it:
        await it.centre(CentrePlace.UP)
        it.world.inject("hand", "centre")
        with pytest.raises(MotionFailedError):
            await it.bridge.execute(DOWN)
        pressed = 25.0
        await it.sleep(1.0)
        opened = it.world.motors[Actuator.CENTRE].position - pressed
        assert 8.0 <= opened <= 14.0
        assert it.turning() == set()


async def test_a_plate_that_meets_a_hand_stops_all_four_and_is_not_tried_again():
    async with rigged() as it:
        await built(it)
        it.world.inject("hand", "lift.1")
        with pytest.raises(MotionFailedError):
            await it.raise_walls()
        positions = [it.world.motors[lift(n)].position % 360 for n in range(4)]
        await it.sleep(5.0)
        assert [it.world.motors[lift(n)].position % 360 for n in range(4)] == positions
        assert all(place < 180 for place in positions)
        assert it.world.tiles_at(Place.WALL) == []


@pytest.mark.fault("H03")
async def test_walls_never_rise_with_counts_that_are_not_verified():
    async with rigged() as it:
        await it.fill()
        it.world.inject("double_push", "head.1")
        try:
            report = await it.build()
        except MotionFailedError:
            pass
        else:
            assert not report.verified
        assert "H03" in it.codes
        with pytest.raises(RefusedError):
            await it.raise_walls()
        await it.sleep(3.0)
        assert it.world.tiles_at(Place.WALL) == []


async def test_a_missed_push_is_noticed():
    async with rigged() as it:
        await it.fill()
        it.world.inject("missed_push", "head.2")
        report = await it.build()
        assert "H03" in it.codes
        assert not report.verified


@pytest.mark.fault("C03")
async def test_a_drum_that_turns_with_the_mouth_open_cuts_the_supply():
    async with rigged() as it:
        await it.centre(CentrePlace.UP)
        it.world.inject("runaway", "drum")
        await it.until(lambda b: it.fault == "C03")
        await it.sleep(0.2)
        assert not it.world.enabled
        with pytest.raises(RefusedError) as refused:
            await it.bridge.execute(ClearFault(BY_CODE["C03"].number))
            # The drum coasts a moment after the cut; once it stands a person may clear it.
        assert refused.value.reason is Refusal.STILL_PRESENT
        it.world.inject("runaway", "drum", 0)
        await it.sleep(2.0)
        await it.bridge.execute(ClearFault(BY_CODE["C03"].number))
        assert (await it.bridge.execute(Unlock())).mode is Mode.IDLE


async def test_a_centre_will_not_open_while_the_drum_turns():
    async with rigged() as it:
        it.world.inject("runaway", "drum")
        await it.sleep(1.0)
        with pytest.raises(RefusedError) as refused:
            await it.bridge.execute(UP)
        assert refused.value.reason is Refusal.DRUM_TURNING


@pytest.mark.fault("W06")
@pytest.mark.fault("C06")
@pytest.mark.parametrize(("part", "code"), [("lift.2", "W06"), ("centre", "C06")])
async def test_a_part_that_moves_without_a_command_is_reported(part, code):
    async with rigged() as it:
        await it.sleep(0.5)
        it.world.inject("push_down", part)
        await it.until(lambda b: it.fault == code)
        assert it.turning() == set()
        known = it.bridge.state.known
        gone = Actuator.CENTRE if part == "centre" else Actuator.LIFT_2
        assert not known >> gone & 1


@pytest.mark.fault("C02")
async def test_a_slow_centre_is_a_warning_and_arrives():
    async with rigged() as it:
        it.world.inject("slow", "centre", 1.4)
        assert (await it.bridge.execute(UP)).place is CentrePlace.UP
        await it.until(lambda b: "C02" in it.codes)
        assert it.fault is None


@pytest.mark.fault("D07")
async def test_a_build_that_takes_far_too_long_is_stopped():
    settings = MachineSettings(SMALL, build_warn_s=8, build_stop_s=14)
    async with rigged(settings=settings) as it:
        await it.fill()
        it.world.inject("slow_feed", None, 0.15)
        with pytest.raises(MotionFailedError):
            await it.build()
        assert it.codes == ["D02", "D07"]
        assert it.turning() == set()


@pytest.mark.fault("D02")
async def test_a_slow_build_is_a_warning_and_goes_on():
    settings = MachineSettings(SMALL, build_warn_s=8)
    async with rigged(settings=settings) as it:
        await it.fill()
        it.world.inject("slow_feed", None, 0.3)
        assert (await it.build()).verified
        assert it.codes == ["D02"]


@pytest.mark.fault("X01")
async def test_dice_that_do_not_turn_stop_only_the_dice():
    async with rigged() as it:
        await it.fill()
        building = await it.begin(it.build_command())
        it.world.inject("dice_dead")
        with pytest.raises(MotionFailedError) as failed:
            await it.bridge.execute(DICE)
        assert failed.value.fault is BY_CODE["X01"]
        assert (await building).verified


async def test_a_jammed_side_stops_alone_and_the_others_finish():
    async with rigged() as it:
        await it.fill()
        it.world.inject("jam", "head.0")
        with pytest.raises(MotionFailedError):
            await it.build()
        tiles = it.bridge.state.tiles
        assert tiles[0] == 0
        assert tiles[1:] == SMALL.row_tiles[1:]
        assert it.world.motors[Actuator.HEAD_0].position == 0.0


async def test_a_soft_jam_of_the_drum_is_cleared_by_turning_back():
    async with rigged() as it:
        await it.fill()
        it.world.inject("soft_jam", "drum")
        assert (await it.build()).verified
        assert it.codes == []


async def test_a_soft_jam_of_a_conveyor_is_cleared_by_turning_back():
    async with rigged() as it:
        await it.fill()
        it.world.inject("soft_jam", "conveyor.3")
        assert (await it.build()).verified
        assert it.codes == []


async def test_a_jammed_drum_is_turned_back_twice_for_300_ms_and_not_more():
    async with rigged() as it:
        await it.fill()
        it.world.inject("jam", "drum")
        backward: list[int] = []
        original = it.world.drive

        def watch(forward, reverse, **power):
            backward.append(bool(reverse >> Actuator.DRUM & 1))
            original(forward, reverse, **power)

        it.world.drive = watch
        with pytest.raises(MotionFailedError):
            await it.build()
        starts = sum(b and not a for a, b in itertools.pairwise(backward))
        assert starts == 2


@pytest.mark.fault("S02")
async def test_a_flickering_sensor_is_reported_while_nothing_moves():
    async with rigged() as it:
        await it.sleep(0.5)
        it.world.inject("flaky", "TILE_2", 0.2)
        await it.until(lambda b: "S02" in it.codes)
        assert it.fault is None
        assert it.turning() == set()


async def test_an_overheated_motor_has_to_cool_down():
    async with rigged() as it:
        await it.fill()
        it.world.inject("jam", "ring")
        with pytest.raises(MotionFailedError):
            await it.build()
        it.world.inject("jam", "ring", 0)
        await it.bridge.execute(ClearFault(BY_CODE["P03"].number))
        await it.bridge.execute(Unlock())
        with pytest.raises(RefusedError) as refused:
            await it.bridge.execute(it.build_command(again=True))
        assert refused.value.reason is Refusal.COOLING
        await it.sleep(21.0)
        assert (await it.bridge.execute(it.build_command(again=True))).verified


async def test_a_motor_that_overheats_twice_in_ten_minutes_stays_off():
    number = BY_CODE["P03"].number
    async with rigged() as it:
        await it.fill()
        it.world.inject("jam", "ring")
        with pytest.raises(MotionFailedError):
            await it.build()
        await it.bridge.execute(ClearFault(number))
        await it.bridge.execute(Unlock())
        await it.sleep(21.0)
        with pytest.raises(MotionFailedError):
            await it.bridge.execute(it.build_command(again=True))
        await it.sleep(60.0)
        with pytest.raises(RefusedError) as refused:
            await it.bridge.execute(ClearFault(number))
        assert refused.value.reason is Refusal.COOLING


async def test_dice_that_are_held_are_not_thrown():
    async with rigged() as it:
        it.world.inject("jam", "dice")
        with pytest.raises(MotionFailedError) as failed:
            await it.bridge.execute(DICE)
        assert failed.value.fault is BY_CODE["X01"]


async def test_a_dip_of_the_supply_shorter_than_sixty_milliseconds_is_ridden_through():
    async with rigged() as it:
        await it.fill()
        building = await it.begin(it.build_command())
        await it.sleep(1.0)
        it.world.inject("brown_out", None, 40)
        assert (await building).verified
        assert it.codes == []


async def test_leaving_the_emergency_stop_takes_release_and_two_words_of_a_person():
    async with rigged() as it:
        it.world.inject("estop", None, 1)
        await it.until(lambda b: it.fault == "E01")
        number = BY_CODE["E01"].number
        with pytest.raises(RefusedError) as refused:
            await it.bridge.execute(ClearFault(number))
        assert refused.value.reason is Refusal.STILL_PRESENT
        it.world.inject("estop", None, 0)
        await it.sleep(1.0)
        assert it.bridge.state.mode is Mode.ESTOP  # release alone restarts nothing
        assert (await it.bridge.execute(ClearFault(number))).mode is Mode.LOCKED
        with pytest.raises(RefusedError):
            await it.bridge.execute(UP)
        assert (await it.bridge.execute(Unlock())).mode is Mode.IDLE
