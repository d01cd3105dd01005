"""What a data directory holds and how complete it is: in 80 columns, or as JSON for programs."""

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from perf_assets.base.sanitize import escape_text
from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.sql_files import sql_of
from perf_assets.schema.frames import frame_of
from perf_assets.stages.study_loader import read_added
from perf_assets.storage.warehouse import reading

WIDTH = 80
Row = Mapping[str, Any]

READ = (
    "select parse_filename(path) from duckdb_databases() where database_name = current_database()"
)


def read_status(data_dir: DataDirectory) -> dict[str, Any]:
    """Return what ``data_dir`` stores, as ``perf-assets status --json`` says it.

    data_dir : where it is.
    repositories : of each repository the study that it is of, and when it was added to that
        without its file; nothing where the file names it.
    is_as_published : whether a run goes on, so that this is what was published before it.
    tables : of each repository and table the months stored, the first and the last of them, rows,
        the last refresh (UTC), and how many months have a failed audit.
    failed_audits : of each repository and month what is wrong with it.
    rows_set_aside : of each repository and table how many rows break a rule and are not stored.
    tables_not_whole : models and statistics that lack rows, or are not available, and why.
    branch_changes : default branches that were rewritten or renamed.

    Raises
    ------
    PerfAssetsError
        Nothing is stored yet, or it is damaged.
    """
    path = data_dir.warehouse if data_dir.warehouse.exists() else data_dir.published
    with reading(path) as connection:
        ((read,),) = connection.execute(READ).fetchall()
        has_changes = connection.sql(
            "from duckdb_tables() where table_name = 'branch_changes'"
        ).fetchall()
        return {
            "data_dir": str(data_dir.path),
            "repositories": _origins(data_dir, connection.sql(sql_of("registered")).fetchall()),
            "is_as_published": Path(read).name != data_dir.warehouse.name,
            "tables": frame_of(connection.sql(sql_of("stored_months"))).to_dicts(),
            "failed_audits": frame_of(connection.sql(sql_of("failed_audits"))).to_dicts(),
            "rows_set_aside": _found(connection, sql_of("set_aside_by_table")),
            "tables_not_whole": _found(connection, sql_of("tables_not_whole")),
            "branch_changes": (
                frame_of(connection.sql(sql_of("branch_changes"))).to_dicts() if has_changes else []
            ),
        }


def as_json(found: Mapping[str, Any]) -> str:
    """Return what was found, for programs; moments as ISO 8601."""

    def written(value: object) -> str:
        return value.isoformat() if hasattr(value, "isoformat") else str(value)

    return json.dumps(found, indent=2, default=written, ensure_ascii=True)


def status_text(status: Mapping[str, Any]) -> str:
    """Return the same for people; no line is wider than 80 columns, but for what has no space in
    it.
    """
    parts = [_wrapped(f"Stored in {escape_text(status['data_dir'])}")]
    if status["is_as_published"]:
        parts.append(_wrapped("What was published last: a run is writing, or there is no more."))
    rows = status["tables"]
    origins = {row["repository"]: _origin(row) for row in status["repositories"]}
    for repository in dict.fromkeys(row["repository"] for row in rows):
        own = [row for row in rows if row["repository"] == repository]
        title = _wrapped(f"{escape_text(repository)}{origins.get(repository, '')}")
        parts.append("\n".join([title, *_lines(own)]))
    for title, lines in (
        ("Failed audits", [*map(_failure, status["failed_audits"])]),
        ("Rows set aside", [*map(_set_aside, status["rows_set_aside"])]),
        ("Tables that are not whole", [*map(_not_whole, status["tables_not_whole"])]),
        ("Default branches that changed", [*map(_branch_change, status["branch_changes"])]),
    ):
        if lines:
            parts.append("\n".join([title, *lines]))
    return "\n\n".join(parts)


def _found(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    """Return the rows of ``query``; none where an older version published without its table."""
    try:
        return frame_of(connection.sql(query)).to_dicts()
    except (duckdb.CatalogException, duckdb.BinderException):
        return []


def _set_aside(row: Row) -> str:
    return _wrapped(f"{escape_text(row['repository'])}: {row['rows']:,} of {row['table']}", "  ")


def _not_whole(row: Row) -> str:
    state = "not available" if row["outcome"] == "not_available" else "rows set aside"
    return _wrapped(f"{row['table']}, {state}: {escape_text(row['reason'])}", "  ")


def _origins(
    data_dir: DataDirectory, registered: Sequence[tuple[str, str]]
) -> list[dict[str, Any]]:
    added = {(one.name, one.study): one.added_at for one in read_added(data_dir)}
    return [
        {"repository": name, "study": study, "added_at": added.get((name, study))}
        for name, study in registered
    ]


def _origin(row: Row) -> str:
    added = f", added on {row['added_at'][:10]}" if row["added_at"] else ""
    return f" (study {escape_text(row['study'])}{added})"


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    wide = max(len(row["table"]) for row in rows)
    yield f"  {'table':<{wide}} {'months':>6} {'first':<7} {'last':<7} {'rows':>9} refreshed"
    for row in rows:
        failed = f" {row['failed_audits']} failed" if row["failed_audits"] else ""
        yield (
            f"  {row['table']:<{wide}} {row['months']:>6} {row['first'] or '-':<7} "
            f"{row['last'] or '-':<7} {int(row['rows'] or 0):>9,} "
            f"{row['last_refresh']:%Y-%m-%d}{failed}"
        )


def _failure(row: Row) -> str:
    return _wrapped(
        f"{escape_text(row['repository'])} {row['month']}: {escape_text(row['message'])}", "  "
    )


def _branch_change(row: Row) -> str:
    new, old = escape_text(row["branch"]), escape_text(row["old_branch"])
    facts = [f"{old} is now {new}"] if new != old else []
    if row["is_rewritten"]:
        dropped, first, last = row["dropped_commits"], row["from"] or "-", row["to"] or "-"
        facts.append(f"{new} was rewritten, {dropped:,} commits dropped, {first} to {last}")
    found = "; ".join(facts) or f"{new} changed"
    return _wrapped(
        f"{escape_text(row['repository'])}, {row['noticed_at']:%Y-%m-%d}: {found}", "  "
    )


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
