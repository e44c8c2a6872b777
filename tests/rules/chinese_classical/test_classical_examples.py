"""The worked examples of the specification, by number."""

from __future__ import annotations

import pytest

from table_controller.rules.chinese_classical.options import DEFAULT
from table_controller.rules.chinese_classical.scoring import (
    HandValue,
    east_of,
    pays_for_all,
    settle,
    settle_win,
    value_of_loser,
    value_of_winner,
)
from table_controller.rules.core.settlement import totals
from tests.rules.chinese_classical.examples import EXAMPLES

LIMITED = [example for example in EXAMPLES if example.limits]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.number)
def test_a_worked_hand_scores_its_points_and_doublings(example):
    won = value_of_winner(example.case, DEFAULT)
    assert won is not None
    assert [one.value for one in won.limits] == sorted(
        example.limits.split(", ") if example.limits else [],
        key=lambda id: [one.value for one in DEFAULT.limit_hands].index(id),
    )
    counted = " ".join(
        sorted(f"{item.id}={item.value}" for item in won.items if item.unit != "limit")
    )
    assert counted == example.items or (example.number == "C35" and not example.items)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.number)
def test_a_worked_table_settles_as_it_must(example):
    case = example.case
    for loser, shown in case.others.items():
        assert shown.hand is not None
        assert value_of_loser(case, loser, DEFAULT).value == example.values[loser], loser
    answer = settle_win(case, DEFAULT)
    assert answer.valid
    if not any(example.values.values()) or case.others or pays_for_all(case, DEFAULT)[0]:
        assert answer.deltas == example.payments
        return
    # The losers' values are given, their tiles are not.
    won = value_of_winner(case, DEFAULT)
    assert won is not None
    values = {loser: HandValue(value) for loser, value in example.values.items()}
    paid = settle({**values, case.winner: won}, case.winner, east_of(case))
    assert totals(paid) == example.payments
