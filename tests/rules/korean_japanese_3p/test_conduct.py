"""What the table reports at once in three-player deals: each breach, and nothing without one."""

from __future__ import annotations

import pytest

from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.events import (
    BonusSetAside,
    DealBegan,
    Discarded,
    Drawn,
    HandDealt,
    HandShown,
    KongDeclared,
    MeldCalled,
    Paid,
    Penalised,
    ReadyDeclared,
    WinClaimed,
)
from table_controller.rules.core.game import conclude
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import Payment, totals
from table_controller.rules.core.state import fold
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.japanese_3p import RULESET as JAPANESE
from table_controller.rules.japanese_3p.conduct import CONDUCT as JAPANESE_CONDUCT
from table_controller.rules.korean_japanese_3p import RULESET as KOREAN
from table_controller.rules.korean_japanese_3p.conduct import CONDUCT as KOREAN_CONDUCT
from table_controller.rules.malaysian_3p import RULESET as MALAYSIAN
from table_controller.rules.malaysian_3p import penalties as offences
from table_controller.rules.malaysian_3p.conduct import CONDUCT as MALAYSIAN_CONDUCT
from tests.rules.breaches import breaches_of

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
    ("japanese_3p", {}, [*READY_SOUTH, Drawn(seat=SOUTH)], kong(SOUTH, "4444p"), "riichi_kong"),
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
    found = breaches_of(conduct, [*before, event], 3, ruleset.choose(**options))
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
    assert breaches_of(conduct, [*before, event], 3, ruleset.choose(**options)) == []


def test_what_a_breach_costs():
    wrong = [*opening(), discard(EAST, "4m"), call(SOUTH, "chow", "456m", EAST)]
    (breach,) = breaches_of(KOREAN_CONDUCT, wrong, 3, KOREAN.options)
    assert totals(breach.penalty, 3) == (2, -4, 2)
    house = KOREAN.choose(penalty_wrong_claim=10)
    (breach,) = breaches_of(KOREAN_CONDUCT, wrong, 3, house)
    assert totals(breach.penalty, 3) == (10, -20, 10)
    wrong = [*opening(), discard(EAST, "4p"), call(SOUTH, "chow", "456p", EAST)]
    (breach,) = breaches_of(MALAYSIAN_CONDUCT, wrong, 3, MALAYSIAN.options)
    assert totals(breach.penalty, 3) == (50, -100, 50)


def test_which_breaches_kill_the_hand():
    assert not KOREAN_CONDUCT.kills_hand("wrong_call", KOREAN.options)
    assert KOREAN_CONDUCT.kills_hand("ready_hand_changed", KOREAN.options)
    lenient = KOREAN.choose(penalty_ready_hand_changed_effect="none")
    assert not KOREAN_CONDUCT.kills_hand("ready_hand_changed", lenient)
    assert JAPANESE_CONDUCT.kills_hand("wrong_call", JAPANESE.options)
    assert not JAPANESE_CONDUCT.kills_hand("riichi_kong", JAPANESE.options)
    (chombo,) = breaches_of(
        JAPANESE_CONDUCT,
        [*READY_SOUTH, Drawn(seat=SOUTH), kong(SOUTH, "4444p")],
        3,
        JAPANESE.options,
    )
    assert totals(chombo.penalty, 3) == (4000, -6000, 2000)


@pytest.mark.parametrize(
    ("game", "shown", "fine", "ends"),
    [
        ("korean_japanese_3p", "234m 567m 345p 678p 99p", -20, False),  # one too many
        ("korean_japanese_3p", "234m 567m 345p 678p", 0, False),
        ("japanese_3p", "234s 567s 345p 678p", -6000, True),
        ("malaysian_3p", "234p 567p 345p 678p", 0, False),
    ],
)
def test_a_wrong_number_of_tiles_at_a_win(game, shown, fine, ends):
    ruleset, _ = GAMES[game]
    events = [
        *opening(), discard(EAST, "9p"), WinClaimed(seat=SOUTH, tile=Tile.parse("9p"), source=EAST),
        HandShown(seat=SOUTH, tiles=parse_tiles(shown)),
    ]  # fmt: skip
    state = fold(events, 3)
    (claim,) = state.claims
    answer = ruleset.play.judge(state, events, claim, ruleset.options)
    assert [violation.code for violation in answer.violations] == ["wrong_tile_count"]
    assert totals(answer.violations[0].penalty, 3)[SOUTH] == fine
    assert ruleset.play.refusal_ends_deal(state, claim, answer, ruleset.options) is ends
    verdicts = conclude(state, events, ruleset.play, ruleset.options)
    assert verdicts[1].dead_hand is not ends


@pytest.mark.parametrize("game", GAMES)
def test_a_hand_that_cannot_be_is_asked_about_and_not_judged(game):
    ruleset, _ = GAMES[game]
    events = [
        *opening(), discard(EAST, "9p"), WinClaimed(seat=SOUTH, tile=Tile.parse("9p"), source=EAST),
        HandShown(seat=SOUTH, tiles=parse_tiles("123p 456p 99p 99p 111z")),
    ]  # fmt: skip
    with pytest.raises(CaseError, match="5 copies of 9p"):
        conclude(fold(events, 3), events, ruleset.play, ruleset.options)


def test_what_malaysian_offences_cost():
    history = [
        Paid(payments=(Payment(EAST, SOUTH, 100, "concealed kong"),
                       Payment(WEST, SOUTH, 100, "concealed kong"))),
        Paid(payments=(Payment(EAST, SOUTH, 50, "bonus set"),
                       Payment(WEST, SOUTH, 50, "bonus set"))),
        Paid(payments=(Payment(SOUTH, EAST, 50, "bonus set"),)),
    ]  # fmt: skip

    def cost(offence):
        return totals(offences.penalty_payments(offence, SOUTH, MALAYSIAN.options, history), 3)

    assert cost(offences.Offence.FALSE_WIN) == (300, -600, 300)
    assert cost(offences.Offence.WRONG_CLAIM) == (50, -100, 50)
    assert cost(offences.Offence.LONG_HAND) == (150, -300, 150)
    assert cost(offences.Offence.FALSE_KONG) == (200, -400, 200)
    assert cost(offences.Offence.SHORT_HAND) == (0, 0, 0)
    killing = {one for one in offences.Offence if one.kills_hand}
    assert killing == set(offences.Offence) - {
        offences.Offence.FALSE_WIN, offences.Offence.WRONG_CLAIM, offences.Offence.BONUS_TILE_KEPT,
    }  # fmt: skip
    assert all(one.sentence.endswith(".") for one in offences.Offence)
