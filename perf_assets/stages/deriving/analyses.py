"""Analyses: the tables of statistics, computed from the marts."""

import polars as pl

from perf_assets.progress import phase
from perf_assets.sql_models.laying import create_table
from perf_assets.storage.gate import Candidate, Gate, Offer, Outcome
from perf_assets.tables import table_of

# The tables of statistics, each with the tables it is computed from.
ANALYSES: dict[str, tuple[str, ...]] = {
    "analysis.trend_tests": ("marts.trend_monthly",),
    "analysis.group_comparisons": ("marts.bug_metrics",),
    "analysis.trend_robustness": ("marts.trend_monthly",),
    "analysis.effect_sizes": ("marts.bug_metrics",),
    "analysis.fix_time_survival": ("marts.bug_metrics", "marts.trend_monthly"),
    "analysis.lifetime_comparisons": ("marts.bug_lifetimes",),
    "analysis.link_sensitivity": ("intermediate.counted_links",),
    "analysis.paper_comparison": (
        "marts.bug_metrics",
        "marts.paper_trend",
        "replication.taxonomy",
    ),
    "analysis.labelling_quality": ("intermediate.judgements", "intermediate.review_strata"),
    "analysis.rater_agreement": ("staging.verdicts",),
    "analysis.rater_disagreements": ("staging.verdicts",),
}


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
