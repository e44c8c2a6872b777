"""`mahjong-table bench`: what this machine can do, beside peers where they are installed."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from table_controller.commands import print_json, say


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")


def execute(args: argparse.Namespace) -> int:
    """Measure and print."""
    from table_controller.bench import measure_all

    results = []
    for measured in measure_all(quick=args.quick):
        results.append(measured)
        if not args.json:
            beside = ""
            if measured.ratio is not None:
                beside = f"   {measured.ratio:.1f} times {measured.peer}"
            say(f"{measured.name:<34} {measured.value:>12,.1f} {measured.unit:<8}{beside}")
    if args.json:
        print_json({"results": [asdict(each) for each in results]})
    return 0
