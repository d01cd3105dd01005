"""What an older version left is brought to the shape that this one writes, or refused."""

from pathlib import Path

import duckdb
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.hosts import KINDS
from perf_assets.stages.mining.incremental_state import stale_cohorts
from perf_assets.storage import migrations
from perf_assets.storage.backups import open_backup, write_backup
from perf_assets.storage.migrations import FORMAT, OLDEST
from perf_assets.storage.restoring import restore
from perf_assets.storage.verdicts import keep_verdicts
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.rows import issue, loads, static_finding, verdict

pytestmark = pytest.mark.slow

FIELDS = KINDS["github"].fields_version

LACKING = "author_association, milestone, thumbs_up"


@pytest.fixture
def data_dir(tmp_path: Path) -> DataDirectory:
    """A data directory of the oldest format: an issue without some columns, a verdict, loads."""
    data_dir = DataDirectory.of(tmp_path / "home")
    judged = {"file": "a.csv", "imported_at": "2020-01-05"}
    load = {"repository": "owner/name", "month": "2020-01", "loaded_at": "2020-03-01"}
    load |= {"row_count": 1, "requests": 1, "points": 1, "status": "loaded", "is_stored": True}
    with open_warehouse(data_dir.warehouse) as database:
        connection = database.connection
        insert(connection, "raw.issues", [issue(7, "2020-01-05", events=2)])
        insert(connection, "reviews.verdicts", [{**verdict(1, "Ann", 7, "yes"), **judged}])
        tables = ("raw.issues", "raw.commits", "raw.unparsed_files")
        insert(connection, "meta.partition_loads", [{**load, "table": name} for name in tables])
        insert(connection, "raw.static_findings", [static_finding(7, "2020-03", "2020-Q1")])
        connection.execute("UPDATE raw.issues SET fields_version = 1")
        connection.execute(
            f"CREATE OR REPLACE TABLE raw.issues AS SELECT * EXCLUDE ({LACKING}) FROM raw.issues"
        )
        connection.execute("UPDATE meta.schema_version SET version = ?", [OLDEST])
        keep_verdicts(database, data_dir)
    return data_dir


def set_format(data_dir: DataDirectory, version: int) -> None:
    with duckdb.connect(str(data_dir.warehouse)) as connection:
        connection.execute("UPDATE meta.schema_version SET version = ?", [version])


def test_keeps_rows_of_sources_and_verdicts_until_they_are_read_again(
    data_dir: DataDirectory,
) -> None:
    with open_warehouse(data_dir.warehouse) as database:
        assert database.frame("SELECT max(version) FROM meta.schema_version").item() == FORMAT
        rows = database.frame(f"SELECT number, {LACKING} FROM raw.issues").rows()
        assert rows == [(7, None, None, None)]
        assert database.frame("SELECT rater FROM reviews.verdicts").rows() == [("Ann",)]
        kept = database.frame("SELECT line, earlier_duplicates FROM raw.static_findings").rows()
        assert kept == [(7, 0)]
        loads = database.frame('SELECT "table" FROM meta.partition_loads ORDER BY 1')["table"]
        assert loads.to_list() == ["raw.commits", "raw.issues", "raw.unparsed_files"]
        assert stale_cohorts(database.connection, "owner/name", FIELDS) == {"2020-01": 1}


def test_verdicts_on_findings_get_the_columns_that_they_lack(data_dir: DataDirectory) -> None:
    with duckdb.connect(str(data_dir.warehouse)) as connection:
        connection.execute(
            """
            CREATE OR REPLACE TABLE reviews.finding_verdicts AS
            SELECT
                1::BIGINT AS verdict_id, 'Ann' AS rater, 'a/b' AS repository,
                'f0000000000000001' AS finding_id, 'right' AS verdict, NULL::VARCHAR AS note,
                now() AS imported_at, 'sheet.csv' AS file, repeat('a', 64) AS file_sha256,
                2::BIGINT AS line
            """
        )
    with open_warehouse(data_dir.warehouse) as database:
        rows = database.frame("SELECT rater, verdict, state FROM reviews.finding_verdicts").rows()
        assert rows == [("Ann", "right", None)]


def test_a_migrated_warehouse_has_the_shape_of_a_new_one(
    data_dir: DataDirectory, tmp_path: Path
) -> None:
    shape = """
        SELECT schema_name || '.' || table_name, column_name, data_type, is_nullable
        FROM duckdb_columns() WHERE NOT internal ORDER BY ALL
    """
    new_one = tmp_path / "new" / "warehouse.duckdb"
    new_one.parent.mkdir()
    with open_warehouse(data_dir.warehouse) as old, open_warehouse(new_one) as new:
        assert old.frame(shape).equals(new.frame(shape))


def test_before_a_migration_a_backup_is_taken_that_can_be_restored(data_dir: DataDirectory) -> None:
    with open_warehouse(data_dir.warehouse) as database:
        database.connection.execute("DELETE FROM raw.issues")
    kept = data_dir.backup_of_format(OLDEST)
    with open_backup(kept) as (_, manifest):
        assert (manifest.format, manifest.rows["reviews.verdicts"]) == (OLDEST, 1)
    restore(data_dir, kept)
    with open_warehouse(data_dir.warehouse) as database:
        assert database.frame("SELECT number FROM raw.issues").rows() == [(7,)]


def test_a_table_of_another_shape_is_mined_again_and_its_loads_are_forgotten(
    data_dir: DataDirectory,
) -> None:
    with duckdb.connect(str(data_dir.warehouse)) as connection:
        connection.execute("ALTER TABLE raw.issues ADD COLUMN colour VARCHAR")
    with open_warehouse(data_dir.warehouse) as database:
        assert database.frame("FROM raw.issues").is_empty()
        loads = database.frame('SELECT DISTINCT "table" FROM meta.partition_loads')["table"]
        assert loads.to_list() == ["raw.commits", "raw.unparsed_files"]


def test_a_computed_table_whose_rows_break_its_conditions_gets_them_and_is_computed_again(
    data_dir: DataDirectory,
) -> None:
    label = ("owner/name", "slow", True, False, "2-3f2a9c0b")
    with duckdb.connect(str(data_dir.warehouse)) as connection:
        connection.execute(
            "CREATE OR REPLACE TABLE labels.label_kinds AS FROM labels.label_kinds LIMIT 0"
        )
        connection.execute("INSERT INTO labels.label_kinds VALUES (?, ?, ?, ?, ?)", label)
    with open_warehouse(data_dir.warehouse) as database:
        assert database.frame("FROM labels.label_kinds").is_empty()
        with pytest.raises(duckdb.ConstraintException):
            database.connection.execute(
                "INSERT INTO labels.label_kinds VALUES (?, ?, ?, ?, ?)", label
            )


def test_a_migration_that_fails_leaves_the_older_format(
    data_dir: DataDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise duckdb.IOException("No space left on device")

    monkeypatch.setattr(migrations, "create_tables", failing)
    with (
        pytest.raises(PerfAssetsError, match="the disk is full"),
        open_warehouse(data_dir.warehouse),
    ):
        pass
    with duckdb.connect(str(data_dir.warehouse)) as connection:
        assert migrations.stored_format(connection) == OLDEST
        assert connection.execute("SELECT count(*) FROM raw.issues").fetchone() == (1,)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (3, "^{data_dir} was written before the first release .format 3.*: move warehouse.duckdb"),
        (99, "^{data_dir} was written by a newer perf-assets .format 99.*: upgrade perf-assets"),
    ],
)
def test_what_is_too_old_or_newer_is_refused_in_one_sentence_and_left(
    data_dir: DataDirectory, version: int, message: str
) -> None:
    set_format(data_dir, version)
    before = data_dir.warehouse.read_bytes()
    with (
        pytest.raises(PerfAssetsError, match=message.format(data_dir=data_dir.path)),
        open_warehouse(data_dir.warehouse),
    ):
        pass
    assert data_dir.warehouse.read_bytes() == before


def test_verdicts_come_back_where_a_data_directory_that_is_too_old_begins_again(
    data_dir: DataDirectory,
) -> None:
    set_format(data_dir, 3)
    data_dir.warehouse.rename(data_dir.path / "old.duckdb")
    with open_warehouse(data_dir.warehouse) as database:
        keep_verdicts(database, data_dir)
        assert database.frame("FROM raw.issues").is_empty()
        assert database.frame("SELECT rater, verdict FROM reviews.verdicts").rows() == [
            ("Ann", "yes")
        ]


def test_a_backup_that_is_too_old_is_refused_and_what_is_there_stays(
    data_dir: DataDirectory,
) -> None:
    backup = data_dir.path / "old.zip"
    set_format(data_dir, 3)
    write_backup(data_dir, backup)
    set_format(data_dir, OLDEST)
    with pytest.raises(PerfAssetsError, match="was written before the first release"):
        restore(data_dir, backup)
    with open_warehouse(data_dir.warehouse) as database:
        assert database.frame("SELECT number FROM raw.issues").rows() == [(7,)]


def test_loads_that_were_published_before_there_were_watermarks_are_read(
    empty_data_dir: DataDirectory,
) -> None:
    with open_warehouse(empty_data_dir.warehouse) as database:
        insert(database.connection, "meta.partition_loads", loads("2020-01"))
        known = database.loads("raw.issues", "owner/name")
        database.connection.execute("DROP TABLE meta.watermarks")
        assert database.loads("raw.issues", "owner/name").equals(known)
        assert known["month"].to_list() == ["2020-01"]


def test_a_warehouse_whose_number_alone_is_older_is_opened_as_any_other(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as database:
        database.connection.execute("UPDATE meta.schema_version SET version = ?", [FORMAT - 1])
    with open_warehouse(path) as database:
        query = "SELECT max(version), current_setting('TimeZone') FROM meta.schema_version"
        assert database.connection.execute(query).fetchall() == [(FORMAT, "UTC")]
