"""`mahjong-table replay`: recorded games judged again, by the rules alone or through pictures."""

from __future__ import annotations

import argparse
import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from table_controller.commands import BadInputError, bad_input, print_json, say
from table_controller.records import RecordedGame, RecordError
from table_controller.records.reading import read_games
from table_controller.simulation.compare import Comparison


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("logs", nargs="+", type=Path, metavar="LOG", help="files or folders")
    parser.add_argument("--json", action="store_true", help="one object a deal, then a summary")
    parser.add_argument(
        "--pixels", action="store_true", help="through wire, machine, renderer and vision"
    )
    parser.add_argument("--deals", type=int, metavar="N", help="stop after N deals")
    parser.add_argument(
        "--deal", type=int, metavar="N", help="only the deal N of each game, counted from 1"
    )


def execute(args: argparse.Namespace) -> int:
    """Replay; 1 when a deal differs."""
    if args.deals is not None and args.deals < 1:
        raise BadInputError(f"--deals {args.deals}: replay at least one")
    if args.deal is not None and args.deal < 1:
        raise BadInputError(f"--deal {args.deal}: deals are counted from 1")
    files = list(_files(args.logs))
    if not files:
        raise BadInputError(f"no recorded games in {', '.join(map(str, args.logs))}")
    if args.pixels:
        return _through_pixels(args, files)
    return _by_rules(args, files)


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(each for each in path.rglob("*") if each.is_file())
        else:
            yield path


def _by_rules(args: argparse.Namespace, files: list[Path]) -> int:
    from table_controller.replay import Summary, replay

    summary = Summary()
    refused: list[str] = []
    for path in files:
        try:
            for game in read_games(path):
                summary.games += 1
                for number, result in enumerate(replay(game), 1):
                    if args.deal not in (None, number):
                        continue
                    if args.deals is not None and summary.deals >= args.deals:
                        break
                    summary.add(result)
                    _show(args, result)
        except RecordError as error:
            refused.append(str(error))  # the other files are replayed all the same
    if refused and not summary.games:
        raise BadInputError("; ".join(refused))
    if args.json:
        print_json({"summary": summary.as_json()})
    else:
        say(str(summary))
    if refused:
        raise BadInputError("; ".join(refused))
    return int(summary.wrong > 0)


def _show(args: argparse.Namespace, result: Any) -> None:
    if args.json:
        print_json(result.as_json())
    elif not result.equal:
        say(f"{result.game} {result.deal}: DIFFERENT")
        for text in result.differences:
            say(f"    {text}")


def _through_pixels(args: argparse.Namespace, files: list[Path]) -> int:
    from table_controller.commands.simulate import report

    logging.basicConfig(level=logging.ERROR)
    found: list[Comparison] = []
    for path in files:
        with bad_input(RecordError):
            games = list(read_games(path))
        for game in games:
            left = None if args.deals is None else args.deals - len(found)
            if left is None or left > 0:
                found += asyncio.run(_one_game(args, game, left))
    report(args, found)
    return int(any(not each.equal and not each.flagged for each in found))


async def _one_game(
    args: argparse.Namespace, game: RecordedGame, most: int | None
) -> list[Comparison]:
    from table_controller.commands.simulate import replay_deal, show_deal
    from table_controller.rules import find_ruleset
    from table_controller.simulation.run import Simulation, running

    ruleset = find_ruleset(game.ruleset)
    options = ruleset.choose(game.preset, **game.options)
    found: list[Comparison] = []
    async with running(
        Simulation(ruleset, options, preset=game.preset, sets=("A",), names=game.names)
    ) as table:
        for number, recorded in enumerate(game.deals, 1):
            if most is not None and len(found) >= most:
                break
            if recorded.wall is None or args.deal not in (None, number):
                continue  # the record does not know every tile: there is nothing to draw
            found.append(await replay_deal(table, game, recorded))
            show_deal(args, found[-1])
    return found
