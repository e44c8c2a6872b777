"""Every row of the specification's point tables and limit hands (sections 13 to 16)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.korean_japanese_3p import RULESET
from table_controller.rules.korean_japanese_3p.limits import LIMITS
from table_controller.rules.korean_japanese_3p.options import HALF_LIMIT_HANDS, LimitHand
from table_controller.rules.korean_japanese_3p.points import bonus_point, hand_point
from tests.rules.korean_japanese_3p.notation import (
    SEATS,
    WINDS,
    load_examples,
    meld,
    split_hand,
    tiles,
)
from tests.rules.korean_japanese_3p.test_examples import FLAGS, case_of, options_of

HERE = Path(__file__).parent
ROWS = json.loads((HERE / "patterns.json").read_text())
SOUTH = Seat.B
LIMIT_IDS = {limit.value for limit in LimitHand}


def case_of_row(row):
    hand, winning = split_hand(row["hand"], row["win"]["tile"])
    flags = {FLAGS[flag] for flag in row.get("flags", [])}
    if row["win"]["by"] == "rob":
        flags.add(Flag.ROBBING_KONG)
    return Case(
        winner=SEATS[row["seat"]],
        source=SEATS[row["win"]["from"]] if "from" in row["win"] else None,
        hand=hand,
        winning_tile=winning,
        melds=tuple(meld(text) for text in row["melds"]),
        bonus=tuple(tile for text in row.get("flowers", []) for tile in tiles(text)),
        round_wind=WINDS[row["round"]],
        flags=frozenset(flags),
    )


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_the_example_of_the_row(row):
    answer = RULESET.settle_win(case_of_row(row), RULESET.choose(**row.get("options", {})))
    items = {item.id: item for item in answer.items}
    assert row["id"] in items
    if row["id"] in LIMIT_IDS:
        is_half = LimitHand(row["id"]) in HALF_LIMIT_HANDS
        assert answer.totals["limit"] == (20 if is_half else 40)
        assert answer.valid
        return
    if "value" in row:
        assert items[row["id"]].value == row["value"]
    if "hand_points" in row:
        assert answer.totals["hand_points"] == row["hand_points"]
        assert answer.valid is (row["hand_points"] >= 3)


def test_every_item_and_limit_hand_has_an_example():
    declared = {entry.id for entry in (*hand_point, *bonus_point)}
    declared |= {limit.hand.value for limit in LIMITS} | {"not_waiting_payer", "goulash"}
    shown = {row["id"] for row in ROWS}
    for example in load_examples(HERE):
        answer = RULESET.settle_win(case_of(example), options_of(example))
        shown |= {item.id for item in answer.items}
    assert declared - shown == set()
    assert {limit.hand for limit in LIMITS} == set(LimitHand)


def count(text, won, *, source=None, melds=(), options=None, winner=SOUTH, **more):
    """Hand points, bonus points and limits of a hand: the ids with their values."""
    case = Case(
        winner=winner,
        source=source,
        hand=parse_tiles(text),
        winning_tile=Tile.parse(won),
        melds=tuple(one if isinstance(one, Meld) else meld(one) for one in melds),
        **more,
    )
    answer = RULESET.settle_win(case, options or RULESET.options)
    return {item.id: item.value for item in answer.items}


NO_LIMITS = RULESET.choose(limit_hands=False)
NEAR_MISSES = [
    # what does not count, the hand, and how it is won
    ("pure_hand", "11s 234p 567p 222z 9p 9p", "9p", {}),
    ("pure_hand", "111s 999s 11z 666z 33z", "3z", {"options": NO_LIMITS}),
    ("all_simples", "234p 567p 345m 678m 1z", "1z", {}),
    ("all_chows_simple_pair", "234p 567p 345m 678m 1z", "1z", {}),
    ("straight", "123m 456p 789m 234p 9p", "9p", {}),
    ("two_identical_chows", "234p 234m 567p 678m 9p", "9p", {}),
    ("three_concealed_pungs", "222m 555p 88m 234p 99p", "8m", {"source": Seat.C}),
    ("all_terminals_and_honours", "111p 999p 222z 333z 5p", "5p", {}),
    ("concealed_hand", "234p 567p 345m 9p", "9p", {"melds": ["pung(G G G<E)"]}),
    ("concealed_self_draw", "234p 567p 345m 678m 9p", "9p", {"source": Seat.C}),
    ("last_wall_tile", "234p 567p 345m 678m 9p", "9p", {"source": Seat.C,
        "flags": frozenset({Flag.LAST_TILE})}),
    ("matching_winning_tile", "234p 567p 345m 67m 99p", "8m", {}),
    ("four_flowers", "234p 567p 345m 678m 9p", "9p", {"bonus": parse_tiles("123f")}),
    ("seven_pairs", "1111m 33m 55p 77p 99p 6z", "6z", {}),
    ("small_dragons", "5z 666z 777m 234p 567p", "5z", {}),
    ("small_winds", "111z 222z 5p 234p 567p", "5p", {}),
    ("terminal_or_honour_in_every_set", "123m 789p 456p 123p 1z", "1z", {}),
    ("pure_hand_with_seat_pung", "123m 456m 678m 222m 5z", "5z", {}),
    ("pure_hand_with_seat_pung", "123m 456m 222z 5m", "5m", {"melds": ["pung(777m<E)"]}),
    ("four_concealed_pungs", "222m 555m 888p 33p 77p", "3p", {"source": Seat.A}),
    ("three_kongs_honour_pair", "345m 6p", "6p", {"melds": [
        "kong(2222p<E)", "ckong(7777m)", "ckong(8888p)"]}),
    ("three_concealed_kongs", "345m 6p", "6p", {"melds": [
        "kong(2222p<E)", "ckong(7777m)", "ckong(8888p)"]}),
    ("big_dragons", "555z 666z 77z 345m 99p", "9p", {}),
    ("big_winds", "111z 222z 33z 345m 99p", "9p", {}),
    ("thirteen_orphans", "19m 19p 19s 123z 5566z", "7z", {}),
    ("nine_gates", "1112345678999p", "1s", {}),
    ("pearl_dragon", "123p 456p 678m 555z 2p", "2p", {}),
    ("ruby_dragon", "123m 456m 678m 666z 2m", "2m", {}),
    ("great_jade_dragon", "111s 999s 555z 345m 9p", "9p", {}),
]  # fmt: skip


@pytest.mark.parametrize(("id", "text", "won", "how"), NEAR_MISSES)
def test_a_near_miss_does_not_count(id, text, won, how):
    assert id not in count(text, won, **how)


def test_options_of_the_point_table():
    choose = RULESET.choose
    # identical chows once, four identical chows twice
    three = "234p 234p 234p 567m 9m"
    four = "234p 234p 234p 234p 9m"
    twice = "234p 234p 567m 567m 9m"
    assert count(three, "9m")["two_identical_chows"] == 2
    assert count(four, "9m")["two_identical_chows"] == 4
    assert count(twice, "9m")["two_identical_chows"] == 4
    once = choose(identical_chow_count="once")
    assert count(twice, "9m", options=once)["two_identical_chows"] == 2
    # a pung that a discard completed
    by_discard = {"text": "222m 555p 88m 234p 99p", "won": "8m", "source": Seat.C}
    kept = choose(ron_completed_pung_concealed=True)
    assert count(**by_discard, options=kept)["three_concealed_pungs"] == 3
    # the last discard
    last = {"text": "234p 567p 345m 678m 9p", "won": "9p", "source": Seat.C}
    wide = choose(last_tile_scope="wall_tile_or_last_discard")
    flags = frozenset({Flag.LAST_TILE})
    assert count(**last, options=wide, flags=flags)["last_wall_tile"] == 1


def test_matching_tiles_may_be_counted_in_the_concealed_hand_only():
    hand = {"text": "34p 99m", "won": "5p",
            "melds": ["pung(555p<W)", "pung(G G G<E)", "pung(R R R<E)"]}  # fmt: skip
    assert count(**hand)["matching_winning_tile"] == 3
    narrow = RULESET.choose(matching_scope="concealed_only")
    assert "matching_winning_tile" not in count(**hand, options=narrow)


def test_north_options():
    kong = {"text": "234m 678m 345p 9p", "won": "9p", "melds": ["ckong(N N N N)"]}
    north = RULESET.choose(north_wind=True)
    found = count(**kong, options=north)
    assert found["north_kong"] == 6
    assert "kong" not in found
    assert "wind_pung" not in found
    added = count(**kong, options=RULESET.choose(north_wind=True, north_kong_mode="additional"))
    assert {"north_kong": 6, "kong": 1, "wind_pung": 1}.items() <= added.items()
    bonus = RULESET.choose(north_wind=True, north_points_class="bonus")
    case = Case(
        winner=SOUTH,
        source=None,
        hand=parse_tiles("234m 678m 345p 345p 4z"),
        winning_tile=Tile.parse("4z"),
    )
    points = RULESET.settle_win(case, bonus).totals
    assert points["bonus_points"] - RULESET.settle_win(case, north).totals["bonus_points"] == 2
    assert count("19m 19p 19s 1234z 567z", "7z", options=north) == {"thirteen_orphans": 40}


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"dora": parse_tiles("9p 3m")}, "one tile is turned"),
        ({"extra": {"indicator": "9p"}}, "5 copies of 9p"),
    ],
)
def test_a_turned_tile_that_cannot_be(named, message):
    hand = parse_tiles("234m 678m 345p 9p 999p")
    case = Case(winner=SOUTH, source=None, hand=hand, winning_tile=Tile.parse("3m"), **named)
    with pytest.raises(CaseError, match=message):
        RULESET.settle_win(case, RULESET.choose(dora_rule="dead_wall"))


def test_dora_options():
    def dora(mode="additional", **hand):
        options = RULESET.choose(dora_rule="revealed", revealed_dora_mode=mode)
        found = count(**hand, options=options, extra={"indicator": "5p"})
        return {id: value for id, value in found.items() if "dora" in id}

    pung = {"text": "666p 234m 567m 678m 9p", "won": "9p"}
    assert dora(**pung) == {"revealed_dora": 3, "revealed_dora_pung": 2}
    assert dora("total", **pung) == {"revealed_dora_pung": 2}
    eye = {"text": "66p 234m 567m 678m 99p", "won": "9p"}
    assert dora(**eye) == {"revealed_dora": 2, "revealed_dora_eye": 1}
    assert dora("total", **eye) == {"revealed_dora_eye": 1}
    loose = {"text": "456p 234m 567m 678m 9p", "won": "9p"}
    assert dora("total", **loose) == {"revealed_dora": 1}


@pytest.mark.parametrize(
    ("turned", "options", "scores"),
    [
        ("9p", {}, "1p"), ("1s", {}, "9s"), ("9s", {}, "1s"), ("5z", {}, "6z"), ("6z", {}, "7z"),
        ("7z", {}, "5z"), ("3z", {}, "1z"), ("1z", {}, "2z"),
        ("3z", {"north_wind": True}, "4z"), ("4z", {"north_wind": True}, "1z"),
        ("2z", {"north_wind": True, "dora_wind_order": "NES"}, "4z"),
        ("5s", {"bamboo_five_pair": True}, "9s"), ("0m", {"red_fives": True}, "6m"),
    ],
)  # fmt: skip
def test_the_dora_is_the_next_kind(turned, options, scores):
    assert RULESET.dora_of is not None
    chosen = RULESET.choose(dora_rule="dead_wall", **options)
    assert RULESET.dora_of(Tile.parse(turned), chosen) == Tile.parse(scores)


@pytest.mark.parametrize(
    ("value", "flowers", "points"),
    [("two_each", "1f", 2), ("two_each", "12f", 4), ("two_each", "124f", 8),
     ("two_in_total", "1f", 2), ("two_in_total", "12f", 2), ("two_in_total", "124f", 8)],
)  # fmt: skip
def test_a_flower_as_the_indicator(value, flowers, points):
    options = RULESET.choose(dora_rule="dead_wall", flower_indicator_value=value)
    found = count("234m 678m 345p 345p 9p", "9p", options=options, bonus=parse_tiles(flowers),
                  extra={"indicator": "3f"})  # fmt: skip
    assert found["flower"] == points


def test_limit_options():
    choose = RULESET.choose
    shape = {"text": "1112345678999m", "won": "5m"}
    other_wait = {"text": "1112345567899m", "won": "9m"}
    assert count(**shape) == {"nine_gates": 40}
    assert "nine_gates" not in count(**other_wait)
    assert count(**other_wait, options=choose(nine_gates_any_shape=True)) == {"nine_gates": 40}
    pairs = {"text": "11m 99m 11p 99p 11s 99s 1z", "won": "1z"}
    assert count(**pairs) == {"all_terminals_and_or_honours": 40}
    plain = count(**pairs, options=choose(terminals_honours_limit_seven_pairs=False))
    assert plain["seven_pairs"] == 3
    bamboo = {"text": "111s 999s 111z 555z 3z", "won": "3z"}
    assert "all_terminals_and_or_honours" in count(**bamboo)
    half = count(**bamboo, options=choose(all_bamboo_and_honours_class="half"))
    assert half == {"all_bamboo_and_honours": 20, "four_concealed_pungs": 20}
    without = choose(enabled_limit_hands=["four_concealed_pungs"])
    assert count(**bamboo, options=without) == {"four_concealed_pungs": 20}
    jade = {"text": "345m 9p", "won": "9p",
            "melds": ["pung(111s<E)", "pung(999s<W)", "pung(G G G<W)"]}  # fmt: skip
    assert count(**jade) == {"great_jade_dragon": 40}
    strict = choose(jade_other_sets="honours_only")
    assert "great_jade_dragon" not in count(**jade, options=strict)
    honours = {**jade, "text": "111z 9p"}
    assert "great_jade_dragon" in count(**honours, options=strict)
