"""What people judged is kept twice: in the warehouse, and line by line in a file of the home.

Everything else can be mined or computed again; their verdicts are nowhere else. Each import is a
line of the file, with its own checksum, and lines are only ever added. What one of the two lacks,
or what the published database has and they have not, is brought back before anything is computed
from verdicts, and before anything is published.
"""

import hashlib
import json
import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.storage.home import Home
from perf_assets.storage.warehouse import Database, Difference
from perf_assets.tables import table_of

log = logging.getLogger(__name__)

TABLE = "reviews.verdicts"
# A rater imports a sheet once, and a line of it is one verdict.
IDENTITY = ("rater", "repository", "number", "file_sha256", "line")
SUM, ROWS = "sha256", "verdicts"


@dataclass(frozen=True)
class Kept:
    """What the file of a home holds: verdicts, and the numbers of the lines that are damaged."""

    rows: pl.DataFrame
    damaged: list[int] = field(default_factory=list)


def keep_verdicts(database: Database, home: Home) -> int:
    """Bring each verdict to the places that lack it: warehouse and file.

    Returns
    -------
    How many the warehouse lacked.
    """
    stored = database.frame(f"FROM {TABLE}")
    kept = read_kept(home.verdicts)
    told = pl.concat([kept.rows, _published(home.published)])
    lacking = told.join(stored, on=IDENTITY, how="anti").unique(IDENTITY, maintain_order=True)
    if lacking.height:
        rows = _numbered(pl.concat([stored, lacking.select(stored.columns)]))
        with database.transaction():
            database.change(TABLE, Difference.between(stored, rows))
        log.warning("%d verdicts of people were missing and are there again", lacking.height)
        stored = rows
    _append(home.verdicts, stored.join(kept.rows, on=IDENTITY, how="anti"))
    return lacking.height


def keep_rows(path: Path, rows: pl.DataFrame) -> None:
    """Add to the file at ``path`` what it lacks of ``rows``."""
    _append(path, rows.join(read_kept(path).rows, on=IDENTITY, how="anti"))


def read_kept(path: Path) -> Kept:
    """What the file at ``path`` holds; nothing where there is none."""
    rows: list[dict[str, object]] = []
    damaged = []
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    for number, line in enumerate(lines, start=1):
        # What has no end was being written when its process was killed, and is written again.
        held = _held(line) if line.endswith(b"\n") else None
        if held is None:
            damaged.append(number)
        else:
            rows += held
    return Kept(_frame(rows), damaged)


def write_kept(path: Path, rows: pl.DataFrame) -> None:
    """Put a file that holds ``rows`` in the place of a damaged one."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    _append(temporary, rows)
    if temporary.exists():
        temporary.replace(path)
    else:
        path.unlink(missing_ok=True)


def _held(line: bytes) -> list[dict[str, object]] | None:
    """The verdicts of a line; ``None`` where it is not as it was written."""
    try:
        read = json.loads(line)
        whole = read[SUM] == _sum(read[ROWS])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return list(read[ROWS]) if whole else None


def _append(path: Path, rows: pl.DataFrame) -> None:
    """Add ``rows`` to the file: a line for each import, on the disk when this returns."""
    if rows.is_empty():
        return
    with path.open("a+b") as file:
        file.seek(0)
        # The start of a line, by a process that was killed: its verdicts are among the rows.
        file.truncate(file.read().rfind(b"\n") + 1)
        file.writelines(_lines(rows))
        file.flush()
        os.fsync(file.fileno())


def _lines(rows: pl.DataFrame) -> Iterator[bytes]:
    ordered = rows.sort("verdict_id")
    for part in ordered.partition_by("rater", "file_sha256", maintain_order=True):
        held = json.loads(part.write_json())
        line = json.dumps({SUM: _sum(held), ROWS: held}, ensure_ascii=False, sort_keys=True)
        yield line.encode() + b"\n"


def _sum(held: object) -> str:
    text = json.dumps(held, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _frame(rows: Iterable[dict[str, object]]) -> pl.DataFrame:
    schema = table_of(TABLE).frame_schema
    texts = {name: pl.String if kind.is_temporal() else kind for name, kind in schema.items()}
    return pl.DataFrame(list(rows), schema=texts).with_columns(
        pl.col(name).str.to_datetime(time_unit="us", time_zone="UTC")
        for name, kind in schema.items()
        if kind.is_temporal()
    )


def _published(path: Path) -> pl.DataFrame:
    """The verdicts of the published database, as far as it can be read."""
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            rows: pl.DataFrame = connection.sql(f"FROM {TABLE}").pl()
    except duckdb.Error:
        return _frame([])
    return rows.select(_frame([]).columns).cast(dict(_frame([]).schema))  # type: ignore[arg-type]


def _numbered(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with numbers of their own: those they have, or in the order of their import."""
    if rows["verdict_id"].is_unique().all():
        return rows
    return rows.sort("imported_at", "file_sha256", "line").with_columns(
        pl.int_range(1, rows.height + 1, dtype=pl.Int64).alias("verdict_id")
    )
