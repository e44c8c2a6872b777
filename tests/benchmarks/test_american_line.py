"""American: the best line of a seventy-line card. Times are printed, not judged.

Bits of the faces that an instance lacks throw out nearly all instances at once. Remembering the
card's instances by the card's hash took 1.2 ms a hand, keeping them on the card 0.05 ms (practice
card of 43 lines, one busy EPYC core).
"""

from __future__ import annotations

import pytest

from table_controller.bench import american, card_of_seventy_lines
from table_controller.rules.american.card import parse_card


def test_the_card_has_seventy_lines():
    assert len(parse_card(card_of_seventy_lines()).lines) == 70


@pytest.mark.long
def test_time_of_the_best_line(capsys):
    found = list(american(2000))
    assert {measurement.unit for measurement in found} == {"ms"}
    with capsys.disabled():
        print()
        for measurement in found:
            print(f"{measurement.name}: {measurement.value:.3f} {measurement.unit}")
