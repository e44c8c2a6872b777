"""Hands that other programs scored: every value equal, or the difference named."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from table_controller.records.codes import of_kobalab, of_kobalab_run, of_tenhou_id
from table_controller.records.names import YAKU_BY_NATIVE
from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.shanten import shanten_of_counts
from table_controller.rules.core.tiles import KINDS, Tile, parse_tiles
from table_controller.rules.riichi.dora import dora_of
from table_controller.rules.riichi.furiten import waits
from table_controller.rules.riichi.options import PRESETS, RiichiOptions
from table_controller.rules.riichi.sanma_options import SANMA_PRESETS
from table_controller.rules.riichi.settle import settle_win
from tests.shared_data import shared_data


def load(path: str) -> Any:
    return json.loads(shared_data(f"oracles/{path}").read_text())


# --- kobalab/majiang-core: hule.json ------------------------------------------------------------

KOBALAB = PRESETS["majsoul"]  # red fives one a suit, double yakuman, counted yakuman
LUCK = {
    ("haidi", 1): Flag.LAST_TILE,
    ("haidi", 2): Flag.LAST_TILE,
}


def kobalab_case(given: dict[str, Any]) -> Case:
    param, wins = given["param"], given["param"]["hupai"]
    concealed, *called = given["shoupai"].split(",")
    seat = Seat(param["menfeng"])
    melds = []
    for text in called:
        tiles = tuple(t for t in of_kobalab_run(re.sub("[-=+]", "", text)) if t is not None)
        mark = re.search("[-=+]", text)
        if len({tile.face for tile in tiles}) > 1:
            kind = MeldKind.CHOW
        elif mark is None:
            kind = MeldKind.CONCEALED_KONG
        elif len(tiles) == 3:
            kind = MeldKind.PUNG
        else:
            kind = MeldKind.KONG if mark.end() == len(text) else MeldKind.ADDED_KONG
        turns = {"-": 3, "=": 2, "+": 1}
        source = None if mark is None else seat.after(turns[mark.group()], 4)
        melds.append(Meld(kind, tuple(sorted(tiles)), source))
    hand = [tile for tile in of_kobalab_run(concealed) if tile is not None]
    if "rongpai" in given:
        winning = of_kobalab(given["rongpai"])
        source = seat.after({"-": 3, "=": 2, "+": 1}[given["rongpai"][-1]], 4)
    else:
        winning, source = hand.pop(), None
    flags = set()
    if wins.get("lizhi"):
        flags.add(Flag.DOUBLE_READY if wins["lizhi"] == 2 else Flag.READY)
    if wins.get("yifa"):
        flags.add(Flag.ONE_SHOT)
    if wins.get("haidi"):
        flags.add(Flag.LAST_TILE)
    if wins.get("lingshang"):
        flags.add(Flag.REPLACEMENT)
    if wins.get("qianggang"):
        flags.add(Flag.ROBBING_KONG)
    if wins.get("tianhu"):
        flags.add(Flag.FIRST_TURN)
    return Case(
        winner=seat,
        source=source,
        hand=tuple(hand),
        winning_tile=winning,
        melds=tuple(melds),
        dealer=Seat.A,
        round_wind=tuple(Wind)[param["zhuangfeng"]],
        flags=frozenset(flags),
        dora=tuple(dora_of(of_kobalab(one), KOBALAB) for one in param["baopai"]),
        ura=tuple(dora_of(of_kobalab(one), KOBALAB) for one in param["fubaopai"] or ()),
        counters=param["jicun"]["changbang"],
        deposits=param["jicun"]["lizhibang"],
    )


def test_ten_thousand_hands_of_kobalab():
    rows = load("kobalab_majiang_core/hule.json")
    wrong = []
    for number, row in enumerate(rows):
        answer = settle_win(kobalab_case(row["in"]), KOBALAB)
        expected = row["out"]
        if not expected.get("hupai"):
            same = not answer.valid
        else:
            theirs: Counter[str] = Counter()
            for one in expected["hupai"]:
                theirs[YAKU_BY_NATIVE[one["name"]]] += one["fanshu"] if "*" not in str(one) else 0
            ours = {item.id: item.value for item in answer.items if item.unit in ("han", "yakuman")}
            same = answer.valid and answer.deltas == tuple(expected["fenpei"])
            if expected["damanguan"] is None:
                same &= ours == {name: han for name, han in theirs.items() if han}
                same &= dict(answer.totals) == {"han": expected["fanshu"], "fu": expected["fu"]}
            else:
                same &= set(ours) == set(theirs)
        if not same:
            wrong.append((number, row, answer))
    assert len(rows) == 6_510
    assert wrong == []


# --- RiichiEnv: hands of Mahjong Soul games ------------------------------------------------------

ENV_YAKU = {
    1: "menzen_tsumo",
    2: "riichi",
    3: "chankan",
    4: "rinshan",
    5: "haitei",
    6: "houtei",
    7: "yakuhai_white",
    8: "yakuhai_green",
    9: "yakuhai_red",
    10: "yakuhai_seat_wind",
    11: "yakuhai_round_wind",
    12: "tanyao",
    13: "iipeikou",
    14: "pinfu",
    15: "chanta",
    16: "ittsuu",
    17: "sanshoku_doujun",
    18: "double_riichi",
    19: "sanshoku_doukou",
    20: "sankantsu",
    21: "toitoi",
    22: "sanankou",
    23: "shousangen",
    24: "honroutou",
    25: "chiitoitsu",
    26: "junchan",
    27: "honitsu",
    28: "ryanpeikou",
    29: "chinitsu",
    30: "ippatsu",
    31: "dora",
    32: "red_five",
    33: "ura_dora",
    34: "north",
}


def env_case(row: dict[str, Any], options: RiichiOptions) -> Case:
    said = row["conditions"]
    players = said["num_players"]

    def tile(number: int) -> Tile:
        return of_tenhou_id(number, has_reds=True)

    winner = Seat(said["player_wind"])
    melds = []
    for meld in row["melds"]:
        kind = {
            "chi": MeldKind.CHOW,
            "pon": MeldKind.PUNG,
            "kan": MeldKind.KONG,
            "daiminkan": MeldKind.KONG,
            "ankan": MeldKind.CONCEALED_KONG,
            "kakan": MeldKind.ADDED_KONG,
        }[meld["meld_type"]]
        tiles = tuple(sorted(tile(number) for number in meld["tiles"]))
        melds.append(Meld(kind, tiles, None if kind.is_concealed else winner.after(1, players)))
    names = {
        "riichi": Flag.READY,
        "double_riichi": Flag.DOUBLE_READY,
        "ippatsu": Flag.ONE_SHOT,
        "haitei": Flag.LAST_TILE,
        "houtei": Flag.LAST_TILE,
        "rinshan": Flag.REPLACEMENT,
        "chankan": Flag.ROBBING_KONG,
        "tsumo_first_turn": Flag.FIRST_TURN,
    }
    return Case(
        winner=winner,
        source=None if said["tsumo"] else winner.after(1, players),
        hand=tuple(tile(number) for number in row["tiles_136"]),
        winning_tile=tile(row["win_tile_136"]),
        melds=tuple(melds),
        bonus=parse_tiles("4z") * said["kita_count"],
        dealer=Seat.A,
        round_wind=tuple(Wind)[said["round_wind"]],
        flags=frozenset(flag for name, flag in names.items() if said[name]),
        dora=tuple(dora_of(tile(number), options) for number in row["dora_indicators"]),
        ura=tuple(dora_of(tile(number), options) for number in row["ura_indicators"]),
        counters=said["honba"],
    )


@pytest.mark.parametrize(
    ("name", "options", "number"),
    [
        ("agari_4p", PRESETS["majsoul"], 531),
        ("agari_3p", SANMA_PRESETS["majsoul"], 249),
    ],
)
def test_hands_won_at_mahjong_soul(name, options, number):
    rows = load(f"riichienv/{name}.json")["cases"]
    wrong = []
    players = len(options.uma)
    for row in rows:
        expected = row["expected"]
        answer = settle_win(env_case(row, options), options, players)
        if answer.totals.get("yakuman"):
            same = expected["han"] >= 13
        else:
            found = {item.id for item in answer.items if item.unit == "han"}
            theirs = {ENV_YAKU[one] for one in expected["yaku"]}
            zero = {
                "ura_dora",
                "dora",
                "red_five",
                "north",
            }  # listed by them even when there is none
            same = (answer.totals["han"], answer.totals["fu"]) == (expected["han"], expected["fu"])
            same &= found - zero == theirs - zero and found <= theirs
        if not answer.valid or not same:
            wrong.append((row, answer))
    assert len(rows) == number
    assert wrong == []


def test_hands_that_do_not_wait_are_not_said_to_wait():
    rows = load("riichienv/hands_negative.json")["cases"]
    wrong = []
    for row in rows:
        counts = row["counts_34"]
        hand = tuple(KINDS[kind] for kind in range(34) for _ in range(counts[kind]))
        melds = (14 - len(hand)) // 3
        is_waiting = len(hand) % 3 == 1 and bool(waits(hand, ()))
        if (shanten_of_counts(counts, melds) <= 0) is not row["is_tenpai"] or (
            is_waiting and not row["is_tenpai"]
        ):
            wrong.append(row)
    assert rows
    assert wrong == []


# --- PyPI mahjong: hands recorded while its own tests passed ------------------------------------

PYPI_NAMES = {
    "Menzen Tsumo": "menzen_tsumo",
    "Riichi": "riichi",
    "Ippatsu": "ippatsu",
    "Chankan": "chankan",
    "Rinshan Kaihou": "rinshan",
    "Haitei Raoyue": "haitei",
    "Houtei Raoyui": "houtei",
    "Double Riichi": "double_riichi",
    "Pinfu": "pinfu",
    "Tanyao": "tanyao",
    "Iipeiko": "iipeikou",
    "Yakuhai (haku)": "yakuhai_white",
    "Yakuhai (hatsu)": "yakuhai_green",
    "Yakuhai (chun)": "yakuhai_red",
    "Sanshoku Doujun": "sanshoku_doujun",
    "Ittsu": "ittsuu",
    "Chantai": "chanta",
    "Honroutou": "honroutou",
    "Toitoi": "toitoi",
    "San Ankou": "sanankou",
    "San Kantsu": "sankantsu",
    "Sanshoku Doukou": "sanshoku_doukou",
    "Chiitoitsu": "chiitoitsu",
    "Shou Sangen": "shousangen",
    "Honitsu": "honitsu",
    "Junchan": "junchan",
    "Ryanpeikou": "ryanpeikou",
    "Chinitsu": "chinitsu",
    "Kokushi Musou": "kokushi",
    "Kokushi Musou Juusanmen Matchi": "kokushi_13",
    "Chuuren Poutou": "chuuren",
    "Daburu Chuuren Poutou": "junsei_chuuren",
    "Suu Ankou": "suuankou",
    "Suu Ankou Tanki": "suuankou_tanki",
    "Daisangen": "daisangen",
    "Shousuushii": "shousuushii",
    "Dai Suushii": "daisuushii",
    "Ryuuiisou": "ryuuiisou",
    "Suu Kantsu": "suukantsu",
    "Tsuu Iisou": "tsuuiisou",
    "Chinroutou": "chinroutou",
    "Tenhou": "tenhou",
    "Chiihou": "chiihou",
    "Renhou": "renhou",
    "Dora": "dora",
    "Ura Dora": "ura_dora",
    "Aka Dora": "red_five",
}
# House rules of that package which no preset plays: they are not options of ours.
PYPI_OTHER_RULES = (
    "aotenjou|daisharin|daichisei|paarenchan|sashikomi|open_riichi|nagashi|renhou|"
    "fu_for_open_pinfu|fu_for_pinfu_tsumo|kazoe|limit_to|three_player|wrong|hand_value_error"
)


def pypi_case(row: dict[str, Any], options: RiichiOptions) -> Case | None:
    config = row["config"]
    has_reds = bool(config.get("options", {}).get("has_aka_dora", False))

    def tile(number: int) -> Tile:
        return of_tenhou_id(number, has_reds=has_reds)

    tiles = list(row["tiles"])
    seat_wind = config.get("player_wind")
    winner = Seat(0 if config.get("is_dealer") else (seat_wind - 27 if seat_wind else 1))
    melds = []
    for meld in row["melds"]:
        for number in meld["tiles"]:
            if number not in tiles:
                return None
            tiles.remove(number)
        kind = {"chi": MeldKind.CHOW, "pon": MeldKind.PUNG}.get(meld["type"])
        if kind is None:
            kind = MeldKind.KONG if meld.get("opened", True) else MeldKind.CONCEALED_KONG
        source = None if kind.is_concealed else winner.after(1, 4)
        melds.append(Meld(kind, tuple(sorted(tile(number) for number in meld["tiles"])), source))
    if row["win_tile"] not in tiles:
        return None  # they count the winning tile inside a meld: no such hand at a table
    tiles.remove(row["win_tile"])
    names = {
        "is_riichi": Flag.READY,
        "is_daburu_riichi": Flag.DOUBLE_READY,
        "is_ippatsu": Flag.ONE_SHOT,
        "is_haitei": Flag.LAST_TILE,
        "is_houtei": Flag.LAST_TILE,
        "is_rinshan": Flag.REPLACEMENT,
        "is_chankan": Flag.ROBBING_KONG,
        "is_tenhou": Flag.FIRST_TURN,
        "is_chiihou": Flag.FIRST_TURN,
    }
    round_wind = config.get("round_wind")
    return Case(
        winner=winner,
        source=None if config.get("is_tsumo") else winner.after(1, 4),
        hand=tuple(tile(number) for number in tiles),
        winning_tile=tile(row["win_tile"]),
        melds=tuple(melds),
        dealer=Seat.A,
        seat_winds=tuple(
            tuple(Wind)[(seat_wind - 27 if seat_wind and seat is winner else seat)]
            for seat in (Seat.A, Seat.B, Seat.C, Seat.D)
        ),
        round_wind=tuple(Wind)[round_wind - 27] if round_wind else Wind.NORTH,
        flags=frozenset(flag for name, flag in names.items() if config.get(name)),
        dora=tuple(dora_of(tile(number), options) for number in row["dora_indicators"] or ()),
        ura=tuple(dora_of(tile(number), options) for number in row["ura_dora_indicators"] or ()),
    )


def test_hands_recorded_from_the_tests_of_pypi_mahjong():
    rows = load("mahjong_py_tests/recorded_hands.json")["cases"]
    wrong, compared = [], 0
    for row in rows:
        result = row["result"]
        said = row["config"].get("options", {})
        names = [name for name, *_ in result.get("yaku") or ()]
        other = re.search(PYPI_OTHER_RULES, row["test"]) or row.get("scores_calculator")
        config = row["config"]
        # Norths, hand of man, open riichi and open hands of 20 fu as they stack them: not ours.
        other = other or any(config.get(name) for name in ("num_nuki_dora", "is_renhou"))
        other = other or config.get("is_open_riichi") or not said.get("fu_for_open_pinfu", True)
        if other or result["error"] or any(name.startswith("Daisharin") for name in names):
            continue
        options = RiichiOptions(
            red_fives=(4, 4, 4),  # some of its tests hold two of a suit
            kuitan=bool(said.get("has_open_tanyao", False)),
            kiriage=bool(said.get("kiriage", False)),
            kazoe="yakuman" if said.get("kazoe_limit", 0) == 0 else "sanbaiman",  # type: ignore[arg-type]
            yakuman_stacking=True,
            rinshan_tsumo_fu=2,
            double_yakuman_patterns=PRESETS["majsoul"].double_yakuman_patterns
            if said.get("has_double_yakuman", True)
            else (),
        )
        case = pypi_case(row, options)
        if case is None or len(case.hand) + 3 * len(case.melds) != 13:
            continue
        held = (
            *case.hand,
            case.winning_tile,
            *(tile for meld in case.melds for tile in meld.tiles),
        )
        if not config.get("player_wind") and any(tile.is_wind for tile in held):
            continue  # a seat without a wind: at a table every seat has one
        answer = settle_win(case, options)
        compared += 1
        if answer.totals.get("yakuman"):
            same = result["han"] == 13 * answer.totals["yakuman"]
        else:
            same = answer.valid and (answer.totals["han"], answer.totals["fu"]) == (
                result["han"],
                result["fu"],
            )
        if not same:
            wrong.append((row["test"], result, dict(answer.totals), answer.items))
    assert wrong == []
    assert compared >= 60
