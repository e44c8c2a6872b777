"""Judging and settling a Filipino win: base, additions, doublings, and who pays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from table_controller.rules.core.case import Answer, Case, Flag, Item, Violation
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import (
    JOKER,
    STANDARD_144,
    Suit,
    Tile,
    TileSet,
    format_tiles,
)
from table_controller.rules.core.win import Wait
from table_controller.rules.filipino.options import (
    Addition,
    Combine,
    DiceThrow,
    DiscardedJoker,
    FalseWin,
    Jokers,
    Options,
    OthersPay,
    SevenPairsSet,
    Special,
    ThirteenAmount,
    ThirteenTime,
)
from table_controller.rules.filipino.shapes import (
    Shape,
    seven_pairs_shapes,
    standard_shapes,
)

HAND_SIZE = 16
THIRTEEN = 13
EXTRA_KEYS: Mapping[str, str] = {
    "joker_face": (
        "The face turned in the wall, as 5p: its four tiles are jokers in this hand. In melds a "
        "joker that stands for another tile is written jk."
    ),
    "deal_dice": "The two deal throws, as [[5, 4], [6, 5]]: for the dice double.",
    "discards": "Discards of all seats before the win, where ponds are not given.",
}


def tile_set(options: Options) -> TileSet:
    """144 tiles, and printed jokers where the table plays with them."""
    if options.jokers is Jokers.PRINTED:
        return TileSet((*STANDARD_144.copies, (JOKER, options.printed_jokers)))
    if options.jokers is Jokers.TURNED_TILE:
        return TileSet(STANDARD_144.copies, stand_ins=4)
    return STANDARD_144


def is_flower(tile: Tile) -> bool:
    """Winds, dragons, flowers and seasons: set aside, never part of a hand."""
    return tile.is_honour or tile.suit in (Suit.FLOWERS, Suit.SEASONS)


def joker_face(case: Case, options: Options) -> Tile | None:
    """The turned face whose tiles are jokers; None without a turned joker."""
    named = case.extra.get("joker_face")
    if named is None:
        return None
    if options.jokers is not Jokers.TURNED_TILE:
        raise CaseError("joker_face is given, but jokers is not turned_tile: set that option")
    face = Tile.parse(str(named))
    if not face.is_numbered:
        raise CaseError(f"joker_face {face} is no suited tile: the next stack's tile is turned")
    return face


@dataclass(frozen=True, slots=True)
class Hand:
    """The concealed part with the winning tile, its jokers counted apart, and the melds."""

    naturals: tuple[Tile, ...]
    jokers: int
    winning: Tile | None  # None: a joker drawn by the winner
    melds: tuple[Meld, ...]

    @property
    def natural_faces(self) -> tuple[Tile, ...]:
        """All tiles that are no jokers, melds included."""
        melded = (tile for meld in self.melds for tile in meld.tiles if not tile.is_joker)
        return (*self.naturals, *melded)


def read_hand(
    concealed: Sequence[Tile],
    winning: Tile,
    melds: Sequence[Meld],
    face: Tile | None,
    *,
    self_drawn: bool,
) -> Hand:
    """Sort a hand into natural tiles and jokers; a discarded joker counts as its printed face."""
    jokers = [tile for tile in concealed if tile.is_joker or tile == face]
    naturals = [tile for tile in concealed if not (tile.is_joker or tile == face)]
    wins_with_joker = self_drawn and (winning.is_joker or winning == face)
    if not wins_with_joker:
        naturals.append(winning)
    return Hand(
        tuple(naturals),
        len(jokers) + wins_with_joker,
        None if wins_with_joker else winning,
        tuple(melds),
    )


def shapes(hand: Hand, options: Options) -> list[Shape]:
    """Every way the hand is complete."""
    found = standard_shapes(hand.naturals, hand.jokers, hand.winning, hand.melds)
    if len(hand.melds) <= options.seven_pairs_open_pung:
        fits = all(
            meld.kind is MeldKind.PUNG or options.seven_pairs_set is SevenPairsSet.ANY_SET
            for meld in hand.melds
        )
        if fits and not any(meld.kind.is_kong for meld in hand.melds):
            found |= seven_pairs_shapes(
                hand.naturals,
                hand.jokers,
                hand.winning,
                any_set=options.seven_pairs_set is SevenPairsSet.ANY_SET,
                four_as_two=options.seven_pairs_four_as_two,
                open_set=bool(hand.melds),
            )
    order = ("seven_pairs", "chows", "pungs", "has_run", "wait")
    return sorted(found, key=lambda shape: [str(getattr(shape, name)) for name in order])


# --- what counts ------------------------------------------------------------------------------


def settle_win(case: Case, options: Options) -> Answer:
    """Judge a claimed mahjong and settle it."""
    face = _check(case, options)
    breaches = _breaches(case, options, face)
    hand = read_hand(case.hand, case.winning_tile, case.melds, face, self_drawn=case.self_drawn)
    found = [] if breaches else shapes(hand, options)
    if not found:
        if not breaches:
            breaches = [
                _breach(
                    "not_a_win",
                    case,
                    options,
                    "The tiles are neither five sets and a pair nor seven pairs and a pung: "
                    f"{format_tiles(sorted((*case.hand, case.winning_tile)))}.",
                )
            ]
        return Answer(
            ruleset="filipino",
            valid=False,
            violations=tuple(_paid_once(breaches)),
            players=options.players,
        )
    return max(
        (_settled(case, options, hand, shape) for shape in found),
        key=lambda answer: answer.totals["points"],
    )


def _check(case: Case, options: Options) -> Tile | None:
    """Raises CaseError for what cannot lie on the table; gives the joker face."""
    for seat in (case.winner, case.source):
        if seat is not None and seat >= options.players:
            raise CaseError(f"seat {int(seat)} does not play: {options.players} seats do")
    if case.source is case.winner:
        raise CaseError("the winner cannot be the discarder: a self-draw has no source")
    face = joker_face(case, options)
    held = HAND_SIZE - 3 * len(case.melds)
    if len(case.hand) != held:
        raise CaseError(
            f"the hand names {len(case.hand)} tiles beside {len(case.melds)} melds, it holds "
            f"{held} without the winning tile"
        )
    for meld in case.melds:
        if meld.kind in (MeldKind.QUINT, MeldKind.SEXTET):
            raise CaseError(f"a {meld.kind.value} does not exist in this game")
        meld.check()
    for tile in case.bonus:
        if not is_flower(tile):
            raise CaseError(f"{tile} is no bonus tile: those are winds, dragons, flowers, seasons")
    melded = [tile for meld in case.melds for tile in meld.tiles]
    everything = [*case.hand, case.winning_tile, *melded, *case.bonus]
    if face is not None:
        everything = [face if tile.is_joker else tile for tile in everything]
    if any(tile.red for tile in everything):
        raise CaseError("red fives do not belong to this set")
    tile_set(options).check(everything)
    if face is not None and not options.joker_indicator_drawable and everything.count(face) > 3:
        raise CaseError(f"four {face} are named, but the turned one was set aside")
    return face


def _breaches(case: Case, options: Options, face: Tile | None) -> list[Violation]:
    found = []
    kept = [tile for tile in (*case.hand, case.winning_tile) if is_flower(tile)]
    if kept:
        found.append(
            _breach(
                "not_a_win",
                case,
                options,
                f"{format_tiles(kept)} should have been set aside and replaced: a hand with a "
                "bonus tile is not complete.",
            )
        )
    if any(is_flower(tile) for meld in case.melds for tile in meld.tiles):
        found.append(
            _breach("wrong_call", case, options, "Winds, dragons and flowers form no melds.")
        )
    previous = case.winner.after(-1, options.players)
    for meld in case.melds:
        is_foreign = meld.source is not None and meld.source is not previous
        if meld.kind is MeldKind.CHOW and is_foreign and not options.chow_from_any:
            found.append(
                _breach(
                    "wrong_call",
                    case,
                    options,
                    f"The chow {format_tiles(meld.tiles)} was taken from a seat that is not the "
                    "one before: only the next player may chow.",
                    false_set=True,
                )
            )
        if (
            meld.called is not None
            and (meld.called.is_joker or meld.called == face)
            and options.discarded_joker is not DiscardedJoker.NATURAL
        ):
            found.append(
                _breach(
                    "joker_misuse",
                    case,
                    options,
                    f"The discarded joker {meld.called} was claimed for "
                    f"{format_tiles(meld.tiles)}: a discarded joker makes no meld.",
                    false_set=True,
                )
            )
    if not case.self_drawn:
        tile = case.winning_tile
        if tile.is_joker or (tile == face and options.discarded_joker is DiscardedJoker.DEAD):
            found.append(
                _breach(
                    "joker_misuse",
                    case,
                    options,
                    f"The discarded joker {tile} cannot be claimed for mahjong.",
                )
            )
        if Flag.ROBBING_KONG in case.flags and not options.rob_kong:
            found.append(
                _breach("wrong_call", case, options, "This table does not play robbing a kong.")
            )
    return found


def _breach(
    code: str, case: Case, options: Options, text: str, *, false_set: bool = False
) -> Violation:
    rule = options.false_set if false_set else options.false_win
    penalty: tuple[Payment, ...] = ()
    if rule is FalseWin.PAY_ALL:
        penalty = tuple(
            Payment(case.winner, seat, 2 * options.base, "false mahjong")
            for seat in case.losers(options.players)
        )
        text += " Two bases go to each other player and the hand ends."
    else:
        text += " The hand is dead and play goes on."
    return Violation(code=code, seat=case.winner, text=text, penalty=penalty)


def _paid_once(breaches: Iterable[Violation]) -> Iterator[Violation]:
    """However much is wrong with one claim, the first breach that costs something is paid."""
    is_paid = False
    for breach in breaches:
        yield replace(breach, penalty=()) if is_paid else breach
        is_paid = is_paid or bool(breach.penalty)


_QUARTER, _HALF = 25, 50
_ADDITIONS: Mapping[Addition, tuple[str, str, int, str]] = {
    Addition.COMPLETE_RUN: (
        "Complete run",
        "escalera",
        _HALF,
        "Chows 123, 456 and 789 of one suit add a half",
    ),
    Addition.TWO_PAIR_WAIT: (
        "Two-pair wait",
        "back-to-back",
        _QUARTER,
        "A win that makes one of two pairs a pung adds a quarter",
    ),
    Addition.HARD_WAIT: (
        "Hard wait",
        "single",
        _QUARTER,
        "An edge, closed or pair wait adds a quarter",
    ),
    Addition.ALL_CHOWS: ("All chows", "all chows", _QUARTER, "Five chows add a quarter"),
    Addition.ALL_PUNGS: ("All pungs", "all pungs", _QUARTER, "Five pungs or kongs add a quarter"),
    Addition.CONCEALED: ("Concealed hand", "all down", _QUARTER, "No open meld adds a quarter"),
    Addition.ALL_OPEN: ("All open", "all up", _QUARTER, "Five open melds add a quarter"),
    Addition.FIVE_DISCARDS: (
        "Within five discards",
        "before the fifth",
        _QUARTER,
        "A win within the first five discards of the hand adds a quarter",
    ),
    Addition.ONE_SUIT: ("One suit", "flush", _HALF, "All tiles of one suit add a half"),
}


def _additions(case: Case, options: Options, hand: Hand, shape: Shape) -> list[Item]:
    """What is added to the base, each in hundredths of it."""
    found = []
    if not case.bonus:
        found.append(
            Item(
                id="no_flowers",
                name="No flowers",
                native="walang bulaklak",
                value=_QUARTER,
                unit="percent",
                why="The winner has set aside no bonus tile in this hand: a quarter is added.",
            )
        )
    if shape.seven_pairs:
        found.append(
            Item(
                id="seven_pairs",
                name="Seven pairs and a pung",
                native="siete pares",
                value=options.seven_pairs_bonus,
                unit="percent",
                why=f"Seven pairs and a pung add {options.seven_pairs_bonus} hundredths.",
            )
        )
    for addition in options.extra_additions:
        if _holds(addition, case, hand, shape):
            name, native, value, why = _ADDITIONS[addition]
            found.append(
                Item(
                    id=addition.value,
                    name=name,
                    native=native,
                    value=value,
                    unit="percent",
                    why=f"{why}.",
                )
            )
    return found


def _holds(addition: Addition, case: Case, hand: Hand, shape: Shape) -> bool:
    """House additions; of seven pairs only the suit and the time count, the rest is its form."""
    if addition is Addition.ONE_SUIT:
        return is_one_suit(hand)
    if addition is Addition.FIVE_DISCARDS:
        return _discards(case) <= 5
    if shape.seven_pairs:
        return False
    open_melds = sum(not meld.kind.is_concealed for meld in case.melds)
    match addition:
        case Addition.COMPLETE_RUN:
            return shape.has_run
        case Addition.TWO_PAIR_WAIT:
            return shape.wait is Wait.PUNG
        case Addition.HARD_WAIT:
            return shape.wait in (Wait.EDGE, Wait.CLOSED, Wait.PAIR)
        case Addition.ALL_CHOWS:
            return shape.pungs == 0
        case Addition.ALL_PUNGS:
            return shape.chows == 0
        case Addition.CONCEALED:
            return open_melds == 0
        case _:
            assert addition is Addition.ALL_OPEN
            return open_melds == 5


def is_one_suit(hand: Hand) -> bool:
    """All natural tiles are of one suit; jokers fit any."""
    return len({tile.suit for tile in hand.natural_faces}) == 1


def _discards(case: Case) -> int:
    named = case.extra.get("discards")
    if named is not None:
        if not isinstance(named, int) or isinstance(named, bool):
            raise CaseError(f"discards is a number, not {named!r}")
        return named
    if not case.ponds:
        return 99
    return sum(len(pond) for pond in case.ponds.values())


def _doublings(case: Case, options: Options, hand: Hand, shape: Shape) -> list[Item]:
    found = []

    def doubled(id: str, name: str, native: str, why: str) -> None:
        found.append(Item(id=id, name=name, native=native, value=1, unit="doubles", why=why))

    first = case.self_drawn and case.winner is case.dealer and Flag.FIRST_TURN in case.flags
    replaced = Flag.REPLACEMENT in case.flags
    if (
        options.dealer_first_draw
        and first
        and (options.dealer_first_draw_after_replacement or not replaced)
    ):
        doubled(
            "dealer_first_draw",
            "Dealer's first draw",
            "bunot ng mano",
            "The dealer won before the first discard and before any claim: doubled.",
        )
    if Special.ALL_PUNGS in options.special_double and not shape.seven_pairs and not shape.chows:
        doubled("all_pungs", "All pungs", "all pungs", "Pungs, kongs and the pair only: doubled.")
    if Special.ONE_SUIT in options.special_double and is_one_suit(hand):
        doubled("one_suit", "One suit", "flush", "All tiles are of one suit: doubled.")
    if options.dice_double and _dice_doubled(case, options):
        doubled("dice_double", "Dice double", "doble", "The deal throw showed equal dice: doubled.")
    return found


def _dice_doubled(case: Case, options: Options) -> bool:
    throws = case.extra.get("deal_dice")
    if throws is None:
        return False
    if (
        not isinstance(throws, Sequence)
        or isinstance(throws, str)
        or len(throws) != 2
        or not all(isinstance(pair, Sequence) and len(pair) == 2 for pair in throws)
    ):
        raise CaseError("deal_dice is two throws of two dice, as [[5, 4], [6, 5]]")
    doubles = [bool(pair[0] == pair[1]) for pair in throws]
    match options.dice_double_throw:
        case DiceThrow.FIRST:
            return doubles[0]
        case DiceThrow.SECOND:
            return doubles[1]
        case _:
            return any(doubles)


def _settled(case: Case, options: Options, hand: Hand, shape: Shape) -> Answer:
    """The answer for one reading: V = base with additions, P = V with doublings."""
    additions = _additions(case, options, hand, shape)
    doublings = _doublings(case, options, hand, shape)
    factor = Fraction(1)
    for item in additions:
        share = Fraction(item.value, 100)
        factor = (
            factor + share if options.combine_additions is Combine.SUM else factor * (1 + share)
        )
    value = _whole(options.base * factor)
    single = value * 2 ** len(doublings)
    base = Item(
        id="base",
        name="Base",
        native="base",
        value=options.base,
        unit="points",
        why="Every win is worth the base.",
    )
    payments = [*win_payments(case.winner, case.source, single, options)]
    if _thirteen_at_the_end(options):
        amount = options.base // 4
        if options.thirteen_flowers_amount is ThirteenAmount.QUARTER_PAYMENT:
            amount = _whole(Fraction(single, 4))
        for seat in seats(options.players):
            if len(_bonus_of(case, seat)) >= THIRTEEN:
                payments += thirteen_flowers(seat, options, amount)
    return Answer(
        ruleset="filipino",
        valid=True,
        items=(base, *additions, *doublings),
        totals={"points": single, "value": value, "doubles": len(doublings)},
        payments=tuple(payments),
        players=options.players,
    )


def _whole(amount: Fraction) -> int:
    """Whole points, a half rounded up: products of additions need not be whole."""
    return int(amount + Fraction(1, 2))


def win_payments(winner: Seat, source: Seat | None, single: int, options: Options) -> list[Payment]:
    """The discarder pays double, the others single; on a self-draw all pay double."""
    payments = []
    for step in range(1, options.players):
        seat = winner.after(step, options.players)
        if source is None:
            payments.append(Payment(seat, winner, 2 * single, "bunot: all pay double"))
        elif seat is source:
            payments.append(Payment(seat, winner, 2 * single, "the discarder pays double"))
        elif options.others_pay_on_discard is OthersPay.SINGLE:
            payments.append(Payment(seat, winner, single, "the others pay single"))
    return payments


def _bonus_of(case: Case, seat: Seat) -> tuple[Tile, ...]:
    if seat is case.winner:
        return case.bonus
    shown = case.others.get(seat)
    return () if shown is None else shown.bonus


def _thirteen_at_the_end(options: Options) -> bool:
    return (
        options.thirteen_flowers_time is ThirteenTime.END_OF_HAND
        or options.thirteen_flowers_amount is ThirteenAmount.QUARTER_PAYMENT
    )


def thirteen_flowers(seat: Seat, options: Options, amount: int | None = None) -> list[Payment]:
    """A quarter of the base from each other player for the thirteenth bonus tile."""
    each = options.base // 4 if amount is None else amount
    return [
        Payment(seat.after(step, options.players), seat, each, "thirteen flowers")
        for step in range(1, options.players)
    ]


def draw_payments(bonus_counts: Sequence[int], options: Options) -> list[Payment]:
    """What an exhausted wall costs: nothing but thirteen flowers that wait for the end."""
    payments: list[Payment] = []
    if (
        options.thirteen_flowers_time is ThirteenTime.END_OF_HAND
        and options.thirteen_flowers_amount is ThirteenAmount.QUARTER_BASE
    ):
        for seat in seats(options.players):
            if bonus_counts[seat] >= THIRTEEN:
                payments += thirteen_flowers(seat, options)
    return payments


def pays_thirteen_at_once(options: Options) -> bool:
    """Thirteen flowers are paid when the thirteenth is set aside."""
    return not _thirteen_at_the_end(options)


def no_flowers_at_deal(bonus_counts: Iterable[int], options: Options) -> list[Payment]:
    """A quarter of the base from each other player to who was dealt no bonus tile (option)."""
    payments = []
    for seat, number in zip(seats(options.players), bonus_counts, strict=True):
        if number == 0:
            for step in range(1, options.players):
                payer = seat.after(step, options.players)
                payments.append(Payment(payer, seat, options.base // 4, "no flowers at the deal"))
    return payments


_KONG_SHARES = {
    MeldKind.KONG: Fraction(1, 4),
    MeldKind.CONCEALED_KONG: Fraction(1, 2),
    MeldKind.ADDED_KONG: Fraction(1, 2),
}


def kong_payments(seat: Seat, kind: MeldKind, options: Options) -> list[Payment]:
    """Paid at once by each other player: a quarter for a claimed kong, a half for the others.

    An added kong is paid once it was not robbed.
    """
    if not options.kong_payments:
        return []
    each = int(options.base * _KONG_SHARES[kind])
    return [
        Payment(seat.after(step, options.players), seat, each, kind.value.replace("_", " "))
        for step in range(1, options.players)
    ]
