"""Pages of reference that code knows: every table, every command, and every key of the study file.

python -m tests.reference_pages docs
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from perf_assets.base.files import write_output_file
from perf_assets.cli.commands import commands
from perf_assets.config.study import Study
from perf_assets.reports.dictionary import kind_of, meaning_of
from perf_assets.reports.markdown_table import markdown_table
from perf_assets.schema import Table
from perf_assets.schema.models.asset_graph import asset_for_table
from perf_assets.schema.models.cookbook import by_group, cookbook
from perf_assets.schema.models.dependencies import made_from, origin_of
from perf_assets.schema.models.files import LINEAGE, described_tables, lineage_text
from perf_assets.storage.definitions import WRITTEN_DOWN, definitions_text
from tests.accuracy_page import accuracy_markdown
from tests.rules_page import rules_markdown

WRITTEN = "Written by `make reference`"
TABLES = f"""# Data dictionary

Every table and view of the published database, as its declaration in `dbt_like_models/` says.
{WRITTEN}; the same texts are comments in the database. All timestamps are UTC,
months are written `YYYY-MM`, and what is missing is NULL.
"""
COMMANDS = f"""# Commands

Every command, as `perf-assets COMMAND --help` has it. {WRITTEN}.

Exit codes: 0, all is well; 1, some rows are in quarantine and the rest is done; 2, something you
can fix, explained in one sentence; 70, a defect of perf-assets, with its traceback; 130, 143 and
129, stopped by Ctrl-C, SIGTERM or a closed terminal (SIGHUP). A stopped command goes on when it is
run again.
"""
STUDY = f"""# The study file

Every key of `study.toml`. {WRITTEN}. `perf-assets doctor --study study.toml` checks a file and says
what a run will cost.

A label matches an entry when it contains it, whatever the case and spaces.
"""
QUERIES = f"""# The cookbook

Every query of `sql/`, by the group of its question. {WRITTEN}. `perf-assets query NAME` answers a
question, `perf-assets query --search WORDS` finds one. A search also matches the words of the last
column.
"""
TITLES = {
    "repositories": "[[repositories]]",
    "areas": "[repositories.areas]",
    "benchmarks": "[[benchmarks]]",
    "forums": "[[forums]]",
    "people": "[people]",
    "lake": "[lake]",
}


def pages() -> dict[str, Callable[[], str]]:
    """All pages that code knows, by their path below ``docs/``, and what writes each."""
    return {
        "data_dictionary.md": dictionary_markdown,
        "reference/commands.md": commands_markdown,
        "reference/study_file.md": study_file_markdown,
        "reference/queries.md": queries_markdown,
        "rules.md": rules_markdown,
        "accuracy.md": accuracy_markdown,
        f"../perf_assets/schema/models/{LINEAGE}": lineage_text,
    }


def dictionary_markdown() -> str:
    """The page: a section for each table, a row for each column."""
    parts = [TABLES]
    for table in described_tables().values():
        parts.append("\n".join(_of_table(table)))
    return "\n".join(parts)


def commands_markdown() -> str:
    """A section for each command: how it is called, what it does, its options."""
    return "\n".join([COMMANDS, *_of_group(commands, "perf-assets")])


def study_file_markdown() -> str:
    """A table of the keys of the study file, and one for each table in it."""
    return "\n".join([STUDY, *_of_entry("Top level", Study)])


def queries_markdown() -> str:
    """A section for each group of questions, a row for each question."""
    parts = [QUERIES]
    for group, queries in by_group(cookbook().values()).items():
        rows = [(query.question, f"`{query.name}`", query.words) for query in queries]
        table = markdown_table(("question", "query", "further words"), rows, cell=own_markdown)
        parts.append(f"## {group.capitalize()}\n\n{table}\n")
    return "\n".join(parts)


def _of_table(table: Table) -> Iterator[str]:
    yield f"## {table.name}\n"
    yield f"{table.description}\n"
    yield f"Key: {', '.join(f'`{name}`' for name in table.key)}\n"
    yield f"Made from: {_linked(table.name)}\n"
    if asset_for_table(table.name) != table.name:
        yield f"Asset in the Dagster UI: `{asset_for_table(table.name)}`\n"
    rows = [(f"`{field.name}`", kind_of(field), meaning_of(field)) for field in table.columns]
    yield markdown_table(("column", "type", "meaning"), rows, cell=own_markdown) + "\n"


def _linked(table: str) -> str:
    upstream = made_from()[table]
    links = (f"[{name}](#{name.replace('.', '')})" for name in upstream)
    return ", ".join(links) or origin_of(table)


def _of_group(group: click.Group, called: str) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _of_group(command, f"{called} {name}")
        else:
            yield from _of_command(command, f"{called} {name}")


def _of_command(command: click.Command, called: str) -> Iterator[str]:
    context = click.Context(command, info_name=called)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"## {called}\n\n```\n{called} {usage}\n```\n"
    yield "\n\n".join(_paragraphs(command.help or "")) + "\n"
    records = [option.get_help_record(context) for option in command.params]
    options = [record for record in records if record is not None and record[1]]
    if options:
        rows = [(f"`{spelled}`", meaning) for spelled, meaning in options]
        yield markdown_table(("option", "meaning"), rows, cell=own_markdown) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text; those that click must not wrap as blocks of code."""
    for paragraph in map(str.strip, text.split("\n\n")):
        if paragraph.startswith("\b"):
            lines = [line.strip() for line in paragraph.splitlines()[1:]]
            yield "```\n" + "\n".join(lines) + "\n```"
        else:
            yield " ".join(paragraph.split())


def _of_entry(title: str, entry: type[BaseModel]) -> Iterator[str]:
    rows, inner = [], []
    for name, field in entry.model_fields.items():
        meaning, _, default = (field.description or "").partition("; default: ")
        if choices := [*_choices(field.annotation)]:
            meaning += f": {', '.join(f'`{choice}`' for choice in choices)}"
        rows.append((f"`{field.alias or name}`", meaning, default or _default(field)))
        inner += [(TITLES[name], model) for model in _models(field.annotation)]
    table = markdown_table(("key", "meaning", "default"), rows, cell=own_markdown)
    yield f"## {title}\n\n{table}\n"
    for heading, model in inner:
        yield from _of_entry(f"`{heading}`", model)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "must be given"
    value = field.default
    if value in (None, (), PydanticUndefined):
        return "none"
    if isinstance(value, tuple):
        return ", ".join(f"`{one}`" for one in value)
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _models(kind: Any) -> Iterator[type[BaseModel]]:
    """The models in a type such as ``tuple[Model, ...] | None``."""
    if isinstance(kind, type) and get_origin(kind) is None and issubclass(kind, BaseModel):
        yield kind
    elif get_origin(kind) in (tuple, Union, UnionType):
        for inner in get_args(kind):
            yield from _models(inner)


def _choices(kind: Any) -> Iterator[str]:
    """The values of a type such as ``Literal["a", "b"]`` or ``tuple[Literal["a", "b"], ...]``."""
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    for inner in get_args(kind) if get_origin(kind) in (tuple, Annotated) else ():
        yield from _choices(inner)


def own_markdown(text: str) -> str:
    """Markdown of our own as a cell: on one line, its bars escaped."""
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    for name, page in pages().items():
        write_output_file(Path(sys.argv[1]) / name, page().encode())
    write_output_file(WRITTEN_DOWN, definitions_text().encode())
