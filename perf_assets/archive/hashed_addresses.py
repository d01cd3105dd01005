"""Comparing two databases that hash addresses by different keys: hashes of persons are left out.

Two keys give one person two hashes, which nobody can match.
"""

from collections.abc import Iterable

import duckdb

from perf_assets.core.people.addresses import HASH_DIGITS
from perf_assets.core.people.forgetting import ADDRESSES, DIGITS, LOGINS, NAMES, PREFIX
from perf_assets.schema import Table, table_of
from perf_assets.schema.ddl import quoted, quoted_name
from perf_assets.storage.address_key import VARIABLE
from perf_assets.storage.database_copy import columns_of

PERSONS = LOGINS | ADDRESSES | NAMES
HASHED = f"[0-9a-f]{{{HASH_DIGITS}}}|{PREFIX}[0-9a-f]{{{DIGITS}}}"
SENTENCE = (
    "the address keys of the two differ, so that hashed addresses, and the persons known by them "
    f"alone, are not compared: give both the same key, by {VARIABLE} or a copy of the file "
    "address.key, and mine again in a new data directory"
)


def holds_hashes(connection: duckdb.DuckDBPyConnection, side: str, tables: Iterable[str]) -> bool:
    """Return whether a table of the attached database ``side`` has a hash in place of a person."""
    for name in tables:
        relation = f"{side}.{name}"
        if columns := _person_columns(connection, relation):
            condition = " OR ".join(map(_is_hashed, columns))
            ((is_found,),) = connection.execute(
                f"SELECT EXISTS (FROM {relation} WHERE {condition})"
            ).fetchall()
            if is_found:
                return True
    return False


def without_hashes(connection: duckdb.DuckDBPyConnection, side: str, name: str) -> str:
    """Return the table ``name`` of ``side`` as a relation in SQL without hashes of persons.

    A hash in the key identifies a row, which is left out. All other hashes become the same text.
    """
    relation, table = f"{side}.{name}", table_of(name)
    columns = _person_columns(connection, relation)
    if not columns:
        return relation
    others = [column for column in columns if column not in table.key]
    replaced = ", ".join(
        f"CASE WHEN {_is_hashed(other)} THEN 'hashed' ELSE {quoted_name(other)} END "
        f"AS {quoted_name(other)}"
        for other in others
    )
    chosen = f"* REPLACE ({replaced})" if others else "*"
    return f"(SELECT {chosen} FROM {relation} WHERE {_is_identified(table, columns)})"


def _is_identified(table: Table, columns: Iterable[str]) -> str:
    keys = [f"NOT {_is_hashed(column)}" for column in columns if column in table.key]
    return " AND ".join(keys) or "true"


def _person_columns(connection: duckdb.DuckDBPyConnection, relation: str) -> list[str]:
    kinds = columns_of(connection, relation)
    return [name for name, kind in kinds.items() if name in PERSONS and kind == "VARCHAR"]


def _is_hashed(column: str) -> str:
    return f"coalesce(regexp_full_match({quoted_name(column)}, {quoted(HASHED)}), false)"
