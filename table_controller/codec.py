"""Events <-> plain JSON values: what the log, the live feed and the exports write.

Every event is an object with its ``kind`` and its fields. Tiles are notation (``"5p"``, null for
one nobody saw), seats are numbers, melds, payments and answers have the shape of the score case
and its answer. The forms are read off the event classes, so a new field needs no code here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields
from enum import StrEnum
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from table_controller.rules.core import events as event_module
from table_controller.rules.core.case import Answer
from table_controller.rules.core.errors import NotationError
from table_controller.rules.core.events import GameEvent
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import Tile, format_tiles, parse_tiles

EVENT_KINDS: Mapping[str, type[GameEvent]] = MappingProxyType(
    {cls.kind: cls for cls in get_args(event_module.GameEvent)}
)
"""Every event class by the name it has in the log."""

RENAMED = {"source": "from", "payer": "from", "receiver": "to"}
"""Fields that are written under the name the score case uses."""


class CodecError(ValueError):
    """A stored or sent value that is not the event it claims to be; names the place."""


def event_to_json(event: GameEvent) -> dict[str, Any]:
    """The event as JSON-able builtins; `event_from_json` undoes it."""
    return {"kind": event.kind, **_to_object(event)}


def event_from_json(data: object, where: str = "event") -> GameEvent:
    """The event that was written; raises CodecError naming an unknown kind or field."""
    if not isinstance(data, Mapping):
        raise CodecError(f"{where}: expected an object, not {_brief(data)}")
    kind = data.get("kind")
    cls = EVENT_KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise CodecError(f"{where}.kind: there is no event {_brief(kind)}")
    rest = {key: value for key, value in data.items() if key != "kind"}
    event: GameEvent = _from_object(cls, rest, where)
    return event


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """A judged win in the shape of the score answer: deltas instead of the number of players."""
    written = _to_object(answer)
    del written["players"]
    return {**written, "deltas": list(answer.deltas)}


def answer_from_json(data: object, where: str = "answer") -> Answer:
    """Undoes `answer_to_json`; the deltas must be what the payments sum to."""
    if not isinstance(data, Mapping):
        raise CodecError(f"{where}: expected an object, not {_brief(data)}")
    deltas = _form(tuple[int, ...]).read(data.get("deltas"), f"{where}.deltas")
    rest = {key: value for key, value in data.items() if key != "deltas"}
    answer: Answer = _from_object(Answer, {**rest, "players": len(deltas)}, where)
    beyond = [p for p in answer.payments if max(p.payer or 0, p.receiver or 0) >= len(deltas)]
    if beyond or answer.deltas != deltas:
        raise CodecError(f"{where}.deltas: {list(deltas)} is not what the payments sum to")
    return answer


def meld_to_json(meld: Meld) -> dict[str, Any]:
    """A meld in the shape of the score case."""
    return {
        "kind": meld.kind.value,
        "tiles": format_tiles(meld.tiles),
        "from": None if meld.source is None else int(meld.source),
        "called": None if meld.called is None else str(meld.called),
    }


def payment_to_json(payment: Payment) -> dict[str, Any]:
    """A payment; null is the pot."""
    return _to_object(payment)


class _Form:
    """How values of one type are written and read back."""

    __slots__ = ("read", "write")

    def __init__(self, write: Callable[[Any], Any], read: Callable[[Any, str], Any]) -> None:
        self.write = write
        self.read = read


def _to_object(value: Any) -> dict[str, Any]:
    cls: Any = type(value)
    return {written: form.write(getattr(value, name)) for name, written, form in _plan(cls)}


def _from_object(cls: Any, data: object, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise CodecError(f"{where}: expected an object, not {_brief(data)}")
    plan = _plan(cls)
    known = {written for _, written, _ in plan}
    for key in data:
        if key not in known:
            raise CodecError(
                f"{where}.{key}: {_called(cls)} has no such field; "
                f"it has {', '.join(sorted(known))}"
            )
    required = _required(cls)
    values = {}
    for name, written, form in plan:
        if written in data:
            values[name] = form.read(data[written], f"{where}.{written}")
        elif name in required:
            raise CodecError(f"{where}.{written}: {_called(cls)} needs this field")
    return cls(**values)


@cache
def _plan(cls: Any) -> tuple[tuple[str, str, _Form], ...]:
    hints = get_type_hints(cls)
    return tuple(
        (each.name, RENAMED.get(each.name, each.name), _form(hints[each.name]))
        for each in fields(cls)
    )


@cache
def _required(cls: Any) -> frozenset[str]:
    return frozenset(
        each.name
        for each in fields(cls)
        if each.default is MISSING and each.default_factory is MISSING
    )


@cache
def _form(hint: Any) -> _Form:
    """The form of a field's type; a type nobody wrote a form for is an error of the program."""
    if hint in _SPECIAL:
        return _SPECIAL[hint]
    if hint == event_module.GameEvent:
        return _Form(event_to_json, event_from_json)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType) and len(args) == 2 and NoneType in args:
        return _optional(_form(next(arg for arg in args if arg is not NoneType)))
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return _list(_form(args[0]))
    if origin is tuple:
        return _row(tuple(_form(arg) for arg in args))
    if isinstance(origin, type) and issubclass(origin, Mapping) and args[0] is str:
        return _mapping(_form(args[1]))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _enum(hint)
    if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
        return _Form(_to_object, lambda value, where: _from_object(hint, value, where))
    raise TypeError(f"no form is known for {hint!r}")


def _optional(form: _Form) -> _Form:
    return _Form(
        lambda value: None if value is None else form.write(value),
        lambda value, where: None if value is None else form.read(value, where),
    )


def _list(form: _Form) -> _Form:
    def read(value: Any, where: str) -> Any:
        if not isinstance(value, list | tuple):
            raise CodecError(f"{where}: expected a list, not {_brief(value)}")
        return tuple(form.read(each, f"{where}[{place}]") for place, each in enumerate(value))

    return _Form(lambda value: [form.write(each) for each in value], read)


def _row(forms: tuple[_Form, ...]) -> _Form:
    def read(value: Any, where: str) -> Any:
        if not isinstance(value, list | tuple) or len(value) != len(forms):
            raise CodecError(f"{where}: expected {len(forms)} values, not {_brief(value)}")
        pairs = zip(forms, value, strict=True)
        return tuple(f.read(each, f"{where}[{i}]") for i, (f, each) in enumerate(pairs))

    return _Form(lambda value: [f.write(each) for f, each in zip(forms, value, strict=True)], read)


def _mapping(form: _Form) -> _Form:
    def read(value: Any, where: str) -> Any:
        if not isinstance(value, Mapping):
            raise CodecError(f"{where}: expected an object, not {_brief(value)}")
        return MappingProxyType({k: form.read(v, f"{where}.{k}") for k, v in value.items()})

    return _Form(lambda value: {key: form.write(each) for key, each in value.items()}, read)


def _enum(cls: type[StrEnum]) -> _Form:
    def read(value: Any, where: str) -> Any:
        try:
            return cls(value)
        except ValueError:
            allowed = ", ".join(member.value for member in cls)
            raise CodecError(f"{where}: expected one of {allowed}, not {_brief(value)}") from None

    return _Form(lambda value: value.value, read)


def _exactly(cls: type[Any], name: str) -> _Form:
    def read(value: Any, where: str) -> Any:
        if type(value) is not cls:
            raise CodecError(f"{where}: expected {name}, not {_brief(value)}")
        return value

    return _Form(lambda value: value, read)


def _read_float(value: Any, where: str) -> float:
    if type(value) in (int, float):
        with suppress(OverflowError):  # a whole number may have more digits than a float holds
            if math.isfinite(value):
                return float(value)
    raise CodecError(f"{where}: expected a number, not {_brief(value)}")


def _write_float(value: float) -> float:
    if not math.isfinite(value):
        raise CodecError(f"{value} cannot be written: only finite numbers can")
    return value


def _read_tile(value: Any, where: str) -> Tile:
    if not isinstance(value, str):
        raise CodecError(f"{where}: expected a tile such as '5p', not {_brief(value)}")
    try:
        return Tile.parse(value)
    except NotationError as error:
        raise CodecError(f"{where}: {error}") from None


def _read_seat(value: Any, where: str) -> Seat:
    if type(value) is not int or value not in Seat.__members__.values():
        raise CodecError(f"{where}: expected a seat from 0 to 3, not {_brief(value)}")
    return Seat(value)


def _read_meld(value: Any, where: str) -> Meld:
    if not isinstance(value, Mapping):
        raise CodecError(f"{where}: expected a meld, not {_brief(value)}")
    for key in value:
        if key not in ("kind", "tiles", "from", "called"):
            raise CodecError(f"{where}.{key}: a meld has kind, tiles, from and called")
    text = value.get("tiles")
    if not isinstance(text, str):
        raise CodecError(f"{where}.tiles: expected tiles such as '555z', not {_brief(text)}")
    try:
        tiles = parse_tiles(text)
    except NotationError as error:
        raise CodecError(f"{where}.tiles: {error}") from None
    return Meld(
        _form(MeldKind).read(value.get("kind"), f"{where}.kind"),
        tiles,
        _form(Seat | None).read(value.get("from"), f"{where}.from"),
        _form(Tile | None).read(value.get("called"), f"{where}.called"),
    )


def _read_payment(value: Any, where: str) -> Payment:
    payment: Payment = _from_object(Payment, value, where)
    if payment.payer is payment.receiver:
        raise CodecError(f"{where}: a payment goes from one to another; null is the pot")
    if payment.points < 0:
        raise CodecError(f"{where}.points: {payment.points}: who pays and who gets change places")
    return payment


_SPECIAL: dict[Any, _Form] = {
    bool: _exactly(bool, "true or false"),
    int: _exactly(int, "a whole number"),
    str: _exactly(str, "a text"),
    float: _Form(_write_float, _read_float),
    Tile: _Form(str, _read_tile),
    Seat: _Form(int, _read_seat),
    Meld: _Form(meld_to_json, _read_meld),
    Payment: _Form(_to_object, _read_payment),
    Answer: _Form(answer_to_json, answer_from_json),
}


def _called(cls: type[Any]) -> str:
    return str(getattr(cls, "kind", cls.__name__.lower()))


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
