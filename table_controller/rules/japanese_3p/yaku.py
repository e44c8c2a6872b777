"""Yaku, yakuman and bonus han, in the order of the specification (sections 9 to 11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from table_controller.rules.core import patterns
from table_controller.rules.core.case import Flag
from table_controller.rules.core.patterns import Pattern, PatternTable
from table_controller.rules.core.seats import Wind
from table_controller.rules.core.tiles import DRAGONS, WINDS, Suit, Tile
from table_controller.rules.core.win import Form, Wait
from table_controller.rules.japanese_3p.hand import (
    GREEN,
    RED,
    SUITS_WITH_CHOWS,
    WHITE,
    Hand,
    Robbed,
)
from table_controller.rules.japanese_3p.options import (
    ImpliedYaku,
    PaarenchanCount,
    PinfuWait,
)

yaku: PatternTable[Hand] = PatternTable("han")
yakuman: PatternTable[Hand] = PatternTable("yakuman")

DRAGON_YAKUHAI = ("yakuhai_Wh", "yakuhai_G", "yakuhai_R")
KUISAGARI = {"chantaiyao", "ikki_tsuukan", "honiisou", "junchantaiyao", "chiniisou"}
SITUATIONAL = {"haitei", "houtei", "rinshan_kaihou", "chankan", "menzen_tsumo"}
IMPLIED = {*DRAGON_YAKUHAI, "toitoihou", "chiitoitsu"}  # in small three dragons, all terminals


def holding(hand: Hand) -> list[Pattern[Hand]]:
    """The yaku whose condition the reading meets, whatever other yaku contain them."""
    return [one for one in yaku if one.predicate(hand)]


def scoring(hand: Hand) -> list[Pattern[Hand]]:
    """The yaku that count: without those that another one replaces or includes."""
    found = holding(hand)
    additive = hand.options.implied_yaku is ImpliedYaku.ADDITIVE
    contained = set[str]()
    for one in found:
        contained |= one.excludes
        if one.id == "shousangen":
            contained |= set(DRAGON_YAKUHAI)
    if additive:
        contained -= IMPLIED
    return [one for one in found if one.id not in contained]


def han_of(one: Pattern[Hand], hand: Hand) -> int:
    """The han of a yaku in this hand."""
    if one.id == "iipeikou" and hand.options.iipeikou_twice:
        return one.value * sum(number // 2 for number in hand.chow_counts.values())
    if hand.options.kuisagari and one.id in KUISAGARI and not hand.is_concealed:
        return one.value - 1
    return one.value


def yakuman_units(one: Pattern[Hand], hand: Hand) -> int:
    """One, two or three units."""
    match one.id:
        case "tenhou":
            return 3
        case "kokushi_musou" if hand.has_kept_orphans():
            return 2
        case "chuuren_poutou" if hand.has_kept_suit():
            won_by_ron = not hand.win.self_drawn
            return 1 if won_by_ron and not hand.options.triple_chuuren_ron else 3
        case "suuankou" if hand.win.wait is Wait.PAIR:
            by_ron = not hand.win.self_drawn
            return 2 if by_ron or hand.options.double_suuankou_tsumo else 1
    return 1


def yakuman_found(hand: Hand) -> list[Pattern[Hand]]:
    """The yakuman that the reading meets."""
    return [one for one in yakuman if one.predicate(hand)]


def _dragon_yakuhai(id: str, name: str, native: str, tile: Tile) -> None:
    rule = f"A triplet or kong of {name} dragons counts 1 han."

    @yaku(f"Yakuhai: {name} dragon", native, 1, id=id, rule=rule)
    def dragon_triplet(hand: Hand) -> bool:
        return hand.win.has_pung(tile)


def _wind_yakuhai(wind: Wind, which: str, native: str) -> None:
    rule = f"A triplet or kong of the {which} wind counts 1 han."

    @yaku(f"Yakuhai: {which} wind", native, 1, id=f"yakuhai_{which}_{wind.value}", rule=rule)
    def wind_triplet(hand: Hand) -> bool:
        now = hand.win.seat_wind if which == "seat" else hand.win.round_wind
        return now is wind and hand.win.has_pung(wind.tile)


_dragon_yakuhai("yakuhai_Wh", "white", "役牌 白", WHITE)
_dragon_yakuhai("yakuhai_G", "green", "役牌 發", GREEN)
_dragon_yakuhai("yakuhai_R", "red", "役牌 中", RED)
for _wind in (Wind.EAST, Wind.SOUTH, Wind.WEST):
    _wind_yakuhai(_wind, "seat", "自風牌")
    _wind_yakuhai(_wind, "round", "場風牌")


@yaku("Iipeikou", "一盃口", 1)
def iipeikou(hand: Hand) -> bool:
    """Two identical chows of one suit in a concealed hand count 1 han."""
    if hand.options.iipeikou_concealed and not hand.is_concealed:
        return False
    return any(number >= 2 for number in hand.chow_counts.values())


@yaku("Pinfu", "平和", 1, concealed_only=True)
def pinfu(hand: Hand) -> bool:
    """Four chows in a concealed hand, a pair that is no yakuhai, and more than one kind of tile to
    win with.
    """
    pair = hand.win.pair
    valued = {*DRAGONS, hand.win.seat_wind.tile, hand.win.round_wind.tile}
    if not hand.is_concealed or not patterns.all_chows(hand.win) or pair in valued:
        return False
    if hand.options.pinfu_wait is PinfuWait.TWO_SIDED:
        return hand.win.wait is Wait.OPEN
    return len(hand.waits) >= 2


@yaku("Riichi", "立直", 1, concealed_only=True)
def riichi(hand: Hand) -> bool:
    """A riichi declaration that stands counts 1 han."""
    return Flag.READY in hand.win.flags


@yaku("Menzen tsumo", "門前清自摸和", 1, concealed_only=True)
def menzen_tsumo(hand: Hand) -> bool:
    """A concealed hand that drew its winning tile counts 1 han, where the house plays it."""
    return hand.options.menzen_tsumo and hand.is_concealed and hand.win.self_drawn


@yaku("Tanyao", "断幺九", 1)
def tanyao(hand: Hand) -> bool:
    """No terminal and no honour in the hand counts 1 han; norths set aside are not in the hand."""
    return patterns.all_simples(hand.win) and (hand.options.open_tanyao or hand.is_concealed)


@yaku("Haitei", "海底", 1)
def haitei(hand: Hand) -> bool:
    """Self-drawn on the last tile of the live wall counts 1 han."""
    return Flag.LAST_TILE in hand.win.flags and hand.win.self_drawn


@yaku("Houtei", "河底", 1)
def houtei(hand: Hand) -> bool:
    """Winning on the last discard of the deal counts 1 han."""
    return Flag.LAST_TILE in hand.win.flags and not hand.win.self_drawn and hand.robbed is None


@yaku("Rinshan kaihou", "嶺上開花", 1, excludes=("haitei",))
def rinshan_kaihou(hand: Hand) -> bool:
    """Winning with the replacement of a kong or of a north set aside counts 1 han."""
    return Flag.REPLACEMENT in hand.win.flags and hand.win.self_drawn


@yaku("Chankan", "槍槓", 1)
def chankan(hand: Hand) -> bool:
    """Winning with the tile that another player adds to a pung counts 1 han."""
    return hand.robbed is Robbed.PROMOTED


@yaku("Chantaiyao", "全帯幺", 2)
def chantaiyao(hand: Hand) -> bool:
    """Every set and the pair with a terminal or honour, with at least one chow and one honour."""
    if not _everywhere(hand, honours=True):
        return False
    needed = bool(hand.win.chows) and hand.win.has_honours
    return needed or not hand.options.chanta_needs_honour_and_chow


@yaku("Chiitoitsu", "七対子", 2, concealed_only=True)
def chiitoitsu(hand: Hand) -> bool:
    """Seven different pairs count 2 han."""
    return hand.win.form is Form.SEVEN_PAIRS


@yaku(
    "Daburu riichi", "ダブル立直", 2, concealed_only=True, excludes=("riichi",), id="double_riichi"
)
def double_riichi(hand: Hand) -> bool:
    """Riichi with the first discard, before any call, kong or north set aside, counts 2 han."""
    return Flag.DOUBLE_READY in hand.win.flags


@yaku("Ikki tsuukan", "一気通貫", 2)
def ikki_tsuukan(hand: Hand) -> bool:
    """The chows 123, 456 and 789 of one suit count 2 han."""
    return any(
        all(hand.win.has_chow(Tile(suit, rank)) for rank in (1, 4, 7)) for suit in SUITS_WITH_CHOWS
    )


@yaku("San'ankou", "三暗刻", 2, id="sanankou")
def sanankou(hand: Hand) -> bool:
    """Three concealed triplets or kongs count 2 han; one completed by a discard is open."""
    return len(hand.concealed_pungs) == 3


@yaku("Sankantsu", "三槓子", 2)
def sankantsu(hand: Hand) -> bool:
    """Three kongs of any kind count 2 han."""
    return len(hand.win.kongs) == 3


@yaku("Iisou sanjun", "一色三順", 2, excludes=("iipeikou",))
def iisou_sanjun(hand: Hand) -> bool:
    """Three identical chows of one suit count 2 han."""
    return any(number >= 3 for number in hand.chow_counts.values())


@yaku("Toitoihou", "対々和", 2)
def toitoihou(hand: Hand) -> bool:
    """Four triplets or kongs and a pair count 2 han."""
    return patterns.all_pungs(hand.win)


@yaku("Hon'iisou", "混一色", 3, id="honiisou")
def honiisou(hand: Hand) -> bool:
    """One suit and honours, both present, count 3 han, open or concealed."""
    return patterns.half_flush(hand.win)


@yaku("Junchantaiyao", "純全帯幺", 3, excludes=("chantaiyao",))
def junchantaiyao(hand: Hand) -> bool:
    """Every set and the pair with a terminal, no honour and at least one chow, count 3 han."""
    return _everywhere(hand, honours=False) and bool(hand.win.chows)


@yaku("Sanrenkou", "三連刻", 3)
def sanrenkou(hand: Hand) -> bool:
    """Three triplets or kongs of consecutive numbers in one suit count 3 han."""
    return any(
        all(hand.win.has_pung(Tile(suit, rank + step)) for step in range(3))
        for suit in SUITS_WITH_CHOWS
        for rank in range(1, 8)
    )


@yaku("Shousangen", "小三元", 4)
def shousangen(hand: Hand) -> bool:
    """Triplets of two dragons and a pair of the third count 4 han."""
    return _pungs(hand, DRAGONS) == 2 and hand.win.pair in DRAGONS


@yaku("Honroutou", "混老頭", 5, excludes=("toitoihou", "chiitoitsu", "chantaiyao"))
def honroutou(hand: Hand) -> bool:
    """Only terminals and honours, both present, in triplets or seven pairs, count 5 han."""
    return hand.win.form is not Form.THIRTEEN_ORPHANS and patterns.terminals_and_honours(hand.win)


@yaku("Chin'iisou", "清一色", 6, id="chiniisou", excludes=("honiisou",))
def chiniisou(hand: Hand) -> bool:
    """One suit only counts 6 han, open or concealed."""
    return patterns.full_flush(hand.win)


def _everywhere(hand: Hand, *, honours: bool) -> bool:
    """Every set and the pair hold a terminal, or an honour where honours count."""

    def fits(tiles: Iterable[Tile]) -> bool:
        return any(tile.is_terminal or (honours and tile.is_honour) for tile in tiles)

    pair = hand.win.pair
    return pair is not None and fits([pair]) and all(fits(group.tiles) for group in hand.win.groups)


def _pungs(hand: Hand, tiles: Iterable[Tile]) -> int:
    return sum(hand.win.has_pung(tile) for tile in tiles)


# Yakuman


@yakuman("Chiihou", "地和", 1)
def chiihou(hand: Hand) -> bool:
    """A non-dealer who wins with the first tile drawn, before any call, kong or north set aside."""
    return not hand.is_dealer and hand.win.self_drawn and Flag.FIRST_TURN in hand.win.flags


@yakuman("Chinroutou", "清老頭", 1)
def chinroutou(hand: Hand) -> bool:
    """Every tile of the hand is a one or a nine."""
    return patterns.all_terminals(hand.win)


@yakuman("Chuuren poutou", "九蓮宝燈", 1)
def chuuren_poutou(hand: Hand) -> bool:
    """1112345678999 of circles or bamboos and one more tile of the suit, concealed; three units if
    the winner discarded no tile of the suit.
    """
    if hand.win.melds or not patterns.full_flush(hand.win):
        return False
    counts = Counter(tile.rank for tile in hand.win.tiles)
    return all(counts[rank] >= (3 if rank in (1, 9) else 1) for rank in range(1, 10))


@yakuman("Daisangen", "大三元", 1)
def daisangen(hand: Hand) -> bool:
    """Triplets or kongs of all three dragons."""
    return _pungs(hand, DRAGONS) == 3


@yakuman("Suushiihou", "四喜和", 1)
def suushiihou(hand: Hand) -> bool:
    """Triplets of four winds, or of three winds and a pair of the fourth."""
    winds = _pungs(hand, WINDS)
    return winds == 4 or (winds == 3 and hand.win.pair in WINDS)


@yakuman("Kokushi musou", "国士無双", 1)
def kokushi_musou(hand: Hand) -> bool:
    """One each of the thirteen terminals and honours and one more; two units if the winner
    discarded no terminal or honour and set no north aside.
    """
    return hand.win.form is Form.THIRTEEN_ORPHANS


@yakuman("Paarenchan", "八連荘", 1)
def paarenchan(hand: Hand) -> bool:
    """The dealer wins after having stayed dealer eight times in a row."""
    eighth = hand.options.paarenchan_count is PaarenchanCount.EIGHTH_WIN
    return hand.is_dealer and hand.dealer_retained >= (7 if eighth else 8)


@yakuman("Ryuuiisou", "緑一色", 1)
def ryuuiisou(hand: Hand) -> bool:
    """Only 2, 3, 4, 6 and 8 of bamboos and green dragons."""
    return all(
        tile == GREEN or (tile.suit is Suit.BAMBOOS and tile.rank in (2, 3, 4, 6, 8))
        for tile in hand.win.tiles
    )


@yakuman("Suukantsu", "四槓子", 1)
def suukantsu(hand: Hand) -> bool:
    """Four kongs of one player win at once, without a pair."""
    return len(hand.win.kongs) == 4


@yakuman("Suuankou", "四暗刻", 1)
def suuankou(hand: Hand) -> bool:
    """Four concealed triplets or kongs; two units when the pair was the wait."""
    return len(hand.concealed_pungs) == 4


@yakuman("Tsuuiisou", "字一色", 1)
def tsuuiisou(hand: Hand) -> bool:
    """Only honours, in sets or seven pairs."""
    return patterns.all_honours(hand.win)


@yakuman("Tenhou", "天和", 3)
def tenhou(hand: Hand) -> bool:
    """The dealer wins with the first tile drawn: three units."""
    return hand.is_dealer and hand.win.self_drawn and Flag.FIRST_TURN in hand.win.flags
