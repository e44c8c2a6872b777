"""Hand points and bonus points, in the order of the specification (sections 13 to 15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from table_controller.rules.core.case import Flag
from table_controller.rules.core.patterns import all_chows, all_pungs
from table_controller.rules.core.tally import NEVER, ONCE, Proofs, Tally, once
from table_controller.rules.core.tiles import DRAGONS, Suit, Tile
from table_controller.rules.core.win import Form
from table_controller.rules.korean_japanese_3p.hand import (
    NINE_BAMBOO,
    NORTH,
    ONE_BAMBOO,
    SCORING_WINDS,
    Hand,
)
from table_controller.rules.korean_japanese_3p.options import (
    DoraRule,
    FlowerIndicatorValue,
    IdenticalChowCount,
    LastTileScope,
    MatchingScope,
    NorthKongMode,
    NorthPointsClass,
    RevealedDoraMode,
)

hand_point: Tally[Hand] = Tally("hand_points")
bonus_point: Tally[Hand] = Tally("bonus_points")


# Hand points


@hand_point("Dragon pung", "삼원패", 1)
def dragon_pung(hand: Hand) -> Proofs:
    """A pung or kong of a dragon counts 1 each."""
    return hand.pungs_of(*DRAGONS)


@hand_point("Two dragon pungs", "", 1)
def two_dragon_pungs(hand: Hand) -> Proofs:
    """Two dragon pungs or kongs count 1 more, three points in total."""
    return once(len(hand.pungs_of(*DRAGONS)) >= 2)


@hand_point("Wind pung", "풍패", 1)
def wind_pung(hand: Hand) -> Proofs:
    """A pung or kong of east, south or west counts 1 each, by option a kong of norths too."""
    winds = hand.pungs_of(*SCORING_WINDS)
    if hand.options.north_kong_mode is NorthKongMode.ADDITIONAL:
        winds += _north_kong(hand)
    return winds


@hand_point("Seat-wind pung", "자풍패", 1)
def seat_wind_pung(hand: Hand) -> Proofs:
    """A pung or kong of the winner's own wind counts 1 more."""
    return hand.pungs_of(hand.win.seat_wind.tile)


@hand_point("Prevailing-wind pung", "장풍패", 1)
def prevailing_wind_pung(hand: Hand) -> Proofs:
    """A pung or kong of the wind of the round counts 1 more."""
    return hand.pungs_of(hand.win.round_wind.tile)


@hand_point("Seat-dragon pung", "", lambda hand: hand.options.seat_dragon_extra_point)
def seat_dragon_pung(hand: Hand) -> Proofs:
    """A pung or kong of the own seat's dragon (east green, south red, west white) counts 1 more."""
    return hand.pungs_of(hand.seat_dragon) if hand.options.seat_dragon_extra_point else NEVER


@hand_point("Kong", "깡", 1)
def kong(hand: Hand) -> Proofs:
    """A declared kong of any kind counts 1 each."""
    total = hand.options.north_kong_mode is NorthKongMode.TOTAL
    return [group.tiles for group in hand.win.kongs if not (total and group.tile == NORTH)]


@hand_point("Three kongs", "삼깡자", 3)
def three_kongs(hand: Hand) -> Proofs:
    """Three kongs count 3 more, six points in total."""
    return once(len(hand.win.kongs) >= 3)


@hand_point("Pung of one or nine bamboo", "", 1, id="bamboo_terminal_pung")
def bamboo_terminal_pung(hand: Hand) -> Proofs:
    """A pung or kong of one bamboo or of nine bamboo counts 1 each."""
    return hand.pungs_of(ONE_BAMBOO, NINE_BAMBOO)


@hand_point("Pungs of one and nine bamboo", "", 4, id="both_bamboo_terminal_pungs")
def both_bamboo_terminal_pungs(hand: Hand) -> Proofs:
    """Pungs or kongs of both one and nine bamboo count 4 more, six points in total."""
    return once(hand.win.has_pung(ONE_BAMBOO) and hand.win.has_pung(NINE_BAMBOO))


@hand_point("Two identical chows", "이배구", 2)
def two_identical_chows(hand: Hand) -> Proofs:
    """Two chows of the same suit and numbers count 2 for each such pair of chows."""
    counts = Counter(group.tiles for group in hand.win.chows)
    pairs = [tiles * 2 for tiles, number in counts.items() for _ in range(number // 2)]
    return pairs[:1] if hand.options.identical_chow_count is IdenticalChowCount.ONCE else pairs


@hand_point("Three concealed pungs", "삼암각", 3)
def three_concealed_pungs(hand: Hand) -> Proofs:
    """Three pungs from the own tiles, or concealed kongs, count 3; one that another player's
    tile completed is not concealed.
    """
    found = hand.concealed_pungs
    return once(len(found) >= 3, *(tile for group in found for tile in group.tiles))


@hand_point("All pungs", "대대화", 3)
def all_pungs_(hand: Hand) -> Proofs:
    """Four pungs or kongs and a pair count 3."""
    return once(all_pungs(hand.win))


@hand_point("All terminals and honours", "혼노두", 6)
def all_terminals_and_honours(hand: Hand) -> Proofs:
    """All pungs with only ones, nines and honours count 6 more, nine points in total."""
    return once(all_pungs(hand.win) and all(tile.is_terminal_or_honour for tile in hand.win.tiles))


@hand_point("Pure hand", "혼일색", 3)
def pure_hand(hand: Hand) -> Proofs:
    """One suit, circles or characters, with or without honours counts 3."""
    return once(hand.is_pure)


@hand_point("Pure hand without honours", "청일색", 3, id="pure_hand_no_honours")
def pure_hand_no_honours(hand: Hand) -> Proofs:
    """A pure hand without honours counts 3 more, six points in total."""
    return once(hand.is_pure and not hand.win.has_honours)


@hand_point("Seven pairs", "칠대자", 3)
def seven_pairs(hand: Hand) -> Proofs:
    """Seven different pairs in a concealed hand count 3."""
    return once(hand.win.form is Form.SEVEN_PAIRS)


@hand_point("Straight", "일기통관", 3)
def straight(hand: Hand) -> Proofs:
    """The chows 123, 456 and 789 of one suit count 3."""
    for suit in (Suit.CIRCLES, Suit.CHARACTERS):
        if all(hand.win.has_chow(Tile(suit, rank)) for rank in (1, 4, 7)):
            return once(True, *(Tile(suit, rank) for rank in range(1, 10)))
    return NEVER


@hand_point("All simples", "무자", 1)
def all_simples(hand: Hand) -> Proofs:
    """A hand without honours counts 1; ones and nines are simples in this game."""
    return once(not hand.win.has_honours)


@hand_point("All chows and a pair of simples", "평화", 2, id="all_chows_simple_pair")
def all_chows_simple_pair(hand: Hand) -> Proofs:
    """Four chows and a numbered pair count 2 more, three points in total."""
    pair = hand.win.pair
    return once(all_chows(hand.win) and pair is not None and pair.is_numbered)


@hand_point("Concealed hand", "문전청", 2)
def concealed_hand(hand: Hand) -> Proofs:
    """A hand that took no discard before the win counts 2; concealed kongs are allowed."""
    return once(hand.win.is_concealed)


@hand_point("Concealed and self-drawn", "문전청자모", 2, id="concealed_self_draw")
def concealed_self_draw(hand: Hand) -> Proofs:
    """A concealed hand that drew its winning tile from the wall counts 2 more, four in total."""
    return once(hand.win.is_concealed and hand.win.self_drawn)


# Bonus points


@bonus_point("Self-draw", "자모", 1)
def self_draw(hand: Hand) -> Proofs:
    """A winning tile from the wall counts 1."""
    return once(hand.win.self_drawn)


@bonus_point("Last wall tile", "해저로월", 1)
def last_wall_tile(hand: Hand) -> Proofs:
    """Winning with the last tile that could be drawn counts 1."""
    scope = hand.options.last_tile_scope
    fits = hand.win.self_drawn or (
        scope is LastTileScope.WALL_TILE_OR_LAST_DISCARD and not hand.is_robbed
    )
    return once(Flag.LAST_TILE in hand.win.flags and fits)


@bonus_point("Replacement tile", "영상개화", 1)
def replacement_tile(hand: Hand) -> Proofs:
    """Winning with the replacement of a flower or of the fourth tile of a kong counts 1."""
    return once(Flag.REPLACEMENT in hand.win.flags and hand.win.self_drawn)


@bonus_point("Robbing a kong", "창깡", 1, id="robbed_kong")
def robbed_kong(hand: Hand) -> Proofs:
    """Winning with the tile that another player adds to a pung counts 1."""
    return once(hand.is_robbed)


@bonus_point("Tiles matching the winning tile", "", 1, id="matching_winning_tile")
def matching_winning_tile(hand: Hand) -> Proofs:
    """Every further tile of the kind of the winning tile in the hand counts 1."""
    whole = hand.options.matching_scope is MatchingScope.WHOLE_HAND
    where = hand.win.tiles if whole else hand.concealed_tiles
    return [(hand.win.winning_tile,)] * (where.count(hand.win.winning_tile) - 1)


def _flower_worth(hand: Hand) -> int:
    flowers = len(hand.win.bonus)
    if not hand.flower_turned:
        return flowers
    if flowers == 3:
        return 8
    return 2 * flowers if _flowers_two_each(hand) else 2


def _flowers_two_each(hand: Hand) -> bool:
    return hand.options.flower_indicator_value is FlowerIndicatorValue.TWO_EACH


@bonus_point("Flower", "꽃", _flower_worth)
def flower(hand: Hand) -> Proofs:
    """Every flower set aside counts 1; where one was turned 2 (by option 2 in all), and three 8."""
    return once(bool(hand.win.bonus), *hand.win.bonus)


@bonus_point("All four flowers", "", 4, id="four_flowers")
def four_flowers(hand: Hand) -> Proofs:
    """All four flowers count 4 more, eight points in total."""
    return once(len(hand.win.bonus) == 4)


@bonus_point("Concealed hand (bonus)", "문전청", 2, id="concealed_hand_bonus")
def concealed_hand_bonus(hand: Hand) -> Proofs:
    """A concealed hand also counts 2 bonus points."""
    return once(hand.win.is_concealed)


@bonus_point("Fully concealed (bonus)", "문전청자모", 2, id="fully_concealed_bonus")
def fully_concealed_bonus(hand: Hand) -> Proofs:
    """A concealed hand that drew its winning tile from the wall counts 2 bonus points more."""
    return once(hand.win.is_concealed and hand.win.self_drawn)


@bonus_point("Ready declared", "리치", 2, id="ready")
def ready(hand: Hand) -> Proofs:
    """A ready declaration that stands counts 2."""
    return once(Flag.READY in hand.win.flags)


@bonus_point("Ready and self-drawn", "", 2, id="ready_self_draw")
def ready_self_draw(hand: Hand) -> Proofs:
    """Self-drawn after declaring ready counts 2 more."""
    return once(Flag.READY in hand.win.flags and hand.win.self_drawn)


# Optional rules


def _dora_tiles(hand: Hand) -> list[tuple[Tile, ...]]:
    return [(tile,) for tile in hand.win.tiles if tile == hand.dora]


@bonus_point("Dead-wall dora", "도라", 1, id="dead_wall_dora")
def dead_wall_dora(hand: Hand) -> Proofs:
    """Every tile of the kind after the turned tile of the dead wall counts 1."""
    return _dora_tiles(hand) if hand.options.dora_rule is DoraRule.DEAD_WALL else NEVER


@bonus_point("Revealed dora", "도라", 1)
def revealed_dora(hand: Hand) -> Proofs:
    """Every tile of the kind after the revealed tile counts 1."""
    if hand.options.dora_rule is not DoraRule.REVEALED:
        return NEVER
    tiles = _dora_tiles(hand)
    if hand.options.revealed_dora_mode is RevealedDoraMode.TOTAL:
        in_set = 2 * len(revealed_dora_eye(hand)) + 3 * len(revealed_dora_pung(hand))
        return tiles[in_set + 4 * len(revealed_dora_kong(hand)) :]
    return tiles


def _is_revealed(hand: Hand) -> bool:
    return hand.options.dora_rule is DoraRule.REVEALED and hand.dora is not None


@bonus_point("Revealed dora as the eye", "", 1, id="revealed_dora_eye")
def revealed_dora_eye(hand: Hand) -> Proofs:
    """The pair being of the revealed dora counts 1 more."""
    is_eye = _is_revealed(hand) and hand.dora in hand.pairs
    return once(is_eye)


@bonus_point("Revealed dora pung", "", 2)
def revealed_dora_pung(hand: Hand) -> Proofs:
    """A pung of the revealed dora counts 2 more."""
    return once(
        _is_revealed(hand)
        and any(group.tile == hand.dora and not group.kind.is_kong for group in hand.win.pungs)
    )


@bonus_point("Revealed dora kong", "", 6)
def revealed_dora_kong(hand: Hand) -> Proofs:
    """A kong of the revealed dora counts 6 more."""
    return once(_is_revealed(hand) and any(group.tile == hand.dora for group in hand.win.kongs))


@bonus_point("Red fives", "적5", lambda hand: 6 if len(hand.reds) == 2 else 1, id="red_fives")
def red_fives(hand: Hand) -> Proofs:
    """One red five counts 1, both count 6 in total."""
    return once(bool(hand.reds), *hand.reds)


def _north_kong(hand: Hand) -> list[tuple[Tile, ...]]:
    return [group.tiles for group in hand.win.kongs if group.tile == NORTH]


def _of_class(
    points: NorthPointsClass, proofs: Callable[[Hand], Proofs]
) -> Callable[[Hand], Proofs]:
    """The same item, counting only where the north points belong to this class."""

    def found(hand: Hand) -> Proofs:
        return proofs(hand) if hand.options.north_points_class is points else NEVER

    found.__doc__ = proofs.__doc__
    return found


def _north_pair(hand: Hand) -> Proofs:
    """A pair of norths counts 2."""
    return once(NORTH in hand.pairs, NORTH, NORTH)


def _north_kong_points(hand: Hand) -> Proofs:
    """A declared kong of norths counts 6."""
    return _north_kong(hand)


for _tally, _class in (
    (hand_point, NorthPointsClass.HAND),
    (bonus_point, NorthPointsClass.BONUS),
):
    _tally("Pair of norths", "북", 2, id="north_pair")(_of_class(_class, _north_pair))
    _tally("Kong of norths", "북깡", 6, id="north_kong")(_of_class(_class, _north_kong_points))


@bonus_point("Winning with a north", "", 2, id="north_win")
def north_win(hand: Hand) -> Proofs:
    """A north as the winning tile counts 2."""
    return ONCE if hand.win.winning_tile == NORTH and not hand.is_robbed else NEVER
