"""Every option of three games changes something that people see, or says that it does not.

A probe answers one question under given options; the option is shown to matter by two answers that
differ. What the players see to themselves is not probed but must say so in its sentence.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial

import pytest

from table_controller.rules import find_ruleset
from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.events import (
    BonusSetAside,
    DealBegan,
    Discarded,
    Drawn,
    HandDealt,
    IndicatorShown,
    KongDeclared,
    MeldCalled,
    Penalised,
    WinClaimed,
)
from table_controller.rules.core.game import (
    DealOutcome,
    claim_actions,
    open_deal,
    own_turn_actions,
    play_deal,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import apply, fold
from table_controller.rules.core.tiles import Tile, parse_tiles

A, B, C, D = Seat
NAMES = ("mcr", "hong_kong_old", "filipino")
ALONE = ("The players see to it", "The table keeps no match clock")
IDLE = "147m 258p 369s 1234z"


def won(hand, winning, *melds, source=A, winner=B, bonus="", flags=(), others="", **extra):
    """A claimed win; melds as ``pung 555z`` or ``chow 123m 0`` with the seat it came from."""
    laid = []
    for meld in melds:
        kind, tiles, *seat = meld.split()
        laid.append(Meld.of(kind, tiles.replace("_", " "), *(Seat(int(s)) for s in seat)))
    return Case(
        winner=winner,
        source=source,
        hand=parse_tiles(hand),
        winning_tile=Tile.parse(winning),
        melds=tuple(laid),
        bonus=parse_tiles(bonus),
        flags=frozenset(Flag(flag) for flag in flags),
        others={C: ShownHand(bonus=parse_tiles(others))} if others else {},
        extra=extra,
    )


def settled(name, case, options):
    """What the hand counts and pays, or what its refusal costs."""
    answer = find_ruleset(name).settle_win(case, options)
    if not answer.valid:
        return [(one.code, totals(one.penalty, answer.players)) for one in answer.violations]
    return [(item.id, item.value) for item in answer.items], answer.deltas


def state_of(name, hand, *more, holder=A, players=4):
    """A deal in which one seat's tiles are known and the others idle."""
    size = find_ruleset(name).play.hand_size
    events = [
        DealBegan(
            number=0,
            dealer=A,
            round_wind=Wind.EAST,
            points=(0,) * players,
            wall_left=60,
            hand_size=size,
        )
    ]
    for seat in tuple(Seat)[:players]:
        tiles = parse_tiles(hand) if seat is holder else (None,) * size
        events.append(HandDealt(seat=seat, tiles=tiles))
    return fold([*events, *more], players)


def kinds(actions):
    """What may be done, in a word each."""
    return sorted({f"{one[0].kind} {getattr(one[0], 'tile', '')}" for one in actions})


def may_do(name, state, options):
    return kinds(own_turn_actions(state, find_ruleset(name).play, options))


def may_claim(name, state, seat, options):
    return kinds(claim_actions(state, seat, find_ruleset(name).play, options))


def discarded(tile, *, after=()):
    return (*after, Drawn(seat=A, tile=Tile.parse(tile)), Discarded(seat=A, tile=Tile.parse(tile)))


def fines(name, options):
    """What the staff's list of penalties offers."""
    return find_ruleset(name).conduct.fines(state_of(name, IDLE, Drawn(seat=A)), B, options)


def deals(name, outcomes, options):
    """Who deals, in which round and with how many counters, while deals end like this in turn."""
    play = find_ruleset(name).play
    start = play.first_deal(options)
    seen = []
    for number in range(40):
        if start is None:
            break
        seen.append((start.dealer, start.round_wind, start.counters, start.markers))
        ended = outcomes[number % len(outcomes)]
        start = play.next_deal(start, replace(ended, points=start.points), options)
    return seen


DRAWN = DealOutcome(draw_reason="exhaustive")
KONGS = DealOutcome(draw_reason="exhaustive", kongs=1)
WON = DealOutcome(winners=(A,), totals={"bunot": 1})


# --- The competition game ------------------------------------------------------------------------

ORPHANS = won("19m 19p 19s 123456z 6z", "7z", source=None)
TWO_KONGS = won("234m 99p 6s 8s", "7s", "kong 5555z 2", "concealed_kong 1111s")
TWO_CONCEALED = won("234m 99p 6s 8s", "7s", "concealed_kong 5555z", "concealed_kong 1111s")
GREEN = won("2222s 33s 44s 66s 8s 66z", "8s")
TERMINALS = won("111m 99s 99p", "9s", "pung 111p 2", "pung 999m 3")
GATES = won("1112345678999m", "2m")
HONOUR_HOG = won("1111z 22p 33s 44s 55m 6z", "6z")
OWN_FOUR = won("3335555p 456s", "4p", "concealed_kong 8888s", source=None)
KNITTED = won("147m 258p 369s 24m 22z", "3m")
COMBINED = won("1233m 234456p 789s", "3m")
TYPES = won("11m 22m 22p 33s 44s 11z 5z", "5z")
DEALT = won("123456789m 123p 5s", "5s", source=None, winner=A, flags=["first_turn"])
READY_FOR_OTHER = won("123m 456p 789p 1199s", "5m")
NOT_READY = won("1237m 459p 11556s 4z", "5m")


def seats_of_rounds(options):
    play = find_ruleset("mcr").play
    start, seen = play.first_deal(options), []
    while start is not None:
        seen.append(start.seating)
        start = play.next_deal(start, replace(DRAWN, points=(0,) * 4), options)
    return seen


def first_replacement(options):
    ruleset = find_ruleset("mcr")
    return ruleset.play.wall(options).wall(ruleset.tile_set(options).tiles()).replace()


def late(options):
    state = state_of("mcr", IDLE, *discarded("3p"), Drawn(seat=B))
    state = apply(state, Discarded(seat=B, tile=Tile.parse("5z")))
    state = apply(state, Penalised(seat=C, code="late_claim"))
    event = MeldCalled(seat=C, meld=Meld.of("pung", "333p", A))
    (breach,) = find_ruleset("mcr").conduct.breaches(state, event, options)
    return totals(breach.penalty)


def kong_after_claim(options):
    state = state_of("mcr", "2222s 55s 123m 1234z", *discarded("5s"), holder=B)
    state = apply(state, MeldCalled(seat=B, meld=Meld.of("pung", "555s", A)))
    return may_do("mcr", state, options)


def dead_hand_calls(options):
    state = state_of("mcr", "46s 55s 123m 123z 567z", *discarded("5s"), holder=B)
    return may_claim("mcr", state.with_seat(B, dead_hand=True), B, options)


def dealt_flower(options):
    state = state_of("mcr", "123456789m 112p 5s", Drawn(seat=A, tile=Tile.parse("1f")))
    return may_do("mcr", state, options)


mcr = partial(settled, "mcr")
MCR = {
    "minimum": ({"minimum": 88}, partial(mcr, HONOUR_HOG)),
    "special_self_draw": ({"special_self_draw": "self_drawn"}, partial(mcr, ORPHANS)),
    "mixed_kongs": ({"mixed_kongs": 5}, partial(mcr, TWO_KONGS)),
    "two_concealed_kongs": ({"two_concealed_kongs": 6}, partial(mcr, TWO_CONCEALED)),
    "all_green_half_flush": ({"all_green_half_flush": "exclude"}, partial(mcr, GREEN)),
    "all_terminals_double_pung": (
        {"all_terminals_double_pung": "exclude"},
        partial(mcr, TERMINALS),
    ),
    "nine_gates_pung": ({"nine_gates_pung": "beyond_one"}, partial(mcr, GATES)),
    "tile_hog_honors": ({"tile_hog_honors": "all"}, partial(mcr, HONOUR_HOG)),
    "forced_tile_hog": ({"forced_tile_hog": "count"}, partial(mcr, GREEN)),
    "wait_own_four": ({"wait_own_four": "is_a_wait"}, partial(mcr, OWN_FOUR)),
    "knitted_wait": ({"knitted_wait": "all"}, partial(mcr, KNITTED)),
    "wait_combined_shapes": ({"wait_combined_shapes": "exclude"}, partial(mcr, COMBINED)),
    "all_types_special": ({"all_types_special": "standard_only"}, partial(mcr, TYPES)),
    "dealer_initial_wait": ({"dealer_initial_wait": "last_tile"}, partial(mcr, DEALT)),
    "limit": ({"limit": 20}, partial(mcr, ORPHANS)),
    "seat_change": ({"seat_change": "alternate"}, seats_of_rounds),
    "flower_as_last_tile": (  # played out in the tests of the competition game
        {"flower_as_last_tile": "discard_required"},
        find_ruleset("mcr").play.unreplaced_bonus_draws,
    ),
    "flower_discard": ({"flower_discard": "allowed"}, dealt_flower),
    "kong_after_claim": ({"kong_after_claim": "allowed"}, kong_after_claim),
    "dead_hand_claims": ({"dead_hand_claims": "allowed"}, dead_hand_calls),
    "initial_points": ({"initial_points": 500}, find_ruleset("mcr").play.first_deal),
    "replacement_order": ({"replacement_order": "bottom_first"}, first_replacement),
    "rounds": ({"rounds": 2}, seats_of_rounds),
    "false_win_near": ({"false_win_near": 40}, partial(mcr, READY_FOR_OTHER)),
    "false_win_far": ({"false_win_far": 80}, partial(mcr, NOT_READY)),
    "false_win_paid": ({"false_win_paid": False}, partial(mcr, NOT_READY)),
    "scale": ({"scale": (0, 10, 20, 40)}, late),
    "count_without_winning_tile": ({"count_without_winning_tile": 10}, partial(fines, "mcr")),
}


# --- Hong Kong -----------------------------------------------------------------------------------

FLUSH = won("123s 456s 666z 99s 78s", "9s", bonus="1f")
BONUS = won("234m 456p 678s 55s 34p", "5p", source=None, bonus="2f")
NINES = won("234m 456p 678s 99s 34p", "5p", bonus="1f")
WINDS = won("234m 456p 678s 33z 34p", "5p", bonus="1f")
SET = won("123s 456s 666z 99s 78s", "9s", bonus="1234f")
DRAGONS = won("555z 666z 777z 23m 99s", "4m", bonus="1f")
CALLED = won("666z 777z 23m 99s", "4m", "pung 555z 2", bonus="1f")
ANY_GATES = won("1112334567899s", "9s", bonus="1f")
NOTHING = won("123s 456s 666z 99s 78s", "1m", bonus="1f")
ROBBED = won("19m 19p 9s 1234567z 7z", "1s", bonus="1f", flags=["robbing_kong"],
             concealed_kong_robbed=True)  # fmt: skip
EIGHT = won(IDLE, "4g", source=None, bonus="1234f 1234g")


def both_claim(options):
    """South's half flush of 3 fan and West's seven pairs of 4 on one tile of East's."""
    state = state_of("hong_kong_old", "123p 456p 78p 22z 333z", *discarded("9p"), holder=B)
    state = replace(state, discards=5, interrupted=True)  # no earthly hand
    state = state.with_seat(C, hand=parse_tiles("1133m 5577m 3344s 9p"))
    claims = tuple(WinClaimed(seat=seat, tile=Tile.parse("9p"), source=A) for seat in (B, C))
    return find_ruleset("hong_kong_old").play.winners(state, claims, options)


def wrong_count_then_flowers(options):
    """After a wrong number of tiles all eight flowers are set aside."""
    ruleset = find_ruleset("hong_kong_old")
    state = state_of("hong_kong_old", IDLE, Drawn(seat=A)).with_seat(
        A, bonus=parse_tiles("1234f 1234g"), shown=parse_tiles(IDLE), dead_hand=True
    )
    history = [Penalised(seat=A, code="wrong_tile_count", dead_hand=True)]
    claim = WinClaimed(seat=A, tile=Tile.parse("1m"))
    return ruleset.play.judge(state, history, claim, options).valid


hk = partial(settled, "hong_kong_old")
HONG_KONG = {
    "bonus_tiles": ({"bonus_tiles": False}, find_ruleset("hong_kong_old").play.wall),
    "dead_wall": ({"dead_wall": 14}, find_ruleset("hong_kong_old").play.wall),
    "dealer_streak_limit": ({"dealer_streak_limit": 3}, partial(deals, "hong_kong_old", [WON])),
    "multi_win": ({"multi_win": "best_hand"}, both_claim),
    "rob_concealed_kong": ({"rob_concealed_kong": "never"}, partial(hk, ROBBED)),
    "false_win": ({"false_win": "pay_each"}, partial(hk, NOTHING)),
    "false_win_points": (
        {"false_win_points": 64},
        lambda options: hk(NOTHING, options=replace(options, false_win="pay_each")),
    ),
    "wrong_count": ({"wrong_count": "none"}, wrong_count_then_flowers),
    "min_fan": ({"min_fan": 5}, partial(hk, FLUSH)),
    "min_fan_excludes": ({"min_fan_excludes": "none"}, partial(hk, BONUS)),
    "all_simples_range": (
        {"all_simples_range": "1_9"},
        lambda options: hk(NINES, options=replace(options, min_fan=0)),
    ),
    "all_chows_pair": (
        {"all_chows_pair": "any"},
        lambda options: hk(WINDS, options=replace(options, min_fan=0)),
    ),
    "all_four_bonus": ({"all_four_bonus": 4}, partial(hk, SET)),
    "payment_scale": ({"payment_scale": "text_scale"}, partial(hk, FLUSH)),
    "east_doubles": ({"east_doubles": False}, partial(hk, FLUSH)),
    "limit_points": ({"limit_points": 300}, partial(hk, DRAGONS)),
    "limit_hands": ({"limit_hands": ["great_winds"]}, partial(hk, DRAGONS)),
    "limit_requires_concealed": (
        {"limit_requires_concealed": ["great_dragons"]},
        partial(hk, CALLED),
    ),
    "semi_concealed_half": (
        {"semi_concealed_half": True},
        lambda options: hk(
            DRAGONS, options=replace(options, limit_requires_concealed=("great_dragons",))
        ),
    ),
    "gates_wait": ({"gates_wait": "nine_sided"}, partial(hk, ANY_GATES)),
    "great_flowers": (
        {"great_flowers": False},
        lambda options: find_ruleset("hong_kong_old").play.automatic_win(
            state_of("hong_kong_old", IDLE).with_seat(A, bonus=EIGHT.bonus), options
        ),
    ),
    "draw_dealer": ({"draw_dealer": "kong_passes"}, partial(deals, "hong_kong_old", [KONGS])),
    "goulash_exchange": (
        {"goulash_exchange": True},
        lambda options: find_ruleset("hong_kong_old").play.settle_draw(
            state_of("hong_kong_old", IDLE), [], "exhaustive", options
        ),
    ),
    "rounds": (
        {"rounds": 1},
        lambda options: deals("hong_kong_old", [DRAWN], replace(options, draw_dealer="passes")),
    ),
}


# --- Filipino ------------------------------------------------------------------------------------

PLAIN = "123456m 222789p 3477s"
SIMPLE = won(PLAIN, "5s", bonus="1z")
FLOWERLESS_PAIRS = won("1133m 445566p 228899s", "5p")
PAIRS_AND_CHOW = won("1133m 4456667p 22889s", "9s", bonus="1z")
FOURS = won("2222m 4455566p 33889s", "9s", bonus="1z")
OPEN_PUNG = won("1133m 445566p 228s", "8s", "pung 777s 2", bonus="1z")
FIRST_DRAW = won(PLAIN, "5s", source=None, winner=A, bonus="1z", flags=["first_turn"])
REPLACED = won(PLAIN, "5s", source=None, winner=A, bonus="1z", flags=["first_turn", "replacement"])
PUNGS = won("111222333m 444p 777s 9s", "9s", bonus="1z")
DICE = won(PLAIN, "5s", bonus="1z", deal_dice=[[1, 2], [3, 3]])
THIRTEEN = won(PLAIN, "5s", bonus="1z", others="111z 2222z 3333z 44z")
ROB = won("57m 88p 123m 444s 999p 222m", "6m", bonus="1z", flags=["robbing_kong"])
NO_WIN = won("123456m 222789p 3477s", "9s", bonus="1z")
FAR_CHOW = won("456m 789m 45s 99s 111p", "6s", "chow 123m 3", bonus="1z")
DISCARDED_JOKER = won("123456m 46p 789p 34s 5p 77s", "5p", bonus="1z", joker_face="5p")
FOUR_JOKERS = won("5555p 123456m 345s 77s 8s", "8s", bonus="1z", joker_face="5p")
FAR = "12m 4567p 1234s 789s 999p"


def thirteenth(options):
    """What the thirteenth bonus tile brings when it is set aside."""
    state = state_of("filipino", PLAIN).with_seat(A, bonus=parse_tiles("1111z 2222z 3333z 1f"))
    event = BonusSetAside(seat=A, tile=Tile.parse("1f"))
    return totals(find_ruleset("filipino").play.instant_payments(state, event, options))


def kong_paid(options):
    state = state_of("filipino", PLAIN)
    event = KongDeclared(seat=A, meld=Meld(MeldKind.CONCEALED_KONG, parse_tiles("1111m")))
    return totals(find_ruleset("filipino").play.instant_payments(state, event, options))


def drawn_without_flowers(options):
    history = [
        BonusSetAside(seat=B, tile=Tile.parse("1f")),
        BonusSetAside(seat=C, tile=Tile.parse("2f")),
        BonusSetAside(seat=D, tile=Tile.parse("3f")),
        Drawn(seat=A),
    ]
    state = state_of("filipino", PLAIN)
    play = find_ruleset("filipino").play
    return totals(play.settle_draw(state, history, "exhaustive", options).payments)


def far_chow(options):
    return may_claim("filipino", state_of("filipino", FAR, *discarded("3m"), holder=C), C, options)


def rob_added(options):
    state = state_of("filipino", PLAIN, Drawn(seat=A, tile=Tile.parse("5s")), holder=B)
    state = state.with_seat(
        A, melds=(Meld.of("pung", "555s", D),), hand=(Tile.parse("5s"), *(None,) * 13)
    )
    grown = Meld(MeldKind.ADDED_KONG, parse_tiles("5555s"), D, Tile.parse("5s"))
    state = apply(state, KongDeclared(seat=A, meld=grown, added=Tile.parse("5s")))
    return may_claim("filipino", state, B, options)


def claim_of_joker(options):
    shown = IndicatorShown(tile=Tile.parse("7s"))
    hand = "77s 1234m 11m 2358s 44p 3p 5p"
    state = state_of("filipino", hand, *discarded("7s", after=(shown,)), holder=B)
    return may_claim("filipino", state, B, options)


def prize(options):
    play = find_ruleset("filipino").play
    state = state_of("filipino", PLAIN, Drawn(seat=A, tile=Tile.parse("5s")))
    state = replace(state, markers=(4, 3, 0, 0)).with_seat(A, shown=parse_tiles(PLAIN))
    claim = WinClaimed(seat=A, tile=Tile.parse("5s"))
    answer = play.judge(state, [], claim, options)
    last = replace(play.first_deal(options), markers=(4, 3, 0, 0))
    ended = DealOutcome(winners=(A,), points=(0,) * 4, totals=answer.totals)
    return answer.deltas, play.next_deal(last, ended, options).markers


def turned(options):
    """Which tile of a known wall is turned as the joker."""
    ruleset = find_ruleset("filipino")
    deal = open_deal(
        ruleset.play.first_deal(options), ruleset.tile_set(options).tiles()[::-1], ruleset.play,
        options,
    )  # fmt: skip
    for _ in play_deal(deal, lambda state, seat, actions: actions[-1]):
        if deal.state.indicators:
            return deal.state.indicators
    return ()


def with_jokers(probe, **more):
    return lambda options: probe(replace(options, jokers="turned_tile", **more))


fil = partial(settled, "filipino")
FILIPINO = {
    "base": ({"base": 40}, partial(fil, SIMPLE)),
    "players": ({"players": 3}, find_ruleset("filipino").play.first_deal),
    "rounds": ({"rounds": 1}, partial(deals, "filipino", [DRAWN])),
    "wall_reserve": ({"wall_reserve": 4}, find_ruleset("filipino").play.wall),
    "others_pay_on_discard": ({"others_pay_on_discard": "none"}, partial(fil, SIMPLE)),
    "combine_additions": ({"combine_additions": "product"}, partial(fil, FLOWERLESS_PAIRS)),
    "no_flowers_at": ({"no_flowers_at": "deal_and_win"}, drawn_without_flowers),
    "thirteen_flowers_amount": (
        {"thirteen_flowers_amount": "quarter_payment"},
        partial(fil, THIRTEEN),
    ),
    "thirteen_flowers_time": ({"thirteen_flowers_time": "end_of_hand"}, thirteenth),
    "dealer_first_draw": ({"dealer_first_draw": False}, partial(fil, FIRST_DRAW)),
    "dealer_first_draw_after_replacement": (
        {"dealer_first_draw_after_replacement": False},
        partial(fil, REPLACED),
    ),
    "special_double": ({"special_double": ["all_pungs"]}, partial(fil, PUNGS)),
    "extra_additions": ({"extra_additions": ["concealed"]}, partial(fil, SIMPLE)),
    "dice_double": ({"dice_double": True}, partial(fil, DICE)),
    "dice_double_throw": (
        {"dice_double_throw": "first"},
        lambda options: fil(DICE, options=replace(options, dice_double=True)),
    ),
    "seven_pairs_set": ({"seven_pairs_set": "any_set"}, partial(fil, PAIRS_AND_CHOW)),
    "seven_pairs_bonus": ({"seven_pairs_bonus": 100}, partial(fil, FLOWERLESS_PAIRS)),
    "seven_pairs_four_as_two": ({"seven_pairs_four_as_two": False}, partial(fil, FOURS)),
    "seven_pairs_open_pung": ({"seven_pairs_open_pung": True}, partial(fil, OPEN_PUNG)),
    "chow_from_any": ({"chow_from_any": True}, far_chow),
    "rob_kong": ({"rob_kong": False}, rob_added),
    "kong_payments": ({"kong_payments": True}, kong_paid),
    "jokers": ({"jokers": "printed"}, find_ruleset("filipino").tile_set),
    "printed_jokers": (
        {"printed_jokers": 8},
        lambda options: len(find_ruleset("filipino").tile_set(replace(options, jokers="printed"))),
    ),
    "discarded_joker": (
        {"discarded_joker": "natural"},
        with_jokers(claim_of_joker),
    ),
    "joker_indicator_drawable": (
        {"joker_indicator_drawable": False},
        with_jokers(find_ruleset("filipino").play.wall),
    ),
    "joker_count_from": ({"joker_count_from": "front"}, with_jokers(turned)),
    "goulash": (
        {"goulash": True},
        lambda options: find_ruleset("filipino").play.pass_rules(options, False),
    ),
    "goulash_jokers": (
        {"goulash_jokers": True},
        lambda options: find_ruleset("filipino").play.pass_rules(
            replace(options, goulash=True), False
        ),
    ),
    "jai_alai": ({"jai_alai": True}, prize),
    "jai_alai_double": (
        {"jai_alai_double": "any_double_payment"},
        lambda options: deals("filipino", [WON], replace(options, jai_alai=True)),
    ),
    "jai_alai_prize": (
        {"jai_alai_prize": 12},
        lambda options: prize(replace(options, jai_alai=True)),
    ),
    "jai_alai_payers": (
        {"jai_alai_payers": "shared"},
        lambda options: prize(replace(options, jai_alai=True)),
    ),
    "jai_alai_others": (
        {"jai_alai_others": "keep"},
        lambda options: prize(replace(options, jai_alai=True)),
    ),
    "dealer_keeps": ({"dealer_keeps": "on_win"}, partial(deals, "filipino", [WON])),
    "false_win": ({"false_win": "pay_all"}, partial(fil, NO_WIN)),
    "false_set": ({"false_set": "pay_all"}, partial(fil, FAR_CHOW)),
}

PROBES = {"mcr": MCR, "hong_kong_old": HONG_KONG, "filipino": FILIPINO}


@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name in NAMES for option in PROBES[name]]
)
def test_an_option_changes_what_people_see(name, option):
    changes, probe = PROBES[name][option]
    assert set(changes) == {option}
    ruleset = find_ruleset(name)
    usual = probe(ruleset.options)
    assert probe(ruleset.options) == usual != probe(ruleset.choose(**changes))


@pytest.mark.parametrize("name", NAMES)
def test_what_the_table_does_not_see_to_is_said(name):
    options = find_ruleset(name).options
    left = {
        each.name: each.metadata["doc"] for each in fields(options) if each.name not in PROBES[name]
    }
    assert all(any(words in doc for words in ALONE) for doc in left.values()), left
    assert len(left) <= 4


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_is_described(name):
    ruleset = find_ruleset(name)
    assert set(ruleset.preset_sources) == set(ruleset.presets)
    assert all(len(sentence) > 30 for sentence in ruleset.preset_sources.values())
    distinct = {repr(preset) for preset in ruleset.presets.values()}
    assert len(distinct) == len(ruleset.presets)
