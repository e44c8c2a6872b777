"""How a message class declares its bytes: the field, its unit and its bounds in one place."""

from __future__ import annotations

import dataclasses
import enum
import re
import struct
from collections.abc import Callable
from typing import Any, ClassVar, Self, TypeVar, cast, dataclass_transform

from firmware_bridge.errors import FieldError, FrameError

_SPANS = {"B": (0, 0xFF), "H": (0, 0xFFFF), "I": (0, 0xFFFFFFFF), "h": (-0x8000, 0x7FFF)}
_C_NAMES = {"B": "u8", "H": "u16", "I": "u32", "h": "i16"}


@dataclasses.dataclass(frozen=True, slots=True)
class Wire:
    """What the wire knows of one field."""

    code: str  # struct code, with a count for an array: "B", "4H"
    unit: str
    low: int
    high: int
    about: str
    kind: type[enum.IntEnum] | type[enum.IntFlag] | None

    @property
    def count(self) -> int:
        """How many numbers the field holds."""
        return int(self.code[:-1] or 1)

    @property
    def c_name(self) -> str:
        """The type as the protocol document writes it."""
        name = _C_NAMES[self.code[-1]]
        return name if self.count == 1 else f"{name}[{self.count}]"


def wire(
    code: str,
    about: str,
    *,
    unit: str = "",
    low: int | None = None,
    high: int | None = None,
    kind: type[enum.IntEnum] | type[enum.IntFlag] | None = None,
) -> Any:
    """A field of a message; bounds default to its kind's numbers, or what the type can hold."""
    if not re.fullmatch(r"\d*[BHIh]", code):
        raise FieldError(f"struct code {code!r} is not one of u8, u16, u32, i16 with a count")
    span = _SPANS[code[-1]]
    if kind is not None:
        every = [number.value for number in kind]
        span = (0, sum(every)) if issubclass(kind, enum.IntFlag) else (min(every), max(every))
    meta = Wire(
        code,
        unit,
        span[0] if low is None else low,
        span[1] if high is None else high,
        about,
        kind,
    )
    return dataclasses.field(metadata={"wire": meta})


class Message:
    """One message: knows its opcode and turns into bytes and back."""

    opcode: ClassVar[int]
    layout: ClassVar[struct.Struct]
    wires: ClassVar[tuple[tuple[str, Wire], ...]]

    def __post_init__(self) -> None:
        for name, meta in self.wires:
            value = getattr(self, name)
            values = value if isinstance(value, tuple) else (value,)
            if len(values) != meta.count:
                raise FieldError(
                    f"{type(self).__name__}.{name} takes {meta.count} numbers, not {len(values)}"
                )
            for number in values:
                if not isinstance(number, int) or not meta.low <= number <= meta.high:
                    raise FieldError(
                        f"{type(self).__name__}.{name} is {number!r};"
                        f" it must be {meta.low} to {meta.high} {meta.unit}".rstrip()
                    )

    def pack(self) -> bytes:
        """The payload: the fields in order, little-endian, without padding."""
        numbers: list[int] = []
        for name, _ in self.wires:
            value = getattr(self, name)
            numbers.extend(value if isinstance(value, tuple) else (value,))
        return self.layout.pack(*numbers)

    @classmethod
    def unpack(cls, payload: bytes) -> Self:
        """The message of a payload; FrameError when it is not one."""
        try:
            numbers = cls.layout.unpack(payload)
        except struct.error as error:
            raise FrameError(f"{cls.__name__} takes {cls.layout.size} bytes: {error}") from None
        fields: dict[str, object] = {}
        at = 0
        try:
            for name, meta in cls.wires:
                part = numbers[at : at + meta.count]
                at += meta.count
                if meta.kind is not None:
                    part = tuple(meta.kind(number) for number in part)
                fields[name] = part if meta.count > 1 else part[0]
            return cls(**fields)
        except ValueError as error:
            raise FrameError(f"{cls.__name__}: {error}") from None


M = TypeVar("M", bound=type[Message])


@dataclass_transform(frozen_default=True, field_specifiers=(wire,))
def message(opcode: int) -> Callable[[M], M]:
    """Make a frozen dataclass of the class and give it its opcode and layout."""

    def decorate(cls: M) -> M:
        made: Any = dataclasses.dataclass(frozen=True, slots=True)(cls)
        wires = tuple((f.name, f.metadata["wire"]) for f in dataclasses.fields(made))
        made.opcode = opcode
        made.wires = wires
        made.layout = struct.Struct("<" + "".join(meta.code for _, meta in wires))
        return cast(M, made)

    return decorate
