"""Where the shared material lies: recorded games, score tables, photos. It is not shipped."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


def shared_data(name: str) -> Path:
    """The folder or file ``../shared/data/<name>``; skips the test, by name, where it is absent."""
    path = SHARED / "data" / name
    if not path.exists():
        pytest.skip(f"../shared/data/{name} is not here: this check did NOT run")
    return path
