"""House rules of the Korean-Japanese three-player game, with the defaults of its specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.options import check_options, option
from table_controller.rules.core.tiles import TileSet


class SacredDiscard(StrEnum):
    """What a player's own discards forbid; houses mean different things by the same words."""

    OFF = "off"
    OWN_ANY = "own_any"
    OWN_LAST = "own_last"
    OWN_147 = "own_147"
    ABSOLUTE = "absolute"
    MISSED = "missed"
    PUNG_TOO = "pung_too"

    @classmethod
    def _missing_(cls, value: object) -> SacredDiscard | None:
        """``on`` is the meaning of the specification."""
        if value in ("on", True):
            return cls.OWN_ANY
        return cls.OFF if value is False else None

    @property
    def sentence(self) -> str:
        """The rule as the screen tells it."""
        return _SACRED_SENTENCES[self]


_SACRED_SENTENCES = {
    SacredDiscard.OFF: "Own discards forbid nothing.",
    SacredDiscard.OWN_ANY: (
        "A player may not win with another player's tile of a kind that the player discarded "
        "earlier in this deal, even when that discard was called."
    ),
    SacredDiscard.OWN_LAST: (
        "A player may not win with another player's tile of the kind that the player "
        "discarded last."
    ),
    SacredDiscard.OWN_147: (
        "A player may not win with another player's tile where a tile the player discarded would "
        "have completed the same set (1-4-7, 2-5-8, 3-6-9), nor with one of a discarded kind."
    ),
    SacredDiscard.ABSOLUTE: (
        "A player who discarded any tile that completes the hand may not win with any tile of "
        "another player."
    ),
    SacredDiscard.MISSED: (
        "A player may not win with a tile of a kind that others discarded since the player's own "
        "last discard and that the player let pass."
    ),
    SacredDiscard.PUNG_TOO: (
        "A player may neither win with nor take for a pung or kong another player's tile of a kind "
        "that the player discarded earlier in this deal."
    ),
}


class LimitConcealment(StrEnum):
    """Which limit hands must be concealed."""

    AS_LISTED = "as_listed"
    ALL_CONCEALED_EXCEPT_FOUR_KONGS = "all_concealed_except_four_kongs"


class HalfLimitFloor(StrEnum):
    """Whether a half limit pays at least the ordinary count."""

    EXACT = "exact"
    AT_LEAST_ORDINARY = "at_least_ordinary"


class DiscardSettlement(StrEnum):
    """Who pays what when the win is on a discard."""

    HAND_DOUBLE_BONUS_EACH = "hand_double_bonus_each"
    DISCARDER_PAYS_ALL = "discarder_pays_all"
    OTHER_PAYS_HAND = "other_pays_hand"


class LimitDiscardPayment(StrEnum):
    """Who pays a limit hand won on a discard."""

    BOTH_DISCARDER_DOUBLE = "both_discarder_double"
    DISCARDER_ONLY_DOUBLE = "discarder_only_double"


class WallEnd(StrEnum):
    """An end of the wall."""

    BACK = "back"
    FRONT = "front"


class RobKongKinds(StrEnum):
    """Which kongs may be robbed."""

    PROMOTED = "promoted"
    PROMOTED_AND_CONCEALED = "promoted_and_concealed"


class RobKongPatterns(StrEnum):
    """What a robbed tile may complete."""

    CHOW_ONLY = "chow_only"
    ANY = "any"


class IdenticalChowCount(StrEnum):
    """How often identical chows score."""

    PER_DISJOINT_PAIR = "per_disjoint_pair"
    ONCE = "once"


class LastFlower(StrEnum):
    """What follows when no tile is left to replace a flower."""

    GOULASH = "goulash"
    DISCARD_WITHOUT_REPLACEMENT = "discard_without_replacement"


class ReadyMoment(StrEnum):
    """When ready may be declared."""

    OWN_DISCARD = "own_discard"
    BETWEEN_TURNS = "between_turns"


class WaitingVisibility(StrEnum):
    """Which tiles can no longer reach a waiting player."""

    PUBLIC_PLUS_OWN = "public_plus_own"
    DISCARDS_ONLY = "discards_only"


class WaitingProof(StrEnum):
    """How a payer proves to have been waiting."""

    REVEAL_REQUIRED = "reveal_required"
    DECLARED_ONLY = "declared_only"


class WaitingAdjustment(StrEnum):
    """Whether plus two and minus two are one rule or two."""

    ONCE = "once"
    CUMULATIVE = "cumulative"


class NorthPointsClass(StrEnum):
    """To which points the norths belong."""

    HAND = "hand"
    BONUS = "bonus"


class NorthKongMode(StrEnum):
    """What a kong of norths is worth in all."""

    TOTAL = "total"
    ADDITIONAL = "additional"


class TurnDirection(StrEnum):
    """The direction of play, seen from above."""

    ANTICLOCKWISE = "anticlockwise"
    CLOCKWISE = "clockwise"


class WallShape(StrEnum):
    """Four walls, or three."""

    SQUARE = "square"
    TRIANGLE = "triangle"


class WallStacks(StrEnum):
    """Whose stacks per side are built."""

    MAIN_TEXT = "main_text"
    SUMMARY = "summary"


class WallBreak(StrEnum):
    """How the wall is broken."""

    DICE = "dice"
    FREE = "free"


class DealMode(StrEnum):
    """Who hands out the tiles."""

    SELF_TAKE = "self_take"
    DEALER_DEALS = "dealer_deals"
    MACHINE = "machine"


class WindNames(StrEnum):
    """How seats and winds are called."""

    ESW = "ESW"
    NES = "NES"


class DoraRule(StrEnum):
    """Whether and how a tile scores extra."""

    NONE = "none"
    DEAD_WALL = "dead_wall"
    REVEALED = "revealed"


class DoraWindOrder(StrEnum):
    """The order of the winds for the dora."""

    TILES_IN_PLAY = "tiles_in_play"  # ESW, and ESWN with the north wind
    ESW = "ESW"
    ESWN = "ESWN"
    NES = "NES"


class RevealedDoraMode(StrEnum):
    """Whether eye, pung and kong of the dora add to its tiles."""

    ADDITIONAL = "additional"
    TOTAL = "total"


class FlowerIndicatorValue(StrEnum):
    """What flowers score when one was turned up."""

    TWO_EACH = "two_each"
    TWO_IN_TOTAL = "two_in_total"


class ThreeReady(StrEnum):
    """What happens when all three are ready."""

    PLAY_ON = "play_on"
    DRAW = "draw"
    HAND_POINTS_ONLY = "hand_points_only"


class AllBambooAndHonours(StrEnum):
    """What bamboos with honours may pay."""

    HIGHEST = "highest"
    HALF = "half"


class MatchingScope(StrEnum):
    """Where tiles like the winning tile are counted."""

    WHOLE_HAND = "whole_hand"
    CONCEALED_ONLY = "concealed_only"


class LastTileScope(StrEnum):
    """What scores as the last tile."""

    WALL_TILE = "wall_tile"
    WALL_TILE_OR_LAST_DISCARD = "wall_tile_or_last_discard"


class LimitPriority(StrEnum):
    """How a limit hand ranks among claims."""

    LIMIT_VALUE = "limit_value"
    ALWAYS_FIRST = "always_first"


class JadeOtherSets(StrEnum):
    """What the other sets of the jade dragons may be."""

    FREE = "free"
    HONOURS_ONLY = "honours_only"


class GoulashCarryOver(StrEnum):
    """Whether drawn deals count on in the next match."""

    WITHIN_MULTI_MATCH = "within_multi_match"
    NEVER = "never"
    ALWAYS = "always"


class InitialFlowerOrder(StrEnum):
    """Who replaces the dealt flowers first."""

    DEALER_FIRST = "dealer_first"
    SIMULTANEOUS = "simultaneous"


class LimitHand(StrEnum):
    """The limit hands; the first ten pay half the limit, the others all of it."""

    SMALL_DRAGONS = "small_dragons"
    SMALL_WINDS = "small_winds"
    ALL_BAMBOO_AND_HONOURS = "all_bamboo_and_honours"
    TERMINAL_OR_HONOUR_IN_EVERY_SET = "terminal_or_honour_in_every_set"
    PURE_HAND_WITH_SEAT_PUNG = "pure_hand_with_seat_pung"
    FOUR_CONCEALED_PUNGS = "four_concealed_pungs"
    THREE_KONGS_HONOUR_PAIR = "three_kongs_honour_pair"
    LITTLE_JADE_DRAGON = "little_jade_dragon"
    THREE_CONCEALED_KONGS = "three_concealed_kongs"
    FOUR_KONGS = "four_kongs"
    ALL_TERMINALS_AND_OR_HONOURS = "all_terminals_and_or_honours"
    BIG_DRAGONS = "big_dragons"
    BIG_WINDS = "big_winds"
    BAMBOO_ONE_NINE_AND_FIVE_PAIR = "bamboo_one_nine_and_five_pair"
    FOUR_CONCEALED_KONGS = "four_concealed_kongs"
    THIRTEEN_ORPHANS = "thirteen_orphans"
    NINE_GATES = "nine_gates"
    PEARL_DRAGON = "pearl_dragon"
    RUBY_DRAGON = "ruby_dragon"
    GREAT_JADE_DRAGON = "great_jade_dragon"


HALF_LIMIT_HANDS = tuple(LimitHand)[:10]


class Effect(StrEnum):
    """What an offence does besides costing points."""

    NONE = "none"
    DEAD_HAND = "dead_hand"
    DEAL_ANNULLED = "deal_annulled"
    TILE_RETURNED = "tile_returned"
    CLAIM_VOID = "claim_void"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Every choice of the specification's section 2; all are fixed before the first deal."""

    min_hand_points: int = option(
        3, "Hand points a win needs; bonus points never count.", min=0, max=100
    )
    goulash_bonus: int = option(
        5, "Paid to the winner by each for every drawn deal before.", min=0, max=100_000
    )
    goulash_cap: int | None = option(None, "The most a payer pays as goulash; none: no limit.")
    limit_hands: bool = option(True, "Limit hands replace all counting.")
    limit_value: int = option(
        40, "What a full limit hand pays; a half limit half of it.", min=2, max=100_000
    )
    enabled_limit_hands: tuple[LimitHand, ...] = option(
        tuple(LimitHand), "The limit hands in use.", items=LimitHand
    )
    limit_concealment: LimitConcealment = option(
        LimitConcealment.AS_LISTED, "Which limit hands must be concealed."
    )
    half_limit_floor: HalfLimitFloor = option(
        HalfLimitFloor.EXACT, "Whether a dearer ordinary count replaces a half limit."
    )
    discard_settlement: DiscardSettlement = option(
        DiscardSettlement.HAND_DOUBLE_BONUS_EACH, "Who pays what when the win is on a discard."
    )
    flower_replacement_end: WallEnd = option(
        WallEnd.BACK, "The end of the wall that replaces a flower."
    )
    promoted_kong_replacement_end: WallEnd = option(
        WallEnd.BACK, "The end of the wall that replaces the tile of a promoted kong."
    )
    rob_kong_kinds: RobKongKinds = option(RobKongKinds.PROMOTED, "Which kongs may be robbed.")
    rob_kong_patterns: RobKongPatterns = option(
        RobKongPatterns.CHOW_ONLY, "What a robbed tile may complete."
    )
    sacred_discard: SacredDiscard = option(
        SacredDiscard.OWN_ANY, "What a player's own discards forbid."
    )
    sacred_discard_on_robbed_kong: bool = option(
        True, "The sacred discard also forbids robbing a kong."
    )
    ron_completed_pung_concealed: bool = option(
        False, "A pung that a discard completed counts as concealed."
    )
    identical_chow_count: IdenticalChowCount = option(
        IdenticalChowCount.PER_DISJOINT_PAIR, "How often identical chows score."
    )
    nine_gates_any_shape: bool = option(
        False, "Nine gates is the shape of the fourteen tiles, whatever the wait was."
    )
    seat_dragon_extra_point: int = option(
        0, "Hand points for a pung of the own seat dragon.", min=0, max=1
    )
    last_flower: LastFlower = option(
        LastFlower.GOULASH, "What follows when the last drawable tile is a flower."
    )
    ready_moment: ReadyMoment = option(ReadyMoment.OWN_DISCARD, "When a player may declare ready.")
    waiting_visibility: WaitingVisibility = option(
        WaitingVisibility.PUBLIC_PLUS_OWN, "Which tiles can no longer reach a waiting player."
    )
    waiting_proof: WaitingProof = option(
        WaitingProof.REVEAL_REQUIRED, "How a payer proves to have been waiting."
    )
    north_points_class: NorthPointsClass = option(
        NorthPointsClass.HAND, "Whether the points for norths are hand or bonus points."
    )
    discard_row_length: int = option(6, "Discards in a row of the pond.", min=6, max=10)
    turn_direction: TurnDirection = option(
        TurnDirection.ANTICLOCKWISE, "The direction of play, seen from above."
    )
    wall_shape: WallShape = option(WallShape.SQUARE, "Four walls, or three.")
    dice_count: int = option(
        2, "Dice that break the wall. The players see to it, not the table.", min=2, max=3
    )
    wall_break: WallBreak = option(
        WallBreak.DICE,
        "By dice, or the dealer cuts anywhere. The players see to it, not the table.",
    )
    deal_mode: DealMode = option(
        DealMode.SELF_TAKE, "Who hands out the tiles. The players see to it, not the table."
    )
    wind_names: WindNames = option(
        WindNames.ESW,
        "How the players call seats and winds. The table always says east, south, west.",
    )
    match_count: int = option(1, "Matches of nine deals played as one game.", min=1, max=3)
    dora_rule: DoraRule = option(DoraRule.NONE, "Whether and how a tile scores extra.")
    dora_wind_order: DoraWindOrder = option(
        DoraWindOrder.TILES_IN_PLAY, "The order of the winds for the dora."
    )
    red_fives: bool = option(False, "One five of circles and one of characters are red.")
    north_wind: bool = option(False, "Four norths are in play, as a pair or a kong only.")
    no_bamboo: bool = option(False, "No bamboos at all.")
    bamboo_five_pair: bool = option(False, "Two fives of bamboo are in play, as the pair only.")
    ghost_hand: bool = option(False, "The last thirteen tiles of the wall are not drawn.")
    three_ready: ThreeReady = option(
        ThreeReady.PLAY_ON, "What happens when all three have declared ready."
    )
    waiting_adjustment: WaitingAdjustment = option(
        WaitingAdjustment.ONCE, "Whether plus two and minus two are one rule or two."
    )
    waiting_needs_minimum: bool = option(
        True, "A player whose completed hand would miss the minimum is not waiting."
    )
    limit_discard_payment: LimitDiscardPayment = option(
        LimitDiscardPayment.BOTH_DISCARDER_DOUBLE, "Who pays a limit hand won on a discard."
    )
    all_bamboo_and_honours_class: AllBambooAndHonours = option(
        AllBambooAndHonours.HIGHEST, "Whether bamboos with honours may pay the full limit."
    )
    terminals_honours_limit_seven_pairs: bool = option(
        True, "Seven pairs of terminals and honours are a limit hand."
    )
    matching_scope: MatchingScope = option(
        MatchingScope.WHOLE_HAND, "Where tiles like the winning tile are counted."
    )
    last_tile_scope: LastTileScope = option(
        LastTileScope.WALL_TILE, "Whether the last discard scores like the last tile of the wall."
    )
    limit_priority_value: LimitPriority = option(
        LimitPriority.LIMIT_VALUE, "How a limit hand ranks when two players claim a tile."
    )
    jade_other_sets: JadeOtherSets = option(
        JadeOtherSets.FREE, "What the other sets of the jade dragons may be."
    )
    north_kong_mode: NorthKongMode = option(
        NorthKongMode.TOTAL, "Whether a kong of north also scores as wind and kong."
    )
    revealed_dora_mode: RevealedDoraMode = option(
        RevealedDoraMode.ADDITIONAL, "Whether eye, pung and kong of the dora add to its tiles."
    )
    flower_indicator_value: FlowerIndicatorValue = option(
        FlowerIndicatorValue.TWO_EACH, "What flowers score when a flower was turned up."
    )
    three_ready_draw_counts: bool = option(
        True, "A draw because all are ready counts as a drawn deal."
    )
    goulash_carry_over_match: GoulashCarryOver = option(
        GoulashCarryOver.WITHIN_MULTI_MATCH, "Whether drawn deals count on in the next match."
    )
    initial_flower_order: InitialFlowerOrder = option(
        InitialFlowerOrder.DEALER_FIRST,
        "Who replaces the dealt flowers first. The players see to it; the table takes any order.",
    )
    wall_stacks: WallStacks = option(WallStacks.MAIN_TEXT, "Whose stacks per side are built.")
    penalty_false_win: int | None = option(
        None, "Points to each opponent for a false win; none: half the limit."
    )
    penalty_false_win_effect: Effect = option(Effect.DEAL_ANNULLED, "What follows a false win.")
    penalty_withdrawn_win: int = option(0, "Points to each opponent.", min=0, max=100_000)
    penalty_withdrawn_win_effect: Effect = option(
        Effect.DEAD_HAND, "What follows a win taken back before a tile is shown."
    )
    penalty_long_hand: int = option(10, "Points to each opponent.", min=0, max=100_000)
    penalty_long_hand_effect: Effect = option(
        Effect.DEAD_HAND, "What follows holding too many tiles."
    )
    penalty_short_hand: int = option(0, "Points to each opponent.", min=0, max=100_000)
    penalty_short_hand_effect: Effect = option(
        Effect.DEAD_HAND, "What follows holding too few tiles."
    )
    penalty_wrong_claim: int = option(2, "Points to each opponent.", min=0, max=100_000)
    penalty_wrong_claim_effect: Effect = option(
        Effect.TILE_RETURNED, "What follows a claim without the tiles for it."
    )
    penalty_late_claim: int = option(0, "Points to each opponent.", min=0, max=100_000)
    penalty_late_claim_effect: Effect = option(
        Effect.CLAIM_VOID, "What follows a claim after the next draw."
    )
    penalty_flower_kept: int = option(0, "Points to each opponent.", min=0, max=100_000)
    penalty_flower_kept_effect: Effect = option(
        Effect.RESTORED, "What follows a flower kept past the own discard."
    )
    penalty_meld_changed: int = option(2, "Points to each opponent.", min=0, max=100_000)
    penalty_meld_changed_effect: Effect = option(
        Effect.RESTORED, "What follows changing a declared set."
    )
    penalty_false_ready: int = option(10, "Points to each opponent.", min=0, max=100_000)
    penalty_false_ready_effect: Effect = option(
        Effect.DEAD_HAND, "What follows a false ready declaration."
    )
    penalty_ready_hand_changed: int = option(10, "Points to each opponent.", min=0, max=100_000)
    penalty_ready_hand_changed_effect: Effect = option(
        Effect.DEAD_HAND, "What follows changing a ready hand."
    )
    penalty_tile_knocked: int = option(2, "Points to the owner of the tile.", min=0, max=100_000)
    penalty_tile_knocked_effect: Effect = option(
        Effect.NONE, "What follows turning over another player's tile."
    )
    penalty_misnamed_discard: int = option(
        5, "Points to a player whom the named tile would have served.", min=0, max=100_000
    )
    penalty_misnamed_discard_effect: Effect = option(
        Effect.NONE, "What follows calling a discard by a wrong name."
    )
    penalty_draw_out_of_turn: int = option(0, "Points to each opponent.", min=0, max=100_000)
    penalty_draw_out_of_turn_effect: Effect = option(
        Effect.DEAD_HAND, "What follows a draw out of turn, once the tile was seen."
    )

    def __post_init__(self) -> None:
        check_options(self)
        for name in ("goulash_cap", "penalty_false_win"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise OptionError(f"option {name} is a whole number or none, not {value!r}")
            if value is not None and not 0 <= value <= 100_000:
                raise OptionError(f"option {name} is {value}: it goes from 0 to 100000")
        if self.no_bamboo and self.bamboo_five_pair:
            raise OptionError("no_bamboo and bamboo_five_pair exclude each other: choose one")
        if self.dice_count == 3 and self.wall_shape is not WallShape.TRIANGLE:
            raise OptionError("dice_count 3 is for three walls: set wall_shape to triangle")

    @property
    def half_limit_value(self) -> int:
        """What a half limit hand pays."""
        return self.limit_value // 2

    @property
    def reserved_tiles(self) -> int:
        """Tiles at the end of the wall that are never drawn."""
        if self.ghost_hand or self.dora_rule is DoraRule.DEAD_WALL:
            return 13
        return 1 if self.dora_rule is DoraRule.REVEALED else 0


PRESETS: Mapping[str, Options] = MappingProxyType(
    {
        "default": Options(),
        "learning": Options(min_hand_points=0),
        "beginner": Options(min_hand_points=3),
        "experienced": Options(min_hand_points=4),
        "advanced": Options(min_hand_points=5),
        "experienced_main_text": Options(min_hand_points=6),
        "advanced_main_text": Options(min_hand_points=7),
        "summary": Options(
            goulash_bonus=1,
            wall_stacks=WallStacks.SUMMARY,
            limit_concealment=LimitConcealment.ALL_CONCEALED_EXCEPT_FOUR_KONGS,
        ),
    }
)


@lru_cache(maxsize=64)
def tile_set(options: Options) -> TileSet:
    """The 108 tiles of the base set, or what the options make of it (section 3)."""
    parts = [("123456789m", 4), ("123456789p", 4), ("123z 567z", 4), ("1234f", 1)]
    if not options.no_bamboo:
        parts.append(("19s", 4))
    if options.bamboo_five_pair:
        parts.append(("5s", 2))
    if options.north_wind:
        parts.append(("4z", 4))
    whole = TileSet.of(*parts)
    return whole.with_red_fives(m=1, p=1) if options.red_fives else whole
