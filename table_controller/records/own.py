"""Reads games that were exported as our own JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from table_controller.codec import CodecError, event_from_json
from table_controller.option_text import read_changes
from table_controller.records.game import (
    RecordedDeal,
    RecordedDraw,
    RecordedGame,
    RecordedWin,
    RecordedYaku,
    RecordError,
    place_of,
)
from table_controller.records.walls import rebuild_wall
from table_controller.rules.core.case import Answer
from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.events import (
    DealBegan,
    DealEnded,
    DrawSettled,
    GameBegan,
    GameEnded,
    GameEvent,
    HandShown,
    IndicatorShown,
    Penalised,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.seats import Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.riichi import RIICHI_3P, RIICHI_4P

_VERDICTS = (WinJudged, DrawSettled, Penalised, DealEnded, GameEnded)


def read_own(data: Mapping[str, Any], name: str) -> RecordedGame:
    """The game of one document."""
    try:
        events = [
            event_from_json(one, f"event {number}") for number, one in enumerate(data["events"])
        ]
    except CodecError as error:
        raise RecordError(f"{name}: {error}") from None
    began = next((event for event in events if isinstance(event, GameBegan)), None)
    if began is None or began.ruleset not in (RIICHI_4P.name, RIICHI_3P.name):
        found = "no game at all" if began is None else began.ruleset
        raise RecordError(f"{name}: replays need a riichi game; this is {found}")
    ruleset = RIICHI_4P if began.ruleset == RIICHI_4P.name else RIICHI_3P
    try:
        options = read_changes(ruleset, began.options)
    except OptionError as error:
        raise RecordError(f"{name}: {error}") from None
    ended = next((event for event in events if isinstance(event, GameEnded)), None)
    starts = [place for place, event in enumerate(events) if isinstance(event, DealBegan)]
    deals = [_deal(events[start:end]) for start, end in pairwise([*starts, len(events)])]
    return RecordedGame(
        name=name,
        format="own",
        ruleset=began.ruleset,
        preset=began.preset or ("novosibirsk" if began.ruleset == RIICHI_4P.name else "tenhou"),
        options=options,
        names=began.names,
        deals=tuple(deals),
        final_points=ended.points if ended else None,
        final_scores=ended.final if ended and ended.final else None,
        is_complete=ended is not None,
    )


def _deal(events: Sequence[GameEvent]) -> RecordedDeal:
    began = events[0]
    assert isinstance(began, DealBegan)
    played = tuple(event for event in events if not isinstance(event, _VERDICTS))
    shown = {event.seat: event for event in events if isinstance(event, HandShown)}
    claims = {event.seat: event for event in events if isinstance(event, WinClaimed)}
    under = tuple(e.tile for e in events if isinstance(e, IndicatorShown) and e.under)
    wins = [
        _win(claims[event.seat], shown[event.seat], event.answer, under)
        for event in events
        if isinstance(event, WinJudged) and event.answer.valid
    ]
    drawn = next((event for event in events if isinstance(event, DrawSettled)), None)
    draw = None
    if drawn is not None:
        hands = {seat: event.tiles for seat, event in shown.items()}
        change = totals(drawn.payments, len(began.points))
        draw = RecordedDraw(reason=drawn.reason, shown=hands, deltas=change)
    ended = next((event for event in events if isinstance(event, DealEnded)), None)
    return RecordedDeal(
        began=began,
        events=played,
        wins=tuple(wins),
        draw=draw,
        points_after=ended.points if ended else None,
        wall=rebuild_wall(played, len(began.points)),
        place=place_of(list(Wind).index(began.round_wind), began.dealer, began.counters),
    )


def _win(
    claim: WinClaimed, shown: HandShown, answer: Answer, under: tuple[Any, ...]
) -> RecordedWin:
    yaku = tuple(
        RecordedYaku(id=item.id, han=None if item.unit == "yakuman" else item.value)
        for item in answer.items
        if item.unit in ("han", "yakuman")
    )
    return RecordedWin(
        winner=claim.seat,
        source=claim.source,
        winning_tile=claim.tile or shown.winning_tile,
        hand=shown.tiles,
        han=answer.totals.get("han"),
        fu=answer.totals.get("fu"),
        yakuman=answer.totals.get("yakuman"),
        yaku=yaku,
        ura=under,
        deltas=answer.deltas,
    )
