"""The time the bridge lives in: the event loop's, or a simulated world's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that will happen, unless it is cancelled."""

    def cancel(self) -> None:
        """Forget it."""


class Clock(Protocol):
    """Tells the time and calls back; everything that waits takes one."""

    def now(self) -> float:
        """Seconds since an arbitrary moment; never goes back."""

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Timer:
        """Call back in the running event loop, `delay_s` from now."""

    def wire(self, *, sent: int = 0, received: int = 0) -> None:
        """So many bytes went out or came in; simulated time waits for those on their way."""


class LoopClock:
    """The time of the running event loop: what a real table uses."""

    def now(self) -> float:
        """Seconds of the loop's monotonic clock."""
        return asyncio.get_running_loop().time()

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Timer:
        """Call back `delay_s` from now."""
        return asyncio.get_running_loop().call_later(delay_s, callback)

    def wire(self, *, sent: int = 0, received: int = 0) -> None:
        """Real time waits for nobody."""


async def sleep(clock: Clock, delay_s: float) -> None:
    """Wait in the time of that clock."""
    woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wake() -> None:
        if not woken.done():
            woken.set_result(None)

    timer = clock.call_later(delay_s, wake)
    try:
        await woken
    finally:
        timer.cancel()
