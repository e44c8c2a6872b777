"""Concealed tiles that go from hand to hand before play, step by step: a Charleston, a goulash.

A ruleset lists its steps; which one is due, and what each seat has said of it, is a fold over the
log. Nobody sees the tiles: a table knows how many lie face down before a seat, and what the seats
say with their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from table_controller.rules.core.events import GameEvent, PassAnnounced, TilesPassed
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import Awaiting, DealState


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRule:
    """One step as a ruleset has it."""

    name: str
    place: int  # from 1, and of how many steps
    of: int
    turns: tuple[int, ...]  # how many seats on the receivers sit; nobody: the seats only agree
    most: int  # tiles of one seat; with several receivers one goes to each
    least: int  # own tiles among them: the others are passed on unseen
    exchanged: Callable[[int, int], int] | None = None  # by agreement: how many for two wishes
    jokers: bool = False  # may be passed too
    stop: str | None = None  # the name of the empty pass with which a seat ends all passing

    @property
    def first(self) -> int:
        """What a seat passes that says no number."""
        return self.least if self.exchanged else self.most


PassRules = Callable[[bool], Iterable[PassRule]]
"""The steps in order; the argument says whether a seat has stopped them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassStep:
    """The step that is due: what every seat has said of it."""

    rule: PassRule
    numbers: tuple[int, ...]  # by seat: own tiles
    done: tuple[bool, ...]
    seen: tuple[int | None, ...]  # by seat: another number that lay face down
    passed: tuple[bool, ...]  # the pass is in the log already

    @property
    def is_complete(self) -> bool:
        """Every seat has put its tiles down, or agreed."""
        return all(done or passed for done, passed in zip(self.done, self.passed, strict=True))

    def next_number(self, seat: Seat) -> int:
        """The number after this one, when the seat goes through them."""
        span = self.rule.most - self.rule.least + 1
        step = 1 if self.rule.exchanged else -1
        return self.rule.least + (self.numbers[seat] + step - self.rule.least) % span

    def announced(self, seat: Seat, lying: int) -> PassAnnounced:
        """The seat says that its tiles lie there, where that many were seen face down."""
        rule, number = self.rule, self.numbers[seat]
        if lying == number or not lying or not rule.turns:
            return PassAnnounced(seat=seat, step=rule.name, number=number, done=True)
        if rule.least <= lying <= rule.most:
            return PassAnnounced(seat=seat, step=rule.name, number=lying, done=True)
        return PassAnnounced(seat=seat, step=rule.name, number=number, seen=lying)

    def moves(self) -> list[TilesPassed]:
        """What has happened once the step is complete, as far as the log lacks it."""
        players = len(self.numbers)
        found = []
        for seat in seats(players) if self.rule.turns else ():
            if self.passed[seat]:
                continue
            receivers = [seat.after(turns, players) for turns in self.rule.turns]
            tiles = self.rule.most // len(receivers)
            if self.rule.exchanged is not None:
                tiles = self.rule.exchanged(self.numbers[seat], self.numbers[receivers[0]])
            found += [
                TilesPassed(seat=seat, receiver=to, tiles=(None,) * tiles, step=self.rule.name)
                for to in receivers
            ]
        return found


def pass_due(state: DealState, history: Sequence[GameEvent], rules: PassRules) -> PassStep | None:
    """The step that is to be played now; None once all are over, or play has begun."""
    is_before = state.awaiting in (Awaiting.DRAW, Awaiting.DISCARD) and not state.discards
    if not is_before or state.interrupted:
        return None
    said: dict[tuple[str, Seat], PassAnnounced] = {}
    given: set[tuple[str, Seat]] = set()
    for event in history:
        if isinstance(event, PassAnnounced):
            said[event.step, event.seat] = event
        elif isinstance(event, TilesPassed):
            given.add((event.step, event.seat))
    steps = {step for step, _ in given}
    stopped = any(rule.stop in steps for rule in rules(False) if rule.stop is not None)
    for rule in rules(stopped):
        step = _told(rule, state.players, said, given)
        is_over = all(step.passed) if rule.turns else step.is_complete
        if not is_over:
            return step
    return None


def _told(
    rule: PassRule,
    players: int,
    said: dict[tuple[str, Seat], PassAnnounced],
    given: set[tuple[str, Seat]],
) -> PassStep:
    words = [said.get((rule.name, seat)) for seat in seats(players)]
    return PassStep(
        rule=rule,
        numbers=tuple(rule.first if word is None else word.number for word in words),
        done=tuple(word is not None and word.done for word in words),
        seen=tuple(None if word is None else word.seen for word in words),
        passed=tuple((rule.name, seat) in given for seat in seats(players)),
    )
