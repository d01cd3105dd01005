"""Files are checked in budgets: what one of them does is no matter of the others."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base.errors import PerfAssetsError
from perf_assets.lint.files.results import Budget, FileResult, Skip, SourceFile
from perf_assets.lint.files.scanning import scan
from tests.check_rules import OBEDIENT
from tests.effort import examples
from tests.paths import ROOT
from tests.support import environment

pytestmark = pytest.mark.slow

TIGHT = Budget(seconds=0.3, megabytes=100)
PATIENT = Budget(seconds=5, megabytes=100)
GOOD = b"a = 1  # torch\n\nslow()\n"


def scanned(
    files: Iterable[SourceFile | Skip], processes: int = 1, budget: Budget = TIGHT
) -> list[FileResult]:
    return list(scan(files, [OBEDIENT], processes=processes, budget=budget))


def misdeed(name: str) -> SourceFile:
    return SourceFile(f"{name}.py", f"x = {name!r}  # torch\n".encode())


def children() -> set[int]:
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(child) for task in tasks for child in task.read_text().split()}


def test_a_finding_says_where_it_is_and_what_stands_there() -> None:
    (result,) = scanned([SourceFile("a.py", GOOD)])
    (finding,) = result.findings
    assert (finding.line, finding.column, finding.rule) == (3, 1, "obedient")
    assert result.lines == ("slow()",) and result.skipped is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hang", "time"),
        ("hang in C", "time"),
        ("sleep", "time"),
        ("eat", "memory"),
        ("eat at once", "memory"),
        ("recurse", "depth"),
        ("segfault", "crash"),
        ("exit", "crash"),
        ("fail", "error"),
    ],
)
def test_a_file_that_exceeds_its_budget_is_named_and_the_rest_goes_on(
    name: str, reason: str
) -> None:
    before, after = SourceFile("a.py", GOOD), SourceFile("b.py", GOOD)
    # Where time is not the point there is enough of it, however busy the machine is.
    budget = TIGHT if reason == "time" else PATIENT
    first, second, third = scanned([before, misdeed(name), after], budget=budget)
    assert second.skipped is not None
    assert (second.skipped.path, second.skipped.reason) == (f"{name}.py", reason)
    assert second.skipped.message and second.findings == ()
    assert [len(one.findings) for one in (first, third)] == [1, 1]


LEVELS = 5_000


@pytest.mark.parametrize(
    "content",
    [
        b"x = " + b"(" * 100_000 + b")" * 100_000,
        b"x = " + b"[" * 100_000,
        b"x = " + b"lambda: " * LEVELS + b"1",
        b"x = " + b"not " * 100_000 + b"1",
        b"if a: pass\n" + b"elif b: pass\n" * 100_000,
        b"x = f" + b".g()" * 100_000,
        b"x = " + b" + ".join([b"1"] * 100_000),
    ],
    ids=["parentheses", "unclosed", "lambdas", "nots", "elifs", "attributes", "sums"],
)
def test_a_file_that_is_too_deep_is_named_and_the_rest_goes_on(content: bytes) -> None:
    good = SourceFile("a.py", GOOD)
    first, deep, last = scanned([good, SourceFile("deep.py", content), good], 1, Budget())
    assert deep.skipped is not None and deep.skipped.reason in {"depth", "syntax", "memory"}
    assert first == last and len(first.findings) == 1


def test_a_file_as_deep_as_people_write_them_is_read() -> None:
    long_sum = b"import torch\nslow(" + b" + ".join([b"1"] * 1_000) + b")\n"
    long_choice = b"import torch\nif a: slow()\n" + b"elif b: slow()\n" * 1_000
    results = scanned([SourceFile("a.py", long_sum), SourceFile("b.py", long_choice)], 1, Budget())
    assert [len(result.findings) for result in results] == [1, 1_001]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_file_is_not_charged_for_the_memory_of_another(processes: int) -> None:
    results = scanned([misdeed("leave a cycle")] * 8, processes, Budget(megabytes=200))
    assert [result.skipped for result in results] == [None] * 8


def test_what_could_not_be_read_has_its_place_in_the_results() -> None:
    lost = Skip("lost.py", "read", "permission denied")
    good = SourceFile("a.py", GOOD)
    results = scanned([good, lost, good], 2)
    assert results[1] == FileResult("lost.py", (), lost) and results[0] == results[2]


def test_files_are_requested_when_there_is_time_for_them() -> None:
    requested: list[int] = []

    def files() -> Iterator[SourceFile]:
        for number in range(50):
            requested.append(number)
            yield SourceFile(f"{number}.py", GOOD)

    results = scan(files(), [OBEDIENT], processes=1)
    next(results)
    assert len(requested) <= 2
    results.close()  # type: ignore[attr-defined]


def test_workers_are_gone_when_nobody_wants_more_results() -> None:
    before = children()
    results = scan([SourceFile("a.py", GOOD)] * 9, [OBEDIENT], processes=2)
    next(results)
    assert len(children() - before) == 2
    results.close()  # type: ignore[attr-defined]
    assert children() == before


def test_no_more_workers_are_started_than_there_are_files() -> None:
    before = children()
    results = scan([SourceFile("a.py", GOOD)], [OBEDIENT], processes=64)
    next(results)
    assert len(children() - before) == 1
    results.close()  # type: ignore[attr-defined]


def test_an_error_of_the_caller_ends_the_workers() -> None:
    before = children()

    def files() -> Iterator[SourceFile]:
        yield SourceFile("a.py", GOOD)
        raise PerfAssetsError("the clone is gone")

    with pytest.raises(PerfAssetsError, match="clone"):
        scanned(files(), 2)
    assert children() == before


def test_workers_end_when_the_process_that_started_them_is_killed(tmp_path: Path) -> None:
    program = (
        "from perf_assets.lint.files.results import Budget, SourceFile\n"
        "from perf_assets.lint.files.scanning import scan\n"
        "from tests.check_rules import OBEDIENT\n"
        "files = [SourceFile('a.py', b''), SourceFile('b.py', b'x = \"sleep\"  # torch')]\n"
        "for _ in scan(files, [OBEDIENT], budget=Budget(seconds=0.2)): print('one', flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path])),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "one\n"
        tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
        (worker,) = (child for task in tasks for child in task.read_text().split())
        process.send_signal(signal.SIGKILL)
        until = time.monotonic() + 60
        while is_running(int(worker)):
            assert time.monotonic() < until
            time.sleep(0.02)


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_no_module_of_the_checked_project_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ast", "perf_assets", "tokenize", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open('{name} ran', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    (result,) = scanned([SourceFile("a.py", GOOD)])
    assert len(result.findings) == 1
    assert [path.name for path in tmp_path.iterdir() if "ran" in path.name] == []


def test_a_worker_that_cannot_begin_is_reported_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(PerfAssetsError, match="exit code 1"):
        scanned([SourceFile("a.py", GOOD)])
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(PerfAssetsError, match="no process can be started"):
        scanned([SourceFile("a.py", GOOD)])


def notebook(*cells: str) -> bytes:
    made = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": made, "nbformat": 4, "metadata": {}}, indent=1).encode()


KINDS = {
    "good": SourceFile("good.py", GOOD),
    "twice": SourceFile("twice.py", GOOD + b"if a:\n    slow()\n"),
    "none": SourceFile("none.py", b"fast()  # torch\n"),
    "two": SourceFile("two.py", b"import torch\nprint 'slow'\n"),
    "broken": SourceFile("broken.py", b"def f(:\n"),
    "notebook": SourceFile("notebook.ipynb", notebook("%time\n", "x = 1  # torch\nslow()")),
    "no notebook": SourceFile("other.ipynb", b"{}"),
    "latin": SourceFile("latin.py", b"# coding: latin-1\nslow('\xe9')  # torch\n"),
    "unread": Skip("unread.py", "read", "permission denied"),
    "fail": misdeed("fail"),
    "exit": misdeed("exit"),
    "recurse": misdeed("recurse"),
    "eat": misdeed("eat"),
}
ALONE: dict[str, FileResult] = {}


def alone(kind: str) -> FileResult:
    if kind not in ALONE:
        (ALONE[kind],) = scanned([KINDS[kind]], 1, PATIENT)
    return ALONE[kind]


@given(kinds=st.lists(st.sampled_from(sorted(KINDS)), max_size=12), processes=st.integers(1, 4))
@settings(max_examples=examples(8, 150))
def test_each_file_has_the_result_that_it_has_alone_in_the_order_of_the_files(
    kinds: list[str], processes: int
) -> None:
    results = scanned([KINDS[kind] for kind in kinds], processes, PATIENT)
    assert results == [alone(kind) for kind in kinds]
