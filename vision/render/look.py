"""How the pictured table looks: tiles, cloth, light, sensor and clutter.

``Look()`` is the calm default of the simulated table; ``Look.random(rng)`` is one of endlessly many
clubs, for training and hard tests. A look is a value: hold some of its parts back from training
(an artwork set, a cloth, a light) to test on what was never seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

import numpy as np

Colour = tuple[int, int, int]  # blue, green, red, as OpenCV orders them
Picked = TypeVar("Picked")

ART_SETS = ("fluffystuff", "lietxia", "unicode")
CLOTHS = ("green", "blue", "black", "red", "grey", "brown")
PATTERNS = ("plain", "mottled", "floral", "stripes", "logo", "checks")

CLOTH_COLOURS: dict[str, Colour] = {
    "green": (62, 96, 28),
    "blue": (120, 72, 30),
    "black": (40, 36, 34),
    "red": (44, 34, 120),
    "grey": (104, 102, 98),
    "brown": (58, 82, 112),
}
BACK_COLOURS: dict[str, Colour] = {
    "orange": (40, 120, 226),
    "yellow": (50, 190, 232),
    "blue": (176, 104, 36),
    "green": (88, 140, 40),
    "magenta": (128, 52, 190),
    "white": (214, 224, 226),
    "black": (48, 44, 42),
    "bamboo": (96, 168, 208),
}


class WhiteDragon(StrEnum):
    """What a set prints on its white dragon."""

    BLANK = "blank"
    FRAMED = "framed"
    LETTER_P = "P"
    LETTER_B = "B"


class Joker(StrEnum):
    """What a set prints on its jokers."""

    JESTER = "jester"
    WORD = "word"
    FLY = "fly"


@dataclass(frozen=True, slots=True)
class Inks:
    """The colours engraved faces are painted with."""

    red: Colour = (36, 30, 178)
    green: Colour = (44, 104, 16)
    blue: Colour = (136, 52, 22)
    black: Colour = (34, 28, 26)


@dataclass(frozen=True, slots=True)
class TileLook:
    """One maker's tiles."""

    art: str = "fluffystuff"
    inks: Inks | None = None  # None keeps the artwork's own colours
    white_dragon: WhiteDragon = WhiteDragon.BLANK
    joker: Joker = Joker.JESTER
    red_five_dot: bool = True
    corner_digits: bool = False
    letters: bool = False  # E S W N and numbers beside the characters, as American sets print
    scale: float = 1.0  # of the engraving
    stretch: float = 1.0  # its width against its height
    stroke: float = 0.0  # thinner below zero, thicker above
    shift_mm: tuple[float, float] = (0.0, 0.0)
    wear: float = 0.0  # scratches and faded ink, 0 to 1
    body: Colour = (214, 230, 234)
    back: Colour = BACK_COLOURS["orange"]
    back_share: float = 0.36  # of the thickness
    round_mm: float = 1.8


@dataclass(frozen=True, slots=True)
class ClothLook:
    """The play surface and what lies around it."""

    colour: Colour = CLOTH_COLOURS["green"]
    pattern: str = "mottled"
    contrast: float = 0.12
    grain: float = 5.0
    rim: Colour = (38, 44, 52)
    floor: Colour = (58, 62, 66)
    half_mm: float = 385.0
    seed: int = 1


@dataclass(frozen=True, slots=True)
class LightLook:
    """The lamp above the table."""

    azimuth_deg: float = 40.0  # where the light comes from, counter-clockwise from table right
    elevation_deg: float = 62.0
    gain: tuple[float, float, float] = (0.98, 1.0, 1.02)  # colour temperature and exposure
    unevenness: float = 0.10
    vignette: float = 0.14
    shadow: float = 0.45
    shadow_blur_mm: float = 3.0
    gloss: float = 0.10
    glare: float = 0.0


@dataclass(frozen=True, slots=True)
class SensorLook:
    """What lens and sensor do to the picture."""

    blur_px: float = 0.55
    motion_px: float = 0.0
    noise: float = 2.2
    gamma: float = 1.0
    jpeg_quality: int = 0  # 0 leaves the picture uncompressed
    sharpen: float = 0.25


@dataclass(frozen=True, slots=True)
class ClutterLook:
    """What else lies on a table and is no tile."""

    sticks: int = 2
    cups: int = 0
    chips: int = 0
    cards: int = 0


@dataclass(frozen=True, slots=True)
class HandsLook:
    """Skin and sleeves of the players, and how tidily they lay their tiles."""

    skin: Colour = (132, 164, 214)
    sleeve: Colour = (92, 62, 48)
    jitter_mm: float = 0.5
    jitter_deg: float = 1.2
    upside_down: float = 0.0  # share of tiles that lie turned by half a turn


@dataclass(frozen=True, slots=True)
class Look:
    """All that may differ between two pictures of the same tiles."""

    tiles: TileLook = field(default_factory=TileLook)
    cloth: ClothLook = field(default_factory=ClothLook)
    light: LightLook = field(default_factory=LightLook)
    sensor: SensorLook = field(default_factory=SensorLook)
    clutter: ClutterLook = field(default_factory=ClutterLook)
    hands: HandsLook = field(default_factory=HandsLook)

    @classmethod
    def random(
        cls,
        rng: np.random.Generator,
        *,
        art: tuple[str, ...] = ART_SETS,
        cloths: tuple[str, ...] = CLOTHS,
        backs: tuple[str, ...] = tuple(BACK_COLOURS),
        hardness: float = 1.0,
    ) -> Look:
        """One of endlessly many tables: a bright tidy club at ``hardness`` 0, any club at 1."""
        return cls(
            tiles=random_tiles(rng, art, backs, hardness),
            cloth=random_cloth(rng, cloths),
            light=random_light(rng, hardness),
            sensor=random_sensor(rng, hardness),
            clutter=ClutterLook(
                sticks=int(rng.integers(0, 6)),
                cups=int(rng.random() < 0.3),
                chips=int(rng.integers(0, 4)) if rng.random() < 0.3 else 0,
                cards=int(rng.random() < 0.2),
            ),
            hands=HandsLook(
                skin=near(rng, _pick(rng, ((132, 164, 214), (98, 130, 184), (60, 84, 130))), 14),
                sleeve=tuple(int(v) for v in rng.integers(15, 235, 3)),  # type: ignore[arg-type]
                jitter_mm=float(rng.uniform(0.1, 0.9)),
                jitter_deg=float(rng.uniform(0.5, 3.5)),
                upside_down=float(rng.choice([0.0, 0.3, 0.5])),
            ),
        )

    def with_art(self, art: str) -> Look:
        """The same table with another artwork set."""
        return replace(self, tiles=replace(self.tiles, art=art))


def random_tiles(
    rng: np.random.Generator, art: tuple[str, ...], backs: tuple[str, ...], hardness: float
) -> TileLook:
    """One maker's tiles."""
    inks = Inks(
        red=near(rng, _pick(rng, ((36, 30, 178), (40, 40, 210), (30, 24, 130), (50, 70, 200))), 16),
        green=near(rng, _pick(rng, ((44, 104, 16), (60, 120, 30), (40, 80, 10), (90, 120, 0))), 14),
        blue=near(rng, _pick(rng, ((136, 52, 22), (160, 80, 30), (90, 30, 20), (40, 34, 30))), 14),
        black=near(rng, _pick(rng, ((34, 28, 26), (60, 40, 30), (110, 40, 24))), 10),
    )
    white = int(rng.integers(206, 250))
    body = near(rng, _pick(rng, ((white, white, white), (white - 24, white - 6, white))), 4)
    return TileLook(
        art=_pick(rng, art),
        inks=inks if rng.random() < 0.75 else None,
        white_dragon=_pick(rng, tuple(WhiteDragon)),
        joker=_pick(rng, tuple(Joker)),
        red_five_dot=bool(rng.random() < 0.6),
        corner_digits=bool(rng.random() < 0.3),
        letters=bool(rng.random() < 0.2),
        scale=float(rng.uniform(0.86, 1.06)),
        stretch=float(rng.uniform(0.9, 1.1)),
        stroke=float(rng.uniform(-0.8, 1.2)),
        shift_mm=(float(rng.normal(0, 0.3)), float(rng.normal(0, 0.4))),
        wear=float(rng.uniform(0, 0.6) * hardness),
        body=body,
        back=near(rng, BACK_COLOURS[_pick(rng, backs)], 16),
        back_share=float(rng.uniform(0.2, 0.55)),
        round_mm=float(rng.uniform(1.2, 3.2)),
    )


def random_cloth(rng: np.random.Generator, cloths: tuple[str, ...]) -> ClothLook:
    """One club's cloth."""
    return ClothLook(
        colour=near(rng, CLOTH_COLOURS[_pick(rng, cloths)], 22),
        pattern=_pick(rng, PATTERNS),
        contrast=float(rng.uniform(0.04, 0.4)),
        grain=float(rng.uniform(1.5, 9)),
        rim=near(rng, _pick(rng, ((38, 44, 52), (60, 90, 130), (190, 196, 200))), 12),
        floor=near(rng, (90, 96, 104), 60),
        half_mm=float(rng.uniform(370, 420)),
        seed=int(rng.integers(1 << 30)),
    )


def random_light(rng: np.random.Generator, hardness: float) -> LightLook:
    """One lamp, from cold tubes to a warm bulb."""
    warmth = float(rng.normal(0, 0.10) * (0.4 + 0.6 * hardness))
    exposure = float(np.exp(rng.normal(0, 0.22 * hardness)))
    tint = float(rng.normal(0, 0.02 + 0.04 * hardness))
    gain = (exposure * (1 - warmth), exposure * (1 + tint), exposure * (1 + warmth))
    return LightLook(
        azimuth_deg=float(rng.uniform(0, 360)),
        elevation_deg=float(rng.uniform(38, 85)),
        gain=gain,
        unevenness=float(rng.uniform(0, 0.3 * hardness)),
        vignette=float(rng.uniform(0, 0.35)),
        shadow=float(rng.uniform(0.15, 0.7)),
        shadow_blur_mm=float(rng.uniform(1, 7)),
        gloss=float(rng.uniform(0, 0.35)),
        glare=float(rng.uniform(0, 0.8)) * hardness if rng.random() < 0.35 else 0.0,
    )


def random_sensor(rng: np.random.Generator, hardness: float) -> SensorLook:
    """One camera, from good to tired."""
    return SensorLook(
        blur_px=float(rng.uniform(0.3, 0.7 + 0.7 * hardness)),
        motion_px=float(rng.uniform(1, 3)) if rng.random() < 0.1 * hardness else 0.0,
        noise=float(rng.uniform(0.5, 2 + 6 * hardness)),
        gamma=float(rng.uniform(0.85, 1.2)),
        jpeg_quality=int(rng.integers(35, 95)) if rng.random() < 0.5 else 0,
        sharpen=float(rng.uniform(0, 0.6)),
    )


def near(rng: np.random.Generator, colour: Colour, spread: float) -> Colour:
    """A colour a little off this one."""
    blue, green, red = np.clip(np.array(colour) + rng.normal(0, spread, 3), 4, 252)
    return int(blue), int(green), int(red)


def _pick(rng: np.random.Generator, options: tuple[Picked, ...]) -> Picked:
    return options[int(rng.integers(len(options)))]
