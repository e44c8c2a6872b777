"""Hands as people mistype them: refused, or what cannot count is left out and said so."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from table_controller.__main__ import main
from table_controller.rules import RULESET_NAMES
from table_controller.rules.american.scoring import practice_card_text
from table_controller.rules.core.errors import RulesError
from table_controller.score import answer_case
from tests.shared_data import shared_data

HAND: dict[str, Any] = {
    "ruleset": "riichi_4p",
    "hand": "123m 456p 789s 11z 23s",
    "winning_tile": "4s",
    "winner": 1,
    "from": 2,
}
THREE_SETS = "456p 789s 11z 23s"  # what stays concealed beside one meld


def beside(kind: str, tiles: str, source: int | None = 0, **more: Any) -> dict[str, Any]:
    """The same hand with one meld laid out."""
    meld = {"kind": kind, "tiles": tiles, "from": source} | more
    return {"hand": THREE_SETS, "melds": [meld]}


CLASSICAL = {**HAND, "ruleset": "chinese_classical"}
KONG = beside("concealed_kong", "1111m", None)
SANMA = {"ruleset": "riichi_3p", "hand": "111m 456p 789s 11z 23s"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        # how many tiles
        ({"hand": "123m 456p 789s 11z 2s"}, "12 tiles in the hand and 0 melds make 12 of the 13"),
        ({"hand": "123m 456p 789s 11z 234s"}, "make 14 of the 13"),
        ({"hand": ""}, "0 tiles in the hand"),
        ({**KONG, "hand": "456p 789s 11z 2s"}, "make 12 of the 13 .*a kong counts three"),
        ({"winning_tile": ""}, "winning_tile: expected one tile, not ''"),
        ({"winning_tile": "4s 4s"}, "winning_tile: expected one tile"),
        # notation
        ({"hand": "123x 456p"}, "after '123' comes 'x'; expected digits and a suit letter"),
        ({"hand": "123m 456"}, "after '456' comes nothing"),
        ({"hand": "m123 p456"}, "'m' begins no group of tiles"),
        ({"hand": "123M 456P"}, "after '123' comes 'M'"),
        ({"hand": "１２３m"}, "'１' begins no group of tiles"),
        ({"hand": "123m 5pr"}, "'r' begins no group.*0 is the red five"),
        ({"hand": "123m E E"}, "'E' begins no group.*z for honours 1 to 7"),
        ({"hand": "11 12 13 24"}, "after '11' comes ' '"),
        ({"hand": "0,4,8,48"}, "after '0' comes ','"),
        ({"hand": "🀇🀈🀉🀪"}, "'🀪' begins no group"),
        ({"hand": "123m 88z"}, "there is no tile 8z: z has 1 to 7"),
        ({"hand": "123m 00z"}, "there is no tile 0z: z has 1 to 7"),
        ({"others": {"2": {"hand": "12q"}}}, r"others\.2\.hand: cannot read"),
        # copies of a tile
        ({"hand": "11111m 456p 789s 23s"}, "5 copies of 1m are named, this set has 4"),
        ({**beside("pung", "111z"), "winning_tile": "1z"}, "6 copies of 1z"),
        ({"hand": "1111z 456p 789s 23s 5m", "dora_indicators": "1z"}, "5 copies of 1z"),
        ({"ponds": {"2": "1z 1z 1z"}}, "5 copies of 1z"),
        ({"others": {"2": {"hand": "111z"}}}, "5 copies of 1z"),
        ({"others": {"3": {"melds": [{"kind": "kong", "tiles": "1111z"}]}}}, "6 copies of 1z"),
        ({"hand": "123m 456p 789s 11z 2s jk"}, "1 copies of jk are named, this set has none"),
        ({"hand": "123m 456p 789s 11z 2s 1f"}, "1 copies of 1f are named, this set has none"),
        ({"hand": "123m 406p 789s 11z 23s"}, "1 red fives 0p are named, this table plays with 0"),
        ({"dora": "9p9p9p9p9p"}, "dora: 9p is shown 5 times"),
        ({"dora": "123456p"}, "dora: 6 tiles"),
        ({"dora": "1f"}, "dora: 1f is no tile of this game"),
        ({"ura": "jk"}, "ura: jk is no tile"),
        ({"dora_indicators": "1f"}, "dora_indicators: 1f is no tile"),
        ({"ura_indicators": "1g"}, "ura_indicators: 1g is no tile"),
        ({**SANMA, "dora": "2m"}, "dora: 2m is no tile"),
        ({"dora": "1p", "ura": "2p3p", "flags": ["ready"]}, "ura: 2 tiles lie under 1"),
        ({**SANMA, "hand": "123m 456p 789s 11z 23s"}, "2m are named, this set has none"),
        ({**SANMA, "bonus": "44444z"}, "5 copies of 4z"),
        ({**SANMA, "bonus": "5z"}, "only norths are"),
        # melds
        (beside("chow", "124m"), r"melds\[0\]: 124m is not a chow"),
        (beside("chow", "123z"), r"melds\[0\]: 123z is not a chow"),
        (beside("pung", "11m"), r"melds\[0\]: 11m is not a pung: it takes 3 tiles"),
        (beside("kong", "111m"), "it takes 4 tiles"),
        (beside("pon", "111m"), "'pon'.*known are chow, pung, kong"),
        (beside("pung", "111m", 1), "comes from another seat than 1"),
        (beside("concealed_kong", "1111m", 3), "a concealed kong comes from nobody"),
        (beside("chow", "123m", 3), "a chow is taken from the seat before, 0, only"),
        (beside("chow", "123m", called="5m"), "5m is not one of 123m"),
        ({**SANMA, **beside("chow", "123p")}, "no chows are called with three players"),
        ({"hand": "", "melds": [beside("pung", f"{i}" * 3 + "m")["melds"][0] for i in range(1, 6)]},
         "0 tiles in the hand and 5 melds make 15"),
        # seats
        ({"liable": 1}, r"liable: 1 is no seat .* \[0, 2, 3\]"),
        ({"liable": "south"}, "liable: 'south' is no seat"),
        ({"seat_winds": ["E", "E", "S", "W"]}, "two seats have one wind"),
        ({"seat_winds": ["E", "S", "W"]}, "3 winds for 4 seats"),
        ({**SANMA, "seat_winds": ["N", "E", "S"]}, "N is no seat's wind with 3 seats"),
        ({"ponds": {"east": "1z"}}, "'east' is no seat: seats are 0 to 3"),
        ({"ponds": {"²": "1z"}}, "'²' is no seat"),
        ({"ponds": {"9" * 5000: "1z"}}, "is no seat"),
        ({"\ud800": 1}, "half a character"),
        ({"flags": ["riichi"]}, "'riichi'.*known are ready, double_ready"),
        ({"options": {"kuikae": "yes"}}, "kuikae cannot be 'yes'; it can be "),
        ({"options": {"self": 1}}, "no option 'self'"),
        ({"winner": 4}, "winner"),
        ({**SANMA, "from": 3}, "seats 0 to 2"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named(changes, says):
    with pytest.raises(RulesError, match=says):
        answer_case({**HAND, **changes})


@pytest.mark.parametrize(
    ("changes", "left_out", "why"),
    [
        ({"flags": ["one_shot"]}, "one_shot", "it takes ready or double_ready"),
        ({"flags": ["ready"], **beside("pung", "111m")}, "ready", "takes a concealed hand"),
        ({"flags": ["replacement"], **KONG}, "replacement", "is a self-draw"),
        ({"flags": ["replacement"], "from": None}, "replacement", "takes a kong among the melds"),
        ({"flags": ["replacement", "last_tile"], "from": None, **KONG},
         "last_tile", "from the live wall"),
        ({"flags": ["ready", "one_shot", "replacement"], "from": None, **KONG},
         "one_shot", "ends with"),
        ({"flags": ["robbing_kong"], "from": None}, "robbing_kong", "whose kong is robbed"),
        ({"flags": ["robbing_kong", "last_tile"]}, "last_tile", "the last discard is no kong"),
        ({"flags": ["robbing_kong"], "hand": "123m 456p 789s 44s 23s"},
         "robbing_kong", "the kong has all four 4s"),
        ({"flags": ["first_turn", "ready"], "from": None}, "first_turn", "not with ready"),
        ({"flags": ["first_turn", "last_tile"], "from": None}, "first_turn", "not with last_tile"),
        ({"flags": ["first_turn", "ready"], "from": None, **KONG},
         "first_turn", "before any call or kong"),
        ({"flags": ["first_turn", "ready"], "winner": 0},
         "first_turn", "the dealer has discarded before"),
    ],
)  # fmt: skip
def test_a_flag_that_cannot_hold_is_left_out_and_said(changes, left_out, why):
    answer = answer_case({**HAND, **changes})
    notes = answer.pop("notes")
    assert any(f"{left_out} is not counted" in note and why in note for note in notes)
    rest = [flag for flag in changes["flags"] if flag != left_out]
    assert answer == answer_case({**HAND, **changes, "flags": rest})


DESIGN_CASE = """{
  "ruleset": "riichi_4p",
  "options": {"preset": "tenhou"},
  "dealer": 0, "round_wind": "E", "seat_winds": null,
  "winner": 1, "from": 2,
  "hand": "123m 456p 789s 1z", "melds": [{"kind": "pung", "tiles": "555z", "from": 3}],
  "winning_tile": "1z", "bonus": "1f 2g",
  "flags": ["ready", "double_ready", "one_shot", "last_tile", "replacement", "robbing_kong",
            "first_turn", "after_call"],
  "dora": "4p", "ura": "", "counters": 0, "deposits": 0, "goulash": 0,
  "ponds": {"0": "1m 9p", "1": "..."},
  "others": {"0": {"hand": "...", "melds": [], "bonus": ""}, "2": {}, "3": {}}
}"""


def test_the_documented_example_is_scored_as_it_stands():
    """Its list of flags is a catalogue: what an open hand excludes is named and left out."""
    answer = answer_case(json.loads(DESIGN_CASE))
    assert answer["valid"]
    assert answer["totals"] == {"han": 3, "fu": 30}  # last tile, white dragons, dora
    assert answer["deltas"] == [0, 3900, -3900, 0]
    named = [note.split(" is not counted")[0] for note in answer["notes"]]
    assert named == [
        "bonus: 1f 2g does not count: this game has no such tiles",
        "flags: ready",
        "flags: double_ready",
        "flags: replacement",
        "flags: robbing_kong",
        "flags: one_shot",
        "flags: first_turn",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "the list holds no case"),
        ("[" * 100_000, "nested too deep"),
        ('{"counters": ' + "9" * 5000 + "}", "too many digits"),
        ('{"ruleset": "mcr", "ruleset": "riichi_4p"}', "the key 'ruleset' stands twice"),
        ('{"ruleset": ', "not JSON at line 1"),
        ('{}\n{"a": }', "not JSON at line 2, column 7"),
    ],
)
def test_a_text_that_holds_no_case_is_one_line(text, says, tmp_path, capsys):
    cases = tmp_path / "cases.json"
    cases.write_text(text, encoding="utf-8")
    assert main(["score", "--case", str(cases)]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_what_is_no_text_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"a": "\xff"}'), "utf-8"))
    assert main(["score", "--case", "-"]) == 2
    assert "standard input: it is not UTF-8 text" in capsys.readouterr().err


def test_a_byte_order_mark_is_no_mistake(tmp_path, capsys):
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps(HAND | {"flags": ["ready"]}), encoding="utf-8-sig")
    assert main(["score", "--case", str(cases)]) == 0
    assert "Riichi" in capsys.readouterr().out


def test_a_robbed_kong_may_be_among_what_others_laid():
    kong = {"kind": "added_kong", "tiles": "4444s", "from": 1}
    robbed = {"flags": ["robbing_kong"], "others": {"2": {"melds": [kong]}}}
    assert answer_case({**HAND, **robbed})["valid"]


def test_a_double_riichi_is_a_riichi():
    """RiichiEnv's recorded hand and three tests of PyPI mahjong name both."""
    both = answer_case({**HAND, "flags": ["ready", "double_ready"]})
    assert both == answer_case({**HAND, "flags": ["double_ready"]})


def test_flowers_that_the_game_lacks_are_left_out_of_every_hand_and_said():
    case = {**CLASSICAL, "bonus": "1f", "others": {"0": {"bonus": "2g"}}}
    answer = answer_case(case)
    assert answer["valid"]
    assert answer["notes"] == ["bonus: 1f 2g does not count: this game has no such tiles"]


@pytest.mark.parametrize(
    ("ruleset", "key"),
    [
        ("chinese_classical", "kong_on_kong"),
        ("hong_kong_old", "dead_hand"),
        ("mcr", "dead_hand"),
        ("mcr", "last_of_kind"),
    ],
)
def test_a_key_that_is_true_or_false_is_neither_text_nor_number(ruleset, key):
    case = {**CLASSICAL, "ruleset": ruleset, "options": {}, "winning_tile": "1z"}
    if key == "kong_on_kong":
        case |= {"options": {"limit_hands": ["kong_on_kong"]}, "flags": ["replacement"]}
        case |= {"from": None, "hand": "456p 789s 11z 23s", "winning_tile": "4s"}
        case["melds"] = [{"kind": "concealed_kong", "tiles": "1111m"}]
    for value in ("no", 7):
        with pytest.raises(RulesError, match=f"{key} is true or false, not {value!r}"):
            answer_case({**case, key: value})


def test_the_unicode_characters_of_tiles_are_read():
    pictures = {"hand": "🀇🀈🀉 🀜🀝🀞 🀖🀗🀘 🀀🀀 🀑🀒", "winning_tile": "🀓", "flags": ["ready"]}
    assert answer_case({**HAND, **pictures}) == answer_case({**HAND, "flags": ["ready"]})


ALL_COUNTED = {
    "dora": "9p", "dora_indicators": "8p", "ura": "9p", "ura_indicators": "8p",
    "counters": 2, "deposits": 1, "goulash": 1,
}  # fmt: skip
COUNTED = {
    "riichi_4p": {"dora", "ura", "counters", "deposits"},
    "riichi_3p": {"dora", "ura", "counters", "deposits"},
    "japanese_3p": {"dora", "ura", "counters", "deposits"},
    "korean_japanese_3p": {"dora", "goulash"},
    "chinese_classical": {"counters"},
}
UNUSED = [
    (name, key)
    for name in RULESET_NAMES
    for key in ALL_COUNTED
    if key.removesuffix("_indicators") not in COUNTED.get(name, ())
]


@pytest.mark.parametrize(("name", "key"), UNUSED)
def test_a_key_that_the_game_does_not_count_is_refused_not_ignored(name, key):
    with pytest.raises(RulesError, match=f"^{key}: {name} does not count it"):
        answer_case({**HAND, "ruleset": name, key: ALL_COUNTED[key]})


SIMPLES = {"hand": "234p 678p 345s 88s 67s", "winning_tile": "8s", "winner": 1, "from": 2}
KOREAN = {"hand": "234p 678p 555z 66z 67p", "winning_tile": "8p", "winner": 1, "from": 2,
          "flags": ["ready"], "options": {"dora_rule": "dead_wall"}, "dora": "1p"}  # fmt: skip
EAST_NINE = {"hand": "123m 456p 789s 11z 23s", "winning_tile": "4s", "winner": 0,
             "options": {"limit_hands": ["east_nine_wins"]}}  # fmt: skip
READY = SIMPLES | {"flags": ["ready"], "dora": "1p"}


@pytest.mark.parametrize(
    ("name", "case", "changes"),
    [
        *((name, READY, more)
          for name in ("riichi_4p", "riichi_3p", "japanese_3p")
          for more in ({"dora": "2p"}, {"ura": "2p"}, {"counters": 1}, {"deposits": 1})),
        ("korean_japanese_3p", KOREAN, {"dora": "2p"}),
        ("korean_japanese_3p", KOREAN, {"goulash": 1}),
        ("chinese_classical", EAST_NINE, {"counters": 8}),
    ],
)  # fmt: skip
def test_a_key_that_the_game_counts_changes_what_is_paid(name, case, changes):
    plain = answer_case({**case, "ruleset": name})
    assert plain["valid"]
    assert answer_case({**case, "ruleset": name, **changes})["deltas"] != plain["deltas"]


@pytest.mark.parametrize("flag", ["ready", "double_ready", "one_shot"])
@pytest.mark.parametrize(
    "name", ["malaysian_3p", "mcr", "hong_kong_old", "filipino", "american", "two_player"]
)
def test_a_game_without_a_ready_declaration_refuses_it(name, flag):
    with pytest.raises(RulesError, match=f"^flags: {flag}: {name} has no ready declaration"):
        answer_case({**HAND, "ruleset": name, "flags": [flag, "last_tile"]})


def test_a_key_that_counts_for_nothing_is_bad_input(capsys):
    words = ["score", "123m 456p 789s 11z 23s + 4s", "--from", "2", "--ruleset", "mcr"]
    assert main([*words, "--counters", "3"]) == 2
    assert "counters: mcr does not count it" in capsys.readouterr().err


LEFT_OUT = {
    "ippatsu_without_riichi_not_allowed": {"flags": ["one_shot"]},
    "rinshan_without_tsumo_not_allowed": {"flags": ["replacement"], **KONG},
    "haitei_with_rinshan_not_allowed": {
        "flags": ["last_tile", "replacement"], "from": None, **KONG
    },
    "houtei_with_chankan_not_allowed": {"flags": ["last_tile", "robbing_kong"]},
    "tenhou_with_meld_not_allowed": {"flags": ["first_turn"], "winner": 0, "from": None, **KONG},
    "renhou_with_meld_not_allowed": {"flags": ["first_turn"], **KONG},
    "open_hand_riichi_not_allowed": {"flags": ["ready"], **beside("pung", "111m")},
}  # fmt: skip
# Both are one flag here, and the way of winning tells which is meant.
ONE_FLAG = {"houtei_with_tsumo_not_allowed", "chiihou_without_tsumo_not_allowed"}


def test_what_pypi_mahjong_refuses_as_contradictory_is_left_out_and_said():
    rows = json.loads(shared_data("oracles/mahjong_py_tests/recorded_hands.json").read_text())
    errors = {row["result"]["error"] for row in rows["cases"]} - {None}
    named = {error for error in errors if error.endswith("_not_allowed")}
    assert named <= set(LEFT_OUT) | ONE_FLAG
    for changes in LEFT_OUT.values():
        assert answer_case({**HAND, **changes})["notes"]


def test_an_american_hand_by_a_clubs_own_card(capsys, tmp_path):
    card = tmp_path / "card.toml"
    card.write_text(practice_card_text().replace("value = 25", "value = 30"), encoding="utf-8")
    words = ["score", "6688m 22244s 5555z + 8m", "--ruleset", "american", "--from", "1", "--json"]
    main([*words, "--card", str(card)])
    assert json.loads(capsys.readouterr().out)["totals"]["points"] == 60
    card.write_text("id = 1\n", encoding="utf-8")
    assert main([*words, "--card", str(card)]) == 2
    assert "line 1" in capsys.readouterr().err
    assert main([*words, "--card", str(tmp_path / "absent.toml")]) == 2
    assert "cannot read" in capsys.readouterr().err
