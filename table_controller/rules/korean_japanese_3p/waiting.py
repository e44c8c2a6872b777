"""Whether a payer was waiting when the winning tile appeared (section 11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import KINDS, Tile, format_tiles
from table_controller.rules.korean_japanese_3p.counting import (
    Count,
    best_count,
    seat_name,
    seats_named,
)
from table_controller.rules.korean_japanese_3p.hand import PLAYERS
from table_controller.rules.korean_japanese_3p.options import (
    Options,
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
    found = {}
    for kind in KINDS:
        if tile_set(options).number_of_face.get(kind, 0) <= own[kind]:
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
    name = seat_name(case, payer)

    def verdict(is_waiting: bool, because: str) -> WaitingVerdict:
        pays = "no points for it" if is_waiting else "2 more"
        return WaitingVerdict(payer, is_waiting, f"{name} {because} and pays {pays}.")

    if payer in seats_named(case, "dead_hands"):
        return verdict(False, "has a dead hand, which never waits,")
    if "waiting" in case.extra:
        is_waiting = payer in seats_named(case, "waiting")
        return verdict(is_waiting, "was waiting" if is_waiting else "was not waiting")
    if options.waiting_proof is WaitingProof.DECLARED_ONLY:
        is_ready = payer in seats_named(case, "ready_seats")
        return verdict(is_ready, "had declared ready" if is_ready else "had not declared ready")
    shown = case.others.get(payer)
    if shown is None or shown.hand is None:
        return verdict(False, "shows no hand, which counts as not waiting,")
    held = tuple(tile for tile in shown.hand if not tile.is_bonus)
    if len(held) + 3 * len(shown.melds) != 13:
        raise CaseError(
            f"{name} shows {format_tiles(held)} with {len(shown.melds)} melds: a waiting hand has "
            f"{13 - 3 * len(shown.melds)} concealed tiles; look at the hand again"
        )
    completing = waits(
        held,
        shown.melds,
        seat=payer,
        seat_winds=tuple(case.wind_of(Seat(seat), PLAYERS) for seat in range(PLAYERS)),
        round_wind=case.round_wind,
        options=options,
    )
    if not completing:
        return verdict(False, "is not one tile from a hand")
    worth = {
        kind: best
        for kind, best in completing.items()
        if best.is_legal(options) or not options.waiting_needs_minimum
    }
    if not worth:
        most = max(best.hand_points for best in completing.values())
        return verdict(
            False,
            f"would reach only {most} of {options.min_hand_points} hand points with "
            f"{format_tiles(completing)}, which is not waiting,",
        )
    left = _left(payer, shown, case, options)
    open_kinds = [kind for kind in worth if left[kind] > 0]
    if not open_kinds:
        return verdict(False, f"waits for {format_tiles(worth)}, which can no longer come,")
    return verdict(True, f"was waiting for {format_tiles(open_kinds)}")


def _left(payer: Seat, shown: ShownHand, case: Case, options: Options) -> Counter[Tile]:
    """How many copies of each kind could still reach the payer."""
    seen = visible_tiles(case)
    if options.waiting_visibility is WaitingVisibility.PUBLIC_PLUS_OWN:
        seen.update(tile.face for tile in shown.hand or ())
        for seat in range(PLAYERS):
            melds = case.melds if seat == case.winner else _melds_of(case, Seat(seat))
            seen.update(_not_from_ponds(melds, case))
        indicator = case.extra.get("indicator")
        if indicator:
            seen[Tile.parse(str(indicator)).face] += 1
    left = Counter(tile_set(options).number_of_face)
    left.subtract(seen)
    return left


def visible_tiles(case: Case) -> Counter[Tile]:
    """Every tile that was discarded, the winning discard included."""
    seen: Counter[Tile] = Counter()
    for seat in range(PLAYERS):
        seen.update(tile.face for tile in case.pond(Seat(seat)))
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
