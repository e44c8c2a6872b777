"""The host's end of the wire: `execute(command) -> report`, reports as they come, the last state.

It connects by itself and again by itself. Motion never resumes by itself: every new session
begins locked, and only `execute(Unlock())`, a person's word, opens it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import TracebackType
from typing import Self, TypeVar, cast

from firmware_bridge.clock import Clock, LoopClock, sleep
from firmware_bridge.errors import BridgeError, CommandTimeoutError, FrameError, LinkLostError
from firmware_bridge.faults import BY_NUMBER, Fault
from firmware_bridge.framing import REPEATED, Decoder, Frame, encode
from firmware_bridge.link import Link, OpenLink, open_link
from firmware_bridge.messages import (
    ANSWERS,
    HEARTBEAT_MS,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    REPORT_BY_OPCODE,
    RETRY_MS,
    SILENCE_MS,
    TABLE_HASH,
    Accepted,
    Command,
    Failed,
    Heard,
    Heartbeat,
    Hello,
    HelloAck,
    Incident,
    Refused,
    Report,
    Request,
    State,
    Stop,
)
from firmware_bridge.parts import Refusal

logger = logging.getLogger(__name__)

R = TypeVar("R", bound=Report)
T = TypeVar("T")

ANSWER_OPCODES = frozenset(kind.opcode for kind in ANSWERS)
POOR_AFTER = 5  # repetitions after which the link counts as poor
GIVE_UP_AFTER = 40  # repetitions; at 1 % damaged bytes one try in three fails
GARBLED_S = 3.0  # at 1 % damaged bytes two states in three are lost: thirty in a row never
KNOWN_FEATURES = 0
RECONNECT_S = 0.5
STOP_COPIES = 3


class RefusedError(BridgeError):
    """The board will not do it, and nothing moved."""

    def __init__(self, command: Command, reason: Refusal, detail: int) -> None:
        where = "" if detail == 255 else f" ({detail})"
        super().__init__(f"the board refuses {command!r}: {reason.name}{where}")
        self.command = command
        self.reason = reason
        self.detail = detail


class MotionFailedError(BridgeError):
    """What was begun could not be finished."""

    def __init__(self, command: Command, code: int, side: int) -> None:
        fault = BY_NUMBER.get(code)
        said = f"{fault.code}: {fault.cause}" if fault else "it was halted"
        super().__init__(f"{type(command).__name__} did not finish; {said}")
        self.command = command
        self.fault: Fault | None = fault
        self.side = None if side == 255 else side


class WrongBoardError(BridgeError):
    """Board and program do not belong together; only diagnosis is possible."""


class LinkState(Enum):
    """How far the connection is."""

    CLOSED = "closed"
    NO_PORT = "the port cannot be opened"
    SILENT = "the board does not answer"
    WRONG_BOARD = "board and program speak different versions"
    UP = "connected"


@dataclass(slots=True)
class LinkStatistics:
    """Counters for the screen and for /metrics."""

    connects: int = 0
    frames_sent: int = 0
    frames_received: int = 0
    repeats_sent: int = 0
    bad_frames: int = 0
    board_bad_frames: int = 0
    poor_links: int = 0
    commands: int = 0
    round_trip_ms: deque[float] = field(default_factory=lambda: deque(maxlen=1000))

    def round_trip(self, share: float) -> float | None:
        """A quantile of the last round trips (request to acceptance), in milliseconds."""
        if not self.round_trip_ms:
            return None
        ordered = sorted(self.round_trip_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass(slots=True)
class _Pending:
    """A request on its way."""

    command: Request[Report]
    frame: Frame
    accepted: asyncio.Future[None]
    answer: asyncio.Future[Report]
    sent_at: float = 0.0


class Bridge:
    """Keeps the motor board connected and speaks its language."""

    def __init__(
        self,
        port: str,
        *,
        clock: Clock | None = None,
        opener: OpenLink = open_link,
        sessions: random.Random | None = None,
        table_hash: int = TABLE_HASH,
        reconnect_s: float = RECONNECT_S,
        heartbeat_s: float = HEARTBEAT_MS / 1000.0,
    ) -> None:
        self.port = port
        self.clock: Clock = clock or LoopClock()
        self.statistics = LinkStatistics()
        self.board: HelloAck | None = None
        self.state: State | None = None
        self.link_state = LinkState.CLOSED
        self.problem = ""  # what keeps it from being connected, in words
        self.boot_changed = False
        self._opener = opener
        self._sessions = sessions or random.SystemRandom()
        self._table_hash = table_hash
        self._reconnect_s = reconnect_s
        self._heartbeat_s = heartbeat_s
        self._link: Link | None = None
        self._decoder = Decoder(table_hash)
        self._session = 0
        self._seq = 0
        self._pending: dict[int, _Pending] = {}
        self._heard: deque[int] = deque(maxlen=64)
        self._listeners: set[asyncio.Queue[Report]] = set()
        self._callbacks: list[Callable[[Report], None]] = []
        self._link_callbacks: list[Callable[[LinkState], None]] = []
        self._changed = asyncio.Event()
        self._broken = asyncio.Event()
        self._hello: asyncio.Future[HelloAck] | None = None
        self._heard_at = 0.0
        self._bytes_at = 0.0
        self._sent_at = 0.0
        self._task: asyncio.Task[None] | None = None

    # ---- open and close

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._keep_connected(), name="bridge")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._link is not None:
            self.stop(reason=2)
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._drop(LinkLostError("the bridge is closed"))
        self._set(LinkState.CLOSED, "")

    @property
    def connected(self) -> bool:
        """Whether commands can be sent."""
        return self.link_state is LinkState.UP

    async def wait_connected(self) -> HelloAck:
        """Wait until the board has answered; who it is."""
        while not self.connected or self.board is None:
            self._changed.clear()
            await self._changed.wait()
        return self.board

    async def wait_for(self, wanted: Callable[[Bridge], bool]) -> None:
        """Wait until that holds; looked at after every report and change of the link."""
        while not wanted(self):
            self._changed.clear()
            await self._changed.wait()

    # ---- talking

    async def execute(self, command: Request[R]) -> R:
        """Have it done; returns its report.

        RefusedError when the board will not, MotionFailedError when it could not,
        LinkLostError when the connection broke (whether it was done is unknown then),
        CommandTimeoutError when the board took longer than the command allows.
        """
        if not self.connected:
            raise LinkLostError(f"the motor board is not connected: {self.link_state.value}")
        loop = asyncio.get_running_loop()
        seq = self._next_seq()
        frame = Frame(command.opcode, 0, self._session, seq, command.pack())
        pending = _Pending(
            cast("Request[Report]", command), frame, loop.create_future(), loop.create_future()
        )
        self._pending[seq] = pending
        self.statistics.commands += 1
        try:
            await self._deliver(pending)
            answer = await self._in_time(pending)
        finally:
            self._pending.pop(seq, None)
            for future in (pending.accepted, pending.answer):
                if future.done() and not future.cancelled():
                    future.exception()  # seen
                future.cancel()
        if isinstance(answer, Failed):
            raise MotionFailedError(command, answer.code, answer.side)
        if not isinstance(answer, command.reply):
            raise BridgeError(f"{command!r} was answered by {answer!r}")
        return cast(R, answer)

    async def _deliver(self, pending: _Pending) -> None:
        """Send until it was accepted or refused."""
        pending.sent_at = self.clock.now()
        frame = pending.frame
        for attempt in range(GIVE_UP_AFTER + 1):
            self._send(frame)
            if await self._before(RETRY_MS / 1000.0, pending.accepted):
                await pending.accepted
                return
            self.statistics.repeats_sent += 1
            frame = replace(pending.frame, flags=REPEATED)
            if attempt == POOR_AFTER:
                self.statistics.poor_links += 1
                logger.warning("the link is poor: %r repeated %d times", pending.command, attempt)
        self._broken.set()
        raise CommandTimeoutError(pending.command, GIVE_UP_AFTER * RETRY_MS / 1000.0)

    async def _in_time(self, pending: _Pending) -> Report:
        timeout_s = pending.command.timeout_s
        if await self._before(timeout_s, pending.answer):
            return await pending.answer
        raise CommandTimeoutError(pending.command, timeout_s)

    async def _before(self, timeout_s: float, future: asyncio.Future[T]) -> bool:
        """Whether the future is done in that time."""
        if future.done():
            return True
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()

        def wake(_: object = None) -> None:
            if not waiter.done():
                waiter.set_result(None)

        timer = self.clock.call_later(timeout_s, wake)
        future.add_done_callback(wake)
        try:
            await waiter
        finally:
            timer.cancel()
            future.remove_done_callback(wake)
        return future.done()

    def stop(self, reason: int = 0) -> None:
        """All motors off, now. Needs no session and no answer; safe to call at any moment."""
        if self._link is None:
            return
        message = Stop(reason)
        for _ in range(STOP_COPIES):
            frame = Frame(message.opcode, 0, self._session, self._next_seq(), message.pack())
            self._send(frame)

    def on_report(self, callback: Callable[[Report], None]) -> Callable[[], None]:
        """Call back for every report, in order; returns how to end that."""
        self._callbacks.append(callback)
        return lambda: self._callbacks.remove(callback)

    def on_link(self, callback: Callable[[LinkState], None]) -> Callable[[], None]:
        """Call back whenever the connection changes; returns how to end that."""
        self._link_callbacks.append(callback)
        return lambda: self._link_callbacks.remove(callback)

    async def reports(self) -> AsyncIterator[Report]:
        """Every report from now on: states, incidents, answers."""
        queue: asyncio.Queue[Report] = asyncio.Queue(maxsize=1000)
        self._listeners.add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            self._listeners.discard(queue)

    # ---- the connection

    async def _keep_connected(self) -> None:
        while True:
            try:
                await self._connect()
                await self._serve()
            except BridgeError as error:
                if self.problem != str(error):
                    logger.warning("%s", error)
                self._drop(error)
                if self.link_state is LinkState.UP:
                    self._set(LinkState.SILENT, str(error))
                else:
                    self._set(self.link_state, str(error))
            await sleep(self.clock, self._reconnect_s)

    async def _connect(self) -> None:
        self._broken.clear()
        self._decoder = Decoder(self._table_hash)
        try:
            self._link = self._opener(self.port, self._received, self._lost)
        except LinkLostError:
            self._set(LinkState.NO_PORT, self.problem)
            raise
        self._session = self._sessions.randrange(1, 0x10000)
        self._seq = 0
        self._heard.clear()
        hello = Hello(PROTOCOL_MAJOR, PROTOCOL_MINOR, self._session, KNOWN_FEATURES)
        self._hello = asyncio.get_running_loop().create_future()
        for _ in range(25):
            self._send(Frame(hello.opcode, 0, self._session, self._next_seq(), hello.pack()))
            if await self._before(0.1, self._hello) or self._broken.is_set():
                break
        if not self._hello.done():
            self._hello.cancel()
            self._set(LinkState.SILENT, self.problem)
            raise LinkLostError(
                f"no motor board answers on {self.port}; check its power and its firmware"
            )
        self._welcome(self._hello.result())

    def _welcome(self, board: HelloAck) -> None:
        """Is it the right board?"""
        before = self.board
        self.boot_changed = before is not None and before.boot_id != board.boot_id
        self.board = board
        wrong = ""
        if board.major != PROTOCOL_MAJOR:
            wrong = f"the board speaks protocol {board.major}, this program {PROTOCOL_MAJOR}"
        elif board.table_hash != self._table_hash:
            wrong = (
                f"the board's message table is {board.table_hash:08x},"
                f" this program's {self._table_hash:08x}"
            )
        elif board.incompatible & ~KNOWN_FEATURES:
            wrong = f"the board needs features {board.incompatible:#x} that are unknown here"
        if wrong:
            self._set(LinkState.WRONG_BOARD, self.problem)
            raise WrongBoardError(f"{wrong}; nothing will be moved: install matching firmware")
        self.statistics.connects += 1
        self._heard_at = self._bytes_at = self.clock.now()
        self._set(LinkState.UP, "")
        logger.info(
            "motor board %08x, firmware %s, boot %08x",
            board.board_id,
            ".".join(map(str, board.firmware)),
            board.boot_id,
        )

    async def _serve(self) -> None:
        """Keep the link alive until it breaks."""
        beat = Heartbeat()
        broken = asyncio.ensure_future(self._broken.wait())
        try:
            while True:
                if await self._before(self._heartbeat_s, broken):
                    raise LinkLostError(self.problem or "the connection broke")
                now = self.clock.now()
                if now - self._bytes_at > SILENCE_MS / 1000.0:
                    raise LinkLostError("the motor board fell silent")
                if now - self._heard_at > GARBLED_S:
                    raise LinkLostError("the motor board is not understood any more")
                if now - self._sent_at >= self._heartbeat_s / 2.0:
                    self._send(Frame(beat.opcode, 0, self._session, self._next_seq()))
        finally:
            broken.cancel()

    def _send(self, frame: Frame) -> None:
        if self._link is None:
            return
        self._sent_at = self.clock.now()
        self.statistics.frames_sent += 1
        data = encode(frame, self._table_hash)
        try:
            self._link.write(data)
            self.clock.wire(sent=len(data))
        except LinkLostError as error:
            self._lost(error)

    def _lost(self, error: Exception) -> None:
        self.problem = f"the connection to the motor board broke: {error}"
        self._broken.set()

    def _drop(self, error: BridgeError) -> None:
        """Close the port; everything on its way is lost."""
        if self._link is not None:
            self._link.close()
            self._link = None
        for pending in tuple(self._pending.values()):
            for future in (pending.accepted, pending.answer):
                if not future.done():
                    future.set_exception(LinkLostError(f"{pending.command!r}: {error}"))
        self.state = None

    def _set(self, state: LinkState, problem: str) -> None:
        changed = state is not self.link_state
        self.link_state = state
        self.problem = problem
        self._changed.set()
        if changed:
            for callback in tuple(self._link_callbacks):
                callback(state)

    def _next_seq(self) -> int:
        self._seq = self._seq % 0xFFFF + 1
        return self._seq

    # ---- what comes in

    def _received(self, data: bytes) -> None:
        self.clock.wire(received=len(data))
        self._bytes_at = self.clock.now()
        for frame in self._decoder.feed(data):
            try:
                self._take(frame)
            except FrameError as error:
                logger.warning("a frame with a good checksum makes no sense: %s", error)
        self.statistics.bad_frames += self._decoder.bad_frames
        self._decoder.bad_frames = 0

    def _take(self, frame: Frame) -> None:
        kind = REPORT_BY_OPCODE.get(frame.type)
        if kind is None:
            raise FrameError(f"unknown report {frame.type:#04x}")
        self.statistics.frames_received += 1
        if kind is HelloAck:
            hello = HelloAck.unpack(frame.payload[: HelloAck.layout.size])
            if hello.session == self._session and self._hello and not self._hello.done():
                self._hello.set_result(hello)
            return
        if frame.session != self._session:
            return
        self._heard_at = self.clock.now()
        if frame.type in ANSWER_OPCODES:
            self._answered(frame, kind)
            return
        report = kind.unpack(frame.payload)
        match report:
            case Accepted():
                self._accepted(report.of)
            case Refused():
                self._refused(report)
            case State():
                self.state = report
                self.statistics.board_bad_frames = report.bad_frames
                if report.silence_ms > SILENCE_MS:
                    self.problem = "the motor board does not hear this program"
                    self._broken.set()
                self._publish(report)
            case Incident():
                self._hear(frame.seq)
                if frame.seq not in self._heard:
                    self._heard.append(frame.seq)
                    self._publish(report)
            case _:
                self._publish(report)

    def _accepted(self, of: int) -> None:
        pending = self._pending.get(of)
        if pending and not pending.accepted.done():
            pending.accepted.set_result(None)
            self.statistics.round_trip_ms.append((self.clock.now() - pending.sent_at) * 1000.0)

    def _refused(self, refused: Refused) -> None:
        pending = self._pending.get(refused.of)
        if pending and not pending.accepted.done():
            pending.accepted.set_exception(
                RefusedError(pending.command, refused.reason, refused.detail)
            )
            self._publish(refused)

    def _answered(self, frame: Frame, kind: type[Report]) -> None:
        """An answer names its request; it is acknowledged even when nobody waits any more."""
        if len(frame.payload) < 2:
            raise FrameError("an answer without the number of its request")
        of = int.from_bytes(frame.payload[:2], "little")
        report = kind.unpack(frame.payload[2:])
        self._hear(frame.seq)
        pending = self._pending.get(of)
        if pending is None:
            return
        if not pending.accepted.done():
            pending.accepted.set_result(None)
        if not pending.answer.done():
            pending.answer.set_result(report)
            self._publish(report)

    def _hear(self, seq: int) -> None:
        heard = Heard(seq)
        self._send(Frame(heard.opcode, 0, self._session, self._next_seq(), heard.pack()))

    def _publish(self, report: Report) -> None:
        for queue in self._listeners:
            if queue.full():
                queue.get_nowait()  # a listener that sleeps loses the oldest
            queue.put_nowait(report)
        for callback in tuple(self._callbacks):
            callback(report)
        self._changed.set()


def metrics(statistics: LinkStatistics) -> Mapping[str, float]:
    """The counters by the names that /metrics uses."""
    return {
        "bridge_connects_total": statistics.connects,
        "bridge_frames_sent_total": statistics.frames_sent,
        "bridge_frames_received_total": statistics.frames_received,
        "bridge_repeats_total": statistics.repeats_sent,
        "bridge_bad_frames_total": statistics.bad_frames,
        "bridge_board_bad_frames": statistics.board_bad_frames,
        "bridge_poor_links_total": statistics.poor_links,
        "bridge_commands_total": statistics.commands,
        "bridge_round_trip_p50_ms": statistics.round_trip(0.5) or 0.0,
        "bridge_round_trip_p99_ms": statistics.round_trip(0.99) or 0.0,
    }
