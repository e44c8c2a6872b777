"""Frames on the wire: coding, checksums, and the same bytes in every chunking."""

from __future__ import annotations

import binascii
import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import FrameError
from firmware_bridge.framing import (
    MAX_CODED,
    Decoder,
    Frame,
    cobs_decode,
    cobs_encode,
    decode,
    encode,
)
from firmware_bridge.messages import Echo, Heartbeat, Hello, Stop

payloads = st.binary(max_size=200)
frames = st.builds(
    Frame,
    st.sampled_from([0x10, 0x16, 0x85, 0x01, 0x03]),
    st.integers(0, 255),
    st.integers(0, 0xFFFF),
    st.integers(0, 0xFFFF),
    payloads,
)


@pytest.mark.parametrize(
    ("raw", "coded"),
    [  # the examples of Cheshire and Baker, 1999
        ("00", "01 01"),
        ("00 00", "01 01 01"),
        ("11 22 00 33", "03 11 22 02 33"),
        ("11 22 33 44", "05 11 22 33 44"),
        ("11 00 00 00", "02 11 01 01 01"),
        ("", "01"),
    ],
)
def test_cobs_is_the_published_one(raw, coded):
    assert cobs_encode(bytes.fromhex(raw)) == bytes.fromhex(coded)
    assert cobs_decode(bytes.fromhex(coded)) == bytes.fromhex(raw)


@given(st.binary(max_size=253))
def test_cobs_undoes_itself_costs_one_byte_and_has_no_zero(raw):
    coded = cobs_encode(raw)
    assert len(coded) == len(raw) + 1
    assert 0 not in coded
    assert cobs_decode(coded) == raw


def test_too_long_for_one_cobs_block_is_refused():
    with pytest.raises(FrameError, match="253"):
        cobs_encode(bytes(254))


@given(st.binary(max_size=60))
def test_cobs_of_any_bytes_decodes_or_is_refused(coded):
    try:
        raw = cobs_decode(coded)
    except FrameError:
        return
    assert len(raw) <= len(coded)


@given(st.lists(frames, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_frames_arrive_whole_however_the_bytes_are_cut(sent, chance):
    wire = b"".join(encode(frame) for frame in sent)
    decoder = Decoder()
    got = []
    at = 0
    while at < len(wire):
        step = chance.randint(1, 40)
        got += decoder.feed(wire[at : at + step])
        at += step
    assert got == sent
    assert decoder.bad_frames == 0


def test_every_single_bit_flip_is_found():
    wire = encode(Frame(Echo.opcode, 0, 0x1234, 7, Echo(0xDEADBEEF).pack()))
    for bit in range(8, 8 * (len(wire) - 1)):
        damaged = bytearray(wire)
        damaged[bit // 8] ^= 1 << bit % 8
        assert not list(Decoder().feed(bytes(damaged)))


def test_another_message_table_is_not_understood_but_hello_and_stop_are():
    heartbeat = Frame(Heartbeat.opcode, 0, 1, 2)
    hello = Frame(Hello.opcode, 0, 1, 2, Hello(1, 0, 1, 0).pack())
    stop = Frame(Stop.opcode, 0, 1, 2, Stop(0).pack())
    decoder = Decoder(table_hash=0x12345678)
    assert list(decoder.feed(encode(heartbeat))) == []
    assert decoder.bad_frames == 1
    assert list(decoder.feed(encode(hello) + encode(stop))) == [hello, stop]


def test_the_checksum_is_plain_zlib_seeded_with_the_table():
    raw = cobs_decode(encode(Frame(0x16, 0, 1, 2, b"abcd"), table_hash=99)[1:-1])
    assert binascii.crc32(raw[:-4], 99) == int.from_bytes(raw[-4:], "little")


def test_a_broken_frame_costs_itself_and_not_the_next():
    good = Frame(0x16, 0, 1, 2, b"abcd")
    decoder = Decoder()
    assert list(decoder.feed(b"\x05garbage" + encode(good))) == [good]
    assert decoder.bad_frames == 1


def test_endless_noise_without_a_zero_is_bounded():
    decoder = Decoder()
    for _ in range(1000):
        assert list(decoder.feed(b"\x55" * 997)) == []
        assert len(decoder._pending) <= MAX_CODED
    good = Frame(0x16, 0, 1, 2, b"abcd")
    assert list(decoder.feed(encode(good))) == [good]
    assert decoder.bad_frames == 1


def test_a_short_frame_with_a_right_checksum_is_no_frame():
    body = b"\x16\x00"
    coded = cobs_encode(body + binascii.crc32(body, 0x16).to_bytes(4, "little"))
    with pytest.raises(FrameError, match="too few"):
        decode(coded)


@pytest.mark.parametrize("count", [20_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_random_and_mutated_bytes_are_never_taken_for_a_frame(count):
    """Nothing is accepted whose checksum no sender made; memory stays flat."""
    tracemalloc.start()
    try:
        fuzz_host(random.Random(2), 500)
        before, _ = tracemalloc.get_traced_memory()
        wrong = fuzz_host(random.Random(1), count)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert wrong == 0
    assert after - before < 20_000
    print(f"{count} frames: 0 accepted wrongly, {after - before} bytes more memory")


def fuzz_host(chance: random.Random, count: int) -> int:
    """Frames accepted although their checksum was not one that a sender made."""
    decoder = Decoder()
    wrong = 0
    base = [
        encode(Frame(kind, 0, 0x4242, number, chance.randbytes(chance.randrange(80))))
        for number, kind in enumerate([0x10, 0x16, 0x23, 0x81, 0x85, 0x01])
    ]
    for _ in range(count):
        sent = bytearray(chance.choice(base))
        original = bytes(sent)
        kind = chance.randrange(5)
        if kind == 0:
            sent = bytearray(chance.randbytes(chance.randrange(1, 240)))
        else:
            for _ in range(chance.randrange(1, 6)):
                at = chance.randrange(len(sent))
                match kind:
                    case 1:
                        sent[at] = chance.randrange(256)
                    case 2:
                        del sent[at]
                        sent = sent or bytearray(1)
                    case 3:
                        sent.insert(at, chance.randrange(256))
                    case _:
                        sent[at] ^= 1 << chance.randrange(8)
        for frame in decoder.feed(b"\0" + bytes(sent) + b"\0"):
            if bytes(sent).strip(b"\0") != original.strip(b"\0") and encode(frame) != original:
                wrong += 1
    return wrong
