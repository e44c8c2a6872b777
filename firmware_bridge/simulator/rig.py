"""Runs world, firmware and cable together, in the world's own time.

One thread: it asks the firmware for its outputs, lets the world pass until something happens,
and answers. Time never runs ahead of a host that shares the clock (`WorldClock`): before it moves
on, the host's event loop has handled every byte and every timer that was due. So a simulation
gives the same result at any speed, however slow the host computes.
"""

from __future__ import annotations

import asyncio
import binascii
import contextlib
import errno
import heapq
import itertools
import logging
import os
import select
import shutil
import tempfile
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

from firmware_bridge.clock import Timer
from firmware_bridge.simulator.cosim import TELL, Ask, FirmwareProcess
from firmware_bridge.simulator.noise import Noise
from firmware_bridge.simulator.world import STEP_MS, World, WorldError

logger = logging.getLogger(__name__)

WATCHDOG_MS = 400
BOOT_MS = 60
MAX_CHUNK = 480
QUIET_STEP_MS = 50
SETTLE_ROUNDS = 8
CARRY_S = 0.01
BOARD_ID = 0x5EED0001


class HostTimer:
    """A callback the host wants at a time of the world."""

    __slots__ = ("at_ms", "callback", "cancelled", "loop")

    def __init__(
        self, at_ms: float, callback: Callable[[], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self.at_ms = at_ms
        self.callback = callback
        self.loop = loop
        self.cancelled = False

    def cancel(self) -> None:
        """Forget it."""
        self.cancelled = True


class WorldClock:
    """The world's time for the host; see `firmware_bridge.clock.Clock`."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig

    def now(self) -> float:
        """Seconds of simulated time."""
        return self._rig.world.now_ms / 1000.0

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Timer:
        """Call back in the running event loop, `delay_s` of simulated time from now."""
        return self._rig.add_timer(delay_s, callback)

    def wire(self, *, sent: int = 0, received: int = 0) -> None:
        """The kernel takes its time to carry bytes through a pty; the world waits for it."""
        self._rig.host_sent += sent
        self._rig.host_received += received


class Cable:
    """The pty between host and board; can be pulled and plugged in again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = itertools.count()
        self.path = folder / "motor-board"  # stays, like /dev/serial/by-id
        self.device = ""
        self._master = -1
        self._slave = -1
        self._next = os.openpty()
        self.plug()

    @property
    def plugged(self) -> bool:
        """Whether the host can reach the board."""
        return self._master >= 0

    def plug(self) -> None:
        """A new device under a new name; the stable path points to it."""
        if self.plugged:
            return
        self._master, self._slave = self._next
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.device = os.ttyname(self._slave)
        link = self._folder / f"link{next(self._names)}"
        link.symlink_to(self.device)
        os.replace(link, self.path)

    def unplug(self) -> None:
        """The device goes away; an open port gets an error."""
        if not self.plugged:
            return
        self.path.unlink(missing_ok=True)
        self._next = os.openpty()  # before the old one's name is free again
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1

    def close(self) -> None:
        """Pull it for good."""
        self.unplug()
        for end in self._next:
            os.close(end)

    def read(self) -> bytes:
        """What the host sent; empty when nothing is there."""
        if not self.plugged:
            return b""
        try:
            return os.read(self._master, MAX_CHUNK)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EIO):
                raise
            return b""

    def wait(self, timeout_s: float) -> bool:
        """Whether something from the host arrives in that time (of the wall clock)."""
        ends = [self._master] if self.plugged else []
        return bool(select.select(ends, [], [], timeout_s)[0])

    def write(self, data: bytes) -> int:
        """Send to the host; nobody reading means lost, as on a real line. Bytes taken."""
        if self.plugged:
            with contextlib.suppress(OSError):
                return os.write(self._master, data)
        return 0


class Rig:
    """The thread that holds it all together."""

    def __init__(
        self,
        world: World,
        *,
        speed: float | None,
        noise: float = 0.0,
        seed: int = 0,
        host_limit_s: float = 60.0,
    ) -> None:
        self.world = world
        self.speed = speed
        self.host_limit_s = host_limit_s
        self.clock = WorldClock(self)
        self._folder = Path(tempfile.mkdtemp(prefix="mahjong-table-"))
        self.cable = Cable(self._folder)
        self.to_board = Noise(noise, seed * 2 + 1)
        self.to_host = Noise(noise, seed * 2 + 2)
        self._firmware = FirmwareProcess()
        self._seed = seed
        self.host_sent = 0
        self.host_received = 0
        self._read = 0
        self._written = 0
        self._boots = 0
        self._reset_cause = 0
        self._fed_ms = 0
        self._frozen = False
        self._muted = False
        self._closing = threading.Event()
        self._holds = 0
        self._changed = threading.Condition()
        self._timers: list[tuple[float, int, HostTimer]] = []
        self._timer_number = itertools.count()
        self._requests: list[Callable[[], None]] = []
        self._loops: set[asyncio.AbstractEventLoop] = set()
        self._pending = b""
        self._told_inputs = 0
        self._wall_at = time.monotonic()
        self._wall_ms = 0.0
        self.questions = 0
        self.failure: BaseException | None = None
        world.outside.update(
            {
                "unplug": lambda where, amount: self.request(self.cable.unplug),
                "replug": lambda where, amount: self.request(self.cable.plug),
                "noise": lambda where, amount: self.request(lambda: self._set_noise(amount)),
                "reset": lambda where, amount: self.request(lambda: self._reboot(3)),
                "power_cycle": lambda where, amount: self.request(lambda: self._reboot(0)),
                "freeze": lambda where, amount: self.request(lambda: self._freeze(True)),
                "thaw": lambda where, amount: self.request(lambda: self._freeze(False)),
                "crash": lambda where, amount: self.request(self._firmware_kill),
                "mute": lambda where, amount: self.request(lambda: self._mute(amount > 0)),
            }
        )
        self._thread = threading.Thread(target=self._run, name="simulated table", daemon=True)
        self._thread.start()

    # ---- from other threads

    def add_timer(self, delay_s: float, callback: Callable[[], None]) -> HostTimer:
        """A host timer in simulated time."""
        if self.failure is not None:
            raise WorldError(f"the simulated table ended: {self.failure!r}")
        loop = asyncio.get_running_loop()
        timer = HostTimer(self.world.now_ms + max(0.0, delay_s) * 1000.0, callback, loop)
        with self._changed:
            self._loops.add(loop)
            heapq.heappush(self._timers, (timer.at_ms, next(self._timer_number), timer))
            self._changed.notify_all()
        return timer

    def request(self, action: Callable[[], None]) -> None:
        """Have something done by the rig's thread between two steps; waits until it is."""
        if threading.current_thread() is self._thread:
            action()
            return
        done = threading.Event()

        def act() -> None:
            action()
            done.set()

        with self._changed:
            self._requests.append(act)
            self._changed.notify_all()
        while not done.wait(0.05) and self._thread.is_alive():
            pass

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Let no simulated time pass meanwhile."""
        with self._changed:
            self._holds += 1
        try:
            yield
        finally:
            with self._changed:
                self._holds -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """End thread, firmware and cable."""
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(10.0)
        self._firmware.close()
        self.cable.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    # ---- the thread

    def _run(self) -> None:
        try:
            self._loop()
        except BaseException as error:
            self.failure = error
            logger.exception("the simulated table ended")
            with self._changed:
                waiting = [timer for _, _, timer in self._timers if not timer.cancelled]
                self._timers.clear()
            for timer in waiting:  # nobody may wait for a time that never comes
                with contextlib.suppress(RuntimeError):
                    timer.loop.call_soon_threadsafe(timer.callback)

    def _loop(self) -> None:
        while not self._closing.is_set():
            self._serve_requests()
            if self._frozen:
                self._pass(STEP_MS)
                continue
            if not self._firmware.ready(0.2):
                continue  # it computes; no time passes
            ask = self._firmware.ask()
            if ask is None:
                self._ended()
                continue
            self._answer(ask)

    def _ended(self) -> None:
        """The firmware is gone: its outputs stay as they are until the watchdog bites."""
        errors = self._firmware.errors()
        if errors:
            logger.error("the firmware ended by itself: %s", errors)
        boots = self._boots
        while not self._closing.is_set() and self._boots == boots:
            self._serve_requests()
            self._pass(STEP_MS)

    def _answer(self, ask: Ask) -> None:
        self.questions += 1
        boots = self._boots
        world = self.world
        world.drive(ask.forward, ask.reverse, enabled=ask.enabled, slow=ask.slow)
        if ask.fed:
            self._fed_ms = world.now_ms
        if ask.wire:
            arrived = self.to_host.pass_through(ask.wire)
            if arrived:
                self._written += self.cable.write(arrived)
                self._settle()
        until = world.now_ms + ask.wait_ms
        while not self._closing.is_set():
            self._serve_requests()
            if self._boots != boots or self._frozen:
                if self._frozen and self._boots == boots:
                    self._pass(STEP_MS)
                    continue
                return
            if not self._pending:
                if self._read < self.host_sent and not self.cable.wait(CARRY_S):
                    self._read = self.host_sent  # sent before a replug: gone
                sent = self.cable.read()
                self._read += len(sent)
                if sent and not self._muted:
                    self._pending = self.to_board.pass_through(sent)
            if self._pending or world.now_ms >= until or world.inputs != self._told_inputs:
                break
            self._pass(min(QUIET_STEP_MS if world.quiet() else STEP_MS, until - world.now_ms))
        if self._boots == boots:
            self._tell()

    def _tell(self) -> None:
        world = self.world
        wire, self._pending = self._pending[:MAX_CHUNK], self._pending[MAX_CHUNK:]
        with world.lock:
            self._told_inputs = world.inputs
            answer = TELL.pack(
                world.now_ms & 0x3FFFFFFF,
                self._told_inputs,
                world.tacho(),
                world.supply_mv(),
                self._reset_cause,
                0,
                binascii.crc32(b"%d/%d" % (self._seed, self._boots)),
                BOARD_ID,
                *world.currents(),
                len(wire),
            )
        self._firmware.tell(answer + wire)

    def _pass(self, ms: int) -> None:
        """Let simulated time go on, up to that much, at the wanted speed, timers included."""
        while not self._closing.is_set():
            with self._changed:
                if not self._holds:
                    break
                self._changed.wait(0.1)
        world = self.world
        due = self._next_timer()
        if due is not None:
            ms = max(1, min(ms, int(due - world.now_ms + 0.999)))
        world.advance(max(1, ms))
        if world.now_ms - self._fed_ms > WATCHDOG_MS:
            self._reboot(1)
        self._fire_timers()
        self._pace(ms)

    def _pace(self, ms: int) -> None:
        """Sleep when the world is ahead of the clock on the wall."""
        if self.speed is None:
            return
        now = time.monotonic()
        self._wall_ms += ms / self.speed
        ahead = self._wall_ms / 1000.0 - (now - self._wall_at)
        if ahead < -0.25:
            self._wall_at, self._wall_ms = now, 0.0  # too slow to catch up: go on from here
        elif ahead <= 0.002:
            return
        elif self._frozen or self._muted:
            time.sleep(min(ahead, 0.1))
        else:  # a byte from the host wakes the board at once, as its UART would
            self.cable.wait(min(ahead, 0.1))

    def _serve_requests(self) -> None:
        while True:
            with self._changed:
                if not self._requests:
                    return
                action = self._requests.pop(0)
            action()

    # ---- the host's timers

    def _next_timer(self) -> float | None:
        with self._changed:
            while self._timers and self._timers[0][2].cancelled:
                heapq.heappop(self._timers)
            return self._timers[0][0] if self._timers else None

    def _fire_timers(self) -> None:
        due: list[HostTimer] = []
        with self._changed:
            while self._timers and (
                self._timers[0][2].cancelled or self._timers[0][0] <= self.world.now_ms
            ):
                timer = heapq.heappop(self._timers)[2]
                if not timer.cancelled:
                    due.append(timer)
        if due:
            self._settle(due)

    def _settle(self, due: list[HostTimer] | None = None) -> None:
        """Run these callbacks and wait until the host's loops have nothing ready any more."""
        with self._changed:
            loops = tuple(self._loops)
        if loops:
            until = time.monotonic() + CARRY_S
            while self.host_received < self._written:
                time.sleep(0.00005)
                if time.monotonic() > until:
                    self.host_received = self._written  # nobody has the port open
        for loop in loops:
            done = threading.Event()
            mine = [timer for timer in due or () if timer.loop is loop]

            def begin(
                loop: asyncio.AbstractEventLoop = loop,
                mine: list[HostTimer] = mine,
                done: threading.Event = done,
            ) -> None:
                for timer in mine:
                    if not timer.cancelled:
                        timer.callback()
                rounds(loop, SETTLE_ROUNDS, done)

            try:
                loop.call_soon_threadsafe(begin)
            except RuntimeError:  # that loop is closed
                with self._changed:
                    self._loops.discard(loop)
                continue
            until = time.monotonic() + self.host_limit_s
            while not done.wait(0.002) and not self._closing.is_set():
                self._serve_requests()  # the host may be waiting for us, too
                if time.monotonic() >= until or loop.is_closed():
                    break

    # ---- cable and firmware

    def _set_noise(self, rate: float) -> None:
        self.to_board.rate = self.to_host.rate = rate

    def _mute(self, muted: bool) -> None:
        """Nothing that the host sends arrives: as if it hung, with the cable in place."""
        self._muted = muted

    def _freeze(self, frozen: bool) -> None:
        self._frozen = frozen

    def _firmware_kill(self) -> None:
        self._firmware.kill()

    def _reboot(self, cause: int) -> None:
        """Reset: outputs float, pull-downs turn the motors off, the firmware starts anew."""
        self.world.drive(0, 0, enabled=False)
        self._firmware.close()
        self._boots += 1
        self._reset_cause = cause
        self._frozen = False
        self._pending = b""
        self._fed_ms = self.world.now_ms + BOOT_MS
        self._firmware = FirmwareProcess()


def rounds(loop: asyncio.AbstractEventLoop, left: int, done: threading.Event) -> None:
    """Set `done` after so many turns of the loop."""
    if left:
        loop.call_soon(rounds, loop, left - 1, done)
    else:
        done.set()
