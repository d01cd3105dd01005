"""docs/guarantees.md, written by `make test-all`: each promise, how often it was tried, whether it
held, and when it last did.

A promise names the tests that try it, as the start of what pytest calls them. A property is tried
as often as Hypothesis makes examples. What was broken is tried again alone: a run of all tests of a
promise writes its row anew. What is tried by hand, for hours, notes its last outcome in
docs/tried_on_demand.json.
"""

import json
import os
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.effort import IS_THOROUGH

ROOT = Path(__file__).parents[1]
PROMISES = Path(__file__).with_name("guarantees.toml")
PAGE = ROOT / "docs" / "guarantees.md"
ON_DEMAND = ROOT / "docs" / "tried_on_demand.json"
EXAMPLES = "examples"
NARROWING = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "maxfail")
"""The options of pytest that leave tests out."""

HEAD = """# Guarantees

What perf-assets promises, how each promise is tried, how often, with what outcome, and when it last
held. Written by `make test-all`; do not edit it. A test is counted once for each of its cases, a
property once for each example.

| promise | tried by | times | outcome | last held |
| --- | --- | --- | --- | --- |
"""
BY_HAND = """
## By hand

What takes too long for every change. The commands write what they found here.

| what | command | times | outcome |
| --- | --- | --- | --- |
"""


@dataclass(frozen=True)
class Promise:
    """What is promised, and the tests that try it."""

    says: str
    tests: tuple[str, ...]

    def is_tried_by(self, test: str) -> bool:
        """Whether the test of that name tries it."""
        return any(_lies_in(test, one) for one in self.tests)

    def is_among(self, given: Iterable[str]) -> bool:
        """Whether all its tests are among the folders, files and tests that pytest was given."""
        return all(any(_lies_in(test, one) for one in given) for test in self.tests)


def _lies_in(test: str, named: str) -> bool:
    """Whether a test, or file of tests, is the one of that name or within it."""
    named = named.rstrip("/")
    return test == named or test.startswith((f"{named}/", f"{named}::", f"{named}["))


def promises() -> list[Promise]:
    """All of them, as tests/guarantees.toml has them."""
    read = tomllib.loads(PROMISES.read_text(encoding="utf-8"))
    return [Promise(one["promise"], tuple(one["tests"])) for one in read["guarantee"]]


def note(what: str, command: str, times: int, outcome: str) -> None:
    """Write down what was tried by hand, and what came of it."""
    known = json.loads(ON_DEMAND.read_text(encoding="utf-8")) if ON_DEMAND.exists() else {}
    known[what] = {"command": command, "times": times, "outcome": outcome}
    ON_DEMAND.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="utf-8")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have each report say how many examples its test makes."""
    for item in items:
        wanted = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.user_properties.append((EXAMPLES, _examples(wanted)))


def _examples(wanted: Any) -> int:
    from hypothesis import settings  # noqa: PLC0415

    return int((wanted or settings()).max_examples)


def pytest_configure(config: pytest.Config) -> None:
    """Take notes in the process that hears of all tests."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(Notes(), "guarantees-notes")


class Notes:
    """How often each test was tried, and which failed or were skipped."""

    def __init__(self) -> None:
        """Nothing was tried yet."""
        self.tried: Counter[str] = Counter()
        self.failed: set[str] = set()
        self.skipped: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test was prepared, done or tidied up."""
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.skipped:
            self.skipped.add(report.nodeid)
        elif report.when == "call":
            self.tried[report.nodeid] += int(dict(report.user_properties).get(EXAMPLES, 1))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the rows of the promises of which all was tried, and leave the others."""
        given, options = session.config.args, session.config.option
        narrowed = any(getattr(options, one) for one in NARROWING)
        if not IS_THOROUGH or narrowed or exitstatus > pytest.ExitCode.TESTS_FAILED:
            return
        listed = promises()
        ran = {*self.tried, *self.failed, *self.skipped}
        whole = [one for one in listed if one.is_among(given) and any(map(one.is_tried_by, ran))]
        if whole:
            before = dict(_rows_before())
            rows = (
                self._row(one, before) if one in whole else before.get(one.says, "")
                for one in listed
            )
            page = (HEAD, *rows, BY_HAND, *_by_hand())
            PAGE.write_text("".join(page), encoding="utf-8")

    def _row(self, promise: Promise, before: Mapping[str, str]) -> str:
        times = sum(number for test, number in self.tried.items() if promise.is_tried_by(test))
        failed = sorted(filter(promise.is_tried_by, self.failed))
        skipped = sum(map(promise.is_tried_by, self.skipped))
        outcome = f"**broken**: {', '.join(failed)}" if failed else "held"
        outcome += f", {skipped} skipped" if skipped else ""
        tests = "<br>".join(f"`{one.removeprefix('tests/')}`" for one in promise.tests)
        day = f"{datetime.now(UTC):%Y-%m-%d}"
        if failed:
            day = before.get(promise.says, "| |").rstrip("|\n ").rpartition("| ")[2]
        return f"| {promise.says} | {tests} | {times:,} | {outcome} | {day} |\n"


def _rows_before() -> Iterator[tuple[str, str]]:
    """What each promise says, and its row of the page as it is."""
    for line in PAGE.read_text(encoding="utf-8").partition(BY_HAND)[0].splitlines(keepends=True):
        if line.startswith("| "):
            yield line.removeprefix("| ").partition(" | ")[0], line


def _by_hand() -> Iterator[str]:
    known = json.loads(ON_DEMAND.read_text(encoding="utf-8")) if ON_DEMAND.exists() else {}
    for what, entry in known.items():
        yield f"| {what} | `{entry['command']}` | {entry['times']:,} | {entry['outcome']} |\n"
