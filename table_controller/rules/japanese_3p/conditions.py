"""When a win may stand: yaku, furiten, atozuke, north (sections 5.4, 7 and 8)."""

from __future__ import annotations

from collections.abc import Iterator

from table_controller.rules.core.case import Case, Evidence, Flag, Violation
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import KIND_INDEX, Tile, format_tiles, kind_counts
from table_controller.rules.core.win import Form
from table_controller.rules.japanese_3p.hand import (
    NORTH,
    PLAYERS,
    Hand,
    Robbed,
    hands,
    robbed_of,
    waits_of,
    won_with,
)
from table_controller.rules.japanese_3p.options import Atozuke, NorthInHand, Options
from table_controller.rules.japanese_3p.yaku import SITUATIONAL, holding, yakuman_found

FOURTH_KONG = "fourth_kong_from"


def needs_kokushi(case: Case) -> bool:
    """Only thirteen orphans may win this tile: a north of another seat, or a concealed kong's."""
    robbed = robbed_of(case)
    if robbed in (Robbed.CONCEALED, Robbed.NORTH):
        return True
    return case.source is not None and case.winning_tile == NORTH


def legal_hands(case: Case, options: Options) -> list[Hand]:
    """The readings with which this tile may be won, whatever they are worth."""
    found = hands(case, options)
    if needs_kokushi(case):
        return [hand for hand in found if hand.win.form is Form.THIRTEEN_ORPHANS]
    return list(found)


def yaku_ids(hand: Hand) -> frozenset[str]:
    """The yaku and yakuman that make a hand legal: a dealer's streak is none of them."""
    ids = {one.id for one in holding(hand)} | {one.id for one in yakuman_found(hand)}
    return frozenset(ids - {"paarenchan"})


def breaches(case: Case, options: Options) -> Iterator[Violation]:
    """Everything that speaks against the win."""
    name = case.seat_name(case.winner, PLAYERS)

    def breach(code: str, text: str, evidence: tuple[Evidence, ...] = ()) -> Violation:
        return Violation(code=code, seat=case.winner, text=text, evidence=evidence)

    if case.winner in case.seats_named("dead_hands", PLAYERS):
        yield breach("dead_hand", f"{name}'s hand is dead: it may not win in this deal.")
    for meld in case.melds:
        if meld.kind is MeldKind.CHOW:
            yield breach(
                "wrong_call",
                f"{name} has laid down the chow {format_tiles(meld.tiles)}: a chow is never "
                "called except to win.",
            )
        elif meld.tile == NORTH and not meld.kind.is_concealed:
            yield breach("wrong_call", f"{name} has called north: a discarded north is safe.")
    if {Flag.READY, Flag.DOUBLE_READY} & case.flags and any(
        not meld.kind.is_concealed for meld in case.melds
    ):
        yield breach("wrong_riichi", f"{name} declared riichi with an open hand.")
    if FOURTH_KONG in case.extra:
        return
    if not any(True for _ in hands(case, options)):
        yield breach(
            "not_a_win",
            f"{format_tiles(sorted(case.hand))} with {case.winning_tile} is neither four sets and "
            f"a pair nor seven pairs nor thirteen orphans{_north_hint(case, options)}.",
        )
        return
    found = legal_hands(case, options)
    if not found:
        robbed = robbed_of(case)
        if robbed in (None, Robbed.PROMOTED):
            text = "A discarded north is safe: only thirteen orphans may win with it."
            yield breach("north_safe", text)
        else:
            what = "a concealed kong" if robbed is Robbed.CONCEALED else "a north set aside"
            yield breach("wrong_robbing", f"Only thirteen orphans may rob {what}.")
        return
    if case.source is not None:
        yield from _furiten(case, name)
    if not any(yaku_ids(hand) for hand in found):
        yield breach(
            "no_yaku",
            f"{name}'s hand has no yaku: dora, bazoro and ippatsu do not make one.",
        )
    elif _atozuke_applies(case, options):
        refused = atozuke_refusal(case, options)
        if refused is not None:
            yield breach(
                "atozuke",
                f"{name} may not win on a discard: {refused} A hand needs its yaku before the "
                "discard, whichever of its waits comes.",
            )


def _north_hint(case: Case, options: Options) -> str:
    kokushi_only = options.north_in_hand is NorthInHand.KOKUSHI_ONLY
    held = (*case.hand, case.winning_tile)
    return ", and only those may hold a north" if kokushi_only and NORTH in held else ""


# Furiten


def _furiten(case: Case, name: str) -> Iterator[Violation]:
    """Own discards block every discard; tiles let pass block until the next draw, or for good
    after riichi.
    """
    waits = waits_of(case.hand, case.melds)
    waiting = format_tiles(sorted(waits))
    own = tuple(
        Evidence(case.winner, place, tile)
        for place, tile in enumerate(case.pond(case.winner), start=1)
        if tile.face in waits
    )
    if own:
        shown = ", ".join(f"{each.tile} ({each.lies()})" for each in own)
        yield Violation(
            code="furiten",
            seat=case.winner,
            text=f"{name} waits for {waiting} and {name}'s pond holds {shown}: "
            "no discard may be won.",
            evidence=own,
        )
    for key, code, rule in (
        ("passed_after_riichi", "riichi_furiten", "after riichi that bars every discard"),
        ("passed", "temporary_furiten", "that bars every discard until the next own draw"),
    ):
        missed = tuple(each for each in passed_tiles(case, key) if each.tile.face in waits)
        if missed:
            shown = ", ".join(
                f"{each.tile} of {case.seat_name(each.seat, PLAYERS)} ({each.lies()})"
                for each in missed
            )
            yield Violation(
                code=code,
                seat=case.winner,
                text=f"{name} waits for {waiting} and let {shown} pass: {rule}.",
                evidence=missed,
            )
            return


def passed_tiles(case: Case, key: str) -> tuple[Evidence, ...]:
    """What others discarded that the winner let pass: a list of [seat, place, tile]."""
    named = case.extra.get(key, ())
    try:
        return tuple(
            each
            if isinstance(each, Evidence)
            else Evidence(Seat(each[0]), int(each[1]), Tile.parse(each[2]))
            for each in named  # type: ignore[attr-defined]
        )
    except (TypeError, ValueError, IndexError):
        raise CaseError(f"{key} is a list of [seat, place, tile], not {named!r}") from None


# Atozuke


def _atozuke_applies(case: Case, options: Options) -> bool:
    if case.source is None or options.atozuke is Atozuke.OFF:
        return False
    return robbed_of(case) is None or options.atozuke_applies_to_robbing


def atozuke_refusal(case: Case, options: Options) -> str | None:
    """Why the hand before the discard holds no yaku; None when it holds one."""
    by_wait = {
        wait: frozenset[str]().union(
            *(yaku_ids(hand) - SITUATIONAL for hand in hands(won_with(case, wait), options))
        )
        for wait in sorted(waits_of(case.hand, case.melds))
    }
    without = [wait for wait, ids in by_wait.items() if not ids]
    if without:
        return f"on {format_tiles(without)} the same hand would have no yaku."
    if options.atozuke is Atozuke.EACH_WAIT_SOME_YAKU:
        return None
    common = frozenset.intersection(*by_wait.values())
    waits = format_tiles(by_wait)
    if not common:
        return f"its waits {waits} have no yaku in common."
    if options.atozuke is Atozuke.YAKU_COMPLETE_BEFORE and not any(
        _complete_before(id, case) for id in common
    ):
        return f"the yaku on {waits} is not complete before the discard."
    return None


def _complete_before(id: str, case: Case) -> bool:
    """The tiles of a yaku that is made of sets are all there; other yaku are of the whole hand."""
    counts = kind_counts(case.hand)
    for meld in case.melds:
        counts[KIND_INDEX[meld.tile]] += 3
    triplets = [number >= 3 for number in counts]
    if id.startswith("yakuhai"):
        tile = {"Wh": 31, "G": 32, "R": 33, "E": 27, "S": 28, "W": 29}[id.split("_")[-1]]
        return triplets[tile]
    if id == "sanankou":
        return (
            sum(number >= 3 for number in kind_counts(case.hand))
            + sum(meld.kind.is_concealed for meld in case.melds)
            >= 3
        )
    if id == "sanrenkou":
        return any(
            all(triplets[first + rank + step] for step in range(3))
            for first in (9, 18)
            for rank in range(7)
        )
    if id in ("iipeikou", "iisou_sanjun"):
        wanted = 2 if id == "iipeikou" else 3
        return any(
            min(counts[first + rank : first + rank + 3]) >= wanted
            for first in (9, 18)
            for rank in range(7)
        )
    return True
