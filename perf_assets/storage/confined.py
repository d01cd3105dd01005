"""Connections that reach the files they are given, and nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from perf_assets.schema.ddl import quoted

NO_EXTENSIONS = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
JOURNALS = ("", ".wal", ".wal.checkpoint")


@contextmanager
def confined(*files: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Provide a connection that opens ``files``, and DuckDB's journals beside them, and no other
    file.

    A database can define views, macros and triggers that call functions which write files or change
    settings. Attached here, by a name of its own, it is on no path on which a name is looked up, so
    that nothing of it is called; and if it were, no setting can be changed any more, no extension
    is loaded, and no other file, database or address can be opened.
    """
    # What does not fit into memory goes to a folder of its own, which nobody else can prepare.
    with (
        TemporaryDirectory(prefix="perf-assets-") as spilled,
        duckdb.connect(config=NO_EXTENSIONS) as connection,
    ):
        # DuckDB follows links for some of them.
        every = dict.fromkeys(path for file in files for path in (file, file.resolve()))
        allowed = ", ".join(quoted(f"{path}{end}") for path in every for end in JOURNALS)
        for setting in (
            "TimeZone = 'UTC'",
            f"temp_directory = {quoted(spilled)}",
            f"allowed_paths = [{allowed}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            connection.execute(f"SET {setting}")
        yield connection


def attach(
    connection: duckdb.DuckDBPyConnection, path: Path, name: str, *, is_written: bool = False
) -> None:
    """Attach the database at ``path``, to be read only where it is not to be written.

    Raises
    ------
    duckdb.Error
        It is none, or damaged.
    """
    # Without its type, a file of another one would have DuckDB look for an extension.
    options = "TYPE duckdb" if is_written else "READ_ONLY, TYPE duckdb"
    connection.execute(f"ATTACH {quoted(str(path))} AS {name} ({options})")
