"""The safety interlocks, explored exhaustively.

Two layers. The gate is a pure function: every combination of conditions is tried for every motor.
The board is a machine: its real code runs here under CPython against a small table of pins, and
every reachable state is visited (states x events), with what must never happen looked at after
every pass of the loop. A motor that is added without an interlock stops the import; one whose
interlock is too weak fails here.
"""

from __future__ import annotations

import importlib
import itertools
import struct
import sys
from collections import deque

import pytest

from firmware_bridge.generate import FIRMWARE_TABLE
from firmware_bridge.parts import Actuator, Family, LiftKind, Mode, Motion, Sensor, Severity

FIRMWARE = FIRMWARE_TABLE.parent
MODULES = (
    "table_messages",
    "stroke",
    "interlocks",
    "frames",
    "link",
    "build",
    "refusals",
    "motions",
    "supervision",
    "board",
)


@pytest.fixture(scope="module")
def firmware():
    """The firmware's modules, imported into this Python and forgotten afterwards."""
    saved = {name: sys.modules.pop(name, None) for name in MODULES}
    sys.path.insert(0, str(FIRMWARE))
    try:
        yield {name: importlib.import_module(name) for name in MODULES}
    finally:
        sys.path.remove(str(FIRMWARE))
        for name in MODULES:
            sys.modules.pop(name, None)
            if saved[name] is not None:
                sys.modules[name] = saved[name]


def test_every_motor_has_an_interlock(firmware):
    locks = firmware["interlocks"]
    assert set(locks.NEEDS) == {int(actuator) for actuator in Actuator}
    assert all(need & locks.ALWAYS == locks.ALWAYS for need in locks.NEED_LIST)


def test_a_motor_without_an_interlock_does_not_even_import():
    source = (FIRMWARE / "interlocks.py").read_text()
    table = FIRMWARE_TABLE.read_text().split("# opcode")[0] + "\n".join(
        line for line in FIRMWARE_TABLE.read_text().splitlines() if line[:2] in ("A_", "S_")
    )
    body = source.replace("from table_messages import *", table)
    exec(compile(body, "interlocks", "exec"), {})  # as it is, it is accepted
    with pytest.raises(KeyError):
        exec(compile(body.replace("ACTUATORS = 17", "ACTUATORS = 18"), "more", "exec"), {})
    with pytest.raises(KeyError):
        exec(compile(body.replace("    A_DICE: ALWAYS | CLOSED,\n", ""), "less", "exec"), {})


@pytest.mark.parametrize("actuator", list(Actuator))
def test_the_gate_lets_a_motor_turn_only_when_all_it_needs_holds(firmware, actuator):
    """Every combination of the conditions it needs, with the others all off and all on."""
    locks = firmware["interlocks"]
    need = locks.NEED_LIST[actuator]
    every = (1 << locks.CONDITIONS) - 1
    needed = [1 << n for n in range(locks.CONDITIONS) if need >> n & 1]
    allowed = 0
    for chosen in itertools.product((False, True), repeat=len(needed)):
        word = sum(bit for bit, on in zip(needed, chosen, strict=True) if on)
        for others in (0, every & ~need):  # what it does not need changes nothing
            permitted = locks.permitted(1 << actuator, word | others)
            assert bool(permitted) == (word == need)
            assert permitted in (0, 1 << actuator)
            allowed += bool(permitted)
    assert allowed == 2


def is_closed(inputs: int) -> bool:
    """The centre is down for certain: a switch that is stuck does not count."""
    return bool(inputs >> Sensor.CENTRE_DOWN & 1) and not inputs >> Sensor.CENTRE_UP & 1


CRITICAL = {
    "drum with the mouth open": lambda w, i: w & 3 and not is_closed(i),
    "a wall with the mouth open": lambda w, i: w >> Actuator.LIFT_0 & 15 and not is_closed(i),
    "dice or chain with the mouth open": lambda w, i: w >> Actuator.DICE & 3 and not is_closed(i),
    "centre and another motor": lambda w, i: w >> Actuator.CENTRE & 1 and w.bit_count() > 1,
    "a plate over a moving head": lambda w, i: any(
        w >> (Actuator.LIFT_0 + s) & 1
        and (w >> (Actuator.HEAD_0 + s) & 1 or w >> (Actuator.CONVEYOR_0 + s) & 1)
        for s in range(4)
    ),
    "a head below a plate that is out": lambda w, i: any(
        (w >> (Actuator.HEAD_0 + s) & 1 or w >> (Actuator.CONVEYOR_0 + s) & 1)
        and not i >> (Sensor.LIFT_HOME_0 + s) & 1
        for s in range(4)
    ),
    "anything with the emergency stop pressed": lambda w, i: w and not i >> Sensor.ESTOP_OK & 1,
}
REST = sum(
    1 << s
    for s in Sensor
    if s.name.startswith(("LIFT_HOME", "CAM_HOME"))
    or s in (Sensor.CENTRE_DOWN, Sensor.LID_CLOSED, Sensor.ESTOP_OK, Sensor.CHAIN_ZERO)
)


def test_no_pair_of_wishes_gets_through_that_must_not(firmware):
    """Every pair of motors wanted at once, with every reading of the sensors they touch."""
    locks = firmware["interlocks"]
    switches = [
        Sensor.CENTRE_UP,
        Sensor.CENTRE_DOWN,
        Sensor.ESTOP_OK,
        Sensor.LID_CLOSED,
        Sensor.LIFT_HOME_0,
    ]
    switches += [Sensor.LIFT_HOME_1, Sensor.CAM_HOME_0, Sensor.CAM_HOME_1]
    tried = 0
    two_sides = [a for a in Actuator if a.side in (None, 0, 1)]  # the other two are the same
    for pair in itertools.combinations_with_replacement(two_sides, 2):
        wanted = 1 << pair[0] | 1 << pair[1]
        for chosen in itertools.product((False, True), repeat=len(switches)):
            inputs = REST
            for sensor, on in zip(switches, chosen, strict=True):
                inputs = inputs | 1 << sensor if on else inputs & ~(1 << sensor)
            for turning, host, free, supply in itertools.product((False, True), repeat=4):
                bits = locks.conditions(inputs, wanted, turning, host, free, supply, False)
                got = locks.permitted(wanted, bits)
                tried += 1
                for what, breaks in CRITICAL.items():
                    assert not breaks(got, inputs), f"{what}: {pair}, sensors {inputs:#x}"
                if not (host and free and supply):
                    assert got == 0
                if turning:
                    assert not got >> Actuator.CENTRE & 1
    assert tried == 66 * 256 * 16


class Pins:
    """A hal that holds still: a test sets the sensors, the clock and the received frames."""

    def __init__(self) -> None:
        self.now = 1000
        self.inputs = REST
        self.tacho = 0
        self.supply = 24_000
        self.current = [0] * len(Actuator)
        self.wire = bytearray(512)
        self.wire_len = 0
        self.reset_cause = self.boot_id = self.board_id = 0
        self.forward = self.reverse = 0
        self.enabled = self.is_slow = False

    def wait(self, ms: int) -> None:
        self.now += ms

    def write(self, data: bytes, size: int) -> None:
        pass

    def drive(self, forward: int, reverse: int) -> None:
        self.forward, self.reverse = forward, reverse

    def enable(self, on: bool) -> None:
        self.enabled = bool(on)

    def slow(self, on: bool) -> None:
        self.is_slow = bool(on)

    def feed(self) -> None:
        pass


class Table:
    """The board's real code with a mechanism reduced to what its sensors say."""

    def __init__(self, modules) -> None:
        self.modules = modules
        self.pins = Pins()
        self.board = modules["board"].Board(self.pins, 0)
        self.messages = modules["table_messages"]
        self.safety = {
            code for code, how in self.messages.FAULT_SEVERITY.items() if how == Severity.SAFETY
        }
        self.seq = 0
        self.hello()

    def send(self, kind: int, *args: int, session: int = 7) -> None:
        """A command arrives, past the checksum."""
        self.seq += 1
        layout = self.messages.LAYOUT[kind]
        raw = bytearray(
            struct.pack("<BBHH", kind, 0, session, self.seq) + struct.pack(layout, *args)
        )
        self.board.now = self.pins.now
        self.board.take(raw, len(raw) - 6)

    def hello(self) -> None:
        self.send(self.messages.HELLO, 1, 0, 7, 0)

    def beat(self) -> None:
        self.send(self.messages.HEARTBEAT)

    def run(self, ms: int, *, alive: bool = True) -> None:
        """Let passes of the loop go by; the mechanism follows its motors."""
        until = self.pins.now + ms
        while self.pins.now < until:
            if alive:
                self.beat()
            self.follow()
            self.board.run_once()
            self.check()

    def follow(self) -> None:
        """Sensors do what the motors that turn would make them do, at once and in order."""
        pins = self.pins
        for actuator in Actuator:
            on = (pins.forward | pins.reverse) >> actuator & 1
            running = self.board.running_ma[actuator]
            pins.current[actuator] = running if on else 0
        if pins.forward & 1:
            pins.tacho = pins.tacho + 1 & 0xFFFF

    def check(self) -> None:
        """What must never happen."""
        wanted = self.pins.forward | self.pins.reverse
        assert not self.pins.forward & self.pins.reverse
        if not self.pins.enabled:
            assert not wanted
        for what, breaks in CRITICAL.items():
            assert not breaks(wanted, self.pins.inputs), what
        held = self.board.mode == Mode.SERVICE and self.board.motion == Motion.JOG
        assert not wanted or self.pins.is_slow == held, "only what is jogged turns slowly"
        if not self.pins.inputs >> Sensor.LID_CLOSED & 1 and self.board.reverse_until < 0:
            assert not wanted or held, "moves with the lid open although nobody holds a key"
        assert self.board.fault or not self.safety & set(self.board.also), "forgotten"
        if self.board.mode in (Mode.LOCKED, Mode.FAULT, Mode.ESTOP):
            allowed = 1 << Actuator.CENTRE if self.board.reverse_until >= 0 else 0
            assert wanted & ~allowed == 0, f"moves while {Mode(self.board.mode).name}"

    def fingerprint(self) -> tuple[object, ...]:
        """The state as far as safety is concerned."""
        board = self.board
        return (
            board.mode,
            board.motion,
            board.fault,
            tuple(code for code in board.also if code in self.safety),
            board.driven,
            board.driven_back,
            self.pins.inputs,
            board.known,
            board.builder.build != 0,
            board.builder.verified,
            tuple(side.state for side in board.builder.sides),
            board.home_phase if board.motion & 1 else 0,
            board.configured,
        )


def flip(sensor: Sensor):
    """That sensor changes."""

    def event(table: Table) -> None:
        table.pins.inputs ^= 1 << sensor

    return event


def both_ends(table: Table) -> None:
    """One of the centre's switches is stuck: both say that it is there."""
    table.pins.inputs |= 1 << Sensor.CENTRE_UP | 1 << Sensor.CENTRE_DOWN


def command(kind: str, *args: int):
    """The host sends that."""
    return lambda table: table.send(getattr(table.messages, kind), *args)


def centre_to(up: bool):
    """The centre stands at its upper or lower sensor."""

    def event(table: Table) -> None:
        both = 1 << Sensor.CENTRE_UP | 1 << Sensor.CENTRE_DOWN
        table.pins.inputs = table.pins.inputs & ~both | 1 << (
            Sensor.CENTRE_UP if up else Sensor.CENTRE_DOWN
        )

    return event


def clear(table: Table) -> None:
    """A person acknowledges whatever is latched."""
    if table.board.fault:
        table.send(table.messages.CLEAR_FAULT, table.board.fault)


def configure(table: Table) -> None:
    """Every setting, as the host sends them."""
    for part in Actuator:
        stroke_ms = 0 if part.name.startswith(("DRUM", "RING", "CONV", "DICE")) else 300
        table.send(table.messages.SET_LIMITS, part, stroke_ms, 125, 200, 300, 900)
    table.send(
        table.messages.SET_MACHINE, Family.FOUR_MOUTH, 15, LiftKind.ONE_STOP, 60, 120, 20, 18_000
    )


def dip(table: Table) -> None:
    """The supply goes away and comes back."""
    table.pins.supply = 5_000 if table.pins.supply > 10_000 else 24_000


EVENTS = {
    "configure": configure,
    "unlock": command("UNLOCK"),
    "clear": clear,
    "home": command("HOME", 500),
    "up": command("MOVE_CENTRE", 2, 5000, 500),
    "down": command("MOVE_CENTRE", 1, 5000, 500),
    "build": command("BUILD", 5, 1, 1, 1, 1, 0, 0, 0, 0, 2, 500),
    "halt": command("HALT_BUILD"),
    "raise": command("RAISE_WALLS", 5, 2, 2, 2, 2, 5000, 500),
    "dice": command("ROLL_DICE", 400, 500),
    "service": command("SET_SERVICE", 1),
    "no service": command("SET_SERVICE", 0),
    "jog drum": command("JOG", 0, 0, 300),
    "jog centre": command("JOG", 2, 0, 300),
    "jog lift": command("JOG", 4, 0, 300),
    "jog head": command("JOG", 12, 0, 300),
    "eject": command("EJECT_ROWS", 15, 500),
    "stop": command("STOP", 0),
    "liquid": command("STOP", 4),
    "estop": flip(Sensor.ESTOP_OK),
    "lid": flip(Sensor.LID_CLOSED),
    "centre leaves": lambda t: setattr(
        t.pins, "inputs", t.pins.inputs & ~(1 << Sensor.CENTRE_UP | 1 << Sensor.CENTRE_DOWN)
    ),
    "centre up": centre_to(up=True),
    "centre down": centre_to(up=False),
    "centre both": both_ends,
    "plate": flip(Sensor.LIFT_HOME_1),
    "cam": flip(Sensor.CAM_HOME_1),
    "tile": flip(Sensor.TILE_1),
    "supply": dip,
    "silence": lambda t: t.run(700, alive=False),
    "time": lambda t: t.run(400),
}  # fmt: skip


def replayed(modules, path: tuple[str, ...]) -> Table:
    """The table after these events; two passes of the loop follow each."""
    table = Table(modules)
    for name in path:
        EVENTS[name](table)
        for _ in range(3):
            table.beat()
            table.follow()
            table.board.run_once()
            table.check()
    return table


def explore(modules, limit: int) -> tuple[int, int]:
    """Breadth first over states x events; the numbers of states and of steps."""
    seen: dict[tuple[object, ...], tuple[str, ...]] = {}
    start: tuple[str, ...] = ("configure", "unlock", "home")
    queue: deque[tuple[str, ...]] = deque([(), start])
    for path in queue:
        seen[replayed(modules, path).fingerprint()] = path
    steps = 0
    while queue and steps < limit:
        path = queue.popleft()
        for name in EVENTS:
            table = replayed(modules, (*path, name))
            steps += 1
            mark = table.fingerprint()
            if mark not in seen:
                seen[mark] = (*path, name)
                queue.append((*path, name))
    return len(seen), steps


def test_no_reachable_state_of_the_board_breaks_an_interlock(firmware):
    """A slice of the state space in every run; the long test goes further."""
    states, steps = explore(firmware, 1500)
    print(f"{states} states, {steps} steps")
    assert states > 200


@pytest.mark.long
def test_no_reachable_state_of_the_board_breaks_an_interlock_far_out(firmware):
    states, steps = explore(firmware, 120_000)
    print(f"{states} states, {steps} steps")
    assert states > 5_000
