"""`mahjong-table rulesets`: what can be played, with presets, options, bounds and defaults."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

from table_controller.commands import bad_input, print_json, say
from table_controller.rules import RULESET_NAMES, find_ruleset
from table_controller.rules.core.errors import RulesError
from table_controller.rules.core.ruleset import Ruleset

LONG_LIST = 2  # more values than that widen a table too much


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("name", nargs="?", help="show this ruleset's presets and options")
    parser.add_argument("--json", action="store_true")


def execute(args: argparse.Namespace) -> int:
    """Print the list, or one ruleset."""
    if args.name is None:
        found = [summary(find_ruleset(name)) for name in RULESET_NAMES]
        if args.json:
            print_json({"rulesets": found})
        else:
            for each in found:
                say(f"{each['name']:<20} {each['players']} players  {each['title']}")
        return 0
    with bad_input(RulesError):
        ruleset = find_ruleset(args.name)
    if args.json:
        print_json(description(ruleset))
    else:
        _table(ruleset)
    return 0


def summary(ruleset: Ruleset[Any]) -> dict[str, Any]:
    """Name, title and players of a ruleset."""
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "native": ruleset.native,
        "players": ruleset.players,
        "presets": list(ruleset.presets),
        "playable": ruleset.play is not None,
    }


def description(ruleset: Ruleset[Any]) -> dict[str, Any]:
    """Everything about a ruleset: options with types, bounds, defaults and the presets' values."""
    hints = get_type_hints(type(ruleset.options))
    options = []
    for field in fields(ruleset.options):
        declared: dict[str, Any] = {
            "name": field.name,
            "type": _type_name(hints[field.name]),
            "default": plain(getattr(ruleset.options, field.name)),
            "doc": field.metadata.get("doc", ""),
        }
        members = _members(hints[field.name])
        if members:
            declared["values"] = [member.value for member in members]
        meanings = {m.value: m.sentence for m in members if hasattr(m, "sentence")}
        if meanings:
            declared["meanings"] = meanings
        for bound in ("min", "max", "multiple_of"):
            if bound in field.metadata:
                declared[bound] = field.metadata[bound]
        declared["presets"] = {
            name: plain(getattr(preset, field.name)) for name, preset in ruleset.presets.items()
        }
        options.append(declared)
    return {
        **summary(ruleset),
        "source": ruleset.source,
        "preset_sources": dict(ruleset.preset_sources),
        "options": options,
    }


def plain(value: Any) -> Any:
    """An option's value as JSON can hold it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, frozenset | set):
        return sorted((plain(one) for one in value), key=str)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def _type_name(hint: Any) -> str:
    if hint is type(None):
        return "none"
    if isinstance(hint, type):
        return "choice" if issubclass(hint, Enum) else hint.__name__
    inner = ", ".join(_type_name(part) for part in get_args(hint) if part is not Ellipsis)
    origin = get_origin(hint)
    if origin in (tuple, frozenset, set, list):
        return f"list of {inner}"
    return inner.replace(", ", " or ")


def _members(hint: Any) -> list[Any]:
    for part in (hint, *get_args(hint)):
        if isinstance(part, type) and issubclass(part, Enum):
            return list(part)
    return []


def _table(ruleset: Ruleset[Any]) -> None:
    about = description(ruleset)
    say(f"{ruleset.title} {ruleset.native} ({ruleset.name}), {ruleset.players} players")
    say(f"source: {ruleset.source}")
    for preset, source in ruleset.preset_sources.items():
        say(f"preset {preset}: {source}")
    names = list(ruleset.presets)
    rows = [["option", "default", *names]]
    for option in about["options"]:
        default = option["default"]
        cells = [
            "" if option["presets"][name] == default else _short(option["presets"][name])
            for name in names
        ]
        rows.append([option["name"], _short(default), *cells])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    say()
    for option in about["options"]:
        say(f"{option['name']} ({_allowed(option)}): {option['doc']}")
        for value, sentence in option.get("meanings", {}).items():
            say(f"    {value}: {sentence}")
        for name, chosen in {"default": option["default"], **option["presets"]}.items():
            if _is_long(chosen) and (name == "default" or chosen != option["default"]):
                say(f"    {name}: {_cell(chosen)}")


def _allowed(option: Mapping[str, Any]) -> str:
    """What an option may be, in words: its values, or its type and bounds."""
    if "values" in option:
        return " | ".join(str(value) for value in option["values"])
    said = [str(option["type"])]
    if "max" in option:
        said.append(f"{option.get('min', 'any')} to {option['max']}")
    elif "min" in option:
        said.append(f"{option['min']} or more")
    if "multiple_of" in option:
        said.append(f"a multiple of {option['multiple_of']}")
    return ", ".join(said)


def _is_long(value: Any) -> bool:
    return isinstance(value, list) and len(value) > LONG_LIST


def _short(value: Any) -> str:
    """The value in a column; a long list stands below, with the option."""
    return f"{len(value)} below" if _is_long(value) else _cell(value)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return " ".join(str(one) for one in value) or "none"
    return "none" if value is None else str(value)
