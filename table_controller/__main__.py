"""The command `mahjong-table`: one subcommand for each thing it does.

Exit status 0 when all is well, 1 when something differs or failed, 2 for bad input, with one line
that says what and where.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from table_controller.commands import BadInputError

EXIT_BAD_INPUT = 2

COMMANDS = {
    "simulate": "the whole table, simulated: firmware, wire, mechanism, camera, rules, screens",
    "run": "the daemon on real hardware",
    "score": "score hands",
    "replay": "replay recorded games and compare every verdict and settlement with the record",
    "pin": "hash a staff PIN for table.toml",
    "read": "read the tiles in photos",
    "calibrate": "measure this table: camera, table, tiles, lifts, dome, confidence",
    "rulesets": "rulesets, presets and options",
    "export": "write a game for other tools",
    "doctor": "check the installation and say what to do",
    "bench": "the benchmarks, as a table",
    "card": "check and explain American card files",
    "sim": "ask a running simulated table for a fault",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(
        prog="mahjong-table", description="The open controller for automatic mahjong tables."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    # Only the command that was asked for is imported: the others may need what is not installed.
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    for name, help_text in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=help_text, description=help_text)
        if name == wanted:
            module = import_module(f"table_controller.commands.{name}")
            module.configure(subparser)
            subparser.set_defaults(execute=module.execute)
    options = parser.parse_args(arguments)
    try:
        return int(options.execute(options))
    except BadInputError as error:
        print(f"mahjong-table {options.command}: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mahjong-table")
    except PackageNotFoundError:
        return "from a checkout"


if __name__ == "__main__":
    sys.exit(main())
