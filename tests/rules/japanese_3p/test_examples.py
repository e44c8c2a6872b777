"""The worked examples of the specification, section 18, by their numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from table_controller.rules.core.case import Case, Evidence, Flag
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.japanese_3p import RULESET
from table_controller.rules.japanese_3p.hand import next_in_sequence, waits_of
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
    "riichi": Flag.READY,
    "double_riichi": Flag.DOUBLE_READY,
    "ippatsu": Flag.ONE_SHOT,
    "last_wall_tile": Flag.LAST_TILE,
    "last_discard": Flag.LAST_TILE,
    "replacement": Flag.REPLACEMENT,
    "first_draw": Flag.FIRST_TURN,
}
LETTER = {seat: letter for letter, seat in SEATS.items()}
REASONS = {"no yaku": "no_yaku", "atozuke-nashi": "atozuke"}


def case_of(example):
    context, win = example["context"], example["win"]
    hand, winning = split_hand(example["hand"], win["tile"])
    flags = {FLAGS[flag] for flag in example["flags"]}
    if win["by"] == "rob":
        flags.add(Flag.ROBBING_KONG)

    def dora(indicators):
        return tuple(
            next_in_sequence(tile, RULESET.options)
            for text in indicators
            for tile in tiles(str(text))
        )

    return Case(
        winner=SEATS[context["winner"]],
        source=SEATS[win["from"]] if "from" in win else None,
        hand=hand,
        winning_tile=winning,
        melds=tuple(meld(text) for text in example["melds"]),
        bonus=parse_tiles("4z") * example["north_set_aside"],
        round_wind=WINDS[context["prevailing"]],
        flags=frozenset(flags),
        dora=dora(example["indicators"]),
        ura=dora(example["ura_indicators"]),
        extra={key: context[key] for key in RULESET.extra_keys if key in context},
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_worked_example(example):
    expected = example["expect"]
    case = case_of(example)
    answer = RULESET.settle_win(case, RULESET.options)
    assert answer.valid is expected["legal"]
    if "waits_before_win" in expected:
        waits = {tile for text in expected["waits_before_win"] for tile in tiles(text)}
        assert waits_of(case.hand, case.melds) == waits
    if not answer.valid:
        assert [one.code for one in answer.violations] == [REASONS[expected["reason"]]]
        return
    items = {item.id: item.value for item in answer.items}
    if "yakuman_units" in expected:
        assert items == expected["yakuman_units"]
    else:
        assert items == {**expected["yaku"], **expected["bonus_han"]}
        assert answer.totals == {"han": expected["han"]}
    paid = {LETTER[seat]: 0 for seat in case.losers(3)}
    for payment in answer.payments:
        paid[LETTER[payment.payer]] += payment.points
    assert paid == expected["pays"]
    assert answer.deltas[case.winner] == expected["receives"]
    assert all(item.why.endswith(".") for item in answer.items)


def test_e20_with_its_orphan_in_the_pond_would_be_furiten():
    """The thirteen-sided wait of the example holds every orphan: section 7 bars the discard when
    the pond is shown, so the example stands only where the pond is not.
    """
    example = next(one for one in EXAMPLES if one["id"] == "JH-E20")
    case = replace(case_of(example), ponds={SEATS["S"]: parse_tiles("5p 9m")}, extra={})
    answer = RULESET.settle_win(case, RULESET.options)
    assert [one.code for one in answer.violations] == ["furiten"]
    assert answer.violations[0].evidence == (Evidence(SEATS["S"], 2, Tile.parse("9m")),)
    drawn = RULESET.settle_win(replace(case, source=None), RULESET.options)
    assert drawn.totals == {"yakuman": 1}


def test_no_example_is_missing():
    check_all_are_here(EXAMPLES, "japanese_3p.md", r"JH-E\d+b?")
