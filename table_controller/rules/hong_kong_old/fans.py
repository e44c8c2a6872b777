"""The fan of Hong Kong Old Style, each declared once, in the order of the description.

`basic` counts toward the minimum, `bonus` does not, `limit` replaces both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from table_controller.rules.core import patterns
from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.patterns import PatternTable
from table_controller.rules.core.tally import NEVER, Proofs, Tally, once
from table_controller.rules.core.tiles import DRAGONS, WINDS, Suit, Tile, kind_counts
from table_controller.rules.core.win import Form, Group, Win
from table_controller.rules.hong_kong_old.options import ChowsPair, GatesWait, Options, SimplesRange

NINE_GATES = (3, 1, 1, 1, 1, 1, 1, 1, 3)


@dataclass(frozen=True)
class Hand:
    """One reading of a winning hand, with what the table plays."""

    win: Win
    case: Case
    options: Options

    @property
    def concealed_pungs(self) -> list[Group]:
        """Pungs and kongs that no discard completed."""
        return [group for group in self.win.pungs if group.is_concealed]

    def pungs_of(self, tiles: Iterable[Tile]) -> list[Group]:
        """The pungs and kongs of these tiles."""
        wanted = set(tiles)
        return [group for group in self.win.pungs if group.tile in wanted]


def _tiles(groups: Iterable[Group]) -> tuple[Tile, ...]:
    return tuple(tile for group in groups for tile in group.tiles)


# --- Basic fan ---------------------------------------------------------------------------------

basic: Tally[Hand] = Tally("fan")


@basic("Dragon Pung", "番子", 1)
def dragon_pung(hand: Hand) -> Proofs:
    """Each pung or kong of dragons counts 1."""
    return [group.tiles for group in hand.pungs_of(DRAGONS)]


@basic("Seat Wind Pung", "門風", 1)
def seat_wind_pung(hand: Hand) -> Proofs:
    """A pung or kong of the own wind counts 1."""
    return [group.tiles for group in hand.pungs_of([hand.win.seat_wind.tile])]


@basic("Round Wind Pung", "圈風", 1)
def round_wind_pung(hand: Hand) -> Proofs:
    """A pung or kong of the wind of the round counts 1."""
    return [group.tiles for group in hand.pungs_of([hand.win.round_wind.tile])]


@basic("All Simples", "斷么九", 1)
def all_simples(hand: Hand) -> Proofs:
    """A hand of sets without terminals and honours counts 1."""
    if hand.win.form is not Form.STANDARD:
        return NEVER
    if hand.options.all_simples_range is SimplesRange.ONE_TO_NINE:
        return once(not hand.win.has_honours)
    return once(patterns.all_simples(hand.win))


@basic("All Chows", "平糊", 1)
def all_chows(hand: Hand) -> Proofs:
    """Four chows and a pair of suit tiles count 1."""
    pair = hand.win.pair
    if pair is None or not patterns.all_chows(hand.win):
        return NEVER
    allowed = {
        ChowsPair.SUIT_TILE: pair.is_numbered,
        ChowsPair.SIMPLES: pair.is_simple,
        ChowsPair.ANY: True,
    }
    return once(allowed[hand.options.all_chows_pair])


@basic("All Pungs", "對對糊", 3)
def all_pungs(hand: Hand) -> Proofs:
    """Only pungs or kongs and any pair count 3."""
    return once(patterns.all_pungs(hand.win))


@basic("Half Flush", "混一色", 3)
def half_flush(hand: Hand) -> Proofs:
    """One suit with honours counts 3."""
    return once(patterns.half_flush(hand.win))


@basic("Three Concealed Pungs", "三暗刻", 3)
def three_concealed_pungs(hand: Hand) -> Proofs:
    """Three pungs or kongs that no discard completed count 3."""
    concealed = hand.concealed_pungs
    return once(len(concealed) == 3, *_tiles(concealed))


@basic("Three Kongs", "三槓子", 3)
def three_kongs(hand: Hand) -> Proofs:
    """Three kongs of any kind count 3."""
    return once(len(hand.win.kongs) == 3, *_tiles(hand.win.kongs))


@basic("Seven Pairs", "七對子", 4)
def seven_pairs(hand: Hand) -> Proofs:
    """Seven different pairs count 4."""
    return once(hand.win.form is Form.SEVEN_PAIRS)


@basic("Pure Hand", "清一色", 6)
def pure_hand(hand: Hand) -> Proofs:
    """One suit without honours counts 6."""
    return once(patterns.full_flush(hand.win))


@basic("Little Dragons", "小三元", 12)
def little_dragons(hand: Hand) -> Proofs:
    """Pungs or kongs of two dragons and a pair of the third count 12."""
    found = hand.pungs_of(DRAGONS)
    return once(len(found) == 2 and hand.win.pair in DRAGONS, *_tiles(found), *_pair(hand))


@basic("Little Winds", "小四喜", 12)
def little_winds(hand: Hand) -> Proofs:
    """Pungs or kongs of three winds and a pair of the fourth count 12."""
    found = hand.pungs_of(WINDS)
    return once(len(found) == 3 and hand.win.pair in WINDS, *_tiles(found), *_pair(hand))


def _pair(hand: Hand) -> tuple[Tile, ...]:
    return () if hand.win.pair is None else (hand.win.pair,) * 2


# --- Bonus fan ---------------------------------------------------------------------------------

bonus: Tally[Hand] = Tally("fan")
FLOWER_IDS = frozenset(
    {"no_bonus_tiles", "own_flower", "own_season", "all_four_flowers", "all_four_seasons"}
)
"""The bonus fan that flowers and seasons give."""


@bonus("Self-Draw", "自摸", 1)
def self_draw(hand: Hand) -> Proofs:
    """A win from the wall counts 1."""
    return once(hand.win.self_drawn)


@bonus("Robbing a Kong", "搶槓", 1, id="robbing_kong")
def robbing_kong(hand: Hand) -> Proofs:
    """A win on the tile of another player's kong counts 1."""
    return once(Flag.ROBBING_KONG in hand.win.flags)


@bonus("Last Tile", "海底撈月", 1)
def last_tile(hand: Hand) -> Proofs:
    """A win on the last tile of the wall, or on the discard that follows it, counts 1."""
    return once(Flag.LAST_TILE in hand.win.flags)


@bonus("No Bonus Tiles", "無花", 1)
def no_bonus_tiles(hand: Hand) -> Proofs:
    """No flower or season set aside counts 1."""
    return once(hand.options.bonus_tiles and not hand.win.bonus)


@bonus("Own Flower", "正花", 1)
def own_flower(hand: Hand) -> Proofs:
    """The flower of the own seat counts 1."""
    return _own(hand, Suit.FLOWERS)


@bonus("Own Season", "正花", 1)
def own_season(hand: Hand) -> Proofs:
    """The season of the own seat counts 1."""
    return _own(hand, Suit.SEASONS)


def _own(hand: Hand, suit: Suit) -> Proofs:
    own = Tile(suit, hand.win.seat_wind.tile.rank)
    return [(own,)] if own in hand.win.bonus else NEVER


def _all_four(hand: Hand) -> int:
    return hand.options.all_four_bonus


@bonus("All Four Flowers", "一台花", _all_four)
def all_four_flowers(hand: Hand) -> Proofs:
    """All four flowers count 2, beside the own one."""
    return _set_of(hand, Suit.FLOWERS)


@bonus("All Four Seasons", "一台花", _all_four)
def all_four_seasons(hand: Hand) -> Proofs:
    """All four seasons count 2, beside the own one."""
    return _set_of(hand, Suit.SEASONS)


def _set_of(hand: Hand, suit: Suit) -> Proofs:
    found = tuple(sorted(tile for tile in hand.win.bonus if tile.suit is suit))
    return [found] if len(found) == 4 else NEVER


# --- Limit hands -------------------------------------------------------------------------------

limit: PatternTable[Hand] = PatternTable("limit")


@limit("Heavenly Hand", "天糊", 0)
def heavenly_hand(hand: Hand) -> bool:
    """The dealer wins with the first draw."""
    case = hand.case
    return Flag.FIRST_TURN in case.flags and case.self_drawn and case.winner is case.dealer


@limit("Earthly Hand", "地糊", 0)
def earthly_hand(hand: Hand) -> bool:
    """Won on the first discard of the dealer."""
    case = hand.case
    robbed = Flag.ROBBING_KONG in case.flags
    return Flag.FIRST_TURN in case.flags and case.source is case.dealer and not robbed


@limit("Thirteen Orphans", "十三么", 0)
def thirteen_orphans(hand: Hand) -> bool:
    """One of each terminal and honour, and one more of them."""
    return hand.win.form is Form.THIRTEEN_ORPHANS


@limit("Heavenly Gates", "九子連環", 0)
def heavenly_gates(hand: Hand) -> bool:
    """Concealed 1112345678999 of one suit with any tile of it, without kongs."""
    if hand.win.melds or not patterns.full_flush(hand.win):
        return False
    before = kind_counts(hand.case.hand)
    if hand.options.gates_wait is GatesWait.NINE_SIDED:
        return any(tuple(before[first : first + 9]) == NINE_GATES for first in (0, 9, 18))
    complete = kind_counts(hand.win.tiles)
    return any(_holds(complete[first : first + 9]) for first in (0, 9, 18))


def _holds(counts: list[int]) -> bool:
    return all(number >= needed for number, needed in zip(counts, NINE_GATES, strict=True))


@limit("Four Concealed Pungs", "坎坎糊", 0)
def four_concealed_pungs(hand: Hand) -> bool:
    """Four pungs or kongs that no discard completed."""
    return len(hand.concealed_pungs) == 4


@limit("Four Kongs", "十八羅漢", 0)
def four_kongs(hand: Hand) -> bool:
    """Four kongs of any kind."""
    return len(hand.win.kongs) == 4


@limit("All Honours", "字一色", 0)
def all_honours(hand: Hand) -> bool:
    """Only winds and dragons."""
    return patterns.all_honours(hand.win)


def _one_suit_with_dragon(suit: Suit, dragon: Tile) -> Callable[[Hand], bool]:
    def holds(hand: Hand) -> bool:
        win = hand.win
        if win.pair is None or win.chows or win.pair.suit is not suit:
            return False
        others = [group.tile for group in win.pungs if group.tile != dragon]
        return len(others) == 3 and all(tile.suit is suit for tile in others)

    return holds


WHITE, GREEN, RED = DRAGONS
limit(
    "Pearl Dragon",
    "珍珠龍",
    0,
    rule="A pung of white dragons, three pungs of circles and a pair of circles.",
)(_one_suit_with_dragon(Suit.CIRCLES, WHITE))
limit(
    "Ruby Dragon",
    "紅寶石龍",
    0,
    rule="A pung of red dragons, three pungs of characters and a pair of characters.",
)(_one_suit_with_dragon(Suit.CHARACTERS, RED))
limit(
    "Jade Dragon",
    "翡翠龍",
    0,
    rule="A pung of green dragons, three pungs of bamboos and a pair of bamboos.",
)(_one_suit_with_dragon(Suit.BAMBOOS, GREEN))


@limit("Great Dragons", "大三元", 0)
def great_dragons(hand: Hand) -> bool:
    """Pungs or kongs of all three dragons."""
    return len(hand.pungs_of(DRAGONS)) == 3


@limit("Great Winds", "大四喜", 0)
def great_winds(hand: Hand) -> bool:
    """Pungs or kongs of all four winds."""
    return len(hand.pungs_of(WINDS)) == 4
