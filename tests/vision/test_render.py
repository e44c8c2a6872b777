"""The renderer: the truth it tells is what the picture shows."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.camera import CameraModel
from vision.render import ART_SETS, LABELS, Faces, Hand, Look, Renderer, render
from vision.render.faces import UnknownFaceError
from vision.render.look import (
    ClothLook,
    ClutterLook,
    HandsLook,
    LightLook,
    SensorLook,
    TileLook,
    WhiteDragon,
)
from vision.types import Facing
from vision.zones import TableGeometry, TileSize

TABLE = TableGeometry()
CAMERA = CameraModel.above_table()
STILL = HandsLook(jitter_mm=0, jitter_deg=0)
PLAIN = Look(
    cloth=ClothLook(pattern="plain", contrast=0, grain=0),
    light=LightLook(unevenness=0, vignette=0, gloss=0),
    sensor=SensorLook(noise=0, blur_px=0, sharpen=0),
    clutter=ClutterLook(sticks=0),
    hands=STILL,
)


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.fixture(scope="module")
def plain() -> Renderer:
    return Renderer(CAMERA, PLAIN)


def test_every_label_has_a_face_in_every_set():
    for art in ART_SETS:
        faces = Faces(TileLook(art=art), TileSize(), 3.0)
        for label in LABELS:
            face = faces.face(label)
            assert face.shape == (*faces.size_px[::-1], 4)
            assert face[..., 3].max() == 255


def test_faces_of_one_set_differ_from_each_other():
    for art in ART_SETS:
        look = TileLook(art=art, white_dragon=WhiteDragon.FRAMED)
        faces = Faces(look, TileSize(), 3.0)
        pictures = [faces.face(label)[..., :3].astype(int) for label in LABELS]
        for place, one in enumerate(pictures):
            for other in pictures[:place]:
                assert np.abs(one - other).mean() > 1.5, (art, LABELS[place])


def test_a_red_five_is_red_and_a_five_is_not():
    for art in ART_SETS:
        faces = Faces(TileLook(art=art), TileSize(), 3.0)
        for suit in "ps":
            five, red = (faces.face(f"{rank}{suit}")[8:-8, 8:-8, :3].astype(int) for rank in "50")
            inked = red.min(axis=2) < 150
            assert (red[inked][:, 2] > red[inked][:, :2].max(axis=1)).mean() > 0.95
            inked = five.min(axis=2) < 150
            assert (five[inked][:, 2] > five[inked][:, :2].max(axis=1)).mean() < 0.6


def test_an_unknown_label_names_itself():
    with pytest.raises(UnknownFaceError, match="'9z'"):
        Faces(TileLook(), TileSize(), 2.0).face("9z")


def test_truth_says_where_the_face_is(plain):
    tiles = [
        TABLE.pond_place(1, 5).of("7z"),
        TABLE.pond_place(2, 13, {13}).of("1p"),
    ]

    rendered = plain.draw(tiles, rng())
    empty = plain.draw([], rng())
    for truth in rendered.truth:
        quad = np.array(truth.quad_px, np.float32)
        face = np.zeros(rendered.image.shape[:2], np.uint8)
        cv2.fillConvexPoly(face, np.round(quad).astype(int), 255)
        changed = np.abs(rendered.image.astype(int) - empty.image).max(axis=2) > 40
        assert changed[face > 0].mean() > 0.9
        assert truth.visible == pytest.approx(1, abs=0.06)


def test_the_quad_begins_at_the_tiles_own_top_left(plain):
    for seat in range(4):
        (truth,) = plain.draw([TABLE.pond_place(seat, 0).of("1m")], rng()).truth
        quad = np.array(truth.quad_px)
        up = (quad[0] + quad[1]) / 2 - (quad[2] + quad[3]) / 2
        angle = np.degrees(np.arctan2(-up[0], -up[1]))
        assert (angle - 90 * seat + 180) % 360 == pytest.approx(180, abs=1)
        clockwise = np.cross(np.append(quad[1] - quad[0], 0), np.append(quad[2] - quad[1], 0))[2]
        assert clockwise > 0


def test_backs_and_standing_tiles_read_as_backs(plain):
    tiles = [TABLE.wall_place(0, 3, 0).of("5m"), TABLE.hand_poses(1, 1)[0].of("6p")]
    truth = plain.draw(tiles, rng()).truth
    assert [found.label for found in truth] == ["bk", "bk"]
    assert [found.facing for found in truth] == [Facing.DOWN, Facing.STANDING]
    back = np.array(PLAIN.tiles.back) * np.array(PLAIN.light.gain)
    x, y = np.mean(truth[0].quad_px, axis=0).astype(int)
    image = plain.draw(tiles, rng()).image
    assert np.abs(image[y, x] - np.clip(back, 0, 255)).max() < 12


def test_the_lower_tile_of_a_stack_cannot_be_seen(plain):
    tiles = [TABLE.wall_place(2, 4, layer).of("bk") for layer in (0, 1)]
    lower, upper = plain.draw(tiles, rng()).truth
    assert lower.visible < 0.12
    assert upper.visible > 0.9


def test_a_hand_covers_what_lies_under_it_and_nothing_else(plain):
    tiles = [TABLE.pond_place(0, 1).of("1p"), TABLE.pond_place(2, 1).of("1p")]
    rendered = plain.draw(tiles, rng(), hands=[Hand((-30, -60), (-60, -420))])
    under, away = rendered.truth
    assert under.visible < 0.6
    assert away.visible > 0.9


def test_a_tile_out_of_the_picture_is_not_seen(plain):
    far = replace(TABLE.pond_place(0, 0).of("3s"), centre_mm=(0.0, -420.0))
    (truth,) = plain.draw([far], rng()).truth
    assert truth.visible == 0


def test_tiles_lie_still_while_others_come_and_only_the_noise_is_new():
    renderer = Renderer(CAMERA, Look())
    few = [TABLE.pond_place(0, index).of("2p") for index in range(3)]
    more = [*few, TABLE.pond_place(0, 3).of("2p")]
    noise = np.random.default_rng(1)
    one, two = renderer.draw(few, noise), renderer.draw(more, noise)
    assert [truth.quad_px for truth in one.truth] == [truth.quad_px for truth in two.truth[:3]]
    again = renderer.draw(few, noise)
    assert (one.image != again.image).any()
    soft = [cv2.GaussianBlur(seen.image, (0, 0), 4).astype(int) for seen in (one, again)]
    assert np.abs(soft[0] - soft[1]).max() < 6


@pytest.mark.parametrize("look", [PLAIN, Look(), Look.random(np.random.default_rng(12))])
def test_painting_only_what_changed_gives_the_whole_picture(look):
    still = replace(look, sensor=replace(look.sensor, noise=0, jpeg_quality=0, motion_px=0))
    still = replace(still, light=replace(still.light, glare=0))
    camera = CAMERA.scaled(0.5)
    patient = Renderer(camera, still)
    chance = np.random.default_rng(2)
    places = [TABLE.pond_place(seat, index) for seat in range(4) for index in range(20)]
    places += [pose for side in range(4) for pose in TABLE.wall_poses(side)]
    places += TABLE.hand_poses(0, 13) + TABLE.hand_poses(2, 13, shown=True)
    lying = [pose.of("3p") for pose in places[::2]]
    for _ in range(4):
        for _ in range(3):
            lying.pop(int(chance.integers(len(lying))))
            lying.append(places[int(chance.integers(len(places)))].of("6s"))
        now = list(dict.fromkeys(lying))
        step = patient.draw(now, rng(), with_truth=False).image.astype(int)
        fresh = Renderer(camera, still).draw(now, rng(), with_truth=False).image
        assert np.abs(step - fresh).max() <= 2


def test_one_seed_gives_one_picture():
    look = Look.random(np.random.default_rng(8))
    tiles = [TABLE.pond_place(0, index).of("2p") for index in range(3)]
    one = render(tiles, CAMERA, look, np.random.default_rng(3))
    two = render(tiles, CAMERA, look, np.random.default_rng(3))
    assert (one.image == two.image).all()
    assert one.truth == two.truth


@pytest.mark.parametrize("seed", range(6))
def test_any_random_look_draws_the_whole_table(seed):
    chance = np.random.default_rng(seed)
    look = Look.random(chance)
    tiles = [TABLE.pond_place(seat, 0).of("8s") for seat in range(4)]
    rendered = render(tiles, CAMERA.scaled(0.5), look, chance)
    assert rendered.image.shape == (540, 960, 3)
    assert rendered.image.dtype == np.uint8
    assert rendered.image.std() > 4


def test_held_back_parts_never_appear():
    for seed in range(20):
        look = Look.random(np.random.default_rng(seed), art=("lietxia",), cloths=("blue",))
        assert look.tiles.art == "lietxia"
        assert look.cloth.colour[0] > look.cloth.colour[2]


def test_an_unknown_art_set_is_refused():
    with pytest.raises(ValueError, match="fluffystuff, lietxia, unicode"):
        Renderer(CAMERA, Look().with_art("gold"))
