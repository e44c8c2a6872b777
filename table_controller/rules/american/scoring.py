"""Judging and settling an American Mahjong: the best line, its bonus, and who pays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources

from table_controller.rules.american.card import (
    FACES,
    Card,
    CardError,
    Instance,
    Line,
    parse_card,
)
from table_controller.rules.american.matching import (
    Exposure,
    Match,
    Rack,
    explain_groups,
    fits,
    matches,
    nearest,
    remaining_groups,
)
from table_controller.rules.american.options import (
    PRACTICE_CARD,
    ExchangeWin,
    HeavenlyHand,
    JokerlessDeclared,
    JokerlessScope,
    LargestB,
    MahjongInError,
    Misnaming,
    Options,
)
from table_controller.rules.core.case import Answer, Case, Item, Violation
from table_controller.rules.core.errors import CaseError, OptionError
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import (
    JOKER,
    STANDARD_144,
    Tile,
    TileSet,
    format_tiles,
)

PLAYERS = 4
HELD = 13
JOKERS = 8
AMERICAN_152 = TileSet((*STANDARD_144.copies, (JOKER, JOKERS)), flowers_alike=True)

EXTRA_KEYS: Mapping[str, str] = {
    "before_charleston": "true: East declared with the fourteen tiles of the deal.",
    "claimed_from": (
        "The seat whose discard began this turn, when the Mahjong came from a joker exchange "
        "after an exposure."
    ),
    "held_joker": "true: the winner held a joker earlier in the hand (jokerless_scope).",
    "jokerless_announced": "true: the winner announced the jokerless hand.",
    "misnamed": "true: the discarder named the tile wrongly and it was claimed on that name.",
    "claimed_line": "The id of the line that a Mahjong in error was declared for.",
    "intact": "The seats whose hands are still hidden, when a Mahjong in error is paid.",
}


def tile_set(options: Options) -> TileSet:
    """152 tiles: the 144 and eight jokers."""
    return AMERICAN_152


def card_of(options: Options) -> Card:
    """The card played with; raises OptionError when its text has problems."""
    if options.card == PRACTICE_CARD:
        return parse_card(practice_card_text(), options.year)
    if "\n" not in options.card:
        raise OptionError(
            f"option card is {options.card!r}: it is {PRACTICE_CARD}, or the whole text of a "
            "card file"
        )
    try:
        return parse_card(options.card, options.year)
    except CardError as error:
        raise OptionError(f"option card cannot be used: {error}") from error


@lru_cache(maxsize=1)
def practice_card_text() -> str:
    """The practice card that ships with the rules, as the text of its file."""
    return resources.files(__package__).joinpath("practice_1.toml").read_text(encoding="utf-8")


def settle_win(case: Case, options: Options) -> Answer:
    """Judge a claimed Mahjong and settle it."""
    card = card_of(options)
    rack, exposures = _read(case, options)
    breaches = _breaches(case, options, exposures)
    found = [] if breaches else matches(rack, exposures, card)
    if not found:
        return _in_error(case, options, card, rack, exposures, breaches)
    jokerless = rack.jokers == 0 and all(exposure.jokers == 0 for exposure in exposures)
    best = best_match(found, counts_as_jokerless(case, options, jokerless=jokerless), options)
    return _settled(case, options, best, rack, exposures, jokerless=jokerless)


def _read(case: Case, options: Options) -> tuple[Rack, list[Exposure]]:
    """Rack with the Mahjong tile, and exposures; raises CaseError for what cannot be."""
    if case.source is case.winner:
        raise CaseError("the winner cannot be the discarder: a self-pick has no source")
    if case.bonus:
        raise CaseError("flowers stay in the rack here: name them in the hand, not as bonus")
    exposures = [Exposure.of(meld) for meld in case.melds]
    held = len(case.hand) + sum(exposure.size for exposure in exposures)
    if held != HELD:
        raise CaseError(
            f"hand and exposures name {held} tiles, they are {HELD} without the Mahjong tile"
        )
    tiles = [*case.hand, case.winning_tile]
    rack = Rack.of(tiles)
    everything = [*tiles, *(tile for meld in case.melds for tile in meld.tiles)]
    tile_set(options).check(everything)
    return rack, exposures


def _breaches(case: Case, options: Options, exposures: Sequence[Exposure]) -> list[Violation]:
    """What makes the claim impossible before any line is looked at."""
    found = []
    if case.source is not None and case.winning_tile.is_joker:
        found.append(_breach("joker_misuse", case, "A discarded joker cannot be claimed."))
    for exposure in exposures:
        if exposure.naturals < options.exposure_min_naturals:
            found.append(
                _breach(
                    "wrong_call",
                    case,
                    f"The exposure {exposure} holds {exposure.naturals} natural tiles, it needs "
                    f"{options.exposure_min_naturals}.",
                )
            )
    if case.says("before_charleston"):
        if case.winner is not case.dealer or case.source is not None or exposures:
            found.append(
                _breach(
                    "out_of_turn",
                    case,
                    "Only East, with the tiles of the deal, may declare "
                    "Mahjong before the Charleston.",
                )
            )
        elif options.heavenly_hand is HeavenlyHand.OFF:
            found.append(
                _breach("out_of_turn", case, "This table plays no Mahjong before the Charleston.")
            )
    return found


def _breach(code: str, case: Case, text: str) -> Violation:
    return Violation(code=code, seat=case.winner, text=text)


def counts_as_jokerless(case: Case, options: Options, *, jokerless: bool) -> bool:
    """The tiles are jokerless, and so is whatever else the table asks for."""
    if options.jokerless_scope is JokerlessScope.NEVER_HELD and case.says("held_joker"):
        return False
    if options.jokerless_declared is JokerlessDeclared.MUST_BE_ANNOUNCED:
        return jokerless and bool(case.says("jokerless_announced"))
    return jokerless


def base_of(line: Line, *, jokerless: bool) -> int:
    """The line's value, doubled for a jokerless hand where its category grants that."""
    return 2 * line.value if jokerless and line.category.jokerless_bonus else line.value


def best_match(found: Sequence[Match], jokerless: bool, options: Options) -> Match:
    """The line with the largest base; of equal ones the first of the card."""
    if options.largest_b is LargestB.FIRST_LINE:
        return found[0]
    return max(found, key=lambda match: base_of(match.line, jokerless=jokerless))


def _settled(
    case: Case,
    options: Options,
    best: Match,
    rack: Rack,
    exposures: Sequence[Exposure],
    *,
    jokerless: bool,
) -> Answer:
    line = best.line
    counts = counts_as_jokerless(case, options, jokerless=jokerless)
    base = base_of(line, jokerless=counts)
    items = [
        Item(
            id=line.id,
            name=f"Line {line.id}",
            native=line.category.name,
            value=line.value,
            unit="points",
            why=f"The hand is {line.text}: {hand_text(rack, exposures, best)}.",
        )
    ]
    if base != line.value:
        items.append(_doubled("jokerless", "Jokerless", "No joker in rack or exposures: doubled."))
    heavenly = case.says("before_charleston")
    if heavenly and options.heavenly_hand is HeavenlyHand.DOUBLE:
        base *= 2
        items.append(
            _doubled("heavenly_hand", "Heavenly hand", "Mahjong before the Charleston: doubled.")
        )
    return Answer(
        ruleset="american",
        valid=True,
        items=tuple(items),
        totals={"points": base, "value": line.value},
        payments=tuple(win_payments(case, base, options)),
    )


def _doubled(id: str, name: str, why: str) -> Item:
    return Item(id=id, name=name, native=name, value=1, unit="doubles", why=why)


def hand_text(rack: Rack, exposures: Sequence[Exposure], match: Match) -> str:
    """The hand in the groups of its line, jokers where they stand: ``222m, 44m jkjk``."""
    parts = []
    for group, jokers, is_exposed in explain_groups(rack, exposures, match.instance):
        tiles = format_tiles([group.face] * (group.count - jokers) + [JOKER] * jokers)
        parts.append(f"({tiles})" if is_exposed else tiles)
    return ", ".join(parts)


def win_payments(case: Case, base: int, options: Options) -> list[Payment]:
    """On a discard its seat pays twice the base, the others once; on a self-pick all pay twice."""
    payer = _paying_discarder(case, options)
    losers = case.losers(PLAYERS)
    if case.says("misnamed") and options.misnaming is Misnaming.FOUR_TIMES:
        if payer is None:
            raise CaseError("a self-pick cannot be misnamed: name the discarder")
        return [Payment(payer, case.winner, 4 * base, "misnamed discard: four times")]
    payments = []
    for seat in losers:
        if payer is None:
            payments.append(Payment(seat, case.winner, 2 * base, "self-pick: all pay double"))
        elif seat is payer:
            payments.append(Payment(seat, case.winner, 2 * base, "the discarder pays double"))
        else:
            payments.append(Payment(seat, case.winner, base, "the others pay single"))
    return payments


def _paying_discarder(case: Case, options: Options) -> Seat | None:
    """Who pays as discarder: after an exchange perhaps who discarded the tile claimed before."""
    claimed_from = case.extra.get("claimed_from")
    if case.source is not None or claimed_from is None:
        return case.source
    if options.exchange_win is ExchangeWin.SELF_PICK:
        return None
    return _seat("claimed_from", claimed_from)


def _seat(key: str, value: object) -> Seat:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < PLAYERS:
        raise CaseError(f"{key}: {value!r} is no seat: seats are 0 to 3")
    return Seat(value)


# --- Mahjong in error -------------------------------------------------------------------------


def _in_error(
    case: Case,
    options: Options,
    card: Card,
    rack: Rack,
    exposures: Sequence[Exposure],
    breaches: Sequence[Violation],
) -> Answer:
    violations = list(breaches)
    if not violations:
        not_a_win = _not_a_win(case, card, rack, exposures)
        violations = [not_a_win, *_why_not(case, card, rack, exposures)]
    penalty: tuple[Payment, ...] = ()
    if options.mahjong_in_error is MahjongInError.PAY_ALL:
        penalty = tuple(_error_penalty(case, card, rack, exposures))
    first = violations[0]
    violations[0] = Violation(
        code=first.code,
        seat=first.seat,
        text=f"{first.text} {_consequence(options)}",
        penalty=penalty,
    )
    return Answer(ruleset="american", valid=False, violations=tuple(violations))


def _consequence(options: Options) -> str:
    if options.mahjong_in_error is MahjongInError.PAY_ALL:
        return (
            "Mahjong in error: the hand is dead and pays every intact hand twice the value of the "
            "line; with fewer than two of those left the deal ends."
        )
    return "Mahjong in error: the hand is dead, its earlier exposures remain, play goes on."


def _not_a_win(case: Case, card: Card, rack: Rack, exposures: Sequence[Exposure]) -> Violation:
    near = nearest(rack, exposures, card, limit=1)
    text = "No line of the card fits the fourteen tiles."
    if near:
        best = near[0]
        wanted = format_tiles(dict.fromkeys(best.wanted))
        text += (
            f" Nearest is {best.line.id} ({best.line.text}), {best.missing} "
            f"{'tile' if best.missing == 1 else 'tiles'} away"
            f"{f': it lacks {wanted}' if wanted else ''}."
        )
    return _breach("not_a_win", case, text)


def _why_not(case: Case, card: Card, rack: Rack, exposures: Sequence[Exposure]) -> list[Violation]:
    """The usual mistakes, named: a joker in a pair or single, an exposure on a concealed line."""
    found = []
    for line in card.lines:
        for instance in line.instances:
            if exposures and line.concealed and fits(rack, exposures, instance):
                found.append(
                    _breach(
                        "wrong_call",
                        case,
                        f"The tiles are line {line.id}, which is concealed: it allows no exposure.",
                    )
                )
                break
            if rack.jokers and _fits_with_any_joker(rack, exposures, instance):
                found.append(
                    _breach(
                        "joker_misuse",
                        case,
                        f"Line {line.id} would need a joker in a single, a pair or a group "
                        "without jokers: there it may not stand.",
                    )
                )
                break
    return found[:1]


def _fits_with_any_joker(rack: Rack, exposures: Sequence[Exposure], instance: Instance) -> bool:
    """The tiles would be this instance if a joker could stand anywhere."""
    for left in remaining_groups(instance.groups, exposures):
        total: Counter[Tile] = Counter()
        for group in left:
            total[group.face] += group.count
        held = zip(FACES, rack.counts, strict=True)
        if all(number <= total[face] for face, number in held) and total.total() == rack.size:
            return True
    return False


def _error_penalty(
    case: Case, card: Card, rack: Rack, exposures: Sequence[Exposure]
) -> list[Payment]:
    named = case.extra.get("claimed_line")
    if named is not None:
        try:
            value = card.line(str(named)).value
        except KeyError:
            raise CaseError(f"claimed_line {named!r} is not on the card {card.id}") from None
    else:
        near = nearest(rack, exposures, card, limit=1) or nearest(rack, (), card, limit=1)
        value = near[0].line.value
    return [Payment(case.winner, seat, 2 * value, "Mahjong in error") for seat in _intact(case)]


def _intact(case: Case) -> tuple[Seat, ...]:
    """The other seats whose hands are still hidden: all of them where nothing is told."""
    named = case.extra.get("intact")
    losers = case.losers(PLAYERS)
    if named is None:
        return losers
    if isinstance(named, str) or not isinstance(named, Sequence):
        raise CaseError(f"intact is a list of seats, not {named!r}")
    hidden = {_seat("intact", seat) for seat in named}
    return tuple(seat for seat in losers if seat in hidden)
