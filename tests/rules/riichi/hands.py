"""Hands in the notation of the riichi specification, turned into score cases."""

from __future__ import annotations

import re
from typing import Any

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.riichi.dora import dora_of
from table_controller.rules.riichi.options import PRESETS

FLAGS = {
    "riichi": Flag.READY,
    "double_riichi": Flag.DOUBLE_READY,
    "ippatsu": Flag.ONE_SHOT,
    "haitei": Flag.LAST_TILE,
    "houtei": Flag.LAST_TILE,
    "rinshan": Flag.REPLACEMENT,
    "chankan": Flag.ROBBING_KONG,
    "first_turn": Flag.FIRST_TURN,
}


def hand_of(text: str, source: Seat = Seat.D) -> tuple[tuple[Tile, ...], tuple[Meld, ...], Tile]:
    """``(777z) 067p [1111s] 45m + 3m`` as concealed tiles, melds and the winning tile."""
    held, _, winning = text.partition("+ ")
    melds = []
    for meld in re.findall(r"[\[(][^\])]*[\])]", held):
        inner = meld[1:-1]
        if meld[0] == "[":
            melds.append(Meld.of(MeldKind.CONCEALED_KONG, inner))
        elif "+" in inner:
            three, added = inner.split("+")
            suit = added[-1]
            text_of = three.rstrip(suit) + added
            melds.append(Meld.of(MeldKind.ADDED_KONG, text_of, source))
        else:
            tiles = parse_tiles(inner)
            faces = {tile.face for tile in tiles}
            kind = MeldKind.CHOW if len(faces) > 1 else MeldKind.PUNG
            if len(tiles) == 4:
                kind = MeldKind.KONG
            melds.append(Meld.of(kind, inner, source))
        held = held.replace(meld, "")
    return parse_tiles(held), tuple(melds), Tile.parse(winning.strip())


def case_of(
    text: str,
    *,
    seat: int = 1,
    source: int | None = None,
    round_wind: str = "E",
    circumstances: tuple[str, ...] = (),
    dora: str = "",
    ura: str = "",
    called_from: Seat | None = None,
    **more: Any,
) -> Case:
    """A case with East at seat A; ``dora`` and ``ura`` are indicators."""
    lender = called_from if called_from is not None else Seat((seat + 1) % 4)
    hand, melds, winning = hand_of(text, lender)
    options = PRESETS["novosibirsk"]
    return Case(
        winner=Seat(seat),
        source=None if source is None else Seat(source),
        hand=hand,
        winning_tile=winning,
        melds=melds,
        dealer=Seat.A,
        round_wind=Wind(round_wind),
        flags=frozenset(FLAGS[one] for one in circumstances),
        dora=tuple(dora_of(tile, options) for tile in parse_tiles(dora)),
        ura=tuple(dora_of(tile, options) for tile in parse_tiles(ura)),
        **more,
    )
