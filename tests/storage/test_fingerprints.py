"""Fingerprints: what counts as a change of what a table is made from, and what does not."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlglot import exp

from perf_assets.schema import declared, table_of
from perf_assets.schema.models.files import load_models
from perf_assets.schema.models.parsing import parse_query
from perf_assets.storage import fingerprints
from perf_assets.storage.warehouse import Database, open_warehouse
from tests.model_database import insert
from tests.rows import REPOSITORY, issue, label, load, loads

pytestmark = pytest.mark.slow

LABELS = "labels.performance_labels"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_warehouse(tmp_path / "warehouse.duckdb") as database:
        insert(database.connection, "raw.issues", [issue(1, "2020-01-05"), issue(2, "2020-02-06")])
        insert(database.connection, LABELS, [label(1, is_performance=True), label(2)])
        insert(database.connection, "meta.partition_loads", [load("2020-01", LABELS)])
        yield database


@pytest.mark.parametrize(
    ("change", "is_other"),
    [
        ("UPDATE raw.issues SET title = 'Slow' WHERE number = 1", True),
        ("UPDATE raw.issues SET body = '' WHERE number = 1", True),
        ("UPDATE raw.issues SET labels = ['bug'] WHERE number = 2", True),
        ("DELETE FROM raw.issues WHERE number = 2", True),
        ("UPDATE raw.issues SET number = 3 - number", True),
        ("UPDATE raw.issues SET loaded_at = now()", False),
        ("UPDATE raw.issues SET title = title", False),
        ("CREATE TABLE kept AS FROM raw.issues", False),
        (
            "CREATE TEMP TABLE kept AS FROM raw.issues; DELETE FROM raw.issues; "
            "INSERT INTO raw.issues FROM kept ORDER BY number DESC",
            False,
        ),
    ],
)
def test_rows_are_other_ones_by_what_they_hold(
    database: Database, change: str, is_other: bool
) -> None:
    before = fingerprints.content(database, "raw.issues")
    database.connection.execute(change)
    assert (fingerprints.content(database, "raw.issues") != before) is is_other


def test_that_a_source_was_looked_at_is_not_a_change_but_that_a_month_was_stored_is(
    database: Database,
) -> None:
    insert(database.connection, "meta.partition_loads", loads("2020-01"))
    before = fingerprints.content(database, "meta.partition_loads")
    database.connection.execute(
        "UPDATE meta.partition_loads SET updated_at = now(), requests = 9, loaded_at = now()"
    )
    assert fingerprints.content(database, "meta.partition_loads") == before
    insert(database.connection, "meta.partition_loads", loads("2020-02"))
    assert fingerprints.content(database, "meta.partition_loads") != before


@pytest.mark.parametrize("rows", range(1, 6))
def test_the_same_change_in_every_row_is_a_change_whatever_their_number(
    database: Database, rows: int
) -> None:
    held = {
        fingerprints.content_of(database, f"SELECT i, '{word}' AS last FROM range({rows}) AS t(i)")
        for word in ("before", "after")
    }
    assert len(held) == 2


def test_no_model_reads_what_is_left_out_of_the_fingerprint_of_its_inputs() -> None:
    for model in load_models():
        query = parse_query(model.path, model.sql)
        named = {column.name for column in query.find_all(exp.Column)}
        shown = {*model.table.column, *named}
        for table in model.upstream:
            left_out = {*table_of(table).column} - {*fingerprints.columns_read(table)}
            assert not left_out & shown, (model.name, table)


@pytest.mark.parametrize(
    "spoil",
    [
        f"DELETE FROM {LABELS} WHERE number = 2",
        f"UPDATE {LABELS} SET ignored_lines = ['another line']",
        "DELETE FROM meta.partition_loads",
        "UPDATE meta.partition_loads SET status = 'failed'",
        "DELETE FROM meta.build_state",
        "DROP TABLE meta.build_state",
    ],
)
def test_what_is_not_as_it_was_stored_is_out_of_date(database: Database, spoil: str) -> None:
    def is_current(basis: str = "basis", repository: str = REPOSITORY) -> bool:
        return fingerprints.is_current(database, [LABELS], basis, repository)

    assert not is_current()
    fingerprints.note(database, [LABELS], "basis", REPOSITORY)
    assert is_current()
    assert not is_current("another basis")
    assert not is_current(repository="some/other")
    assert not fingerprints.is_current(database, [LABELS, "raw.issues"], "basis", REPOSITORY)
    database.connection.execute(spoil)
    database = Database(database.connection)  # as the next process opens it
    assert not is_current()


def test_a_table_that_went_with_its_transaction_is_made_again(database: Database) -> None:
    database.connection.execute("DROP TABLE meta.build_state")
    with pytest.raises(ZeroDivisionError), database.transaction():
        database.ensure(fingerprints.NAME)
        raise ZeroDivisionError
    database.ensure(fingerprints.NAME)
    assert database.frame("FROM meta.build_state").is_empty()


def test_the_rules_of_a_table_and_what_decides_have_their_part_in_it() -> None:
    rules = {fingerprints.rules_of(table) for table in declared().values()}
    assert len(rules) == len(declared())
    assert fingerprints.basis_of("a", ["b"]) == fingerprints.basis_of("a", ["b"])
    assert fingerprints.basis_of("a", ["b"]) != fingerprints.basis_of("a", ["c"])
