"""Why a score is what it is: items for yaku, dora and fu, with the tiles that fulfil them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_controller.rules.core.case import Case, Flag, Item
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.patterns import Pattern
from table_controller.rules.core.tiles import KINDS, Tile, format_tiles
from table_controller.rules.core.win import Group, Wait
from table_controller.rules.riichi import fu as fu_rules
from table_controller.rules.riichi.options import RiichiOptions
from table_controller.rules.riichi.reading import REPLACEMENT, Reading, unpack
from table_controller.rules.riichi.scoring import Limit, Score, fu_parts
from table_controller.rules.riichi.yaku import Luck

WAIT_WORDS = {
    Wait.OPEN: "two-sided wait",
    Wait.CLOSED: "middle wait",
    Wait.EDGE: "edge wait",
    Wait.PAIR: "pair wait",
    Wait.PUNG: "wait on two pairs",
    Wait.OTHER: "no sets",
}


def groups_of(case: Case, score: Score) -> tuple[Group, ...]:
    """The sets of the reading that was scored, melds first."""
    found = [Group(meld.kind, meld.tile, meld.kind.is_concealed, meld) for meld in case.melds]
    for part in score.parts:
        found += [Group(MeldKind.CHOW, KINDS[kind], is_concealed=True) for kind in part.chows]
        found += [
            Group(MeldKind.PUNG, KINDS[kind], is_concealed=kind != part.completed)
            for kind in part.pungs
        ]
    return tuple(found)


def pair_of(score: Score) -> Tile | None:
    """The pair of the reading that was scored."""
    pairs = [KINDS[part.pair] for part in score.parts if part.pair is not None]
    return pairs[0] if pairs else None


def items(case: Case, score: Score, options: RiichiOptions) -> tuple[Item, ...]:
    """Everything that counted, in order: luck, yaku, dora, fu."""
    sets = groups_of(case, score)
    is_yakuman = score.yakuman > 0
    unit = "yakuman" if is_yakuman else "han"
    is_concealed = all(meld.kind.is_concealed for meld in case.melds)
    found = []
    counted: list[Pattern[Luck] | Pattern[Reading]] = [*score.luck.patterns]
    for pattern in [*counted, *score.shape.patterns]:
        value = pattern.value if is_concealed else pattern.exposed or 0
        if is_yakuman and pattern.id in options.double_yakuman_patterns:
            value *= 2
        if pattern.id == "renhou" and not is_yakuman:
            value = 5
        tiles = _TILES.get(pattern.id)
        shown = format_tiles(tiles(sets)) if tiles is not None else ""
        why = f"{pattern.rule[:-1]}: {shown}." if shown else pattern.rule
        found.append(
            Item(
                id=pattern.id,
                name=pattern.name,
                native=pattern.native,
                value=value,
                unit=unit,
                why=why,
            )
        )
    if not is_yakuman:
        found += _dora_items(case, score)
        found += _fu_items(case, score, sets, options)
        found += _limit_items(score)
    return tuple(found)


def _dora_items(case: Case, score: Score) -> list[Item]:
    found = []
    for id, name, native, number, why in (
        (
            "dora",
            "Dora",
            "ドラ",
            score.dora,
            f"Tiles shown by the indicators: {format_tiles(case.dora)}.",
        ),
        ("red_five", "Red five", "赤ドラ", score.reds, "Each red five is a han."),
        (
            "north",
            "North set aside" if all(tile.is_wind for tile in case.bonus) else "Tiles set aside",
            "抜きドラ",
            score.norths,
            f"What was set aside: {format_tiles(case.bonus)}.",
        ),
        (
            "ura_dora",
            "Ura dora",
            "裏ドラ",
            score.ura,
            f"Tiles shown under the indicators: {format_tiles(case.ura)}.",
        ),
    ):
        if number:
            found.append(Item(id=id, name=name, native=native, value=number, unit="han", why=why))
    return found


_LIMIT_WORDS = {
    Limit.MANGAN: ("Mangan", "満貫", "Five han, or 2000 base points by han and fu"),
    Limit.HANEMAN: ("Haneman", "跳満", "Six or seven han"),
    Limit.BAIMAN: ("Baiman", "倍満", "Eight to ten han"),
    Limit.SANBAIMAN: ("Sanbaiman", "三倍満", "Eleven han or more"),
    Limit.COUNTED_YAKUMAN: ("Counted yakuman", "数え役満", "Thirteen han or more"),
}


def _limit_items(score: Score) -> list[Item]:
    """The step above which fu do not count, with the base points that are paid."""
    if score.limit is None:
        return []
    name, native, when = _LIMIT_WORDS[score.limit]
    why = f"{when}: {score.base} base points are paid, whatever the fu."
    return [
        Item(
            id=f"limit_{score.limit.value}",
            name=name,
            native=native,
            value=score.base,
            unit="base_points",
            why=why,
        )
    ]


_FU_WORDS = {
    "fixed": ("Fixed", "固定符", "Every hand counts the same fu at this table."),
    "base": ("Base", "副底", "Every hand has 20 fu."),
    "self_draw": ("Self-draw", "ツモ", "A self-drawn hand, except pinfu."),
    "concealed_ron": ("Concealed, won on a discard", "門前加符", "Nothing was called."),
    "wait": ("Wait", "待ち", "The winning tile completed a {wait}."),
    "pair": ("Value pair", "雀頭", "A pair of dragons, seat wind or round wind: {pair}."),
}


def _fu_items(
    case: Case, score: Score, sets: Sequence[Group], options: RiichiOptions
) -> list[Item]:
    hand = unpack(score.word)
    if hand.is_seven_pairs:
        why = "Seven pairs are always 25 fu."
        return [_fu_item("seven_pairs", "Seven pairs", "七対子", fu_rules.SEVEN_PAIRS_FU, why)]
    if Flag.REPLACEMENT in case.flags:
        hand = unpack(score.word + REPLACEMENT)
    found = []
    for part, fu in fu_parts(hand, options):
        if part == "sets":
            for group in sets:
                worth = fu_rules.set_fu(group.tile, group.kind, is_concealed=group.is_concealed)
                if worth:
                    open_or_not = "concealed" if group.is_concealed else "exposed"
                    kind = "kong" if group.kind.is_kong else "triplet"
                    why = f"{open_or_not.capitalize()} {kind} of {group.tile}."
                    native = ("暗" if group.is_concealed else "明") + (
                        "槓" if group.kind.is_kong else "刻"
                    )
                    found.append(
                        _fu_item(
                            f"{open_or_not}_{kind}",
                            f"{open_or_not.capitalize()} {kind}",
                            native,
                            worth,
                            why,
                        )
                    )
            continue
        name, native, why = _FU_WORDS[part]
        why = why.format(wait=WAIT_WORDS[hand.waited], pair=pair_of(score))
        found.append(_fu_item(part, name, native, fu, why))
    total = sum(item.value for item in found)
    if total != score.fu:
        why = f"{total} fu count as {score.fu}."
        found.append(_fu_item("rounding", "Rounded up", "切り上げ", score.fu - total, why))
    return found


def _fu_item(id: str, name: str, native: str, value: int, why: str) -> Item:
    return Item(id=f"fu_{id}", name=name, native=native, value=value, unit="fu", why=why)


Select = Callable[[Sequence[Group]], list[Tile]]


def _of(wanted: Callable[[Group], bool]) -> Select:
    return lambda sets: [tile for group in sets if wanted(group) for tile in group.tiles]


def _tile_is(text: str) -> Select:
    return _of(lambda group: str(group.tile) == text)


def _is_pung(group: Group) -> bool:
    return group.kind is not MeldKind.CHOW


def _twins(sets: Sequence[Group]) -> list[Tile]:
    chows = [group.tile for group in sets if group.kind is MeldKind.CHOW]
    return [
        tile
        for group in sets
        if group.kind is MeldKind.CHOW and chows.count(group.tile) > 1
        for tile in group.tiles
    ]


def _same_rank(kind: MeldKind) -> Select:
    def select(sets: Sequence[Group]) -> list[Tile]:
        of_kind = [
            group for group in sets if (group.kind is MeldKind.CHOW) == (kind is MeldKind.CHOW)
        ]
        for rank in range(1, 10):
            same = [
                group for group in of_kind if group.tile.is_numbered and group.tile.rank == rank
            ]
            if len({group.tile.suit for group in same}) == 3:
                return [tile for group in same for tile in group.tiles]
        return []

    return select


def _straight(sets: Sequence[Group]) -> list[Tile]:
    chows = [group for group in sets if group.kind is MeldKind.CHOW]
    for suit in "mps":
        found = {group.tile.rank: group for group in chows if group.tile.suit.value == suit}
        if {1, 4, 7} <= set(found):
            return [tile for rank in (1, 4, 7) for tile in found[rank].tiles]
    return []


_TILES: dict[str, Select] = {
    "yakuhai_white": _tile_is("5z"),
    "yakuhai_green": _tile_is("6z"),
    "yakuhai_red": _tile_is("7z"),
    "iipeikou": _twins,
    "ryanpeikou": _twins,
    "sanshoku_doujun": _same_rank(MeldKind.CHOW),
    "sanshoku_doukou": _same_rank(MeldKind.PUNG),
    "ittsuu": _straight,
    "toitoi": _of(_is_pung),
    "sanankou": _of(lambda group: _is_pung(group) and group.is_concealed),
    "suuankou": _of(_is_pung),
    "suuankou_tanki": _of(_is_pung),
    "sankantsu": _of(lambda group: group.kind.is_kong),
    "suukantsu": _of(lambda group: group.kind.is_kong),
    "shousangen": _of(lambda group: group.tile.is_dragon),
    "daisangen": _of(lambda group: group.tile.is_dragon),
    "shousuushii": _of(lambda group: group.tile.is_wind),
    "daisuushii": _of(lambda group: group.tile.is_wind),
}
