"""Recorded games for tests: a few of each source, read once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from table_controller.records import RecordedGame, read_games
from tests.shared_data import shared_data

# Self-play logs of a bot's own table program, whose points do not add up, and a fixture that its
# owner edited by hand: kept to show that they are noticed.
BROKEN_RECORDS = {"23.xml", "24.xml", "25.xml", "hanchan_with_noname.xml", "confusing_nakis_2.json"}


@lru_cache(maxsize=256)
def games_of(path: Path) -> tuple[RecordedGame, ...]:
    """The games of one file."""
    return tuple(read_games(path))


def log_files(*folders: str) -> list[Path]:
    """The log files of these folders of the shared data."""
    return sorted(
        path
        for folder in folders
        for path in shared_data(f"logs/{folder}").iterdir()
        if path.suffix in (".xml", ".json", ".gz") and path.name not in BROKEN_RECORDS
    )


def some_games(step: int = 4) -> list[RecordedGame]:
    """Every ``step``-th four-player game of the Tenhou logs with all tiles known."""
    files = log_files("tenhou_mjx", "tenhou_pantheon", "tenhou_python_bot", "tenhou_dnovikoff")
    games = [game for path in files[::step] for game in games_of(path)]
    return [game for game in games if game.ruleset == "riichi_4p"]
