"""How tiles lie on the table: from the full state of a deal to placed tiles.

The interpreter has the way back. People do not lay tiles on a grid: every tile is a little off
its place, by an amount that stays the same while the tile lies there.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from firmware_bridge.layout import CentreKind, TableLayout
from firmware_bridge.parts import Family, LiftKind
from table_controller.config import MachineType
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import DealState, PondTile
from table_controller.rules.core.tiles import Tile
from table_controller.rules.core.wall import Wall, WallPlace
from vision.types import PlacedTile
from vision.zones import CONCEALED_KONG, MeldShape, Pose, TableGeometry


@dataclass(frozen=True, slots=True)
class Untidiness:
    """How far tiles lie from where they should, as standard deviations."""

    shift_mm: float = 0.6
    turn_deg: float = 1.2
    seed: int = 0

    def nudge(self, tile: PlacedTile, key: str) -> PlacedTile:
        """The tile a little off its place; the same key gives the same nudge."""
        rng = random.Random(f"{self.seed} {key}")
        x, y = tile.centre_mm
        return replace(
            tile,
            centre_mm=(x + rng.gauss(0, self.shift_mm), y + rng.gauss(0, self.shift_mm)),
            angle_deg=(tile.angle_deg + rng.gauss(0, self.turn_deg)) % 360,
        )


TIDY = Untidiness(0.0, 0.0)


def geometry_for(ruleset: Ruleset[Any], options: Any) -> TableGeometry:
    """How the tiles of this game lie on the table."""
    assert ruleset.play is not None
    sides = ruleset.play.sides
    row = ruleset.play.pond_row(options)
    return TableGeometry(
        seats=tuple(range(ruleset.players_with(options))) if sides is None else sides(options),
        wall_stacks=stacks_of(ruleset, options),
        pond_row_length=row,
    )


def stacks_of(ruleset: Ruleset[Any], options: Any) -> tuple[int, int, int, int]:
    """Stacks in front of the four sides."""
    assert ruleset.play is not None
    a, b, c, d = (*ruleset.play.wall(options).stacks, 0, 0, 0)[:4]
    return a, b, c, d


def machine_layout(ruleset: Ruleset[Any], options: Any, machine: MachineType) -> TableLayout:
    """What the machine has to build for this game."""
    return TableLayout(
        ruleset.name,
        stacks_of(ruleset, options),
        family=Family[machine.family.upper()],
        lifts=LiftKind[machine.lifts.upper()],
        centre=CentreKind(machine.centre),
    )


@dataclass(frozen=True, slots=True)
class StandingWall:
    """The wall of a deal where it stands: its tiles, and the place of each in draw order."""

    wall: Wall
    places: Sequence[WallPlace]


def laid_out(
    state: DealState,
    geometry: TableGeometry,
    standing: StandingWall | None = None,
    untidy: Untidiness = TIDY,
    *,
    open_hands: bool = False,
) -> list[PlacedTile]:
    """Every tile on the table as it lies for this state; hands stand unless they are played open,
    and what is unknown of a standing one is a blank tile."""
    placed: list[PlacedTile] = []
    for seat in seats(state.players):
        for key, tile in _seat(state, seat, geometry, is_open=open_hands):
            placed.append(untidy.nudge(tile, f"{state.number} {seat} {key}"))
    if standing is not None:
        placed.extend(_wall(state, geometry, standing))
    return placed


def pond_on_table(pond: Sequence[PondTile]) -> list[tuple[Tile, bool]]:
    """The discards that still lie there, and whether sideways.

    When the sideways tile of a ready declaration is called, the next one is turned in its stead.
    """
    lying: list[tuple[Tile, bool]] = []
    owed = False
    for discard in pond:
        turned = discard.turned or owed
        owed = turned and discard.called_by is not None
        if discard.called_by is None:
            lying.append((discard.tile, turned))
    return lying


def meld_on_table(meld: Meld, seat: Seat, players: int) -> tuple[MeldShape, list[Tile | None]]:
    """How a meld is laid: the called tile lies sideways on the side of the seat it came from.

    None is a face-down tile. The tiles are in the order of the shape's poses.
    """
    if meld.kind is MeldKind.CONCEALED_KONG:
        tiles: list[Tile | None] = list(meld.tiles)
        return CONCEALED_KONG, [None, tiles[1], tiles[2], None]
    own = list(meld.tiles)
    added = own.pop() if meld.kind is MeldKind.ADDED_KONG else None
    called = meld.called if meld.called in own else own[-1]
    own.remove(called)
    row = len(own) + 1
    if meld.source is None:
        sideways = 0
    else:
        sideways = {players - 1: 0, 1: row - 1}.get(seat.turns_until(meld.source, players), 1)
    own.sort()
    own.insert(sideways, called)
    shape = MeldShape(row + (added is not None), sideways=sideways, added=added is not None)
    return shape, [*own, *([added] if added is not None else [])]


def _seat(
    state: DealState, seat: Seat, geometry: TableGeometry, *, is_open: bool
) -> Iterator[tuple[str, PlacedTile]]:
    holder, side = state.seats[seat], geometry.seats[seat]
    lying = pond_on_table(holder.pond)
    sideways = [place for place, (_, turned) in enumerate(lying) if turned]
    for place, (tile, _) in enumerate(lying):
        pose = geometry.pond_place(side, place, sideways)
        yield f"pond {place} {tile}", pose.of(str(tile))
    laid = [meld_on_table(meld, seat, state.players) for meld in holder.melds]
    poses = geometry.meld_poses(side, [shape for shape, _ in laid])
    for number, ((_, tiles), meld_poses) in enumerate(zip(laid, poses, strict=True)):
        for place, (lying_tile, pose) in enumerate(zip(tiles, meld_poses, strict=True)):
            label = "bk" if lying_tile is None else str(lying_tile)
            yield f"meld {number} {place}", pose.of(label)
    for place, (tile, pose) in enumerate(
        zip(holder.bonus, geometry.flower_poses(side, len(holder.bonus)), strict=True)
    ):
        yield f"bonus {place} {len(holder.bonus)}", pose.of(str(tile))
    yield from _hand(state, seat, geometry, is_open=is_open)


def _hand(
    state: DealState, seat: Seat, geometry: TableGeometry, *, is_open: bool
) -> Iterator[tuple[str, PlacedTile]]:
    holder, side = state.seats[seat], geometry.seats[seat]
    if holder.shown is None and not is_open:
        count = len(holder.hand)
        for place, pose in enumerate(geometry.hand_poses(side, count)):
            yield f"hand {place} {count}", pose.of("bk")
        return
    drawn = holder.drawn
    if holder.shown is not None:
        tiles = sorted(holder.shown)
        self_drawn = any(c.seat is seat and c.source is None for c in state.claims)
        drawn = holder.winning_tile if self_drawn else None
    else:
        tiles = sorted(tile for tile in holder.hand if tile is not None)
        if drawn is not None:
            tiles.remove(drawn)
    if drawn is not None:
        tiles.append(drawn)
    poses = geometry.hand_poses(side, len(tiles), shown=True, drawn_apart=drawn is not None)
    for place, (tile, pose) in enumerate(zip(tiles, poses, strict=True)):
        yield f"shown {place}", pose.of(str(tile))


def _wall(
    state: DealState, geometry: TableGeometry, standing: StandingWall
) -> Iterator[PlacedTile]:
    wall = standing.wall
    up = set(wall.indicators[: wall.shown])
    under = wall.under[: len(state.under_indicators)]
    for index in wall.standing():
        place = standing.places[index]
        if index in under:
            continue
        pose = geometry.wall_place(place.side, place.stack, place.layer, face_up=index in up)
        yield pose.of(str(wall.tiles[index]) if index in up else "bk")
    aside: dict[int, int] = {}
    for index in under:
        place = standing.places[index]
        number = aside[place.side] = aside.get(place.side, 0) + 1
        yield _beside_wall(state, geometry, place, number).of(str(wall.tiles[index]))


def _beside_wall(state: DealState, geometry: TableGeometry, place: WallPlace, number: int) -> Pose:
    """The tile under an indicator is laid open beside the wall, clear of tiles set aside there."""
    side = place.side
    x, _ = geometry.seat_frame(side, geometry.wall_place(side, place.stack, 0).centre_mm)
    owner = geometry.seats.index(side) if side in geometry.seats else None
    bonus = 0 if owner is None else len(state.seats[owner].bonus)
    clear = bonus * geometry.pitch_mm / 2
    if bonus and abs(x) < clear + geometry.tile.length_mm:
        x = clear + geometry.tile.length_mm * number
    beside = geometry.flower_poses(side, 1)[0]
    _, y = geometry.seat_frame(side, beside.centre_mm)
    return replace(beside, centre_mm=geometry.from_seat(side, (x, y)))
