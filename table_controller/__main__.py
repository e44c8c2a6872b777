"""The command `mahjong-table`: one subcommand for each thing it does.

Exit status 0 when all is well, 1 when something differs or failed, 2 for bad input, with one line
that says what and where.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from table_controller.commands import BadInputError, FailedError

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130

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
    _open_streams()
    command = ""
    try:
        options = _parser(arguments).parse_args(arguments)
        command = f" {options.command}"
        status = int(options.execute(options))
        sys.stdout.flush()
    except BadInputError as error:
        print(f"mahjong-table{command}: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except BrokenPipeError:  # whoever read the answer has seen enough
        _give_up_output()
        return 0
    except FailedError as error:
        print(f"mahjong-table{command}: {error}", file=sys.stderr)
        return EXIT_FAILED
    except OSError as error:  # a full disk, most often
        _give_up_output()
        print(f"mahjong-table{command}: {error}", file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return status


def _open_streams() -> None:
    """Streams that were closed are empty; what a locale cannot write is written as its code."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _give_up_output() -> None:
    """Nothing more can be written: leaving must not fail for what is still to be."""
    with suppress(OSError, ValueError):
        output = sys.stdout.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
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
    return parser


class _Parser(argparse.ArgumentParser):
    """Options may stand before, between and after the arguments; a mistake is one line."""

    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Argparse alone takes `calibrate tiles --order ... PHOTO` for a word too many."""
        if self._mixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mahjong-table")
    except PackageNotFoundError:
        return "from a checkout"


if __name__ == "__main__":
    sys.exit(main())
