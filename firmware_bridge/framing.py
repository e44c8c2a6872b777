"""Bytes <-> frames; opens nothing, waits for nothing.

A frame is `u8 type | u8 flags | u16 session | u16 seq | payload | u32 crc`, COBS-coded between two
zero bytes. The CRC-32 begins with the hash of the message table, so that two sides with different
tables cannot understand each other by accident; HELLO, its answer and STOP begin with zero.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from firmware_bridge.errors import FrameError
from firmware_bridge.messages import MAX_PAYLOAD, PLAIN, TABLE_HASH

HEADER = struct.Struct("<BBHH")
CHECK = struct.Struct("<I")
MAX_FRAME = HEADER.size + MAX_PAYLOAD + CHECK.size
MAX_CODED = MAX_FRAME + 1  # under 254 bytes COBS costs exactly one

REPEATED = 0x01  # flag: this frame was sent before
PLAIN_TYPES = frozenset(kind.opcode for kind in PLAIN)


@dataclass(frozen=True, slots=True)
class Frame:
    """One message on the wire, still as bytes."""

    type: int
    flags: int
    session: int
    seq: int
    payload: bytes = b""


def cobs_encode(raw: bytes) -> bytes:
    """The same bytes without zeros, one longer; for less than 254 bytes."""
    if len(raw) >= 254:
        raise FrameError(f"a frame of {len(raw)} bytes is too long; the limit is 253")
    coded = bytearray(len(raw) + 1)
    last = 0
    for at, byte in enumerate(raw, start=1):
        if byte:
            coded[at] = byte
        else:
            coded[last] = at - last
            last = at
    coded[last] = len(raw) + 1 - last
    return bytes(coded)


def cobs_decode(coded: bytes) -> bytes:
    """What `cobs_encode` was given; FrameError when it cannot be."""
    raw = bytearray()
    at = 0
    while at < len(coded):
        step = coded[at]
        if step == 0 or at + step > len(coded):
            raise FrameError("a COBS block points outside its frame")
        raw += coded[at + 1 : at + step]
        at += step
        if at < len(coded) and step < 255:
            raw.append(0)
    return bytes(raw)


def encode(frame: Frame, table_hash: int = TABLE_HASH) -> bytes:
    """The bytes of a frame with its delimiters; the leading zero ends a broken frame before it."""
    body = HEADER.pack(frame.type, frame.flags, frame.session, frame.seq) + frame.payload
    seed = 0 if frame.type in PLAIN_TYPES else table_hash
    return b"\0" + cobs_encode(body + CHECK.pack(binascii.crc32(body, seed))) + b"\0"


def decode(coded: bytes, table_hash: int = TABLE_HASH) -> Frame:
    """The frame between two delimiters; FrameError when its checksum does not hold."""
    raw = cobs_decode(coded)
    if len(raw) < HEADER.size + CHECK.size:
        raise FrameError(f"{len(raw)} bytes are too few for a frame")
    body, check = raw[: -CHECK.size], raw[-CHECK.size :]
    seed = 0 if body[0] in PLAIN_TYPES else table_hash
    if CHECK.unpack(check)[0] != binascii.crc32(body, seed):
        raise FrameError("the checksum does not hold")
    kind, flags, session, seq = HEADER.unpack_from(body)
    return Frame(kind, flags, session, seq, body[HEADER.size :])


class Decoder:
    """Collects bytes as they come and gives the frames in them; counts the others."""

    def __init__(self, table_hash: int = TABLE_HASH) -> None:
        self.bad_frames = 0
        self._table_hash = table_hash
        self._pending = bytearray()
        self._overrun = False

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Every whole frame, in order; anything damaged is counted, never guessed at."""
        *ended, rest = chunk.split(b"\0")
        for part in ended:
            self._collect(part)
            coded, overrun = bytes(self._pending), self._overrun
            self._pending.clear()
            self._overrun = False
            if overrun:
                self.bad_frames += 1
            elif coded:
                try:
                    frame = decode(coded, self._table_hash)
                except FrameError:
                    self.bad_frames += 1
                else:
                    yield frame
        self._collect(rest)

    def _collect(self, part: bytes) -> None:
        """Keep the bytes of an unfinished frame, within bounds."""
        if len(self._pending) + len(part) > MAX_CODED:
            self._overrun = True
            self._pending.clear()
        elif not self._overrun:
            self._pending += part
