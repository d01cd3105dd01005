"""Recomputing: all that follows from raw tables, by the rules of this version, offline."""

from collections.abc import Iterable, Mapping

import polars as pl

from perf_assets.config.study import Repository, Study
from perf_assets.processes.progress import phase
from perf_assets.stages.enrichment.labels import TABLES as LABELS
from perf_assets.stages.enrichment.labels import label_cohorts, store_label_kinds
from perf_assets.stages.enrichment.links import TABLES as LINKS
from perf_assets.stages.enrichment.links import link_commits
from perf_assets.stages.enrichment.months import loaded_months
from perf_assets.stages.enrichment.performance_questions import (
    label_performance_questions,
)
from perf_assets.stages.enrichment.question_kinds import store_question_kinds
from perf_assets.stages.transform.derivation import derive, derived_tables
from perf_assets.storage.audited_writer import AuditedWriter, WriteOutcome
from perf_assets.storage.data_directory import DataDirectory
from perf_assets.storage.lock import writing
from perf_assets.storage.warehouse import open_warehouse

GIVEN = ("raw", "details", "meta", "reviews", "replication")
"""The schemas of what was read at a source, judged by people, or noted meanwhile."""

FIX_AREAS = "links.fix_areas"


def recomputed_tables() -> frozenset[str]:
    """The stored tables that :func:`recompute` makes anew."""
    enriched = (*LABELS, *LINKS, "labels.label_kinds", "labels.performance_questions")
    kinds = ("labels.question_kinds", "labels.question_word_weights")
    return frozenset((*enriched, *kinds, *derived_tables()))


def recompute(
    data_dir: DataDirectory, study: Study, kept: Mapping[str, pl.DataFrame] | None = None
) -> list[str]:
    """Label, link and compute all that follows from what ``data_dir`` has of ``study``.

    Parameters
    ----------
    kept
        Rows by table that stay as they are, as what made them is not at hand.

    Returns
    -------
    What failed its audit, a sentence each.
    """
    failures: list[str] = []
    with writing(data_dir.path), open_warehouse(data_dir.warehouse) as database:
        writer = AuditedWriter(database, data_dir)
        failures += _failures(_enriched(writer, study))
        for table, rows in (kept or {}).items():
            with database.transaction():
                database.connection.execute(f"DELETE FROM {table}")
                database.upsert(table, rows)
        with phase("computing models and statistics"):
            found = (one.outcome for one in derive(writer, forced=derived_tables()))
            failures += _failures(one for one in found if one is not None)
    return failures


def needs_history(repository: Repository) -> bool:
    """Whether areas of its fixes need its git history."""
    return repository.areas.uses_codeowners


def _enriched(writer: AuditedWriter, own: Study) -> Iterable[WriteOutcome]:
    for repository in own.repositories:
        name = repository.name
        issues = loaded_months(writer, "raw.issues", name)
        commits = loaded_months(writer, "raw.commits", name)
        yield from label_cohorts(writer, own, name, issues, forced=True)
        yield from link_commits(writer, own, name, commits, forced=True, has_history=False)
    for tag_set in own.tag_sets:
        months = loaded_months(writer, "raw.questions", tag_set.name)
        yield from label_performance_questions(writer, tag_set, months, forced=True)
    yield from store_label_kinds(writer, own, forced=True)
    yield from store_question_kinds(writer, own, forced=True)


def _failures(outcomes: Iterable[WriteOutcome]) -> list[str]:
    return [outcome.failure for outcome in outcomes if outcome.failure is not None]
