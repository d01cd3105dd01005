"""The SQL models as a project of dbt with dbt-duckdb, for a team that has dbt.

A project has the text of each model as it is written, with ``ref`` and ``source`` in place of the
tables that it reads, and the declarations as descriptions, contracts and tests. Names of models are
unique in a project of dbt, so ``marts.activity`` is the model ``marts__activity`` there. Whatever
SQL does not compute here is a source, read from the published database.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import yaml

from perf_assets.base.paths import models_dir
from perf_assets.reports.directory import Kind, OwnDirectory, text_file
from perf_assets.schema import Column, Table
from perf_assets.schema.ddl import quoted_name
from perf_assets.schema.models.ddl import AS_OF_MACRO, AS_OF_PARAMETER, AS_OF_SOURCE, as_of_text
from perf_assets.schema.models.files import (
    Model,
    described_tables,
    load_models,
    models_by_name,
    places_of_tables,
    read_by_several,
)

PROJECT = Kind("dbt project", "perf-assets.json", "perf-assets export-dbt")
DATABASE = "perf_assets"
"""The name under which the profile attaches the published database."""
UNCHANGED = Path(__file__).with_name("files")
"""The files that every project has."""
BRACE = re.compile(r"\{(?=[{%#])")
HEAD = "# Written by perf-assets export-dbt, which replaces it when it is called again.\n"
Entries = dict[str, object]
# The one in C is several times as fast; some builds of the library lack it.
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def write_project(path: Path) -> OwnDirectory:
    """Write the project to the directory at ``path``, and replace one that is there.

    Raises
    ------
    PerfAssetsError
        The directory has files of somebody else, or cannot be written.
    """
    project = OwnDirectory(path, PROJECT)
    files = project_files()
    project.plan(files)
    for name, text in files.items():
        project.keep(text_file(name, partial(str, text)))
    project.finish()
    return project


def project_files() -> dict[str, str]:
    """Return the text of each file of the project, by its path with slashes."""
    files = {
        path.relative_to(UNCHANGED).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(UNCHANGED.rglob("*"))
        if path.is_file()
    }
    files["macros/bug_reports_as_of.sql"] = _macro(as_of_text(models_dir()))
    files["models/sources.yml"] = _yaml({"version": 2, "sources": list(_sources())})
    schemas: dict[str, list[Entries]] = {}
    for model in load_models():
        schema, name = model.table.schema_name, model_name(model.name)
        files[f"models/{schema}/{name}.sql"] = with_references(model.sql, models_by_name()) + "\n"
        schemas.setdefault(schema, []).append(_declared(model))
    for schema, models in schemas.items():
        models.sort(key=lambda entries: str(entries["name"]))
        files[f"models/{schema}/schema.yml"] = _yaml({"version": 2, "models": models})
    return dict(sorted(files.items()))


def model_name(table: str) -> str:
    """Return what the model of ``schema.table`` is called in dbt."""
    return table.replace(".", "__")


def with_references(sql: str, models: Iterable[str]) -> str:
    """Return ``sql`` for dbt: ``ref`` of ``models``, and ``source`` of all other tables it reads.

    All else is as it is written, comments too; what Jinja would take for its own is escaped.
    """
    names, parts, end = set(models), list[str](), 0
    for start, stop in places_of_tables(sql):
        table = sql[start:stop]
        schema, _, name = table.partition(".")
        call = f"ref('{model_name(table)}')" if table in names else f"source('{schema}', '{name}')"
        parts += [escaped(sql[end:start]), f"{{{{ {call} }}}}"]
        end = stop
    return "".join([*parts, escaped(sql[end:])])


def escaped(text: str) -> str:
    """Return ``text`` as Jinja gives it back unchanged."""
    return BRACE.sub("{{ '{' }}", text)


def _macro(sql: str) -> str:
    """Return the macro that makes the table macro, after the model that it reads is there."""
    schema, _, name = AS_OF_MACRO.partition(".")
    # A model cannot refer to itself, and a database may be attached under another name later.
    text = with_references(sql, models_by_name())
    text = text.replace(f"ref('{model_name(AS_OF_SOURCE)}')", "this")
    text = text.replace(" }}", ".include(database=false) }}")
    return (
        f"{{% macro create_{name}() %}}\n"
        f"create or replace macro {schema}.{name}({AS_OF_PARAMETER}) as table\n"
        f"{text}"
        "{% endmacro %}\n"
    )


def _sources() -> Iterator[Entries]:
    """Yield the schemas of all tables that no SQL computes."""
    tables: dict[str, list[Entries]] = {}
    for name, table in sorted(described_tables().items()):
        if name not in models_by_name():
            tables.setdefault(table.schema_name, []).append(
                {
                    "name": name.partition(".")[2],
                    "description": escaped(table.description),
                    "columns": [_column(column) for column in table.columns],
                }
            )
    for schema, entries in tables.items():
        yield {"name": schema, "database": DATABASE, "schema": schema, "tables": entries}


def _declared(model: Model) -> Entries:
    """Return the declaration of a model; it is a view where one other model at most reads it."""
    table = model.table
    is_view = table.is_view and model.name not in read_by_several()
    return {
        "name": model_name(model.name),
        "description": escaped(table.description),
        "config": {
            "schema": table.schema_name,
            "materialized": "view" if is_view else "table",
        },
        "data_tests": list(_tests_of_rows(table)),
        "columns": [
            _column(column, _tests_of_values(column, is_key=table.key == (column.name,)))
            for column in table.columns
        ],
    }


def _column(column: Column, tests: Iterable[object] = ()) -> Entries:
    entries: Entries = {
        "name": column.name,
        "description": escaped(column.comment),
        "data_type": column.type,
    }
    return {**entries, "data_tests": listed} if (listed := list(tests)) else entries


def _tests_of_rows(table: Table) -> Iterator[Entries]:
    """Yield the tests of a key of several columns, and of the conditions on a row."""
    if len(table.key) > 1:
        yield _test("unique_combination_of_columns", combination_of_columns=list(table.key))
    for condition in table.constraints:
        yield _test("expression_is_true", expression=escaped(condition))


def _tests_of_values(column: Column, *, is_key: bool) -> Iterator[object]:
    """Yield the tests of the values of a column."""
    if is_key:
        yield "unique"
    if not column.nullable:
        yield "not_null"
    if column.values is not None and not column.type.endswith("[]"):
        yield _test("accepted_values", values=[escaped(value) for value in column.values])
    bounds = {"min_value": column.min, "max_value": column.max}
    if given := {
        name: quoted_name(bound) if isinstance(bound, str) else bound
        for name, bound in bounds.items()
        if bound is not None
    }:
        yield _test("accepted_range", **given)
    if column.pattern is not None:
        yield _test("matches_pattern", pattern=escaped(column.pattern))


def _test(name: str, **arguments: object) -> Entries:
    return {name: {"arguments": arguments}}


def _yaml(content: Mapping[str, object]) -> str:
    """Return ``content`` as YAML, in its order."""
    return HEAD + yaml.dump(content, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=100)
