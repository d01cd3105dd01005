"""The data dictionary: every table and column as declared, as one Markdown page."""

from collections.abc import Iterator

from perf_assets.sql_models.files import described_tables
from perf_assets.tables import Column, Table

HEAD = """# Data dictionary

Every table and view of the published database, as its declaration in `dbt_like_models/` says.
Written by `make dictionary`; the same texts are comments in the database. All timestamps are UTC,
months are written `YYYY-MM`, and what is missing is NULL.
"""


def dictionary_markdown() -> str:
    """The page: a section for each table, a row for each column."""
    parts = [HEAD]
    for table in described_tables().values():
        parts.append("\n".join(_section(table)))
    return "\n".join(parts)


def _section(table: Table) -> Iterator[str]:
    yield f"## {table.name}\n"
    yield f"{table.description}\n"
    yield f"Key: {', '.join(f'`{name}`' for name in table.key)}\n"
    yield "| column | type | meaning |"
    yield "| --- | --- | --- |"
    for column in table.columns:
        yield f"| `{column.name}` | {_kind(column)} | {_meaning(column)} |"
    yield ""


def _kind(column: Column) -> str:
    return column.type if not column.nullable else f"{column.type}, may be NULL"


def _meaning(column: Column) -> str:
    text = column.comment
    if column.values is not None:
        text += f" One of {', '.join(column.values)}."
    return text.replace("|", "\\|")
