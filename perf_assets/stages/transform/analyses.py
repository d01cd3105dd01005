"""Analyses: the tables of statistics, computed from the marts."""

from collections.abc import Callable, Collection, Mapping, Sequence

import polars as pl

from perf_assets.engines.remote import Engine
from perf_assets.progress import phase
from perf_assets.sql_models.dependencies import ANALYSES
from perf_assets.storage.audited_writer import AuditedWriter, WriteOutcome
from perf_assets.storage.chunked_replace import begin_replacing
from perf_assets.tables import table_of

# Texts and labels are most of what there is; who does not read them is not given them.
_PAST = (
    *("dataset", "repository", "number", "month", "until_month", "opened_month", "state"),
    *("closed_at", "is_bug_report", "is_performance", "is_fixed"),
)
NEEDED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("analysis.trend_tests", "marts.issue_history"): _PAST,
    ("analysis.open_share_changes", "marts.issue_history"): _PAST,
    ("analysis.label_sensitivity", "marts.issue_history"): _PAST,
    ("analysis.label_sensitivity", "staging.bug_reports"): (
        *("dataset", "repository", "number", "is_performance", "strength", "widened_keywords"),
    ),
    ("analysis.labelling_quality", "staging.bug_reports"): (
        *("dataset", "repository", "number", "strength", "matched_labels", "matched_in"),
    ),
    ("analysis.keyword_proposals", "staging.bug_reports"): (
        *("dataset", "repository", "number", "title", "is_performance"),
        *("matched_labels", "matched_keywords"),
    ),
}


def build_analysis(
    gate: AuditedWriter, table: str, engine: Engine, elsewhere: Collection[str] = ()
) -> Callable[[], WriteOutcome]:
    """Compute one table of statistics, which is there, and begin its audit.

    Stored tables are read from the warehouse, but those ``elsewhere``; views are the engine's.

    Returns
    -------
    What waits for the audit, and replaces the table.
    """
    # Where nothing is computed nothing of it is imported.
    from perf_assets.stages.transform.statistics import COMPUTE  # noqa: PLC0415

    with phase(f"computing {table}"):
        rows = COMPUTE[table](
            *(
                _rows(gate, engine, upstream, elsewhere, NEEDED.get((table, upstream)))
                for upstream in ANALYSES[table]
            )
        )
        return begin_replacing(gate, table, rows)


def _rows(
    gate: AuditedWriter,
    engine: Engine,
    table: str,
    elsewhere: Collection[str],
    columns: Sequence[str] | None,
) -> pl.DataFrame:
    """All rows of ``table``, of ``columns`` (default: all), in a fixed order.

    Sums of floats depend on the order in their last digit.
    """
    if table_of(table).is_view or table in elsewhere:
        return engine.fetch(table, columns)
    key = ", ".join(table_of(table).key)
    return gate.database.frame(f"select {', '.join(columns or '*')} from {table} order by {key}")
