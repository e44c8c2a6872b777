"""Who pays what under every settlement option; cases that cannot be; what must be shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.errors import CaseError, OptionError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.korean_japanese_3p import RULESET
from table_controller.rules.korean_japanese_3p.options import Effect
from table_controller.rules.korean_japanese_3p.penalties import (
    Offence,
    penalty_effect,
    penalty_payments,
    penalty_points,
)
from table_controller.rules.korean_japanese_3p.scoring import needs_hands

EAST, SOUTH, WEST = Seat.A, Seat.B, Seat.C
PLAIN = Case(  # South, on East's discard: hand points 5, bonus points 2
    winner=SOUTH,
    source=EAST,
    hand=parse_tiles("234m 678m 345p 67p 99p"),
    winning_tile=Tile.parse("8p"),
    goulash=1,
    extra={"waiting": [WEST]},
)
LIMIT = Case(
    winner=SOUTH,
    source=EAST,
    hand=parse_tiles("19m 19p 19s 123z 5567z"),
    winning_tile=Tile.parse("5z"),
    goulash=1,
)
SELF_DRAWN = {"source": None}


def paid(case, **options):
    answer = RULESET.settle_win(case, RULESET.choose(**options))
    assert answer.valid
    assert sum(answer.deltas) == 0
    return answer.deltas


@pytest.mark.parametrize(
    ("options", "case", "deltas"),
    [
        ({}, PLAIN, (-(10 + 2 + 2 + 5), 26, -(2 + 5))),
        ({"discard_settlement": "discarder_pays_all"}, PLAIN, (-(14 + 2 + 10), 26, 0)),
        ({"discard_settlement": "other_pays_hand"}, PLAIN, (-(5 + 4 + 2 + 5), 26, -(5 + 5))),
        ({"waiting_adjustment": "cumulative"}, PLAIN, (-19, 19 + 5, -(2 - 2 + 5))),
        ({"goulash_bonus": 7}, PLAIN, (-21, 30, -9)),
        ({"goulash_cap": 3}, PLAIN, (-17, 22, -5)),
        ({}, replace(PLAIN, source=None), (-(7 + 5 + 2 + 5), 36, -(7 + 5 + 5))),
        ({}, LIMIT, (-85, 130, -45)),
        ({"limit_value": 60}, LIMIT, (-125, 190, -65)),
        ({"limit_discard_payment": "discarder_only_double"}, LIMIT, (-85, 85, 0)),
        ({}, replace(LIMIT, source=None), (-45, 90, -45)),
        ({"discard_settlement": "discarder_pays_all"}, LIMIT, (-85, 130, -45)),
    ],
)
def test_who_pays_what(options, case, deltas):
    assert paid(case, **options) == deltas


def test_a_waiting_payer_never_gets_points():
    """Where plus two and minus two are two rules, a payer who owes one point pays nothing."""
    case = Case(
        winner=SOUTH,
        source=EAST,
        hand=parse_tiles("123m 456m 78m 22m"),
        winning_tile=Tile.parse("9m"),
        melds=(Meld.of(MeldKind.PUNG, "444m", WEST),),
        extra={"waiting": [WEST]},
    )
    assert paid(case, waiting_adjustment="cumulative")[WEST] == 0
    again = replace(case, goulash=1)
    assert paid(again, waiting_adjustment="cumulative")[WEST] == -(0 - 2 + 5)
    answer = RULESET.settle_win(again, RULESET.choose(waiting_adjustment="cumulative"))
    assert "West was waiting and pays 2 less." in [item.why for item in answer.items]


def test_a_half_limit_may_be_replaced_by_a_dearer_count():
    """Small winds, self-drawn and ready: the ordinary count is worth more than twenty."""
    case = Case(
        winner=SOUTH,
        source=None,
        hand=parse_tiles("111z 333z 2z 456p 789p"),
        winning_tile=Tile.parse("2z"),
        bonus=parse_tiles("1234f"),
        flags=frozenset({Flag.READY}),
    )
    assert paid(case) == (-20, 40, -20)
    dearer = RULESET.settle_win(case, RULESET.choose(half_limit_floor="at_least_ordinary"))
    assert dearer.totals == {"hand_points": 10, "bonus_points": 18}
    assert dearer.deltas == (-30, 60, -30)
    poor = replace(case, bonus=(), flags=frozenset())
    assert paid(poor, half_limit_floor="at_least_ordinary") == (-20, 40, -20)


def test_who_must_show_the_hand():
    open_question = replace(PLAIN, extra={})
    assert needs_hands(open_question, RULESET.options) == (WEST, EAST)
    shown = {WEST: ShownHand(hand=parse_tiles("147m 258p 19s 123z 56z"))}
    assert needs_hands(replace(open_question, others=shown), RULESET.options) == (EAST,)
    dead = replace(open_question, extra={"dead_hands": [EAST]})
    assert needs_hands(dead, RULESET.options) == (WEST,)
    assert needs_hands(PLAIN, RULESET.options) == ()
    assert needs_hands(LIMIT, RULESET.options) == ()
    assert needs_hands(open_question, RULESET.choose(waiting_proof="declared_only")) == ()
    assert needs_hands(replace(open_question, winning_tile=Tile.parse("1p")), RULESET.options) == ()


def test_a_hand_that_is_not_shown_pays_as_not_waiting():
    answer = RULESET.settle_win(replace(PLAIN, extra={}), RULESET.options)
    reasons = [item.why for item in answer.items if item.id == "not_waiting_payer"]
    assert reasons == [
        "West shows no hand, which counts as not waiting, and pays 2 more.",
        "East shows no hand, which counts as not waiting, and pays 2 more.",
    ]


@pytest.mark.parametrize(
    ("shown", "extra", "why"),
    [
        ("147m 258p 19s 123z 56z", {}, "is not one tile from a hand"),
        ("147m 258p 19s 123z 5z", {}, "shows 12 concealed tiles instead of 13"),
        ("234m 567m 345p 67p 99p", {"dead_hands": [WEST]}, "has a dead hand, which never waits,"),
    ],
)
def test_why_a_payer_is_not_waiting(shown, extra, why):
    case = replace(PLAIN, extra=extra, others={WEST: ShownHand(hand=parse_tiles(shown))})
    answer = RULESET.settle_win(case, RULESET.options)
    assert f"West {why} and pays 2 more." in [item.why for item in answer.items]


def test_declared_ready_may_be_the_only_proof():
    case = replace(PLAIN, extra={"ready_seats": [EAST]})
    answer = RULESET.settle_win(case, RULESET.choose(waiting_proof="declared_only"))
    assert next(item.why for item in answer.items if item.unit == "points") == (
        "West had not declared ready and pays 2 more."
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hand": parse_tiles("234m 678m 345p 67p 9p")}, "must be 13 tiles"),
        ({"hand": parse_tiles("234m 678m 345p 88p 88p")}, "5 copies of 8p"),
        ({"hand": parse_tiles("234m 678m 345p 67p 22s")}, "2 copies of 2s are named"),
        ({"source": SOUTH}, "the winner is named as the one who discarded"),
        ({"winner": Seat.D}, "three players sit at seats"),
        ({"bonus": parse_tiles("1g")}, "1 copies of 1g are named"),
        ({"bonus": parse_tiles("1m")}, "only flowers are set aside"),
        ({"source": None, "flags": frozenset({Flag.ROBBING_KONG})}, "needs the seat"),
        ({"dora": parse_tiles("5p")}, "option dora_rule is none"),
        ({"extra": {"waiting": "west"}}, "waiting is a list of seats"),
        ({"extra": {"waiting": [3]}}, "waiting is a list of seats 0 to 2"),
        (
            {"flags": frozenset({Flag.ROBBING_KONG}), "extra": {"robbed_kong": "open"}},
            "robbed_kong is promoted or concealed",
        ),
    ],
)
def test_cases_that_cannot_be_are_refused_with_a_reason(change, message):
    with pytest.raises(CaseError, match=message):
        RULESET.settle_win(replace(PLAIN, **change), RULESET.options)


def test_a_flower_in_the_hand_makes_the_win_false():
    case = replace(PLAIN, hand=(*PLAIN.hand[:-1], Tile.parse("1f")))
    answer = RULESET.settle_win(case, RULESET.options)
    assert [violation.code for violation in answer.violations] == ["flower_kept"]
    assert answer.violations[0].penalty[0] == Payment(SOUTH, WEST, 20, "false win")


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ({"winning_tile": Tile.parse("1p")}, ["not_a_win"]),
        ({"extra": {"dead_hands": [SOUTH]}}, ["dead_hand"]),
        (
            {
                "hand": parse_tiles("234m 345p 67p 99p"),
                "melds": (Meld.of(MeldKind.PUNG, "555z", EAST),),
                "flags": frozenset({Flag.READY}),
            },
            ["false_ready", "below_minimum"],
        ),
    ],
)
def test_other_wins_that_may_not_stand(change, codes):
    answer = RULESET.settle_win(replace(PLAIN, **change), RULESET.options)
    assert not answer.valid
    assert [violation.code for violation in answer.violations] == codes
    assert [bool(violation.penalty) for violation in answer.violations] == [True] + [False] * (
        len(codes) - 1
    )


PENALTIES = {
    Offence.FALSE_WIN: (20, Effect.DEAL_ANNULLED),
    Offence.WITHDRAWN_WIN: (0, Effect.DEAD_HAND),
    Offence.LONG_HAND: (10, Effect.DEAD_HAND),
    Offence.SHORT_HAND: (0, Effect.DEAD_HAND),
    Offence.WRONG_CLAIM: (2, Effect.TILE_RETURNED),
    Offence.LATE_CLAIM: (0, Effect.CLAIM_VOID),
    Offence.FLOWER_KEPT: (0, Effect.RESTORED),
    Offence.MELD_CHANGED: (2, Effect.RESTORED),
    Offence.FALSE_READY: (10, Effect.DEAD_HAND),
    Offence.READY_HAND_CHANGED: (10, Effect.DEAD_HAND),
    Offence.TILE_KNOCKED: (2, Effect.NONE),
    Offence.MISNAMED_DISCARD: (5, Effect.NONE),
    Offence.DRAW_OUT_OF_TURN: (0, Effect.DEAD_HAND),
}


@pytest.mark.parametrize("offence", list(Offence))
def test_what_an_offence_costs(offence):
    points, effect = PENALTIES[offence]
    assert penalty_points(offence, RULESET.options) == points
    assert penalty_effect(offence, RULESET.options) is effect
    fines = penalty_payments(offence, WEST, RULESET.options)
    assert [(fine.payer, fine.receiver, fine.points) for fine in fines] == (
        [(WEST, EAST, points), (WEST, SOUTH, points)] if points else []
    )
    assert offence.sentence.endswith(".")


def test_penalties_are_options():
    house = RULESET.choose(penalty_false_win=50, limit_value=100, penalty_long_hand=0)
    assert penalty_points(Offence.FALSE_WIN, house) == 50
    assert penalty_points(Offence.FALSE_WIN, RULESET.choose(limit_value=100)) == 50
    assert penalty_payments(Offence.LONG_HAND, WEST, house) == ()
    owner = penalty_payments(Offence.TILE_KNOCKED, WEST, house, to=[EAST])
    assert owner == (Payment(WEST, EAST, 2, "tile knocked"),)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"no_bamboo": True, "bamboo_five_pair": True}, "exclude each other"),
        ({"dice_count": 3}, "three walls"),
        ({"min_hand_points": -1}, "min_hand_points is -1"),
        ({"goulash_cap": -1}, "goulash_cap is -1"),
        ({"goulash_cap": "much"}, "whole number or none"),
        ({"enabled_limit_hands": ["royal_flush"]}, "enabled_limit_hands cannot be"),
        ({"discard_row_length": 11}, "discard_row_length is 11"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(OptionError, match=message):
        RULESET.choose(**options)


def test_presets_are_the_levels_of_the_document():
    minima = {name: options.min_hand_points for name, options in RULESET.presets.items()}
    assert minima == {
        "default": 3, "learning": 0, "beginner": 3, "experienced": 4, "advanced": 5,
        "experienced_main_text": 6, "advanced_main_text": 7, "summary": 3,
    }  # fmt: skip
    assert RULESET.presets["summary"].goulash_bonus == 1
