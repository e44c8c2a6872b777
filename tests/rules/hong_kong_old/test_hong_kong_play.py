"""Claims, the match, options, and deals between bots."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.errors import CaseError, OptionError
from table_controller.rules.core.events import (
    BonusSetAside,
    DealBegan,
    Discarded,
    Drawn,
    GameEvent,
    HandDealt,
    HandShown,
    KongDeclared,
    MeldCalled,
    Penalised,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import (
    DealOutcome,
    claim_actions,
    conclude,
    open_deal,
    outcome,
    play_deal,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import DealState, apply, begin
from table_controller.rules.core.tiles import STANDARD_144, Tile, parse_tiles
from table_controller.rules.hong_kong_old import RULESET
from table_controller.rules.hong_kong_old.options import DEFAULT, PRESETS
from table_controller.rules.hong_kong_old.play import (
    PLAY,
    break_wall,
    first_deal,
    great_flowers,
    next_deal,
)
from table_controller.rules.hong_kong_old.scoring import base_payment, settle_win
from tests.rules.bot_play import collector, play_matches
from tests.rules.hong_kong_old.examples import seat

IDLE = "147m 258p 369s 1234z"


def dealt(*hands: str) -> DealState:
    """A deal in which E, S, W and N hold these thirteen tiles."""
    state = begin(
        DealBegan(number=0, dealer=Seat.A, round_wind=Wind.EAST, points=(0, 0, 0, 0), wall_left=91),
        4,
    )
    for place, hand in enumerate(hands):
        state = apply(state, HandDealt(seat=Seat(place), tiles=parse_tiles(hand)))
    return state


def test_h32_several_claim_the_same_tile():
    """North discards 9p: East has a half flush of 3, West seven pairs of 4."""
    state = dealt("123p 456p 78p 11z 222z", IDLE, "1133m 5577m 3344s 9p", "9p 369m 258s 147p 123z")
    north = replace(state, turn=seat("N"))
    north = apply(north, Drawn(seat=seat("N"), tile=Tile.parse("4z")))
    north = apply(north, Discarded(seat=seat("N"), tile=Tile.parse("9p")))
    claims = tuple(
        event
        for one in ("E", "W")
        for (event,) in claim_actions(north, seat(one), PLAY, DEFAULT)
        if isinstance(event, WinClaimed)
    )
    assert [claim.seat for claim in claims] == [seat("E"), seat("W")]
    assert [claim.seat for claim in PLAY.winners(north, claims, DEFAULT)] == [seat("E")]
    best = RULESET.choose(multi_win="best_hand")
    assert [claim.seat for claim in PLAY.winners(north, claims, best)] == [seat("W")]
    # At a table nobody has seen the hands when the keys are pressed: both show, one is paid.
    hidden = north
    for claim in claims:
        hidden = apply(hidden, claim)
    history = []
    for claim in claims:
        tiles = north.seats[claim.seat].hand
        hidden = apply(
            hidden, HandShown(seat=claim.seat, tiles=tiles, winning_tile=Tile.parse("9p"))
        )
    verdicts = conclude(hidden, history, PLAY, best)
    judged = {event.seat: event.answer for event in verdicts if isinstance(event, WinJudged)}
    assert not judged[seat("E")].valid
    assert judged[seat("E")].violations[0].code == "outranked"
    assert judged[seat("W")].valid
    assert outcome(hidden, verdicts).winners == (seat("W"),)


def test_h34_orphans_rob_a_concealed_kong_and_others_only_where_any_may():
    state = dealt("1111s 258p 369m 123z", IDLE, "19m 19p 9s 1234567z 7z", "23s 123m 456p 789p 55z")
    state = apply(state, Drawn(seat=seat("E"), tile=Tile.parse("4z")))
    kong = Meld(MeldKind.CONCEALED_KONG, parse_tiles("1111s"))
    state = apply(state, KongDeclared(seat=seat("E"), meld=kong))

    def robs(one: str, **options: object) -> bool:
        chosen = RULESET.choose(**options)
        return bool(claim_actions(state, seat(one), PLAY, chosen))

    assert robs("W")
    assert robs("N", min_fan=0)
    assert robs("W", rob_concealed_kong="orphans_only")
    assert not robs("N", rob_concealed_kong="orphans_only", min_fan=0)
    assert not robs("W", rob_concealed_kong="never")


def after_the_dealers_kong(*more: GameEvent) -> DealState:
    """East declares a concealed kong with its first draw; South waits for 4z, West for 1s."""
    state = dealt(
        "1111s 258p 369m 4z 23z", "234m 567p 789s 11z 44z", "23s 234s 567s 99s 555z", IDLE
    )
    state = apply(state, Drawn(seat=seat("E"), tile=Tile.parse("6z")))
    kong = Meld(MeldKind.CONCEALED_KONG, parse_tiles("1111s"))
    state = apply(state, KongDeclared(seat=seat("E"), meld=kong))
    for event in more:
        state = apply(state, event)
    return state


def items_of(state: DealState, one: str) -> list[str]:
    """What the win that the seat could claim now would count."""
    (claim,) = [
        event
        for (event,) in claim_actions(state, seat(one), PLAY, DEFAULT)
        if isinstance(event, WinClaimed)
    ]
    tiles = tuple(tile for tile in state.seats[claim.seat].hand if tile is not None)
    state = apply(state, claim)
    state = apply(state, HandShown(seat=claim.seat, tiles=tiles, winning_tile=claim.tile))
    answer = PLAY.judge(state, [], claim, DEFAULT)
    assert answer.valid, answer.violations
    return [item.id for item in answer.items]


def test_the_dealers_first_discard_after_a_kong_still_is_the_first():
    """Section 9, earthly hand: "win on the first discard of the dealer", whatever came before."""
    state = after_the_dealers_kong(
        Drawn(seat=seat("E"), tile=Tile.parse("7z"), replacement=True),
        Discarded(seat=seat("E"), tile=Tile.parse("4z")),
    )
    assert items_of(state, "S") == ["earthly_hand"]


def test_robbing_the_dealers_first_kong_is_no_earthly_hand():
    """Section 9: a tile of a kong is no discard. Section 4: it is robbed, and pays its fan."""
    state = after_the_dealers_kong()
    found = items_of(state, "W")
    assert "earthly_hand" not in found
    assert {"half_flush", "dragon_pung", "robbing_kong"} <= set(found)


def test_a_hand_that_may_not_win_plays_on_and_claims():
    """Section 4: after a false win "the player continues with the tiles face up, may not win"."""
    state = dealt("5s 147m 258p 369s 123z", "55s 46s 123m 99p 123z 5z", IDLE, IDLE)
    state = apply(state, Drawn(seat=seat("E"), tile=Tile.parse("6z")))
    state = state.with_seat(seat("S"), dead_hand=True)
    state = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("5s")))
    found = [event for (event,) in claim_actions(state, seat("S"), PLAY, DEFAULT)]
    assert {event.meld.kind for event in found if isinstance(event, MeldCalled)} == {
        MeldKind.PUNG,
        MeldKind.CHOW,
    }
    assert not any(isinstance(event, WinClaimed) for event in found)
    assert RULESET.conduct is not None
    assert [breach.code for breach in RULESET.conduct.breaches(state, found[0], DEFAULT)] == []


def test_the_eighth_bonus_tile_wins_before_it_is_replaced():
    """A wall in which the dealer draws one bonus tile after the other."""
    bonus = [one for one in STANDARD_144.tiles() if one.is_bonus]
    rest = [one for one in STANDARD_144.tiles() if not one.is_bonus]
    # The dealer's first draw is tile 53; replacements come from the back, upper tile first.
    back = [bonus[place] for place in (2, 1, 4, 3, 6, 5, 7)]
    tiles = rest[:52] + bonus[:1] + rest[52:] + list(reversed(back))
    deal = open_deal(first_deal(DEFAULT), tiles, PLAY, DEFAULT)
    chooser = collector(Random(1), 0.0)
    events = list(play_deal(deal, chooser))
    assert sum(isinstance(event, BonusSetAside) for event in events) == 8
    verdicts = conclude(deal.state, deal.history, PLAY, DEFAULT)
    (judged,) = [event for event in verdicts if isinstance(event, WinJudged)]
    assert judged.seat is Seat.A
    assert [item.id for item in judged.answer.items] == ["great_flowers"]
    assert judged.answer.deltas == (1536, -512, -512, -512)
    assert great_flowers(deal.state, RULESET.choose(great_flowers=False)) is None
    dead = deal.state.with_seat(Seat.A, dead_hand=True)
    assert great_flowers(dead, DEFAULT) is None
    for code, wrong_count, may_win in (
        ("not_a_win", "no_win", False),
        ("not_a_win", "none", False),
        ("wrong_tile_count", "no_win", False),
        ("wrong_tile_count", "none", True),
    ):
        history = [*deal.history, Penalised(seat=Seat.A, code=code, dead_hand=True)]
        options = RULESET.choose(wrong_count=wrong_count)
        assert PLAY.judge(dead, history, dead.claims[0], options).valid is may_win


def test_the_break_of_three_dice():
    assert break_wall(seat("E"), 5).side is seat("E")
    assert break_wall(seat("E"), 18).side is seat("S")
    assert break_wall(seat("E"), 7).side is seat("W")
    assert break_wall(seat("E"), 12).side is seat("N")
    assert break_wall(seat("E"), 12).stacks == 12
    assert PLAY.break_wall(seat("E"), (6, 4, 2), RULESET.options) == break_wall(seat("E"), 12)


def test_four_rounds_and_extra_hands():
    start = first_deal(DEFAULT)
    nobody_stays = DealOutcome(winners=(Seat.B, Seat.C, Seat.D), points=(0,) * 4)
    seen = [start]
    won = 0
    while start is not None:
        winner = start.dealer.after(1, 4) if won % 3 else start.dealer
        won += 1
        start = next_deal(start, replace(nobody_stays, winners=(winner,)), DEFAULT)
        if start is not None:
            seen.append(start)
    assert [deal.round_wind for deal in seen if deal.counters == 0] == [
        wind for wind in Wind for _ in range(4)
    ]
    assert any(deal.counters for deal in seen)


def test_a_limit_on_the_dealers_streak():
    options = RULESET.choose(dealer_streak_limit=3)
    start = first_deal(options)
    dealers = []
    for _ in range(6):
        dealers.append(start.dealer)
        start = next_deal(start, DealOutcome(winners=(start.dealer,), points=(0,) * 4), options)
    assert dealers == [Seat.A] * 3 + [Seat.B] * 3


@pytest.mark.parametrize(
    ("fan", "scale", "base"),
    [
        (0, "chicken", 1), (1, "chicken", 2), (2, "chicken", 4), (3, "source", 8),
        (4, "source", 16), (5, "source", 24), (6, "source", 32), (7, "source", 48),
        (8, "source", 64), (9, "source", 96), (10, "source", 128), (17, "source", 128),
        (3, "text_scale", 1), (4, "text_scale", 2), (6, "text_scale", 2), (7, "text_scale", 4),
        (9, "text_scale", 4), (10, "text_scale", 8), (14, "text_scale", 8),
    ],
)  # fmt: skip
def test_base_payments(fan, scale, base):
    assert base_payment(fan, PRESETS[scale]) == base


GOOD = Case(
    winner=Seat.B,
    source=Seat.C,
    hand=parse_tiles("123s 456s 666z 99s 78s"),
    winning_tile=Tile.parse("9s"),
    bonus=parse_tiles("1f"),
)


@pytest.mark.parametrize(
    ("changes", "options", "items"),
    [
        ({}, {}, "dragon_pung half_flush"),
        ({"bonus": parse_tiles("2f 2g")}, {}, "dragon_pung half_flush own_flower own_season"),
        ({"bonus": ()}, {"bonus_tiles": False}, "dragon_pung half_flush"),
        (
            {"hand": parse_tiles("234m 456p 678s 55s 34p"), "winning_tile": Tile.parse("5p")},
            {"min_fan": 0, "all_chows_pair": "2_8"},
            "all_chows all_simples",
        ),
        (
            {"hand": parse_tiles("234m 456p 678s 99s 34p"), "winning_tile": Tile.parse("5p")},
            {"min_fan": 0, "all_chows_pair": "2_8", "all_simples_range": "1_9"},
            "all_simples",
        ),
        # seven pairs must be different
        (
            {"hand": parse_tiles("1111m 5577p 2299s 4z"), "winning_tile": Tile.parse("4z")},
            {},
            None,
        ),
    ],
)
def test_items_under_options(changes, options, items):
    answer = settle_win(replace(GOOD, **changes), RULESET.choose(**options))
    assert answer.valid is (items is not None)
    if items is not None:
        assert " ".join(sorted(item.id for item in answer.items)) == items


def test_what_counts_toward_the_minimum_is_an_option():
    two = replace(
        GOOD,
        source=None,
        hand=parse_tiles("234m 456p 678s 55s 34p"),
        winning_tile=Tile.parse("5p"),
        bonus=parse_tiles("2f"),
    )
    assert not settle_win(two, DEFAULT).valid
    assert settle_win(two, RULESET.choose(min_fan_excludes="flowers_only")).valid
    flower = replace(two, source=Seat.C)
    assert not settle_win(flower, RULESET.choose(min_fan_excludes="flowers_only")).valid
    assert settle_win(flower, RULESET.choose(min_fan_excludes="none")).valid


@pytest.mark.parametrize(
    ("hand", "winning", "wins"),
    [("1112345678999s", "3s", True), ("1112334567899s", "9s", False)],
)
def test_gates_with_nine_waits(hand, winning, wins):
    case = replace(GOOD, hand=parse_tiles(hand), winning_tile=Tile.parse(winning))
    answer = settle_win(case, RULESET.choose(gates_wait="nine_sided"))
    assert ("heavenly_gates" in {item.id for item in answer.items}) is wins


def test_a_limit_hand_may_have_to_be_concealed_and_half_when_claimed():
    case = replace(
        GOOD, hand=parse_tiles("555z 666z 777z 23m 99s"), winning_tile=Tile.parse("4m"), melds=()
    )
    options = RULESET.choose(limit_requires_concealed=["great_dragons"], semi_concealed_half=True)
    assert settle_win(case, options).totals["limit_points"] == 256
    assert settle_win(replace(case, source=None), options).totals["limit_points"] == 512
    called = replace(
        case, hand=parse_tiles("666z 777z 23m 99s"), melds=(Meld.of("pung", "555z", Seat.C),)
    )
    assert "fan" in settle_win(called, options).totals
    assert settle_win(called, DEFAULT).totals["limit_points"] == 512


def test_false_wins_and_dead_hands():
    false = replace(GOOD, winning_tile=Tile.parse("1p"))
    (breach,) = settle_win(false, DEFAULT).violations
    assert (breach.code, breach.penalty) == ("not_a_win", ())
    (paid,) = settle_win(
        false, RULESET.choose(false_win="pay_each", false_win_points=64)
    ).violations
    assert totals(paid.penalty) == (64, -192, 64, 64)
    (dead,) = settle_win(replace(GOOD, extra={"dead_hand": True}), DEFAULT).violations
    assert dead.code == "dead_hand"
    wrong = replace(
        GOOD, hand=parse_tiles("456s 666z 99s 78s"), melds=(Meld.of("chow", "123s", Seat.D),)
    )
    assert [one.code for one in settle_win(wrong, DEFAULT).violations] == ["wrong_call"]


@pytest.mark.parametrize("options", [{}, {"false_win": "pay_each"}])
def test_a_flower_in_the_shown_hand_is_a_wrong_number_of_tiles(options):
    """Section 12: "a bonus tile ... in the revealed hand is an offence (`wrong_count`)"."""
    for changes in (
        {"hand": parse_tiles("123s 456s 666z 99s 7s 2f")},
        {"winning_tile": Tile.parse("3g")},
    ):
        (breach,) = settle_win(replace(GOOD, **changes), RULESET.choose(**options)).violations
        assert (breach.code, breach.penalty) == ("flower_kept", ())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"source": Seat.B}, "cannot be the discarder"),
        ({"hand": parse_tiles("123s 456s 666z 99s 7s")}, "names 12 tiles"),
        ({"bonus": parse_tiles("1a")}, "no flower or season"),
        ({"flags": frozenset({Flag.ROBBING_KONG}), "source": None}, "robbed kong"),
        ({"winning_tile": Tile.parse("0s")}, "cannot be part"),
    ],
)
def test_what_cannot_lie_on_a_table_is_refused(changes, says):
    with pytest.raises(CaseError, match=says):
        settle_win(replace(GOOD, **changes), DEFAULT)


def test_options_that_do_not_fit_together():
    with pytest.raises(OptionError, match="text scale begins at 3"):
        RULESET.choose("text_scale", min_fan=1)
    with pytest.raises(OptionError, match="limit_hands"):
        RULESET.choose(limit_hands=["nothing"])


def test_bots_play_matches_without_an_illegal_state():
    played = play_matches(RULESET, RULESET.options, deals=30, seed=9)
    assert played.wins > 10
    assert played.calls > 100
    assert played.bonus > 100


@pytest.mark.long
def test_bots_play_ten_thousand_deals():
    played = play_matches(RULESET, RULESET.options, deals=10_000, seed=88)
    assert played.wins > 4_000
    assert len(played.items) > 25
