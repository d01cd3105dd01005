"""Comparing two states of a study: which rows differ, by source, by rules or by code."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import duckdb

from perf_assets.archive.differences import TableDifference, difference
from perf_assets.archive.findings import changed_stages, tables_of_stage
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

SIDES = ("first", "second")  # the names by which the databases are attached
SOFTWARE = "software"  # the topic of versions
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


@dataclass
class Side:
    """One of the two: what it is called, and what it says of itself.

    rules : versions of rules; none where it is not an archive.
    facts : by topic and name, of study, rules and software.
    months : of each repository and tag set, in words.
    is_changed : whether people, secrets or texts were taken out of it.
    address_key : the fingerprint of the key by which its addresses are hashed; None where no key
        is known.
    """

    name: str
    rules: Mapping[str, str] = field(default_factory=dict)
    facts: dict[tuple[str, str], str] = field(default_factory=dict)
    months: dict[str, str] = field(default_factory=dict)
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
    defined : views, macros and whatever else one of them defines otherwise than the other one, or
        no perf-assets does.
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
    defined: list[str] = field(default_factory=list)

    @property
    def knows_code(self) -> bool:
        """Return whether both say the versions of their code, as archives do."""
        return bool(self.first.rules and self.second.rules)

    @property
    def changed_stages(self) -> list[str]:
        """Return the stages whose code differs, where both sides say theirs."""
        return changed_stages(self.first.rules, self.second.rules) if self.knows_code else []

    @property
    def differing(self) -> tuple[Compared, ...]:
        """The tables that differ."""
        return tuple(table for table in self.tables if not table.difference.is_equal)

    @property
    def differing_columns(self) -> tuple[TableDifference, ...]:
        """The tables of which a column was not compared, as one of the two lacks it."""
        return tuple(table.difference for table in self.tables if table.difference.columns)

    @property
    def is_equal(self) -> bool:
        """Return whether both have the same tables, columns, rows, views and macros.

        False where hashed addresses are not compared.
        """
        alone = self.only_first or self.only_second or self.defined
        return not (alone or self.differing or self.differing_columns or self.address_keys)


@dataclass(frozen=True)
class _Pair:
    """The two databases, attached to ``connection`` as ``first`` and ``second``.

    hides_hashes : whether hashed addresses are left out, as their keys differ.
    """

    connection: duckdb.DuckDBPyConnection
    hides_hashes: bool

    def relations(self, table: str) -> tuple[str, str]:
        """Return ``table`` of each of the two as a relation in SQL."""
        if not self.hides_hashes:
            return f"first.{table}", f"second.{table}"
        return without_hashes(self.connection, "first", table), without_hashes(
            self.connection, "second", table
        )


def compare(first: Path, second: Path) -> Comparison:
    """Hold two archives, data directories or published databases against each other.

    Raises
    ------
    PerfAssetsError
        One of them is none of these, damaged, or of a newer version.
    """
    with ExitStack() as stack, phase(f"comparing {first.name} and {second.name}"):
        opened = [_opened(stack, path) for path in (first, second)]
        connection = stack.enter_context(confined(*(database for database, _ in opened)))
        for alias, (database, side) in zip(SIDES, opened, strict=True):
            _read_side(connection, database, side, alias)
        return _compared(connection, *(side for _, side in opened))


def _opened(stack: ExitStack, path: Path) -> tuple[Path, Side]:
    """Return the database of a side, and the side as far as an archive itself describes it."""
    database, side = path, Side(str(path))
    if path.is_dir():
        database = DataDirectory(path).published
    elif path.is_file() and path.suffix != ".duckdb":
        content, manifest = stack.enter_context(unpacked(path))
        stack.enter_context(readable(path, content))
        check_whole(path, content)
        database, side.rules = content / DATABASE, manifest.rules
        side.is_changed = (
            manifest.is_pseudonymised or manifest.secrets_removed or manifest.texts != "all"
        )
    if not database.is_file():
        raise PerfAssetsError(
            f"{path}: there is nothing to compare: name an archive, a data directory in which "
            "something is published, or a published database"
        )
    return database, side


def _read_side(
    connection: duckdb.DuckDBPyConnection, database: Path, side: Side, alias: str
) -> None:
    """Attach the database of a side, and add what it says of itself."""
    with friendly_errors(database):
        attach(connection, database, alias)
        if not {"meta.about", "meta.partition_loads"} <= stored_tables(connection, alias).keys():
            raise PerfAssetsError(
                f"{side.name} is not a database of perf-assets: name an archive, a data directory "
                "or a published database"
            )
        for topic, fact, value in connection.execute(FACTS.format(side=alias)).fetchall():
            side.facts[topic, fact] = value
        for (key,) in connection.execute(KEY.format(side=alias)).fetchall():
            side.address_key = key
        for name, *months in connection.execute(MONTHS.format(side=alias)).fetchall():
            side.months[name] = "{} to {} ({})".format(*months)


def _compared(connection: duckdb.DuckDBPyConnection, first: Side, second: Side) -> Comparison:
    held = [stored_tables(connection, alias).keys() for alias in SIDES]
    names = [
        name
        for name in sorted(held[0] & held[1])
        if name in declared() and name.partition(".")[0] in COMPARED
    ]
    has_other_key = None not in (first.address_key, second.address_key) and (
        first.address_key != second.address_key
    )
    hides_hashes = has_other_key and all(holds_hashes(connection, side, names) for side in SIDES)
    pair = _Pair(connection, hides_hashes)
    found = {}
    with phase("comparing tables", len(names), "tables") as progress:
        for number, name in enumerate(names, 1):
            found[name] = difference(connection, declared()[name], *pair.relations(name))
            progress(number)
    comparison = Comparison(
        first,
        second,
        tuple(map(Compared, found.values())),
        tuple(sorted(held[0] - held[1])),
        tuple(sorted(held[1] - held[0])),
        list(_source(first, second, found)),
        list(_facts(first, second, ("study", "rules"), "nothing")),
        list(_facts(first, second, (SOFTWARE,), "none")),
        [SENTENCE] if pair.hides_hashes else [],
        list(_defined(connection)),
    )
    for stage in comparison.changed_stages:
        one, other = (side.rules.get(stage, "unknown") for side in (first, second))
        comparison.code.append(f"{stage}: version {one} in the first, {other} in the second")
    _lay_touched(pair, found)
    causes = (tuple(_causes(pair, comparison, one)) for one in found.values())
    return replace(comparison, tables=tuple(map(Compared, found.values(), causes)))


def _defined(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Yield what the two define otherwise, but tables, and what neither should define."""
    one, other = (definitions_of(connection, side) for side in SIDES)
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
        one, other = (side.months.get(name, "none") for side in (first, second))
        if one != other:
            yield f"{name}: months {one} in the first, {other} in the second"
    for side in (first, second):
        if side.is_changed:
            yield (
                f"{side.name}: people, secrets or texts were taken out of it, so that texts and "
                "accounts differ for that reason"
            )
    for name, rows in found.items():
        if _is_source(name) and not rows.is_equal:
            yield (
                f"{name}: {rows.only_first:,} rows only in the first, {rows.only_second:,} only in "
                f"the second, {rows.changed:,} changed"
            )


def _facts(first: Side, second: Side, topics: Collection[str], nothing: str) -> Iterator[str]:
    """Yield what both say otherwise of ``topics``."""
    for topic, fact in sorted(first.facts.keys() | second.facts.keys()):
        one, other = (side.facts.get((topic, fact), nothing) for side in (first, second))
        if topic in topics and one != other:
            name = fact if topic == SOFTWARE else fact.replace("_", " ")
            yield f"{name}: {one} in the first, {other} in the second"


def _causes(pair: _Pair, comparison: Comparison, one: TableDifference) -> Iterator[str]:
    if one.is_equal:
        return
    if _is_source(one.table):
        yield "source"
        return
    inputs = _made_from(one.table)
    differing = {table.difference.table for table in comparison.differing}
    if any(map(_is_source, inputs & differing)):
        count = _of_touched(pair, one)
        yield f"source ({count:,} of {one.count:,} rows)" if count else "source"
    if comparison.rules:  # entries of a study may decide anything
        yield "rules"
    if comparison.code and (
        not comparison.knows_code
        or any(one.table in tables_of_stage(stage) for stage in comparison.changed_stages)
    ):
        yield "code"
    if pair.hides_hashes and PEOPLE in inputs:
        yield "address keys"


def _is_source(table: str) -> bool:
    return table.partition(".")[0] in SOURCES


@cache
def _made_from(table: str) -> frozenset[str]:
    """Return ``table`` and all that it is made from, near or far."""
    found = {table}
    if not _is_source(table):
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
    """Return the differing rows of issues that differ at the source; None of other tables."""
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
