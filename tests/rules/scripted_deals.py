"""Deals written down by another engine (starting hands, draws, buttons), played through the fold.

The script names the discards and the buttons; draws come from its list, replacement tiles from
its dead wall. What is asked at the end is the verdict on the win, from the public record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from table_controller.rules.core.case import Answer
from table_controller.rules.core.events import (
    BonusSetAside,
    DealBegan,
    Discarded,
    Drawn,
    GameEvent,
    HandDealt,
    HandShown,
    KongDeclared,
    MeldCalled,
    WinClaimed,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.state import Awaiting, DealState, apply, begin
from table_controller.rules.core.tiles import Tile

NAMES = ("east", "south", "west", "north")


def tile(text: str) -> Tile:
    """A tile of the script: its white dragon is 0z."""
    return Tile.parse({"0z": "5z"}.get(text, text))


@dataclass
class ScriptedDeal:
    """One script being played."""

    script: dict[str, Any]
    wall_left: int = 200
    round_wind: Wind = Wind.EAST
    state: DealState = field(init=False)
    history: list[GameEvent] = field(default_factory=list)
    draws: Iterator[Tile] = field(init=False)
    dead_wall: Iterator[Tile] = field(init=False)
    called: str = ""

    def __post_init__(self) -> None:
        start = self.script["start"]
        self.draws = iter([tile(text) for text in start["starting_draws"]])
        self.dead_wall = iter([tile(text) for text in start.get("starting_dead_wall", [])])
        began = DealBegan(
            number=0,
            dealer=Seat.A,
            round_wind=self.round_wind,
            points=(0, 0, 0, 0),
            wall_left=self.wall_left,
        )
        self.state = begin(began, 4)
        for place, name in enumerate(NAMES):
            hand = tuple(tile(text) for text in start["starting_hand"][name])
            self.do(HandDealt(seat=Seat(place), tiles=hand))

    def do(self, event: GameEvent) -> None:
        self.state = apply(self.state, event)
        self.history.append(event)

    def play(self) -> None:
        """Everything up to the first win claimed."""
        for event in self.script["events"]:
            if event["type"] == "discard":
                self._draw()
                self.do(Discarded(seat=Seat(event["player"]), tile=tile(event["tile"])))
                continue
            for place, pressed in enumerate(event["buttons"]):
                if pressed is not None:
                    self._press(Seat(place), pressed["button"], pressed)
            if self.state.claims:
                return

    def _draw(self) -> None:
        """The draw that the script leaves out."""
        if self.state.awaiting is Awaiting.DRAW and self.state.replacement:
            self._replace(self.state.turn)
        elif self.state.awaiting in (Awaiting.DRAW, Awaiting.CLAIMS):
            self.do(Drawn(seat=self.state.turn, tile=next(self.draws)))

    def _replace(self, seat: Seat) -> None:
        drawn = next(self.dead_wall, None) or next(self.draws)
        self.do(Drawn(seat=seat, tile=drawn, replacement=True))

    def _press(self, seat: Seat, button: str, pressed: dict[str, Any]) -> None:
        hand = self.state.seats[seat].hand
        match button:
            case "start_no_flower" | "skip":
                pass
            case "start_flower":
                if not any(one is not None and one.is_bonus for one in hand):
                    self._draw()  # the dealer's first draw
                    hand = self.state.seats[seat].hand
                flower = next(one for one in hand if one is not None and one.is_bonus)
                self.do(BonusSetAside(seat=seat, tile=flower))
                self._replace(seat)
            case "flower":
                self._draw()
                hand = self.state.seats[seat].hand
                flower = next(one for one in hand if one is not None and one.is_bonus)
                self.do(BonusSetAside(seat=seat, tile=flower))
            case "pon" | "daiminkan" | "chii":
                self._call(seat, button, pressed)
            case "ankan" | "kakan":
                self._draw()
                self._kong(seat, button)
            case "ron" | "chankan":
                assert self.state.offer is not None
                self._win(seat, self.state.offer.tile, self.state.offer.seat)
            case "tsumo" | "flower_win":
                self._draw()
                drawn = self.state.seats[seat].drawn
                self._win(seat, drawn or self.state.seats[seat].hand[-1], None)
            case _:
                raise ValueError(f"a button this player does not know: {button}")

    def _call(self, seat: Seat, button: str, pressed: dict[str, Any]) -> None:
        offer = self.state.offer
        assert offer is not None
        if button == "chii":
            hand = self.state.seats[seat].hand
            for low in (offer.tile.rank - 2, offer.tile.rank - 1, offer.tile.rank):
                if not 1 <= low <= 7:
                    continue
                tiles = [Tile(offer.tile.suit, low + step) for step in range(3)]
                if all(one in hand for one in tiles if one != offer.tile):
                    self.do(
                        MeldCalled(seat=seat, meld=Meld(MeldKind.CHOW, tuple(tiles), offer.seat))
                    )
                    return
            raise ValueError(f"no chow with {offer.tile} in the hand of {seat}")
        kind, size = (MeldKind.PUNG, 3) if button == "pon" else (MeldKind.KONG, 4)
        self.do(MeldCalled(seat=seat, meld=Meld(kind, (offer.tile,) * size, offer.seat)))

    def _kong(self, seat: Seat, button: str) -> None:
        holder = self.state.seats[seat]
        if button == "kakan":
            meld = next(
                one for one in holder.melds if one.kind is MeldKind.PUNG and one.tile in holder.hand
            )
            grown = Meld(MeldKind.ADDED_KONG, (*meld.tiles, meld.tile), meld.source)
            self.do(KongDeclared(seat=seat, meld=grown, added=meld.tile))
        else:
            four = next(
                one for one in holder.hand if one is not None and holder.hand.count(one) == 4
            )
            meld = Meld(MeldKind.CONCEALED_KONG, (four,) * 4)
            self.do(KongDeclared(seat=seat, meld=meld))
        self._draw_after_kong(seat)

    def _draw_after_kong(self, seat: Seat) -> None:
        """The replacement comes at once unless the script goes on with a robbery."""
        following = self._following()
        if following is not None and following["type"] == "buttons_pressed":
            pressed = [one["button"] for one in following["buttons"] if one]
            if pressed and pressed[0] in ("chankan", "ron"):
                return
        self._replace(seat)

    def _following(self) -> dict[str, Any] | None:
        done = sum(isinstance(event, Discarded) for event in self.history)
        kongs = sum(isinstance(event, KongDeclared) for event in self.history)
        events = self.script["events"]
        for place, event in enumerate(events):
            if event["type"] == "discard":
                done -= 1
            elif any(one and one["button"] in ("ankan", "kakan") for one in event["buttons"]):
                kongs -= 1
                if kongs == 0 and done <= 0:
                    return events[place + 1] if place + 1 < len(events) else None
        return None

    def _win(self, seat: Seat, winning: Tile, source: Seat | None) -> None:
        hand = [one for one in self.state.seats[seat].hand if one is not None]
        if source is None:
            hand.remove(winning)
        self.do(WinClaimed(seat=seat, tile=winning, source=source))
        self.do(HandShown(seat=seat, tiles=tuple(hand), winning_tile=winning))

    def verdicts(self, ruleset: Ruleset[Any], options: Any) -> dict[str, Answer]:
        """The verdict on each claimed win, by the seat's name in the script."""
        assert ruleset.play is not None
        return {
            NAMES[claim.seat]: ruleset.play.judge(self.state, self.history, claim, options)
            for claim in self.state.claims
        }
