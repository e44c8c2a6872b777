"""The same hands for PyPI `mahjong`, for `riichienv` and for us, ready to be scored."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig, OptionalRules
from mahjong.meld import Meld as PyPIMeld
from riichienv import Conditions, HandEvaluator, Meld, MeldType, Wind

from table_controller.rules.core.case import Case


@dataclass(frozen=True, slots=True)
class Hand:
    """One win, as each program wants it."""

    ours: Case
    pypi: Callable[[], Any]
    env: Callable[[], Any]


_ENV_KINDS = {
    "chi": MeldType.Chi,
    "pon": MeldType.Pon,
    "kan": MeldType.Daiminkan,
    "daiminkan": MeldType.Daiminkan,
    "ankan": MeldType.Ankan,
    "kakan": MeldType.Kakan,
}
_WINDS = (Wind.East, Wind.South, Wind.West, Wind.North)


def load_hands(path: Path, case_of: Callable[[dict[str, Any]], Case]) -> list[Hand]:
    """The hands of ``agari_4p.json``."""
    rows = json.loads(path.read_text())["cases"]
    return [Hand(case_of(row), _pypi(row), _env(row)) for row in rows]


def _pypi(row: dict[str, Any]) -> Callable[[], Any]:
    said = row["conditions"]
    melds, tiles = [], [*row["tiles_136"], row["win_tile_136"]]
    for meld in row["melds"]:
        kind = {"chi": PyPIMeld.CHI, "pon": PyPIMeld.PON}.get(meld["meld_type"], PyPIMeld.KAN)
        melds.append(PyPIMeld(kind, sorted(meld["tiles"]), opened=meld["meld_type"] != "ankan"))
        tiles += meld["tiles"]
    config = HandConfig(
        is_tsumo=said["tsumo"],
        is_riichi=said["riichi"] and not said["double_riichi"],
        is_daburu_riichi=said["double_riichi"],
        is_ippatsu=said["ippatsu"],
        is_haitei=said["haitei"],
        is_houtei=said["houtei"],
        is_rinshan=said["rinshan"],
        is_chankan=said["chankan"],
        player_wind=27 + said["player_wind"],
        round_wind=27 + said["round_wind"],
        tsumi_number=said["honba"],
        options=OptionalRules(has_aka_dora=True, has_open_tanyao=True),
    )
    calculator = HandCalculator()
    dora, ura = row["dora_indicators"], row["ura_indicators"]
    winning = row["win_tile_136"]
    return lambda: calculator.estimate_hand_value(
        tiles, winning, melds, dora, config, ura_dora_indicators=ura
    )


def _env(row: dict[str, Any]) -> Callable[[], Any]:
    said = row["conditions"]
    melds = [
        Meld(_ENV_KINDS[meld["meld_type"]], meld["tiles"], meld["meld_type"] != "ankan", 0)
        for meld in row["melds"]
    ]
    conditions = Conditions(
        tsumo=said["tsumo"],
        riichi=said["riichi"],
        double_riichi=said["double_riichi"],
        ippatsu=said["ippatsu"],
        haitei=said["haitei"],
        houtei=said["houtei"],
        rinshan=said["rinshan"],
        chankan=said["chankan"],
        player_wind=_WINDS[said["player_wind"]],
        round_wind=_WINDS[said["round_wind"]],
        honba=said["honba"],
    )
    tiles, winning = row["tiles_136"], row["win_tile_136"]
    dora, ura = row["dora_indicators"], row["ura_indicators"]
    return lambda: HandEvaluator(tiles, melds).calc(winning, dora, conditions, ura)
