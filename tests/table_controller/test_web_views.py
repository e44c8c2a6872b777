"""What a viewer may see: nothing concealed while a deal is in play, everything explained after."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from table_controller.rules import find_ruleset
from table_controller.rules.core.case import Evidence, Violation
from table_controller.rules.core.events import (
    Corrected,
    DealBegan,
    DealEnded,
    Discarded,
    Doubted,
    Drawn,
    GameEnded,
    HandDealt,
    Penalised,
    WinJudged,
)
from table_controller.rules.core.game import conclude, open_deal, play_deal
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import PondTile
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.simulation.bots import bot
from table_controller.store import Recorded, Store
from table_controller.table import Table
from table_controller.web.views import (
    Sight,
    Viewer,
    breach_view,
    deal_before,
    deal_view,
    game_view,
    is_in_play,
    row_and_column,
    table_view,
    visible,
)

PUBLIC = Sight()
STAFF = Sight(Viewer.STAFF)


def played(ruleset_name: str, seed: int, *, whole: bool = True):
    """A table where bots played a deal, with every tile in the log: the hardest to keep secret."""
    ruleset = find_ruleset(ruleset_name)
    options = ruleset.choose()
    rng = random.Random(seed)
    tiles = ruleset.tile_set(options).tiles()
    rng.shuffle(tiles)
    deal = open_deal(ruleset.play.first_deal(options), tiles, ruleset.play, options)
    table = Table.open(Store(":memory:"), ruleset, options, clock=lambda: 0.0)
    views = []
    for event in list(deal.history):
        table.append(event)
    for event in play_deal(deal, bot(rng)):
        table.append(event)
        views.append((table.state, deal_view(table, PUBLIC)))
    if whole:
        for event in conclude(table.state, table.history, ruleset.play, options):
            table.append(event)
    return table, views


@pytest.mark.parametrize("name", ["korean_japanese_3p", "riichi_4p", "mcr"])
@pytest.mark.parametrize("seed", range(3))
def test_no_view_of_a_deal_in_play_tells_a_concealed_tile(name, seed):
    _table, views = played(name, seed)
    in_play = [(state, view) for state, view in views if is_in_play(state)]
    assert in_play
    for state, view in in_play:
        assert view["settlement"] is None
        for holder, seat in zip(state.seats, view["seats"], strict=True):
            assert seat["shown"] is None
            assert seat["winning_tile"] is None
            assert [each["tile"] for each in seat["pond"]] == [str(d.tile) for d in holder.pond]
            assert set(seat) == {
                "wind", "points", "pond", "melds", "bonus", "ready", "ready_deposited",
                "dead_hand", "shown", "winning_tile",
            }  # fmt: skip
        assert "hand" not in json.dumps(view["seats"]).replace("dead_hand", "")


@pytest.mark.parametrize("viewer", Viewer)
def test_events_hide_hands_and_draws_from_everybody(viewer):
    table, _ = played("korean_japanese_3p", 1)
    for view in game_view(table.log, Sight(viewer), hidden_from=0):
        match view["event"]["kind"]:
            case "hand_dealt":
                assert set(view["event"]["tiles"]) == {None}
            case "drawn":
                assert view["event"]["tile"] is None
            case "discarded":
                assert view["event"]["as_drawn"] is None


def test_a_correction_hides_what_it_corrects():
    inner = HandDealt(seat=Seat.A, tiles=parse_tiles("123m"))
    seen = visible(Corrected(index=1, event=inner, reason=""), PUBLIC, in_play=True)
    assert isinstance(seen, Corrected)
    assert seen.event == HandDealt(seat=Seat.A, tiles=(None,) * 3)
    penalty = Penalised(seat=Seat.A, code="late")
    silent = Sight(announce="off")
    assert visible(Corrected(index=1, event=penalty, reason=""), silent, in_play=True) is None


@pytest.mark.parametrize(
    ("announce", "viewer", "told"),
    [
        ("off", Viewer.PUBLIC, False),
        ("off", Viewer.STAFF, False),
        ("referee", Viewer.PUBLIC, False),
        ("referee", Viewer.STAFF, True),
        ("public", Viewer.PUBLIC, True),
    ],
)
def test_who_hears_of_a_dead_hand_during_play_is_a_setting(announce, viewer, told):
    event = Penalised(seat=Seat.A, code="wrong_tile_count", dead_hand=True)
    sight = Sight(viewer, announce)
    assert (visible(event, sight, in_play=True) is not None) is told
    assert visible(event, sight, in_play=False) is not None
    ruleset = find_ruleset("korean_japanese_3p")
    table = Table.open(Store(":memory:"), ruleset, clock=lambda: 0.0)
    start = played("korean_japanese_3p", 1)[0].history[0]
    table.append(start)
    table.append(event)
    assert deal_view(table, sight)["seats"][0]["dead_hand"] is (True if told else None)


def test_questions_about_counts_are_for_the_staff_while_tiles_are_concealed():
    secret = Doubted(question="south holds 14 tiles", code="unexplained")
    open_question = Doubted(question="6p or 9p?", code="reading")
    assert visible(secret, PUBLIC, in_play=True) is None
    assert visible(secret, STAFF, in_play=True) is secret
    assert visible(secret, PUBLIC, in_play=False) is secret
    assert visible(open_question, PUBLIC, in_play=True) is open_question


def test_a_settled_deal_says_who_pays_whom_and_it_adds_up():
    table, _ = played("korean_japanese_3p", 3)
    view = table_view(table, PUBLIC)
    deal = view["deal"]
    assert deal["awaiting"] == "over"
    settlement = deal["settlement"]
    assert settlement["ended"]
    before = table.history[0].points
    after = [seat["points"] for seat in deal["seats"]]
    assert [b + d for b, d in zip(before, settlement["deltas"], strict=True)] == after
    pairs = [(t["from"], t["to"]) for t in settlement["transfers"]]
    assert len(pairs) == len(set(pairs))
    for transfer in settlement["transfers"]:
        assert transfer["points"] == sum(reason["points"] for reason in transfer["reasons"])
    wins = [each for each in deal["verdicts"] if each["kind"] == "win"]
    assert wins
    assert wins[0]["hand"]["winning_tile"] is not None
    assert wins[0]["answer"]["items"]


@pytest.mark.parametrize(
    ("lies_at", "where"),
    [(0, (1, 1)), (5, (1, 6)), (6, (2, 1)), (11, (2, 6)), (12, (3, 1)), (20, (3, 9))],
)
def test_rows_of_a_pond_are_six_long_and_the_last_one_grows(lies_at, where):
    assert row_and_column(lies_at) == where


def test_evidence_is_pointed_at_where_it_lies_after_calls():
    table, _ = played("korean_japanese_3p", 3)
    pond = tuple(
        PondTile(tile, called_by=Seat.B if place == 1 else None)
        for place, tile in enumerate(parse_tiles("1m 2m 3m 4m 5m 6m 7m 8m"))
    )
    state = table.state.with_seat(Seat.A, pond=pond)
    proofs = tuple(Evidence(Seat.A, place, pond[place - 1].tile) for place in (1, 2, 3, 8))
    breach = Violation(code="furiten", seat=Seat.A, text="", evidence=proofs)
    seen = breach_view(breach, state)["evidence"]
    assert [(each["row"], each["column"], each["called_by"]) for each in seen] == [
        (1, 1, None),
        (None, None, 1),
        (1, 2, None),
        (2, 1, None),
    ]


def test_points_differences_are_told_from_a_seat():
    table, _ = played("korean_japanese_3p", 3)
    view = table_view(table, PUBLIC, seat=Seat.B)
    own = table.points[1]
    assert view["seat"] == {"seat": 1, "differences": [p - own for p in table.points]}


def test_the_screen_names_the_dora_of_its_indicators():
    table, _ = played("riichi_4p", 1)
    view = deal_view(table, PUBLIC)
    expected = [table.ruleset.dora_of(t, table.options) for t in table.state.indicators]
    assert view["dora"] == [str(tile) for tile in expected]
    assert deal_view(played("mcr", 1)[0], PUBLIC)["dora"] == []


def test_how_the_deal_before_ended_stays_in_sight():
    table, _ = played("korean_japanese_3p", 3)
    assert deal_before(table) is None
    claim = table.state.claims[0]
    judged = next(e for e in table.history if isinstance(e, WinJudged))
    table.append(replace(table.history[0], dealer=Seat.B, points=table.points))
    before = deal_before(table)
    assert (before["round_wind"], before["dealer"]) == ("E", 0)
    assert before["ended"] == [
        {
            "kind": "win",
            "valid": True,
            "wind": "ESW"[claim.seat],
            "from": None if claim.source is None else "ESW"[claim.source],
            "points": judged.answer.deltas[claim.seat],
            "codes": [],
        }
    ]
    assert table_view(table, PUBLIC)["before"] == before


def test_the_end_of_the_game_is_shown():
    table, _ = played("korean_japanese_3p", 3)
    table.append(GameEnded(points=(1, 2, 3), placements=(3, 2, 1), final=(0.5, 0.0, -0.5)))
    assert table_view(table, PUBLIC)["final"] == {
        "points": [1, 2, 3],
        "placements": [3, 2, 1],
        "scores": [0.5, 0.0, -0.5],
    }


def test_a_staff_penalty_is_told_among_the_verdicts_when_the_deal_is_over():
    table, _ = played("korean_japanese_3p", 3, whole=False)
    table.append(
        Penalised(seat=Seat.A, code="late", payments=(Payment(Seat.A, None, 10, "penalty"),))
    )
    kinds = [each["kind"] for each in deal_view(table, PUBLIC)["verdicts"]]
    assert kinds == ["penalty"]
    for event in conclude(table.state, table.history, table.ruleset.play, table.options):
        table.append(event)
    assert isinstance(table.records[-1].event, DealEnded)
    kinds = [each["kind"] for each in deal_view(table, PUBLIC)["verdicts"]]
    assert "win" in kinds or "draw" in kinds
    assert "penalty" in kinds


def test_only_a_deal_in_play_is_hidden_in_the_records_of_a_game():
    records = [
        Recorded(0, 0.0, Penalised(seat=Seat.A, code="late")),
        Recorded(1, 0.0, Penalised(seat=Seat.B, code="late")),
        Recorded(2, 0.0, Drawn(seat=Seat.A)),
        Recorded(3, 0.0, Discarded(seat=Seat.A, tile=Tile.parse("1m"))),
    ]
    seen = game_view(records, Sight(announce="off"), hidden_from=1)
    assert [each["number"] for each in seen] == [0, 2, 3]


def test_a_win_is_shown_with_hand_and_source():
    table, _ = played("riichi_4p", 1)
    judged = [e for e in table.history if isinstance(e, WinJudged)]
    shown = [each for each in deal_view(table, PUBLIC)["verdicts"] if each["kind"] == "win"]
    assert len(shown) == len(judged)


def after_a_seat_change():
    """An MCR table in its second round, when East and South, and West and North, sat down anew."""
    ruleset = find_ruleset("mcr")
    table = Table.open(Store(":memory:"), ruleset, names=("Ann", "Bo", "Cy", "Di"))
    start = ruleset.play.first_deal(table.options)
    table.append(
        DealBegan(
            number=4,
            dealer=Seat.A,
            round_wind=Wind.SOUTH,
            points=(10, -20, 30, -20),
            wall_left=83,
            seating=(1, 0, 3, 2),
        )
    )
    assert start.seating == (0, 1, 2, 3)
    return table


def test_names_move_with_the_players_who_change_seats():
    table = after_a_seat_change()
    view = table_view(table, PUBLIC)
    assert view["names"] == ["Bo", "Ann", "Di", "Cy"]
    assert view["points"] == [10, -20, 30, -20]


def test_the_final_ranking_stands_by_where_the_players_sit():
    table = after_a_seat_change()
    # Ann has -20 and sits at B, Bo 10 at A, Cy -20 at D, Di 30 at C; ranked by player.
    table.append(
        GameEnded(points=(10, -20, 30, -20), placements=(3, 2, 3, 1), final=(0.5, 2.0, 0.5, 4.0))
    )
    final = table_view(table, PUBLIC)["final"]
    assert final["placements"] == [2, 3, 1, 3]
    assert final["scores"] == [2.0, 0.5, 4.0, 0.5]


@pytest.mark.parametrize(
    ("name", "stick"), [("riichi_4p", 1000), ("japanese_3p", 1000), ("mcr", 0)]
)
def test_a_stick_is_worth_what_the_rules_in_play_say(name, stick):
    ruleset = find_ruleset(name)
    table = Table.open(Store(":memory:"), ruleset)
    assert table_view(table, PUBLIC)["ruleset"]["deposit"] == stick
