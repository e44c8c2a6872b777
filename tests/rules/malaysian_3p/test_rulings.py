"""The rulings of the specification, section 14, by their numbers; losers, flies, pao, payments."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.events import (
    BonusSetAside,
    DealBegan,
    Discarded,
    Drawn,
    HandDealt,
    HandShown,
    KongDeclared,
    MeldCalled,
    Paid,
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
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import Awaiting, DealState, SeatState, apply, fold
from table_controller.rules.core.tiles import JOKER, Tile, parse_tiles
from table_controller.rules.core.wall import Wall
from table_controller.rules.malaysian_3p import RULESET
from table_controller.rules.malaysian_3p.losers import (
    compare_losers,
    fly_payments,
    hand_value,
    loser_fan,
)
from table_controller.rules.malaysian_3p.match import (
    final,
    first_deal,
    instant_payments,
    next_deal,
    wall_plan,
)
from table_controller.rules.malaysian_3p.play import PLAY, case_of, winners
from table_controller.rules.malaysian_3p.scoring import feeder, needs_hands
from tests.rules.korean_japanese_3p.notation import meld

EAST, SOUTH, WEST = Seat.A, Seat.B, Seat.C
OPTIONS = RULESET.options
FILL = "1p 3p 5p 7p 9p 1z 2z 3z 4z 5z 6z 7z 1p"


def holding(text="", *, melds=(), bonus="", **more):
    return SeatState(
        hand=parse_tiles(text),
        melds=tuple(one if isinstance(one, Meld) else meld(one) for one in melds),
        bonus=parse_tiles(bonus),
        **more,
    )


def deal_state(east=None, south=None, west=None, **more):
    given = {
        "players": 3, "number": 0, "dealer": EAST, "round_wind": Wind.EAST, "points": (0, 0, 0),
        "counters": 0, "deposits": 0, "goulash": 0, "wall_left": 20, "hand_size": 13,
        "kongs_replaced": True, "turn": EAST, "awaiting": Awaiting.DISCARD, "discards": 9,
        "seats": (east or SeatState(), south or SeatState(), west or SeatState()),
    }  # fmt: skip
    return DealState(**{**given, **more})


def after(state, *events):
    for event in events:
        state = apply(state, event)
    return state


def change(payments):
    return totals(payments, 3)


def settle(text, won, *, source=None, melds=(), options=OPTIONS, winner=SOUTH, **more):
    return RULESET.settle_win(
        Case(
            winner=winner,
            source=source,
            hand=parse_tiles(text),
            winning_tile=Tile.parse(won),
            melds=tuple(meld(one) for one in melds),
            **more,
        ),
        options,
    )


def concealed(seat, tiles):
    return KongDeclared(seat=seat, meld=Meld(MeldKind.CONCEALED_KONG, parse_tiles(tiles)))


def test_r01_a_concealed_kong_is_paid_by_each():
    state = deal_state(east=holding("5555p " + FILL[:-6]))
    paid = instant_payments(
        after(state, concealed(EAST, "5555p")), concealed(EAST, "5555p"), OPTIONS
    )
    assert change(paid) == (200, -100, -100)
    total = RULESET.choose(instant_payment_scope="total")
    assert change(instant_payments(state, concealed(EAST, "5555p"), total)) == (100, -50, -50)


def test_r02_an_open_kong_is_paid_by_the_discarder():
    kong = MeldCalled(seat=SOUTH, meld=Meld(MeldKind.KONG, parse_tiles("5555p"), WEST))
    assert change(instant_payments(deal_state(), kong, OPTIONS)) == (0, 100, -100)


def promoted(tile):
    grown = Meld(MeldKind.ADDED_KONG, parse_tiles(tile[0] * 4 + tile[1]), WEST)
    return KongDeclared(seat=SOUTH, meld=grown, added=Tile.parse(tile))


def kong_deal(robber="1p 3p 5p 7p 9p 1z 2z 3z 4z 5z 6z 7z 2p"):
    south = replace(holding("6p 1p 3p 7p 1z 2z 3z 4z 5z 7z 9p", melds=["pung(666p<W)"]),
                    has_drawn=True)  # fmt: skip
    state = deal_state(
        south=south, east=holding(robber, bonus="1c"), west=holding(FILL), turn=SOUTH
    )
    return Deal(state, Wall(parse_tiles("8p") * 20), PLAY, OPTIONS)


def first(deal, wanted, stop):
    events = []
    for event in play_deal(deal, lambda state, seat, actions: next(
        (a for a in actions if isinstance(a[0], wanted)), actions[-1])):  # fmt: skip
        events.append(event)
        if len(events) == stop:
            break
    return events


def test_r03_a_promoted_kong_is_paid_once_nobody_robbed_it():
    events = first(kong_deal(), KongDeclared, 3)
    assert [type(event) for event in events] == [KongDeclared, Paid, Drawn]
    assert change(events[1].payments) == (-50, 100, -50)


def test_r04_a_robbed_kong_pays_nothing():
    deal = kong_deal("234p 678p 45p 345p 22p")
    events = first(deal, KongDeclared | WinClaimed, 99)
    assert [type(event) for event in events[:2]] == [KongDeclared, WinClaimed]
    assert not any(isinstance(event, Paid) for event in events)
    answer = conclude(deal.state, deal.history, PLAY, OPTIONS)[0].answer
    value = answer.totals["hand_value"]
    hand = [p for p in answer.payments if "hand" in p.reason]
    assert change(hand) == (3 * value, -2 * value, -value)
    assert "robbing_kong" in [item.id for item in answer.items]


def dealt(south, replacements, options=OPTIONS):
    """A deal in which South is dealt these tiles, and what happens before the first discard."""
    wall = list(RULESET.tile_set(options).tiles())
    for text in (south, replacements):
        for tile in parse_tiles(text):
            wall.remove(tile)
    plain = [tile for tile in wall if not tile.is_bonus and tile != JOKER]
    rest = [tile for tile in wall if tile.is_bonus or tile == JOKER]
    own = list(parse_tiles(south)) + plain[:13]
    order = []
    others = plain[13:]
    for start in (0, 4, 8):
        order += others[:4] + own[start : start + 4] + others[4:8]
        others = others[8:]
    order += [others.pop(0), own[12], others.pop(0), others.pop(0)]
    tail = list(parse_tiles(replacements))
    middle = others + rest
    tiles = [*order, *middle]
    pairs = []
    while tail:  # from the back stacks are taken whole, the upper tile first
        pair, tail = tail[:2], tail[2:]
        pairs = [*pair, *pairs]
    tiles += own[13:]
    tiles += pairs
    assert len(tiles) == len(RULESET.tile_set(options))
    return open_deal(first_deal(options), tiles, PLAY, options)


def before_first_discard(deal):
    events = []
    for event in play_deal(deal, lambda state, seat, actions: actions[-1]):
        if isinstance(event, Discarded | WinClaimed):
            events.append(event)
            break
        events.append(event)
    return events


def test_r05_four_seasons_in_the_initial_hand():
    deal = dealt("1234g", "1p 2p 3p 4p")
    paid = [event for event in before_first_discard(deal) if isinstance(event, Paid)]
    assert [change(event.payments) for event in paid] == [(-100, 200, -100)]


@pytest.mark.parametrize(
    ("window", "gain"), [("initial_replacement", 200), ("dealt_tiles_only", 100)]
)
def test_r05_a_set_completed_by_a_replacement(window, gain):
    options = RULESET.choose(bonus_set_initial_window=window)
    deal = dealt("123g", "4g 1p 2p 3p", options)
    paid = [event for event in before_first_discard(deal) if isinstance(event, Paid)]
    assert [change(event.payments)[SOUTH] for event in paid] == [gain]


def test_r05_all_dealt_at_once_is_initial_in_either_window():
    options = RULESET.choose(bonus_set_initial_window="dealt_tiles_only")
    paid = [e for e in before_first_discard(dealt("1234g", "1p 2p 3p 4p", options))
            if isinstance(e, Paid)]  # fmt: skip
    assert [change(event.payments)[SOUTH] for event in paid] == [200]


def test_r06_a_set_that_is_completed_later():
    west = replace(holding("4a 123p 456p 789p 5p 66z", bonus="123a"), has_drawn=True)
    state = after(deal_state(west=west, turn=WEST), BonusSetAside(seat=WEST, tile=Tile.parse("4a")))
    event = BonusSetAside(seat=WEST, tile=Tile.parse("4a"))
    assert change(instant_payments(state, event, OPTIONS)) == (-50, -50, 100)
    fan_only = RULESET.choose(bonus_set_counts="fan_only")
    assert instant_payments(state, event, fan_only) == ()
    state = after(state, Drawn(seat=WEST, tile=Tile.parse("5p"), replacement=True))
    claim = WinClaimed(seat=WEST, tile=Tile.parse("5p"))
    shown = HandShown(
        seat=WEST, tiles=parse_tiles("123p 456p 789p 66z"), winning_tile=Tile.parse("5p")
    )
    assert Flag.REPLACEMENT in case_of(after(state, claim, shown), claim, OPTIONS).flags


def test_r07_a_drawn_deal_pays_nothing_more():
    state = deal_state(south=replace(holding("jk jk " + FILL[:-6]), shown=parse_tiles("jk jk 1p")))
    assert PLAY.settle_draw(state, (), "exhaustive", OPTIONS).payments == ()
    paid = RULESET.choose(fly_bonus_on_drawn_hand=True)
    drawn = PLAY.settle_draw(state, (), "exhaustive", paid)
    assert change(drawn.payments) == (-100, 200, -100)


def test_r08_and_r09_who_deals_next():
    start = first_deal(OPTIONS)
    won = next_deal(start, DealOutcome(winners=(WEST,), points=(1, 2, 3)), OPTIONS)
    assert (won.dealer, won.round_wind, won.points) == (WEST, Wind.EAST, (1, 2, 3))
    state = deal_state(dealer=WEST)
    assert [state.wind_of(seat) for seat in (WEST, EAST, SOUTH)] == ["E", "S", "W"]
    drawn = DealOutcome(draw_reason="exhaustive", points=(0, 0, 0))
    assert next_deal(start, drawn, OPTIONS).dealer is EAST
    passes = RULESET.choose(dealer_after_drawn_hand="passes_right")
    assert next_deal(start, drawn, passes).dealer is SOUTH
    annulled = DealOutcome(replayed=True, points=(0, 0, 0))
    assert next_deal(start, annulled, passes).dealer is EAST
    two = RULESET.choose(play_length="deals", play_length_deals=2)
    assert next_deal(replace(start, number=1), drawn, two) is None
    assert next_deal(replace(start, number=999), drawn, OPTIONS) is not None


def discarding(tile, south, west=FILL, *, options=OPTIONS, **more):
    state = deal_state(
        east=holding(f"{tile} {FILL}"), south=holding(south, **more), west=holding(west)
    )
    state = after(state, Discarded(seat=EAST, tile=Tile.parse(tile)))
    return claim_actions(state, SOUTH, PLAY, options)


def test_r10_a_discarded_fly_is_nobodys():
    assert discarding("jk", "55p jk 234p 678p 345p 9p", bonus="1c") == []
    answer = settle("234p 567p 345p 678p 9p", "jk", source=EAST)
    assert [one.code for one in answer.violations] == ["joker_misuse"]
    claimable = RULESET.choose(fly_discard_claimable=True)
    assert [type(a[0]) for a in discarding("jk", "234p 567p 345p 678p 9p", options=claimable)] == [
        WinClaimed
    ]


def test_r11_a_claimed_pung_is_of_real_tiles():
    offered = [a[0].meld for a in discarding("5p", "55p jk 1z 2z 3z 4z 5z 6z 7z 1p 3p 9p")]
    assert [m.tiles for m in offered] == [parse_tiles("555p")]
    assert discarding("5p", "5p jk 1z 2z 3z 4z 5z 6z 7z 1p 3p 9p 9p") == []
    free = RULESET.choose(fly_in_claims=True)
    (offered,) = discarding("5p", "5p jk 1z 2z 3z 4z 5z 6z 7z 1p 3p 9p 9p", options=free)
    assert sorted(offered[0].meld.tiles) == sorted(parse_tiles("55p jk"))


def test_kongs_with_flies_are_an_option():
    east = replace(holding("777z jk 1p 3p 5p 1z 2z 3z 4z", melds=["pung(666z<W)"]), has_drawn=True)
    state = deal_state(east=east)
    kongs = [a for a in own_turn_actions(state, PLAY, OPTIONS) if isinstance(a[0], KongDeclared)]
    assert kongs == []
    free = RULESET.choose(fly_in_kong=True)
    kongs = [a[0] for a in own_turn_actions(state, PLAY, free) if isinstance(a[0], KongDeclared)]
    assert {kong.meld.kind for kong in kongs} == {MeldKind.CONCEALED_KONG, MeldKind.ADDED_KONG}
    for kong in kongs:
        assert after(state, kong).held(EAST) == 13


def test_r12_four_flies_in_the_starting_hand_win_at_once():
    deal = dealt("jk jk jk jk 1f", "2f 1p")
    events = before_first_discard(deal)
    assert events[-1] == WinClaimed(seat=SOUTH, tile=None)
    for _ in play_deal(deal, lambda state, seat, actions: actions[-1]):
        pass
    verdicts = conclude(deal.state, deal.history, PLAY, OPTIONS)
    answer = verdicts[0].answer
    assert answer.valid
    assert [item.id for item in answer.items if item.unit == "fan"] == ["four_flies"]
    assert answer.deltas == (-800, 1600, -800)
    assert "losers_compared" not in [item.id for item in answer.items]
    needs = dealt("jk jk jk jk 1f", "2f 1p", RULESET.choose(four_flies_initial="needs_hand"))
    assert isinstance(before_first_discard(needs)[-1], Discarded)


def test_r13_a_fourth_fly_later_needs_a_hand():
    south = holding("jk jk jk 1p 3p 5p 7p 9p 1z 2z 3z 4z 5z", bonus="1f")
    state = after(deal_state(south=south, turn=SOUTH, awaiting=Awaiting.DRAW),
                  Drawn(seat=SOUTH, tile=JOKER))  # fmt: skip
    assert not any(isinstance(a[0], WinClaimed) for a in own_turn_actions(state, PLAY, OPTIONS))
    assert settle("jk jk jk 234p 567p 99p 78p", "jk", bonus=parse_tiles("1f")).totals["fan"] == 10


def test_r14_nine_gates_on_a_discard_is_too_little():
    answer = settle("1112345678999p", "5p", source=EAST, bonus=parse_tiles("1c"))
    assert [one.code for one in answer.violations] == ["below_minimum"]
    assert answer.totals == {"fan": 4}
    assert change(answer.violations[0].penalty) == (300, -600, 300)


DRAGONS = ["pung(G G G<W)", "pung(R R R<W)", "pung(Wh Wh Wh<E)"]
BONUS = {"bonus": parse_tiles("1f")}


def hand_change(answer):
    return change([p for p in answer.payments if p.reason not in ("flies", "losers compared")])


def test_r15_pao_for_big_three_dragons():
    answer = settle("345p 8p", "8p", melds=DRAGONS, source=WEST, **BONUS)
    assert hand_change(answer) == (-900, 900, 0)
    assert "East fed the last exposed set" in next(i.why for i in answer.items if i.id == "pao")
    shared = RULESET.choose(pao_payment="share_with_discarder")
    answer = settle("345p 8p", "8p", melds=DRAGONS, source=WEST, options=shared, **BONUS)
    assert hand_change(answer) == (-450, 900, -450)
    own = settle("345p 8p", "8p", melds=DRAGONS, source=EAST, options=shared, **BONUS)
    assert hand_change(own) == (-900, 900, 0)


def test_r16_a_concealed_dragon_set_makes_nobody_liable():
    answer = settle("555z 345p 8p", "8p", melds=DRAGONS[:2], source=WEST, **BONUS)
    assert hand_change(answer) == (-300, 900, -600)


THREE_WINDS = ["pung(E E E<W)", "pung(S S S<W)", "pung(W W W<E)"]


def test_r17_three_exposed_winds():
    answer = settle("44z 34p", "5p", melds=THREE_WINDS, **BONUS)
    assert hand_change(answer) == (-1200, 1200, 0)


def test_r18_the_fourth_wind_takes_over():
    answer = settle("3p", "3p", melds=[*THREE_WINDS, "pung(N N N<W)"], **BONUS)
    assert hand_change(answer) == (0, 1200, -1200)


@pytest.mark.parametrize(
    ("melds", "tiles", "start", "liable"),
    [
        (["pung(E E E<W)", "pung(S S S<E)"], "1234z", 3, None),
        (["pung(E E E<W)", "pung(555p<E)", "pung(S S S<W)", "pung(W W W<E)"], "1234z", 3, EAST),
        (["ckong(E E E E)", "pung(S S S<W)", "pung(W W W<E)"], "1234z", 3, None),
        (["pung(E E E<W)", "kong+(S S S S<W)", "kong(W W W W<E)"], "1234z", 3, EAST),
        (["pung(G G G<W)", "pung(R R R<E)"], "567z", 2, EAST),
    ],
)
def test_who_is_liable(melds, tiles, start, liable):
    laid = [meld(one) for one in melds]
    assert feeder(laid, parse_tiles(tiles), start) is liable


FIVE = {"bonus": parse_tiles("1c 2f 3a")}  # South's five fan with a pung of green
HAND = {"text": "234p 567p 9p 345p", "won": "9p", "melds": ["pung(G G G<E)"]}


def with_losers(east, west, *, options=OPTIONS, **more):
    """The losers' payment when they have laid down these bonus tiles and honour pungs."""

    def shown(bonus, pungs):
        return ShownHand(
            melds=tuple(Meld(MeldKind.PUNG, parse_tiles(p[0] * 3 + p[1]), SOUTH) for p in pungs),
            bonus=parse_tiles(bonus),
        )

    answer = settle(**HAND, source=WEST, options=options, **{**FIVE, **more},
                    others={EAST: shown(*east), WEST: shown(*west)})  # fmt: skip
    paid = [p for p in answer.payments if p.reason == "losers compared"]
    return change(paid)


SIX = ("14g 2c", ["1z", "7z"])
SEVEN = ("124a 3f 3g", ["4z", "3z"])
THREE = ("14g 2c", [])
ONE = ("4f", [])


def test_r19_equal_losers_pay_nothing():
    assert with_losers(("14g 2c", ["1z"]), ("34g 1a", ["3z", "4z"])) == (0, 0, 0)


def test_r20_no_comparison_when_the_winner_is_full():
    assert with_losers(SIX, ONE, bonus=()) == (0, 0, 0)


@pytest.mark.parametrize(
    ("east", "west", "options", "paid"),
    [
        (SIX, ONE, {}, (220, 0, -220)),
        (SIX, SEVEN, {}, (-20, 0, 20)),
        (THREE, ONE, {}, (0, 0, 0)),
        (THREE, ONE, {"both_losers_below_minimum": "lower_pays_higher"}, (160, 0, -160)),
        (THREE, ("34g 2c", []), {"both_losers_below_minimum": "lower_pays_higher"}, (0, 0, 0)),
        (SIX, ONE, {"loser_comparison": False}, (0, 0, 0)),
        (SIX, ONE, {"min_fan": 5, "fan_counted": "above_minimum"}, (120, 0, -120)),
    ],
)
def test_the_losers_compare(east, west, options, paid):
    assert with_losers(east, west, options=RULESET.choose(**options)) == paid


def test_exactly_five_fan_of_a_loser():
    five = ("14g", ["1z", "7z"])
    assert with_losers(five, ONE) == (200, 0, -200)
    assert with_losers(five, ONE, options=RULESET.choose(loser_minimum_inclusive=False)) == (
        0,
        0,
        0,
    )


def fan_of(hand, *, options=OPTIONS, bonus="", melds=()):
    case = Case(
        winner=SOUTH, source=WEST, hand=parse_tiles("234p 567p 345p 6p"),
        winning_tile=Tile.parse("6p"),
        others={EAST: ShownHand(hand=parse_tiles(hand), bonus=parse_tiles(bonus),
                                melds=tuple(meld(m) for m in melds))},
    )  # fmt: skip
    return loser_fan(EAST, case, options).fan


def test_what_counts_for_a_loser():
    assert fan_of("111z 55z 1234567p 9p") == 2  # east is both the own wind and east
    assert fan_of("11z 55z 123456789p") == 0
    assert fan_of("11z jk 55z 12345678p") == 0
    assert fan_of("11z jk 55z 12345678p", options=RULESET.choose(loser_fan_flies=True)) == 2
    assert fan_of("", bonus="1234f 1234g 1234c 1234a") == 10  # the cap
    assert fan_of("666z 77z 12345678p") == 1
    everything = RULESET.choose(loser_items="all_items")
    assert fan_of("666z 77z 12345678p", options=everything) == 2  # one suit with honours
    assert fan_of("77z 12345678p", melds=["pung(G G G<W)"], options=everything) == 2


def test_the_whole_settlement_adds_up():
    answer = settle(
        "234p 567p 9p 34p jk", "9p", melds=["pung(G G G<E)"], source=WEST,
        extra={"flies_of_losers": {"0": 2}}, **FIVE,
    )  # fmt: skip
    assert sum(answer.deltas) == 0
    bank = RULESET.choose(fly_bonus_payer="bank")
    assert change(fly_payments({SOUTH: 1, EAST: 2}, bank)) == (100, 50, 0)


@pytest.mark.parametrize(
    ("fan", "value"), [(5, 200), (6, 220), (7, 240), (8, 260), (9, 280), (10, 300)]
)
def test_the_value_of_a_hand(fan, value):
    assert hand_value(fan, OPTIONS) == value
    assert hand_value(fan, RULESET.choose(fan_counted="above_minimum")) == value - 100


def test_r21_the_first_after_the_discarder_wins():
    east = "123p 456p 678p 345p 9p"
    state = deal_state(
        east=holding(east, bonus="1c"), south=holding("345p 678p 567p 44p 9p 9p", bonus="2c 1a"),
        west=holding("9p " + FILL), turn=WEST,
    )  # fmt: skip
    state = after(state, Discarded(seat=WEST, tile=Tile.parse("9p")))
    claims = tuple(
        WinClaimed(seat=seat, tile=Tile.parse("9p"), source=WEST) for seat in (SOUTH, EAST)
    )
    assert [claim.seat for claim in winners(state, claims, OPTIONS)] == [EAST]
    both = RULESET.choose(multiple_winners="all")
    assert [claim.seat for claim in winners(state, claims, both)] == [EAST, SOUTH]
    shown = after(
        state, *claims, HandShown(seat=EAST, tiles=parse_tiles(east)),
        HandShown(seat=SOUTH, tiles=parse_tiles("345p 678p 567p 44p 9p 9p")),
    )  # fmt: skip
    late, good = (e.answer for e in conclude(shown, (), PLAY, OPTIONS) if isinstance(e, WinJudged))
    assert good.valid
    assert [one.code for one in late.violations] == ["outranked"]
    assert late.payments == ()


def test_r22_no_bonus_tile_and_a_fly():
    answer = settle("234p 567p 789p 2z jk 34p", "5p", source=EAST)
    assert answer.totals["fan"] == 10
    assert change([p for p in answer.payments if p.reason == "flies"]) == (-50, 100, -50)


def test_r23_the_dealers_dealt_tiles():
    deal = Deal(
        deal_state(
            east=replace(holding("123p 456p 789p 111z 22p", bonus="1f 2f"), has_drawn=True,
                         drawn=Tile.parse("2p")),
            south=holding(FILL), west=holding(FILL), discards=0,
        ),
        Wall(parse_tiles("8p") * 20), PLAY, OPTIONS,
    )  # fmt: skip
    events = first(deal, WinClaimed, 9)
    assert isinstance(events[0], WinClaimed)
    answer = conclude(deal.state, deal.history, PLAY, OPTIONS)[0].answer
    assert "first_or_last_tile" in [item.id for item in answer.items]
    assert hand_change(answer) == (1200, -600, -600)


@pytest.mark.parametrize("called", [False, True])
def test_the_first_tile_drawn_before_any_call(called):
    state = deal_state(
        east=holding("9p " + FILL), discards=0,
        west=holding("99p 1z " + FILL[:-9]),
        south=holding("123p 456p 678p 33z 34p", bonus="1f"),
    )  # fmt: skip
    state = after(state, Discarded(seat=EAST, tile=Tile.parse("9p")))
    if called:
        pung = Meld(MeldKind.PUNG, parse_tiles("999p"), EAST)
        state = after(
            state, MeldCalled(seat=WEST, meld=pung), Discarded(seat=WEST, tile=Tile.parse("1z"))
        )
        state = after(
            state,
            Drawn(seat=EAST, tile=Tile.parse("1p")),
            Discarded(seat=EAST, tile=Tile.parse("1p")),
        )
    state = after(state, Drawn(seat=SOUTH, tile=Tile.parse("5p")))
    claim = WinClaimed(seat=SOUTH, tile=Tile.parse("5p"))
    flags = case_of(state, claim, OPTIONS).flags
    assert (Flag.FIRST_TURN in flags) is not called


def test_r24_the_last_tile_as_a_replacement():
    answer = settle("123p 456p 8p", "8p", melds=["pung(222p<E)", "pung(S S S<E)"],
                    flags=frozenset({Flag.LAST_TILE, Flag.REPLACEMENT}), **BONUS)  # fmt: skip
    assert "first_or_last_tile" in [item.id for item in answer.items]


def test_two_kongs_in_one_turn_are_read_off_the_record():
    south = replace(holding("9999p 2222z 234p 8p 55p"), has_drawn=True)
    state = deal_state(south=south, turn=SOUTH)
    state = after(
        state, concealed(SOUTH, "9999p"),
        Drawn(seat=SOUTH, tile=Tile.parse("1f"), replacement=True),
        BonusSetAside(seat=SOUTH, tile=Tile.parse("1f")),
        Drawn(seat=SOUTH, tile=Tile.parse("6p"), replacement=True),
        concealed(SOUTH, "2222z"), Drawn(seat=SOUTH, tile=Tile.parse("7p"), replacement=True),
    )  # fmt: skip
    claim = WinClaimed(seat=SOUTH, tile=Tile.parse("7p"))
    assert case_of(state, claim, OPTIONS).extra["replacement_after_two_kongs"] is True
    one = after(deal_state(south=south, turn=SOUTH), concealed(SOUTH, "9999p"),
                Drawn(seat=SOUTH, tile=Tile.parse("6p"), replacement=True))  # fmt: skip
    claim = WinClaimed(seat=SOUTH, tile=Tile.parse("6p"))
    assert "replacement_after_two_kongs" not in case_of(one, claim, OPTIONS).extra


def test_who_must_show():
    case = Case(winner=SOUTH, source=WEST, hand=parse_tiles("234p 567p 9p 345p"),
                winning_tile=Tile.parse("9p"), melds=(meld("pung(G G G<E)"),), **FIVE)  # fmt: skip
    assert needs_hands(case, OPTIONS) == (WEST, EAST)
    shown = replace(case, others={WEST: ShownHand(hand=parse_tiles(FILL))})
    assert needs_hands(shown, OPTIONS) == (EAST,)
    assert needs_hands(replace(case, bonus=parse_tiles("1f")), OPTIONS) == ()  # no win


def test_the_referee_reads_a_deal_from_its_public_events():
    unknown = (None,) * 13
    hand = parse_tiles("234p 567p 345p 678p jk")
    events = [
        DealBegan(number=0, dealer=EAST, round_wind=Wind.EAST, points=(0, 0, 0), wall_left=44),
        HandDealt(seat=EAST, tiles=(None,) * 14),
        HandDealt(seat=SOUTH, tiles=unknown),
        HandDealt(seat=WEST, tiles=unknown),
        Discarded(seat=EAST, tile=Tile.parse("9p")),
        WinClaimed(seat=SOUTH, tile=Tile.parse("9p"), source=EAST),
        HandShown(seat=SOUTH, tiles=hand),
    ]
    state = fold(events, 3)
    assert PLAY.must_show(state, OPTIONS) == (WEST, EAST)
    shown = [HandShown(seat=seat, tiles=parse_tiles(f"jk {FILL[:-3]}")) for seat in (WEST, EAST)]
    judged = conclude(fold([*events, *shown], 3), events, PLAY, OPTIONS)[0].answer
    assert judged.valid
    assert judged.totals["fan"] == 10  # no bonus tile
    assert sum(judged.deltas) == 0
    assert change([p for p in judged.payments if p.reason == "flies"]) == (0, 0, 0)


def test_the_walls():
    assert wall_plan(OPTIONS).stacks == (14, 14, 14)
    assert wall_plan(RULESET.choose(dead_wall_tiles=14)).reserved == 14
    assert final(first_deal(OPTIONS), (5, -10, 5), OPTIONS).placements == (1, 3, 1)


def test_losers_are_compared_in_words():
    answer = settle(**HAND, source=WEST, **FIVE, others={
        EAST: ShownHand(bonus=parse_tiles("14g 2c"), melds=(meld("pung(E E E<S)"),))})  # fmt: skip
    why = next(item.why for item in answer.items if item.id == "losers_compared")
    assert "East, whose hand is not shown: Face tile 1, Own season 1, Winter season 1" in why
    assert (
        compare_losers(
            Case(winner=SOUTH, source=WEST, hand=(), winning_tile=Tile.parse("1p")), OPTIONS
        ).payment
        is None
    )
