"""Names of yaku in other programs' records, as our ids."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from table_controller.rules.riichi import yaku as yaku_rules

YAKU_BY_NATIVE: Mapping[str, str] = MappingProxyType(
    {
        pattern.native: pattern.id
        for table in (yaku_rules.luck, yaku_rules.yaku, yaku_rules.yakuman, yaku_rules.opening)
        for pattern in table
    }
    | {
        "ダブル立直": "double_riichi",
        "ダブルリーチ": "double_riichi",
        "海底撈月": "haitei",
        "翻牌 白": "yakuhai_white",
        "翻牌 發": "yakuhai_green",
        "翻牌 中": "yakuhai_red",
        "国士無双１３面": "kokushi_13",
        "国士無双十三面待ち": "kokushi_13",
        "九連宝燈": "chuuren",
        "純正九連宝燈": "junsei_chuuren",
        "流し満貫": "nagashi_mangan",
        "ドラ": "dora",
        "裏ドラ": "ura_dora",
        "赤ドラ": "red_five",
        "抜きドラ": "north",
    }
    | {
        "Riichi": "riichi",
        "Double Riichi": "double_riichi",
        "Ippatsu": "ippatsu",
        "Fully Concealed Hand": "menzen_tsumo",
        "Pinfu": "pinfu",
        "All Simples": "tanyao",
        "Pure Double Sequence": "iipeikou",
        "White Dragon": "yakuhai_white",
        "Green Dragon": "yakuhai_green",
        "Red Dragon": "yakuhai_red",
        "Seat Wind": "yakuhai_seat_wind",
        "Prevalent Wind": "yakuhai_round_wind",
        "After a Kan": "rinshan",
        "Robbing a Kan": "chankan",
        "Under the Sea": "haitei",
        "Under the River": "houtei",
        "Seven Pairs": "chiitoitsu",
        "Half Outside Hand": "chanta",
        "Pure Straight": "ittsuu",
        "Mixed Triple Sequence": "sanshoku_doujun",
        "Triple Triplets": "sanshoku_doukou",
        "Three Quads": "sankantsu",
        "All Triplets": "toitoi",
        "Three Concealed Triplets": "sanankou",
        "Little Three Dragons": "shousangen",
        "All Terminals and Honors": "honroutou",
        "Half Flush": "honitsu",
        "Fully Outside Hand": "junchan",
        "Twice Pure Double Sequence": "ryanpeikou",
        "Full Flush": "chinitsu",
        "Dora": "dora",
        "Ura Dora": "ura_dora",
        "Red Five": "red_five",
        "Kita": "north",
    }
    | {f"自風 {wind}": "yakuhai_seat_wind" for wind in "東南西北"}
    | {f"場風 {wind}": "yakuhai_round_wind" for wind in "東南西北"}
)
