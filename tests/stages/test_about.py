"""What the published database says of itself, and of the audits of what it holds."""

from pathlib import Path

import duckdb
import polars as pl
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.stages.study_loader import open_study
from perf_assets.stages.transform.about import note_study, store_database_facts
from perf_assets.stages.transform.models import describe_tables
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import PartitionWrite, StagedTable
from perf_assets.storage.warehouse import open_warehouse
from tests.support import Prepared, materialize

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]


def rows(data_dir: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        return connection.execute(query).fetchall()


def test_it_says_what_was_published_by_what_and_from_what(small: Prepared) -> None:
    facts = dict(rows(small.data_dir, "SELECT topic || ' ' || fact, value FROM meta.about"))
    study = load_study(small.study)
    assert facts["study name"] == study.name
    assert facts["rules keywords"] == ", ".join(study.rules.keywords)
    assert facts["rules count_approaches"] == ", ".join(study.count_approaches)
    assert facts["sources sample-lab/tensorkit issues"] == "2020-01 to 2020-03, 3 months"
    assert facts["database oldest_client"] == "DuckDB 1.1"
    assert facts["software duckdb"] == duckdb.__version__
    assert facts["database published_at"].endswith("UTC")
    for name in ("raw.issues", "marts.bug_metrics", "analysis.trend_tests"):
        assert rows(small.data_dir, f"SELECT count(*) FROM {name}") == [
            (int(facts[f"rows {name}"]),)
        ]


def test_another_study_is_refused_and_other_keys_of_the_same_are_not(
    small: Prepared, copy: Path
) -> None:
    data_dir = DataDirectory(small.data_dir)
    text = (copy / "study.toml").read_text()
    (copy / "study.toml").write_text('keywords = ["slow"]\n' + text)
    open_study(copy / "study.toml", data_dir)
    name = load_study(small.study).name
    (copy / "study.toml").write_text(text.replace(f'name = "{name}"', 'name = "other"', 1))
    with pytest.raises(PerfAssetsError) as error:
        open_study(copy / "study.toml", data_dir)
    assert f"holds the study {name}, and a data directory has one study" in str(error.value)
    assert "--data-dir" in str(error.value) and "rm -r" in str(error.value)


def test_the_study_is_noted_before_anything_is_published(tmp_path: Path, small: Prepared) -> None:
    data_dir = DataDirectory.of(tmp_path / "data")
    with open_warehouse(data_dir.warehouse) as database:
        note_study(AuditedWriter(database, data_dir), load_study(small.study))
    with pytest.raises(PerfAssetsError, match="holds the study"):
        open_study("dl-frameworks", data_dir)
    assert not data_dir.published.exists()


def test_a_run_that_finds_nothing_publishes_nothing(data_dir: Path, small: Prepared) -> None:
    before = (data_dir / "perf_bugs.duckdb").stat().st_mtime_ns
    materialize(small.study, data_dir)
    assert (data_dir / "perf_bugs.duckdb").stat().st_mtime_ns == before


def test_other_rules_are_reported_and_nothing_of_the_old_ones(data_dir: Path, copy: Path) -> None:
    text = (copy / "study.toml").read_text()
    (copy / "study.toml").write_text('keywords = ["slow"]\n' + text)
    materialize(copy / "study.toml", data_dir)
    facts = dict(rows(data_dir, "SELECT fact, value FROM meta.about WHERE topic = 'rules'"))
    assert facts["keywords"] == "slow"
    assert (facts["strong_keywords"], facts["weak_keywords"]) == ("none", "slow")
    assert "1 keyword of the study replaces the words" in facts["rule_set"]
    assert len(facts) == 8


def test_every_partition_has_its_last_audit(small: Prepared) -> None:
    assert rows(
        small.data_dir,
        """
        SELECT "table", repository, month FROM meta.partition_loads
        WHERE "table" NOT IN (SELECT DISTINCT "table" FROM meta.audit_results)
        """,
    ) == []  # fmt: skip
    (passed,) = rows(
        small.data_dir,
        """
        SELECT bool_and(rule_count > 5), bool_and(outcome = 'passed'), sum(row_count) FROM
        meta.audit_results WHERE "table" = 'raw.issues'
        """,
    )
    assert passed == (True, True, rows(small.data_dir, "SELECT count(*) FROM raw.issues")[0][0])


@pytest.mark.audited
@pytest.mark.parametrize("outcome", ["refused", "rows_set_aside"])
def test_rows_that_are_not_stored_again_are_not_news_and_good_ones_are(
    data_dir: Path, outcome: str
) -> None:
    repository, month = "sample-lab/tensorkit", "2020-01"
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        writer = AuditedWriter(database, DataDirectory.of(data_dir))
        stored = database.partition("raw.commits", repository, month)
        refused = stored.with_columns(
            sha=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("short")).otherwise("sha")
        )

        def facts(rows: pl.DataFrame, missing: int = 0) -> dict[str, object]:
            count = rows.height + missing
            candidates = [StagedTable("raw.commits", rows, {"least_readable_share": 1.0}, count)]
            writer.store([PartitionWrite(candidates, repository, month)])
            (row,) = database.where(
                "meta.audit_results",
                {"repository": repository, "month": month, "table": "raw.commits"},
            ).to_dicts()
            return row

        missing = int(outcome == "refused")
        first = facts(refused, missing)
        assert first["outcome"] == outcome
        assert first["rows_set_aside"] == 1 - missing
        assert first["broken_critical"] > 0
        assert first["row_count"] == stored.height
        assert facts(refused, missing) == first
        good = facts(stored)
        assert (good["outcome"], good["broken_critical"]) == ("passed", 0)
        assert good["audited_at"] > first["audited_at"]


def test_a_data_directory_of_an_older_version_gets_what_its_views_read(data_dir: Path) -> None:
    count = "SELECT count(*) FROM staging.bug_reports_as_of('2020-02')"
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        wanted = database.frame(count)
        for table in ("marts.issue_history", "meta.about", "meta.audit_results"):
            database.connection.execute(f"DROP TABLE {table}")
        writer = AuditedWriter(database, DataDirectory.of(data_dir))
        store_database_facts(writer)
        describe_tables(writer)
        assert database.frame(count).equals(wanted)
        assert database.frame("FROM marts.issue_history").height > 0
        assert database.frame("FROM meta.about").height > 0
        assert database.frame("FROM meta.audit_results").is_empty()
