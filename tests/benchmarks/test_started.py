"""Every benchmark starts, ends as documented and prints its result, on tiny input.

Nobody runs them for months. The short ones run in `make test`; of those that take more than about
five seconds it prints the help, and `make test-all` runs them.
"""

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.git_repositories import FILE, Made, git, lose, make
from tests.support import environment

if TYPE_CHECKING:
    from tests.support import Prepared

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
ELSEWHERE = {
    "kills": "tests/pipeline/test_disturbances.py",
    "patterns": "tests/test_linear_patterns.py",
}
"""Benchmarks that another test starts with tiny input."""

HELP = """
import runpy, sys
for name in sys.argv[1:]:
    sys.argv = [name, "--help"]
    try:
        runpy.run_module(f"tests.benchmarks.{name}", run_name="__main__")
    except SystemExit as end:
        assert end.code == 0, name
"""
"""Asks each of several benchmarks for its help, in one process, which imports once."""

Arguments = Callable[[Path, "Prepared"], list[object]]
"""Makes the input of a benchmark in a directory, and returns the arguments that name it."""


@dataclass(frozen=True)
class Start:
    """How a benchmark is started.

    prints : a part of its output. codes : its documented exit codes. is_long : takes more than
    about five seconds.
    """

    name: str
    arguments: Arguments
    prints: str
    codes: tuple[int, ...] = (0,)
    is_long: bool = False


def options(*given: object) -> Arguments:
    """Return arguments that need no input."""
    return lambda _place, _small: list(given)


def check_speed(place: Path, _: "Prepared") -> list[object]:
    (place / "a.py").write_text("import numpy as np\nx = np.zeros(3)\nx[0] = 1\n", encoding="utf-8")
    return [place, "--sample", 1]


def history(place: Path, *, lacks_object: bool) -> tuple[Path, list[str]]:
    """A repository of fixes, and its commits; one of its files may be missing."""
    commits = []
    for number in range(24):
        lines = [f"def f{n}():\n    return {n + number * (n == number % 9)}\n" for n in range(9)]
        parents = [number - 1] if number else []
        message = b"Fix bug %d (#%d)" % (number, number)
        when = f"{1_500_000_000 + 200_000 * number} +0000"
        files = {b"a.py": (FILE, "\n".join(lines).encode())}
        commits.append(Made(files, parents, message, when))
    source = place / "source.git"
    shas = make(source, commits)
    if lacks_object:
        lose(source, git(source, "rev-parse", f"{shas[10]}:a.py"))
    return source, shas


def git_mining(place: Path, _: "Prepared") -> list[object]:
    return [history(place, lacks_object=True)[0], "--sample", 5]


def real_histories(place: Path, _: "Prepared") -> list[object]:
    return [history(place, lacks_object=True)[0], "--fixes", 0, "--blamed", 5]


def commit_classifier(place: Path, _: "Prepared") -> list[object]:
    messages = [
        *(b"perf: speed up step %d" % number for number in range(12)),
        *(b"fix: say what is wrong with step %d" % number for number in range(12)),
    ]
    commits = [
        Made({}, [number - 1] if number else [], message, f"{1_500_000_000 + number} +0000")
        for number, message in enumerate(messages)
    ]
    make(place / "vuejs+core", commits)
    return [place]


def szz(place: Path, _: "Prepared") -> list[object]:
    _, shas = history(place, lacks_object=False)
    fix = {
        "fix_commit_hash": shas[20],
        "bug_commit_hash": [shas[19]],
        "earliest_issue_date": "2020-01-01T00:00:00",
    }
    (place / "oracle.json").write_text(json.dumps([fix]), encoding="utf-8")
    return [place / "oracle.json", place]


def labelling(place: Path, _: "Prepared") -> list[object]:
    (place / "verdicts.csv").write_text(
        "number,title,body,labels,verdict\n"
        "1,It is slow,takes ages,performance,yes\n"
        "2,Crash,on start,bug,no\n"
        "3,Leak,memory leak,,yes\n",
        encoding="utf-8",
    )
    return [place]


def link_quality(place: Path, small: "Prepared") -> list[object]:
    links = small.corpus / "truth" / "fix_links.csv"
    with links.open(encoding="utf-8") as file:
        pairs = {(row["number"], row["sha"]) for row in csv.DictReader(file)}
    with (place / "truth.csv").open("w", encoding="utf-8") as file:
        csv.writer(file).writerows([("issue_number", "commit"), *sorted(pairs)])
    return [small.corpus, small.corpus / "repository.git", place / "truth.csv"]


def mutation(place: Path, _: "Prepared") -> list[object]:
    """One mutant as mutmut would write it; mutmut itself is needed only to write them."""
    core = place / "mutants" / "perf_assets" / "core"
    core.mkdir(parents=True)
    stats = {"tests_by_mangled_function_name": {}}
    (place / "mutants" / "mutmut-stats.json").write_text(json.dumps(stats), encoding="utf-8")
    mutants = {"exit_code_by_key": {"perf_assets.core.labels.x_f__mutmut_1": 0}}
    (core / "labels.py.meta").write_text(json.dumps(mutants), encoding="utf-8")
    return ["--copy", place]


STARTS = [
    Start("alerts", options("--histories", 16), "backlog_growth", is_long=True),
    Start(
        "big_warehouse",
        lambda place, _: [place / "big.duckdb", "--issues", 100, "--repositories", 2],
        "100 issues of 2 repositories",
    ),
    Start("benchmark_steps", options("--series", 3), "| planted ratio | found |"),
    Start("check_speed", check_speed, "ratios: checks / parsing"),
    Start(
        "cookbook",
        lambda _, small: [small.data_dir / "perf_bugs.duckdb"],
        "queries, the slowest",
        codes=(0, 1),  # 1: a query takes longer than it may
    ),
    Start("classifier", options(), "judged reports", is_long=True),
    Start("commit_classifier", commit_classifier, "changes whose authors tell", is_long=True),
    Start("fixed_costs", options("--runs", 1), "one more rule", is_long=True),
    Start("fleet_cost", options("--repositories", 3), "the lake"),
    Start("fuzz_answers", options("--number", 20), "20 answers spoiled"),
    Start("git_mining", git_mining, "numbers differ from PyDriller's: 0 of", is_long=True),
    Start("github_ingest", options("--issues", 20), "refresh of", is_long=True),
    Start("label_accuracy", options(), "judged reports", is_long=True),
    Start("labelling", labelling, "3 judged, 0 unsure"),
    Start("lake", options("--processes", 1, "--subjects", 1, "--issues", 6), "lake_bytes"),
    Start("link_calibration", options(), "confidence"),
    Start("link_quality", link_quality, "known fixes"),
    Start(
        "main_job",
        options("--issues", 10, "--commits", 10, "--months", 2),
        "nothing to do",
        is_long=True,
    ),
    Start("mutation", mutation, "survived: perf_assets.core.labels.x_f__mutmut_1"),
    Start("real_histories", real_histories, "source.git | 24 |"),
    Start(
        "scale",
        lambda place, _: ["--issues", 100, "--engines", "duckdb", "--folder", place],
        "| duckdb | 100 |",
        is_long=True,
    ),
    Start(
        "scale",
        lambda place, _: ["--issues", 100, "--by-table", "--folder", place],
        "| table | 100 |",
        is_long=True,
    ),
    Start("stackoverflow_dump", options("--megabytes", 1), "1 MB: walked in", is_long=True),
    Start("szz", szz, "1 of 1 fixes, in 1 clones"),
    Start("word_vectors", options("words.txt"), "no vectors are made"),
]


def started(name: str, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run a benchmark as by hand, and delete what it would keep for the next time."""
    # Sockets of processes are there: the path of a test is too long for their names.
    with tempfile.TemporaryDirectory(prefix="b") as place:
        return subprocess.run(
            [sys.executable, "-m", f"tests.benchmarks.{name}", *map(str, arguments)],
            cwd=ROOT,
            env=environment(TMPDIR=place),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )


def test_every_benchmark_is_started_by_a_test() -> None:
    modules = {path.stem for path in FOLDER.glob("*.py") if not path.name.startswith("test_")}
    assert modules - {"__init__"} == {one.name for one in STARTS} | ELSEWHERE.keys()
    for name, test in ELSEWHERE.items():
        text = (ROOT / test).read_text(encoding="utf-8")
        assert f"tests.benchmarks.{name}" in text or f"tests.benchmarks import {name}" in text


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.exhaustive] if one.is_long else [])
        for one in STARTS
    ],
)
def test_starts_and_prints_its_result(start: Start, small: "Prepared", tmp_path: Path) -> None:
    done = started(start.name, *start.arguments(tmp_path, small))
    assert done.returncode in start.codes, done.stderr[-4000:]
    assert start.prints in done.stdout, done.stdout[-4000:]


def test_long_benchmarks_print_their_help() -> None:
    names = sorted({start.name for start in STARTS if start.is_long} | ELSEWHERE.keys())
    done = subprocess.run(
        [sys.executable, "-c", HELP, *names],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.count("usage: ") == len(names) > 5
