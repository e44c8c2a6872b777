"""Picture files of every kind, and what is none."""

import struct
import zlib
from base64 import b64decode

import cv2
import numpy as np
import pytest

from vision.pictures import PictureError, as_color, declared_size, read_image


def test_what_is_no_picture_is_told_with_its_name(tmp_path):
    cases = {
        "empty.jpg": (b"", "empty"),
        "text.png": (b"tiles, tiles, tiles", "damaged"),
        "cut.jpg": (b"\xff\xd8\xff\xe0\x00\x10JFIF", "damaged"),
    }
    for name, (content, says) in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(PictureError, match=f"{name}.*{says}"):
            read_image(path)


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    with pytest.raises(PictureError, match="cannot be opened"):
        read_image(tmp_path / "none.jpg")
    with pytest.raises(PictureError, match="cannot be opened"):
        read_image(tmp_path)


def test_a_tiny_picture_is_refused(tmp_path):
    cv2.imwrite(str(tmp_path / "dot.png"), np.zeros((4, 5, 3), np.uint8))
    with pytest.raises(PictureError, match=r"dot\.png.*too small"):
        read_image(tmp_path / "dot.png")


def png(width: int, height: int) -> bytes:
    chunk = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    )


def bmp(width: int, height: int) -> bytes:
    info = struct.pack("<IiiHHIIiiII", 40, width, -height, 1, 24, 0, 0, 0, 0, 0, 0)
    return struct.pack("<2sIHHI", b"BM", 54, 0, 0, 54) + info + b"\0" * 100


def tiff(width: int, height: int, order: str) -> bytes:
    """Width and height behind another entry; as short numbers where they fit."""
    kind = 3 if max(width, height) < 65_536 else 4
    entries = [(254, 4, 0), (256, kind, width), (257, kind, height)]
    ifd = struct.pack(order + "H", len(entries))
    for tag, number, value in entries:
        packed = struct.pack(order + ("H" if number == 3 else "I"), value).ljust(4, b"\0")
        ifd += struct.pack(order + "HHI", tag, number, 1) + packed
    mark = b"II*\0" if order == "<" else b"MM\0*"
    return mark + struct.pack(order + "I", 12) + b"\0" * 4 + ifd + b"\0" * 4


def webp(chunk: bytes, payload: bytes) -> bytes:
    body = b"WEBP" + chunk + struct.pack("<I", len(payload)) + payload
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp_of(kind: str, width: int, height: int) -> bytes:
    if kind == "plain":
        return webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height))
    if kind == "lossless":
        return webp(b"VP8L", b"\x2f" + struct.pack("<I", width - 1 | (height - 1) << 14))
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return webp(b"VP8X", b"\0" * 4 + sizes)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("huge.png", png(60_000, 50_000), "60000 x 50000"),
        ("huge.bmp", bmp(60_000, 50_000), "60000 x 50000"),
        ("huge.tif", tiff(60_000, 50_000, "<"), "60000 x 50000"),
        ("huge.tiff", tiff(70_000, 50_000, ">"), "70000 x 50000"),
        ("huge.webp", webp_of("plain", 16_000, 15_000), "16000 x 15000"),
        ("lossless.webp", webp_of("lossless", 16_000, 15_000), "16000 x 15000"),
        ("moving.webp", webp_of("extended", 16_000, 15_000), "16000 x 15000"),
    ],
)
def test_a_huge_picture_is_refused_before_it_is_unpacked(
    tmp_path, monkeypatch, name, content, says
):
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was unpacked"))
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PictureError, match=f"{name}: {says} pixels are more than the 120 mega"):
        read_image(tmp_path / name)


def test_a_kind_of_file_whose_size_is_unknown_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was unpacked"))
    (tmp_path / "grey.pgm").write_bytes(b"P5\n60000 50000\n255\n" + b"\0" * 100)
    with pytest.raises(PictureError, match=r"grey\.pgm: not a readable picture.*TIFF"):
        read_image(tmp_path / "grey.pgm")


@pytest.mark.parametrize("kind", ["plain", "lossless", "extended"])
def test_every_kind_of_webp_says_its_size(kind):
    assert declared_size(webp_of(kind, 90, 70)) == (90, 70)


def test_padding_before_a_segment_of_a_jpeg_is_skipped():
    content = cv2.imencode(".jpg", np.zeros((70, 90, 3), np.uint8))[1].tobytes()
    assert declared_size(content[:2] + b"\xff\xff" + content[2:]) == (90, 70)


@pytest.mark.parametrize("kind", [".jpg", ".png", ".tiff", ".webp", ".bmp"])
def test_the_size_is_known_before_unpacking_and_not_of_a_piece(kind):
    done, packed = cv2.imencode(kind, np.zeros((70, 90, 3), np.uint8))
    assert done
    content = packed.tobytes()
    assert declared_size(content) == (90, 70)
    for length in range(24):
        assert declared_size(content[:length]) in (None, (90, 70))


def test_half_a_photo_is_refused(tmp_path):
    noise = np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8)
    content = cv2.imencode(".jpg", noise)[1].tobytes()
    (tmp_path / "half.jpg").write_bytes(content[: len(content) // 2])
    with pytest.raises(PictureError, match=r"half\.jpg: not a readable picture"):
        read_image(tmp_path / "half.jpg")


def test_half_a_drawing_is_refused_in_one_line(tmp_path, capfd):
    noise = np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8)
    content = cv2.imencode(".png", noise)[1].tobytes()
    (tmp_path / "half.png").write_bytes(content[: len(content) // 2])
    with pytest.raises(PictureError, match=r"half\.png: the picture breaks off"):
        read_image(tmp_path / "half.png")
    assert capfd.readouterr().err == ""


def test_grey_deep_and_transparent_pictures_become_color(tmp_path):
    ramp = np.tile(np.arange(64, dtype=np.uint8) * 4, (48, 1))
    cv2.imwrite(str(tmp_path / "grey.png"), ramp)
    cv2.imwrite(str(tmp_path / "deep.png"), ramp.astype(np.uint16) * 257)
    for name in ("grey.png", "deep.png"):
        image = read_image(tmp_path / name)
        assert image.shape == (48, 64, 3)
        assert image.dtype == np.uint8
        assert np.abs(image[..., 1].astype(int) - ramp).max() <= 1
    clear = np.zeros((20, 20, 4), np.uint8)
    assert as_color(clear)[0, 0].tolist() == [128, 128, 128]


# Left half (230, 30, 20), right half (20, 60, 220) in red, green, blue, saved by Pillow as CMYK.
CMYK = b64decode(
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwANCQoLCggNCwoLDg4NDxMgFRMSEhMnHB4XIC4pMTAuKS0sMzpKPjM2Rjcs"
    "LUBXQUZMTlJTUjI+WmFaUGBKUVJP/8AAFAgAHgAoBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAAB"
    "AgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNi"
    "coIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SV"
    "lpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4E"
    "QwBNAFkASwAAPwDv64OvPa9Ooooorz74q/8AMK/7bf8AslWbP+P8K734Xf8AMU/7Zf8As9Fef1ZrvqKKKKK+gaza"
    "8Eooooorz74q/wDMK/7bf+yVZs/4/wAK734Xf8xT/tl/7PRXn9Wa76iiiiivoGs2vBKKKKKK8++Kv/MK/wC23/sl"
    "WbP+P8K734Xf8xT/ALZf+z0V5/Vmu+ooooor6BrNrwSiiiiivPvir/zCv+23/slWbP8Aj/Cu9+F3/MU/7Zf+z0V5"
    "/Vmu+ooooor/2Q=="
)


def test_a_photo_in_printing_colors_keeps_its_colors(tmp_path):
    (tmp_path / "print.jpg").write_bytes(CMYK)
    image = read_image(tmp_path / "print.jpg").astype(int)
    assert image.shape == (30, 40, 3)
    assert np.abs(image[15, 8] - (20, 30, 230)).max() < 8
    assert np.abs(image[15, 32] - (220, 60, 20)).max() < 8


@pytest.mark.parametrize("kind", [".tiff", ".webp", ".bmp"])
def test_other_kinds_of_files_are_read(tmp_path, kind):
    image = np.full((30, 40, 3), (20, 30, 230), np.uint8)
    cv2.imwrite(str(tmp_path / f"one{kind}"), image)
    assert np.abs(read_image(tmp_path / f"one{kind}").astype(int) - image).max() < 8


def test_arrays_that_are_no_pictures_are_told():
    for array in (
        np.zeros((0, 5, 3), np.uint8),
        np.zeros(7, np.uint8),
        np.zeros((50, 50, 2), np.uint8),
    ):
        with pytest.raises(PictureError):
            as_color(array)
    with pytest.raises(PictureError, match="float"):
        as_color(np.zeros((50, 50, 3), np.float64))


def test_a_photo_turned_by_exif_is_read_as_it_is_shown(tmp_path):
    image = np.zeros((40, 80, 3), np.uint8)
    image[:, :40] = (0, 0, 255)
    _, content = cv2.imencode(".jpg", image)
    # EXIF says: turn by a quarter clockwise (orientation 6) to show it.
    entry = struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0)
    tiff = b"II*\x00\x08\x00\x00\x00" + struct.pack("<H", 1) + entry + b"\x00" * 4
    exif = b"Exif\x00\x00" + tiff
    segment = b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif
    path = tmp_path / "turned.jpg"
    path.write_bytes(content.tobytes()[:2] + segment + content.tobytes()[2:])
    shown = read_image(path)
    assert shown.shape[:2] == (80, 40)
    assert shown[10, 20, 2] > 200
    assert shown[70, 20, 2] < 60
