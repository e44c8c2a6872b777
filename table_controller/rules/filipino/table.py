"""The Filipino table around a hand: wall, joker, markers, rotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.tiles import Tile
from table_controller.rules.core.wall import Break, broken_side
from table_controller.rules.filipino.options import (
    DealerKeeps,
    DealFrom,
    JaiAlaiDouble,
    JaiAlaiOthers,
    JaiAlaiPayers,
    Options,
)
from table_controller.rules.filipino.scoring import is_flower, tile_set

JAI_ALAI_TARGET = 5


def stacks(options: Options) -> tuple[int, int, int, int]:
    """Stacks a side: 18, and more with printed jokers, the dealer's and opposite side first."""
    whole, rest = divmod((len(tile_set(options)) + 1) // 2, 4)
    extra = {0: (), 1: (0,), 2: (0, 2), 3: (0, 2, 1)}[rest]
    first, second, third, fourth = (whole + (side in extra) for side in range(4))
    return first, second, third, fourth


def break_wall(dealer: Seat, first_throw: int, second_throw: int | None, options: Options) -> Break:
    """The first throw names the wall; both together are counted off along it."""
    if options.deal_start is DealFrom.DEALER_WALL:
        return Break(dealer, 0)
    side = broken_side(dealer, first_throw, options.players)
    return Break(side, None if second_throw is None else first_throw + second_throw)


def joker_indicator(tops: Sequence[Tile], throw: int) -> tuple[int, Tile]:
    """The stack (counted from 1) that shows the joker face, and the face.

    ``tops`` are the top tiles of the stacks from the end where counting starts; a bonus tile
    passes the count to the next stack.
    """
    for stack in range(throw, len(tops) + 1):
        if not is_flower(tops[stack - 1]):
            return stack, tops[stack - 1]
    raise CaseError(f"no suited tile lies on top from stack {throw} on: throw again")


@dataclass(frozen=True, slots=True)
class JaiAlai:
    """The markers after a hand, and what the marker game paid."""

    markers: tuple[int, ...]
    winner: Seat | None = None
    payments: tuple[Payment, ...] = ()


def jai_alai(
    markers: Sequence[int], winner: Seat | None, options: Options, *, bunot: bool, doubled: bool
) -> JaiAlai:
    """One marker for the win, one for bunot, one for a doubled hand; five win the prize.

    ``doubled`` is a special hand, the dealer's first draw or the dice double; with
    ``any_double_payment`` the double payment of discarder or bunot counts as well.
    """
    now = list(markers)
    if winner is None:
        return JaiAlai(tuple(now))
    any_double = options.jai_alai_double is JaiAlaiDouble.ANY_DOUBLE_PAYMENT
    now[winner] += 1 + bunot + (doubled or any_double)
    if now[winner] < JAI_ALAI_TARGET:
        return JaiAlai(tuple(now))
    kept = now[winner] - JAI_ALAI_TARGET
    if options.jai_alai_others is JaiAlaiOthers.RESET:
        now = [0] * len(now)
    now[winner] = kept
    prize = options.base if options.jai_alai_prize is None else options.jai_alai_prize
    payers = [winner.after(step, options.players) for step in range(1, options.players)]
    shares = [prize] * len(payers)
    if options.jai_alai_payers is JaiAlaiPayers.SHARED:
        whole, rest = divmod(prize, len(payers))
        shares = [whole + (place < rest) for place in range(len(payers))]
    payments = tuple(
        Payment(payer, winner, share, "jai alai")
        for payer, share in zip(payers, shares, strict=True)
        if share
    )
    return JaiAlai(tuple(now), winner, payments)


def next_dealer(dealer: Seat, winner: Seat | None, options: Options) -> Seat:
    """The deal passes to the right after every hand, unless the dealer keeps it."""
    keeps = {
        DealerKeeps.NEVER: False,
        DealerKeeps.ON_WIN: winner is dealer,
        DealerKeeps.ON_WIN_OR_DRAW: winner is dealer or winner is None,
    }[options.dealer_keeps]
    return dealer if keeps else dealer.after(1, options.players)
