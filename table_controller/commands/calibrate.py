"""`mahjong-table calibrate`: measures this table, with pictures, into a versioned profile.

The profile is written only when every number keeps its limit, or with ``--anyway``; the one before
stays beside it as ``.bak``.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from calibration.lifts import StrokeRun, run_of
from calibration.profile import Profile, load_profile
from calibration.quality import CalibrationError
from calibration.readings import ENOUGH, LEAST, kept_readings, parse_readings, readings_path
from calibration.steps import (
    PRINTS,
    STEPS,
    Picture,
    Step,
    measure_camera,
    measure_confidence,
    measure_dome,
    measure_lifts,
    measure_table,
    measure_tiles,
)
from firmware_bridge.errors import BridgeError
from table_controller.calibrating import save_measured
from table_controller.commands import BadInputError, bad_input, print_json, say, write_picture
from table_controller.config import Config, ConfigError, load_config

if TYPE_CHECKING:
    from vision.frames import Frame

PATIENCE_S = 120.0  # without a new picture; somebody has to move the board or throw the dice
MOST_RUNS = 200  # an hour of strokes
CONNECT_S = 15.0  # how long the board may take to answer


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("pictures", nargs="*", type=Path, help="photos; without: the camera")
    parser.add_argument("--config", metavar="table.toml", help="which camera and board to use")
    parser.add_argument("--profile", type=Path, help="profile to improve (default: this table's)")
    parser.add_argument("--print", type=Path, metavar="OUT.pdf", help="the sheet for this step")
    parser.add_argument("--out", type=Path, metavar="OUT.png", help="the picture of its quality")
    parser.add_argument("--order", help="tiles: how they lie, row by row: '1m 2m ... 7z'")
    parser.add_argument("--second-order", help="tiles: how they lie in the second photo")
    parser.add_argument("--name", default="club", help="tiles: what the set is called")
    parser.add_argument(
        "--readings", type=Path, help="confidence: JSON lines (default: what the table collected)"
    )
    parser.add_argument("--dice", type=int, default=2, help="dome: how many dice")
    parser.add_argument("--runs", type=int, default=6, help="lifts: strokes of each motor")
    parser.add_argument("--anyway", action="store_true", help="save though a limit is not kept")
    parser.add_argument("--json", action="store_true")


def execute(args: argparse.Namespace) -> int:
    """Measure one step; 1 when a number does not keep its limit."""
    if args.print is not None:
        return _print(args)
    _check(args)
    with bad_input(
        CalibrationError, ConfigError, BridgeError, OSError, ValueError, where=args.step
    ):
        path = args.profile or load_config(args.config).profile_path()
        profile = load_profile(path) if path.exists() else Profile()
        step = _measure(args, profile, path)
    _show(args, step)
    if step.is_good or args.anyway:
        with bad_input(OSError):
            tile_set = b"" if step.tile_set is None else step.tile_set.saved()
            save_measured(path, step.profile, tile_set)
        if not args.json:
            say(f"saved: {path}")
    return int(not step.is_good)


def _check(args: argparse.Namespace) -> None:
    if not 1 <= args.dice <= 4:
        raise BadInputError(f"--dice {args.dice}: from 1 to 4")
    if not 1 <= args.runs <= MOST_RUNS:
        raise BadInputError(f"--runs {args.runs}: from 1 to {MOST_RUNS}")
    if Path(args.name).name != args.name:
        raise BadInputError(f"--name {args.name}: a part of a file's name, without /")
    if args.step == "tiles" and len(args.pictures) > 2:
        raise BadInputError(f"tiles takes one photo or two, not {len(args.pictures)}")


def _print(args: argparse.Namespace) -> int:
    if args.step not in PRINTS:
        raise BadInputError(f"{args.step} needs no sheet; {' and '.join(PRINTS)} do")
    try:
        args.print.write_bytes(PRINTS[args.step]())
    except OSError as error:
        raise BadInputError(f"cannot write {args.print}: {error.strerror}") from None
    say(f"{args.print}: print it at 100 %, and check the ruler on it")
    return 0


def _measure(args: argparse.Namespace, profile: Profile, path: Path) -> Step:
    at = datetime.now(UTC).isoformat(timespec="seconds")
    match args.step:
        case "camera":
            return measure_camera(profile, _pictures(args), at=at)
        case "table":
            return measure_table(profile, _pictures(args), at=at)
        case "dome":
            return measure_dome(profile, _pictures(args), at=at, dice=args.dice)
        case "tiles":
            return _tiles(args, profile, path, at)
        case "lifts":
            return _lifts(args, profile, at)
        case _:
            return _confidence(args, profile, path, at)


def _pictures(args: argparse.Namespace) -> list[Picture]:
    from vision.pictures import read_image

    if args.pictures:
        return [read_image(path) for path in args.pictures]
    camera = load_config(args.config).camera
    if camera.source == "sim://":
        raise CalibrationError("the camera is simulated: name a camera in --config, or photos")
    from vision.frames import frames, open_source

    size_px = (camera.width, camera.height)
    with open_source(camera.source, size_px=size_px, fps=camera.frames_per_s) as source:
        return collected(args.step, frames(source), quiet=args.json)


def collected(step: str, seen: Iterable[Frame], *, quiet: bool = False) -> list[Picture]:
    """The pictures of a live camera that count for this step; says what to do meanwhile."""
    from calibration.live import collector_for

    collector, said, taken_s = collector_for(step), "", 0.0
    for frame in seen:
        taken = len(collector.pictures)
        hint = collector.offer(frame.image)
        if hint != said and not quiet:
            say(hint)
        said = hint
        if collector.is_complete:
            break
        if len(collector.pictures) > taken or taken_s == 0.0:
            taken_s = frame.time_s
        if frame.time_s - taken_s > PATIENCE_S:
            raise CalibrationError(
                f"no further picture could be taken for {PATIENCE_S:g} s: {hint}"
            )
    if not collector.pictures:
        raise CalibrationError(f"the camera's pictures ended before one could be taken: {said}")
    return collector.pictures


def _tiles(args: argparse.Namespace, profile: Profile, path: Path, at: str) -> Step:
    from calibration.tiles import order_of
    from vision.read import Reader

    if args.order is None:
        raise CalibrationError("say how the tiles lie: --order '1m 2m 3m ... 7z'")
    return measure_tiles(
        profile,
        _pictures(args),
        order_of(args.order),
        Reader(),
        at=at,
        name=args.name,
        file=f"{path.stem}-{args.name}.npz",
        second_order=None if args.second_order is None else order_of(args.second_order),
    )


def _lifts(args: argparse.Namespace, profile: Profile, at: str) -> Step:

    config = load_config(args.config)
    if config.bridge.port == "sim://":
        raise CalibrationError("the board is simulated: name its port in --config")
    return measure_lifts(profile, asyncio.run(_strokes(config, args.runs)), at=at)


async def _strokes(config: Config, number: int) -> list[StrokeRun]:
    """Let centre and lifts make their strokes again and again; what each motor did."""
    from firmware_bridge.bridge import Bridge
    from firmware_bridge.settings import MachineSettings, unmeasured
    from table_controller.layout import machine_layout
    from table_controller.machine import Machine
    from table_controller.rules import find_ruleset

    ruleset = find_ruleset(config.game.ruleset)
    options = ruleset.choose(config.game.preset, **config.game.options)
    layout = machine_layout(ruleset, options, config.machine)
    say("Keep hands away: the centre and every lift will move. The rows must be empty.")
    port = config.bridge.port
    async with (
        asyncio.timeout(120 + 30 * number),
        Bridge(port) as bridge,
        Machine(bridge, MachineSettings(layout, unmeasured())) as machine,
    ):
        try:
            async with asyncio.timeout(CONNECT_S):
                await bridge.wait_connected()
        except TimeoutError:
            raise CalibrationError(
                f"no board answers at {port}: mahjong-table doctor --config FILE says what is wrong"
            ) from None
        await machine.confirm()
        wear = [each for _ in range(number) for each in await machine.exercise()]
    return [run_of(each) for each in wear]


def _confidence(args: argparse.Namespace, profile: Profile, path: Path, at: str) -> Step:
    if args.readings is not None:
        try:
            content = args.readings.read_bytes()
        except OSError as error:
            raise CalibrationError(f"{args.readings}: cannot be read: {error.strerror}") from None
        return measure_confidence(profile, parse_readings(content, str(args.readings)), at=at)
    own = readings_path(path)
    confirmed = parse_readings(kept_readings(own), str(own))
    if len(confirmed) < LEAST:
        raise CalibrationError(
            f"{len(confirmed)} confirmed readings in {own}, at least {LEAST} are needed and"
            f" {ENOUGH} are good: the running table adds a hundred or so after each deal; or give"
            ' --readings FILE: tiles as `read --json` prints them, each with its "truth"'
        )
    return measure_confidence(profile, confirmed, at=at)


def _show(args: argparse.Namespace, step: Step) -> None:
    if args.out is not None:
        write_picture(args.out, step.picture)
    if args.json:
        print_json(
            {
                "step": args.step,
                "good": step.is_good,
                "qualities": [msgspec.to_builtins(each) for each in step.qualities],
            }
        )
        return
    for quality in step.qualities:
        say(str(quality))
