"""The fan book: number, names, worth, what each fan contains, and its rule, each stated once.

Order and numbers are those of the Mahjong Competition Rules, 2006; fan 57 has a second part (57b).
How the fans are found is in `families`; what is counted when several hold is in `counting`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from table_controller.rules.core.patterns import pattern_id

FIELD_BITS = 3
"""A multiset of fans is an int with this many bits for the number of each: sums are unions."""


@dataclass(frozen=True, slots=True, eq=False)
class Fan:
    """One scoring element of the book."""

    number: str  # as the book prints it; "57b" for the mixed kongs
    name: str
    native: str
    value: int
    rule: str
    excludes: frozenset[str]  # ids of the fans that it contains
    place: int  # from 0, in the book's order

    @property
    def id(self) -> str:
        """The stable name in cases and answers."""
        return pattern_id(self.name)

    @property
    def one(self) -> int:
        """The multiset that holds this fan once."""
        return 1 << (FIELD_BITS * self.place)


_book: list[Fan] = []


def _fan(
    number: int | str, name: str, native: str, value: int, rule: str, excludes: str = ""
) -> Fan:
    declared = Fan(str(number), name, native, value, rule, frozenset(excludes.split()), len(_book))
    _book.append(declared)
    return declared


# A fan is one entry: number, names and worth on a line, its rule, what it contains.
# fmt: off
BIG_FOUR_WINDS = _fan(
    1, "Big Four Winds", "大四喜", 88,
    "Pungs or kongs of all four winds.",
    "little_four_winds big_three_winds all_pungs prevalent_wind seat_wind "
    "pung_of_terminals_or_honors",
)
BIG_THREE_DRAGONS = _fan(
    2, "Big Three Dragons", "大三元", 88,
    "Pungs or kongs of all three dragons.",
    "little_three_dragons two_dragon_pungs dragon_pung",
)
ALL_GREEN = _fan(
    3, "All Green", "绿一色", 88,
    "Only 2, 3, 4, 6, 8 of bamboos and the green dragon, which may be missing.",
)
NINE_GATES = _fan(
    4, "Nine Gates", "九莲宝灯", 88,
    "A hand without melds that held exactly 1112345678999 of one suit before the winning tile.",
    "full_flush no_honors concealed_hand",
)
FOUR_KONGS = _fan(
    5, "Four Kongs", "四杠", 88,
    "Four declared kongs, melded or concealed.",
    "three_kongs two_concealed_kongs two_melded_kongs melded_and_concealed_kong "
    "concealed_kong melded_kong all_pungs single_wait",
)
SEVEN_SHIFTED_PAIRS = _fan(
    6, "Seven Shifted Pairs", "连七对", 88,
    "Seven pairs of one suit with consecutive ranks.",
    "seven_pairs full_flush no_honors concealed_hand single_wait",
)
THIRTEEN_ORPHANS = _fan(
    7, "Thirteen Orphans", "十三幺", 88,
    "One of each terminal and honour, and one more of them.",
    "all_terminals_and_honors all_types concealed_hand single_wait",
)
ALL_TERMINALS = _fan(
    8, "All Terminals", "清幺九", 64,
    "Only ones and nines.",
    "all_terminals_and_honors all_pungs outside_hand pung_of_terminals_or_honors no_honors",
)
LITTLE_FOUR_WINDS = _fan(
    9, "Little Four Winds", "小四喜", 64,
    "Pungs or kongs of three winds and a pair of the fourth.",
    "big_three_winds pung_of_terminals_or_honors",
)
LITTLE_THREE_DRAGONS = _fan(
    10, "Little Three Dragons", "小三元", 64,
    "Pungs or kongs of two dragons and a pair of the third.",
    "two_dragon_pungs dragon_pung",
)
ALL_HONORS = _fan(
    11, "All Honors", "字一色", 64,
    "Only winds and dragons.",
    "all_terminals_and_honors all_pungs outside_hand pung_of_terminals_or_honors",
)
FOUR_CONCEALED_PUNGS = _fan(
    12, "Four Concealed Pungs", "四暗刻", 64,
    "Four pungs or kongs completed without a discard.",
    "three_concealed_pungs two_concealed_pungs all_pungs concealed_hand",
)
PURE_TERMINAL_CHOWS = _fan(
    13, "Pure Terminal Chows", "一色双龙会", 64,
    "Twice 123, twice 789 and a pair of fives, all in one suit.",
    "seven_pairs full_flush all_chows pure_double_chow two_terminal_chows no_honors",
)
QUADRUPLE_CHOW = _fan(
    14, "Quadruple Chow", "一色四同顺", 48,
    "Four identical chows.",
    "pure_triple_chow pure_shifted_pungs pure_double_chow tile_hog",
)
FOUR_PURE_SHIFTED_PUNGS = _fan(
    15, "Four Pure Shifted Pungs", "一色四节高", 48,
    "Four pungs of one suit with consecutive ranks.",
    "pure_shifted_pungs pure_triple_chow all_pungs",
)
FOUR_PURE_SHIFTED_CHOWS = _fan(
    16, "Four Pure Shifted Chows", "一色四步高", 32,
    "Four chows of one suit, each shifted by one, or each by two, from the one before.",
    "pure_shifted_chows short_straight two_terminal_chows",
)
THREE_KONGS = _fan(
    17, "Three Kongs", "三杠", 32,
    "Three declared kongs, melded or concealed.",
    "two_concealed_kongs two_melded_kongs melded_and_concealed_kong concealed_kong melded_kong",
)
ALL_TERMINALS_AND_HONORS = _fan(
    18, "All Terminals and Honors", "混幺九", 32,
    "Only ones, nines and honours, both kinds present.",
    "all_pungs outside_hand pung_of_terminals_or_honors",
)
SEVEN_PAIRS = _fan(
    19, "Seven Pairs", "七对", 24,
    "Seven pairs without a meld; four alike are two pairs.",
    "concealed_hand single_wait",
)
GREATER_HONORS_AND_KNITTED_TILES = _fan(
    20, "Greater Honors and Knitted Tiles", "七星不靠", 24,
    "All seven honours and seven tiles of one knitted set (147, 258, 369 in three suits).",
    "lesser_honors_and_knitted_tiles all_types concealed_hand single_wait",
)
ALL_EVEN_PUNGS = _fan(
    21, "All Even Pungs", "全双刻", 24,
    "Four pungs and a pair, all of even ranks.",
    "all_pungs all_simples no_honors",
)
FULL_FLUSH = _fan(
    22, "Full Flush", "清一色", 24,
    "All tiles of one suit.",
    "no_honors",
)
PURE_TRIPLE_CHOW = _fan(
    23, "Pure Triple Chow", "一色三同顺", 24,
    "Three identical chows.",
    "pure_shifted_pungs",
)
PURE_SHIFTED_PUNGS = _fan(
    24, "Pure Shifted Pungs", "一色三节高", 24,
    "Three pungs of one suit with consecutive ranks.",
    "pure_triple_chow",
)
UPPER_TILES = _fan(
    25, "Upper Tiles", "全大", 24,
    "Only sevens, eights and nines.",
    "upper_four no_honors",
)
MIDDLE_TILES = _fan(
    26, "Middle Tiles", "全中", 24,
    "Only fours, fives and sixes.",
    "all_simples no_honors",
)
LOWER_TILES = _fan(
    27, "Lower Tiles", "全小", 24,
    "Only ones, twos and threes.",
    "lower_four no_honors",
)
PURE_STRAIGHT = _fan(
    28, "Pure Straight", "清龙", 16,
    "Chows 123, 456 and 789 of one suit.",
)
THREE_SUITED_TERMINAL_CHOWS = _fan(
    29, "Three-Suited Terminal Chows", "三色双龙会", 16,
    "123 and 789 in two suits and a pair of fives in the third.",
    "all_chows mixed_double_chow two_terminal_chows no_honors",
)
PURE_SHIFTED_CHOWS = _fan(
    30, "Pure Shifted Chows", "一色三步高", 16,
    "Three chows of one suit, each shifted by one, or each by two, from the one before.",
)
ALL_FIVES = _fan(
    31, "All Fives", "全带五", 16,
    "Every set and the pair contain a five.",
    "all_simples no_honors",
)
TRIPLE_PUNG = _fan(
    32, "Triple Pung", "三同刻", 16,
    "Pungs of one rank in all three suits.",
)
THREE_CONCEALED_PUNGS = _fan(
    33, "Three Concealed Pungs", "三暗刻", 16,
    "Three pungs or kongs completed without a discard.",
    "two_concealed_pungs",
)
LESSER_HONORS_AND_KNITTED_TILES = _fan(
    34, "Lesser Honors and Knitted Tiles", "全不靠", 12,
    "Fourteen different tiles: honours and tiles of one knitted set (147, 258, 369).",
    "all_types concealed_hand single_wait",
)
KNITTED_STRAIGHT = _fan(
    35, "Knitted Straight", "组合龙", 12,
    "All nine tiles of one knitted set: 147, 258 and 369, each in a suit of its own.",
)
UPPER_FOUR = _fan(
    36, "Upper Four", "大于五", 12,
    "Only sixes to nines.",
    "no_honors",
)
LOWER_FOUR = _fan(
    37, "Lower Four", "小于五", 12,
    "Only ones to fours.",
    "no_honors",
)
BIG_THREE_WINDS = _fan(
    38, "Big Three Winds", "三风刻", 12,
    "Pungs or kongs of three winds.",
)
MIXED_STRAIGHT = _fan(
    39, "Mixed Straight", "花龙", 8,
    "Chows 123, 456 and 789, one in each suit.",
)
REVERSIBLE_TILES = _fan(
    40, "Reversible Tiles", "推不倒", 8,
    "Only tiles that look the same upside down: 1234589 of circles, 245689 of bamboos, white.",
    "one_voided_suit",
)
MIXED_TRIPLE_CHOW = _fan(
    41, "Mixed Triple Chow", "三色三同顺", 8,
    "The same chow in all three suits.",
)
MIXED_SHIFTED_PUNGS = _fan(
    42, "Mixed Shifted Pungs", "三色三节高", 8,
    "Three pungs with consecutive ranks, one in each suit.",
)
CHICKEN_HAND = _fan(
    43, "Chicken Hand", "无番和", 8,
    "Nothing else counts, flowers aside.",
)
LAST_TILE_DRAW = _fan(
    44, "Last Tile Draw", "妙手回春", 8,
    "Won by drawing the last tile of the wall.",
    "self_drawn",
)
LAST_TILE_CLAIM = _fan(
    45, "Last Tile Claim", "海底捞月", 8,
    "Won on the discard that followed the last tile of the wall.",
)
OUT_WITH_REPLACEMENT_TILE = _fan(
    46, "Out with Replacement Tile", "杠上开花", 8,
    "Won on the tile drawn for a kong, not for a flower.",
    "self_drawn",
)
ROBBING_THE_KONG = _fan(
    47, "Robbing the Kong", "抢杠和", 8,
    "Won on the tile that another player added to a melded pung.",
    "last_tile",
)
TWO_CONCEALED_KONGS = _fan(
    48, "Two Concealed Kongs", "双暗杠", 8,
    "Two declared kongs, both concealed.",
    "concealed_kong",
)
ALL_PUNGS = _fan(
    49, "All Pungs", "碰碰和", 6,
    "Four pungs or kongs and a pair.",
)
HALF_FLUSH = _fan(
    50, "Half Flush", "混一色", 6,
    "Tiles of one suit and honours.",
)
MIXED_SHIFTED_CHOWS = _fan(
    51, "Mixed Shifted Chows", "三色三步高", 6,
    "Three chows, one in each suit, each shifted by one from the one before.",
)
ALL_TYPES = _fan(
    52, "All Types", "五门齐", 6,
    "Tiles of all three suits, winds and dragons.",
)
MELDED_HAND = _fan(
    53, "Melded Hand", "全求人", 6,
    "Four melds from discards, and the pair completed by a discard.",
    "single_wait",
)
TWO_DRAGON_PUNGS = _fan(
    54, "Two Dragon Pungs", "双箭刻", 6,
    "Pungs or kongs of two dragons.",
    "dragon_pung",
)
OUTSIDE_HAND = _fan(
    55, "Outside Hand", "全带幺", 4,
    "Every set and the pair contain a one, a nine or an honour.",
)
FULLY_CONCEALED_HAND = _fan(
    56, "Fully Concealed Hand", "不求人", 4,
    "No meld from a discard, and won by self-draw.",
    "self_drawn",
)
TWO_MELDED_KONGS = _fan(
    57, "Two Melded Kongs", "双明杠", 4,
    "Two declared kongs, both melded.",
    "melded_kong",
)
MELDED_AND_CONCEALED_KONG = _fan(
    "57b", "Melded and Concealed Kong", "明暗杠", 6,
    "Two declared kongs, one melded and one concealed.",
    "melded_kong concealed_kong",
)
LAST_TILE = _fan(
    58, "Last Tile", "和绝张", 4,
    "Won on the fourth of its kind, the other three being visible to all.",
)
DRAGON_PUNG = _fan(
    59, "Dragon Pung", "箭刻", 2,
    "A pung or kong of a dragon.",
)
PREVALENT_WIND = _fan(
    60, "Prevalent Wind", "圈风刻", 2,
    "A pung or kong of the wind of the round.",
)
SEAT_WIND = _fan(
    61, "Seat Wind", "门风刻", 2,
    "A pung or kong of the winner's own wind.",
)
CONCEALED_HAND = _fan(
    62, "Concealed Hand", "门前清", 2,
    "No meld from a discard, and won on a discard.",
)
ALL_CHOWS = _fan(
    63, "All Chows", "平和", 2,
    "Only chows, and a pair of a suit.",
    "no_honors",
)
TILE_HOG = _fan(
    64, "Tile Hog", "四归一", 2,
    "All four copies of a tile, not declared as a kong.",
)
DOUBLE_PUNG = _fan(
    65, "Double Pung", "双同刻", 2,
    "Two pungs of one rank.",
)
TWO_CONCEALED_PUNGS = _fan(
    66, "Two Concealed Pungs", "双暗刻", 2,
    "Two pungs or kongs completed without a discard.",
)
CONCEALED_KONG = _fan(
    67, "Concealed Kong", "暗杠", 2,
    "One declared kong, concealed.",
)
ALL_SIMPLES = _fan(
    68, "All Simples", "断幺", 2,
    "Only twos to eights.",
    "no_honors",
)
PURE_DOUBLE_CHOW = _fan(
    69, "Pure Double Chow", "一般高", 1,
    "Two identical chows.",
)
MIXED_DOUBLE_CHOW = _fan(
    70, "Mixed Double Chow", "喜相逢", 1,
    "The same chow in two suits.",
)
SHORT_STRAIGHT = _fan(
    71, "Short Straight", "连六", 1,
    "Two chows of one suit that follow each other.",
)
TWO_TERMINAL_CHOWS = _fan(
    72, "Two Terminal Chows", "老少副", 1,
    "123 and 789 of one suit.",
)
PUNG_OF_TERMINALS_OR_HONORS = _fan(
    73, "Pung of Terminals or Honors", "幺九刻", 1,
    "A pung or kong of ones, nines, or a wind that is neither the round's nor the seat's.",
)
MELDED_KONG = _fan(
    74, "Melded Kong", "明杠", 1,
    "One declared kong, melded.",
)
ONE_VOIDED_SUIT = _fan(
    75, "One Voided Suit", "缺一门", 1,
    "Tiles of exactly two suits.",
)
NO_HONORS = _fan(
    76, "No Honors", "无字", 1,
    "No wind and no dragon.",
)
EDGE_WAIT = _fan(
    77, "Edge Wait", "边张", 1,
    "Waited only for the 3 of 123 or the 7 of 789.",
)
CLOSED_WAIT = _fan(
    78, "Closed Wait", "坎张", 1,
    "Waited only for the middle tile of a chow.",
)
SINGLE_WAIT = _fan(
    79, "Single Wait", "单钓将", 1,
    "Waited only for the second tile of the pair.",
)
SELF_DRAWN = _fan(
    80, "Self-Drawn", "自摸", 1,
    "Won on a tile that the winner drew.",
)
FLOWER_TILES = _fan(
    81, "Flower Tiles", "花牌", 1,
    "A flower or season set aside; counted after the minimum has been met.",
)

# fmt: on

FANS: tuple[Fan, ...] = tuple(_book)
BY_ID: Mapping[str, Fan] = MappingProxyType({fan.id: fan for fan in FANS})
