"""The same tile seen again: from aside, turned, far away, blurred, under other light, half covered.

Works on whole batches in torch. Nothing here mirrors: a mirrored tile is another tile.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from vision.classify import CROP_H, CROP_MARGIN, CROP_W
from vision.training.crops import CANVAS_H, CANVAS_W, TILE_H, TILE_W


@dataclass(frozen=True)
class Strength:
    """How far each kind of change may go; zero switches one off."""

    move: float = 1.0
    turn: float = 1.0
    color: float = 1.0
    resolution: float = 1.0
    blur: float = 1.0
    noise: float = 1.0
    glare: float = 1.0
    cover: float = 1.0


@dataclass(frozen=True)
class Aside:
    """How each crop of a batch misses its tile: turned by quarters, leaning, tilted, shifted."""

    quarters: torch.Tensor
    angle: torch.Tensor
    stretch: torch.Tensor  # of u, of v, of u along v
    tilt: torch.Tensor
    shift: torch.Tensor

    @classmethod
    def drawn(cls, quarters: torch.Tensor, gen: torch.Generator, how: Strength) -> Aside:
        """At random; two crops in five miss their tile by much."""
        count = len(quarters)

        def rand(*shape: int) -> torch.Tensor:
            return torch.rand(*shape, generator=gen) * 2 - 1

        much = torch.where(torch.rand(count, 1, generator=gen) < 0.4, 2.2, 1.0) * how.move
        return cls(
            quarters,
            rand(count, 1) * 0.1 * much,
            rand(count, 3) * torch.tensor([0.09, 0.08, 0.05]) * much,
            rand(count, 2) * 0.045 * much,
            rand(count, 2) * torch.tensor([0.09, 0.08]) * much,
        )

    def on_tile(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Where on the tile a point of the crop lies; both have their edges at one."""
        turn = self.quarters[:, None] * torch.pi / 2
        cos, sin = torch.cos(turn), torch.sin(turn)
        # The crop shows the tile turned clockwise, so it is sampled turned the other way.
        u, v = x * cos + y * sin, -x * sin + y * cos
        cos, sin, ratio = torch.cos(self.angle), torch.sin(self.angle), TILE_H / TILE_W
        u, v = u * cos + v * ratio * sin, v * cos - u / ratio * sin
        across, along, slant = self.stretch.T[:, :, None]
        u, v = u * (1 + across) + v * slant, v * (1 + along)
        depth = 1 + u * self.tilt[:, :1] + v * self.tilt[:, 1:]
        return u / depth + self.shift[:, :1], v / depth + self.shift[:, 1:]

    def misfit(self) -> torch.Tensor:
        """By how much the crop's four corners miss the tile's, clockwise from the top left."""
        x = torch.tensor([[-1.0, 1.0, 1.0, -1.0]])
        y = torch.tensor([[-1.0, -1.0, 1.0, 1.0]])
        u, v = self.on_tile(x, y)
        turn = self.quarters[:, None] * torch.pi / 2
        cos, sin = torch.cos(turn), torch.sin(turn)
        return torch.stack((u * cos - v * sin - x, u * sin + v * cos - y), dim=2)


def turned(canvases: torch.Tensor, aside: Aside) -> torch.Tensor:
    """Cut the tile out of each canvas, missing it as said."""
    count = len(canvases)
    grid_y, grid_x = torch.meshgrid(
        torch.linspace(-1 + 1 / CROP_H, 1 - 1 / CROP_H, CROP_H),
        torch.linspace(-1 + 1 / CROP_W, 1 - 1 / CROP_W, CROP_W),
        indexing="ij",
    )
    # Crop coordinates in units of half a tile: the tile's edge lies at one.
    spread = 1 / (1 - 2 * CROP_MARGIN)
    u, v = aside.on_tile(grid_x.reshape(1, -1) * spread, grid_y.reshape(1, -1) * spread)
    grid = torch.stack((u * TILE_W / CANVAS_W, v * TILE_H / CANVAS_H), dim=-1)
    grid = grid.reshape(count, CROP_H, CROP_W, 2)
    return F.grid_sample(
        canvases, grid, mode="bilinear", padding_mode="border", align_corners=False
    )


def seen(crops: torch.Tensor, gen: torch.Generator, how: Strength) -> torch.Tensor:
    """Crops in 0..1 under other light, further away, out of focus, noisy, with glare or covered."""
    count = len(crops)

    def rand(*shape: int) -> torch.Tensor:
        return torch.rand(*shape, generator=gen)

    def some(part: float) -> torch.Tensor:
        return (rand(count, 1, 1, 1) < part).float()

    # Cover: something dull across one side, at most a third of the face.
    if how.cover:
        ys = torch.linspace(0, 1, CROP_H).view(1, 1, -1, 1)
        xs = torch.linspace(0, 1, CROP_W).view(1, 1, 1, -1)
        way = rand(count, 1, 1, 1) * 2 * torch.pi
        depth = (xs - 0.5) * torch.cos(way) + (ys - 0.5) * torch.sin(way)
        over = torch.sigmoid((depth - 0.22 - 0.3 * rand(count, 1, 1, 1)) * 60) * some(
            0.12 * how.cover
        )
        crops = crops * (1 - over) + rand(count, 3, 1, 1) * over
    # Blur by focus or motion, each picture its own kernel.
    if how.blur:
        crops = _blurred(crops, gen, how.blur)
    crops = _light(crops, gen, how)
    parts = []
    for part in crops.split(max(1, count // 6)):
        parts.append(_far(part, float(torch.rand(1, generator=gen)), how.resolution))
    crops = torch.cat(parts)
    if how.noise:
        noise = torch.randn(crops.shape, generator=gen) * (
            rand(count, 1, 1, 1) ** 2 * 0.09 * how.noise
        )
        crops = crops + noise
    return crops.clamp(0, 1)


def _blurred(crops: torch.Tensor, gen: torch.Generator, strength: float) -> torch.Tensor:
    count, size = len(crops), 7
    at = torch.arange(size) - size // 2
    ys, xs = torch.meshgrid(at, at, indexing="ij")
    ys, xs = ys[None].float(), xs[None].float()
    sigma = 0.25 + 1.5 * strength * torch.rand(count, 1, 1, generator=gen) ** 2
    round_blur = torch.exp(-(xs**2 + ys**2) / (2 * sigma**2))
    way = torch.rand(count, 1, 1, generator=gen) * torch.pi
    along = xs * torch.cos(way) + ys * torch.sin(way)
    aside = -xs * torch.sin(way) + ys * torch.cos(way)
    length = 0.5 + 2.2 * strength * torch.rand(count, 1, 1, generator=gen)
    motion = torch.exp(-(aside**2) / 0.6 - (along / length) ** 4)
    moving = (torch.rand(count, 1, 1, generator=gen) < 0.2).float()
    kernel = moving * motion + (1 - moving) * round_blur
    kernel = kernel / kernel.sum(dim=(1, 2), keepdim=True)
    kernel = kernel.repeat_interleave(3, dim=0).unsqueeze(1)
    padded = F.pad(crops, (3, 3, 3, 3), mode="replicate").reshape(
        1, count * 3, CROP_H + 6, CROP_W + 6
    )
    return F.conv2d(padded, kernel, groups=count * 3).reshape(count, 3, CROP_H, CROP_W)


def _light(crops: torch.Tensor, gen: torch.Generator, how: Strength) -> torch.Tensor:
    count = len(crops)

    def rand(*shape: int) -> torch.Tensor:
        return torch.rand(*shape, generator=gen) * 2 - 1

    strength = how.color
    # Colored light: gains per channel; mostly mild, sometimes a whole colored lamp.
    wild = (torch.rand(count, 1, 1, 1, generator=gen) < 0.12).float()
    gain = torch.exp(rand(count, 3, 1, 1) * (0.13 + 0.4 * wild) * strength)
    # One lamp of one color, as in a club with a light show: hardly a green or a blue is left.
    single = (torch.rand(count, 1, 1, 1, generator=gen) < 0.04).float() * min(1.0, strength)
    gain = gain * (1 - single * 0.9 * torch.rand(count, 3, 1, 1, generator=gen))
    gain = gain * torch.exp(rand(count, 1, 1, 1) * 0.4 * strength - 0.1 * strength)
    crops = crops * gain
    gamma = torch.exp(rand(count, 1, 1, 1) * 0.35 * strength)
    crops = crops.clamp(1e-3, 1) ** gamma
    grey = crops.mean(dim=1, keepdim=True)
    crops = grey + (crops - grey) * (1 + rand(count, 1, 1, 1) * 0.45 * strength)
    middle = crops.mean(dim=(1, 2, 3), keepdim=True)
    crops = middle + (crops - middle) * (1 + rand(count, 1, 1, 1) * 0.35 * strength)
    if how.glare:
        ys = torch.linspace(-1, 1, CROP_H).view(1, 1, -1, 1)
        xs = torch.linspace(-1, 1, CROP_W).view(1, 1, 1, -1)
        away = (xs - rand(count, 1, 1, 1) * 1.2) ** 2 + (ys - rand(count, 1, 1, 1) * 1.2) ** 2
        size = 0.05 + 0.5 * torch.rand(count, 1, 1, 1, generator=gen)
        on = (torch.rand(count, 1, 1, 1, generator=gen) < 0.25 * how.glare).float()
        crops = (
            crops + torch.exp(-away / size) * on * torch.rand(count, 1, 1, 1, generator=gen) * 0.7
        )
        slope = rand(count, 1, 1, 1) * xs + rand(count, 1, 1, 1) * ys
        crops = crops * (1 + 0.18 * slope)
    return crops.clamp(0, 1)


def _far(crops: torch.Tensor, draw: float, strength: float) -> torch.Tensor:
    """Fewer pixels, then stretched again, as a small tile in a wide picture is."""
    if not strength or draw < 0.25:
        return crops
    width = int(CROP_W - (CROP_W - 13) * strength * (draw - 0.25) / 0.75)
    height = round(width * CROP_H / CROP_W)
    small = F.interpolate(crops, (height, width), mode="area")
    return F.interpolate(small, (CROP_H, CROP_W), mode="bilinear", align_corners=False)
