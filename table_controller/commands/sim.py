"""`mahjong-table sim fault`: make something go wrong at a running simulated table."""

from __future__ import annotations

import argparse
import json
import math
import socket
from contextlib import suppress

from firmware_bridge.simulator import faults
from table_controller.commands import BadInputError, say
from table_controller.simulation.hands import console_path


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = faults.__doc__
    verbs = parser.add_subparsers(dest="what", required=True)
    fault = verbs.add_parser("fault", help="inject a fault, as: fault jam conveyor.south")
    fault.add_argument("verb")
    fault.add_argument("where", nargs="?")
    fault.add_argument("amount", nargs="?", type=float, default=1.0)
    fault.add_argument("--port", type=int, default=8080, help="of the table's screens (8080)")


def execute(args: argparse.Namespace) -> int:
    """Ask the running table."""
    where: str | None = args.where
    amount: float = args.amount
    if where is not None:
        with suppress(ValueError):
            amount, where = float(where), None  # a verb without a place
    if not (math.isfinite(amount) and amount >= 0):
        raise BadInputError(f"amount {amount}: a number that is not negative")
    path = console_path(args.port)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as console:
            console.settimeout(5)
            console.connect(str(path))
            asked = {"verb": args.verb, "where": where, "amount": amount}
            console.sendall(json.dumps(asked).encode() + b"\n")
            answer = json.loads(console.makefile().readline())
    except (OSError, ValueError) as error:  # no table, or one that ends just now
        why = error.strerror if isinstance(error, OSError) else "it hung up"
        raise BadInputError(
            f"no simulated table answers at {path} ({why}): start `mahjong-table simulate` first, "
            "and give its --port when it is not 8080"
        ) from None
    if "error" in answer:
        raise BadInputError(answer["error"])
    say(f"done: {args.verb} {where or ''}".rstrip())
    return 0
