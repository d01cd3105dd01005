"""The SQL models, read: one SELECT a file, each after those it reads.

The comment at the head of a file describes its table or view, whose columns are declared beside it.
The tables that a model reads follow FROM and JOIN, with their schema. Parsing the whole text takes
many times as long, so only callers that need more do it.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.paths import models_dir
from perf_assets.schema import LAYERS, Table, declared

if TYPE_CHECKING:
    from perf_assets.schema.models.parsing import ColumnSource

LINEAGE = "column_lineage.json"
COMMENTS_AND_TEXTS = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*'", re.DOTALL)
TABLE_READ = re.compile(r"\b(?:from|join)\s+([a-z_]\w*\.[a-z_]\w*)\b(?!\s*\()", re.IGNORECASE)


@dataclass(frozen=True)
class Model:
    """A model: what it makes, its SELECT, and what that reads.

    ``sql`` is the file's text without a closing semicolon, ``reads`` are the tables it reads.
    """

    table: Table
    sql: str
    path: Path
    reads: tuple[Table, ...] = ()

    @property
    def name(self) -> str:
        """The table or view that it makes, as ``schema.table``."""
        return self.table.name

    @property
    def upstream(self) -> tuple[str, ...]:
        """The names of the tables it reads, sorted."""
        return tuple(table.name for table in self.reads)

    @cached_property
    def column_lineage(self) -> Mapping[str, "tuple[ColumnSource, ...]"]:
        """The columns of the tables it reads from which each of its own columns is made.

        Following them takes a second for all models, so the result is stored (`make reference`);
        models whose text or columns changed since are followed again.

        Raises
        ------
        PerfAssetsError
            A column cannot be followed, or the columns differ from the declared ones; the sentence
            names the file.
        """
        written_down = _written_lineage().get(self.name, {})
        if written_down.get("basis") == self.lineage_basis:
            sources = {
                column: tuple((str(table), str(name)) for table, name in found)
                for column, found in written_down["columns"].items()
            }
        else:
            sources = self.followed_lineage()
        selected, written = list(sources), list(self.table.column)
        if selected != written:
            pairs = enumerate(zip_longest(selected, written))
            index = next(i for i, pair in pairs if len({*pair}) > 1)
            raise PerfAssetsError(
                f"{self.path}: column {index + 1} is {_at(selected, index)}, but "
                f"{self.name} is declared with {_at(written, index)} there"
            )
        return sources

    def followed_lineage(self) -> "dict[str, tuple[ColumnSource, ...]]":
        """Return the same, by parsing its text."""
        from perf_assets.schema.models.parsing import column_lineage, parse_query  # noqa: PLC0415

        return column_lineage(self.path, parse_query(self.path, self.sql), self.reads)

    @property
    def lineage_basis(self) -> str:
        """A digest of what the lineage follows from: its text, and the columns that it reads."""
        columns = [[table.name, *table.column] for table in self.reads]
        return hashlib.sha256(json.dumps([self.sql, columns]).encode()).hexdigest()[:16]


def lineage_text() -> str:
    """Return the lineage of all models as it is written down."""
    found = {
        model.name: {"basis": model.lineage_basis, "columns": model.followed_lineage()}
        for model in load_models()
    }
    rows = (f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
    return "{\n" + ",\n".join(rows) + "\n}\n"


@cache
def _written_lineage() -> Mapping[str, Mapping[str, Any]]:
    try:
        text = Path(__file__).with_name(LINEAGE).read_text(encoding="utf-8")
        written: dict[str, Mapping[str, Any]] = json.loads(text)
    except (OSError, ValueError):  # while it is being written anew
        return {}
    return written


def load_models(directory: Path | None = None) -> tuple[Model, ...]:
    """Return the models below ``directory`` (default: the project's), each after those it reads.

    Raises
    ------
    PerfAssetsError
        A file that lacks its head comment or, of another directory than the project's, is not one
        SELECT; an upstream table that is not declared, or models that read each other in a circle;
        the sentence names the file.
    """
    return _load(directory or models_dir())


@cache
def _load(root: Path) -> tuple[Model, ...]:
    tables = declared(root)
    drafts = {}
    for path in sorted(root.glob("*/*.sql")):
        draft = _draft(path, tables)
        if root != models_dir():
            _check_declared(path, check_query(path, draft.sql), tables)
        drafts[draft.table.name] = draft
    for name, table in tables.items():
        is_model = table.schema_name in LAYERS and table.analysis is None
        if is_model and name not in drafts:
            raise PerfAssetsError(f"{root / name.replace('.', '/')}.yml: {name} has no SQL file")
        if not is_model and name in drafts:
            raise PerfAssetsError(f"{drafts[name].path}: {name} is declared with an analysis too")
        if not is_model and not table.description:
            raise PerfAssetsError(f"{root / name.replace('.', '/')}.yml: description is missing")
    tables = {**tables, **{name: draft.table for name, draft in drafts.items()}}
    upstream = {name: tables_behind(draft.sql) for name, draft in drafts.items()}
    for name, draft in drafts.items():
        _check_declared(draft.path, upstream[name], tables)
    return tuple(
        replace(drafts[name], reads=tuple(tables[table] for table in upstream[name]))
        for name in _in_order(drafts, upstream)
    )


@cache
def models_by_name() -> Mapping[str, Model]:
    """Return the project's models by the names of what they make."""
    return {model.name: model for model in load_models()}


@cache
def read_by_several() -> frozenset[str]:
    """Return the models that several others read, which are computed once for all of them."""
    readers = Counter(table for model in load_models() for table in model.upstream)
    return frozenset(name for name in models_by_name() if readers[name] > 1)


def views_over(tables: Iterable[str]) -> list[str]:
    """Return the views that read one of ``tables``, directly or not, each after its inputs."""
    read = set(tables)
    views = []
    for model in load_models():
        if model.table.is_view and read & set(model.upstream):
            read.add(model.name)
            views.append(model.name)
    return views


@cache
def described_tables(directory: Path | None = None) -> Mapping[str, Table]:
    """Return every table and view by name; models are described by the head of their file."""
    models = {model.name: model.table for model in load_models(directory)}
    return {**declared(directory), **models}


def _draft(path: Path, tables: Mapping[str, Table]) -> Model:
    """Return the model of a file; the tables that it reads are added once all files are read."""
    name = f"{path.parent.name}.{path.stem}"
    if path.parent.name not in LAYERS:
        raise PerfAssetsError(f"{path}: models belong in one of the folders {', '.join(LAYERS)}")
    if name not in tables:
        raise PerfAssetsError(f"{path}: {name} is not declared; write {path.stem}.yml beside it")
    text = path.read_text(encoding="utf-8")
    description = read_description(text)
    if not description:
        raise PerfAssetsError(f"{path}: begin the file with a comment that describes {name}")
    if tables[name].description:
        raise PerfAssetsError(
            f"{path.with_suffix('.yml')}: the description of {name} belongs at the head of {path} "
            "alone"
        )
    table = tables[name].model_copy(update={"description": description})
    return Model(table, text.strip().rstrip(";"), path)


def check_query(path: Path, sql: str) -> tuple[str, ...]:
    """Return the tables that a text reads; refused with a sentence where it is not one SELECT."""
    from perf_assets.schema.models.parsing import parse_query, tables_read  # noqa: PLC0415

    return tables_read(parse_query(path, sql))


def tables_behind(sql: str) -> tuple[str, ...]:
    """Return the tables that stand behind FROM and JOIN, as ``schema.table``, sorted."""
    return tuple(sorted({sql[start:end] for start, end in places_of_tables(sql)}))


def places_of_tables(sql: str) -> Iterator[tuple[int, int]]:
    """Yield where ``schema.table`` stands behind FROM or JOIN in ``sql``: its start and its end.

    Comments, texts and table functions are passed over.
    """
    blank = COMMENTS_AND_TEXTS.sub(lambda found: " " * len(found[0]), sql)
    return (found.span(1) for found in TABLE_READ.finditer(blank))


def read_description(text: str) -> str:
    """Return the comment at the head of a SQL file, as one line."""
    head = takewhile(lambda line: line.startswith("--"), text.splitlines())
    return " ".join(line.removeprefix("--").strip() for line in head)


def _in_order(drafts: Mapping[str, Model], upstream: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the names of the models, each after those it reads."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for name, inputs in upstream.items():
        sorter.add(name, *(table for table in inputs if table in drafts))
    try:
        return list(sorter.static_order())
    except CycleError as error:
        circle = " -> ".join(str(drafts[name].path) for name in error.args[1])
        raise PerfAssetsError(f"these models read each other in a circle: {circle}") from None


def _check_declared(path: Path, upstream: tuple[str, ...], tables: Mapping[str, Table]) -> None:
    for table in upstream:
        if table not in tables:
            raise PerfAssetsError(f"{path}: {table}, which it reads, is not declared")


def _at(names: list[str], index: int) -> str:
    return names[index] if index < len(names) else "nothing"
