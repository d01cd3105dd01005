"""Comparing two states of a study: which rows differ, by source, by rules or by code."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import duckdb

from perf_assets.archive.differences import TableDifference, difference
from perf_assets.archive.explaining import DECIDES, changed_rules, tables_of_rule
from perf_assets.archive.hashed_addresses import SENTENCE, holds_hashes, without_hashes
from perf_assets.archive.manifest import DATABASE
from perf_assets.archive.opening import check_whole, readable, unpacked
from perf_assets.errors import PerfAssetsError
from perf_assets.processes.progress import phase
from perf_assets.sql_models.dependencies import made_from
from perf_assets.storage.data_directory import DataDirectory
from perf_assets.storage.database_errors import explained
from perf_assets.storage.publishing import ADDRESS_KEY
from perf_assets.tables import declared
from perf_assets.tables.ddl import quoted, quoted_name

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
class Side:
    """One of the two: what it is called, and what it says of itself.

    rules : versions of rules; none where it is no archive.
    facts : by topic and name, of study, rules and software.
    months : first month, last month and number of months of each repository and tag set.
    is_changed : whether people, secrets or texts were taken out of it.
    address_key : the fingerprint of the key by which its addresses are hashed; None where no key
        is known.
    """

    name: str
    rules: Mapping[str, str]
    facts: Mapping[tuple[str, str], str]
    months: Mapping[str, tuple[str, str, int]]
    is_changed: bool = False
    address_key: str | None = None


@dataclass(frozen=True)
class Compared:
    """A table of both: how it differs, and why.

    causes : of ``source``, ``rules``, ``code``, ``address keys``; a count stands with ``source``
        where rows of issues that changed at the source could be told from others.
    """

    difference: TableDifference
    causes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """What differs between two states of a study.

    only_first, only_second : tables that only one of them has.
    source, rules, code : what changed of each, a sentence each.
    address_keys : the sentence that says why hashed addresses are not compared, if they are not.
    """

    first: Side
    second: Side
    tables: tuple[Compared, ...]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    source: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    address_keys: list[str] = field(default_factory=list)

    @property
    def differing(self) -> tuple[Compared, ...]:
        """The tables that differ."""
        return tuple(one for one in self.tables if not one.difference.is_equal)

    @property
    def differing_columns(self) -> tuple[TableDifference, ...]:
        """The tables of which a column was not compared, as one of the two lacks it."""
        return tuple(one.difference for one in self.tables if one.difference.columns)

    @property
    def is_equal(self) -> bool:
        """Whether both have the same tables, with the same columns and rows.

        False where hashed addresses are not compared.
        """
        alone = self.only_first or self.only_second
        return not (alone or self.differing or self.differing_columns or self.address_keys)


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
        connection = stack.enter_context(duckdb.connect())
        connection.execute("SET TimeZone = 'UTC'")
        sides = [
            _side(connection, stack, path, alias)
            for path, alias in ((first, "first"), (second, "second"))
        ]
        return _compared(connection, *sides)


def _side(connection: duckdb.DuckDBPyConnection, stack: ExitStack, path: Path, alias: str) -> Side:
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
    try:
        connection.execute(f"ATTACH {quoted(str(database))} AS {alias} (READ_ONLY)")
        facts = {
            (topic, fact): value
            for topic, fact, value in connection.execute(FACTS.format(side=alias)).fetchall()
        }
        keys = connection.execute(KEY.format(side=alias)).fetchall()
        rows = connection.execute(MONTHS.format(side=alias)).fetchall()
    except duckdb.CatalogException:
        raise PerfAssetsError(
            f"{path} is no database of perf-assets: name an archive, a data directory or a "
            "published database"
        ) from None
    except duckdb.Error as error:
        raise explained(error, database) or error from None
    months = {name: (start, end, count) for name, start, end, count in rows}
    return Side(str(path), rules, facts, months, is_changed, keys[0][0] if keys else None)


def _compared(connection: duckdb.DuckDBPyConnection, first: Side, second: Side) -> Comparison:
    held = [_tables(connection, alias) for alias in ("first", "second")]
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
    )


def _hides_hashes(
    connection: duckdb.DuckDBPyConnection, first: Side, second: Side, names: list[str]
) -> bool:
    """Return whether both hash addresses, by different keys."""
    if None in (first.address_key, second.address_key) or first.address_key == second.address_key:
        return False
    return all(holds_hashes(connection, side, names) for side in ("first", "second"))


def _tables(connection: duckdb.DuckDBPyConnection, alias: str) -> set[str]:
    rows = connection.execute(
        "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE database_name = ?",
        [alias],
    ).fetchall()
    return {name for (name,) in rows}


def _source(first: Side, second: Side, found: Mapping[str, TableDifference]) -> Iterator[str]:
    """What was read of the sources that differs."""
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
    """The entries of the study and the versions of rules that differ."""
    for topic, fact in sorted(first.facts.keys() | second.facts.keys()):
        if topic == "software":
            continue
        one, other = (side.facts.get((topic, fact), "nothing") for side in (first, second))
        if one != other:
            yield f"{fact.replace('_', ' ')}: {one} in the first, {other} in the second"
    if first.rules and second.rules:
        for rule in changed_rules(first.rules, second.rules):
            one, other = (side.rules.get(rule, "none") for side in (first, second))
            yield f"rule {rule}: version {one} in the first, {other} in the second"


def _code(first: Side, second: Side) -> Iterator[str]:
    """The versions of software that differ."""
    for topic, fact in sorted(first.facts.keys() | second.facts.keys()):
        if topic == "software":
            one, other = (side.facts.get((topic, fact), "none") for side in (first, second))
            if one != other:
                yield f"{fact}: {one} in the first, {other} in the second"
    if first.rules and second.rules and first.rules.get("code") != second.rules.get("code"):
        yield "the code of perf-assets, or a library that computes, is another"


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
    if rules and _follows_rules(one.table, pair.first, pair.second):
        yield "rules"
    if code:
        yield "code"
    if pair.hides_hashes and PEOPLE in _made_from(one.table):
        yield "address keys"


def _follows_rules(table: str, first: Side, second: Side) -> bool:
    """Whether rules that differ may decide ``table``: entries of a study may decide anything."""
    keys = first.facts.keys() | second.facts.keys()
    if any(first.facts.get(key) != second.facts.get(key) for key in keys if key[0] != "software"):
        return True
    changed = [one for one in changed_rules(first.rules, second.rules) if one in DECIDES]
    return any(table in tables_of_rule(rule) for rule in changed)


def _upstream(table: str) -> frozenset[str]:
    """The tables of sources that ``table`` is made from, near or far."""
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
    """How many rows that differ are of issues that differ at the source; None of other tables."""
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
