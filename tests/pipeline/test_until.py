"""A run that goes less far: what it stores is what any run stores, and the rest is not known."""

import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from tests.plain_pipeline import run_pipeline
from tests.support import Prepared, assert_same_tables, materialize, perf_assets, stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

UNKNOWN = {
    "marts.bug_metrics": {"fix_methods", "fix_languages", "fix_test_share", "fix_not_analysed"},
    "marts.bug_lifetimes": {
        "outcome",
        "traced_commits",
        "removed_lines",
        "introduced_lines",
        "introducing_commits",
        "rejected_commits",
        "introduced_at",
        "first_introduced_at",
        "lifetime_days",
        "longest_lifetime_days",
    },
    "marts.hot_spots": {"removed_lines", "mean_age_of_removed_lines_days"},
}
METHODS = pl.col("code_unit") == "method"  # of marts.hot_spots, found by the analysis of fixes
OF_DETAILS = ("details.", "analysis.lifetime_comparisons", "meta.")


def run(middling: Prepared, data_dir: Path, *arguments: str, study: Path | None = None) -> str:
    chosen = study or middling.study
    ran = perf_assets("run", "--study", chosen, "--data-dir", data_dir, *arguments)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def without(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The tables, or columns, that no analysis of fixes is needed for."""
    return {
        name: (frame.remove(METHODS) if "code_unit" in frame.columns else frame).drop(
            UNKNOWN.get(name, ())
        )
        for name, frame in tables.items()
        if not name.startswith(OF_DETAILS)
    }


def assert_not_looked_at(data_dir: Path, whole: dict[str, pl.DataFrame]) -> None:
    tables = stored_tables(data_dir / "perf_bugs.duckdb")
    for table in ("details.commit_metrics", "details.introducing_commits"):
        assert whole[table].height and tables[table].is_empty()
    assert_same_tables(without(tables), without(whole))
    metrics = tables["marts.bug_metrics"].filter(pl.col("fix_commits") > 0)
    assert metrics.height and set(metrics["fix_not_analysed"]) == {"not_looked_at"}
    lifetimes = tables["marts.bug_lifetimes"]
    assert lifetimes.height and set(lifetimes["outcome"]) == {"not_looked_at"}
    spots = tables["marts.hot_spots"]
    assert spots.height and whole["marts.hot_spots"]["removed_lines"].sum()
    of_tables = zip((metrics, lifetimes, spots), UNKNOWN, strict=True)
    for frame, unknown in of_tables:
        columns = UNKNOWN[unknown] - {"fix_not_analysed", "outcome"}
        assert frame.select(columns).null_count().row(0) == (frame.height,) * len(columns)
    compared = tables["analysis.lifetime_comparisons"]
    assert compared["introduced_other"].to_list() == [None] * compared.height
    assert min(compared["not_looked_at_other"]) > 0


@pytest.mark.exhaustive
def test_without_the_close_look_all_else_is_there_and_a_later_run_adds_it(
    middling: Prepared, tmp_path: Path
) -> None:
    data_dir = tmp_path / "home"
    whole = stored_tables(middling.data_dir / "perf_bugs.duckdb")
    output = run(middling, data_dir, "--until", "links")
    assert "bugs were not analysed" in (data_dir / "report.md").read_text()
    assert "fix commits" not in output
    assert_not_looked_at(data_dir, whole)
    with duckdb.connect(str(data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM marts.trend_monthly").fetchone() != (0,)
    output = run(middling, data_dir)
    assert "fix commits" in output and "not_analysed" not in output
    assert_same_tables(stored_tables(data_dir / "perf_bugs.duckdb"), whole)


@pytest.mark.exhaustive
def test_a_study_may_leave_the_close_look_out(middling: Prepared, tmp_path: Path) -> None:
    text = middling.study.read_text().replace('corpus = "."', f'corpus = "{middling.corpus}"')
    text = text.replace('"repository.git"', f'"{middling.corpus / "repository.git"}"')
    study = tmp_path / "study.toml"
    study.write_text(f"analyze_fixes = false\n{text}")
    whole = stored_tables(middling.data_dir / "perf_bugs.duckdb")
    materialize(study, tmp_path / "home")
    assert_not_looked_at(tmp_path / "home", whole)
    directory = DataDirectory.of(tmp_path / "home")
    assert run_pipeline(load_study(study), directory, until="fix-analysis") == []
    assert_same_tables(stored_tables(directory.published), whole)


@pytest.mark.exhaustive
def test_a_run_until_the_labels_derives_and_publishes_nothing(
    middling: Prepared, tmp_path: Path
) -> None:
    data_dir = tmp_path / "home"
    output = run(middling, data_dir, "--until", "labels")
    assert "labels.performance_labels" in output and "links.fix_links" not in output
    assert not (data_dir / "perf_bugs.duckdb").exists()
    whole = stored_tables(middling.data_dir / "warehouse.duckdb")
    tables = stored_tables(data_dir / "warehouse.duckdb")
    for name in whole:
        if name.startswith(("raw.", "labels.")):
            assert tables[name].equals(whole[name]), name
        elif not name.startswith("meta."):
            assert name not in tables or tables[name].is_empty()
    published = shutil.copytree(middling.data_dir, tmp_path / "published")
    before = (published / "perf_bugs.duckdb").read_bytes()
    run(middling, published, "--until", "labels")
    assert (published / "perf_bugs.duckdb").read_bytes() == before


def test_an_unknown_stage_is_refused_with_those_that_are_known(middling: Prepared) -> None:
    ran = perf_assets("run", "--study", middling.study, "--until", "figures")
    assert ran.returncode == 2
    for stage in ("labels", "links", "fix-analysis", "published"):
        assert f"'{stage}'" in ran.stderr
