"""`mahjong-table doctor`: checks the installation and says what to do."""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from calibration.profile import ProfileError, load_profile
from firmware_bridge.bridge import Bridge, LinkState
from firmware_bridge.release import firmware_id
from firmware_bridge.simulator.cosim import interpreter
from table_controller.commands import bad_input, print_json, say
from table_controller.config import Config, ConfigError, load_config, state_directory

LOWEST_FREE_MB = 500
ANSWER_S = 6.0  # the board is asked for 2.5 s before the bridge says that nobody answers
FIRST_SENSIBLE_YEAR = 2026


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked: fine, or what to do about it."""

    what: str
    fine: bool
    found: str
    advice: str = ""
    needed: bool = True  # else the table runs without it


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("--config", metavar="table.toml", help="check what these settings need")
    parser.add_argument("--json", action="store_true")


def execute(args: argparse.Namespace) -> int:
    """Check everything; 1 when something needed is missing."""
    with bad_input(ConfigError):
        config = load_config(args.config)
    findings = [finding for check in CHECKS for finding in check(config)]
    if args.json:
        print_json(
            {
                "checks": [
                    {
                        "what": each.what,
                        "fine": each.fine,
                        "found": each.found,
                        "advice": each.advice,
                        "needed": each.needed,
                    }
                    for each in findings
                ]
            }
        )
    else:
        for each in findings:
            mark = "ok  " if each.fine else "MISS" if each.needed else "note"
            say(f"{mark} {each.what}: {each.found}")
            if each.advice and not each.fine:
                say(f"       {each.advice}")
    return int(any(not each.fine and each.needed for each in findings))


def _python(config: Config) -> Iterator[Finding]:
    version = platform.python_version()
    yield Finding("Python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")
    is_64_bit = sys.maxsize > 2**32
    yield Finding(
        "64 bit",
        is_64_bit,
        platform.machine(),
        "use the 64-bit Raspberry Pi OS: ONNX Runtime has no 32-bit build",
    )


def _packages(config: Config) -> Iterator[Finding]:
    for module, package in (
        ("serial", "pyserial"),
        ("gpiozero", "gpiozero"),
        ("cv2", "opencv-python"),
        ("numpy", "numpy"),
        ("onnxruntime", "onnxruntime"),
        ("msgspec", "msgspec"),
        ("starlette", "starlette"),
        ("uvicorn", "uvicorn"),
        ("websockets", "websockets"),
    ):
        try:
            found = str(getattr(import_module(module), "__version__", "installed"))
        except ImportError as error:
            advice = f"pip install {package}"
            if "libGL" in str(error) or "libgthread" in str(error):
                advice = "apt-get install libgl1 libglib2.0-0"
            yield Finding(package, fine=False, found=str(error), advice=advice)
        else:
            yield Finding(package, fine=True, found=found)


def _model(config: Config) -> Iterator[Finding]:
    from vision.read import Reader

    try:
        Reader(threads=1)
    except (OSError, ValueError, RuntimeError) as error:
        yield Finding("tile model", fine=False, found=str(error), advice="install again")
    else:
        yield Finding("tile model", fine=True, found="opens")


def _firmware(config: Config) -> Iterator[Finding]:
    if config.bridge.port != "sim://":
        return
    program = interpreter()[0]
    yield Finding(
        "MicroPython for the simulated board",
        program != sys.executable,
        program if program != sys.executable else "not found: the firmware runs under Python",
        "pip install 'mahjong-table[sim]'",
        needed=False,
    )


def _port(config: Config) -> Iterator[Finding]:
    port = config.bridge.port
    if port == "sim://":
        yield Finding("motor board", fine=True, found="simulated")
        return
    there = Path(port).exists()
    usable = there and os.access(port, os.R_OK | os.W_OK)
    yield Finding(
        "motor board",
        usable,
        port if there else f"{port} is not there",
        "plug the board in; see /dev/serial/by-id; add the user to group dialout",
    )
    if usable:
        yield asyncio.run(_board(port))


async def _board(port: str) -> Finding:
    """Who answers at that port. It stands locked afterwards, as after every connection."""
    what = "motor board's firmware"
    async with Bridge(port) as bridge:
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_S):
                await bridge.wait_for(lambda b: b.connected or bool(b.problem))
        link, board, problem = bridge.link_state, bridge.board, bridge.problem
    if link is LinkState.NO_PORT:
        advice = "stop the daemon first: one program at a time talks to the board"
        return Finding(what, fine=False, found=problem, advice=advice)
    if board is None:
        found = problem or f"no answer within {ANSWER_S:g} s"
        return Finding(what, fine=False, found=found, advice="copy the firmware onto the board")
    if link is LinkState.WRONG_BOARD:
        advice = "copy this program's firmware_bridge/firmware onto the board"
        return Finding(what, fine=False, found=problem, advice=advice)
    version = ".".join(map(str, board.firmware))
    ours = board.build_id == firmware_id()
    found = f"{version}, {board.build_id:08x}" + (
        "" if ours else f" instead of {firmware_id():08x}"
    )
    advice = "its files differ from this program's: copy them again, or know why (X05)"
    return Finding(what, ours, found, advice, needed=False)


def _camera(config: Config) -> Iterator[Finding]:
    source = config.camera.source
    if source == "sim://":
        yield Finding("camera", fine=True, found="simulated")
        return
    if source.startswith("rpicam"):
        found = shutil.which("rpicam-vid")
        yield Finding(
            "camera", found is not None, found or "no rpicam-vid", "apt-get install rpicam-apps"
        )
        return
    path = Path(f"/dev/video{source}" if source.isdigit() else source)
    yield Finding(
        "camera", path.exists(), str(path), "plug the camera in; add the user to group video"
    )


def _calibration(config: Config) -> Iterator[Finding]:
    if config.camera.source == "sim://":
        return
    path = config.profile_path()
    advice = "mahjong-table calibrate camera, then table; or the staff screen's Calibration"
    if not path.exists():
        yield Finding("calibration", fine=False, found=f"{path} is not there", advice=advice)
        return
    try:
        profile = load_profile(path)
    except ProfileError as error:
        yield Finding("calibration", fine=False, found=str(error), advice=advice)
        return
    if profile.lens is None or profile.place is None:
        missing = "camera" if profile.lens is None else "table"
        yield Finding(
            "calibration", fine=False, found=f"{missing} was never measured", advice=advice
        )
        return
    set_px = (config.camera.width, config.camera.height)
    if profile.lens.size_px != set_px:
        found = f"measured at {profile.lens.size_px[0]} x {profile.lens.size_px[1]} pixels"
        advice = f"set [camera] width and height to that, or calibrate at {set_px[0]} x {set_px[1]}"
        yield Finding("calibration", fine=False, found=found, advice=advice)
        return
    poor = [str(quality) for quality in profile.qualities() if not quality.is_good]
    found = "; ".join(poor) or f"{path}: every number keeps its limit"
    yield Finding("calibration", not poor, found, "calibrate that step again", needed=False)


def _tile_set(config: Config) -> Iterator[Finding]:
    path = config.profile_path()
    if config.camera.source == "sim://" or not path.exists():
        return
    with suppress(ProfileError):  # what is wrong with it is said above
        tiles = load_profile(path).tiles
        if tiles is None:
            return
        from vision.classify import Classifier
        from vision.tileset import TileSet, TileSetError

        what, file = "tile set", path.parent / tiles.file
        try:
            TileSet.load(file).check(Classifier(threads=1))
        except TileSetError as error:
            advice = "until then tiles are read as those of any set"
            yield Finding(what, fine=False, found=str(error), advice=advice, needed=False)
        else:
            yield Finding(what, fine=True, found=str(file))


def _pins(config: Config) -> Iterator[Finding]:
    used = list(config.panels.pins())
    if not used or config.panels.chip == "mock":
        yield Finding("seat panels", fine=True, found="none on pins: keys are on the staff screen")
        return
    chips = sorted(Path("/dev").glob("gpiochip*"))
    usable = any(os.access(chip, os.R_OK | os.W_OK) for chip in chips)
    yield Finding(
        "seat panels",
        usable,
        f"{len(used)} pins, {len(chips)} chips",
        "add the user to group gpio; apt-get install python3-lgpio",
    )


def _clock(config: Config) -> Iterator[Finding]:
    year = time.gmtime().tm_year
    yield Finding(
        "clock",
        year >= FIRST_SENSIBLE_YEAR,
        time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
        "set the clock: the log writes down when things happened",
    )


def _disk(config: Config) -> Iterator[Finding]:
    folder = state_directory()
    existing = next(each for each in (folder, *folder.parents) if each.exists())
    free_mb = shutil.disk_usage(existing).free // 1_000_000
    yield Finding(
        "disk", free_mb >= LOWEST_FREE_MB, f"{free_mb} MB free at {existing}", "make room"
    )
    yield Finding(
        "state directory",
        os.access(existing, os.W_OK),
        str(folder),
        "make it writable: the event log lies there",
    )


def _voice(config: Config) -> Iterator[Finding]:
    found = shutil.which("espeak-ng")
    yield Finding(
        "voice",
        found is not None,
        found or "no espeak-ng",
        "apt-get install espeak-ng, or go on without a voice",
        needed=config.table.voice,
    )


CHECKS: tuple[Callable[[Config], Iterator[Finding]], ...] = (
    _python,
    _packages,
    _model,
    _firmware,
    _port,
    _camera,
    _calibration,
    _tile_set,
    _pins,
    _clock,
    _disk,
    _voice,
)
