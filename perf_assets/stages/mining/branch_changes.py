"""The default branch as it was seen last, and what happened to it since: rewritten, or another."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from perf_assets.schema import schema_of
from perf_assets.sources.git.clone import Clone
from perf_assets.sources.git.history import list_dropped
from perf_assets.storage.audited_writer import AuditedWriter

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BranchChange:
    """A row of meta.branch_changes, whose declaration explains the columns."""

    repository: str
    noticed_at: datetime
    old_branch: str
    branch: str
    old_tip: str
    tip: str
    is_rewritten: bool
    dropped_commits: int
    months: list[str]

    def sentence(self) -> str:
        """Return what happened, for the log."""
        parts = []
        if self.branch != self.old_branch:
            parts.append(f"the default branch is now {self.branch} and was {self.old_branch}")
        if self.is_rewritten:
            months = f" of {self.months[0]} to {self.months[-1]}" if self.months else ""
            parts.append(
                f"the history of {self.branch} was rewritten: {self.dropped_commits} commits"
                f"{months} are no longer on it; its tip was {self.old_tip[:10]} and is now "
                f"{self.tip[:10]}; loaded months among these are replaced"
            )
        return f"{self.repository}: {'; '.join(parts)}"


def note_branch(
    writer: AuditedWriter, clone: Clone, repository: str, listed: pl.DataFrame
) -> BranchChange | None:
    """Remember the default branch and its tip; record and log if it was rewritten or renamed.

    ``listed`` are the commits that are reachable from the tip. Done before anything is loaded, so
    that a run that is killed later has noticed.
    """
    stored = writer.database.frame(
        "SELECT branch, tip FROM meta.branch_tips WHERE repository = ?", [repository]
    ).rows()
    if stored == [(clone.branch, clone.tip)]:
        return None
    now = datetime.now(UTC)
    change = None
    for old_branch, old_tip in stored:
        is_rewritten = old_tip not in listed["sha"]
        if is_rewritten or old_branch != clone.branch:
            dropped = _dropped(writer, clone, repository, old_tip, listed)
            change = BranchChange(
                repository,
                now,
                old_branch,
                clone.branch,
                old_tip,
                clone.tip,
                is_rewritten,
                dropped.height,
                dropped["month"].unique().sort().to_list(),
            )
    tip = {"repository": repository, "branch": clone.branch, "tip": clone.tip, "seen_at": now}
    notes = {"meta.branch_tips": pl.DataFrame([tip])}
    if change is not None:
        schema = schema_of("meta.branch_changes")
        notes["meta.branch_changes"] = pl.DataFrame([vars(change)], schema=schema)
    writer.note(notes)
    if change is not None:
        log.warning(change.sentence())
    return change


def _dropped(
    writer: AuditedWriter, clone: Clone, repository: str, old_tip: str, listed: pl.DataFrame
) -> pl.DataFrame:
    """Return the commits that left the branch, as git or else the warehouse has them."""
    dropped = list_dropped(clone, old_tip)
    if dropped is not None:
        return dropped
    stored = writer.database.frame(
        "SELECT sha, month FROM raw.commits WHERE repository = ?", [repository]
    )
    return stored.join(listed, on="sha", how="anti")
