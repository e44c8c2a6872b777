"""The table follows a game by scenes and keys alone."""

from __future__ import annotations

import asyncio
import random
from contextlib import nullcontext
from dataclasses import dataclass, replace
from math import hypot

import pytest

from table_controller.conductor import Conductor, Key, Look
from table_controller.interpret import Rules, Seen, explain, likeliest, read_scene
from table_controller.layout import TIDY, Untidiness, laid_out
from table_controller.records.reading import read_games
from table_controller.rules import find_ruleset
from table_controller.rules.core.case import Answer
from table_controller.rules.core.decomposition import is_standard
from table_controller.rules.core.errors import ImpossibleEventError
from table_controller.rules.core.events import (
    DealBegan,
    DealEnded,
    Discarded,
    Doubted,
    Drawn,
    GameBegan,
    GameEvent,
    HandDealt,
    HandShown,
    KongDeclared,
    MeldCalled,
    Penalised,
    WinClaimed,
    WinJudged,
    hide,
)
from table_controller.rules.core.game import DealStart, Final, Play, WallPlan, conclude, open_deal
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.state import Awaiting, DealState, apply, begin
from table_controller.rules.core.tiles import (
    STANDARD_136,
    STANDARD_144,
    Tile,
    kind_counts,
    parse_tiles,
)
from table_controller.rules.core.wall import broken_side, wall_order
from table_controller.simulation.bots import bot
from table_controller.simulation.compare import compare, compare_with_truth
from table_controller.simulation.eyes import PerfectEyes, PixelEyes
from table_controller.simulation.match import Players, replayed
from table_controller.simulation.scripts import find_script
from table_controller.simulation.session import CameraMovedError, Session
from tests.shared_data import shared_data
from tests.table_controller.in_memory import Doubtful, MemoryLog, ShuffledWalls
from tests.vision.fakes import PLAIN as PLAIN_LOOK
from vision.types import Guess
from vision.worker import EyesSettings, open_eyes
from vision.zones import TableGeometry


@dataclass(frozen=True)
class NoOptions:
    """A ruleset without options."""


@dataclass
class Played:
    conductor: Conductor
    log: MemoryLog
    truth: list[GameEvent]


def _complete(state, seat, offer, options):
    tiles = [tile for tile in state.seats[seat].hand if tile is not None]
    if offer is not None:
        tiles.append(offer.tile)
    return is_standard(kind_counts(tiles))


PLAIN = Ruleset(
    name="plain",
    title="Any complete hand wins",
    native="",
    source="made up here: the plainest game with chows, kongs, flowers and ready declarations",
    players=4,
    options=NoOptions(),
    presets={},
    tile_set=lambda options: STANDARD_144,
    settle_win=lambda case, options: Answer(ruleset="plain", valid=True),
    play=Play(
        wall=lambda options: WallPlan(
            stacks=(18, 18, 18, 18), reserved=14, shown_at_start=1, indicators=(6, 8, 10, 12, 14)
        ),
        first_deal=lambda options: DealStart(
            number=1, dealer=Seat.A, round_wind=Wind.EAST, points=(0, 0, 0, 0)
        ),
        next_deal=lambda start, ended, options: None,
        final=lambda start, points, options: Final(placements=(1, 2, 3, 4), scores=(0.0,) * 4),
        judge=lambda state, history, claim, options: Answer(ruleset="plain", valid=True),
        can_win=_complete,
        ready_discards=lambda state, seat, options: (
            tuple(t for t in state.seats[seat].hand[:1] if t is not None)
            if len(state.seats[seat].pond) > 4
            and state.seats[seat].is_concealed
            and not state.seats[seat].is_ready
            and state.wall_left > 4
            else ()
        ),
        ready_deposit=1000,
        indicator_after_kong="after_discard",
        shows_hand_at_draw=lambda state, seat, options: seat is Seat.B,
    ),
)


async def play_one(name: str, seed: int, untidy: Untidiness = TIDY, blinks: float = 0.0) -> Played:
    ruleset = PLAIN if name == "plain" else find_ruleset(name)
    options = ruleset.options
    rng = random.Random(seed)
    tiles = ruleset.tile_set(options).tiles()
    rng.shuffle(tiles)
    stacks = ruleset.play.wall(options).stacks
    geometry = TableGeometry(seats=tuple(range(ruleset.players)), wall_stacks=(*stacks, 0, 0)[:4])
    log = MemoryLog(ruleset.players)
    conductor = Conductor(ruleset, options, log, geometry)
    conductor.log.append(GameBegan(ruleset=conductor.ruleset.name))
    conductor.begin_deal(dice=(3, 4))
    deal = open_deal(conductor.start, tiles, ruleset.play, options)
    opened = broken_side(deal.state.dealer, 7, len(stacks))
    players = Players(deal, wall_order(stacks, opened, 7), conductor, PerfectEyes(geometry), untidy)
    await players.play(bot(rng))
    return Played(conductor, log, deal.history)


def public(events):
    """What the table can know, without the order in which unseen draws are noted."""
    kept = []
    for event in events:
        if isinstance(event, Drawn | HandDealt):
            continue
        event = hide(event)
        if isinstance(event, Discarded):
            event = replace(event, turned=False)  # a called ready tile turns the next one
        if isinstance(event, KongDeclared):
            meld = replace(event.meld, tiles=tuple(sorted(event.meld.tiles)))
            event = replace(event, meld=meld)
        if isinstance(event, HandShown):
            event = (event.kind, event.seat, sorted(event.tiles), event.winning_tile)
        elif isinstance(event, WinClaimed):
            event = (event.kind, event.seat, event.source)
        kept.append(event)
    return kept


def assert_told(played):
    kinds = {"dice_rolled", "win_judged", "draw_settled", "deal_ended", "game_ended", "paid"}
    told = [e for e in public(played.log.history) if isinstance(e, tuple) or e.kind not in kinds]
    truth = [e for e in public(played.truth) if isinstance(e, tuple) or e.kind not in kinds]
    assert not [e for e in told if isinstance(e, Doubted)]
    assert told == truth
    assert any(isinstance(event, DealEnded) for event in played.log.history)


GAMES = ["plain", "riichi_4p", "korean_japanese_3p"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(12))
async def test_scenes_and_keys_tell_the_whole_deal(name, seed):
    assert_told(await play_one(name, seed, Untidiness(seed=seed)))


@pytest.mark.parametrize("seed", range(12))
async def test_a_discard_that_was_called_unseen_is_found_in_the_meld(seed):
    """The camera misses every third move: quick hands, sleeves over the pond."""
    played = await play_one("korean_japanese_3p", seed, Untidiness(seed=seed), blinks=0.35)
    assert_told(played)


async def test_an_offered_red_five_is_not_counted_twice():
    """A pung of two plain fives and a called red one, as one log of 2010 has it."""
    state = begin(
        DealBegan(number=0, dealer=Seat.A, round_wind=Wind.EAST, points=(0,) * 4, wall_left=69),
        4,
    )
    for seat in Seat:
        state = apply(state, HandDealt(seat=seat, tiles=(None,) * (14 if seat == 0 else 13)))
    state = apply(state, Discarded(seat=Seat.A, tile=Tile.parse("0p")))
    full = apply(
        state,
        MeldCalled(
            seat=Seat.C,
            meld=Meld(MeldKind.PUNG, parse_tiles("550p"), Seat.A, Tile.parse("0p")),
        ),
    )
    geometry = TableGeometry()
    scene = await PerfectEyes(geometry).look(laid_out(full, geometry))
    rules = Rules(PLAIN.play, PLAIN.options, STANDARD_136.with_red_fives(m=1, p=1, s=1))
    found = explain(state, read_scene(scene, geometry, 4), rules)
    called = found.events[0]
    assert isinstance(called, MeldCalled)
    assert sorted(called.meld.tiles) == sorted(parse_tiles("550p"))


async def test_a_hand_of_odd_size_is_not_looked_at_for_ever():
    """One tile of a shown hand that the camera never finds: the table asks, and goes on."""
    script = find_script("furiten_win")
    stacks = script.ruleset.play.wall(script.options).stacks
    geometry = TableGeometry(wall_stacks=stacks)
    log = MemoryLog(4)
    conductor = Conductor(script.ruleset, script.options, log, geometry)
    conductor.log.append(GameBegan(ruleset=conductor.ruleset.name))
    conductor.begin_deal()
    deal = script.open()

    class Blind(PerfectEyes):
        async def look(self, placed):
            shown = [t for t in placed if t.label == "7s"]
            return await super().look([t for t in placed if t not in shown])

    players = Players(deal, wall_order(stacks, Seat.A, 5), conductor, Blind(geometry))
    await players.look()
    await asyncio.wait_for(players.perform(replayed(deal, script.moves)), 20)
    assert [event.code for event in log.history if isinstance(event, Doubted)] == ["hand"]
    assert not [event for event in log.history if event.kind == "win_judged"]  # nobody is accused
    log.history = [event for event in log.history if not isinstance(event, Doubted)]  # answered
    await players.look()
    assert [event for event in log.history if event.kind == "win_judged"]


@pytest.mark.parametrize("seed", range(4))
async def test_a_pond_tile_that_is_not_found_any_more_does_not_stop_the_game(seed):
    """The camera soon misses the first tile of one pond; the game is followed all the same."""
    ruleset = find_ruleset("riichi_4p")
    options = ruleset.options
    rng = random.Random(seed)
    tiles = ruleset.tile_set(options).tiles()
    rng.shuffle(tiles)
    geometry = TableGeometry()
    log = MemoryLog(4)
    conductor = Conductor(ruleset, options, log, geometry)
    conductor.begin_deal()
    deal = open_deal(conductor.start, tiles, ruleset.play, options)

    class Blind(PerfectEyes):
        async def look(self, placed):
            place = geometry.pond_place(2, 0).centre_mm
            known = deal.state.seats[2].pond and len(deal.state.seats[2].pond) > 1

            def hidden(tile):
                away = max(abs(tile.centre_mm[i] - place[i]) for i in (0, 1))
                return known and away < 6 and tile.facing == "up"

            return await super().look([t for t in placed if not hidden(t)])

    players = Players(
        deal, wall_order((17,) * 4, Seat.A, 5), conductor, Blind(geometry), Untidiness(seed=seed)
    )
    await players.play(bot(rng))
    told = [e for e in public(log.history) if not isinstance(e, tuple) and e.kind == "discarded"]
    truth = [e for e in public(deal.history) if not isinstance(e, tuple) and e.kind == "discarded"]
    assert told == truth


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("kobalab_format_mahjonglm/2023012721gm-00e1-0000-72b6b9d6.json", 3),
        ("tenhou6_pantheon/nine_terminal_draw.json", None),
        ("tenhou_python_bot/13.xml", 0),
    ],
)
async def test_who_aborts_a_recorded_deal_shows_the_hand_that_allows_it(path, place):
    """Found through pictures: a record that names no shown hand left the table waiting for one."""
    game = next(iter(read_games(shared_data("logs") / path)))
    aborted = [deal for deal in game.deals if deal.draw and deal.draw.reason == "kyuushu_kyuuhai"]
    deal = aborted[0] if place is None else game.deals[place]
    assert deal in aborted
    ruleset = find_ruleset(game.ruleset)
    log = MemoryLog(ruleset.players)
    geometry = TableGeometry()
    conductor = Conductor(ruleset, ruleset.choose(game.preset, **game.options), log, geometry)
    walls = ShuffledWalls((17,) * 4, STANDARD_136.tiles(), random.Random(1))
    await Session(conductor, walls, PerfectEyes(geometry)).replay(deal)
    found = compare(game.name, log.history, deal)
    assert found.differences == ()
    assert found.doubts == ()


class Sabotaged(PerfectEyes):
    """Some tiles are never seen, as if they lay under a cup; ``hides`` says which."""

    def __init__(self, geometry, hides):
        super().__init__(geometry)
        self.hides = hides

    async def look(self, placed):
        return await super().look([tile for tile in placed if not self.hides(tile)])


@pytest.mark.parametrize(
    ("name", "seed", "cups", "radius_mm", "presses"),
    [
        *(("riichi_4p", seed, 5, 30, 0.7) for seed in range(8)),
        *(("korean_japanese_3p", seed, 5, 30, 0.7) for seed in range(8)),
        ("korean_japanese_3p", 14, 5, 30, 0.7),  # a loser's hand that lacked a tile
        ("riichi_4p", 9, 1, 14, 1.0),  # a self-drawn hand that lacked one was refused
        ("riichi_4p", 23, 1, 14, 1.0),  # so was a waiting hand at a draw
    ],
)
async def test_a_deal_is_settled_as_it_was_or_a_person_is_asked(
    name, seed, cups, radius_mm, presses
):
    """Tiles that are never seen, keys that are not pressed: the table never waits in silence."""
    ruleset = find_ruleset(name)
    options = ruleset.options
    rng = random.Random(seed)
    tiles = ruleset.tile_set(options).tiles()
    rng.shuffle(tiles)
    stacks = ruleset.play.wall(options).stacks
    geometry = TableGeometry(seats=tuple(range(ruleset.players)), wall_stacks=(*stacks, 0, 0)[:4])
    log = MemoryLog(ruleset.players)
    conductor = Conductor(ruleset, options, log, geometry)
    conductor.begin_deal()
    deal = open_deal(conductor.start, tiles, ruleset.play, options)
    under = [(rng.uniform(-350, 350), rng.uniform(-350, 350)) for _ in range(cups)]

    def hidden(tile):
        x, y = tile.centre_mm
        return any(hypot(x - cup[0], y - cup[1]) < radius_mm for cup in under)

    async def press(seat, key):
        if key is Key.READY or rng.random() < presses:  # ready may have no other sign
            conductor.press(seat, key)

    players = Players(
        deal, wall_order(stacks, Seat.A, 5), conductor, Sabotaged(geometry, hidden), press=press
    )
    await asyncio.wait_for(players.play(bot(rng)), 60)
    if not any(isinstance(event, Doubted) for event in log.history):
        settled = conclude(deal.state, deal.history, ruleset.play, options)
        truth = [*deal.history, *settled]
        assert compare_with_truth("", "", log.history, truth).differences == ()


async def at_a_table(script_name):
    """A scripted deal up to its claim, with the players who will make it."""
    script = find_script(script_name)
    stacks = script.ruleset.play.wall(script.options).stacks
    geometry = TableGeometry(wall_stacks=stacks)
    log = MemoryLog(4)
    conductor = Conductor(script.ruleset, script.options, log, geometry)
    conductor.begin_deal()
    deal = script.open()
    players = Players(deal, wall_order(stacks, Seat.A, 5), conductor, PerfectEyes(geometry))
    await players.look()
    ending = next(i for i, move in enumerate(script.moves) if isinstance(move, WinClaimed))
    await players.perform(replayed(deal, script.moves[:ending]))
    return players, log, script.moves[ending:]


def questions(log, code="waiting"):
    return [e.question for e in log.history if isinstance(e, Doubted) and e.code == code]


async def test_a_win_key_without_a_hand_is_asked_about_until_the_hand_is_shown():
    players, log, ending = await at_a_table("furiten_win")
    players.conductor.press(Seat.B, Key.WIN)
    await players.look()
    assert [text.partition(":")[0] for text in questions(log)] == [
        "south pressed win and shows no hand"
    ]
    await players.perform(replayed(players.deal, ending))
    assert questions(log) == []
    assert [event for event in log.history if event.kind == "win_judged"]


async def test_a_hand_that_is_shown_without_a_key_is_asked_about():
    players, log, ending = await at_a_table("furiten_win")
    for event in ending:
        players.deal.do(event)
    await players.look()
    assert questions(log) == ["south shows a hand: press win, or hide it"]
    players.conductor.press(Seat.B, Key.WIN)
    await players.look()
    assert [event for event in log.history if event.kind == "win_judged"]


async def test_a_draw_key_in_the_middle_of_a_deal_is_asked_about_and_forgotten_at_a_discard():
    players, log, _ = await at_a_table("furiten_win")
    players.conductor.press(Seat.C, Key.DRAW_END)
    await players.look()
    (question,) = questions(log)
    assert question.startswith("west pressed draw: ")
    for event in (Drawn(seat=Seat.B), Discarded(seat=Seat.B, tile=Tile.parse("9p"))):
        players.deal.do(event)
    for event in (Drawn(seat=Seat.C), Discarded(seat=Seat.C, tile=Tile.parse("2m"))):
        players.deal.do(event)
    await players.look()
    assert questions(log) == []
    assert players.conductor.is_playing


async def test_a_question_that_a_person_has_answered_is_not_put_again():
    players, log, _ = await at_a_table("furiten_win")
    players.conductor.press(Seat.B, Key.WIN)
    await players.look()
    log.history = [event for event in log.history if not isinstance(event, Doubted)]
    await players.look()
    assert questions(log) == []


async def test_a_scene_that_breaks_the_rules_of_the_log_is_asked_about(monkeypatch):
    players, log, _ = await at_a_table("furiten_win")

    def impossible(*_):
        raise ImpossibleEventError("seat 2 does not hold 5p")

    monkeypatch.setattr("table_controller.conductor.explain", impossible)
    await players.look()
    assert questions(log, "unexplained") == ["seat 2 does not hold 5p: what happened?"]


RED_136 = STANDARD_136.with_red_fives(m=1, p=1, s=1)


def seen_as(label, confidence, *others, back=0.0):
    return Seen(
        Tile.parse(label), confidence, False, 0.0, 0.0,
        tuple((Tile.parse(other), share) for other, share in others), back=back,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("seen", "face_up", "tile", "confidence"),
    [
        (seen_as("5z", 0.7, back=0.3), True, "5z", 1.0),  # no back lies in a pond
        (seen_as("5z", 0.7, back=0.3), False, "5z", 0.7),
        (seen_as("5z", 0.45, back=0.55), True, "5z", 0.45),  # a glare makes any face blank
        (seen_as("5z", 0.6, ("1p", 0.2), back=0.2), True, "5z", 0.75),
        (seen_as("1f", 0.5, ("1m", 0.5)), True, "1m", 1.0),  # the set has no flowers
        (seen_as("6p", 0.7, ("9p", 0.3)), True, "6p", 0.7),
        (seen_as("5p", 0.5, ("0p", 0.5)), True, "5p", 0.5),
    ],
)
def test_what_cannot_lie_there_takes_no_share_of_the_confidence(seen, face_up, tile, confidence):
    best, sure, _ = likeliest(seen, RED_136, face_up=face_up)
    assert best == Tile.parse(tile)
    assert sure == pytest.approx(confidence)


def test_a_back_is_no_face_unless_every_tile_lies_face_up():
    seen = replace(seen_as("5z", 0.9), tile=None, back=0.9, others=((Tile.parse("5z"), 0.1),))
    assert likeliest(seen, RED_136)[0] is None
    assert likeliest(seen, RED_136, face_up=True)[:2] == (Tile.parse("5z"), 0.1)


async def with_discards(eyes, discards):
    """A riichi deal in which East and the others discard these tiles, seen by these eyes."""
    log = MemoryLog(4)
    conductor = Conductor(find_ruleset("riichi_4p"), find_ruleset("riichi_4p").options, log,
                          TableGeometry())  # fmt: skip
    conductor.begin_deal()
    return Hands(conductor, eyes, log, discards.split())


@dataclass
class Hands:
    """Lay tiles down in turn, whatever they hold."""

    conductor: Conductor
    eyes: PerfectEyes
    log: MemoryLog
    left: list[str]
    state: DealState | None = None

    async def lay(self, times=1):
        """So many discards more, each looked at until it is taken."""
        state = self.state or self.log.state
        for _ in range(times):
            if state.awaiting is not Awaiting.DISCARD:
                state = apply(state, Drawn(seat=state.turn))
            tile = Tile.parse(self.left.pop(0))
            state = apply(state, Discarded(seat=state.turn, tile=tile))
            self.state = state
            await self.look()

    async def look(self):
        placed = laid_out(self.state, self.conductor.geometry)
        while self.conductor.see(await self.eyes.look(placed)) is Look.AGAIN:
            pass

    def told(self):
        return [str(e.tile) for e in self.log.history if isinstance(e, Discarded)]

    def asked(self):
        return [e.code for e in self.log.history if isinstance(e, Doubted)]


async def test_a_fifth_copy_is_asked_about_once():
    def twice(seen):
        return replace(seen, label="5s") if seen.label == "6s" else seen

    hands = await with_discards(Doubtful(TableGeometry(), twice), "5s 5s 5s 6s 6s 1m 2m 3m 4m")
    await hands.lay(9)
    assert hands.asked() == ["fifth_tile"]


async def test_a_doubt_that_a_later_look_settles_is_taken_back():
    blurred = {"1m": 0.5}

    def reads(seen):
        share = blurred.get(seen.label)
        return replace(seen, confidence=share, others=(Guess("4m", 0.4),)) if share else seen

    hands = await with_discards(Doubtful(TableGeometry(), reads), "9p 1m 8p 7p")
    await hands.lay(3)
    assert hands.asked() == ["reading"]
    blurred.clear()
    await hands.lay()
    assert hands.asked() == []
    assert hands.told() == ["9p", "1m", "8p", "7p"]


async def test_a_doubtful_discard_that_is_later_read_otherwise_is_corrected():
    wrong = {"1m"}

    def reads(seen):
        if seen.label not in wrong:
            return seen
        return replace(seen, label="4m", confidence=0.5, others=(Guess("1m", 0.4),))

    hands = await with_discards(Doubtful(TableGeometry(), reads), "9p 1m 8p 7p")
    await hands.lay(3)
    assert hands.told() == ["9p", "4m", "8p"]
    wrong.clear()
    await hands.lay()
    assert hands.told() == ["9p", "1m", "8p", "7p"]
    assert hands.asked() == []


LABELS_34 = [f"{n}{suit}" for suit in "mps" for n in range(1, 10)] + [f"{n}z" for n in range(1, 8)]


async def test_play_goes_on_past_a_discard_that_is_not_seen_and_it_is_filled_in_when_it_is():
    geometry = TableGeometry()
    gone = [True]
    spot = geometry.pond_place(1, 0).centre_mm

    def hides(tile):
        away = hypot(tile.centre_mm[0] - spot[0], tile.centre_mm[1] - spot[1])
        return gone[0] and away < 5 and tile.facing == "up"

    hands = await with_discards(Sabotaged(geometry, hides), "9p 1m 8p 7p 6p 5s 4s 3s 2s")
    await hands.lay(2)
    assert hands.asked() == []  # the table thinks that South thinks
    await hands.lay()
    assert hands.asked() == ["unexplained"]  # did West play out of turn, or was a tile missed?
    await hands.lay()
    assert hands.told() == ["9p", "jk", "8p", "7p"]
    assert hands.asked() == ["unread"]
    doubt = next(event for event in hands.log.history if isinstance(event, Doubted))
    assert (doubt.seat, doubt.place) == (Seat.B, 1)
    assert {str(tile.face) for tile in doubt.candidates} == set(LABELS_34)
    await hands.lay(4)
    assert hands.told() == ["9p", "jk", "8p", "7p", "6p", "5s", "4s", "3s"]
    assert hands.asked() == ["unread"]
    gone[0] = False
    await hands.lay()
    assert hands.told() == ["9p", "1m", "8p", "7p", "6p", "5s", "4s", "3s", "2s"]
    assert hands.asked() == []


class Bracket(PerfectEyes):
    """Reads perfectly, through a camera whose bracket can be knocked."""

    def __init__(self, geometry, process):
        super().__init__(geometry)
        self.camera = PixelEyes(process, nullcontext)

    async def camera_drift(self):
        return await self.camera.camera_drift()


async def test_no_deal_begins_with_a_camera_that_has_moved():
    ruleset = find_ruleset("korean_japanese_3p")
    stacks = ruleset.play.wall(ruleset.options).stacks
    geometry = TableGeometry(seats=(0, 1, 2), wall_stacks=(*stacks, 0, 0)[:4])
    log = MemoryLog(3)
    conductor = Conductor(ruleset, ruleset.options, log, geometry)
    tiles = ruleset.tile_set(ruleset.options).tiles()
    walls = ShuffledWalls(stacks, tiles, random.Random(1))
    settings = EyesSettings(
        detector="tests.vision.fakes:back_reader", look=PLAIN_LOOK, table=geometry
    )
    async with open_eyes(settings) as process:
        session = Session(conductor, walls, Bracket(geometry, process))
        for knock in ({"shift_mm": (3.0, 0.0, 0.0)}, {"turn_deg": 1.0}):
            await process.knock(**knock)
            with pytest.raises(CameraMovedError, match="push it back or calibrate it"):
                await session.play(bot(random.Random(1)))
            assert log.state is None
        await process.knock()
        await session.play(bot(random.Random(1)))
    assert any(isinstance(event, DealEnded) for event in log.history)


async def test_a_tile_that_comes_and_goes_is_not_asked_about_for_ever():
    geometry = TableGeometry()
    spot = geometry.pond_place(0, 0).centre_mm
    gone = [False]

    def hides(tile):
        away = hypot(tile.centre_mm[0] - spot[0], tile.centre_mm[1] - spot[1])
        return gone[0] and away < 5 and tile.facing == "up"

    hands = await with_discards(Sabotaged(geometry, hides), "9p 1m 8p 7p")
    await hands.lay(4)
    asked = []
    for _ in range(6):
        gone[0] = True
        await hands.look()
        asked.append(len(hands.asked()))
        gone[0] = False
        await hands.look()
        assert hands.asked() == []
    assert asked == [1, 1, 1, 0, 0, 0]


TRIPLE = "234m 234p 234s 46p 77s"  # waits for 5p, as the other one does
STRAIGHT = "123456789m 46p 33z"


@dataclass
class Showing:
    """A game of four to the discard of 5p by East, and hands that are shown then."""

    conductor: Conductor
    log: MemoryLog
    hands: Hands

    async def shows(self, seat, text):
        self.hands.state = self.hands.state.with_seat(seat, shown=parse_tiles(text))
        await self.hands.look()

    async def presses_win(self, seat):
        self.conductor.press(seat, Key.WIN)
        await self.hands.look()

    def judged(self):
        return {e.seat: e.answer.valid for e in self.log.history if isinstance(e, WinJudged)}


async def with_five_dots_on_offer(name, **changes):
    ruleset = find_ruleset(name)
    options = ruleset.choose(**changes)
    geometry = TableGeometry(wall_stacks=ruleset.play.wall(options).stacks)
    log = MemoryLog(4)
    conductor = Conductor(ruleset, options, log, geometry)
    conductor.begin_deal()
    hands = Hands(conductor, PerfectEyes(geometry), log, ["1z", "9s", "9s", "9m", "5p", "2z", "2z"])
    await hands.lay(5)
    return Showing(conductor, log, hands)


async def test_a_win_key_pressed_by_mistake_is_taken_back_and_keeps_nobody_from_winning():
    table = await with_five_dots_on_offer("mcr")
    await table.presses_win(Seat.B)
    assert len(questions(table.log)) == 1
    table.conductor.press(Seat.D, Key.WIN)
    await table.shows(Seat.D, TRIPLE)
    assert table.judged() == {}  # South may still show a hand, and would come first
    await table.presses_win(Seat.B)
    assert table.judged() == {Seat.D: True}
    assert not table.conductor.is_playing


async def test_a_win_key_that_is_pressed_twice_at_once_is_no_second_thought():
    table = await with_five_dots_on_offer("mcr")
    table.conductor.press(Seat.B, Key.WIN)
    table.conductor.press(Seat.B, Key.WIN)
    await table.shows(Seat.B, "1112223334567m")
    assert Seat.B in {e.seat for e in table.log.history if isinstance(e, WinClaimed)}


async def test_who_pressed_win_and_discards_has_taken_it_back():
    table = await with_five_dots_on_offer("mcr")
    await table.presses_win(Seat.B)
    await table.hands.lay(2)
    assert questions(table.log) == []
    await table.presses_win(Seat.D)
    await table.shows(Seat.D, TRIPLE)
    claims = [event.seat for event in table.log.history if isinstance(event, WinClaimed)]
    assert claims == [Seat.D]


async def test_another_claim_of_the_tile_counts_while_the_first_is_judged():
    table = await with_five_dots_on_offer("chinese_classical", waiting_declaration="none")
    table.conductor.press(Seat.D, Key.WIN)
    await table.shows(Seat.D, TRIPLE)
    await table.presses_win(Seat.B)
    table.conductor.press(Seat.A, Key.WIN)  # its own discard
    await table.shows(Seat.C, "147m 258p 369s 1234z")
    await table.shows(Seat.A, "147m 258p 369s 1235z")
    assert table.judged() == {}  # South has not shown the hand
    await table.shows(Seat.B, STRAIGHT)
    # chinese_classical.md, 3: of several claims the nearest in turn order
    assert table.judged() == {Seat.D: False, Seat.B: True}
    assert not any(isinstance(event, Penalised) for event in table.log.history)


@pytest.mark.parametrize("name", ["chinese_classical", "mcr"])
async def test_a_chow_of_a_discard_that_was_not_the_left_neighbours_is_told(name):
    table = await with_five_dots_on_offer(name)
    chow = Meld(MeldKind.CHOW, parse_tiles("456p"), Seat.A, Tile.parse("5p"))
    table.hands.state = apply(table.hands.state, MeldCalled(seat=Seat.C, meld=chow))
    await table.hands.look()
    told = [event for event in table.log.history if isinstance(event, Penalised | Doubted)]
    assert [(event.kind, event.seat, event.code) for event in told] == [
        ("penalised", Seat.C, "wrong_call")
    ]
    (called,) = (event for event in table.log.history if isinstance(event, MeldCalled))
    assert called.meld.source is Seat.A  # not of North, who has not even drawn
