"""What a described win cannot be: circumstances that exclude each other, dora that cannot lie so.

The referee takes circumstances from the record, where they agree; a person who types a hand can
name anything. A flag that cannot hold is left out and said so; what cannot lie on the table is
refused. A double riichi is a riichi: naming both is no contradiction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import seats
from table_controller.rules.core.tiles import format_tiles
from table_controller.rules.riichi.options import RiichiOptions
from table_controller.rules.riichi.sanma_options import SanmaOptions

MOST_INDICATORS = 5  # one, and one for each of four kongs


def check_case(
    case: Case, options: RiichiOptions, players: int = 4
) -> tuple[Case, tuple[str, ...]]:
    """The case without the flags that cannot hold, and a note for each of those.

    Raises CaseError with the first thing that cannot lie so on a table.
    """
    for problem in (*_melds(case, players), *_dora(case), *_liable(case, players)):
        raise CaseError(problem)
    if not case.flags:
        return case, ()
    flags, notes = set(case.flags), []
    for flag, why in _excluded(case, options, flags):
        if flag in flags:
            flags.remove(flag)
            notes.append(f"flags: {flag.value} is not counted: {why}")
    return replace(case, flags=frozenset(flags)), tuple(notes)


def _excluded(
    case: Case, options: RiichiOptions, left: AbstractSet[Flag]
) -> Iterator[tuple[Flag, str]]:
    """The flags that cannot hold beside the rest, and why; ``left`` are those that still may."""
    if any(not meld.kind.is_concealed for meld in case.melds):
        for flag in (Flag.READY, Flag.DOUBLE_READY):
            yield flag, "riichi takes a concealed hand, but a called meld is named"
    if case.source is not None:
        yield Flag.REPLACEMENT, "rinshan is a self-draw, but 'from' names a seat"
    if not case.bonus and not any(meld.kind.is_kong for meld in case.melds):
        yield Flag.REPLACEMENT, "rinshan takes a kong among the melds, none is named"
    if case.source is None:
        yield Flag.ROBBING_KONG, "chankan takes 'from', the seat whose kong is robbed"
    face = case.winning_tile.face
    held = [*case.hand, *(tile for meld in case.melds for tile in meld.tiles)]
    if any(tile.face == face for tile in held):
        yield Flag.ROBBING_KONG, f"the kong has all four {face}, but the hand names one more"
    if Flag.ROBBING_KONG in left:
        yield Flag.LAST_TILE, "robbing_kong (chankan) is named, and the last discard is no kong"
    if Flag.REPLACEMENT in left:
        yield Flag.LAST_TILE, "haitei is drawn from the live wall, replacement from the dead one"
    if not left & {Flag.READY, Flag.DOUBLE_READY}:
        yield Flag.ONE_SHOT, "ippatsu follows a riichi: it takes ready or double_ready"
    norths_alone = isinstance(options, SanmaOptions) and not options.north_breaks and case.bonus
    if Flag.REPLACEMENT in left and not norths_alone:
        yield Flag.ONE_SHOT, "ippatsu ends with the own kong that replacement (rinshan) follows"
    if case.melds:
        yield Flag.FIRST_TURN, "it is a win before any call or kong, but melds are named"
    if case.source is not None and case.winner is case.dealer:
        yield Flag.FIRST_TURN, "the dealer has discarded before any other seat can"
    for flag in (
        Flag.READY,
        Flag.DOUBLE_READY,
        Flag.LAST_TILE,
        Flag.REPLACEMENT,
        Flag.ROBBING_KONG,
    ):
        if flag in left:
            yield Flag.FIRST_TURN, f"a win before the own first discard is not with {flag.value}"


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
        left = case.winner.after(-1, players)
        if meld.kind is MeldKind.CHOW and meld.source not in (None, left):
            yield f"{shown}: a chow is taken from the seat before, {left.value}, only"


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
    if not isinstance(case.extra.get("added_last", False), bool):
        yield f"added_last: true or false, not {case.extra['added_last']!r}"
