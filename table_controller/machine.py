"""The table's cycle: open, collect, close, build, raise, play while the other set is built.

`Machine` turns what people want (a lift key, a press on the screen) into commands, in the order
that keeps fingers and tiles whole, and says at any moment which phase the table is in, how far it
is and what is wrong. The motor board holds the same interlocks by itself; here they only make the
refusals understandable. Nothing moves without a person: every start, fault and lost link ends in
`LOCKED`, and `confirm` is somebody at the table saying "go on".
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Any, Self, TypeVar

from firmware_bridge.bridge import Bridge, LinkState, MotionFailedError, RefusedError
from firmware_bridge.clock import Clock, Timer
from firmware_bridge.errors import BridgeError, CommandTimeoutError, LinkLostError
from firmware_bridge.fault_book import ActiveFault, FaultBook
from firmware_bridge.faults import BY_CODE, BY_NUMBER, Fault
from firmware_bridge.health import Health, WearReport, read_wear
from firmware_bridge.journal import Journal, MemoryJournal
from firmware_bridge.messages import (
    Build,
    Built,
    ClearFault,
    EjectRows,
    HaltBuild,
    Home,
    Incident,
    Jog,
    Jogged,
    MoveCentre,
    RaiseWalls,
    Report,
    Request,
    RollDice,
    SetService,
    State,
    Unlock,
    WallsRaised,
)
from firmware_bridge.parts import (
    SIDES,
    Actuator,
    CentrePlace,
    Family,
    Mode,
    Motion,
    Refusal,
    Sensor,
    Severity,
)
from firmware_bridge.refusal_words import WORDS, Words
from firmware_bridge.release import firmware_id
from firmware_bridge.settings import MachineSettings

logger = logging.getLogger(__name__)

R = TypeVar("R", bound=Report)
T = TypeVar("T")

LEASE_MS = 500
STROKE_MS = 5000
FACE_UP_LIMIT = 2  # tiles that came up face-up before the table asks for service
HOST_FAULT, SPILL = 3, 4  # reasons of a stop, see the wire document
TWO_KEYS_S = 0.5  # two lift keys this close together count as pressed together
OFFLINE_S = 5.0
NO_LINK = "The motor board does not answer."
LINK_HINT = "Check the cable and the board; nothing moves until it answers."
HALTS = ("T02", "T03", "H03", "P04")  # faults that say why a build waits
STALLS = frozenset({"D03", "T01", "T02", "T05"})
# Refusals of the board that the catalogue knows as faults: shown as those.
SHOWN = {Refusal.LID_OPEN: "E02", Refusal.LOW_SUPPLY: "P02", Refusal.COOLING: "P03"}


class Phase(StrEnum):
    """What the table is doing."""

    OFFLINE = "offline"
    CONNECTING = "connecting"
    LOCKED = "locked"
    HOMING = "homing"
    IDLE_EMPTY = "idle_empty"
    FEEDING = "feeding"
    BUILDING = "building"
    HALTED = "halted"  # a build was broken off and waits for a person
    ADDING = "adding"
    READY = "ready"
    RAISING = "raising"
    PLAYING = "playing"
    SERVICE = "service"
    FAULT = "fault"
    ESTOP = "estop"


class SetPlace(StrEnum):
    """Where one of the two sets of tiles is."""

    TABLE = "table"  # on the table top, not in play
    INSIDE = "inside"  # in the drum, being shuffled and built
    ROWS = "rows"  # built and counted, below the deck
    PLAY = "play"  # the walls that are played from


_IN_SERVICE = WORDS[Refusal.NOT_IN_SERVICE]
_IN_PHASE = {
    Phase.OFFLINE: Words(NO_LINK, LINK_HINT),
    Phase.CONNECTING: Words(NO_LINK, LINK_HINT),
    Phase.LOCKED: WORDS[Refusal.LOCKED],
    Phase.FAULT: WORDS[Refusal.FAULT],
    Phase.ESTOP: WORDS[Refusal.ESTOP],
    Phase.HOMING: WORDS[Refusal.BUSY],
    Phase.RAISING: WORDS[Refusal.BUSY],
    Phase.BUILDING: WORDS[Refusal.BUSY],
    Phase.HALTED: Words(
        "The build was broken off.",
        "Press a lift key: the centre opens for missing tiles. Press again: the build goes on.",
    ),
    Phase.FEEDING: WORDS[Refusal.CENTRE_NOT_DOWN],
    Phase.ADDING: WORDS[Refusal.CENTRE_NOT_DOWN],
    Phase.SERVICE: Words("The table is in service.", "End service on the staff's screen first."),
}


class NotNowError(BridgeError):
    """The machine does not do that now; says why and what to do first (message ids)."""

    def __init__(self, why: str, hint: str = "", *, code: str = "", text: str = "") -> None:
        super().__init__(text or " ".join(filter(None, (code and f"{code}:", why, hint))))
        self.why = why
        self.hint = hint
        self.code = code  # of the fault that says the same on the screens


@dataclass(frozen=True, slots=True)
class MachineView:
    """Everything a screen shows of the machine."""

    phase: Phase
    progress: float | None = None  # of a build, 0 to 1
    seconds_left: float | None = None
    link: LinkState = LinkState.CLOSED
    problem: str = ""
    faults: tuple[ActiveFault, ...] = ()
    building: str | None = None  # the set that is being built
    playing: str | None = None  # the set that is played with
    halted: Words | None = None  # why the build does not go on, and what to do


@dataclass(frozen=True, slots=True)
class DiceThrow:
    """The dice were thrown; when the machine's would not turn, the screen has to throw."""

    stand_in: bool


# Cams must never turn backwards (H02); the dice only shake.
ONE_WAY = frozenset(
    {Actuator.HEAD_0, Actuator.HEAD_1, Actuator.HEAD_2, Actuator.HEAD_3, Actuator.DICE}
)
MOVES_ROWS = frozenset(
    {
        Actuator.CHAIN,
        *range(Actuator.LIFT_0, Actuator.LIFT_0 + SIDES),
        *range(Actuator.HEAD_0, Actuator.HEAD_0 + SIDES),
    }
)
CHAIN_STEP_MS = 100  # at half speed: a chain's mark is wider than that
CHAIN_STEPS = 300  # three turns
LEAST_MA = 20  # a motor whose wire is whole draws more at once


@dataclass(frozen=True, slots=True)
class PartTried:
    """What a motor did when it was turned a little in service mode."""

    part: Actuator
    peak_ma: int
    limit_ma: int
    sensors: tuple[Sensor, ...]  # that changed meanwhile

    @property
    def verdict(self) -> str:
        """What that says, as a message id."""
        if self.peak_ma < LEAST_MA:
            return "No current: check its plug, its wire and its driver."
        if self.peak_ma >= self.limit_ma:
            return "Too much current: it is blocked or stiff."
        return "It turns."


class Machine:
    """The host's side of one table's mechanism."""

    def __init__(
        self,
        bridge: Bridge,
        settings: MachineSettings,
        *,
        clock: Clock | None = None,
        journal: Journal | None = None,
        sets: Iterable[str] = ("A", "B"),
        raise_by_itself: bool = True,
        numbers: random.Random | None = None,
        firmware_ids: frozenset[int] | None = None,
    ) -> None:
        self.bridge = bridge
        self.settings = settings
        self.clock: Clock = clock or bridge.clock
        self.raise_by_itself = raise_by_itself
        self.sets = dict.fromkeys(sets, SetPlace.TABLE)
        self.book = FaultBook()
        self.health = Health()
        self._journal = journal or MemoryJournal()
        self._numbers = numbers or random.SystemRandom()
        self._firmware_ids = frozenset({firmware_id()}) if firmware_ids is None else firmware_ids
        self._watchers: list[Callable[[MachineView], None]] = []
        self._motion = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._build_task: asyncio.Task[Built] | None = None
        self._stacks = settings.layout.stacks  # of the last build that was begun
        self._build = 0
        self._building: str | None = None
        self._halted = False
        self._lifting = False  # a lift key is being acted on
        self._rows_unknown = False
        self._boot: int | None = None
        self._last_lift: tuple[int, float] | None = None
        self._last_state: State | None = None
        self._build_from_s = 0.0
        self._offline_timer: Timer | None = None
        self._was_up = False
        self._stuck: set[int] = set()
        self._face_up = 0
        self.worn: list[WearReport] = []  # the service counters as last read
        self.builds = 0  # finished with sure counts since the start
        self.deal_is_on: Callable[[], bool] = lambda: False  # whoever knows the game says so
        self._ends: list[Callable[[], None]] = []
        self._remember()

    # ---- open and close

    async def __aenter__(self) -> Self:
        self._ends = [
            self.bridge.on_report(self._report),
            self.bridge.on_link(self._link_changed),
        ]
        self._link_changed(self.bridge.link_state)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for end in self._ends:
            end()
        if self._offline_timer is not None:
            self._offline_timer.cancel()
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def watch(self, callback: Callable[[MachineView], None]) -> Callable[[], None]:
        """Call back whenever what `view` shows has changed; returns how to end that."""
        self._watchers.append(callback)
        return lambda: self._watchers.remove(callback)

    # ---- what it looks like from outside

    @property
    def phase(self) -> Phase:
        """The phase, read from the board's state and from where the sets are."""
        link = self.bridge.link_state
        if link is LinkState.WRONG_BOARD:
            return Phase.FAULT
        if link in (LinkState.NO_PORT, LinkState.CLOSED):
            return Phase.OFFLINE
        state = self.bridge.state
        if link is not LinkState.UP or state is None:
            return Phase.CONNECTING
        by_mode = {
            Mode.ESTOP: Phase.ESTOP,
            Mode.FAULT: Phase.FAULT,
            Mode.LOCKED: Phase.LOCKED,
            Mode.SERVICE: Phase.SERVICE,
        }
        if state.mode in by_mode:
            return by_mode[state.mode]
        if state.motion & Motion.HOMING:
            return Phase.HOMING
        if state.motion & Motion.WALLS:
            return Phase.RAISING
        if state.centre is not CentrePlace.DOWN:
            return Phase.FEEDING if self._building is None else Phase.ADDING
        if SetPlace.PLAY in self.sets.values():
            return Phase.PLAYING
        if self._building is not None:
            return Phase.HALTED if self.build_waits else Phase.BUILDING
        return Phase.READY if SetPlace.ROWS in self.sets.values() else Phase.IDLE_EMPTY

    @property
    def rows_are_unknown(self) -> bool:
        """Whether the rows have to be brought up before anything else."""
        return self._rows_unknown

    @property
    def build_waits(self) -> bool:
        """Whether a build was broken off and waits for a lift key: tiles may have to be added."""
        return self._building is not None and self._halted and not self._build_running()

    def _why_halted(self) -> Words | None:
        """Why the build waits: the fault that broke it off, as long as that is open."""
        if not self.build_waits:
            return None
        fault = next((each.fault for each in self.book.open if each.fault.code in HALTS), None)
        return _IN_PHASE[Phase.HALTED] if fault is None else Words(fault.cause, fault.hint)

    @property
    def faults(self) -> list[ActiveFault]:
        """What is wrong now."""
        return self.book.open

    @property
    def view(self) -> MachineView:
        """Everything a screen shows."""
        progress, left = self._progress()
        return MachineView(
            self.phase,
            progress,
            left,
            self.bridge.link_state,
            self.bridge.problem,
            tuple(self.book.open),
            self._building,
            self._set_at(SetPlace.PLAY),
            self._why_halted(),
        )

    def _progress(self) -> tuple[float | None, float | None]:
        """How far a build is and how long it will take, learned from earlier ones."""
        state = self.bridge.state
        if self._building is None or state is None or not sum(state.wanted):
            return None, None
        done = min(1.0, sum(state.tiles) / sum(state.wanted))
        learned = self.health.build_s(self.settings.layout.name)
        spent = self.clock.now() - self._build_from_s
        by_count = learned * (1.0 - done)
        by_time = max(0.0, learned - spent)
        return done, None if self._halted else (by_count + by_time) / 2.0

    def _set_at(self, place: SetPlace) -> str | None:
        return next((name for name, where in self.sets.items() if where is place), None)

    # ---- a person says "go on"

    async def confirm(self) -> None:
        """Somebody at the table looked and says "go on": clear, unlock, configure, home, resume.

        Raises NotNowError when the cause is still there, with the hint of the fault.
        """
        async with self._motion:
            await self._go_on()

    async def _go_on(self) -> None:
        stalled = self.book.has(*STALLS)
        await self._unlock()
        if not self._homed():
            await self._home()
        if self._building is not None:
            self._halted = True
            if not stalled and self.phase not in (Phase.ADDING, Phase.SERVICE):
                self._resume_build()
        self._changed()

    async def _unlock(self) -> None:
        """What is latched is cleared, and the board told what it moves; nothing moves yet."""
        if not self.bridge.connected:
            raise _not_connected()
        await self.bridge.wait_for(lambda bridge: bridge.state is not None or not bridge.connected)
        await self._clear_fault()
        unsolved: tuple[str, ...] = ()
        if self._rows_unknown:
            unsolved = ("P04", "T03")  # the rows come up, whatever else was said
        elif self._building is not None:
            unsolved = ("T02",)  # its hint stands there until the missing tiles are in
        self.book.confirmed(*unsolved)
        await self._configure()
        await self._execute(Unlock())
        self._boot = self.bridge.board.boot_id if self.bridge.board else None

    async def _home(self) -> None:
        """Find every part's place; where that may not begin, the table is locked again."""
        try:
            await self._execute(Home(LEASE_MS))
        except NotNowError:
            self.bridge.stop()
            raise

    async def _clear_fault(self) -> None:
        """Clear what is latched; another fault of safety that came after it wants its own word."""
        state = self.bridge.state
        if state is None or not state.fault:
            return
        fault = BY_NUMBER[state.fault]
        if fault.code == "X04" and len(self._stuck) > 1:
            raise _because(fault)  # those keys are wet still
        try:
            cleared = await self.bridge.execute(ClearFault(fault.number))
        except RefusedError:
            raise _because(fault) from None
        if cleared.mode in (Mode.FAULT, Mode.ESTOP):
            self.book.close(fault.code)
            await self.bridge.wait_for(lambda b: b.state is None or b.state.fault != fault.number)
            if self.bridge.state is not None and self.bridge.state.fault:
                raise _because(BY_NUMBER[self.bridge.state.fault])

    async def _configure(self) -> None:
        """Tell the board what table it moves; motion needs equal checksums on both sides."""
        crc = 0
        for command in self.settings.commands():
            crc = (await self._execute(command)).config_crc
        if crc != self.settings.crc:
            logger.error("the board's settings: %08x, ours: %08x", crc, self.settings.crc)
            self.raise_fault("L04")
            raise _because(BY_CODE["L04"])

    def _homed(self) -> bool:
        """Whether the board knows where everything that matters is."""
        state = self.bridge.state
        if state is None:
            return False
        layout = self.settings.layout
        needed = 1 << Actuator.CENTRE
        for side in range(4):
            if layout.side_mask >> side & 1:
                needed |= 1 << (Actuator.LIFT_0 + side) | 1 << (Actuator.HEAD_0 + side)
        return state.known & needed == needed

    # ---- the steps of the cycle

    async def open_mouth(self) -> None:
        """Raise the centre; tiles can be pushed in then."""
        self._need(
            Phase.IDLE_EMPTY, Phase.READY, Phase.PLAYING, Phase.BUILDING, Phase.HALTED,
            doing="open the centre",
        )  # fmt: skip
        if self._build_running():
            raise _because(BY_CODE["K02"])
        await self._move(MoveCentre(CentrePlace.UP, STROKE_MS, LEASE_MS))

    async def close_mouth(self, collected: str | None = None) -> None:
        """Lower the centre over the tiles that were pushed in: the set in play, unless named."""
        if self.phase in (Phase.IDLE_EMPTY, Phase.READY, Phase.PLAYING):
            raise NotNowError("The centre is closed already.")
        self._need(Phase.FEEDING, Phase.ADDING, doing="close the centre")
        await self._move(MoveCentre(CentrePlace.DOWN, STROKE_MS, LEASE_MS))
        if self._building is not None:
            self.book.close("T02")
            self._resume_build()
            return
        first = (SetPlace.INSIDE, SetPlace.PLAY, SetPlace.TABLE)  # inside: some were forgotten
        name = collected or next(filter(None, map(self._set_at, first)), None)
        if name is not None:
            self.sets[name] = SetPlace.INSIDE
        self._save()

    def begin_build(self) -> asyncio.Task[Built]:
        """Shuffle and build the set that is inside; the task ends with the counts."""
        if self._rows_unknown:
            raise _refused(Refusal.COUNTS_NOT_VERIFIED)
        self._need(Phase.IDLE_EMPTY, Phase.PLAYING, Phase.READY, doing="build a wall")
        name = self._set_at(SetPlace.INSIDE)
        if name is None:
            raise NotNowError("No set of tiles is inside.", "Open the centre and push one in.")
        if self._set_at(SetPlace.ROWS) is not None:
            raise NotNowError("A built wall waits below the table.", "Raise the walls first.")
        if self._build_running():
            raise _refused(Refusal.BUSY)
        self._stacks = self.settings.layout.stacks
        self._build = self._numbers.randrange(1, 0x10000)
        self._building = name
        self._build_from_s = self.clock.now()
        self._save()
        return self._start_build_task()

    def _start_build_task(self) -> asyncio.Task[Built]:
        self._halted = False
        self._build_task = self._spawn(self._run_build(), "build")
        self._build_task.add_done_callback(self._build_ended)
        self._changed()
        return self._build_task

    def _build_ended(self, task: asyncio.Task[Built]) -> None:
        """What stopped a build is told elsewhere; from now on it waits."""
        if not task.cancelled() and task.exception() is not None:
            self._changed()

    def _resume_build(self) -> None:
        """Go on with the same build number, if the board kept its counts."""
        if not self._build_running() and not self._rows_unknown:
            self._start_build_task()

    def _build_running(self) -> bool:
        return self._build_task is not None and not self._build_task.done()

    async def _run_build(self) -> Built:
        layout = self.settings.layout
        command = Build(self._build, layout.stacks, layout.hands, layout.layers, LEASE_MS)
        try:
            built = await self._execute(command)
        except BridgeError:
            self._halted = True
            self._changed()
            raise
        finally:
            self.book.close("K02")
        name = self._building
        assert name is not None
        for concern in self.health.built(layout.name, built):
            self.raise_fault(concern.code, side=concern.side, value=concern.value)
        if not built.verified or built.tiles != layout.tiles:
            is_short = built.tiles < layout.tiles
            if is_short or not self.book.has("H03"):
                self.raise_fault("T02" if is_short else "H03", value=built.tiles)
            self._halted = True
            self._rows_unknown = not is_short  # tiles that are added make nothing sure
            raise _refused(Refusal.COUNTS_NOT_VERIFIED)
        self.builds += 1
        self.sets[name] = SetPlace.ROWS
        self._building = None
        self._save()
        self._changed()
        self._spawn(self._look_at_wear(), "wear")
        return built

    async def raise_walls(self) -> WallsRaised:
        """Lift the built rows through the deck; refused unless their counts are verified."""
        self._need(Phase.READY, Phase.PLAYING, Phase.IDLE_EMPTY, doing="raise the walls")
        name = self._set_at(SetPlace.ROWS)
        if name is None:
            raise NotNowError("No wall is built yet.", "Open the centre and push one in.")
        if self._set_at(SetPlace.PLAY) is not None:
            raise NotNowError("The last set is still on the table.", "Push it in first.")
        state = self.bridge.state
        if state is None or not state.verified:
            raise _refused(Refusal.COUNTS_NOT_VERIFIED)
        command = RaiseWalls(self._build, state.tiles, STROKE_MS, LEASE_MS)
        raised = await self._move(command)
        self.sets[name] = SetPlace.PLAY
        self._save()
        self._changed()
        return raised

    async def exercise(self) -> list[WearReport]:
        """Let centre and lifts make a stroke with nothing in the rows; what it took them."""
        self._need(Phase.IDLE_EMPTY, doing="exercise the motors")
        await self._move(MoveCentre(CentrePlace.UP, STROKE_MS, LEASE_MS))
        await self._move(MoveCentre(CentrePlace.DOWN, STROKE_MS, LEASE_MS))
        await self._eject_rows()
        return await self.wear()

    async def roll_dice(self, spin_ms: int = 1200) -> DiceThrow:
        """Shake the dice; also while a wall is being built."""
        try:
            await self._execute(RollDice(spin_ms, LEASE_MS))
        except MotionFailedError as error:
            if error.fault is not None and error.fault.code == "X01":
                return DiceThrow(stand_in=True)
            raise
        return DiceThrow(stand_in=False)

    async def add_tiles(self) -> None:
        """Two keys during a build: it halts and the centre opens for forgotten tiles."""
        if self._building is None or self.phase not in (
            Phase.BUILDING, Phase.HALTED, Phase.PLAYING,
        ):  # fmt: skip
            raise NotNowError("Tiles are added only while a wall is being built.")
        if self._build_running():
            await self._execute(HaltBuild())
            task = self._build_task
            if task is not None:
                with contextlib.suppress(BridgeError):
                    await task
        self._halted = True
        await self._move(MoveCentre(CentrePlace.UP, STROKE_MS, LEASE_MS))

    async def recover(self) -> None:
        """After a power cut: raise whatever the rows hold so that people can count it back in.

        Needs a person who watches and has cleared the table top: the counts are unknown, and the
        rows come up where walls stand. All sets count as on the table then.
        """
        self._need(
            Phase.IDLE_EMPTY, Phase.READY, Phase.HALTED, Phase.PLAYING, doing="empty the rows"
        )
        await self._eject_rows()
        self.sets = dict.fromkeys(self.sets, SetPlace.TABLE)
        self._rows_unknown = False
        self._building = None
        self._halted = False
        self.book.close(*HALTS, "T04")
        self._save()
        self._changed()

    async def _eject_rows(self) -> None:
        """Bring up whatever the rows hold; the board does so in service mode only."""
        async with self._motion:
            await self._execute(SetService(1))
            try:
                if self.settings.layout.family is Family.ONE_MOUTH:
                    await self._chain_to_its_mark()
                await self._execute(EjectRows(self.settings.layout.side_mask, LEASE_MS))
            finally:
                with contextlib.suppress(BridgeError):
                    await self._execute(SetService(0))

    async def _chain_to_its_mark(self) -> None:
        """One mouth: the row that stands at the head goes on to its side; the next is the first."""
        limit_ma = self.settings.limits[Actuator.CHAIN].limit_ma
        for _ in range(CHAIN_STEPS):
            jogged = await self._execute(Jog(Actuator.CHAIN, 0, CHAIN_STEP_MS))
            if jogged.peak_ma >= limit_ma:
                self.raise_fault("H04")
                raise _because(BY_CODE["H04"])
            if self.sensors().get(Sensor.CHAIN_ZERO):
                return
        self.raise_fault("H05")
        raise _because(BY_CODE["H05"])

    # ---- keys

    async def press_lift(self, seat: int) -> None:
        """A seat's lift key: opens, closes, raises; two seats together add tiles to a build.

        While the table moves because of one press, others do nothing: neither now nor later.
        """
        now = self.clock.now()
        together = (
            self._last_lift is not None
            and self._last_lift[0] != seat
            and now - self._last_lift[1] <= TWO_KEYS_S
        )
        self._last_lift = (seat, now)
        if self._lifting or self._motion.locked():
            raise _refused(Refusal.BUSY)
        self._lifting = True
        try:
            await self._lift(seat, together=together)
        finally:
            self._lifting = False

    async def _lift(self, seat: int, *, together: bool) -> None:
        phase = self.phase
        if phase in (Phase.LOCKED, Phase.FAULT, Phase.ESTOP):
            await self.confirm()
        elif phase in (Phase.OFFLINE, Phase.CONNECTING):
            raise _not_connected()
        elif phase in (Phase.SERVICE, Phase.HOMING, Phase.RAISING):
            raise _worded(_IN_PHASE[phase])  # the staff's screen moves it
        elif self._rows_unknown and phase not in (Phase.FEEDING, Phase.ADDING):
            if self.deal_is_on():
                raise NotNowError(
                    "A deal is in play: its walls stand where the rows come up.",
                    "Play it to its end, or call the staff.",
                )
            if not together:
                raise _refused(Refusal.COUNTS_NOT_VERIFIED)
            await self.recover()
        elif self._build_running():
            if together:
                await self.add_tiles()
            elif not self.book.has("K02"):
                self.raise_fault("K02", side=seat)
        elif phase in (Phase.FEEDING, Phase.ADDING):
            await self.close_mouth()
            if phase is Phase.FEEDING:
                await self._after_closing()
        elif self.build_waits:
            await self.add_tiles()
        elif phase is Phase.READY and self._set_at(SetPlace.TABLE) is None:
            await self.raise_walls()
            if self._set_at(SetPlace.INSIDE) is not None:
                self.begin_build()
        elif phase in (Phase.IDLE_EMPTY, Phase.PLAYING) and self._can_build():
            self.begin_build()
        elif phase in (Phase.IDLE_EMPTY, Phase.READY, Phase.PLAYING):
            await self.open_mouth()
        else:
            raise _worded(_IN_PHASE[phase])

    def _can_build(self) -> bool:
        """A set is inside that nobody builds: a second one would be mixed with it."""
        return self._set_at(SetPlace.INSIDE) is not None and self._set_at(SetPlace.ROWS) is None

    async def _after_closing(self) -> None:
        """The mouth is closed over a set: raise what is ready, build what is inside."""
        if self._set_at(SetPlace.ROWS) is not None:
            if not self.raise_by_itself:
                return
            await self.raise_walls()
        only_set = len(self.sets) == 1
        task = self.begin_build()
        if only_set and self.raise_by_itself:
            self._spawn(self._raise_when_built(task), "raise when built")

    async def _raise_when_built(self, task: asyncio.Task[Built]) -> None:
        with contextlib.suppress(BridgeError):
            await asyncio.shield(task)
            await self.raise_walls()

    def stop(self) -> None:
        """All motors off, now: the stop key of a screen. The e-stop button does not need us."""
        self.bridge.stop()

    # ---- faults

    def raise_fault(self, code: str, *, side: int | None = None, value: int = 0) -> None:
        """Enter a fault that the host, the camera or a person noticed, and do what it asks for.

        One that stops the table stops it here; liquid in the panel also cuts the motor supply.
        """
        fault = BY_CODE[code]
        self.book.add(code, self.clock.now(), side=side, value=value)
        state = self.bridge.state
        self._face_up += code == "D04"
        stops = fault.severity >= Severity.FAULT or self._face_up >= FACE_UP_LIMIT
        if stops and (state is None or state.fault != fault.number):
            self._face_up = 0
            self.bridge.stop(reason=SPILL if code == "X04" else HOST_FAULT)
        self._changed()

    def key_stuck(self, seat: int) -> None:
        """A key is down for too long; at two seats at once it is a drink, not a key."""
        self._stuck.add(seat)
        self.raise_fault("K01", side=seat)
        if len(self._stuck) > 1:
            self.raise_fault("X04")

    def key_freed(self, seat: int) -> None:
        """That key works again."""
        self._stuck.discard(seat)
        self.dismiss("K01", seat)

    def dismiss(self, code: str, side: int | None = None) -> None:
        """A person has read a warning."""
        self.book.dismiss(code, side)
        self._changed()

    async def wear(self) -> list[WearReport]:
        """The service counters of the motors, with an early warning where strokes got slow."""
        board = await self.bridge.wait_connected()
        reports = await read_wear(self.bridge, self.settings.limits)
        self.worn = self.health.lifetime(board.boot_id, reports)
        self._save()
        return self.worn

    async def _look_at_wear(self) -> None:
        """After every build, so that nobody has to ask for an early warning."""
        before = {report.part for report in self.worn if report.is_early_warning}
        with contextlib.suppress(BridgeError):
            for report in await self.wear():
                if report.is_early_warning and report.part not in before:
                    logger.warning(
                        "%s takes %d ms a stroke instead of %d: look at it soon",
                        report.part.name, report.mean_ms, report.learned_ms,
                    )  # fmt: skip

    def metrics(self) -> dict[str, float]:
        """Counters by the names that /metrics uses."""
        faults = {
            f'faults_total{{code="{code}"}}': float(count)
            for code, count in sorted(self.book.counts.items())
        }
        learned = self.health.build_s(self.settings.layout.name)
        strokes = {
            f'stroke_seconds{{part="{report.part.name.lower()}"}}': report.mean_ms / 1000.0
            for report in self.worn
        }
        usual = {
            f'stroke_learned_seconds{{part="{report.part.name.lower()}"}}': report.learned_ms
            / 1000.0
            for report in self.worn
        }
        return {
            "builds_total": self.builds,
            "build_learned_seconds": learned,
            **strokes,
            **usual,
            **faults,
        }

    # ---- service

    async def enter_service(self) -> None:
        """Service mode: motors turn only while a key is held; a person is at the table.

        Also after a stop or a fault, and then nothing is homed and no build goes on: what is
        jammed could not be freed otherwise.
        """
        if self._build_running() and self.phase in (Phase.BUILDING, Phase.PLAYING):
            raise NotNowError(
                "A wall is being built.", "Wait for it, or stop all motors on the screen first."
            )
        async with self._motion:
            if self.phase in (Phase.LOCKED, Phase.FAULT):
                await self._unlock()
                self._halted = self._building is not None
            self._need(
                Phase.IDLE_EMPTY, Phase.READY, Phase.PLAYING, Phase.FEEDING, Phase.ADDING,
                Phase.HALTED, Phase.SERVICE, doing="start service",
            )  # fmt: skip
            await self._execute(SetService(1))

    async def leave_service(self) -> None:
        """Back to play: everything that was jogged is homed first."""
        async with self._motion:
            await self._execute(SetService(0))
            if not self._homed():
                await self._home()
        self._changed()

    async def jog(self, part: Actuator, *, back: bool = False, hold_ms: int = 250) -> Jogged:
        """One motor for a quarter of a second; the screen repeats it while its key is held.

        One that moves rows or pushes tiles into them makes their counts unsure.
        """
        self._need(Phase.SERVICE, doing=f"jog {part.name}")
        if part in MOVES_ROWS:
            self._rows_lost()
        return await self._execute(Jog(part, int(back), hold_ms))

    async def try_part(self, part: Actuator) -> PartTried:
        """Turn one motor a little and back: what its current and its sensors say about it."""
        self._need(Phase.SERVICE, doing=f"test {part.name}")
        before = self.sensors()
        ways = (False,) if part in ONE_WAY else (False, True)
        steps = []
        seen: set[Sensor] = set()
        for back in ways:
            steps.append(await self.jog(part, back=back))
            now = self.sensors()
            seen |= {sensor for sensor, on in now.items() if before.get(sensor) is not on}
        peak_ma = max(step.peak_ma for step in steps)
        return PartTried(part, peak_ma, self.settings.limits[part].limit_ma, tuple(sorted(seen)))

    def sensors(self) -> dict[Sensor, bool]:
        """Every sensor as the board sees it now; empty while there is no board."""
        state = self.bridge.state
        if state is None:
            return {}
        return {sensor: bool(state.inputs >> sensor & 1) for sensor in Sensor}

    def _incident(self, incident: Incident) -> None:
        """The board noticed something."""
        fault = self.book.add_incident(incident, self.clock.now())
        if fault is None:
            return
        side = None if incident.side > 3 else incident.side
        if fault.code in ("D03", "T01"):
            self.book.add("T02", self.clock.now(), side=side, value=incident.value)
            self._rows_unknown |= self.book.has("H03")  # a row holds what was not counted
        self._rows_unknown |= fault.code == "T03"  # which of them is one too many?
        if self.book.alarms_are_frequent and not self.book.has("S03"):
            self.book.add("S03", self.clock.now())

    # ---- what the bridge tells

    def _report(self, report: Report) -> None:
        match report:
            case State():
                self.book.saw(report)
                self.health.state(report)
                before, self._last_state = self._last_state, report
                if before is not None and before.fault == report.fault:
                    self._learn_fault(report)
                if before is None or _differs(before, report):
                    self._changed()
            case Incident():
                self._incident(report)
                self._changed()
            case _:
                pass

    def _learn_fault(self, state: State) -> None:
        """A fault that the board told another program, before this one was started."""
        fault = BY_NUMBER.get(state.fault)
        if fault is not None and not self.book.has(fault.code):
            side = None if state.fault_side > 3 else state.fault_side
            self.book.add(fault.code, self.clock.now(), side=side)
            self._rows_unknown |= fault.code == "T03"
            self._changed()

    def _link_changed(self, now: LinkState) -> None:
        """Follow the connection: who came back, and does it still know where things are?"""
        if self._offline_timer is not None and now in (LinkState.UP, LinkState.WRONG_BOARD):
            self._offline_timer.cancel()
            self._offline_timer = None
        if now is LinkState.UP:
            self._board_came()
        elif now is LinkState.WRONG_BOARD:
            self._note("L04")
        elif now is not LinkState.CLOSED and self._offline_timer is None:
            self._offline_timer = self.clock.call_later(OFFLINE_S, lambda: self._note("P01"))
        if self._was_up and now is not LinkState.UP:
            self._note("L01")
        self._was_up = now is LinkState.UP
        self._changed()

    def _board_came(self) -> None:
        """A board is connected: is it the one that knows our rows?"""
        board = self.bridge.board
        if board is None:
            return
        self.book.close("P01", "L04")
        if self._firmware_ids and board.build_id not in self._firmware_ids:
            self._note("X05", value=board.build_id)
        else:
            self.book.close("X05")
        if self._boot is not None and self._boot != board.boot_id:
            self._note("L03", value=int(board.reset_cause))
            self._rows_lost()
        elif self._boot is None and self._rows_from_before:
            self._rows_lost()
        self._boot = board.boot_id

    def _note(self, code: str, value: int = 0) -> None:
        """A fault of the link itself: nothing can be stopped over it, the board has stopped."""
        if not self.book.has(code):
            self.book.add(code, self.clock.now(), value=value)
            self._changed()

    def _rows_lost(self) -> None:
        """The board forgot its counts: rows that held something are not to be trusted."""
        if self._building is not None or self._set_at(SetPlace.ROWS) is not None:
            self._rows_unknown = True
            self._halted = True
            self._note("P04")

    # ---- memory

    def _save(self) -> None:
        self._journal.save(
            {
                "sets": {name: str(place) for name, place in self.sets.items()},
                "building": self._building,
                "build": self._build,
                "boot": self._boot,
                "stacks": self._stacks,
                "health": self.health.record,
            }
        )

    def _remember(self) -> None:
        """Go on where the journal ended: a build that was under way is not to be trusted, and rows
        that were built for another game are brought up."""
        record = self._journal.load()
        for name, place in record.get("sets", {}).items():
            if name in self.sets:
                self.sets[name] = SetPlace(place)
        self._building = record.get("building")
        self._build = record.get("build", 0)
        self._boot = record.get("boot")
        self.health = Health(record.get("health"))
        self._halted = self._building is not None
        self._rows_from_before = self._halted or SetPlace.ROWS in self.sets.values()
        first, second, third, fourth = record.get("stacks", self._stacks)
        self._stacks = first, second, third, fourth
        if self._rows_from_before and self._stacks != self.settings.layout.stacks:
            self._note("T04")
            self._rows_lost()

    # ---- small things

    def _need(self, *phases: Phase, doing: str) -> None:
        phase = self.phase
        if phase not in phases:
            wanted = ", ".join(phases)
            text = f"cannot {doing} while {phase}; possible while {wanted}"
            words = _IN_SERVICE if phases == (Phase.SERVICE,) else _IN_PHASE.get(phase)
            if words is None:
                raise NotNowError(text)
            raise NotNowError(words.why, words.hint, text=text)

    async def _move(self, command: Request[R]) -> R:
        """One motion at a time; a build may run beside."""
        async with self._motion:
            return await self._execute(command)

    async def _execute(self, command: Request[R]) -> R:
        try:
            return await self.bridge.execute(command)
        except RefusedError as error:
            logger.info("%s", error)
            code = SHOWN.get(error.reason)
            if code is None:
                raise _refused(error.reason) from None
            if self.book.stands(code):
                self.bridge.stop(reason=HOST_FAULT)
                self._changed()
            else:
                self.raise_fault(code)
            raise _because(BY_CODE[code]) from None
        except (LinkLostError, CommandTimeoutError, MotionFailedError):
            self._changed()
            raise

    def _spawn(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _changed(self) -> None:
        if self._watchers:
            view = self.view
            for watcher in tuple(self._watchers):
                watcher(view)


def _because(fault: Fault) -> NotNowError:
    return NotNowError(fault.cause, fault.hint, code=fault.code)


def _not_connected() -> NotNowError:
    return NotNowError(NO_LINK, LINK_HINT, code="LINK")


def _refused(reason: Refusal) -> NotNowError:
    return _worded(WORDS[reason])


def _worded(words: Words) -> NotNowError:
    return NotNowError(words.why, words.hint)


def _differs(before: State, now: State) -> bool:
    """Whether a screen would show something else."""
    return (before.mode, before.motion, before.centre, before.tiles, before.fault) != (
        now.mode,
        now.motion,
        now.centre,
        now.tiles,
        now.fault,
    )
