"""Every row of the fan list and the ten-fan hands, near misses, flies, and their options."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.decomposition import is_seven_pairs, is_standard
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import JOKER, Tile, kind_counts, parse_tiles
from table_controller.rules.malaysian_3p import RULESET
from table_controller.rules.malaysian_3p.fan import TEN_FAN, fan
from table_controller.rules.malaysian_3p.hand import assignments, substitutes
from tests.rules.korean_japanese_3p.notation import SEATS, meld, split_hand
from tests.rules.malaysian_3p.test_examples import FLAGS, all_tiles

ROWS = json.loads((Path(__file__).parent / "patterns.json").read_text())
EAST, SOUTH, WEST = Seat.A, Seat.B, Seat.C


def case_of_row(row):
    hand, winning = split_hand(row["hand"], row["win"]["tile"])
    flags = {FLAGS[flag] for flag in row.get("flags", []) if flag in FLAGS}
    if row["win"]["by"] == "rob":
        flags.add(Flag.ROBBING_KONG)
    two_kongs = "replacement_after_two_kongs" in row.get("flags", [])
    return Case(
        winner=SEATS[row["seat"]],
        source=SEATS[row["win"]["from"]] if "from" in row["win"] else None,
        hand=hand,
        winning_tile=winning,
        melds=tuple(meld(text) for text in row["melds"]),
        bonus=all_tiles(row["bonus_tiles"]),
        flags=frozenset(flags),
        extra={"replacement_after_two_kongs": True} if two_kongs else {},
    )


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_the_example_of_the_row(row):
    answer = RULESET.settle_win(case_of_row(row), RULESET.options)
    assert answer.valid
    counted = {item.id: item.value for item in answer.items if item.unit == "fan"}
    if "value" in row:
        assert counted[row["id"]] == row["value"]
        assert answer.totals["fan"] == row["total"]
    else:
        assert row["id"] in counted
        assert answer.totals["fan"] == 10


def test_every_item_and_ten_fan_hand_has_an_example():
    declared = {entry.id for entry in fan} | {one.id for one in TEN_FAN}
    assert declared - {row["id"] for row in ROWS} == {"all_bonus_tiles"}


def count(text, won, *, source=None, melds=(), options=None, winner=SOUTH, bonus="1f", **more):
    """The fan items of a hand with their values."""
    case = Case(
        winner=winner,
        source=source,
        hand=parse_tiles(text),
        winning_tile=Tile.parse(won),
        melds=tuple(one if isinstance(one, Meld) else meld(one) for one in melds),
        bonus=parse_tiles(bonus),
        **more,
    )
    answer = RULESET.settle_win(case, options or RULESET.options)
    return {item.id: item.value for item in answer.items if item.unit == "fan"}


LAST = frozenset({Flag.LAST_TILE})
CIRCLES = "123p 456p 678p 345p 9p"


def test_all_sixteen_bonus_tiles():
    everything = "1234f 1234g 1234c 1234a"
    assert "all_bonus_tiles" in count(CIRCLES, "9p", bonus=everything)
    assert "all_bonus_tiles" not in count(CIRCLES, "9p", bonus="1234f 1234g 1234c 123a")
    flowers = RULESET.choose(all_bonus_tiles_set="flowers_and_seasons")
    assert "all_bonus_tiles" in count(CIRCLES, "9p", bonus="1234f 1234g", options=flowers)
    faces = RULESET.choose(all_bonus_tiles_set="faces_and_animals")
    assert "all_bonus_tiles" in count(CIRCLES, "9p", bonus="1234c 1234a", options=faces)


@pytest.mark.parametrize(
    ("id", "text", "won", "how"),
    [
        ("own_flower", CIRCLES, "9p", {"bonus": "1f"}),
        ("own_season", CIRCLES, "9p", {"bonus": "3g"}),
        ("four_faces", CIRCLES, "9p", {"bonus": "123c 4a"}),
        ("seat_wind_pung", "123p 456p 678p 333z 9p", "9p", {}),
        ("small_three_dragons", "5z 777p 666z 123p 456p", "5z", {}),
        ("mixed_one_suit", CIRCLES, "9p", {}),
        ("one_suit_only", "123p 456p 678p 345p 2z", "2z", {}),
        ("all_chows_circle_pair", "123p 456p 678p 345p 2z", "2z", {}),
        ("all_pungs", "222p 555p 888p 345p 2z", "2z", {}),
        ("seven_pairs", "1111p 22p 44p 77p 88p 9p", "9p", {}),
        ("nine_gates", "1112345678999p", "5p", {"source": EAST}),
        ("four_winds", "111z 222z 33z 345p 99p", "9p", {}),
        ("no_bonus_tiles", CIRCLES, "9p", {}),
        ("big_three_dragons", "555z 666z 77z 345p 99p", "9p", {}),
        ("four_concealed_pungs", "222p 555p 88p 444z 33p", "8p", {"source": EAST}),
        ("four_flies", "123p 456p 67p 34p jk jk jk", "9p", {}),
        ("first_or_last_tile", CIRCLES, "9p", {"source": EAST, "flags": LAST}),
        ("all_honours", "111z 222z 333z 55z 99p", "9p", {}),
    ],
)  # fmt: skip
def test_a_near_miss_does_not_count(id, text, won, how):
    assert id not in count(text, won, **how)


def test_options_of_single_items():
    choose = RULESET.choose
    once = choose(single_face_animal_fan="once_per_group")
    assert count(CIRCLES, "9p", bonus="123c 12a")["face_tile"] == 3
    grouped = count(CIRCLES, "9p", bonus="123c 12a", options=once)
    assert (grouped["face_tile"], grouped["animal_tile"]) == (1, 1)
    dragons = {"text": "77z 345p 67p", "won": "8p",
               "melds": ["pung(G G G<W)", "pung(Wh Wh Wh<E)"]}  # fmt: skip
    assert count(**dragons)["dragon_pung"] == 2
    alone = count(**dragons, options=choose(small_three_dragons_counts_pungs=False))
    assert alone == {"small_three_dragons": 3, "mixed_one_suit": 1}
    dealer = {"text": "234p 567p 99p 67p", "won": "8p", "melds": ["pung(E E E<W)"], "winner": EAST}
    assert count(**dealer)["east_pung"] == 1
    assert "east_pung" not in count(**dealer, options=choose(dealer_east_double=False))
    only_payment = choose(bonus_set_counts="payment_only")
    assert "four_flowers" not in count(CIRCLES, "9p", bonus="1234f", options=only_payment)
    gates = {"text": "1112345567899p", "won": "9p"}  # the shape, but not the nine-sided wait
    assert "nine_gates" in count(**gates)
    strict = choose(nine_gates_shape="nine_sided_wait")
    assert "nine_gates" not in count(**gates, options=strict)
    assert "nine_gates" in count("1112345678999p", "5p", options=strict)
    four_alike = {"text": "1111p 22p 44p 77p 88p 9p", "won": "9p"}
    assert "seven_pairs" in count(**four_alike, options=choose(seven_pairs_distinct=False))
    last = {"text": CIRCLES, "won": "9p", "source": EAST, "flags": frozenset({Flag.LAST_TILE})}
    wide = choose(last_tile_includes_last_discard=True)
    assert "first_or_last_tile" in count(**last, options=wide)
    first = {"text": CIRCLES, "won": "9p", "source": EAST, "flags": frozenset({Flag.FIRST_TURN}),
             "ponds": {EAST: parse_tiles("9p")}}  # fmt: skip
    assert "first_or_last_tile" not in count(**first)
    early = choose(first_tile_includes_first_discard=True)
    assert "first_or_last_tile" in count(**first, options=early)
    assert len(RULESET.tile_set(choose(north_in_set=False))) == 80
    assert len(RULESET.tile_set(RULESET.options)) == 84


# Flies


def test_flies_stand_for_what_pays_most():
    green = count("66z jk 234p 567p 345p 9p", "9p")
    assert green["dragon_pung"] == 1
    winds = count("11z jk 222z 333z 44z 34p", "5p")
    assert winds == {"four_winds": 10}
    only_flies = count("234p 567p 345p 9p jk jk jk", "9p")
    assert (only_flies["one_suit_only"], only_flies["all_chows_circle_pair"]) == (3, 1)


def test_flies_make_no_fifth_copy():
    """Four 1p are held: no fly may be a fifth."""
    concealed = parse_tiles("1111p 222p 333p 444p jk")
    strict = set(assignments(concealed, (), RULESET.options))
    free = set(assignments(concealed, (), RULESET.choose(fly_limit_per_kind=False)))
    one = Tile.parse("1p")
    assert (one,) in free
    assert (one,) not in strict
    assert strict < free


def test_circles_only():
    narrow = RULESET.choose(fly_substitutes="circles_only")
    dragons = parse_tiles("66z jk 234p 567p 345p 99p")
    assert list(assignments(dragons, (), RULESET.options)) == [
        (Tile.parse("6z"),),
        (Tile.parse("9p"),),
    ]
    assert list(assignments(dragons, (), narrow)) == [(Tile.parse("9p"),)]


def brute_force(concealed, options):
    """Every multiset of kinds that fills the flies, tried one after the other."""
    plain = [tile for tile in concealed if tile != JOKER]
    found = set()
    for chosen in combinations_with_replacement(substitutes(options), concealed.count(JOKER)):
        counts = kind_counts([*plain, *chosen])
        if max(counts) <= 4 and (is_standard(counts) or is_seven_pairs(counts)):
            found.add(chosen)
    return found


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_the_choices_for_flies_are_exactly_the_complete_hands(data):
    """Against trying everything, for hands that a few flies may complete."""
    pool = [tile for tile in RULESET.tile_set(RULESET.options).tiles() if not tile.is_bonus]
    sets = data.draw(st.lists(st.sampled_from(
        ["123p", "234p", "456p", "789p", "111p", "999p", "555z", "111z", "444z"]),
        min_size=3, max_size=3))  # fmt: skip
    tiles = list(parse_tiles(" ".join(sets)))
    flies = data.draw(st.integers(1, 3))
    rest = data.draw(st.lists(st.sampled_from(pool[:64]), min_size=5 - flies, max_size=5 - flies))
    concealed = (*tiles, *rest, *(JOKER,) * flies)
    plain = [tile for tile in concealed if tile != JOKER]
    if max(plain.count(tile) for tile in plain) > 4:
        return
    assert set(assignments(concealed, (), RULESET.options)) == brute_force(
        concealed, RULESET.options
    )


@pytest.mark.parametrize(
    ("melds", "options", "code"),
    [
        ((Meld(MeldKind.PUNG, parse_tiles("66z jk"), EAST),), {}, "joker_misuse"),
        ((Meld(MeldKind.PUNG, parse_tiles("66z jk"), EAST),), {"fly_in_claims": True}, None),
        ((Meld(MeldKind.CONCEALED_KONG, parse_tiles("666z jk")),), {}, "joker_misuse"),
        ((Meld(MeldKind.CONCEALED_KONG, parse_tiles("666z jk")),), {"fly_in_kong": True}, None),
        ((Meld(MeldKind.CHOW, parse_tiles("123p"), EAST),), {}, "wrong_call"),
        ((Meld(MeldKind.CHOW, parse_tiles("123p"), EAST),), {"chow_claim": "next_player"}, None),
        (
            (Meld(MeldKind.CHOW, parse_tiles("123p"), WEST),),
            {"chow_claim": "next_player"},
            "wrong_call",
        ),
    ],
)
def test_flies_and_chows_in_melds(melds, options, code):
    case = Case(
        winner=SOUTH,
        source=None,
        hand=parse_tiles("234p 567p 345p 9p"),
        winning_tile=Tile.parse("9p"),
        melds=melds,
        bonus=parse_tiles("2f 1234c"),
    )
    answer = RULESET.settle_win(case, RULESET.choose(**options))
    assert [one.code for one in answer.violations] == ([code] if code else [])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hand": parse_tiles("123p 456p 678p 345p")}, "must be 13 tiles"),
        ({"hand": parse_tiles("123p 456p 678p 345p 1s")}, "1s are named"),
        ({"bonus": parse_tiles("1p")}, "only bonus tiles"),
        ({"source": SOUTH}, "the winner is named as the one who discarded"),
        ({"extra": {"four_flies_initial": True}}, "four flies only"),
        ({"extra": {"replacement_after_two_kongs": "no"}}, "true or false"),
        ({"extra": {"flies_of_losers": [1]}}, "maps seats to flies"),
        ({"extra": {"flies_of_losers": {"0": 5}}}, "5 flies are named"),
        ({"extra": {"flies_of_losers": {"0": -1}}}, "of the losers 0 and 2 only"),
        ({"extra": {"flies_of_losers": {"1": 1}}}, "of the losers 0 and 2 only"),
        ({"extra": {"pao": 3}}, "pao is the seat of the loser"),
        ({"extra": {"pao": SOUTH}}, "pao is the seat of the loser"),
    ],
)
def test_cases_that_cannot_be(change, message):
    case = {"winner": SOUTH, "source": None, "hand": parse_tiles(CIRCLES),
            "winning_tile": Tile.parse("9p"), "bonus": parse_tiles("1f 12c")}  # fmt: skip
    with pytest.raises(CaseError, match=message):
        RULESET.settle_win(Case(**{**case, **change}), RULESET.options)


def test_a_hand_that_is_said_not_to_hold_four_flies_is_read():
    case = Case(winner=SOUTH, source=None, hand=parse_tiles("jk jk jk 1234z 159p 677z"),
                winning_tile=Tile.parse("jk"), extra={"four_flies_initial": False})  # fmt: skip
    assert not RULESET.settle_win(case, RULESET.options).valid
    as_dealt = replace(case, extra={"four_flies_initial": True})
    assert RULESET.settle_win(as_dealt, RULESET.options).valid


@pytest.mark.parametrize(("hand", "won"), [("123p 456p 678p 345p 3f", "9p"), (CIRCLES, "3f")])
def test_a_bonus_tile_that_was_kept_makes_the_win_false(hand, won):
    case = Case(
        winner=SOUTH,
        source=None,
        hand=parse_tiles(hand),
        winning_tile=Tile.parse(won),
        bonus=parse_tiles("1f 12c"),
    )
    answer = RULESET.settle_win(case, RULESET.options)
    assert [breach.code for breach in answer.violations] == ["bonus_tile_kept"]
    assert answer.violations[0].penalty
