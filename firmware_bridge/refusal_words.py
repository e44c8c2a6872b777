"""What the board's refusals mean to the people at the table: why, and what to do next.

Both are message ids for the translations. Refusals that are a fault of the catalogue (an open lid,
a low supply, a hot motor) are shown as that fault instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firmware_bridge.parts import Refusal


@dataclass(frozen=True, slots=True)
class Words:
    """One refusal, in words."""

    why: str
    hint: str


RECOVER = (
    "When no deal is in play, lay the tiles on the table aside and press two lift keys together:"
    " the rows come up. Push them in again; they are counted anew."
)
"""How rows of which nobody knows what they hold are emptied."""

_HOME = "Stop all motors on the screen, then press a lift key: the parts go to their places."
_FIRMWARE = Words(
    "The motor board does not accept the command.",
    "Install the firmware that belongs to this program.",
)
_SOLVE = Words(
    "A fault is not solved yet.", "Do what it says on the screen, then press a lift key."
)

WORDS: Mapping[Refusal, Words] = {
    Refusal.UNKNOWN_COMMAND: _FIRMWARE,
    Refusal.BAD_FIELD: _FIRMWARE,
    Refusal.NOT_CONFIGURED: _FIRMWARE,
    Refusal.NO_SUCH_PART: _FIRMWARE,
    Refusal.WRONG_TABLE: _FIRMWARE,
    Refusal.FAULT: _SOLVE,
    Refusal.ESTOP: _SOLVE,
    Refusal.STILL_PRESENT: _SOLVE,
    Refusal.LOCKED: Words(
        "Nobody has said yet that the table may move.",
        "Press a lift key, or confirm on the screen.",
    ),
    Refusal.BUSY: Words("The table is moving.", "Wait until it stands still, then press again."),
    Refusal.DRUM_TURNING: Words(
        "The drum is still turning.",
        "Wait a moment, then press again. When it never stops, call the technician.",
    ),
    Refusal.NOT_HOMED: Words("The table does not know where its parts are.", _HOME),
    Refusal.CENTRE_NOT_DOWN: Words("The centre is not closed.", "Close it with a lift key first."),
    Refusal.LIFT_NOT_HOME: Words("A wall plate is not down.", _HOME),
    Refusal.HEAD_NOT_HOME: Words("A pusher is not at rest.", _HOME),
    Refusal.NOT_IN_SERVICE: Words("That is for service mode.", "Start service first."),
    Refusal.COUNTS_NOT_VERIFIED: Words("The count of the tiles is not sure.", RECOVER),
    Refusal.NO_SUCH_BUILD: Words("The motor board knows nothing of this wall.", RECOVER),
    Refusal.ROWS_NOT_EMPTY: Words("There are tiles in the rows below the table.", RECOVER),
}
