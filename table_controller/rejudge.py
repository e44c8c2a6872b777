"""What a correction does to everything after it.

Verdicts, payments and points in the log rest on what happened before them. When the staff voids or
corrects a fact, `rejudge` walks the rest of the game with the corrected facts, judges every claim
anew and carries the points on. It gives back only more corrections: the log itself stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from table_controller.rules.core.conduct import Conduct
from table_controller.rules.core.errors import ImpossibleEventError
from table_controller.rules.core.events import (
    Corrected,
    DealBegan,
    DealEnded,
    DrawSettled,
    GameEnded,
    GameEvent,
    Paid,
    Penalised,
    Voided,
    WinJudged,
)
from table_controller.rules.core.game import DealStart, Play, conclude
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState, apply, begin
from table_controller.store import Recorded, effective

JUDGED_AGAIN = "judged again"


def rejudge(
    log: Sequence[Recorded],
    changes: Sequence[GameEvent],
    number: int,
    play: Play,
    options: Any,
    at: float,
    conduct: Conduct | None = None,
) -> list[GameEvent]:
    """The corrections that follow from changing event ``number``, to be written after ``changes``.

    Raises ImpossibleEventError when the changed facts contradict what came after them, or when a
    past deal would now need a verdict it has no place for.
    """
    planned = [Recorded(len(log) + i, at, event) for i, event in enumerate(changes)]
    everything = [*log, *planned]
    by_hand = {number}
    for record in log:
        if isinstance(record.event, Corrected) and record.event.reason != JUDGED_AGAIN:
            by_hand.add(record.event.index)
    return _Walk(effective(everything), by_hand, play, options, conduct).corrections(number)


class _Walk:
    """One pass over the effective records, with what was and what now follows side by side."""

    def __init__(
        self,
        records: Sequence[Recorded],
        by_hand: set[int],
        play: Play,
        options: Any,
        conduct: Conduct | None,
    ) -> None:
        self.records = records
        self.by_hand = by_hand
        self.play = play
        self.options = options
        self.conduct = conduct
        self.cause: tuple[DealState, GameEvent] | None = None  # what a penalty may be for
        self.out: list[GameEvent] = []
        self.state: DealState | None = None
        self.history: list[GameEvent] = []
        self.start: DealBegan | None = None
        self.was: DealEnded | None = None  # how the deal before ended in the log
        self.now: DealEnded | None = None  # and how it ends now

    def corrections(self, number: int) -> list[GameEvent]:
        place = 0
        while place < len(self.records):
            record = self.records[place]
            block = _block(self.records, place)
            if block and block[-1].number >= number:
                self._judge(block, is_last=place + len(block) == len(self.records))
                place += len(block)
                continue
            self._take(record, is_after=record.number > number)
            place += 1
        return self.out

    def _take(self, record: Recorded, *, is_after: bool) -> None:
        event = record.event
        match event:
            case DealBegan():
                event = self._carried(record, event)
                self.state, self.history, self.start = begin(event, len(event.points)), [], event
            case GameEnded():
                self._end(record, event)
            case Paid() if is_after and record.number not in self.by_hand and self.history:
                self._pay(record, event)
                return
            case Penalised(seen=True) if is_after and record.number not in self.by_hand:
                self._fine(record, event)
                return
            case DealEnded():
                self.was = self.now = event
                self._apply(record.number, event)
                return
            case _:
                self._apply(record.number, event)
                return
        self.history.append(event)

    def _apply(self, number: int, event: GameEvent) -> None:
        self.history.append(event)
        if self.state is None:
            return
        if not isinstance(event, Penalised):
            self.cause = self.state, event
        try:
            self.state = apply(self.state, event)
        except ImpossibleEventError as error:
            raise ImpossibleEventError(f"event {number} ({event.kind}): {error}") from error

    def _replace(self, record: Recorded, event: GameEvent) -> None:
        if event != record.event:
            self.out.append(Corrected(index=record.number, event=event, reason=JUDGED_AGAIN))

    def _carried(self, record: Recorded, event: DealBegan) -> DealBegan:
        """The beginning of a deal with the points that the deal before now ends with."""
        if self.was is None or self.now is None or record.number in self.by_hand:
            return event
        before = self.start.seating if self.start is not None else ()
        carried = replace(
            event,
            points=_shifted(
                event.points,
                _reseated(self.was.points, before, event.seating),
                _reseated(self.now.points, before, event.seating),
            ),
            deposits=event.deposits + self.now.deposits - self.was.deposits,
            goulash=event.goulash + self.now.goulash - self.was.goulash,
        )
        self._replace(record, carried)
        return carried

    def _end(self, record: Recorded, event: GameEnded) -> None:
        if self.was is None or self.now is None or self.start is None or self.was == self.now:
            return
        points = _shifted(event.points, self.was.points, self.now.points)
        start = DealStart.of(self.start)
        final = self.play.final(start, points, self.options)
        self._replace(
            record, GameEnded(points=points, placements=final.placements, final=final.scores)
        )

    def _pay(self, record: Recorded, event: Paid) -> None:
        """An instant payment is owed for the event before it, or is no longer."""
        assert self.state is not None
        owed: tuple[Payment, ...] = self.play.instant_payments(
            self.state, self.history[-1], self.options
        )
        if not owed:
            self.out.append(Voided(index=record.number, reason=JUDGED_AGAIN))
            return
        self._replace(record, Paid(payments=owed))
        self._apply(record.number, Paid(payments=owed))

    def _fine(self, record: Recorded, event: Penalised) -> None:
        """What the table saw to be wrong still is, or is not."""
        found = (
            self.conduct.breaches(*self.cause, self.options) if self.conduct and self.cause else ()
        )
        for breach in found:
            if (breach.seat, breach.code) == (event.seat, event.code):
                now = replace(
                    event, payments=breach.penalty, text=breach.text, evidence=breach.evidence
                )
                self._replace(record, now)
                self._apply(record.number, now)
                return
        self.out.append(Voided(index=record.number, reason=JUDGED_AGAIN))

    def _judge(self, block: Sequence[Recorded], *, is_last: bool) -> None:
        """The referee's part of a deal: as now follows, in the places where it stood."""
        assert self.state is not None
        if any(record.number in self.by_hand for record in block):
            verdicts = self._kept(block)
        else:
            verdicts = conclude(self.state, self.history, self.play, self.options)
        was = next((r.event for r in block if isinstance(r.event, DealEnded)), None)
        now = next((e for e in verdicts if isinstance(e, DealEnded)), None)
        if not is_last and (len(verdicts) > len(block) or (was is None) != (now is None)):
            raise ImpossibleEventError(
                f"event {block[0].number} ({block[0].event.kind}) would be judged otherwise, but "
                "play has gone on: penalise or pay by hand, or void what came after it too"
            )
        for record, event in zip(block, verdicts, strict=False):
            self._replace(record, event)
        self.out.extend(
            Voided(index=record.number, reason=JUDGED_AGAIN) for record in block[len(verdicts) :]
        )
        self.out.extend(verdicts[len(block) :])
        for event in verdicts:
            self._apply(block[0].number, event)
        if isinstance(was, DealEnded) and now is not None:
            self.was, self.now = was, now

    def _kept(self, block: Sequence[Recorded]) -> list[GameEvent]:
        """A verdict that the staff put right by hand stands; only the final points follow."""
        assert self.state is not None
        kept: list[GameEvent] = []
        state = self.state
        for record in block:
            event = record.event
            if isinstance(event, DealEnded):
                event = replace(event, points=state.points)
            kept.append(event)
            state = apply(state, event)
        return kept


def _block(records: Sequence[Recorded], place: int) -> Sequence[Recorded]:
    """The run of the referee's events that starts here; a penalty counts after a refusal."""
    end = place
    refused = None
    while end < len(records):
        match records[end].event:
            case WinJudged(seat=seat, answer=answer):
                refused = None if answer.valid else seat
            case Penalised(seat=seat) if refused is seat:
                refused = None
            case DrawSettled() | DealEnded():
                pass
            case _:
                break
        end += 1
    return records[place:end]


def _shifted(
    points: tuple[int, ...], was: tuple[int, ...], now: tuple[int, ...]
) -> tuple[int, ...]:
    return tuple(p + n - w for p, w, n in zip(points, was, now, strict=True))


def _reseated(
    points: tuple[int, ...], before: tuple[int, ...], after: tuple[int, ...]
) -> tuple[int, ...]:
    """The points by seat once the players changed seats; empty where nobody ever does."""
    if before == after or not (before and after):
        return points
    of_player = dict(zip(before, points, strict=True))
    return tuple(of_player[player] for player in after)
