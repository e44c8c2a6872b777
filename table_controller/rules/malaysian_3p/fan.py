"""The fan items and the ten-fan hands, in the order of the specification (sections 8 and 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from table_controller.rules.core import patterns
from table_controller.rules.core.case import Flag
from table_controller.rules.core.tally import NEVER, Proofs, Tally, once
from table_controller.rules.core.tiles import DRAGONS, WINDS, Suit, Tile
from table_controller.rules.core.win import Form
from table_controller.rules.malaysian_3p.hand import ANYBODYS_NUMBER, EAST, NORTH, Hand
from table_controller.rules.malaysian_3p.options import (
    AllBonusTilesSet,
    BonusSetCounts,
    NineGatesShape,
    SingleFaceAnimalFan,
)

fan: Tally[Hand] = Tally("fan")

COMPARED = (
    "face_tile", "animal_tile", "four_faces", "four_animals", "four_flowers", "four_seasons",
    "own_flower", "own_season", "bamboo_flower", "winter_season", "dragon_pung", "seat_wind_pung",
    "north_pung", "east_pung",
)  # fmt: skip
"""The items of the first five lines of the list: what the losers compare."""


def _each(hand: Hand, suit: Suit) -> Proofs:
    found = [(tile,) for tile in hand.bonus_of(suit)]
    once_only = hand.options.single_face_animal_fan is SingleFaceAnimalFan.ONCE_PER_GROUP
    return found[:1] if once_only else found


def _four(hand: Hand, suit: Suit) -> Proofs:
    if hand.options.bonus_set_counts is BonusSetCounts.PAYMENT_ONLY:
        return NEVER
    found = hand.bonus_of(suit)
    return once(len(found) == 4, *found)


def _number(hand: Hand, suit: Suit, number: int) -> Proofs:
    wanted = Tile(suit, number)
    return once(wanted in hand.win.bonus, wanted)


@fan("Face tile", "人像", 1)
def face_tile(hand: Hand) -> Proofs:
    """Every face tile set aside counts 1."""
    return _each(hand, Suit.FACES)


@fan("Animal tile", "动物", 1)
def animal_tile(hand: Hand) -> Proofs:
    """Every animal tile set aside counts 1."""
    return _each(hand, Suit.ANIMALS)


@fan("All four faces", "四人像", 1, id="four_faces")
def four_faces(hand: Hand) -> Proofs:
    """All four face tiles count 1 more, five in total."""
    return _four(hand, Suit.FACES)


@fan("All four animals", "四动物", 1, id="four_animals")
def four_animals(hand: Hand) -> Proofs:
    """All four animal tiles count 1 more, five in total."""
    return _four(hand, Suit.ANIMALS)


@fan("Four flowers", "四花", 1)
def four_flowers(hand: Hand) -> Proofs:
    """All four flowers count 1."""
    return _four(hand, Suit.FLOWERS)


@fan("Four seasons", "四季", 1)
def four_seasons(hand: Hand) -> Proofs:
    """All four seasons count 1."""
    return _four(hand, Suit.SEASONS)


@fan("Own flower", "正花", 1)
def own_flower(hand: Hand) -> Proofs:
    """The flower of the own seat (east 1, south 2, west 3) counts 1."""
    return _number(hand, Suit.FLOWERS, hand.seat_number)


@fan("Own season", "正季", 1)
def own_season(hand: Hand) -> Proofs:
    """The season of the own seat (east 1, south 2, west 3) counts 1."""
    return _number(hand, Suit.SEASONS, hand.seat_number)


@fan("Bamboo flower", "竹", 1)
def bamboo_flower(hand: Hand) -> Proofs:
    """The bamboo flower, number 4, counts 1 for every player."""
    return _number(hand, Suit.FLOWERS, ANYBODYS_NUMBER)


@fan("Winter season", "冬", 1)
def winter_season(hand: Hand) -> Proofs:
    """The winter season, number 4, counts 1 for every player."""
    return _number(hand, Suit.SEASONS, ANYBODYS_NUMBER)


@fan("Dragon pung", "三元牌", 1)
def dragon_pung(hand: Hand) -> Proofs:
    """A pung or kong of a dragon counts 1 each."""
    if not hand.options.small_three_dragons_counts_pungs and small_three_dragons(hand):
        return NEVER
    return hand.pungs_of(*DRAGONS)


@fan("Own-wind pung", "门风", 1, id="seat_wind_pung")
def seat_wind_pung(hand: Hand) -> Proofs:
    """A pung or kong of the own wind counts 1."""
    return hand.pungs_of(hand.win.seat_wind.tile)


@fan("North pung", "北风", 1)
def north_pung(hand: Hand) -> Proofs:
    """A pung or kong of north counts 1 for every player."""
    return hand.pungs_of(NORTH)


@fan("East pung", "东风", 1)
def east_pung(hand: Hand) -> Proofs:
    """A pung or kong of east counts 1 for every player: the wind of the round is always east."""
    is_own = hand.win.seat_wind.tile == EAST
    return hand.pungs_of(EAST) if hand.options.dealer_east_double or not is_own else NEVER


@fan("Small three dragons", "小三元", 3)
def small_three_dragons(hand: Hand) -> Proofs:
    """Pungs or kongs of two dragons and a pair of the third count 3."""
    pair = hand.win.pair
    return once(len(hand.pungs_of(*DRAGONS)) == 2 and pair in DRAGONS)


@fan("One suit with honours", "混一色", 1, id="mixed_one_suit")
def mixed_one_suit(hand: Hand) -> Proofs:
    """Circles and honours, both present, count 1."""
    return once(patterns.half_flush(hand.win))


@fan("One suit only", "清一色", 3)
def one_suit_only(hand: Hand) -> Proofs:
    """Circles only count 3."""
    return once(patterns.full_flush(hand.win))


@fan("All chows with a pair of circles", "平和", 1, id="all_chows_circle_pair")
def all_chows_circle_pair(hand: Hand) -> Proofs:
    """Four chows and a pair of circles count 1."""
    pair = hand.win.pair
    return once(patterns.all_chows(hand.win) and pair is not None and pair.is_numbered)


@fan("All pungs", "碰碰和", 2)
def all_pungs(hand: Hand) -> Proofs:
    """Four pungs or kongs and a pair count 2."""
    return once(patterns.all_pungs(hand.win) and len(hand.win.pungs) == 4)


@fan("Win on a replacement tile", "花上/杠上", 1, id="replacement_win")
def replacement_win(hand: Hand) -> Proofs:
    """Winning with the replacement of a kong's fourth tile or of a bonus tile counts 1."""
    return once(Flag.REPLACEMENT in hand.win.flags and hand.win.self_drawn)


@fan("Seven pairs", "七对", 1)
def seven_pairs(hand: Hand) -> Proofs:
    """Seven pairs in a concealed hand count 1."""
    return once(hand.win.form is Form.SEVEN_PAIRS)


@fan("Robbing a kong", "抢杠", 1, id="robbing_kong")
def robbing_kong(hand: Hand) -> Proofs:
    """Winning with the tile that another player adds to a pung counts 1."""
    return once(hand.is_robbed)


# Ten-fan hands

Predicate = Callable[[Hand], bool]


@dataclass(frozen=True, slots=True)
class TenFan:
    """A hand that is ten fan by itself."""

    id: str
    name: str
    native: str
    predicate: Predicate
    rule: str


TEN_FAN: list[TenFan] = []


def _ten(id: str, name: str, native: str) -> Callable[[Predicate], Predicate]:
    def declare(predicate: Predicate) -> Predicate:
        rule = " ".join((predicate.__doc__ or "").split())
        TEN_FAN.append(TenFan(id, name, native, predicate, rule))
        return predicate

    return declare


def ten_fan_of(hand: Hand) -> list[TenFan]:
    """The ten-fan hands that the reading is."""
    return [one for one in TEN_FAN if one.predicate(hand)]


NINE_GATES = Counter({1: 3, 9: 3, **dict.fromkeys(range(2, 9), 1)})


@_ten("nine_gates", "Nine gates", "九莲宝灯")
def nine_gates(hand: Hand) -> bool:
    """Concealed 1112345678999 of circles and one more circle, self-drawn only."""
    win = hand.win
    if win.melds or not win.self_drawn or not patterns.full_flush(win):
        return False
    counts = Counter(tile.rank for tile in win.tiles)
    if hand.options.nine_gates_shape is NineGatesShape.NINE_SIDED_WAIT:
        counts[win.winning_tile.rank] -= 1
        return counts == NINE_GATES
    return counts >= NINE_GATES


@_ten("four_winds", "Big or small four winds", "四喜")
def four_winds(hand: Hand) -> bool:
    """Pungs or kongs of four winds, or of three winds with a pair of the fourth."""
    pungs = len(hand.pungs_of(*WINDS))
    return pungs == 4 or (pungs == 3 and hand.win.pair in WINDS)


@_ten("no_bonus_tiles", "No bonus tile", "无花")
def no_bonus_tiles(hand: Hand) -> bool:
    """The winner has set aside no flower, season, face or animal; flies are no bonus tiles."""
    return not hand.win.bonus


@_ten("four_kongs", "Four kongs", "四杠")
def four_kongs(hand: Hand) -> bool:
    """Four kongs of any kind and a pair."""
    return len(hand.win.kongs) == 4


@_ten("big_three_dragons", "Big three dragons", "大三元")
def big_three_dragons(hand: Hand) -> bool:
    """Pungs or kongs of all three dragons."""
    return len(hand.pungs_of(*DRAGONS)) == 3


@_ten("replacement_after_two_kongs", "Win after two consecutive kongs", "杠上杠")
def replacement_after_two_kongs(hand: Hand) -> bool:
    """Two kongs in one turn without a discard between them, won on the second replacement."""
    return hand.after_two_kongs and hand.win.self_drawn


@_ten("four_concealed_pungs", "Four concealed pungs", "四暗刻")
def four_concealed_pungs(hand: Hand) -> bool:
    """Four concealed pungs or kongs, self-drawn only."""
    concealed = sum(group.is_concealed for group in hand.win.pungs)
    return concealed == 4 and hand.win.self_drawn


@_ten("four_flies", "Four flies", "四飞")
def four_flies(hand: Hand) -> bool:
    """All four flies: in the starting hand at once, later in a complete winning hand."""
    return hand.flies == 4


@_ten("first_or_last_tile", "First or last tile", "天和/地和/海底")
def first_or_last_tile(hand: Hand) -> bool:
    """Won with the dealt tiles or the first tile drawn, before any call or kong, or with the last
    tile of the wall.
    """
    flags, win, options = hand.win.flags, hand.win, hand.options
    if Flag.FIRST_TURN in flags:
        if win.self_drawn:
            return True
        if options.first_tile_includes_first_discard and hand.first_discard and not hand.is_robbed:
            return True
    if Flag.LAST_TILE not in flags:
        return False
    return win.self_drawn or (options.last_tile_includes_last_discard and not hand.is_robbed)


@_ten("all_honours", "All honours", "字一色")
def all_honours(hand: Hand) -> bool:
    """Only winds and dragons."""
    return patterns.all_honours(hand.win)


BONUS_SETS = {
    AllBonusTilesSet.SIXTEEN: (Suit.FLOWERS, Suit.SEASONS, Suit.FACES, Suit.ANIMALS),
    AllBonusTilesSet.FLOWERS_AND_SEASONS: (Suit.FLOWERS, Suit.SEASONS),
    AllBonusTilesSet.FACES_AND_ANIMALS: (Suit.FACES, Suit.ANIMALS),
}


@_ten("all_bonus_tiles", "All bonus tiles", "全花")
def all_bonus_tiles(hand: Hand) -> bool:
    """The winner has set aside every flower, season, face and animal, or those of the option."""
    suits = BONUS_SETS[hand.options.all_bonus_tiles_set]
    return len(hand.bonus_of(*suits)) == 4 * len(suits)
