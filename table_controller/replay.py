"""Replays recorded games by the rules alone and compares every verdict with the record.

Each deal is folded event by event; every step is checked against the rules, the claims and draws
are judged by the same referee that serves the table, and what the record says came of it (yaku,
han, fu, payments, points, the next deal, the final placement) is compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from table_controller.records.game import RecordedDeal, RecordedGame, RecordedWin
from table_controller.rules.core.case import Answer
from table_controller.rules.core.errors import RulesError
from table_controller.rules.core.events import (
    DealBegan,
    DrawSettled,
    GameEvent,
    MeldCalled,
    WinJudged,
)
from table_controller.rules.core.game import DealOutcome, DealStart, conclude, outcome
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import DealState, apply, begin
from table_controller.rules.riichi import RIICHI_3P, RIICHI_4P
from table_controller.rules.riichi.conduct import fifth_tiles

RULESETS: dict[str, Ruleset[Any]] = {one.name: one for one in (RIICHI_4P, RIICHI_3P)}


@dataclass(frozen=True, slots=True, kw_only=True)
class DealResult:
    """One deal replayed: equal to its record, or what differs, in sentences."""

    game: str
    deal: str
    differences: tuple[str, ...] = ()
    flagged: bool = False  # a person was asked; never by the rules alone
    unfinished: bool = False  # the record breaks off: nothing to compare
    met: tuple[str, ...] = ()  # what kinds of ending and calls occurred

    @property
    def equal(self) -> bool:
        """Nothing differs."""
        return not self.differences

    def as_json(self) -> dict[str, Any]:
        """As `mahjong-table replay --json` prints it."""
        return {
            "game": self.game,
            "deal": self.deal,
            "equal": self.equal,
            "flagged": self.flagged,
            "differences": list(self.differences),
        } | ({"unfinished": True} if self.unfinished else {})


@dataclass
class Summary:
    """Counts over all deals replayed."""

    games: int = 0
    deals: int = 0
    equal: int = 0
    flagged: int = 0
    wrong: int = 0
    unfinished: int = 0
    met: Counter[str] = field(default_factory=Counter)

    def add(self, result: DealResult) -> None:
        """One deal more."""
        self.deals += 1
        self.unfinished += result.unfinished
        self.flagged += result.flagged
        if result.equal:
            self.equal += 1
        elif not result.flagged:
            self.wrong += 1
        self.met.update(result.met)

    def as_json(self) -> dict[str, Any]:
        """As `mahjong-table replay --json` prints it last, under ``summary``."""
        return {
            "games": self.games,
            "deals": self.deals,
            "equal": self.equal,
            "flagged": self.flagged,
            "wrong": self.wrong,
            "unfinished": self.unfinished,
            "met": dict(sorted(self.met.items())),
        }

    def __str__(self) -> str:
        met = ", ".join(f"{name} {number}" for name, number in sorted(self.met.items()))
        counts = (
            f"{self.games} games, {self.deals} deals: {self.equal} equal, {self.flagged} flagged, "
            f"{self.wrong} wrong, {self.unfinished} unfinished"
        )
        return f"{counts}\nmet: {met}" if met else counts


def options_of(game: RecordedGame) -> Any:
    """The options by which the game was played."""
    return RULESETS[game.ruleset].choose(game.preset, **game.options)


def replay(game: RecordedGame) -> Iterator[DealResult]:
    """Every deal of the game, compared with its record."""
    options = options_of(game)
    for index, deal in enumerate(game.deals):
        following = game.deals[index + 1] if index + 1 < len(game.deals) else None
        yield _Deal(game, deal, options).compare(following, is_last=following is None)


class _Deal:
    """One deal being replayed."""

    def __init__(self, game: RecordedGame, deal: RecordedDeal, options: Any) -> None:
        self.game, self.deal, self.options = game, deal, options
        ruleset = RULESETS[game.ruleset]
        assert ruleset.play is not None
        assert ruleset.conduct is not None
        self.play, self.conduct = ruleset.play, ruleset.conduct
        self.players = len(deal.began.points)
        self.differences: list[str] = []
        self.met: list[str] = []

    def compare(self, following: RecordedDeal | None, *, is_last: bool) -> DealResult:
        """The deal's result; ``following`` is the next deal of the record."""
        unfinished = not self.deal.is_finished
        try:
            state = self._fold()
            if not unfinished:
                verdicts = conclude(state, self.deal.events, self.play, self.options)
                self._settlement(state, verdicts)
                self._continuation(state, verdicts, following, is_last=is_last)
        except RulesError as error:
            self.differences.append(str(error))
        return DealResult(
            game=self.game.name,
            deal=self.deal.place,
            differences=tuple(self.differences),
            unfinished=unfinished,
            met=tuple(self.met),
        )

    def _fold(self) -> DealState:
        state = begin(self.deal.began, self.players)
        for event in self.deal.events[1:]:
            for breach in self.conduct.breaches(state, event, self.options):
                self.differences.append(f"{breach.code}: {breach.text}")
            if isinstance(event, MeldCalled):
                self.met.append(event.meld.kind.value)
            state = apply(state, event)
        for breach in fifth_tiles(state, self.options):
            self.differences.append(f"{breach.code}: {breach.text}")
        return state

    def _settlement(self, state: DealState, verdicts: Sequence[GameEvent]) -> None:
        judged = {event.seat: event.answer for event in verdicts if isinstance(event, WinJudged)}
        for win in self.deal.wins:
            self._win(win, judged.get(win.winner))
        if len(self.deal.wins) > 1:
            self.met.append(f"{len(self.deal.wins)} winners on one tile")
        draw = next((event for event in verdicts if isinstance(event, DrawSettled)), None)
        if self.deal.draw is not None:
            self.met.append(self.deal.draw.reason)
            if draw is None:
                self.differences.append("the record ends in a draw, we found none")
                return
            for breach in draw.violations:
                self.differences.append(f"{breach.code}: {breach.text}")
            self._same(
                "payments of the draw", totals(draw.payments, self.players), self.deal.draw.deltas
            )

    def _win(self, win: RecordedWin, answer: Answer | None) -> None:
        who = f"win of seat {win.winner.value}"
        if answer is None:
            self.differences.append(f"{who}: not judged")
            return
        for breach in answer.violations:
            self.differences.append(f"{who}: {breach.code}: {breach.text}")
        if not answer.valid:
            return
        self.met.append("self-draw" if win.source is None else "win on a discard")
        self.met += [
            item.id
            for item in answer.items
            if item.id in ("chankan", "rinshan", "haitei", "houtei") or item.unit == "yakuman"
        ]
        self._same(f"{who}: payments", answer.deltas, win.deltas)
        yakuman = answer.totals.get("yakuman", 0)
        if win.yakuman is not None or (yakuman and win.yaku is not None):
            self._same(f"{who}: yakuman", yakuman > 0, bool(win.yakuman))
        elif not yakuman:
            self._same(f"{who}: han", answer.totals["han"], win.han)
            self._same(f"{who}: fu", answer.totals["fu"], win.fu)
        if win.yaku is not None:
            ours = {item.id: item.value for item in answer.items if item.unit == "han"}
            if win.yakuman or not ours:
                same = {item.id for item in answer.items if item.unit == "yakuman"}
                self._same(f"{who}: yaku", sorted(same), sorted(one.id for one in win.yaku))
            else:
                theirs: Counter[str] = Counter()
                for one in win.yaku:
                    theirs[one.id] += one.han or 0
                if "north" not in theirs and "north" in ours:  # some sites count norths as dora
                    ours["dora"] = ours.get("dora", 0) + ours.pop("north")
                self._same(f"{who}: yaku", sorted(ours.items()), sorted(theirs.items()))
        if win.points is not None:
            counted = sum(
                payment.points
                for payment in answer.payments
                if payment.receiver is win.winner and payment.reason not in ("counters", "sticks")
            )
            self._same(f"{who}: points", counted, win.points)
        liable = next((p.payer for p in answer.payments if p.reason == "liability"), None)
        if win.liable is not None or liable is not None:
            self.met.append("liability")
            if win.liable is not None:
                self._same(f"{who}: liable seat", liable, win.liable)

    def _continuation(
        self,
        state: DealState,
        verdicts: Sequence[GameEvent],
        following: RecordedDeal | None,
        *,
        is_last: bool,
    ) -> None:
        after = state
        for event in verdicts:
            after = apply(after, event)
        ended = outcome(after, verdicts)
        if self.deal.points_after is not None:
            self._same("points after the deal", ended.points, self.deal.points_after)
        start = DealStart.of(self.deal.began)
        expected = self.play.next_deal(start, ended, self.options)
        if following is not None:
            self._next(expected, following.began)
        elif is_last and self.game.is_complete and self.game.final_points is not None:
            if expected is not None:
                self.differences.append("the record ends the game here, by our rules it goes on")
            else:
                self._final(start, ended)

    def _next(self, expected: DealStart | None, began: DealBegan) -> None:
        if expected is None:
            self.differences.append("the record goes on, by our rules the game ends here")
            return
        for name in ("dealer", "round_wind", "counters", "deposits", "points"):
            self._same(f"next deal: {name}", getattr(expected, name), getattr(began, name))

    def _final(self, start: DealStart, ended: DealOutcome) -> None:
        self.met.append("game ended")
        final = self.play.final(start, ended.points, self.options)
        if self.game.final_scores is not None:
            self._same("final scores", final.scores, self.game.final_scores)

    def _same(self, what: str, ours: object, theirs: object) -> None:
        if theirs is not None and ours != theirs:
            self.differences.append(f"{what}: {_plain(ours)}, the record says {_plain(theirs)}")


def _plain(value: object) -> str:
    if isinstance(value, Seat):
        return str(value.value)
    if isinstance(value, tuple):
        return " ".join(_plain(one) for one in value)
    return str(value)


__all__ = ["DealResult", "Summary", "options_of", "replay"]
