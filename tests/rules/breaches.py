"""What the table would have announced while a recorded deal was played."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from table_controller.rules.core.case import Violation
from table_controller.rules.core.conduct import Conduct
from table_controller.rules.core.events import DealBegan, GameEvent
from table_controller.rules.core.state import DealState, apply, begin


def breaches_of(
    conduct: Conduct, events: Iterable[GameEvent], players: int, options: Any
) -> list[Violation]:
    """All breaches in the record of a deal, from its `DealBegan` on."""
    found: list[Violation] = []
    state: DealState | None = None
    for event in events:
        if isinstance(event, DealBegan):
            state = begin(event, players)
        elif state is not None:
            found += conduct.breaches(state, event, options)
            state = apply(state, event)
    return found
