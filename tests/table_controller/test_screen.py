"""The pages as a browser shows them: what is on them, that it fits, that it stays alive."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace

import pytest
import pytest_asyncio

from table_controller.calibrating import Calibration
from table_controller.conductor import Key
from table_controller.config import WebSettings
from table_controller.rules import find_ruleset
from table_controller.rules.core.events import (
    Announced,
    DealBegan,
    DealEnded,
    DiceRolled,
    Discarded,
    Doubted,
    Drawn,
    HandDealt,
    HandShown,
    Voided,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import conclude
from table_controller.rules.core.seats import Seat, Wind, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.store import Store
from table_controller.table import FaultNotice, HandChallenged, MachineStatus, Table
from table_controller.web.app import Site, serve
from table_controller.web.staff import hash_pin
from tests.table_controller.browser import browser, chromium

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(
        chromium() is None, reason="NOT CHECKED: the screens need chromium (apt install chromium)"
    ),
]
PIN = "1357"
PIN_HASH = hash_pin(PIN, b"salt")
A, B, C = Seat.A, Seat.B, Seat.C
PONDS = {A: "1z 9p 3p 1m", B: "9m 2z 7p 1p", C: "5z 9p 8m 3p", Seat.D: "6z 1s 2m 9m"}


def deal_at(name, turns=4, **changes):
    """A table in a deal with some discards; C's last one is on offer."""
    ruleset = find_ruleset(name)
    options = ruleset.choose(**changes)
    table = Table.open(Store(":memory:"), ruleset, options, names=("Ann", "Bo", "Cy"))
    play, players = table.ruleset.play, table.players
    start = play.first_deal(table.options)
    table.append(
        DealBegan(
            number=start.number,
            dealer=A,
            round_wind=Wind.EAST,
            points=start.points,
            wall_left=60,
            hand_size=play.hand_size,
            kongs_replaced=play.kongs_replaced,
        )
    )
    table.append(DiceRolled(dice=(4, 1)))
    for seat in seats(players):
        more = seat is A and play.dealer_extra
        table.append(HandDealt(seat=seat, tiles=(None,) * (play.hand_size + more)))
    for turn in range(turns):
        for seat in seats(players):
            if turn or seat is not A:
                table.append(Drawn(seat=seat))
            table.append(Discarded(seat=seat, tile=parse_tiles(PONDS[seat])[turn]))
            if turn == turns - 1 and seat is C:
                break
    return table


def claim(table):
    """A claims C's last tile, which A discarded itself before."""
    table.append(WinClaimed(seat=A, tile=Tile.parse("3p"), source=C))
    table.append(
        HandShown(
            seat=A, tiles=parse_tiles("111p 999p 777p 12p 55z"), winning_tile=Tile.parse("3p")
        )
    )
    for event in conclude(table.state, table.history, table.ruleset.play, table.options):
        table.append(event)


class Served:
    """A table that is served, can be cut off and come back."""

    def __init__(self, table):
        self.table = table
        self.site = Site(table, WebSettings(staff_pin=PIN_HASH), name="East room")
        self.port = 0
        self._server = None

    async def up(self):
        listening = asyncio.get_running_loop().create_future()
        self._server = asyncio.create_task(
            serve(self.site, started=listening.set_result, port=self.port)
        )
        await asyncio.wait({self._server, listening}, return_when=asyncio.FIRST_COMPLETED)
        self.port = listening.result()

    async def down(self):
        self._server.cancel()
        await asyncio.wait({self._server})

    @property
    def url(self):
        return f"http://localhost:{self.port}"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def page():
    async with browser() as page:
        yield page


@pytest_asyncio.fixture(loop_scope="module")
async def served(request, page):
    served = Served(deal_at(**getattr(request, "param", {"name": "korean_japanese_3p"})))
    await served.up()
    yield served
    await page.open("about:blank", 800, 480)  # no screen is left that would miss its table
    await page.call("Log.clear")
    await served.down()


async def show(page, served, path="/?lang=en", size=(1280, 720)):
    page.problems.clear()
    await page.open(served.url + path, *size)
    await page.until(
        f"location.port === '{served.port}'"
        " && document.querySelector('.strip, .events li, #door:not([hidden])')"
    )


async def enter(page, served, pin=PIN):
    """The staff console, with the PIN typed in."""
    await show(page, served, "/staff?lang=en")
    await page.until("!document.getElementById('door').hidden")
    await page.evaluate(
        f"document.getElementById('pin').value = {pin!r};"
        "document.querySelector('#door button').click()"
    )


async def text(page, selector):
    return await page.evaluate(f"document.querySelector({selector!r}).textContent")


async def test_the_table_is_on_the_screen(page, served):
    await show(page, served)
    points = await page.evaluate(
        "[...document.querySelectorAll('.points')].map(e => e.textContent)"
    )
    assert points == [f"{p:,}" for p in served.table.points]
    assert await text(page, ".wall-left") == str(served.table.state.wall_left)
    assert await text(page, ".round") == "East 1"
    ponds = await page.evaluate("document.querySelectorAll('.pond .tile').length")
    assert ponds == served.table.state.discards
    assert "Ann" in await text(page, "#board")
    assert await page.evaluate("document.querySelectorAll('.dice svg').length") >= 2
    assert page.problems == []


async def test_what_happens_is_shown_at_once(page, served):
    await show(page, served)
    served.table.append(Drawn(seat=A))
    served.table.append(Discarded(seat=A, tile=Tile.parse("7s")))
    await page.until("document.querySelector('.pond image[href$=\"7s.svg\"]')")
    served.table.machine = MachineStatus(
        phase="building", progress=0.5, seconds_left=12,
        faults=(FaultNotice("T01", "One side is short of tiles.", "Look."),),
        refused=FaultNotice("lift", "The table is moving.", "Wait.", side=2),
    )  # fmt: skip
    await page.until("document.querySelector('progress')?.value === 0.5")
    assert "T01" in await text(page, ".fault")
    assert await text(page, ".call h2") == "Lift C · The table is moving."
    why = FaultNotice("halted", "Tiles are missing.", "Add them.")
    served.table.machine = MachineStatus(phase="halted", progress=0.5, halted=why)
    await page.until("document.querySelector('.call p')?.textContent === 'Add them.'")
    assert await text(page, ".call h2") == "Tiles are missing."
    assert await text(page, ".machine-line b") == "The build waits"
    told = FaultNotice("T02", "Tiles are missing.", "Look for them.")
    served.table.machine = replace(served.table.machine, faults=(told,))
    await page.until("document.querySelector('.fault')")  # the fault says it already
    assert await page.evaluate("document.querySelectorAll('.call').length") == 0
    assert page.problems == []


async def test_the_verdict_points_at_the_tile_and_says_where_it_lies(page, served):
    claim(served.table)
    await show(page, served)
    assert await page.evaluate(
        "[...document.querySelectorAll('.evidence image')].map(e => e.getAttribute('href'))"
    ) == ["/static/tiles/3p.svg"]
    assert "East's win does not stand" in await text(page, ".refused")
    assert "Sacred discard" in await text(page, ".refused")
    assert "East's discard 3: row 1, place 3" in await text(page, ".evidence-list")
    arrows = await page.evaluate("document.querySelectorAll('.arrow').length")
    deltas = await page.evaluate("[...document.querySelectorAll('.delta')].map(e => e.textContent)")
    assert arrows == 2
    assert deltas == ["−40", "+20", "+20"]
    assert page.problems == []


OUTSIDE = """(() => {
  const board = document.getElementById('board').getBoundingClientRect();
  const isOut = (box) => box.left < board.left - 1 || box.right > board.right + 1
    || box.top < board.top - 1 || box.bottom > board.bottom + 1;
  return [...document.querySelectorAll('#board text, #board .tile')]
    .filter((e) => isOut(e.getBoundingClientRect())).map((e) => e.textContent);
})()"""
SMALLEST_POINTS = """Math.min(...[...document.querySelectorAll('.points')].map((e) => {
  const box = e.getBoundingClientRect();
  return Math.min(box.width, box.height);
}))"""


@pytest.mark.parametrize(
    "served", [{"name": "korean_japanese_3p"}, {"name": "riichi_4p"}], indirect=True
)
async def test_seats_are_told_by_the_winds_of_the_deal_in_which_it_happened(page, served):
    table = served.table
    table.append(DealEnded(points=table.points))
    table.append(
        DealBegan(
            number=2, dealer=B, round_wind=Wind.EAST, points=table.points, wall_left=60,
            hand_size=13,
        )
    )  # fmt: skip
    table.append(Drawn(seat=B))
    table.append(Discarded(seat=B, tile=Tile.parse("9s")))
    await show(page, served)
    await page.until("document.querySelector('.log li')")
    log = await text(page, ".log")
    assert "East 2 begins." in log
    assert "East 1" not in log  # who was South then is East now
    await enter(page, served)
    await page.until("document.querySelector('.events li button')")
    await page.evaluate(
        "[...document.querySelectorAll('#console button')]"
        ".find((b) => b.textContent === 'The whole game').click()"
    )
    first = next(r for r in table.records if isinstance(r.event, Discarded))
    assert first.event.seat is A
    line = (
        "[...document.querySelectorAll('.events li')]"
        f".find((e) => e.textContent.startsWith('{first.number} '))"
    )
    await page.until(line)
    assert (await page.evaluate(f"{line}.querySelector('b').textContent")) == "East"


async def test_everything_fits_and_points_are_big(page, served):
    claim(served.table)
    for size in [(800, 480), (1280, 720), (1920, 1080), (720, 1280)]:
        await show(page, served, size=size)
        await page.until("document.querySelector('.verdict')")
        assert await page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth"
            " && document.documentElement.scrollHeight <= innerHeight"
        )
        assert await page.evaluate(OUTSIDE) == []
        assert await page.evaluate(SMALLEST_POINTS) >= 0.05 * min(size)
        assert await page.evaluate(
            "document.querySelector('.verdict').getBoundingClientRect().right <= innerWidth"
        )
    assert page.problems == []


async def test_a_touch_on_a_seat_compares_the_points(page, served):
    served.table.penalise(A, "late", [Payment(A, B, 10, "penalty")])
    await show(page, served)
    await page.evaluate("document.querySelectorAll('.strip')[1].dispatchEvent(new Event('click'))")
    points = await page.evaluate(
        "[...document.querySelectorAll('.points')].map(e => e.textContent)"
    )
    assert points == ["−20", "10", "−10"]


async def test_a_lost_connection_is_said_and_what_was_missed_comes_in(page, served):
    await show(page, served)
    await served.down()
    await page.until("!document.getElementById('stale').hidden")
    assert "No connection" in await text(page, "#stale")
    served.table.append(Drawn(seat=A))
    served.table.append(Discarded(seat=A, tile=Tile.parse("7s")))
    await served.up()
    await page.until("document.getElementById('stale').hidden")
    await page.until("document.querySelector('.pond image[href$=\"7s.svg\"]')")


@pytest.mark.parametrize("served", [{"name": "mcr"}], indirect=True)
async def test_the_staffs_list_of_penalties_offers_what_the_book_asks(page, served):
    await enter(page, served)
    await page.until("document.querySelector('#penalty select[name=code]')")

    async def choose(name, value):
        await page.evaluate(
            f"(field => {{ field.value = {value!r}; field.dispatchEvent(new Event('change')); }})"
            f"(document.querySelector('#penalty [name={name}]'))"
        )

    async def offered():
        return await page.evaluate(
            "(form => [form.points.value, form.to.value, form.dead.checked])"
            "(document.getElementById('penalty').elements)"
        )

    assert await offered() == ["10", "others", True]  # the first of the book: below the minimum
    await choose("code", "chombo")  # this book has none
    assert await offered() == ["0", "others", False]
    await choose("code", "late")
    assert await offered() == ["10", "pot", False]
    await choose("seat", "1")
    await choose("code", "not_a_win")
    assert await offered() == ["20", "others", True]
    await page.evaluate("document.querySelector('#penalty .danger').click()")
    await page.until("document.querySelector('.seats').textContent.includes('60')")
    assert served.table.points == (20, -60, 20, 20)
    assert served.table.state.seats[B].dead_hand


@pytest.mark.parametrize(
    "served", [{"name": "american", "turns": 0, "misnaming": "four_times"}], indirect=True
)
async def test_the_break_is_shown_and_the_staff_tells_what_the_table_does_not_hear(page, served):
    await show(page, served)
    assert "Break: wall of East, 5 from the right." in await text(page, "#panel")
    await enter(page, served)
    await page.until("document.querySelector('#challenge') && document.querySelector('#announce')")
    await page.evaluate(
        "(form => { form.elements.seat.value = '2'; form.querySelector('.danger').click(); })"
        "(document.getElementById('challenge'))"
    )
    assert await served.table.inbox.get() == HandChallenged(C, B)
    await page.evaluate("document.querySelectorAll('#announce button')[1].click()")
    await page.until("document.querySelector('.events').textContent.includes('Misnamed')")
    assert served.table.records[-1].event == Announced(seat=B, what="misnamed")
    assert page.problems == []


async def test_the_staff_takes_a_discard_back_in_two_taps(page, served):
    await enter(page, served, "0000")
    await page.until("document.getElementById('door-says').textContent.includes('wrong PIN')")
    await enter(page, served)
    await page.until("document.querySelector('.events li button')")
    last = served.table.log[-1]
    await page.evaluate("document.querySelector('.events li button').click()")
    await page.until("document.querySelector('.actions .danger')")
    await page.evaluate("document.querySelector('.actions .danger').click()")
    await page.until("document.querySelector('.events li.gone')")
    written = served.table.log[-1].event
    assert isinstance(written, Voided)
    assert written.index == last.number


async def test_the_staff_corrects_a_reading_in_two_taps(page, served):
    await enter(page, served)
    await page.until("document.querySelector('.events li button')")
    await page.evaluate("document.querySelector('.events li button').click()")
    await page.until("document.querySelector('.palette button')")
    await page.evaluate("document.querySelector('.palette [aria-label=\"9s\"]').click()")
    await page.until("document.querySelector('.events li.changed')")
    assert str(served.table.state.seats[C].pond[-1].tile) == "9s"


async def test_a_tile_of_a_shown_hand_is_corrected_and_judged_again(page, served):
    claim(served.table)
    await enter(page, served)
    await page.until("document.querySelector('.events li button')")
    shown = next(r for r in served.table.records if isinstance(r.event, HandShown))
    await page.evaluate(
        "[...document.querySelectorAll('.events li button')].find("
        f" (e) => e.textContent.startsWith('{shown.number} ')).click()"
    )
    await page.until("document.querySelector('.hand-tiles button')")
    await page.evaluate("document.querySelectorAll('.hand-tiles button')[12].click()")
    await page.until("document.querySelector('.palette button')")
    await page.evaluate("document.querySelector('.palette [aria-label=\"6z\"]').click()")
    await page.until("document.querySelector('.events li.changed')")
    assert str(served.table.state.seats[A].shown[12]) == "6z"
    judged = [e for e in served.table.history if isinstance(e, WinJudged)]
    assert [v.code for v in judged[0].answer.violations] == ["not_a_win"]


async def test_a_question_is_asked_on_both_screens_and_answered_by_the_staff(page, served):
    candidates = (Tile.parse("3p"), Tile.parse("2p"))
    served.table.append(Doubted(question="3p or 2p?", candidates=candidates, seat=C, place=4))
    await show(page, served)
    assert "West, discard 4" in await text(page, ".doubt")
    await enter(page, served)
    await page.until("document.querySelector('.doubt .row button')")
    await page.evaluate("document.querySelectorAll('.doubt .row button')[1].click()")
    await page.until("!document.querySelector('.doubt')")
    assert str(served.table.state.seats[C].pond[-1].tile) == "2p"
    assert served.table.doubts == ()


async def test_a_call_for_the_staff_is_on_both_screens(page, served):
    served.table.press(B, Key.STAFF)
    await show(page, served)
    assert "South calls the staff" in await text(page, ".call")
    await enter(page, served)
    await page.until("document.querySelector('.call button')")
    await page.evaluate("document.querySelector('.call button').click()")
    await page.until("!document.querySelector('.call')")
    assert served.table.calling == frozenset()


async def test_a_calibration_that_cannot_be_shown_is_said_until_it_can(page, served, tmp_path):
    path = tmp_path / "profile.json"
    served.site.calibration = Calibration(path, lambda: None, None)
    await enter(page, served)
    await page.until("document.querySelector('a[href=\"#calibration\"]')")
    await page.evaluate("document.querySelector('a[href=\"#calibration\"]').click()")
    said = "document.getElementById('calibration').innerText"
    await page.until(f"{said}.includes('Tile set')")
    path.write_text("half a li")
    await page.until(f"{said}.includes('is not JSON')")
    path.unlink()
    await page.until(f"{said}.includes('Tile set') && !{said}.includes('is not JSON')")


async def test_the_rules_in_play_can_be_read(page, served):
    page.problems.clear()
    await page.open(served.url + "/rules?lang=en", 1280, 720)
    await page.until(f"location.port === '{served.port}' && document.querySelector('td.value')")
    options = await page.evaluate("document.querySelectorAll('tr').length")
    assert options == len(fields(served.table.options))
    assert page.problems == []


@pytest.mark.parametrize(("language", "east"), [("ja", "東"), ("zh_Hans", "东"), ("el", "Ανατολή")])
async def test_the_screen_speaks_the_language_that_is_chosen(page, served, language, east):
    await show(page, served, f"/?lang={language}")
    assert east in await text(page, ".round")
    assert page.problems == []
