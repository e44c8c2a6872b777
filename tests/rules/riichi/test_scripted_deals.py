"""Scripted deals of riichi_advanced, played through the fold and judged by the referee."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from table_controller.records.builder import DealBuilder
from table_controller.records.game import RecordedWin
from table_controller.rules.core.case import Answer
from table_controller.rules.core.events import WinJudged
from table_controller.rules.core.game import conclude
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import Awaiting, fold
from table_controller.rules.core.tiles import Tile
from table_controller.rules.riichi import RIICHI_3P, RIICHI_4P
from table_controller.rules.riichi.options import (
    PRESETS,
    PaoCounters,
    PaoScope,
    PaoYakuman,
    RiichiOptions,
)
from table_controller.rules.riichi.play import PLAY, SANMA_PLAY
from table_controller.rules.riichi.sanma_options import SANMA_PRESETS
from tests.shared_data import shared_data

NAMES = {
    "Nukidora": "north",
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
        winds = ["east", "south", "west", "north"][:players]
        self.deal.deal([[Tile.parse(t) for t in start["starting_hand"][wind]] for wind in winds])
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
        self.deal.win(RecordedWin(winner=seat, source=source, winning_tile=tile, hand=tuple(hand)))

    def answers(self) -> dict[Seat, Answer]:
        """The verdict on every claim."""
        events = self.deal.close().events
        players = len(self.options.uma)
        state = fold(events, players)
        assert state is not None
        play = SANMA_PLAY if players == 3 else PLAY
        found = conclude(state, events, play, self.options)
        return {e.seat: e.answer for e in found if isinstance(e, WinJudged)}


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
        mods = [mod if isinstance(mod, str) else mod["name"] for mod in case["mods"]]
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


def test_the_scripts_name_rulesets_we_have():
    assert {one["ruleset"] for one in cases("riichi")} == {"riichi"}
    assert (RIICHI_4P.players, RIICHI_3P.players) == (4, 3)
