"""A small warehouse in memory for tests of models and queries: rows are given as dicts."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

import perf_assets
from perf_assets.sql_models.laying import create_as_of_macro, create_table, create_view, load_models

SCHEMA = (Path(perf_assets.__file__).parent / "schema.sql").read_text(encoding="utf-8")
REPOSITORY = "owner/name"

Row = dict[str, Any]
Tables = Mapping[str, Sequence[Row]]


def sha(name: str) -> str:
    """A commit hash that is the same for the same name."""
    return name.encode().hex().ljust(40, "0")[:40]


def repository(name: str = REPOSITORY, start: str = "2020-01", trend_start: str = "2020-02") -> Row:
    return {
        "repository": name,
        "start_month": start,
        "trend_start_month": trend_start,
        "study": "test",
    }


def load(month: str, table: str = "raw.issues", **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "month": month,
        "table": table,
        "loaded_at": "2021-01-01T00:00:00Z",
        "row_count": 1,
        "status": "loaded",
        "watermark": "2021-01-01T00:00:00Z",
    }
    return {**row, **changes}


def loads(*months: str, **changes: Any) -> list[Row]:
    """Loads of issues and commits of each month."""
    return [load(month, table, **changes) for month in months for table in LOADED]


LOADED = ("raw.issues", "raw.commits")


def issue(number: int, opened: str, closed: str | None = None, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "number": number,
        "title": f"Issue {number}",
        "author": "reporter",
        "state": "open" if closed is None else "closed",
        "labels": [],
        "created_at": opened,
        "updated_at": closed or opened,
        "closed_at": closed,
        "comments": 0,
        "html_url": f"https://github.com/{REPOSITORY}/issues/{number}",
        "month": opened[:7],
        "loaded_at": "2021-01-01T00:00:00Z",
    }
    return {**row, **changes}


def label(number: int, *, is_performance: bool = False, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "number": number,
        "is_bug_report": True,
        "is_performance": is_performance,
        "matched_labels": [],
        "matched_keywords": [],
        "matched_in": [],
        "non_bug_labels": [],
        "ignored_keywords": [],
        "ignored_lines": [],
        "rule_version": "1",
        "month": "2020-01",
    }
    return {**row, **changes}


def event(number: int, kind: str, at: str, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "event_id": f"{number} {kind} {at}",
        "number": number,
        "event": kind,
        "created_at": at,
        "month": "2020-01",
    }
    return {**row, **changes}


def comment(number: int, comment_id: int, at: str, author: str | None = "helper") -> Row:
    return {
        "repository": REPOSITORY,
        "comment_id": comment_id,
        "number": number,
        "author": author,
        "created_at": at,
        "month": "2020-01",
    }


def commit(name: str, at: str, additions: int, deletions: int, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "sha": sha(name),
        "parents": [],
        "author_name": "Committer",
        "authored_at": at,
        "committed_at": at,
        "message": name,
        "is_merge": False,
        "additions": additions,
        "deletions": deletions,
        "changed_files": 1,
        "month": at[:7],
    }
    return {**row, **changes}


def link(
    number: int,
    name: str,
    approach: str = "id",
    *,
    is_counted: bool = True,
    is_repeated: bool = False,
) -> Row:
    return {
        "repository": REPOSITORY,
        "number": number,
        "sha": sha(name),
        "approach": approach,
        "evidence": f"#{number}",
        "is_counted": is_counted,
        "is_repeated": is_repeated,
        "month": "2020-01",
    }


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Iterable[Row]) -> None:
    """Add ``rows`` to ``table``, by name."""
    for row in rows:
        columns = ", ".join(f'"{column}"' for column in row)
        places = ", ".join("?" for _ in row)
        connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", list(row.values()))


class ModelDatabase:
    """A database of the project's tables and models that can be filled again and again."""

    def __init__(self, time_zone: str = "UTC") -> None:
        self.connection = duckdb.connect()
        self.connection.execute(SCHEMA)
        self.connection.execute("SET threads = 1")  # the rows are few, switching costs more
        self.connection.execute(f"SET TimeZone = '{time_zone}'")
        for model in load_models():
            if model.materialization == "view":
                create_view(self.connection, model)
            else:
                create_table(self.connection, model)
        create_as_of_macro(self.connection)

    def fill(self, tables: Tables) -> None:
        """Replace all rows by those of ``tables`` and compute the marts."""
        marts = [model for model in load_models() if model.materialization == "table"]
        stored = self.rows(
            "SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() "
            "WHERE schema_name IN ('meta', 'raw', 'labels', 'links', 'replication', 'reviews')"
        )
        for name in [model.name for model in marts] + [row["name"] for row in stored]:
            self.connection.execute(f"DELETE FROM {name}")
        for name, rows in tables.items():
            insert(self.connection, name, rows)
        for model in marts:
            self.connection.execute(f"INSERT INTO {model.name} BY NAME {model.sql}")

    def rows(self, query: str) -> list[Row]:
        """The answer to ``query``, moments as aware datetimes."""
        answer = self.connection.execute(query)
        names = [column[0] for column in answer.description or ()]
        return [dict(zip(names, values, strict=True)) for values in answer.fetchall()]

    def table(self, name: str, columns: str = "*", order: str = "ALL") -> list[tuple[Any, ...]]:
        """The rows of a table as plain tuples."""
        return self.connection.execute(f"SELECT {columns} FROM {name} ORDER BY {order}").fetchall()
