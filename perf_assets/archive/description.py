"""What an archive holds, as its metadata say it."""

from dataclasses import dataclass
from datetime import datetime

from perf_assets.schema import Table


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
