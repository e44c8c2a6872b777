"""The staff's way in: a PIN, kept as a hash, that opens a session; guessing is slowed down."""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

COOKIE = "mahjong_staff"
FREE_TRIES = 5  # wrong PINs before the first wait
FIRST_WAIT_S = 15.0  # doubled with every further wrong PIN
LONGEST_WAIT_S = 900.0
MOST_ADDRESSES = 1000  # whose guesses are remembered
_COST, _BLOCK, _PARALLEL = 2**14, 8, 1  # 16 MB and about 50 ms: OWASP's floor for scrypt, halved
_LENGTH = 32


class PinError(ValueError):
    """A PIN that cannot be used, or a hash that is none."""


class WrongPinError(Exception):
    """The PIN was wrong."""


class TooManyTriesError(Exception):
    """Wrong too often: wait."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"too many wrong PINs: wait {math.ceil(wait_s)} s")
        self.wait_s = wait_s


def hash_pin(pin: str, salt: bytes | None = None) -> str:
    """What stands in ``table.toml`` for a PIN of 4 to 64 characters."""
    if not 4 <= len(pin) <= 64:
        raise PinError("a PIN has 4 to 64 characters")
    salt = secrets.token_bytes(16) if salt is None else salt
    key = _scrypt(pin, salt, _COST, _BLOCK, _PARALLEL)
    return f"scrypt${_COST}${_BLOCK}${_PARALLEL}${salt.hex()}${key.hex()}"


def is_pin(pin: str, hashed: str) -> bool:
    """Whether the hash is that of the PIN; raises PinError when it is no hash."""
    try:
        kind, cost, block, parallel, salt, key = hashed.split("$")
        if kind != "scrypt" or not 2 <= int(cost) <= 2**16:
            raise ValueError(kind)
        made = _scrypt(pin, bytes.fromhex(salt), int(cost), int(block), int(parallel))
        return hmac.compare_digest(made, bytes.fromhex(key))
    except ValueError as error:
        raise PinError("staff_pin is not a hash that `mahjong-table pin` printed") from error


def _scrypt(pin: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    return hashlib.scrypt(
        pin.encode(), salt=salt, n=cost, r=block, p=parallel, dklen=_LENGTH, maxmem=2**27
    )


@dataclass
class _Guesses:
    """What somebody tried so far."""

    failures: int = 0
    closed_until: float = 0.0


@dataclass
class StaffRoom:
    """Open sessions and failed tries. With no PIN set everybody on this machine is staff.

    Each address waits for its own wrong PINs, so that nobody can keep the staff out by guessing.
    """

    pin_hash: str
    session_s: float
    clock: Callable[[], float]
    _sessions: dict[bytes, float] = field(default_factory=dict)  # hash of the token -> its end
    _guesses: dict[str, _Guesses] = field(default_factory=dict)  # by address

    def enter(self, pin: str, address: str = "") -> str:
        """A new session's token; raises WrongPinError or TooManyTriesError."""
        now = self.clock()
        guesses = self._guesses.setdefault(address, _Guesses())
        if now < guesses.closed_until:
            raise TooManyTriesError(guesses.closed_until - now)
        if self.pin_hash and not is_pin(pin, self.pin_hash):
            guesses.failures += 1
            over = guesses.failures - FREE_TRIES
            if over >= 0:
                wait_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** min(over, 10))
                guesses.closed_until = now + wait_s
            while len(self._guesses) > MOST_ADDRESSES:
                self._guesses.pop(next(iter(self._guesses)))
            raise WrongPinError
        self._guesses.pop(address, None)
        self._sessions = {key: end for key, end in self._sessions.items() if end > now}
        token = secrets.token_urlsafe(32)
        self._sessions[_digest(token)] = now + self.session_s
        return token

    def knows(self, token: str | None) -> bool:
        """Whether the token is of an open session."""
        if not token:
            return False
        return self._sessions.get(_digest(token), -math.inf) > self.clock()

    def leave(self, token: str | None) -> None:
        """Close the session."""
        if token:
            self._sessions.pop(_digest(token), None)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
