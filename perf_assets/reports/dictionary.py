"""The data dictionary: every table and column as declared, for a terminal."""

import re
from collections.abc import Iterable
from textwrap import fill

from perf_assets.base.config_files import nearest
from perf_assets.base.errors import PerfAssetsError
from perf_assets.schema import Column, Table
from perf_assets.schema.models.dependencies import made_from, origin_of, read_by
from perf_assets.schema.models.files import described_tables

SCHEMAS = {
    "marts": "what the study measures",
    "analysis": "statistics computed from marts",
    "staging": "mined and published data, united",
    "intermediate": "the steps between staging and marts",
    "labels": "which issues are bug reports and performance bugs, and why",
    "links": "which commits fix which issues, and why",
    "details": "what fixes touch, and who introduced the bugs",
    "reviews": "what people judged",
    "raw": "what GitHub and git say",
    "replication": "the paper's published data",
    "meta": "about this database, and how it came to be",
}

SENTENCE_END = re.compile(r"(?<!\bet al)(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)\. ")


def find_table(name: str) -> Table:
    """Return the table called ``name``, with or without its schema.

    Raises
    ------
    PerfAssetsError
        There is none, or several of that name without schema.
    """
    tables = described_tables()
    if name in tables:
        return tables[name]
    found = [table for table in tables if table.partition(".")[2] == name]
    if len(found) == 1:
        return tables[found[0]]
    if found:
        raise PerfAssetsError(f"{name}: there are several: {', '.join(found)}")
    names = tables if "." in name else {table.partition(".")[2]: table for table in tables}
    raise PerfAssetsError(f"{name}: there is no such table; {nearest(name, names)}")


def tables_text(width: int) -> str:
    """Return all tables by schema, each with the first sentence of its description.

    The main tables come first, and are marked in their schema.
    """
    tables = described_tables().values()
    lines = ["main tables: begin with these"]
    for schema in schemas():
        for table in tables:
            if table.is_main and table.schema_name == schema:
                lines += _listed(table, "", width)
    for schema in schemas():
        lines.append(f"\n{schema}: {SCHEMAS.get(schema, '')}")
        for table in tables:
            if table.schema_name == schema:
                lines += _listed(table, " (main table)" if table.is_main else "", width)
    return "\n".join(lines).lstrip("\n") + "\n"


def _listed(table: Table, mark: str, width: int) -> tuple[str, str]:
    return f"  {table.name}{mark}", _wrapped(first_sentence(table.description), width, 6)


def table_text(table: Table, width: int) -> str:
    """Return the description, key, sources, readers and columns of ``table``."""
    kind = "a view, computed when it is read" if table.is_view else "a table"
    key = ", ".join(table.key)
    facts = [
        f"Key: {key}" + (f" ({table.key_why.rstrip('.')})" if table.key_why else ""),
        f"Made from: {lineage_words(table.name)}",
        f"Read by: {', '.join(read_by(table.name)) or 'no other table'}",
    ]
    lines = [f"{table.name}, {kind}", _wrapped(table.description, width, 2), ""]
    lines += [fill(fact, width, subsequent_indent="    ") for fact in facts]
    for column in table.columns:
        lines += ["", column.name, _wrapped(kind_of(column), width, 4)]
        lines.append(_wrapped(meaning_of(column), width, 4))
    return "\n".join(lines) + "\n"


def schemas() -> Iterable[str]:
    """Return the schemas in the order in which one reads them."""
    present = {table.schema_name for table in described_tables().values()}
    return [*(name for name in SCHEMAS if name in present), *sorted(present - set(SCHEMAS))]


def first_sentence(text: str) -> str:
    """Return the first sentence of a description."""
    return SENTENCE_END.split(text, maxsplit=1)[0].rstrip(".:") + "."


def lineage_words(table: str) -> str:
    """Return the tables that ``table`` is made from, or else where it comes from."""
    return ", ".join(made_from()[table]) or origin_of(table)


def kind_of(column: Column) -> str:
    """Return the type of a column, and whether it may be NULL."""
    return column.type if not column.nullable else f"{column.type}, may be NULL"


def meaning_of(column: Column) -> str:
    """Return what a column means, its unit, and the values it may have."""
    if column.values is None:
        return column.comment
    return f"{column.comment} One of {', '.join(column.values)}."


def _wrapped(text: str, width: int, indent: int) -> str:
    space = " " * indent
    return fill(text, width, initial_indent=space, subsequent_indent=space, break_on_hyphens=False)
