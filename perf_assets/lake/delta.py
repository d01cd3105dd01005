"""Delta tables: made, added to, and read. Nothing else of the package knows how."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

import duckdb
import pyarrow as pa
from deltalake import (
    CommitProperties,
    DeltaTable,
    Field,
    PostCommitHookProperties,
    QueryBuilder,
    Schema,
    Transaction,
    WriterProperties,
    write_deltalake,
)
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.fs import DeltaStorageHandler
from pyarrow.fs import FileType

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.base.retry import RetryPolicy
from perf_assets.base.sanitize import shortened
from perf_assets.lake.location import Lake
from perf_assets.schema.ddl import quoted

BUCKET = "lake_bucket"
COMMITS = RetryPolicy(attempts=10, first_pause=0.05, longest_pause=0.5)
FEW = 200  # values that are worth a look at the statistics of each file
# Looking through the whole log for what has expired is for maintenance.
QUICKLY = PostCommitHookProperties(cleanup_expired_logs=False)
# Statistics of the rows of a file; texts of issues do not belong in the log.
STATISTICS = "lake_subject,lake_month,lake_release"
COMPRESSED = WriterProperties(compression="ZSTD")
PROPERTIES: dict[str, str | None] = {
    "delta.dataSkippingStatsColumns": STATISTICS,
    "delta.checkpointInterval": "50",
}
JOINED_BYTES = 128 << 20
SOURCE = "lake_rows"
# What DuckDB takes for one file of the table, and not for a pattern, nor for one elsewhere.
FILE_PATH = re.compile(r"(?=.{1,300}$)(?:(?!\.)[\w.=%+-]+/)*(?!\.)[\w.=%+-]+", re.ASCII)


def opened(lake: Lake, name: str, version: int | None = None) -> DeltaTable | None:
    """Return the Delta table ``name``, as of ``version`` or now; None if it is not there."""
    try:
        return DeltaTable(lake.table(name), version=version, storage_options=lake.options)
    except TableNotFoundError:
        return None


def needed(lake: Lake, name: str) -> DeltaTable:
    """Return the Delta table ``name`` as it is now.

    Raises
    ------
    PerfAssetsError
        It is not there.
    """
    table = opened(lake, name)
    if table is None:
        raise PerfAssetsError(
            f"{lake.table(name)}: this table is gone, but months of it are released; bring it "
            "back, or ship to a new lake (another --lake)"
        )
    return table


def ensured(lake: Lake, name: str, schema: pa.Schema, description: str = "") -> DeltaTable:
    """Return the Delta table ``name``, made where it is missing, with every column of ``schema``.

    Raises
    ------
    PerfAssetsError
        A column has another type there.
    """
    for is_last in COMMITS.tries():
        table = opened(lake, name) or _made(lake, name, schema, description)
        if table is None:
            continue
        missing = _missing(table, lake, name, schema)
        if not missing:
            return table
        try:
            table.alter.add_columns(missing)
        except CommitFailedError:
            if is_last:
                raise
    raise CommitFailedError(f"{name} is changed again and again")


def append(
    table: DeltaTable,
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    transaction: tuple[str, int] | None = None,
) -> None:
    """Add rows to ``table`` in one commit.

    transaction : a name and its number. Where the name was used by another commit after ``table``
        was opened, nothing is added: so that of two concurrent writers one fails.

    Raises
    ------
    CommitFailedError
        The name of the transaction was used meanwhile, or the columns were changed.
    """
    transactions = [Transaction(*transaction)] if transaction is not None else None
    shutdown.block_if_stopping()
    write_deltalake(
        table,
        pa.RecordBatchReader.from_batches(schema, batches),
        mode="append",
        writer_properties=COMPRESSED,
        commit_properties=CommitProperties(app_transactions=transactions),
        post_commithook_properties=QUICKLY,
    )


def replace_bucket(
    table: DeltaTable, bucket: int, batches: Iterable[pa.RecordBatch], schema: pa.Schema
) -> None:
    """Replace by rows all those of ``bucket`` that ``table`` had when it was opened.

    Raises
    ------
    CommitFailedError
        Another commit came between.
    """
    shutdown.block_if_stopping()
    write_deltalake(
        table,
        pa.RecordBatchReader.from_batches(schema, batches),
        mode="overwrite",
        predicate=f"{BUCKET} = {bucket}",
        writer_properties=COMPRESSED,
        commit_properties=CommitProperties(max_commit_retries=0),
        post_commithook_properties=QUICKLY,
    )


def join_files(table: DeltaTable, bucket: int) -> None:
    """Make few files of the small ones of ``bucket``; the rows stay.

    Raises
    ------
    CommitFailedError
        Another commit took some of them away.
    """
    table.optimize.compact(
        partition_filters=[(BUCKET, "=", str(bucket))],
        target_size=JOINED_BYTES,
        writer_properties=COMPRESSED,
    )


def tidied(lake: Lake, name: str, hours: int) -> int:
    """Delete the files of ``name`` that nobody read for so many hours; how many those were.

    What was written and never committed is deleted too. The log is summed up for who opens it.
    """
    table = needed(lake, name)
    vacuum = partial(
        table.vacuum, retention_hours=hours, enforce_retention_duration=False, full=True
    )
    # The log still lists for a while what was deleted earlier.
    files = DeltaStorageHandler(lake.table(name), lake.options).get_file_info(vacuum(dry_run=True))
    found = [file for file in files if file.type != FileType.NotFound]
    if found:
        vacuum(dry_run=False)
        table = needed(lake, name)
    table.create_checkpoint()
    table.cleanup_metadata()
    return len(found)


def cast(batches: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the same rows with the names that Delta Lake has for what is inside of lists."""
    for batch in batches:
        yield batch.cast(schema)


def files_of(table: DeltaTable, lake: Lake, name: str) -> pa.Table:
    """Return the data files of ``table``: uri, bucket, bytes, rows, and statistics of their rows.

    first_release, last_release, first_subject, last_subject : the bounds of these columns, NULL
    where they are unknown.

    Raises
    ------
    PerfAssetsError
        The log names something that cannot be a file of the table.
    """
    actions = pa.table(table.get_add_actions(flatten=True))
    root = lake.table(name)
    paths = actions["path"].to_pylist()
    for path in paths:
        if not FILE_PATH.fullmatch(path):
            raise PerfAssetsError(
                f"{root}: the log of this table is damaged, as it names the file "
                f"{shortened(path, 100)!r}; bring it back from a backup of the lake, or "
                "ship to a new lake (another --lake)"
            )
    columns = {
        "uri": [f"{root}/{path}" for path in paths],
        "bucket": actions[f"partition.{BUCKET}"],
        "bytes": actions["size_bytes"],
        "rows": actions["num_records"],
    }
    for which, bound in (("first", "min"), ("last", "max")):
        for column in ("release", "subject"):
            bound_column = f"{bound}.lake_{column}"
            nothing = pa.nulls(actions.num_rows, pa.string())
            columns[f"{which}_{column}"] = (
                actions[bound_column] if bound_column in actions.column_names else nothing
            )
    return pa.table(columns)


def files_with(files: pa.Table, releases: Collection[str], bucket: int | None = None) -> list[str]:
    """Return the uris of those of ``files`` (of ``bucket``) that may have rows of ``releases``."""
    entries = zip(
        *(files[name].to_pylist() for name in ("uri", "bucket", "first_release", "last_release")),
        strict=True,
    )
    return [
        uri
        for uri, of, first, last in entries
        if (bucket is None or of == bucket)
        and (first is None or first != last or first in releases)
    ]


def in_bucket(bucket: int, column: str = "", values: Collection[str] = ()) -> str:
    """Return the condition of rows of ``bucket``, and of a few ``values`` in ``column``."""
    few = f" AND {column} IN ({', '.join(map(quoted, sorted(values)))})"
    return f"{BUCKET} = {bucket}{few if 0 < len(values) <= FEW else ''}"


@contextmanager
def source_of(
    connection: duckdb.DuckDBPyConnection,
    table: DeltaTable,
    lake: Lake,
    columns: pa.Schema,
    files: Sequence[str],
    condition: str = "",
) -> Iterator[str]:
    """Provide what follows FROM in a query of ``connection``, once, to read ``columns`` of
    ``table``.

    Of a folder DuckDB reads the ``files`` itself; from S3 all rows are streamed for
    which ``condition`` holds, which only spares what would be left out anyway.
    """
    named = [f'"{column}"' for column in columns.names if column != BUCKET]
    chosen = ", ".join(named)
    if lake.is_local:
        with _registered(connection, columns.empty_table()):
            yield f"(SELECT {chosen} FROM (FROM {SOURCE} {_united(files)}))"
        return
    where = f" WHERE {condition}" if condition else ""
    answer = QueryBuilder().register("t", table).execute(f"SELECT {chosen} FROM t{where}")
    with _registered(connection, pa.RecordBatchReader.from_stream(answer)):
        yield SOURCE


def _united(files: Sequence[str]) -> str:
    """Return the rows of ``files``, united with none, so that a missing column is there too."""
    if not files:
        return ""
    listed = ", ".join(map(quoted, files))
    how = "union_by_name = true, hive_partitioning = false"
    return f"UNION ALL BY NAME FROM read_parquet([{listed}], {how})"


@contextmanager
def _registered(
    connection: duckdb.DuckDBPyConnection, rows: pa.Table | pa.RecordBatchReader
) -> Iterator[None]:
    connection.register(SOURCE, rows)
    try:
        yield
    finally:
        with suppress(duckdb.TransactionException):  # a transaction that failed ends elsewhere
            connection.unregister(SOURCE)


def _made(lake: Lake, name: str, schema: pa.Schema, description: str) -> DeltaTable | None:
    """Return the table ``name``, made now; None where another made it at the same moment."""
    try:
        return DeltaTable.create(
            lake.table(name),
            schema,
            partition_by=[BUCKET],
            description=description,
            configuration=PROPERTIES,
            storage_options=lake.options,
            # Else a second one is committed behind that of another worker, and replaces its key.
            commit_properties=CommitProperties(max_commit_retries=0),
        )
    except (DeltaError, OSError):
        if opened(lake, name) is None:
            raise
        return None


def _missing(table: DeltaTable, lake: Lake, name: str, schema: pa.Schema) -> list[Field]:
    there = {field.name: field.type for field in table.schema().fields}
    required = Schema.from_arrow(schema).fields
    for field in required:
        if field.name in there and there[field.name] != field.type:
            raise PerfAssetsError(
                f"{lake.url}: {name}.{field.name} has another type there than here; ship to a new "
                "lake (another --lake), which is filled by the next runs"
            )
    return [field for field in required if field.name not in there]
