"""Whole American hands between bots, and what the hooks decide."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from table_controller.rules.american import RULESET
from table_controller.rules.american.advice import player, targets, usefulness
from table_controller.rules.american.matching import Rack
from table_controller.rules.american.options import (
    CharlestonRule,
    CourtesyRule,
    ExchangeWin,
    HeavenlyHand,
    JokerlessScope,
    MahjongInError,
    Options,
)
from table_controller.rules.american.play import PLAY, THREE_DEAD, final, next_deal
from table_controller.rules.american.scoring import card_of
from table_controller.rules.core.errors import ImpossibleEventError
from table_controller.rules.core.events import (
    DealBegan,
    Discarded,
    Drawn,
    HandDealt,
    HandShown,
    JokerExchanged,
    MeldCalled,
    Penalised,
    TilesPassed,
    WinClaimed,
    hide,
)
from table_controller.rules.core.game import (
    PASS,
    DealOutcome,
    DealStart,
    claim_actions,
    conclude,
    open_deal,
    own_turn_actions,
    play_deal,
)
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import Awaiting, apply, fold
from table_controller.rules.core.tiles import Tile, format_tiles, parse_tiles
from tests.rules.bot_play import check, play_matches

E, S, W, N = Seat
OPTIONS = Options()


def fickle(options):
    """A player who plays for the card but sometimes passes blind, stops, or does not claim."""

    def make(rng):
        sensible = player(options)

        def choose(state, seat, actions):
            first = actions[0][0]
            if isinstance(first, TilesPassed):
                if first.step == "stop":
                    return actions[0] if rng.random() < 0.1 else PASS
                if rng.random() < 0.3:
                    return PASS
            if isinstance(first, JokerExchanged) and rng.random() < 0.3:
                return rng.choice(actions)
            return sensible(state, seat, actions)

        return choose

    return make


@pytest.mark.parametrize(
    "options",
    [
        Options(hands=4),
        Options(
            charleston=CharlestonRule.FIRST_ONLY,
            courtesy_rule=CourtesyRule.EQUAL_ONLY,
            exposure_min_naturals=2,
            wall_game_payment=10,
            hands=4,
        ),
        Options(charleston=CharlestonRule.NONE, exchange_after_claim=False, hands=4),
    ],
)
def test_bots_play_hands(options):
    played = play_matches(RULESET, options, deals=8, seed=3, player=fickle(options))
    assert played.wins > 1
    assert played.calls > 10
    assert played.matches == 2
    assert played.kongs == 0


def test_players_without_a_plan_play_wall_games():
    played = play_matches(RULESET, OPTIONS, deals=3, seed=3, calls=1.0)
    assert played.draws > 0


@pytest.mark.long
def test_bots_play_ten_thousand_hands():
    played = play_matches(RULESET, OPTIONS, deals=10_000, seed=21, player=fickle(OPTIONS))
    assert played.wins > 5_000
    lines = {line.id for line in card_of(OPTIONS).lines}
    assert len(lines & set(played.items)) > 30


def test_the_charleston_keeps_hands_at_their_size_and_jokers_at_home():
    tiles = RULESET.tile_set(OPTIONS).tiles()
    steps = Counter()
    for seed in range(6):
        rng = random.Random(seed)
        rng.shuffle(tiles)
        deal = open_deal(PLAY.first_deal(OPTIONS), tiles, PLAY, OPTIONS)
        for event in play_deal(deal, fickle(OPTIONS)(rng)):
            if isinstance(event, TilesPassed):
                steps[event.step] += 1
                assert not any(tile.is_joker for tile in event.tiles)
            elif isinstance(event, Discarded):
                break
        check(deal, Counter(tiles))
        assert [deal.state.held(seat) for seat in Seat] == [13, 13, 13, 13]
    assert set(steps) >= {"first right", "first across", "first left", "last right", "courtesy"}
    assert steps["first right"] == 6 * 12  # everybody passes three, seen
    assert 0 < steps["first left"] < 6 * 12  # some were passed on blind and came home


def test_a_table_without_sight_of_the_tiles_folds_the_charleston_too():
    tiles = RULESET.tile_set(OPTIONS).tiles()
    random.Random(5).shuffle(tiles)
    deal = open_deal(PLAY.first_deal(OPTIONS), tiles, PLAY, OPTIONS)
    seen = [hide(event) for event in deal.history]
    seen += [hide(event) for event in play_deal(deal, player(OPTIONS))]
    state = fold(seen, 4)
    assert [len(seat.hand) for seat in state.seats] == [len(seat.hand) for seat in deal.state.seats]
    assert state.awaiting is deal.state.awaiting


def begun(hands, *, more=()):
    """A hand whose tiles are known; East, with one tile more, discards."""
    events = [
        DealBegan(
            number=0,
            dealer=E,
            round_wind=Wind.EAST,
            points=(0, 0, 0, 0),
            wall_left=99,
            kongs_replaced=False,
            dead_hands_skipped=True,
        )
    ]
    events += [
        HandDealt(seat=seat, tiles=parse_tiles(hand))
        for seat, hand in zip(Seat, hands, strict=True)
    ]
    events += more
    return events, fold(events, 4)


NOTHING = "159m 159p 159s 1z 2z 3z 4z"
PASSED = TilesPassed(seat=S, receiver=W, tiles=(), step="first right")


def played(events, state, more):
    """The events and the state with more events."""
    for event in more:
        state = apply(state, event)
    return [*events, *more], state


def test_east_declares_before_the_charleston():
    dealt = "2468m 288p 2468s 11f 2p"
    events, state = begun([dealt, NOTHING, NOTHING, NOTHING])
    claim = WinClaimed(seat=E, tile=None)
    shown = HandShown(
        seat=E, tiles=parse_tiles("2468m 288p 2468s 11f"), winning_tile=Tile.parse("2p")
    )
    history, state = played(events, state, [claim, shown])
    double = Options(heavenly_hand=HeavenlyHand.DOUBLE)
    assert conclude(state, history, PLAY, OPTIONS)[0].answer.deltas == (360, -120, -120, -120)
    assert conclude(state, history, PLAY, double)[0].answer.deltas == (720, -240, -240, -240)
    after = [*events, PASSED, claim, shown]
    assert conclude(state, after, PLAY, double)[0].answer.deltas == (360, -120, -120, -120)


def test_bots_declare_a_heavenly_hand():
    tiles = RULESET.tile_set(OPTIONS).tiles()
    wanted = list(parse_tiles("2468m 288p 2468s 2p")) + list(parse_tiles("12f"))
    rest = list(tiles)
    for tile in wanted:
        rest.remove(tile)
    random.Random(1).shuffle(rest)
    order = []
    for number in range(1, 54):
        mine = number <= 4 or 17 <= number <= 20 or 33 <= number <= 36 or number in (49, 53)
        order.append(wanted.pop() if mine else rest.pop())
    deal = open_deal(PLAY.first_deal(OPTIONS), [*order, *rest], PLAY, OPTIONS)
    happened = list(play_deal(deal, player(OPTIONS)))
    assert [event.kind for event in happened] == ["win_claimed", "hand_shown"]
    judged = conclude(deal.state, deal.history, PLAY, OPTIONS)[0]
    assert judged.answer.deltas == (360, -120, -120, -120)


def test_exposures_claims_and_what_the_hooks_offer():
    hand = "44m jk 1z 999p 55z 333s 7m"
    _, state = begun(["4m" + NOTHING, hand, NOTHING, NOTHING])
    offered = apply(state, Discarded(seat=E, tile=Tile.parse("4m")))
    calls = [
        format_tiles(action[0].meld.tiles) for action in claim_actions(offered, S, PLAY, OPTIONS)
    ]
    # the joker may stand for a second or third 4m; no line of the card has a quint of fours
    assert calls == ["444m", "jk 44m", "jk 444m"]
    joker = apply(
        begun(["jk" + NOTHING, hand, NOTHING, NOTHING])[1],
        Discarded(seat=E, tile=Tile.parse("jk")),
    )
    assert claim_actions(joker, S, PLAY, OPTIONS) == []


def test_a54_two_claims_for_the_same_tile():
    green = Tile.parse("6z")
    complete, two = "222m 44m 66p 888p 666z", "66z 159m 159p 159s 12z"
    events, state = begun(["6z" + NOTHING, NOTHING, two, complete], more=[PASSED])
    history, state = played(events, state, [Discarded(seat=E, tile=green)])

    def taken(kind):
        deal = open_deal(PLAY.first_deal(OPTIONS), RULESET.tile_set(OPTIONS).tiles(), PLAY, OPTIONS)
        deal.state, deal.history = state, history.copy()

        def choose(_, seat, actions):
            return next((one for one in actions if seat is W or one[0].kind == kind), PASS)

        event = next(play_deal(deal, choose))
        return event.seat, event.kind

    assert claim_actions(state, W, PLAY, OPTIONS)
    assert taken("win_claimed") == (N, "win_claimed")  # before the exposure of West
    assert taken("meld_called") == (W, "meld_called")  # both expose: West is next in turn


def test_calls_that_leave_no_line_are_not_offered():
    _, state = begun(["3p" + NOTHING, "333p 1m 9m 4s 55z 8888s", NOTHING, NOTHING])
    laid = state.with_seat(
        S,
        melds=(Meld.of("pung", "555m", N), Meld.of("kong", "8888s", N)),
        hand=(*parse_tiles("333p 1m 9m 4s"),),
    )
    offered = apply(laid, Discarded(seat=E, tile=Tile.parse("3p")))
    assert claim_actions(offered, S, PLAY, OPTIONS) == []


def test_a_joker_is_exchanged_in_the_own_turn():
    _, state = begun(["4m" + NOTHING, "123m 456p 789s 1234z", NOTHING, NOTHING])
    state = state.with_seat(N, melds=(Meld.of("kong", "444m jk", E),))
    actions = own_turn_actions(state, PLAY, OPTIONS)
    exchange = JokerExchanged(seat=E, owner=N, place=0, tile=Tile.parse("4m"))
    assert (exchange,) in actions
    after = apply(state, exchange)
    assert format_tiles(after.seats[N].melds[0].tiles) == "4444m"
    assert after.seats[E].hand[-1].is_joker
    assert after.awaiting is Awaiting.DISCARD
    with pytest.raises(ImpossibleEventError, match="no joker"):
        apply(after, JokerExchanged(seat=E, owner=N, place=0, tile=Tile.parse("4m")))


def test_mahjong_by_exchange_after_a_claim_is_a_self_pick_or_paid_by_the_discarder():
    # South claims 6s for a pung with a joker, exchanges a 3m for a joker of West, and has T2
    events, state = begun(
        ["6s" + NOTHING, "333m 999p 1111f 6s jk 3m", NOTHING, NOTHING], more=[PASSED]
    )
    state = state.with_seat(W, melds=(Meld.of("kong", "333m jk", N),))
    pung = Meld(Meld.of("pung", "66s jk").kind, parse_tiles("66s jk"), E, Tile.parse("6s"))
    more = [
        Discarded(seat=E, tile=Tile.parse("6s")),
        MeldCalled(seat=S, meld=pung),
        JokerExchanged(seat=S, owner=W, place=0, tile=Tile.parse("3m")),
    ]
    history, state = played(events, state, more)
    assert own_turn_actions(state, PLAY, OPTIONS)[0] == (WinClaimed(seat=S, tile=Tile.parse("jk")),)
    end = [
        WinClaimed(seat=S, tile=Tile.parse("jk")),
        HandShown(seat=S, tiles=parse_tiles("333m 999p 1111f"), winning_tile=Tile.parse("jk")),
    ]
    history, state = played(history, state, end)
    judged = conclude(state, history, PLAY, OPTIONS)[0]
    assert judged.answer.deltas == (-50, 150, -50, -50)
    first = Options(exchange_win=ExchangeWin.BY_FIRST_TILE)
    assert conclude(state, history, PLAY, first)[0].answer.deltas == (-50, 100, -25, -25)


def test_a_joker_that_everybody_saw_counts_where_none_may_have_been_held():
    strict = Options(jokerless_scope=JokerlessScope.NEVER_HELD)
    hand = "222m 44m 66p 888p 666z"
    events, state = begun([hand + "6z", NOTHING, NOTHING, NOTHING], more=[PASSED])
    more = [
        WinClaimed(seat=E, tile=Tile.parse("6z")),
        HandShown(seat=E, tiles=parse_tiles(hand), winning_tile=Tile.parse("6z")),
    ]
    _, state = played(events, state, more)

    def points(discarder, options):
        earlier = [*events, Discarded(seat=discarder, tile=Tile.parse("jk"))]
        return PLAY.judge(state, earlier, state.claims[0], options).totals["points"]

    assert points(S, strict) == 50
    assert points(E, strict) == 25
    assert points(E, OPTIONS) == 50


def test_a_mahjong_in_error_is_paid_to_the_hands_that_are_not_dead():
    pay = Options(mahjong_in_error=MahjongInError.PAY_ALL)
    events, state = begun(["4m" + NOTHING, NOTHING, NOTHING, NOTHING], more=[PASSED])
    more = [
        Penalised(seat=N, code="dead_hand", dead_hand=True),
        WinClaimed(seat=E, tile=Tile.parse("4m")),
        HandShown(seat=E, tiles=parse_tiles(NOTHING), winning_tile=Tile.parse("4m")),
    ]
    history, state = played(events, state, more)
    (breach, *_) = PLAY.judge(state, history, state.claims[0], pay).violations
    assert {payment.receiver for payment in breach.penalty} == {S, W}


def discard(state, seat):
    """The state after that seat drew a 2m and discarded it."""
    tile = Tile.parse("2m")
    return apply(apply(state, Drawn(seat=seat, tile=tile)), Discarded(seat=seat, tile=tile))


def test_a_dead_hand_is_skipped_and_pays_like_the_others():
    events, state = begun(["4m" + NOTHING, NOTHING, NOTHING, NOTHING], more=[PASSED])
    more = [
        Discarded(seat=E, tile=Tile.parse("4m")),
        WinClaimed(seat=S, tile=Tile.parse("4m"), source=E),
        HandShown(seat=S, tiles=parse_tiles(NOTHING), winning_tile=Tile.parse("4m")),
    ]
    history, state = played(events, state, more)
    verdicts = conclude(state, history, PLAY, OPTIONS)
    assert [event.kind for event in verdicts] == ["win_judged", "penalised"]
    history, state = played(history, state, verdicts)
    assert state.seats[S].dead_hand
    assert (state.turn, state.awaiting) == (W, Awaiting.CLAIMS)
    assert claim_actions(state, S, PLAY, OPTIONS) == []
    later = discard(state, W)
    assert later.turn is N
    around = discard(later, N)
    assert around.turn is E
    past = discard(around, E)
    assert past.turn is W  # South is skipped


def test_a_false_self_pick_passes_the_turn_on():
    events, state = begun(["4m" + NOTHING, NOTHING, NOTHING, NOTHING], more=[PASSED])
    more = [
        WinClaimed(seat=E, tile=Tile.parse("4m")),
        HandShown(seat=E, tiles=parse_tiles(NOTHING), winning_tile=Tile.parse("4m")),
    ]
    history, state = played(events, state, more)
    history, state = played(history, state, conclude(state, history, PLAY, OPTIONS))
    assert (state.turn, state.awaiting) == (S, Awaiting.DRAW)


def test_the_third_dead_hand_ends_the_deal_without_payment():
    events, state = begun(["4m" + NOTHING, NOTHING, NOTHING, NOTHING], more=[PASSED])
    dead = [Penalised(seat=seat, code="dead_hand", dead_hand=True) for seat in (W, N)]
    history, state = played(events, state, [*dead, Discarded(seat=E, tile=Tile.parse("4m"))])
    assert PLAY.automatic_draw(state, OPTIONS) is None
    assert (
        PLAY.automatic_draw(
            apply(state, Penalised(seat=S, code="dead_hand", dead_hand=True)), OPTIONS
        )
        == THREE_DEAD
    )
    end = [
        WinClaimed(seat=S, tile=Tile.parse("4m"), source=E),
        HandShown(seat=S, tiles=parse_tiles(NOTHING), winning_tile=Tile.parse("4m")),
    ]
    history, state = played(history, state, end)
    verdicts = conclude(state, history, PLAY, OPTIONS)
    assert verdicts[-1].kind == "deal_ended"
    assert verdicts[-1].points == (0, 0, 0, 0)
    credit = Options(wall_game_payment=10)
    assert PLAY.settle_draw(state, history, THREE_DEAD, credit).payments == ()
    paid = PLAY.settle_draw(state, history, "exhaustive", credit).payments
    assert totals(paid) == (10, 10, 0, 0)


def test_east_passes_until_the_hands_are_played():
    start = DealStart(number=14, dealer=W, round_wind=Wind.NORTH, points=(0,) * 4)
    last = next_deal(start, DealOutcome(points=(5, 0, 0, -5)), OPTIONS)
    assert (last.dealer, last.number, last.points) == (N, 15, (5, 0, 0, -5))
    assert next_deal(last, DealOutcome(points=(5, 0, 0, -5)), OPTIONS) is None
    assert final(last, (5, 0, 0, -5), OPTIONS).placements == (1, 2, 2, 4)


def test_advice_keeps_what_the_nearest_line_needs():
    rack = Rack.of(parse_tiles("6688m 22244s 55z 1p 9s 4z"))
    use = usefulness(rack, targets(rack, (), card_of(OPTIONS)))
    order = sorted(use, key=use.__getitem__)
    assert {str(face) for face in order[:3]} == {"1p", "9s", "4z"}
