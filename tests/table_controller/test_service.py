"""The staff console and the machine: everything goes through the API to the simulated board."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import httpx
import pytest
from gpiozero.pins.mock import MockFactory

from firmware_bridge.bridge import metrics
from firmware_bridge.gpio import DEFAULT_PINS, Panels
from firmware_bridge.parts import Actuator, Sensor
from firmware_bridge.simulator import Place
from table_controller.conductor import Conductor, Key
from table_controller.config import WebSettings
from table_controller.desk import Desk
from table_controller.layout import geometry_for
from table_controller.machine import Phase
from table_controller.rules import find_ruleset
from table_controller.rules.core.events import DealBegan, Discarded, Drawn, HandDealt
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import Tile
from table_controller.store import Store
from table_controller.table import Table
from table_controller.web.app import Site, serve
from table_controller.web.staff import hash_pin
from tests.table_controller.browser import browser, chromium
from tests.table_controller.played import playing

PIN = "2468"
A, B, C, D = Seat.A, Seat.B, Seat.C, Seat.D


class Console:
    """A staff console in a test's hands."""

    def __init__(self, it, table, conductor, desk, client):
        self.it = it
        self.table = table
        self.conductor = conductor
        self.desk = desk
        self.client = client

    async def do(self, action, status=200, **asked):
        answer = await self.client.post(f"/api/v1/staff/{action}", json=asked)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def see(self, path="machine"):
        answer = await self.client.get(f"/api/v1/staff/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()


@asynccontextmanager
async def console(*, enter=True, **options):
    """A whole table: log, conductor, desk, machine and the site, with the staff logged in."""
    async with playing(**options) as it:
        table = Table.open(Store(":memory:"), find_ruleset("riichi_4p"), names=("Ann", "Bo"))
        geometry = geometry_for(table.ruleset, table.options)
        conductor = Conductor(table.ruleset, table.options, table, geometry)
        desk = Desk(table, conductor, it.machine)
        site = Site(
            table,
            WebSettings(staff_pin=hash_pin(PIN, b"salt")),
            machine=it.machine,
            gauges=lambda: {**metrics(it.bridge.statistics), **it.machine.metrics()},
        )
        transport = httpx.ASGITransport(site.app())
        working = asyncio.create_task(desk.run())
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            here = Console(it, table, conductor, desk, client)
            here.site = site
            if enter:
                await here.do("session", pin=PIN)
            yield here
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def test_the_machine_is_seen_by_the_staff_only():
    async with console(enter=False) as here:
        for path in ("machine", "wear"):
            answer = await here.client.get(f"/api/v1/staff/{path}")
            assert answer.status_code == 401
        await here.do("session", pin=PIN)
        seen = await here.see()
        assert seen["phase"] == "idle_empty"
        assert seen["sensors"]["CENTRE_DOWN"] is True
        assert seen["sensors"]["CENTRE_UP"] is False
        assert set(seen["sensors"]) == {sensor.name for sensor in Sensor}
        assert seen["board"]["firmware"].count(".") == 2
        assert seen["link"]["connects_total"] == 1
        assert seen["link"]["commands_total"] > 5
        assert 20_000 < seen["supply_mv"] < 30_000


async def test_the_staff_works_a_whole_cycle_from_the_screen():
    async with console(sets="A") as here:
        it = here.it
        it.machine.raise_by_itself = False
        await here.do("machine", do="open_mouth")
        it.world.push_into_mouth(it.world.sets["A"])
        await here.do("machine", do="close_mouth")
        await here.do("machine", do="build")
        assert (await here.do("machine", 409, do="build"))["error"] == (
            "cannot build a wall while building; possible while idle_empty, playing, ready"
        )
        await it.sleep(2.0)
        state = (await here.client.get("/api/v1/state")).json()["machine"]
        assert state["phase"] == "building"
        assert 0 < state["progress"] < 1
        assert state["seconds_left"] > 0
        await it.phase(Phase.READY)
        await here.do("machine", do="raise_walls")
        assert it.machine.phase is Phase.PLAYING
        await here.do("machine", do="roll_dice")
        assert len(it.world.dice()) == 2
        text = (await here.client.get("/metrics")).text
        assert "mahjong_table_builds_total 1\n" in text
        assert "mahjong_table_bridge_bad_frames_total 0\n" in text


async def test_motors_turn_in_service_mode_while_a_key_is_held():
    async with console() as here:
        it = here.it
        refused = await here.do("jog", 409, part="lift_1")
        assert "cannot jog LIFT_1 while idle_empty" in refused["error"]
        assert refused["words"] == ["That is for service mode.", "Start service first."]
        await here.do("machine", do="enter_service")
        assert (await here.do("jog", 422, part="rocket"))["error"].startswith("part: there is no")
        for _ in range(3):
            jogged = await here.do("jog", part="lift_1")
            assert 200 <= jogged["ran_ms"] <= 300
        assert it.turning() == set()  # nobody holds the key any more
        seen = await here.see()
        assert seen["phase"] == "service"
        assert seen["sensors"]["LIFT_HOME_1"] is False
        lift = next(motor for motor in seen["motors"] if motor["part"] == "lift_1")
        assert lift["turns"] == 0
        await here.do("machine", do="leave_service")
        assert (await here.see())["sensors"]["LIFT_HOME_1"] is True


@pytest.mark.parametrize(
    ("verb", "says"),
    [
        (None, "It turns."),
        ("open_circuit", "No current: check its plug, its wire and its driver."),
        ("jam", "Too much current: it is blocked or stiff."),
    ],
)
async def test_a_part_is_tried_and_its_current_tells_what_is_wrong(verb, says):
    async with console() as here:
        await here.do("machine", do="enter_service")
        if verb:
            here.it.world.inject(verb, "lift.2", 1)
        tried = await here.do("try_part", part="lift_2")
        assert tried["verdict"] == says
        if verb is None:
            assert "LIFT_HOME_2" in tried["sensors"]
            assert 0 < tried["peak_ma"] < tried["limit_ma"]
        assert here.it.turning() == set()


async def test_a_cam_is_never_turned_backwards_by_a_test():
    async with console() as here:
        await here.do("machine", do="enter_service")
        await here.do("try_part", part="head_0")
        assert here.it.world.motors[Actuator.HEAD_0].position >= 0
        reverse = [s.reverse for s in here.it.machine.book._states]
        assert not any(mask >> Actuator.HEAD_0 & 1 for mask in reverse)


async def test_wear_is_shown_with_an_early_warning():
    async with console() as here:
        here.it.world.inject("slow", "centre", 1.25)
        for _ in range(6):
            await here.do("machine", do="open_mouth")
            await here.do("machine", do="close_mouth")
        motors = {each["part"]: each for each in (await here.see("wear"))["motors"]}
        centre = motors["centre"]
        assert centre["strokes"] >= 12
        assert centre["mean_ms"] > 1.15 * centre["learned_ms"]
        assert centre["early_warning"]
        assert not motors["lift_0"]["early_warning"]


async def test_a_fault_is_shown_with_its_hint_and_the_sensors_of_the_seconds_before():
    async with console() as here:
        it = here.it
        await it.feed("A")
        await it.sleep(3.0)
        it.world.inject("jam", "head.1")
        await it.phase(Phase.FAULT)
        fault = next(each for each in (await here.see())["faults"] if each["code"] == "H02")
        assert fault["open"]
        assert fault["side"] == 1
        assert fault["hint"].startswith("Open the lid")
        assert {change["sensor"][:4] for change in fault["picture"]} & {"TILE", "CAM_"}
        assert all(0 <= change["before_s"] <= 5 for change in fault["picture"])
        it.world.inject("jam", "head.1", 0)
        await here.do("machine", do="confirm")
        assert not any(each["open"] for each in (await here.see())["faults"])


async def test_a_lift_key_that_does_nothing_says_on_the_screen_why_and_what_to_do():
    async with console() as here:
        it = here.it

        async def shown():
            return (await here.client.get("/api/v1/state")).json()["machine"]["refused"]

        it.world.inject("runaway", "drum")
        await it.sleep(1.0)
        await here.desk.press(C, Key.LIFT)
        assert await shown() == {
            "code": "lift",
            "text": "The drum is still turning.",
            "hint": "Wait a moment, then press again. When it never stops, call the technician.",
            "side": 2,
        }
        assert (await here.client.get("/healthz")).json()["faults"] == []
        await it.sleep(13.0)  # read by then
        assert await shown() is None
        await here.desk.press(C, Key.LIFT)
        it.world.inject("runaway", "drum", 0)
        await it.sleep(2.0)
        await here.desk.press(A, Key.LIFT)
        assert it.machine.phase is Phase.FEEDING
        assert await shown() is None
        it.world.inject("estop", None, 1)
        await it.phase(Phase.ESTOP)
        await here.desk.press(A, Key.LIFT)
        assert await shown() is None  # the fault itself is shown


@pytest.mark.fault("W05")
async def test_people_report_what_only_they_see_and_dismiss_what_they_have_read():
    async with console() as here:
        await here.do("report", code="W05", side=2)
        assert here.it.codes == {"W05"}
        assert here.it.machine.phase is Phase.IDLE_EMPTY
        state = (await here.client.get("/api/v1/state")).json()
        assert [fault["code"] for fault in state["machine"]["faults"]] == ["W05"]
        refused = await here.do("report", 422, code="E01")
        assert "people report" in refused["error"]
        await here.do("dismiss", code="W05", side=2)
        assert here.it.codes == set()


@pytest.mark.fault("X03")
async def test_sticks_that_do_not_add_up_are_a_fault_until_they_do():
    async with console() as here:
        told = await here.do("sticks", points=[30000, 29000, 30000, 30000])
        assert told["differences"] == [0, -1000, 0, 0]
        assert here.it.codes == {"X03"}
        assert here.it.machine.phase is Phase.IDLE_EMPTY
        told = await here.do("sticks", points=[30000] * 4)
        assert told["differences"] == [0, 0, 0, 0]
        assert here.it.codes == set()
        await here.do("sticks", 422, points=[30000] * 3)


@pytest.mark.fault("L06")
async def test_a_camera_that_is_lost_is_said_and_stops_nothing():
    async with console() as here:
        here.desk.camera("down")
        assert here.it.codes == {"L06"}
        assert here.table.machine.camera == "down"
        assert here.it.machine.phase is Phase.IDLE_EMPTY
        here.desk.pictures(["dark: 3, limit 18; switch on the lamp"])
        assert here.table.machine.camera == "dark"
        here.desk.pictures([])
        assert here.table.machine.camera == "up"
        assert here.it.codes == set()
        here.desk.moved(is_off=True)
        here.desk.pictures([])
        assert here.table.machine.camera == "moved"  # a sharp picture does not put it back


async def test_a_seat_key_of_the_screen_does_what_the_panel_does():
    async with console() as here:
        await here.do("key", seat=1, key="lift")
        await here.table.inbox.join()
        assert here.it.machine.phase is Phase.FEEDING
        await here.do("key", seat=2, key="staff")
        assert here.table.calling == {Seat.C}


async def test_two_lift_keys_at_once_open_the_centre_once_and_other_keys_are_heard_meanwhile():
    async with console() as here:
        for seat in (A, C):
            here.table.press(seat, Key.LIFT)
        here.table.press(B, Key.CALL)
        await here.it.sleep(0.3)
        assert here.table.inbox.empty()
        await here.table.inbox.join()
        await here.it.sleep(1.5)
        assert here.it.machine.phase is Phase.FEEDING


async def test_rows_come_up_through_the_walls_of_a_deal_only_when_the_staff_says_so():
    async with console() as here:
        it = here.it
        await it.in_play()
        here.conductor.begin_deal((1, 2))
        it.world.inject("reset")
        await it.until(lambda m: {"L03", "P04"} <= it.codes)
        await it.phase(Phase.LOCKED)
        await here.desk.press(A, Key.LIFT)  # confirm
        turned = it.world.motor_log.copy()
        for seat in (A, B):
            await here.desk.press(seat, Key.LIFT)
        assert it.world.motor_log == turned
        refused = here.desk._table.machine.refused
        assert refused.text == "A deal is in play: its walls stand where the rows come up."
        it.world.clear_walls()
        await here.do("machine", do="recover")
        assert sorted(it.world.tiles_at(Place.WALL)) == list(it.world.sets["B"])


async def test_no_lift_key_moves_a_table_that_the_staff_holds():
    async with console() as here:
        await here.do("pause", reason="a tile fell")
        await here.do("key", seat=1, key="lift")
        await here.table.inbox.join()
        await here.it.sleep(1.0)
        assert here.it.machine.phase is Phase.IDLE_EMPTY
        await here.do("resume")
        await here.do("key", seat=1, key="lift")
        await here.table.inbox.join()
        assert here.it.machine.phase is Phase.FEEDING


async def test_the_buzzer_sounds_once_for_what_a_person_should_come_for():
    async with (
        console() as here,
        Panels(
            DEFAULT_PINS, here.desk.heard, factory=MockFactory(), clock=here.it.table.clock
        ) as panels,
    ):
        lighting = asyncio.create_task(here.desk.light(panels))
        buzzer = panels.factory.pin(DEFAULT_PINS.buzzer)
        await asyncio.sleep(0)
        assert not buzzer.state
        await here.do("report", code="W05", side=1)
        await asyncio.sleep(0)
        assert buzzer.state
        await here.it.sleep(1.0)
        assert not buzzer.state
        await here.do("report", code="W05", side=1)  # it is known already
        await asyncio.sleep(0)
        assert not buzzer.state
        await here.do("key", seat=2, key="staff")
        await here.table.inbox.join()
        assert buzzer.state
        lighting.cancel()
        await asyncio.gather(lighting, return_exceptions=True)


def play_a_deal(here):
    """A deal in which A has discarded once."""
    here.conductor.begin_deal()
    here.table.append(Drawn(seat=A)) if here.table.state.turn is not A else None
    here.table.append(Discarded(seat=A, tile=Tile.parse("5p")))


async def test_the_match_goes_on_from_the_edited_history():
    async with console() as here:
        table, conductor = here.table, here.conductor
        play_a_deal(here)
        conductor.press(A, Key.DRAW_END)
        first = table.history[0]
        assert isinstance(first, DealBegan)
        # A second deal of the same match, which then turns out to be a mistake.
        began = DealBegan(
            number=first.number + 1,
            dealer=B,
            round_wind=Wind.EAST,
            points=(30000,) * 4,
            wall_left=first.wall_left,
            counters=2,
        )
        wrong = table.append(began)
        table.append(HandDealt(seat=B, tiles=(None,) * 14))
        await here.do("void", number=wrong.number, and_after=True)
        await table.inbox.join()
        assert (conductor.start.dealer, conductor.start.counters) == (A, 0)
        right = table.append(began)
        fixed = {"number": right.number, "event": {**event_json(began), "counters": 1}}
        await here.do("correct", **fixed)
        await table.inbox.join()
        assert (conductor.start.dealer, conductor.start.counters) == (B, 1)


def event_json(event):
    from table_controller.codec import event_to_json

    return event_to_json(event)


async def test_a_new_game_begins_with_its_first_deal_though_the_last_one_was_over():
    async with console() as here:
        here.conductor.start = None  # as after the last deal of a match
        await here.do("new_game")
        await here.table.inbox.join()
        assert not here.conductor.is_over
        here.conductor.begin_deal()
        assert here.table.state.points == (30000,) * 4


@asynccontextmanager
async def staff_page(here, tab):
    """The staff's screen in a browser, at that tab."""
    listening = asyncio.get_running_loop().create_future()
    server = asyncio.create_task(serve(here.site, started=listening.set_result, port=0))
    port = await listening
    try:
        async with browser() as page:
            await page.open(f"http://localhost:{port}/staff#{tab}", 1280, 1400)
            await page.until("document.querySelector('#door:not([hidden])')")
            await page.evaluate(
                f"document.querySelector('#pin').value = '{PIN}';"
                "document.querySelector('#door button').click()"
            )
            yield page
    finally:
        server.cancel()
        await asyncio.wait({server})


async def mouse(page, kind, selector):
    """Press or let go the mouse on an element."""
    at = await page.evaluate(
        f"(() => {{ const r = {selector}.getBoundingClientRect();"
        " return [r.x + r.width / 2, r.y + r.height / 2]; })()"
    )
    await page.call(
        "Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", clickCount=1
    )


@pytest.mark.skipif(chromium() is None, reason="NOT CHECKED: the screens need chromium")
async def test_the_screen_turns_a_motor_as_long_as_its_key_is_held():
    async with console() as here, staff_page(here, "machine") as page:
        await page.until("document.querySelectorAll('.sensor').length > 20")
        assert await page.evaluate("document.querySelector('.hold').disabled")
        await page.evaluate(
            "[...document.querySelectorAll('.motions button')]"
            ".find((b) => b.textContent === 'Start service').click()"
        )
        key = "document.querySelector('[aria-label=\"Wall lift B forward\"]')"
        await page.until(f"{key} && !{key}.disabled")
        before = here.it.world.motor_log[Actuator.LIFT_1]
        await mouse(page, "mousePressed", key)
        while here.it.world.motor_log[Actuator.LIFT_1] < before + 900:  # more than three presses
            await asyncio.sleep(0.02)
        await mouse(page, "mouseReleased", key)
        assert not here.it.machine.sensors()[Sensor.LIFT_HOME_1]
        await page.until(
            "[...document.querySelectorAll('.sensor')]"
            ".some((e) => e.textContent === 'Plate is down B' && !e.classList.contains('on'))"
        )
        await here.it.sleep(1.0)
        stood = here.it.world.motor_log[Actuator.LIFT_1]
        await here.it.sleep(3.0)
        assert here.it.world.motor_log[Actuator.LIFT_1] == stood
        assert page.problems == []
