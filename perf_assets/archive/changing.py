"""A study without what must not be published: people, secrets, or all texts."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.archive.recomputing import GIVEN, TEXTS, is_text, recompute
from perf_assets.base.processes.progress import phase
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study
from perf_assets.core.people.common_words import common_phrases, ordinary_words
from perf_assets.core.people.forgetting import NAMES, RATERS
from perf_assets.core.people.pseudonyms import (
    NOT_TEXTS,
    PEOPLE,
    PREFIX,
    PROGRAM,
    SHEET,
    Known,
    folded,
    is_distinct,
)
from perf_assets.schema.ddl import quoted_name
from perf_assets.schema.frames import frame_of, registered
from perf_assets.storage.database_copy import tables_of
from perf_assets.storage.forgetting import TEXT_COLUMNS, replace_values
from perf_assets.storage.publishing import publish
from perf_assets.storage.verdicts import read_log, write_log
from perf_assets.storage.warehouse import open_warehouse

Change = Callable[[str, pl.Series], pl.Series]
"""What becomes of the values of a column of that name."""

WORDS = Path(__file__).with_name("report_words.txt")
"""Words of reports of two other projects: language, and not the people of this project."""

BOTS = "SELECT login FROM staging.accounts WHERE is_bot AND bot_reason <> 'behaviour'"
STATE = "meta.build_state"
NO_PEOPLE = frozenset(("consensus", PREFIX.rstrip("-")))
"""What raters agree on is not a rater, and what pseudonyms begin with is none of them."""


@dataclass(frozen=True)
class TextColumn:
    """A column of texts of a stored table; ``is_list`` where each value is a list of them."""

    table: str
    name: str
    is_list: bool

    def values(self, connection: duckdb.DuckDBPyConnection) -> pl.Series:
        """Return its values, each once."""
        name = quoted_name(self.name)
        value = f"unnest({name})" if self.is_list else name
        found = frame_of(
            connection.sql(
                f"SELECT DISTINCT value FROM (SELECT {value} AS value FROM {self.table}) "
                "WHERE value IS NOT NULL"
            )
        )
        return found["value"]


def text_columns(
    connection: duckdb.DuckDBPyConnection, schemas: tuple[str, ...] = GIVEN
) -> list[TextColumn]:
    """Return the columns of texts of all stored tables of these schemas."""
    rows = connection.execute(TEXT_COLUMNS).fetchall()
    return [
        TextColumn(table, name, kind.endswith("[]"))
        for table, name, kind in rows
        if table.partition(".")[0] in schemas and table != STATE
    ]


def known_people(connection: duckdb.DuckDBPyConnection, study: Study) -> Known:
    """Whom the tables name, and which of their logins are words of the texts too."""
    logins, names, contributions = set[str](), set[str](), Counter[str]()
    texts: list[pl.Series] = []
    paths: list[pl.Series] = []
    for column in text_columns(connection):
        if column.name in NOT_TEXTS:
            continue
        values = column.values(connection)
        if column.name == "owner":
            # Who left a forum is known by name alone.
            names |= {value for value in values if not value.isdigit()}
        elif column.name in PEOPLE:
            found = {folded(value) for value in values if "@" not in value}
            logins |= found
            if not column.is_list:
                contributions.update(_contributions(connection, column))
        elif column.name in NAMES or RATERS.fullmatch(column.name):
            names |= set(values)
            contributions.update(_contributions(connection, column))
        elif column.name in ("path", "old_path"):
            paths.append(values)
        elif column.name in (*TEXTS, "message"):
            texts.append(values)
    one_word = {folded(name) for name in names if not is_distinct(name)}
    owners = {word.casefold() for word in _repository_names(connection, study)}
    bots = {login.casefold() for (login,) in connection.execute(BOTS).fetchall()}
    # A program that is called as a person is would tell who that is.
    bots = {bot for bot in bots if bot.removesuffix(PROGRAM) not in (logins | one_word) - bots}
    every = frozenset((logins | one_word) - owners - bots - NO_PEOPLE)
    language = frozenset(WORDS.read_text(encoding="utf-8").split())
    ordinary = ordinary_words(
        every,
        (text for series in texts for text in series),
        contributions,
        _vocabulary(connection, study),
        (path for series in paths for path in series),
        language,
    )
    names -= NO_PEOPLE
    return Known(
        every,
        frozenset(names),
        frozenset(owners | bots),
        ordinary,
        common_phrases(names, texts, contributions, language),
    )


def changed_copy(
    data_dir: DataDirectory, study: Study, folder: Path, change: Change
) -> tuple[DataDirectory, list[str]]:
    """Return what is published in ``data_dir``, changed, and all that follows computed anew.

    Returns
    -------
    The data directory of it at ``folder``, and what failed its audit.
    """
    copy = DataDirectory(folder)
    shutil.copyfile(data_dir.published, copy.warehouse)
    if data_dir.model.exists():
        shutil.copyfile(data_dir.model, copy.model)
    log = read_log(data_dir.verdicts)
    if any(rows.height for rows in log.rows.values()):
        changed = {table: _framed(table, rows, change) for table, rows in log.rows.items()}
        write_log(copy.verdicts, changed)
    with open_warehouse(copy.warehouse) as database:
        with phase("changing texts"), database.transaction():
            for column in text_columns(database.connection):
                _apply(database.connection, column, change)
        tables = tables_of(database.connection)
        noted = {
            table: database.frame(f"FROM {table}") for table in tables if table.startswith("meta.")
        }
    failures = recompute(copy, study)
    # What was noted when the data were read is what is said of them, not when this copy was made.
    with open_warehouse(copy.warehouse) as database, database.transaction():
        for table, rows in noted.items():
            database.connection.execute(f"DELETE FROM {table}")
            if table != STATE and rows.height:
                with registered(database.connection, "noted", rows):
                    database.connection.execute(f"INSERT INTO {table} BY NAME FROM noted")
    publish(copy)
    return copy, failures


def leave_texts_out(database: Path) -> None:
    """Empty all columns of titles and bodies of a database; what follows from them stays."""
    with duckdb.connect(str(database)) as connection:
        nullable = dict(
            connection.execute(
                "SELECT schema_name || '.' || table_name || '.' || column_name, is_nullable "
                "FROM duckdb_columns() WHERE database_name = current_database()"
            ).fetchall()
        )
        schemas = (*GIVEN, "labels", "links", "marts", "analysis")
        for column in text_columns(connection, schemas):
            if is_text(column.table, column.name) and not column.is_list:
                value = "NULL" if nullable[f"{column.table}.{column.name}"] else "''"
                name = quoted_name(column.name)
                connection.execute(f"UPDATE {column.table} SET {name} = {value}")


def _apply(connection: duckdb.DuckDBPyConnection, column: TextColumn, change: Change) -> None:
    old = column.values(connection)
    if old.is_empty():
        return
    pairs = pl.DataFrame({"old": old, "new": change(_kind(column.table, column.name), old)})
    pairs = pairs.filter(pl.col("old").ne_missing(pl.col("new")))
    if column.is_list and pairs.height:
        replaced = dict(pairs.iter_rows())
        name = quoted_name(column.name)
        lists = frame_of(
            connection.sql(
                f"SELECT DISTINCT {name} AS old FROM {column.table} WHERE {name} IS NOT NULL"
            )
        )
        new = [[replaced.get(item, item) for item in value] for value in lists["old"].to_list()]
        pairs = lists.with_columns(new=pl.Series(new, dtype=pl.List(pl.String)))
    replace_values(connection, column.table, column.name, pairs)


def _kind(table: str, column: str) -> str:
    """Return the name by which ``change`` knows what values of a column are."""
    return SHEET if column == "file" and table.startswith("reviews.") else column


def _framed(table: str, rows: pl.DataFrame, change: Change) -> pl.DataFrame:
    changed = []
    for name, kind in rows.schema.items():
        if kind == pl.String:
            changed.append(change(_kind(table, name), rows[name]))
        elif kind == pl.List(pl.String):
            lists = [
                None if value is None else change(name, pl.Series(value, dtype=pl.String)).to_list()
                for value in rows[name].to_list()
            ]
            changed.append(pl.Series(name, lists, dtype=kind))
    return rows.with_columns(changed)


def _contributions(connection: duckdb.DuckDBPyConnection, column: TextColumn) -> dict[str, int]:
    name = quoted_name(column.name)
    rows = connection.execute(
        f"SELECT lower({name}), count(*) FROM {column.table} WHERE {name} IS NOT NULL GROUP BY ALL"
    ).fetchall()
    return dict(rows)


def _repository_names(connection: duckdb.DuckDBPyConnection, study: Study) -> set[str]:
    """Owners and names of the repositories that are studied."""
    rows = connection.execute("SELECT DISTINCT repository FROM meta.partition_loads").fetchall()
    named = {name for (name,) in rows if "/" in name}
    named |= {
        name for repository in study.repositories for name in (repository.name, *repository.aliases)
    }
    return {part for name in named for part in name.split("/")}


def _vocabulary(connection: duckdb.DuckDBPyConnection, study: Study) -> Iterator[str]:
    """Yield the words that decide something: of rules, labels and tags."""
    rules = study.rules
    yield from (*rules.performance_labels, *rules.non_bug_labels, *rules.keywords)
    yield from (*rules.strong_keywords, *rules.weak_keywords, *rules.widened_keywords)
    for query in (
        "SELECT DISTINCT label FROM labels.label_kinds",
        "SELECT DISTINCT unnest(tags) FROM meta.tag_sets",
        "SELECT DISTINCT area FROM marts.bug_areas",
    ):
        yield from (value for (value,) in connection.execute(query).fetchall() if value is not None)
