"""The riichi situations of `tricky_cases.json`, each by its number, and of the passed-win facts.

The file gives situation and answer as text; what the text leaves open is written out here. A test
holds that no number is missing.
"""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    Drawn,
    GameEvent,
    KongDeclared,
    MeldCalled,
    ReadyDeclared,
    WinClaimed,
)
from table_controller.rules.core.game import Deal, claim_actions, open_deal, play_deal
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import Awaiting, DealState, Offer, fold
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.riichi import RIICHI_3P, referee
from table_controller.rules.riichi.conduct import SANMA_CONDUCT
from table_controller.rules.riichi.dora import dora_of
from table_controller.rules.riichi.furiten import waits
from table_controller.rules.riichi.options import PRESETS, PaoScope, Renhou, RiichiOptions
from table_controller.rules.riichi.play import (
    PLAY,
    SANMA_PLAY,
    kong_indicator,
    may_declare_draw,
    may_declare_kong,
    ready_discards,
)
from table_controller.rules.riichi.referee import claim_violations
from table_controller.rules.riichi.sanma_options import SANMA_PRESETS
from table_controller.rules.riichi.settle import settle_win, settle_wins
from tests.rules.riichi.hands import case_of
from tests.rules.riichi.test_play import HANDS, chosen, wall_of
from tests.rules.riichi.test_referee import claimed, opened, turn
from tests.shared_data import shared_data

NOVOSIBIRSK, TENHOU, MAJSOUL = PRESETS["novosibirsk"], PRESETS["tenhou"], PRESETS["majsoul"]
EMA, WRC, M_LEAGUE = PRESETS["ema"], PRESETS["wrc"], PRESETS["m_league"]
SANMA = SANMA_PRESETS["tenhou"]


def all_cases() -> dict[str, dict[str, Any]]:
    rows = json.loads(shared_data("oracles/tricky_cases.json").read_text())["cases"]
    return {row["id"]: row for row in rows}


def expects(number: str) -> dict[str, Any]:
    expected: dict[str, Any] = all_cases()[number]["expect"]
    return expected


def test_no_situation_of_riichi_is_left_out():
    ours = {n for n, row in all_cases().items() if row["ruleset"] in ("riichi", "sanma")}
    tree = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert ours == {
        number for number in ours for name in names if f"test_{number.lower()}_" in name
    }
    assert len(ours) == 22


def state_of(events: list[GameEvent]) -> DealState:
    state = fold(events, 4)
    assert state is not None
    return state


# --- values -------------------------------------------------------------------------------------


def test_t02_an_open_hand_without_other_fu_counts_thirty():
    case = case_of("(123m) 456s 123s 88p 34p + 5p", source=2, circumstances=("houtei",))
    answer = settle_win(case, TENHOU)
    expected = expects("T02")
    assert [item.id for item in answer.items if item.unit == "han"] == ["houtei"]
    assert answer.totals == {"han": expected["han"], "fu": expected["fu"]}
    assert answer.deltas[1] == expected["ron_nondealer"]


def test_t04_pinfu_self_drawn_is_twenty_fu():
    answer = settle_win(case_of("123m 567m 345p 99s 67s + 8s"), TENHOU)
    assert answer.totals["fu"] == expects("T04")["fu"]


def test_t06_four_equal_tiles_are_not_two_pairs():
    answer = settle_win(case_of("2222m 4466m 2255p 3s + 3s", source=2), TENHOU)
    assert answer.valid is expects("T06")["win"] is False
    assert [one.code for one in answer.violations] == ["not_a_win"]


def test_t07_nine_gates_won_on_the_end_tile_waited_for_nine():
    answer = settle_win(case_of("1112345678999m + 9m", source=2), TENHOU)
    assert [item.id for item in answer.items] == ["junsei_chuuren"]


def test_t08_the_reading_with_the_dearer_wait_counts():
    answer = settle_win(case_of("678s 678s 79s 444z 88m + 8s"), TENHOU)
    assert answer.totals["fu"] == expects("T08")["fu"]
    waited = next(item for item in answer.items if item.id == "fu_wait")
    assert "middle wait" in waited.why


@pytest.mark.parametrize(
    ("preset", "key"), [("tenhou", "fu_4"), ("majsoul", "fu_4"), ("m_league", "fu_2")]
)
def test_t09_the_pair_of_the_double_wind_by_preset(preset, key):
    """The World Riichi rules of 2015 count 4 by our specification; M.League counts 2."""
    case = case_of("111m 456p 789s 11z 23s + 4s", seat=0, source=2, circumstances=("riichi",))
    assert settle_win(case, PRESETS[preset]).totals["fu"] == expects("T09")[key]


def test_t11_dora_alone_are_no_yaku():
    case = case_of("(123m) 456p 789s 99s 67p + 8p", source=2, dora="8s")
    answer = settle_win(case, TENHOU)
    assert answer.valid is expects("T11")["win"] is False
    assert [one.code for one in answer.violations] == ["no_yaku"]


# --- furiten ------------------------------------------------------------------------------------

PASSED = "234m 567p 78s 22z"  # with a pung of 7z it waits for 6s and 9s


def passed_and_called(*, discarded: bool) -> list[str]:
    """West lets 6s pass, calls 7z, and wins on 9s before or after its own next discard."""
    pung = Meld(MeldKind.PUNG, parse_tiles("777z"), Seat.B, Tile.parse("7z"))
    events = [*opened({}), *turn(Seat.A, None, "6s"), *turn(Seat.B, None, "7z")]
    events += [MeldCalled(seat=Seat.C, meld=pung), Discarded(seat=Seat.C, tile=Tile.parse("7z"))]
    if discarded:
        events += [*turn(Seat.D, None, "1p"), *turn(Seat.A, None, "1p"), *turn(Seat.B, None, "1p")]
        events += turn(Seat.C, None, "1p")
    return claimed([*events, *turn(Seat.D, None, "9s")], Seat.C, "9s", Seat.D, PASSED)


def test_t14_the_own_call_does_not_end_temporary_furiten_but_a_turn_does():
    """By the spec's literal reading the own draw ends it (A5); Tenhou says the own discard."""
    assert passed_and_called(discarded=False) == ["temporary_furiten"]
    assert passed_and_called(discarded=True) == []


def riichi_of_b(*after: tuple[Seat, str]) -> list[GameEvent]:
    """South is in riichi, waiting for 1m and 4m; then these discards."""
    events = [*opened({}), *turn(Seat.A, None, "9p"), *turn(Seat.B, None, "9p", riichi=True)]
    for seat, tile in after:
        events += turn(seat, None, tile)
    return events


RIICHI_HAND = "23m 456p 789s 55s 678s"


def test_t15_a_tile_passed_in_riichi_counts_until_the_end():
    passed = riichi_of_b((Seat.C, "1m"), (Seat.D, "9s"), (Seat.A, "9s"), (Seat.B, "9s"),
                         (Seat.C, "4m"))  # fmt: skip
    assert claimed(passed, Seat.B, "4m", Seat.C, RIICHI_HAND) == ["riichi_furiten"]
    fresh = riichi_of_b((Seat.C, "4m"))
    assert claimed(fresh, Seat.B, "4m", Seat.C, RIICHI_HAND) == []


@pytest.mark.parametrize("own", ["1m", "4m"])
def test_t16_any_wait_in_the_own_pond_bars_every_wait(own):
    """1m would give no yaku in this hand, 4m all simples; one was called away."""
    events = [*opened({}), *turn(Seat.A, None, "9p"), *turn(Seat.B, None, own)]
    run = Meld(MeldKind.CHOW, parse_tiles("123m" if own == "1m" else "345m"), Seat.B,
               Tile.parse(own))  # fmt: skip
    events += [MeldCalled(seat=Seat.C, meld=run), Discarded(seat=Seat.C, tile=Tile.parse("9p"))]
    events += [*turn(Seat.D, None, "9p"), *turn(Seat.A, None, "4m")]
    codes = claimed(events, Seat.B, "4m", Seat.A, "23m 456p 678s 55s 345s")
    assert codes == ["furiten"]


ORPHANS = "19m 19p 19s 123456z 6z"  # waits for the red dragon


@pytest.mark.parametrize(
    ("preset", "may_win"), [("tenhou", False), ("m_league", False), ("majsoul", True)]
)
def test_t17_thirteen_orphans_and_a_concealed_kong(preset, may_win):
    """The table says World Riichi too; our specification has it off there, unconfirmed."""
    kong = Meld(MeldKind.CONCEALED_KONG, parse_tiles("7777z"))
    events = [*opened({Seat.C: ORPHANS}), Drawn(seat=Seat.A), KongDeclared(seat=Seat.A, meld=kong)]
    offered = claim_actions(state_of(events), Seat.C, PLAY, PRESETS[preset])
    assert bool(offered) is may_win
    codes = claimed(events, Seat.C, "7z", Seat.A, ORPHANS)
    assert codes == []  # what was done at the table is judged by the hand, and it is complete


def test_passed_wins_of_open_mahjong():
    """Three facts: a pass in riichi counts for that seat alone; nobody eligible, no furiten; and
    when two could win and neither does, both have passed."""
    path = shared_data("oracles/open_mahjong_unity/riichi_passed_ron_cases.json")
    texts = [case["text"] for case in json.loads(path.read_text())["cases"]]
    assert [text.split(":")[0] for text in texts] == [
        "a riichi player passes a ron",
        "nobody was eligible",
        "two seats eligible, the first passes before the second decides",
    ]
    passed = riichi_of_b((Seat.C, "1m"), (Seat.D, "4m"))
    assert claimed(passed, Seat.B, "4m", Seat.D, RIICHI_HAND) == ["riichi_furiten"]
    assert claimed(passed, Seat.A, "4m", Seat.D, "4m 777z 456s 789p 234s") == []
    nobody = riichi_of_b((Seat.C, "9s"), (Seat.D, "4m"))
    assert claimed(nobody, Seat.B, "4m", Seat.D, RIICHI_HAND) == []
    both = [*opened({}), *turn(Seat.A, None, "1m"), *turn(Seat.B, None, "4m")]
    for seat in (Seat.C, Seat.D):
        hand = "23m 456s 777z 99p 567p"
        assert claimed(both, seat, "4m", Seat.B, hand) == ["temporary_furiten"]


# --- what may be declared -----------------------------------------------------------------------

NINE = "19m 19p 19s 123z 5678m"


def test_t18_nine_terminals_only_at_the_first_uninterrupted_draw():
    fresh = state_of([*opened({Seat.A: NINE}), Drawn(seat=Seat.A, tile=Tile.parse("2p"))])
    assert may_declare_draw(fresh, Seat.A, TENHOU) == "kyuushu_kyuuhai"
    assert may_declare_draw(replace(fresh, interrupted=True), Seat.A, TENHOU) is None
    later = state_of(
        [*opened({Seat.A: NINE}), *turn(Seat.A, "2p", "2p"), *turn(Seat.B, None, "9m"),
         *turn(Seat.C, None, "9m"), *turn(Seat.D, None, "9m"),
         Drawn(seat=Seat.A, tile=Tile.parse("2p"))]
    )  # fmt: skip
    assert may_declare_draw(later, Seat.A, TENHOU) is None
    assert may_declare_draw(fresh, Seat.A, WRC) is None  # no abortive draws there


@pytest.mark.parametrize(("drawn", "may"), [("3s", True), ("6s", False)])
def test_t19_a_kong_in_riichi_leaves_the_waits_as_they_are(drawn, may):
    hand = "3335666s 555z 777z"
    events = [*opened({Seat.A: hand}), *turn(Seat.A, "9p", "9p", riichi=True)]
    for seat in (Seat.B, Seat.C, Seat.D):
        events += turn(seat, None, "1z")
    events.append(Drawn(seat=Seat.A, tile=Tile.parse(drawn)))
    kong = KongDeclared(seat=Seat.A, meld=Meld(MeldKind.CONCEALED_KONG, (Tile.parse(drawn),) * 4))
    assert may_declare_kong(state_of(events), Seat.A, kong, TENHOU) is may
    other = KongDeclared(seat=Seat.A, meld=Meld(MeldKind.CONCEALED_KONG, parse_tiles("5555z")))
    assert not may_declare_kong(state_of(events), Seat.A, other, TENHOU)  # not the tile drawn


@pytest.mark.parametrize(
    ("preset", "concealed", "timing"),
    [
        ("tenhou", True, "immediate"),
        ("tenhou", False, "after_discard"),
        ("m_league", False, "immediate"),
        ("jpml", True, "none"),
    ],
)
def test_t23_when_the_indicator_of_a_kong_is_turned(preset, concealed, timing):
    assert kong_indicator(concealed, PRESETS[preset]) == timing


def test_t31_riichi_takes_a_discard_that_leaves_a_waiting_hand():
    events = [
        *opened({Seat.A: "123m 456p 789s 55s 34p"}),
        Drawn(seat=Seat.A, tile=Tile.parse("9m")),
    ]
    state = state_of(events)
    assert set(ready_discards(state, Seat.A, TENHOU)) == {Tile.parse("9m")}
    far = state_of([*opened({Seat.A: NINE}), Drawn(seat=Seat.A, tile=Tile.parse("2p"))])
    assert ready_discards(far, Seat.A, TENHOU) == ()
    assert waits(parse_tiles("123m 456p 789s 55s 34p"), ()) == frozenset(parse_tiles("25p"))


# --- who is paid --------------------------------------------------------------------------------


def test_t25_only_the_nearest_of_two_winners_takes_counters_and_sticks():
    near = case_of("(555z) 234m 456p 99s 78p + 9p", seat=0, source=3, counters=2, deposits=2)
    far = replace(near, winner=Seat.B, dealer=Seat.A)
    answers = settle_wins([far, near], TENHOU)
    assert isinstance(answers, tuple)
    assert [answer.deltas for answer in answers] == [
        (1500 + 600 + 2000, 0, 0, -2100),
        (0, 1000, 0, -1000),
    ]


@pytest.mark.parametrize(
    ("preset", "change"),
    [
        # Big three dragons and all honours; South is liable for the dragons, North discards.
        ("tenhou", (0, -32000, 64000, -32000)),
        ("majsoul", (0, -16000, 64000, -48000)),
    ],
)
def test_t27_what_a_liable_seat_answers_for(preset, change):
    case = case_of("(555z) (666z) (777z) 11z 22z + 2z", seat=2, source=3)
    melds = tuple(
        replace(meld, source=source)
        for meld, source in zip(case.melds, (Seat.A, Seat.D, Seat.B), strict=True)
    )
    assert settle_win(replace(case, melds=melds), PRESETS[preset]).deltas == change
    assert MAJSOUL.pao_scope is PaoScope.LIABLE_YAKUMAN_ONLY


@pytest.mark.parametrize(
    ("renhou", "change"), [(Renhou.OFF, 2000), (Renhou.MANGAN, 8000), (Renhou.YAKUMAN, 32000)]
)
def test_t29_hand_of_man_by_the_rules_of_the_table(renhou, change):
    case = case_of("234m 456s 678s 55s 34p + 5p", source=2, circumstances=("first_turn",))
    options = replace(NOVOSIBIRSK, renhou=renhou)
    assert settle_win(case, options).deltas[1] == change
    assert (EMA.renhou, WRC.renhou) == (Renhou.MANGAN, Renhou.MANGAN)


def test_t29_han_of_the_hand_may_be_worth_more_than_the_mangan_of_the_hand_of_man():
    rich = case_of("22334m 667788m 55m + 4m", source=2, circumstances=("first_turn",))
    assert settle_win(rich, EMA).deltas[1] == 24000


# --- three players ------------------------------------------------------------------------------


def test_t32_the_absent_seats_share_is_lost():
    case = replace(case_of("(777z) 123p 456p 99s 79s + 8s"), bonus=parse_tiles("44z"))
    answer = settle_win(case, SANMA, 3)
    assert answer.totals == {"han": 3, "fu": 30}
    assert answer.deltas == (-2000, 3000, -1000)


def test_t34_dora_with_three_players():
    assert dora_of(Tile.parse("1m"), SANMA) == Tile.parse("9m")
    assert dora_of(Tile.parse("9m"), SANMA) == Tile.parse("1m")
    assert dora_of(Tile.parse("1m"), TENHOU) == Tile.parse("2m")
    case = case_of("(777z) 123p 456p 99s 78s + 9s", seat=1, source=2)
    with_north = replace(case, bonus=parse_tiles("44z"), dora=(dora_of(Tile.parse("3z"), SANMA),))
    items = {item.id: item.value for item in settle_win(with_north, SANMA, 3).items}
    assert (items["north"], items["dora"]) == (2, 2)


def north_let_pass(hand: str) -> tuple[Deal, RiichiOptions]:
    """B sets a north aside, C lets it pass; after C's turn nothing else is asked."""
    options = RIICHI_3P.choose("tenhou", red_fives=(0, 0, 0))
    deal = open_deal(
        SANMA_PLAY.first_deal(options), wall_of({**HANDS, Seat.C: hand}, "9p"), SANMA_PLAY, options
    )
    for event in play_deal(deal, chosen):
        if isinstance(event, BonusSetAside) and event.seat is Seat.B:
            break
    return deal, options


def test_t35_a_north_without_a_yaku_is_not_won_and_missing_it_is_no_furiten():
    hand = "123p 456p 789s 567s 4z"
    deal, options = north_let_pass(hand)
    passed = deal.state.offers[-1]
    assert (passed.seat, passed.tile) == (Seat.B, Tile.parse("4z"))
    assert not SANMA_PLAY.can_win(deal.state, Seat.C, Offer(Seat.B, passed.tile), options)
    events = [*deal.history, Drawn(seat=Seat.B, replacement=True)]
    events.append(Discarded(seat=Seat.B, tile=Tile.parse("4z")))
    state = fold(events, 3)
    assert state is not None
    claim = WinClaimed(seat=Seat.C, tile=Tile.parse("4z"), source=Seat.B)
    for shown, codes in ((hand, []), ("123p 777z 789s 567s 4z", ["temporary_furiten"])):
        held = state.with_seat(Seat.C, shown=parse_tiles(shown), winning_tile=claim.tile)
        found = claim_violations(held, referee.case_of(held, claim, options), options)
        assert [one.code for one in found] == codes


@pytest.mark.parametrize(("wall_left", "codes"), [(3, []), (2, ["wrong_riichi"])])
def test_t36_riichi_takes_three_tiles_with_three_players(wall_left, codes):
    deal, _ = north_let_pass("123p 456p 789s 567s 4z")
    state = replace(deal.state.with_seat(Seat.A, has_drawn=True), turn=Seat.A, wall_left=wall_left)
    state = replace(state, awaiting=Awaiting.DISCARD, points=(35000,) * 3)
    found = SANMA_CONDUCT.breaches(state, ReadyDeclared(seat=Seat.A), SANMA)
    assert [one.code for one in found] == codes
    assert TENHOU.riichi_min_wall == 4
