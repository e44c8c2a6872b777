"""Label -> tile, scene -> events: the only module that knows both vocabularies.

`read_scene` sorts the sightings of a scene into ponds, melds, flowers, indicators and shown hands.
`explain` then asks what must have happened since the state was last known, playing the deal
forward in turn order: a tile that is new in a pond was discarded, one that lies sideways in a new
meld was called from the seat that its place in the meld points at, even when the camera never saw
it in that seat's pond. Draws cannot be seen; they are put before the action that needed them.
What is doubtful becomes a `Doubted` event beside the best reading; nothing is guessed silently.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import hypot
from typing import Any

from table_controller.layout import pond_on_table
from table_controller.rules.core.errors import NotationError
from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    Doubted,
    Drawn,
    DrawReturned,
    GameEvent,
    IndicatorShown,
    JokerExchanged,
    KongDeclared,
    MeldCalled,
    MeldChanged,
    MeldReturned,
    Paid,
    ReadyAccepted,
    ReadyDeclared,
)
from table_controller.rules.core.game import Play
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import (
    Awaiting,
    DealState,
    Offered,
    apply,
    claimable_after_draw,
    fresh_call,
)
from table_controller.rules.core.tiles import JOKER, Tile, TileSet, format_tiles
from vision.types import Scene, Sighting, Zone, ZoneKind
from vision.zones import TableGeometry

logger = logging.getLogger(__name__)

BACK = "bk"
NOT_A_TILE = "no"
# A face that is read with less is never sure, whatever else is impossible there: a lamp that
# blinds the camera makes any face look blank.
LEAST_SHARE = 0.5
UNREAD = JOKER  # stands for a discard that the camera never saw, until somebody says what it is


def tile_of(label: str) -> Tile | None:
    """The tile a label names; None for a back, for no tile, and for labels the rules lack."""
    if label in (BACK, NOT_A_TILE):
        return None
    if len(label) == 2 and label[0] in "fgac" and label[1].isdigit():
        label = label[::-1]  # data files write f1
    try:
        return Tile.parse(label)
    except NotationError:
        logger.warning("the model knows a label the rules do not: %s", label)
        return None


@dataclass(frozen=True, slots=True)
class Seen:
    """One tile as read: None is a back. ``x_mm`` and ``y_mm`` are as its seat sees the table."""

    tile: Tile | None
    confidence: float
    turned: bool
    x_mm: float
    y_mm: float
    others: tuple[tuple[Tile, float], ...] = ()
    is_covered: bool = False
    back: float = 0.0  # how likely it lies face down
    apart: bool = False  # in a row of melds: a gap divides it from its neighbour to the right
    sighting: Sighting | None = None  # what the reader said


@dataclass(frozen=True, slots=True)
class SeatReading:
    """What lies before one seat. ``melds`` run from the seat's right corner leftward."""

    pond: tuple[Seen, ...] = ()
    melds: tuple[Seen, ...] = ()
    added: tuple[Seen, ...] = ()  # tiles laid above a sideways one: the fourth of a kong
    bonus: tuple[Seen, ...] = ()
    hand: tuple[Seen, ...] = ()  # face up, left to right


@dataclass(frozen=True, slots=True)
class TableReading:
    """One scene, sorted by what it means."""

    seats: tuple[SeatReading, ...]
    indicators: tuple[Seen, ...] = ()  # face up in a wall, in table coordinates
    beside: tuple[Seen, ...] = ()  # face up between walls and hands, likewise, bonus tiles too
    time_s: float = 0.0


def read_scene(scene: Scene, geometry: TableGeometry, players: int) -> TableReading:
    """The scene's sightings sorted into ponds, melds, flowers, hands and indicators."""
    sightings = [s for s in scene.sightings if s.label != NOT_A_TILE]
    readings = []
    for side in geometry.seats[:players]:
        pond = geometry.in_order(Zone(ZoneKind.POND, side), sightings)
        row, added = _meld_row(geometry, side, sightings)
        bonus = geometry.in_order(Zone(ZoneKind.FLOWERS, side), sightings)
        hand = geometry.in_order(Zone(ZoneKind.HAND, side), sightings)
        readings.append(
            SeatReading(
                pond=tuple(_seen(geometry, side, s) for line in pond for s in line),
                melds=row,
                added=added,
                bonus=_faces(geometry, side, bonus),
                hand=_faces(geometry, side, hand),
            )
        )
    indicators = [
        _seen(geometry, 0, s)
        for s in sightings
        if s.zone.kind is ZoneKind.WALL and tile_of(s.label) is not None
    ]
    beside = [
        _seen(geometry, 0, s)
        for s in sightings
        if geometry.kind_at(s.centre_mm) is ZoneKind.FLOWERS and tile_of(s.label) is not None
    ]
    return TableReading(tuple(readings), tuple(indicators), tuple(beside), scene.time_s)


def _faces(
    geometry: TableGeometry, seat: int, rows: Iterable[Sequence[Sighting]]
) -> tuple[Seen, ...]:
    found = [_seen(geometry, seat, s) for row in rows for s in row]
    return tuple(seen for seen in found if seen.tile is not None)


def _seen(geometry: TableGeometry, seat: int, sighting: Sighting) -> Seen:
    x, y = geometry.seat_frame(seat, sighting.centre_mm)
    shares = [(guess.label, guess.confidence) for guess in sighting.others]
    others = [(tile_of(label), confidence) for label, confidence in shares]
    return Seen(
        tile_of(sighting.label),
        sighting.confidence,
        geometry.is_sideways(seat, sighting.angle_deg),
        x,
        y,
        tuple((tile, confidence) for tile, confidence in others if tile is not None),
        sighting.is_covered,
        dict([(sighting.label, sighting.confidence), *shares]).get(BACK, 0.0),
        sighting=sighting,
    )


def _meld_row(
    geometry: TableGeometry, seat: int, sightings: Sequence[Sighting]
) -> tuple[tuple[Seen, ...], tuple[Seen, ...]]:
    """The row of melds from right to left, and the tiles laid above it.

    A tile above another one is more than half a tile further in than the row's sideways tiles.
    """
    zone = Zone(ZoneKind.MELDS, seat)
    found = [_seen(geometry, seat, s) for s in sightings if s.zone == zone]
    limit = -geometry.melds_to_mm + geometry.tile.length_mm / 2 + geometry.tile.width_mm / 2
    row = [seen for seen in found if seen.y_mm < limit]
    above = [seen for seen in found if seen.y_mm >= limit]
    row.sort(key=lambda seen: -seen.x_mm)
    width = {False: geometry.tile.width_mm, True: geometry.tile.length_mm}
    for place in range(1, len(row)):
        right, left = row[place - 1], row[place]
        gap = right.x_mm - left.x_mm - (width[right.turned] + width[left.turned]) / 2
        row[place] = replace(left, apart=gap > geometry.meld_gap_mm / 2)
    return tuple(row), tuple(sorted(above, key=lambda seen: -seen.x_mm))


# --- From reading to events --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rules:
    """What the interpreter must know of the game that is played."""

    play: Play
    options: Any
    tile_set: TileSet
    sure_at: float = 0.80  # below this confidence a person is asked
    geometry: TableGeometry = field(default_factory=TableGeometry)
    until_covered: bool = False  # a discard is claimed though the next player has drawn


def likeliest(
    seen: Seen, tile_set: TileSet, *, face_up: bool = False
) -> tuple[Tile | None, float, tuple[Tile, ...]]:
    """The tile that was read, how sure that is, and what else it may be.

    What cannot lie there does not count: tiles that the set lacks, and the back of a tile where
    every tile lies ``face_up``. A blank white dragon looks like a back, and in a pond is none.
    """
    number_of = tile_set.number_of
    if seen.tile is None and not face_up:
        return None, seen.confidence, ()
    shares: dict[Tile, float] = {}
    impossible = seen.back if face_up else 0.0
    for tile, share in ((seen.tile, seen.confidence), *seen.others):
        if tile is None:
            continue
        if not number_of.get(tile, 0):
            tile = tile.face  # a red five in a set that has none
        if number_of.get(tile, 0):
            shares[tile] = shares.get(tile, 0.0) + share
        else:
            impossible += share
    if not shares:
        return None, 0.0, ()
    (best, share), *rest = sorted(shares.items(), key=lambda item: -item[1])
    if share < LEAST_SHARE:
        return best, share, tuple(tile for tile, _ in rest)
    return best, min(1.0, share / max(1.0 - impossible, share)), tuple(tile for tile, _ in rest)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What happened since the last scene, in order; ``left_over`` says what stays unexplained."""

    events: tuple[GameEvent, ...]
    state: DealState
    left_over: str | None = None


def explain(
    state: DealState,
    reading: TableReading,
    rules: Rules,
    ready_keys: frozenset[Seat] = frozenset(),
    *,
    patient: bool = True,
) -> Explanation:
    """The events that lead from the state to what the scene shows.

    ``ready_keys`` are the seats that pressed their ready key and have not discarded since. Who is
    not ``patient`` any more takes it that a discard was never seen when play has gone on without.
    """
    reader = _Reader(state, reading, rules, ready_keys, patient=patient)
    reader.run()
    return Explanation(tuple(reader.events), reader.state, reader.left_over())


@dataclass(frozen=True, slots=True)
class _NewMeld:
    """A meld that lies there and is not in the state yet, with the tile that was called."""

    meld: Meld
    seen: tuple[Seen, ...]
    called: Tile | None
    source: Seat | None


class _Reader:
    """Plays the deal forward until it looks like the reading."""

    def __init__(
        self,
        state: DealState,
        reading: TableReading,
        rules: Rules,
        ready_keys: frozenset[Seat],
        *,
        patient: bool,
    ) -> None:
        self.state = state
        self.reading = reading
        self.rules = rules
        self.ready_keys = set(ready_keys)
        self.patient = patient
        self.events: list[GameEvent] = []

    def run(self) -> None:
        """Take steps until nothing more is explained."""
        for _ in range(200):  # a deal has fewer events than that
            self._first_bonus_tiles()
            if not (self._call() or self._own_turn()):
                break
        self._indicators()

    def left_over(self) -> str | None:
        """What the scene shows and the state does not: somebody acted out of turn, or a misread."""
        for seat in seats(self.state.players):
            holder, read = self.state.seats[seat], self.reading.seats[seat]
            wind = self._wind(seat)
            lying = pond_on_table(holder.pond)
            have, see = len(lying), len(read.pond)
            if see == have + 1 and seat is not self.state.turn:
                return (
                    f"a new discard of {wind} while {self._wind(self.state.turn)} is on turn: out"
                    " of turn, or was a tile missed?"
                )
            if see > have:
                return f"pond of {wind}: {see - have} more than known"
            if see < have - sum(self._is_unread(tile) for tile, _ in lying):
                return f"pond of {wind}: {have - see} missing"
            more = len(read.melds) - _in_row(holder.melds)
            if more > 0:
                return f"{wind} lays {more} tiles open that are no meld"
        return None

    def _is_unread(self, tile: Tile) -> bool:
        return tile is UNREAD and not self.rules.tile_set.number_of.get(UNREAD, 0)

    def _wind(self, seat: Seat) -> str:
        return self.state.wind_of(seat).name.lower()

    def _do(self, event: GameEvent) -> None:
        kong = kong_paid_by(self.state, event)
        if kong is not None:
            self._pay(kong)
        self.state = apply(self.state, event)
        self.events.append(event)
        if isinstance(event, BonusSetAside | MeldCalled):
            self._pay(event)

    def _pay(self, event: GameEvent) -> None:
        """What the event costs at once, where the game has such payments."""
        payments = self.rules.play.instant_payments(self.state, event, self.rules.options)
        if payments:
            paid = Paid(payments=payments)
            self.state = apply(self.state, paid)
            self.events.append(paid)

    # Calls

    def _call(self) -> bool:
        """A discard on offer that now lies in another seat's meld."""
        offer = self.state.offer
        if self.state.awaiting is not Awaiting.CLAIMS:
            return self._call_taken_back() or self._call_after_draw()
        if offer is None or offer.is_kong:
            return False
        if self._still_lies(offer.seat):
            return self._late_call(offer.seat)
        for step in range(1, self.state.players):
            seat = offer.seat.after(step, self.state.players)
            if self._has_gone(offer.seat) and self._put_on_pung(seat, offer.seat, offer.tile):
                return True
            for new in self._new_melds(seat):
                if new.source is offer.seat and _same_face(new.called, offer.tile):
                    self._ready_stands()
                    self._call_meld(seat, new, offer.tile)
                    return True
        return self._late_call(offer.seat)

    def _call_taken_back(self) -> bool:
        """The meld just laid is gone: its tile lies in the pond again, or another seat, whose pung
        or kong comes before a chow, has it.
        """
        call = fresh_call(self.state)
        if call is None:
            return False
        seat = self.state.turn
        if len(self.reading.seats[seat].melds) > _in_row(self.state.seats[seat].melds[:-1]):
            return False  # it lies there
        pond = self.reading.seats[call.seat].pond
        lies_again = len(pond) == len(pond_on_table(self.state.seats[call.seat].pond)) + 1
        new = self._pung_of(call, but=seat)
        if new is None and not (lies_again and _may_be(pond[-1], call.tile)):
            return False
        self._do(MeldReturned(seat=seat))
        if new is not None:
            self._call_meld(*new, call.tile)
        return True

    def _call_after_draw(self) -> bool:
        """A pung or kong of a discard after which the next has drawn: that tile goes back."""
        last = claimable_after_draw(self.state) if self.rules.until_covered else None
        new = None if last is None else self._pung_of(last, but=self.state.turn)
        if last is None or new is None:
            return False
        self._do(DrawReturned(seat=self.state.turn))
        self._call_meld(*new, last.tile)
        return True

    def _pung_of(self, discard: Offered, *, but: Seat) -> tuple[Seat, _NewMeld] | None:
        """Who else has laid that discard down in a new pung or kong."""
        for step in range(1, self.state.players):
            seat = discard.seat.after(step, self.state.players)
            for new in self._new_melds(seat) if seat is not but else ():
                is_it = new.source is discard.seat and _same_face(new.called, discard.tile)
                if is_it and new.meld.kind is not MeldKind.CHOW:
                    return seat, new
        return None

    def _late_call(self, last: Seat) -> bool:
        """A discard before the last one that only now went into another seat's meld."""
        for source in seats(self.state.players):
            lying = pond_on_table(self.state.seats[source].pond)
            if source is last or not lying or not self._has_gone(source):
                continue
            if self.state.seats[source].pond[-1].called_by is not None:
                continue
            tile = lying[-1][0]
            for step in range(1, self.state.players):
                seat = source.after(step, self.state.players)
                for new in self._new_melds(seat):
                    if new.source is source and _same_face(new.called, tile):
                        self._call_meld(seat, new, tile)
                        return True
        return False

    def _put_on_pung(self, seat: Seat, source: Seat, tile: Tile) -> bool:
        """The discard lies on the seat's own pung, which no rules allow."""
        melds = self.state.seats[seat].melds
        grown = sum(m.kind is MeldKind.ADDED_KONG and m.tile == tile.face for m in melds)
        laid = [self._tile(seen) for seen in self.reading.seats[seat].added]
        pung = next((m for m in melds if m.kind is MeldKind.PUNG and m.tile == tile.face), None)
        if pung is None or sum(_same_face(each, tile) for each in laid) <= grown:
            return False
        self._ready_stands()
        tiles = (*pung.tiles, tile)
        self._do(MeldCalled(seat=seat, meld=Meld(MeldKind.ADDED_KONG, tiles, source, tile)))
        return True

    def _has_gone(self, seat: Seat) -> bool:
        """A tile is gone from the seat's pond, not only read otherwise."""
        lying = pond_on_table(self.state.seats[seat].pond)
        return len(self.reading.seats[seat].pond) < len(lying)

    def _still_lies(self, seat: Seat) -> bool:
        """The last discard of the seat is still in its pond."""
        lying = pond_on_table(self.state.seats[seat].pond)
        pond = self.reading.seats[seat].pond
        return len(pond) >= len(lying) and _may_be(pond[len(lying) - 1], lying[-1][0])

    def _call_meld(self, seat: Seat, new: _NewMeld, offered: Tile) -> None:
        tiles = list(new.meld.tiles)
        if new.called is not None and new.called != offered:  # read otherwise than in the pond
            tiles[tiles.index(new.called)] = offered
        meld = replace(new.meld, tiles=tuple(tiles), source=new.source, called=offered)
        self._do(MeldCalled(seat=seat, meld=meld))
        self._doubt(seat, None, new.seen, face_up=True)

    # Own turn

    def _own_turn(self) -> bool:
        """Something the seat on turn did: bonus tile, kong, discard."""
        if self.state.awaiting not in (Awaiting.CLAIMS, Awaiting.DRAW, Awaiting.DISCARD):
            return False
        seat = self.state.turn
        return (
            self._bonus(seat)
            or self._concealed_kong(seat)
            or self._added_kong(seat)
            or self._exchanged_joker(seat)
            or self._changed_meld(seat)
            or self._discard(seat)
            or self._unseen_discard(seat)
            or self._unread_discard(seat)
        )

    def _draw(self, seat: Seat) -> bool:
        """Let the seat draw where it must; False when it cannot have."""
        self._ready_stands()
        if self.state.awaiting is Awaiting.DISCARD:
            return True
        if self.rules.play.goes_on_unreplaced(self.state, self.rules.options):
            return True
        replaces = self.state.replacement or self.state.after_kong
        if not (self.state.can_replace if replaces else self.state.wall_left > 0):
            return False
        self._do(Drawn(seat=seat, replacement=replaces))
        return True

    def _ready_stands(self) -> None:
        offer = self.state.offer
        if offer is None or offer.is_kong or self.state.awaiting is not Awaiting.CLAIMS:
            return
        if self.state.seats[offer.seat].ready_pending:
            deposit = self.rules.play.deposit(self.rules.options)
            self._do(ReadyAccepted(seat=offer.seat, deposit=deposit))

    def _bonus(self, seat: Seat) -> bool:
        known = Counter(self.state.seats[seat].bonus)
        for seen in self.reading.seats[seat].bonus:
            tile = self._tile(seen)
            if tile is None or not self.rules.play.is_bonus(tile, self.rules.options):
                continue
            if known[tile]:
                known[tile] -= 1
                continue
            if not self._draw(seat):
                return False
            self._do(BonusSetAside(seat=seat, tile=tile))
            self._doubt(seat, None, (seen,), face_up=True)
            return True
        return False

    def _first_bonus_tiles(self) -> None:
        """Bonus tiles that seats not on turn were dealt; each is replaced at once."""
        for seat in seats(self.state.players):
            if seat is self.state.turn or self.state.seats[seat].pond:
                continue
            known = Counter(self.state.seats[seat].bonus)
            for seen in self.reading.seats[seat].bonus:
                tile = self._tile(seen)
                if tile is None or not self.rules.play.is_bonus(tile, self.rules.options):
                    continue
                if known[tile]:
                    known[tile] -= 1
                elif self.state.can_replace:
                    self._do(BonusSetAside(seat=seat, tile=tile))
                    self._do(Drawn(seat=seat, replacement=True))
                    self._doubt(seat, None, (seen,), face_up=True)

    def _concealed_kong(self, seat: Seat) -> bool:
        for new in self._new_melds(seat):
            if new.meld.kind is MeldKind.CONCEALED_KONG and self._draw(seat):
                self._do(KongDeclared(seat=seat, meld=new.meld))
                faces = [seen for seen in new.seen if seen.tile is not None]
                self._doubt(seat, None, faces, face_up=True)
                return True
        return False

    def _added_kong(self, seat: Seat) -> bool:
        known = Counter(
            meld.tile for meld in self.state.seats[seat].melds if meld.kind is MeldKind.ADDED_KONG
        )
        pungs = {
            meld.tile: meld for meld in self.state.seats[seat].melds if meld.kind is MeldKind.PUNG
        }
        for seen in self.reading.seats[seat].added:
            tile = self._tile(seen)
            if tile is None:
                continue
            face = tile.face if not tile.is_joker else self._below(seat, seen)
            if known[face]:
                known[face] -= 1
                continue
            pung = pungs.get(face)
            if pung is None or not self._draw(seat):
                continue
            grown = Meld(MeldKind.ADDED_KONG, (*pung.tiles, tile), pung.source, pung.called)
            self._do(KongDeclared(seat=seat, meld=grown, added=tile))
            self._doubt(seat, None, (seen,), face_up=True)
            return True
        return False

    def _below(self, seat: Seat, above: Seen) -> Tile:
        """The face of the sideways tile on which a joker was laid; itself where there is none."""
        assert above.tile is not None
        row = [seen for seen in self.reading.seats[seat].melds if seen.turned and seen.tile]
        nearest = min(row, key=lambda seen: abs(seen.x_mm - above.x_mm), default=above)
        return (nearest.tile or above.tile).face

    def _exchanged_joker(self, seat: Seat) -> bool:
        """A joker of a known meld, anybody's, gave way to the tile that it stood for."""
        for owner in seats(self.state.players):
            row = list(self.reading.seats[owner].melds)
            for place, meld in enumerate(self.state.seats[owner].melds):
                size = len(meld.tiles) - (meld.kind is MeldKind.ADDED_KONG)
                lying, row = [self._tile(seen) for seen in row[:size]], row[size:]
                if lying.count(JOKER) >= meld.tiles.count(JOKER) or None in lying:
                    continue
                more = Counter(tile for tile in lying if tile is not None) - Counter(meld.tiles)
                natural = next(iter(more), None)
                if natural is not None and self._draw(seat):
                    event = JokerExchanged(seat=seat, owner=owner, place=place, tile=natural)
                    self._do(event)
                    return True
        return False

    def _changed_meld(self, seat: Seat) -> bool:
        """The meld just called has more or fewer tiles than when it was first seen."""
        state, melds = self.state, self.state.seats[seat].melds
        is_fresh = state.awaiting is Awaiting.DISCARD and bool(state.offers) and bool(melds)
        if not (is_fresh and state.offers[-1].called_by is seat):
            return False
        if not self.rules.play.melds_grow(self.rules.options):
            return False
        row = self.reading.seats[seat].melds[_in_row(melds[:-1]) :]
        size = self._meld_size(row) if row else 0
        if size == len(melds[-1].tiles):
            return False
        lying = pond_on_table(state.seats[seat].pond)
        if size < len(melds[-1].tiles) and self._next_in_pond(seat, lying) is None:
            return False  # a tile may be covered: what lies there with the discard counts
        new = self._meld(seat, tuple(reversed(row[:size])))
        before, after = Counter(melds[-1].tiles), Counter(new.meld.tiles if new else ())
        if new is None or (before - after and after - before):
            return False
        meld = replace(new.meld, source=melds[-1].source, called=melds[-1].called)
        self._do(MeldChanged(seat=seat, place=len(melds) - 1, meld=meld))
        self._doubt(seat, None, new.seen)
        if before - after:  # or a tile of it was not seen: look again, then ask
            was, now = format_tiles(melds[-1].tiles), format_tiles(meld.tiles)
            question = f"{self._wind(seat)} laid {was}, now {now} lies there: is it so?"
            self._do(Doubted(question=question, seat=seat, code="reading"))
        return True

    def _discard(self, seat: Seat) -> bool:
        lying = pond_on_table(self.state.seats[seat].pond)
        seen = self._next_in_pond(seat, lying)
        if seen is None or not self._known_part_agrees(lying, self.reading.seats[seat].pond):
            return False
        tile = self._tile(seen, face_up=True)
        if tile is None or not self._draw(seat):
            return False
        self._declare_ready(seat, turned=seen.turned)
        place = len(self.state.seats[seat].pond)
        self._do(Discarded(seat=seat, tile=tile, turned=seen.turned))
        self._doubt(seat, place, (seen,), face_up=True)
        return True

    def _unread_discard(self, seat: Seat) -> bool:
        """A discard that the camera does not find, though both players after have played on."""
        players = self.state.players
        if self.patient or any(
            self._next_in_pond(other, pond_on_table(self.state.seats[other].pond)) is None
            for other in (seat.after(1, players), seat.after(2, players))
        ):
            return False
        if not self._draw(seat):
            return False
        place = len(self.state.seats[seat].pond) + 1
        question = f"discard {place} of {self._wind(seat)} was not seen: which tile is it?"
        visible = Counter(visible_tiles(self.state))
        number_of = self.rules.tile_set.number_of
        left = tuple(sorted(tile for tile, number in number_of.items() if visible[tile] < number))
        self._declare_ready(seat, turned=False)
        self._do(Discarded(seat=seat, tile=UNREAD))
        self._do(Doubted(question=question, candidates=left, seat=seat, place=place, code="unread"))
        return True

    def _next_in_pond(self, seat: Seat, lying: Sequence[tuple[Tile, bool]]) -> Seen | None:
        """The tile behind the known ones; where the camera missed one of those, by its place."""
        pond = self.reading.seats[seat].pond
        if len(pond) > len(lying):
            return pond[len(lying)]
        if not pond or not lying:
            return None
        last = pond[-1]
        here, before = self._away(seat, lying, last, 0), self._away(seat, lying, last, -1)
        return last if here < before and here < self.rules.geometry.tile.width_mm else None

    def _away(self, seat: Seat, lying: Sequence[tuple[Tile, bool]], seen: Seen, step: int) -> float:
        """How far, in millimetres, a tile lies from the place behind the known ones, or before."""
        geometry = self.rules.geometry
        place = len(lying) + step
        sideways = [index for index, (_, turned) in enumerate(lying) if turned]
        if seen.turned and step == 0:
            sideways.append(place)
        side = geometry.seats[seat]
        x, y = geometry.seat_frame(side, geometry.pond_place(side, place, sideways).centre_mm)
        return hypot(seen.x_mm - x, seen.y_mm - y)

    def _unseen_discard(self, seat: Seat) -> bool:
        """A discard that was called before the camera saw it in the pond."""
        for step in range(1, self.state.players):
            caller = seat.after(step, self.state.players)
            for new in self._new_melds(caller):
                if new.source is seat and new.called is not None and self._draw(seat):
                    self._declare_ready(seat, turned=False)
                    self._do(Discarded(seat=seat, tile=new.called))
                    return True
        return False

    def _declare_ready(self, seat: Seat, *, turned: bool) -> None:
        holder = self.state.seats[seat]
        if holder.is_ready:
            return
        if seat in self.ready_keys or (turned and self.rules.play.deposit(self.rules.options) > 0):
            self.ready_keys.discard(seat)
            self._do(ReadyDeclared(seat=seat))

    def _known_part_agrees(self, lying: Sequence[tuple[Tile, bool]], pond: Sequence[Seen]) -> bool:
        """The pond shows what is known, in order, some of it perhaps turned face down; a misread or
        missed tile stops no game.
        """
        best = [0] * (len(pond) + 1)  # the longest common part, row by row
        for tile, _ in lying:
            before = best
            best = [0]
            for place, seen in enumerate(pond):
                if seen.tile is None or _may_be(seen, tile):
                    best.append(before[place] + 1)
                else:
                    best.append(max(best[-1], before[place + 1]))
        return len(lying) - best[-1] <= max(1, len(lying) // 4)

    # Melds that are new

    def _new_melds(self, seat: Seat) -> list[_NewMeld]:
        """Melds beyond the known ones, in the order in which they were laid."""
        left = list(self.reading.seats[seat].melds[_in_row(self.state.seats[seat].melds) :])
        found = []
        while len(left) >= 3:
            size = self._meld_size(left)
            new = self._meld(seat, tuple(reversed(left[:size])))
            if new is None:
                break
            found.append(new)
            left = left[size:]
        return found

    def _meld_size(self, left: Sequence[Seen]) -> int:
        """Three or four: a kong shows a back, or four tiles of a face.

        In a game with jokers faces do not tell where a meld ends: the gap to the next one does.
        """
        if self.rules.tile_set.number_of.get(JOKER, 0):
            return next((size for size in range(1, len(left)) if left[size].apart), len(left))
        if len(left) < 4:
            return 3
        four = left[:4]
        if four[0].tile is None:
            return 4
        faces = {seen.tile.face for seen in four if seen.tile is not None}
        return 4 if len(faces) == 1 and all(seen.tile is not None for seen in four) else 3

    def _meld(self, seat: Seat, row: tuple[Seen, ...]) -> _NewMeld | None:
        """The meld that these tiles form, left to right as its seat sees them."""
        tiles = [self._tile(seen) for seen in row]
        if len(row) == 4 and tiles[0] is None and tiles[3] is None:
            face = tiles[1] or tiles[2]
            if face is None:
                return None
            return _NewMeld(Meld(MeldKind.CONCEALED_KONG, self._kong_tiles(face)), row, None, None)
        tiles = [self._tile(seen, face_up=True) for seen in row]
        sideways = [place for place, seen in enumerate(row) if seen.turned]
        if any(tile is None for tile in tiles) or len(sideways) != 1:
            return None
        known = [tile for tile in tiles if tile is not None]
        called = known[sideways[0]]
        kinds = {
            3: MeldKind.PUNG, 4: MeldKind.KONG, 5: MeldKind.QUINT, 6: MeldKind.SEXTET
        }  # fmt: skip
        if len(known) not in kinds:
            return None
        if self.rules.tile_set.are_alike(tile for tile in known if not tile.is_joker):
            kind = kinds[len(known)]
            source = self._points_at(seat, row, sideways[0])
        else:
            kind = MeldKind.CHOW
            source = self._source_of_chow(seat, called, row, sideways[0])
        meld = Meld(kind, tuple(sorted(known)), source, called)
        try:
            meld.check()
        except ValueError:
            return None
        return _NewMeld(meld, row, called, source)

    def _points_at(self, seat: Seat, row: Sequence[Seen], sideways: int) -> Seat:
        """The seat that the place of the sideways tile tells."""
        players = self.state.players
        across = 2 if players > 2 else 1
        steps = {0: players - 1, len(row) - 1: 1}.get(sideways, across)
        return seat.after(steps, players)

    def _source_of_chow(self, seat: Seat, called: Tile, row: Sequence[Seen], sideways: int) -> Seat:
        """The seat before, or the one whose tile is on offer: it may be taken from there, or has
        gone from its pond all the same.
        """
        from_any, offer = self.rules.play.chows_from_any, self.state.offer
        is_it = offer is not None and offer.seat is not seat and _same_face(called, offer.tile)
        if offer is not None and is_it and (from_any or self._has_gone(offer.seat)):
            return offer.seat
        if from_any:
            return self._points_at(seat, row, sideways)
        return seat.after(-1, self.state.players)

    def _kong_tiles(self, face: Tile) -> tuple[Tile, ...]:
        """All four tiles of a kong of which two lie face down: every copy the set has."""
        return tuple(tile for tile in self.rules.tile_set.tiles() if tile.face == face.face)

    # Indicators

    def _indicators(self) -> None:
        known = Counter(self.state.indicators)
        for seen in self.reading.indicators:
            tile = self._tile(seen)
            if tile is None:
                continue
            if known[tile]:
                known[tile] -= 1
                continue
            if self.rules.play.wall(self.rules.options).indicators:
                self._do(IndicatorShown(tile=tile))
                self._doubt(None, None, (seen,))

    # Doubt

    def _tile(self, seen: Seen, *, face_up: bool = False) -> Tile | None:
        """The tile read, or the likeliest one this set has."""
        return likeliest(seen, self.rules.tile_set, face_up=face_up)[0]

    def _doubt(
        self, seat: Seat | None, place: int | None, seen: Iterable[Seen], *, face_up: bool = False
    ) -> None:
        """Ask a person where a reading is unsure, or names one copy too many."""
        new: set[Tile] = set()
        for each in seen:
            tile, confidence, others = likeliest(each, self.rules.tile_set, face_up=face_up)
            if tile is None:
                continue
            new.add(tile)
            if confidence < self.rules.sure_at:
                self._do(_question(self.state, seat, place, (tile, *others), "reading"))
        visible = Counter(visible_tiles(self.state))
        if self.rules.play.indicator_is_drawn(self.rules.options):
            visible.subtract(self.state.indicators)  # drawn and discarded like any other tile
        for tile in sorted(new):
            number = self.rules.tile_set.number_of.get(tile, 0)
            if visible[tile] > number and not self._asked(tile):
                self._do(_question(self.state, seat, place, (tile,), "fifth_tile"))

    def _asked(self, tile: Tile) -> bool:
        return any(
            isinstance(event, Doubted) and event.code == "fifth_tile" and tile in event.candidates
            for event in self.events
        )


def kong_paid_by(state: DealState, event: GameEvent) -> KongDeclared | None:
    """The declared kong that stands once this event shows that nobody robbed it."""
    offer = state.offer
    if not isinstance(event, Drawn) or offer is None or not offer.is_kong:
        return None
    for meld in reversed(state.seats[offer.seat].melds):
        if meld.kind in (MeldKind.CONCEALED_KONG, MeldKind.ADDED_KONG) and offer.tile in meld.tiles:
            added = offer.tile if meld.kind is MeldKind.ADDED_KONG else None
            return KongDeclared(seat=offer.seat, meld=meld, added=added)
    return None


def visible_tiles(state: DealState) -> Iterator[Tile]:
    """Every tile that lies face up, each once: ponds, melds, bonus tiles, indicators, hands."""
    for seat in state.seats:
        yield from (discard.tile for discard in seat.pond if discard.called_by is None)
        for meld in seat.melds:
            yield from meld.tiles
        yield from seat.bonus
        yield from seat.shown or ()
    for claim in state.claims[:1]:
        winning = state.seats[claim.seat].winning_tile
        if claim.source is None and winning is not None:
            yield winning
    yield from state.indicators
    yield from state.under_indicators


def sure_discards(
    state: DealState, reading: TableReading, rules: Rules
) -> Iterator[tuple[Seat, int, Tile]]:
    """Discards that the scene shows beyond doubt: seat, place from 0, and the tile read there."""
    for seat in seats(state.players):
        lying = [n for n, tile in enumerate(state.seats[seat].pond) if tile.called_by is None]
        pond = reading.seats[seat].pond
        if len(pond) != len(lying):
            continue
        for place, seen in zip(lying, pond, strict=True):
            tile, confidence, _ = likeliest(seen, rules.tile_set, face_up=True)
            if tile is not None and confidence >= rules.sure_at:
                yield seat, place, tile


def _in_row(melds: Sequence[Meld]) -> int:
    """How many tiles lie in the row of these melds; the fourth of an added kong lies above it."""
    return sum(len(meld.tiles) - (meld.kind is MeldKind.ADDED_KONG) for meld in melds)


def _question(
    state: DealState,
    seat: Seat | None,
    place: int | None,
    candidates: tuple[Tile, ...],
    code: str,
) -> Doubted:
    choices = " or ".join(str(tile) for tile in candidates[:3])
    if seat is None:
        where = "an indicator"
    elif place is None:
        where = f"a tile laid open by seat {state.wind_of(seat).name.lower()}"
    else:
        where = f"discard {place + 1} of {state.wind_of(seat).name.lower()}"
    return Doubted(
        question=f"{where}: {choices}?",
        candidates=candidates[:3],
        seat=seat,
        place=None if place is None else place + 1,
        code=code,
    )


def _same_face(one: Tile | None, other: Tile) -> bool:
    return one is not None and one.face == other.face


def _may_be(seen: Seen, tile: Tile) -> bool:
    """The reading is that tile, or it was one of the candidates."""
    if seen.tile is None:
        return False
    return tile.face in {seen.tile.face, *(other.face for other, _ in seen.others)}
