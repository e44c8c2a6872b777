"""A club's own tile set, learned from one photo of it laid out in a known order.

The classifier gives every crop an embedding: near ones are the same face of the same set. One
photo of the set gives one prototype a face; a face in play is then compared with the prototypes of
its own set, not only with what the classifier learned from other makers' tiles.

    detections = reader.detect(photo)
    learned = learn(photo, detections, order, reader.classifier, name="club night")
    learned.doubts  # what the photo shows otherwise than the order says
    learned.tile_set.save(path)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.classify import LABELS, Array, Classifier, Image, crop_quads, softmax
from vision.errors import VisionError
from vision.types import Detection

VERSION = 1
SHARPNESS = 18.0  # how quickly likeness falls off with distance
ALIKE = 0.7  # likeness of two tiles of which it is even whether they show the same face
HARDLY = 0.3  # what is left of a probability where another tile has the face; glare changes looks
TRUST = 0.65  # weight of the prototypes against the classifier, where the set has the face


class TileSetError(VisionError, ValueError):
    """A tile set profile cannot be made or used."""


@dataclass(frozen=True)
class TileSet:
    """Prototypes of one set: unit embeddings with their labels, for one classifier file."""

    name: str
    labels: tuple[str, ...]
    prototypes: Array
    model_hash: str

    @classmethod
    def of(cls, name: str, labels: Sequence[str], embeddings: Array, model_hash: str) -> TileSet:
        """Prototypes from labelled embeddings; several of a face are averaged."""
        if len(labels) != len(embeddings) or len(labels) == 0:
            raise TileSetError(f"{len(labels)} labels do not fit {len(embeddings)} tiles")
        names = tuple(label for label in LABELS if label in labels)
        rows = [embeddings[[spot == label for spot in labels]].mean(axis=0) for label in names]
        prototypes = np.stack(rows)
        prototypes /= np.linalg.norm(prototypes, axis=1, keepdims=True)
        return cls(name, names, np.asarray(prototypes, np.float32), model_hash)

    def check(self, classifier: Classifier) -> None:
        """Raise unless this profile was made with that classifier file."""
        if self.model_hash != classifier.hash:
            raise TileSetError(
                f"tile set {self.name!r} was learned with another classifier;"
                " take its photo again: mahjong-table calibrate tiles"
            )
        if self.prototypes.shape[1] != classifier.session.get_outputs()[2].shape[1]:
            raise TileSetError(f"tile set {self.name!r}: its prototypes are no embeddings")

    def sharpen(self, chances: Array, embeddings: Array) -> Array:
        """Label probabilities after comparing each face with this set's own.

        What the set lacks keeps the probability the classifier gave it.
        """
        likeness = embeddings @ self.prototypes.T
        own = softmax(np.asarray(likeness * SHARPNESS, np.float32))
        columns = [LABELS.index(label) for label in self.labels]
        mixed = chances.copy()
        share = chances[:, columns].sum(axis=1, keepdims=True)
        mixed[:, columns] = chances[:, columns] ** (1 - TRUST) * own**TRUST
        scale = mixed[:, columns].sum(axis=1, keepdims=True)
        mixed[:, columns] *= share / np.maximum(scale, 1e-9)
        return np.asarray(mixed / mixed.sum(axis=1, keepdims=True), np.float32)

    def save(self, path: Path) -> None:
        """Write the profile as JSON."""
        path.write_bytes(self.saved())

    def saved(self) -> bytes:
        """The profile as it is written."""
        content = {
            "version": VERSION,
            "name": self.name,
            "model": self.model_hash,
            "labels": list(self.labels),
            "prototypes": np.round(self.prototypes, 5).tolist(),
        }
        return json.dumps(content).encode()

    @classmethod
    def load(cls, path: Path) -> TileSet:
        """Read a profile, or say what is wrong with the file."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["version"] != VERSION:
                raise TileSetError(f"{path}: version {content['version']} is not understood")
            prototypes = np.array(content["prototypes"], np.float32)
            labels = tuple(content["labels"])
            unknown = [label for label in labels if label not in LABELS]
            fits = prototypes.ndim == 2 and len(prototypes) == len(set(labels)) == len(labels)
            if unknown or not fits or not np.isfinite(prototypes).all():
                raise TileSetError(f"{path}: labels and prototypes do not fit {unknown}")
            return cls(content["name"], labels, prototypes, content["model"])
        except OSError as problem:
            raise TileSetError(f"{path}: cannot be opened: {problem.strerror}") from problem
        except (KeyError, TypeError, ValueError) as problem:
            if isinstance(problem, TileSetError):
                raise
            raise TileSetError(f"{path}: not a tile set profile ({problem})") from problem


def told_apart(chances: Array, embeddings: Array) -> Array:
    """Label probabilities of the tiles of one picture, which are of one set: what another tile
    shows, a tile that looks otherwise hardly shows too.

    Measured with nets that never saw the sets, boxes given (2026-11-30), right and surely wrong:
    1300 tiles of `hk-mixed` 87.5 % become 88.1 %, 0.31 % stay; 1329 of `riichi-black` 97.0 % become
    97.4 %, none wrong; 1960 invented ones 96.2 % become 96.4 %, 0.46 % become 0.41 %; two invented
    sets in one picture 95.2 % become 95.4 %, 0.77 % stay. To draw a tile toward what looks like it,
    as `sharpen` does where a person named the tiles, only spreads mistakes.
    """
    unlike = 1 / (1 + np.exp((embeddings @ embeddings.T - ALIKE) * 20))
    told = chances.copy()
    for column, label in enumerate(LABELS):
        if label not in ("bk", "no"):
            taken = (unlike * chances[:, [column]]).max(axis=0, initial=0)  # it is symmetric
            told[:, column] *= np.maximum(1 - taken, HARDLY)
    return np.asarray(told / told.sum(axis=1, keepdims=True), np.float32)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A tile of the photo that the classifier surely takes for another than the order says."""

    place: int  # counted from 0 in reading order
    expected: str
    seen: str
    confidence: float


@dataclass(frozen=True)
class Learned:
    """A learned set, and how well the photo served."""

    tile_set: TileSet
    doubts: tuple[Doubt, ...]
    agreement: float  # share of tiles that the classifier already read right
    separation: float  # least distance between two faces of the set: 0 the same, 2 opposite


def learn(
    image: Image,
    detections: Sequence[Detection],
    order: Sequence[str],
    classifier: Classifier,
    *,
    name: str,
) -> Learned:
    """Learn a set from one photo of it whose tiles lie in rows in this order, left to right."""
    rows = reading_order(detections)
    if len(rows) != len(order):
        raise TileSetError(
            f"the photo shows {len(rows)} tiles but the order names {len(order)};"
            " lay each once, in rows, none touching the edge of the picture"
        )
    quads = np.array([tile.quad_px for tile in rows], np.float32)
    views = looks(quads)
    faces = [classifier.read(crop_quads(image, view)) for view in views]
    embeddings = np.mean([face.embeddings for face in faces], axis=0)
    chances = np.mean([face.probabilities for face in faces], axis=0)
    tile_set = TileSet.of(name, order, np.asarray(embeddings, np.float32), classifier.hash)
    said = [LABELS[int(best)] for best in chances.argmax(axis=1)]
    doubts = tuple(
        Doubt(place, expected, seen, float(chances[place].max()))
        for place, (expected, seen) in enumerate(zip(order, said, strict=True))
        if seen != expected and chances[place].max() > 0.8
    )
    right = sum(seen == expected for seen, expected in zip(said, order, strict=True))
    near = tile_set.prototypes @ tile_set.prototypes.T - 2 * np.eye(len(tile_set.labels))
    return Learned(tile_set, doubts, right / len(order), float(1 - near.max()))


def looks(quads: Array) -> list[Array]:
    """The same tiles cut a little larger, smaller, beside the point and upside down."""
    middle = quads.mean(axis=1, keepdims=True)
    across = (quads[:, 1:2] - quads[:, :1]) * 0.04
    upright = [
        quads,
        middle + (quads - middle) * 1.06,
        middle + (quads - middle) * 0.94,
        quads + across,
        quads - across,
    ]
    return [*upright, *(np.roll(view, 2, axis=1) for view in upright[:3])]


def reading_order(detections: Sequence[Detection]) -> list[Detection]:
    """Rows from top to bottom, each from left to right, in a photo that may be a little turned."""
    if not detections:
        return []
    quads = np.array([tile.quad_px for tile in detections], np.float32)
    centres = quads.mean(axis=1)
    across = quads[:, 1] - quads[:, 0]
    turn = np.arctan2(across[:, 1], across[:, 0])
    # A quarter turn is the same grid, so the lean is averaged over four-fold angles.
    lean = np.angle(np.exp(4j * turn).mean()) / 4
    cosine, sine = np.cos(-lean), np.sin(-lean)
    level = centres @ np.array([[cosine, sine], [-sine, cosine]])
    height = float(np.median(np.ptp(quads[..., 1], axis=1)))
    rows: list[list[int]] = []
    last = -np.inf
    for spot in np.argsort(level[:, 1], kind="stable"):
        if level[spot, 1] - last > height * 0.5:
            rows.append([])
        rows[-1].append(int(spot))
        last = float(np.mean(level[rows[-1], 1]))
    return [detections[spot] for row in rows for spot in sorted(row, key=lambda at: level[at, 0])]
