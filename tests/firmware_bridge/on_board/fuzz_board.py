# ruff: noqa: UP031 - runs under MicroPython
"""Runs under MicroPython: feeds frames from stdin to the board's decoder and reports.

Input: one record a frame, `u8 length | bytes`. Output, when the input ends: frames accepted, frames
refused, and how much memory was used before and after.
"""

import gc
import sys

from frames import Receiver

source = sys.stdin.buffer
receiver = Receiver()
accepted = 0
size = bytearray(1)
chunk = bytearray(255)
view = memoryview(chunk)
gc.collect()
before = gc.mem_alloc()
while source.readinto(size):
    source.readinto(view[: size[0]])
    for i in range(size[0]):
        if receiver.feed(chunk[i]) >= 0:
            accepted += 1
gc.collect()
sys.stdout.write("%d %d %d %d\n" % (accepted, receiver.bad, before, gc.mem_alloc()))
