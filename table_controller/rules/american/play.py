"""How American mahjong is played: Charleston, exposures, joker exchanges, dead hands."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from table_controller.rules.american.card import face_of
from table_controller.rules.american.matching import Rack, is_possible, matches
from table_controller.rules.american.options import (
    CharlestonRule,
    ExposureEdit,
    HeavenlyHand,
    JokerlessDeclared,
    Misnaming,
    Options,
)
from table_controller.rules.american.scoring import card_of, settle_win
from table_controller.rules.american.table import (
    PASSED,
    PLAYERS,
    STACKS,
    STOP,
    Step,
    charleston,
    courtesy_count,
    exchange_problem,
    exposures_in_error,
    exposures_of,
    exposures_with,
    game_ends,
    hand_ends,
    next_east,
    pass_rules,
    pass_tiles,
    wall_game,
)
from table_controller.rules.core.case import Answer, Case
from table_controller.rules.core.events import (
    Announced,
    Discarded,
    GameEvent,
    JokerExchanged,
    MeldCalled,
    TilesPassed,
    WinClaimed,
)
from table_controller.rules.core.game import (
    Action,
    Choose,
    Deal,
    DealOutcome,
    DealStart,
    DrawVerdict,
    Final,
    Play,
    WallPlan,
    case_from_state,
    refused_by_count,
)
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat, Wind, seats
from table_controller.rules.core.state import DealState, Offer
from table_controller.rules.core.tiles import Tile
from table_controller.rules.core.wall import Break

THREE_DEAD = "three_dead_hands"
JOKERLESS = "jokerless"  # announced by a winner
MISNAMED = "misnamed"  # said of a discarder


def wall(options: Options) -> WallPlan:
    """Nineteen stacks a side; the whole wall is used."""
    return WallPlan(stacks=STACKS)


# --- the Charleston ---------------------------------------------------------------------------


def before_play(deal: Deal, choose: Choose) -> Iterator[GameEvent]:
    """East may declare with the tiles of the deal; then tiles are passed.

    For every tile to pass a player chooses one pass, or none where the step may be blind. The
    second Charleston is stopped by choosing the empty pass that is offered.
    """
    options: Options = deal.options
    east = deal.state.dealer
    may_declare = options.heavenly_hand is not HeavenlyHand.OFF
    if may_declare and can_win(deal.state, east, None, options):
        declared: Action = (WinClaimed(seat=east, tile=None),)
        if choose(deal.state, east, [declared]):
            for event in declared:
                yield deal.do(event)
            return
    if options.charleston is CharlestonRule.NONE:
        return
    agreed = True
    for step in charleston(options):
        if step.number == 4:
            agreed = yield from _vote(deal, choose)
        if step.is_courtesy:
            yield from _courtesy(deal, choose, step)
        elif step.number < 4 or agreed:
            own = {
                seat: _chosen(deal, choose, seat, step.direction.to(seat), step)
                for seat in seats(PLAYERS)
            }
            for owner, receiver, tile in pass_tiles(own, step, options).moves:
                yield deal.do(
                    TilesPassed(seat=owner, receiver=receiver, tiles=(tile,), step=step.name)
                )


def _chosen(deal: Deal, choose: Choose, seat: Seat, receiver: Seat, step: Step) -> tuple[Tile, ...]:
    """The own tiles a seat passes: three, or fewer where the rest may be passed blind."""
    options: Options = deal.options
    least = PASSED - options.blind_pass_max if step.may_be_blind else PASSED
    if step.is_courtesy:
        least = 0
    left = [tile for tile in deal.state.seats[seat].hand if tile is not None and not tile.is_joker]
    taken: list[Tile] = []
    while len(taken) < PASSED and left:
        actions: list[Action] = [
            (TilesPassed(seat=seat, receiver=receiver, tiles=(tile,), step=step.name),)
            for tile in dict.fromkeys(left)
        ]
        action = choose(deal.state, seat, actions)
        if not action:
            if len(taken) >= least:
                break
            action = actions[0]
        (passed,) = action
        assert isinstance(passed, TilesPassed)
        (tile,) = passed.tiles
        assert tile is not None
        left.remove(tile)
        taken.append(tile)
    return tuple(taken)


def _vote(deal: Deal, choose: Choose) -> Generator[GameEvent, None, bool]:
    """Any single player stops the second Charleston; the value is whether all agreed."""
    agreed = True
    for seat in seats(PLAYERS):
        stop: Action = (TilesPassed(seat=seat, receiver=seat, tiles=(), step=STOP),)
        if choose(deal.state, seat, [stop]):
            agreed = False
            yield deal.do(stop[0])
    return agreed


def _courtesy(deal: Deal, choose: Choose, step: Step) -> Iterator[GameEvent]:
    """Opposite players exchange as many tiles as the smaller wish."""
    wishes = {
        seat: _chosen(deal, choose, seat, step.direction.to(seat), step) for seat in seats(PLAYERS)
    }
    for seat in seats(PLAYERS):
        receiver = step.direction.to(seat)
        number = courtesy_count(len(wishes[seat]), len(wishes[receiver]), deal.options)
        if number:
            yield deal.do(
                TilesPassed(
                    seat=seat, receiver=receiver, tiles=wishes[seat][:number], step=step.name
                )
            )


# --- what may be done -------------------------------------------------------------------------


def can_win(state: DealState, seat: Seat, offer: Offer | None, options: Options) -> bool:
    """The tiles match a line of the card."""
    hand = [tile for tile in state.seats[seat].hand if tile is not None]
    if offer is not None:
        if offer.tile.is_joker:
            return False
        hand.append(offer.tile)
    exposures = exposures_of(state.seats[seat].melds)
    return bool(matches(Rack.of(hand), exposures, card_of(options)))


def calls(state: DealState, seat: Seat, options: Options) -> Iterator[Meld]:
    """Exposures of the tile on offer that leave a line of the card possible."""
    offer = state.offer
    assert offer is not None
    holder = state.seats[seat]
    hand = [tile for tile in holder.hand if tile is not None]
    possible: dict[int, bool] = {}
    for meld in exposures_with(hand, offer.tile, options):
        size = len(meld.tiles)
        has_jokers = any(tile.is_joker for tile in meld.tiles)
        key = 2 * size + has_jokers
        if key not in possible:
            exposures = exposures_of((*holder.melds, meld))
            possible[key] = is_possible(exposures, card_of(options), check=options.dead_check)
        if possible[key]:
            tiles = tuple(sorted(meld.tiles))
            yield replace(meld, tiles=tiles, source=offer.seat, called=offer.tile)


def exchanges(state: DealState, seat: Seat, options: Options) -> Iterator[Action]:
    """Jokers in anybody's exposures that a natural tile of the rack can replace."""
    holder = state.seats[seat]
    problem = exchange_problem(
        own_turn=state.turn is seat,
        has_drawn=holder.has_drawn,
        has_exposed=not holder.has_drawn,
        options=options,
    )
    if problem is not None or holder.dead_hand:
        return
    held = {face_of(tile): tile for tile in holder.hand if tile is not None and not tile.is_joker}
    for owner in seats(PLAYERS):
        for place, meld in enumerate(state.seats[owner].melds):
            natural = held.get(face_of(meld.tile))
            if natural is not None and any(tile.is_joker for tile in meld.tiles):
                yield (JokerExchanged(seat=seat, owner=owner, place=place, tile=natural),)


# --- the referee ------------------------------------------------------------------------------


def case_of(state: DealState, claim: WinClaimed, options: Options) -> Case:
    """The score case of a claimed Mahjong from the state."""
    return case_from_state(state, claim)


def judge(
    state: DealState, history: Sequence[GameEvent], claim: WinClaimed, options: Options
) -> Answer:
    """The verdict on a claimed Mahjong; the history says how the turn and the hand began."""
    refused = refused_by_count("american", state, claim)
    if refused is not None:
        return refused
    case = case_of(state, claim, options)
    extra: dict[str, object] = {
        "intact": [int(seat) for seat in _intact(state, claim)],
        "held_joker": _has_held_joker(history, claim.seat),
        "jokerless_announced": _was_announced(history, claim.seat, JOKERLESS),
    }
    source = claim.source
    if source is not None and _was_announced(_since_discard(history, source), source, MISNAMED):
        extra["misnamed"] = True
    if claim.source is None and not state.discards and _is_before_charleston(history, options):
        extra["before_charleston"] = True
    claimed_from = _claimed_from(history, claim)
    if claimed_from is not None:
        extra["claimed_from"] = int(claimed_from)
    return settle_win(replace(case, extra=extra), options)


def _was_announced(history: Sequence[GameEvent], seat: Seat, what: str) -> bool:
    return any(
        isinstance(event, Announced) and event.seat is seat and event.what == what
        for event in history
    )


def _since_discard(history: Sequence[GameEvent], seat: Seat) -> Sequence[GameEvent]:
    """The last discard of that seat, and what happened after it."""
    places = [
        place
        for place, event in enumerate(history)
        if isinstance(event, Discarded) and event.seat is seat
    ]
    return history[places[-1] :] if places else ()


def _has_held_joker(history: Sequence[GameEvent], winner: Seat) -> bool:
    """The record shows a joker that the winner held: exposed, exchanged for or discarded."""
    for event in history:
        match event:
            case MeldCalled(seat=seat, meld=meld) if seat is winner:
                if any(tile.is_joker for tile in meld.tiles):
                    return True
            case JokerExchanged(seat=seat) if seat is winner:
                return True
            case Discarded(seat=seat, tile=tile) if seat is winner and tile.is_joker:
                return True
            case _:
                pass
    return False


def _is_before_charleston(history: Sequence[GameEvent], options: Options) -> bool:
    """A Charleston is to be played, and no tile was passed yet."""
    has_passed = any(isinstance(event, TilesPassed) for event in history)
    return not has_passed and options.charleston is not CharlestonRule.NONE


def _claimed_from(history: Sequence[GameEvent], claim: WinClaimed) -> Seat | None:
    """Whose discard began the turn of a self-pick that came from a joker exchange."""
    exchanged = False
    for event in reversed(history):
        match event:
            case JokerExchanged(seat=seat) if seat is claim.seat:
                exchanged = True
            case MeldCalled(seat=seat, meld=meld) if seat is claim.seat:
                return meld.source if exchanged and claim.source is None else None
            case Discarded():
                return None
            case _:
                pass
    return None


def settle_draw(
    state: DealState, history: Sequence[GameEvent], reason: str, options: Options
) -> DrawVerdict:
    """A wall game: nobody pays, some tournaments credit the live hands."""
    if reason == THREE_DEAD:
        return DrawVerdict()
    return DrawVerdict(payments=tuple(wall_game(_dead(state), options)))


def _intact(state: DealState, claim: WinClaimed) -> list[Seat]:
    """The other hands that are not dead and have not been shown."""
    return [
        seat
        for seat in seats(PLAYERS)
        if seat is not claim.seat
        and not state.seats[seat].dead_hand
        and state.seats[seat].shown is None
    ]


def melds_returned(state: DealState, seat: Seat, options: Options) -> int:
    """How many of its exposures a dead hand takes back to the rack."""
    return exposures_in_error(state.seats[seat].melds, card_of(options), options)


def announcements(options: Options) -> tuple[str, ...]:
    """What the staff tells the table, because it hears nothing."""
    jokerless = options.jokerless_declared is JokerlessDeclared.MUST_BE_ANNOUNCED
    misnamed = options.misnaming is Misnaming.FOUR_TIMES
    return (*([JOKERLESS] if jokerless else ()), *([MISNAMED] if misnamed else ()))


def _dead(state: DealState) -> list[Seat]:
    return [seat for seat in seats(PLAYERS) if state.seats[seat].dead_hand]


def automatic_draw(state: DealState, options: Options) -> str | None:
    """Three dead hands end the hand."""
    return THREE_DEAD if hand_ends(_dead(state)) else None


def refusal_ends_deal(
    state: DealState, claim: WinClaimed, answer: Answer, options: Options
) -> bool:
    """A Mahjong in error kills its hand; with fewer than two intact hands left the deal ends."""
    return len(_intact(state, claim)) < 2


def first_deal(options: Options) -> DealStart:
    """The first hand: everybody at nothing."""
    return DealStart.first(PLAYERS)


def next_deal(last: DealStart, ended: DealOutcome, options: Options) -> DealStart | None:
    """East passes to the right after every hand, until the agreed number was played."""
    if game_ends(last.number + 1, options):
        return None
    return DealStart(
        number=last.number + 1,
        dealer=next_east(last.dealer),
        round_wind=tuple(Wind)[(last.number + 1) // PLAYERS % PLAYERS],
        points=ended.points,
    )


def final(last: DealStart, points: tuple[int, ...], options: Options) -> Final:
    """Points by seat, in the currency of the card."""
    return Final.by_points(points, card_of(options).currency_per_point)


PLAY = Play(
    wall=wall,
    break_wall=lambda east, dice, options: Break(east, sum(dice)),
    first_deal=first_deal,
    next_deal=next_deal,
    final=final,
    case_of=case_of,
    judge=judge,
    can_win=can_win,
    settle_draw=settle_draw,
    automatic_draw=automatic_draw,
    calls=calls,
    more_actions=exchanges,
    melds_returned=melds_returned,
    announcements=announcements,
    before_play=before_play,
    pass_rules=pass_rules,
    melds_grow=lambda options: options.exposure_edit is ExposureEdit.UNTIL_DISCARD,
    chows=False,
    kongs=False,
    kongs_replaced=False,
    calls_on_last_discard=False,
    is_bonus=lambda tile, options: False,
    must_set_aside=lambda tile, options: False,
    refusal_ends_deal=refusal_ends_deal,
    dead_hands_skipped=True,
)
