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


SCRIPTS: Mapping[str, Callable[[], Script]] = {
    "furiten_win": furiten_win,
    **THREE_PLAYER_SCRIPTS,
}


def find_script(name: str) -> Script:
    """The script of that name; raises OptionError that lists the names there are."""
    if name not in SCRIPTS:
        raise OptionError(f"there is no script {name!r}; there are {', '.join(SCRIPTS)}")
    return SCRIPTS[name]()
