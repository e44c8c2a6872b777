# ruff: noqa: E501  (a table's four hands with what they score are a few lines)
"""The worked examples of the specification that are hands, by number (chinese_classical.md, 14).

Seats are named by their wind, the dealer being East; payments are those of E, S, W, N. A loser is
``seat hand | melds | dead | value``; without a hand only the value is given. ``items`` are the
winner's points and doublings, ``limits`` the limit hands it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import Tile, parse_tiles


@dataclass(frozen=True)
class Example:
    """A table's four hands with what they must score and pay."""

    number: str
    hand: str
    melds: str
    winning: str
    seat: str
    round_wind: str
    source: str | None
    flags: str
    declared: str
    losers: str
    items: str
    limits: str
    payments: tuple[int, ...]
    case: Case = field(init=False)
    values: dict[Seat, int] = field(init=False)  # of the losers

    def __post_init__(self) -> None:
        others, values, dead = {}, {}, {}
        for text in self.losers.split("; "):
            if not text:
                continue
            first, melds, kind, value = (part.strip() for part in text.split("|"))
            loser = seat(first[0])
            values[loser] = int(value)
            if first[1:].strip():
                others[loser] = ShownHand(hand=parse_tiles(first[1:]), melds=laid(melds))
            if kind:
                dead[loser] = kind
        extra: dict[str, object] = {}
        if dead:
            extra["dead_hands"] = dead
        if self.declared:
            extra["waiting_declared"] = [seat(one) for one in (*self.declared, self.seat)]
        case = Case(
            winner=seat(self.seat),
            source=None if self.source is None else seat(self.source),
            hand=parse_tiles(self.hand),
            winning_tile=Tile.parse(self.winning),
            melds=laid(self.melds),
            round_wind=Wind(self.round_wind),
            flags=frozenset(Flag(flag) for flag in self.flags.split()),
            others=others,
            extra=extra,
        )
        object.__setattr__(self, "case", case)
        object.__setattr__(self, "values", values)


def laid(text: str) -> tuple[Meld, ...]:
    """The melds of a list such as ``pung 222s, chow 123m``."""
    return tuple(Meld.of(*one.split()) for one in text.split(", ") if one)


def seat(wind: str) -> Seat:
    """The seat of a wind when A deals."""
    return Seat("ESWN".index(wind))


# fmt: off
EXAMPLES = [Example(*row) for row in (
    # [from the source (values; tiles chosen to match the caption)] fig. 9, open column
    ("C01", "33s 45p", "pung 111p, pung 555m, pung 777z", "6p", "S", "E", "W", "", "",
     "E  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "dragon_set=1 mah_jong=20 pung_dragons_open=4 pung_simples_open=2 pung_terminals_open=4", "", (-120, 240, -60, -60)),
    # [from the source (values; tiles chosen to match the caption)] fig. 9, concealed column
    ("C02", "111p 555m 777z 33s 45p", "", "6p", "S", "E", "W", "", "",
     "E  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "dragon_set=1 mah_jong=20 pung_dragons_concealed=8 pung_simples_concealed=4 pung_terminals_concealed=8", "", (-160, 320, -80, -80)),
    # [from the source (values; tiles chosen to match the caption)] fig. 10, open column
    ("C03", "123m 456s 33m 78p", "pung 555p", "9p", "S", "E", "W", "", "",
     "E  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "mah_jong=20 pung_simples_open=2", "", (-44, 88, -22, -22)),
    # [from the source (values; tiles chosen to match the caption)] fig. 10, concealed column
    ("C04", "555p 123m 456s 33m 78p", "", "9p", "S", "E", "W", "", "",
     "E  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "mah_jong=20 pung_simples_concealed=4", "", (-48, 96, -24, -24)),
    # [from the source (values; tiles chosen to match the caption)] fig. 11, open column
    ("C05", "123p 99p 67p", "pung 444p, pung 777z", "8p", "S", "E", "W", "", "",
     "E  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "dragon_set=1 mah_jong=20 one_suit_with_honours=1 pung_dragons_open=4 pung_simples_open=2", "", (-208, 416, -104, -104)),
    # [from the source (values; tiles chosen to match the caption)] fig. 11, concealed column
    ("C06", "444p 777z 123p 99p 67p", "", "8p", "S", "E", "W", "", "",
     "E  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "dragon_set=1 mah_jong=20 one_suit_with_honours=1 pung_dragons_concealed=8 pung_simples_concealed=4", "", (-256, 512, -128, -128)),
    # [from the source (values; tiles chosen to match the caption)] fig. 12, open column
    ("C07", "234p 99p 34p", "pung 111p, pung 666p", "5p", "S", "E", "W", "", "",
     "E  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "mah_jong=20 one_suit_only=3 pung_simples_open=2 pung_terminals_open=4", "", (-416, 832, -208, -208)),
    # [from the source (values; tiles chosen to match the caption)] fig. 12, concealed column
    ("C08", "111p 666p 234p 99p 34p", "", "5p", "S", "E", "W", "", "",
     "E  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "mah_jong=20 one_suit_only=3 pung_simples_concealed=4 pung_terminals_concealed=8", "", (-512, 1024, -256, -256)),
    # [derived] no-points hand (misere) on a discard
    ("C09", "123m 456s 345p 88s 67m", "", "8m", "S", "E", "N", "", "",
     "E 2458m 137p 556s | pung 111z |  | 16; W 22z 136m 2489p 7z | pung 999s |  | 4; N 55z 1379m 2468p 139s |  |  | 2",
     "mah_jong=20 no_points=1", "", (-28, 160, -62, -70)),
    # [derived] same hand self-drawn: the strict misere is lost
    ("C10", "123m 456s 345p 88s 67m", "", "8m", "S", "E", None, "", "",
     "E  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "last_tile_from_wall=2 mah_jong=20", "", (-44, 88, -22, -22)),
    # [derived] closed wait, only possible tile
    ("C11", "234m 678p 55p 46s", "pung 222s", "5s", "W", "E", "S", "", "",
     "E  |  |  | 0; S  |  |  | 0; N  |  |  | 0",
     "mah_jong=20 only_possible_tile=2 pung_simples_open=2", "", (-48, -24, 96, -24)),
    # [derived] pair completed from a two-tile wait is not "only possible"
    ("C12", "234m 678p 2345m", "pung 222s", "5m", "W", "E", "S", "", "",
     "E  |  |  | 0; S  |  |  | 0; N  |  |  | 0",
     "mah_jong=20 pung_simples_open=2", "", (-44, -22, 88, -22)),
    # [derived] self-drawn tile completes a concealed pung
    ("C13", "77p 33s 345m 678m 999s", "", "7p", "N", "E", None, "", "",
     "E  |  |  | 0; S  |  |  | 0; W  |  |  | 0",
     "last_tile_from_wall=2 mah_jong=20 pung_simples_concealed=4 pung_terminals_concealed=8", "", (-68, -34, -34, 136)),
    # [derived] same hand on a discard: the completed pung is open
    ("C14", "77p 33s 345m 678m 999s", "", "7p", "N", "E", "E", "", "",
     "E  |  |  | 0; S  |  |  | 0; W  |  |  | 0",
     "mah_jong=20 pung_simples_open=2 pung_terminals_concealed=8", "", (-60, -30, -30, 120)),
    # [derived] East wins in the East round with a pung of East (own and prevailing)
    ("C15", "234p 567s 99m 34s", "pung 111z", "5s", "E", "E", "S", "", "",
     "S 2467m 13p 599s 4z | pung 555z |  | 8; W 22p 33z 148m 2579s 68p |  |  | 2; N 4z 135m 2469p 77z | kong 8888s |  | 10",
     "mah_jong=20 own_wind_set=1 prevailing_wind_set=1 pung_winds_open=4", "", (576, -188, -206, -182)),
    # [derived] pair of the wind that is both own and prevailing
    ("C16", "234m 567m 345s 11z 67p", "", "8p", "E", "E", "W", "", "",
     "S  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "mah_jong=20 pair_own_wind=2 pair_prevailing_wind=2", "", (144, -48, -48, -48)),
    # [derived] little three dragons
    ("C17", "77z 234s 67m", "pung 555z, pung 666z", "8m", "S", "E", "W", "", "",
     "E 11z 1359p 458s 9m | pung 222m |  | 6; W 1469m 258p 199s | pung 333z |  | 8; N 99m 22z 1358p 2468s 3m |  |  | 0",
     "dragon_set=2 little_three_dragons=1 mah_jong=20 pair_dragons=2 pung_dragons_open=8", "", (-472, 960, -228, -260)),
    # [derived] little four winds, South seat in the East round
    ("C18", "44z 56p", "pung 111z, pung 222z, pung 333z", "7p", "S", "E", "N", "", "",
     "E  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "little_four_winds=1 mah_jong=20 one_suit_with_honours=1 own_wind_set=1 prevailing_wind_set=1 pung_winds_open=12", "", (-1024, 2048, -512, -512)),
    # [derived] half flush without chows
    ("C19", "99s 44s", "pung 222s, pung 777s, pung 666z", "4s", "W", "S", "E", "", "",
     "E 22z 135m 468p 13s | pung 999p |  | 6; S 22z 3566p 248s 5z | kong 8888m |  | 12; N 123456m 778p 569s 1z |  |  | 0",
     "dragon_set=1 mah_jong=20 no_chows=1 one_suit_with_honours=1 pung_dragons_open=4 pung_simples_open=6", "", (-480, -216, 960, -264)),
    # [derived] only terminals and honours
    ("C20", "44z 99p 333z", "pung 999m, pung 111s", "9p", "N", "E", "S", "", "",
     "E  |  |  | 0; S  |  |  | 0; W  |  |  | 0",
     "mah_jong=20 no_chows=1 pair_own_wind=2 pung_terminals_open=12 pung_winds_concealed=8 terminals_and_honours=1", "", (-336, -168, -168, 672)),
    # [derived] all honours: three doublings, no limit
    ("C21", "44z 66z", "pung 111z, pung 333z, pung 555z", "6z", "W", "E", "N", "", "",
     "E  |  |  | 0; S  |  |  | 0; N  |  |  | 0",
     "all_honours=3 dragon_set=2 mah_jong=20 no_chows=1 own_wind_set=1 prevailing_wind_set=1 pung_dragons_open=8 pung_winds_open=8", "", (-4000, -2000, 8000, -2000)),
    # [derived] win on a loose tile after a concealed kong
    ("C22", "234p 567p 33s 45s", "concealed_kong 8888m", "6s", "S", "E", None, "replacement", "",
     "E 11z 146m 2589s 3p | pung 777p |  | 6; W 159m 2468p 147s | pung 444z |  | 4; N 33z 1468p 2479s | pung 555m |  | 2",
     "kong_simples_concealed=16 last_tile_from_wall=2 loose_tile_win=1 mah_jong=20", "", (-140, 304, -78, -86)),
    # [derived] last permissible tile
    ("C23", "123s 789s 55m 67s", "pung 444p", "5s", "N", "S", None, "last_tile", "",
     "E  |  |  | 0; S  |  |  | 0; W  |  |  | 0",
     "last_permissible_tile=1 last_tile_from_wall=2 mah_jong=20 pung_simples_open=2", "", (-96, -48, -48, 192)),
    # [derived] robbing an added kong
    ("C24", "345m 123p 678s 22m 46p", "", "5p", "E", "S", "W", "robbing_kong", "",
     "S 11z 2479m 1368p 257s |  |  | 0; W 13m 2469s 1379p | pung 555p |  | 2; N 55z 1468m 2479p | pung 999s |  | 6",
     "mah_jong=20 only_possible_tile=2 robbing_open_kong=1", "", (264, -96, -90, -78)),
    # [derived] original call by South
    ("C25", "234m 456p 678s 55s 34p", "", "5p", "S", "E", "E", "double_ready", "",
     "E  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "mah_jong=20 no_points=1 original_call=1", "", (-160, 320, -80, -80)),
    # [derived] House full with East winning
    ("C26", "11p 22p", "kong 7777z, concealed_kong 1111z, pung 999p", "2p", "E", "E", "S", "", "",
     "S 246m 1578p 248s | pung 333z |  | 4; W 55z 68m 2358p 17s | pung 444z |  | 6; N 2489m 1357p 2469s 5z |  |  | 0",
     "dragon_set=1 kong_dragons_open=16 kong_winds_concealed=32 mah_jong=20 no_chows=1 one_suit_with_honours=1 own_wind_set=1 prevailing_wind_set=1 pung_simples_open=2 pung_terminals_open=4", "", (12000, -3998, -3992, -4010)),
    # [derived] East loses with a better hand than the other losers
    ("C27", "345s 678s 123p 88m 56m", "", "7m", "N", "E", "S", "", "",
     "E 55z 468p 24s | pung 111z, concealed_kong 9999m |  | 152; S 1478m 259p 135s | pung 222z |  | 8; W 77p 33z 1358m 2469s 1p |  |  | 2",
     "mah_jong=20 no_points=1", "", (508, -322, -346, 160)),
    # [derived] pay for all: fourth set of one suit
    ("C28", "99s 24s", "chow 123s, pung 555s, chow 789s", "3s", "S", "E", "W", "", "",
     "",
     "mah_jong=20 one_suit_only=3 only_possible_tile=2 pung_simples_open=2", "", (0, 768, -768, 0)),
    # [derived] pay for all: fourth wind to East
    ("C29", "11z 88p", "pung 222z, pung 333z, pung 444z", "1z", "E", "E", "N", "", "",
     "",
     "mah_jong=20 no_chows=1 one_suit_with_honours=1 own_wind_set=1 prevailing_wind_set=1 pung_winds_open=16", "big_four_winds", (12000, 0, 0, -12000)),
    # [derived] pay for all: third dragon
    ("C30", "77z 123m 99s", "pung 555z, pung 666z", "7z", "W", "E", "S", "", "",
     "",
     "dragon_set=3 mah_jong=20 pung_dragons_open=12", "big_three_dragons", (0, -8000, 8000, 0)),
    # [derived] pay for all not due: discarder is a waiting hand
    ("C31", "99s 24s", "chow 123s, pung 555s, chow 789s", "3s", "S", "E", "W", "", "W",
     "E 469m 2579p 148s 133z |  |  | 0; W 234m 567m 44p 88p 111m |  |  | 8; N 1389m 2468p 57s 155z |  |  | 2",
     "mah_jong=20 one_suit_only=3 only_possible_tile=2 pung_simples_open=2", "", (-404, 768, -170, -194)),
    # [derived] dead hand with too few tiles still scores
    ("C32", "123p 456p 22s 45s", "pung 666m", "6s", "W", "E", "S", "", "",
     "E 11z 146m 2589s 3p | pung 999p |  | 8; S 22z 135m 67p 4s | pung 111s | too_few | 6; N 1458m 269p 37s 4z | pung 777z |  | 8",
     "mah_jong=20 pung_simples_open=2", "", (-40, -28, 88, -20)),
    # [derived] dead hand with too many tiles scores nothing
    ("C33", "123p 456p 22s 45s", "pung 666m", "6s", "W", "E", "S", "", "",
     "E 11z 146m 2589s 3p | pung 999p |  | 8; S 22z 135m 678p 49s | pung 111s | too_many | 0; N 1458m 269p 37s 4z | pung 777z |  | 8",
     "mah_jong=20 pung_simples_open=2", "", (-28, -46, 88, -14)),
    # [derived] four identical tiles kept in hand count as a concealed pung
    ("C34", "345m 678s 99m 45p", "pung 222p", "6p", "N", "E", "W", "", "",
     "E 1111s 234m 56p 11z 1m 4z |  |  | 12; S 1369m 2479p 258s 55z |  |  | 2; W 22z 13p 4689s 77z | pung 888m |  | 4",
     "mah_jong=20 pung_simples_open=2", "", (-8, -44, -36, 88)),
    # [derived] thirteen orphans (limit)
    ("C35", "19m 19p 19s 1234567z", "", "7z", "S", "E", "W", "", "",
     "E  |  |  | 8; W  |  |  | 4; N  |  |  | 0",
     "", "thirteen_orphans", (-3976, 8000, -2004, -2020)),
    # [derived] hidden snake (limit)
    ("C36", "111p 22p 345p 678p 99p", "", "9p", "W", "S", None, "", "",
     "E  |  |  | 16; S  |  |  | 0; N  |  |  | 32",
     "last_tile_from_wall=2 mah_jong=20 one_suit_only=3 pung_terminals_concealed=16", "hidden_snake", (-4000, -2064, 8000, -1936)),
    # [derived] nine gates (limit), East wins
    ("C37", "1112345678999m", "", "5m", "E", "E", "N", "", "",
     "S  |  |  | 0; W  |  |  | 0; N  |  |  | 0",
     "mah_jong=20 one_suit_only=3 pung_terminals_concealed=16", "nine_gates, hidden_snake", (12000, -4000, -4000, -4000)),
    # [derived] four concealed pungs, self-drawn (limit)
    ("C38", "222m 555p 888s 44z 33p", "", "3p", "N", "E", None, "", "",
     "E  |  |  | 0; S  |  |  | 2; W  |  |  | 0",
     "last_tile_from_wall=2 mah_jong=20 no_chows=1 pair_own_wind=2 pung_simples_concealed=16", "four_concealed_pungs", (-4004, -1994, -2002, 8000)),
)]
