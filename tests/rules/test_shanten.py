"""Shanten against independent tables, and what it must always hold."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.rules.core.decomposition import (
    is_seven_pairs,
    is_standard,
    is_thirteen_orphans,
    standard_waits,
)
from table_controller.rules.core.shanten import (
    shanten,
    shanten_of_counts,
)
from table_controller.rules.core.tiles import KINDS, kind_counts, parse_tiles
from tests.shared_data import shared_data


@pytest.mark.parametrize(
    ("hand", "melds", "away"),
    [
        ("123m 456p 789s 1122z", 0, 0),
        ("123m 456p 789s 11222z", 0, -1),
        ("1133m 5577p 2299s 4z", 0, 0),
        ("19m 19p 19s 1234567z", 0, 0),
        ("147m 258p 369s 1234z", 0, 6),
        ("1112345678999s", 0, 0),
        ("11z", 4, -1),
        ("1z", 4, 0),
        ("1234m", 3, 0),
        ("1111m 234p 567p 888s", 0, 1),  # the pair would need a fifth tile
    ],
)
def test_how_far_a_hand_is(hand, melds, away):
    assert shanten(parse_tiles(hand), melds) == away


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_forty_thousand_hands_of_kobalab(number):
    rows = json.loads(
        shared_data(f"oracles/kobalab_majiang_core/xiangting_{number}.json").read_text()
    )
    wrong = []
    for row in rows:
        counts = kind_counts(parse_tiles("".join(f"{tile[1]}{tile[0]}" for tile in row["q"])))
        if shanten_of_counts(counts) != min(row["x"]):
            wrong.append(row)
    assert len(rows) == 10_000
    assert wrong == []


@pytest.mark.parametrize("name", ["normal", "hon", "tin", "koku"])
def test_forty_thousand_hands_of_nyanten(name):
    path = shared_data(f"oracles/nyanten_shanten/p_{name}_10000.txt")
    wrong = []
    rows = [[int(one) for one in line.split()] for line in path.read_text().splitlines() if line]
    for row in rows:
        counts = [0] * 34
        for index in row[:14]:
            counts[index] += 1
        if shanten_of_counts(counts) != min(row[14:]):
            wrong.append(row)
    assert len(rows) == 10_000
    assert wrong == []


hands = st.permutations(range(136)).map(lambda order: sorted(kind // 4 for kind in order[:13]))


@settings(max_examples=150, deadline=None)
@given(hands)
def test_a_hand_waits_exactly_for_what_completes_it(indexes):
    counts = [indexes.count(kind) for kind in range(34)]
    completing = []
    for kind in range(34):
        counts[kind] += 1
        if is_standard(counts) or is_seven_pairs(counts) or is_thirteen_orphans(counts):
            completing.append(kind)
        counts[kind] -= 1
    held_out = [kind for kind in completing if counts[kind] < 4]
    assert (shanten_of_counts(counts) == 0) is bool(held_out)


# One suit and few honours: hands that wait are common, and so are several readings.
narrow = st.permutations([kind for kind in (*range(9), 27, 28) for _ in range(4)])


@settings(max_examples=300, deadline=None)
@given(narrow.map(lambda order: order[:13]))
def test_waits_of_crowded_hands_are_exactly_the_completing_tiles(indexes):
    counts = [indexes.count(kind) for kind in range(34)]
    completing = []
    for kind in range(34):
        counts[kind] += 1
        if is_standard(counts):
            completing.append(kind)
        counts[kind] -= 1
    assert sorted(standard_waits(counts)) == completing


@settings(max_examples=100, deadline=None)
@given(hands)
def test_some_tile_brings_the_hand_nearer_and_none_by_more_than_one(indexes):
    tiles = [KINDS[kind] for kind in indexes]
    drawn = {shanten([*tiles, kind]) for kind in KINDS if tiles.count(kind) < 4}
    assert min(drawn) == shanten(tiles) - 1


@settings(max_examples=100, deadline=None)
@given(hands, st.randoms(use_true_random=False))
def test_the_order_of_tiles_does_not_matter(indexes, random):
    tiles = [KINDS[kind] for kind in indexes]
    shuffled = list(tiles)
    random.shuffle(shuffled)
    assert shanten(tiles) == shanten(shuffled)
