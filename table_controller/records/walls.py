"""A wall that produces a recorded deal, tile by tile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from table_controller.rules.core.events import (
    DealBegan,
    Drawn,
    GameEvent,
    HandDealt,
    IndicatorShown,
)
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile
from table_controller.rules.riichi import RIICHI_3P, RIICHI_4P
from table_controller.rules.riichi.play import wall as wall_plan


def rebuild_wall(events: Sequence[GameEvent], players: int) -> tuple[Tile, ...] | None:
    """All tiles in draw order; None when the record has unknown tiles.

    Places that the record does not determine are filled with what is left of the set, in the
    order of the set. Red fives are as many as the record shows, at least those of the standard
    set with one a suit when any is seen.
    """
    began = next(event for event in events if isinstance(event, DealBegan))
    hands = {event.seat: event.tiles for event in events if isinstance(event, HandDealt)}
    drawn = [event for event in events if isinstance(event, Drawn)]
    known = [tile for tiles in hands.values() for tile in tiles] + [e.tile for e in drawn]
    if any(tile is None for tile in known) or not drawn or len(hands) != players:
        return None
    ruleset = RIICHI_3P if players == 3 else RIICHI_4P
    reds = {tile for tile in known if tile is not None and tile.red}
    options = ruleset.options
    if players == 4:
        options = RIICHI_4P.presets["tenhou" if reds else "novosibirsk"]
    plan = wall_plan(options)
    left = Counter(ruleset.tile_set(options).tiles())  # type: ignore[arg-type]
    size = sum(left.values())
    places: dict[int, Tile] = {}
    order = [began.dealer.after(step, players) for step in range(players)]
    for index, (seat, place) in enumerate(_deal_order(order)):
        tile = drawn[0].tile if place == 13 else hands[seat][place]
        assert tile is not None
        places[index] = tile
    front = len(places)
    replaced = 0
    for draw in drawn[1:]:
        assert draw.tile is not None
        if draw.replacement:
            places[size - plan.dead[replaced]] = draw.tile
            replaced += 1
        else:
            places[front] = draw.tile
            front += 1
    shown = [e.tile for e in events if isinstance(e, IndicatorShown) and not e.under]
    under = [e.tile for e in events if isinstance(e, IndicatorShown) and e.under]
    for place, tile in zip(plan.indicators, shown, strict=False):
        places[size - place] = tile
    for place, tile in zip(plan.under, under, strict=False):
        places[size - place] = tile
    left.subtract(places.values())
    if min(left.values()) < 0:
        return None
    rest = [tile for tile, number in left.items() for _ in range(number)]
    return tuple(places[index] if index in places else rest.pop() for index in range(size))


def _deal_order(order: Sequence[Seat]) -> list[tuple[Seat, int]]:
    """Whose tile of the hand each tile of the wall becomes: thrice four, one, and the dealer's."""
    found = [(seat, 4 * turn + step) for turn in range(3) for seat in order for step in range(4)]
    found += [(seat, 12) for seat in order]
    return [*found, (order[0], 13)]
