"""Shapes with jokers against trying every tile for every joker."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement

import pytest

from table_controller.rules.core.decomposition import splits
from table_controller.rules.core.tiles import Tile, format_tiles, kind_counts, parse_tiles
from table_controller.rules.core.win import Wait
from table_controller.rules.filipino.shapes import Shape, seven_pairs_shapes, standard_shapes

FACES = parse_tiles("123456789m 123456789p 123456789s")


def by_substitution(naturals, jokers, winning):
    """Every reading, found by putting each tile in each joker's place: slow and independent."""
    found = set()
    for stand_ins in combinations_with_replacement(FACES, jokers):
        tiles = [*naturals, *stand_ins]
        roles = set(stand_ins) if winning is None else {winning}
        for split in splits(tiles):
            has_run = any(
                {Tile(suit, 1), Tile(suit, 4), Tile(suit, 7)} <= set(split.chows)
                for suit in {tile.suit for tile in split.chows}
            )
            for tile in roles:
                for wait in _waits(split, tile):
                    found.add(
                        Shape(
                            seven_pairs=False,
                            chows=len(split.chows),
                            pungs=len(split.pungs),
                            has_run=has_run,
                            wait=wait,
                        )
                    )
    return found


def _waits(split, tile):
    if split.pair == tile:
        yield Wait.PAIR
    if tile in split.pungs:
        yield Wait.PUNG
    for low in split.chows:
        if low.suit is tile.suit and low.rank <= tile.rank <= low.rank + 2:
            if tile.rank == low.rank + 1:
                yield Wait.CLOSED
            elif (low.rank, tile.rank) in ((1, 3), (7, 7)):
                yield Wait.EDGE
            else:
                yield Wait.OPEN


def random_win(dice, suits="mps"):
    """Seventeen tiles: five sets and a pair, at most four alike."""
    while True:
        tiles = []
        for _ in range(5):
            suit, rank = dice.choice(suits), dice.randint(1, 9)
            if rank <= 7 and dice.random() < 0.6:
                tiles += parse_tiles(f"{rank}{rank + 1}{rank + 2}{suit}")
            else:
                tiles += parse_tiles(f"{rank}{suit}") * 3
        tiles += parse_tiles(f"{dice.randint(1, 9)}{dice.choice(suits)}") * 2
        if max(kind_counts(tiles)) <= 4:
            return tiles


@pytest.mark.parametrize(("jokers", "hands"), [(0, 150), (1, 60), (2, 20), (3, 5)])
def test_shapes_equal_the_slow_search(jokers, hands):
    dice = random.Random(17 + jokers)
    for number in range(hands):
        tiles = random_win(dice, suits="mps" if number % 3 else "ms")
        dice.shuffle(tiles)
        naturals = tiles[jokers:]
        winning = None if jokers and number % 4 == 0 else naturals[-1]
        if number % 5 == 0:  # most of these are no wins
            naturals[0] = dice.choice(FACES)
        expected = by_substitution(naturals, jokers, winning)
        assert standard_shapes(naturals, jokers, winning) == expected, (
            format_tiles(sorted(naturals)),
            winning,
        )


def test_a_hand_stays_complete_when_jokers_replace_its_tiles():
    dice = random.Random(4)
    for _ in range(60):
        tiles = random_win(dice)
        dice.shuffle(tiles)
        for jokers in range(5):
            assert standard_shapes(tiles[jokers:], jokers, tiles[-1]), format_tiles(tiles)


def pairs_by_counting(tiles, jokers, four_as_two):
    """Seven pairs and a pung by trying every tile for every joker."""
    for stand_ins in combinations_with_replacement(FACES, jokers):
        counts = kind_counts([*tiles, *stand_ins])
        for index in range(27):
            if counts[index] < 3:
                continue
            left = counts.copy()
            left[index] -= 3
            if four_as_two:
                # jokers may make more than four alike: any even number is pairs
                if all(number % 2 == 0 for number in left):
                    return True
            elif left[index] == 0 and all(number in (0, 2) for number in left):
                return True
    return False


@pytest.mark.parametrize("four_as_two", [True, False])
@pytest.mark.parametrize("jokers", [0, 1, 2])
def test_seven_pairs_and_a_pung_equal_the_slow_search(jokers, four_as_two):
    dice = random.Random(5 + jokers)
    wins = 0
    for number in range(120):
        faces = dice.choices(FACES, k=7) if number % 2 else dice.sample(FACES, 7)
        tiles = [face for face in faces for _ in range(2)] + [dice.choice(FACES)] * 3
        if max(kind_counts(tiles)) > 4:
            continue
        dice.shuffle(tiles)
        naturals = tiles[jokers:]
        if number % 3 == 0:
            naturals[0] = dice.choice(FACES)
        expected = pairs_by_counting(naturals, jokers, four_as_two)
        found = seven_pairs_shapes(naturals, jokers, naturals[-1], four_as_two=four_as_two)
        assert bool(found) is expected, (format_tiles(sorted(naturals)), jokers)
        wins += expected
    assert wins > 10


def test_the_wait_of_the_pung_and_of_a_pair():
    naturals = parse_tiles("1133m 4455566p 228899s")
    assert {shape.wait for shape in seven_pairs_shapes(naturals, 0, Tile.parse("5p"))} == {
        Wait.PUNG
    }
    assert {shape.wait for shape in seven_pairs_shapes(naturals, 0, Tile.parse("9s"))} == {
        Wait.PAIR
    }


def test_a_random_hand_is_no_win():
    dice = random.Random(8)
    wall = [face for face in FACES for _ in range(4)]
    for _ in range(300):
        tiles = dice.sample(wall, 17)
        expected = bool(splits(tiles))
        assert bool(standard_shapes(tiles, 0, tiles[-1])) is expected


@pytest.mark.long
def test_shapes_of_many_random_hands():
    dice = random.Random(99)
    wall = [face for face in FACES for _ in range(4)]
    for _ in range(100_000):
        tiles = dice.sample(wall, 17)
        assert bool(standard_shapes(tiles, 0, tiles[-1])) is bool(splits(tiles))
