"""Deriving: labels, links, models and analysis, recomputed from what is stored."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from perf_assets.core.analyses.comparisons import group_comparisons, trend_tests
from perf_assets.core.analyses.fix_time import fix_time_survival, link_sensitivity
from perf_assets.core.analyses.lifetimes import lifetime_comparisons
from perf_assets.core.analyses.robustness import effect_sizes, trend_robustness
from perf_assets.core.labelling.labels import label_issues, label_kinds
from perf_assets.core.linking.links import link_fixes
from perf_assets.core.paper.comparison import paper_comparison
from perf_assets.core.reviews.labelling_quality import labelling_quality
from perf_assets.core.reviews.rater_agreement import rater_agreement, rater_disagreements
from perf_assets.sources.replication.paper_figures import published_figures
from perf_assets.sql_models.laying import (
    AS_OF_SOURCE,
    Model,
    comment_statements,
    create_as_of_macro,
    create_table,
    create_view,
    table_docs,
)
from perf_assets.sql_models.parsing import parse_query, tables_read
from perf_assets.storage.gate import Candidate, Gate, Outcome, Provenance
from perf_assets.study import Study

log = logging.getLogger(__name__)


def label_cohorts(
    gate: Gate, study: Study, repository: str, months: Sequence[str]
) -> Iterator[Outcome]:
    """Label the loaded cohorts of ``months`` and re-label those that follow.

    A label depends on cohorts up to its own month: a cohort that came late may change what
    follows it, and nothing before it.
    """
    loaded = loaded_months(gate, "raw.issues", repository)
    issues = gate.database.frame(
        """
        SELECT repository, number, title, body, author, labels, month
        FROM raw.issues WHERE repository = ?
        """,
        [repository],
    )
    templates = gate.database.frame(
        "SELECT * FROM raw.issue_templates WHERE repository = ?", [repository]
    )
    labels = label_issues(issues, templates, study.rules)
    for month in from_first(loaded, months):
        rows = labels.filter(pl.col("month") == month)
        cohort = issues.filter(pl.col("month") == month)["number"].to_list()
        candidate = Candidate(
            "labels.performance_labels", rows, {"issue_numbers": cohort}, len(cohort)
        )
        yield gate.store(repository, month, [candidate], Provenance(study.rules.version))


def tell_label_kinds(gate: Gate, study: Study) -> Outcome:
    """Write down what each label means that issues carry or carried, for the past months' sake."""
    labels = gate.database.frame(
        """
        SELECT repository, unnest(labels) AS label FROM raw.issues
        UNION
        SELECT repository, label FROM raw.issue_events WHERE label IS NOT NULL
        ORDER BY ALL
        """
    )
    return gate.store_whole(Candidate("labels.label_kinds", label_kinds(labels, study.rules)))


def link_commits(
    gate: Gate, study: Study, repository: str, months: Sequence[str]
) -> Iterator[Outcome]:
    """Link the loaded commits of ``months``, and of those that follow, to the issues they fixed."""
    loaded = loaded_months(gate, "raw.commits", repository)
    commits = gate.database.frame(
        """
        SELECT repository, sha, parents, message, committed_at, month, NULL::VARCHAR AS branch
        FROM raw.commits WHERE repository = $1
        UNION ALL BY NAME
        SELECT repository, sha, parents, message, committed_at, month, branch
        FROM raw.branch_commits WHERE repository = $1
        """,
        [repository],
    )
    issues = gate.database.frame(
        "SELECT number, created_at FROM raw.issues WHERE repository = ?", [repository]
    )
    closed = gate.database.frame(
        "SELECT * FROM raw.issue_events WHERE repository = ? AND event = 'closed'", [repository]
    )
    pull_requests = gate.database.frame(
        "SELECT * FROM raw.issue_pull_requests WHERE repository = ?", [repository]
    )
    numbers = set(issues["number"])
    links = link_fixes(commits, issues, closed, pull_requests, study.count_approaches)
    for month in from_first(loaded, months):
        rows = links.filter(pl.col("month") == month)
        shas = commits.filter(pl.col("month") == month)["sha"].to_list()
        candidate = Candidate(
            "links.fix_links",
            rows,
            {"commit_shas": shas, "issue_numbers": numbers},
        )
        yield gate.store(
            repository, month, [candidate], Provenance(",".join(study.count_approaches))
        )


def loaded_months(gate: Gate, table: str, repository: str) -> list[str]:
    """The months that ``table`` holds, in order, even where their latest load failed."""
    loads = gate.database.loads(table, repository)
    return loads.filter(pl.col("watermark").is_not_null())["month"].to_list()


def from_first(loaded: list[str], months: Sequence[str]) -> list[str]:
    """Those of the ``loaded`` months from the first of ``months`` on."""
    first = min(months, default="9999-12")
    return [month for month in loaded if month >= first]


def register_study(gate: Gate, study: Study) -> None:
    """Write down which repositories the models cover, and from which months on."""
    rows = pl.DataFrame(
        {
            "repository": [repository.name for repository in study.repositories],
            "start_month": [repository.start for repository in study.repositories],
            "trend_start_month": [repository.trend_start for repository in study.repositories],
            "study": [study.name for _ in study.repositories],
        }
    )
    database = gate.database
    if (
        not database.frame("SELECT * FROM meta.repositories")
        .sort("repository")
        .equals(rows.sort("repository"))
    ):
        with database.transaction():
            database.replace("meta.repositories", rows, {})


def build_model(gate: Gate, model: Model) -> Outcome | None:
    """Create the view, or compute, audit and replace the table, of a SQL model."""
    if model.materialization == "view":
        create_view(gate.database.connection, model)
        if model.name == AS_OF_SOURCE:
            create_as_of_macro(gate.database.connection)
        return None
    create_table(gate.database.connection, model)
    return gate.store_whole(Candidate(model.name, gate.database.frame(model.sql)))


@dataclass(frozen=True)
class Analysis:
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

ANALYSES: dict[str, Analysis] = {
    "analysis.trend_tests": Analysis(trend_tests, (TREND_MONTHLY,)),
    "analysis.group_comparisons": Analysis(group_comparisons, (BUG_METRICS,)),
    "analysis.trend_robustness": Analysis(trend_robustness, (TREND_MONTHLY,)),
    "analysis.effect_sizes": Analysis(effect_sizes, (BUG_METRICS,)),
    "analysis.fix_time_survival": Analysis(fix_time_survival, (BUG_METRICS, TREND_MONTHLY)),
    "analysis.lifetime_comparisons": Analysis(lifetime_comparisons, (BUG_LIFETIMES,)),
    "analysis.link_sensitivity": Analysis(link_sensitivity, (COUNTED_LINKS,)),
    "analysis.paper_comparison": Analysis(
        partial(paper_comparison, published_figures()),
        (BUG_METRICS, "SELECT * FROM marts.published_trend", "SELECT * FROM replication.taxonomy"),
    ),
    "analysis.labelling_quality": Analysis(labelling_quality, (VERDICTS_AND_CONSENSUS, STRATA)),
    "analysis.rater_agreement": Analysis(rater_agreement, (VERDICTS,)),
    "analysis.rater_disagreements": Analysis(rater_disagreements, (VERDICTS,)),
}


def build_analysis(gate: Gate, table: str) -> Outcome:
    """Compute, audit and replace one table of statistics."""
    analysis = ANALYSES[table]
    create_table(gate.database.connection, table_docs()[table])
    rows = analysis.compute(*map(gate.database.frame, analysis.queries))
    return gate.store_whole(Candidate(table, rows))


def describe_tables(gate: Gate) -> None:
    """Put the documentation of tables and columns into the database, where analysts look."""
    for statement in comment_statements(gate.database.connection):
        gate.database.connection.execute(statement)
