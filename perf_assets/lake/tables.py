"""What a lake holds of a warehouse: for each table whose rows they are, by subject and month.

Tables that are stored by subject and month, and the bookkeeping of a subject that mining goes on
from or models read. What is decided about all subjects together, what people judged and what the
study says is not of one subject, and is not in a lake.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

import polars as pl
import pyarrow as pa
from polars.datatypes import DataType, DataTypeClass

from perf_assets.schema import Table, declared, table_of
from perf_assets.schema.types import polars_type
from perf_assets.storage.warehouse import subject_of

NO_MONTH = "''"

# Bookkeeping by what it belongs to and the month; the months of a subject share what has none.
# Of a forum there is also what belongs to all of its tag sets.
BOOKKEEPING: Mapping[str, tuple[str, str, str]] = {
    "meta.partition_loads": ("repository", "month", ""),
    "meta.audit_results": ("repository", "month", ""),
    "meta.audit_findings": ("repository", "month", ""),
    "meta.reconciliation_differences": ("repository", "month", ""),
    "meta.full_refreshes": ("repository", "month", ""),
    "meta.watermarks": ("repository", NO_MONTH, ""),
    "meta.archivals": ("repository", NO_MONTH, ""),
    "meta.branch_tips": ("repository", NO_MONTH, ""),
    "meta.branch_changes": ("repository", NO_MONTH, ""),
    "meta.source_requests": ("repository", NO_MONTH, ""),
    "meta.build_state": ("scope", NO_MONTH, "scope <> 'all' AND \"table\" <> 'lake'"),
    "meta.dump_loads": ("forum", NO_MONTH, ""),
    "raw.rejected_posts": ("forum", NO_MONTH, ""),
}

OWN = pa.schema(
    [
        ("lake_bucket", pa.int32()),
        ("lake_subject", pa.string()),
        ("lake_month", pa.string()),
        ("lake_release", pa.string()),
    ]
)


@dataclass(frozen=True)
class LakeTable:
    """A table of the warehouse that a lake holds too.

    subject, month : in SQL, what a row belongs to; a month of '' is none.
    condition : in SQL, which rows are shipped; empty for all.
    """

    name: str
    subject: str
    month: str
    condition: str = ""

    @property
    def where(self) -> str:
        """The condition as it follows FROM."""
        return f"WHERE {self.condition}" if self.condition else "WHERE true"

    @property
    def columns(self) -> str:
        """The declared columns, as SQL lists them."""
        return ", ".join(f'"{column.name}"' for column in table_of(self.name).columns)

    @property
    def schema(self) -> pa.Schema:
        """The columns in the lake: its own, and those that are declared."""
        return pa.schema([*OWN, *declared_schema(table_of(self.name))])


def tables_of_repositories() -> list[str]:
    """Return the mined or decided tables of repositories, which Spark reads in the lake."""
    return [
        table
        for table in lake_tables()
        if not table.startswith("meta.") and "repository" in table_of(table).column
    ]


@cache
def lake_tables() -> Mapping[str, LakeTable]:
    """Return every table that a lake holds, by name, sorted."""
    found = {
        name: LakeTable(name, subject_of(name), "month")
        for name, table in declared().items()
        if table.partitioned
    }
    found |= {name: LakeTable(name, *columns) for name, columns in BOOKKEEPING.items()}
    return dict(sorted(found.items()))


def chosen(tables: Collection[str] | None) -> list[LakeTable]:
    """Return those of ``tables`` that a lake holds; all of them where none is given."""
    return [one for name, one in lake_tables().items() if tables is None or name in tables]


def declared_schema(table: Table) -> pa.Schema:
    """Return the declared columns of ``table``, with the types of Arrow."""
    return pa.schema([(column.name, _arrow(polars_type(column.type))) for column in table.columns])


PLAIN: dict[object, pa.DataType] = {
    pl.String: pa.string(),
    pl.Int32: pa.int32(),
    pl.Int64: pa.int64(),
    pl.Float64: pa.float64(),
    pl.Boolean: pa.bool_(),
    pl.Date: pa.date32(),
    pl.Datetime: pa.timestamp("us", "UTC"),
}


def _arrow(kind: DataType | DataTypeClass) -> pa.DataType:
    if isinstance(kind, pl.List):
        return pa.list_(_arrow(kind.inner))
    if isinstance(kind, pl.Struct):
        return pa.struct([(field.name, _arrow(field.dtype)) for field in kind.fields])
    return PLAIN[kind.base_type()]
