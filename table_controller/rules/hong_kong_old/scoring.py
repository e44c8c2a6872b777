"""A claimed win judged and settled: fan, base payment, doublings; or the limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from table_controller.rules.core.case import Answer, Case, Flag, Item, Violation
from table_controller.rules.core.decomposition import is_seven_pairs
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import (
    STANDARD_136,
    STANDARD_144,
    Suit,
    Tile,
    TileSet,
    format_tiles,
    kind_counts,
)
from table_controller.rules.core.win import Form, readings
from table_controller.rules.hong_kong_old.fans import FLOWER_IDS, Hand, basic, bonus, limit
from table_controller.rules.hong_kong_old.options import (
    FalseWin,
    LimitHand,
    MinFanExcludes,
    Options,
    PaymentScale,
    RobConcealedKong,
)

NAME = "hong_kong_old"
PLAYERS = 4
FLOWERS = (Suit.FLOWERS, Suit.SEASONS)
EXTRA_KEYS = {
    "dead_hand": "true when the claimant may not win: a wrong number of tiles, or a false win",
    "concealed_kong_robbed": "true when the robbed kong was a concealed one",
}

FAN_TABLE: Mapping[int, int] = MappingProxyType(
    {0: 1, 1: 2, 2: 4, 3: 8, 4: 16, 5: 24, 6: 32, 7: 48, 8: 64, 9: 96, 10: 128}
)
TEXT_SCALE: Mapping[int, int] = MappingProxyType({3: 1, 4: 2, 5: 2, 6: 2, 7: 4, 8: 4, 9: 4, 10: 8})


def tile_set(options: Options) -> TileSet:
    """144 tiles, or 136 without flowers and seasons."""
    return STANDARD_144 if options.bonus_tiles else STANDARD_136


@dataclass(frozen=True, slots=True)
class Worth:
    """What a reading is worth: a limit, or fan of which some count toward the minimum."""

    items: tuple[Item, ...]
    fan: int
    minimum_fan: int
    limits: tuple[LimitHand, ...] = ()
    limit_points: int = 0

    @property
    def order(self) -> tuple[int, int, int]:
        """Dearest last: limits before fan."""
        return self.limit_points, self.fan, self.minimum_fan


def settle_win(case: Case, options: Options) -> Answer:
    """Judge a claimed win; when it stands, say what it is worth and who pays."""
    check_case(case, options)
    violation = _barred(case, options)
    if violation is None and has_great_flowers(case, options):
        return _great_flowers(case, options)
    worth = None if violation else best_worth(case, options)
    if violation is None:
        violation = _too_little(case, worth, options)
    if violation is not None or worth is None:
        return Answer(
            ruleset=NAME, valid=False, violations=() if violation is None else (violation,)
        )
    if worth.limits:
        return _limit_answer(case, worth)
    base = base_payment(worth.fan, options)
    return Answer(
        ruleset=NAME,
        valid=True,
        items=worth.items,
        totals={"fan": worth.fan, "minimum_fan": worth.minimum_fan, "base_points": base},
        payments=tuple(settle(base, case.winner, case.source, doubling_seat(case, options))),
    )


def base_payment(fan: int, options: Options) -> int:
    """The base payment of that many fan; the last row of the table for ten and more."""
    table = FAN_TABLE if options.payment_scale is PaymentScale.FAN_TABLE else TEXT_SCALE
    return table[min(fan, 10)]


def settle(base: int, winner: Seat, source: Seat | None, east: Seat | None) -> list[Payment]:
    """Who pays what: doubled by a self-draw for all, by the discard for its maker, and by East for
    East or, if East won, for all."""
    payments = []
    for payer in seats(PLAYERS):
        if payer is winner:
            continue
        reasons = []
        if source is None:
            reasons.append("self-draw")
        elif payer is source:
            reasons.append("discard")
        if east in (winner, payer):
            reasons.append("East")
        reason = "win" if not reasons else "win, doubled: " + ", ".join(reasons)
        payments.append(Payment(payer, winner, base * 2 ** len(reasons), reason))
    return payments


def doubling_seat(case: Case, options: Options) -> Seat | None:
    """East, where it doubles."""
    if not options.east_doubles:
        return None
    if case.seat_winds is None:
        return case.dealer
    return Seat([wind.value for wind in case.seat_winds].index("E"))


# --- What a hand is worth ----------------------------------------------------------------------


def best_worth(case: Case, options: Options) -> Worth | None:
    """The dearest reading, or None when the tiles are no complete hand."""
    return max(
        (_worth(hand) for hand in hands(case, options)), key=lambda worth: worth.order, default=None
    )


def hands(case: Case, options: Options) -> Iterator[Hand]:
    """Every reading of the complete hand; four alike are not two pairs here."""
    for win in readings(case, PLAYERS):
        if win.form is Form.SEVEN_PAIRS and not is_seven_pairs(kind_counts(win.tiles)):
            continue
        yield Hand(win, case, options)


def _worth(hand: Hand) -> Worth:
    found = limits(hand)
    if found:
        half = hand.options.semi_concealed_half and not hand.case.self_drawn
        asked = hand.options.limit_requires_concealed
        full = any(not (half and one in asked) for one in found)
        points = hand.options.limit if full else hand.options.limit // 2
        return Worth(_limit_items(found, points), 0, 0, found, points)
    counted = basic.items(hand)
    extra = bonus.items(hand)
    toward = sum(item.value for item in counted)
    excludes = hand.options.min_fan_excludes
    if excludes is not MinFanExcludes.BONUS_TABLE:
        toward += sum(
            item.value
            for item in extra
            if excludes is MinFanExcludes.NONE or item.id not in FLOWER_IDS
        )
    return Worth(tuple(counted + extra), sum(item.value for item in (*counted, *extra)), toward)


def limits(hand: Hand) -> tuple[LimitHand, ...]:
    """The limit hands that this table plays and this reading is."""
    options = hand.options
    return tuple(
        one
        for one in options.limit_hands
        if limit[one.value].predicate(hand)
        and (one not in options.limit_requires_concealed or hand.win.is_concealed)
    )


def _limit_items(found: tuple[LimitHand, ...], points: int) -> tuple[Item, ...]:
    """The limit is paid once, whatever makes it: the first one named is worth it."""
    return tuple(
        Item(
            id=one.value,
            name=limit[one.value].name,
            native=limit[one.value].native,
            value=points if place == 0 else 0,
            unit="points",
            why=limit[one.value].rule,
        )
        for place, one in enumerate(found)
    )


def _limit_answer(case: Case, worth: Worth) -> Answer:
    return Answer(
        ruleset=NAME,
        valid=True,
        items=worth.items,
        totals={"limit_points": worth.limit_points},
        payments=tuple(_limit_payments(case.winner, worth.limit_points)),
    )


def _limit_payments(winner: Seat, points: int) -> list[Payment]:
    return [
        Payment(payer, winner, points, "limit") for payer in seats(PLAYERS) if payer is not winner
    ]


def has_great_flowers(case: Case, options: Options) -> bool:
    """All eight bonus tiles are set aside, the winning tile perhaps the last of them: a win
    without a hand."""
    return options.great_flowers and options.bonus_tiles and len(_bonus_tiles(case)) == 8


def _bonus_tiles(case: Case) -> set[Tile]:
    last = {case.winning_tile} if case.winning_tile.is_bonus else set()
    return {*case.bonus, *last}


def _great_flowers(case: Case, options: Options) -> Answer:
    item = Item(
        id="great_flowers",
        name="Great Flowers",
        native="花糊",
        value=options.limit,
        unit="points",
        why="All eight flowers and seasons set aside win at once, whatever the hand: "
        f"{format_tiles(sorted(_bonus_tiles(case)))}.",
    )
    return Answer(
        ruleset=NAME,
        valid=True,
        items=(item,),
        totals={"limit_points": options.limit},
        payments=tuple(_limit_payments(case.winner, options.limit)),
    )


# --- What cannot be, and what may not stand ----------------------------------------------------


def check_case(case: Case, options: Options) -> None:
    """Raises CaseError for a hand or circumstance that cannot exist."""
    if case.source is case.winner:
        raise CaseError("the winner cannot be the discarder: a self-draw has no source")
    for tile in case.bonus:
        if tile.suit not in FLOWERS:
            raise CaseError(f"{tile} is no flower or season: it belongs into the hand")
    melded = tuple(tile for meld in case.melds for tile in meld.tiles)
    for meld in case.melds:
        if meld.kind in (MeldKind.QUINT, MeldKind.SEXTET):
            raise CaseError(f"a {meld.kind.value} does not exist in this game")
        meld.check()
    if has_great_flowers(case, options):
        tile_set(options).check((*case.hand, *melded, *_bonus_tiles(case)))
        return  # no hand is needed, and the winning tile is a flower
    expected = 13 - 3 * len(case.melds)
    if len(case.hand) != expected:
        raise CaseError(
            f"the hand names {len(case.hand)} tiles beside {len(case.melds)} melds: it holds "
            f"{expected} without the winning tile"
        )
    concealed = (*case.hand, case.winning_tile)
    for tile in (*concealed, *melded):
        if tile.is_joker or tile.red or (tile.is_bonus and tile.suit not in FLOWERS):
            raise CaseError(f"{tile} cannot be part of a hand in this game")
    for tile in melded:
        if tile.is_bonus:
            raise CaseError(f"{tile} cannot be part of a meld in this game")
    tile_set(options).check((*concealed, *melded, *case.bonus))
    if Flag.ROBBING_KONG in case.flags and case.self_drawn:
        raise CaseError("a robbed kong names its seat as source")


def _barred(case: Case, options: Options) -> Violation | None:
    if case.says("dead_hand"):
        return Violation(
            code="dead_hand",
            seat=case.winner,
            text="A wrong number of tiles or a false win earlier: this hand may not win any more.",
        )
    kept = [tile for tile in (*case.hand, case.winning_tile) if tile.is_bonus]
    if kept and not has_great_flowers(case, options):
        return Violation(
            code="flower_kept",
            seat=case.winner,
            text=f"{format_tiles(kept)} should have been set aside and replaced: the hand has too "
            "few tiles and may not win any more.",
        )
    for meld in case.melds:
        if meld.kind is MeldKind.CHOW and meld.source not in (None, case.winner.after(-1, PLAYERS)):
            return _false_win(
                "wrong_call",
                case,
                options,
                f"The chow {format_tiles(meld.tiles)} was not taken from the player on the left.",
            )
    return None


def _too_little(case: Case, worth: Worth | None, options: Options) -> Violation | None:
    """Why the hand is not enough, or that its tile may not be taken."""
    if worth is None:
        shown = format_tiles(sorted((*case.hand, case.winning_tile)))
        return _false_win("not_a_win", case, options, f"The tiles are no complete hand: {shown}.")
    if case.says("concealed_kong_robbed") and not may_rob_concealed(worth, options):
        return _false_win(
            "wrong_call", case, options, "The tile of this concealed kong cannot be robbed."
        )
    if not worth.limits and worth.minimum_fan < options.min_fan:
        listed = ", ".join(f"{item.name} {item.value}" for item in worth.items) or "nothing"
        return _false_win(
            "below_minimum",
            case,
            options,
            f"The hand has {worth.minimum_fan} fan that count toward the minimum ({listed}): it "
            f"needs {options.min_fan}.",
        )
    return None


def may_rob_concealed(worth: Worth, options: Options) -> bool:
    """A hand of that worth may take the tile of a concealed kong."""
    return options.rob_concealed_kong is RobConcealedKong.ANY or (
        options.rob_concealed_kong is RobConcealedKong.ORPHANS_ONLY
        and LimitHand.THIRTEEN_ORPHANS in worth.limits
    )


def _false_win(code: str, case: Case, options: Options, why: str) -> Violation:
    penalty, then = false_win(case.winner, options)
    return Violation(code=code, seat=case.winner, penalty=penalty, text=f"{why} {then}")


def false_win(seat: Seat, options: Options) -> tuple[tuple[Payment, ...], str]:
    """What a false win costs, and how play goes on."""
    if options.false_win is FalseWin.OPEN_HAND:
        return (), "The tiles stay face up, this hand may not win, and play goes on."
    points = options.false_win_points
    payments = tuple(
        Payment(seat, other, points, "false win") for other in seats(PLAYERS) if other is not seat
    )
    return payments, f"The declarer pays {points} to each other player and may not win."
