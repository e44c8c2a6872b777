"""Where things lie on the play surface, in table millimetres, both ways.

``TableGeometry`` says how big the parts are; from it come the poses of ponds, melds, hands, flowers
and walls (for the renderer and the simulator) and the zone of any point (for reading scenes).

Seat coordinates are table coordinates turned so that the seat sits at the bottom: x grows to the
seat's right, y away from it. From the centre outward each seat has its pond, its wall, its row of
flowers, its hand and, at the edge, its melds, which begin at its right corner and grow leftward.

    geometry = TableGeometry()
    tile = geometry.pond_place(seat=2, index=7).of("5p")
    geometry.zone_of(tile.centre_mm)  # Zone(ZoneKind.POND, 2)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from vision.types import Facing, PlacedTile, Sighting, Zone, ZoneKind

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class TileSize:
    """A tile's measures; ``thickness_mm`` is what stands up when it lies on its back."""

    width_mm: float = 20.0
    length_mm: float = 26.5
    thickness_mm: float = 16.0


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a tile lies, before anyone says which tile it is."""

    centre_mm: Point
    angle_deg: float
    facing: Facing = Facing.UP
    layer: int = 0

    def of(self, label: str) -> PlacedTile:
        """That tile, lying here."""
        return PlacedTile(label, self.centre_mm, self.angle_deg, self.facing, self.layer)


@dataclass(frozen=True, slots=True)
class MeldShape:
    """How a meld lies: which of its tiles, counted from the left, lie sideways or face down.

    ``added`` is the tile of an added kong: it lies sideways above the sideways tile and is the
    last of the meld's poses.
    """

    tiles: int
    sideways: int | None = None
    face_down: tuple[int, ...] = ()
    added: bool = False

    def __post_init__(self) -> None:
        if self.tiles < 1:
            raise ValueError(f"a meld of {self.tiles} tiles cannot lie on the table")
        row = self.tiles - self.added
        if self.sideways is not None and not 0 <= self.sideways < row:
            raise ValueError(
                f"sideways tile {self.sideways} is not among the {row} tiles of the row"
            )
        if self.added and self.sideways is None:
            raise ValueError("an added kong needs the sideways tile it is added to")


CONCEALED_KONG = MeldShape(4, face_down=(0, 3))


@dataclass(frozen=True, slots=True)
class TableGeometry:
    """The measures of one table; every zone and pose follows from them.

    ``wall_stacks`` counts the stacks in front of seats 0 to 3; a three-player table leaves one of
    the ``seats`` out and keeps or loses that side's wall.
    """

    seats: tuple[int, ...] = (0, 1, 2, 3)
    tile: TileSize = TileSize()
    gap_mm: float = 0.4  # between neighbours pushed together by hand
    felt_mm: float = 720.0
    centre_mm: float = 130.0
    pond_row_length: int = 6
    pond_rows: int = 3
    pond_last_row_length: int = 12
    pond_from_mm: float = 72.0
    wall_stacks: tuple[int, int, int, int] = (17, 17, 17, 17)
    wall_from_mm: float = 195.0
    flowers_from_mm: float = 232.0
    hand_from_mm: float = 270.0
    melds_to_mm: float = 354.0
    meld_gap_mm: float = 5.0
    drawn_gap_mm: float = 8.0

    def __post_init__(self) -> None:
        if not set(self.seats) <= {0, 1, 2, 3} or len(set(self.seats)) != len(self.seats):
            raise ValueError(f"seats {self.seats} are not different numbers from 0 to 3")
        edges = (
            ("pond_from_mm", self.pond_from_mm, self.centre_mm / 2),
            ("wall_from_mm", self.wall_from_mm, self.pond_from_mm + 4 * self.row_pitch_mm),
            ("flowers_from_mm", self.flowers_from_mm, self.wall_from_mm + self.tile.length_mm),
            ("hand_from_mm", self.hand_from_mm, self.flowers_from_mm + self.tile.length_mm),
            ("melds_to_mm", self.melds_to_mm, self.melds_from_mm_at_least + self.meld_depth_mm),
        )
        for name, value, least in edges:
            if value < least:
                raise ValueError(
                    f"{name} {value:g} mm overlaps its neighbour, which needs {least:g}"
                )

    @property
    def pitch_mm(self) -> float:
        """From one tile to the next in a row."""
        return self.tile.width_mm + self.gap_mm

    @property
    def row_pitch_mm(self) -> float:
        """From one pond row to the next."""
        return self.tile.length_mm + self.gap_mm

    @property
    def meld_depth_mm(self) -> float:
        """How deep the row of melds is: two sideways tiles of an added kong, or one upright."""
        return max(2 * self.tile.width_mm + self.gap_mm, self.tile.length_mm)

    @property
    def melds_from_mm_at_least(self) -> float:
        """Where the hand ends and melds may begin."""
        return self.hand_from_mm + self.tile.length_mm

    @property
    def pond_left_mm(self) -> float:
        """Where pond rows begin; long rows grow to the right only, away from the left neighbour."""
        if self._is_face_to_face:
            return -self.pond_row_length * self.pitch_mm / 2
        return max(-self.pond_row_length * self.pitch_mm / 2, -self.centre_mm / 2 + self.gap_mm)

    @property
    def _is_face_to_face(self) -> bool:
        """Two sit opposite each other: nobody is beside their ponds."""
        return set(self.seats) in ({0, 2}, {1, 3})

    # Seat coordinates

    def seat_frame(self, seat: int, point: Point) -> Point:
        """A table point as the seat sees it: x to its right, y away from it."""
        return turn(point, -90 * seat)

    def from_seat(self, seat: int, point: Point) -> Point:
        """A point in seat coordinates, back on the table."""
        return turn(point, 90 * seat)

    def seat_angle(self, seat: int, angle_deg: float) -> float:
        """A table angle as the seat sees it, from -180 (not included) to 180."""
        return 180 - (180 - (angle_deg - 90 * seat)) % 360

    def is_sideways(self, seat: int, angle_deg: float) -> bool:
        """Whether a tile lies across for this seat; upside down is not sideways."""
        return abs(math.sin(math.radians(angle_deg - 90 * seat))) > math.sqrt(0.5)

    # Poses

    def pond_place(self, seat: int, index: int, sideways: Collection[int] = ()) -> Pose:
        """The place of the tile with this number in a pond; ``sideways`` names such tiles."""
        if index < 0:
            raise ValueError(f"pond place {index} does not exist; places count from 0")
        row, first = self._pond_row(index)
        x = self.pond_left_mm
        for place in range(first, index):
            x += self._row_width(place in sideways)
        across = index in sideways
        x += self._row_width(across) / 2
        y = -(self.pond_from_mm + row * self.row_pitch_mm + self.tile.length_mm / 2)
        if across:  # sideways tiles line up with their row at the owner's side
            y -= (self.tile.length_mm - self.tile.width_mm) / 2
        return self._pose(seat, (x, y), 90.0 if across else 0.0)

    def meld_poses(self, seat: int, melds: Sequence[MeldShape]) -> list[list[Pose]]:
        """The tiles of each meld, left to right; the first meld lies in the seat's right corner."""
        poses = []
        right = self.melds_to_mm
        for meld in melds:
            row = meld.tiles - meld.added
            widths = [self._row_width(place == meld.sideways) for place in range(row)]
            left = right - sum(widths)
            poses.append(self._meld(seat, meld, left, widths))
            right = left - self.meld_gap_mm
        return poses

    def hand_poses(
        self, seat: int, count: int, *, shown: bool = False, drawn_apart: bool = False
    ) -> list[Pose]:
        """A hand, left to right; standing tiles turn their backs away from their owner."""
        apart = self.drawn_gap_mm if drawn_apart else 0.0
        left = -(count * self.pitch_mm + apart) / 2
        facing = Facing.UP if shown else Facing.STANDING
        y = -(self.hand_from_mm + self.tile.length_mm / 2)
        poses = []
        for place in range(count):
            x = left + (place + 0.5) * self.pitch_mm
            if drawn_apart and place == count - 1:
                x += apart
            poses.append(self._pose(seat, (x, y), 0.0, facing))
        return poses

    def flower_poses(self, seat: int, count: int) -> list[Pose]:
        """Flowers and other tiles set aside, in a row before the hand."""
        y = -(self.flowers_from_mm + self.tile.length_mm / 2)
        left = -count * self.pitch_mm / 2
        return [
            self._pose(seat, (left + (place + 0.5) * self.pitch_mm, y), 0.0)
            for place in range(count)
        ]

    def wall_place(self, side: int, stack: int, layer: int, *, face_up: bool = False) -> Pose:
        """A tile of the wall; stacks count from 0 at the seat's right end."""
        stacks = self.wall_stacks[side]
        if not 0 <= stack < stacks:
            raise ValueError(f"wall {side} has stacks 0 to {stacks - 1}, not {stack}")
        x = ((stacks - 1) / 2 - stack) * self.pitch_mm
        y = -(self.wall_from_mm + self.tile.length_mm / 2)
        return self._pose(side, (x, y), 0.0, Facing.UP if face_up else Facing.DOWN, layer)

    def wall_poses(self, side: int, layers: int = 2) -> list[Pose]:
        """A full wall, stack by stack from the seat's right, upper tile first."""
        return [
            self.wall_place(side, stack, layer)
            for stack in range(self.wall_stacks[side])
            for layer in reversed(range(layers))
        ]

    # Zones

    def zone_of(self, point: Point) -> Zone:
        """The zone that a point on the felt belongs to.

        The zones are square rings around the centre. Walls, flowers and hands are cut at the
        diagonals; ponds and melds run on to their seat's right until they meet the neighbour's
        ring, like the vanes of a pinwheel.
        """
        far = max(abs(point[0]), abs(point[1]))
        if far <= self.centre_mm / 2:
            return Zone(ZoneKind.CENTRE)
        for kind, inner, outer in self._rings():
            if inner <= far < outer:
                return self._owned(kind, self._vane(point, inner))
        return Zone(ZoneKind.OUTSIDE)

    def kind_at(self, point: Point) -> ZoneKind:
        """What the ring that a point lies in is used for, also at a side where nobody sits."""
        far = max(abs(point[0]), abs(point[1]))
        if far <= self.centre_mm / 2:
            return ZoneKind.CENTRE
        kinds = (kind for kind, inner, outer in self._rings() if inner <= far < outer)
        return next(kinds, ZoneKind.OUTSIDE)

    def zones(self) -> tuple[Zone, ...]:
        """Every zone of this table but the outside."""
        kinds = [kind for kind, _, _ in self._rings()]
        owned = (self._owned(kind, seat) for kind in dict.fromkeys(kinds) for seat in range(4))
        return (Zone(ZoneKind.CENTRE), *(zone for zone in owned if zone.seat is not None))

    def in_order(self, zone: Zone, sightings: Sequence[Sighting]) -> list[list[Sighting]]:
        """The zone's tiles in rows as its seat reads them: nearest the centre first, then left to
        right."""
        seat = zone.seat or 0

        def place(sighting: Sighting) -> Point:
            return self.seat_frame(seat, sighting.centre_mm)

        rows: list[list[Sighting]] = []
        inside = [sighting for sighting in sightings if sighting.zone == zone]
        for sighting in sorted(inside, key=lambda sighting: -place(sighting)[1]):
            heights = [place(other)[1] for other in rows[-1]] if rows else []
            if heights and sum(heights) / len(heights) - place(sighting)[1] < self.row_pitch_mm / 2:
                rows[-1].append(sighting)
            else:
                rows.append([sighting])
        return [sorted(row, key=lambda sighting: place(sighting)[0]) for row in rows]

    # Measures that follow

    def _rings(self) -> list[tuple[ZoneKind, float, float]]:
        """Kind, inner and outer half side of each ring, from the centre outward."""
        tile = self.tile.length_mm
        edges = [
            self.pond_from_mm,
            middle(self.pond_from_mm + 4 * self.row_pitch_mm, self.wall_from_mm),
            middle(self.wall_from_mm + tile, self.flowers_from_mm),
            middle(self.flowers_from_mm + tile, self.hand_from_mm),
            middle(self.hand_from_mm + tile, self.melds_to_mm - self.meld_depth_mm),
            self.felt_mm / 2 + tile / 2,
        ]
        kinds = (ZoneKind.POND, ZoneKind.WALL, ZoneKind.FLOWERS, ZoneKind.HAND, ZoneKind.MELDS)
        # Between the centre unit and the first row lies a strip that belongs to the pond too.
        rings = [(ZoneKind.POND, self.centre_mm / 2, edges[0])]
        return rings + list(zip(kinds, edges[:-1], edges[1:], strict=True))

    def _vane(self, point: Point, inner: float) -> int:
        """The seat whose part of a ring the point is in."""
        kind = next(kind for kind, start, _ in self._rings() if start == inner)
        runs_on = kind is ZoneKind.MELDS or (kind is ZoneKind.POND and inner == self.pond_from_mm)
        out = {seat: -self.seat_frame(seat, point)[1] for seat in range(4)}
        if kind is ZoneKind.POND and self._is_face_to_face:
            seat = max(self.seats, key=lambda seat: out[seat])
            if out[seat] >= inner:
                return seat
        if runs_on:
            for seat in range(4):
                if out[seat] >= inner and self.seat_frame(seat, point)[0] >= -inner:
                    return seat
        return max(out, key=lambda seat: out[seat])

    def _owned(self, kind: ZoneKind, seat: int) -> Zone:
        """The seat's zone of that kind, if this table has it."""
        has_it = self.wall_stacks[seat] > 0 if kind is ZoneKind.WALL else seat in self.seats
        return Zone(kind, seat) if has_it else Zone(ZoneKind.OUTSIDE)

    def _pond_row(self, index: int) -> tuple[int, int]:
        """The row of a pond place and the first place of that row."""
        full = (self.pond_rows - 1) * self.pond_row_length
        if index < full:
            row = index // self.pond_row_length
            return row, row * self.pond_row_length
        more = (index - full) // self.pond_last_row_length
        return self.pond_rows - 1 + more, full + more * self.pond_last_row_length

    def _row_width(self, across: bool) -> float:
        """The room that one tile takes in a row."""
        return (self.tile.length_mm if across else self.tile.width_mm) + self.gap_mm

    def _meld(self, seat: int, meld: MeldShape, left: float, widths: list[float]) -> list[Pose]:
        """The poses of one meld whose row begins at ``left``."""
        tile = self.tile
        poses = []
        for place, width in enumerate(widths):
            across = place == meld.sideways
            depth = tile.width_mm if across else tile.length_mm
            y = -self.melds_to_mm + depth / 2
            facing = Facing.DOWN if place in meld.face_down else Facing.UP
            x = left + width / 2
            poses.append(self._pose(seat, (x, y), 90.0 if across else 0.0, facing))
            if across and meld.added:
                above = self._pose(seat, (x, y + tile.width_mm + self.gap_mm), 90.0)
            left += width
        return [*poses, above] if meld.added else poses

    def _pose(
        self,
        seat: int,
        point: Point,
        angle_deg: float,
        facing: Facing = Facing.UP,
        layer: int = 0,
    ) -> Pose:
        """A pose given in seat coordinates, on the table."""
        return Pose(self.from_seat(seat, point), (angle_deg + 90 * seat) % 360, facing, layer)


def turn(point: Point, angle_deg: float) -> Point:
    """A point turned counter-clockwise around the centre; quarter turns are exact."""
    x, y = point
    quarters, rest = divmod(angle_deg, 90)
    for _ in range(int(quarters) % 4):
        x, y = -y, x
    if rest:
        cosine, sine = math.cos(math.radians(rest)), math.sin(math.radians(rest))
        x, y = cosine * x - sine * y, sine * x + cosine * y
    return x, y


def middle(one: float, other: float) -> float:
    """Half way between two measures."""
    return (one + other) / 2
