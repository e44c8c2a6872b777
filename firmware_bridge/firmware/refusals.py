"""May it? Why a request is not done; nothing here changes anything but `refuse_detail`."""

from interlocks import ACTUATORS, SIDES
from stroke import since
from table_messages import *

NONE = 255
COOL_MS = 20000
LATCH_MS = 600000


class Refusals:
    """The part of the board that says no."""

    def why_not(self, kind, args):
        """The reason to refuse, or 0. Nothing here changes anything."""
        if kind in (ECHO, READ_WEAR):
            return 0
        if kind == UNLOCK:
            if self.mode == MODE_ESTOP:
                return NO_ESTOP
            return NO_FAULT if self.mode == MODE_FAULT else 0
        if kind == CLEAR_FAULT:
            return self.why_not_clear(args[0])
        if kind == SET_MACHINE:
            return NO_BUSY if self.motion else 0
        if kind == SET_LIMITS:
            if args[5] <= args[4]:
                return NO_BAD_FIELD
            return NO_BUSY if self.motion else 0
        if kind == HALT_BUILD:
            return 0 if self.motion & MOTION_BUILD else NO_NO_SUCH_BUILD
        # From here on something moves, or may.
        if self.mode == MODE_ESTOP:
            return NO_ESTOP
        if self.mode == MODE_FAULT:
            return NO_FAULT
        if self.mode == MODE_LOCKED:
            return NO_LOCKED
        if kind == SET_SERVICE:
            return NO_BUSY if self.motion else 0
        if not self.configured:
            return NO_NOT_CONFIGURED
        if not (self.inputs >> S_LID_CLOSED) & 1 and kind != JOG:
            return NO_LID_OPEN
        if not self.supply_good:
            return NO_LOW_SUPPLY
        if self.cooling():
            return NO_COOLING
        if kind == JOG:
            return self.why_not_jog(args)
        if kind == EJECT_ROWS:
            if self.mode != MODE_SERVICE:
                return NO_NOT_IN_SERVICE
            return NO_BUSY if self.motion else self.why_not_lift(args[0])
        if self.mode == MODE_SERVICE and kind != HOME:
            return NO_LOCKED
        if kind == HOME:
            if self.motion:
                return NO_BUSY
            down = self.inputs & (1 << S_CENTRE_DOWN)
            return 0 if down or self.drum_still else NO_DRUM_TURNING
        if not self.homed():
            return NO_NOT_HOMED
        if kind == MOVE_CENTRE:
            if self.motion:
                return NO_BUSY
            return 0 if self.drum_still else NO_DRUM_TURNING
        if not (self.inputs >> S_CENTRE_DOWN) & 1 or self.motion & MOTION_CENTRE:
            return NO_CENTRE_NOT_DOWN
        if kind == ROLL_DICE:
            return NO_BUSY if self.motion & ~MOTION_BUILD else 0
        if kind == RAISE_WALLS:
            if self.motion:
                return NO_BUSY
            return self.why_not_raise(args)
        if kind == BUILD:
            if self.motion & ~MOTION_DICE:
                return NO_BUSY
            return self.why_not_build(args)
        return NO_UNKNOWN_COMMAND

    def why_not_clear(self, code):
        if self.fault != code or not code:
            return NO_BAD_FIELD
        if code == F_E01 and not (self.inputs >> S_ESTOP_OK) & 1:
            return NO_STILL_PRESENT
        if code == F_E02 and not (self.inputs >> S_LID_CLOSED) & 1:
            return NO_STILL_PRESENT
        if (code == F_P02 or code == F_P05) and self.hal.supply < self.supply_low_mv:
            return NO_STILL_PRESENT
        if code == F_C04 and self.centre_is_doubtful():
            return NO_STILL_PRESENT
        if code == F_C03 and not self.drum_still:
            return NO_STILL_PRESENT
        if code == F_P03 and self.hot_again and self.cooling_for(LATCH_MS):
            return NO_COOLING
        return 0

    def why_not_jog(self, args):
        if self.mode != MODE_SERVICE:
            return NO_NOT_IN_SERVICE
        if self.motion & ~MOTION_JOG or (self.motion and self.jog_part != args[0]):
            return NO_BUSY
        if args[1] and A_HEAD_0 <= args[0] < A_HEAD_0 + SIDES:
            return NO_BAD_FIELD  # a cam is never turned back
        return 0

    def why_not_lift(self, sides):
        """Why the plates of these sides are not clear of their heads, with the centre closed."""
        if not (self.inputs >> S_CENTRE_DOWN) & 1:
            return NO_CENTRE_NOT_DOWN
        for s in range(SIDES):
            if (sides >> s) & 1:
                self.refuse_detail = s
                if not (self.inputs >> (S_LIFT_HOME_0 + s)) & 1:
                    return NO_LIFT_NOT_HOME
                if not (self.inputs >> (S_CAM_HOME_0 + s)) & 1:
                    return NO_HEAD_NOT_HOME
        self.refuse_detail = NONE
        return 0

    def why_not_raise(self, args):
        if args[0] != self.builder.build:
            return NO_NO_SUCH_BUILD
        if not self.builder.verified:
            return NO_COUNTS_NOT_VERIFIED
        for s in range(SIDES):
            if args[1 + s] != self.builder.tiles[s]:
                self.refuse_detail = s
                return NO_COUNTS_NOT_VERIFIED
        return self.why_not_lift(self.builder.full_sides())

    def why_not_build(self, args):
        builder = self.builder
        layers = args[9]
        again = args[0] == builder.build
        for s in range(SIDES):
            wanted = args[5 + s] + args[1 + s] * layers
            self.refuse_detail = s
            if again:  # what was begun is finished as it was begun
                if wanted != builder.wanted[s] or args[5 + s] != builder.hands[s]:
                    return NO_BAD_FIELD
            elif builder.tiles[s]:
                return NO_ROWS_NOT_EMPTY
            elif wanted > 120 or (wanted and not (self.side_mask >> s) & 1):
                return NO_BAD_FIELD
        return self.why_not_lift(15)

    def cooling(self):
        return self.cooling_for(COOL_MS)

    def cooling_for(self, ms):
        """Whether a motor ran hot within that time."""
        for a in range(ACTUATORS):
            if self.hot_at[a] >= 0 and since(self.now, self.hot_at[a]) < ms:
                self.refuse_detail = a
                return True
        return False

    def homed(self):
        """Whether the place of everything that matters is known."""
        need = 1 << A_CENTRE
        sides = self.side_mask | self.builder.full_sides()
        for s in range(SIDES):
            if (sides >> s) & 1:
                need |= 1 << (A_LIFT_0 + s)
                if self.family != FAMILY_ONE_MOUTH or s == 0:
                    need |= 1 << (A_HEAD_0 + s)
        return self.known & need == need
