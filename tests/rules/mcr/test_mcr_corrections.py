"""A correction in the last deal of a round follows the players to their new seats."""

from __future__ import annotations

from table_controller.rules.core.events import DealBegan, DealEnded, GameEnded, Penalised
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.mcr import RULESET
from table_controller.store import Store
from table_controller.table import Table
from tests.table_controller.test_rejudge import play_match


def played(deals: int, rounds: int) -> Table:
    """Bots play, seen as the table sees them; in each deal seat A first pays 5 to nobody."""
    options = RULESET.choose(rounds=rounds)
    table = Table.open(Store(":memory:"), RULESET, options, clock=lambda: 0.0)
    fine = Payment(Seat.A, None, 5, "penalty")
    play_match(table, 4, deals, first=[Penalised(seat=Seat.A, code="warning", payments=(fine,))])
    return table


def test_points_put_right_move_with_the_player_who_changed_seats():
    """mcr.md, section 6: after the first round E and S, W and N change seats."""
    table = played(8, rounds=2)
    fines = [r for r in table.records if isinstance(r.event, Penalised)]
    before = [r.event.points for r in table.records if isinstance(r.event, DealBegan | DealEnded)]
    table.void(fines[3].number, "it was somebody else")  # in the fourth deal, by seat A
    after = [r.event.points for r in table.records if isinstance(r.event, DealBegan | DealEnded)]
    change = [
        tuple(now - was for now, was in zip(new, old, strict=True))
        for new, old in zip(after, before, strict=True)
    ]
    assert change[:7] == [(0, 0, 0, 0)] * 7  # three deals, and the beginning of the fourth
    assert change[7] == (5, 0, 0, 0)
    assert set(change[8:]) == {(0, 5, 0, 0)}  # who sat at A sits at B now
    ended = table.records[-1].event
    assert isinstance(ended, GameEnded)
    assert ended.points == after[-1]
    by_player = [ended.points[seat] for seat in (1, 0, 3, 2)]
    assert ended.placements == tuple(1 + sum(o > own for o in by_player) for own in by_player)
