"""Opens the files of photos, whatever they are, as the color pictures that are read.

How large a picture is stands at the beginning of its file. It is looked up there before anything is
unpacked, so that a small file that claims to be a huge picture does not fill the memory.
"""

from __future__ import annotations

import struct
from pathlib import Path

import cv2
import numpy as np

from vision.classify import Image
from vision.errors import VisionError

PNG, JPEG, BMP = b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"BM"
TIFF = {b"II*\0": "<", b"MM\0*": ">"}
LARGEST_PX = 120_000_000  # about 360 MB once unpacked; a 2 GB Pi still holds it
SMALLEST_SIDE_PX = 16


class PictureError(VisionError, ValueError):
    """A picture cannot be read; the message says which, why and what to do."""


def read_image(path: Path) -> Image:
    """The picture in a file, turned as its EXIF says, as 8-bit blue, green, red."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise PictureError(f"{path}: cannot be opened: {reason}") from problem
    if not content:
        raise PictureError(f"{path}: the file is empty; copy the picture again")
    size = declared_size(content)
    if size is not None and size[0] * size[1] > LARGEST_PX:
        raise PictureError(
            f"{path}: {size[0]} x {size[1]} pixels are more than the {LARGEST_PX // 1_000_000}"
            " megapixels this program unpacks; scale the picture down"
        )
    if content.startswith(PNG) and b"IEND" not in content:  # libpng would complain beside us
        raise PictureError(f"{path}: the picture breaks off; copy it again")
    image = None
    if size is not None:  # a kind whose size is not known here might be a huge picture
        try:
            image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
        except cv2.error as problem:
            raise PictureError(f"{path}: cannot be unpacked; the file is damaged") from problem
    if image is None:
        raise PictureError(
            f"{path}: not a readable picture; the file is damaged or of a kind that is not"
            " understood (JPEG, PNG, WebP, BMP and TIFF are)"
        )
    try:
        return as_color(image)
    except PictureError as problem:
        raise PictureError(f"{path}: {problem}") from problem


def as_color(image: np.typing.NDArray[np.generic]) -> Image:
    """Any picture array as 8-bit blue, green, red; grey, 16-bit and transparent ones too."""
    if image.size == 0 or image.ndim not in (2, 3):
        raise PictureError(f"an array of shape {image.shape} is not a picture")
    if min(image.shape[:2]) < SMALLEST_SIDE_PX:
        raise PictureError(
            f"a picture of {image.shape[1]} x {image.shape[0]} pixels is too small to show a tile;"
            f" a readable tile needs about 24 x 32"
        )
    if image.dtype == np.uint16:
        image = (image // 257).astype(np.uint8)
    elif image.dtype != np.uint8:
        raise PictureError(f"pixels of type {image.dtype} are not understood; use 8 or 16 bits")
    if image.ndim == 2 or image.shape[2] == 1:
        return np.asarray(cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_GRAY2BGR), np.uint8)
    if image.shape[2] == 4:
        seen = image.astype(np.float32)
        cover = seen[..., 3:] / 255
        return np.asarray(seen[..., :3] * cover + 128 * (1 - cover), np.uint8)
    if image.shape[2] != 3:
        raise PictureError(f"a picture with {image.shape[2]} channels is not understood")
    return np.ascontiguousarray(image, np.uint8)


def declared_size(content: bytes) -> tuple[int, int] | None:
    """Width and height that a file claims; None where it is of no known kind or breaks off."""
    try:
        if content.startswith(PNG):
            return _pair(">II", content, 16)
        if content.startswith(JPEG):
            return _jpeg_size(content)
        if content.startswith(BMP):
            width, height = _pair("<HH" if content[14] == 12 else "<ii", content, 18)
            return width, abs(height)  # rows from the top down have a negative height
        if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
            return _webp_size(content)
        if content[:4] in TIFF:
            return _tiff_size(content, TIFF[content[:4]])
    except (struct.error, IndexError):
        pass
    return None


def _pair(layout: str, content: bytes, at: int) -> tuple[int, int]:
    first, second = struct.unpack_from(layout, content, at)
    return int(first), int(second)


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    """From the header of the frame, which stands behind a chain of other segments."""
    at = 2
    while content[at] == 0xFF:
        marker = content[at + 1]
        if marker == 0xFF:  # segments may be padded
            at += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = _pair(">HH", content, at + 5)
            return width, height
        at += 2 + int.from_bytes(content[at + 2 : at + 4], "big")
    return None


def _webp_size(content: bytes) -> tuple[int, int] | None:
    """From the first chunk; each of the three kinds of WebP says it in its own way."""
    kind = content[12:16]
    if kind == b"VP8X":
        return (
            1 + int.from_bytes(content[24:27], "little"),
            1 + int.from_bytes(content[27:30], "little"),
        )
    if kind == b"VP8 ":
        width, height = _pair("<HH", content, 26)
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", content, 21)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return None


def _tiff_size(content: bytes, order: str) -> tuple[int, int] | None:
    """From the entries for width (256) and height (257), each a short or a long number."""
    (start,) = struct.unpack_from(order + "I", content, 4)
    (count,) = struct.unpack_from(order + "H", content, start)
    sizes = {}
    for at in range(start + 2, start + 2 + 12 * count, 12):
        tag, kind = struct.unpack_from(order + "HH", content, at)
        (sizes[tag],) = struct.unpack_from(order + ("H" if kind == 3 else "I"), content, at + 8)
    return (sizes[256], sizes[257]) if 256 in sizes and 257 in sizes else None
