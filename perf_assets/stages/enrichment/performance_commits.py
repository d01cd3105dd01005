"""Which commits are performance work, by month of the commit."""

from collections.abc import Sequence

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.base.processes.progress import phase
from perf_assets.config.classifier import commit_model, fingerprint_of_commit_model
from perf_assets.config.study import Study
from perf_assets.core.labelling.commits.labels import TABLE, performance_commits
from perf_assets.core.linking.pull_requests import History
from perf_assets.stages.enrichment.links import FILES, TIP
from perf_assets.stages.enrichment.work import Work, from_first, loaded_months
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import StagedTable, WriteOutcome

TABLES = (TABLE,)

COMMITS = """
    select
        repository, sha, parents, committed_at, message, month, cast(null as varchar) as branch
    from raw.commits
    where repository = ?
"""
ISSUES = "select number from raw.issues where repository = ?"


def label_commits(
    writer: AuditedWriter,
    study: Study,
    repository: str,
    months: Sequence[str],
    *,
    forced: bool = False,
) -> list[WriteOutcome]:
    """Label the loaded commits of ``months``, and of those that follow.

    No-op if no input changed, unless ``forced``. The commits that a merge brings have its label,
    wherever their months are, so that those before ``months`` are read too.
    """
    loaded = loaded_months(writer, "raw.commits", repository)
    work = Work(writer, repository, TABLES, loaded, from_first(loaded, months))
    subject = study.repository(repository)
    aliases = subject.aliases
    code = code_version(__name__)
    rules = (code, aliases, fingerprint_of_commit_model(), subject.source)
    basis = work.basis((COMMITS, ISSUES, FILES, TIP), rules)
    if not forced and work.is_done(basis):
        return []
    commits, issues, files, tips = (
        writer.database.frame(query, [repository]) for query in (COMMITS, ISSUES, FILES, TIP)
    )
    with phase(f"labelling commits of {repository}"):
        tip = next(iter(tips["tip"]), None)
        history = History(commits, issues["number"].to_list(), aliases, tip, subject.source)
        labels = performance_commits(commits, files, history, commit_model())

    def staged(month: str) -> list[StagedTable]:
        of_month = pl.col("month") == month
        shas = commits.filter(of_month)["sha"].to_list()
        parameters: Parameters = {"commit_shas": shas}
        return [StagedTable(TABLE, labels.filter(of_month), parameters, len(shas))]

    return work.store(basis, code, staged)
