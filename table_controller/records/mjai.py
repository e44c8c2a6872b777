"""mjai: one JSON object a line, from ``start_game`` to ``end_game``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from table_controller.json_text import JsonTextError, parse_json
from table_controller.option_text import read_changes
from table_controller.records.builder import DealBuilder
from table_controller.records.codes import of_mjai
from table_controller.records.game import (
    RecordedDeal,
    RecordedDraw,
    RecordedGame,
    RecordedWin,
    RecordError,
    place_of,
    readable,
)
from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile
from table_controller.rules.riichi import RIICHI_3P, RIICHI_4P
from table_controller.rules.riichi.furiten import waits

_RED = re.compile(r'"5[mps]r"')
_ROUNDS = "ESWN"
_KINDS = {"chi": MeldKind.CHOW, "pon": MeldKind.PUNG, "daiminkan": MeldKind.KONG}
DRAW_REASONS = {
    "kyushu_kyuhai": "kyuushu_kyuuhai",
    "kyuushu_kyuuhai": "kyuushu_kyuuhai",
    "sufon_renta": "suufon_renda",
    "suufon_renda": "suufon_renda",
    "suukan_sansen": "suukaikan",
    "suukansansen": "suukaikan",
    "suurechi": "suucha_riichi",
    "suucha_riichi": "suucha_riichi",
    "sanchaho": "sanchahou",
    "sanchahou": "sanchahou",
    "nagashi_mangan": "nagashi_mangan",
    "nagashimangan": "nagashi_mangan",
    "fanpai": "exhaustive",
    "exhaustive_draw": "exhaustive",
    "exhaustive": "exhaustive",
}


def read_mjai(text: str, name: str, *, preset: str = "majsoul") -> Iterator[RecordedGame]:
    """The games of a file of mjai lines; one file may hold several."""
    reader: _Reader | None = None
    number = 0
    for place, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            event = parse_json(line, first_line=place)
        except JsonTextError as error:
            raise RecordError(f"{name}: {error}") from None
        if not isinstance(event, dict) or "type" not in event:
            raise RecordError(f"{name}, line {place}: not an mjai event with a type")
        if event["type"] == "start_game" or reader is None:
            if reader is not None and reader.deals:
                yield reader.game()
            number += 1
            reader = _Reader(f"{name}#{number}", preset)
        reader.has_reds |= bool(_RED.search(line))
        with readable(f"{name}: line {place}"):
            reader.take(event)
    if reader is None or not reader.deals:
        raise RecordError(f"{name}: the log holds no deal (start_kyoku)")
    yield reader.game()


class _Reader:
    """Reads the events of one game."""

    def __init__(self, name: str, preset: str) -> None:
        self.name, self.preset = name, preset
        self.names: tuple[str, ...] = ()
        self.changes: dict[str, str] | None = None  # of options; None: the file does not tell
        self.deals: list[RecordedDeal] = []
        self.deal: DealBuilder | None = None
        self.unseen = False  # the result hangs on a hand nobody saw: it cannot be judged again
        self.has_reds = False
        self.ended = False

    def game(self) -> RecordedGame:
        """What was read."""
        if self.deal is not None:
            self._close()
        players = len(self.deals[0].began.points)
        ruleset = RIICHI_3P if players == 3 else RIICHI_4P
        try:
            options = read_changes(ruleset, (self.changes or {}).items())
        except OptionError as error:
            raise RecordError(f"{self.name}: {error}") from None
        if self.changes is None and not self.has_reds:
            options["red_fives"] = (0, 0, 0)
        last = self.deals[-1].points_after if self.ended else None
        return RecordedGame(
            name=self.name,
            format="mjai",
            ruleset=ruleset.name,
            preset=self.preset,
            options=options,
            names=self.names[:players],
            deals=tuple(self.deals),
            final_points=last,
            is_complete=last is not None,
        )

    def take(self, event: Mapping[str, Any]) -> None:
        """One line."""
        kind = event["type"]
        if kind == "start_game":
            self.names = tuple(str(one) for one in event.get("names", ()))
            if event.get("preset"):  # as we write it; others tell no rules
                self.preset = str(event["preset"])
                self.changes = dict(event.get("options") or {})
        elif kind == "start_kyoku":
            self._begin(event)
        elif kind == "end_kyoku":
            self._close()
        elif kind == "end_game":
            self.ended = True
        elif self.deal is not None and kind != "none":
            self._step(self.deal, kind, event)

    def _begin(self, event: Mapping[str, Any]) -> None:
        if self.deal is not None:
            self._close()
        round_wind, counters = _ROUNDS.index(event["bakaze"]), int(event["honba"])
        number = 4 * round_wind + int(event["kyoku"]) - 1
        deal = DealBuilder(
            number=number,
            dealer=int(event["oya"]),
            round_wind=round_wind,
            points=[int(one) for one in event["scores"]],
            counters=counters,
            sticks=int(event["kyotaku"]),
            place=place_of(round_wind, number % 4, counters),
        )
        hands = [[of_mjai(text) for text in hand] for hand in event["tehais"]]
        deal.deal(hands)
        deal.indicator(_known(event["dora_marker"]))
        self.deal = deal

    def _step(self, deal: DealBuilder, kind: str, event: Mapping[str, Any]) -> None:
        match kind:
            case "tsumo":
                deal.settle_riichi()
                deal.draw(event["actor"], of_mjai(event["pai"]))
            case "dahai":
                deal.discard(
                    event["actor"], _known(event["pai"]), as_drawn=bool(event["tsumogiri"])
                )
            case "chi" | "pon" | "daiminkan":
                deal.settle_riichi()
                own = [_known(text) for text in event["consumed"]]
                deal.call(event["actor"], _KINDS[kind], own, _known(event["pai"]))
            case "ankan":
                deal.concealed_kong(event["actor"], [_known(text) for text in event["consumed"]])
            case "kakan":
                deal.added_kong(event["actor"], _known(event["pai"]))
            case "kita" | "nukidora":
                deal.set_aside(event["actor"], _known(event.get("pai", "N")))
            case "dora":
                deal.indicator(_known(event["dora_marker"]))
            case "reach":
                deal.riichi(event["actor"])
            case "reach_accepted":
                if deal.state.seats[event["actor"]].ready_pending:
                    deal.riichi_stands(event["actor"])
            case "hora":
                self._win(deal, event)
            case "ryukyoku":
                self._draw(deal, event)
            case _:
                raise RecordError(f"{deal.place}: the event {kind!r} is unknown")

    def _win(self, deal: DealBuilder, event: Mapping[str, Any]) -> None:
        winner, target = int(event["actor"]), int(event["target"])
        if winner == target and not deal.wins:
            deal.settle_riichi()
        winning = deal.drawn(winner) if winner == target else None
        if winning is None and event.get("pai") is not None:
            winning = _known(event["pai"])
        elif winner != target and deal.state.offers:
            winning = deal.state.offers[-1].tile
        held = deal.hand(winner)
        if None in held and "hora_tehais" in event:
            held = tuple(of_mjai(text) for text in event["hora_tehais"])
        hand = [tile for tile in held if tile is not None]
        if len(hand) < len(held):
            self.unseen = True
            return
        if winning in hand and len(hand) % 3 == 2:
            hand.remove(winning)
        markers = event.get("ura_markers", event.get("uradora_markers")) or ()
        points = event.get("hora_points")
        deltas = event.get("deltas")
        deal.win(
            RecordedWin(
                winner=Seat(winner),
                source=None if winner == target else Seat(target),
                winning_tile=winning,
                hand=tuple(hand),
                han=event.get("fan"),
                fu=event.get("fu"),
                points=points,
                ura=tuple(_known(text) for text in markers),
                deltas=tuple(int(one) for one in deltas) if deltas else None,
            )
        )

    def _draw(self, deal: DealBuilder, event: Mapping[str, Any]) -> None:
        named = event.get("reason")
        if named is None:
            reason = "exhaustive" if deal.state.wall_left == 0 else "kyuushu_kyuuhai"
        elif named in DRAW_REASONS:
            reason = DRAW_REASONS[named]
        else:
            raise RecordError(f"{deal.place}: the draw {named!r} is unknown")
        if reason != "sanchahou":
            deal.settle_riichi()
        shown: dict[Seat, tuple[Tile, ...]] = {}
        if reason in ("exhaustive", "nagashi_mangan", "suucha_riichi"):
            laid = [[of_mjai(text) for text in hand] for hand in event.get("tehais", ())]
            for seat in range(deal.players):
                held = laid[seat] if laid else deal.hand(seat)
                hand = tuple(sorted(tile for tile in held if tile is not None))
                if len(hand) == len(held) and waits(hand, deal.state.seats[seat].melds):
                    shown[Seat(seat)] = hand
                self.unseen |= len(hand) < len(held) and not laid
        deltas = event.get("deltas")
        paid = tuple(int(one) for one in deltas) if deltas else None
        seat_on_turn = deal.state.turn if reason == "kyuushu_kyuuhai" else None
        deal.no_win(RecordedDraw(reason=reason, shown=shown, deltas=paid), seat_on_turn)

    def _close(self) -> None:
        if self.deal is None:
            raise RecordError(f"{self.name}: a deal ends (end_kyoku) that did not begin")
        deal = self.deal.close()
        self.deals.append(replace(deal, wins=(), draw=None) if self.unseen else deal)
        self.deal, self.unseen = None, False


def _known(text: str) -> Tile:
    tile = of_mjai(text)
    if tile is None:
        raise RecordError("an unknown tile lies where everybody could see it")
    return tile
