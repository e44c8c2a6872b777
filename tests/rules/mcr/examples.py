# ruff: noqa: E501  (a hand with what it scores is one line)
"""The worked examples of the specification that are hands, by number (mcr.md, section 17).

Seats are named by their wind, the dealer being East; payments are those of E, S, W, N; a fan counted
twice is written ``double_pung*2``. ``total`` is without flowers. ``library`` is PyMahjongGB's total.
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
    source: str | None
    seat: str
    round_wind: str
    bonus: str
    flags: str
    last_of_kind: bool
    fans: str
    total: int
    payments: tuple[int, ...] | None  # None: below the minimum
    library: int
    case: Case = field(init=False)

    def __post_init__(self) -> None:
        melds = tuple(Meld.of(*one.split()) for one in self.melds.split(", ") if one)
        object.__setattr__(
            self,
            "case",
            Case(
                winner=seat(self.seat),
                source=None if self.source is None else seat(self.source),
                hand=parse_tiles(self.hand),
                winning_tile=Tile.parse(self.winning),
                melds=melds,
                bonus=parse_tiles(self.bonus),
                dealer=Seat.A,
                round_wind=Wind(self.round_wind),
                flags=frozenset(Flag(flag) for flag in self.flags.split()),
                extra={"last_of_kind": self.last_of_kind},
            ),
        )


def seat(wind: str) -> Seat:
    """The seat of a wind when A deals."""
    return Seat("ESWN".index(wind))


# fmt: off
EXAMPLES = [Example(*row) for row in (
    # exact settlement on a discard; flowers are added after the minimum is met
    ("M01", "23488m 234p 24s", "chow 678p", "3s", "S", "E", "E", "1f 3g", "", False,
      "mixed_triple_chow all_chows all_simples closed_wait", 13, (39, -23, -8, -8), 13),
    # the same hand self-drawn
    ("M02", "23488m 234p 24s", "chow 678p", "3s", None, "E", "E", "1f 3g", "", False,
      "mixed_triple_chow all_chows all_simples closed_wait self_drawn", 14, (72, -24, -24, -24), 14),
    # complete hand worth 2; flowers never help to reach 8
    ("M03", "3466m", "chow 123m, chow 567p, chow 678s", "5m", "W", "S", "E", "1f 2f 4g", "", False,
      "all_chows", 2, None, 2),
    # near miss
    ("M04", "68p 33s", "chow 456m, pung 555z, chow 345s", "7p", "N", "E", "E", "2f 2g", "", False,
      "dragon_pung closed_wait", 3, None, 3),
    # chicken hand: no other fan, two-sided wait, honor pair, one open chow
    ("M05", "34m 123p 678s 66z", "chow 567p", "2m", "W", "N", "E", "", "", False,
      "chicken_hand", 8, (-8, -8, -16, 32), 8),
    # chicken hand with flowers
    ("M06", "67m 66z", "chow 234p, chow 123p, chow 345s", "8m", "S", "E", "N", "1f 3f 1g 2g", "", False,
      "chicken_hand", 8, (36, -20, -8, -8), 8),
    # pure straight; the fourth chow 789p pairs once with 789m
    ("M07", "123456789m 78p 22s", "", "9p", "W", "S", "E", "", "", False,
      "pure_straight concealed_hand all_chows mixed_double_chow", 21, (-8, 45, -29, -8), 21),
    # account-once: the fourth chow may pair once with a chow of the straight
    ("M08", "11223456789m 55p", "", "3m", "W", "S", "E", "", "", False,
      "pure_straight concealed_hand all_chows pure_double_chow one_voided_suit edge_wait", 23, (-8, 47, -31, -8), 23),
    # account-once: the chow 456s is mixed double chow with 456p and short straight with 789s;
    # only one of them is counted
    ("M09", "123m 456p 46789s 77z", "", "5s", "E", "W", "W", "", "", False,
      "mixed_straight concealed_hand mixed_double_chow closed_wait", 12, (-20, -8, 36, -8), 12),
    # four chows, six possible pairs; at most three are counted and the canonical choice is
    # two mixed double chows and one two terminal chows
    ("M10", "123789m 12389p 11z", "", "7p", "N", "S", "W", "", "", False,
      "outside_hand concealed_hand mixed_double_chow*2 two_terminal_chows one_voided_suit edge_wait", 11, (-8, 35, -8, -19), 11),
    # non-separation: 111 222 333 or 123 123 123; the pung reading wins because of the
    # concealed pungs
    ("M11", "111222333m 67p 22z", "", "8p", "E", "N", "E", "", "", False,
      "pure_shifted_pungs three_concealed_pungs concealed_hand pung_of_terminals_or_honors one_voided_suit", 44, (-52, -8, -8, 68), 44),
    # the all-chow reading (pure triple chow, outside hand) is worth 33; the pung reading is
    # worth 45
    ("M12", "111222333m 7899p", "", "9p", "E", "N", "E", "", "", False,
      "pure_shifted_pungs three_concealed_pungs concealed_hand pung_of_terminals_or_honors one_voided_suit no_honors", 45, (-53, -8, -8, 69), 45),
    # four pure shifted chows: no pure shifted chows, no short straight
    ("M13", "23344455566m 88s", "", "7m", None, "E", "E", "", "", False,
      "four_pure_shifted_chows fully_concealed_hand all_chows all_simples one_voided_suit", 41, (147, -49, -49, -49), 41),
    # four pure shifted chows in steps of two: two terminal chows is not counted
    ("M14", "12334556779m 33p", "", "8m", "S", "E", "E", "", "", False,
      "four_pure_shifted_chows concealed_hand all_chows one_voided_suit closed_wait", 38, (62, -46, -8, -8), 38),
    # three shifted chows; 345s with 678s is a short straight, counted once
    ("M15", "12233345678s 33z", "", "4s", "S", "N", "N", "", "", False,
      "pure_shifted_chows half_flush concealed_hand short_straight", 25, (-8, -33, -8, 49), 25),
    # two overlapping mixed shifted chows: only one; the spare chow adds one short straight
    ("M16", "234567m 34588p 46s", "", "5s", "E", "W", "S", "", "", False,
      "mixed_shifted_chows concealed_hand all_chows all_simples short_straight closed_wait", 14, (-22, -8, 38, -8), 14),
    # two pure double chows, but seven pairs is worth more
    ("M17", "223344m 667788p 5s", "", "5s", "N", "E", "E", "", "", False,
      "seven_pairs all_simples", 26, (50, -8, -8, -34), 26),
    # pure terminal chows
    ("M18", "1122335778899m", "", "5m", "W", "E", "E", "", "", False,
      "pure_terminal_chows concealed_hand single_wait", 67, (91, -8, -75, -8), 67),
    # three-suited terminal chows
    ("M19", "123789m 12379p 55s", "", "8p", None, "E", "E", "", "", False,
      "three_suited_terminal_chows fully_concealed_hand closed_wait", 21, (87, -29, -29, -29), 21),
    # nine gates on a discard
    ("M20", "1112345678999p", "", "5p", "S", "W", "E", "", "", False,
      "nine_gates two_concealed_pungs", 90, (-8, -98, 114, -8), 91),
    # nine gates self-drawn: fully concealed hand is added
    ("M21", "1112345678999s", "", "9s", None, "W", "E", "", "", False,
      "nine_gates pure_straight fully_concealed_hand tile_hog", 110, (-118, -118, 354, -118), 107),
    # thirteen orphans self-drawn
    ("M22", "19m 19p 19s 1234567z", "", "7z", None, "S", "S", "", "", False,
      "thirteen_orphans fully_concealed_hand", 92, (-100, 300, -100, -100), 89),
    # lesser honors and knitted tiles
    ("M23", "14m 258p 369s 12345z", "", "7z", "N", "S", "S", "", "", False,
      "lesser_honors_and_knitted_tiles", 12, (-8, 36, -8, -20), 12),
    # lesser honors with all nine knitted tiles: knitted straight is added
    ("M24", "258m 369p 147s 1234z", "", "5z", "N", "S", "S", "", "", False,
      "lesser_honors_and_knitted_tiles knitted_straight", 24, (-8, 48, -8, -32), 24),
    # greater honors and knitted tiles
    ("M25", "258m 36p 17s 123457z", "", "6z", None, "E", "S", "", "", False,
      "greater_honors_and_knitted_tiles fully_concealed_hand", 28, (108, -36, -36, -36), 25),
    # knitted straight with a chow; sole wait on the pair
    ("M26", "258m 356679p 147s 4z", "", "4z", "E", "W", "S", "", "", False,
      "knitted_straight concealed_hand single_wait", 15, (-23, -8, 39, -8), 15),
    # the winning tile 6p: the hand waits on 6p only, but closed wait is not counted with a
    # knitted straight
    ("M27", "258m 35679p 147s 44z", "", "6p", "E", "W", "S", "", "", False,
      "knitted_straight concealed_hand", 14, (-22, -8, 38, -8), 15),
    # knitted straight may be won on a knitted tile: no wait fan; all types
    ("M28", "258m 369p 17s 11555z", "", "4s", None, "W", "S", "", "", False,
      "knitted_straight all_types fully_concealed_hand dragon_pung", 24, (-32, -32, 96, -32), 24),
    # seven pairs
    ("M29", "1133557799m 55s 1z", "", "1z", "W", "S", "S", "", "", False,
      "seven_pairs one_voided_suit", 25, (-8, 49, -33, -8), 25),
    # seven pairs with four 3m used as two pairs
    ("M30", "33336688m 4477p 5s", "", "5s", None, "S", "S", "", "", False,
      "seven_pairs fully_concealed_hand tile_hog all_simples", 32, (-40, 120, -40, -40), 29),
    # seven pairs of honors: four East tiles are not a tile hog (suited tiles only)
    ("M31", "1111223344667z", "", "7z", "N", "E", "E", "", "", False,
      "all_honors seven_pairs", 88, (112, -8, -8, -96), 90),
    # all green as seven pairs: the repeated pair is forced, no tile hog; half flush is
    # counted
    ("M32", "223344668888s 6z", "", "6z", "N", "E", "E", "", "", False,
      "all_green seven_pairs half_flush", 118, (142, -8, -8, -126), 114),
    # seven shifted pairs
    ("M33", "2233445566778m", "", "8m", None, "E", "E", "", "", False,
      "seven_shifted_pairs fully_concealed_hand all_simples", 94, (306, -102, -102, -102), 91),
    # four concealed pungs self-drawn
    ("M34", "222333444p 55s 11z", "", "1z", None, "N", "E", "4g", "", False,
      "four_concealed_pungs pure_shifted_pungs fully_concealed_hand prevalent_wind one_voided_suit", 95, (-104, -104, -104, 312), 92),
    # the same on a discard: the pung completed by the discard is open
    ("M35", "222333444p 55s 11z", "", "1z", "S", "N", "E", "", "", False,
      "pure_shifted_pungs three_concealed_pungs all_pungs prevalent_wind concealed_hand one_voided_suit", 51, (-8, -59, -8, 75), 51),
    # one melded and one concealed kong: 6
    ("M36", "33378m 55p", "kong 7777s, concealed_kong 4444z", "9m", "S", "W", "S", "", "", False,
      "melded_and_concealed_kong two_concealed_pungs pung_of_terminals_or_honors", 9, (-8, -17, 33, -8), 8),
    # two concealed kongs plus a concealed pung
    ("M37", "888p 23s 33z", "concealed_kong 3333m, concealed_kong 7777s", "4s", "E", "N", "N", "", "", False,
      "three_concealed_pungs two_concealed_kongs concealed_hand", 26, (-34, -8, -8, 50), 24),
    # three kongs, win on the replacement tile of a kong
    ("M38", "67m 88s", "concealed_kong 2222p, concealed_kong 6666p, kong 9999s", "5m", None, "E", "S", "", "replacement", False,
      "three_kongs out_with_replacement_tile two_concealed_pungs pung_of_terminals_or_honors no_honors", 44, (156, -52, -52, -52), 44),
    # four kongs, two of them concealed
    ("M39", "4s", "kong 1111m, concealed_kong 1111z, concealed_kong 7777p, kong 6666z", "4s", "S", "E", "E", "", "", False,
      "four_kongs all_types dragon_pung prevalent_wind seat_wind two_concealed_pungs pung_of_terminals_or_honors", 103, (127, -111, -8, -8), 103),
    # big four winds: no wind fans at all
    ("M40", "55m 44z", "pung 111z, pung 222z, kong 3333z", "4z", "W", "S", "E", "", "", False,
      "big_four_winds half_flush melded_kong", 95, (-8, 119, -103, -8), 95),
    # little four winds keeps the prevalent and seat wind pungs
    ("M41", "345p 4z", "pung 111z, pung 222z, pung 333z", "4z", "W", "S", "E", "", "", False,
      "little_four_winds half_flush prevalent_wind seat_wind single_wait", 75, (-8, 99, -83, -8), 75),
    # big three winds; seat and prevalent wind are counted, the West pung is not
    ("M42", "66p 11122z", "chow 234p, pung 333z", "2z", "W", "S", "E", "", "", False,
      "big_three_winds half_flush prevalent_wind seat_wind", 22, (-8, 46, -30, -8), 22),
    # big three dragons
    ("M43", "66p 66z", "pung 555z, pung 777z, chow 123s", "6z", "S", "E", "E", "", "", False,
      "big_three_dragons one_voided_suit", 89, (113, -97, -8, -8), 89),
    # little three dragons
    ("M44", "13p 66677z", "pung 555z, chow 789p", "2p", "S", "E", "E", "", "", False,
      "little_three_dragons half_flush outside_hand two_terminal_chows closed_wait", 76, (100, -84, -8, -8), 76),
    # all terminals: double pung is counted (two of them)
    ("M45", "999p 1s", "pung 111m, pung 999m, pung 111p", "1s", "N", "E", "E", "", "", False,
      "all_terminals double_pung*2 single_wait", 69, (93, -8, -8, -77), 65),
    # all honors with little three dragons
    ("M46", "4477z", "pung 111z, pung 555z, kong 6666z", "4z", "N", "W", "E", "", "", False,
      "little_three_dragons all_honors prevalent_wind melded_kong", 131, (-8, -8, 155, -139), 131),
    # all terminals and honors; East is both seat and prevalent wind
    ("M47", "99m 11z", "pung 111p, pung 999s, kong 7777z", "1z", "N", "E", "E", "", "", False,
      "all_terminals_and_honors all_types dragon_pung prevalent_wind seat_wind melded_kong", 45, (69, -8, -8, -53), 45),
    # all green with a green dragon pung
    ("M48", "2233446s", "pung 666z, pung 888s", "6s", "N", "E", "E", "", "", False,
      "all_green half_flush dragon_pung pure_double_chow single_wait", 98, (122, -8, -8, -106), 92),
    # quadruple chow: tile hog, pure triple chow and pure double chow are not counted
    ("M49", "2222333344449s", "", "9s", "N", "E", "E", "", "", False,
      "quadruple_chow full_flush concealed_hand all_chows single_wait", 77, (101, -8, -8, -85), 77),
    # middle tiles and all fives together
    ("M50", "445566m 46p 45556s", "", "5p", "W", "S", "E", "", "", False,
      "middle_tiles all_fives mixed_triple_chow concealed_hand all_chows pure_double_chow closed_wait", 54, (-8, 78, -62, -8), 54),
    # upper tiles, outside hand
    ("M51", "7899m 789p 789s", "chow 789p", "9m", "W", "S", "E", "", "", False,
      "upper_tiles mixed_triple_chow outside_hand all_chows pure_double_chow", 39, (-8, 63, -47, -8), 39),
    # lower four
    ("M52", "23444m 222p 34s", "pung 111s", "2s", None, "E", "E", "", "", False,
      "lower_four mixed_double_chow pung_of_terminals_or_honors self_drawn", 15, (69, -23, -23, -23), 15),
    # reversible tiles: one voided suit is not counted
    ("M53", "234p 46888s 55z", "chow 123p", "5s", "S", "E", "E", "", "", False,
      "reversible_tiles closed_wait", 9, (33, -17, -8, -8), 9),
    # all even pungs
    ("M54", "22288m 66p 444s", "pung 222s", "6p", None, "S", "W", "", "", False,
      "all_even_pungs three_concealed_pungs double_pung self_drawn", 43, (-51, 153, -51, -51), 43),
    # mixed shifted pungs plus one double pung
    ("M55", "22255m 333p 44s", "pung 333m", "4s", "E", "W", "W", "", "", False,
      "mixed_shifted_pungs all_pungs double_pung two_concealed_pungs all_simples", 20, (-28, -8, 44, -8), 20),
    # triple pung
    ("M56", "555m 555p 55s 44z", "chow 234m", "5s", "E", "W", "W", "", "", False,
      "triple_pung two_concealed_pungs", 18, (-26, -8, 42, -8), 18),
    # robbing the kong: last tile is not added
    ("M57", "24m 678p 99s", "chow 345s, chow 234p", "3m", "N", "S", "E", "", "robbing_kong", True,
      "robbing_the_kong all_chows mixed_double_chow closed_wait", 12, (-8, 36, -8, -20), 12),
    # replacement tile that is also the last tile of the wall
    ("M58", "78m 55p", "chow 123m, concealed_kong 9999s, pung 222z", "6m", None, "W", "E", "", "replacement last_tile", False,
      "last_tile_draw out_with_replacement_tile concealed_kong pung_of_terminals_or_honors*2", 20, (-28, -28, 84, -28), 20),
    # last discard of the hand and last visible copy
    ("M59", "78m 55p", "chow 456p, pung 444z, pung 777z", "6m", "E", "W", "E", "", "last_tile", True,
      "last_tile_claim last_tile dragon_pung pung_of_terminals_or_honors one_voided_suit", 16, (-24, -8, 40, -8), 16),
    # melded hand, exactly 8: single wait is implied
    ("M60", "9s", "chow 123m, chow 456m, pung 444p, chow 345s", "9s", "E", "W", "E", "", "", False,
      "melded_hand short_straight no_honors", 8, (-16, -8, 32, -8), 8),
    # a concealed kong prevents melded hand; seat wind and single wait remain
    ("M61", "9s", "chow 123m, chow 567m, pung 444p, concealed_kong 3333z", "9s", "E", "W", "E", "", "", False,
      "seat_wind concealed_kong single_wait", 5, None, 5),
    # 1233 + 3 is an edge wait
    ("M62", "1233m 234456p 789s", "", "3m", "E", "W", "E", "", "", False,
      "mixed_straight concealed_hand all_chows edge_wait", 13, (-21, -8, 37, -8), 13),
    # 12345 + 3 is not an edge wait (3 and 6 complete it)
    ("M63", "12345m 456p 66789s", "", "3m", "E", "W", "E", "", "", False,
      "mixed_straight concealed_hand all_chows", 12, (-20, -8, 36, -8), 12),
    # 1234 waiting for 1 or 4 is not a single wait
    ("M64", "123456789m 1234p", "", "4p", "E", "W", "E", "", "", False,
      "pure_straight concealed_hand all_chows mixed_double_chow one_voided_suit", 22, (-30, -8, 46, -8), 22),
    # 1112 waits for 2 and 3: no wait fan
    ("M65", "1112567m", "chow 678m, chow 345m", "2m", "E", "W", "E", "", "", False,
      "full_flush short_straight pung_of_terminals_or_honors", 26, (-34, -8, 50, -8), 26),
    # the only other completing face, 5p, is held four times: closed wait is counted
    # (`wait_own_four = not_a_wait`)
    ("M66", "3335555p 456s", "concealed_kong 8888s", "4p", None, "S", "N", "", "", False,
      "reversible_tiles fully_concealed_hand tile_hog two_concealed_pungs concealed_kong all_simples closed_wait", 21, (-29, 87, -29, -29), 20),
    # East pung as seat and prevalent wind: 2 + 2, no pung of terminals or honors for it
    ("M67", "23455s 11z", "pung 999s, chow 456s", "1z", "N", "E", "E", "1f", "", False,
      "half_flush prevalent_wind seat_wind pung_of_terminals_or_honors", 11, (36, -8, -8, -20), 11),
    # all types with a concealed hand
    ("M68", "123m 678p 45s 11177z", "", "6s", "N", "E", "S", "", "", False,
      "all_types seat_wind concealed_hand", 10, (34, -8, -8, -18), 10),
    # full flush; two pure double chows and one short straight
    ("M69", "2233445p", "chow 678p, chow 678p", "5p", "W", "N", "E", "", "", False,
      "full_flush all_chows all_simples pure_double_chow*2 short_straight", 31, (-8, -8, -39, 55), 31),
    # a flower replacement: self-drawn only
    ("M70", "234m 234p 3466s", "chow 567s", "2s", None, "N", "E", "1g", "", False,
      "mixed_triple_chow all_chows all_simples short_straight self_drawn", 14, (-23, -23, -23, 69), 14),
    # four pure shifted pungs, all completed before the win: four concealed pungs as well
    ("M71", "444555666777p 9s", "", "9s", "N", "E", "E", "", "", False,
      "four_concealed_pungs four_pure_shifted_pungs one_voided_suit no_honors single_wait", 115, (139, -8, -8, -123), 115),
    # an open chow fixes the reading: pure triple chow
    ("M72", "445566m 88p 78s", "chow 456m", "9s", "W", "S", "E", "", "", False,
      "pure_triple_chow all_chows", 26, (-8, 50, -34, -8), 26),
    # lower tiles and mixed triple chow, the spare chow adds one pure double chow
    ("M73", "123m 12223p 13s", "chow 123m", "2s", "N", "W", "E", "", "", False,
      "lower_tiles mixed_triple_chow all_chows pure_double_chow closed_wait", 36, (-8, -8, 60, -44), 36),
    # upper four
    ("M74", "67m 666p 77888s", "chow 789p", "8m", "N", "W", "E", "", "", False,
      "upper_four two_concealed_pungs", 14, (-8, -8, 38, -22), 14),
    # two dragon pungs as two melded kongs
    ("M75", "45m 22p", "kong 5555z, kong 6666z, chow 567s", "3m", "E", "S", "S", "", "", False,
      "two_dragon_pungs two_melded_kongs", 10, (-18, 34, -8, -8), 10),
    # kong, then a flower as replacement, then the flower replacement wins: self-drawn is
    # counted, out with replacement tile is not
    ("M76", "6788p", "concealed_kong 2222p, chow 345p, pung 555z", "5p", None, "E", "S", "3f", "", False,
      "half_flush dragon_pung concealed_kong self_drawn", 11, (60, -20, -20, -20), 11),
)]
