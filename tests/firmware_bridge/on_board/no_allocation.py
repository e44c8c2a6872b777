# ruff: noqa: F403, F405, UP031, I001 - runs under MicroPython
"""Runs under MicroPython: a motion's passes with the heap locked, so that any allocation raises."""

import gc
import sys

import micropython

from board import Board
from table_messages import *


class Pins:
    """A hal that answers from memory."""

    def __init__(self):
        self.now = 1000
        self.inputs = 0
        for bit in (S_CENTRE_DOWN, S_LID_CLOSED, S_ESTOP_OK, S_CHAIN_ZERO):
            self.inputs |= 1 << bit
        for side in range(4):
            self.inputs |= 1 << (S_LIFT_HOME_0 + side) | 1 << (S_CAM_HOME_0 + side)
        self.tacho = 0
        self.supply = 24000
        self.current = [100] * 17
        self.wire = bytearray(16)
        self.wire_len = 0
        self.reset_cause = self.boot_id = self.board_id = 0

    def wait(self, ms):
        self.now += ms

    def write(self, data, size):
        pass

    def drive(self, forward, reverse):
        pass

    def enable(self, on):
        pass

    def slow(self, on):
        pass

    def feed(self):
        pass


def start(kind, args):
    """A request past the checksum, on a configured, unlocked and homed board."""
    pins = Pins()
    board = Board(pins, 0)
    board.link.begin(7)
    for part in range(17):
        board.do(SET_LIMITS, (part, 0, 125, 200, 400, 1200), 1)
    board.do(SET_MACHINE, (FAMILY_FOUR_MOUTH, 15, LIFTS_ONE_STOP, 60, 120, 20, 18000), 1)
    board.set_mode(MODE_IDLE)
    board.known = 0x3FFFFFFF
    board.now = pins.now
    board.link.heard_at = board.now
    board.step()
    reason = board.why_not(kind, args)
    assert not reason, reason
    board.do(kind, args, 5)
    return pins, board


def passes(name, pins, board, count, change):
    """Step with the heap locked; the mechanism is `change`."""
    gc.collect()
    for i in range(count):
        pins.now += 10
        board.now = pins.now
        board.link.heard_at = board.now
        change(pins, board, i)
        micropython.heap_lock()
        try:
            board.step()
        finally:
            micropython.heap_unlock()
        if not board.motion:
            break
    sys.stdout.write("%s: %d passes\n" % (name, i + 1))


def centre(pins, board, i):
    if i == 3:
        pins.inputs &= ~(1 << S_CENTRE_DOWN)


def plates(pins, board, i):
    if i == 3:
        for side in range(4):
            pins.inputs &= ~(1 << (S_LIFT_HOME_0 + side))
    for a in range(17):
        pins.current[a] = 450


def tiles(pins, board, i):
    pins.tacho = i
    for a in range(17):
        pins.current[a] = 300
    for side in range(4):
        phase = (i + side * 3) % 70
        if phase == 20:
            pins.inputs |= 1 << (S_TILE_0 + side)
        elif phase == 27:
            pins.inputs &= ~(1 << (S_TILE_0 + side)) & ~(1 << (S_CAM_HOME_0 + side))
        elif phase == 50:
            pins.inputs |= 1 << (S_CAM_HOME_0 + side)


def dice(pins, board, i):
    if i % 4 == 0:
        pins.inputs ^= 1 << S_DICE_SEEN


passes("centre", *start(MOVE_CENTRE, (PLACE_UP, 5000, 500)), 100, centre)
passes("build", *start(BUILD, (1, 17, 17, 17, 17, 0, 0, 0, 0, 2, 500)), 600, tiles)
pins, board = start(BUILD, (1, 17, 17, 17, 17, 0, 0, 0, 0, 2, 500))
board.builder.verified = True
board.builder.tiles = [34, 34, 34, 34]
board.motion = 0
board.set_mode(MODE_IDLE)
board.builder.active = False
board.do(RAISE_WALLS, (1, 0, 0, 0, 0, 5000, 500), 6)
passes("walls", pins, board, 150, plates)
passes("dice", *start(ROLL_DICE, (3000, 500)), 250, dice)
