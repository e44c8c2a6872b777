"""A claimed win judged and settled, with every fan explained by the tiles that prove it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_controller.rules.core.case import Answer, Case, Evidence, Flag, Item, Violation
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tally import because
from table_controller.rules.core.tiles import (
    KINDS,
    STANDARD_144,
    Suit,
    Tile,
    TileSet,
    format_tiles,
    kind_counts,
)
from table_controller.rules.mcr import fans
from table_controller.rules.mcr.counting import PLAYERS, Count, Hand, best_count
from table_controller.rules.mcr.families import (
    FIRST_DRAGON,
    FIRST_HONOUR,
    FIVES,
    NOBODY,
    chow_combinations,
    fans_of_pung,
    pung_combinations,
)
from table_controller.rules.mcr.fans import Fan
from table_controller.rules.mcr.options import Options
from table_controller.rules.mcr.penalties import BASE_POINTS, false_win
from table_controller.rules.mcr.shapes import waits

NAME = "mcr"
FLOWERS = (Suit.FLOWERS, Suit.SEASONS)
EXTRA_KEYS = {
    "last_of_kind": "true when the other three copies of the winning tile are visible to all; "
    "found from ponds and melds when it is not given",
    "dead_hand": "true when the claimant's hand was declared dead earlier in the deal",
}


def tile_set(options: Options) -> TileSet:
    """144 tiles."""
    return STANDARD_144


def settle_win(case: Case, options: Options) -> Answer:
    """Judge a claimed win; when it stands, count its fans and say who pays."""
    check_case(case)
    violation = _barred(case)
    count = None if violation else best_count(case, options)
    if violation is None:
        if count is None:
            violation = _not_a_win(case, options)
        elif count.value < options.minimum:
            violation = _below_minimum(case, count, options)
    if violation is not None or count is None:
        refused = () if violation is None else (violation,)
        return Answer(ruleset=NAME, valid=False, violations=refused)
    items = explain(case, count, options)
    flowers = len(case.bonus)
    total = count.value + flowers
    if options.limit and total > options.limit:
        items.append(_limited(total, options.limit))
        total = options.limit
    return Answer(
        ruleset=NAME,
        valid=True,
        items=tuple(items),
        totals={"fan": total, "fan_without_flowers": count.value, "flowers": flowers},
        payments=tuple(settle(case.winner, case.source, total)),
    )


def settle(winner: Seat, discarder: Seat | None, fan: int) -> list[Payment]:
    """Everyone pays the base of 8; the discarder, or all on a self-draw, pays the fan too."""
    payments = []
    for payer in seats(PLAYERS):
        if payer is winner:
            continue
        payments.append(Payment(payer, winner, BASE_POINTS, "base"))
        if discarder in (payer, None):
            reason = "self-draw" if discarder is None else "discard"
            payments.append(Payment(payer, winner, fan, reason))
    return payments


# --- What cannot be ----------------------------------------------------------------------------


def check_case(case: Case) -> None:
    """Raises CaseError for a hand or circumstance that cannot exist."""
    if case.source is case.winner:
        raise CaseError("the winner cannot be the discarder: a self-draw has no source")
    for tile in case.bonus:
        if tile.suit not in FLOWERS:
            raise CaseError(f"{tile} is no flower or season: it belongs into the hand")
    for meld in case.melds:
        if meld.kind in (MeldKind.QUINT, MeldKind.SEXTET):
            raise CaseError(f"a {meld.kind.value} does not exist in this game")
        meld.check()
    expected = 13 - 3 * len(case.melds)
    if len(case.hand) != expected:
        raise CaseError(
            f"the hand names {len(case.hand)} tiles beside {len(case.melds)} melds: it holds "
            f"{expected} without the winning tile"
        )
    concealed = (*case.hand, case.winning_tile)
    melded = tuple(tile for meld in case.melds for tile in meld.tiles)
    for tile in (*concealed, *melded):
        if tile.is_joker or tile.red or (tile.is_bonus and tile.suit not in FLOWERS):
            raise CaseError(f"{tile} cannot be part of a hand in this game")
    for tile in melded:
        if tile.is_bonus:
            raise CaseError(f"{tile} cannot be part of a meld in this game")
    STANDARD_144.check((*concealed, *melded, *case.bonus))
    _check_flags(case)


def _check_flags(case: Case) -> None:
    flags = case.flags
    if Flag.ROBBING_KONG in flags and (case.self_drawn or Flag.LAST_TILE in flags):
        raise CaseError("a robbed kong names its seat as source and is never the last tile")
    if Flag.REPLACEMENT in flags:
        if not case.self_drawn:
            raise CaseError("a replacement tile is drawn: the case must not name a source")
        if not any(meld.kind.is_kong for meld in case.melds):
            raise CaseError("a replacement tile needs a kong among the melds")
    if case.says("last_of_kind") and case.winning_tile in case.hand:
        raise CaseError(
            f"{case.winning_tile} cannot be the last visible one: the hand holds another"
        )


# --- What may not stand ------------------------------------------------------------------------


def _barred(case: Case) -> Violation | None:
    """Why this seat may not win at all."""
    if case.says("dead_hand"):
        return Violation(
            code="dead_hand",
            seat=case.winner,
            text="The hand was declared dead: it may not win in this deal but pays.",
        )
    kept = [tile for tile in (*case.hand, case.winning_tile) if tile.is_bonus]
    if kept:
        return Violation(
            code="flower_kept",
            seat=case.winner,
            text=f"{format_tiles(kept)} should have been set aside and replaced: the hand has too "
            "few tiles and is dead.",
        )
    left = case.winner.after(-1, PLAYERS)
    for meld in case.melds:
        if meld.kind is MeldKind.CHOW and meld.source not in (left, None):
            called = meld.called or meld.tile
            place = _place(case, meld.source, called)
            return Violation(
                code="wrong_call",
                seat=case.winner,
                evidence=() if place is None else (Evidence(meld.source, place, called),),
                text=f"The chow {format_tiles(meld.tiles)} was not taken from the player on the "
                "left: a false set makes the hand dead.",
            )
    return None


def _place(case: Case, seat: Seat, tile: Tile) -> int | None:
    pond = case.pond(seat)
    return pond.index(tile) + 1 if tile in pond else None


def _not_a_win(case: Case, options: Options) -> Violation:
    found = waits(kind_counts(case.hand), len(case.melds))
    waited = [kind for place, kind in enumerate(KINDS) if found >> place & 1]
    shown = format_tiles(sorted((*case.hand, case.winning_tile)))
    why = (
        f"the hand waited for {format_tiles(waited)}, not for {case.winning_tile}"
        if waited
        else "and the hand was not ready"
    )
    return false_win(
        case.winner,
        options,
        code="not_a_win",
        near=bool(waited),
        why=f"The tiles are no complete hand: {shown}; {why}.",
    )


def _below_minimum(case: Case, count: Count, options: Options) -> Violation:
    listed = ", ".join(
        fan.name if number == 1 else f"{fan.name} ×{number}" for fan, number in count.counted.fans
    )
    return false_win(
        case.winner,
        options,
        code="below_minimum",
        near=True,
        why=f"The hand is worth {count.value} without flowers ({listed}): it needs "
        f"{options.minimum}.",
    )


# --- Why ---------------------------------------------------------------------------------------


def explain(case: Case, count: Count, options: Options) -> list[Item]:
    """One item each time a fan counts, then the flowers, with the tiles that prove them."""
    hand = Hand(case, options)
    proofs = _proofs(hand, count)
    items = []
    for fan, number in count.counted.fans:
        shown = proofs.get(fan.id, [])
        value = options_value(fan, options)
        for time in range(number):
            tiles = shown[time : time + 1] if number > 1 else shown[:1]
            items.append(_item(fan, value, tiles))
    if case.bonus:
        items.append(_item(fans.FLOWER_TILES, len(case.bonus), [case.bonus]))
    return items


def options_value(fan: Fan, options: Options) -> int:
    """What a fan is worth at this table."""
    if fan is fans.MELDED_AND_CONCEALED_KONG:
        return options.mixed_kongs
    if fan is fans.TWO_CONCEALED_KONGS:
        return options.two_concealed_kongs
    return fan.value


def _item(fan: Fan, value: int, proofs: Sequence[tuple[Tile, ...]]) -> Item:
    return Item(
        id=fan.id,
        name=fan.name,
        native=fan.native,
        value=value,
        unit="fan",
        why=because(fan.rule, proofs),
    )


def _limited(total: int, limit: int) -> Item:
    return Item(
        id="limit",
        name="Limit",
        native="封顶",
        value=limit - total,
        unit="fan",
        why=f"This event counts at most {limit} points a hand.",
    )


def _proofs(hand: Hand, count: Count) -> dict[str, list[tuple[Tile, ...]]]:
    """For the fans that some of the tiles prove: those tiles, once for each time it holds."""
    reading = count.reading
    chows = tuple(sorted(hand.chows + reading.chows))
    pungs = tuple(sorted(hand.pungs + reading.pungs))
    found: dict[str, list[tuple[Tile, ...]]] = {}

    def add(fan: Fan, tiles: Iterable[Tile]) -> None:
        found.setdefault(fan.id, []).append(tuple(tiles))

    pair = reading.pair if reading.pair in FIVES else NOBODY
    for combined in chow_combinations(chows, pair):
        add(combined.fan, (t for member in combined.members for t in _chow(chows[member])))
    for combined in pung_combinations(pungs):
        add(combined.fan, (t for member in combined.members for t in _pung(pungs[member])))
    winds = [pung for pung in pungs if FIRST_HONOUR <= pung < FIRST_DRAGON]
    dragons = [pung for pung in pungs if pung >= FIRST_DRAGON]
    for pung in pungs:
        for fan in fans_of_pung(pung, hand.seat_wind, hand.round_wind, winds=len(winds)):
            add(fan, _pung(pung))
    for pung in dragons:
        add(fans.DRAGON_PUNG, _pung(pung))
    for fan in (fans.BIG_FOUR_WINDS, fans.LITTLE_FOUR_WINDS, fans.BIG_THREE_WINDS):
        add(fan, (t for pung in winds for t in _pung(pung)))
    for fan in (fans.BIG_THREE_DRAGONS, fans.LITTLE_THREE_DRAGONS, fans.TWO_DRAGON_PUNGS):
        add(fan, (t for pung in dragons for t in _pung(pung)))
    for kind, number in enumerate(hand.held):
        if number == 4:
            add(fans.TILE_HOG, (KINDS[kind],) * 4)
    if reading.knitted:
        knitted = [kind for kind in range(FIRST_HONOUR) if reading.knitted >> kind & 1]
        add(fans.KNITTED_STRAIGHT, (KINDS[kind] for kind in knitted))
    for fan in (fans.EDGE_WAIT, fans.CLOSED_WAIT, fans.SINGLE_WAIT, fans.LAST_TILE):
        add(fan, (KINDS[hand.win],))
    return found


def _chow(low: int) -> tuple[Tile, ...]:
    return KINDS[low], KINDS[low + 1], KINDS[low + 2]


def _pung(kind: int) -> tuple[Tile, ...]:
    return (KINDS[kind],) * 3
