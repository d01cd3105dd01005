"""Static checks of the trees that a repository's default branch held at the end of each quarter.

What the checks find in a file depends on its text, its path and the rules, so a file that did not
change since the quarter before is not read again.
"""

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.base.processes.progress import phase
from perf_assets.config.repositories import Repository
from perf_assets.lint.files.scanning import WORKER
from perf_assets.lint.linter import DEFAULT, frameworks_of
from perf_assets.schema import schema_of
from perf_assets.sources.git.clone import update_clone
from perf_assets.sources.git.history import has_commit
from perf_assets.sources.git.trees import (
    MOST_BYTES,
    File,
    Tree,
    list_files,
    quarter_ends,
    read_files,
    renamed_files,
)
from perf_assets.stages.mining.checked_files import NOTHING, Found, Row, checked_files, identity_of
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

TREES, FINDINGS, UNREAD = TABLES = (
    "raw.scanned_trees",
    "raw.static_findings",
    "raw.unparsed_files",
)
EMPTY = PartitionState(fingerprint="no tree")  # of a month in which no quarter ends
FILES_AT_ONCE = 5_000  # read and not yet stored, which a killed run repeats

Key = tuple[str, str]
"""Path and blob: where both are the same, so is what is found."""


@dataclass(frozen=True)
class Scan:
    """A tree to scan, the one before it, and those of its files that have to be read."""

    tree: Tree
    before: Tree | None
    unknown: list[File]


def mine_findings(
    writer: AuditedWriter, repository: Repository, months: Sequence[str]
) -> Iterator[WriteOutcome]:
    """Check the trees of ``repository`` in its clone, see :func:`load_findings`.

    No-op if the study has no checks of it.
    """
    if not repository.checks:
        return
    clone = writer.data_dir.clone(repository.name)
    if not clone.exists():  # Mining created it; a deleted clone is created again.
        update_clone(repository.git, clone)
    yield from load_findings(writer, clone, repository.name, repository.months, months)


def load_findings(
    writer: AuditedWriter,
    clone: Path,
    repository: str,
    studied: Sequence[str],
    months: Sequence[str],
) -> Iterator[WriteOutcome]:
    """Bring the findings of ``months`` up to date, of all that are ``studied``.

    The last studied month of each quarter holds the tree of the quarter, every other month holds
    nothing. A tree is scanned when its commit, the tree before it, or the rules differ from the
    stored ones. Trees in months that no longer end a quarter are deleted, whatever the months.
    """
    with phase(f"looking for trees of {repository}"):
        trees = {tree.month: tree for tree in quarter_ends(clone, studied)}
        marks = _marks(list(trees.values()))
        stored = _stored_marks(writer, repository)
        left = [month for month, mark in stored.items() if mark != EMPTY]
        changed = [
            month
            for month in sorted({*months, *(name for name in left if name not in trees)})
            if stored.get(month) != marks.get(month, EMPTY)
        ]
        if not changed:
            return
        history = _History(writer, clone, repository, list(trees.values()), stored)
        scans = list(history.scans([month for month in changed if month in trees]))
    unknown = [file for scan in scans for file in scan.unknown]
    if unknown:
        log.info("%s: scanning %s files in %d trees", repository, f"{len(unknown):,}", len(scans))
    by_month = {scan.tree.month: scan for scan in scans}
    with (
        phase(f"scanning trees of {repository}", len(unknown) or None, "files") as progress,
        closing(checked_files(clone, unknown)) as results,
    ):

        def partition(month: str) -> tuple[PartitionWrite, int]:
            scan = by_month.get(month)
            fresh: dict[Key, Found] = {}
            for file in () if scan is None else scan.unknown:
                fresh[file.path, file.blob] = next(results)
                progress(progress.done + 1)
            rows = {} if scan is None else history.rows(scan, fresh)
            staged = [
                StagedTable(table, pl.DataFrame(rows.get(table, []), schema=schema_of(table)))
                for table in TABLES
            ]
            provenance = Provenance(marks.get(month, EMPTY))
            return PartitionWrite(staged, repository, month, provenance), len(fresh)

        partitions = (partition(month) for month in changed)
        yield from store_in_parts(writer, partitions, FILES_AT_ONCE)


@cache
def rule_version() -> str:
    """Return the version of everything besides the files that decides the findings."""
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    rules = ", ".join(rule.name for rule in DEFAULT)
    return f"{code_version(__name__, WORKER)}, {MOST_BYTES} bytes, {python}: {rules}"


def _marks(trees: Sequence[Tree]) -> dict[str, PartitionState]:
    """Return the state of each tree's month: its commit, the previous one, and the rules."""
    marks = {}
    for before, tree in zip([None, *trees], trees, strict=False):
        after = "" if before is None else f" after {before.sha}"
        marks[tree.month] = PartitionState(
            fingerprint=f"{tree.sha}{after}", rule_version=rule_version()
        )
    return marks


def _stored_marks(writer: AuditedWriter, repository: str) -> dict[str, PartitionState]:
    """Return the marks of the months of which every table is stored."""
    loads = pl.concat([writer.database.loads(table, repository) for table in TABLES])
    good = loads.filter(pl.col("status") == "loaded")
    whole = good.filter(pl.len().over("month") == len(TABLES))
    return {
        month: PartitionState(fingerprint=fingerprint, rule_version=version)
        for month, fingerprint, version in whole.unique("month", maintain_order=True)
        .select("month", "fingerprint", "rule_version")
        .iter_rows()
    }


@dataclass
class _History:
    """The trees of a repository, and the findings in the files of the last tree."""

    writer: AuditedWriter
    clone: Path
    repository: str
    trees: Sequence[Tree]
    stored: Mapping[str, PartitionState]
    cached: dict[Key, Found] = field(default_factory=dict)
    cached_month: str | None = None

    def scans(self, months: Sequence[str]) -> Iterator[Scan]:
        """Yield the trees of ``months``, with the files whose findings are missing by then."""
        seen: set[Key] = set()
        seen_of: str | None = None
        for index, tree in enumerate(self.trees):
            if tree.month not in months:
                continue
            before = self.trees[index - 1] if index else None
            if before is None or seen_of != before.month:
                seen = self._held(before)
            seen |= self._held(tree)
            files = list_files(self.clone, tree.sha)
            unknown = [f for f in files if f.unread is None and (f.path, f.blob) not in seen]
            yield Scan(tree, before, unknown)
            seen, seen_of = {(file.path, file.blob) for file in files}, tree.month

    def rows(self, scan: Scan, fresh: dict[Key, Found]) -> dict[str, list[Row]]:
        """Return the rows of the tree, by table; ``fresh`` are results of files just read."""
        tree, before = scan.tree, scan.before
        available = (
            dict(self.cached)
            if before and self.cached_month == before.month
            else self._read(before)
        )
        available |= self._read(tree) | fresh
        files = list_files(self.clone, tree.sha)
        found = {
            (file.path, file.blob): available[file.path, file.blob]
            if file.unread is None
            else Found(unread={"path": file.path, "reason": file.unread, "detail": None})
            for file in files
        }
        self.cached, self.cached_month = found, tree.month
        readable = [file for file in files if file.unread is None]
        frameworks = self._frameworks(readable, found)
        rules = [rule.name for rule in DEFAULT if rule.framework in frameworks]
        partition = {"repository": self.repository, "month": tree.month}
        partition |= {"quarter": tree.quarter, "sha": tree.sha}
        rows = [row for file in found.values() for row in file.findings]
        renamed: Mapping[str, str] = {}
        if before is not None and before.sha != tree.sha and rows:
            renamed = renamed_files(self.clone, before.sha, tree.sha)
        findings = []
        for row in rows:  # with its id before files were renamed
            path = renamed.get(row["path"], row["path"])
            previous = {"previous_path": path, "previous_id": identity_of(row, path)}
            findings.append(partition | row | previous)
        unread = [partition | file.unread for file in found.values() if file.unread is not None]
        tree_row = {
            "committed_at": tree.committed_at,
            "previous_sha": None if before is None else before.sha,
            "files": len(found) - len(unread),
            "unparsed_files": len(unread),
            "rules": rules,
            "rule_version": rule_version(),
        }
        return {TREES: [partition | tree_row], FINDINGS: findings, UNREAD: unread}

    def _frameworks(self, files: Sequence[File], found: Mapping[Key, Found]) -> set[str]:
        """Return the frameworks of the rules that any of ``files`` imports.

        Stored rows of a file do not say: such files are read again, until nothing is missing.
        """
        known = {file: found[file.path, file.blob].frameworks for file in files}
        imported = set[str]().union(*filter(None, known.values()))
        unknown = [file for file, frameworks in known.items() if frameworks is None]
        wanted = {rule.framework for rule in DEFAULT}
        with closing(read_files(self.clone, unknown if wanted - imported else [])) as contents:
            for _, content in contents:
                imported |= frameworks_of(content)
                if wanted <= imported:
                    break
        return imported

    def _held(self, tree: Tree | None) -> set[Key]:
        """Return the files with stored results in the quarter of ``tree``."""
        return {
            (file.path, file.blob)
            for sha, month in self._stored_trees(tree)
            for missing in [self._missing(month)]
            for file in list_files(self.clone, sha)
            if file.unread is None and file.path not in missing
        }

    def _missing(self, month: str) -> set[str]:
        """Return the paths of files that the clone lacked, and may have by now."""
        rows = self._stored_rows(UNREAD, month)
        return {row["path"] for row in rows if row["reason"] == "missing"}

    def _read(self, tree: Tree | None) -> dict[Key, Found]:
        """Return the stored results for files of the quarter of ``tree``."""
        read: dict[Key, Found] = {}
        for sha, month in self._stored_trees(tree):
            found = {row["path"]: Found(unread=row) for row in self._stored_rows(UNREAD, month)}
            for row in self._stored_rows(FINDINGS, month):
                found.setdefault(row["path"], Found()).findings.append(row)
            missing = self._missing(month)
            for file in list_files(self.clone, sha):
                if file.path not in missing:
                    read[file.path, file.blob] = found.get(file.path, NOTHING)
        return read

    def _stored_trees(self, tree: Tree | None) -> Iterator[tuple[str, str]]:
        """Yield commit and month of the stored trees of the quarter of ``tree``, by current rules.

        The tree of a quarter that is not over is stored with an earlier month.
        """
        if tree is None:
            return
        rows = self.writer.database.where(
            TREES, {"repository": self.repository, "quarter": tree.quarter}
        )
        for sha, month, version in rows.select("sha", "month", "rule_version").iter_rows():
            is_whole = month in self.stored and version == rule_version()
            if is_whole and has_commit(self.clone, sha):
                yield sha, month

    def _stored_rows(self, table: str, month: str) -> list[Row]:
        """Return the stored rows on files of a month, without the columns of the tree."""
        rows = self.writer.database.partition(table, self.repository, month)
        order = ["path", "line", "start_column"] if table == FINDINGS else ["path"]
        columns = [name for name in COLUMNS[table] if name in rows.columns]
        return rows.sort(order, maintain_order=True).select(columns).to_dicts()


OF_TREE = ("repository", "quarter", "sha", "month", "previous_path", "previous_id")
COLUMNS = {
    table: [name for name in schema_of(table).names() if name not in OF_TREE]
    for table in (FINDINGS, UNREAD)
}
