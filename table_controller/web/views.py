"""State -> what a viewer may see, as JSON values.

While a deal is in play nobody is shown a concealed tile, whether a hand waits, furiten, or a
doubtful tile count; all that is explained when hands are shown. Who hears of a penalty before that
is a setting, because rule bodies differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from table_controller.codec import answer_to_json, event_to_json, payment_to_json
from table_controller.rules.core.case import Evidence, Violation
from table_controller.rules.core.errors import RulesError
from table_controller.rules.core.events import (
    Corrected,
    DealBegan,
    DealEnded,
    Doubted,
    DrawSettled,
    GameEnded,
    GameEvent,
    HandShown,
    Paid,
    Penalised,
    WinClaimed,
    WinJudged,
    hide,
)
from table_controller.rules.core.melds import Meld
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat, seat_wind, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import Awaiting, DealState, PondTile, SeatState
from table_controller.rules.core.tiles import Tile
from table_controller.store import Recorded
from table_controller.table import FaultNotice, Table

ROW_LENGTH = 6  # tiles in a row of a pond, where the rules do not say otherwise
LONG_ROW = 2  # from this row on the last one grows

PUBLIC_DOUBTS = frozenset({"reading", "unread", "disagreement", "waiting"})
"""Questions about what everybody can see, or about what players have yet to do; all others are for
the staff."""


class Viewer(StrEnum):
    """Who looks: everybody at the table, or the staff."""

    PUBLIC = "public"
    STAFF = "staff"


@dataclass(frozen=True, slots=True)
class Sight:
    """Who looks, and what irregularities may be announced: off, referee or public."""

    viewer: Viewer = Viewer.PUBLIC
    announce: str = "public"

    @property
    def sees_penalties(self) -> bool:
        """Hears of a penalty or a dead hand while the deal is in play."""
        return self.announce == "public" or (
            self.announce == "referee" and self.viewer is Viewer.STAFF
        )


def table_view(
    table: Table, sight: Sight, *, name: str = "", seat: Seat | None = None
) -> dict[str, Any]:
    """Everything a screen shows, as the log stands now."""
    return {
        "table": name,
        "game": table.game,
        "next": len(table.log),
        "ruleset": {
            **ruleset_view(table.ruleset, table.options),
            "preset": table.began.preset,
            "changed": dict(table.began.options),
        },
        "names": list(table.names),
        "points": list(table.points),
        "deal": deal_view(table, sight),
        "before": deal_before(table),
        "final": _final(table),
        "fines": _fines(table) if sight.viewer is Viewer.STAFF else [],
        "doubts": [doubt_view(each) for each in table.doubts if _may_see(each, table, sight)],
        "machine": machine_view(table),
        "paused": table.paused,
        "calling": sorted(table.calling),
        "seat": None if seat is None else _from_seat(table.points, seat),
    }


def ruleset_view(ruleset: Ruleset[Any], options: Any) -> dict[str, Any]:
    """What a screen says about the rules in play."""
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "native": ruleset.native,
        "players": ruleset.players_with(options),
        "deposit": ruleset.play.deposit(options) if ruleset.play else 0,
        "challenges": ruleset.conduct is not None and ruleset.conduct.challenge is not None,
        "announcements": list(ruleset.play.announcements(options)) if ruleset.play else [],
    }


def machine_view(table: Table) -> dict[str, Any]:
    """What the machine is doing, and all faults."""
    machine = table.machine
    return {
        "phase": machine.phase,
        "progress": machine.progress,
        "seconds_left": machine.seconds_left,
        "link": machine.link,
        "camera": machine.camera,
        "faults": [_notice(fault) for fault in table.faults],
        "halted": None if machine.halted is None else _notice(machine.halted),
        "refused": None if machine.refused is None else _notice(machine.refused),
    }


def _notice(notice: FaultNotice) -> dict[str, Any]:
    return {"code": notice.code, "text": notice.text, "hint": notice.hint, "side": notice.side}


def doubt_view(record: Recorded) -> dict[str, Any]:
    """A question for a person."""
    doubt = record.event
    assert isinstance(doubt, Doubted)
    return {
        "number": record.number,
        "question": doubt.question,
        "candidates": [str(tile) for tile in doubt.candidates],
        "seat": _number(doubt.seat),
        "place": doubt.place,
        "code": doubt.code,
    }


def deal_view(table: Table, sight: Sight) -> dict[str, Any] | None:
    """The deal in play or the last one; None before the first."""
    state = table.state
    if state is None:
        return None
    history = table.history
    in_play = is_in_play(state)
    return {
        "number": state.number,
        "dealer": int(state.dealer),
        "round_wind": state.round_wind.value,
        "counters": state.counters,
        "deposits": state.deposits,
        "goulash": state.goulash,
        "wall_left": state.wall_left,
        "dice": list(state.dice),
        "break": _break(table, state),
        "indicators": _tiles(state.indicators),
        "under_indicators": [] if in_play else _tiles(state.under_indicators),
        "dora": _dora(table, state.indicators),
        "under_dora": [] if in_play else _dora(table, state.under_indicators),
        "turn": int(state.turn),
        "awaiting": state.awaiting.value,
        "offer": None if state.offer is None else {
            "seat": int(state.offer.seat), "tile": str(state.offer.tile),
        },
        "claims": [
            {"seat": int(claim.seat), "from": _number(claim.source)} for claim in state.claims
        ],
        "draw": state.draw_reason,
        "seats": [
            _seat_view(state, seat, in_play=in_play, sight=sight) for seat in seats(state.players)
        ],
        "passing": _passing(table, state),
        "wanted": [int(seat) for seat in _wanted(table, state)],
        "pond_row": _row_length(table),
        "verdicts": verdicts(
            table.records_of_deal, state, told=sight.sees_penalties, row=_row_length(table)
        ),
        "settlement": _settlement(history, state.players) if not in_play else None,
    }  # fmt: skip


def _break(table: Table, state: DealState) -> dict[str, Any] | None:
    """Where the dice break the wall; None where players throw others, or when play has begun."""
    play = table.ruleset.play
    if play is None or not state.dice or state.discards:
        return None
    found = play.break_wall(state.dealer, state.dice, table.options)
    return None if found is None else {"seat": int(found.side), "stacks": found.stacks}


def _passing(table: Table, state: DealState) -> dict[str, Any] | None:
    """Which concealed tiles go to whom now, before play, and who is done: a Charleston's guide."""
    play = table.ruleset.play
    step = None if play is None else play.pass_due(state, table.history, table.options)
    if step is None:
        return None
    rule = step.rule
    return {
        "step": rule.name,
        "place": rule.place,
        "of": rule.of,
        "least": rule.least,
        "most": rule.most,
        "by_agreement": rule.exchanged is not None,
        "may_stop": rule.stop is not None,
        "jokers": rule.jokers,
        "seats": [
            {
                "to": [int(seat.after(turns, state.players)) for turns in rule.turns],
                "number": step.numbers[seat],
                "done": step.done[seat] or step.passed[seat],
                "seen": step.seen[seat],
            }
            for seat in seats(state.players)
        ],
    }


def _row_length(table: Table) -> int:
    play = table.ruleset.play
    return ROW_LENGTH if play is None else play.pond_row(table.options)


def _wanted(table: Table, state: DealState) -> list[Seat]:
    """The seats whose hands the verdict on a claimed win waits for."""
    play = table.ruleset.play
    if play is None or state.awaiting is not Awaiting.VERDICT or not state.claims:
        return []
    closed = [claim.seat for claim in state.claims if state.seats[claim.seat].shown is None]
    if closed:
        return closed
    try:
        return [
            seat for seat in play.must_show(state, table.options) if state.seats[seat].shown is None
        ]
    except RulesError:  # tiles that cannot be: a person is asked about those
        return []


def _dora(table: Table, indicators: Sequence[Tile]) -> list[str]:
    """The tiles that the indicators make score; none where the rules have no such thing."""
    dora_of = table.ruleset.dora_of
    if dora_of is None:
        return []
    return [str(dora_of(tile, table.options)) for tile in indicators]


def is_in_play(state: DealState) -> bool:
    """Hands are still concealed: nobody has claimed a win and no draw was declared."""
    return state.awaiting not in (Awaiting.VERDICT, Awaiting.OVER)


def _seat_view(state: DealState, seat: Seat, *, in_play: bool, sight: Sight) -> dict[str, Any]:
    holder = state.seats[seat]
    told = not in_play or sight.sees_penalties
    return {
        "wind": state.wind_of(seat).value,
        "points": state.points[seat],
        "pond": [_discard_view(each) for each in holder.pond],
        "melds": [meld_view(each) for each in holder.melds],
        "bonus": _tiles(holder.bonus),
        "ready": holder.is_ready,
        "ready_deposited": holder.ready_at is not None and not holder.ready_pending,
        "dead_hand": holder.dead_hand if told else None,
        "shown": None if holder.shown is None or in_play else _tiles(sorted(holder.shown)),
        "winning_tile": None if in_play else _tile(holder.winning_tile),
    }


def _discard_view(discard: PondTile) -> dict[str, Any]:
    return {
        "tile": str(discard.tile),
        "turned": discard.turned,
        "called_by": _number(discard.called_by),
    }


def meld_view(meld: Meld) -> dict[str, Any]:
    """A meld with its tiles one by one, as a screen draws it."""
    return {
        "kind": meld.kind.value,
        "tiles": _tiles(meld.tiles),
        "from": _number(meld.source),
        "called": _tile(meld.called),
    }


# --- verdicts ----------------------------------------------------------------------------------


def verdicts(
    records: Sequence[Recorded],
    state: DealState,
    *,
    told: bool = False,
    row: int = ROW_LENGTH,
) -> list[dict[str, Any]]:
    """Every judged win, settled draw and penalty of the deal, with evidence and payments.

    Where it is ``told`` in play, what the table saw to be wrong stands there at once.
    """
    found: list[dict[str, Any]] = []
    claims: dict[Seat, WinClaimed] = {}
    hands: dict[Seat, HandShown] = {}
    for record in records:
        match record.event:
            case WinClaimed(seat=seat) as claim:
                claims[seat] = claim
            case HandShown(seat=seat) as shown:
                hands[seat] = shown
            case WinJudged(seat=seat, answer=answer):
                found.append(
                    {
                        "kind": "win",
                        "number": record.number,
                        "seat": int(seat),
                        "from": _number(claims[seat].source) if seat in claims else None,
                        "hand": _hand_view(hands.get(seat), state.seats[seat]),
                        "answer": answer_to_json(answer),
                        "breaches": [breach_view(each, state, row) for each in answer.violations],
                    }
                )
            case DrawSettled(reason=reason, waiting=waiting) as draw:
                found.append(
                    {
                        "kind": "draw",
                        "number": record.number,
                        "reason": reason,
                        "waiting": [int(seat) for seat in waiting],
                        "hands": [
                            {"seat": int(s), **_hand_view(hands.get(s), state.seats[s])}
                            for s in waiting
                        ],
                        "payments": [payment_to_json(each) for each in draw.payments],
                        "breaches": [breach_view(each, state, row) for each in draw.violations],
                    }
                )
            case Penalised(seat=seat) as penalty:
                found.append(
                    {
                        "kind": "penalty",
                        "number": record.number,
                        "seat": int(seat),
                        "code": penalty.code,
                        "text": penalty.text,
                        "dead_hand": penalty.dead_hand,
                        "seen": penalty.seen,
                        "evidence": [_evidence_view(e, state, row) for e in penalty.evidence],
                        "payments": [payment_to_json(each) for each in penalty.payments],
                    }
                )
    if is_in_play(state):  # a penalty by the staff is told when the deal is over, see `visible`
        return [
            each
            for each in found
            if (each["kind"] == "win" and not each["answer"]["valid"])
            or (each["kind"] == "penalty" and each["seen"] and told)
        ]
    return found


def _hand_view(shown: HandShown | None, holder: SeatState) -> dict[str, Any]:
    return {
        "tiles": [] if shown is None else _tiles(sorted(shown.tiles)),
        "winning_tile": None if shown is None else _tile(shown.winning_tile),
        "melds": [meld_view(each) for each in holder.melds],
        "bonus": _tiles(holder.bonus),
    }


def breach_view(violation: Violation, state: DealState, row: int = ROW_LENGTH) -> dict[str, Any]:
    """A breach, with where the screen and the table show its evidence."""
    return {
        "code": violation.code,
        "seat": int(violation.seat),
        "text": violation.text,
        "evidence": [_evidence_view(each, state, row) for each in violation.evidence],
        "penalty": [payment_to_json(each) for each in violation.penalty],
    }


def _evidence_view(evidence: Evidence, state: DealState, row: int) -> dict[str, Any]:
    """Where the tile lies: which discard of that seat, and in the pond its row and place.

    A called tile has left the pond; the ones after it have moved up, as they do at the table.
    """
    pond = state.seats[evidence.seat].pond
    view: dict[str, Any] = {
        "seat": int(evidence.seat),
        "place": evidence.place,
        "tile": str(evidence.tile),
        "row": None,
        "column": None,
        "called_by": None,
    }
    if 1 <= evidence.place <= len(pond):
        discard = pond[evidence.place - 1]
        view["called_by"] = _number(discard.called_by)
        if discard.called_by is None:
            lies_at = sum(each.called_by is None for each in pond[: evidence.place - 1])
            view["row"], view["column"] = row_and_column(lies_at, row)
    return view


def row_and_column(lies_at: int, length: int = ROW_LENGTH) -> tuple[int, int]:
    """Row and place in it, both from 1, of the tile that lies at this place of a pond."""
    row = min(lies_at // length, LONG_ROW)
    return row + 1, lies_at - row * length + 1


def _settlement(history: Sequence[GameEvent], players: int) -> dict[str, Any]:
    """Who paid whom in this deal: each pair once, with its reasons, and what it comes to."""
    payments: list[Payment] = []
    for event in history:
        match event:
            case WinJudged(answer=answer):
                payments.extend(answer.payments)
            case DrawSettled(payments=more) | Paid(payments=more) | Penalised(payments=more):
                payments.extend(more)
    pairs: dict[tuple[int | None, int | None], list[Payment]] = {}
    for payment in payments:
        if payment.points:
            key = (_number(payment.payer), _number(payment.receiver))
            pairs.setdefault(key, []).append(payment)
    change = [0] * players
    for (payer, receiver), each in pairs.items():
        amount = sum(payment.points for payment in each)
        if payer is not None:
            change[payer] -= amount
        if receiver is not None:
            change[receiver] += amount
    return {
        "transfers": [
            {
                "from": payer,
                "to": receiver,
                "points": sum(payment.points for payment in each),
                "reasons": [{"reason": p.reason, "points": p.points} for p in each],
            }
            for (payer, receiver), each in pairs.items()
        ],
        "deltas": change,
        "ended": any(isinstance(event, DealEnded) for event in history),
    }


def deal_before(table: Table) -> dict[str, Any] | None:
    """How the deal before this one ended, in short: the verdicts stay in sight a while longer."""
    earlier = table.records[: len(table.records) - len(table.records_of_deal)]
    starts = [place for place, each in enumerate(earlier) if isinstance(each.event, DealBegan)]
    if not starts:
        return None
    began = earlier[starts[-1]].event
    assert isinstance(began, DealBegan)

    def wind(seat: Seat | None) -> str | None:
        return None if seat is None else seat_wind(seat, began.dealer, table.players).value

    sources: dict[Seat, Seat | None] = {}
    ended: list[dict[str, Any]] = []
    for record in earlier[starts[-1] :]:
        match record.event:
            case WinClaimed(seat=seat, source=source):
                sources[seat] = source
            case WinJudged(seat=seat, answer=answer):
                ended.append(
                    {
                        "kind": "win",
                        "valid": answer.valid,
                        "wind": wind(seat),
                        "from": wind(sources.get(seat)),
                        "points": answer.deltas[seat],
                        "codes": [breach.code for breach in answer.violations],
                    }
                )
            case DrawSettled(reason=reason):
                ended.append({"kind": "draw", "reason": reason})
    return {
        "round_wind": began.round_wind.value,
        "dealer": int(began.dealer),
        "counters": began.counters,
        "ended": ended,
    }


def _final(table: Table) -> dict[str, Any] | None:
    """How the game ended, by the seats where the players sit now; rules rank players."""
    records = table.records
    if not records or not isinstance(records[-1].event, GameEnded):
        return None
    ended = records[-1].event
    return {
        "points": list(ended.points),
        "placements": [ended.placements[player] for player in table.seating],
        "scores": [ended.final[player] for player in table.seating] if ended.final else [],
    }


def _fines(table: Table) -> list[list[dict[str, Any]]]:
    """The prices that the staff's list offers, for each seat as things stand in the deal."""
    conduct, state = table.ruleset.conduct, table.state
    if conduct is None or state is None:
        return []
    return [
        [
            {
                "code": fine.code,
                "points": fine.points,
                "to": "others" if fine.to_each else "pot",
                "dead_hand": fine.dead_hand,
            }
            for fine in conduct.fines(state, seat, table.options)
        ]
        for seat in seats(state.players)
    ]


def _from_seat(points: Sequence[int], seat: Seat) -> dict[str, Any]:
    """What a player asks for: the difference to everybody else, to the seat just ahead first."""
    own = points[seat]
    return {"seat": int(seat), "differences": [other - own for other in points]}


# --- events ------------------------------------------------------------------------------------


def visible(event: GameEvent, sight: Sight, *, in_play: bool) -> GameEvent | None:
    """The event as this viewer may read it; None where it may not be told yet."""
    if isinstance(event, Corrected):
        inner = visible(event.event, sight, in_play=in_play)
        if inner is None:
            return None
        return Corrected(index=event.index, event=inner, reason=event.reason)
    if in_play and isinstance(event, Penalised) and not sight.sees_penalties:
        return None
    if (
        in_play
        and isinstance(event, Doubted)
        and sight.viewer is Viewer.PUBLIC
        and event.code not in PUBLIC_DOUBTS
    ):
        return None
    return hide(event)


def record_view(record: Recorded, sight: Sight, *, in_play: bool) -> dict[str, Any] | None:
    """An event with its number and time; None where this viewer may not read it yet."""
    event = visible(record.event, sight, in_play=in_play)
    if event is None:
        return None
    return {"number": record.number, "at": record.at, "event": event_to_json(event)}


def game_view(
    records: Sequence[Recorded], sight: Sight, *, hidden_from: int | None
) -> list[dict[str, Any]]:
    """Events of a game; those from ``hidden_from`` on belong to a deal in play."""
    views = (
        record_view(
            record,
            sight,
            in_play=hidden_from is not None and record.number >= hidden_from,
        )
        for record in records
    )
    return [view for view in views if view is not None]


def _may_see(record: Recorded, table: Table, sight: Sight) -> bool:
    in_play = table.state is not None and is_in_play(table.state)
    return visible(record.event, sight, in_play=in_play) is not None


def _tile(tile: Tile | None) -> str | None:
    return None if tile is None else str(tile)


def _tiles(tiles: Sequence[Tile]) -> list[str]:
    return [str(tile) for tile in tiles]


def _number(seat: Seat | None) -> int | None:
    return None if seat is None else int(seat)
