"""Rules of mahjong: pure functions and values, no clock, no randomness, no files."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.ruleset import Ruleset

_WHERE = {
    "riichi_4p": "riichi:RIICHI_4P",
    "riichi_3p": "riichi:RIICHI_3P",
    "korean_japanese_3p": "korean_japanese_3p:RULESET",
    "japanese_3p": "japanese_3p:RULESET",
    "malaysian_3p": "malaysian_3p:RULESET",
    "chinese_classical": "chinese_classical:RULESET",
    "mcr": "mcr:RULESET",
    "hong_kong_old": "hong_kong_old:RULESET",
    "filipino": "filipino:RULESET",
    "american": "american:RULESET",
    "two_player": "two_player:RULESET",
}

RULESET_NAMES = tuple(_WHERE)


def find_ruleset(name: str) -> Ruleset[Any]:
    """The ruleset of that name; raises OptionError that lists the names there are."""
    where = _WHERE.get(name)
    if where is None:
        raise OptionError(f"there is no ruleset {name!r}; there are {', '.join(RULESET_NAMES)}")
    module, attribute = where.split(":")
    found: Ruleset[Any] = getattr(import_module(f"{__name__}.{module}"), attribute)
    return found
