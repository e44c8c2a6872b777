"""COBS frames with a seeded CRC-32, byte by byte and in place; see hardware_docs/protocol.md."""

import binascii
import struct

from table_messages import MAX_PAYLOAD, PLAIN, TABLE_HASH

HEADER = 6
MAX_FRAME = HEADER + MAX_PAYLOAD + 4
MAX_CODED = MAX_FRAME + 1


class Receiver:
    """Puts bytes together into frames; `raw` holds the last good one."""

    def __init__(self):
        self.coded = bytearray(MAX_CODED)
        self.raw = bytearray(MAX_CODED)
        self.view = memoryview(self.raw)
        self.filled = 0
        self.overrun = False
        self.bad = 0

    def feed(self, byte):
        """Length of the payload when this byte ended a good frame, else -1."""
        if byte:
            if self.filled >= MAX_CODED:
                self.overrun = True
            else:
                self.coded[self.filled] = byte
                self.filled += 1
            return -1
        size = self.filled
        overrun = self.overrun
        self.filled = 0
        self.overrun = False
        if overrun:
            self.bad = (self.bad + 1) & 0xFFFF
            return -1
        if not size:
            return -1
        length = self.unstuff(size)
        if length < HEADER + 4 or not self.checks(length):
            self.bad = (self.bad + 1) & 0xFFFF
            return -1
        return length - HEADER - 4

    def unstuff(self, size):
        """Undo COBS into `raw`; the length, or -1 when a block points outside."""
        coded = self.coded
        raw = self.raw
        at = 0
        out = 0
        while at < size:
            step = coded[at]
            end = at + step
            if end > size:
                return -1
            at += 1
            while at < end:
                raw[out] = coded[at]
                out += 1
                at += 1
            if at < size and step < 255:
                raw[out] = 0
                out += 1
        return out

    def checks(self, length):
        """Whether the checksum at the end of `raw` holds."""
        seed = 0 if self.raw[0] in PLAIN else TABLE_HASH
        given = struct.unpack_from("<I", self.raw, length - 4)[0]
        return binascii.crc32(self.view[: length - 4], seed) == given


class Sender:
    """Makes frames; `out` holds the coded bytes of the last one."""

    def __init__(self):
        self.raw = bytearray(MAX_FRAME)
        self.view = memoryview(self.raw)
        self.out = bytearray(MAX_CODED + 2)
        self.out_view = memoryview(self.out)

    def frame(self, kind, flags, session, seq, payload, size):
        """Code one frame into `out`; how many bytes it has."""
        raw = self.raw
        struct.pack_into("<BBHH", raw, 0, kind, flags, session, seq)
        for at in range(size):
            raw[HEADER + at] = payload[at]
        length = HEADER + size
        seed = 0 if kind in PLAIN else TABLE_HASH
        struct.pack_into("<I", raw, length, binascii.crc32(self.view[:length], seed))
        return self.stuff(length + 4)

    def stuff(self, length):
        raw = self.raw
        out = self.out
        out[0] = 0
        last = 1
        for at in range(length):
            byte = raw[at]
            if byte:
                out[at + 2] = byte
            else:
                out[last] = at + 2 - last
                last = at + 2
        out[last] = length + 2 - last
        out[length + 2] = 0
        return length + 3
