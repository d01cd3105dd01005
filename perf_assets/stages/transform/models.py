"""Models: the SQL models laid into the warehouse, views as views, marts computed and audited."""

from collections.abc import Callable, Sequence
from contextlib import closing

import polars as pl

from perf_assets.config.people import People
from perf_assets.config.study import Study
from perf_assets.engines.remote import Engine
from perf_assets.schema import table_of
from perf_assets.schema.models.ddl import (
    AS_OF_SOURCE,
    comment_statements,
    create_as_of_macro,
    create_table,
    create_views,
    parsed,
)
from perf_assets.schema.models.files import Model, load_models
from perf_assets.stages.mining.addresses import Addresses
from perf_assets.stages.transform.workspace import Workspace
from perf_assets.storage import fingerprints
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.chunked_replace import replace_by_chunks, share_key
from perf_assets.storage.forgotten import read_forgotten
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.storing import update_table


def register_study(writer: AuditedWriter, study: Study) -> None:
    """Write down which repositories the models cover, and from which months on."""
    rows = pl.DataFrame(
        [
            (
                *(repository.name, repository.start, repository.trend_start, study.name),
                repository.source,
                repository.kind.address("change", repository.name),
                *(repository.code_address(which) for which in ("commit", "file")),
            )
            for repository in study.repositories
        ],
        schema=table_of("meta.repositories").frame_schema,
        orient="row",
    )
    update_table(writer, "meta.repositories", rows)
    _register_decisions(writer, study.people)
    _register_tag_sets(writer, study)


def _register_decisions(writer: AuditedWriter, people: People) -> None:
    """Store the study's decisions on accounts, with addresses as raw.commits stores them."""
    addresses = Addresses(people.addresses, writer.data_dir)
    decisions = [(login.casefold(), "bot", "") for login in people.bots]
    decisions += [(login.casefold(), "person", "") for login in people.persons]
    for accounts in people.same:
        # A login is the person, if there is one: what accounts are known by.
        first, *others = map(
            addresses.account, sorted(accounts, key=lambda account: "@" in account)
        )
        decisions += [(other, "same_as", first) for other in others if other != first]
    for pair in people.different:
        first, second = map(addresses.account, pair)
        decisions.append((first, "different_from", second))
    schema = table_of("meta.account_decisions").frame_schema
    rows = pl.DataFrame(decisions, schema=schema, orient="row").unique(maintain_order=True)
    if forgotten := read_forgotten(writer.data_dir):  # as they are stored
        rows = forgotten.frame(rows)
    update_table(writer, "meta.account_decisions", rows)


def _register_tag_sets(writer: AuditedWriter, study: Study) -> None:
    """Write down which tag sets the models cover, and what each is about."""
    rows = pl.DataFrame(
        [
            {
                "forum": tag_set.forum,
                "tag_set": tag_set.label,
                "tags": list(tag_set.tags),
                "position": position,
                "start_month": tag_set.start,
                "repository": study.repository_of(tag_set),
                "study": study.name,
            }
            for position, tag_set in enumerate(study.tag_sets, 1)
        ],
        schema=table_of("meta.tag_sets").frame_schema,
    )
    update_table(writer, "meta.tag_sets", rows)


def build_model(writer: AuditedWriter, model: Model, engine: Engine) -> Callable[[], WriteOutcome]:
    """Let ``engine`` compute the table of a SQL model, which is there, and begin its audit.

    Returns
    -------
    What waits for the audit, and replaces the table. One of several shares was replaced before.

    Raises
    ------
    PerfAssetsError
        Its text cannot be parsed; the sentence names the file.
    """
    by = share_key(model.name)
    with parsed(model):
        return replace_by_chunks(writer, model.name, engine.shares(model.name, by), by)


def lay_views(writer: AuditedWriter, models: Sequence[Model] | None = None) -> set[str]:
    """Create the views of ``models`` (default: all), each after those that it is made from.

    Returns
    -------
    The names of those that are others now; the rest were there.
    """
    every = [model for model in load_models() if model.table.is_view]
    views = every if models is None else models
    texts = {model.name: model.sql for model in views}
    if len(fingerprints.laid(writer.database, texts)) == len(views):
        return set()
    with writer.database.transaction():  # one wait for the disk
        # What one shows may have changed by what another one does.
        new = create_views(writer.database.connection, views)
        fingerprints.note_laid(writer.database, texts)
    return new


def describe_tables(writer: AuditedWriter) -> None:
    """Put the documentation of tables and columns into the database, where analysts look."""
    history = next(model for model in load_models() if model.name == AS_OF_SOURCE)
    there = f"FROM duckdb_tables() WHERE schema_name || '.' || table_name = '{history.name}'"
    # A data directory of an older version lacks it before its next run.
    if writer.database.frame(f"{there} AND database_name = current_database()").is_empty():
        create_table(writer.database.connection, history.table)
        with closing(Workspace(writer.database)) as workspace:
            build_model(writer, history, workspace)()
    create_as_of_macro(writer.database.connection)
    if statements := comment_statements(writer.database.connection):
        with writer.database.transaction():  # one wait for the disk, not a thousand
            writer.database.connection.execute("; ".join(statements))
