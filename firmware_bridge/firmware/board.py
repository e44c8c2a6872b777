"""The motor board: modes, commands, motions, supervision. The same code runs on the RP2040 and in
the simulator; only the `hal` it is given differs.

`step` allocates nothing, so that no garbage collection falls into a motion; messages may.
"""

import gc
import struct

import stroke
from build import Builder
from interlocks import ACTUATORS, FREE, SIDES, conditions, permitted
from link import Link
from stroke import DIFF_MASK, Stroke, since
from table_messages import *

VERSION = (1, 0, 0)
NONE = 255
SPILL = 4  # reason of a stop: liquid in the panel
MARGIN_MS = 20  # the loop's own time: motors are off within the lease, not after it
SUPPLY_MS = 60  # a dip shorter than this is ridden through
EDGE_GAP_MS = 20  # a flickering sensor must not fill the line
EDGE_MS = 200  # after a motor stopped its sensors may still change
MOVED_MS = 20  # a sensor must say so for this long before a part "moved by itself"
DICE_REST_MS = 700
DICE_LONG_MS = 5000
COOL_MS = 20000
LATCH_MS = 600000
REVERSE_MS = 200  # 10 mm at 50 mm/s

UNSTROKED = (A_RING, A_DICE)  # watched by their current alone

HOME_CENTRE = 1
HOME_LIFTS = 2
HOME_HEADS = 3
HOME_CHAIN = 4


def default_limits(board):
    """Starting values inside the ranges of the research; `SetLimits` replaces them."""
    for a in range(ACTUATORS):
        board.warn_pct[a] = 125
        board.stop_pct[a] = 200
    board.set_part(A_DRUM, 0, 450, 1400)
    board.set_part(A_RING, 0, 250, 900)
    board.set_part(A_CENTRE, 1200, 600, 1500)
    board.set_part(A_DICE, 0, 120, 500)
    board.set_part(A_CHAIN, 1500, 400, 1200)
    for s in range(SIDES):
        board.set_part(A_LIFT_0 + s, 2000, 500, 1300)
        board.set_part(A_CONVEYOR_0 + s, 0, 180, 600)
        board.set_part(A_HEAD_0 + s, 300, 350, 1100)


class Board:
    """Everything the motor board knows."""

    def __init__(self, hal, firmware_id):
        self.hal = hal
        self.firmware_id = firmware_id
        self.link = Link(hal)
        self.now = hal.now
        self.link.heard_at = (self.now - 2 * SILENCE_MS) & DIFF_MASK
        self.mode = MODE_LOCKED
        self.motion = 0
        self.fault = 0
        self.fault_side = NONE
        self.service = False
        # settings
        self.stroke_ms = [0] * ACTUATORS
        self.warn_pct = [0] * ACTUATORS
        self.stop_pct = [0] * ACTUATORS
        self.running_ma = [0] * ACTUATORS
        self.limit_ma = [0] * ACTUATORS
        self.family = FAMILY_FOUR_MOUTH
        self.side_mask = 15
        self.lift_kind = LIFTS_ONE_STOP
        self.build_warn_s = 60
        self.build_stop_s = 120
        self.stall_s = 20
        self.supply_low_mv = 18000
        self.configured = False
        self.config_crc = 0
        default_limits(self)
        # sensors
        self.inputs = hal.inputs
        self.before = hal.inputs
        self.tacho = hal.tacho
        self.tacho_at = (self.now - 10000) & DIFF_MASK
        self.tacho_seen = hal.tacho
        self.drum_still = True
        self.current = hal.current
        self.supply_since = -1
        self.supply_good = True
        self.moved_since = [-1] * (SIDES + 2)
        self.noise = [0] * 32
        self.noise_at = self.now
        self.conveyor_over = [-1] * SIDES
        self.over_since = [-1] * ACTUATORS
        self.hot_at = [-1] * ACTUATORS
        self.hot_again = False
        self.drum_open = 0
        # motors
        self.want = 0
        self.want_back = 0
        self.driven = 0
        self.driven_back = 0
        self.stopped_at = [self.now] * ACTUATORS
        self.known = 0
        # wear
        self.strokes = [0] * ACTUATORS
        self.last_ms = [0] * ACTUATORS
        self.mean_ms = [0] * ACTUATORS
        self.peak_ma = [0] * ACTUATORS
        # motions
        self.builder = Builder(self)
        self.centre_stroke = Stroke()
        self.centre_up = False
        self.centre_seq = 0
        self.reverse_until = -1
        self.reverse_up = False
        self.lift_strokes = [Stroke() for _ in range(SIDES)]
        self.lift_top = 0
        self.lift_sides = 0
        self.lift_seq = 0
        self.eject = False
        self.head_stroke = Stroke()
        self.head_side = 0
        self.home_phase = 0
        self.home_seq = 0
        self.home_at = 0
        self.build_seq = 0
        self.halt_seq = 0
        self.dice_seq = 0
        self.dice_at = 0
        self.dice_ms = 0
        self.dice_seen = False
        self.dice_off_at = -1
        self.dice_change_at = 0
        self.jog_seq = 0
        self.jog_part = 0
        self.jog_back = 0
        self.jog_until = 0
        self.jog_at = 0
        self.jog_peak = 0
        self.lease_ms = SILENCE_MS
        # reports
        self.answer_buf = bytearray(24)
        self.state_buf = bytearray(struct.calcsize(LAYOUT[STATE]))
        self.state_at = self.now
        self.edge = True
        self.slowest = 0
        self.last_pass = self.now
        self.free_kb = 0
        self.passes = 0
        self.refuse_detail = NONE

    # ---- the loop

    def run_once(self):
        """One pass: wait, hear, think, move, tell."""
        hal = self.hal
        hal.wait(10 if self.motion or self.reverse_until >= 0 else 50)
        now = hal.now
        passed = since(now, self.last_pass)
        self.last_pass = now
        if passed > self.slowest:
            self.slowest = passed if passed < 255 else 255
        self.now = now
        self.receive()
        self.step()
        hal.drive(self.driven, self.driven_back)
        hal.enable(self.mode != MODE_ESTOP and not self.safety_latched())
        age = since(now, self.state_at)
        if age >= STATE_MS or (self.edge and (age >= EDGE_GAP_MS or self.link.has_news())):
            self.report_state()
        self.link.pump(now)
        hal.feed()
        self.passes += 1
        if not self.motion and not self.passes & 63:
            gc.collect()
            if hasattr(gc, "mem_free"):
                self.free_kb = min(255, gc.mem_free() >> 10)

    def safety_latched(self):
        return self.fault != 0 and FAULT_SEVERITY[self.fault] == SEVERITY_SAFETY

    def receive(self):
        hal = self.hal
        link = self.link
        for i in range(hal.wire_len):
            size = link.receiver.feed(hal.wire[i])
            if size >= 0:
                self.take(link.receiver.raw, size)
        hal.wire_len = 0

    def take(self, raw, size):
        """One good frame."""
        kind, flags, session, seq = struct.unpack_from("<BBHH", raw, 0)
        if kind == STOP:
            self.stop_all()
            if size and raw[6] == SPILL:
                self.fail(F_X04, NONE, NONE, 0)
            elif self.mode != MODE_FAULT and self.mode != MODE_ESTOP:
                self.set_mode(MODE_LOCKED)
            return
        if kind not in BOUNDS or struct.calcsize(LAYOUT[kind]) != size:
            if session == self.link.session and kind != HELLO:
                self.link.refuse(seq, NO_UNKNOWN_COMMAND, NONE)
            return
        args = struct.unpack_from(LAYOUT[kind], raw, 6)
        if kind == HELLO:
            self.hello(args)
            return
        if session != self.link.session or not session:
            return
        self.link.heard_at = self.now
        if kind == HEARTBEAT:
            return
        if kind == HEARD:
            self.link.heard(args[0])
            return
        kept = self.link.find(seq)
        if kept is not None:
            self.link.again(kept)
            return
        spans = BOUNDS[kind]
        for i in range(len(args)):
            if not spans[i][0] <= args[i] <= spans[i][1]:
                self.link.refuse(seq, NO_BAD_FIELD, i)
                return
        self.refuse_detail = NONE
        reason = self.why_not(kind, args)
        if reason:
            self.link.refuse(seq, reason, self.refuse_detail)
            return
        self.link.accept(seq)
        self.do(kind, args, seq)

    def hello(self, args):
        """A host connects: a new session stops everything and locks."""
        major, minor, session, features = args
        if session != self.link.session:
            if self.motion:
                self.stop_all()
            self.link.begin(session)
            self.service = False
            if self.mode != MODE_FAULT and self.mode != MODE_ESTOP:
                self.set_mode(MODE_LOCKED)
        self.link.heard_at = self.now
        buf = bytearray(struct.calcsize(LAYOUT[HELLO_ACK]))
        struct.pack_into(
            LAYOUT[HELLO_ACK], buf, 0,
            PROTOCOL_MAJOR, PROTOCOL_MINOR, session, 0, 0, VERSION[0], VERSION[1], VERSION[2],
            self.firmware_id, self.hal.board_id, self.hal.boot_id, self.hal.reset_cause,
            TABLE_HASH, self.config_crc if self.configured else 0, self.mode,
        )  # fmt: skip
        self.link.send(HELLO_ACK, buf, len(buf))
        self.edge = True

    # ---- may it?

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
            if args[0] >= ACTUATORS:
                return NO_NO_SUCH_PART
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
            if not self.service:
                return NO_NOT_IN_SERVICE
            return NO_BUSY if self.motion else self.why_not_lift(args[0])
        if self.service and kind != HOME:
            return NO_LOCKED
        if kind == HOME:
            return NO_BUSY if self.motion else 0
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
        if (code == F_P02 or code == F_P05) and self.hal.supply < self.supply_low_mv and code != F_P05:
            return NO_STILL_PRESENT
        if code == F_C03 and not self.drum_still:
            return NO_STILL_PRESENT
        if code == F_P03 and self.hot_again and self.cooling_for(LATCH_MS):
            return NO_COOLING
        return 0

    def why_not_jog(self, args):
        if not self.service:
            return NO_NOT_IN_SERVICE
        if args[0] >= ACTUATORS:
            return NO_NO_SUCH_PART
        if self.motion & ~MOTION_JOG or (self.motion and self.jog_part != args[0]):
            return NO_BUSY
        if args[1] and A_HEAD_0 <= args[0] < A_HEAD_0 + SIDES:
            return NO_BAD_FIELD  # a cam is never turned back
        return 0

    def why_not_lift(self, sides):
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
        return self.why_not_lift(self.side_mask)

    def why_not_build(self, args):
        builder = self.builder
        layers = args[9]
        for s in range(SIDES):
            wanted = args[5 + s] + args[1 + s] * layers
            self.refuse_detail = s
            if wanted > 120 or (wanted and not (self.side_mask >> s) & 1):
                return NO_BAD_FIELD
            if args[0] != builder.build and builder.tiles[s]:
                return NO_ROWS_NOT_EMPTY
            if not (self.inputs >> (S_LIFT_HOME_0 + s)) & 1:
                return NO_LIFT_NOT_HOME
            if not (self.inputs >> (S_CAM_HOME_0 + s)) & 1:
                return NO_HEAD_NOT_HOME
        self.refuse_detail = NONE
        return 0

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
        for s in range(SIDES):
            if (self.side_mask >> s) & 1:
                need |= 1 << (A_LIFT_0 + s)
                if self.family != FAMILY_ONE_MOUTH or s == 0:
                    need |= 1 << (A_HEAD_0 + s)
        return self.known & need == need

    # ---- do it

    def do(self, kind, args, seq):
        """Carry out an accepted request."""
        buf = self.answer_buf
        now = self.now
        if kind == ECHO:
            struct.pack_into("<HI", buf, 0, seq, args[0])
            self.link.answer(seq, ECHOED, buf, 6)
        elif kind == UNLOCK:
            if self.mode == MODE_LOCKED:
                self.set_mode(MODE_IDLE)
            self.short_answer(seq, UNLOCKED, self.mode)
        elif kind == CLEAR_FAULT:
            self.fault = 0
            self.fault_side = NONE
            self.set_mode(MODE_LOCKED)
            self.short_answer(seq, FAULT_CLEARED, self.mode)
        elif kind == SET_MACHINE:
            (self.family, self.side_mask, self.lift_kind, self.build_warn_s,
             self.build_stop_s, self.stall_s, self.supply_low_mv) = args  # fmt: skip
            self.configure(seq)
        elif kind == SET_LIMITS:
            a = args[0]
            self.set_part(a, args[1], args[4], args[5])
            self.warn_pct[a] = args[2]
            self.stop_pct[a] = args[3]
            self.configure(seq)
        elif kind == READ_WEAR:
            a = args[0]
            struct.pack_into(
                "<HBIHHH", buf, 0, seq, a, self.strokes[a], self.last_ms[a], self.mean_ms[a],
                self.peak_ma[a],
            )  # fmt: skip
            self.link.answer(seq, WEAR, buf, 13)
        elif kind == SET_SERVICE:
            self.service = args[0] == 1
            self.set_mode(MODE_SERVICE if self.service else MODE_IDLE)
            self.short_answer(seq, SERVICE_SET, self.mode)
        elif kind == HOME:
            self.lease_ms = args[0]
            self.home_seq = seq
            self.home_at = now
            self.begin(MOTION_HOMING)
            self.home_phase = 0
            self.home_next()
        elif kind == MOVE_CENTRE:
            self.lease_ms = args[2]
            self.move_centre(args[0] == PLACE_UP, args[1], seq)
        elif kind == RAISE_WALLS:
            self.lease_ms = args[6]
            self.lift_seq = seq
            self.eject = False
            self.start_lifts(self.side_mask, args[5])
            self.begin(MOTION_WALLS)
        elif kind == EJECT_ROWS:
            self.lease_ms = args[1]
            self.lift_seq = seq
            self.eject = True
            self.start_lifts(args[0], 8000)
            self.begin(MOTION_EJECT)
        elif kind == BUILD:
            self.lease_ms = args[10]
            self.build_seq = seq
            self.builder.start(now, args[0], args[1:5], args[5:9], args[9], self.family)
            self.begin(MOTION_BUILD)
        elif kind == HALT_BUILD:
            self.halt_seq = seq
            self.builder.halting = True
        elif kind == ROLL_DICE:
            self.lease_ms = args[1]
            self.dice_seq = seq
            self.dice_at = now
            self.dice_ms = args[0]
            self.dice_seen = False
            self.dice_off_at = -1
            self.dice_change_at = now
            self.begin(MOTION_DICE)
        elif kind == JOG:
            if not self.motion & MOTION_JOG:
                self.jog_at = now
                self.jog_peak = 0
                self.begin(MOTION_JOG)
            elif self.jog_seq:
                self.jogged()
            self.jog_seq = seq
            self.jog_part = args[0]
            self.jog_back = args[1]
            self.jog_until = (now + args[2]) & DIFF_MASK
            self.known &= ~(1 << args[0])

    def short_answer(self, seq, kind, value):
        struct.pack_into("<HB", self.answer_buf, 0, seq, value)
        self.link.answer(seq, kind, self.answer_buf, 3)

    def failed(self, seq, code, side):
        if seq:
            struct.pack_into("<HBB", self.answer_buf, 0, seq, code, side)
            self.link.answer(seq, FAILED, self.answer_buf, 4)

    def set_part(self, a, stroke_ms, running_ma, limit_ma):
        self.stroke_ms[a] = stroke_ms
        self.running_ma[a] = running_ma
        self.limit_ma[a] = limit_ma

    def configure(self, seq):
        """Settings changed: make their checksum anew, the same way the host does."""
        import binascii

        crc = binascii.crc32(
            struct.pack(
                "<BBBBBBH", self.family, self.side_mask, self.lift_kind, self.build_warn_s,
                self.build_stop_s, self.stall_s, self.supply_low_mv,
            )
        )  # fmt: skip
        for a in range(ACTUATORS):
            crc = binascii.crc32(
                struct.pack(
                    "<BHBHHH", a, self.stroke_ms[a], self.warn_pct[a], self.stop_pct[a],
                    self.running_ma[a], self.limit_ma[a],
                ),
                crc,
            )  # fmt: skip
        self.config_crc = crc
        self.configured = True
        struct.pack_into("<HI", self.answer_buf, 0, seq, crc)
        self.link.answer(seq, CONFIGURED, self.answer_buf, 6)

    def begin(self, motion):
        self.motion |= motion
        if self.mode == MODE_IDLE:
            self.set_mode(MODE_MOVING)
        self.edge = True

    def end(self, motion):
        self.motion &= ~motion
        if not self.motion and self.mode == MODE_MOVING:
            self.set_mode(MODE_IDLE)
        self.edge = True

    def set_mode(self, mode):
        if mode != self.mode:
            self.mode = mode
            self.edge = True

    # ---- stopping

    def stop_all(self):
        """Motors off; what was in motion is not known to be anywhere."""
        turning = self.driven | self.driven_back
        self.want = 0
        self.want_back = 0
        self.cut(turning)
        self.builder.stop()
        if self.motion:
            for motion, seq in (
                (MOTION_HOMING, self.home_seq),
                (MOTION_CENTRE, self.centre_seq),
                (MOTION_WALLS | MOTION_EJECT, self.lift_seq),
                (MOTION_BUILD, self.build_seq),
                (MOTION_DICE, self.dice_seq),
                (MOTION_JOG, self.jog_seq),
            ):
                if self.motion & motion:
                    self.failed(seq, self.fault, self.fault_side)
            if self.halt_seq:
                self.failed(self.halt_seq, self.fault, self.fault_side)
        self.halt_seq = 0
        self.jog_seq = 0
        self.motion = 0
        self.reverse_until = -1
        if self.mode == MODE_MOVING:
            self.set_mode(MODE_IDLE)
        self.edge = True

    def cut(self, turning):
        """These motors stop; those with a position lose it."""
        positioned = (1 << A_CENTRE) | (15 << A_LIFT_0) | (15 << A_HEAD_0) | (1 << A_CHAIN)
        self.known &= ~(turning & positioned)
        for a in range(ACTUATORS):
            if (turning >> a) & 1:
                self.stopped_at[a] = self.now
        self.driven &= ~turning
        self.driven_back &= ~turning

    def lose(self, actuator):
        self.known &= ~(1 << actuator)

    def incident(self, code, part, side, value):
        """Tell it; nothing stops."""
        struct.pack_into(
            LAYOUT[INCIDENT], self.answer_buf, 0, code, FAULT_SEVERITY[code], part, side, value, self.now
        )
        self.link.post(INCIDENT, self.answer_buf, struct.calcsize(LAYOUT[INCIDENT]))

    def fail(self, code, part, side, value):
        """Stop first, explain second."""
        if self.mode == MODE_FAULT or self.mode == MODE_ESTOP:
            if FAULT_SEVERITY[code] != SEVERITY_SAFETY or self.safety_latched():
                return
        self.fault = code
        self.fault_side = side
        self.stop_all()
        self.service = False
        self.set_mode(MODE_ESTOP if code == F_E01 else MODE_FAULT)
        self.incident(code, part, side, value)

    # ---- one pass of supervision; allocates nothing unless something is wrong

    def step(self):
        hal = self.hal
        now = self.now
        self.inputs = hal.inputs
        self.tacho = hal.tacho
        changed = self.inputs ^ self.before
        if changed:
            self.edge = True
        if self.tacho != self.tacho_seen:
            self.tacho_seen = self.tacho
            self.tacho_at = now
            if not (self.inputs >> S_CENTRE_DOWN) & 1:
                self.drum_open += 1
        self.drum_still = since(now, self.tacho_at) > 300 and not (self.driven | self.driven_back) & 3
        self.watch_power()
        self.watch_host()
        self.watch_parts(changed)
        self.before = self.inputs
        self.want = 0
        self.want_back = 0
        if self.motion:
            self.step_motions()
        if self.reverse_until >= 0:
            self.step_reverse()
        self.gate()

    def step_motions(self):
        if self.motion & MOTION_HOMING:
            self.step_home()
        if self.motion & MOTION_CENTRE:
            self.step_centre()
        if self.motion & (MOTION_WALLS | MOTION_EJECT):
            self.step_lifts()
        if self.motion & MOTION_BUILD:
            self.builder.step(self.now)
        if self.motion & MOTION_DICE:
            self.step_dice()
        if self.motion & MOTION_JOG:
            self.step_jog()
        self.watch_currents()

    def gate(self):
        """The interlocks, applied to whatever the motions want."""
        wanted = self.want | self.want_back
        turning = self.driven | self.driven_back
        if wanted:
            bits = conditions(
                self.inputs,
                wanted,
                since(self.now, self.tacho_at) <= 300 and not turning & 3,
                self.link.silence(self.now) < self.lease_ms,
                self.mode != MODE_FAULT and self.mode != MODE_ESTOP and self.mode != MODE_LOCKED,
                self.supply_good,
                self.service,
            )
            if self.reverse_until >= 0:
                bits |= FREE
            allowed = permitted(wanted, bits)
        else:
            allowed = 0
        stopped = turning & ~allowed
        if stopped:
            for a in range(ACTUATORS):
                if (stopped >> a) & 1:
                    self.stopped_at[a] = self.now
            self.edge = True
        if allowed & ~turning:
            self.edge = True
        self.driven = allowed & self.want & ~self.want_back
        self.driven_back = allowed & self.want_back

    def watch_power(self):
        inputs = self.inputs
        if not (inputs >> S_ESTOP_OK) & 1:
            if self.mode != MODE_ESTOP:
                self.fail(F_E01, NONE, NONE, 0)
            return
        if not (inputs >> S_LID_CLOSED) & 1 and self.motion and not self.service:
            self.fail(F_E02, NONE, NONE, 0)
            return
        if self.hal.supply >= self.supply_low_mv:
            self.supply_since = -1
            self.supply_good = True
        elif self.supply_since < 0:
            self.supply_since = self.now
        elif since(self.now, self.supply_since) >= SUPPLY_MS and self.supply_good:
            self.supply_good = False
            if self.mode != MODE_ESTOP and not self.safety_latched():
                self.known = 0
                dead = self.hal.supply < 3000
                self.fail(F_P05 if dead else F_P02, NONE, NONE, self.hal.supply)

    def watch_host(self):
        silence = self.link.silence(self.now)
        if self.motion and silence + MARGIN_MS >= self.lease_ms:
            self.fail(F_L02, NONE, NONE, silence)
        elif silence >= SILENCE_MS and (self.mode == MODE_IDLE or self.mode == MODE_SERVICE):
            self.service = False
            self.set_mode(MODE_LOCKED)

    def watch_parts(self, changed):
        """Edges that nobody commanded."""
        now = self.now
        turning = self.driven | self.driven_back
        for s in range(SIDES):
            moved = (
                (self.known >> (A_LIFT_0 + s)) & 1
                and not (turning >> (A_LIFT_0 + s)) & 1
                and not (self.inputs >> (S_LIFT_HOME_0 + s)) & 1
                and since(now, self.stopped_at[A_LIFT_0 + s]) > EDGE_MS
            )
            if self.held(s, moved):
                self.known &= ~(1 << (A_LIFT_0 + s))
                self.fail(F_W06, A_LIFT_0 + s, s, 0)
                return
        resting = (self.known >> A_CENTRE) & 1 and not (turning >> A_CENTRE) & 1
        resting = resting and since(now, self.stopped_at[A_CENTRE]) > EDGE_MS
        moved = resting and not self.inputs & ((1 << S_CENTRE_UP) | (1 << S_CENTRE_DOWN))
        if self.held(SIDES, moved):
            self.known &= ~(1 << A_CENTRE)
            self.fail(F_C06, A_CENTRE, NONE, 0)
            return
        if self.drum_open:
            if (self.inputs >> S_CENTRE_DOWN) & 1 or since(now, self.tacho_at) > 1000:
                self.drum_open = 0
            elif self.drum_open >= 2:
                self.fail(F_C03, A_DRUM, NONE, self.drum_open)
        if changed and since(now, self.noise_at) > 0:
            self.watch_noise(changed, turning)

    def held(self, which, moved):
        """Whether `moved` has been true long enough."""
        if not moved:
            self.moved_since[which] = -1
            return False
        if self.moved_since[which] < 0:
            self.moved_since[which] = self.now
        return since(self.now, self.moved_since[which]) >= MOVED_MS

    def watch_noise(self, changed, turning):
        """Tile and cam sensors that change while their motors rest."""
        if since(self.now, self.noise_at) > 10000:
            self.noise_at = self.now
            for i in range(len(self.noise)):
                self.noise[i] = 0
        for s in range(SIDES):
            conveyor = (turning >> (A_CONVEYOR_0 + s)) & 1
            head = (turning >> (A_HEAD_0 + s)) & 1
            rest = since(self.now, self.stopped_at[A_CONVEYOR_0 + s]) > EDGE_MS
            rest = rest and since(self.now, self.stopped_at[A_HEAD_0 + s]) > EDGE_MS
            if conveyor or head or not rest:
                continue
            self.count_noise(changed, S_TILE_0 + s, A_CONVEYOR_0 + s, s)
            self.count_noise(changed, S_CAM_HOME_0 + s, A_HEAD_0 + s, s)

    def count_noise(self, changed, sensor, part, side):
        if (changed >> sensor) & 1:
            self.noise[sensor] += 1
            if self.noise[sensor] == 6:
                self.incident(F_S02, part, side, sensor)

    def watch_currents(self):
        """Motors without a stroke of their own: too much current for too long is a fault."""
        for a in UNSTROKED:
            if not (self.driven >> a) & 1 or self.current[a] < self.limit_ma[a]:
                self.over_since[a] = -1
            elif self.over_since[a] < 0:
                self.over_since[a] = self.now
            elif since(self.now, self.over_since[a]) >= stroke.INRUSH_MS + stroke.BLOCKED_MS:
                self.overheated(a)
                return

    def overheated(self, a):
        self.over_since[a] = -1
        self.hot_again = self.cooling_for(LATCH_MS)  # the second time in ten minutes stays
        self.hot_at[a] = self.now
        self.fail(F_P03, a, NONE, self.current[a])

    # ---- motions

    def begin_stroke(self, watched, actuator, leave, arrive, within_ms):
        """Supervise a stroke with what was learned about that motor."""
        expect = self.stroke_ms[actuator]
        latest = expect * self.stop_pct[actuator] // 100
        if not latest or latest > within_ms:
            latest = within_ms
        watched.begin(
            self.now, leave, arrive, expect, latest, self.running_ma[actuator],
            self.limit_ma[actuator], not (self.inputs >> leave) & 1,
        )  # fmt: skip

    def wear(self, a, watched):
        """Book a finished stroke; warn when it was slow."""
        self.strokes[a] += 1
        took = watched.took
        self.last_ms[a] = took
        self.peak_ma[a] = watched.peak
        mean = self.mean_ms[a]
        self.mean_ms[a] = took if not mean else mean + (took - mean) // 8
        if a == A_CENTRE and watched.expect and took * 100 > watched.expect * self.warn_pct[a]:
            self.incident(F_C02, a, NONE, took)

    def move_centre(self, up, within_ms, seq):
        there = S_CENTRE_UP if up else S_CENTRE_DOWN
        away = S_CENTRE_DOWN if up else S_CENTRE_UP
        self.centre_seq = seq
        self.centre_up = up
        if (self.inputs >> there) & 1:
            self.known |= 1 << A_CENTRE
            struct.pack_into("<HBHH", self.answer_buf, 0, seq, PLACE_UP if up else PLACE_DOWN, 0, 0)
            self.link.answer(seq, CENTRE_MOVED, self.answer_buf, 7)
            return
        self.begin_stroke(self.centre_stroke, A_CENTRE, away, there, within_ms)
        self.begin(MOTION_CENTRE)

    def drive_centre(self):
        if self.centre_up:
            self.want |= 1 << A_CENTRE
        else:
            self.want_back |= 1 << A_CENTRE

    def centre_failed(self, ended):
        """A centre stroke went wrong: the right code, and back a little when something is in it."""
        watched = self.centre_stroke
        down = not self.centre_up
        if ended == stroke.NO_MOTION or ended == stroke.STUCK or not watched.left:
            self.fail(F_C01, A_CENTRE, NONE, watched.peak)
        elif ended == stroke.BLOCKED:
            self.fail(F_C05, A_CENTRE, NONE, watched.peak)
            if down:
                self.reverse_until = (self.now + REVERSE_MS) & DIFF_MASK
                self.reverse_up = True
        else:
            self.fail(F_C04, A_CENTRE, NONE, watched.took)

    def step_reverse(self):
        """Away from what was pinched, for a fixed short time, whatever else is wrong."""
        left = (self.reverse_until - self.now) & DIFF_MASK
        if left > REVERSE_MS or (self.inputs >> S_CENTRE_UP) & 1 or self.mode == MODE_ESTOP:
            self.reverse_until = -1
        else:
            self.want |= 1 << A_CENTRE

    def step_centre(self):
        ended = self.centre_stroke.step(self.now, self.inputs, self.current[A_CENTRE])
        if ended == stroke.RUNNING:
            self.drive_centre()
        elif ended == stroke.ARRIVED:
            self.wear(A_CENTRE, self.centre_stroke)
            self.known |= 1 << A_CENTRE
            self.end(MOTION_CENTRE)
            struct.pack_into(
                "<HBHH", self.answer_buf, 0, self.centre_seq,
                PLACE_UP if self.centre_up else PLACE_DOWN,
                self.centre_stroke.took, self.centre_stroke.peak,
            )  # fmt: skip
            self.link.answer(self.centre_seq, CENTRE_MOVED, self.answer_buf, 7)
        else:
            self.centre_failed(ended)

    def start_lifts(self, sides, within_ms):
        self.lift_sides = sides
        self.lift_top = 0
        for s in range(SIDES):
            if (sides >> s) & 1:
                home = S_LIFT_HOME_0 + s
                self.begin_stroke(self.lift_strokes[s], A_LIFT_0 + s, home, home, within_ms)

    def lifts_running(self):
        """Step every plate; True while one moves. A failure stops them all."""
        running = False
        for s in range(SIDES):
            if not (self.lift_sides >> s) & 1:
                continue
            watched = self.lift_strokes[s]
            if watched.state != stroke.RUNNING:
                continue
            if (self.inputs >> (S_LIFT_TOP_0 + s)) & 1:
                self.lift_top |= 1 << s
            ended = watched.step(self.now, self.inputs, self.current[A_LIFT_0 + s])
            if ended == stroke.RUNNING:
                running = True
                self.want |= 1 << (A_LIFT_0 + s)
            elif ended == stroke.ARRIVED:
                self.wear(A_LIFT_0 + s, watched)
                if self.lift_kind == LIFTS_TWO_STOP and watched.expect and not (self.lift_top >> s) & 1:
                    self.fail(F_W03, A_LIFT_0 + s, s, watched.took)
                    return False
                self.known |= 1 << (A_LIFT_0 + s)
            else:
                code = F_W04
                if ended == stroke.NO_MOTION:
                    code = F_W01
                elif ended == stroke.STUCK:
                    code = F_W02
                elif ended == stroke.SHORT:
                    code = F_W03
                elif ended == stroke.BLOCKED:
                    code = F_W08 if watched.left else F_W01
                self.lose(A_LIFT_0 + s)
                self.fail(code, A_LIFT_0 + s, s, watched.peak if ended == stroke.BLOCKED else watched.took)
                return False
        return running

    def step_lifts(self):
        if self.lifts_running() or not self.motion & (MOTION_WALLS | MOTION_EJECT):
            return
        buf = self.answer_buf
        builder = self.builder
        if self.eject:
            self.end(MOTION_EJECT)
            for s in range(SIDES):
                if (self.lift_sides >> s) & 1:
                    builder.tiles[s] = 0
            if not (builder.tiles[0] or builder.tiles[1] or builder.tiles[2] or builder.tiles[3]):
                builder.forget()
            self.short_answer(self.lift_seq, ROWS_EJECTED, self.lift_sides)
            return
        self.end(MOTION_WALLS)
        layers = builder.layers
        struct.pack_into(
            "<HH4B4H", buf, 0, self.lift_seq, builder.build,
            (builder.tiles[0] - builder.hands[0]) // layers,
            (builder.tiles[1] - builder.hands[1]) // layers,
            (builder.tiles[2] - builder.hands[2]) // layers,
            (builder.tiles[3] - builder.hands[3]) // layers,
            self.lift_took(0), self.lift_took(1), self.lift_took(2), self.lift_took(3),
        )  # fmt: skip
        builder.forget()
        self.link.answer(self.lift_seq, WALLS_RAISED, buf, 16)

    def lift_took(self, s):
        return self.lift_strokes[s].took if (self.lift_sides >> s) & 1 else 0

    def build_ended(self, took, halted):
        """The builder came to rest: finished, halted, or with a side that broke."""
        builder = self.builder
        buf = self.answer_buf
        tiles = builder.tiles
        if builder.broken_code:
            lacking = 0
            for s in range(SIDES):
                lacking += builder.wanted[s] - tiles[s]
            self.fail(builder.broken_code, NONE, builder.broken_side, lacking)
            return
        self.end(MOTION_BUILD)
        if halted:
            self.failed(self.build_seq, 0, NONE)
            struct.pack_into(
                "<HH4H", buf, 0, self.halt_seq, builder.build, tiles[0], tiles[1], tiles[2], tiles[3]
            )
            self.link.answer(self.halt_seq, BUILD_HALTED, buf, 12)
            self.halt_seq = 0
            return
        builder.verified = not builder.doubtful
        layers = builder.layers
        hands = builder.hands
        struct.pack_into(
            "<HH4B4BHIB", buf, 0, self.build_seq, builder.build,
            (tiles[0] - hands[0]) // layers, (tiles[1] - hands[1]) // layers,
            (tiles[2] - hands[2]) // layers, (tiles[3] - hands[3]) // layers,
            hands[0], hands[1], hands[2], hands[3],
            tiles[0] + tiles[1] + tiles[2] + tiles[3], took, 1 if builder.verified else 0,
        )  # fmt: skip
        self.link.answer(self.build_seq, BUILT, buf, 19)

    def step_dice(self):
        now = self.now
        seen = ((self.inputs ^ self.before_dice()) >> S_DICE_SEEN) & 1
        if seen:
            self.dice_seen = True
            self.dice_change_at = now
        shaken = since(now, self.dice_at)
        if shaken < self.dice_ms:
            self.want |= 1 << A_DICE
            weak = self.current[A_DICE] < self.running_ma[A_DICE] // 4
            if shaken > stroke.LEAVE_MS and (weak or not self.dice_seen and shaken > 600):
                self.end(MOTION_DICE)
                self.incident(F_X01, A_DICE, NONE, self.current[A_DICE])
                self.failed(self.dice_seq, F_X01, NONE)
            return
        if self.dice_off_at < 0:
            self.dice_off_at = now
            self.dice_change_at = now
        if since(now, self.dice_off_at) > DICE_LONG_MS:
            self.fail(F_X02, A_DICE, NONE, since(now, self.dice_off_at))
        elif since(now, self.dice_change_at) >= DICE_REST_MS:
            self.end(MOTION_DICE)
            struct.pack_into("<HH", self.answer_buf, 0, self.dice_seq, shaken if shaken < 65535 else 65535)
            self.link.answer(self.dice_seq, DICE_ROLLED, self.answer_buf, 4)

    def before_dice(self):
        """Sensors one pass ago, as far as the dice are concerned."""
        last = self.last_dice
        self.last_dice = self.inputs
        return last

    last_dice = 0

    def step_jog(self):
        now = self.now
        ma = self.current[self.jog_part]
        if since(now, self.jog_at) > stroke.INRUSH_MS and ma > self.jog_peak:
            self.jog_peak = ma
        left = (self.jog_until - now) & DIFF_MASK
        blocked = ma >= self.limit_ma[self.jog_part] and since(now, self.jog_at) > 2 * stroke.INRUSH_MS
        if left > 300 or left == 0 or blocked:
            self.end(MOTION_JOG)
            self.jogged()
            self.jog_seq = 0
        elif self.jog_back:
            self.want_back |= 1 << self.jog_part
        else:
            self.want |= 1 << self.jog_part

    def jogged(self):
        ran = since(self.now, self.jog_at)
        struct.pack_into(
            "<HBHH", self.answer_buf, 0, self.jog_seq, self.jog_part, ran if ran < 65535 else 65535,
            self.jog_peak,
        )  # fmt: skip
        self.link.answer(self.jog_seq, JOGGED, self.answer_buf, 7)

    # ---- homing: centre, plates, heads, chain

    def home_next(self):
        """Begin the next part of homing."""
        self.home_phase += 1
        phase = self.home_phase
        if phase == HOME_CENTRE:
            if (self.inputs >> S_CENTRE_DOWN) & 1:
                self.known |= 1 << A_CENTRE
                self.home_next()
            else:
                self.centre_up = False
                self.begin_stroke(self.centre_stroke, A_CENTRE, S_CENTRE_UP, S_CENTRE_DOWN, 8000)
        elif phase == HOME_LIFTS:
            out = 0
            for s in range(SIDES):
                if not (self.side_mask >> s) & 1:
                    continue
                if (self.inputs >> (S_LIFT_HOME_0 + s)) & 1:
                    self.known |= 1 << (A_LIFT_0 + s)
                else:
                    out |= 1 << s
            self.start_lifts(out, 8000)
            if not out:
                self.home_next()
        elif phase == HOME_HEADS:
            self.head_side = -1
            self.next_head()
        else:
            self.end(MOTION_HOMING)
            took = since(self.now, self.home_at)
            struct.pack_into("<HH", self.answer_buf, 0, self.home_seq, took if took < 65535 else 65535)
            self.link.answer(self.home_seq, HOMED, self.answer_buf, 4)

    def next_head(self):
        while True:
            self.head_side += 1
            s = self.head_side
            if s >= SIDES:
                self.home_next()
                return
            if not (self.side_mask >> s) & 1 and s:
                continue
            if (self.inputs >> (S_CAM_HOME_0 + s)) & 1:
                self.known |= 1 << (A_HEAD_0 + s)
                if (self.builder.pending_turn >> s) & 1:
                    self.builder.finished_turn(s)
                continue
            home = S_CAM_HOME_0 + s
            self.begin_stroke(self.head_stroke, A_HEAD_0 + s, home, home, 8000)
            return

    def step_home(self):
        phase = self.home_phase
        if phase == HOME_CENTRE:
            ended = self.centre_stroke.step(self.now, self.inputs, self.current[A_CENTRE])
            if ended == stroke.RUNNING:
                self.drive_centre()
            elif ended == stroke.ARRIVED:
                self.known |= 1 << A_CENTRE
                self.home_next()
            else:
                self.centre_failed(ended)
        elif phase == HOME_LIFTS:
            if not self.lifts_running() and self.motion & MOTION_HOMING:
                self.home_next()
        elif phase == HOME_HEADS:
            s = self.head_side
            ended = self.head_stroke.step(self.now, self.inputs, self.current[A_HEAD_0 + s])
            if ended == stroke.RUNNING:
                self.want |= 1 << (A_HEAD_0 + s)
            elif ended == stroke.ARRIVED:
                self.known |= 1 << (A_HEAD_0 + s)
                self.builder.finished_turn(s)
                self.next_head()
            else:
                self.fail(F_H02, A_HEAD_0 + s, s, self.head_stroke.peak)

    # ---- telling

    def centre_place(self):
        if not (self.known >> A_CENTRE) & 1 and not self.motion & (MOTION_CENTRE | MOTION_HOMING):
            return PLACE_UNKNOWN
        if (self.inputs >> S_CENTRE_DOWN) & 1:
            return PLACE_DOWN
        if (self.inputs >> S_CENTRE_UP) & 1:
            return PLACE_UP
        return PLACE_BETWEEN

    def report_state(self):
        now = self.now
        self.state_at = now
        self.edge = False
        if not self.link.session:
            return
        builder = self.builder
        tiles = builder.tiles
        wanted = builder.wanted
        c = self.current
        silence = self.link.silence(now)
        struct.pack_into(
            LAYOUT[STATE], self.state_buf, 0,
            now, self.mode, self.motion, self.fault, self.fault_side, self.inputs, self.driven,
            self.driven_back, self.known, self.centre_place(), builder.build,
            1 if builder.verified else 0, tiles[0], tiles[1], tiles[2], tiles[3],
            wanted[0], wanted[1], wanted[2], wanted[3], self.tacho, self.hal.supply,
            c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12],
            c[13], c[14], c[15], c[16], self.link.receiver.bad, self.slowest, self.free_kb,
            silence if silence < 65535 else 65535,
        )  # fmt: skip
        self.slowest = 0
        self.link.send(STATE, self.state_buf, len(self.state_buf))
