"""Shuffling and building: drum, ring, and for each side conveyor and head."""

import stroke
from interlocks import SIDES
from stroke import since
from table_messages import *

# What a side is doing.
DONE = 0
FEED = 1  # conveyor runs, waiting for a tile
SETTLE = 2  # tile seen, conveyor stopped
TURN = 3  # the head takes it
CLEAR = 4  # conveyor turned back
BROKEN = 5

SETTLE_MS = 30
CLEAR_MS = 300
STATIC_MS = 8000  # a conveyor runs so long without a tile while others get theirs:
STATIC_TILES = 12  # at least so many
DRUM_START_MS = 800
DRUM_DEAD_MS = 600
SPIKE_MS = 50
RUNOUT_MS = 2500  # after the last tile: does another one come?
DRUM_STOP_MS = 2000


class Side:
    """One side of the table while it is built."""

    def __init__(self, side):
        self.side = side
        self.state = DONE
        self.since = 0
        self.clears = 0
        self.turns_same = 0
        self.edges = 0
        self.saw_gap = False
        self.last_seen = 0
        self.others_at = 0
        self.stroke = stroke.Stroke()


class Builder:
    """The build as a whole. The board asks it for motors and passes it time and sensors."""

    def __init__(self, board):
        self.board = board
        self.sides = [Side(s) for s in range(SIDES)]
        self.build = 0
        self.tiles = [0] * SIDES
        self.wanted = [0] * SIDES
        self.hands = [0] * SIDES
        self.layers = 2
        self.family = FAMILY_FOUR_MOUTH  # as the build was begun
        self.verified = False
        self.doubtful = False
        self.active = False
        self.halting = False
        self.pending_turn = 0  # sides whose head stopped in mid-turn with a tile
        self.began = 0
        self.spent = 0
        self.progress_at = 0
        self.warned = False
        self.drum_state = 0  # 0 off, 1 running, 2 clearing, 3 run-out, 4 stopping
        self.drum_since = 0
        self.drum_clears = 0
        self.last_tacho = 0
        self.tacho_at = 0
        self.over_since = -1
        self.spikes = 0
        self.spike_at = 0
        self.broken_code = 0
        self.broken_side = 255
        self.total = 0
        self.chain = stroke.Stroke()
        self.chain_row = 0
        self.chain_moving = False
        self.chain_homing = False

    def forget(self):
        """The rows are empty."""
        self.build = 0
        self.verified = False
        self.doubtful = False
        self.pending_turn = 0
        self.spent = 0
        for s in range(SIDES):
            self.tiles[s] = 0
            self.wanted[s] = 0

    def start(self, now, build, stacks, hands, layers, family):
        """Begin, or go on with the same build."""
        if build != self.build:
            self.forget()
            self.build = build
            self.family = family
            self.layers = layers
        self.total = 0
        for s in range(SIDES):
            self.hands[s] = hands[s]
            self.wanted[s] = hands[s] + stacks[s] * layers
            self.total += self.wanted[s]
        self.active = True
        self.halting = False
        self.verified = False
        self.began = now
        self.progress_at = now
        self.warned = False
        self.broken_code = 0
        self.broken_side = 255
        self.drum_state = 1
        self.drum_since = now
        self.drum_clears = 0
        self.last_tacho = self.board.tacho
        self.tacho_at = now
        self.over_since = -1
        self.spikes = 0
        self.chain_moving = False
        self.chain_homing = False
        self.chain_row = 0
        if self.family == FAMILY_ONE_MOUTH:
            while (
                self.chain_row < SIDES - 1
                and self.tiles[self.chain_row] >= self.wanted[self.chain_row]
            ):
                self.chain_row += 1
        for side in self.sides:
            side.clears = 0
            side.turns_same = 0
            side.last_seen = now
            self.enter(side, FEED if self.open(side.side) else DONE, now)

    def open(self, s):
        """Whether that head still has tiles to stack."""
        if self.family == FAMILY_ONE_MOUTH:
            return s == 0 and self.tiles[self.chain_row] < self.wanted[self.chain_row]
        return self.tiles[s] < self.wanted[s]

    def full_sides(self):
        """The sides whose row holds tiles, one bit each."""
        sides = 0
        for s in range(SIDES):
            if self.tiles[s]:
                sides |= 1 << s
        return sides

    def row(self, s):
        """The row that the head of that side fills now."""
        return self.chain_row if self.family == FAMILY_ONE_MOUTH else s

    def enter(self, side, state, now):
        side.state = state
        side.since = now
        side.others_at = self.done()

    def stop(self):
        """Motors off from outside: remember which heads hold a tile."""
        if self.active:
            for side in self.sides:
                if side.state == TURN:
                    self.remember_turn(side)
            self.spent += since(self.board.now, self.began)
        self.active = False
        self.drum_state = 0

    def remember_turn(self, side):
        """A head stops in its turn: its tile counts once it is home, if the turn had begun."""
        home = (self.board.hal.inputs >> (S_CAM_HOME_0 + side.side)) & 1
        if side.stroke.left or not home or side.saw_gap:
            self.pending_turn |= 1 << side.side

    def counted(self, s, now):
        """A tile went into the row."""
        self.tiles[self.row(s)] += 1
        self.progress_at = now

    def finished_turn(self, s):
        """Homing completed a head's interrupted turn."""
        if (self.pending_turn >> s) & 1:
            self.pending_turn &= ~(1 << s)
            self.tiles[self.row(s)] += 1

    def step(self, now):
        """Advance every part; sets the board's wanted motors. True when the build ended."""
        board = self.board
        busy = False
        for side in self.sides:
            self.step_side(side, now)
            if side.state != DONE and side.state != BROKEN:
                busy = True
        if not self.active:
            return True
        if self.family == FAMILY_ONE_MOUTH and self.step_chain(now):
            busy = True
        if not self.active:
            return True
        self.step_drum(now)
        if not self.active:
            return True
        took = self.spent + since(now, self.began)
        if not self.warned and took > board.build_warn_s * 1000:
            self.warned = True
            board.incident(F_D02, A_DRUM, 255, took)
        if took > board.build_stop_s * 1000:
            board.fail(F_D07, A_DRUM, 255, took)
            return True
        if self.drum_state == 1 and busy and since(now, self.progress_at) > board.stall_s * 1000:
            self.stalled()
            return True
        if not busy and self.drum_state == 1:
            if self.broken_code or self.halting:
                self.drum_state = 4
            else:
                self.drum_state = 3
            self.drum_since = now
        if self.drum_state == 4 and board.drum_still:
            self.finish(now)
            return True
        return False

    def stalled(self):
        """No tile comes any more: say which sides are short, and by how much in all."""
        missing = 0
        short = 255
        sides = 0
        for s in range(SIDES):
            lacking = self.wanted[s] - self.tiles[s]
            if lacking > 0:
                missing += lacking
                sides += 1
                short = s
        if self.broken_code:
            self.board.fail(
                self.broken_code, A_CONVEYOR_0 + self.broken_side, self.broken_side, missing
            )
        elif sides == 1 and missing > 2:
            self.board.fail(F_T01, A_CONVEYOR_0 + short, short, missing)
        else:
            self.board.fail(F_D03, A_DRUM, short if sides == 1 else 255, missing)

    def finish(self, now):
        took = self.spent + since(now, self.began)
        self.active = False
        self.drum_state = 0
        self.spent = took
        self.board.build_ended(took, self.halting)

    def step_drum(self, now):
        board = self.board
        state = self.drum_state
        if state == 4:
            if since(now, self.drum_since) > DRUM_STOP_MS:
                board.fail(F_C03, A_DRUM, 255, board.tacho)
            return
        if state == 2:
            board.want_back |= 1 << A_DRUM
            if since(now, self.drum_since) >= CLEAR_MS:
                self.drum_state = 1
                self.drum_since = now
                self.tacho_at = now
                self.over_since = -1
            return
        board.want |= 3 << A_DRUM
        if board.tacho != self.last_tacho:
            self.last_tacho = board.tacho
            self.tacho_at = now
        running = since(now, self.drum_since)
        ma = board.current[A_DRUM]
        limit = board.limit_ma[A_DRUM]
        if running > stroke.INRUSH_MS:
            if ma >= limit:
                if self.over_since < 0:
                    self.over_since = now
            else:
                if self.over_since >= 0 and since(now, self.over_since) < SPIKE_MS:
                    self.spiked(now)
                    if not self.active:
                        return
                self.over_since = -1
        blocked = self.over_since >= 0 and since(now, self.over_since) >= SPIKE_MS
        dead = running > DRUM_START_MS and since(now, self.tacho_at) > DRUM_DEAD_MS
        if blocked or (dead and ma >= board.running_ma[A_DRUM]):
            if self.drum_clears >= 2:
                board.fail(F_D01, A_DRUM, 255, ma)
                return
            self.drum_clears += 1
            self.drum_state = 2
            self.drum_since = now
        elif dead:
            board.fail(F_D01, A_DRUM, 255, ma)
        elif state == 3 and since(now, self.drum_since) >= RUNOUT_MS:
            self.drum_state = 4
            self.drum_since = now
        elif state == 3:
            self.run_out()

    def run_out(self):
        """All rows are full: run the conveyors on to see whether a tile too many comes."""
        board = self.board
        for s in range(SIDES):
            if self.family == FAMILY_ONE_MOUTH and s:
                continue
            if self.wanted[s]:
                board.want |= 1 << (A_CONVEYOR_0 + s)
                if (board.inputs >> (S_TILE_0 + s)) & 1:
                    board.fail(F_T03, A_CONVEYOR_0 + s, s, self.total + 1)
                    return

    def spiked(self, now):
        if self.spikes and since(now, self.spike_at) > 5000:
            self.spikes = 0
        if not self.spikes:
            self.spike_at = now
        self.spikes += 1
        if self.spikes >= 3:
            self.board.fail(F_D05, A_DRUM, 255, self.spikes)

    def step_side(self, side, now):
        board = self.board
        s = side.side
        state = side.state
        if state == DONE or state == BROKEN:
            return
        seen = (board.inputs >> (S_TILE_0 + s)) & 1
        if state == FEED:
            if self.halting and not seen:
                self.enter(side, DONE, now)
            elif seen:
                self.enter(side, SETTLE, now)
            elif (
                since(now, side.since) > STATIC_MS and self.done() - side.others_at >= STATIC_TILES
            ):
                if side.clears:
                    self.broke(side, F_H01, A_CONVEYOR_0 + s, since(now, side.since))
                else:
                    side.clears += 1
                    self.enter(side, CLEAR, now)
            elif self.conveyor_blocked(s):
                if side.clears >= 2:
                    self.broke(side, F_H01, A_CONVEYOR_0 + s, board.current[A_CONVEYOR_0 + s])
                else:
                    side.clears += 1
                    self.enter(side, CLEAR, now)
            else:
                board.want |= 1 << (A_CONVEYOR_0 + s)
        elif state == SETTLE:
            if not seen:
                self.enter(side, FEED, now)
            elif since(now, side.since) >= SETTLE_MS:
                side.edges = 0
                side.saw_gap = False
                board.begin_stroke(
                    side.stroke, A_HEAD_0 + s, S_CAM_HOME_0 + s, S_CAM_HOME_0 + s, 8000
                )
                self.enter(side, TURN, now)
                board.want |= 1 << (A_HEAD_0 + s)
        elif state == TURN:
            if not seen:
                side.saw_gap = True
            elif side.saw_gap and side.edges == 0:
                side.edges = 1
            ended = side.stroke.step(now, board.inputs, board.current[A_HEAD_0 + s])
            if ended == stroke.RUNNING:
                board.want |= 1 << (A_HEAD_0 + s)
            elif ended == stroke.ARRIVED:
                board.wear(A_HEAD_0 + s, side.stroke)
                self.turned(side, seen, now)
            else:
                self.remember_turn(side)
                board.lose(A_HEAD_0 + s)
                self.broke(side, F_H02, A_HEAD_0 + s, side.stroke.peak)
        elif state == CLEAR:
            if since(now, side.since) >= CLEAR_MS:
                self.enter(side, FEED, now)
            else:
                board.want_back |= 1 << (A_CONVEYOR_0 + s)

    def turned(self, side, seen, now):
        """A head came home: what did the tile sensor say meanwhile?"""
        s = side.side
        if not side.saw_gap:
            side.turns_same += 1
            if side.turns_same >= 2:
                self.broke(side, F_H01, A_HEAD_0 + s, side.turns_same)
            else:
                self.enter(side, SETTLE, now)
            return
        side.turns_same = 0
        side.clears = 0
        if side.edges:  # a tile came while the conveyor stood: two went, or one came back
            self.doubtful = True
            self.board.incident(F_H03, A_HEAD_0 + s, s, self.tiles[self.row(s)])
            if seen:
                self.enter(side, SETTLE, now)
                return
        self.counted(s, now)
        if not self.open(s):
            self.enter(side, DONE, now)
        elif self.halting:
            self.enter(side, DONE, now)
        else:
            self.enter(side, SETTLE if seen else FEED, now)

    def done(self):
        """Tiles in all rows."""
        return self.tiles[0] + self.tiles[1] + self.tiles[2] + self.tiles[3]

    def conveyor_blocked(self, s):
        board = self.board
        a = A_CONVEYOR_0 + s
        if board.current[a] < board.limit_ma[a] or since(board.now, self.sides[s].since) < 250:
            board.conveyor_over[s] = -1
            return False
        if board.conveyor_over[s] < 0:
            board.conveyor_over[s] = board.now
        return since(board.now, board.conveyor_over[s]) >= stroke.BLOCKED_MS

    def broke(self, side, code, part, value):
        """That side stops; the others go on."""
        self.enter(side, BROKEN, self.board.now)
        if not self.broken_code:
            self.broken_code = code
            self.broken_side = side.side
        self.board.incident(code, part, side.side, value)

    def step_chain(self, now):
        """One mouth: carry the finished row on to its side. True while there is more to do."""
        board = self.board
        if self.chain_moving:
            ended = self.chain.step(now, board.inputs, board.current[A_CHAIN])
            if ended == stroke.RUNNING:
                board.want |= 1 << A_CHAIN
                return True
            self.chain_moving = False
            if ended != stroke.ARRIVED:
                board.lose(A_CHAIN)
                board.fail(
                    F_H04 if ended == stroke.BLOCKED else F_H05, A_CHAIN, 255, self.chain.took
                )
                return False
            board.wear(A_CHAIN, self.chain)
            self.progress_at = now
            if self.chain_row >= SIDES - 1:
                self.chain_homing = True
                return False
            self.chain_row += 1
            while self.chain_row < SIDES - 1 and not self.wanted[self.chain_row]:
                self.chain_row += 1
            if self.open(0):
                self.enter(self.sides[0], FEED, now)
            return True
        if self.sides[0].state != DONE or self.chain_homing or self.halting:
            return False
        last = True
        for row in range(self.chain_row + 1, SIDES):
            if self.wanted[row]:
                last = False
        mark = S_CHAIN_ZERO if last else S_CHAIN_CORNER
        if last:
            self.chain_row = SIDES - 1
        board.begin_stroke(self.chain, A_CHAIN, mark, mark, 8000)
        self.chain_moving = True
        board.want |= 1 << A_CHAIN
        return True
