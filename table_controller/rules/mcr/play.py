"""How the competition game is played: claims, kongs, and the referee's part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from table_controller.rules.core.case import Answer, Case, Flag
from table_controller.rules.core.events import GameEvent, KongDeclared, WinClaimed
from table_controller.rules.core.game import (
    Play,
    WallPlan,
    case_from_state,
    case_in_hand,
    refused_by_count,
)
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import DealState, Offer
from table_controller.rules.core.tiles import KIND_INDEX, Tile, kind_counts
from table_controller.rules.mcr import match
from table_controller.rules.mcr.counting import best_count
from table_controller.rules.mcr.options import Allowed, LastFlower, Options, ReplacementOrder
from table_controller.rules.mcr.scoring import NAME, settle_win
from table_controller.rules.mcr.shapes import waits


def wall(options: Options) -> WallPlan:
    """Four walls of eighteen stacks; no dead wall."""
    lower_first = options.replacement_order is ReplacementOrder.BOTTOM_FIRST
    return WallPlan(stacks=match.STACKS, lower_first=lower_first)


def case_of(state: DealState, claim: WinClaimed, options: Options) -> Case:
    """The score case of a claimed win from the public record and the shown hand."""
    return _told(case_from_state(state, claim), state, claim.seat)


def _told(case: Case, state: DealState, seat: Seat) -> Case:
    """The case with what only the state knows: a flower's replacement is no kong's, a dead hand."""
    if state.after_bonus:
        case = replace(case, flags=case.flags - {Flag.REPLACEMENT})
    if state.seats[seat].dead_hand:
        case = replace(case, extra={"dead_hand": True})
    return case


def judge(
    state: DealState, history: Sequence[GameEvent], claim: WinClaimed, options: Options
) -> Answer:
    """The verdict on a claimed win."""
    refused = refused_by_count(NAME, state, claim)
    if refused is not None:
        return refused
    return settle_win(case_of(state, claim, options), options)


def can_win(state: DealState, seat: Seat, offer: Offer | None, options: Options) -> bool:
    """The seat's hand is complete with the tile and reaches the minimum."""
    offered = () if offer is None else (offer.tile,)
    if any(tile is not None and tile.is_bonus for tile in (*state.seats[seat].hand, *offered)):
        return False  # where flowers may be kept and discarded, they are part of no hand
    if not _is_complete(state, seat, offer):
        return False
    count = best_count(_told(case_in_hand(state, seat, offer), state, seat), options)
    return count is not None and count.value >= options.minimum


def _is_complete(state: DealState, seat: Seat, offer: Offer | None) -> bool:
    """The tiles are a winning form: asked first, since the whole count takes ten times longer."""
    holder = state.seats[seat]
    hand = [tile for tile in holder.hand if tile is not None]
    winning = hand.pop() if offer is None else offer.tile
    return bool(waits(kind_counts(hand), len(holder.melds)) >> KIND_INDEX[winning.face] & 1)


def may_declare_kong(state: DealState, seat: Seat, kong: KongDeclared, options: Options) -> bool:
    """After a draw, not right after claiming a chow or pung."""
    return options.kong_after_claim is Allowed.ALLOWED or state.seats[seat].has_drawn


def must_set_aside(tile: Tile, options: Options) -> bool:
    """A flower, unless this table lets it be discarded."""
    return tile.is_bonus and options.flower_discard is Allowed.FORBIDDEN


PLAY = Play(
    wall=wall,
    break_wall=lambda dealer, dice, options: match.break_wall(dealer, sum(dice), None),
    first_deal=match.first_deal,
    next_deal=match.next_deal,
    final=match.final,
    case_of=case_of,
    judge=judge,
    can_win=can_win,
    may_declare_kong=may_declare_kong,
    kongs_after_call=lambda options: options.kong_after_claim is Allowed.ALLOWED,
    calls_on_last_discard=False,
    must_set_aside=must_set_aside,
    dead_hands_call=lambda options: options.dead_hand_claims is Allowed.ALLOWED,
    unreplaced_bonus_draws=lambda options: options.flower_as_last_tile is LastFlower.DRAW,
    refusal_ends_deal=lambda state, claim, answer, options: False,
)
