"""Comparing two states of a study: which rows differ, by source, by rules or by code."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import duckdb

from perf_assets.archive.comparison import Compared, Comparison, Side
from perf_assets.archive.differences import TableDifference, difference
from perf_assets.archive.explaining import changed_stages, tables_of_stage
from perf_assets.archive.hashed_addresses import SENTENCE, holds_hashes, without_hashes
from perf_assets.archive.manifest import DATABASE
from perf_assets.archive.opening import check_whole, readable, unpacked
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.config.data_directory import DataDirectory
from perf_assets.schema import declared
from perf_assets.schema.ddl import quoted_name
from perf_assets.schema.models.dependencies import made_from
from perf_assets.storage.confined import attach, confined
from perf_assets.storage.database_errors import friendly_errors
from perf_assets.storage.definitions import declared_definitions, definitions_of
from perf_assets.storage.publishing import ADDRESS_KEY
from perf_assets.storage.received import stored_tables

SOURCES = ("raw", "reviews", "replication")
COMPARED = (*SOURCES, "labels", "links", "details", "marts", "analysis")
FACTS = """
    SELECT topic, fact, value FROM {side}.meta.about WHERE topic IN ('study', 'rules', 'software')
"""
KEY = f"SELECT value FROM {{side}}.meta.about WHERE fact = '{ADDRESS_KEY}'"
MONTHS = """
    SELECT repository, min(month), max(month), count(*) FROM {side}.meta.partition_loads
    WHERE is_stored AND "table" IN ('raw.issues', 'raw.questions') GROUP BY ALL ORDER BY ALL
"""
# What decides of single issues beside rules: what is stored of them.
OF_ISSUES = ("raw.issues", "raw.issue_comments", "raw.issue_events", "raw.issue_pull_requests")
TOUCHED = "touched_issues"
PEOPLE = "staging.identities"  # who the addresses of commits are


@dataclass(frozen=True)
class _Pair:
    """The two databases, attached to ``connection`` as ``first`` and ``second``.

    hides_hashes : whether hashed addresses are left out, as their keys differ.
    """

    connection: duckdb.DuckDBPyConnection
    first: Side
    second: Side
    hides_hashes: bool = False

    def relations(self, table: str) -> tuple[str, str]:
        """Return ``table`` of each of the two as a relation in SQL."""
        if not self.hides_hashes:
            return f"first.{table}", f"second.{table}"
        first, second = (
            without_hashes(self.connection, side, table) for side in ("first", "second")
        )
        return first, second


def compare(first: Path, second: Path) -> Comparison:
    """Hold two archives, data directories or published databases against each other.

    Raises
    ------
    PerfAssetsError
        One of them is none of these, damaged, or of a newer version.
    """
    with ExitStack() as stack, phase(f"comparing {first.name} and {second.name}"):
        opened = [_opened(stack, path) for path in (first, second)]
        connection = stack.enter_context(confined(*(one.database for one in opened)))
        sides = [
            _side(connection, path, one, alias)
            for path, one, alias in zip((first, second), opened, ("first", "second"), strict=True)
        ]
        return _compared(connection, *sides)


class _Opened(NamedTuple):
    """The database of a side, and what an archive says of it."""

    database: Path
    rules: Mapping[str, str]
    is_changed: bool


def _opened(stack: ExitStack, path: Path) -> _Opened:
    database, rules, is_changed = path, {}, False
    if path.is_dir():
        database = DataDirectory(path).published
    elif path.is_file() and path.suffix != ".duckdb":
        content, manifest = stack.enter_context(unpacked(path))
        stack.enter_context(readable(path, content))
        check_whole(path, content)
        database, rules = content / DATABASE, manifest.rules
        is_changed = (
            manifest.is_pseudonymised or manifest.secrets_removed or manifest.texts != "all"
        )
    if not database.is_file():
        raise PerfAssetsError(
            f"{path}: there is nothing to compare: name an archive, a data directory in which "
            "something is published, or a published database"
        )
    return _Opened(database, rules, is_changed)


def _side(connection: duckdb.DuckDBPyConnection, path: Path, opened: _Opened, alias: str) -> Side:
    with friendly_errors(opened.database):
        attach(connection, opened.database, alias)
        if not {"meta.about", "meta.partition_loads"} <= stored_tables(connection, alias).keys():
            raise PerfAssetsError(
                f"{path} is not a database of perf-assets: name an archive, a data directory or a "
                "published database"
            )
        facts = {
            (topic, fact): value
            for topic, fact, value in connection.execute(FACTS.format(side=alias)).fetchall()
        }
        keys = connection.execute(KEY.format(side=alias)).fetchall()
        rows = connection.execute(MONTHS.format(side=alias)).fetchall()
    months = {name: (start, end, count) for name, start, end, count in rows}
    key = keys[0][0] if keys else None
    return Side(str(path), opened.rules, facts, months, opened.is_changed, key)


def _compared(connection: duckdb.DuckDBPyConnection, first: Side, second: Side) -> Comparison:
    held = [stored_tables(connection, alias).keys() for alias in ("first", "second")]
    names = [
        name
        for name in sorted(held[0] & held[1])
        if name in declared() and name.partition(".")[0] in COMPARED
    ]
    pair = _Pair(connection, first, second, _hides_hashes(connection, first, second, names))
    found = {}
    with phase("comparing tables", len(names), "tables") as progress:
        for number, name in enumerate(names, 1):
            found[name] = difference(connection, declared()[name], *pair.relations(name))
            progress(number)
    rules, code = list(_rules(first, second)), list(_code(first, second))
    source = list(_source(first, second, found))
    _lay_touched(pair, found)
    tables = tuple(
        Compared(one, tuple(_causes(pair, one, found, rules, code))) for one in found.values()
    )
    return Comparison(
        first,
        second,
        tables,
        tuple(sorted(held[0] - held[1])),
        tuple(sorted(held[1] - held[0])),
        source,
        rules,
        code,
        [SENTENCE] if pair.hides_hashes else [],
        list(_defined(connection)),
    )


def _hides_hashes(
    connection: duckdb.DuckDBPyConnection, first: Side, second: Side, names: list[str]
) -> bool:
    """Return whether both hash addresses, by different keys."""
    if None in (first.address_key, second.address_key) or first.address_key == second.address_key:
        return False
    return all(holds_hashes(connection, side, names) for side in ("first", "second"))


def _defined(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Yield what one of the two defines otherwise than the other one, but tables, or nobody
    should.
    """
    one, other = (definitions_of(connection, side) for side in ("first", "second"))
    for name in sorted(one.keys() | other.keys()):
        if name not in one or name not in other:
            if name not in declared_definitions() or not name.startswith("table "):
                yield f"{name}: only the {'first' if name in one else 'second'} has it"
        elif one[name] != other[name]:
            yield f"{name}: defined otherwise in the second"
        elif name not in declared_definitions():
            yield f"{name}: in both, and of no table or view of this version"


def _source(first: Side, second: Side, found: Mapping[str, TableDifference]) -> Iterator[str]:
    """Yield what was read of the sources that differs."""
    for name in sorted(first.months.keys() | second.months.keys()):
        one, other = (_months(side, name) for side in (first, second))
        if one != other:
            yield f"{name}: months {one} in the first, {other} in the second"
    for side in (first, second):
        if side.is_changed:
            yield (
                f"{side.name}: people, secrets or texts were taken out of it, so that texts and "
                "accounts differ for that reason"
            )
    for name, rows in found.items():
        if name.partition(".")[0] in SOURCES and not rows.is_equal:
            yield (
                f"{name}: {rows.only_first:,} rows only in the first, {rows.only_second:,} only in "
                f"the second, {rows.changed:,} changed"
            )


def _months(side: Side, name: str) -> str:
    if name not in side.months:
        return "none"
    start, end, count = side.months[name]
    return f"{start} to {end} ({count})"


def _rules(first: Side, second: Side) -> Iterator[str]:
    """Yield the entries of the study that differ."""
    for topic, fact in sorted(first.facts.keys() | second.facts.keys()):
        if topic == "software":
            continue
        one, other = (side.facts.get((topic, fact), "nothing") for side in (first, second))
        if one != other:
            yield f"{fact.replace('_', ' ')}: {one} in the first, {other} in the second"


def _code(first: Side, second: Side) -> Iterator[str]:
    """Yield the versions of software that differ."""
    for topic, fact in sorted(first.facts.keys() | second.facts.keys()):
        if topic == "software":
            one, other = (side.facts.get((topic, fact), "none") for side in (first, second))
            if one != other:
                yield f"{fact}: {one} in the first, {other} in the second"
    for stage in _changed_stages(first, second):
        one, other = (side.rules.get(stage, "unknown") for side in (first, second))
        yield f"{stage}: version {one} in the first, {other} in the second"


def _changed_stages(first: Side, second: Side) -> list[str]:
    """Return the stages whose code differs, where both sides say theirs."""
    return changed_stages(first.rules, second.rules) if first.rules and second.rules else []


def _causes(
    pair: _Pair,
    one: TableDifference,
    found: Mapping[str, TableDifference],
    rules: list[str],
    code: list[str],
) -> Iterator[str]:
    if one.is_equal:
        return
    if one.table.partition(".")[0] in SOURCES:
        yield "source"
        return
    inputs = _upstream(one.table)
    if any(name in found and not found[name].is_equal for name in inputs):
        count = _of_touched(pair, one)
        yield f"source ({count:,} of {one.count:,} rows)" if count else "source"
    if rules:  # entries of a study may decide anything
        yield "rules"
    if code and _may_follow_code(one.table, pair.first, pair.second):
        yield "code"
    if pair.hides_hashes and PEOPLE in _made_from(one.table):
        yield "address keys"


def _may_follow_code(table: str, first: Side, second: Side) -> bool:
    """Return whether code that differs may decide ``table``; of a database it is not known."""
    if not (first.rules and second.rules):
        return True
    return any(table in tables_of_stage(stage) for stage in _changed_stages(first, second))


def _upstream(table: str) -> frozenset[str]:
    """Return the tables of sources that ``table`` is made from, near or far."""
    return frozenset(name for name in _made_from(table) if name.partition(".")[0] in SOURCES)


@cache
def _made_from(table: str) -> frozenset[str]:
    """Return ``table`` and all that it is made from, near or far."""
    found = {table}
    if table.partition(".")[0] not in SOURCES:
        for name in made_from().get(table, ()):
            if name != table:
                found |= _made_from(name)
    return frozenset(found)


def _lay_touched(pair: _Pair, found: Mapping[str, TableDifference]) -> None:
    """Lay a table of the issues of which something at the source differs."""
    parts = [
        _numbers_of_differing(pair, name)
        for name in OF_ISSUES
        if name in found and not found[name].is_equal
    ]
    nothing = "SELECT '' AS repository, 0 AS number WHERE false"
    pair.connection.execute(f"CREATE TEMP TABLE {TOUCHED} AS {' UNION '.join([nothing, *parts])}")


def _numbers_of_differing(pair: _Pair, table: str) -> str:
    stamped = [column.name for column in declared()[table].columns if column.stamped]
    chosen = f"* EXCLUDE ({', '.join(stamped)})" if stamped else "*"
    one, other = (f"SELECT {chosen} FROM {relation}" for relation in pair.relations(table))
    return (
        f"SELECT repository, number FROM (({one} EXCEPT {other}) UNION ALL ({other} EXCEPT {one}))"
    )


def _of_touched(pair: _Pair, one: TableDifference) -> int | None:
    """Return how many rows that differ are of issues that differ at the source; None of other
    tables.
    """
    table = declared()[one.table]
    if not {"repository", "number"} <= set(table.key) or table.key[-1] == "month":
        return None
    keys = ", ".join(map(quoted_name, table.key))
    columns = ", ".join(quoted_name(column.name) for column in table.columns if not column.stamped)
    sides = [f"SELECT {columns} FROM {relation}" for relation in pair.relations(table.name)]
    try:
        ((count,),) = pair.connection.execute(
            f"""
            SELECT count(*) FROM (
                SELECT DISTINCT {keys} FROM (
                    (({sides[0]}) EXCEPT ({sides[1]})) UNION ALL (({sides[1]}) EXCEPT ({sides[0]}))
                )
            ) SEMI JOIN {TOUCHED} USING (repository, number)
            """
        ).fetchall()
    except duckdb.BinderException:  # another version has other columns
        return None
    return min(int(count), one.count)
