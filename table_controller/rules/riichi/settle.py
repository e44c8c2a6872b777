"""Judging and settling claimed wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from table_controller.rules.core.case import Answer, Case, Flag, Violation
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import format_tiles
from table_controller.rules.riichi.explain import items
from table_controller.rules.riichi.furiten import own_discard_furiten
from table_controller.rules.riichi.options import (
    AbortiveDraw,
    ChomboMode,
    MultiRon,
    MultiRonCounters,
    MultiRonSticks,
    RiichiOptions,
)
from table_controller.rules.riichi.payments import chombo_payments
from table_controller.rules.riichi.scoring import Score, scorer_for

HEAD_BUMP = "head_bump"
"""The code of a good hand on a discard that a seat nearer to the discarder wins."""

EXTRA_KEYS = MappingProxyType(
    {
        "liable": "The seat that is liable for the yakuman, when the melds do not tell.",
        "added_last": "True when the last kong was added to a pung after all melds were laid.",
    }
)


def settle_win(
    case: Case, options: RiichiOptions, players: int = 4, found: Sequence[Violation] = ()
) -> Answer:
    """Judges and settles one claimed win; ``found`` is what the referee knows against it."""
    if any(one.code in ("wrong_tile_count", "fifth_tile") for one in found):
        return refused(case, found, options, players)
    score = scorer_for(options, players).score(case)
    violations = (*_violations(case, score, options, found), *found)
    if violations:
        return refused(case, violations, options, players)
    assert score is not None
    return Answer(
        ruleset=f"riichi_{players}p",
        valid=True,
        items=items(case, score, options),
        totals=_totals(score),
        payments=score.payments,
        players=players,
    )


def _totals(score: Score) -> MappingProxyType[str, int]:
    if score.yakuman:
        return MappingProxyType({"yakuman": score.yakuman})
    return MappingProxyType({"han": score.han, "fu": score.fu})


def _violations(
    case: Case, score: Score | None, options: RiichiOptions, known: Sequence[Violation]
) -> tuple[Violation, ...]:
    if score is None:
        shown = format_tiles(sorted(case.hand))
        return (
            Violation(
                code="not_a_win",
                seat=case.winner,
                text=(
                    f"{shown} with {case.winning_tile} is not complete: it takes four sets and "
                    "a pair, seven pairs or thirteen orphans."
                ),
            ),
        )
    found = []
    if not score.has_yaku:
        found.append(
            Violation(
                code="no_yaku",
                seat=case.winner,
                text="The hand is complete but has no yaku; dora alone do not make a win.",
            )
        )
    is_known = any(one.code == "furiten" for one in known)
    own = own_discard_furiten(case, options) if case.ponds and not is_known else None
    if own is not None:
        found.append(own)
    return tuple(found)


def refused(
    case: Case, violations: Sequence[Violation], options: RiichiOptions, players: int
) -> Answer:
    """An invalid win: nothing is won; the penalty of the table stands with the first reason."""
    penalty: tuple[Payment, ...] = ()
    is_doubtful = any(one.code == "fifth_tile" for one in violations)
    if options.chombo_mode is ChomboMode.MANGAN_PAYMENT and not is_doubtful:
        penalty = chombo_payments(case.winner, case.dealer, options, players)
    return Answer(
        ruleset=f"riichi_{players}p",
        valid=False,
        violations=tuple(
            replace(one, penalty=() if index else penalty) for index, one in enumerate(violations)
        ),
        players=players,
    )


def settle_wins(
    cases: Sequence[Case],
    options: RiichiOptions,
    players: int = 4,
    found: Mapping[Seat, Sequence[Violation]] = MappingProxyType({}),
) -> tuple[Answer, ...] | AbortiveDraw:
    """Settles all claims on one tile, in the order of play after the discarder.

    Each case carries all counters and sticks on the table; who of several winners gets them is
    decided here. An invalid claim next to a valid one is refused without a penalty. ``found`` is
    what the referee knows against each claim.
    """
    if not cases:
        raise CaseError("no claim to settle: name at least one winner")
    source = cases[0].source
    if len(cases) == 1 or source is None:
        return tuple(
            settle_win(case, options, players, found.get(case.winner, ())) for case in cases
        )
    ordered = sorted(cases, key=lambda case: source.turns_until(case.winner, players))
    judged = [settle_win(case, options, players, found.get(case.winner, ())) for case in ordered]
    valid = [case for case, answer in zip(ordered, judged, strict=True) if answer.valid]
    if (
        len(valid) == 3
        and options.multi_ron is MultiRon.DOUBLE_OK_TRIPLE_ABORT
        and AbortiveDraw.SANCHAHOU in options.abortive_draws
    ):
        return AbortiveDraw.SANCHAHOU
    if options.multi_ron is MultiRon.HEAD_BUMP:
        valid = valid[:1]
    answers = []
    for case, answer in zip(ordered, judged, strict=True):
        if case in valid:
            shared = _share_of(case, valid, options)
            answers.append(settle_win(shared, options, players))
        elif answer.valid:
            answers.append(_bumped(case, valid[0].winner, answer))
        elif valid:
            forgiven = tuple(replace(one, penalty=()) for one in answer.violations)
            answers.append(replace(answer, violations=forgiven))
        else:
            answers.append(answer)
    return tuple(answers)


def _share_of(case: Case, valid: Sequence[Case], options: RiichiOptions) -> Case:
    """The case with the counters and sticks that this one of several winners gets."""
    is_nearest = case is valid[0]
    counters = case.counters
    if not is_nearest and options.multi_ron_honba is MultiRonCounters.NEAREST:
        counters = 0
    deposits = case.deposits if is_nearest else 0
    if options.multi_ron_sticks is MultiRonSticks.OWN_BACK:
        own = {one.winner: _has_stick(one) for one in valid}
        if is_nearest:
            deposits = case.deposits - sum(own.values()) + own[case.winner]
        else:
            deposits = own[case.winner]
    return replace(case, counters=counters, deposits=deposits)


def _has_stick(case: Case) -> int:
    return int(Flag.READY in case.flags or Flag.DOUBLE_READY in case.flags)


def _bumped(case: Case, nearest: Seat, answer: Answer) -> Answer:
    """A good hand that another seat, nearer to the discarder, goes before."""
    return replace(
        answer,
        valid=False,
        payments=(),
        violations=(
            Violation(
                code=HEAD_BUMP,
                seat=case.winner,
                text=f"Seat {nearest.value} is nearer to the discarder: only one seat wins.",
            ),
        ),
    )
