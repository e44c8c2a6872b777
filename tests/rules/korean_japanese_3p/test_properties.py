"""What holds for every hand (section 19), tried on hands made at random."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from table_controller.rules.core.case import Case
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import HONOURS, Tile, parse_tiles
from table_controller.rules.japanese_3p import RULESET as JAPANESE
from table_controller.rules.korean_japanese_3p import RULESET as KOREAN
from table_controller.rules.malaysian_3p import RULESET as MALAYSIAN

FEW = settings(max_examples=60, deadline=None)


def sets_of(ruleset):
    """Every chow and pung that the tiles of the game can form."""
    kinds = [tile for tile in ruleset.tile_set(ruleset.options).number_of_face if not tile.is_bonus]
    kinds = [tile for tile in kinds if not tile.is_joker]
    chows = [
        tuple(Tile(low.suit, low.rank + step) for step in range(3))
        for low in kinds
        if low.is_numbered
        and low.rank <= 7
        and all(Tile(low.suit, low.rank + step) in kinds for step in range(3))
    ]
    return chows, kinds


SETS = {one.name: sets_of(one) for one in (KOREAN, JAPANESE, MALAYSIAN)}


@st.composite
def wins(draw, ruleset, *, exposed=True):
    """A complete hand: some sets laid down, the others in the hand, won on a discard."""
    chows, kinds = SETS[ruleset]
    sets = [
        draw(st.sampled_from(chows)) if draw(st.booleans()) else (draw(st.sampled_from(kinds)),) * 3
        for _ in range(4)
    ]
    pair = (draw(st.sampled_from(kinds)),) * 2
    tiles = [tile for one in sets for tile in one] + list(pair)
    assume(max(Counter(tiles).values()) <= 4)
    melds = []
    for one in sets:
        is_pung = len(set(one)) == 1
        if exposed and is_pung and draw(st.booleans()) and one[0] != Tile.parse("4z"):
            melds.append(Meld(MeldKind.PUNG, one, Seat.C))
            for tile in one:
                tiles.remove(tile)
    winning = draw(st.sampled_from(tiles))
    tiles.remove(winning)
    return Case(
        winner=Seat.B,
        source=Seat.A,
        hand=tuple(tiles),
        winning_tile=winning,
        melds=tuple(melds),
        round_wind=draw(st.sampled_from([Wind.EAST, Wind.SOUTH, Wind.WEST])),
    )


def korean(case, **options):
    return KOREAN.settle_win(case, KOREAN.choose(**options))


@given(wins("korean_japanese_3p"))
@FEW
def test_korean_payments_balance_and_the_minimum_holds(case):
    answer = korean(case)
    assert sum(answer.deltas) == 0
    assert answer.deltas[case.winner] == -answer.deltas[Seat.A] - answer.deltas[Seat.C]
    if "hand_points" in answer.totals:
        assert answer.valid is (answer.totals["hand_points"] >= 3)
    else:
        assert answer.valid


@given(wins("korean_japanese_3p"), st.sampled_from(["1f", "12f", "1234f"]))
@FEW
def test_a_flower_never_makes_a_hand_legal(case, flowers):
    plain = korean(case)
    flowery = korean(replace(case, bonus=parse_tiles(flowers)))
    assert flowery.valid is plain.valid
    assert flowery.totals.get("hand_points") == plain.totals.get("hand_points")


@given(wins("korean_japanese_3p"))
@FEW
def test_a_self_draw_never_has_fewer_hand_points(case):
    by_discard = korean(case, limit_hands=False)
    self_drawn = korean(replace(case, source=None), limit_hands=False)
    assert self_drawn.totals["hand_points"] >= by_discard.totals["hand_points"]


@given(wins("korean_japanese_3p"))
@FEW
def test_the_own_discard_forbids_exactly_its_kind(case):
    pond = {case.winner: (case.winning_tile,)}
    refused = korean(replace(case, ponds=pond), min_hand_points=0)
    assert [violation.code for violation in refused.violations] == ["sacred_discard"]
    assert korean(replace(case, ponds=pond, source=None), min_hand_points=0).valid
    other = Tile.parse("5z") if case.winning_tile != Tile.parse("5z") else Tile.parse("6z")
    assert korean(replace(case, ponds={case.winner: (other,)}), min_hand_points=0).valid


@given(wins("malaysian_3p"), st.data())
@FEW
def test_a_fly_is_worth_at_least_the_tile_it_replaces(case, data):
    before = MALAYSIAN.settle_win(case, MALAYSIAN.choose(min_fan=0))
    assert before.valid
    bonus = replace(case, bonus=parse_tiles("1f"))
    plain = MALAYSIAN.settle_win(bonus, MALAYSIAN.choose(min_fan=0))
    place = data.draw(st.integers(0, len(case.hand) - 1))
    with_fly = (*case.hand[:place], Tile.parse("jk"), *case.hand[place + 1 :])
    flying = MALAYSIAN.settle_win(replace(bonus, hand=with_fly), MALAYSIAN.choose(min_fan=0))
    assert flying.valid
    assert flying.totals["fan"] >= plain.totals["fan"]
    assert sum(flying.deltas) == sum(plain.deltas) == 0


@given(wins("japanese_3p"), st.integers(0, 3))
@FEW
def test_japanese_dora_never_lower_the_payment(case, dora):
    case = replace(case, source=None)
    plain = JAPANESE.settle_win(case, JAPANESE.options)
    shown = JAPANESE.settle_win(replace(case, dora=(case.winning_tile,) * dora), JAPANESE.options)
    assert shown.valid is plain.valid
    assert sum(shown.deltas) == 0
    if plain.valid:
        assert shown.deltas[case.winner] >= plain.deltas[case.winner]


@given(wins("japanese_3p", exposed=False))
@FEW
def test_japanese_furiten_blocks_the_discard_and_not_the_draw(case):
    assume(case.winning_tile not in HONOURS)
    furiten = replace(case, ponds={case.winner: (case.winning_tile,)})
    refused = JAPANESE.settle_win(furiten, JAPANESE.options)
    assert "furiten" in [violation.code for violation in refused.violations]
    drawn = JAPANESE.settle_win(replace(furiten, source=None), JAPANESE.options)
    assert "furiten" not in [violation.code for violation in drawn.violations]
