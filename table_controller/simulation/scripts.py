"""Deals with a story, for demonstrations and tests, by name: `mahjong-table simulate --script`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.seats import Seat
from table_controller.simulation.scripting import Script, Story, told
from table_controller.simulation.three_player_scripts import THREE_PLAYER_SCRIPTS

EAST, SOUTH, WEST, NORTH = Seat


def furiten_win() -> Script:
    """South waits for 2p and 5p, has discarded 5p itself, and claims East's 2p."""
    hands = {
        EAST: "1z 2p 19m 19s 234z 567z 8p 6s",
        SOUTH: "123m 456m 789s 345p 9p",
        WEST: "2468m 1357s 1m 3s 5s 7z 2z",
        NORTH: "1357m 2468s 9m 4s 6s 6z 3z",
    }
    story = (
        Story()
        .turn(EAST, None, "1z")
        .turn(SOUTH, "9p", "5p")
        .turn(WEST, "8p", "2z")
        .turn(NORTH, "7p", "3z")
        .turn(EAST, "4z", "2p")
        .win(SOUTH, "123m 456m 789s 34p 99p", "2p", EAST)
    )
    return told("A win in furiten", "riichi_4p", hands, story, (SOUTH, "furiten"))


_LATE_PUNG = {  # of a 5p that West discards (chinese_classical.md, example C40)
    EAST: "1z 2z 147m 258p 369s 34z 6z",
    SOUTH: "2z 55p 123m 456m 78s 1s 3z",
    WEST: "5p 369m 147p 258s 12z 6z",
    NORTH: "46p 123m 789m 78s 22s 3z",
}


def pung_before_chow() -> Script:
    """North lays a chow of West's 5p, South claims a pung a moment later and gets the tile."""
    story = (
        Story()
        .turn(EAST, None, "1z")
        .turn(SOUTH, "9s", "2z")
        .turn(WEST, "9s", "5p")
        .call(NORTH, "chow", "456p", WEST, "5p")
        .take_back(NORTH)
        .call(SOUTH, "pung", "555p", WEST, "5p")
        .turn(SOUTH, None, "3z")
        .turn(WEST, "4z", "4z")
    )
    return told("A pung before a chow", "chinese_classical", _LATE_PUNG, story)


def late_pung() -> Script:
    """North has drawn when South claims a pung of West's 5p: North's tile goes back to the wall."""
    story = (
        Story()
        .turn(EAST, None, "1z")
        .turn(SOUTH, "9s", "2z")
        .turn(WEST, "9s", "5p")
        .draw(NORTH, "4z")
        .put_back(NORTH)
        .call(SOUTH, "pung", "555p", WEST, "5p")
        .turn(SOUTH, None, "3z")
        .turn(WEST, "4z", "4z")
        .turn(NORTH, "9p", "9p")
    )
    return told("A pung after a draw", "chinese_classical", _LATE_PUNG, story)


SCRIPTS: Mapping[str, Callable[[], Script]] = {
    "furiten_win": furiten_win,
    "classical_pung_before_chow": pung_before_chow,
    "classical_late_pung": late_pung,
    **THREE_PLAYER_SCRIPTS,
}


def find_script(name: str) -> Script:
    """The script of that name; raises OptionError that lists the names there are."""
    if name not in SCRIPTS:
        raise OptionError(f"there is no script {name!r}; there are {', '.join(SCRIPTS)}")
    return SCRIPTS[name]()
