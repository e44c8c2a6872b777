"""What the table says aloud, through espeak-ng where it is installed.

Short, and never more than everybody may know. With ``read_out`` it also names every discard and
meld, for players who do not see the tiles.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from table_controller.config import TableSettings
from table_controller.messages import translate
from table_controller.rules.core.events import (
    Advised,
    BonusSetAside,
    DealBegan,
    Discarded,
    DrawDeclared,
    GameEnded,
    GameEvent,
    IndicatorShown,
    KongDeclared,
    MeldCalled,
    Penalised,
    ReadyDeclared,
    WinJudged,
)
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import Suit, Tile
from table_controller.table import EventUpdate, Table
from table_controller.web.views import Sight, is_in_play, visible

logger = logging.getLogger(__name__)

PROGRAM = "espeak-ng"
VOICES = {
    "en": "en", "ja": "ja", "zh_Hans": "cmn", "zh_Hant": "cmn", "ko": "ko", "ru": "ru",
    "pl": "pl", "el": "el",
}  # fmt: skip
MOST_WAITING = 4  # older sentences are no news any more
LONGEST_S = 20.0  # a sentence that takes longer hangs

_WINDS = {Wind.EAST: "East", Wind.SOUTH: "South", Wind.WEST: "West", Wind.NORTH: "North"}
_HONOURS = ("East", "South", "West", "North", "White dragon", "Green dragon", "Red dragon")
_SUITS = {
    Suit.CHARACTERS: "{n} characters",
    Suit.CIRCLES: "{n} circles",
    Suit.BAMBOOS: "{n} bamboos",
    Suit.FLOWERS: "Flower {n}",
    Suit.SEASONS: "Season {n}",
    Suit.ANIMALS: "Animal {n}",
    Suit.FACES: "Face {n}",
}


def tile_words(tile: Tile, language: str) -> str:
    """The tile as it is spoken."""
    if tile.is_joker:
        return translate("Joker", language)
    if tile.is_honour:
        return translate(_HONOURS[tile.rank - 1], language)
    words = translate(_SUITS[tile.suit], language).replace("{n}", str(tile.rank))
    return f"{translate('red', language)} {words}" if tile.red else words


def spoken(
    event: GameEvent, state: DealState | None, language: str, *, read_out: bool = False
) -> str | None:
    """What is said of an event; None when nothing is. ``state`` is the deal after it."""

    def t(text: str, **values: object) -> str:
        text = translate(text, language)
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def who(seat: Seat) -> str:
        return t(_WINDS[state.wind_of(seat)] if state is not None else f"Seat {'ABCD'[seat]}")

    def code(name: str) -> str:
        return t(name.replace("_", " ").capitalize())

    match event:
        case DealBegan(round_wind=wind, dealer=dealer):
            return t("{deal} begins.", deal=f"{t(_WINDS[wind])} {dealer + 1}")
        case ReadyDeclared(seat=seat):
            return f"{who(seat)}: {t('Ready')}"
        case WinJudged(seat=seat, answer=answer) if answer.valid:
            return f"{t('{seat} wins', seat=who(seat))}: {answer.deltas[seat]}"
        case WinJudged(seat=seat, answer=answer):
            said = t("{seat}'s win does not stand", seat=who(seat))
            reasons = ", ".join(code(breach.code) for breach in answer.violations)
            return f"{said}: {reasons}" if reasons else said
        case DrawDeclared(reason=reason):
            return f"{t('Draw')}: {code(reason)}"
        case Penalised(seat=seat, code=name) | Advised(seat=seat, code=name):
            return f"{who(seat)}: {code(name)}"
        case GameEnded():
            return t("The game is over")
        case Discarded(seat=seat, tile=tile) if read_out:
            return f"{who(seat)}: {tile_words(tile, language)}"
        case MeldCalled(seat=seat, meld=meld) | KongDeclared(seat=seat, meld=meld) if read_out:
            return f"{who(seat)}: {code(meld.kind.value)}, {tile_words(meld.tile, language)}"
        case BonusSetAside(seat=seat, tile=tile) if read_out:
            return f"{who(seat)}: {tile_words(tile, language)}"
        case IndicatorShown(tile=tile) if read_out:
            return f"{t('Indicator')}: {tile_words(tile, language)}"
        case _:
            return None


def find_program() -> str | None:
    """Where espeak-ng is installed."""
    return shutil.which(PROGRAM)


@dataclass
class Voice:
    """Speaks one sentence after the other; when it falls behind, the oldest are left out."""

    program: str
    language: str = "en"
    volume: int = 100
    words_per_minute: int = 165
    _waiting: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_WAITING))
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def say(self, text: str) -> None:
        """Speak soon."""
        self._waiting.append(text)
        self._news.set()

    async def run(self) -> None:
        """Speak until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            while self._waiting:
                await self._speak(self._waiting.popleft())

    async def _speak(self, text: str) -> None:
        process = await asyncio.create_subprocess_exec(
            self.program,
            "-v", VOICES.get(self.language, "en"),
            "-a", str(self.volume),
            "-s", str(self.words_per_minute),
            "--", text,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            async with asyncio.timeout(LONGEST_S):
                status = await process.wait()
            if status != 0:
                logger.warning("%s could not speak (status %s): %s", self.program, status, text)
        except TimeoutError:
            logger.warning("%s took longer than %s s: %s", self.program, LONGEST_S, text)
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()


async def speak(table: Table, settings: TableSettings, announced: str = "public") -> None:
    """Say aloud what happens at the table as the settings want it, until cancelled."""
    if not settings.voice:
        return
    program = find_program()
    if program is None:
        logger.warning("[table] voice is on, but %s is not installed: apt install it", PROGRAM)
        return
    voice = Voice(program, settings.language, settings.voice_volume)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(voice.run())
        await announce(
            table,
            voice.say,
            Sight(announce=announced),
            settings.language,
            read_out=settings.read_out,
        )


async def announce(
    table: Table, say: Callable[[str], None], sight: Sight, language: str, *, read_out: bool = False
) -> None:
    """Say what happens at the table, until cancelled."""
    with table.subscribe() as updates:
        async for update in updates:
            if not isinstance(update, EventUpdate):
                continue
            in_play = table.state is not None and is_in_play(table.state)
            event = visible(update.recorded.event, sight, in_play=in_play)
            words = event and spoken(event, table.state, language, read_out=read_out)
            if words:
                say(words)
