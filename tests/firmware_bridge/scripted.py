"""A link that follows a script: what the bridge must send, and what comes back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from firmware_bridge.errors import LinkLostError
from firmware_bridge.framing import Decoder, Frame, encode
from firmware_bridge.messages import (
    ANSWERS,
    COMMANDS,
    PROTOCOL_MAJOR,
    TABLE_HASH,
    Accepted,
    Command,
    Heard,
    Heartbeat,
    Hello,
    HelloAck,
    Report,
    Stop,
)
from firmware_bridge.parts import Mode, ResetCause

Reply = Report | Exception | None
COMMAND_BY_OPCODE = {kind.opcode: kind for kind in COMMANDS}


def hello_ack(session: int, **changes: object) -> HelloAck:
    """A board as it should be."""
    fields: dict[str, object] = {
        "major": PROTOCOL_MAJOR,
        "minor": 0,
        "session": session,
        "incompatible": 0,
        "compatible": 0,
        "firmware": (1, 0, 0),
        "build_id": 1,
        "board_id": 2,
        "boot_id": 3,
        "reset_cause": ResetCause.POWER,
        "table_hash": TABLE_HASH,
        "config_crc": 0,
        "mode": Mode.LOCKED,
    }
    return HelloAck(**(fields | changes))


class ScriptedLink:
    """Plays the board. Heartbeats and acknowledgements are noted, not scripted."""

    def __init__(self, *script: tuple[Command, tuple[Reply, ...]], **board: object) -> None:
        self.script = deque(script)
        self.board = board
        self.silent = False
        self.sent: list[Frame] = []
        self.heard: list[int] = []
        self.beats = 0
        self.stops = 0
        self.closed = 0
        self.opens = 0
        self.refuse_to_open = False
        self._seq = 100
        self._session = 0
        self._decoder = Decoder()
        self._received: Callable[[bytes], None] = lambda data: None
        self._lost: Callable[[Exception], None] = lambda error: None

    def open(
        self, port: str, received: Callable[[bytes], None], lost: Callable[[Exception], None]
    ) -> ScriptedLink:
        """The bridge opens the port."""
        if self.refuse_to_open:
            raise LinkLostError(f"cannot open {port}: no such device")
        self.opens += 1
        self._received, self._lost = received, lost
        return self

    def write(self, data: bytes) -> None:
        for frame in self._decoder.feed(data):
            self._take(frame)

    def close(self) -> None:
        self.closed += 1

    def break_(self, error: Exception) -> None:
        """The cable is pulled."""
        self._lost(error)

    def tell(self, report: Report, *, of: int | None = None, seq: int | None = None) -> int:
        """A frame from the board; the sequence number it had."""
        if seq is None:
            self._seq += 1
            seq = self._seq
        payload = report.pack()
        if isinstance(report, ANSWERS):
            assert of is not None
            payload = of.to_bytes(2, "little") + payload
        self._received(encode(Frame(report.opcode, 0, self._session, seq, payload)))
        return seq

    def assert_done(self) -> None:
        """Everything scripted has happened."""
        assert not self.script, f"not sent: {self.script}"

    def _take(self, frame: Frame) -> None:
        command = COMMAND_BY_OPCODE[frame.type].unpack(frame.payload)
        match command:
            case Heartbeat():
                self.beats += 1
                return
            case Heard(of=of):
                self.heard.append(of)
                return
            case Stop():
                self.stops += 1
                return
            case Hello(session=session):
                self._session = session
                if not self.silent:
                    self.tell(hello_ack(session, **self.board))
                return
        self.sent.append(frame)
        if self.silent:
            return
        assert self.script, f"not in the script: {command!r}"
        wanted, replies = self.script.popleft()
        assert command == wanted
        for reply in replies:
            if isinstance(reply, Report):
                if isinstance(reply, Accepted):
                    reply = Accepted(frame.seq)
                self.tell(reply, of=frame.seq)
