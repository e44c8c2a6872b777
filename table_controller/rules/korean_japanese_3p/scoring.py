"""Judging and settling a claimed win (sections 12 and 17)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from table_controller.rules.core.case import (
    Answer,
    Case,
    Evidence,
    Flag,
    Item,
    ShownHand,
    Violation,
)
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment, totals
from table_controller.rules.core.tiles import format_tiles
from table_controller.rules.korean_japanese_3p.counting import (
    Count,
    best_count,
    count,
    robbable,
)
from table_controller.rules.korean_japanese_3p.hand import PLAYERS, hands, indicator_of
from table_controller.rules.korean_japanese_3p.options import (
    DiscardSettlement,
    HalfLimitFloor,
    LimitDiscardPayment,
    Options,
    RobKongKinds,
    ThreeReady,
    WaitingAdjustment,
    WaitingProof,
    tile_set,
)
from table_controller.rules.korean_japanese_3p.penalties import Offence, penalty_payments
from table_controller.rules.korean_japanese_3p.points import bonus_point, hand_point
from table_controller.rules.korean_japanese_3p.sacred import sacred_evidence
from table_controller.rules.korean_japanese_3p.waiting import WaitingVerdict, verdict_on

NAME = "korean_japanese_3p"
NOT_WAITING_POINTS = 2


def check_case(case: Case, options: Options) -> None:
    """Raises CaseError for a hand that cannot lie on the table, naming what to look at."""
    if case.winner >= PLAYERS or (case.source is not None and case.source >= PLAYERS):
        raise CaseError("three players sit at seats 0, 1 and 2")
    if case.source == case.winner:
        raise CaseError("the winner is named as the one who discarded the winning tile")
    if Flag.ROBBING_KONG in case.flags and case.source is None:
        raise CaseError("a robbed kong needs the seat it was robbed from")
    if len(case.hand) + 3 * len(case.melds) != 13:
        raise CaseError(
            f"the hand has {len(case.hand)} concealed tiles and {len(case.melds)} melds: beside "
            f"the winning tile that must be {13 - 3 * len(case.melds)} tiles"
        )
    for meld in case.melds:
        meld.check()
    if any(not tile.is_bonus for tile in case.bonus):
        raise CaseError(f"only flowers are set aside, not {format_tiles(case.bonus)}")
    turned = indicator_of(case)
    held = [*case.hand, case.winning_tile, *case.bonus, *([] if turned is None else [turned])]
    tile_set(options).check((*held, *(tile for meld in case.melds for tile in meld.tiles)))


def settle_win(case: Case, options: Options) -> Answer:
    """Judges the claimed win and says who pays whom, for what and why."""
    check_case(case, options)
    broken = tuple(breaches(case, options))
    found = None if any(tile.is_bonus for tile in case.hand) else best_count(case, options)
    if broken or found is None:
        fine = replace(broken[0], penalty=penalty_payments(Offence.FALSE_WIN, case.winner, options))
        return Answer(
            ruleset=NAME,
            valid=False,
            violations=(fine, *broken[1:]),
            items=tuple(counted_items(found)) if found else (),
            totals=_totals(found, options) if found else {},
            players=PLAYERS,
        )
    settled = _settlement(found, case, options)
    return Answer(
        ruleset=NAME,
        valid=True,
        items=tuple(settled.items()),
        totals=_totals(settled.found, options, goulash_points(case, options)),
        payments=tuple(settled.payments()),
        players=PLAYERS,
    )


# Judging


def breaches(case: Case, options: Options) -> Iterable[Violation]:
    """Everything that speaks against the win."""
    name = case.seat_name(case.winner, PLAYERS)

    def breach(code: str, text: str, evidence: tuple[Evidence, ...] = ()) -> Violation:
        return Violation(code=code, seat=case.winner, text=text, evidence=evidence)

    if case.winner in case.seats_named("dead_hands", PLAYERS):
        yield breach("dead_hand", f"{name}'s hand is dead: it may not win in this deal.")
    chows = [meld for meld in case.melds if meld.kind is MeldKind.CHOW]
    if chows:
        shown = ", ".join(format_tiles(meld.tiles) for meld in chows)
        yield breach(
            "wrong_call",
            f"{name} has laid down the chow {shown}: a chow may not be made from a discard "
            "unless it completes the hand.",
        )
    if Flag.READY in case.flags and any(not meld.kind.is_concealed for meld in case.melds):
        yield breach(
            "false_ready", f"{name} declared ready, but the hand is not concealed: it took a tile."
        )
    kept = [tile for tile in case.hand if tile.is_bonus]
    if kept:
        yield breach(
            "flower_kept",
            f"{name} holds {format_tiles(kept)} in the hand: flowers are set aside and replaced "
            "before a win.",
        )
        return
    readings = hands(case, options)
    if not readings:
        yield breach(
            "not_a_win",
            f"{format_tiles(sorted(case.hand))} with {case.winning_tile} is neither four sets and "
            f"a pair nor a special hand{_north_hint(case)}.",
        )
        return
    if Flag.ROBBING_KONG in case.flags:
        if case.robs_concealed_kong() and options.rob_kong_kinds is RobKongKinds.PROMOTED:
            yield breach(
                "wrong_robbing",
                f"{case.winning_tile} is part of a concealed kong: only the tile added to a pung "
                "may be robbed.",
            )
        if not robbable(readings, options):
            yield breach(
                "wrong_robbing",
                f"{case.winning_tile} completes no chow of {name}: a kong may be robbed only to "
                "complete a chow.",
            )
            return
    evidence = sacred_evidence(case, options)
    if evidence:
        yield breach("sacred_discard", _sacred_text(case, options, evidence), evidence)
    found = best_count(case, options)
    if found is not None and not found.is_legal(options):
        yield breach(
            "below_minimum",
            f"{name} has {_points(found.hand_points, 'hand')}, a win needs "
            f"{options.min_hand_points}; {_points(found.bonus_points, 'bonus')} do not count "
            "toward it.",
        )


def _north_hint(case: Case) -> str:
    norths = sum(tile.is_wind and tile.rank == 4 for tile in case.hand)
    return ": norths are only a pair or a declared kong" if norths >= 2 else ""


def _points(number: int, which: str) -> str:
    return f"{number} {which} point{'' if number == 1 else 's'}"


def _sacred_text(case: Case, options: Options, evidence: tuple[Evidence, ...]) -> str:
    row = options.discard_row_length
    found = ", ".join(
        f"{case.seat_name(each.seat, PLAYERS)}'s pond holds {each.tile} ({each.lies(row)})"
        for each in evidence
    )
    return (
        f"{case.seat_name(case.winner, PLAYERS)} may not win with {case.winning_tile}: "
        f"{found}. {options.sacred_discard.sentence}"
    )


# Settling


def goulash_points(case: Case, options: Options) -> int:
    """What each payer adds for the drawn deals before this one."""
    points = options.goulash_bonus * case.goulash
    return points if options.goulash_cap is None else min(points, options.goulash_cap)


def pays_bonus(case: Case, options: Options) -> bool:
    """Bonus points are paid; not where all three are ready and the house then drops them."""
    dropped = options.three_ready is ThreeReady.HAND_POINTS_ONLY
    return not (case.says("all_ready") and dropped)


def limit_points(found: Count, options: Options) -> int:
    """What a limit hand is worth."""
    return options.half_limit_value if found.limits[0].is_half else options.limit_value


@dataclass(frozen=True, slots=True)
class Share:
    """Points of one payer for one reason; negative ones lower what the payer pays."""

    points: int
    reason: str


@dataclass(frozen=True)
class Settlement:
    """A counted win being settled: who pays what, and why."""

    found: Count
    case: Case
    options: Options
    verdicts: tuple[WaitingVerdict, ...]

    @classmethod
    def of(cls, found: Count, case: Case, options: Options) -> Settlement:
        """The settlement, with every payer judged as waiting or not where that counts."""
        counts = not found.limits and pays_bonus(case, options)
        payers = case.losers(PLAYERS) if counts else ()
        return cls(found, case, options, tuple(verdict_on(one, case, options) for one in payers))

    def payments(self) -> list[Payment]:
        """Every payment with its reason."""
        winner = self.case.winner
        paid = []
        for payer in self.case.losers(PLAYERS):
            owed = 0
            shares = (*self._shares(payer), Share(self._goulash(payer), "goulash"))
            for share in sorted(shares, key=lambda share: share.points < 0):
                if share.points > 0:
                    paid.append(Payment(payer, winner, share.points, share.reason))
                elif share.points < 0 and owed:
                    back = min(owed, -share.points)
                    paid.append(Payment(winner, payer, back, share.reason))
                owed += share.points
        return paid

    def received(self) -> int:
        """What the winner gets in all."""
        return totals(self.payments(), PLAYERS)[self.case.winner]

    def _goulash(self, payer: Seat) -> int:
        points = goulash_points(self.case, self.options)
        if self.case.source is None:
            return points
        is_discarder = payer == self.case.source
        if self.found.limits:
            return points if is_discarder or self._others_pay_limit else 0
        if self.options.discard_settlement is DiscardSettlement.DISCARDER_PAYS_ALL:
            return 2 * points if is_discarder else 0
        return points

    @property
    def _others_pay_limit(self) -> bool:
        return self.options.limit_discard_payment is LimitDiscardPayment.BOTH_DISCARDER_DOUBLE

    def _shares(self, payer: Seat) -> list[Share]:
        if self.found.limits:
            return self._limit_shares(payer)
        hand = self.found.hand_points
        bonus = self.found.bonus_points if pays_bonus(self.case, self.options) else 0
        own = [self._waiting(one) for one in self.verdicts if one.seat == payer]
        if self.case.source is None:
            return [Share(hand, "hand points"), Share(bonus, "bonus points"), *own]
        is_discarder = payer == self.case.source
        everyones = [self._waiting(one) for one in self.verdicts]
        match self.options.discard_settlement:
            case DiscardSettlement.HAND_DOUBLE_BONUS_EACH:
                doubled = Share(2 * hand, "hand points, the discarder pays double")
                return [*([doubled] if is_discarder else []), Share(bonus, "bonus points"), *own]
            case DiscardSettlement.DISCARDER_PAYS_ALL:
                if not is_discarder:
                    return []
                return [
                    Share(2 * hand, "hand points, the discarder pays for both"),
                    Share(2 * bonus, "bonus points, the discarder pays for both"),
                    *everyones,
                ]
            case DiscardSettlement.OTHER_PAYS_HAND:
                if not is_discarder:
                    return [Share(hand, "hand points")]
                return [
                    Share(hand, "hand points"),
                    Share(2 * bonus, "bonus points, the discarder pays for both"),
                    *everyones,
                ]

    def _limit_shares(self, payer: Seat) -> list[Share]:
        points = limit_points(self.found, self.options)
        if payer == self.case.source:
            return [Share(2 * points, "limit hand, the discarder pays double")]
        if self.case.source is not None and not self._others_pay_limit:
            return []
        return [Share(points, "limit hand")]

    def _waiting(self, verdict: WaitingVerdict) -> Share:
        if not verdict.is_waiting:
            return Share(NOT_WAITING_POINTS, "not waiting")
        both = self.options.waiting_adjustment is WaitingAdjustment.CUMULATIVE
        return Share(-NOT_WAITING_POINTS if both else 0, "waiting")

    def items(self) -> list[Item]:
        """Everything that counted, explained."""
        found = counted_items(self.found)
        if not pays_bonus(self.case, self.options) and not self.found.limits:
            found.append(
                Item(
                    id="three_ready",
                    name="All three ready",
                    native="",
                    value=0,
                    unit="points",
                    why="All three players declared ready: only hand points are paid, no bonus "
                    "points and nothing for not waiting.",
                )
            )
        for verdict in self.verdicts:
            name = self.case.seat_name(verdict.seat, PLAYERS)
            found.append(
                Item(
                    id="waiting_payer" if verdict.is_waiting else "not_waiting_payer",
                    name=f"{name} waiting" if verdict.is_waiting else f"{name} not waiting",
                    native="",
                    value=self._waiting(verdict).points,
                    unit="points",
                    why=verdict.why,
                )
            )
        points = goulash_points(self.case, self.options)
        if points:
            capped = points < self.options.goulash_bonus * self.case.goulash
            found.append(
                Item(
                    id="goulash",
                    name="Goulash",
                    native="",
                    value=points,
                    unit="points",
                    why=f"Each payer adds {self.options.goulash_bonus} for every drawn deal just "
                    f"before, of which there were {self.case.goulash}"
                    + (f", but at most {points}." if capped else "."),
                )
            )
        return found


def _settlement(found: Count, case: Case, options: Options) -> Settlement:
    """The count settled, or the ordinary count instead of a half limit where the house lets the
    dearer one stand.
    """
    settled = Settlement.of(found, case, options)
    floor = options.half_limit_floor is HalfLimitFloor.AT_LEAST_ORDINARY
    if not (floor and found.limits and found.limits[0].is_half):
        return settled
    ordinary = [replace(count(hand), limits=()) for hand in robbable(hands(case, options), options)]
    dearest = max(ordinary, key=lambda one: one.rank)
    if not dearest.is_legal(options):
        return settled
    return max(settled, Settlement.of(dearest, case, options), key=Settlement.received)


def needs_hands(case: Case, options: Options) -> tuple[Seat, ...]:
    """The payers whose hands must be shown to settle this win: those who may have been waiting.

    A hand that is not shown counts as not waiting.
    """
    answer = settle_win(case, options)
    if not answer.valid or "limit" in answer.totals or not pays_bonus(case, options):
        return ()
    if "waiting" in case.extra or options.waiting_proof is WaitingProof.DECLARED_ONLY:
        return ()
    dead = case.seats_named("dead_hands", PLAYERS)
    return tuple(
        seat
        for seat in case.losers(PLAYERS)
        if seat not in dead and case.others.get(seat, ShownHand()).hand is None
    )


# Explaining


def counted_items(found: Count) -> list[Item]:
    """The hand points and bonus points, or the limit hands that replace them."""
    if not found.limits:
        return [*hand_point.items(found.hand), *bonus_point.items(found.hand)]
    options = found.hand.options
    half = "half the limit" if found.limits[0].is_half else "the limit"
    return [
        Item(
            id=limit.hand.value,
            name=limit.name,
            native=limit.native,
            value=limit_points(found, options),
            unit="limit",
            why=f"{limit.rule.rstrip('.')}: {half}, paid once and in place of all counting.",
        )
        for limit in found.limits
    ]


def _totals(found: Count, options: Options, goulash: int = 0) -> Mapping[str, int]:
    if found.limits:
        total = {"limit": limit_points(found, options)}
    else:
        total = {"hand_points": found.hand_points, "bonus_points": found.bonus_points}
    return {**total, "goulash": goulash} if goulash else total
