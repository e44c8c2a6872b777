"""The locator: its net, what it is asked to say, its training and its export."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from vision.locate import KINDS, STRIDE, UNIT_PX
from vision.training.classifier import Block, down, half_digits
from vision.training.export import save_model
from vision.training.scenes import Known, Picture

PATCH = 256
GRID = PATCH // STRIDE
SIDE_PX = (8.0, 34.0)  # short sides at which the net is trained
SEEN_AT_LEAST = 0.35  # of a tile; one that shows less need not be found
COVERED_BELOW = 0.8


def smooth(width: int) -> nn.Sequential:
    """One convolution at the same size."""
    return nn.Sequential(
        nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()
    )


class LocatorNet(nn.Module):
    """A picture in; heat maps of centres and the outline's numbers for every fourth pixel out."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(down(3, 16), down(16, 32), smooth(32))  # / 4
        self.middle = nn.Sequential(down(32, 64), Block(64))  # / 8
        self.deep = nn.Sequential(down(64, 96), Block(96), Block(96))  # / 16
        self.up_deep = nn.Conv2d(96, 64, 1)
        self.merge = Block(64)
        self.up_middle = nn.Conv2d(64, 32, 1)
        self.last = smooth(32)
        self.heat = nn.Conv2d(32, len(KINDS), 1)
        self.shape = nn.Conv2d(32, 7, 1)
        nn.init.constant_(self.heat.bias, -4.0)  # type: ignore[arg-type]

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        fine = self.stem(x)
        middle = self.middle(fine)
        deep = self.up_deep(self.deep(middle))
        middle = self.merge(F.relu(middle + F.interpolate(deep, scale_factor=2.0, mode="nearest")))
        fine = F.relu(
            fine + F.interpolate(self.up_middle(middle), scale_factor=2.0, mode="nearest")
        )
        fine = self.last(fine)
        with torch.autocast("cpu", enabled=False):  # corners need all their digits
            return self.heat(fine.float()), self.shape(fine.float())


class Exported(nn.Module):
    """The net as the table runs it: bytes in, probabilities out."""

    def __init__(self, net: LocatorNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        heat, shape = self.net(pixels.permute(0, 3, 1, 2).float() / 255 - 0.5)
        covered = torch.sigmoid(shape[:, 6:])
        return torch.sigmoid(heat), torch.cat((shape[:, :6], covered), dim=1)


@dataclass(frozen=True)
class Patch:
    """A square of a picture and what the net should say about it."""

    pixels: np.ndarray
    heat: np.ndarray  # kinds x GRID x GRID: 1 at centres, falling off
    heat_weight: np.ndarray  # where an answer is asked for
    shape: np.ndarray
    shape_weight: np.ndarray  # near centres whose outline is known
    axis_weight: np.ndarray
    covered_weight: np.ndarray


def cut(picture: Picture, rng: np.random.Generator) -> Patch:
    """A random square of the picture at a random scale, turned at random."""
    tiles = picture.tiles
    goal = float(np.exp(rng.uniform(np.log(SIDE_PX[0]), np.log(SIDE_PX[1]))))
    if rng.random() < 0.4:
        goal = float(rng.uniform(12, 19))
    if tiles:
        anchor = tiles[rng.integers(len(tiles))]
        side = float(np.linalg.norm(anchor.quad[1] - anchor.quad[0]))
        middle = anchor.quad.mean(axis=0) + rng.uniform(-0.45, 0.45, 2) * PATCH * side / goal
    else:
        side, middle = 30.0, np.array(picture.image.shape[1::-1]) * rng.uniform(0, 1, 2)
    if rng.random() < 0.1:
        middle = np.array(picture.image.shape[1::-1]) * rng.uniform(0, 1, 2)
    scale = min(goal / max(side, 2.0), 2.5)
    turn = float(rng.choice([0, 90, 180, 270]))
    if picture.source == "rendered":
        turn += float(rng.uniform(-25, 25)) if rng.random() < 0.4 else 0.0
    lens = cv2.getRotationMatrix2D((float(middle[0]), float(middle[1])), turn, scale)
    lens[:, 2] += PATCH / 2 - middle
    pixels = view(picture.image, lens, scale)
    known = [
        Known(
            ((tile.quad + 0.5) @ lens[:, :2].T + lens[:, 2]).astype(np.float32),
            tile.label,
            tile.facing,
            tile.visible,
            tile.has_axes,
        )
        for tile in tiles
    ]
    return Patch(relit(pixels, rng), *targets(known, is_complete=picture.is_complete))


def view(image: np.ndarray, lens: np.ndarray, scale: float) -> np.ndarray:
    """The patch that `lens` maps out of the picture, shrunk without turning detail to noise."""
    corners = np.array([(0, 0), (PATCH, 0), (PATCH, PATCH), (0, PATCH)], np.float64)
    region = (corners - lens[:, 2]) @ np.linalg.inv(lens[:, :2]).T
    low = np.clip(np.floor(region.min(axis=0)).astype(int) - 2, 0, np.array(image.shape[1::-1]) - 2)
    high = np.maximum(np.ceil(region.max(axis=0)).astype(int) + 2, low + 2)
    part = image[low[1] : high[1], low[0] : high[0]]
    matrix = lens.copy()
    matrix[:, 2] += matrix[:, :2] @ low
    if scale < 0.7:
        size = tuple(max(1, round(side * scale)) for side in part.shape[1::-1])
        small = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
        matrix[:, :2] = matrix[:, :2] / (np.array(small.shape[1::-1]) / np.array(part.shape[1::-1]))
        part = small
    matrix[:, 2] += matrix[:, :2] @ np.array([0.5, 0.5]) - 0.5
    return cv2.warpAffine(
        part, matrix, (PATCH, PATCH), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )


def relit(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Other light, other focus, other noise."""
    picture = pixels.astype(np.float32)
    if rng.random() < 0.3:
        picture = cv2.GaussianBlur(picture, (5, 5), rng.uniform(0.3, 1.3))
    gain = np.exp(
        rng.uniform(-0.35, 0.3) + rng.uniform(-0.12, 0.12, 3) * (1 if rng.random() < 0.85 else 3)
    )
    picture = 255 * (np.clip(picture * gain, 0, 255) / 255) ** np.exp(rng.uniform(-0.3, 0.3))
    if rng.random() < 0.15:
        picture = np.repeat(picture.mean(axis=2, keepdims=True), 3, axis=2) * 0.7 + picture * 0.3
    if rng.random() < 0.4:
        picture += rng.normal(0, rng.uniform(1, 9), picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


def double_angle(axis: np.ndarray) -> np.ndarray:
    """A vector of twice the angle and the same length, in the net's unit."""
    length, angle = np.hypot(*axis) / UNIT_PX, 2 * np.arctan2(axis[1], axis[0])
    return np.array([length * np.cos(angle), length * np.sin(angle)], np.float32)


def targets(tiles: Sequence[Known], *, is_complete: bool) -> tuple[np.ndarray, ...]:
    """What the net should say about a patch with these tiles, and where it is asked."""
    heat = np.zeros((len(KINDS), GRID, GRID), np.float32)
    weight = np.full((GRID, GRID), 1.0 if is_complete else 0.0, np.float32)
    shape = np.zeros((7, GRID, GRID), np.float32)
    shape_weight, axis_weight, covered_weight = (
        np.zeros((GRID, GRID), np.float32) for _ in range(3)
    )
    ys, xs = np.mgrid[0:GRID, 0:GRID].astype(np.float32) + 0.5
    for tile in tiles:
        quad = tile.quad / STRIDE
        centre = quad.mean(axis=0)
        if not (-4 < centre[0] < GRID + 4 and -4 < centre[1] < GRID + 4):
            continue
        along = (quad[0] + quad[1] - quad[2] - quad[3]) / 4
        across = (quad[1] + quad[2] - quad[0] - quad[3]) / 4
        reach = min(
            float(np.hypot(*along)), float(np.hypot(*across))
        )  # half the short side, in cells
        away = np.hypot(xs - centre[0], ys - centre[1])
        if tile.visible < SEEN_AT_LEAST:
            if tile.visible > 0.05:
                weight[away < max(0.8, reach)] = 0
            continue
        if not is_complete:
            weight[away < max(1.0, reach * 0.95)] = 1
        spot = np.exp(-(away**2) / (2 * max(0.55, reach * 0.38) ** 2))
        x, y = int(np.clip(centre[0], 0, GRID - 1)), int(np.clip(centre[1], 0, GRID - 1))
        kind = KINDS.index(tile.facing)
        if 0 <= centre[0] < GRID and 0 <= centre[1] < GRID:
            spot[y, x] = 1
        heat[kind] = np.maximum(heat[kind], spot)
        near = (np.abs(xs - 0.5 - x) <= 1) & (np.abs(ys - 0.5 - y) <= 1)
        closeness = np.where(near, np.maximum(spot, 0.2), 0)
        mine = near & (closeness > shape_weight)
        shape_weight[mine] = closeness[mine]
        shape[0][mine], shape[1][mine] = (centre[0] - xs)[mine], (centre[1] - ys)[mine]
        u, v = double_angle(along * STRIDE), double_angle(across * STRIDE)
        for channel, value in enumerate((u[0], u[1], v[0], v[1])):
            shape[2 + channel][mine] = value
        axis_weight[mine] = closeness[mine] if tile.has_axes else 0
        shape[6][mine] = float(tile.visible < COVERED_BELOW)
        covered_weight[mine] = closeness[mine] if is_complete else 0
    return heat, weight, shape, shape_weight, axis_weight, covered_weight


def loss_of(heat: torch.Tensor, shape: torch.Tensor, want: dict[str, torch.Tensor]) -> torch.Tensor:
    """Focal loss for the centres, plain distance for the outlines where they are known."""
    chance = torch.sigmoid(heat.float()).clamp(1e-4, 1 - 1e-4)
    goal, weight = want["heat"], want["heat_weight"][:, None]
    at = goal >= 0.999
    hit = -torch.log(chance) * (1 - chance) ** 2 * at
    miss = -torch.log(1 - chance) * chance**2 * (1 - goal) ** 4 * ~at
    centres = ((hit + miss) * weight).sum() / at.sum().clamp(min=1)
    spot, axis, cover = want["shape_weight"], want["axis_weight"], want["covered_weight"]
    goal = want["shape"]
    place = ((shape[:, :2] - goal[:, :2]).abs().sum(1) * spot).sum() / spot.sum().clamp(min=1)
    size = want["shape"][:, 2:4].norm(dim=1).clamp(min=0.4)
    lie = ((shape[:, 2:6] - goal[:, 2:6]).abs().sum(1) / size * axis).sum() / axis.sum().clamp(
        min=1
    )
    hidden = F.binary_cross_entropy_with_logits(shape[:, 6], goal[:, 6], reduction="none")
    hidden = (hidden * cover).sum() / cover.sum().clamp(min=1)
    return centres + place * 2.0 + lie * 1.5 + hidden * 0.1


class Patches(torch.utils.data.Dataset[dict[str, torch.Tensor]]):
    """Endless patches of these pictures; the same number gives the same patch."""

    def __init__(
        self, pictures: Sequence[Picture], weights: Sequence[float], count: int, seed: int
    ) -> None:
        self.pictures, self.count, self.seed = pictures, count, seed
        total = np.cumsum(weights)
        self.bounds = total / total[-1]

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int) -> dict[str, torch.Tensor]:
        rng = np.random.default_rng([self.seed, number, 9])
        picture = self.pictures[int(np.searchsorted(self.bounds, rng.random()))]
        patch = cut(picture, rng)
        return {name: torch.from_numpy(getattr(patch, name)) for name in Patch.__dataclass_fields__}


def train(
    pictures: Sequence[Picture],
    weights: Sequence[float],
    *,
    steps: int,
    seed: int,
    batch: int = 16,
    top_rate: float = 2.5e-3,
    start: LocatorNet | None = None,
    report: int = 25,
) -> LocatorNet:
    """Train for so many steps; returns the running average of the net."""
    torch.manual_seed(seed)
    net = (start or LocatorNet()).to(memory_format=torch.channels_last)
    data = Patches(pictures, weights, steps * batch, seed)
    optimizer = torch.optim.AdamW(net.parameters(), lr=top_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, top_rate, total_steps=steps, pct_start=0.12
    )
    average = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.995), use_buffers=True
    )
    began, running = time.monotonic(), 0.0
    net.train()
    # One process draws patches while this one learns from the last ones.
    batches = torch.utils.data.DataLoader(data, batch_size=batch, num_workers=1)
    for step, want in enumerate(batches):
        pixels = want["pixels"].permute(0, 3, 1, 2).float() / 255 - 0.5
        with half_digits():
            heat, shape = net(pixels.contiguous(memory_format=torch.channels_last))
        loss = loss_of(heat.float(), shape.float(), want)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        average.update_parameters(net)
        running += (loss.item() - running) / min(step + 1, 50)
        if (step + 1) % report == 0:
            passed = f"{time.monotonic() - began:.0f} s"
            print(f"locator step {step + 1}/{steps} loss {running:.3f} {passed}", flush=True)
    result: LocatorNet = average.module.eval()
    return result


def export(net: LocatorNet, path: Path) -> None:
    """Write the model the table runs."""
    example = torch.zeros(1, 64, 96, 3, dtype=torch.uint8)
    save_model(
        Exported(net.eval()).eval(),
        example,
        path,
        inputs=["picture"],
        outputs=["heat", "shape"],
        dynamic={1: "height", 2: "width"},
        meta={
            "kind": "locator",
            "kinds": " ".join(KINDS),
            "stride": str(STRIDE),
            "input": "1xHxWx3 BGR bytes, multiples of 16",
        },
    )
