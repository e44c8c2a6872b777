"""From a complete hand to han, fu and base points, for one set of options.

A `Scorer` is prepared once for each options value. It remembers what each word of sums and each
way of winning are worth, so every predicate of `yaku` runs once for each kind of hand, not once
for each hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.patterns import Pattern
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import KIND_INDEX, KINDS, Tile, format_tiles
from table_controller.rules.riichi import fu as fu_rules
from table_controller.rules.riichi import yaku as yaku_rules
from table_controller.rules.riichi.options import Kazoe, Renhou, RiichiOptions
from table_controller.rules.riichi.payments import WinTerms, liable_part, win_payments
from table_controller.rules.riichi.reading import (
    CALLED_MASK,
    KIND_BITS,
    MORE_THAN_FOUR,
    RED_SHIFT,
    REPLACEMENT,
    SELF_DRAWN,
    THREE_EACH,
    TILE_CODES,
    Found,
    Part,
    Reader,
    Reading,
    Winds,
    code_of,
    unpack,
)
from table_controller.rules.riichi.sanma_options import NorthRule, SanmaOptions
from table_controller.rules.riichi.yaku import Luck

W = TypeVar("W")


class Limit(StrEnum):
    """The steps above which fu do not count."""

    MANGAN = "mangan"
    HANEMAN = "haneman"
    BAIMAN = "baiman"
    SANBAIMAN = "sanbaiman"
    YAKUMAN = "yakuman"
    COUNTED_YAKUMAN = "counted_yakuman"


LIMIT_BASE = {
    Limit.MANGAN: 2000,
    Limit.HANEMAN: 3000,
    Limit.BAIMAN: 4000,
    Limit.SANBAIMAN: 6000,
    Limit.YAKUMAN: 8000,
    Limit.COUNTED_YAKUMAN: 8000,
}
_score = tuple.__new__  # what `Score(...)` does, without its detour through keyword arguments
_CODE_OF = TILE_CODES.__getitem__


class _Shifts(dict[Tile, int]):
    """Where the number of a tile stands in a hand's code; a flower's nowhere."""

    def __missing__(self, tile: Tile) -> int:
        return RED_SHIFT + 4 * KIND_BITS


_SHIFT_OF = _Shifts({tile: KIND_BITS * index for tile, index in KIND_INDEX.items()})
_ROUNDS = {wind: place for place, wind in enumerate(Wind)}
_NOT_IN_SANMA = range(1, 8)
_ROUNDED_UP_BASE = 1920  # 4 han 30 fu and 3 han 60 fu


def base_points(han: int, fu: int, options: RiichiOptions) -> tuple[int, Limit | None]:
    """The base points of a hand without yakuman, and the limit that it reached."""
    if han >= 13:
        counted = options.kazoe is Kazoe.YAKUMAN
        limit = Limit.COUNTED_YAKUMAN if counted else Limit.SANBAIMAN
    elif han >= 11:
        limit = Limit.SANBAIMAN
    elif han >= 8:
        limit = Limit.BAIMAN
    elif han >= 6:
        limit = Limit.HANEMAN
    else:
        base = fu * 2 ** (2 + han)
        rounds_up = options.kiriage and base == _ROUNDED_UP_BASE
        if han < 5 and base < LIMIT_BASE[Limit.MANGAN] and not rounds_up:
            return base, None
        limit = Limit.MANGAN
    return LIMIT_BASE[limit], limit


class Shape(NamedTuple):
    """What one kind of reading is worth, dora and luck apart."""

    han: int
    fu: int
    yakuman: int
    patterns: tuple[Pattern[Reading], ...]


class Lucky(NamedTuple):
    """What one way of winning is worth."""

    han: int
    yakuman: int
    is_riichi: bool
    is_mangan: bool  # a hand of man that is paid as mangan
    replaced: bool  # won by a replacement tile
    patterns: tuple[Pattern[Luck], ...]


class Score(NamedTuple):
    """The dearest reading of a hand: what counted, and the base points that follow."""

    word: int  # of the reading
    parts: tuple[Part, ...]  # of the reading, by suit; none for pairs and orphans
    shape: Shape
    luck: Lucky
    han: int  # with dora
    dora: int
    ura: int
    reds: int
    norths: int  # han of the tiles set aside
    base: int
    limit: Limit | None
    payments: tuple[Payment, ...]

    @property
    def fu(self) -> int:
        """Fu, rounded."""
        return self.shape.fu

    @property
    def yakuman(self) -> int:
        """How many yakuman are paid."""
        return self.base // LIMIT_BASE[Limit.YAKUMAN] if self.limit is Limit.YAKUMAN else 0

    @property
    def has_yaku(self) -> bool:
        """Something besides dora counted."""
        return bool(self.shape.patterns or self.luck.patterns)


def reading_fu(hand: Reading, options: RiichiOptions) -> int:
    """Fu of a reading, rounded up to tens where that applies."""
    if hand.is_seven_pairs:
        return fu_rules.SEVEN_PAIRS_FU
    if isinstance(options, SanmaOptions) and options.fixed_fu:
        return options.fixed_fu
    return max(
        fu_rules.round_up(sum(fu for _, fu in fu_parts(hand, options))),
        30 if not hand.self_drawn else 20,
    )


def fu_parts(hand: Reading, options: RiichiOptions) -> list[tuple[str, int]]:
    """What a reading's fu are made of, the sets as one part."""
    if isinstance(options, SanmaOptions) and options.fixed_fu:
        return [("fixed", options.fixed_fu)]
    parts = [("base", fu_rules.BASE_FU)]
    if hand.self_drawn:
        is_pinfu = hand.is_concealed and yaku_rules.pinfu(hand)
        tsumo = options.rinshan_tsumo_fu if hand.replacement else fu_rules.SELF_DRAW_FU
        if not is_pinfu and tsumo:
            parts.append(("self_draw", tsumo))
    elif hand.is_concealed:
        parts.append(("concealed_ron", fu_rules.CONCEALED_RON_FU))
    if hand.waited in fu_rules.NARROW_WAITS:
        parts.append(("wait", fu_rules.WAIT_FU))
    if hand.pair_values:
        both = hand.pair_values == 2
        parts.append(("pair", options.double_wind_pair_fu if both else fu_rules.PAIR_FU))
    if hand.set_fu:
        parts.append(("sets", 2 * hand.set_fu))
    return parts


_Chosen = tuple[int, tuple[Part, ...], Shape, Lucky, int, int, int, int, int, int, Limit | None]
"""The fields of a `Score` up to its payments."""


class Scorer:
    """Scores hands by one set of options."""

    def __init__(self, options: RiichiOptions, players: int) -> None:
        self.options, self.players = options, players
        self._shapes = (_ShapeTable(self, 0), _ShapeTable(self, REPLACEMENT))
        self._lucks = _LuckTable(self)
        self._bases = _BaseTable(options)
        north = -1
        if isinstance(options, SanmaOptions) and options.north_rule is NorthRule.COMMON_YAKUHAI:
            north = 3
        self._readers = {
            wind: [Reader(Winds(seat, place, north)) for seat in range(players)]
            for place, wind in enumerate(Wind)
        }
        self._payments: dict[
            tuple[int, Seat, Seat | None, Seat, int, int], tuple[Payment, ...]
        ] = {}
        # Added to a hand's code, these bits make a fifth tile or a red five too many overflow.
        self._bias, self._overflow = THREE_EACH, MORE_THAN_FOUR
        for suit, allowed in enumerate(options.red_fives):
            self._bias += 7 - allowed << RED_SHIFT + KIND_BITS * suit
            self._overflow += 8 << RED_SHIFT + KIND_BITS * suit
        if players == 3:  # no 2 to 8 of characters: a single one overflows
            self._bias += sum(4 << KIND_BITS * index for index in _NOT_IN_SANMA)

    def score(self, case: Case) -> Score | None:
        """The dearest reading of the hand, or None when it is not complete.

        Raises CaseError when the tiles cannot be a hand.
        """
        winning, melds = case.winning_tile, case.melds
        self_drawn = case.source is None
        if case.seat_winds is None:
            wind = (case.winner - case.dealer) % self.players
        else:
            wind = _ROUNDS[case.seat_winds[case.winner]]
        reader = self._readers[case.round_wind][wind]
        code = everything = sum(map(_CODE_OF, case.hand), TILE_CODES[winning])
        base, sets = SELF_DRAWN if self_drawn else 0, 0
        for meld in melds:
            part = reader.melds[meld.kind, meld.tiles]
            base += part[0]
            sets |= part[1]
            everything += part[2]
        if len(case.hand) + 3 * len(melds) != 13 or case.bonus:
            everything += self._checked_bonus(case)
        if (everything + self._bias) & self._overflow:
            self._refuse(everything)
        found = reader.readings(code, winning, base, sets, self_drawn, bool(melds))
        if not found:
            return None
        # What luck depends on besides the flags, a bit each: self-drawn, dealer, concealed, melds.
        how = (1 if self_drawn else 0) | (0 if wind else 2)
        how |= (8 if base & CALLED_MASK else 12) if melds else 4
        luck = self._lucks[case.flags, how]
        dora = ura = 0
        for tile in case.dora:
            dora += everything >> _SHIFT_OF[tile] & 15
        if luck.is_riichi and self.options.ura_dora:
            for tile in case.ura:
                ura += everything >> _SHIFT_OF[tile] & 15
        reds = everything >> RED_SHIFT
        if reds:
            reds = (reds & 15) + (reds >> 4 & 15) + (reds >> 8)
        norths = self._set_aside_han(case) if case.bonus else 0
        more = luck.han + dora + ura + reds + norths
        shapes, bases = self._shapes[luck.replaced], self._bases
        best = -1
        for packed, parts in found:
            shape = shapes[packed]
            own_han, fu, yakuman, _ = shape
            if yakuman or luck.yakuman:
                return self._yakuman(case, found, luck)
            han = own_han + more
            points, limit = bases[han, fu]
            worth = (points << 10 | han) << 10 | fu
            if worth > best:
                best = worth
                chosen = packed, parts, shape, luck, han, dora, ura, reds, norths, points, limit
        if luck.is_mangan:
            return self._man(case, chosen)
        key = (chosen[9], case.winner, case.source, case.dealer, case.counters, case.deposits)
        payments = self._payments.get(key)
        if payments is None:
            payments = self._pay(case, key)
        return _score(Score, (*chosen, payments))

    def _pay(
        self,
        case: Case,
        key: tuple[int, Seat, Seat | None, Seat, int, int],
        liable: Seat | None = None,
        liable_base: int = 0,
    ) -> tuple[Payment, ...]:
        """Who pays whom for a win that is worth ``key[0]`` base points."""
        terms = WinTerms(
            winner=case.winner,
            source=case.source,
            dealer=case.dealer,
            base=key[0],
            counters=case.counters,
            deposits=case.deposits,
            liable=liable,
            liable_base=liable_base,
        )
        payments = win_payments(terms, self.options, self.players)
        if liable is None:
            if len(self._payments) > 20_000:
                self._payments.clear()
            self._payments[key] = payments
        return payments

    def _key(self, case: Case, base: int) -> tuple[int, Seat, Seat | None, Seat, int, int]:
        return (base, case.winner, case.source, case.dealer, case.counters, case.deposits)

    def _yakuman(self, case: Case, found: Sequence[Found], luck: Lucky) -> Score:
        """A yakuman hand: nothing but yakuman counts, and somebody may be liable for it."""
        best: tuple[int, int, tuple[Part, ...], Shape] | None = None
        for packed, parts in found:
            shape = self._shapes[luck.replaced][packed]
            number = shape.yakuman + luck.yakuman
            if number and not self.options.yakuman_stacking:
                counted: list[Pattern[Reading] | Pattern[Luck]] = []
                counted += shape.patterns if shape.yakuman else ()
                counted += luck.patterns if luck.yakuman else ()
                number = max(self.worth(one) for one in counted)
            if best is None or number > best[0]:
                best = number, packed, parts, shape
        assert best is not None
        number, packed, parts, shape = best
        if not shape.yakuman:
            shape = shape._replace(patterns=())
        if not luck.yakuman:
            luck = luck._replace(patterns=())
        base = number * LIMIT_BASE[Limit.YAKUMAN]
        worth = [(pattern.id, self.worth(pattern)) for pattern in shape.patterns]
        added_last = case.extra.get("added_last") is True
        liable, liable_base = liable_part(
            case.melds, worth, base, self.options, added_last=added_last
        )
        named = case.extra.get("liable")
        if isinstance(named, int) and liable is None:
            liable, liable_base = Seat(named), base
        payments = self._pay(case, self._key(case, base), liable, liable_base)
        return Score(packed, parts, shape, luck, 0, 0, 0, 0, 0, base, Limit.YAKUMAN, payments)

    def _man(self, case: Case, chosen: _Chosen) -> Score:
        """A hand of man paid as mangan, unless the hand itself is worth more."""
        packed, parts, shape, luck, han, dora, ura, reds, norths, base, limit = chosen
        man = tuple(pattern for pattern in luck.patterns if pattern.id == "renhou")
        others = tuple(pattern for pattern in luck.patterns if pattern.id != "renhou")
        if base > LIMIT_BASE[Limit.MANGAN] and (shape.patterns or others):
            luck = luck._replace(patterns=others)
            payments = self._pay(case, self._key(case, base))
            return Score(
                packed, parts, shape, luck, han, dora, ura, reds, norths, base, limit, payments
            )
        base = LIMIT_BASE[Limit.MANGAN]
        payments = self._pay(case, self._key(case, base))
        shape, luck = shape._replace(patterns=()), luck._replace(patterns=man)
        return Score(packed, parts, shape, luck, 5, 0, 0, 0, 0, base, Limit.MANGAN, payments)

    def _checked_bonus(self, case: Case) -> int:
        """The tiles set aside; CaseError for a wrong number of tiles or a wrong tile set aside."""
        number = len(case.hand) + 3 * len(case.melds)
        if number != 13:
            raise CaseError(
                f"{len(case.hand)} tiles in the hand and {len(case.melds)} melds make {number} of "
                "the 13 that a hand has without the winning tile (a kong counts three)"
            )
        norths = [tile for tile in case.bonus if not tile.is_bonus]
        if self.players != 3 or any(str(tile) != "4z" for tile in norths):
            raise CaseError(
                f"{format_tiles(case.bonus)} set aside: only norths are, with three players"
            )
        return code_of(norths)

    def _set_aside_han(self, case: Case) -> int:
        """What the table counts for each north, a han for each flower, and one for each indicator
        that points at it."""
        assert isinstance(self.options, SanmaOptions)
        flowers = [tile for tile in case.bonus if tile.is_bonus]
        norths = len(case.bonus) - len(flowers)
        shown = sum(case.dora.count(tile) for tile in flowers)
        return norths * self.options.north_han + len(flowers) + shown

    def _refuse(self, everything: int) -> None:
        """Raises CaseError: a kind occurs five times, or there are too many red fives."""
        for tile, index in KIND_INDEX.items():
            if everything >> KIND_BITS * index & 15 > 4:
                raise CaseError(f"five equal tiles: {tile} occurs more than four times")
        if self.players == 3:
            for index in _NOT_IN_SANMA:
                if everything >> KIND_BITS * index & 15:
                    raise CaseError(f"{KINDS[index]} is not played with three players")
        for suit, allowed in enumerate(self.options.red_fives):
            number = everything >> RED_SHIFT + KIND_BITS * suit & 15
            if number > allowed:
                raise CaseError(
                    f"{number} red fives 0{'mps'[suit]} are named, this table plays with "
                    f"{allowed}: see the option red_fives"
                )

    def shape(self, packed: int) -> Shape:
        """What readings with these sums are worth."""
        hand = unpack(packed)
        patterns = self._yakuman_patterns(hand)
        yakuman = sum(self.worth(pattern) for pattern in patterns)
        han = 0
        if not patterns:
            patterns = self._han_patterns(hand)
            han = sum(
                pattern.value if hand.is_concealed else pattern.exposed or 0 for pattern in patterns
            )
        return Shape(han, reading_fu(hand, self.options), yakuman, tuple(patterns))

    def _yakuman_patterns(self, hand: Reading) -> list[Pattern[Reading]]:
        return [
            pattern
            for pattern in _holding(
                yaku_rules.yakuman.patterns, hand, is_concealed=hand.is_concealed
            )
            if pattern.id != "ryuuiisou"
            or hand.green_dragon
            or not self.options.ryuuiisou_needs_green
        ]

    def _han_patterns(self, hand: Reading) -> list[Pattern[Reading]]:
        return [
            pattern
            for pattern in _holding(yaku_rules.yaku.patterns, hand, is_concealed=hand.is_concealed)
            if pattern.id != "tanyao" or hand.is_concealed or self.options.kuitan
        ]

    def worth(self, pattern: Pattern[Reading] | Pattern[Luck]) -> int:
        """How many yakuman a yakuman counts as."""
        doubled = pattern.id in self.options.double_yakuman_patterns
        return 2 * pattern.value if doubled else pattern.value

    def luck(self, flags: frozenset[Flag], how: int) -> Lucky:
        """What a way of winning is worth; ``how`` has a bit each for self-drawn, dealer,
        concealed and melds.
        """
        self_drawn, is_dealer, is_concealed, has_kong = (bool(how & 1 << bit) for bit in range(4))
        win = Luck(
            is_concealed=is_concealed,
            self_drawn=self_drawn,
            is_dealer=is_dealer,
            has_kong=has_kong,
            riichi=Flag.READY in flags or Flag.DOUBLE_READY in flags,
            double_riichi=Flag.DOUBLE_READY in flags,
            one_shot=Flag.ONE_SHOT in flags and self.options.ippatsu,
            last_tile=Flag.LAST_TILE in flags,
            replacement=Flag.REPLACEMENT in flags,
            robbing_kong=Flag.ROBBING_KONG in flags,
            first_turn=Flag.FIRST_TURN in flags,
        )
        opening = _holding(yaku_rules.opening.patterns, win, is_concealed=is_concealed)
        is_man = any(pattern.id == "renhou" for pattern in opening)
        if is_man and self.options.renhou is not Renhou.YAKUMAN:
            opening = [pattern for pattern in opening if pattern.id != "renhou"]
        is_riichi = is_concealed and win.riichi
        if opening:
            return Lucky(0, len(opening), is_riichi, False, win.replacement, tuple(opening))
        patterns = _holding(yaku_rules.luck.patterns, win, is_concealed=is_concealed)
        han = sum(pattern.value if is_concealed else pattern.exposed or 0 for pattern in patterns)
        is_mangan = is_man and self.options.renhou is Renhou.MANGAN
        if is_mangan:
            patterns.append(yaku_rules.opening["renhou"])
        return Lucky(han, 0, is_riichi, is_mangan, win.replacement, tuple(patterns))


class _ShapeTable(dict[int, Shape]):
    """Shapes by word, worked out when first met; ``extra`` is added to every word."""

    def __init__(self, scorer: Scorer, extra: int) -> None:
        super().__init__()
        self.scorer, self.extra = scorer, extra

    def __missing__(self, packed: int) -> Shape:
        if len(self) > 50_000:
            self.clear()
        found = self[packed] = self.scorer.shape(packed + self.extra)
        return found


class _LuckTable(dict[tuple[frozenset[Flag], int], Lucky]):
    """What each way of winning is worth, worked out when first met."""

    def __init__(self, scorer: Scorer) -> None:
        super().__init__()
        self.scorer = scorer

    def __missing__(self, key: tuple[frozenset[Flag], int]) -> Lucky:
        found = self[key] = self.scorer.luck(*key)
        return found


class _BaseTable(dict[tuple[int, int], tuple[int, Limit | None]]):
    """Base points by han and fu."""

    def __init__(self, options: RiichiOptions) -> None:
        super().__init__()
        self.options = options

    def __missing__(self, key: tuple[int, int]) -> tuple[int, Limit | None]:
        found = self[key] = base_points(*key, self.options)
        return found


def _holding(patterns: Iterable[Pattern[W]], win: W, *, is_concealed: bool) -> list[Pattern[W]]:
    """The patterns that hold, less those that another one found contains."""
    holding = [
        pattern
        for pattern in patterns
        if (is_concealed or pattern.exposed is not None) and pattern.predicate(win)
    ]
    contained = {other for pattern in holding for other in pattern.excludes}
    return [pattern for pattern in holding if pattern.id not in contained]


_SCORERS: dict[int, tuple[RiichiOptions, Scorer]] = {}


def scorer_for(options: RiichiOptions, players: int) -> Scorer:
    """The prepared scorer of an options value; the same value gives the same scorer."""
    key = id(options)
    kept = _SCORERS.get(key)
    if kept is None or kept[0] is not options:
        if len(_SCORERS) > 64:
            _SCORERS.clear()
        kept = _SCORERS[key] = (options, Scorer(options, players))
    return kept[1]
