"""Analyses: the tables of statistics, computed from the marts."""

from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from importlib.metadata import version
from pkgutil import resolve_name
from typing import Any

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.engines.remote import Engine
from perf_assets.schema import table_of
from perf_assets.schema.models.dependencies import analyses
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.chunked_replace import begin_replacing
from perf_assets.storage.partition_write import WriteOutcome

ENGINE_VERSION = f"duckdb {version('duckdb')}"
"""What computes models, and reads the tables for analyses."""


def build_analysis(
    writer: AuditedWriter, table: str, engine: Engine, remote_tables: Collection[str] = ()
) -> Callable[[], WriteOutcome]:
    """Compute one table of statistics, which is there, and begin its audit.

    Stored tables are read from the warehouse, except ``remote_tables``; views are the engine's.

    Returns
    -------
    What waits for the audit, and replaces the table.
    """
    with phase(f"computing {table}"):
        rows = function_of(table)(
            *(
                _rows(writer, engine, upstream, remote_tables, columns)
                for upstream, columns in analyses()[table].reads.items()
            )
        )
        return begin_replacing(writer, table, rows)


def function_of(table: str) -> Callable[..., pl.DataFrame]:
    """Return the function that computes ``table`` from its input rows; it is imported only now.

    Raises
    ------
    PerfAssetsError
        The declaration names a function that is not there.
    """
    analysis = analyses()[table]
    function = _named(table, analysis.function)
    if analysis.reference_data is None:
        return function
    return partial(function, _named(table, analysis.reference_data)())


@cache
def version_of_analysis(table: str) -> str:
    """Return the version of the code and the libraries that compute ``table``."""
    analysis = analyses()[table]
    functions = [name for name in (analysis.function, analysis.reference_data) if name is not None]
    modules = [function.rpartition(".")[0] for function in functions]
    return f"{code_version(__name__, *modules)}, {ENGINE_VERSION}"


def _named(table: str, function: str) -> Callable[..., Any]:
    try:
        analysis_function: Callable[..., Any] = resolve_name(function)
    except (ImportError, AttributeError) as error:
        raise PerfAssetsError(f"{table} is declared with {function}: {error}") from None
    return analysis_function


def _rows(
    writer: AuditedWriter,
    engine: Engine,
    table: str,
    remote_tables: Collection[str],
    columns: Sequence[str] | None,
) -> pl.DataFrame:
    """Return all rows of ``table``, of ``columns`` (default: all), in a fixed order.

    Sums of floats depend on the order in their last digit.
    """
    if table_of(table).is_view or table in remote_tables:
        return engine.fetch(table, columns)
    key = ", ".join(table_of(table).key)
    return writer.database.frame(f"select {', '.join(columns or '*')} from {table} order by {key}")
