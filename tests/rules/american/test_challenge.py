"""Challenges, announcements and dead hands at the table (sections 5.1, 10 and 13)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.conductor import Conductor
from table_controller.interpret import explain, read_scene
from table_controller.layout import geometry_for, laid_out
from table_controller.rules.american import RULESET
from table_controller.rules.american.options import Options
from table_controller.rules.american.play import PLAY, THREE_DEAD
from table_controller.rules.core.events import (
    Announced,
    Challenged,
    Discarded,
    DrawDeclared,
    Drawn,
    GameBegan,
    HandShown,
    MeldCalled,
    Penalised,
    WinClaimed,
)
from table_controller.rules.core.game import conclude
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import Awaiting, apply
from table_controller.rules.core.tiles import JOKER, Tile, parse_tiles
from table_controller.simulation.eyes import PerfectEyes
from table_controller.store import Store
from table_controller.table import CorrectionError, HandChallenged, Table
from table_controller.web.views import ruleset_view
from tests.table_controller.in_memory import MemoryLog

E, S, W, N = Seat
EXPOSED = ("555m", "8888s", "3333p")  # example A58: no line of the card holds all three


def played(options, exposures=EXPOSED, log=None):
    """North claims these exposures of East's discards; the conductor and its log."""
    log = MemoryLog(4) if log is None else log
    conductor = Conductor(RULESET, options, log, geometry_for(RULESET, options))
    if isinstance(log, MemoryLog):
        log.append(GameBegan(ruleset=RULESET.name))
    conductor.begin_deal()
    for place, text in enumerate(exposures):
        tiles = parse_tiles(text)
        if place:
            log.append(Drawn(seat=E))
        log.append(Discarded(seat=E, tile=tiles[0]))
        kind = MeldKind.PUNG if len(tiles) == 3 else MeldKind.KONG
        log.append(MeldCalled(seat=N, meld=Meld(kind, tiles, E, tiles[0])))
        log.append(Discarded(seat=N, tile=Tile.parse(f"{place + 1}z")))
    return conductor, log


def test_a58_a_challenged_hand_without_a_line_is_dead_and_skipped():
    conductor, log = played(Options())
    conductor.challenge(W, N)
    challenged, penalty = log.history[-2:]
    assert challenged == Challenged(seat=W, challenged=N)
    assert isinstance(penalty, Penalised)
    assert (penalty.seat, penalty.code, penalty.payments) == (N, "dead_hand", ())
    assert log.state.seats[N].dead_hand
    assert len(log.state.seats[N].melds) == 3  # the exposures stay
    for seat in (E, S, W):
        assert log.state.turn is seat
        log.append(Drawn(seat=seat))
        log.append(Discarded(seat=seat, tile=Tile.parse("9m")))
    assert log.state.turn is E  # North is skipped


def test_s10_a_wrong_challenge_is_paid_to_the_challenged():
    conductor, log = played(Options(), EXPOSED[:2])
    conductor.challenge(W, N)
    assert not any(log.state.seats[seat].dead_hand for seat in Seat)
    assert log.state.points == (0, 0, -50, 50)
    assert "R1, R6" in log.history[-1].text


def test_s13_a_wrong_challenge_may_cost_the_hand():
    conductor, log = played(Options(wrong_challenge="challenger_dead"), EXPOSED[:2])
    conductor.challenge(W, N)
    assert log.state.seats[W].dead_hand
    assert log.state.points == (0, 0, 0, 0)


def test_s13_exposures_made_in_error_return_to_the_rack():
    conductor, log = played(Options(dead_exposures="valid_only"))
    held = log.state.held(N)
    conductor.challenge(W, N)
    assert [len(meld.tiles) for meld in log.state.seats[N].melds] == [3, 4]
    assert log.state.held(N) == held
    assert log.state.awaiting is Awaiting.CLAIMS


def test_s10_three_dead_hands_end_the_deal_without_payment():
    conductor, log = played(Options())
    for seat in (E, W):
        log.append(Penalised(seat=seat, code="dead_hand", dead_hand=True))
    conductor.challenge(S, N)
    assert log.history[-1] == DrawDeclared(reason=THREE_DEAD)
    ended = conclude(log.state, log.history, PLAY, Options())[-1]
    assert ended.points == (0, 0, 0, 0)


def test_s10_an_exposure_that_is_none_kills_the_hand_unless_it_is_put_right():
    _, log = played(Options(), ())
    four = Tile.parse("4m")
    log.append(Discarded(seat=E, tile=four))
    wrong = Meld(MeldKind.CHOW, parse_tiles("345m"), E, four)
    log.append(MeldCalled(seat=S, meld=wrong))
    discard = Discarded(seat=S, tile=Tile.parse("1z"))
    (breach,) = RULESET.conduct.breaches(log.state, discard, Options())
    assert (breach.seat, breach.code) == (S, "dead_hand")
    assert RULESET.conduct.kills_hand("dead_hand", Options())
    right = Meld(MeldKind.PUNG, parse_tiles("444m"), E, four)
    put_right = log.state.with_seat(S, melds=(right,))
    assert RULESET.conduct.breaches(put_right, discard, Options()) == []


def test_s7_the_last_discard_is_claimed_only_for_mahjong():
    _, log = played(Options(), ())
    four = Tile.parse("4m")
    log.append(Discarded(seat=E, tile=four))
    pung = MeldCalled(seat=S, meld=Meld(MeldKind.PUNG, parse_tiles("444m"), E, four))
    assert RULESET.conduct.breaches(log.state, pung, Options()) == []
    while log.state.wall_left:
        log.append(Drawn(seat=log.state.turn))
        log.append(Discarded(seat=log.state.turn, tile=four))
    pung = MeldCalled(
        seat=log.state.turn, meld=Meld(pung.meld.kind, (four,) * 3, log.state.offer.seat, four)
    )
    (breach,) = RULESET.conduct.breaches(log.state, pung, Options())
    assert breach.code == "wrong_call"
    assert "last discard" in breach.text


async def test_s5_an_exposure_may_be_reduced_before_the_discard():
    """Section 5.1: the kong becomes a pung; a tile that is only covered changes nothing."""
    conductor, log = played(Options(), ())
    four, one = Tile.parse("4m"), Tile.parse("1z")
    log.append(Discarded(seat=E, tile=four))
    kong = Meld(MeldKind.KONG, (*[four] * 3, JOKER), E, four)
    log.append(MeldCalled(seat=S, meld=kong))
    pung = Meld(MeldKind.PUNG, (four,) * 3, E, four)
    geometry, eyes = conductor.geometry, PerfectEyes(conductor.geometry)
    reduced = log.state.with_seat(S, melds=(pung,))
    await_discard = read_scene(await eyes.look(laid_out(reduced, geometry)), geometry, 4)
    assert explain(log.state, await_discard, conductor.rules).events == ()
    after = apply(reduced, Discarded(seat=S, tile=one))
    done = read_scene(await eyes.look(laid_out(after, geometry)), geometry, 4)
    found = explain(log.state, done, conductor.rules)
    assert [event.kind for event in found.events] == ["meld_changed", "doubted", "discarded"]
    assert "44m" in found.events[1].question
    holder = found.state.seats[S]
    assert (holder.melds[0].tiles, len(holder.hand)) == ((four,) * 3, 10)
    never = replace(conductor.rules, options=Options(exposure_edit="never"))
    kinds = [event.kind for event in explain(log.state, done, never).events]
    assert "meld_changed" not in kinds


# --- What is said aloud ------------------------------------------------------------------------


def judged(options, *said, hand="6688m 22244s 5555z", winning="8m"):
    """South claims East's discard; the verdict when that was said before."""
    _, log = played(options, ())
    log.append(Discarded(seat=E, tile=Tile.parse(winning)))
    for event in said:
        log.append(event)
    log.append(WinClaimed(seat=S, tile=Tile.parse(winning), source=E))
    tile = Tile.parse(winning)
    log.append(HandShown(seat=S, tiles=parse_tiles(hand), winning_tile=tile))
    return PLAY.judge(log.state, log.history, log.state.claims[0], options)


def test_s13_a_jokerless_hand_may_have_to_be_announced():
    said = Announced(seat=S, what="jokerless")
    options = Options(jokerless_declared="must_be_announced")
    assert judged(Options()).totals["points"] == 50
    assert judged(options).totals["points"] == 25
    assert judged(options, said).totals["points"] == 50
    assert judged(options, Announced(seat=W, what="jokerless")).totals["points"] == 25


def test_s10_a_misnamed_discard_costs_its_seat_four_times():
    options = Options(misnaming="four_times")
    said = Announced(seat=E, what="misnamed")
    assert judged(options, said).deltas == (-200, 200, 0, 0)
    assert judged(options).deltas == judged(Options(), said).deltas == (-100, 200, -50, -50)


def test_the_staff_tells_the_table_who_challenges_and_what_was_said():
    options = Options(misnaming="four_times")
    table = Table.open(Store(":memory:"), RULESET, options)
    with pytest.raises(CorrectionError, match="while a deal is played"):
        table.challenge(W, N)
    played(options, EXPOSED[:1], table)
    table.challenge(W, N)
    assert table.inbox.get_nowait() == HandChallenged(W, N)
    with pytest.raises(CorrectionError, match="live hands"):
        table.challenge(W, W)
    assert table.announce(E, "misnamed").event == Announced(seat=E, what="misnamed")
    with pytest.raises(CorrectionError, match="nobody announces 'jokerless'"):
        table.announce(E, "jokerless")
    view = ruleset_view(RULESET, options)
    assert (view["challenges"], view["announcements"]) == (True, ["misnamed"])


def test_s10_a_mahjong_in_error_ends_the_deal_when_one_intact_hand_is_left():
    """Hands that others have shown are not intact any more."""
    _, log = played(Options(), ())
    tile = Tile.parse("4m")
    log.append(Discarded(seat=E, tile=tile))
    log.append(WinClaimed(seat=S, tile=tile, source=E))
    idle = parse_tiles("159m 159p 159s 1234z")
    log.append(HandShown(seat=S, tiles=idle, winning_tile=tile))
    log.append(HandShown(seat=W, tiles=idle))
    pay = Options(mahjong_in_error="pay_all")
    (breach, *_) = PLAY.judge(log.state, log.history, log.state.claims[0], pay).violations
    assert {payment.receiver for payment in breach.penalty} == {E, N}
    claim, answer = log.state.claims[0], None
    assert not PLAY.refusal_ends_deal(log.state, claim, answer, Options())
    log.append(HandShown(seat=N, tiles=idle))
    assert PLAY.refusal_ends_deal(log.state, claim, answer, Options())
