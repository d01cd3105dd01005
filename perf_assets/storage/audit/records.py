"""What is kept of the newest audit of each partition of each table: outcome and broken rules."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from perf_assets.schema import table_of
from perf_assets.storage.audit.auditing import AuditReport
from perf_assets.storage.warehouse import Database, Difference

RESULTS, FINDINGS = "meta.audit_results", "meta.audit_findings"


@dataclass(frozen=True)
class Audited:
    """A partition whose tables were audited, with the report of each.

    set_aside : by table, how many rows were set aside.
    """

    repository: str
    month: str
    reports: Mapping[str, AuditReport]
    set_aside: Mapping[str, int]


def record_audits(database: Database, audited: Sequence[Audited]) -> None:
    """Keep the outcomes and broken rules of the newest audits. Call it inside a transaction."""
    partitions = pl.DataFrame(
        [
            {"repository": one.repository, "month": one.month, "table": table}
            for one in audited
            for table in one.reports
        ]
    )
    if partitions.is_empty():
        return
    findings = pl.DataFrame(
        [row for one in audited for row in _findings(one)], schema=table_of(FINDINGS).frame_schema
    )
    database.change(FINDINGS, Difference.between(_stored(database, FINDINGS, partitions), findings))
    database.ensure(RESULTS)
    results = pl.DataFrame(
        [row for one in audited for row in _results(one)], schema=table_of(RESULTS).frame_schema
    )
    # Rows that are refused again and again are not news, for which nothing need be published.
    same = [name for name in results.columns if name != "audited_at"]
    stored = _stored(database, RESULTS, partitions).filter(
        pl.col("outcome").is_in(["refused", "rows_set_aside"])
    )
    news = results.join(stored, on=same, how="anti")
    if news.height:
        database.upsert(RESULTS, news)


def _stored(database: Database, table: str, partitions: pl.DataFrame) -> pl.DataFrame:
    return database.frame(
        f"FROM {table} WHERE list_contains(?, repository) AND list_contains(?, month)",
        [partitions["repository"].unique().to_list(), partitions["month"].unique().to_list()],
    ).join(partitions, on=partitions.columns, how="semi")


def _findings(audited: Audited) -> Iterator[dict[str, object]]:
    for table, report in audited.reports.items():
        for result in (*report.failures, *report.warnings):
            yield {
                "repository": audited.repository,
                "month": audited.month,
                "table": table,
                "rule": result.rule,
                "severity": result.severity,
                "failing_rows": max(1, result.failing_rows),
                "examples": list(result.examples),
            }


def _results(audited: Audited) -> Iterator[dict[str, object]]:
    for table, report in audited.reports.items():
        if not report.ok:
            outcome = "refused"
        elif report.set_aside:
            outcome = "rows_set_aside"
        else:
            outcome = "passed_with_warnings" if report.warnings else "passed"
        yield {
            "repository": audited.repository,
            "month": audited.month,
            "table": table,
            "audited_at": datetime.now(UTC),
            "row_count": report.rows,
            "rule_count": len(report.results),
            "rows_set_aside": audited.set_aside.get(table, 0),
            "broken_critical": len(report.failures),
            "broken_warning": len(report.warnings),
            "outcome": outcome,
        }
