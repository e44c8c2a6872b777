"""Declarations, claims, loose tiles, paying for all, the match, and deals between bots."""

from __future__ import annotations

from dataclasses import replace
from math import dist
from random import Random

import pytest

from table_controller.conductor import Conductor, Key
from table_controller.layout import geometry_for, laid_out
from table_controller.rules.chinese_classical import RULESET
from table_controller.rules.chinese_classical.options import DEFAULT
from table_controller.rules.chinese_classical.play import (
    PLAY,
    case_of,
    first_deal,
    is_declared,
    is_kong_on_kong,
    kept_original_call,
    next_deal,
    waiting_discards,
    wall,
)
from table_controller.rules.chinese_classical.scoring import pays_for_all, settle_win
from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.errors import CaseError, ImpossibleEventError, OptionError
from table_controller.rules.core.events import (
    DealBegan,
    Discarded,
    Drawn,
    DrawReturned,
    GameBegan,
    HandDealt,
    HandShown,
    KongDeclared,
    MeldCalled,
    MeldReturned,
    Penalised,
    ReadyAccepted,
    ReadyDeclared,
    ReadyWithdrawn,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import (
    DealOutcome,
    claim_actions,
    conclude,
    open_deal,
    outcome,
    own_turn_actions,
    play_deal,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import Awaiting, DealState, apply, begin
from table_controller.rules.core.tiles import STANDARD_136, Tile, parse_tiles
from table_controller.rules.core.wall import Break, wall_order
from table_controller.simulation.eyes import PerfectEyes
from table_controller.simulation.match import Players, replayed
from table_controller.simulation.scripting import differences
from table_controller.simulation.scripts import find_script
from tests.rules.bot_play import collector, play_matches
from tests.rules.chinese_classical.examples import EXAMPLES, laid, seat
from tests.table_controller.in_memory import MemoryLog
from vision.types import ZoneKind

IDLE = "147m 258p 369s 1234z"
BY_NUMBER = {example.number: example for example in EXAMPLES}


def dealt(*hands: str) -> DealState:
    """A deal in which E, S, W and N hold these tiles; East has fourteen."""
    state = begin(
        DealBegan(
            number=0,
            dealer=Seat.A,
            round_wind=Wind.EAST,
            points=(0, 0, 0, 0),
            wall_left=67,
            loose_tiles=2,
        ),
        4,
    )
    for place, hand in enumerate(hands):
        state = apply(state, HandDealt(seat=Seat(place), tiles=parse_tiles(hand)))
    return state


# --- Declared waiting, refused claims ----------------------------------------------------------


def test_c41_a_win_without_a_declaration_is_refused_and_play_goes_on():
    case = Case(
        winner=seat("N"),
        source=seat("E"),
        hand=parse_tiles("234m 567m 678p 88s 34s"),
        winning_tile=Tile.parse("5s"),
        extra={"waiting_declared": [seat("S")]},
    )
    (breach,) = settle_win(case, DEFAULT).violations
    assert (breach.code, breach.penalty) == ("undeclared_waiting", ())
    assert settle_win(case, RULESET.choose(undeclared_win="allowed")).valid
    assert settle_win(case, RULESET.choose(waiting_declaration="none")).valid
    assert settle_win(replace(case, extra={"waiting_declared": [3]}), DEFAULT).valid
    first = replace(case, flags=frozenset({Flag.FIRST_TURN}))
    assert settle_win(first, DEFAULT).valid


def refused(code_hand: str, declared: bool) -> tuple[DealState, list]:
    """North claims East's second discard of 5s with that hand; what the referee says."""
    state = dealt("5s 9m 147m 258p 369s 123z", IDLE, IDLE, code_hand)
    state = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("9m")))
    for one in ("S", "W"):
        state = apply(state, Drawn(seat=seat(one), tile=Tile.parse("9p")))
        state = apply(state, Discarded(seat=seat(one), tile=Tile.parse("9p")))
    state = apply(state, Drawn(seat=seat("N"), tile=Tile.parse("9p")))
    if declared:
        state = apply(state, ReadyDeclared(seat=seat("N")))
    state = apply(state, Discarded(seat=seat("N"), tile=Tile.parse("9p")))
    if declared:
        state = apply(state, ReadyAccepted(seat=seat("N")))
    state = apply(state, Drawn(seat=seat("E"), tile=Tile.parse("4z")))
    state = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("5s")))
    state = apply(state, WinClaimed(seat=seat("N"), tile=Tile.parse("5s"), source=seat("E")))
    state = apply(
        state,
        HandShown(seat=seat("N"), tiles=parse_tiles(code_hand), winning_tile=Tile.parse("5s")),
    )
    return state, conclude(state, [], PLAY, DEFAULT)


def test_what_the_referee_does_with_claims_that_may_not_stand():
    waiting = "234m 567m 678p 88s 34s"
    state, events = refused(waiting, declared=False)
    assert isinstance(events[0], WinJudged)
    (_, penalty) = events
    assert isinstance(penalty, Penalised)
    assert (penalty.code, penalty.payments, penalty.dead_hand) == ("undeclared_waiting", (), False)
    after = state
    for event in events:
        after = apply(after, event)
    assert after.awaiting is Awaiting.CLAIMS  # play goes on where it stood
    state, events = refused(waiting, declared=True)
    assert isinstance(events[0], WinJudged)
    assert events[0].answer.valid
    # A hand opened without being complete: 100 to each, the deal is void, East stays.
    state, events = refused("234m 567m 678p 88s 35s", declared=True)
    ended = outcome(state, events)
    assert ended.points == (100, 100, 100, -300)
    assert ended.replayed
    again = next_deal(first_deal(DEFAULT), ended, DEFAULT)
    assert again is not None
    assert again.dealer is Seat.A


def test_the_discards_that_leave_a_waiting_hand():
    state = dealt("234m 567m 678p 88s 34s 9m", IDLE, IDLE, IDLE)
    assert set(waiting_discards(state, seat("E"), DEFAULT)) >= {Tile.parse("9m")}
    assert waiting_discards(state, seat("E"), RULESET.choose(waiting_declaration="none")) == ()
    declared = [
        action
        for action in own_turn_actions(state, PLAY, DEFAULT)
        if isinstance(action[0], ReadyDeclared)
    ]
    assert declared


def test_an_original_call_is_kept_by_discarding_what_is_drawn():
    state = dealt("234m 567m 678p 88s 34s 9m", IDLE, IDLE, IDLE)
    state = apply(state, ReadyDeclared(seat=seat("E")))
    state = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("9m")))
    state = apply(state, ReadyAccepted(seat=seat("E")))
    for one in ("S", "W", "N", "E"):
        state = apply(state, Drawn(seat=seat(one), tile=Tile.parse("9p")))
        if one != "E":
            state = apply(state, Discarded(seat=seat(one), tile=Tile.parse("9p")))
    drawn = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("9p"), as_drawn=True))
    changed = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("8s"), as_drawn=False))
    unseen = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("9p")))
    assert kept_original_call(drawn, seat("E"))
    assert kept_original_call(unseen, seat("E"))
    assert not kept_original_call(changed, seat("E"))


def test_s5_calls_of_others_do_not_undo_an_original_call():
    state = dealt(
        "5p 1234z 147m 258s 369m", IDLE, "55p 789m 147s 99s 111z", "234m 567m 678p 88s 34s"
    )
    five = Tile.parse("5p")
    state = apply(state, Discarded(seat=seat("E"), tile=five))
    pung = Meld(MeldKind.PUNG, (five,) * 3, seat("E"), five)
    state = apply(state, MeldCalled(seat=seat("W"), meld=pung))
    state = apply(state, Discarded(seat=seat("W"), tile=Tile.parse("7m")))
    state = apply(state, Drawn(seat=seat("N"), tile=Tile.parse("9m")))
    state = apply(state, ReadyDeclared(seat=seat("N")))
    state = apply(state, Discarded(seat=seat("N"), tile=Tile.parse("9m")))
    state = apply(state, ReadyAccepted(seat=seat("N")))
    assert kept_original_call(state, seat("N"))
    claim = WinClaimed(seat=seat("N"), tile=Tile.parse("5s"), source=seat("E"))
    shown = HandShown(seat=seat("N"), tiles=parse_tiles("234m 567m 678p 88s 34s"))
    assert Flag.DOUBLE_READY in case_of(apply(state, shown), claim, DEFAULT).flags
    # with the second discard, or after an own claim, it is none
    assert not kept_original_call(state.with_seat(seat("N"), ready_at=1), seat("N"))
    assert not kept_original_call(state.with_seat(seat("N"), melds=(pung,)), seat("N"))


async def test_s3_a_mahjong_is_claimed_though_the_next_player_has_drawn():
    """Both claim East's 5s, South has drawn: the tile goes back once, and nobody is late."""
    geometry = geometry_for(RULESET, DEFAULT)
    log = MemoryLog(4)
    conductor = Conductor(RULESET, DEFAULT, log, geometry)
    log.append(GameBegan(ruleset=RULESET.name))
    conductor.begin_deal()
    log.append(Discarded(seat=seat("E"), tile=Tile.parse("5s")))
    left = log.state.wall_left
    log.append(Drawn(seat=seat("S")))
    shown = log.state
    for one in ("W", "N"):
        conductor.press(seat(one), Key.WIN)
        shown = shown.with_seat(seat(one), shown=parse_tiles("234m 567m 678p 88s 34s"))
    conductor.see(await PerfectEyes(geometry).look(laid_out(shown, geometry)))
    kinds = [event.kind for event in log.history]
    assert kinds.count("draw_returned") == 1
    assert kinds.count("win_claimed") == 2
    assert "penalised" not in kinds
    assert log.state.wall_left == left
    assert log.state.held(seat("S")) == 13


@pytest.mark.parametrize("exposes", [False, True])
async def test_s5_an_original_call_may_lay_the_hand_open(exposes):
    options = RULESET.choose(original_call_exposes_hand=exposes)
    geometry = geometry_for(RULESET, options)
    log = MemoryLog(4)
    conductor = Conductor(RULESET, options, log, geometry)
    log.append(GameBegan(ruleset=RULESET.name))
    conductor.begin_deal()
    conductor.press(seat("E"), Key.READY)
    state = apply(log.state, Discarded(seat=seat("E"), tile=Tile.parse("9m")))
    open_hand = state.with_seat(seat("E"), shown=parse_tiles("234m 567m 678p 88s 34s"))
    scene = await PerfectEyes(geometry).look(laid_out(open_hand, geometry))
    for _ in range(12):
        conductor.see(scene)
    assert log.state.seats[seat("E")].is_ready
    asked = [event.question for event in log.history if event.kind == "doubted"]
    assert asked == ([] if exposes else ["east shows a hand: press win, or hide it"])


def test_s4_a_declaration_that_lapsed_is_withdrawn_and_made_again():
    state = dealt("234m 567m 678p 88s 34s 9m", IDLE, IDLE, IDLE)
    state = apply(state, ReadyDeclared(seat=seat("E")))
    state = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("9m")))
    state = apply(state, ReadyAccepted(seat=seat("E")))
    assert is_declared(state, seat("E"), DEFAULT)
    state = apply(state, ReadyWithdrawn(seat=seat("E")))
    assert not is_declared(state, seat("E"), DEFAULT)
    assert not state.seats[seat("E")].is_ready
    state = apply(state.with_seat(seat("E"), has_drawn=True), ReadyDeclared(seat=seat("E")))
    assert state.seats[seat("E")].is_ready
    assert is_declared(state, seat("E"), DEFAULT)


def test_s4_a_hand_that_waits_as_dealt_is_declared_at_the_deal():
    """Then it wins on a discard before its first turn, though others have called."""
    log = MemoryLog(4)
    conductor = Conductor(RULESET, DEFAULT, log, geometry_for(RULESET, DEFAULT))
    log.append(GameBegan(ruleset=RULESET.name))
    conductor.begin_deal()
    north, five = seat("N"), Tile.parse("5p")
    conductor.press(north, Key.READY)
    assert log.history[-1] == ReadyDeclared(seat=north)
    log.append(Discarded(seat=seat("E"), tile=five))
    pung = Meld(MeldKind.PUNG, (five,) * 3, seat("E"), five)
    log.append(MeldCalled(seat=seat("S"), meld=pung))
    log.append(Discarded(seat=seat("S"), tile=Tile.parse("1z")))
    assert not log.state.is_first_turn(north)
    assert is_declared(log.state, north, DEFAULT)
    log.append(Drawn(seat=seat("W")))
    log.append(Discarded(seat=seat("W"), tile=Tile.parse("1z")))
    log.append(Drawn(seat=north))
    log.append(Discarded(seat=north, tile=Tile.parse("1z")))
    assert kept_original_call(log.state, north)
    late = ReadyDeclared(seat=seat("W"))  # not at the deal, not with the own discard
    assert codes(log.state, late) == ["out_of_turn"]


def test_s4_the_ready_key_withdraws_what_it_declared():
    log = MemoryLog(4)
    conductor = Conductor(RULESET, DEFAULT, log, geometry_for(RULESET, DEFAULT))
    log.append(GameBegan(ruleset=RULESET.name))
    conductor.begin_deal()
    conductor.press(seat("E"), Key.READY)
    log.append(ReadyDeclared(seat=seat("E")))
    log.append(Discarded(seat=seat("E"), tile=Tile.parse("9m")))
    conductor.press(seat("E"), Key.READY)
    assert isinstance(log.history[-1], ReadyWithdrawn)
    assert not log.state.seats[seat("E")].is_ready


# --- Claims ------------------------------------------------------------------------------------


def test_c40_a_late_pung_takes_the_tile_until_it_is_covered():
    state = dealt(
        "5p 1234z 147m 258s 369m", "55p 123m 456m 78s 11z 2z", IDLE, "46p 123m 456m 78s 22z 3z"
    )
    state = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("5p")))
    kinds = {
        one: {event.meld.kind for (event,) in claim_actions(state, seat(one), PLAY, DEFAULT)}
        for one in ("S", "N")
    }
    assert kinds == {"S": {MeldKind.PUNG}, "N": set()}  # a chow only from the left
    five, east, south, west = Tile.parse("5p"), seat("E"), seat("S"), seat("W")
    pung = MeldCalled(seat=west, meld=Meld(MeldKind.PUNG, (five,) * 3, east, five))
    chow = Meld(MeldKind.CHOW, parse_tiles("456p"), east, five)
    win = WinClaimed(seat=west, tile=five, source=east)
    drawn = apply(state, Drawn(seat=south, tile=None))
    assert codes(drawn, MeldCalled(seat=south, meld=chow)) == ["late_claim"]
    returned = apply(drawn, DrawReturned(seat=south))
    assert (returned.wall_left, returned.held(south)) == (state.wall_left, 13)
    assert codes(returned, pung) == codes(returned, win) == []
    covered = apply(drawn, Discarded(seat=south, tile=Tile.parse("9s")))
    assert codes(covered, pung) == codes(covered, win) == ["late_claim"]
    taken = apply(state, MeldCalled(seat=south, meld=pung.meld))
    assert "late_claim" in codes(taken, win)
    for other in (covered, taken):
        with pytest.raises(ImpossibleEventError, match="put back"):
            apply(other, DrawReturned(seat=south))


def codes(state, event, **changes):
    options = RULESET.choose(**changes)
    return [one.code for one in RULESET.conduct.breaches(state, event, options)]


def test_c40_a_chow_gives_the_tile_up_to_a_pung():
    """Section 3.3: even to one that is slightly late."""
    east, south, west, five = seat("E"), seat("S"), seat("W"), Tile.parse("5p")
    state = dealt(
        "5p 1234z 147m 258s 369m", "46p 123m 456m 78s 22s 3z", "55p 789m 147s 99s 111z", IDLE
    )
    state = apply(state, Discarded(seat=east, tile=five))
    chow = Meld(MeldKind.CHOW, parse_tiles("456p"), east, five)
    laid = apply(state, MeldCalled(seat=south, meld=chow))
    back = apply(laid, MeldReturned(seat=south))
    assert back.seats[south].melds == ()
    assert sorted(back.seats[south].hand) == sorted(state.seats[south].hand)
    assert (back.awaiting, back.offer, back.turn) == (state.awaiting, state.offer, state.turn)
    pung = MeldCalled(seat=west, meld=Meld(MeldKind.PUNG, (five,) * 3, east, five))
    assert codes(back, pung) == []
    taken = apply(back, pung)
    assert (taken.turn, taken.seats[east].pond[0].called_by) == (west, west)


@pytest.mark.parametrize("name", ["classical_pung_before_chow", "classical_late_pung"])
async def test_c40_the_table_follows_the_late_pung(name):
    """The referee sees no draw, so a tile that goes back is as if it had not been drawn."""
    script = find_script(name)
    geometry = geometry_for(script.ruleset, script.options)
    log = MemoryLog(4)
    conductor = Conductor(script.ruleset, script.options, log, geometry)
    log.append(GameBegan(ruleset=script.ruleset.name))
    conductor.begin_deal()
    places = wall_order((17,) * 4, Seat.A, 5)
    players = Players(script.open(), places, conductor, PerfectEyes(geometry))
    await players.look()
    await players.perform(replayed(players.deal, script.moves))
    assert differences(script, log.history) == ()
    truth, known = players.deal.state, log.state
    assert known.wall_left == truth.wall_left == players.deal.wall.left
    for one in Seat:
        assert known.seats[one].melds == truth.seats[one].melds
        assert [p.tile for p in known.seats[one].pond] == [p.tile for p in truth.seats[one].pond]
        assert known.held(one) == truth.held(one)
    assert known.seats[seat("S")].melds[0].kind is MeldKind.PUNG


async def test_s3_the_table_follows_a_game_whose_earlier_discards_are_covered():
    """cover_discards: only the last discard of all lies face up."""
    options = RULESET.choose(cover_discards=True)
    geometry = geometry_for(RULESET, options)
    log = MemoryLog(4)
    conductor = Conductor(RULESET, options, log, geometry)
    log.append(GameBegan(ruleset=RULESET.name))
    conductor.begin_deal()
    truth = log.state
    for turn in range(24):
        tile = Tile.parse(f"{turn % 9 + 1}{'mps'[turn // 9]}")
        if turn:
            truth = apply(truth, Drawn(seat=truth.turn))
        truth = apply(truth, Discarded(seat=truth.turn, tile=tile))
        scene = await PerfectEyes(geometry).look(laid_out(truth, geometry))
        last = geometry.pond_place(truth.offer.seat, len(truth.seats[truth.offer.seat].pond) - 1)
        covered = [
            replace(each, label="bk")
            if each.zone.kind is ZoneKind.POND and dist(each.centre_mm, last.centre_mm) > 10
            else each
            for each in scene.sightings
        ]
        conductor.see(replace(scene, sightings=tuple(covered)))
    assert [e.tile for e in log.history if isinstance(e, Discarded)] == [
        Tile.parse(f"{turn % 9 + 1}{'mps'[turn // 9]}") for turn in range(24)
    ]
    assert not [e for e in log.history if e.kind == "doubted"]


def test_s11_a_false_claim_costs_what_the_table_agreed_on():
    east, west, five = seat("E"), seat("W"), Tile.parse("5p")
    state = dealt("5p 1234z 147m 258s 369m", IDLE, "46p 123m 456m 78s 22s 3z", IDLE)
    state = apply(state, Discarded(seat=east, tile=five))
    chow = MeldCalled(seat=west, meld=Meld(MeldKind.CHOW, parse_tiles("456p"), east, five))
    (free,) = RULESET.conduct.breaches(state, chow, DEFAULT)
    assert (free.code, free.penalty) == ("wrong_call", ())
    (paid,) = RULESET.conduct.breaches(state, chow, RULESET.choose(false_claim_penalty=20))
    assert totals(paid.penalty) == (20, 20, -60, 20)


def test_s6_the_last_discard_may_be_claimed_for_a_set_too():
    state = replace(
        dealt("5p 1234z 147m 258s 369m", "55p 789m 147s 99s 111z", IDLE, IDLE), wall_left=0
    )
    state = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("5p")))
    (claim,) = claim_actions(state, seat("S"), PLAY, DEFAULT)
    assert claim[0].meld.kind is MeldKind.PUNG
    assert codes(state, claim[0]) == []


def test_a_waiting_hand_may_still_call():
    state = dealt("5p 1234z 147m 258s 369m", "55p 123m 456m 789s 12z", IDLE, IDLE)
    ready = state.with_seat(seat("S"), ready_at=0)
    ready = apply(ready, Discarded(seat=seat("E"), tile=Tile.parse("5p")))
    calls = [
        e for (e,) in claim_actions(ready, seat("S"), PLAY, DEFAULT) if isinstance(e, MeldCalled)
    ]
    assert calls


# --- The wall: loose tiles ---------------------------------------------------------------------


def test_loose_tiles_are_refilled_in_pairs_and_the_reserve_stays():
    live = wall(DEFAULT).wall(STANDARD_136.tiles())
    live.deal(53)
    assert live.left == 67  # 81 wall tiles, of which 14 are never drawn
    last = list(STANDARD_136.tiles())
    assert live.replace() == last[135]
    assert live.left == 67  # the second loose tile still lies there
    assert live.replace() == last[134]
    assert live.left == 65  # two tiles of the wall are loose now
    assert live.replace() == last[133]
    while live.left:
        live.draw()
    assert live.replace() == last[132]  # no refill: fewer than 14 would remain
    assert live.left == 0
    with pytest.raises(CaseError, match="no loose tile"):
        live.replace()


def test_the_state_counts_the_wall_as_the_wall_does():
    state = replace(
        dealt("1111s 222s 4m 147m 258p", IDLE, IDLE, IDLE), wall_left=1, after_kong=True
    )
    for step, expected in ((0, (1, 1)), (1, (0, 1))):
        kong = Meld(MeldKind.CONCEALED_KONG, parse_tiles("1111s" if step == 0 else "2222s"))
        state = apply(state, KongDeclared(seat=seat("E"), meld=kong))
        drawn = Tile.parse("2s" if step == 0 else "9p")
        state = apply(state, Drawn(seat=seat("E"), tile=drawn, replacement=True))
        assert (state.loose, state.wall_left) == expected
    assert not state.can_replace
    assert state.wall_left == 1  # the last permissible tile can still be drawn


def test_c39_the_deal_is_drawn_when_fourteen_tiles_remain():
    rng = Random(7)
    tiles = STANDARD_136.tiles()
    rng.shuffle(tiles)
    deal = open_deal(first_deal(DEFAULT), tiles, PLAY, DEFAULT)

    def passive(state, seat, actions):
        discards = [action for action in actions if isinstance(action[0], Discarded)]
        return discards[-1] if discards else ()

    events = list(play_deal(deal, passive))
    assert sum(isinstance(event, Drawn) for event in events) == 67
    assert len(deal.wall.standing()) == 16  # fourteen and two loose ones
    verdicts = conclude(deal.state, deal.history, PLAY, DEFAULT)
    ended = outcome(deal.state, verdicts)
    assert (ended.draw_reason, ended.points) == ("exhaustive", (0, 0, 0, 0))
    stays = next_deal(first_deal(DEFAULT), ended, DEFAULT)
    passes = next_deal(first_deal(DEFAULT), ended, RULESET.choose(drawn_east="passes"))
    assert stays is not None
    assert passes is not None
    assert (stays.dealer, passes.dealer) == (Seat.A, Seat.B)


def test_s2_the_break_is_told_as_far_as_the_first_throw_says_it():
    west = seat("W")  # seven, counted from East as one
    assert PLAY.break_wall(seat("E"), (3, 4), DEFAULT) == Break(west, 7)
    assert PLAY.break_wall(seat("E"), (3, 4), RULESET.choose(break_throws=2)) == Break(west, None)


def test_two_kongs_in_succession():
    kong = KongDeclared(seat=Seat.A, meld=Meld(MeldKind.CONCEALED_KONG, parse_tiles("1111s")))
    loose = Drawn(seat=Seat.A, replacement=True)
    turn = [Discarded(seat=Seat.D, tile=Tile.parse("1m")), Drawn(seat=Seat.A)]
    assert is_kong_on_kong([*turn, kong, loose, kong, loose])
    assert not is_kong_on_kong([*turn, kong, loose])
    assert not is_kong_on_kong(
        [*turn, kong, loose, Discarded(seat=Seat.A, tile=Tile.parse("1m")), *turn, kong, loose]
    )


# --- Paying for all ----------------------------------------------------------------------------


def case(number: str, **changes: object) -> Case:
    return replace(BY_NUMBER[number].case, **changes)


def test_a_discarder_with_that_suit_only_does_not_pay_for_all():
    alone = ShownHand(hand=parse_tiles("1144667788s 668s"))
    payer, _ = pays_for_all(case("C28", others={seat("W"): alone}), DEFAULT)
    assert payer is None
    other = ShownHand(hand=parse_tiles("1144667788s 66m 8s"))
    assert pays_for_all(case("C28", others={seat("W"): other}), DEFAULT)[0] is seat("W")


def test_a_false_declaration_does_not_exempt():
    idle = ShownHand(hand=parse_tiles("147m 258p 369s 1234z"))
    false = case("C31", others={**BY_NUMBER["C31"].case.others, seat("W"): idle})
    assert pays_for_all(false, DEFAULT)[0] is seat("W")


def test_the_exemption_of_a_waiting_hand_reaches_all_rules_only_by_option():
    waiting = ShownHand(hand=parse_tiles("234m 567m 44p 88p 111m"))
    fourth_wind = case(
        "C29", others={seat("N"): waiting}, extra={"waiting_declared": [seat("N"), seat("E")]}
    )
    assert pays_for_all(fourth_wind, DEFAULT)[0] is seat("N")
    assert pays_for_all(fourth_wind, RULESET.choose(pfa_exemption_scope="all"))[0] is None


@pytest.mark.parametrize(
    ("melds", "hand", "winning", "options", "pays"),
    [
        ("pung 111m, pung 999p, pung 111s", "44z 99s", "9s", {}, True),
        ("pung 111m, pung 999p", "111s 44z 99s", "9s", {}, False),
        ("pung 111m, pung 999p, pung 111s", "44z 88s", "8s", {}, False),
        ("pung 111z, concealed_kong 2222z, pung 333z", "44z 88s", "4z", {}, False),
        (
            "pung 111z, concealed_kong 2222z, pung 333z",
            "44z 88s",
            "4z",
            {"pfa_concealed_kong_counts": True},
            True,
        ),
        ("pung 111z, pung 222z, pung 333z", "44z 88s", "8s", {}, False),
        ("pung 111z, pung 222z, pung 333z", "44z 88s", "4z", {"pay_for_all": False}, False),
        # ten open bamboos by a kong, but the win is not of one suit
        ("kong 1111s, pung 555s, chow 789s", "99m 24s", "3s", {}, False),
        ("kong 1111s, pung 555s, chow 789s", "11z 24s", "3s", {}, True),
        ("pung 555s, chow 789s", "111s 11z 24s", "3s", {}, False),
    ],
)
def test_when_a_discard_pays_for_all(melds, hand, winning, options, pays):
    claimed = Case(
        winner=seat("S"),
        source=seat("W"),
        hand=parse_tiles(hand),
        winning_tile=Tile.parse(winning),
        melds=laid(melds),
    )
    assert (pays_for_all(claimed, RULESET.choose(**options))[0] is not None) is pays
    robbed = replace(claimed, flags=frozenset({Flag.ROBBING_KONG}))
    assert pays_for_all(robbed, RULESET.choose(**options))[0] is None
    assert pays_for_all(replace(claimed, source=None), RULESET.choose(**options))[0] is None


# --- Values under options, dead hands, what cannot be --------------------------------------------


@pytest.mark.parametrize(
    ("number", "options", "value"),
    [
        ("C10", {"no_points_definition": "sets_only"}, 44),
        ("C12", {"only_possible_tile": "pattern"}, 24),
        ("C16", {"double_wind_pair_points": "single"}, 22),
        ("C21", {"limit": 100_000}, 9216),
        ("C21", {"limit_hands": ["all_honours_limit"]}, 2000),
        ("C36", {"limit_hands": []}, 304),
        ("C23", {}, 48),
    ],
)
def test_values_under_options(number, options, value):
    answer = settle_win(case(number), RULESET.choose(**options))
    assert answer.totals["hand_value"] == value


def test_losers_without_doublings():
    plain = settle_win(case("C15"), RULESET.choose(loser_doublings="none"))
    assert plain.totals["hand_value_seat_1"] == 4
    assert settle_win(case("C15"), DEFAULT).totals["hand_value_seat_1"] == 8


def test_an_answer_says_how_many_hands_it_has_not_seen():
    assert settle_win(case("C01"), DEFAULT).totals["hands_not_shown"] == 3
    assert "hands_not_shown" not in settle_win(case("C15"), DEFAULT).totals


def test_every_payment_of_a_table_sums_to_zero():
    for example in EXAMPLES:
        assert sum(settle_win(example.case, DEFAULT).deltas) == 0


def test_a_dead_hand_may_not_win():
    dead = case("C01", extra={"dead_hands": {"1": "too_few"}})
    assert [breach.code for breach in settle_win(dead, DEFAULT).violations] == ["dead_hand"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"source": seat("S")}, "cannot be the discarder"),
        ({"bonus": parse_tiles("1f")}, "choose bonus_tiles"),
        ({"winning_tile": Tile.parse("0p")}, "cannot be part"),
        ({"hand": parse_tiles("33s 4p")}, "names 3 tiles"),
        ({"flags": frozenset({Flag.REPLACEMENT})}, "loose tile is drawn"),
        ({"extra": {"dead_hands": {"0": "odd"}}}, "too_few or too_many"),
        ({"extra": {"waiting_declared": "S"}}, "list of seats"),
        ({"extra": {"waiting_declared": [7]}}, "is no seat"),
        ({"extra": {"dead_hands": {"E": "too_few"}}}, "is no seat"),
        ({"extra": {"dead_hands": "all"}}, "object from seat"),
        ({"winning_tile": Tile.parse("5m"), "hand": parse_tiles("33s 55m")}, "copies of 5m"),
    ],
)
def test_what_cannot_lie_on_a_table_is_refused(changes, says):
    with pytest.raises(CaseError, match=says):
        settle_win(case("C01", **changes), DEFAULT)


def test_options_are_held_to_their_bounds():
    with pytest.raises(OptionError, match="multiple of 2"):
        RULESET.choose(reserve_tiles=13)
    with pytest.raises(OptionError, match="drawn_east"):
        RULESET.choose(drawn_east="sometimes")


def test_seven_pairs_win_only_where_they_are_played():
    pairs = Case(
        winner=seat("S"),
        source=seat("W"),
        hand=parse_tiles("1133m 5577p 2299s 5z"),
        winning_tile=Tile.parse("5z"),
    )
    assert [one.code for one in settle_win(pairs, DEFAULT).violations] == ["not_a_win"]
    penalty = settle_win(pairs, DEFAULT).violations[0].penalty
    assert totals(penalty) == (100, -300, 100, 100)
    assert {each.reason for each in penalty} == {"false mahjong"}  # as in the Filipino game
    answer = settle_win(pairs, RULESET.choose(seven_pairs_hand=True))
    assert answer.totals["points"] == 22


# --- The match ---------------------------------------------------------------------------------


def test_four_rounds_in_which_east_stays_while_winning():
    start = first_deal(DEFAULT)
    rounds, longest = [], 0
    while start is not None:
        if start.counters == 0:
            rounds.append(start.round_wind)
        longest = max(longest, start.counters)
        wins = start.counters < 2
        winner = start.dealer if wins else start.dealer.after(1, 4)
        start = next_deal(start, DealOutcome(winners=(winner,), points=(0,) * 4), DEFAULT)
    assert rounds == [wind for wind in Wind for _ in range(4)]
    assert longest == 2


def test_bots_play_matches_without_an_illegal_state():
    played = play_matches(RULESET, RULESET.options, deals=20, seed=5)
    assert played.wins > 8
    flowers = play_matches(RULESET, RULESET.choose("with_flowers"), deals=8, seed=6)
    assert flowers.bonus > 20


def test_all_hands_are_shown_and_settled_after_a_win():
    played = None
    rng = Random(11)
    for _ in range(6):
        tiles = STANDARD_136.tiles()
        rng.shuffle(tiles)
        deal = open_deal(first_deal(DEFAULT), tiles, PLAY, DEFAULT)
        events = list(play_deal(deal, collector(rng, 0.8)))
        if deal.state.claims:
            played = deal
            assert sum(isinstance(event, HandShown) for event in events) == 4
            (judged,) = [
                event
                for event in conclude(deal.state, deal.history, PLAY, DEFAULT)
                if isinstance(event, WinJudged)
            ]
            assert "hands_not_shown" not in judged.answer.totals
    assert played is not None


@pytest.mark.long
def test_bots_play_ten_thousand_deals():
    played = play_matches(RULESET, RULESET.options, deals=10_000, seed=1920)
    assert played.wins > 5_000
    assert len(played.items) > 30
