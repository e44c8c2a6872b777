"""Hands and settlements of other Hong Kong tables, and where this style counts otherwise.

No other engine plays exactly this old style: each difference is named here, one by one.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.hong_kong_old import RULESET
from table_controller.rules.hong_kong_old.scoring import (
    FAN_TABLE,
    best_worth,
    settle,
    settle_win,
)
from tests.rules.scripted_deals import ScriptedDeal
from tests.shared_data import shared_data

ANY_HAND = RULESET.choose(min_fan=0, all_chows_pair="any")
"""What those tables play: no minimum, and any pair in All Chows."""


def load(name: str) -> dict:
    return json.loads(shared_data(f"oracles/{name}").read_text())


# --- A library of parlour rules: items by name ---------------------------------------------------

LETTERS = {"E": "1z", "S": "2z", "W": "3z", "N": "4z", "Wh": "5z", "G": "6z", "R": "7z"}
EXTRA = {
    name: f"{place % 4 + 1}{'g' if place < 4 else 'f'}"
    for place, name in enumerate(
        ["spring", "summer", "autumn", "winter", "plum", "lily", "chrysanthemum", "bamboo"]
    )
}
SAME = {
    "common hand": "all_chows",
    "mixed one suit": "half_flush",
    "all in triplets": "all_pungs",
    "對對糊": "all_pungs",
    "dragons": "dragon_pung",
    "門風": "seat_wind_pung",
    "圈風": "round_wind_pung",
    "self-pick": "self_draw",
    "自摸": "self_draw",
    "robbing kong": "robbing_kong",
}
"""Items that both count, and count the same."""

OTHERWISE = {
    "all one suit": ("pure_hand", 7, 6),
    "清一色": ("pure_hand", 7, 6),
    "small dragon": ("little_dragons", 5, 12),
}
"""Items that both count, at that worth there and here."""

FLOWERS = {"正花", "flowers matching seat position"}
"""There a complete set of four counts 2 in all; here 2 beside the own flower."""

ONLY_THERE = {
    "fully concealed hand": 1,
    "mixed orphans": 1,
    "flower hand": 3,  # seven flowers win there
    "花糊": 3,
    "win by Kong": 2,  # takes the place of the self-draw
}
ONLY_HERE = {
    "all_simples",
    "three_concealed_pungs",
    "three_kongs",
    "no_bonus_tiles",
}
LIMITS = {
    "all honors": "great_winds",  # the first of the two limits that it is
    "kaan kaan hand": "four_concealed_pungs",
    "all Kongs": "four_kongs",
    "nine gates": "heavenly_gates",
    "heavenly hand": "heavenly_hand",
    "earthly hand": "earthly_hand",
    "eight immortals crossing the sea": "great_flowers",
}
LIMITS_ONLY_THERE = {"small wind": 16, "orphans": 4, "win by double Kong": 2}
"""Worth in fan here, one of it for no bonus tiles: little winds and a half flush, all pungs, and a
self-draw."""


def tile(text: str) -> Tile:
    return Tile.parse(LETTERS.get(text, text))


def parlour_case(row: dict) -> Case:
    config = {name: value for name, value in row["config"].items() if value}
    groups = [[tile(one) for one in group.split()] for group in row["tiles"]]
    laid = [group for group in groups if len(group) == 4]
    if not any(name in CONCEALED for name, _ in row["details"]) and row["kind"] == "melds":
        laid = [group for group in groups if len(group) in (3, 4)]
    hand = [one for group in groups if group not in laid for one in group]
    if row["kind"] == "unsorted":
        # Whether the hand was called for is not told: the discard completes the first set.
        hand = [*hand[1:], hand[0]]
    winning = hand[-1]
    self_drawn = bool(set(config) & {"selfPick", "heavenlyHand", "winByKong", "winByDoubleKong"})
    flags = {
        flag
        for key, flag in {
            "robbingKong": Flag.ROBBING_KONG,
            "heavenlyHand": Flag.FIRST_TURN,
            "earthlyHand": Flag.FIRST_TURN,
        }.items()
        if config.get(key)
    }
    own = {"east": 0, "south": 1, "west": 2, "north": 3}
    every = [one for group in groups for one in group]
    winner = Seat(own[config["seatWind"]]) if "seatWind" in config else idle_seat(every)
    dealer = winner if "heavenlyHand" in config else Seat.A
    if "earthlyHand" in config:
        winner = Seat.B
    return Case(
        winner=winner,
        source=None if self_drawn else (dealer if winner is not dealer else Seat.C),
        hand=tuple(hand[:-1]),
        winning_tile=winning,
        melds=tuple(laid_down(group) for group in laid),
        bonus=tuple(Tile.parse(EXTRA[name]) for name in config.get("extra_tiles", [])),
        dealer=dealer,
        round_wind=tuple(Wind)[own[config["roundWind"]]]
        if "roundWind" in config
        else tuple(Wind)[idle_seat(every)],
        flags=frozenset(flags),
    )


CONCEALED = {"kaan kaan hand", "nine gates"}


def laid_down(group: list[Tile]) -> Meld:
    if len(set(group)) > 1:
        return Meld(MeldKind.CHOW, tuple(group), None)
    return Meld(MeldKind.KONG if len(group) == 4 else MeldKind.PUNG, tuple(group), None)


def idle_seat(hand: list[Tile]) -> Seat:
    """A seat whose wind is no pung of the hand: where the table names none, none may count."""
    return next((one for one in Seat if hand.count(tuple(Wind)[one].tile) < 3), Seat.A)


def test_a_library_of_parlour_rules_counts_the_same_items_but_those_listed():
    rows = load("hk_hskpeter/hk_faan_cases.json")["cases"]
    assert len(rows) > 300
    seen: Counter[str] = Counter()
    for row in rows:
        case = parlour_case(row)
        named = Counter({name: 0 for name, _ in row["details"]})
        for name, value in row["details"]:
            named[name] += value if value != "limit" else 0
        seen.update(named.keys())
        if row["faan"] == "limit":
            check_limit(row, case)
            continue
        if set(named) & {"flower hand", "花糊"}:
            continue  # seven flowers win there whatever the hand: no hand to compare
        worth = best_worth(case, ANY_HAND)
        assert worth is not None, row
        ours = {item.id: item.value for item in worth.items if item.id not in ONLY_HERE}
        theirs = {SAME[name]: value for name, value in named.items() if name in SAME}
        for name in named:
            if name in OTHERWISE:
                item, there, here = OTHERWISE[name]
                assert named[name] == there
                theirs[item] = here
        if "little_dragons" in theirs:
            theirs["dragon_pung"] = 2  # here the two pungs count beside it, there they do not
        flowers = {
            name: ours.pop(name, 0)
            for name in ("own_flower", "own_season", "all_four_flowers", "all_four_seasons")
        }
        if "seatWind" in row["config"]:
            sets = sum(flowers[name] > 0 for name in ("all_four_flowers", "all_four_seasons"))
            assert sum(flowers.values()) - sets == sum(named[name] for name in FLOWERS), row
        if "win by Kong" in named:
            ours.pop("self_draw")
        assert ours == theirs, row
    known = {*SAME, *OTHERWISE, *FLOWERS, *ONLY_THERE, *LIMITS, *LIMITS_ONLY_THERE}
    assert set(seen) <= known


def check_limit(row: dict, case: Case) -> None:
    (name,) = [name for name, value in row["details"] if value == "limit"]
    answer = settle_win(case, ANY_HAND)
    assert answer.valid, (row, answer.violations)
    if name in LIMITS:
        assert LIMITS[name] in [item.id for item in answer.items], row
        assert answer.totals["limit_points"] == 512
    else:
        assert answer.totals["fan"] == LIMITS_ONLY_THERE[name], row


# --- Settlements of a score book -----------------------------------------------------------------


def test_settlements_of_a_score_book():
    """The score book pays by portions: twice the base payment here, without a dealer's doubling.

    Its 'half gun' (the discarder one portion, the others half) and its self-draws (a portion each)
    are this style with ``east_doubles`` off; its multipliers are the fan table. 'Full gun' (the
    discarder two portions alone), guarantees and its false win do not exist here.
    """
    table = load("hk_yawnoc/hk_settlement_cases.json")
    assert [table["multiplier_half"][fan] for fan in range(11)] == [*FAN_TABLE.values()]
    compared, only_there = 0, Counter()
    for row in table["cases"]:
        if row["winner"] is None and row["blame"] is None:
            assert row["expected"] == [0, 0, 0, 0]  # a draw: nobody pays
            compared += 1
            continue
        gun, blame = row["responsibility"], row["blame_type"]
        if blame not in (None, "d") or (gun, blame) == ("full", "d"):
            only_there[f"{gun} {blame}"] += 1
            continue
        half_portion = row["base"] * FAN_TABLE[row["faan"]] // 2
        source = None if row["blame"] is None else Seat(row["blame"])
        paid = totals(settle(half_portion, Seat(row["winner"]), source, None))
        assert list(paid) == row["expected"], row
        compared += 1
    assert compared == 3
    assert sum(only_there.values()) == len(table["cases"]) - compared


# --- Deals of another engine -------------------------------------------------------------------

ENGINE_SAME = {
    "Seat Flower": "own_flower",
    "Seat Season": "own_season",
    "All Flowers": "all_four_flowers",
    "Self Draw": "self_draw",
    "Robbing a Kong": "robbing_kong",
    "No Flowers": "no_bonus_tiles",
    "Half Flush": "half_flush",
    "All Sequences": "all_chows",
    "Green Dragon": "dragon_pung",
    "White Dragon": "dragon_pung",
    "Red Dragon": "dragon_pung",
    "Prevalent Wind": "round_wind_pung",
    "Seat Wind": "seat_wind_pung",
    "All Triplets": "all_pungs",
    "Final Tile": "last_tile",
}


ENGINE_LIMITS = {
    "All Honours": "all_honours",
    "Big Four Winds": "great_winds",
    "Big Three Dragons": "great_dragons",
    "Blessing of Earth": "earthly_hand",
    "Blessing of Heaven": "heavenly_hand",
    "Four Concealed Triplets": "four_concealed_pungs",
    "Four Kongs": "four_kongs",
    "Nine Gates": "heavenly_gates",
    "Thirteen Orphans": "thirteen_orphans",
}
"""Items of many fan there, limit hands here."""

ENGINE_OTHERWISE = {
    "Full Flush": ("pure_hand", 7, 6),
    "Little Three Dragons": ("little_dragons", 5, 12),
}


def test_deals_of_another_engine_count_the_same_but_what_is_listed():
    """The last tile of the wall is told by the name of the test."""
    skipped, dropped, compared = [], Counter(), 0
    for row in load("riichi_advanced/hk.json")["cases"]:
        if "seven flower" in row["test"]:
            skipped.append(row["test"])  # seven flowers are no win here
            continue
        deal = ScriptedDeal(row)
        deal.play()
        if row["test"] in ("hk - haitei", "hk - houtei"):
            deal.state = replace(deal.state, wall_left=0)
        verdicts = deal.verdicts(RULESET, ANY_HAND)
        assert set(verdicts) == set(row["expected_winners"])
        for seat, answer in verdicts.items():
            assert answer.valid
            theirs = dict_of(row["expected_winners"][seat]["yaku"])
            ours = {
                item.id: item.value
                for item in answer.items
                if item.id not in ONLY_HERE or item.id == "no_bonus_tiles"
            }
            if "limit_points" in answer.totals:
                named = {ENGINE_LIMITS[name] for name in theirs if name in ENGINE_LIMITS}
                assert named == set(ours), row["test"]
            else:
                expected: Counter[str] = Counter()
                for name, value in theirs.items():
                    if name in ENGINE_SAME:
                        expected[ENGINE_SAME[name]] += value
                    elif name in ENGINE_OTHERWISE:
                        item, there, here = ENGINE_OTHERWISE[name]
                        assert value == there
                        expected[item] = here
                if "All Terminals" in theirs:
                    expected["all_pungs"] = 3  # there contained in the 13 fan
                if "all_four_flowers" in expected:
                    ours.pop("own_flower")  # the own one counts beside the set only here
                assert ours == expected, row["test"]
            compared += 1
            dropped.update(theirs.keys() - ENGINE_SAME.keys() - ENGINE_OTHERWISE.keys())
            if row["expected_state"]:
                # One base point each from the discarder and nobody: that engine's chicken hand
                # pays 2 by its discarder alone, here East's doubling and all losers come in.
                assert row["expected_state"] == {"delta_scores": [2, -2, 0, 0]}
    assert compared == 20
    assert len(skipped) == 2
    assert set(dropped) - ENGINE_LIMITS.keys() == ONLY_IN_ENGINE.keys()


def dict_of(yaku: list) -> dict[str, int]:
    return {name: value for name, (value, _) in yaku}


ONLY_IN_ENGINE = {
    "After Multiple Kongs": "no item here: a kong's replacement is a self-draw",
    "After a Kong": "no item here: a kong's replacement is a self-draw",
    "All Terminals": "13 fan there, no item here",
    "Concealed Hand": "no item here",
    "Mixed Terminals": "4 fan there, no item here",
}


# --- Tricky cases ------------------------------------------------------------------------------


def items_of(hand: str, winning: str, source: Seat | None, **more) -> dict[str, int]:
    case = Case(
        winner=Seat.B,
        source=source,
        hand=parse_tiles(hand),
        winning_tile=Tile.parse(winning),
        round_wind=Wind.NORTH,
        bonus=parse_tiles("1f"),
        **more,
    )
    return {item.id: item.value for item in RULESET.settle_win(case, ANY_HAND).items}


def test_little_dragons_and_terminals_with_honours_are_counted_as_our_source_has_it():
    """Case T47: there little dragons (5) contain the two dragon pungs, and pungs of terminals and
    honours count 3 + 1. Our source gives little dragons 12 beside 1 for each pung, and knows no
    terminals and honours: those pungs are all pungs. Two limits at once pay one limit."""
    dragons = items_of("555z 666z 77z 234s 67m", "8m", Seat.C)
    assert dragons == {"little_dragons": 12, "dragon_pung": 2}
    pungs = items_of("111m 999p 99s 22z", "9s", Seat.C, melds=(Meld.of("pung", "111s", Seat.A),))
    assert pungs == {"all_pungs": 3}
    both = items_of("111z 222z 333z 44z 66z", "4z", None)
    assert sum(value > 0 for value in both.values()) == 1


def test_a_win_from_a_replacement_tile_is_a_self_draw():
    """Case T48: two libraries disagree whether 2 take the place of its 1; our source has no item
    for it at all, the self-draw includes it."""
    plain = items_of("234m 567m 345p 88s 67s", "5s", None)
    kong = items_of("234m 567m 345p 88s 67s", "5s", None, flags=frozenset({Flag.REPLACEMENT}))
    assert plain == kong == {"all_simples": 1, "all_chows": 1, "self_draw": 1}
