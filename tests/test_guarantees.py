"""The page of guarantees, of which each row is as its promise was last tried as a whole."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import guarantees_plugin
from tests.guarantees_plugin import BY_HAND, HEAD, NARROWING, Notes, Promise

PROMISES = [
    Promise("Nothing is lost.", ("tests/storage/test_lock.py",)),
    Promise("Nothing waits.", ("tests/storage/test_a.py::test_b", "tests/test_waits.py")),
]
NAMED = tuple(test for promise in PROMISES for test in promise.tests)
BEFORE = [
    "| Nothing is lost. | `storage/test_lock.py` | 7 | held | 2020-01-01 |\n",
    "| Nothing waits. | `storage/test_a.py::test_b`<br>`test_waits.py` | 9 | held | 2020-02-02 |\n",
]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page of two promises that both held long ago."""
    page = tmp_path / "guarantees.md"
    page.write_text("".join([HEAD, *BEFORE, BY_HAND]), encoding="utf-8")
    monkeypatch.setattr(guarantees_plugin, "PAGE", page)
    monkeypatch.setattr(guarantees_plugin, "ON_DEMAND", tmp_path / "none.json")
    monkeypatch.setattr(guarantees_plugin, "IS_THOROUGH", True)
    monkeypatch.setattr(guarantees_plugin, "promises", lambda: PROMISES)
    return page


def run(
    *given: str,
    tried: tuple[str, ...] = NAMED,
    failed: str = "",
    status: int = 0,
    **options: Any,
) -> None:
    """End a run of pytest on what was given, in which each of ``tried`` was tried once."""
    notes = Notes()
    for test in tried:
        report: Any = SimpleNamespace(
            failed=test == failed, skipped=False, nodeid=test, when="call", user_properties=()
        )
        notes.pytest_runtest_logreport(report)
    chosen = {**dict.fromkeys(NARROWING), **options}
    config = SimpleNamespace(args=given, option=SimpleNamespace(**chosen))
    session: Any = SimpleNamespace(config=config)
    notes.pytest_sessionfinish(session, status)


def rows(page: Path) -> list[str]:
    return [line for line in page.read_text(encoding="utf-8").splitlines() if "Nothing" in line]


def test_a_row_is_written_again_by_a_run_of_all_tests_of_its_promise(page: Path) -> None:
    run("tests/storage/")
    first, second = rows(page)
    assert first.startswith("| Nothing is lost. | `storage/test_lock.py` | 1 | held | 20")
    assert "2020" not in first
    assert second == BEFORE[1].rstrip()
    run("tests")
    assert "2020" not in "".join(rows(page))
    assert page.read_text(encoding="utf-8").count(BY_HAND) == 1


def test_what_is_broken_says_when_it_last_held(page: Path) -> None:
    run("tests", failed="tests/storage/test_lock.py", status=1)
    first, second = rows(page)
    assert "**broken**: tests/storage/test_lock.py" in first
    assert first.endswith("| 2020-01-01 |")
    assert "held" in second


@pytest.mark.parametrize(
    "options",
    [
        {"keyword": "lock"},
        {"markexpr": "not slow"},
        {"deselect": ["a"]},
        {"ignore": ["tests/storage"]},
        {"maxfail": 1},
        {"status": int(pytest.ExitCode.INTERRUPTED)},
        {"tried": ()},
    ],
)
def test_a_run_of_some_tests_changes_no_row(page: Path, options: dict[str, Any]) -> None:
    before = page.read_text(encoding="utf-8")
    run("tests", **options)
    run("tests/storage/test_lock.py::test_one")
    assert page.read_text(encoding="utf-8") == before
