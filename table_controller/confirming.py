"""What was read of tiles whose faces the game has proved since: what confidence is learned from.

    asyncio.create_task(Confirming(table, conductor, readings_path(profile)).run())

A deal that came to its verdict says which tile lies where, after all that people have answered and
corrected until the next deal begins. Each face that then lay open gives one confirmed reading: what
the reader said of it in the last scene, and what it was. Whose tiles are in question give none, and
a misreading that nobody noticed counts as right.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from calibration.readings import Confirmed, keep_readings
from table_controller.conductor import Conductor
from table_controller.interpret import SeatReading, Seen, TableReading
from table_controller.layout import meld_on_table, pond_on_table
from table_controller.rules.core.events import Doubted
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import Awaiting, DealState
from table_controller.rules.core.tiles import Tile, TileSet
from table_controller.table import Table

logger = logging.getLogger(__name__)


class Confirming:
    """Collects the confirmed readings of one table while it plays."""

    def __init__(
        self, table: Table, conductor: Conductor, path: Path, temperature: float = 1.0
    ) -> None:
        self._table = table
        self._conductor = conductor
        self._path = path
        self.temperature = temperature
        self._begun = 0, 0  # the last deal: its game, and the number of its first event
        self._ended: list[Confirmed] = []  # when that deal has ended, until the next one begins
        self._failed = False

    async def run(self) -> None:
        """Collect until cancelled."""
        with self._table.subscribe() as updates:
            try:
                async for _ in updates:
                    if ended := self._note():
                        await asyncio.to_thread(self._keep, ended)
            finally:
                self._keep([*self._note(), *self._ended])

    def use(self, temperature: float) -> None:
        """The table was calibrated: what was read before is not what the reader says now."""
        self.temperature = temperature
        self._ended = []
        self._conductor.reading = None

    def _note(self) -> list[Confirmed]:
        """Look at the deal as it stands; the readings of the one before, once another begins."""
        deal, state = self._table.records_of_deal, self._table.state
        begun, before = (self._table.game, deal[0].number if deal else 0), []
        if begun > self._begun:
            self._begun, before, self._ended = begun, self._ended, []
        if begun < self._begun or state is None or state.awaiting is not Awaiting.OVER:
            self._ended = []  # it goes on, or never was: the staff took back what had happened
        elif self._conductor.reading is not None:
            self._ended = self._readings(state, self._conductor.reading)
        return before

    def _readings(self, state: DealState, reading: TableReading) -> list[Confirmed]:
        doubts = [each.event for each in self._table.doubts if isinstance(each.event, Doubted)]
        doubts += self._table.untold
        tile_set = self._conductor.rules.tile_set
        try:
            return list(confirmed(state, reading, tile_set, doubts, self.temperature))
        except Exception:  # no game stops because the table learns nothing of it
            logger.exception("the readings of a deal cannot be told apart")
            return []

    def _keep(self, ended: Sequence[Confirmed]) -> None:
        if not ended:
            return
        try:
            keep_readings(self._path, ended)
        except OSError as error:
            if not self._failed:
                logger.warning("confirmed readings cannot be kept: %s", error)
            self._failed = True
        else:
            self._failed = False


def confirmed(
    state: DealState,
    reading: TableReading,
    tile_set: TileSet,
    doubts: Sequence[Doubted],
    temperature: float = 1.0,
) -> Iterator[Confirmed]:
    """What the reading says of each face that lies open at the end of the deal, each once."""
    asked = [doubt for doubt in doubts if doubt.code != "waiting"]
    came_to_verdict = bool(state.claims) or state.draw_reason is not None
    if not came_to_verdict or any(doubt.code in ("unexplained", "conduct") for doubt in asked):
        return
    unsure = {doubt.seat for doubt in asked}
    lying: list[tuple[Sequence[Seen], Sequence[Tile]]] = []
    if None not in unsure:
        lying.append((reading.indicators, _as_read(reading.indicators, state.indicators)))
    for seat in seats(state.players):
        if seat not in unsure:
            lying += _before(state, seat, reading.seats[seat])
    for seen, tiles in lying:
        if len(seen) != len(tiles):
            continue  # one was overlooked
        pairs = zip(seen, tiles, strict=True)
        faces = [(one.tile, tile, one.sighting) for one, tile in pairs if one.tile is not None]
        if sum(read != tile for read, tile, _ in faces) > max(1, len(faces) // 4):
            continue  # they do not lie as they did
        for read, tile, said in faces:
            if said is not None and _can_be_told(read, tile, tile_set):
                truth = said.label if read == tile else str(tile)
                yield Confirmed(said.label, said.confidence, said.others, truth, temperature)


def _can_be_told(read: Tile, tile: Tile, tile_set: TileSet) -> bool:
    """The game knows which tile it is; it takes a red five for a plain one where it has none."""
    if not tile_set.number_of.get(tile, 0):
        return False  # it stands for a discard that nobody saw
    return tile_set.number_of.get(read, 0) > 0 or read.face != tile.face


def _before(
    state: DealState, seat: Seat, read: SeatReading
) -> Iterator[tuple[Sequence[Seen], Sequence[Tile]]]:
    """What is seen before a seat, and what the game knows to lie there."""
    holder = state.seats[seat]
    yield read.pond, [tile for tile, _ in pond_on_table(holder.pond)]
    yield read.bonus, _as_read(read.bonus, holder.bonus)
    added = [meld.tiles[-1] for meld in holder.melds if meld.kind is MeldKind.ADDED_KONG]
    yield read.added, _as_read(read.added, added)
    yield from _melds(state, seat, read.melds)
    if holder.shown is not None:
        drew = any(claim.seat is seat and claim.source is None for claim in state.claims)
        apart = (holder.winning_tile,) if drew and holder.winning_tile is not None else ()
        yield read.hand, _as_read(read.hand, (*holder.shown, *apart))


def _melds(
    state: DealState, seat: Seat, row: Sequence[Seen]
) -> Iterator[tuple[Sequence[Seen], Sequence[Tile]]]:
    """The row of melds from right to left, one after the other."""
    laid = [_in_row(meld, seat, state.players) for meld in state.seats[seat].melds]
    if len(row) != sum(map(len, laid)):
        return
    for meld, tiles in zip(state.seats[seat].melds, laid, strict=True):
        seen, row = row[: len(tiles)], row[len(tiles) :]
        faces = [tile for tile in tiles if tile is not None]
        up = [one for one in seen if one.tile is not None]
        if len(faces) < len(tiles) and len(set(meld.tiles)) > 1:
            continue  # whether the red five of a concealed kong lies face up cannot be told
        yield up, _as_read(up, faces)


def _in_row(meld: Meld, seat: Seat, players: int) -> list[Tile | None]:
    _, tiles = meld_on_table(meld, seat, players)
    return tiles[:-1] if meld.kind is MeldKind.ADDED_KONG else tiles


def _as_read(seen: Sequence[Seen], tiles: Sequence[Tile]) -> list[Tile]:
    """These tiles in the order of the reading: people may have laid them in another one.

    A face that was read and lies there is that tile, the others follow one another.
    """
    if len(seen) != len(tiles):
        return list(tiles)
    here = Counter(tiles)
    unread = (here - Counter(one.tile for one in seen if one.tile is not None)).elements()
    found = []
    for one in seen:
        if one.tile is not None and here[one.tile] > 0:
            here[one.tile] -= 1
            found.append(one.tile)
        else:
            found.append(next(unread))
    return found
