"""What must hold for every hand, every payment and every option."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.__main__ import main
from table_controller.rules.core.case import Case, Evidence, Flag
from table_controller.rules.core.decomposition import (
    is_seven_pairs,
    is_standard,
    is_thirteen_orphans,
)
from table_controller.rules.core.errors import CaseError, OptionError
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import pot_change, totals
from table_controller.rules.core.tiles import (
    KINDS,
    Tile,
    format_tiles,
    kind_counts,
    parse_tiles,
)
from table_controller.rules.riichi import RIICHI_3P, RIICHI_4P
from table_controller.rules.riichi.furiten import waits
from table_controller.rules.riichi.options import PRESET_SOURCES, PRESETS, RiichiOptions
from table_controller.rules.riichi.payments import WinTerms, noten_payments, win_payments
from table_controller.rules.riichi.play import SANMA_PLAY
from table_controller.rules.riichi.sanma_options import SANMA_PRESETS, TsumoPayment
from table_controller.rules.riichi.settle import settle_win
from tests.rules.riichi.test_oracles import kobalab_case
from tests.shared_data import shared_data

seats_of_four = st.sampled_from(list(Seat))


@st.composite
def winning_hands(draw: st.DrawFn) -> Case:
    """Any complete hand of four sets and a pair, some sets called, with any luck."""
    left = dict.fromkeys(KINDS, 4)
    sets: list[tuple[Tile, ...]] = []
    for _ in range(4):
        chow_starts = [
            kind
            for kind in KINDS
            if kind.is_numbered
            and kind.rank <= 7
            and all(left[Tile(kind.suit, kind.rank + step)] for step in range(3))
        ]
        pungs = [kind for kind in KINDS if left[kind] >= 3]
        if draw(st.booleans()) or not pungs:
            first = draw(st.sampled_from(chow_starts))
            tiles = tuple(Tile(first.suit, first.rank + step) for step in range(3))
        else:
            tiles = (draw(st.sampled_from(pungs)),) * 3
        for tile in tiles:
            left[tile] -= 1
        sets.append(tiles)
    pair = draw(st.sampled_from([kind for kind in KINDS if left[kind] >= 2]))
    number = draw(st.integers(0, 4))
    winner = draw(seats_of_four)
    source = draw(st.sampled_from([None, *(seat for seat in Seat if seat is not winner)]))
    melds = []
    for tiles in sets[:number]:
        kind = MeldKind.PUNG if len(set(tiles)) == 1 else MeldKind.CHOW
        melds.append(Meld(kind, tiles, winner.after(3, 4)))
    concealed = [tile for tiles in sets[number:] for tile in tiles] + [pair, pair]
    winning = draw(st.sampled_from(concealed))
    concealed.remove(winning)
    flags = draw(
        st.sets(st.sampled_from([Flag.READY, Flag.ONE_SHOT, Flag.LAST_TILE, Flag.REPLACEMENT]))
    )
    return Case(
        winner=winner,
        source=source,
        hand=tuple(draw(st.permutations(concealed))),
        winning_tile=winning,
        melds=tuple(melds),
        dealer=draw(seats_of_four),
        round_wind=draw(st.sampled_from(list(Wind))),
        flags=frozenset(flags),
        dora=tuple(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=2))),
        counters=draw(st.integers(0, 3)),
        deposits=draw(st.integers(0, 3)),
    )


@settings(max_examples=100, deadline=None)
@given(winning_hands(), st.sampled_from(list(PRESETS)))
def test_a_complete_hand_is_paid_to_the_point_or_has_no_yaku(case, preset):
    answer = settle_win(case, PRESETS[preset])
    if not answer.valid:
        assert [one.code for one in answer.violations] == ["no_yaku"]
        return
    assert sum(answer.deltas) + pot_change(answer.payments) == 0
    assert pot_change(answer.payments) == -1000 * case.deposits
    assert answer.deltas[case.winner] > 0
    losers = [seat for seat in Seat if answer.deltas[seat] < 0]
    assert losers == ([case.source] if case.source is not None else sorted(losers))
    if case.source is None:
        assert len(losers) == 3
    fu = sum(item.value for item in answer.items if item.unit == "fu")
    han = sum(item.value for item in answer.items if item.unit == "han")
    if "fu" in answer.totals:
        assert (han, fu) == (answer.totals["han"], answer.totals["fu"])
    for item in answer.items:
        assert item.why.endswith(".")
        assert item.native


@settings(max_examples=50, deadline=None)
@given(winning_hands(), st.randoms(use_true_random=False))
def test_scoring_does_not_depend_on_the_order_of_tiles(case, random):
    hand = list(case.hand)
    random.shuffle(hand)
    melds = tuple(
        replace(meld, tiles=tuple(random.sample(meld.tiles, len(meld.tiles))))
        for meld in case.melds
    )
    shuffled = replace(case, hand=tuple(hand), melds=melds)
    ours, theirs = settle_win(case, PRESETS["ema"]), settle_win(shuffled, PRESETS["ema"])
    assert ours.payments == theirs.payments
    assert [(i.id, i.value) for i in ours.items if i.unit == "han"] == [
        (i.id, i.value) for i in theirs.items if i.unit == "han"
    ]


@settings(max_examples=50, deadline=None)
@given(winning_hands())
def test_the_winning_tile_is_a_wait_of_the_hand_before_it(case):
    assert case.winning_tile in waits(case.hand, case.melds, own_four_excluded=False)


@settings(max_examples=50, deadline=None)
@given(winning_hands())
def test_waits_are_exactly_the_tiles_that_complete_the_hand(case):
    found = set()
    for kind in KINDS:
        counts = kind_counts((*case.hand, kind))
        complete = is_standard(counts)
        if not case.melds:
            complete |= is_seven_pairs(counts) or is_thirteen_orphans(counts)
        if complete:
            found.add(kind)
    assert waits(case.hand, case.melds, own_four_excluded=False) == found
    held = kind_counts((*case.hand, *(tile for meld in case.melds for tile in meld.tiles)))
    assert waits(case.hand, case.melds) == {k for k in found if held[KINDS.index(k)] < 4}


def test_kobalabs_hands_explain_their_fu_to_the_point():
    rows = json.loads(shared_data("oracles/kobalab_majiang_core/hule.json").read_text())
    for row in rows[::20]:
        answer = settle_win(kobalab_case(row["in"]), PRESETS["majsoul"])
        if answer.valid and "fu" in answer.totals:
            fu = [item.value for item in answer.items if item.unit == "fu"]
            assert sum(fu) == answer.totals["fu"]
            assert answer.totals["fu"] in (20, 25) or answer.totals["fu"] % 10 == 0


bases = st.sampled_from([240, 320, 480, 640, 800, 960, 1280, 1600, 1920, 2000, 3000, 8000, 16000])


@given(
    bases,
    st.sampled_from(list(Seat)[:3]),
    st.sampled_from(list(Seat)[:3]),
    st.sampled_from(list(TsumoPayment)),
    st.integers(0, 5),
)
def test_three_player_payments_add_up_under_every_option(base, winner, dealer, rule, counters):
    options = replace(SANMA_PRESETS["tenhou"], tsumo_payment=rule)
    terms = WinTerms(winner=winner, source=None, dealer=dealer, base=base, counters=counters)
    change = totals(win_payments(terms, options, 3), 3)
    assert sum(change) == 0
    assert change[winner] > 0


@pytest.mark.parametrize(
    ("base", "dealer", "rule", "change"),
    [
        (2000, Seat.B, TsumoPayment.TSUMO_LOSS, (6000, -4000, -2000)),
        (2000, Seat.B, TsumoPayment.NORTH_BISECTION, (8000, -5000, -3000)),
        (2000, Seat.A, TsumoPayment.TSUMO_LOSS, (8000, -4000, -4000)),
        (2000, Seat.A, TsumoPayment.NORTH_BISECTION, (12000, -6000, -6000)),
        (2000, Seat.B, TsumoPayment.SHARE_TO_ALL, (8000, -4000, -4000)),
        (240, Seat.B, TsumoPayment.TSUMO_LOSS, (800, -500, -300)),
        (240, Seat.B, TsumoPayment.NORTH_BISECTION, (1200, -700, -500)),
    ],
)
def test_the_absent_share_as_section_17_works_it_out(base, dealer, rule, change):
    options = replace(SANMA_PRESETS["tenhou"], tsumo_payment=rule)
    terms = WinTerms(winner=Seat.A, source=None, dealer=dealer, base=base)
    assert totals(win_payments(terms, options, 3), 3) == change


@pytest.mark.parametrize(
    ("waiting", "each", "change"),
    [
        ([Seat.A], False, (2000, -1000, -1000)),
        ([Seat.A, Seat.B], False, (1000, 1000, -2000)),
        ([Seat.A], True, (2000, -1000, -1000)),
        ([Seat.A, Seat.B], True, (1000, 1000, -2000)),
        ([Seat.A, Seat.B, Seat.C], True, (0, 0, 0)),
    ],
)
def test_three_players_share_draws(waiting, each, change):
    options = replace(SANMA_PRESETS["tenhou"], noten_each_1000=each)
    assert totals(noten_payments(waiting, options, 3), 3) == change


@given(st.lists(st.sampled_from([*KINDS, *parse_tiles("0m 0p 0s")]), max_size=14))
def test_parse_and_print_undo_each_other(tiles):
    assert list(parse_tiles(format_tiles(tiles))) == tiles


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hand": parse_tiles("123m")}, "3 tiles in the hand"),
        ({"hand": parse_tiles("1111m 1m 234p 567s 99s")}, "five equal tiles: 1m"),
        ({"hand": parse_tiles("1f 123m 456p 789s 99s 1z")}, "cannot be part of a hand"),
        ({"hand": parse_tiles("05m 5m 345p 777s 88s 12z")}, "red fives 0m"),
        ({"bonus": parse_tiles("4z")}, "only norths are, with three players"),
    ],
)
def test_what_cannot_be_a_hand_is_said_in_one_sentence(changes, said):
    case = Case(
        winner=Seat.A,
        source=Seat.B,
        hand=parse_tiles("123m 456p 789s 99s 67s"),
        winning_tile=Tile.parse("8s"),
    )
    with pytest.raises(CaseError, match=said):
        settle_win(replace(case, **changes), PRESETS["novosibirsk"])


def test_three_players_have_no_middle_characters():
    case = Case(
        winner=Seat.A,
        source=None,
        hand=parse_tiles("234m 456p 789s 99s 67s"),
        winning_tile=Tile.parse("8s"),
    )
    with pytest.raises(CaseError, match="2m is not played with three players"):
        settle_win(case, SANMA_PRESETS["tenhou"], 3)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"uma": (1, 2)}, "uma"),
        ({"red_fives": (5, 0, 0)}, "red_fives"),
        ({"tobi": "sometimes"}, "tobi cannot be 'sometimes'; it can be off"),
        ({"honba_value": -100}, "honba_value"),
        ({"honba_value": 200}, "multiple of 300"),
        ({"uma": (10**400, 0, 0, 0)}, "from -1000 to 1000"),
        ({"start_points": 10**9}, "from 0 to 1000000"),
        ({"abortive_draws": ("five_winds",)}, "abortive_draws"),
        ({"kuitan": 1}, "true or false"),
        ({"aka": True}, "has no option 'aka'"),
    ],
)
def test_a_wrong_option_is_named(changes, said):
    with pytest.raises(OptionError, match=said):
        RIICHI_4P.choose("tenhou", **changes)


def test_every_option_has_a_sentence_and_every_preset_a_source():
    for ruleset in (RIICHI_4P, RIICHI_3P):
        for declared in fields(ruleset.options):
            assert declared.metadata["doc"].endswith(".")
        assert set(ruleset.preset_sources) == set(ruleset.presets)
    wanted = "novosibirsk ema wrc m_league jpml jpml_2023 tenhou majsoul"
    assert " ".join(PRESET_SOURCES) == wanted
    assert isinstance(RIICHI_4P.options, RiichiOptions)


def test_the_option_table_prints_each_presets_source(capsys):
    assert main(["rulesets", "riichi_4p"]) == 0
    printed = capsys.readouterr().out
    for preset, source in PRESET_SOURCES.items():
        assert f"preset {preset}: {source}" in printed
        assert any(year in source for year in ("20", "Novosibirsk"))
    assert main(["rulesets", "riichi_3p", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["preset_sources"]) == set(SANMA_PRESETS)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (0, "added to a kong"),
        (1, "row 1, place 1"),
        (6, "row 1, place 6"),
        (7, "row 2, place 1"),
        (20, "row 3, place 8"),
    ],
)
def test_a_discard_is_named_by_its_row_and_place(place, said):
    assert Evidence(Seat.A, place, Tile.parse("5p")).lies() == said


@pytest.mark.parametrize(
    ("rule", "counted", "fu"),
    [
        ("common_yakuhai", {"yakuhai_north": 1}, 40),
        ("guest_wind", {}, None),
        ("nukidora", {}, None),
    ],
)
def test_norths_have_value_where_the_table_says_so(rule, counted, fu):
    options = RIICHI_3P.choose("tenhou", north_rule=rule)
    case = Case(
        winner=Seat.A,
        source=Seat.B,
        hand=parse_tiles("444z 456p 789s 99s 67s"),
        winning_tile=Tile.parse("8s"),
    )
    answer = settle_win(case, options, 3)
    assert {i.id: i.value for i in answer.items if i.unit == "han"} == counted
    assert answer.totals.get("fu") == fu


# --- Options of three-player parlours (japanese_3p.md, section 17) -------------------------------

PARLOUR_HAND = Case(
    winner=Seat.B,
    source=None,
    hand=parse_tiles("111m 123p 456p 78s 99s"),
    winning_tile=Tile.parse("9s"),
    flags=frozenset({Flag.READY}),
)


@pytest.mark.parametrize(
    ("changes", "bonus", "totals_", "deltas"),
    [
        ({}, "", {"han": 2, "fu": 40}, (-1300, 2000, -700)),
        ({}, "44z", {"han": 4, "fu": 40}, (-4000, 6000, -2000)),
        ({"north_han": 2}, "4z", {"han": 4, "fu": 40}, (-4000, 6000, -2000)),
        ({"flowers": True}, "4z 12f", {"han": 5, "fu": 40}, (-4000, 6000, -2000)),
        ({"fixed_fu": 30}, "", {"han": 2, "fu": 30}, (-1000, 1500, -500)),
        ({"payment_unit": 1000}, "", {"han": 2, "fu": 40}, (-2000, 3000, -1000)),
        (
            {"payment_unit": 1000, "self_draw_extra": 1000},
            "",
            {"han": 2, "fu": 40},
            (-3000, 5000, -2000),
        ),
    ],
)
def test_what_parlours_change(changes, bonus, totals_, deltas):
    options = RIICHI_3P.choose("tenhou", **changes)
    answer = settle_win(replace(PARLOUR_HAND, bonus=parse_tiles(bonus)), options, 3)
    assert answer.totals == totals_
    assert answer.deltas == deltas
    assert sum(item.value for item in answer.items if item.unit == "fu") == totals_["fu"]
    assert sum(item.value for item in answer.items if item.unit == "han") == totals_["han"]


@pytest.mark.parametrize(
    ("changes", "stacks"),
    [
        ({}, (18, 18, 18)),
        ({"walls": "four_sides"}, (14, 13, 14, 13)),
        ({"flowers": True}, (19, 19, 18)),
        ({"flowers": True, "walls": "four_sides"}, (14, 14, 14, 14)),
    ],
)
def test_three_player_walls_hold_every_tile(changes, stacks):
    options = RIICHI_3P.choose("tenhou", **changes)
    plan = SANMA_PLAY.wall(options)
    assert plan.stacks == stacks
    assert 2 * sum(stacks) == len(RIICHI_3P.tile_set(options))
    # A replacement tile for each north, each flower and each of four kongs.
    assert len(plan.dead) == (12 if options.flowers else 8)


def test_flowers_are_not_set_aside_where_they_are_not_played():
    with pytest.raises(CaseError, match="1f"):
        RIICHI_3P.tile_set(RIICHI_3P.options).check(parse_tiles("1f"))
    assert not SANMA_PLAY.is_bonus(Tile.parse("1f"), RIICHI_3P.options)
    assert SANMA_PLAY.is_bonus(Tile.parse("1f"), RIICHI_3P.choose(flowers=True))
