"""The files of dbt_like_models, read: models and tables with their documentation, in order.

A model is one SELECT; its description is the comment at the head of the file, its columns stand in
the YAML file of its layer. Tables that no model makes are documented in YAML alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Literal, TypeAlias

from sqlglot import exp

from perf_assets.errors import PerfAssetsError
from perf_assets.paths import models_dir
from perf_assets.sql_models.parsing import ColumnSource, column_lineage, parse_query, tables_read
from perf_assets.tables.docs import TableDoc, read_table_docs

Materialization: TypeAlias = Literal["view", "table"]

LAYERS: dict[str, Materialization] = {"staging": "view", "marts": "table"}


@dataclass(frozen=True)
class Model(TableDoc):
    """A model: its documentation, its SELECT, and what that reads.

    ``sql`` is the file's text without a closing semicolon. ``upstream`` names the tables it reads,
    ``column_lineage`` the columns of those from which each of its own columns is made.
    """

    sql: str
    path: Path
    upstream: tuple[str, ...]
    column_lineage: Mapping[str, tuple[ColumnSource, ...]]

    @property
    def materialization(self) -> Materialization:
        """How it is kept: staging models are views, marts are tables."""
        return LAYERS[self.schema]


@cache
def load_models(directory: Path | None = None) -> tuple[Model, ...]:
    """The models below ``directory`` (default: the project's), each after those it reads.

    Raises
    ------
    PerfAssetsError
        A file that is not one SELECT or lacks its head comment, an upstream table that is neither
        a model nor documented, models that read each other in a circle, or columns that differ
        from the documented ones; the sentence names the file.
    """
    root = directory or models_dir()
    documented = _documented(root)
    drafts = {}
    for path in sorted(root.glob("*/*.sql")):
        draft = _draft(path, documented)
        drafts[draft.doc.name] = draft
    for name, (doc, path) in documented.items():
        if doc.schema in LAYERS and name not in drafts:
            raise PerfAssetsError(f"{path}: {name} is documented but has no SQL file")
    known = {name: doc for name, (doc, _) in documented.items() if doc.schema not in LAYERS}
    known.update({name: draft.doc for name, draft in drafts.items()})
    return tuple(_model(drafts[name], known) for name in _in_order(drafts, known))


@cache
def table_docs(directory: Path | None = None) -> Mapping[str, TableDoc]:
    """The documentation of every table and view, models included, by ``schema.table``."""
    root = directory or models_dir()
    docs = {name: doc for name, (doc, _) in _documented(root).items()}
    docs.update({model.name: model for model in load_models(directory)})
    return docs


@dataclass(frozen=True)
class _Draft:
    """A model's file once it is parsed, before its place among the others is known."""

    doc: TableDoc
    path: Path
    sql: str
    query: exp.Query


def _documented(root: Path) -> dict[str, tuple[TableDoc, Path]]:
    documented: dict[str, tuple[TableDoc, Path]] = {}
    for path in sorted([*root.glob("*.yml"), *root.glob("*/*.yml")]):
        for doc in read_table_docs(path):
            if doc.name in documented:
                raise PerfAssetsError(
                    f"{path}: {doc.name} is documented in {documented[doc.name][1]} already"
                )
            if not doc.description and doc.schema not in LAYERS:
                raise PerfAssetsError(f"{path}: {doc.name}: description is missing")
            documented[doc.name] = (doc, path)
    return documented


def _draft(path: Path, documented: Mapping[str, tuple[TableDoc, Path]]) -> _Draft:
    name = f"{path.parent.name}.{path.stem}"
    if path.parent.name not in LAYERS:
        raise PerfAssetsError(f"{path}: models belong into one of the folders {', '.join(LAYERS)}")
    if name not in documented:
        raise PerfAssetsError(
            f"{path}: {name} is not documented; add it to {path.parent.name}.yml beside it"
        )
    text = path.read_text(encoding="utf-8")
    description = read_description(text)
    if not description:
        raise PerfAssetsError(f"{path}: begin the file with a comment that describes {name}")
    doc = documented[name][0]
    if doc.description:
        raise PerfAssetsError(
            f"{documented[name][1]}: {name}: its description belongs at the head of {path} alone"
        )
    described = TableDoc(name, description, doc.columns, doc.key, doc.constraints)
    return _Draft(described, path, text.strip().rstrip(";"), parse_query(path, text))


def read_description(text: str) -> str:
    """The comment at the head of a SQL file, as one line."""
    return " ".join(_head_comment(text))


def _head_comment(text: str) -> Iterator[str]:
    for line in takewhile(lambda line: line.startswith("--"), text.splitlines()):
        yield line.removeprefix("--").strip()


def _in_order(drafts: Mapping[str, _Draft], known: Mapping[str, TableDoc]) -> list[str]:
    """The names of the models, each after those it reads."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for name, draft in drafts.items():
        upstream = _upstream(draft, known)
        sorter.add(name, *(table for table in upstream if table in drafts))
    try:
        return list(sorter.static_order())
    except CycleError as error:
        circle = " -> ".join(str(drafts[name].path) for name in error.args[1])
        raise PerfAssetsError(f"these models read each other in a circle: {circle}") from None


def _upstream(draft: _Draft, known: Mapping[str, TableDoc]) -> tuple[str, ...]:
    upstream = tables_read(draft.query)
    for table in upstream:
        if table not in known:
            raise PerfAssetsError(
                f"{draft.path}: {table} is neither a model nor documented in sources.yml"
            )
    return upstream


def _model(draft: _Draft, known: Mapping[str, TableDoc]) -> Model:
    upstream = _upstream(draft, known)
    sources = column_lineage(draft.path, draft.query, [known[table] for table in upstream])
    selected, written = list(sources), [column.name for column in draft.doc.columns]
    if selected != written:
        place = next(i for i, pair in enumerate(zip_longest(selected, written)) if len({*pair}) > 1)
        raise PerfAssetsError(
            f"{draft.path}: column {place + 1} is {_at(selected, place)}, but the documentation of "
            f"{draft.doc.name} has {_at(written, place)} there"
        )
    doc = draft.doc
    return Model(
        doc.name,
        doc.description,
        doc.columns,
        doc.key,
        doc.constraints,
        draft.sql,
        draft.path,
        upstream,
        sources,
    )


def _at(names: list[str], place: int) -> str:
    return names[place] if place < len(names) else "nothing"
