"""Analyses: the tables of statistics, computed from the marts."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from perf_assets.core.analyses.comparisons import group_comparisons, trend_tests
from perf_assets.core.analyses.fix_time import fix_time_survival, link_sensitivity
from perf_assets.core.analyses.lifetimes import lifetime_comparisons
from perf_assets.core.analyses.robustness import effect_sizes, trend_robustness
from perf_assets.core.paper.comparison import paper_comparison
from perf_assets.core.reviews.labelling_quality import labelling_quality
from perf_assets.core.reviews.rater_agreement import rater_agreement, rater_disagreements
from perf_assets.sources.replication.paper_figures import paper_figures
from perf_assets.sql_models.laying import create_table
from perf_assets.sql_models.parsing import parse_query, tables_read
from perf_assets.storage.gate import Candidate, Gate, Offer, Outcome
from perf_assets.tables import table_of


@dataclass(frozen=True)
class StatisticsTable:
    """A table of statistics: ``compute`` of the answers to ``queries``, in their order."""

    compute: Callable[..., pl.DataFrame]
    queries: tuple[str, ...]

    @property
    def upstream(self) -> tuple[str, ...]:
        """The tables that the queries name."""
        parsed = [parse_query(Path(__file__), query) for query in self.queries]
        return tuple(sorted({table for query in parsed for table in tables_read(query)}))


# In a fixed order: sums of floats depend on it in their last digit.
BUG_METRICS = "SELECT * FROM marts.bug_metrics ORDER BY dataset, repository, number"
TREND_MONTHLY = "SELECT * FROM marts.trend_monthly ORDER BY dataset, repository, month"
BUG_LIFETIMES = "SELECT * FROM marts.bug_lifetimes ORDER BY dataset, repository, number"
COUNTED_LINKS = """
    SELECT
        links.*, bugs.is_performance, bugs.opened_at, bugs.closed_at,
        list_contains(doubtful.doubts, 'reverted_later') AS is_reverted
    FROM staging.counted_fixes AS links
    JOIN marts.bug_metrics AS bugs USING (dataset, repository, number)
    LEFT JOIN staging.link_doubts AS doubtful
        ON links.dataset = 'live' AND links.repository = doubtful.repository
        AND links.number = doubtful.number AND links.sha = doubtful.sha
    ORDER BY ALL
"""
VERDICTS = "SELECT * FROM staging.verdicts ORDER BY dataset, repository, number, rater"
VERDICTS_AND_CONSENSUS = """
    SELECT dataset, repository, number, rater, verdict, is_performance, matched_labels,
           matched_keywords
    FROM staging.verdicts
    UNION ALL
    SELECT dataset, repository, number, 'consensus', verdict, is_performance, matched_labels,
           matched_keywords
    FROM staging.reviewed_bugs
    ORDER BY dataset, repository, number, rater
"""
STRATA = """
    SELECT dataset, repository, is_performance, count(*) AS bug_reports
    FROM staging.bug_reports GROUP BY ALL ORDER BY ALL
"""

ANALYSES: dict[str, StatisticsTable] = {
    "analysis.trend_tests": StatisticsTable(trend_tests, (TREND_MONTHLY,)),
    "analysis.group_comparisons": StatisticsTable(group_comparisons, (BUG_METRICS,)),
    "analysis.trend_robustness": StatisticsTable(trend_robustness, (TREND_MONTHLY,)),
    "analysis.effect_sizes": StatisticsTable(effect_sizes, (BUG_METRICS,)),
    "analysis.fix_time_survival": StatisticsTable(fix_time_survival, (BUG_METRICS, TREND_MONTHLY)),
    "analysis.lifetime_comparisons": StatisticsTable(lifetime_comparisons, (BUG_LIFETIMES,)),
    "analysis.link_sensitivity": StatisticsTable(link_sensitivity, (COUNTED_LINKS,)),
    "analysis.paper_comparison": StatisticsTable(
        partial(paper_comparison, paper_figures()),
        (BUG_METRICS, "SELECT * FROM marts.paper_trend", "SELECT * FROM replication.taxonomy"),
    ),
    "analysis.labelling_quality": StatisticsTable(
        labelling_quality, (VERDICTS_AND_CONSENSUS, STRATA)
    ),
    "analysis.rater_agreement": StatisticsTable(rater_agreement, (VERDICTS,)),
    "analysis.rater_disagreements": StatisticsTable(rater_disagreements, (VERDICTS,)),
}


def build_analysis(gate: Gate, table: str) -> Outcome:
    """Compute, audit and replace one table of statistics."""
    analysis = ANALYSES[table]
    create_table(gate.database.connection, table_of(table))
    rows = analysis.compute(*map(gate.database.frame, analysis.queries))
    (outcome,) = gate.store([Offer([Candidate(table, rows)])])
    return outcome
