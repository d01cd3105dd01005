"""Detailing: the analysis of the commits that fix bug reports, each commit once."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.base.processes.gc_control import return_free_memory
from perf_assets.base.processes.progress import phase
from perf_assets.config.repositories import Repository
from perf_assets.core import languages
from perf_assets.schema import schema_of
from perf_assets.sources.git.clone import update_clone
from perf_assets.sources.git.commits import moment
from perf_assets.sources.git.inspection import CommitInspection, inspect_commits
from perf_assets.sources.git.szz.ignored import is_outdated, read_listed
from perf_assets.sources.git.szz.introducing import Trace
from perf_assets.sources.git.unreadable import now_readable
from perf_assets.stages.enrichment.work import from_first, loaded_months
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import (
    PartitionState,
    PartitionWrite,
    Provenance,
    StagedTable,
    WriteOutcome,
)
from perf_assets.storage.storing import store_in_parts

log = logging.getLogger(__name__)

MERGE = "a merge commit, whose changes are those of the commits it brings"

TABLES = ("details.commit_metrics", "details.introducing_commits")
DETAILS, INTRODUCING = map(schema_of, TABLES)
# The same before git's files and the calendar are brought in.
READ = pl.Schema(
    {name: kind for name, kind in DETAILS.items() if name not in ("languages", "test_share")}
)
TRACED = pl.Schema({**INTRODUCING, "introduced_at": pl.Int64()})

FIXES_AT_ONCE = 2_000  # analysed and not yet stored, which a killed run repeats

FIXES = """
    select distinct sha, commits.month, commits.is_merge, commits.unreadable
    from links.fix_links as links
    inner join labels.performance_labels as labels using (repository, number)
    inner join raw.commits as commits using (repository, sha)
    where repository = ? and labels.is_bug_report
    order by commits.month, sha
"""


STORED = """
    select sha, month, not_analysed, not_traced, ignored_commits
    from details.commit_metrics
    where repository = ?
"""
STORED_ORIGINS = """
    select sha, list(distinct introducing_sha) as introducing
    from details.introducing_commits
    where repository = ?
    group by sha
"""
FILES = """
    select sha, path, additions, deletions
    from raw.commit_files
    where repository = ? and month = ? and list_contains(?, sha)
"""


@dataclass(frozen=True)
class FixMonth:
    """The fixes of a month (as ``FIXES`` has them), and the rows of analysed fixes."""

    name: str
    fixes: pl.DataFrame
    details: pl.DataFrame
    introducing: pl.DataFrame

    @property
    def missing(self) -> pl.DataFrame:
        """The fixes that are not analysed yet."""
        return self.fixes.join(self.details, on="sha", how="anti", maintain_order="left")


def inspect_fixes(
    writer: AuditedWriter, repository: Repository, months: Sequence[str]
) -> Iterator[WriteOutcome]:
    """Analyse the fixes of ``repository`` in its clone, see :func:`detail_fixes`."""
    clone = writer.data_dir.clone(repository.name)
    if not clone.exists():  # Mining created it; a deleted clone is created again.
        update_clone(repository.git, clone)
    yield from detail_fixes(writer, clone, repository.name, months)


def detail_fixes(
    writer: AuditedWriter, clone: Path, repository: str, months: Sequence[str]
) -> Iterator[WriteOutcome]:
    """Analyse the fixes committed in ``months`` and after that are not analysed yet.

    A fix is any commit that is linked to a bug report, whether or not its link counts. Each commit
    is analysed once, as the result depends on nothing else but the commits that the project lists
    to be passed over by blame, where the lines lead to one; results of commits that are no longer
    fixes are deleted. A run that was killed continues with the month it had reached.
    """
    listed = read_listed(clone)
    changed = list(_changed(writer, clone, repository, months, listed))
    if not changed:
        return
    missing = pl.concat([month.missing for month in changed])
    plain = missing.filter(~pl.col("is_merge"))["sha"].to_list()
    if plain:
        log.info("%s: analysing %s fix commits", repository, f"{len(plain):,}")
    # What mining, labels and links left would stay beside the processes that are started here.
    return_free_memory()
    # One stream for all months: the processes are started once and always have work.
    with (
        phase(f"analysing fixes of {repository}", len(plain) or None, "commits") as progress,
        closing(inspect_commits(clone, plain, listed)) as inspected,
    ):

        def next_inspection() -> CommitInspection:
            inspection = next(inspected)
            progress(progress.done + 1)
            return inspection

        partitions = (
            (_partition(writer, repository, month, next_inspection), month.missing.height)
            for month in changed
        )
        yield from store_in_parts(writer, partitions, FIXES_AT_ONCE)


def rule_version() -> str:
    """Return the version of the code and the libraries that analyse a commit."""
    return code_version(__name__)


def _changed(
    writer: AuditedWriter,
    clone: Path,
    repository: str,
    months: Sequence[str],
    listed: frozenset[str],
) -> Iterator[FixMonth]:
    """Yield the linked months whose stored fixes differ from the linked ones.

    Fixes that git could not read count as not stored once it can, and so do those whose lines lead
    to a commit that the project has ``listed``, or lists no longer.
    """
    linked = loaded_months(writer, "links.fix_links", repository)
    fixes = writer.database.frame(FIXES, [repository])
    stored = writer.database.frame(STORED, [repository])
    ready = now_readable(clone, [*stored["not_analysed"], *stored["not_traced"]])
    again = stored.filter(pl.col("not_analysed").is_in(ready) | pl.col("not_traced").is_in(ready))
    outdated = _outdated(writer, repository, stored, listed)
    again = pl.concat([again, stored.filter(pl.col("sha").is_in(outdated))])
    stored = stored.join(again, on="sha", how="anti")
    loads = writer.database.loads("details.commit_metrics", repository)
    valid = set(loads.filter(status="loaded", rule_version=rule_version())["month"])
    for name in from_first(linked, months):
        of_month = fixes.filter(month=name)
        if name not in valid:
            nothing = (pl.DataFrame(schema=schema) for schema in (DETAILS, INTRODUCING))
            yield FixMonth(name, of_month, *nothing)
        elif set(stored.filter(month=name)["sha"]) != set(of_month["sha"]):
            still = of_month.join(again, on="sha", how="anti")
            yield FixMonth(name, of_month, *_kept(writer, repository, name, still))


def _outdated(
    writer: AuditedWriter, repository: str, stored: pl.DataFrame, listed: frozenset[str]
) -> list[str]:
    ignored = dict(stored.select("sha", pl.col("ignored_commits").fill_null([])).iter_rows())
    if not listed and not any(ignored.values()):
        return []
    origins = dict(writer.database.frame(STORED_ORIGINS, [repository]).iter_rows())
    return [
        sha for sha, passed in ignored.items() if is_outdated(passed, origins.get(sha, ()), listed)
    ]


def _kept(
    writer: AuditedWriter, repository: str, month: str, fixes: pl.DataFrame
) -> Iterator[pl.DataFrame]:
    """Yield the stored rows of those commits that are still fixes."""
    for table, schema in zip(TABLES, (DETAILS, INTRODUCING), strict=True):
        rows = writer.database.partition(table, repository, month)
        kept = rows.select(schema.names()).cast(schema)
        yield kept.join(fixes, on="sha", how="semi")


def _partition(
    writer: AuditedWriter,
    repository: str,
    month: FixMonth,
    next_inspection: Callable[[], CommitInspection],
) -> PartitionWrite:
    missing = month.missing
    merges = missing.filter("is_merge").select("sha", pl.col("unreadable").fill_null(MERGE))
    inspections = [
        *(next_inspection() for _ in range(missing.height - merges.height)),
        *(
            CommitInspection(sha, problem=why, trace=Trace(problem=why))
            for sha, why in merges.rows()
        ),
    ]
    partition: dict[str, Any] = {"repository": repository, "month": month.name}
    details = pl.DataFrame(
        [partition | _details(inspection) for inspection in inspections], schema=READ
    )
    files = writer.database.frame(FILES, [repository, month.name, missing["sha"].to_list()])
    details = details.join(
        languages.language_totals(files), on="sha", how="left", maintain_order="left"
    ).with_columns(pl.col("languages").fill_null(pl.lit([], dtype=DETAILS["languages"])))
    introducing = pl.DataFrame(
        [partition | row for inspection in inspections for row in _introducing(inspection)],
        schema=TRACED,
    ).with_columns(moment("introduced_at"))
    fixes = month.fixes["sha"].to_list()
    shas: Parameters = {"commit_shas": fixes}
    details = pl.concat([month.details, details.select(DETAILS.names())]).sort("sha")
    introducing = pl.concat([month.introducing, introducing])
    introducing = introducing.sort("sha", "path", "introducing_sha")
    return PartitionWrite(
        [
            StagedTable("details.commit_metrics", details, shas, len(fixes)),
            StagedTable("details.introducing_commits", introducing, shas),
        ],
        repository,
        month.name,
        Provenance(PartitionState(rule_version=rule_version())),
    )


def _details(inspection: CommitInspection) -> dict[str, Any]:
    return {
        **(inspection.details or {}),
        "sha": inspection.sha,
        "not_analysed": inspection.problem,
        "removed_lines": None if inspection.trace.problem else inspection.trace.removed_lines,
        "not_traced": inspection.trace.problem,
        "ignored_commits": None if inspection.trace.problem else inspection.trace.ignored,
        "followed_lines": None if inspection.trace.problem else inspection.trace.followed_lines,
    }


def _introducing(inspection: CommitInspection) -> Iterator[dict[str, Any]]:
    for path, commit, when, is_merge, lines in inspection.trace.introducing:
        yield {
            "sha": inspection.sha,
            "path": path,
            "introducing_sha": commit,
            "introduced_at": when,
            "is_merge": is_merge,
            "is_ignored": commit in inspection.trace.ignored,
            "lines": lines,
        }
