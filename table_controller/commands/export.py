"""`mahjong-table export`: a game of the table's log, written for other tools."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from table_controller.commands import BadInputError, bad_input
from table_controller.config import ConfigError, load_config
from table_controller.records import RecordError
from table_controller.records.writing import ExportFormat, export
from table_controller.store import Store, StoreError, effective


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("game", help="the game's number in the log, or 'last'")
    parser.add_argument("--format", required=True, choices=[form.value for form in ExportFormat])
    parser.add_argument("--log", type=Path, help="the log file (default: this table's)")
    parser.add_argument("--config", metavar="table.toml", help="whose log, where it is not given")
    parser.add_argument("--out", type=Path, help="write here instead of to standard output")


def execute(args: argparse.Namespace) -> int:
    """Write one game."""
    with bad_input(ConfigError):
        path = args.log or load_config(args.config).log_path()
    if not path.exists():
        raise BadInputError(f"{path}: there is no log; name one with --log")
    with bad_input(StoreError, RecordError), Store(path, read_only=True) as store:
        games = [each.game for each in store.games()]
        if not games:
            raise BadInputError(f"{path} has no game yet")
        number = games[-1] if args.game == "last" else _number(args.game)
        if number not in games:
            known = ", ".join(map(str, games))
            raise BadInputError(f"{path} has no game {args.game}; it has {known}")
        events = [record.event for record in effective(store.events(number))]
        text = export(events, ExportFormat(args.format))
    if args.out is None:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
        return 0
    try:
        args.out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"cannot write {args.out}: {error.strerror}") from None
    return 0


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise BadInputError(f"game {text!r}: a number, or 'last'")
    return int(text)
