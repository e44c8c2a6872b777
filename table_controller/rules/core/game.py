"""How deals are played: what is legal, who may claim what, and how one deal leads to the next.

The engine knows no ruleset by name. What differs stands in a `Play` value on the ruleset: hooks
with defaults that suit the plainest game. `deal` plays one deal with full knowledge, asking a
``choose`` function for every decision; it yields only what people do. `conclude` is the referee's
part: from the state with shown hands it gives the verdicts and payments, so that the same code
serves the simulation, the recorded game and the real table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from table_controller.rules.core.case import Answer, Case, Flag, ShownHand, Violation
from table_controller.rules.core.decomposition import (
    is_seven_pairs,
    is_standard,
    is_thirteen_orphans,
)
from table_controller.rules.core.errors import ImpossibleEventError
from table_controller.rules.core.events import (
    EXHAUSTIVE,
    Advised,
    BonusSetAside,
    DealBegan,
    DealEnded,
    DiceRolled,
    Discarded,
    DrawDeclared,
    Drawn,
    DrawSettled,
    GameEvent,
    HandDealt,
    HandShown,
    IndicatorShown,
    KongDeclared,
    MeldCalled,
    Paid,
    Penalised,
    ReadyAccepted,
    ReadyDeclared,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.passing import PassRule, PassStep, pass_due
from table_controller.rules.core.seats import Seat, Wind, seats
from table_controller.rules.core.settlement import Payment, pot_change
from table_controller.rules.core.state import Awaiting, DealState, Offer, apply, begin
from table_controller.rules.core.tiles import KIND_INDEX, Tile, kind_counts
from table_controller.rules.core.wall import Break, Wall

Action = tuple[GameEvent, ...]
"""What a seat can do in one go, as the events it makes; the empty action passes."""

PASS: Action = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DealStart:
    """What a deal starts with: the fold of the match so far."""

    number: int
    dealer: Seat
    round_wind: Wind
    points: tuple[int, ...]
    counters: int = 0
    deposits: int = 0
    goulash: int = 0
    markers: tuple[int, ...] = ()  # of a game that runs across deals, by seat
    seating: tuple[int, ...] = ()  # players by seat, numbered by first seat; empty: nobody moved

    @classmethod
    def first(cls, players: int) -> DealStart:
        """The first deal of a match in which everybody begins at nothing."""
        return cls(number=0, dealer=Seat.A, round_wind=Wind.EAST, points=(0,) * players)

    def passed_on(self, rounds: int) -> DealStart | None:
        """The next seat deals: the round changes when everybody has dealt, and after the last one
        the match is over."""
        following = self.dealer.after(1, len(self.points))
        if following is not Seat.A:
            return replace(self, dealer=following)
        if list(Wind).index(self.round_wind) + 1 >= rounds:
            return None
        return replace(self, dealer=following, round_wind=self.round_wind.next)

    @classmethod
    def of(cls, began: DealBegan) -> DealStart:
        """What the deal started with that this event began: undoes `deal_began`."""
        return cls(
            number=began.number,
            dealer=began.dealer,
            round_wind=began.round_wind,
            points=began.points,
            counters=began.counters,
            deposits=began.deposits,
            goulash=began.goulash,
            markers=began.markers,
            seating=began.seating,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DealOutcome:
    """How a deal ended: the winners, or the reason of the draw and the seats that waited."""

    winners: tuple[Seat, ...] = ()
    discarder: Seat | None = None
    draw_reason: str | None = None
    waiting: tuple[Seat, ...] = ()
    points: tuple[int, ...] = ()
    deposits: int = 0
    goulash: int = 0
    kongs: int = 0  # declared by all seats
    totals: Mapping[str, int] = field(default_factory=dict)  # what the first winner's hand counted
    replayed: bool = False  # a penalty voided the deal: it is played again
    offences: tuple[tuple[Seat, str], ...] = ()  # what voided it: whose, and the code


@dataclass(frozen=True, slots=True, kw_only=True)
class Final:
    """A finished match: placements from 1 and final scores, by player, numbered by first seat."""

    placements: tuple[int, ...]
    scores: tuple[float, ...]

    @classmethod
    def by_points(cls, points: tuple[int, ...], worth: float = 1.0) -> Final:
        """Places by points, each worth so much; equal points share the better place."""
        return cls(
            placements=tuple(1 + sum(other > own for other in points) for own in points),
            scores=tuple(own * worth for own in points),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawVerdict:
    """What a deal without a winner costs; ``waiting`` are the seats that were shown to be ready."""

    waiting: tuple[Seat, ...] = ()
    payments: tuple[Payment, ...] = ()
    violations: tuple[Violation, ...] = ()
    goulash: int = 0
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WallPlan:
    """How the wall of a deal is built and cut."""

    stacks: tuple[int, ...]  # a side, two layers
    reserved: int = 0  # tiles at the end that are never drawn as live tiles
    dead: tuple[int, ...] = ()  # replacement tiles, counted from the end: 1 is the last tile
    indicators: tuple[int, ...] = ()  # likewise
    under: tuple[int, ...] = ()
    shown_at_start: int = 0
    loose_tiles: int = 0  # replacement tiles laid apart, of the last ones; within ``reserved``
    lower_first: bool = False  # replacement tiles: the lower one of a stack comes first
    kept: int = 0  # tiles turned in the live wall that nobody draws

    @property
    def undrawn(self) -> int:
        """Tiles that nobody ever draws as live tiles."""
        return self.reserved + self.kept

    def wall(self, tiles: Sequence[Tile]) -> Wall:
        """The wall with these tiles, in draw order."""
        last = len(tiles)
        return Wall(
            tuple(tiles),
            reserved=self.reserved,
            dead=tuple(last - place for place in self.dead),
            loose_tiles=self.loose_tiles,
            lower_first=self.lower_first,
            kept=self.kept,
            indicators=tuple(last - place for place in self.indicators),
            under=tuple(last - place for place in self.under),
        )


def _no_tiles(state: DealState, seat: Seat, options: Any) -> tuple[Tile, ...]:
    return ()


def _nothing(state: DealState, seat: Seat, options: Any) -> str | None:
    return None


def _no_more(state: DealState, seat: Seat, options: Any) -> Iterable[Action]:
    return ()


def _no_draw(state: DealState, options: Any) -> str | None:
    return None


def one_winner(
    state: DealState, claims: tuple[WinClaimed, ...], options: Any
) -> tuple[WinClaimed, ...] | str:
    """The first claim in the order of play stands."""
    return claims[:1]


def _nobody_pays(
    state: DealState, history: Sequence[GameEvent], reason: str, options: Any
) -> DrawVerdict:
    return DrawVerdict()


def _no_penalty(state: DealState, claim: WinClaimed, answer: Answer, options: Any) -> bool:
    return True


def _all_hands_hidden(state: DealState, options: Any) -> tuple[Seat, ...]:
    return ()


def _no_instant_payment(state: DealState, event: GameEvent, options: Any) -> tuple[Payment, ...]:
    return ()


OUTRANKED = "outranked"


@dataclass(frozen=True, kw_only=True)
class Play:
    """How a ruleset is played. Every hook gets the ruleset's options last.

    In the hooks ``state`` knows all tiles when bots play, and only public ones at a real table:
    `judge`, `settle_draw`, `automatic_draw` and `winners` must do with public knowledge and shown
    hands; `can_win`, `ready_discards`, `may_declare_draw`, `forbidden_discards` and `win_tiles` are
    asked with full knowledge of the seat's own hand.
    """

    wall: Callable[[Any], WallPlan]
    # where the dice of the dome break the dealer's wall; None: the players throw others
    break_wall: Callable[[Seat, Sequence[int], Any], Break | None] = lambda dealer, dice, options: (
        None
    )
    first_deal: Callable[[Any], DealStart]
    next_deal: Callable[[DealStart, DealOutcome, Any], DealStart | None]
    final: Callable[[DealStart, tuple[int, ...], Any], Final]
    case_of: Callable[[DealState, WinClaimed, Any], Case] | None = None
    judge: Callable[[DealState, Sequence[GameEvent], WinClaimed, Any], Answer]
    can_win: Callable[[DealState, Seat, Offer | None, Any], bool]
    winners: Callable[[DealState, tuple[WinClaimed, ...], Any], tuple[WinClaimed, ...] | str] = (
        one_winner
    )
    settle_draw: Callable[[DealState, Sequence[GameEvent], str, Any], DrawVerdict] = _nobody_pays
    automatic_draw: Callable[[DealState, Any], str | None] = _no_draw
    may_declare_draw: Callable[[DealState, Seat, Any], str | None] = _nothing
    shows_hand_at_draw: Callable[[DealState, Seat, Any], bool] = lambda state, seat, options: False
    must_show: Callable[[DealState, Any], tuple[Seat, ...]] = _all_hands_hidden
    ready_discards: Callable[[DealState, Seat, Any], tuple[Tile, ...]] = _no_tiles
    forbidden_discards: Callable[[DealState, Seat, Any], tuple[Tile, ...]] = _no_tiles
    may_declare_kong: Callable[[DealState, Seat, KongDeclared, Any], bool] = (
        lambda state, seat, kong, options: True
    )
    may_call: Callable[[DealState, Seat, Meld, Any], bool] = lambda state, seat, meld, options: True
    automatic_win: Callable[[DealState, Any], Seat | None] = lambda state, options: None
    calls: Callable[[DealState, Seat, Any], Iterable[Meld]] | None = None  # instead of the usual
    more_actions: Callable[[DealState, Seat, Any], Iterable[Action]] = _no_more
    before_play: Callable[[Deal, Choose], Iterator[GameEvent]] | None = None
    pass_rules: Callable[[Any, bool], Iterable[PassRule]] = lambda options, stopped: ()
    sides: Callable[[Any], tuple[int, ...]] | None = None  # where seats sit; None: side by side
    open_hands: Callable[[Any], bool] = lambda options: False  # hands lie face up all the time
    lies_open: Callable[[DealState, Seat, Any], bool] = (
        lambda state, seat, options: False  # one hand does, though nobody has won
    )
    advice: Callable[[DealState, Any], Iterable[Advised]] = lambda state, options: ()  # with those
    ready_deposit: int = 0
    hand_size: int = 13
    dealer_extra: bool = True  # the dealer takes one tile more and discards first
    melds_grow: Callable[[Any], bool] = lambda options: False  # a called one, until the discard
    chows: bool = True
    chows_from_any: bool = False
    pungs: bool = True
    kongs: bool = True
    kongs_replaced: bool = True
    kongs_after_call: Callable[[Any], bool] = lambda options: False  # own ones, before the discard
    kong_before_pung: bool = False  # where jokers let both claim a discard; else the next in turn
    calls_on_last_discard: bool = True
    most_kongs: int | None = None
    robs_concealed: Callable[[DealState, Seat, Any], bool] = lambda state, seat, options: False
    discards_own_draw_when_ready: bool = True
    calls_when_ready: bool = False
    is_bonus: Callable[[Tile, Any], bool] = lambda tile, options: tile.is_bonus
    must_set_aside: Callable[[Tile, Any], bool] = lambda tile, options: tile.is_bonus
    indicator_is_drawn: Callable[[Any], bool] = lambda options: False  # it stays in the live wall
    may_set_aside: Callable[[DealState, Seat, Tile, Any], bool] = (
        lambda state, seat, tile, options: True
    )
    robs_set_aside: Callable[[DealState, Seat, Any], bool] = lambda state, seat, options: False
    indicator_due: Callable[[DealState, GameEvent, Any], bool] = (
        lambda state, event, options: False  # one more, besides those of kongs
    )
    replacement_from_front: bool = False
    replaced_from_front: Callable[[GameEvent, Any], bool] | None = None  # by what is replaced
    unreplaced_bonus_draws: Callable[[Any], bool] = lambda options: True  # else discards at once
    # none, immediate (with those still pending), alone (without them) or after_discard; as text for
    # exposed kongs (concealed: immediate), or by the kong and the options
    indicator_after_kong: str | Callable[[bool, Any], str] = "none"
    instant_payments: Callable[[DealState, GameEvent, Any], tuple[Payment, ...]] = (
        _no_instant_payment
    )
    refusal_ends_deal: Callable[[DealState, WinClaimed, Answer, Any], bool] = _no_penalty
    # the code of a good claim that does not stand, since another one on the same tile does
    outranked: str = OUTRANKED
    refusal_bars_hand: bool = True  # else a refused win costs nothing and play goes on
    dead_hands_skipped: bool = False
    pond_row: Callable[[Any], int] = lambda options: 6  # discards in a row
    # how many of its last melds a hand that has just died takes up again
    melds_returned: Callable[[DealState, Seat, Any], int] = lambda state, seat, options: 0
    announcements: Callable[[Any], tuple[str, ...]] = lambda options: ()  # what counts when said
    dead_hands_call: Callable[[Any], bool] = lambda options: False  # chows, pungs and kongs
    deposit_points: int = 0  # what one stick on the table is worth
    stick_points: Callable[[Any], int] | None = None  # both of these, where the options decide

    def pass_due(
        self, state: DealState, history: Sequence[GameEvent], options: Any
    ) -> PassStep | None:
        """Which pass of concealed tiles is due before play; None when there is none."""
        return pass_due(state, history, lambda stopped: self.pass_rules(options, stopped))

    def goes_on_unreplaced(self, state: DealState, options: Any) -> bool:
        """The last tile was a bonus tile: a discard follows it though nothing replaced it."""
        return (
            state.awaiting is Awaiting.DRAW
            and state.after_bonus
            and not state.can_replace
            and not self.unreplaced_bonus_draws(options)
        )

    @property
    def has_ready(self) -> bool:
        """The game knows a ready declaration."""
        return self.ready_discards is not _no_tiles

    def deposit(self, options: Any) -> int:
        """What a ready declaration lays on the table."""
        return self.ready_deposit if self.stick_points is None else self.stick_points(options)

    def stick(self, options: Any) -> int:
        """What one stick on the table is worth."""
        return self.deposit_points if self.stick_points is None else self.stick_points(options)


def case_from_state(state: DealState, claim: WinClaimed, **more: Any) -> Case:
    """The score case of a claimed win from the public state and the shown hands."""
    seat = state.seats[claim.seat]
    winning_tile = claim.tile or seat.winning_tile
    if seat.shown is None or winning_tile is None:
        raise ImpossibleEventError(
            f"seat {claim.seat} claims a win but has not shown its hand: ask it to lay it open"
        )
    flags = set()
    if seat.is_ready:
        flags.add(Flag.DOUBLE_READY if seat.double_ready else Flag.READY)
    if seat.one_shot:
        flags.add(Flag.ONE_SHOT)
    if claim.source is None and state.after_kong:
        flags.add(Flag.REPLACEMENT)
    if claim.source is not None and state.offer is not None and state.offer.is_kong:
        flags.add(Flag.ROBBING_KONG)
    elif state.wall_left == 0:
        flags.add(Flag.LAST_TILE)
    if state.is_first_turn(claim.seat):
        flags.add(Flag.FIRST_TURN)
    return Case(
        winner=claim.seat,
        source=claim.source,
        hand=seat.shown,
        winning_tile=winning_tile,
        melds=seat.melds,
        bonus=seat.bonus,
        dealer=state.dealer,
        round_wind=state.round_wind,
        flags=frozenset(flags),
        counters=state.counters,
        deposits=state.deposits,
        goulash=state.goulash,
        ponds={
            other: tuple(discard.tile for discard in state.seats[other].pond)
            for other in seats(state.players)
        },
        others={
            other: ShownHand(
                hand=state.seats[other].shown,
                melds=state.seats[other].melds,
                bonus=state.seats[other].bonus,
            )
            for other in seats(state.players)
            if other is not claim.seat
        },
        **more,
    )


def refused_by_count(ruleset: str, state: DealState, claim: WinClaimed) -> Answer | None:
    """The refusal of a win shown with too many or too few tiles; None when their number is right.

    A wrong number is no mistake in a case but a breach: asked about it, a person may confirm it.
    """
    holder = state.seats[claim.seat]
    if holder.shown is None:
        return None
    wanted = state.hand_size - (state.held(claim.seat) - len(holder.hand))
    if len(holder.shown) == wanted:
        return None
    violation = Violation(
        code="wrong_tile_count",
        seat=claim.seat,
        text=f"Beside the winning tile {len(holder.shown)} concealed tiles are shown; with "
        f"{len(holder.melds)} melds there must be {wanted}: the hand may not win.",
    )
    return Answer(ruleset=ruleset, valid=False, violations=(violation,), players=state.players)


def case_in_hand(state: DealState, seat: Seat, offer: Offer | None, **more: Any) -> Case:
    """The score case if the seat won now, with its hand known but not yet shown: for `can_win`."""
    hand = [tile for tile in state.seats[seat].hand if tile is not None]
    if offer is None:
        winning = state.seats[seat].drawn or hand[-1]
        hand.remove(winning)
    else:
        winning = offer.tile
    claim = WinClaimed(seat=seat, tile=winning, source=None if offer is None else offer.seat)
    shown = state.with_seat(seat, shown=tuple(hand), winning_tile=winning)
    return case_from_state(shown, claim, **more)


def is_complete_in_hand(state: DealState, seat: Seat, offer: Offer | None) -> bool:
    """The known concealed tiles, with the one on offer, are sets and a pair, seven pairs or
    thirteen orphans: asked before `case_in_hand`, which costs more."""
    hand = [tile for tile in state.seats[seat].hand if tile is not None]
    if offer is not None:
        hand.append(offer.tile)
    if len(hand) % 3 != 2 or any(tile not in KIND_INDEX for tile in hand):
        return False
    counts = kind_counts(hand)
    return (
        is_standard(counts)
        or is_seven_pairs(counts, four_alike=True)
        or is_thirteen_orphans(counts)
    )


# --- What is legal -----------------------------------------------------------------------------


def own_turn_actions(state: DealState, play: Play, options: Any) -> list[Action]:
    """Everything the seat on turn may do with its fourteenth tile, wins first."""
    seat = state.turn
    holder = state.seats[seat]
    actions: list[Action] = []
    held_back = holder.ready_at is not None and play.discards_own_draw_when_ready
    loose = (holder.drawn,) if held_back else holder.hand
    found = [t for t in loose if t is not None and play.is_bonus(t, options)]
    forced = next((t for t in found if play.must_set_aside(t, options)), None)
    is_forced = forced is not None
    bonus = forced or next(iter(found), None)
    if bonus is not None and (
        is_forced or (state.can_replace and play.may_set_aside(state, seat, bonus, options))
    ):
        actions.append((BonusSetAside(seat=seat, tile=bonus),))
        if is_forced:
            return actions  # a true bonus tile cannot be held
    drew = holder.has_drawn
    if drew and not holder.dead_hand and play.can_win(state, seat, None, options):
        actions.append((WinClaimed(seat=seat, tile=holder.drawn),))
    if drew and not holder.dead_hand:
        reason = play.may_declare_draw(state, seat, options)
        if reason is not None:
            actions.append((DrawDeclared(reason=reason, seat=seat),))
    if (drew or play.kongs_after_call(options)) and not holder.dead_hand:
        actions.extend(
            (kong,)
            for kong in _own_kongs(state, seat, play)
            if play.may_declare_kong(state, seat, kong, options)
        )
    actions.extend(play.more_actions(state, seat, options))
    forbidden = set(play.forbidden_discards(state, seat, options))
    only_drawn = holder.ready_at is not None and play.discards_own_draw_when_ready and drew
    held = dict.fromkeys(tile for tile in holder.hand if tile is not None)
    for tile in play.ready_discards(state, seat, options) if drew else ():
        actions.append(
            (
                ReadyDeclared(seat=seat),
                Discarded(seat=seat, tile=tile, as_drawn=tile == holder.drawn, turned=True),
            )
        )
    for tile in held:
        if tile in forbidden or (only_drawn and tile != holder.drawn):
            continue
        actions.append((Discarded(seat=seat, tile=tile, as_drawn=tile == holder.drawn),))
    return actions


def _own_kongs(state: DealState, seat: Seat, play: Play) -> Iterator[KongDeclared]:
    if not play.kongs or not state.can_replace:
        return
    if play.most_kongs is not None and state.kongs >= play.most_kongs:
        return
    holder = state.seats[seat]
    known = [tile for tile in holder.hand if tile is not None and not tile.is_joker]
    for face in dict.fromkeys(tile.face for tile in known):
        alike = tuple(sorted(tile for tile in known if tile.face == face))
        if len(alike) == 4:
            yield KongDeclared(seat=seat, meld=Meld(MeldKind.CONCEALED_KONG, alike))
        for meld in holder.melds:
            if meld.kind is MeldKind.PUNG and meld.tile == face:
                grown = Meld(MeldKind.ADDED_KONG, (*meld.tiles, alike[0]), meld.source, meld.called)
                yield KongDeclared(seat=seat, meld=grown, added=alike[0])


def claim_actions(state: DealState, seat: Seat, play: Play, options: Any) -> list[Action]:
    """Everything a seat may do with the tile on offer, wins first; passing is always possible."""
    offer = state.offer
    if offer is None or offer.seat is seat:
        return []
    holder = state.seats[seat]
    if holder.dead_hand and not play.dead_hands_call(options):
        return []
    actions: list[Action] = []
    can_rob = not offer.is_concealed_kong or play.robs_concealed(state, seat, options)
    if not holder.dead_hand and can_rob and play.can_win(state, seat, offer, options):
        actions.append((WinClaimed(seat=seat, tile=offer.tile, source=offer.seat),))
    blocked = (
        offer.is_kong
        or (holder.is_ready and not play.calls_when_ready)
        or (state.wall_left <= 0 and not play.calls_on_last_discard)
    )
    if not blocked:
        actions.extend(
            (MeldCalled(seat=seat, meld=meld),)
            for meld in (play.calls or usual_calls(play))(state, seat, options)
            if play.may_call(state, seat, meld, options)
        )
    return actions


def usual_calls(play: Play) -> Callable[[DealState, Seat, Any], Iterator[Meld]]:
    """Kongs, pungs and chows of natural tiles, as far as the ruleset has them."""
    return lambda state, seat, options: _calls(state, seat, play)


def _calls(state: DealState, seat: Seat, play: Play) -> Iterator[Meld]:
    offer = state.offer
    assert offer is not None
    hand = [tile for tile in state.seats[seat].hand if tile is not None]
    face = offer.tile.face
    alike = sorted(tile for tile in hand if tile.face == face)
    more_kongs = play.most_kongs is None or state.kongs < play.most_kongs
    if len(alike) >= 3 and play.kongs and state.can_replace and more_kongs:
        yield _called(MeldKind.KONG, alike[:3], offer)
    if len(alike) >= 2 and play.pungs:
        for pair in dict.fromkeys([tuple(alike[:2]), tuple(alike[-2:])]):
            yield _called(MeldKind.PUNG, pair, offer)
    is_next = offer.seat.after(1, state.players) is seat
    if play.chows and face.is_numbered and (is_next or play.chows_from_any):
        for low, high in ((-2, -1), (-1, 1), (1, 2)):
            ranks = (face.rank + low, face.rank + high)
            if min(ranks) < 1 or max(ranks) > 9:
                continue
            firsts = sorted({t for t in hand if t.suit is face.suit and t.rank == ranks[0]})
            seconds = sorted({t for t in hand if t.suit is face.suit and t.rank == ranks[1]})
            for first in firsts:
                for second in seconds:
                    yield _called(MeldKind.CHOW, (first, second), offer)


def _called(kind: MeldKind, own: Iterable[Tile], offer: Offer) -> Meld:
    return Meld(kind, tuple(sorted((*own, offer.tile))), offer.seat, offer.tile)


# --- Playing one deal --------------------------------------------------------------------------

Choose = Callable[[DealState, Seat, Sequence[Action]], Action]
"""A player: picks one of the actions, or PASS where a claim is offered."""


@dataclass
class Deal:
    """One deal being played with full knowledge: the state, its history, and the wall."""

    state: DealState
    wall: Wall
    play: Play
    options: Any
    history: list[GameEvent] = field(default_factory=list)
    pending_indicators: int = 0

    def do(self, event: GameEvent) -> GameEvent:
        """Apply an event and remember it."""
        self.state = apply(self.state, event)
        self.history.append(event)
        return event


def open_deal(start: DealStart, tiles: Sequence[Tile], play: Play, options: Any) -> Deal:
    """A deal with its wall, hands dealt in turn order and the first indicators turned.

    Four tiles at a time, then one each, and one more for the dealer where the game says so.
    """
    plan = play.wall(options)
    wall = plan.wall(tiles)
    players = len(start.points)
    order = [start.dealer.after(step, players) for step in range(players)]
    hands: dict[Seat, list[Tile]] = {seat: [] for seat in order}
    full, rest = divmod(play.hand_size, 4)
    for _ in range(full):
        for seat in order:
            hands[seat] += wall.deal(4)
    for _ in range(rest):
        for seat in order:
            hands[seat] += wall.deal(1)
    if play.dealer_extra:
        hands[start.dealer] += wall.deal(1)
    began = deal_began(start, wall.left, play, plan.loose_tiles)
    deal = Deal(begin(began, players), wall, play, options, [began])
    for seat in order:
        deal.do(HandDealt(seat=seat, tiles=tuple(hands[seat])))
    for _ in range(plan.shown_at_start):
        deal.do(IndicatorShown(tile=wall.indicator()))
    return deal


_OPENING = DealBegan | DiceRolled | HandDealt | IndicatorShown


def deal_began(start: DealStart, wall_left: int, play: Play, loose_tiles: int = 0) -> DealBegan:
    """The event that begins a deal; ``wall_left`` is what can be drawn once hands are dealt."""
    return DealBegan(
        number=start.number,
        dealer=start.dealer,
        round_wind=start.round_wind,
        points=start.points,
        wall_left=wall_left,
        counters=start.counters,
        deposits=start.deposits,
        goulash=start.goulash,
        hand_size=play.hand_size,
        kongs_replaced=play.kongs_replaced,
        loose_tiles=loose_tiles,
        seating=start.seating,
        dead_hands_skipped=play.dead_hands_skipped,
        markers=start.markers,
    )


def play_deal(deal: Deal, choose: Choose) -> Iterator[GameEvent]:
    """Play the deal until somebody wins or it is drawn, and the hands that must be are shown.

    Yields each event after it was applied to ``deal.state``.
    """
    is_fresh = all(isinstance(event, _OPENING) for event in deal.history)
    yield from _first_bonus_tiles(deal)
    if is_fresh and deal.play.before_play is not None:
        yield from deal.play.before_play(deal, choose)
    yield from _automatic_win(deal)
    while deal.state.awaiting is not Awaiting.VERDICT:
        match deal.state.awaiting:
            case Awaiting.DRAW:
                yield from _draw(deal, choose)
            case Awaiting.DISCARD:
                yield from _own_turn(deal, choose)
            case Awaiting.CLAIMS:
                yield from _claims(deal, choose)
            case _:
                raise ImpossibleEventError(f"a deal cannot be played on in {deal.state.awaiting}")
    yield from _show_hands(deal)


def _first_bonus_tiles(deal: Deal) -> Iterator[GameEvent]:
    """Every seat in turn lays down the bonus tiles it was dealt and draws as many, until it holds
    none.
    """
    dealer = deal.state.dealer
    for step in range(deal.state.players):
        seat = dealer.after(step, deal.state.players)
        while deal.state.can_replace:
            held = deal.state.seats[seat].hand
            bonus = [
                tile
                for tile in held
                if tile is not None and deal.play.must_set_aside(tile, deal.options)
            ]
            if not bonus:
                break
            for tile in bonus:
                yield deal.do(BonusSetAside(seat=seat, tile=tile))
                yield from _instant(deal)
            for _ in bonus:
                if deal.state.can_replace:
                    yield deal.do(_replacement(deal, seat))


def _replacement(deal: Deal, seat: Seat) -> Drawn:
    from_front = deal.play.replacement_from_front
    if deal.play.replaced_from_front is not None:
        replaced = next(
            event
            for event in reversed(deal.history)
            if isinstance(event, BonusSetAside | KongDeclared | MeldCalled)
        )
        from_front = deal.play.replaced_from_front(replaced, deal.options)
    tile = deal.wall.replace(from_front=from_front)
    return Drawn(seat=seat, tile=tile, replacement=True)


def _automatic_win(deal: Deal) -> Iterator[GameEvent]:
    """A win that needs no winning tile: a fourth kong, or a hand that wins as dealt."""
    seat = deal.play.automatic_win(deal.state, deal.options)
    if seat is not None:
        yield deal.do(WinClaimed(seat=seat, tile=None))


def _instant(deal: Deal) -> Iterator[GameEvent]:
    payments = deal.play.instant_payments(deal.state, deal.history[-1], deal.options)
    if payments:
        yield deal.do(Paid(payments=payments))


def _draw(deal: Deal, choose: Choose) -> Iterator[GameEvent]:
    if deal.state.after_bonus:
        yield from _automatic_win(deal)  # the last of all bonus tiles may win before it is replaced
        if deal.state.claims:
            return
    if not (deal.state.can_replace if deal.state.replacement else deal.state.wall_left > 0):
        if deal.play.goes_on_unreplaced(deal.state, deal.options):
            yield from _own_turn(deal, choose)
            return
        yield deal.do(DrawDeclared(reason=EXHAUSTIVE))
        return
    if deal.state.replacement:
        yield deal.do(_replacement(deal, deal.state.turn))
    else:
        yield deal.do(Drawn(seat=deal.state.turn, tile=deal.wall.draw()))


def _own_turn(deal: Deal, choose: Choose) -> Iterator[GameEvent]:
    seat = deal.state.turn
    actions = own_turn_actions(deal.state, deal.play, deal.options)
    action = choose(deal.state, seat, actions)
    for event in action:
        yield deal.do(event)
        if not isinstance(event, KongDeclared):  # a kong is paid once nobody robbed it
            yield from _instant(deal)
    last = action[-1]
    if isinstance(last, BonusSetAside):
        yield from _robbed(deal, last, choose)
        if deal.state.claims:
            return
    if deal.play.indicator_due(deal.state, last, deal.options):
        yield from _indicators(deal, 1)
    if isinstance(last, Discarded):
        yield from _indicators(deal, deal.pending_indicators)
        deal.pending_indicators = 0


def _robbed(deal: Deal, event: BonusSetAside, choose: Choose) -> Iterator[GameEvent]:
    """A tile set aside may be won by those who may rob it."""
    offer = Offer(event.seat, event.tile)
    claims = []
    for step in range(1, deal.state.players):
        seat = event.seat.after(step, deal.state.players)
        if deal.state.seats[seat].dead_hand:
            continue
        if deal.play.robs_set_aside(deal.state, seat, deal.options) and deal.play.can_win(
            deal.state, seat, offer, deal.options
        ):
            claim = WinClaimed(seat=seat, tile=event.tile, source=event.seat)
            if choose(deal.state, seat, [(claim,)]):
                claims.append(claim)
    winners = deal.play.winners(deal.state, tuple(claims), deal.options) if claims else ()
    for claim in winners if not isinstance(winners, str) else ():
        yield deal.do(claim)


def _indicators(deal: Deal, number: int) -> Iterator[GameEvent]:
    """Turns that many indicators, as far as there are any."""
    for _ in range(number):
        if deal.wall.has_indicator:
            yield deal.do(IndicatorShown(tile=deal.wall.indicator()))


def _claims(deal: Deal, choose: Choose) -> Iterator[GameEvent]:
    offer = deal.state.offer
    assert offer is not None
    players = deal.state.players
    chosen: list[tuple[Seat, Action]] = []
    for step in range(1, players):
        seat = offer.seat.after(step, players)
        actions = claim_actions(deal.state, seat, deal.play, deal.options)
        if actions:
            action = choose(deal.state, seat, actions)
            if action:
                chosen.append((seat, action))
    claims = tuple(e for _, action in chosen for e in action if isinstance(e, WinClaimed))
    if claims:
        winners = deal.play.winners(deal.state, claims, deal.options)
        if isinstance(winners, str):
            for claim in claims:
                yield deal.do(claim)
            yield deal.do(DrawDeclared(reason=winners))
            return
        for claim in winners:
            yield deal.do(claim)
        return
    yield from _accept_ready(deal, offer)
    reason = deal.play.automatic_draw(deal.state, deal.options)
    if reason is not None:
        yield deal.do(DrawDeclared(reason=reason))
        return
    if offer.is_kong:
        yield from _after_kong(deal, offer)
        return
    called = _best_call(chosen, deal.play)
    if called is not None:
        yield deal.do(called)
        yield from _instant(deal)
        if called.meld.kind is MeldKind.KONG:
            yield from _automatic_win(deal)
            if deal.state.claims or not deal.play.kongs_replaced:
                return
            yield from _kong_indicator(deal, is_concealed=False)
            yield deal.do(_replacement(deal, called.seat))
        return
    if deal.state.wall_left <= 0:
        yield deal.do(DrawDeclared(reason=EXHAUSTIVE))
        return
    yield deal.do(Drawn(seat=deal.state.turn, tile=deal.wall.draw()))


def _accept_ready(deal: Deal, offer: Offer) -> Iterator[GameEvent]:
    seat = deal.state.seats[offer.seat]
    if not offer.is_kong and seat.ready_pending:
        yield deal.do(ReadyAccepted(seat=offer.seat, deposit=deal.play.deposit(deal.options)))


def _after_kong(deal: Deal, offer: Offer) -> Iterator[GameEvent]:
    yield from _instant(deal)
    yield from _automatic_win(deal)
    if deal.state.claims:
        return
    yield from _kong_indicator(deal, is_concealed=offer.is_concealed_kong)
    if deal.play.kongs_replaced:
        yield deal.do(_replacement(deal, offer.seat))


def _kong_indicator(deal: Deal, *, is_concealed: bool) -> Iterator[GameEvent]:
    rule = deal.play.indicator_after_kong
    if isinstance(rule, str):
        timing = "immediate" if is_concealed and rule != "none" else rule
    else:
        timing = rule(is_concealed, deal.options)
    if timing == "none":
        return
    if timing == "alone":
        yield from _indicators(deal, 1)
    elif timing == "immediate":
        yield from _indicators(deal, deal.pending_indicators + 1)
        deal.pending_indicators = 0
    else:
        deal.pending_indicators += 1


def _best_call(chosen: Sequence[tuple[Seat, Action]], play: Play) -> MeldCalled | None:
    """Kong and pung before chow, then the order of play."""

    def strength(call: MeldCalled) -> int:
        is_first = play.kong_before_pung and call.meld.kind is MeldKind.KONG
        return (call.meld.kind is not MeldKind.CHOW) + is_first

    calls = [e for _, action in chosen for e in action if isinstance(e, MeldCalled)]
    return max(calls, key=strength, default=None)


def _show_hands(deal: Deal) -> Iterator[GameEvent]:
    state = deal.state
    shown: set[Seat] = set()
    for claim in state.claims:
        yield deal.do(_shown(state, claim))
        shown.add(claim.seat)
    needed = set(deal.play.must_show(state, deal.options))
    for seat in seats(state.players):
        if seat in shown:
            continue
        at_draw = state.draw_reason is not None and deal.play.shows_hand_at_draw(
            state, seat, deal.options
        )
        if at_draw or seat in needed:
            hand = tuple(t for t in state.seats[seat].hand if t is not None)
            yield deal.do(HandShown(seat=seat, tiles=hand))
    winner_is_ready = any(state.seats[claim.seat].ready_at is not None for claim in state.claims)
    if winner_is_ready and state.draw_reason is None:
        for tile in deal.wall.under_indicators():
            yield deal.do(IndicatorShown(tile=tile, under=True))


def _shown(state: DealState, claim: WinClaimed) -> HandShown:
    hand = [tile for tile in state.seats[claim.seat].hand if tile is not None]
    winning = claim.tile
    if claim.source is None and hand:
        winning = winning if winning is not None else hand[-1]
        hand.remove(winning)
    return HandShown(seat=claim.seat, tiles=tuple(hand), winning_tile=winning)


# --- The referee -------------------------------------------------------------------------------


def conclude(
    state: DealState, history: Sequence[GameEvent], play: Play, options: Any
) -> list[GameEvent]:
    """The verdicts and payments of a deal whose hands are shown, and its end.

    Claims are judged in the order of the presses. When none of them stands and no refusal ends the
    deal, only the refusals are returned and play goes on.
    """
    events: list[GameEvent] = []
    goulash = 0
    reason, answers = state.draw_reason, []
    if reason is None:
        answers = [play.judge(state, history, claim, options) for claim in state.claims]
        answers, reason = _good_together(state, answers, play, options)
    if reason is not None:
        verdict = play.settle_draw(state, history, reason, options)
        goulash = verdict.goulash
        events.append(
            DrawSettled(
                reason=reason,
                waiting=verdict.waiting,
                payments=verdict.payments,
                violations=verdict.violations,
                replayed=verdict.replayed,
            )
        )
        deposits = state.deposits + _sticks(verdict.payments, play.stick(options))
    else:
        stands = any(answer.valid for answer in answers)
        is_over = False
        returned = 0
        for claim, answer in zip(state.claims, answers, strict=True):
            events.append(WinJudged(seat=claim.seat, answer=answer))
            if not (answer.valid or (stands and _is_outranked(answer, play))):
                ends = play.refusal_ends_deal(state, claim, answer, options)
                is_over = is_over or ends
                penalties = tuple(p for breach in answer.violations for p in breach.penalty)
                returned += _sticks(penalties, play.stick(options))
                events.append(
                    Penalised(
                        seat=claim.seat,
                        code=answer.violations[0].code if answer.violations else "not_a_win",
                        payments=penalties,
                        dead_hand=not ends and play.refusal_bars_hand,
                        refused=not ends,
                        text=answer.violations[0].text if answer.violations else "",
                    )
                )
        if state.claims and not stands and not is_over:
            return events
        deposits = 0 if stands else state.deposits + returned
    after = state
    for event in events:
        after = apply(after, event)
    events.append(DealEnded(points=after.points, deposits=deposits, goulash=goulash))
    return events


def _good_together(
    state: DealState, answers: Sequence[Answer], play: Play, options: Any
) -> tuple[list[Answer], str | None]:
    """The answers where several good claims meet on one tile: those that `Play.winners` leaves out
    are refused without blame; or the draw that so many make of the deal."""
    good = [claim for claim, answer in zip(state.claims, answers, strict=True) if answer.valid]
    if len(good) < 2:
        return list(answers), None
    good.sort(key=lambda claim: _turns_to(claim, state.players))
    standing = play.winners(state, tuple(good), options)
    if isinstance(standing, str):
        return list(answers), standing
    refused = [claim for claim in good if claim not in standing]
    text = (
        f"{state.wind_of(standing[0].seat).english} wins on the same tile, and only one hand may."
    )
    return [
        Answer(
            ruleset=answer.ruleset,
            valid=False,
            violations=(Violation(code=play.outranked, seat=claim.seat, text=text),),
            players=answer.players,
        )
        if claim in refused
        else answer
        for claim, answer in zip(state.claims, answers, strict=True)
    ], None


def _is_outranked(answer: Answer, play: Play) -> bool:
    """The claim was good, and another one on the same tile goes before it."""
    return any(breach.code == play.outranked for breach in answer.violations)


def _turns_to(claim: WinClaimed, players: int) -> int:
    return 0 if claim.source is None else claim.source.turns_until(claim.seat, players)


def stopped(state: DealState, penalty: Sequence[Payment], play: Play, options: Any) -> DealEnded:
    """The end of a deal that a breach voided in the middle; ``state`` has paid the penalty."""
    deposits = state.deposits + _sticks(penalty, play.stick(options))
    return DealEnded(points=state.points, deposits=deposits, goulash=state.goulash)


def _sticks(payments: Sequence[Payment], stick: int) -> int:
    """How many sticks the payments lay on the table, less those they take."""
    return pot_change(payments) // stick if stick else 0


def outcome(state: DealState, verdicts: Sequence[GameEvent]) -> DealOutcome:
    """How the deal ended, from its final state and what `conclude` returned."""
    winners = [e for e in verdicts if isinstance(e, WinJudged) and e.answer.valid]
    ended = next(e for e in verdicts if isinstance(e, DealEnded))
    drawn = next((e for e in verdicts if isinstance(e, DrawSettled)), None)
    claims: Mapping[Seat, WinClaimed] = {claim.seat: claim for claim in state.claims}
    replayed = drawn.replayed if drawn else not winners
    return DealOutcome(
        winners=tuple(event.seat for event in winners),
        discarder=claims[winners[0].seat].source if winners else None,
        draw_reason=drawn.reason if drawn else None,
        waiting=drawn.waiting if drawn else (),
        points=ended.points,
        deposits=ended.deposits,
        goulash=ended.goulash,
        kongs=state.kongs,
        totals=winners[0].answer.totals if winners else {},
        replayed=replayed,
        offences=_offences(verdicts) if replayed else (),
    )


def _offences(verdicts: Sequence[GameEvent]) -> tuple[tuple[Seat, str], ...]:
    """The first breach of each seat that voided a deal: of a claim or at a draw, else the penalty
    that ended it in its course."""
    found: dict[Seat, str] = {}
    ended_by: Penalised | None = None
    for event in verdicts:
        match event:
            case WinJudged(answer=Answer(valid=False, violations=violations)):
                breaches = violations
            case DrawSettled(violations=violations):
                breaches = violations
            case Penalised():
                ended_by = event
                continue
            case _:
                continue
        for breach in breaches:
            found.setdefault(breach.seat, breach.code)
    if not found and ended_by is not None:
        return ((ended_by.seat, ended_by.code),)
    return tuple(found.items())
