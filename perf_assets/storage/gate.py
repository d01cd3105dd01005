"""The gate: candidate rows are audited, then stored in one transaction, or not at all."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import duckdb
import polars as pl

from perf_assets.storage.audit import AuditReport, audit, quarantine
from perf_assets.storage.home import Home
from perf_assets.storage.warehouse import Database, Load

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Candidate:
    """Rows that want to become a partition of ``table``, and what its audit is told about them."""

    table: str
    rows: pl.DataFrame
    parameters: Mapping[str, object] = field(default_factory=dict)
    source_count: int | None = None


@dataclass(frozen=True)
class Provenance:
    """State of the source that the rows show, and what reading them cost.

    ``notes`` are rows for tables of meta, put in by their key together with the candidates.
    """

    watermark: str
    requests: int = 0
    points: int = 0
    notes: Mapping[str, pl.DataFrame] = field(default_factory=dict)


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
class Finding:
    """A broken rule: where, by how many rows, and some of them."""

    rule: str
    place: str
    failing_rows: int
    examples: list[str]


@dataclass(frozen=True)
class Gate:
    """Guards the tables of one open warehouse."""

    database: Database
    home: Home

    def store(
        self,
        repository: str,
        month: str,
        candidates: list[Candidate],
        provenance: Provenance,
    ) -> Outcome:
        """Audit the candidates of one partition and replace its rows in one transaction.

        A partition that already holds the same rows is left as it is, and a table of it whose rows
        and counts are those stored was audited when they were. Where a critical rule fails,
        nothing is replaced: the candidates and reports go to quarantine and the outcome says why.
        """
        outcome = Outcome(
            repository,
            month,
            {candidate.table: candidate.rows.height for candidate in candidates},
        )
        loads = [
            Load(
                repository,
                month,
                candidate.table,
                candidate.rows.height,
                candidate.source_count,
                # What the source was asked is charged to the first table, once.
                requests=provenance.requests * (place == 0),
                points=provenance.points * (place == 0),
                watermark=provenance.watermark,
            )
            for place, candidate in enumerate(candidates)
        ]
        known = [self._stored_mark(*pair) for pair in zip(candidates, loads, strict=True)]
        if all(mark == provenance.watermark for mark in known):
            self._note(provenance.notes)
            return outcome
        for candidate, mark in zip(candidates, known, strict=True):
            if mark is not None:
                continue
            told = {
                "repository": repository,
                "month": month,
                "source_count": candidate.source_count,
                **candidate.parameters,
            }
            outcome.reports[candidate.table] = audit(candidate.table, candidate.rows, told)
        outcome.failure = self._refusal(outcome, candidates)
        if outcome.failure is None:
            self._write(outcome, candidates, loads, provenance.notes)
        if outcome.failure is not None:
            self._record_failure(outcome, loads)
            log.error(outcome.failure)
        return outcome

    def store_whole(self, *candidates: Candidate) -> Outcome:
        """Audit and replace tables that are made whole, all in one transaction; see ``store``."""
        outcome = self._audited(candidates)
        changed = [candidate for candidate in candidates if not self._is_whole(candidate)]
        if outcome.failure is None and changed:
            self._write_whole(outcome, changed, self._replace)
        return outcome

    def append(self, *candidates: Candidate) -> Outcome:
        """Audit rows and add them to their tables, all in one transaction; see ``store``.

        What is there already stays as it is.
        """
        outcome = self._audited(candidates)
        if outcome.failure is None:
            self._write_whole(outcome, candidates, self.database.append)
        return outcome

    def _audited(self, candidates: Sequence[Candidate]) -> Outcome:
        outcome = Outcome(
            None, None, {candidate.table: candidate.rows.height for candidate in candidates}
        )
        for candidate in candidates:
            outcome.reports[candidate.table] = audit(
                candidate.table, candidate.rows, candidate.parameters
            )
        outcome.failure = self._refusal(outcome, list(candidates))
        return outcome

    def _replace(self, table: str, rows: pl.DataFrame) -> None:
        self.database.replace(table, rows, {})

    def _write_whole(
        self,
        outcome: Outcome,
        candidates: Sequence[Candidate],
        write: Callable[[str, pl.DataFrame], None],
    ) -> None:
        try:
            with self.database.transaction():
                for candidate in candidates:
                    write(candidate.table, candidate.rows)
            outcome.is_written = True
        except duckdb.ConstraintException as error:
            names = ", ".join(candidate.table for candidate in candidates)
            reason = str(error).splitlines()[0]
            outcome.failure = f"{names}: the warehouse refused the rows: {reason}"

    def _is_whole(self, candidate: Candidate) -> bool:
        """Whether the table holds exactly these rows already."""
        return _same(self.database.frame(f"SELECT * FROM {candidate.table}"), candidate.rows)

    def findings(self, table: str, repository: str, months: Sequence[str]) -> list[Finding]:
        """The rules broken by what is stored of ``months``, or by what was refused last."""
        rows = self.database.frame(
            """
            SELECT rule, repository || ' ' || month AS place, failing_rows, examples
            FROM meta.audit_findings
            WHERE "table" = ? AND repository = ? AND list_contains(?, month) ORDER BY ALL
            """,
            [table, repository, list(months)],
        )
        return [Finding(**row) for row in rows.iter_rows(named=True)]

    def _refusal(self, outcome: Outcome, candidates: list[Candidate]) -> str | None:
        """Quarantine what was audited of a partition when a critical rule is broken; say why."""
        broken = [report for report in outcome.reports.values() if not report.ok]
        if not broken:
            return None
        audited = [candidate for candidate in candidates if candidate.table in outcome.reports]
        directory = self.home.quarantine
        if outcome.repository is not None and outcome.month is not None:
            directory = directory / outcome.repository.replace("/", "+") / outcome.month
        for candidate in audited:
            quarantine(
                outcome.reports[candidate.table], candidate.rows, directory / candidate.table
            )
        return "; ".join(report.sentence() for report in broken) + f"; kept in {directory}"

    def _stored_mark(self, candidate: Candidate, load: Load) -> str | None:
        """The watermark of the same rows with the same counts, where they are stored already."""
        known = self.database.frame(
            """
            SELECT watermark, status, row_count, source_count FROM meta.partition_loads
            WHERE repository = ? AND month = ? AND "table" = ?
            """,
            [load.repository, load.month, load.table],
        ).rows()
        if not known or known[0][1:] != (load.status, load.row_count, load.source_count):
            return None
        stored = self.database.partition(load.table, load.repository, load.month)
        return str(known[0][0]) if _same(stored, candidate.rows) else None

    def _note(self, notes: Mapping[str, pl.DataFrame]) -> None:
        if notes:
            with self.database.transaction():
                for table, rows in notes.items():
                    self.database.upsert(table, rows)

    def _write(
        self,
        outcome: Outcome,
        candidates: list[Candidate],
        loads: list[Load],
        notes: Mapping[str, pl.DataFrame],
    ) -> None:
        try:
            with self.database.transaction():
                for candidate, load in zip(candidates, loads, strict=True):
                    if load.table in outcome.reports:
                        outcome.is_written |= self._put(load, candidate.rows)
                    self.database.record(load)
                    self._record_findings(load, outcome.reports.get(load.table))
                for table, rows in notes.items():
                    self.database.upsert(table, rows)
        except duckdb.ConstraintException as error:
            reason = str(error).splitlines()[0]
            place = f"{outcome.repository} {outcome.month}"
            outcome.failure = f"{place}: the warehouse refused the rows: {reason}"
            outcome.is_written = False

    def _put(self, load: Load, rows: pl.DataFrame) -> bool:
        """Put ``rows`` in the place of a partition's; False where they are the same."""
        partition = {"repository": load.repository, "month": load.month}
        stored = self.database.partition(load.table, **partition)
        if _same(stored, rows):
            return False
        self.database.replace(load.table, stamped(rows, stored), partition)
        return True

    def _record_failure(self, outcome: Outcome, loads: list[Load]) -> None:
        with self.database.transaction():
            for load in loads:
                failed = replace(load, row_count=0, status="failed", message=outcome.failure)
                self.database.record(failed)
                self._record_findings(load, outcome.reports.get(load.table))

    def _record_findings(self, load: Load, report: AuditReport | None) -> None:
        """Keep the broken rules of the newest audit of a partition, for checks and analysts."""
        if report is None:
            return
        where = {"repository": load.repository, "month": load.month, "table": load.table}
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
        schema = {"examples": pl.List(pl.String)}
        self.database.replace(
            "meta.audit_findings", pl.DataFrame(rows, schema_overrides=schema), where
        )


def _same(stored: pl.DataFrame, candidate: pl.DataFrame) -> bool:
    """Whether both hold the same rows; when they were loaded does not count."""
    if stored.height != candidate.height or not set(candidate.columns) <= set(stored.columns):
        return False
    if stored.height == 0:
        return True
    columns = candidate.columns
    keys = [name for name in columns if not isinstance(candidate.schema[name], pl.List)]
    ours = candidate.sort(keys)
    theirs = stored.select(columns).sort(keys).cast(dict(ours.schema))  # type: ignore[arg-type]
    return theirs.equals(ours)


def stamped(rows: pl.DataFrame, stored: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with the moment of storing, where the ``stored`` ones have it."""
    if "loaded_at" not in stored.columns:
        return rows
    return rows.with_columns(loaded_at=pl.lit(datetime.now(UTC)))
