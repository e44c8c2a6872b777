"""A clock that goes on only when a test says so."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable


class _Timer:
    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class ManualClock:
    """Time in a test's hands; see `firmware_bridge.clock.Clock`."""

    def __init__(self) -> None:
        self._now = 0.0
        self._timers: list[tuple[float, int, _Timer]] = []
        self._number = itertools.count()

    def now(self) -> float:
        return self._now

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> _Timer:
        timer = _Timer(callback)
        heapq.heappush(self._timers, (self._now + delay_s, next(self._number), timer))
        return timer

    def wire(self, *, sent: int = 0, received: int = 0) -> None:
        pass

    async def advance(self, seconds: float) -> None:
        """Let that time pass; every timer fires in order, and tasks run in between."""
        until = self._now + seconds
        await self.settle()
        while self._timers and self._timers[0][0] <= until + 1e-9:
            at, _, timer = heapq.heappop(self._timers)
            self._now = max(self._now, at)
            if not timer.cancelled:
                timer.callback()
            await self.settle()
        self._now = until
        await self.settle()

    @staticmethod
    async def settle() -> None:
        """Let every task run until it waits."""
        for _ in range(10):
            await asyncio.sleep(0)

    @property
    def pending(self) -> int:
        """Timers that would still fire."""
        return sum(not timer.cancelled for _, _, timer in self._timers)
