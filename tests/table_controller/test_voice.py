"""The table says what everybody may know, briefly, and never falls behind."""

from __future__ import annotations

import asyncio
import logging

import pytest

from table_controller.config import TableSettings
from table_controller.rules.core.case import Answer, Violation
from table_controller.rules.core.events import (
    Advised,
    DealBegan,
    Discarded,
    DrawDeclared,
    Drawn,
    HandDealt,
    IndicatorShown,
    MeldCalled,
    Penalised,
    ReadyDeclared,
    WinJudged,
)
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import begin
from table_controller.rules.core.tiles import Tile
from table_controller.rules.two_player import RULESET
from table_controller.store import Store
from table_controller.table import Table
from table_controller.voice import (
    MOST_WAITING,
    Voice,
    announce,
    find_program,
    speak,
    spoken,
    tile_words,
)
from table_controller.web.views import Sight

A, B = Seat.A, Seat.B
BEGAN = DealBegan(number=1, dealer=B, round_wind=Wind.EAST, points=(0, 0, 0, 0), wall_left=70)
STATE = begin(BEGAN, 4)
WON = Answer(ruleset="x", valid=True, payments=(Payment(B, A, 5200, "discard"),))
REFUSED = Answer(
    ruleset="x", valid=False, violations=(Violation(code="sacred_discard", seat=A, text=""),)
)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (BEGAN, "East 2 begins."),
        (ReadyDeclared(seat=B), "East: Ready"),
        (WinJudged(seat=A, answer=WON), "North wins: 5200"),
        (WinJudged(seat=A, answer=REFUSED), "North's win does not stand: Sacred discard"),
        (DrawDeclared(reason="exhaustive"), "Draw: Exhaustive"),
        (Penalised(seat=A, code="dead_hand"), "North: Dead hand"),
        (Advised(seat=A, code="win_possible"), "North: Win possible"),
        (Drawn(seat=A, tile=Tile.parse("5p")), None),
        (HandDealt(seat=A, tiles=(Tile.parse("5p"),)), None),
        (Discarded(seat=A, tile=Tile.parse("5p")), None),
    ],
)
def test_little_is_said(event, words):
    assert spoken(event, STATE, "en") == words


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Discarded(seat=A, tile=Tile.parse("0p")), "North: red 5 circles"),
        (Discarded(seat=B, tile=Tile.parse("6z")), "East: Green dragon"),
        (MeldCalled(seat=A, meld=Meld.of("pung", "333m", B)), "North: Pung, 3 characters"),
        (IndicatorShown(tile=Tile.parse("3z")), "Indicator: West"),
        (Drawn(seat=A, tile=Tile.parse("5p")), None),
    ],
)
def test_what_lies_open_is_read_out_to_who_does_not_see_it(event, words):
    assert spoken(event, STATE, "en", read_out=True) == words


def test_bonus_tiles_have_words():
    spoken_tiles = [tile_words(Tile.parse(text), "en") for text in ("2f", "3g", "4a", "1c", "jk")]
    assert spoken_tiles == ["Flower 2", "Season 3", "Animal 4", "Face 1", "Joker"]


@pytest.mark.parametrize(("announced", "told"), [("public", True), ("off", False)])
async def test_a_penalty_is_said_only_where_it_may_be(announced, told):
    table = Table.open(Store(":memory:"), RULESET)
    said: list[str] = []
    task = asyncio.create_task(announce(table, said.append, Sight(announce=announced), "en"))
    await asyncio.sleep(0)
    table.append(DealBegan(number=1, dealer=A, round_wind=Wind.EAST, points=(0, 0), wall_left=80))
    table.append(Penalised(seat=A, code="dead_hand", dead_hand=True))
    table.append(ReadyDeclared(seat=B))
    async with asyncio.timeout(5):
        while "South: Ready" not in said:
            await asyncio.sleep(0)
    task.cancel()
    assert ("East: Dead hand" in said) is told


async def test_the_settings_turn_the_voice_on(tmp_path, monkeypatch, caplog):
    table = Table.open(Store(":memory:"), RULESET)
    await speak(table, TableSettings())  # off: returns at once
    monkeypatch.setattr("table_controller.voice.find_program", lambda: None)
    await speak(table, TableSettings(voice=True))
    assert "espeak-ng is not installed" in caplog.text
    spoke = tmp_path / "spoke"
    program = tmp_path / "speaker"
    program.write_text(f'#!/bin/sh\necho "$@" >> {spoke}\n')
    program.chmod(0o755)
    monkeypatch.setattr("table_controller.voice.find_program", lambda: str(program))
    settings = TableSettings(voice=True, language="pl", voice_volume=80, read_out=True)
    task = asyncio.create_task(speak(table, settings))
    async with asyncio.timeout(10):
        while not table.watchers:
            await asyncio.sleep(0)
        table.append(
            DealBegan(number=1, dealer=A, round_wind=Wind.EAST, points=(0, 0), wall_left=80)
        )
        while not spoke.exists() or not spoke.read_text():
            await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait({task})
    assert spoke.read_text() == "-v pl -a 80 -s 165 -- Zaczyna się Wschód 1.\n"


async def test_the_oldest_sentences_are_left_out_and_failures_are_only_noted(tmp_path, caplog):
    spoke = tmp_path / "spoke"
    program = tmp_path / "speaker"
    program.write_text(f'#!/bin/sh\nfor last; do :; done\necho "$last" >> {spoke}\nexit 3\n')
    program.chmod(0o755)
    voice = Voice(str(program))
    for place in range(MOST_WAITING + 2):
        voice.say(f"sentence {place}")
    with caplog.at_level(logging.WARNING):
        task = asyncio.create_task(voice.run())
        async with asyncio.timeout(10):
            while not spoke.exists() or len(spoke.read_text().splitlines()) < MOST_WAITING:
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait({task})
    assert spoke.read_text().splitlines() == [f"sentence {n}" for n in range(2, MOST_WAITING + 2)]
    assert "could not speak (status 3)" in caplog.text


@pytest.mark.skipif(find_program() is None, reason="NOT CHECKED: espeak-ng is not installed")
@pytest.mark.parametrize("language", ["en", "ja", "zh_Hans", "ko", "ru", "pl", "el"])
async def test_espeak_has_a_voice_for_every_language(tmp_path, language):
    from table_controller.voice import VOICES

    words = spoken(WinJudged(seat=A, answer=REFUSED), STATE, language) or ""
    sound = tmp_path / "said.wav"
    process = await asyncio.create_subprocess_exec(
        str(find_program()), "-v", VOICES[language], "-w", str(sound), "--", words
    )
    assert await process.wait() == 0
    assert sound.stat().st_size > 10_000
