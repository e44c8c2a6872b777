"""Recorded games of other programs, read into one neutral form and written back.

A `RecordedGame` holds the deals of one match. A `RecordedDeal` tells what happened in the events
of `rules.core.events`, from `DealBegan` to the last discard, call, `WinClaimed` and `HandShown` or
`DrawDeclared` (never verdicts: those are ours to compute), and beside them what the source says
came of it: `RecordedWin` and `RecordedDraw` with yaku, han, fu and every payment. `wall` is a wall
that produces exactly this deal, in the order of `rules.riichi.wall`; tiles the record does not
determine are filled from what is left of the set.

`read_games(path)` reads Tenhou mjlog XML, Tenhou JSON, mjai, the kobalab format, client views (one
seat's knowledge, other tiles None) and our own JSON, plain or gzipped.
"""

from __future__ import annotations

from table_controller.records.game import (
    RecordedDeal,
    RecordedDraw,
    RecordedGame,
    RecordedWin,
    RecordedYaku,
    RecordError,
)
from table_controller.records.reading import parse_games, read_games

__all__ = [
    "RecordError",
    "RecordedDeal",
    "RecordedDraw",
    "RecordedGame",
    "RecordedWin",
    "RecordedYaku",
    "parse_games",
    "read_games",
]
