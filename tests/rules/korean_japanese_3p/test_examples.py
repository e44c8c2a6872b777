"""The worked examples of the specification, section 22, by their numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.korean_japanese_3p import RULESET
from tests.rules.korean_japanese_3p.notation import (
    SEATS,
    WINDS,
    check_all_are_here,
    load_examples,
    meld,
    split_hand,
    tiles,
)

EXAMPLES = load_examples(Path(__file__).parent)
FLAGS = {
    "ready": Flag.READY,
    "last_wall_tile": Flag.LAST_TILE,
    "replacement": Flag.REPLACEMENT,
}
SWITCHES = {"on": True, "off": False}
LETTER = {seat: letter for letter, seat in SEATS.items()}


def options_of(example):
    named = example.get("options", {})
    return RULESET.choose(
        **{
            key: SWITCHES.get(value, value) if isinstance(value, str) else value
            for key, value in named.items()
        }
    )


def case_of(example):
    context, win = example["context"], example["win"]
    hand, winning = split_hand(example["hand"], win["tile"])
    flags = {FLAGS[flag] for flag in example["flags"]}
    if win["by"] == "rob":
        flags.add(Flag.ROBBING_KONG)
    extra = {"waiting": [SEATS[seat] for seat in example.get("waiting_payers", [])]}
    if "indicator" in context:
        (extra["indicator"],) = tiles(context["indicator"])
    return Case(
        winner=SEATS[context["winner"]],
        source=SEATS[win["from"]] if "from" in win else None,
        hand=hand,
        winning_tile=winning,
        melds=tuple(meld(text) for text in example["melds"]),
        bonus=tuple(tile for text in example["flowers"] for tile in tiles(text)),
        round_wind=WINDS[context["prevailing"]],
        flags=frozenset(flags),
        goulash=context["drawn_hands_before"],
        extra=extra,
    )


def items_of(answer, unit):
    return {item.id: item.value for item in answer.items if item.unit == unit}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_worked_example(example):
    expected = example["expect"]
    case = case_of(example)
    answer = RULESET.settle_win(case, options_of(example))
    assert answer.valid is expected["legal"]
    if "hand_points" in expected:
        assert items_of(answer, "hand_points") == expected["hand_points"]
        bonus = expected.get("bonus_points", expected.get("bonus_points_if_legal"))
        assert items_of(answer, "bonus_points") == bonus
    if not answer.valid:
        assert [violation.code for violation in answer.violations] == ["below_minimum"]
        return
    if "limit" in expected:
        limit = expected["limit"]
        assert [item.id for item in answer.items if item.unit == "limit"] == limit["hands"]
        assert answer.totals["limit"] == limit["value"]
    received = {LETTER[seat]: 0 for seat in case.losers(3)}
    for payment in answer.payments:
        assert payment.receiver == case.winner
        received[LETTER[payment.payer]] += payment.points
    assert received == expected["pays"]
    assert answer.deltas[case.winner] == expected["receives"]
    assert sum(answer.deltas) == 0


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_every_item_explains_itself(example):
    answer = RULESET.settle_win(case_of(example), options_of(example))
    for item in answer.items:
        assert item.why.endswith(".")
        assert len(item.why.split()) >= 4


def test_no_example_is_missing():
    check_all_are_here(EXAMPLES, "korean_japanese_3p.md", r"KJ-E\d+")
