"""The dearest way to count a hand: every form, every reading, every place of the winning tile.

The five counting principles stand in three places: non-repeat is the book's ``excludes``, applied
here; non-separation is that one reading is counted at a time; account-once and non-identical are
`families.account_once`; high-versus-low is the search of this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Wind
from table_controller.rules.core.tiles import KIND_INDEX, Suit, Tile
from table_controller.rules.core.win import Form
from table_controller.rules.mcr import fans
from table_controller.rules.mcr.families import (
    EVEN,
    FIRST_HONOUR,
    FIVES,
    HONOURS,
    NOBODY,
    ORPHANS,
    SUITED,
    SetFans,
    chow_fans,
    concealed_pung_fans,
    kong_fans,
    pung_fans,
    tile_fans,
    way_fans,
)
from table_controller.rules.mcr.fans import BY_ID, FANS, FIELD_BITS, Fan
from table_controller.rules.mcr.options import (
    AllTypesSpecial,
    Counted,
    DealerInitialWait,
    ForcedTileHog,
    KnittedWait,
    NineGatesPung,
    Options,
    SpecialSelfDraw,
    TileHogHonors,
    WaitOwnFour,
)
from table_controller.rules.mcr.shapes import (
    FIRST,
    KNITTED,
    NINE_GATES,
    as_suits,
    completing,
    is_complete,
    seven_pairs_wait,
    standard_waits,
    suit_part,
)

_FIELD = (1 << FIELD_BITS) - 1
PLAYERS = 4


# --- What a multiset of fans is worth ----------------------------------------------------------


class CountedFans(NamedTuple):
    """Fans that are counted together, in the book's order, and their worth without flowers."""

    value: int
    fans: tuple[tuple[Fan, int], ...]  # with how often each is counted
    order: tuple[int, ...]  # places in the book, repeated: of equal worth the smallest is taken


class Book:
    """The fans as one table plays them: worths and exclusions of an options value."""

    def __init__(self, options: Options) -> None:
        self.values = [fan.value for fan in FANS]
        self.values[fans.MELDED_AND_CONCEALED_KONG.place] = options.mixed_kongs
        self.values[fans.TWO_CONCEALED_KONGS.place] = options.two_concealed_kongs
        excludes = [set(fan.excludes) for fan in FANS]
        if options.all_green_half_flush is Counted.EXCLUDE:
            excludes[fans.ALL_GREEN.place].add(fans.HALF_FLUSH.id)
        if options.all_terminals_double_pung is Counted.EXCLUDE:
            excludes[fans.ALL_TERMINALS.place].add(fans.DOUBLE_PUNG.id)
        if options.nine_gates_pung is NineGatesPung.NONE:
            excludes[fans.NINE_GATES.place].add(fans.PUNG_OF_TERMINALS_OR_HONORS.id)
        self.keeps = [
            ~sum(BY_ID[other].one * _FIELD for other in excluded) for excluded in excludes
        ]
        self.special_self_drawn = options.special_self_draw is SpecialSelfDraw.SELF_DRAWN
        self.count = lru_cache(maxsize=1 << 16)(self._count)

    def _count(self, found: int) -> CountedFans:
        """What is counted of the fans that hold."""
        if self.special_self_drawn and found & _SPECIAL_CONCEALED:
            found &= ~(fans.FULLY_CONCEALED_HAND.one * _FIELD)
        if found & fans.NINE_GATES.one and found & _TERMINAL_PUNGS:
            found -= fans.PUNG_OF_TERMINALS_OR_HONORS.one
        kept = found
        for place, _ in _fields(found):
            kept &= self.keeps[place]
        counted = _fields(kept) or [(fans.CHICKEN_HAND.place, 1)]
        values = self.values
        return CountedFans(
            sum([values[place] * number for place, number in counted]),
            tuple([(FANS[place], number) for place, number in counted]),
            tuple([place for place, number in counted for _ in range(number)]),
        )


_SPECIAL_CONCEALED = sum(
    fan.one
    for fan in (
        fans.NINE_GATES,
        fans.SEVEN_SHIFTED_PAIRS,
        fans.THIRTEEN_ORPHANS,
        fans.FOUR_CONCEALED_PUNGS,
        fans.SEVEN_PAIRS,
        fans.GREATER_HONORS_AND_KNITTED_TILES,
        fans.LESSER_HONORS_AND_KNITTED_TILES,
    )
)
_TERMINAL_PUNGS = fans.PUNG_OF_TERMINALS_OR_HONORS.one * _FIELD


def _fields(found: int) -> list[tuple[int, int]]:
    """The places in the book that occur, with how often."""
    fields = []
    while found:
        place = ((found & -found).bit_length() - 1) // FIELD_BITS
        number = found >> FIELD_BITS * place & _FIELD
        fields.append((place, number))
        found -= number << FIELD_BITS * place
    return fields


@lru_cache(maxsize=64)
def book(options: Options) -> Book:
    """The book of an options value."""
    return Book(options)


# --- The hand ----------------------------------------------------------------------------------


class Reading(NamedTuple):
    """How the dearest count reads the hand."""

    form: Form
    chows: tuple[int, ...]  # concealed ones, by their lowest kind
    pungs: tuple[int, ...]  # concealed ones
    pair: int
    wait: int  # the multiset with the wait fan it scores, 0 for none
    knitted: int = 0  # the mask of the knitted set in it
    concealed_pungs: int = 0  # kongs included


class Count(NamedTuple):
    """The dearest count of a hand, flowers aside."""

    counted: CountedFans
    reading: Reading

    @property
    def value(self) -> int:
        """Its worth without flowers."""
        return self.counted.value


BASE = {Suit.CHARACTERS: -1, Suit.CIRCLES: 8, Suit.BAMBOOS: 17, Suit.HONOURS: 26}
"""Added to a rank: the index of the kind."""

_WIND_KIND = {wind: KIND_INDEX[wind.tile] for wind in Wind}


class Hand:
    """A complete hand, taken apart for counting."""

    __slots__ = (
        "_sole_wait",
        "all_mask",
        "chows",
        "concealed_kongs",
        "counts",
        "first_deal",
        "held",
        "mask",
        "melded_kongs",
        "melds",
        "options",
        "parts",
        "pungs",
        "round_wind",
        "seat_wind",
        "self_drawn",
        "suits",
        "win",
    )

    def __init__(self, case: Case, options: Options) -> None:
        counts = [0] * 34
        for tile in case.hand:
            counts[BASE[tile.suit] + tile.rank] += 1
        winning = case.winning_tile
        self.win = win = BASE[winning.suit] + winning.rank
        counts[win] += 1
        self.counts = counts
        self.suits = suits = as_suits(counts)
        self.parts = parts = (
            suit_part(0, suits[0]),
            suit_part(1, suits[1]),
            suit_part(2, suits[2]),
            suit_part(3, suits[3]),
        )
        self.mask = self.all_mask = parts[0].mask | parts[1].mask | parts[2].mask | parts[3].mask
        self.options = options
        self.self_drawn = case.source is None
        self.melds = len(case.melds)
        self.held = counts  # kongs left out: what a Tile Hog looks at
        self.chows: tuple[int, ...] = ()
        self.pungs: tuple[int, ...] = ()
        self.melded_kongs = self.concealed_kongs = 0
        if case.melds:
            self._lay(case)
        if case.seat_winds is None:
            self.seat_wind = FIRST_HONOUR + (case.winner - case.dealer) % PLAYERS
        else:
            self.seat_wind = _WIND_KIND[case.seat_winds[case.winner]]
        self.round_wind = _WIND_KIND[case.round_wind]
        self.first_deal = Flag.FIRST_TURN in case.flags and is_dealt_win(case)
        self._sole_wait: bool | None = None

    def _lay(self, case: Case) -> None:
        """The melds."""
        self.held = held = self.counts.copy()
        for meld in case.melds:
            first = meld.tiles[0]
            kind = BASE[first.suit] + first.rank
            if meld.kind is MeldKind.CHOW:
                low = min(kind, kind + meld.tiles[1].rank - first.rank)
                low = min(low, kind + meld.tiles[2].rank - first.rank)
                self.chows += (low,)
                held[low] += 1
                held[low + 1] += 1
                held[low + 2] += 1
                self.all_mask |= 7 << low
                continue
            self.pungs += (kind,)
            self.all_mask |= 1 << kind
            if meld.kind is MeldKind.PUNG:
                held[kind] += 3
            elif meld.kind is MeldKind.CONCEALED_KONG:
                self.concealed_kongs += 1
            else:
                self.melded_kongs += 1

    @property
    def kongs(self) -> int:
        """How many kongs are declared."""
        return self.melded_kongs + self.concealed_kongs

    def less_own_four(self, waits: int) -> int:
        """The waits, less those held four times where such tiles are no waits."""
        if self.options.wait_own_four is WaitOwnFour.IS_A_WAIT or waits.bit_count() <= 1:
            return waits
        for kind, number in enumerate(self.held):
            is_kong = number == 0 and kind in self.pungs
            if (number == 4 or is_kong) and kind != self.win:
                waits &= ~(1 << kind)
        return waits

    def waits_for_one(self) -> bool:
        """Before the winning tile, the hand in its standard reading waited for that tile alone."""
        if self._sole_wait is None:
            self._sole_wait = self.less_own_four(self._waits()).bit_count() == 1
        return self._sole_wait

    def _waits(self) -> int:
        """The kinds that complete the hand without its winning tile; it is complete with it."""
        suit = min(self.win // 9, 3)
        before = list(self.suits[suit])
        before[self.win - FIRST[suit]] -= 1
        counts = tuple(before)
        found = completing(suit, counts)
        if not self.parts[suit].pairs and is_complete(suit, counts):
            # A suit with a pair stands on each side: the tile that makes either one sets will do.
            other = next(other for other in range(4) if self.parts[other].pairs)
            found |= completing(other, self.suits[other])
        if not self.melds and sum(part.odd for part in self.parts) <= 2:
            self.counts[self.win] -= 1
            found |= seven_pairs_wait(self.counts)
            self.counts[self.win] += 1
        return found


def is_dealt_win(case: Case) -> bool:
    """The dealer won with the fourteen tiles dealt."""
    return case.source is None and case.winner is case.dealer and not case.melds


# --- The search --------------------------------------------------------------------------------

Way = tuple[int, Reading]
"""A multiset of the fans that hold, and the reading they come from."""


def best_count(case: Case, options: Options) -> Count | None:
    """The dearest count of a hand, or None when it is not complete."""
    hand = Hand(case, options)
    count = book(options).count
    base = tile_fans(hand.all_mask) + kong_fans(hand.melded_kongs, hand.concealed_kongs)
    won = 0  # how it was won: asked only once the hand is known to be complete
    best: CountedFans | None = None
    reading: Reading | None = None
    for found, read in _ways(hand, base):
        if best is None:
            open_melds = hand.melds - hand.concealed_kongs
            won = way_fans(case.flags, hand.self_drawn, open_melds, last_of_kind(case, hand))
        counted = count(found + won)
        if (
            best is None
            or counted.value > best.value
            or (counted.value == best.value and counted.order < best.order)
        ):
            best, reading = counted, read
    return None if best is None or reading is None else Count(best, reading)


def last_of_kind(case: Case, hand: Hand) -> bool:
    """The other three copies of the winning tile are visible to all: in ponds and open melds."""
    told = case.says("last_of_kind")
    if told is not None:
        return told
    if hand.counts[hand.win] > 1:
        return False  # another copy stands in the hand
    visible = hand.held[hand.win] - 1
    if visible == 3 or not (case.ponds or case.others):
        return visible == 3
    return visible + _visible_elsewhere(case) >= 3


def _visible_elsewhere(case: Case) -> int:
    """Copies of the winning tile in ponds and in the others' open melds; a called one lies in the
    meld, and the tile that is just being won on is not counted."""
    win = case.winning_tile.face
    others = [shown.melds for shown in case.others.values()]
    melded = [meld for melds in others for meld in melds if not meld.kind.is_concealed]
    found = sum(meld.faces.count(win) for meld in melded)
    called = sum(_was_called(case, meld, win) for meld in (*melded, *case.melds))
    found += sum(tile.face == win for pond in case.ponds.values() for tile in pond) - called
    if case.source is not None and Flag.ROBBING_KONG not in case.flags:
        pond = case.pond(case.source)
        found -= bool(pond) and pond[-1].face == win
    return found


def _was_called(case: Case, meld: Meld, win: Tile) -> bool:
    """A copy of the tile in the meld also stands in the pond that it was called from."""
    if meld.source is None or win not in meld.faces:
        return False
    if meld.called is not None:
        return meld.called.face == win
    # Which tile of a chow was called is not told: it was this one if that pond holds it.
    return any(tile.face == win for tile in case.pond(meld.source))


def _ways(hand: Hand, base: int) -> Iterator[Way]:
    """Every way to count the hand, what the fans contain of each other left in."""
    parts = hand.parts
    if parts[0].pairs + parts[1].pairs + parts[2].pairs + parts[3].pairs == 1:
        yield from _standard(hand, base)
    if hand.melds <= 1:
        if not hand.melds:
            yield from _special(hand, base)
        for knitted in KNITTED:
            if hand.mask & knitted == knitted:
                yield from _knitted_straight(hand, base, knitted)


def _standard(hand: Hand, base: int) -> Iterator[Way]:
    """Four sets and a pair, for every split and every place of the winning tile."""
    base += hand.held[:FIRST_HONOUR].count(4) * _TILE_HOG
    if not hand.melds and base & _FULL_FLUSH and _is_nine_gates(hand):
        base += fans.NINE_GATES.one
    first, second, third, last = hand.parts
    for one in first.splits:
        for two in second.splits:
            for three in third.splits:
                for four in last.splits:
                    chows = one.chows + two.chows + three.chows
                    pungs = one.pungs + two.pungs + three.pungs + four.pungs
                    pair = one.pair + two.pair + three.pair + four.pair - 1
                    found = base + _sets(
                        hand, _sorted(hand.chows, chows), _sorted(hand.pungs, pungs), pair
                    )
                    concealed = len(pungs) + hand.concealed_kongs
                    for wait, loses_pung in _places(hand, chows, pungs, pair):
                        number = concealed - loses_pung
                        yield (
                            found
                            + wait
                            + concealed_pung_fans(number, hand.concealed_kongs, hand.melded_kongs),
                            Reading(Form.STANDARD, chows, pungs, pair, wait, 0, number),
                        )


def _sorted(melded: tuple[int, ...], concealed: tuple[int, ...]) -> tuple[int, ...]:
    """All sets in order; splits come in order."""
    return tuple(sorted(melded + concealed)) if melded else concealed


_TILE_HOG, _FULL_FLUSH = fans.TILE_HOG.one, fans.FULL_FLUSH.one
_ALL_CHOWS, _ALL_PUNGS = fans.ALL_CHOWS.one, fans.ALL_PUNGS.one
_EDGE, _CLOSED, _SINGLE = fans.EDGE_WAIT.one, fans.CLOSED_WAIT.one, fans.SINGLE_WAIT.one


def _sets(hand: Hand, chows: tuple[int, ...], pungs: tuple[int, ...], pair: int) -> int:
    """The fans of four sets and the pair."""
    of_chows = chow_fans(chows, pair if pair in FIVES else NOBODY)
    of_pungs = _pungs(hand, pungs, pair)
    found = of_chows.found + of_pungs.found
    if not pungs:
        if pair < FIRST_HONOUR:
            found += _ALL_CHOWS
    elif not chows:
        found += _ALL_PUNGS
        if not hand.all_mask & ~EVEN:
            found += fans.ALL_EVEN_PUNGS.one
    if of_chows.all_have_five and of_pungs.all_have_five and pair in FIVES:
        found += fans.ALL_FIVES.one
    if of_chows.all_are_outside and of_pungs.all_are_outside and ORPHANS >> pair & 1:
        found += fans.OUTSIDE_HAND.one
    return found


def _pungs(hand: Hand, pungs: tuple[int, ...], pair: int) -> SetFans:
    """The fans of the pungs, asked so that what cannot matter does not make a new question."""
    if not pungs or pungs[-1] < FIRST_HONOUR:
        return pung_fans(pungs, NOBODY, NOBODY, NOBODY)
    return pung_fans(
        pungs, pair if pair >= FIRST_HONOUR else NOBODY, hand.seat_wind, hand.round_wind
    )


def _places(
    hand: Hand, chows: tuple[int, ...], pungs: tuple[int, ...], pair: int
) -> set[tuple[int, bool]]:
    """The places the winning tile can have: the wait fan, and whether it opens a pung."""
    win = hand.win
    found = set()
    if pair == win:
        found.add((_SINGLE, False))
    for low in chows:
        if low <= win <= low + 2:
            found.add((_chow_wait(low, win), False))
    if win in pungs:
        found.add((0, not hand.self_drawn))
    if any(wait for wait, _ in found) and not _scores_wait(hand, found):
        return {(0, loses_pung) for _, loses_pung in found}
    return found


def _chow_wait(low: int, win: int) -> int:
    if win == low + 1:
        return _CLOSED
    rank = low % 9
    return _EDGE if (rank == 0 and win == low + 2) or (rank == 6 and win == low) else 0


def _scores_wait(hand: Hand, places: set[tuple[int, bool]]) -> bool:
    """The wait fans of these places count: the hand waited for this tile alone."""
    if hand.first_deal and hand.options.dealer_initial_wait is DealerInitialWait.NONE:
        return False
    combined = hand.options.wait_combined_shapes is Counted.EXCLUDE
    if combined and len(places) > 1:
        return False
    return hand.waits_for_one()


def _is_nine_gates(hand: Hand) -> bool:
    suit = hand.win // 9
    before = list(hand.suits[suit])
    before[hand.win % 9] -= 1
    return tuple(before) == NINE_GATES


def _special(hand: Hand, base: int) -> Iterator[Way]:
    """Seven pairs, thirteen orphans, and honours with knitted tiles: nothing may be melded."""
    first, second, third, last = hand.parts
    if not (first.odd or second.odd or third.odd or last.odd):
        yield (_seven_pairs(hand, base), Reading(Form.SEVEN_PAIRS, (), (), NOBODY, 0, 0, 0))
    if hand.mask == ORPHANS:
        yield (
            base + fans.THIRTEEN_ORPHANS.one,
            Reading(Form.THIRTEEN_ORPHANS, (), (), NOBODY, 0, 0, 0),
        )
    elif hand.mask.bit_count() == 14:
        honours = (hand.mask & HONOURS).bit_count()
        for knitted in KNITTED:
            if honours >= 5 and not hand.mask & SUITED & ~knitted:
                yield (
                    base + _honours_and_knitted(honours),
                    Reading(Form.SPECIAL, (), (), NOBODY, 0, knitted, 0),
                )


def _honours_and_knitted(honours: int) -> int:
    if honours == 7:
        return fans.GREATER_HONORS_AND_KNITTED_TILES.one
    whole = fans.KNITTED_STRAIGHT.one if honours == 5 else 0
    return fans.LESSER_HONORS_AND_KNITTED_TILES.one + whole


def _seven_pairs(hand: Hand, base: int) -> int:
    options = hand.options
    found = base + fans.SEVEN_PAIRS.one
    is_forced = base & (fans.ALL_GREEN.one | fans.ALL_TERMINALS.one)
    if not is_forced or options.forced_tile_hog is ForcedTileHog.COUNT:
        honours_too = options.tile_hog_honors is TileHogHonors.ALL
        held = hand.counts if honours_too else hand.counts[:FIRST_HONOUR]
        found += held.count(4) * _TILE_HOG
    if base & _FULL_FLUSH and hand.mask.bit_count() == 7:
        lowest = hand.mask & -hand.mask
        if hand.mask == lowest * 0b1111111:
            found += fans.SEVEN_SHIFTED_PAIRS.one
    if options.all_types_special is AllTypesSpecial.STANDARD_ONLY:
        found &= ~fans.ALL_TYPES.one
    return found


def _knitted_straight(hand: Hand, base: int, knitted: int) -> Iterator[Way]:
    """The nine tiles of a knitted set with one set, which may be melded, and a pair."""
    rest = [number - (knitted >> kind & 1) for kind, number in enumerate(hand.counts)]
    parts = [suit_part(suit, counts) for suit, counts in enumerate(as_suits(rest))]
    if sum(part.pairs for part in parts) != 1 or not all(part.splits for part in parts):
        return
    options = hand.options
    base += fans.KNITTED_STRAIGHT.one + hand.held[:FIRST_HONOUR].count(4) * _TILE_HOG
    if options.all_types_special is AllTypesSpecial.STANDARD_ONLY:
        base &= ~fans.ALL_TYPES.one
    for one in parts[0].splits:
        for two in parts[1].splits:
            for three in parts[2].splits:
                for four in parts[3].splits:
                    chows = one.chows + two.chows + three.chows
                    pungs = one.pungs + two.pungs + three.pungs + four.pungs
                    pair = one.pair + two.pair + three.pair + four.pair - 1
                    of_pungs = _pungs(hand, hand.pungs + pungs, pair)
                    found = base + of_pungs.found
                    if not hand.pungs and not pungs and pair < FIRST_HONOUR:
                        found += _ALL_CHOWS
                    for wait, loses_pung in _knitted_places(
                        hand, rest, knitted, chows, pungs, pair
                    ):
                        number = len(pungs) - loses_pung + hand.concealed_kongs
                        yield (
                            found + wait,
                            Reading(Form.SPECIAL, chows, pungs, pair, wait, knitted, number),
                        )


def _knitted_places(
    hand: Hand,
    rest: list[int],
    knitted: int,
    chows: tuple[int, ...],
    pungs: tuple[int, ...],
    pair: int,
) -> set[tuple[int, bool]]:
    """As `_places` for a knitted straight: a win on a knitted tile has no wait fan."""
    win = hand.win
    found = {(0, False)} if knitted >> win & 1 else set()
    if pair == win:
        found.add((_SINGLE, False))
    for low in chows:
        if low <= win <= low + 2:
            found.add((_chow_wait(low, win), False))
    if win in pungs:
        found.add((0, not hand.self_drawn))
    allowed = {
        KnittedWait.ALL: (_EDGE, _CLOSED, _SINGLE),
        KnittedWait.SINGLE_ONLY: (_SINGLE,),
        KnittedWait.NONE: (),
    }[hand.options.knitted_wait]
    if rest[win] and any(wait in allowed for wait, _ in found):
        before = rest.copy()
        before[win] -= 1
        sole = hand.less_own_four(standard_waits(as_suits(before))).bit_count() == 1
        if sole and not hand.first_deal:
            return {(wait if wait in allowed else 0, loses) for wait, loses in found}
    return {(0, loses) for _, loses in found}
