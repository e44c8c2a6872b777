"""Reads the face of a tile from a small upright picture of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime

from vision.errors import VisionError

MODELS = Path(__file__).with_name("models")
LABELS: tuple[str, ...] = (
    *(f"{rank}{suit}" for suit in "mps" for rank in "1234567890"),
    *(f"{rank}z" for rank in "1234567"),
    *(f"{rank}{kind}" for kind in "fgac" for rank in "1234"),
    "jk",
    "bk",
    "no",
)
# Faces that look the same upside down: they have no readable top.
SYMMETRIC = frozenset(
    (*(f"{rank}p" for rank in "12345089"), *(f"{rank}s" for rank in "2450689"), "5z", "bk", "no")
)
CROP_W, CROP_H = 48, 64
# A crop shows a little of what lies round the tile, so that its outline may be off by a bit.
CROP_MARGIN = 0.06
# 2026-11-30, 119 tiles: 8 to 128 at a time cost the same processor time within 5 %; the process
# then peaks at 133 MB for 8, 136 for 16, 141 for 32, 154 for 64, 170 for 128.
BATCH = 16

Array = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]
"""A picture as OpenCV keeps it: height x width x 3, blue, green, red."""


class ModelError(VisionError, ValueError):
    """A model file cannot be used."""


def parse_label(text: str) -> str:
    """The label in this house's order: `f1` and `1f` are both the first flower."""
    for label in (text, text[::-1]):
        if label in LABELS:
            return label
    raise ValueError(f"{text!r} is not a tile label")


@dataclass(frozen=True, slots=True)
class Faces:
    """What the classifier says about a batch of crops, one row each."""

    probabilities: Array  # over LABELS
    rotations: Array  # over quarter turns clockwise of the tile's top
    embeddings: Array  # unit vectors: near ones are the same face of the same set
    misfits: Array  # by how much each corner of the outline missed the tile's, in half tiles


class Classifier:
    """The face classifier: crops in, probabilities out."""

    def __init__(self, path: Path | None = None, *, threads: int = 2) -> None:
        path = path or MODELS / "classifier.onnx"
        self.session, meta = open_model(path, kind="classifier", threads=threads)
        if tuple(meta["labels"].split()) != LABELS:
            raise ModelError(f"{path} was trained for other labels; train it again")
        self.temperature = float(meta["temperature"])
        self.hash = meta["hash"]

    def read(self, crops: Image, *, batch: int = BATCH) -> Faces:
        """Read crops of CROP_H x CROP_W, at most `batch` at a time."""
        size = len(LABELS)
        parts = [
            self.session.run(None, {"crops": crops[start : start + batch]})
            for start in range(0, len(crops), batch)
        ]
        if not parts:
            none = [np.zeros((0, *shape), np.float32) for shape in ((size,), (4,), (0,), (4, 2))]
            return Faces(*none)
        logits, rotations, embeddings, misfits = (
            np.concatenate(part) for part in zip(*parts, strict=True)
        )
        chances = softmax(np.asarray(logits / self.temperature, np.float32))
        return Faces(chances, softmax(rotations), embeddings, misfits)


def softmax(logits: Array) -> Array:
    """Probabilities of each row."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float32)


def open_model(
    path: Path, *, kind: str, threads: int
) -> tuple[onnxruntime.InferenceSession, dict[str, str]]:
    """A session for one of our own model files, and what the file says about itself."""
    if not path.exists():
        raise ModelError(f"no model at {path}; train one: python -m vision.training")
    content = path.read_bytes()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Plans of memory are kept for each size of picture and batch: 15 MB, and not a millisecond won.
    options.enable_mem_pattern = False
    options.enable_cpu_mem_arena = False  # which would keep 16 MB more
    # Spinning threads would eat the core that the table itself needs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(content, options, ["CPUExecutionProvider"])
    except Exception as problem:  # onnxruntime raises many kinds, none of them documented
        raise ModelError(f"{path} is not a usable model: {problem}") from problem
    meta = dict(session.get_modelmeta().custom_metadata_map)
    if meta.get("kind") != kind:
        raise ModelError(f"{path} is not a {kind} of this project")
    meta["hash"] = hashlib.sha256(content).hexdigest()[:16]
    return session, meta


def crop_quads(image: Image, quads: Array) -> Image:
    """Cut each quad (N x 4 x 2, clockwise from its top left) out as an upright crop."""
    crops = np.empty((len(quads), CROP_H, CROP_W, 3), np.uint8)
    for index, quad in enumerate(quads):
        crops[index] = crop_quad(image, quad)
    return crops


def crop_quad(image: Image, quad: Array) -> Image:
    """One tile, upright, with a small margin round it."""
    inset_x, inset_y = CROP_W * CROP_MARGIN, CROP_H * CROP_MARGIN
    target = np.array(
        [
            (inset_x, inset_y),
            (CROP_W - inset_x, inset_y),
            (CROP_W - inset_x, CROP_H - inset_y),
            (inset_x, CROP_H - inset_y),
        ],
        np.float32,
    )
    # A large tile is shrunk first: sampling every tenth pixel would turn fine engraving to noise.
    shrink = max(1.0, float(np.linalg.norm(quad[1] - quad[0])) / CROP_W / 2)
    if shrink > 1.25:
        image, quad = _shrunk_region(image, quad, shrink)
    lens = cv2.getPerspectiveTransform(quad.astype(np.float32), target - np.float32(0.5))
    crop = cv2.warpPerspective(
        image, lens, (CROP_W, CROP_H), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(crop, np.uint8)


def refit(quads: Array, misfits: Array) -> Array:
    """The outlines moved to where the classifier says that the tiles' corners are."""
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3])[:, None] / 4
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1])[:, None] / 4
    off = np.clip(misfits, -0.6, 0.6)
    return np.asarray(quads - off[..., :1] * across - off[..., 1:] * down, np.float32)


def _shrunk_region(image: Image, quad: Array, shrink: float) -> tuple[Image, Array]:
    side = float(np.ptp(quad, axis=0).max())
    low = np.maximum(np.floor(quad.min(axis=0) - side * 0.2), 0).astype(int)
    high = np.ceil(quad.max(axis=0) + side * 0.2).astype(int)
    region = image[low[1] : high[1] + 1, low[0] : high[0] + 1]
    if region.size == 0:
        return image, quad
    small = cv2.resize(region, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
    scale = np.array([small.shape[1] / region.shape[1], small.shape[0] / region.shape[0]])
    return np.asarray(small, np.uint8), ((quad + 0.5 - low) * scale - 0.5).astype(np.float32)
