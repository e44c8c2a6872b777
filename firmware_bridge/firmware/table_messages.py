"""Generated from messages.py by `python -m firmware_bridge.generate`; do not edit."""

TABLE_HASH = 0xf0a3889d
PROTOCOL_MAJOR = 1
PROTOCOL_MINOR = 0
MAX_PAYLOAD = 200
SILENCE_MS = 500
REPEAT_MS = 100
STATE_MS = 100
KEPT_ANSWERS = 16

HELLO = 0x01
HEARTBEAT = 0x02
STOP = 0x03
HEARD = 0x04
UNLOCK = 0x10
CLEAR_FAULT = 0x11
SET_MACHINE = 0x12
SET_LIMITS = 0x13
READ_WEAR = 0x14
SET_SERVICE = 0x15
ECHO = 0x16
HOME = 0x20
MOVE_CENTRE = 0x21
RAISE_WALLS = 0x22
BUILD = 0x23
HALT_BUILD = 0x24
ROLL_DICE = 0x25
JOG = 0x26
EJECT_ROWS = 0x27
HELLO_ACK = 0x81
ACCEPTED = 0x82
REFUSED = 0x83
INCIDENT = 0x84
STATE = 0x85
UNLOCKED = 0x90
FAULT_CLEARED = 0x91
CONFIGURED = 0x92
WEAR = 0x93
CENTRE_MOVED = 0x94
WALLS_RAISED = 0x95
BUILT = 0x96
BUILD_HALTED = 0x97
DICE_ROLLED = 0x98
HOMED = 0x99
JOGGED = 0x9a
SERVICE_SET = 0x9b
ROWS_EJECTED = 0x9c
ECHOED = 0x9d
FAILED = 0x9f

PLAIN = (0x01, 0x03, 0x81)

# opcode: struct layout
LAYOUT = {
    0x01: "<BBHH",
    0x02: "<",
    0x03: "<B",
    0x04: "<H",
    0x10: "<",
    0x11: "<B",
    0x12: "<BBBBBBH",
    0x13: "<BHBHHH",
    0x14: "<B",
    0x15: "<B",
    0x16: "<I",
    0x20: "<H",
    0x21: "<BHH",
    0x22: "<H4BHH",
    0x23: "<H4B4BBH",
    0x24: "<",
    0x25: "<HH",
    0x26: "<BBH",
    0x27: "<BH",
    0x81: "<BBHHH3BIIIBIIB",
    0x82: "<H",
    0x83: "<HBB",
    0x84: "<BBBBII",
    0x85: "<IBBBBIIIIBHB4B4BHH17HHBBHHB",
    0x90: "<B",
    0x91: "<B",
    0x92: "<I",
    0x93: "<BIHHH",
    0x94: "<BHH",
    0x95: "<H4B4H",
    0x96: "<H4B4BHIB",
    0x97: "<H4H",
    0x98: "<H",
    0x99: "<H",
    0x9a: "<BHH",
    0x9b: "<B",
    0x9c: "<B",
    0x9d: "<I",
    0x9f: "<BB",
}

# opcode of a command: lowest and highest value of each number in it
BOUNDS = {
    0x01: ((0, 255), (0, 255), (1, 65535), (0, 65535), ),
    0x02: (),
    0x03: ((0, 255), ),
    0x04: ((0, 65535), ),
    0x10: (),
    0x11: ((0, 255), ),
    0x12: ((0, 2), (1, 15), (0, 1), (5, 255), (10, 255), (2, 255), (5000, 30000), ),
    0x13: ((0, 16), (0, 8000), (101, 255), (110, 400), (10, 8000), (20, 12000), ),
    0x14: ((0, 16), ),
    0x15: ((0, 1), ),
    0x16: ((0, 4294967295), ),
    0x20: ((50, 500), ),
    0x21: ((1, 2), (100, 8000), (50, 500), ),
    0x22: ((1, 65535), (0, 255), (0, 255), (0, 255), (0, 255), (100, 8000), (50, 500), ),
    0x23: ((1, 65535), (0, 40), (0, 40), (0, 40), (0, 40), (0, 20), (0, 20), (0, 20), (0, 20), (1, 3), (50, 500), ),
    0x24: (),
    0x25: ((300, 4000), (50, 500), ),
    0x26: ((0, 16), (0, 1), (20, 300), ),
    0x27: ((1, 15), (50, 500), ),
}

A_DRUM = 0
A_RING = 1
A_CENTRE = 2
A_LIFT_0 = 3
A_LIFT_1 = 4
A_LIFT_2 = 5
A_LIFT_3 = 6
A_CONVEYOR_0 = 7
A_CONVEYOR_1 = 8
A_CONVEYOR_2 = 9
A_CONVEYOR_3 = 10
A_HEAD_0 = 11
A_HEAD_1 = 12
A_HEAD_2 = 13
A_HEAD_3 = 14
A_DICE = 15
A_CHAIN = 16

S_CENTRE_UP = 0
S_CENTRE_DOWN = 1
S_LIFT_HOME_0 = 2
S_LIFT_HOME_1 = 3
S_LIFT_HOME_2 = 4
S_LIFT_HOME_3 = 5
S_LIFT_TOP_0 = 6
S_LIFT_TOP_1 = 7
S_LIFT_TOP_2 = 8
S_LIFT_TOP_3 = 9
S_TILE_0 = 10
S_TILE_1 = 11
S_TILE_2 = 12
S_TILE_3 = 13
S_CAM_HOME_0 = 14
S_CAM_HOME_1 = 15
S_CAM_HOME_2 = 16
S_CAM_HOME_3 = 17
S_TROUGH_0 = 18
S_TROUGH_1 = 19
S_TROUGH_2 = 20
S_TROUGH_3 = 21
S_DICE_SEEN = 22
S_LID_CLOSED = 23
S_ESTOP_OK = 24
S_CHAIN_ZERO = 25
S_CHAIN_CORNER = 26

MOTION_NONE = 0
MOTION_HOMING = 1
MOTION_CENTRE = 2
MOTION_WALLS = 4
MOTION_BUILD = 8
MOTION_DICE = 16
MOTION_JOG = 32
MOTION_EJECT = 64

MODE_LOCKED = 0
MODE_IDLE = 1
MODE_MOVING = 2
MODE_SERVICE = 3
MODE_FAULT = 4
MODE_ESTOP = 5

PLACE_UNKNOWN = 0
PLACE_DOWN = 1
PLACE_UP = 2
PLACE_BETWEEN = 3

RESET_POWER = 0
RESET_WATCHDOG = 1
RESET_BROWN_OUT = 2
RESET_REQUEST = 3

FAMILY_FOUR_MOUTH = 0
FAMILY_ONE_MOUTH = 1
FAMILY_EIGHT_MOUTH = 2

LIFTS_ONE_STOP = 0
LIFTS_TWO_STOP = 1

SEVERITY_NOTE = 0
SEVERITY_WARN = 1
SEVERITY_PART = 2
SEVERITY_FAULT = 3
SEVERITY_SAFETY = 4

NO_UNKNOWN_COMMAND = 1
NO_BAD_FIELD = 2
NO_LOCKED = 3
NO_FAULT = 4
NO_ESTOP = 5
NO_BUSY = 6
NO_NOT_CONFIGURED = 7
NO_NOT_HOMED = 8
NO_CENTRE_NOT_DOWN = 9
NO_LIFT_NOT_HOME = 10
NO_HEAD_NOT_HOME = 11
NO_DRUM_TURNING = 12
NO_COUNTS_NOT_VERIFIED = 13
NO_NO_SUCH_BUILD = 14
NO_NOT_IN_SERVICE = 15
NO_LID_OPEN = 16
NO_LOW_SUPPLY = 17
NO_COOLING = 18
NO_NO_SUCH_PART = 19
NO_STILL_PRESENT = 20
NO_ROWS_NOT_EMPTY = 21
NO_WRONG_TABLE = 22

F_P01 = 1
F_P02 = 2
F_P03 = 3
F_P04 = 4
F_P05 = 5
F_E01 = 6
F_E02 = 7
F_K01 = 10
F_K02 = 11
F_C01 = 20
F_C02 = 21
F_C03 = 22
F_C04 = 23
F_C05 = 24
F_C06 = 25
F_W01 = 30
F_W02 = 31
F_W03 = 32
F_W04 = 33
F_W05 = 34
F_W06 = 35
F_W07 = 36
F_W08 = 37
F_H01 = 40
F_H02 = 41
F_H03 = 42
F_H04 = 43
F_H05 = 44
F_D01 = 50
F_D02 = 51
F_D03 = 52
F_D04 = 53
F_D05 = 54
F_D06 = 55
F_D07 = 56
F_T01 = 60
F_T02 = 61
F_T03 = 62
F_T04 = 63
F_T05 = 64
F_S01 = 70
F_S02 = 71
F_S03 = 72
F_S04 = 73
F_X01 = 80
F_X02 = 81
F_X03 = 82
F_X04 = 83
F_X05 = 84
F_L01 = 90
F_L02 = 91
F_L03 = 92
F_L04 = 93
F_L05 = 94
F_L06 = 95

# fault number: severity
FAULT_SEVERITY = {
    1: 3,
    2: 3,
    3: 3,
    4: 3,
    5: 3,
    6: 4,
    7: 3,
    10: 1,
    11: 0,
    20: 3,
    21: 1,
    22: 4,
    23: 3,
    24: 3,
    25: 3,
    30: 3,
    31: 3,
    32: 3,
    33: 3,
    34: 0,
    35: 3,
    36: 1,
    37: 3,
    40: 2,
    41: 2,
    42: 1,
    43: 3,
    44: 3,
    50: 3,
    51: 1,
    52: 3,
    53: 1,
    54: 3,
    55: 0,
    56: 3,
    60: 3,
    61: 3,
    62: 3,
    63: 0,
    64: 0,
    70: 0,
    71: 1,
    72: 0,
    73: 0,
    80: 1,
    81: 3,
    82: 1,
    83: 4,
    84: 1,
    90: 3,
    91: 3,
    92: 3,
    93: 3,
    94: 1,
    95: 1,
}
