"""The routes: pages, API, live feed and the staff's actions of one table."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from inspect import isawaitable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from calibration.quality import CalibrationError
from firmware_bridge.errors import BridgeError
from firmware_bridge.parts import Actuator
from table_controller.calibrating import Calibration
from table_controller.codec import CodecError, event_from_json
from table_controller.commands.rulesets import description, summary
from table_controller.conductor import Key
from table_controller.config import WebSettings, is_local
from table_controller.machine import Machine, NotNowError
from table_controller.messages import LANGUAGES, catalogue
from table_controller.rules import RULESET_NAMES, find_ruleset
from table_controller.rules.core.errors import OptionError, RulesError
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import Tile
from table_controller.score import answer_case
from table_controller.store import StoreError, UnknownGameError
from table_controller.table import Behind, CorrectionError, EventUpdate, Table, Update
from table_controller.web import api
from table_controller.web.service import service_view, wear_view
from table_controller.web.staff import COOKIE, StaffRoom, TooManyTriesError, WrongPinError
from table_controller.web.views import (
    Sight,
    Viewer,
    game_view,
    is_in_play,
    machine_view,
    record_view,
    table_view,
)

logger = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"
LARGEST_BODY = 64 * 1024
MOST_SCREENS = 200
LONGEST_WORD = 1024  # bytes that a screen may say on the feed; ours say nothing
MOST_CONNECTIONS = 500
TICK_S = 1.0  # a screen that hears nothing for 2 s says that it is stale
SEEN_BY_PEOPLE = ("W05", "W07", "D04", "T05", "X04", "S02")
LATENCY_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
SECURITY_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'self'; "
    "base-uri 'none'; form-action 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}

REFUSALS = (CorrectionError, CodecError, RulesError, BridgeError, CalibrationError, OSError)

Body = TypeVar("Body", bound=msgspec.Struct)
Endpoint = Callable[[Request], Awaitable[Response]]


class Refused(Exception):
    """A request that is answered with a 4xx status and a reason."""

    def __init__(self, status: int, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.headers = headers


@dataclass
class Measured:
    """What the web part itself measures."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    latency: Counter[float] = field(default_factory=Counter)  # seconds, by bucket's upper bound
    latency_sum: float = 0.0
    latency_count: int = 0

    def sent(self, seconds: float) -> None:
        """An event reached a screen's socket that long after it was written."""
        self.latency_sum += seconds
        self.latency_count += 1
        for bound in LATENCY_BUCKETS_S:
            self.latency[bound] += seconds <= bound


@dataclass
class Site:
    """The web side of one table."""

    table: Table
    settings: WebSettings = field(default_factory=WebSettings)
    name: str = "Table 1"
    language: str = "en"
    announce: str = "public"
    clock: Callable[[], float] = time.monotonic
    machine: Machine | None = None
    calibration: Calibration | None = None
    gauges: Callable[[], Mapping[str, float]] = dict  # further measurements, by metric name
    measured: Measured = field(default_factory=Measured)

    def __post_init__(self) -> None:
        self.staff = StaffRoom(
            self.settings.staff_pin, self.settings.session_hours * 3600, self.clock
        )

    def app(self) -> ASGIApp:
        """The ASGI application."""
        staff_routes = [
            Route(f"/api/v1/staff/{action}", self._staff_action(action), methods=["POST"])
            for action in api.STAFF_ACTIONS
        ]
        starlette = Starlette(
            routes=[
                Route("/", _page("table.html")),
                Route("/staff", _page("staff.html")),
                Route("/rules", _page("rules.html")),
                Route("/healthz", self._healthz),
                Route("/api/v1/state", self._state),
                Route("/api/v1/games", self._games),
                Route("/api/v1/games/{game:int}/events", self._events),
                Route("/api/v1/score", self._score, methods=["POST"]),
                Route("/api/v1/rulesets", self._rulesets),
                Route("/api/v1/rulesets/{name}", self._ruleset),
                Route("/api/v1/messages/{language}", self._messages),
                Route("/openapi.json", self._openapi),
                Route("/metrics", self._metrics),
                Route("/api/v1/staff/session", self._session, methods=["GET", "POST", "DELETE"]),
                Route("/api/v1/staff/machine", self._machine),
                Route("/api/v1/staff/wear", self._wear),
                Route("/api/v1/staff/calibration", self._calibration),
                Route("/api/v1/staff/picture", self._picture),
                Route("/api/v1/staff/measured", self._measured),
                Route("/api/v1/staff/sheet/{step}", self._sheet),
                *staff_routes,
                WebSocketRoute("/api/v1/live", self._live),
                Mount("/static", StaticFiles(directory=STATIC)),
            ],
            exception_handlers={
                Refused: _refused,
                HTTPException: _http_error,
                StoreError: _store_error,
            },
        )
        return _Gate(starlette, self)

    # --- reading -----------------------------------------------------------------------------

    def sight(self, connection: HTTPConnection) -> Sight:
        """Who looks."""
        is_staff = self.staff.knows(connection.cookies.get(COOKIE))
        return Sight(Viewer.STAFF if is_staff else Viewer.PUBLIC, self.announce)

    def view(self, sight: Sight, seat: Seat | None = None) -> dict[str, Any]:
        """What a screen shows now."""
        return table_view(self.table, sight, name=self.name, seat=seat)

    async def _healthz(self, request: Request) -> Response:
        machine = self.table.machine
        well = machine.link == "up" and machine.camera == "up" and not self.table.faults
        return _json(
            {
                "status": "ok" if well else "degraded",
                "phase": machine.phase,
                "link": machine.link,
                "camera": machine.camera,
                "faults": [fault.code for fault in self.table.faults],
                "game": self.table.game,
                "events": len(self.table.log),
                "version": software_version(),
            }
        )

    async def _state(self, request: Request) -> Response:
        seat = self._seat(request)
        return _json(self.view(self.sight(request), seat))

    def _seat(self, connection: HTTPConnection) -> Seat | None:
        given = connection.query_params.get("seat")
        if given is None:
            return None
        number = _number(given, "seat")
        if number >= self.table.players:
            raise Refused(400, f"seat: this game has seats 0 to {self.table.players - 1}")
        return Seat(number)

    async def _games(self, request: Request) -> Response:
        return _json(
            {
                "games": [
                    {
                        "game": row.game,
                        "began_at": row.began_at,
                        "last_at": row.last_at,
                        "events": row.events,
                        "ruleset": row.ruleset,
                        "current": row.game == self.table.game,
                    }
                    for row in self.table.store.games()
                ]
            }
        )

    async def _events(self, request: Request) -> Response:
        game = request.path_params["game"]
        since = _number(request.query_params.get("since", "0"), "since")
        try:
            records = self.table.store.events(game, since)
        except UnknownGameError as error:
            raise Refused(404, f"there is no game {game}") from error
        hidden_from = self._hidden_from() if game == self.table.game else None
        events = game_view(records, self.sight(request), hidden_from=hidden_from)
        return _json({"game": game, "events": events})

    def _hidden_from(self) -> int | None:
        """The first event of the deal in play; None when no hand is concealed."""
        state = self.table.state
        if state is None or not is_in_play(state):
            return None
        return self.table.records_of_deal[0].number

    async def _score(self, request: Request) -> Response:
        data = await _body(request)
        try:
            return _json(await asyncio.to_thread(answer_case, data))
        except RulesError as error:
            raise Refused(422, str(error)) from error

    async def _rulesets(self, request: Request) -> Response:
        return _json({"rulesets": [summary(find_ruleset(name)) for name in _loadable()]})

    async def _ruleset(self, request: Request) -> Response:
        try:
            return _json(description(find_ruleset(request.path_params["name"])))
        except OptionError as error:
            raise Refused(404, str(error)) from error

    async def _messages(self, request: Request) -> Response:
        language = request.path_params["language"]
        if language == "default":
            language = self.language
        if language not in LANGUAGES:
            raise Refused(404, f"there is no language {language!r}; {', '.join(LANGUAGES)}")
        return _json(
            {
                "language": language,
                "languages": dict(LANGUAGES),
                "messages": dict(catalogue(language)),
            }
        )

    async def _openapi(self, request: Request) -> Response:
        return _json(api.openapi(software_version()))

    async def _metrics(self, request: Request) -> Response:
        text = "\n".join(self._measurements()) + "\n"
        return Response(text, media_type="text/plain; version=0.0.4")

    def _measurements(self) -> Iterator[str]:
        table, machine = self.table, self.table.machine
        gauges: dict[str, float] = {
            "events": len(table.log),
            "game": table.game,
            "players": table.players,
            "open_questions": len(table.doubts),
            "screens": table.watchers,
            "link_up": machine.link == "up",
            "camera_up": machine.camera == "up",
            "faults": len(table.faults),
            "paused": table.paused is not None,
            "memory_bytes": _memory_bytes(),
            **self.gauges(),
        }
        last = ""
        for name, value in gauges.items():
            family = name.split("{")[0]
            if family != last:
                kind = "counter" if family.endswith("_total") else "gauge"
                yield f"# TYPE mahjong_table_{family} {kind}"
            last = family
            yield f"mahjong_table_{name} {float(value):.10g}"
        yield "# TYPE mahjong_table_phase gauge"
        yield f'mahjong_table_phase{{phase="{machine.phase}"}} 1'
        yield "# TYPE mahjong_table_requests_total counter"
        for (method, status), count in sorted(self.measured.requests.items()):
            yield (f'mahjong_table_requests_total{{method="{method}",status="{status}"}} {count}')
        name = "mahjong_table_event_to_screen_seconds"
        yield f"# TYPE {name} histogram"
        for bound in LATENCY_BUCKETS_S:
            yield f'{name}_bucket{{le="{bound:g}"}} {self.measured.latency[bound]}'
        yield f'{name}_bucket{{le="+Inf"}} {self.measured.latency_count}'
        yield f"{name}_sum {self.measured.latency_sum:g}"
        yield f"{name}_count {self.measured.latency_count}"

    # --- the live feed -----------------------------------------------------------------------

    async def _live(self, socket: WebSocket) -> None:
        """A snapshot, or the events from a number on, then everything as it happens."""
        try:
            seat = self._seat(socket)
            wanted = socket.query_params.get("from")
            since = None if wanted is None else _number(wanted, "from")
        except Refused as refused:
            await socket.accept()
            await socket.close(1008, refused.reason)
            return
        await socket.accept()
        if self.table.watchers >= MOST_SCREENS:
            await socket.close(1013, f"{MOST_SCREENS} screens watch already: close one")
            return
        with self.table.subscribe() as updates, contextlib.suppress(WebSocketDisconnect):
            same_game = socket.query_params.get("game") == str(self.table.game)
            if since is not None and same_game and since <= len(self.table.log):
                for message in self._missed(since, self.sight(socket), seat):
                    await socket.send_text(message)
            else:
                await socket.send_text(self._snapshot(self.sight(socket), seat))
            gone = asyncio.create_task(_until_gone(socket))
            try:
                await self._feed(socket, updates, gone, seat)
            finally:
                gone.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await gone

    async def _feed(
        self,
        socket: WebSocket,
        updates: AsyncIterator[Update],
        gone: asyncio.Task[None],
        seat: Seat | None,
    ) -> None:
        while not gone.done():
            coming = asyncio.ensure_future(anext(updates))
            try:
                await asyncio.wait(
                    {coming, gone}, timeout=TICK_S, return_when=asyncio.FIRST_COMPLETED
                )
                if gone.done():
                    return
                if not coming.done():
                    await socket.send_text('{"type":"tick"}')
                    continue
                update = coming.result()
            finally:
                coming.cancel()
            await socket.send_text(self._message(update, self.sight(socket), seat))
            if isinstance(update, EventUpdate):
                self.measured.sent(self.table.stopwatch() - update.told_at)

    def _message(self, update: Update, sight: Sight, seat: Seat | None) -> str:
        match update:
            case EventUpdate(recorded=recorded):
                in_play = self._hidden_from() is not None
                event = record_view(recorded, sight, in_play=in_play)
                return _text(
                    {
                        "type": "event",
                        "game": self.table.game,
                        "number": recorded.number,
                        "at": recorded.at,
                        "event": None if event is None else event["event"],
                        "view": self.view(sight, seat),
                    }
                )
            case Behind():
                return self._snapshot(sight, seat)
            case _:
                return _text(
                    {
                        "type": "status",
                        "machine": machine_view(self.table),
                        "paused": self.table.paused,
                        "calling": sorted(self.table.calling),
                    }
                )

    def _snapshot(self, sight: Sight, seat: Seat | None) -> str:
        view = self.view(sight, seat)
        return _text({"type": "snapshot", "game": view["game"], "next": view["next"], "view": view})

    def _missed(self, since: int, sight: Sight, seat: Seat | None) -> Iterator[str]:
        hidden_from = self._hidden_from()
        for record in self.table.log[since:]:
            in_play = hidden_from is not None and record.number >= hidden_from
            event = record_view(record, sight, in_play=in_play)
            yield _text(
                {
                    "type": "event",
                    "game": self.table.game,
                    "number": record.number,
                    "at": record.at,
                    "event": None if event is None else event["event"],
                    "view": None,
                }
            )
        yield self._snapshot(sight, seat)

    # --- the staff ---------------------------------------------------------------------------

    async def _session(self, request: Request) -> Response:
        token = request.cookies.get(COOKIE)
        if request.method == "GET":
            return _json(
                {"staff": self.staff.knows(token), "pin_needed": bool(self.settings.staff_pin)}
            )
        if request.method == "DELETE":
            self.staff.leave(token)
            response = _json({"staff": False})
            response.delete_cookie(COOKIE)
            return response
        asked = _convert(await _body(request), api.SessionRequest)
        try:
            address = request.client.host if request.client else ""
            token = await asyncio.to_thread(self.staff.enter, asked.pin, address)
        except WrongPinError as error:
            raise Refused(403, "wrong PIN") from error
        except TooManyTriesError as error:
            headers = {"retry-after": str(int(error.wait_s) + 1)}
            raise Refused(429, str(error), headers) from error
        response = _json({"staff": True})
        response.set_cookie(
            COOKIE,
            token,
            max_age=int(self.settings.session_hours * 3600),
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    def _staff_action(self, action: str) -> Endpoint:
        body = api.STAFF_ACTIONS[action][0]
        act: Callable[[Any], Any] = getattr(self, f"_do_{action}")

        async def endpoint(request: Request) -> Response:
            self._needs_staff(request)
            asked = _convert(await _body(request), body)
            try:
                done = act(asked)
                if isawaitable(done):
                    done = await done
            except REFUSALS as error:
                raise Refused(409, str(error)) from error
            return _json({"next": len(self.table.log), **(done or {})})

        return endpoint

    def _do_void(self, asked: api.VoidRequest) -> None:
        self.table.void(asked.number, asked.reason, and_after=asked.and_after)

    def _do_correct(self, asked: api.CorrectRequest) -> None:
        self.table.correct(asked.number, event_from_json(asked.event), asked.reason)

    def _do_penalise(self, asked: api.PenaliseRequest) -> None:
        self.table.penalise(
            self._sitting(asked.seat),
            asked.code,
            [
                Payment(self._payer(p.source), self._payer(p.to), p.points, p.reason)
                for p in asked.payments
            ],
            dead_hand=asked.dead_hand,
            text=asked.text,
        )

    def _do_challenge(self, asked: api.ChallengeRequest) -> None:
        self.table.challenge(self._sitting(asked.seat), self._sitting(asked.challenged))

    def _do_announce(self, asked: api.AnnounceRequest) -> None:
        self.table.announce(self._sitting(asked.seat), asked.what)

    def _do_pause(self, asked: api.PauseRequest) -> None:
        self.table.pause(asked.reason)

    def _do_resume(self, asked: api.EmptyRequest) -> None:
        self.table.resume()

    def _do_new_game(self, asked: api.EmptyRequest) -> None:
        self.table.new_game()

    def _do_key(self, asked: api.KeyRequest) -> None:
        try:
            key = Key(asked.key)
        except ValueError:
            known = ", ".join(key.value for key in Key)
            raise Refused(422, f"key: there is no key {asked.key!r}; there are {known}") from None
        self.table.press(self._sitting(asked.seat), key)

    def _do_answer(self, asked: api.AnswerRequest) -> None:
        tile = None if asked.tile is None else Tile.parse(asked.tile)
        self.table.answer(asked.number, tile)

    def _do_attend(self, asked: api.SeatRequest) -> None:
        self.table.attend(self._sitting(asked.seat))

    def _mechanism(self) -> Machine:
        if self.machine is None:
            raise Refused(409, "this table has no machine")
        return self.machine

    async def _do_machine(self, asked: api.MachineRequest) -> None:
        machine = self._mechanism()
        match asked.do:
            case "stop":
                machine.stop()
            case "build":
                machine.begin_build()
            case motion:
                await getattr(machine, motion)()

    async def _do_jog(self, asked: api.JogRequest) -> dict[str, Any]:
        jogged = await self._mechanism().jog(_part(asked.part), back=asked.back)
        return {"ran_ms": jogged.ran_ms, "peak_ma": jogged.peak_ma}

    async def _do_try_part(self, asked: api.PartRequest) -> dict[str, Any]:
        tried = await self._mechanism().try_part(_part(asked.part))
        return {
            "peak_ma": tried.peak_ma,
            "limit_ma": tried.limit_ma,
            "sensors": [sensor.name for sensor in tried.sensors],
            "verdict": tried.verdict,
        }

    def _do_report(self, asked: api.FaultRequest) -> None:
        if asked.code not in SEEN_BY_PEOPLE:
            known = ", ".join(SEEN_BY_PEOPLE)
            raise Refused(422, f"code: people report {known}; the table notices the others")
        self._mechanism().raise_fault(asked.code, side=asked.side)

    def _do_dismiss(self, asked: api.FaultRequest) -> None:
        self._mechanism().dismiss(asked.code, asked.side)

    def _do_sticks(self, asked: api.SticksRequest) -> dict[str, Any]:
        """Sticks that do not add up to the log are a fault; which seats differ is said."""
        if len(asked.points) != self.table.players:
            raise Refused(422, f"points: one number for each of {self.table.players} seats")
        machine = self._mechanism()
        differences = [
            counted - known for counted, known in zip(asked.points, self.table.points, strict=True)
        ]
        if any(differences):
            machine.raise_fault("X03")
        else:
            machine.dismiss("X03")
        return {"differences": differences}

    def _bench(self) -> Calibration:
        if self.calibration is None:
            raise Refused(409, "this table has no camera to calibrate")
        return self.calibration

    async def _do_calibrate(self, asked: api.CalibrateRequest) -> None:
        await self._bench().begin(asked.step, dice=asked.dice, order=asked.order)

    async def _do_measure(self, asked: api.EmptyRequest) -> None:
        await self._bench().measure()

    async def _do_keep(self, asked: api.KeepRequest) -> None:
        await self._bench().keep(anyway=asked.anyway)

    async def _do_give_up(self, asked: api.EmptyRequest) -> None:
        await self._bench().end()

    async def _calibration(self, request: Request) -> Response:
        self._needs_staff(request)
        try:
            return _json(self._bench().view())
        except (CalibrationError, OSError) as error:
            raise Refused(409, str(error)) from error

    async def _picture(self, request: Request) -> Response:
        self._needs_staff(request)
        return await self._shown(self._bench().picture(), "image/jpeg")

    async def _measured(self, request: Request) -> Response:
        self._needs_staff(request)
        picture = self._bench().quality_picture
        if not picture:
            raise Refused(404, "nothing was measured yet")
        return Response(picture, media_type="image/png", headers={"cache-control": "no-store"})

    async def _sheet(self, request: Request) -> Response:
        self._needs_staff(request)
        step = request.path_params["step"]
        if step not in ("camera", "table"):
            raise Refused(404, "there are sheets for camera and table")
        return await self._shown(self._bench().sheet(step), "application/pdf")

    async def _shown(self, content: Awaitable[bytes], kind: str) -> Response:
        try:
            data = await content
        except CalibrationError as error:
            raise Refused(409, str(error)) from error
        if not data:
            raise Refused(409, "there was no picture yet")
        return Response(data, media_type=kind, headers={"cache-control": "no-store"})

    def _needs_staff(self, request: Request) -> None:
        if not self.staff.knows(request.cookies.get(COOKIE)):
            raise Refused(401, "this needs the staff session: POST /api/v1/staff/session")

    async def _machine(self, request: Request) -> Response:
        self._needs_staff(request)
        return _json(service_view(self._mechanism()))

    async def _wear(self, request: Request) -> Response:
        self._needs_staff(request)
        machine = self._mechanism()
        if not machine.bridge.connected:
            raise Refused(409, "the motor board is not connected")
        try:
            return _json({"motors": [wear_view(each) for each in await machine.wear()]})
        except BridgeError as error:
            raise Refused(409, str(error)) from error

    def _sitting(self, number: int) -> Seat:
        if number >= self.table.players:
            raise Refused(422, f"seat: this game has seats 0 to {self.table.players - 1}")
        return Seat(number)

    def _payer(self, number: int | None) -> Seat | None:
        return None if number is None else self._sitting(number)


class _Gate:
    """Before every route: foreign pages are turned away, answers are counted and protected."""

    def __init__(self, inner: ASGIApp, site: Site) -> None:
        self.inner = inner
        self.site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.inner(scope, receive, send)
            return
        reason = self._foreign(HTTPConnection(scope))
        if scope["type"] == "websocket":
            if reason is not None:
                await send({"type": "websocket.close", "code": 1008, "reason": reason})
                return
            await self.inner(scope, receive, send)
            return

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.site.measured.requests[scope["method"], message["status"]] += 1
                extra = [(k.encode(), v.encode()) for k, v in SECURITY_HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *extra]}
            await send(message)

        if reason is not None:
            await _problem(403, reason)(scope, receive, counted)
            return
        await self.inner(scope, receive, counted)

    def _foreign(self, connection: HTTPConnection) -> str | None:
        """Why a request does not come from our own pages; None when it does.

        A page elsewhere must not drive the table through a visitor's browser: neither by posting
        here, nor by a name of its own that it lets point to this machine.
        """
        host = connection.headers.get("host", "")
        name = host.rsplit(":", 1)[0].strip("[]") if not host.endswith("]") else host.strip("[]")
        if is_local(self.site.settings.host) and not is_local(name):
            return f"host {host!r} is not this machine"
        origin = connection.headers.get("origin")
        is_change = connection.scope.get("method", "GET") not in ("GET", "HEAD", "OPTIONS")
        if origin is not None and (is_change or connection.scope["type"] == "websocket"):
            theirs = origin.split("://", 1)[-1]
            if theirs != host:
                return f"origin {origin!r} is not this table"
        return None


class PortError(OSError):
    """The address cannot be listened at: taken, not allowed, or not of this machine."""


async def serve(
    site: Site, *, started: Callable[[int], None] | None = None, port: int | None = None
) -> None:
    """Serve until cancelled; ``started`` is called with the port once it listens.

    Raises PortError.
    """
    config = uvicorn.Config(
        site.app(),
        log_level="warning",
        lifespan="off",
        ws="websockets-sansio",
        ws_ping_interval=20.0,
        ws_max_size=LONGEST_WORD,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    listener = _listen(site.settings.host, site.settings.port if port is None else port)
    server = _Server(config, started)
    serving = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        server.should_exit = True
        await serving
        raise
    finally:
        listener.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise PortError(
            f"cannot serve the screens at {host}:{port}: {os.strerror(error.errno or 0)}; "
            "choose another port with --port or [web] port"
        ) from error


class _Server(uvicorn.Server):
    """uvicorn that leaves signals to the daemon and says when it listens."""

    def __init__(self, config: uvicorn.Config, started: Callable[[int], None] | None) -> None:
        super().__init__(config)
        self._started = started

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._started is not None and sockets:
            self._started(sockets[0].getsockname()[1])


def software_version() -> str:
    """The version that is installed."""
    try:
        return version("mahjong-table")
    except PackageNotFoundError:
        return "0"


def _loadable() -> Iterator[str]:
    for name in RULESET_NAMES:
        try:
            find_ruleset(name)
        except ImportError:
            continue
        yield name


def _part(name: str) -> Actuator:
    try:
        return Actuator[name.upper()]
    except KeyError:
        known = ", ".join(part.name.lower() for part in Actuator)
        raise Refused(422, f"part: there is no part {name[:20]!r}; there are {known}") from None


def _page(name: str) -> Endpoint:
    async def page(request: Request) -> Response:
        return FileResponse(STATIC / name, headers={"cache-control": "no-cache"})

    return page


async def _until_gone(socket: WebSocket) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.receive()


async def _body(request: Request) -> object:
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "send JSON with content-type application/json")
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > LARGEST_BODY:
            raise Refused(413, f"the body is larger than {LARGEST_BODY // 1024} KiB")
    try:
        return msgspec.json.decode(bytes(data))
    except (msgspec.DecodeError, RecursionError) as error:
        raise Refused(400, f"not JSON: {error}") from error


def _convert(data: object, body: type[Body]) -> Body:
    try:
        return msgspec.convert(data, body)
    except msgspec.ValidationError as error:
        raise Refused(422, str(error)) from error


def _number(text: str, where: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise Refused(400, f"{where}: expected a number, not {text[:20]!r}")
    return int(text)


def _text(data: object) -> str:
    return msgspec.json.encode(data).decode()


def _json(data: object, status: int = 200) -> Response:
    return Response(
        msgspec.json.encode(data),
        status,
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )


def _problem(status: int, reason: str, words: tuple[str, ...] = ()) -> Response:
    return _json(api.Problem(reason, words), status)


def _words(error: BaseException | None) -> tuple[str, ...]:
    said = (error.why, error.hint) if isinstance(error, NotNowError) else ()
    return tuple(filter(None, said))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    response = _problem(error.status, error.reason, _words(error.__cause__))
    for key, value in (error.headers or {}).items():
        response.headers[key] = value
    return response


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = _problem(error.status_code, f"{error.detail}: {request.url.path}")
    for key, value in (error.headers or {}).items():
        response.headers[key] = value
    return response


async def _store_error(request: Request, error: Exception) -> Response:
    logger.error("%s", error)
    return _problem(503, str(error))


def _memory_bytes() -> float:
    """Resident memory of this process, from the kernel; 0 where it does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return float(pages * 4096)
