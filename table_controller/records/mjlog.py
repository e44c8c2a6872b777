"""Tenhou's own logs: mjlog XML with all tiles, and client logs with what one seat saw."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import unquote

from table_controller.records.builder import DealBuilder
from table_controller.records.codes import of_tenhou_id
from table_controller.records.game import (
    RecordedDeal,
    RecordedDraw,
    RecordedGame,
    RecordedWin,
    RecordedYaku,
    RecordError,
    place_of,
    readable,
)
from table_controller.records.uma import scoring_options
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile

YAKU_IDS = (
    "menzen_tsumo",
    "riichi",
    "ippatsu",
    "chankan",
    "rinshan",
    "haitei",
    "houtei",
    "pinfu",
    "tanyao",
    "iipeikou",
    "yakuhai_seat_wind",
    "yakuhai_seat_wind",
    "yakuhai_seat_wind",
    "yakuhai_seat_wind",
    "yakuhai_round_wind",
    "yakuhai_round_wind",
    "yakuhai_round_wind",
    "yakuhai_round_wind",
    "yakuhai_white",
    "yakuhai_green",
    "yakuhai_red",
    "double_riichi",
    "chiitoitsu",
    "chanta",
    "ittsuu",
    "sanshoku_doujun",
    "sanshoku_doukou",
    "sankantsu",
    "toitoi",
    "sanankou",
    "shousangen",
    "honroutou",
    "ryanpeikou",
    "junchan",
    "honitsu",
    "chinitsu",
    "renhou",
    "tenhou",
    "chiihou",
    "daisangen",
    "suuankou",
    "suuankou_tanki",
    "tsuuiisou",
    "ryuuiisou",
    "chinroutou",
    "chuuren",
    "junsei_chuuren",
    "kokushi",
    "kokushi_13",
    "daisuushii",
    "shousuushii",
    "suukantsu",
    "dora",
    "ura_dora",
    "red_five",
)
"""Tenhou's numbers of yaku, as our ids."""

DRAW_REASONS = {
    "yao9": "kyuushu_kyuuhai",
    "reach4": "suucha_riichi",
    "ron3": "sanchahou",
    "kan4": "suukaikan",
    "kaze4": "suufon_renda",
    "nm": "nagashi_mangan",
}

_WITHOUT_REDS, _WITHOUT_KUITAN, _SOUTH_ROUND, _THREE_PLAYERS = 0x02, 0x04, 0x08, 0x10
_PARLOUR = 0x400  # rooms with chips: rounded-up mangan, 1500 points a counter
_SINGLE_DEALS = 0x800  # rooms where a game is one deal from 1000 points
_TAG = re.compile(r"<(\w+)((?:\s+\w+=\"[^\"]*\")*)\s*/?>")
_ATTRIBUTE = re.compile(r"(\w+)=\"([^\"]*)\"")
_DRAWS = {letter: seat for seat, letter in enumerate("TUVW")}
_DISCARDS = {letter: seat for seat, letter in enumerate("DEFG")}

T = TypeVar("T")
Tags = Iterable[tuple[str, Mapping[str, str]]]


def read_mjlog(text: str, name: str) -> RecordedGame:
    """The game of one mjlog XML file."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        line, column = error.position
        raise RecordError(f"{name}: no whole XML document, line {line}, column {column}") from None
    if root.tag != "mjloggm":
        raise RecordError(f"{name}: XML of <{root.tag}>, not a Tenhou log (<mjloggm>)")
    return _Reader(name, "mjlog").game((child.tag, child.attrib) for child in root)


def read_client_views(text: str, name: str) -> Iterator[RecordedGame]:
    """The games of a file of client logs, each begun by a line ``=== NAME``."""
    for section in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        tags = [
            (found.group(1), dict(_ATTRIBUTE.findall(found.group(2))))
            for found in _TAG.finditer(body)
        ]
        yield _Reader(title.strip(), "client_view", viewer=Seat.A).game(tags)


@dataclass
class _Reader:
    """Reads the tags of one game, in order."""

    name: str
    format: str
    viewer: Seat | None = None
    has_reds: bool = True
    players: int = 4
    kind: int | None = None  # the bits that say by which rules
    custom: str = ""  # rules of a private lobby
    names: tuple[str, ...] = ()
    first: int | None = None  # who deals first: becomes seat A
    deals: list[RecordedDeal] = field(default_factory=list)
    deal: DealBuilder | None = None
    drawn: int | None = None
    final_points: tuple[int, ...] | None = None
    final_scores: tuple[float, ...] | None = None

    def game(self, tags: Tags) -> RecordedGame:
        """The whole game."""
        for place, (tag, attributes) in enumerate(tags, start=1):
            with readable(f"{self.name}: tag {place} <{tag}>"):
                self._take(tag, attributes)
        self._close()
        if not self.deals:
            raise RecordError(f"{self.name}: the log holds no deal (<INIT>)")
        return RecordedGame(
            name=self.name,
            format=self.format,
            ruleset="riichi_3p" if self.players == 3 else "riichi_4p",
            preset="tenhou",
            options=self._options(),
            names=tuple(self._turned(self.names)) if self.names else (),
            deals=tuple(self.deals),
            viewer=self.viewer,
            final_points=self.final_points,
            final_scores=self.final_scores,
            is_complete=self.final_points is not None,
        )

    def _options(self) -> dict[str, object]:
        """What the rules of the log change in the preset."""
        kind = self.kind or _SOUTH_ROUND
        found: dict[str, object] = {}
        if kind & _WITHOUT_REDS:
            found["red_fives"] = (0, 0, 0)
        if kind & _WITHOUT_KUITAN:
            found["kuitan"] = False
        if not kind & _SOUTH_ROUND and not self._went_on():
            found["game_length"] = "tonpuusen"
        if kind & _SINGLE_DEALS:
            found |= {"start_points": 1000, "return_points": 1000, "uma": (0,) * self.players}
            found["final_rounding"] = "none"
        elif kind & _PARLOUR:
            found |= {"kiriage": True, "honba_value": 1500}
        if self.custom:
            found |= self._custom_rule(self.custom.split(","))
        if self.final_scores is not None and self.final_points is not None:
            returns = int(str(found.get("return_points", 30000 if self.players == 4 else 40000)))
            fits = scoring_options(self.final_points, self.final_scores, returns)
            if self.players == 3:
                fits.pop("uma", None)
            found = fits | found
        return found

    def _went_on(self) -> bool:
        """A south round was played although somebody had the return points."""
        return any(
            deal.began.number >= 4 and max(deal.began.points) >= 30000 for deal in self.deals
        )

    @staticmethod
    def _custom_rule(rule: list[str]) -> dict[str, object]:
        """Points and placement bonus of a lobby with rules of its own."""
        bonus = [int(one) for one in rule if re.fullmatch(r"-?\d{1,2}", one)][:3]
        found: dict[str, object] = {"tie_break": "split"}
        if len(bonus) == 3:
            found["uma"] = (-sum(bonus), *bonus)
        if len(rule) > 5 and rule[4].isdigit() and rule[5].isdigit():
            found |= {"start_points": int(rule[4]), "return_points": int(rule[5])}
        return found

    def _seat(self, number: int | str) -> int:
        """Our seat of a seat of the log: the first dealer is A."""
        return (int(number) - (self.first or 0)) % self.players

    def _raw(self, seat: int) -> int:
        """Undoes `_seat`."""
        return (seat + (self.first or 0)) % self.players

    def _turned(self, values: Sequence[T]) -> list[T]:
        """The values of each seat, the first dealer's first."""
        own = values[: self.players]
        return [own[self._raw(seat)] for seat in range(self.players)]

    def _take(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "TAIKYOKU" and self.first is None:
            self._begins(int(attributes["oya"]))
        elif tag == "GO" and "type" in attributes:
            self.kind = int(attributes["type"])
            self.custom = attributes.get("csrule", "")
            self.has_reds = not self.kind & _WITHOUT_REDS
            self.players = 3 if self.kind & _THREE_PLAYERS else 4
        elif tag == "UN" and "n0" in attributes and not self.names:
            found = [unquote(attributes.get(f"n{seat}", "")) for seat in range(self.players)]
            self.names = tuple(found)  # in the log's order; `game` turns them
        elif tag == "INIT":
            self._close()
            self._begin(attributes)
        elif tag == "REINIT":
            self._close()  # the viewer came back in mid-deal: what went before is not told
        elif self.deal is not None:
            self._step(self.deal, tag, attributes)

    def _begins(self, first: int) -> None:
        self.first = first
        if self.viewer is not None:
            self.viewer = Seat(self._seat(0))

    def _begin(self, attributes: Mapping[str, str]) -> None:
        seed = _numbers(attributes["seed"])
        if self.first is None:
            self._begins((int(attributes["oya"]) - seed[0]) % 4)
        points = _numbers(attributes["ten"])
        if self.kind is None and attributes.get("hai3") == "":
            self.players = 3
        number, counters, sticks = seed[:3]
        deal = DealBuilder(
            number=number,
            dealer=self._seat(attributes["oya"]),
            round_wind=number // 4,
            points=self._turned([100 * one for one in points]),
            counters=counters,
            sticks=sticks,
            place=place_of(number // 4, number % 4, counters),
        )
        deal.dice((seed[3] + 1, seed[4] + 1))
        hands: list[list[Tile | None]] = []
        for seat in range(self.players):
            name = "hai" if self.viewer == seat else f"hai{self._raw(seat)}"
            own = attributes.get(name, "")
            hands.append([*self._tiles(own)] if own else [None] * 13)
        deal.deal(hands)
        deal.indicator(self._tile(seed[5]))
        self.deal = deal

    def _step(self, deal: DealBuilder, tag: str, attributes: Mapping[str, str]) -> None:
        letter, rest = tag[0], tag[1:]
        if letter in _DRAWS and (rest.isdigit() or (not rest and tag != "N")):
            deal.settle_riichi()
            self.drawn = int(rest) if rest else None
            deal.draw(self._seat(_DRAWS[letter]), self._tile(int(rest)) if rest else None)
        elif letter.upper() in _DISCARDS and rest.isdigit():
            seat, number = self._seat(_DISCARDS[letter.upper()]), int(rest)
            if self.viewer is None or self.viewer == seat:
                as_drawn = number == self.drawn
            else:
                as_drawn = letter.islower()
            deal.discard(seat, self._tile(number), as_drawn=as_drawn)
            self.drawn = None
        elif tag == "N":
            deal.settle_riichi()
            self._meld(deal, self._seat(attributes["who"]), int(attributes["m"]))
        elif tag == "REACH":
            seat = self._seat(attributes["who"])
            if attributes["step"] == "1":
                deal.riichi(seat)
            elif deal.state.seats[seat].ready_pending:
                deal.riichi_stands(seat)
        elif tag == "DORA":
            deal.indicator(self._tile(int(attributes["hai"])))
        elif tag == "AGARI":
            self._win(deal, attributes)
        elif tag == "RYUUKYOKU" and "sc" in attributes:
            self._draw(deal, attributes)

    def _meld(self, deal: DealBuilder, seat: int, code: int) -> None:
        meld = decode_meld(code)
        tiles = [self._tile(number) for number in meld.tiles]
        match meld.kind:
            case None:
                deal.set_aside(seat, tiles[0])
            case MeldKind.CONCEALED_KONG:
                deal.concealed_kong(seat, tiles)
            case MeldKind.ADDED_KONG:
                deal.added_kong(seat, self._tile(meld.special))
            case _:
                called = self._tile(meld.special)
                tiles.remove(called)
                deal.call(seat, meld.kind, tiles, called)

    def _win(self, deal: DealBuilder, attributes: Mapping[str, str]) -> None:
        winner, source = self._seat(attributes["who"]), self._seat(attributes["fromWho"])
        if not deal.wins and winner == source:
            deal.settle_riichi()
        winning = int(attributes["machi"])
        hand = [number for number in _numbers(attributes["hai"]) if number != winning]
        fu, points, _ = _numbers(attributes["ten"])
        pairs = _numbers(attributes.get("yaku", ""))
        yaku = [
            RecordedYaku(id=YAKU_IDS[number], han=han)
            for number, han in zip(pairs[::2], pairs[1::2], strict=True)
            if han
        ]
        yakuman = _numbers(attributes.get("yakuman", ""))
        yaku += [RecordedYaku(id=YAKU_IDS[number], han=None) for number in yakuman]
        deltas, after = self._changes(attributes["sc"])
        liable = attributes.get("paoWho")
        deal.win(
            RecordedWin(
                winner=Seat(winner),
                source=None if winner == source else Seat(source),
                winning_tile=self._tile(winning),
                hand=tuple(self._tile(number) for number in hand),
                han=None if yakuman else sum(one.han or 0 for one in yaku),
                fu=fu,
                yakuman=len(yakuman) or None,
                points=points,
                yaku=tuple(yaku),
                ura=tuple(self._tiles(attributes.get("doraHaiUra", ""))),
                liable=Seat(self._seat(liable)) if liable else None,
                deltas=deltas,
            )
        )
        deal.points_after = after
        self._owari(attributes)

    def _draw(self, deal: DealBuilder, attributes: Mapping[str, str]) -> None:
        deal.settle_riichi()
        reason = DRAW_REASONS.get(attributes.get("type", ""), "exhaustive")
        shown = {
            Seat(self._seat(raw)): tuple(self._tiles(attributes[f"hai{raw}"]))
            for raw in range(self.players)
            if attributes.get(f"hai{raw}")
        }
        if self.viewer is not None and reason in ("exhaustive", "nagashi_mangan"):
            own = [tile for tile in deal.hand(self.viewer) if tile is not None]
            shown.setdefault(self.viewer, tuple(own))
        deltas, after = self._changes(attributes["sc"])
        seat = deal.state.turn if reason == "kyuushu_kyuuhai" else None
        deal.no_win(RecordedDraw(reason=reason, shown=shown, deltas=deltas), seat)
        deal.points_after = after
        self._owari(attributes)

    def _changes(self, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The change of points of each seat, and the points after it."""
        numbers = _numbers(text)
        before = self._turned(numbers[::2])
        deltas = tuple(100 * one for one in self._turned(numbers[1::2]))
        return deltas, tuple(100 * old + change for old, change in zip(before, deltas, strict=True))

    def _owari(self, attributes: Mapping[str, str]) -> None:
        if not attributes.get("owari"):
            return
        found = [float(one) for one in attributes["owari"].split(",")]
        self.final_points = tuple(int(100 * one) for one in self._turned(found[::2]))
        self.final_scores = tuple(self._turned(found[1::2]))

    def _close(self) -> None:
        if self.deal is not None:
            self.deals.append(self.deal.close())
        self.deal = None

    def _tile(self, number: int) -> Tile:
        return of_tenhou_id(number, has_reds=self.has_reds)

    def _tiles(self, text: str) -> list[Tile]:
        return [self._tile(number) for number in _numbers(text)]


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")] if text else []


@dataclass(frozen=True, slots=True)
class DecodedMeld:
    """A meld code: ``special`` is the tile called or added; kind None is a north set aside."""

    kind: MeldKind | None
    tiles: tuple[int, ...]
    special: int


def decode_meld(code: int) -> DecodedMeld:
    """Tenhou's bit field of a meld, as tile numbers."""
    if code & 0x4:
        packed, place = divmod(code >> 10, 3)
        first = 4 * (packed // 7 * 9 + packed % 7)
        tiles = tuple(first + 4 * step + (code >> 3 + 2 * step & 3) for step in range(3))
        return DecodedMeld(MeldKind.CHOW, tiles, tiles[place])
    if code & 0x18:
        kind, place = divmod(code >> 9, 3)
        spare = 4 * kind + (code >> 5 & 3)
        three = [4 * kind + copy for copy in range(4) if 4 * kind + copy != spare]
        if code & 0x8:
            return DecodedMeld(MeldKind.PUNG, tuple(three), three[place])
        return DecodedMeld(MeldKind.ADDED_KONG, (*three, spare), spare)
    number = code >> 8
    if code & 0x20:
        return DecodedMeld(None, (number,), number)
    four = tuple(4 * (number // 4) + copy for copy in range(4))
    return DecodedMeld(MeldKind.KONG if code & 3 else MeldKind.CONCEALED_KONG, four, number)
