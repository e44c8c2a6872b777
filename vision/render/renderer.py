"""Draws what the camera above the table would see, and says what is where in the picture.

    renderer = Renderer(CameraModel.above_table(), Look())
    rendered = renderer.draw(placed, np.random.default_rng(7))
    rendered.image  # BGR, as a camera gives it
    rendered.truth  # one entry a tile: readable label, quad, visible share

``render`` does the same for a single picture. A renderer keeps what does not change between
pictures: cloth, light, faces, noise.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.render import table
from vision.render.faces import Faces
from vision.render.hands import Hand, draw_hand
from vision.render.look import Look
from vision.render.sheets import Sheet, seen_sheet
from vision.types import Facing, PlacedTile
from vision.zones import TileSize

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TruthTile:
    """A tile in the picture. ``label`` is what can be read there: backs read ``bk``.

    The quad holds the corners of the upper side, clockwise from the tile's own top left; a
    standing tile's upper side is its narrow edge. ``outline_px`` is the whole body.
    """

    placed: PlacedTile
    label: str
    facing: Facing
    quad_px: tuple[tuple[float, float], ...]
    outline_px: tuple[tuple[float, float], ...]
    visible: float  # share of the upper side that nothing covers and that is in the picture


@dataclass(frozen=True, slots=True)
class Rendered:
    """A picture and what is in it."""

    image: Picture
    truth: tuple[TruthTile, ...]
    dice: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Body:
    """A tile as a box in the world: its lower and upper four corners, and who sees what."""

    placed: PlacedTile
    low: Points
    high: Points
    low_px: Points
    mid_px: Points
    high_px: Points
    far: float  # from the point under the camera


def render(
    placed: Sequence[PlacedTile],
    camera: CameraModel,
    look: Look,
    rng: np.random.Generator,
    *,
    hands: Sequence[Hand] = (),
    dice: Sequence[int] = (2, 5),
    centre: bool = True,
) -> Rendered:
    """One picture of these tiles."""
    renderer = Renderer(camera, look, seed=int(rng.integers(1 << 31)))
    return renderer.draw(placed, rng, hands=hands, dice=dice, centre=centre)


class Renderer:
    """Draws many pictures of one table with one look."""

    def __init__(
        self,
        camera: CameraModel,
        look: Look,
        *,
        size: TileSize | None = None,
        centre_mm: float = 130.0,
        seed: int = 0,
        sheets: Sequence[Sheet] = (),
    ) -> None:
        self._camera, self._look, self._centre_mm, self._seed = camera, look, centre_mm, seed
        self._size = size or TileSize()
        eye = camera.eye_mm
        self._px_per_mm = camera.focal_px[0] / (eye[2] - self._size.thickness_mm)
        self._faces = Faces(look.tiles, self._size, self._px_per_mm)
        self._eye = eye[:2]
        turn, rise = np.radians(look.light.azimuth_deg), np.radians(look.light.elevation_deg)
        self._towards_light = np.array([np.cos(turn), np.sin(turn)]) * np.cos(rise)
        self._light = table.light_field(camera, look.light)
        self._cloth = table.cloth_picture(camera, look.cloth, self._light)
        self._lay_sheets(self._cloth, sheets)
        self._grain = noise_bank(look.sensor.noise, camera.width_px)
        self._curve = tone_curve(look.sensor.gamma)
        self._units: dict[tuple[int, ...], tuple[Picture, Picture, tuple[int, int]]] = {}

    def draw(
        self,
        placed: Sequence[PlacedTile],
        rng: np.random.Generator,
        *,
        hands: Sequence[Hand] = (),
        dice: Sequence[int] = (2, 5),
        centre: bool = True,
        with_truth: bool = True,
        sheets: Sequence[Sheet] = (),
    ) -> Rendered:
        """One picture. The tiles, dice and sticks lie as before; only the noise is new."""
        bodies = self._bodies(placed)
        image = self._cloth.copy()
        if centre:
            self._blend(image, *self._unit(tuple(dice)))
        self._scatter(image, bodies)
        self._shade(image, bodies)
        order = sorted(range(len(bodies)), key=lambda k: (bodies[k].placed.layer, -bodies[k].far))
        carried = {(body.placed.centre_mm, body.placed.layer - 1) for body in bodies}
        for k in order:
            tile = bodies[k].placed
            self._paint(image, bodies[k], carries=(tile.centre_mm, tile.layer) in carried)
        self._lay_sheets(image, sheets)
        hidden = np.zeros(image.shape[:2], np.uint8)
        for hand in hands:
            np.maximum(hidden, draw_hand(image, self._camera, hand, self._look.hands), out=hidden)
        truth = self._truth(bodies, order, hidden) if with_truth else ()
        return Rendered(self._expose(image, rng), truth, tuple(dice))

    def _unit(self, dice: tuple[int, ...]) -> tuple[Picture, Picture, tuple[int, int]]:
        """The centre unit with these dice; the last one is kept."""
        if dice not in self._units:
            rng = np.random.default_rng([self._seed, 1, *dice])
            glare = self._look.light.gloss * 2
            unit = table.centre_unit(self._camera, self._centre_mm, dice, rng, dome_glare=glare)
            self._units = {dice: unit}
        return self._units[dice]

    # Geometry

    def _bodies(self, placed: Sequence[PlacedTile]) -> list[Body]:
        """The tiles as boxes, laid as untidily as the look says, projected in one go."""
        if not placed:
            return []
        size, hands = self._size, self._look.hands
        chance = np.array([tidiness(tile, self._seed) for tile in placed])
        shifts = chance[:, :2] * hands.jitter_mm
        turns = chance[:, 2] * hands.jitter_deg
        flips = chance[:, 3] < hands.upside_down
        eye = self._camera.eye_mm
        low, high, mid = [], [], []
        for k, tile in enumerate(placed):
            standing = tile.facing is Facing.STANDING
            loose = 1.0 if tile.facing is Facing.UP else 0.4
            angle = tile.angle_deg + loose * turns[k]
            if flips[k] and tile.facing is Facing.UP:
                angle += 180
            depth = size.thickness_mm if standing else size.length_mm
            tall = size.length_mm if standing else size.thickness_mm
            base = tile.layer * size.thickness_mm
            spin = np.radians(angle)
            across = np.array([np.cos(spin), np.sin(spin)]) * size.width_mm / 2
            up = np.array([-np.sin(spin), np.cos(spin)]) * depth / 2
            centre = np.array(tile.centre_mm) + loose * shifts[k]
            flat = np.array(
                [
                    centre - across + up,
                    centre + across + up,
                    centre + across - up,
                    centre - across - up,
                ]
            )
            share = self._look.tiles.back_share
            split = tall * (share if tile.facing is Facing.UP else 1 - share)
            low.append(np.column_stack([flat, np.full(4, base)]))
            mid.append(np.column_stack([flat, np.full(4, base + split)]))
            high.append(np.column_stack([flat, np.full(4, base + tall)]))
        points = self._camera.project(np.concatenate([*low, *mid, *high])).reshape(3, -1, 4, 2)
        return [
            Body(
                tile,
                low[k],
                high[k],
                points[0, k],
                points[1, k],
                points[2, k],
                float(np.hypot(*(np.array(tile.centre_mm) - eye[:2]))),
            )
            for k, tile in enumerate(placed)
        ]

    # Paint

    def _shade(self, image: Picture, bodies: Sequence[Body]) -> None:
        """Cast shadows and the dark line where a tile touches the cloth."""
        light = self._look.light
        if light.shadow <= 0 or not bodies:
            return
        turn = np.radians(light.azimuth_deg)
        slope = 1 / np.tan(np.radians(light.elevation_deg))
        away = -np.array([np.cos(turn), np.sin(turn)]) * slope
        points = []
        for body in bodies:
            flat = np.concatenate(
                [body.low[:, :2] + away * body.low[0, 2], body.low[:, :2] + away * body.high[0, 2]]
            )
            points.append(np.column_stack([flat, np.zeros(8)]))
        seen = self._camera.project(np.concatenate(points)).reshape(-1, 8, 2) / 2
        half = np.zeros((image.shape[0] // 2, image.shape[1] // 2), np.uint8)
        for hull in seen:
            outline = cv2.convexHull(hull.astype(np.float32))
            cv2.fillConvexPoly(half, table.fixed(outline.astype(np.float64)), 255, cv2.LINE_AA, 4)
        blur = max(0.6, light.shadow_blur_mm * self._px_per_mm / 4)
        soft = cv2.GaussianBlur(half, (0, 0), blur)
        soft = cv2.convertScaleAbs(soft, alpha=-light.shadow, beta=255)
        for top in range(0, image.shape[0], STRIPE_PX):
            part = image[top : top + STRIPE_PX]
            rows = soft[top // 2 : top // 2 + (part.shape[0] + 1) // 2]
            dark = cv2.resize(rows, part.shape[1::-1], interpolation=cv2.INTER_LINEAR)
            cv2.multiply(part, cv2.merge([dark, dark, dark]), part, 1 / 255)

    def _paint(self, image: Picture, body: Body, *, carries: bool) -> None:
        """One tile: the sides that the camera sees, then its upper side if nothing lies on it."""
        look, facing = self._look.tiles, body.placed.facing
        level = self._level(body.high_px)
        if level is None:
            return
        white = np.array(look.body, np.float32) * level
        back = np.array(look.back, np.float32) * level
        if facing is Facing.STANDING:
            self._paint_standing(image, body, white, back)
            return
        lower, upper = (back, white) if facing is Facing.UP else (white, back)
        for side in range(4):
            shade = self._side_shade(body, side)
            if shade is None:
                continue
            ends = [side, (side + 1) % 4]
            self._quad(image, body.low_px[ends], body.mid_px[ends], lower * shade)
            self._quad(image, body.mid_px[ends], body.high_px[ends], upper * shade)
        if carries:
            return
        label = body.placed.label if facing is Facing.UP else "bk"
        self._stamp(image, self._faces.face(label), body, level)

    def _paint_standing(
        self, image: Picture, body: Body, white: NDArray[np.float32], back: NDArray[np.float32]
    ) -> None:
        """A tile on its edge: its face looks at its owner, its back at the table."""
        share = self._look.tiles.back_share

        def between(points: Points, ends: tuple[int, int]) -> Points:
            return np.asarray(points[ends[0]] * (1 - share) + points[ends[1]] * share)

        for side in range(4):
            shade = self._side_shade(body, side)
            if shade is None:
                continue
            low, high = body.low_px, body.high_px
            ends = [side, (side + 1) % 4]
            if side == 0:  # the back
                self._quad(image, low[ends], high[ends], back * shade)
            elif side == 2:  # the face, seen at a graze
                self._quad(image, low[ends], high[ends], white * shade)
            else:
                cut = (1, 2) if side == 1 else (0, 3)
                seam = np.array([between(low, cut), between(high, cut)])
                rear = np.array([low[cut[0]], high[cut[0]]])
                front = np.array([low[cut[1]], high[cut[1]]])
                self._quad(image, rear, seam, back * shade)
                self._quad(image, seam, front, white * shade)
        top = body.high_px
        seam = np.array([between(top, (0, 3)), between(top, (1, 2))])
        self._quad(image, top[[0, 1]], seam, back)
        self._quad(image, seam, top[[3, 2]], white)

    def _quad(
        self, image: Picture, one: Points, other: Points, colour: NDArray[np.float32]
    ) -> None:
        """A four-sided patch between two edges that run in the same direction."""
        outline = table.fixed(np.array([one[0], one[1], other[1], other[0]]))
        blue, green, red = np.clip(colour, 0, 255).tolist()
        cv2.fillConvexPoly(image, outline, (blue, green, red), cv2.LINE_AA, 4)

    def _side_shade(self, body: Body, side: int) -> float | None:
        """How bright this side is, or None when the camera does not see it."""
        one, two = body.low[side, :2], body.low[(side + 1) % 4, :2]
        along = two - one
        outward = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-6)
        middle = (one + two) / 2
        if float(outward @ (self._eye - middle)) <= 0:
            return None
        return 0.62 + 0.5 * max(0.0, float(outward @ self._towards_light))

    def _stamp(
        self, image: Picture, sprite: Picture, body: Body, level: NDArray[np.float32]
    ) -> None:
        """The upper side, turned and placed with soft edges."""
        quad = body.high_px
        low = np.maximum(np.floor(quad.min(0)).astype(int) - 1, 0)
        high = np.minimum(np.ceil(quad.max(0)).astype(int) + 2, image.shape[1::-1])
        if (high <= low).any():
            return
        height, width = sprite.shape[:2]
        source = np.array(
            [[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]],
            np.float32,
        )
        matrix = cv2.getPerspectiveTransform(source, (quad - low).astype(np.float32))
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        warped = cv2.warpPerspective(sprite, matrix, size, flags=cv2.INTER_LINEAR)
        cover = warped[..., 3:].astype(np.float32) * (1 / 255)
        under = image[low[1] : high[1], low[0] : high[0]]
        lit = warped[..., :3] * level
        if self._look.light.gloss:
            lit += self._sheen(low, high)
        under[:] = np.clip(under * (1 - cover) + lit * cover, 0, 255)

    def _sheen(self, low: NDArray[np.int_], high: NDArray[np.int_]) -> float:
        """The lamp's mirror image makes tiles near it brighter."""
        camera, light = self._camera, self._look.light
        turn = np.radians(light.azimuth_deg)
        spot = np.array([camera.width_px / 2, camera.height_px / 2])
        spot = spot + camera.height_px * 0.33 * np.array([np.cos(turn), -np.sin(turn)])
        far = float(np.hypot(*((low + high) / 2 - spot))) / (camera.height_px * 0.28)
        return float(255 * light.gloss * np.exp(-far * far))

    def _level(self, quad: Points) -> NDArray[np.float32] | None:
        """The light where this tile lies; None when it is out of the picture."""
        x, y = quad.mean(0)
        width, height = self._camera.width_px, self._camera.height_px
        if not (-60 < x < width + 60 and -60 < y < height + 60):
            return None
        rows, columns = self._light.shape[:2]
        column = int(np.clip(x * columns / width, 0, columns - 1))
        row = int(np.clip(y * rows / height, 0, rows - 1))
        return np.asarray(self._light[row, column], np.float32)

    def _scatter(self, image: Picture, bodies: Sequence[Body]) -> None:
        """Sticks, cups, chips and cards where there is room between the tiles."""
        clutter = self._look.clutter
        rng = np.random.default_rng([self._seed, 2])
        wanted = [
            *(("stick", (88.0, 7.0)) for _ in range(clutter.sticks)),
            *(("cup", (84.0, 84.0)) for _ in range(clutter.cups)),
            *(("chip", (39.0, 39.0)) for _ in range(clutter.chips)),
            *(("card", (86.0, 54.0)) for _ in range(clutter.cards)),
        ]
        taken = [(np.array(body.placed.centre_mm), 17.0) for body in bodies]
        for kind, (width, height) in wanted:
            for _ in range(12):
                spot = rng.uniform(-330, 330, 2)
                turn = float(rng.choice([0, 90])) + float(rng.normal(0, 6))
                spin = np.radians(turn)
                across = np.array([np.cos(spin), np.sin(spin)]) * width / 2
                up = np.array([-np.sin(spin), np.cos(spin)]) * height / 2
                probes = [spot + share * across for share in (-1, -0.5, 0, 0.5, 1)]
                near = height / 2 + 3
                if max(abs(spot)) < 95 or any(
                    np.hypot(*(probe - at)) < near + room for probe in probes for at, room in taken
                ):
                    continue
                corners = np.array(
                    [spot - across + up, spot + across + up, spot + across - up, spot - across - up]
                )
                self._lay(image, kind, corners, rng)
                taken += [(probe, near) for probe in probes]
                break

    def _lay(self, image: Picture, kind: str, corners: Points, rng: np.random.Generator) -> None:
        match kind:
            case "stick":
                sprite = table.stick_sprite(int(rng.choice([100, 1000, 5000, 10000])))
            case "cup":
                sprite = table.cup_sprite(rng)
            case "chip":
                sprite = table.chip_sprite(rng)
            case _:
                sprite = table.card_sprite(rng)
        colours, mask, corner = table.place(self._camera, sprite, corners, 3.0)
        self._blend(image, np.zeros_like(colours), mask // 3, (corner[0] + 2, corner[1] + 2))
        self._blend(image, colours, mask, corner)

    def _lay_sheets(self, image: Picture, sheets: Sequence[Sheet]) -> None:
        """Prints, bent by the lens point by point as a straight edge is in a picture."""
        for sheet in sheets:
            low, colours, mask = seen_sheet(self._camera, sheet)
            self._blend(image, colours, mask, low)

    def _blend(
        self, image: Picture, colours: Picture, mask: Picture, corner: tuple[int, int]
    ) -> None:
        """A lit patch over the picture, cut off at its border."""
        left, top = max(corner[0], 0), max(corner[1], 0)
        right = min(corner[0] + colours.shape[1], image.shape[1])
        bottom = min(corner[1] + colours.shape[0], image.shape[0])
        if right <= left or bottom <= top:
            return
        part = (
            slice(top - corner[1], bottom - corner[1]),
            slice(left - corner[0], right - corner[0]),
        )
        cover = mask[part].astype(np.float32)[..., None] / 255
        under = image[top:bottom, left:right]
        level = self._level(np.array([[left, top], [right, bottom]], np.float64))
        lit = colours[part] * (1.0 if level is None else level)
        under[:] = np.clip(under * (1 - cover) + lit * cover, 0, 255)

    # Light and sensor

    def _expose(self, image: Picture, rng: np.random.Generator) -> Picture:
        """Glare, blur, noise, tone and compression."""
        sensor, light = self._look.sensor, self._look.light
        if light.glare > 0:
            image = self._dazzle(image, light.glare, rng)
        smear = float(rng.uniform(0, np.pi))
        exposed = np.empty_like(image)
        # Stripe by stripe: a tenth of the memory, and it stays in the processor's cache.
        for top in range(0, image.shape[0], STRIPE_PX):
            above = min(top, STRIPE_EDGE_PX)
            part = self._sensed(image[top - above : top + STRIPE_PX + STRIPE_EDGE_PX], smear, rng)
            rows = min(STRIPE_PX, image.shape[0] - top)
            exposed[top : top + rows] = part[above : above + rows]
        if sensor.jpeg_quality:
            quality = [cv2.IMWRITE_JPEG_QUALITY, sensor.jpeg_quality]
            _, packed = cv2.imencode(".jpg", exposed, quality)
            exposed = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
        return exposed

    def _sensed(self, part: Picture, smear: float, rng: np.random.Generator) -> Picture:
        """A stripe of the picture as the sensor gives it."""
        sensor = self._look.sensor
        if sensor.blur_px > 0.2:
            part = np.asarray(cv2.GaussianBlur(part, (0, 0), sensor.blur_px), np.uint8)
        if sensor.motion_px > 0.5:
            part = smeared(part, sensor.motion_px, smear)
        if sensor.sharpen > 0:
            soft = cv2.GaussianBlur(part, (3, 3), 0)
            share = sensor.sharpen
            part = np.asarray(cv2.addWeighted(part, 1 + share, soft, -share, 0), np.uint8)
        if sensor.noise > 0:
            x, y = rng.integers(0, GRAIN_MARGIN, 2)
            grain = self._grain[y : y + part.shape[0], x : x + part.shape[1]]
            part = np.asarray(cv2.add(part, grain, dtype=cv2.CV_8U), np.uint8)
        if sensor.gamma != 1:
            part = np.asarray(cv2.LUT(part, self._curve), np.uint8)
        return part

    def _dazzle(self, image: Picture, strength: float, rng: np.random.Generator) -> Picture:
        """A lamp mirrored somewhere on the table."""
        height, width = image.shape[:2]
        glow = np.zeros((height // 8, width // 8), np.float32)
        for _ in range(int(rng.integers(1, 4))):
            x, y = rng.uniform((0.2, 0.1), (0.8, 0.9)) * np.array(glow.shape[::-1])
            axes = rng.uniform(3, 16, 2).astype(int).tolist()
            cv2.ellipse(glow, (int(x), int(y)), axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
        glow = np.asarray(cv2.GaussianBlur(glow, (0, 0), 4), np.float32) * (230 * strength)
        wide = cv2.resize(glow, (width, height)).astype(np.uint8)
        return np.asarray(cv2.add(image, cv2.merge([wide, wide, wide])), np.uint8)

    # Truth

    def _truth(
        self, bodies: Sequence[Body], order: Sequence[int], hidden: Picture
    ) -> tuple[TruthTile, ...]:
        """What is where, with the share of each upper side that is left to see."""
        half = (self._camera.width_px // 2, self._camera.height_px // 2)
        owner = np.zeros((half[1], half[0]), np.uint16)
        outlines = []
        for k in range(len(bodies)):
            both = np.concatenate([bodies[k].low_px, bodies[k].high_px]).astype(np.float32)
            outlines.append(cv2.convexHull(both)[:, 0].astype(np.float64))
        areas = np.zeros(len(bodies))
        for k in order:
            cv2.fillConvexPoly(owner, table.fixed(outlines[k] / 2), 0, cv2.LINE_8, 4)
            cv2.fillConvexPoly(owner, table.fixed(bodies[k].high_px / 2), k + 1, cv2.LINE_8, 4)
            areas[k] = painted_area(bodies[k].high_px / 2)
        if hidden.any():
            owner[cv2.resize(hidden, half, interpolation=cv2.INTER_AREA) > 127] = 0
        counts = np.bincount(owner.ravel(), minlength=len(bodies) + 1)[1:]
        return tuple(
            TruthTile(
                placed=body.placed,
                label=body.placed.label if body.placed.facing is Facing.UP else "bk",
                facing=body.placed.facing,
                quad_px=_pairs(body.high_px),
                outline_px=_pairs(outlines[k]),
                visible=min(1.0, float(counts[k] / max(areas[k], 1.0))),
            )
            for k, body in enumerate(bodies)
        )


def tidiness(tile: PlacedTile, seed: int) -> tuple[float, float, float, float]:
    """How a tile lies off its place: two shifts and a turn about normal, and a share for luck.

    It depends on the tile alone, so that a tile lies still while others come and go.
    """
    name = f"{seed} {tile.label} {tile.centre_mm[0]:.1f} {tile.centre_mm[1]:.1f} {tile.layer}"
    dial = hashlib.blake2s(name.encode(), digest_size=16).digest()
    one, two, three, four, five, six, seven, eight = struct.unpack("<8H", dial)
    # The sum of two even chances is near enough to normal, and bounded.
    scale = 2.45 / 65535
    return (
        (one + two - 65535) * scale,
        (three + four - 65535) * scale,
        (five + six - 65535) * scale,
        (seven * 65536 + eight) / 2**32,
    )


STRIPE_PX = 120
STRIPE_EDGE_PX = 8  # what blur and smear reach beyond a stripe
GRAIN_MARGIN = 64


def noise_bank(sigma: float, width: int) -> NDArray[np.int8]:
    """Sensor noise for a stripe with a margin, so that every stripe cuts its own part."""
    if sigma <= 0:
        return np.zeros((0, 0, 3), np.int8)
    rng = np.random.default_rng(11)
    shape = (STRIPE_PX + 2 * STRIPE_EDGE_PX + GRAIN_MARGIN, width + GRAIN_MARGIN, 3)
    noise = rng.standard_normal(shape, np.float32) * sigma
    return np.asarray(np.round(np.clip(noise, -120, 120)), np.int8)


def tone_curve(gamma: float) -> Picture:
    """The sensor's tone curve as a table."""
    return np.asarray(np.clip((np.arange(256) / 255) ** gamma * 255, 0, 255), np.uint8)


def smeared(image: Picture, length_px: float, angle: float) -> Picture:
    """The picture moved during exposure."""
    side = 2 * int(np.ceil(length_px)) + 3
    kernel = np.zeros((side, side), np.float32)
    half = side / 2 - 0.5
    reach = np.array([np.cos(angle), np.sin(angle)]) * length_px / 2
    one, two = np.round((half - reach) * 16).astype(int), np.round((half + reach) * 16).astype(int)
    cv2.line(kernel, one.tolist(), two.tolist(), 1.0, 1, cv2.LINE_AA, 4)
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.uint8)


def painted_area(quad: Points) -> float:
    """How many pixels OpenCV fills for this quad, its border included."""
    around = float(np.hypot(*(quad - np.roll(quad, 1, axis=0)).T).sum())
    return float(cv2.contourArea(quad.astype(np.float32))) + around / 2 + 1


def _pairs(points: Points) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in points)
