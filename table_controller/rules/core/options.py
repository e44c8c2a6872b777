"""Options of a ruleset: declared with their sentence and bounds, checked when a value is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import Field, field, fields
from enum import Enum
from typing import Any, TypeVar

from table_controller.rules.core.errors import OptionError

T = TypeVar("T")


def option(
    default: T,
    doc: str,
    *,
    min: int | None = None,
    max: int | None = None,
    multiple_of: int | None = None,
    items: type[Enum] | None = None,
) -> T:
    """A dataclass field that knows its sentence, its bounds, and the members of a list option."""
    bounds = {"min": min, "max": max, "multiple_of": multiple_of, "items": items}
    known = {key: value for key, value in bounds.items() if value is not None}
    found: T = field(default=default, metadata={"doc": doc, **known})
    return found


def check_options(options: Any) -> None:
    """Call from ``__post_init__``: texts become their enum members, numbers are held to bounds.

    Raises OptionError that names the option, the value and what is allowed.
    """
    for declared in fields(options):
        value = getattr(options, declared.name)
        checked = _checked(declared, value)
        if checked is not value:
            object.__setattr__(options, declared.name, checked)


def _checked(declared: Field[Any], value: Any) -> Any:
    default, known = declared.default, declared.metadata
    name = declared.name
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise OptionError(f"option {name} is true or false, not {value!r}")
        return value
    if isinstance(default, Enum):
        return _member(name, type(default), value)
    if isinstance(default, tuple):
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise OptionError(f"option {name} is a list, not {value!r}")
        items = known.get("items")
        if items is not None:
            return tuple(_member(name, items, one) for one in value)
        if known.get("min") is not None:
            for one in value:
                _check_number(name, one, known)
        return tuple(value)
    if isinstance(default, int) or (default is None and value is not None and "min" in known):
        _check_number(name, value, known)
    return value


def _check_number(name: str, value: Any, known: Mapping[str, Any]) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise OptionError(f"option {name} is a whole number, not {value!r}")
    low, high, step = known.get("min"), known.get("max"), known.get("multiple_of")
    if (low is not None and value < low) or (high is not None and value > high):
        raise OptionError(
            f"option {name} is {value}: it goes from "
            f"{'any' if low is None else low} to {'any' if high is None else high}"
        )
    if step is not None and value % step:
        raise OptionError(f"option {name} is {value}: it must be a multiple of {step}")


def _member(name: str, kind: type[Enum], value: Any) -> Enum:
    try:
        return kind(value)
    except ValueError:
        allowed = ", ".join(str(member.value) for member in kind)
        raise OptionError(f"option {name} cannot be {value!r}; it can be {allowed}") from None
