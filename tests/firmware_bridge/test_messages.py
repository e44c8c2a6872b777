"""Message classes: bytes and back, bounds, and what is generated from them."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import generate
from firmware_bridge.errors import FieldError, FrameError
from firmware_bridge.faults import CATALOGUE
from firmware_bridge.framing import MAX_FRAME
from firmware_bridge.messages import (
    ANSWERS,
    COMMANDS,
    MAX_PAYLOAD,
    MESSAGES,
    OWN_REPORTS,
    Build,
    MoveCentre,
    Request,
    SetMachine,
)
from firmware_bridge.parts import Actuator, CentrePlace, Sensor
from firmware_bridge.release import ID_FILE, id_module
from firmware_bridge.simulator.cosim import ASK, TELL


def values_of(meta):
    """Any value a field may hold."""
    if meta.kind is not None:
        allowed = [n for n in meta.kind if meta.low <= n <= meta.high]
        one = st.sampled_from(allowed or [meta.kind(meta.low)])
    else:
        one = st.integers(meta.low, meta.high)
    return one if meta.count == 1 else st.tuples(*[one] * meta.count)


messages = st.sampled_from(MESSAGES).flatmap(
    lambda kind: st.builds(kind, **{name: values_of(meta) for name, meta in kind.wires})
)


@given(messages)
def test_a_message_and_its_bytes_undo_each_other(message):
    assert type(message).unpack(message.pack()) == message


@given(st.sampled_from(MESSAGES), st.binary(max_size=90))
def test_any_bytes_are_a_message_or_a_frame_error(kind, payload):
    try:
        message = kind.unpack(payload)
    except FrameError:
        return
    assert message.pack() == payload


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: MoveCentre(CentrePlace.UNKNOWN, 1000, 500), "MoveCentre.place is .*1 to 2"),
        (lambda: MoveCentre(CentrePlace.UP, 99, 500), "within_ms is 99; it must be 100 to 8000 ms"),
        (lambda: MoveCentre(CentrePlace.UP, 1000, 501), "lease_ms"),
        (lambda: Build(1, (17, 17, 17), (0,) * 4, 2, 500), "stacks takes 4 numbers, not 3"),
        (lambda: Build(0, (17,) * 4, (0,) * 4, 2, 500), "build is 0"),
        (lambda: SetMachine(0, 0, 0, 60, 120, 20, 18000), "sides is 0"),
        (lambda: MoveCentre(CentrePlace.UP, 1000.5, 500), "within_ms is 1000.5"),
    ],
)
def test_a_value_out_of_bounds_names_message_field_and_bounds(make, says):
    with pytest.raises(FieldError, match=says):
        make()


def test_opcodes_are_unique_and_directions_do_not_mix():
    opcodes = [kind.opcode for kind in MESSAGES]
    assert len(set(opcodes)) == len(opcodes)
    assert all(kind.opcode < 0x80 for kind in COMMANDS)
    assert all(0x80 <= kind.opcode < 0x90 for kind in OWN_REPORTS)
    assert all(0x90 <= kind.opcode < 0xA0 for kind in ANSWERS)


def test_every_message_fits_a_frame_and_says_what_it_is_for():
    for kind in MESSAGES:
        assert kind.layout.size + 2 <= MAX_PAYLOAD
        assert kind.__doc__ is not None
        assert kind.__doc__.strip().endswith(".")
        for name, meta in kind.wires:
            assert meta.about, f"{kind.__name__}.{name}"
            assert name.rsplit("_", 1)[-1] in ("ms", "s", "ma", "mv", "kb", "pct") or not meta.unit
    assert MAX_FRAME < 254


def test_every_request_names_an_answer_and_how_long_it_may_take():
    for kind in COMMANDS:
        if issubclass(kind, Request):
            assert kind.reply in ANSWERS
            assert kind.timeout_s > 0
            names = [name for name, _ in kind.wires]
            if kind.moves:
                assert "lease_ms" in names or "hold_ms" in names, kind.__name__


def test_the_firmwares_table_is_not_stale():
    assert generate.FIRMWARE_TABLE.read_text() == generate.firmware_table(), (
        "run `python -m firmware_bridge.generate`"
    )


def test_the_firmwares_id_is_not_stale():
    assert ID_FILE.read_text() == id_module(), "run `python -m firmware_bridge.generate`"


def test_the_document_is_not_stale():
    assert generate.DOCUMENT.read_text() == generate.document(), (
        "run `python -m firmware_bridge.generate`"
    )


def test_the_pin_table_is_not_stale():
    assert generate.PINS.read_text() == generate.pins(), "run `python -m firmware_bridge.generate`"


def test_the_simulated_pins_speak_the_same_layout_on_both_ends():
    source = (generate.FIRMWARE_TABLE.parent / "hal_sim.py").read_text()
    assert f'ASK = "{ASK.format}"' in source
    assert f'TELL = "{TELL.format}"' in source
    assert f"ACTUATORS = {len(Actuator)}" in source
    assert struct.calcsize(f"<{len(Actuator)}H") == 2 * len(Actuator)


def test_sensor_bits_fit_a_small_integer_of_the_board():
    assert max(Sensor) < 30  # MicroPython on 32 bits: no allocation up to 30 bits
    assert max(Actuator) < 30


def test_fault_codes_and_numbers_are_unique_and_speak():
    codes = [fault.code for fault in CATALOGUE]
    numbers = [fault.number for fault in CATALOGUE]
    assert len(set(codes)) == len(codes)
    assert len(set(numbers)) == len(numbers)
    assert 0 not in numbers
    assert max(numbers) < 256
    for fault in CATALOGUE:
        assert fault.cause.endswith(".")
        assert fault.hint.endswith(".")
        assert fault.cause != fault.hint


RESEARCHED = (
    "P01 P02 P03 P04 K01 K02 C01 C02 C03 C04 W01 W02 W03 W04 W05 W06 W07 H01 H02 H03 H04 H05"
    " D01 D02 D03 D04 D05 D06 T01 T02 T03 T04 T05 S01 S02 S03 S04 X01 X02 X03 X04 X05"
    " L01 L02 L03 L04 L05 L06"
)


def test_the_whole_catalogue_of_the_research_is_there():
    assert set(RESEARCHED.split()) <= {fault.code for fault in CATALOGUE}
