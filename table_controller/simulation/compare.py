"""Holds what the table settled against what a record says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from table_controller.records import RecordedDeal
from table_controller.rules.core.events import (
    DealEnded,
    Doubted,
    DrawSettled,
    GameEvent,
    WinJudged,
)
from table_controller.rules.core.settlement import totals


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One deal: equal to the record, or flagged for a person, or wrong in silence."""

    game: str
    deal: str
    differences: tuple[str, ...]
    doubts: tuple[str, ...]
    asked: int = 0  # questions, with those that a later look answered
    unfinished: bool = False  # the record breaks off: nothing to compare

    @property
    def equal(self) -> bool:
        """Every winner, total and payment is the record's."""
        return not self.differences

    @property
    def flagged(self) -> bool:
        """The table asked a person about something in this deal."""
        return bool(self.doubts)

    @property
    def wrong(self) -> bool:
        """Different, and nobody was asked."""
        return not self.equal and not self.flagged


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Many deals added up."""

    games: int
    deals: int
    equal: int
    flagged: int
    wrong: int


def summary(found: Sequence[Comparison]) -> Summary:
    """The counts over these deals, those that the record breaks off left out."""
    found = [each for each in found if not each.unfinished]
    return Summary(
        games=len({each.game for each in found}),
        deals=len(found),
        equal=sum(each.equal for each in found),
        flagged=sum(each.flagged for each in found),
        wrong=sum(each.wrong for each in found),
    )


def compare(
    game: str, history: Sequence[GameEvent], recorded: RecordedDeal, *, asked: int = 0
) -> Comparison:
    """What the table logged in a deal against the record of it."""
    unfinished = not recorded.wins and recorded.draw is None
    return Comparison(
        game=game,
        deal=recorded.place,
        unfinished=unfinished,
        differences=() if unfinished else tuple(_differences(history, recorded)),
        doubts=tuple(event.question for event in history if isinstance(event, Doubted)),
        asked=asked,
    )


def _differences(history: Sequence[GameEvent], recorded: RecordedDeal) -> list[str]:
    ended = next((event for event in history if isinstance(event, DealEnded)), None)
    if ended is None:
        return ["the table did not settle the deal"]
    found: list[str] = []
    judged = {event.seat: event.answer for event in history if isinstance(event, WinJudged)}
    for win in recorded.wins:
        answer = judged.pop(win.winner, None)
        if answer is None:
            found.append(f"seat {int(win.winner)} won in the record, not here")
            continue
        if not answer.valid:
            codes = ", ".join(breach.code for breach in answer.violations)
            found.append(f"the win of seat {int(win.winner)} was refused: {codes}")
            continue
        for key, expected in (("han", win.han), ("fu", win.fu)):
            have = answer.totals.get(key)
            is_limit = key == "fu" and (win.han or 0) >= 5
            if expected is not None and have is not None and have != expected and not is_limit:
                found.append(f"seat {int(win.winner)}: {key} {have}, the record has {expected}")
        if win.deltas is not None and answer.deltas != win.deltas:
            found.append(
                f"seat {int(win.winner)}: payments {answer.deltas}, the record has {win.deltas}"
            )
    found.extend(f"seat {int(seat)} won here, not in the record" for seat in judged)
    drawn = next((event for event in history if isinstance(event, DrawSettled)), None)
    if recorded.draw is not None:
        if drawn is None:
            found.append(f"a draw in the record: {recorded.draw.reason}")
        elif recorded.draw.deltas is not None:
            paid = totals(drawn.payments, len(ended.points))
            if paid != recorded.draw.deltas:
                found.append(f"draw: payments {paid}, the record has {recorded.draw.deltas}")
    elif drawn is not None:
        found.append(f"a draw here, not in the record: {drawn.reason}")
    if recorded.points_after is not None and ended.points != recorded.points_after:
        found.append(f"points {ended.points}, the record has {recorded.points_after}")
    return found


def compare_with_truth(
    game: str, deal: str, told: Sequence[GameEvent], truth: Sequence[GameEvent]
) -> Comparison:
    """What the table settled against what it would have settled knowing every tile."""
    found: list[str] = []
    for kind in (WinJudged, DrawSettled, DealEnded):
        have = [event for event in told if isinstance(event, kind)]
        expected = [event for event in truth if isinstance(event, kind)]
        if [_settled(event) for event in have] != [_settled(event) for event in expected]:
            found.append(f"{kind.kind}: {have or 'nothing'}, in truth {expected or 'nothing'}")
    doubts = tuple(event.question for event in told if isinstance(event, Doubted))
    return Comparison(game=game, deal=deal, differences=tuple(found), doubts=doubts)


def _settled(event: WinJudged | DrawSettled | DealEnded) -> object:
    match event:
        case WinJudged(seat=seat, answer=answer):
            return seat, answer.valid, dict(answer.totals), answer.deltas
        case DrawSettled(reason=reason, waiting=waiting, payments=payments):
            return reason, sorted(waiting), totals(payments)
        case DealEnded(points=points, deposits=deposits, goulash=goulash):
            return points, deposits, goulash
