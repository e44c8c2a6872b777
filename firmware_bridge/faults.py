"""The fault catalogue: what can go wrong, how it shows, what happens then and what to do.

Codes are stable: they stand in the log, on the screen and in the service book of a club. The
number is what goes over the wire; both never change their meaning. Causes and responses follow
the project's research into makers' manuals and technicians' reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique

from firmware_bridge.parts import Severity
from firmware_bridge.refusal_words import RECOVER


@unique
class Response(StrEnum):
    """What the table does by itself."""

    STOP_ALL = "all motors off"
    CUT_SUPPLY = "motor supply cut and latched"
    STOP_PART = "that part stops, the rest goes on"
    REVERSE_AND_STOP = "back 10 mm, then all motors off"
    CLEAR_TWICE = "drum or conveyor turned back for 300 ms, at most twice; then that part stops"
    NO_RAISE = "the walls stay down until the counts are sure"
    STAND_IN = "a stand-in does it, marked as such"
    IGNORE = "that input is ignored"
    REHOME = "positions are unknown until the table is homed"
    REFUSE = "motion is refused"
    ASK = "a person is asked"
    TELL = "it is said and noted"


@unique
class Witness(StrEnum):
    """Who notices it."""

    BOARD = "motor board"
    HOST = "daemon"
    CAMERA = "camera"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Fault:
    """One entry of the catalogue. `cause` and `hint` are message ids for the translations."""

    code: str
    number: int
    severity: Severity
    witness: Witness
    response: Response
    cause: str
    hint: str


_S, _W, _R = Severity, Witness, Response

# fmt: off
CATALOGUE: tuple[Fault, ...] = (
    # Power.
    Fault("P01", 1, _S.FAULT, _W.HOST, _R.REFUSE, "The motor board is dead or not connected.",
          "Check mains plug, main switch, fuse and the USB cable of the motor board."),
    Fault("P02", 2, _S.FAULT, _W.BOARD, _R.STOP_ALL, "The motor supply dropped.",
          "Check the power supply and the mains socket; confirm at the table to go on."),
    Fault("P03", 3, _S.FAULT, _W.BOARD, _R.STOP_ALL, "A motor drew too much current.",
          "Let the motor cool, open the lid and turn the part by hand: it must move freely."),
    Fault("P04", 4, _S.FAULT, _W.HOST, _R.REHOME, "The count of the tiles in the rows was lost.",
          RECOVER),
    Fault("P05", 5, _S.FAULT, _W.BOARD, _R.STOP_ALL, "The motors have no supply.",
          "Check the motor fuse and the contactor; the stop button must be released."),
    Fault("E01", 6, _S.SAFETY, _W.BOARD, _R.CUT_SUPPLY, "The emergency stop was pressed.",
          "See that nobody is in danger, turn the button to release it, then confirm."),
    Fault("E02", 7, _S.FAULT, _W.BOARD, _R.STOP_ALL, "The lid is open.",
          "Close the lid. Motors can be jogged with the lid open only in service mode."),
    # Keys.
    Fault("K01", 10, _S.WARN, _W.HOST, _R.IGNORE, "A key is stuck or dead.",
          "Use another seat's key or the screen; dry and clean the panel, check its cable."),
    Fault("K02", 11, _S.NOTE, _W.HOST, _R.TELL, "One key does nothing while the wall is built.",
          "Press two lift keys together to add forgotten tiles."),
    # Centre.
    Fault("C01", 20, _S.FAULT, _W.BOARD, _R.STOP_ALL, "The centre does not start to move.",
          "Check the centre motor's plug, its driver and the upper and lower switch."),
    Fault("C02", 21, _S.WARN, _W.BOARD, _R.TELL, "The centre moves slower than it used to.",
          "Clean and grease the guide; check that the switches are tight."),
    Fault("C03", 22, _S.SAFETY, _W.BOARD, _R.CUT_SUPPLY, "The drum turns with the mouth open.",
          "Keep hands out of the mouth. The driver board is faulty: call the technician."),
    Fault("C04", 23, _S.FAULT, _W.BOARD, _R.STOP_ALL, "The centre did not arrive.",
          "Look for a tile or another object below the centre, then check its end switch."),
    Fault("C05", 24, _S.FAULT, _W.BOARD, _R.REVERSE_AND_STOP, "The centre met a resistance.",
          "Take hands and tiles away from the centre, then confirm at the table."),
    Fault("C06", 25, _S.FAULT, _W.BOARD, _R.STOP_ALL, "The centre moved without a command.",
          "Take hands off the centre; then home the table."),
    # Walls.
    Fault("W01", 30, _S.FAULT, _W.BOARD, _R.STOP_ALL, "A wall plate does not move.",
          "Check that side's lift motor, its plug and whether the plate sits in its slot."),
    Fault("W02", 31, _S.FAULT, _W.BOARD, _R.STOP_ALL, "A wall plate's home switch is stuck.",
          "Free the switch lever of that side: it must click when the plate leaves home."),
    Fault("W03", 32, _S.FAULT, _W.BOARD, _R.STOP_ALL, "A wall plate's stroke was too short.",
          "Check the top switch and the crank of that side; do not let it run again before."),
    Fault("W04", 33, _S.FAULT, _W.BOARD, _R.STOP_ALL, "A wall plate did not come home.",
          "Tighten the arm screw, look for a bent slot; tiles would jam below the plate."),
    Fault("W05", 34, _S.NOTE, _W.PERSON, _R.TELL, "A wall plate is not level with the table top.",
          "Adjust the pad and the arm of that side at the next service."),
    Fault("W06", 35, _S.FAULT, _W.BOARD, _R.STOP_ALL, "A wall plate moved without a command.",
          "Take hands off the wall plate; then home the table."),
    Fault("W07", 36, _S.WARN, _W.CAMERA, _R.ASK, "Tiles of a wall fell over.",
          "Set the stacks straight by hand; tell the staff when a face was seen."),
    Fault("W08", 37, _S.FAULT, _W.BOARD, _R.STOP_ALL, "A wall plate met an obstacle.",
          "Take the hand or the object off the plate, then confirm. It is not tried again."),
    # Heads, conveyors and chain.
    Fault("H01", 40, _S.PART, _W.BOARD, _R.CLEAR_TWICE, "No tile is seen at a head.",
          "Wipe that side's tile sensor with alcohol; look for a jam in its trough."),
    Fault("H02", 41, _S.PART, _W.BOARD, _R.STOP_PART, "A head is jammed.",
          "Open the lid and take the tile out by hand; never turn the cam backwards."),
    Fault("H03", 42, _S.WARN, _W.BOARD, _R.NO_RAISE, "A head pushed two tiles or none.",
          RECOVER),
    Fault("H04", 43, _S.FAULT, _W.BOARD, _R.STOP_ALL, "The chain is blocked.",
          "In service mode jog the chain back until the rod is free of the push plate."),
    Fault("H05", 44, _S.FAULT, _W.BOARD, _R.STOP_ALL, "The chain does not find its mark.",
          "Wipe the zero sensor and the white reflectors on the rods."),
    # Drum.
    Fault("D01", 50, _S.FAULT, _W.BOARD, _R.CLEAR_TWICE, "The drum does not turn.",
          "Look for tiles clumped in the middle; with no current check the motor's plug."),
    Fault("D02", 51, _S.WARN, _W.BOARD, _R.TELL, "Building takes too long.",
          "Check ring position, strips and springs; wipe the tile sensors."),
    Fault("D03", 52, _S.FAULT, _W.BOARD, _R.STOP_ALL, "The last tiles do not come up.",
          "Look for tiles on the table and the floor; press two lift keys to add them."),
    Fault("D04", 53, _S.WARN, _W.CAMERA, _R.ASK, "Tiles came up face-up.",
          "Mark those tiles: their magnet may be reversed. After two the table asks for service."),
    Fault("D05", 54, _S.FAULT, _W.BOARD, _R.STOP_ALL, "Something foreign is in the drum.",
          "Open the lid and look for a coin, a key or a splinter."),
    Fault("D06", 55, _S.NOTE, _W.HOST, _R.TELL, "Tiles come up slower on all sides.",
          "The ring's magnets age or its gap is too large: note it for the next service."),
    Fault("D07", 56, _S.FAULT, _W.BOARD, _R.STOP_ALL, "Building took too long and was stopped.",
          "Open the centre and look for a jam; then build again."),
    # Tiles.
    Fault("T01", 60, _S.FAULT, _W.BOARD, _R.NO_RAISE, "One side is short of tiles.",
          "Look into that side's trough and pusher; press two lift keys to add tiles."),
    Fault("T02", 61, _S.FAULT, _W.HOST, _R.NO_RAISE, "Tiles of the set are missing.",
          "Look on the table, on the floor and in the other set; then add them with two keys."),
    Fault("T03", 62, _S.FAULT, _W.BOARD, _R.NO_RAISE, "There are too many tiles.",
          "When no deal is in play, lay the tiles on the table aside and press two lift keys "
          "together: the rows come up. Take out the one with another back, and push the others "
          "in."),
    Fault("T04", 63, _S.NOTE, _W.HOST, _R.TELL,
          "The tile set was changed while a built wall waited.", RECOVER),
    Fault("T05", 64, _S.NOTE, _W.CAMERA, _R.ASK, "Tiles were forgotten on the table.",
          "Press two lift keys together, push the tiles in, press one key."),
    # Sensors.
    Fault("S01", 70, _S.NOTE, _W.HOST, _R.TELL, "A sensor is getting dirty.",
          "Wipe the named sensor with alcohol."),
    Fault("S02", 71, _S.WARN, _W.BOARD, _R.TELL, "A sensor changes without a cause.",
          "The sensor may have moved or sees too far: 10 mm is right."),
    Fault("S03", 72, _S.NOTE, _W.HOST, _R.TELL, "Alarms come often, but no jam is found.",
          "Wipe the sensors and push their plugs home."),
    Fault("S04", 73, _S.NOTE, _W.HOST, _R.TELL, "The drum's belt slips.",
          "Tighten or change the belt at the next service."),
    # Dice, sticks, panel, fairness.
    Fault("X01", 80, _S.WARN, _W.BOARD, _R.STAND_IN, "The dice do not turn.",
          "The screen throws instead. Check fuse, dirt and the dice motor (50 to 80 ohm)."),
    Fault("X02", 81, _S.FAULT, _W.BOARD, _R.STOP_ALL, "The dice do not stop.",
          "The dice driver is faulty: call the technician."),
    Fault("X03", 82, _S.WARN, _W.PERSON, _R.ASK, "The points sticks do not add up.",
          "Put the sticks straight into their slots; clean the contacts."),
    Fault("X04", 83, _S.SAFETY, _W.HOST, _R.CUT_SUPPLY, "Liquid may be in the panel.",
          "Pull the mains plug, dry the panel, call the technician."),
    Fault("X05", 84, _S.WARN, _W.HOST, _R.TELL, "The firmware is not the one that was signed.",
          "Compare the firmware's id with the released one and install it again."),
    # Link, program, computer.
    Fault("L01", 90, _S.FAULT, _W.HOST, _R.REHOME, "The cable to the motor board came loose.",
          "Push the USB plug in; the table connects by itself; confirm to go on."),
    Fault("L02", 91, _S.FAULT, _W.BOARD, _R.STOP_ALL, "The computer stopped talking to the board.",
          "It connects again by itself; confirm at the table to go on."),
    Fault("L03", 92, _S.FAULT, _W.HOST, _R.REHOME, "The motor board restarted.",
          "Confirm at the table; the table homes itself. When it comes back, check the supply."),
    Fault("L04", 93, _S.FAULT, _W.HOST, _R.REFUSE, "Board and program speak different versions.",
          "Install the firmware that belongs to this program."),
    Fault("L05", 94, _S.WARN, _W.HOST, _R.TELL, "The log cannot be written.",
          "The game goes on without history: free the disk or change the card."),
    Fault("L06", 95, _S.WARN, _W.HOST, _R.TELL, "The camera is missing or dark.",
          "Walls are built by counts only: check the camera's cable and the lamp."),
)
# fmt: on

BY_CODE = {fault.code: fault for fault in CATALOGUE}
BY_NUMBER = {fault.number: fault for fault in CATALOGUE}
