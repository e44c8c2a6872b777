"""Random winning hands of the competition game: every form, melds, flowers, winds, circumstances.

Uniform hands would hardly ever be worth much, so the sets are drawn from a few tiles that many fans
live on: one suit, near ranks, the same rank in all suits, ends and honours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations
from random import Random

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.tiles import KINDS, ORPHANS, Tile, parse_tiles

SUITS = (0, 9, 18)
FLOWERS = parse_tiles("1234f 1234g")


def random_wins(seed: int, number: int) -> Iterator[Case]:
    """That many cases, the same for the same seed."""
    random = Random(seed)
    made = 0
    while made < number:
        case = _win(random)
        if case is not None:
            made += 1
            yield case


def _win(random: Random) -> Case | None:
    """A case, or None when the draw asks for a fifth copy."""
    form = random.choices(
        (_standard, _seven_pairs, _orphans, _gates, _honours_and_knitted, _knitted_straight),
        (79, 7, 1, 1, 4, 8),
    )[0]
    sets, loose = form(random)
    tiles = Counter(kind for one in sets for kind in one) + Counter(loose)
    if any(count > 4 for count in tiles.values()):
        return None
    may_meld = {_standard: 4, _knitted_straight: 1}.get(form, 0)
    winner = Seat(random.randrange(4))
    melds: list[Meld] = []
    concealed = list(loose)
    for one in sets:
        if len(melds) < may_meld and random.random() < 0.45:
            melds.append(_meld(random, winner, one, tiles))
        else:
            concealed += one
    winning = random.choice(concealed)
    concealed.remove(winning)
    return _situation(random, winner, melds, concealed, winning)


def _situation(
    random: Random, winner: Seat, melds: list[Meld], concealed: list[int], winning: int
) -> Case:
    self_drawn = random.random() < 0.5
    flags = set()
    shown = sum(meld.faces.count(KINDS[winning]) for meld in melds)
    is_only_copy_in_hand = concealed.count(winning) == 0
    last_of_kind = is_only_copy_in_hand and (shown == 3 or random.random() < 0.1)
    if random.random() < 0.08:
        flags.add(Flag.LAST_TILE)
    if self_drawn:
        if any(meld.kind.is_kong for meld in melds) and random.random() < 0.2:
            flags.add(Flag.REPLACEMENT)
    elif is_only_copy_in_hand and shown == 0 and not flags and random.random() < 0.08:
        flags.add(Flag.ROBBING_KONG)
        last_of_kind = True
    return Case(
        winner=winner,
        source=None if self_drawn else winner.after(random.randrange(1, 4), 4),
        hand=tuple(KINDS[kind] for kind in sorted(concealed)),
        winning_tile=KINDS[winning],
        melds=tuple(melds),
        bonus=tuple(random.sample(FLOWERS, random.choice((0, 0, 0, 1, 2, 3)))),
        dealer=Seat(random.randrange(4)),
        round_wind=random.choice(tuple(Wind)),
        flags=frozenset(flags),
        extra={"last_of_kind": last_of_kind},
    )


def _meld(random: Random, winner: Seat, one: list[int], tiles: Counter[int]) -> Meld:
    source = winner.after(random.randrange(1, 4), 4)
    faces = tuple(KINDS[kind] for kind in one)
    if len(set(one)) == 3:
        return Meld(MeldKind.CHOW, faces, winner.after(-1, 4))
    kind = random.choice(
        (MeldKind.PUNG, MeldKind.KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG)
    )
    if kind is MeldKind.PUNG or tiles[one[0]] > 3:
        return Meld(MeldKind.PUNG, faces, source)
    tiles[one[0]] = 4
    return Meld(kind, (*faces, faces[0]), None if kind is MeldKind.CONCEALED_KONG else source)


Drawn = tuple[list[list[int]], list[int]]
"""Sets that may be melded, and tiles that may not."""

SetMaker = Callable[[Random], list[int]]
"""Draws one set."""


def _chow(low: int) -> list[int]:
    return [low, low + 1, low + 2]


def _any_set(random: Random) -> list[int]:
    if random.random() < 0.6:
        return _any_chow(random)
    return [random.randrange(34)] * 3


def _any_chow(random: Random) -> list[int]:
    return _chow(random.choice(SUITS) + random.randrange(7))


def _one_suit(random: Random) -> list[int]:
    if random.random() < 0.6:
        return _chow(random.randrange(7))
    return [random.randrange(9)] * 3


def _one_suit_chows(random: Random) -> list[int]:
    return _chow(9 + random.randrange(7))


def _ends(random: Random) -> list[int]:
    if random.random() < 0.5:
        return _chow(random.choice(SUITS) + random.choice((0, 6)))
    return [KINDS.index(random.choice(ORPHANS))] * 3


def _winds(random: Random) -> list[int]:
    return [random.randrange(27, 31)] * 3 if random.random() < 0.8 else _one_suit(random)


def _dragons(random: Random) -> list[int]:
    return [random.randrange(31, 34)] * 3 if random.random() < 0.7 else _one_suit(random)


def _honours(random: Random) -> list[int]:
    return [random.randrange(27, 34)] * 3 if random.random() < 0.8 else _one_suit(random)


def _pungs(random: Random) -> list[int]:
    return [random.choice(SUITS) + random.choice((1, 2, 3, 5, 7))] * 3


def _even_pungs(random: Random) -> list[int]:
    return [random.choice(SUITS) + random.choice((1, 3, 5, 7))] * 3


def _low_pungs(random: Random) -> list[int]:
    return [random.randrange(5)] * 3


def _green(random: Random) -> list[int]:
    return random.choice(([19, 20, 21], [19] * 3, [20] * 3, [21] * 3, [23] * 3, [25] * 3, [32] * 3))


def _reversible(random: Random) -> list[int]:
    return random.choice(
        ([9, 10, 11], [10, 11, 12], [11, 12, 13], [21, 22, 23], [9] * 3, [16] * 3, [17] * 3,
         [19] * 3, [25] * 3, [26] * 3, [31] * 3)
    )  # fmt: skip


def _terminals(random: Random) -> list[int]:
    return [random.choice((0, 8, 9, 17, 18, 26))] * 3


def _orphan_pungs(random: Random) -> list[int]:
    return [KINDS.index(random.choice(ORPHANS))] * 3


def _straight(random: Random) -> list[int]:
    return _chow(random.choice(SUITS) + random.choice((0, 3, 6)))


def _within(first: int, last: int) -> SetMaker:
    """Sets of ranks in a window, in all suits."""

    def make(random: Random) -> list[int]:
        suit = random.choice(SUITS) - 1
        if random.random() < 0.6:
            return _chow(suit + random.randint(first, last - 2))
        return [suit + random.randint(first, last)] * 3

    return make


def _few(maker: SetMaker, number: int) -> SetMaker:
    """One of a few sets that were drawn beforehand: they come more than once."""
    drawn: list[list[int]] = []

    def make(random: Random) -> list[int]:
        if len(drawn) < number:
            drawn.append(maker(random))
            return drawn[-1]
        return random.choice(drawn)

    return make


def _style(random: Random) -> SetMaker:
    """What a hand's sets are drawn from."""
    style = random.choice(
        (
            _any_set, _any_set, _any_chow, _any_chow, _one_suit, _one_suit_chows, _ends, _winds,
            _dragons, _honours, _pungs, _even_pungs, _low_pungs, _green, _reversible, _terminals,
            _orphan_pungs, _straight, _within(7, 9), _within(4, 6), _within(1, 3), _within(6, 9),
            _within(1, 4), _within(3, 7),
        )
    )  # fmt: skip
    return _few(style, random.choice((1, 2, 3))) if random.random() < 0.15 else style


def _standard(random: Random) -> Drawn:
    """Four sets and a pair, out of a style."""
    style = _style(random)
    sets = [style(random) for _ in range(4)]
    if random.random() < 0.03:
        sets, pair = _terminal_chows(random)
        return sets, [pair, pair]
    pair = random.choice(random.choice([[random.randrange(34)], style(random), style(random)]))
    return sets, [pair, pair]


def _terminal_chows(random: Random) -> tuple[list[list[int]], int]:
    """Fans 13 and 29, and their near misses."""
    first, second, third = (random.choice(SUITS) for _ in range(3))
    sets = [_chow(first), _chow(first + 6), _chow(second), _chow(second + 6)]
    return sets, third + random.choice((4, 4, 4, 3))


def _seven_pairs(random: Random) -> Drawn:
    pool = random.choice(
        (range(34), range(9), range(9), (19, 20, 21, 23, 25, 32), range(27, 34),
         (0, 8, 9, 17, 18, 26), tuple(range(9)) + tuple(range(27, 34)), range(18, 26))
    )  # fmt: skip
    if random.random() < 0.1:
        first = random.choice(SUITS) + random.randrange(3)
        kinds = list(range(first, first + 7))
    else:
        kinds = random.choices(pool, k=7)
    return [], [kind for kind in kinds for _ in range(2)]


def _orphans(random: Random) -> Drawn:
    kinds = [KINDS.index(tile) for tile in ORPHANS]
    return [], [*kinds, random.choice(kinds)]


def _gates(random: Random) -> Drawn:
    """1112345678999 and a tile more: Nine Gates if that one is the winning tile."""
    suit = random.choice(SUITS)
    gates = [0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8]
    return [], [suit + rank for rank in (*gates, random.randrange(9))]


def _knitted(random: Random) -> list[int]:
    lows = random.choice(list(permutations(range(3))))
    return [suit + low + step for suit, low in zip(SUITS, lows, strict=True) for step in (0, 3, 6)]


def _honours_and_knitted(random: Random) -> Drawn:
    number = random.choice((5, 6, 7))
    honours = random.sample(range(27, 34), number)
    return [], honours + random.sample(_knitted(random), 14 - number)


def _knitted_straight(random: Random) -> Drawn:
    pair = random.randrange(34)
    return [_style(random)(random)], [*_knitted(random), pair, pair]


def as_tile(kind: Tile) -> str:
    """The tile as PyMahjongGB writes it: W characters, B circles, T bamboos, F winds, J dragons."""
    if kind.is_wind:
        return f"F{kind.rank}"
    if kind.is_dragon:
        return {5: "J3", 6: "J2", 7: "J1"}[kind.rank]
    return {"m": "W", "p": "B", "s": "T"}[kind.suit.value] + str(kind.rank)
