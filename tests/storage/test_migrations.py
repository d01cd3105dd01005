"""What an older version left is brought to the shape that this one writes, or refused."""

from pathlib import Path

import duckdb
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.questions.classifier_assumptions import KINDS
from perf_assets.schema import declared
from perf_assets.schema.ddl import table_definition
from perf_assets.stages.mining.stale_cohorts import stale_cohorts
from perf_assets.storage import migrations
from perf_assets.storage.backups import read_manifest, write_backup
from perf_assets.storage.migrations import FORMAT
from perf_assets.storage.restoring import restore
from perf_assets.storage.verdicts import VERDICT_KINDS, _lines, keep_verdicts, read_log
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.rows import issue, loads, static_finding, verdict

pytestmark = pytest.mark.slow

OLD_VIEW = "raw.commit_metrics"
OLD = "meta.format"


@pytest.fixture
def data_dir(tmp_path: Path) -> DataDirectory:
    """A data directory of format 9: an issue, a verdict, a view of an old name, and their loads."""
    data_dir = DataDirectory.of(tmp_path / "home")
    judged = {"file": "a.csv", "imported_at": "2020-01-05"}
    load = {"repository": "owner/name", "month": "2020-01", "loaded_at": "2020-03-01"}
    load |= {"row_count": 1, "requests": 1, "points": 1, "status": "loaded", "is_stored": True}
    with open_warehouse(data_dir.warehouse) as database:
        connection = database.connection
        insert(connection, "raw.issues", [issue(7, "2020-01-05", events=2)])
        insert(connection, "reviews.verdicts", [{**verdict(1, "Ann", 7, "yes"), **judged}])
        tables = ("raw.issues", "raw.commits", "raw.unread_files")
        insert(connection, "meta.partition_loads", [{**load, "table": name} for name in tables])
        insert(connection, "raw.static_findings", [static_finding(7, "2020-03", "2020-Q1")])
        _with_old_names(connection)
        connection.execute(f"CREATE VIEW {OLD_VIEW} AS FROM details.commit_details")
        connection.execute("CREATE VIEW intermediate.judgements AS FROM reviews.verdicts")
        keep_verdicts(database, data_dir)
    return data_dir


def _with_old_names(connection: duckdb.DuckDBPyConnection) -> None:
    """Give tables and columns the names that they had before format 11."""
    names = migrations.renamed()
    old_names = {new: old for old, new in names.tables.items()}
    connection.execute("UPDATE meta.schema_version SET version = 9")
    for name, table in declared().items():
        columns = names.columns.get(name, {})
        old_name = old_names.get(name, name)
        if table.is_view or (old_name == name and not columns):
            continue
        listed = ", ".join(f'"{new}" AS "{old}"' for old, new in columns.items())
        left = ", ".join(f'"{new}"' for new in columns.values())
        rest = f"* EXCLUDE ({left}), {listed}"
        connection.execute(f"CREATE TABLE old AS SELECT {rest if listed else '*'} FROM {name}")
        connection.execute(f"DROP TABLE {name}")
        connection.execute(f"CREATE TABLE {old_name} AS FROM old")
        connection.execute("DROP TABLE old")


def set_format(data_dir: DataDirectory, version: int) -> None:
    with duckdb.connect(str(data_dir.warehouse)) as connection:
        table = "meta.schema_version" if migrations.stored_format(connection) == FORMAT else OLD
        connection.execute(f"UPDATE {table} SET version = ?", [version])


def test_a_data_directory_of_the_format_before_keeps_what_was_stored(
    data_dir: DataDirectory,
) -> None:
    with open_warehouse(data_dir.warehouse) as database:
        assert database.frame("SELECT max(version) FROM meta.schema_version").item() == FORMAT
        assert database.frame("SELECT number FROM raw.issues").rows() == [(7,)]
        assert database.frame("SELECT rater FROM reviews.verdicts").rows() == [("Ann",)]
        kept = database.frame("SELECT line, earlier_duplicates FROM raw.static_findings").rows()
        assert kept == [(7, 0)]
        loads = database.frame('SELECT "table" FROM meta.partition_loads ORDER BY 1')["table"]
        assert loads.to_list() == ["raw.commits", "raw.issues", "raw.unparsed_files"]
        with pytest.raises(duckdb.CatalogException):
            database.frame(f"FROM {OLD_VIEW}")


def test_issues_and_commits_of_format_14_stay_until_they_are_read_again(
    data_dir: DataDirectory,
) -> None:
    with open_warehouse(data_dir.warehouse):
        pass
    lacking = "author_association, milestone, thumbs_up"
    with duckdb.connect(str(data_dir.warehouse)) as connection:
        connection.execute("DELETE FROM meta.schema_version")
        connection.execute("INSERT INTO meta.schema_version VALUES (14)")
        connection.execute(
            f"CREATE OR REPLACE TABLE raw.issues AS SELECT * EXCLUDE ({lacking}) FROM raw.issues"
        )
    with open_warehouse(data_dir.warehouse) as database:
        rows = database.frame(f"SELECT number, {lacking} FROM raw.issues").rows()
        assert rows == [(7, None, None, None)]
        loads = database.frame('SELECT DISTINCT "table" FROM meta.partition_loads')["table"]
        assert "raw.issues" in loads.to_list()
        assert stale_cohorts(database.connection, "owner/name") == {"2020-01": 1}


def test_verdicts_on_findings_get_the_columns_that_came_since(data_dir: DataDirectory) -> None:
    with open_warehouse(data_dir.warehouse):
        pass
    with duckdb.connect(str(data_dir.warehouse)) as connection:
        connection.execute("DELETE FROM meta.schema_version")
        connection.execute("INSERT INTO meta.schema_version VALUES (12)")
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
    kept = data_dir.backup_of_format(9)
    assert (read_manifest(kept).format, read_manifest(kept).rows["reviews.verdicts"]) == (9, 1)
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
        assert migrations.stored_format(connection) == 9
        assert connection.execute(f"SELECT count(*) FROM {OLD_VIEW}").fetchone() == (0,)


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


def test_verdicts_come_back_where_a_data_directory_that_is_too_old_begins_anew(
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
    set_format(data_dir, 9)
    with pytest.raises(PerfAssetsError, match="was written before the first release"):
        restore(data_dir, backup)
    with open_warehouse(data_dir.warehouse) as database:
        assert database.frame("SELECT number FROM raw.issues").rows() == [(7,)]


def test_every_new_value_is_one_that_its_column_is_declared_to_have() -> None:
    for name, values in migrations.renamed().values.items():
        table, _, column = name.rpartition(".")
        known = declared()[table].column[column].values or KINDS
        assert set(values.values()) <= set(known), name
        assert not set(values) & set(known), name


def _with_old_values(connection: duckdb.DuckDBPyConnection) -> None:
    """Give tables the constraints that they had before format 12."""
    for name in {column.rpartition(".")[0] for column in migrations.renamed().values}:
        table = declared()[name]
        if table.is_view:
            continue
        definition = table_definition(table)
        for column in table.columns:
            values = migrations.renamed().values.get(f"{name}.{column.name}", {})
            for old, new in values.items():
                definition = definition.replace(f"'{new}'", f"'{old}'")
        connection.execute(f"DROP TABLE {name}")
        connection.execute(f"CREATE TABLE {name} {definition}")


def test_stored_values_of_format_11_get_their_new_spelling(tmp_path: Path) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    judged = {"rater": "Ann", "file": "a.csv", "imported_at": "2020-01-05", "file_sha256": "0" * 64}
    verdict = {**judged, "verdict_id": 1, "forum": "so", "question_id": 7, "problem": 1, "line": 2}
    unread = {"repository": "owner/name", "sha": "1" * 40, "quarter": "2020-Q1", "month": "2020-03"}
    with open_warehouse(data_dir.warehouse) as database:
        connection = database.connection
        _with_old_values(connection)
        reasons = ("python 2", "syntax", "lfs pointer")
        files = [{**unread, "path": reason, "reason": reason} for reason in reasons]
        insert(connection, "raw.unparsed_files", files)
        kinds = ["training anomaly", "performance"]
        told = {**verdict, "verdict": "no", "kinds": kinds}
        insert(connection, "reviews.question_verdicts", [told])
        rows = database.frame("FROM reviews.question_verdicts")
        data_dir.verdicts.write_bytes(b"".join(_lines(VERDICT_KINDS[1], rows)))
        connection.execute("UPDATE meta.schema_version SET version = 11")
    kept = data_dir.verdicts.read_bytes()
    assert b"training anomaly" in kept
    with open_warehouse(data_dir.warehouse) as database:
        insert(
            database.connection,
            "raw.unparsed_files",
            [{**files[0], "reason": "python_2", "path": "new"}],
        )
        assert keep_verdicts(database, data_dir) == 0
        of_files = database.frame("SELECT path, reason FROM raw.unparsed_files").rows()
        of_verdicts = database.frame("SELECT kinds FROM reviews.question_verdicts").rows()
    spelt = {(one, one.replace(" ", "_")) for one in reasons}
    assert set(of_files) == spelt | {("new", "python_2")}
    assert of_verdicts == [(["training_anomaly", "performance"],)]
    assert data_dir.verdicts.read_bytes() == kept
    (read,) = read_log(data_dir.verdicts).rows["reviews.question_verdicts"]["kinds"].to_list()
    assert read == ["training_anomaly", "performance"]


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
