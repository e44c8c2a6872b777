"""The independent calculator: PyMahjongGB, asked for the same hand."""

from __future__ import annotations

from dataclasses import replace

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.mcr.counting import best_count
from table_controller.rules.mcr.options import DEFAULT, PRESETS, Options
from tests.rules.mcr.generator import as_tile


def question(case: Case) -> tuple:
    """The arguments of ``MahjongFanCalculator``."""
    packs = []
    for meld in case.melds:
        faces = sorted(meld.faces)
        if meld.kind is MeldKind.CHOW:
            packs.append(("CHI", as_tile(faces[1]), 1))
        elif meld.kind is MeldKind.PUNG:
            packs.append(("PENG", as_tile(faces[0]), 1))
        else:
            packs.append(("GANG", as_tile(faces[0]), 0 if meld.kind.is_concealed else 1))
    return (
        tuple(packs),
        tuple(as_tile(tile) for tile in case.hand),
        as_tile(case.winning_tile),
        len(case.bonus),
        case.self_drawn,
        bool(case.extra.get("last_of_kind")),
        bool(case.flags & {Flag.REPLACEMENT, Flag.ROBBING_KONG}),
        Flag.LAST_TILE in case.flags,
        (case.winner - case.dealer) % 4,
        "ESWN".index(case.round_wind.value),
    )


def fans_of(case: Case) -> dict[str, tuple[int, int]]:
    """What the library counts: worth and number by English name."""
    from MahjongGB import MahjongFanCalculator

    return {
        name: (worth, number)
        for worth, number, _, name in MahjongFanCalculator(*question(case), verbose=True)
    }


_NAMES = {
    "Robbing The Kong": "Robbing the Kong",
    "Two Dragons Pungs": "Two Dragon Pungs",
    "All Five": "All Fives",
    "Concealed Kong and Melded Kong": "Melded and Concealed Kong",
}
"""Fans that the library spells otherwise."""


def listed(case: Case) -> dict[str, int]:
    """How often the library counts each fan, by its name here, flowers left out."""
    return {
        _NAMES.get(name, name): number
        for name, (_, number) in fans_of(case).items()
        if name != "Flower Tiles"
    }


def total_of(case: Case) -> int:
    """What the library makes the hand worth, flowers left out."""
    return sum(
        worth * number for name, (worth, number) in fans_of(case).items() if name != "Flower Tiles"
    )


DIFFERING = (
    "special_self_draw",
    "mixed_kongs",
    "two_concealed_kongs",
    "all_green_half_flush",
    "all_terminals_double_pung",
    "nine_gates_pung",
    "tile_hog_honors",
    "forced_tile_hog",
    "wait_own_four",
    "knitted_wait",
)
"""The options in which the library and the rule book part (mcr.md, section 13)."""


def explained(case: Case) -> tuple[str, ...]:
    """The options that make the rule book's total differ from the library's; empty when equal.

    Fails when they do not account for the difference: the difference would be unexplained.
    """
    ours = best_count(case, DEFAULT)
    theirs = total_of(case)
    assert ours is not None
    if ours.value == theirs:
        return ()
    library = PRESETS["library"]
    responsible = tuple(
        name
        for name in DIFFERING
        if _value(case, replace(library, **{name: getattr(DEFAULT, name)})) != theirs
    )
    switched = replace(DEFAULT, **{name: getattr(library, name) for name in responsible})
    assert _value(case, switched) == theirs, f"unexplained: {case}"
    return responsible


def _value(case: Case, options: Options) -> int:
    count = best_count(case, options)
    assert count is not None
    return count.value
