"""`mahjong-table read`: the tiles in photos."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from table_controller.commands import BadInputError, bad_input, print_json, say, write_picture
from vision.types import Detection

MOST_THREADS = 64


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("images", nargs="+", type=Path, metavar="IMAGE")
    parser.add_argument("--json", action="store_true", help="one object an image")
    parser.add_argument("--profile", type=Path, help="tile set of a club, from calibrate tiles")
    parser.add_argument("--annotate", type=Path, metavar="OUT.png", help="draw what was read")
    parser.add_argument("--tile-px", type=float, help="short side of a tile, where it is known")
    parser.add_argument("--threads", type=int, default=2)


def execute(args: argparse.Namespace) -> int:
    """Read every image; one that cannot be read ends the command with 2 after the others."""
    from vision.errors import VisionError
    from vision.pictures import PictureError, read_image
    from vision.read import Reader, annotate

    if args.annotate is not None and len(args.images) > 1:
        raise BadInputError("--annotate draws one image: give one")
    if args.tile_px is not None and not 1 <= args.tile_px <= 10_000:
        raise BadInputError(f"--tile-px {args.tile_px:g}: a number of pixels from 1 to 10000")
    if not 1 <= args.threads <= MOST_THREADS:
        raise BadInputError(f"--threads {args.threads}: from 1 to {MOST_THREADS}")
    with bad_input(OSError, ValueError, VisionError):
        reader = Reader(profile=args.profile, tile_px=args.tile_px, threads=args.threads)
    refused: list[str] = []
    for path in args.images:
        try:
            image = read_image(path)
        except PictureError as error:
            refused.append(str(error))
            continue
        tiles = reader.detect(image)
        if args.json:
            print_json({"file": str(path), "tiles": [tile_json(tile) for tile in tiles]})
        else:
            _print(path, tiles)
        if args.annotate is not None:
            write_picture(args.annotate, annotate(image, tiles))
    if refused:
        raise BadInputError("; ".join(refused))
    return 0


def tile_json(tile: Detection) -> dict[str, Any]:
    """One tile in pixels of its file."""
    return {
        "label": tile.label,
        "confidence": round(tile.confidence, 4),
        "box": [round(value, 1) for value in tile.box_px],
        "quad": [[round(x, 1), round(y, 1)] for x, y in tile.quad_px],
        "angle_deg": round(tile.angle_deg, 1),
        "others": [
            {"label": guess.label, "confidence": round(guess.confidence, 4)}
            for guess in tile.others
        ],
        "covered": tile.is_covered,
    }


def _print(path: Path, tiles: list[Detection]) -> None:
    say(f"{path}: {len(tiles)} tiles")
    for tile in tiles:
        x, y, w, h = tile.box_px
        others = "".join(f", or {guess.label} {guess.confidence:.0%}" for guess in tile.others[:2])
        doubt = others if tile.confidence < 0.9 else ""
        say(f"  {tile.label} {tile.confidence:.0%} at {x:.0f},{y:.0f} ({w:.0f} x {h:.0f}){doubt}")
