"""The meanings of "sacred discard" that houses play, each with its near miss."""

from __future__ import annotations

import pytest

from table_controller.rules.core.case import Case, Evidence
from table_controller.rules.core.errors import CaseError, OptionError
from table_controller.rules.core.events import Discarded, MeldCalled
from table_controller.rules.core.game import claim_actions
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import apply
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.korean_japanese_3p import RULESET
from table_controller.rules.korean_japanese_3p.options import SacredDiscard
from table_controller.rules.korean_japanese_3p.play import PLAY
from tests.rules.korean_japanese_3p.test_rulings import FILL, deal_state, holding

EAST, SOUTH, WEST = Seat.A, Seat.B, Seat.C
HAND = parse_tiles("234m 567m 789m 67p 99p")  # waits on 5p and 8p


def evidence(meaning, on, pond, *, hand=HAND, history=None):
    """The discards that forbid South's win with East's tile."""
    extra = {} if history is None else {"history": history}
    case = Case(
        winner=SOUTH,
        source=EAST,
        hand=hand,
        winning_tile=Tile.parse(on),
        ponds={SOUTH: parse_tiles(pond)},
        extra=extra,
    )
    answer = RULESET.settle_win(case, RULESET.choose(sacred_discard=meaning))
    assert answer.valid is not bool(answer.violations)
    return [
        (each.seat, each.place, str(each.tile))
        for one in answer.violations
        for each in one.evidence
    ]


MEANINGS = [
    # meaning, tile won, South's pond, places of the discards that forbid it
    ("off", "5p", "5p", []),
    ("own_any", "5p", "5p 1m", [1]),
    ("own_any", "8p", "5p 1m", []),
    ("own_any", "5p", "5p 1m 5p", [1, 3]),
    ("own_last", "5p", "1m 5p", [2]),
    ("own_last", "5p", "5p 1m", []),
    ("own_147", "8p", "1m 5p", [2]),  # 5p would have completed 67p as well
    ("own_147", "8p", "8p", [1]),
    ("own_147", "8p", "2p", []),  # two steps of three away: another set
    ("own_147", "8p", "5m 5p", [2]),
    ("absolute", "8p", "5p 1m", [1]),
    ("absolute", "8p", "1m 2p", []),
    ("pung_too", "5p", "5p 1m", [1]),
    ("pung_too", "8p", "5p 1m", []),
]


@pytest.mark.parametrize(("meaning", "on", "pond", "places"), MEANINGS)
def test_what_each_meaning_forbids(meaning, on, pond, places):
    found = evidence(meaning, on, pond)
    assert [(seat, place) for seat, place, _ in found] == [(SOUTH, place) for place in places]


def test_147_needs_the_same_two_tiles():
    """A pair wait on 8p beside a discarded 5p: no chow, so only the kind itself is sacred."""
    hand = parse_tiles("234m 567m 789m 123p 8p")
    assert evidence("own_147", "8p", "5p", hand=hand) == []
    assert evidence("own_147", "8p", "8p", hand=hand) == [(SOUTH, 1, "8p")]


def test_missed_looks_at_what_others_discarded_since_the_own_last_discard():
    before = [[EAST, "1z"], [SOUTH, "2z"], [WEST, "8p"], [EAST, "8p"]]
    assert evidence("missed", "8p", "2z", history=before) == [(WEST, 1, "8p")]
    since = [[EAST, "1z"], [WEST, "8p"], [SOUTH, "2z"], [WEST, "5p"], [EAST, "8p"]]
    assert evidence("missed", "8p", "2z", history=since) == []
    red = [[SOUTH, "2z"], [WEST, "1z"], [EAST, "0p"]]  # the claimed five itself, told as plain
    assert evidence("missed", "5p", "2z", history=red) == []
    with pytest.raises(CaseError, match="history"):
        evidence("missed", "8p", "2z")


def test_only_one_meaning_also_bars_pungs():
    state = deal_state(
        east=holding("5p " + FILL), south=holding("55p 147m 19s 123z 567z", pond="5p")
    )
    state = apply(state, Discarded(seat=EAST, tile=Tile.parse("5p")))
    for meaning in SacredDiscard:
        calls = claim_actions(state, SOUTH, PLAY, RULESET.choose(sacred_discard=meaning))
        offered = [action for action in calls if isinstance(action[0], MeldCalled)]
        assert bool(offered) is (meaning is not SacredDiscard.PUNG_TOO)


def test_every_meaning_explains_itself_on_the_screen():
    sentences = {meaning.sentence for meaning in SacredDiscard}
    assert len(sentences) == len(SacredDiscard)
    for meaning, on, pond, places in MEANINGS:
        if places:
            case = Case(
                winner=SOUTH,
                source=EAST,
                hand=HAND,
                winning_tile=Tile.parse(on),
                ponds={SOUTH: parse_tiles(pond)},
            )
            answer = RULESET.settle_win(case, RULESET.choose(sacred_discard=meaning))
            (breach,) = answer.violations
            assert breach.text.endswith(SacredDiscard(meaning).sentence)
            assert f"South may not win with {on}" in breach.text
            assert breach.evidence[0] == Evidence(
                SOUTH, places[0], parse_tiles(pond)[places[0] - 1]
            )


def test_on_and_off_are_understood():
    assert RULESET.choose(sacred_discard="on").sacred_discard is SacredDiscard.OWN_ANY
    assert RULESET.choose(sacred_discard="off").sacred_discard is SacredDiscard.OFF
    with pytest.raises(OptionError, match="sacred_discard cannot be 'sometimes'"):
        RULESET.choose(sacred_discard="sometimes")
