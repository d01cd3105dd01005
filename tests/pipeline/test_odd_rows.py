"""An odd row costs itself: everything is published, and all other rows are as without it."""

import shutil
from collections.abc import Collection
from pathlib import Path

import duckdb
import polars as pl
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.schema import table_of
from tests.effort import some
from tests.odd_rows import COMMITS, KINDS, plant
from tests.plain_pipeline import run_pipeline
from tests.support import Prepared, perf_assets, prepare, stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.audited]

SHA_COLUMNS = ("sha", "introducing_sha")
BY_THE_ROW = ("raw.", "labels.", "links.", "details.", "marts.")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A small corpus without odd rows, and what a run makes of it."""
    return prepare(tmp_path_factory.mktemp("plain"), seed=2, issues=60, months=4, commits=40)


def others(table: str, rows: pl.DataFrame, numbers: set[int], shas: set[str]) -> pl.DataFrame:
    """The rows that are not about these issues and commits."""
    about = [pl.col(name).is_in(shas) for name in SHA_COLUMNS if name in rows.columns]
    if "number" in rows.columns:
        about.append(pl.col("number").is_in(numbers) | (pl.col("number") >= 2**31))
    kept = rows.filter(~pl.any_horizontal(about).fill_null(value=False))
    return kept.sort(table_of(table).key)


def of_things(table: str) -> bool:
    """Whether each row of a table is about an issue or a commit, rather than about several."""
    key = table_of(table).key
    return table.startswith(BY_THE_ROW) and not {"number", *SHA_COLUMNS}.isdisjoint(key)


def run_planted(
    plain: Prepared, directory: Path, kinds: Collection[str], commits: Collection[str]
) -> dict[str, pl.DataFrame]:
    """Run over the corpus with odd rows, and hold what must hold; return what is stored."""
    corpus = directory / "corpus"
    shutil.copytree(plain.corpus, corpus)
    numbers, shas = plant(corpus, list(kinds), list(commits))
    home = DataDirectory.of(directory / "home")
    for _ in range(2):  # the second finds nothing to mend
        assert run_pipeline(load_study(corpus / "study.toml"), home) == []
    assert home.published.exists()
    now, before = stored_tables(home.warehouse), stored_tables(plain.data_dir / "warehouse.duckdb")
    lacking = now["meta.derived_audits"].filter(outcome="not_available")
    assert lacking.is_empty(), lacking["reason"].to_list()
    for table in filter(of_things, before):
        expected = others(table, before[table], numbers, shas)
        assert others(table, now[table], numbers, shas).equals(expected), table
    return now


def test_all_odd_rows_together_change_no_other_row(plain: Prepared, tmp_path: Path) -> None:
    now = run_planted(plain, tmp_path, KINDS, COMMITS)
    metrics = now["marts.bug_metrics"].filter(dataset="live")
    waits = metrics.select(pl.col("^.*(hours|days).*$").cast(pl.Float64))
    assert waits.min_horizontal().drop_nulls().min() >= 0
    with duckdb.connect(str(tmp_path / "home" / "perf_bugs.duckdb"), read_only=True) as published:
        (counted,) = published.execute("SELECT sum(entries) FROM raw.issue_gaps").fetchone() or ()
    assert counted > 0


def test_a_table_that_cannot_be_had_costs_what_is_made_from_it_and_all_else_is_published(
    middling: Prepared, tmp_path: Path
) -> None:
    home = DataDirectory.of(shutil.copytree(middling.data_dir, tmp_path / "home"))
    # Lines of which nobody knows that they were removed were introduced nevertheless.
    with duckdb.connect(str(home.warehouse)) as warehouse:
        warehouse.execute(
            "UPDATE details.commit_metrics SET removed_lines = 0 WHERE removed_lines > 0"
        )
    home.published.unlink()
    ran = perf_assets("run", "--study", middling.study, "--data-dir", home.path)
    assert ran.returncode == 1
    assert "marts.bug_lifetimes" in ran.stderr
    assert "analysis.lifetime_comparisons is not available" in ran.stdout.replace("\n", " ")
    with duckdb.connect(str(home.published), read_only=True) as published:
        lacking = published.execute('SELECT "table" FROM meta.derived_audits ORDER BY 1').fetchall()
        (bugs,) = published.execute("SELECT count(*) FROM marts.bug_metrics").fetchone() or ()
    assert ("marts.bug_lifetimes",) in lacking and ("analysis.lifetime_comparisons",) in lacking
    assert ("marts.bug_metrics",) not in lacking and bugs > 0
    told = perf_assets("status", "--data-dir", home.path).stdout
    assert "Incomplete tables" in told


@pytest.mark.parametrize("kind", some(*KINDS, few=0))
def test_an_odd_record_alone_changes_no_other_row(
    plain: Prepared, tmp_path: Path, kind: str
) -> None:
    run_planted(plain, tmp_path, [kind], [])


@pytest.mark.parametrize("kind", some(*COMMITS, few=0))
def test_an_odd_commit_alone_changes_no_other_row(
    plain: Prepared, tmp_path: Path, kind: str
) -> None:
    run_planted(plain, tmp_path, [], [kind])
