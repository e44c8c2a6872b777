"""The API answers what it should, refuses what it must, and the live feed loses nothing."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from table_controller.config import WebSettings
from table_controller.machine import NotNowError
from table_controller.rules.core.events import (
    DealBegan,
    Discarded,
    Doubted,
    Drawn,
    HandDealt,
    Penalised,
)
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import Tile
from table_controller.rules.two_player import RULESET
from table_controller.score import answer_case
from table_controller.store import Store
from table_controller.table import FaultNotice, HistoryChanged, MachineStatus, Table
from table_controller.web.api import STAFF_ACTIONS
from table_controller.web.app import LARGEST_BODY, LONGEST_WORD, PortError, Site, serve
from table_controller.web.staff import (
    FIRST_WAIT_S,
    FREE_TRIES,
    PinError,
    StaffRoom,
    TooManyTriesError,
    WrongPinError,
    hash_pin,
    is_pin,
)

A, B = Seat.A, Seat.B
PIN = "2468"
PIN_HASH = hash_pin(PIN, b"salt")
CASE = {
    "ruleset": "two_player",
    "hand": "123m 456p 789s 111z 2z",
    "winning_tile": "2z",
    "winner": 0,
    "from": 1,
}


def discard(text, seat=A):
    return Discarded(seat=seat, tile=Tile.parse(text))


@pytest.fixture
def table():
    table = Table.open(Store(":memory:"), RULESET, names=("Ann", "Bo"))
    table.append(DealBegan(number=1, dealer=A, round_wind=Wind.EAST, points=(0, 0), wall_left=80))
    for seat in (A, B):
        table.append(HandDealt(seat=seat, tiles=(Tile.parse("3z"), *(None,) * 12)))
    table.append(Drawn(seat=A, tile=Tile.parse("2m")))
    table.append(discard("5p"))
    return table


@pytest.fixture
def site(table):
    return Site(table, WebSettings(staff_pin=PIN_HASH), name="East room")


@pytest.fixture
async def client(site):
    transport = httpx.ASGITransport(site.app())
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


@pytest.fixture
async def staff(client):
    answer = await client.post("/api/v1/staff/session", json={"pin": PIN})
    assert answer.status_code == 200
    return client


# --- reading -----------------------------------------------------------------------------------


async def test_health_tells_what_is_wrong(client, table):
    assert (await client.get("/healthz")).json()["status"] == "ok"
    table.machine = MachineStatus(link="down", faults=(FaultNotice("P01", "x", "y"),))
    answer = (await client.get("/healthz")).json()
    assert answer["status"] == "degraded"
    assert answer["faults"] == ["P01"]


async def test_state_is_what_a_screen_shows(client):
    answer = await client.get("/api/v1/state", params={"seat": 1})
    state = answer.json()
    assert answer.headers["cache-control"] == "no-store"
    assert state["table"] == "East room"
    assert state["names"] == ["Ann", "Bo"]
    assert state["deal"]["seats"][0]["pond"][0]["tile"] == "5p"
    assert state["seat"]["seat"] == 1
    assert "2m" not in answer.text
    assert "3z" not in answer.text


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/api/v1/state?seat=2", 400, "seats 0 to 1"),
        ("/api/v1/state?seat=x", 400, "seat: expected a number"),
        ("/api/v1/games/9/events", 404, "no game 9"),
        ("/api/v1/games/1/events?since=-1", 400, "since: expected a number"),
        ("/api/v1/rulesets/bridge", 404, "no ruleset 'bridge'"),
        ("/api/v1/messages/klingon", 404, "no language 'klingon'"),
        ("/api/v1/nothing", 404, "Not Found: /api/v1/nothing"),
        ("/api/v1/score", 405, "Method Not Allowed"),
        ("/static/../app.py", 404, ""),
    ],
)
async def test_what_cannot_be_found_is_said_in_json(client, path, status, says):
    answer = await client.get(path)
    assert answer.status_code == status
    assert says in answer.json()["error"]


async def test_games_and_their_events_are_listed(client):
    games = (await client.get("/api/v1/games")).json()["games"]
    assert [(g["game"], g["ruleset"], g["current"]) for g in games] == [(1, "two_player", True)]
    answer = await client.get("/api/v1/games/1/events", params={"since": 4})
    events = answer.json()["events"]
    assert [(e["number"], e["event"]["kind"]) for e in events] == [(4, "drawn"), (5, "discarded")]
    assert events[0]["event"]["tile"] is None


async def test_a_case_is_scored(client):
    answer = await client.post("/api/v1/score", json=CASE)
    assert answer.status_code == 200
    assert answer.json() == answer_case(CASE)


@pytest.mark.parametrize(
    ("content", "kind", "status", "says"),
    [
        (b"{", "application/json", 400, "not JSON"),
        (b"[" * 60_000, "application/json", 400, "not JSON"),
        (b"{}", "text/plain", 415, "content-type application/json"),
        (b"[]", "application/json", 422, "a score case is a JSON object"),
        (b'{"ruleset": "two_player"}', "application/json", 422, "missing required field `hand`"),
        (
            json.dumps({**CASE, "hand": "11111m 456p 789s 2z"}).encode(),
            "application/json",
            422,
            "5 copies of 1m",
        ),
        (b" " * (LARGEST_BODY + 1), "application/json", 413, "larger than 64 KiB"),
    ],
)
async def test_a_bad_case_is_refused_with_a_reason(client, content, kind, status, says):
    headers = {"content-type": kind}
    answer = await client.post("/api/v1/score", content=content, headers=headers)
    assert answer.status_code == status
    assert says in answer.json()["error"]


async def test_rulesets_and_their_options_are_listed(client):
    names = [r["name"] for r in (await client.get("/api/v1/rulesets")).json()["rulesets"]]
    assert "riichi_4p" in names
    described = (await client.get("/api/v1/rulesets/two_player")).json()
    assert described["name"] == "two_player"


async def test_the_description_of_the_api_names_every_route(client, site):
    paths = (await client.get("/openapi.json")).json()["paths"]
    routes = {
        route.path.replace(":int", "")
        for route in site.app().inner.routes
        if hasattr(route, "methods")
        and route.path not in ("/", "/staff", "/rules", "/openapi.json")
    }
    assert routes == set(paths)


async def test_measurements_can_be_scraped(client, site, table):
    site.gauges = lambda: {"pictures_per_second": 9.5}
    table.append(Doubted(question="?"))
    text = (await client.get("/metrics")).text
    assert "mahjong_table_events 7\n" in text
    assert "mahjong_table_open_questions 1\n" in text
    assert "mahjong_table_pictures_per_second 9.5\n" in text
    for line in text.splitlines():
        if not line.startswith("#"):
            float(line.rsplit(" ", 1)[1])


async def test_pages_may_load_nothing_from_elsewhere(client):
    for path in ("/", "/staff", "/rules"):
        answer = await client.get(path)
        assert answer.status_code == 200
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "http" not in answer.text.replace("http://www.w3.org", "")


async def test_foreign_pages_are_turned_away(client):
    rebound = await client.get("/api/v1/state", headers={"host": "evil.example"})
    assert rebound.status_code == 403
    posted = await client.post(
        "/api/v1/score", json=CASE, headers={"origin": "http://evil.example"}
    )
    assert posted.status_code == 403
    own = await client.post("/api/v1/score", json=CASE, headers={"origin": "http://localhost"})
    assert own.status_code == 200


# --- the staff ---------------------------------------------------------------------------------

CHANGES = {
    "void": {"number": 5},
    "correct": {"number": 5, "event": {"kind": "discarded", "seat": 0, "tile": "6p"}},
    "penalise": {"seat": 0, "code": "late"},
    "challenge": {"seat": 0, "challenged": 1},
    "announce": {"seat": 0, "what": "jokerless"},
    "pause": {},
    "resume": {},
    "new_game": {},
    "key": {"seat": 0, "key": "win"},
    "answer": {"number": 5},
    "attend": {"seat": 0},
    "machine": {"do": "stop"},
    "jog": {"part": "drum"},
    "try_part": {"part": "drum"},
    "report": {"code": "W05"},
    "dismiss": {"code": "W05"},
    "sticks": {"points": [0, 0]},
    "calibrate": {"step": "camera"},
    "measure": {},
    "keep": {},
    "give_up": {},
}


def test_every_action_is_tried_without_the_session():
    assert set(CHANGES) == set(STAFF_ACTIONS)


@pytest.mark.parametrize("action", CHANGES)
async def test_nothing_changes_without_the_staff_session(client, table, action):
    before = len(table.log)
    answer = await client.post(f"/api/v1/staff/{action}", json=CHANGES[action])
    assert answer.status_code == 401
    forged = {"cookie": "mahjong_staff=guessed"}
    answer = await client.post(f"/api/v1/staff/{action}", json=CHANGES[action], headers=forged)
    assert answer.status_code == 401
    assert len(table.log) == before
    assert table.inbox.empty()
    assert table.paused is None


async def test_the_cookie_is_for_this_site_and_not_for_scripts(client):
    answer = await client.post("/api/v1/staff/session", json={"pin": PIN})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert PIN not in cookie
    assert (await client.get("/api/v1/staff/session")).json()["staff"] is True
    await client.delete("/api/v1/staff/session")
    assert (await client.post("/api/v1/staff/pause", json={})).status_code == 401


async def test_the_staff_puts_things_right(staff, table):
    answer = await staff.post("/api/v1/staff/correct", json=CHANGES["correct"])
    assert answer.status_code == 200, answer.text
    assert str(table.state.seats[A].pond[0].tile) == "6p"
    await staff.post("/api/v1/staff/void", json={"number": 5, "reason": "fell"})
    assert table.state.seats[A].pond == ()
    payment = {"from": 0, "to": None, "points": 10, "reason": "penalty"}
    answer = await staff.post(
        "/api/v1/staff/penalise", json={"seat": 0, "code": "late", "payments": [payment]}
    )
    assert answer.status_code == 200
    assert table.points == (-10, 0)
    await staff.post("/api/v1/staff/pause", json={"reason": "tea"})
    assert table.paused == "tea"
    await staff.post("/api/v1/staff/resume", json={})
    assert table.paused is None
    heard = [table.inbox.get_nowait() for _ in range(table.inbox.qsize())]
    assert heard == [HistoryChanged(), HistoryChanged()]
    await staff.post("/api/v1/staff/key", json={"seat": 1, "key": "win"})
    assert table.inbox.get_nowait().seat is B
    await staff.post("/api/v1/staff/new_game", json={})
    assert table.game == 2


async def test_a_seat_calls_the_staff_until_somebody_comes(staff, table):
    await staff.post("/api/v1/staff/key", json={"seat": 1, "key": "staff"})
    assert (await staff.get("/api/v1/state")).json()["calling"] == [1]
    await staff.post("/api/v1/staff/attend", json={"seat": 1})
    assert (await staff.get("/api/v1/state")).json()["calling"] == []


class FakeMachine:
    """Notes what it is asked; one motion is not its turn."""

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        if name in ("stop", "begin_build"):
            return lambda: self.asked.append(name)

        async def motion():
            if name == "raise_walls":
                raise NotNowError("no wall is built yet")
            self.asked.append(name)

        return motion


async def test_the_staff_lets_the_machine_move(staff, site):
    machine = site.machine = FakeMachine()
    for do in ("confirm", "stop", "build", "roll_dice", "recover"):
        answer = await staff.post("/api/v1/staff/machine", json={"do": do})
        assert answer.status_code == 200, answer.text
    assert machine.asked == ["confirm", "stop", "begin_build", "roll_dice", "recover"]
    answer = await staff.post("/api/v1/staff/machine", json={"do": "raise_walls"})
    assert (answer.status_code, answer.json()["error"]) == (409, "no wall is built yet")
    answer = await staff.post("/api/v1/staff/machine", json={"do": "explode"})
    assert answer.status_code == 422
    site.machine = None
    answer = await staff.post("/api/v1/staff/machine", json={"do": "stop"})
    assert (answer.status_code, answer.json()["error"]) == (409, "this table has no machine")


async def test_a_question_is_answered(staff, table):
    doubt = table.append(
        Doubted(question="?", candidates=(Tile.parse("5p"), Tile.parse("6p")), seat=A, place=1)
    )
    answer = await staff.post("/api/v1/staff/answer", json={"number": doubt.number, "tile": "6p"})
    assert answer.status_code == 200, answer.text
    assert str(table.state.seats[A].pond[0].tile) == "6p"
    assert table.doubts == ()


@pytest.mark.parametrize(
    ("action", "body", "status", "says"),
    [
        ("void", {"number": 0}, 409, "game's first"),
        ("void", {"number": 99}, 409, "cannot be changed"),
        ("void", {"nummer": 5}, 422, "unknown field `nummer`"),
        ("void", {"number": -1}, 422, "$.number"),
        ("correct", {"number": 5, "event": {"kind": "discardd"}}, 409, "no event 'discardd'"),
        ("penalise", {"seat": 3, "code": "late"}, 422, "seats 0 to 1"),
        ("penalise", {"seat": 0, "code": "<b>"}, 422, "matching regex"),
        ("key", {"seat": 0, "key": "fly"}, 422, "no key 'fly'"),
        ("answer", {"number": 5}, 409, "not an open question"),
        ("answer", {"number": 5, "tile": "9z"}, 409, "there is no tile"),
    ],
)
async def test_a_wrong_change_is_refused_with_a_reason(staff, table, action, body, status, says):
    before = len(table.log)
    answer = await staff.post(f"/api/v1/staff/{action}", json=body)
    assert answer.status_code == status
    assert says in answer.json()["error"]
    assert len(table.log) == before


async def test_the_staff_reads_what_players_may_not_yet(client, site, table):
    site.announce = "referee"
    table.append(Penalised(seat=A, code="wrong_tile_count", dead_hand=True))
    for is_staff in (False, True):
        if is_staff:
            await client.post("/api/v1/staff/session", json={"pin": PIN})
        events = (await client.get("/api/v1/games/1/events")).json()["events"]
        assert ("penalised" in {e["event"]["kind"] for e in events}) is is_staff
        state = (await client.get("/api/v1/state")).json()
        assert state["deal"]["seats"][0]["dead_hand"] is (True if is_staff else None)


async def test_guessing_the_pin_is_slowed_down(client):
    for _ in range(FREE_TRIES):
        answer = await client.post("/api/v1/staff/session", json={"pin": "0000"})
        assert answer.status_code == 403
    answer = await client.post("/api/v1/staff/session", json={"pin": PIN})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= FIRST_WAIT_S - 1


def test_the_wait_doubles_and_ends_and_sessions_run_out():
    now = [0.0]
    room = StaffRoom(PIN_HASH, 100.0, lambda: now[0])
    for _ in range(FREE_TRIES):
        with pytest.raises(WrongPinError):
            room.enter("0000")
    with pytest.raises(TooManyTriesError, match="wait 15 s"):
        room.enter(PIN)
    now[0] += FIRST_WAIT_S
    with pytest.raises(WrongPinError):
        room.enter("0000")
    with pytest.raises(TooManyTriesError, match="wait 30 s"):
        room.enter(PIN)
    now[0] += 2 * FIRST_WAIT_S
    token = room.enter(PIN)
    assert room.knows(token)
    assert not room.knows(token + "x")
    assert not room.knows(None)
    now[0] += 100.0
    assert not room.knows(token)


def test_who_guesses_keeps_nobody_else_out():
    room = StaffRoom(PIN_HASH, 3600, lambda: 0.0)
    for _ in range(FREE_TRIES):
        with pytest.raises(WrongPinError):
            room.enter("0000", "10.0.0.66")
    with pytest.raises(TooManyTriesError):
        room.enter(PIN, "10.0.0.66")
    assert room.knows(room.enter(PIN, "10.0.0.7"))


def test_a_pin_is_kept_as_a_hash():
    assert PIN not in PIN_HASH
    assert is_pin(PIN, PIN_HASH)
    assert not is_pin("1357", PIN_HASH)
    assert hash_pin(PIN) != hash_pin(PIN)
    for text in ("", "plain", "scrypt$1$8$1$zz$00", "md5$1$2$3$4$5"):
        with pytest.raises(PinError):
            is_pin(PIN, text)
    for bad in ("123", "1" * 65):
        with pytest.raises(PinError, match="4 to 64"):
            hash_pin(bad)


async def test_without_a_pin_this_machine_is_staff(table):
    site = Site(table, WebSettings())
    transport = httpx.ASGITransport(site.app())
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        assert (await client.get("/api/v1/staff/session")).json()["pin_needed"] is False
        assert (await client.post("/api/v1/staff/session", json={})).status_code == 200
        assert (await client.post("/api/v1/staff/pause", json={})).status_code == 200


# --- the live feed -----------------------------------------------------------------------------


@pytest.fixture
async def port(site):
    """The site, listening on a free port of this machine."""
    listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    server = asyncio.create_task(serve(site, started=listening.set_result, port=0))
    await asyncio.wait({server, listening}, return_when=asyncio.FIRST_COMPLETED)
    yield listening.result()
    server.cancel()
    await asyncio.wait({server})


async def hear(socket):
    """The next message that is not a sign of life."""
    while True:
        message = json.loads(await socket.recv())
        if message["type"] != "tick":
            return message


async def test_a_screen_gets_a_snapshot_then_every_event_with_its_number(port, table, site):
    async with connect(f"ws://localhost:{port}/api/v1/live") as socket:
        first = await hear(socket)
        assert (first["type"], first["game"], first["next"]) == ("snapshot", 1, 6)
        table.append(Drawn(seat=B, tile=Tile.parse("3m")))
        table.append(discard("6p", B))
        drawn, discarded = await hear(socket), await hear(socket)
        assert [drawn["number"], discarded["number"]] == [6, 7]
        assert drawn["event"] == {"kind": "drawn", "seat": 1, "tile": None, "replacement": False}
        assert discarded["view"]["deal"]["seats"][1]["pond"][0]["tile"] == "6p"
        table.machine = MachineStatus(phase="building", progress=0.25, seconds_left=9.0)
        status = await hear(socket)
        assert status["type"] == "status"
        assert status["machine"]["progress"] == 0.25
        assert site.measured.latency_count == 2
        assert table.watchers == 1
    async with asyncio.timeout(5):
        while table.watchers:
            await asyncio.sleep(0.01)


async def test_a_screen_that_was_away_gets_what_it_missed(port, table):
    table.append(Drawn(seat=B))
    async with connect(f"ws://localhost:{port}/api/v1/live?game=1&from=5") as socket:
        missed = [await hear(socket) for _ in range(3)]
        assert [m["type"] for m in missed] == ["event", "event", "snapshot"]
        assert [m["number"] for m in missed[:2]] == [5, 6]
        table.append(discard("9p", B))
        assert (await hear(socket))["number"] == 7


@pytest.mark.parametrize("query", ["game=2&from=1", "game=1&from=999", "from=1"])
async def test_a_number_that_is_not_of_this_game_gets_a_snapshot(port, query):
    async with connect(f"ws://localhost:{port}/api/v1/live?{query}") as socket:
        assert (await hear(socket))["type"] == "snapshot"


async def test_a_new_game_is_told_to_everybody(port, table):
    async with connect(f"ws://localhost:{port}/api/v1/live") as socket:
        await hear(socket)
        table.new_game()
        assert [(await hear(socket))["game"] for _ in range(2)] == [2, 2]


async def test_a_penalty_that_may_not_be_told_leaves_only_its_number(port, table, site):
    site.announce = "off"
    async with connect(f"ws://localhost:{port}/api/v1/live") as socket:
        await hear(socket)
        table.append(Penalised(seat=A, code="wrong_tile_count", dead_hand=True))
        told = await hear(socket)
        assert told["number"] == 6
        assert told["event"] is None
        assert "wrong_tile_count" not in json.dumps(told)


async def test_bad_numbers_close_the_feed_with_a_reason(port):
    async with connect(f"ws://localhost:{port}/api/v1/live?seat=7") as socket:
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert "seats 0 to 1" in closed.value.rcvd.reason


async def test_foreign_pages_get_no_feed(port):
    with pytest.raises(InvalidStatus):
        await connect(f"ws://localhost:{port}/api/v1/live", origin="http://evil.example")


async def test_a_port_that_is_taken_is_said(port, site):
    with pytest.raises(PortError, match=rf"127\.0\.0\.1:{port}: Address already in use; choose"):
        await serve(site, port=port)


async def test_thirty_screens_are_told_the_same(port, table):
    async with asyncio.TaskGroup() as group:
        ready = asyncio.Barrier(31)

        async def watch():
            async with connect(f"ws://localhost:{port}/api/v1/live") as socket:
                await hear(socket)
                await ready.wait()
                return [(await hear(socket))["number"] for _ in range(10)]

        watching = [group.create_task(watch()) for _ in range(30)]
        await ready.wait()
        for _ in range(5):
            table.append(Drawn(seat=B))
            table.append(discard("9p", B))
    assert all(task.result() == list(range(6, 16)) for task in watching)


async def last_word(socket):
    while True:
        await socket.recv()


async def test_a_screen_that_talks_too_much_and_one_too_many_are_turned_away(port, monkeypatch):
    async with connect(f"ws://localhost:{port}/api/v1/live") as socket:
        await socket.recv()
        await socket.send("x" * (LONGEST_WORD + 1))
        with pytest.raises(ConnectionClosed, match="1009"):
            await last_word(socket)
    monkeypatch.setattr("table_controller.web.app.MOST_SCREENS", 1)
    async with connect(f"ws://localhost:{port}/api/v1/live") as first:
        await first.recv()
        async with connect(f"ws://localhost:{port}/api/v1/live") as second:
            with pytest.raises(ConnectionClosed, match="1013"):
                await second.recv()
