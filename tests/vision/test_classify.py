"""Cutting tiles out and reading their faces."""

import numpy as np
import pytest

from vision.classify import (
    CROP_H,
    CROP_MARGIN,
    CROP_W,
    LABELS,
    MODELS,
    Classifier,
    ModelError,
    crop_quad,
    crop_quads,
    parse_label,
)


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier(threads=1)


@pytest.mark.parametrize(
    ("text", "label"),
    [("f1", "1f"), ("1f", "1f"), ("g4", "4g"), ("0p", "0p"), ("jk", "jk"), ("bk", "bk")],
)
def test_labels_are_understood_in_both_orders(text, label):
    assert parse_label(text) == label


@pytest.mark.parametrize("text", ["", "x", "10m", "8z", "5f", "mm"])
def test_what_is_no_label_is_refused(text):
    with pytest.raises(ValueError, match="not a tile label"):
        parse_label(text)


def test_every_label_of_the_design_is_there_once():
    wanted = [f"{rank}{suit}" for suit in "mps" for rank in range(10)]
    wanted += [f"{rank}z" for rank in range(1, 8)]
    wanted += [f"{rank}{kind}" for kind in "fgac" for rank in range(1, 5)]
    assert sorted(LABELS) == sorted([*wanted, "jk", "bk", "no"])


def checkered(width: int, height: int) -> np.ndarray:
    """A picture whose four quarters differ."""
    image = np.zeros((height, width, 3), np.uint8)
    image[: height // 2, : width // 2] = (255, 0, 0)
    image[: height // 2, width // 2 :] = (0, 255, 0)
    image[height // 2 :, : width // 2] = (0, 0, 255)
    image[height // 2 :, width // 2 :] = (255, 255, 255)
    return image


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_a_crop_begins_at_the_tiles_own_top_left(quarters):
    upright = checkered(60, 80)
    lying = np.ascontiguousarray(np.rot90(upright, -quarters))  # turned clockwise
    height, width = lying.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    crop = crop_quad(lying, np.roll(corners, -quarters, axis=0))
    for y, x, color in (
        (0.25, 0.25, (255, 0, 0)),
        (0.25, 0.75, (0, 255, 0)),
        (0.75, 0.25, (0, 0, 255)),
    ):
        assert tuple(crop[int(CROP_H * y), int(CROP_W * x)]) == color


def test_a_large_tile_is_shrunk_without_turning_detail_to_noise():
    lines = np.zeros((1600, 1200, 3), np.uint8)
    lines[:, ::2] = 255
    quad = np.array([(100, 100), (1100, 100), (1100, 1500), (100, 1500)], np.float32)
    crop = crop_quad(lines, quad)
    assert abs(crop.astype(float).mean() - 127.5) < 6
    assert crop.std() < 12


def test_the_margin_round_a_tile_is_what_lies_beside_it():
    image = np.full((100, 100, 3), 40, np.uint8)
    image[20:80, 30:75] = 220
    crop = crop_quad(image, np.array([(30, 20), (75, 20), (75, 80), (30, 80)], np.float32))
    rim = round(CROP_W * CROP_MARGIN)
    assert crop[CROP_H // 2, 0, 0] < 80
    assert crop[CROP_H // 2, rim + 2, 0] > 200


def test_the_model_file_says_what_it_is(classifier):
    assert classifier.temperature > 0
    assert len(classifier.hash) == 16
    assert (MODELS / "classifier.onnx").stat().st_size < 2_000_000


def test_probabilities_sum_to_one_and_embeddings_have_length_one(classifier):
    crops = np.random.default_rng(1).integers(0, 255, (5, CROP_H, CROP_W, 3)).astype(np.uint8)
    faces = classifier.read(crops)
    assert faces.probabilities.shape == (5, len(LABELS))
    assert np.allclose(faces.probabilities.sum(axis=1), 1, atol=1e-4)
    assert np.allclose(faces.rotations.sum(axis=1), 1, atol=1e-4)
    assert np.allclose(np.linalg.norm(faces.embeddings, axis=1), 1, atol=1e-3)


def test_no_crops_give_no_faces(classifier):
    empty = crop_quads(np.zeros((50, 50, 3), np.uint8), np.zeros((0, 4, 2), np.float32))
    assert len(classifier.read(empty).probabilities) == 0


def test_the_batch_size_does_not_change_the_answer(classifier):
    crops = np.random.default_rng(2).integers(0, 255, (9, CROP_H, CROP_W, 3)).astype(np.uint8)
    one = classifier.read(crops, batch=1).probabilities
    many = classifier.read(crops, batch=32).probabilities
    assert np.allclose(one, many, atol=1e-3)


def test_noise_and_empty_cloth_are_not_read_with_confidence(classifier):
    rng = np.random.default_rng(3)
    cloth = np.clip(rng.normal((50, 100, 30), 8, (20, CROP_H, CROP_W, 3)), 0, 255).astype(np.uint8)
    chances = classifier.read(cloth).probabilities
    nothing = chances[:, LABELS.index("no")] + chances[:, LABELS.index("bk")]
    assert (nothing > 0.5).mean() >= 0.9


def test_a_missing_or_broken_model_is_told(tmp_path):
    with pytest.raises(ModelError, match="train one"):
        Classifier(tmp_path / "classifier.onnx")
    (tmp_path / "classifier.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match="not a usable model"):
        Classifier(tmp_path / "classifier.onnx")


def test_a_locator_is_not_taken_for_a_classifier():
    with pytest.raises(ModelError, match="not a classifier"):
        Classifier(MODELS / "locator.onnx")
