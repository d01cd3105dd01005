"""Releases of fixes: the first release with each fix and with what introduced the bug."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.base.processes.progress import phase
from perf_assets.config.repositories import Repository
from perf_assets.core.releases.containing import (
    Graph,
    Releases,
    beside_the_line,
    first_releases,
    landed_by,
)
from perf_assets.core.releases.copies import copies_of
from perf_assets.core.releases.stated import TABLE as STATED
from perf_assets.core.releases.stated import stated_releases
from perf_assets.sources.git.clone import reading, update_clone
from perf_assets.sources.git.command import read_clone, readable
from perf_assets.sources.git.commits import read_commit_objects
from perf_assets.sources.git.tags import read_releases
from perf_assets.stages.enrichment.work import Work, loaded_months
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import StagedTable, WriteOutcome

RELEASED = "details.commit_releases"
TABLES = (RELEASED, STATED)

# Whatever is to be looked up: a commit, and the fix for which it is.
WANTED = """
    select sha as fix_sha, sha, month from details.commit_metrics where repository = $1
    union
    select sha as fix_sha, introducing_sha as sha, month
    from details.introducing_commits
    where repository = $1 and not is_merge
    union
    select sha as fix_sha, related_sha as sha, relations.month
    from links.commit_relations as relations
    semi join details.commit_metrics using (repository, sha)
    where repository = $1 and relation = 'reverts'
    union
    select sha as fix_sha, sha, month
    from labels.performance_commits
    where repository = $1 and landed_by is null and work in ('fix', 'optimisation')
    order by fix_sha, sha
"""
REPORTS = """
    select number, issues.title, issues.body, issues.created_at, issues.month
    from raw.issues as issues
    inner join labels.performance_labels as labels using (repository, number)
    where repository = $1 and labels.is_bug_report
"""


def find_releases(writer: AuditedWriter, repository: Repository) -> Iterator[WriteOutcome]:
    """Store the first release with each fix and each commit that its lines come from.

    Also the releases that bug reports name. Every month may change when a tag is added, so all
    are decided again; no-op if neither the tags, the default branch nor the commits changed.
    """
    clone = writer.data_dir.clone(repository.name)
    if not clone.exists():  # Mining created it; a deleted clone is created again.
        update_clone(repository.git, clone)
    releases = Releases(read_releases(clone, repository.name).rows)
    with reading(clone):
        tip = readable(read_clone(clone, "rev-parse", "--verify", "HEAD^{commit}"))
    yield from _released(writer, repository.name, clone, releases, tip)
    yield from _stated(writer, repository.name, releases)


def _released(
    writer: AuditedWriter, repository: str, clone: Path, releases: Releases, tip: str
) -> Sequence[WriteOutcome]:
    loaded = loaded_months(writer, "details.commit_metrics", repository)
    work = Work(writer, repository, [RELEASED], loaded, loaded)
    code = code_version(__name__)
    basis = work.basis([WANTED], (code, releases.rows.rows(), tip))
    if work.is_done(basis):
        return []
    wanted = writer.database.frame(WANTED, [repository])
    with phase(f"finding releases with the fixes of {repository}"), reading(clone):
        rows = _first_releases(repository, clone, wanted, releases, tip)
    return work.store(basis, code, lambda month: [StagedTable(RELEASED, rows.filter(month=month))])


def _first_releases(
    repository: str, clone: Path, wanted: pl.DataFrame, releases: Releases, tip: str
) -> pl.DataFrame:
    # It takes NumPy, which most processes do without.
    from perf_assets.sources.git.szz.ancestry import read_ancestors  # noqa: PLC0415

    tagged = sorted({release.sha for release in releases.ordered})
    graph, copies = Graph([], []), {}
    if tagged and wanted.height:
        commits = read_ancestors(clone, [tip, *tagged])
        graph = Graph(commits.shas, commits.parents)
        landed = landed_by(graph, tip)
        landings = {sha: landed.get(sha, sha) for sha in wanted["sha"] if sha in commits.number}
        copies = copies_of(
            landings,
            read_commit_objects(clone, sorted({*landings, *landings.values()})),
            read_commit_objects(clone, beside_the_line(graph, landed, tagged)),
        )
    return first_releases(repository, wanted, releases, graph, copies)


def _stated(writer: AuditedWriter, repository: str, releases: Releases) -> Sequence[WriteOutcome]:
    loaded = loaded_months(writer, "labels.performance_labels", repository)
    work = Work(writer, repository, [STATED], loaded, loaded)
    code = code_version(__name__)
    basis = work.basis([REPORTS], (code, releases.rows.rows()))
    if work.is_done(basis):
        return []
    reports = writer.database.frame(REPORTS, [repository])
    with phase(f"reading the releases that reports of {repository} name"):
        rows = stated_releases(repository, reports, releases)
    return work.store(basis, code, lambda month: [StagedTable(STATED, rows.filter(month=month))])
