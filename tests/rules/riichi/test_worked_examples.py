"""R01 to R50: the worked examples of the riichi specification, by their numbers."""

from __future__ import annotations

from collections import Counter

import pytest

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.game import DealOutcome, DealStart
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.tiles import parse_tiles
from table_controller.rules.riichi import match
from table_controller.rules.riichi.options import PRESETS, AbortiveDraw
from table_controller.rules.riichi.payments import (
    chombo_payments,
    nagashi_payments,
    noten_payments,
)
from table_controller.rules.riichi.play import kuikae_faces
from table_controller.rules.riichi.settle import settle_win, settle_wins
from tests.rules.riichi.examples import EXAMPLES, Example
from tests.rules.riichi.hands import case_of, hand_of

NOVOSIBIRSK, TENHOU, EMA = PRESETS["novosibirsk"], PRESETS["tenhou"], PRESETS["ema"]
M_LEAGUE, WRC = PRESETS["m_league"], PRESETS["wrc"]
EAST, SOUTH, WEST, NORTH = Seat.A, Seat.B, Seat.C, Seat.D


def example_case(example: Example) -> Case:
    return case_of(
        example.hand,
        seat=example.seat,
        source=example.source,
        round_wind=example.round_wind,
        circumstances=example.circumstances,
        dora=example.dora,
        ura=example.ura,
        counters=example.counters,
        deposits=example.sticks,
    )


@pytest.mark.parametrize(
    ("example", "preset"),
    [(example, preset) for example in EXAMPLES for preset in example.payments],
    ids=[f"{one.number}-{preset}" for one in EXAMPLES for preset in one.payments],
)
def test_a_worked_hand_is_paid_as_the_specification_says(example: Example, preset: str) -> None:
    answer = settle_win(example_case(example), PRESETS[preset])
    assert answer.valid, answer.violations
    assert answer.deltas == example.payments[preset]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.number)
def test_a_worked_hand_counts_what_the_specification_lists(example: Example) -> None:
    preset = next(iter(example.payments))
    answer = settle_win(example_case(example), PRESETS[preset])
    found: Counter[str] = Counter()
    for item in answer.items:
        if item.unit in ("han", "yakuman"):
            found[item.id] += item.value
    assert found == Counter(example.counted)
    if example.fu is not None:
        assert answer.totals["fu"] == example.fu
        assert sum(item.value for item in answer.items if item.unit == "fu") == example.fu


@pytest.mark.parametrize(
    ("number", "waiting", "change"),
    [
        ("R31", [SOUTH], (-1000, 3000, -1000, -1000)),
        ("R32", [EAST, WEST], (1500, -1500, 1500, -1500)),
        ("R33", [EAST, SOUTH, WEST], (1000, 1000, 1000, -3000)),
        ("none waits", [], (0, 0, 0, 0)),
        ("all wait", [EAST, SOUTH, WEST, NORTH], (0, 0, 0, 0)),
    ],
)
def test_an_exhaustive_draw_moves_three_thousand_points(number, waiting, change):
    assert totals(noten_payments(waiting, NOVOSIBIRSK, 4)) == change


@pytest.mark.parametrize(
    ("waiting", "dealer"), [([SOUTH], SOUTH), ([EAST, WEST], EAST), ([], SOUTH)]
)
def test_r31_r32_the_dealer_stays_when_waiting_and_a_counter_is_added(waiting, dealer):
    start = DealStart(number=0, dealer=EAST, round_wind=Wind.EAST, points=(30000,) * 4, counters=1)
    ended = DealOutcome(draw_reason="exhaustive", waiting=tuple(waiting), points=(30000,) * 4)
    following = match.next_deal(start, ended, NOVOSIBIRSK)
    assert following is not None
    assert (following.dealer, following.counters) == (dealer, 2)


def two_winners() -> list[Case]:
    """R34: East 2 han 30 fu and South, in riichi, 3 han 30 fu win on a tile of North."""
    east = case_of("(555z) (666z) 234m 99s 78p + 9p", seat=0, source=3, counters=1, deposits=2)
    south = case_of(
        "123m 456p 789s 55s 78p + 9p",
        seat=1,
        source=3,
        circumstances=("riichi", "ippatsu"),
        counters=1,
        deposits=2,
    )
    return [east, south]


@pytest.mark.parametrize(
    ("preset", "change"),
    [
        ("novosibirsk", (5200, 3900, 0, -7100)),
        ("tenhou", (5200, 3900, 0, -7100)),
        ("ema", (4200, 5200, 0, -7400)),
        ("wrc", (5200, 0, 0, -3200)),
        ("m_league", (5200, 0, 0, -3200)),
    ],
)
def test_r34_two_winners_on_one_tile(preset, change):
    answers = settle_wins(two_winners(), PRESETS[preset])
    assert not isinstance(answers, AbortiveDraw)
    together = [payment for answer in answers for payment in answer.payments]
    assert totals(together) == change


def test_r34_the_bumped_winner_is_told_why():
    answers = settle_wins(two_winners(), WRC)
    assert not isinstance(answers, AbortiveDraw)
    assert [one.code for one in answers[1].violations] == ["head_bump"]
    assert answers[1].violations[0].penalty == ()


def three_winners() -> list[Case]:
    hand = "(555z) 234m 456p 99s 78p + 9p"
    return [case_of(hand, seat=seat, source=2) for seat in (3, 0, 1)]


def test_r35_three_winners_abort_the_deal_or_are_all_paid():
    assert settle_wins(three_winners(), NOVOSIBIRSK) is AbortiveDraw.SANCHAHOU
    answers = settle_wins(three_winners(), EMA)
    assert not isinstance(answers, AbortiveDraw)
    assert [answer.deltas[2] for answer in answers] == [-1000, -1500, -1000]


@pytest.mark.parametrize(
    ("offender", "change"), [(WEST, (4000, 2000, -8000, 2000)), (EAST, (-12000, 4000, 4000, 4000))]
)
def test_r36_a_chombo_is_a_mangan_the_wrong_way_round(offender, change):
    assert totals(chombo_payments(offender, EAST, NOVOSIBIRSK, 4)) == change


def test_r36_after_a_chombo_the_deal_is_played_again():
    start = DealStart(number=3, dealer=WEST, round_wind=Wind.EAST, points=(30000,) * 4, counters=2)
    ended = DealOutcome(replayed=True, points=(34000, 32000, 22000, 32000), deposits=0)
    following = match.next_deal(start, ended, NOVOSIBIRSK)
    assert following is not None
    assert (following.dealer, following.counters, following.number) == (WEST, 2, 4)


@pytest.mark.parametrize("preset", ["ema", "wrc", "m_league"])
def test_r36_a_final_deduction_moves_no_points_at_once(preset):
    claim = case_of("123m 456p 789s 55s 13p + 9p", seat=2, source=3)
    answer = settle_win(claim, PRESETS[preset])
    assert not answer.valid
    assert answer.violations[0].penalty == ()
    assert PRESETS[preset].chombo_amount == 20000


@pytest.mark.parametrize(
    ("preset", "code", "scores"),
    [
        ("ema", "furiten", (15.0, 5.0, -5.0 - 20, -15.0)),
        ("ema", "fifth_tile", (15.0, 5.0, -5.0, -15.0)),  # a misread hand accuses nobody
        ("novosibirsk", "furiten", (0.0, 0.0, 0.0, 0.0)),  # paid at once
    ],
)
def test_r36_a_final_deduction_comes_off_the_final_score(preset, code, scores):
    start = DealStart(number=3, dealer=EAST, round_wind=Wind.SOUTH, points=(30000,) * 4)
    ended = DealOutcome(replayed=True, points=(30000,) * 4, offences=((WEST, code),))
    again = match.next_deal(start, ended, PRESETS[preset])
    assert again is not None
    final = match.final(again, (30300, 30100, 29900, 29700), PRESETS[preset])
    rest = (0.3, 0.1, -0.1, -0.3)
    assert final.scores == pytest.approx([a + b for a, b in zip(scores, rest, strict=True)])


def test_r37_nagashi_is_paid_like_a_self_drawn_mangan():
    paid = nagashi_payments(NORTH, EAST, TENHOU, 4, counters=2, deposits=1)
    assert totals(paid) == (-4000, -2000, -2000, 8000)


def pao_case(source: Seat | None) -> Case:
    """R38, R39: two dragon sets lie open, South's discard completes the third for West."""
    hand, _, winning = hand_of("234m 9s + 9s")
    melds = (
        Meld.of(MeldKind.PUNG, "555z", EAST),
        Meld.of(MeldKind.PUNG, "666z", NORTH),
        Meld.of(MeldKind.PUNG, "777z", SOUTH),
    )
    return Case(
        winner=WEST, source=source, hand=hand, winning_tile=winning, melds=melds, counters=1
    )


@pytest.mark.parametrize(
    ("number", "source", "preset", "change"),
    [
        ("R38", None, "novosibirsk", (0, -32300, 32300, 0)),
        ("R39", NORTH, "novosibirsk", (0, -16000, 32300, -16300)),
        ("R39", NORTH, "tenhou", (0, -16300, 32300, -16000)),
        ("own discard", SOUTH, "novosibirsk", (0, -32300, 32300, 0)),
    ],
)
def test_r38_r39_the_liable_seat_pays(number, source, preset, change):
    assert settle_win(pao_case(source), PRESETS[preset]).deltas == change


@pytest.mark.parametrize(
    ("meld", "forbidden"),
    [
        (("chow", "234m", "2m"), "25m"),
        (("chow", "234m", "3m"), "3m"),
        (("chow", "234m", "4m"), "41m"),
        (("chow", "123m", "3m"), "3m"),
        (("chow", "789m", "7m"), "7m"),
        (("pung", "777p", "7p"), "7p"),
    ],
)
def test_r43_swap_calling(meld, forbidden):
    kind, tiles, called = meld
    laid = Meld(MeldKind(kind), parse_tiles(tiles), EAST, parse_tiles(called)[0])
    assert kuikae_faces(laid, NOVOSIBIRSK) == frozenset(parse_tiles(forbidden))


@pytest.mark.parametrize(
    ("number", "preset", "points", "scores"),
    [
        ("R45", "m_league", (41600, 25100, 21300, 12000), (61.6, 5.1, -18.7, -48.0)),
        ("R46", "ema", (35000, 35000, 28000, 22000), (15.0, 15.0, -7.0, -23.0)),
        ("R47", "tenhou", (38200, 27400, 20100, 14300), (49.0, 7.0, -20.0, -36.0)),
    ],
)
def test_final_scores(number, preset, points, scores):
    start = DealStart(number=9, dealer=NORTH, round_wind=Wind.SOUTH, points=points)
    final = match.final(start, points, PRESETS[preset])
    assert final.scores == pytest.approx(scores)
    assert sum(final.scores) == pytest.approx(0)


@pytest.mark.parametrize(
    ("preset", "points", "ends"),
    [
        ("novosibirsk", -800, True),
        ("tenhou", -800, True),
        ("novosibirsk", 0, True),
        ("tenhou", 0, False),
        ("ema", -800, False),
    ],
)
def test_r50_bust(preset, points, ends):
    start = DealStart(number=1, dealer=SOUTH, round_wind=Wind.EAST, points=(30000,) * 4)
    left = (39600 - points) // 3 * 1
    ended = DealOutcome(winners=(WEST,), discarder=SOUTH, points=(left, points, 60000, 20400))
    assert (match.next_deal(start, ended, PRESETS[preset]) is None) is ends


def test_a_flag_that_a_preset_does_not_play_counts_nothing():
    claim = case_of("123m 567m 345p 99s 67s + 8s", source=2, circumstances=("riichi", "ippatsu"))
    assert Flag.ONE_SHOT in claim.flags
    found = {item.id for item in settle_win(claim, PRESETS["jpml"]).items}
    assert "riichi" in found
    assert "ippatsu" not in found
