"""What the table reports at once in three-player deals: each breach, and nothing without one."""

from __future__ import annotations

import pytest

from table_controller.rules.core.events import (
    BonusSetAside,
    DealBegan,
    Discarded,
    Drawn,
    HandDealt,
    KongDeclared,
    MeldCalled,
    Penalised,
    ReadyDeclared,
    WinClaimed,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.japanese_3p import RULESET as JAPANESE
from table_controller.rules.japanese_3p.conduct import CONDUCT as JAPANESE_CONDUCT
from table_controller.rules.korean_japanese_3p import RULESET as KOREAN
from table_controller.rules.korean_japanese_3p.conduct import CONDUCT as KOREAN_CONDUCT
from table_controller.rules.malaysian_3p import RULESET as MALAYSIAN
from table_controller.rules.malaysian_3p.conduct import CONDUCT as MALAYSIAN_CONDUCT

EAST, SOUTH, WEST = Seat.A, Seat.B, Seat.C
GAMES = {
    "korean_japanese_3p": (KOREAN, KOREAN_CONDUCT),
    "japanese_3p": (JAPANESE, JAPANESE_CONDUCT),
    "malaysian_3p": (MALAYSIAN, MALAYSIAN_CONDUCT),
}


def opening(points=(35_000,) * 3):
    """A deal whose hands nobody sees."""
    return [
        DealBegan(number=0, dealer=EAST, round_wind=Wind.EAST, points=points, wall_left=50),
        HandDealt(seat=EAST, tiles=(None,) * 14),
        HandDealt(seat=SOUTH, tiles=(None,) * 13),
        HandDealt(seat=WEST, tiles=(None,) * 13),
    ]


def discard(seat, tile, **more):
    return Discarded(seat=seat, tile=Tile.parse(tile), **more)


def call(seat, kind, tiles, source):
    return MeldCalled(seat=seat, meld=Meld(MeldKind(kind), parse_tiles(tiles), source))


def kong(seat, tiles):
    return KongDeclared(seat=seat, meld=Meld(MeldKind.CONCEALED_KONG, parse_tiles(tiles)))


def turn(seat, tile="9p", **more):
    return [Drawn(seat=seat), discard(seat, tile, **more)]


READY_SOUTH = [
    *opening(), discard(EAST, "1z"), Drawn(seat=SOUTH), ReadyDeclared(seat=SOUTH),
    discard(SOUTH, "2z"), *turn(WEST), *turn(EAST, "3z"),
]  # fmt: skip
PUNGED_SOUTH = [
    *opening(), discard(EAST, "1z"), call(SOUTH, "pung", "111z", EAST), discard(SOUTH, "2z"),
    *turn(WEST), *turn(EAST, "3z"),
]  # fmt: skip

BREACHES = [
    # game, options, what happened before, the last event, the code
    ("korean_japanese_3p", {}, opening(), discard(SOUTH, "1z"), "out_of_turn"),
    ("korean_japanese_3p", {}, [*opening(), discard(EAST, "1z")], Drawn(seat=WEST), "out_of_turn"),
    ("korean_japanese_3p", {}, opening(), discard(EAST, "1f"), "flower_kept"),
    ("korean_japanese_3p", {}, [*opening(), discard(EAST, "4m")],
     call(SOUTH, "chow", "456m", EAST), "wrong_call"),
    ("korean_japanese_3p", {}, [*opening(), discard(EAST, "4m"), Drawn(seat=SOUTH)],
     call(WEST, "pung", "444m", EAST), "late_claim"),
    ("korean_japanese_3p", {}, [*PUNGED_SOUTH[:-2], Drawn(seat=EAST), discard(EAST, "1z")],
     call(SOUTH, "kong", "1111z", EAST), "wrong_call"),
    ("korean_japanese_3p", {}, READY_SOUTH, call(SOUTH, "pung", "333z", EAST),
     "ready_hand_changed"),
    ("korean_japanese_3p", {}, [*READY_SOUTH, Drawn(seat=SOUTH)], kong(SOUTH, "4444m"),
     "ready_hand_changed"),
    ("korean_japanese_3p", {}, [*READY_SOUTH, Drawn(seat=SOUTH)],
     discard(SOUTH, "1m", as_drawn=False), "ready_hand_changed"),
    ("korean_japanese_3p", {}, [*PUNGED_SOUTH, Drawn(seat=SOUTH)], ReadyDeclared(seat=SOUTH),
     "false_ready"),
    ("korean_japanese_3p", {}, [*opening(), discard(EAST, "1z")], ReadyDeclared(seat=WEST),
     "out_of_turn"),
    ("korean_japanese_3p", {}, [*opening(), discard(EAST, "5p"), Drawn(seat=SOUTH)],
     WinClaimed(seat=WEST, tile=Tile.parse("5p"), source=EAST), "late_claim"),
    ("korean_japanese_3p", {},
     [*opening(), Penalised(seat=WEST, code="long_hand", dead_hand=True), discard(EAST, "5p")],
     WinClaimed(seat=WEST, tile=Tile.parse("5p"), source=EAST), "dead_hand"),
    ("korean_japanese_3p", {"sacred_discard": "pung_too"},
     [*opening(), discard(EAST, "1z"), *turn(SOUTH, "5p"), *turn(WEST, "5p")],
     call(SOUTH, "pung", "555p", WEST), "sacred_discard"),
    ("korean_japanese_3p", {}, [*opening(), discard(EAST, "1z")],
     BonusSetAside(seat=SOUTH, tile=Tile.parse("3z")), "wrong_call"),
    ("korean_japanese_3p", {}, [*opening(), discard(EAST, "1z")], kong(SOUTH, "4444m"),
     "out_of_turn"),
    ("japanese_3p", {}, [*opening(), discard(EAST, "4z")], call(SOUTH, "pung", "444z", EAST),
     "wrong_call"),
    ("japanese_3p", {}, [*opening(), discard(EAST, "4p")], call(SOUTH, "chow", "456p", EAST),
     "wrong_call"),
    ("japanese_3p", {}, [*READY_SOUTH, Drawn(seat=SOUTH)], kong(SOUTH, "4444p"),
     "ready_hand_changed"),
    ("japanese_3p", {"north_after_riichi": False}, [*READY_SOUTH, Drawn(seat=SOUTH)],
     BonusSetAside(seat=SOUTH, tile=Tile.parse("4z")), "ready_hand_changed"),
    ("japanese_3p", {}, [*PUNGED_SOUTH, Drawn(seat=SOUTH)], ReadyDeclared(seat=SOUTH),
     "wrong_riichi"),
    ("japanese_3p", {}, [*opening((35_000, 500, 35_000)), discard(EAST, "1z"), Drawn(seat=SOUTH)],
     ReadyDeclared(seat=SOUTH), "wrong_riichi"),
    ("malaysian_3p", {}, [*opening(), discard(EAST, "4p")], call(SOUTH, "chow", "456p", EAST),
     "wrong_call"),
    ("malaysian_3p", {"chow_claim": "next_player"}, [*opening(), discard(EAST, "4p")],
     call(WEST, "chow", "456p", EAST), "wrong_call"),
    ("malaysian_3p", {}, [*opening(), discard(EAST, "4p")], call(SOUTH, "pung", "44p jk", EAST),
     "joker_misuse"),
    ("malaysian_3p", {}, [*opening(), discard(EAST, "jk")], call(SOUTH, "pung", "44p jk", EAST),
     "joker_misuse"),
    ("malaysian_3p", {}, opening(), kong(EAST, "444p jk"), "joker_misuse"),
]  # fmt: skip


@pytest.mark.parametrize(("game", "options", "before", "event", "code"), BREACHES)
def test_a_breach_is_reported_with_what_was_wrong(game, options, before, event, code):
    ruleset, conduct = GAMES[game]
    found = list(conduct.of_record([*before, event], 3, ruleset.choose(**options)))
    assert [violation.code for violation in found] == [code]
    assert found[0].seat is event.seat
    assert found[0].text.endswith(".")
    assert sum(totals(found[0].penalty, 3)) == 0


ALLOWED = [
    ("korean_japanese_3p", {"ready_moment": "between_turns"}, [*opening(), discard(EAST, "1z")],
     ReadyDeclared(seat=WEST)),
    ("korean_japanese_3p", {}, [*READY_SOUTH, Drawn(seat=SOUTH)],
     BonusSetAside(seat=SOUTH, tile=Tile.parse("2f"))),
    ("korean_japanese_3p", {}, [*opening(), discard(EAST, "5p")],
     WinClaimed(seat=WEST, tile=Tile.parse("5p"), source=EAST)),
    ("japanese_3p", {"concealed_kong_after_riichi": True}, [*READY_SOUTH, Drawn(seat=SOUTH)],
     kong(SOUTH, "4444p")),
    ("japanese_3p", {}, [*opening(), BonusSetAside(seat=EAST, tile=Tile.parse("4z"))],
     WinClaimed(seat=WEST, tile=Tile.parse("4z"), source=EAST)),
    ("malaysian_3p", {"chow_claim": "next_player"}, [*opening(), discard(EAST, "4p")],
     call(SOUTH, "chow", "456p", EAST)),
    ("malaysian_3p", {"fly_in_claims": True}, [*opening(), discard(EAST, "4p")],
     call(SOUTH, "pung", "44p jk", EAST)),
    ("malaysian_3p", {"fly_in_kong": True}, opening(), kong(EAST, "444p jk")),
]  # fmt: skip


@pytest.mark.parametrize(("game", "options", "before", "event"), ALLOWED)
def test_what_a_house_allows_is_no_breach(game, options, before, event):
    ruleset, conduct = GAMES[game]
    assert list(conduct.of_record([*before, event], 3, ruleset.choose(**options))) == []


def test_what_a_breach_costs():
    wrong = [*opening(), discard(EAST, "4m"), call(SOUTH, "chow", "456m", EAST)]
    (breach,) = KOREAN_CONDUCT.of_record(wrong, 3, KOREAN.options)
    assert totals(breach.penalty, 3) == (2, -4, 2)
    house = KOREAN.choose(penalty_wrong_claim=10)
    (breach,) = KOREAN_CONDUCT.of_record(wrong, 3, house)
    assert totals(breach.penalty, 3) == (10, -20, 10)
    wrong = [*opening(), discard(EAST, "4p"), call(SOUTH, "chow", "456p", EAST)]
    (breach,) = MALAYSIAN_CONDUCT.of_record(wrong, 3, MALAYSIAN.options)
    assert totals(breach.penalty, 3) == (50, -100, 50)
