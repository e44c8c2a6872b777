"""How the game is played: what may be claimed and declared, and how a deal is judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from table_controller.rules.core.case import Answer, Case, Flag, Violation
from table_controller.rules.core.events import GameEvent, KongDeclared, WinClaimed
from table_controller.rules.core.game import Action, DrawVerdict, Play
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.record import (
    claimed_hand,
    pond,
    robbed_seat,
    shown_hands,
)
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import DealState, Offer
from table_controller.rules.core.tiles import JOKER, Tile
from table_controller.rules.malaysian_3p.hand import PLAYERS, assignments
from table_controller.rules.malaysian_3p.losers import fly_payments
from table_controller.rules.malaysian_3p.match import (
    final,
    first_deal,
    instant_payments,
    next_deal,
    wall_plan,
)
from table_controller.rules.malaysian_3p.options import (
    ChowClaim,
    FourFliesInitial,
    MultipleWinners,
    Options,
    RobKongKinds,
)
from table_controller.rules.malaysian_3p.penalties import Offence, offence_violation
from table_controller.rules.malaysian_3p.scoring import (
    FOUR_FLIES_INITIAL,
    NAME,
    breaches,
    needs_hands,
    settle_win,
)

# From the public record to a case


def case_of(state: DealState, claim: WinClaimed, options: Options) -> Case:
    """The claimed win as a case: the hand that was shown, and the whole public record."""
    hand, winning_tile = claimed_hand(state, claim)
    robbed = robbed_seat(state, claim)
    extra: dict[str, object] = {
        "dead_hands": tuple(seat for seat in seats(PLAYERS) if state.seats[seat].dead_hand)
    }
    if robbed is not None and state.offer is not None and state.offer.is_concealed_kong:
        extra["robbed_kong"] = "concealed"
    if claim.source is None and _kongs_this_turn(state, claim.seat) >= 2 and state.replacement:
        extra["replacement_after_two_kongs"] = True
    if _wins_as_dealt(state, claim, (*hand, winning_tile)):
        extra[FOUR_FLIES_INITIAL] = True
    return Case(
        winner=claim.seat,
        source=claim.source,
        hand=hand,
        winning_tile=winning_tile,
        melds=state.seats[claim.seat].melds,
        bonus=state.seats[claim.seat].bonus,
        dealer=state.dealer,
        round_wind=state.round_wind,
        flags=frozenset(_flags(state, claim, robbed)),
        ponds={seat: pond(state, seat) for seat in seats(PLAYERS)},
        others=shown_hands(state, claim),
        extra=extra,
    )


def _wins_as_dealt(state: DealState, claim: WinClaimed, held: Sequence[Tile]) -> bool:
    """A claim before the first discard without a complete hand: four flies were dealt."""
    return (
        claim.source is None
        and not state.discards
        and not state.kongs
        and held.count(JOKER) == 4
        and (claim.seat is not state.dealer or claim.tile is None)
    )


def _flags(state: DealState, claim: WinClaimed, robbed: Seat | None) -> Iterator[Flag]:
    if robbed is not None:
        yield Flag.ROBBING_KONG
    elif state.wall_left == 0:
        yield Flag.LAST_TILE
    if claim.source is None and state.replacement:
        yield Flag.REPLACEMENT
    first = not state.interrupted and not state.kongs and not state.seats[claim.seat].pond
    if first and (claim.source is None or state.discards == 1):
        yield Flag.FIRST_TURN


def _kongs_this_turn(state: DealState, seat: Seat) -> int:
    """Kongs of the seat since the last discard that nobody took; bonus tiles do not interrupt."""
    kongs = 0
    for offered in reversed(state.offers):
        if offered.place is not None:
            taken = offered.called_by is seat and offered.meld is not None
            return kongs + (taken and offered.meld is not None and offered.meld.kind.is_kong)
        kongs += offered.kong is not None and offered.seat is seat
    return kongs


# Judging


def judge(
    state: DealState, history: Sequence[GameEvent], claim: WinClaimed, options: Options
) -> Answer:
    """The verdict on a claimed win, from the public record and the hands that were shown.

    Raises CaseError for tiles that cannot be: a person looks at the hand again.
    """
    wrong = _wrong_count(state, history, claim, options)
    if wrong is not None:
        return Answer(ruleset=NAME, valid=False, violations=(wrong,), players=PLAYERS)
    return settle_win(case_of(state, claim, options), options)


def _wrong_count(
    state: DealState, history: Sequence[GameEvent], claim: WinClaimed, options: Options
) -> Violation | None:
    hand, winning_tile = claimed_hand(state, claim)
    wanted = 13 - 3 * len(state.seats[claim.seat].melds)
    if len(hand) == wanted or _wins_as_dealt(state, claim, (*hand, winning_tile)):
        return None
    return offence_violation(
        Offence.LONG_HAND if len(hand) > wanted else Offence.SHORT_HAND,
        claim.seat,
        options,
        history,
        code="wrong_tile_count",
        text=f"Beside the winning tile {len(hand)} concealed tiles are shown; with "
        f"{len(state.seats[claim.seat].melds)} sets laid down there must be {wanted}.",
    )


def refusal_ends_deal(
    state: DealState, claim: WinClaimed, answer: Answer, options: Options
) -> bool:
    """A false win annuls the deal; a wrong number of tiles only kills the hand."""
    return answer.violations[0].code != "wrong_tile_count"


def winners(
    state: DealState, claims: tuple[WinClaimed, ...], options: Options
) -> tuple[WinClaimed, ...]:
    """The first legal claim in the order of play, or by option all of them."""
    standing = [
        claim for claim in claims if not any(breaches(case_of(state, claim, options), options))
    ]
    if not standing:
        return claims
    standing.sort(
        key=lambda claim: (
            0 if claim.source is None else claim.source.turns_until(claim.seat, PLAYERS)
        )
    )
    return tuple(standing if options.multiple_winners is MultipleWinners.ALL else standing[:1])


def must_show(state: DealState, options: Options) -> tuple[Seat, ...]:
    """Both losers lay their hands open: for their flies and their honour pungs."""
    if not state.claims:
        return ()
    claim = winners(state, state.claims, options)[0]
    if _wrong_count(state, (), claim, options) is not None:
        return ()
    return needs_hands(case_of(state, claim, options), options)


def settle_draw(
    state: DealState, history: Sequence[GameEvent], reason: str, options: Options
) -> DrawVerdict:
    """A drawn deal pays nothing; by option flies are paid all the same."""
    if not options.fly_bonus_on_drawn_hand:
        return DrawVerdict()
    flies = {seat: (state.seats[seat].shown or ()).count(JOKER) for seat in seats(PLAYERS)}
    return DrawVerdict(payments=fly_payments(flies, options))


# What may be done


def can_win(state: DealState, seat: Seat, offer: Offer | None, options: Options) -> bool:
    """The seat may win now: with the tile on offer, or with the one it drew."""
    holder = state.seats[seat]
    held = [tile for tile in holder.hand if tile is not None]
    if offer is not None:
        if offer.tile == JOKER and not options.fly_discard_claimable:
            return False
        held.append(offer.tile)
    if holder.dead_hand or not held or any(tile.is_bonus for tile in held):
        return False
    if next(assignments(held, holder.melds, options), None) is None:
        return False
    claim = WinClaimed(
        seat=seat,
        tile=(holder.drawn or held[-1]) if offer is None else offer.tile,
        source=None if offer is None else offer.seat,
    )
    return not any(breaches(case_of(state, claim, options), options))


def automatic_win(state: DealState, options: Options) -> Seat | None:
    """Four flies in a starting hand win at once."""
    if options.four_flies_initial is not FourFliesInitial.INSTANT_WIN:
        return None
    if state.discards or state.kongs:
        return None
    return next((seat for seat in seats(PLAYERS) if state.seats[seat].hand.count(JOKER) == 4), None)


def calls(state: DealState, seat: Seat, options: Options) -> Iterator[Meld]:
    """Pungs and kongs of real tiles from any player; chows and flies in them by option."""
    offer = state.offer
    if offer is None or (offer.tile == JOKER and not options.fly_discard_claimable):
        return
    held = [tile for tile in state.seats[seat].hand if tile is not None]
    if offer.tile == JOKER:
        return  # a discarded fly may be won by option, but names no set
    alike = [tile for tile in held if tile == offer.tile]
    flies = [tile for tile in held if tile == JOKER]
    if state.can_replace:
        yield from _taken(MeldKind.KONG, alike, flies if options.fly_in_kong else [], offer)
    yield from _taken(MeldKind.PUNG, alike, flies if options.fly_in_claims else [], offer)
    is_next = offer.seat.after(1, PLAYERS) is seat
    if options.chow_claim is ChowClaim.NEXT_PLAYER and is_next and offer.tile.is_numbered:
        for low in range(offer.tile.rank - 2, offer.tile.rank + 1):
            run = [Tile(offer.tile.suit, low + step) for step in range(3) if 1 <= low <= 7]
            own = [tile for tile in run if tile != offer.tile]
            if run and all(tile in held for tile in own):
                yield Meld(MeldKind.CHOW, tuple(run), offer.seat, offer.tile)


def _taken(
    kind: MeldKind, alike: Sequence[Tile], flies: Sequence[Tile], offer: Offer
) -> Iterator[Meld]:
    """The set with as many real tiles as possible, filled with flies; one real tile at least."""
    own = kind.size - 1
    real = min(len(alike), own)
    if real and own - real <= len(flies):
        tiles = (*alike[:real], *flies[: own - real], offer.tile)
        yield Meld(kind, tuple(sorted(tiles)), offer.seat, offer.tile)


def more_actions(state: DealState, seat: Seat, options: Options) -> Iterable[Action]:
    """Kongs with flies, where the house plays them."""
    holder = state.seats[seat]
    held = [tile for tile in holder.hand if tile is not None]
    flies = held.count(JOKER)
    if (
        state.turn is not seat
        or not options.fly_in_kong
        or not flies
        or not holder.has_drawn
        or not state.can_replace
        or holder.dead_hand
    ):
        return
    for tile in dict.fromkeys(tile for tile in held if not tile.is_joker):
        real = held.count(tile)
        if real < 4 <= real + flies:
            tiles = (*(tile,) * real, *(JOKER,) * (4 - real))
            yield (KongDeclared(seat=seat, meld=Meld(MeldKind.CONCEALED_KONG, tiles)),)
    for meld in holder.melds:
        if meld.kind is MeldKind.PUNG:
            grown = Meld(MeldKind.ADDED_KONG, (*meld.tiles, JOKER), meld.source, meld.called)
            yield (KongDeclared(seat=seat, meld=grown, added=JOKER),)


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
    must_show=must_show,
    shows_hand_at_draw=lambda state, seat, options: options.fly_bonus_on_drawn_hand,
    automatic_win=automatic_win,
    calls=calls,
    more_actions=more_actions,
    robs_concealed=lambda state, seat, options: (
        options.rob_kong_kinds is RobKongKinds.PROMOTED_AND_CONCEALED
    ),
    instant_payments=instant_payments,
    refusal_ends_deal=refusal_ends_deal,
)
