"""The record format of kobalab's programs (Majiang): JSON with hands as ``m123p0s...``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from table_controller.records.builder import DealBuilder
from table_controller.records.codes import of_kobalab, of_kobalab_run
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
from table_controller.records.names import YAKU_BY_NATIVE
from table_controller.records.tenhou_json import DRAW_REASONS
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile
from table_controller.rules.riichi.furiten import waits


def read_kobalab(data: Mapping[str, Any], name: str) -> RecordedGame:
    """The game of one document; seats are those of the first dealer's count."""
    log = data["log"]
    if not log:
        raise RecordError(f"{name}: the log holds no deal")
    first = int(data.get("qijia", 0))
    players = len(log[0][0]["qipai"]["defen"])
    deals = []
    for index, raw in enumerate(log):
        with readable(f"{name}: deal {index + 1}"):
            deals.append(_Deal(raw, players).read())
    turned = [(first + seat) % players for seat in range(players)]
    title = str(data.get("title", ""))
    if not re.match("[三四]?[般上特鳳]", title):
        title = ""  # a heading, not the name of a Tenhou room
    options: dict[str, object] = {}
    scores = [float(data["point"][seat]) for seat in turned] if "point" in data else None
    if scores and any(score != int(score) for score in scores):
        options["final_rounding"] = "none"
    if "東" in title:
        options["game_length"] = "tonpuusen"
    if title and "喰" not in title:
        options["kuitan"] = False
    if title and "赤" not in title:
        options["red_fives"] = (0, 0, 0)
    return RecordedGame(
        name=name,
        format="kobalab",
        ruleset="riichi_3p" if players == 3 else "riichi_4p",
        preset="tenhou",
        options=options,
        names=tuple(str(data["player"][seat]) for seat in turned) if "player" in data else (),
        deals=tuple(deals),
        final_points=tuple(int(data["defen"][seat]) for seat in turned)
        if "defen" in data
        else None,
        final_scores=tuple(scores) if scores else None,
        is_complete="defen" in data,
    )


class _Deal:
    """One deal; ``l`` in its moves counts seats from the dealer."""

    def __init__(self, raw: Sequence[Mapping[str, Any]], players: int) -> None:
        self.raw, self.players = raw, players
        start = raw[0]["qipai"]
        self.dealer = int(start["jushu"])
        points = [int(start["defen"][self._relative(seat)]) for seat in range(players)]
        round_wind, counters = int(start["zhuangfeng"]), int(start["changbang"])
        self.deal = DealBuilder(
            number=4 * round_wind + self.dealer,
            dealer=self.dealer,
            round_wind=round_wind,
            points=points,
            counters=counters,
            sticks=int(start["lizhibang"]),
            place=place_of(round_wind, self.dealer, counters),
        )
        hands = [of_kobalab_run(text) for text in start["shoupai"]]
        self.deal.deal([hands[self._relative(seat)] for seat in range(players)])
        self.deal.indicator(of_kobalab(start["baopai"]))

    def _relative(self, seat: int) -> int:
        return (seat - self.dealer) % self.players

    def _seat(self, relative: int) -> int:
        return (relative + self.dealer) % self.players

    def read(self) -> RecordedDeal:
        """The whole deal."""
        for move in self.raw[1:]:
            for kind, detail in move.items():
                self._move(kind, detail)
        return self.deal.close()

    def _move(self, kind: str, detail: Mapping[str, Any]) -> None:
        deal = self.deal
        match kind:
            case "zimo" | "gangzimo":
                deal.settle_riichi()
                text = detail["p"]
                deal.draw(self._seat(detail["l"]), of_kobalab(text) if text else None)
            case "dapai":
                text, seat = detail["p"], self._seat(detail["l"])
                if "*" in text:
                    deal.riichi(seat)
                deal.discard(seat, of_kobalab(text), as_drawn="_" in text)
            case "fulou":
                deal.settle_riichi()
                self._call(self._seat(detail["l"]), detail["m"])
            case "gang":
                deal.settle_riichi()
                tiles = _meld_tiles(detail["m"])
                if re.search(r"[-=+]", detail["m"]):
                    deal.added_kong(self._seat(detail["l"]), tiles[-1])
                else:
                    deal.concealed_kong(self._seat(detail["l"]), tiles)
            case "penuki":
                deal.set_aside(self._seat(detail["l"]), of_kobalab(detail["p"]))
            case "kaigang":
                deal.indicator(of_kobalab(detail["baopai"]))
            case "hule":
                self._win(detail)
            case "pingju":
                self._draw(detail)
            case _:
                raise RecordError(f"{deal.place}: the move {kind!r} is unknown")

    def _call(self, seat: int, text: str) -> None:
        tiles = _meld_tiles(text)
        place = re.search(r"\d(?=[-=+])", text)
        if place is None:
            raise RecordError(f"{self.deal.place}: {text!r} is no call")
        called = tiles[place.start() - 1]
        own = list(tiles)
        del own[place.start() - 1]
        faces = {tile.face for tile in tiles}
        kind = (
            MeldKind.CHOW if len(faces) > 1 else MeldKind.KONG if len(tiles) == 4 else MeldKind.PUNG
        )
        self.deal.call(seat, kind, own, called)

    def _win(self, detail: Mapping[str, Any]) -> None:
        deal = self.deal
        winner = self._seat(detail["l"])
        source = None if detail.get("baojia") is None else self._seat(detail["baojia"])
        if source is None:
            deal.settle_riichi()
        hand = [tile for tile in deal.hand(winner) if tile is not None]
        if source is None:
            winning = deal.drawn(winner)
            if winning is not None:
                hand.remove(winning)
        else:
            winning = deal.state.offer.tile if deal.state.offer is not None else None
            if not deal.wins and deal.state.offers and deal.state.offers[-1].place is None:
                winning = deal.state.offers[-1].tile
        yakuman = detail.get("damanguan")
        yaku = []
        for one in detail["hupai"]:
            id = YAKU_BY_NATIVE.get(one["name"])
            if id is None:
                raise RecordError(f"{deal.place}: the yaku {one['name']!r} is unknown")
            worth = one["fanshu"]
            if yakuman:
                yaku.append(RecordedYaku(id=id, han=None))
            elif worth:
                yaku.append(RecordedYaku(id=id, han=int(worth)))
        ura = tuple(of_kobalab(text) for text in detail.get("fubaopai") or ())
        deltas = tuple(int(detail["fenpei"][self._relative(seat)]) for seat in range(self.players))
        deal.win(
            RecordedWin(
                winner=Seat(winner),
                source=None if source is None else Seat(source),
                winning_tile=winning,
                hand=tuple(hand),
                han=None if yakuman else int(detail["fanshu"]),
                fu=None if yakuman else int(detail["fu"]),
                yakuman=int(yakuman) if yakuman else None,
                points=int(detail["defen"]),
                yaku=tuple(yaku),
                ura=ura,
                deltas=deltas,
            )
        )

    def _draw(self, detail: Mapping[str, Any]) -> None:
        deal = self.deal
        reason = DRAW_REASONS.get(detail["name"])
        if reason is None:
            raise RecordError(f"{deal.place}: the draw {detail['name']!r} is unknown")
        if reason != "sanchahou":
            deal.settle_riichi()
        shown: dict[Seat, tuple[Tile, ...]] = {}
        if reason in ("exhaustive", "nagashi_mangan", "suucha_riichi"):
            for seat in range(self.players):
                hand = tuple(sorted(tile for tile in deal.hand(seat) if tile is not None))
                if waits(hand, deal.state.seats[seat].melds):
                    shown[Seat(seat)] = hand
        deltas = tuple(int(detail["fenpei"][self._relative(seat)]) for seat in range(self.players))
        seat_on_turn = deal.state.turn if reason == "kyuushu_kyuuhai" else None
        deal.no_win(RecordedDraw(reason=reason, shown=shown, deltas=deltas), seat_on_turn)


def _meld_tiles(text: str) -> list[Tile]:
    plain = re.sub(r"[-=+]", "", text)
    return [tile for tile in of_kobalab_run(plain) if tile is not None]
