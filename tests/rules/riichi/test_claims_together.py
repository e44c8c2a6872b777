"""Several claims on one tile, and rare wins, as the table's referee settles them: no stick is paid
twice, nobody is accused of a legal win, and nobody is liable for what another seat's tile was not.
"""

from __future__ import annotations

import pytest

from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.events import (
    Discarded,
    Drawn,
    DrawSettled,
    GameEvent,
    HandShown,
    KongDeclared,
    MeldCalled,
    Penalised,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import DealStart, conclude, outcome
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.state import DealState, apply, fold
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.riichi.match import next_deal
from table_controller.rules.riichi.options import PRESETS
from table_controller.rules.riichi.play import PLAY
from table_controller.score import answer_case
from tests.rules.riichi.test_referee import opened, turn

GOOD, OTHER_GOOD = "777z 123m 456p 99m 78s", "555z 123m 456p 99p 78s"
THIRD_GOOD = "666z 123m 456p 99p 78s"
FALSE = "12367m 456p 99p 678s"


def claims_on_9s(hands: dict[Seat, str]) -> list[GameEvent]:
    """West is in riichi, North discards 9s, and these seats say that they win."""
    events = [*opened({}), *turn(Seat.A, None, "1m"), *turn(Seat.B, None, "1m")]
    events += [*turn(Seat.C, None, "9p", riichi=True), *turn(Seat.D, None, "9s")]
    tile = Tile.parse("9s")
    events += [WinClaimed(seat=seat, tile=tile, source=Seat.D) for seat in hands]
    events += [
        HandShown(seat=seat, tiles=parse_tiles(hand), winning_tile=tile)
        for seat, hand in hands.items()
    ]
    return events


def settled(events: list[GameEvent], preset: str) -> tuple[DealState, list[GameEvent]]:
    """The state after the verdicts, and these."""
    state = fold(events, 4)
    assert state is not None
    verdicts = conclude(state, events, PLAY, PRESETS[preset])
    for event in verdicts:
        state = apply(state, event)
    return state, verdicts


@pytest.mark.parametrize("preset", ["novosibirsk", "ema", "wrc"])
def test_a_false_claim_beside_a_good_one_returns_no_stick(preset):
    state, verdicts = settled(claims_on_9s({Seat.A: FALSE, Seat.B: GOOD}), preset)
    assert (state.points, state.deposits) == ((30000, 32300, 29000, 28700), 0)
    assert [e.payments for e in verdicts if isinstance(e, Penalised)] == [()]


@pytest.mark.parametrize(
    ("preset", "points"),
    [("novosibirsk", (22000, 26000, 36000, 36000)), ("ema", (30000, 30000, 30000, 30000))],
)
def test_two_false_claims_return_the_stick_once(preset, points):
    state, _ = settled(claims_on_9s({Seat.A: FALSE, Seat.B: FALSE}), preset)
    assert (state.points, state.deposits) == (points, 0)


def test_r35_three_good_claims_draw_the_deal_at_the_table_too():
    events = claims_on_9s({Seat.A: GOOD, Seat.B: OTHER_GOOD, Seat.C: THIRD_GOOD})
    options = PRESETS["novosibirsk"]
    state, verdicts = settled(events, "novosibirsk")
    assert not [e for e in verdicts if isinstance(e, WinJudged | Penalised)]
    assert [e.reason for e in verdicts if isinstance(e, DrawSettled)] == ["sanchahou"]
    assert (state.points, state.deposits) == ((30000, 30000, 29000, 30000), 1)
    start = DealStart(number=0, dealer=Seat.A, round_wind=Wind.EAST, points=(30000,) * 4)
    following = next_deal(start, outcome(state, verdicts), options)
    assert following is not None
    assert (following.dealer, following.counters, following.deposits) == (Seat.A, 1, 1)


def test_two_good_claims_of_three_are_paid():
    events = claims_on_9s({Seat.A: GOOD, Seat.B: FALSE, Seat.C: THIRD_GOOD})
    state, verdicts = settled(events, "novosibirsk")
    assert [e.answer.valid for e in verdicts if isinstance(e, WinJudged)] == [True, False, True]
    assert sum(state.points) == 120_000
    assert state.deposits == 0


def test_a_fourth_kong_added_to_a_pung_makes_nobody_liable():
    """The called kong of 8s was the third: the fourth tile of the pung came from the wall."""
    south = Seat.B
    pung = Meld(MeldKind.PUNG, parse_tiles("777z"), Seat.A, Tile.parse("7z"))
    called = Meld(MeldKind.KONG, parse_tiles("8888s"), Seat.C, Tile.parse("8s"))
    events = [*opened({}), *turn(Seat.A, None, "7z"), MeldCalled(seat=south, meld=pung)]
    events.append(Discarded(seat=south, tile=Tile.parse("1m")))
    events += [*turn(Seat.C, None, "2m"), *turn(Seat.D, None, "2m"), *turn(Seat.A, None, "3m")]
    events.append(Drawn(seat=south))
    for tiles in ("1111p", "9999p"):
        kong = Meld(MeldKind.CONCEALED_KONG, parse_tiles(tiles))
        events += [KongDeclared(seat=south, meld=kong), Drawn(seat=south, replacement=True)]
    events.append(Discarded(seat=south, tile=Tile.parse("1m")))
    events += [*turn(Seat.C, None, "8s"), MeldCalled(seat=south, meld=called)]
    grown = Meld(MeldKind.ADDED_KONG, parse_tiles("7777z"))
    events += [
        Drawn(seat=south, replacement=True),
        KongDeclared(seat=south, meld=grown, added=Tile.parse("7z")),
        Drawn(seat=south, replacement=True),
        WinClaimed(seat=south, tile=None),
        HandShown(seat=south, tiles=parse_tiles("3s"), winning_tile=Tile.parse("3s")),
    ]
    state, _ = settled(events, "novosibirsk")
    assert state.points == (14000, 62000, 22000, 22000)


def test_a_typed_hand_says_when_the_fourth_kong_was_added():
    kongs = [("concealed_kong", "1111p", None), ("added_kong", "7777z", 0)]
    kongs += [("concealed_kong", "9999p", None), ("kong", "8888s", 2)]
    case = {
        "ruleset": "riichi_4p",
        "hand": "3s",
        "winning_tile": "3s",
        "winner": 1,
        "melds": [{"kind": kind, "tiles": tiles, "from": seat} for kind, tiles, seat in kongs],
    }
    assert answer_case(case)["deltas"] == [0, 32000, -32000, 0]
    assert answer_case({**case, "added_last": True})["deltas"] == [-16000, 32000, -8000, -8000]
    with pytest.raises(CaseError, match="added_last: true or false"):
        answer_case({**case, "added_last": 1})


def test_a_hand_of_man_with_many_dora_and_no_yaku_is_a_mangan():
    case = {
        "ruleset": "riichi_4p",
        "options": {"preset": "ema"},
        "hand": "123m 567m 888p 99s 67s",
        "winning_tile": "8s",
        "winner": 1,
        "from": 2,
        "flags": ["first_turn"],
        "dora": "8p8p9s",
    }
    assert answer_case(case)["deltas"] == [0, 8000, -8000, 0]
