"""A claimed mah-jong judged, all four hands valued, and everybody settled with everybody.

The losers' hands are part of the settlement: the table asks all of them to be shown. What a seat
has not shown counts by its melds alone, and the answer says how many did not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from table_controller.rules.chinese_classical.options import (
    LimitHand,
    LoserDoublings,
    Options,
    PfaExemption,
    UndeclaredWin,
    WaitingDeclaration,
)
from table_controller.rules.chinese_classical.values import (
    Holding,
    doublings,
    holding_of_loser,
    holding_of_winner,
    limit_hands,
    limits_of,
    points,
    set_doublings,
    waits,
    winner_points,
)
from table_controller.rules.core.case import Answer, Case, Evidence, Flag, Item, Violation
from table_controller.rules.core.decomposition import is_seven_pairs
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import (
    DRAGONS,
    STANDARD_136,
    STANDARD_144,
    WINDS,
    Suit,
    Tile,
    TileSet,
    format_tiles,
    kind_counts,
)
from table_controller.rules.core.win import Form, readings

NAME = "chinese_classical"
PLAYERS = 4
EXTRA_KEYS = {
    "waiting_declared": "seats whose declaration of a waiting hand is in force, as a list; when it "
    "is not given the winner's is taken for granted and nobody else's",
    "dead_hands": "seats with a dead hand: an object from seat to too_few or too_many",
    "kong_on_kong": "true when the loose tile is that of the second of two kongs in succession",
}
TOO_FEW, TOO_MANY = "too_few", "too_many"


def tile_set(options: Options) -> TileSet:
    """136 tiles, or 144 with flowers and seasons."""
    return STANDARD_144 if options.bonus_tiles else STANDARD_136


@dataclass(frozen=True, slots=True)
class HandValue:
    """What one hand is worth: points doubled so many times, at most the limit."""

    value: int
    points: int = 0
    doubles: int = 0
    items: tuple[Item, ...] = ()
    limits: tuple[LimitHand, ...] = ()


def settle_win(case: Case, options: Options) -> Answer:
    """Judge a claimed mah-jong; when it stands, settle all four hands."""
    check_case(case, options)
    violation = _barred(case, options)
    won = None if violation else value_of_winner(case, options)
    if violation is None and won is None:
        violation = _false_mahjong(case, options)
    if violation is None and won is not None:
        violation = _undeclared(case, options)
    if violation is not None or won is None:
        refused = () if violation is None else (violation,)
        return Answer(ruleset=NAME, valid=False, violations=refused)
    values = {seat: value_of_loser(case, seat, options) for seat in case.losers(PLAYERS)}
    values[case.winner] = won
    payer, why = pays_for_all(case, options)
    if payer is None:
        payments = settle(values, case.winner, east_of(case))
    else:
        payments = [pay_for_all(won.value, case.winner, payer, east_of(case), why)]
    hidden = sum(_hand_of(case, seat) is None for seat in case.losers(PLAYERS))
    return Answer(
        ruleset=NAME,
        valid=True,
        items=won.items,
        totals={
            "points": won.points,
            "doubles": won.doubles,
            "hand_value": won.value,
            **{f"hand_value_seat_{int(seat)}": values[seat].value for seat in sorted(values)},
            **({"hands_not_shown": hidden} if hidden and payer is None else {}),
        },
        payments=tuple(payments),
    )


def east_of(case: Case) -> Seat:
    """The seat that is East."""
    if case.seat_winds is None:
        return case.dealer
    return Seat([wind.value for wind in case.seat_winds].index("E"))


# --- What hands are worth ----------------------------------------------------------------------


def value_of_winner(case: Case, options: Options) -> HandValue | None:
    """The dearest reading of the winning hand, or None when it is not complete."""
    return max(
        (_value(holding) for holding in holdings(case, options)),
        key=lambda worth: (worth.value, worth.points * 2**worth.doubles),
        default=None,
    )


def holdings(case: Case, options: Options) -> Iterator[Holding]:
    """Every reading of the winning hand."""
    for win in readings(case, PLAYERS):
        if win.form is Form.SEVEN_PAIRS and not (
            options.seven_pairs_hand and is_seven_pairs(kind_counts(win.tiles))
        ):
            continue
        yield holding_of_winner(win, case, options)


def _value(holding: Holding) -> HandValue:
    counted = winner_points.items(holding) + points.items(holding)
    doubled = set_doublings.items(holding) + doublings.items(holding)
    limits = limits_of(holding)
    worth = _limited(counted, doubled, holding.options.limit)
    if not limits:
        return worth
    named = tuple(
        Item(
            id=one.value,
            name=limit_hands[one.value].name,
            native=limit_hands[one.value].native,
            value=holding.options.limit if place == 0 else 0,
            unit="limit",
            why=limit_hands[one.value].rule,
        )
        for place, one in enumerate(limits)
    )
    return HandValue(
        holding.options.limit, worth.points, worth.doubles, (*named, *worth.items), limits
    )


def _limited(counted: Sequence[Item], doubled: Sequence[Item], limit: int) -> HandValue:
    total = sum(item.value for item in counted)
    times = sum(item.value for item in doubled)
    return HandValue(min(total * 2**times, limit), total, times, (*counted, *doubled))


def value_of_loser(case: Case, seat: Seat, options: Options) -> HandValue:
    """What a losing hand is worth: nothing with too many tiles, its sets with too few."""
    if dead_hand(case, seat) == TOO_MANY:
        return HandValue(0)
    shown = case.others.get(seat)
    holding = holding_of_loser(
        _hand_of(case, seat) or (),
        () if shown is None else shown.melds,
        () if shown is None else shown.bonus,
        seat_wind=case.wind_of(seat, PLAYERS),
        round_wind=case.round_wind,
        options=options,
    )
    doubled = (
        set_doublings.items(holding) if options.loser_doublings is LoserDoublings.SETS_ONLY else []
    )
    return _limited(points.items(holding), doubled, options.limit)


def _hand_of(case: Case, seat: Seat) -> tuple[Tile, ...] | None:
    shown = case.others.get(seat)
    return None if shown is None else shown.hand


def dead_hand(case: Case, seat: Seat) -> str | None:
    """``too_few`` or ``too_many`` when the seat's hand is dead."""
    told = _seat_map(case.extra.get("dead_hands"))
    if seat in told:
        return told[seat]
    shown = case.others.get(seat)
    if shown is None or shown.hand is None or seat is case.winner:
        return None
    held = len(shown.hand) + 3 * len(shown.melds)
    if held == 13:
        return None
    return TOO_FEW if held < 13 else TOO_MANY


def _seat_map(value: object) -> dict[Seat, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise CaseError(f"dead_hands is an object from seat to {TOO_FEW} or {TOO_MANY}")
    found = {}
    for key, kind in value.items():
        if str(kind) not in (TOO_FEW, TOO_MANY):
            raise CaseError(f"a hand is dead by {TOO_FEW} or {TOO_MANY}, not by {kind!r}")
        found[_seat(key)] = str(kind)
    return found


def _seat(value: object) -> Seat:
    try:
        return Seat(int(str(value)))
    except ValueError:
        raise CaseError(f"{value!r} is no seat: seats are 0 to 3") from None


def _declared(case: Case) -> frozenset[Seat] | None:
    value = case.extra.get("waiting_declared")
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise CaseError("waiting_declared is a list of seats")
    return frozenset(_seat(seat) for seat in value)


# --- Settlement --------------------------------------------------------------------------------


def settle(values: Mapping[Seat, HandValue], winner: Seat, east: Seat) -> list[Payment]:
    """Every loser pays the winner's value; losers pay each other the difference; East double."""
    payments = []
    losers = [winner.after(step, PLAYERS) for step in range(1, PLAYERS)]
    for loser in losers:
        worth = values[winner].value
        payments.append(_paid(loser, winner, worth, east, "mah-jong"))
    for place, one in enumerate(losers):
        for other in losers[place + 1 :]:
            low, high = sorted((one, other), key=lambda seat: values[seat].value)
            difference = values[high].value - values[low].value
            if difference:
                reason = f"hands of {values[high].value} and {values[low].value}"
                payments.append(_paid(low, high, difference, east, reason))
    return payments


def _paid(payer: Seat, receiver: Seat, worth: int, east: Seat, reason: str) -> Payment:
    if east in (payer, receiver):
        return Payment(payer, receiver, 2 * worth, f"{reason}, doubled by East")
    return Payment(payer, receiver, worth, reason)


def pay_for_all(value: int, winner: Seat, payer: Seat, east: Seat, why: str) -> Payment:
    """The discarder alone pays what all three would, and nobody settles with anybody."""
    shares = 6 if winner is east else 4
    return Payment(payer, winner, shares * value, f"pays for all: {why}")


def pays_for_all(case: Case, options: Options) -> tuple[Seat | None, str]:
    """The discarder who gave an obvious win away, with the reason; None when nobody did."""
    source = case.source
    if source is None or Flag.ROBBING_KONG in case.flags or not options.pay_for_all:
        return None, ""
    exempt = is_waiting(case, source, options)
    everywhere = options.pfa_exemption_scope is PfaExemption.ALL
    for applies, why in (
        (_fourth_wind, "three open sets of winds and the fourth wind"),
        (_third_dragon, "two open sets of dragons and the third dragon"),
        (_fourth_terminal, "three open sets of terminals and a terminal"),
    ):
        if applies(_open_sets(case, options), case.winning_tile.face) and not (
            everywhere and exempt
        ):
            return source, why
    if _nine_of_a_suit(case, options) and not exempt and not _only_that_suit(case, source):
        return source, "nine open tiles of one suit and a tile of it"
    return None, ""


def _open_sets(case: Case, options: Options) -> list[Meld]:
    return [
        meld
        for meld in case.melds
        if options.pfa_concealed_kong_counts or not meld.kind.is_concealed
    ]


def _fourth_wind(melds: list[Meld], tile: Tile) -> bool:
    shown = {meld.tile for meld in melds if meld.tile.is_wind}
    return len(shown) == 3 and tile in set(WINDS) - shown


def _third_dragon(melds: list[Meld], tile: Tile) -> bool:
    shown = {meld.tile for meld in melds if meld.tile.is_dragon}
    return len(shown) == 2 and tile in set(DRAGONS) - shown


def _fourth_terminal(melds: list[Meld], tile: Tile) -> bool:
    shown = [meld for meld in melds if meld.kind is not MeldKind.CHOW and meld.tile.is_terminal]
    return len(shown) == 3 and tile.is_terminal


def _nine_of_a_suit(case: Case, options: Options) -> bool:
    """Nine open tiles of the discard's suit, in a hand of that suit with or without honours."""
    suit = case.winning_tile.suit
    if not suit.is_numbered:
        return False
    shown = sum(tile.suit is suit for meld in _open_sets(case, options) for tile in meld.tiles)
    everything = [*case.hand, *(tile for meld in case.melds for tile in meld.tiles)]
    return shown >= 9 and all(tile.suit in (suit, Suit.HONOURS) for tile in everything)


def _only_that_suit(case: Case, source: Seat) -> bool:
    hand = _hand_of(case, source)
    return hand is not None and bool(hand) and {t.suit for t in hand} == {case.winning_tile.suit}


def is_waiting(case: Case, seat: Seat, options: Options) -> bool:
    """The seat declared a waiting hand and the hand it shows waits."""
    declared = _declared(case)
    hand = _hand_of(case, seat)
    if declared is None or seat not in declared or hand is None or dead_hand(case, seat):
        return False
    return bool(waits(hand, case.others[seat].melds, options))


# --- What cannot be, and what may not stand ----------------------------------------------------


def check_case(case: Case, options: Options) -> None:
    """Raises CaseError for a hand or circumstance that cannot exist."""
    if case.source is case.winner:
        raise CaseError("the winner cannot be the discarder: a self-draw has no source")
    if case.bonus and not options.bonus_tiles:
        raise CaseError(
            f"bonus tiles {format_tiles(case.bonus)}: choose bonus_tiles to play with them"
        )
    named: list[Tile] = [*case.hand, case.winning_tile]
    melds = list(case.melds)
    for shown in case.others.values():
        named += shown.hand or ()
        melds += shown.melds
    for tile in named:
        if tile.is_bonus or tile.is_joker or tile.red:
            raise CaseError(f"{tile} cannot be part of a hand in this game")
    for meld in melds:
        if meld.kind in (MeldKind.QUINT, MeldKind.SEXTET):
            raise CaseError(f"a {meld.kind.value} does not exist in this game")
        meld.check()
    expected = 13 - 3 * len(case.melds)
    if len(case.hand) != expected:
        raise CaseError(
            f"the hand names {len(case.hand)} tiles beside {len(case.melds)} melds: it holds "
            f"{expected} without the winning tile"
        )
    melded = [tile for meld in case.melds for tile in meld.tiles]
    tile_set(options).check((*case.hand, case.winning_tile, *melded, *case.bonus))
    if Flag.ROBBING_KONG in case.flags and case.self_drawn:
        raise CaseError("a robbed kong names its seat as source")
    if Flag.REPLACEMENT in case.flags and not case.self_drawn:
        raise CaseError("a loose tile is drawn: the case must not name a source")


def _barred(case: Case, options: Options) -> Violation | None:
    kind = dead_hand(case, case.winner)
    if kind is not None:
        words = "too few" if kind == TOO_FEW else "too many"
        return Violation(
            code="dead_hand",
            seat=case.winner,
            text=f"The hand has {words} tiles: it is dead and may not win.",
        )
    left = case.winner.after(-1, PLAYERS)
    for meld in case.melds:
        if meld.kind is MeldKind.CHOW and meld.source not in (None, left):
            called = meld.called or meld.tile
            pond = case.pond(meld.source)
            place = pond.index(called) + 1 if called in pond else None
            return Violation(
                code="wrong_call",
                seat=case.winner,
                evidence=() if place is None else (Evidence(meld.source, place, called),),
                penalty=to_each(case.winner, options.false_claim_penalty, "false claim"),
                text=f"The chow {format_tiles(meld.tiles)} was not taken from the left neighbour.",
            )
    return None


def _undeclared(case: Case, options: Options) -> Violation | None:
    """The winner declared no waiting hand; a hand complete at once needs no declaration."""
    declared = _declared(case)
    free = (
        options.waiting_declaration is WaitingDeclaration.NONE
        or options.undeclared_win is UndeclaredWin.ALLOWED
        or declared is None
        or case.winner in declared
        or Flag.FIRST_TURN in case.flags
        or case.flags & {Flag.READY, Flag.DOUBLE_READY}
    )
    if free:
        return None
    return Violation(
        code="undeclared_waiting",
        seat=case.winner,
        text="No waiting hand was declared: the claim is refused without a penalty and play goes "
        "on.",
    )


def _false_mahjong(case: Case, options: Options) -> Violation:
    shown = format_tiles(sorted((*case.hand, case.winning_tile)))
    return Violation(
        code="not_a_win",
        seat=case.winner,
        penalty=to_each(case.winner, options.false_mahjong, "false mahjong"),
        text=f"The tiles are no complete hand: {shown}. The declarer pays "
        f"{options.false_mahjong} to each other player, East not doubled; the deal is void and "
        "East stays.",
    )


def to_each(seat: Seat, amount: int, reason: str) -> tuple[Payment, ...]:
    """A penalty to each other player, East not doubled."""
    if not amount:
        return ()
    return tuple(
        Payment(seat, other, amount, reason) for other in seats(PLAYERS) if other is not seat
    )
