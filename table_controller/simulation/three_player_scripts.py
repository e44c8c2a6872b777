"""Three-player deals in which somebody breaks a rule: one for every breach the three rulesets know,
and two whose settlement rests on what the losers show.

Each ends where the table must have told the breach, named by its script: a claim that is refused,
something everybody could see, or a question to a person where a missed tile would look the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from table_controller.rules.core.events import EXHAUSTIVE, BonusSetAside, DrawDeclared
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile
from table_controller.simulation.scripting import Script, Story, told

EAST, SOUTH, WEST = Seat.A, Seat.B, Seat.C
ROUND = (SOUTH, WEST, EAST)  # who draws after the dealer's first discard
KOREAN, HONSHU, MALAYSIAN = "korean_japanese_3p", "japanese_3p", "malaysian_3p"

# --- Korean-Japanese ---------------------------------------------------------------------------

KOREAN_HANDS = {
    EAST: "1z 5p 19m 19s 23z 567z 8p 2p 6p",
    SOUTH: "123m 456m 789m 345p 9p",
    WEST: "2468m 1357p 1m 19s 7z 2z",
}
WAITING = "123m 456m 789m 34p 99p"  # South's, for 2p and 5p


def _south_threw_5p() -> Story:
    """South draws its last pair and discards 5p; it waits for 2p and 5p."""
    return Story().turn(EAST, None, "1z").turn(SOUTH, "9p", "5p").turn(WEST, "8p", "2z")


def sacred_discard() -> Script:
    """South has discarded 5p and later claims a 5p of East's."""
    story = _south_threw_5p().turn(EAST, "3z", "5p").win(SOUTH, WAITING, "5p", EAST)
    breach = (SOUTH, "sacred_discard")
    return told("A win on a sacred discard", KOREAN, KOREAN_HANDS, story, breach)


def sacred_last() -> Script:
    """The house bars the last own discard only: it was 5p."""
    story = _south_threw_5p().turn(EAST, "3z", "5p").win(SOUTH, WAITING, "5p", EAST)
    return told(
        "A win on the tile discarded last", KOREAN, KOREAN_HANDS, story,
        (SOUTH, "sacred_discard"), sacred_discard="own_last",
    )  # fmt: skip


def sacred_line() -> Script:
    """The house bars the line 2-5-8: South has discarded 5p and claims 2p."""
    story = _south_threw_5p().turn(EAST, "3z", "2p").win(SOUTH, WAITING, "2p", EAST)
    return told(
        "A win on the line of an own discard", KOREAN, KOREAN_HANDS, story,
        (SOUTH, "sacred_discard"), sacred_discard="own_147",
    )  # fmt: skip


def sacred_wait() -> Script:
    """The house bars every wait once one was discarded: South threw 5p and claims 2p."""
    story = _south_threw_5p().turn(EAST, "3z", "2p").win(SOUTH, WAITING, "2p", EAST)
    return told(
        "A win with a discarded wait", KOREAN, KOREAN_HANDS, story,
        (SOUTH, "sacred_discard"), sacred_discard="absolute",
    )  # fmt: skip


def sacred_missed() -> Script:
    """The house bars what was let pass: West discarded 2p, East does, and South claims it."""
    hands = {**KOREAN_HANDS, SOUTH: "123m 456m 789m 34p 7z 9p", WEST: "2468m 12357p 1m 19s 2z"}
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "9p", "7z").turn(WEST, "8p", "2p")
        .turn(EAST, "3z", "2p").win(SOUTH, WAITING, "2p", EAST)
    )  # fmt: skip
    return told(
        "A win on a tile let pass", KOREAN, hands, story,
        (SOUTH, "sacred_discard"), sacred_discard="missed",
    )  # fmt: skip


def sacred_pung() -> Script:
    """The house bars pungs too: South has discarded a red dragon and takes East's."""
    hands = {
        EAST: "1z 5p 19m 19s 23z 57z 8p 2p 46p",
        SOUTH: "123m 456m 78m 34p 777z",
        WEST: "2468m 1357p 1m 19s 5z 2z",
    }
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "9p", "7z").turn(WEST, "8p", "2z")
        .turn(EAST, "3z", "7z").call(SOUTH, "pung", "777z", EAST, "7z").turn(SOUTH, None, "9p")
    )  # fmt: skip
    return told(
        "A pung of a sacred discard", KOREAN, hands, story,
        (SOUTH, "sacred_discard"), sacred_discard="pung_too",
    )  # fmt: skip


def sacred_kong() -> Script:
    """East takes South's 5p for a pung and adds the fourth; South robs it."""
    hands = {
        EAST: "1z 55p 19m 19s 23z 567z 8p 6p",
        SOUTH: "123m 456m 789m 345p 9p",
        WEST: "2468m 1367p 1m 19s 7z 2z",
    }
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "9p", "5p")
        .call(EAST, "pung", "555p", SOUTH, "5p").turn(EAST, None, "3z")
        .turn(SOUTH, "2z", "2z").turn(WEST, "8p", "2z")
        .draw(EAST, "5p").kong(EAST, "added_kong", "5555p", "5p").win(SOUTH, WAITING, "5p", EAST)
    )  # fmt: skip
    breach = (SOUTH, "sacred_discard")
    return told("Robbing a sacred discard", KOREAN, hands, story, breach)


def below_minimum() -> Script:
    """South's open hand has a single hand point."""
    hands = {
        **KOREAN_HANDS,
        SOUTH: "22p 234m 567m 45p 99p 7z",
        EAST: "1z 2p 19m 19s 23z 567z 8p 66p",
    }
    story = (
        Story().turn(EAST, None, "2p").call(SOUTH, "pung", "222p", EAST, "2p")
        .turn(SOUTH, None, "7z").turn(WEST, "8p", "2z").turn(EAST, "3z", "6p")
        .win(SOUTH, "234m 567m 45p 99p", "6p", EAST)
    )  # fmt: skip
    return told("A win below the minimum", KOREAN, hands, story, (SOUTH, "below_minimum"))


def _no_hand(title: str, name: str, hands: Mapping[Seat, str], story: Story) -> Script:
    """One misread tile would look the same: a person is asked before it is told."""
    return told(title, name, hands, story, asks="hand", answered=((SOUTH, "not_a_win"),))


def not_a_win() -> Script:
    """South lays open a hand that 8p does not complete."""
    story = _south_threw_5p().turn(EAST, "3z", "8p").win(SOUTH, WAITING, "8p", EAST)
    return _no_hand("No winning hand", KOREAN, KOREAN_HANDS, story)


def robbing_no_chow() -> Script:
    """Thirteen orphans may not rob a kong: a robbed tile completes a chow only."""
    hands = {
        EAST: "1z 99m 5p 19s 24568p 6z 7z",
        SOUTH: "1m 19p 19s 1z 2z 3z 555z 67z",
        WEST: "2468m 357p 9m 1s 7z 2z 3z 1m",
    }
    story = (
        Story().turn(EAST, None, "8p").turn(SOUTH, "2m", "2m").turn(WEST, "8p", "9m")
        .call(EAST, "pung", "999m", WEST, "9m").turn(EAST, None, "5p")
        .turn(SOUTH, "3m", "3m").turn(WEST, "6p", "6p")
        .draw(EAST, "9m").kong(EAST, "added_kong", "9999m", "9m")
        .win(SOUTH, "1m 19p 19s 1z 2z 3z 555z 67z", "9m", EAST)
    )  # fmt: skip
    return told("Robbing for no chow", KOREAN, hands, story, (SOUTH, "wrong_robbing"))


def _concealed_kong_of_5p(name: str, hands: Mapping[Seat, str], shown: str, **more: Any) -> Script:
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "9p", "7z").turn(WEST, "2z", "2z")
        .draw(EAST, "3z").kong(EAST, "concealed_kong", "5555p").win(SOUTH, shown, "5p", EAST)
    )  # fmt: skip
    return told("Robbing a concealed kong", name, hands, story, (SOUTH, "wrong_robbing"), **more)


def robbing_concealed() -> Script:
    """East declares a concealed kong of 5p and South would win with it."""
    hands = {
        EAST: "1z 5555p 19m 19s 23z 56z 8p",
        SOUTH: "123m 456m 789m 34p 7z 9p",
        WEST: "2468m 1137p 1m 19s 7z 2z",
    }
    return _concealed_kong_of_5p(KOREAN, hands, WAITING)


def chow_call() -> Script:
    """South makes a chow from East's discard."""
    story = (
        Story().turn(EAST, None, "2p").call(SOUTH, "chow", "234p", EAST, "2p")
        .turn(SOUTH, None, "9p")
    )  # fmt: skip
    return told("A chow from a discard", KOREAN, KOREAN_HANDS, story, (SOUTH, "wrong_call"))


def chow_win() -> Script:
    """South goes on with a chow it may not have and claims a win."""
    hands = {**KOREAN_HANDS, SOUTH: "123m 456m 789m 34p 9p 7z"}
    story = (
        Story().turn(EAST, None, "2p").call(SOUTH, "chow", "234p", EAST, "2p")
        .turn(SOUTH, None, "7z")
        .turn(WEST, "8p", "2z").turn(EAST, "9p", "9p").win(SOUTH, "123m 456m 789m 9p", "9p", EAST)
    )  # fmt: skip
    breaches = ((SOUTH, "wrong_call"), (SOUTH, "wrong_call"))
    return told("A win with a called chow", KOREAN, hands, story, *breaches)


def onto_pung(name: str = KOREAN, tile: str = "7z") -> Script:
    """South puts East's discard on its own exposed pung."""
    hands = {EAST: f"{tile} {tile} 123z 56z 456p 789p", SOUTH: f"{tile} {tile} 123p 1z 2z"}
    story = (
        Story().turn(EAST, None, tile).call(SOUTH, "pung", f"{tile} " * 3, EAST, tile)
        .turn(SOUTH, None, "1z").turn(WEST, "2z", "2z").turn(EAST, "3z", tile)
        .call(SOUTH, "added_kong", f"{tile} " * 4, EAST, tile).turn(SOUTH, None, "2z")
    )  # fmt: skip
    return told("A discard put on a pung", name, hands, story, (SOUTH, "wrong_call"))


def late_pung(name: str = KOREAN, tile: str = "3p") -> Script:
    """West takes East's discard after South has drawn and discarded."""
    hands = {EAST: f"{tile} 123z 56z", WEST: f"{tile} {tile} 5z"}
    story = (
        Story().turn(EAST, None, tile).turn(SOUTH, "2z", "2z")
        .call(WEST, "pung", f"{tile} " * 3, EAST, tile).turn(WEST, None, "5z")
    )  # fmt: skip
    return told("A pung that comes too late", name, hands, story, (WEST, "late_claim"))


def late_win() -> Script:
    """West claims East's 5p after South has drawn a flower and replaced it."""
    hands = {
        EAST: "1z 5p 19m 19s 23z 567z 8p 2p 6p",
        WEST: "123m 456m 789m 34p 99p",
        SOUTH: "2468m 135p 1m 19s 7z 2z 7p",
    }
    story = (
        Story().turn(EAST, None, "5p").draw(SOUTH, "1f").aside(SOUTH, "1f", "3z")
        .win(WEST, "123m 456m 789m 34p 99p", "5p", EAST)
    )  # fmt: skip
    return told("A win that comes too late", KOREAN, hands, story, (WEST, "late_claim"))


def open_ready() -> Script:
    """South declares ready with an exposed pung."""
    hands = {**KOREAN_HANDS, SOUTH: "22p 234m 567m 45p 99p 7z"}
    story = (
        Story().turn(EAST, None, "2p").call(SOUTH, "pung", "222p", EAST, "2p")
        .turn(SOUTH, None, "7z").turn(WEST, "8p", "2z").turn(EAST, "3z", "3z")
        .turn(SOUTH, "7z", "7z", ready=True)
    )  # fmt: skip
    return told("Ready with an open hand", KOREAN, hands, story, (SOUTH, "false_ready"))


def false_ready() -> Script:
    """South declares ready and does not wait; East wins, and South must show."""
    hands = {
        EAST: "123m 456m 789m 34p 99p 1z",
        SOUTH: "1m 19s 123z 56z 2468p 7z",
        WEST: "2468m 137p 1m 19s 7z 2z 7p",
    }
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "5z", "6z", ready=True).turn(WEST, "8p", "2z")
        .draw(EAST, "5p").win(EAST, "123m 456m 789m 34p 99p", "5p")
        .show(SOUTH, "1m 19s 123z 55z 2468p 7z").show(WEST, "468m 2m 1377p 1m 19s 7z 8p")
    )  # fmt: skip
    return told("Ready without waiting", KOREAN, hands, story, (SOUTH, "false_ready"))


READY_HANDS = {
    EAST: "1z 5z 19m 19s 23z 56z 8p 2p 6p",
    SOUTH: "123m 456m 777z 34p 99p",
    WEST: "2468m 135p 1m 19s 2z 7p 3z",
}


def ready_pung() -> Script:
    """South, ready, takes East's discard for a pung."""
    hands = {**READY_HANDS, SOUTH: "123m 456m 77z 345p 99p", EAST: "1z 7z 19m 19s 23z 56z 8p 2p 6p"}
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "5p", "5p", ready=True).turn(WEST, "8p", "2z")
        .turn(EAST, "3z", "7z").call(SOUTH, "pung", "777z", EAST, "7z").turn(SOUTH, None, "9p")
    )  # fmt: skip
    breach = (SOUTH, "ready_hand_changed")
    return told("A pung after ready", KOREAN, hands, story, breach)


def ready_kong() -> Script:
    """South, ready, declares a concealed kong, and its dead hand then claims a win."""
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "1s", "1s", ready=True).turn(WEST, "8p", "2z")
        .turn(EAST, "3z", "3z").draw(SOUTH, "7z").kong(SOUTH, "concealed_kong", "7777z")
        .draw(SOUTH, "2z", replacement=True).turn(SOUTH, None, "2z").turn(WEST, "8p", "8p")
        .turn(EAST, "6z", "2p").win(SOUTH, "123m 456m 34p 99p", "2p", EAST)
    )  # fmt: skip
    breaches = ((SOUTH, "ready_hand_changed"), (SOUTH, "dead_hand"))
    return told("A kong after ready", KOREAN, READY_HANDS, story, *breaches)


def flower_discarded() -> Script:
    """South discards a flower."""
    story = Story().turn(EAST, None, "1z").turn(SOUTH, "1f", "1f")
    return told("A discarded flower", KOREAN, KOREAN_HANDS, story, (SOUTH, "flower_kept"))


def flower_in_hand() -> Script:
    """South claims a win with a flower among its tiles."""
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "1f", "9p").turn(WEST, "8p", "2z")
        .turn(EAST, "3z", "5p").win(SOUTH, "123m 456m 789m 345p 1f", "5p", EAST)
    )  # fmt: skip
    return told("A flower in the hand", KOREAN, KOREAN_HANDS, story, (SOUTH, "flower_kept"))


def outranked() -> Script:
    """South and West claim East's 5p; West has more hand points."""
    hands = {
        EAST: "1z 5p 19m 19s 23z 567z 8p 2p 6p",
        SOUTH: "234m 678m 345m 34p 99p",
        WEST: "123m 456m 789m 34p 88p",
    }
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "2z", "2z").turn(WEST, "7z", "7z")
        .turn(EAST, "3z", "5p")
    )  # fmt: skip
    story.win(SOUTH, hands[SOUTH], "5p", EAST).win(WEST, hands[WEST], "5p", EAST)
    story.show(EAST, "19m 19s 233z 567z 8p 2p 6p")
    return told("Two wins on one tile", KOREAN, hands, story, (SOUTH, "outranked"))


def _wrong_count(name: str, title: str, hand: str, source_tile: str) -> Script:
    """South claims a win with a wrong number of tiles: a person is asked whether all are seen."""
    hands = {EAST: f"1z {source_tile} 23z 56z", SOUTH: hand}
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "2z", "2z").turn(WEST, "3z", "3z")
        .turn(EAST, "3z", source_tile)
    )  # fmt: skip
    shown = " ".join(hand.split()[:-1])  # one group less than South was dealt
    story.win(SOUTH, shown, source_tile, EAST)
    answered = ((SOUTH, "wrong_tile_count"),)
    return told(title, name, hands, story, asks="hand", answered=answered)


def short_hand() -> Script:
    """South shows eleven tiles beside the winning one."""
    return _wrong_count(KOREAN, "Too few tiles", "123m 456m 789m 34p 99p", "5p")


def out_of_turn(name: str = KOREAN) -> Script:
    """West discards while South is on turn."""
    story = Story().turn(EAST, None, "1z").turn(WEST, "2z", "2z")
    return told("A discard out of turn", name, {EAST: "1z"}, story, asks="unexplained")


def payer_waiting() -> Script:
    """South wins on East's 5p; West shows that it waits, East keeps its hand closed."""
    hands = {
        EAST: "1z 5p 19m 19s 23z 567z 8p 2p 6p",
        SOUTH: WAITING,
        WEST: "234m 678m 345m 67p 88p",
    }
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "2z", "2z").turn(WEST, "7z", "7z")
        .turn(EAST, "3z", "5p").win(SOUTH, WAITING, "5p", EAST).show(WEST, hands[WEST])
    )  # fmt: skip
    return told("A payer who waits and one who does not show", KOREAN, hands, story)


def last_kong() -> Script:
    """After the last tile of the wall South declares a kong that nothing can replace."""
    hands = {EAST: "1z", SOUTH: "7777z"}
    story = Story().turn(EAST, None, "1z")
    for number, seat in enumerate((SOUTH, WEST, EAST, SOUTH), start=1):
        story.draw(seat, f"{number}f").aside(seat, f"{number}f", f"{number}m")
        story.turn(seat, None, f"{number}m")
    story.idle((WEST, EAST, SOUTH), 59).draw(SOUTH, "9s").kong(SOUTH, "concealed_kong", "7777z")
    return told("A kong without a tile to replace it", KOREAN, hands, story, (SOUTH, "wrong_kong"))


# --- Western Honshu ----------------------------------------------------------------------------

OPEN_WAIT = "234p 678p 99s 67s"  # South's with a pung of green dragons, for 5s and 8s


def _green_pung() -> Story:
    """South takes East's green dragon and waits for 5s and 8s once it has discarded 5s."""
    return (
        Story().turn(EAST, None, "6z").call(SOUTH, "pung", "666z", EAST, "6z")
        .turn(SOUTH, None, "5s").turn(WEST, "2p", "7z")
    )  # fmt: skip


OPEN_HANDS = {
    EAST: "1z 5s 19m 19p 23z 56z 8p 2s 8s 4z",
    SOUTH: "234p 678p 99s 567s 66z",
    WEST: "2468p 1357s 1m 19s 77z",
}


def furiten() -> Script:
    """South waits for 5s and 8s, has discarded 5s, and claims 8s."""
    story = _green_pung().turn(EAST, "3z", "8s").win(SOUTH, OPEN_WAIT, "8s", EAST)
    return told("A win in furiten for three", HONSHU, OPEN_HANDS, story, (SOUTH, "furiten"))


def passed_tile() -> Script:
    """South lets West's 5s pass and claims East's 8s before its own next draw."""
    hands = {**OPEN_HANDS, SOUTH: "234p 678p 99s 67s 66z 1z"}
    story = (
        Story().turn(EAST, None, "6z").call(SOUTH, "pung", "666z", EAST, "6z")
        .turn(SOUTH, None, "1z").turn(WEST, "2p", "5s").turn(EAST, "3z", "8s")
        .win(SOUTH, OPEN_WAIT, "8s", EAST)
    )  # fmt: skip
    breach = (SOUTH, "temporary_furiten")
    return told("A win after a tile let pass", HONSHU, hands, story, breach)


RIICHI_HANDS = {
    EAST: "1z 5s 19m 19p 23z 5z 8p 2s 8s",
    SOUTH: "234p 678p 99s 67s 666z",
    WEST: "2468p 1357s 1m 19s 77z",
}
RIICHI_WAIT = "234p 678p 99s 67s 666z"


def passed_after_riichi() -> Script:
    """South, in riichi, lets 5s pass and claims 8s a round later."""
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "2z", "2z", ready=True).turn(WEST, "2p", "5s")
        .turn(EAST, "3z", "3z").turn(SOUTH, "1m", "1m").turn(WEST, "2p", "2p")
        .turn(EAST, "3z", "8s").win(SOUTH, RIICHI_WAIT, "8s", EAST).under("7s")
    )  # fmt: skip
    breach = (SOUTH, "riichi_furiten")
    return told("A win after a tile let pass in riichi", HONSHU, RIICHI_HANDS, story, breach)


def no_yaku() -> Script:
    """South's concealed hand is complete and has no yaku."""
    hands = {
        EAST: "1z 9p 19m 5s 23z 56z 8p 2s 6p 8s 4z",
        SOUTH: "234p 678p 111s 789s 9p",
        WEST: "2468p 357s 1m 9s 77z",
    }
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "2z", "2z").turn(WEST, "2p", "7z")
        .turn(EAST, "3z", "9p").win(SOUTH, "234p 678p 111s 789s 9p", "9p", EAST)
    )  # fmt: skip
    return told("A win without a yaku", HONSHU, hands, story, (SOUTH, "no_yaku"))


def one_sided_yaku() -> Script:
    """All simples with 6s, but with 9s there would be no yaku."""
    hands = {
        EAST: "1z 2s 19m 19p 23z 56z 8p 6s 6p 4z",
        SOUTH: "22s 234p 678p 55p 78s 1z",
        WEST: "2468p 1357s 1m 19s 77z",
    }
    story = (
        Story().turn(EAST, None, "2s").call(SOUTH, "pung", "222s", EAST, "2s")
        .turn(SOUTH, None, "1z").turn(WEST, "2z", "7z").turn(EAST, "3z", "6s")
        .win(SOUTH, "234p 678p 55p 78s", "6s", EAST)
    )  # fmt: skip
    return told("A yaku on one side only", HONSHU, hands, story, (SOUTH, "atozuke"))


def safe_north() -> Script:
    """South waits for a north with two pairs and claims East's."""
    hands = {
        EAST: "1z 5s 19m 1p 23z 56z 8p 2s 8s 4z 6z",
        SOUTH: "234p 678p 99p 44z 66z 1z",
        WEST: "2468p 1357s 1m 19s 77z",
    }
    story = (
        Story().turn(EAST, None, "6z").call(SOUTH, "pung", "666z", EAST, "6z")
        .turn(SOUTH, None, "1z").turn(WEST, "2p", "7z").turn(EAST, "3z", "4z")
        .win(SOUTH, "234p 678p 99p 44z", "4z", EAST)
    )  # fmt: skip
    return told("A win on a discarded north", HONSHU, hands, story, (SOUTH, "north_safe"))


def riichi_robbing_concealed() -> Script:
    """East declares a concealed kong of 5p; only thirteen orphans may rob it."""
    hands = {
        EAST: "1z 5555p 19m 19s 23z 56z 8p",
        SOUTH: "789p 789s 666z 34p 7z 9p",
        WEST: "2468p 1137s 1m 19s 77z",
    }
    return _concealed_kong_of_5p(HONSHU, hands, "789p 789s 666z 34p 99p", akadora=0)


def robbing_north() -> Script:
    """East sets a north aside; South is no thirteen orphans."""
    hands = {
        EAST: "1z 5s 19m 1p 23z 56z 8p 2s 8s 6z",
        SOUTH: "234p 678p 99p 44z 66z 1z",
        WEST: "2468p 1357s 1m 19s 77z",
    }
    story = (
        Story().turn(EAST, None, "6z").call(SOUTH, "pung", "666z", EAST, "6z")
        .turn(SOUTH, None, "1z").turn(WEST, "2p", "7z").draw(EAST, "4z")
    )  # fmt: skip
    story.events.append(BonusSetAside(seat=EAST, tile=Tile.parse("4z")))
    story.win(SOUTH, "234p 678p 99p 44z", "4z", EAST)
    return told("Robbing a north", HONSHU, hands, story, (SOUTH, "wrong_robbing"))


def north_pung() -> Script:
    """South takes a discarded north for a pung, and its dead hand then claims a win."""
    hands = {
        EAST: "1z 5s 19m 19p 23z 56z 8p 2s 8s 4z",
        SOUTH: "234p 678p 99s 67s 44z 1z",
        WEST: "2468p 1357s 1m 19s 77z",
    }
    story = (
        Story().turn(EAST, None, "4z").call(SOUTH, "pung", "444z", EAST, "4z")
        .turn(SOUTH, None, "1z").turn(WEST, "2p", "7z").turn(EAST, "3z", "8s")
        .win(SOUTH, OPEN_WAIT, "8s", EAST)
    )  # fmt: skip
    breaches = (
        (SOUTH, "wrong_call"), (SOUTH, "dead_hand"), (SOUTH, "wrong_call"), (SOUTH, "no_yaku"),
    )  # fmt: skip
    return told("A pung of norths", HONSHU, hands, story, *breaches)


def riichi_chow() -> Script:
    """South makes a chow from East's discard."""
    hands = {**OPEN_HANDS, EAST: "1z 5s 19m 19p 23z 56z 8p 2s 8s 2p"}
    story = (
        Story().turn(EAST, None, "2p").call(SOUTH, "chow", "234p", EAST, "2p")
        .turn(SOUTH, None, "5s")
    )  # fmt: skip
    return told("A chow in the game of Honshu", HONSHU, hands, story, (SOUTH, "wrong_call"))


def riichi_open() -> Script:
    """South declares riichi with an exposed pung and then claims a win."""
    hands = {**OPEN_HANDS, SOUTH: "234p 678p 99s 67s 66z 1z"}
    story = (
        Story().turn(EAST, None, "6z").call(SOUTH, "pung", "666z", EAST, "6z")
        .turn(SOUTH, None, "1z").turn(WEST, "2p", "7z").turn(EAST, "3z", "3z")
        .turn(SOUTH, "2z", "2z", ready=True).turn(WEST, "2p", "2p").turn(EAST, "3z", "8s")
        .win(SOUTH, OPEN_WAIT, "8s", EAST).under("7s")
    )  # fmt: skip
    breaches = ((SOUTH, "wrong_riichi"), (SOUTH, "wrong_riichi"))
    return told("Riichi with an open hand", HONSHU, hands, story, *breaches)


def riichi_poor() -> Script:
    """South declares riichi without the points for its stick."""
    story = Story().turn(EAST, None, "1z").turn(SOUTH, "2z", "2z", ready=True)
    return told(
        "Riichi without points", HONSHU, RIICHI_HANDS, story,
        (SOUTH, "wrong_riichi"), starting_points=900,
    )  # fmt: skip


def riichi_noten() -> Script:
    """South is in riichi at the end of the wall and waits for nothing."""
    hands = {EAST: "1z", SOUTH: "1m 19s 1z 33z 4z 5z 2468p 7z"}
    story = Story().turn(EAST, None, "1z").turn(SOUTH, "2z", "2z", ready=True)
    story.idle((WEST, EAST, SOUTH), 53)
    story.events.append(DrawDeclared(reason=EXHAUSTIVE))
    story.show(SOUTH, hands[SOUTH])
    return told("Riichi without waiting", HONSHU, hands, story, (SOUTH, "noten_riichi"))


def riichi_kong() -> Script:
    """South declares a concealed kong after riichi: a chombo, and the deal is over."""
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "2z", "2z", ready=True).turn(WEST, "2p", "7z")
        .turn(EAST, "3z", "3z").draw(SOUTH, "6z").kong(SOUTH, "concealed_kong", "6666z")
    )  # fmt: skip
    return told("A kong after riichi", HONSHU, RIICHI_HANDS, story, (SOUTH, "riichi_kong"))


def riichi_pung() -> Script:
    """South takes a tile after riichi."""
    hands = {
        EAST: "1z 9s 19m 19p 23z 5z 8p 2s 8s",
        SOUTH: "234p 678p 999s 567s 6z",
        WEST: "2468p 1357s 1m 1s 77z",
    }
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "2z", "2z", ready=True).turn(WEST, "2p", "7z")
        .turn(EAST, "3z", "9s").call(SOUTH, "pung", "999s", EAST, "9s").turn(SOUTH, None, "6z")
    )  # fmt: skip
    return told("A pung after riichi", HONSHU, hands, story, (SOUTH, "ready_hand_changed"))


def riichi_north() -> Script:
    """The house allows no north after riichi, and South sets one aside."""
    story = (
        Story().turn(EAST, None, "1z").turn(SOUTH, "2z", "2z", ready=True).turn(WEST, "2p", "7z")
        .turn(EAST, "3z", "3z").draw(SOUTH, "4z").aside(SOUTH, "4z", "1m").turn(SOUTH, None, "1m")
    )  # fmt: skip
    return told(
        "A north after riichi", HONSHU, RIICHI_HANDS, story,
        (SOUTH, "ready_hand_changed"), north_after_riichi=False,
    )  # fmt: skip


def head_bump() -> Script:
    """South and West claim East's 8s where only the first of them wins."""
    hands = {
        EAST: "1z 5z 19m 1p 23z 56z 8p 2s 8s 67z",
        SOUTH: "234p 678p 99s 67s 66z 1z",
        WEST: "456p 456s 11s 67s 77z 2z",
    }
    story = (
        Story().turn(EAST, None, "6z").call(SOUTH, "pung", "666z", EAST, "6z")
        .turn(SOUTH, None, "1z").turn(WEST, "3z", "3z").turn(EAST, "3z", "7z")
        .call(WEST, "pung", "777z", EAST, "7z").turn(WEST, None, "2z").turn(EAST, "1m", "8s")
    )  # fmt: skip
    story.win(SOUTH, OPEN_WAIT, "8s", EAST).win(WEST, "456p 456s 11s 67s", "8s", EAST)
    return told(
        "Two wins where one counts", HONSHU, hands, story,
        (WEST, "head_bump"), multiple_ron="head_bump",
    )  # fmt: skip


def nuki_discarded() -> Script:
    """Where flowers are in play South discards one."""
    story = Story().turn(EAST, None, "1z").turn(SOUTH, "1f", "1f")
    return told(
        "A discarded flower in Honshu", HONSHU, {EAST: "1z"}, story,
        (SOUTH, "flower_kept"), flowers="nukidora",
    )  # fmt: skip


def riichi_not_a_win() -> Script:
    """South lays open a hand that 9p does not complete."""
    story = _green_pung().turn(EAST, "3z", "9p").win(SOUTH, OPEN_WAIT, "9p", EAST)
    return _no_hand("No winning hand in Honshu", HONSHU, OPEN_HANDS, story)


def riichi_last_kong() -> Script:
    """After the last tile of the wall East declares a kong that nothing can replace."""
    story = Story().turn(EAST, None, "1z").idle(ROUND, 53).draw(EAST, "9s")
    story.kong(EAST, "concealed_kong", "7777z")
    hands = {EAST: "1z 7777z"}
    return told("A kong after the last tile", HONSHU, hands, story, (EAST, "wrong_kong"))


# --- Malaysian ---------------------------------------------------------------------------------

MALAYSIAN_HANDS = {
    EAST: "1z 9p 6z 13577p 1234z 57z",
    SOUTH: "234p 567p 34p 99p 66z 1z",
    WEST: "2468p 1355z 77z 88p 1p",
}
MALAYSIAN_WAIT = "234p 567p 34p 99p"


def _green_pung_with(*bonus: str) -> Story:
    """South takes a green dragon and sets these tiles aside."""
    story = Story().turn(EAST, None, "6z").call(SOUTH, "pung", "666z", EAST, "6z")
    story.turn(SOUTH, None, "1z").turn(WEST, "2z", "2z").turn(EAST, "3z", "3z")
    story.all_aside(SOUTH, *bonus, last="4z")
    return story.turn(SOUTH, None, "4z").turn(WEST, "5z", "5z")


def poor_hand() -> Script:
    """South has four fan: a face, its own flower, a dragon pung and one suit with honours."""
    story = (
        _green_pung_with("1c", "2f").turn(EAST, "1p", "5p").win(SOUTH, MALAYSIAN_WAIT, "5p", EAST)
    )
    return told("Too few fan", MALAYSIAN, MALAYSIAN_HANDS, story, (SOUTH, "below_minimum"))


def no_malaysian_hand() -> Script:
    """South lays open a hand that 9p does not complete."""
    story = (
        _green_pung_with("1c", "2f").turn(EAST, "1p", "1p").win(SOUTH, MALAYSIAN_WAIT, "1p", EAST)
    )
    return _no_hand("No winning hand in Malaysia", MALAYSIAN, MALAYSIAN_HANDS, story)


def fly_pung() -> Script:
    """South takes a discard with one real tile and a fly."""
    hands = {**MALAYSIAN_HANDS, SOUTH: "234p 567p 34p 99p 6z jk 1z"}
    story = (
        Story().turn(EAST, None, "6z").call(SOUTH, "pung", "66z jk", EAST, "6z")
        .turn(SOUTH, None, "1z")
    )  # fmt: skip
    return told("A pung with a fly", MALAYSIAN, hands, story, (SOUTH, "joker_misuse"))


def fly_win() -> Script:
    """South takes a discarded fly for the missing tile of its hand."""
    hands = {**MALAYSIAN_HANDS, EAST: "jk 1z 9p 6z 13577p 1234z 5z"}
    story = _green_pung_with("1c", "1a", "2f").turn(EAST, "1p", "jk")
    story.win(SOUTH, MALAYSIAN_WAIT, "jk", EAST)
    return told("A win on a fly", MALAYSIAN, hands, story, (SOUTH, "joker_misuse"))


def fly_taken() -> Script:
    """South takes a discarded fly for a pung."""
    hands = {**MALAYSIAN_HANDS, EAST: "jk 1z 9p 6z 13577p 1234z 5z"}
    story = (
        Story().turn(EAST, None, "jk").call(SOUTH, "pung", "66z jk", EAST, "jk")
        .turn(SOUTH, None, "1z")
    )  # fmt: skip
    return told("A fly that is taken", MALAYSIAN, hands, story, (SOUTH, "joker_misuse"))


def fly_kong() -> Script:
    """South adds a fly to its pung."""
    story = (
        Story().turn(EAST, None, "6z").call(SOUTH, "pung", "666z", EAST, "6z")
        .turn(SOUTH, None, "1z")
        .turn(WEST, "2z", "2z").turn(EAST, "3z", "3z")
        .draw(SOUTH, "jk").kong(SOUTH, "added_kong", "666z jk", "jk")
    )  # fmt: skip
    return told("A kong with a fly", MALAYSIAN, MALAYSIAN_HANDS, story, (SOUTH, "joker_misuse"))


def malaysian_robbing() -> Script:
    """East declares a concealed kong of 5p and South would win with it."""
    hands = {
        **MALAYSIAN_HANDS,
        EAST: "1z 6z 5555p 137p 123z 57z",
        SOUTH: "234p 678p 34p 99p 66z 1z",
    }
    story = (
        _green_pung_with("1c", "1a", "2f").draw(EAST, "1p").kong(EAST, "concealed_kong", "5555p")
    )
    story.win(SOUTH, "234p 678p 34p 99p", "5p", EAST)
    breach = (SOUTH, "wrong_robbing")
    return told("Robbing a concealed kong in Malaysia", MALAYSIAN, hands, story, breach)


def malaysian_chow() -> Script:
    """South makes a chow from East's discard and then claims a win."""
    hands = {
        **MALAYSIAN_HANDS,
        SOUTH: "567p 34p 34p 99p 666z 1z",
        EAST: "1z 22p 9p 1357p 1234z 57z",
    }
    story = Story().turn(EAST, None, "2p").call(SOUTH, "chow", "234p", EAST, "2p")
    story.turn(SOUTH, None, "1z").turn(WEST, "2z", "2z").turn(EAST, "3z", "3z")
    story.all_aside(SOUTH, "1c", "1a", "2f", last="4z").turn(SOUTH, None, "4z")
    story.turn(WEST, "5z", "5z").turn(EAST, "1p", "2p")
    story.win(SOUTH, "567p 34p 99p 666z", "2p", EAST)
    breaches = ((SOUTH, "wrong_call"), (SOUTH, "wrong_call"))
    return told("A chow in Malaysia", MALAYSIAN, hands, story, *breaches)


def malaysian_outranked() -> Script:
    """South and East claim West's 5p: East comes first."""
    hands = {
        EAST: "234p 678p 34p 88p 66z 1z 7z",
        SOUTH: "234p 678p 67p 99p 77z 1z",
        WEST: "6z 12p 5p 3355z 11p 15p 4z",
    }
    story = Story().turn(EAST, None, "1z").turn(SOUTH, "1z", "1z").turn(WEST, "2z", "6z")
    story.call(EAST, "pung", "666z", WEST, "6z").turn(EAST, None, "7z")
    story.call(SOUTH, "pung", "777z", EAST, "7z").turn(SOUTH, None, "1z").turn(WEST, "2z", "2z")
    story.all_aside(EAST, "1c", "1a", "1f", last="3z").turn(EAST, None, "3z")
    story.all_aside(SOUTH, "2c", "2a", "2f", last="4z").turn(SOUTH, None, "4z")
    story.turn(WEST, "2z", "5p")
    story.win(EAST, "234p 678p 34p 88p", "5p", WEST).win(SOUTH, "234p 678p 67p 99p", "5p", WEST)
    story.show(WEST, "12p 3355z 11p 15p 4z 2z 2z")
    return told("Two wins in Malaysia", MALAYSIAN, hands, story, (SOUTH, "outranked"))


def kept_bonus() -> Script:
    """South claims a win with an animal among its tiles."""
    story = Story().turn(EAST, None, "6z").call(SOUTH, "pung", "666z", EAST, "6z")
    story.turn(SOUTH, None, "1z").turn(WEST, "2z", "2z").turn(EAST, "3z", "3z")
    story.turn(SOUTH, "1a", "4p").turn(WEST, "5z", "5z").turn(EAST, "1p", "5p")
    story.win(SOUTH, "234p 567p 3p 99p 1a", "5p", EAST)
    breach = (SOUTH, "bonus_tile_kept")
    return told("An animal in the hand", MALAYSIAN, MALAYSIAN_HANDS, story, breach)


def bonus_discarded() -> Script:
    """South discards an animal."""
    story = Story().turn(EAST, None, "6z").turn(SOUTH, "1a", "1a")
    breach = (SOUTH, "bonus_tile_kept")
    return told("A discarded animal", MALAYSIAN, {EAST: "6z"}, story, breach)


def malaysian_late_win() -> Script:
    """West claims East's 5p after South has set an animal aside and drawn another tile."""
    hands = {EAST: "5p 1z 9p 6z 1377p 1234z 57z", WEST: "234p 567p 34p 99p 666z"}
    story = Story().turn(EAST, None, "5p").draw(SOUTH, "1a").aside(SOUTH, "1a", "3z")
    story.win(WEST, "234p 567p 34p 99p 666z", "5p", EAST)
    return told(
        "A win that comes too late in Malaysia", MALAYSIAN, hands, story, (WEST, "late_claim")
    )


def losers_compared() -> Script:
    """South wins on East's 5p; West shows three honour pungs, East keeps its hand closed."""
    hands = {
        EAST: "1z 9p 6z 13577p 12z",
        SOUTH: "234p 567p 34p 99p 66z 1z",
        WEST: "555z 777z 333z 11p 8p 2p",
    }
    story = (
        Story().turn(EAST, None, "6z").call(SOUTH, "pung", "666z", EAST, "6z")
        .turn(SOUTH, None, "1z").all_aside(WEST, "3f", "4f", last="2z").turn(WEST, None, "2z")
        .turn(EAST, "4z", "4z").all_aside(SOUTH, "1c", "1a", "2f", last="4z")
        .turn(SOUTH, None, "4z").turn(WEST, "2z", "2z").turn(EAST, "1p", "5p")
        .win(SOUTH, MALAYSIAN_WAIT, "5p", EAST).show(WEST, hands[WEST])
    )  # fmt: skip
    return told("Losers compared, one hand closed", MALAYSIAN, hands, story)


def malaysian_last_kong() -> Script:
    """After the last tile of the wall South declares a kong that nothing can replace."""
    story = Story().turn(EAST, None, "1z")
    for number, seat in enumerate((SOUTH, WEST, EAST, SOUTH), start=1):
        story.rid(seat, *(f"{number}{suit}" for suit in "fgca"))
    for seat in (WEST, EAST, SOUTH, WEST):
        story.turn(seat, "jk", "jk")
    story.idle((EAST, SOUTH, WEST), 19).draw(SOUTH, "9p").kong(SOUTH, "concealed_kong", "7777z")
    hands = {EAST: "1z", SOUTH: "7777z"}
    breach = (SOUTH, "wrong_kong")
    return told("A kong after the last tile in Malaysia", MALAYSIAN, hands, story, breach)


def short_riichi_hand() -> Script:
    """South shows too few tiles beside the winning one."""
    return _wrong_count(HONSHU, "Too few tiles in Honshu", "234p 678p 567s 66z 99s", "8s")


def short_malaysian_hand() -> Script:
    """South shows too few tiles beside the winning one."""
    return _wrong_count(MALAYSIAN, "Too few tiles in Malaysia", "234p 567p 345p 66z 99p", "8p")


Scripts = Mapping[str, Callable[[], Script]]
KOREAN_SCRIPTS: Scripts = {
    "sacred_discard": sacred_discard,
    "sacred_last": sacred_last,
    "sacred_line": sacred_line,
    "sacred_wait": sacred_wait,
    "sacred_missed": sacred_missed,
    "sacred_pung": sacred_pung,
    "sacred_kong": sacred_kong,
    "below_minimum": below_minimum,
    "not_a_win": not_a_win,
    "robbing_no_chow": robbing_no_chow,
    "robbing_concealed": robbing_concealed,
    "chow_call": chow_call,
    "chow_win": chow_win,
    "onto_pung": onto_pung,
    "late_pung": late_pung,
    "late_win": late_win,
    "open_ready": open_ready,
    "false_ready": false_ready,
    "ready_pung": ready_pung,
    "ready_kong": ready_kong,
    "flower_discarded": flower_discarded,
    "flower_in_hand": flower_in_hand,
    "outranked": outranked,
    "short_hand": short_hand,
    "out_of_turn": out_of_turn,
    "last_kong": last_kong,
    "payer_waiting": payer_waiting,
}
HONSHU_SCRIPTS: Scripts = {
    "honshu_furiten": furiten,
    "honshu_passed_tile": passed_tile,
    "honshu_passed_after_riichi": passed_after_riichi,
    "honshu_no_yaku": no_yaku,
    "honshu_one_sided_yaku": one_sided_yaku,
    "honshu_safe_north": safe_north,
    "honshu_robbing_concealed": riichi_robbing_concealed,
    "honshu_robbing_north": robbing_north,
    "honshu_north_pung": north_pung,
    "honshu_chow": riichi_chow,
    "honshu_onto_pung": lambda: onto_pung(HONSHU),
    "honshu_late_pung": lambda: late_pung(HONSHU),
    "honshu_riichi_open": riichi_open,
    "honshu_riichi_poor": riichi_poor,
    "honshu_riichi_noten": riichi_noten,
    "honshu_riichi_kong": riichi_kong,
    "honshu_riichi_pung": riichi_pung,
    "honshu_riichi_north": riichi_north,
    "honshu_head_bump": head_bump,
    "honshu_flower_discarded": nuki_discarded,
    "honshu_not_a_win": riichi_not_a_win,
    "honshu_short_hand": short_riichi_hand,
    "honshu_out_of_turn": lambda: out_of_turn(HONSHU),
    "honshu_last_kong": riichi_last_kong,
}
MALAYSIAN_SCRIPTS: Scripts = {
    "malaysian_poor_hand": poor_hand,
    "malaysian_not_a_win": no_malaysian_hand,
    "malaysian_fly_pung": fly_pung,
    "malaysian_fly_win": fly_win,
    "malaysian_fly_taken": fly_taken,
    "malaysian_fly_kong": fly_kong,
    "malaysian_robbing_concealed": malaysian_robbing,
    "malaysian_chow": malaysian_chow,
    "malaysian_onto_pung": lambda: onto_pung(MALAYSIAN),
    "malaysian_late_pung": lambda: late_pung(MALAYSIAN),
    "malaysian_late_win": malaysian_late_win,
    "malaysian_outranked": malaysian_outranked,
    "malaysian_kept_bonus": kept_bonus,
    "malaysian_bonus_discarded": bonus_discarded,
    "malaysian_short_hand": short_malaysian_hand,
    "malaysian_out_of_turn": lambda: out_of_turn(MALAYSIAN),
    "malaysian_last_kong": malaysian_last_kong,
    "malaysian_losers_compared": losers_compared,
}
THREE_PLAYER_SCRIPTS: Scripts = {**KOREAN_SCRIPTS, **HONSHU_SCRIPTS, **MALAYSIAN_SCRIPTS}
