"""What an archive is made from: the study, and what must not be published taken out of it."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import duckdb
import polars as pl

from perf_assets.archive.changing import Change, changed_copy, known_people, text_columns
from perf_assets.archive.manifest import STUDY
from perf_assets.archive.recomputing import TEXTS, is_text
from perf_assets.archive.secrets import FOUND, find_secrets, remove_secrets
from perf_assets.archive.study_copy import (
    StudyCopy,
    copy_study,
    no_study,
    other_facts,
    with_people,
)
from perf_assets.base.errors import AuditError, PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, is_packaged
from perf_assets.core.people.pseudonyms import Pseudonyms
from perf_assets.schema import table_of
from perf_assets.schema.ddl import quoted_name
from perf_assets.schema.frames import frame_of
from perf_assets.stages.study_loader import STUDY_NAME, open_study
from perf_assets.storage.address_key import pseudonym_key
from perf_assets.storage.lake_rows import lake_rows
from perf_assets.storage.migrations import FORMAT as WAREHOUSE_FORMAT
from perf_assets.storage.publishing import ABOUT, ADDRESS_KEY
from perf_assets.storage.received import admit, format_of
from perf_assets.storage.warehouse import reading

PUBLISHED_AT = "SELECT value FROM meta.about WHERE topic = 'database' AND fact = 'published_at'"
WRITTEN = (*TEXTS, "message", "note")

Secrets = Literal["refuse", "remove", "keep"]


@dataclass(frozen=True)
class Options:
    """What is changed before an archive is written, and whom it names.

    is_pseudonymised : whether pseudonyms stand for people.
    has_texts : whether titles and bodies are in it.
    secrets : what becomes of tokens and keys that people pasted into texts.
    authors : who is to be cited for it.
    """

    is_pseudonymised: bool = False
    has_texts: bool = True
    secrets: Secrets = "refuse"
    authors: tuple[str, ...] = ()


class SecretsFoundError(PerfAssetsError):
    """Texts have secrets in them, and nobody said what is to become of these."""

    def __init__(self, found: pl.DataFrame) -> None:
        """Keep the rows that :func:`find_secrets` gave."""
        self.found = found
        super().__init__(
            f"{found['count'].sum()} secrets are in the texts, which the archive would publish; "
            "nothing was written: say --secrets remove or, where they are none, --secrets keep"
        )


def study_of(data_dir: DataDirectory, source: str | None) -> Study | None:
    """Return the study at ``source``, by default the packaged one by which ``data_dir`` was made.

    None where nothing was mined.

    Raises
    ------
    PerfAssetsError
        It is not a packaged one; or as of :func:`perf_assets.config.study.load_study`.
    """
    if source is not None:
        return open_study(source, data_dir)
    if not data_dir.published.exists():
        raise PerfAssetsError(f"{data_dir.published} is not there yet: perf-assets run makes it")
    with reading(data_dir.published) as connection:
        found = connection.execute(STUDY_NAME).fetchall()
    if not found:
        return None
    ((name,),) = found
    if not is_packaged(name):
        raise PerfAssetsError(
            f"{data_dir.path} was made by the study {name}, which does not come with perf-assets: "
            "name its file with --study"
        )
    return open_study(name, data_dir)


@dataclass(frozen=True)
class Prepared:
    """What an archive is made from.

    source : the published database, verdicts, the model and what was added, as they go into it.
    copy : the study as it goes into it.
    published_at : as the database says it.
    ordinary : logins that are words of the texts too, and stay in these.
    secrets : those found in what goes into it, without their values.
    removed_secrets : how many of them were taken out.
    """

    source: DataDirectory
    copy: StudyCopy
    published_at: str
    ordinary: tuple[str, ...]
    secrets: pl.DataFrame
    removed_secrets: int = 0


def prepare(data_dir: DataDirectory, study: Study | None, options: Options, work: Path) -> Prepared:
    """Copy what is published in ``data_dir`` to the folder ``work``, changed as ``options`` say.

    Raises
    ------
    PerfAssetsError
        Nothing is published, it was made by another study, or texts have secrets.
    AuditError
        What follows from changed rows failed its audit.
    """
    if not data_dir.published.exists():
        raise PerfAssetsError(f"{data_dir.published} is not there yet: perf-assets run makes it")
    source = _copied(data_dir, work / "source")
    people = None
    with duckdb.connect(str(source.published), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        _check_database(data_dir, connection, study)
        ((published_at,),) = connection.execute(PUBLISHED_AT).fetchall()
        copy = StudyCopy() if study is None else copy_study(study, data_dir)
        with phase("looking for secrets"):
            secrets = _secrets_in(connection, has_texts=options.has_texts)
        if secrets.height and options.secrets == "refuse":
            raise SecretsFoundError(secrets)
        if options.is_pseudonymised:
            with phase("finding whom texts name"):
                known = known_people(connection, study or no_study())
            people = Pseudonyms(pseudonym_key(data_dir), known)
    removed = int(secrets["count"].sum()) if options.secrets == "remove" else 0
    if people is not None or removed:
        change = _change_of(people, removes=removed > 0)
        source, copy = _changed_source(source, study, copy, work, change, people)
    ordinary = () if people is None else tuple(sorted(people.known.ordinary))
    return Prepared(source, copy, published_at, ordinary, secrets, removed)


def _copied(data_dir: DataDirectory, folder: Path) -> DataDirectory:
    copy = DataDirectory(folder)
    folder.mkdir()
    for name in ("published", "verdicts", "model", "added"):
        given: Path = getattr(data_dir, name)
        if given.exists():
            shutil.copyfile(given, getattr(copy, name))
    version = format_of(copy.published)
    if version != WAREHOUSE_FORMAT:
        raise PerfAssetsError(
            f"{data_dir.published} was published by another version of perf-assets (format "
            f"{version}; this one makes {WAREHOUSE_FORMAT}): perf-assets run publishes it anew"
        )
    admit(copy.published)
    return copy


def _check_database(
    data_dir: DataDirectory, connection: duckdb.DuckDBPyConnection, study: Study | None
) -> None:
    """Refuse a database whose rows lie in a lake, or that was made by another study."""
    if lake_rows(connection):
        raise PerfAssetsError(
            f"{data_dir.published}: the rows of its issues and commits lie in a lake, so that "
            "nobody could check an archive of it: perf-assets lake pull brings them into a data "
            "directory"
        )
    if study is None:
        return
    for fact, *_ in other_facts(connection, study):
        raise PerfAssetsError(
            f"{data_dir.published} was made by another study than {study.path} ({fact}): name "
            "the one it was made by with --study, or run perf-assets run with this one first"
        )


def _secrets_in(connection: duckdb.DuckDBPyConnection, *, has_texts: bool = True) -> pl.DataFrame:
    """Return the secrets in texts that are not left out, without their values."""
    columns: dict[str, list[str]] = {}
    for column in text_columns(connection):
        if column.name in WRITTEN and (has_texts or not is_text(column.table, column.name)):
            columns.setdefault(column.table, []).append(column.name)
    found = [FOUND.to_frame()]
    for table, names in columns.items():
        key = table_of(table).key
        chosen = ", ".join(map(quoted_name, dict.fromkeys((*key, *names))))
        rows = frame_of(connection.sql(f"SELECT {chosen} FROM {table}"))
        found.append(find_secrets(table, rows, key))
    return pl.concat(found)


def _change_of(people: Pseudonyms | None, *, removes: bool) -> Change:
    """Return how values change; secrets go first, as a pseudonym would hide where one is."""

    def change(column: str, values: pl.Series) -> pl.Series:
        if removes and column in WRITTEN:
            values = remove_secrets(values.to_frame(column), [column])[column]
        return values if people is None else people.values(column, values)

    return change


def _changed_source(
    source: DataDirectory,
    study: Study | None,
    copy: StudyCopy,
    work: Path,
    change: Change,
    people: Pseudonyms | None,
) -> tuple[DataDirectory, StudyCopy]:
    """Return a data directory in ``work``, and the study's copy, after ``change``."""
    folder = work / "changed"
    folder.mkdir()
    if people is not None:
        # Pseudonyms, by another key, stand for the hashes.
        with duckdb.connect(str(source.published)) as connection:
            connection.execute(f"DELETE FROM {ABOUT} WHERE fact = '{ADDRESS_KEY}'")
    changed, failures = changed_copy(source, study or no_study(), folder, change)
    if failures:
        raise AuditError("; ".join(failures))
    if people is None:
        if source.added.exists():
            shutil.copyfile(source.added, changed.added)
        return changed, copy
    # Words of a model may be names, and so may what a study says of people.
    changed.model.unlink(missing_ok=True)
    files = dict(copy.files)
    if STUDY in files:
        text = with_people(files[STUDY], lambda account: people.value("account", account))
        files[STUDY] = people.text(text.decode()).encode()
    return changed, replace(copy, files=files)
