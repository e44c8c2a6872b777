"""Whether a payer was waiting when the winning tile appeared (section 11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat, Wind, seats
from table_controller.rules.core.tiles import KINDS, Tile, format_tiles, kind_counts
from table_controller.rules.korean_japanese_3p.counting import (
    Count,
    best_count,
)
from table_controller.rules.korean_japanese_3p.hand import PLAYERS, indicator_of, is_shape
from table_controller.rules.korean_japanese_3p.options import (
    Options,
    WaitingAdjustment,
    WaitingProof,
    WaitingVisibility,
    tile_set,
)


@dataclass(frozen=True, slots=True)
class WaitingVerdict:
    """Whether a payer was waiting, and why."""

    seat: Seat
    is_waiting: bool
    why: str


def waits(
    hand: Iterable[Tile],
    melds: tuple[Meld, ...],
    *,
    seat: Seat,
    seat_winds: tuple[Wind, ...],
    round_wind: Wind,
    options: Options,
) -> Mapping[Tile, Count]:
    """Every kind that completes the hand by self-draw, with what it would be worth.

    A self-draw never scores fewer hand points than a discard, so it decides whether a hand waits.
    Kinds of which the hand holds every copy are left out.
    """
    held = tuple(hand)
    own = Counter(tile.face for tile in (*held, *(t for meld in melds for t in meld.tiles)))
    counts = kind_counts(held)
    in_play = tile_set(options).number_of_face
    found = {}
    for index, kind in enumerate(KINDS):
        if in_play.get(kind, 0) <= own[kind]:
            continue
        counts[index] += 1
        fits = is_shape(counts, options)
        counts[index] -= 1
        if not fits:
            continue
        case = Case(
            winner=seat,
            source=None,
            hand=held,
            winning_tile=kind,
            melds=melds,
            seat_winds=seat_winds,
            round_wind=round_wind,
        )
        best = best_count(case, options)
        if best is not None:
            found[kind] = best
    return found


def verdict_on(payer: Seat, case: Case, options: Options) -> WaitingVerdict:
    """Whether this payer was waiting immediately before the winning tile appeared.

    Where the staff established it, the case lists the seats as ``waiting``; else the hand that
    the payer shows decides, and a hand that is not shown is not waiting.
    """
    name = case.seat_name(payer, PLAYERS)

    def verdict(is_waiting: bool, because: str) -> WaitingVerdict:
        both = options.waiting_adjustment is WaitingAdjustment.CUMULATIVE
        pays = "2 more" if not is_waiting else "2 less" if both else "no points for it"
        return WaitingVerdict(payer, is_waiting, f"{name} {because} and pays {pays}.")

    if payer in case.seats_named("dead_hands", PLAYERS):
        return verdict(False, "has a dead hand, which never waits,")
    if "waiting" in case.extra:
        is_waiting = payer in case.seats_named("waiting", PLAYERS)
        return verdict(is_waiting, "was waiting" if is_waiting else "was not waiting")
    if options.waiting_proof is WaitingProof.DECLARED_ONLY:
        is_ready = payer in case.seats_named("ready_seats", PLAYERS)
        return verdict(is_ready, "had declared ready" if is_ready else "had not declared ready")
    shown = case.others.get(payer)
    if shown is None or shown.hand is None:
        return verdict(False, "shows no hand, which counts as not waiting,")
    winds = tuple(case.wind_of(seat, PLAYERS) for seat in seats(PLAYERS))
    is_waiting, because = is_waiting_hand(
        shown,
        seat=payer,
        seat_winds=winds,
        round_wind=case.round_wind,
        options=options,
        seen=_seen_by(shown, case, options),
    )
    return verdict(is_waiting, because)


def is_waiting_hand(
    shown: ShownHand,
    *,
    seat: Seat,
    seat_winds: tuple[Wind, ...],
    round_wind: Wind,
    options: Options,
    seen: Counter[Tile],
) -> tuple[bool, str]:
    """Whether these thirteen tiles wait for a kind that makes a legal hand and can still come, and
    why. ``seen`` counts the copies that can no longer reach the hand.
    """
    held = tuple(tile for tile in shown.hand or () if not tile.is_bonus)
    wanted = 13 - 3 * len(shown.melds)
    if len(held) != wanted:
        return False, f"shows {len(held)} concealed tiles instead of {wanted}"
    completing = waits(
        held,
        shown.melds,
        seat=seat,
        seat_winds=seat_winds,
        round_wind=round_wind,
        options=options,
    )
    if not completing:
        return False, "is not one tile from a hand"
    worth = [
        kind
        for kind, best in completing.items()
        if best.is_legal(options) or not options.waiting_needs_minimum
    ]
    if not worth:
        most = max(best.hand_points for best in completing.values())
        return False, (
            f"would reach only {most} of {options.min_hand_points} hand points with "
            f"{format_tiles(completing)}, which is not waiting,"
        )
    in_play = tile_set(options).number_of_face
    open_kinds = [kind for kind in worth if in_play[kind] > seen[kind]]
    if not open_kinds:
        return False, f"waits for {format_tiles(worth)}, which can no longer come,"
    return True, f"was waiting for {format_tiles(open_kinds)}"


def _seen_by(shown: ShownHand, case: Case, options: Options) -> Counter[Tile]:
    """How many copies of each kind can no longer reach the payer who shows this hand."""
    seen = visible_tiles(case)
    if options.waiting_visibility is WaitingVisibility.PUBLIC_PLUS_OWN:
        seen.update(tile.face for tile in shown.hand or ())
        for seat in seats(PLAYERS):
            melds = case.melds if seat is case.winner else _melds_of(case, seat)
            seen.update(_not_from_ponds(melds, case))
        indicator = indicator_of(case)
        if indicator is not None:
            seen[indicator.face] += 1
    return seen


def visible_tiles(case: Case) -> Counter[Tile]:
    """Every tile that was discarded, the winning discard included."""
    seen: Counter[Tile] = Counter()
    for seat in seats(PLAYERS):
        seen.update(tile.face for tile in case.pond(seat))
    if case.source is not None and Flag.ROBBING_KONG not in case.flags:
        pond = case.pond(case.source)
        if not pond or pond[-1].face != case.winning_tile.face:
            seen[case.winning_tile.face] += 1
    return seen


def _melds_of(case: Case, seat: Seat) -> tuple[Meld, ...]:
    shown = case.others.get(seat)
    return () if shown is None else shown.melds


def _not_from_ponds(melds: Iterable[Meld], case: Case) -> Iterable[Tile]:
    """The tiles of melds, without the called one where the ponds list it."""
    for meld in melds:
        faces = list(meld.faces)
        if meld.source is not None and meld.tile in {tile.face for tile in case.pond(meld.source)}:
            faces.remove(meld.tile)
        yield from faces
