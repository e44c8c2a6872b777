"""Scripted deals of riichi_advanced, played through the fold and judged by the referee."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from table_controller.records.builder import DealBuilder
from table_controller.records.game import RecordedWin
from table_controller.rules.core.case import Answer
from table_controller.rules.core.events import MeldCalled, WinJudged
from table_controller.rules.core.game import claim_actions, conclude
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import Awaiting, fold
from table_controller.rules.core.tiles import Tile
from table_controller.rules.riichi import RIICHI_3P, RIICHI_4P
from table_controller.rules.riichi.conduct import CONDUCT
from table_controller.rules.riichi.furiten import waits
from table_controller.rules.riichi.options import (
    PRESETS,
    Kazoe,
    Kuikae,
    PaoCounters,
    PaoScope,
    PaoYakuman,
    RiichiOptions,
)
from table_controller.rules.riichi.play import PLAY, SANMA_PLAY
from table_controller.rules.riichi.sanma_options import SANMA_PRESETS, NorthRule
from tests.rules.breaches import breaches_of
from tests.shared_data import shared_data

NAMES = {
    "Nukidora": "north",
    "Flower": "north",  # Kansai sets flowers aside
    "North Wind": "yakuhai_north",
    "Dora": "dora",
    "Aka": "red_five",
    "Ura": "ura_dora",
    "Riichi": "riichi",
    "Double Riichi": "double_riichi",
    "Ippatsu": "ippatsu",
    "Tsumo": "menzen_tsumo",
    "Tanyao": "tanyao",
    "Pinfu": "pinfu",
    "Chankan": "chankan",
    "Rinshan": "rinshan",
    "Round Wind": "yakuhai_round_wind",
    "Seat Wind": "yakuhai_seat_wind",
    "Haku": "yakuhai_white",
    "Hatsu": "yakuhai_green",
    "Chun": "yakuhai_red",
    "Chanta": "chanta",
    "Junchan": "junchan",
    "Ittsuu": "ittsuu",
    "Sanshoku": "sanshoku_doujun",
    "Toitoi": "toitoi",
    "Sanankou": "sanankou",
    "Sankantsu": "sankantsu",
    "Honroutou": "honroutou",
    "Shousangen": "shousangen",
    "Honitsu": "honitsu",
    "Chinitsu": "chinitsu",
    "Ryanpeikou": "ryanpeikou",
    "Chiitoitsu": "chiitoitsu",
    "Kokushi Musou": "kokushi",
    "Kokushi Musou Juusan Menmachi": "kokushi_13",
    "Suuankou": "suuankou",
    "Suuankou Tanki": "suuankou_tanki",
    "Suukantsu": "suukantsu",
    "Daisuushii": "daisuushii",
    "Shousuushii": "shousuushii",
    "Tsuuiisou": "tsuuiisou",
    "Chinroutou": "chinroutou",
    "Ryuuiisou": "ryuuiisou",
    "Chuurenpoutou": "chuuren",
    "Junsei Chuurenpoutou": "junsei_chuuren",
    "Tenhou": "tenhou",
    "Chiihou": "chiihou",
}
CALLS = {"pon": MeldKind.PUNG, "daiminkan": MeldKind.KONG, "chii": MeldKind.CHOW}


class Script:
    """Plays one scripted deal."""

    def __init__(self, case: dict[str, Any], options: RiichiOptions) -> None:
        start = case["start"]
        players = len(options.uma)
        self.options = options
        self.draws = [Tile.parse(one) for one in start["starting_draws"]]
        self.dead = [Tile.parse(one) for one in start.get("starting_dead_wall", ())]
        number = start.get("starting_round", 0)
        self.deal = DealBuilder(
            number=number,
            dealer=number % 4,
            round_wind=number // 4,
            points=[options.start_points] * players,
            counters=start.get("starting_honba", 0),
            sticks=0,
            place=case["test"],
        )
        self.ura: tuple[Tile, ...] = ()
        winds = ["east", "south", "west", "north"][:players]
        self.deal.deal([[Tile.parse(t) for t in start["starting_hand"][wind]] for wind in winds])
        mods = mods_of(case)
        if "dora" in mods:  # the dead wall ends with the first indicator and the one under it
            self.deal.indicator(self.dead.pop(-2))
        if "ura" in mods:
            self.ura = (self.dead.pop(),)
        for event in case["events"]:
            if event["type"] == "discard":
                self.draw()
                self.deal.discard(
                    event["player"], Tile.parse(event["tile"]), as_drawn=event["tsumogiri"]
                )
                continue
            for seat, pressed in enumerate(event["buttons"]):
                if pressed:
                    self.press(Seat(seat), pressed)

    def draw(self) -> None:
        """Whoever is on turn draws, when nobody holds a fourteenth tile."""
        state = self.deal.state
        if state.awaiting in (Awaiting.DRAW, Awaiting.CLAIMS):
            self.deal.settle_riichi()
            replaces = state.replacement or state.after_kong or self.deal.north_pending
            tiles = self.dead if replaces else self.draws
            self.deal.draw(state.turn, tiles.pop(0) if tiles else Tile.parse("9s"))

    def press(self, seat: Seat, pressed: dict[str, Any]) -> None:
        button, deal = pressed["button"], self.deal
        if button in CALLS:
            deal.settle_riichi()
            offer = deal.state.offer
            assert offer is not None
            deal.call(seat, CALLS[button], self.own(seat, pressed, offer.tile), offer.tile)
            return
        if button in ("ron", "chankan"):
            self.win(seat, deal.state.offers[-1].seat)
            return
        self.draw()
        hand = [tile for tile in deal.state.seats[seat].hand if tile is not None]
        if button == "riichi":
            deal.riichi(seat)
        elif button == "flower":
            deal.set_aside(seat, Tile.parse("4z"))
        elif button == "ankan":
            tile = next(t for t in hand if hand.count(t) == 4)
            deal.concealed_kong(seat, [tile] * 4)
        elif button == "kakan":
            pungs = [m.tile for m in deal.state.seats[seat].melds if m.kind is MeldKind.PUNG]
            deal.added_kong(seat, next(t for t in hand if t in pungs))
        elif button == "tsumo":
            self.win(seat, None)

    def own(self, seat: Seat, pressed: dict[str, Any], called: Tile) -> list[Tile]:
        if pressed["button"] != "chii":
            return [called] * (2 if pressed["button"] == "pon" else 3)
        if "call_choice" in pressed:
            return [Tile.parse(one) for one in pressed["call_choice"]]
        hand = self.deal.state.seats[seat].hand
        for low, high in ((-2, -1), (-1, 1), (1, 2)):
            ranks = (called.rank + low, called.rank + high)
            if min(ranks) >= 1 and max(ranks) <= 9:
                found = [Tile(called.suit, rank) for rank in ranks]
                if all(tile in hand for tile in found):
                    return found
        raise AssertionError("no chow to call")

    def win(self, seat: Seat, source: Seat | None) -> None:
        hand = [tile for tile in self.deal.state.seats[seat].hand if tile is not None]
        if source is None:
            tile = self.deal.state.seats[seat].drawn
            assert tile is not None
            hand.remove(tile)
        else:
            tile = self.deal.state.offers[-1].tile
        win = RecordedWin(winner=seat, source=source, winning_tile=tile, hand=tuple(hand))
        self.deal.win(replace(win, ura=self.ura))

    def answers(self) -> dict[Seat, Answer]:
        """The verdict on every claim."""
        events = self.deal.close().events
        players = len(self.options.uma)
        state = fold(events, players)
        assert state is not None
        play = SANMA_PLAY if players == 3 else PLAY
        found = conclude(state, events, play, self.options)
        return {e.seat: e.answer for e in found if isinstance(e, WinJudged)}


def mods_of(case: dict[str, Any]) -> set[str]:
    """The names of the rules that the script changes."""
    return {mod if isinstance(mod, str) else mod["name"] for mod in case["mods"]}


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        shared_data(f"oracles/riichi_advanced/{name}.json").read_text()
    )["cases"]
    return found


# There a heavenly hand may choose which tile won; here the dealer's last tile is the drawn one.
UPGRADES = "upgrades into"
# There a win without a yaku may be declared; it is listed with no yaku.
RULES = PRESETS["majsoul"]


@pytest.mark.parametrize(
    ("name", "options", "number"),
    [("riichi", RULES, 38), ("sanma", SANMA_PRESETS["majsoul"], 5)],
)
def test_scripted_wins_count_the_listed_yaku_and_fu(name, options, number):
    tried, wrong = 0, []
    for case in cases(name):
        answers = Script(case, options).answers()
        if UPGRADES in case["test"]:
            continue
        for wind, expected in case["expected_winners"].items():
            answer = answers[Seat(["east", "south", "west", "north"].index(wind))]
            listed = {NAMES[yaku]: worth for yaku, (worth, _) in expected["yaku"]}
            if not listed:
                assert [one.code for one in answer.violations] == ["no_yaku"], case["test"]
                tried += 1
                continue
            counted = {i.id: i.value for i in answer.items if i.unit in ("han", "yakuman")}
            same = answer.valid and counted == listed
            if "minipoints" in expected and "fu" in answer.totals:
                same = same and answer.totals["fu"] == expected["minipoints"]
            if not same:
                wrong.append((case["test"], listed, expected.get("minipoints"), counted, answer))
            tried += 1
    assert wrong == []
    assert tried >= number


def test_scripted_liability_is_paid_as_listed():
    wrong = []
    for case in cases("riichi_pao"):
        mods = mods_of(case)
        if "blue_dragon" in mods:
            continue  # a tile that no set of ours has
        pao: tuple[PaoYakuman, ...] = ()
        if "pao" in mods:
            pao += (PaoYakuman.DAISANGEN, PaoYakuman.DAISUUSHII)
        if "pao_suukantsu" in mods:
            pao += (PaoYakuman.SUUKANTSU,)
        options = replace(
            RULES,
            pao_yakuman=pao,
            pao_scope=PaoScope.LIABLE_YAKUMAN_ONLY,
            pao_honba_payer=PaoCounters.LIABLE,
            double_yakuman_patterns=("daisuushii",),  # type: ignore[arg-type]
        )
        (answer,) = Script(case, options).answers().values()
        if answer.deltas != tuple(case["expected_state"]["delta_scores"]):
            wrong.append((case["test"], answer.deltas, case["expected_state"]))
    assert wrong == []


# What these scripts are written for, and riichi does not have.
NOT_OURS = {
    "its_all_aka": "every tile is a red one",
    "lib/galaxy": "tiles that stand for several others",
}
JOKER_STANDS_FOR = "5m"  # in every script with a joker; dora and red fives count the same


def rules_of(case: dict[str, Any]) -> RiichiOptions:
    """Our options for the rules that a script names."""
    mods = mods_of(case)
    return replace(
        RULES,
        ippatsu="yaku/ippatsu" in mods,
        kuikae=Kuikae.FORBIDDEN if "lib/kuikae_nashi" in mods else Kuikae.ALLOWED,
        kuikae_pon=Kuikae.FORBIDDEN if "lib/kuikae_nashi" in mods else Kuikae.ALLOWED,
        kazoe=Kazoe.SANBAIMAN if "no_kazoe_yakuman" in mods else Kazoe.YAKUMAN,
    )


def with_tiles(case: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """The script with other names for some tiles."""
    text = json.dumps(case)
    for theirs, ours in names.items():
        text = text.replace(f'"{theirs}"', f'"{ours}"')
    renamed: dict[str, Any] = json.loads(text)
    return renamed


def counted(answer: Answer) -> dict[str, int]:
    assert answer.valid, answer.violations
    return {item.id: item.value for item in answer.items if item.unit in ("han", "yakuman")}


def listed(expected: dict[str, Any], but: tuple[str, ...] = ()) -> dict[str, int]:
    return {NAMES[yaku]: worth for yaku, (worth, _) in expected["yaku"] if yaku not in but}


def test_scripted_dora_are_counted():
    tried = 0
    for case in cases("riichi_dora"):
        if mods_of(case) & set(NOT_OURS):
            continue
        script = with_tiles(case, {"0j": JOKER_STANDS_FOR})
        (answer,) = Script(script, rules_of(case)).answers().values()
        expected = case["expected_winners"]["east"]
        assert counted(answer) == listed(expected), case["test"]
        assert answer.totals["fu"] == expected["minipoints"]
        tried += 1
    assert tried == len(cases("riichi_dora")) - 2 == 5


# Local yaku, which no preset of ours plays, and what is counted in their place.
INSTEAD: dict[str, tuple[str, dict[str, int]]] = {
    "riichi - ketsupaihou": ("Ketsupaihou", {}),
    "riichi - chinchii toushii": ("Chinchii Toushii", {"chankan": 1}),
    "riichi - rentsuu honitsu": ("Rentsuu Honitsu", {"honitsu": 3, "yakuhai_red": 1}),
    "riichi - dorahairi chinroutou chiitoitsu": (
        "Dorahairi Chinroutou Chiitoitsu",
        {"chiitoitsu": 2, "dora": 2},
    ),
}


def test_hands_of_local_yaku_count_what_everybody_plays():
    assert set(INSTEAD) == {case["test"] for case in cases("riichi_local")}
    for case in cases("riichi_local"):
        local, more = INSTEAD[case["test"]]
        (answer,) = Script(case, rules_of(case)).answers().values()
        expected = case["expected_winners"]["east"]
        assert counted(answer) == listed(expected, but=(local,)) | more, case["test"]
        assert answer.totals["fu"] == expected["minipoints"]


def mechanics(name: str) -> dict[str, Any]:
    return next(case for case in cases("riichi_mechanics") if case["test"] == name)


def test_every_script_of_mechanics_is_tried_here():
    tried = {
        "riichi - kuikae ari",
        "riichi - kuikae nashi",
        "riichi - kuikae nashi 2",
        "riichi - can't kuikae softlock",
        "chinitsu - fifth tile tenpai",
        "chinitsu - no fifth tile tenpai",
        "riichi - kazoe",
        "riichi - no kazoe",
    }
    yakuman_only = "riichi - kazoe with yakuman only"  # a table where nothing less may win
    assert {case["test"] for case in cases("riichi_mechanics")} == tried | {yakuman_only}


def test_a_swapped_tile_is_won_on_where_swap_calls_are_allowed():
    case = mechanics("riichi - kuikae ari")
    script = Script(case, rules_of(case))
    (answer,) = script.answers().values()
    assert counted(answer) == listed(case["expected_winners"]["south"])
    assert breaches_of(CONDUCT, script.deal.events, 4, script.options) == []


@pytest.mark.parametrize(
    ("name", "may_call"),
    [
        ("riichi - kuikae nashi", True),  # the other end of the chow
        ("riichi - kuikae nashi 2", True),  # the tile that was called
        ("riichi - can't kuikae softlock", False),  # nothing else would be left
    ],
)
def test_swap_calls_are_refused_where_they_are_forbidden(name, may_call):
    case = mechanics(name)
    script = Script(case, rules_of(case))
    found = breaches_of(CONDUCT, script.deal.events, 4, script.options)
    assert [one.code for one in found] == ["kuikae"]
    last_call = max(i for i, e in enumerate(script.deal.events) if isinstance(e, MeldCalled))
    before = fold(script.deal.events[:last_call], 4)
    assert before is not None
    offered = claim_actions(before, Seat.A, PLAY, script.options)
    chows = [one for (one,) in offered if isinstance(one, MeldCalled)]
    assert any(one.meld.kind is MeldKind.CHOW for one in chows) is may_call


@pytest.mark.parametrize(
    ("name", "own_four_excluded"),
    [("chinitsu - fifth tile tenpai", False), ("chinitsu - no fifth tile tenpai", True)],
)
def test_a_hand_that_holds_all_four_of_its_wait(name, own_four_excluded):
    case = mechanics(name)
    hands = case["start"]["starting_hand"]
    waiting = {
        seat: bool(
            waits(
                tuple(sorted(Tile.parse(tile) for tile in hand)),
                (),
                own_four_excluded=own_four_excluded,
            )
        )
        for seat, hand in hands.items()
    }
    pays = case["expected_state"]["delta_scores"] != [0, 0]
    assert waiting == {"east": pays, "west": False}


@pytest.mark.parametrize("name", ["riichi - kazoe", "riichi - no kazoe"])
def test_thirteen_han_are_paid_by_the_option(name):
    case = mechanics(name)
    (answer,) = Script(case, rules_of(case)).answers().values()
    expected = case["expected_winners"]["east"]
    assert counted(answer) == listed(expected)
    assert answer.deltas[Seat.A] == expected["score"] + 1000  # and the own stick


KANSAI_NAMES = {"25p": "5p", "1f": "4z"}  # no blue fives; flowers are set aside like norths


@pytest.mark.parametrize(
    ("name", "north_rule"),
    [
        ("kansai - ao doesn't break half flush", NorthRule.COMMON_YAKUHAI),
        ("kansai - ippatsu still works", NorthRule.COMMON_YAKUHAI),
        ("kansai - north wind is not a seat wind", NorthRule.COMMON_YAKUHAI),
        ("kansai - seat wind still works", NorthRule.NUKIDORA),
    ],
)
def test_kansai_scripts_with_three_players(name, north_rule):
    case = next(case for case in cases("kansai_sanma") if case["test"] == name)
    options = replace(SANMA_PRESETS["majsoul"], north_rule=north_rule)
    (answer,) = Script(with_tiles(case, KANSAI_NAMES), options).answers().values()
    expected = case["expected_winners"]["east"]
    assert counted(answer) == listed(expected, but=("Ao",))
    assert answer.totals["fu"] == expected["minipoints"]


def test_kansai_what_is_set_aside_is_no_yaku():
    case = next(one for one in cases("kansai_sanma") if "not a yaku" in one["test"])
    options = SANMA_PRESETS["majsoul"]
    state = Script(with_tiles(case, KANSAI_NAMES), options).deal.state
    assert state.seats[Seat.A].bonus == (Tile.parse("4z"),)
    assert not SANMA_PLAY.can_win(state, Seat.A, state.offer, options)


def test_the_scripts_name_rulesets_we_have():
    assert {one["ruleset"] for one in cases("riichi")} == {"riichi"}
    assert (RIICHI_4P.players, RIICHI_3P.players) == (4, 3)
