"""The loader of the SQL models: what it reads from the files, and what it refuses."""

import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.paths import models_dir
from perf_assets.schema import Table
from perf_assets.schema.models.ddl import comment_statements, create_table, create_views
from perf_assets.schema.models.files import Model, described_tables, load_models
from perf_assets.schema.models.parsing import parse_query, tables_read
from perf_assets.schema.models.transpiling import NAMES
from perf_assets.storage.migrations import create_tables
from tests.model_database import ModelDatabase, lay_models

pytestmark = pytest.mark.slow

CONSTANTS = (
    "instrument",
    "marked_by",
    "dataset",
    "measure",
    "question",
    "aspect",
    "counted",
    "code_level",
    "stem_set",
    "code_unit",
)
MODELS = [model.name for model in load_models()]


@pytest.fixture(scope="module")
def database() -> duckdb.DuckDBPyConnection:
    return ModelDatabase().connection


def model(name: str) -> Model:
    return next(model for model in load_models() if model.name == name)


@cache
def syntax_tree(name: str) -> exp.Expression:
    """The text of a model parsed, only to be read."""
    (query,) = sqlglot.parse(model(name).sql, dialect="duckdb")
    assert query is not None
    return query


def columns_of(connection: duckdb.DuckDBPyConnection, query: str) -> list[tuple[str, str]]:
    rows = connection.execute(f"DESCRIBE {query}").fetchall()
    return [(name, kind) for name, kind, *_ in rows]


def declared_columns(table: Table) -> list[tuple[str, str]]:
    return [(column.name, column.type) for column in table.columns]


# Declarations equal the database


@pytest.mark.parametrize("name", MODELS)
def test_declared_columns_of_a_model_are_those_it_selects(
    database: duckdb.DuckDBPyConnection, name: str
) -> None:
    assert declared_columns(model(name).table) == columns_of(database, model(name).sql)


@pytest.mark.parametrize("name", sorted(described_tables()))
def test_everything_documented_has_sentences(name: str) -> None:
    doc = described_tables()[name]
    assert doc.description.endswith(".")
    assert [column.name for column in doc.columns if not column.description.endswith(".")] == []


def test_durations_sizes_and_counts_show_their_unit() -> None:
    for doc in (model("marts.bug_metrics").table, model("marts.trend_monthly").table):
        figures = [
            column
            for column in doc.columns
            if column.type in {"BIGINT", "DOUBLE"} and column.name != "number"
        ]
        assert [column.name for column in figures if column.unit is None] == []


# What the loader knows of a model


def test_models_come_after_what_they_read() -> None:
    for index, each in enumerate(load_models()):
        assert set(each.upstream) & set(MODELS) <= set(MODELS[:index])


def test_a_model_names_its_upstream_tables_and_no_step_of_its_own() -> None:
    assert model("staging.linked_commits").upstream == (
        "links.commit_relations",
        "links.fix_links",
        "raw.branch_commits",
        "raw.commits",
        "replication.fix_commits",
    )


@pytest.mark.parametrize("name", MODELS)
def test_what_stands_behind_from_and_join_is_what_the_parsed_model_reads(name: str) -> None:
    parsed = parse_query(model(name).path, model(name).sql)
    assert model(name).upstream == tables_read(parsed)


def test_a_model_that_cannot_be_parsed_is_reported_with_its_file() -> None:
    broken = replace(model("staging.repositories"), sql="select 1 as a frm raw.issues")
    with pytest.raises(PerfAssetsError, match=f"^{re.escape(str(broken.path))}: this does not"):
        create_views(duckdb.connect(), [broken])


def test_lineage_leads_from_a_column_through_all_steps_to_the_columns_read() -> None:
    lineage = model("marts.bug_metrics").column_lineage
    assert lineage["fix_size"] == (("intermediate.fixes", "fix_size"),)
    assert lineage["fix_time_days"] == (
        ("intermediate.fixes", "fix_commits"),
        ("staging.bug_reports", "closed_at"),
        ("staging.bug_reports", "opened_at"),
        ("staging.bug_reports", "state"),
    )
    assert model("intermediate.months").column_lineage["month"] == (
        ("intermediate.activity", "last_series_month"),
        ("staging.loaded_months", "month"),
        ("staging.repositories", "start_month"),
    )


def test_every_column_but_a_constant_has_a_source_and_all_sources_exist() -> None:
    for each in load_models():
        for column, sources in each.column_lineage.items():
            is_constant = column in CONSTANTS or not each.upstream
            assert sources or is_constant, (each.name, column)
            for table, source in sources:
                assert table in each.upstream
                assert source in [known.name for known in described_tables()[table].columns]


def test_marts_are_tables_and_what_is_before_them_views() -> None:
    assert {each.table.schema_name: each.table.is_view for each in load_models()} == {
        "staging": True,
        "intermediate": True,
        "marts": False,
    }


@pytest.mark.parametrize("name", MODELS)
def test_a_model_reads_no_layer_behind_its_own(name: str) -> None:
    read = name.partition(".")[0]
    layers = ("staging", "intermediate", "marts")
    behind = layers[layers.index(read) + 1 :]
    assert [table for table in model(name).upstream if table.partition(".")[0] in behind] == []


def test_mined_and_published_data_are_united_in_staging() -> None:
    later = {
        each.name
        for each in load_models()
        if not each.name.startswith("staging.")
        and any(table.startswith("replication.") for table in each.upstream)
    }
    # Mined causes are agreed on by raters first, and only published data have a series to check.
    assert later == {"intermediate.bug_causes", "marts.paper_trend"}


@pytest.mark.parametrize("name", MODELS)
def test_models_join_by_name_where_names_are_equal(name: str) -> None:
    query = syntax_tree(name)
    spelled_out = [
        join.args["on"].sql()
        for join in query.find_all(exp.Join)
        if join.args.get("on") is not None and is_by_name(join.args["on"])
    ]
    assert spelled_out == []


def is_by_name(condition: exp.Expression) -> bool:
    parts = condition.flatten() if isinstance(condition, exp.And) else [condition]
    return all(isinstance(part, exp.EQ) and part.left.name == part.right.name for part in parts)


@pytest.mark.parametrize("name", MODELS)
def test_models_keep_to_what_is_translated_to_spark_in_full(name: str) -> None:
    query = syntax_tree(name)
    assert query.sql("spark", unsupported_level=sqlglot.ErrorLevel.RAISE)
    # Without a word, an unknown function is passed on as it is, len() is taken for that of a text,
    # and the order of a list is dropped.
    unknown = {function.name.lower() for function in query.find_all(exp.Anonymous)}
    assert unknown <= NAMES.keys()
    assert list(query.find_all(exp.Length)) == []
    assert [found for found in query.find_all(exp.ArrayAgg) if found.find(exp.Order)] == []


def test_a_model_is_described_by_the_comment_at_its_head() -> None:
    described = model("staging.repositories").table.description
    assert described == (
        "The repositories of each dataset, and the months from which on they are studied."
    )


@pytest.mark.parametrize("name", MODELS)
def test_every_step_of_a_model_is_used(name: str) -> None:
    query = syntax_tree(name)
    steps = [step.alias for step in query.find_all(exp.CTE)]
    read = {table.name for table in query.find_all(exp.Table) if not table.db}
    assert [step for step in steps if step not in read] == []


# Laying models into DuckDB


def test_a_mart_refuses_rows_that_break_its_documentation(
    database: duckdb.DuckDBPyConnection,
) -> None:
    row = "INSERT INTO marts.dataset_breakdown VALUES ('live', 'owner/name', true, 1, 2, {fixed})"
    with database.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(row.format(fixed=2))
        with pytest.raises(duckdb.ConstraintException, match="duplicate key"):
            cursor.execute(row.format(fixed=2))
    with database.cursor() as cursor, pytest.raises(duckdb.ConstraintException, match="CHECK"):
        cursor.execute(row.format(fixed=3))
    with database.cursor() as cursor, pytest.raises(duckdb.ConstraintException, match="NOT NULL"):
        cursor.execute(row.format(fixed="NULL"))


LAY_AND_DIE = """
import os, signal, sys
from pathlib import Path
import duckdb
from tests.model_database import lay_models
from perf_assets.schema.models.ddl import comment_statements
from perf_assets.storage.migrations import create_tables

connection = duckdb.connect(sys.argv[1])
create_tables(connection)
lay_models(connection)
for statement in comment_statements(connection):
    connection.execute(statement)
assert Path(sys.argv[1] + ".wal").stat().st_size > 100_000
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_database_whose_process_was_killed_opens_again(tmp_path: Path) -> None:
    # DuckDB replays what it had not yet put into the file before it has loaded most functions: a
    # constraint that calls one of them, as list_contains or least, leaves a file that cannot be
    # opened any more.
    path = tmp_path / "warehouse.duckdb"
    ran = subprocess.run([sys.executable, "-c", LAY_AND_DIE, path], check=False)
    assert ran.returncode == -signal.SIGKILL
    with duckdb.connect(str(path)) as connection:
        assert comment_statements(connection) == []


def test_laying_the_same_models_again_leaves_the_file_untouched(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"

    def lay() -> bytes:
        with duckdb.connect(str(path)) as connection:
            create_tables(connection)
            lay_models(connection)
            for statement in comment_statements(connection):
                connection.execute(statement)
        return path.read_bytes()

    assert lay() == lay()


def test_a_mart_of_another_shape_is_replaced_and_one_of_the_same_keeps_its_rows() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA marts; CREATE TABLE marts.dataset_breakdown (old INT)")
        breakdown = model("marts.dataset_breakdown")
        create_table(connection, breakdown.table)
        assert columns_of(connection, breakdown.name) == declared_columns(breakdown.table)
        connection.execute(f"INSERT INTO {breakdown.name} VALUES ('live', 'a/b', true, 1, 0, 0)")
        create_table(connection, breakdown.table)
        assert connection.execute(f"SELECT count(*) FROM {breakdown.name}").fetchone() == (1,)


def test_a_view_follows_its_file() -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        connection.execute("CREATE VIEW staging.repositories AS SELECT 1 AS old")
        repositories = model("staging.repositories")
        assert create_views(connection, [repositories]) == {repositories.name}
        assert columns_of(connection, repositories.name) == declared_columns(repositories.table)
        assert create_views(connection, [repositories]) == set()


def test_comments_describe_tables_views_and_columns_with_their_units() -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        lay_models(connection)
        for statement in comment_statements(connection):
            connection.execute(statement)
        columns = dict(
            connection.execute(
                "SELECT schema_name || '.' || table_name || '.' || column_name, comment "
                "FROM duckdb_columns() WHERE NOT internal"
            ).fetchall()
        )
        view = connection.execute(
            "SELECT comment FROM duckdb_views() WHERE view_name = 'discussions'"
        ).fetchone()
        assert view == (model("staging.discussions").table.description,)
        assert columns["raw.commits.additions"] == (
            "Lines it adds; a merge is compared with its first parent. Unit: lines."
        )
        assert "" not in columns.values()
        assert None not in columns.values()
        assert comment_statements(connection) == []


# What the loader refuses


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the models that a test may spoil."""
    return Path(shutil.copytree(models_dir(), tmp_path / "dbt_like_models"))


def refusal(project: Path) -> str:
    with pytest.raises(PerfAssetsError) as caught:
        for each in load_models(project):
            assert each.column_lineage
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("-- Broken.\nselect (1 as dataset", "does not parse as SQL: .*line 2"),
        ("-- Broken.\nselect 'a", "does not parse as SQL"),
        ("-- Two.\nselect 1 as dataset;\nselect 2 as dataset", "is a single SELECT"),
        ("-- Writes.\ncreate table staging.x as select 1 as dataset", "is a single SELECT"),
        ("-- Empty.\n", "is a single SELECT"),
        ("select 1 as dataset", "begin the file with a comment"),
        (
            "-- Reads what nobody makes.\nselect repository from raw.nothing",
            "raw.nothing, which it reads, is not declared",
        ),
        (
            "-- Reads a table without its schema.\nselect repository from repositories",
            "repositories, which it reads, is not declared",
        ),
        (
            "-- Reads a column that is not there.\n"
            "select dataset, owner, start_month, trend_start_month from meta.repositories",
            "cannot be followed|owner",
        ),
        (
            "-- Another order.\n"
            "select 'live' as dataset, repository, trend_start_month, start_month "
            "from meta.repositories",
            "column 3 is trend_start_month, but staging.repositories is declared with start_month",
        ),
        (
            "-- One too few.\nselect 'live' as dataset, repository, start_month "
            "from meta.repositories",
            "column 4 is nothing, but .* is declared with trend_start_month there",
        ),
    ],
)
def test_a_file_that_is_not_a_model_is_refused_by_name(
    project: Path, text: str, complaint: str
) -> None:
    path = project / "staging" / "repositories.sql"
    path.write_text(text, encoding="utf-8")
    message = refusal(project)
    assert message.startswith(f"{path}: ")
    assert re.search(complaint, message), message


def test_models_that_read_each_other_in_a_circle_are_refused(project: Path) -> None:
    path = project / "staging" / "repositories.sql"
    path.write_text(
        "-- Reads its reader.\nselect dataset, repository, month as start_month, "
        "month as trend_start_month from intermediate.months",
        encoding="utf-8",
    )
    message = refusal(project)
    assert message.startswith("these models read each other in a circle: ")
    assert str(path) in message
    assert str(project / "intermediate" / "months.sql") in message


def test_a_model_that_is_not_declared_is_refused(project: Path) -> None:
    path = project / "marts" / "unknown.sql"
    path.write_text("-- New.\nselect 1 as one", encoding="utf-8")
    assert refusal(project) == (
        f"{path}: marts.unknown is not declared; write unknown.yml beside it"
    )


def test_a_model_outside_the_layers_is_refused(project: Path) -> None:
    path = project / "analysis" / "extra.sql"
    path.write_text("-- New.\nselect 1 as one", encoding="utf-8")
    assert refusal(project) == (
        f"{path}: models belong in one of the folders staging, intermediate, marts"
    )


def test_a_declared_model_without_its_file_is_refused(project: Path) -> None:
    (project / "marts" / "trend_monthly.sql").unlink()
    assert refusal(project) == (
        f"{project / 'marts' / 'trend_monthly'}.yml: marts.trend_monthly has no SQL file"
    )


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("columns:", "columns: [", "this is not valid YAML: "),
        ("columns:", "colums:", "colums: unknown key; did you mean columns?"),
        ("key: [dataset, repository, number]\n", "", "key: this key is missing"),
        ("key: [dataset, repository, number]", "key: [id]", "key has id, no column; known are "),
        ("  month:\n", "  state:\n", "the key state occurs twice"),
        ("    unit: days\n", "    units: days\n", "fix_time_days.units: unknown key; did you mean"),
        ("    type: DOUBLE\n", "", "columns.fix_time_days.type: this key is missing"),
        ("    type: DOUBLE\n", "    type: FLOT\n", "fix_time_days.type: unknown type; known are "),
        ("    min: 0\n", "    min: opened\n", "fix_time_days has the min opened, no column"),
        ("    min: 0\n", "    min: [0]\n", "columns.fix_time_days.min"),
        ("    nullable: true\n", "    nullable: maybe\n", "nullable"),
        ("key: ", "description: Bugs.\nkey: ", "belongs at the head of "),
    ],
)
def test_a_declaration_that_is_off_is_refused_by_file_and_key(
    project: Path, old: str, new: str, complaint: str
) -> None:
    path = project / "marts" / "bug_metrics.yml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    message = refusal(project)
    assert complaint in message
    assert message.startswith(str(path))
