"""The regressions of benchmarks on the command line: a line for each, and an exit code for CI."""

import json
import shutil
from pathlib import Path

import duckdb
import pytest

from tests.model_database import insert
from tests.rows import REPOSITORY
from tests.storage.good_rows import completed
from tests.support import Prepared, Ran, perf_assets

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def measured(small: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory whose published database has results and three regressions."""
    data_dir = tmp_path_factory.mktemp("measured")
    database = data_dir / "perf_bugs.duckdb"
    shutil.copyfile(small.data_dir / "perf_bugs.duckdb", database)
    rows = [
        {"month": "2020-01", "median_ratio": 2.0, "machines": 2, "candidate_commits": 3},
        {"month": "2020-05", "median_ratio": 1.08, "largest_parameters": "5, 'a\x1b[31m'"},
        {"month": "2020-06", "median_ratio": 0.5, "reported_in": 7, "telling_issues": 1}
        | {"recovered_at": "2020-07-01T00:00:00Z", "recovery_id": f"r{'f' * 10}"},
        {"month": "2020-06", "regression_state": "intended"},
    ]
    whole = {
        "repository": REPOSITORY,
        "regression_state": "new",
        "first_sha": "a" * 40,
        "last_sha": "b" * 40,
        "candidate_commits": 1,
        "changed_benchmarks": 1,
        "machines": 1,
        "median_ratio": 2.0,
        "telling_issues": 0,
        **dict.fromkeys(("reported_in", "recovered_at", "recovery_id")),
        "largest_ratio": 3.0,
        "largest_benchmark": "b.time_sum",
        "largest_parameters": "",
    }
    with duckdb.connect(str(database)) as connection:
        for number, row in enumerate(rows, 1):
            moment = f"{row['month']}-0{number}T00:00:00Z"
            named = {"regression_id": f"r{str(number) * 10}", "committed_at": moment}
            insert(
                connection,
                "marts.regression_lifetimes",
                [completed("marts.regression_lifetimes", whole | named | row)],
            )
        file = {"repository": REPOSITORY, "file": "asv/a.json", "month": "2020-07", "results": 2}
        file |= {"file_months": 1, "unusable_results": 0, "other_months_results": 0}
        insert(connection, "raw.benchmark_files", [completed("raw.benchmark_files", file)])
        silence = {"repository": REPOSITORY, "machine": "i7", "is_machine": True}
        silence |= {"last_sha": "c" * 40, "month": "2020-05", "silent_days": 40.0}
        silence |= {"usual_days": 7.0, "silent_benchmarks": 0, "first_benchmark": None}
        silence |= {"is_recent": True}
        table = "marts.benchmark_silences"
        insert(connection, table, [completed(table, silence)])
    return data_dir


def regressions(data_dir: Path, *arguments: str) -> Ran:
    return perf_assets("regressions", *arguments, "--data-dir", data_dir)


def test_regressions_of_the_newest_months_are_lines_and_a_failure(measured: Path) -> None:
    ran = regressions(measured)
    assert ran.returncode == 1
    assert ran.stdout.splitlines() == [
        f"r3333333333 {REPOSITORY} 2020-06 bbbbbbbbbbbb: 1 benchmark on 1 machine, median 0.50x, "
        "most 3.00x b.time_sum, reported in #7, recovered on 2020-07-01",
        f"r2222222222 {REPOSITORY} 2020-05 bbbbbbbbbbbb: 1 benchmark on 1 machine, median 1.08x, "
        "most 3.00x b.time_sum(5, 'a[31m')",
        f"no data: {REPOSITORY} i7 has no results after cccccccccccc (2020-05), 40 days; "
        "usual are 7 at most",
    ]


def test_regressions_are_chosen_by_month_size_and_machines(measured: Path) -> None:
    ran = regressions(measured, "--since", "2020-01", "--percent", "10", "--machines", "2")
    first, silence = ran.stdout.splitlines()
    assert ran.returncode == 1
    assert silence.startswith("no data: ")
    assert "2020-01 aaaaaaaaaaaa..bbbbbbbbbbbb (3 commits): 1 benchmark on 2 machines" in first
    none = regressions(measured, "--percent", "300")
    assert (none.returncode, none.stdout) == (0, f"{silence}\n")
    found = json.loads(regressions(measured, "--json").stdout)["regressions"]
    assert [row["month"] for row in found] == ["2020-06", "2020-05"]


def test_without_results_the_command_says_what_to_do(small: Prepared) -> None:
    ran = regressions(small.data_dir)
    assert ran.returncode == 2
    assert "has no benchmark results: add [[benchmarks]] to the study and run it" in ran.stderr


def test_a_month_that_is_none_is_refused(measured: Path) -> None:
    ran = regressions(measured, "--since", "2020-13")
    assert ran.returncode == 2
    assert "write it as YYYY-MM" in ran.stderr
