"""`mahjong-table score`: one hand from the command line, or cases from a file, one a line."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from table_controller.cards import CardFileError, options_with_card
from table_controller.commands import BadInputError, bad_input, print_json, say
from table_controller.json_text import JsonTextError, parse_json
from table_controller.rules import RULESET_NAMES, find_ruleset
from table_controller.rules.core.errors import RulesError
from table_controller.score import answer_case


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "hand", nargs="?", help="concealed tiles and the winning one: '123m 456p 789s 11z + 1z'"
    )
    parser.add_argument("--case", metavar="FILE|-", help="score cases as JSON, one object a line")
    parser.add_argument("--json", action="store_true", help="answers as JSON, one a line")
    parser.add_argument("--ruleset", default="riichi_4p", help=", ".join(RULESET_NAMES))
    parser.add_argument("--preset", help="named options of the ruleset")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="one option"
    )
    parser.add_argument("--card", metavar="FILE", help="American: another than the practice card")
    parser.add_argument(
        "--meld",
        action="append",
        default=[],
        metavar="KIND:TILES[:FROM]",
        help="as pung:555z:3 or concealed_kong:1111p",
    )
    parser.add_argument("--winner", type=int, default=0, help="seat 0-3 (default 0)")
    parser.add_argument("--from", dest="source", type=int, help="the discarder; without: self-draw")
    parser.add_argument("--dealer", type=int, default=0, help="seat of the dealer (default 0)")
    parser.add_argument("--round-wind", default="E", choices=list("ESWN"))
    parser.add_argument("--flags", default="", help="ready,one_shot,last_tile ...")
    parser.add_argument("--bonus", default="", help="flowers and seasons, as 1f 2g")
    parser.add_argument("--dora", default="", help="tiles that score")
    parser.add_argument("--dora-indicators", default="")
    parser.add_argument("--ura", default="")
    parser.add_argument("--ura-indicators", default="")
    parser.add_argument("--counters", type=int, default=0)
    parser.add_argument("--deposits", type=int, default=0)
    parser.add_argument("--pond", action="append", default=[], metavar="SEAT:TILES")


def execute(args: argparse.Namespace) -> int:
    """Score what was given; 1 when a win may not stand."""
    if (args.case is None) == (args.hand is None):
        raise BadInputError("give a hand, or cases with --case FILE")
    status = 0
    cases = list(_cases(args))
    if not cases:
        name = "standard input" if args.case == "-" else args.case
        raise BadInputError(f"{name}: the list holds no case")
    for where, case in cases:
        with bad_input(RulesError, where=where):
            answer = answer_case(case)
        if args.json:
            print_json(answer)
        else:
            _explain(answer)
        status = status or int(not answer["valid"])
    return status


def _cases(args: argparse.Namespace) -> Iterator[tuple[str, object]]:
    if args.case is None:
        yield "hand", _case_of(args)
        return
    if args.case == "-":
        name = "standard input"
        try:
            text = sys.stdin.read()
        except UnicodeDecodeError:
            raise BadInputError(f"{name}: it is not UTF-8 text") from None
    else:
        name = args.case
        try:
            text = Path(args.case).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise BadInputError(f"cannot read {args.case}: {reason}") from None
    yield from cases_in(text.removeprefix("\ufeff"), name)


def cases_in(text: str, name: str) -> Iterator[tuple[str, object]]:
    """The cases of a text: one JSON object, a JSON list of them, or one object a line."""
    try:
        whole = parse_json(text)
    except JsonTextError as error:
        lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) < 2 or not lines[0][1].rstrip().endswith("}"):
            raise BadInputError(f"{name}: {error}") from None
        for number, line in lines:
            with bad_input(JsonTextError, where=name):
                case = parse_json(line, first_line=number)
            yield f"{name}: line {number}", case
        return
    if isinstance(whole, list):
        for number, case in enumerate(whole, 1):
            yield f"{name}: case {number}", case
    else:
        yield name, whole


def _case_of(args: argparse.Namespace) -> dict[str, Any]:
    concealed, plus, winning = args.hand.partition("+")
    if not plus:
        raise BadInputError("hand: put the winning tile behind a plus: '123m 456p 789s 11z + 1z'")
    options: dict[str, Any] = {} if args.preset is None else {"preset": args.preset}
    for text in args.option:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadInputError(f"--option {text}: write NAME=VALUE")
        try:
            options[name] = json.loads(value)
        except json.JSONDecodeError:
            options[name] = value
    if args.card is not None:
        plain = find_ruleset("american").options
        with bad_input(CardFileError, RulesError):
            options["card"] = options_with_card(plain, Path(args.card)).card
    case: dict[str, Any] = {
        "ruleset": args.ruleset,
        "options": options,
        "hand": concealed.strip(),
        "winning_tile": winning.strip(),
        "melds": [_meld(text) for text in args.meld],
        "winner": args.winner,
        "from": args.source,
        "dealer": args.dealer,
        "round_wind": args.round_wind,
        "flags": [flag for flag in args.flags.replace(",", " ").split() if flag],
        "ponds": dict(_pond(text) for text in args.pond),
    }
    for key in ("bonus", "dora", "dora_indicators", "ura", "ura_indicators"):
        case[key] = getattr(args, key)
    case["counters"], case["deposits"] = args.counters, args.deposits
    return case


def _meld(text: str) -> dict[str, Any]:
    kind, _, rest = text.partition(":")
    tiles, _, source = rest.partition(":")
    if not tiles or (source and not source.isdigit()):
        raise BadInputError(f"--meld {text}: write KIND:TILES or KIND:TILES:FROM")
    return {"kind": kind, "tiles": tiles, "from": int(source) if source else None}


def _pond(text: str) -> tuple[str, str]:
    seat, colon, tiles = text.partition(":")
    if not colon:
        raise BadInputError(f"--pond {text}: write SEAT:TILES")
    return seat, tiles


def _explain(answer: dict[str, Any]) -> None:
    for note in answer.get("notes", ()):
        say(note)
    for breach in answer["violations"]:
        say(f"{breach['code']}: {breach['text']}")
    for item in answer["items"]:
        same = item["native"].casefold() == item["name"].casefold()
        name = item["name"] if same else f"{item['name']} {item['native']}".strip()
        say(f"{item['value']:>6} {item['unit']:<6} {name}: {item['why']}")
    if answer["totals"]:
        say(", ".join(f"{key} {value}" for key, value in answer["totals"].items()))
    for payment in answer["payments"]:
        say(
            f"{_who(payment['from'])} pays {_who(payment['to'])} "
            f"{payment['points']} ({payment['reason']})"
        )
    if answer["deltas"]:
        say("change: " + "  ".join(f"{delta:+d}" for delta in answer["deltas"]))


def _who(seat: int | None) -> str:
    return "the table" if seat is None else f"seat {seat}"
