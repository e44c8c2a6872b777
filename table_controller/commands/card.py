"""`mahjong-table card`: check an American card file, explain a hand by it."""

from __future__ import annotations

import argparse
from pathlib import Path

from table_controller.cards import CardCheck, CardFileError, check_card, explain_hand
from table_controller.commands import BadInputError, bad_input, print_json, say
from table_controller.rules.core.errors import RulesError


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    verbs = parser.add_subparsers(dest="what", required=True)
    check = verbs.add_parser("check", help="read a card file critically")
    check.add_argument("file", type=Path)
    check.add_argument("--year", type=int)
    check.add_argument("--json", action="store_true")
    explain = verbs.add_parser("explain", help="which lines a hand fits, and what it waits for")
    explain.add_argument("hand", help="tiles; exposures in brackets, as '1122m (333p jk) ...'")
    explain.add_argument("--card", type=Path, help="another card than the practice card")
    explain.add_argument("--json", action="store_true")


def execute(args: argparse.Namespace) -> int:
    """Check a file (2 when it has errors), or explain a hand."""
    with bad_input(CardFileError, RulesError):
        if args.what == "check":
            checked = check_card(args.file, year=args.year)
            print_json(checked.to_json()) if args.json else say(checked.text())
            return 0 if checked.is_good else 2
        card = None
        if args.card is not None:
            read = check_card(args.card)
            if read.card is None:
                raise BadInputError(_refused(read))
            card = read.card
        explained = explain_hand(args.hand, card=card)
    print_json(explained.to_json()) if args.json else say(explained.text())
    return 0


def _refused(read: CardCheck) -> str:
    first, *more = read.problems
    rest = f"; {len(more)} more: mahjong-table card check {read.file}" if more else ""
    return f"{read.file}: line {first.place.line}, column {first.place.column}: {first.text}{rest}"
