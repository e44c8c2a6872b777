"""How the classical game is played: walls, declarations, claims, who is East next, the referee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from table_controller.rules.chinese_classical.options import (
    DrawnEast,
    Options,
    UndeclaredWin,
    WaitingDeclaration,
)
from table_controller.rules.chinese_classical.scoring import (
    NAME,
    PLAYERS,
    settle_win,
    value_of_winner,
)
from table_controller.rules.chinese_classical.values import waits
from table_controller.rules.core.case import Answer, Case, Flag
from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    Drawn,
    GameEvent,
    KongDeclared,
    MeldCalled,
    WinClaimed,
)
from table_controller.rules.core.game import (
    DealOutcome,
    DealStart,
    Final,
    Play,
    WallPlan,
    case_from_state,
    case_in_hand,
    is_complete_in_hand,
    refused_by_count,
)
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import DealState, Offer
from table_controller.rules.core.tiles import Tile
from table_controller.rules.core.wall import Break, broken_side

# --- The wall and the match --------------------------------------------------------------------


def break_wall(east: Seat, dice: Sequence[int], options: Options) -> Break:
    """The throw names the wall; its stacks are counted by the same throw, or by both together
    where the owner of the wall throws again."""
    side = broken_side(east, sum(dice), PLAYERS)
    return Break(side, sum(dice) if options.break_throws == 1 else None)


def wall(options: Options) -> WallPlan:
    """Seventeen stacks a side; the last seven stacks are never drawn in turn, and on top of them
    lie the loose tiles."""
    stacks = 18 if options.bonus_tiles else 17
    return WallPlan(
        stacks=(stacks,) * PLAYERS,
        reserved=options.reserve_tiles + options.loose_tiles,
        loose_tiles=options.loose_tiles,
    )


def first_deal(options: Options) -> DealStart:
    """The first deal of a game; ``counters`` are the wins of East in a row."""
    return DealStart.first(PLAYERS)


def next_deal(last: DealStart, ended: DealOutcome, options: Options) -> DealStart | None:
    """East stays after a win, and after a drawn game where the table plays it so."""
    following = replace(last, number=last.number + 1, points=ended.points, counters=0)
    if ended.replayed:
        return replace(following, counters=last.counters)
    if last.dealer in ended.winners:
        return replace(following, counters=last.counters + 1)
    if not ended.winners and options.drawn_east is DrawnEast.STAYS:
        return following
    return following.passed_on(options.rounds)


def final(last: DealStart, points: tuple[int, ...], options: Options) -> Final:
    """Places by points; equal points share the better place."""
    return Final.by_points(points)


# --- Claims and declarations -------------------------------------------------------------------


def can_win(state: DealState, seat: Seat, offer: Offer | None, options: Options) -> bool:
    """The seat's hand is complete with the tile, and its waiting was declared."""
    if not (is_declared(state, seat, options) and is_complete_in_hand(state, seat, offer)):
        return False
    return value_of_winner(case_in_hand(state, seat, offer), options) is not None


def is_declared(state: DealState, seat: Seat, options: Options) -> bool:
    """A declaration is in force, or none is needed."""
    return (
        options.waiting_declaration is WaitingDeclaration.NONE
        or options.undeclared_win is UndeclaredWin.ALLOWED
        or state.seats[seat].is_ready
        or state.is_first_turn(seat)
    )


def waiting_discards(state: DealState, seat: Seat, options: Options) -> tuple[Tile, ...]:
    """The discards that leave the hand waiting, with which it is declared."""
    holder = state.seats[seat]
    if options.waiting_declaration is WaitingDeclaration.NONE or holder.is_ready:
        return ()
    known = [tile for tile in holder.hand if tile is not None]
    found = []
    for tile in dict.fromkeys(known):
        rest = known.copy()
        rest.remove(tile)
        if waits(rest, holder.melds, options):
            found.append(tile)
    return tuple(found)


# --- The referee -------------------------------------------------------------------------------


def all_hands(state: DealState, options: Options) -> tuple[Seat, ...]:
    """After a mah-jong every player shows the hand: all of them are scored."""
    return seats(PLAYERS) if state.claims else ()


def case_of(state: DealState, claim: WinClaimed, options: Options) -> Case:
    """The score case of a claimed win from the public record and all shown hands."""
    case = case_from_state(state, claim)
    declared = [seat for seat in seats(PLAYERS) if state.seats[seat].is_ready]
    extra: dict[str, object] = {**case.extra, "waiting_declared": declared}
    flags = case.flags
    flags -= {Flag.DOUBLE_READY}
    if kept_original_call(state, claim.seat):
        flags |= {Flag.DOUBLE_READY}
    if claim.source is None and state.replacement:
        flags |= {Flag.REPLACEMENT}  # loose tiles replace kongs and, where played, flowers
    return replace(case, extra=extra, flags=flags)


def kept_original_call(state: DealState, seat: Seat) -> bool:
    """The seat that declared with its first discard called nothing, whatever others called, and
    changed nothing since."""
    holder = state.seats[seat]
    if holder.ready_at != 0 or holder.melds:
        return False
    return all(discard.as_drawn is not False for discard in holder.pond[1:])


def lies_open(state: DealState, seat: Seat, options: Options) -> bool:
    """Where the table plays it so, an original call lays the hand open."""
    return options.original_call_exposes_hand and kept_original_call(state, seat)


def judge(
    state: DealState, history: Sequence[GameEvent], claim: WinClaimed, options: Options
) -> Answer:
    """The verdict on a claimed win."""
    refused = refused_by_count(NAME, state, claim)
    if refused is not None:
        return refused
    case = case_of(state, claim, options)
    if Flag.REPLACEMENT in case.flags and is_kong_on_kong(history):
        case = replace(case, extra={**case.extra, "kong_on_kong": True})
    return settle_win(case, options)


def is_kong_on_kong(history: Sequence[GameEvent]) -> bool:
    """The last tile drawn is that of a kong made with the tile of another kong."""
    kongs = 0
    for event in reversed(history):
        match event:
            case Discarded():
                break
            case Drawn(replacement=False):
                break
            case KongDeclared():
                kongs += 1
            case MeldCalled(meld=meld):
                kongs += meld.kind is MeldKind.KONG
                break
            case BonusSetAside():
                return False
            case _:
                pass
    return kongs >= 2


def refusal_ends_deal(
    state: DealState, claim: WinClaimed, answer: Answer, options: Options
) -> bool:
    """A false mahjong voids the deal; a claim that is merely refused does not."""
    return any(breach.code == "not_a_win" for breach in answer.violations)


PLAY = Play(
    wall=wall,
    break_wall=break_wall,
    first_deal=first_deal,
    next_deal=next_deal,
    final=final,
    case_of=case_of,
    judge=judge,
    can_win=can_win,
    ready_discards=waiting_discards,
    lies_open=lies_open,
    must_show=all_hands,
    refusal_ends_deal=refusal_ends_deal,
    refusal_bars_hand=False,
    discards_own_draw_when_ready=False,
    calls_when_ready=True,
)
