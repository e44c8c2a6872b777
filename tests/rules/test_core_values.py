"""Tiles, notation, melds and splits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_controller.rules import find_ruleset
from table_controller.rules.core.decomposition import is_seven_pairs, is_standard, splits
from table_controller.rules.core.errors import CaseError, NotationError
from table_controller.rules.core.game import DealStart, deal_began
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import Payment, pot_change, totals
from table_controller.rules.core.tiles import (
    JOKER,
    KINDS,
    STANDARD_136,
    STANDARD_144,
    Suit,
    Tile,
    format_tiles,
    kind_counts,
    parse_tiles,
)

any_tile = st.sampled_from([*KINDS, JOKER, *parse_tiles("0m 0p 0s 1234f 1234g 1234a 1234c")])


@given(st.lists(any_tile))
def test_parse_and_print_undo_each_other(tiles):
    assert parse_tiles(format_tiles(tiles)) == tuple(tiles)


@pytest.mark.parametrize("text", ["12", "1x", "0z", "8z", "5f", "m", "12m 3", "jj"])
def test_what_is_not_notation_is_refused(text):
    with pytest.raises(NotationError):
        parse_tiles(text)


def test_sets_have_their_sizes_and_red_fives_replace_plain_ones():
    assert len(STANDARD_136) == 136
    assert len(STANDARD_144) == 144
    red = STANDARD_136.with_red_fives(m=1, p=2)
    assert len(red) == 136
    assert red.number_of[Tile(Suit.CIRCLES, 5, True)] == 2
    assert red.number_of[Tile(Suit.CIRCLES, 5)] == 2
    with pytest.raises(CaseError, match="5 copies of 5p"):
        red.check(parse_tiles("555p 00p"))


@pytest.mark.parametrize(
    ("kind", "text"),
    [("chow", "124m"), ("chow", "123z"), ("pung", "556p"), ("kong", "555p"), ("chow", "112m")],
)
def test_melds_that_are_none(kind, text):
    with pytest.raises(CaseError):
        Meld.of(kind, text)


def hands_of_one_suit(tiles):
    """All ways to hold that many tiles of one suit, four copies each."""

    def fill(left, kinds):
        if kinds == 1:
            if left <= 4:
                yield (left,)
            return
        for number in range(min(4, left) + 1):
            for rest in fill(left - number, kinds - 1):
                yield (number, *rest)

    return list(fill(tiles, 9))


def test_one_suit_hands_are_all_found():
    hands = hands_of_one_suit(14)
    assert len(hands) == 118_800
    assert sum(is_standard(hand + (0,) * 25) for hand in hands) == 13_259
    assert sum(is_seven_pairs(hand) for hand in hands) == 36


def test_every_way_to_split_a_hand():
    assert len(splits(parse_tiles("111222333m 99p"))) == 2
    assert len(splits(parse_tiles("11123456789999p"))) == 1
    assert splits(parse_tiles("12m")) == []
    # sixteen and one tiles
    assert splits(parse_tiles("123m 456m 789m 111z 222z 33z"))


@given(st.lists(st.sampled_from(KINDS), min_size=14, max_size=14))
def test_a_split_uses_every_tile_once(tiles):
    for split in splits(tiles):
        used = [tile for tile in split.pungs for _ in range(3)]
        used += [Tile(low.suit, low.rank + step) for low in split.chows for step in range(3)]
        used += [split.pair] * 2
        assert kind_counts(used) == kind_counts(tiles)


def test_payments_and_pot_sum_to_zero():
    payments = [
        Payment(Seat.B, Seat.A, 700, "win"),
        Payment(None, Seat.A, 1000, "deposits"),
        Payment(Seat.C, None, 300, "deposit"),
    ]
    assert totals(payments) == (1700, -700, -300, 0)
    assert pot_change(payments) == -700
    assert sum(totals(payments)) + pot_change(payments) == 0


def test_the_event_that_begins_a_deal_keeps_all_it_starts_with():
    start = DealStart(
        number=5,
        dealer=Seat.C,
        round_wind=Wind.SOUTH,
        points=(1, 2, 3, 4),
        counters=2,
        deposits=1,
        goulash=7,
        markers=(0, 1, 0, 2),
        seating=(1, 0, 3, 2),
    )
    play = find_ruleset("mcr").play
    assert DealStart.of(deal_began(start, 80, play)) == start
