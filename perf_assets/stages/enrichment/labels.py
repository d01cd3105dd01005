"""Which issues are performance bugs, by cohort, and what each label means."""

from collections.abc import Callable, Iterator, Sequence

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.base.processes.progress import phase
from perf_assets.config.classifier import fingerprint_of_model, model_of
from perf_assets.config.study import Study
from perf_assets.core.areas.evidence import EVIDENCE, area_evidence
from perf_assets.core.labelling import environments
from perf_assets.core.labelling.classifier import model as classifier
from perf_assets.core.labelling.classifier.boilerplate import without_boilerplate
from perf_assets.core.labelling.forms import report_forms
from perf_assets.core.labelling.labels import Rules, label_issues, label_kinds, matching_labels
from perf_assets.core.labelling.stems import STEMS, stems_of_issues
from perf_assets.engines.remote import RemoteTables
from perf_assets.schema import table_of
from perf_assets.stages.enrichment.work import Work, from_first, loaded_months
from perf_assets.storage import fingerprints
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import StagedTable, WriteOutcome
from perf_assets.storage.storing import store_tables

LABELS = "labels.performance_labels"
KINDS = "labels.label_kinds"
STEMMED = "labels.keyword_stems"
ENVIRONMENTS = "labels.environments"
FORMS = "labels.report_forms"
PROBABILITIES = "labels.performance_probabilities"
TABLES = (LABELS, "labels.label_evidence", STEMMED, ENVIRONMENTS, FORMS, EVIDENCE, PROBABILITIES)

ISSUES = """
    select
        repository, number, title, body, author, labels, issue_type, lock_reason, created_at, month
    from raw.issues
    where repository = ?
"""
KNOWN = """
    select repository, unnest(labels) as label from raw.issues
    union
    select repository, label from raw.issue_events where label is not null
"""
# A file is there until it is deleted, or renamed, after the last change that leaves it there.
FILES = """
    with

    changes as (
        select path, month, change_type = 'deleted' as is_end
        from raw.commit_files
        where repository = $1
        union all
        select old_path as path, month, true as is_end
        from raw.commit_files
        where repository = $1 and old_path is not null
    ),

    months as (
        select
            *,
            min(month) over (partition by path) as first_month,
            coalesce(max(case when not is_end then month end) over (partition by path), '') as there
        from changes
    )

    select path, first_month, min(case when is_end and month >= there then month end) as last_month
    from months
    group by path, first_month
"""
TEMPLATES = "select * from raw.issue_templates where repository = ?"


def label_cohorts(
    writer: AuditedWriter,
    study: Study,
    repository: str,
    months: Sequence[str],
    *,
    forced: bool = False,
) -> list[WriteOutcome]:
    """Label the loaded cohorts of ``months`` and those that follow.

    Stems, environments, forms, areas from labels and stack traces, and probabilities of the
    classifier are stored with the labels.

    A label depends on cohorts up to its own month: a late cohort may change labels of later
    months only. No-op if no input changed, unless ``forced``.
    """
    loaded = loaded_months(writer, "raw.issues", repository)
    work = Work(writer, repository, TABLES, loaded, from_first(loaded, months))
    areas, rules = study.repository(repository).areas, study.rules_of(repository)
    code, scored_by = code_version(__name__), fingerprint_of_model(writer.data_dir.path)
    versions = (code, rules, STEMS.version, areas.version, scored_by)
    basis = work.basis((ISSUES, TEMPLATES, FILES), versions)
    if not forced and work.is_done(basis):
        return []
    issues = writer.database.frame(ISSUES, [repository])
    templates = writer.database.frame(TEMPLATES, [repository])
    with phase(f"labelling issues of {repository}"):
        forms = report_forms(issues, templates)
        plain = without_boilerplate(issues, templates)
        labels, evidence = label_issues(issues, templates, rules, forms, plain)
        stems = stems_of_issues(issues, templates)
        files = writer.database.frame(FILES, [repository])
        located = area_evidence(repository, issues, files, areas, _other_meaning(rules))
    with phase(f"scoring issues of {repository}"):
        model = model_of(writer.data_dir.path)
        read = plain.filter(pl.col("month").is_in(work.months))
        probabilities = classifier.issue_probabilities(model, read, rules.counted_kinds)

    def staged(month: str) -> list[StagedTable]:
        of_month = pl.col("month") == month
        of_cohort = issues.filter(of_month)
        count, stated = of_cohort.height, environments.environments_of_issues(of_cohort)
        numbers: Parameters = {"issue_numbers": of_cohort["number"].to_list()}
        parameters: Parameters = {**numbers, "rule_version": rules.version}
        return [
            StagedTable(LABELS, labels.filter(of_month), parameters, count),
            StagedTable("labels.label_evidence", evidence.filter(of_month), parameters),
            StagedTable(STEMMED, stems.filter(of_month), numbers),
            StagedTable(ENVIRONMENTS, stated, numbers),
            StagedTable(FORMS, forms.filter(of_month), numbers),
            StagedTable(EVIDENCE, located.filter(of_month), numbers),
            StagedTable(PROBABILITIES, probabilities.filter(of_month), numbers, count),
        ]

    return work.store(basis, f"{code} {rules.version}", staged)


def _other_meaning(rules: Rules) -> Callable[[str], bool]:
    """Return whether a label marks performance or "not a bug" instead of an area."""
    entries = (*rules.performance_labels, *rules.non_bug_labels)
    return lambda label: bool(matching_labels([label], entries))


def store_label_kinds(
    writer: AuditedWriter, study: Study, remote: RemoteTables | None = None, *, forced: bool = False
) -> Iterator[WriteOutcome]:
    """Store the meaning of each label that issues have or had.

    No-op if it is already stored, unless ``forced``.
    """
    query = None if remote is None else remote.query
    labels = writer.database.frame(KNOWN) if query is None else query(KNOWN)
    by_repository = labels.sort("repository", "label").group_by("repository", maintain_order=True)
    parts = [
        label_kinds(part, study.rules_of(str(repository))) for (repository,), part in by_repository
    ]
    kinds = pl.concat(parts or [label_kinds(labels, study.rules)])
    basis = fingerprints.basis_of(fingerprints.rules_of(table_of(KINDS)), kinds.rows())
    if not forced and fingerprints.is_current(writer.database, [KINDS], basis):
        return
    outcome = store_tables(writer, {KINDS: kinds})
    yield outcome
    if outcome.failure is None:
        fingerprints.note(writer.database, [KINDS], basis)
