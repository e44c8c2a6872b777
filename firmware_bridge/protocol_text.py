"""The prose that opens the wire document; numbers come from the code."""

from __future__ import annotations

from firmware_bridge import messages as m
from firmware_bridge.framing import MAX_FRAME

INTRODUCTION = f"""
# Wire protocol between computer and motor board

Version {m.PROTOCOL_MAJOR}.{m.PROTOCOL_MINOR}. Serial, 115200 baud 8N1 or USB CDC; everything
little-endian.

## Frame

`u8 type | u8 flags | u16 session | u16 seq | payload (0 to {m.MAX_PAYLOAD} bytes) | u32 crc`

- At most {MAX_FRAME} bytes before coding. COBS-coded, with a zero byte before and after. Any zero
  byte brings a receiver that lost the thread back into step.
- `crc` is CRC-32 (zlib) over everything before it. It does not start from 0 but from the hash of
  the message table, so that two sides whose tables differ cannot understand each other by
  accident. `Hello`, `HelloAck` and `Stop` start from 0.
- `flags` bit 0: this frame was sent before (statistics only). Other bits are 0.
- A frame that fails its checksum is counted and otherwise ignored.

## Session

1. The host draws a random session number and sends `Hello` until `HelloAck` with that number comes.
2. Versions: a board with another major version, another table hash or an unknown incompatible
   feature is only diagnosed: the host sends it nothing that moves.
3. Every later frame carries the session. Frames of another session are dropped, so nothing sent
   before a replug can act. A new session stops all motion and locks the board.
4. `boot_id` differs from the last one: the board restarted, all positions are unknown.

## Requests

- The host numbers its frames from 1, wrapping past 0. A request is answered at once by `Accepted`
  or `Refused` and, when it is done, by its answer or by `Failed`.
- No `Accepted` within {m.RETRY_MS} ms: the same frame, same number, again. After five repetitions
  the link counts as poor; after {m.SILENCE_MS} ms without a byte from the board, or three seconds
  without a whole frame, it counts as lost.
- The board keeps its last {m.KEPT_ANSWERS} answers. A repeated request is answered from there and
  not done again. A frame 128 numbers or more behind the newest is a stray copy and is dropped.
  `State.served` counts what was accepted in this session: a host can see that nothing was doubled.
- Answers and incidents carry a number of their own and are repeated every {m.REPEAT_MS} ms until
  `Heard` names it.
- A motion names its target, its longest time and its lease: it ends when the host has been silent
  for the lease, in any case after {m.SILENCE_MS} ms, and by its own deadline.
- The host sends `Heartbeat` when it sent nothing else for {m.HEARTBEAT_MS} ms.
- Nothing moves before `SetMachine` and `SetLimits` for every motor were given since the start.
  A build is finished as it was begun: another layout or family counts from the next build.
- A host that has been silent for twice {m.SILENCE_MS} ms is not talked to any more, so that a port
  nobody empties does not hold up the board; the next valid frame changes that.
- `State` is complete, never a difference; it comes every {m.STATE_MS} ms and at every edge. A lost
  one does no harm.
- `Stop` is handled when it arrives, ahead of everything, in any session; it is sent three times and
  never answered. Motors are off and the board is locked.

## Modes

`LOCKED` after power-up, a new session, silence or a cleared fault: only a person's `Unlock` leaves
it. `IDLE`, `MOVING`: requests are taken when their interlocks hold. `SERVICE`: jog and eject.
`FAULT`: a latched fault; `ClearFault` leads to `LOCKED`. `ESTOP`: the button is pressed or was; the
supply is cut; after release `ClearFault` leads to `LOCKED`. Motion never resumes by itself.
"""
