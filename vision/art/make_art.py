"""Turns the free SVG artwork into the small PNG faces that ship; run once, when artwork changes.

    pip install resvg-py
    python -m vision.art.make_art ../shared/data/tile_art

Every face becomes ``<set>/<label>.png``, 120 x 160 pixels with transparency: the engraving only,
without a tile body. Licences are copied beside the faces.
"""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

CELL_PX = (120, 160)
OVERSAMPLE = 3
# Set name -> folder of faces without tile body, and how much of the cell the drawing may fill.
SOURCES = {
    "fluffystuff": ("fluffystuff_cc0/regular", 0.90),
    "lietxia": ("lietxia_free/svg_transparent", 1.0),
    "unicode": ("unicode_pd/svg", 0.94),
}
LICENCES = {
    "fluffystuff": ("fluffystuff_cc0", ("LICENSE.md", "README.md")),
    "lietxia": ("lietxia_free", ("LICENSE", "README.md")),
    "unicode": ("unicode_pd", ("README.md",)),
}
FACE_NAME = re.compile(r"[0-9][mpsz]|[fg][1-4]")


def label_of(stem: str) -> str | None:
    """The label of an artwork file: ``f1`` becomes ``1f``; bodies and blanks have none."""
    if FACE_NAME.fullmatch(stem) is None:
        return None
    return stem[::-1] if stem[0] in "fg" else stem


def rasterise(svg: Path, fill: float) -> NDArray[np.uint8]:
    """One face as BGRA, its whole view box centred in the cell."""
    import resvg_py  # type: ignore[import-not-found]  # not needed at the table

    width = CELL_PX[0] * OVERSAMPLE
    png = bytes(resvg_py.svg_to_bytes(svg_path=str(svg), width=width))
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED)
    assert picture is not None, svg
    art = picture.astype(np.float32)
    art[..., :3] *= art[..., 3:] / 255  # averages must not pick up the colour of clear pixels
    scale = fill * min(CELL_PX[0] / art.shape[1], CELL_PX[1] / art.shape[0])
    size = (round(art.shape[1] * scale), round(art.shape[0] * scale))
    small = cv2.resize(art, size, interpolation=cv2.INTER_AREA)
    cell = np.zeros((CELL_PX[1], CELL_PX[0], 4), np.float32)
    left, top = (CELL_PX[0] - size[0]) // 2, (CELL_PX[1] - size[1]) // 2
    cell[top : top + size[1], left : left + size[0]] = small
    alpha = np.maximum(cell[..., 3:], 1)
    cell[..., :3] = np.where(cell[..., 3:] > 0, cell[..., :3] * 255 / alpha, 0)
    return np.clip(np.round(cell), 0, 255).astype(np.uint8)


def make(artwork: Path, out: Path) -> int:
    """Rasterises every set into ``out``; returns how many faces there are."""
    count = 0
    for name, (folder, fill) in SOURCES.items():
        (out / name).mkdir(parents=True, exist_ok=True)
        for svg in sorted((artwork / folder).glob("*.svg")):
            label = label_of(svg.stem)
            if label is None:
                continue
            target = out / name / f"{label}.png"
            cv2.imwrite(str(target), rasterise(svg, fill), [cv2.IMWRITE_PNG_COMPRESSION, 9])
            count += 1
        home, files = LICENCES[name]
        for file in files:
            shutil.copyfile(artwork / home / file, out / name / file)
    return count


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("artwork", type=Path, help="the folder tile_art")
    arguments = parser.parse_args()
    print(make(arguments.artwork, Path(__file__).parent), "faces")
