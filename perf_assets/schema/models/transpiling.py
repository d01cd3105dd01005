"""The models' texts, which DuckDB runs as they are, for Spark."""

from collections.abc import Mapping
from functools import cache

from sqlglot import exp, parse_one

from perf_assets.schema import Table
from perf_assets.schema.models.parsing import tables_read


def view_name(table: str) -> str:
    """Return the name of ``schema.table`` as a temporary view, which has no schema."""
    return table.replace(".", "__")


@cache
def _spark_type(duckdb_type: str) -> str:
    return exp.DataType.build(duckdb_type, dialect="duckdb").sql(dialect="spark")


def spark_columns(table: Table) -> str:
    """Return the declared columns of ``table`` as a schema of Spark."""
    return ", ".join(f"`{column.name}` {_spark_type(column.type)}" for column in table.columns)


def cast_columns(table: Table) -> tuple[str, ...]:
    """Return each column of ``table`` as an expression of its declared type.

    Spark makes an INTEGER of what is a BIGINT in DuckDB, and so on.
    """
    return tuple(
        f"CAST(`{column.name}` AS {_spark_type(column.type)}) AS `{column.name}`"
        for column in table.columns
    )


def transpiled(sql: str, parameters: Mapping[str, str] | None = None) -> str:
    """Return the portable ``sql`` for Spark; tables are temporary views.

    parameters : texts that replace columns of these names, as those of a macro do.
    """
    query = parse_one(sql, dialect="duckdb").transform(_spelt_for_spark)
    for table in [*query.find_all(exp.Table)]:
        if table.db:
            alias = exp.TableAlias(this=exp.to_identifier(table.alias or table.name))
            view = exp.to_identifier(view_name(f"{table.db}.{table.name}"))
            table.replace(exp.Table(this=view, alias=alias))
    for column in [*query.find_all(exp.Column)]:
        if not column.table and column.name in (parameters or {}):
            column.replace(exp.Literal.string((parameters or {})[column.name]))
    return query.sql(dialect="spark", comments=False)


def tables_of_query(sql: str) -> tuple[str, ...]:
    """Return the tables that ``sql`` reads, as ``schema.table``."""
    query = parse_one(sql, dialect="duckdb")
    return tables_read(query) if isinstance(query, exp.Query) else ()


# sqlglot passes over functions that it does not know, and leaves their names as they are.
NAMES = {"epoch_us": "unix_micros", "list_distinct": "array_distinct"}


def _spelt_for_spark(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Anonymous) and node.name.lower() in NAMES:
        node.set("this", NAMES[node.name.lower()])
    return node
