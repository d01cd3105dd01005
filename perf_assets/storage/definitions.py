"""What databases define: tables, views, macros, and whatever else somebody put into one.

How DuckDB spells a definition differs from what it was given, and again once it was read from a
file; so what this version declares is laid into a file, and read from there.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from perf_assets.base.paths import models_dir
from perf_assets.schema import declared
from perf_assets.schema.ddl import table_definition
from perf_assets.schema.models.ddl import as_of_text, create_as_of_macro, create_views
from perf_assets.schema.models.files import load_models
from perf_assets.storage.confined import attach, confined
from perf_assets.storage.database_copy import attached_as_copy
from perf_assets.storage.migrations import create_tables

WRITTEN_DOWN = Path(__file__).with_name("definitions.json")
# Listed without a call of anything that they define: functions of DuckDB alone, by their full name.
LISTED = """
    SELECT 'table ' || schema_name || '.' || table_name, sql
    FROM system.main.duckdb_tables() WHERE database_name = $1
    UNION ALL
    SELECT 'view ' || schema_name || '.' || view_name, sql
    FROM system.main.duckdb_views() WHERE database_name = $1 AND NOT internal
    UNION ALL
    SELECT 'macro ' || schema_name || '.' || function_name,
        function_type || ' ' || parameters::VARCHAR || ' ' || macro_definition
    FROM system.main.duckdb_functions() WHERE database_name = $1 AND NOT internal
    UNION ALL
    SELECT 'trigger ' || schema_name || '.' || trigger_name, sql
    FROM system.main.duckdb_triggers() WHERE database_name = $1
    UNION ALL
    SELECT 'type ' || schema_name || '.' || type_name, logical_type
    FROM system.main.duckdb_types() WHERE database_name = $1 AND NOT internal
    UNION ALL
    SELECT 'sequence ' || schema_name || '.' || sequence_name, sql
    FROM system.main.duckdb_sequences() WHERE database_name = $1
    UNION ALL
    SELECT 'index ' || schema_name || '.' || index_name, sql
    FROM system.main.duckdb_indexes() WHERE database_name = $1
"""


def definitions_of(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, str]:
    """Return a digest of each definition in ``database`` by its name, as ``view a.b``."""
    found: dict[str, list[str]] = {}
    for name, text in connection.execute(LISTED, [database]).fetchall():
        found.setdefault(name, []).append(text or "")
    return {name: _digest(*sorted(texts)) for name, texts in found.items()}


@cache
def declared_definitions() -> Mapping[str, str]:
    """Return the same of a database of this version.

    To lay them takes half a second, so that they are written down (`make reference`); those of
    another DuckDB, or of other models, are laid again.
    """
    try:
        written = json.loads(WRITTEN_DOWN.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # while it is being written anew
        written = {}
    is_of_this = (written.get("duckdb"), written.get("basis")) == (duckdb.__version__, _basis())
    return written["definitions"] if is_of_this else definitions_by(models_dir())


def definitions_text() -> str:
    """Return what this version declares, as it is written down."""
    found = {
        "duckdb": duckdb.__version__,
        "basis": _basis(),
        "definitions": definitions_by(models_dir()),
    }
    return json.dumps(found, indent=0, sort_keys=True) + "\n"


def definitions_by(models: Path) -> dict[str, str]:
    """Return the same by the models and declarations in the folder ``models``, of another version
    too.

    Raises
    ------
    PerfAssetsError, duckdb.Error
        They are none.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "laid.duckdb"
        with confined(path) as connection:
            connection.execute(attached_as_copy(path))
            connection.execute("USE copy")
            create_tables(connection, declared(models).values())
            views = [model for model in load_models(models) if model.table.is_view]
            create_views(connection, views)
            create_as_of_macro(connection, models)
            connection.execute("USE memory")
            connection.execute("DETACH copy")
            attach(connection, path, "laid")
            return definitions_of(connection, "laid")


def _basis() -> str:
    """Return a digest of what the definitions follow from."""
    tables = (f"{table.name} {table_definition(table)}" for table in declared().values())
    views = (f"{model.name} {model.sql}" for model in load_models() if model.table.is_view)
    return _digest(*tables, *views, as_of_text(models_dir()))


def _digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:32]
