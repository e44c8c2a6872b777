"""How Filipino mahjong is played: flowers, jokers, goulash, instant payments, markers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from table_controller.rules.core.case import Answer, Case, Flag
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    GameEvent,
    IndicatorShown,
    KongDeclared,
    MeldCalled,
    TilesPassed,
    WinClaimed,
)
from table_controller.rules.core.game import (
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
    usual_calls,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.passing import PassRule
from table_controller.rules.core.seats import Seat, Wind, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState, Offer
from table_controller.rules.core.tiles import JOKER, Tile
from table_controller.rules.filipino.options import (
    CountFrom,
    DiscardedJoker,
    Jokers,
    NoFlowersAt,
    Options,
)
from table_controller.rules.filipino.scoring import (
    HAND_SIZE,
    THIRTEEN,
    draw_payments,
    is_flower,
    kong_payments,
    no_flowers_at_deal,
    pays_thirteen_at_once,
    read_hand,
    settle_win,
    shapes,
    thirteen_flowers,
)
from table_controller.rules.filipino.table import (
    break_wall,
    jai_alai,
    joker_indicator,
    next_dealer,
    stacks,
)

GOULASH = "goulash"  # the step in which tiles are passed
DICE = 7  # the likeliest throw: what bots count where nobody throws dice


def wall(options: Options) -> WallPlan:
    """Four walls; what the table agreed to leave at the end is never drawn.

    The indicator's place is the nominal one: a bonus tile there passes it on.
    """
    turned = options.jokers is Jokers.TURNED_TILE
    return WallPlan(
        stacks=stacks(options),
        reserved=2 * options.wall_reserve,
        indicators=(2 * DICE,) if turned else (),
        kept=int(turned and not options.joker_indicator_drawable),
    )


# --- jokers -----------------------------------------------------------------------------------


def joker_face_of(state: DealState) -> Tile | None:
    """The face whose tiles are jokers in this deal."""
    return state.indicators[-1] if state.indicators else None


def marked(meld: Meld, face: Tile | None) -> Meld:
    """The meld with its jokers written as such: a turned joker that is not its own face."""
    if face is None or face not in meld.tiles:
        return meld
    try:
        meld.check()
    except CaseError:
        tiles = tuple(JOKER if tile == face else tile for tile in meld.tiles)
        return replace(meld, tiles=tiles)
    return meld


def calls(state: DealState, seat: Seat, options: Options) -> Iterator[Meld]:
    """The usual calls, and with printed jokers those in which jokers help."""
    yield from usual_calls(PLAY)(state, seat, options)
    offer = state.offer
    assert offer is not None
    hand = [tile for tile in state.seats[seat].hand if tile is not None]
    jokers = hand.count(JOKER)
    if not jokers or offer.tile.is_joker:
        return
    alike = hand.count(offer.tile)
    for kind, needed in ((MeldKind.PUNG, 2), (MeldKind.KONG, 3)):
        wild = needed - min(alike, needed - 1)
        if wild <= jokers and (kind is MeldKind.PUNG or state.wall_left > 0):
            own = (offer.tile,) * (needed - wild) + (JOKER,) * wild
            yield Meld(kind, tuple(sorted((*own, offer.tile))), offer.seat, offer.tile)
    is_next = offer.seat.after(1, state.players) is seat
    if offer.tile.is_numbered and (is_next or options.chow_from_any):
        for rank in sorted({offer.tile.rank + step for step in (-2, -1, 1, 2)}):
            if 1 <= rank <= 9 and Tile(offer.tile.suit, rank) in hand:
                own = (Tile(offer.tile.suit, rank), JOKER)
                yield Meld(MeldKind.CHOW, tuple(sorted((*own, offer.tile))), offer.seat, offer.tile)


def may_call(state: DealState, seat: Seat, meld: Meld, options: Options) -> bool:
    """Chows from the seat before only, unless agreed; a discarded joker makes no meld."""
    called = meld.called
    is_joker = called is not None and (called.is_joker or called == joker_face_of(state))
    if is_joker and options.discarded_joker is not DiscardedJoker.NATURAL:
        return False
    return (
        meld.kind is not MeldKind.CHOW
        or options.chow_from_any
        or meld.source is seat.after(-1, state.players)
    )


# --- before play ------------------------------------------------------------------------------


def before_play(deal: Deal, choose: Choose) -> Iterator[GameEvent]:
    """The joker indicator is turned, and tiles go round in a goulash."""
    options: Options = deal.options
    if options.jokers is Jokers.TURNED_TILE:
        yield deal.do(IndicatorShown(tile=_turn_indicator(deal)))
    if options.goulash:
        yield from _goulash(deal, choose)


def _turn_indicator(deal: Deal) -> Tile:
    """The top tile of the stack that a throw of seven counts to; a bonus tile passes it on."""
    standing = set(deal.wall.standing())
    tops = [place for place in range(0, len(deal.wall.tiles) - 1, 2) if place in standing]
    if deal.options.joker_count_from is CountFrom.END:
        tops.reverse()
    tiles = [deal.wall.tiles[place] for place in tops]
    stack, tile = joker_indicator(tiles, min(DICE, len(tops)))
    deal.wall.indicators = (tops[stack - 1],)
    deal.wall.shown = 1
    if deal.wall.kept:
        deal.wall.kept_at = {tops[stack - 1]}
    return tile


def _goulash(deal: Deal, choose: Choose) -> Iterator[GameEvent]:
    """Everybody lays three tiles down and takes one from each other pile.

    Who takes which tile of a pile is chance: here the piles are dealt out in order. With fewer
    than four players as many tiles are laid down as there are others.
    """
    options: Options = deal.options
    players = seats(options.players)
    piles: dict[Seat, list[Tile]] = {}
    face = joker_face_of(deal.state)
    for seat in players:
        left = [
            tile
            for tile in deal.state.seats[seat].hand
            if tile is not None and (options.goulash_jokers or not (tile.is_joker or tile == face))
        ]
        piles[seat] = []
        for receiver in _others(seat, options):
            actions = [
                (TilesPassed(seat=seat, receiver=receiver, tiles=(tile,), step=GOULASH),)
                for tile in dict.fromkeys(left)
            ]
            chosen = choose(deal.state, seat, actions) or actions[0]
            first = chosen[0]
            assert isinstance(first, TilesPassed)
            tile = first.tiles[0]
            assert tile is not None
            left.remove(tile)
            piles[seat].append(tile)
    for seat in players:
        for receiver, tile in zip(_others(seat, options), piles[seat], strict=True):
            yield deal.do(TilesPassed(seat=seat, receiver=receiver, tiles=(tile,), step=GOULASH))


def pass_rules(options: Options, stopped: bool) -> tuple[PassRule, ...]:
    """The goulash as the table follows it: a pile before everybody, one tile to each other."""
    if not options.goulash:
        return ()
    others = options.players - 1
    rule = PassRule(
        name=GOULASH,
        place=1,
        of=1,
        turns=tuple(range(1, options.players)),
        most=others,
        least=others,
        jokers=options.goulash_jokers,
    )
    return (rule,)


def _others(seat: Seat, options: Options) -> tuple[Seat, ...]:
    return tuple(seat.after(step, options.players) for step in range(1, options.players))


# --- winning ----------------------------------------------------------------------------------


def can_win(state: DealState, seat: Seat, offer: Offer | None, options: Options) -> bool:
    """The hand is complete with the tile, and the tile may be claimed."""
    if offer is not None and offer.is_kong and not options.rob_kong:
        return False
    holder = state.seats[seat]
    face = joker_face_of(state)
    hand = [tile for tile in holder.hand if tile is not None]
    if offer is None:
        winning = holder.drawn or hand[-1]
        hand.remove(winning)
    else:
        winning = offer.tile
        is_dead = options.discarded_joker is DiscardedJoker.DEAD
        if winning.is_joker or (winning == face and is_dead):
            return False
    if any(is_flower(tile) for tile in (*hand, winning)):
        return False
    melds = tuple(marked(meld, face) for meld in holder.melds)
    read = read_hand(hand, winning, melds, face, self_drawn=offer is None)
    return bool(shapes(read, options))


def case_of(state: DealState, claim: WinClaimed, options: Options) -> Case:
    """The score case of a claimed win: jokers marked, the dealer's first draw, the dice."""
    case = case_from_state(state, claim)
    face = joker_face_of(state)
    flags = case.flags
    if claim.seat is state.dealer and state.discards == 0 and claim.source is None:
        flags |= {Flag.FIRST_TURN}  # replacements of kongs do not end it
    if state.replacement and claim.source is None:
        flags |= {Flag.REPLACEMENT}
    extra: dict[str, object] = {"discards": state.discards}
    if face is not None:
        extra["joker_face"] = str(face)
    if len(state.dice) in (2, 4):  # one throw stands for both where the table throws once
        extra["deal_dice"] = [list(state.dice[:2]), list(state.dice[-2:])]
    return replace(
        case,
        melds=tuple(marked(meld, face) for meld in case.melds),
        flags=flags,
        extra=extra,
    )


def judge(
    state: DealState, history: Sequence[GameEvent], claim: WinClaimed, options: Options
) -> Answer:
    """The verdict on a claimed mahjong, with what the marker game and the deal still owe."""
    refused = refused_by_count("filipino", state, claim)
    if refused is not None:
        return refused
    answer = settle_win(case_of(state, claim, options), options)
    if not answer.valid:
        return answer
    payments = [*answer.payments, *_no_flowers(history, options)]
    totals = dict(answer.totals)
    if options.jai_alai:
        bunot, doubled = claim.source is None, totals["doubles"] > 0
        markers = jai_alai(state.markers, claim.seat, options, bunot=bunot, doubled=doubled)
        payments += markers.payments
        totals["bunot"] = int(bunot)
    return replace(answer, payments=tuple(payments), totals=totals)


def settle_draw(
    state: DealState, history: Sequence[GameEvent], reason: str, options: Options
) -> DrawVerdict:
    """The wall ran out: only thirteen flowers that wait for the end are paid."""
    bonus = [len(seat.bonus) for seat in state.seats]
    payments = [*draw_payments(bonus, options), *_no_flowers(history, options)]
    return DrawVerdict(payments=tuple(payments))


def _no_flowers(history: Sequence[GameEvent], options: Options) -> list[Payment]:
    """What is owed to seats that were dealt no bonus tile, where the table pays that.

    What lies there before the first discard counts as dealt: nobody sees whether the dealer's last
    one came with its first draw.
    """
    if options.no_flowers_at is not NoFlowersAt.DEAL_AND_WIN:
        return []
    counts = [0] * options.players
    for event in history:
        if isinstance(event, Discarded):
            break
        if isinstance(event, BonusSetAside):
            counts[event.seat] += 1
    return no_flowers_at_deal(counts, options)


def instant_payments(state: DealState, event: GameEvent, options: Options) -> tuple[Payment, ...]:
    """Thirteen flowers when the thirteenth is set aside, and kongs where they are paid."""
    match event:
        case BonusSetAside(seat=seat) if pays_thirteen_at_once(options):
            if len(state.seats[seat].bonus) == THIRTEEN:
                return tuple(thirteen_flowers(seat, options))
        case KongDeclared(seat=seat, meld=meld):
            return tuple(kong_payments(seat, meld.kind, options))
        case MeldCalled(seat=seat, meld=meld) if meld.kind is MeldKind.KONG:
            return tuple(kong_payments(seat, meld.kind, options))
    return ()


# --- from deal to deal ------------------------------------------------------------------------


def first_deal(options: Options) -> DealStart:
    """The first deal: everybody at nothing, no markers."""
    return replace(DealStart.first(options.players), markers=(0,) * options.players)


def next_deal(last: DealStart, ended: DealOutcome, options: Options) -> DealStart | None:
    """The deal passes to the right; a round ends when everybody has dealt. Markers are kept.

    ``counters`` of a start counts how often the dealer has kept the deal.
    """
    winner = ended.winners[0] if ended.winners else None
    dealer = next_dealer(last.dealer, winner, options)
    kept = dealer is last.dealer and options.players > 1
    passed = last.number - last.counters + (not kept)
    if passed >= options.rounds * options.players:
        return None
    markers = last.markers
    if options.jai_alai:
        markers = jai_alai(
            last.markers or (0,) * options.players,
            winner,
            options,
            bunot=bool(ended.totals.get("bunot")),
            doubled=ended.totals.get("doubles", 0) > 0,
        ).markers
    return DealStart(
        number=last.number + 1,
        dealer=dealer,
        round_wind=tuple(Wind)[passed // options.players % 4],
        points=ended.points,
        counters=last.counters + kept,
        markers=markers,
    )


def final(last: DealStart, points: tuple[int, ...], options: Options) -> Final:
    """Who has won most; the scores are the points."""
    return Final.by_points(points)


def refusal_ends_deal(
    state: DealState, claim: WinClaimed, answer: Answer, options: Options
) -> bool:
    """A false mahjong that is paid to all ends the hand; else the hand is dead and play goes on."""
    return any(breach.penalty for breach in answer.violations)


PLAY = Play(
    wall=wall,
    break_wall=lambda dealer, dice, options: break_wall(dealer, sum(dice), None, options),
    first_deal=first_deal,
    next_deal=next_deal,
    final=final,
    case_of=case_of,
    judge=judge,
    can_win=can_win,
    settle_draw=settle_draw,
    calls=calls,
    may_call=may_call,
    before_play=before_play,
    pass_rules=pass_rules,
    hand_size=HAND_SIZE,
    dealer_extra=False,
    kong_before_pung=True,
    chows_from_any=True,  # `may_call` holds it to the seat before
    is_bonus=lambda tile, options: is_flower(tile),
    must_set_aside=lambda tile, options: is_flower(tile),
    indicator_is_drawn=lambda options: options.joker_indicator_drawable,
    instant_payments=instant_payments,
    refusal_ends_deal=refusal_ends_deal,
)
