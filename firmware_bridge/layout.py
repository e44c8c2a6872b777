"""What a set of tiles looks like when it is built: stacks a side, layers, hand tiles."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique

from firmware_bridge.errors import SettingsError
from firmware_bridge.parts import SIDES, Family, LiftKind

FourSides = tuple[int, int, int, int]


@unique
class CentreKind(StrEnum):
    """What opens the mouth. Both run between two switches (`CENTRE_UP` is open, `CENTRE_DOWN`
    closed), so the board treats them alike; only the way and the time of the stroke differ.
    """

    DICE_BOX = "dice_box"  # rises, with the dice in it
    LID = "lid"  # slides or folds away; the dice have a dome of their own


@dataclass(frozen=True, slots=True)
class TableLayout:
    """One machine with one setting: family, counts and layers. Configuration, never code."""

    name: str
    stacks: FourSides
    hands: FourSides = (0, 0, 0, 0)
    layers: int = 2
    family: Family = Family.FOUR_MOUTH
    lifts: LiftKind = LiftKind.ONE_STOP
    centre: CentreKind = CentreKind.DICE_BOX

    def __post_init__(self) -> None:
        if not any(self.stacks) and not any(self.hands):
            raise SettingsError(f"layout {self.name!r} holds no tiles; give stacks for a side")
        for side in range(SIDES):
            if not 0 <= self.stacks[side] <= 40 or not 0 <= self.hands[side] <= 20:
                raise SettingsError(
                    f"layout {self.name!r}, side {side}: 0 to 40 stacks and 0 to 20 hand tiles"
                    f" fit, not {self.stacks[side]} and {self.hands[side]}"
                )
        if not 1 <= self.layers <= 3:
            raise SettingsError(f"layout {self.name!r}: 1 to 3 layers, not {self.layers}")

    @property
    def row_tiles(self) -> FourSides:
        """How many tiles each side's row takes."""
        a, b, c, d = (
            hand + stacks * self.layers
            for hand, stacks in zip(self.hands, self.stacks, strict=True)
        )
        return a, b, c, d

    @property
    def tiles(self) -> int:
        """How many tiles the set has."""
        return sum(self.row_tiles)

    @property
    def side_mask(self) -> int:
        """The sides that get tiles, one bit each."""
        return sum(1 << side for side, count in enumerate(self.row_tiles) if count)


PRESETS = {
    preset.name: preset
    for preset in (
        TableLayout("136", (17, 17, 17, 17)),
        TableLayout("144", (18, 18, 18, 18)),
        TableLayout("108", (14, 13, 14, 13)),
        TableLayout("108-three-sides", (18, 18, 18, 0)),
        TableLayout("84-three-sides", (14, 14, 14, 0)),
        TableLayout("84", (11, 10, 11, 10)),
        TableLayout("112", (14, 14, 14, 14)),
        TableLayout("120", (15, 15, 15, 15)),
        TableLayout("148", (19, 18, 19, 18)),
        TableLayout("152", (19, 19, 19, 19)),
        TableLayout("160", (20, 20, 20, 20)),
        TableLayout("72-two-sides", (18, 0, 18, 0)),
        TableLayout(
            "136-hands",
            (11, 10, 11, 10),
            hands=(13, 13, 13, 13),
            family=Family.EIGHT_MOUTH,
            lifts=LiftKind.TWO_STOP,
        ),
        TableLayout("136-chain", (17, 17, 17, 17), family=Family.ONE_MOUTH),
        TableLayout("136-lid", (17, 17, 17, 17), centre=CentreKind.LID),
    )
}
