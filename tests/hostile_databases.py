"""Databases of somebody who means harm: each thing that a DuckDB file can define, made to do it."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import duckdb

from perf_assets.schema import declared
from perf_assets.schema.ddl import quoted_name
from perf_assets.schema.models.cookbook import cookbook
from perf_assets.schema.models.files import load_models

PRIVATE = "what nobody else may read"


@cache
def called_functions() -> tuple[str, ...]:
    """The functions that our SQL calls, as DuckDB parses it: models, queries, and what lists."""
    texts = [model.sql for model in load_models()]
    texts += [query.statement for query in cookbook().values()]
    texts += ["SELECT * FROM read_parquet('x')", "SELECT * FROM duckdb_tables()"]
    texts += ["SELECT current_database(), sum(hash(x)), max(x) FROM duckdb_functions()"]
    found: set[str] = set()
    with duckdb.connect() as connection:
        for statement in (
            one.query for text in texts for one in connection.extract_statements(text)
        ):
            ((parsed,),) = connection.execute(
                "SELECT json_serialize_sql(?)", [statement]
            ).fetchall()
            found.update(_functions(json.loads(parsed)))
    return tuple(sorted(found - {""}))


def shadowed(connection: duckdb.DuckDBPyConnection, trap: Path) -> list[str]:
    """Let macros in ``main`` stand for all functions that our SQL calls; their names."""
    made = []
    for name in called_functions():
        macro = f"main.{quoted_name(name)}"
        variants = ", ".join(f"({names}) AS {harm(trap)}" for names in ("", "a", "a, b", "a, b, c"))
        connection.execute(f"CREATE MACRO {macro}{variants}")
        connection.execute(f"CREATE MACRO {macro}(a) AS TABLE SELECT * FROM {writing(trap)}")
        made.append(f"macro main.{name}")
    return made


def views_for_tables(connection: duckdb.DuckDBPyConnection, trap: Path) -> list[str]:
    """Let views stand for all declared tables, as far as others do not need these; their names."""
    for name in (name for name, table in declared().items() if not table.is_view):
        connection.execute(f"DROP TABLE IF EXISTS {name} CASCADE")
        connection.execute(f"CREATE VIEW {name} AS SELECT 1 AS version FROM {writing(trap)}")
    return [f"view {name}" for name, table in declared().items() if not table.is_view]


def in_newest_storage(path: Path) -> None:
    """Write the database at ``path`` anew as only the newest DuckDB does, which has triggers."""
    newest = path.with_suffix(".newest")
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS old (READ_ONLY)")
        connection.execute(f"ATTACH '{newest}' AS newest (STORAGE_VERSION 'v2.0.0')")
        connection.execute("COPY FROM DATABASE old TO newest")
    newest.replace(path)


def triggers(connection: duckdb.DuckDBPyConnection, private: Path) -> list[str]:
    """Put triggers on all tables, which copy a private file into one that is published."""
    connection.execute("CREATE TABLE main.stolen AS FROM meta.repositories LIMIT 0")
    made = ["table main.stolen"]
    for name, table in declared().items():
        if not table.is_view:
            trigger = f"on_{name.replace('.', '_')}"
            into = "main.stolen" if name == "meta.repositories" else "meta.repositories"
            connection.execute(
                f"CREATE TRIGGER {trigger} AFTER INSERT ON {name} FOR EACH STATEMENT INSERT INTO "
                f"{into} BY NAME SELECT content AS repository, '2020-01' AS start_month, "
                "'2020-01' AS trend_start_month, 'x' AS study, 'github' AS source "
                f"FROM read_text('{private}')"
            )
            made.append(f"trigger {table.schema_name}.{trigger}")
    return made


def other_things(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Define one of each other thing that DuckDB stores; their names."""
    for statement in (
        "CREATE TYPE raw.mood AS ENUM ('good', 'bad')",
        "CREATE SEQUENCE main.counter",
        "CREATE INDEX lengths ON raw.issues ((length(title)))",
        "CREATE TABLE main.computed (a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1))",
        "CREATE TABLE main.limited (a INTEGER DEFAULT nextval('main.counter'), CHECK (a > 0))",
        "CREATE TABLE main.of_mood (a raw.mood)",
        "CREATE MACRO main.harmless(a) AS a + 1",
        "CREATE VIEW main.mine AS SELECT 1 AS one",
    ):
        connection.execute(statement)
    return [
        *("type raw.mood", "sequence main.counter", "index raw.lengths", "table main.computed"),
        *("table main.limited", "table main.of_mood", "macro main.harmless", "view main.mine"),
    ]


def harm(trap: Path) -> str:
    """An expression that writes a file where it is evaluated."""
    return f"((SELECT 1 FROM {writing(trap)}) IS NULL)"


def writing(trap: Path) -> str:
    """A call of a table function that writes a file."""
    return f"enable_profiling(save_location := '{trap / 'profile.json'}', format := 'json')"


def _functions(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if "function_name" in node:
            yield node["function_name"]
        for value in node.values():
            yield from _functions(value)
    elif isinstance(node, list):
        for value in node:
            yield from _functions(value)
