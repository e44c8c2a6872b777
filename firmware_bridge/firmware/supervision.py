"""Stopping, and what is watched in every pass of the loop: power, host, edges, currents.

`step` allocates nothing unless something is wrong, so that no garbage collection falls into a
motion.
"""

import struct

import stroke
from build import DRUM_STOP_MS
from interlocks import ACTUATORS, FREE, HOST, SIDES, conditions, permitted
from refusals import LATCH_MS, NONE
from stroke import DIFF_MASK, since
from table_messages import *

MARGIN_MS = 20  # the loop's own time: motors are off within the lease, not after it
SUPPLY_MS = 60  # a dip shorter than this is ridden through
EDGE_MS = 200  # after a motor stopped its sensors may still change
MOVED_MS = 20  # a sensor must say so for this long before a part "moved by itself"
UNSTROKED = (A_RING, A_DICE)  # watched by their current alone

# A motor may run at half as much again as its usual current for ever, at three times that for 4 s:
# the square of the current, in percent, less that of 150 %, summed up over milliseconds.
HEAT_FREE = 225
HEAT_MOST = 2700000


class Supervision:
    """The part of the board that stops."""

    def stop_all(self):
        """Motors off; what was in motion is not known to be anywhere."""
        turning = self.driven | self.driven_back
        self.want = 0
        self.want_back = 0
        self.remember_plates()
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

    def remember_plates(self):
        """Which plates stand in the first third of their turn: the row is still below the deck.

        Those go home the way they came; later ones finish their turn.
        """
        for s in range(SIDES):
            a = A_LIFT_0 + s
            if (self.driven >> a) & 1 and self.motion & (MOTION_WALLS | MOTION_EJECT):
                gone = since(self.now, self.lift_strokes[s].began)
                early = gone * 3 < self.stroke_ms[a] and not (self.inputs >> (S_LIFT_TOP_0 + s)) & 1
                if early:
                    self.lift_back |= 1 << s

    def lose(self, actuator):
        self.known &= ~(1 << actuator)

    def incident(self, code, part, side, value):
        """Tell it; nothing stops."""
        struct.pack_into(
            LAYOUT[INCIDENT],
            self.answer_buf,
            0,
            code,
            FAULT_SEVERITY[code],
            part,
            side,
            value,
            self.now,
        )
        self.link.post(INCIDENT, self.answer_buf, struct.calcsize(LAYOUT[INCIDENT]))

    def fail(self, code, part, side, value):
        """Stop first, explain second. What comes while a fault is latched is told as well."""
        if self.mode == MODE_FAULT or self.mode == MODE_ESTOP:
            if code == self.fault or code in self.also:
                return
            if FAULT_SEVERITY[code] != SEVERITY_SAFETY or self.safety_latched():
                self.also.append(code)
                self.incident(code, part, side, value)
                return
        self.fault = code
        self.fault_side = side
        self.stop_all()
        self.set_mode(MODE_ESTOP if code == F_E01 else MODE_FAULT)
        self.incident(code, part, side, value)

    def fault_is_over(self):
        """A person looked at it; one of safety that came meanwhile is latched next."""
        self.fault = 0
        self.fault_side = NONE
        while self.also and not self.fault:
            code = self.also.pop(0)
            if FAULT_SEVERITY[code] == SEVERITY_SAFETY:
                self.fault = code
        if self.fault:
            self.set_mode(MODE_ESTOP if self.fault == F_E01 else MODE_FAULT)
        else:
            self.set_mode(MODE_LOCKED)

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
            coasts = since(now, self.stopped_at[A_DRUM]) <= DRUM_STOP_MS
            if not (self.inputs >> S_CENTRE_DOWN) & 1 and not coasts:
                self.drum_open += 1
        self.drum_still = (
            since(now, self.tacho_at) > 300 and not (self.driven | self.driven_back) & 3
        )
        if self.configured:
            self.watch_heat(since(now, self.heat_at))
        self.heat_at = now
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
                not self.drum_still,
                self.link.silence(self.now) < self.lease_ms,
                self.mode != MODE_FAULT and self.mode != MODE_ESTOP and self.mode != MODE_LOCKED,
                self.supply_good,
                self.is_jogged(),
            )
            if self.reverse_until >= 0:  # short, and away from what was pinched
                bits |= FREE | HOST
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

    def is_jogged(self):
        """Whether one motor turns because a person holds its key in service mode."""
        return self.mode == MODE_SERVICE and self.motion == MOTION_JOG

    def watch_power(self):
        inputs = self.inputs
        if not (inputs >> S_ESTOP_OK) & 1:
            if not inputs:
                self.known = 0  # the chain of sensors is not read: no part can be said to move
            if self.mode != MODE_ESTOP:
                self.fail(F_E01, NONE, NONE, 0)
            return
        if not (inputs >> S_LID_CLOSED) & 1 and self.motion and not self.is_jogged():
            self.fail(F_E02, NONE, NONE, 0)
            return
        if self.hal.supply >= self.supply_low_mv:
            self.supply_since = -1
            self.supply_good = True
        elif self.supply_since < 0:
            self.supply_since = self.now
        elif since(self.now, self.supply_since) >= SUPPLY_MS and self.supply_good:
            self.supply_good = False
            if self.mode == MODE_ESTOP or self.safety_latched():
                return
            self.known = 0
            if (inputs >> S_LID_CLOSED) & 1:
                dead = self.hal.supply < 3000
                self.fail(F_P05 if dead else F_P02, NONE, NONE, self.hal.supply)
            elif self.mode != MODE_FAULT:  # the lid's own contact cut it: nothing is broken
                self.stop_all()
                self.set_mode(MODE_LOCKED)

    def watch_host(self):
        silence = self.link.silence(self.now)
        if self.motion and silence + MARGIN_MS >= self.lease_ms:
            self.fail(F_L02, NONE, NONE, silence)
        elif silence >= SILENCE_MS and (self.mode == MODE_IDLE or self.mode == MODE_SERVICE):
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
                self.lift_back |= 1 << s
                self.fail(F_W06, A_LIFT_0 + s, s, 0)
                return
        resting = (self.known >> A_CENTRE) & 1 and not (turning >> A_CENTRE) & 1
        resting = resting and since(now, self.stopped_at[A_CENTRE]) > EDGE_MS
        moved = resting and not self.inputs & ((1 << S_CENTRE_UP) | (1 << S_CENTRE_DOWN))
        if self.held(SIDES, moved):
            self.known &= ~(1 << A_CENTRE)
            self.fail(F_C06, A_CENTRE, NONE, 0)
            return
        if self.held(SIDES + 1, self.centre_is_doubtful()):
            self.known &= ~(1 << A_CENTRE)
            if self.fault != F_C04:
                self.fail(F_C04, A_CENTRE, NONE, 0)
            return
        if self.drum_open:
            if (self.inputs >> S_CENTRE_DOWN) & 1 or since(now, self.tacho_at) > 1000:
                self.drum_open = 0
            elif self.drum_open >= 2:
                self.fail(F_C03, A_DRUM, NONE, self.drum_open)
        if changed and since(now, self.noise_at) > 0:
            self.watch_noise(changed, turning)

    def centre_is_doubtful(self):
        """Both ends of its stroke are seen at once: one of the switches is stuck."""
        both = (1 << S_CENTRE_UP) | (1 << S_CENTRE_DOWN)
        return self.inputs & both == both

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

    def watch_heat(self, ms):
        """A load that blocks nothing burns a motor all the same: sum up the square of its current."""
        for a in range(ACTUATORS):
            pct = self.current[a] * 100 // self.running_ma[a]
            if pct > 1000:
                pct = 1000
            heat = self.heat[a] + (pct * pct // 100 - HEAT_FREE) * ms
            self.heat[a] = heat if heat > 0 else 0
            if heat > HEAT_MOST:
                self.heat[a] = 0
                self.overheated(a)

    def overheated(self, a):
        self.over_since[a] = -1
        self.hot_again = self.cooling_for(LATCH_MS)  # the second time in ten minutes stays
        self.hot_at[a] = self.now
        self.fail(F_P03, a, NONE, self.current[a])
