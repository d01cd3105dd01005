"""Databases of strangers: nothing that they define is called, all of it is named."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

from perf_assets.archive.checking import check_archive
from perf_assets.archive.comparing import compare
from perf_assets.archive.defined import compare_definitions
from perf_assets.archive.extending import begin_from
from perf_assets.archive.findings import Check
from perf_assets.archive.given import compare_database
from perf_assets.archive.manifest import DATABASE, MANIFEST, TABLES, read_manifest
from perf_assets.archive.recomputing import recomputed_tables
from perf_assets.config.data_directory import DataDirectory
from perf_assets.schema import declared
from perf_assets.storage.backups import write_backup
from perf_assets.storage.confined import attach, confined
from perf_assets.storage.received import admit, stored_rows, undeclared
from tests.archive.forging import files_of, forged, with_row_count
from tests.hostile_databases import (
    PRIVATE,
    in_newest_storage,
    other_things,
    shadowed,
    triggers,
    views_for_tables,
)
from tests.model_database import insert
from tests.storage.good_rows import GOOD, completed
from tests.support import Prepared, perf_assets

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

DOCTORED = "CREATE OR REPLACE VIEW staging.bug_reports AS SELECT * FROM staging.issues WHERE false"


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Path]:
    """A folder to which everything hostile writes; nothing is in it at the end."""
    folder = tmp_path / "trap"
    folder.mkdir()
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def private(tmp_path: Path) -> Path:
    path = tmp_path / "private.txt"
    path.write_text(PRIVATE, encoding="utf-8")
    return path


@pytest.fixture
def spoil(trap: Path, private: Path) -> Callable[[Path], set[str]]:
    """Puts everything hostile into a database; the names of it."""

    def spoiled(path: Path) -> set[str]:
        in_newest_storage(path)
        with duckdb.connect(str(path)) as connection:
            connection.execute(DOCTORED)
            made = [*other_things(connection), *triggers(connection, private)]
            return {*made, *shadowed(connection, trap), "view staging.bug_reports"}

    return spoiled


def has_private(folder: Path) -> list[Path]:
    """The files below ``folder`` into which a private one was copied."""
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and PRIVATE.encode() in path.read_bytes()
    ]


def test_no_command_calls_what_a_data_directory_defines(
    small: Prepared, data_dir: Path, tmp_path: Path, spoil: Callable[[Path], set[str]]
) -> None:
    home = DataDirectory(data_dir)
    for database in (home.warehouse, home.published):
        assert spoil(database) <= {*undeclared(database)}
    own = ("--data-dir", data_dir)
    for command in (
        ("status", *own),
        ("report", *own),
        ("alerts", *own),
        ("query", "monthly_share_of_new_bugs", *own),
        ("compare", home.published, small.data_dir),
        ("doctor", *own),
        ("backup", tmp_path / "kept.zip", *own),
        ("archive", tmp_path / "study.zip", "--study", small.study, *own),
    ):
        ran = perf_assets(*command)
        assert ran.returncode == (command[0] == "compare"), (command, ran.stdout, ran.stderr)
        assert "Traceback" not in ran.stderr
    assert undeclared(home.warehouse) == ()
    assert check_archive(tmp_path / "study.zip").is_equal
    assert has_private(data_dir) == []


def test_a_database_says_what_its_rows_say_whatever_it_defines(
    small: Prepared, data_dir: Path, spoil: Callable[[Path], set[str]]
) -> None:
    spoil(DataDirectory(data_dir).published)
    queries = ("monthly_share_of_new_bugs", "open_performance_bugs", "how_fresh_is_it")
    for query in queries:
        answers = [
            perf_assets("query", query, "--format", "csv", "--data-dir", each).stdout
            for each in (data_dir, small.data_dir)
        ]
        assert answers[0] == answers[1] != ""


def test_an_archive_that_defines_anything_is_not_equal_and_all_of_it_is_named(
    archive: Path, tmp_path: Path, spoil: Callable[[Path], set[str]]
) -> None:
    files, database = files_of(archive), tmp_path / "spoiled.duckdb"
    database.write_bytes(files[DATABASE])
    names = spoil(database)
    path = forged(tmp_path / "forged.zip", {**files, DATABASE: database.read_bytes()})
    check = check_archive(path)
    found = [one for one in check.findings if one.state == "differs"]
    assert [one.subject for one in found] == [DATABASE, "views and macros"]
    named = {detail.partition(" is not as")[0] for one in found for detail in one.details}
    assert names <= named
    compared = compare(archive, path)
    assert names <= {sentence.partition(":")[0] for sentence in compared.defined}
    assert not compared.is_equal


def test_going_on_from_an_archive_or_a_backup_brings_rows_alone(
    small: Prepared,
    archive: Path,
    data_dir: Path,
    tmp_path: Path,
    spoil: Callable[[Path], set[str]],
) -> None:
    files, database = files_of(archive), tmp_path / "spoiled.duckdb"
    database.write_bytes(files[DATABASE])
    spoil(database)
    path = forged(tmp_path / "forged.zip", {**files, DATABASE: database.read_bytes()})
    begun = DataDirectory.of(tmp_path / "begun")
    begin_from(path, begun, str(small.study))
    assert undeclared(begun.warehouse) == ()
    home = DataDirectory(data_dir)
    spoil(home.warehouse)
    write_backup(home, tmp_path / "kept.zip")
    restored = DataDirectory.of(tmp_path / "restored")
    ran = perf_assets("restore", tmp_path / "kept.zip", "--data-dir", restored.path)
    assert ran.returncode == 0, ran.stderr
    assert undeclared(restored.warehouse) == undeclared(restored.published) == ()
    assert has_private(restored.path) + has_private(begun.path) == []


def test_a_view_in_place_of_a_table_is_never_read(
    data_dir: Path, trap: Path, tmp_path: Path
) -> None:
    published = DataDirectory(data_dir).published
    with duckdb.connect(str(published)) as connection:
        names = views_for_tables(connection, trap)
    assert {*names} <= {*undeclared(published)}
    with stored_rows(published) as (_, rows):
        assert rows == {}
    for command in ("status", "report", "alerts"):
        ran = perf_assets(command, "--data-dir", data_dir)
        assert "Traceback" not in ran.stderr
    admit(published)
    assert undeclared(published) == ()


def test_tables_of_another_shape_are_taken_for_empty(data_dir: Path) -> None:
    home = DataDirectory(data_dir)
    for path in (home.published, home.warehouse):
        with duckdb.connect(str(path)) as connection:
            for name in ("meta.about", "meta.schema_version", "raw.issues", "marts.bug_metrics"):
                connection.execute(f"DROP TABLE {name} CASCADE")
                connection.execute(f"CREATE TABLE {name} AS SELECT 'x' AS version, 1 AS more")
    for command in ("status", "report", "alerts", "backup"):
        target = (data_dir.parent / "kept.zip",) if command == "backup" else ()
        ran = perf_assets(command, *target, "--data-dir", data_dir)
        assert (ran.returncode in (0, 2), "Traceback" in ran.stderr) == (True, False), ran.stderr
    assert undeclared(home.warehouse) == ()


@pytest.mark.parametrize("database", [b"", b"hello", b"SQLite format 3\0" + bytes(4096)])
def test_what_is_not_a_duckdb_file_is_refused_in_one_sentence(
    tmp_path: Path, database: bytes
) -> None:
    path = tmp_path / "perf_bugs.duckdb"
    path.write_bytes(database)
    for command in (("compare", path, path), ("status", "--data-dir", tmp_path)):
        ran = perf_assets(*command)
        assert (ran.returncode, "Traceback" in ran.stderr) == (2, False), ran.stderr
        assert len(ran.stderr.strip().splitlines()) == 1


def test_a_confined_connection_reaches_the_files_it_was_given_alone(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("x", encoding="utf-8")
    path = tmp_path / "given.duckdb"
    duckdb.connect(str(path)).close()
    with confined(path) as connection:
        attach(connection, path, "given")
        for statement in (
            f"FROM read_text('{tmp_path / 'other'}')",
            f"COPY (SELECT 1) TO '{tmp_path / 'new'}'",
            f"ATTACH '{tmp_path / 'new'}'",
            f"FROM enable_profiling(save_location := '{tmp_path / 'new'}', format := 'json')",
            f"FROM enable_logging(storage := 'file', storage_path := '{tmp_path / 'new'}')",
            "SET enable_external_access = true",
            "INSTALL httpfs",
            "LOAD httpfs",
            "CREATE TABLE given.main.new (a INTEGER)",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(statement)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["given.duckdb", "other"]


@pytest.mark.parametrize("name", ["it's, one", "a link"])
def test_a_database_may_be_called_anything_and_be_a_link(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    published = DataDirectory(data_dir).published
    path = tmp_path / name / "perf_bugs.duckdb"
    path.parent.mkdir()
    if name == "a link":
        path.symlink_to(published)
    else:
        shutil.copyfile(published, path)
    assert undeclared(path) == ()
    monkeypatch.chdir(path.parent)
    ran = perf_assets("compare", path.name, data_dir)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    "is_alone", [False, pytest.param(True, marks=pytest.mark.exhaustive, id="one at a time")]
)
def test_each_table_and_view_of_the_database_is_held_against_the_rest(
    archive: Path, tmp_path: Path, is_alone: bool
) -> None:
    files = files_of(archive)
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    manifest = read_manifest(files[MANIFEST], "forged")
    every = list(declared().values())
    for tables in [[one] for one in every] if is_alone else [every]:
        (tmp_path / DATABASE).write_bytes(files[DATABASE])
        with duckdb.connect(str(tmp_path / DATABASE)) as connection:
            for table in tables:
                if table.is_view:
                    connection.execute(f"CREATE OR REPLACE VIEW {table.name} AS SELECT 'else' AS x")
                else:
                    doctor(connection, table.name)
        check = Check(manifest)
        compare_definitions(tmp_path, compare_database(tmp_path, check), check)
        found = [one for each in check.findings if each.state == "differs" for one in each.details]
        named = {word for one in found for word in one.split(" ")[:2]}
        assert named - {"has", "is", "table", "view"} == {one.name for one in tables}


@pytest.mark.exhaustive
def test_each_table_that_is_computed_is_found_where_it_was_doctored_in_both_places(
    archive: Path, tmp_path: Path
) -> None:
    files, database = files_of(archive), tmp_path / "doctored.duckdb"
    database.write_bytes(files[DATABASE])
    names = set()
    with duckdb.connect(str(database)) as connection:
        for name in sorted(recomputed_tables()):
            if declared()[name].is_view or not doctor(connection, name):
                continue
            names.add(name)
            path = tmp_path / f"{name}.parquet"
            connection.execute(f"COPY {name} TO '{path}' (FORMAT parquet)")
            files[f"{TABLES}/{name}.parquet"] = path.read_bytes()
            ((rows,),) = connection.execute(f"SELECT count(*) FROM {name}").fetchall()
            files = with_row_count(files, name, rows)
    check = check_archive(
        forged(tmp_path / "forged.zip", {**files, DATABASE: database.read_bytes()})
    )
    assert names <= {one.subject for one in check.findings if one.state == "differs"}


def doctor(connection: duckdb.DuckDBPyConnection, table: str) -> bool:
    """Take a row of ``table`` away, or put one into it; False where it has none, and none is known.

    Then its conditions are dropped.
    """
    ((rows,),) = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    if rows:
        connection.execute(f"DELETE FROM {table} WHERE rowid = (SELECT min(rowid) FROM {table})")
        return True
    with suppress(duckdb.ConstraintException, KeyError):
        insert(connection, table, [completed(table, GOOD[table][0])])
        return True
    connection.execute(f"CREATE OR REPLACE TABLE {table} AS FROM {table}")
    return False
