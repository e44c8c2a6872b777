"""A style is measured by nets that never saw it, and taught by photos that are not measured."""

import csv
from dataclasses import fields, replace

import numpy as np
import pytest

from tests.shared_data import shared_data

torch = pytest.importorskip("torch", reason="torch (the extra `train`) is not here: NOT tested")

from vision.training import (  # noqa: E402
    classifier,
    crops,
    engraving,
    leave_out,
    looks,
    one_off,
    pictures,
    pipeline,
    scenes,
)

torch.manual_seed(0)


def tiles(style: str, photos: int) -> list[crops.Sample]:
    """Three faces in each of so many photos."""
    faces = {sample.label: sample for sample in crops.invented(3, 1)}
    return [
        replace(faces[label], style=style, source="scenes", photo=f"{style}-{number}.jpg")
        for number in range(photos)
        for label in ("1m", "5p", "6z")
    ]


def test_one_photo_teaches_where_one_shows_every_face():
    held = tiles("new", 3)
    chosen = leave_out.one_a_face([*held[1:3], *held[3:]])  # the first photo lacks 1m
    assert chosen == {"1m": 2, "5p": 3, "6z": 4}


def test_tiles_of_the_photos_that_teach_are_not_measured():
    net = classifier.FaceNet().eval()
    result = leave_out.measured("new", tiles("new", 11), net, net)
    assert result.others_only.count == 2 * 33
    assert result.rest is not None
    assert result.rest.after.count == 2 * 30


@pytest.mark.parametrize(("style", "photos"), [("hk-mixed", 11), ("new", 3)])
def test_several_sets_or_few_tiles_are_not_taught(style, photos):
    net = classifier.FaceNet().eval()
    result = leave_out.measured(style, tiles(style, photos), net, net)
    assert result.rest is None
    assert "| - | - | - |" in result.line()
    assert (result.again is None) == (style == "hk-mixed")


def test_the_tiles_that_teach_are_seen_again_otherwise():
    net = classifier.FaceNet().eval()
    held = tiles("new", 3)
    result = leave_out.measured("new", held, net, net)
    assert result.again is not None
    assert result.again.before.count == result.again.after.count == 2 * 3 * leave_out.VIEWS
    assert result.again.after.wrong != result.again.before.wrong  # the set that was taught counts
    once, twice = leave_out.ask(net, held[:1]), leave_out.seen_again(net, held[:1])
    assert np.abs(once.embeddings[0] - twice.embeddings[0]).max() > 0.01


def test_an_artwork_left_out_is_in_no_picture_and_no_invented_face(monkeypatch):
    plan = replace(pipeline.QUICK, styles=(1, 1, 1), pictures=1, without=("fluffystuff",))
    assert plan.arts == ("lietxia", "unicode")
    asked = []
    for module in (engraving, pictures):
        real = module.artwork
        monkeypatch.setattr(
            module,
            "artwork",
            lambda name, label, real=real: asked.append(name) or real(name, label),
        )
    styles = {picture.style for picture in scenes.rendered(1, 12, arts=plan.arts)}
    list(crops.invented(1, 8, art_part=0.6, arts=plan.arts))
    assert styles | set(asked) == set(plan.arts)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the export
def test_photos_of_the_style_are_read_by_the_product_with_that_net(monkeypatch):
    shared_data("scenes_real")
    photos = [photo for photo in scenes.photos() if photo.style == "riichi-black"][:2]
    monkeypatch.setattr(scenes, "photos", lambda: iter(photos))
    boxed, whole = leave_out.read_by_product("riichi-black", classifier.FaceNet().eval())
    assert boxed.count == whole.tiles == len(photos[0].tiles)
    assert whole.pictures == 1
    assert boxed.accuracy < 0.5  # a net that has learned nothing


def test_the_style_left_out_and_the_test_photos_are_not_trained_on(monkeypatch, tmp_path):
    real = [*tiles("new", 1), *tiles("old", 2)]
    real[-1] = replace(real[-1], is_test=True)
    trained_on = []

    def train(pool, **how):
        trained_on.append(len(pool.labels))
        return how["start"]

    monkeypatch.setattr(classifier, "train", train)
    net = classifier.FaceNet()
    leave_out.without(["new"], net, real, [], tmp_path, seed=1, steps=1)
    assert trained_on == [5 + 2]  # the other style's tiles but one, and its fives painted red
    assert pipeline.loaded(tmp_path / "without-new.pt").scale == net.scale
    leave_out.without(["new"], net, real, [], tmp_path, seed=1, steps=1)
    assert len(trained_on) == 1  # the net lies in the folder


def test_every_real_style_is_left_out_once():
    with (shared_data("tiles_real") / "labels.csv").open(encoding="utf-8") as table:
        known = {row["style"] for row in csv.DictReader(table)}
    assert sorted(known) == sorted(style for fold in leave_out.FOLDS for style in fold)


def test_a_style_that_nobody_has_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(crops, "single_tiles", lambda seed: iter(tiles("old", 1)))
    monkeypatch.setattr(crops, "scene_tiles", lambda: iter(()))
    with pytest.raises(ValueError, match="no real style blue"):
        leave_out.run(pipeline.QUICK, tmp_path, [["blue"]])


def test_the_first_training_sees_no_real_tile(monkeypatch, tmp_path):
    seen = []

    def train(pool, **_):
        seen.append(pool.outline_known.all().item())
        return classifier.FaceNet()

    monkeypatch.setattr(classifier, "train", train)
    monkeypatch.setattr(pipeline, "real_tiles", lambda plan: tiles("old", 2))
    plan = replace(pipeline.QUICK, styles=(1, 1, 1), pictures=1)
    pipeline.train_classifier(plan, tmp_path, 0)
    pipeline.train_classifier(plan, tmp_path, 1)
    assert seen == [True, False]


def test_each_change_is_left_out_once_and_the_others_stay(monkeypatch):
    asked = []

    def train(pool, *, how, **_):
        asked.append(how)
        return classifier.FaceNet().eval()

    monkeypatch.setattr(classifier, "train", train)
    monkeypatch.setattr(crops, "single_tiles", lambda seed: iter(tiles("old", 1)))
    monkeypatch.setattr(crops, "scene_tiles", lambda: iter(tiles("new", 4)))
    rows = one_off.run(pipeline.QUICK, steps=1, styles=1)
    assert asked[0] == looks.Strength()
    off = [[name for name, value in vars_of(how) if value == 0] for how in asked[1:]]
    assert sorted(off) == sorted([name] for name, _ in vars_of(looks.Strength()))
    assert [row.without for row in rows[1:]] == [names[0] for names in off]
    assert set(rows[0].right) == {"single tiles", "new"}


def vars_of(how: looks.Strength) -> list[tuple[str, float]]:
    return [(field.name, getattr(how, field.name)) for field in fields(how)]
