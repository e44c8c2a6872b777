"""What the losers pay each other, and what flies bring (sections 10.4 and 10.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement

from table_controller.rules.core.case import Case, Item, ShownHand
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import DRAGONS, HONOURS
from table_controller.rules.core.win import Form, Group, Wait, Win
from table_controller.rules.malaysian_3p.fan import COMPARED, fan
from table_controller.rules.malaysian_3p.hand import PLAYERS, Hand, real_melds
from table_controller.rules.malaysian_3p.options import (
    BothLosersBelowMinimum,
    FanCounted,
    FlyBonusPayer,
    LoserItems,
    Options,
)


def hand_value(fan_count: int, options: Options) -> int:
    """What a hand of that many fan is worth."""
    if options.fan_counted is FanCounted.ABOVE_MINIMUM:
        fan_count = max(0, fan_count - options.min_fan)
    return options.base_points + options.points_per_fan * fan_count


@dataclass(frozen=True, slots=True)
class LoserFan:
    """What a loser's tiles count in the comparison."""

    seat: Seat
    items: tuple[Item, ...]
    fan: int


def loser_fan(seat: Seat, case: Case, options: Options) -> LoserFan:
    """The fan of a loser: bonus tiles and sets laid down always count, sets in the hand where the
    hand is shown.
    """
    shown = case.others.get(seat, ShownHand())
    best: LoserFan | None = None
    for win in _as_it_lies(seat, shown, case, options):
        hand = Hand(win=win, options=options)
        items = tuple(item for item in fan.items(hand) if _compares(item.id, options))
        found = min(sum(item.value for item in items), options.loser_fan_cap)
        if best is None or found > best.fan:
            best = LoserFan(seat, items, found)
    assert best is not None
    return best


def _compares(id: str, options: Options) -> bool:
    return options.loser_items is LoserItems.ALL_ITEMS or id in COMPARED


def _as_it_lies(seat: Seat, shown: ShownHand, case: Case, options: Options) -> Iterator[Win]:
    """The loser's tiles as sets, one reading for each choice of what flies complete."""
    melds = real_melds(shown.melds)
    held = tuple(shown.hand or ())
    real = Counter(tile.face for tile in held if not tile.is_joker)
    flies = sum(tile.is_joker for tile in held) if options.loser_fan_flies else 0
    for chosen in combinations_with_replacement(HONOURS, flies):
        counts = real + Counter(chosen)
        groups = [Group(meld.kind, meld.tile, meld.kind.is_concealed, meld) for meld in melds]
        groups += [
            Group(MeldKind.PUNG, tile, is_concealed=True)
            for tile, number in sorted(counts.items())
            if number >= 3
        ]
        yield Win(
            form=Form.SPECIAL,
            groups=tuple(groups),
            pair=next((tile for tile in DRAGONS if counts[tile] == 2), None),
            wait=Wait.OTHER,
            winning_tile=case.winning_tile.face,
            self_drawn=False,
            seat_wind=case.wind_of(seat, PLAYERS),
            round_wind=case.round_wind,
            flags=frozenset(),
            tiles=tuple(counts.elements()) + tuple(face for meld in melds for face in meld.faces),
            melds=melds,
            bonus=shown.bonus,
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """The losers' fan and what one pays the other; no payment is None."""

    losers: tuple[LoserFan, LoserFan]
    payment: Payment | None
    why: str


def compare_losers(case: Case, options: Options) -> Comparison:
    """The loser with fewer fan pays the one with more, by the table of section 10.5."""
    first, second = (loser_fan(seat, case, options) for seat in case.losers(PLAYERS))
    lower, higher = sorted((first, second), key=lambda one: one.fan)
    low_reaches, high_reaches = (_reaches(one.fan, options) for one in (lower, higher))
    pair = (first, second)

    def comparison(points: int, why: str) -> Comparison:
        payment = Payment(lower.seat, higher.seat, points, "losers compared") if points else None
        return Comparison(pair, payment, f"The losers have {lower.fan} and {higher.fan} fan: {why}")

    if low_reaches:
        points = hand_value(higher.fan, options) - hand_value(lower.fan, options)
        end = "the lower pays the difference" if points else "there is no difference to pay"
        return comparison(points, f"both reach the minimum, {end}.")
    if high_reaches:
        points = hand_value(higher.fan, options)
        return comparison(points, "the one below the minimum pays the other's hand.")
    pays = options.both_losers_below_minimum is BothLosersBelowMinimum.LOWER_PAYS_HIGHER
    if pays and lower.fan < higher.fan:
        return comparison(hand_value(higher.fan, options), "the lower pays the higher hand.")
    return comparison(0, "neither reaches the minimum, nothing is paid.")


def _reaches(count: int, options: Options) -> bool:
    if options.loser_minimum_inclusive:
        return count >= options.min_fan
    return count > options.min_fan


# Flies


def flies_held(case: Case) -> Mapping[Seat, int]:
    """The flies of every player: the winner's, and those in hands that are shown."""
    own = sum(tile.is_joker for tile in (*case.hand, case.winning_tile)) + _in_melds(case.melds)
    said = _said(case)
    found = {case.winner: own}
    for seat in case.losers(PLAYERS):
        shown = case.others.get(seat, ShownHand())
        in_hand = sum(tile.is_joker for tile in shown.hand or ())
        found[seat] = said.get(seat, in_hand + _in_melds(shown.melds))
    if sum(found.values()) > 4:
        raise CaseError(f"{sum(found.values())} flies are named, there are four")
    return found


def _in_melds(melds: tuple[Meld, ...]) -> int:
    return sum(tile.is_joker for meld in melds for tile in meld.tiles)


def _said(case: Case) -> Mapping[Seat, int]:
    named = case.extra.get("flies_of_losers", {})
    losers = {str(int(seat)): seat for seat in case.losers(PLAYERS)}
    if not isinstance(named, dict) or any(
        str(seat) not in losers or not isinstance(number, int) or number < 0
        for seat, number in named.items()
    ):
        raise CaseError(
            f"flies_of_losers maps seats to flies, of the losers {' and '.join(sorted(losers))} "
            f"only, not {named!r}"
        )
    return {losers[str(seat)]: number for seat, number in named.items()}


def fly_payments(flies: Mapping[Seat, int], options: Options) -> tuple[Payment, ...]:
    """What every fly brings its holder."""
    found = []
    for holder in seats(PLAYERS):
        points = flies.get(holder, 0) * options.fly_bonus_points
        if not points:
            continue
        if options.fly_bonus_payer is FlyBonusPayer.BANK:
            found.append(Payment(None, holder, points, "flies"))
            continue
        found += [
            Payment(holder.after(step, PLAYERS), holder, points, "flies")
            for step in range(1, PLAYERS)
        ]
    return tuple(found)
