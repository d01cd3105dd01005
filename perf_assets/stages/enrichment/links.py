"""Which commits fixed which issues, by month of the commit."""

from collections.abc import Sequence

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.base.processes.progress import phase
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study
from perf_assets.core.areas.evidence import FIX_AREAS, fix_areas
from perf_assets.core.linking.links import link_fixes
from perf_assets.core.linking.pull_requests import History
from perf_assets.core.linking.relations import relate_commits
from perf_assets.sources.git.clone import update_clone
from perf_assets.sources.git.code_owners import code_owners_at
from perf_assets.stages.enrichment.work import Work, from_first, loaded_months
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import StagedTable, WriteOutcome

TABLES = ("links.fix_links", "links.commit_relations", FIX_AREAS)

COMMITS = """
    select
        repository, sha, parents, author_name, authored_at, committed_at, message, is_merge,
        additions, deletions, changed_files, month, cast(null as varchar) as branch
    from raw.commits
    where repository = $1
    union all
    select
        repository, sha, parents, author_name, authored_at, committed_at, message, is_merge,
        additions, deletions, changed_files, month, branch
    from raw.branch_commits
    where repository = $1
"""
TIP = "select tip from meta.branch_tips where repository = ?"
ISSUES = "select number, created_at from raw.issues where repository = ?"
CLOSED = "select * from raw.issue_events where repository = ? and event = 'closed'"
PULL_REQUESTS = "select * from raw.issue_pull_requests where repository = ?"
# Most comments name no number: their text is not read.
COMMENTS = r"""
    select comment_id, number, body
    from raw.issue_comments
    where
        repository = ?
        and (contains(body, '#') or contains(body, '!') or contains(body, '/pull/')
            or contains(body, '/merge_requests/'))
        and regexp_matches(body, '[#!]\d|/pull/\d|/merge_requests/\d')
"""
FILES = "select sha, path, month from raw.commit_files where repository = ?"
WORK = """
    select sha
    from labels.performance_commits
    where repository = ? and work <> 'none' and landed_by is null
"""
QUERIES = (COMMITS, ISSUES, CLOSED, PULL_REQUESTS, COMMENTS, TIP)


def link_commits(
    writer: AuditedWriter,
    study: Study,
    repository: str,
    months: Sequence[str],
    *,
    forced: bool = False,
    has_history: bool = True,
) -> list[WriteOutcome]:
    """Link the loaded commits of ``months``, and of those that follow, to the issues they fixed.

    No-op if no input changed, unless ``forced``. Without the git history there are no areas from
    CODEOWNERS.
    """
    loaded = loaded_months(writer, "raw.commits", repository)
    work = Work(writer, repository, TABLES, loaded, from_first(loaded, months))
    subject = study.repository(repository)
    aliases = subject.aliases
    code = code_version(__name__)
    rules = (code, study.count_approaches, aliases, subject.areas.version, subject.source)
    basis = work.basis((*QUERIES, FILES, WORK), rules)
    if not forced and work.is_done(basis):
        return []
    commits, issues, closed, pull_requests, comments, tips = (
        writer.database.frame(query, [repository]) for query in QUERIES
    )
    numbers = set(issues["number"])
    with phase(f"linking commits of {repository}"):
        tip = next(iter(tips["tip"]), None)
        history = History(commits, numbers, aliases, tip, subject.source)
        relations = relate_commits(commits, history, pull_requests)
        links = link_fixes(
            commits,
            issues,
            closed,
            pull_requests,
            study.count_approaches,
            comments=comments,
            aliases=aliases,
            history=history,
        )
    with phase(f"finding the areas of fixes and work of {repository}"):
        wanted = pl.concat([links["sha"], writer.database.frame(WORK, [repository])["sha"]])
        areas = _areas(writer, subject, wanted.unique(), has_history=has_history)

    def staged(month: str) -> list[StagedTable]:
        of_month = pl.col("month") == month
        shas: Parameters = {"commit_shas": commits.filter(of_month)["sha"].to_list()}
        parameters: Parameters = {**shas, "issue_numbers": numbers}
        return [
            StagedTable("links.fix_links", links.filter(of_month), parameters),
            StagedTable("links.commit_relations", relations.filter(of_month), shas),
            StagedTable(FIX_AREAS, areas.filter(of_month), shas),
        ]

    chosen = ",".join((*study.count_approaches, *aliases))
    return work.store(basis, f"{code} {chosen}", staged)


def _areas(
    writer: AuditedWriter, repository: Repository, shas: pl.Series, *, has_history: bool
) -> pl.DataFrame:
    """Return the areas of the files that these commits change."""
    files = writer.database.frame(FILES, [repository.name])
    changed = files.join(shas.to_frame(), on="sha", how="semi")
    owners = None
    if has_history and repository.areas.codeowners:
        clone = writer.data_dir.clone(repository.name)
        if not clone.exists():  # Mining created it; a deleted clone is created again.
            update_clone(repository.git, clone)
        owners = code_owners_at(clone, changed["sha"].unique().sort().to_list())
    return fix_areas(repository.name, changed, repository.areas, owners)
