"""The worked examples A01 to A66 of American mahjong on the practice card."""

from __future__ import annotations

import pytest

from table_controller.rules.american import RULESET
from table_controller.rules.american.matching import Exposure, Rack, Visible, matches
from table_controller.rules.american.options import (
    CharlestonRule,
    CourtesyRule,
    DeadCheck,
    DeadExposures,
    ExchangeWin,
    HeavenlyHand,
    JokerlessDeclared,
    JokerlessScope,
    LargestB,
    MahjongInError,
    Misnaming,
    Options,
    WrongChallenge,
)
from table_controller.rules.american.play import PLAY
from table_controller.rules.american.scoring import card_of, tile_set
from table_controller.rules.american.table import (
    Direction,
    Step,
    challenge,
    charleston,
    courtesy_count,
    dead_exposure,
    exchange_problem,
    exposure_problem,
    exposures_in_error,
    exposures_with,
    game_ends,
    hand_ends,
    lines_left,
    next_east,
    pass_tiles,
    wall_game,
)
from table_controller.rules.core.case import Case
from table_controller.rules.core.errors import CaseError, OptionError
from table_controller.rules.core.events import JokerExchanged
from table_controller.rules.core.game import open_deal
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment, totals
from table_controller.rules.core.state import apply
from table_controller.rules.core.tiles import Tile, format_tiles, parse_tiles
from table_controller.rules.core.wall import WallPlace, wall_order

E, S, W, N = Seat
SEAT = dict(zip("ESWN", Seat, strict=True))
CARD = card_of(Options())


def claim(rack, exposures, winning, winner, source, **extra):
    """A case from notation; exposures as (kind, tiles)."""
    return Case(
        winner=SEAT[winner],
        source=None if source is None else SEAT[source],
        hand=parse_tiles(rack),
        winning_tile=Tile.parse(winning),
        melds=tuple(Meld.of(kind, text) for kind, text in exposures),
        extra=extra,
    )


# number, rack, exposures, Mahjong tile, winner, discarder, lines matched, line counted, base,
# payments of E S W N
EXAMPLES = [
    ("A01", "6688m 22244s 5555z", [], "8m", "E", "S", "E1", "E1", 50, (200, -100, -50, -50)),
    ("A02", "6688m 22244s 5555z", [], "8m", "E", None, "E1", "E1", 50, (300, -100, -100, -100)),
    ("A03", "6688m 2224s 55z jk jk jk", [], "4s", "S", "W", "E1", "E1", 25, (-25, 100, -50, -25)),
    ("A04", "6888m 2244s 5555z jk", [], "6m", "N", None, "E1", "E1", 25, (-50, -50, -50, 150)),
    ("A05", "66888m 224s 5555z jk", [], "2s", "W", "E", "", None, 0, (0, 0, 0, 0)),
    (
        "A06",
        "222s 111f",
        [("kong", "666s jk"), ("pung", "666z")],
        "2s",
        "E",
        "N",
        "E2",
        "E2",
        25,
        (100, -25, -25, -50),
    ),
    (
        "A07",
        "222s 11f jk",
        [("kong", "6666m"), ("pung", "55z jk")],
        "1f",
        "E",
        "N",
        "E2",
        "E2",
        25,
        (100, -25, -25, -50),
    ),
    (
        "A08",
        "2222s 11f",
        [("kong", "6666m"), ("pung", "666z")],
        "1f",
        "E",
        "N",
        "",
        None,
        0,
        (0, 0, 0, 0),
    ),
    ("A09", "224466m 888p 88s 11f", [], "8s", "N", "W", "E4", "E4", 70, (-70, -70, -140, 280)),
    ("A10", "224466m 888s 1f", [("pung", "888p")], "1f", "N", "W", "", None, 0, (0, 0, 0, 0)),
    ("A11", "888m 268p 666s 555z jk", [], "4p", "S", "E", "E5", "E5", 30, (-60, 120, -30, -30)),
    ("A12", "888m 24p 666s 5555z jk", [], "6p", "S", "E", "", None, 0, (0, 0, 0, 0)),
    (
        "A13",
        "777m 77s 777z jk jk",
        [("pung", "555z")],
        "7s",
        "W",
        None,
        "L1",
        "L1",
        25,
        (-50, -50, 150, -50),
    ),
    ("A14", "555m 555p 5s 55z 11f jk jk", [], "5s", "E", "N", "L2", "L2", 30, (120, -30, -30, -60)),
    (
        "A15",
        "44m 44p 44s 2z 3z 4z 1111f",
        [],
        "1z",
        "N",
        "S",
        "L3",
        "L3",
        80,
        (-80, -160, -80, 320),
    ),
    ("A16", "33m 33p 33s 2z 3z 4z 1111f", [], "1z", "N", "S", "", None, 0, (0, 0, 0, 0)),
    ("A17", "5555m 55p 555s 777z jk", [], "5p", "S", None, "L4", "L4", 35, (-70, 210, -70, -70)),
    ("A18", "5555m 55p 5555s 77z jk", [], "5p", "S", None, "", None, 0, (0, 0, 0, 0)),
    ("A19", "9999m 999p 55z 111f jk", [], "9p", "E", None, "Q1", "Q1", 40, (240, -80, -80, -80)),
    (
        "A20",
        "999m 5z 111f jk jk",
        [("kong", "999p jk")],
        "5z",
        "E",
        "S",
        "Q1",
        "Q1",
        40,
        (160, -80, -40, -40),
    ),
    ("A21", "5555s 22z 666z 11f jk jk", [], "2z", "N", "W", "Q2", "Q2", 40, (-40, -40, -80, 160)),
    ("A22", "77779999m 88s 55z jk", [], "8s", "N", "W", "Q3", "Q3", 45, (-45, -45, -90, 180)),
    ("A23", "333p 6666z 1111f jk jk", [], "3p", "W", None, "Q4", "Q4", 50, (-100, -100, 300, -100)),
    ("A24", "66p 2222s 111111f jk", [], "6p", "W", None, "Q5", "Q5", 60, (-120, -120, 360, -120)),
    ("A25", "44666m 5555777s jk", [], "4m", "E", "N", "R1", "R1", 25, (100, -25, -25, -50)),
    ("A26", "44777m 5555666s jk", [], "4m", "E", "N", "", None, 0, (0, 0, 0, 0)),
    (
        "A27",
        "3p",
        [("kong", "2222m"), ("kong", "444s jk"), ("kong", "7777z")],
        "3p",
        "S",
        "E",
        "R2",
        "R2",
        30,
        (-60, 120, -30, -30),
    ),
    ("A28", "11m 444p 11223344s", [], "1m", "W", "E", "R3", "R3", 70, (-140, -70, 280, -70)),
    ("A29", "23456m 777p 222s jk jk", [], "7m", "N", None, "R5", "R5", 35, (-70, -70, -70, 210)),
    ("A30", "22233p 7777888s jk", [], "3p", "N", "E", "R6", "R6", 30, (-60, -30, -30, 120)),
    ("A31", "22233p 3334444s jk", [], "3p", "N", "E", "", None, 0, (0, 0, 0, 0)),
    ("A32", "111555p 333777s jk", [], "7s", "E", "W", "O1", "O1", 25, (100, -25, -50, -25)),
    ("A33", "111m 5555p 99s 55z jk jk", [], "9s", "E", None, "O2", "O2", 30, (180, -60, -60, -60)),
    ("A34", "333m 999p 5555z 777z", [], "7z", "S", "N", "O5", "O5", 60, (-60, 240, -60, -120)),
    ("A35", "111z 333z 666z 777z jk", [], "6z", "W", None, "W1", "W1", 25, (-50, -50, 150, -50)),
    ("A36", "1z 2z 3z 555z 666z 7777z", [], "4z", "S", "E", "W2", "W2", 60, (-120, 240, -60, -60)),
    ("A37", "11z 22z 33z 4z 6666z 11f", [], "4z", "W", "E", "W3", "W3", 70, (-140, -70, 280, -70)),
    ("A38", "8888m 88p 444z 111f jk", [], "4z", "E", None, "W4", "W4", 30, (180, -60, -60, -60)),
    ("A39", "3333z 4444z 55z 111f", [], "1f", "E", "S", "W5", "W5", 50, (200, -100, -50, -50)),
    ("A40", "333m 66p 999s 1111f jk", [], "6p", "S", "N", "T2", "T2", 25, (-25, 100, -25, -50)),
    ("A41", "369m 666999p 369s jk", [], "9p", "N", None, "T4", "T4", 30, (-60, -60, -60, 180)),
    ("A42", "223344m 566s 77z 11f", [], "5s", "E", "N", "S1", "S1", 50, (200, -50, -50, -100)),
    ("A43", "223344m 566s 77z 11f", [], "5s", "E", None, "S1", "S1", 50, (300, -100, -100, -100)),
    (
        "A44",
        "23p 1z 2z 4z 55z 66z 77z 11f",
        [],
        "3z",
        "N",
        "S",
        "S4",
        "S4",
        75,
        (-75, -150, -75, 300),
    ),
    ("A45", "2468m 288p 2468s 11f", [], "2p", "S", None, "S5", "S5", 60, (-120, 360, -120, -120)),
    ("A46", "22334455m 55p 222s", [], "5p", "E", "N", "R3", "R3", 70, (280, -70, -70, -140)),
    (
        "A47",
        "23777s 55z 11f jk jk jk jk",
        [],
        "7s",
        "E",
        None,
        "Y4",
        "Y4",
        40,
        (240, -80, -80, -80),
    ),
    ("A48", "444m 3s 5555z 11f jk jk jk", [], "2s", "S", "N", "Y2", "Y2", 25, (-25, 100, -25, -50)),
    (
        "A65",
        "1111m 111p 777z jk jk jk",
        [],
        "1p",
        "E",
        "N",
        "L1 L4",
        "L4",
        35,
        (140, -35, -35, -70),
    ),
    (
        "A66",
        "11m 111p 55z 11f jk jk jk jk",
        [],
        "1m",
        "S",
        None,
        "L2 Q1",
        "Q1",
        40,
        (-80, 240, -80, -80),
    ),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=[example[0] for example in EXAMPLES])
def test_worked_example(example):
    _, rack, exposures, winning, winner, source, lines, counted, base, deltas = example
    case = claim(rack, exposures, winning, winner, source)
    found = matches(
        Rack.of([*case.hand, case.winning_tile]),
        [Exposure.of(meld) for meld in case.melds],
        CARD,
    )
    assert " ".join(match.id for match in found) == lines
    answer = RULESET.settle_win(case, Options())
    assert answer.valid is (counted is not None)
    assert answer.deltas == deltas
    if counted is not None:
        assert answer.items[0].id == counted
        assert answer.totals["points"] == base
        assert CARD.line(counted).text in answer.items[0].why
    else:
        assert answer.violations[0].code == "not_a_win"
        assert "dead" in answer.violations[0].text


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("A05", "joker_misuse"),
        ("A10", "wrong_call"),
        ("A12", "joker_misuse"),
        ("A18", "joker_misuse"),
    ],
)
def test_the_usual_mistakes_are_named(number, code):
    _, rack, exposures, winning, winner, source, *_ = next(
        example for example in EXAMPLES if example[0] == number
    )
    answer = RULESET.settle_win(claim(rack, exposures, winning, winner, source), Options())
    assert [violation.code for violation in answer.violations] == ["not_a_win", code]


def test_a49_break():
    """Six stacks stay at the right end of East's wall, the deal starts with the seventh."""
    found = PLAY.break_wall(E, (2, 4), Options())
    order = wall_order((19,) * 4, found.side, found.stacks)
    assert order[:2] == [WallPlace(side=E, stack=6, layer=1), WallPlace(side=E, stack=6, layer=0)]
    # East's last tiles are the first and third upper ones, the next draw is a lower one
    assert [order[number - 1].layer for number in (49, 50, 51, 52, 53, 54)] == [1, 0, 1, 0, 1, 0]
    assert len(order) == 152


def test_a49_deal():
    """East is dealt the first and third upper tiles at the end, numbers 49 and 53."""
    tiles = tile_set(Options()).tiles()
    deal = open_deal(PLAY.first_deal(Options()), range(len(tiles)), PLAY, Options())
    dealt = {seat: [number + 1 for number in deal.state.seats[seat].hand] for seat in Seat}
    assert dealt[E] == [1, 2, 3, 4, 17, 18, 19, 20, 33, 34, 35, 36, 49, 53]
    assert dealt[S][:4] == [5, 6, 7, 8]
    assert [numbers[-1] for numbers in (dealt[S], dealt[W], dealt[N])] == [50, 51, 52]
    assert dealt[N][-2] == 48
    assert deal.wall.draw() == 53  # the first tile in play is number 54
    assert deal.state.wall_left == 99


def _line_worth_25(*, jokers, self_pick):
    """An answer for line E1."""
    rack, winning = ("6688m 22244s 5555z", "8m") if not jokers else ("6688m 2244s 5555z jk", "8m")
    return RULESET.settle_win(claim(rack, [], winning, "E", None if self_pick else "S"), Options())


def test_a50_payments_of_a_line_worth_25():
    assert _line_worth_25(jokers=True, self_pick=False).deltas == (100, -50, -25, -25)
    assert _line_worth_25(jokers=True, self_pick=True).deltas == (150, -50, -50, -50)
    assert _line_worth_25(jokers=False, self_pick=False).deltas == (200, -100, -50, -50)
    assert _line_worth_25(jokers=False, self_pick=True).deltas == (300, -100, -100, -100)


FIRST_LEFT = Step(3, "first left", Direction.LEFT, may_be_blind=True)
FIRST_RIGHT = Step(1, "first right", Direction.RIGHT, may_be_blind=False)


def test_a51_blind_pass():
    own = {
        E: parse_tiles("1m 9s 1z"),
        N: parse_tiles("7s"),
        W: (),
        S: parse_tiles("33p"),
    }
    passed = pass_tiles(own, FIRST_LEFT, Options())
    assert {seat: format_tiles(tiles) for seat, tiles in passed.packets.items()} == {
        E: "1m 9s 1z",
        N: "7s 1m 9s",
        W: "7s 1m 9s",
        S: "33p 7s",
    }
    assert {seat: format_tiles(tiles) for seat, tiles in passed.kept.items()} == {
        E: "33p 7s",
        N: "1z",
        W: "",
        S: "1m 9s",
    }


def test_a52_all_four_pass_blind():
    passed = pass_tiles(dict.fromkeys(Seat, ()), FIRST_LEFT, Options())
    assert not any(passed.packets.values())
    assert not any(passed.kept.values())


def test_passes_are_counted_and_hold_no_joker():
    own = dict.fromkeys(Seat, parse_tiles("123m"))
    assert pass_tiles(own, FIRST_RIGHT, Options()).kept[S] == parse_tiles("123m")
    with pytest.raises(
        CaseError, match="seat 2 passes 2 own tiles in the first right: it passes 3"
    ):
        pass_tiles({**own, W: parse_tiles("12m")}, FIRST_RIGHT, Options())
    with pytest.raises(CaseError, match="1 to 3"):
        pass_tiles({**own, W: ()}, FIRST_LEFT, Options(blind_pass_max=2))
    with pytest.raises(CaseError, match="passes a joker"):
        pass_tiles({**own, W: parse_tiles("12m jk")}, FIRST_RIGHT, Options())


def test_the_steps_of_the_charleston():
    steps = list(charleston(Options()))
    assert [(step.name, step.direction.value) for step in steps] == [
        ("first right", "right"),
        ("first across", "across"),
        ("first left", "left"),
        ("second left", "left"),
        ("second across", "across"),
        ("last right", "right"),
        ("courtesy", "across"),
    ]
    assert [step.number for step in steps if step.may_be_blind] == [3, 6]
    assert [step.number for step in charleston(Options(), second=False)] == [1, 2, 3, 7]
    first_only = Options(charleston=CharlestonRule.FIRST_ONLY)
    assert [step.number for step in charleston(first_only)] == [1, 2, 3, 7]
    assert list(charleston(Options(charleston=CharlestonRule.NONE))) == []
    sighted = list(charleston(Options(blind_pass_steps=())))
    assert not any(step.may_be_blind for step in sighted)


def test_a53_courtesy_pass():
    assert courtesy_count(3, 1, Options()) == 1
    assert courtesy_count(0, 2, Options()) == 0
    equal = Options(courtesy_rule=CourtesyRule.EQUAL_ONLY)
    assert courtesy_count(3, 1, equal) == 0
    assert courtesy_count(2, 2, equal) == 2
    with pytest.raises(CaseError, match="0 to 3"):
        courtesy_count(4, 1, Options())


def deal_with_joker(kong):
    """East has drawn, North has laid a kong of a discard by South."""
    deal = open_deal(PLAY.first_deal(Options()), tile_set(Options()).tiles(), PLAY, Options())
    held = (Tile.parse(kong[0] + kong[3]), *deal.state.seats[E].hand[1:])
    state = deal.state.with_seat(E, hand=held)
    return state.with_seat(N, melds=(Meld.of("kong", kong, S),))


def test_a55_joker_exchange_and_mahjong():
    state = deal_with_joker("444m jk")
    exposed = state.seats[N].melds[0]
    after = apply(state, JokerExchanged(seat=E, owner=N, place=0, tile=Tile.parse("4m")))
    (laid,) = after.seats[N].melds
    assert format_tiles(laid.tiles) == "4444m"
    assert (laid.kind, laid.source) == (exposed.kind, exposed.source)
    answer = RULESET.settle_win(claim("111z 333z 6666z 777z", [], "jk", "E", None), Options())
    assert answer.items[0].id == "W1"
    assert answer.deltas == (150, -50, -50, -50)


def test_exchanges_that_are_none():
    turn = {"own_turn": True, "has_drawn": True, "has_exposed": False}
    assert exchange_problem(**turn, options=Options()) is None
    assert "own turn" in exchange_problem(**{**turn, "own_turn": False}, options=Options())
    assert "draw" in exchange_problem(**{**turn, "has_drawn": False}, options=Options())
    after_claim = {"own_turn": True, "has_drawn": False, "has_exposed": True}
    assert exchange_problem(**after_claim, options=Options()) is None
    strict = Options(exchange_after_claim=False)
    assert "claim" in exchange_problem(**after_claim, options=strict)


def test_a56_exchange_makes_the_hand_jokerless():
    state = deal_with_joker("999p jk")
    exchanged = apply(state, JokerExchanged(seat=E, owner=N, place=0, tile=Tile.parse("9p")))
    (exposed,) = exchanged.seats[N].melds
    case = Case(
        winner=W,
        source=E,
        hand=parse_tiles("1111m 555s 55z"),
        winning_tile=Tile.parse("5s"),
        melds=(exposed,),
    )
    answer = RULESET.settle_win(case, Options())
    assert answer.items[0].id == "O2"
    assert answer.deltas == (-120, -60, 240, -60)
    held = Case(
        winner=W,
        source=E,
        hand=case.hand,
        winning_tile=case.winning_tile,
        melds=case.melds,
        extra={"held_joker": True},
    )
    never = Options(jokerless_scope=JokerlessScope.NEVER_HELD)
    assert RULESET.settle_win(held, never).totals["points"] == 30
    assert RULESET.settle_win(held, Options()).totals["points"] == 60


def test_a57_exposure_and_exchange_before_mahjong():
    # 6s claimed from North, a joker exchanged into the rack: T2 with the pung 66s jk exposed
    exposures = [("pung", "66s jk")]
    case = claim("333m 999p 1111f", exposures, "jk", "S", None, claimed_from=3)
    answer = RULESET.settle_win(case, Options())
    assert answer.items[0].id == "T2"
    assert answer.deltas == (-50, 150, -50, -50)
    by_first = RULESET.settle_win(case, Options(exchange_win=ExchangeWin.BY_FIRST_TILE))
    assert by_first.deltas == (-25, 100, -25, -50)


def test_a58_dead_hand():
    melds = [Meld.of("pung", "555m"), Meld.of("kong", "8888s")]
    assert [line.id for line in lines_left(melds, CARD, Options())] == ["R1", "R6"]
    melds.append(Meld.of("kong", "3333p"))
    assert lines_left(melds, CARD, Options()) == []
    called = challenge(W, N, melds, CARD, Options())
    assert (called.seat, called.code, called.penalty) == (N, "dead_hand", ())
    breach = dead_exposure(N, melds, CARD, Options())
    assert breach.code == "dead_hand"
    assert "3333p" in breach.text
    assert dead_exposure(N, melds[:2], CARD, Options()) is None
    assert exposures_in_error(melds, CARD, Options()) == 0
    valid_only = Options(dead_exposures=DeadExposures.VALID_ONLY)
    assert exposures_in_error(melds, CARD, valid_only) == 1


def test_a_wrong_challenge_costs_points_or_the_hand():
    melds = [Meld.of("pung", "777m"), Meld.of("kong", "8888s")]
    wrong = challenge(W, N, melds, CARD, Options())
    assert (wrong.seat, wrong.code) == (W, "wrong_challenge")
    assert wrong.penalty == (Payment(W, N, 50, "wrong challenge"),)
    assert challenge(W, N, melds, CARD, Options(wrong_challenge_points=0)).penalty == ()
    harsh = Options(wrong_challenge=WrongChallenge.CHALLENGER_DEAD)
    assert challenge(W, N, melds, CARD, harsh).penalty == ()
    assert RULESET.conduct.kills_hand("wrong_challenge", harsh)
    assert not RULESET.conduct.kills_hand("wrong_challenge", Options())


def test_a59_concealed_line_with_exposure_is_dead():
    answer = RULESET.settle_win(
        claim("224466m 888s 1f", [("pung", "888p")], "1f", "S", "W"), Options()
    )
    assert not answer.valid
    assert "E4" in answer.violations[1].text
    assert "concealed" in answer.violations[1].text


def test_a60_wall_game():
    assert wall_game((), Options()) == []
    assert next_east(E) is S
    assert next_east(N) is E
    credited = wall_game([W], Options(wall_game_payment=10))
    assert totals(credited) == (10, 10, 0, 10)


def test_a61_heavenly_hand():
    dealt = claim("2468m 288p 2468s 11f", [], "2p", "E", None, before_charleston=True)
    assert RULESET.settle_win(dealt, Options()).deltas == (360, -120, -120, -120)
    double = Options(heavenly_hand=HeavenlyHand.DOUBLE)
    assert RULESET.settle_win(dealt, double).deltas == (720, -240, -240, -240)
    off = RULESET.settle_win(dealt, Options(heavenly_hand=HeavenlyHand.OFF))
    assert off.violations[0].code == "out_of_turn"
    south = claim("2468m 288p 2468s 11f", [], "2p", "S", None, before_charleston=True)
    assert RULESET.settle_win(south, Options()).violations[0].code == "out_of_turn"


@pytest.mark.parametrize(
    ("exposures", "lines"),
    [
        ([("pung", "777m"), ("kong", "8888s")], "R1 R6"),
        ([("kong", "2222m"), ("kong", "4444m")], "R1"),
        ([("kong", "2222m"), ("kong", "6666m")], "E2"),
        ([("pung", "888p")], "E1 E5 L2 Q3 R1 W4"),
    ],
)
def test_a62_live_check_of_exposures(exposures, lines):
    melds = [Meld.of(kind, text) for kind, text in exposures]
    assert " ".join(line.id for line in lines_left(melds, CARD, Options())) == lines


def test_the_full_check_looks_at_what_is_gone():
    full = Options(dead_check=DeadCheck.FULL)
    melds = [Meld.of("kong", "2222m"), Meld.of("kong", "6666m")]
    # E2 still needs three flowers and a pung of red dragons: gone but for the jokers
    gone = Visible.of(parse_tiles("11111111f 7777z"))
    assert [line.id for line in lines_left(melds, CARD, full, gone)] == ["E2"]
    no_jokers = Visible.of(parse_tiles("11111111f 7777z jk jk jk"))
    assert lines_left(melds, CARD, full, no_jokers) == []
    # R2 needs a natural pair of 3p between these kongs, and one 3p is left
    pair_gone = Visible.of(parse_tiles("333p"))
    assert "R2" not in [
        line.id
        for line in lines_left(
            [Meld.of("kong", "2222m"), Meld.of("kong", "4444s"), Meld.of("kong", "7777z")],
            CARD,
            full,
            pair_gone,
        )
    ]
    exposed = Visible.of((), [Exposure.of(Meld.of("pung", "77z jk"))])
    assert exposed.counts[33] == 2


def test_a63_a_discarded_joker_cannot_be_claimed():
    assert exposure_problem(parse_tiles("44m jk"), Tile.parse("jk"), Options())
    assert list(exposures_with(parse_tiles("44m jk"), Tile.parse("jk"), Options())) == []
    answer = RULESET.settle_win(claim("111z 333z 6666z 777z", [], "jk", "E", "N"), Options())
    (breach,) = answer.violations  # and no word of a joker that stands where it may not
    assert breach.code == "joker_misuse"
    assert "discarded joker" in breach.text


def test_a64_a_pair_is_never_exposed():
    problem = exposure_problem(parse_tiles("22s"), Tile.parse("2s"), Options())
    assert "pair" in problem


def test_what_may_be_exposed():
    two = Options(exposure_min_naturals=2)
    tile = Tile.parse("2s")
    assert exposure_problem(parse_tiles("2s jk jk"), tile, Options()) is None
    assert "2 natural" in exposure_problem(parse_tiles("2s jk jk"), tile, two)
    assert "not all" in exposure_problem(parse_tiles("223s"), tile, Options())
    assert "claimed 2s" in exposure_problem(parse_tiles("jk jk jk"), tile, Options())
    found = [
        format_tiles(meld.tiles)
        for meld in exposures_with(parse_tiles("22s 9p jk"), tile, Options())
    ]
    assert found == ["222s", "22s jk", "222s jk"]
    flowers = list(exposures_with(parse_tiles("1f 3g"), Tile.parse("2f"), Options()))
    assert [meld.kind.value for meld in flowers] == ["pung"]
    flowers[0].check()
    thin = RULESET.settle_win(claim("333m 999p 1111f", [("pung", "6s jk jk")], "9p", "S", "N"), two)
    assert thin.violations[0].code == "wrong_call"


def test_three_dead_hands_end_the_hand():
    assert not hand_ends([E, W, W])
    assert hand_ends([E, W, N])


def test_the_length_of_the_game_and_the_set():
    assert not game_ends(15, Options())
    assert game_ends(16, Options())
    assert len(tile_set(Options())) == 152


def test_jokerless_may_have_to_be_announced():
    rule = Options(jokerless_declared=JokerlessDeclared.MUST_BE_ANNOUNCED)
    case = claim("6688m 22244s 5555z", [], "8m", "E", "S")
    assert RULESET.settle_win(case, rule).totals["points"] == 25
    said = claim("6688m 22244s 5555z", [], "8m", "E", "S", jokerless_announced=True)
    assert RULESET.settle_win(said, rule).totals["points"] == 50


def test_the_first_line_may_count_instead_of_the_dearest():
    case = claim("1111m 111p 777z jk jk jk", [], "1p", "E", "N")
    assert RULESET.settle_win(case, Options(largest_b=LargestB.FIRST_LINE)).items[0].id == "L1"


def test_a_misnamed_discard_may_cost_four_times():
    case = claim("6688m 2244s 5555z jk", [], "8m", "E", "S", misnamed=True)
    assert RULESET.settle_win(case, Options()).deltas == (100, -50, -25, -25)
    harsh = Options(misnaming=Misnaming.FOUR_TIMES)
    assert RULESET.settle_win(case, harsh).deltas == (100, -100, 0, 0)
    drawn = claim("6688m 2244s 5555z jk", [], "8m", "E", None, misnamed=True)
    with pytest.raises(CaseError, match="misnamed"):
        RULESET.settle_win(drawn, harsh)


def test_mahjong_in_error_may_be_paid():
    pay = Options(mahjong_in_error=MahjongInError.PAY_ALL)
    case = claim("66888m 224s 5555z jk", [], "2s", "W", "E", claimed_line="E1")
    penalty = RULESET.settle_win(case, pay).violations[0].penalty
    assert totals(penalty) == (50, 50, -150, 50)
    intact = claim("66888m 224s 5555z jk", [], "2s", "W", "E", claimed_line="E1", intact=[1, 2])
    assert totals(RULESET.settle_win(intact, pay).violations[0].penalty) == (0, 50, -50, 0)
    nearest_line = claim("66888m 224s 5555z jk", [], "2s", "W", "E")
    assert totals(RULESET.settle_win(nearest_line, pay).violations[0].penalty)[W] < 0
    for strange in ("1", [0, 7], [True], [[1]], {"1": 1}):
        case = claim("66888m 224s 5555z jk", [], "2s", "W", "E", intact=strange)
        with pytest.raises(CaseError, match="intact"):
            RULESET.settle_win(case, pay)
    unknown = claim("66888m 224s 5555z jk", [], "2s", "W", "E", claimed_line="ZZ")
    with pytest.raises(CaseError, match="ZZ"):
        RULESET.settle_win(unknown, pay)


@pytest.mark.parametrize(
    ("rack", "exposures", "winning", "says"),
    [
        ("6688m 22244s 555z", [], "8m", "name 12 tiles"),
        ("6688m 22244s 5555z", [("pung", "111m")], "8m", "name 16 tiles"),
        ("66m 22222s 4s 55555z", [], "8m", "copies"),
        ("6688m 22244s 555z 1a", [], "8m", "1a does not belong"),
        ("6688m 222s 5z jk jk jk jk jk", [], "jk", None),
        ("6688m jk jk jk jk jk jk jk jk 1z", [], "jk", "9 copies of jk"),
        ("6688m 22s 5555z", [("chow", "123m")], "8m", "chow is not exposed"),
    ],
)
def test_what_cannot_lie_on_the_table_is_an_error(rack, exposures, winning, says):
    case = claim(rack, exposures, winning, "E", None)
    if says is None:
        assert not RULESET.settle_win(case, Options()).valid
        return
    with pytest.raises(CaseError, match=says):
        RULESET.settle_win(case, Options())


def test_options_are_checked():
    with pytest.raises(OptionError, match="four digits"):
        Options(year=99)
    with pytest.raises(OptionError, match="blind_pass_steps"):
        Options(blind_pass_steps=(9,))
    with pytest.raises(OptionError, match="whole text"):
        card_of(Options(card="mine.toml"))
    with pytest.raises(OptionError, match="line 1, column 1"):
        card_of(Options(card="id = 'x'\n"))
    other_year = card_of(Options(year=2114))
    assert any("1" in str(group.face) for group in other_year.line("Y1").instances[0].groups)


@pytest.mark.parametrize("name", list(RULESET.presets))
def test_every_preset_settles(name):
    answer = RULESET.settle_win(
        claim("6688m 22244s 5555z", [], "8m", "E", "S"), RULESET.choose(name)
    )
    assert answer.deltas == (200, -100, -50, -50)
