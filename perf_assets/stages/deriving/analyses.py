"""Analyses: the tables of statistics, computed from the marts."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import polars as pl

from perf_assets.core.analyses.comparisons import group_comparisons, trend_tests
from perf_assets.core.analyses.fix_time import fix_time_survival, link_sensitivity
from perf_assets.core.analyses.lifetimes import lifetime_comparisons
from perf_assets.core.analyses.robustness import effect_sizes, trend_robustness
from perf_assets.core.paper.comparison import paper_comparison
from perf_assets.core.reviews.labelling_quality import labelling_quality
from perf_assets.core.reviews.rater_agreement import rater_agreement, rater_disagreements
from perf_assets.progress import phase
from perf_assets.sources.replication.paper_figures import paper_figures
from perf_assets.sql_models.laying import create_table
from perf_assets.storage.gate import Candidate, Gate, Offer, Outcome
from perf_assets.tables import table_of


@dataclass(frozen=True)
class StatisticsTable:
    """A table of statistics: ``compute`` of the rows of the ``upstream`` tables, in their order."""

    compute: Callable[..., pl.DataFrame]
    upstream: tuple[str, ...]


ANALYSES: dict[str, StatisticsTable] = {
    "analysis.trend_tests": StatisticsTable(trend_tests, ("marts.trend_monthly",)),
    "analysis.group_comparisons": StatisticsTable(group_comparisons, ("marts.bug_metrics",)),
    "analysis.trend_robustness": StatisticsTable(trend_robustness, ("marts.trend_monthly",)),
    "analysis.effect_sizes": StatisticsTable(effect_sizes, ("marts.bug_metrics",)),
    "analysis.fix_time_survival": StatisticsTable(
        fix_time_survival, ("marts.bug_metrics", "marts.trend_monthly")
    ),
    "analysis.lifetime_comparisons": StatisticsTable(
        lifetime_comparisons, ("marts.bug_lifetimes",)
    ),
    "analysis.link_sensitivity": StatisticsTable(link_sensitivity, ("intermediate.counted_links",)),
    "analysis.paper_comparison": StatisticsTable(
        partial(paper_comparison, paper_figures()),
        ("marts.bug_metrics", "marts.paper_trend", "replication.taxonomy"),
    ),
    "analysis.labelling_quality": StatisticsTable(
        labelling_quality, ("intermediate.judgements", "intermediate.review_strata")
    ),
    "analysis.rater_agreement": StatisticsTable(rater_agreement, ("staging.verdicts",)),
    "analysis.rater_disagreements": StatisticsTable(rater_disagreements, ("staging.verdicts",)),
}


def build_analysis(gate: Gate, table: str) -> Outcome:
    """Compute, audit and replace one table of statistics."""
    analysis = ANALYSES[table]
    create_table(gate.database.connection, table_of(table))
    with phase(f"computing {table}"):
        rows = analysis.compute(*(_rows(gate, upstream) for upstream in analysis.upstream))
        (outcome,) = gate.store([Offer([Candidate(table, rows)])])
    return outcome


def _rows(gate: Gate, table: str) -> pl.DataFrame:
    """All rows of ``table``, in a fixed order: sums of floats depend on it in their last digit."""
    key = ", ".join(table_of(table).key)
    return gate.database.frame(f"select * from {table} order by {key}")
