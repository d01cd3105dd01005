"""What a data directory holds and how complete it is: in 80 columns, or as JSON for programs."""

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from perf_assets.base.sanitize import escape_text
from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.sql_files import rows_of
from perf_assets.stages.study_loader import read_added
from perf_assets.storage.warehouse import reading

WIDTH = 80
Row = Mapping[str, Any]

QUERIES = {
    "tables": "stored_months",
    "failed_audits": "failed_audits",
    "rows_set_aside": "set_aside_by_table",
    "tables_not_whole": "tables_not_whole",
    "branch_changes": "branch_changes",
}
"""The query of each part of the state; an older version published without all but ``ALWAYS``."""
ALWAYS = ("tables", "failed_audits")
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
        tables = {
            key: rows_of(connection, name, is_optional=key not in ALWAYS).to_dicts()
            for key, name in QUERIES.items()
        }
        return {
            "data_dir": str(data_dir.path),
            "repositories": _origins(data_dir, rows_of(connection, "registered").rows()),
            "is_as_published": Path(read).name != data_dir.warehouse.name,
            **tables,
        }


def as_json(content: Mapping[str, Any]) -> str:
    """Return ``content`` for programs; moments as ISO 8601."""

    def written(value: object) -> str:
        return value.isoformat() if hasattr(value, "isoformat") else str(value)

    return json.dumps(content, indent=2, default=written, ensure_ascii=True)


def status_text(status: Mapping[str, Any]) -> str:
    """Return the same for people, in lines of 80 columns unless a word is longer."""
    parts = [_wrapped(f"Stored in {escape_text(status['data_dir'])}")]
    if status["is_as_published"]:
        reason = "a run is writing, or only that is stored."
        parts.append(_wrapped(f"This is the last published state: {reason}"))
    rows = status["tables"]
    origins = {row["repository"]: _origin(row) for row in status["repositories"]}
    for repository in dict.fromkeys(row["repository"] for row in rows):
        months = [row for row in rows if row["repository"] == repository]
        title = _wrapped(f"{escape_text(repository)}{origins.get(repository, '')}")
        parts.append("\n".join([title, *_lines(months)]))
    for title, key, sentence in (
        ("Failed audits", "failed_audits", _failure),
        ("Rows set aside", "rows_set_aside", _set_aside),
        ("Incomplete tables", "tables_not_whole", _not_whole),
        ("Default branches that changed", "branch_changes", _branch_change),
    ):
        if status[key]:
            lines = (_wrapped(escape_text(sentence(row)), "  ") for row in status[key])
            parts.append("\n".join([title, *lines]))
    return "\n\n".join(parts)


def _failure(row: Row) -> str:
    return f"{row['repository']} {row['month']}: {row['message']}"


def _set_aside(row: Row) -> str:
    return f"{row['repository']}: {row['rows']:,} of {row['table']}"


def _not_whole(row: Row) -> str:
    state = "not available" if row["outcome"] == "not_available" else "rows set aside"
    return f"{row['table']}, {state}: {row['reason']}"


def _branch_change(row: Row) -> str:
    new, old = row["branch"], row["old_branch"]
    facts = [f"{old} is now {new}"] if new != old else []
    if row["is_rewritten"]:
        dropped, first, last = row["dropped_commits"], row["from"] or "-", row["to"] or "-"
        facts.append(f"{new} was rewritten, {dropped:,} commits dropped, {first} to {last}")
    change = "; ".join(facts) or f"{new} changed"
    return f"{row['repository']}, {row['noticed_at']:%Y-%m-%d}: {change}"


def _origins(
    data_dir: DataDirectory, registered: Sequence[tuple[str, str]]
) -> list[dict[str, Any]]:
    added = {(entry.name, entry.study): entry.added_at for entry in read_added(data_dir)}
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


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
