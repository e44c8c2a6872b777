"""How a deal with a story is written down: hands and moves are given, the rest of the wall is
filled, and what the table must say of it is part of the script.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from table_controller.rules import find_ruleset
from table_controller.rules.core.case import Evidence
from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    Doubted,
    Drawn,
    DrawReturned,
    DrawSettled,
    GameEvent,
    HandShown,
    IndicatorShown,
    KongDeclared,
    MeldCalled,
    MeldReturned,
    Penalised,
    ReadyDeclared,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import Deal, DealStart, Play, open_deal
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.core.wall import Wall


@dataclass(frozen=True, slots=True)
class Script:
    """A deal to be played move by move."""

    title: str
    ruleset: Ruleset[Any]
    options: Any
    start: DealStart
    wall: tuple[Tile, ...]  # in draw order
    moves: tuple[GameEvent, ...]  # after hands are dealt and the first indicators turned
    breaches: tuple[tuple[Seat, str], ...] = ()  # who is to be told of what, in order
    asks: str | None = None  # the code of the question that a person is asked instead
    answered: tuple[tuple[Seat, str], ...] = ()  # what is told once a person has looked

    def open(self) -> Deal:
        """The deal with its hands dealt."""
        assert self.ruleset.play is not None
        return open_deal(self.start, self.wall, self.ruleset.play, self.options)


@dataclass(frozen=True, slots=True)
class Announced:
    """A breach that the table told, with its evidence."""

    seat: Seat
    code: str
    text: str
    evidence: tuple[Evidence, ...]


def announced(history: Iterable[GameEvent]) -> list[Announced]:
    """Every breach that the table told in this deal; the fine for a refused win is no other."""
    found: list[Announced] = []
    for event in history:
        match event:
            case WinJudged(answer=answer):
                breaches = answer.violations
            case DrawSettled(violations=breaches):
                pass
            case Penalised(seen=True) as told:
                found.append(Announced(told.seat, told.code, told.text, told.evidence))
                continue
            case _:
                continue
        found += [Announced(b.seat, b.code, b.text, b.evidence) for b in breaches]
    return found


def differences(script: Script, history: Sequence[GameEvent]) -> tuple[str, ...]:
    """In what the table told otherwise than the script expects."""
    told = tuple((each.seat, each.code) for each in announced(history))
    asked = {event.code for event in history if isinstance(event, Doubted)} - {"waiting"}
    found = []
    if told != script.breaches:
        found.append(f"told {_named(told)} instead of {_named(script.breaches)}")
    if script.asks is None and asked:
        found.append(f"asked about {', '.join(sorted(asked))}")
    if script.asks is not None and script.asks not in asked:
        found.append(f"did not ask about {script.asks}")
    return tuple(found)


def _named(breaches: Sequence[tuple[Seat, str]]) -> str:
    return ", ".join(f"{code} of seat {int(seat)}" for seat, code in breaches) or "nothing"


# --- Telling -----------------------------------------------------------------------------------


@dataclass
class Story:
    """The moves of a script, one call a move; tiles that do not matter are left to the filler."""

    events: list[GameEvent] = field(default_factory=list)

    def turn(self, seat: Seat, drawn: str | None, discard: str, *, ready: bool = False) -> Story:
        """Draws, declares ready, discards; without ``drawn`` the dealer's first or after a call."""
        self.draw(seat, drawn)
        if ready:
            self.events.append(ReadyDeclared(seat=seat))
        self.events.append(
            Discarded(seat=seat, tile=Tile.parse(discard), as_drawn=discard == drawn, turned=ready)
        )
        return self

    def draw(self, seat: Seat, tile: str | None, *, replacement: bool = False) -> Story:
        """Draws a tile, from the front or as a replacement."""
        if tile is not None:
            self.events.append(Drawn(seat=seat, tile=Tile.parse(tile), replacement=replacement))
        return self

    def put_back(self, seat: Seat) -> Story:
        """Puts the tile just drawn back: the discard before it is claimed."""
        self.events.append(DrawReturned(seat=seat))
        return self

    def take_back(self, seat: Seat) -> Story:
        """Takes the meld just laid up again: another claim comes first."""
        self.events.append(MeldReturned(seat=seat))
        return self

    def idle(self, seats: Sequence[Seat], turns: int) -> Story:
        """That many turns of these seats in order, each of which discards what it draws."""
        for number in range(turns):
            seat = seats[number % len(seats)]
            self.events += [Drawn(seat=seat), Discarded(seat=seat, tile=NO_MATTER, as_drawn=True)]
        return self

    def all_aside(self, seat: Seat, *bonus: str, last: str | None) -> Story:
        """Draws one bonus tile after the other, sets each aside, and keeps what comes last."""
        self.draw(seat, bonus[0])
        for tile, follows in zip(bonus, (*bonus[1:], last), strict=True):
            self.events.append(BonusSetAside(seat=seat, tile=Tile.parse(tile)))
            drawn = None if follows is None else Tile.parse(follows)
            self.events.append(Drawn(seat=seat, tile=drawn, replacement=True))
        return self

    def rid(self, seat: Seat, *bonus: str) -> Story:
        """The same, and discards what comes last, whatever it is."""
        self.all_aside(seat, *bonus, last=None)
        self.events.append(Discarded(seat=seat, tile=NO_MATTER, as_drawn=True))
        return self

    def call(self, seat: Seat, kind: str, tiles: str, source: Seat, called: str) -> Story:
        """Takes a discard."""
        meld = Meld(MeldKind(kind), parse_tiles(tiles), source, Tile.parse(called))
        self.events.append(MeldCalled(seat=seat, meld=meld))
        return self

    def kong(self, seat: Seat, kind: str, tiles: str, added: str | None = None) -> Story:
        """Declares a concealed kong, or adds to a pung."""
        tile = None if added is None else Tile.parse(added)
        meld = Meld(MeldKind(kind), parse_tiles(tiles))
        self.events.append(KongDeclared(seat=seat, meld=meld, added=tile))
        return self

    def aside(self, seat: Seat, tile: str, replacement: str) -> Story:
        """Sets a bonus tile aside and draws another one."""
        self.events.append(BonusSetAside(seat=seat, tile=Tile.parse(tile)))
        return self.draw(seat, replacement, replacement=True)

    def win(self, seat: Seat, hand: str, tile: str, source: Seat | None = None) -> Story:
        """Claims a win and lays the hand open; ``source`` None is a tile drawn before."""
        self.events.append(WinClaimed(seat=seat, tile=Tile.parse(tile), source=source))
        return self.show(seat, hand, tile)

    def show(self, seat: Seat, hand: str, winning_tile: str | None = None) -> Story:
        """Lays a hand open."""
        tile = None if winning_tile is None else Tile.parse(winning_tile)
        self.events.append(HandShown(seat=seat, tiles=parse_tiles(hand), winning_tile=tile))
        return self

    def under(self, tile: str) -> Story:
        """A ready winner turns the tile under the indicator."""
        self.events.append(IndicatorShown(tile=Tile.parse(tile), under=True))
        return self


NO_MATTER = Tile.parse("1z")  # stands in for the tile of an idle turn until the wall is filled


def told(
    title: str,
    name: str,
    hands: Mapping[Seat, str],
    story: Story,
    *breaches: tuple[Seat, str],
    asks: str | None = None,
    answered: tuple[tuple[Seat, str], ...] = (),
    seed: int = 1,
    **changes: Any,
) -> Script:
    """The script of a story: its wall deals these hands and lets these tiles be drawn."""
    ruleset = find_ruleset(name)
    options = ruleset.choose(**changes)
    play = ruleset.play
    assert play is not None
    start = play.first_deal(options)
    wall, moves = _filled(ruleset, options, start, hands, story.events, random.Random(seed))
    return Script(title, ruleset, options, start, wall, moves, breaches, asks, answered)


def _filled(
    ruleset: Ruleset[Any],
    options: Any,
    start: DealStart,
    hands: Mapping[Seat, str],
    events: Sequence[GameEvent],
    rng: random.Random,
) -> tuple[tuple[Tile, ...], tuple[GameEvent, ...]]:
    """The wall in draw order and the moves with every tile known."""
    play = ruleset.play
    assert play is not None
    left = ruleset.tile_set(options).tiles()
    rng.shuffle(left)
    wall = play.wall(options).wall(left)
    at: dict[int, Tile | None] = {}
    wanted = {seat: list(parse_tiles(text)) for seat, text in hands.items()}
    for seat in _dealing(play, start):
        own = wanted.get(seat)
        at[_taken(wall, wall.draw)] = own.pop(0) if own else None
    for seat, own in wanted.items():
        assert not own, f"seat {int(seat)} is dealt fewer tiles: {own} are too many"
    for event in events:
        match event:
            case Drawn(tile=tile, replacement=replacement):
                place = _taken(wall, wall.replace if replacement else wall.draw)
                at[place] = tile or at.get(place)
            case DrawReturned():
                wall.put_back()
            case IndicatorShown(tile=tile, under=under):
                at[wall.under[0] if under else wall.indicators[0]] = tile
    for tile in at.values():
        if tile is not None:
            assert tile in left, f"the story needs more {tile} than the set has"
            left.remove(tile)
    plain = (tile for tile in list(left) if not tile.is_bonus and not tile.is_joker)
    for index, tile in at.items():
        if tile is None:
            at[index] = drawn = next(plain)
            left.remove(drawn)
    tiles = tuple(at.get(index) or left.pop() for index in range(len(wall.tiles)))
    return tiles, tuple(_named_moves(events, play.wall(options).wall(tiles), play, start))


def _dealing(play: Play, start: DealStart) -> Iterator[Seat]:
    """The seats in the order in which they take single tiles of the deal."""
    players = len(start.points)
    order = [start.dealer.after(step, players) for step in range(players)]
    full, rest = divmod(play.hand_size, 4)
    for block in (4,) * full + (1,) * rest:
        for seat in order:
            yield from (seat,) * block
    if play.dealer_extra:
        yield start.dealer


def _taken(wall: Wall, take: Callable[[], Tile]) -> int:
    """The place in draw order of the tile that is taken now."""
    before = set(wall.taken)
    take()
    (index,) = wall.taken - before
    return index


def _named_moves(
    events: Iterable[GameEvent], wall: Wall, play: Play, start: DealStart
) -> Iterator[GameEvent]:
    """The moves, with the tiles that the wall gives where the story leaves them open."""
    for _ in _dealing(play, start):
        wall.draw()
    idle: Tile | None = None
    for event in events:
        match event:
            case Drawn(tile=tile, replacement=replacement):
                drawn = wall.replace() if replacement else wall.draw()
                idle = drawn if tile is None else None
                yield replace(event, tile=drawn)
            case DrawReturned():
                wall.put_back()
                yield event
            case Discarded() if idle is not None:
                yield replace(event, tile=idle)
                idle = None
            case _:
                yield event
