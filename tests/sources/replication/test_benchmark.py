"""The benchmark of reproduced problems: its statuses, its spellings, its faults."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.schema import schema_of
from perf_assets.sources.replication.benchmark import COLUMNS, with_benchmark
from perf_assets.sources.replication.problems import REPRODUCED, read_problems
from tests.paths import PROBLEMS
from tests.rows import published_problem

KNOWN = pl.DataFrame(
    [dict.fromkeys(REPRODUCED) | published_problem(name) for name in ("1_1", "1_2", "2")]
).select(
    pl.col(name) if name in published_problem("1") else pl.lit(None, pl.String).alias(name)
    for name in schema_of("replication.problems").names()
)


def line(problem: str, library: str = "tf", *statuses: str) -> str:
    given = statuses or ("0", "-1", "1")
    return ",".join([problem, "2020-12-06T01:43:50.000Z", library, "url", *given, *[""] * 5])


def read(path: Path, *lines: str) -> tuple[dict[str, tuple[object, ...]], list[str]]:
    path.write_text("\ufeff" + "\n".join([",".join(COLUMNS), *lines]), encoding="utf-8")
    rows, rejects = with_benchmark(KNOWN, path, accept_changes=True)
    assert rows.columns == KNOWN.columns
    told = {row[0]: row[1:] for row in rows.select("problem_id", *REPRODUCED).iter_rows()}
    return told, [reject.reason for reject in rejects]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "benchmark.csv"


def test_each_approach_has_its_status_and_what_was_not_reproduced_none(path: Path) -> None:
    rows, rejects = read(path, line("1_2"), line("2", "", "1", "0", "0"))
    assert rejects == []
    assert rows == {
        "1_1": (None, None, None, None),
        "1_2": ("tensorflow", "not_solved", "not_applied", "applied"),
        "2": (None, "partly_solved", "not_solved", "not_solved"),
    }


def test_a_number_without_its_part_is_the_first_problem_of_the_question(path: Path) -> None:
    rows, _ = read(path, line("1"))
    assert rows["1_1"][0] == "tensorflow" and rows["1_2"][0] is None


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (line("3"), "problem 3 is not among the loaded problems"),
        (line("x"), "'x' is not a question number such as 65160023 or 65160023_2"),
        (line("2", "torch"), "library 'torch' is neither tf nor keras"),
        (line("2", "tf", "2", "0", "0"), "profiler_status '2' is not -1, 0 or 1"),
        (line("2") + ",", "it has 13 cells instead of 12"),
    ],
)
def test_a_row_that_cannot_be_read_is_rejected_with_its_reason(
    path: Path, bad: str, reason: str
) -> None:
    rows, rejects = read(path, bad, line("1_1"))
    assert rejects == [reason]
    assert rows["1_1"][1] == "not_solved" and rows["2"][1] is None


def test_a_problem_that_is_listed_twice_is_rejected_once(path: Path) -> None:
    rows, rejects = read(path, line("1"), line("1_1", "keras"))
    assert rejects == ["problem 1_1 is listed already, in line 2"]
    assert rows["1_1"][0] == "tensorflow"


def test_another_file_than_the_published_one_is_refused(path: Path) -> None:
    read(path, line("1"))
    with pytest.raises(PerfAssetsError, match="differs from the published file"):
        with_benchmark(KNOWN, path)


def test_the_published_benchmark_has_58_problems_of_which_few_were_solved() -> None:
    published = PROBLEMS.with_name("benchmark.csv")
    if not published.is_file():
        pytest.skip(f"the published benchmark is not at {published}")
    problems, _ = read_problems(PROBLEMS)
    rows, rejects = with_benchmark(problems, published)
    assert rejects == []
    reproduced = rows.drop_nulls("profiler_status")
    assert reproduced.height == 58
    counts = {name: Counter(reproduced[name]) for name in REPRODUCED}
    assert counts["library"] == {"tensorflow": 54, "keras": 3, None: 1}
    assert counts["profiler_status"]["partly_solved"] == 2
    assert counts["xla_status"]["partly_solved"] == 4
    assert counts["documentation_status"] == {"not_solved": 46, "applied": 12}
