"""Matching a hand against a card: jokers, exposures, the lines that fit and those that are near."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from table_controller.rules.american.card import (
    FACE_INDEX,
    FACES,
    JOKER_COPIES,
    Card,
    Group,
    Instance,
    Line,
    copies_of,
    face_of,
)
from table_controller.rules.american.options import DeadCheck
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.tiles import JOKER, Tile, format_tiles

EXPOSED_KINDS = (MeldKind.PUNG, MeldKind.KONG, MeldKind.QUINT, MeldKind.SEXTET)


@dataclass(frozen=True, slots=True)
class Exposure:
    """A group laid on the rack: its face, its size, and how many of it are jokers."""

    face: Tile
    size: int
    jokers: int

    @classmethod
    def of(cls, meld: Meld) -> Exposure:
        """From the meld as it lies; raises CaseError for what cannot be exposed."""
        if meld.kind not in EXPOSED_KINDS:
            raise CaseError(
                f"a {meld.kind.value} is not exposed here: only pung, kong, quint and sextet"
            )
        jokers = sum(tile.is_joker for tile in meld.tiles)
        return cls(face_of(meld.tile), len(meld.tiles), jokers)

    @property
    def naturals(self) -> int:
        """Tiles that are no jokers."""
        return self.size - self.jokers

    def __str__(self) -> str:
        return format_tiles([self.face] * self.naturals + [JOKER] * self.jokers)


@dataclass(frozen=True, slots=True)
class Rack:
    """The concealed tiles: how many of each face (in the order of FACES), and the jokers."""

    counts: tuple[int, ...]
    jokers: int

    @classmethod
    def of(cls, tiles: Iterable[Tile]) -> Rack:
        """From tiles; raises CaseError for tiles that the set does not have."""
        counts = [0] * len(FACES)
        jokers = 0
        for tile in tiles:
            if tile.is_joker:
                jokers += 1
                continue
            try:
                counts[FACE_INDEX[face_of(tile)]] += 1
            except KeyError:
                raise CaseError(f"{tile} does not belong to the American set") from None
        return cls(tuple(counts), jokers)

    @property
    def mask(self) -> int:
        """Bits of the faces held."""
        return sum(1 << index for index, number in enumerate(self.counts) if number)

    @property
    def size(self) -> int:
        """How many tiles."""
        return sum(self.counts) + self.jokers


@dataclass(frozen=True, slots=True)
class Match:
    """A line that the hand fits, and the hand it stands for."""

    line: Line
    instance: Instance

    @property
    def id(self) -> str:
        """The line's id."""
        return self.line.id


def matches(rack: Rack, exposures: Sequence[Exposure], card: Card) -> list[Match]:
    """Every line the complete hand fits, in the order of the card, each with its first instance."""
    found: list[Match] = []
    last: Line | None = None
    mask = rack.mask | _mask(exposures)
    for line, instance, absent in card.instances:
        if mask & absent or line is last or (line.concealed and exposures):
            continue
        if fits(rack, exposures, instance):
            found.append(Match(line, instance))
            last = line
    return found


def _mask(exposures: Iterable[Exposure]) -> int:
    mask = 0
    for exposure in exposures:
        mask |= 1 << FACE_INDEX[exposure.face]
    return mask


def fits(rack: Rack, exposures: Sequence[Exposure], instance: Instance) -> bool:
    """The complete hand is this instance: section 8.6, conditions 2 and 3."""
    return any(_rack_fits(rack, needs) for needs in _needs_after_exposures(instance, exposures))


def _rack_fits(rack: Rack, needs: Iterable[tuple[int, int, int]]) -> bool:
    jokers = 0
    naturals = 0
    for index, natural, total in needs:
        held = rack.counts[index]
        if not natural <= held <= total:
            return False
        naturals += held
        jokers += total - held
    return jokers == rack.jokers and naturals + jokers == rack.size


def _needs_after_exposures(
    instance: Instance, exposures: Sequence[Exposure]
) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """What the rack must hold, for each way the exposures stand for groups of the instance."""
    if not exposures:
        yield instance.needs
        return
    for left in remaining_groups(instance.groups, exposures):
        yield Instance(left).needs


def remaining_groups(
    groups: tuple[Group, ...], exposures: Sequence[Exposure]
) -> Iterator[tuple[Group, ...]]:
    """The groups that are not exposed, for every way to assign the exposures."""
    found = [groups]
    for exposure in exposures:
        after = []
        for left in found:
            tried = set()  # equal groups leave the same rest
            for place, group in enumerate(left):
                if (
                    group.count == exposure.size >= 3
                    and group.face == exposure.face
                    and not (exposure.jokers and group.no_jokers)
                    and group.no_jokers not in tried
                ):
                    tried.add(group.no_jokers)
                    after.append(left[:place] + left[place + 1 :])
        found = after
    yield from found


# --- which lines are still possible, and how near they are ------------------------------------


@dataclass(frozen=True, slots=True)
class Visible:
    """What a player can see beside the own hand: discards and the other players' exposures."""

    counts: tuple[int, ...]
    jokers: int

    @classmethod
    def of(cls, discards: Iterable[Tile], exposures: Iterable[Exposure] = ()) -> Visible:
        """Counts all naturals; of jokers only discarded ones are gone, exposed ones exchange."""
        rack = Rack.of(discards)
        counts = list(rack.counts)
        for exposure in exposures:
            counts[FACE_INDEX[exposure.face]] += exposure.naturals
        return cls(tuple(counts), rack.jokers)


def possible_lines(
    exposures: Sequence[Exposure],
    card: Card,
    *,
    check: DeadCheck = DeadCheck.STRUCTURE,
    visible: Visible | None = None,
) -> list[Line]:
    """The lines that these exposures leave; none left means a dead hand when challenged."""
    found: list[Line] = []
    for line in _possible(exposures, card, check, visible):
        if not found or line is not found[-1]:
            found.append(line)
    return found


def is_possible(
    exposures: Sequence[Exposure],
    card: Card,
    *,
    check: DeadCheck = DeadCheck.STRUCTURE,
    visible: Visible | None = None,
) -> bool:
    """The exposures leave a line."""
    return next(_possible(exposures, card, check, visible), None) is not None


def _possible(
    exposures: Sequence[Exposure], card: Card, check: DeadCheck, visible: Visible | None
) -> Iterator[Line]:
    """The line of every instance that is possible, in the order of the card."""
    mask = _mask(exposures)
    for line, instance, absent in card.instances:
        if mask & absent or (line.concealed and exposures):
            continue
        for left in remaining_groups(instance.groups, exposures):
            if (
                check is DeadCheck.STRUCTURE
                or visible is None
                or _can_complete(left, exposures, visible)
            ):
                yield line
                break


def _can_complete(left: tuple[Group, ...], exposures: Sequence[Exposure], visible: Visible) -> bool:
    """The tiles still needed can exist among those not seen."""
    own: Counter[int] = Counter()
    for exposure in exposures:
        own[FACE_INDEX[exposure.face]] += exposure.naturals
    jokers = JOKER_COPIES - visible.jokers
    for index, natural, total in Instance(left).needs:
        hidden = copies_of(FACES[index]) - visible.counts[index] - own[index]
        if natural > hidden:
            return False
        jokers -= max(0, total - hidden)
    return jokers >= 0


@dataclass(frozen=True, slots=True)
class Nearness:
    """How far a hand is from an instance of a line, and which naturals would bring it nearer."""

    line: Line
    instance: Instance
    missing: int  # tiles
    wanted: tuple[Tile, ...]  # the naturals it lacks, every copy; jokers fill some groups as well
    spare: tuple[Tile, ...]  # tiles of the rack that it does not use


def nearness(
    rack: Rack, exposures: Sequence[Exposure], line: Line, instance: Instance
) -> Nearness | None:
    """How far the rack is from this instance; None when the exposures exclude it."""
    if line.concealed and exposures:
        return None
    needs = instance.needs
    if exposures:
        left = next(remaining_groups(instance.groups, exposures), None)
        if left is None:
            return None
        needs = Instance(left).needs
    wanted: list[Tile] = []
    spare_counts = list(rack.counts)
    missing_natural = 0
    missing_any = 0
    for index, natural, total in needs:
        held = rack.counts[index]
        used = min(held, total)
        spare_counts[index] -= used
        must = max(0, natural - used)
        missing_natural += must
        missing_any += total - used - must
        wanted += [FACES[index]] * (total - used)
    jokers = min(rack.jokers, missing_any)
    spare = [FACES[index] for index, number in enumerate(spare_counts) for _ in range(number)]
    spare += [JOKER] * (rack.jokers - jokers)
    return Nearness(
        line, instance, missing_natural + missing_any - jokers, tuple(wanted), tuple(spare)
    )


def nearest(
    rack: Rack, exposures: Sequence[Exposure], card: Card, *, limit: int = 5
) -> list[Nearness]:
    """The lines nearest to the hand, one instance each, the nearest and dearest first."""
    best: dict[str, Nearness] = {}
    for line, instance, missing in distances(rack, exposures, card):
        known = best.get(line.id)
        if known is None or missing < known.missing:
            near = nearness(rack, exposures, line, instance)
            if near is not None:
                best[line.id] = near
    order = {line.id: place for place, line in enumerate(card.lines)}
    ranked = sorted(
        best.values(), key=lambda near: (near.missing, -near.line.value, order[near.line.id])
    )
    return ranked[:limit]


def distances(
    rack: Rack, exposures: Sequence[Exposure], card: Card
) -> Iterator[tuple[Line, Instance, int]]:
    """How many tiles the hand lacks for every instance that the exposures allow."""
    if not exposures:
        for line, instance, _ in card.instances:
            yield line, instance, _missing(rack, instance.needs)
        return
    mask = _mask(exposures)
    for line, instance, absent in card.instances:
        if not mask & absent:
            missing = distance(rack, exposures, line, instance)
            if missing is not None:
                yield line, instance, missing


def distance(
    rack: Rack, exposures: Sequence[Exposure], line: Line, instance: Instance
) -> int | None:
    """How many tiles the hand lacks for an instance; None when the exposures exclude it."""
    if not exposures:
        return _missing(rack, instance.needs)
    if line.concealed:
        return None
    left = next(remaining_groups(instance.groups, exposures), None)
    return None if left is None else _missing(rack, Instance(left).needs)


def _missing(rack: Rack, needs: Iterable[tuple[int, int, int]]) -> int:
    """Tiles that the rack lacks; its jokers stand where they may."""
    counts = rack.counts
    must = fill = 0
    for index, natural, total in needs:
        held = counts[index]
        if held < total:
            if held < natural:
                must += natural - held
                fill += total - natural
            else:
                fill += total - held
    return must + fill - rack.jokers if fill > rack.jokers else must


def explain_groups(
    rack: Rack, exposures: Sequence[Exposure], instance: Instance
) -> list[tuple[Group, int, bool]]:
    """The groups of a complete hand: each with its jokers and whether it is exposed.

    Naturals go first where no joker may stand, then to the largest groups.
    """
    left = next(
        left
        for left in remaining_groups(instance.groups, exposures)
        if _rack_fits(rack, Instance(left).needs)
    )
    held: Mapping[Tile, int] = dict(zip(FACES, rack.counts, strict=True))
    naturals = Counter(held)
    shown = [(Group(exposure.face, exposure.size), exposure.jokers, True) for exposure in exposures]
    for group in sorted(left, key=lambda group: (group.takes_jokers, -group.count)):
        used = min(naturals[group.face], group.count)
        naturals[group.face] -= used
        shown.append((group, group.count - used, False))
    return shown
