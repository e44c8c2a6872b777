"""Han, the score table, and the settlement of a win (sections 9 to 13)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from table_controller.rules.core.case import Answer, Case, Flag, Item, Violation
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.patterns import Pattern
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tally import Proofs, because
from table_controller.rules.core.tiles import DRAGONS, Tile, format_tiles
from table_controller.rules.core.win import Form, Group, Wait, Win
from table_controller.rules.japanese_3p.conditions import (
    FOURTH_KONG,
    breaches,
    legal_hands,
    yaku_ids,
)
from table_controller.rules.japanese_3p.hand import GREEN, NORTH, PLAYERS, RED, WHITE, Hand
from table_controller.rules.japanese_3p.options import (
    CountedYakuman,
    Options,
    SuukantsuPayment,
    YakumanCombination,
    tile_set,
)
from table_controller.rules.japanese_3p.yaku import (
    han_of,
    scoring,
    yakuman_found,
    yakuman_units,
)

NAME = "japanese_3p"
BAZORO = 2


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the score table: from how many han, and who pays what."""

    han: int
    name: str
    native: str
    ko_ron: int
    oya_ron: int
    ko_tsumo_ko: int  # what the other non-dealer pays a non-dealer
    ko_tsumo_oya: int  # what the dealer pays a non-dealer
    oya_tsumo: int  # what each non-dealer pays the dealer


ROWS = (
    Row(3, "", "", 1_000, 1_500, 300, 500, 500),
    Row(4, "", "", 2_000, 3_000, 500, 1_000, 1_000),
    Row(5, "", "", 4_000, 6_000, 1_000, 2_000, 2_000),
    Row(6, "Mangan", "満貫", 8_000, 12_000, 2_000, 4_000, 4_000),
    Row(8, "Haneman", "跳満", 12_000, 18_000, 3_000, 6_000, 6_000),
    Row(10, "Baiman", "倍満", 16_000, 24_000, 4_000, 8_000, 8_000),
    Row(13, "Sanbaiman", "三倍満", 24_000, 36_000, 6_000, 12_000, 12_000),
    Row(16, "Yakuman", "役満", 32_000, 48_000, 8_000, 16_000, 16_000),
)
YAKUMAN_ROWS = (
    ROWS[-1],
    Row(0, "Double yakuman", "二倍役満", 64_000, 96_000, 16_000, 32_000, 32_000),
    Row(0, "Triple yakuman", "三倍役満", 96_000, 144_000, 24_000, 48_000, 48_000),
)
MANGAN = ROWS[3]

DORA_RULE = "Every tile of a kind that an indicator shows adds 1 han."
URADORA_RULE = "After riichi the tiles under the indicators show dora too, 1 han each."
PEI_RULE = "Every north set aside adds 1 han."
FLOWER_RULE = "Every flower set aside adds 1 han."
RED_RULE = "Every red five adds 1 han."


@dataclass(frozen=True)
class Score:
    """A reading with what it scores."""

    hand: Hand
    yaku: tuple[tuple[Pattern[Hand], int], ...]
    yakuman: tuple[tuple[Pattern[Hand], int], ...]
    bonus: tuple[Item, ...]
    row: Row

    @property
    def han(self) -> int:
        """Yaku and bonus han together."""
        return sum(han for _, han in self.yaku) + sum(item.value for item in self.bonus)

    @property
    def units(self) -> int:
        """Yakuman units that are paid; 0 without a yakuman."""
        return _units([units for _, units in self.yakuman], self.hand.options)

    @property
    def rank(self) -> tuple[int, int]:
        """What is paid, then han."""
        return self.row.ko_ron, self.han


def _units(units: list[int], options: Options) -> int:
    if not units:
        return 0
    if options.yakuman_combination is YakumanCombination.HIGHEST_ONLY:
        return max(units)
    return min(sum(units), len(YAKUMAN_ROWS))


def row_for(han: int, options: Options) -> Row:
    """The row of the score table for that many han."""
    counted = options.counted_yakuman is CountedYakuman.FROM_16
    rows = ROWS if counted else ROWS[:-1]
    return next(row for row in reversed(rows) if han >= row.han)


def score(hand: Hand, case: Case) -> Score:
    """What one reading scores."""
    options = hand.options
    limits = tuple((one, yakuman_units(one, hand)) for one in yakuman_found(hand))
    units = _units([units for _, units in limits], options)
    found = tuple((one, han_of(one, hand)) for one in scoring(hand))
    bonus = tuple(bonus_items(hand, case))
    han = sum(han for _, han in found) + sum(item.value for item in bonus)
    row = YAKUMAN_ROWS[units - 1] if units else row_for(han, options)
    return Score(hand, found, limits, bonus, row)


def best_score(case: Case, options: Options) -> Score | None:
    """The dearest legal reading; None where none has a yaku."""
    if FOURTH_KONG in case.extra:
        return score(_four_kongs(case, options), case)
    found = [score(hand, case) for hand in legal_hands(case, options) if yaku_ids(hand)]
    return max(found, key=lambda one: one.rank) if found else None


def _four_kongs(case: Case, options: Options) -> Hand:
    """The hand that wins at once with its fourth kong: no pair, no wait."""
    groups = tuple(Group(meld.kind, meld.tile, meld.kind.is_concealed, meld) for meld in case.melds)
    win = Win(
        form=Form.SPECIAL,
        groups=groups,
        pair=None,
        wait=Wait.OTHER,
        winning_tile=case.winning_tile.face,
        self_drawn=True,
        seat_wind=case.wind_of(case.winner, PLAYERS),
        round_wind=case.round_wind,
        flags=frozenset(),
        tiles=tuple(face for meld in case.melds for face in meld.faces),
        melds=case.melds,
        bonus=case.bonus,
    )
    return Hand(win=win, options=options, is_dealer=case.winner is case.dealer)


# Bonus han


def bonus_items(hand: Hand, case: Case) -> Iterator[Item]:
    """What adds han but makes no hand legal (section 11)."""
    options = hand.options
    held = (*case.hand, case.winning_tile, *(t for meld in case.melds for t in meld.tiles))
    with_aside = (*held, *case.bonus)

    def item(id: str, name: str, native: str, value: int, why: str) -> Item:
        return Item(id=id, name=name, native=native, value=value, unit="han", why=why)

    yield item("bazoro", "Bazoro", "場ゾロ", BAZORO, "Every win adds 2 han.")
    if Flag.ONE_SHOT in case.flags and hand.has_riichi:
        rule = (
            "Won before the next own discard after riichi, with no call or north of another player "
            "in between, adds 1 han."
        )
        yield item("ippatsu", "Ippatsu", "一発", 1, rule)
    under = case.ura if hand.has_riichi and options.uradora else ()
    for id, name, native, rule, tiles in (
        ("dora", "Dora", "ドラ", DORA_RULE, _matching(with_aside, case.dora)),
        ("uradora", "Uradora", "裏ドラ", URADORA_RULE, _matching(with_aside, under)),
        ("pei_dora", "Pei-dora", "抜きドラ", PEI_RULE, _those(case.bonus, is_bonus=False)),
        ("flower_dora", "Flower dora", "花牌", FLOWER_RULE, _those(case.bonus, is_bonus=True)),
        ("akadora", "Akadora", "赤ドラ", RED_RULE, tuple(tile for tile in held if tile.red)),
    ):
        if tiles:
            yield item(id, name, native, len(tiles), because(rule, [tiles]))


def _those(bonus: tuple[Tile, ...], *, is_bonus: bool) -> tuple[Tile, ...]:
    return tuple(tile for tile in bonus if tile.is_bonus is is_bonus)


def _matching(held: tuple[Tile, ...], dora: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """The tiles that are dora, once for every indicator that shows them."""
    return tuple(tile for shown in dora for tile in held if tile.face == shown.face)


# The settlement


def check_case(case: Case, options: Options) -> None:
    """Raises CaseError for a hand that cannot lie on the table, naming what to look at."""
    if case.winner >= PLAYERS or (case.source is not None and case.source >= PLAYERS):
        raise CaseError("three players sit at seats 0, 1 and 2")
    if case.source == case.winner:
        raise CaseError("the winner is named as the one who discarded the winning tile")
    if Flag.ROBBING_KONG in case.flags and case.source is None:
        raise CaseError("a robbed tile needs the seat it was robbed from")
    for meld in case.melds:
        meld.check()
    if FOURTH_KONG in case.extra:
        if sum(meld.kind.is_kong for meld in case.melds) != 4 or case.hand:
            raise CaseError("a win by the fourth kong is four kongs and one tile beside them")
    elif len(case.hand) + 3 * len(case.melds) != 13:
        raise CaseError(
            f"the hand has {len(case.hand)} concealed tiles and {len(case.melds)} melds: beside "
            f"the winning tile that must be {13 - 3 * len(case.melds)} tiles"
        )
    if any(not tile.is_bonus and tile != NORTH for tile in case.bonus):
        raise CaseError(f"only norths and flowers are set aside, not {format_tiles(case.bonus)}")
    held = (*case.hand, case.winning_tile, *case.bonus)
    if any(tile.is_bonus for tile in (*case.hand, case.winning_tile)):
        raise CaseError("a flower is in the hand: it is set aside and replaced before a win")
    tile_set(options).check((*held, *(tile for meld in case.melds for tile in meld.tiles)))


def settle_win(case: Case, options: Options) -> Answer:
    """Judges the claimed win and says who pays whom, for what and why."""
    check_case(case, options)
    broken = tuple(breaches(case, options))
    found = best_score(case, options)
    if broken or found is None:
        fine = replace(broken[0], penalty=chombo_payments(case.winner, case.dealer))
        return refused(case, found, (fine, *broken[1:]))
    return Answer(
        ruleset=NAME,
        valid=True,
        items=tuple(items_of(found)),
        totals=_totals(found),
        payments=tuple(payments(found, case, options)),
        players=PLAYERS,
    )


def refused(case: Case, found: Score | None, broken: tuple[Violation, ...]) -> Answer:
    """A win that may not stand, with what it would have scored."""
    return Answer(
        ruleset=NAME,
        valid=False,
        violations=broken,
        items=tuple(items_of(found)) if found else (),
        totals=_totals(found) if found else {},
        players=PLAYERS,
    )


def _totals(found: Score) -> Mapping[str, int]:
    return {"yakuman": found.units} if found.yakuman else {"han": found.han}


def payments(found: Score, case: Case, options: Options) -> Iterator[Payment]:
    """Who pays what: the table, the counters, and the sticks on the table."""
    row, winner = found.row, case.winner
    is_dealer = winner is case.dealer
    payer = case.source
    if FOURTH_KONG in case.extra and options.suukantsu_payment is SuukantsuPayment.BY_FOURTH_KONG:
        payer = _fourth_kong_feeder(case)
    reason = row.name.lower() or f"{found.han} han"
    honba = options.honba_per_payer * case.counters
    if payer is not None:
        yield Payment(payer, winner, row.oya_ron if is_dealer else row.ko_ron, reason)
        if honba:
            yield Payment(payer, winner, 2 * honba, "honba")
    else:
        for loser in case.losers(PLAYERS):
            from_dealer = row.ko_tsumo_oya if loser is case.dealer else row.ko_tsumo_ko
            yield Payment(loser, winner, row.oya_tsumo if is_dealer else from_dealer, reason)
            if honba:
                yield Payment(loser, winner, honba, "honba")
    sticks = case.deposits * options.riichi_deposit
    if sticks:
        yield Payment(None, winner, sticks, "riichi sticks")


def _fourth_kong_feeder(case: Case) -> Seat | None:
    feeder = case.extra[FOURTH_KONG]
    if feeder is None:
        return None
    for seat in case.losers(PLAYERS):
        if seat == feeder:
            return seat
    raise CaseError(
        f"{FOURTH_KONG} is the other seat that fed an open fourth kong, or null, not {feeder!r}"
    )


def chombo_payments(offender: Seat, dealer: Seat) -> tuple[Payment, ...]:
    """What a false win or riichi costs: a self-drawn mangan, paid by the offender."""
    others = [offender.after(step, PLAYERS) for step in range(1, PLAYERS)]
    if offender is dealer:
        return tuple(Payment(offender, other, MANGAN.oya_tsumo, "chombo") for other in others)
    return tuple(
        Payment(
            offender,
            other,
            MANGAN.ko_tsumo_oya if other is dealer else MANGAN.ko_tsumo_ko,
            "chombo",
        )
        for other in others
    )


# Explaining


def items_of(found: Score) -> Iterator[Item]:
    """Everything that counted, explained."""
    if found.yakuman:
        for one, units in found.yakuman:
            yield _item(one, units, "yakuman", found.hand)
        return
    for one, han in found.yaku:
        yield _item(one, han, "han", found.hand)
    yield from found.bonus


def _item(one: Pattern[Hand], value: int, unit: str, hand: Hand) -> Item:
    why = because(one.rule, proofs(one.id, hand))
    if unit == "han" and value != one.value:
        why += f" An option of the house makes it {value} han here."
    return Item(id=one.id, name=one.name, native=one.native, value=value, unit=unit, why=why)


def proofs(id: str, hand: Hand) -> Proofs:
    """The tiles that make a yaku of sets; other yaku are of the whole hand."""
    win = hand.win
    if id.startswith("yakuhai"):
        own = win.seat_wind.tile if "seat" in id else win.round_wind.tile
        wanted = {"Wh": WHITE, "G": GREEN, "R": RED}.get(id.split("_")[-1], own)
        return [group.tiles for group in win.pungs if group.tile == wanted]
    if id in ("iipeikou", "iisou_sanjun"):
        wanted_number = 2 if id == "iipeikou" else 3
        return [group.tiles for group in win.chows if hand.chow_counts[group.tile] >= wanted_number]
    if id in ("sanankou", "suuankou"):
        return [group.tiles for group in hand.concealed_pungs]
    if id in ("sankantsu", "suukantsu"):
        return [group.tiles for group in win.kongs]
    if id in ("shousangen", "daisangen"):
        return [group.tiles for group in win.pungs if group.tile in DRAGONS]
    if id == "suushiihou":
        return [group.tiles for group in win.pungs if group.tile.is_wind]
    return ()
