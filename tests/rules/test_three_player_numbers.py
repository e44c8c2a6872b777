"""Every example and ruling that the three-player specifications number has a test that names it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.shared_data import SHARED

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("name", "prefix", "examples", "rulings"),
    [
        ("korean_japanese_3p", "KJ", 45, 40),
        ("japanese_3p", "JH", 34, 24),
        ("malaysian_3p", "MY", 29, 24),
    ],
)
def test_every_number_of_the_specification_is_tested(name, prefix, examples, rulings):
    specification = SHARED / "rules" / f"{name}.md"
    if not specification.exists():
        pytest.skip(f"../shared/rules/{name}.md is not here: this check did NOT run")
    text = specification.read_text()
    written = set(re.findall(rf"^(?:id: |\| ){prefix}-([ER]\d\d)\b", text, re.MULTILINE))
    assert len(written) == examples + rulings
    shown = {each["id"] for each in json.loads((HERE / name / "examples.json").read_text())}
    tested = {id.removeprefix(f"{prefix}-") for id in shown}
    for line in (HERE / name / "test_rulings.py").read_text().splitlines():
        if line.startswith("def test_"):
            tested |= {number.upper() for number in re.findall(r"_(r\d\d)(?=_)", line)}
    assert written - tested == set()
