"""What the API accepts, and its description as OpenAPI, both from the same structs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from table_controller.score import ScoreCase

SeatNumber = Annotated[int, Meta(ge=0, le=3)]
EventNumber = Annotated[int, Meta(ge=0)]
Reason = Annotated[str, Meta(max_length=200)]
Points = Annotated[int, Meta(ge=0, le=10_000_000)]
Code = Annotated[str, Meta(pattern="^[a-z][a-z0-9_]{1,40}$")]


class SessionRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Open a staff session."""

    pin: Annotated[str, Meta(max_length=64)] = ""


class VoidRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Take back an event, with everything after it in its deal if ``and_after``."""

    number: EventNumber
    reason: Reason = ""
    and_after: bool = False


class CorrectRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Put another event in the place of one that was wrong."""

    number: EventNumber
    event: dict[str, Any]
    reason: Reason = ""


class PaymentRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Points that move; null is the pot."""

    points: Points
    reason: Reason
    source: SeatNumber | None = msgspec.field(default=None, name="from")
    to: SeatNumber | None = None


class PenaliseRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A seat pays for a breach, or is barred from winning this deal."""

    seat: SeatNumber
    code: Code
    payments: Annotated[list[PaymentRequest], Meta(max_length=12)] = []
    dead_hand: bool = False
    text: Reason = ""


class ChallengeRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A player calls another hand dead."""

    seat: SeatNumber
    challenged: SeatNumber


class AnnounceRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A player said aloud what counts only when it is said; the rules in play list what."""

    seat: SeatNumber
    what: Code


class PauseRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Hold the table."""

    reason: Reason = ""


class KeyRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Press a seat's key for it."""

    seat: SeatNumber
    key: str


class AnswerRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Answer an open question with a tile, or null: nobody can tell."""

    number: EventNumber
    tile: str | None = None


class SeatRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Which seat."""

    seat: SeatNumber


class MachineRequest(msgspec.Struct, forbid_unknown_fields=True):
    """What the machine shall do; every motion is refused when it is not its turn."""

    do: Literal[
        "confirm", "stop", "open_mouth", "close_mouth", "build", "raise_walls", "add_tiles",
        "roll_dice", "recover", "enter_service", "leave_service",
    ]  # fmt: skip


class JogRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Turn one motor for a moment in service mode; a screen repeats it while its key is held."""

    part: str
    back: bool = False


class PartRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Which motor."""

    part: str


class FaultRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A fault of the catalogue, and the side of the table where it is."""

    code: Annotated[str, Meta(pattern="^[A-Z][0-9]{2}$")]
    side: SeatNumber | None = None


class SticksRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The points that each seat holds in sticks, as people counted them."""

    points: Annotated[
        list[Annotated[int, Meta(ge=-10_000_000, le=10_000_000)]], Meta(min_length=2, max_length=4)
    ]


class CalibrateRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Begin a step of the calibration."""

    step: Literal["camera", "table", "tiles", "dome", "lifts", "confidence"]
    dice: Annotated[int, Meta(ge=1, le=4)] = 2
    order: Annotated[str, Meta(max_length=500)] = ""  # tiles: how they lie, row by row


class KeepRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Keep what was measured, though a number does not keep its limit if ``anyway``."""

    anyway: bool = False


class EmptyRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Nothing needs to be said."""


class Problem(msgspec.Struct, omit_defaults=True):
    """Why a request was refused; in sentences that the screens know in every language, if any."""

    error: str
    words: tuple[str, ...] = ()


STAFF_ACTIONS: dict[str, tuple[type[msgspec.Struct], str]] = {
    "void": (VoidRequest, "Take back an event."),
    "correct": (CorrectRequest, "Replace an event."),
    "penalise": (PenaliseRequest, "Penalise a seat."),
    "challenge": (ChallengeRequest, "Challenge another player's hand."),
    "announce": (AnnounceRequest, "Say for a player what counts only when it is said."),
    "pause": (PauseRequest, "Hold the table."),
    "resume": (EmptyRequest, "Go on after a pause."),
    "new_game": (EmptyRequest, "Begin another game by the same rules."),
    "key": (KeyRequest, "Press a seat's key."),
    "answer": (AnswerRequest, "Answer an open question."),
    "attend": (SeatRequest, "Take a seat's call for the staff."),
    "machine": (MachineRequest, "Let the machine do something."),
    "jog": (JogRequest, "Turn one motor while a key is held, in service mode."),
    "try_part": (PartRequest, "Test one motor in service mode: its current and its sensors."),
    "report": (FaultRequest, "Say that somebody at the table sees a fault."),
    "dismiss": (FaultRequest, "A warning was read."),
    "calibrate": (CalibrateRequest, "Begin a step of the calibration."),
    "measure": (EmptyRequest, "Measure from the pictures that were taken."),
    "keep": (KeepRequest, "Save what was measured and use it."),
    "give_up": (EmptyRequest, "End the step of the calibration."),
    "sticks": (SticksRequest, "Compare the points sticks with the log."),
}

_READS = (
    ("/healthz", "Whether the table is well.", ()),
    ("/api/v1/state", "What a screen shows.", ("seat",)),
    ("/api/v1/games", "The games in the log.", ()),
    ("/api/v1/games/{game}/events", "The events of a game.", ("since",)),
    ("/api/v1/rulesets", "The rulesets.", ()),
    ("/api/v1/rulesets/{name}", "A ruleset with presets and options.", ()),
    ("/api/v1/messages/{language}", "The texts of the screens.", ()),
    ("/api/v1/staff/session", "Whether this is a staff session.", ()),
    ("/api/v1/staff/machine", "Sensors, motors, link and faults; for the staff.", ()),
    ("/api/v1/staff/wear", "The service counters of the motors; for the staff.", ()),
    ("/api/v1/staff/calibration", "The step under way and what was measured; for the staff.", ()),
    ("/api/v1/staff/picture", "What the camera sees, as JPEG; for the staff.", ()),
    ("/api/v1/staff/measured", "The picture of a measured step, as PNG; for the staff.", ()),
    ("/api/v1/staff/sheet/{step}", "The sheet to print for a step, as PDF; for the staff.", ()),
    ("/metrics", "Measurements, as Prometheus reads them.", ()),
)


def openapi(version: str) -> dict[str, Any]:
    """The description of the API; the live feed is told in words, OpenAPI knows no WebSockets."""
    bodies = [ScoreCase, SessionRequest, Problem, *(body for body, _ in STAFF_ACTIONS.values())]
    _, components = msgspec.json.schema_components(
        dict.fromkeys(bodies), ref_template="#/components/schemas/{name}"
    )
    paths: dict[str, Any] = {}
    for path, summary, query in _READS:
        names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
        parameters = [_parameter(name, "path") for name in names]
        parameters += [_parameter(name, "query") for name in query]
        paths[path] = {"get": {"summary": summary, "parameters": parameters, **_responses()}}
    paths["/api/v1/score"] = {"post": _post("Score one case.", ScoreCase)}
    paths["/api/v1/staff/session"]["post"] = _post("Open a staff session.", SessionRequest)
    paths["/api/v1/staff/session"]["delete"] = {"summary": "Close it.", **_responses()}
    for action, (body, summary) in STAFF_ACTIONS.items():
        paths[f"/api/v1/staff/{action}"] = {
            "post": {**_post(summary, body), "security": [{"staff": []}]}
        }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Mahjong table",
            "version": version,
            "description": "The live feed is a WebSocket at /api/v1/live: a snapshot, then every "
            "event with its number. With ?game= and ?from= a client goes on where it stopped.",
            "license": {"name": "MIT"},
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "staff": {"type": "apiKey", "in": "cookie", "name": "mahjong_staff"}
            },
        },
    }


def _parameter(name: str, where: str) -> dict[str, Any]:
    kind = "string" if name in ("name", "language", "step") else "integer"
    return {"name": name, "in": where, "required": where == "path", "schema": {"type": kind}}


def _post(summary: str, body: type[msgspec.Struct]) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{body.__name__}"}
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        **_responses(),
    }


def _responses() -> dict[str, Any]:
    problem = {"$ref": "#/components/schemas/Problem"}
    return {
        "responses": {
            "200": {"description": "Done."},
            "4XX": {
                "description": "Refused, and why.",
                "content": {"application/json": {"schema": problem}},
            },
        }
    }
