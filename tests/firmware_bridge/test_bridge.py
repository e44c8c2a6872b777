"""The bridge against a scripted board: retries, timeouts, refusals, reconnects."""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager

import pytest

from firmware_bridge.bridge import (
    GIVE_UP_AFTER,
    Bridge,
    LinkState,
    MotionFailedError,
    RefusedError,
    metrics,
)
from firmware_bridge.errors import CommandTimeoutError, LinkLostError
from firmware_bridge.faults import BY_CODE
from firmware_bridge.framing import REPEATED, Frame, encode
from firmware_bridge.messages import (
    Accepted,
    CentreMoved,
    Echo,
    Echoed,
    Failed,
    Incident,
    MoveCentre,
    Refused,
    Unlock,
    Unlocked,
)
from firmware_bridge.parts import CentrePlace, Mode, Refusal, Severity
from tests.firmware_bridge.manual_clock import ManualClock
from tests.firmware_bridge.scripted import ScriptedLink

OK = Accepted(0)
UP = MoveCentre(CentrePlace.UP, 3000, 500)
LOST = (None,)


@asynccontextmanager
async def bridged(link: ScriptedLink):
    """A bridge on that link, and the clock it lives by."""
    clock = ManualClock()
    bridge = Bridge("scripted", clock=clock, opener=link.open, sessions=random.Random(1))
    async with bridge:
        await clock.settle()
        yield bridge, clock
    assert clock.pending == 0, "a timer outlived the bridge"


async def test_raising_the_centre():
    moved = CentreMoved(CentrePlace.UP, 1190, 640)
    link = ScriptedLink((UP, (OK, moved)))
    async with bridged(link) as (bridge, _):
        assert await bridge.execute(UP) == moved
        link.assert_done()
        assert len(link.heard) == 1


async def test_a_refusal_names_command_and_reason():
    refused = Refused(0, Refusal.LOCKED, 255)
    link = ScriptedLink((UP, (None,)))
    async with bridged(link) as (bridge, clock):
        task = asyncio.ensure_future(bridge.execute(UP))
        await clock.settle()
        link.tell(Refused(link.sent[0].seq, refused.reason, 255))
        with pytest.raises(RefusedError, match=r"MoveCentre.*LOCKED") as error:
            await task
        assert error.value.reason is Refusal.LOCKED


async def test_a_failure_carries_its_fault():
    failed = Failed(BY_CODE["C04"].number, 255)
    link = ScriptedLink((UP, (OK, failed)))
    async with bridged(link) as (bridge, _):
        with pytest.raises(MotionFailedError, match="did not arrive") as error:
            await bridge.execute(UP)
        assert error.value.fault is BY_CODE["C04"]
        assert error.value.side is None


async def test_an_unanswered_frame_is_sent_again_with_the_same_number():
    link = ScriptedLink((Echo(1), LOST), (Echo(1), LOST), (Echo(1), (OK, Echoed(1))))
    async with bridged(link) as (bridge, clock):
        task = asyncio.ensure_future(bridge.execute(Echo(1)))
        await clock.advance(0.039)
        assert len(link.sent) == 1
        await clock.advance(0.080)
        assert await task == Echoed(1)
        assert len({frame.seq for frame in link.sent}) == 1
        assert [frame.flags for frame in link.sent] == [0, REPEATED, REPEATED]
        assert bridge.statistics.repeats_sent == 2


async def test_an_answer_whose_acceptance_was_lost_is_enough():
    link = ScriptedLink((Echo(7), (Echoed(7),)))
    async with bridged(link) as (bridge, _):
        assert await bridge.execute(Echo(7)) == Echoed(7)


async def test_an_answer_that_comes_twice_is_acknowledged_twice_and_given_once():
    link = ScriptedLink((Echo(7), (OK, Echoed(7))))
    async with bridged(link) as (bridge, clock):
        got = []
        bridge.on_report(lambda report: got.append(report) if isinstance(report, Echoed) else None)
        assert await bridge.execute(Echo(7)) == Echoed(7)
        link.tell(Echoed(7), of=link.sent[0].seq)
        await clock.settle()
        assert len(link.heard) == 2
        assert got == [Echoed(7)]


async def test_an_incident_is_told_once_however_often_it_is_repeated():
    link = ScriptedLink()
    async with bridged(link) as (bridge, clock):
        got = []
        bridge.on_report(got.append)
        incident = Incident(BY_CODE["C02"].number, Severity.WARN, 2, 255, 1500, 12)
        seq = link.tell(incident)
        link.tell(incident, seq=seq)
        link.tell(incident, seq=seq)
        await clock.settle()
        assert got == [incident]
        assert link.heard == [seq] * 3


async def test_answers_find_their_own_requests_whatever_the_order():
    link = ScriptedLink((Echo(1), (OK,)), (Echo(2), (OK,)))
    async with bridged(link) as (bridge, clock):
        first = asyncio.ensure_future(bridge.execute(Echo(1)))
        second = asyncio.ensure_future(bridge.execute(Echo(2)))
        await clock.settle()
        link.tell(Echoed(2), of=link.sent[1].seq)
        link.tell(Echoed(1), of=link.sent[0].seq)
        assert await first == Echoed(1)
        assert await second == Echoed(2)


async def test_an_accepted_motion_that_never_ends_is_a_timeout():
    link = ScriptedLink((UP, (OK,)))
    async with bridged(link) as (bridge, clock):
        task = asyncio.ensure_future(bridge.execute(UP))
        await clock.settle()
        for _ in range(110):  # the board lives and says so
            link.tell(Incident(BY_CODE["C02"].number, Severity.WARN, 2, 255, 0, 0))
            await clock.advance(0.1)
        with pytest.raises(CommandTimeoutError, match=r"no answer to MoveCentre.* within 10 s"):
            await task


async def test_a_board_that_hears_nothing_is_given_up_after_many_tries():
    link = ScriptedLink()
    async with bridged(link) as (bridge, clock):
        link.silent = True
        task = asyncio.ensure_future(bridge.execute(Echo(1)))
        await clock.advance(0.6)
        with pytest.raises(LinkLostError, match="fell silent"):
            await task
        assert 5 < len(link.sent) <= GIVE_UP_AFTER + 1
        assert bridge.statistics.poor_links == 1


async def test_a_heartbeat_goes_out_when_nothing_else_does():
    link = ScriptedLink()
    async with bridged(link) as (_, clock):
        await clock.advance(0.4)
        assert 4 <= link.beats <= 6


async def test_a_pulled_cable_fails_what_was_on_its_way_and_comes_back_by_itself():
    link = ScriptedLink((UP, (OK,)))
    async with bridged(link) as (bridge, clock):
        task = asyncio.ensure_future(bridge.execute(UP))
        await clock.settle()
        session = bridge._session
        link.break_(OSError(5, "Input/output error"))
        await clock.settle()
        with pytest.raises(LinkLostError, match="Input/output error"):
            await task
        assert not bridge.connected
        assert link.closed == 1
        with pytest.raises(LinkLostError, match="not connected"):
            await bridge.execute(UP)
        await clock.advance(0.6)
        assert bridge.connected
        assert link.opens == 2
        assert bridge._session != session
        assert len(link.sent) == 1  # the motion was not sent again


async def test_a_missing_port_is_named_and_tried_for_ever():
    link = ScriptedLink()
    link.refuse_to_open = True
    async with bridged(link) as (bridge, clock):
        await clock.advance(30.0)
        assert bridge.link_state is LinkState.NO_PORT
        assert "cannot open scripted: no such device" in bridge.problem
        link.refuse_to_open = False
        await clock.advance(1.0)
        assert bridge.connected


@pytest.mark.parametrize(
    ("board", "says"),
    [
        ({"major": 2}, "speaks protocol 2"),
        ({"table_hash": 5}, "message table is 00000005"),
        ({"incompatible": 0x8000}, "needs features 0x8000"),
    ],
)
async def test_a_board_that_does_not_belong_here_is_never_commanded(board, says):
    link = ScriptedLink(**board)
    async with bridged(link) as (bridge, clock):
        assert bridge.link_state is LinkState.WRONG_BOARD
        assert says in bridge.problem
        with pytest.raises(LinkLostError):
            await bridge.execute(Unlock())
        await clock.advance(3.0)
        assert link.sent == []
        assert link.opens > 1  # it is asked again: the firmware may be installed meanwhile


async def test_a_new_boot_of_the_board_is_noticed():
    link = ScriptedLink()
    async with bridged(link) as (bridge, clock):
        assert not bridge.boot_changed
        link.board = {"boot_id": 77}
        link.break_(OSError("gone"))
        await clock.advance(1.0)
        assert bridge.connected
        assert bridge.boot_changed


async def test_stop_is_sent_three_times_and_waits_for_nothing():
    link = ScriptedLink()
    async with bridged(link) as (bridge, _):
        bridge.stop()
        assert link.stops == 3
    assert link.stops == 6  # and again when the program ends


async def test_a_cancelled_request_leaves_nothing_behind():
    link = ScriptedLink((Unlock(), (OK,)), (Echo(3), (OK, Echoed(3))))
    async with bridged(link) as (bridge, clock):
        task = asyncio.ensure_future(bridge.execute(Unlock()))
        await clock.settle()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        link.tell(Unlocked(Mode.IDLE), of=link.sent[0].seq)  # nobody waits any more
        assert await bridge.execute(Echo(3)) == Echoed(3)
        assert not bridge._pending


async def test_reports_are_streamed_and_a_sleeping_listener_loses_only_the_oldest():
    link = ScriptedLink()
    async with bridged(link) as (bridge, clock):
        stream = bridge.reports()
        first = asyncio.ensure_future(anext(stream))
        await clock.settle()
        for number in range(1001):
            link.tell(Incident(BY_CODE["C02"].number, Severity.WARN, 2, 255, number, 0))
        assert (await first).value == 1  # 0 gave way to the thousand after it
        assert (await anext(stream)).value == 2
        await stream.aclose()
        assert not bridge._listeners


async def test_counters_have_the_names_of_the_metrics_page():
    link = ScriptedLink((Echo(3), (OK, Echoed(3))))
    async with bridged(link) as (bridge, _):
        await bridge.execute(Echo(3))
        found = metrics(bridge.statistics)
        assert found["bridge_commands_total"] == 1
        assert found["bridge_connects_total"] == 1
        assert found["bridge_bad_frames_total"] == 0


async def test_nonsense_with_a_good_checksum_is_survived():
    link = ScriptedLink((Echo(3), (OK, Echoed(3))))
    async with bridged(link) as (bridge, _):
        for kind in range(0x80, 0x100):
            for size in (0, 1, 7, 80, 200):
                link._received(encode(Frame(kind, 0, bridge._session, 9, bytes(size))))
        assert await bridge.execute(Echo(3)) == Echoed(3)
