"""Matching: random hands of every line, near misses, and an independent slow matcher."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from itertools import combinations, permutations

import pytest

from table_controller.rules.american.card import FACES, SUITS, copies_of, face_of, parse_card
from table_controller.rules.american.matching import (
    Exposure,
    Rack,
    explain_groups,
    matches,
    nearest,
    nearness,
)
from table_controller.rules.american.options import Options
from table_controller.rules.american.scoring import base_of, best_match, card_of, tile_set
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.tiles import JOKER, Suit, Tile, format_tiles, parse_tiles
from tests.shared_data import shared_data

CARD = card_of(Options())
SIZES = {3: MeldKind.PUNG, 4: MeldKind.KONG, 5: MeldKind.QUINT, 6: MeldKind.SEXTET}


def slow_matches(tiles, exposures, card):
    """The ids of the matching lines, by putting the jokers into every choice of slots."""
    naturals = Counter(face_of(tile) for tile in tiles if not tile.is_joker)
    jokers = sum(tile.is_joker for tile in tiles)
    found = []
    for line in card.lines:
        if line.concealed and exposures:
            continue
        if any(_slow_fit(naturals, jokers, exposures, instance) for instance in line.instances):
            found.append(line.id)
    return found


def _slow_fit(naturals, jokers, exposures, instance):
    faces = {group.face for group in instance.groups}
    if not set(naturals) <= faces or not {one.face for one in exposures} <= faces:
        return False
    for chosen in permutations(range(len(instance.groups)), len(exposures)):
        pairs = [
            (instance.groups[place], exposure)
            for place, exposure in zip(chosen, exposures, strict=True)
        ]
        if not all(
            group.face == exposure.face
            and group.count == exposure.size >= 3
            and not (group.no_jokers and exposure.jokers)
            for group, exposure in pairs
        ):
            continue
        left = [group for place, group in enumerate(instance.groups) if place not in chosen]
        slots = [
            (group.face, group.count >= 3 and not group.no_jokers)
            for group in left
            for _ in range(group.count)
        ]
        open_slots = [place for place, (_, wild) in enumerate(slots) if wild]
        for wild in combinations(open_slots, jokers):
            rest = Counter(face for place, (face, _) in enumerate(slots) if place not in wild)
            if rest == naturals:
                return True
    return False


def random_hand(instance, dice, *, jokers, concealed):
    """Tiles of the rack and exposures that complete an instance, using up to that many jokers."""
    groups = list(instance.groups)
    natural = Counter()
    for group in groups:
        natural[group.face] += group.count
    wild = Counter()
    places = [
        index
        for index, group in enumerate(groups)
        if group.count >= 3 and not group.no_jokers
        for _ in range(group.count)
    ]
    dice.shuffle(places)
    # more copies than the set has must be jokers
    for face, number in natural.items():
        lack = number - copies_of(face)
        for index in [place for place in places if groups[place].face == face][: max(0, lack)]:
            places.remove(index)
            wild[index] += 1
    for index in places[: max(0, jokers - wild.total())]:
        wild[index] += 1
    rack, exposures = [], []
    for index, group in enumerate(groups):
        tiles = [group.face] * (group.count - wild[index]) + [JOKER] * wild[index]
        is_open = not concealed and group.count in SIZES and wild[index] < group.count
        if is_open and dice.random() < 0.4 and len(exposures) < 3:
            exposures.append(Exposure(group.face, group.count, wild[index]))
        else:
            rack += tiles
    if not rack:  # the last group is completed from the rack
        last = exposures.pop()
        rack = [last.face] * last.naturals + [JOKER] * last.jokers
    dice.shuffle(rack)
    return rack, exposures


@pytest.mark.parametrize("line", CARD.lines, ids=[line.id for line in CARD.lines])
def test_random_completions_of_every_line_are_found_and_priced(line):
    dice = random.Random(line.id)
    for number in range(12):
        instance = dice.choice(line.instances)
        rack, exposures = random_hand(
            instance, dice, jokers=(0, 0, 2, 5)[number % 4], concealed=line.concealed
        )
        jokers = sum(tile.is_joker for tile in rack) + sum(one.jokers for one in exposures)
        if jokers > 8:
            continue
        found = matches(Rack.of(rack), exposures, CARD)
        assert line.id in [match.id for match in found], format_tiles(sorted(rack))
        best = best_match(found, jokers == 0, Options())
        assert base_of(best.line, jokerless=jokers == 0) >= base_of(line, jokerless=jokers == 0)
        if number % 4 == 3:
            continue
        assert [match.id for match in found] == slow_matches(rack, exposures, CARD)


@pytest.mark.parametrize("line", CARD.lines, ids=[line.id for line in CARD.lines])
def test_near_misses_of_every_line_are_none(line):
    dice = random.Random(line.id)
    for number in range(12):
        instance = dice.choice(line.instances)
        rack, exposures = random_hand(instance, dice, jokers=number % 2, concealed=line.concealed)
        place = dice.randrange(len(rack))
        others = [face for face in FACES if face not in {g.face for g in instance.groups}]
        rack[place] = dice.choice(others)
        found = [match.id for match in matches(Rack.of(rack), exposures, CARD)]
        assert found == slow_matches(rack, exposures, CARD)
        for match in matches(Rack.of(rack), exposures, CARD):
            assert match.instance != instance


def random_wall_hands(dice, number):
    """Fourteen tiles at random from the 152, again and again."""
    wall = tile_set(Options()).tiles()
    for _ in range(number):
        yield dice.sample(wall, 14)


def test_random_hands_match_nothing():
    for tiles in random_wall_hands(random.Random(1), 10_000):
        found = [match.id for match in matches(Rack.of(tiles), (), CARD)]
        assert found == (slow_matches(tiles, (), CARD) if found else [])


@pytest.mark.long
def test_a_hundred_thousand_random_hands_have_no_false_match():
    found = 0
    for tiles in random_wall_hands(random.Random(2), 100_000):
        ids = [match.id for match in matches(Rack.of(tiles), (), CARD)]
        if ids:
            found += 1
            assert ids == slow_matches(tiles, (), CARD), format_tiles(sorted(tiles))
    assert found < 10  # a dealt Mahjong is that rare


def test_jokers_are_explained_where_they_stand():
    rack = Rack.of(parse_tiles("6688m 2224s 55z jk jk jk 4s"))
    (match,) = matches(rack, (), CARD)
    shown = {
        (str(group.face), group.count): jokers
        for group, jokers, _ in explain_groups(rack, (), match.instance)
    }
    assert shown == {("6m", 2): 0, ("8m", 3): 1, ("2s", 3): 0, ("4s", 2): 0, ("5z", 4): 2}


def test_two_exposures_of_one_face_are_two_groups():
    text = """
format = "american-card/1"
id = "two"
title = "Two pungs of flowers"
year = 2030
[[category]]
id = "any"
name = "Any"
[[line]]
id = "A"
category = "any"
patterns = ["F*3 F*3! 2*4/A 4*4/A"]
exposure = "X"
value = 25
"""
    card = parse_card(text)
    flower = Tile.parse("1f")
    rest = Rack.of(parse_tiles("2222m 4444m"))
    plain, wild = Exposure(flower, 3, 0), Exposure(flower, 3, 1)
    assert matches(rest, [plain, wild], card)
    assert matches(rest, [wild, plain], card)
    assert not matches(rest, [wild, wild], card)  # one of the pungs takes no joker
    assert not matches(Rack.of(parse_tiles("22m 4444m 1111f")), [Exposure(flower, 4, 0)], card)


def test_a_kong_does_not_serve_as_two_pairs():
    # T49: two natural pairs where a kong is asked for are a kong only when in the rack together
    rack = Rack.of(parse_tiles("22334455m 55p 222s 5p"))
    assert [match.id for match in matches(rack, (), CARD)] == ["R3"]
    with_joker = Rack.of(parse_tiles("2334455m 555p 222s jk"))
    assert matches(with_joker, (), CARD) == []


def test_nearness_counts_what_jokers_cannot_do():
    line = CARD.line("E1")
    instance = next(
        one for one in line.instances if {str(g.face) for g in one.groups} >= {"2s", "6m", "5z"}
    )
    # 222s 44s 66m 888m 5555z: two jokers help the kong, the missing 6m they cannot replace
    rack = Rack.of(parse_tiles("222s 44s 6m 888m 55z jk jk 1p"))
    near = nearness(rack, (), line, instance)
    assert near.missing == 1
    assert format_tiles(sorted(set(near.wanted))) == "6m 5z"
    assert format_tiles(near.spare) == "1p"
    assert nearest(rack, (), CARD, limit=1)[0].line.id == "E1"


def test_nearest_is_zero_exactly_for_matches():
    dice = random.Random(12)
    for line in CARD.lines:
        rack, exposures = random_hand(
            dice.choice(line.instances), dice, jokers=1, concealed=line.concealed
        )
        if sum(tile.is_joker for tile in rack) + sum(one.jokers for one in exposures) > 8:
            continue
        held = Rack.of(rack)
        near = nearest(held, exposures, CARD, limit=50)
        zero = {one.line.id for one in near if one.missing == 0}
        assert zero == {match.id for match in matches(held, exposures, CARD)}


# --- hands of published cards, without the cards ------------------------------------------------


def _oracle_hands():
    path = shared_data("oracles/riichi_advanced") / "american.json"
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
        yield (
            case,
            _oracle_tiles(case["hand"]),
            [_oracle_tiles(part.split(":")[1]) for part in case["exposed"].split()],
        )


def _oracle_tiles(text):
    tiles = []
    for digits, letter in re.findall(r"([0-9]+)([mpszfgj])", text):
        for digit in digits:
            if letter == "j":
                tiles.append(JOKER)
            elif letter == "z" and digit == "0":
                tiles.append(Tile(Suit.HONOURS, 5))
            else:
                tiles.append(Tile(Suit(letter), int(digit)))
    return tiles


def _card_of_one_hand(tiles, exposures):
    """A card whose only line is this very hand: equal tiles as groups, suits as tags."""
    sizes = Counter(face_of(tile) for tile in tiles if not tile.is_joker)
    groups = [(face, number) for face, number in sizes.items()]
    jokers = sum(tile.is_joker for tile in tiles)
    if jokers:
        widest = max(range(len(groups)), key=lambda place: groups[place][1])
        groups[widest] = (groups[widest][0], groups[widest][1] + jokers)
    groups += [(face_of(one[0]), len(one)) for one in exposures]
    tags = dict(zip(SUITS, "ABC", strict=True))
    names = {1: "E", 2: "S", 3: "W", 4: "N", 5: "0", 6: "G", 7: "R"}
    texts = []
    for face, number in groups:
        if face.is_numbered:
            texts.append(f"{face.rank}*{number}/{tags[face.suit]}")
        else:
            texts.append(f"{'F' if face.is_bonus else names[face.rank]}*{number}")
    return parse_card(
        'format = "american-card/1"\nid = "one"\ntitle = "One hand"\nyear = 2030\n'
        '[[category]]\nid = "any"\nname = "Any"\n'
        f'[[line]]\nid = "A"\ncategory = "any"\npatterns = ["{" ".join(texts)}"]\n'
        'exposure = "X"\nvalue = 25\n'
    )


def test_hands_of_published_cards_are_read_and_match_their_own_line_only():
    """The lines themselves are protected and not here: each hand makes its own one-line card.

    The hand must fit it, in every permutation of the suits; a changed tile must not. On the
    practice card, which shares no line with a published one, a hand may fit only by real overlap.
    """
    dice = random.Random(3)
    read = 0
    for case, tiles, exposures in _oracle_hands():
        assert len(tiles) + sum(len(one) for one in exposures) == 14, case
        read += 1
        laid = [Exposure(face_of(one[0]), len(one), 0) for one in exposures]
        card = _card_of_one_hand(tiles, exposures)
        for order in permutations(SUITS):
            moved = dict(zip(SUITS, order, strict=True))

            def swap(tile, moved=moved):
                return Tile(moved[tile.suit], tile.rank) if tile.is_numbered else tile

            rack = Rack.of([swap(tile) for tile in tiles])
            open_groups = [Exposure(swap(one.face), one.size, one.jokers) for one in laid]
            assert matches(rack, open_groups, card), case
        other = [face for face in FACES if face not in {face_of(tile) for tile in tiles}]
        broken = [*tiles[1:], dice.choice(other)]
        if sum(tile.is_joker for tile in tiles) == 0:
            assert not matches(Rack.of(broken), laid, card), case
        on_practice = [match.id for match in matches(Rack.of(tiles), laid, CARD)]
        assert on_practice == slow_matches(tiles, laid, CARD)
    assert read == 271


def test_the_practice_card_hardly_meets_the_hands_of_published_ones():
    # R6 lets two runs of two stand anywhere apart; a published line asks for one such place
    shared = []
    for case, tiles, exposures in _oracle_hands():
        laid = [Exposure(face_of(one[0]), len(one), 0) for one in exposures]
        shared += [(case["hand"], m.id) for m in matches(Rack.of(tiles), laid, CARD)]
    assert [id for _, id in shared] == ["R6", "R6"]


def test_two_pairs_are_no_kong_and_jokers_stand_in_no_pair():
    """Case T49: on a line of pairs and a kong of the same face each stands for itself."""
    card = parse_card(
        'format = "american-card/1"\nid = "one"\ntitle = "One line"\nyear = 2030\n'
        '[[category]]\nid = "any"\nname = "Any"\n'
        '[[line]]\nid = "A"\ncategory = "any"\npatterns = ["2*2/A 2*2/B 4*4/A 6*6/B"]\n'
        'exposure = "X"\nvalue = 25\n'
    )

    def fits(text, exposures=()):
        return bool(matches(Rack.of(parse_tiles(text)), exposures, card))

    assert fits("22m 22s 4444m 6666s jk jk")
    assert not fits("2222m 4444m 6666s jk jk")  # four alike are not the two pairs
    assert not fits("22m 2s 4444m 6666s jk jk jk")  # nor does a joker complete a pair
    kong = [Exposure(Tile.parse("4m"), 4, 1)]
    assert fits("22m 22s 6666s jk jk", kong)
    assert not fits("22m 22s 6666s jk jk", [Exposure(Tile.parse("2m"), 4, 0)])
