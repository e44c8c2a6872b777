"""What a recorded game is, whatever format it came in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

from table_controller.rules.core.errors import RulesError
from table_controller.rules.core.events import DealBegan, GameEvent
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import Tile


class RecordError(Exception):
    """A file that is not a recorded game, or one that breaks off: says what and where."""


@contextmanager
def readable(where: str) -> Iterator[None]:
    """What a reader stumbles over becomes a `RecordError` that says where, and what in words."""
    try:
        yield
    except RulesError as error:
        raise RecordError(f"{where} cannot be read: {error}") from None
    except KeyError as error:
        missing = " ".join(str(each) for each in error.args)
        raise RecordError(f"{where} cannot be read: {missing} is missing or unknown") from None
    except IndexError:
        raise RecordError(f"{where} cannot be read: a list ends too early") from None
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        raise RecordError(
            f"{where} cannot be read: a value is of another kind than expected"
        ) from None


def place_of(round_wind: int, dealer: int, counters: int) -> str:
    """Where in a game a deal stands, as ``East 3, 1 counter``; the first dealer is 0."""
    place = f"{tuple(Wind)[round_wind].name.capitalize()} {dealer + 1}"
    if not counters:
        return place
    return f"{place}, {counters} counter{'' if counters == 1 else 's'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedYaku:
    """A yaku as the source names it: our pattern id and its han; None for a yakuman's han."""

    id: str
    han: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedWin:
    """One win as the source settled it. ``None`` where the source does not say."""

    winner: Seat
    source: Seat | None  # discarder or robbed seat; None: self-draw
    winning_tile: Tile | None
    hand: tuple[Tile, ...]  # concealed part without the winning tile
    han: int | None = None  # with dora; None for yakuman
    fu: int | None = None
    yakuman: int | None = None  # how many, when the source says so
    points: int | None = None  # before counters and sticks
    yaku: tuple[RecordedYaku, ...] | None = None  # dora, ura and red fives among them
    ura: tuple[Tile, ...] = ()  # ura indicators shown
    liable: Seat | None = None
    deltas: tuple[int, ...] | None = None  # with counters and sticks


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDraw:
    """A deal without a winner: ``exhaustive``, ``nagashi_mangan`` or the abortion's id."""

    reason: str
    shown: Mapping[Seat, tuple[Tile, ...]] = field(default_factory=lambda: MappingProxyType({}))
    deltas: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDeal:
    """One deal: what happened, and what the source says came of it."""

    began: DealBegan
    events: tuple[GameEvent, ...]  # ``began`` first
    wins: tuple[RecordedWin, ...] = ()
    draw: RecordedDraw | None = None
    points_after: tuple[int, ...] | None = None
    wall: tuple[Tile, ...] | None = None  # None when tiles are unknown
    place: str = ""  # where in the file: "East 3, 1 counter"

    @property
    def is_finished(self) -> bool:
        """The record tells how the deal ended."""
        return bool(self.wins) or self.draw is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedGame:
    """One match, or the part of it that the file holds."""

    name: str  # of the file, or inside a file of several games
    format: str  # mjlog, tenhou_json, mjai, kobalab, client_view, own
    ruleset: str  # riichi_4p or riichi_3p
    preset: str
    options: Mapping[str, object]  # what the record's rules change in the preset
    names: tuple[str, ...]
    deals: tuple[RecordedDeal, ...]
    viewer: Seat | None = None  # a client view: the one seat whose tiles are known
    final_points: tuple[int, ...] | None = None
    final_scores: tuple[float, ...] | None = None
    is_complete: bool = True  # the file goes to the end of the match
