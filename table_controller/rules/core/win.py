"""One reading of a winning hand, as patterns see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.decomposition import Split, is_seven_pairs, is_thirteen_orphans
from table_controller.rules.core.decomposition import splits as standard_splits
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Wind
from table_controller.rules.core.tiles import Suit, Tile, kind_counts


class Form(StrEnum):
    """The shape of a reading."""

    STANDARD = "standard"
    SEVEN_PAIRS = "seven_pairs"
    THIRTEEN_ORPHANS = "thirteen_orphans"
    SPECIAL = "special"  # a shape of one ruleset alone


class Wait(StrEnum):
    """How the winning tile completes its set."""

    OPEN = "open"  # two-sided: 67 waiting for 5 and 8
    CLOSED = "closed"  # 46 waiting for 5
    EDGE = "edge"  # 12 waiting for 3, 89 waiting for 7
    PAIR = "pair"
    PUNG = "pung"  # one of two pairs
    OTHER = "other"  # forms without sets


@dataclass(frozen=True, slots=True)
class Group:
    """A set of a reading: a chow by its lowest tile, a pung or kong.

    ``is_concealed`` is about scoring: a pung that a discard completed is not concealed.
    """

    kind: MeldKind
    tile: Tile
    is_concealed: bool
    meld: Meld | None = None  # the declared meld, None while in the hand

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The faces it holds."""
        if self.meld is not None:
            return self.meld.faces
        if self.kind is MeldKind.CHOW:
            return tuple(Tile(self.tile.suit, self.tile.rank + step) for step in range(3))
        return (self.tile,) * self.kind.size


@dataclass(frozen=True)
class Win:
    """A single reading of the hand plus how it was won."""

    form: Form
    groups: tuple[Group, ...]
    pair: Tile | None
    wait: Wait
    winning_tile: Tile
    self_drawn: bool
    seat_wind: Wind
    round_wind: Wind
    flags: frozenset[Flag]
    tiles: tuple[Tile, ...]  # all faces of the complete hand, melds included
    melds: tuple[Meld, ...] = ()
    bonus: tuple[Tile, ...] = ()

    @cached_property
    def chows(self) -> tuple[Group, ...]:
        """The chows."""
        return tuple(group for group in self.groups if group.kind is MeldKind.CHOW)

    @cached_property
    def pungs(self) -> tuple[Group, ...]:
        """The pungs and kongs."""
        return tuple(group for group in self.groups if group.kind is not MeldKind.CHOW)

    @cached_property
    def kongs(self) -> tuple[Group, ...]:
        """The kongs."""
        return tuple(group for group in self.groups if group.kind.is_kong)

    @cached_property
    def is_concealed(self) -> bool:
        """Nothing was called: concealed kongs do not open a hand."""
        return all(meld.kind.is_concealed for meld in self.melds)

    @cached_property
    def numbered_suits(self) -> frozenset[Suit]:
        """The numbered suits that occur."""
        return frozenset(tile.suit for tile in self.tiles if tile.is_numbered)

    @cached_property
    def has_honours(self) -> bool:
        """A wind or a dragon occurs."""
        return any(tile.is_honour for tile in self.tiles)

    def has_pung(self, tile: Tile) -> bool:
        """A pung or kong of that tile."""
        return any(group.tile == tile for group in self.pungs)

    def has_chow(self, lowest: Tile) -> bool:
        """A chow that begins with that tile."""
        return any(group.tile == lowest for group in self.chows)


def readings(case: Case, players: int = 4) -> Iterator[Win]:
    """Every reading of a complete hand: standard ones with every place of the winning tile, then
    seven pairs (four alike count as two pairs; a ruleset may refuse that) and thirteen orphans.
    """
    concealed = tuple(tile.face for tile in (*case.hand, case.winning_tile))
    everything = concealed + tuple(face for meld in case.melds for face in meld.faces)

    def win(form: Form, groups: tuple[Group, ...], pair: Tile | None, wait: Wait) -> Win:
        return Win(
            form=form,
            groups=groups,
            pair=pair,
            wait=wait,
            winning_tile=case.winning_tile.face,
            self_drawn=case.self_drawn,
            seat_wind=case.wind_of(case.winner, players),
            round_wind=case.round_wind,
            flags=case.flags,
            tiles=everything,
            melds=case.melds,
            bonus=case.bonus,
        )

    declared = tuple(
        Group(meld.kind, meld.tile, meld.kind.is_concealed, meld) for meld in case.melds
    )
    for split in standard_splits(concealed):
        for groups, wait in _placements(split, case.winning_tile.face, case.self_drawn):
            yield win(Form.STANDARD, declared + groups, split.pair, wait)
    if not case.melds:
        counts = kind_counts(concealed)
        if is_seven_pairs(counts, four_alike=True):
            yield win(Form.SEVEN_PAIRS, (), None, Wait.PAIR)
        if is_thirteen_orphans(counts):
            yield win(Form.THIRTEEN_ORPHANS, (), None, Wait.OTHER)


def _placements(
    split: Split, winning: Tile, self_drawn: bool
) -> Iterable[tuple[tuple[Group, ...], Wait]]:
    """The concealed groups of a split, once for each set the winning tile may belong to."""
    pungs = tuple(Group(MeldKind.PUNG, tile, is_concealed=True) for tile in split.pungs)
    chows = tuple(Group(MeldKind.CHOW, tile, is_concealed=True) for tile in split.chows)
    if split.pair == winning:
        yield chows + pungs, Wait.PAIR
    if winning in split.pungs:
        completed = tuple(
            Group(MeldKind.PUNG, tile, is_concealed=self_drawn or tile != winning)
            for tile in split.pungs
        )
        yield chows + completed, Wait.PUNG
    for lowest in dict.fromkeys(split.chows):
        if lowest.suit is winning.suit and lowest.rank <= winning.rank <= lowest.rank + 2:
            yield chows + pungs, _chow_wait(lowest.rank, winning.rank)


def _chow_wait(lowest: int, winning: int) -> Wait:
    if winning == lowest + 1:
        return Wait.CLOSED
    if (lowest, winning) in ((1, 3), (7, 7)):
        return Wait.EDGE
    return Wait.OPEN
