"""Limit hands: half and full, in the order of the specification (section 16)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from table_controller.rules.core.tiles import DRAGONS, Suit, Tile
from table_controller.rules.core.win import Form
from table_controller.rules.korean_japanese_3p.hand import (
    FIVE_BAMBOO,
    GREEN,
    NINE_BAMBOO,
    ONE_BAMBOO,
    RED,
    SCORING_WINDS,
    WHITE,
    Hand,
)
from table_controller.rules.korean_japanese_3p.options import (
    HALF_LIMIT_HANDS,
    AllBambooAndHonours,
    JadeOtherSets,
    LimitConcealment,
    LimitHand,
)

Predicate = Callable[[Hand], bool]
NINE_GATES_RANKS = (1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9)


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit hand: its name, whether it pays half, and when a hand is one."""

    hand: LimitHand
    name: str
    native: str
    is_half: bool
    concealed_only: bool
    predicate: Predicate
    rule: str


LIMITS: list[Limit] = []


def _limit(
    hand: LimitHand, name: str, native: str, *, concealed: bool = False
) -> Callable[[Predicate], Predicate]:
    def declare(predicate: Predicate) -> Predicate:
        rule = " ".join((predicate.__doc__ or "").split())
        is_half = hand in HALF_LIMIT_HANDS
        LIMITS.append(Limit(hand, name, native, is_half, concealed, predicate, rule))
        return predicate

    return declare


def limits_of(hand: Hand) -> list[Limit]:
    """The enabled limit hands of the highest class that the reading satisfies."""
    options = hand.options
    if not options.limit_hands:
        return []
    found = [
        limit
        for limit in LIMITS
        if limit.hand in options.enabled_limit_hands
        and (hand.win.is_concealed or not _must_be_concealed(limit, hand))
        and limit.predicate(hand)
    ]
    names = {limit.hand for limit in found}
    if (
        options.all_bamboo_and_honours_class is AllBambooAndHonours.HALF
        and LimitHand.ALL_BAMBOO_AND_HONOURS in names
    ):
        found = [
            limit for limit in found if limit.hand is not LimitHand.ALL_TERMINALS_AND_OR_HONOURS
        ]
    full = [limit for limit in found if not limit.is_half]
    return full or found


def _must_be_concealed(limit: Limit, hand: Hand) -> bool:
    if limit.concealed_only:
        return True
    everything = LimitConcealment.ALL_CONCEALED_EXCEPT_FOUR_KONGS
    return hand.options.limit_concealment is everything and limit.hand is not LimitHand.FOUR_KONGS


def _pungs(hand: Hand, *tiles: Tile) -> int:
    return sum(group.tile in tiles for group in hand.win.pungs)


def _concealed_kongs(hand: Hand) -> int:
    return sum(group.is_concealed for group in hand.win.kongs)


# Half limit


@_limit(LimitHand.SMALL_DRAGONS, "Small dragons", "소삼원")
def small_dragons(hand: Hand) -> bool:
    """Pungs or kongs of two dragons and a pair of the third."""
    return _pungs(hand, *DRAGONS) == 2 and hand.win.pair in DRAGONS


@_limit(LimitHand.SMALL_WINDS, "Small winds", "소풍")
def small_winds(hand: Hand) -> bool:
    """Pungs or kongs of two of east, south and west and a pair of the third."""
    return _pungs(hand, *SCORING_WINDS) == 2 and hand.win.pair in SCORING_WINDS


@_limit(LimitHand.ALL_BAMBOO_AND_HONOURS, "All bamboo and honours", "")
def all_bamboo_and_honours(hand: Hand) -> bool:
    """Only bamboos and honours, at least one of each."""
    return (
        hand.win.form is not Form.THIRTEEN_ORPHANS
        and hand.win.numbered_suits == {Suit.BAMBOOS}
        and hand.win.has_honours
    )


@_limit(LimitHand.TERMINAL_OR_HONOUR_IN_EVERY_SET, "Terminal or honour in every set", "찬타")
def terminal_or_honour_in_every_set(hand: Hand) -> bool:
    """Every set and the pair hold a one, a nine or an honour, and at least one set is a chow."""
    pair = hand.win.pair
    return (
        pair is not None
        and bool(hand.win.chows)
        and pair.is_terminal_or_honour
        and all(
            any(tile.is_terminal_or_honour for tile in group.tiles) for group in hand.win.groups
        )
    )


@_limit(
    LimitHand.PURE_HAND_WITH_SEAT_PUNG,
    "Pure hand with seat wind or seat dragon",
    "",
    concealed=True,
)
def pure_hand_with_seat_pung(hand: Hand) -> bool:
    """A concealed pure hand with a pung or kong of the own wind or of the own seat's dragon
    (east green, south red, west white).
    """
    own = (hand.win.seat_wind.tile, hand.seat_dragon)
    return hand.is_pure and any(hand.win.has_pung(tile) for tile in own)


@_limit(LimitHand.FOUR_CONCEALED_PUNGS, "Four concealed pungs", "사암각")
def four_concealed_pungs(hand: Hand) -> bool:
    """Four concealed pungs or kongs; on a discard only with the pair as the wait."""
    return len(hand.concealed_pungs) == 4


@_limit(LimitHand.THREE_KONGS_HONOUR_PAIR, "Three kongs and a pair of honours", "")
def three_kongs_honour_pair(hand: Hand) -> bool:
    """At least three kongs, and the pair is an honour."""
    pair = hand.win.pair
    return len(hand.win.kongs) >= 3 and pair is not None and pair.is_honour


@_limit(LimitHand.LITTLE_JADE_DRAGON, "Little jade dragon", "")
def little_jade_dragon(hand: Hand) -> bool:
    """A pair of five bamboo and a pung or kong of green dragons."""
    return hand.win.pair == FIVE_BAMBOO and hand.win.has_pung(GREEN) and _others_fit(hand, GREEN)


@_limit(LimitHand.THREE_CONCEALED_KONGS, "Three concealed kongs", "")
def three_concealed_kongs(hand: Hand) -> bool:
    """At least three concealed kongs."""
    return _concealed_kongs(hand) >= 3


@_limit(LimitHand.FOUR_KONGS, "Four kongs", "사깡자")
def four_kongs(hand: Hand) -> bool:
    """Four kongs, concealed or not."""
    return len(hand.win.kongs) == 4


# Full limit


@_limit(LimitHand.ALL_TERMINALS_AND_OR_HONOURS, "All honours and/or terminals", "혼노두")
def all_terminals_and_or_honours(hand: Hand) -> bool:
    """Only ones, nines and honours, in four sets and a pair or in seven pairs."""
    if hand.win.form is Form.THIRTEEN_ORPHANS:
        return False
    if hand.win.form is Form.SEVEN_PAIRS and not hand.options.terminals_honours_limit_seven_pairs:
        return False
    return all(tile.is_terminal_or_honour for tile in hand.win.tiles)


@_limit(LimitHand.BIG_DRAGONS, "Big dragons", "대삼원")
def big_dragons(hand: Hand) -> bool:
    """Pungs or kongs of all three dragons."""
    return _pungs(hand, *DRAGONS) == 3


@_limit(LimitHand.BIG_WINDS, "Big winds", "대풍")
def big_winds(hand: Hand) -> bool:
    """Pungs or kongs of east, south and west."""
    return _pungs(hand, *SCORING_WINDS) == 3


@_limit(LimitHand.BAMBOO_ONE_NINE_AND_FIVE_PAIR, "Bamboo one, nine and five", "")
def bamboo_one_nine_and_five_pair(hand: Hand) -> bool:
    """Pungs or kongs of one and nine bamboo and a pair of five bamboo."""
    return hand.win.pair == FIVE_BAMBOO and _pungs(hand, ONE_BAMBOO, NINE_BAMBOO) == 2


@_limit(LimitHand.FOUR_CONCEALED_KONGS, "Four concealed kongs", "사암깡")
def four_concealed_kongs(hand: Hand) -> bool:
    """Four concealed kongs."""
    return _concealed_kongs(hand) == 4


@_limit(LimitHand.THIRTEEN_ORPHANS, "Thirteen orphans", "국사무쌍", concealed=True)
def thirteen_orphans(hand: Hand) -> bool:
    """Every one, nine and honour in play, the fourteen tiles completed by two more of one kind
    (with the north wind by one more).
    """
    return hand.win.form is Form.THIRTEEN_ORPHANS


@_limit(LimitHand.NINE_GATES, "Nine gates", "구련보등", concealed=True)
def nine_gates(hand: Hand) -> bool:
    """1112345678999 of circles or of characters waiting for any tile of that suit."""
    win = hand.win
    if win.melds or win.has_honours or not hand.is_pure:
        return False
    left = [tile.rank for tile in win.tiles]
    if not hand.options.nine_gates_any_shape:
        left.remove(win.winning_tile.rank)
        return sorted(left) == sorted(NINE_GATES_RANKS)
    for rank in NINE_GATES_RANKS:
        if rank not in left:
            return False
        left.remove(rank)
    return True


@_limit(LimitHand.PEARL_DRAGON, "Pearl dragon", "")
def pearl_dragon(hand: Hand) -> bool:
    """A pung or kong of white dragons, every other tile a circle."""
    return _one_dragon_and(hand, WHITE, Suit.CIRCLES)


@_limit(LimitHand.RUBY_DRAGON, "Ruby dragon", "")
def ruby_dragon(hand: Hand) -> bool:
    """A pung or kong of red dragons, every other tile a character."""
    return _one_dragon_and(hand, RED, Suit.CHARACTERS)


@_limit(LimitHand.GREAT_JADE_DRAGON, "Great jade dragon", "")
def great_jade_dragon(hand: Hand) -> bool:
    """Pungs or kongs of one bamboo, nine bamboo and green dragons."""
    named = (ONE_BAMBOO, NINE_BAMBOO, GREEN)
    return _pungs(hand, *named) == 3 and _others_fit(hand, *named)


def _one_dragon_and(hand: Hand, dragon: Tile, suit: Suit) -> bool:
    return hand.win.has_pung(dragon) and all(
        tile == dragon or tile.suit is suit for tile in hand.win.tiles
    )


def _others_fit(hand: Hand, *named: Tile) -> bool:
    """The sets of a jade dragon that are not named are free, or of honours by option."""
    if hand.options.jade_other_sets is JadeOtherSets.FREE:
        return True
    return all(group.tile in named or group.tile.is_honour for group in hand.win.groups)
