"""Hands of the Japan Professional Mahjong League's examinations, with the payments it answers.

Source: the question and answer sheets of 2022 and 2023 (published in English by
cloudymahjong.com), as the open scorer fivesou holds them in its tests; facts re-typed. East round,
no dora. Of each hand: the dealer's self-draw (each pays), the dealer's win on a discard, a
self-draw of South (dealer and others pay), and its win on a discard.
"""

from __future__ import annotations

import pytest

from table_controller.rules.riichi.options import PRESETS
from table_controller.rules.riichi.settle import settle_win
from tests.rules.riichi.hands import case_of

REPLACED = "rinshan"  # the self-draw is of a replacement tile

HANDS = [
    ("jpml", "1234445678p 234s + 9p", "", 2600, 5800, (2600, 1300), 3900),
    ("jpml", "2233m 3355p 66788s + 7s", "", 3200, 4800, (3200, 1600), 3200),
    ("jpml", "(888p) (222m) 3567888m + 3m", "", 700, 1500, (700, 400), 1000),
    ("jpml", "(888m) (333p) (888s) 22p 11z + 2p", "", 1300, 3900, (1300, 700), 2000),
    ("jpml", "(222z) 23456777p 11z + 1p", "", 1300, 3900, (2600, 1300), 3900),
    ("jpml", "(888s) [7777s] 3344552p + 2p", "", 800, 2000, (800, 400), 1300),
    ("jpml", "[4444z] 22443m 777s 22z + 3m", "", 2000, 3400, (2300, 1200), 2300),
    ("jpml", "(999m) [7777z] 11124s 11z + 3s", "", 1300, 3400, (1200, 600), 2300),
    ("jpml", "[2222z] [6666z] 789m 7888p + 9p", "", 2900, 4800, (4000, 2000), 6400),
    ("jpml", "(1111z) 2344567m 888s + 1m", REPLACED, 2600, 3900, (1300, 700), 1300),
    ("jpml_2023", "678p 11222333s 11z + 1s", "", 2600, 2000, (2600, 1300), 1300),
    ("jpml_2023", "678p 11222333s 11z + 4s", "", 1000, 2000, (1000, 500), 1300),
    ("jpml_2023", "678p 11222333s 11z + 1z", "", 4000, 4800, (4000, 2000), 1600),
    ("jpml_2023", "77m 56778899p 666z + 7p", "", 2600, 3900, (2600, 1300), 2600),
    ("jpml_2023", "(4444z) 12456789s 22z + 3s", "", 2600, 7700, (3200, 1600), 5200),
    ("jpml_2023", "[2222p] 555m 3335678s + 4s", "", 1600, 2900, (1600, 800), 2000),
    ("jpml_2023", "(222z) (666z) [1111s] 23m 55p + 4m", "", 1200, 2900, (2300, 1200), 3900),
    ("jpml_2023", "[1111m] [7777z] 57789p 11z + 6p", "", 2900, 4800, (2900, 1500), 3200),
    ("jpml_2023", "2233444666888s + 2s", "", 32000, 48000, (32000, 16000), 32000),
    # The source names 9s six times; ones of bamboos stand for three of them here.
    ("jpml_2023", "(2222z) (999s) 7999m 111s + 8m", REPLACED, 2000, 2400, (3900, 2000), 3200),
]


@pytest.mark.parametrize(
    ("preset", "hand", "luck", "east_draws", "east_ron", "south_draws", "south_ron"), HANDS
)
def test_the_league_pays_as_its_answers_say(
    preset, hand, luck, east_draws, east_ron, south_draws, south_ron
):
    def paid(seat: int, source: int | None) -> tuple[int, ...]:
        circumstances = (luck,) if luck and source is None else ()
        case = case_of(hand, seat=seat, source=source, circumstances=circumstances)
        return settle_win(case, PRESETS[preset]).deltas

    dealer, other = south_draws
    found = (paid(0, None), paid(0, 2), paid(1, None), paid(1, 2))
    assert found == (
        (3 * east_draws, *(-east_draws,) * 3),
        (east_ron, 0, -east_ron, 0),
        (-dealer, dealer + 2 * other, -other, -other),
        (0, south_ron, -south_ron, 0),
    )


def test_all_green_took_green_dragons_until_2022():
    case = case_of("234234s 66s 888s 33s + 6s", source=2)
    assert settle_win(case, PRESETS["jpml_2023"]).totals == {"yakuman": 1}
    assert "yakuman" not in settle_win(case, PRESETS["jpml"]).totals
    with_dragons = case_of("234234s 66s 88s 666z + 8s", source=2)
    assert settle_win(with_dragons, PRESETS["jpml"]).totals == {"yakuman": 1}
