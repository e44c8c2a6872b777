"""Waits by shape, and the three forms of furiten, judged from what everybody could see."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from table_controller.rules.core.case import Case, Evidence, Violation
from table_controller.rules.core.decomposition import (
    seven_pairs_waits,
    standard_waits,
    thirteen_orphans_waits,
)
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.tiles import KINDS, Tile, format_tiles, kind_counts
from table_controller.rules.riichi.options import RiichiOptions


@lru_cache(maxsize=10_000)
def waits(
    hand: tuple[Tile, ...], melds: tuple[Meld, ...], *, own_four_excluded: bool = True
) -> frozenset[Tile]:
    """The kinds that complete the hand by shape alone, yaku not considered.

    Kinds of which the seat holds all four are no wait unless the option says so.
    """
    counts = kind_counts(hand)
    found = set(standard_waits(counts))
    if not melds:
        found.update(seven_pairs_waits(counts))
        found.update(thirteen_orphans_waits(counts))
    if own_four_excluded:
        for meld in melds:
            for face in meld.faces:
                counts[KINDS.index(face)] += 1
        found = {kind for kind in found if counts[kind] < 4}
    return frozenset(KINDS[kind] for kind in found)


def own_discard_furiten(case: Case, options: RiichiOptions) -> Violation | None:
    """The winner's pond holds a tile that the hand waits for."""
    if case.self_drawn:
        return None
    found = waits(case.hand, case.melds, own_four_excluded=options.own_four_excluded)
    evidence = tuple(
        Evidence(case.winner, place, tile)
        for place, tile in enumerate(case.pond(case.winner), start=1)
        if tile.face in found
    )
    if not evidence:
        return None
    return Violation(
        code="furiten",
        seat=case.winner,
        text=(
            f"The hand waits for {format_tiles(sorted(found))} and its own pond holds "
            f"{places(evidence)}: it cannot win on a discard."
        ),
        evidence=evidence,
    )


def places(evidence: Iterable[Evidence]) -> str:
    """The tiles with row and place in the pond: ``2p (row 1, place 2)``."""
    return ", ".join(f"{one.tile} ({one.lies()})" for one in evidence)
