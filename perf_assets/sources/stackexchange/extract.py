"""What was taken out of a dump: a database beside the warehouse, from which months are loaded.

A dump of a hundred gigabytes is read once. What belongs to the study is kept here, with how far the
reading is; both are written together, so that a process that is killed goes on where it was.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from perf_assets.base.errors.messages import disk_or_memory_message
from perf_assets.schema.frames import registered
from perf_assets.schema.types import TIME, Columns
from perf_assets.sources.posts import ANSWER, COMMENT, QUESTION
from perf_assets.sources.stackexchange.dump_posts import Record
from perf_assets.storage.warehouse import Database

log = logging.getLogger(__name__)

MEMORY = "200MB"
COUNTS = (
    *("questions", "answers", "other_questions", "other_answers", "other_posts", "rejected"),
    "replaced_characters",
)


COLUMNS: dict[str, Columns] = {
    "questions": QUESTION,
    "answers": ANSWER,
    "comments": COMMENT,
    "duplicates": {"question_id": pl.Int64, "duplicate_of": pl.Int64},
    "closings": {"question_id": pl.Int64, "moment": TIME, "reason": pl.String},
    "rejects": {"file": pl.String, "byte_offset": pl.Int64, "reason": pl.String, "text": pl.String},
}
STATE = """
CREATE TABLE IF NOT EXISTS reading (
    file VARCHAR PRIMARY KEY, fingerprint VARCHAR, next_byte BIGINT, is_read BOOLEAN,
    is_done BOOLEAN, newest_id BIGINT, is_unsorted BOOLEAN, is_second BOOLEAN,
    questions BIGINT, answers BIGINT, other_questions BIGINT, other_answers BIGINT,
    other_posts BIGINT, rejected BIGINT, replaced_characters BIGINT
)
"""
# Of an extract that an older version made.
LATER = "ALTER TABLE reading ADD COLUMN IF NOT EXISTS replaced_characters BIGINT DEFAULT 0"


class Extract:
    """An open extract. Made by :func:`open_extract`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Wrap ``connection``, which stays the caller's."""
        self.connection = connection
        self._database = Database(connection)

    def frame(self, query: str, parameters: Sequence[object] = ()) -> pl.DataFrame:
        """Return the rows of ``query``."""
        return self._database.frame(query, parameters)

    def state(self, file: str) -> dict[str, Any] | None:
        """Return the progress of reading ``file``; None before it has begun."""
        rows = self.frame("FROM reading WHERE file = ?", [file]).to_dicts()
        return rows[0] if rows else None

    def add(self, records: Mapping[str, Sequence[Record]], state: Mapping[str, object]) -> None:
        """Store what was read, and how far that is, together."""
        with self._database.transaction():
            for table, rows in records.items():
                frame = pl.DataFrame(rows, schema=COLUMNS[table], orient="row")
                with registered(self.connection, "incoming", frame):
                    self.connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")
            self._put_state(state)

    def clear(self) -> None:
        """Forget everything: another dump, or another study, replaces it."""
        with self._database.transaction():
            for table in (*COLUMNS, "reading"):
                self.connection.execute(f"DELETE FROM {table}")

    def drop_strangers(self, state: Mapping[str, object]) -> int:
        """Let go of answers to questions that never came; how many, and note the ``state``."""
        strangers = "FROM answers ANTI JOIN questions USING (question_id)"
        number = int(self.frame(f"SELECT count(*) {strangers}").item())
        counts = {
            "answers": int(str(state["answers"])) - number,
            "other_answers": int(str(state["other_answers"])) + number,
        }
        with self._database.transaction():
            self.connection.execute(
                f"DELETE FROM answers WHERE answer_id IN (SELECT answer_id {strangers})"
            )
            self._put_state({**state, **counts})
        return number

    def _put_state(self, state: Mapping[str, object]) -> None:
        names = ", ".join(state)
        marks = ", ".join("?" for _ in state)
        self.connection.execute(
            f"INSERT OR REPLACE INTO reading ({names}) VALUES ({marks})", list(state.values())
        )


@contextmanager
def open_extract(path: Path) -> Iterator[Extract]:
    """Open the extract at ``path``; create it if it is missing or damaged."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        connection = _opened(path)
    except duckdb.Error as error:
        if "lock" in str(error) or disk_or_memory_message(str(error), path):
            raise
        log.warning("%s is damaged (%s): the dump is read again", path, str(error).splitlines()[0])
        path.unlink(missing_ok=True)
        path.with_name(f"{path.name}.wal").unlink(missing_ok=True)
        connection = _opened(path)
    try:
        yield Extract(connection)
    finally:
        connection.close()


def _opened(path: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(str(path), config={"memory_limit": MEMORY})
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(STATE)
    connection.execute(LATER)
    for table, columns in COLUMNS.items():
        with registered(connection, "empty_rows", pl.DataFrame(schema=columns)):
            connection.execute(f"CREATE TABLE IF NOT EXISTS {table} AS FROM empty_rows")
    return connection
