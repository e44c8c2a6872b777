"""The sacred discard: which tiles of others a player's own discards forbid (section 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from table_controller.rules.core.case import Case, Evidence, Flag
from table_controller.rules.core.decomposition import is_standard
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import KINDS, Tile, kind_counts
from table_controller.rules.korean_japanese_3p.hand import readings_of
from table_controller.rules.korean_japanese_3p.options import Options, SacredDiscard, tile_set


def sacred_evidence(case: Case, options: Options) -> tuple[Evidence, ...]:
    """The discards that forbid this win; none when it was self-drawn or nothing forbids it."""
    if case.source is None or options.sacred_discard is SacredDiscard.OFF:
        return ()
    if Flag.ROBBING_KONG in case.flags and not options.sacred_discard_on_robbed_kong:
        return ()
    won = case.winning_tile.face
    own = _places(case.winner, case.pond(case.winner))
    match options.sacred_discard:
        case SacredDiscard.OWN_ANY | SacredDiscard.PUNG_TOO:
            return tuple(each for each in own if each.tile.face == won)
        case SacredDiscard.OWN_LAST:
            return tuple(each for each in own[-1:] if each.tile.face == won)
        case SacredDiscard.OWN_147:
            held = tuple(tile.face for tile in case.hand)
            return tuple(
                each
                for each in own
                if each.tile.face == won or completes_same_set(held, won, each.tile.face)
            )
        case SacredDiscard.ABSOLUTE:
            waits = completing_tiles(case, options)
            return tuple(each for each in own if each.tile.face in waits)
        case SacredDiscard.MISSED:
            return tuple(each for each in passed_since_own_discard(case) if each.tile.face == won)
    raise AssertionError(options.sacred_discard)


def bars_call(own_pond: Iterable[Tile], tile: Tile, options: Options) -> bool:
    """The sacred discard also forbids taking this tile for a pung or kong."""
    return options.sacred_discard is SacredDiscard.PUNG_TOO and any(
        own.face == tile.face for own in own_pond
    )


def completing_tiles(case: Case, options: Options) -> frozenset[Tile]:
    """Every kind that completes the hand's shape, whatever it is worth."""
    held = [tile.face for tile in (*case.hand, *(t for meld in case.melds for t in meld.tiles))]
    in_play = tile_set(options).number_of_face
    return frozenset(
        kind
        for kind in KINDS
        if in_play.get(kind, 0) > held.count(kind)
        and any(True for _ in readings_of(replace(case, winning_tile=kind), options))
    )


def completes_same_set(held: Sequence[Tile], won: Tile, discarded: Tile) -> bool:
    """The discarded tile would have made a chow with the same two tiles as the winning tile."""
    if discarded.suit is not won.suit or not won.is_numbered:
        return False
    if abs(discarded.rank - won.rank) != 3:
        return False
    low = min(discarded.rank, won.rank)
    left = list(held)
    for rank in (low + 1, low + 2):
        middle = Tile(won.suit, rank)
        if middle not in left:
            return False
        left.remove(middle)
    return is_standard(kind_counts(left))


def passed_since_own_discard(case: Case) -> tuple[Evidence, ...]:
    """What others discarded after the winner's own last discard, without the claimed tile."""
    history = case.extra.get("history")
    if history is None:
        raise CaseError(
            "sacred_discard 'missed' looks at the order of all discards: "
            "give them as history, a list of [seat, tile]"
        )
    places = dict.fromkeys(Seat, 0)
    passed: list[Evidence] = []
    for seat, tile in _entries(history):
        places[seat] += 1
        if seat == case.winner:
            passed.clear()
        else:
            passed.append(Evidence(seat, places[seat], tile))
    if (
        passed
        and Flag.ROBBING_KONG not in case.flags
        and (passed[-1].seat, passed[-1].tile.face) == (case.source, case.winning_tile.face)
    ):
        passed.pop()
    return tuple(passed)


def _entries(history: object) -> list[tuple[Seat, Tile]]:
    try:
        return [
            (Seat(seat), tile if isinstance(tile, Tile) else Tile.parse(tile))
            for seat, tile in history  # type: ignore[attr-defined]
        ]
    except (TypeError, ValueError) as error:
        raise CaseError(f"history is a list of [seat, tile], not {history!r}: {error}") from None


def _places(seat: Seat, pond: Iterable[Tile]) -> tuple[Evidence, ...]:
    return tuple(Evidence(seat, place, tile) for place, tile in enumerate(pond, start=1))
