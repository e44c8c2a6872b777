"""Session, sequence numbers, answers kept for repeats, and reports repeated until heard."""

import struct

from frames import Receiver, Sender
from stroke import since
from table_messages import *

PENDING = 0
NO = 1
ANSWERED = 2

OUTBOX = 24
OLDEST = 128  # frames: a request this far behind the newest is a stray copy, not a repeat


class Kept:
    """What became of one request."""

    def __init__(self):
        self.session = 0
        self.seq = 0
        self.state = NO
        self.reply = bytearray(24)
        self.size = 0
        self.kind = 0


class Posted:
    """A report that is repeated until the host has heard it."""

    def __init__(self):
        self.live = False
        self.kind = 0
        self.seq = 0
        self.sent_at = 0
        self.payload = bytearray(24)
        self.size = 0
        self.sent = False


class Link:
    """The board's end of the wire."""

    def __init__(self, hal):
        self.hal = hal
        self.receiver = Receiver()
        self.sender = Sender()
        self.session = 0
        self.next_seq = 1
        self.newest = 0  # the host's
        self.served = 0
        self.heard_at = 0
        self.kept = [Kept() for _ in range(KEPT_ANSWERS)]
        self.kept_at = 0
        self.outbox = [Posted() for _ in range(OUTBOX)]
        self.lost_reports = 0
        self.small = bytearray(24)

    def begin(self, session):
        """A new session: nothing of the old one counts any more."""
        self.session = session
        self.newest = 0
        self.served = 0
        for kept in self.kept:
            kept.session = 0
        for posted in self.outbox:
            if posted.kind != INCIDENT:
                posted.live = False

    def send(self, kind, payload, size, seq=0, flags=0):
        """One frame, now."""
        if not seq:
            seq = self.number()
        length = self.sender.frame(kind, flags, self.session, seq, payload, size)
        self.hal.write(self.sender.out, length)

    def number(self):
        """The next sequence number of ours."""
        seq = self.next_seq
        self.next_seq = seq + 1 if seq < 0xFFFF else 1
        return seq

    def is_stale(self, seq):
        """Whether that frame is older than any the host may still be repeating."""
        behind = (self.newest - seq) & 0xFFFF
        if behind > 0x7FFF:
            self.newest = seq
            return False
        return behind >= OLDEST

    def find(self, seq):
        """What was done about that request of this session, or None."""
        for kept in self.kept:
            if kept.session == self.session and kept.seq == seq:
                return kept
        return None

    def accept(self, seq):
        """Remember the request and say that it is being done."""
        kept = self.kept[self.kept_at]
        self.kept_at = (self.kept_at + 1) % KEPT_ANSWERS
        kept.session = self.session
        kept.seq = seq
        kept.state = PENDING
        self.served = (self.served + 1) & 0xFFFF
        self.say_accepted(seq)

    def say_accepted(self, seq):
        struct.pack_into("<H", self.small, 0, seq)
        self.send(ACCEPTED, self.small, 2)

    def refuse(self, seq, reason, detail):
        """Remember the request and say why not."""
        kept = self.kept[self.kept_at]
        self.kept_at = (self.kept_at + 1) % KEPT_ANSWERS
        kept.session = self.session
        kept.seq = seq
        kept.state = NO
        struct.pack_into("<HBB", kept.reply, 0, seq, reason, detail)
        kept.size = 4
        self.send(REFUSED, kept.reply, 4)

    def answer(self, seq, kind, payload, size):
        """The request is done: `payload` begins with room for its number."""
        struct.pack_into("<H", payload, 0, seq)
        kept = self.find(seq)
        if kept is not None:
            kept.state = ANSWERED
            kept.kind = kind
            kept.reply[0:size] = payload[0:size]
            kept.size = size
        self.post(kind, payload, size)

    def again(self, kept):
        """A request came twice: say again what was said, do nothing."""
        if kept.state == NO:
            self.send(REFUSED, kept.reply, kept.size, 0, 1)
            return
        self.say_accepted(kept.seq)
        if kept.state == ANSWERED:
            for posted in self.outbox:  # still being repeated: that is enough
                if (
                    posted.live
                    and posted.kind == kept.kind
                    and posted.payload[0:2] == kept.reply[0:2]
                ):
                    posted.sent = False
                    return
            self.post(kept.kind, kept.reply, kept.size)

    def post(self, kind, payload, size):
        """Send until heard."""
        slot = None
        for posted in self.outbox:
            if not posted.live:
                slot = posted
                break
        if slot is None:
            self.lost_reports = (self.lost_reports + 1) & 0xFF
            slot = self.outbox[0]
        slot.live = True
        slot.kind = kind
        slot.seq = self.number()
        slot.payload[0:size] = payload[0:size]
        slot.size = size
        slot.sent = False

    def has_news(self):
        """Whether a report waits for its first sending: the state goes before it."""
        for posted in self.outbox:
            if posted.live and not posted.sent:
                return True
        return False

    def heard(self, seq):
        """The host has it."""
        for posted in self.outbox:
            if posted.live and posted.seq == seq:
                posted.live = False

    def pump(self, now):
        """Send what is due."""
        if not self.is_listened_to(now):
            return
        for posted in self.outbox:
            if posted.live and (not posted.sent or since(now, posted.sent_at) >= REPEAT_MS):
                self.send(
                    posted.kind, posted.payload, posted.size, posted.seq, 1 if posted.sent else 0
                )
                posted.sent = True
                posted.sent_at = now

    def is_listened_to(self, now):
        """Whether to talk: a USB port that nobody empties would block the loop."""
        return self.session != 0 and self.silence(now) < 2 * SILENCE_MS

    def silence(self, now):
        """Milliseconds since the host was heard."""
        return since(now, self.heard_at)
