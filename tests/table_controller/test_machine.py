"""The table's cycle over the real wire, the real firmware and the simulated mechanism."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from firmware_bridge.bridge import Bridge, LinkState, MotionFailedError
from firmware_bridge.clock import sleep
from firmware_bridge.errors import BridgeError
from firmware_bridge.faults import BY_CODE, CATALOGUE, Witness
from firmware_bridge.journal import FileJournal, MemoryJournal
from firmware_bridge.layout import CentreKind, TableLayout
from firmware_bridge.parts import Actuator, Family, LiftKind, Mode, Sensor, Severity
from firmware_bridge.settings import MachineSettings, unmeasured
from firmware_bridge.simulator import Place, SimulatedTable
from table_controller.machine import Machine, NotNowError, Phase, SetPlace
from tests.firmware_bridge.rigged import within
from tests.table_controller.played import LARGER, MIDDLE, SMALL, playing


class OtherSettings(MachineSettings):
    """Sends one thing and expects another: a board that keeps its settings wrongly."""

    @property
    def crc(self) -> int:
        return super().crc ^ 1


async def test_a_new_table_is_locked_until_somebody_confirms():
    async with playing(confirm=False) as it:
        assert it.machine.phase is Phase.LOCKED
        with pytest.raises(NotNowError, match="cannot open the centre while locked"):
            await it.machine.open_mouth()
        await it.sleep(5.0)
        assert not it.world.motor_log
        await it.machine.press_lift(2)  # a person at the table
        assert it.machine.phase is Phase.IDLE_EMPTY


async def test_the_cycle_goes_through_its_phases_in_order():
    async with playing() as it:
        await it.in_play()
        begins = it.phases.index(Phase.IDLE_EMPTY)
        assert it.phases[begins:] == [
            Phase.IDLE_EMPTY,
            Phase.FEEDING,
            Phase.IDLE_EMPTY,
            Phase.BUILDING,
            Phase.READY,
            Phase.FEEDING,
            Phase.READY,
            Phase.RAISING,
            Phase.READY,
            Phase.PLAYING,
        ]
        standing = {t for side in it.world.walls() for stack in side for t in stack}
        assert standing == set(it.world.sets["A"])
        rows = set(it.world.tiles_at(Place.ROW))
        assert rows == set(it.world.sets["B"])


async def test_three_deals_swap_the_sets():
    async with playing() as it:
        await it.in_play()
        for played, pushed in (("B", "A"), ("A", "B"), ("B", "A")):
            await it.feed(pushed)
            assert it.machine.view.playing == played
            standing = {t for side in it.world.walls() for stack in side for t in stack}
            assert standing == set(it.world.sets[played])
            await it.until(lambda m, name=pushed: m.sets[name] is SetPlace.ROWS)


async def test_a_table_with_one_set_raises_when_it_is_built():
    async with playing(sets="A") as it:
        await it.feed("A")
        await it.phase(Phase.PLAYING)
        assert len(it.world.tiles_at(Place.WALL)) == SMALL.tiles
        await it.feed("A")
        await it.until(lambda m: m.phase is Phase.BUILDING)
        await it.phase(Phase.PLAYING)


async def test_the_walls_wait_for_a_key_when_they_shall_not_rise_by_themselves():
    async with playing() as it:
        it.machine.raise_by_itself = False
        await it.first_wall()
        await it.feed("B")
        await it.sleep(3.0)
        assert it.world.tiles_at(Place.WALL) == []
        assert it.machine.phase is Phase.READY
        await it.machine.press_lift(0)
        assert it.machine.phase is Phase.PLAYING
        await it.machine.press_lift(0)  # next: the other set is inside and waits to be built


async def test_progress_grows_and_the_time_left_is_learned():
    async with playing() as it:
        await it.first_wall()
        seen = [view.progress for view in it.views if view.progress is not None]
        assert seen == sorted(seen)
        assert seen[0] < 0.2
        assert seen[-1] > 0.9
        first_guess = next(v.seconds_left for v in it.views if v.seconds_left is not None)
        assert first_guess > 15  # nobody has timed this table yet
        it.views.clear()
        await it.feed("B")
        await it.until(lambda m: m.sets["B"] is SetPlace.ROWS)
        learned = next(v.seconds_left for v in it.views if v.seconds_left)
        assert learned < first_guess / 1.5


async def test_the_dice_roll_while_the_other_wall_is_built():
    async with playing() as it:
        await it.first_wall()
        await it.feed("B")
        throw = await it.machine.roll_dice()
        assert not throw.stand_in
        assert it.machine.view.building == "B"
        assert len(it.world.dice()) == 2
        it.world.inject("dice_dead")
        assert (await it.machine.roll_dice()).stand_in
        assert "X01" in it.codes
        await it.until(lambda m: m.sets["B"] is SetPlace.ROWS)


@pytest.mark.fault("K02")
async def test_one_key_during_a_build_does_nothing_and_says_why():
    async with playing() as it:
        await it.feed("A")
        await it.sleep(2.0)
        await it.machine.press_lift(1)
        assert it.codes == {"K02"}
        await it.sleep(1.0)
        assert it.machine.phase is Phase.BUILDING
        await it.phase(Phase.READY)
        assert it.codes == set()


async def test_two_keys_add_forgotten_tiles_to_a_running_build():
    async with playing() as it:
        await it.feed("A", without=3)
        await it.sleep(2.0)
        await it.machine.press_lift(1)
        await it.machine.press_lift(3)
        assert it.machine.phase is Phase.ADDING
        assert Actuator.DRUM not in it.turning()
        it.world.push_into_mouth(it.world.sets["A"][:3])
        await it.machine.press_lift(3)
        assert it.machine.phase is Phase.BUILDING
        await it.phase(Phase.READY)
        assert sorted(it.world.tiles_at(Place.ROW)) == list(it.world.sets["A"])


@pytest.mark.fault("T02")
async def test_missing_tiles_are_counted_said_and_added():
    async with playing() as it:
        await it.feed("A", without=2)
        await it.phase(Phase.FAULT)
        await it.until(lambda m: "T02" in it.codes)
        missing = next(f for f in it.machine.faults if f.fault.code == "T02")
        assert missing.value == 2
        assert it.turning() == set()
        await it.machine.press_lift(0)  # confirm
        await it.sleep(1.0)
        assert it.turning() == set()  # nothing was found yet: it does not go on by itself
        assert it.codes == {"T02"}  # what is to be done stands there until it is done
        assert it.views[-1].phase is Phase.HALTED
        assert it.views[-1].halted.why == "Tiles of the set are missing."
        assert it.views[-1].seconds_left is None
        await it.machine.press_lift(0)  # open
        assert it.machine.phase is Phase.ADDING
        it.world.push_into_mouth(it.world.sets["A"][:2])
        await it.sleep(1.0)
        await it.machine.press_lift(0)  # close: the build goes on
        await it.phase(Phase.READY)
        assert it.codes == set()


async def test_a_build_that_service_broke_off_waits_and_says_so_until_a_key_sends_it_on():
    async with playing() as it:
        await it.feed("A")
        await it.sleep(3.0)
        it.world.inject("jam", "head.1")
        await it.phase(Phase.FAULT)
        it.world.inject("jam", "head.1", 0)
        await it.machine.enter_service()
        await it.machine.leave_service()
        await it.until(lambda m: m.phase is Phase.HALTED)
        assert it.views[-1].phase is Phase.HALTED
        assert it.codes == set()
        assert it.views[-1].halted.why == "The build was broken off."
        with pytest.raises(NotNowError) as refused:
            await it.machine.raise_walls()
        assert refused.value.why == "The build was broken off."
        await it.machine.press_lift(0)
        assert it.machine.phase is Phase.ADDING
        await it.machine.press_lift(0)
        assert it.machine.phase is Phase.BUILDING
        assert it.views[-1].halted is None
        await it.phase(Phase.READY)


async def test_walls_with_doubtful_counts_stay_down():
    async with playing() as it:
        await it.machine.press_lift(0)
        it.world.push_into_mouth(it.world.sets["A"])
        it.world.inject("missed_push", "head.2")
        await it.machine.press_lift(0)
        await it.until(lambda m: "H03" in it.codes and m.view.building and not m._build_running())
        with pytest.raises(BridgeError):
            await it.machine.raise_walls()
        assert it.world.tiles_at(Place.WALL) == []
        with pytest.raises(NotNowError, match="two lift keys"):
            await it.machine.press_lift(0)
        await it.machine.press_lift(1)  # soon after the other: the rows come up
        await it.phase(Phase.IDLE_EMPTY)
        it.world.clear_walls()
        await it.sleep(1.0)
        await it.machine.press_lift(0)
        it.world.push_into_mouth(it.world.sets["A"])
        await it.machine.press_lift(0)
        await it.phase(Phase.READY)
        assert "H03" not in it.codes


async def test_an_emergency_stop_in_a_build_goes_on_after_release_and_a_key():
    async with playing() as it:
        await it.feed("A")
        await it.sleep(3.0)
        it.world.inject("estop", None, 1)
        await it.phase(Phase.ESTOP)
        assert it.turning() == set()
        with pytest.raises(NotNowError, match="E01"):
            await it.machine.press_lift(0)
        it.world.inject("estop", None, 0)
        await it.sleep(2.0)
        assert it.machine.phase is Phase.ESTOP
        await it.machine.press_lift(0)
        await it.phase(Phase.READY)
        assert it.codes == set()


@pytest.mark.fault("P01")
@pytest.mark.fault("L01")
async def test_a_pulled_cable_is_plugged_in_and_the_build_goes_on_after_a_key():
    async with playing() as it:
        await it.feed("A")
        await it.sleep(3.0)
        it.world.inject("unplug")
        await it.phase(Phase.OFFLINE)
        await it.until(lambda m: "P01" in it.codes)
        assert "L01" in it.codes
        assert it.turning() == set()
        it.world.inject("replug")
        await it.until(lambda m: m.phase in (Phase.FAULT, Phase.LOCKED))
        await it.sleep(3.0)
        assert it.turning() == set()
        await it.machine.press_lift(0)
        await it.phase(Phase.READY)
        assert it.codes == set()


@pytest.mark.parametrize("while_playing", [False, True])
@pytest.mark.fault("L03")
@pytest.mark.fault("P04")
async def test_a_board_that_restarts_in_a_build_has_to_give_the_tiles_back(while_playing):
    async with playing(MIDDLE) as it:
        name = "A"
        if while_playing:
            await it.first_wall()
            name = "B"
        await it.feed(name)
        await it.sleep(4.0)
        it.world.inject("reset")
        await it.until(lambda m: {"L03", "P04"} <= it.codes)
        await it.phase(Phase.LOCKED)
        await it.machine.press_lift(0)  # confirm: homes, and moves nothing more
        await it.sleep(1.0)
        assert it.turning() == set()
        assert len(it.world.tiles_at(Place.ROW)) > 0
        with pytest.raises(NotNowError, match="two lift keys together"):
            it.machine.begin_build()
        with pytest.raises(NotNowError, match="two lift keys together"):
            await it.machine.press_lift(1)
        it.world.clear_walls()  # people clear the deck and lay that set aside
        await it.machine.press_lift(2)
        assert it.world.tiles_at(Place.ROW) == []
        assert it.codes == set()
        it.world.clear_walls()
        await it.sleep(1.0)
        await it.machine.press_lift(0)
        back = set(it.world.tiles_at(Place.SURFACE)) & set(it.world.sets[name])
        it.world.push_into_mouth(sorted(back))
        await it.machine.close_mouth(name)
        assert (await it.machine.begin_build()).verified
        assert sorted(it.world.tiles_at(Place.ROW)) == list(it.world.sets[name])


async def test_a_program_that_restarts_in_a_build_remembers_it(tmp_path):
    journal = FileJournal(tmp_path / "machine.json")
    async with playing(journal=journal) as it:
        await it.first_wall()
        await it.feed("B")
        await it.sleep(3.0)
        again = Machine(it.bridge, MachineSettings(SMALL), journal=journal)
        assert again.sets == {"A": SetPlace.PLAY, "B": SetPlace.INSIDE}
        assert again.view.building == "B"
        await it.until(lambda m: m.sets["B"] is SetPlace.ROWS)
        assert journal.load()["sets"]["B"] == "rows"


def test_a_torn_journal_counts_as_none(tmp_path):
    path = tmp_path / "machine.json"
    path.write_text('{"sets": {"A"')
    assert FileJournal(path).load() == {}
    assert FileJournal(tmp_path / "none.json").load() == {}


@pytest.mark.fault("T04")
async def test_rows_that_were_built_for_another_game_are_brought_up():
    """The program was started with another set of tiles while a wall waited below the deck."""
    journal = MemoryJournal()
    async with playing(journal=journal) as it:
        await it.in_play()
        for settings in (LARGER, LARGER, SMALL):  # SMALL: the right one is set again
            again = Machine(it.bridge, MachineSettings(settings), journal=journal)
            codes = {active.fault.code for active in again.faults}
            assert codes == (set() if settings is SMALL else {"T04", "P04"})
            assert again.rows_are_unknown is (settings is not SMALL)
            again._save()  # as it does now and then: the next start knows it still
    larger = MemoryJournal()
    larger.save(journal.load() | {"stacks": LARGER.stacks})
    async with playing(journal=larger) as it:
        assert {"T04", "P04"} <= it.codes
        await it.machine.recover()
        assert it.codes == set()
        assert set(it.machine.sets.values()) == {SetPlace.TABLE}


async def test_a_fault_keeps_the_picture_of_the_five_seconds_before():
    async with playing() as it:
        await it.feed("A")
        await it.sleep(3.0)
        it.world.inject("jam", "head.1")
        await it.phase(Phase.FAULT)
        first = next(f for f in it.machine.faults if f.fault.code == "H02")
        assert len(first.picture) > 20
        span = first.picture[-1].at_ms - first.picture[0].at_ms
        assert 2500 <= span <= 5000
        assert first.side == 1
        assert it.machine.book.history[-1].picture


@pytest.mark.parametrize(
    "code",
    [f.code for f in CATALOGUE if f.witness is not Witness.BOARD and f.code != "X04"],
)
async def test_what_host_camera_and_people_notice_stops_as_much_as_it_must(code):
    fault = BY_CODE[code]
    async with playing() as it:
        await it.machine.open_mouth()
        assert it.turning() == set()
        closing = asyncio.ensure_future(it.machine.close_mouth("A"))
        await it.sleep(0.3)
        assert it.turning() == {Actuator.CENTRE}
        it.machine.raise_fault(code)
        await it.sleep(0.05)
        assert code in it.codes
        if fault.severity >= Severity.FAULT:
            assert it.turning() == set()
            with pytest.raises(MotionFailedError):
                await closing
            await it.phase(Phase.LOCKED)
            await it.machine.confirm()
            assert it.codes == set()
        else:
            assert it.turning() == {Actuator.CENTRE}
            await closing
            it.machine.dismiss(code)
            assert it.codes == set()


@pytest.mark.fault("K01")
@pytest.mark.fault("X04")
async def test_liquid_in_the_panel_cuts_the_supply():
    async with playing() as it:
        it.machine.key_stuck(0)
        assert it.codes == {"K01"}
        it.machine.key_stuck(1)
        await it.until(lambda m: m.phase is Phase.FAULT)
        assert "X04" in it.codes
        await it.sleep(0.2)
        assert not it.world.enabled
        with pytest.raises(NotNowError, match="X04"):  # both keys are wet still
            await it.machine.confirm()
        assert not it.world.enabled
        it.machine.key_freed(1)
        await it.machine.confirm()
        await it.sleep(0.2)
        assert it.world.enabled


@pytest.mark.fault("S03")
async def test_many_alarms_are_a_concern_of_their_own():
    async with playing() as it:
        await it.machine.open_mouth()
        for _ in range(5):
            it.world.inject("hand", "centre")
            with pytest.raises(MotionFailedError):
                await it.machine.close_mouth("A")
            it.world.inject("hand", "centre", 0)
            await it.phase(Phase.FAULT)
            await it.machine.confirm()
            if it.machine.phase is not Phase.FEEDING:
                await it.machine.open_mouth()
        assert "S03" in it.codes


async def test_wear_is_read_and_a_slow_motor_warned_of_early():
    async with playing() as it:
        await it.machine.open_mouth()
        await it.machine.close_mouth("A")
        reports = {report.part: report for report in await it.machine.wear()}
        assert reports[Actuator.CENTRE].strokes == 2
        assert not reports[Actuator.CENTRE].is_early_warning
        it.world.inject("slow", "centre", 1.2)
        for _ in range(12):
            await it.machine.open_mouth()
            await it.machine.close_mouth("A")
        reports = {report.part: report for report in await it.machine.wear()}
        assert reports[Actuator.CENTRE].is_early_warning
        assert it.codes == set()  # 20 % slower is not yet C02


async def test_strokes_are_counted_over_restarts_of_the_board_and_of_the_program():
    journal = MemoryJournal()
    async with playing(journal=journal) as it:
        for _ in range(2):
            await it.machine.open_mouth()
            await it.machine.close_mouth("A")
            await it.machine.wear()
        it.world.inject("reset")
        await it.until(lambda m: "L03" in it.codes)
        await it.phase(Phase.LOCKED)
        await it.machine.confirm()
        await it.machine.open_mouth()
        assert {r.part: r.strokes for r in await it.machine.wear()}[Actuator.CENTRE] == 5
        again = Machine(it.bridge, MachineSettings(SMALL), journal=journal)
        assert {r.part: r.strokes for r in await again.wear()}[Actuator.CENTRE] == 5


async def test_the_second_tile_that_comes_up_face_up_stops_the_table():
    async with playing() as it:
        it.machine.raise_fault("D04", side=1)
        await it.sleep(0.3)
        assert it.machine.phase is Phase.IDLE_EMPTY
        it.machine.raise_fault("D04", side=1)
        await it.phase(Phase.LOCKED)


async def test_service_turns_single_motors_while_a_key_is_held():
    async with playing() as it:
        with pytest.raises(NotNowError, match="cannot jog DRUM while idle_empty"):
            await it.machine.jog(Actuator.DRUM)
        await it.machine.enter_service()
        assert it.machine.phase is Phase.SERVICE
        assert it.machine.sensors()[Sensor.CENTRE_DOWN]
        ran = 0
        for _ in range(4):
            ran = max(ran, (await it.machine.jog(Actuator.LIFT_1)).ran_ms)
        assert 200 <= ran <= 300
        assert it.turning() == set()
        assert not it.machine.sensors()[Sensor.LIFT_HOME_1]
        await it.machine.leave_service()
        assert it.machine.phase is Phase.IDLE_EMPTY
        assert it.machine.sensors()[Sensor.LIFT_HOME_1]


@pytest.mark.fault("S04")
@pytest.mark.fault("D06")
async def test_a_slower_drum_and_slower_builds_are_service_notes():
    async with playing(MIDDLE, sets="A") as it:
        it.machine.raise_by_itself = False
        for _ in range(2):
            await it.feed("A")
            await it.phase(Phase.READY)
            await it.machine.raise_walls()
        assert it.codes == set()
        it.world.inject("slow", "drum", 1.35)
        it.world.inject("slow_feed", None, 0.3)
        await it.feed("A")
        await it.phase(Phase.READY)
        assert {"S04", "D06"} <= it.codes
        assert it.machine.phase is Phase.READY


@pytest.mark.fault("S01")
async def test_a_chattering_tile_sensor_wants_to_be_wiped():
    async with playing(MIDDLE) as it:
        await it.machine.press_lift(0)
        it.world.push_into_mouth(it.world.sets["A"])
        await it.machine.press_lift(0)
        flickers = 0
        while flickers < 12:  # now and then, too short for a tile, not while the head turns
            await it.sleep(0.17)
            if Actuator.HEAD_2 in it.turning():
                continue
            flickers += 1
            it.world.inject("stuck_on", "TILE_2")
            await it.sleep(0.01)
            it.world.inject("unstick", "TILE_2")
        await it.until(lambda m: m.view.building is None)
        assert "S01" in it.codes
        assert next(f for f in it.machine.faults if f.fault.code == "S01").side == 2


@pytest.mark.fault("X05")
async def test_another_firmware_than_the_released_one_is_said():
    async with playing(confirm=False) as it:
        other = Machine(it.bridge, MachineSettings(SMALL), firmware_ids=frozenset({1}))
        async with other:
            await it.sleep(0.5)
            assert {f.fault.code for f in other.faults} == {"X05"}
            await replugged(it)
            assert other.book.has("X05")  # it is the same board still
            other._firmware_ids = frozenset({it.bridge.board.build_id})  # as if it were installed
            await replugged(it)
            assert not other.book.has("X05")
        assert not it.machine.book.has("X05")


async def replugged(it):
    """The board is pulled out and comes back."""
    it.world.inject("unplug")
    while it.bridge.connected:
        await it.sleep(0.1)
    it.world.inject("replug")
    while not it.bridge.connected:
        await it.sleep(0.1)


@pytest.mark.fault("L04")
async def test_a_board_of_another_version_moves_nothing():
    labels = [str(n) for n in range(SMALL.tiles)]
    with SimulatedTable(SMALL, labels) as table:
        async with (
            Bridge(table.port, clock=table.clock, table_hash=99) as bridge,
            Machine(bridge, MachineSettings(SMALL), sets="A") as machine,
        ):
            await within(
                table.clock,
                10.0,
                bridge.wait_for(lambda b: b.link_state is LinkState.WRONG_BOARD),
            )
            await sleep(table.clock, 0.5)
            assert machine.phase is Phase.FAULT
            assert {f.fault.code for f in machine.faults} == {"L04"}
            with pytest.raises(BridgeError):
                await machine.confirm()
            assert not table.world.motor_log


async def test_the_stop_of_the_screen_stops_and_locks():
    async with playing() as it:
        await it.feed("A")
        await it.sleep(2.0)
        it.machine.stop()
        await it.sleep(0.1)
        assert it.turning() == set()
        await it.phase(Phase.LOCKED)
        assert it.bridge.state is not None
        assert it.bridge.state.mode is Mode.LOCKED
        await it.machine.press_lift(0)
        await it.phase(Phase.READY)


async def test_what_a_key_may_not_do_because_of_the_lid_is_shown_at_the_table():
    async with playing(confirm=False) as it:
        it.world.inject("lid", None, 1)
        await it.sleep(0.3)
        with pytest.raises(NotNowError, match="E02: The lid is open"):
            await it.machine.press_lift(0)
        await it.phase(Phase.LOCKED)
        assert it.codes == {"E02"}
        it.world.inject("lid", None, 0)
        await it.sleep(0.3)
        await it.machine.press_lift(0)
        assert (it.machine.phase, it.codes) == (Phase.IDLE_EMPTY, set())
        await it.machine.press_lift(0)
        assert it.machine.phase is Phase.FEEDING


async def test_a_stop_ends_service_mode_and_a_key_goes_on():
    async with playing() as it:
        await it.machine.enter_service()
        await it.machine.jog(Actuator.CENTRE)
        it.machine.stop()
        await it.phase(Phase.LOCKED)
        await it.machine.press_lift(0)
        await it.machine.press_lift(0)
        assert it.machine.phase is Phase.FEEDING


async def test_the_power_goes_while_tiles_are_added():
    async with playing() as it:
        await it.feed("A")
        await it.sleep(0.6)
        for seat in (0, 1):
            await it.machine.press_lift(seat)
        assert it.machine.phase is Phase.ADDING
        it.world.inject("power_cycle")
        await it.until(lambda m: {"L03", "P04"} <= it.codes)
        await it.phase(Phase.LOCKED)
        await it.machine.press_lift(0)
        assert it.codes == {"P04"}  # what is to be done stands there until it is done
        with pytest.raises(NotNowError, match="two lift keys together"):
            await it.machine.press_lift(0)
        await it.machine.press_lift(1)
        assert (it.machine.phase, it.codes) == (Phase.IDLE_EMPTY, set())
        assert it.world.tiles_at(Place.ROW) == []


async def test_a_program_that_restarts_while_tiles_are_added_goes_on_adding():
    journal = MemoryJournal()
    async with playing(journal=journal) as it:
        await it.feed("A", without=2)
        await it.sleep(0.6)
        for seat in (0, 1):
            await it.machine.press_lift(seat)
        again = Machine(it.bridge, it.machine.settings, journal=journal)
        async with again:
            assert again.phase is Phase.ADDING
            it.world.push_into_mouth(it.world.sets["A"][:2])
            await again.press_lift(0)
            await it.until(lambda _: again.phase is Phase.READY)
            assert again.sets == {"A": SetPlace.ROWS, "B": SetPlace.TABLE}


async def test_a_program_that_starts_while_the_board_is_in_a_fault_shows_it():
    async with playing() as it:
        it.world.inject("push_down", "lift.1", 1)
        await it.until(lambda m: it.codes == {"W06"})
        await it.sleep(0.5)
        async with Machine(it.bridge, it.machine.settings) as again:
            await it.sleep(0.5)
            shown = [(active.fault.code, active.side) for active in again.faults]
            assert shown == [("W06", 1)]


async def test_a_key_that_is_pressed_while_the_table_moves_does_nothing_later_either():
    async with playing() as it:
        opening = asyncio.create_task(it.machine.press_lift(0))
        await it.sleep(0.3)
        with pytest.raises(NotNowError, match="The table is moving"):
            await it.machine.press_lift(2)
        await opening
        await it.sleep(1.0)
        assert it.machine.phase is Phase.FEEDING


async def test_steps_out_of_order_say_what_to_do_first():
    async with playing(journal=MemoryJournal()) as it:
        with pytest.raises(NotNowError, match="No wall is built yet"):
            await it.machine.raise_walls()
        with pytest.raises(NotNowError, match="Open the centre and push one in"):
            it.machine.begin_build()
        with pytest.raises(NotNowError, match="closed already"):
            await it.machine.close_mouth()
        with pytest.raises(NotNowError, match="only while a wall is being built"):
            await it.machine.add_tiles()
        await it.feed("A")
        with pytest.raises(NotNowError, match=r"K02: .* Press two lift keys"):
            await it.machine.open_mouth()
        with contextlib.suppress(BridgeError):
            await it.phase(Phase.READY)
        with pytest.raises(NotNowError, match="No set of tiles is inside"):
            it.machine.begin_build()


async def test_a_tile_too_many_is_found_on_the_table_and_the_build_ends():
    """The rows come up, people take out what does not belong, and the rest is counted anew."""
    async with playing() as it:
        it.world.inject("extra_tile")
        foreign = max(it.world.labels)
        await it.feed("A")
        for _ in range(8):  # now and then the foreign one is that which stays below
            await it.until(lambda m: m.phase in (Phase.FAULT, Phase.READY))
            if it.machine.phase is Phase.READY:
                break
            assert it.codes == {"T03"}
            assert it.world.tiles_at(Place.WALL) == []
            await it.machine.press_lift(0)  # confirm
            assert it.codes == {"T03"}  # what is to be done stands there until it is done
            await it.sleep(1.0)
            with pytest.raises(NotNowError, match="press two lift keys together"):
                await it.machine.press_lift(0)
            await it.machine.press_lift(1)
            assert (it.machine.phase, it.codes) == (Phase.IDLE_EMPTY, set())
            it.world.clear_walls()
            it.world.carry_off([foreign])
            await it.sleep(1.0)
            await it.machine.press_lift(0)
            mine = {*it.world.sets["A"], foreign} & set(it.world.tiles_at(Place.SURFACE))
            it.world.push_into_mouth(sorted(mine))
            await it.sleep(1.0)
            await it.machine.press_lift(1)
        await it.phase(Phase.READY)
        assert it.codes == set()
        assert sorted(it.world.tiles_at(Place.ROW)) == list(it.world.sets["A"])
        assert it.world.tiles_at(Place.OUT) == [foreign]


@pytest.mark.fault("P04")
async def test_a_board_that_forgets_finished_rows_has_them_brought_up():
    async with playing() as it:
        await it.first_wall()
        it.world.inject("power_cycle")
        await it.until(lambda m: {"L03", "P04"} <= it.codes)
        await it.phase(Phase.LOCKED)
        await it.machine.press_lift(0)
        with pytest.raises(NotNowError, match="count of the tiles is not sure"):
            await it.machine.press_lift(0)
        await it.machine.press_lift(1)
        assert (it.machine.phase, it.codes) == (Phase.IDLE_EMPTY, set())
        assert len(it.world.tiles_at(Place.WALL)) == SMALL.tiles


async def test_liquid_after_the_emergency_stop_wants_a_word_of_its_own():
    async with playing() as it:
        it.world.inject("estop", None, 1)
        await it.phase(Phase.ESTOP)
        it.machine.key_stuck(0)
        it.machine.key_stuck(1)
        await it.sleep(0.3)
        assert {"E01", "X04"} <= it.codes
        it.world.inject("estop", None, 0)
        await it.sleep(0.2)
        with pytest.raises(NotNowError, match="X04: Liquid may be in the panel"):
            await it.machine.press_lift(0)
        assert "E01" not in it.codes
        assert "X04" in it.codes
        assert it.machine.phase is Phase.FAULT
        assert not it.world.enabled
        it.machine.key_freed(0)
        await it.machine.press_lift(0)
        assert it.machine.phase is Phase.IDLE_EMPTY


async def test_an_emergency_stop_while_walls_rise_loses_no_tile():
    async with playing() as it:
        await it.first_wall()
        await it.machine.press_lift(0)
        it.world.push_into_mouth(it.world.sets["B"])
        closing = asyncio.ensure_future(it.machine.press_lift(1))
        await it.until(lambda m: m.phase is Phase.RAISING)
        await it.sleep(0.9)
        it.world.inject("estop", None, 1)
        with pytest.raises(MotionFailedError):
            await closing
        await it.phase(Phase.ESTOP)
        assert it.turning() == set()
        it.world.inject("estop", None, 0)
        await it.sleep(0.2)
        await it.machine.press_lift(0)  # confirm: the plates finish their turn or go back
        await it.machine.press_lift(0)  # raise what is left in the rows
        assert it.machine.phase is Phase.PLAYING
        assert sorted(it.world.tiles_at(Place.WALL)) == list(it.world.sets["A"])


async def test_a_board_that_holds_other_settings_than_it_was_told_moves_nothing():
    async with playing(confirm=False) as it:
        it.machine.settings = OtherSettings(SMALL)
        with pytest.raises(NotNowError, match="L04: Board and program speak different versions"):
            await it.machine.press_lift(0)
        await it.sleep(1.0)
        assert it.codes == {"L04"}
        assert it.machine.phase is Phase.LOCKED
        assert not it.world.motor_log


async def test_a_key_is_told_in_words_that_the_drum_has_not_come_to_rest():
    async with playing() as it:
        it.world.inject("runaway", "drum")
        await it.sleep(1.0)
        with pytest.raises(NotNowError) as refused:
            await it.machine.press_lift(0)
        assert refused.value.why == "The drum is still turning."
        assert "technician" in refused.value.hint
        assert not it.codes


async def test_keys_in_service_and_without_a_board_say_why_nothing_happens():
    async with playing(confirm=False) as it:
        it.world.inject("push_down", "centre")  # so that it has to be homed
        await it.sleep(0.5)
        confirming = asyncio.create_task(it.machine.confirm())  # on the staff's screen
        await it.phase(Phase.HOMING)
        with pytest.raises(NotNowError, match="The table is moving"):
            await it.machine.press_lift(0)
        await confirming
        await it.machine.enter_service()
        with pytest.raises(NotNowError, match="in service"):
            await it.machine.press_lift(0)
        await it.machine.leave_service()
        it.world.inject("unplug")
        await it.phase(Phase.OFFLINE)
        with pytest.raises(NotNowError, match="does not answer"):
            await it.machine.press_lift(0)


@pytest.mark.parametrize("family", list(Family))
async def test_every_kind_of_machine_plays_with_a_lid_and_plates_that_feel_their_top(family):
    kind = TableLayout(
        "24", (3, 3, 3, 3), family=family, lifts=LiftKind.TWO_STOP, centre=CentreKind.LID
    )
    async with playing(kind, sets="A") as it:
        await it.feed("A")
        await it.phase(Phase.PLAYING)
        assert sorted(it.world.tiles_at(Place.WALL)) == list(it.world.sets["A"])
        assert it.codes == set()


async def test_a_table_that_nobody_measured_may_be_slower_than_ours_and_learns_its_strokes():
    async with playing(confirm=False) as it:
        it.world.centre_mm_s = 20.0  # 60 mm in 3 s
        it.machine.settings = MachineSettings(SMALL, unmeasured())
        await it.machine.press_lift(0)
        reports = await it.machine.exercise()
        strokes = {report.part: report.last_ms for report in reports}
        assert not any(report.is_early_warning for report in reports)
        assert 2800 <= strokes[Actuator.CENTRE] <= 3200
        assert it.codes == set()
        it.machine.settings = MachineSettings(SMALL)
        it.machine.stop()
        await it.phase(Phase.LOCKED)
        await it.machine.press_lift(0)
        with pytest.raises(MotionFailedError):  # at a table of that kind it would be a fault
            await it.machine.open_mouth()


async def test_a_plate_that_got_slow_is_told_after_a_build_without_being_asked():
    async with playing(sets="A") as it:
        it.machine.raise_by_itself = False
        it.world.inject("slow", "lift.2", 1.3)
        for _ in range(2):
            await it.feed("A")
            await it.phase(Phase.READY)
            await it.machine.raise_walls()
        await it.feed("A")
        await it.phase(Phase.READY)
        await it.until(lambda m: any(report.is_early_warning for report in m.worn))
        tired = [report.part for report in it.machine.worn if report.is_early_warning]
        assert tired == [Actuator.LIFT_2]
        seconds = it.machine.metrics()
        assert seconds['stroke_seconds{part="lift_2"}'] > 2.5
        assert seconds['stroke_learned_seconds{part="lift_2"}'] == 2.0
        assert it.codes == set()


@pytest.mark.fault("H03")
async def test_a_tile_that_was_pushed_with_another_is_not_looked_for_on_the_floor():
    """The rows hold one more than was counted, so the build lacks one: they come up."""
    async with playing() as it:
        it.world.inject("double_push", "head.1")
        await it.feed("A")
        await it.phase(Phase.FAULT)
        assert {"D03", "H03"} <= it.codes
        await it.machine.press_lift(0)  # confirm
        assert it.codes == {"H03"}
        await it.sleep(1.0)
        with pytest.raises(NotNowError, match="press two lift keys together"):
            await it.machine.press_lift(0)
        await it.machine.press_lift(1)
        it.world.clear_walls()
        await it.sleep(1.0)
        await it.machine.press_lift(0)
        up = set(it.world.sets["A"]) & set(it.world.tiles_at(Place.SURFACE))
        it.world.push_into_mouth(sorted(up))
        await it.machine.press_lift(0)
        await it.phase(Phase.READY)
        assert sorted(it.world.tiles_at(Place.ROW)) == list(it.world.sets["A"])
        assert it.codes == set()


async def test_a_set_that_waited_for_stopped_walls_is_built_after_them_and_mixed_with_no_other():
    async with playing() as it:
        await it.first_wall()
        await it.machine.press_lift(0)
        it.world.push_into_mouth(it.world.sets["B"])
        closing = asyncio.ensure_future(it.machine.press_lift(1))
        await it.until(lambda m: m.phase is Phase.RAISING)
        it.machine.stop()
        with pytest.raises(MotionFailedError):
            await closing
        await it.phase(Phase.LOCKED)
        await it.machine.press_lift(0)  # confirm
        await it.machine.press_lift(0)  # raise what waits below; the other set lies in the drum
        assert it.machine.phase is Phase.PLAYING
        await it.until(lambda m: m.sets["B"] is SetPlace.ROWS)
        assert sorted(it.world.tiles_at(Place.ROW)) == list(it.world.sets["B"])


async def test_a_mouth_that_is_opened_again_for_forgotten_tiles_takes_no_second_set():
    async with playing() as it:
        await it.machine.open_mouth()
        it.world.push_into_mouth(it.world.sets["A"][1:])
        await it.machine.close_mouth()
        await it.machine.open_mouth()
        it.world.push_into_mouth(it.world.sets["A"][:1])
        await it.machine.close_mouth()
        assert it.machine.sets == {"A": SetPlace.INSIDE, "B": SetPlace.TABLE}
        await it.machine.press_lift(0)  # a key builds what is inside
        await it.phase(Phase.READY)
        assert sorted(it.world.tiles_at(Place.ROW)) == list(it.world.sets["A"])


async def test_what_is_jammed_in_a_build_is_freed_in_service_and_the_build_goes_on():
    async with playing() as it:
        await it.feed("A")
        with pytest.raises(NotNowError, match="stop all motors on the screen first"):
            await it.machine.enter_service()
        await it.sleep(1.0)
        it.world.inject("jam", "conveyor.1")
        await it.phase(Phase.FAULT)
        turned = it.world.motor_log.copy()
        await it.machine.enter_service()
        assert it.machine.phase is Phase.SERVICE
        await it.sleep(1.0)
        assert it.world.motor_log == turned  # neither homed nor built on
        with pytest.raises(NotNowError, match="in service"):
            await it.machine.press_lift(0)
        it.world.inject("jam", "conveyor.1", 0)
        await it.machine.jog(Actuator.CONVEYOR_1, back=True)
        await it.machine.leave_service()
        await it.sleep(1.0)
        assert it.turning() == set()
        await it.machine.press_lift(0)  # open, for a tile that was taken out
        assert it.machine.phase is Phase.ADDING
        await it.machine.press_lift(0)
        await it.phase(Phase.READY)
        assert sorted(it.world.tiles_at(Place.ROW)) == list(it.world.sets["A"])
        assert it.codes == set()


async def test_service_begins_after_a_stop_but_not_while_the_emergency_stop_is_pressed():
    async with playing() as it:
        it.machine.stop()
        await it.phase(Phase.LOCKED)
        await it.machine.enter_service()
        assert it.machine.phase is Phase.SERVICE
        await it.machine.enter_service()  # a second touch changes nothing
        it.world.inject("estop", None, 1)
        await it.phase(Phase.ESTOP)
        with pytest.raises(NotNowError) as refused:
            await it.machine.enter_service()
        assert refused.value.why == "A fault is not solved yet."
        it.world.inject("estop", None, 0)
        await it.sleep(0.3)
        await it.machine.press_lift(0)
        assert it.machine.phase is Phase.IDLE_EMPTY


@pytest.mark.parametrize("part", [Actuator.LIFT_1, Actuator.HEAD_2, Actuator.CHAIN])
@pytest.mark.fault("P04")
async def test_rows_that_were_moved_in_service_are_not_counted_on(part):
    async with playing() as it:
        await it.first_wall()
        await it.machine.enter_service()
        await it.machine.jog(Actuator.CENTRE)
        assert not it.machine.rows_are_unknown
        await it.machine.jog(part)
        with pytest.raises(NotNowError, match="in service"):
            await it.machine.press_lift(0)
        await it.machine.leave_service()
        assert it.codes == {"P04"}
        with pytest.raises(NotNowError, match="press two lift keys together"):
            await it.machine.press_lift(0)
        it.world.clear_walls()
        await it.machine.press_lift(1)
        assert (it.machine.phase, it.codes) == (Phase.IDLE_EMPTY, set())
        assert it.world.tiles_at(Place.ROW) == []


@pytest.mark.parametrize("part", ["ring", "drum"])
async def test_a_motor_that_cools_is_one_fault_however_often_a_key_is_pressed(part):
    async with playing() as it:
        await it.feed("A")
        it.world.inject("slow", part, 3.5)
        await it.phase(Phase.FAULT)
        it.world.inject("slow", part, 1.0)
        for _ in range(4):
            with contextlib.suppress(NotNowError):
                await it.machine.press_lift(0)
            await it.sleep(1.0)
            assert it.turning() == set()
            assert it.codes == {"P03"}
        assert it.machine.book.counts == {"P03": 1}
        assert len(it.machine.book.history) == 1
        await it.sleep(20.0)
        await it.machine.press_lift(0)
        await it.phase(Phase.READY)
        assert it.codes == set()


async def test_a_lid_is_one_fault_for_each_time_it_is_open():
    async with playing() as it:
        for times in (1, 2):
            it.world.inject("lid", None, 1)
            await it.sleep(0.5)
            for _ in range(3):
                with pytest.raises(NotNowError, match="E02"):
                    await it.machine.press_lift(0)
                await it.sleep(0.3)
            assert it.machine.book.counts == {"E02": times}
            it.world.inject("lid", None, 0)
            await it.sleep(0.5)
            await it.machine.press_lift(0)
            assert it.codes == set()


@pytest.mark.fault("K02")
async def test_a_key_that_is_pressed_again_and_again_pushes_no_fault_off_the_page():
    async with playing() as it:
        await it.feed("A")
        for _ in range(5):
            await it.machine.press_lift(1)
        assert it.machine.book.counts == {"K02": 1}


async def test_one_mouth_brings_up_the_row_at_its_head_and_begins_again_with_the_first():
    kind = TableLayout("24", (3, 3, 3, 3), family=Family.ONE_MOUTH)
    async with playing(kind, sets="A") as it:
        await it.feed("A")
        await it.until(lambda m: sum(m.bridge.state.tiles) == 15)  # in the third row
        it.world.inject("reset")
        await it.until(lambda m: {"L03", "P04"} <= it.codes)
        await it.phase(Phase.LOCKED)
        await it.machine.press_lift(0)
        await it.sleep(1.0)
        with pytest.raises(NotNowError, match="press two lift keys together"):
            await it.machine.press_lift(0)
        await it.machine.press_lift(1)
        assert it.world.tiles_at(Place.ROW) == []
        await it.sleep(1.0)
        await it.machine.press_lift(0)
        it.world.clear_walls()
        it.world.push_into_mouth(it.world.tiles_at(Place.SURFACE))
        await it.machine.press_lift(1)
        await it.phase(Phase.PLAYING)
        assert [len(side.wall) for side in it.world.sides] == [6, 6, 6, 6]
