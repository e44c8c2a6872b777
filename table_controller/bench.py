"""What this machine can do: the numbers of `mahjong-table bench`, each measured here and now.

Where a peer is installed (extra ``dev``), it does the same work in the same run and the ratio says
how many times faster we are. Times are wall clock on whatever else the machine is doing.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from table_controller.rules import find_ruleset
from table_controller.rules.american.card import parse_card
from table_controller.rules.american.matching import Rack, matches
from table_controller.rules.american.scoring import practice_card_text
from table_controller.rules.core.case import Case
from table_controller.rules.core.events import WinClaimed
from table_controller.rules.core.game import case_from_state, open_deal, play_deal
from table_controller.rules.core.shanten import shanten_of_counts
from table_controller.rules.core.tiles import KIND_INDEX, Tile
from table_controller.rules.riichi.scoring import Scorer
from table_controller.simulation.bots import bot


@dataclass(frozen=True, slots=True)
class Measurement:
    """One number; ``ratio`` above 1 means better than the peer."""

    name: str
    value: float
    unit: str
    peer: str | None = None
    ratio: float | None = None


def beside(name: str, ours: float, unit: str, peer: float | None) -> Measurement:
    """A rate beside the same of PyPI mahjong, where that is installed."""
    if peer is None:
        return Measurement(name, ours, unit)
    return Measurement(name, ours, unit, "PyPI mahjong", ours / peer)


def measure_all(*, quick: bool = False) -> Iterator[Measurement]:
    """Every measurement, one after the other."""
    yield from rules(50 if quick else 400)
    yield from wire(200 if quick else 2000)
    yield from pictures(3 if quick else 20)
    yield from daemon()


# --- rules ---------------------------------------------------------------------------------------


def won_hands(number: int, seed: int = 1) -> list[Case]:
    """Cases of riichi wins as bots make them, all different."""
    ruleset = find_ruleset("riichi_4p")
    assert ruleset.play is not None
    rng = random.Random(seed)
    cases: list[Case] = []
    while len(cases) < number:
        tiles = ruleset.tile_set(ruleset.options).tiles()
        rng.shuffle(tiles)
        start = ruleset.play.first_deal(ruleset.options)
        deal = open_deal(start, tiles, ruleset.play, ruleset.options)
        for event in play_deal(deal, bot(rng)):
            if isinstance(event, WinClaimed):
                claim = event
        if deal.state.claims:
            cases.append(case_from_state(deal.state, claim))
    return cases


def rules(number: int) -> Iterator[Measurement]:
    """Riichi wins with yaku, fu and payments, and shanten, beside PyPI mahjong.

    "First time" is with empty tables, "told" with the reason for every item written out.
    """
    ruleset = find_ruleset("riichi_4p")
    cases = won_hands(number)
    options = ruleset.options
    scorer = Scorer(options, 4)
    cold = _rate(lambda: [scorer.score(case) for case in cases], number)
    warm = _best_rate(lambda: [scorer.score(case) for case in cases], number)
    yield Measurement("riichi win scored, first time", cold, "hands/s")
    yield beside("riichi win scored", warm, "hands/s", _peer_wins(cases))
    told = _best_rate(lambda: [ruleset.settle_win(case, options) for case in cases], number)
    yield Measurement("riichi win told", told, "hands/s")
    yield from _shanten()
    yield from american(number)


def american(number: int) -> Iterator[Measurement]:
    """The best line of a card of seventy lines: jokers and exposures included."""
    card = parse_card(card_of_seventy_lines())
    rng = random.Random(1)
    wall = find_ruleset("american").tile_set(None).tiles()
    hands: list[Rack] = []
    for _ in range(number):
        groups = rng.choice(rng.choice(card.lines).instances).groups
        tiles = [group.face for group in groups for _ in range(group.count)]
        hands += [Rack.of(tiles), Rack.of(rng.sample(wall, 14))]
    for name, asked in (("complete", hands[::2]), ("any", hands[1::2])):
        each = sorted(_cpu_seconds(partial(matches, hand, (), card)) for hand in asked)
        slow = 1000 * each[int(len(each) * 0.99)]
        yield Measurement(f"american best line of 70, {name} hand, p99 CPU", slow, "ms")


def card_of_seventy_lines() -> str:
    """The practice card and its first lines once more: as long as the longest printed cards."""
    head, *lines = practice_card_text().split("[[line]]")
    more = [line.replace('id = "', 'id = "again-', 1) for line in lines[: 70 - len(lines)]]
    return "[[line]]".join([head, *lines, *more])


def _shanten() -> Iterator[Measurement]:
    rng = random.Random(2)
    ruleset = find_ruleset("riichi_4p")
    wall = ruleset.tile_set(ruleset.options).tiles()
    hands = [_counts(rng.sample(wall, 14)) for _ in range(2000)]
    cold = _rate(lambda: [shanten_of_counts(hand) for hand in hands], len(hands))
    warm = _best_rate(lambda: [shanten_of_counts(hand) for hand in hands], len(hands))
    peer = None
    try:
        from mahjong.shanten import Shanten  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        pass
    else:
        theirs = Shanten()
        peer = _best_rate(lambda: [theirs.calculate_shanten(hand) for hand in hands], len(hands))
    yield Measurement("shanten, first time", cold, "hands/s")
    yield beside("shanten", warm, "hands/s", peer)


def _counts(hand: Sequence[Tile]) -> list[int]:
    counts = [0] * 34
    for tile in hand:
        counts[KIND_INDEX[tile]] += 1
    return counts


def _peer_wins(cases: Sequence[Case]) -> float | None:
    """The same closed hands through PyPI mahjong; None where it is not installed."""
    try:
        from mahjong.hand_calculating.hand import (  # type: ignore[import-not-found,unused-ignore]
            HandCalculator,
        )
        from mahjong.hand_calculating.hand_config import (  # type: ignore[import-not-found,unused-ignore]
            HandConfig,
            OptionalRules,
        )
        from mahjong.meld import Meld as PeerMeld  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None
    questions: list[tuple[Any, ...]] = []
    for case in cases:
        used: dict[int, int] = {}

        def number(tile: Tile, used: dict[int, int] = used) -> int:
            kind = KIND_INDEX[tile]
            used[kind] = used.get(kind, -1) + 1
            return kind * 4 + used[kind]

        melds = []
        tiles = []
        for meld in case.melds:
            ids = [number(tile) for tile in meld.tiles]
            kind = {"chow": PeerMeld.CHI, "pung": PeerMeld.PON}.get(meld.kind, PeerMeld.KAN)
            melds.append(PeerMeld(kind, ids, opened=not meld.kind.is_concealed))
            tiles += ids
        tiles += [number(tile) for tile in case.hand]
        winning = number(case.winning_tile)
        config = HandConfig(
            is_tsumo=case.self_drawn,
            is_riichi="ready" in case.flags,
            options=OptionalRules(has_aka_dora=False),
        )
        questions.append(([*tiles, winning], winning, melds, config))
    calculator = HandCalculator()

    def ask() -> None:
        for tiles, winning, melds, config in questions:
            calculator.estimate_hand_value(tiles, winning, melds=melds, config=config)

    return _best_rate(ask, len(questions))


def _cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _best_rate(work: Callable[[], object], number: int) -> float:
    """The best of five: the one that other programs disturbed least."""
    return max(_rate(work, number) for _ in range(5))


def _rate(work: Callable[[], object], number: int) -> float:
    start = time.perf_counter()
    work()
    return number / (time.perf_counter() - start)


# --- wire ----------------------------------------------------------------------------------------


def wire(number: int) -> Iterator[Measurement]:
    """Round trips from the bridge through pyserial and a pty to the firmware and back."""
    trips = sorted(asyncio.run(_round_trips(number)))
    yield Measurement("wire round trip p50", statistics.median(trips) * 1000, "ms")
    yield Measurement("wire round trip p99", trips[int(0.99 * (len(trips) - 1))] * 1000, "ms")


async def _round_trips(number: int) -> list[float]:
    from firmware_bridge.bridge import Bridge
    from firmware_bridge.clock import sleep
    from firmware_bridge.layout import PRESETS
    from firmware_bridge.messages import Echo
    from firmware_bridge.simulator import SimulatedTable

    layout = PRESETS["136"]
    labels = ["bk"] * layout.tiles
    trips = []
    with SimulatedTable(layout, labels, speed="max") as table:
        async with Bridge(table.port, clock=table.clock) as bridge:
            while not bridge.connected:
                await sleep(table.clock, 0.05)
            for token in range(number):
                start = time.perf_counter()
                await bridge.execute(Echo(token))
                trips.append(time.perf_counter() - start)
    return trips


# --- pictures ------------------------------------------------------------------------------------


def pictures(number: int) -> Iterator[Measurement]:
    """From a 1080p picture with about 100 tiles to events, in this process, on two threads."""
    import numpy as np

    from table_controller.interpret import Rules, explain, read_scene
    from table_controller.layout import StandingWall, Untidiness, geometry_for, laid_out
    from table_controller.rules.core.wall import wall_order
    from table_controller.simulation.run import TABLE_LOOK
    from vision.camera import CameraModel
    from vision.read import Reader
    from vision.render import Renderer
    from vision.scene import SceneSettings, Watcher, tile_px
    from vision.types import Scene

    ruleset = find_ruleset("riichi_4p")
    options = ruleset.options
    assert ruleset.play is not None
    geometry = geometry_for(ruleset, options)
    camera = CameraModel.above_table()
    rng = random.Random(5)
    tiles = ruleset.tile_set(options).tiles()
    rng.shuffle(tiles)
    deal = open_deal(ruleset.play.first_deal(options), tiles, ruleset.play, options)
    for _ in zip(range(60), play_deal(deal, bot(rng)), strict=False):
        pass
    walls = StandingWall(
        deal.wall, wall_order(ruleset.play.wall(options).stacks, deal.state.dealer, 7)
    )
    placed = laid_out(deal.state, geometry, walls, Untidiness(seed=5))
    renderer = Renderer(camera, TABLE_LOOK)
    reader = Reader(tile_px=tile_px(camera, geometry), threads=2)
    rules_ = Rules(ruleset.play, options, ruleset.tile_set(options))
    times = []
    for index in range(number + 2):
        picture = renderer.draw(placed, np.random.default_rng(index)).image
        watcher = Watcher(camera, geometry, reader, SceneSettings(agree=1))
        start = time.perf_counter()
        scene = Scene(float(index), tuple(watcher.read(picture)), frames=1)
        explain(deal.state, read_scene(scene, geometry, 4), rules_)
        times.append(time.perf_counter() - start)
    ordered = sorted(times[2:])
    yield Measurement("tiles in the picture", float(len(scene.sightings)), "tiles")
    yield Measurement("picture to event p50", statistics.median(ordered) * 1000, "ms")
    yield Measurement("picture to event p95", ordered[int(0.95 * (len(ordered) - 1))] * 1000, "ms")


# --- daemon --------------------------------------------------------------------------------------


def daemon() -> Iterator[Measurement]:
    """A fresh process until it serves the screen, and its memory, without vision and with it."""
    start = time.perf_counter()
    script = (
        "import asyncio\n"
        "from table_controller.store import Store\n"
        "from table_controller.table import Table\n"
        "from table_controller.rules import find_ruleset\n"
        "from table_controller.web.app import Site, serve\n"
        "from table_controller.config import WebSettings\n"
        "import table_controller.app\n"
        "async def main():\n"
        "    table = Table.open(Store(':memory:'), find_ruleset('riichi_4p'))\n"
        "    task = None\n"
        "    def started(port):\n"
        "        status = open('/proc/self/status').read().split('VmHWM:')[1]\n"
        "        print(status.split()[0], flush=True)\n"
        "        task.cancel()\n"
        "    site = Site(table, WebSettings())\n"
        "    task = asyncio.create_task(serve(site, started=started, port=0))\n"
        "    try:\n"
        "        await task\n"
        "    except asyncio.CancelledError:\n"
        "        pass\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
    )
    yield Measurement("daemon ready", time.perf_counter() - start, "s")
    yield Measurement("daemon memory without vision", int(done.stdout) / 1024, "MB")
    with tempfile.TemporaryDirectory() as folder:
        _write_frames(Path(folder))
        yield Measurement("vision process memory", asyncio.run(_vision_mb(folder)), "MB")


def _write_frames(folder: Path) -> None:
    """What a camera sees of a table that lies still, as a folder of pictures: the simulated camera
    would keep the renderer in the memory that is measured."""
    import cv2
    import numpy as np

    from vision.render import Look, Renderer
    from vision.worker import EyesSettings

    rng, geometry = np.random.default_rng(1), EyesSettings().table
    placed = [geometry.pond_place(seat, index).of("5p") for seat in range(4) for index in range(18)]
    frame = Renderer(EyesSettings().camera, Look(), seed=1).draw(placed, rng)
    ok, jpeg = cv2.imencode(".jpg", frame.image)
    assert ok
    for number in range(40):  # four seconds at a folder's pace: a scene was agreed long before
        (folder / f"{number:03}.jpg").write_bytes(jpeg.tobytes())


async def _vision_mb(folder: str) -> float:
    from vision.worker import EyesSettings, open_eyes

    async with open_eyes(EyesSettings(source=folder)) as eyes:
        await anext(eyes.scenes())
        return eyes.memory_mb
