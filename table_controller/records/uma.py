"""The placement bonus that a site used: records do not say it, their final scores do."""

from __future__ import annotations

from collections.abc import Sequence

KNOWN_UMA = ((20, 10, -10, -20), (10, 5, -5, -10), (30, 10, -10, -30), (15, 5, -5, -15))


def scoring_options(
    points: Sequence[int], scores: Sequence[float], return_points: int
) -> dict[str, object]:
    """The known bonus that fits the last place, and whether scores are rounded."""
    found: dict[str, object] = {}
    is_exact = any(score != int(score) for score in scores)
    found["final_rounding"] = "none" if is_exact else "thousand"
    last = min(range(len(points)), key=lambda seat: (points[seat], -seat))
    for uma in KNOWN_UMA:
        bonus = scores[last] - (points[last] - return_points) / 1000
        if abs(bonus - uma[3]) <= (0.01 if is_exact else 0.5):
            found["uma"] = uma
            break
    return found
