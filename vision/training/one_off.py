"""What each kind of change that training tiles go through brings: all of them, then all but one.

Every net begins from nothing, learns the same invented tiles for the same short while and reads
real tiles, none of which it was trained on. Short trainings say which change matters, not how good
the product's nets are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

from vision.training import classifier, crops, leave_out, pipeline
from vision.training.classifier import Pool
from vision.training.crops import Sample
from vision.training.looks import Strength
from vision.training.pipeline import Plan

STEPS, STYLES = 400, 80
KEEP_EVERY = 4  # of the boxed tiles of the photos, to measure on


@dataclass(frozen=True)
class Row:
    """How well real tiles are read by a net trained without one kind of change."""

    without: str
    right: dict[str, float]  # by style of photos, and of single tiles together

    def line(self, sources: Iterable[str]) -> str:
        """One row of the table."""
        return f"| {self.without} | {' | '.join(f'{self.right[name]:.2%}' for name in sources)} |"


def variants() -> dict[str, Strength]:
    """Everything, and everything but one."""
    whole = Strength()
    return {"nothing left out": whole} | {
        field.name: replace(whole, **{field.name: 0.0}) for field in fields(Strength)
    }


def run(plan: Plan, *, steps: int = STEPS, styles: int = STYLES) -> list[Row]:
    """Train and measure every variant."""
    pipeline.alone()
    pool = Pool.of(list(crops.invented(plan.seed, styles)), pipeline.SOURCES)
    held = held_out(plan.seed)
    rows = []
    for name, how in variants().items():
        net = classifier.train(pool, steps=steps, seed=plan.seed, how=how)
        right = {}
        for source, tiles in held.items():
            chances = leave_out.ask(net, tiles).chances
            right[source] = leave_out.counted(tiles, chances, range(len(tiles))).accuracy
        rows.append(Row(name, right))
        print(rows[-1].line(held), flush=True)
    return rows


def held_out(seed: int) -> dict[str, list[Sample]]:
    """Real tiles to measure on: the single ones, and some of those in photos by style."""
    held: dict[str, list[Sample]] = {"single tiles": list(crops.single_tiles(seed))}
    for number, tile in enumerate(crops.scene_tiles()):
        if number % KEEP_EVERY == 0:
            held.setdefault(tile.style, []).append(tile)
    return held


def print_table(rows: Sequence[Row]) -> None:
    """The table as Markdown."""
    sources = list(rows[0].right)
    print(f"\n| without | {' | '.join(sources)} |\n|{'---|' * (len(sources) + 1)}")
    for row in rows:
        print(row.line(sources))
