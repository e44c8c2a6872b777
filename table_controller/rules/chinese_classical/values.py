"""What hands are worth: points, doublings and limit hands, each declared once.

`points` and `set_doublings` apply to every hand, also a losing one, which is a `Holding` without a
`Win`; `winner_points`, `doublings` and `limit_hands` need the complete hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from table_controller.rules.chinese_classical.options import (
    DoubleWindPair,
    LimitHand,
    NoPoints,
    OnlyPossibleTile,
    Options,
)
from table_controller.rules.core import patterns
from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.decomposition import (
    seven_pairs_waits,
    standard_waits,
    thirteen_orphans_waits,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.patterns import PatternTable
from table_controller.rules.core.seats import Wind
from table_controller.rules.core.tally import NEVER, Proofs, Tally, once
from table_controller.rules.core.tiles import (
    DRAGONS,
    KINDS,
    WINDS,
    Suit,
    Tile,
    kind_counts,
    parse_tiles,
)
from table_controller.rules.core.win import Form, Group, Wait, Win

NINE_GATES = (3, 1, 1, 1, 1, 1, 1, 1, 3)
ALL_GREEN = frozenset(parse_tiles("23468s 6z"))
FIRST_OF_SUITS = (0, 9, 18)


@dataclass(frozen=True)
class Holding:
    """A hand as points are counted: its sets, its pairs of value, and whose it is."""

    groups: tuple[Group, ...]
    pairs: tuple[Tile, ...]
    seat_wind: Wind
    round_wind: Wind
    bonus: tuple[Tile, ...]
    options: Options
    win: Win | None = None
    case: Case | None = None

    @cached_property
    def pungs(self) -> tuple[Group, ...]:
        """The pungs and kongs."""
        return tuple(group for group in self.groups if group.kind is not MeldKind.CHOW)

    def pungs_of(self, tiles: Iterable[Tile]) -> tuple[Group, ...]:
        """The pungs and kongs of these tiles."""
        wanted = set(tiles)
        return tuple(group for group in self.pungs if group.tile in wanted)

    def pungs_like(self, *, kong: bool, concealed: bool, tiles: str) -> Proofs:
        """The pungs, or kongs, of a class of tiles, open or concealed."""
        return [
            group.tiles
            for group in self.pungs
            if group.kind.is_kong is kong
            and group.is_concealed is concealed
            and class_of(group.tile) == tiles
        ]


def class_of(tile: Tile) -> str:
    """The class of tiles by which pungs are paid."""
    if tile.is_wind:
        return "winds"
    if tile.is_dragon:
        return "dragons"
    return "terminals" if tile.is_terminal else "simples"


def holding_of_loser(
    hand: Sequence[Tile],
    melds: Sequence[Meld],
    bonus: Sequence[Tile],
    *,
    seat_wind: Wind,
    round_wind: Wind,
    options: Options,
) -> Holding:
    """What a losing hand holds: its melds, three or four equal concealed tiles, and pairs."""
    counts = Counter(tile.face for tile in hand)
    groups = [Group(meld.kind, meld.tile, meld.kind.is_concealed, meld) for meld in melds]
    groups += [
        Group(MeldKind.PUNG, tile, is_concealed=True)
        for tile, number in sorted(counts.items())
        if number >= 3
    ]
    pairs = tuple(tile for tile, number in sorted(counts.items()) if number == 2)
    return Holding(tuple(groups), pairs, seat_wind, round_wind, tuple(bonus), options)


def holding_of_winner(win: Win, case: Case, options: Options) -> Holding:
    """One reading of the winning hand."""
    if win.form is Form.SEVEN_PAIRS:
        pairs = tuple(dict.fromkeys(win.tiles))
    else:
        pairs = () if win.pair is None else (win.pair,)
    return Holding(win.groups, pairs, win.seat_wind, win.round_wind, win.bonus, options, win, case)


# --- Points of every hand ----------------------------------------------------------------------

points: Tally[Holding] = Tally("points")

_PAID = (
    ("pung", "simples", "2-8", 2, 4),
    ("pung", "terminals", "1 or 9", 4, 8),
    ("pung", "winds", "winds", 4, 8),
    ("pung", "dragons", "dragons", 4, 8),
    ("kong", "simples", "2-8", 8, 16),
    ("kong", "terminals", "1 or 9", 16, 32),
    ("kong", "winds", "winds", 16, 32),
    ("kong", "dragons", "dragons", 16, 32),
)


def _declare(kind: str, tiles: str, words: str, worth: int, *, concealed: bool) -> None:
    def proofs(holding: Holding) -> Proofs:
        return holding.pungs_like(kong=kind == "kong", concealed=concealed, tiles=tiles)

    how = "concealed" if concealed else "open"
    proofs.__doc__ = f"Each {how} {kind} of {words} counts {worth}."
    native = ("暗" if concealed else "明") + ("槓" if kind == "kong" else "刻")
    name = f"{how.capitalize()} {kind} of {tiles}"
    points(name, native, worth, id=f"{kind}_{tiles}_{how}")(proofs)


for _kind, _tiles, _words, _open, _concealed in _PAID:
    _declare(_kind, _tiles, _words, _open, concealed=False)
    _declare(_kind, _tiles, _words, _concealed, concealed=True)


@points("Pair of the own wind", "門風對", 2, id="pair_own_wind")
def pair_own_wind(holding: Holding) -> Proofs:
    """A pair of the own wind counts 2."""
    return _pair(holding, holding.seat_wind)


@points("Pair of the prevailing wind", "圈風對", 2, id="pair_prevailing_wind")
def pair_prevailing_wind(holding: Holding) -> Proofs:
    """A pair of the prevailing wind counts 2."""
    is_same = holding.seat_wind is holding.round_wind
    if is_same and holding.options.double_wind_pair_points is DoubleWindPair.SINGLE:
        return NEVER
    return _pair(holding, holding.round_wind)


def _pair(holding: Holding, wind: Wind) -> Proofs:
    return [(wind.tile,) * 2] if wind.tile in holding.pairs else NEVER


@points("Pair of dragons", "三元對", 2, id="pair_dragons")
def pair_dragons(holding: Holding) -> Proofs:
    """Each pair of dragons counts 2."""
    return [(tile,) * 2 for tile in holding.pairs if tile.is_dragon]


@points("Bonus tile", "花", 4, id="bonus_tile")
def bonus_tile(holding: Holding) -> Proofs:
    """Each flower or season counts 4."""
    return [(tile,) for tile in holding.bonus]


# --- Points of the winner ----------------------------------------------------------------------

winner_points: Tally[Holding] = Tally("points")


@winner_points("Mah-jong", "和牌", 20, id="mah_jong")
def mah_jong(holding: Holding) -> Proofs:
    """The complete hand counts 20."""
    return once(True)


@winner_points("Last tile from the wall", "自摸", 2, id="last_tile_from_wall")
def last_tile_from_wall(holding: Holding) -> Proofs:
    """A last tile drawn from the wall, loose tiles included, counts 2."""
    assert holding.case is not None
    return once(holding.case.self_drawn)


@winner_points("Only possible tile", "單釣嵌張", 2, id="only_possible_tile")
def only_possible_tile(holding: Holding) -> Proofs:
    """The only possible last tile, for the pair, inside or at the end of a chow, counts 2."""
    win, case = holding.win, holding.case
    assert win is not None
    assert case is not None
    if win.wait not in (Wait.PAIR, Wait.CLOSED, Wait.EDGE) or win.form is not Form.STANDARD:
        return NEVER
    if holding.options.only_possible_tile is OnlyPossibleTile.STRICT:
        waited = waits(case.hand, case.melds, holding.options)
        return once(len(waited) == 1, case.winning_tile.face)
    return once(True, case.winning_tile.face)


def waits(hand: Sequence[Tile], melds: Sequence[Meld], options: Options) -> tuple[Tile, ...]:
    """What completes the concealed tiles, less what the player holds four times already."""
    counts = kind_counts(hand)
    held = kind_counts((*hand, *(tile for meld in melds for tile in meld.faces)))
    found = set(standard_waits(counts))
    if not melds:
        found.update(thirteen_orphans_waits(counts))
        if options.seven_pairs_hand:
            found.update(seven_pairs_waits(counts))
    return tuple(KINDS[place] for place in sorted(found) if held[place] < 4)


# --- Doublings of every hand -------------------------------------------------------------------

set_doublings: Tally[Holding] = Tally("doubles")


@set_doublings("Dragons", "三元牌", 1, id="dragon_set")
def dragon_set(holding: Holding) -> Proofs:
    """Each pung or kong of dragons doubles once."""
    return [group.tiles for group in holding.pungs_of(DRAGONS)]


@set_doublings("Own wind", "門風", 1, id="own_wind_set")
def own_wind_set(holding: Holding) -> Proofs:
    """A pung or kong of the own wind doubles once."""
    return [group.tiles for group in holding.pungs_of([holding.seat_wind.tile])]


@set_doublings("Prevailing wind", "圈風", 1, id="prevailing_wind_set")
def prevailing_wind_set(holding: Holding) -> Proofs:
    """A pung or kong of the prevailing wind doubles once."""
    return [group.tiles for group in holding.pungs_of([holding.round_wind.tile])]


@set_doublings("Little four winds", "小四喜", 1, id="little_four_winds")
def little_four_winds(holding: Holding) -> Proofs:
    """Three sets of winds and a pair of the fourth double once."""
    return _and_pair(holding, WINDS)


@set_doublings("Little three dragons", "小三元", 1, id="little_three_dragons")
def little_three_dragons(holding: Holding) -> Proofs:
    """Two sets of dragons and a pair of the third double once."""
    return _and_pair(holding, DRAGONS)


def _and_pair(holding: Holding, tiles: Sequence[Tile]) -> Proofs:
    sets = holding.pungs_of(tiles)
    pair = next((tile for tile in holding.pairs if tile in tiles), None)
    if pair is None or len(sets) != len(tiles) - 1:
        return NEVER
    return once(True, *(tile for group in sets for tile in group.tiles), pair, pair)


@set_doublings("Own flower and season", "正花", 1, id="own_bonus_tiles")
def own_bonus_tiles(holding: Holding) -> Proofs:
    """The own flower together with the own season doubles once."""
    rank = holding.seat_wind.tile.rank
    own = (Tile(Suit.FLOWERS, rank), Tile(Suit.SEASONS, rank))
    return once(set(own) <= set(holding.bonus), *own)


@set_doublings("All four flowers or seasons", "一台花", 1, id="all_four_bonus_tiles")
def all_four_bonus_tiles(holding: Holding) -> Proofs:
    """All four flowers, and all four seasons, double once each."""
    sets = [
        tuple(sorted(tile for tile in holding.bonus if tile.suit is suit))
        for suit in (Suit.FLOWERS, Suit.SEASONS)
    ]
    return [tiles for tiles in sets if len(tiles) == 4]


# --- Doublings of the winner -------------------------------------------------------------------

doublings: Tally[Holding] = Tally("doubles")


@doublings("One suit with honours", "混一色", 1, id="one_suit_with_honours")
def one_suit_with_honours(holding: Holding) -> Proofs:
    """Tiles of one suit and honours double once."""
    return once(patterns.half_flush(_won(holding)))


@doublings("One suit only", "清一色", 3, id="one_suit_only")
def one_suit_only(holding: Holding) -> Proofs:
    """Tiles of one suit without honours double three times."""
    return once(patterns.full_flush(_won(holding)))


@doublings("Terminals and honours", "混老頭", 1, id="terminals_and_honours")
def terminals_and_honours(holding: Holding) -> Proofs:
    """Only ones, nines and honours, with a suit tile, double once."""
    win = _won(holding)
    return once(bool(win.numbered_suits) and all(tile.is_terminal_or_honour for tile in win.tiles))


@doublings("All honours", "字一色", 3, id="all_honours")
def all_honours(holding: Holding) -> Proofs:
    """Only winds and dragons double three times."""
    return once(patterns.all_honours(_won(holding)))


@doublings("No chows", "對對和", 1, id="no_chows")
def no_chows(holding: Holding) -> Proofs:
    """Four pungs or kongs double once."""
    return once(patterns.all_pungs(_won(holding)))


@doublings("No points", "平和", 1, id="no_points")
def no_points(holding: Holding) -> Proofs:
    """A hand without points but those for mah-jong doubles once."""
    allowed = {"mah_jong"}
    if holding.options.no_points_definition is NoPoints.SETS_ONLY:
        allowed |= {"last_tile_from_wall", "only_possible_tile"}
    won = {entry.id for entry in winner_points if entry.proofs(holding)}
    is_complete_hand = _won(holding).form is Form.STANDARD
    return once(is_complete_hand and points.points(holding) == 0 and won <= allowed)


@doublings("Win on a loose tile", "嶺上開花", 1, id="loose_tile_win")
def loose_tile_win(holding: Holding) -> Proofs:
    """Mah-jong on a loose tile doubles once."""
    return once(Flag.REPLACEMENT in _won(holding).flags)


@doublings("Last permissible tile", "海底撈月", 1, id="last_permissible_tile")
def last_permissible_tile(holding: Holding) -> Proofs:
    """Mah-jong with the last tile that may be drawn doubles once."""
    win = _won(holding)
    counts = win.self_drawn or holding.options.last_discard_doubles
    return once(Flag.LAST_TILE in win.flags and counts and Flag.REPLACEMENT not in win.flags)


@doublings("Robbing an open kong", "搶槓", 1, id="robbing_open_kong")
def robbing_open_kong(holding: Holding) -> Proofs:
    """Mah-jong on the tile that another player adds to an open pung doubles once."""
    return once(Flag.ROBBING_KONG in _won(holding).flags)


@doublings("Original call", "天聽", 1, id="original_call")
def original_call(holding: Holding) -> Proofs:
    """A hand that waited from the start, declared it and never changed doubles once."""
    return once(Flag.DOUBLE_READY in _won(holding).flags)


def _won(holding: Holding) -> Win:
    assert holding.win is not None
    return holding.win


# --- Limit hands -------------------------------------------------------------------------------

limit_hands: PatternTable[Holding] = PatternTable("limit")


@limit_hands("Thirteen orphans", "十三么", 0, id="thirteen_orphans")
def thirteen_orphans(holding: Holding) -> bool:
    """One of each terminal and honour, and one more of them."""
    return _won(holding).form is Form.THIRTEEN_ORPHANS


def _concealed_suit(holding: Holding) -> list[int] | None:
    """The counts of the one suit of a concealed hand without kongs."""
    win = _won(holding)
    if win.melds or not patterns.full_flush(win):
        return None
    counts = kind_counts(win.tiles)
    return next(
        counts[first : first + 9]
        for first in FIRST_OF_SUITS
        if counts[first : first + 9] != [0] * 9
    )


@limit_hands("Hidden snake", "蛇形", 0, id="hidden_snake")
def hidden_snake(holding: Holding) -> bool:
    """Concealed, of one suit: pungs of 1 and 9, a pair of 2, 5 or 8, and two chows."""
    counts = _concealed_suit(holding)
    return counts is not None and any(
        counts == [number + (rank == pair) for rank, number in enumerate(NINE_GATES)]
        for pair in (1, 4, 7)
    )


@limit_hands("Nine gates", "九蓮寶燈", 0, id="nine_gates")
def nine_gates(holding: Holding) -> bool:
    """Concealed 1112345678999 of one suit before the last tile, which is any of that suit."""
    if _concealed_suit(holding) is None or holding.case is None:
        return False
    before = kind_counts(holding.case.hand)
    return any(tuple(before[first : first + 9]) == NINE_GATES for first in FIRST_OF_SUITS)


@limit_hands("Hidden treasure", "四暗刻", 0, id="four_concealed_pungs")
def four_concealed_pungs(holding: Holding) -> bool:
    """Four concealed pungs or kongs."""
    return sum(group.is_concealed for group in holding.pungs) == 4


@limit_hands("Fourfold plenty", "四槓子", 0, id="four_kongs")
def four_kongs(holding: Holding) -> bool:
    """Four kongs and a pair."""
    return sum(group.kind.is_kong for group in holding.pungs) == 4


@limit_hands("Three great scholars", "大三元", 0, id="big_three_dragons")
def big_three_dragons(holding: Holding) -> bool:
    """Sets of all three dragons."""
    return len(holding.pungs_of(DRAGONS)) == 3


@limit_hands("Four blessings", "大四喜", 0, id="big_four_winds")
def big_four_winds(holding: Holding) -> bool:
    """Sets of all four winds."""
    return len(holding.pungs_of(WINDS)) == 4


@limit_hands("Heads and tails", "清老頭", 0, id="all_terminals")
def all_terminals(holding: Holding) -> bool:
    """Only ones and nines."""
    return patterns.all_terminals(_won(holding))


@limit_hands("Imperial jade", "綠一色", 0, id="all_green")
def all_green(holding: Holding) -> bool:
    """Only 2, 3, 4, 6, 8 of bamboos and the green dragon."""
    return set(_won(holding).tiles) <= ALL_GREEN


@limit_hands("Heavenly hand", "天和", 0, id="heavenly_hand")
def heavenly_hand(holding: Holding) -> bool:
    """East wins with the fourteen tiles dealt."""
    case = _case(holding)
    return (
        Flag.FIRST_TURN in case.flags and case.self_drawn and _won(holding).seat_wind is Wind.EAST
    )


@limit_hands("Earthly hand", "地和", 0, id="earthly_hand")
def earthly_hand(holding: Holding) -> bool:
    """Another player wins on the first discard of East."""
    case = _case(holding)
    return Flag.FIRST_TURN in case.flags and case.source is case.dealer


@limit_hands("All honours", "字一色", 0, id="all_honours_limit")
def all_honours_limit(holding: Holding) -> bool:
    """Only winds and dragons."""
    return patterns.all_honours(_won(holding))


@limit_hands("Plum blossom on the roof", "梅花屋頂", 0, id="plum_blossom")
def plum_blossom(holding: Holding) -> bool:
    """Won on a loose tile that is the 5 of circles."""
    return Flag.REPLACEMENT in _won(holding).flags and _last(holding) == Tile(Suit.CIRCLES, 5)


@limit_hands("Moon from the bottom of the sea", "海底撈月", 0, id="moon_from_the_sea")
def moon_from_the_sea(holding: Holding) -> bool:
    """Won with the last permissible tile when it is the 1 of circles."""
    flags = _won(holding).flags
    return Flag.LAST_TILE in flags and _last(holding) == Tile(Suit.CIRCLES, 1)


@limit_hands("Carrying pole", "搶槓二索", 0, id="carrying_pole")
def carrying_pole(holding: Holding) -> bool:
    """Won by robbing a kong of the 2 of bamboos."""
    return Flag.ROBBING_KONG in _won(holding).flags and _last(holding) == Tile(Suit.BAMBOOS, 2)


@limit_hands("Kong on kong", "槓上槓", 0, id="kong_on_kong")
def kong_on_kong(holding: Holding) -> bool:
    """Won on the loose tile of the second of two kongs in succession."""
    return Flag.REPLACEMENT in _won(holding).flags and bool(_case(holding).says("kong_on_kong"))


@limit_hands("East wins nine times", "八連莊", 0, id="east_nine_wins")
def east_nine_wins(holding: Holding) -> bool:
    """East wins for the ninth time in a row."""
    return _won(holding).seat_wind is Wind.EAST and _case(holding).counters >= 8


def _case(holding: Holding) -> Case:
    assert holding.case is not None
    return holding.case


def _last(holding: Holding) -> Tile:
    return _won(holding).winning_tile


def limits_of(holding: Holding) -> tuple[LimitHand, ...]:
    """The limit hands that the table plays and this hand is."""
    return tuple(
        one for one in holding.options.limit_hands if limit_hands[one.value].predicate(holding)
    )
