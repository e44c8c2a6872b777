"""What is printed: the PDF holds the board and the tags to scale, as a detector will find them."""

from __future__ import annotations

import re

import cv2
import numpy as np
import pytest

from calibration.boards import A4_MM, PT_PER_MM, BoardSpec, board_pdf, tags_pdf
from calibration.camera import find_board
from vision.tags import TagLayout, find_tags

PX_PER_MM = 4.0


def rectangles(pdf: bytes) -> list[tuple[float, float, float, float]]:
    """All filled rectangles of the page in millimetres."""
    found = re.findall(rb"^([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re f$", pdf, re.MULTILINE)
    return [tuple(float(value) / PT_PER_MM for value in numbers) for numbers in found]


def printed(pdf: bytes) -> np.ndarray:
    """The page as a printer would put it on paper."""
    page = np.full((round(A4_MM[1] * PX_PER_MM), round(A4_MM[0] * PX_PER_MM)), 255, np.uint8)
    for x, y, width, height in rectangles(pdf):
        left, right = round(x * PX_PER_MM), round((x + width) * PX_PER_MM)
        top, bottom = round((A4_MM[1] - y - height) * PX_PER_MM), round((A4_MM[1] - y) * PX_PER_MM)
        page[top:bottom, left:right] = 0
    return page


def test_the_printed_board_is_found_whole_and_to_scale():
    view = find_board(printed(board_pdf()))
    assert view is not None
    assert len(view.numbers) == 8 * 5
    measured = view.seen_px[-1] - view.seen_px[0]
    wanted = (view.board_mm[-1] - view.board_mm[0])[:2]
    assert np.abs(measured / PX_PER_MM) == pytest.approx(np.abs(wanted), abs=0.15)


@pytest.mark.parametrize("size_mm", [30.0, 40.0])
def test_the_printed_tags_are_found_at_their_size(size_mm):
    layout = TagLayout(size_mm=size_mm)
    seen = find_tags(printed(tags_pdf(layout)))
    assert set(seen) == set(layout.centres_mm)
    for quad in seen.values():
        sides = np.hypot(*(quad - np.roll(quad, 1, axis=0)).T) / PX_PER_MM
        assert sides == pytest.approx([size_mm] * 4, abs=0.3)


def test_each_tag_says_where_it_belongs():
    pdf = tags_pdf()
    for words in (rb"40: front left", rb"41: front right", rb"42: back right", rb"43: back left"):
        assert words in pdf


@pytest.mark.parametrize("pdf", [board_pdf(), tags_pdf()])
def test_the_file_is_a_pdf_whose_offsets_are_right(pdf):
    assert pdf.startswith(b"%PDF-1.4")
    start = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", pdf).group(1))
    assert pdf[start:].startswith(b"xref")
    offsets = [int(line[:10]) for line in pdf[start:].splitlines()[3:] if line.endswith(b" n ")]
    for number, offset in enumerate(offsets, 1):
        assert pdf[offset:].startswith(b"%d 0 obj" % number)
    (length,) = re.findall(rb"/Length (\d+)", pdf)
    stream = pdf.split(b"stream\n", 1)[1].split(b"\nendstream")[0]
    assert len(stream) == int(length)
    media = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert [float(value) for value in media.groups()] == pytest.approx([841.89, 595.28], abs=0.01)


def test_the_ruler_is_ten_centimetres_long():
    lines = re.findall(rb"^([\d.]+) ([\d.]+) m ([\d.]+) ([\d.]+) l S$", board_pdf(), re.MULTILINE)
    lengths = [float(line[2]) - float(line[0]) for line in lines]
    assert max(lengths) / PT_PER_MM == pytest.approx(100, abs=0.01)


def test_nothing_is_printed_beyond_the_margin():
    for pdf in (board_pdf(BoardSpec()), tags_pdf(TagLayout(size_mm=40))):
        for x, y, width, height in rectangles(pdf):
            assert min(x, y) >= 5
            assert x + width <= A4_MM[0] - 5
            assert y + height <= A4_MM[1] - 5


def test_the_picture_of_the_board_matches_its_spec():
    spec = BoardSpec(columns=7, rows=5, square_mm=40)
    assert spec.picture(4).shape == (5 * 32, 7 * 32)
    assert spec.marker_mm == 30
    enlarged = cv2.copyMakeBorder(spec.picture(8), 30, 30, 30, 30, cv2.BORDER_CONSTANT, value=255)
    view = find_board(enlarged, spec)
    assert view is not None
    assert len(view.numbers) == 6 * 4
