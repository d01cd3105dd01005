"""Of a study of many repositories a person is shown the largest, and told so."""

import io
import shutil
from pathlib import Path

import duckdb
import pytest
from rich.console import Console

from perf_assets.reports.document import markdown
from perf_assets.reports.monthly.contents import read_report
from perf_assets.reports.summary import print_summary
from perf_assets.reports.top_repositories import MOST, passed_over
from tests.support import Prepared

pytestmark = pytest.mark.slow

OTHERS = 25


def copied(whole: duckdb.DuckDBPyConnection, table: str, changes: str) -> None:
    """Add what ``table`` holds of the one repository, as if it were of ``OTHERS`` more."""
    whole.execute(
        f"""
        INSERT INTO {table} BY NAME
        SELECT * EXCLUDE (place) REPLACE ({changes})
        FROM {table}, range(1, {OTHERS + 1}) AS others(place)
        WHERE dataset = 'live' AND repository <> 'pooled'
        """
    )


@pytest.fixture
def many(small: Prepared, tmp_path: Path) -> Path:
    """A published database of the sample, and of 25 repositories with fewer bug reports each."""
    path = tmp_path / "many.duckdb"
    shutil.copy(small.data_dir / "perf_bugs.duckdb", path)
    with duckdb.connect(str(path)) as whole:
        name = "printf('other/r%02d', place) AS repository"
        for table in ("marts.trend_monthly", "analysis.trend_tests"):
            copied(whole, table, name)
        copied(whole, "marts.dataset_breakdown", f"{name}, greatest(open - place, 0) AS open")
    return path


def test_of_many_repositories_the_largest_are_shown_and_that_is_said(many: Path) -> None:
    with duckdb.connect(str(many), read_only=True) as connection:
        left_out = passed_over(connection)
    assert len(left_out) == OTHERS + 1 - MOST
    page = markdown(read_report(many))
    printed = io.StringIO()
    print_summary(many, Console(file=printed, width=200))
    for text in (page, printed.getvalue()):
        assert f"Of {OTHERS + 1} repositories the {MOST} with most bug reports are shown" in text
        assert "other/r01" in text
        assert [name for name in left_out if name in text] == []


def test_of_a_few_all_are_shown(small: Prepared) -> None:
    page = markdown(read_report(small.data_dir / "perf_bugs.duckdb"))
    assert "with most bug reports are shown" not in page
