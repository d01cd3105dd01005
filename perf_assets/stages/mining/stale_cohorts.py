"""Cohorts that an older version stored, which lack fields that are requested now."""

import duckdb

from perf_assets.sources.github.queries import FIELDS_VERSION


def stale_cohorts(connection: duckdb.DuckDBPyConnection, repository: str) -> dict[str, int]:
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
        [repository, FIELDS_VERSION],
    ).fetchall()
    return dict(rows)
