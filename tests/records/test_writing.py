"""Games written for other tools: what was written is read back and settled the same."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from table_controller.option_text import changed_options
from table_controller.records import RecordedGame, RecordError, parse_games
from table_controller.records.writing import ExportFormat, export
from table_controller.replay import RULESETS, options_of, replay
from table_controller.rules.core.events import (
    DealBegan,
    DealEnded,
    DiceRolled,
    Discarded,
    DrawDeclared,
    DrawSettled,
    GameBegan,
    GameEvent,
    HandDealt,
    ReadyAccepted,
    hide,
)
from table_controller.rules.core.game import conclude
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import apply, begin
from table_controller.rules.riichi.options import AbortiveDraw
from tests.records.games import games_of, log_files


def whole_log(game: RecordedGame) -> list[GameEvent]:
    """The game as our own log: what happened, and our verdicts."""
    play, options = RULESETS[game.ruleset].play, options_of(game)
    assert play is not None
    changes = changed_options(RULESETS[game.ruleset], game.preset, options)
    events: list[GameEvent] = [
        GameBegan(ruleset=game.ruleset, preset=game.preset, options=changes, names=game.names)
    ]
    for deal in game.deals:
        if not deal.is_finished:
            continue
        state = begin(deal.began, len(deal.began.points))
        for event in deal.events[1:]:
            state = apply(state, event)
        events += [*deal.events, *conclude(state, deal.events, play, options)]
    return events


def played(game: RecordedGame) -> list[list[GameEvent]]:
    """What people did, deal by deal: dice and the moment of the stick are not in every format."""
    return [
        [
            event
            for event in deal.events
            if isinstance(event, HandDealt | Discarded) or "Meld" in type(event).__name__
        ]
        for deal in game.deals
        if deal.is_finished
    ]


def games() -> list[RecordedGame]:
    files = log_files("tenhou_pantheon", "tenhou_mahjonglm", "tenhou6_mjai_reviewer")
    return [game for path in files[::3] for game in games_of(path)][:8]


@pytest.mark.parametrize("form", [ExportFormat.TENHOU, ExportFormat.MJAI, ExportFormat.JSON])
def test_a_game_written_and_read_again_is_the_same_game(form):
    tried = 0
    for game in games():
        text = export(whole_log(game), form)
        (back,) = parse_games(text, f"{game.name} as {form}")
        assert back.ruleset == game.ruleset
        assert [d.began.points for d in back.deals] == [
            d.began.points for d in game.deals if d.is_finished
        ]
        for ours, theirs in zip(played(back), played(game), strict=True):
            # Tenhou's JSON sorts the hands it deals.
            assert [_sorted(event) for event in ours] == [_sorted(event) for event in theirs]
        for result in replay(back):
            wrong = [d for d in result.differences if "game" not in d and "final" not in d]
            assert wrong == [], (game.name, result.deal)
            tried += 1
    assert tried > 20


def _sorted(event: GameEvent) -> object:
    if isinstance(event, HandDealt):
        return (event.seat, sorted(str(tile) for tile in event.tiles))
    if isinstance(event, Discarded):
        return (event.seat, event.tile, event.turned)
    meld = getattr(event, "meld", None)
    return (type(event), meld and (meld.kind, sorted(meld.tiles), meld.source))


def test_unknown_tiles_are_question_marks_in_mjai_and_refused_by_tenhou():
    game = games()[0]
    events = [hide(event) for event in whole_log(game)]
    lines = [json.loads(line) for line in export(events, ExportFormat.MJAI).splitlines()]
    start = next(line for line in lines if line["type"] == "start_kyoku")
    assert start["tehais"] == [["?"] * 13] * 4
    assert {line["pai"] for line in lines if line["type"] == "tsumo"} == {"?"}
    with pytest.raises(RecordError, match="tiles that nobody saw"):
        export(events, ExportFormat.TENHOU)
    (back,) = parse_games(export(events, ExportFormat.JSON), "hidden")
    assert all(deal.wall is None for deal in back.deals)


@pytest.mark.parametrize("form", [ExportFormat.MJAI, ExportFormat.JSON])
def test_a_game_of_a_real_table_is_settled_again_by_the_hands_that_were_shown(form):
    ended = 0
    for game in games():
        events = [hide(event) for event in whole_log(game)]
        (back,) = parse_games(export(events, form), f"{game.name} as {form}")
        assert options_of(back) == options_of(game)
        for result in replay(back):
            wrong = [d for d in result.differences if "game" not in d and "final" not in d]
            assert wrong == [], (game.name, result.deal)
            ended += not result.unfinished
    assert ended > 20


@pytest.mark.parametrize("form", [ExportFormat.MJAI, ExportFormat.JSON])
@pytest.mark.parametrize("draws", [(), ("suukaikan",)])
def test_a_list_with_one_entry_or_none_among_the_options_comes_back(form, draws):
    """A game by EMA rules, without abortive draws, could not be replayed from the table's log."""
    chosen = tuple(AbortiveDraw(draw) for draw in draws)
    game = replace(games()[0], options={**games()[0].options, "abortive_draws": chosen})
    (back,) = parse_games(export(whole_log(game), form), "draws")
    assert options_of(back).abortive_draws == chosen


def test_a_result_that_hangs_on_a_hand_nobody_saw_is_not_judged():
    """As in mjai logs of one seat's view: other winners' hands stay question marks."""
    events = [hide(event) for event in whole_log(games()[0])]
    lines = [json.loads(line) for line in export(events, ExportFormat.MJAI).splitlines()]
    for line in lines:
        line.pop("hora_tehais", None)
        line.pop("tehais" if line["type"] == "ryukyoku" else "", None)
    (back,) = parse_games("\n".join(map(json.dumps, lines)), "unseen.mjson")
    results = list(replay(back))
    assert all(result.unfinished and result.equal for result in results), results


def test_a_game_in_its_first_deal_is_no_empty_file():
    events = whole_log(games()[0])
    with pytest.raises(RecordError, match="no deal of this game has begun yet"):
        export(events[:2], ExportFormat.MJAI)
    with pytest.raises(RecordError, match="no deal of this game is settled yet"):
        export(events[:20], ExportFormat.TENHOU)
    assert "start_kyoku" in export(events[:20], ExportFormat.MJAI)


def test_a_table_that_was_switched_off_between_two_deals_can_be_replayed():
    game = games()[0]
    began = whole_log(game)[0]
    (back,) = parse_games(export([began], ExportFormat.JSON), "killed.json")
    assert list(replay(back)) == []


def test_a_dealer_who_takes_fourteen_tiles_draws_the_last_one_in_mjai():
    game = games()[0]
    deal = game.deals[0]
    events: list[GameEvent] = [GameBegan(ruleset="riichi_4p", preset="tenhou")]
    drawn = next(event for event in deal.events if type(event).__name__ == "Drawn")
    for event in deal.events:
        if event is drawn:
            continue
        if isinstance(event, DealBegan):
            event = DealBegan(
                number=0,
                dealer=event.dealer,
                round_wind=event.round_wind,
                points=event.points,
                wall_left=69,
            )
        if isinstance(event, HandDealt) and event.seat is deal.began.dealer:
            event = HandDealt(seat=event.seat, tiles=(*event.tiles, drawn.tile))  # type: ignore[union-attr]
        if not isinstance(event, DiceRolled | ReadyAccepted):
            events.append(event)
    lines = [json.loads(line) for line in export(events[:12], ExportFormat.MJAI).splitlines()]
    assert lines[1]["type"] == "start_kyoku"
    assert all(len(hand) == 13 for hand in lines[1]["tehais"])
    assert lines[2]["type"] == "tsumo"


def test_csv_has_a_line_for_every_result_and_its_changes_add_up():
    game = next(game for game in games() if any(deal.wins for deal in game.deals))
    rows = list(csv.DictReader(io.StringIO(export(whole_log(game), ExportFormat.CSV))))
    results = sum(max(1, len(deal.wins)) for deal in game.deals if deal.is_finished)
    assert len(rows) == results
    for row in rows:
        change = [int(value) for name, value in row.items() if name.startswith("change ")]
        assert sum(change) % 1000 == 0
        assert 0 <= sum(change) <= 4000
    first = next(row for row in rows if row["result"] == "win")
    assert first["hand"]
    assert "han" in first["value"] or "yakuman" in first["value"]


def test_csv_points_stay_with_the_players_who_change_seats():
    events: list[GameEvent] = [GameBegan(ruleset="mcr", names=("Ann", "Bo", "Cy", "Di"))]
    for number, wind, seating in ((0, Wind.EAST, (0, 1, 2, 3)), (4, Wind.SOUTH, (1, 0, 3, 2))):
        events += [
            DealBegan(
                number=number,
                round_wind=wind,
                seating=seating,
                dealer=Seat.A,
                wall_left=83,
                points=(0, 0, 0, 0),
            ),
            DrawDeclared(reason="exhaustive"),
            DrawSettled(reason="exhaustive", payments=(Payment(Seat.A, Seat.C, 10, "penalty"),)),
            DealEnded(points=(-10, 0, 10, 0)),
        ]
    rows = list(csv.DictReader(io.StringIO(export(events, ExportFormat.CSV))))
    change = [[row[f"change {name}"] for name in ("Ann", "Bo", "Cy", "Di")] for row in rows]
    assert change == [["-10", "0", "10", "0"], ["0", "-10", "0", "10"]]
    assert [row["points Bo"] for row in rows] == ["0", "-10"]


def test_games_other_than_riichi_are_refused_where_the_format_has_no_place_for_them():
    events: list[GameEvent] = [GameBegan(ruleset="mcr")]
    for form in (ExportFormat.MJAI, ExportFormat.TENHOU):
        with pytest.raises(RecordError, match="riichi games only, not mcr"):
            export(events, form)
    assert json.loads(export(events, ExportFormat.JSON))["events"][0]["ruleset"] == "mcr"
