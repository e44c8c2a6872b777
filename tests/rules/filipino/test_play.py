"""Whole Filipino deals between bots, and what the hooks decide."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from table_controller.rules.core.case import Case
from table_controller.rules.core.events import (
    BonusSetAside,
    DealBegan,
    DiceRolled,
    Discarded,
    Drawn,
    HandDealt,
    HandShown,
    IndicatorShown,
    KongDeclared,
    MeldCalled,
    Paid,
    TilesPassed,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import (
    DealOutcome,
    DealStart,
    claim_actions,
    conclude,
    open_deal,
    play_deal,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import Awaiting, apply, fold
from table_controller.rules.core.tiles import Tile, format_tiles, parse_tiles
from table_controller.rules.filipino import RULESET
from table_controller.rules.filipino.options import (
    DealerKeeps,
    FalseWin,
    Jokers,
    NoFlowersAt,
    Options,
    SevenPairsSet,
    Special,
    ThirteenTime,
)
from table_controller.rules.filipino.play import PLAY, final, next_deal
from tests.rules.bot_play import collector, play_matches

A, B, C, D = Seat
VARIANTS = {
    "classic": Options(),
    "turned": Options(jokers=Jokers.TURNED_TILE, goulash=True, kong_payments=True),
    "printed": Options(
        jokers=Jokers.PRINTED, printed_jokers=8, jai_alai=True, special_double=tuple(Special)
    ),
    "three": Options(
        players=3,
        goulash=True,
        jokers=Jokers.TURNED_TILE,
        joker_indicator_drawable=False,
        dealer_keeps=DealerKeeps.ON_WIN,
        no_flowers_at=NoFlowersAt.DEAL_AND_WIN,
        thirteen_flowers_time=ThirteenTime.END_OF_HAND,
        seven_pairs_set=SevenPairsSet.ANY_SET,
        wall_reserve=4,
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_bots_play_deals(name):
    played = play_matches(RULESET, VARIANTS[name], deals=16, seed=5)
    assert played.wins > 0
    assert played.bonus > 100


@pytest.mark.long
@pytest.mark.parametrize("name", VARIANTS)
def test_bots_play_ten_thousand_deals(name):
    played = play_matches(RULESET, VARIANTS[name], deals=10_000 // len(VARIANTS), seed=9)
    assert played.matches > 0
    assert played.wins > 100
    assert played.kongs > 0


def begun(hands, *, points=(0, 0, 0, 0), markers=(0, 0, 0, 0), more=()):
    """A deal whose hands are known, East to draw."""
    events = [
        DealBegan(
            number=0,
            dealer=A,
            round_wind=Wind.EAST,
            points=points,
            wall_left=70,
            hand_size=16,
            markers=markers,
        )
    ]
    events += [
        HandDealt(seat=seat, tiles=parse_tiles(hand))
        for seat, hand in zip(Seat, hands, strict=True)
    ]
    events += more
    return events, fold(events, 4)


READY = "123456m 222789p 3477s"
ELSE = "147m 258p 369s 147m 258p 3s"


def test_a_deal_from_the_dealers_first_draw_to_the_settlement():
    events, state = begun([READY, ELSE, ELSE, ELSE], more=[Drawn(seat=A, tile=Tile.parse("5s"))])
    claim = WinClaimed(seat=A, tile=Tile.parse("5s"))
    tail = [
        claim,
        HandShown(seat=A, tiles=parse_tiles(READY), winning_tile=Tile.parse("5s")),
    ]
    for event in tail:
        state = apply(state, event)
    judged, ended = conclude(state, [*events, *tail], PLAY, Options())
    assert isinstance(judged, WinJudged)
    # no flowers 125, first draw doubled 250, bunot 500 from each
    assert judged.answer.deltas == (1500, -500, -500, -500)
    assert ended.points == (1500, -500, -500, -500)


def test_dice_of_the_deal_double_where_agreed():
    events, state = begun(
        [ELSE, READY, ELSE, ELSE],
        more=[
            DiceRolled(dice=(5, 4, 3, 3)),
            Drawn(seat=A, tile=Tile.parse("5s")),
            Discarded(seat=A, tile=Tile.parse("5s")),
            WinClaimed(seat=B, tile=Tile.parse("5s"), source=A),
            HandShown(seat=B, tiles=parse_tiles(READY), winning_tile=Tile.parse("5s")),
        ],
    )
    judged, _ = conclude(state, events, PLAY, Options(dice_double=True))
    assert judged.answer.deltas == (-500, 1000, -250, -250)
    # a table that throws its two dice once examines that throw
    for dice, won in (((3, 3), 1000), ((5, 4), 500)):
        single = conclude(replace(state, dice=dice), events, PLAY, Options(dice_double=True))
        assert single[0].answer.deltas[B] == won


def test_markers_run_across_deals_and_the_prize_is_paid_with_the_hand():
    events, state = begun(
        [ELSE, READY, ELSE, ELSE],
        markers=(0, 4, 3, 2),
        more=[
            Drawn(seat=A, tile=Tile.parse("9s")),
            Discarded(seat=A, tile=Tile.parse("9s")),
            Drawn(seat=B, tile=Tile.parse("5s")),
            WinClaimed(seat=B, tile=Tile.parse("5s")),
            HandShown(seat=B, tiles=parse_tiles(READY), winning_tile=Tile.parse("5s")),
        ],
    )
    options = Options(jai_alai=True)
    judged, _ = conclude(state, events, PLAY, options)
    assert judged.answer.deltas == (-350, 1050, -350, -350)
    last = DealStart(
        number=0, dealer=A, round_wind=Wind.EAST, points=(0,) * 4, markers=(0, 4, 3, 2)
    )
    ended = DealOutcome(winners=(B,), points=(0,) * 4, totals=judged.answer.totals)
    assert next_deal(last, ended, options).markers == (0, 1, 0, 0)


def test_flowers_before_the_first_discard_count_as_dealt():
    """Section 12, `no_flowers_at`; a table logs a draw before the dealer's first flower.

    Found by comparing what the table logs with what was played: it paid everybody.
    """
    options = Options(no_flowers_at=NoFlowersAt.DEAL_AND_WIN)
    before = [
        Drawn(seat=A),
        BonusSetAside(seat=A, tile=Tile.parse("3g")),
        Drawn(seat=A, replacement=True),
        BonusSetAside(seat=B, tile=Tile.parse("7z")),
        Drawn(seat=B, replacement=True),
        BonusSetAside(seat=D, tile=Tile.parse("1f")),
        Drawn(seat=D, replacement=True),
        Discarded(seat=A, tile=Tile.parse("1m")),
        Drawn(seat=B),
        BonusSetAside(seat=C, tile=Tile.parse("2f")),
    ]
    _, state = begun([ELSE] * 4)
    verdict = PLAY.settle_draw(state, before, "exhaustive", options)
    assert totals(verdict.payments) == (-25, -25, 75, -25)


def test_thirteen_flowers_are_paid_when_the_thirteenth_lies():
    flowers = parse_tiles("1111z 2222z 3333z")
    events, state = begun([ELSE, ELSE, ELSE, ELSE])
    held = state.with_seat(A, bonus=(*flowers, Tile.parse("1f")))
    event = BonusSetAside(seat=A, tile=Tile.parse("1f"))
    assert totals(PLAY.instant_payments(held, event, Options())) == (75, -25, -25, -25)
    later = Options(thirteen_flowers_time=ThirteenTime.END_OF_HAND)
    assert PLAY.instant_payments(held, event, later) == ()
    assert PLAY.settle_draw(held, events, "exhaustive", later).payments
    less = state.with_seat(A, bonus=flowers)
    assert PLAY.instant_payments(less, event, Options()) == ()


def test_kongs_are_paid_once_they_were_not_robbed():
    options = Options(kong_payments=True)
    tiles = RULESET.tile_set(options).tiles()
    paid = kongs = 0
    for seed in range(12):
        rng = random.Random(seed)
        rng.shuffle(tiles)
        deal = open_deal(PLAY.first_deal(options), tiles, PLAY, options)
        for event in play_deal(deal, collector(rng, 1.0)):
            kongs += isinstance(event, KongDeclared) or (
                isinstance(event, MeldCalled) and event.meld.kind.is_kong
            )
            if isinstance(event, Paid) and "kong" in event.payments[0].reason:
                paid += 1
    assert 0 < paid <= kongs


def test_a_turned_joker_is_suited_and_shown_before_play():
    options = Options(jokers=Jokers.TURNED_TILE)
    tiles = RULESET.tile_set(options).tiles()
    for seed in range(8):
        rng = random.Random(seed)
        rng.shuffle(tiles)
        deal = open_deal(PLAY.first_deal(options), tiles, PLAY, options)
        for event in play_deal(deal, collector(rng, 0.5)):
            if isinstance(event, Drawn) and not event.replacement:
                break
        (face,) = deal.state.indicators
        assert face.is_numbered


def test_goulash_gives_everybody_as_many_as_they_gave():
    options = Options(goulash=True)
    tiles = RULESET.tile_set(options).tiles()
    random.Random(2).shuffle(tiles)
    deal = open_deal(PLAY.first_deal(options), tiles, PLAY, options)
    passed = []
    for event in play_deal(deal, collector(random.Random(2), 0.5)):
        if isinstance(event, TilesPassed):
            passed.append((event.seat, event.receiver))
        elif passed:
            break
    assert len(passed) == len(set(passed)) == 12
    assert all(giver is not receiver for giver, receiver in passed)
    assert deal.state.held(B) == 16


def test_claims_of_and_with_jokers():
    printed = Options(jokers=Jokers.PRINTED)
    hand = "35p 7s jk 1234m 11m 2358s 44p"
    _, state = begun([ELSE, hand, ELSE, ELSE], more=[Drawn(seat=A, tile=Tile.parse("7s"))])
    offered = apply(state, Discarded(seat=A, tile=Tile.parse("7s")))
    calls = [
        format_tiles(action[0].meld.tiles)
        for action in claim_actions(offered, B, PLAY, printed)
        if isinstance(action[0], MeldCalled)
    ]
    assert calls == ["jk 77s", "jk 57s", "jk 78s"]
    turned = Options(jokers=Jokers.TURNED_TILE)
    _, shown = begun(
        [ELSE, "77s 1234m 11m 2358s 44p 3p 5p", ELSE, ELSE],
        more=[IndicatorShown(tile=Tile.parse("7s")), Drawn(seat=A, tile=Tile.parse("7s"))],
    )
    dead = apply(shown, Discarded(seat=A, tile=Tile.parse("7s")))
    assert claim_actions(dead, B, PLAY, turned) == []


def test_f37_claims_on_one_discard():
    options = Options(jokers=Jokers.PRINTED, printed_jokers=8, chow_from_any=True)
    five = Tile.parse("5p")
    rest = parse_tiles("147m 258s 17p 28m 17s 9m 4s 9p 9s")
    dealt = []
    for text in ("1m", "5p jk", "55p jk", "46p"):
        known = parse_tiles(text)
        dealt.append(format_tiles((*known, *rest[: 16 - len(known)])))
    events, state = begun(dealt, more=[Drawn(seat=A, tile=five), Discarded(seat=A, tile=five)])
    wins = tuple(WinClaimed(seat=seat, tile=five, source=A) for seat in (B, D))
    assert PLAY.winners(state, wins, options) == wins[:1]

    def taken(*wishes):
        deal = open_deal(PLAY.first_deal(options), RULESET.tile_set(options).tiles(), PLAY, options)
        deal.state, deal.history = state, list(events)

        def choose(_, seat, actions):
            wanted = dict(wishes).get(seat)
            return next((one for one in actions if one[0].meld.kind is wanted), ())

        return next(event.seat for event in play_deal(deal, choose))

    chow, pung, kong = MeldKind.CHOW, MeldKind.PUNG, MeldKind.KONG
    assert taken((B, pung), (C, kong)) is C
    assert taken((B, pung), (C, pung)) is B
    assert taken((B, pung), (D, chow)) is B
    assert taken((C, pung), (D, chow)) is C
    assert taken((D, chow)) is D


def test_chows_come_from_the_seat_before_unless_agreed():
    _, state = begun(
        [ELSE, ELSE, "12m 4567p 1234s 789s 999p", ELSE],
        more=[Drawn(seat=A, tile=Tile.parse("3m"))],
    )
    offered = apply(state, Discarded(seat=A, tile=Tile.parse("3m")))
    assert claim_actions(offered, C, PLAY, Options()) == []
    anyone = claim_actions(offered, C, PLAY, Options(chow_from_any=True))
    assert [format_tiles(action[0].meld.tiles) for action in anyone] == ["123m"]


def test_a_false_mahjong_kills_the_hand_or_ends_the_deal():
    more = [
        Drawn(seat=A, tile=Tile.parse("9s")),
        WinClaimed(seat=A, tile=Tile.parse("9s")),
        HandShown(seat=A, tiles=parse_tiles(READY), winning_tile=Tile.parse("9s")),
    ]
    events, state = begun([READY, ELSE, ELSE, ELSE], more=more)
    verdicts = conclude(state, events, PLAY, Options())
    for event in verdicts:
        state = apply(state, event)
    assert state.seats[A].dead_hand
    assert state.awaiting is Awaiting.DISCARD
    _, state = begun([READY, ELSE, ELSE, ELSE], more=more)
    paid = conclude(state, events, PLAY, Options(false_win=FalseWin.PAY_ALL))
    assert paid[-1].points == (-600, 200, 200, 200)


def test_what_is_paid_to_all_is_paid_once_and_ends_the_hand():
    # a chow of the wrong seat, and a joker claimed for another meld: two breaches of one claim
    melds = (
        Meld(MeldKind.CHOW, parse_tiles("123m"), Seat(2), Tile.parse("1m")),
        Meld(MeldKind.PUNG, parse_tiles("555p"), Seat(2), Tile.parse("5p")),
    )
    case = Case(
        winner=A,
        source=B,
        hand=parse_tiles("456m 789m 45s 99s"),
        winning_tile=Tile.parse("6s"),
        melds=melds,
        extra={"joker_face": "5p"},
    )
    options = Options(jokers=Jokers.TURNED_TILE, false_set=FalseWin.PAY_ALL)
    answer = RULESET.settle_win(case, options)
    assert [breach.code for breach in answer.violations] == ["wrong_call", "joker_misuse"]
    assert [len(breach.penalty) for breach in answer.violations] == [3, 0]
    _, state = begun([READY, ELSE, ELSE, ELSE])
    assert PLAY.refusal_ends_deal(state, WinClaimed(seat=A, tile=None), answer, options)
    mild = RULESET.settle_win(case, Options(jokers=Jokers.TURNED_TILE))
    assert not PLAY.refusal_ends_deal(state, WinClaimed(seat=A, tile=None), mild, options)


def test_a_joker_in_a_meld_is_marked_for_the_settlement():
    face = Tile.parse("5p")
    meld = Meld.of("pung", "777s", D)
    jokered = Meld(meld.kind, parse_tiles("77s 5p"), D, Tile.parse("7s"))
    state = begun([ELSE] * 4, more=[IndicatorShown(tile=face)])[1].with_seat(
        B, melds=(jokered,), shown=parse_tiles("123456m 222p 3477s 5p"), winning_tile=face
    )
    claim = WinClaimed(seat=B, tile=Tile.parse("5s"), source=A)
    case = PLAY.case_of(state, claim, Options(jokers=Jokers.TURNED_TILE))
    assert format_tiles(case.melds[0].tiles) == "77s jk"
    assert case.extra["joker_face"] == "5p"


def test_the_deal_passes_and_the_game_ends_after_its_rounds():
    options = Options(rounds=1)
    start = PLAY.first_deal(options)
    dealers = []
    while start is not None:
        dealers.append(start.dealer)
        start = next_deal(start, DealOutcome(winners=(start.dealer,), points=(0,) * 4), options)
    assert dealers == [A, B, C, D]
    keeps = Options(rounds=1, dealer_keeps=DealerKeeps.ON_WIN)
    first = PLAY.first_deal(keeps)
    again = next_deal(first, DealOutcome(winners=(A,), points=(0,) * 4), keeps)
    assert (again.dealer, again.number, again.counters) == (A, 1, 1)
    drawn = DealOutcome(draw_reason="exhaustive", points=(0,) * 4)
    later = []
    while again is not None:
        later.append(again.dealer)
        again = next_deal(again, drawn, keeps)
    assert later == [A, B, C, D]
    assert final(first, (3, 1, 1, -5), keeps).placements == (1, 2, 2, 4)


def test_a_fourth_tile_goes_to_the_pung_whose_kong_was_declared():
    # found by ten thousand deals: with jokers a seat can have two pungs of one face
    first = Meld(MeldKind.PUNG, parse_tiles("jk 66s"), D, Tile.parse("6s"))
    second = Meld(MeldKind.PUNG, parse_tiles("jk jk 6s"), B, Tile.parse("6s"))
    _, state = begun([ELSE] * 4, more=[Drawn(seat=A, tile=Tile.parse("6s"))])
    state = state.with_seat(A, melds=(first, second))
    grown = Meld(MeldKind.ADDED_KONG, (*second.tiles, Tile.parse("6s")), B, Tile.parse("6s"))
    after = apply(state, KongDeclared(seat=A, meld=grown, added=Tile.parse("6s")))
    assert after.seats[A].melds == (first, grown)
