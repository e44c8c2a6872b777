"""The score case: JSON in, JSON out, for the command line and the API alike.

The format stands in the design document. ``dora`` and ``ura`` name the tiles that score;
``dora_indicators`` and ``ura_indicators`` may be given instead, and are turned into those.
``"..."`` in place of a pond or of another seat's hand means that it is not told. What was named
and cannot count, as a flag that excludes another, is left out and said in the answer's ``notes``.
A key that never counts in that game, as counters where none are paid, is refused like an unknown
one: who gives it expects that it counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, get_type_hints

import msgspec

from table_controller.codec import answer_to_json
from table_controller.records.codes import of_unicode
from table_controller.rules import find_ruleset
from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.errors import CaseError, OptionError, RulesError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat, Wind, seats
from table_controller.rules.core.tiles import Tile, TileSet, format_tiles, parse_tiles

SeatNumber = Annotated[int, msgspec.Meta(ge=0, le=3)]
Count = Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class MeldCase(msgspec.Struct, forbid_unknown_fields=True):
    """A declared meld; ``from`` is the seat whose discard was called."""

    kind: MeldKind
    tiles: str
    source: SeatNumber | None = msgspec.field(default=None, name="from")
    called: str | None = None


class OtherCase(msgspec.Struct, forbid_unknown_fields=True):
    """What another seat has shown; ``hand`` None: not shown."""

    hand: str | None = None
    melds: list[MeldCase] = []
    bonus: str = ""


class ScoreCase(msgspec.Struct):
    """One claimed win. Keys that only one ruleset knows stand beside these."""

    ruleset: str
    hand: str
    winning_tile: str
    options: dict[str, Any] = {}
    dealer: SeatNumber = 0
    round_wind: Wind = Wind.EAST
    seat_winds: list[Wind] | None = None
    winner: SeatNumber = 0
    source: SeatNumber | None = msgspec.field(default=None, name="from")
    melds: list[MeldCase] = []
    bonus: str = ""
    flags: list[Flag] = []
    dora: str = ""
    ura: str = ""
    dora_indicators: str = ""
    ura_indicators: str = ""
    counters: Count = 0
    deposits: Count = 0
    goulash: Count = 0
    ponds: dict[str, str] = {}
    others: dict[str, OtherCase] = {}


NOT_TOLD = "..."
_KEYS = {field.encode_name for field in msgspec.structs.fields(ScoreCase)}


def answer_case(source: object) -> dict[str, Any]:
    """The answer to one score case, as JSON-able values.

    Raises CaseError, NotationError or OptionError, each saying what is wrong and where.
    """
    if not isinstance(source, Mapping):
        raise CaseError(f"a score case is a JSON object, not {_kind(source)}")
    try:
        given = msgspec.convert(dict(source), ScoreCase)
    except msgspec.ValidationError as error:
        raise CaseError(f"score case: {error}{_known_values(str(error))}") from None
    except UnicodeEncodeError:
        raise CaseError("score case: a key holds half a character (a lone surrogate)") from None
    ruleset = find_ruleset(given.ruleset)
    extra = {key: value for key, value in source.items() if key not in _KEYS}
    unknown = sorted(set(extra) - set(ruleset.extra_keys))
    if unknown:
        known = ", ".join(sorted(_KEYS | set(ruleset.extra_keys)))
        raise CaseError(f"score case: unknown key {unknown[0]!r}; {given.ruleset} knows {known}")
    _refuse_unused(given, ruleset)
    options = parse_options(ruleset, given.options)
    seated = replace(ruleset, players=ruleset.players_with(options))
    case, notes = _case(given, seated, options, extra)
    if ruleset.check_case is not None:
        case, more = ruleset.check_case(case, options)
        notes += more
    answer = answer_to_json(ruleset.settle_win(case, options))
    return {**answer, "notes": list(notes)} if notes else answer


READY_FLAGS = (Flag.READY, Flag.DOUBLE_READY, Flag.ONE_SHOT)


def _refuse_unused(given: ScoreCase, ruleset: Ruleset[Any]) -> None:
    """CaseError for what this game does not have: dora, sticks, counters, a ready declaration."""
    for key in ("dora", "dora_indicators", "ura", "ura_indicators", "counters", "deposits",
                "goulash"):  # fmt: skip
        if getattr(given, key) and key.removesuffix("_indicators") not in ruleset.counted:
            counted = ", ".join(sorted(ruleset.counted)) or "none of the kind"
            raise CaseError(f"{key}: {ruleset.name} does not count it; it counts {counted}")
    if ruleset.play is None or not ruleset.play.has_ready:
        for flag in given.flags:
            if flag in READY_FLAGS:
                raise CaseError(f"flags: {flag}: {ruleset.name} has no ready declaration")


def _kind(value: object) -> str:
    """What JSON calls the value."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")


def _known_values(error: str) -> str:
    """What may stand where an unknown flag, kind of meld or wind does."""
    for place, known in ((".flags", Flag), (".kind", MeldKind), ("wind", Wind)):
        if "enum value" in error and place in error:
            return f"; known are {', '.join(one.value for one in known)}"
    return ""


def parse_options(ruleset: Ruleset[Any], given: Mapping[str, Any]) -> Any:
    """Options from decoded JSON: an optional ``preset`` and what differs from it."""
    changes = dict(given)
    preset = changes.pop("preset", None)
    if preset is not None and not isinstance(preset, str):
        raise OptionError(f"options: preset is a name, not {preset!r}")
    hints = get_type_hints(type(ruleset.options))
    for key, value in changes.items():
        if key in hints:
            try:
                changes[key] = msgspec.convert(value, hints[key])
            except msgspec.ValidationError as error:
                if "enum value" not in str(error):  # else the option says what it can be
                    raise OptionError(f"option {key} of {ruleset.name}: {error}") from None
    return ruleset.choose(preset, **changes)


def _case(
    given: ScoreCase, ruleset: Ruleset[Any], options: Any, extra: Mapping[str, object]
) -> tuple[Case, tuple[str, ...]]:
    """The case, and what was named in it and does not count."""
    tile_set = ruleset.tile_set(options)
    present = [_seat(number, ruleset, "winner") for number in (given.winner,)]
    if given.source is not None:
        present.append(_seat(given.source, ruleset, "from"))
        if given.source == given.winner:
            raise CaseError("from: a seat cannot win by its own discard; null is a self-draw")
    _seat(given.dealer, ruleset, "dealer")
    winds = given.seat_winds
    if winds is not None and len(winds) != ruleset.players:
        raise CaseError(f"seat_winds: {len(winds)} winds for {ruleset.players} seats")
    if winds is not None and len(set(winds)) < len(winds):
        raise CaseError(f"seat_winds: {' '.join(winds)}: two seats have one wind")
    absent = set(winds or ()) - set(tuple(Wind)[: ruleset.players])
    if absent:
        raise CaseError(f"seat_winds: {min(absent)} is no seat's wind with {ruleset.players} seats")
    bonus = _tiles(given.bonus, "bonus")
    others = {
        _seat_key(key, ruleset, "others"): _other(other, ruleset, f"others.{key}")
        for key, other in given.others.items()
    }
    idle: tuple[Tile, ...] = ()
    if not any(tile.is_bonus for tile in tile_set.number_of):
        told = [*bonus, *(tile for other in others.values() for tile in other.bonus)]
        idle = tuple(tile for tile in told if tile.is_bonus)
        others = {
            seat: replace(other, bonus=tuple(tile for tile in other.bonus if tile not in idle))
            for seat, other in others.items()
        }
    case = Case(
        winner=Seat(given.winner),
        source=None if given.source is None else Seat(given.source),
        hand=_tiles(given.hand, "hand"),
        winning_tile=_one(given.winning_tile, "winning_tile"),
        melds=tuple(_meld(meld, ruleset, f"melds[{i}]") for i, meld in enumerate(given.melds)),
        bonus=tuple(tile for tile in bonus if tile not in idle),
        dealer=Seat(given.dealer),
        round_wind=given.round_wind,
        seat_winds=None if given.seat_winds is None else tuple(given.seat_winds),
        flags=frozenset(given.flags),
        dora=_dora(given.dora, given.dora_indicators, "dora", ruleset, options),
        ura=_dora(given.ura, given.ura_indicators, "ura", ruleset, options),
        counters=given.counters,
        deposits=given.deposits,
        goulash=given.goulash,
        ponds={
            _seat_key(key, ruleset, "ponds"): _tiles(text, f"ponds.{key}")
            for key, text in given.ponds.items()
            if text != NOT_TOLD
        },
        others=others,
        extra=extra,
    )
    indicators = _tiles(given.dora_indicators + given.ura_indicators, "dora_indicators")
    _check_copies(case, indicators, tile_set)
    if not idle:
        return case, ()
    return case, (f"bonus: {format_tiles(idle)} does not count: this game has no such tiles",)


def _check_copies(case: Case, indicators: Sequence[Tile], tile_set: TileSet) -> None:
    """CaseError when the table would show more copies of a tile than the set has.

    A called tile lies in a pond's list and in a meld, a tile won on perhaps in a pond's list too
    and a robbed one in its kong, so that these are counted apart.
    """
    own = [*case.hand, *case.bonus, *indicators]
    if Flag.ROBBING_KONG not in case.flags:
        own.append(case.winning_tile)
    laid = [tile for meld in case.melds for tile in meld.tiles]
    for other in case.others.values():
        laid += [*(other.hand or ()), *other.bonus]
        laid += [tile for meld in other.melds for tile in meld.tiles]
    tile_set.check([*own, *laid])
    in_hand = [*case.hand, *indicators, *([case.winning_tile] if case.self_drawn else [])]
    tile_set.check([*in_hand, *(tile for pond in case.ponds.values() for tile in pond)])


def _dora(
    tiles: str, indicators: str, key: str, ruleset: Ruleset[Any], options: Any
) -> tuple[Tile, ...]:
    if tiles and indicators:
        raise CaseError(f"{key}: give the tiles that score or their indicators, not both")
    where = f"{key}_indicators" if indicators else key
    named = _tiles(indicators or tiles, where)
    strange = [tile for tile in named if tile.face not in ruleset.tile_set(options).number_of_face]
    if strange:
        raise CaseError(f"{where}: {strange[0]} is no tile of this game")
    if not indicators:
        return named
    assert ruleset.dora_of is not None  # where dora count, indicators show them
    return tuple(ruleset.dora_of(tile, options) for tile in named)


def _other(given: OtherCase, ruleset: Ruleset[Any], where: str) -> ShownHand:
    return ShownHand(
        hand=None if given.hand in (None, NOT_TOLD) else _tiles(given.hand, f"{where}.hand"),
        melds=tuple(
            _meld(meld, ruleset, f"{where}.melds[{i}]") for i, meld in enumerate(given.melds)
        ),
        bonus=_tiles(given.bonus, f"{where}.bonus"),
    )


def _meld(given: MeldCase, ruleset: Ruleset[Any], where: str) -> Meld:
    tiles = _tiles(given.tiles, f"{where}.tiles")
    source = None if given.source is None else _seat(given.source, ruleset, f"{where}.from")
    called = None if given.called is None else _one(given.called, f"{where}.called")
    if called is not None and called not in tiles:
        raise CaseError(f"{where}.called: {called} is not one of {given.tiles}")
    meld = Meld(given.kind, tiles, source, called)
    try:
        meld.check()
    except CaseError as error:
        raise CaseError(f"{where}: {error}") from None
    return meld


_UNICODE_TILES = re.compile("[\U0001f000-\U0001f021]")


def _tiles(text: str, where: str) -> tuple[Tile, ...]:
    """Tiles in notation; the Unicode characters of tiles are read as well."""
    try:
        return parse_tiles(_UNICODE_TILES.sub(lambda tile: str(of_unicode(tile.group())), text))
    except RulesError as error:
        raise CaseError(f"{where}: {error}") from None


def _one(text: str, where: str) -> Tile:
    found = _tiles(text, where)
    if len(found) != 1:
        raise CaseError(f"{where}: expected one tile, not {text!r}")
    return found[0]


def _seat(number: int, ruleset: Ruleset[Any], where: str) -> Seat:
    if number not in seats(ruleset.players):
        raise CaseError(f"{where}: {ruleset.name} has seats 0 to {ruleset.players - 1}")
    return Seat(number)


def _seat_key(key: str, ruleset: Ruleset[Any], where: str) -> Seat:
    if not (key.isascii() and key.isdigit() and len(key) == 1):
        raise CaseError(f"{where}: {key!r} is no seat: seats are 0 to {ruleset.players - 1}")
    return _seat(int(key), ruleset, f"{where}.{key}")
