"""The worked examples of the specification, by number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.game import DealOutcome
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.hong_kong_old import RULESET
from table_controller.rules.hong_kong_old.options import DEFAULT, PRESETS
from table_controller.rules.hong_kong_old.play import first_deal, next_deal
from table_controller.rules.hong_kong_old.scoring import base_payment, settle, settle_win
from tests.rules.hong_kong_old.examples import EXAMPLES, seat


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.number)
def test_a_worked_hand_scores_and_pays_what_it_must(example):
    options = PRESETS[example.preset]
    answer = settle_win(example.case, options)
    if example.payments is None:
        assert not answer.valid
        (breach,) = answer.violations
        assert breach.code == "below_minimum"
        assert f"has {example.fan[0]} fan" in breach.text
        return
    assert answer.valid
    assert answer.deltas == example.payments
    if example.fan is None:
        assert [item.id for item in answer.items] == example.items.split(", ")
        assert answer.totals["limit_points"] == example.base
        return
    assert " ".join(sorted(f"{item.id}={item.value}" for item in answer.items)) == example.items
    assert (answer.totals["minimum_fan"], answer.totals["fan"]) == example.fan
    assert answer.totals["base_points"] == example.base


@pytest.mark.parametrize(
    ("number", "fan", "base", "winner", "source", "paid"),
    [
        ("H01", 3, 1, "W", None, (-4, -2, 8, -2)),
        ("H02", 5, 2, "N", "S", (-4, -4, -2, 10)),
        ("H03", 10, 8, "E", "W", (64, -16, -32, -16)),
    ],
)
def test_payments_of_the_source(number, fan, base, winner, source, paid):
    assert base_payment(fan, PRESETS["text_scale"]) == base
    payer = None if source is None else seat(source)
    assert totals(settle(base, seat(winner), payer, seat("E"))) == paid


EIGHT = parse_tiles("1234f 1234g")


@pytest.mark.parametrize("set_aside", [EIGHT, EIGHT[:-1]])
def test_h31_all_eight_bonus_tiles_win_at_once(set_aside):
    case = Case(
        winner=seat("S"),
        source=None,
        hand=parse_tiles("147m 258p 369s 1234z"),
        winning_tile=Tile.parse("4g"),
        bonus=set_aside,
    )
    answer = settle_win(case, DEFAULT)
    assert [item.id for item in answer.items] == ["great_flowers"]
    assert answer.deltas == (-512, 1536, -512, -512)


def test_h33_after_a_drawn_hand_the_dealer_stays_unless_a_kong_passes_it_on():
    start = first_deal(DEFAULT)
    drawn = DealOutcome(draw_reason="exhaustive", points=(0,) * 4, kongs=1)
    extra = next_deal(start, drawn, DEFAULT)
    assert extra is not None
    assert (extra.dealer, extra.round_wind, extra.counters) == (Seat.A, Wind.EAST, 1)
    kong_passes = RULESET.choose(draw_dealer="kong_passes")
    passed = next_deal(start, drawn, kong_passes)
    assert passed is not None
    assert passed.dealer is Seat.B
    stayed = next_deal(start, replace(drawn, kongs=0), kong_passes)
    assert stayed is not None
    assert stayed.dealer is Seat.A


@pytest.mark.parametrize(("rob", "wins"), [("any", True), ("orphans_only", True), ("never", False)])
def test_h34_robbing_a_concealed_kong(rob, wins):
    case = Case(
        winner=seat("W"),
        source=seat("E"),
        hand=parse_tiles("19m 19p 9s 1234567z 7z"),
        winning_tile=Tile.parse("1s"),
        bonus=parse_tiles("1f"),
        flags=frozenset({Flag.ROBBING_KONG}),
        extra={"concealed_kong_robbed": True},
    )
    answer = settle_win(case, RULESET.choose(rob_concealed_kong=rob))
    assert answer.valid is wins
    if wins:
        assert answer.deltas == (-512, -512, 1536, -512)
    else:
        assert [breach.code for breach in answer.violations] == ["wrong_call"]
