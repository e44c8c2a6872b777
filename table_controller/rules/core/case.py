"""A claimed win as a question, and the settlement as its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat, Wind, seat_wind, seats
from table_controller.rules.core.settlement import Payment, totals
from table_controller.rules.core.tiles import Tile


class Flag(StrEnum):
    """A circumstance of a win, as the score case names it."""

    READY = "ready"
    DOUBLE_READY = "double_ready"
    ONE_SHOT = "one_shot"
    LAST_TILE = "last_tile"
    REPLACEMENT = "replacement"
    ROBBING_KONG = "robbing_kong"
    FIRST_TURN = "first_turn"
    AFTER_CALL = "after_call"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHand:
    """What another seat has shown: needed where losers pay by their own hands."""

    hand: tuple[Tile, ...] | None = None
    melds: tuple[Meld, ...] = ()
    bonus: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One claimed win and everything public that its value depends on.

    ``hand`` is the concealed part without the winning tile and without melds. ``source`` is the
    discarder, or the seat whose kong is robbed; None is a self-draw. ``dora`` and ``ura`` are the
    tiles that score, not their indicators; a tile shown twice is named twice. ``ponds`` lists each
    seat's discards in order, called ones included. ``extra`` carries what one ruleset alone asks
    for, by the names its specification gives.
    """

    winner: Seat
    source: Seat | None
    hand: tuple[Tile, ...]
    winning_tile: Tile
    melds: tuple[Meld, ...] = ()
    bonus: tuple[Tile, ...] = ()
    dealer: Seat = Seat.A
    round_wind: Wind = Wind.EAST
    seat_winds: tuple[Wind, ...] | None = None
    flags: frozenset[Flag] = frozenset()
    dora: tuple[Tile, ...] = ()
    ura: tuple[Tile, ...] = ()
    counters: int = 0
    deposits: int = 0
    goulash: int = 0
    ponds: Mapping[Seat, tuple[Tile, ...]] = field(default_factory=lambda: MappingProxyType({}))
    others: Mapping[Seat, ShownHand] = field(default_factory=lambda: MappingProxyType({}))
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def self_drawn(self) -> bool:
        """Nobody discarded the winning tile."""
        return self.source is None

    def wind_of(self, seat: Seat, players: int) -> Wind:
        """The seat's wind in this deal."""
        if self.seat_winds is not None:
            return self.seat_winds[seat]
        return seat_wind(seat, self.dealer, players)

    def pond(self, seat: Seat) -> tuple[Tile, ...]:
        """The seat's discards in order."""
        return self.ponds.get(seat, ())

    def losers(self, players: int) -> tuple[Seat, ...]:
        """Every seat but the winner, in the order of play after the winner."""
        return tuple(self.winner.after(steps, players) for steps in range(1, players))

    def seat_name(self, seat: Seat, players: int) -> str:
        """What the seat is called in this deal: East, South, West or North."""
        return self.wind_of(seat, players).english

    def seats_named(self, key: str, players: int) -> tuple[Seat, ...]:
        """The seats that are listed under an extra key."""
        named = self.extra.get(key, ())
        if not isinstance(named, list | tuple) or any(seat not in seats(players) for seat in named):
            raise CaseError(f"{key} is a list of seats 0 to {players - 1}, not {named!r}")
        return tuple(Seat(seat) for seat in named)

    def says(self, key: str) -> bool | None:
        """What an extra key says, yes or no; None where it is not named."""
        named = self.extra.get(key)
        if named is None or isinstance(named, bool):
            return named
        raise CaseError(f"{key} is true or false, not {named!r}")

    def robs_concealed_kong(self) -> bool:
        """The extra key ``robbed_kong`` says that the robbed kong is no promoted one."""
        named = self.extra.get("robbed_kong", "promoted")
        if named not in ("promoted", "concealed"):
            raise CaseError(f"robbed_kong is promoted or concealed, not {named!r}")
        return Flag.ROBBING_KONG in self.flags and named == "concealed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that counted: a yaku, a fan, a bonus, a doubling."""

    id: str
    name: str
    native: str
    value: int
    unit: str  # han, fu, fan, points, tai, doubles ...
    why: str  # the rule in one sentence, with the tiles that fulfil it


@dataclass(frozen=True, slots=True)
class Evidence:
    """A tile on the table that proves something: the place counts from 1 in the seat's pond."""

    seat: Seat
    place: int
    tile: Tile

    def lies(self, row_length: int = 6) -> str:
        """``row 2, place 4``: three rows, of which the third goes on; place 0 is no discard."""
        if not self.place:
            return "added to a kong"
        row = min((self.place - 1) // row_length, 2)
        return f"row {row + 1}, place {self.place - row_length * row}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A breach of the rules that the public record proves."""

    code: str
    seat: Seat
    text: str
    evidence: tuple[Evidence, ...] = ()
    penalty: tuple[Payment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A judged win: what counted, who pays whom and why, or why it may not stand."""

    ruleset: str
    valid: bool
    violations: tuple[Violation, ...] = ()
    items: tuple[Item, ...] = ()
    totals: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    payments: tuple[Payment, ...] = ()
    players: int = 4

    @property
    def deltas(self) -> tuple[int, ...]:
        """What each seat wins or loses."""
        return totals(self.payments, self.players)
