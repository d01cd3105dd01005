"""What each table is made from: models say it by their text, other tables by their declaration."""

from collections.abc import Iterable, Mapping
from functools import cache

from perf_assets.base.config_files import nearest
from perf_assets.base.errors import PerfAssetsError
from perf_assets.schema import Analysis, declared, table_of
from perf_assets.schema.models.files import described_tables, load_models

# Where tables come from that are made from no other, by their schema or their name.
ORIGINS = {
    "raw.issue_templates": "git, the clone of the repository",
    "raw.issue": "GitHub's API",
    "raw.question": "a forum: its dump, or its API",
    "raw.answers": "a forum: its dump, or its API",
    "raw.rejected_posts": "a forum: its dump",
    "raw": "git, the clone of the repository",
    "replication": "the published data of the studies",
    "reviews.labelled_questions": "the files of classified questions that the study names",
    "reviews": "review sheets that raters filled in",
    "intermediate.link_confidence_levels": "a sample of links that was read, counted in the model",
    "meta": "the runs themselves: their bookkeeping",
}


@cache
def analyses() -> Mapping[str, Analysis]:
    """Return the tables of statistics, by name, and how each is computed.

    Raises
    ------
    PerfAssetsError
        One reads a table or a column that is not declared.
    """
    tables = declared()
    found = {name: table.analysis for name, table in tables.items() if table.analysis is not None}
    for name, analysis in found.items():
        for table, columns in analysis.reads.items():
            if table not in tables:
                raise PerfAssetsError(f"{name} reads {table}: {nearest(table, tables)}")
            for column in columns or ():
                if column not in tables[table].column:
                    hint = nearest(column, tables[table].column)
                    raise PerfAssetsError(f"{name} reads {table}.{column}: {hint}")
    return found


@cache
def made_from() -> Mapping[str, tuple[str, ...]]:
    """Return the inputs of every table and view; none for tables from outside.

    Raises
    ------
    PerfAssetsError
        One is made from a table that is not declared.
    """
    tables = described_tables()
    for name, table in tables.items():
        for source in table.made_from:
            if source not in tables:
                raise PerfAssetsError(f"{name} is made from {source}: {nearest(source, tables)}")
    models = {model.name: model.upstream for model in load_models()}
    statistics = {name: tuple(analysis.reads) for name, analysis in analyses().items()}
    inputs = models | statistics
    return {name: inputs.get(name, table.made_from) for name, table in tables.items()}


def behind_views(tables: Iterable[str]) -> frozenset[str]:
    """Return ``tables`` and all tables behind the views among them."""
    left, found = list(tables), set[str]()
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += made_from()[name] if table_of(name).is_view else ()
    return frozenset(found)


def following(tables: Iterable[str]) -> frozenset[str]:
    """Return ``tables`` and all that is made from them, near or far."""
    found = set(tables)
    while more := {name for name, inputs in made_from().items() if found & {*inputs}} - found:
        found |= more
    return frozenset(found)


def read_by(table: str) -> tuple[str, ...]:
    """Return the tables and views that are made from ``table``, sorted."""
    return tuple(sorted(name for name, upstream in made_from().items() if table in upstream))


def origin_of(table: str) -> str:
    """Return the origin, in words, of a table that is made from no other."""
    return next((words for prefix, words in ORIGINS.items() if table.startswith(prefix)), "")
