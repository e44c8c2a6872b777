"""The tables of the riichi specification: a hand for every yaku and yakuman, every payment."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from table_controller.rules.core.seats import Seat
from table_controller.rules.riichi import yaku as yaku_rules
from table_controller.rules.riichi.options import PRESETS, Renhou
from table_controller.rules.riichi.payments import WinTerms, win_payments
from table_controller.rules.riichi.scoring import Limit, base_points
from table_controller.rules.riichi.settle import settle_win
from tests.rules.riichi.hands import case_of

NOVOSIBIRSK = PRESETS["novosibirsk"]
RIICHI_HAND = "234m 567m 345p 99s 67s + 8s"
ORDINARY = "123m 567m 888p 99s 67s + 8s"
LAST = "(111p) 345m 678s 99s 23m + 4m"

# Sections 12 and 13: id, hand of South in the East round, its luck, self-drawn, and the han.
YAKU = [
    ("riichi", RIICHI_HAND, "riichi", False, 1),
    ("double_riichi", RIICHI_HAND, "double_riichi", False, 2),
    ("ippatsu", RIICHI_HAND, "riichi ippatsu", False, 1),
    ("menzen_tsumo", ORDINARY, "", True, 1),
    ("pinfu", "123m 567m 345p 99s 67s + 8s", "", False, 1),
    ("tanyao", "(234m) 567m 345p 88s 67s + 8s", "", False, 1),
    ("iipeikou", "223344m 567p 99s 78s + 6s", "", False, 1),
    ("yakuhai_white", "(555z) 123m 456p 99s 67s + 8s", "", False, 1),
    ("yakuhai_green", "(666z) 123m 456p 99s 67s + 8s", "", False, 1),
    ("yakuhai_red", "(777z) 123m 456p 99s 67s + 8s", "", False, 1),
    ("yakuhai_seat_wind", "(222z) 123m 456p 99s 67s + 8s", "", False, 1),
    ("yakuhai_round_wind", "(111z) 123m 456p 99s 67s + 8s", "", False, 1),
    ("haitei", LAST, "haitei", True, 1),
    ("houtei", LAST, "houtei", False, 1),
    ("rinshan", "[8888p] 345m 678s 99s 23m + 4m", "rinshan", True, 1),
    ("chankan", "123m 345m 678s 99s 46p + 5p", "chankan", False, 1),
    ("chiitoitsu", "1133m 5577p 2299s 4z + 4z", "", False, 2),
    ("sanshoku_doujun", "234m 234p 34s 99s 678m + 2s", "", False, 2),
    ("sanshoku_doukou", "222m (222p) 22s 345s 99m + 2s", "", False, 2),
    ("ittsuu", "123p 456p 78p 99m 234s + 9p", "", False, 2),
    ("chanta", "123m 789p (111z) 99s 78s + 9s", "", False, 1),
    ("toitoi", "(222m) 555p (999s) 44z 77p + 7p", "", False, 2),
    ("sanankou", "222m 555p 999s 44z 67p + 8p", "", False, 2),
    ("sankantsu", "(2222m) [5555p] (999+9s) 4z 678p + 4z", "", False, 2),
    ("honroutou", "(111m) (999p) 111s 44z 77z + 7z", "", False, 2),
    ("shousangen", "(555z) (666z) 77z 234m 78p + 9p", "", False, 2),
    ("honitsu", "123p 456p 99p 222z 77z + 7z", "", False, 3),
    ("junchan", "123m 789p 111s 99s 78s + 9s", "", False, 3),
    ("ryanpeikou", "112233m 778899p 5s + 5s", "", False, 3),
    ("chinitsu", "123m 456m 789m 22m 67m + 8m", "", False, 6),
]
YAKUMAN = [
    ("kokushi", "19m 19p 9s 1234567z 1z + 1s", "", False),
    ("kokushi_13", "19m 19p 19s 1234567z + 5z", "", False),
    ("suuankou", "222m 444p 666s 88p 33s + 3s", "", True),
    ("suuankou_tanki", "222m 444p 666s 888p 3s + 3s", "", False),
    ("daisangen", "(555z) (666z) 777z 234m 9s + 9s", "", False),
    ("shousuushii", "(111z) (222z) 333z 44z 78p + 9p", "", False),
    ("daisuushii", "(111z) (222z) 333z 44z 88p + 4z", "", False),
    ("tsuuiisou", "(111z) (222z) 555z 66z 77z + 7z", "", False),
    ("chinroutou", "(111m) (999p) 111s 999s 9m + 9m", "", False),
    ("ryuuiisou", "(666z) 234s 234s 66s 88s + 8s", "", False),
    ("chuuren", "1112345678899p + 9p", "", False),
    ("junsei_chuuren", "1112345678999p + 5p", "", False),
    ("suukantsu", "(1111m) [5555s] (8888p) [3333m] 3z + 3z", "", False),
    ("chiihou", ORDINARY, "first_turn", True),
]
# Of one hand or way of winning, one counts and the other does not.
REPLACED = {
    "double_riichi": {"riichi"},
    "ryanpeikou": {"iipeikou", "chiitoitsu"},
    "junchan": {"chanta"},
    "honroutou": {"chanta"},
    "chinitsu": {"honitsu"},
    "rinshan": {"haitei"},
}


def counted(hand: str, luck: str, *, self_drawn: bool, seat: int = 1) -> dict[str, int]:
    case = case_of(
        hand, seat=seat, source=None if self_drawn else 2, circumstances=tuple(luck.split())
    )
    answer = settle_win(case, NOVOSIBIRSK)
    assert answer.valid, answer.violations
    return {item.id: item.value for item in answer.items if item.unit in ("han", "yakuman")}


@pytest.mark.parametrize(("id", "hand", "luck", "self_drawn", "han"), YAKU)
def test_every_yaku_of_the_table(id, hand, luck, self_drawn, han):
    found = counted(hand, luck, self_drawn=self_drawn)
    assert found[id] == han
    assert not REPLACED.get(id, set()) & set(found)


@pytest.mark.parametrize(("id", "hand", "luck", "self_drawn"), YAKUMAN)
def test_every_yakuman_of_the_table(id, hand, luck, self_drawn):
    assert id in counted(hand, luck, self_drawn=self_drawn)


def test_the_dealer_wins_with_the_tiles_dealt():
    assert counted(ORDINARY, "first_turn", self_drawn=True, seat=0) == {"tenhou": 1}


def test_no_yaku_of_ours_is_without_a_hand():
    declared = {
        pattern.id
        for table in (yaku_rules.luck, yaku_rules.yaku, yaku_rules.yakuman, yaku_rules.opening)
        for pattern in table.patterns
    }
    shown = {row[0] for row in (*YAKU, *YAKUMAN)} | {"tenhou"}
    # The hand of man and the north of three players are options: their tests stand elsewhere.
    assert declared - shown == {"renhou", "yakuhai_north"}
    assert NOVOSIBIRSK.renhou is Renhou.OFF


PAYMENTS = """
20 2 -    400/700   -     700
20 3 -    700/1300  -     1300
20 4 -    1300/2600 -     2600
25 2 1600 -         2400  -
25 3 3200 800/1600  4800  1600
25 4 6400 1600/3200 9600  3200
30 1 1000 300/500   1500  500
30 2 2000 500/1000  2900  1000
30 3 3900 1000/2000 5800  2000
30 4 7700 2000/3900 11600 3900
40 1 1300 400/700   2000  700
40 2 2600 700/1300  3900  1300
40 3 5200 1300/2600 7700  2600
50 1 1600 400/800   2400  800
50 2 3200 800/1600  4800  1600
50 3 6400 1600/3200 9600  3200
60 1 2000 500/1000  2900  1000
60 2 3900 1000/2000 5800  2000
60 3 7700 2000/3900 11600 3900
70 1 2300 600/1200  3400  1200
70 2 4500 1200/2300 6800  2300
80 1 2600 700/1300  3900  1300
80 2 5200 1300/2600 7700  2600
90 1 2900 800/1500  4400  1500
90 2 5800 1500/2900 8700  2900
100 1 3200 800/1600 4800  1600
100 2 6400 1600/3200 9600 3200
110 1 3600 900/1800 5300  1800
110 2 7100 1800/3600 10600 3600
40 4 8000 2000/4000 12000 4000
50 4 8000 2000/4000 12000 4000
60 4 8000 2000/4000 12000 4000
70 3 8000 2000/4000 12000 4000
80 3 8000 2000/4000 12000 4000
90 3 8000 2000/4000 12000 4000
100 3 8000 2000/4000 12000 4000
110 3 8000 2000/4000 12000 4000
30 5 8000 2000/4000 12000 4000
30 6 12000 3000/6000 18000 6000
30 7 12000 3000/6000 18000 6000
30 8 16000 4000/8000 24000 8000
30 10 16000 4000/8000 24000 8000
30 11 24000 6000/12000 36000 12000
30 13 24000 6000/12000 36000 12000
"""


def paid(base: int, winner: Seat, source: Seat | None) -> list[int]:
    terms = WinTerms(winner=winner, source=source, dealer=Seat.A, base=base)
    return sorted({payment.points for payment in win_payments(terms, NOVOSIBIRSK, 4)})


@pytest.mark.parametrize("row", PAYMENTS.strip().splitlines())
def test_every_payment_of_the_table(row):
    fu, han, ron, drawn, dealer_ron, dealer_drawn = row.split()
    base, _ = base_points(int(han), int(fu), NOVOSIBIRSK)
    for said, winner, source in (
        (ron, Seat.B, Seat.C),
        (drawn, Seat.B, None),
        (dealer_ron, Seat.A, Seat.C),
        (dealer_drawn, Seat.A, None),
    ):
        if said != "-":
            assert paid(base, winner, source) == [int(one) for one in said.split("/")]


@pytest.mark.parametrize(("han", "fu", "limit"), [(4, 30, True), (3, 60, True), (3, 50, False)])
def test_rounding_up_to_mangan_is_an_option(han, fu, limit):
    rounded = replace(NOVOSIBIRSK, kiriage=True)
    assert (base_points(han, fu, rounded)[1] is Limit.MANGAN) is limit
    assert base_points(han, fu, NOVOSIBIRSK)[1] is None


@pytest.mark.parametrize(
    ("hand", "luck", "name", "base"),
    [
        ("22334m 667788m 55m + 4m", "", "sanbaiman", 6000),
        ("123m 456m 789m 22m 67m + 8m", "riichi", "baiman", 4000),
        ("123m 123p 123s 99s 78m + 9m", "", "haneman", 3000),
        ("222m 444p 666s 88p 33s + 3s", "", "mangan", 2000),
        ("112233m 778899p 5s + 5s", "", None, 0),
    ],
)
def test_the_limit_that_was_reached_is_named(hand, luck, name, base):
    answer = settle_win(case_of(hand, source=2, circumstances=tuple(luck.split())), NOVOSIBIRSK)
    limits = [(item.id, item.value) for item in answer.items if item.unit == "base_points"]
    assert limits == ([] if name is None else [(f"limit_{name}", base)])


def test_every_numbered_example_is_named_by_a_test():
    """R01 to R50: the data of the hands, and the names of the tests for the others."""
    here = Path(__file__).parent
    text = " ".join(path.read_text(encoding="utf-8") for path in here.glob("*.py"))
    named = {int(number) for number in re.findall(r"(?:\"R|_r)(\d\d)(?=[\"_])", text)}
    assert set(range(1, 51)) <= named
