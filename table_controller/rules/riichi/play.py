"""How riichi is played: the hooks that the engine in ``core.game`` asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from table_controller.rules.core.case import Answer
from table_controller.rules.core.events import (
    EXHAUSTIVE,
    GameEvent,
    HandShown,
    KongDeclared,
    WinClaimed,
)
from table_controller.rules.core.game import DrawVerdict, Play, WallPlan
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState, Offer, PondTile, apply
from table_controller.rules.core.tiles import Tile
from table_controller.rules.core.wall import Break, broken_side
from table_controller.rules.riichi import match, referee
from table_controller.rules.riichi.furiten import waits
from table_controller.rules.riichi.options import (
    AbortiveDraw,
    KanDoraTiming,
    Kuikae,
    MultiRon,
    PendingKanDora,
    RiichiAnkan,
    RiichiOptions,
)
from table_controller.rules.riichi.payments import STICK, nagashi_payments, noten_payments
from table_controller.rules.riichi.sanma_options import NorthRule, SanmaOptions, SanmaWalls
from table_controller.rules.riichi.scoring import scorer_for
from table_controller.rules.riichi.settle import HEAD_BUMP

MOST_KONGS = 4


def wall(options: RiichiOptions) -> WallPlan:
    """Four walls of 17 stacks; the last seven stacks are the dead wall.

    Places count from the end of the wall, the lower tile of the last stack being 1. Replacement
    tiles are the upper and lower tiles of the last two stacks (with three players the last four,
    and two more for flowers), indicators the upper tiles of the next five.
    """
    stacks_of_sides: tuple[int, ...] = (17, 17, 17, 17)
    spare, reserved = 2, 14  # stacks of replacement tiles; tiles that are never drawn
    if isinstance(options, SanmaOptions):
        spare = 6 if options.flowers else 4
        reserved = 2 * spare + 6
        if options.walls is SanmaWalls.FOUR_SIDES:
            stacks_of_sides = (14, 14, 14, 14) if options.flowers else (14, 13, 14, 13)
        else:
            stacks_of_sides = (19, 19, 18) if options.flowers else (18, 18, 18)
    stacks = range(spare + 1, spare + 6)
    return WallPlan(
        stacks=stacks_of_sides,
        reserved=reserved,
        dead=tuple(place for stack in range(1, spare + 1) for place in (2 * stack, 2 * stack - 1)),
        indicators=tuple(2 * stack for stack in stacks),
        under=tuple(2 * stack - 1 for stack in stacks),
        shown_at_start=1,
    )


def kong_indicator(is_concealed: bool, options: RiichiOptions) -> str:
    """When the indicator of a kong is turned."""
    if not options.kan_dora:
        return "none"
    timing = options.kan_dora_closed if is_concealed else options.kan_dora_open
    if timing is KanDoraTiming.AFTER_DISCARD:
        return "after_discard"
    flushes = options.pending_kan_dora is PendingKanDora.FLUSH_ON_NEXT_KAN
    return "immediate" if flushes else "alone"


def judge(
    state: DealState, history: Sequence[GameEvent], claim: WinClaimed, options: RiichiOptions
) -> Answer:
    """The verdict on one claim."""
    return referee.judge(state, claim, options)


def can_win(state: DealState, seat: Seat, offer: Offer | None, options: RiichiOptions) -> bool:
    """The seat's claim would be judged valid: complete, with a yaku, and not furiten."""
    holder = state.seats[seat]
    hand = [tile for tile in holder.hand if tile is not None]
    if offer is None:
        if not holder.has_drawn or not hand:
            return False
        # The dealer's fourteen tiles of the deal have no drawn one: the last counts as won.
        tile, source = holder.drawn or hand[-1], None
        hand.remove(tile)
    else:
        tile, source = offer.tile, offer.seat
    if tile.face not in waits(tuple(sorted(hand)), holder.melds, own_four_excluded=False):
        return False
    claim = WinClaimed(seat=seat, tile=tile, source=source)
    shown = HandShown(seat=seat, tiles=tuple(hand), winning_tile=tile)
    case = referee.case_of(apply(state, shown), claim, options)
    score = scorer_for(options, state.players).score(case)
    if score is None or not score.has_yaku:
        return False
    if offer is not None and offer.is_concealed_kong and score.parts:
        return False
    return not referee.claim_violations(state, case, options)


def robs_concealed(state: DealState, seat: Seat, options: RiichiOptions) -> bool:
    """Thirteen orphans may rob a concealed kong where the table says so."""
    return options.kokushi_ankan_ron


def robs_set_aside(state: DealState, seat: Seat, options: RiichiOptions) -> bool:
    """A north set aside may be won on, where three players play so."""
    return isinstance(options, SanmaOptions) and options.north_ron


def winners(
    state: DealState, claims: tuple[WinClaimed, ...], options: RiichiOptions
) -> tuple[WinClaimed, ...] | str:
    """Which claims on one tile are judged, nearest to the discarder first."""
    if (
        len(claims) == 3
        and options.multi_ron is MultiRon.DOUBLE_OK_TRIPLE_ABORT
        and AbortiveDraw.SANCHAHOU in options.abortive_draws
    ):
        return AbortiveDraw.SANCHAHOU.value
    return claims[:1] if options.multi_ron is MultiRon.HEAD_BUMP else claims


def automatic_draw(state: DealState, options: RiichiOptions) -> str | None:
    """Four winds, four kongs of several seats, or four riichi end the deal."""
    allowed = options.abortive_draws
    offer = state.offer
    if offer is None or offer.is_kong:
        return None
    if AbortiveDraw.SUUFON_RENDA in allowed and _four_winds(state):
        return AbortiveDraw.SUUFON_RENDA.value
    owners = [seat for seat in state.seats if seat.kongs]
    if AbortiveDraw.SUUKAIKAN in allowed and state.kongs == 4 and len(owners) > 1:
        return AbortiveDraw.SUUKAIKAN.value
    if (
        AbortiveDraw.SUUCHA_RIICHI in allowed
        and state.players == 4
        and all(seat.ready_at is not None for seat in state.seats)
    ):
        return AbortiveDraw.SUUCHA_RIICHI.value
    return None


def _four_winds(state: DealState) -> bool:
    if state.players != 4 or state.interrupted or state.discards != 4:
        return False
    first = {seat.pond[0].tile for seat in state.seats if len(seat.pond) == 1}
    return (
        all(len(seat.pond) == 1 and not seat.melds for seat in state.seats)
        and len(first) == 1
        and next(iter(first)).is_wind
    )


def may_declare_draw(state: DealState, seat: Seat, options: RiichiOptions) -> str | None:
    """Nine kinds of terminals and honours at the first own draw, before any call."""
    if AbortiveDraw.KYUUSHU_KYUUHAI not in options.abortive_draws:
        return None
    if not state.is_first_turn(seat) or state.seats[seat].melds:
        return None
    norths_break = isinstance(options, SanmaOptions) and options.north_breaks
    if norths_break and any(tile.is_wind for other in state.seats for tile in other.bonus):
        return None
    hand = state.seats[seat].hand
    kinds = {tile.face for tile in hand if tile is not None and tile.is_terminal_or_honour}
    return AbortiveDraw.KYUUSHU_KYUUHAI.value if len(kinds) >= 9 else None


def must_show(state: DealState, options: RiichiOptions) -> tuple[Seat, ...]:
    """At a draw seats in riichi lay their hands open; so does who declares nine terminals.

    Where a waiting hand may not be kept closed, everybody does after an exhaustive draw.
    """
    if state.draw_reason is None:
        return ()
    in_riichi = [s for s in seats(state.players) if state.seats[s].ready_at is not None]
    if state.draw_reason == EXHAUSTIVE:
        return tuple(in_riichi if options.declare_noten else seats(state.players))
    match state.draw_reason:
        case AbortiveDraw.SUUCHA_RIICHI if options.four_riichi_reveal:
            return tuple(in_riichi)
        case AbortiveDraw.KYUUSHU_KYUUHAI:
            return (state.turn,)
        case AbortiveDraw.SANCHAHOU:
            return tuple(claim.seat for claim in state.claims)
    return ()


def shows_hand_at_draw(state: DealState, seat: Seat, options: RiichiOptions) -> bool:
    """A seat that waits lays its hand open at an exhaustive draw."""
    if state.draw_reason != EXHAUSTIVE:
        return False
    holder = state.seats[seat]
    hand = tuple(tile for tile in holder.hand if tile is not None)
    return bool(waits(hand, holder.melds, own_four_excluded=options.own_four_excluded))


def settle_draw(
    state: DealState, history: Sequence[GameEvent], reason: str, options: RiichiOptions
) -> DrawVerdict:
    """Who waits, who pays whom, and whether a riichi was false."""
    waiting = tuple(
        seat
        for seat in seats(state.players)
        for shown in [state.seats[seat].shown]
        if shown is not None
        and len(shown) + 3 * len(state.seats[seat].melds) == 13
        and waits(shown, state.seats[seat].melds, own_four_excluded=options.own_four_excluded)
    )
    violations = referee.draw_violations(state, options)
    if violations and reason in (EXHAUSTIVE, AbortiveDraw.SUUCHA_RIICHI):
        punished = referee.chombo(state, violations, options)
        payments = tuple(payment for one in punished for payment in one.penalty)
        return DrawVerdict(
            waiting=waiting,
            payments=payments + referee.sticks_back(state),
            violations=tuple(punished),
            replayed=True,
        )
    if reason != EXHAUSTIVE:
        return DrawVerdict(waiting=waiting)
    nagashi = nagashi_seats(state) if options.nagashi_mangan else ()
    if nagashi:
        paid: list[Payment] = []
        for seat in nagashi:
            paid += nagashi_payments(
                seat,
                state.dealer,
                options,
                state.players,
                counters=state.counters,
                deposits=state.deposits if seat is nagashi[0] else 0,
            )
        return DrawVerdict(waiting=waiting, payments=tuple(paid))
    return DrawVerdict(waiting=waiting, payments=noten_payments(waiting, options, state.players))


def nagashi_seats(state: DealState) -> tuple[Seat, ...]:
    """Seats whose ponds are all terminals and honours, none of them called."""

    def counts(discard: PondTile) -> bool:
        return discard.called_by is None and discard.tile.is_terminal_or_honour

    return tuple(
        seat
        for seat in seats(state.players)
        if state.seats[seat].pond and all(counts(discard) for discard in state.seats[seat].pond)
    )


def ready_discards(state: DealState, seat: Seat, options: RiichiOptions) -> tuple[Tile, ...]:
    """The tiles that a seat may turn sideways: what is left of its hand must wait."""
    holder = state.seats[seat]
    if may_not_declare_riichi(state, seat, options) is not None:
        return ()
    hand = [tile for tile in holder.hand if tile is not None]
    found = []
    for tile in dict.fromkeys(hand):
        rest = list(hand)
        rest.remove(tile)
        found_waits = waits(
            tuple(sorted(rest)), holder.melds, own_four_excluded=options.own_four_excluded
        )
        if not found_waits:
            continue
        ponds = {discard.tile.face for discard in holder.pond} | {tile.face}
        if options.furiten_riichi or not found_waits & ponds:
            found.append(tile)
    return tuple(found)


def may_not_declare_riichi(state: DealState, seat: Seat, options: RiichiOptions) -> str | None:
    """Which public condition of riichi the seat does not meet, as a sentence; None: all met."""
    holder = state.seats[seat]
    if holder.ready_at is not None or holder.ready_pending:
        return f"seat {seat.value} is in riichi already"
    if not holder.is_concealed:
        return f"seat {seat.value} has called: riichi takes a concealed hand"
    if holder.dead_hand:
        return f"the hand of seat {seat.value} is dead"
    if state.points[seat] < options.riichi_min_points:
        return (
            f"seat {seat.value} has {state.points[seat]} points, riichi takes "
            f"{options.riichi_min_points}"
        )
    if state.wall_left < options.riichi_min_wall:
        return (
            f"{state.wall_left} tiles are left in the wall, riichi takes {options.riichi_min_wall}"
        )
    return None


def forbidden_discards(state: DealState, seat: Seat, options: RiichiOptions) -> tuple[Tile, ...]:
    """The tiles that a seat may not discard right after its call (kuikae)."""
    holder = state.seats[seat]
    if holder.has_drawn or not holder.melds or state.turn is not seat:
        return ()
    faces = kuikae_faces(holder.melds[-1], options)
    return tuple(tile for tile in holder.hand if tile is not None and tile.face in faces)


def kuikae_faces(meld: Meld, options: RiichiOptions) -> frozenset[Tile]:
    """The kinds that a call forbids to discard next: the one called, and its other end."""
    if meld.called is None:
        return frozenset()
    called = meld.called.face
    rule = options.kuikae if meld.kind is MeldKind.CHOW else options.kuikae_pon
    if rule is Kuikae.ALLOWED:
        return frozenset()
    found = {called}
    if meld.kind is MeldKind.CHOW and rule is Kuikae.FORBIDDEN:
        lowest = meld.tile.rank
        if called.rank == lowest and lowest + 3 <= 9:
            found.add(replace(called, rank=lowest + 3))
        elif called.rank == lowest + 2 and lowest >= 2:
            found.add(replace(called, rank=lowest - 1))
    return frozenset(found)


def may_call(state: DealState, seat: Seat, meld: Meld, options: RiichiOptions) -> bool:
    """After a chow or pung something must be left that may be discarded; no chows in sanma."""
    if meld.kind is MeldKind.KONG:
        return True
    called = state.offer.tile if state.offer is not None else None
    faces = kuikae_faces(replace(meld, called=called), options)
    rest = Counter(tile for tile in state.seats[seat].hand if tile is not None)
    own = list(meld.tiles)
    if called is not None:
        own.remove(called)
    rest.subtract(own)
    return any(number > 0 and tile.face not in faces for tile, number in rest.items())


def may_declare_kong(
    state: DealState, seat: Seat, kong: KongDeclared, options: RiichiOptions
) -> bool:
    """In riichi only a concealed kong of the drawn tile that leaves the waits as they are."""
    holder = state.seats[seat]
    if not holder.has_drawn:
        return False
    if state.kongs >= MOST_KONGS:
        return False
    if holder.ready_at is None:
        return True
    if kong.meld.kind is not MeldKind.CONCEALED_KONG or holder.drawn is None:
        return False
    if options.riichi_ankan is RiichiAnkan.FORBIDDEN or holder.drawn.face != kong.meld.tile:
        return False
    before = [tile for tile in holder.hand if tile is not None]
    before.remove(holder.drawn)
    rest = tuple(sorted(tile for tile in before if tile.face != kong.meld.tile))
    waited = waits(tuple(sorted(before)), holder.melds, own_four_excluded=False)
    if waited != waits(rest, (*holder.melds, kong.meld), own_four_excluded=False):
        return False
    return options.riichi_ankan is RiichiAnkan.SAME_WAIT or referee.is_always_triplet(
        tuple(before), kong.meld.tile, waited
    )


def refusal_ends_deal(
    state: DealState, claim: WinClaimed, answer: Answer, options: RiichiOptions
) -> bool:
    """A false win with the hand laid open is a chombo: the deal is played again."""
    return any(one.code != HEAD_BUMP for one in answer.violations)


def is_bonus(tile: Tile, options: RiichiOptions) -> bool:
    """Norths, and flowers, are set aside where three players play so."""
    if not isinstance(options, SanmaOptions):
        return False
    if tile.is_bonus:
        return options.flowers
    return options.north_rule is NorthRule.NUKIDORA and tile.is_wind and tile.rank == 4


def break_wall(dealer: Seat, dice: Sequence[int], options: Any) -> Break:
    """One throw names the wall and counts its stacks (riichi_4p.md, section 4)."""
    return Break(broken_side(dealer, sum(dice), 4), sum(dice))


PLAY = Play(
    break_wall=break_wall,
    wall=wall,
    first_deal=match.first_deal,
    next_deal=match.next_deal,
    final=match.final,
    case_of=referee.case_of,
    judge=judge,
    can_win=can_win,
    winners=winners,
    settle_draw=settle_draw,
    automatic_draw=automatic_draw,
    may_declare_draw=may_declare_draw,
    shows_hand_at_draw=shows_hand_at_draw,
    must_show=must_show,
    ready_discards=ready_discards,
    forbidden_discards=forbidden_discards,
    may_declare_kong=may_declare_kong,
    may_call=may_call,
    ready_deposit=STICK,
    deposit_points=STICK,
    calls_on_last_discard=False,
    dealer_extra=True,
    most_kongs=MOST_KONGS,
    robs_concealed=robs_concealed,
    robs_set_aside=robs_set_aside,
    is_bonus=is_bonus,
    indicator_after_kong=kong_indicator,
    refusal_ends_deal=refusal_ends_deal,
    outranked=HEAD_BUMP,
)
SANMA_PLAY = replace(PLAY, chows=False, break_wall=lambda dealer, dice, options: None)
