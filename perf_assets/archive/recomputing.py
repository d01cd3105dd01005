"""Recomputing: all that follows from raw tables, by the rules of this version, offline."""

import re
from collections.abc import Iterable, Mapping

import polars as pl

from perf_assets.base.processes.progress import phase
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study
from perf_assets.schema import table_of
from perf_assets.schema.models.dependencies import following, made_from
from perf_assets.schema.models.files import models_by_name
from perf_assets.stages.enrichment.labels import TABLES as LABELS
from perf_assets.stages.enrichment.labels import label_cohorts, store_label_kinds
from perf_assets.stages.enrichment.links import TABLES as LINKS
from perf_assets.stages.enrichment.links import link_commits
from perf_assets.stages.enrichment.performance_commits import TABLES as COMMIT_LABELS
from perf_assets.stages.enrichment.performance_commits import label_commits
from perf_assets.stages.enrichment.performance_questions import label_performance_questions
from perf_assets.stages.enrichment.question_kinds import store_question_kinds
from perf_assets.stages.enrichment.work import loaded_months
from perf_assets.stages.transform.derivation import derive, derived_tables
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.lock import writing
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import Database, open_warehouse

GIVEN = ("raw", "details", "meta", "reviews", "replication")
"""The schemas of what was read at a source, judged by people, or noted meanwhile."""

FIX_AREAS = "links.fix_areas"
DECIDED = (*LABELS, *COMMIT_LABELS, *LINKS, "labels.performance_questions")
"""The stored tables that are decided by subject and month."""

TEXTS = ("title", "body", "body_html", "text", "code", "previous_title", "current_title")
"""Columns of what people wrote, which an archive without texts leaves out."""

TEXT_TABLES = (
    *("raw.issues", "raw.issue_comments", "raw.issue_events"),
    *("raw.questions", "raw.answers", "raw.question_comments", "raw.rejected_posts"),
)
"""The tables that have them as they were read; what is made of these may have titles too."""

QUOTED = ("title", "statement")
QUOTING = ("details.stated_releases",)
"""Tables that are given, and quote texts."""

READS_TEXTS = re.compile(rf"\b({'|'.join(TEXTS)})\b")


def recomputed_tables(*, has_texts: bool = True) -> frozenset[str]:
    """Return the stored tables that :func:`recompute` makes anew, with or without texts."""
    derived = frozenset((*derived_tables(), "labels.label_kinds"))
    if not has_texts:
        return frozenset(table for table in derived if not reads_texts(table))
    return derived.union(DECIDED, ("labels.question_kinds", "labels.question_word_weights"))


def is_text(table: str, column: str) -> bool:
    """Return whether a column has titles or bodies, as read or quoted in results."""
    if table in TEXT_TABLES:
        return column in TEXTS
    return column in QUOTED and (table in QUOTING or not table.startswith(GIVEN))


def reads_texts(table: str) -> bool:
    """Return whether a model or a statistic itself reads titles or bodies."""
    if (model := models_by_name().get(table)) is not None:
        has_any = not set(made_from()[table]).isdisjoint(TEXT_TABLES)
        return has_any and READS_TEXTS.search(model.sql) is not None
    analysis = table_of(table).analysis
    reads = {} if analysis is None else analysis.reads
    return any(
        not {"title", "body"}.isdisjoint(columns or table_of(source).column)
        or "text" in (columns or table_of(source).column)
        for source, columns in reads.items()
        if not source.startswith("replication.")
    )


def made_from_texts() -> frozenset[str]:
    """Return the tables and views that read titles or bodies, and what is made from them."""
    return following(name for name in derived_tables() if reads_texts(name))


def recompute(
    data_dir: DataDirectory,
    study: Study,
    kept: Mapping[str, pl.DataFrame] | None = None,
    *,
    has_texts: bool = True,
) -> list[str]:
    """Label, link and compute all that follows from what ``data_dir`` has of ``study``.

    Parameters
    ----------
    kept
        Rows by table that stay as they are, as what made them is not at hand.
    has_texts
        Whether texts are there; without them what is made by reading them stays as it is.

    Returns
    -------
    What failed its audit, a sentence each.
    """
    failures: list[str] = []
    with writing(data_dir.path), open_warehouse(data_dir.warehouse) as database:
        writer = AuditedWriter(database, data_dir)
        if has_texts:
            _clear(database, study)
            failures += _failures(_enriched(writer, study))
        for table, rows in (kept or {}).items():
            with database.transaction():
                database.connection.execute(f"DELETE FROM {table}")
                database.upsert(table, rows)
        with phase("computing models and statistics"):
            requested = [
                name for name in derived_tables() if has_texts or not _is_stored_text(name)
            ]
            found = (derived.outcome for derived in derive(writer, requested, forced=requested))
            failures += _failures(
                write_outcome for write_outcome in found if write_outcome is not None
            )
    return failures


def _clear(database: Database, study: Study) -> None:
    """Remove what was decided: what nothing is decided of any more must not stay.

    What the study had once stays as it is, and so do areas of owners, which need histories.
    """
    subjects = {one.name for one in (*study.repositories, *study.tag_sets)}
    loads = "SELECT DISTINCT repository FROM meta.partition_loads WHERE is_stored"
    former = {name for (name,) in database.connection.execute(loads).fetchall()} - subjects
    without = {repository.name for repository in study.repositories if needs_history(repository)}
    with database.transaction():
        for table in DECIDED:
            subject = " || ':' || ".join(table_of(table).parts)
            kept = former | without if table == FIX_AREAS else former
            database.connection.execute(
                f"DELETE FROM {table} WHERE NOT list_contains(?, {subject})", [sorted(kept)]
            )


def needs_history(repository: Repository) -> bool:
    """Return whether areas of its fixes need its git history."""
    return repository.areas.codeowners


def _is_stored_text(name: str) -> bool:
    return not table_of(name).is_view and reads_texts(name)


def _enriched(writer: AuditedWriter, own: Study) -> Iterable[WriteOutcome]:
    for repository in own.repositories:
        name = repository.name
        issues = loaded_months(writer, "raw.issues", name)
        commits = loaded_months(writer, "raw.commits", name)
        yield from label_cohorts(writer, own, name, issues, forced=True)
        yield from label_commits(writer, own, name, commits, forced=True)
        yield from link_commits(writer, own, name, commits, forced=True, has_history=False)
    for tag_set in own.tag_sets:
        months = loaded_months(writer, "raw.questions", tag_set.name)
        yield from label_performance_questions(writer, tag_set, months, forced=True)
    yield from store_label_kinds(writer, own, forced=True)
    yield from store_question_kinds(writer, own, forced=True)


def _failures(outcomes: Iterable[WriteOutcome]) -> list[str]:
    return [outcome.failure for outcome in outcomes if outcome.failure is not None]
