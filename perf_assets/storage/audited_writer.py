"""The one way into a stored table: write, audit, publish. Rows are audited, then stored, or not."""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import duckdb
import polars as pl

from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.people.forgetting import Forgotten
from perf_assets.schema import table_of
from perf_assets.storage.audit.auditing import audit_together
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audit.records import quarantine, record_audits, release
from perf_assets.storage.forgotten import read_forgotten
from perf_assets.storage.partition_write import (
    BrokenRule,
    PartitionWrite,
    StagedTable,
    WriteOutcome,
)
from perf_assets.storage.setting_aside import against_conditions, split
from perf_assets.storage.warehouse import Database, Difference

SET_ASIDE = "set_aside"  # the file in quarantine of rows without which the others are stored

log = logging.getLogger(__name__)


class _PartitionKey(NamedTuple):
    """Where a candidate would be stored."""

    table: str
    repository: str | None
    month: str | None


@dataclass
class _Case:
    """A partition that is to be written, with what it would change and what becomes of it.

    offered : what was offered, of which ``aside`` is not in ``offer``.
    """

    offered: PartitionWrite
    offer: PartitionWrite
    differences: dict[str, Difference]
    audited: Sequence[StagedTable]
    outcome: WriteOutcome
    is_unchanged: bool
    aside: Mapping[str, pl.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True)
class AuditedWriter:
    """Guards the tables of one open warehouse."""

    database: Database
    data_dir: DataDirectory

    def store(self, offers: Sequence[PartitionWrite]) -> list[WriteOutcome]:
        """Audit the partitions and replace what is stored of each that keeps its critical rules.

        They are audited together and stored in one transaction; the verdict is each partition's
        own. One that already holds the same rows is left as it is, and a table of it whose rows and
        counts are those stored was audited when they were. A few rows that break a critical rule
        are set aside, and the others stored. Where it is about the set, or many rows break one,
        nothing of the partition is replaced. Either way rows and reports go to quarantine, and the
        outcome says why.
        """
        cases = self._cases(offers)
        self._audit(cases)
        return self._finish(cases)

    def begin(self, offers: Sequence[PartitionWrite]) -> Callable[[], list[WriteOutcome]]:
        """As :meth:`store`, but return while the audit goes on; what is returned ends the storing.

        Until then nothing is written, and nobody else may write what is stored of the partitions.
        """
        cases = self._cases(offers)
        auditor = ThreadPoolExecutor(1, "audit")
        audit = auditor.submit(self._audit, cases)
        auditor.shutdown(wait=False)

        def finish() -> list[WriteOutcome]:
            audit.result()
            return self._finish(cases)

        return finish

    def _finish(self, cases: Sequence[_Case]) -> list[WriteOutcome]:
        for case in cases:
            case.outcome.failure = self._refusal(case)
        self._write([self._without_costs(case) for case in cases if case.outcome.failure is None])
        for case in cases:
            if case.outcome.failure is not None:
                self._record_failure(case)
                log.error(case.outcome.failure)
            else:
                for report in case.outcome.reports.values():
                    if report.set_aside:
                        log.warning(report.sentence())
        return [case.outcome for case in cases]

    def _without_costs(self, case: _Case) -> _Case:
        """Return the case without the rows that its audit sets aside, kept in quarantine."""
        outcome, offered = case.outcome, case.offered
        costs = {
            table: report.costs or {}
            for table, report in outcome.reports.items()
            if report.set_aside
        }
        if costs:
            stay, aside = split(
                {candidate.table: candidate.rows for candidate in offered.candidates}, costs
            )
            offer = offered.of_rows(stay)
            if offer.with_gaps is not None:
                offer = offer.with_gaps(offer, aside)
            without = self._case(offer, self._stored([offer]), self._loads([offer]))
            outcome.rows = without.outcome.rows
            outcome.set_aside = {table: rows.height for table, rows in aside.items()}
            case = replace(
                without, offered=offered, audited=case.audited, outcome=outcome, aside=aside
            )
        # Before they are stored: a process that is killed meanwhile judges them once more.
        for table, report in outcome.reports.items():
            directory = self._quarantine(offered) / table
            if table in case.aside:
                quarantine(report, case.aside[table], directory, SET_ASIDE)
            else:
                release(directory)
        return case

    def _quarantine(self, offer: PartitionWrite) -> Path:
        if offer.repository is None or offer.month is None:
            return self.data_dir.quarantine
        return self.data_dir.quarantine / offer.repository.replace("/", "+") / offer.month

    def refuse(self, offer: PartitionWrite, reason: str) -> WriteOutcome:
        """Note that a partition could not be read; what is stored of it stays."""
        outcome = WriteOutcome(offer.repository, offer.month, {}, failure=reason)
        log.error(reason)
        with self.database.transaction():
            self.database.record_failure(_loads(offer), reason)
        return outcome

    def note(self, notes: Mapping[str, pl.DataFrame]) -> None:
        """Upsert rows into tables of meta, the bookkeeping of runs."""
        if notes:
            with self.database.transaction():
                for table, rows in notes.items():
                    self.database.upsert(table, rows)

    def broken_rules(self, table: str, repository: str, months: Sequence[str]) -> list[BrokenRule]:
        """Return the rules broken by what is stored of ``months``, or by what was refused last."""
        rows = self.database.frame(
            """
            SELECT
                rule, repository || ' ' || month AS partition, failing_rows, examples,
                coalesce(outcome = 'refused', false) AS is_refused
            FROM meta.audit_findings
            LEFT JOIN meta.audit_results USING (repository, month, "table")
            WHERE "table" = ? AND repository = ? AND list_contains(?, month) ORDER BY ALL
            """,
            [table, repository, list(months)],
        )
        return [BrokenRule(**row) for row in rows.iter_rows(named=True)]

    def _cases(self, offers: Sequence[PartitionWrite]) -> list[_Case]:
        if forgotten := read_forgotten(self.data_dir):
            offers = [_without(forgotten, offer) for offer in offers]
        stored, loads = self._stored(offers), self._loads(offers)
        return [self._case(offer, stored, loads) for offer in offers]

    def _case(
        self,
        offer: PartitionWrite,
        stored: Mapping[_PartitionKey, pl.DataFrame],
        loads: Mapping[_PartitionKey, Mapping[str, object]],
    ) -> _Case:
        differences, audited, is_unchanged = {}, [], offer.repository is not None
        for candidate in offer.candidates:
            key = _PartitionKey(candidate.table, offer.repository, offer.month)
            difference = Difference.between(stored[key], candidate.rows)
            differences[candidate.table] = difference
            load = loads.get(key, {})
            counts = (load.get("row_count"), load.get("source_count"))
            is_counted = counts == (candidate.rows.height, candidate.source_count)
            if offer.repository is None or difference.is_any or not is_counted:
                audited.append(candidate)
            mark = vars(offer.provenance.mark)
            is_unchanged &= is_counted and mark == {name: load.get(name) for name in mark}
        heights = {candidate.table: candidate.rows.height for candidate in offer.candidates}
        outcome = WriteOutcome(offer.repository, offer.month, heights)
        return _Case(offer, offer, differences, audited, outcome, is_unchanged)

    def _stored(self, offers: Sequence[PartitionWrite]) -> dict[_PartitionKey, pl.DataFrame]:
        """Return what is stored of the partition of each candidate."""
        keys = [
            _PartitionKey(candidate.table, offer.repository, offer.month)
            for offer in offers
            for candidate in offer.candidates
        ]
        groups: dict[tuple[str, str | None], list[_PartitionKey]] = {}
        for key in keys:
            groups.setdefault((key.table, key.repository), []).append(key)
        found: dict[_PartitionKey, pl.DataFrame] = {}
        for (table, repository), group in groups.items():
            if repository is None:
                found[_PartitionKey(table, None, None)] = self.database.frame(f"FROM {table}")
                continue
            rows = self.database.partitions(table, repository, [str(p.month) for p in group])
            by_month = rows.partition_by("month", as_dict=True)
            for key in group:
                found[key] = by_month.get((key.month,), rows.clear())
        return found

    def _loads(self, offers: Sequence[PartitionWrite]) -> dict[_PartitionKey, Mapping[str, object]]:
        """Return the good loads of the offered partitions."""
        repositories = {offer.repository for offer in offers} - {None}
        if not repositories:
            return {}
        loads = self.database.frame(
            """
            SELECT * FROM meta.partition_loads
            WHERE list_contains(?, repository) AND status = 'loaded'
            """,
            [sorted(map(str, repositories))],
        )
        return {
            _PartitionKey(load["table"], load["repository"], load["month"]): load
            for load in loads.iter_rows(named=True)
        }

    def _audit(self, cases: Sequence[_Case]) -> None:
        by_table: dict[str, list[tuple[_Case, StagedTable]]] = {}
        for case in cases:
            for candidate in case.audited:
                by_table.setdefault(candidate.table, []).append((case, candidate))
        for table, pairs in by_table.items():
            candidates_of_table = [
                (one.rows, _audit_parameters(case.offer, one)) for case, one in pairs
            ]
            for (case, _), report in zip(
                pairs, audit_together(table, candidates_of_table), strict=True
            ):
                case.outcome.reports[table] = report

    def _refusal(self, case: _Case) -> str | None:
        """Quarantine what was audited of a partition when a critical rule is broken; say why."""
        broken = [report for report in case.outcome.reports.values() if not report.ok]
        if not broken:
            return None
        directory = self._quarantine(case.offer)
        for candidate in case.audited:
            report = case.outcome.reports[candidate.table]
            quarantine(report, candidate.rows, directory / candidate.table)
        return "; ".join(report.sentence() for report in broken) + f"; kept in {directory}"

    def _write(self, cases: Sequence[_Case]) -> None:
        """Store all in one transaction; where the warehouse refuses that, each in its own."""
        try:
            with self.database.transaction():
                self._put(cases)
        except duckdb.ConstraintException as error:
            if len(cases) > 1:
                for case in cases:
                    self._write([case])
                return
            (refused,) = cases
            if (without := self._without_refused(refused)) is not None:
                self._write([without])
                return
            refused.outcome.failure = refusal(refused.offer.partition, error)
        for case in cases:
            if case.outcome.failure is None:
                case.outcome.is_written = any(
                    difference.is_any for difference in case.differences.values()
                )

    def _without_refused(self, case: _Case) -> _Case | None:
        """Return the case without rows that the database refuses; None if no more can go."""
        connection, reports = self.database.connection, case.outcome.reports
        before = {table: report.costs for table, report in reports.items()}
        for candidate in case.offered.candidates:
            table = candidate.table
            if table in reports and (
                found := against_conditions(connection, table, candidate.rows)
            ):
                reports[table] = reports[table].with_breaches(candidate.rows, found)
        is_more = before != {table: report.costs for table, report in reports.items()}
        return self._without_costs(case) if is_more and self._refusal(case) is None else None

    def _put(self, cases: Sequence[_Case]) -> None:
        """Run one statement for each table, whatever the number of partitions."""
        by_table: dict[str, list[Difference]] = {}
        notes: dict[str, list[pl.DataFrame]] = {}
        for case in cases:
            for table, difference in case.differences.items():
                if difference.is_any:
                    by_table.setdefault(table, []).append(difference)
            if case.offer.repository is not None and not case.is_unchanged:
                notes.setdefault("meta.partition_loads", []).append(_loads(case.offer))
            for table, rows in case.offer.notes.items():
                notes.setdefault(table, []).append(rows)
        for table, differences in by_table.items():
            self.database.change(table, Difference.of_all(differences))
        for table, frames in notes.items():
            self.database.upsert(table, pl.concat(frames, how="diagonal"))
        self._record_audits(cases)

    def _record_failure(self, case: _Case) -> None:
        if case.offer.repository is None:
            return
        with self.database.transaction():
            self.database.record_failure(_loads(case.offer), str(case.outcome.failure))
            self._record_audits([case])

    def _record_audits(self, cases: Sequence[_Case]) -> None:
        """Keep the newest audit of each partition, for checks and analysts."""
        outcomes = [case.outcome for case in cases if case.outcome.repository is not None]
        record_audits(self.database, outcomes)


def _without(forgotten: Forgotten, offer: PartitionWrite) -> PartitionWrite:
    """Return what wants to be stored, without people who want to be forgotten."""
    return offer.of_rows(
        {candidate.table: forgotten.frame(candidate.rows) for candidate in offer.candidates}
    )


def refusal(partition: str, error: duckdb.ConstraintException) -> str:
    """Return that rows of ``partition`` keep all rules and break a condition of the database."""
    return f"{partition}: the warehouse refused the rows: {str(error).splitlines()[0]}"


def _audit_parameters(offer: PartitionWrite, candidate: StagedTable) -> Parameters:
    forum, _, tag_set = (offer.repository or "").partition(":")
    count = candidate.source_count
    return {
        "repository": offer.repository,
        "forum": forum,
        "tag_set": tag_set,
        "month": offer.month,
        "source_count": None if count is None else count - candidate.set_aside,
        **candidate.parameters,
    }


def _loads(offer: PartitionWrite) -> pl.DataFrame:
    """Return the rows of meta.partition_loads for a partition that is stored."""
    provenance = offer.provenance
    rows = [
        {
            "repository": offer.repository,
            "month": offer.month,
            "table": candidate.table,
            "loaded_at": datetime.now(UTC),
            "source_count": candidate.source_count,
            "row_count": candidate.rows.height,
            # Requests to the source are charged to the first table, once.
            "requests": provenance.requests * (index == 0),
            "points": provenance.points * (index == 0),
            "status": "loaded",
            "is_stored": True,
            **vars(provenance.mark),
            "message": None,
        }
        for index, candidate in enumerate(offer.candidates)
    ]
    return pl.DataFrame(rows, schema=table_of("meta.partition_loads").frame_schema)
