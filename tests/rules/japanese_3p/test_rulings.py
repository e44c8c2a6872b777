"""The rulings of the specification, section 19, by their numbers, and the other conditions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.rules.core.case import Case, Evidence, Flag
from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    Drawn,
    HandShown,
    IndicatorShown,
    KongDeclared,
    MeldCalled,
    ReadyAccepted,
    ReadyDeclared,
    WinClaimed,
)
from table_controller.rules.core.game import (
    Deal,
    DealOutcome,
    claim_actions,
    conclude,
    open_deal,
    own_turn_actions,
    play_deal,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import Awaiting, DealState, SeatState, apply
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.core.wall import Wall
from table_controller.rules.japanese_3p import RULESET
from table_controller.rules.japanese_3p.match import (
    final,
    first_deal,
    next_deal,
    noten_payments,
    wall_plan,
)
from table_controller.rules.japanese_3p.play import PLAY, case_of, indicator_due
from tests.rules.korean_japanese_3p.notation import meld

EAST, SOUTH, WEST = Seat.A, Seat.B, Seat.C
OPTIONS = RULESET.options
KOKUSHI = "9m 19p 19s 1234z 5667z"  # waits for 1m
NORTH = Tile.parse("4z")
FILL = "1m 5p 8p 2s 5s 8s 1z 2z 3z 5z 6z 7z 9s"


def holding(text="", *, melds=(), bonus="", **more):
    return SeatState(
        hand=parse_tiles(text),
        melds=tuple(meld(one) for one in melds),
        bonus=parse_tiles(bonus),
        **more,
    )


def deal_state(east=None, south=None, west=None, **more):
    given = {
        "players": 3, "number": 0, "dealer": EAST, "round_wind": Wind.EAST,
        "points": (35_000,) * 3, "counters": 0, "deposits": 0, "goulash": 0, "wall_left": 30,
        "hand_size": 13, "kongs_replaced": True, "turn": EAST, "awaiting": Awaiting.DISCARD,
        "seats": (east or SeatState(), south or SeatState(), west or SeatState()),
    }  # fmt: skip
    return DealState(**{**given, **more})


def after(state, *events):
    for event in events:
        state = apply(state, event)
    return state


def wins(state, seat, options=OPTIONS):
    return [a for a in claim_actions(state, seat, PLAY, options) if isinstance(a[0], WinClaimed)]


def judged(state, seat, tile, source, hand, options=OPTIONS):
    """The verdict on a claim whose hand is laid open."""
    claim = WinClaimed(seat=seat, tile=Tile.parse(tile), source=source)
    shown = HandShown(seat=seat, tiles=parse_tiles(hand), winning_tile=Tile.parse(tile))
    return PLAY.judge(after(state, claim, shown), (), claim, options)


def codes(answer):
    return [one.code for one in answer.violations]


def discard(seat, tile):
    return Discarded(seat=seat, tile=Tile.parse(tile))


def settle(text, won, *, source=None, melds=(), flags=(), options=OPTIONS, winner=SOUTH, **more):
    return RULESET.settle_win(
        Case(
            winner=winner,
            source=source,
            hand=parse_tiles(text),
            winning_tile=Tile.parse(won),
            melds=tuple(meld(one) for one in melds),
            flags=frozenset(flags),
            **more,
        ),
        options,
    )


def test_r01_a_discarded_north_is_not_called():
    state = deal_state(west=holding("4z " + FILL), south=holding("44z" + FILL[5:]),
                       turn=WEST)  # fmt: skip
    state = after(state, discard(WEST, "4z"))
    assert claim_actions(state, SOUTH, PLAY, OPTIONS) == []


def test_a_north_that_was_called_makes_the_win_void():
    answer = settle("234p 678p 9s", "9s", melds=["pung(N N N<E)", "pung(G G G<W)"])
    assert codes(answer) == ["wrong_call"]
    assert "a discarded north is safe" in answer.violations[0].text


def test_r02_kokushi_wins_a_discarded_north():
    hand = "19m 19p 19s 123z 5667z"  # waits for the missing north
    state = deal_state(west=holding("4z " + FILL), south=holding(hand), turn=WEST)
    state = after(state, discard(WEST, "4z"))
    assert len(wins(state, SOUTH)) == 1
    answer = judged(state, SOUTH, "4z", WEST, hand)
    assert answer.totals == {"yakuman": 2}


def test_nobody_else_wins_a_discarded_north():
    hand = "222z 345s 678s 99s 44z"
    state = deal_state(west=holding("4z " + FILL), south=holding(hand), turn=WEST)
    state = after(state, discard(WEST, "4z"))
    assert wins(state, SOUTH) == []
    answer = judged(state, SOUTH, "4z", WEST, hand)
    assert codes(answer) == ["north_safe"]


def test_r03_kokushi_robs_a_north_that_is_set_aside():
    hand = "19m 19p 19s 123z 5667z"
    state = deal_state(east=replace(holding("4z " + FILL), has_drawn=True), south=holding(hand))
    deal = Deal(state, Wall(parse_tiles("1p") * 30), PLAY, OPTIONS)
    events = list(
        play_deal(
            deal,
            lambda state, seat, actions: next(
                (a for a in actions if isinstance(a[0], WinClaimed | BonusSetAside)), actions[0]
            ),
        )
    )
    assert events[0] == BonusSetAside(seat=EAST, tile=NORTH)
    assert events[1] == WinClaimed(seat=SOUTH, tile=NORTH, source=EAST)
    verdicts = conclude(deal.state, deal.history, PLAY, OPTIONS)
    answer = verdicts[0].answer
    assert answer.totals == {"yakuman": 2}
    assert answer.deltas == (-64_000, 64_000, 0)
    ordinary = "222z 345s 678s 99s 44z"
    state = after(deal_state(east=holding("4z " + FILL)), BonusSetAside(seat=EAST, tile=NORTH))
    assert codes(judged(state, SOUTH, "4z", EAST, ordinary)) == ["wrong_robbing"]


def concealed_kong(tile):
    return KongDeclared(
        seat=EAST, meld=Meld(MeldKind.CONCEALED_KONG, parse_tiles(tile[0] * 4 + tile[1]))
    )


def test_r04_kokushi_robs_a_concealed_kong():
    hand = "19m 9p 19s 1234z 5667z"
    state = deal_state(east=holding("1111p 2s 5s 8s 1z 2z 3z 5z 6z 7z 9s"), south=holding(hand))
    state = after(state, concealed_kong("1p"))
    assert len(wins(state, SOUTH)) == 1
    answer = judged(state, SOUTH, "1p", EAST, hand)
    assert answer.valid
    assert "chankan" not in [item.id for item in answer.items]


def test_r05_other_hands_do_not():
    hand = "222z 345s 678s 99s 45p"
    state = deal_state(east=holding("6666p 2s 5s 8s 1z 2z 3z 5z 6z 7z 9s"), south=holding(hand))
    state = after(state, concealed_kong("6p"))
    assert wins(state, SOUTH) == []
    assert codes(judged(state, SOUTH, "6p", EAST, hand)) == ["wrong_robbing"]


ROBBER = "234p 678s 999s 11s 45p"


def promoted():
    state = deal_state(
        east=holding("6p 2s 5s 8s 1z 2z 3z 5z 6z 7z 9s", melds=["pung(666p<W)"]),
        south=holding(ROBBER),
    )
    grown = Meld(MeldKind.ADDED_KONG, parse_tiles("6666p"), WEST)
    return after(state, KongDeclared(seat=EAST, meld=grown, added=Tile.parse("6p")))


def test_r06_chankan_alone_is_a_yaku():
    state = promoted()
    assert len(wins(state, SOUTH)) == 1
    answer = judged(state, SOUTH, "6p", EAST, ROBBER)
    assert {item.id: item.value for item in answer.items} == {"chankan": 1, "bazoro": 2}
    assert answer.deltas == (-1000, 1000, 0)
    strict = RULESET.choose(atozuke_applies_to_robbing=True)
    assert codes(judged(state, SOUTH, "6p", EAST, ROBBER, strict)) == ["atozuke"]


def set_aside_state(bonus):
    state = deal_state(east=replace(holding("4z " + FILL, bonus=bonus[EAST]), has_drawn=True),
                       south=holding(FILL, bonus=bonus[SOUTH]),
                       west=holding(FILL, bonus=bonus[WEST]))  # fmt: skip
    wall = Wall(
        parse_tiles("1p") * 20, reserved=4, dead=(19, 18), indicators=(17, 16), under=(15, 14)
    )
    return Deal(state, wall, PLAY, OPTIONS)


def first(deal, wanted, stop=3):
    """The first events of the deal, its players choosing what is wanted first."""
    events = []
    play = play_deal(deal, lambda state, seat, actions: next(
        (a for a in actions if isinstance(a[0], wanted)), actions[-1]))  # fmt: skip
    for event in play:
        events.append(event)
        if len(events) == stop:
            break
    return events


def test_r07_the_fourth_north_set_aside_turns_an_indicator():
    deal = set_aside_state({EAST: "", SOUTH: "", WEST: "444z"})
    events = first(deal, BonusSetAside)
    assert [type(event) for event in events] == [BonusSetAside, IndicatorShown, Drawn]
    deal = set_aside_state({EAST: "", SOUTH: "", WEST: "44z"})
    assert [type(event) for event in first(deal, BonusSetAside)[:2]] == [BonusSetAside, Drawn]


@pytest.mark.parametrize(("counted", "due"), [("set_aside", False), ("visible", True)])
def test_r08_a_fourth_north_that_is_discarded(counted, due):
    state = deal_state(east=holding("4z " + FILL), west=holding(FILL, bonus="444z"))
    event = discard(EAST, "4z")
    options = RULESET.choose(fourth_north_dora=counted)
    assert indicator_due(after(state, event), event, options) is due


def in_riichi(hand, drawn, **more):
    state = deal_state(south=holding(hand, ready_at=0), turn=SOUTH, awaiting=Awaiting.DRAW, **more)
    return after(state, Drawn(seat=SOUTH, tile=Tile.parse(drawn)))


def test_r09_no_concealed_kong_after_riichi():
    state = in_riichi("444p 234s 678s 99s 56s", "4p")
    assert own_turn_actions(state, PLAY, OPTIONS) == [
        (Discarded(seat=SOUTH, tile=Tile.parse("4p"), as_drawn=True),)
    ]
    allowed = RULESET.choose(concealed_kong_after_riichi=True)
    kinds = [type(action[0]) for action in own_turn_actions(state, PLAY, allowed)]
    assert KongDeclared in kinds
    changes = in_riichi("4445p 234s 678s 999s", "4p")  # the kong would end the wait on 3p and 6p
    kinds = [type(action[0]) for action in own_turn_actions(changes, PLAY, allowed)]
    assert KongDeclared not in kinds


def test_r10_a_north_drawn_after_riichi():
    state = in_riichi("444p 234s 678s 99s 56s", "4z")
    assert {type(action[0]) for action in own_turn_actions(state, PLAY, OPTIONS)} == {
        BonusSetAside, Discarded,
    }  # fmt: skip
    kept = RULESET.choose(north_after_riichi=False)
    assert {type(action[0]) for action in own_turn_actions(state, PLAY, kept)} == {Discarded}


def riichi():
    return (
        ReadyDeclared(seat=WEST),
        discard(WEST, "1z"),
        ReadyAccepted(seat=WEST, deposit=1000),
    )


def riichi_west(*between, options=OPTIONS, last="9s"):
    """West declares riichi, things happen, and West draws the last tile."""
    state = deal_state(
        east=holding("4z " + FILL), south=holding(FILL),
        west=holding("444p 234s 678s 99s 78s 1z"), turn=WEST,
    )  # fmt: skip
    state = after(
        state, *riichi(),
        *between,
        Drawn(seat=WEST, tile=Tile.parse(last)),
    )  # fmt: skip
    claim = WinClaimed(seat=WEST, tile=Tile.parse(last))
    shown = HandShown(
        seat=WEST, tiles=parse_tiles("444p 234s 678s 99s 78s"), winning_tile=Tile.parse(last)
    )
    return after(state, claim, shown), claim


def east_turn(*more):
    return (Drawn(seat=EAST, tile=Tile.parse("1p")), *more, discard(EAST, "1p"))


def south_turn(*more):
    return (Drawn(seat=SOUTH, tile=Tile.parse("1p")), *more, discard(SOUTH, "1p"))


def flags_of(state, claim, options=OPTIONS):
    return case_of(state, claim, options).flags


def test_r11_an_opponents_north_ends_ippatsu():
    state, claim = riichi_west(*east_turn(), *south_turn())
    assert Flag.ONE_SHOT in flags_of(state, claim)
    aside = (BonusSetAside(seat=EAST, tile=NORTH), Drawn(seat=EAST, tile=Tile.parse("2p"),
                                                        replacement=True))  # fmt: skip
    state, claim = riichi_west(*east_turn(*aside), *south_turn())
    assert Flag.ONE_SHOT not in flags_of(state, claim)


def test_r12_the_own_north_does_not():
    state = deal_state(
        east=holding(FILL), south=holding(FILL), west=holding("444p 234s 678s 99s 78s 1z"),
        turn=WEST,
    )  # fmt: skip
    state = after(
        state, *riichi(),
        *east_turn(), *south_turn(),
        Drawn(seat=WEST, tile=NORTH), BonusSetAside(seat=WEST, tile=NORTH),
        Drawn(seat=WEST, tile=Tile.parse("9s"), replacement=True),
    )  # fmt: skip
    claim = WinClaimed(seat=WEST, tile=Tile.parse("9s"))
    shown = HandShown(
        seat=WEST, tiles=parse_tiles("444p 234s 678s 99s 78s"), winning_tile=Tile.parse("9s")
    )
    state = after(state, claim, shown)
    assert {Flag.ONE_SHOT, Flag.REPLACEMENT} <= flags_of(state, claim)
    answer = PLAY.judge(state, (), claim, OPTIONS)
    assert {"ippatsu", "rinshan_kaihou", "double_riichi", "pei_dora"} <= {
        i.id for i in answer.items
    }
    anyone = RULESET.choose(ippatsu_broken_by="anyone")
    assert Flag.ONE_SHOT not in flags_of(state, claim, anyone)


def test_ippatsu_ends_with_a_call_and_with_the_own_next_discard():
    pung = MeldCalled(seat=SOUTH, meld=Meld(MeldKind.PUNG, parse_tiles("111p"), EAST))
    state = deal_state(
        east=holding(FILL), south=holding("11p " + FILL), west=holding("444p 234s 678s 99s 78s 1z"),
        turn=WEST,
    )  # fmt: skip
    ready = riichi()
    won = (Drawn(seat=WEST, tile=Tile.parse("9s")), WinClaimed(seat=WEST, tile=Tile.parse("9s")))
    shown = HandShown(
        seat=WEST, tiles=parse_tiles("444p 234s 678s 99s 78s"), winning_tile=Tile.parse("9s")
    )
    called = after(state, *ready, *east_turn(), pung, discard(SOUTH, "5p"), *won, shown)
    assert Flag.ONE_SHOT not in flags_of(called, won[1])
    once_more = (Drawn(seat=WEST, tile=Tile.parse("1p")), discard(WEST, "1p"))
    later = after(state, *ready, *east_turn(), *south_turn(), *once_more, *east_turn(),
                  *south_turn(), *won, shown)  # fmt: skip
    assert Flag.ONE_SHOT not in flags_of(later, won[1])


FOURTH = ("kong(2222p<E)", "kong+(7777s<W)", "ckong(8888p)")


def kong_deal(south, *, turn=SOUTH, east=None, west=None):
    state = deal_state(south=south, east=east, west=west, turn=turn)
    return Deal(state, Wall(parse_tiles("1p") * 30, indicators=(29,), under=(28,)), PLAY, OPTIONS)


def test_r13_the_fourth_kong_wins_at_once():
    deal = kong_deal(replace(holding("6p 1111z", melds=FOURTH), has_drawn=True))
    events = first(deal, KongDeclared, stop=3)
    assert isinstance(events[0], KongDeclared)
    assert isinstance(events[1], WinClaimed)
    assert events[2] == HandShown(seat=SOUTH, tiles=(), winning_tile=Tile.parse("6p"))
    answer = conclude(deal.state, deal.history, PLAY, OPTIONS)[0].answer
    assert answer.totals == {"yakuman": 1}
    assert answer.deltas == (-16_000, 24_000, -8_000)


def test_r14_an_open_fourth_kong_is_paid_by_its_feeder():
    deal = kong_deal(
        holding("6p 111z", melds=FOURTH),
        west=holding(FILL[3:].replace("1z ", "") + " 9p 4p 1z"),
        turn=WEST,
        east=holding(FILL),
    )
    events = first(deal, MeldCalled, stop=4)
    assert isinstance(events[1], MeldCalled)
    assert isinstance(events[2], WinClaimed)
    answer = conclude(deal.state, deal.history, PLAY, OPTIONS)[0].answer
    assert answer.deltas == (0, 32_000, -32_000)
    shared = RULESET.choose(suukantsu_payment="as_tsumo")
    answer = conclude(deal.state, deal.history, PLAY, shared)[0].answer
    assert answer.deltas == (-16_000, 24_000, -8_000)


def test_r15_robbing_comes_before_the_fourth_kong():
    three = ("kong(2222p<E)", "kong(7777s<W)", "ckong(8888p)", "pung(666p<W)")
    east = holding("222s 345s 678s 99s 45p", melds=())
    deal = kong_deal(replace(holding("6p 9p", melds=three), has_drawn=True), east=east)
    events = first(deal, KongDeclared | WinClaimed, stop=2)
    assert isinstance(events[0], KongDeclared)
    assert events[1] == WinClaimed(seat=EAST, tile=Tile.parse("6p"), source=SOUTH)


def test_r16_no_yaku_no_win():
    answer = settle("234p 567p 111s 789s 9p", "9p", source=EAST)
    assert codes(answer) == ["no_yaku"]
    assert totals(answer.violations[0].penalty, 3) == (4000, -6000, 2000)


def test_r17_the_last_tile_is_a_yaku_only_by_self_draw():
    hand = {"text": "234p 678p 99s 11s", "won": "1s", "melds": ["pung(555s<W)"],
            "flags": (Flag.LAST_TILE,)}  # fmt: skip
    assert codes(settle(**hand, source=EAST)) == ["atozuke"]
    assert settle(**hand).totals == {"han": 3}
    assert settle(**hand, source=EAST, options=RULESET.choose(atozuke="off")).valid


def test_r18_furiten_blocks_every_wait():
    hand = {"text": "45p 234s 678s 999s 11s", "won": "3p", "flags": (Flag.READY,)}
    answer = settle(**hand, source=WEST, ponds={SOUTH: parse_tiles("1z 6p")})
    assert codes(answer) == ["furiten"]
    assert answer.violations[0].evidence == (Evidence(SOUTH, 2, Tile.parse("6p")),)
    assert "South's pond holds 6p (row 1, place 2)" in answer.violations[0].text
    assert settle(**hand, ponds={SOUTH: parse_tiles("1z 6p")}).valid


def passing(hand, *events, ready_at=None):
    """South, who drew once, lets tiles pass; then West discards 3p."""
    south = holding(hand + " 9p")
    state = deal_state(east=holding("6p " + FILL), south=south, west=holding("36p " + FILL),
                       turn=SOUTH)  # fmt: skip
    if ready_at is not None:
        state = after(state, ReadyDeclared(seat=SOUTH))
    state = after(state, discard(SOUTH, "9p"))
    return after(state, *events)


WAITING = "45p 234s 678s 999s 11s"


def test_a_tile_let_pass_bars_until_the_next_draw():
    passed = (Drawn(seat=WEST, tile=Tile.parse("1p")), discard(WEST, "6p"))
    state = passing(WAITING, *passed, Drawn(seat=EAST, tile=Tile.parse("3p")), discard(EAST, "3p"))
    answer = judged(state, SOUTH, "3p", EAST, WAITING)
    assert "temporary_furiten" in codes(answer)
    (evidence,) = next(v.evidence for v in answer.violations if v.code == "temporary_furiten")
    assert evidence == Evidence(WEST, 1, Tile.parse("6p"))
    assert any("6p of West (row 1, place 1)" in one.text for one in answer.violations)
    assert wins(state, SOUTH) == []


def test_the_own_draw_ends_it_but_not_after_riichi():
    round_trip = (
        Drawn(seat=WEST, tile=Tile.parse("1p")), discard(WEST, "6p"), *east_turn(), *south_turn(),
        Drawn(seat=WEST, tile=Tile.parse("1p")), discard(WEST, "3p"),
    )  # fmt: skip
    open_hand = passing(WAITING, *round_trip)
    assert "temporary_furiten" not in codes(judged(open_hand, SOUTH, "3p", WEST, WAITING))
    ready = passing(WAITING, *round_trip, ready_at=0)
    answer = judged(ready, SOUTH, "3p", WEST, WAITING)
    assert codes(answer) == ["riichi_furiten"]


@pytest.mark.parametrize(("count", "retained"), [("retained_8", False), ("eighth_win", True)])
def test_r19_the_dealers_streak(count, retained):
    answer = settle(
        "234p 678p 99s 56s", "7s", melds=["pung(G G G<S)"], source=WEST, winner=EAST,
        options=RULESET.choose(paarenchan_count=count), extra={"dealer_retained": 7},
    )  # fmt: skip
    assert ("yakuman" in answer.totals) is retained


MANGAN = {"text": "345s 67s 99s 222z", "won": "8s", "melds": ["pung(222s<W)"]}


def test_r20_and_r21_honba_and_sticks():
    tsumo = settle(**MANGAN, counters=2)
    assert tsumo.totals == {"han": 6}
    assert tsumo.deltas == (-4200, 6400, -2200)
    ron = settle(**MANGAN, source=WEST, counters=2, deposits=2)
    assert ron.deltas == (0, 8000 + 400 + 2000, -8400)


def test_r22_hands_that_are_not_ready_pay():
    state = deal_state(
        east=holding(FILL), west=holding(FILL),
        south=replace(holding(WAITING), shown=parse_tiles(WAITING)),
    )  # fmt: skip
    drawn = PLAY.settle_draw(state, (), "exhaustive", OPTIONS)
    assert drawn.waiting == (SOUTH,)
    assert totals(drawn.payments, 3) == (-1000, 2000, -1000)
    start = first_deal(OPTIONS)
    ended = DealOutcome(draw_reason="exhaustive", waiting=drawn.waiting, points=(1, 2, 3))
    following = next_deal(start, ended, OPTIONS)
    assert (following.dealer, following.counters) == (SOUTH, 1)
    assert totals(noten_payments((EAST, SOUTH), OPTIONS), 3) == (1000, 1000, -2000)
    assert noten_payments((), OPTIONS) == noten_payments((EAST, SOUTH, WEST), OPTIONS) == ()


@pytest.mark.parametrize("rule", ["double", "head_bump"])
def test_r23_two_winners(rule):
    options = RULESET.choose(multiple_ron=rule)
    south = "234p 678p 99s 67s"
    west = "345s 678s 99s 67s"
    state = deal_state(
        east=holding("8s " + FILL),
        south=holding(south, melds=["pung(G G G<E)"]),
        west=holding(west, melds=["pung(333s<E)"]),
        deposits=1,
    )
    state = after(state, discard(EAST, "8s"))
    claims = [WinClaimed(seat=seat, tile=Tile.parse("8s"), source=EAST) for seat in (SOUTH, WEST)]
    assert len(PLAY.winners(state, tuple(claims), options)) == (2 if rule == "double" else 1)
    for claim, hand in zip(claims, (south, west), strict=True):
        state = after(state, claim, HandShown(seat=claim.seat, tiles=parse_tiles(hand)))
    answers = [PLAY.judge(state, (), claim, options) for claim in claims]
    assert answers[0].deltas[SOUTH] == 1000 + 1000
    if rule == "double":
        assert answers[1].valid
        assert answers[1].deltas[WEST] == 12_000
    else:
        assert codes(answers[1]) == ["head_bump"]
        assert answers[1].payments == ()


def test_r24_two_pairs_with_a_north():
    hand = {"text": "44z 99p 678s 234s", "melds": ["pung(G G G<E)"]}
    assert settle(**hand, won="9p", source=WEST).totals == {"han": 3}
    assert codes(settle(**hand, won="4z", source=WEST)) == ["north_safe"]
    assert settle(**hand, won="4z").totals == {"han": 3}


@pytest.mark.parametrize(
    ("atozuke", "text", "won", "melds", "valid"),
    [
        # tanyao on 8p only
        ("same_yaku_all_waits", "67p 234s 678s 55s", "8p", ["pung(222p<E)"], True),
        ("same_yaku_all_waits", "78p 234s 678s 55s", "6p", ["pung(222p<E)"], False),
        ("each_wait_some_yaku", "78p 234s 678s 55s", "6p", ["pung(222p<E)"], False),
        ("off", "78p 234s 678s 55s", "6p", ["pung(222p<E)"], True),
        # two yakuhai pairs: every wait has a yaku, but not the same one
        ("same_yaku_all_waits", "66z 77z 234s 678s", "6z", ["pung(222p<E)"], False),
        ("each_wait_some_yaku", "66z 77z 234s 678s", "6z", ["pung(222p<E)"], True),
        ("yaku_complete_before", "66z 77z 234s 678s", "6z", ["pung(222p<E)"], False),
        # a dragon triplet is there
        ("yaku_complete_before", "99p 67s 234s 678s", "8s", ["pung(G G G<E)"], True),
        # three triplets of which the last one comes
        ("yaku_complete_before", "22p 33p 444p 678s", "2p", ["pung(888s<E)"], False),
        # the straight is certain, whichever tile comes
        ("same_yaku_all_waits", "123p 46p 789p 22s", "5p", ["pung(777s<E)"], True),
        ("yaku_complete_before", "123p 46p 789p 22s", "5p", ["pung(777s<E)"], True),
    ],
)
def test_atozuke(atozuke, text, won, melds, valid):
    answer = settle(text, won, melds=melds, source=EAST, options=RULESET.choose(atozuke=atozuke))
    assert answer.valid is valid
    assert codes(answer) == ([] if valid else ["atozuke"])
    assert settle(text, won, melds=melds).valid or "no_yaku" in codes(
        settle(text, won, melds=melds)
    )


def test_norths_may_be_for_kokushi_only():
    strict = RULESET.choose(north_in_hand="kokushi_only")
    hand = {"text": "444z 234p 678p 555z 9s", "won": "9s"}
    assert settle(**hand).totals == {"han": 3}
    assert codes(settle(**hand, options=strict)) == ["not_a_win"]
    assert settle("19m 19p 19s 1234z 566z", "7z", options=strict).valid


def test_riichi_that_waits_for_nothing_is_a_chombo():
    state = deal_state(
        east=holding(FILL),
        south=replace(holding(FILL, ready_at=0), shown=parse_tiles(FILL)),
        west=replace(holding(WAITING), shown=parse_tiles(WAITING)),
        deposits=1,
    )
    drawn = PLAY.settle_draw(state, (), "exhaustive", OPTIONS)
    assert [one.code for one in drawn.violations] == ["noten_riichi"]
    assert drawn.replayed
    assert totals(drawn.payments, 3) == (4000, -6000 + 1000, 2000)
    start = replace(first_deal(OPTIONS), counters=3, markers=(2, 0, 0))
    again = next_deal(
        start, DealOutcome(draw_reason="exhaustive", replayed=True, points=(1, 2, 3)), OPTIONS
    )
    assert (again.dealer, again.counters, again.markers) == (EAST, 3, (2, 0, 0))


def test_riichi_with_an_open_hand_is_refused():
    answer = settle("234p 678p 99s 67s", "8s", melds=["pung(G G G<E)"], flags=(Flag.READY,))
    assert codes(answer) == ["wrong_riichi"]


def test_the_match():
    start, deals = first_deal(OPTIONS), []
    while start is not None:
        deals.append((start.round_wind.value, int(start.dealer)))
        start = next_deal(start, DealOutcome(winners=(start.dealer.after(1, 3),),
                                             points=start.points), OPTIONS)  # fmt: skip
    assert deals == [(wind, seat) for wind in "ES" for seat in range(3)]
    east_only = RULESET.choose(rounds="E")
    last = replace(first_deal(east_only), dealer=WEST)
    assert next_deal(last, DealOutcome(winners=(EAST,), points=(0, 0, 0)), east_only) is None
    stays = next_deal(first_deal(OPTIONS), DealOutcome(winners=(EAST,), points=(0, 0, 0)), OPTIONS)
    assert (stays.dealer, stays.counters, stays.markers) == (EAST, 1, (1, 0, 0))
    tenpai = DealOutcome(draw_reason="exhaustive", waiting=(EAST,), points=(0, 0, 0))
    assert next_deal(first_deal(OPTIONS), tenpai, OPTIONS).dealer is EAST
    win_only = RULESET.choose(dealer_stays_on="win_only")
    assert next_deal(first_deal(win_only), tenpai, win_only).dealer is SOUTH


@pytest.mark.parametrize(("extension", "left"), [("moved_tiles", 53), ("fixed_fourteen", 54)])
def test_a_replacement_shortens_the_live_wall_only_where_tiles_move_over(extension, left):
    options = RULESET.choose(dead_wall_extension=extension)
    every = RULESET.tile_set(options).tiles()
    every.remove(NORTH)
    deal = open_deal(first_deal(options), [NORTH, *every], PLAY, options)
    assert deal.state.wall_left == deal.wall.left == 54
    events = first(deal, BonusSetAside, stop=2)
    assert isinstance(events[1], Drawn)
    assert deal.state.wall_left == deal.wall.left == left


def test_placements_go_to_the_earlier_seat_and_the_sticks_to_the_first():
    start = replace(first_deal(OPTIONS), deposits=2)
    result = final(start, (30_000, 36_500, 36_500), OPTIONS)
    assert result.placements == (3, 1, 2)
    assert result.scores == (30_000, 38_500, 36_500)


def test_the_dead_wall():
    plan = wall_plan(OPTIONS)
    assert plan.stacks == (14, 13, 14, 13)
    assert plan.reserved == 14
    assert len(plan.dead) == 8
    assert plan.indicators == (10, 12, 14, 16, 18, 20)
    assert plan.under == (9, 11, 13, 15, 17, 19)
    fixed = wall_plan(RULESET.choose(dead_wall_extension="fixed_fourteen"))
    assert fixed.indicators == (10, 12, 14)
    assert (fixed.dead, fixed.loose_tiles) == ((), 9)
    assert wall_plan(RULESET.choose(wall_shape="triangle")).stacks == (18, 18, 18)
    flowers = wall_plan(RULESET.choose(flowers="nukidora"))
    assert (sum(flowers.stacks), len(flowers.dead), flowers.reserved) == (56, 12, 18)


@pytest.mark.parametrize(
    ("hands", "returned"),
    [
        ({SOUTH: "123p 456p 789p 555z 9s", WEST: "123p 456p 789p 555z 1s"}, 0),
        ({SOUTH: "123p 456p 789p 555z 1s", WEST: "123p 456p 789p 555z 2s"}, 1000),
        ({SOUTH: "123p 456p 789p 555z 1s", WEST: "123p 456p 789p 555z"}, 1000),
    ],
)
def test_a_stick_goes_back_once_and_only_where_nobody_wins(hands, returned):
    """East has laid a stick and discards 9s: one of the claims is good, or neither is."""
    state = deal_state(
        east=holding(FILL, ready_at=0),
        south=holding(hands[SOUTH]),
        west=holding(hands[WEST]),
        deposits=1,
        turn=EAST,
    )
    tile = Tile.parse("9s")
    state = after(state, discard(EAST, "9s"))
    events = [WinClaimed(seat=seat, tile=tile, source=EAST) for seat in hands]
    events += [
        HandShown(seat=seat, tiles=parse_tiles(hand), winning_tile=tile)
        for seat, hand in hands.items()
    ]
    state = after(state, *events)
    answers = [PLAY.judge(state, (), claim, OPTIONS) for claim in state.claims]
    back = [
        fine.points
        for answer in answers
        for breach in answer.violations
        for fine in breach.penalty
        if fine.payer is None and fine.receiver is EAST
    ]
    assert sum(back) == returned
