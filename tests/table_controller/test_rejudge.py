"""A corrected fact is judged again, and everything that rested on it follows."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from table_controller.rejudge import JUDGED_AGAIN
from table_controller.rules import find_ruleset
from table_controller.rules.core.events import (
    Corrected,
    DealBegan,
    DealEnded,
    Discarded,
    Drawn,
    GameEnded,
    HandDealt,
    HandShown,
    Penalised,
    Voided,
    WinClaimed,
    WinJudged,
    hide,
)
from table_controller.rules.core.game import conclude, open_deal, outcome, play_deal
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.simulation.bots import bot
from table_controller.store import Store
from table_controller.table import CorrectionError, Table, fold_records

A, B, C = Seat.A, Seat.B, Seat.C


def table_of(name):
    return Table.open(Store(":memory:"), find_ruleset(name), clock=lambda: 0.0)


def play_match(table, seed, deals, first=()):
    """Bots play that many deals, seen as the table sees them; the game ends if it does.

    ``first`` happens in each deal once the tiles are dealt.
    """
    play, options = table.ruleset.play, table.options
    rng = random.Random(seed)
    start = play.first_deal(options)
    for _ in range(deals):
        tiles = table.ruleset.tile_set(options).tiles()
        rng.shuffle(tiles)
        deal = open_deal(start, tiles, play, options)
        for event in list(deal.history):
            table.append(hide(event))
        for event in first:
            table.append(event)
        for event in play_deal(deal, bot(rng)):
            table.append(hide(event))
        verdicts = conclude(table.state, table.history, play, options)
        for event in verdicts:
            table.append(event)
        following = play.next_deal(start, outcome(table.state, verdicts), options)
        if following is None:
            break
        start = following
    else:
        return
    points = verdicts[-1].points
    final = play.final(start, points, options)
    table.append(GameEnded(points=points, placements=final.placements, final=final.scores))


@pytest.mark.parametrize(
    ("name", "seed"),
    [("korean_japanese_3p", 1), ("korean_japanese_3p", 2), ("riichi_4p", 3), ("mcr", 4)],
)
def test_judging_again_what_was_right_changes_nothing(name, seed):
    table = table_of(name)
    play_match(table, seed, 3)
    facts = [r for r in table.records if isinstance(r.event, Discarded)]
    for record in (facts[0], facts[len(facts) // 2], facts[-1]):
        before = table.points
        written = table.correct(record.number, record.event, "as it was")
        assert [type(each.event) for each in written] == [Corrected]
        assert table.points == before


def claimed(*, own="1z 9p 3p 1m", winning="3p"):
    """A deal of the Korean-Japanese game in which A claims C's last discard."""
    table = table_of("korean_japanese_3p")
    play = table.ruleset.play
    start = play.first_deal(table.options)
    table.append(
        DealBegan(
            number=start.number,
            dealer=A,
            round_wind=start.round_wind,
            points=start.points,
            wall_left=60,
            hand_size=play.hand_size,
            kongs_replaced=play.kongs_replaced,
        )
    )
    for seat in (A, B, C):
        more = seat is A and play.dealer_extra
        table.append(HandDealt(seat=seat, tiles=(None,) * (play.hand_size + more)))
    ponds = {A: own, B: "9m 2z 7p 1p", C: f"5z 9p 8m {winning}"}
    for turn in range(4):
        for seat in (A, B, C):
            if turn or seat is not A:
                table.append(Drawn(seat=seat))
            table.append(Discarded(seat=seat, tile=parse_tiles(ponds[seat])[turn]))
    table.append(WinClaimed(seat=A, tile=Tile.parse(winning), source=C))
    table.append(
        HandShown(
            seat=A, tiles=parse_tiles("111p 999p 777p 12p 55z"), winning_tile=Tile.parse(winning)
        )
    )
    judge(table)
    return table


def judge(table):
    for event in conclude(table.state, table.history, table.ruleset.play, table.options):
        table.append(event)


def verdict(table):
    return next(e for e in reversed(table.history) if isinstance(e, WinJudged)).answer


def own_discard(table, tile):
    return next(
        r
        for r in table.records
        if isinstance(r.event, Discarded) and r.event.seat is A and str(r.event.tile) == tile
    )


def test_a_misread_discard_makes_a_refused_win_stand():
    table = claimed()
    assert [v.code for v in verdict(table).violations][:1] == ["sacred_discard"]
    lost = table.points
    assert lost[A] < 0
    wrong = own_discard(table, "3p")
    written = table.correct(wrong.number, replace(wrong.event, tile=Tile.parse("3m")), "misread")
    assert verdict(table).valid
    assert table.points[A] > 0
    assert sum(table.points) == 0
    assert isinstance(table.history[-1], DealEnded)
    assert table.history[-1].points == table.points
    reasons = {e.event.reason for e in written if isinstance(e.event, Corrected | Voided)}
    assert reasons == {"misread", JUDGED_AGAIN}


def test_a_misread_discard_makes_a_standing_win_fall_and_back_again():
    table = claimed(own="1z 9p 3m 1m")
    assert verdict(table).valid
    won = table.points
    wrong = own_discard(table, "3m")
    written = table.correct(wrong.number, replace(wrong.event, tile=Tile.parse("3p")), "misread")
    assert not verdict(table).valid
    assert any(isinstance(e, Penalised) for e in table.history)
    assert table.points[A] < 0
    table.correct(wrong.number, wrong.event, "it was right")
    assert verdict(table).valid
    assert table.points == won
    assert written


def test_the_same_log_read_again_means_the_same():
    table = claimed()
    wrong = own_discard(table, "3p")
    table.correct(wrong.number, replace(wrong.event, tile=Tile.parse("3m")), "misread")
    again = Table.open(table.store, table.ruleset, clock=lambda: 0.0)
    assert again.resumed
    assert again.state == table.state
    assert again.points == table.points
    assert fold_records(table.store.events(table.game), 3).records == table.records


def test_a_penalty_taken_back_moves_the_points_of_every_later_deal():
    table = table_of("korean_japanese_3p")
    play_match(table, 5, 1)
    fine = (Payment(A, B, 10, "penalty"),)
    first_end = table.records[-1]
    assert isinstance(first_end.event, DealEnded)
    play = table.ruleset.play
    began = replace(table.history[0], number=1, points=first_end.event.points)
    table.append(began)
    penalty = table.append(Penalised(seat=A, code="late", payments=fine))
    after = table.points
    table.append(DealEnded(points=after))
    table.append(replace(began, number=2, points=after))
    final = play.final(play.first_deal(table.options), after, table.options)
    table.append(GameEnded(points=after, placements=final.placements, final=final.scores))
    table.void(penalty.number, "it was somebody else")
    shifted = (after[A] + 10, after[B] - 10, after[C])
    ended = [r.event for r in table.records if isinstance(r.event, DealEnded)]
    begun = [r.event for r in table.records if isinstance(r.event, DealBegan)]
    assert ended[-1].points == shifted
    assert begun[-1].points == shifted
    assert table.records[-1].event.points == shifted
    assert table.points == shifted


def test_a_verdict_put_right_by_hand_is_not_judged_away():
    table = claimed()
    refused = next(r for r in table.records if isinstance(r.event, WinJudged))
    mercy = replace(refused.event, answer=replace(refused.event.answer, violations=()))
    table.correct(refused.number, mercy, "the table agreed")
    other = own_discard(table, "1m")
    table.correct(other.number, replace(other.event, tile=Tile.parse("2m")), "misread")
    assert verdict(table).violations == ()
    assert table.history[-1].points == table.points


def test_a_past_deal_that_would_need_another_ending_is_left_to_the_staff():
    table = claimed(own="1z 9p 3m 1m")
    won = table.points
    wrong = own_discard(table, "3m")
    table.append(replace(table.history[0], number=1, points=won))
    before = len(table.log)
    with pytest.raises(CorrectionError, match="play has gone on: penalise or pay by hand"):
        table.correct(wrong.number, replace(wrong.event, tile=Tile.parse("3p")), "misread")
    assert len(table.log) == before
    assert table.points == won


def test_a_past_deal_whose_ending_has_room_moves_the_points_on():
    table = claimed()
    lost = table.points
    wrong = own_discard(table, "3p")
    table.append(replace(table.history[0], number=1, points=lost))
    table.correct(wrong.number, replace(wrong.event, tile=Tile.parse("3m")), "misread")
    ended = next(r.event for r in table.records if isinstance(r.event, DealEnded))
    assert ended.points[A] > 0
    assert table.points == ended.points
    assert table.history[0].points == ended.points


def test_a_hand_shown_wrong_is_judged_with_the_right_one():
    table = claimed(own="1z 9p 3m 1m")
    shown = next(r for r in table.records if isinstance(r.event, HandShown))
    table.correct(
        shown.number, replace(shown.event, tiles=parse_tiles("111p 999p 777p 15p 55z")), "misread"
    )
    assert not verdict(table).valid
