"""Pictures of a mahjong table, for the simulated camera and for training.

from vision.render import Look, Renderer, render

rendered = render(placed, CameraModel.above_table(), Look.random(rng), rng)
rendered.image, rendered.truth
"""

from vision.render.faces import LABELS, Faces
from vision.render.hands import Hand
from vision.render.look import ART_SETS, CLOTHS, Look
from vision.render.renderer import Rendered, Renderer, TruthTile, render
from vision.render.sheets import Sheet, tag_sheets

__all__ = [
    "ART_SETS",
    "CLOTHS",
    "LABELS",
    "Faces",
    "Hand",
    "Look",
    "Rendered",
    "Renderer",
    "Sheet",
    "TruthTile",
    "render",
    "tag_sheets",
]
