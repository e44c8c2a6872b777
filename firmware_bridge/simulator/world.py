"""The mechanism with every tile in it: motors, sensors, currents, friction, jams.

Time moves in steps of 5 ms and only when `advance` is called. Every tile is in exactly one place;
`audit` says so at any moment. The same seed and the same commands give the same world.
"""

from __future__ import annotations

import math
import random
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from firmware_bridge.errors import BridgeError
from firmware_bridge.layout import CentreKind, FourSides, TableLayout
from firmware_bridge.parts import SIDES, Actuator, Family, Sensor

STEP_MS = 5
SUPPLY_MV = 24_000
CENTRE = {  # way in mm and speed in mm/s, below the 150 of EN 1570-1
    CentreKind.DICE_BOX: (60.0, 50.0),
    CentreKind.LID: (90.0, 75.0),
}
MOUTH_OPEN_MM = 10.0
AT_SENSOR_MM = 0.5
HAND_MM_S = 200.0  # as fast as somebody pushes the centre
HAND_DEG_S = 150.0  # and a plate
LIFT_TURN_MS = 2000
CAM_TURN_MS = 300
CHAIN_TURN_MS = 4800
DRUM_REV_MS = 1500  # 40 turns a minute
DRUM_SLOTS = 16
TROUGH_TILES = 6
TRAVEL_MS = 220  # the conveyor carries a tile to the head
DICE_COAST_MS = 400
STALL_FACTOR = 4.0  # a blocked motor against a free one

_RUNNING_MA = {
    Actuator.DRUM: 450,
    Actuator.RING: 250,
    Actuator.CENTRE: 600,
    Actuator.DICE: 120,
    Actuator.CHAIN: 400,
}


class WorldError(BridgeError, ValueError):
    """Something that cannot happen at a real table was asked of the simulated one."""


class Place(StrEnum):
    """Where a tile can be."""

    SURFACE = "surface"  # on the table top: hands, ponds, melds, a heap
    FLOOR = "floor"
    MOUTH = "mouth"
    DRUM = "drum"
    TROUGH = "trough"
    HEAD = "head"
    ROW = "row"
    WALL = "wall"
    OUT = "out"  # not at this table


@dataclass(frozen=True, slots=True)
class Spot:
    """A place and, where there is one on each side, the side."""

    place: Place
    side: int | None = None


@dataclass(slots=True)
class Motor:
    """One motor as physics sees it."""

    running_ma: int
    direction: int = 0
    driven_ms: int = 0
    position: float = 0.0
    blocked: bool = False  # something holds it
    broken_wire: bool = False
    friction: float = 1.0  # times the current, divides the speed
    blocked_now: bool = False  # set by the step that felt it
    jam_breaks: bool = False  # turning it back frees it


@dataclass(slots=True)
class SideState:
    """The tiles of one side below the table."""

    trough: deque[int] = field(default_factory=deque)
    travelled_ms: int = 0
    at_head: int | None = None
    in_cam: list[int] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    wall: list[int] = field(default_factory=list)
    wall_hands: int = 0
    wall_layers: int = 2
    plan: deque[int] = field(default_factory=deque)
    feed_in_ms: float = 0.0
    double_push: bool = False
    miss_push: bool = False


def _running_ma(actuator: Actuator) -> int:
    if actuator in _RUNNING_MA:
        return _RUNNING_MA[actuator]
    if actuator < Actuator.CONVEYOR_0:
        return 500
    return 180 if actuator < Actuator.HEAD_0 else 350


class World:
    """A table's inside. All public methods may be called from any thread."""

    def __init__(
        self,
        layout: TableLayout,
        labels_a: Sequence[str],
        labels_b: Sequence[str] = (),
        *,
        seed: int = 0,
    ) -> None:
        self.lock = threading.RLock()
        self.layout = layout
        self.centre_mm, self.centre_mm_s = CENTRE[layout.centre]
        self.random = random.Random(seed)
        self.now_ms = 0
        self.labels: dict[int, str] = {}
        self.sets: dict[str, tuple[int, ...]] = {}
        next_id = 0
        for name, labels in (("A", labels_a), ("B", labels_b)):
            ids = tuple(range(next_id, next_id + len(labels)))
            next_id += len(labels)
            self.sets[name] = ids
            self.labels.update(zip(ids, labels, strict=True))
        self.surface: set[int] = set(self.labels)
        self.floor: set[int] = set()
        self.out: set[int] = set()
        self.mouth: list[int] = []
        self.drum: list[int] = []
        self.sides = [SideState() for _ in range(SIDES)]
        self.stage: list[int] = []  # one mouth: the row that still stands at the head
        self.weak: set[int] = set()  # tiles that the ring does not lift
        self.face_up: set[int] = set()
        self.fallen: set[int] = set()
        self.motors = {a: Motor(_running_ma(a)) for a in Actuator}
        self.stuck: dict[Sensor, bool] = {}
        self.flaky: dict[Sensor, float] = {}
        self.obstacle: dict[Actuator, float] = {}
        self.pushed: dict[Actuator, float] = {}  # by hand: millimetres or degrees to go
        self.estop_pressed = False
        self.lid_open = False
        self.service_key = False  # bridges the lid switch
        self.slow = False  # a jogged motor: half speed
        self.enabled = False
        self.supply_on = True
        self.brown_out_until = -1
        self.drum_speed = 0.0
        self.drum_runaway = False
        self.spikes_until = -1
        self.feed_factor = 1.0
        self.dice_count = 2
        self.dice_turning_until = -1
        self.dice_faces: tuple[int, ...] = (1, 1)
        self.dice_dead = False
        self.dice_runaway = False
        self.dice_thrown = 0
        self.planted: dict[str, list[list[int]]] = {}
        self.outside: dict[str, Callable[[str | None, float], None]] = {}
        self.on_violation: list[str] = []  # what no table may ever do, as it happened
        self.motor_log: Counter[Actuator] = Counter()  # milliseconds each motor turned
        self.last_turned: dict[Actuator, int] = {}  # when each last did
        for motor in self.motors.values():
            motor.position = 0.0
        self.inputs = self.read_inputs()

    # ---- what people do

    def push_into_mouth(self, tiles: Iterable[int]) -> None:
        """Players push tiles from the table top into the open mouth."""
        with self.lock:
            if self.motors[Actuator.CENTRE].position < MOUTH_OPEN_MM:
                raise WorldError("the mouth is closed: raise the centre before pushing tiles in")
            for tile in tuple(tiles):
                self._from_top(tile)
                self.mouth.append(tile)
                self.fallen.discard(tile)

    def take(self, tiles: Iterable[int]) -> None:
        """Players take tiles off the walls; they lie on the table top then."""
        with self.lock:
            for tile in tuple(tiles):
                for side in self.sides:
                    if tile in side.wall:
                        side.wall[side.wall.index(tile)] = -1
                        self.surface.add(tile)
                        break
                else:
                    raise WorldError(f"tile {tile} stands in no wall; it is {self.where(tile)}")
            for side in self.sides:
                if side.wall and all(tile < 0 for tile in side.wall):
                    side.wall.clear()

    def carry_off(self, tiles: Iterable[int]) -> None:
        """Somebody takes those that lie on the table top away from this table."""
        with self.lock:
            found = self.surface & set(tiles)
            self.surface -= found
            self.out |= found

    def clear_walls(self) -> tuple[int, ...]:
        """Players knock all walls over: every tile of them lies on the table top then."""
        with self.lock:
            tiles = tuple(tile for side in self.sides for tile in side.wall if tile >= 0)
            for side in self.sides:
                side.wall.clear()
            self.surface.update(tiles)
            return tiles

    def _from_top(self, tile: int) -> None:
        if tile in self.surface:
            self.surface.discard(tile)
            return
        for side in self.sides:
            if tile in side.wall:
                side.wall[side.wall.index(tile)] = -1
                return
        if tile in self.floor:
            self.floor.discard(tile)
            return
        raise WorldError(f"tile {tile} is not on the table top; it is {self.where(tile)}")

    # ---- what can be seen

    def walls(self) -> list[list[tuple[int, ...]]]:
        """For each side its stacks, counted from the right end as its own seat sees them.

        A stack lists its tiles from the bottom up; a tile that was taken is -1.
        """
        with self.lock:
            out = []
            for side in self.sides:
                tiles = side.wall[side.wall_hands :]
                step = side.wall_layers
                out.append([tuple(tiles[at : at + step]) for at in range(0, len(tiles), step)])
            return out

    def dealt_hands(self) -> list[list[int]]:
        """For each side the tiles of the hand layer that the machine dealt."""
        with self.lock:
            return [side.wall[: side.wall_hands] for side in self.sides]

    def dice(self) -> tuple[int, ...]:
        """The faces of the dice as they lie in the dome."""
        return self.dice_faces

    def where(self, tile: int) -> Spot:
        """Where that tile is."""
        with self.lock:
            for spot, tiles in self._containers():
                if tile in tiles:
                    return spot
        raise WorldError(f"there is no tile {tile}")

    def tiles_at(self, place: Place) -> list[int]:
        """All tiles at a place, on whichever side."""
        with self.lock:
            return [t for spot, tiles in self._containers() if spot.place is place for t in tiles]

    def _containers(self) -> list[tuple[Spot, list[int]]]:
        found = [
            (Spot(Place.SURFACE), sorted(self.surface)),
            (Spot(Place.FLOOR), sorted(self.floor)),
            (Spot(Place.OUT), sorted(self.out)),
            (Spot(Place.MOUTH), self.mouth),
            (Spot(Place.DRUM), self.drum),
            (Spot(Place.ROW, 0), self.stage),
        ]
        for number, side in enumerate(self.sides):
            head = list(side.in_cam)
            if side.at_head is not None:
                head.append(side.at_head)
            found += [
                (Spot(Place.TROUGH, number), list(side.trough)),
                (Spot(Place.HEAD, number), head),
                (Spot(Place.ROW, number), side.row),
                (Spot(Place.WALL, number), [tile for tile in side.wall if tile >= 0]),
            ]
        return found

    def audit(self) -> None:
        """Raise when a tile is in two places or in none."""
        with self.lock:
            seen = Counter(tile for _, tiles in self._containers() for tile in tiles)
        twice = [tile for tile, count in seen.items() if count > 1]
        nowhere = [tile for tile in self.labels if tile not in seen]
        if twice or nowhere or len(seen) != len(self.labels):
            raise WorldError(f"tiles in two places: {twice}; in none: {nowhere}")

    def mouth_is_open(self) -> bool:
        """Whether a hand would fit in."""
        return self.motors[Actuator.CENTRE].position >= MOUTH_OPEN_MM

    # ---- arranged order, for replaying recorded games

    def plant_order(self, rows: Mapping[int, Sequence[int]] | Sequence[Sequence[int]]) -> None:
        """The next build of these tiles comes out in this order (simulator only).

        For each side its tiles in the order of the row: hand tiles first, then stack by stack
        from the right end, each from the bottom up. Tiles that are not there leave their place to
        the next one.
        """
        with self.lock:
            listed = [list(rows[side]) if side in self._keys(rows) else [] for side in range(SIDES)]
            wanted = self.layout.row_tiles
            for side, tiles in enumerate(listed):
                if len(tiles) != wanted[side]:
                    raise WorldError(
                        f"side {side} takes {wanted[side]} tiles, but {len(tiles)} are planted"
                    )
            every = [tile for tiles in listed for tile in tiles]
            if len(set(every)) != len(every):
                raise WorldError("a tile is planted twice")
            for name, ids in self.sets.items():
                if set(every) <= set(ids):
                    self.planted[name] = listed
                    return
            raise WorldError("the planted tiles belong to no single set of this table")

    @staticmethod
    def _keys(rows: Mapping[int, Sequence[int]] | Sequence[Sequence[int]]) -> Iterable[int]:
        return rows.keys() if isinstance(rows, Mapping) else range(len(rows))

    def plant_walls(
        self,
        stacks: Sequence[Sequence[Sequence[int]]],
        hands: Sequence[Sequence[int]] = ((), (), (), ()),
    ) -> None:
        """`plant_order` in the shape that `walls` and `dealt_hands` return."""
        self.plant_order(
            [[*hands[side], *(t for stack in stacks[side] for t in stack)] for side in range(SIDES)]
        )

    def plant_dice(self, faces: Sequence[int]) -> None:
        """The next throw of the dice shows these faces (simulator only)."""
        if len(faces) != self.dice_count or not all(1 <= face <= 6 for face in faces):
            raise WorldError(f"{self.dice_count} faces of 1 to 6 are needed, not {list(faces)}")
        self._planted_dice = tuple(faces)

    _planted_dice: tuple[int, ...] | None = None

    # ---- faults

    def inject(self, verb: str, where: str | None = None, amount: float = 1.0) -> None:
        """Make something go wrong; see `firmware_bridge.simulator.faults` for the verbs."""
        from firmware_bridge.simulator.faults import inject

        if verb in self.outside:
            self.outside[verb](where, amount)
        else:
            with self.lock:
                inject(self, verb, where, amount)

    # ---- the electric side

    def drive(self, forward: int, reverse: int, *, enabled: bool, slow: bool = False) -> None:
        """What the board's outputs say."""
        with self.lock:
            self.enabled = enabled
            self.slow = slow
            for actuator, motor in self.motors.items():
                bit = 1 << actuator
                direction = (1 if forward & bit else 0) - (1 if reverse & bit else 0)
                if direction != motor.direction:
                    motor.direction = direction
                    motor.driven_ms = 0

    def contactor_is_closed(self) -> bool:
        """Its coil hangs on the board's output, the e-stop and the lid switch, in series."""
        lid_closed = not self.lid_open or self.service_key
        return self.enabled and lid_closed and not self.estop_pressed

    def power_is_on(self) -> bool:
        """Whether the motors get anything: e-stop and lid cut it without any software."""
        return self.supply_mv() > 8_000

    def supply_mv(self) -> int:
        """Motor supply after the contactor."""
        if not self.supply_on or not self.contactor_is_closed():
            return 0
        if self.now_ms < self.brown_out_until:
            return 11_000
        return SUPPLY_MV - 120 * sum(1 for motor in self.motors.values() if motor.direction)

    def currents(self) -> list[int]:
        """Milliamperes of every motor at this moment."""
        if not self.power_is_on():
            return [0] * len(self.motors)
        return [self._current(actuator, motor) for actuator, motor in self.motors.items()]

    def _current(self, actuator: Actuator, motor: Motor) -> int:
        if not motor.direction or motor.broken_wire:
            return 0
        if actuator is Actuator.DRUM and not self._drum_contact():
            return 0
        if actuator is Actuator.DICE and self.dice_dead:
            return 0
        ma = motor.running_ma * motor.friction * self.random.uniform(0.95, 1.05)
        if motor.blocked or motor.blocked_now:
            ma = motor.running_ma * STALL_FACTOR * self.random.uniform(0.97, 1.03)
        elif motor.driven_ms < 80:
            ma *= 2.2
        if (
            actuator is Actuator.DRUM
            and self.now_ms < self.spikes_until
            and (self.now_ms % 700 < 30)
        ):
            ma = motor.running_ma * 3.5
        return int(ma)

    def _drum_contact(self) -> bool:
        """The lower switch's second contact, in series with the drum: open mouth, no current."""
        return self.motors[Actuator.CENTRE].position <= AT_SENSOR_MM

    def tacho(self) -> int:
        """Pulses of the drum's slot disc since power-up."""
        return int(self.motors[Actuator.DRUM].position * DRUM_SLOTS) & 0xFFFF

    def read_inputs(self) -> int:
        """The sensors, one bit each, with what is stuck or flaky."""
        centre = self.motors[Actuator.CENTRE].position
        bits = 0
        if centre >= self.centre_mm - AT_SENSOR_MM:
            bits |= 1 << Sensor.CENTRE_UP
        if centre <= AT_SENSOR_MM:
            bits |= 1 << Sensor.CENTRE_DOWN
        for number, side in enumerate(self.sides):
            lift = self.motors[Actuator(Actuator.LIFT_0 + number)].position % 360.0
            cam = self.motors[Actuator(Actuator.HEAD_0 + number)].position % 360.0
            if lift <= 5.0 or lift >= 355.0:
                bits |= 1 << (Sensor.LIFT_HOME_0 + number)
            if 170.0 <= lift <= 190.0:
                bits |= 1 << (Sensor.LIFT_TOP_0 + number)
            if cam <= 20.0 or cam >= 350.0:
                bits |= 1 << (Sensor.CAM_HOME_0 + number)
            if side.at_head is not None:
                bits |= 1 << (Sensor.TILE_0 + number)
            if len(side.trough) >= TROUGH_TILES - 1:
                bits |= 1 << (Sensor.TROUGH_0 + number)
        if self.now_ms < self.dice_turning_until and (self.now_ms // 40) % 2:
            bits |= 1 << Sensor.DICE_SEEN
        if not self.lid_open:
            bits |= 1 << Sensor.LID_CLOSED
        if not self.estop_pressed:
            bits |= 1 << Sensor.ESTOP_OK
        chain = self.motors[Actuator.CHAIN].position % 360.0
        if chain <= 4.0 or chain >= 356.0:
            bits |= 1 << Sensor.CHAIN_ZERO
        elif abs((chain + 45.0) % 90.0 - 45.0) <= 4.0:
            bits |= 1 << Sensor.CHAIN_CORNER
        for sensor, value in self.stuck.items():
            bits = bits | 1 << sensor if value else bits & ~(1 << sensor)
        for sensor, rate in self.flaky.items():
            if self.random.random() < rate:
                bits ^= 1 << sensor
        return bits

    # ---- physics

    def quiet(self) -> bool:
        """Whether nothing changes by itself: time may jump."""
        return (
            not any(motor.direction for motor in self.motors.values())
            and self.drum_speed == 0.0
            and not self.drum_runaway
            and self.now_ms >= self.dice_turning_until
            and not self.dice_runaway
            and not self.flaky
            and self.now_ms >= self.brown_out_until
            and not self.mouth
            and not self.pushed
        )

    def advance(self, ms: int) -> bool:
        """Let up to one step pass; True when a sensor changed."""
        with self.lock:
            self.now_ms += ms
            if not self.quiet():
                self._step(ms)
            inputs = self.read_inputs()
            changed = inputs != self.inputs
            self.inputs = inputs
            return changed

    def _step(self, ms: int) -> None:
        power = self.power_is_on()
        for actuator, motor in self.motors.items():
            motor.blocked_now = False
            if not motor.direction:
                continue
            motor.driven_ms += ms
            if power and not motor.broken_wire:
                self.motor_log[actuator] += ms
                self.last_turned[actuator] = self.now_ms
        self._push_by_hand(ms)
        self._step_centre(ms, power)
        self._step_drum(ms, power)
        for number in range(SIDES):
            self._step_lift(number, ms, power)
            self._step_conveyor(number, ms, power)
            self._step_head(number, ms, power)
        self._step_chain(ms, power)
        self._step_dice(power)
        self._check_safety(power)

    def _turns(self, actuator: Actuator, power: bool) -> float:
        """Direction times relative speed; 0 when it does not move."""
        motor = self.motors[actuator]
        if not power or not motor.direction or motor.broken_wire or motor.blocked:
            return 0.0
        return motor.direction / motor.friction * (0.5 if self.slow else 1.0)

    def _push_by_hand(self, ms: int) -> None:
        """Somebody moves a part: not at once, so the board has the time that it has at a table."""
        for actuator, left in tuple(self.pushed.items()):
            is_centre = actuator is Actuator.CENTRE
            part = min(left, (HAND_MM_S if is_centre else HAND_DEG_S) * ms / 1000.0)
            motor = self.motors[actuator]
            if is_centre:
                motor.position = min(self.centre_mm, motor.position + part)
            else:
                self._turn_lift(actuator - Actuator.LIFT_0, part)
            self.pushed[actuator] = left - part
            if left <= part:
                del self.pushed[actuator]

    def _step_centre(self, ms: int, power: bool) -> None:
        motor = self.motors[Actuator.CENTRE]
        speed = self._turns(Actuator.CENTRE, power)
        if speed:
            to = motor.position + speed * self.centre_mm_s * ms / 1000.0
            stop = self.obstacle.get(Actuator.CENTRE)
            if stop is not None and speed < 0 and to < stop:
                to = max(to, min(stop, motor.position))
                motor.blocked_now = True
            if to <= 0.0 or to >= self.centre_mm:
                motor.blocked_now = True
            motor.position = min(self.centre_mm, max(0.0, to))
        if self.mouth and motor.position < MOUTH_OPEN_MM:
            self._swallow()

    _plan_is_stale = True

    def _swallow(self) -> None:
        """The mouth closed: its tiles fall into the drum."""
        self.drum += self.mouth
        self.mouth.clear()
        self._plan_is_stale = True

    def _make_plan(self) -> None:
        """Decide which tile of the drum will come up where: planted or shuffled."""
        inside = list(self.drum)
        wanted = self._rows_wanted()
        for name, rows in self.planted.items():
            if set(inside) <= set(self.sets[name]) or all(
                tile in self.sets[name] for tile in inside
            ):
                for number, tiles in enumerate(rows):
                    done = len(self._row_of(number))
                    self.sides[number].plan = deque(tiles[done:])
                return
        self.random.shuffle(inside)
        at = 0
        for number, side in enumerate(self.sides):
            room = wanted[number] - len(self._row_of(number)) - len(side.trough)
            room -= (side.at_head is not None) + len(side.in_cam)
            side.plan = deque(inside[at : at + max(0, room)])
            at += max(0, room)

    def _rows_wanted(self) -> FourSides:
        return self.layout.row_tiles

    def _row_of(self, number: int) -> list[int]:
        return self.sides[number].row

    def _step_drum(self, ms: int, power: bool) -> None:
        motor = self.motors[Actuator.DRUM]
        speed = self._turns(Actuator.DRUM, power and self._drum_contact())
        if self.drum_runaway and power:
            speed = 1.0
        if motor.jam_breaks and motor.direction < 0:
            motor.blocked = False
            motor.jam_breaks = False
        step = ms / 300.0 if speed else ms / 500.0
        if self.drum_speed < speed:
            self.drum_speed = min(speed, self.drum_speed + step)
        elif self.drum_speed > speed:
            self.drum_speed = max(speed, self.drum_speed - step)
        motor.position += abs(self.drum_speed) * ms / DRUM_REV_MS
        ring = self.motors[Actuator.RING]
        if self.drum_speed > 0.3 and self._turns(Actuator.RING, power) > 0 and not ring.blocked:
            if self._plan_is_stale:
                self._plan_is_stale = False
                self._make_plan()
            for number in self._fed_sides():
                self._feed(number, ms)

    def _fed_sides(self) -> Iterable[int]:
        if self.layout.family is Family.ONE_MOUTH:
            return (0,)
        return range(SIDES)

    def _feed(self, number: int, ms: int) -> None:
        """The ring drops a tile into that trough now and then; the last ones come slowly."""
        side = self.sides[number]
        if len(side.trough) >= TROUGH_TILES or not self.drum:
            return
        side.feed_in_ms -= ms * self.feed_factor
        if side.feed_in_ms > 0:
            return
        mean = 380.0 + 2400.0 / (len(self.drum) + 3)
        if self.layout.family is Family.ONE_MOUTH:
            mean /= 3.0
        side.feed_in_ms = min(4 * mean, -mean * math.log(1.0 - self.random.random()))
        tile = self._next_tile(number)
        if tile is not None:
            self.drum.remove(tile)
            side.trough.append(tile)

    def _next_tile(self, number: int) -> int | None:
        """The planned tile; when it is not there, any that nobody planned."""
        side = self.sides[number]
        if self.layout.family is Family.ONE_MOUTH:
            plans = [p for p in (s.plan for s in self.sides) if p]
        else:
            plans = [side.plan] if side.plan else []
        inside = set(self.drum)
        for plan in plans:
            for tile in tuple(plan):
                if tile in inside and tile not in self.weak:
                    plan.remove(tile)
                    return tile
                if tile not in inside:
                    plan.remove(tile)
        planned = {tile for other in self.sides for tile in other.plan}
        free = [tile for tile in self.drum if tile not in planned and tile not in self.weak]
        if not free or not self.layout.row_tiles[number]:
            return None
        return self.random.choice(free)

    def _step_conveyor(self, number: int, ms: int, power: bool) -> None:
        actuator = Actuator(Actuator.CONVEYOR_0 + number)
        motor = self.motors[actuator]
        side = self.sides[number]
        if motor.jam_breaks and motor.direction < 0 and power:
            motor.blocked = False
            motor.jam_breaks = False
        speed = self._turns(actuator, power)
        if speed < 0:
            side.travelled_ms = 0
        if speed <= 0 or not side.trough or side.at_head is not None:
            return
        side.travelled_ms += int(ms * speed)
        if side.travelled_ms >= TRAVEL_MS:
            side.travelled_ms = 0
            side.at_head = side.trough.popleft()

    def _step_head(self, number: int, ms: int, power: bool) -> None:
        actuator = Actuator(Actuator.HEAD_0 + number)
        motor = self.motors[actuator]
        speed = self._turns(actuator, power)
        if not speed:
            return
        before = motor.position % 360.0
        motor.position += speed * 360.0 * ms / CAM_TURN_MS
        after = before + speed * 360.0 * ms / CAM_TURN_MS
        side = self.sides[number]
        if before < 60.0 <= after and side.at_head is not None:
            side.in_cam.append(side.at_head)
            side.at_head = None
        if before < 130.0 <= after and side.double_push and side.trough:
            side.at_head = side.trough.popleft()  # a second tile slides along
        if before < 180.0 <= after and side.double_push and side.at_head is not None:
            side.in_cam.append(side.at_head)
            side.at_head = None
            side.double_push = False
        if before < 250.0 <= after and side.in_cam:
            if side.miss_push:
                side.miss_push = False
                side.at_head = side.in_cam.pop()
            self._row_at_head(number).extend(side.in_cam)
            side.in_cam.clear()

    def _row_at_head(self, number: int) -> list[int]:
        return self.stage if self.layout.family is Family.ONE_MOUTH else self.sides[number].row

    def _step_lift(self, number: int, ms: int, power: bool) -> None:
        actuator = Actuator(Actuator.LIFT_0 + number)
        motor = self.motors[actuator]
        speed = self._turns(actuator, power)
        if not speed:
            return
        before = motor.position % 360.0
        after = before + speed * 360.0 * ms / LIFT_TURN_MS
        stop = self.obstacle.get(actuator)
        if stop is not None and before <= stop < after:
            motor.blocked_now = True
            return
        self._turn_lift(number, after - before)

    def _turn_lift(self, number: int, degrees: float) -> None:
        """The crank goes on, or back; at its top the row is pushed to its place."""
        motor = self.motors[Actuator(Actuator.LIFT_0 + number)]
        before = motor.position % 360.0
        motor.position += degrees
        if before < 180.0 <= before + degrees:
            self._raise_row(number)

    def _raise_row(self, number: int) -> None:
        """The plate is up: the row stands on the table and is pushed to its place."""
        side = self.sides[number]
        if not side.row:
            return
        standing = [tile for tile in side.wall if tile >= 0]
        if standing:
            self.on_violation.append(f"side {number}: a row rose below a standing wall")
            self.surface.update(standing)
        if self.mouth_is_open():
            self.on_violation.append(f"side {number}: a wall rose with the mouth open")
        side.wall = list(side.row)
        side.wall_hands = self.layout.hands[number]
        side.wall_layers = self.layout.layers
        side.row.clear()

    def _step_chain(self, ms: int, power: bool) -> None:
        motor = self.motors[Actuator.CHAIN]
        speed = self._turns(Actuator.CHAIN, power)
        if not speed:
            return
        before = motor.position % 360.0
        motor.position += speed * 360.0 * ms / CHAIN_TURN_MS
        after = before + speed * 360.0 * ms / CHAIN_TURN_MS
        for number in range(SIDES):
            if before < number * 90.0 + 40.0 <= after:
                self.sides[number].row += self.stage
                self.stage.clear()

    def _step_dice(self, power: bool) -> None:
        motor = self.motors[Actuator.DICE]
        shaken = motor.direction and not motor.broken_wire and not motor.blocked
        if shaken and power and not self.dice_dead:
            if self.now_ms >= self.dice_turning_until:
                self.dice_thrown += 1
            self.dice_turning_until = self.now_ms + DICE_COAST_MS
            faces = self._planted_dice or tuple(
                self.random.randint(1, 6) for _ in range(self.dice_count)
            )
            self.dice_faces = faces
            self._dice_used = self._planted_dice is not None
        elif self.dice_runaway:
            self.dice_turning_until = self.now_ms + DICE_COAST_MS
        elif self._dice_used and self.now_ms >= self.dice_turning_until:
            self._planted_dice = None
            self._dice_used = False

    _dice_used = False

    def _check_safety(self, power: bool) -> None:
        """Write down what no machine may ever do."""
        if not power:
            return
        moving = {a for a, m in self.motors.items() if m.direction and not m.broken_wire}
        open_mouth = self.mouth_is_open()
        if open_mouth and moving & {Actuator.DRUM, Actuator.RING}:
            self.on_violation.append(f"{self.now_ms} ms: drum driven with the mouth open")
        if open_mouth and any(Actuator.LIFT_0 <= a <= Actuator.LIFT_3 for a in moving):
            self.on_violation.append(f"{self.now_ms} ms: wall lift driven with the mouth open")
        if Actuator.CENTRE in moving and len(moving) > 1:
            self.on_violation.append(f"{self.now_ms} ms: centre driven together with {moving}")
