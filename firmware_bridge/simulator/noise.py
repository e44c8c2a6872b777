"""A bad cable: bytes are damaged, lost, doubled or late, by a seeded chance."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass
class Noise:
    """Chance per byte of each kind of damage; the four kinds share the rate equally."""

    rate: float = 0.0
    seed: int = 0
    damaged: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._late = b""

    def pass_through(self, data: bytes) -> bytes:
        """What arrives at the other end now; late bytes come with the next ones."""
        if not self.rate:
            held, self._late = self._late, b""
            return held + data
        out = bytearray(self._late)
        self._late = b""
        for at, byte in enumerate(data):
            if self._random.random() >= self.rate:
                out.append(byte)
                continue
            self.damaged += 1
            kind = self._random.randrange(4)
            if kind == 0:
                out.append(byte ^ (1 << self._random.randrange(8)))
            elif kind == 1:
                pass
            elif kind == 2:
                out += bytes((byte, byte))
            else:
                self._late = data[at:]
                break
        return bytes(out)
