"""What wants to be stored, and what became of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import polars as pl

from perf_assets.storage.audit.auditing import AuditReport
from perf_assets.storage.audit.parameters import Parameters


@dataclass(frozen=True)
class StagedTable:
    """Rows that want to become a partition of ``table``, or all of it.

    parameters : parameters of its audit beside repository, month and ``source_count``.
    source_count : how many rows the source itself says there are.
    set_aside : how many of these cannot be stored, for reasons that are stored instead.
    """

    table: str
    rows: pl.DataFrame
    parameters: Parameters = field(default_factory=Parameters)
    source_count: int | None = None
    set_aside: int = 0


@dataclass(frozen=True)
class PartitionState:
    """What the stored rows of a partition show; a later run compares it with what is there then.

    updated_at : the newest update at the source, of rows that the source changes.
    fingerprint : of the set of rows at the source, whose rows never change.
    rule_version : the rules, and the libraries, by which rows were decided.
    """

    updated_at: datetime | None = None
    fingerprint: str | None = None
    rule_version: str | None = None


@dataclass(frozen=True)
class Provenance:
    """What the rows show, and what reading them cost."""

    mark: PartitionState
    requests: int = 0
    points: int = 0


@dataclass(frozen=True)
class PartitionWrite:
    """What wants to be stored together: a month of a repository, or tables as a whole.

    repository, month : ``None`` for tables that are computed whole.
    candidates : one for each table that has the partition.
    notes : rows for tables of meta, put in by their key together with the candidates.
    with_gaps : how rows that are set aside, by table, are told in the candidates that stay, where
        a table is there for that.
    """

    candidates: Sequence[StagedTable]
    repository: str | None = None
    month: str | None = None
    provenance: Provenance = field(default_factory=lambda: Provenance(PartitionState()))
    notes: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    with_gaps: Callable[["PartitionWrite", Mapping[str, pl.DataFrame]], "PartitionWrite"] | None = (
        None
    )

    @property
    def partition(self) -> str:
        """Repository and month, or the tables, as sentences name them."""
        if self.repository is None:
            return ", ".join(candidate.table for candidate in self.candidates)
        return f"{self.repository} {self.month}"

    def of_rows(self, rows: Mapping[str, pl.DataFrame]) -> "PartitionWrite":
        """Return the same with other ``rows`` for each table."""
        candidates = [
            replace(candidate, rows=rows[candidate.table]) for candidate in self.candidates
        ]
        return replace(self, candidates=candidates)


@dataclass
class WriteOutcome:
    """What became of one partition: the audits of its tables, and whether rows were replaced.

    set_aside : by table, how many rows are not among those that were stored.
    """

    repository: str | None
    month: str | None
    rows: dict[str, int]
    reports: dict[str, AuditReport] = field(default_factory=dict)
    is_written: bool = False
    failure: str | None = None
    set_aside: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class BrokenRule:
    """A broken rule: where, by how many rows, and some of them.

    is_refused : whether nothing of the partition was stored, rather than all but a few rows.
    """

    rule: str
    partition: str
    failing_rows: int
    examples: list[str]
    is_refused: bool
