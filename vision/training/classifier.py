"""The face classifier: its net, its training and its export."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from vision.classify import CROP_H, CROP_W, LABELS, SYMMETRIC
from vision.training import crops, looks
from vision.training.crops import Sample
from vision.training.export import save_model

EMBEDDING = 128
Answer = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]
INDEX = {label: number for number, label in enumerate(LABELS)}
HARD_WEIGHT = 2.5  # of flowers and seasons: every maker draws them anew, and eight look alike
IS_SYMMETRIC = torch.tensor([label in SYMMETRIC for label in LABELS])


def half_digits() -> torch.autocast:
    """Convolutions with half the digits: the same nets in half the time (measured on AVX-512)."""
    return torch.autocast("cpu", dtype=torch.bfloat16)


class Block(nn.Module):
    """Two convolutions past which the input also goes straight."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.one = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm_one = nn.BatchNorm2d(width)
        self.two = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm_two = nn.BatchNorm2d(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inner = F.relu(self.norm_one(self.one(x)))
        return F.relu(x + self.norm_two(self.two(inner)))


def down(before: int, after: int) -> nn.Sequential:
    """Half the size, another width."""
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(after),
        nn.ReLU(),
    )


class FaceNet(nn.Module):
    """A crop in; logits over labels and quarter turns, an embedding and the misfit out."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            down(3, 24),  # 32 x 24
            nn.Conv2d(24, 32, 3, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            down(32, 64),  # 16 x 12
            Block(64),
            down(64, 96),  # 8 x 6
            Block(96),
            down(96, 128),  # 4 x 3
        )
        self.turn = nn.Linear(128 * 12, 4)
        self.fit = nn.Linear(128 * 12, 8)
        self.embed = nn.Sequential(
            nn.Linear(128 * 12, EMBEDDING, bias=False), nn.BatchNorm1d(EMBEDDING)
        )
        self.drop = nn.Dropout(0.15)
        self.labels = nn.Parameter(torch.randn(len(LABELS), EMBEDDING) * 0.1)
        self.scale = nn.Parameter(torch.tensor(3.0))

    def forward(self, x: torch.Tensor) -> Answer:
        flat = self.drop(self.body(x).flatten(1)).float()
        with torch.autocast("cpu", enabled=False):  # likeness needs all its digits
            embedding = F.normalize(self.embed(flat), dim=1)
            logits = embedding @ F.normalize(self.labels, dim=1).T * torch.exp(self.scale)
            return logits, self.turn(flat), embedding, self.fit(flat).reshape(-1, 4, 2)


class Exported(nn.Module):
    """The net with the step from bytes to numbers inside, as the table runs it."""

    def __init__(self, net: FaceNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, pixels: torch.Tensor) -> Answer:
        logits, turns, embedding, misfit = self.net(pixels.permute(0, 3, 1, 2).float() / 255 - 0.5)
        return logits, turns, embedding, misfit


@dataclass
class Pool:
    """Canvases in memory, drawn from evenly by label and by source."""

    canvases: torch.Tensor
    labels: torch.Tensor
    quarters_known: torch.Tensor
    outline_known: torch.Tensor  # to the pixel: drawn, not boxed by hand
    weights: torch.Tensor

    @classmethod
    def of(cls, samples: Sequence[Sample], source_weight: dict[str, float]) -> Pool:
        canvases = torch.from_numpy(np.stack([sample.canvas for sample in samples]))
        labels = torch.tensor([INDEX[sample.label] for sample in samples])
        upright = torch.tensor([sample.is_upright for sample in samples])
        counts: dict[tuple[str, str], int] = {}
        for sample in samples:
            counts[sample.source, sample.label] = counts.get((sample.source, sample.label), 0) + 1
        weights = torch.tensor(
            [
                source_weight.get(sample.source, 1.0)
                * (HARD_WEIGHT if sample.label[1] in "fg" else 1.0)
                / counts[sample.source, sample.label] ** 0.9
                for sample in samples
            ]
        )
        exact = [sample.source in ("invented", "rendered") for sample in samples]
        return cls(canvases, labels, upright, torch.tensor(exact), weights)


def red_fives(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """Real fives repainted, to stand in for the red fives that no photo at hand shows."""
    rng = np.random.default_rng([seed, 21])
    made = []
    for sample in samples:
        if sample.label in ("5m", "5p", "5s"):
            canvas = crops.repainted_red(sample.canvas, rng)
            made.append(
                Sample(
                    canvas,
                    "0" + sample.label[1],
                    sample.source,
                    sample.style,
                    sample.photo,
                    sample.is_upright,
                    sample.is_test,
                )
            )
    return made


def as_input(canvases: torch.Tensor) -> torch.Tensor:
    return canvases.permute(0, 3, 1, 2).float() / 255


def look_at(
    pool: Pool, picks: torch.Tensor, gen: torch.Generator, how: looks.Strength
) -> tuple[torch.Tensor, looks.Aside]:
    """Crops of the picked canvases, and how each misses its tile."""
    draw = 1 - torch.rand(len(picks), generator=gen)  # above 0: at strength 0 nothing is turned
    quarters = torch.zeros(len(picks), dtype=torch.long)
    for share, turned in ((0.54, 2), (0.08, 1), (0.04, 3)):
        quarters[draw <= share * how.turn] = turned
    with torch.no_grad():
        aside = looks.Aside.drawn(quarters, gen, how)
        tiles = looks.turned(as_input(pool.canvases[picks]), aside)
        return looks.seen(tiles, gen, how), aside


def turn_loss(
    turns: torch.Tensor, quarters: torch.Tensor, labels: torch.Tensor, known: torch.Tensor
) -> torch.Tensor:
    """How wrong the quarter turns are; half turns do not count for faces without a top."""
    chance = F.log_softmax(turns, dim=1)
    exact = chance.gather(1, quarters[:, None])[:, 0]
    either = torch.logaddexp(exact, chance.gather(1, ((quarters + 2) % 4)[:, None])[:, 0])
    no_top = IS_SYMMETRIC[labels] | ~known
    counted = (labels != INDEX["no"]) & (labels != INDEX["bk"])
    loss = torch.where(no_top, either, exact)
    return -(loss * counted).sum() / counted.sum().clamp(min=1)


def fit_loss(said: torch.Tensor, truth: torch.Tensor, counted: torch.Tensor) -> torch.Tensor:
    """How far the corners are said to be from where they are, where that is known."""
    away = F.smooth_l1_loss(said, truth, reduction="none", beta=0.05).mean(dim=(1, 2))
    return (away * counted).sum() / counted.sum().clamp(min=1)


def train(
    pool: Pool,
    *,
    steps: int,
    seed: int,
    batch: int = 192,
    top_rate: float = 3e-3,
    how: looks.Strength | None = None,
    start: FaceNet | None = None,
    report: int = 25,
) -> FaceNet:
    """Train for so many steps; the rate rises and falls once. Returns the running average."""
    torch.manual_seed(seed)
    gen = torch.Generator().manual_seed(seed)
    how = how or looks.Strength()
    net = start or FaceNet()
    net = net.to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(net.parameters(), lr=top_rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, top_rate, total_steps=steps, pct_start=0.15
    )
    # Over the last tenth of the steps, however many they are.
    average = torch.optim.swa_utils.AveragedModel(
        net,
        multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(1 - 10 / max(steps, 20)),
        use_buffers=True,
    )
    began, running = time.monotonic(), 0.0
    net.train()
    for step in range(steps):
        picks = torch.multinomial(pool.weights, batch, replacement=True, generator=gen)
        pictures, aside = look_at(pool, picks, gen, how)
        labels = pool.labels[picks]
        with half_digits():
            pixels = (pictures - 0.5).contiguous(memory_format=torch.channels_last)
            logits, turns, _, misfits = net(pixels)
        loss = F.cross_entropy(logits, labels, label_smoothing=0.03)
        loss = loss + 0.3 * turn_loss(turns, aside.quarters, labels, pool.quarters_known[picks])
        seen_exactly = pool.outline_known[picks] & (labels != INDEX["no"])
        loss = loss + 2.0 * fit_loss(misfits, aside.misfit(), seen_exactly)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimizer.step()
        schedule.step()
        average.update_parameters(net)
        running += (loss.item() - running) / min(step + 1, 50)
        if (step + 1) % report == 0:
            passed = f"{time.monotonic() - began:.0f} s"
            print(f"classifier step {step + 1}/{steps} loss {running:.3f} {passed}", flush=True)
    result: FaceNet = average.module.eval()
    return result


def predict(net: FaceNet, tiles: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Logits, turn logits and embeddings of crops in 0..1."""
    with torch.no_grad():
        parts = [net(part - 0.5) for part in tiles.split(512)]
    logits, turns, embeddings, _ = (torch.cat(part) for part in zip(*parts, strict=True))
    return logits, turns, embeddings


def plain_crops(samples: Sequence[Sample], quarter: int = 0) -> torch.Tensor:
    """The crops the table would cut, unchanged, for measuring."""
    canvases = as_input(torch.from_numpy(np.stack([sample.canvas for sample in samples])))
    quarters = torch.full((len(samples),), quarter)
    still = looks.Strength(0, 0, 0, 0, 0, 0, 0, 0)
    gen = torch.Generator()
    return torch.cat(
        [
            looks.turned(part, looks.Aside.drawn(turn, gen, still))
            for part, turn in zip(canvases.split(512), quarters.split(512), strict=True)
        ]
    )


def temperature(logits: torch.Tensor, labels: torch.Tensor) -> float:
    """The divisor that makes the probabilities honest on these samples."""
    grid = torch.exp(torch.linspace(-1.5, 1.5, 121))
    losses = [float(F.cross_entropy(logits / divisor, labels)) for divisor in grid]
    return float(grid[int(np.argmin(losses))])


def export(net: FaceNet, path: Path, *, divisor: float) -> None:
    """Write the model the table runs, with everything it needs to know inside."""
    example = torch.zeros(2, CROP_H, CROP_W, 3, dtype=torch.uint8)
    save_model(
        Exported(net.eval()).eval(),
        example,
        path,
        inputs=["crops"],
        outputs=["logits", "turns", "embeddings", "misfits"],
        dynamic={0: "tiles"},
        meta={
            "kind": "classifier",
            "labels": " ".join(LABELS),
            "temperature": f"{divisor:.4f}",
            "input": f"{CROP_H}x{CROP_W}x3 BGR bytes",
        },
    )
