"""Analyses: the tables of statistics, computed from the marts."""

import polars as pl

from perf_assets.progress import phase
from perf_assets.sql_models.laying import create_table
from perf_assets.sql_models.lineage import ANALYSES
from perf_assets.storage.gate import Candidate, Gate, Offer, Outcome
from perf_assets.tables import table_of


def build_analysis(gate: Gate, table: str) -> Outcome:
    """Compute, audit and replace one table of statistics."""
    # Where nothing is computed nothing of it is imported.
    from perf_assets.stages.deriving.statistics import COMPUTE  # noqa: PLC0415

    create_table(gate.database.connection, table_of(table))
    with phase(f"computing {table}"):
        rows = COMPUTE[table](*(_rows(gate, upstream) for upstream in ANALYSES[table]))
        (outcome,) = gate.store([Offer([Candidate(table, rows)])])
    return outcome


def _rows(gate: Gate, table: str) -> pl.DataFrame:
    """All rows of ``table``, in a fixed order: sums of floats depend on it in their last digit."""
    key = ", ".join(table_of(table).key)
    return gate.database.frame(f"select * from {table} order by {key}")
