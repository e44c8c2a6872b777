"""The yaku, each declared once: id, name, native name, han, han with called melds, and the rule.

A predicate takes one `Reading` (what the hand is) or one `Luck` (how it was won). What a yaku
replaces is data (``excludes``). The order is that of the rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.rules.core.patterns import PatternTable
from table_controller.rules.core.win import Wait
from table_controller.rules.riichi.reading import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Luck:
    """How a hand was won, as far as yaku depend on it."""

    is_concealed: bool
    self_drawn: bool
    is_dealer: bool
    has_kong: bool
    riichi: bool
    double_riichi: bool
    one_shot: bool
    last_tile: bool
    replacement: bool
    robbing_kong: bool
    first_turn: bool


luck: PatternTable[Luck] = PatternTable("han")
yaku: PatternTable[Reading] = PatternTable("han")
yakuman: PatternTable[Reading] = PatternTable("yakuman")
opening: PatternTable[Luck] = PatternTable("yakuman")


@luck("Riichi", "立直", 1, id="riichi", concealed_only=True)
def riichi(win: Luck) -> bool:
    """A waiting concealed hand was declared with a stick of 1000."""
    return win.riichi


@luck("Double riichi", "両立直", 2, id="double_riichi", concealed_only=True, excludes=("riichi",))
def double_riichi(win: Luck) -> bool:
    """Riichi on the first own turn, before any call or kong."""
    return win.double_riichi


@luck("One-shot", "一発", 1, id="ippatsu", concealed_only=True)
def ippatsu(win: Luck) -> bool:
    """A win within one go-around of riichi, before any call or kong."""
    return win.one_shot and (win.riichi or win.double_riichi)


@luck("Fully concealed self-draw", "門前清自摸和", 1, id="menzen_tsumo", concealed_only=True)
def menzen_tsumo(win: Luck) -> bool:
    """Self-drawn with nothing called."""
    return win.self_drawn


@luck("Last tile draw", "海底摸月", 1, id="haitei")
def haitei(win: Luck) -> bool:
    """Self-drawn with the last tile of the live wall."""
    return win.last_tile and win.self_drawn and not win.replacement


@luck("Last discard", "河底撈魚", 1, id="houtei")
def houtei(win: Luck) -> bool:
    """Won on the last discard of the deal."""
    return win.last_tile and not win.self_drawn and not win.robbing_kong


@luck("Replacement tile", "嶺上開花", 1, id="rinshan")
def rinshan(win: Luck) -> bool:
    """Self-drawn with the replacement tile of a kong."""
    return win.replacement and win.self_drawn


@luck("Robbing a kong", "槍槓", 1, id="chankan")
def chankan(win: Luck) -> bool:
    """Won on the tile that another seat added to a pung."""
    return win.robbing_kong and not win.self_drawn


@opening("Heavenly hand", "天和", 1, id="tenhou", concealed_only=True)
def tenhou(win: Luck) -> bool:
    """The dealer wins with the tiles dealt."""
    return win.first_turn and win.self_drawn and win.is_dealer and not win.has_kong


@opening("Earthly hand", "地和", 1, id="chiihou", concealed_only=True)
def chiihou(win: Luck) -> bool:
    """Another seat wins by its first draw, before any call or kong."""
    return win.first_turn and win.self_drawn and not win.is_dealer and not win.has_kong


@opening("Hand of man", "人和", 1, id="renhou", concealed_only=True)
def renhou(win: Luck) -> bool:
    """A seat other than the dealer wins on a discard before its first draw and any call."""
    return win.first_turn and not win.self_drawn and not win.is_dealer and not win.has_kong


@yaku("Pinfu", "平和", 1, id="pinfu", concealed_only=True)
def pinfu(hand: Reading) -> bool:
    """Four chows, a pair without value, completed on a two-sided wait."""
    return hand.chows == 4 and not hand.pair_values and hand.waited is Wait.OPEN


@yaku("All simples", "断幺九", 1, id="tanyao")
def tanyao(hand: Reading) -> bool:
    """Only twos to eights."""
    return not hand.outside and not hand.orphans


@yaku("Double run", "一盃口", 1, id="iipeikou", concealed_only=True)
def iipeikou(hand: Reading) -> bool:
    """Two equal chows."""
    return hand.twin_chows == 1


@yaku("White dragon", "役牌 白", 1, id="yakuhai_white")
def yakuhai_white(hand: Reading) -> bool:
    """A pung or kong of white dragons."""
    return hand.white == 1


@yaku("Green dragon", "役牌 發", 1, id="yakuhai_green")
def yakuhai_green(hand: Reading) -> bool:
    """A pung or kong of green dragons."""
    return hand.green_dragon == 1


@yaku("Red dragon", "役牌 中", 1, id="yakuhai_red")
def yakuhai_red(hand: Reading) -> bool:
    """A pung or kong of red dragons."""
    return hand.red == 1


@yaku("Seat wind", "自風牌", 1, id="yakuhai_seat_wind")
def yakuhai_seat_wind(hand: Reading) -> bool:
    """A pung or kong of the own seat wind."""
    return hand.seat_wind == 1


@yaku("Round wind", "場風牌", 1, id="yakuhai_round_wind")
def yakuhai_round_wind(hand: Reading) -> bool:
    """A pung or kong of the round wind."""
    return hand.round_wind == 1


@yaku("North", "役牌 北", 1, id="yakuhai_north")
def yakuhai_north(hand: Reading) -> bool:
    """A pung or kong of norths, where they have value for everybody (three players)."""
    return hand.common_wind == 1


@yaku("Seven pairs", "七対子", 2, id="chiitoitsu", concealed_only=True)
def chiitoitsu(hand: Reading) -> bool:
    """Seven different pairs."""
    return hand.is_seven_pairs


@yaku("Three-colour runs", "三色同順", 2, exposed=1, id="sanshoku_doujun")
def sanshoku_doujun(hand: Reading) -> bool:
    """The same chow in all three suits."""
    return hand.three_colour_chows == 1


@yaku("Three-colour triplets", "三色同刻", 2, id="sanshoku_doukou")
def sanshoku_doukou(hand: Reading) -> bool:
    """Pungs or kongs of the same number in all three suits."""
    return hand.three_colour_pungs == 1


@yaku("Straight", "一気通貫", 2, exposed=1, id="ittsuu")
def ittsuu(hand: Reading) -> bool:
    """123, 456 and 789 of one suit."""
    return hand.straights == 1


@yaku("Outside hand", "混全帯幺九", 2, exposed=1, id="chanta")
def chanta(hand: Reading) -> bool:
    """Every set and the pair hold a terminal or honour, with a chow and an honour among them."""
    return hand.outside == hand.groups and hand.chows > 0 and hand.honours > 0


@yaku("All triplets", "対々和", 2, id="toitoi")
def toitoi(hand: Reading) -> bool:
    """Four pungs or kongs."""
    return hand.pungs == 4


@yaku("Three concealed triplets", "三暗刻", 2, id="sanankou")
def sanankou(hand: Reading) -> bool:
    """Three pungs or concealed kongs that no claimed tile completed."""
    return hand.concealed_pungs == 3


@yaku("Three kans", "三槓子", 2, id="sankantsu")
def sankantsu(hand: Reading) -> bool:
    """Three kongs."""
    return hand.kongs == 3


@yaku("Terminals and honours", "混老頭", 2, id="honroutou")
def honroutou(hand: Reading) -> bool:
    """Only terminals and honours, both present."""
    return (
        hand.outside == hand.groups
        and hand.chows == 0
        and hand.suits > 0
        and hand.honours > 0
        and not hand.orphans
    )


@yaku("Little three dragons", "小三元", 2, id="shousangen")
def shousangen(hand: Reading) -> bool:
    """Two pungs or kongs of dragons and a pair of the third."""
    return hand.dragon_pungs == 2 and hand.dragon_pair


@yaku("Half flush", "混一色", 3, exposed=2, id="honitsu")
def honitsu(hand: Reading) -> bool:
    """One suit and honours, both present."""
    return hand.suits == 1 and hand.honours > 0


@yaku("Pure outside hand", "純全帯幺九", 3, exposed=2, id="junchan")
def junchan(hand: Reading) -> bool:
    """Every set and the pair hold a terminal, with a chow and no honours."""
    return hand.outside == hand.groups and hand.chows > 0 and hand.honours == 0


@yaku("Twice double run", "二盃口", 3, id="ryanpeikou", concealed_only=True)
def ryanpeikou(hand: Reading) -> bool:
    """Two pairs of equal chows."""
    return hand.twin_chows == 2


@yaku("Full flush", "清一色", 6, exposed=5, id="chinitsu")
def chinitsu(hand: Reading) -> bool:
    """One suit only."""
    return hand.suits == 1 and hand.honours == 0


@yakuman("Thirteen orphans", "国士無双", 1, id="kokushi", concealed_only=True)
def kokushi(hand: Reading) -> bool:
    """One of each terminal and honour, and one more of them."""
    return hand.orphans == 1


@yakuman(
    "Thirteen orphans, thirteen waits", "国士無双十三面", 1, id="kokushi_13", concealed_only=True
)
def kokushi_13(hand: Reading) -> bool:
    """Thirteen orphans that waited for all thirteen kinds."""
    return hand.orphans == 2


@yakuman("Four concealed triplets", "四暗刻", 1, id="suuankou", concealed_only=True)
def suuankou(hand: Reading) -> bool:
    """Four pungs or concealed kongs that no claimed tile completed."""
    return hand.concealed_pungs == 4 and hand.waited is not Wait.PAIR


@yakuman(
    "Four concealed triplets, pair wait", "四暗刻単騎", 1, id="suuankou_tanki", concealed_only=True
)
def suuankou_tanki(hand: Reading) -> bool:
    """Four concealed triplets, and the winning tile completes the pair."""
    return hand.concealed_pungs == 4 and hand.waited is Wait.PAIR


@yakuman("Big three dragons", "大三元", 1, id="daisangen")
def daisangen(hand: Reading) -> bool:
    """Pungs or kongs of all three dragons."""
    return hand.dragon_pungs == 3


@yakuman("Little four winds", "小四喜", 1, id="shousuushii")
def shousuushii(hand: Reading) -> bool:
    """Three pungs or kongs of winds and a pair of the fourth."""
    return hand.wind_pungs == 3 and hand.wind_pairs == 1


@yakuman("Big four winds", "大四喜", 1, id="daisuushii")
def daisuushii(hand: Reading) -> bool:
    """Pungs or kongs of all four winds."""
    return hand.wind_pungs == 4


@yakuman("All honours", "字一色", 1, id="tsuuiisou")
def tsuuiisou(hand: Reading) -> bool:
    """Only winds and dragons."""
    return hand.honours == hand.groups and not hand.orphans


@yakuman("All terminals", "清老頭", 1, id="chinroutou")
def chinroutou(hand: Reading) -> bool:
    """Only ones and nines."""
    return hand.outside == hand.groups and hand.chows == 0 and hand.honours == 0 and hand.pungs == 4


@yakuman("All green", "緑一色", 1, id="ryuuiisou")
def ryuuiisou(hand: Reading) -> bool:
    """Only 2, 3, 4, 6, 8 of bamboos and green dragons."""
    return hand.green == hand.groups and not hand.orphans


@yakuman("Nine gates", "九蓮宝燈", 1, id="chuuren", concealed_only=True)
def chuuren(hand: Reading) -> bool:
    """1112345678999 of one suit and any tile of it, all concealed."""
    return hand.nine_gates == 1


@yakuman("Nine gates, nine waits", "純正九蓮宝燈", 1, id="junsei_chuuren", concealed_only=True)
def junsei_chuuren(hand: Reading) -> bool:
    """Nine gates that waited for all nine tiles of the suit."""
    return hand.nine_gates == 2


@yakuman("Four kans", "四槓子", 1, id="suukantsu")
def suukantsu(hand: Reading) -> bool:
    """Four kongs."""
    return hand.kongs == 4
