"""Read states of the stored months of a source, and the months that are due for a full read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

import duckdb
import polars as pl

from perf_assets.base.months import add_months, month_of
from perf_assets.schema import table_of
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import WATERMARKS

NEVER = datetime(1970, 1, 1, tzinfo=UTC)


def due_cohorts(reads: Mapping[str, datetime], within: int, now: datetime) -> list[str]:
    """Return the months to read whole again, so that all are within ``within`` monthly runs.

    Parameters
    ----------
    reads : when each month was last read whole.
    within : calendar months in which everything is read again.

    Returns
    -------
    The 1/``within`` of the months that wait longest, and all not read for ``within`` months.
    """
    oldest = sorted(reads, key=lambda month: (reads[month], month))
    share = -(-len(oldest) // within)
    too_old = add_months(month_of(now), -within)
    overdue = {month for month in oldest if month_of(reads[month]) <= too_old}
    return sorted({*oldest[:share], *overdue})


def last_reads(writer: AuditedWriter, repository: str, months: list[str]) -> dict[str, datetime]:
    """Return the time of the last full read of each of ``months``."""
    rows = writer.database.frame(
        "SELECT month, loaded_at FROM meta.full_refreshes WHERE repository = ?", [repository]
    )
    stored = dict(rows.rows())
    return {month: stored.get(month, NEVER) for month in months}


def advance(
    writer: AuditedWriter,
    repository: str,
    months: list[str],
    newest: datetime,
    tables: Sequence[str],
) -> None:
    """Note that the stored ``months`` show everything up to ``newest``.

    tables : all that these months have, first the one whose rows the others belong to.

    It is stored once per repository, so that monthly reports do not change in unchanged months.
    """
    stored = writer.database.loads(tables[0], repository).filter(status="loaded")
    behind = stored.filter(pl.col("updated_at").fill_null(NEVER) < newest)
    if set(behind["month"]).isdisjoint(months):
        return
    if set(stored["month"]) <= set(months):
        row = {"repository": repository, "table": tables[0], "updated_at": newest}
        rows = [{**row, "noted_at": datetime.now(UTC)}]
        writer.note({WATERMARKS: pl.DataFrame(rows, schema=table_of(WATERMARKS).frame_schema)})
        return
    loads = writer.database.frame(
        """
        SELECT * FROM meta.partition_loads
        WHERE repository = ? AND list_contains(?, month) AND updated_at IS DISTINCT FROM ?
          AND list_contains(?, "table")
        """,
        [repository, months, newest, list(tables)],
    )
    writer.note({"meta.partition_loads": loads.with_columns(updated_at=pl.lit(newest))})


def noting_failures(outcomes: Iterable[WriteOutcome], failed: set[str]) -> Iterator[WriteOutcome]:
    """Yield ``outcomes``, and add the months that failed their audit to ``failed``."""
    for outcome in outcomes:
        if outcome.failure is not None:
            failed.add(str(outcome.month))
        yield outcome


def stale_cohorts(
    connection: duckdb.DuckDBPyConnection, repository: str, fields_version: int
) -> dict[str, int]:
    """Return the stored months of ``repository`` that lack fields, and how many issues each holds.

    The requested fields count, not missing values such as a deleted account. All cohorts of a
    warehouse of an older format lack fields.
    """
    columns = connection.execute(
        """
        SELECT count(*), count(*) FILTER (WHERE column_name = 'fields_version')
        FROM duckdb_columns()
        WHERE database_name = current_database() AND schema_name = 'raw' AND table_name = 'issues'
        """
    ).fetchone()
    there, says = columns or (0, 0)
    if not there:
        return {}
    version = "min(coalesce(fields_version, 0))" if says else "0"
    rows = connection.execute(
        f"""
        SELECT month, count(*) FROM raw.issues WHERE repository = ?
        GROUP BY month HAVING {version} < ? ORDER BY month
        """,
        [repository, fields_version],
    ).fetchall()
    return dict(rows)
