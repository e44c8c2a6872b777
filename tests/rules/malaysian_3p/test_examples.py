"""The worked examples of the specification, section 13, by their numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.tiles import JOKER
from table_controller.rules.malaysian_3p import RULESET
from table_controller.rules.malaysian_3p.losers import compare_losers
from tests.rules.korean_japanese_3p.notation import (
    SEATS,
    check_all_are_here,
    load_examples,
    meld,
    split_hand,
    tiles,
)

EXAMPLES = load_examples(Path(__file__).parent)
FLAGS = {
    "replacement": Flag.REPLACEMENT,
    "first_tile": Flag.FIRST_TURN,
    "last_tile": Flag.LAST_TILE,
}
LETTER = {seat: letter for letter, seat in SEATS.items()}


def all_tiles(texts):
    return tuple(tile for text in texts for tile in tiles(text))


def shown(given, flies=0):
    """What a loser shows: bonus tiles, honour pungs laid down, flies in the hand."""
    return ShownHand(
        hand=(JOKER,) * flies if flies else None,
        melds=tuple(Meld(MeldKind.PUNG, tiles(text) * 3) for text in given.get("honour_pungs", [])),
        bonus=all_tiles(given.get("bonus_tiles", [])),
    )


def case_of(example):
    context, win = example["context"], example["win"]
    hand, winning = split_hand(example["hand"], win["tile"])
    flags = {FLAGS[flag] for flag in example["flags"] if flag in FLAGS}
    if win["by"] == "rob":
        flags.add(Flag.ROBBING_KONG)
    losers = example.get("losers", {})
    flies = example.get("flies_of_losers", {})
    extra = {}
    if "replacement_after_two_kongs" in example["flags"]:
        extra["replacement_after_two_kongs"] = True
    if "pao" in context:
        extra["pao"] = SEATS[context["pao"]]
    return Case(
        winner=SEATS[context["winner"]],
        source=SEATS[win["from"]] if "from" in win else None,
        hand=hand,
        winning_tile=winning,
        melds=tuple(meld(text) for text in example["melds"]),
        bonus=all_tiles(example["bonus_tiles"]),
        flags=frozenset(flags),
        others={
            SEATS[seat]: shown(losers.get(seat, {}), flies.get(seat, 0))
            for seat in {*losers, *flies}
        },
        extra=extra,
    )


def points(payments, reasons):
    return [
        {"from": LETTER[one.payer], "to": LETTER[one.receiver], "points": one.points}
        for one in payments
        if one.reason in reasons
    ]


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_worked_example(example):
    expected = example["expect"]
    case = case_of(example)
    answer = RULESET.settle_win(case, RULESET.options)
    assert answer.valid is expected["legal"]
    counted = {item.id: item.value for item in answer.items if item.unit == "fan"}
    if "fan" in expected:
        assert counted == expected["fan"]
    if not answer.valid:
        assert [one.code for one in answer.violations] == ["below_minimum"]
        return
    if "ten_fan" in expected:
        assert list(counted) == expected["ten_fan"]
    assert answer.totals == {"fan": expected["total_fan"], "hand_value": expected["hand_value"]}
    hand = {LETTER[seat]: 0 for seat in case.losers(3)}
    for payment in answer.payments:
        if payment.reason not in ("flies", "losers compared"):
            hand[LETTER[payment.payer]] += payment.points
    assert hand == expected["hand_payments"]
    flies = points(answer.payments, ["flies"])
    key = lambda one: (one["to"], one["from"])  # noqa: E731
    assert sorted(flies, key=key) == sorted(expected.get("fly_payments", []), key=key)
    if "loser_fan" in expected:
        compared = compare_losers(case, RULESET.options)
        assert {LETTER[one.seat]: one.fan for one in compared.losers} == expected["loser_fan"]
    losers = points(answer.payments, ["losers compared"])
    wanted = expected.get("loser_payment", "none")
    assert losers == ([] if wanted == "none" else [wanted])
    net = {LETTER[seat]: change for seat, change in enumerate(answer.deltas)}
    assert net == expected["net"]
    assert sum(answer.deltas) == 0
    assert all(item.why.endswith(".") for item in answer.items)


@pytest.mark.parametrize("id", ["MY-E19", "MY-E20"])
def test_pao_is_read_off_the_melds(id):
    example = next(one for one in EXAMPLES if one["id"] == id)
    case = case_of(example)
    told = RULESET.settle_win(case, RULESET.options)
    read = RULESET.settle_win(replace(case, extra={}), RULESET.options)
    assert read == told


def test_no_example_is_missing():
    check_all_are_here(EXAMPLES, "malaysian_3p.md", r"MY-E\d+")
