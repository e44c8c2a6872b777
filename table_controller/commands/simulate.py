"""`mahjong-table simulate`: the whole table, simulated."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import webbrowser
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import msgspec

from calibration.readings import readings_path
from firmware_bridge.bridge import metrics
from table_controller.calibrating import Calibration
from table_controller.commands import BadInputError, FailedError, bad_input, print_json, say
from table_controller.config import SETS, Config, state_directory
from table_controller.confirming import Confirming
from table_controller.records import RecordedDeal, RecordedGame, RecordError
from table_controller.rules import RULESET_NAMES, find_ruleset
from table_controller.rules.core.errors import RulesError
from table_controller.rules.core.events import Doubted
from table_controller.rules.core.game import Deal, conclude
from table_controller.rules.core.state import DealState
from table_controller.score import parse_options
from table_controller.simulation.bots import bot
from table_controller.simulation.compare import (
    Comparison,
    compare,
    compare_with_truth,
    summary,
)
from table_controller.simulation.eyes import PixelEyes
from table_controller.simulation.hands import console_path
from table_controller.simulation.run import Running, Simulation, running
from table_controller.simulation.scripting import Script, differences
from table_controller.simulation.scripts import find_script
from table_controller.simulation.session import CameraMovedError
from table_controller.simulation.walls import NoWallsError
from table_controller.store import StoreError
from table_controller.voice import speak

logger = logging.getLogger(__name__)


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("--ruleset", default="riichi_4p", help=", ".join(RULESET_NAMES))
    parser.add_argument("--preset", help="named options of the ruleset")
    parser.add_argument("--replay", type=Path, metavar="LOG", help="play a recorded game")
    parser.add_argument("--script", help="a scripted deal, as furiten_win; a wrong name lists all")
    parser.add_argument("--deals", type=int, metavar="N", help="stop after N deals")
    parser.add_argument("--speed", default=None, metavar="X", help="times real time, or 'max'")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=8080, help="of the screens (default 8080)")
    parser.add_argument("--headless", action="store_true", help="without screens")
    parser.add_argument("--json", action="store_true", help="one object a deal, then a summary")
    parser.add_argument("--open", action="store_true", help="open the screen in a browser")
    parser.add_argument("--log", type=Path, help="keep the event log in this file")
    parser.add_argument(
        "--no-pixels", action="store_true", help="read tiles without drawing and reading pictures"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="say what happens")


def execute(args: argparse.Namespace) -> int:
    """Simulate until the match, the record or the number of deals is over."""
    return simulate(args, Config())


def simulate(args: argparse.Namespace, config: Config) -> int:
    """The same at the table that these settings describe: its name, language, rules and PIN."""
    logging.basicConfig(
        level=logging.INFO if args.verbose else logging.ERROR,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    if args.replay is not None and args.script is not None:
        raise BadInputError("--replay and --script: give one of them")
    if args.deals is not None and args.deals < 1:
        raise BadInputError(f"--deals {args.deals}: play at least one")
    if not 0 <= args.port <= 65535:
        raise BadInputError(f"--port {args.port}: a number from 0 (any that is free) to 65535")
    with bad_input(RulesError, RecordError):
        plan = _Plan(args, config)
    from table_controller.web.app import PortError

    with bad_input(RecordError, StoreError, PortError):
        try:
            return asyncio.run(_simulate(args, plan, config))
        except (NoWallsError, CameraMovedError) as error:
            raise FailedError(str(error)) from None


class _Plan:
    """What is to be played, checked before anything starts."""

    def __init__(self, args: argparse.Namespace, config: Config) -> None:
        self.games: Iterable[RecordedGame] = ()
        names = config.game.names
        self.script: Script | None = None
        if args.replay is not None:
            from table_controller.records.reading import read_games

            games = read_games(args.replay)
            first = next(games, None)
            if first is None:
                raise BadInputError(f"{args.replay}: holds no game")
            self.games = chain([first], games)
            names = first.names
            self.ruleset = find_ruleset(first.ruleset)
            self.preset: str | None = first.preset
            self.options = self.ruleset.choose(first.preset, **first.options)
        elif args.script is not None:
            self.script = find_script(args.script)
            self.ruleset, self.options = self.script.ruleset, self.script.options
            self.preset = None
        else:
            self.ruleset = find_ruleset(args.ruleset)
            self.preset = args.preset
            given = dict(config.game.options)
            if args.preset is not None:
                given["preset"] = args.preset
            self.options = parse_options(self.ruleset, given)
        if self.ruleset.play is None:
            raise BadInputError(f"{self.ruleset.name} can be scored, not played at the table yet")
        self.speed = _speed(args)
        self.simulation = Simulation(
            self.ruleset,
            self.options,
            preset=self.preset,
            seed=args.seed,
            speed=self.speed,
            log=args.log,
            pixels=not args.no_pixels,
            machine=config.machine,
            sets=SETS[config.machine.sets if args.replay is None and self.script is None else 1],
            names=names,
            console=None if args.headless else console_path(args.port),
        )


def _speed(args: argparse.Namespace) -> float | Literal["max"]:
    if args.speed is None:
        return "max" if args.headless else 1.0
    if args.speed == "max":
        return "max"
    try:
        speed = float(args.speed)
    except ValueError:
        speed = 0.0
    if not 0.05 <= speed <= 1000:
        raise BadInputError(f"--speed {args.speed}: a number from 0.05 to 1000, or max")
    return speed


async def _simulate(args: argparse.Namespace, plan: _Plan, config: Config) -> int:
    async with AsyncExitStack() as stack:
        table = await stack.enter_async_context(running(plan.simulation))
        if not args.headless:
            await stack.enter_async_context(_screens(args, table, config))
            voice = speak(table.table, config.table, config.game.announce)
            stack.push_async_callback(_cancel, asyncio.create_task(voice))
            if isinstance(table.session.eyes, PixelEyes):  # the others read nothing, they know
                confirming = Confirming(
                    table.table, table.conductor, readings_path(_profile_path())
                )
                stack.push_async_callback(_cancel, asyncio.create_task(confirming.run()))
        if args.replay is not None:
            found = await _replay(args, table, plan.games)
        elif plan.script is not None:
            found = await _script(args, table, plan.script)
        else:
            found = await _bots(args, table)
        if not args.headless and (args.replay is not None or plan.script):
            say("The last deal stays on the screen; end with Ctrl-C.")
            await asyncio.Event().wait()
    report(args, found)
    return int(any(not each.equal for each in found))


def _profile_path() -> Path:
    return state_directory() / "simulated-profile.json"


def _screens(args: argparse.Namespace, table: Running, config: Config) -> Any:
    """Serve the screens beside the game."""
    from table_controller.web.app import Site
    from table_controller.web.background import serving

    def started(port: int) -> None:
        address = f"http://localhost:{port}"
        say(f"The table's screen: {address}")
        if args.open:
            webbrowser.open(address)

    eyes = table.session.eyes
    calibration = Calibration(
        _profile_path(),
        lambda: eyes.process if isinstance(eyes, PixelEyes) else None,
        table.machine,
    )
    site = Site(
        table.table,
        msgspec.structs.replace(config.web, port=args.port),
        name=config.table.name,
        language=config.table.language,
        announce=config.game.announce,
        machine=table.machine,
        calibration=calibration,
        gauges=lambda: {**metrics(table.bridge.statistics), **table.machine.metrics()},
    )
    return serving(site, started=started)


async def _bots(args: argparse.Namespace, table: Running) -> list[Comparison]:
    found: list[Comparison] = []
    simulation = table.simulation
    plan = simulation.ruleset.player
    choose = bot(table.rng) if plan is None else plan(simulation.options)
    game = 1
    while args.deals is None or len(found) < args.deals:
        if table.conductor.is_over:
            if args.headless and args.deals is None:
                break
            await table.rest()
            table.new_game()
            game += 1
        deal = await table.session.play(choose)
        found.append(_against_truth(f"game {game}", table, deal))
        show_deal(args, found[-1])
        await table.rest()
        if not args.headless and args.deals is None:
            del found[:-1000]
    return found


async def _script(args: argparse.Namespace, table: Running, script: Script) -> list[Comparison]:
    deal = await table.session.perform(script)
    history = table.table.history
    place = f"{deal.state.round_wind.name.title()} {deal.state.dealer + 1}"
    doubts = tuple(event.question for event in history if isinstance(event, Doubted))
    found = [
        Comparison(
            game=script.title,
            deal=place,
            differences=differences(script, history),
            doubts=() if script.asks is not None else doubts,
        )
    ]
    show_deal(args, found[0])
    return found


async def _replay(
    args: argparse.Namespace, table: Running, games: Iterable[RecordedGame]
) -> list[Comparison]:
    """Every deal whose tiles the record knows; the others leave nothing to draw."""
    found: list[Comparison] = []
    left_out = 0
    for game in games:
        for recorded in game.deals:
            if recorded.wall is None:
                left_out += 1
                continue
            if args.deals is not None and len(found) >= args.deals:
                return found
            found.append(await replay_deal(table, game, recorded))
            show_deal(args, found[-1])
            await table.rest()
    if left_out:
        text = f"{left_out} deals left out: the record does not know all their tiles"
        if not found:
            raise BadInputError(f"{args.replay}: {text}; `replay` judges what it does know")
        logger.error("%s", text)
    return found


async def replay_deal(table: Running, game: RecordedGame, recorded: RecordedDeal) -> Comparison:
    """One recorded deal at the simulated table, compared with the record."""
    before = len(table.table.log)
    await table.session.replay(recorded)
    asked = sum(isinstance(record.event, Doubted) for record in table.table.log[before:])
    return compare(game.name, table.table.history, recorded, asked=asked)


def _against_truth(game: str, table: Running, deal: Deal) -> Comparison:
    state: DealState = deal.state
    settled = conclude(state, deal.history, table.conductor.play, table.conductor.options)
    place = f"{state.round_wind.name.title()} {state.dealer + 1}"
    return compare_with_truth(game, place, table.table.history, [*deal.history, *settled])


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def show_deal(args: argparse.Namespace, found: Comparison) -> None:
    """Print how one deal compares."""
    if args.json:
        print_json(
            {
                "game": found.game,
                "deal": found.deal,
                "equal": found.equal,
                "flagged": found.flagged,
                "differences": list(found.differences),
                "doubts": list(found.doubts),
                "asked": found.asked,
            }
        )
    elif getattr(args, "headless", True):
        verdict = "equal" if found.equal else "DIFFERENT"
        say(f"{found.game} {found.deal}: {verdict}{', flagged' if found.flagged else ''}")
        for text in (*found.differences, *found.doubts):
            say(f"    {text}")


def report(args: argparse.Namespace, found: list[Comparison]) -> None:
    """Print the counts over all deals."""
    totals = asdict(summary(found))
    if args.json:
        print_json({"summary": totals})
    else:
        say(", ".join(f"{value} {key}" for key, value in totals.items()))
