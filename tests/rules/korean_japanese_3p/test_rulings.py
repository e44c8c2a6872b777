"""The rulings of the specification, section 23, by their numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.rules.core.case import Case, Evidence, Flag, ShownHand
from table_controller.rules.core.events import (
    BonusSetAside,
    DealBegan,
    Discarded,
    DrawDeclared,
    Drawn,
    HandDealt,
    HandShown,
    KongDeclared,
    MeldCalled,
    ReadyDeclared,
    WinClaimed,
    WinJudged,
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
from table_controller.rules.core.seats import Seat, Wind, seat_wind, seats
from table_controller.rules.core.state import Awaiting, DealState, PondTile, SeatState, apply, fold
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.core.wall import Wall, WallPlace, broken_side, wall_order
from table_controller.rules.korean_japanese_3p import RULESET
from table_controller.rules.korean_japanese_3p.match import first_deal, next_deal, wall_stacks
from table_controller.rules.korean_japanese_3p.play import PLAY, winners
from table_controller.rules.korean_japanese_3p.waiting import verdict_on
from tests.rules.korean_japanese_3p.notation import meld, tiles

EAST, SOUTH, WEST = Seat.A, Seat.B, Seat.C
OPTIONS = RULESET.options


def settle(options=OPTIONS, **case):
    return RULESET.settle_win(Case(**case), options)


def codes(answer):
    return [violation.code for violation in answer.violations]


def paid_by(answer):
    paid = {}
    for payment in answer.payments:
        paid[payment.payer] = paid.get(payment.payer, 0) + payment.points
    return paid


# South, whose concealed hand waits on 5p and 8p.
TWO_SIDED = parse_tiles("234m 567m 789m 67p 99p")


def south_wins(on, *, source=EAST, pond="", **more):
    return settle(
        winner=SOUTH,
        source=source,
        hand=TWO_SIDED,
        winning_tile=Tile.parse(on),
        ponds={SOUTH: parse_tiles(pond)},
        **more,
    )


def test_r01_the_own_discard_forbids_the_same_tile():
    answer = south_wins("5p", pond="1m 9m 5p 1z")
    assert not answer.valid
    assert codes(answer) == ["sacred_discard"]
    (breach,) = answer.violations
    assert breach.evidence == (Evidence(SOUTH, 3, Tile.parse("5p")),)
    assert "South may not win with 5p" in breach.text
    assert "South's pond holds 5p (row 1, place 3)" in breach.text
    assert {(fine.payer, fine.receiver, fine.points) for fine in breach.penalty} == {
        (SOUTH, EAST, 20),
        (SOUTH, WEST, 20),
    }


def test_r02_other_tiles_of_the_wait_may_be_won():
    assert south_wins("8p", pond="1m 9m 5p 1z").valid


def test_r03_a_self_draw_is_never_blocked():
    assert south_wins("5p", source=None, pond="1m 9m 5p 1z").valid


def test_a_red_five_and_a_plain_five_are_the_same_kind():
    red = RULESET.choose(red_fives=True)
    for discarded, won in (("0p", "5p"), ("5p", "0p")):
        answer = settle(
            red,
            winner=SOUTH,
            source=EAST,
            hand=TWO_SIDED,
            winning_tile=Tile.parse(won),
            ponds={SOUTH: parse_tiles(discarded)},
        )
        assert codes(answer) == ["sacred_discard"]


def deal_state(**seats):
    """A deal in play whose seats hold and have laid down what is given."""
    states = [seats.get(name, SeatState()) for name in ("east", "south", "west")]
    return DealState(
        players=3,
        number=0,
        dealer=EAST,
        round_wind=Wind.EAST,
        points=(0, 0, 0),
        counters=0,
        deposits=0,
        goulash=0,
        wall_left=30,
        hand_size=13,
        kongs_replaced=True,
        seats=tuple(states),
        turn=EAST,
        awaiting=Awaiting.DISCARD,
    )


def holding(text="", *, melds=(), pond="", bonus="", **more):
    return SeatState(
        hand=parse_tiles(text),
        melds=tuple(meld(one) for one in melds),
        pond=tuple(PondTile(tile) for tile in parse_tiles(pond)),
        bonus=parse_tiles(bonus),
        **more,
    )


def after(state, *events):
    for event in events:
        state = apply(state, event)
    return state


FILL = "1m 4m 7m 2p 5p 8p 1s 9s 1z 2z 3z 5z 6z"  # thirteen tiles that are nothing


def wins_offered(state, seat, options=OPTIONS):
    return [
        action
        for action in claim_actions(state, seat, PLAY, options)
        if isinstance(action[0], WinClaimed)
    ]


def test_r04_claimed_discards_stay_sacred():
    """South's Wh was taken for a pung; later the fourth Wh is blocked."""
    state = deal_state(
        east=holding("1m 2m 3m 4p 5p 6p 7p 8p 1z 1z", melds=["pung(Wh Wh Wh<S)"]),
        south=replace(
            holding("234m 234m 567m 678p 5z"), pond=(PondTile(Tile.parse("5z"), called_by=EAST),)
        ),
        west=holding("5z " + FILL[:-3]),
    )
    state = after(replace(state, turn=WEST), Discarded(seat=WEST, tile=Tile.parse("5z")))
    assert wins_offered(state, SOUTH) == []
    claim = WinClaimed(seat=SOUTH, tile=Tile.parse("5z"), source=WEST)
    claimed = after(
        state, claim, HandShown(seat=SOUTH, tiles=parse_tiles("234m 234m 567m 678p 5z"))
    )
    answer = PLAY.judge(claimed, (), claim, OPTIONS)
    assert codes(answer) == ["sacred_discard"]
    assert answer.violations[0].evidence == (Evidence(SOUTH, 1, Tile.parse("5z")),)


def test_r05_passing_on_a_winning_tile_has_no_consequence():
    hand = "45m 234p 567p 888p 99p"
    state = deal_state(
        east=holding("3m " + FILL), south=holding(hand), west=holding("3m " + FILL[:-3])
    )
    state = after(state, Discarded(seat=EAST, tile=Tile.parse("3m")))
    assert wins_offered(state, SOUTH)
    state = after(state, Drawn(seat=SOUTH, tile=Tile.parse("1s")))
    state = after(state, Discarded(seat=SOUTH, tile=Tile.parse("1s")))
    state = after(state, Drawn(seat=WEST, tile=Tile.parse("6z")))
    state = after(state, Discarded(seat=WEST, tile=Tile.parse("3m")))
    assert wins_offered(state, SOUTH)


def promoting_east(south, *, options=OPTIONS):
    state = deal_state(
        east=holding("6p 123m 789m 11z 3z", melds=["pung(666p<W)"]), south=south, west=holding()
    )
    grown = Meld(MeldKind.ADDED_KONG, parse_tiles("6666p"), WEST)
    kong = KongDeclared(seat=EAST, meld=grown, added=Tile.parse("6p"))
    return after(state, kong)


ROBBER = "234m 678m 45p 345p 99p"


def test_r06_a_promoted_kong_is_robbed_to_complete_a_chow():
    state = promoting_east(holding(ROBBER))
    (robbing,) = wins_offered(state, SOUTH)
    assert robbing[0] == WinClaimed(seat=SOUTH, tile=Tile.parse("6p"), source=EAST)
    claimed = after(state, robbing[0], HandShown(seat=SOUTH, tiles=parse_tiles(ROBBER)))
    answer = PLAY.judge(claimed, (), robbing[0], OPTIONS)
    assert answer.valid
    points = answer.totals["hand_points"], answer.totals["bonus_points"]
    assert points == (5, 3)
    # East pays as the discarder: twice the hand points, the bonus, and two for not waiting.
    assert paid_by(answer) == {EAST: 2 * 5 + 3 + 2, WEST: 3 + 2}
    assert "self_draw" not in [item.id for item in answer.items]


def test_r07_thirteen_orphans_may_not_rob():
    orphans = tiles("1m 19p 19s E S W G R Wh Wh Wh")
    case = {
        "winner": WEST,
        "source": EAST,
        "hand": orphans,
        "winning_tile": Tile.parse("9m"),
        "flags": frozenset({Flag.ROBBING_KONG}),
    }
    assert codes(settle(**case)) == ["wrong_robbing"]
    assert settle(RULESET.choose(rob_kong_patterns="any"), **case).totals == {"limit": 40}


@pytest.mark.parametrize(("kinds", "offered"), [("promoted", 0), ("promoted_and_concealed", 1)])
def test_r08_concealed_kongs_are_not_robbed(kinds, offered):
    options = RULESET.choose(rob_kong_kinds=kinds)
    state = deal_state(
        east=holding("6666p 123m 789m 11z 33z"), south=holding(ROBBER), west=holding()
    )
    kong = KongDeclared(seat=EAST, meld=Meld(MeldKind.CONCEALED_KONG, parse_tiles("6666p")))
    state = after(state, kong)
    assert len(wins_offered(state, SOUTH, options)) == offered
    claim = WinClaimed(seat=SOUTH, tile=Tile.parse("6p"), source=EAST)
    claimed = after(state, claim, HandShown(seat=SOUTH, tiles=parse_tiles(ROBBER)))
    answer = PLAY.judge(claimed, (), claim, options)
    assert codes(answer) == ([] if offered else ["wrong_robbing"])


@pytest.mark.parametrize(("on_robbed", "offered"), [(True, 0), (False, 1)])
def test_r09_the_sacred_discard_when_robbing(on_robbed, offered):
    state = promoting_east(holding(ROBBER, pond="6p"))
    options = RULESET.choose(sacred_discard_on_robbed_kong=on_robbed)
    assert len(wins_offered(state, SOUTH, options)) == offered


def two_claims(south, west, *, discarder=EAST, east="", options=OPTIONS, tile="5p"):
    """Who wins when everybody given claims the discard."""
    held = {EAST: east, SOUTH: south, WEST: west}
    seats = {
        name: holding(held[seat]) if seat is not discarder else holding()
        for name, seat in (("east", EAST), ("south", SOUTH), ("west", WEST))
    }
    state = deal_state(**seats)
    claims = tuple(
        WinClaimed(seat=seat, tile=Tile.parse(tile), source=discarder)
        for seat in (SOUTH, WEST, EAST)
        if seat is not discarder and held[seat]
    )
    return [claim.seat for claim in winners(state, claims, options)]


FIVE = "234m 678m 34p 678p 99p"  # all chows, concealed: 5 hand points on 5p
SIX = "123p 789p 34p 22z 555z"  # half of one suit, concealed, a dragon pung


def test_r10_more_hand_points_win():
    assert two_claims(FIVE, SIX) == [WEST]


def test_r11_with_equal_hand_points_more_bonus_points_win():
    flowery = deal_state(
        south=holding(FIVE, bonus="12f"), west=holding(FIVE, bonus="34f"), east=holding()
    )
    claims = tuple(
        WinClaimed(seat=seat, tile=Tile.parse("5p"), source=EAST) for seat in (SOUTH, WEST)
    )
    assert winners(flowery, claims, OPTIONS) == claims[:1]
    more = flowery.with_seat(SOUTH, bonus=parse_tiles("1f"))
    assert winners(more, claims, OPTIONS) == claims[1:]


def test_r12_then_the_first_in_play_order():
    assert two_claims(FIVE, FIVE) == [SOUTH]


def test_r13_play_order_counts_from_the_discarder():
    assert two_claims(FIVE, "", east=FIVE, discarder=WEST) == [EAST]
    assert winners_of_equal(WEST) == EAST
    assert winners_of_equal(SOUTH) == WEST


def winners_of_equal(discarder):
    state = deal_state(east=holding(FIVE), south=holding(FIVE), west=holding(FIVE))
    claims = tuple(
        WinClaimed(seat=seat, tile=Tile.parse("5p"), source=discarder)
        for seat in (EAST, SOUTH, WEST)
        if seat is not discarder
    )
    (first,) = winners(state, claims, OPTIONS)
    return first.seat


def test_a_limit_hand_ranks_by_its_value_or_always_first():
    orphans = "9m 19p 19s 123z 567z 55z"
    assert two_claims(FIVE, orphans, tile="1m") == [WEST]


def played(deal, choose):
    return list(play_deal(deal, choose))


def test_r14_a_win_precedes_a_pung():
    state = deal_state(
        east=holding("6z " + FILL),
        south=holding("66z 123m 456m 789m 1z 2z"),
        west=holding("66z 345p 345p 789m 22m"),
    )
    state = replace(state, turn=EAST)
    deal = Deal(state, Wall(parse_tiles("1111222233334444m")), PLAY, OPTIONS)

    def choose(state, seat, actions):
        if seat is EAST:
            return next(
                a
                for a in actions
                if a[0] == Discarded(seat=EAST, tile=Tile.parse("6z"), as_drawn=False)
            )
        if seat is SOUTH:
            return next(a for a in actions if isinstance(a[0], MeldCalled))
        return next(a for a in actions if isinstance(a[0], WinClaimed))

    events = played(deal, choose)
    assert [e.seat for e in events if isinstance(e, WinClaimed)] == [WEST]
    assert not any(isinstance(e, MeldCalled) for e in events)


def test_r15_a_discard_cannot_be_claimed_after_the_next_draw():
    state = deal_state(
        east=holding("3m " + FILL),
        south=holding(FILL),
        west=holding("33m 456m 789m 1z 2z 3z 5z 6z"),
    )
    state = after(state, Discarded(seat=EAST, tile=Tile.parse("3m")))
    assert any(isinstance(a[0], MeldCalled) for a in claim_actions(state, WEST, PLAY, OPTIONS))
    state = after(state, Drawn(seat=SOUTH, tile=Tile.parse("1z")))
    assert claim_actions(state, WEST, PLAY, OPTIONS) == []


def test_r16_no_chow_from_a_discard():
    state = deal_state(
        east=holding("4m " + FILL), south=holding("23m 56m 1p 4p 7p 1s 9s 1z 2z 5z 6z")
    )
    state = after(state, Discarded(seat=EAST, tile=Tile.parse("4m")))
    assert claim_actions(state, SOUTH, PLAY, OPTIONS) == []


def test_a_chow_that_was_laid_down_makes_the_win_void():
    answer = settle(
        winner=SOUTH,
        source=None,
        hand=parse_tiles("567m 345p 67p 99p"),
        winning_tile=Tile.parse("8p"),
        melds=(Meld(MeldKind.CHOW, parse_tiles("234m"), EAST),),
    )
    assert codes(answer)[0] == "wrong_call"
    assert "a chow may not be made from a discard" in answer.violations[0].text


def test_r17_a_discard_is_not_added_to_an_exposed_pung():
    south = holding("1m 4m 7m 1s 9s 1z 2z 3z 5z 6z", melds=["pung(777p<W)"])
    state = deal_state(east=holding("7p " + FILL), south=south)
    state = after(state, Discarded(seat=EAST, tile=Tile.parse("7p")))
    assert claim_actions(state, SOUTH, PLAY, OPTIONS) == []
    state = after(state, Drawn(seat=SOUTH, tile=Tile.parse("7p")))
    promotions = [
        action[0]
        for action in own_turn_actions(state, PLAY, OPTIONS)
        if isinstance(action[0], KongDeclared)
    ]
    assert [kong.meld.kind for kong in promotions] == [MeldKind.ADDED_KONG]


def test_r18_the_caller_discards_without_drawing_and_its_right_neighbor_draws():
    state = deal_state(
        east=holding("3m " + FILL),
        south=holding("33m 1p 4p 7p 1s 9s 1z 2z 3z 5z 6z 7z"),
        west=holding(FILL),
    )
    pung = Meld(MeldKind.PUNG, parse_tiles("333m"), EAST)
    state = after(
        state, Discarded(seat=EAST, tile=Tile.parse("3m")), MeldCalled(seat=SOUTH, meld=pung)
    )
    assert (state.turn, state.awaiting) == (SOUTH, Awaiting.DISCARD)
    state = after(state, Discarded(seat=SOUTH, tile=Tile.parse("1p")))
    assert state.turn is WEST


def test_r19_seats_in_between_lose_their_turn():
    state = deal_state(
        east=holding("3m " + FILL),
        south=holding(FILL),
        west=holding("33m 1p 4p 7p 1s 9s 1z 2z 3z 5z 6z 7z"),
    )
    pung = Meld(MeldKind.PUNG, parse_tiles("333m"), EAST)
    state = after(
        state,
        Discarded(seat=EAST, tile=Tile.parse("3m")),
        MeldCalled(seat=WEST, meld=pung),
        Discarded(seat=WEST, tile=Tile.parse("1p")),
    )
    assert state.turn is EAST


SIDE = {"E": 0, "S": 1, "W": 2, "N": 3}


def place(text):
    """``E9u``: the upper tile of the ninth stack from the right on east's side."""
    return WallPlace(SIDE[text[0]], int(text[1:-1]) - 1, 1 if text[-1] == "u" else 0)


def both(*stacks):
    return [place(stack + layer) for stack in stacks for layer in "ul"]


def broken_by(total, options):
    stacks = wall_stacks(options)
    return wall_order(stacks, broken_side(Seat.A, total, len(stacks)), total)


def test_r20_dice_nine_break_the_dealers_wall():
    order = broken_by(4 + 5, OPTIONS)
    east = [f"E{stack}" for stack in range(10, 15)]
    empty = [f"N{stack}" for stack in range(1, 14)]
    assert order[:36] == both(*east, *empty)
    assert order[36:40] == both("W1", "W2")
    assert [WallPlace(0, stack, layer) for stack in (8, 7) for layer in (1, 0)] == [
        order[-2], order[-1], order[-4], order[-3],
    ]  # fmt: skip
    assert len(order) == len(set(order)) == 108


def test_r20_the_hands_come_off_the_wall_in_blocks_of_four():
    every = RULESET.tile_set(OPTIONS).tiles()
    deal = open_deal(first_deal(OPTIONS), every, PLAY, OPTIONS)
    east, south, west = (seat.hand for seat in deal.state.seats)
    assert east == (*every[0:4], *every[12:16], *every[24:28], every[36], every[39])
    assert south == (*every[4:8], *every[16:20], *every[28:32], every[37])
    assert west == (*every[8:12], *every[20:24], *every[32:36], every[38])
    assert deal.state.wall_left == 68


def test_r21_dice_twelve_break_the_empty_sides_wall():
    order = broken_by(6 + 6, OPTIONS)
    assert order[:4] == both("N13", "W1")


def test_r22_a_side_with_too_few_stacks_is_counted_over():
    order = broken_by(6 + 6, RULESET.choose(no_bamboo=True))
    assert order[0] == place("W1u")


def test_r23_the_fifth_deal_of_the_match():
    start = first_deal(OPTIONS)
    for _ in range(4):
        start = next_deal(start, DealOutcome(draw_reason="exhaustive", points=(0, 0, 0)), OPTIONS)
    assert (start.round_wind, start.dealer) == (Wind.SOUTH, Seat.B)
    winds = [seat_wind(player, start.dealer, 3) for player in seats(3)]
    assert winds == [Wind.WEST, Wind.EAST, Wind.SOUTH]


def test_r24_the_deal_passes_though_the_dealer_won():
    start = first_deal(OPTIONS)
    after_win = next_deal(start, DealOutcome(winners=(EAST,), points=(10, -5, -5)), OPTIONS)
    assert after_win.dealer is Seat.B
    assert after_win.points == (10, -5, -5)


def test_r25_the_goulash_counts_across_rounds_and_is_cleared_by_a_win():
    start = replace(first_deal(OPTIONS), number=2, dealer=Seat.C)
    for goulash in (1, 2):
        drawn = PLAY.settle_draw(
            replace(deal_state(), goulash=start.goulash), (), "exhaustive", OPTIONS
        )
        assert drawn.goulash == goulash
        assert drawn.payments == ()
        ended = DealOutcome(draw_reason="exhaustive", points=(0, 0, 0), goulash=drawn.goulash)
        start = next_deal(start, ended, OPTIONS)
    assert (start.number, start.round_wind) == (4, Wind.SOUTH)
    with_goulash = south_wins("8p", goulash=start.goulash)
    without = south_wins("8p")
    extra = {seat: paid_by(with_goulash)[seat] - paid_by(without)[seat] for seat in (EAST, WEST)}
    assert extra == {EAST: 10, WEST: 10}
    won = next_deal(start, DealOutcome(winners=(SOUTH,), points=(0, 0, 0)), OPTIONS)
    assert won.goulash == 0


def west_waits(hand, *, melds=(), ponds=None, options=OPTIONS):
    """The verdict on West as a payer of a win that South drew."""
    case = Case(
        winner=SOUTH,
        source=None,
        hand=parse_tiles("345m 678m 22p 555z 66p"),
        winning_tile=Tile.parse("6p"),
        others={WEST: ShownHand(hand=parse_tiles(hand), melds=tuple(meld(one) for one in melds))},
        ponds=ponds or {},
    )
    return verdict_on(WEST, case, options)


def test_r26_a_hand_that_would_miss_the_minimum_is_not_waiting():
    verdict = west_waits("23m 888p 99p", melds=["pung(555m<E)", "pung(777p<S)"])
    assert not verdict.is_waiting
    assert "only 1 of 3 hand points" in verdict.why
    free = RULESET.choose(waiting_needs_minimum=False)
    assert west_waits(
        "23m 888p 99p", melds=["pung(555m<E)", "pung(777p<S)"], options=free
    ).is_waiting


WAITING_WEST = "234m 567m 345p 67p 99p"


def test_r27_a_waiting_payer_pays_two_less():
    verdict = west_waits(WAITING_WEST)
    assert verdict.is_waiting
    assert verdict.why == "West was waiting for 258p and pays no points for it."


def test_r28_a_tile_that_can_no_longer_come_is_no_wait():
    verdict = west_waits("234m 567m 345p 111p 1z", ponds={EAST: parse_tiles("111z")})
    assert not verdict.is_waiting
    assert "can no longer come" in verdict.why
    assert west_waits("234m 567m 345p 111p 1z", ponds={EAST: parse_tiles("11z")}).is_waiting


def test_r29_one_tile_that_can_come_is_enough():
    gone = {EAST: parse_tiles("555p 888p")}
    verdict = west_waits(WAITING_WEST, ponds=gone)
    assert verdict.is_waiting
    assert verdict.why.startswith("West was waiting for 28p ")
    nothing = {EAST: parse_tiles("555p 8888p 2222p")}
    assert not west_waits(WAITING_WEST, ponds=nothing).is_waiting
    discards_only = RULESET.choose(waiting_visibility="discards_only")
    assert west_waits(WAITING_WEST, ponds=nothing, options=discards_only).is_waiting


def test_r29_called_discards_are_seen_once():
    """The called 8p is in the pond and in the pung: three are visible, one can still come."""
    case = Case(
        winner=SOUTH,
        source=None,
        hand=parse_tiles("345m 678m 66z 55z"),
        winning_tile=Tile.parse("5z"),
        melds=(meld("pung(888p<E)"),),
        others={WEST: ShownHand(hand=parse_tiles("222m 444m 333p 67p 99p"))},
        ponds={EAST: parse_tiles("5555p 8p")},
    )
    assert verdict_on(WEST, case, OPTIONS).is_waiting


def test_r30_own_discards_do_not_stop_a_self_draw():
    assert west_waits(WAITING_WEST, ponds={WEST: parse_tiles("8p 5p")}).is_waiting


def ready_south(hand, drawn):
    state = deal_state(south=replace(holding(hand, pond="1z"), ready_at=0))
    return after(
        replace(state, turn=SOUTH, awaiting=Awaiting.DRAW),
        Drawn(seat=SOUTH, tile=Tile.parse(drawn)),
    )


def test_r31_no_kong_after_ready():
    state = ready_south("444m 678m 345p 67p 99p", "4m")
    actions = own_turn_actions(state, PLAY, OPTIONS)
    assert actions == [(Discarded(seat=SOUTH, tile=Tile.parse("4m"), as_drawn=True),)]


def test_r32_a_ready_player_sets_a_flower_aside():
    state = ready_south("444m 678m 345p 67p 99p", "2f")
    assert own_turn_actions(state, PLAY, OPTIONS) == [
        (BonusSetAside(seat=SOUTH, tile=Tile.parse("2f")),)
    ]
    answer = south_wins("8p", bonus=parse_tiles("2f"), flags=frozenset({Flag.READY}))
    assert {"flower": 1, "ready": 2}.items() <= {i.id: i.value for i in answer.items}.items()


def test_r33_ready_with_an_exposed_set_is_refused():
    south = replace(holding("67m 345p 678p 99p 1z", melds=["pung(555z<E)"]), has_drawn=True)
    state = replace(deal_state(south=south), turn=SOUTH)
    assert PLAY.ready_discards(state, SOUTH, OPTIONS) == ()
    concealed = replace(holding("67m 345p 678p 99p 555z 1z"), has_drawn=True)
    state = replace(deal_state(south=concealed), turn=SOUTH)
    assert PLAY.ready_discards(state, SOUTH, OPTIONS) == parse_tiles("1z")


def all_ready_state():
    ready = {"ready_at": 0}
    return deal_state(
        east=holding(WAITING_WEST, pond="1z", **ready),
        south=holding("345m 678m 22p 555z 66p", pond="2z", **ready),
        west=holding("456m 789m 11p 222z 33p", pond="3z", **ready),
    )


def test_r34_three_ready_may_draw_the_deal():
    options = RULESET.choose(three_ready="draw")
    state = all_ready_state()
    assert PLAY.automatic_draw(state, OPTIONS) is None
    reason = PLAY.automatic_draw(state, options)
    assert reason == "three_ready"
    assert PLAY.settle_draw(state, (), reason, options).goulash == 1
    dropped = RULESET.choose(three_ready="draw", three_ready_draw_counts=False)
    assert PLAY.settle_draw(state, (), reason, dropped).goulash == 0


def test_r35_three_ready_may_drop_the_bonus_points():
    options = RULESET.choose(three_ready="hand_points_only")
    case = {
        "winner": SOUTH,
        "source": EAST,
        "hand": parse_tiles("345p 345p 789m 678m 9m"),
        "winning_tile": Tile.parse("9m"),
        "flags": frozenset({Flag.READY}),
    }
    answer = settle(options, **case, extra={"all_ready": True})
    assert (answer.totals["hand_points"], answer.totals["bonus_points"]) == (7, 6)
    assert paid_by(answer) == {EAST: 14}
    assert "only hand points are paid" in answer.items[-1].why
    assert paid_by(settle(options, **case)) == {EAST: 14 + 6 + 2, WEST: 6 + 2}


def test_r36_bonus_points_do_not_count_toward_the_minimum():
    answer = settle(
        winner=SOUTH,
        source=None,
        hand=parse_tiles("234p 678m 345p 9m"),
        winning_tile=Tile.parse("9m"),
        melds=(meld("pung(R R R<E)"),),
        bonus=parse_tiles("1234f"),
    )
    assert codes(answer) == ["below_minimum"]
    assert (answer.totals["hand_points"], answer.totals["bonus_points"]) == (1, 10)
    assert "South has 1 hand point, a win needs 3" in answer.violations[0].text


@pytest.mark.parametrize(
    ("hand", "won", "melds", "valid"),
    [
        ("444z 234m 678m 345p 9p", "9p", [], False),
        ("44z 234m 678m 345p 67p", "8p", [], True),
        ("234m 678m 345p 9p", "9p", ["ckong(N N N N)"], True),
        ("234m 678m 345p 9p", "9p", ["pung(N N N<W)"], False),
    ],
)
def test_r37_norths_are_a_pair_or_a_kong(hand, won, melds, valid):
    answer = settle(
        RULESET.choose(north_wind=True),
        winner=SOUTH,
        source=None,
        hand=parse_tiles(hand),
        winning_tile=Tile.parse(won),
        melds=tuple(meld(one) for one in melds),
    )
    assert answer.valid is valid
    assert codes(answer) == ([] if valid else ["not_a_win"])


@pytest.mark.parametrize(
    ("rule", "drawn"), [("goulash", True), ("discard_without_replacement", False)]
)
def test_r38_the_last_drawable_tile_is_a_flower(rule, drawn):
    options = RULESET.choose(last_flower=rule)
    state = deal_state(east=holding(FILL), south=holding(FILL), west=holding(FILL))
    state = replace(state, wall_left=1, awaiting=Awaiting.DRAW)
    deal = Deal(state, Wall((Tile.parse("3f"),)), PLAY, options)
    events = played(deal, lambda state, seat, actions: actions[-1] if seat is EAST else ())
    set_aside = events.index(BonusSetAside(seat=EAST, tile=Tile.parse("3f")))
    follows = events[set_aside + 1]
    assert isinstance(follows, DrawDeclared if drawn else Discarded)
    assert events[-1] == DrawDeclared(reason="exhaustive")


def test_r39_a_stolen_kong_opens_the_hand_and_a_concealed_one_does_not():
    def ids(kong):
        answer = settle(
            winner=SOUTH,
            source=None,
            hand=parse_tiles("123p 456m 789m 5p"),
            winning_tile=Tile.parse("5p"),
            melds=(meld(kong),),
        )
        return {item.id for item in answer.items}

    assert "concealed_hand" in ids("ckong(G G G G)")
    assert "concealed_hand" not in ids("kong(G G G G<E)")
    assert "concealed_hand" not in ids("kong+(G G G G<E)")


def test_r40_each_payer_by_the_own_waiting():
    """H 6, B 3 on South's discard; South is waiting, West is not."""
    answer = settle(
        winner=EAST,
        source=SOUTH,
        hand=parse_tiles("123p 456p 78p 333z 99p"),
        winning_tile=Tile.parse("6p"),
        bonus=parse_tiles("12f"),
        extra={"waiting": [SOUTH]},
    )
    assert (answer.totals["hand_points"], answer.totals["bonus_points"]) == (6, 5)
    assert paid_by(answer) == {SOUTH: 12 + 5, WEST: 5 + 2}


def test_the_referee_reads_a_deal_from_its_public_events():
    """A whole little deal with unknown hands: the claim is judged from what was shown."""
    unknown = (None,) * 13
    events = [
        DealBegan(number=0, dealer=EAST, round_wind=Wind.EAST, points=(0, 0, 0), wall_left=68),
        HandDealt(seat=EAST, tiles=(None,) * 14),
        HandDealt(seat=SOUTH, tiles=unknown),
        HandDealt(seat=WEST, tiles=unknown),
        Discarded(seat=EAST, tile=Tile.parse("1z")),
        Drawn(seat=SOUTH),
        Discarded(seat=SOUTH, tile=Tile.parse("8p")),
        Drawn(seat=WEST),
        Discarded(seat=WEST, tile=Tile.parse("5p")),
        WinClaimed(seat=SOUTH, tile=Tile.parse("5p"), source=WEST),
        HandShown(seat=SOUTH, tiles=TWO_SIDED),
    ]
    state = fold(events, 3)
    assert PLAY.must_show(state, OPTIONS) == (EAST, WEST)
    shown = HandShown(seat=WEST, tiles=parse_tiles("345m 678m 22p 555z 6p 6p"))
    state = fold([*events, shown], 3)
    verdicts = conclude(state, events, PLAY, OPTIONS)
    judged = next(event for event in verdicts if isinstance(event, WinJudged))
    assert judged.answer.valid
    assert paid_by(judged.answer) == {WEST: 2 * 5 + 2, EAST: 2 + 2}
    blocked = [*events[:6], Discarded(seat=SOUTH, tile=Tile.parse("5p")), *events[7:]]
    verdicts = conclude(fold(blocked, 3), blocked, PLAY, OPTIONS)
    assert codes(verdicts[0].answer) == ["sacred_discard"]
    assert verdicts[-1].points == (20, -40, 20)


def test_a_false_ready_declaration_is_found_when_the_hand_is_shown():
    state = deal_state(
        east=holding(WAITING_WEST),
        south=holding(WAITING_WEST, pond="1z"),
        west=replace(
            holding("147m 258p 19s 123z 56z", pond="7z", ready_at=0),
            shown=parse_tiles("147m 258p 19s 123z 56z"),
        ),
    )
    drawn = PLAY.settle_draw(state, (), "exhaustive", OPTIONS)
    assert [breach.code for breach in drawn.violations] == ["false_ready"]
    assert "West declared ready, but is not one tile from a hand." in drawn.violations[0].text
    assert [(p.payer, p.receiver, p.points) for p in drawn.payments] == [
        (WEST, EAST, 10), (WEST, SOUTH, 10),
    ]  # fmt: skip


def test_ready_is_declared_with_the_discard_that_leaves_a_waiting_hand():
    south = replace(holding("234m 567m 345p 67p 99p 1z"), has_drawn=True)
    state = replace(deal_state(south=south), turn=SOUTH)
    ready = [a for a in own_turn_actions(state, PLAY, OPTIONS) if isinstance(a[0], ReadyDeclared)]
    assert [action[1].tile for action in ready] == [Tile.parse("1z")]
