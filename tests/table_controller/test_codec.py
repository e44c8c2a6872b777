"""Every event can be written and read back, and what cannot be read says where and why."""

from __future__ import annotations

import json
from dataclasses import fields
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_controller.codec import (
    EVENT_KINDS,
    CodecError,
    answer_from_json,
    answer_to_json,
    event_from_json,
    event_to_json,
)
from table_controller.rules.core.case import Answer, Evidence, Item, Violation
from table_controller.rules.core.events import (
    Corrected,
    DealBegan,
    Discarded,
    GameEnded,
    HandDealt,
    MeldCalled,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import JOKER, KINDS, Tile, parse_tiles

tiles = st.sampled_from([*KINDS, JOKER, *parse_tiles("0m 0p 0s 1234f 1234g 1234a 1234c")])
seats = st.sampled_from(Seat)
payments = st.builds(
    Payment, st.none() | seats, st.none() | seats, st.integers(0, 10**6), st.text()
).filter(lambda payment: payment.payer is not payment.receiver)
st.register_type_strategy(Tile, tiles)
st.register_type_strategy(
    Meld,
    st.builds(
        Meld,
        st.sampled_from(MeldKind),
        st.lists(tiles, max_size=6).map(tuple),
        st.none() | seats,
        st.none() | tiles,
    ),
)
st.register_type_strategy(Payment, payments)
evidence = st.lists(st.builds(Evidence, seats, st.integers(1, 30), tiles), max_size=3).map(tuple)
some_payments = st.lists(payments, max_size=4).map(tuple)
violations = st.builds(
    Violation,
    code=st.text(),
    seat=seats,
    text=st.text(),
    evidence=evidence,
    penalty=some_payments,
)
st.register_type_strategy(Violation, violations)
answers = st.builds(
    Answer,
    ruleset=st.text(),
    valid=st.booleans(),
    violations=st.lists(violations, max_size=2).map(tuple),
    items=st.lists(st.from_type(Item), max_size=3).map(tuple),
    totals=st.dictionaries(st.text(), st.integers(), max_size=3).map(MappingProxyType),
    payments=some_payments,
    players=st.just(4),
)
st.register_type_strategy(Answer, answers)
finite = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=4).map(tuple)


def _plain(cls: type) -> st.SearchStrategy:
    if cls is GameEnded:
        return st.builds(GameEnded, final=finite)
    if cls is Corrected:
        inner = st.one_of([_plain(c) for c in EVENT_KINDS.values() if c is not Corrected])
        return st.builds(Corrected, event=inner)
    return st.from_type(cls)


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_every_event_survives_writing_and_reading(kind):
    @given(_plain(EVENT_KINDS[kind]))
    def survives(event):
        text = json.dumps(event_to_json(event), allow_nan=False)
        assert event_from_json(json.loads(text)) == event

    survives()


def test_the_written_form_is_that_of_the_design():
    assert event_to_json(Discarded(seat=Seat.C, tile=Tile.parse("0p"), turned=True)) == {
        "kind": "discarded",
        "seat": 2,
        "tile": "0p",
        "as_drawn": None,
        "turned": True,
    }
    meld = Meld(MeldKind.PUNG, parse_tiles("555z"), Seat.D, Tile.parse("5z"))
    assert event_to_json(MeldCalled(seat=Seat.A, meld=meld))["meld"] == {
        "kind": "pung",
        "tiles": "555z",
        "from": 3,
        "called": "5z",
    }
    assert event_to_json(WinClaimed(seat=Seat.B, tile=None)) == {
        "kind": "win_claimed",
        "seat": 1,
        "tile": None,
        "from": None,
    }
    assert event_to_json(HandDealt(seat=Seat.A, tiles=(Tile.parse("1m"), None)))["tiles"] == [
        "1m",
        None,
    ]


def test_an_answer_has_the_shape_of_the_score_answer():
    answer = Answer(
        ruleset="riichi_4p",
        valid=True,
        items=(Item(id="riichi", name="Riichi", native="立直", value=1, unit="han", why="ready"),),
        totals={"han": 3, "fu": 40},
        payments=(
            Payment(Seat.C, Seat.B, 5200, "discard"),
            Payment(None, Seat.B, 1000, "deposits"),
        ),
    )
    written = answer_to_json(answer)
    assert written["payments"] == [
        {"from": 2, "to": 1, "points": 5200, "reason": "discard"},
        {"from": None, "to": 1, "points": 1000, "reason": "deposits"},
    ]
    assert written["deltas"] == [0, 6200, -5200, 0]
    assert "players" not in written
    assert answer_from_json(written) == answer
    written["deltas"] = [0, 6300, -5200, 0]
    with pytest.raises(CodecError, match=r"answer\.deltas.*payments"):
        answer_from_json(written)


def test_three_players_stay_three():
    answer = Answer(ruleset="x", valid=True, players=3)
    event = WinJudged(seat=Seat.A, answer=answer)
    assert event_from_json(event_to_json(event)).answer.players == 3


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], r"event: expected an object"),
        (
            {"kind": "paid", "payments": [{"from": None, "to": None, "points": 1, "reason": ""}]},
            r"event\.payments\[0\]: a payment goes from one to another",
        ),
        (
            {"kind": "paid", "payments": [{"from": 0, "to": None, "points": -1, "reason": ""}]},
            r"event\.payments\[0\]\.points: -1: who pays and who gets change places",
        ),
        ({"seat": 1}, r"event\.kind: there is no event None"),
        ({"kind": "discardd"}, r"event\.kind: there is no event 'discardd'"),
        (
            {"kind": "discarded", "seat": 1, "tile": "1m", "tiel": 3},
            r"event\.tiel: discarded has no",
        ),
        ({"kind": "discarded", "seat": 1}, r"event\.tile: discarded needs this field"),
        ({"kind": "discarded", "seat": 4, "tile": "1m"}, r"event\.seat: expected a seat"),
        ({"kind": "discarded", "seat": True, "tile": "1m"}, r"event\.seat: expected a seat"),
        ({"kind": "discarded", "seat": 1, "tile": "8z"}, r"event\.tile: .*there is no tile"),
        ({"kind": "discarded", "seat": 1, "tile": "12m"}, r"event\.tile: expected one tile"),
        ({"kind": "discarded", "seat": 1, "tile": None}, r"event\.tile: expected a tile"),
        (
            {"kind": "discarded", "seat": 1, "tile": "1m", "turned": 1},
            r"event\.turned: expected true",
        ),
        ({"kind": "dice_rolled", "dice": 6}, r"event\.dice: expected a list"),
        ({"kind": "dice_rolled", "dice": [1, "2"]}, r"event\.dice\[1\]: expected a whole number"),
        ({"kind": "voided", "index": 2.0, "reason": ""}, r"event\.index: expected a whole number"),
        (
            {"kind": "meld_called", "seat": 0, "meld": {"kind": "pong", "tiles": "111m"}},
            r"event\.meld\.kind: expected one of chow, pung",
        ),
        (
            {"kind": "meld_called", "seat": 0, "meld": {"kind": "pung", "tiles": "111q"}},
            r"event\.meld\.tiles: cannot read '111q' at character 1",
        ),
        (
            {"kind": "corrected", "index": 1, "reason": "", "event": {"kind": "drawn"}},
            r"event\.event\.seat: drawn needs this field",
        ),
        (
            {"kind": "paid", "payments": [{"from": 0, "to": 1, "points": 5, "why": "x"}]},
            r"event\.payments\[0\]\.why: payment has no such field; it has from, points",
        ),
    ],
)
def test_what_cannot_be_read_says_where_and_why(data, says):
    with pytest.raises(CodecError, match=says):
        event_from_json(data)


def test_a_field_with_a_default_may_be_left_out():
    read = event_from_json({"kind": "discarded", "seat": 1, "tile": "1m"})
    assert read == Discarded(seat=Seat.B, tile=Tile.parse("1m"))


def test_no_infinite_number_is_written():
    with pytest.raises(CodecError, match="finite"):
        event_to_json(GameEnded(points=(1,), placements=(1,), final=(float("inf"),)))


def test_no_two_kinds_share_a_name_and_none_hides_a_field():
    assert len(EVENT_KINDS) == 34
    for cls in EVENT_KINDS.values():
        assert "kind" not in {each.name for each in fields(cls)}


def test_the_words_of_old_logs_stay():
    written = event_to_json(
        DealBegan(number=1, dealer=Seat.A, round_wind=Wind.EAST, points=(25000,) * 4, wall_left=70)
    )
    assert list(written) == [
        "kind", "number", "dealer", "round_wind", "points", "wall_left", "counters", "deposits",
        "goulash", "hand_size", "kongs_replaced", "dead_hands_skipped", "markers",
        "loose_tiles", "seating",
    ]  # fmt: skip


def test_a_number_with_more_digits_than_a_float_holds_is_refused():
    written = event_to_json(GameEnded(points=(1, 2), placements=(2, 1), final=(0.5, -0.5)))
    with pytest.raises(CodecError, match=r"final\[0\]: expected a number"):
        event_from_json({**written, "final": [10**400, 0]})
