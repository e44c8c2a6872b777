"""How the game is played: what may be claimed and declared, and how a deal is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from table_controller.rules.core.case import Answer, Case, Flag, ShownHand, Violation
from table_controller.rules.core.decomposition import is_standard
from table_controller.rules.core.events import (
    BonusSetAside,
    GameEvent,
    KongDeclared,
    Penalised,
    WinClaimed,
)
from table_controller.rules.core.game import DrawVerdict, Play
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.record import (
    claimed_hand,
    discards_in_order,
    pond,
    robbed_seat,
    shown_hands,
)
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import DealState, Offer, SeatState
from table_controller.rules.core.tiles import Tile, kind_counts
from table_controller.rules.korean_japanese_3p.counting import best_count
from table_controller.rules.korean_japanese_3p.hand import PLAYERS, is_shape
from table_controller.rules.korean_japanese_3p.match import final, first_deal, next_deal, wall_plan
from table_controller.rules.korean_japanese_3p.options import (
    DoraRule,
    Effect,
    LastFlower,
    LimitPriority,
    Options,
    RobKongKinds,
    ThreeReady,
    WallEnd,
)
from table_controller.rules.korean_japanese_3p.penalties import (
    Offence,
    offence_violation,
    penalty_effect,
)
from table_controller.rules.korean_japanese_3p.sacred import bars_call
from table_controller.rules.korean_japanese_3p.scoring import (
    NAME,
    breaches,
    needs_hands,
    settle_win,
)
from table_controller.rules.korean_japanese_3p.waiting import is_waiting_hand

THREE_READY = "three_ready"


# From the public record to a case


def case_of(state: DealState, claim: WinClaimed, options: Options) -> Case:
    """The claimed win as a case: the hand that was shown, and the whole public record."""
    hand, winning_tile = claimed_hand(state, claim)
    robbed = robbed_seat(state, claim)
    flags = set()
    if state.seats[claim.seat].is_ready:
        flags.add(Flag.READY)
    if robbed is not None:
        flags.add(Flag.ROBBING_KONG)
    elif state.wall_left == 0:
        flags.add(Flag.LAST_TILE)
    as_dealt = not state.discards and not state.kongs  # scores nothing special
    if claim.source is None and state.replacement and not as_dealt:
        flags.add(Flag.REPLACEMENT)
    extra: dict[str, object] = {
        "all_ready": all(seat.is_ready for seat in state.seats),
        "ready_seats": _those(state, lambda seat: seat.is_ready),
        "dead_hands": _those(state, lambda seat: seat.dead_hand),
        "history": discards_in_order(state),
    }
    if options.dora_rule is not DoraRule.NONE and state.indicators:
        extra["indicator"] = state.indicators[0]
    if robbed is not None and state.offer is not None and state.offer.is_concealed_kong:
        extra["robbed_kong"] = "concealed"
    return Case(
        winner=claim.seat,
        source=claim.source,
        hand=hand,
        winning_tile=winning_tile,
        melds=state.seats[claim.seat].melds,
        bonus=state.seats[claim.seat].bonus,
        dealer=state.dealer,
        round_wind=state.round_wind,
        flags=frozenset(flags),
        goulash=state.goulash,
        ponds={seat: pond(state, seat) for seat in seats(PLAYERS)},
        others=shown_hands(state, claim),
        extra=extra,
    )


def _those(state: DealState, holds: Callable[[SeatState], bool]) -> tuple[Seat, ...]:
    return tuple(seat for seat in seats(PLAYERS) if holds(state.seats[seat]))


# Judging


def judge(
    state: DealState, history: Sequence[GameEvent], claim: WinClaimed, options: Options
) -> Answer:
    """The verdict on a claimed win, from the public record and the hands that were shown.

    A ready player who turns out not to have been waiting pays for it in the same settlement.
    Raises CaseError for tiles that cannot be: a person looks at the hand again.
    """
    miscounted = _wrong_count(state, claim, options)
    if miscounted is not None:
        return Answer(ruleset=NAME, valid=False, violations=(miscounted,), players=PLAYERS)
    case = case_of(state, claim, options)
    answer = settle_win(case, options)
    if not answer.valid:
        return answer
    false = tuple(_false_ready(state, history, options))
    return replace(
        answer,
        violations=false,
        payments=(*answer.payments, *(fine for breach in false for fine in breach.penalty)),
    )


def _wrong_count(state: DealState, claim: WinClaimed, options: Options) -> Violation | None:
    hand, _ = claimed_hand(state, claim)
    wanted = 13 - 3 * len(state.seats[claim.seat].melds)
    if len(hand) == wanted:
        return None
    offence = Offence.LONG_HAND if len(hand) > wanted else Offence.SHORT_HAND
    return offence_violation(
        offence,
        claim.seat,
        options,
        code="wrong_tile_count",
        text=f"Beside the winning tile {len(hand)} concealed tiles are shown; with "
        f"{len(state.seats[claim.seat].melds)} sets laid down there must be {wanted}.",
    )


def _false_ready(
    state: DealState, history: Sequence[GameEvent], options: Options
) -> Iterator[Violation]:
    """The players who declared ready, had to show, and were not waiting for a legal hand.

    Tiles that were gone already are not held against the declaration. Who was penalised for it
    when it was declared is not penalised again.
    """
    told = _told_of(history)
    winds = tuple(state.wind_of(seat) for seat in seats(PLAYERS))
    claimed = {claim.seat for claim in state.claims}
    for seat in seats(PLAYERS):
        holder = state.seats[seat]
        if not holder.is_ready or holder.shown is None or seat in claimed | told:
            continue
        if not holder.is_concealed:
            text = f"{winds[seat].english} declared ready with a set taken from a discard."
            yield offence_violation(Offence.FALSE_READY, seat, options, text=text)
            continue
        is_waiting, because = is_waiting_hand(
            ShownHand(hand=holder.shown, melds=holder.melds),
            seat=seat,
            seat_winds=winds,
            round_wind=state.round_wind,
            options=options,
            seen=Counter(),
        )
        if not is_waiting:
            text = f"{winds[seat].english} declared ready, but {because.rstrip(',')}."
            yield offence_violation(Offence.FALSE_READY, seat, options, text=text)


def _told_of(history: Sequence[GameEvent]) -> set[Seat]:
    """Who was penalised for a false ready declaration when it was made."""
    code = Offence.FALSE_READY.value
    return {e.seat for e in history if isinstance(e, Penalised) and e.code == code}


def winners(
    state: DealState, claims: tuple[WinClaimed, ...], options: Options
) -> tuple[WinClaimed, ...]:
    """The claim that wins: by hand points, then bonus points, then the order of play.

    Claims that may not stand do not compete; where none may, all are judged.
    """
    ranked = []
    for claim in claims:
        case = case_of(state, claim, options)
        if any(breaches(case, options)):
            continue
        best = best_count(case, options)
        if best is None:
            continue
        distance = 0 if claim.source is None else claim.source.turns_until(claim.seat, PLAYERS)
        points, bonus = best.hand_points, best.bonus_points
        is_limit = bool(best.limits)
        if is_limit:
            half = best.limits[0].is_half
            points = options.half_limit_value if half else options.limit_value
            bonus = 0
        first = is_limit and options.limit_priority_value is LimitPriority.ALWAYS_FIRST
        ranked.append(((not first, -points, -bonus, distance), claim))
    if not ranked:
        return claims
    return (min(ranked, key=lambda one: one[0])[1],)


def must_show(state: DealState, options: Options) -> tuple[Seat, ...]:
    """Who must lay the hand open for the settlement: payers who may have been waiting, and
    everybody who declared ready.
    """
    if not state.claims:
        return ()
    claim = winners(state, state.claims, options)[0]
    if _wrong_count(state, claim, options) is not None:
        return ()
    ready = _those(state, lambda seat: seat.is_ready and not seat.dead_hand)
    wanted = needs_hands(case_of(state, claim, options), options)
    return tuple(
        seat
        for seat in seats(PLAYERS)
        if seat is not claim.seat and (seat in wanted or seat in ready)
    )


def settle_draw(
    state: DealState, history: Sequence[GameEvent], reason: str, options: Options
) -> DrawVerdict:
    """A drawn deal pays nothing and raises the goulash; ready hands show that they were ready."""
    false = tuple(_false_ready(state, history, options))
    wrong = {breach.seat for breach in false} | _told_of(history)
    counts = reason != THREE_READY or options.three_ready_draw_counts
    return DrawVerdict(
        waiting=tuple(
            seat
            for seat in _those(state, lambda seat: seat.is_ready and seat.shown is not None)
            if seat not in wrong
        ),
        payments=tuple(fine for breach in false for fine in breach.penalty),
        violations=false,
        goulash=state.goulash + counts,
    )


def refusal_ends_deal(
    state: DealState, claim: WinClaimed, answer: Answer, options: Options
) -> bool:
    """A false win annuls the deal; a wrong number of tiles only kills the hand."""
    code = answer.violations[0].code
    if code == "wrong_tile_count":
        hand, _ = claimed_hand(state, claim)
        is_long = len(hand) > 13 - 3 * len(state.seats[claim.seat].melds)
        offence = Offence.LONG_HAND if is_long else Offence.SHORT_HAND
    else:
        offence = Offence.FALSE_WIN
    return penalty_effect(offence, options) is Effect.DEAL_ANNULLED


# What may be done


def can_win(state: DealState, seat: Seat, offer: Offer | None, options: Options) -> bool:
    """The seat may win now: with the tile on offer, or with the one it drew."""
    holder = state.seats[seat]
    held = [tile for tile in holder.hand if tile is not None]
    if holder.dead_hand or any(tile.is_bonus for tile in held):
        return False
    if offer is not None and offer.tile.is_bonus:
        return False
    complete = held if offer is None else [*held, offer.tile]
    if not is_shape(kind_counts(complete), options):
        return False
    claim = WinClaimed(
        seat=seat,
        tile=holder.drawn if offer is None else offer.tile,
        source=None if offer is None else offer.seat,
    )
    return not any(breaches(case_of(state, claim, options), options))


def robs_concealed(state: DealState, seat: Seat, options: Options) -> bool:
    """A concealed kong may be robbed where the house says so."""
    return options.rob_kong_kinds is RobKongKinds.PROMOTED_AND_CONCEALED


def may_call(state: DealState, seat: Seat, meld: Meld, options: Options) -> bool:
    """A pung or kong may be taken unless the sacred discard also covers them."""
    return not bars_call(pond(state, seat), meld.tile, options)


def may_declare_kong(state: DealState, seat: Seat, kong: KongDeclared, options: Options) -> bool:
    """A ready hand may not be changed by a kong."""
    return not state.seats[seat].is_ready


def ready_discards(state: DealState, seat: Seat, options: Options) -> tuple[Tile, ...]:
    """The discards with which the seat may declare ready: what stays is concealed and waits."""
    holder = state.seats[seat]
    if holder.is_ready or holder.dead_hand or not holder.is_concealed:
        return ()
    held = [tile for tile in holder.hand if tile is not None]
    counts = kind_counts(held)
    if not _one_discard_from_ready(counts):
        return ()
    winds = tuple(state.wind_of(other) for other in seats(PLAYERS))
    found = []
    for tile in dict.fromkeys(held):
        left = list(held)
        left.remove(tile)
        seen = visible_to(state, left)
        seen[tile.face] += 1
        is_waiting, _ = is_waiting_hand(
            ShownHand(hand=tuple(left), melds=holder.melds),
            seat=seat,
            seat_winds=winds,
            round_wind=state.round_wind,
            options=options,
            seen=seen,
        )
        if is_waiting:
            found.append(tile)
    return tuple(found)


def _one_discard_from_ready(counts: list[int]) -> bool:
    """Exchanging one tile may complete the hand: a quick look before the exact one."""
    if sum(number >= 2 for number in counts) >= 6 or sum(map(bool, counts)) >= 12:
        return True
    near = [
        kind
        for kind in range(34)
        if any(counts[max(kind - 2, 0) : kind + 3] if kind < 27 else counts[kind : kind + 1])
    ]
    for away in range(34):
        if not counts[away]:
            continue
        counts[away] -= 1
        for come in near:
            counts[come] += 1
            fits = is_standard(counts)
            counts[come] -= 1
            if fits:
                counts[away] += 1
                return True
        counts[away] += 1
    return False


def visible_to(state: DealState, held: Sequence[Tile]) -> Counter[Tile]:
    """What a player who holds these tiles sees: ponds, melds, turned tiles and the own hand."""
    seen = Counter(tile.face for tile in (*held, *state.indicators))
    for seat in state.seats:
        seen.update(discard.tile.face for discard in seat.pond if discard.called_by is None)
        seen.update(face for meld in seat.melds for face in meld.faces)
    return seen


def automatic_draw(state: DealState, options: Options) -> str | None:
    """All three being ready ends the deal where the house says so."""
    if options.three_ready is ThreeReady.DRAW and all(seat.is_ready for seat in state.seats):
        return THREE_READY
    return None


def replaced_from_front(replaced: GameEvent, options: Options) -> bool:
    """Whether the replacement comes from the front of the wall."""
    match replaced:
        case BonusSetAside():
            return options.flower_replacement_end is WallEnd.FRONT
        case KongDeclared(meld=meld) if meld.kind is MeldKind.ADDED_KONG:
            return options.promoted_kong_replacement_end is WallEnd.FRONT
    return False


PLAY = Play(
    wall=wall_plan,
    first_deal=first_deal,
    next_deal=next_deal,
    final=final,
    case_of=case_of,
    judge=judge,
    can_win=can_win,
    winners=winners,
    settle_draw=settle_draw,
    automatic_draw=automatic_draw,
    shows_hand_at_draw=lambda state, seat, options: state.seats[seat].is_ready,
    must_show=must_show,
    ready_discards=ready_discards,
    may_declare_kong=may_declare_kong,
    may_call=may_call,
    chows=False,
    robs_concealed=robs_concealed,
    replaced_from_front=replaced_from_front,
    unreplaced_bonus_draws=lambda options: options.last_flower is LastFlower.GOULASH,
    refusal_ends_deal=refusal_ends_deal,
    pond_row=lambda options: options.discard_row_length,
)
