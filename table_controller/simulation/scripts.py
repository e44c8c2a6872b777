"""Deals with a story, for demonstrations and tests: hands and moves are given, the rest is filled.

Each script is a `Script`: rules, the moves after the deal, and a wall that makes them possible.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from table_controller.rules import find_ruleset
from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.events import (
    Discarded,
    Drawn,
    GameEvent,
    HandShown,
    WinClaimed,
)
from table_controller.rules.core.game import Deal, DealStart, open_deal
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile, parse_tiles


@dataclass(frozen=True, slots=True)
class Script:
    """A deal to be played move by move."""

    title: str
    ruleset: Ruleset[Any]
    options: Any
    start: DealStart
    wall: tuple[Tile, ...]  # in draw order
    moves: tuple[GameEvent, ...]  # after hands are dealt and the first indicators turned

    def open(self) -> Deal:
        """The deal with its hands dealt."""
        assert self.ruleset.play is not None
        return open_deal(self.start, self.wall, self.ruleset.play, self.options)


def wall_for(
    ruleset: Ruleset[Any],
    options: Any,
    hands: Mapping[Seat, str],
    draws: Sequence[Tile],
    *,
    dealer: Seat = Seat.A,
    seed: int = 1,
) -> tuple[Tile, ...]:
    """A wall in draw order that deals these hands and then these draws; the rest is shuffled."""
    play = ruleset.play
    assert play is not None
    left = ruleset.tile_set(options).tiles()
    wanted = {seat: list(parse_tiles(text)) for seat, text in hands.items()}
    for tile in [tile for hand in wanted.values() for tile in hand] + list(draws):
        left.remove(tile)
    random.Random(seed).shuffle(left)
    order = [dealer.after(step, ruleset.players) for step in range(ruleset.players)]
    for seat in order:
        size = play.hand_size + (play.dealer_extra and seat is dealer)
        hand = wanted.setdefault(seat, [])
        while len(hand) < size:
            hand.append(_plain(left))
    dealt: list[Tile] = []
    full, rest = divmod(play.hand_size, 4)
    for block, size in [*([(4, full)] * bool(full)), *([(1, rest)] * bool(rest))]:
        for _ in range(size):
            for seat in order:
                dealt += [wanted[seat].pop(0) for _ in range(block)]
    if play.dealer_extra:
        dealt.append(wanted[dealer].pop(0))
    return (*dealt, *draws, *left)


def _plain(left: list[Tile]) -> Tile:
    """The next tile that is held, not set aside."""
    return left.pop(next(i for i, tile in enumerate(left) if not tile.is_bonus))


def _moves(*turns: tuple[Seat, str | None, str]) -> tuple[list[GameEvent], list[Tile]]:
    """Turns of (seat, drawn tile or None for the dealer's first, discard)."""
    events: list[GameEvent] = []
    draws: list[Tile] = []
    for seat, drawn, discard in turns:
        if drawn is not None:
            tile = Tile.parse(drawn)
            draws.append(tile)
            events.append(Drawn(seat=seat, tile=tile))
        events.append(Discarded(seat=seat, tile=Tile.parse(discard)))
    return events, draws


def _refused(
    title: str,
    name: str,
    preset: str | None,
    hands: Mapping[Seat, str],
    turns: Sequence[tuple[Seat, str | None, str]],
    claim: tuple[Seat, Seat, str],
    shown: str,
) -> Script:
    """A script that ends with a win on a discard."""
    ruleset = find_ruleset(name)
    options = ruleset.choose(preset)
    events, draws = _moves(*turns)
    winner, source, tile = claim
    events.append(WinClaimed(seat=winner, tile=Tile.parse(tile), source=source))
    events.append(HandShown(seat=winner, tiles=parse_tiles(shown), winning_tile=Tile.parse(tile)))
    assert ruleset.play is not None
    return Script(
        title,
        ruleset,
        options,
        ruleset.play.first_deal(options),
        wall_for(ruleset, options, hands, draws),
        tuple(events),
    )


def furiten_win() -> Script:
    """South waits for 2p and 5p, has discarded 5p itself, and claims East's 2p."""
    return _refused(
        "A win in furiten",
        "riichi_4p",
        None,
        {
            Seat.A: "1z 2p 19m 19s 234z 567z 8p 6s",
            Seat.B: "123m 456m 789s 345p 9p",
            Seat.C: "2468m 1357s 1m 3s 5s 7z 2z",
            Seat.D: "1357m 2468s 9m 4s 6s 6z 3z",
        },
        [
            (Seat.A, None, "1z"),
            (Seat.B, "9p", "5p"),
            (Seat.C, "8p", "2z"),
            (Seat.D, "7p", "3z"),
            (Seat.A, "4z", "2p"),
        ],
        (Seat.B, Seat.A, "2p"),
        "123m 456m 789s 34p 99p",
    )


def sacred_discard() -> Script:
    """South has discarded 5p and later claims a 5p of East's."""
    return _refused(
        "A win on a sacred discard",
        "korean_japanese_3p",
        None,
        {
            Seat.A: "1z 5p 19m 19s 23z 567z 8p 2p 6p",
            Seat.B: "123m 456m 789m 345p 9p",
            Seat.C: "2468m 1357p 1m 19s 7z 2z",
        },
        [
            (Seat.A, None, "1z"),
            (Seat.B, "9p", "5p"),
            (Seat.C, "8p", "2z"),
            (Seat.A, "3z", "5p"),
        ],
        (Seat.B, Seat.A, "5p"),
        "123m 456m 789m 34p 99p",
    )


SCRIPTS: Mapping[str, Callable[[], Script]] = {
    "furiten_win": furiten_win,
    "sacred_discard": sacred_discard,
}


def find_script(name: str) -> Script:
    """The script of that name; raises OptionError that lists the names there are."""
    if name not in SCRIPTS:
        raise OptionError(f"there is no script {name!r}; there are {', '.join(SCRIPTS)}")
    return SCRIPTS[name]()
