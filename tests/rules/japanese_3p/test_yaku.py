"""Every row of the specification's yaku and yakuman tables, near misses, and their options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.japanese_3p import RULESET
from table_controller.rules.japanese_3p.hand import next_in_sequence
from table_controller.rules.japanese_3p.scoring import ROWS, YAKUMAN_ROWS, row_for
from table_controller.rules.japanese_3p.yaku import yaku, yakuman
from tests.rules.japanese_3p.test_examples import EXAMPLES, FLAGS, case_of
from tests.rules.korean_japanese_3p.notation import SEATS, WINDS, meld, split_hand

ROWS_OF_SPEC = json.loads((Path(__file__).parent / "patterns.json").read_text())
SOUTH = Seat.B


def case_of_row(row):
    hand, winning = split_hand(row["hand"], row["win"]["tile"])
    flags = {FLAGS[flag] for flag in row.get("flags", [])}
    if row["win"]["by"] == "rob":
        flags.add(Flag.ROBBING_KONG)
    return Case(
        winner=SEATS[row["seat"]],
        source=SEATS[row["win"]["from"]] if "from" in row["win"] else None,
        hand=hand,
        winning_tile=winning,
        melds=tuple(meld(text) for text in row["melds"]),
        bonus=parse_tiles("4z") * row.get("norths", 0),
        round_wind=WINDS[row["round"]],
        flags=frozenset(flags),
        extra={key: row[key] for key in RULESET.extra_keys if key in row},
    )


@pytest.mark.parametrize("row", ROWS_OF_SPEC, ids=[row["id"] for row in ROWS_OF_SPEC])
def test_the_example_of_the_row(row):
    answer = RULESET.settle_win(case_of_row(row), RULESET.options)
    assert answer.valid
    ids = [item.id for item in answer.items]
    assert row["id"] in ids or any(id.startswith(f"{row['id']}_") for id in ids)
    if "han" in row:
        assert answer.totals == {"han": row["han"]}
    else:
        assert answer.totals == {"yakuman": row["units"]}


def test_every_yaku_has_an_example():
    shown = {
        item.id
        for case in [*map(case_of_row, ROWS_OF_SPEC), *map(case_of, EXAMPLES)]
        for item in RULESET.settle_win(case, RULESET.options).items
    }
    elsewhere = {
        "menzen_tsumo",  # an option
        "suukantsu",  # wins without a pair: JH-R13
        "yakuhai_Wh", "yakuhai_seat_W", "yakuhai_round_S", "yakuhai_round_W",
    }  # fmt: skip
    assert {one.id for one in (*yaku, *yakuman)} - shown == elsewhere


def score(text, won, *, source=None, melds=(), options=None, winner=SOUTH, flags=(), **more):
    case = Case(
        winner=winner,
        source=source,
        hand=parse_tiles(text),
        winning_tile=Tile.parse(won),
        melds=tuple(meld(one) for one in melds),
        flags=frozenset(flags),
        **more,
    )
    return RULESET.settle_win(case, options or RULESET.options)


def ids(*args, **how):
    bonus = {"bazoro", "dora", "uradora", "pei_dora", "akadora", "ippatsu", "flower_dora"}
    answer = score(*args, **how)
    return {item.id: item.value for item in answer.items if item.id not in bonus}


RIICHI = (Flag.READY,)


@pytest.mark.parametrize(
    ("id", "text", "won", "how"),
    [
        ("yakuhai_seat_E", "111z 234p 567p 678s 9s", "9s", {"winner": SOUTH}),
        ("yakuhai_Wh", "444z 234p 567p 678s 9s", "9s", {"flags": RIICHI}),
        ("iipeikou", "223344p 678p 9s", "9s", {"melds": ["pung(G G G<E)"]}),
        ("pinfu", "234p 567p 345s 78s 66z", "9s", {"source": Seat.C, "flags": RIICHI}),
        ("pinfu", "234p 567p 345s 79s 99p", "8s", {"source": Seat.C, "flags": RIICHI}),
        ("tanyao", "234p 678p 555s 222s 1s", "1s", {"flags": RIICHI}),
        ("houtei", "234p 678p 555s 222s 8s", "8s", {"flags": (Flag.LAST_TILE,)}),
        ("haitei", "234p 678p 555s 222s 8s", "8s", {"flags": (Flag.LAST_TILE, Flag.REPLACEMENT)}),
        ("chantaiyao", "123p 789s 999p 456s 1z", "1z", {"flags": RIICHI}),
        ("chantaiyao", "123p 789p 123s 999s 1p", "1p", {"flags": RIICHI}),  # junchantaiyao
        ("chiitoitsu", "11m 33p 55p 88s 44s 333z", "3z", {}),
        ("ikki_tsuukan", "123p 456s 789p 22s 77s", "7s", {"flags": RIICHI}),
        ("sanankou", "222p 555s 88s 234p 99p", "8s", {"source": Seat.A, "flags": RIICHI}),
        ("toitoihou", "333p 88s 77s 222s 234p", "8s", {"flags": RIICHI}),
        ("sanrenkou", "444p 222p 333s 888s 9s", "9s", {}),
        ("shousangen", "77z 456s 789p 555z 11z", "1z", {"flags": RIICHI}),
        ("honroutou", "999s 11m 111p 999p 22p", "1m", {}),
    ],
)
def test_a_near_miss_does_not_count(id, text, won, how):
    assert id not in ids(text, won, **how)


def test_implied_yaku_may_be_added():
    added = RULESET.choose(implied_yaku="additive", chanta_needs_honour_and_chow=False)
    small = {"text": "77z 456s 78p", "won": "9p", "melds": ["pung(G G G<S)", "pung(Wh Wh Wh<W)"],
             "winner": Seat.A, "source": SOUTH}  # fmt: skip
    assert ids(**small) == {"shousangen": 4}
    assert ids(**small, options=added) == {"shousangen": 4, "yakuhai_G": 1, "yakuhai_Wh": 1}
    old = {"text": "999s 1m", "won": "1m",
           "melds": ["pung(111p<E)", "pung(999p<W)", "pung(W W W<E)"]}  # fmt: skip
    assert ids(**old) == {"honroutou": 5}
    assert ids(**old, options=added) == {"honroutou": 5, "toitoihou": 2}
    pairs = {"text": "11m 99m 11p 99p 11s 99s 3z", "won": "3z"}
    assert ids(**pairs) == {"honroutou": 5}
    assert ids(**pairs, options=added) == {"honroutou": 5, "chiitoitsu": 2}


def test_kuisagari_takes_a_han_off_open_hands():
    reduced = RULESET.choose(kuisagari=True)
    open_hands = {
        "ikki_tsuukan": ("123p 456p 79p 22s", "8p", ["pung(777s<E)"]),
        "honiisou": ("345s 67s 99s 222z", "8s", ["pung(444s<E)"]),
        "chiniisou": ("234p 456p 79p 55p", "8p", ["pung(111p<E)"]),
        "junchantaiyao": ("123p 789p 12s 11p", "3s", ["pung(999s<E)"]),
        "chantaiyao": ("123p 789p 12s 11z", "3s", ["pung(999s<E)"]),
    }
    for id, (text, won, melds) in open_hands.items():
        full = ids(text, won, melds=melds)[id]
        assert ids(text, won, melds=melds, options=reduced)[id] == full - 1
    concealed = ids("234p 456p 789p 111p 5p", "5p", options=reduced)
    assert concealed["chiniisou"] == 6


def test_options_of_single_yaku():
    choose = RULESET.choose
    plain = {"text": "234p 567p 111s 789s 9p", "won": "9p"}
    assert [one.code for one in score(**plain).violations] == ["no_yaku"]
    assert ids(**plain, options=choose(menzen_tsumo=True)) == {"menzen_tsumo": 1}
    simples = {"text": "234p 678p 5s", "won": "5s", "melds": ["pung(222s<E)", "pung(777s<W)"]}
    assert ids(**simples) == {"tanyao": 1}
    assert not score(**simples, options=choose(open_tanyao=False)).valid
    closed = {"text": "234p 567p 345s 79s 99p", "won": "8s", "flags": RIICHI}
    two_kinds = {"text": "234p 567p 789s 3456s", "won": "3s", "flags": RIICHI}
    assert "pinfu" not in ids(**closed)
    assert "pinfu" in ids(**two_kinds)  # a pair wait on either end
    assert "pinfu" not in ids(**two_kinds, options=choose(pinfu_wait="two_sided"))
    twice = {"text": "223344p 66778s 99p", "won": "8s", "flags": RIICHI}
    assert score(**twice).totals == {"han": 5}  # with pinfu as dear as seven pairs
    assert ids(**twice, options=choose(iipeikou_twice=True))["iipeikou"] == 2
    open_pair = {"text": "223344p 678p 9s", "won": "9s", "melds": ["pung(G G G<E)"]}
    assert ids(**open_pair, options=choose(iipeikou_concealed=False))["iipeikou"] == 1


def test_chanta_without_its_honour_or_chow():
    free = RULESET.choose(chanta_needs_honour_and_chow=False)
    all_pungs = {"text": "999s 1m", "won": "1m",
                 "melds": ["pung(111p<E)", "pung(999p<W)", "pung(W W W<E)"]}  # fmt: skip
    assert ids(**all_pungs, options=free) == {"honroutou": 5}  # it includes chantaiyao


@pytest.mark.parametrize(
    ("norths", "pond", "options", "units"),
    [
        (0, "5p 5s", {}, 2),
        (0, "5p 9s", {}, 1),
        (1, "5p 5s", {}, 1),
        (0, "", {}, 2),
        (0, "5p", {"double_kokushi_tiles": "any_tile"}, 1),
        (0, "", {"double_kokushi_tiles": "any_tile"}, 2),
    ],
)
def test_kokushi_is_double_when_nothing_of_it_was_given_away(norths, pond, options, units):
    answer = score(
        "19m 19p 19s 1234z 566z", "7z", options=RULESET.choose(**options),
        bonus=parse_tiles("4z") * norths, ponds={SOUTH: parse_tiles(pond)},
    )  # fmt: skip
    assert answer.totals == {"yakuman": units}


@pytest.mark.parametrize(
    ("source", "pond", "options", "units"),
    [
        (None, "1z 5s", {}, 3),
        (None, "1z 5p", {}, 1),
        (Seat.A, "1z", {}, 3),
        (Seat.A, "1z", {"triple_chuuren_ron": False}, 1),
        (None, "1z", {"triple_chuuren_tiles": "any_tile"}, 1),
    ],
)
def test_chuuren_is_triple_when_no_tile_of_the_suit_was_given_away(source, pond, options, units):
    answer = score(
        "1112345678999p", "5p", source=source, options=RULESET.choose(**options),
        ponds={SOUTH: parse_tiles(pond)},
    )  # fmt: skip
    assert answer.valid
    assert answer.totals == {"yakuman": units}


def test_without_the_pond_the_dearer_yakuman_is_not_assumed():
    assert score("1112345678999p", "5p").totals == {"yakuman": 1}
    assert score("19m 19p 19s 1234z 566z", "7z").totals == {"yakuman": 1}


def test_suuankou_on_its_pair():
    pair = {"text": "222p 555p 777s 888s 3s", "won": "3s"}
    assert score(**pair).totals == {"yakuman": 2}
    single = RULESET.choose(double_suuankou_tsumo=False)
    assert score(**pair, options=single).totals == {"yakuman": 1}
    assert score(**pair, source=Seat.A, options=single).totals == {"yakuman": 2}
    pung = {"text": "222p 555p 77s 888s 33s", "won": "7s"}
    assert score(**pung).totals == {"yakuman": 1}


def test_yakuman_are_added_up_to_three():
    everything = {"text": "222z 333z 444z 111z 5z", "won": "5z"}  # winds, honours, pair wait
    assert score(**everything).totals == {"yakuman": 3}
    assert ids(**everything) == {"suushiihou": 1, "suuankou": 2, "tsuuiisou": 1}
    highest = RULESET.choose(yakuman_combination="highest_only")
    assert score(**everything, options=highest).totals == {"yakuman": 2}


def test_small_and_big_four_winds():
    assert ids("111z 222z 333z 44z 34s", "5s") == {"suushiihou": 1}
    assert "suushiihou" in ids("111z 222z 333z 444z 5s", "5s")
    assert "suushiihou" not in ids("111z 222z 333z 345s 5s", "5s")


def test_paarenchan():
    legal = {"text": "234p 678p 99s 56s", "won": "7s", "melds": ["pung(G G G<S)"],
             "winner": Seat.A, "source": Seat.C}  # fmt: skip
    assert score(**legal, extra={"dealer_retained": 8}).totals == {"yakuman": 1}
    assert score(**legal, extra={"dealer_retained": 7}).totals == {"han": 3}
    eighth = RULESET.choose(paarenchan_count="eighth_win")
    assert score(**legal, options=eighth, extra={"dealer_retained": 7}).totals == {"yakuman": 1}
    assert score(**legal, options=eighth, extra={"dealer_retained": 6}).totals == {"han": 3}
    other = {**legal, "winner": SOUTH, "melds": ["pung(G G G<E)"]}
    assert score(**other, extra={"dealer_retained": 8}).totals == {"han": 3}
    no_yaku = {**legal, "melds": ["pung(333s<S)"]}
    answer = score(**no_yaku, extra={"dealer_retained": 8})
    assert [one.code for one in answer.violations] == ["no_yaku"]


TABLE = [
    # han, total ko ron, ko tsumo, oya ron, oya tsumo (section 12, second table)
    (3, 1000, 800, 1500, 1000), (4, 2000, 1500, 3000, 2000), (5, 4000, 3000, 6000, 4000),
    (6, 8000, 6000, 12000, 8000), (7, 8000, 6000, 12000, 8000),
    (8, 12000, 9000, 18000, 12000), (9, 12000, 9000, 18000, 12000),
    (10, 16000, 12000, 24000, 16000), (12, 16000, 12000, 24000, 16000),
    (13, 24000, 18000, 36000, 24000), (15, 24000, 18000, 36000, 24000),
    (16, 32000, 24000, 48000, 32000), (25, 32000, 24000, 48000, 32000),
]  # fmt: skip


@pytest.mark.parametrize(("han", "ko_ron", "ko_tsumo", "oya_ron", "oya_tsumo"), TABLE)
def test_the_totals_of_the_score_table(han, ko_ron, ko_tsumo, oya_ron, oya_tsumo):
    row = row_for(han, RULESET.options)
    assert (row.ko_ron, row.oya_ron) == (ko_ron, oya_ron)
    assert row.ko_tsumo_ko + row.ko_tsumo_oya == ko_tsumo
    assert 2 * row.oya_tsumo == oya_tsumo


def test_sixteen_han_may_stay_a_sanbaiman():
    assert row_for(16, RULESET.choose(counted_yakuman="off")).name == "Sanbaiman"
    assert [row.ko_ron for row in YAKUMAN_ROWS] == [32000, 64000, 96000]
    assert [row.oya_ron for row in YAKUMAN_ROWS] == [48000, 96000, 144000]
    assert ROWS[0].han == 3


@pytest.mark.parametrize(
    ("turned", "dora"),
    [("9p", "1p"), ("0p", "6p"), ("1m", "9m"), ("9m", "1m"), ("3z", "4z"), ("4z", "1z"),
     ("5z", "6z"), ("6z", "7z"), ("7z", "5z"), ("9s", "1s"), ("4f", "1f")],
)  # fmt: skip
def test_the_dora_is_the_next_kind(turned, dora):
    assert next_in_sequence(Tile.parse(turned), RULESET.options) == Tile.parse(dora)


def test_bonus_han_and_their_options():
    base = {
        "text": "234p 678p 0s 55s 111s 7z", "won": "7z", "flags": (Flag.READY, Flag.ONE_SHOT),
        "dora": parse_tiles("4z 2p 2p"), "ura": parse_tiles("7z"), "bonus": parse_tiles("44z"),
    }  # fmt: skip

    def bonus(**options):
        answer = score(**base, options=RULESET.choose(**options))
        return {item.id: item.value for item in answer.items if item.id != "riichi"}

    full = {"bazoro": 2, "ippatsu": 1, "dora": 4, "uradora": 2, "pei_dora": 2, "akadora": 1}
    assert bonus() == full
    without = dict(full)
    del without["uradora"]
    assert bonus(uradora=False) == without
    flowers = score(
        "234p 678p 555s 111s 7z", "7z", flags=RIICHI, bonus=parse_tiles("4z 13f"),
        options=RULESET.choose(flowers="nukidora"),
    )  # fmt: skip
    assert {"pei_dora": 1, "flower_dora": 2}.items() <= {
        item.id: item.value for item in flowers.items
    }.items()


def test_no_uradora_without_riichi():
    simples = {"text": "234p 678p 5s", "won": "5s", "melds": ["pung(222s<E)", "pung(777s<W)"]}
    answer = score(**simples, ura=parse_tiles("5s"))
    assert {item.id for item in answer.items} == {"tanyao", "bazoro"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": "234p 678p 555s 111s"}, "must be 13 tiles"),
        ({"text": "234p 678p 555s 111s 5m"}, "5m are named"),
        ({"text": "234p 678p 555s 111s 1f"}, "a flower is in the hand"),
        ({"bonus": parse_tiles("1z")}, "only norths and flowers"),
        ({"source": SOUTH}, "the winner is named as the one who discarded"),
        ({"extra": {"robbed": "wall"}}, "robbed is promoted, concealed or north"),
        ({"extra": {"winner_discarded_suit": 3}}, "true or false"),
        ({"extra": {"dealer_retained": "8"}}, "dealer_retained is a number of deals"),
        ({"extra": {"passed": [[0]]}, "source": Seat.A}, "list of"),
    ],
)
def test_cases_that_cannot_be(change, message):
    case = {"text": "234p 678p 555s 111s 7z", "won": "7z", "flags": RIICHI}
    with pytest.raises(CaseError, match=message):
        score(**{**case, **change})


def test_winds_of_the_seat_and_the_round():
    west_round = ids("333z 234p 567p 678s 9s", "9s", winner=Seat.C, round_wind=Wind.SOUTH)
    assert west_round == {"yakuhai_seat_W": 1}
    south = ids("222z 234p 567p 678s 9s", "9s", winner=Seat.A, round_wind=Wind.SOUTH)
    assert south == {"yakuhai_round_S": 1}
    assert ids("555z 234p 567p 678s 9s", "9s") == {"yakuhai_Wh": 1}
