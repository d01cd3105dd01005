"""What is published where Spark computes: no table of the lake, and where its rows are."""

import os
from pathlib import Path

import duckdb
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.lake.tables import tables_of_repositories
from perf_assets.reports.exporting import export
from perf_assets.reports.monthly.contents import read_report
from perf_assets.reports.quality import remarks
from perf_assets.reports.query_runner import run_query
from perf_assets.schema.models.cookbook import Query
from perf_assets.stages.reviewing import BUGS, _drawn_from
from perf_assets.stages.transform.about import store_database_facts
from perf_assets.stages.transform.models import describe_tables, lay_views
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.database_copy import tables_of
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse, reading
from tests.model_database import insert
from tests.rows import issue

pytestmark = pytest.mark.slow

LAKE = "s3://bucket/lake"


@pytest.fixture
def far(data_dir: Path) -> DataDirectory:
    """A data directory with marts and analyses, as Spark leaves it: all else is in the lake."""
    directory = DataDirectory(data_dir)
    with open_warehouse(directory.warehouse) as database:
        for table in tables_of_repositories():
            database.connection.execute(f"DELETE FROM {table}")
        facts = [
            {"topic": "study", "fact": fact, "value": value, "meaning": "As the study has it."}
            for fact, value in (("engine", "spark"), ("lake", LAKE))
        ]
        insert(database.connection, "meta.about", facts)
        store_database_facts(AuditedWriter(database, directory))
    assert publish(directory)
    return directory


def answered(data_dir: DataDirectory, sql: str) -> list[dict[str, object]]:
    query = Query("it", sql, question="", reading="", parameters={})
    answer = run_query(data_dir.published, query, {})
    return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]


def test_tables_in_the_lake_and_views_over_them_are_not_published(far: DataDirectory) -> None:
    with reading(far.published) as connection:
        assert not set(tables_of(connection)) & set(tables_of_repositories())
        assert "marts.bug_metrics" in tables_of(connection)
        views = connection.execute("SELECT view_name FROM duckdb_views()").fetchall()
        assert ("bug_reports",) not in views and ("questions",) in views
        query = "SELECT fact, value FROM meta.about WHERE topic = 'rows'"
        facts = dict(connection.execute(query).fetchall())
    for table in (*tables_of_repositories(), "staging.bug_reports"):
        assert facts[table] == f"in the lake {LAKE}"
    assert int(facts["marts.bug_metrics"]) > 0


def test_nothing_new_publishes_nothing(far: DataDirectory) -> None:
    os.utime(far.warehouse)
    assert not publish(far)


@pytest.mark.parametrize(
    ("sql", "table"),
    [
        ("FROM raw.issues", "raw.issues"),
        ("SELECT count(*) FROM staging.bug_reports", "staging.bug_reports"),
        ("FROM staging.bug_reports_as_of('2020-01')", "raw.issues"),
    ],
)
def test_the_error_of_a_query_of_a_former_name_says_where_its_rows_are(
    far: DataDirectory, sql: str, table: str
) -> None:
    with pytest.raises(PerfAssetsError, match=f"^it: the rows of {table} are in the lake {LAKE}"):
        answered(far, sql)


def test_other_mistakes_and_answers_are_as_ever(far: DataDirectory) -> None:
    with pytest.raises(PerfAssetsError, match="isues does not exist"):
        answered(far, "FROM raw.isues")
    assert answered(far, "SELECT count(*) > 0 AS are_there FROM marts.bug_metrics") == [
        {"are_there": True}
    ]


def test_reports_exports_and_samples_do_without_them(far: DataDirectory, tmp_path: Path) -> None:
    assert read_report(far.published).sections
    with reading(far.published) as connection:
        remarks(connection)
    assert list(export(far.published, tmp_path / "out", "csv"))
    with pytest.raises(PerfAssetsError, match=f"--tables raw.issues: the rows .* {LAKE}"):
        list(export(far.published, tmp_path / "out", "csv", ["raw.issues"]))
    with pytest.raises(PerfAssetsError, match=f"are in the lake {LAKE}"):
        _drawn_from(far.published, BUGS)


def test_a_warehouse_that_is_gone_is_brought_back_with_all_tables(far: DataDirectory) -> None:
    far.warehouse.unlink()
    with open_warehouse(far.warehouse) as database:
        assert set(tables_of_repositories()) <= set(tables_of(database.connection))
        writer = AuditedWriter(database, far)
        lay_views(writer)
        assert database.frame("FROM staging.bug_reports WHERE dataset = 'live'").is_empty()
        describe_tables(writer)


def test_rows_that_somebody_pulled_are_published(far: DataDirectory) -> None:
    with open_warehouse(far.warehouse) as database:
        insert(database.connection, "raw.issues", [issue(1, "2020-01-05")])
        store_database_facts(AuditedWriter(database, far))
    assert publish(far)
    with duckdb.connect(str(far.published), read_only=True) as connection:
        assert set(tables_of_repositories()) <= set(tables_of(connection))
