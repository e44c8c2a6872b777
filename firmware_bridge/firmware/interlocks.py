"""What must hold before a motor may turn, and as long as it turns.

One line per motor. A motor without a line stops the firmware at import, so none can be added
without thinking about fingers. The same gate is applied to the outputs in every pass of the loop,
whatever the code before it wanted.
"""

from table_messages import *

ACTUATORS = 17
SIDES = 4

# Conditions, one bit each.
POWER = 1 << 0  # e-stop loop closed
LID = 1 << 1  # lid closed, or a person holds the jog key in service mode
SUPPLY = 1 << 2  # motor supply above its lower limit
HOST = 1 << 3  # the host was heard within the lease
FREE = 1 << 4  # mode allows motion
CENTRE_DOWN = 1 << 5  # its lower sensor says so, and the upper one does not
CENTRE_STILL = 1 << 6  # the centre is not driven
DRUM_STILL = 1 << 7  # not driven and no pulses
LIFTS_STILL = 1 << 8  # no wall lift is driven
HEADS_STILL = 1 << 9  # no head or conveyor is driven
LIFT_PARKED = 1 << 10  # 4 bits: the side's plate is home and not driven
HEAD_PARKED = 1 << 14  # 4 bits: the side's cam is home, head and conveyor not driven
CONDITIONS = 18

ALWAYS = POWER | LID | SUPPLY | HOST | FREE
CLOSED = CENTRE_DOWN | CENTRE_STILL

NEEDS = {
    A_DRUM: ALWAYS | CLOSED,
    A_RING: ALWAYS | CLOSED,
    A_CENTRE: ALWAYS | DRUM_STILL | LIFTS_STILL | HEADS_STILL,
    A_DICE: ALWAYS | CLOSED,
    A_CHAIN: ALWAYS | CLOSED | LIFTS_STILL,
}
for _side in range(SIDES):
    NEEDS[A_LIFT_0 + _side] = ALWAYS | CLOSED | (HEAD_PARKED << _side)
    NEEDS[A_CONVEYOR_0 + _side] = ALWAYS | CLOSED | (LIFT_PARKED << _side)
    NEEDS[A_HEAD_0 + _side] = ALWAYS | CLOSED | (LIFT_PARKED << _side)

NEED_LIST = [NEEDS[_actuator] for _actuator in range(ACTUATORS)]  # KeyError: no interlock given
assert len(NEEDS) == ACTUATORS and all(need & ALWAYS == ALWAYS for need in NEED_LIST)

LIFTS_MASK = 15 << A_LIFT_0
HEADS_MASK = 15 << A_HEAD_0
CONVEYORS_MASK = 15 << A_CONVEYOR_0
CENTRE_MASK = 1 << A_CENTRE


def conditions(inputs, driven, drum_turns, host_heard, mode_free, supply_good, jogged):
    """The condition bits of this moment. `driven` are the motors that turn now."""
    bits = 0
    if (inputs >> S_ESTOP_OK) & 1:
        bits |= POWER
    if jogged or (inputs >> S_LID_CLOSED) & 1:
        bits |= LID
    if supply_good:
        bits |= SUPPLY
    if host_heard:
        bits |= HOST
    if mode_free:
        bits |= FREE
    if (inputs >> S_CENTRE_DOWN) & 1 and not (inputs >> S_CENTRE_UP) & 1:
        bits |= CENTRE_DOWN
    if not driven & CENTRE_MASK:
        bits |= CENTRE_STILL
    if not drum_turns and not driven & 3:
        bits |= DRUM_STILL
    if not driven & LIFTS_MASK:
        bits |= LIFTS_STILL
    if not driven & (HEADS_MASK | CONVEYORS_MASK):
        bits |= HEADS_STILL
    for side in range(SIDES):
        if (inputs >> (S_LIFT_HOME_0 + side)) & 1 and not (driven >> (A_LIFT_0 + side)) & 1:
            bits |= LIFT_PARKED << side
        if (
            (inputs >> (S_CAM_HOME_0 + side)) & 1
            and not (driven >> (A_HEAD_0 + side)) & 1
            and not (driven >> (A_CONVEYOR_0 + side)) & 1
        ):
            bits |= HEAD_PARKED << side
    return bits


def permitted(wanted, bits):
    """Those of the wanted motors whose conditions all hold."""
    allowed = 0
    for actuator in range(ACTUATORS):
        if (wanted >> actuator) & 1:
            need = NEED_LIST[actuator]
            if bits & need == need:
                allowed |= 1 << actuator
    return allowed
