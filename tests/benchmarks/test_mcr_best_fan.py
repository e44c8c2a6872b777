"""MCR: hands counted a second, beside PyMahjongGB (C++) on the same hands in the same run.

What was tried, from 16 000 to about 35 000 unseen hands a second on one busy EPYC core:
- fans as an int multiset whose families add up, exclusions as masks, both remembered;
- suits, chows and pungs looked up by themselves: random hands share few whole readings, but nearly
  every suit, every four chows and every list of fans has been met after some ten thousand hands;
- waits found from the complete hand's suits instead of by trying 34 tiles;
- circumstances (last tile, ponds) looked at only once the hand is known to be complete.
A hand met for the first time by a cold process costs two to three times as much.
"""

from __future__ import annotations

from time import process_time

import pytest

from table_controller.rules.mcr.counting import best_count
from table_controller.rules.mcr.options import PRESETS
from tests.rules.mcr.generator import random_wins
from tests.rules.mcr.library import question

LIBRARY = PRESETS["library"]


def measure(hands: int, warm_hands: int) -> dict[str, float]:
    """Hands a second: cold, steady (unseen hands, warm process), seen again; and the library."""
    from MahjongGB import MahjongFanCalculator

    cold = list(random_wins(1, hands))
    warm = list(random_wins(2, warm_hands))
    unseen = list(random_wins(3, hands))

    def counted(cases: list) -> float:
        start = process_time()
        for case in cases:
            best_count(case, LIBRARY)
        return len(cases) / (process_time() - start)

    found = {"cold": counted(cold)}
    counted(warm)
    found["unseen"] = counted(unseen)
    found["seen"] = counted(unseen)
    asked = [question(case) for case in unseen]
    start = process_time()
    answers = [MahjongFanCalculator(*one) for one in asked]
    found["library"] = len(asked) / (process_time() - start)
    for case, answer in zip(unseen, answers, strict=True):
        ours = best_count(case, LIBRARY)
        assert ours is not None
        assert ours.value + len(case.bonus) == sum(worth for worth, _ in answer), case
    return found


@pytest.mark.long
def test_hands_counted_a_second(capsys):
    """The same totals on the same hands; the rates are printed, not judged."""
    found = measure(hands=5_000, warm_hands=30_000)
    with capsys.disabled():
        print()
        for name, rate in found.items():
            print(f"mcr best fan, {name}: {rate:,.0f} hands/s")
