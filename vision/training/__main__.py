"""Trains both models, or measures them: python -m vision.training [--quick | --evaluate |
--leave-out STYLE... | --one-off]."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from vision.classify import MODELS


def main() -> int:
    """Parse the command line and do what it says."""
    parser = argparse.ArgumentParser(prog="python -m vision.training", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a minute that shows that all of it runs"
    )
    parser.add_argument("--out", type=Path, help="folder for the models (default: vision/models)")
    parser.add_argument("--work", type=Path, help="keep what lies between, to go on when stopped")
    parser.add_argument("--seed", type=int, help="another seed")
    parser.add_argument(
        "--without",
        nargs="*",
        default=[],
        metavar="STYLE",
        help="real styles to leave out of training, such as cam-A or hk-mixed",
    )
    parser.add_argument("--evaluate", action="store_true", help="measure the models, train nothing")
    parser.add_argument(
        "--leave-out",
        nargs="+",
        metavar="STYLE",
        help="measure these real styles or artworks by a net that saw none of them; all: every real"
        " style, in folds",
    )
    parser.add_argument(
        "--one-off", action="store_true", help="what each change of the training tiles brings"
    )
    given = parser.parse_args()
    if given.evaluate:
        from vision.training import report

        report.print_report(given.out or MODELS, without=given.without)
        return 0
    if given.quick and given.out is None:
        parser.error("--quick makes models that read nothing; give it a folder with --out")
    from vision.training import pipeline

    plan = pipeline.QUICK if given.quick else pipeline.FULL
    plan = replace(
        plan, seed=plan.seed if given.seed is None else given.seed, without=tuple(given.without)
    )
    if given.one_off:
        from vision.training import one_off

        one_off.print_table(one_off.run(plan))
        return 0
    if given.leave_out:
        from vision.training import leave_out

        if given.work is None:
            parser.error("--leave-out needs a folder for its nets: --work FOLDER")
        try:
            leave_out.print_left_out(plan, given.work, given.leave_out)
        except (ValueError, OSError) as problem:
            parser.error(str(problem))
        return 0
    pipeline.run(plan, given.out or MODELS, given.work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
