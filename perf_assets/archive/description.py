"""What an archive holds, as its metadata say it, read from the database in it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from mimetypes import guess_type
from pathlib import PurePosixPath
from urllib.parse import quote

import duckdb

from perf_assets.archive import manifest
from perf_assets.archive.software import WHEEL
from perf_assets.config.study import Study
from perf_assets.schema import Table, declared, table_of

MEANINGS = {
    manifest.DATABASE: "The same tables as one database, for DuckDB from version 1.1 on.",
    manifest.REPORT: "The results in words and numbers.",
    manifest.DICTIONARY: "What every table and column means.",
    manifest.VERDICTS: "What people decided, line by line.",
    manifest.MANIFEST: "What this archive is, for perf-assets.",
    manifest.SUMS: "The checksum of each file, for `sha256sum --check`.",
    manifest.REPORT_PAGE: "The report to look at.",
    manifest.STUDY: "What is studied, and by which rules.",
    manifest.MODEL: "The model of performance reports that was trained for this study.",
    manifest.ADDED: "Repositories that were added without the study file.",
    WHEEL: "The perf-assets that made this archive.",
    manifest.LOCK: "The versions of all that was installed with it.",
}
IN_FOLDERS = {
    manifest.RULES: "A rule by which tables were audited, computed or asked.",
    manifest.CODEBOOKS: "What raters judged by.",
    "study": "A file that the study names.",
}
TYPES = {
    ".parquet": "application/vnd.apache.parquet",
    ".duckdb": "application/vnd.duckdb",
    ".sql": "application/sql",
    ".yml": "application/yaml",
    ".toml": "application/toml",
    ".jsonl": "application/jsonl",
    ".whl": "application/zip",
    ".md": "text/markdown",
    ".gz": "application/gzip",
}
PUBLISHED_AT = "%Y-%m-%d %H:%M:%S UTC"  # as meta.about has it
READ = """
SELECT repository, min(month), max(month), max(loaded_at)
FROM meta.partition_loads
WHERE is_stored AND "table" IN ('raw.issues', 'raw.commits', 'raw.questions')
GROUP BY repository
"""
NEWEST = """
SELECT repository, arg_max(sha, (committed_at, sha)) FROM raw.commits GROUP BY repository
"""
REPLICATED = "SELECT EXISTS (FROM replication.bugs) OR EXISTS (FROM replication.problems)"


@dataclass(frozen=True)
class ArchivedFile:
    """A file of an archive.

    path : in the archive, with ``/`` between folders.
    size : in bytes.
    """

    path: str
    media_type: str
    description: str
    size: int
    sha256: str


@dataclass(frozen=True)
class ArchivedTable:
    """A table of an archive: its declaration, its Parquet file, and its number of rows."""

    table: Table
    file: ArchivedFile
    rows: int


@dataclass(frozen=True)
class Source:
    """What was mined: a repository or a tag set of a forum.

    url : where people read it.
    first_month, last_month : that are stored, YYYY-MM; None where none is.
    read_at : when it was last read; None where it was not.
    commit : the newest stored commit of the default branch; None of what has none.
    """

    name: str
    url: str
    first_month: str | None
    last_month: str | None
    read_at: datetime | None
    commit: str | None

    @property
    def uri(self) -> str:
        """Return the URL without characters that no URI has, as a space or a quotation mark."""
        return quote(self.url, safe=":/?#[]@!$&'()*+,;=%~")

    @property
    def months(self) -> str:
        """Return the months in words."""
        if self.first_month is None or self.last_month is None:
            return "no month"
        return f"{self.first_month} to {self.last_month}"


@dataclass(frozen=True)
class Description:
    """An archive as a whole.

    study : its name.
    version : of perf-assets that made it.
    published_at : when the database in it was published.
    files : all but the metadata, in the order of their paths.
    tables : those that are stored, in the order of their names.
    has_replication : whether published data of the papers are in it.
    authors : the names of those who made it; without any it is cited as the study's.
    removed_secrets : how many secrets were taken out of its texts.
    """

    study: str
    version: str
    published_at: datetime
    sources: tuple[Source, ...]
    files: tuple[ArchivedFile, ...]
    tables: tuple[ArchivedTable, ...]
    has_replication: bool
    is_pseudonymised: bool
    has_texts: bool
    authors: tuple[str, ...] = ()
    removed_secrets: int = 0

    @property
    def title(self) -> str:
        """Return what the archive is called."""
        return f"{self.study}: performance bugs and their fixes, month by month"

    @property
    def abstract(self) -> str:
        """Return what the archive is, in two sentences."""
        texts = "texts, " if self.has_texts else ""
        return (
            f"Issues, commits and questions of {len(self.sources):,} sources, mined by "
            f"perf-assets {self.version}: {texts}labels of performance bugs, links to the "
            "commits that fixed them, and statistics by month. It holds the tables, the rules by "
            "which they were made, and the software that checks them and makes them again."
        )

    @property
    def edition(self) -> str:
        """Return the day of publication, in the form of a version of three numbers."""
        day = self.published_at.astimezone(UTC)
        return f"{day.year}.{day.month}.{day.day}"

    @property
    def published(self) -> str:
        """Return the moment of publication, in UTC."""
        return in_utc(self.published_at)

    @property
    def makers(self) -> tuple[str, ...]:
        """Return the authors by name, or as those of the study where they have no names."""
        return self.authors or (f"The authors of the study {self.study}",)

    @property
    def period(self) -> tuple[str, str] | None:
        """Return the first and the last month of all sources; None where no month is stored."""
        firsts = [source.first_month for source in self.sources if source.first_month]
        lasts = [source.last_month for source in self.sources if source.last_month]
        return (min(firsts), max(lasts)) if firsts and lasts else None

    def has_rows(self, *tables: str) -> bool:
        """Return whether one of ``tables`` has rows in the archive."""
        return any(table.rows and table.table.name in tables for table in self.tables)


def in_utc(time: datetime) -> str:
    """Return ``time`` in UTC, to the second."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def describe(
    connection: duckdb.DuckDBPyConnection,
    study: Study,
    made: manifest.Manifest,
    files: Mapping[str, tuple[int, str]],
    *,
    authors: tuple[str, ...] = (),
    removed_secrets: int = 0,
) -> Description:
    """Return the description of an archive with these ``files``: size and SHA-256 by path."""
    every = [
        ArchivedFile(path, media_type(path), meaning(path), size, digest)
        for path, (size, digest) in sorted(files.items())
    ]
    by_path = {file.path: file for file in every}
    tables = [
        ArchivedTable(table_of(name), by_path[f"{manifest.TABLES}/{name}.parquet"], rows)
        for name, rows in sorted(made.rows.items())
        if name in declared()
    ]
    ((has_replication,),) = connection.execute(REPLICATED).fetchall()
    return Description(
        study=made.study,
        version=made.perf_assets,
        published_at=datetime.strptime(made.published_at, PUBLISHED_AT).replace(tzinfo=UTC),
        sources=tuple(_sources(connection, study)),
        files=tuple(every),
        tables=tuple(tables),
        has_replication=bool(has_replication),
        is_pseudonymised=made.is_pseudonymised,
        has_texts=made.texts == "all",
        authors=authors,
        removed_secrets=removed_secrets,
    )


def media_type(path: str) -> str:
    """Return what kind of file ``path`` is, as the registry of media types calls it."""
    suffix = PurePosixPath(path).suffix
    return TYPES.get(suffix) or guess_type(path)[0] or "text/plain"


def meaning(path: str) -> str:
    """Return what the file at ``path`` is."""
    if path.startswith(f"{manifest.TABLES}/"):
        name = PurePosixPath(path).stem
        return declared()[name].description if name in declared() else f"The table {name}"
    return MEANINGS.get(path) or IN_FOLDERS.get(path.partition("/")[0], path)


def _sources(connection: duckdb.DuckDBPyConnection, study: Study) -> Iterable[Source]:
    read = {name: rest for name, *rest in connection.execute(READ).fetchall()}
    newest = dict(connection.execute(NEWEST).fetchall())
    for repository in study.repositories:
        first, last, when = read.get(repository.name, (None, None, None))
        url = str(repository.kind.address("page", repository.name))
        yield Source(repository.name, url, first, last, when, newest.get(repository.name))
    for tag_set in study.tag_sets:
        first, last, when = read.get(tag_set.name, (None, None, None))
        url = study.forum_of(tag_set).address
        yield Source(tag_set.name, url, first, last, when, None)
