"""The worked examples F01 to F42 of Filipino mahjong, and the public facts about it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.errors import CaseError, OptionError
from table_controller.rules.core.game import DealOutcome
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.tiles import Tile, format_tiles, parse_tiles
from table_controller.rules.core.wall import Break, WallPlace, wall_order
from table_controller.rules.filipino import RULESET
from table_controller.rules.filipino.options import (
    Addition,
    Combine,
    DealerKeeps,
    DealFrom,
    DiceThrow,
    DiscardedJoker,
    FalseWin,
    JaiAlaiDouble,
    JaiAlaiOthers,
    JaiAlaiPayers,
    Jokers,
    NoFlowersAt,
    Options,
    OthersPay,
    SevenPairsSet,
    Special,
    ThirteenAmount,
    ThirteenTime,
)
from table_controller.rules.filipino.play import PLAY
from table_controller.rules.filipino.scoring import (
    draw_payments,
    kong_payments,
    no_flowers_at_deal,
    read_hand,
    shapes,
    thirteen_flowers,
    tile_set,
)
from table_controller.rules.filipino.table import (
    break_wall,
    jai_alai,
    joker_indicator,
    next_dealer,
    stacks,
)
from tests.shared_data import shared_data

E, S, W, N = Seat
SEAT = dict(zip("ESWN", Seat, strict=True))
BONUS = parse_tiles("1234f 1234g 1111z 2222z 5555z 66z")
FIRST = frozenset({Flag.FIRST_TURN})


def claim(hand, winning, melds, winner, source, bonus=3, *, flags=frozenset(), **extra):
    """A case from notation; melds as (kind, tiles) or (kind, tiles, source)."""
    return Case(
        winner=SEAT[winner],
        source=None if source is None else SEAT[source],
        hand=parse_tiles(hand),
        winning_tile=Tile.parse(winning),
        melds=tuple(Meld.of(kind, text, *(SEAT[s] for s in rest)) for kind, text, *rest in melds),
        bonus=BONUS[:bonus],
        flags=flags,
        extra=extra,
    )


JOKER_5P = Options(jokers=Jokers.TURNED_TILE)
PUNGS = Options(special_double=(Special.ALL_PUNGS,))
BOTH = Options(special_double=(Special.ALL_PUNGS, Special.ONE_SUIT))
DICE = Options(dice_double=True)
FOUR_PUNGS = [("pung", "333p"), ("pung", "777s"), ("kong", "8888m"), ("pung", "999p")]
HAND_1 = "123456m 222789p 3477s"
HAND_4 = "34567m 345678p 22999s"
HAND_9 = "123456789m 11122p 35s"
# number, hand, winning tile, melds, winner, discarder, bonus tiles, V, payments, options, flags,
# extra keys
EXAMPLES = [
    ("F01", HAND_1, "5s", [], "W", "S", 3, 100, (-100, -200, 400, -100), Options(), (), {}),
    ("F02", HAND_1, "5s", [], "W", None, 3, 100, (-200, -200, 600, -200), Options(), (), {}),
    (
        "F03",
        "34m 77p",
        "5m",
        [("pung", "888p"), ("chow", "123s", "E"), ("pung", "555m"), ("chow", "234p", "E")],
        "S",
        "N",
        3,
        100,
        (-100, 400, -100, -200),
        Options(),
        (),
        {},
    ),
    ("F04", HAND_4, "2m", [], "E", "N", 0, 125, (500, -125, -125, -250), Options(), (), {}),
    ("F05", HAND_4, "2m", [], "S", None, 0, 125, (-250, 750, -250, -250), Options(), (), {}),
    (
        "F06",
        "1133m 4455566p 22889s",
        "9s",
        [],
        "N",
        "E",
        4,
        150,
        (-300, -150, -150, 600),
        Options(),
        (),
        {},
    ),
    (
        "F07",
        "1133m 4455566p 22889s",
        "9s",
        [],
        "N",
        None,
        4,
        150,
        (-300, -300, -300, 900),
        Options(),
        (),
        {},
    ),
    (
        "F08",
        "1133m 445566p 228899s",
        "5p",
        [],
        "N",
        "W",
        0,
        175,
        (-175, -175, -350, 700),
        Options(),
        (),
        {},
    ),
    ("F09", HAND_9, "4s", [], "E", None, 2, 100, (1200, -400, -400, -400), Options(), FIRST, {}),
    ("F10", HAND_9, "4s", [], "E", None, 0, 125, (1500, -500, -500, -500), Options(), FIRST, {}),
    (
        "F11",
        HAND_9,
        "4s",
        [],
        "E",
        None,
        1,
        100,
        (1200, -400, -400, -400),
        Options(),
        FIRST | {Flag.REPLACEMENT},
        {},
    ),
    ("F12", HAND_9, "4s", [], "S", None, 2, 100, (-200, 600, -200, -200), Options(), FIRST, {}),
    (
        "F13",
        "112233m 445566p 7788s",
        "8s",
        [],
        "W",
        "S",
        5,
        150,
        (-150, -300, 600, -150),
        Options(),
        (),
        {},
    ),
    (
        "F14",
        "2222m 4455566p 33889s",
        "9s",
        [],
        "W",
        "S",
        5,
        150,
        (-150, -300, 600, -150),
        Options(),
        (),
        {},
    ),
    ("F15", "1133m 4456667p 22889s", "9s", [], "N", "E", 4, None, (0,) * 4, Options(), (), {}),
    ("F16", "55m 44p", "5m", FOUR_PUNGS, "S", "E", 6, 100, (-400, 800, -200, -200), PUNGS, (), {}),
    (
        "F17",
        "55m 44p",
        "5m",
        FOUR_PUNGS,
        "S",
        "E",
        6,
        100,
        (-200, 400, -100, -100),
        Options(),
        (),
        {},
    ),
    (
        "F18",
        "1112223334445666m",
        "5m",
        [],
        "W",
        None,
        3,
        100,
        (-800, -800, 2400, -800),
        BOTH,
        (),
        {},
    ),
    (
        "F19",
        "12456m 5789p 2223457s",
        "7s",
        [],
        "E",
        "N",
        3,
        100,
        (400, -100, -100, -200),
        JOKER_5P,
        (),
        {"joker_face": "5p"},
    ),
    (
        "F20",
        "123456m 55789p 22234s",
        "7s",
        [],
        "E",
        "N",
        3,
        100,
        (400, -100, -100, -200),
        JOKER_5P,
        (),
        {"joker_face": "5p"},
    ),
    (
        "F21",
        "1133m 4456777p 22889s",
        "9s",
        [],
        "S",
        None,
        2,
        150,
        (-300, 900, -300, -300),
        JOKER_5P,
        (),
        {"joker_face": "5p"},
    ),
    (
        "F22",
        "456m 345789p 2223457s",
        "7s",
        [],
        "E",
        "N",
        3,
        100,
        (400, -100, -100, -200),
        JOKER_5P,
        (),
        {"joker_face": "5p"},
    ),
    (
        "F23",
        "1246m 23455666p 7899s",
        "9m",
        [],
        "N",
        "W",
        3,
        None,
        (0,) * 4,
        JOKER_5P,
        (),
        {"joker_face": "5p"},
    ),
    (
        "F24",
        "789m 5s",
        "5s",
        [("chow", "123m", "E"), ("chow", "456p", "E"), ("pung", "222s"), ("pung", "333p")],
        "S",
        "E",
        1,
        100,
        (-200, 400, -100, -100),
        Options(),
        (),
        {},
    ),
    (
        "F25",
        "57m 88p",
        "6m",
        [("chow", "123m", "E"), ("pung", "444s"), ("pung", "999p"), ("pung", "222m")],
        "S",
        "W",
        2,
        100,
        (-100, 400, -200, -100),
        Options(),
        {Flag.ROBBING_KONG},
        {},
    ),
    (
        "F26",
        HAND_1,
        "5s",
        [],
        "W",
        "S",
        3,
        100,
        (-200, -400, 800, -200),
        DICE,
        (),
        {"deal_dice": [[5, 4], [3, 3]]},
    ),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=[example[0] for example in EXAMPLES])
def test_worked_example(example):
    _, hand, winning, melds, winner, source, bonus, value, deltas, options, flags, extra = example
    case = claim(hand, winning, melds, winner, source, bonus, flags=frozenset(flags), **extra)
    answer = RULESET.settle_win(case, options)
    assert answer.valid is (value is not None)
    assert answer.deltas == deltas
    if value is not None:
        assert answer.totals["value"] == value
        assert all(item.why and item.native for item in answer.items)
        assert not answer.violations
    else:
        assert [violation.code for violation in answer.violations] == ["not_a_win"]


def test_f15_seven_pairs_and_a_chow_is_a_hand_where_any_set_counts():
    case = claim("1133m 4456667p 22889s", "9s", [], "N", "E", 4)
    answer = RULESET.settle_win(case, Options(seven_pairs_set=SevenPairsSet.ANY_SET))
    assert answer.totals["value"] == 150


def test_f27_thirteen_flowers_are_paid_at_once():
    assert totals(thirteen_flowers(N, Options())) == (-25, -25, -25, 75)


def test_f28_thirteen_flowers_and_a_later_loss():
    options = Options()
    once = thirteen_flowers(N, options)
    win = RULESET.settle_win(claim(HAND_1, "5s", [], "W", "N", 3), options)
    assert totals([*once, *win.payments]) == (-125, -125, 375, -125)


def test_f29_two_players_reach_thirteen():
    options = Options()
    both = [*thirteen_flowers(E, options), *thirteen_flowers(S, options)]
    assert totals(both) == (50, 50, -50, -50)


def test_thirteen_flowers_may_wait_for_the_end_or_follow_the_winning_hand():
    case = claim(HAND_1, "5s", [], "W", "S", 13)
    at_end = Options(thirteen_flowers_time=ThirteenTime.END_OF_HAND)
    assert RULESET.settle_win(case, at_end).deltas == (-125, -225, 475, -125)
    by_hand = Options(
        thirteen_flowers_amount=ThirteenAmount.QUARTER_PAYMENT,
        special_double=(Special.ONE_SUIT,),
        dice_double=True,
        dice_double_throw=DiceThrow.ANY,
    )
    doubled = claim(HAND_1, "5s", [], "W", "S", 13, deal_dice=[[2, 2], [3, 4]])
    assert RULESET.settle_win(doubled, by_hand).deltas == (-250, -450, 950, -250)
    other = Case(
        winner=W,
        source=S,
        hand=parse_tiles(HAND_1),
        winning_tile=Tile.parse("5s"),
        bonus=parse_tiles("1f"),
        others={E: ShownHand(bonus=BONUS[1:14])},
    )
    assert RULESET.settle_win(other, at_end).deltas == (75 - 100, -225, 375, -125)
    assert totals(draw_payments((13, 2, 0, 0), at_end)) == (75, -25, -25, -25)
    assert draw_payments((13, 2, 0, 0), Options()) == []


def test_f30_markers_of_a_bunot_win_the_jai_alai_and_one_is_left():
    options = Options(jai_alai=True)
    won = jai_alai((0, 4, 2, 1), S, options, bunot=True, doubled=False)
    assert (won.winner, won.markers) == (S, (0, 1, 0, 0))
    assert totals(won.payments) == (-100, 300, -100, -100)


def test_f31_a_doubled_bunot_wins_the_jai_alai_exactly():
    options = Options(jai_alai=True)
    exact = jai_alai((2, 4, 1, 0), E, options, bunot=True, doubled=True)
    assert (exact.winner, exact.markers) == (E, (0, 0, 0, 0))
    assert totals(exact.payments) == (300, -100, -100, -100)


def test_f32_an_ordinary_win_adds_a_marker_and_a_draw_none():
    options = Options(jai_alai=True)
    going_on = jai_alai((0, 4, 3, 2), N, options, bunot=False, doubled=False)
    assert (going_on.winner, going_on.markers, going_on.payments) == (None, (0, 4, 3, 3), ())
    assert jai_alai((1, 2, 3, 4), None, options, bunot=False, doubled=False).markers == (1, 2, 3, 4)


def test_jai_alai_options():
    keep = Options(
        jai_alai_others=JaiAlaiOthers.KEEP,
        jai_alai_payers=JaiAlaiPayers.SHARED,
        jai_alai_double=JaiAlaiDouble.ANY_DOUBLE_PAYMENT,
    )
    won = jai_alai((0, 4, 2, 1), S, keep, bunot=False, doubled=False)
    assert won.markers == (0, 1, 2, 1)
    assert totals(won.payments) == (-33, 100, -34, -33)
    dear = Options(jai_alai_prize=300)
    assert totals(jai_alai((4, 0, 0, 0), E, dear, bunot=False, doubled=False).payments)[0] == 900
    with pytest.raises(OptionError, match="jai_alai_prize"):
        Options(jai_alai_prize=-1)


def test_f33_break():
    # two stacks of North's wall are counted off; the deal starts with the third, upper tile
    def begins(found):
        return wall_order((18,) * 4, found.side, found.stacks)[0]

    assert begins(break_wall(E, 9, 11, Options())) == WallPlace(side=N, stack=2, layer=1)
    assert PLAY.break_wall(E, (4, 5), Options()) == Break(E, None)  # the second throw is to come
    by_dealer = Options(deal_start=DealFrom.DEALER_WALL)
    assert begins(break_wall(S, 9, 11, by_dealer)) == WallPlace(side=S, stack=0, layer=1)


def test_f38_chow_out_of_turn():
    anyone = Options(chow_from_any=True)
    skipped = claim("456m 222789p 3477s", "5s", [("chow", "123m", "N")], "S", "W")
    answer = RULESET.settle_win(skipped, Options())
    assert [violation.code for violation in answer.violations] == ["wrong_call"]
    assert RULESET.settle_win(skipped, anyone).valid


def test_f39_false_win():
    case = claim(HAND_1, "9s", [], "W", "S")
    refused = RULESET.settle_win(case, Options())
    assert refused.violations[0].penalty == ()
    assert "dead" in refused.violations[0].text
    paid = RULESET.settle_win(case, Options(false_win=FalseWin.PAY_ALL))
    assert totals(paid.violations[0].penalty) == (200, 200, -600, 200)
    assert paid.payments == ()


def test_f40_kong_side_payments():
    on = Options(kong_payments=True)
    assert totals(kong_payments(S, MeldKind.CONCEALED_KONG, on)) == (-50, 150, -50, -50)
    assert totals(kong_payments(W, MeldKind.ADDED_KONG, on)) == (-50, -50, 150, -50)
    assert totals(kong_payments(W, MeldKind.KONG, on)) == (-25, -25, 75, -25)
    assert kong_payments(S, MeldKind.CONCEALED_KONG, Options()) == []


def test_f41_a_bonus_tile_passes_the_indicator_on():
    tops = parse_tiles("1m 2m 3m 4m 5m 6m 7m 5z 3s 4s")
    assert joker_indicator(tops, 8) == (9, Tile.parse("3s"))
    assert joker_indicator(tops, 2) == (2, Tile.parse("2m"))
    with pytest.raises(CaseError, match="throw again"):
        joker_indicator(parse_tiles("1z 2z"), 1)


def test_f42_a_drawn_hand_costs_nothing_and_the_deal_passes():
    assert draw_payments((3, 5, 0, 7), Options()) == []
    assert next_dealer(N, None, Options()) is E
    assert next_dealer(E, E, Options()) is S
    assert next_dealer(E, E, Options(dealer_keeps=DealerKeeps.ON_WIN)) is E
    assert next_dealer(E, None, Options(dealer_keeps=DealerKeeps.ON_WIN)) is S
    assert next_dealer(E, None, Options(dealer_keeps=DealerKeeps.ON_WIN_OR_DRAW)) is E
    assert next_dealer(E, S, Options(dealer_keeps=DealerKeeps.ON_WIN_OR_DRAW)) is S


def test_wall_and_set_sizes():
    assert len(tile_set(Options())) == 144
    assert stacks(Options()) == (18, 18, 18, 18)
    printed = Options(jokers=Jokers.PRINTED, printed_jokers=4)
    assert len(tile_set(printed)) == 148
    assert stacks(printed) == (19, 18, 19, 18)


def test_no_flowers_at_the_deal():
    assert totals(no_flowers_at_deal((0, 3, 2, 1), Options())) == (75, -25, -25, -25)
    assert Options(no_flowers_at=NoFlowersAt.DEAL_AND_WIN).no_flowers_at == "deal_and_win"


# --- the public pages (data/oracles/filipino_facts) -------------------------------------------


def _pages():
    path = shared_data("oracles/filipino_facts") / "filipino_cases.json"
    return json.loads(path.read_text(encoding="utf-8"))


def _facts_tiles(text):
    return parse_tiles(text.replace("b", "p").replace("c", "m").replace(" ", ""))


def test_shape_facts_of_another_implementation():
    cases = _pages()["shape_tests"]["cases"]
    assert len(cases) == 3
    for fact in cases:
        tiles = _facts_tiles(fact["hand"])
        case = Case(winner=E, source=None, hand=tiles[:-1], winning_tile=tiles[-1], bonus=BONUS[:1])
        assert RULESET.settle_win(case, Options()).valid is fact["is_win"], fact


def test_the_rules_of_another_implementation_are_here_an_option():
    """Its dealer stays after an own win; our source passes the deal on after every hand."""
    facts = _pages()["shape_tests"]["facts"]
    assert [fact[:24] for fact in facts] == [
        "of several winners the n",
        "the dealer stays after a",
        "an aborted hand keeps th",
    ]
    # of several winners the nearest takes it: test_f37_claims_on_one_discard
    theirs = Options(dealer_keeps=DealerKeeps.ON_WIN)
    assert [next_dealer(S, winner, theirs) for winner in (S, E, None)] == [S, W, W]
    assert next_dealer(S, S, Options()) is W
    # A hand ended by a false win is a hand: the deal passes on here, there it is dealt again.
    start = replace(PLAY.first_deal(theirs), dealer=S)
    ended = DealOutcome(points=start.points, replayed=True)
    assert PLAY.next_deal(start, ended, theirs).dealer is W


def test_the_money_examples_of_the_public_pages():
    pages = _pages()["worked_examples"]
    base = 100
    chows, pungs, fitch = pages
    # 11c 345d 678b 78b+9b, melded 234c 789d: all chows, no other addition of that page agreed
    options = Options(extra_additions=(Addition.ALL_CHOWS, Addition.ALL_PUNGS))
    case = claim(
        "11m 345p 678s 78s",
        "9s",
        [("chow", "234m", "E"), ("chow", "789p", "E")],
        "S",
        "N",
        2,
    )
    answer = RULESET.settle_win(case, options)
    assert answer.totals["points"] == base * chows["total"]
    assert answer.deltas[N] == -base * chows["payments"]["discarder"]
    assert answer.deltas[W] == -base * chows["payments"]["others"]
    pung = RULESET.settle_win(claim("55m 44p", "5m", FOUR_PUNGS, "S", "E", 6), options)
    assert pung.totals["points"] == base * pungs["value"]
    # "total collected 5.0": discarder 2.5 and two others 1.25 each
    assert pung.deltas[S] == base * pungs["total_collected"]
    assert fitch["thrower"] == 2 * fitch["typical"]
    assert int(base * fitch["thirteen_flowers"]) == thirteen_flowers(E, Options())[0].points
    on = Options(kong_payments=True)
    assert kong_payments(E, MeldKind.KONG, on)[0].points == base * fitch["open_kong"]
    assert kong_payments(E, MeldKind.CONCEALED_KONG, on)[0].points == base * fitch["secret_kong"]
    assert kong_payments(E, MeldKind.ADDED_KONG, on)[0].points == base * fitch["sagasa"]
    run = claim("123456789m 11122p 35s", "4s", [], "S", "E", 2)
    agreed = Options(extra_additions=(Addition.COMPLETE_RUN, Addition.HARD_WAIT))
    worth = 1 + fitch["escalera"] + fitch["middle_wait"]
    assert RULESET.settle_win(run, agreed).totals["points"] == base * worth


def test_the_vector_of_the_research_notes():
    # 1 + all pungs 0.25 + concealed 0.25 = 1.50; discard 3.00 + 1.50 + 1.50; self-draw 3.00 each
    options = Options(extra_additions=(Addition.ALL_PUNGS, Addition.CONCEALED))
    hand = "111333m 555777p 99s 22s"
    by_discard = RULESET.settle_win(claim(hand, "9s", [], "E", "S", 3), options)
    assert by_discard.deltas == (600, -300, -150, -150)
    drawn = RULESET.settle_win(claim(hand, "9s", [], "E", None, 3), options)
    assert drawn.deltas == (900, -300, -300, -300)


# --- options ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("addition", "hand", "winning", "melds", "holds"),
    [
        (Addition.TWO_PAIR_WAIT, "123456m 123789p 77s 99s", "9s", [], True),
        (Addition.TWO_PAIR_WAIT, "123456m 123789p 999s 7s", "7s", [], False),
        (Addition.HARD_WAIT, "123456m 123789p 999s 7s", "7s", [], True),
        (Addition.HARD_WAIT, "123456m 123789p 99s 46s", "5s", [], True),
        (Addition.HARD_WAIT, "123456m 123789p 99s 12s", "3s", [], True),
        (Addition.HARD_WAIT, "123456m 123789p 99s 23s", "1s", [], False),
        (Addition.ALL_CHOWS, "123456m 123789p 99s 23s", "1s", [], True),
        (Addition.ALL_CHOWS, "111m 456m 123789p 99s 23s", "1s", [], False),
        (Addition.COMPLETE_RUN, "123m 456m 79m 111p 222p 33s", "8m", [], True),
        (Addition.COMPLETE_RUN, "123m 456m 67m 111p 222p 33s", "8m", [], False),
        (Addition.COMPLETE_RUN, "123m 79m 111p 222p 33s", "8m", [("chow", "456m", "W")], True),
        (Addition.CONCEALED, "123m 79m 111p 222p 33s", "8m", [("chow", "456m", "W")], False),
        (Addition.CONCEALED, "79m 333s 111p 222p 33m", "8m", [("concealed_kong", "2222s")], True),
        (Addition.ONE_SUIT, "111222333444m 55m 6p 8p", "7p", [], False),
        (Addition.ONE_SUIT, "1112223334445556m", "6m", [], True),
    ],
)
def test_house_additions(addition, hand, winning, melds, holds):
    options = Options(extra_additions=(addition,))
    answer = RULESET.settle_win(claim(hand, winning, melds, "N", "W"), options)
    assert answer.valid
    assert (addition.value in [item.id for item in answer.items]) is holds


def test_all_open_and_five_discards():
    melds = [("pung", "333p"), ("pung", "777s"), ("kong", "8888m"), ("pung", "999p")]
    options = Options(extra_additions=(Addition.ALL_OPEN, Addition.FIVE_DISCARDS))
    five = claim("5m", "5m", [*melds, ("chow", "123m", "E")], "S", "E", discards=5)
    assert RULESET.settle_win(five, options).totals["points"] == 150
    six = claim("5m", "5m", [*melds, ("concealed_kong", "1111s")], "S", "E", discards=6)
    assert RULESET.settle_win(six, options).totals["points"] == 100
    unclear = claim("5m", "5m", [*melds, ("chow", "123m", "E")], "S", "E", discards="few")
    with pytest.raises(CaseError, match="discards"):
        RULESET.settle_win(unclear, options)


def test_additions_may_be_multiplied():
    case = claim("1133m 445566p 228899s", "5p", [], "N", "W", 0)
    product = Options(combine_additions=Combine.PRODUCT)
    assert RULESET.settle_win(case, product).totals["value"] == 188  # 187.5 is rounded up
    whole = Options(combine_additions=Combine.PRODUCT, base=200)
    assert RULESET.settle_win(case, whole).totals["value"] == 375


def test_others_may_be_free_on_a_discard():
    case = claim(HAND_1, "5s", [], "W", "S")
    alone = Options(others_pay_on_discard=OthersPay.NONE)
    assert RULESET.settle_win(case, alone).deltas == (0, -200, 200, 0)


def test_fewer_players():
    case = claim(HAND_1, "5s", [], "W", "S")
    assert RULESET.settle_win(case, Options(players=3)).deltas == (-100, -200, 300)
    with pytest.raises(CaseError, match="does not play"):
        RULESET.settle_win(case, Options(players=2))


def test_dealer_first_draw_can_be_limited_or_off():
    case = claim(HAND_9, "4s", [], "E", None, 1, flags=FIRST | {Flag.REPLACEMENT})
    strict = Options(dealer_first_draw_after_replacement=False)
    assert RULESET.settle_win(case, strict).totals["points"] == 100
    assert RULESET.settle_win(case, Options(dealer_first_draw=False)).totals["points"] == 100


def test_seven_pairs_options():
    four = claim("2222m 4455566p 33889s", "9s", [], "W", "S", 5)
    apart = Options(seven_pairs_four_as_two=False)
    assert not RULESET.settle_win(four, apart).valid
    opened = claim("1133m 4466p 22889s", "9s", [("pung", "555p")], "N", "E", 4)
    assert not RULESET.settle_win(opened, Options()).valid
    assert RULESET.settle_win(opened, Options(seven_pairs_open_pung=True)).totals["value"] == 150
    double = Options(seven_pairs_bonus=100)
    case = claim("1133m 4455566p 22889s", "9s", [], "N", "E", 4)
    assert RULESET.settle_win(case, double).totals["value"] == 200


def test_discarded_jokers():
    # the 5p completes 456p as its printed face, jokers or not
    case = claim("123456m 46p 789p 222s 77s", "5p", [], "E", "N", joker_face="5p")
    assert RULESET.settle_win(case, JOKER_5P).valid
    dead = Options(jokers=Jokers.TURNED_TILE, discarded_joker=DiscardedJoker.DEAD)
    answer = RULESET.settle_win(case, dead)
    assert [violation.code for violation in answer.violations] == ["joker_misuse"]
    # as any other tile it may not be claimed ...
    as_other = claim("12456m 789p 222345s 77s", "5p", [], "E", "N", joker_face="5p")
    assert not RULESET.settle_win(as_other, JOKER_5P).valid
    # ... but drawn it stands for anything
    drawn = claim("12456m 789p 222345s 77s", "5p", [], "E", None, joker_face="5p")
    assert RULESET.settle_win(drawn, JOKER_5P).valid


def test_a_claimed_joker_makes_no_meld():
    meld = Meld(MeldKind.PUNG, parse_tiles("555p"), N, Tile.parse("5p"))
    case = Case(
        winner=E,
        source=N,
        hand=parse_tiles("123456m 789p 22s 77s"),
        winning_tile=Tile.parse("2s"),
        melds=(meld,),
        extra={"joker_face": "5p"},
    )
    answer = RULESET.settle_win(case, JOKER_5P)
    assert [violation.code for violation in answer.violations] == ["joker_misuse"]
    natural = Options(jokers=Jokers.TURNED_TILE, discarded_joker=DiscardedJoker.NATURAL)
    assert RULESET.settle_win(case, natural).valid


def test_printed_jokers_in_hand_and_melds():
    printed = Options(jokers=Jokers.PRINTED)
    case = claim("123456m 789p 22s 7s jk", "7s", [("pung", "55p jk")], "E", "N")
    assert RULESET.settle_win(case, printed).valid
    with pytest.raises(CaseError, match="copies of jk"):
        RULESET.settle_win(case, Options())
    discarded = claim("123456m 789p 22s 77s", "jk", [("pung", "555p")], "E", "N")
    answer = RULESET.settle_win(discarded, printed)
    assert [violation.code for violation in answer.violations] == ["joker_misuse"]


def test_a_set_aside_indicator_leaves_three_jokers():
    options = Options(jokers=Jokers.TURNED_TILE, joker_indicator_drawable=False)
    case = claim("123456m 5555p 789p 22s 7s", "7s", [], "E", "N", joker_face="5p")
    with pytest.raises(CaseError, match="four 5p"):
        RULESET.settle_win(case, options)
    assert RULESET.settle_win(case, JOKER_5P).valid


@pytest.mark.parametrize(
    ("hand", "winning", "melds", "extra", "says"),
    [
        ("123456m 222789p 347s", "5s", [], {}, "holds 16"),
        (HAND_1, "5s", [("pung", "111m")], {}, "holds 13"),
        ("11111m 2345m 222789p 3s", "5s", [], {}, "5 copies of 1m"),
        (HAND_1, "5s", [], {"joker_face": "5p"}, "set that option"),
        ("123406m 222789p 3477s", "5s", [], {}, "red fives"),
    ],
)
def test_what_cannot_lie_on_the_table_is_an_error(hand, winning, melds, extra, says):
    with pytest.raises(CaseError, match=says):
        RULESET.settle_win(claim(hand, winning, melds, "W", "S", **extra), Options())


def test_what_is_no_meld_is_asked_about():
    case = claim("123m 456m 789m 55s", "5s", [], "S", "E")
    for tiles in ("112s", "1s jk 9s"):
        pung = Meld(MeldKind.PUNG, parse_tiles(tiles), E)
        with pytest.raises(CaseError, match="tiles differ"):
            RULESET.settle_win(
                replace(case, hand=parse_tiles("123m 456m 789m 99p 55s"), melds=(pung,)),
                Options(jokers=Jokers.PRINTED),
            )


def test_a_kept_flower_makes_a_false_win():
    case = claim("123456m 222789p 345s 7z", "7z", [], "W", "S")
    answer = RULESET.settle_win(case, Options())
    assert [violation.code for violation in answer.violations] == ["not_a_win"]
    assert "7z" in answer.violations[0].text


def test_robbing_a_kong_may_be_forbidden():
    case = claim(HAND_1, "5s", [], "W", "S", flags=frozenset({Flag.ROBBING_KONG}))
    assert RULESET.settle_win(case, Options()).valid
    answer = RULESET.settle_win(case, Options(rob_kong=False))
    assert [violation.code for violation in answer.violations] == ["wrong_call"]


def waits(hand, face=None):
    suited = parse_tiles("123456789m 123456789p 123456789s")
    return [
        tile
        for tile in suited
        if shapes(read_hand(hand, tile, (), face, self_drawn=False), Options())
    ]


def test_waits_of_sixteen_tiles():
    assert format_tiles(waits(parse_tiles(HAND_1))) == "25s"
    pairs = parse_tiles("1133m 445566p 228899s")
    assert format_tiles(waits(pairs)) == "13m 456p 289s"
    wild = waits(parse_tiles("123456789m 123p 77s 5p 2s"), Tile.parse("5p"))
    assert format_tiles(wild) == "12347s"


@pytest.mark.parametrize("name", list(RULESET.presets))
def test_every_preset_settles(name):
    options = RULESET.choose(name)
    answer = RULESET.settle_win(claim(HAND_1, "5s", [], "W", "S"), options)
    assert answer.valid
    assert sum(answer.deltas) == 0
