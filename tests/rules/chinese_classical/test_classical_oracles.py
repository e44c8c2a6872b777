"""Hands of another classical table (the league rules of a well-known program), and its deals.

Points and doublings of sets, pairs, kongs and flowers are the same. What that table adds is named
in `added`, five rules in all; what its limit hands do otherwise is listed hand by hand.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace

from table_controller.rules.chinese_classical import RULESET
from table_controller.rules.chinese_classical.options import USUAL_LIMIT_HANDS, LimitHand
from table_controller.rules.chinese_classical.scoring import (
    HandValue,
    holdings,
    settle,
    value_of_loser,
    value_of_winner,
)
from table_controller.rules.chinese_classical.values import (
    Holding,
    doublings,
    holding_of_loser,
    no_points,
    points,
    set_doublings,
    waits,
    winner_points,
)
from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.tiles import Tile
from table_controller.rules.core.win import Wait
from tests.rules.scripted_deals import ScriptedDeal
from tests.shared_data import shared_data

LEAGUE = RULESET.choose(
    "with_flowers",
    limit=100_000,
    limit_hands=[one for one in LimitHand if one is not LimitHand.ALL_HONOURS_LIMIT],
    waiting_declaration="none",
    last_discard_doubles=True,
)
SUITS = {"b": "s", "c": "m", "s": "p"}
DRAGON_RANKS = {"b": 5, "g": 6, "r": 7}  # white is blank


def load(name: str) -> dict:
    return json.loads(shared_data(f"oracles/{name}").read_text())


# --- The program's notation --------------------------------------------------------------------


def tile(text: str) -> Tile:
    """``b1``, ``we``, ``dr``, ``fs``, ``yn``; case tells open from concealed."""
    kind, value = text.lower()
    if kind in SUITS:
        return Tile.parse(value + SUITS[kind])
    if kind == "d":
        return Tile.parse(f"{DRAGON_RANKS[value]}z")
    rank = "eswn".index(value) + 1
    return Tile.parse(f"{rank}{ {'w': 'z', 'f': 'f', 'y': 'g'}[kind] }")


def split(text: str) -> list[str]:
    return [text[place : place + 2] for place in range(0, len(text), 2)]


@dataclass
class Written:
    """A hand as the program writes it."""

    hand: list[Tile]
    melds: list[Meld]
    bonus: list[Tile]
    last: str = ""
    last_meld: tuple[Tile, ...] = ()
    source: str = ""


def read(text: str) -> Written:
    found = Written([], [], [])
    for token in text.split():
        if token[0] == "m":
            found.source = token[1:]
        elif token[0] == "L":
            found.last, *rest = split(token[1:])
            found.last_meld = tuple(sorted(tile(one) for one in rest))
        elif token[0] == "R":
            found.hand += [tile(one) for one in split(token[1:])]
        else:
            place(found, split(token))
    return found


def place(found: Written, parts: list[str]) -> None:
    tiles = tuple(tile(one) for one in parts)
    upper = [one[0].isupper() for one in parts]
    if tiles[0].is_bonus:
        found.bonus += tiles
    elif len(tiles) == 4 and upper == [False, True, True, False]:
        found.melds.append(Meld(MeldKind.CONCEALED_KONG, tiles))
    elif len(tiles) == 4:
        found.melds.append(Meld(MeldKind.ADDED_KONG if upper[3] else MeldKind.KONG, tiles))
    elif all(upper) or len(tiles) < 3:
        found.hand += tiles
    else:
        kind = MeldKind.PUNG if len(set(tiles)) == 1 else MeldKind.CHOW
        found.melds.append(Meld(kind, tiles))


def case_of(row: dict) -> Case:
    written = read(row["hand"])
    hand, melds = written.hand, written.melds
    claimed = written.last[:1].islower() or written.source[:1] in ("d", "k")
    last = tile(written.last) if written.last else hand[-1]
    if last not in hand:
        # The set that the last tile completed is written as laid down: it stood in the hand.
        meld = next(one for one in melds if tuple(sorted(one.tiles)) == written.last_meld)
        melds.remove(meld)
        hand += meld.tiles
    hand.remove(last)
    winner = Seat("ESWN".index(row["seat_wind"]))
    situation = written.source[:1]
    flags = {
        flag
        for letter, flag in (
            ("z", Flag.LAST_TILE), ("Z", Flag.LAST_TILE), ("e", Flag.REPLACEMENT),
            ("k", Flag.ROBBING_KONG), ("1", Flag.FIRST_TURN),
        )
        if situation == letter
    }  # fmt: skip
    if written.source[1:] == "a":
        flags.add(Flag.DOUBLE_READY)
    if written.source[1:] == "t":
        flags.add(Flag.REPLACEMENT)
    if claimed:
        flags.discard(Flag.REPLACEMENT)
    return Case(
        winner=winner,
        source=(Seat.A if situation == "1" else winner.after(1, 4)) if claimed else None,
        hand=tuple(hand),
        winning_tile=last,
        melds=tuple(melds),
        bonus=tuple(written.bonus),
        round_wind=Wind(row["round_wind"]),
        flags=frozenset(flags),
        extra={"kong_on_kong": written.source[1:] == "t"},
    )


# --- What the league adds ------------------------------------------------------------------------


def added(holding: Holding) -> tuple[int, int]:
    """Points and doublings that only the league has."""
    more_points = more_doublings = 0
    concealed = sum(group.is_concealed for group in holding.pungs)
    if concealed >= 3:
        more_doublings += 1  # 1. three concealed pungs or kongs
    winds = sum(group.tile.is_wind for group in holding.pungs)
    dragons = sum(group.tile.is_dragon for group in holding.pungs)
    if holding.win is None:
        more_doublings += 2 * (winds == 4) + 2 * (dragons == 3)  # 2. all winds, all dragons
    win, case = holding.win, holding.case
    if win is None or case is None:
        return more_points, more_doublings
    if win.wait is Wait.PAIR and win.pair is not None:
        more_points += 2 if win.pair.is_simple else 4  # 3. the last tile makes the pair
    if (
        win.is_concealed
        and win.self_drawn
        and any(item.proofs(holding) for item in doublings if "one_suit" in item.id)
    ):
        more_doublings += 1  # 4. a hand of one suit with nothing called
    if not points.points(replace(holding, bonus=())) and not no_points(holding):
        more_doublings += 1  # 5. neither flowers nor the last tile spoil a hand without points
    return more_points, more_doublings


def league_value(case: Case) -> tuple[int, int]:
    """Points and doublings of the dearest reading, with what the league adds."""

    def of(holding: Holding) -> tuple[int, int]:
        more_points, more_doublings = added(holding)
        total = winner_points.points(holding) + points.points(holding) + more_points
        doubled = set_doublings.points(holding) + doublings.points(holding) + more_doublings
        return total, doubled

    return max((of(one) for one in holdings(case, LEAGUE)), key=lambda both: both[0] * 2 ** both[1])


def test_hands_of_the_league():
    rows = load("kajongg/classical_scoring_cases.json")["cases"]
    assert len(rows) > 120
    compared: Counter[str] = Counter()
    unlike = {}
    for row in rows:
        expected = row["expected"]["DMJL_no_limit_cap"]
        there = (expected["points"], expected["doubles"])
        if not expected["won"]:
            compared["losers"] += 1
            here = loser_value(row)
        else:
            case = case_of(row)
            won = value_of_winner(case, LEAGUE)
            assert won is not None, row["hand"]
            if won.limits or expected["limits"]:
                compared["limits"] += 1
                if bool(won.limits) is not bool(expected["limits"]):
                    unlike[row["hand"]] = "limit"
                continue
            compared["winners"] += 1
            here = league_value(case)
        if here != there:
            unlike[row["hand"]] = f"{there} there, {here} here"
    assert compared == {"losers": 52, "winners": 48, "limits": 30}
    assert unlike.keys() == UNLIKE.keys()


UNLIKE = {
    "c1c1c1 c3c4c5 c9c9c9 c6c7c8 RC2C2 Lc1c1c1c1": "the snake may be called there",
    "s1s1s1 s2s3s4 s9s9s9 s6s7s8 RS5S5 Ls1s1s1s1": "the snake may be called there",
    "b1b1b1B1 RB2B3B4B5B6B7B8B8B2B2B2 fe fs fn fw LB3B2B3B4": "a concealed hand of one suit is a "
    "limit hand there, an extended kong included",
    "RC1C1C1C2C3C4C5C6C7C8C9C9C9C9 LC1": "nine gates there look at all fourteen tiles",
    "RWeWeWeC3C3C3S3S3 c4c4c4C4 b8B8B8b8 LC3C3C3C3": "an extended kong is a hidden treasure there",
    "RB2B2B2S1S1S1B4B4 b1b1b1 c9c9c9C9 LB2B2B2B2": "an extended kong is a concealed one there when "
    "three concealed pungs are counted",
    "s2s2s2 RS5S5S5B1B1B1B2B2 c9C9C9c9 me Ls2s2s2s2": "written as a loose tile and as claimed: "
    "the program doubles it, here a claimed tile is no loose tile",
}
"""Where five added rules are not the reason."""


def loser_value(row: dict) -> tuple[int, int]:
    """A losing hand; with more than thirteen tiles it is worth nothing in both games."""
    written = read(row["hand"])
    winner = Seat("ESWN".index(row["seat_wind"])).after(1, 4)
    loser = Seat("ESWN".index(row["seat_wind"]))
    shown = ShownHand(
        hand=tuple(written.hand), melds=tuple(written.melds), bonus=tuple(written.bonus)
    )
    case = Case(
        winner=winner,
        source=None,
        hand=(),
        winning_tile=Tile.parse("1m"),
        round_wind=Wind(row["round_wind"]),
        others={loser: shown},
    )
    held = len(written.hand) + 3 * len(written.melds)
    if held > 13:
        assert value_of_loser(case, loser, LEAGUE).value == 0
        return 0, 0
    holding = holding_of_loser(
        written.hand,
        written.melds,
        written.bonus,
        seat_wind=Wind(row["seat_wind"]),
        round_wind=Wind(row["round_wind"]),
        options=LEAGUE,
    )
    more_points, more_doublings = added(holding)
    return (
        points.points(holding) + more_points,
        set_doublings.points(holding) + more_doublings,
    )


def test_what_hands_wait_for_in_the_league():
    """Hands of the English association's patterns (knitting, pairs, wriggling snake) wait for
    nothing there either."""
    compared = 0
    for row in load("kajongg/classical_calling_cases.json")["cases"]:
        written = read(row["hand"])
        if len(written.hand) + 3 * len(written.melds) != 13:
            continue
        here = waits(written.hand, written.melds, LEAGUE)
        there = {tile(one) for one in split(row["expected_calling_tiles"]["DMJL"])}
        assert set(here) == there, row["hand"]
        compared += 1
    assert compared >= 9


# --- Deals of another engine ---------------------------------------------------------------------

ENGINE = RULESET.choose(
    "with_flowers", waiting_declaration="none", limit_hands=[*USUAL_LIMIT_HANDS, "carrying_pole"]
)
ENGINE_SAME = {
    "All Triplets": "no_chows",
    "White Dragon": "dragon_set",
    "Green Dragon": "dragon_set",
    "Red Dragon": "dragon_set",
    "Prevalent Wind": "prevailing_wind_set",
    "Seat Wind": "own_wind_set",
    "All Terminals and Honors": "terminals_and_honours",
    "Half Flush": "one_suit_with_honours",
    "Out on a Replacement": "loose_tile_win",
    "Robbing the Kong": "robbing_open_kong",
}
ENGINE_LIMITS = {
    "Big Four Winds": "big_four_winds",
    "Four Kongs": "four_kongs",
    "All Terminals": "all_terminals",
    "Big Three Dragons": "big_three_dragons",
    "Four Concealed Triplets": "four_concealed_pungs",
    "Blessing of Heaven": "heavenly_hand",
    "Thirteen Orphans": "thirteen_orphans",
    "Scratching a Carrying-Pole": "carrying_pole",
}
ONLY_IN_ENGINE = {
    "Pure Straight": "no doubling here",
    "Three Concealed Triplets": "no doubling here",
    "All Simples": "no doubling here",
    "Outside Hand": "no doubling here",
    "Concealed Hand": "no doubling here",
    "Seat Flower": "a doubling there; here flower and season together",
    "Seat Season": "a doubling there; here flower and season together",
    "All Flowers": "four doublings there, one here",
    "All Honors": "a limit hand there; here three doublings, and an option",
    "Dealer's 13 Consecutive Win": "a limit hand there; here an option from the ninth win on",
}
CONCEALED_POINTS = 10
"""That engine adds them to a hand with nothing called; here such a hand has no points for it."""


def test_deals_of_another_engine():
    missing, compared, limited = set(), 0, 0
    for row in load("riichi_advanced/classical.json")["cases"]:
        deal = ScriptedDeal(row)
        deal.play()
        verdicts = deal.verdicts(RULESET, ENGINE)
        assert set(verdicts) == set(row["expected_winners"])
        for seat, expected in row["expected_winners"].items():
            answer = verdicts[seat]
            assert answer.valid
            named = {name: value for name, (value, _) in expected["yaku"]}
            units = {unit for _, (_, unit) in expected["yaku"]}
            here = {item.id: item.value for item in answer.items if item.unit != "points"}
            there: Counter[str] = Counter()
            for name, value in named.items():
                if name in ENGINE_SAME:
                    there[ENGINE_SAME[name]] += value
                elif name not in ENGINE_LIMITS:
                    missing.add(name)
            if "Limit" in units:
                limits = {ENGINE_LIMITS[name] for name in named if name in ENGINE_LIMITS}
                assert limits == {item.id for item in answer.items if item.unit == "limit"}
                limited += 1
                if "Thirteen Orphans" in named:
                    continue  # no points are counted there
            else:
                for only_here in ("own_bonus_tiles", "all_four_bonus_tiles"):
                    here.pop(only_here, None)
                assert here == there, row["test"]
            seat_state = deal.state.seats[deal.state.claims[0].seat]
            extra = CONCEALED_POINTS if seat_state.is_concealed else 0
            assert answer.totals["points"] + extra == expected["minipoints"], row["test"]
            compared += 1
    assert (compared, limited) == (21, 6)
    assert missing == ONLY_IN_ENGINE.keys()


def test_a_settlement_of_the_english_association():
    """Case T52: the same settlement; the winner has 84, East 80, the others 208 and 416."""
    cases = {row["id"]: row for row in load("tricky_cases.json")["cases"]}
    assert "84/80/208/416 -> +336/-1096/-36/+796" in cases["T52"]["answer"]
    values = {seat: HandValue(value) for seat, value in zip(Seat, (84, 80, 208, 416), strict=True)}
    assert totals(settle(values, Seat.A, Seat.B)) == (336, -1096, -36, 796)
