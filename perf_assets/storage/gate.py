"""The gate: the one way into a stored table. Rows are audited, then stored, or not at all."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import duckdb
import polars as pl

from perf_assets.storage.audit import AuditReport, Parameters, audit_together, quarantine
from perf_assets.storage.home import Home
from perf_assets.storage.warehouse import Database, Difference
from perf_assets.tables import table_of

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Candidate:
    """Rows that want to become a partition of ``table``, or all of it.

    parameters : what its audit is told beside repository, month and ``source_count``.
    source_count : how many rows the source itself says there are.
    """

    table: str
    rows: pl.DataFrame
    parameters: Parameters = field(default_factory=Parameters)
    source_count: int | None = None


@dataclass(frozen=True)
class Mark:
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

    mark: Mark
    requests: int = 0
    points: int = 0


@dataclass(frozen=True)
class Offer:
    """What wants to be stored together: a month of a repository, or tables as a whole.

    repository, month : ``None`` for tables that are computed whole.
    candidates : one for each table that has the partition.
    notes : rows for tables of meta, put in by their key together with the candidates.
    """

    candidates: Sequence[Candidate]
    repository: str | None = None
    month: str | None = None
    provenance: Provenance = field(default_factory=lambda: Provenance(Mark()))
    notes: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Repository and month, or the tables, as sentences name them."""
        if self.repository is None:
            return ", ".join(candidate.table for candidate in self.candidates)
        return f"{self.repository} {self.month}"


@dataclass
class Outcome:
    """What became of one partition: the audits of its tables, and whether rows were replaced."""

    repository: str | None
    month: str | None
    rows: dict[str, int]
    reports: dict[str, AuditReport] = field(default_factory=dict)
    is_written: bool = False
    failure: str | None = None


@dataclass(frozen=True)
class BrokenRule:
    """A broken rule: where, by how many rows, and some of them."""

    rule: str
    place: str
    failing_rows: int
    examples: list[str]


@dataclass
class _Case:
    """A partition before the gate, with what it would change and what becomes of it."""

    partition: Offer
    differences: dict[str, Difference]
    audited: Sequence[Candidate]
    outcome: Outcome


@dataclass(frozen=True)
class Gate:
    """Guards the tables of one open warehouse."""

    database: Database
    home: Home

    def store(self, offers: Sequence[Offer]) -> list[Outcome]:
        """Audit the partitions and replace what is stored of each that keeps its critical rules.

        They are audited together and stored in one transaction; the verdict is each partition's
        own. One that already holds the same rows is left as it is, and a table of it whose rows and
        counts are those stored was audited when they were. Where a critical rule fails, nothing of
        the partition is replaced: candidates and reports go to quarantine, the outcome says why.
        """
        cases = [self._case(partition) for partition in offers]
        self._audit(cases)
        for case in cases:
            case.outcome.failure = self._refusal(case)
        self._write([case for case in cases if case.outcome.failure is None])
        for case in cases:
            if case.outcome.failure is not None:
                self._record_failure(case)
                log.error(case.outcome.failure)
        return [case.outcome for case in cases]

    def note(self, notes: Mapping[str, pl.DataFrame]) -> None:
        """Put rows into tables of meta, the bookkeeping of runs, each in the place of its key."""
        if notes:
            with self.database.transaction():
                for table, rows in notes.items():
                    self.database.upsert(table, rows)

    def broken_rules(self, table: str, repository: str, months: Sequence[str]) -> list[BrokenRule]:
        """The rules broken by what is stored of ``months``, or by what was refused last."""
        rows = self.database.frame(
            """
            SELECT rule, repository || ' ' || month AS place, failing_rows, examples
            FROM meta.audit_findings
            WHERE "table" = ? AND repository = ? AND list_contains(?, month) ORDER BY ALL
            """,
            [table, repository, list(months)],
        )
        return [BrokenRule(**row) for row in rows.iter_rows(named=True)]

    def _case(self, partition: Offer) -> _Case:
        differences = {
            candidate.table: self._difference(partition, candidate)
            for candidate in partition.candidates
        }
        known = self._known(partition)
        audited = [
            candidate
            for candidate in partition.candidates
            if partition.repository is None
            or differences[candidate.table].is_any
            or known.get(candidate.table) != (candidate.rows.height, candidate.source_count)
        ]
        heights = {candidate.table: candidate.rows.height for candidate in partition.candidates}
        outcome = Outcome(partition.repository, partition.month, heights)
        return _Case(partition, differences, audited, outcome)

    def _difference(self, partition: Offer, candidate: Candidate) -> Difference:
        if partition.repository is None or partition.month is None:
            stored = self.database.frame(f"FROM {candidate.table}")
        else:
            stored = self.database.partition(candidate.table, partition.repository, partition.month)
        return Difference.between(stored, candidate.rows)

    def _known(self, partition: Offer) -> dict[str, tuple[int, int | None]]:
        """How many rows each table holds of the partition, and the source announced."""
        loads = self.database.frame(
            """
            SELECT "table", row_count, source_count FROM meta.partition_loads
            WHERE repository = ? AND month = ? AND status = 'loaded'
            """,
            [partition.repository, partition.month],
        )
        return {table: (rows, announced) for table, rows, announced in loads.iter_rows()}

    def _audit(self, cases: Sequence[_Case]) -> None:
        by_table: dict[str, list[tuple[_Case, Candidate]]] = {}
        for case in cases:
            for candidate in case.audited:
                by_table.setdefault(candidate.table, []).append((case, candidate))
        for table, pairs in by_table.items():
            told = [(one.rows, _told(case.partition, one)) for case, one in pairs]
            for (case, _), report in zip(pairs, audit_together(table, told), strict=True):
                case.outcome.reports[table] = report

    def _refusal(self, case: _Case) -> str | None:
        """Quarantine what was audited of a partition when a critical rule is broken; say why."""
        broken = [report for report in case.outcome.reports.values() if not report.ok]
        if not broken:
            return None
        partition, directory = case.partition, self.home.quarantine
        if partition.repository is not None and partition.month is not None:
            directory = directory / partition.repository.replace("/", "+") / partition.month
        for candidate in case.audited:
            report = case.outcome.reports[candidate.table]
            quarantine(report, candidate.rows, directory / candidate.table)
        return "; ".join(report.sentence() for report in broken) + f"; kept in {directory}"

    def _write(self, cases: Sequence[_Case]) -> None:
        """Store all in one transaction; where the warehouse refuses that, each in its own."""
        try:
            with self.database.transaction():
                for case in cases:
                    self._put(case)
        except duckdb.ConstraintException as error:
            if len(cases) > 1:
                for case in cases:
                    self._write([case])
                return
            (refused,) = cases
            refused.outcome.is_written = False
            refused.outcome.failure = (
                f"{refused.partition.place}: the warehouse refused the rows: "
                f"{str(error).splitlines()[0]}"
            )

    def _put(self, case: _Case) -> None:
        partition = case.partition
        for candidate in partition.candidates:
            difference = case.differences[candidate.table]
            if difference.is_any:
                self.database.change(candidate.table, difference)
                case.outcome.is_written = True
            self._record_findings(case, candidate.table)
        if partition.repository is not None:
            self.database.upsert("meta.partition_loads", _loads(partition))
        for table, rows in partition.notes.items():
            self.database.upsert(table, rows)

    def _record_failure(self, case: _Case) -> None:
        if case.partition.repository is None:
            return
        with self.database.transaction():
            self.database.record_failure(_loads(case.partition), str(case.outcome.failure))
            for candidate in case.partition.candidates:
                self._record_findings(case, candidate.table)

    def _record_findings(self, case: _Case, table: str) -> None:
        """Keep the broken rules of the newest audit of a partition, for checks and analysts."""
        partition, report = case.partition, case.outcome.reports.get(table)
        if report is None or partition.repository is None:
            return
        where = {"repository": partition.repository, "month": partition.month, "table": table}
        rows = [
            {
                **where,
                "rule": result.rule,
                "severity": result.severity,
                "failing_rows": max(1, result.failing_rows),
                "examples": list(result.examples),
            }
            for result in [*report.failures, *report.warnings]
        ]
        found = pl.DataFrame(rows, schema=table_of("meta.audit_findings").frame_schema)
        stored = self.database.where("meta.audit_findings", where)
        self.database.change("meta.audit_findings", Difference.between(stored, found))


def _told(partition: Offer, candidate: Candidate) -> Parameters:
    return {
        "repository": partition.repository,
        "month": partition.month,
        "source_count": candidate.source_count,
        **candidate.parameters,
    }


def _loads(partition: Offer) -> pl.DataFrame:
    """The rows of meta.partition_loads for a partition that is stored."""
    provenance = partition.provenance
    rows = [
        {
            "repository": partition.repository,
            "month": partition.month,
            "table": candidate.table,
            "loaded_at": datetime.now(UTC),
            "source_count": candidate.source_count,
            "row_count": candidate.rows.height,
            # What the source was asked is charged to the first table, once.
            "requests": provenance.requests * (place == 0),
            "points": provenance.points * (place == 0),
            "status": "loaded",
            "is_stored": True,
            **vars(provenance.mark),
            "message": None,
        }
        for place, candidate in enumerate(partition.candidates)
    ]
    return pl.DataFrame(rows, schema=table_of("meta.partition_loads").frame_schema)
