"""What is kept of audits: outcomes, broken rules, and in quarantine the rows that break them."""

import io
import json
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_file
from perf_assets.schema import table_of
from perf_assets.storage.audit.auditing import AuditReport
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import Database, Difference

RESULTS, FINDINGS = "meta.audit_results", "meta.audit_findings"


def record_audits(database: Database, audited: Sequence[WriteOutcome]) -> None:
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


def _findings(audited: WriteOutcome) -> Iterator[dict[str, object]]:
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


def _results(audited: WriteOutcome) -> Iterator[dict[str, object]]:
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


def quarantine(
    report: AuditReport, rows: pl.DataFrame, directory: Path, name: str = "candidate"
) -> Path:
    """Keep refused rows as ``candidate.parquet``, or by another ``name``, with ``report.json``.

    Each file is replaced as a whole, and what was kept there before is gone. Returns
    ``directory``, which is made where it is missing.

    Raises
    ------
    PerfAssetsError
        The files cannot be written.
    """
    parquet = io.BytesIO()
    rows.write_parquet(parquet)
    text = json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n"
    files = {f"{name}.parquet": parquet.getvalue(), "report.json": text.encode()}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            write_file(directory / file, content)
        for left in directory.glob("*.parquet*"):
            if left.name not in files:
                left.unlink()
    except OSError as error:
        raise PerfAssetsError(
            f"{directory}: what failed its audit cannot be kept there: {error.strerror}"
        ) from None
    return directory


def release(directory: Path) -> None:
    """Forget what was kept in quarantine of rows that are stored by now."""
    if directory.is_dir():
        shutil.rmtree(directory, ignore_errors=True)
