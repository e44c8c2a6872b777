"""Offences and what follows from each, as section 19 of the rules lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from table_controller.rules.core.events import Penalised
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.riichi.options import ChomboMode, RiichiOptions
from table_controller.rules.riichi.payments import chombo_payments


class Consequence(StrEnum):
    """What an offence costs."""

    CHOMBO = "chombo"  # points are paid and the deal is played again
    DEAD_HAND = "dead_hand"  # no more calls and wins; the seat plays on and pays
    CORRECTION = "correction"  # put right, no penalty


@dataclass(frozen=True, slots=True, kw_only=True)
class Offence:
    """One offence: its consequence, and when it is imposed."""

    code: str
    consequence: Consequence
    text: str


_OFFENCES = (
    Offence(
        code="noten_riichi",
        consequence=Consequence.CHOMBO,
        text="Riichi without a waiting hand: imposed when the deal ends in a draw.",
    ),
    Offence(
        code="not_a_win",
        consequence=Consequence.CHOMBO,
        text="A win was declared and the hand laid open, but it is not complete.",
    ),
    Offence(
        code="no_yaku",
        consequence=Consequence.CHOMBO,
        text="A win was declared and the hand laid open, but it has no yaku.",
    ),
    Offence(
        code="furiten",
        consequence=Consequence.CHOMBO,
        text="A win on a discard although the own pond holds a tile the hand waits for.",
    ),
    Offence(
        code="temporary_furiten",
        consequence=Consequence.CHOMBO,
        text="A win on a discard although a winning tile was let pass since the last turn.",
    ),
    Offence(
        code="riichi_furiten",
        consequence=Consequence.CHOMBO,
        text="A win on a discard although a winning tile was let pass in riichi.",
    ),
    Offence(
        code="invalid_riichi_kan",
        consequence=Consequence.CHOMBO,
        text="A kong in riichi that changes the wait: imposed at a draw or when that seat wins.",
    ),
    Offence(
        code="play_impossible",
        consequence=Consequence.CHOMBO,
        text="The deal cannot go on through a seat's fault.",
    ),
    Offence(
        code="dead_hand",
        consequence=Consequence.CHOMBO,
        text="A seat whose hand is dead declared a call or a win.",
    ),
    Offence(
        code="out_of_turn",
        consequence=Consequence.DEAD_HAND,
        text="Drawing out of turn, skipping the own draw, or a wrong draw.",
    ),
    Offence(
        code="wrong_call",
        consequence=Consequence.DEAD_HAND,
        text="A call without the tiles for it, or a chow out of turn.",
    ),
    Offence(
        code="wrong_tile_count",
        consequence=Consequence.DEAD_HAND,
        text="More or fewer than 13 tiles, one more for each kong, outside the own turn.",
    ),
    Offence(
        code="peeking",
        consequence=Consequence.DEAD_HAND,
        text="Looking at tiles of the dead wall or of another hand: only people can see it.",
    ),
    Offence(
        code="kuikae",
        consequence=Consequence.DEAD_HAND,
        text="Swap calling: put right when noticed before the next draw, else the hand is dead.",
    ),
    Offence(
        code="ready_hand_changed",
        consequence=Consequence.DEAD_HAND,
        text="A call, or a discard from the hand, in riichi; a chombo when the deal is drawn.",
    ),
    Offence(
        code="wrong_kong",
        consequence=Consequence.DEAD_HAND,
        text="A fifth kong, one that nothing is left to replace, or one that may not be declared.",
    ),
    Offence(
        code="flower_kept",
        consequence=Consequence.CORRECTION,
        text="A flower discarded: it is set aside and replaced.",
    ),
    Offence(
        code="late_claim",
        consequence=Consequence.CORRECTION,
        text="A discard called or won on after the next player had drawn: it is not taken.",
    ),
    Offence(
        code="wrong_riichi",
        consequence=Consequence.DEAD_HAND,
        text="Riichi with an open hand, too late, or without the points it takes.",
    ),
    Offence(
        code="empty_call",
        consequence=Consequence.CORRECTION,
        text="A call taken back before tiles were shown.",
    ),
)

OFFENCES: Mapping[str, Offence] = MappingProxyType({one.code: one for one in _OFFENCES})
"""Every offence by its code."""


def penalise(
    code: str, seat: Seat, dealer: Seat, options: RiichiOptions, players: int = 4
) -> Penalised:
    """The event that imposes an offence's consequence; KeyError for an unknown code.

    Where a chombo is taken off the final score no points move now.
    """
    offence = OFFENCES[code]
    payments: tuple[Payment, ...] = ()
    if (
        offence.consequence is Consequence.CHOMBO
        and options.chombo_mode is ChomboMode.MANGAN_PAYMENT
    ):
        payments = chombo_payments(seat, dealer, options, players)
    return Penalised(
        seat=seat,
        code=code,
        payments=payments,
        dead_hand=offence.consequence is Consequence.DEAD_HAND,
        text=offence.text,
    )
