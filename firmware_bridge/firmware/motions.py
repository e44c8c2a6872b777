"""How the mechanisms move: centre, wall plates, dice, jog, homing; builds are in build.py."""

import struct

import stroke
from interlocks import SIDES
from refusals import NONE
from stroke import DIFF_MASK, since
from table_messages import *

DICE_REST_MS = 700
DICE_LONG_MS = 5000
REVERSE_MS = 200  # 10 mm at 50 mm/s

HOME_CENTRE = 1
HOME_LIFTS = 2
HOME_HEADS = 3


class Motions:
    """The part of the board that moves."""

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
            self.rising[s] = self.builder.tiles[s]
            if (sides >> s) & 1:
                home = S_LIFT_HOME_0 + s
                self.begin_stroke(self.lift_strokes[s], A_LIFT_0 + s, home, home, within_ms)

    def plate_is_home(self, s):
        """A plate finished its turn, or went back: where is the row now?"""
        self.known |= 1 << (A_LIFT_0 + s)
        if not (self.lift_back >> s) & 1:
            self.builder.tiles[s] = 0
        self.lift_back &= ~(1 << s)

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
                if (self.lift_back >> s) & 1:
                    self.want_back |= 1 << (A_LIFT_0 + s)
                else:
                    self.want |= 1 << (A_LIFT_0 + s)
            elif ended == stroke.ARRIVED:
                if not self.motion & MOTION_HOMING:
                    self.wear(A_LIFT_0 + s, watched)
                if (
                    self.lift_kind == LIFTS_TWO_STOP
                    and watched.expect
                    and not (self.lift_top >> s) & 1
                ):
                    self.fail(F_W03, A_LIFT_0 + s, s, watched.took)
                    return False
                self.plate_is_home(s)
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
                self.fail(
                    code, A_LIFT_0 + s, s, watched.peak if ended == stroke.BLOCKED else watched.took
                )
                return False
        return running

    def step_lifts(self):
        if self.lifts_running() or not self.motion & (MOTION_WALLS | MOTION_EJECT):
            return
        buf = self.answer_buf
        builder = self.builder
        if self.eject:
            self.end(MOTION_EJECT)
            if not builder.full_sides():
                builder.forget()
            self.short_answer(self.lift_seq, ROWS_EJECTED, self.lift_sides)
            return
        self.end(MOTION_WALLS)
        struct.pack_into(
            "<HH4B4H", buf, 0, self.lift_seq, builder.build,
            self.stacks_risen(0), self.stacks_risen(1), self.stacks_risen(2), self.stacks_risen(3),
            self.lift_took(0), self.lift_took(1), self.lift_took(2), self.lift_took(3),
        )  # fmt: skip
        builder.forget()
        self.link.answer(self.lift_seq, WALLS_RAISED, buf, 16)

    def stacks_risen(self, s):
        if not (self.lift_sides >> s) & 1:
            return 0
        return (self.rising[s] - self.builder.hands[s]) // self.builder.layers

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
                "<HH4H",
                buf,
                0,
                self.halt_seq,
                builder.build,
                tiles[0],
                tiles[1],
                tiles[2],
                tiles[3],
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
        changed = self.inputs ^ self.last_dice  # since the pass before
        self.last_dice = self.inputs
        if (changed >> S_DICE_SEEN) & 1:
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
            struct.pack_into(
                "<HH", self.answer_buf, 0, self.dice_seq, shaken if shaken < 65535 else 65535
            )
            self.link.answer(self.dice_seq, DICE_ROLLED, self.answer_buf, 4)

    def step_jog(self):
        now = self.now
        ma = self.current[self.jog_part]
        if since(now, self.jog_at) > stroke.INRUSH_MS and ma > self.jog_peak:
            self.jog_peak = ma
        left = (self.jog_until - now) & DIFF_MASK
        blocked = (
            ma >= self.limit_ma[self.jog_part] and since(now, self.jog_at) > 2 * stroke.INRUSH_MS
        )
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
            sides = self.side_mask | self.builder.full_sides()
            for s in range(SIDES):
                if not (sides >> s) & 1:
                    continue
                if (self.inputs >> (S_LIFT_HOME_0 + s)) & 1:
                    self.known |= 1 << (A_LIFT_0 + s)
                    self.lift_back &= ~(1 << s)
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
            struct.pack_into(
                "<HH", self.answer_buf, 0, self.home_seq, took if took < 65535 else 65535
            )
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
