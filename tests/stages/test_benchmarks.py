"""Benchmark results: whatever happens between two loads, the tables are those of a fresh load."""

import logging
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, load_study
from perf_assets.sources.benchmarks import result_files
from perf_assets.stages.mining import benchmarks
from perf_assets.stages.mining.benchmarks import TABLES, mine_benchmarks
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests import benchmark_files as made
from tests.effort import examples
from tests.git_repositories import FILE, Made, make
from tests.support import assert_same_tables, stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

STUDY = """
name = "speed"
[[repositories]]
name = "owner/name"
start = "{start}"
end = "2020-06"
git = "unused.git"
[[benchmarks]]
repository = "owner/name"
{benchmarks}
"""
FOLDER = 'format = "asv"\npath = "results"'
MONTH = 31 * made.DAY
COMPARED = (*TABLES, "meta.partition_loads")


def study_of(folder: Path, start: str = "2020-01", benchmarks: str = FOLDER) -> Study:
    file = folder / "study.toml"
    file.write_text(STUDY.format(start=start, benchmarks=benchmarks), encoding="utf-8")
    return load_study(file)


@contextmanager
def opened(data_dir: Path) -> Iterator[AuditedWriter]:
    index = DataDirectory.of(data_dir)
    with open_warehouse(index.warehouse) as database:
        yield AuditedWriter(database, index)


def load(study: Study, data_dir: Path) -> int:
    """Bring the tables in ``data_dir`` up to date; how many months were written."""
    (repository,) = study.repositories
    with opened(data_dir) as writer:
        outcomes = list(mine_benchmarks(writer, study, repository, repository.months))
    assert [outcome.failure for outcome in outcomes if outcome.failure] == []
    return sum(outcome.is_written for outcome in outcomes)


def rows(data_dir: Path, query: str) -> list[tuple[Any, ...]]:
    with opened(data_dir) as writer:
        return writer.database.frame(query).rows()


def put(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make ``files`` those of the results."""
    results = folder / "results"
    results.mkdir(exist_ok=True)
    for path in results.iterdir():
        path.unlink()
    for name, content in files.items():
        (results / name).write_bytes(content)


def assert_as_fresh(study: Study, folder: Path, data_dir: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        load(study, Path(fresh))
        one, other = (
            stored_tables(DataDirectory.of(each).warehouse) for each in (data_dir, Path(fresh))
        )
        assert_same_tables(*({name: held[name] for name in COMPARED} for held in (one, other)))


def result(value: float, month: int = 0, sha: str = made.SHAS[0], **changes: Any) -> bytes:
    row = made.asv_row(value, started=made.COMMITTED + month * MONTH)
    return made.asv({"b.time_sum": row}, sha, made.COMMITTED + month * MONTH, **changes)


FILES = st.dictionaries(
    st.sampled_from(["one.json", "two.json", "three.json"]),
    st.builds(
        result,
        st.sampled_from([1.0, 2.0]),
        st.integers(-2, 7),
        st.sampled_from(made.SHAS[:2]),
    )
    | st.sampled_from([b"{", b"{}", made.asv({})]),
    min_size=1,
)


@settings(max_examples=examples(12, 60), deadline=None)
@given(states=st.lists(FILES, min_size=1, max_size=4))
def test_a_refresh_stores_what_a_fresh_load_would(states: list[dict[str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = study_of(folder)
        for files in states:
            put(folder, files)
            load(study, folder / "home")
        assert_as_fresh(study, folder, folder / "home")


def test_a_refresh_reads_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_of(tmp_path)
    files = {f"{month}.json": result(1.0, month, made.SHAS[month]) for month in range(4)}
    put(tmp_path, files)
    assert load(study, tmp_path / "home") == 4
    read = []
    reader = result_files.asv.read_results
    monkeypatch.setattr(
        result_files.asv,
        "read_results",
        lambda content, units: read.append(content) or reader(content, units),
    )
    assert load(study, tmp_path / "home") == 0
    assert read == []
    put(tmp_path, {**files, "new.json": result(3.0, 3, made.SHAS[5])})
    assert load(study, tmp_path / "home") == 1
    assert len(read) == 2  # the new one, and the other of its month


@pytest.mark.parametrize("stored", [1, 2, 3])
def test_a_run_that_ends_between_two_months_is_made_whole_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stored: int
) -> None:
    """Each of the months is stored by itself, and one file has results of all of them."""
    lines = [f"b{number},{made.SHAS[number]},2020-0{number + 1}-05,1,s" for number in range(4)]
    put(
        tmp_path, {"all.csv": "\n".join(["benchmark,sha,committed_at,value,unit", *lines]).encode()}
    )
    study = study_of(tmp_path, benchmarks='format = "csv"\npath = "results"')
    (repository,) = study.repositories
    monkeypatch.setattr(benchmarks, "ROWS_AT_ONCE", 1)
    with opened(tmp_path / "home") as writer:
        outcomes = mine_benchmarks(writer, study, repository, repository.months)
        for _ in range(stored):
            next(outcomes)
        outcomes.close()
    assert load(study, tmp_path / "home") > 0
    assert_as_fresh(study, tmp_path, tmp_path / "home")


def test_files_without_results_are_told(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    put(tmp_path, {"cut.json": result(1.0)[:40], "old.json": result(1.0, -3), "ok.json": result(2)})
    load(study, tmp_path / "home")
    query = """
        select file, month, results, reasons, other_months_results, other_months_to
        from raw.benchmark_files order by file
    """
    assert rows(tmp_path / "home", query) == [
        (
            *("asv/cut.json", "2020-01", 0),
            *("1: this is not valid JSON, or a part of it is missing", 0, None),
        ),
        ("asv/ok.json", "2020-01", 1, None, 0, None),
        ("asv/old.json", "2020-01", 0, None, 1, "2019-10"),
    ]


def test_of_two_results_at_the_same_time_the_first_file_counts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(tmp_path, {"a.json": result(1.0), "b.json": result(2.0)})
    with caplog.at_level(logging.INFO):
        load(study_of(tmp_path), tmp_path / "home")
    query = "select measured_value from raw.benchmark_results"
    assert rows(tmp_path / "home", query) == [(1.0,)]
    assert f"owner/name: 1 benchmark results left out: {benchmarks.REPEATED}" in caplog.text


def test_an_earlier_start_reads_files_that_had_nothing_to_say(tmp_path: Path) -> None:
    put(tmp_path, {"old.json": result(1.0, -3), "ok.json": result(2.0), "cut.json": b"{"})
    load(study_of(tmp_path), tmp_path / "home")
    study = study_of(tmp_path, start="2019-09")
    load(study, tmp_path / "home")
    assert_as_fresh(study, tmp_path, tmp_path / "home")


def test_results_are_read_from_a_branch_of_a_git_repository(tmp_path: Path) -> None:
    data = made.action((made.SHAS[0], [{"name": "a", "value": 1, "unit": "s"}]))
    commits = [Made({b"data.js": (FILE, data), b"x/data.js": (FILE, b"{}")}, [])]
    make(tmp_path / "source.git", commits)
    table = 'format = "github-action"\ngit = "source.git"\nfolder = "data.js"'
    load(study_of(tmp_path, benchmarks=table), tmp_path / "home")
    query = "select benchmark, environment, measured_value from raw.benchmark_results"
    assert rows(tmp_path / "home", query) == [("a", "Speed", 1.0)]
    absent = study_of(tmp_path, benchmarks=f'{table}\nbranch = "gh-pages"')
    with pytest.raises(PerfAssetsError, match="has no branch gh-pages"):
        load(absent, tmp_path / "home")


def test_a_folder_without_results_is_a_mistake_of_the_study(tmp_path: Path) -> None:
    put(tmp_path, {"machine.json": b"{}"})
    with pytest.raises(PerfAssetsError, match="no result file of the format asv in"):
        load(study_of(tmp_path), tmp_path / "home")


@pytest.mark.parametrize(
    ("benchmarks", "message"),
    [
        ('format = "asv"', "either path or git"),
        ('format = "asv"\npath = "a"\ngit = "b"', "either path or git"),
        ('format = "asv"\npath = "a"\nbranch = "b"', "branch and folder belong to git"),
        ('format = "bmf"\npath = "a"', "format"),
        (f'{FOLDER}\n[[benchmarks]]\nrepository = "owner/name"\n{FOLDER}', "give each a name"),
        (f'{FOLDER}\n[[benchmarks]]\nrepository = "a/b"\n{FOLDER}', "no repository 'a/b'"),
    ],
)
def test_a_mistake_in_the_study_is_one_sentence(
    tmp_path: Path, benchmarks: str, message: str
) -> None:
    with pytest.raises(PerfAssetsError, match=message):
        study_of(tmp_path, benchmarks=benchmarks)
