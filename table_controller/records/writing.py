"""Writes a game of our own log for other tools: Tenhou JSON, mjai, CSV, and our own JSON.

mjai marks unknown tiles with ``?`` and is right for games at a real table. Tenhou's JSON has no
place for unknown tiles: only games whose every draw is known can be written.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from table_controller.codec import event_to_json
from table_controller.records.codes import to_mjai, to_tenhou_code
from table_controller.records.game import RecordError
from table_controller.rules.core.case import Answer
from table_controller.rules.core.events import (
    BonusSetAside,
    DealBegan,
    DealEnded,
    Discarded,
    Drawn,
    DrawSettled,
    GameBegan,
    GameEnded,
    GameEvent,
    HandDealt,
    HandShown,
    IndicatorShown,
    KongDeclared,
    MeldCalled,
    ReadyAccepted,
    ReadyDeclared,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import DealState, apply, begin
from table_controller.rules.core.tiles import Tile, format_tiles


class ExportFormat(StrEnum):
    """What a game can be written as."""

    TENHOU = "tenhou"
    MJAI = "mjai"
    CSV = "csv"
    JSON = "json"


RIICHI = ("riichi_4p", "riichi_3p")


def export(events: Sequence[GameEvent], form: ExportFormat) -> str:
    """The game as text; raises RecordError when the format cannot hold it."""
    match form:
        case ExportFormat.JSON:
            return to_json(events)
        case ExportFormat.CSV:
            return to_csv(events)
        case ExportFormat.MJAI:
            return to_mjai_lines(events)
        case ExportFormat.TENHOU:
            return to_tenhou_json(events)


def to_json(events: Iterable[GameEvent]) -> str:
    """Our own format: every event, in order. `read_games` reads it back."""
    return json.dumps(
        {"format": OWN_FORMAT, "events": [event_to_json(event) for event in events]},
        ensure_ascii=False,
    )


OWN_FORMAT = "mahjong-table 1"
BESIDE = ("fu", "base_points")  # units of items that are no yaku


@dataclass
class _Deal:
    """The events of one deal and how it ended."""

    began: DealBegan
    events: list[GameEvent] = field(default_factory=list)

    @property
    def players(self) -> int:
        return len(self.began.points)

    def of(self, *kinds: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kinds)]


def _deals(events: Iterable[GameEvent]) -> list[_Deal]:
    found: list[_Deal] = []
    for event in events:
        if isinstance(event, DealBegan):
            found.append(_Deal(event))
        if found:
            found[-1].events.append(event)
    return found


def _check_riichi(events: Sequence[GameEvent], form: str) -> GameBegan | None:
    began = next((event for event in events if isinstance(event, GameBegan)), None)
    if began is not None and began.ruleset not in RIICHI:
        raise RecordError(
            f"{form} holds riichi games only, not {began.ruleset}: export it as json or csv"
        )
    return began


# --- CSV ----------------------------------------------------------------------------------------


def to_csv(events: Sequence[GameEvent]) -> str:
    """One line a result: deal, winner, discarder, hand, value, payments and points after it.

    Winner and discarder are seats; changes and points stay with the players, who may change seats.
    """
    began = next((event for event in events if isinstance(event, GameBegan)), None)
    deals = _deals(events)
    players = max((deal.players for deal in deals), default=4)
    names = list(began.names) if began is not None else []
    seats = [names[seat] if seat < len(names) else f"seat {seat}" for seat in range(players)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["deal", "round", "dealer", "counters", "result", "winner", "from", "hand", "melds"]
        + ["winning_tile", "patterns", "value", "violations"]
        + [f"change {name}" for name in seats]
        + [f"points {name}" for name in seats]
    )
    for number, deal in enumerate(deals, start=1):
        for row in _csv_rows(number, deal):
            writer.writerow(row)
    return out.getvalue()


def _csv_rows(number: int, deal: _Deal) -> Iterator[list[object]]:
    began = deal.began
    head: list[object] = [number, began.round_wind.value, int(began.dealer), began.counters]
    ended = next(iter(deal.of(DealEnded)), None)
    points = _by_player(deal, ended.points) if ended is not None else [""] * deal.players
    shown = {event.seat: event for event in deal.of(HandShown)}
    claims = {event.seat: event for event in deal.of(WinClaimed)}
    state = _fold(deal)
    for judged in deal.of(WinJudged):
        answer: Answer = judged.answer
        claim, hand = claims.get(judged.seat), shown.get(judged.seat)
        winning = (claim.tile if claim else None) or (hand.winning_tile if hand else None)
        source = "" if claim is None or claim.source is None else int(claim.source)
        melds = state.seats[judged.seat].melds
        yield [
            *head,
            "win" if answer.valid else "refused",
            int(judged.seat),
            source,
            format_tiles(sorted(hand.tiles)) if hand else "",
            " ".join(format_tiles(meld.tiles).replace(" ", "") for meld in melds),
            str(winning) if winning else "",
            " ".join(item.id for item in answer.items if item.unit not in BESIDE),
            " ".join(f"{value} {name}" for name, value in answer.totals.items()),
            " ".join(one.code for one in answer.violations),
            *_by_player(deal, answer.deltas),
            *points,
        ]
    for drawn in deal.of(DrawSettled):
        change = _by_player(deal, totals(drawn.payments, deal.players))
        waiting = " ".join(str(int(seat)) for seat in drawn.waiting)
        codes = " ".join(one.code for one in drawn.violations)
        yield [*head, drawn.reason, "", "", "", "", "", waiting, "", codes, *change, *points]


def _by_player(deal: _Deal, by_seat: Sequence[object]) -> list[object]:
    """What the seats have, in the order of the players' first seats."""
    seating = deal.began.seating or range(deal.players)
    return [by_seat[seat] for _, seat in sorted(zip(seating, range(deal.players), strict=True))]


def _fold(deal: _Deal) -> DealState:
    state = begin(deal.began, deal.players)
    for event in deal.events[1:]:
        state = apply(state, event)
    return state


# --- mjai ---------------------------------------------------------------------------------------

_MJAI_CALLS = {MeldKind.CHOW: "chi", MeldKind.PUNG: "pon", MeldKind.KONG: "daiminkan"}
_MJAI_DRAWS = {
    "exhaustive": "fanpai",
    "nagashi_mangan": "nagashi_mangan",
    "kyuushu_kyuuhai": "kyushu_kyuhai",
    "suufon_renda": "sufon_renta",
    "suukaikan": "suukan_sansen",
    "suucha_riichi": "suurechi",
    "sanchahou": "sanchaho",
}


def to_mjai_lines(events: Sequence[GameEvent]) -> str:
    """mjai: one JSON object a line."""
    began = _check_riichi(events, "mjai")
    names = list(began.names) if began is not None else []
    start: dict[str, Any] = {"type": "start_game", "names": names}
    if began is not None and began.preset:  # by which rules: our own words beside those of mjai
        start |= {"preset": began.preset, "options": dict(began.options)}
    lines = [start]
    for deal in _deals(events):
        lines += _mjai_deal(deal)
    if len(lines) == 1:
        raise RecordError("no deal of this game has begun yet: there is nothing to write as mjai")
    if any(isinstance(event, GameEnded) for event in events):
        lines.append({"type": "end_game"})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _mjai_deal(deal: _Deal) -> Iterator[dict[str, Any]]:
    began = deal.began
    hands = {event.seat: list(event.tiles) for event in deal.of(HandDealt)}
    first = next(iter(deal.of(IndicatorShown)), None)
    if len(hands) < deal.players or first is None:
        return  # the deal broke off before everybody had tiles
    extra = hands[began.dealer][13:]
    yield {
        "type": "start_kyoku",
        "bakaze": began.round_wind.value,
        "kyoku": int(began.dealer) + 1,
        "honba": began.counters,
        "kyotaku": began.deposits,
        "oya": int(began.dealer),
        "scores": list(began.points),
        "dora_marker": to_mjai(first.tile),
        "tehais": [
            [to_mjai(tile) for tile in hands[Seat(seat)][:13]] for seat in range(deal.players)
        ],
    }
    if extra:  # our dealer takes the fourteenth tile with the deal
        yield {"type": "tsumo", "actor": int(began.dealer), "pai": to_mjai(extra[0])}
    state = begin(began, deal.players)
    judged = {event.seat: event.answer for event in deal.of(WinJudged)}
    under = [event.tile for event in deal.of(IndicatorShown) if event.under]
    for event in deal.events[1:]:
        before, state = state, apply(state, event)
        line = None if event is first else _mjai_event(event, before, judged, under)
        if line is not None:
            yield line
    if deal.of(DealEnded):
        yield {"type": "end_kyoku"}


def _mjai_event(
    event: GameEvent, state: DealState, judged: dict[Seat, Answer], under: Sequence[Tile]
) -> dict[str, Any] | None:
    match event:
        case IndicatorShown(tile=tile, under=False):
            return {"type": "dora", "dora_marker": to_mjai(tile)}
        case Drawn(seat=seat, tile=drawn):
            return {"type": "tsumo", "actor": int(seat), "pai": to_mjai(drawn)}
        case Discarded(seat=seat, tile=tile):
            as_drawn = event.as_drawn
            if as_drawn is None:  # nobody saw it: after riichi nothing else is allowed
                as_drawn = state.seats[seat].is_ready and not state.seats[seat].ready_pending
            return {
                "type": "dahai",
                "actor": int(seat),
                "pai": to_mjai(tile),
                "tsumogiri": as_drawn,
            }
        case ReadyDeclared(seat=seat):
            return {"type": "reach", "actor": int(seat)}
        case ReadyAccepted(seat=seat):
            return {"type": "reach_accepted", "actor": int(seat)}
        case BonusSetAside(seat=seat, tile=tile):
            return {"type": "kita", "actor": int(seat), "pai": to_mjai(tile)}
        case MeldCalled(seat=seat, meld=meld):
            called = state.seats[meld.source].pond[-1].tile if meld.source is not None else None
            own = list(meld.tiles)
            if called in own:
                own.remove(called)
            return {
                "type": _MJAI_CALLS[meld.kind],
                "actor": int(seat),
                "target": int(meld.source) if meld.source is not None else None,
                "pai": to_mjai(called),
                "consumed": [to_mjai(tile) for tile in own],
            }
        case KongDeclared(seat=seat, meld=meld, added=added):
            if meld.kind is MeldKind.CONCEALED_KONG:
                tiles = [to_mjai(tile) for tile in meld.tiles]
                return {"type": "ankan", "actor": int(seat), "consumed": tiles}
            rest = list(meld.tiles)
            if added is not None:
                rest.remove(added)
            return {
                "type": "kakan",
                "actor": int(seat),
                "pai": to_mjai(added),
                "consumed": [to_mjai(tile) for tile in rest],
            }
        case WinJudged(seat=seat, answer=answer) if answer.valid:
            claim = next(claim for claim in state.claims if claim.seat is seat)
            source = seat if claim.source is None else claim.source
            winning = claim.tile or state.seats[seat].winning_tile
            in_riichi = state.seats[seat].ready_at is not None
            return {
                "type": "hora",
                "actor": int(seat),
                "target": int(source),
                "pai": to_mjai(winning),
                "hora_tehais": _mjai_hand(state, seat),
                "ura_markers": [to_mjai(tile) for tile in under] if in_riichi else [],
                "deltas": list(judged[seat].deltas),
            }
        case DrawSettled(reason=reason, payments=payments):
            return {
                "type": "ryukyoku",
                "reason": _MJAI_DRAWS.get(reason, reason),
                "tehais": [_mjai_hand(state, each) for each in seats(state.players)],
                "deltas": list(totals(payments, state.players)),
            }
        case _:
            return None


def _mjai_hand(state: DealState, seat: Seat) -> list[str]:
    """The hand that was laid open, or what is known of it."""
    holder = state.seats[seat]
    tiles = holder.hand if holder.shown is None else holder.shown
    return [to_mjai(tile) for tile in tiles]


# --- Tenhou JSON --------------------------------------------------------------------------------

_TENHOU_DRAWS = {
    "exhaustive": "流局",
    "nagashi_mangan": "流し満貫",
    "kyuushu_kyuuhai": "九種九牌",
    "suufon_renda": "四風連打",
    "suukaikan": "四槓散了",
    "suucha_riichi": "四家立直",
    "sanchahou": "三家和了",
}
_LETTERS = {MeldKind.CHOW: "c", MeldKind.PUNG: "p", MeldKind.KONG: "m"}


def to_tenhou_json(events: Sequence[GameEvent]) -> str:
    """Tenhou's JSON; raises RecordError when a tile is unknown."""
    began = _check_riichi(events, "Tenhou JSON")
    deals = _deals(events)
    players = deals[0].players if deals else 4
    if not any(deal.of(WinJudged, DrawSettled) for deal in deals):
        raise RecordError(
            "no deal of this game is settled yet, and Tenhou JSON holds whole deals: "
            "export it as mjai or json"
        )
    names = list(began.names) if began is not None else []
    seen: list[Tile | None] = []
    for event in events:
        if isinstance(event, HandDealt):
            seen += event.tiles
        elif isinstance(event, Drawn | Discarded):
            seen.append(event.tile)
    has_reds = any(tile is not None and tile.red for tile in seen)
    document: dict[str, Any] = {
        "ver": 2.3,
        "title": ["", ""],
        "name": [*names, *[""] * (4 - len(names))],
        "rule": {"disp": "三南喰赤" if players == 3 else "般南喰赤", "aka": int(has_reds)},
        "log": [
            _tenhou_deal(deal, number)
            for number, deal in enumerate(deals, start=1)
            if deal.of(WinJudged, DrawSettled)
        ],
    }
    ended = next((event for event in events if isinstance(event, GameEnded)), None)
    if ended is not None and ended.final:
        pairs = zip(ended.points, ended.final, strict=True)
        document["sc"] = [number for pair in pairs for number in pair]
    return json.dumps(document, ensure_ascii=False)


def _code(tile: Tile | None, number: int) -> int:
    if tile is None:
        raise RecordError(
            f"deal {number} has tiles that nobody saw; Tenhou JSON has no place for them: "
            "export it as mjai or json"
        )
    return to_tenhou_code(tile)


def _tenhou_deal(deal: _Deal, number: int) -> list[Any]:
    began, players = deal.began, deal.players
    hands = {event.seat: list(event.tiles) for event in deal.of(HandDealt)}
    draws: list[list[Any]] = [[] for _ in range(4)]
    thrown: list[list[Any]] = [[] for _ in range(4)]
    extra = hands[began.dealer][13:]
    if extra:
        draws[began.dealer].append(_code(extra[0], number))
    state = begin(began, players)
    pending_riichi = False
    for event in deal.events[1:]:
        match event:
            case Drawn(seat=seat, tile=tile):
                draws[seat].append(_code(tile, number))
            case MeldCalled(seat=seat, meld=meld):
                draws[seat].append(_called(seat, meld, state, players))
                if meld.kind is MeldKind.KONG:
                    thrown[seat].append(0)
            case ReadyDeclared():
                pending_riichi = True
            case Discarded(seat=seat, tile=tile):
                entry: Any = 60 if event.as_drawn else to_tenhou_code(tile)
                thrown[seat].append(f"r{entry}" if pending_riichi else entry)
                pending_riichi = False
            case BonusSetAside(seat=seat):
                thrown[seat].append("f44")
            case KongDeclared(seat=seat, meld=meld):
                thrown[seat].append(_kong(seat, meld, event.added, players))
            case _:
                pass
        state = apply(state, event)
    shown = [to_tenhou_code(e.tile) for e in deal.of(IndicatorShown) if not e.under]
    under = [to_tenhou_code(e.tile) for e in deal.of(IndicatorShown) if e.under]
    round_number = 4 * "ESWN".index(began.round_wind.value) + int(began.dealer)
    rows: list[Any] = [
        [round_number, began.counters, began.deposits],
        [*began.points, *[0] * (4 - players)],
        shown,
        under,
    ]
    for place in range(4):
        hand = hands.get(Seat(place), [])[:13] if place < players else []
        rows += [sorted(_code(tile, number) for tile in hand), draws[place], thrown[place]]
    return [*rows, _tenhou_result(deal, state)]


def _place(seat: Seat, source: Seat, players: int) -> int:
    """Which tile lies sideways: the first from the left, the last from the right."""
    turns = source.turns_until(seat, players)
    return {1: 0, 2: 1, 3: 2}[turns if players == 4 or turns == 1 else 3]


def _called(seat: Seat, meld: Meld, state: DealState, players: int) -> str:
    source = meld.source
    assert source is not None
    called = state.seats[source].pond[-1].tile
    own = list(meld.tiles)
    own.remove(called)
    codes = [str(to_tenhou_code(tile)) for tile in own]
    place = _place(seat, source, players)
    if meld.kind is MeldKind.KONG and place == 2:
        place = 3
    codes.insert(place, f"{_LETTERS[meld.kind]}{to_tenhou_code(called)}")
    return "".join(codes)


def _kong(seat: Seat, meld: Meld, added: Tile | None, players: int) -> str:
    codes = [str(to_tenhou_code(tile)) for tile in meld.tiles]
    if meld.kind is MeldKind.CONCEALED_KONG:
        return "".join([*codes[:3], f"a{codes[3]}"])
    assert added is not None
    rest = list(meld.tiles)
    rest.remove(added)
    codes = [str(to_tenhou_code(tile)) for tile in rest]
    place = 0 if meld.source is None else _place(seat, meld.source, players)
    codes.insert(place, f"k{to_tenhou_code(added)}")
    return "".join(codes)


def _tenhou_result(deal: _Deal, state: DealState) -> list[Any]:
    judged = [event for event in deal.of(WinJudged) if event.answer.valid]
    if judged:
        result: list[Any] = ["和了"]
        for event in judged:
            claim = next(claim for claim in deal.of(WinClaimed) if claim.seat is event.seat)
            source = event.seat if claim.source is None else claim.source
            liable = next(
                (p.payer for p in event.answer.payments if p.reason == "liability"), event.seat
            )
            padded = [*event.answer.deltas, *[0] * (4 - deal.players)]
            texts = [_score_text(event.answer, claim.source is None)]
            texts += [_yaku_text(item) for item in event.answer.items if item.unit not in BESIDE]
            result += [padded, [int(event.seat), int(source), int(liable or 0), *texts]]
        return result
    drawn = deal.of(DrawSettled)[0]
    change = [*totals(drawn.payments, deal.players), *[0] * (4 - deal.players)]
    nagashi = any(payment.reason == "nagashi mangan" for payment in drawn.payments)
    name = _TENHOU_DRAWS["nagashi_mangan" if nagashi else drawn.reason]
    return [name, change] if any(change) else [name]


def _score_text(answer: Answer, self_drawn: bool) -> str:
    paid = sorted(
        {p.points for p in answer.payments if p.reason in ("discard", "self-draw", "liability")}
    )
    points = "-".join(str(one) for one in paid) + "点"
    if self_drawn and len(paid) == 1:
        points += "∀"
    if "yakuman" in answer.totals:
        return f"役満{points}"
    return f"{answer.totals['fu']}符{answer.totals['han']}飜{points}"


_TENHOU_NAMES = {
    "double_riichi": "両立直",
    "yakuhai_seat_wind": "自風 東",
    "yakuhai_round_wind": "場風 東",
}


def _yaku_text(item: Any) -> str:
    name = _TENHOU_NAMES.get(item.id, item.native)
    return f"{name}(役満)" if item.unit == "yakuman" else f"{name}({item.value}飜)"


__all__ = [
    "ExportFormat",
    "export",
    "to_csv",
    "to_json",
    "to_mjai_lines",
    "to_tenhou_json",
]
