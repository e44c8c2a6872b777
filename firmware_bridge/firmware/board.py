"""The motor board: state, messages, modes. The same code runs on the RP2040 and in the simulator;
only the `hal` it is given differs.
"""

import binascii
import gc
import struct

from build import Builder
from interlocks import ACTUATORS, SIDES
from link import Link
from motions import Motions
from refusals import NONE, Refusals
from stroke import DIFF_MASK, Stroke, since
from supervision import Supervision
from table_messages import *

VERSION = (1, 0, 0)
SPILL = 4  # reason of a stop: liquid in the panel
EDGE_GAP_MS = 20  # a flickering sensor must not fill the line


class Board(Refusals, Supervision, Motions):
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
        self.also = []  # faults that came while that one was latched
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
        self.untold = (1 << (ACTUATORS + 1)) - 1  # settings not given since the start
        self.configured = False
        self.config_crc = 0
        # sensors
        self.inputs = hal.inputs
        self.before = hal.inputs
        self.tacho = hal.tacho
        self.tacho_at = (self.now - 10000) & DIFF_MASK
        self.heat_at = self.now
        self.tacho_seen = hal.tacho
        self.drum_still = True
        self.current = hal.current
        self.supply_since = -1
        self.supply_good = True
        self.moved_since = [-1] * (SIDES + 2)
        self.heat = [0] * ACTUATORS
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
        self.rising = [0] * SIDES  # tiles of each row when its plate began
        self.lift_back = 0  # plates that go home the way they came
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
        self.last_dice = 0
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
        hal.slow(self.is_jogged())
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
        if session != self.link.session or not session or self.link.is_stale(seq):
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
        if not session:
            return
        if session != self.link.session:
            if self.motion:
                self.stop_all()
            self.link.begin(session)
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
            self.fault_is_over()
            self.short_answer(seq, FAULT_CLEARED, self.mode)
        elif kind == SET_MACHINE:
            (self.family, self.side_mask, self.lift_kind, self.build_warn_s,
             self.build_stop_s, self.stall_s, self.supply_low_mv) = args  # fmt: skip
            self.configure(ACTUATORS, seq)
        elif kind == SET_LIMITS:
            a = args[0]
            self.set_part(a, args[1], args[4], args[5])
            self.warn_pct[a] = args[2]
            self.stop_pct[a] = args[3]
            self.configure(a, seq)
        elif kind == READ_WEAR:
            a = args[0]
            struct.pack_into(
                "<HBIHHH", buf, 0, seq, a, self.strokes[a], self.last_ms[a], self.mean_ms[a],
                self.peak_ma[a],
            )  # fmt: skip
            self.link.answer(seq, WEAR, buf, 13)
        elif kind == SET_SERVICE:
            self.set_mode(MODE_SERVICE if args[0] else MODE_IDLE)
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
            self.lift_back = 0
            self.begin(MOTION_WALLS)
            self.start_lifts(self.builder.full_sides(), args[5])
        elif kind == EJECT_ROWS:
            self.lease_ms = args[1]
            self.lift_seq = seq
            self.eject = True
            self.lift_back = 0
            self.begin(MOTION_EJECT)
            self.start_lifts(args[0], 8000)
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

    def configure(self, told, seq):
        """Settings changed: make their checksum anew, the same way the host does."""
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
        self.untold &= ~(1 << told)
        self.configured = not self.untold
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
        if not self.link.is_listened_to(now):
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
            silence if silence < 65535 else 65535, self.link.served, self.link.lost_reports,
        )  # fmt: skip
        self.slowest = 0
        self.link.send(STATE, self.state_buf, len(self.state_buf))
