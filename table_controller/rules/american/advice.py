"""Which tiles of a hand are of use: for hints on the screen and for players of the simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest

from table_controller.rules.american.card import FACE_INDEX, FACES, Card, Instance, Line, face_of
from table_controller.rules.american.matching import (
    Exposure,
    Rack,
    distance,
    distances,
)
from table_controller.rules.american.options import Options
from table_controller.rules.american.scoring import card_of
from table_controller.rules.american.table import exposures_of
from table_controller.rules.core.events import (
    Discarded,
    JokerExchanged,
    MeldCalled,
    TilesPassed,
    WinClaimed,
)
from table_controller.rules.core.game import PASS, Action
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import Tile

KEPT = 60  # instances a player keeps in mind; with more the play got slower, not better
STEP = 5.0  # how much dearer an instance is that lacks one tile less


@dataclass(frozen=True, slots=True)
class Target:
    """An instance a player plays for, and how many tiles it lacks."""

    line: Line
    instance: Instance
    missing: int


def targets(
    rack: Rack, exposures: Sequence[Exposure], card: Card, *, limit: int = KEPT
) -> list[Target]:
    """The nearest instances."""
    nearest = nsmallest(
        limit,
        distances(rack, exposures, card),
        key=lambda found: (found[2], -found[0].value),
    )
    return [Target(line, instance, missing) for line, instance, missing in nearest]


def usefulness(rack: Rack, aims: Sequence[Target]) -> Mapping[Tile, float]:
    """For each face held: how much the targets would lose with one copy of it."""
    use = {FACES[index]: 0.0 for index, number in enumerate(rack.counts) if number}
    for target in aims:
        weight = STEP**-target.missing
        for index, _, total in target.instance.needs:
            if 0 < rack.counts[index] <= total:
                use[FACES[index]] += weight
    return use


def player(options: Options) -> Callable[[DealState, Seat, Sequence[Action]], Action]:
    """A player who aims at the nearest lines: wins when it can, and calls for what it lacks."""
    return _Player(card_of(options)).choose


@dataclass
class _Player:
    """Remembers for each seat what it aims at; looks at the whole card only now and then."""

    card: Card
    aims: dict[Seat, tuple[tuple[object, ...], list[Target]]] = field(default_factory=dict)

    def choose(self, state: DealState, seat: Seat, actions: Sequence[Action]) -> Action:
        """The action this player takes."""
        discards: list[tuple[float, str, Action]] = []
        passes: list[tuple[float, str, Action]] = []
        calls: list[Action] = []
        use: Mapping[Tile, float] | None = None
        for action in actions:
            match action[0]:
                case WinClaimed() | JokerExchanged():
                    return action
                case MeldCalled():
                    calls.append(action)
                case Discarded(tile=tile):
                    use = self._use(state, seat) if use is None else use
                    discards.append((self._of(use, tile), str(tile), action))
                case TilesPassed(tiles=(tile,)) if tile is not None:
                    use = self._use(state, seat) if use is None else use
                    passes.append((self._of(use, tile), str(tile), action))
                case _:
                    pass
        if discards:
            return min(discards)[2]
        if passes:
            return min(passes)[2]
        return self._call(state, seat, calls)

    def _of(self, use: Mapping[Tile, float], tile: Tile) -> float:
        return 1e9 if tile.is_joker else use.get(face_of(tile), 0.0)

    def _use(self, state: DealState, seat: Seat) -> Mapping[Tile, float]:
        rack, exposures = _hand(state, seat)
        return usefulness(rack, self._aims(state, seat, rack, exposures))

    def _aims(
        self, state: DealState, seat: Seat, rack: Rack, exposures: Sequence[Exposure]
    ) -> list[Target]:
        """The targets with their present distance; looked for anew every fifth discard."""
        pond = len(state.seats[seat].pond)
        moment = (state.number, len(exposures), pond // 5, None if pond else rack)
        known = self.aims.get(seat)
        if known is None or known[0] != moment:
            found = targets(rack, exposures, self.card)
            self.aims[seat] = (moment, found)
            return found
        fresh = []
        for target in known[1]:
            missing = distance(rack, exposures, target.line, target.instance)
            if missing is not None:
                fresh.append(Target(target.line, target.instance, missing))
        return fresh

    def _call(self, state: DealState, seat: Seat, calls: Sequence[Action]) -> Action:
        """The call that brings a line nearer, if the hand is not far from it."""
        if not calls:
            return PASS
        rack, exposures = _hand(state, seat)
        aims = self._aims(state, seat, rack, exposures)
        before = min((target.missing for target in aims), default=9)
        best: tuple[int, int, Action] | None = None
        for place, action in enumerate(calls):
            call = action[0]
            assert isinstance(call, MeldCalled)
            after = self._after(rack, exposures, call.meld, aims)
            if after < before <= 6 and (best is None or (after, place) < best[:2]):
                best = (after, place, action)
        return PASS if best is None else best[2]

    def _after(
        self, rack: Rack, exposures: Sequence[Exposure], meld: Meld, aims: Sequence[Target]
    ) -> int:
        """How far the nearest target is once the meld lies."""
        laid = Exposure.of(meld)
        counts = list(rack.counts)
        counts[FACE_INDEX[laid.face]] -= laid.naturals - 1  # one of them was the discard
        left = Rack(tuple(counts), rack.jokers - laid.jokers)
        after = 99
        for target in aims:
            missing = distance(left, [*exposures, laid], target.line, target.instance)
            if missing is not None:
                after = min(after, missing)
        return after


def _hand(state: DealState, seat: Seat) -> tuple[Rack, list[Exposure]]:
    holder = state.seats[seat]
    tiles = [tile for tile in holder.hand if tile is not None]
    return Rack.of(tiles), exposures_of(holder.melds)
