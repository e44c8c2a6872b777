"""How the game is played: what may be claimed and declared, and how a deal is judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from table_controller.rules.core.case import Answer, Case, Evidence, Flag, Violation
from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    GameEvent,
    KongDeclared,
    WinClaimed,
)
from table_controller.rules.core.game import DrawVerdict, Play
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.record import claimed_hand, pond, shown_hands
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState, Offer, Offered
from table_controller.rules.core.tiles import Tile
from table_controller.rules.japanese_3p.conditions import (
    FOURTH_KONG,
    breaches,
)
from table_controller.rules.japanese_3p.hand import (
    NORTH,
    PLAYERS,
    Robbed,
    next_in_sequence,
    waits_for_kokushi,
    waits_of,
)
from table_controller.rules.japanese_3p.match import (
    final,
    first_deal,
    next_deal,
    noten_payments,
    wall_plan,
)
from table_controller.rules.japanese_3p.options import (
    FourthNorthDora,
    IppatsuBrokenBy,
    KandoraReveal,
    MultipleRon,
    Options,
)
from table_controller.rules.japanese_3p.scoring import (
    NAME,
    chombo_payments,
    refused,
    settle_win,
)

HEAD_BUMP = "head_bump"

# From the public record to a case


def case_of(state: DealState, claim: WinClaimed, options: Options) -> Case:
    """The claimed win as a case: the hand that was shown, and the whole public record."""
    hand, winning_tile = claimed_hand(state, claim)
    seat = state.seats[claim.seat]
    robbed = _robbed(state, claim)
    extra: dict[str, object] = {
        "dealer_retained": state.markers[state.dealer] if state.markers else 0,
        "dead_hands": tuple(other for other in seats(PLAYERS) if state.seats[other].dead_hand),
    }
    if robbed is not None:
        extra["robbed"] = robbed
    if claim.source is None and seat.kongs == 4 and not hand:
        extra[FOURTH_KONG] = _feeder_of_last_kong(state, claim.seat)
    if claim.source is not None:
        kokushi = waits_for_kokushi(hand, seat.melds)
        extra["passed"] = _passed(state, claim.seat, seat.drew_at, kokushi=kokushi)
        ready = _ready_index(state, claim.seat)
        if ready is not None:
            extra["passed_after_riichi"] = _passed(state, claim.seat, ready + 1, kokushi=kokushi)
    under = state.under_indicators if options.kan_uradora else state.under_indicators[:1]
    return Case(
        winner=claim.seat,
        source=claim.source,
        hand=hand,
        winning_tile=winning_tile,
        melds=seat.melds,
        bonus=seat.bonus,
        dealer=state.dealer,
        round_wind=state.round_wind,
        flags=frozenset(_flags(state, claim, robbed, options)),
        dora=tuple(next_in_sequence(tile, options) for tile in state.indicators),
        ura=tuple(next_in_sequence(tile, options) for tile in under),
        counters=state.counters,
        deposits=state.deposits,
        ponds={other: pond(state, other) for other in seats(PLAYERS)},
        others=shown_hands(state, claim),
        extra=extra,
    )


def _is_north(offered: Offered) -> bool:
    """A tile that was set aside, not discarded or added to a kong."""
    return offered.place is None and offered.kong is None


def _robbed(state: DealState, claim: WinClaimed) -> Robbed | None:
    if claim.source is None or not state.offers:
        return None
    last = state.offers[-1]
    if _is_north(last):
        return Robbed.NORTH
    if last.kong is None:
        return None
    return Robbed.CONCEALED if last.kong is MeldKind.CONCEALED_KONG else Robbed.PROMOTED


def _feeder_of_last_kong(state: DealState, seat: Seat) -> Seat | None:
    last = state.offers[-1] if state.offers else None
    return last.seat if last is not None and last.called_by is seat else None


def _ready_index(state: DealState, seat: Seat) -> int | None:
    """Where among all tiles seen the riichi discard of the seat stands."""
    ready_at = state.seats[seat].ready_at
    if ready_at is None:
        return None
    return next(
        index
        for index, offered in enumerate(state.offers)
        if offered.seat is seat and offered.place == ready_at + 1
    )


def _flags(
    state: DealState, claim: WinClaimed, robbed: Robbed | None, options: Options
) -> Iterator[Flag]:
    seat = state.seats[claim.seat]
    seen = state.offers[:-1] if robbed is Robbed.NORTH else state.offers
    ready = _ready_index(state, claim.seat)
    if ready is not None:
        undisturbed = not any(_is_north(offered) for offered in seen[:ready])
        yield Flag.DOUBLE_READY if seat.double_ready and undisturbed else Flag.READY
        if _is_ippatsu(state, claim, ready, options):
            yield Flag.ONE_SHOT
    if robbed is Robbed.PROMOTED:
        yield Flag.ROBBING_KONG
    if state.wall_left == 0 and robbed is None:
        yield Flag.LAST_TILE
    if claim.source is None and state.replacement:
        yield Flag.REPLACEMENT
    if state.is_first_turn(claim.seat) and not any(_is_north(offered) for offered in seen):
        yield Flag.FIRST_TURN


def _is_ippatsu(state: DealState, claim: WinClaimed, ready: int, options: Options) -> bool:
    """No call, kong or north in between, and not beyond the player's next discard."""
    if state.offers[ready].called_by is not None:
        return False
    after = state.offers[ready + 1 :]
    if claim.source is not None:
        after = after[:-1]  # the tile that is won
    anyone = options.ippatsu_broken_by is IppatsuBrokenBy.ANYONE
    for offered in after:
        if offered.place is not None and (
            offered.seat is claim.seat or offered.called_by is not None
        ):
            return False
        if offered.place is None and (anyone or offered.seat is not claim.seat):
            return False
    return True


def _passed(state: DealState, seat: Seat, since: int, *, kokushi: bool) -> tuple[Evidence, ...]:
    """The tiles of others that could have been won since then, without the one now claimed.

    A discarded or extracted north and a tile of a concealed kong are only there for kokushi.
    """
    return tuple(
        Evidence(offered.seat, offered.place or 0, offered.tile)
        for offered in state.offers[since:-1]
        if offered.seat is not seat
        and (
            kokushi
            or not (
                offered.tile == NORTH
                or _is_north(offered)
                or offered.kong is MeldKind.CONCEALED_KONG
            )
        )
    )


# Judging


def judge(
    state: DealState, history: Sequence[GameEvent], claim: WinClaimed, options: Options
) -> Answer:
    """The verdict on a claimed win, from the public record and the hand that was shown.

    Raises CaseError for tiles that cannot be: a person looks at the hand again.
    """
    off = _count_off(state, claim)
    if off is not None:
        wrong = Violation(
            code="wrong_tile_count",
            seat=claim.seat,
            text=off,
            penalty=(
                *chombo_payments(claim.seat, state.dealer),
                *_returned(state, claim, options),
            ),
        )
        return Answer(ruleset=NAME, valid=False, violations=(wrong,), players=PLAYERS)
    case = case_of(state, claim, options)
    answer = settle_win(_with_stakes(case, state, options), options)
    if not answer.valid:
        first = answer.violations[0]
        fine = replace(first, penalty=(*first.penalty, *_returned(state, claim, options)))
        return replace(answer, violations=(fine, *answer.violations[1:]))
    if options.multiple_ron is MultipleRon.HEAD_BUMP and _standing(state, options)[0] != claim.seat:
        text = "Another player's win on the same tile comes first in the order of play."
        bumped = Violation(code=HEAD_BUMP, seat=claim.seat, text=text)
        return refused(case, None, (bumped,))
    return answer


def _with_stakes(case: Case, state: DealState, options: Options) -> Case:
    """The sticks on the table go to the first of several winners."""
    if case.deposits and len(state.claims) > 1 and _standing(state, options)[0] is not case.winner:
        return replace(case, deposits=0)
    return case


def _standing(state: DealState, options: Options) -> list[Seat]:
    """The seats whose claims stand, in the order of play after the discarder."""
    found = [claim for claim in state.claims if _stands(state, claim, options)]
    found.sort(
        key=lambda claim: (
            0 if claim.source is None else claim.source.turns_until(claim.seat, PLAYERS)
        )
    )
    return [claim.seat for claim in found or state.claims]


def _stands(state: DealState, claim: WinClaimed, options: Options) -> bool:
    return _count_off(state, claim) is None and not any(
        breaches(case_of(state, claim, options), options)
    )


def _count_off(state: DealState, claim: WinClaimed) -> str | None:
    """What is wrong with the number of tiles that the claimant shows, in words."""
    hand, _ = claimed_hand(state, claim)
    melds = state.seats[claim.seat].melds
    wanted = 13 - 3 * len(melds)
    if len(hand) == wanted or (state.seats[claim.seat].kongs == 4 and not hand):
        return None
    return (
        f"Beside the winning tile {len(hand)} concealed tiles are shown; with {len(melds)} "
        f"sets laid down there must be {wanted}."
    )


def winners(
    state: DealState, claims: tuple[WinClaimed, ...], options: Options
) -> tuple[WinClaimed, ...]:
    """Both of two winners, or the first in the order of play."""
    return claims if options.multiple_ron is MultipleRon.DOUBLE else claims[:1]


def _returned(state: DealState, claim: WinClaimed, options: Options) -> tuple[Payment, ...]:
    """Where nobody wins the sticks of this deal go back, once."""
    if claim is not state.claims[0] or any(_stands(state, one, options) for one in state.claims):
        return ()
    return sticks_back(state, options)


def sticks_back(state: DealState, options: Options) -> tuple[Payment, ...]:
    """A deal that is played again returns the sticks laid in it."""
    return tuple(
        Payment(None, seat, options.riichi_deposit, "riichi stick returned")
        for seat in seats(PLAYERS)
        if state.seats[seat].ready_at is not None
        and not state.seats[seat].ready_pending
        and options.riichi_deposit
    )


def settle_draw(
    state: DealState, history: Sequence[GameEvent], reason: str, options: Options
) -> DrawVerdict:
    """Hands that are not ready pay the ready ones; a riichi that was not ready is a chombo."""
    tenpai = [seat for seat in seats(PLAYERS) if _shows_tenpai(state, seat)]
    false = [
        seat
        for seat in seats(PLAYERS)
        if state.seats[seat].is_ready and state.seats[seat].shown is not None and seat not in tenpai
    ]
    if not false:
        return DrawVerdict(waiting=tuple(tenpai), payments=noten_payments(tenpai, options))
    violations = tuple(
        Violation(
            code="noten_riichi",
            seat=seat,
            text=f"{state.wind_of(seat).english} declared riichi with a hand that waits for "
            "nothing.",
            penalty=chombo_payments(seat, state.dealer),
        )
        for seat in false
    )
    fines = tuple(fine for breach in violations for fine in breach.penalty)
    return DrawVerdict(
        waiting=tuple(tenpai),
        payments=(*fines, *sticks_back(state, options)),
        violations=violations,
        replayed=True,
    )


def _shows_tenpai(state: DealState, seat: Seat) -> bool:
    holder = state.seats[seat]
    return (
        holder.shown is not None
        and not holder.dead_hand
        and len(holder.shown) + 3 * len(holder.melds) == 13
        and bool(waits_of(holder.shown, holder.melds))
    )


def shows_hand_at_draw(state: DealState, seat: Seat, options: Options) -> bool:
    """Ready hands are shown to be paid, and riichi must be."""
    holder = state.seats[seat]
    held = [tile for tile in holder.hand if tile is not None]
    complete = len(held) == len(holder.hand)
    return holder.is_ready or (complete and bool(waits_of(held, holder.melds)))


# What may be done


def can_win(state: DealState, seat: Seat, offer: Offer | None, options: Options) -> bool:
    """The seat may win now: with the tile on offer, or with the one it drew."""
    holder = state.seats[seat]
    held = [tile for tile in holder.hand if tile is not None]
    if holder.dead_hand or not held:
        return False
    if offer is None:
        winning = holder.drawn or held[-1]
        held.remove(winning)
    else:
        winning = offer.tile
    if any(tile.is_bonus for tile in (*held, winning)):
        return False
    if winning.face not in waits_of(held, holder.melds):
        return False
    claim = WinClaimed(seat=seat, tile=winning, source=None if offer is None else offer.seat)
    return not any(breaches(case_of(state, claim, options), options))


def automatic_win(state: DealState, options: Options) -> Seat | None:
    """A fourth kong wins at once."""
    return next((seat for seat in seats(PLAYERS) if state.seats[seat].kongs == 4), None)


def may_call(state: DealState, seat: Seat, meld: Meld, options: Options) -> bool:
    """A discarded north is safe, and a kong needs a tile in the live wall."""
    return meld.tile != NORTH and (state.wall_left > 0 or not meld.kind.is_kong)


def may_declare_kong(state: DealState, seat: Seat, kong: KongDeclared, options: Options) -> bool:
    """After riichi no kong, or by option a concealed one that leaves the waits as they are."""
    holder = state.seats[seat]
    if state.wall_left <= 0:
        return False
    if not holder.is_ready:
        return True
    if not options.concealed_kong_after_riichi or kong.meld.kind is not MeldKind.CONCEALED_KONG:
        return False
    drawn = holder.drawn
    if drawn is None or drawn.face != kong.meld.tile:
        return False
    before = [tile for tile in holder.hand if tile is not None]
    before.remove(drawn)
    after = [tile for tile in before if tile.face != kong.meld.tile]
    return waits_of(before, holder.melds) == waits_of(after, (*holder.melds, kong.meld))


def may_set_aside(state: DealState, seat: Seat, tile: Tile, options: Options) -> bool:
    """A north may be set aside on the own turn after drawing; after riichi by option."""
    holder = state.seats[seat]
    may = options.north_after_riichi or not holder.is_ready
    return may and holder.has_drawn and state.wall_left > 0


def ready_discards(state: DealState, seat: Seat, options: Options) -> tuple[Tile, ...]:
    """The discards with which the seat may declare riichi: what stays is concealed and waits."""
    holder = state.seats[seat]
    if holder.is_ready or holder.dead_hand or not holder.is_concealed:
        return ()
    if state.points[seat] < options.riichi_deposit:
        return ()
    held = [tile for tile in holder.hand if tile is not None]
    found = []
    for tile in dict.fromkeys(held):
        left = list(held)
        left.remove(tile)
        if waits_of(left, holder.melds):
            found.append(tile)
    return tuple(found)


def indicator_due(state: DealState, event: GameEvent, options: Options) -> bool:
    """All four norths set aside turn one more indicator; by option discarded ones count too."""
    if not isinstance(event, BonusSetAside | Discarded) or event.tile != NORTH:
        return False
    aside = sum(seat.bonus.count(NORTH) for seat in state.seats)
    if options.fourth_north_dora is FourthNorthDora.SET_ASIDE:
        return isinstance(event, BonusSetAside) and aside == 4
    discarded = sum(pond(state, seat).count(NORTH) for seat in seats(PLAYERS))
    return aside + discarded == 4


def indicator_after_kong(is_concealed: bool, options: Options) -> str:
    """When the indicator of a kong is turned."""
    if not options.kandora:
        return "none"
    late = options.kandora_reveal is KandoraReveal.AFTER_DISCARD_FOR_OPEN and not is_concealed
    return "after_discard" if late else "immediate"


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
    shows_hand_at_draw=shows_hand_at_draw,
    ready_discards=ready_discards,
    may_declare_kong=may_declare_kong,
    may_call=may_call,
    automatic_win=automatic_win,
    stick_points=lambda options: options.riichi_deposit,
    chows=False,
    most_kongs=4,
    robs_concealed=lambda state, seat, options: True,
    robs_set_aside=lambda state, seat, options: True,
    is_bonus=lambda tile, options: tile.is_bonus or tile == NORTH,
    may_set_aside=may_set_aside,
    indicator_due=indicator_due,
    indicator_after_kong=indicator_after_kong,
    outranked=HEAD_BUMP,
)
