"""The parts of a table that the motor board drives and reads.

The numbers are wire numbers: they never change their meaning; a new part gets a new number.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag, unique

SIDES = 4


@unique
class Actuator(IntEnum):
    """Something with a motor. Those of the four sides stand in the order of the seats."""

    DRUM = 0
    RING = 1
    CENTRE = 2
    LIFT_0 = 3
    LIFT_1 = 4
    LIFT_2 = 5
    LIFT_3 = 6
    CONVEYOR_0 = 7
    CONVEYOR_1 = 8
    CONVEYOR_2 = 9
    CONVEYOR_3 = 10
    HEAD_0 = 11
    HEAD_1 = 12
    HEAD_2 = 13
    HEAD_3 = 14
    DICE = 15
    CHAIN = 16

    @property
    def side(self) -> int | None:
        """The side it belongs to; None for what belongs to the whole table."""
        for first in (Actuator.LIFT_0, Actuator.CONVEYOR_0, Actuator.HEAD_0):
            if first <= self < first + SIDES:
                return self - first
        return None


@unique
class Sensor(IntEnum):
    """A digital input: the number of its bit in `State.inputs`."""

    CENTRE_UP = 0
    CENTRE_DOWN = 1
    LIFT_HOME_0 = 2
    LIFT_HOME_1 = 3
    LIFT_HOME_2 = 4
    LIFT_HOME_3 = 5
    LIFT_TOP_0 = 6
    LIFT_TOP_1 = 7
    LIFT_TOP_2 = 8
    LIFT_TOP_3 = 9
    TILE_0 = 10
    TILE_1 = 11
    TILE_2 = 12
    TILE_3 = 13
    CAM_HOME_0 = 14
    CAM_HOME_1 = 15
    CAM_HOME_2 = 16
    CAM_HOME_3 = 17
    TROUGH_0 = 18
    TROUGH_1 = 19
    TROUGH_2 = 20
    TROUGH_3 = 21
    DICE_SEEN = 22
    LID_CLOSED = 23
    ESTOP_OK = 24
    CHAIN_ZERO = 25
    CHAIN_CORNER = 26


class Motion(IntFlag):
    """What the board is doing; several at once are possible (dice during a build)."""

    NONE = 0
    HOMING = 1
    CENTRE = 2
    WALLS = 4
    BUILD = 8
    DICE = 16
    JOG = 32
    EJECT = 64


@unique
class Mode(IntEnum):
    """What the board may do."""

    LOCKED = 0  # a person has to say "go on" first
    IDLE = 1
    MOVING = 2
    SERVICE = 3
    FAULT = 4
    ESTOP = 5


@unique
class CentrePlace(IntEnum):
    """Where the centre is: what its two sensors say together with what the board did."""

    UNKNOWN = 0
    DOWN = 1
    UP = 2
    BETWEEN = 3


@unique
class ResetCause(IntEnum):
    """Why the board began anew."""

    POWER = 0
    WATCHDOG = 1
    BROWN_OUT = 2
    REQUEST = 3


@unique
class Family(IntEnum):
    """How tiles get from the drum to the four sides."""

    FOUR_MOUTH = 0  # a head a side
    ONE_MOUTH = 1  # one head; a chain carries the stacks round
    EIGHT_MOUTH = 2  # a hand layer below the wall's layers


@unique
class LiftKind(IntEnum):
    """How many places of a wall lift have a sensor."""

    ONE_STOP = 0  # home only: one turn of the crank is up, push and back
    TWO_STOP = 1  # home and top


@unique
class Severity(IntEnum):
    """How much an incident stops."""

    NOTE = 0  # for the service book
    WARN = 1  # worth telling; nothing stops
    PART = 2  # that part stops, the rest goes on
    FAULT = 3  # everything stops until a person has looked
    SAFETY = 4  # everything stops, the motor supply is cut, and it is latched


@unique
class Refusal(IntEnum):
    """Why the board does not do what it was asked."""

    UNKNOWN_COMMAND = 1
    BAD_FIELD = 2
    LOCKED = 3
    FAULT = 4
    ESTOP = 5
    BUSY = 6
    NOT_CONFIGURED = 7
    NOT_HOMED = 8
    CENTRE_NOT_DOWN = 9
    LIFT_NOT_HOME = 10
    HEAD_NOT_HOME = 11
    DRUM_TURNING = 12
    COUNTS_NOT_VERIFIED = 13
    NO_SUCH_BUILD = 14
    NOT_IN_SERVICE = 15
    LID_OPEN = 16
    LOW_SUPPLY = 17
    COOLING = 18
    NO_SUCH_PART = 19
    STILL_PRESENT = 20  # the cause of the fault is still there
    ROWS_NOT_EMPTY = 21
    WRONG_TABLE = 22
