"""Options as texts, as the log keeps them: what differs from a preset, and that read back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.ruleset import Ruleset


def changed_options(
    ruleset: Ruleset[Any], preset: str | None, options: Any
) -> tuple[tuple[str, str], ...]:
    """What differs from the preset, as name and text."""
    base = ruleset.choose(preset)
    return tuple(
        (each.name, _text(getattr(options, each.name)))
        for each in fields(options)
        if getattr(options, each.name) != getattr(base, each.name)
    )


def read_changes(ruleset: Ruleset[Any], changes: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The changes as values, for `Ruleset.choose`; raises OptionError."""
    hints = get_type_hints(type(ruleset.options))
    values = {}
    for name, text in changes:
        if name not in hints:
            raise OptionError(f"{ruleset.name} has no option {name!r}")
        values[name] = _value(hints[name], text, name)
    return values


def _text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ",".join(_text(each) for each in value)
    if isinstance(value, frozenset | set):
        return ",".join(sorted(_text(each) for each in value))
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return str(value.value) if isinstance(value, Enum) else str(value)


def _value(hint: Any, text: str, name: str) -> Any:
    origin = get_origin(hint)
    value: Any = text
    if isinstance(origin, type) and issubclass(origin, tuple | frozenset | set | list):
        value = text.split(",") if text else []
    elif text == "none" and type(None) in get_args(hint):
        return None
    try:
        return msgspec.convert(value, hint, strict=False)
    except msgspec.ValidationError as error:
        raise OptionError(f"option {name}: {text!r}: {error}") from error
