"""Verdicts of people are kept twice: in the warehouse, and in a log of the data directory.

Everything else can be mined or computed again; their verdicts are nowhere else. Each import is a
line of the file, with its own checksum, and lines are only ever added. What one of the two lacks,
or what the published database has and they have not, is brought back before anything is computed
from verdicts, and before anything is published.
"""

import hashlib
import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock

import duckdb
import polars as pl

from perf_assets.base.files import write_file
from perf_assets.config.data_directory import DataDirectory
from perf_assets.schema import table_of
from perf_assets.schema.frames import frame_of, registered
from perf_assets.storage.forgotten import read_forgotten
from perf_assets.storage.migrations import create
from perf_assets.storage.received import stored_rows
from perf_assets.storage.warehouse import Database, Difference

log = logging.getLogger(__name__)
_one_at_a_time = Lock()

TABLE = "reviews.verdicts"
QUESTIONS = "reviews.question_verdicts"
FINDINGS = "reviews.finding_verdicts"
ENDORSEMENTS = "reviews.endorsement_verdicts"
ALERT_STATES = "reviews.alert_states"
REGRESSION_STATES = "reviews.regression_states"
SUM = "sha256"


@dataclass(frozen=True)
class VerdictKind:
    """One sort of verdicts: its table, what a line of the file calls it, and its identity.

    A rater imports a sheet once, and a line of it is one verdict.
    """

    table: str
    word: str
    subject: tuple[str, ...]

    @property
    def identity(self) -> tuple[str, ...]:
        """The columns that tell two verdicts apart."""
        return ("rater", *self.subject, "file_sha256", "line")


VERDICT_KINDS = (
    VerdictKind(TABLE, "verdicts", ("repository", "number")),
    VerdictKind(QUESTIONS, "question_verdicts", ("forum", "question_id")),
    VerdictKind(FINDINGS, "finding_verdicts", ("repository", "finding_id")),
    VerdictKind(ENDORSEMENTS, "endorsement_verdicts", ("forum", "comment_id")),
    VerdictKind(ALERT_STATES, "alert_states", ("alert_id",)),
    VerdictKind(REGRESSION_STATES, "regression_states", ("repository", "regression_id")),
)


@dataclass(frozen=True)
class VerdictLog:
    """What the log of a data directory holds: verdicts by table, and numbers of damaged lines."""

    rows: Mapping[str, pl.DataFrame]
    damaged: list[int] = field(default_factory=list)


def keep_verdicts(database: Database, data_dir: DataDirectory) -> int:
    """Bring each verdict to the places that lack it: warehouse and file.

    Returns
    -------
    How many the warehouse lacked.
    """
    kept = read_log(data_dir.verdicts).rows
    published = _published(data_dir.published)
    if forgotten := read_forgotten(data_dir):
        kept = {table: forgotten.frame(rows) for table, rows in kept.items()}
        published = {table: forgotten.frame(rows) for table, rows in published.items()}
    return sum(
        _keep(database, data_dir, sort, kept[sort.table], published[sort.table])
        for sort in VERDICT_KINDS
    )


def _keep(
    database: Database,
    data_dir: DataDirectory,
    sort: VerdictKind,
    kept: pl.DataFrame,
    published: pl.DataFrame,
) -> int:
    database.ensure(sort.table)
    stored = database.frame(f"FROM {sort.table}")
    given = pl.concat([kept, published])
    missing = given.join(stored, on=sort.identity, how="anti").unique(
        sort.identity, maintain_order=True
    )
    if missing.height:
        rows = _numbered(pl.concat([stored, missing.select(stored.columns)]))
        with database.transaction():
            database.change(sort.table, Difference.between(stored, rows))
        if stored.height or published.height:
            log.warning("%d verdicts of people were missing and are there again", missing.height)
        stored = rows
    _append(data_dir.verdicts, sort, stored.join(kept, on=sort.identity, how="anti"))
    return missing.height


def keep_rows(path: Path, rows: Mapping[str, pl.DataFrame]) -> None:
    """Add to the file at ``path`` what it lacks of ``rows``, given by table."""
    kept = read_log(path).rows
    for sort in VERDICT_KINDS:
        if sort.table in rows:
            missing = rows[sort.table].join(kept[sort.table], on=sort.identity, how="anti")
            _append(path, sort, missing)


def read_log(path: Path) -> VerdictLog:
    """Return what the file at ``path`` holds; nothing where there is none."""
    held_rows: dict[str, dict[int, list[dict[str, object]]]] = {
        sort.table: {} for sort in VERDICT_KINDS
    }
    damaged = []
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    for number, line in enumerate(lines, start=1):
        # What has no end was being written when its process was killed, and is written again.
        held = _held(line) if line.endswith(b"\n") else None
        if held is None:
            damaged.append(number)
        else:
            held_rows[held[0]][number] = held[1]
    frames = {}
    for table, by_line in held_rows.items():
        fitting = _fitting(table, by_line)
        damaged += by_line.keys() - fitting.keys()
        frames[table] = pl.concat([_frame(table, []), *fitting.values()])
    return VerdictLog(frames, sorted(damaged))


def write_log(path: Path, rows: Mapping[str, pl.DataFrame]) -> None:
    """Put a file that holds ``rows``, given by table, instead of a damaged one."""
    kinds = [sort for sort in VERDICT_KINDS if sort.table in rows]
    lines = [line for sort in kinds for line in _lines(sort, rows[sort.table])]
    if lines:
        write_file(path, b"".join(lines))
    else:
        path.unlink(missing_ok=True)


def read_stored(path: Path) -> dict[str, pl.DataFrame]:
    """Return the verdicts of the database at ``path`` by table, as far as they can be read."""
    found = {}
    with suppress(duckdb.Error), stored_rows(path) as (connection, rows):
        for sort in VERDICT_KINDS:
            if sort.table in rows:  # an older version did not know the table
                with suppress(duckdb.Error):  # of one that is damaged the others can be read
                    stored = frame_of(connection.sql(f"FROM {rows[sort.table]}"))
                    found[sort.table] = stored
    return found


def _held(line: bytes) -> tuple[str, list[dict[str, object]]] | None:
    """Return the table and the verdicts of a line; ``None`` where it is not as it was written."""
    try:
        read = json.loads(line)
        (sort,) = (sort for sort in VERDICT_KINDS if sort.word in read)
        whole = read[SUM] == _sum(read[sort.word])
        return (sort.table, list(read[sort.word])) if whole else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


@cache
def _trial(table: str) -> duckdb.DuckDBPyConnection:
    """Return a database in memory with the empty ``table``; it takes longer to make than to use."""
    trial = duckdb.connect()
    trial.execute(f"CREATE SCHEMA {table.partition('.')[0]}")
    create(trial, table_of(table))
    return trial


def _fitting(
    table: str, by_line: Mapping[int, Sequence[dict[str, object]]]
) -> dict[int, pl.DataFrame]:
    """Return the rows of those lines that ``table`` takes, by number of the line.

    A checksum is not a secret: a file of somebody else can hold anything under a right one.
    """
    frames: dict[int, pl.DataFrame] = {}
    if not by_line:
        return frames
    trial = _trial(table)
    with _one_at_a_time:
        for number, rows in by_line.items():
            with suppress(pl.exceptions.PolarsError, duckdb.Error, TypeError, OverflowError):
                frame = _frame(table, rows)
                with registered(trial, "given", frame):
                    trial.execute(f"INSERT INTO {table} BY NAME FROM given")
                trial.execute(f"DELETE FROM {table}")
                frames[number] = frame
    return frames


def _append(path: Path, sort: VerdictKind, rows: pl.DataFrame) -> None:
    """Add ``rows`` to the file: a line for each import, on the disk when this returns."""
    if rows.is_empty():
        return
    with path.open("a+b") as file:
        file.seek(0)
        # The start of a line, by a process that was killed: its verdicts are among the rows.
        file.truncate(file.read().rfind(b"\n") + 1)
        file.writelines(_lines(sort, rows))
        file.flush()
        os.fsync(file.fileno())


def _lines(sort: VerdictKind, rows: pl.DataFrame) -> Iterator[bytes]:
    if rows.is_empty():
        return
    ordered = rows.sort("verdict_id")
    for part in ordered.partition_by("rater", "file_sha256", maintain_order=True):
        held = json.loads(part.write_json())
        line = json.dumps({SUM: _sum(held), sort.word: held}, ensure_ascii=False, sort_keys=True)
        yield line.encode() + b"\n"


def _sum(held: object) -> str:
    text = json.dumps(held, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _frame(table: str, rows: Iterable[dict[str, object]]) -> pl.DataFrame:
    schema = table_of(table).frame_schema
    texts = {name: pl.String if kind.is_temporal() else kind for name, kind in schema.items()}
    frame = pl.DataFrame(list(rows), schema=texts).with_columns(
        pl.col(name).str.to_datetime(time_unit="us", time_zone="UTC")
        for name, kind in schema.items()
        if kind.is_temporal()
    )
    return frame


def _published(path: Path) -> dict[str, pl.DataFrame]:
    """Return the verdicts of the published database by table, as far as it can be read."""
    found = {sort.table: _frame(sort.table, []) for sort in VERDICT_KINDS}
    for table, rows in read_stored(path).items():
        none = found[table]
        # What an older version published lacks the columns that came since.
        lacking = [name for name in none.columns if name not in rows.columns]
        filled = rows.with_columns(pl.lit(None).alias(name) for name in lacking)
        with suppress(pl.exceptions.PolarsError):  # of a file of somebody else
            found[table] = filled.select(none.columns).cast(none.schema)
    return found


def _numbered(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with numbers of their own: those they have, or in the order of their import."""
    if rows["verdict_id"].is_unique().all():
        return rows
    return rows.sort("imported_at", "file_sha256", "line").with_columns(
        pl.int_range(1, rows.height + 1, dtype=pl.Int64).alias("verdict_id")
    )
