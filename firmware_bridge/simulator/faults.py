"""The verbs of the simulator's fault console.

Sides are 0 to 3 or south, east, north, west, counter-clockwise from the bottom of the picture.

| verb | where | does |
|---|---|---|
| jam | drum, ring, centre, lift.N, conveyor.N, head.N, dice, chain | held; amount 0 frees it |
| soft_jam | drum, conveyor.N | the same, but turning it back frees it |
| open_circuit | as jam | its wire is broken; amount 0 mends it |
| slow | as jam | amount times the friction |
| stuck_on, stuck_off | a sensor (`LIFT_HOME_2`) | it always says so |
| unstick | a sensor | back to normal |
| flaky | a sensor | changes by chance with probability amount a step |
| hand | centre, lift.N | a hand is in the way; amount 0 takes it out |
| push_down | centre, lift.N | a person moves it: amount times 30 mm, or 30 degrees of a crank |
| lost_tile | - | amount tiles fall to the floor, from wherever they are below or on the table |
| weak_tile | - | amount tiles in the drum cannot be lifted |
| extra_tile | - | a foreign tile is in the drum |
| face_up_tile | - | amount tiles of the rows stand face-up |
| fallen_tile | - | amount upper tiles of the walls lie beside their stacks |
| double_push, missed_push | head.N | the next turn takes two tiles, or drops its one |
| spikes | drum | something rattles in the drum for amount seconds |
| runaway | drum, dice | its driver has a short: it turns without a command; amount 0 ends it |
| slow_feed | - | the ring lifts tiles at amount times its rate |
| brown_out | - | supply drops for amount milliseconds |
| supply | - | amount 0 off, 1 on |
| estop, lid | - | amount 1 pressed or open, 0 released or closed; both cut the motor supply |
| service_key | - | amount 1 turned: motors keep their supply with the lid open; 0 turned back |
| unplug, replug | - | the cable, with another device name afterwards |
| noise | - | amount: part of the bytes that are damaged, lost, doubled or late |
| mute | - | amount 1: nothing that the host sends arrives; 0: it does |
| reset, power_cycle | - | the board starts anew |
| freeze, thaw, crash | - | the firmware hangs, goes on, or dies; the watchdog sees it |
| dice_dead | - | the dice get no supply; amount 0 mends it |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_bridge.parts import SIDES, Actuator, Sensor

if TYPE_CHECKING:
    from firmware_bridge.simulator.world import World


PUSH = 30.0
SIDE_NAMES = {"SOUTH": "0", "EAST": "1", "NORTH": "2", "WEST": "3"}


def _name(where: str | None) -> str:
    """`conveyor.south` as `CONVEYOR_0`: side 0 is at the bottom of the picture."""
    name = (where or "").upper().replace(".", "_")
    stem, _, side = name.rpartition("_")
    return f"{stem}_{SIDE_NAMES[side]}" if side in SIDE_NAMES else name


def part(where: str | None) -> Actuator:
    """`drum`, `lift.2`, `lift.north` as an actuator."""
    name = _name(where)
    try:
        return Actuator[name]
    except KeyError:
        known = ", ".join(a.name.lower().replace("_", ".") for a in Actuator)
        raise _error(f"there is no part {where!r}; known are {known}") from None


def sensor(where: str | None) -> Sensor:
    """`LIFT_HOME_2` or `lift_home.2` as a sensor."""
    name = _name(where)
    try:
        return Sensor[name]
    except KeyError:
        known = ", ".join(s.name for s in Sensor)
        raise _error(f"there is no sensor {where!r}; known are {known}") from None


def _error(text: str) -> Exception:
    from firmware_bridge.simulator.world import WorldError

    return WorldError(text)


def inject(world: World, verb: str, where: str | None, amount: float) -> None:
    """Apply one verb; the caller holds the world's lock."""
    match verb:
        case "jam":
            world.motors[part(where)].blocked = amount > 0
        case "soft_jam":
            motor = world.motors[part(where)]
            motor.blocked = motor.jam_breaks = amount > 0
        case "open_circuit":
            world.motors[part(where)].broken_wire = amount > 0
        case "slow":
            world.motors[part(where)].friction = max(0.1, amount)
        case "stuck_on" | "stuck_off":
            world.stuck[sensor(where)] = verb == "stuck_on"
        case "unstick":
            world.stuck.pop(sensor(where), None)
            world.flaky.pop(sensor(where), None)
        case "flaky":
            world.flaky[sensor(where)] = amount
        case "hand":
            _hand(world, _in_reach(part(where)), amount)
        case "push_down":
            actuator = _in_reach(part(where))
            world.pushed[actuator] = world.pushed.get(actuator, 0.0) + PUSH * amount
        case "lost_tile":
            for _ in range(int(amount)):
                _lose_one(world)
        case "weak_tile":
            pool = [tile for tile in world.drum + world.mouth if tile not in world.weak]
            world.weak.update(world.random.sample(pool, min(len(pool), int(amount))))
        case "extra_tile":
            tile = max(world.labels) + 1
            world.labels[tile] = "no"
            world.drum.append(tile)
        case "face_up_tile":
            rows = [tile for side in world.sides for tile in side.row]
            world.face_up.update(world.random.sample(rows, min(len(rows), int(amount))))
        case "fallen_tile":
            tops = [stack[-1] for side in world.walls() for stack in side if stack[-1] >= 0]
            world.fallen.update(world.random.sample(tops, min(len(tops), int(amount))))
        case "double_push" | "missed_push":
            side = part(where).side
            assert side is not None
            if verb == "double_push":
                world.sides[side].double_push = True
            else:
                world.sides[side].miss_push = True
        case "spikes":
            world.spikes_until = world.now_ms + int(1000 * amount)
        case "runaway":
            if part(where) is Actuator.DICE:
                world.dice_runaway = amount > 0
            else:
                world.drum_runaway = amount > 0
        case "dice_dead":
            world.dice_dead = amount > 0
        case "slow_feed":
            world.feed_factor = amount
        case "brown_out":
            world.brown_out_until = world.now_ms + int(amount)
        case "supply":
            world.supply_on = amount > 0
        case "estop":
            world.estop_pressed = amount > 0
        case "lid":
            world.lid_open = amount > 0
        case "service_key":
            world.service_key = amount > 0
        case _:
            raise _error(f"unknown fault {verb!r}; `mahjong-table sim --help` lists the verbs")


def _in_reach(actuator: Actuator) -> Actuator:
    """People at the table reach the centre and the plates, nothing else."""
    if actuator is Actuator.CENTRE or Actuator.LIFT_0 <= actuator <= Actuator.LIFT_3:
        return actuator
    name = actuator.name.lower().replace("_", ".")
    raise _error(f"no hand reaches {name}; centre and lift.0 to lift.3 are within reach")


def _hand(world: World, actuator: Actuator, amount: float) -> None:
    if amount <= 0:
        world.obstacle.pop(actuator, None)
    elif actuator is Actuator.CENTRE:
        world.obstacle[actuator] = 25.0  # millimetres of opening
    else:
        world.obstacle[actuator] = 90.0  # degrees of the crank: the plate is half up


def _lose_one(world: World) -> None:
    """A tile falls to the floor: out of the drum or the mouth, else off the table top."""
    for pool in (world.drum, world.mouth):
        if pool:
            tile = pool.pop(world.random.randrange(len(pool)))
            world.floor.add(tile)
            return
    for side in range(SIDES):
        if world.sides[side].trough:
            world.floor.add(world.sides[side].trough.pop())
            return
    if world.surface:
        tile = world.random.choice(sorted(world.surface))
        world.surface.discard(tile)
        world.floor.add(tile)
