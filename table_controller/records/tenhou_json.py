"""Tenhou's JSON (``tenhou/6``), also exported by other sites.

A deal lists what each seat drew and discarded, but not whose turn it was: the order follows from
who could call what. Where one discard could have been called at once or passed, both are tried and
the one that uses up all lists is right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from table_controller.records.builder import DealBuilder
from table_controller.records.codes import of_tenhou_code
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
from table_controller.records.uma import scoring_options
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile
from table_controller.rules.riichi.furiten import waits

AS_DRAWN = 60
DRAW_REASONS = {
    "流局": "exhaustive",
    "荒牌平局": "exhaustive",
    "全員聴牌": "exhaustive",
    "全員不聴": "exhaustive",
    "流し満貫": "nagashi_mangan",
    "九種九牌": "kyuushu_kyuuhai",
    "四風連打": "suufon_renda",
    "四家立直": "suucha_riichi",
    "四槓散了": "suukaikan",
    "四開槓": "suukaikan",
    "三家和了": "sanchahou",
    "三家和": "sanchahou",
}
_KINDS = {
    "c": MeldKind.CHOW,
    "p": MeldKind.PUNG,
    "m": MeldKind.KONG,
    "k": MeldKind.ADDED_KONG,
    "a": MeldKind.CONCEALED_KONG,
}
_SCORE = re.compile(r"(?:(\d+)符(\d+)飜)?\D*?(?:(\d+)-)?(\d+)点(∀)?")


def read_tenhou_json(data: Mapping[str, Any], name: str) -> RecordedGame:
    """The game of one ``tenhou/6`` document."""
    log = data["log"]
    if not isinstance(log, list) or not log:
        raise RecordError(f"{name}: the log holds no deal")
    display = str(data.get("rule", {}).get("disp", ""))
    players = 3 if "三" in display or (len(log[0]) > 13 and not log[0][13]) else 4
    deals = []
    for index, raw in enumerate(log):
        with readable(f"{name}: deal {index + 1}"):
            deals.append(_deal(raw, players, f"{name}, deal {index + 1}"))
    scores = data.get("sc")
    final_points = tuple(int(one) for one in scores[: 2 * players : 2]) if scores else None
    final_scores = tuple(float(one) for one in scores[1 : 2 * players : 2]) if scores else None
    return RecordedGame(
        name=name,
        format="tenhou_json",
        ruleset="riichi_3p" if players == 3 else "riichi_4p",
        preset="tenhou" if _is_tenhou(display, data) else "majsoul",
        options=_options(data, display, log, final_points, final_scores),
        names=tuple(str(one) for one in data.get("name", ()))[:players],
        deals=tuple(deals),
        final_points=final_points,
        final_scores=final_scores,
        is_complete=final_points is not None,
    )


def _is_tenhou(display: str, data: Mapping[str, Any]) -> bool:
    """The lobbies of Tenhou begin with 般 上 特 鳳; anything else was exported by another site."""
    return not display or (display[0] in "般上特鳳三四" and "playerMapping" not in data)


def _options(
    data: Mapping[str, Any],
    display: str,
    log: Sequence[Any],
    final_points: Sequence[int] | None,
    final_scores: Sequence[float] | None,
) -> dict[str, object]:
    found: dict[str, object] = {}
    rule = data.get("rule", {})
    aka = [int(rule.get(f"aka5{suit}", rule.get("aka", 0))) for suit in (1, 2, 3)]
    if len(log[0]) > 13 and ("aka" in rule or "aka51" in rule):
        found["red_fives"] = tuple(aka)
    if display and "喰" not in display:
        found["kuitan"] = False
    if "東" in display:
        found["game_length"] = "tonpuusen"
    players = 3 if "三" in display else 4
    start, left = divmod(sum(log[0][1][:players]) + 1000 * log[0][0][2], players)
    if not left and start % 1000 == 0:
        found["start_points"] = start
        if not _is_tenhou(display, data):
            found["return_points"] = start
    if final_scores and final_points and len(final_points) == 4:
        found |= scoring_options(
            final_points, final_scores, int(str(found.get("return_points", 30000)))
        )
    return found


def _deal(raw: Sequence[Any], players: int, place: str) -> RecordedDeal:
    (number, counters, sticks), points = raw[0], raw[1][:players]
    hands = [raw[4 + 3 * seat] for seat in range(players)]
    draws = [raw[5 + 3 * seat] for seat in range(players)]
    discards = [raw[6 + 3 * seat] for seat in range(players)]
    result = raw[-1]
    steps = _order(number % 4, draws, discards, players, place)
    deal = DealBuilder(
        number=number,
        dealer=number % 4,
        round_wind=number // 4,
        points=points,
        counters=counters,
        sticks=sticks,
        place=place_of(number // 4, number % 4, counters),
    )
    deal.deal([[of_tenhou_code(code) for code in hand] for hand in hands])
    indicators = [of_tenhou_code(code) for code in raw[2]]
    deal.indicator(indicators[0])
    _play(deal, steps, indicators[1:])
    _result(deal, result, [of_tenhou_code(code) for code in raw[3]])
    return deal.close()


@dataclass(frozen=True, slots=True)
class _Step:
    """A draw (or call in its place) or a discard (or kong), as the log writes it."""

    seat: int
    entry: int | str
    is_discard: bool


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as the log writes it: ``c131415``, ``41p4141``, ``m41414141`` with the place of the
    letter telling the seat it came from.
    """

    letter: str
    tiles: tuple[int, ...]  # the called or added tile first
    turns: int  # how many turns before the caller the discarder sits

    @classmethod
    def parse(cls, text: str) -> _Call:
        place = next((index for index, one in enumerate(text) if one.isalpha()), None)
        if place is None:
            raise RecordError(f"{text!r} is no call")
        codes = [int(text[:place][i : i + 2]) for i in range(0, place, 2)]
        rest = text[place + 1 :]
        special, *others = [int(rest[i : i + 2]) for i in range(0, len(rest), 2)]
        turns = (1, 2, 3, 3)[place // 2]
        return cls(text[place], (special, *codes, *others), turns)


def _order(
    dealer: int,
    draws: Sequence[Sequence[Any]],
    discards: Sequence[Sequence[Any]],
    players: int,
    place: str,
) -> list[_Step]:
    """Whose turn it was, step by step."""
    best: list[_Step] = []
    stack: list[tuple[list[_Step], int, tuple[int, ...], tuple[int, ...], bool]] = [
        ([], dealer, (0,) * players, (0,) * players, False)
    ]
    while stack:
        steps, seat, drawn, thrown, has_called = stack.pop()
        while True:
            if drawn[seat] == len(draws[seat]):
                break
            entry = draws[seat][drawn[seat]]
            if isinstance(entry, str) is not has_called:
                break  # a call is next, but what it calls was not discarded: a wrong turn
            has_called = False
            steps.append(_Step(seat, entry, is_discard=False))
            drawn = _more(drawn, seat)
            is_open_kong = isinstance(entry, str) and "m" in entry
            if is_open_kong:
                if thrown[seat] < len(discards[seat]) and discards[seat][thrown[seat]] == 0:
                    thrown = _more(thrown, seat)
                continue
            if thrown[seat] == len(discards[seat]):
                break
            made = discards[seat][thrown[seat]]
            steps.append(_Step(seat, made, is_discard=True))
            thrown = _more(thrown, seat)
            if isinstance(made, str) and made[0] != "r":
                continue  # a kong or north: the same seat draws again
            code = _discarded(made, entry)
            callers = [
                other
                for turns in range(1, players)
                for other in [(seat + turns) % players]
                if _calls(draws, drawn, other, code, turns, players)
            ]
            callers.sort(key=lambda other: "c" in draws[other][drawn[other]])
            following = (seat + 1) % players
            if callers:
                passing = draws[following][drawn[following] :][:1]
                if passing and not isinstance(passing[0], str):
                    stack.append((list(steps), following, drawn, thrown, False))
                stack += [(list(steps), other, drawn, thrown, True) for other in callers[:0:-1]]
                seat, has_called = callers[0], True
            else:
                seat = following
        if len(steps) > len(best):
            best = steps
        if all(drawn[one] == len(draws[one]) for one in range(players)) and all(
            thrown[one] == len(discards[one]) for one in range(players)
        ):
            return steps
    raise RecordError(f"{place}: draws and discards do not fit together after step {len(best)}")


def _more(numbers: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return tuple(one + (index == seat) for index, one in enumerate(numbers))


def _discarded(made: int | str, entry: int | str) -> int:
    code = int(made[1:]) if isinstance(made, str) else made
    if code == AS_DRAWN:
        return int(entry) if isinstance(entry, int) else 0
    return code


def _calls(
    draws: Sequence[Sequence[Any]],
    drawn: Sequence[int],
    seat: int,
    code: int,
    turns: int,
    players: int,
) -> bool:
    """The seat's next entry is a call of this discard."""
    if drawn[seat] == len(draws[seat]):
        return False
    entry = draws[seat][drawn[seat]]
    if not isinstance(entry, str):
        return False
    call = _Call.parse(entry)
    return call.tiles[0] == code and (call.turns == turns or players == 3)


def _play(deal: DealBuilder, steps: Sequence[_Step], indicators: list[Tile]) -> None:
    """The steps as events, with kong indicators turned when Tenhou turns them."""
    pending = 0
    for step in steps:
        entry, seat = step.entry, step.seat
        if not step.is_discard:
            deal.settle_riichi()
            if isinstance(entry, str):
                call = _Call.parse(entry)
                tiles = [of_tenhou_code(code) for code in call.tiles]
                deal.call(seat, _KINDS[call.letter], tiles[1:], tiles[0])
                pending += call.letter == "m"
            else:
                deal.draw(seat, of_tenhou_code(entry))
        elif isinstance(entry, str) and entry[0] != "r":
            if entry[0] == "f":
                deal.set_aside(seat, of_tenhou_code(int(entry[1:])))
                continue
            call = _Call.parse(entry)
            tiles = [of_tenhou_code(code) for code in call.tiles]
            if call.letter == "a":
                deal.concealed_kong(seat, tiles)
                shown = min(pending + 1, len(indicators))
                for _ in range(shown):
                    deal.indicator(indicators.pop(0))
                pending = 0
            else:
                deal.added_kong(seat, tiles[0])
                pending += 1
        else:
            if isinstance(entry, str):
                deal.riichi(seat)
                entry = int(entry[1:])
            drawn = deal.drawn(seat)
            tile = of_tenhou_code(entry) if entry != AS_DRAWN else drawn
            if tile is None:
                raise RecordError(f"{deal.place}: a drawn tile is discarded before any draw")
            deal.discard(seat, tile, as_drawn=entry == AS_DRAWN)
            for _ in range(min(pending, len(indicators))):
                deal.indicator(indicators.pop(0))
            pending = 0


def _result(deal: DealBuilder, result: Sequence[Any], ura: Sequence[Tile]) -> None:
    kind = result[0]
    if kind == "和了":
        is_first = True
        for deltas, detail in zip(result[1::2], result[2::2], strict=False):
            if is_first and detail[0] == detail[1]:
                deal.settle_riichi()
            is_first = False
            deal.win(_win(deal, deltas, detail, ura))
        deal.points_after = _after(deal, result[1::2])
        return
    if kind not in DRAW_REASONS:
        raise RecordError(f"{deal.place}: the result {kind!r} is unknown")
    reason = DRAW_REASONS[kind]
    if reason != "sanchahou":
        deal.settle_riichi()
    shown: dict[Seat, tuple[Tile, ...]] = {}
    if reason in ("exhaustive", "nagashi_mangan", "suucha_riichi"):
        for seat in range(deal.players):
            hand = tuple(sorted(tile for tile in deal.hand(seat) if tile is not None))
            if waits(hand, deal.state.seats[seat].melds):
                shown[Seat(seat)] = hand
    deltas = tuple(result[1][: deal.players]) if len(result) > 1 else None
    seat_on_turn = deal.state.turn if reason == "kyuushu_kyuuhai" else None
    deal.no_win(RecordedDraw(reason=reason, shown=shown, deltas=deltas), seat_on_turn)
    deal.points_after = _after(deal, [deltas] if deltas else [])


def _after(deal: DealBuilder, changes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    points = list(deal.state.points)
    for change in changes:
        points = [own + more for own, more in zip(points, change, strict=False)]
    return tuple(points)


def _win(
    deal: DealBuilder, deltas: Sequence[int], detail: Sequence[Any], ura: Sequence[Tile]
) -> RecordedWin:
    winner, source, liable = detail[:3]
    hand = [tile for tile in deal.hand(winner) if tile is not None]
    offer = deal.state.offer
    if winner == source:
        winning = deal.drawn(winner)
        if winning is not None:
            hand.remove(winning)
    else:
        winning = offer.tile if offer is not None else None
    found = _SCORE.search(detail[3]) if len(detail) > 3 else None
    fu = int(found.group(1)) if found and found.group(1) else None
    han = int(found.group(2)) if found and found.group(2) else None
    yaku, yakuman = _yaku(detail[4:])
    in_riichi = deal.state.seats[winner].ready_at is not None
    if han is None and yaku and not yakuman:
        han = sum(one.han or 0 for one in yaku)
    return RecordedWin(
        winner=Seat(winner),
        source=None if winner == source else Seat(source),
        winning_tile=winning,
        hand=tuple(hand),
        han=None if yakuman else han,
        fu=fu,
        yakuman=yakuman or None,
        yaku=tuple(yaku) if yaku else None,
        ura=tuple(ura) if in_riichi else (),
        liable=Seat(liable) if yakuman and liable not in (winner, source) else None,
        deltas=tuple(deltas[: deal.players]),
    )


def _yaku(texts: Sequence[str]) -> tuple[list[RecordedYaku], int]:
    found, yakuman = [], 0
    for text in texts:
        native, _, worth = text.partition("(")
        number = re.match(r"(\d+)飜", worth)
        id = YAKU_BY_NATIVE.get(native)
        if id is None:
            raise RecordError(f"the yaku {native!r} is unknown")
        if number:
            if int(number.group(1)):
                found.append(RecordedYaku(id=id, han=int(number.group(1))))
        else:
            yakuman += 1
            found.append(RecordedYaku(id=id, han=None))
    return found, yakuman
