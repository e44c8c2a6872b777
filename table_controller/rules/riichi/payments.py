"""Who pays whom: wins, counters, sticks, liability, draws, chombo and nagashi."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import DRAGONS, WINDS
from table_controller.rules.riichi.options import (
    PaoCounters,
    PaoScope,
    PaoYakuman,
    RiichiOptions,
)
from table_controller.rules.riichi.sanma_options import SanmaOptions, TsumoPayment

STICK = 1000


def to_hundreds(points: int) -> int:
    """Rounded up to the next hundred."""
    return rounded_up(points, 100)


def rounded_up(points: int, unit: int) -> int:
    """Rounded up to the next multiple."""
    return -(-points // unit) * unit


@dataclass(frozen=True, slots=True, kw_only=True)
class WinTerms:
    """What the payments of one win depend on."""

    winner: Seat
    source: Seat | None
    dealer: Seat
    base: int
    counters: int = 0
    deposits: int = 0
    liable: Seat | None = None
    liable_base: int = 0  # the part of ``base`` that the liable seat answers for


def win_payments(terms: WinTerms, options: RiichiOptions, players: int) -> tuple[Payment, ...]:
    """The hand, then counters, then sticks, each with its payer."""
    own_base = terms.base - (terms.liable_base if terms.liable is not None else 0)
    payments: list[Payment] = []
    if own_base:
        payments += _plain(terms, own_base, options, players)
    if terms.liable is not None:
        payments += _liable(terms, terms.liable)
    if isinstance(options, SanmaOptions):
        payments = [_in_units(payment, options) for payment in payments]
    payments += _counters(terms, options, players)
    if terms.deposits:
        payments.append(Payment(None, terms.winner, STICK * terms.deposits, "sticks"))
    return tuple(payments)


def _in_units(payment: Payment, options: SanmaOptions) -> Payment:
    """Rounded up where a parlour has no small sticks, with what it adds to a self-draw."""
    extra = options.self_draw_extra if payment.reason == "self-draw" else 0
    return replace(payment, points=rounded_up(payment.points, options.payment_unit) + extra)


def ron_value(base: int, *, is_dealer: bool) -> int:
    """What a discarder pays for the hand."""
    return to_hundreds((6 if is_dealer else 4) * base)


def _plain(terms: WinTerms, base: int, options: RiichiOptions, players: int) -> Iterable[Payment]:
    winner, source = terms.winner, terms.source
    is_dealer = winner == terms.dealer
    if source is not None:
        return [Payment(source, winner, ron_value(base, is_dealer=is_dealer), "discard")]
    return [
        Payment(payer, winner, _share(payer, terms, base, options, players), "self-draw")
        for payer in seats(players)
        if payer is not winner
    ]


def _share(payer: Seat, terms: WinTerms, base: int, options: RiichiOptions, players: int) -> int:
    """What one seat pays for a self-draw; with three players by the table's option."""
    is_dealer = terms.winner == terms.dealer
    share = to_hundreds(2 * base if is_dealer or payer == terms.dealer else base)
    if players == 4 or not isinstance(options, SanmaOptions):
        return share
    if options.tsumo_payment is TsumoPayment.NORTH_BISECTION:
        absent = to_hundreds(2 * base if is_dealer else base)
        return share + to_hundreds(absent // 2)
    if options.tsumo_payment is TsumoPayment.SHARE_TO_ALL:
        return to_hundreds(ron_value(base, is_dealer=is_dealer) // 2)
    return share


def _liable(terms: WinTerms, liable: Seat) -> list[Payment]:
    """The liable seat pays alone for a self-draw or its own discard, else half."""
    value = ron_value(terms.liable_base, is_dealer=terms.winner == terms.dealer)
    if terms.source is None or terms.source == liable:
        return [Payment(liable, terms.winner, value, "liability")]
    return [
        Payment(liable, terms.winner, value // 2, "liability"),
        Payment(terms.source, terms.winner, value // 2, "discard"),
    ]


def _counters(terms: WinTerms, options: RiichiOptions, players: int) -> list[Payment]:
    number, winner = terms.counters, terms.winner
    if not number:
        return []
    whole = terms.liable is not None and terms.liable_base == terms.base
    if terms.source is not None:
        to_liable = terms.liable is not None and options.pao_honba_payer is PaoCounters.LIABLE
        payer = terms.liable if to_liable else terms.source
        return [Payment(payer, winner, number * options.honba_value, "counters")]
    if whole or (terms.liable is not None and options.pao_honba_payer is PaoCounters.LIABLE):
        return [Payment(terms.liable, winner, number * options.honba_value, "counters")]
    each = number * options.honba_each
    return [
        Payment(payer, winner, each, "counters") for payer in seats(players) if payer is not winner
    ]


def liabilities(
    melds: Sequence[Meld], options: RiichiOptions, *, added_last: bool
) -> dict[PaoYakuman, Seat]:
    """Which yakuman another seat completed by its discard: melds in the order they were laid.

    Only the call that completes the set makes liable; a concealed kong on the table counts as
    exposed but makes nobody liable, nor does a fourth kong that was added to a pung later.
    """
    found: dict[PaoYakuman, Seat] = {}
    for yakuman, tiles, needed in (
        (PaoYakuman.DAISANGEN, DRAGONS, 3),
        (PaoYakuman.DAISUUSHII, WINDS, 4),
    ):
        laid = [meld for meld in melds if meld.kind is not MeldKind.CHOW and meld.tile in tiles]
        last = laid[-1] if len(laid) == needed else None
        if yakuman in options.pao_yakuman and last is not None and last.source is not None:
            found[yakuman] = last.source
    kongs = [meld for meld in melds if meld.kind.is_kong]
    if PaoYakuman.SUUKANTSU in options.pao_yakuman and len(kongs) == 4 and not added_last:
        last = melds[-1]
        if last.kind is MeldKind.KONG and last.source is not None:
            found[PaoYakuman.SUUKANTSU] = last.source
    return found


def liable_part(
    melds: Sequence[Meld],
    yakuman: Sequence[tuple[str, int]],
    base: int,
    options: RiichiOptions,
    *,
    added_last: bool,
) -> tuple[Seat | None, int]:
    """Who is liable for a yakuman hand, and for which part of its base points.

    ``yakuman`` lists the yakuman of the hand with their worth.
    """
    found = liabilities(melds, options, added_last=added_last)
    worth = {name: number for name, number in yakuman if name in tuple(found)}
    if not worth:
        return None, 0
    name = max(worth, key=lambda one: worth[one])
    seat = found[PaoYakuman(name)]
    if options.pao_scope is PaoScope.WHOLE_HAND or not options.yakuman_stacking:
        return seat, base
    return seat, min(base, 8000 * sum(w for n, w in worth.items() if found[PaoYakuman(n)] == seat))


def noten_payments(
    waiting: Iterable[Seat], options: RiichiOptions, players: int
) -> tuple[Payment, ...]:
    """Seats that do not wait pay those that do."""
    ready = [seat for seat in seats(players) if seat in set(waiting)]
    others = [seat for seat in seats(players) if seat not in ready]
    if not ready or not others:
        return ()
    total = options.noten_total_for(len(ready))
    each = total // (len(ready) * len(others))
    return tuple(
        Payment(payer, receiver, each, "not waiting") for receiver in ready for payer in others
    )


def nagashi_payments(
    seat: Seat, dealer: Seat, options: RiichiOptions, players: int, *, counters: int, deposits: int
) -> tuple[Payment, ...]:
    """A pond of terminals and honours is paid like a self-drawn mangan."""
    paid = options.nagashi_honba
    terms = WinTerms(
        winner=seat,
        source=None,
        dealer=dealer,
        base=2000,
        counters=counters if paid else 0,
        deposits=deposits if paid else 0,
    )
    return tuple(
        Payment(one.payer, one.receiver, one.points, "nagashi mangan")
        if one.reason == "self-draw"
        else one
        for one in win_payments(terms, options, players)
    )


def chombo_payments(
    offender: Seat, dealer: Seat, options: RiichiOptions, players: int
) -> tuple[Payment, ...]:
    """A mangan the wrong way round: the dealer pays and receives double."""
    shares = []
    for receiver in seats(players):
        if receiver is not offender:
            double = dealer in (offender, receiver)
            shares.append(Payment(offender, receiver, 4000 if double else 2000, "chombo"))
    return tuple(shares)
