"""Riichi: wins scored, shanten and furiten, beside PyPI `mahjong` and `riichienv` (Rust).

All programs get the same 531 wins of Mahjong Soul games in the same run, each as its own prepared
input. A win scored means: yaku, han, fu, dora and every payment. Each hand is timed by itself in
several rounds and the quickest counts, so that other work on the machine hardly matters.

What was tried, in microseconds a win on one busy EPYC core (PyPI mahjong 49, riichienv 5.5):
- predicates over named readings, each reading built from splits: about 300;
- sums per suit packed into one integer, so a hand is four look-ups and the predicates run once for
  each word: 44;
- one object for each tile, so look-ups by tile hash nothing: 13;
- payments, luck and base points remembered by what they depend on; no dataclass on the way: 8;
- the common hand of one reading without `product`, one tuple for the score: 5.
The tables are filled as hands are met; a process that has met none takes some 100 microseconds.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from time import perf_counter_ns, process_time
from typing import Any, TypeVar

import pytest

from table_controller.rules.core.shanten import shanten_of_counts
from table_controller.rules.core.state import DealState, apply, begin
from table_controller.rules.riichi import furiten
from table_controller.rules.riichi.options import PRESETS
from table_controller.rules.riichi.referee import window_start
from table_controller.rules.riichi.scoring import Scorer
from table_controller.rules.riichi.settle import settle_win
from tests.records.games import some_games
from tests.rules.riichi.test_oracles import env_case
from tests.shared_data import shared_data

pytest.importorskip("mahjong")
pytest.importorskip("riichienv")
from tests.rules.riichi.peers import Hand, load_hands

MAJSOUL = PRESETS["majsoul"]
T = TypeVar("T")


@pytest.fixture(scope="module")
def hands() -> list[Hand]:
    """The wins, ready for every program."""
    path = shared_data("oracles/riichienv/agari_4p.json")
    return load_hands(path, lambda row: env_case(row, MAJSOUL))


def microseconds(each: Callable[[T], object], things: Sequence[T], rounds: int) -> float:
    """The mean over all things of the quickest of some rounds, less what timing itself takes."""

    def nothing(thing: T) -> None:
        return None

    def quickest(call: Callable[[T], object]) -> float:
        best = [1 << 60] * len(things)
        for _ in range(rounds):
            for index, thing in enumerate(things):
                start = perf_counter_ns()
                call(thing)
                took = perf_counter_ns() - start
                if 0 < took < best[index]:  # the clock of a virtual machine may step back
                    best[index] = took
        return sum(best) / len(best) / 1000

    return quickest(each) - quickest(nothing)


def cold_microseconds(each: Callable[[T], object], things: Sequence[T]) -> float:
    """The mean processor time when every table is still empty."""
    start = process_time()
    for thing in things:
        each(thing)
    return (process_time() - start) / len(things) * 1e6


def test_a_win_scored(benchmark: Any, hands: list[Hand]) -> None:
    scorer = Scorer(MAJSOUL, 4)
    cold = cold_microseconds(lambda hand: scorer.score(hand.ours), hands)
    for hand in hands:
        score, pypi, env = scorer.score(hand.ours), hand.pypi(), hand.env()
        assert score is not None
        if not score.yakuman:
            assert (score.han, score.fu) == (pypi.han, pypi.fu) == (env.han, env.fu)
    ours = microseconds(lambda hand: scorer.score(hand.ours), hands, 15)
    explained = microseconds(lambda hand: settle_win(hand.ours, MAJSOUL), hands, 5)
    pypi_takes = microseconds(lambda hand: hand.pypi(), hands, 5)
    env_takes = microseconds(lambda hand: hand.env(), hands, 15)
    benchmark.extra_info.update(
        us_a_win=ours,
        us_with_explanation=explained,
        us_cold=cold,
        times_pypi_mahjong=pypi_takes / ours,
        times_riichienv=env_takes / ours,
    )
    print(
        f"\na win scored: {ours:.2f} us, with explanation {explained:.1f} us, cold {cold:.0f} us; "
        f"PyPI mahjong {pypi_takes:.1f} us ({pypi_takes / ours:.1f}x), "
        f"riichienv {env_takes:.2f} us ({env_takes / ours:.2f}x)"
    )
    benchmark(lambda: [scorer.score(hand.ours) for hand in hands])


def test_shanten(benchmark: Any, hands: list[Hand]) -> None:
    from mahjong.shanten import Shanten

    peer = Shanten()
    rows = shared_data("oracles/nyanten_shanten/p_normal_10000.txt").read_text().splitlines()
    counts = []
    for row in rows[:1500]:
        one = [0] * 34
        for index in row.split()[:14]:
            one[int(index)] += 1
        counts.append(one)
    cold = cold_microseconds(shanten_of_counts, counts)
    for one in counts:
        assert shanten_of_counts(one) == peer.calculate_shanten(one)
    ours = microseconds(shanten_of_counts, counts, 15)
    pypi = microseconds(peer.calculate_shanten, counts, 3)
    benchmark.extra_info.update(us=ours, us_cold=cold, times_pypi_mahjong=pypi / ours)
    print(
        f"\nshanten: {ours:.2f} us, cold {cold:.0f} us; PyPI mahjong {pypi:.1f} us "
        f"({pypi / ours:.1f}x)"
    )
    benchmark(lambda: [shanten_of_counts(one) for one in counts])


def furiten_of_all(state: DealState) -> list[bool]:
    """Waits and furiten of every seat, as after any step of a game whose hands are known."""
    found = []
    for seat in range(4):
        holder = state.seats[seat]
        tiles = tuple(tile for tile in holder.hand if tile is not None)
        if len(tiles) % 3 != 1:
            tiles = tiles[:-1]
        waiting = furiten.waits.__wrapped__(tiles, holder.melds)
        pond = {discard.tile.face for discard in holder.pond}
        offers = state.offers[window_start(state, state.turn, MAJSOUL) :]
        found.append(bool(waiting & pond) or any(o.tile.face in waiting for o in offers))
    return found


def test_waits_and_furiten_of_all_seats_after_a_step(benchmark: Any) -> None:
    states = []
    deal = some_games(12)[0].deals[0]
    state = begin(deal.began, 4)
    for event in deal.events[1:]:
        state = apply(state, event)
        if all(len(holder.hand) >= 13 or holder.melds for holder in state.seats):
            states.append(state)
    assert len(states) > 20
    step = microseconds(furiten_of_all, states, 5)
    benchmark.extra_info.update(us_a_step=step)
    print(f"\nwaits and furiten of all seats: {step:.0f} us a step")
    benchmark(lambda: [furiten_of_all(state) for state in states])


def test_memory_of_the_rules_alone(benchmark: Any) -> None:
    """A process that imports the riichi rules and scores hands, less a bare interpreter."""
    code = (
        "def rss():\n"
        "    return int(open('/proc/self/statm').read().split()[1]) * 4\n"
        "bare = rss()\n"
        "from table_controller.rules.riichi import RIICHI_4P\n"
        "from table_controller.rules.core.case import Case\n"
        "from table_controller.rules.core.seats import Seat\n"
        "from table_controller.rules.core.tiles import KINDS, Tile, parse_tiles\n"
        "case = Case(winner=Seat.A, source=None, hand=parse_tiles('123m 456p 789s 99s 67s'),\n"
        "            winning_tile=Tile.parse('8s'))\n"
        "assert RIICHI_4P.settle_win(case, RIICHI_4P.options).valid\n"
        "print(bare, rss())\n"
    )

    def measure() -> tuple[int, int]:
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
        return int(out[0]), int(out[1])

    bare, whole = benchmark.pedantic(measure, rounds=1)
    benchmark.extra_info.update(mb=whole / 1024, mb_of_the_interpreter=bare / 1024)
    print(f"\nmemory: {whole / 1024:.1f} MB in all, the interpreter alone {bare / 1024:.1f} MB")
