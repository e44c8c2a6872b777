"""Dependencies point one way: every import line is held against the table of the house."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

MAY_IMPORT = {
    "firmware_bridge": {"firmware_bridge", "serial", "gpiozero", "msgspec"},
    "vision": {"vision", "cv2", "numpy", "onnxruntime", "msgspec"},
    "calibration": {"calibration", "firmware_bridge", "vision", "cv2", "numpy", "msgspec"},
    "table_controller/rules": {"table_controller.rules"},
    "table_controller": None,  # composes: may import everything
}
# Trained and prepared on a workbench, never imported at the table.
WORKBENCH = ("vision/training", "vision/art", "firmware_bridge/firmware")


def package_of(path: Path) -> str | None:
    name = path.relative_to(ROOT).as_posix()
    if name.startswith(WORKBENCH):
        return None
    return max((key for key in MAY_IMPORT if name.startswith(f"{key}/")), key=len, default=None)


def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide their direction"
            found.append(node.module or "")
    return found


def sources() -> list[Path]:
    return [
        path
        for package in ("firmware_bridge", "vision", "calibration", "table_controller")
        for path in sorted((ROOT / package).rglob("*.py"))
        if package_of(path)
    ]


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_the_right_way(path):
    package = package_of(path)
    allowed = MAY_IMPORT[package]
    if allowed is None:
        return
    for name in imports(path):
        top = name.split(".")[0]
        ok = top in sys.stdlib_module_names or any(
            name == part or name.startswith(f"{part}.") for part in allowed
        )
        assert ok, f"{path.relative_to(ROOT)} imports {name}; {package} may use {sorted(allowed)}"


def test_the_engine_knows_no_ruleset_by_name():
    for path in sorted((ROOT / "table_controller/rules/core").glob("*.py")):
        for name in imports(path):
            assert not name.startswith("table_controller.rules.") or name.startswith(
                "table_controller.rules.core"
            ), f"{path.name} imports {name}"
