"""Judging and settling a claimed win (sections 8 to 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from table_controller.rules.core.case import Answer, Case, Flag, Item, ShownHand, Violation
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import DRAGONS, JOKER, WINDS, Tile, format_tiles
from table_controller.rules.core.win import Form, Wait, Win
from table_controller.rules.malaysian_3p.fan import TEN_FAN, TenFan, fan, ten_fan_of
from table_controller.rules.malaysian_3p.hand import PLAYERS, Hand, hands
from table_controller.rules.malaysian_3p.losers import (
    Comparison,
    compare_losers,
    flies_held,
    fly_payments,
    hand_value,
)
from table_controller.rules.malaysian_3p.options import (
    ChowClaim,
    FlyBonusPayer,
    FourFliesInitial,
    Options,
    PaoPayment,
    RobKongKinds,
    tile_set,
)
from table_controller.rules.malaysian_3p.penalties import Offence, penalty_payments

NAME = "malaysian_3p"
FOUR_FLIES_INITIAL = "four_flies_initial"


@dataclass(frozen=True, slots=True)
class Count:
    """A reading and its fan."""

    hand: Hand
    ten_fan: tuple[TenFan, ...]
    items: int  # what the fan items add up to

    @property
    def is_full(self) -> bool:
        """A hand that is ten fan by itself."""
        return bool(self.ten_fan)

    def fan(self, options: Options) -> int:
        """The fan that are paid."""
        return options.max_fan if self.is_full else min(self.items, options.max_fan)

    def rank(self, options: Options) -> tuple[int, bool, int]:
        """What is paid, then a ten-fan hand before added items, then the items."""
        return self.fan(options), self.is_full, self.items


def count(hand: Hand) -> Count:
    """The fan of one reading."""
    return Count(hand, tuple(ten_fan_of(hand)), fan.points(hand))


def best_count(case: Case, options: Options) -> Count | None:
    """The reading and the choice for the flies that is best for the winner."""
    if case.says(FOUR_FLIES_INITIAL):
        flies = tuple(one for one in TEN_FAN if one.id == "four_flies")
        return Count(_unread(case, options), flies, 0)
    return _best(
        tuple(sorted(case.hand)),
        case.winning_tile,
        case.melds,
        case.bonus,
        case.wind_of(case.winner, PLAYERS),
        case.source is None,
        case.flags,
        bool(case.says("replacement_after_two_kongs")),
        case.source == case.dealer and len(case.pond(case.dealer)) <= 1,
        options,
    )


@lru_cache(maxsize=4096)
def _best(
    hand: tuple[Tile, ...],
    winning_tile: Tile,
    melds: tuple[Meld, ...],
    bonus: tuple[Tile, ...],
    seat_wind: Wind,
    self_drawn: bool,
    flags: frozenset[Flag],
    after_two_kongs: bool,
    first_discard: bool,
    options: Options,
) -> Count | None:
    """The best reading, remembered: with flies in the hand there are many to look at.

    Once a reading is ten fan by itself no other one is worth more.
    """
    winds = (seat_wind,) * PLAYERS
    case = Case(
        winner=Seat.A,
        source=None if self_drawn else Seat.B,
        hand=hand,
        winning_tile=winning_tile,
        melds=melds,
        bonus=bonus,
        seat_winds=winds,
        flags=flags,
    )
    best: Count | None = None
    for win in hands(case, options):
        found = count(replace(win, after_two_kongs=after_two_kongs, first_discard=first_discard))
        if best is None or found.rank(options) > best.rank(options):
            best = found
            if found.is_full and win.flies > 1:
                break
    return best


def _unread(case: Case, options: Options) -> Hand:
    """Four flies in the starting hand win whatever the other tiles are."""
    win = Win(
        form=Form.SPECIAL,
        groups=(),
        pair=None,
        wait=Wait.OTHER,
        winning_tile=JOKER,
        self_drawn=True,
        seat_wind=case.wind_of(case.winner, PLAYERS),
        round_wind=case.round_wind,
        flags=frozenset(),
        tiles=(JOKER,) * 4,
        bonus=case.bonus,
    )
    return Hand(win=win, options=options, flies=4)


def check_case(case: Case, options: Options) -> None:
    """Raises CaseError for a hand that cannot lie on the table, naming what to look at."""
    if case.winner >= PLAYERS or (case.source is not None and case.source >= PLAYERS):
        raise CaseError("three players sit at seats 0, 1 and 2")
    if case.source == case.winner:
        raise CaseError("the winner is named as the one who discarded the winning tile")
    if Flag.ROBBING_KONG in case.flags and case.source is None:
        raise CaseError("a robbed kong needs the seat it was robbed from")
    sizes = (12, 13) if case.says(FOUR_FLIES_INITIAL) else (13,)
    if len(case.hand) + 3 * len(case.melds) not in sizes:
        raise CaseError(
            f"the hand has {len(case.hand)} concealed tiles and {len(case.melds)} melds: beside "
            f"the winning tile that must be {13 - 3 * len(case.melds)} tiles"
        )
    for meld in case.melds:
        meld.check()
    if any(not tile.is_bonus for tile in case.bonus):
        raise CaseError(f"only bonus tiles are set aside, not {format_tiles(case.bonus)}")
    held = (*case.hand, case.winning_tile)
    if case.says(FOUR_FLIES_INITIAL) and held.count(JOKER) != 4:
        raise CaseError("a starting hand wins at once with four flies only")
    melded = tuple(tile for meld in case.melds for tile in meld.tiles)
    tile_set(options).check((*held, *case.bonus, *melded))


def settle_win(case: Case, options: Options) -> Answer:
    """Judges the claimed win and says who pays whom, for what and why."""
    check_case(case, options)
    kept = _kept(case)
    found = None if kept else best_count(case, options)
    broken = tuple(breaches(case, options))
    if broken or found is None:
        fine = replace(broken[0], penalty=penalty_payments(Offence.FALSE_WIN, case.winner, options))
        return Answer(
            ruleset=NAME,
            valid=False,
            violations=(fine, *broken[1:]),
            items=tuple(hand_items(found, options)) if found else (),
            totals={"fan": found.fan(options)} if found else {},
            players=PLAYERS,
        )
    return _settled(found, case, options)


# Judging


def breaches(case: Case, options: Options) -> Iterator[Violation]:
    """Everything that speaks against the win."""
    name = case.seat_name(case.winner, PLAYERS)

    def breach(code: str, text: str) -> Violation:
        return Violation(code=code, seat=case.winner, text=text)

    if case.winner in case.seats_named("dead_hands", PLAYERS):
        yield breach("dead_hand", f"{name}'s hand is dead: it may not win in this deal.")
    yield from _wrong_calls(case, options, name)
    if case.says(FOUR_FLIES_INITIAL):
        if options.four_flies_initial is FourFliesInitial.NEEDS_HAND:
            yield breach("not_a_win", "Four flies in the starting hand need a complete hand.")
        return
    if case.winning_tile == JOKER and case.source is not None and not options.fly_discard_claimable:
        yield breach("joker_misuse", "A discarded fly may not be claimed or won by anyone.")
        return
    kept = _kept(case)
    if kept:
        yield breach(
            "bonus_tile_kept",
            f"{name} holds {format_tiles(kept)} in the hand: bonus tiles are set aside and "
            "replaced before a win.",
        )
        return
    found = best_count(case, options)
    if found is None:
        yield breach(
            "not_a_win",
            f"{format_tiles(sorted(case.hand))} with {case.winning_tile} is neither four sets and "
            "a pair nor seven pairs, whatever its flies stand for.",
        )
        return
    if case.robs_concealed_kong() and options.rob_kong_kinds is RobKongKinds.PROMOTED:
        yield breach("wrong_robbing", "A concealed kong may not be robbed.")
    if found.fan(options) < options.min_fan:
        counted = found.fan(options)
        yield breach("below_minimum", f"{name} has {counted} fan, a win needs {options.min_fan}.")


def _kept(case: Case) -> list[Tile]:
    """Bonus tiles that are not set aside."""
    return [tile for tile in (*case.hand, case.winning_tile) if tile.is_bonus]


def _wrong_calls(case: Case, options: Options, name: str) -> Iterator[Violation]:
    for meld in case.melds:
        shown = format_tiles(meld.tiles)
        flies = sum(tile.is_joker for tile in meld.tiles)
        text = None
        left = case.winner.after(-1, PLAYERS)
        if meld.kind is MeldKind.CHOW and meld.source not in (None, left):
            text = f"{name} has laid down the chow {shown}: it is taken from the seat before only."
        if meld.kind is MeldKind.CHOW and options.chow_claim is ChowClaim.WIN_ONLY:
            text = f"{name} has laid down the chow {shown}: a chow is claimed only to win."
        if meld.kind is MeldKind.CHOW and flies:
            text = f"{name} has laid down {shown}: exposed chows are of real tiles."
        if meld.kind is MeldKind.PUNG and flies and not options.fly_in_claims:
            text = f"{name} has laid down {shown}: a claimed pung is of real tiles."
        if meld.kind.is_kong and flies and not options.fly_in_kong:
            text = f"{name} has laid down {shown}: a kong is of real tiles."
        if text is not None:
            code = "joker_misuse" if flies else "wrong_call"
            yield Violation(code=code, seat=case.winner, text=text)


# Pao

PAO_GROUPS: Mapping[str, tuple[Tile, ...]] = {
    "four_winds": WINDS,
    "big_three_dragons": DRAGONS,
    "all_honours": (*WINDS, *DRAGONS),
}


def liable_seat(found: Count, case: Case, options: Options) -> Seat | None:
    """Who fed the exposed set from which the hand was in plain sight; None without pao."""
    won = {one.id for one in found.ten_fan}
    if "pao" in case.extra:
        named = case.extra["pao"]
        told = next((seat for seat in case.losers(PLAYERS) if seat == named), None)
        if told is None:
            raise CaseError(f"pao is the seat of the loser who is liable, not {named!r}")
        return told if won & set(PAO_GROUPS) else None
    starts = {
        "four_winds": options.pao_winds,
        "big_three_dragons": options.pao_dragons,
        "all_honours": options.pao_all_honours,
    }
    for id, tiles in PAO_GROUPS.items():
        if id in won:
            liable = feeder(case.melds, tiles, starts[id])
            if liable is not None:
                return liable
    return None


def feeder(melds: Sequence[Meld], tiles: tuple[Tile, ...], start: int) -> Seat | None:
    """Who fed the last exposed set of these tiles, once there are ``start`` of them."""
    exposed = [meld for meld in melds if meld.source is not None and meld.tile in tiles]
    return exposed[-1].source if len(exposed) >= start else None


# Settling


def _settled(found: Count, case: Case, options: Options) -> Answer:
    comparison = None
    if options.loser_comparison and found.fan(options) < options.max_fan:
        comparison = compare_losers(case, options)
    flies = flies_held(case)
    liable = liable_seat(found, case, options)
    payments = list(hand_payments(found, case, options, liable))
    if comparison is not None and comparison.payment is not None:
        payments.append(comparison.payment)
    payments += fly_payments(flies, options)
    return Answer(
        ruleset=NAME,
        valid=True,
        items=(
            *hand_items(found, options),
            *_circumstances(found, case, options, comparison, flies, liable),
        ),
        totals={
            "fan": found.fan(options),
            "hand_value": hand_value(found.fan(options), options),
        },
        payments=tuple(payments),
        players=PLAYERS,
    )


def hand_payments(
    found: Count, case: Case, options: Options, liable: Seat | None
) -> Iterator[Payment]:
    """Both pay double when it was self-drawn, the discarder alone otherwise; with pao one pays."""
    value = hand_value(found.fan(options), options)
    winner, source = case.winner, case.source
    whole = 4 * value if source is None else 3 * value
    if liable is None:
        for payer in case.losers(PLAYERS):
            if source is None:
                yield Payment(payer, winner, 2 * value, "self-drawn, twice the hand")
            elif payer is source:
                yield Payment(payer, winner, 2 * value, "discarder, twice the hand")
            else:
                yield Payment(payer, winner, value, "the hand")
        return
    shares = options.pao_payment is PaoPayment.SHARE_WITH_DISCARDER
    if shares and source is not None and source is not liable:
        half = whole // 2
        yield Payment(liable, winner, whole - half, "pao, half of everything")
        yield Payment(source, winner, half, "discarder, the other half")
        return
    yield Payment(liable, winner, whole, "pao, pays for both")


def needs_hands(case: Case, options: Options) -> tuple[Seat, ...]:
    """The losers whose hands must be shown: for their flies and their honour pungs.

    Of a hand that is not shown only the sets laid down and the bonus tiles count, and no flies.
    """
    if not settle_win(case, options).valid:
        return ()
    return tuple(
        seat for seat in case.losers(PLAYERS) if case.others.get(seat, ShownHand()).hand is None
    )


# Explaining


def hand_items(found: Count, options: Options) -> Iterator[Item]:
    """The fan of the hand, or the ten-fan hands that replace them."""
    if not found.is_full:
        yield from fan.items(found.hand)
        return
    for one in found.ten_fan:
        yield Item(
            id=one.id,
            name=one.name,
            native=one.native,
            value=options.max_fan,
            unit="fan",
            why=f"{one.rule.rstrip('.')}: {options.max_fan} fan, paid once, other items apart.",
        )


def _closed(case: Case, seat: Seat) -> str:
    is_open = case.others.get(seat, ShownHand()).hand is not None
    return "" if is_open else ", whose hand is not shown"


def _circumstances(
    found: Count,
    case: Case,
    options: Options,
    comparison: Comparison | None,
    flies: Mapping[Seat, int],
    liable: Seat | None,
) -> Iterator[Item]:
    def item(id: str, name: str, value: int, why: str) -> Item:
        return Item(id=id, name=name, native="", value=value, unit="points", why=why)

    if found.hand.stands_for:
        shown = format_tiles(found.hand.stands_for)
        yield item("flies", "Flies", 0, f"The flies stand for {shown}.")
    if liable is not None:
        yield item(
            "pao",
            "Pao",
            0,
            f"{case.seat_name(liable, PLAYERS)} fed the last exposed set that showed the hand and "
            "pays for it.",
        )
    if comparison is not None:
        points = comparison.payment.points if comparison.payment else 0
        counted = "; ".join(
            f"{case.seat_name(one.seat, PLAYERS)}{_closed(case, one.seat)}: "
            + (", ".join(f"{each.name} {each.value}" for each in one.items) or "nothing")
            for one in comparison.losers
        )
        why = f"{comparison.why.rstrip('.')} ({counted})."
        yield item("losers_compared", "Losers compared", points, why)
    payer = "" if options.fly_bonus_payer is FlyBonusPayer.BANK else " from each opponent"
    for seat, number in flies.items():
        if number and options.fly_bonus_points:
            held = "a fly" if number == 1 else f"{number} flies"
            points = number * options.fly_bonus_points
            why = f"{case.seat_name(seat, PLAYERS)} holds {held}, worth {points}{payer}."
            yield item("fly_bonus", "Fly bonus", points, why)
