"""Claims, kongs and whole matches of the competition game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.rules.core.case import Case, Flag, ShownHand
from table_controller.rules.core.errors import CaseError, OptionError
from table_controller.rules.core.events import (
    BonusSetAside,
    DealBegan,
    Discarded,
    DrawDeclared,
    Drawn,
    GameEvent,
    HandDealt,
    HandShown,
    KongDeclared,
    MeldCalled,
    Penalised,
    WinJudged,
)
from table_controller.rules.core.game import (
    Deal,
    DealOutcome,
    WinClaimed,
    case_from_state,
    claim_actions,
    conclude,
    own_turn_actions,
    play_deal,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import Awaiting, DealState, apply, begin
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.core.wall import Wall
from table_controller.rules.mcr import RULESET, match
from table_controller.rules.mcr.options import DEFAULT, PRESETS, Allowed, Options
from table_controller.rules.mcr.penalties import scaled
from table_controller.rules.mcr.play import PLAY, case_of
from table_controller.rules.mcr.scoring import settle_win
from tests.rules.mcr.examples import seat


def dealt(*hands: str, dealer: str = "E") -> DealState:
    """A deal in which E, S, W and N hold these tiles; the dealer has one more."""
    state = begin(
        DealBegan(
            number=0,
            dealer=seat(dealer),
            round_wind=Wind.EAST,
            points=(0, 0, 0, 0),
            wall_left=91,
        ),
        4,
    )
    for place, hand in enumerate(hands):
        state = apply(state, HandDealt(seat=Seat(place), tiles=parse_tiles(hand)))
    return state


ORPHANS = "19m 19p 19s 1234567z"
IDLE = "147m 258p 369s 1234z"


def test_m83_a_concealed_kong_cannot_be_robbed():
    state = dealt(ORPHANS, IDLE, "777z 7z 123456789m 1p", IDLE, dealer="W")
    kong = Meld(MeldKind.CONCEALED_KONG, parse_tiles("7777z"))
    assert (KongDeclared(seat=seat("W"), meld=kong),) in own_turn_actions(state, PLAY, DEFAULT)
    state = apply(state, KongDeclared(seat=seat("W"), meld=kong))
    assert claim_actions(state, seat("E"), PLAY, DEFAULT) == []


def test_m84_a_chow_is_called_from_the_left_only_and_an_empty_call_is_warned_once():
    state = dealt("123456789m 1122p 5s", "46s 123m 456p 1234z 5z", "46s 789m 456p 1234z 5z", IDLE)
    state = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("5s")))

    def chows(claimant: str) -> list[Meld]:
        return [
            event.meld
            for (event,) in claim_actions(state, seat(claimant), PLAY, DEFAULT)
            if isinstance(event, MeldCalled)
        ]

    assert [meld.kind for meld in chows("S")] == [MeldKind.CHOW]
    assert chows("W") == []
    wrong = MeldCalled(seat=seat("W"), meld=Meld.of("chow", "456s", seat("E")))
    assert fined(state, wrong) == [("wrong_call", (0, 0, 0, 0))]
    warned = apply(state, Penalised(seat=seat("W"), code="wrong_call"))
    assert fined(warned, wrong) == [("wrong_call", (0, 0, -5, 0))]


def fined(state: DealState, event: GameEvent) -> list[tuple[str, tuple[int, ...]]]:
    """What the table announces about an event, and what each seat pays for it."""
    assert RULESET.conduct is not None
    found = RULESET.conduct.breaches(state, event, DEFAULT)
    return [(breach.code, totals(breach.penalty)) for breach in found]


def test_the_same_irregularity_costs_more_each_time_in_a_deal():
    """Section 14.1: within one hand a warning, 5, 10, 20, doubling, each kind by itself."""
    state = dealt("123456789m 1122p 5s", IDLE, "55s 123m 456p 1234z 5z", IDLE)
    late = MeldCalled(seat=seat("W"), meld=Meld.of("pung", "555s", seat("E")))
    for event in (
        Discarded(seat=seat("E"), tile=Tile.parse("5s")),
        Drawn(seat=seat("S")),
        Discarded(seat=seat("S"), tile=Tile.parse("4z")),
    ):
        state = apply(state, event)
    for points in (0, 5, 10, 20, 40):
        ((code, paid),) = fined(state, late)
        assert (code, paid) == ("late_claim", (0, 0, -points, 0))
        state = apply(state, Penalised(seat=seat("W"), code=code))
    early = Drawn(seat=seat("W"))
    other = apply(state, Discarded(seat=seat("W"), tile=Tile.parse("4z")))
    assert fined(replace(other, turn=seat("N")), early) == [("out_of_turn", (0, 0, 0, 0))]


@pytest.mark.parametrize(
    ("earlier", "points"), [(0, 0), (1, 5), (2, 10), (3, 20), (4, 40), (5, 80)]
)
def test_deductions_for_the_same_irregularity_double(earlier, points):
    assert scaled(DEFAULT.scale, earlier) == points


def test_a_false_win_of_the_league_is_deducted_for_nobody():
    """research/players.md, 3.3: 40 for a ready hand, 80 for one that is not, nobody gains."""
    for hand, points in (("123m 456p 789p 1199s", 40), ("1237m 459p 11556s 4z", 80)):
        case = Case(
            winner=Seat.B, source=Seat.A, hand=parse_tiles(hand), winning_tile=Tile.parse("5m")
        )
        (breach,) = settle_win(case, PRESETS["mil2025"]).violations
        assert totals(breach.penalty) == (0, -points, 0, 0)


def test_nobody_calls_the_last_discard_but_for_a_win():
    state = dealt("123456789m 1122p 5s", "46s 55s 123m 1234z 56z", IDLE, IDLE)
    last = replace(state, wall_left=0)
    last = apply(last, Discarded(seat=seat("E"), tile=Tile.parse("5s")))
    assert claim_actions(last, seat("S"), PLAY, DEFAULT) == []


def test_m78_at_the_table_a_false_win_is_paid_and_play_goes_on():
    """South wins on 5s with a hand below 8: 10 to each, its hand is dead, others still claim."""
    hand = "34s 234m 678p 99p 456s"
    state = dealt("5s 147m 258p 369s 1234z", hand, IDLE, "55s 123m 456p 789p 66z")
    state = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("5s")))
    state = apply(state, WinClaimed(seat=seat("S"), tile=Tile.parse("5s"), source=seat("E")))
    state = apply(
        state,
        HandShown(seat=seat("S"), tiles=parse_tiles(hand), winning_tile=Tile.parse("5s")),
    )
    judged, penalised = conclude(state, [], PLAY, DEFAULT)
    assert isinstance(judged, WinJudged)
    assert [breach.code for breach in judged.answer.violations] == ["below_minimum"]
    assert isinstance(penalised, Penalised)
    assert penalised.dead_hand
    for event in (judged, penalised):
        state = apply(state, event)
    assert state.points == (10, -30, 10, 10)
    assert state.awaiting is Awaiting.CLAIMS
    assert state.seats[seat("S")].dead_hand
    assert claim_actions(state, seat("S"), PLAY, DEFAULT) == []
    assert claim_actions(state, seat("N"), PLAY, DEFAULT) != []


def test_what_a_dead_hand_may_still_do_is_an_option():
    state = dealt("123456789m 1122p 5s", "46s 55s 123m 123z 567z", IDLE, IDLE)
    dead = state.with_seat(seat("S"), dead_hand=True)
    dead = apply(dead, Discarded(seat=seat("E"), tile=Tile.parse("5s")))
    assert claim_actions(dead, seat("S"), PLAY, DEFAULT) == []
    allowed = RULESET.choose(dead_hand_claims="allowed")
    assert {event.meld.kind for (event,) in claim_actions(dead, seat("S"), PLAY, allowed)} == {
        MeldKind.PUNG,
        MeldKind.CHOW,
    }
    won = dealt("5s 147m 258p 369s 1234z", "46s 123m 456p 789p 55p", IDLE, IDLE)
    lost = won.with_seat(seat("S"), dead_hand=True)
    for before, wins in ((won, True), (lost, False)):
        offered = apply(before, Discarded(seat=seat("E"), tile=Tile.parse("5s")))
        claims = claim_actions(offered, seat("S"), PLAY, replace(allowed, minimum=0))
        assert any(isinstance(event, WinClaimed) for (event,) in claims) is wins


def test_flowers_are_set_aside_unless_they_may_be_discarded():
    state = dealt("1f 123456789m 112p 5s", IDLE, IDLE, IDLE)
    assert [type(one[0]) for one in own_turn_actions(state, PLAY, DEFAULT)] == [BonusSetAside]
    allowed = RULESET.choose(flower_discard="allowed")
    actions = own_turn_actions(state, PLAY, allowed)
    assert (Discarded(seat=seat("E"), tile=Tile.parse("1f"), as_drawn=False),) in actions
    assert (BonusSetAside(seat=seat("E"), tile=Tile.parse("1f")),) in actions
    assert not PLAY.can_win(state, seat("E"), None, allowed)
    state = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("1f")))
    assert claim_actions(state, seat("S"), PLAY, allowed) == []


def test_the_first_replacement_is_the_upper_tile_of_the_last_stack():
    tiles = RULESET.tile_set(DEFAULT).tiles()
    assert PLAY.wall(DEFAULT).wall(tiles).replace() == tiles[142]
    lower = RULESET.choose(replacement_order="bottom_first")
    assert PLAY.wall(lower).wall(tiles).replace() == tiles[143]


def test_a_kong_is_not_declared_right_after_a_claim():
    state = dealt("5s 123456789m 1122p", "2222s 55s 123m 1234z", IDLE, IDLE)
    state = apply(state, Discarded(seat=seat("E"), tile=Tile.parse("5s")))
    pung = Meld(MeldKind.PUNG, parse_tiles("555s"), seat("E"))
    state = apply(state, MeldCalled(seat=seat("S"), meld=pung))

    def kongs(options: Options) -> list[KongDeclared]:
        actions = own_turn_actions(state, PLAY, options)
        return [event for (event,) in actions if isinstance(event, KongDeclared)]

    assert kongs(DEFAULT) == []
    concealed = Meld(MeldKind.CONCEALED_KONG, parse_tiles("2222s"))
    allowed = RULESET.choose(kong_after_claim="allowed")
    assert kongs(allowed) == [KongDeclared(seat=seat("S"), meld=concealed)]


@pytest.mark.parametrize(("rule", "drawn"), [("draw", True), ("discard_required", False)])
def test_a_flower_as_the_last_tile_ends_the_deal_or_a_tile_is_discarded(rule, drawn):
    """Section 4.5, option `flower_as_last_tile`."""
    options = RULESET.choose(flower_as_last_tile=rule)
    hand = "123456789m 1122p"
    state = replace(dealt(hand, IDLE, IDLE, "23p 456p 345s 678s 99s"), wall_left=1)
    deal = Deal(state, Wall(parse_tiles("1f")), PLAY, options)
    events = []
    for event in play_deal(deal, lambda state, seat, actions: actions[-1]):
        before = state
        state = apply(before, event)
        events.append(event)
        assert RULESET.conduct is not None
        assert RULESET.conduct.breaches(before, event, options) == []
    assert [type(event) for event in events[:2]] == [Drawn, BonusSetAside]
    if drawn:
        assert events[2:] == [DrawDeclared(reason="exhaustive")]
        return
    assert events[2] == Discarded(seat=Seat.A, tile=Tile.parse("2p"), as_drawn=False)
    assert deal.state.draw_reason == "exhaustive"


def test_the_tile_that_replaces_a_flower_after_a_kong_is_no_kong_replacement():
    state = dealt("123456789m 1122p 5s", IDLE, IDLE, IDLE)
    state = replace(state.with_seat(Seat.A, shown=parse_tiles("123456789m 1122p")), after_kong=True)
    claim = WinClaimed(seat=Seat.A, tile=Tile.parse("2p"))
    assert Flag.REPLACEMENT in case_from_state(state, claim).flags
    assert Flag.REPLACEMENT in case_of(state, claim, DEFAULT).flags
    flower = replace(state, after_bonus=True)
    assert Flag.REPLACEMENT not in case_of(flower, claim, DEFAULT).flags


# --- Last tile: what everybody can see ---------------------------------------------------------

WAITING = {"hand": parse_tiles("78m 55p"), "winning_tile": Tile.parse("6m"), "winner": seat("W")}
MELDS = (
    Meld.of("chow", "456p", seat("S")),
    Meld.of("pung", "444z", seat("S")),
    Meld.of("pung", "777z", seat("E")),
)


@pytest.mark.parametrize(
    ("ponds", "others_melds", "counts"),
    [
        ({"N": "6m 6m 6m", "E": "6m"}, (), True),  # three lie in a pond, the fourth is won on
        ({"N": "6m 6m", "E": "6m"}, (), False),
        ({"N": "6m 6m", "E": "6m"}, (("chow", "567m", "5m"),), True),
        # The called 6m lies in the meld and is remembered in the pond: one tile, not two.
        ({"N": "6m 6m", "E": "6m"}, (("chow", "567m", "6m"),), False),
        ({"N": "", "E": "6m"}, (("pung", "666m", "6m"),), False),
        ({"N": "6m", "E": "6m"}, (("pung", "666m", "6m"),), True),
        ({"N": "6m", "E": "6m"}, (("concealed_kong", "1111s", None),), False),
        # Which tile of the chow was called is not told, but the pond holds a 6m: it was that one.
        ({"N": "6m 6m", "E": "6m"}, (("chow", "567m", "?"),), False),
        ({"N": "7m", "S": "6m 6m", "E": "6m"}, (("chow", "567m", "?"),), True),
    ],
)
def test_last_tile_is_found_from_ponds_and_melds(ponds, others_melds, counts):
    melds = tuple(
        replace(
            Meld.of(kind, tiles, None if called is None else seat("N")),
            called=None if called in (None, "?") else Tile.parse(called),
        )
        for kind, tiles, called in others_melds
    )
    case = Case(
        **WAITING,
        source=seat("E"),
        melds=MELDS,
        ponds={seat(owner): parse_tiles(tiles) for owner, tiles in ponds.items()},
        others={seat("S"): ShownHand(melds=melds)},
    )
    found = {
        item.id
        for item in settle_win(replace(case, flags=frozenset({Flag.LAST_TILE})), DEFAULT).items
    }
    assert ("last_tile" in found) is counts


# --- What cannot be ----------------------------------------------------------------------------

GOOD = Case(
    winner=Seat.A,
    source=Seat.B,
    hand=parse_tiles("123456789m 1178p"),
    winning_tile=Tile.parse("9p"),
)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"source": Seat.A}, "cannot be the discarder"),
        ({"hand": parse_tiles("123456789m 118p")}, "names 12 tiles"),
        ({"hand": parse_tiles("123456789m 1199p"), "melds": ()}, None),
        ({"hand": parse_tiles("99999m 123456p 11s")}, "5 copies of 9m"),
        ({"hand": parse_tiles("12346789m 0m 1178p")}, "cannot be part"),
        ({"bonus": parse_tiles("1a")}, "no flower or season"),
        ({"bonus": parse_tiles("1f 1f")}, "2 copies of 1f"),
        ({"flags": frozenset({Flag.REPLACEMENT})}, "is drawn"),
        ({"flags": frozenset({Flag.REPLACEMENT}), "source": None}, "needs a kong"),
        ({"flags": frozenset({Flag.ROBBING_KONG}), "source": None}, "robbed kong"),
        ({"extra": {"last_of_kind": True}, "winning_tile": Tile.parse("1p")}, "last visible"),
        ({"melds": (Meld.of("quint", "11111s"),), "hand": parse_tiles("123456789m 1p")}, "quint"),
    ],
)
def test_what_cannot_lie_on_a_table_is_refused(changes, says):
    case = replace(GOOD, **changes)
    if says is None:
        assert settle_win(case, DEFAULT).valid
        return
    with pytest.raises(CaseError, match=says):
        settle_win(case, DEFAULT)


def test_a_dead_hand_and_a_chow_from_the_wrong_player_may_not_win():
    dead = replace(GOOD, extra={"dead_hand": True})
    assert [breach.code for breach in settle_win(dead, DEFAULT).violations] == ["dead_hand"]
    chow = Meld.of("chow", "123m", Seat.B)  # A's left neighbour is D
    wrong = replace(
        GOOD,
        hand=parse_tiles("456789m 1178p"),
        melds=(chow,),
        ponds={Seat.B: parse_tiles("4z 1m 9p")},
    )
    (breach,) = settle_win(wrong, DEFAULT).violations
    assert breach.code == "wrong_call"
    assert [(one.seat, one.place) for one in breach.evidence] == [(Seat.B, 2)]


def test_a_flower_in_the_shown_hand_makes_it_dead():
    """Section 14.1: too few tiles, a dead hand; nobody is paid, as for a wrong number."""
    for changes in (
        {"hand": parse_tiles("123456789m 117p 2f")},
        {"winning_tile": Tile.parse("3g")},
    ):
        (breach,) = settle_win(replace(GOOD, **changes), DEFAULT).violations
        assert (breach.code, breach.penalty) == ("flower_kept", ())


def test_options_are_held_to_their_values():
    assert RULESET.choose("library").mixed_kongs == 5
    with pytest.raises(OptionError, match="mixed_kongs"):
        RULESET.choose(mixed_kongs=9)
    for wrong in ((0, -5), (5, "ten"), (True,)):
        with pytest.raises(OptionError, match="scale"):
            RULESET.choose(scale=wrong)
    with pytest.raises(OptionError, match="no option"):
        RULESET.choose(mixed_kong=5)
    assert RULESET.choose(kong_after_claim="allowed").kong_after_claim is Allowed.ALLOWED


def test_a_limit_caps_the_hand():
    capped = settle_win(GOOD, RULESET.choose(limit=10))
    assert capped.totals["fan"] == 10
    assert sum(item.value for item in capped.items) == 10
    assert settle_win(GOOD, DEFAULT).totals["fan"] == 22


# --- The match ---------------------------------------------------------------------------------


def test_sixteen_deals_pass_every_seat_through_every_wind():
    start = match.first_deal(DEFAULT)
    begun = [start]
    while (start := match.next_deal(start, DealOutcome(points=(0,) * 4), DEFAULT)) is not None:
        begun.append(start)
    assert len(begun) == 16
    assert [deal.dealer for deal in begun] == [Seat(number % 4) for number in range(16)]
    assert [deal.round_wind.value for deal in begun] == [*"EEEESSSSWWWWNNNN"]
    assert [deal.seating for deal in begun[::4]] == [
        (0, 1, 2, 3), (1, 0, 3, 2), (3, 2, 0, 1), (2, 3, 1, 0),
    ]  # fmt: skip


def test_points_move_with_the_players_when_seats_change():
    assert match.seating(1, DEFAULT) == (1, 0, 3, 2)  # B A D C at E S W N
    assert match.seating(2, DEFAULT) == (3, 2, 0, 1)  # D C A B
    assert match.seating(3, DEFAULT) == (2, 3, 1, 0)  # C D B A
    points = (10, 20, 30, 40)  # of A B C D, in the first round
    for game_round in range(3):
        points = match.moved(points, game_round, DEFAULT)
    assert points == (30, 40, 20, 10)
    last = replace(match.first_deal(DEFAULT), number=15)
    assert match.final(last, points, DEFAULT).placements == (4, 3, 2, 1)
    assert match.final(last, points, DEFAULT).scores == (0.0, 1.0, 2.0, 4.0)


@pytest.mark.parametrize("change", ["green_book", "alternate", "none"])
def test_every_seating_seats_everybody_once(change):
    options = RULESET.choose(seat_change=change)
    for game_round in range(4):
        assert sorted(match.seating(game_round, options)) == [0, 1, 2, 3]


def test_a_replayed_deal_is_played_again():
    start = match.first_deal(DEFAULT)
    again = match.next_deal(start, DealOutcome(points=(-5, 5, 0, 0), replayed=True), DEFAULT)
    assert again == replace(start, points=(-5, 5, 0, 0))
