"""Every fault of the catalogue has a test that makes it happen and looks at its code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.faults import CATALOGUE
from tests.firmware_bridge.test_faults import STOPPING

TESTS = Path(__file__).parent


def marked(path: Path) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The faults that tests of a file are marked with, and those tests."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.fault":
                code = mark.args[0]
                assert isinstance(code, ast.Constant)
                yield str(code.value), node


SHOWN = {
    (code, test.name): test
    for path in sorted(TESTS.rglob("test_*.py"))
    for code, test in marked(path)
}


@pytest.mark.parametrize("code", [fault.code for fault in CATALOGUE])
def test_the_fault_is_shown(code):
    shown = {name for name, _ in SHOWN} | {case.code for case in STOPPING}
    assert code in shown, f"no test is marked fault({code!r}) and no Case of test_faults has it"


@pytest.mark.parametrize(("code", "name"), SHOWN)
def test_a_test_that_shows_a_fault_looks_for_its_code_and_does_not_enter_it_itself(code, name):
    test = SHOWN[code, name]
    body = "\n".join(ast.unparse(each) for each in test.body)
    assert code in body or any(code in ast.unparse(mark) for mark in test.decorator_list[1:])
    assert f"raise_fault('{code}'" not in body
