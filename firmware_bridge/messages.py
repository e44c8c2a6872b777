"""Every command the motor board understands and every report it gives.

A class is a message: its opcode, its fields with units and bounds, the report that answers it and
how long that may take. The firmware's table (`firmware/table_messages.py`) and the document
(`hardware_docs/protocol.md`) are generated from here. Commands name what shall be, never a
change, so sending one twice does no harm.
"""

from __future__ import annotations

import binascii
from typing import ClassVar, Generic, TypeVar

from firmware_bridge.parts import (
    Actuator,
    CentrePlace,
    Family,
    LiftKind,
    Mode,
    Motion,
    Refusal,
    ResetCause,
    Severity,
)
from firmware_bridge.wire import Message, message, wire

PROTOCOL_MAJOR = 1
PROTOCOL_MINOR = 0

MAX_PAYLOAD = 200
HEARTBEAT_MS = 80  # the host sends one whenever it sent nothing else for so long
SILENCE_MS = 500  # nothing valid from the host for so long: motors off
LEASE_MS = 500
RETRY_MS = 40  # no answer for so long: the same frame again
REPEAT_MS = 100  # the board repeats what was not acknowledged
STATE_MS = 100  # full state at least so often
KEPT_ANSWERS = 16  # a repeated command is answered from memory, not done again


class Report(Message):
    """From the board."""


class Command(Message):
    """To the board."""

    takes_answer: ClassVar[bool] = True


R = TypeVar("R", bound=Report)


class Request(Command, Generic[R]):
    """A command that is accepted or refused at once and answered when it is done."""

    reply: ClassVar[type[Report]]
    timeout_s: ClassVar[float] = 1.0
    moves: ClassVar[bool] = False


# Answers to requests. On the wire each begins with the sequence number it answers.


@message(0x90)
class Unlocked(Report):
    """A person's "go on" was heard."""

    mode: Mode = wire("B", "what the board may do now", kind=Mode)


@message(0x91)
class FaultCleared(Report):
    """The latched fault is forgotten; the board is locked until it is unlocked."""

    mode: Mode = wire("B", "what the board may do now", kind=Mode)


@message(0x92)
class Configured(Report):
    """The settings were taken."""

    config_crc: int = wire("I", "CRC-32 over all settings the board holds now")


@message(0x93)
class Wear(Report):
    """What one motor has done since the board started, and in its last strokes."""

    part: Actuator = wire("B", "the motor", kind=Actuator)
    strokes: int = wire("I", "strokes since the board started")
    last_ms: int = wire("H", "the last stroke", unit="ms")
    mean_ms: int = wire("H", "mean of the last strokes (1/8 smoothing)", unit="ms")
    peak_ma: int = wire("H", "highest current of the last stroke", unit="mA")


@message(0x94)
class CentreMoved(Report):
    """The centre arrived."""

    place: CentrePlace = wire("B", "where it is", kind=CentrePlace)
    stroke_ms: int = wire("H", "how long it took; 0 when it was there already", unit="ms")
    peak_ma: int = wire("H", "highest current after the start", unit="mA")


@message(0x95)
class WallsRaised(Report):
    """The walls stand on the table and the plates are home again."""

    build: int = wire("H", "whose tiles they are")
    stacks: tuple[int, int, int, int] = wire("4B", "stacks a side")
    stroke_ms: tuple[int, int, int, int] = wire("4H", "how long each plate took", unit="ms")


@message(0x96)
class Built(Report):
    """Every side has its count, and no tile came after."""

    build: int = wire("H", "the build")
    stacks: tuple[int, int, int, int] = wire("4B", "whole stacks a side")
    hands: tuple[int, int, int, int] = wire("4B", "hand tiles a side")
    tiles: int = wire("H", "tiles counted at the heads")
    took_ms: int = wire("I", "from the first turn of the drum", unit="ms")
    verified: int = wire("B", "1: every count was made without a doubtful sensor", high=1)


@message(0x97)
class BuildHalted(Report):
    """The build stands still and can go on."""

    build: int = wire("H", "the build")
    tiles: tuple[int, int, int, int] = wire("4H", "tiles counted a side")


@message(0x98)
class DiceRolled(Report):
    """The dice have come to rest."""

    spin_ms: int = wire("H", "how long the plate shook", unit="ms")


@message(0x99)
class Homed(Report):
    """Centre down, plates and heads home: every position is known."""

    took_ms: int = wire("H", "how long it took", unit="ms")


@message(0x9A)
class Jogged(Report):
    """A hold-to-run step ended."""

    part: Actuator = wire("B", "the motor", kind=Actuator)
    ran_ms: int = wire("H", "how long it ran", unit="ms")
    peak_ma: int = wire("H", "highest current", unit="mA")


@message(0x9B)
class ServiceSet(Report):
    """Service mode was entered or left."""

    mode: Mode = wire("B", "what the board may do now", kind=Mode)


@message(0x9C)
class RowsEjected(Report):
    """Whatever stood in the rows is on the table now; the counts are zero."""

    sides: int = wire("B", "bit mask of the sides", high=15)


@message(0x9D)
class Echoed(Report):
    """What was asked comes back: measures the link."""

    token: int = wire("I", "the number that was sent")


@message(0x9F)
class Failed(Report):
    """A request that was accepted could not be finished."""

    code: int = wire("B", "fault number, see the catalogue")
    side: int = wire("B", "0 to 3, or 255 for the whole table")


# Reports of their own.


@message(0x81)
class HelloAck(Report):
    """Who the board is; sent with the plain checksum so that any host can read it."""

    major: int = wire("B", "protocol major version")
    minor: int = wire("B", "protocol minor version")
    session: int = wire("H", "the session the host asked for")
    incompatible: int = wire("H", "features a host must know to move anything")
    compatible: int = wire("H", "features a host may ignore")
    firmware: tuple[int, int, int] = wire("3B", "firmware version")
    build_id: int = wire("I", "first 32 bits of the firmware's hash")
    board_id: int = wire("I", "the board's serial number")
    boot_id: int = wire("I", "drawn at every start; another one means positions are lost")
    reset_cause: ResetCause = wire("B", "why the board started", kind=ResetCause)
    table_hash: int = wire("I", "hash of the message table")
    config_crc: int = wire("I", "CRC-32 over the settings; 0 when it has none")
    mode: Mode = wire("B", "what the board may do", kind=Mode)


@message(0x82)
class Accepted(Report):
    """A request was understood and is being done."""

    of: int = wire("H", "its sequence number")


@message(0x83)
class Refused(Report):
    """A request will not be done; nothing moved."""

    of: int = wire("H", "its sequence number")
    reason: Refusal = wire("B", "why", kind=Refusal)
    detail: int = wire("B", "the side or part it is about, 255 for none")


@message(0x84)
class Incident(Report):
    """Something happened that somebody should know; repeated until acknowledged."""

    code: int = wire("B", "fault number, see the catalogue")
    severity: Severity = wire("B", "how much it stops", kind=Severity)
    part: int = wire("B", "actuator, or 255")
    side: int = wire("B", "0 to 3, or 255 for the whole table")
    value: int = wire("I", "the measurement that decided, in its unit")
    at_ms: int = wire("I", "board time", unit="ms")


@message(0x85)
class State(Report):
    """Everything the board knows, complete; ten times a second and at every edge."""

    at_ms: int = wire("I", "board time", unit="ms")
    mode: Mode = wire("B", "what the board may do", kind=Mode)
    motion: Motion = wire("B", "what it is doing", kind=Motion)
    fault: int = wire("B", "the latched fault, 0 for none")
    fault_side: int = wire("B", "its side, 255 for the whole table")
    inputs: int = wire("I", "sensors, one bit each (`Sensor`)")
    forward: int = wire("I", "motors that turn forward, one bit each (`Actuator`)")
    reverse: int = wire("I", "motors that turn back")
    known: int = wire("I", "motors whose position is known")
    centre: CentrePlace = wire("B", "where the centre is", kind=CentrePlace)
    build: int = wire("H", "the build the rows belong to, 0 for none")
    verified: int = wire("B", "1: that build is finished and its counts are sure", high=1)
    tiles: tuple[int, int, int, int] = wire("4B", "tiles counted into each row")
    wanted: tuple[int, int, int, int] = wire("4B", "tiles each row shall have")
    tacho: int = wire("H", "pulses of the drum, running over")
    supply_mv: int = wire("H", "motor supply", unit="mV")
    current_ma: tuple[int, ...] = wire("17H", "current of each motor", unit="mA")
    bad_frames: int = wire("H", "frames that failed their checksum, running over")
    slowest_ms: int = wire("B", "longest pass of the loop since the last report", unit="ms")
    free_kb: int = wire("B", "memory left after the last collection", unit="KiB")
    silence_ms: int = wire("H", "since the last valid frame of the host", unit="ms")
    served: int = wire("H", "requests accepted in this session, running over")
    lost_reports: int = wire("B", "reports that were given up before they were heard, running over")


# Commands.


@message(0x01)
class Hello(Command):
    """Opens a session; sent with the plain checksum so that any board can read it."""

    major: int = wire("B", "protocol major version")
    minor: int = wire("B", "protocol minor version")
    session: int = wire("H", "drawn at every connect; frames of another session are dropped", low=1)
    features: int = wire("H", "features the host knows")


@message(0x02)
class Heartbeat(Command):
    """The host is alive; keeps every lease."""

    takes_answer: ClassVar[bool] = False


@message(0x03)
class Stop(Command):
    """All motors off, now; sent three times, valid in any session, plain checksum, no answer."""

    takes_answer: ClassVar[bool] = False
    reason: int = wire(
        "B", "0 person, 1 screen, 2 program ends, 3 fault, 4 liquid: also cut the supply"
    )


@message(0x04)
class Heard(Command):
    """A repeated report arrived and need not be repeated again."""

    takes_answer: ClassVar[bool] = False
    of: int = wire("H", "the report's sequence number")


@message(0x10)
class Unlock(Request[Unlocked]):
    """A person at the table said "go on"."""

    reply: ClassVar[type[Report]] = Unlocked


@message(0x11)
class ClearFault(Request[FaultCleared]):
    """A person has looked at that fault. Refused while its cause is still there."""

    reply: ClassVar[type[Report]] = FaultCleared
    code: int = wire("B", "the fault that is meant; another one stays latched")


@message(0x12)
class SetMachine(Request[Configured]):
    """What kind of table this is. Takes effect with the next motion."""

    reply: ClassVar[type[Report]] = Configured
    family: Family = wire("B", "how tiles get to the sides", kind=Family)
    sides: int = wire("B", "bit mask of the sides that get a wall", low=1, high=15)
    lifts: LiftKind = wire("B", "what the wall lifts can feel", kind=LiftKind)
    build_warn_s: int = wire("B", "a build longer than this is reported", unit="s", low=5)
    build_stop_s: int = wire("B", "a build longer than this is stopped", unit="s", low=10)
    stall_s: int = wire("B", "no tile for so long: some are missing", unit="s", low=2)
    supply_low_mv: int = wire("H", "below this the motors stop", unit="mV", low=5000, high=30000)


@message(0x13)
class SetLimits(Request[Configured]):
    """What one motor's stroke looks like when it is healthy."""

    reply: ClassVar[type[Report]] = Configured
    part: Actuator = wire("B", "the motor", kind=Actuator)
    stroke_ms: int = wire("H", "learned time of a stroke, 0 when it has none", unit="ms", high=8000)
    warn_pct: int = wire("B", "longer than this part of it: a warning", unit="%", low=101)
    stop_pct: int = wire("H", "longer than this: stop", unit="%", low=110, high=400)
    running_ma: int = wire("H", "current while running freely", unit="mA", low=10, high=8000)
    limit_ma: int = wire("H", "current that means blocked", unit="mA", low=20, high=12000)


@message(0x14)
class ReadWear(Request[Wear]):
    """Ask for the service counters of one motor."""

    reply: ClassVar[type[Report]] = Wear
    part: Actuator = wire("B", "the motor", kind=Actuator)


@message(0x15)
class SetService(Request[ServiceSet]):
    """Enter or leave service mode; only there motors can be jogged."""

    reply: ClassVar[type[Report]] = ServiceSet
    enter: int = wire("B", "1 enter, 0 leave", high=1)


@message(0x16)
class Echo(Request[Echoed]):
    """Send a number back."""

    reply: ClassVar[type[Report]] = Echoed
    token: int = wire("I", "any number")


@message(0x20)
class Home(Request[Homed]):
    """Bring centre, plates and heads to where they are known to be."""

    reply: ClassVar[type[Report]] = Homed
    timeout_s: ClassVar[float] = 20.0
    moves: ClassVar[bool] = True
    lease_ms: int = wire("H", "ends when the host is silent so long", unit="ms", low=50, high=500)


@message(0x21)
class MoveCentre(Request[CentreMoved]):
    """Raise the centre, which opens the mouth, or lower it, which closes it."""

    reply: ClassVar[type[Report]] = CentreMoved
    timeout_s: ClassVar[float] = 10.0
    moves: ClassVar[bool] = True
    place: CentrePlace = wire("B", "DOWN or UP", kind=CentrePlace, low=1, high=2)
    within_ms: int = wire("H", "stop when it takes longer", unit="ms", low=100, high=8000)
    lease_ms: int = wire("H", "ends when the host is silent so long", unit="ms", low=50, high=500)


@message(0x22)
class RaiseWalls(Request[WallsRaised]):
    """Lift the finished rows of that build through the deck, all sides together."""

    reply: ClassVar[type[Report]] = WallsRaised
    timeout_s: ClassVar[float] = 10.0
    moves: ClassVar[bool] = True
    build: int = wire("H", "the build; refused when the rows hold another one", low=1)
    tiles: tuple[int, int, int, int] = wire("4B", "what the host counted; must agree")
    within_ms: int = wire("H", "stop when it takes longer", unit="ms", low=100, high=8000)
    lease_ms: int = wire("H", "ends when the host is silent so long", unit="ms", low=50, high=500)


@message(0x23)
class Build(Request[Built]):
    """Shuffle and build the rows. The same build number goes on where it was halted."""

    reply: ClassVar[type[Report]] = Built
    timeout_s: ClassVar[float] = 280.0
    moves: ClassVar[bool] = True
    build: int = wire("H", "drawn by the host for every set that is built", low=1)
    stacks: tuple[int, int, int, int] = wire("4B", "stacks a side", high=40)
    hands: tuple[int, int, int, int] = wire("4B", "tiles of the hand layer a side", high=20)
    layers: int = wire("B", "tiles a stack", low=1, high=3)
    lease_ms: int = wire("H", "ends when the host is silent so long", unit="ms", low=50, high=500)


@message(0x24)
class HaltBuild(Request[BuildHalted]):
    """Bring a running build to rest at the next safe place, heads home, drum still."""

    reply: ClassVar[type[Report]] = BuildHalted
    timeout_s: ClassVar[float] = 5.0


@message(0x25)
class RollDice(Request[DiceRolled]):
    """Shake the dice."""

    reply: ClassVar[type[Report]] = DiceRolled
    timeout_s: ClassVar[float] = 9.0
    moves: ClassVar[bool] = True
    spin_ms: int = wire("H", "how long", unit="ms", low=300, high=4000)
    lease_ms: int = wire("H", "ends when the host is silent so long", unit="ms", low=50, high=500)


@message(0x26)
class Jog(Request[Jogged]):
    """Turn one motor while a person holds a key; service mode only."""

    reply: ClassVar[type[Report]] = Jogged
    timeout_s: ClassVar[float] = 1.0
    moves: ClassVar[bool] = True
    part: Actuator = wire("B", "the motor", kind=Actuator)
    back: int = wire("B", "1: in reverse", high=1)
    hold_ms: int = wire("H", "how long this press counts", unit="ms", low=20, high=300)


@message(0x27)
class EjectRows(Request[RowsEjected]):
    """Raise whatever the rows hold, counted or not; service mode, a person holds the key."""

    reply: ClassVar[type[Report]] = RowsEjected
    timeout_s: ClassVar[float] = 10.0
    moves: ClassVar[bool] = True
    sides: int = wire("B", "bit mask of the sides", low=1, high=15)
    lease_ms: int = wire("H", "ends when the host is silent so long", unit="ms", low=50, high=500)


COMMANDS: tuple[type[Command], ...] = (
    Hello,
    Heartbeat,
    Stop,
    Heard,
    Unlock,
    ClearFault,
    SetMachine,
    SetLimits,
    ReadWear,
    SetService,
    Echo,
    Home,
    MoveCentre,
    RaiseWalls,
    Build,
    HaltBuild,
    RollDice,
    Jog,
    EjectRows,
)
OWN_REPORTS: tuple[type[Report], ...] = (HelloAck, Accepted, Refused, Incident, State)
ANSWERS: tuple[type[Report], ...] = (
    Unlocked,
    FaultCleared,
    Configured,
    Wear,
    CentreMoved,
    WallsRaised,
    Built,
    BuildHalted,
    DiceRolled,
    Homed,
    Jogged,
    ServiceSet,
    RowsEjected,
    Echoed,
    Failed,
)
REPORTS: tuple[type[Report], ...] = OWN_REPORTS + ANSWERS
MESSAGES: tuple[type[Message], ...] = COMMANDS + REPORTS
PLAIN: tuple[type[Message], ...] = (Hello, HelloAck, Stop)

REPORT_BY_OPCODE = {kind.opcode: kind for kind in REPORTS}


def describe() -> list[str]:
    """The message table in lines: what two sides must share to understand each other."""
    lines = [f"protocol {PROTOCOL_MAJOR}"]
    for kind in sorted(MESSAGES, key=lambda kind: kind.opcode):
        fields = " ".join(
            f"{name}:{meta.c_name}[{meta.low}..{meta.high}]{meta.unit}" for name, meta in kind.wires
        )
        lines.append(f"{kind.opcode:#04x} {kind.__name__} {fields}".rstrip())
    for numbers in (Actuator, CentrePlace, Family, LiftKind, Mode, Motion, Refusal, Severity):
        lines.append(f"{numbers.__name__} " + " ".join(f"{n.name}={n.value}" for n in numbers))
    return lines


TABLE_HASH = binascii.crc32("\n".join(describe()).encode())
