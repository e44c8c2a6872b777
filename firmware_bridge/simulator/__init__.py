"""A whole table in memory: real firmware behind a real pty, and a world with every tile in it.

    layout = PRESETS["136"]                          # firmware_bridge.layout
    with SimulatedTable(layout, labels, labels, seed=1, speed="max") as table:
        async with Bridge(table.port, clock=table.clock) as bridge:   # firmware_bridge.bridge
            ...                                      # or table_controller.machine.Machine

`labels` are the strings of one set (136 for riichi). Tiles are numbers: set A is 0 to N-1, set B
follows; `table.world.labels[tile]` is the string, `table.world.sets["A"]` the numbers of a set.

What the composer uses:

- `table.port`: path for pyserial (stays the same when the cable is replugged).
- `table.clock`: simulated time; give it to Bridge and Machine, and use it for every wait
  (`firmware_bridge.clock.sleep(table.clock, 2.0)`). Time waits for the event loops that use the
  clock, so a slow computation in the loop never makes the table run away.
- `with table.hold():` no simulated time passes (while a picture is read in another process).
- `table.world.push_into_mouth(tiles)`: players push tiles in; the centre has to be up.
- `table.world.walls()`: for each side its stacks, each a tuple from the bottom up, counted from
  the right end as that side's seat sees it; `dealt_hands()` where the machine deals.
- `table.world.take(tiles)`: players took those off the walls. `clear_walls()`: they knocked the
  rest over. `tiles_at(Place.SURFACE)`: what lies on the table top.
- `table.world.plant_walls(stacks)`: the next build comes out like this (same shape as `walls()`);
  `plant_dice((3, 4))`. For replaying recorded games.
- `table.world.dice()`: the faces in the dome.
- `table.world.inject(verb, where, amount)`: faults; verbs in `simulator/faults.py`.

Both sets begin on the table top (`Place.SURFACE`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Literal, Self

from firmware_bridge.clock import Clock
from firmware_bridge.layout import TableLayout
from firmware_bridge.simulator.rig import Rig
from firmware_bridge.simulator.world import Place, Spot, World, WorldError

__all__ = ["Place", "SimulatedTable", "Spot", "World", "WorldError"]

Speed = float | Literal["max"]


class SimulatedTable:
    """World, firmware and cable; close it when done."""

    def __init__(
        self,
        layout: TableLayout,
        labels_a: Sequence[str],
        labels_b: Sequence[str] = (),
        *,
        seed: int = 0,
        speed: Speed = "max",
        noise: float = 0.0,
        host_limit_s: float = 60.0,
    ) -> None:
        self.layout = layout
        self.world = World(layout, labels_a, labels_b, seed=seed)
        self.rig = Rig(
            self.world,
            speed=None if speed == "max" else float(speed),
            noise=noise,
            seed=seed,
            host_limit_s=host_limit_s,
        )

    @property
    def port(self) -> str:
        """What pyserial opens."""
        return str(self.rig.cable.path)

    @property
    def clock(self) -> Clock:
        """Simulated time."""
        return self.rig.clock

    @property
    def failure(self) -> BaseException | None:
        """Why the simulation ended by itself, when it did."""
        return self.rig.failure

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Let no simulated time pass meanwhile."""
        with self.rig.hold():
            yield

    def close(self) -> None:
        """End it."""
        self.rig.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
