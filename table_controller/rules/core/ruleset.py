"""A ruleset is a value: what the table needs to play, judge and settle one game of mahjong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, TypeVar

from table_controller.rules.core.case import Answer, Case
from table_controller.rules.core.conduct import Conduct
from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.game import Choose, Play
from table_controller.rules.core.tiles import Tile, TileSet

O = TypeVar("O")  # noqa: E741  # the ruleset's own options


@dataclass(frozen=True)
class Ruleset(Generic[O]):
    """Everything about one game that does not change while it is played.

    ``options`` is the ruleset's frozen dataclass of options with its defaults; ``presets`` are
    named values of it. ``settle_win`` judges and settles one claimed win. A house rule is a
    changed copy of an options value.
    """

    name: str
    title: str
    native: str
    source: str
    players: int
    options: O
    presets: Mapping[str, O]
    tile_set: Callable[[O], TileSet]
    settle_win: Callable[[Case, O], Answer]
    # The case without flags that cannot hold, and a note for each; CaseError for the impossible.
    check_case: Callable[[Case, O], tuple[Case, tuple[str, ...]]] | None = None
    play: Play | None = None  # how deals are played; None while only single hands can be scored
    conduct: Conduct | None = None  # what the table announces as wrong while a deal is played
    dora_of: Callable[[Tile, O], Tile] | None = None  # indicator -> the tile that scores
    preset_sources: Mapping[str, str] = field(default_factory=dict)  # where from, and when
    # which of dora, ura, counters, deposits and goulash change what a win is paid
    counted: frozenset[str] = frozenset()
    extra_keys: Mapping[str, str] = field(default_factory=dict)  # score-case keys of its own
    player: Callable[[O], Choose] | None = None  # plays sensibly where any bot would never win

    def players_with(self, options: O) -> int:
        """How many play by these options."""
        return self.players if self.play is None else len(self.play.first_deal(options).points)

    def choose(self, preset: str | None = None, /, **changes: Any) -> O:
        """The options of a preset with some changed; raises OptionError for unknown names."""
        if preset is not None and preset not in self.presets:
            raise OptionError(
                f"{self.name} has no preset {preset!r}; it has {', '.join(self.presets)}"
            )
        options = self.options if preset is None else self.presets[preset]
        known = [each.name for each in fields(options)]  # type: ignore[arg-type]
        for key in changes:
            if key not in known:
                raise OptionError(f"{self.name} has no option {key!r}; it has {', '.join(known)}")
        return replace(options, **changes)  # type: ignore[type-var]
