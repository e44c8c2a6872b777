# ruff: noqa: E501  (a hand with what it scores is one line)
"""The worked examples of the specification that are hands, by number (hong_kong_old.md, 14).

Seats are named by their wind, the dealer being East; payments are those of E, S, W, N. ``fan`` is what
counts toward the minimum and the total; None for a limit hand. ``base`` is the base payment, or
what each seat pays for the limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import Tile, parse_tiles


@dataclass(frozen=True)
class Example:
    """One hand with what it must score."""

    number: str
    hand: str
    melds: str
    winning: str
    bonus: str
    seat: str
    round_wind: str
    source: str | None
    flags: str
    preset: str
    items: str
    fan: tuple[int, int] | None
    base: int | None
    payments: tuple[int, ...] | None  # None: below the minimum
    case: Case = field(init=False)

    def __post_init__(self) -> None:
        case = Case(
            winner=seat(self.seat),
            source=None if self.source is None else seat(self.source),
            hand=parse_tiles(self.hand),
            winning_tile=Tile.parse(self.winning),
            melds=tuple(Meld.of(*one.split()) for one in self.melds.split(", ") if one),
            bonus=parse_tiles(self.bonus),
            round_wind=Wind(self.round_wind),
            flags=frozenset(Flag(flag) for flag in self.flags.split()),
        )
        object.__setattr__(self, "case", case)


def seat(wind: str) -> Seat:
    """The seat of a wind when A deals."""
    return Seat("ESWN".index(wind))


# fmt: off
EXAMPLES = [Example(*row) for row in (
    # [from the source (composition; tiles chosen)] all pungs, bamboo with a pair of East
    # (hand described in the source, concealed or open)
    ("H04", "11z 99s", "pung 222s, pung 555s, pung 777s", "9s", "3f", "S", "E", "W", "", "source",
     "all_pungs=3 half_flush=3", (6, 6), 32, (-64, 160, -64, -32)),
    # [from the source (composition; tiles chosen)] circles only: chows, a pung and eyes in
    # circles (described in the source)
    ("H05", "456p 777p 99p 78p", "chow 123p", "9p", "1g", "N", "E", "S", "", "source",
     "pure_hand=6", (6, 6), 32, (-64, -64, -32, 160)),
    # [derived] dragon pung, own and round wind: exactly three basic fan
    ("H06", "234m 66p 78s", "pung 777z, pung 111z", "9s", "2f", "E", "E", "N", "", "source",
     "dragon_pung=1 round_wind_pung=1 seat_wind_pung=1", (3, 3), 8, (64, -16, -16, -32)),
    # [derived] two basic fan plus bonuses do not reach the minimum
    ("H07", "234m 66p 78s", "pung 777z, pung 111z", "9s", "2f 2g", "S", "E", None, "", "source",
     "dragon_pung=1 own_flower=1 own_season=1 round_wind_pung=1 self_draw=1", (2, 5), None, None),
    # [derived] half flush with chows
    ("H08", "123p 456p 22z 33z", "chow 789p", "3z", "1f", "N", "S", "E", "", "source",
     "half_flush=3", (3, 3), 8, (-32, -8, -8, 48)),
    # [derived] half flush + dragon, self-drawn, no bonus tiles
    ("H09", "123s 456s 666z 99s 78s", "", "9s", "", "W", "E", None, "", "source",
     "dragon_pung=1 half_flush=3 no_bonus_tiles=1 self_draw=1", (4, 6), 32, (-128, -64, 256, -64)),
    # [derived] all pungs with a self-drawn last pung: three concealed
    ("H10", "555p 888s 44z 33p", "pung 222m", "3p", "", "N", "S", None, "", "source",
     "all_pungs=3 no_bonus_tiles=1 self_draw=1 three_concealed_pungs=3", (6, 8), 64, (-256, -128, -128, 512)),
    # [derived] same hand on a discard: only two concealed pungs
    ("H11", "555p 888s 44z 33p", "pung 222m", "3p", "", "N", "S", "W", "", "source",
     "all_pungs=3 no_bonus_tiles=1", (3, 4), 16, (-32, -16, -32, 80)),
    # [derived] seven pairs
    ("H12", "1133m 5577p 2299s 4z", "", "4z", "1f", "W", "E", "S", "", "source",
     "seven_pairs=4", (4, 4), 16, (-32, -32, 80, -16)),
    # [derived] seven pairs in one suit with honours
    ("H13", "1133557799s 55z 6z", "", "6z", "2g", "S", "E", None, "", "source",
     "half_flush=3 own_season=1 self_draw=1 seven_pairs=4", (7, 9), 96, (-384, 768, -192, -192)),
    # [derived] pure hand with all chows
    ("H14", "123456m 456m 78m 55m", "", "9m", "4f", "E", "S", "S", "", "source",
     "all_chows=1 pure_hand=6", (7, 7), 48, (384, -192, -96, -96)),
    # [derived] pure hand, all pungs: 9 fan
    ("H15", "555m 77m 99m", "pung 111m, pung 333m", "9m", "4g", "W", "E", "N", "", "source",
     "all_pungs=3 pure_hand=6", (9, 9), 96, (-192, -96, 480, -192)),
    # [derived] same hand priced on the text scale
    ("H16", "555m 77m 99m", "pung 111m, pung 333m", "9m", "4g", "W", "E", "N", "", "text_scale",
     "all_pungs=3 pure_hand=6", (9, 9), 4, (-8, -4, 20, -8)),
    # [derived] little dragons
    ("H17", "77z 234s 67m", "pung 555z, pung 666z", "8m", "1f", "S", "E", "W", "", "source",
     "dragon_pung=2 little_dragons=12", (14, 14), 128, (-256, 640, -256, -128)),
    # [derived] little winds
    ("H18", "44z 56p", "pung 111z, pung 222z, pung 333z", "7p", "1f", "N", "E", None, "", "source",
     "half_flush=3 little_winds=12 round_wind_pung=1 self_draw=1", (16, 17), 128, (-512, -256, -256, 1024)),
    # [derived] three kongs
    ("H19", "33p 67m", "concealed_kong 2222m, kong 5555p, added_kong 8888s", "8m", "3f", "S", "W", "E", "", "source",
     "all_simples=1 three_kongs=3", (4, 4), 16, (-64, 96, -16, -16)),
    # [derived] robbing an added kong: the robbed player pays as discarder
    ("H20", "345m 678m 234m 55m 46m", "", "5m", "2g", "N", "E", "W", "robbing_kong", "source",
     "all_chows=1 all_simples=1 pure_hand=6 robbing_kong=1", (8, 9), 96, (-192, -96, -192, 480)),
    # [derived] last tile of the wall, self-drawn
    ("H21", "222s 345s 789s 1s", "pung 666z", "1s", "", "E", "E", None, "last_tile", "source",
     "dragon_pung=1 half_flush=3 last_tile=1 no_bonus_tiles=1 self_draw=1", (4, 7), 48, (576, -192, -192, -192)),
    # [derived] all four flowers including the own flower
    ("H22", "333p 456p 789p 1p", "pung 777z", "1p", "1f 2f 3f 4f", "W", "S", "S", "", "source",
     "all_four_flowers=2 dragon_pung=1 half_flush=3 own_flower=1", (4, 7), 48, (-96, -96, 240, -48)),
    # [derived] own flower and own season
    ("H23", "222p 345p 678p 9p", "pung 555z", "9p", "2f 2g", "S", "E", "E", "", "source",
     "dragon_pung=1 half_flush=3 own_flower=1 own_season=1", (4, 6), 32, (-128, 192, -32, -32)),
    # [derived] all simples + all chows + nothing else is below the minimum
    ("H24", "234m 456p 678s 55s 34p", "", "5p", "3f", "W", "E", "N", "", "source",
     "all_chows=1 all_simples=1 own_flower=1", (2, 3), None, None),
    # [derived] thirteen orphans
    ("H25", "19m 19p 19s 1234567z", "", "1m", "1f", "S", "E", "N", "", "source",
     "thirteen_orphans", None, 512, (-512, 1536, -512, -512)),
    # [derived] great dragons (limit)
    ("H26", "777z 234m 9s", "pung 555z, pung 666z", "9s", "2f", "E", "E", None, "", "source",
     "great_dragons", None, 512, (1536, -512, -512, -512)),
    # [derived] pearl dragon (limit)
    ("H27", "666p 88p 33p", "pung 555z, pung 222p", "3p", "3g", "N", "S", "E", "", "source",
     "pearl_dragon", None, 512, (-512, -512, -512, 1536)),
    # [derived] heavenly gates (limit)
    ("H28", "1112345678999s", "", "3s", "4f", "W", "N", None, "", "source",
     "heavenly_gates", None, 512, (-512, -512, 1536, -512)),
    # [derived] earthly hand: first discard of the dealer
    ("H29", "234m 567p 789s 11s 44z", "", "4z", "", "S", "E", "E", "first_turn", "source",
     "earthly_hand", None, 512, (-512, 1536, -512, -512)),
    # [derived] four concealed pungs, text scale limit 64
    ("H30", "222m 555p 888s 44z 33p", "", "3p", "2f", "W", "E", None, "", "text_scale",
     "four_concealed_pungs", None, 64, (-64, -64, 192, -64)),
)]
