"""One supervised movement: it leaves one sensor, reaches another, in its time, within its current."""

IDLE = 0
RUNNING = 1
ARRIVED = 2
NO_MOTION = 3  # did not leave, and the motor draws nothing or too much
STUCK = 4  # did not leave, but the motor runs freely: the switch is stuck
LATE = 5
BLOCKED = 6
SHORT = 7

INRUSH_MS = 150  # starting current is not looked at
LEAVE_MS = 300
BLOCKED_MS = 50
DIFF_MASK = 0x3FFFFFFF


def since(now, then):
    """Milliseconds from then to now, across the counter's end."""
    return (now - then) & DIFF_MASK


class Stroke:
    """Supervises; does not drive. Allocates nothing after it was made."""

    def __init__(self):
        self.state = IDLE
        self.began = 0
        self.over_since = -1
        self.peak = 0
        self.took = 0
        self.left = False
        self.leave = 0
        self.arrive = 0
        self.expect = 0
        self.latest = 0
        self.running_ma = 0
        self.limit_ma = 0

    def begin(self, now, leave, arrive, expect, latest, running_ma, limit_ma, left):
        """Start watching. `left` says that the part already stands off its first sensor."""
        self.state = RUNNING
        self.began = now
        self.over_since = -1
        self.peak = 0
        self.took = 0
        self.left = left
        self.leave = leave
        self.arrive = arrive
        self.expect = 0 if left else expect  # a stroke from somewhere may be short
        self.latest = latest
        self.running_ma = running_ma
        self.limit_ma = limit_ma

    def step(self, now, inputs, ma):
        """What has become of it."""
        if self.state != RUNNING:
            return self.state
        t = (now - self.began) & DIFF_MASK
        if t >= INRUSH_MS:
            if ma > self.peak:
                self.peak = ma
            if ma < self.limit_ma:
                self.over_since = -1
            elif self.over_since < 0:
                self.over_since = t
            elif t - self.over_since >= BLOCKED_MS:
                return self.end(BLOCKED, t)
        if not self.left:
            if not (inputs >> self.leave) & 1:
                self.left = True
            elif t >= LEAVE_MS:
                free = self.running_ma // 2 <= ma < self.limit_ma
                return self.end(STUCK if free else NO_MOTION, t)
        elif (inputs >> self.arrive) & 1:
            return self.end(SHORT if t * 2 < self.expect else ARRIVED, t)
        if t >= self.latest:
            return self.end(LATE, t)
        return RUNNING

    def end(self, state, t):
        self.state = state
        self.took = t
        return state
