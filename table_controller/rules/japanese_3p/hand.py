"""One reading of a hand as the yaku of this game see it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.decomposition import (
    seven_pairs_waits,
    standard_waits,
    thirteen_orphans_waits,
)
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.tiles import (
    DRAGONS,
    KIND_INDEX,
    KINDS,
    Suit,
    Tile,
    kind_counts,
    parse_tiles,
)
from table_controller.rules.core.win import Form, Group, Win, readings
from table_controller.rules.japanese_3p.options import (
    DoubleKokushiTiles,
    NorthInHand,
    Options,
    TripleChuurenTiles,
)

PLAYERS = 3
EAST, SOUTH, WEST, NORTH = parse_tiles("1234z")
WHITE, GREEN, RED = DRAGONS
SUITS_WITH_CHOWS = (Suit.CIRCLES, Suit.BAMBOOS)


class Robbed(StrEnum):
    """What a robbed tile was declared for."""

    PROMOTED = "promoted"
    CONCEALED = "concealed"
    NORTH = "north"


@dataclass(frozen=True)
class Hand:
    """A reading with everything else that its yaku depend on."""

    win: Win
    options: Options
    waits: frozenset[Tile] = frozenset()  # kinds that complete the thirteen tiles before the win
    robbed: Robbed | None = None
    is_dealer: bool = False
    dealer_retained: int = 0
    discarded: tuple[Tile, ...] | None = None  # the winner's own discards; None: not known
    norths: int = 0
    orphan_discarded: bool | None = None  # where the case says so instead of listing the pond
    suit_discarded: bool | None = None

    @cached_property
    def is_concealed(self) -> bool:
        """Nothing was called; norths set aside and concealed kongs do not open a hand."""
        return self.win.is_concealed

    @cached_property
    def concealed_pungs(self) -> tuple[Group, ...]:
        """Triplets from the own tiles, and concealed kongs."""
        return tuple(group for group in self.win.pungs if group.is_concealed)

    @cached_property
    def has_riichi(self) -> bool:
        """A riichi, single or double, stands."""
        return bool({Flag.READY, Flag.DOUBLE_READY} & self.win.flags)

    @cached_property
    def chow_counts(self) -> Counter[Tile]:
        """How often each chow occurs, by its lowest tile."""
        return Counter(group.tile for group in self.win.chows)

    def has_kept_orphans(self) -> bool:
        """The winner is known to have discarded no terminal or honour and set aside no north."""
        any_tile = self.options.double_kokushi_tiles is DoubleKokushiTiles.ANY_TILE
        if self.norths:
            return False
        if self.orphan_discarded is not None and not any_tile:
            return not self.orphan_discarded
        return self.discarded is not None and not any(
            any_tile or tile.is_terminal_or_honour for tile in self.discarded
        )

    def has_kept_suit(self) -> bool:
        """The winner is known to have discarded no tile of the suit of the hand."""
        any_tile = self.options.triple_chuuren_tiles is TripleChuurenTiles.ANY_TILE
        if self.suit_discarded is not None and not any_tile:
            return not self.suit_discarded
        return self.discarded is not None and not any(
            any_tile or tile.suit in self.win.numbered_suits for tile in self.discarded
        )


def waits_of(hand: Iterable[Tile], melds: tuple[Meld, ...]) -> frozenset[Tile]:
    """Every kind that completes these thirteen tiles by shape, of which not all four are held."""
    counts = kind_counts(hand)
    found = set(standard_waits(counts))
    if not melds:
        found.update(seven_pairs_waits(counts))
        found.update(thirteen_orphans_waits(counts))
    for meld in melds:
        for face in meld.faces:
            counts[KIND_INDEX[face]] += 1
    return frozenset(KINDS[kind] for kind in found if counts[kind] < 4)


def waits_for_kokushi(hand: Iterable[Tile], melds: tuple[Meld, ...]) -> bool:
    """The thirteen tiles wait for thirteen orphans."""
    return not melds and bool(thirteen_orphans_waits(kind_counts(hand)))


def hands(case: Case, options: Options) -> Iterator[Hand]:
    """Every reading of the case's hand that this game allows."""
    waits = waits_of(case.hand, case.melds)
    kokushi_only = options.north_in_hand is NorthInHand.KOKUSHI_ONLY
    retained = _retained(case)
    for win in readings(case, PLAYERS):
        if win.form is Form.SEVEN_PAIRS and max(Counter(win.tiles).values()) > 2:
            continue
        if win.form is not Form.THIRTEEN_ORPHANS and kokushi_only and NORTH in win.tiles:
            continue
        yield Hand(
            win=win,
            options=options,
            waits=waits,
            robbed=robbed_of(case),
            is_dealer=case.winner is case.dealer,
            dealer_retained=retained,
            discarded=case.ponds.get(case.winner),
            norths=case.bonus.count(NORTH),
            orphan_discarded=case.says("winner_discarded_orphan"),
            suit_discarded=case.says("winner_discarded_suit"),
        )


def _retained(case: Case) -> int:
    named = case.extra.get("dealer_retained", 0)
    if not isinstance(named, int) or isinstance(named, bool) or named < 0:
        raise CaseError(f"dealer_retained is a number of deals, not {named!r}")
    return named


def robbed_of(case: Case) -> Robbed | None:
    """What the winning tile was robbed from, if it was."""
    named = case.extra.get("robbed")
    if named is None:
        return Robbed.PROMOTED if Flag.ROBBING_KONG in case.flags else None
    try:
        return Robbed(str(named))
    except ValueError:
        raise CaseError(f"robbed is promoted, concealed or north, not {named!r}") from None


def won_with(case: Case, tile: Tile) -> Case:
    """The same hand completed by another tile, on a discard and without circumstances."""
    source = case.source if case.source is not None else case.winner.after(1, PLAYERS)
    flags = case.flags & {Flag.READY, Flag.DOUBLE_READY}
    extra = {key: value for key, value in case.extra.items() if key != "robbed"}
    return replace(case, winning_tile=tile, source=source, flags=flags, extra=extra)


def next_in_sequence(tile: Tile, options: Options) -> Tile:
    """The dora that an indicator shows: one and nine of characters point at each other, winds run
    E S W N, dragons white, green, red, and flowers one to four.
    """
    if tile.suit is Suit.CHARACTERS:
        return Tile(Suit.CHARACTERS, 10 - tile.rank)
    if tile.is_wind or tile.is_bonus:
        return Tile(tile.suit, tile.rank % 4 + 1)
    if tile.is_dragon:
        return Tile(Suit.HONOURS, (tile.rank - 4) % 3 + 5)
    return Tile(tile.suit, tile.rank % 9 + 1)
