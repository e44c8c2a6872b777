"""`mahjong-table score --case` gives for each item of the three-player rulesets its rule."""

from __future__ import annotations

import json

import pytest

from table_controller.__main__ import main
from table_controller.rules.core.tiles import format_tiles
from table_controller.rules.japanese_3p.yaku import yaku, yakuman
from table_controller.rules.korean_japanese_3p.limits import LIMITS
from table_controller.rules.korean_japanese_3p.points import bonus_point, hand_point
from table_controller.rules.malaysian_3p.fan import TEN_FAN, fan
from tests.rules.japanese_3p import test_examples as honshu_examples
from tests.rules.japanese_3p import test_yaku as honshu_rows
from tests.rules.korean_japanese_3p import test_examples as korean_examples
from tests.rules.korean_japanese_3p import test_patterns as korean_rows
from tests.rules.malaysian_3p import test_examples as malaysian_examples
from tests.rules.malaysian_3p import test_fan as malaysian_rows


def melds_json(melds):
    return [
        {
            "kind": meld.kind.value,
            "tiles": format_tiles(meld.tiles),
            "from": None if meld.source is None else int(meld.source),
        }
        for meld in melds
    ]


def case_json(ruleset, case, options):
    """The case as a person would write it."""
    extra = {
        key: [int(seat) for seat in value]
        if isinstance(value, list | tuple)
        else str(value)
        if hasattr(value, "suit")
        else value
        for key, value in case.extra.items()
    }
    return {
        "ruleset": ruleset,
        "options": options,
        "winner": int(case.winner),
        "from": None if case.source is None else int(case.source),
        "hand": format_tiles(case.hand),
        "winning_tile": str(case.winning_tile),
        "melds": melds_json(case.melds),
        "bonus": format_tiles(case.bonus),
        "round_wind": case.round_wind.value,
        "flags": sorted(flag.value for flag in case.flags),
        "dora": format_tiles(case.dora),
        "ura": format_tiles(case.ura),
        "goulash": case.goulash,
        "others": {
            str(int(seat)): {
                "hand": None if other.hand is None else format_tiles(other.hand),
                "melds": melds_json(other.melds),
                "bonus": format_tiles(other.bonus),
            }
            for seat, other in case.others.items()
        },
        **extra,
    }


def switched(options):
    return {key: {"on": True, "off": False}.get(value, value) for key, value in options.items()}


def korean_cases():
    for row in korean_rows.ROWS:
        yield korean_rows.case_of_row(row), row.get("options", {})
    for example in korean_examples.EXAMPLES:
        yield korean_examples.case_of(example), switched(example.get("options", {}))


def honshu_cases():
    for row in honshu_rows.ROWS_OF_SPEC:
        yield honshu_rows.case_of_row(row), {}
    for example in honshu_examples.EXAMPLES:
        yield honshu_examples.case_of(example), {}


def malaysian_cases():
    for row in malaysian_rows.ROWS:
        yield malaysian_rows.case_of_row(row), {}
    for example in malaysian_examples.EXAMPLES:
        if not any(
            o.hand and len(o.hand) < 4 for o in malaysian_examples.case_of(example).others.values()
        ):
            yield malaysian_examples.case_of(example), {}


GAMES = {
    "korean_japanese_3p": (
        korean_cases,
        {entry.id for entry in (*hand_point, *bonus_point)}
        | {limit.hand.value for limit in LIMITS}
        | {"not_waiting_payer", "waiting_payer", "goulash"},
        [],
    ),
    "japanese_3p": (
        honshu_cases,
        {one.id for one in (*yaku, *yakuman)}
        | {"bazoro", "dora", "uradora", "pei_dora", "akadora", "ippatsu", "flower_dora"},
        [
            {"ruleset": "japanese_3p", "options": {"menzen_tsumo": True, "flowers": "nukidora"},
             "winner": 1, "from": None, "hand": "234p 678p 99s 67s 666z", "winning_tile": "8s",
             "bonus": "14f"},
            {"ruleset": "japanese_3p", "round_wind": "W", "winner": 2, "from": 0,
             "hand": "234p 99s 67s", "winning_tile": "8s",
             "melds": [{"kind": "pung", "tiles": "333z", "from": 0},
                       {"kind": "pung", "tiles": "555z", "from": 0}]},
            {"ruleset": "japanese_3p", "round_wind": "S", "winner": 1, "from": 0,
             "hand": "234p 678p 99s 67s", "winning_tile": "8s",
             "melds": [{"kind": "pung", "tiles": "222z", "from": 0}]},
            {"ruleset": "japanese_3p", "winner": 1, "from": None, "hand": "",
             "winning_tile": "9s", "fourth_kong_from": None,
             "melds": [{"kind": "concealed_kong", "tiles": tiles}
                       for tiles in ("2222p", "7777s", "8888p", "1111z")]},
        ],
    ),
    "malaysian_3p": (
        malaysian_cases,
        {entry.id for entry in fan} | {one.id for one in TEN_FAN}
        | {"flies", "fly_bonus", "losers_compared", "pao"},
        [
            {"ruleset": "malaysian_3p", "winner": 1, "from": 2, "hand": "234p 567p 34p 99p",
             "winning_tile": "5p", "bonus": "1234f 1234g 1234a 1234c",
             "melds": [{"kind": "pung", "tiles": "666z", "from": 0}]},
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GAMES)
def test_every_item_tells_its_rule_in_a_sentence(name, tmp_path, capsys):
    cases, declared, more = GAMES[name]
    lines = [case_json(name, case, options) for case, options in cases()] + more
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    main(["score", "--case", str(file), "--json"])
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(answers) == len(lines)
    told = {}
    for answer in answers:
        for item in answer["items"]:
            told.setdefault(item["id"], item["why"])
            assert item["why"].endswith("."), item
            assert len(item["why"].split()) >= 4, item
            assert item["name"]
    assert declared - set(told) == set()
