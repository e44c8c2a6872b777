"""Whole deals between bots, by every preset: no illegal state, no tile or point lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    Drawn,
    GameEvent,
    KongDeclared,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import PASS, Action, Deal, conclude, open_deal, play_deal
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import Awaiting, DealState
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.riichi import RIICHI_3P, RIICHI_4P
from table_controller.rules.riichi.conduct import SANMA_CONDUCT
from table_controller.rules.riichi.play import PLAY, SANMA_PLAY, may_declare_draw, must_show
from tests.rules.bot_play import play_matches
from tests.rules.breaches import breaches_of

PRESETS = [(ruleset, preset) for ruleset in (RIICHI_4P, RIICHI_3P) for preset in ruleset.presets]


@pytest.mark.parametrize("deals", [6, pytest.param(1200, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("ruleset", "preset"), PRESETS, ids=[f"{one.name}-{preset}" for one, preset in PRESETS]
)
def test_bots_play_whole_deals(ruleset, preset, deals):
    played = play_matches(ruleset, ruleset.choose(preset), deals, seed=5, calls=0.3)
    assert played.deals == deals
    assert played.wins + played.draws == deals
    for final in played.finals:
        assert sorted(final.placements)[0] == 1


@pytest.mark.parametrize("deals", [6, pytest.param(600, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "changes",
    [
        {"flowers": True, "walls": "four_sides", "payment_unit": 1000, "fixed_fu": 30},
        {"flowers": True, "north_rule": "common_yakuhai", "tsumo_payment": "north_bisection"},
        {"north_breaks": False, "north_han": 2, "honba_value": 1000, "noten_each_1000": True},
    ],
)
def test_bots_play_by_the_rules_of_parlours(changes, deals):
    played = play_matches(
        RIICHI_3P, RIICHI_3P.choose("majsoul", **changes), deals, seed=7, calls=0.3
    )
    assert played.wins + played.draws == played.deals == deals
    assert played.bonus > 0


# --- A north won on, with three players ----------------------------------------------------------


def wall_of(hands: dict[Seat, str], draws: str) -> list[Tile]:
    """The 108 tiles so that seat A deals, the hands come as given and the draws follow."""
    tiles = RIICHI_3P.tile_set(RIICHI_3P.choose("tenhou", red_fives=(0, 0, 0))).tiles()
    rest = list(tiles)
    order: list[Tile] = []
    held = {seat: list(parse_tiles(text)) for seat, text in hands.items()}
    for size in (4, 4, 4, 1, 1):
        for seat in (Seat.A,) if len(order) == 39 else (Seat.A, Seat.B, Seat.C):
            order += held[seat][:size]
            del held[seat][:size]
    order += parse_tiles(draws)
    for tile in order:
        rest.remove(tile)
    return order + rest


def chosen(state: DealState, seat: Seat, actions: Sequence[Action]) -> Action:
    """Wins, sets norths aside, and otherwise discards what it drew."""
    wins = [action for action in actions if isinstance(action[0], WinClaimed)]
    norths = [action for action in actions if isinstance(action[0], BonusSetAside)]
    if wins or norths or state.awaiting is not Awaiting.DISCARD:
        return next(iter(wins + norths), PASS)
    discards = [action for action in actions if isinstance(action[0], Discarded)]
    return next((one for one in discards if one[0].tile == state.seats[seat].drawn), discards[0])


HANDS = {
    Seat.A: "19m 147p 147s 11z 22z 3z 7s",
    Seat.B: "19m 258p 258s 123z 6z 4z",
    Seat.C: "555z 123p 456p 789s 4z",
}


def played(**changes: object) -> tuple[Deal, list[GameEvent]]:
    """B, dealt a north, sets it aside at its first turn; C waits for it."""
    options = RIICHI_3P.choose("tenhou", red_fives=(0, 0, 0), **changes)
    deal = open_deal(SANMA_PLAY.first_deal(options), wall_of(HANDS, "9p"), SANMA_PLAY, options)
    for _ in play_deal(deal, chosen):
        pass
    return deal, conclude(deal.state, deal.history, SANMA_PLAY, options)


def test_a_bot_wins_on_a_north_set_aside_and_the_record_is_legal():
    deal, verdicts = played()
    claim = next(event for event in deal.history if isinstance(event, WinClaimed))
    assert (claim.seat, claim.source, claim.tile) == (Seat.C, Seat.B, Tile.parse("4z"))
    answer = next(event.answer for event in verdicts if isinstance(event, WinJudged))
    assert answer.valid
    # Not robbing a kong; the north that is won on is part of the hand, not a dora.
    assert {item.id: item.value for item in answer.items if item.unit == "han"} == {
        "yakuhai_white": 1
    }
    assert answer.deltas == (0, -1300, 1300)
    assert breaches_of(SANMA_CONDUCT, deal.history, 3, deal.options) == []


def test_where_norths_cannot_be_won_on_nobody_is_asked():
    deal, _ = played(north_ron=False)
    claims = [event for event in deal.history if isinstance(event, WinClaimed)]
    assert all(claim.tile != Tile.parse("4z") for claim in claims)


@pytest.mark.parametrize(
    ("seat", "drawn", "left", "codes"),
    [
        (Seat.A, True, 20, []),
        (Seat.B, True, 20, ["out_of_turn"]),
        (Seat.A, False, 20, ["out_of_turn"]),
        (Seat.A, True, 0, ["wrong_call"]),
    ],
)
def test_a_north_is_set_aside_in_the_own_turn_while_it_can_be_replaced(seat, drawn, left, codes):
    options = RIICHI_3P.options
    deal = open_deal(SANMA_PLAY.first_deal(options), wall_of(HANDS, "9p"), SANMA_PLAY, options)
    state = replace(deal.state.with_seat(Seat.A, has_drawn=drawn), wall_left=left)
    found = SANMA_CONDUCT.breaches(state, BonusSetAside(seat=seat, tile=Tile.parse("4z")), options)
    assert [one.code for one in found] == codes


@pytest.mark.parametrize(("north_breaks", "reason"), [(True, None), (False, "kyuushu_kyuuhai")])
def test_a_north_of_another_seat_ends_the_chance_of_nine_terminals(north_breaks, reason):
    options = RIICHI_3P.choose("tenhou", red_fives=(0, 0, 0), north_breaks=north_breaks)
    orphans = {**HANDS, Seat.C: "19m 19p 19s 1235z 67p 67s"}
    deal = open_deal(SANMA_PLAY.first_deal(options), wall_of(orphans, "9p"), SANMA_PLAY, options)
    for event in play_deal(deal, chosen):
        if isinstance(event, BonusSetAside) and event.seat is Seat.B:
            break
    assert may_declare_draw(deal.state, Seat.C, options) == reason


@pytest.mark.parametrize(("declare_noten", "shown"), [(True, {Seat.C}), (False, set(Seat))])
def test_where_a_waiting_hand_may_not_be_kept_closed_everybody_shows(declare_noten, shown):
    options = RIICHI_4P.choose("tenhou", declare_noten=declare_noten)
    deal = open_deal(PLAY.first_deal(options), RIICHI_4P.tile_set(options).tiles(), PLAY, options)
    state = replace(deal.state, draw_reason="exhaustive").with_seat(Seat.C, ready_at=0)
    assert set(must_show(state, options)) == shown


@pytest.mark.parametrize(("pending", "shown"), [("flush_on_next_kan", 3), ("after_discard", 2)])
def test_the_indicator_that_waits_when_another_kong_is_declared(pending, shown):
    """An exposed kong's indicator waits for the discard; a concealed kong comes before that."""
    options = RIICHI_3P.choose("tenhou", red_fives=(0, 0, 0), pending_kan_dora=pending)
    hands = {**HANDS, Seat.A: "19m 7777p 147s 11z 22z 3z"}
    deal = open_deal(SANMA_PLAY.first_deal(options), wall_of(hands, "9p"), SANMA_PLAY, options)
    deal.pending_indicators = 1

    def choose(state: DealState, seat: Seat, actions: Sequence[Action]) -> Action:
        kongs = [one for one in actions if isinstance(one[0], KongDeclared)]
        return next(iter(kongs), PASS)

    for event in play_deal(deal, choose):
        if isinstance(event, Drawn):
            break
    assert len(deal.state.indicators) == shown
