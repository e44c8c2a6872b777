"""What a described win cannot be: circumstances that exclude each other, dora that cannot lie so.

The referee takes circumstances from the record, where they agree; a person who types a hand can
name anything. A double riichi is a riichi: naming both is no contradiction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import seats
from table_controller.rules.core.tiles import format_tiles
from table_controller.rules.riichi.options import RiichiOptions
from table_controller.rules.riichi.sanma_options import SanmaOptions

MOST_INDICATORS = 5  # one, and one for each of four kongs


def check_case(case: Case, options: RiichiOptions, players: int = 4) -> None:
    """Raises CaseError with the first thing that cannot be true of a win."""
    for problem in (
        *_circumstances(case, options),
        *_opening(case),
        *_melds(case, players),
        *_dora(case),
        *_liable(case, players),
    ):
        raise CaseError(problem)


def _circumstances(case: Case, options: RiichiOptions) -> Iterator[str]:
    flags = case.flags
    in_riichi = Flag.READY in flags or Flag.DOUBLE_READY in flags
    replaced = Flag.REPLACEMENT in flags
    if Flag.ONE_SHOT in flags and not in_riichi:
        yield "flags: one_shot (ippatsu) takes ready or double_ready: it follows a riichi"
    if in_riichi and any(not meld.kind.is_concealed for meld in case.melds):
        yield "flags: ready (riichi) takes a concealed hand, but a called meld is named"
    if replaced and case.source is not None:
        yield "flags: replacement (rinshan) is a self-draw, so 'from' must be null"
    if replaced and not case.bonus and not any(meld.kind.is_kong for meld in case.melds):
        yield "flags: replacement (rinshan) takes a kong among the melds, none is named"
    if replaced and Flag.LAST_TILE in flags:
        yield "flags: last_tile (haitei) is drawn from the live wall, replacement from the dead one"
    norths_alone = isinstance(options, SanmaOptions) and not options.north_breaks and case.bonus
    if replaced and Flag.ONE_SHOT in flags and not norths_alone:
        yield "flags: one_shot (ippatsu) ends with the own kong that replacement (rinshan) follows"
    if Flag.ROBBING_KONG in flags:
        if case.source is None:
            yield "flags: robbing_kong (chankan) takes 'from', the seat whose kong is robbed"
        if Flag.LAST_TILE in flags:
            yield "flags: robbing_kong (chankan) with last_tile (houtei): the last one is no kong"
        held = [*case.hand, *(tile for meld in case.melds for tile in meld.tiles)]
        if any(tile.face == case.winning_tile.face for tile in held):
            yield (
                f"flags: robbing_kong (chankan): the kong has all four {case.winning_tile.face}, "
                "but the hand names one more"
            )


def _opening(case: Case) -> Iterator[str]:
    """What a first turn that no call broke excludes."""
    if Flag.FIRST_TURN not in case.flags:
        return
    if case.melds:
        yield "flags: first_turn is a win before any call or kong, but melds are named"
    if case.source is not None and case.winner is case.dealer:
        yield "flags: first_turn on a discard: the dealer has discarded before any other seat"
    for flag in (
        Flag.READY,
        Flag.DOUBLE_READY,
        Flag.LAST_TILE,
        Flag.REPLACEMENT,
        Flag.ROBBING_KONG,
    ):
        if flag in case.flags:
            yield f"flags: first_turn is a win before the own first discard, not with {flag.value}"


def _melds(case: Case, players: int) -> Iterator[str]:
    for place, meld in enumerate(case.melds):
        shown = f"melds[{place}]: {meld.kind.value} {format_tiles(meld.tiles)}"
        if meld.kind in (MeldKind.QUINT, MeldKind.SEXTET):
            yield f"{shown}: riichi has chows, pungs and kongs"
        if meld.kind is MeldKind.CHOW and players == 3:
            yield f"{shown}: no chows are called with three players"
        if meld.kind.is_concealed and meld.source not in (None, case.winner):
            yield f"{shown}: a concealed kong comes from nobody, 'from' must be null"
        if not meld.kind.is_concealed and meld.source is case.winner:
            yield f"{shown}: a called meld comes from another seat than {case.winner.value}"


def _dora(case: Case) -> Iterator[str]:
    for key, tiles in (("dora", case.dora), ("ura", case.ura)):
        if len(tiles) > MOST_INDICATORS:
            yield f"{key}: {len(tiles)} tiles; one and four more for four kongs are the most"
        for tile, number in Counter(tile.face for tile in tiles).items():
            if number > 4:
                yield f"{key}: {tile} is shown {number} times: there are four indicators of a kind"
    if case.dora and len(case.ura) > len(case.dora):
        yield f"ura: {len(case.ura)} tiles lie under {len(case.dora)} indicators: one under each"


def _liable(case: Case, players: int) -> Iterator[str]:
    named = case.extra.get("liable")
    others = [seat.value for seat in seats(players) if seat is not case.winner]
    if named is not None and (isinstance(named, bool) or named not in others):
        yield f"liable: {named!r} is no seat that can be liable; it is one of {others}"
