"""Boards and tags to print, as PDF to scale, drawn as rectangles so that no printer blurs them.

    path.write_bytes(board_pdf(BoardSpec()))

Print at 100 %, without fitting to the page; the ruler on each page shows whether it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.tags import CELLS, DICTIONARY, TagLayout, tag_picture

Cells = NDArray[np.bool_]

A4_MM = (297.0, 210.0)
PT_PER_MM = 72 / 25.4
RULER_MM = 100.0


@dataclass(frozen=True, slots=True)
class BoardSpec:
    """The calibration board: a chess board with tags in its white squares (ChArUco)."""

    columns: int = 9
    rows: int = 6
    square_mm: float = 28.0

    @property
    def marker_mm(self) -> float:
        """The tags fill three quarters of a square, six of its eight cells."""
        return self.square_mm * CELLS / (CELLS + 2)

    @property
    def cell_mm(self) -> float:
        """The board's smallest unit."""
        return self.square_mm / (CELLS + 2)

    def board(self) -> cv2.aruco.CharucoBoard:
        """The board as OpenCV knows it."""
        dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
        size = (self.columns, self.rows)
        return cv2.aruco.CharucoBoard(size, self.square_mm, self.marker_mm, dictionary)

    def picture(self, px_per_cell: int = 8) -> NDArray[np.uint8]:
        """The board as a picture, without margin."""
        across = (CELLS + 2) * px_per_cell
        size = (self.columns * across, self.rows * across)
        return np.asarray(self.board().generateImage(size, marginSize=0), np.uint8)


def board_pdf(spec: BoardSpec | None = None) -> bytes:
    """The calibration board on one page."""
    spec = spec or BoardSpec()
    cells = sampled(spec.picture(), 8)
    width, height = cells.shape[1] * spec.cell_mm, cells.shape[0] * spec.cell_mm
    left, bottom = (A4_MM[0] - width) / 2, (A4_MM[1] - height) / 2 + 6
    page = Page()
    page.cells(cells, spec.cell_mm, left, bottom)
    page.ruler((A4_MM[0] - RULER_MM) / 2, 9)
    page.text(
        left,
        15,
        f"mahjong-table calibrate camera: {spec.columns} x {spec.rows} squares of"
        f" {spec.square_mm:g} mm. Print at 100 %, glue on something flat.",
    )
    return pdf([page])


def tags_pdf(layout: TagLayout | None = None) -> bytes:
    """The four tags of the rim, each with its crosshair and where it belongs."""
    layout = layout or TagLayout()
    cell_mm = layout.size_mm / CELLS
    page = Page()
    for number, (x, y) in layout.centres_mm.items():
        cells = sampled(tag_picture(number, 8), 8)
        middle_x = A4_MM[0] * (0.27 if x < 0 else 0.73)
        middle_y = A4_MM[1] * (0.30 if y < 0 else 0.70)
        half = cells.shape[0] * cell_mm / 2
        page.cells(cells, cell_mm, middle_x - half, middle_y - half)
        page.cross(middle_x, middle_y, half + 2, half + 8)
        page.text(
            middle_x - 42,
            middle_y - half - 15,
            f"{number}: {'front' if y < 0 else 'back'} {'left' if x < 0 else 'right'}, its centre"
            f" {abs(x):g} mm beside and {abs(y):g} mm {'before' if y < 0 else 'behind'} the middle",
        )
    page.ruler((A4_MM[0] - RULER_MM) / 2, 9)
    page.text(
        40, 198, "mahjong-table calibrate table: seat 0 is in front. Print at 100 %, cut out,"
    )
    page.text(
        40, 192, "stick upright for seat 0 where each says, then measure again with the ruler."
    )
    return pdf([page])


def sampled(picture: NDArray[np.uint8], px_per_cell: int) -> Cells:
    """Which cells of a printed picture are black."""
    half = px_per_cell // 2
    return np.asarray(picture[half::px_per_cell, half::px_per_cell] < 128)


class Page:
    """One page in millimetres from its lower left corner."""

    def __init__(self) -> None:
        self._lines: list[str] = ["0 g", "0 G", "0.2 w"]

    def cells(self, black: Cells, cell_mm: float, left: float, bottom: float) -> None:
        """Fills the black cells, a rectangle for each run of them across and for each run down;
        together they leave no hairline where a printer rounds."""
        rows = black.shape[0]
        for row in range(rows):
            for begin, end in runs(black[row]):
                x, y = left + begin * cell_mm, bottom + (rows - 1 - row) * cell_mm
                self.rectangle(x, y, (end - begin) * cell_mm, cell_mm)
        for column in range(black.shape[1]):
            for begin, end in runs(black[:, column]):
                x, y = left + column * cell_mm, bottom + (rows - end) * cell_mm
                self.rectangle(x, y, cell_mm, (end - begin) * cell_mm)

    def rectangle(self, x: float, y: float, width: float, height: float) -> None:
        """A black rectangle."""
        self._lines.append(f"{points(x, y, width, height)} re f")

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """A thin line."""
        self._lines.append(f"{points(x0, y0)} m {points(x1, y1)} l S")

    def cross(self, x: float, y: float, inner: float, outer: float) -> None:
        """Four lines that point at a centre without touching what is printed there."""
        for right, up in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            self.line(x + right * inner, y + up * inner, x + right * outer, y + up * outer)

    def ruler(self, left: float, y: float) -> None:
        """A ruler of ten centimetres to check the scale."""
        self.line(left, y, left + RULER_MM, y)
        for step in range(11):
            self.line(left + 10 * step, y, left + 10 * step, y + (4 if step % 5 == 0 else 2.5))
        self.text(left + RULER_MM + 3, y, "100 mm")

    def text(self, x: float, y: float, words: str) -> None:
        """A line of small print."""
        escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        self._lines.append(f"BT /F1 9 Tf {points(x, y)} Td ({escaped}) Tj ET")

    def content(self) -> bytes:
        """The page's drawing commands."""
        return "\n".join(self._lines).encode("latin-1")


def runs(black: Cells) -> list[tuple[int, int]]:
    """Begin and end of each row of black cells."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], black.astype(int), [0]])))
    return [(int(begin), int(end)) for begin, end in edges.reshape(-1, 2)]


def points(*millimetres: float) -> str:
    """Millimetres as the numbers of PDF."""
    return " ".join(f"{value * PT_PER_MM:.4f}" for value in millimetres)


def pdf(pages: Sequence[Page]) -> bytes:
    """The pages as one PDF file, A4 across."""
    first = 4
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        stream = page.content()
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {points(*A4_MM)}] /Resources << /Font"
            f" << /F1 3 0 R >> >> /Contents {first + 2 * number + 1} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    out = bytearray(b"%PDF-1.4\n")
    starts = []
    for number, body in enumerate(objects, 1):
        starts.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table_at = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for start in starts:
        out += b"%010d 00000 n \n" % start
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        table_at,
    )
    return bytes(out)
