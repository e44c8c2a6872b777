"""Seats, winds, and who sits where."""

from __future__ import annotations

from enum import IntEnum, StrEnum

from table_controller.rules.core.tiles import Suit, Tile


class Seat(IntEnum):
    """A side of the table, counter-clockwise in the order of play; three players use A, B, C."""

    A = 0
    B = 1
    C = 2
    D = 3

    def after(self, steps: int, players: int) -> Seat:
        """The seat that many turns later; a negative number goes back."""
        return Seat((self + steps) % players)

    def turns_until(self, other: Seat, players: int) -> int:
        """How many turns after this seat the other one plays, 0 for itself."""
        return (other - self) % players


def seats(players: int) -> tuple[Seat, ...]:
    """The seats of a table for that many players."""
    return tuple(Seat)[:players]


class Wind(StrEnum):
    """A wind: of the round, or of a seat in this deal."""

    EAST = "E"
    SOUTH = "S"
    WEST = "W"
    NORTH = "N"

    @property
    def tile(self) -> Tile:
        """The wind's tile."""
        return Tile(Suit.HONOURS, "ESWN".index(self.value) + 1)

    @property
    def english(self) -> str:
        """East, South, West or North."""
        return self.name.capitalize()

    @property
    def next(self) -> Wind:
        """The wind that follows: east, south, west, north."""
        return Wind("ESWN"[("ESWN".index(self.value) + 1) % 4])


def seat_wind(seat: Seat, dealer: Seat, players: int) -> Wind:
    """The wind of a seat: the dealer is east, the next in turn south."""
    return Wind("ESWN"[dealer.turns_until(seat, players)])
