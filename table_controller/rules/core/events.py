"""What happens at a table, one frozen class per kind of event.

The log, the live feed and the screen use these same events. A tile nobody could see is None:
`hide` turns what really happened into what the table can know. ``kind`` names the event in the
log; once written to disk it keeps its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from table_controller.rules.core.case import Answer, Evidence, Violation
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class GameBegan:
    """A match started: who sits where and by which rules."""

    kind: ClassVar[str] = "game_began"
    ruleset: str
    preset: str | None = None
    options: tuple[tuple[str, str], ...] = ()  # what differs from the preset, as text
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DealBegan:
    """The walls stand and a deal starts; ``points`` are those of the seats before it."""

    kind: ClassVar[str] = "deal_began"
    number: int
    dealer: Seat
    round_wind: Wind
    points: tuple[int, ...]
    wall_left: int  # tiles that can still be drawn once every hand is dealt
    counters: int = 0
    deposits: int = 0  # sticks on the table
    goulash: int = 0
    hand_size: int = 13
    kongs_replaced: bool = True  # a kong is followed by a replacement tile
    dead_hands_skipped: bool = False  # a dead hand draws and discards no more
    markers: tuple[int, ...] = ()  # of a game that runs across deals, by seat
    loose_tiles: int = 0  # replacement tiles lie apart, that many, and are refilled together
    seating: tuple[int, ...] = ()  # which player, numbered by first seat, sits at each seat now


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceRolled:
    """The dice in the dome show where the wall is broken."""

    kind: ClassVar[str] = "dice_rolled"
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandDealt:
    """A seat took its tiles off the wall."""

    kind: ClassVar[str] = "hand_dealt"
    seat: Seat
    tiles: tuple[Tile | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TilesPassed:
    """Concealed tiles went from hand to hand before play: a Charleston, a goulash."""

    kind: ClassVar[str] = "tiles_passed"
    seat: Seat
    receiver: Seat
    tiles: tuple[Tile | None, ...]
    step: str = ""  # the name of the pass


@dataclass(frozen=True, slots=True, kw_only=True)
class PassAnnounced:
    """A seat said with its keys how many of its own tiles it passes; its last word counts.

    ``seen`` is how many tiles lay face down before it when that was not what it said.
    """

    kind: ClassVar[str] = "pass_announced"
    seat: Seat
    step: str  # the name of the pass
    number: int
    done: bool = False  # the tiles lie there, or the seat agrees to go on
    seen: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndicatorShown:
    """A tile of the dead wall was turned up."""

    kind: ClassVar[str] = "indicator_shown"
    tile: Tile
    under: bool = False  # an ura indicator, turned up after a win


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A seat drew a tile; ``replacement`` after a kong or a bonus tile."""

    kind: ClassVar[str] = "drawn"
    seat: Seat
    tile: Tile | None = None
    replacement: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawReturned:
    """A seat put the tile it had just drawn back: the discard before it was claimed in time."""

    kind: ClassVar[str] = "draw_returned"
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded:
    """A tile went from a hand to its owner's pond."""

    kind: ClassVar[str] = "discarded"
    seat: Seat
    tile: Tile
    as_drawn: bool | None = None  # the tile just drawn; None: nobody could tell
    turned: bool = False  # lies sideways


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusSetAside:
    """A flower, season, animal or face (or an extracted north) was laid open."""

    kind: ClassVar[str] = "bonus_set_aside"
    seat: Seat
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldCalled:
    """A discard was taken for an exposed chow, pung or kong; the meld names its source."""

    kind: ClassVar[str] = "meld_called"
    seat: Seat
    meld: Meld


@dataclass(frozen=True, slots=True, kw_only=True)
class KongDeclared:
    """A concealed kong was laid down, or a fourth tile added to a pung."""

    kind: ClassVar[str] = "kong_declared"
    seat: Seat
    meld: Meld  # of kind concealed_kong or added_kong
    added: Tile | None = None  # the tile added to the pung: it can be robbed


@dataclass(frozen=True, slots=True, kw_only=True)
class JokerExchanged:
    """A seat gave a natural tile for the joker that stood for it in a meld, anybody's."""

    kind: ClassVar[str] = "joker_exchanged"
    seat: Seat
    owner: Seat
    place: int  # which of the owner's melds, from 0
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldChanged:
    """A seat made another group of the meld it has just called, before its discard."""

    kind: ClassVar[str] = "meld_changed"
    seat: Seat
    place: int  # which of its melds, from 0
    meld: Meld


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldReturned:
    """A seat took its last meld up again.

    A call that it has not discarded after gives the called tile back: it is on offer as before.
    """

    kind: ClassVar[str] = "meld_returned"
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenged:
    """A player called another hand dead; what it lays open tells whether it is."""

    kind: ClassVar[str] = "challenged"
    seat: Seat
    challenged: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """A player said aloud what counts only when it is said: the ruleset's name for it."""

    kind: ClassVar[str] = "announced"
    seat: Seat
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyDeclared:
    """A seat declared that it waits (riichi and its relatives), before its discard."""

    kind: ClassVar[str] = "ready_declared"
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyWithdrawn:
    """A seat took its declaration back aloud: it broke the wait, which not every game forbids."""

    kind: ClassVar[str] = "ready_withdrawn"
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyAccepted:
    """The ready declaration stands: its discard passed, and the deposit lies on the table."""

    kind: ClassVar[str] = "ready_accepted"
    seat: Seat
    deposit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WinClaimed:
    """A seat claims to have won; ``source`` is the discarder, or the seat whose kong is robbed."""

    kind: ClassVar[str] = "win_claimed"
    seat: Seat
    tile: Tile | None  # None: self-drawn and not yet seen
    source: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown:
    """A seat laid its concealed tiles open; of a claimed win, without the winning tile."""

    kind: ClassVar[str] = "hand_shown"
    seat: Seat
    tiles: tuple[Tile, ...]
    winning_tile: Tile | None = None


EXHAUSTIVE = "exhaustive"
"""Why a deal ended without a winner: the wall ran out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawDeclared:
    """The deal ended without a winner: ``EXHAUSTIVE``, or the ruleset's name for an abortion."""

    kind: ClassVar[str] = "draw_declared"
    reason: str
    seat: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WinJudged:
    """The referee settled a claimed win, or refused it with evidence."""

    kind: ClassVar[str] = "win_judged"
    seat: Seat
    answer: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawSettled:
    """What seats pay each other after a deal without a winner; ``waiting`` lists ready seats."""

    kind: ClassVar[str] = "draw_settled"
    reason: str
    waiting: tuple[Seat, ...] = ()
    payments: tuple[Payment, ...] = ()
    violations: tuple[Violation, ...] = ()
    replayed: bool = False  # a breach voided the deal: it is played again


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """Points moved while the deal goes on: instant payments."""

    kind: ClassVar[str] = "paid"
    payments: tuple[Payment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalised:
    """A seat pays for a breach of the rules, or is barred from winning this deal."""

    kind: ClassVar[str] = "penalised"
    seat: Seat
    code: str
    payments: tuple[Payment, ...] = ()
    dead_hand: bool = False
    refused: bool = False  # the claimed win does not stand, and nothing more comes of it
    text: str = ""
    evidence: tuple[Evidence, ...] = ()
    seen: bool = False  # by the table itself, not written by the staff


@dataclass(frozen=True, slots=True, kw_only=True)
class DealEnded:
    """The deal is over: the seats' points and what stays on the table."""

    kind: ClassVar[str] = "deal_ended"
    points: tuple[int, ...]
    deposits: int = 0
    goulash: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded:
    """The match is over. ``points`` are by seat, as everywhere; ``placements``, from 1, and the
    ``final`` scores, in the ruleset's unit, are by player, numbered by first seat as the names of
    `GameBegan`: the same thing where nobody changed seats."""

    kind: ClassVar[str] = "game_ended"
    points: tuple[int, ...]
    placements: tuple[int, ...]
    final: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubted:
    """A reading that a person must confirm: what was asked, and the candidates."""

    kind: ClassVar[str] = "doubted"
    question: str
    candidates: tuple[Tile, ...] = ()
    seat: Seat | None = None
    place: int | None = None
    code: str = "reading"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advised:
    """The table pointed something out to a player of a game with open hands."""

    kind: ClassVar[str] = "advised"
    seat: Seat
    code: str
    tiles: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Voided:
    """The staff took back the event with this number; everything after is computed again."""

    kind: ClassVar[str] = "voided"
    index: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The staff replaced the event with this number by another one of any kind."""

    kind: ClassVar[str] = "corrected"
    index: int
    event: GameEvent
    reason: str


GameEvent = (
    GameBegan
    | DealBegan
    | DiceRolled
    | HandDealt
    | TilesPassed
    | PassAnnounced
    | IndicatorShown
    | Drawn
    | DrawReturned
    | Discarded
    | BonusSetAside
    | MeldCalled
    | KongDeclared
    | JokerExchanged
    | MeldChanged
    | MeldReturned
    | Challenged
    | Announced
    | ReadyDeclared
    | ReadyWithdrawn
    | ReadyAccepted
    | WinClaimed
    | HandShown
    | DrawDeclared
    | WinJudged
    | DrawSettled
    | Paid
    | Penalised
    | DealEnded
    | GameEnded
    | Doubted
    | Advised
    | Voided
    | Corrected
)


def hide(event: GameEvent) -> GameEvent:
    """The event as a table without sight of concealed tiles knows it."""
    match event:
        case HandDealt(tiles=tiles) | TilesPassed(tiles=tiles):
            return replace(event, tiles=(None,) * len(tiles))
        case Drawn():
            return replace(event, tile=None)
        case Discarded():
            return replace(event, as_drawn=None)
        case _:
            return event
