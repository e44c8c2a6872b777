"""The Charleston as the table follows it: which pass is due, what the seats said, what moved."""

from __future__ import annotations

from table_controller.rules.american.options import CharlestonRule, CourtesyRule, Options
from table_controller.rules.american.play import PLAY
from table_controller.rules.core.events import (
    DealBegan,
    Discarded,
    HandDealt,
    PassAnnounced,
    TilesPassed,
)
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.state import fold
from table_controller.rules.core.tiles import Tile

E, S, W, N = Seat
STEPS = [
    "first right",
    "first across",
    "first left",
    "vote",
    "second left",
    "second across",
    "last right",
    "courtesy",
]


class Table:
    """A log that seats speak into."""

    def __init__(self, options=None):
        self.options = options or Options()
        began = DealBegan(
            number=0,
            dealer=E,
            round_wind=Wind.EAST,
            points=(0, 0, 0, 0),
            wall_left=99,
            kongs_replaced=False,
        )
        dealt = [HandDealt(seat=seat, tiles=(None,) * (13 + (seat is E))) for seat in Seat]
        self.history = [began, *dealt]

    @property
    def state(self):
        return fold(self.history, 4)

    @property
    def due(self):
        return PLAY.pass_due(self.state, self.history, self.options)

    @property
    def name(self):
        return None if self.due is None else self.due.rule.name

    def lay(self, seat, lying=0, number=None):
        """A seat puts its tiles down; the last one completes the step."""
        if number is not None:
            self.history.append(PassAnnounced(seat=seat, step=self.name, number=number))
        self.history.append(self.due.announced(seat, lying))
        if self.due is not None and self.due.is_complete:
            self.history += self.due.moves()

    def everybody(self, lying=0):
        for seat in Seat:
            self.lay(seat, lying)


def moved(table, step):
    return {
        (event.seat, event.receiver): len(event.tiles)
        for event in table.history
        if isinstance(event, TilesPassed) and event.step == step
    }


def test_the_steps_follow_each_other_and_then_play_begins():
    table = Table()
    seen = []
    while table.due is not None:
        seen.append((table.name, table.due.rule.place, table.due.rule.of))
        table.everybody()
    assert [name for name, _, _ in seen] == STEPS
    assert [place for _, place, _ in seen] == [1, 2, 3, 4, 4, 5, 6, 7]
    assert {of for _, _, of in seen} == {7}
    assert moved(table, "first right") == {(E, S): 3, (S, W): 3, (W, N): 3, (N, E): 3}
    assert moved(table, "first across") == {(E, W): 3, (S, N): 3, (W, E): 3, (N, S): 3}
    assert moved(table, "second left") == {(E, N): 3, (S, E): 3, (W, S): 3, (N, W): 3}
    assert [table.state.held(seat) for seat in Seat] == [14, 13, 13, 13]


def test_a_step_waits_for_the_last_seat():
    table = Table()
    for seat in (E, W, N):
        table.lay(seat)
    assert (table.name, table.due.done) == ("first right", (True, False, True, True))
    assert moved(table, "first right") == {}
    table.lay(S)
    assert table.name == "first across"


def test_a_wrong_number_of_tiles_is_shown_and_does_not_count():
    table = Table()
    table.lay(E, lying=2)
    assert (table.due.done[E], table.due.seen[E]) == (False, 2)
    table.lay(E, lying=3)
    assert (table.due.done[E], table.due.seen[E]) == (True, None)


def test_only_blind_passes_take_fewer_own_tiles_and_the_camera_counts_them():
    table = Table()
    for _ in range(2):
        assert (table.due.rule.least, table.due.rule.most) == (3, 3)
        table.everybody()
    assert (table.name, table.due.rule.least) == ("first left", 0)
    table.lay(E, lying=1)
    table.lay(S, number=0)
    assert table.due.numbers == (1, 0, 3, 3)
    table.lay(W)
    table.lay(N)
    assert set(moved(table, "first left").values()) == {3}  # the rest came and went on unseen


def test_where_nothing_passes_blind_all_three_are_own_tiles():
    rules = list(PLAY.pass_rules(Options(blind_pass_steps=()), False))
    assert {rule.least for rule in rules if rule.name not in ("courtesy", "vote")} == {3}


def test_a_seat_goes_through_the_numbers_it_may_pass():
    table = Table()
    table.everybody()
    table.everybody()
    numbers = []
    for _ in range(4):
        number = table.due.next_number(E)
        numbers.append(number)
        table.history.append(PassAnnounced(seat=E, step="first left", number=number))
    assert numbers == [2, 1, 0, 3]


def test_one_player_stops_the_charleston_and_the_courtesy_pass_is_left():
    table = Table()
    for _ in range(3):
        table.everybody()
    assert table.name == "vote"
    assert table.due.rule.turns == ()
    table.lay(E)
    stop = table.due.rule.stop
    table.history.append(TilesPassed(seat=N, receiver=N, tiles=(), step=stop))
    assert (table.name, table.due.rule.place, table.due.rule.of) == ("courtesy", 4, 4)


def courtesy(options, wishes):
    table = Table(options)
    while table.name != "courtesy":
        table.everybody()
    for seat, wish in zip(Seat, wishes, strict=True):
        table.lay(seat, lying=wish)
    assert table.due is None
    return [moved(table, "courtesy")[seat, seat.after(2, 4)] for seat in Seat]


def test_a_courtesy_pass_exchanges_the_smaller_wish_of_each_pair():
    assert courtesy(Options(), (3, 0, 1, 2)) == [1, 0, 1, 0]  # the worked example A53
    assert courtesy(Options(), (2, 3, 2, 3)) == [2, 3, 2, 3]


def test_or_only_equal_wishes():
    options = Options(courtesy_rule=CourtesyRule.EQUAL_ONLY)
    assert courtesy(options, (3, 2, 1, 2)) == [0, 2, 0, 2]


def test_a_table_may_play_a_part_of_it_or_none():
    assert Table(Options(charleston=CharlestonRule.NONE)).due is None
    table = Table(Options(charleston=CharlestonRule.FIRST_ONLY))
    seen = []
    while table.due is not None:
        seen.append(table.name)
        table.everybody()
    assert seen == ["first right", "first across", "first left", "courtesy"]


def test_a_discard_ends_the_passing():
    table = Table()
    table.history.append(Discarded(seat=E, tile=Tile.parse("1m")))
    assert table.due is None


def test_a_pass_that_was_cut_short_is_completed():
    table = Table()
    table.everybody()
    first = next(i for i, e in enumerate(table.history) if isinstance(e, TilesPassed))
    del table.history[first + 2 :]  # the power failed after two of the four
    assert table.name == "first right"
    assert table.due.is_complete
    assert [move.seat for move in table.due.moves()] == [W, N]
