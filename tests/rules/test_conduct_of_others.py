"""Breaches of deals of the Chinese games, American, Filipino and for two, seen as they happen."""

from __future__ import annotations

import random

import pytest

from table_controller.rules import find_ruleset
from table_controller.rules.core.events import (
    DealBegan,
    Discarded,
    Drawn,
    HandDealt,
    HandShown,
    IndicatorShown,
    JokerExchanged,
    KongDeclared,
    MeldCalled,
    WinClaimed,
)
from table_controller.rules.core.game import conclude, open_deal, play_deal
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.state import Awaiting, PondTile, apply, fold
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.score import parse_options
from table_controller.simulation.bots import bot
from tests.rules.breaches import breaches_of

A, B, C, D = Seat


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("american", {}),
        ("filipino", {"preset": "manila"}),
        ("filipino", {"jokers": "printed", "printed_jokers": 8, "chow_from_any": True}),
        ("two_player", {}),
        ("mcr", {}),
        ("hong_kong_old", {}),
        ("chinese_classical", {}),
        ("chinese_classical", {"preset": "with_flowers"}),
    ],
)
def test_legal_play_has_no_breach(name, changes):
    ruleset = find_ruleset(name)
    options = parse_options(ruleset, changes)
    for seed in range(4):
        rng = random.Random(seed)
        tiles = ruleset.tile_set(options).tiles()
        rng.shuffle(tiles)
        deal = open_deal(ruleset.play.first_deal(options), tiles, ruleset.play, options)
        chooser = bot(rng) if ruleset.player is None else ruleset.player(options)
        for _ in play_deal(deal, chooser):
            pass
        players = deal.state.players
        assert breaches_of(find_ruleset(name).conduct, deal.history, players, options) == []


def begun(players, hand_size, *more, kongs_replaced=True):
    """A deal with unknown hands; the first seat has one tile too many or draws."""
    began = DealBegan(
        number=0,
        dealer=A,
        round_wind=Wind.EAST,
        points=(0,) * players,
        wall_left=60,
        hand_size=hand_size,
        kongs_replaced=kongs_replaced,
    )
    hands = [HandDealt(seat=seat, tiles=(None,) * hand_size) for seat in tuple(Seat)[:players]]
    return fold([began, *hands, *more], players)


def called(kind, text, source, tile):
    """A meld of a discard."""
    return Meld(MeldKind(kind), parse_tiles(text), source, Tile.parse(tile))


def codes(name, state, event, **changes):
    """What is wrong with the event."""
    options = find_ruleset(name).choose(**changes)
    return [breach.code for breach in find_ruleset(name).conduct.breaches(state, event, options)]


@pytest.mark.parametrize(
    ("seat", "kind", "text", "tile", "expected"),
    [
        (C, "kong", "444m jk", "4m", []),
        (C, "pung", "4m jk jk", "4m", []),
        (C, "chow", "34m 5m", "4m", ["wrong_call"]),
        (C, "pung", "45m 4m", "4m", ["wrong_call"]),
    ],
)
def test_american_exposures(seat, kind, text, tile, expected):
    state = begun(4, 13, Drawn(seat=A), Discarded(seat=A, tile=Tile.parse(tile)))
    event = MeldCalled(seat=seat, meld=called(kind, text, A, tile))
    assert codes("american", state, event) == expected


def test_american_exposures_that_leave_no_line_and_kongs_of_own_tiles():
    state = begun(
        4, 13, Drawn(seat=A), Discarded(seat=A, tile=Tile.parse("3p")), kongs_replaced=False
    ).with_seat(D, melds=(Meld.of("pung", "555m", B), Meld.of("kong", "8888s", B)))
    event = MeldCalled(seat=D, meld=called("kong", "3333p", A, "3p"))
    assert codes("american", state, event) == []  # until a player challenges the hand
    assert codes("american", state, event, auto_dead=True) == ["dead_hand"]
    conduct = find_ruleset("american").conduct
    at_once = find_ruleset("american").choose(auto_dead=True)
    assert conduct.kills_hand("dead_hand", at_once)
    assert not conduct.kills_hand("joker_misuse", at_once)
    own = KongDeclared(seat=A, meld=Meld.of("concealed_kong", "1111m"))
    drawn = begun(4, 13, Drawn(seat=A))
    assert codes("american", drawn, own) == ["wrong_kong"]


def test_a_full_check_asks_whether_the_tiles_that_are_missing_can_exist():
    """Kongs of 2m and 6m leave E2 alone, which needs three flowers: none are left, nor jokers."""
    state = begun(
        4, 13, Drawn(seat=A), Discarded(seat=A, tile=Tile.parse("6m")), kongs_replaced=False
    ).with_seat(D, melds=(Meld.of("kong", "2222m", B),))
    gone = (*[Tile.parse("jk")] * 8, *parse_tiles("1234f 1234g"))
    lying = (*(PondTile(tile) for tile in gone), *state.seats[A].pond)
    state = state.with_seat(A, pond=lying)
    event = MeldCalled(seat=D, meld=called("kong", "6666m", A, "6m"))
    assert codes("american", state, event, auto_dead=True) == []
    assert codes("american", state, event, auto_dead=True, dead_check="full") == ["dead_hand"]


def test_american_joker_exchanges():
    state = begun(4, 13, Drawn(seat=A)).with_seat(D, melds=(Meld.of("kong", "444m jk", B),))

    def exchanged(seat, tile):
        return JokerExchanged(seat=seat, owner=D, place=0, tile=Tile.parse(tile))

    assert codes("american", state, exchanged(A, "4m")) == []
    assert codes("american", state, exchanged(A, "5m")) == ["joker_misuse"]
    assert codes("american", state, exchanged(C, "4m")) == ["out_of_turn"]
    dead = state.with_seat(A, dead_hand=True)
    assert codes("american", dead, exchanged(A, "4m")) == ["dead_hand"]


def test_filipino_chows_jokers_and_flowers():
    state = begun(
        4,
        16,
        IndicatorShown(tile=Tile.parse("5p")),
        Drawn(seat=A),
        Discarded(seat=A, tile=Tile.parse("4p")),
    )
    event = MeldCalled(seat=C, meld=called("chow", "234p", A, "4p"))
    assert codes("filipino", state, event) == ["wrong_call"]
    assert codes("filipino", state, event, chow_from_any=True) == []
    after = apply(apply(state, Drawn(seat=B)), Discarded(seat=B, tile=Tile.parse("5p")))
    joker = MeldCalled(seat=D, meld=called("pung", "555p", B, "5p"))
    assert codes("filipino", after, joker, jokers="turned_tile") == ["joker_misuse"]
    winds = KongDeclared(seat=A, meld=Meld.of("concealed_kong", "1111z"))
    assert "wrong_kong" in codes("filipino", begun(4, 16, Drawn(seat=A)), winds)


def test_two_player_rules_that_a_table_may_choose():
    state = begun(3, 13, Drawn(seat=A), Discarded(seat=A, tile=Tile.parse("3m")))
    chow = MeldCalled(seat=C, meld=called("chow", "123m", A, "3m"))
    seats = (1, 2, 3)
    assert codes("two_player", state, chow, seats=seats) == []
    limited = codes("two_player", state, chow, seats=seats, chow_source="previous")
    assert limited == ["wrong_call"]
    drawn = begun(2, 13, Drawn(seat=A)).with_seat(A, melds=(Meld.of("pung", "888p", B),))
    grown = Meld(MeldKind.ADDED_KONG, parse_tiles("8888p"), B, Tile.parse("8p"))
    added = KongDeclared(seat=A, meld=grown, added=Tile.parse("8p"))
    assert codes("two_player", drawn, added) == []
    assert codes("two_player", drawn, added, extend_pung=False) == ["wrong_kong"]


def test_two_pungs_of_flowers_are_no_kong():
    state = begun(
        4, 13, Drawn(seat=A), Discarded(seat=A, tile=Tile.parse("1f")), kongs_replaced=False
    ).with_seat(C, melds=(Meld.of("pung", "234f", B),))
    event = MeldCalled(seat=C, meld=called("pung", "34g 1f", A, "1f"))
    assert codes("american", state, event) == []


def test_no_kong_after_a_claim_in_the_competition_game_unless_it_is_agreed():
    state = begun(4, 13, Drawn(seat=A), Discarded(seat=A, tile=Tile.parse("3p")))
    state = apply(state, MeldCalled(seat=C, meld=called("pung", "333p", A, "3p")))
    kong = KongDeclared(seat=C, meld=Meld.of("concealed_kong", "1111m"))
    assert codes("mcr", state, kong) == ["wrong_kong"]
    assert codes("mcr", state, kong, kong_after_claim="allowed") == []
    assert codes("hong_kong_old", state, kong) == []


def test_a_late_claim_costs_what_the_first_one_does():
    state = begun(
        4,
        13,
        Drawn(seat=A),
        Discarded(seat=A, tile=Tile.parse("3p")),
        Drawn(seat=B),
        Discarded(seat=B, tile=Tile.parse("5z")),
    )
    event = MeldCalled(seat=C, meld=called("pung", "333p", A, "3p"))
    ruleset = find_ruleset("mcr")
    for scale, points in (((5, 10), 5), ((0, 10), 0)):
        options = ruleset.choose(scale=scale)
        (breach,) = ruleset.conduct.breaches(state, event, options)
        assert breach.code == "late_claim"
        assert sum(payment.points for payment in breach.penalty) == points


def test_a_declared_waiting_hand_is_not_frozen_in_the_classical_game():
    state = begun(4, 13, Drawn(seat=A), Discarded(seat=A, tile=Tile.parse("3p")))
    state = state.with_seat(C, ready_at=0)
    event = MeldCalled(seat=C, meld=called("pung", "333p", A, "3p"))
    assert codes("chinese_classical", state, event) == []
    kept = Discarded(seat=A, tile=Tile.parse("1m"), as_drawn=False)
    state = begun(4, 13, Drawn(seat=A)).with_seat(A, ready_at=0)
    assert codes("chinese_classical", state, kept) == []


def test_a_dead_hand_takes_tiles_only_where_that_is_agreed():
    state = begun(4, 13, Drawn(seat=A), Discarded(seat=A, tile=Tile.parse("3p")))
    state = state.with_seat(C, dead_hand=True)
    event = MeldCalled(seat=C, meld=called("pung", "333p", A, "3p"))
    assert codes("mcr", state, event, dead_hand_claims="forbidden") == ["dead_hand"]
    assert codes("mcr", state, event, dead_hand_claims="allowed") == []


NAMES = ("mcr", "hong_kong_old", "chinese_classical", "american", "filipino", "two_player")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("beside", [-1, 1])
def test_a_win_with_a_wrong_number_of_tiles_is_refused_and_play_goes_on(name, beside):
    ruleset = find_ruleset(name)
    options, tile = ruleset.options, Tile.parse("5s")
    size = ruleset.play.hand_size
    shown = parse_tiles("111222333444555666777m")[: size + beside]
    events = [
        DealBegan(
            number=0,
            dealer=A,
            round_wind=Wind.EAST,
            points=(0,) * ruleset.players_with(options),
            wall_left=60,
            hand_size=size,
        ),
        Drawn(seat=A, tile=None),
        Discarded(seat=A, tile=tile),
        WinClaimed(seat=B, tile=tile, source=A),
        HandShown(seat=B, tiles=shown, winning_tile=tile),
    ]
    dealt = [
        HandDealt(seat=seat, tiles=(None,) * size)
        for seat in list(Seat)[: ruleset.players_with(options)]
    ]
    events[1:1] = dealt
    state = fold(events, len(dealt))
    judged, penalised = conclude(state, events, ruleset.play, options)
    (breach,) = judged.answer.violations
    assert (breach.code, penalised.code) == ("wrong_tile_count", "wrong_tile_count")
    assert f"{size + beside} concealed tiles" in breach.text
    assert f"must be {size}" in breach.text
    assert penalised.payments == ()
    assert apply(state, penalised).awaiting is Awaiting.CLAIMS
