"""The retroactive referee: what the public record and a shown hand prove, and nothing else.

During play nobody knows the concealed tiles. When a hand is shown its waits are known, and as the
hand has not changed since the window of each rule began, they are checked against what everybody
saw then. Whatever cannot be proved so is not said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from table_controller.rules.core.case import Answer, Case, Evidence, Flag, Violation
from table_controller.rules.core.decomposition import splits, thirteen_orphans_waits
from table_controller.rules.core.errors import ImpossibleEventError
from table_controller.rules.core.events import WinClaimed
from table_controller.rules.core.game import case_from_state
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState, Offered
from table_controller.rules.core.tiles import Tile, format_tiles, kind_counts
from table_controller.rules.riichi.dora import dora_of
from table_controller.rules.riichi.furiten import places, waits
from table_controller.rules.riichi.options import (
    ChomboMode,
    RiichiAnkan,
    RiichiOptions,
    TemporaryFuritenEnd,
)
from table_controller.rules.riichi.payments import STICK, chombo_payments
from table_controller.rules.riichi.sanma_options import SanmaOptions
from table_controller.rules.riichi.scoring import scorer_for
from table_controller.rules.riichi.settle import settle_win, settle_wins


def case_of(state: DealState, claim: WinClaimed, options: RiichiOptions) -> Case:
    """The score case of a claim, with the tiles that the indicators make dora."""
    indicators = state.indicators if options.kan_dora else state.indicators[:1]
    under = state.under_indicators[: len(indicators) if options.kan_ura_dora else 1]
    case = case_from_state(
        state,
        claim,
        dora=tuple(dora_of(tile, options) for tile in indicators),
        ura=tuple(dora_of(tile, options) for tile in under),
    )
    flags = set(case.flags)
    offer = state.offers[-1] if state.offers else None
    if claim.source is not None and offer is not None and is_north(offer):
        flags -= {Flag.ROBBING_KONG, Flag.LAST_TILE}
    if isinstance(options, SanmaOptions):
        flags = _north_flags(state, claim, flags, options)
    if _added_last(state, claim.seat):
        case = replace(case, extra={"added_last": True})
    return replace(case, flags=frozenset(flags))


def _added_last(state: DealState, seat: Seat) -> bool:
    """The last meld the seat laid was a tile added to a pung."""
    laid = (
        offer.kong if offer.seat is seat else MeldKind.PUNG
        for offer in reversed(state.offers)
        if (offer.seat is seat and offer.kong is not None) or offer.called_by is seat
    )
    return next(laid, None) is MeldKind.ADDED_KONG


def is_north(offer: Offered) -> bool:
    """A north that was set aside, not discarded or added to a kong; flowers break nothing."""
    return offer.place is None and offer.kong is None and offer.tile.is_wind


def _north_flags(
    state: DealState, claim: WinClaimed, flags: set[Flag], options: SanmaOptions
) -> set[Flag]:
    """What norths that were set aside change about the way a hand was won."""
    norths = [at for at, offer in enumerate(state.offers) if is_north(offer)]
    if claim.source is not None and norths and norths[-1] == len(state.offers) - 1:
        norths.pop()  # the north that is won on broke nothing
    if claim.source is None and state.replacement and not state.after_kong:
        flags |= {Flag.REPLACEMENT} if options.north_win_rinshan else set()
    if not options.north_breaks or not norths:
        return flags
    ready = ready_index(state, claim.seat)
    if ready is not None and norths[-1] > ready:
        flags.discard(Flag.ONE_SHOT)
    if ready is not None and norths[0] < ready and Flag.DOUBLE_READY in flags:
        flags = (flags - {Flag.DOUBLE_READY}) | {Flag.READY}
    flags.discard(Flag.FIRST_TURN)
    return flags


def ready_index(state: DealState, seat: Seat) -> int | None:
    """Where in the order of offers the seat's riichi discard stands; None without riichi."""
    ready_at = state.seats[seat].ready_at
    if ready_at is None:
        return None
    for index, offer in enumerate(state.offers):
        if offer.seat is seat and offer.place == ready_at + 1:
            return index
    return None


def judge(state: DealState, claim: WinClaimed, options: RiichiOptions) -> Answer:
    """The verdict on one claim of a deal whose hands are shown, other claims considered."""
    claims = [one for one in state.claims if one.source == claim.source] or [claim]
    cases, found = [], {}
    for one in claims:
        if state.seats[one.seat].shown is None:
            if one is claim:
                raise ImpossibleEventError(
                    f"seat {claim.seat} claims a win but has not shown its hand: "
                    "ask it to lay it open"
                )
            continue
        case = case_of(state, one, options)
        cases.append(case)
        found[one.seat] = claim_violations(state, case, options)
    answers = settle_wins(cases, options, state.players, found)
    if not isinstance(answers, tuple):  # all are right: `Play.winners` says that the deal is drawn
        case = next(case for case in cases if case.winner is claim.seat)
        return settle_win(case, options, state.players)
    source = claim.source if claim.source is not None else claim.seat
    order = sorted(found, key=lambda seat: source.turns_until(seat, state.players))
    answer = answers[order.index(claim.seat)]
    if any(one.valid for one in answers) or claim is not claims[0]:
        return answer
    return _with_sticks_back(state, answer)


def _with_sticks_back(state: DealState, answer: Answer) -> Answer:
    """Where nobody wins the sticks of this deal return to their owners, once."""
    first = answer.violations[0]
    with_back = replace(first, penalty=first.penalty + sticks_back(state))
    return replace(answer, violations=(with_back, *answer.violations[1:]))


def sticks_back(state: DealState) -> tuple[Payment, ...]:
    """The sticks of this deal, back to the seats that laid them."""
    return tuple(
        Payment(None, seat, STICK, "stick returned")
        for seat in seats(state.players)
        if state.seats[seat].ready_at is not None and not state.seats[seat].ready_pending
    )


def claim_violations(state: DealState, case: Case, options: RiichiOptions) -> tuple[Violation, ...]:
    """Everything that the record proves against a claimed win, whatever the hand is worth."""
    seat = case.winner
    found: list[Violation] = []
    if state.seats[seat].dead_hand:
        text = "The hand was declared dead: it may not win."
        found.append(Violation(code="dead_hand", seat=seat, text=text))
    size = len(case.hand) + 3 * len(case.melds)
    if size != 13:
        found.append(_wrong_count(seat, size))
        return tuple(found)
    whole = Counter(
        tile.face
        for tile in (*case.hand, case.winning_tile, *(t for meld in case.melds for t in meld.tiles))
    )
    for tile, number in whole.items():
        if number > 4:
            text = f"The hand shows {tile} {number} times; the set has four: read it again."
            return (*found, Violation(code="fifth_tile", seat=seat, text=text))
    if case.source is not None:
        found += _furiten(state, case, options)
    found += kong_violations(state, seat, case.hand, options)
    return tuple(found)


def _wrong_count(seat: Seat, size: int) -> Violation:
    return Violation(
        code="wrong_tile_count",
        seat=seat,
        text=f"The hand has {size} tiles without the winning tile; 13 are right, a kong counts "
        "three.",
    )


def _furiten(state: DealState, case: Case, options: RiichiOptions) -> Iterator[Violation]:
    found = waits(case.hand, case.melds, own_four_excluded=options.own_four_excluded)
    own = tuple(
        Evidence(case.winner, place, discard.tile)
        for place, discard in enumerate(state.seats[case.winner].pond, start=1)
        if discard.tile.face in found
    )
    waiting = format_tiles(sorted(found))
    if own:
        yield Violation(
            code="furiten",
            seat=case.winner,
            text=f"The hand waits for {waiting} and its own pond holds {places(own)}: it cannot "
            "win on a discard.",
            evidence=own,
        )
    ready = ready_index(state, case.winner)
    if ready is not None:
        missed = _missed(state, case, ready + 1, found, options)
        if missed:
            yield Violation(
                code="riichi_furiten",
                seat=case.winner,
                text=f"In riichi the hand waits for {waiting} and let {_seen(missed)} pass: it "
                "cannot win on a discard any more.",
                evidence=missed,
            )
            return
    missed = _missed_since(state, case, options)
    if missed:
        yield Violation(
            code="temporary_furiten",
            seat=case.winner,
            text=f"Since its last turn the seat let {_seen(missed)} pass, which completed its "
            "hand: it cannot win on a discard before its next turn.",
            evidence=missed,
        )


def _seen(evidence: tuple[Evidence, ...]) -> str:
    return ", ".join(f"{one.tile} of seat {one.seat.value} ({one.lies()})" for one in evidence)


def _missed(
    state: DealState, case: Case, start: int, found: frozenset[Tile], options: RiichiOptions
) -> tuple[Evidence, ...]:
    """Tiles of others from ``start`` on that completed the hand, the one won on left out."""
    return tuple(
        Evidence(offer.seat, offer.place or 0, offer.tile)
        for offer in state.offers[start:-1]
        if _could_win(state, case, offer, found, options)
    )


def _could_win(
    state: DealState, case: Case, offer: Offered, found: frozenset[Tile], options: RiichiOptions
) -> bool:
    if offer.seat is case.winner or offer.tile.face not in found:
        return False
    if offer.kong is MeldKind.CONCEALED_KONG and not (
        options.kokushi_ankan_ron and thirteen_orphans_waits(kind_counts(case.hand))
    ):
        return False
    if is_north(offer) and not (isinstance(options, SanmaOptions) and options.north_ron):
        return False
    if options.missed_win_by_shape and not is_north(offer):
        return True
    score = scorer_for(options, state.players).score(
        replace(case, winning_tile=offer.tile, source=offer.seat)
    )
    return score is not None and score.has_yaku


def _missed_since(state: DealState, case: Case, options: RiichiOptions) -> tuple[Evidence, ...]:
    """Tiles missed since the window of temporary furiten began.

    Where a call does not end the window the hand before the call is put together again: the
    tiles shown, those that the call exposed, and the discard after it.
    """
    seat = case.winner
    start = window_start(state, seat, options)
    hand, melds = list(case.hand), list(case.melds)
    missed: list[Evidence] = []
    found = waits(tuple(hand), tuple(melds), own_four_excluded=options.own_four_excluded)
    discarded: Tile | None = None
    for offer in reversed(state.offers[start:-1]):
        if offer.seat is seat:
            discarded = offer.tile if offer.place is not None else discarded
            continue
        if offer.called_by is seat and offer.meld is not None and discarded is not None:
            hand.append(discarded)
            exposed = list(offer.meld.tiles)
            exposed.remove(offer.tile)
            hand += exposed
            melds = [meld for meld in melds if not _grew_from(meld, offer.meld)]
            found = waits(
                tuple(sorted(hand)), tuple(melds), own_four_excluded=options.own_four_excluded
            )
        earlier = replace(case, hand=tuple(hand), melds=tuple(melds))
        if _could_win(state, earlier, offer, found, options):
            missed.append(Evidence(offer.seat, offer.place or 0, offer.tile))
    return tuple(reversed(missed))


def _grew_from(meld: Meld, called: Meld) -> bool:
    return (
        meld.tile == called.tile
        and meld.source == called.source
        and (meld.kind is called.kind or meld.kind is MeldKind.ADDED_KONG)
    )


def window_start(state: DealState, seat: Seat, options: RiichiOptions) -> int:
    """From which offer on a missed win makes the seat furiten for now."""
    drew = state.seats[seat].drew_at
    own = [at for at, offer in enumerate(state.offers) if offer.seat is seat and offer.place]
    called = [at for at, offer in enumerate(state.offers) if offer.called_by is seat]
    match options.temp_furiten_end:
        case TemporaryFuritenEnd.OWN_DRAW:
            return drew
        case TemporaryFuritenEnd.DRAW_OR_CALL:
            return max(drew, called[-1] + 1 if called else 0)
        case TemporaryFuritenEnd.OWN_DISCARD:
            return own[-1] + 1 if own else 0


def kong_violations(
    state: DealState, seat: Seat, hand: tuple[Tile, ...], options: RiichiOptions
) -> list[Violation]:
    """Concealed kongs that a seat in riichi declared although they changed its waits."""
    ready = ready_index(state, seat)
    if ready is None:
        return []
    kongs = [
        offer
        for offer in state.offers[ready + 1 :]
        if offer.seat is seat and offer.kong is MeldKind.CONCEALED_KONG
    ]
    if not kongs:
        return []
    if options.riichi_ankan is RiichiAnkan.FORBIDDEN:
        text = f"Seat {seat.value} declared a kong of {kongs[0].tile} in riichi."
        return [Violation(code="invalid_riichi_kan", seat=seat, text=text)]
    found = []
    melds = list(state.seats[seat].melds)
    concealed = list(hand)
    for kong in reversed(kongs):
        after = waits(tuple(sorted(concealed)), tuple(melds), own_four_excluded=False)
        laid = next(meld for meld in melds if meld.kind.is_kong and meld.tile == kong.tile.face)
        melds.remove(laid)
        concealed += [laid.tile] * 3
        before = waits(tuple(sorted(concealed)), tuple(melds), own_four_excluded=False)
        same = before == after
        if same and options.riichi_ankan is RiichiAnkan.SAME_SHAPE:
            same = is_always_triplet(tuple(concealed), laid.tile, before)
        if not same:
            text = (
                f"Seat {seat.value} declared a kong of {laid.tile} in riichi: the hand waited for "
                f"{format_tiles(sorted(before)) or 'nothing'} before and for "
                f"{format_tiles(sorted(after)) or 'nothing'} after it"
                + ("." if before != after else ", and the three tiles could be read as chows.")
            )
            found.append(Violation(code="invalid_riichi_kan", seat=seat, text=text))
    return found


def is_always_triplet(hand: tuple[Tile, ...], tile: Tile, waiting: frozenset[Tile]) -> bool:
    """In every reading of the waiting hand the three tiles are a triplet."""
    faces = [one.face for one in hand]
    return all(
        tile in split.pungs for wait in waiting if wait != tile for split in splits([*faces, wait])
    )


def draw_violations(state: DealState, options: RiichiOptions) -> list[Violation]:
    """What shown hands prove at a draw: riichi without a wait, kongs that changed the wait."""
    found = []
    for seat in seats(state.players):
        holder = state.seats[seat]
        if holder.ready_at is None:
            continue
        if holder.shown is None:
            continue
        size = len(holder.shown) + 3 * len(holder.melds)
        if size != 13:
            found.append(_wrong_count(seat, size))
            continue
        if not waits(holder.shown, holder.melds, own_four_excluded=options.own_four_excluded):
            pond = holder.pond
            turned = Evidence(seat, holder.ready_at + 1, pond[holder.ready_at].tile)
            found.append(
                Violation(
                    code="noten_riichi",
                    seat=seat,
                    text=f"Seat {seat.value} declared riichi with {places((turned,))} but its "
                    f"hand {format_tiles(sorted(holder.shown))} waits for nothing.",
                    evidence=(turned,),
                )
            )
        found += kong_violations(state, seat, holder.shown, options)
    return found


def chombo(
    state: DealState, violations: list[Violation], options: RiichiOptions
) -> list[Violation]:
    """The violations with the penalty of each offender, once."""
    punished: set[Seat] = set()
    found = []
    for one in violations:
        penalty: tuple[Payment, ...] = ()
        if options.chombo_mode is ChomboMode.MANGAN_PAYMENT and one.seat not in punished:
            penalty = chombo_payments(one.seat, state.dealer, options, state.players)
        punished.add(one.seat)
        found.append(replace(one, penalty=penalty))
    return found
