"""What `card check` and `card explain` say."""

from __future__ import annotations

import json

import pytest

from table_controller.cards import (
    CardFileError,
    check_card,
    explain_hand,
    options_with_card,
    read_hand,
)
from table_controller.rules.american import RULESET
from table_controller.rules.american.options import Options
from table_controller.rules.american.scoring import practice_card_text
from table_controller.rules.core.case import Case
from table_controller.rules.core.errors import CaseError, NotationError, OptionError
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile, parse_tiles


@pytest.fixture
def practice(tmp_path):
    path = tmp_path / "card.toml"
    path.write_text(practice_card_text(), encoding="utf-8")
    return path


def test_a_good_card_is_listed_line_by_line(practice):
    check = check_card(practice)
    assert check.is_good
    assert "43 lines" in check.text()
    assert "W4      216 hands" in check.text()
    assert json.loads(json.dumps(check.to_json()))["lines"][0] == {
        "id": "Y1",
        "instances": 6,
        "value": 25,
    }


def test_a_bad_card_is_pointed_at_with_file_line_and_column(practice):
    text = practice.read_text(encoding="utf-8")
    practice.write_text(text.replace("F*2 0*4 4*4/A", "F*2 0*4/A 4*4/A"), encoding="utf-8")
    check = check_card(practice)
    row = text.split("\n").index('patterns = ["F*2 0*4 4*4/A [YEAR]/B"]') + 1
    assert not check.is_good
    assert check.text().startswith(f"{practice}:{row}:21: error: 0*4/A has no suit")
    assert check.to_json()["errors"] == [
        {"line": row, "column": 21, "text": "0*4/A has no suit: leave out the tag"}
    ]


def test_a_card_saved_with_a_byte_order_mark_is_read(practice):
    practice.write_text(practice.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert check_card(practice).is_good
    assert options_with_card(RULESET.options, practice).card == practice_card_text()


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(CardFileError, match="cannot read"):
        check_card(tmp_path / "absent.toml")
    broken = tmp_path / "latin.toml"
    broken.write_bytes(b"title = '\xe9'")
    with pytest.raises(CardFileError, match="UTF-8"):
        check_card(broken)


def test_a_club_plays_with_its_own_card(practice):
    text = practice.read_text(encoding="utf-8").replace("value = 25", "value = 30")
    practice.write_text(text, encoding="utf-8")
    options = options_with_card(Options(), practice)
    case = Case(
        winner=Seat.A,
        source=Seat.B,
        hand=parse_tiles("6688m 22244s 5555z"),
        winning_tile=Tile.parse("8m"),
    )
    assert RULESET.settle_win(case, options).totals["points"] == 60
    practice.write_text("id = 1\n", encoding="utf-8")
    with pytest.raises(OptionError, match="line 1"):
        options_with_card(Options(), practice)


def test_a_complete_hand_is_priced():
    explained = explain_hand("222s 111f 2s (666s jk) (666z)")
    assert explained.to_json()["counted"] == "E2"
    assert "on a discard 50 from its seat and 25 from each other" in explained.text()
    assert "(666s jk)" in explained.text()
    two = explain_hand("1111m 111p 777z jk jk jk 1p")
    assert two.to_json()["matches"] == ["L1", "L4"]
    assert "also: L1" in two.text()
    assert "counts double" in explain_hand("6688m 22244s 5555z 8m").text()


def test_a_hand_of_thirteen_shows_its_waits():
    waits = explain_hand("6688m 22244s 5555z").to_json()["waits"]
    assert waits == [{"tile": "8m", "line": "E1"}, {"tile": "jk", "line": "E1"}]
    assert "waits for 8m: E1" in explain_hand("6688m 22244s 5555z").text()


def test_an_incomplete_hand_shows_the_nearest_lines():
    explained = explain_hand("6688m 22244s 55z 1p")
    first = explained.to_json()["near"][0]
    assert (first["line"], first["missing"], first["spare"]) == ("E1", 3, "1p")
    assert "3 away: E1" in explained.text()


def test_dead_exposures_are_said():
    explained = explain_hand("1m 9m (555m) (8888s) (3333p)")
    assert "the hand is dead" in explained.text()
    assert explained.to_json()["possible"] == []


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("12x", NotationError),
        ("11111m", CaseError),
        ("(11m)", CaseError),
        ("(123m)", CaseError),
        ("123m 456m 789m 123p 456p", CaseError),
        ("1a", CaseError),
        ("", CaseError),
        ("(jk jk jk)", CaseError),
    ],
)
def test_hands_that_are_none(text, error):
    with pytest.raises(error):
        read_hand(text)
