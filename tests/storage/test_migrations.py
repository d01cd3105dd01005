"""What an older version left is brought to the shape that this one writes."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from perf_assets.errors import PerfAssetsError
from perf_assets.storage import migrations
from perf_assets.storage.backups import read_manifest
from perf_assets.storage.database_copy import tables_of
from perf_assets.storage.home import Home
from perf_assets.storage.restoring import restore
from perf_assets.storage.warehouse import FORMAT, Database, open_warehouse
from perf_assets.tables import declared
from tests.model_database import insert
from tests.question_rows import question
from tests.rows import SHA, at, commit, detail, issue, verdict

pytestmark = pytest.mark.slow

FORMAT_3 = Path(__file__).with_name("format_3.sql").read_text(encoding="utf-8")
LOADS = {
    "raw.issues": "2020-02-03T04:05:06+00:00",
    "raw.commits": "2-abcdef",
    "raw.issue_templates": "2-abcdef",
    "labels.performance_labels": "1-3f2a9c0b",
    "raw.commit_details": "1.1, PyDriller 2.12",
}


@contextmanager
def made(home: Home, version: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """The warehouse of a home as that format has it, with nothing stored."""
    with duckdb.connect(str(home.warehouse)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        schema = Path(__file__).with_name(f"format_{version}.sql")
        connection.execute(schema.read_text(encoding="utf-8"))
        insert(connection, "meta.format", [{"version": version}])
        yield connection


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A warehouse of format 3 with an issue, a verdict, a commit's details, and their loads."""
    path = tmp_path / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(FORMAT_3)
        insert(connection, "meta.format", [{"version": 3}])
        insert(connection, "raw.issues", [issue(7, "2020-01-05", events=2)])
        kept = detail("fix")
        insert(connection, "raw.commit_details", [kept])
        judged = {"file": "a.csv", "imported_at": "2020-01-05"}
        insert(connection, "reviews.verdicts", [{**verdict(1, "Ann", 7, "yes"), **judged}])
        insert(
            connection,
            "meta.partition_loads",
            [
                {"repository": "owner/name", "month": "2020-01", "table": table}
                | {"loaded_at": "2020-03-01", "row_count": 1, "status": "loaded"}
                | {"watermark": mark}
                for table, mark in LOADS.items()
            ],
        )
        connection.execute(
            """
            INSERT INTO meta.partition_loads
                (repository, month, "table", loaded_at, row_count, status, message)
            VALUES ('owner/name', '2020-02', 'raw.issues', now(), 0, 'failed', 'no')
            """
        )
    return path


@pytest.fixture
def migrated(path: Path) -> Iterator[Database]:
    with open_warehouse(path) as database:
        yield database


def test_a_home_of_format_3_keeps_what_was_stored(migrated: Database) -> None:
    assert migrated.frame("SELECT number, events FROM raw.issues").rows() == [(7, 2)]
    assert migrated.frame("SELECT rater, file_sha256 FROM reviews.verdicts").rows() == [
        ("Ann", SHA[0] * 64)
    ]
    assert migrated.frame("SELECT count(*) FROM details.commit_details").item() == 1
    assert migrated.frame("SELECT max(version) FROM meta.format").item() == FORMAT


def test_a_home_of_format_4_gains_the_tables_of_forums_and_loses_nothing(tmp_path: Path) -> None:
    home = Home.of(tmp_path)
    with made(home, 4) as connection:
        insert(connection, "raw.issues", [issue(7, "2020-01-05", events=2)])
        judged = {"file": "a.csv", "imported_at": "2020-01-05"}
        insert(connection, "reviews.verdicts", [{**verdict(1, "Ann", 7, "yes"), **judged}])
    with open_warehouse(home.warehouse) as database:
        assert database.frame("SELECT number FROM raw.issues").rows() == [(7,)]
        assert database.frame("SELECT rater, verdict FROM reviews.verdicts").rows() == [
            ("Ann", "yes")
        ]
        assert database.frame("FROM raw.questions").is_empty()
        assert "study" in database.frame("FROM analysis.paper_comparison").columns
    assert read_manifest(home.backup_of_format(4)).rows["raw.issues"] == 1


def test_a_home_of_format_5_gains_the_tables_of_static_checks_and_loses_nothing(
    tmp_path: Path,
) -> None:
    home = Home.of(tmp_path)
    with made(home, 5) as connection:
        insert(connection, "raw.issues", [issue(7, "2020-01-05", events=2)])
        insert(connection, "raw.questions", [question(9, "2020-01-05")])
        judged = {"file": "a.csv", "imported_at": "2020-01-05"}
        insert(connection, "reviews.verdicts", [{**verdict(1, "Ann", 7, "yes"), **judged}])
    with open_warehouse(home.warehouse) as database:
        assert database.frame("SELECT number FROM raw.issues").rows() == [(7,)]
        assert database.frame("SELECT question_id FROM raw.questions").rows() == [(9,)]
        assert database.frame("SELECT rater FROM reviews.verdicts").rows() == [("Ann",)]
        for table in ("raw.static_findings", "raw.scanned_trees", "reviews.finding_verdicts"):
            assert database.frame(f"FROM {table}").is_empty()
    assert read_manifest(home.backup_of_format(5)).rows["raw.questions"] == 1


def test_a_home_of_format_6_gains_the_types_of_authors_as_unknown_and_loses_nothing(
    tmp_path: Path,
) -> None:
    home = Home.of(tmp_path)
    said = {"repository": "owner/name", "comment_id": 1, "number": 7, "author": "stale"}
    with made(home, 6) as connection:
        connection.execute("CREATE SCHEMA analysis; CREATE TABLE analysis.trend_robustness (n INT)")
        insert(connection, "raw.issues", [issue(7, "2020-01-05", events=2)])
        comment = {**said, "created_at": "2020-01-06", "month": "2020-01"}
        insert(connection, "raw.issue_comments", [comment])
        judged = {"file": "a.csv", "imported_at": "2020-01-05"}
        insert(connection, "reviews.verdicts", [{**verdict(1, "Ann", 7, "yes"), **judged}])
    with open_warehouse(home.warehouse) as database:
        issues = "SELECT number, author, author_type, fields_version FROM raw.issues"
        assert database.frame(issues).rows() == [(7, "reporter", None, None)]
        comments = "SELECT author, author_type FROM raw.issue_comments"
        assert database.frame(comments).rows() == [("stale", None)]
        assert database.frame("SELECT rater FROM reviews.verdicts").rows() == [("Ann",)]
        assert "analysis.trend_robustness" not in tables_of(database.connection)
    assert read_manifest(home.backup_of_format(6)).rows["raw.issue_comments"] == 1


def test_a_home_of_format_7_goes_on_from_what_its_months_say(tmp_path: Path) -> None:
    home = Home.of(tmp_path)
    load = {"repository": "owner/name", "month": "2020-01", "table": "raw.issues"}
    load |= {"loaded_at": "2020-03-01", "row_count": 1, "requests": 1, "points": 1}
    load |= {"status": "loaded", "is_stored": True, "updated_at": "2020-02-03"}
    with made(home, 7) as connection:
        insert(connection, "raw.issues", [issue(7, "2020-01-05", events=2)])
        insert(connection, "meta.partition_loads", [load])
        # What was published before is read as it is.
        before = Database(connection).loads("raw.issues", "owner/name")
    with open_warehouse(home.warehouse) as database:
        assert database.loads("raw.issues", "owner/name").equals(before)
        assert before["updated_at"].to_list() == [datetime(2020, 2, 3, tzinfo=UTC)]
        assert database.frame("FROM meta.watermarks").is_empty()
        assert database.frame("SELECT number FROM raw.issues").rows() == [(7,)]
    assert read_manifest(home.backup_of_format(7)).rows["raw.issues"] == 1


@pytest.mark.parametrize("version", [1, 2])
def test_a_home_of_an_even_older_format_is_brought_to_the_shape_of_this_one(
    version: int, tmp_path: Path
) -> None:
    home = Home.of(tmp_path)
    with duckdb.connect(str(home.warehouse)) as connection:
        for step in range(1, version + 1):
            schema = Path(__file__).with_name(f"format_{step}.sql")
            connection.execute(schema.read_text(encoding="utf-8"))
        insert(connection, "meta.format", [{"version": version}])
        known = {row[0] for row in connection.execute("DESCRIBE raw.commits").fetchall()}
        row = {name: value for name, value in commit("a", at(1), 1, 2).items() if name in known}
        insert(connection, "raw.commits", [row])
    with open_warehouse(home.warehouse) as database:
        assert database.frame("SELECT max(version) FROM meta.format").item() == FORMAT
        for name, table in declared().items():
            if not table.is_view:
                described = database.frame(f"DESCRIBE {name}")["column_name"].to_list()
                assert sorted(described) == sorted(column.name for column in table.columns)
    assert read_manifest(home.backup_of_format(version)).rows["raw.commits"] == 1


def test_before_a_migration_a_backup_is_taken_that_brings_the_older_format_back(
    path: Path,
) -> None:
    home = Home(path.parent)
    with open_warehouse(path):
        pass
    manifest = read_manifest(home.backup_of_format(3))
    assert (manifest.format, manifest.rows["reviews.verdicts"]) == (3, 1)
    with open_warehouse(path) as database:
        database.connection.execute("DELETE FROM raw.issues")
    restore(home, home.backup_of_format(3))
    with open_warehouse(path) as database:
        assert database.frame("SELECT number, events FROM raw.issues").rows() == [(7, 2)]


def test_a_home_of_a_newer_format_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with open_warehouse(tmp_path / "warehouse.duckdb") as database:
        database.connection.execute("UPDATE meta.format SET version = 99")
    before = (tmp_path / "warehouse.duckdb").read_bytes()
    said = f"^{tmp_path} was written by a newer perf-assets .format 99.*: upgrade perf-assets"
    with (
        pytest.raises(PerfAssetsError, match=said),
        open_warehouse(tmp_path / "warehouse.duckdb"),
    ):
        pass
    assert (tmp_path / "warehouse.duckdb").read_bytes() == before


def test_what_stored_rows_show_is_typed(migrated: Database) -> None:
    loads = migrated.frame(
        """
        SELECT "table", month, is_stored, strftime(updated_at, '%Y-%m-%d') AS updated, fingerprint,
               rule_version
        FROM meta.partition_loads ORDER BY ALL
        """
    )
    assert loads.rows() == [
        ("details.commit_details", "2020-01", True, None, None, "1.1, PyDriller 2.12"),
        ("raw.commits", "2020-01", True, None, "2-abcdef", None),
        ("raw.issue_templates", "2020-01", True, None, "2-abcdef", None),
        ("raw.issues", "2020-01", True, "2020-02-03", None, None),
        ("raw.issues", "2020-02", False, None, None, None),
    ]


def test_sizes_of_commits_may_be_unknown_now(migrated: Database) -> None:
    unreadable = commit("a", "2020-01-05", 0, 0)
    unreadable |= dict.fromkeys(("additions", "deletions", "changed_files"))
    insert(migrated.connection, "raw.commits", [unreadable | {"unreadable": "git cannot read it"}])
    assert migrated.frame("SELECT additions FROM raw.commits").rows() == [(None,)]


def test_old_names_show_the_tables_of_the_new_ones(migrated: Database) -> None:
    for old, new in migrations.RENAMED.items():
        assert migrated.frame(f"FROM {old}").equals(migrated.frame(f"FROM {new}"))


def test_a_migrated_warehouse_has_the_shape_of_a_new_one(path: Path, tmp_path: Path) -> None:
    def columns(database: Database) -> list[tuple[str, ...]]:
        return database.frame(
            "SELECT schema_name || '.' || table_name, column_name, data_type, is_nullable "
            "FROM duckdb_columns() WHERE NOT internal ORDER BY ALL"
        ).rows()

    with open_warehouse(path) as old, open_warehouse(tmp_path / "new.duckdb") as new:
        assert columns(old) == columns(new)
        assert {name for name, *_ in columns(new)} == {
            *(name for name, table in declared().items() if not table.is_view),
            *migrations.RENAMED,
        }


def test_a_migration_that_fails_leaves_the_older_format(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise duckdb.IOException("No space left on device")

    monkeypatch.setattr(migrations, "create_tables", failing)
    with pytest.raises(PerfAssetsError, match="the disk is full"), open_warehouse(path):
        pass
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT max(version) FROM meta.format").fetchone() == (3,)
        assert connection.execute(
            "SELECT count(watermark) FROM meta.partition_loads"
        ).fetchone() == (len(LOADS),)


def test_a_table_of_another_shape_is_told_again_and_its_loads_are_forgotten(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("ALTER TABLE raw.issues DROP COLUMN state_reason")
    with open_warehouse(path) as database:
        assert database.frame("FROM raw.issues").is_empty()
        loads = database.frame('SELECT DISTINCT "table" FROM meta.partition_loads')["table"]
        assert "raw.issues" not in loads and "raw.commits" in loads
