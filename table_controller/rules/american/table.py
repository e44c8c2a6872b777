"""The American table around a hand: Charleston, claims, joker exchange, dead hands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from table_controller.rules.american.card import Card, Line, face_of
from table_controller.rules.american.matching import (
    EXPOSED_KINDS,
    Exposure,
    Visible,
    possible_lines,
)
from table_controller.rules.american.options import (
    CharlestonRule,
    CourtesyRule,
    DeadExposures,
    Options,
    WrongChallenge,
)
from table_controller.rules.core.case import Violation
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.passing import PassRule
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import Tile, format_tiles

PLAYERS = 4
STACKS = (19, 19, 19, 19)
PASSED = 3
VOTE = "vote"  # the step in which a player can stop the Charleston
STOP = "stop"  # the step of the empty pass with which one does


# --- the Charleston ---------------------------------------------------------------------------


class Direction(StrEnum):
    """To whom tiles are passed."""

    RIGHT = "right"
    ACROSS = "across"
    LEFT = "left"

    @property
    def turns(self) -> int:
        """How many seats on the receiver sits."""
        return {"right": 1, "across": 2, "left": 3}[self.value]

    def to(self, seat: Seat) -> Seat:
        """The receiver."""
        return seat.after(self.turns, PLAYERS)

    def giver(self, seat: Seat) -> Seat:
        """Who passes to that seat."""
        return seat.after(-self.turns, PLAYERS)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the Charleston, as the screen announces it."""

    number: int
    name: str
    direction: Direction
    may_be_blind: bool
    is_courtesy: bool = False


_STEPS = (
    (1, "first right", Direction.RIGHT),
    (2, "first across", Direction.ACROSS),
    (3, "first left", Direction.LEFT),
    (4, "second left", Direction.LEFT),
    (5, "second across", Direction.ACROSS),
    (6, "last right", Direction.RIGHT),
)


def charleston(options: Options, *, second: bool = True) -> Iterator[Step]:
    """The steps in order; ``second`` is the vote: the second Charleston needs all four."""
    if options.charleston is CharlestonRule.NONE:
        return
    for number, name, direction in _STEPS:
        if number > 3 and (not second or options.charleston is CharlestonRule.FIRST_ONLY):
            break
        yield Step(number, name, direction, number in options.blind_pass_steps)
    yield Step(7, "courtesy", Direction.ACROSS, may_be_blind=False, is_courtesy=True)


def pass_rules(options: Options, stopped: bool) -> Iterator[PassRule]:
    """The steps as the table follows them, the vote among them."""
    steps = list(charleston(options, second=not stopped))
    for place, step in enumerate(steps, 1):
        if step.number == 4:
            yield PassRule(
                name=VOTE, place=place, of=len(steps), turns=(), most=0, least=0, stop=STOP
            )
        blind = options.blind_pass_max if step.may_be_blind else 0
        yield PassRule(
            name=step.name,
            place=place,
            of=len(steps),
            turns=(step.direction.turns,),
            most=PASSED,
            least=0 if step.is_courtesy else PASSED - blind,
            exchanged=partial(courtesy_count, options=options) if step.is_courtesy else None,
        )


@dataclass(frozen=True, slots=True)
class Passed:
    """What a step moved: the packet each seat passed on, and what it kept."""

    packets: Mapping[Seat, tuple[Tile, ...]]
    kept: Mapping[Seat, tuple[Tile, ...]]
    moves: tuple[tuple[Seat, Seat, Tile], ...] = ()  # in effect: whose tile ended with whom


def pass_tiles(own: Mapping[Seat, Sequence[Tile]], step: Step, options: Options) -> Passed:
    """Resolve one pass of three; in a blind step incoming tiles fill up what is not own.

    Raises CaseError, naming the seat, when a count is wrong or a joker is passed.
    """
    for seat in seats(PLAYERS):
        tiles = own.get(seat, ())
        least = PASSED - options.blind_pass_max if step.may_be_blind else PASSED
        if not least <= len(tiles) <= PASSED:
            wanted = f"{least} to {PASSED}" if least < PASSED else str(PASSED)
            raise CaseError(
                f"seat {int(seat)} passes {len(tiles)} own tiles in the {step.name}: it passes "
                f"{wanted}"
            )
        if any(tile.is_joker for tile in tiles):
            raise CaseError(
                f"seat {int(seat)} passes a joker in the {step.name}: it takes it back and "
                "passes another tile"
            )
    if not any(own[seat] for seat in seats(PLAYERS)):
        return Passed(dict.fromkeys(seats(PLAYERS), ()), dict.fromkeys(seats(PLAYERS), ()))

    def passed(seat: Seat, place: int) -> tuple[Seat, Tile]:
        tiles = own[seat]
        if place < len(tiles):
            return seat, tiles[place]
        return passed(step.direction.giver(seat), place - len(tiles))

    packets = {seat: [passed(seat, place) for place in range(PASSED)] for seat in seats(PLAYERS)}
    kept = {
        seat: packets[step.direction.giver(seat)][PASSED - len(own[seat]) :]
        for seat in seats(PLAYERS)
    }
    return Passed(
        {seat: tuple(tile for _, tile in packet) for seat, packet in packets.items()},
        {seat: tuple(tile for _, tile in packet) for seat, packet in kept.items()},
        tuple(
            (owner, seat, tile)
            for seat, packet in kept.items()
            for owner, tile in packet
            if owner is not seat
        ),
    )


def courtesy_count(wish: int, other: int, options: Options) -> int:
    """How many tiles two opposite players exchange: the smaller wish, or only equal ones."""
    for number in (wish, other):
        if not 0 <= number <= PASSED:
            raise CaseError(f"a courtesy pass is 0 to 3 tiles, not {number}")
    if options.courtesy_rule is CourtesyRule.EQUAL_ONLY and wish != other:
        return 0
    return min(wish, other)


# --- claims and exposures ---------------------------------------------------------------------


_KIND_OF_SIZE = {kind.size: kind for kind in EXPOSED_KINDS}


def exposure_problem(tiles: Sequence[Tile], claimed: Tile, options: Options) -> str | None:
    """Why these tiles may not be exposed for the claimed discard; None when they may."""
    if claimed.is_joker:
        return "a discarded joker cannot be claimed"
    if len(tiles) not in _KIND_OF_SIZE:
        return f"an exposure has three to six tiles, not {len(tiles)}: a pair is never exposed"
    naturals = [tile for tile in tiles if not tile.is_joker]
    if any(face_of(tile) != face_of(claimed) for tile in naturals):
        return f"{format_tiles(tiles)} are not all {claimed} or jokers"
    if claimed not in tiles:
        return f"the claimed {claimed} is not among {format_tiles(tiles)}"
    if len(naturals) < options.exposure_min_naturals:
        return f"an exposure needs {options.exposure_min_naturals} natural tiles"
    return None


def exposures_with(hand: Sequence[Tile], claimed: Tile, options: Options) -> Iterator[Meld]:
    """Every exposure the hand can make of a discard, without its source; naturals go first."""
    if claimed.is_joker:
        return
    alike = sorted(tile for tile in hand if not tile.is_joker and face_of(tile) == face_of(claimed))
    jokers = [tile for tile in hand if tile.is_joker]
    for size, kind in sorted(_KIND_OF_SIZE.items()):
        for naturals in range(min(len(alike), size - 1), -1, -1):
            wild = size - 1 - naturals
            if wild > len(jokers) or naturals + 1 < options.exposure_min_naturals:
                continue
            yield Meld(kind, (*alike[:naturals], claimed, *jokers[:wild]))


def exchange_problem(
    *, own_turn: bool, has_drawn: bool, has_exposed: bool, options: Options
) -> str | None:
    """Why a joker may not be exchanged now; None when it may."""
    if not own_turn:
        return "jokers are exchanged in the own turn only"
    if has_exposed and not options.exchange_after_claim:
        return "this table exchanges no joker in a turn that began with a claim"
    if not has_drawn and not has_exposed:
        return "draw a tile, or finish the exposure, before exchanging a joker"
    return None


# --- dead hands and other irregularities --------------------------------------------------------


def exposures_of(melds: Iterable[Meld]) -> list[Exposure]:
    """The exposures of a rack."""
    return [Exposure.of(meld) for meld in melds]


def lines_left(
    melds: Sequence[Meld], card: Card, options: Options, visible: Visible | None = None
) -> list[Line]:
    """The lines the exposures leave possible; none means dead when challenged."""
    return possible_lines(exposures_of(melds), card, check=options.dead_check, visible=visible)


def challenge(
    challenger: Seat,
    challenged: Seat,
    melds: Sequence[Meld],
    card: Card,
    options: Options,
    visible: Visible | None = None,
) -> Violation:
    """A player calls another hand dead: it is, or the challenger was wrong and pays for it."""
    dead = dead_exposure(challenged, melds, card, options, visible)
    if dead is not None:
        return dead
    ids = ", ".join(line.id for line in lines_left(melds, card, options, visible)[:6])
    is_free = options.wrong_challenge is WrongChallenge.CHALLENGER_DEAD
    points = 0 if is_free else options.wrong_challenge_points
    return Violation(
        code="wrong_challenge",
        seat=challenger,
        text=f"The exposures still allow {ids}: the challenge was wrong.",
        penalty=(Payment(challenger, challenged, points, "wrong challenge"),) if points else (),
    )


def dead_exposure(
    seat: Seat,
    melds: Sequence[Meld],
    card: Card,
    options: Options,
    visible: Visible | None = None,
) -> Violation | None:
    """The breach of exposures that leave no line: seen when challenged, or if ``auto_dead``."""
    if lines_left(melds, card, options, visible):
        return None
    shown = ", ".join(format_tiles(meld.tiles) for meld in melds)
    return Violation(
        code="dead_hand",
        seat=seat,
        text=f"No line of the card holds the exposures {shown}: the hand is dead.",
    )


def exposures_in_error(melds: Sequence[Meld], card: Card, options: Options) -> int:
    """How many of the last exposures a dead hand takes back: with ``valid_only`` those from the
    first one on that left no line."""
    if options.dead_exposures is DeadExposures.ALL_REMAIN:
        return 0
    valid = len(melds)
    while valid and not lines_left(melds[:valid], card, options):
        valid -= 1
    return len(melds) - valid


def hand_ends(dead: Iterable[Seat]) -> bool:
    """Three dead hands end the hand without payment."""
    return len(set(dead)) >= PLAYERS - 1


def wall_game(dead: Iterable[Seat], options: Options) -> list[Payment]:
    """Nobody pays; some tournaments credit every live hand."""
    if not options.wall_game_payment:
        return []
    out = set(dead)
    return [
        Payment(None, seat, options.wall_game_payment, "wall game")
        for seat in seats(PLAYERS)
        if seat not in out
    ]


def next_east(east: Seat) -> Seat:
    """East passes to the right after every hand, whatever the result."""
    return east.after(1, PLAYERS)


def game_ends(hands_played: int, options: Options) -> bool:
    """The agreed number of hands was played."""
    return hands_played >= options.hands


def kind_of_size(size: int) -> MeldKind:
    """Pung, kong, quint or sextet; raises CaseError for other sizes."""
    try:
        return _KIND_OF_SIZE[size]
    except KeyError:
        raise CaseError(f"an exposure has three to six tiles, not {size}") from None
