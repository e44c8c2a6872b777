"""The winner's hand as this game reads it: every reading of it, and what the points look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.decomposition import is_seven_pairs, is_standard
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.tiles import (
    DRAGONS,
    KIND_INDEX,
    TERMINALS,
    Suit,
    Tile,
    format_tiles,
    parse_tiles,
)
from table_controller.rules.core.win import Form, Group, Wait, Win, readings
from table_controller.rules.korean_japanese_3p.options import (
    DoraRule,
    DoraWindOrder,
    Options,
)

PLAYERS = 3
EAST, SOUTH, WEST, NORTH = parse_tiles("1234z")
WHITE, GREEN, RED = DRAGONS
ONE_BAMBOO, FIVE_BAMBOO, NINE_BAMBOO = parse_tiles("159s")
SCORING_WINDS = (EAST, SOUTH, WEST)
SEAT_DRAGONS = {EAST: GREEN, SOUTH: RED, WEST: WHITE}
ORPHANS = (*TERMINALS, *SCORING_WINDS, *DRAGONS)
_ORPHAN_INDEXES = tuple(KIND_INDEX[tile] for tile in ORPHANS)
CHOW_WAITS = (Wait.OPEN, Wait.CLOSED, Wait.EDGE)


@dataclass(frozen=True)
class Hand:
    """One reading of a hand, with all that its points depend on beside the tiles."""

    win: Win
    options: Options
    reds: tuple[Tile, ...] = ()
    dora: Tile | None = None
    flower_turned: bool = False  # the indicator is a flower
    concealed_tiles: tuple[Tile, ...] = ()  # faces not laid down before the win

    @cached_property
    def concealed_pungs(self) -> tuple[Group, ...]:
        """Pungs held in the hand and concealed kongs."""
        kept = self.options.ron_completed_pung_concealed
        return tuple(
            group for group in self.win.pungs if group.is_concealed or (kept and group.meld is None)
        )

    @cached_property
    def is_robbed(self) -> bool:
        """The winning tile was added to another player's kong."""
        return Flag.ROBBING_KONG in self.win.flags

    @cached_property
    def is_pure(self) -> bool:
        """One suit of circles or characters, with or without honours."""
        return self.win.numbered_suits in ({Suit.CIRCLES}, {Suit.CHARACTERS})

    @cached_property
    def seat_dragon(self) -> Tile:
        """The dragon that belongs to the winner's seat."""
        return SEAT_DRAGONS[self.win.seat_wind.tile]

    @cached_property
    def pairs(self) -> tuple[Tile, ...]:
        """The pair, or the seven pairs."""
        if self.win.form is Form.SEVEN_PAIRS:
            return tuple(dict.fromkeys(self.win.tiles))
        return () if self.win.pair is None else (self.win.pair,)

    def pungs_of(self, *tiles: Tile) -> list[tuple[Tile, ...]]:
        """The tiles of every pung or kong of one of these tiles."""
        return [group.tiles for group in self.win.pungs if group.tile in tiles]


def readings_of(case: Case, options: Options) -> Iterator[Win]:
    """Every reading that this game allows for the hand (section 12.1)."""
    for win in readings(case, PLAYERS):
        if win.form is Form.STANDARD:
            if not any(group.tile == NORTH and not group.kind.is_kong for group in win.pungs):
                yield win
        elif win.form is Form.SEVEN_PAIRS:
            if all(number == 2 for number in Counter(win.tiles).values()):
                yield win
        elif options.north_wind and not options.no_bamboo:
            yield win
    if not case.melds and not options.north_wind and not options.no_bamboo:
        faces = tuple(tile.face for tile in (*case.hand, case.winning_tile))
        counts = Counter(faces)
        if set(counts) == set(ORPHANS) and max(counts.values()) == 3:
            yield Win(
                form=Form.THIRTEEN_ORPHANS,
                groups=(),
                pair=None,
                wait=Wait.OTHER,
                winning_tile=case.winning_tile.face,
                self_drawn=case.self_drawn,
                seat_wind=case.wind_of(case.winner, PLAYERS),
                round_wind=case.round_wind,
                flags=case.flags,
                tiles=faces,
                bonus=case.bonus,
            )


def is_shape(counts: Sequence[int], options: Options) -> bool:
    """Sets and a pair, seven pairs or orphans, from counts of the 34 kinds; worth apart."""
    if is_standard(counts):
        return True
    if sum(counts) != 14:
        return False
    if is_seven_pairs(counts):
        return True
    norths = counts[KIND_INDEX[NORTH]]
    if not all(counts[index] for index in _ORPHAN_INDEXES):
        return False
    return bool(norths) == options.north_wind and (
        norths + sum(counts[index] for index in _ORPHAN_INDEXES) == 14
    )


def next_in_sequence(tile: Tile, options: Options) -> Tile:
    """The kind after a turned tile: the dora (section 15.1). A flower has none."""
    if tile.is_dragon:
        return {GREEN: RED, RED: WHITE, WHITE: GREEN}[tile]
    if tile.is_wind:
        order = options.dora_wind_order
        if order is DoraWindOrder.TILES_IN_PLAY:
            order = DoraWindOrder.ESWN if options.north_wind else DoraWindOrder.ESW
        ring = [Tile(Suit.HONOURS, "ESWN".index(wind) + 1) for wind in order.value]
        if tile not in ring:
            raise CaseError(f"{tile} was turned, but dora_wind_order {order.value} lacks it")
        return ring[(ring.index(tile) + 1) % len(ring)]
    if tile.suit is Suit.BAMBOOS:
        return ONE_BAMBOO if tile == NINE_BAMBOO else NINE_BAMBOO
    return Tile(tile.suit, tile.rank % 9 + 1)


def indicator_of(case: Case) -> Tile | None:
    """The tile that was turned, where the case names it."""
    named = case.extra.get("indicator")
    return named if named is None or isinstance(named, Tile) else Tile.parse(str(named))


def dora_of(case: Case, options: Options) -> tuple[Tile | None, bool]:
    """The dora of the deal, and whether a flower was turned instead."""
    indicator = indicator_of(case)
    if options.dora_rule is DoraRule.NONE:
        if indicator is not None or case.dora:
            raise CaseError("a dora or indicator is named, but option dora_rule is none")
        return None, False
    if len(case.dora) > 1:
        raise CaseError(f"one tile is turned, so that one is dora, not {format_tiles(case.dora)}")
    if indicator is not None:
        if indicator.is_bonus:
            return None, True
        return next_in_sequence(indicator.face, options), False
    return (case.dora[0].face if case.dora else None), False


def hands(case: Case, options: Options) -> list[Hand]:
    """Every reading of the case's hand, ready to be counted."""
    dora, flower_turned = dora_of(case, options)
    held = (*case.hand, case.winning_tile)
    everything = (*held, *(tile for meld in case.melds for tile in meld.tiles))
    reds = tuple(tile for tile in everything if tile.red)
    return [
        Hand(
            win=win,
            options=options,
            reds=reds,
            dora=dora,
            flower_turned=flower_turned,
            concealed_tiles=tuple(
                [tile.face for tile in held]
                + [
                    face
                    for meld in case.melds
                    if meld.kind is MeldKind.CONCEALED_KONG
                    for face in meld.faces
                ]
            ),
        )
        for win in readings_of(case, options)
    ]
