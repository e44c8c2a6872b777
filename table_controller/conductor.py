"""Runs one match: scenes and keys become events, shown hands become verdicts.

The conductor knows no time and no device. Whoever owns the camera calls `see` with each scene,
whoever owns the keys calls `press`; what happened goes to the log. It asks for another look when a
reading is doubtful, and only then records the doubt for a person to answer. It never waits in
silence: what does not add up, and what the table waits for in vain, becomes a question after a
number of looks, and a question that a later look answers is taken back.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol

from table_controller.interpret import (
    Rules,
    SeatReading,
    Seen,
    TableReading,
    explain,
    kong_paid_by,
    likeliest,
    read_scene,
    sure_discards,
)
from table_controller.rules.core.case import Violation
from table_controller.rules.core.errors import CaseError, RulesError
from table_controller.rules.core.events import (
    EXHAUSTIVE,
    Advised,
    Challenged,
    DealBegan,
    DealEnded,
    DiceRolled,
    Discarded,
    Doubted,
    DrawDeclared,
    Drawn,
    DrawReturned,
    GameEnded,
    GameEvent,
    HandDealt,
    HandShown,
    IndicatorShown,
    MeldReturned,
    Paid,
    PassAnnounced,
    Penalised,
    ReadyAccepted,
    ReadyDeclared,
    ReadyWithdrawn,
    TilesPassed,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import (
    DealStart,
    Play,
    conclude,
    deal_began,
    outcome,
    stopped,
)
from table_controller.rules.core.passing import PassStep
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import (
    Awaiting,
    DealState,
    Offered,
    claimable_after_draw,
    fold,
)
from table_controller.rules.core.tiles import Tile
from vision.types import Scene
from vision.zones import TableGeometry

logger = logging.getLogger(__name__)


class Key(StrEnum):
    """The keys of a seat panel."""

    READY = "ready"
    WIN = "win"
    CALL = "call"
    DRAW_END = "draw_end"
    STAFF = "staff"
    LIFT = "lift"


class Log(Protocol):
    """Where events go, and what they add up to."""

    @property
    def state(self) -> DealState | None:
        """The deal in play."""

    @property
    def history(self) -> Sequence[GameEvent]:
        """The events of this deal, from its beginning."""

    def append(self, event: GameEvent) -> object:
        """Write one event down for good."""

    def settle(self, doubt: Doubted, tile: Tile | None = None) -> None:
        """A later look answered a question of this deal: with this tile, or with nothing."""

    def take_back(self, events: Sequence[GameEvent], reason: str) -> None:
        """These events of this deal do not count."""


class Look(StrEnum):
    """What the conductor made of a scene."""

    TAKEN = "taken"  # understood, or nothing new
    AGAIN = "again"  # doubtful: another look may settle it


@dataclass
class _Pending:
    """What seats pressed and the table has not shown yet."""

    wins: list[Seat] = field(default_factory=list)
    handless: tuple[Seat, ...] = ()  # of these, asked to show the hand
    ready: set[Seat] = field(default_factory=set)
    draw: list[Seat] = field(default_factory=list)


MAY_BE_BACK = 0.05  # how likely a reading must be a back to count as a tile that is passed
LOOKS = 3  # a doubtful scene is read this often before a person is asked
FLICKERS = 3  # so often the same tile may come and go before that is no question any more
OPEN_HAND = 5  # tiles that lie face up before a seat: more than fall over by accident
NO_HAND = "pressed win and shows no hand: show it, or press win again to take that back"
PATIENCE = 3 * LOOKS  # looks at people who take their time, or at a table that never reads alike


@dataclass
class _Patience:
    """Counts looks at something that does not add up."""

    looks: int = LOOKS  # at the same thing
    about: object = None
    _same: int = 0
    _all: int = 0

    def is_left(self, about: object) -> bool:
        """One more look; False when it is time to ask a person."""
        self._same = self._same + 1 if about == self.about else 1
        self._all += 1
        self.about = about
        if self._same < self.looks and self._all < 3 * self.looks:
            return True
        self.reset()
        return False

    def reset(self) -> None:
        """It adds up, or a person was asked."""
        self.about, self._same, self._all = None, 0, 0


class Conductor:
    """One match at one table."""

    def __init__(
        self,
        ruleset: Ruleset[Any],
        options: Any,
        log: Log,
        geometry: TableGeometry,
        *,
        sure_at: float = 0.80,
    ) -> None:
        if ruleset.play is None:
            raise ValueError(f"{ruleset.name} can be scored, not played at the table yet")
        self.ruleset = ruleset
        self.options = options
        self.play: Play = ruleset.play
        self.log = log
        self.geometry = geometry
        until_covered = ruleset.conduct is not None and ruleset.conduct.until_covered
        self.rules = Rules(
            self.play, options, ruleset.tile_set(options), sure_at, geometry, until_covered
        )
        self.start: DealStart | None = self.play.first_deal(options)
        self.reading: TableReading | None = None  # what the last scene of this deal showed
        self._pending = _Pending()
        self._doubtful = _Patience()
        self._odd_hand = _Patience()
        self._waiting = _Patience(PATIENCE)
        self._asked: set[Doubted] = set()  # in this deal, and not taken back
        self._taken_back: Counter[Doubted] = Counter()
        self._disagreed: Counter[tuple[Seat, int, Tile]] = Counter()
        self._tips: set[tuple[int, Advised]] = set()  # given, by the number of discards before
        self._counts_off: dict[Advised, int] = {}  # wrong numbers of tiles, scenes in a row
        self._lying: dict[Seat, int] = {}  # tiles face down before a seat while tiles are passed

    def trust(self, sure_at: float) -> None:
        """From which confidence on a reading counts from now on: it was calibrated."""
        self.rules = replace(self.rules, sure_at=sure_at)

    # The match

    def resume(self, events: Sequence[GameEvent]) -> None:
        """Take up the match that these events tell: after a restart the same deal goes on."""
        for index, event in enumerate(events):
            if isinstance(event, DealBegan):
                self.start = DealStart.of(event)
                deal_from = index
            elif isinstance(event, DealEnded):
                self._next(events[deal_from : index + 1])

    @property
    def is_playing(self) -> bool:
        """A deal has begun and is not over."""
        return self.log.state is not None and self.log.state.awaiting is not Awaiting.OVER

    @property
    def is_over(self) -> bool:
        """The match has ended."""
        return self.start is None

    def begin_deal(self, dice: Sequence[int] = ()) -> None:
        """The walls stand and the dice lie: hands are taken, the first indicators turned."""
        start = self.start
        if start is None:
            raise ValueError("the match is over: begin a new game")
        players = len(start.points)
        plan = self.play.wall(self.options)
        tiles = len(self.rules.tile_set)
        dealt = players * self.play.hand_size + self.play.dealer_extra
        self.reading = None
        self._pending = _Pending()
        self._tips.clear()
        self._asked.clear()
        self._taken_back.clear()
        self._disagreed.clear()
        self.log.append(
            deal_began(start, tiles - plan.undrawn - dealt, self.play, plan.loose_tiles)
        )
        if dice:
            self.log.append(DiceRolled(dice=tuple(dice)))
        for step in range(players):
            seat = start.dealer.after(step, players)
            more = self.play.dealer_extra and step == 0
            hand: tuple[Tile | None, ...] = (None,) * (self.play.hand_size + more)
            self.log.append(HandDealt(seat=seat, tiles=hand))

    # Keys

    def press(self, seat: Seat, key: Key) -> None:
        """A seat pressed a key."""
        state = self.log.state
        if state is None or state.awaiting is Awaiting.OVER:
            return
        step = self.pass_due
        if step is not None and key in (Key.CALL, Key.READY, Key.DRAW_END):
            self._pass(step, seat, key)
            return
        match key:
            case Key.WIN if seat in self._pending.handless:
                self._pending.wins.remove(seat)  # pressed by mistake: no hand was shown
                self._pending.handless = ()
            case Key.WIN if seat not in self._pending.wins and self._may_claim(state, seat):
                if state.draw_reason is not None:
                    self._take_draw_back()
                self._pending.wins.append(seat)
            case Key.READY if not self.play.has_ready:
                logger.info("seat %d pressed ready: this game has no such declaration", seat)
            case Key.READY if self.play.calls_when_ready and state.seats[seat].is_ready:
                self._write(ReadyWithdrawn(seat=seat))  # the hand is not frozen: the wait may break
            case Key.READY if self._ready_at_once(state, seat):
                self._write(ReadyDeclared(seat=seat))
            case Key.READY:
                self._pending.ready.add(seat)
            case Key.DRAW_END if seat not in self._pending.draw:
                self._pending.draw.append(seat)
                self._declare_draw(seat)
            case _:
                logger.info("seat %d pressed %s: nothing to do", seat, key)

    def _may_claim(self, state: DealState, seat: Seat) -> bool:
        """While a win is judged only the same discard can be won, by another seat; so it can after
        a draw was declared, until hands are shown: a draw takes a discard that nobody wins."""
        if state.awaiting is not Awaiting.VERDICT:
            return True
        if state.draw_reason is not None:
            return self._is_still_on_offer(state, seat)
        sources = {claim.source for claim in state.claims}
        claimants = {claim.seat for claim in state.claims}
        return bool(sources) and None not in sources and seat not in sources | claimants

    def _is_still_on_offer(self, state: DealState, seat: Seat) -> bool:
        """Whether the discard before the draw can be won; one that dead hands made is final."""
        may_be = state.draw_reason == EXHAUSTIVE or not self.play.dead_hands_skipped
        is_quiet = all(holder.shown is None for holder in state.seats)
        return may_be and is_quiet and state.offer is not None and state.offer.seat is not seat

    def _take_draw_back(self) -> None:
        """Somebody wins the last discard: it was too early to declare a draw."""
        history = self.log.history
        drawn = next(event for event in reversed(history) if isinstance(event, DrawDeclared))
        before = history[history.index(drawn) - 1]
        early: list[GameEvent] = [drawn]
        if isinstance(before, ReadyAccepted):
            early.append(before)  # no stick is laid down for a discard that is won
        self.log.take_back(early, "a win was claimed on the last discard")

    def challenge(self, seat: Seat, challenged: Seat) -> None:
        """A player calls another hand dead."""
        state = self.log.state
        if state is not None and state.awaiting is not Awaiting.OVER:
            self._write(Challenged(seat=seat, challenged=challenged))

    @property
    def pass_due(self) -> PassStep | None:
        """The pass of concealed tiles that is due before play: a Charleston, a goulash."""
        state = self.log.state
        return None if state is None else self.play.pass_due(state, self.log.history, self.options)

    def _pass(self, step: PassStep, seat: Seat, key: Key) -> None:
        """A seat's word in the passing: its tiles lie there, another number, or no more of it."""
        rule = step.rule
        match key:
            case Key.CALL:
                self.log.append(step.announced(seat, self._lying.get(seat, 0)))
            case Key.READY if rule.least < rule.most:
                number = step.next_number(seat)
                self.log.append(PassAnnounced(seat=seat, step=rule.name, number=number))
            case Key.DRAW_END if rule.stop is not None:
                self.log.append(TilesPassed(seat=seat, receiver=seat, tiles=(), step=rule.stop))
            case _:
                return
        self._finish_pass()

    def _finish_pass(self) -> None:
        """Once everybody has put tiles down they go on to their receivers."""
        step = self.pass_due
        if step is not None and step.is_complete:
            for event in step.moves():
                self.log.append(event)

    def _ready_at_once(self, state: DealState, seat: Seat) -> bool:
        """The house lets a player declare ready between turns, and it is not the seat's turn."""
        conduct = self.ruleset.conduct
        return (
            conduct is not None
            and conduct.ready_between_turns(state, seat, self.options)
            and not state.seats[seat].is_ready
            and (seat is not state.turn or state.awaiting is Awaiting.CLAIMS)
        )

    def _declare_draw(self, seat: Seat) -> None:
        state = self.log.state
        assert state is not None
        if state.awaiting not in (Awaiting.CLAIMS, Awaiting.DRAW) or self._pending.wins:
            return
        self._ready_stands(state)
        state = self.log.state
        assert state is not None
        reason = self.play.automatic_draw(state, self.options)
        if reason is None and state.wall_left == 0:
            reason = EXHAUSTIVE
        if reason is not None:
            self._pending.draw.clear()
            self.log.append(DrawDeclared(reason=reason))

    def _draw_pressed(self, discarded: Sequence[Seat]) -> None:
        """The camera may see only now what a seat pressed draw for; one that discards goes on."""
        for seat in list(self._pending.draw):
            self._declare_draw(seat)
        self._pending.draw = [seat for seat in self._pending.draw if seat not in discarded]

    def _ready_stands(self, state: DealState) -> None:
        offer = state.offer
        if offer is not None and not offer.is_kong and state.seats[offer.seat].ready_pending:
            self.log.append(ReadyAccepted(seat=offer.seat, deposit=self.play.deposit(self.options)))

    # Scenes

    def see(self, scene: Scene) -> Look:
        """Take in what lies on the table now."""
        state = self.log.state
        if state is None or state.awaiting is Awaiting.OVER:
            return Look.TAKEN
        reading = self.reading = read_scene(scene, self.geometry, state.players)
        try:
            look = self._take_in(state, reading)
        except RulesError as error:
            logger.exception("a scene does not fit the deal")
            return self._wait_for(Doubted(question=f"{error}: what happened?", code="unexplained"))
        return look if look is Look.AGAIN else self._wait_for(self._awaited(reading))

    def _take_in(self, state: DealState, reading: TableReading) -> Look:
        if self.pass_due is not None:
            self._finish_pass()  # the power may have failed in the middle of it
            self._lying = {seat: _face_down(reading.seats[seat]) for seat in seats(state.players)}
            reading = _without_face_down(reading)
        if state.awaiting is not Awaiting.VERDICT:
            look = self._play(state, reading)
            if look is Look.AGAIN or not self.is_playing:
                return look
            if self._claim(reading) is Look.AGAIN:
                return Look.AGAIN
            self._declared_draw(reading)
        now = self.log.state
        assert now is not None
        if now.awaiting is Awaiting.VERDICT:
            return self._verdict(reading)
        self._advise(now, reading)
        return Look.TAKEN

    def _advise(self, state: DealState, reading: TableReading) -> None:
        """In a game with open hands, point out once what a player can do or has done wrong."""
        if not self.play.open_hands(self.options):
            return
        known = state
        for seat in seats(state.players):
            tiles = [
                seen.tile
                for seen in reading.seats[seat].hand
                if seen.tile is not None and seen.confidence >= self.rules.sure_at
            ]
            if not tiles or len(tiles) < len(reading.seats[seat].hand):
                return  # a tile that is not read surely: better say nothing
            known = known.with_seat(seat, hand=tuple(tiles))
        tips = list(self.play.advice(known, self.options))
        self._counts_off = {
            tip: self._counts_off.get(tip, 0) + 1 for tip in tips if tip.code == "wrong_tile_count"
        }
        for tip in tips:
            if self._counts_off.get(tip, LOOKS) < LOOKS:
                continue  # a tile that is not seen for once looks like one too few
            if (state.discards, tip) not in self._tips:
                self._tips.add((state.discards, tip))
                self.log.append(tip)

    def _play(self, state: DealState, reading: TableReading) -> Look:
        if self._pending.wins and self.play.wall(self.options).under:
            reading = _without_new_bonus(state, reading)
        found = explain(state, reading, self.rules, frozenset(self._pending.ready))
        doubts = tuple(event for event in found.events if isinstance(event, Doubted))
        conduct = self.ruleset.conduct
        wrong = conduct is not None and conduct.any_of(state, found.events, self.options)
        odd = None
        if found.left_over is not None:
            odd = Doubted(question=found.left_over, code="unexplained")
        if (doubts or wrong or (odd and not self._was_asked(odd))) and self._doubtful.is_left(
            (doubts, wrong, odd)
        ):
            return Look.AGAIN
        self._doubtful.reset()
        if odd:
            found = explain(
                state, reading, self.rules, frozenset(self._pending.ready), patient=False
            )
            odd = None
            if found.left_over is not None:
                odd = Doubted(question=found.left_over, code="unexplained")
        for event in found.events:
            self._write(event)
            if not self.is_playing:
                return Look.TAKEN  # a breach ended the deal
        for seat in list(self._pending.ready):
            if found.state.seats[seat].is_ready:
                self._pending.ready.discard(seat)
        discarded = [e.seat for e in found.events if isinstance(e, Discarded)]
        self._draw_pressed(discarded)
        if discarded and not reading.seats[discarded[-1]].hand:
            self._pending.wins = [seat for seat in self._pending.wins if seat is not discarded[-1]]
        self._take_back({"unexplained"}, but=odd)
        if odd:
            self._ask_once(odd)
        self._compare(found.state, reading)
        return Look.TAKEN

    # Nothing waits in silence

    def _wait_for(self, doubt: Doubted | None) -> Look:
        """Look again at what keeps the deal from going on; ask when that does not help."""
        self._take_back({"waiting"}, but=doubt)
        if doubt is None or self._was_asked(doubt):
            self._waiting.reset()
            return Look.TAKEN
        if self._waiting.is_left(doubt):
            return Look.AGAIN
        self._ask_once(doubt)
        return Look.TAKEN

    def _has_open_reading(self) -> bool:
        """A question about what was seen is open, not only about what people have yet to do."""
        return any(
            isinstance(event, Doubted) and event.code != "waiting" for event in self.log.history
        )

    def _was_asked(self, doubt: Doubted) -> bool:
        return doubt in self._asked or doubt in self.log.history

    def _take_back(self, codes: Container[str], *, but: Doubted | None) -> None:
        """The questions of these kinds have answered themselves."""
        for event in list(self.log.history):
            if isinstance(event, Doubted) and event.code in codes and event != but:
                self.log.settle(event)
                self._taken_back[event] += 1
                if event.code == "waiting" or self._taken_back[event] < FLICKERS:
                    self._asked.discard(event)

    def _awaited(self, reading: TableReading) -> Doubted | None:
        """What people have to do before the deal can go on, as a question."""
        state = self.log.state
        if state is None or state.awaiting is Awaiting.OVER:
            return None
        self._pending.handless = ()
        hidden = [seat for seat in self._pending.wins if not reading.seats[seat].hand]
        if hidden:
            doubt = self._asks(state, hidden, NO_HAND)
            self._pending.handless = tuple(hidden) if self._was_asked(doubt) else ()
            return doubt
        if state.awaiting is Awaiting.VERDICT:
            hidden = self._hidden_hands(state)
            if hidden:
                return self._asks(state, hidden, "shows no hand and has not pressed draw")
            if self._lacks_indicators(state):
                return Doubted(question="the tiles under the indicators: turn them", code="waiting")
            return None
        if self._pending.draw:
            left = f"pressed draw: {state.wall_left} tiles are left, or a hand must be shown"
            return self._asks(state, self._pending.draw, left)
        shown = [
            seat
            for seat in seats(state.players)
            if len(reading.seats[seat].hand) >= OPEN_HAND
            and seat not in self._pending.wins
            and not self.play.lies_open(state, seat, self.options)
        ]
        if shown and not self._pending.wins and not self.play.open_hands(self.options):
            return self._asks(state, shown, "shows a hand: press win, or hide it")
        return None

    def _asks(self, state: DealState, who: Sequence[Seat], what: str) -> Doubted:
        winds = ", ".join(state.wind_of(seat).name.lower() for seat in who)
        return Doubted(question=f"{winds} {what}", seat=who[0], code="waiting")

    # What everybody can see to be wrong

    def _write(self, event: GameEvent) -> None:
        """Log what somebody did, and what is wrong with it."""
        conduct, state = self.ruleset.conduct, self.log.state
        found = conduct.breaches(state, event, self.options) if conduct and state else []
        self.log.append(event)
        for breach in found:
            self._announce(breach, refuses=isinstance(event, WinClaimed))

    def _announce(self, breach: Violation, *, refuses: bool) -> None:
        """Say what was wrong and what it costs; a person is asked while a reading is open."""
        conduct = self.ruleset.conduct
        assert conduct is not None
        if refuses and breach.code != "late_claim":
            return  # the referee judges it with the hand that is shown
        if self._has_open_reading():
            question = f"{breach.text} Is it so?"
            self._ask_once(Doubted(question=question, seat=breach.seat, code="conduct"))
            return
        self.log.append(
            Penalised(
                seat=breach.seat,
                code=breach.code,
                payments=breach.penalty,
                dead_hand=conduct.kills_hand(breach.code, self.options),
                refused=refuses,
                text=breach.text,
                evidence=breach.evidence,
                seen=True,
            )
        )
        state = self.log.state
        if state is not None and conduct.kills_hand(breach.code, self.options):
            self._hand_died(state, breach.seat)
        if state is not None and conduct.ends_deal(breach.code, self.options):
            self.log.append(stopped(state, breach.penalty, self.play, self.options))
            self._next(self.log.history)
            self._pending = _Pending()

    def _hand_died(self, state: DealState, seat: Seat) -> None:
        """What a hand that has just died takes up again; too many dead hands end the deal."""
        for _ in range(self.play.melds_returned(state, seat, self.options)):
            self.log.append(MeldReturned(seat=seat))
        if state.dead_hands_skipped and state.awaiting is not Awaiting.VERDICT:
            reason = self.play.automatic_draw(state, self.options)
            if reason is not None:
                self.log.append(DrawDeclared(reason=reason))

    def _ask_once(self, doubt: Doubted) -> None:
        """Put a question to a person, unless it was asked in this deal already."""
        if not self._was_asked(doubt):
            self._asked.add(doubt)
            logger.warning("asked: %s", doubt.question)
            self.log.append(doubt)

    def _compare(self, state: DealState, reading: TableReading) -> None:
        """What later scenes surely read answers open questions, and may raise new ones."""
        open_at = {
            (event.seat, event.place): event
            for event in self.log.history
            if isinstance(event, Doubted) and event.code in ("reading", "unread")
        }
        for seat, place, tile in sure_discards(state, reading, self.rules):
            doubt = open_at.get((seat, place + 1))
            if doubt is not None:
                self._asked.discard(doubt)
                self.log.settle(doubt, tile)
                continue
            if state.seats[seat].pond[place].tile == tile:
                continue
            self._disagreed[seat, place, tile] += 1
            if self._disagreed[seat, place, tile] == LOOKS:
                wind = state.wind_of(seat).name.lower()
                self._ask_once(
                    Doubted(
                        question=f"discard {place + 1} of {wind}: now read as {tile}",
                        candidates=(tile,),
                        seat=seat,
                        place=place + 1,
                        code="disagreement",
                    )
                )

    # Wins

    def _claim(self, reading: TableReading) -> Look:
        """A pressed win key and an open hand make a claim."""
        state = self.log.state
        assert state is not None
        pressed = self._in_turn(state, self._pending.wins)
        if not pressed or not all(reading.seats[seat].hand for seat in pressed):
            return Look.TAKEN  # nobody claims, or somebody has not laid the hand open yet
        full = {seat: self._full_hand(state, seat) for seat in pressed}
        seen = {seat: len(reading.seats[seat].hand) for seat in pressed}
        odd = any(seen[seat] not in (full[seat], full[seat] - 1) for seat in pressed)
        if odd and self._odd_hand.is_left(seen):
            return Look.AGAIN
        self._odd_hand.reset()
        if odd and self._unsure_of_hand(state, pressed, seen):
            return Look.TAKEN  # nobody is accused of a wrong count that may be a missed tile
        offer = state.offer if state.awaiting is Awaiting.CLAIMS else None
        for seat in pressed:
            from_other = self._claimed_from_another(state, seat)
            if from_other is not None and seen[seat] < full[seat]:
                self._put_draw_back(from_other)
                self._write(WinClaimed(seat=seat, tile=from_other.tile, source=from_other.seat))
            elif seen[seat] >= full[seat] or offer is None or offer.seat is seat:
                if state.awaiting is not Awaiting.DISCARD:
                    self._let_draw(seat)
                self._write(WinClaimed(seat=seat, tile=None))
            else:
                self._write(WinClaimed(seat=seat, tile=offer.tile, source=offer.seat))
        self._pending.wins.clear()
        return Look.TAKEN

    def _put_draw_back(self, claimed: Offered) -> None:
        """Where a discard may still be claimed, who has drawn after it puts the tile back."""
        state = self.log.state
        assert state is not None
        if self.rules.until_covered and claimable_after_draw(state) == claimed:
            self._write(DrawReturned(seat=state.turn))

    def _claimed_from_another(self, state: DealState, seat: Seat) -> Offered | None:
        """What the seat can only mean when it is not on turn and no discard is on offer: a tile
        that was just set aside, or a discard after which another one has drawn.
        """
        if state.awaiting is Awaiting.CLAIMS or seat is state.turn or not state.offers:
            return None
        if self.play.robs_set_aside(state, seat, self.options):
            last = state.offers[-1]
            if last.place is None and last.kong is None and state.awaiting is Awaiting.DRAW:
                return last
        if self.ruleset.conduct is None:
            return None
        discards = [offered for offered in state.offers if offered.place is not None]
        return discards[-1] if discards and discards[-1].seat is not seat else None

    def _unsure_of_hand(
        self, state: DealState, pressed: Sequence[Seat], seen: Mapping[Seat, int]
    ) -> bool:
        """Ask a person whether all tiles are seen; once that is answered the claim is judged."""
        sizes = ", ".join(
            f"{state.wind_of(seat).name.lower()} shows {seen[seat]}" for seat in pressed
        )
        question = f"{sizes} tiles: are all of them seen?"
        doubt = Doubted(question=question, seat=pressed[0], code="hand")
        self._ask_once(doubt)
        return doubt in self.log.history

    def _full_hand(self, state: DealState, seat: Seat) -> int:
        """How many concealed tiles the seat shows after a self-draw."""
        return state.hand_size + 1 - (state.held(seat) - len(state.seats[seat].hand))

    def _in_turn(self, state: DealState, pressed: Sequence[Seat]) -> list[Seat]:
        """The seats in the order of play after the seat whose tile is on offer."""
        first = state.offer.seat if state.offer is not None else state.turn
        return sorted(pressed, key=lambda seat: first.turns_until(seat, state.players))

    def _let_draw(self, seat: Seat) -> None:
        state = self.log.state
        assert state is not None
        self._ready_stands(state)
        replaces = seat is state.turn and (state.replacement or state.after_kong)
        if state.can_replace if replaces else state.wall_left > 0:
            drawn = Drawn(seat=seat, replacement=replaces)
            kong = kong_paid_by(state, drawn)
            owed = kong and self.play.instant_payments(state, kong, self.options)
            if owed:
                self.log.append(Paid(payments=owed))
            self.log.append(drawn)

    def _declared_draw(self, reading: TableReading) -> None:
        """A seat pressed draw-end and shows a hand that lets it: nine terminals."""
        state = self.log.state
        assert state is not None
        for seat in list(self._pending.draw):
            hand = reading.seats[seat].hand
            if state.awaiting is Awaiting.VERDICT or seat is not state.turn or not hand:
                continue
            if state.awaiting is not Awaiting.DISCARD:
                self._let_draw(seat)
                state = self.log.state
                assert state is not None
            tiles = tuple(seen.tile for seen in hand if seen.tile is not None)
            known = state.with_seat(seat, hand=tiles, drawn=tiles[-1], has_drawn=True)
            reason = self.play.may_declare_draw(known, seat, self.options)
            self._pending.draw.remove(seat)
            if reason is not None:
                self.log.append(DrawDeclared(reason=reason, seat=seat))

    # Verdicts

    def _verdict(self, reading: TableReading) -> Look:
        """Take in hands as they are shown, and settle once nothing is missing."""
        state = self.log.state
        assert state is not None
        state = self._claimed_too(state, reading)
        new, doubts = self._shown(state, reading)
        odd = self._odd_hands(state, new)
        if (doubts or odd) and self._doubtful.is_left((tuple(doubts), tuple(odd))):
            return Look.AGAIN
        self._doubtful.reset()
        for doubt in odd.values():
            self._ask_once(doubt)
        for event in [*new, *doubts]:
            if isinstance(event, HandShown):
                if odd.get(event.seat) in self.log.history:
                    continue  # it is taken down once it is whole, or somebody says that it is
                self._hand_is_whole(event.seat)
            self.log.append(event)
        state = self.log.state
        assert state is not None
        if self._is_complete(state):
            self._settle(state)
        return Look.TAKEN

    def _claimed_too(self, state: DealState, reading: TableReading) -> DealState:
        """Another claim of the tile that is being judged, once its hand lies open."""
        if not state.claims:
            self._pending.wins.clear()  # the deal is drawn
        for seat in self._in_turn(state, self._pending.wins):
            if reading.seats[seat].hand:
                self._pending.wins.remove(seat)
                first = state.claims[0]
                self._write(WinClaimed(seat=seat, tile=first.tile, source=first.source))
        now = self.log.state
        assert now is not None
        return now

    def _odd_hands(self, state: DealState, new: Sequence[GameEvent]) -> dict[Seat, Doubted]:
        """Shown hands of losers with another number of tiles than they hold: one may be missed."""
        claimants = [claim.seat for claim in state.claims]
        odd = {}
        for event in new:
            if not isinstance(event, HandShown) or event.seat in claimants:
                continue
            held, seen = len(state.seats[event.seat].hand), len(event.tiles)
            if held != seen:
                wind = state.wind_of(event.seat).name.lower()
                question = f"{wind} shows {seen} tiles of {held}: are all of them seen?"
                odd[event.seat] = Doubted(question=question, seat=event.seat, code="hand")
        return odd

    def _hand_is_whole(self, seat: Seat) -> None:
        """What was asked about the size of the seat's hand has answered itself."""
        for event in list(self.log.history):
            if isinstance(event, Doubted) and event.code == "hand" and event.seat is seat:
                self.log.settle(event)

    def _shown(
        self, state: DealState, reading: TableReading
    ) -> tuple[list[GameEvent], list[GameEvent]]:
        events: list[GameEvent] = []
        doubts: list[GameEvent] = []
        claimants = [claim.seat for claim in state.claims]
        is_open = self.play.open_hands(self.options)
        for seat in dict.fromkeys([*claimants, *seats(state.players)]):
            read = reading.seats[seat]
            if not read.hand or state.seats[seat].shown is not None:
                continue
            claim = next((claim for claim in state.claims if claim.seat is seat), None)
            if claim is None and is_open and seat not in self.play.must_show(state, self.options):
                continue  # it lies there as it did all the time
            shown = self._hand(seat, read, claim)
            events.append(shown)
            doubts.extend(self._doubts(state, seat, read.hand))
        if self._wants_under(state):
            under = _under(state, reading)
            for seen in under[len(state.under_indicators) : len(state.indicators)]:
                assert seen.tile is not None
                events.append(IndicatorShown(tile=seen.tile, under=True))
                doubts.extend(self._doubts(state, None, (seen,)))
        return events, doubts

    def _hand(self, seat: Seat, read: SeatReading, claim: WinClaimed | None) -> HandShown:
        tiles = [self._in_hand(seen) for seen in read.hand]
        if claim is None:
            return HandShown(seat=seat, tiles=tuple(tiles))
        if claim.source is not None:
            return HandShown(seat=seat, tiles=tuple(tiles), winning_tile=claim.tile)
        apart = self._apart(read.hand)
        winning = tiles.pop(apart)
        return HandShown(seat=seat, tiles=tuple(tiles), winning_tile=winning)

    def _in_hand(self, seen: Seen) -> Tile:
        tile = likeliest(seen, self.rules.tile_set, face_up=True)[0] or seen.tile
        assert tile is not None  # backs are no part of a shown hand
        return tile

    def _apart(self, hand: Sequence[Seen]) -> int:
        """Which tile lies apart: the one behind the widest gap, at either end; else the last."""
        if len(hand) < 2:
            return len(hand) - 1
        first = hand[1].x_mm - hand[0].x_mm
        last = hand[-1].x_mm - hand[-2].x_mm
        return 0 if first > max(last, self.geometry.pitch_mm * 1.2) else len(hand) - 1

    def _doubts(self, state: DealState, seat: Seat | None, seen: Sequence[Seen]) -> list[GameEvent]:
        doubts: list[GameEvent] = []
        for place, each in enumerate(seen):
            tile, confidence, others = likeliest(each, self.rules.tile_set, face_up=True)
            if tile is None or confidence >= self.rules.sure_at:
                continue
            candidates = (tile, *others)[:3]
            where = (
                "an indicator"
                if seat is None
                else f"tile {place + 1} of {state.wind_of(seat).name.lower()}'s hand"
            )
            choices = " or ".join(str(tile) for tile in candidates)
            doubts.append(
                Doubted(question=f"{where}: {choices}?", candidates=candidates, seat=seat)
            )
        return doubts

    def _wants_under(self, state: DealState) -> bool:
        """A ready winner turns the tiles under the indicators."""
        return bool(
            self.play.wall(self.options).under
            and state.draw_reason is None
            and any(state.seats[claim.seat].ready_at is not None for claim in state.claims)
        )

    def _is_complete(self, state: DealState) -> bool:
        hidden = self._pending.wins or self._hidden_hands(state)
        return not hidden and not self._lacks_indicators(state)

    def _lacks_indicators(self, state: DealState) -> bool:
        return self._wants_under(state) and len(state.under_indicators) < len(state.indicators)

    def _hidden_hands(self, state: DealState) -> list[Seat]:
        """The seats that have to show a hand, or at a draw to press the key, and have not."""
        claimants = [claim.seat for claim in state.claims]
        hidden = [seat for seat in claimants if state.seats[seat].shown is None]
        waiting_for = list(self.play.must_show(state, self.options))
        if state.draw_reason == EXHAUSTIVE:
            waiting_for = list(seats(state.players))
        elif state.draw_reason is not None:
            waiting_for += [
                seat
                for seat in seats(state.players)
                if self.play.shows_hand_at_draw(state, seat, self.options)
            ]
        return hidden + [
            seat
            for seat in dict.fromkeys(waiting_for)
            if state.seats[seat].shown is None
            and seat not in self._pending.draw
            and seat not in hidden
        ]

    def _settle(self, state: DealState) -> None:
        history = list(self.log.history)
        try:
            verdicts = conclude(state, history, self.play, self.options)
        except CaseError as error:
            self._ask_once(Doubted(question=str(error), code="hand"))
            return  # a person corrects the hand that was read; the next scene settles it
        refused = [e for e in verdicts if isinstance(e, WinJudged) and not e.answer.valid]
        if refused and not self._may_be_refused(state, refused[0]):
            return
        for event in verdicts:
            self.log.append(event)
        if isinstance(verdicts[-1], DealEnded):
            self._next([*history, *verdicts])
        self._pending = _Pending()

    def _may_be_refused(self, state: DealState, verdict: WinJudged) -> bool:
        """Nobody is accused while a reading is open, nor of a hand that a missed tile would make:
        of a self-drawn hand that lacks one, the rest looks like a win on the discard."""
        seat = verdict.seat
        was_asked = any(doubt.code == "hand" and doubt.seat is seat for doubt in self._asked)
        is_short = any(breach.code == "not_a_win" for breach in verdict.answer.violations)
        if self._has_open_reading() or (is_short and not was_asked):
            wind = state.wind_of(seat).name.lower()
            question = f"{wind} does not win with what was read: is it right?"
            self._ask_once(Doubted(question=question, seat=seat, code="hand"))
        return not self._has_open_reading()

    def _next(self, deal: Sequence[GameEvent]) -> None:
        """What the match does after this deal."""
        assert self.start is not None
        began = next(event for event in deal if isinstance(event, DealBegan))
        final = fold(deal, len(began.points))
        assert final is not None
        ended = outcome(final, deal)
        following = self.play.next_deal(self.start, ended, self.options)
        if following is None and not isinstance(self.log.history[-1], GameEnded):
            result = self.play.final(self.start, ended.points, self.options)
            self.log.append(
                GameEnded(points=ended.points, placements=result.placements, final=result.scores)
            )
        self.start = following


def _under(state: DealState, reading: TableReading) -> list[Seen]:
    """The open tiles beside the walls that nobody set aside."""
    known = Counter(tile for seat in state.seats for tile in seat.bonus)
    found = []
    for seen in reading.beside:
        if seen.tile is None:
            continue
        if known[seen.tile]:
            known[seen.tile] -= 1
        else:
            found.append(seen)
    return found


def _face_down(read: SeatReading) -> int:
    """How many tiles lie face down where the seat's pond will be."""
    return sum(_may_be_back(seen) for seen in read.pond)


def _may_be_back(seen: Seen) -> bool:
    """A tile face down, or a blank white dragon that looks like one: nothing is discarded yet."""
    return seen.tile is None or seen.back >= MAY_BE_BACK


def _without_face_down(reading: TableReading) -> TableReading:
    """The reading less tiles that lie face down to be passed."""
    kept = [
        replace(read, pond=tuple(seen for seen in read.pond if not _may_be_back(seen)))
        for read in reading.seats
    ]
    return replace(reading, seats=tuple(kept))


def _without_new_bonus(state: DealState, reading: TableReading) -> TableReading:
    """The reading less open tiles beside the walls: a winner has turned those under indicators."""
    kept = []
    for seat, read in enumerate(reading.seats):
        known = len(state.seats[seat].bonus)
        kept.append(replace(read, bonus=read.bonus[:known]))
    return replace(reading, seats=tuple(kept))
