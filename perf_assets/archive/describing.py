"""What an archive is to say of itself, read from the database in it."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from mimetypes import guess_type
from pathlib import PurePosixPath

import duckdb

from perf_assets.archive.description import ArchivedFile, ArchivedTable, Description, Source
from perf_assets.archive.manifest import (
    ADDED,
    CODEBOOKS,
    DATABASE,
    DICTIONARY,
    LOCK,
    MANIFEST,
    MODEL,
    REPORT,
    REPORT_PAGE,
    RULES,
    STUDY,
    TABLES,
    VERDICTS,
    Manifest,
)
from perf_assets.archive.software import WHEEL
from perf_assets.config.study import Study
from perf_assets.schema import declared, table_of

MEANINGS = {
    DATABASE: "All tables and views as one DuckDB database",
    REPORT: "The report in plain text",
    REPORT_PAGE: "The report to look at",
    DICTIONARY: "What tables and columns mean, and what each is made from",
    STUDY: "What is studied, and by which rules",
    MODEL: "The model of performance reports that was trained for this study",
    ADDED: "Repositories that were added without the study file",
    VERDICTS: "What people judged, a line for each import",
    WHEEL: "The perf-assets that made this archive",
    LOCK: "The versions of all that was installed with it",
    MANIFEST: "How this archive was made",
}
FOLDERS = {
    RULES: "A rule by which tables were audited, computed or asked",
    CODEBOOKS: "What raters judged by",
    "study": "A file that the study names",
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


def describe(
    connection: duckdb.DuckDBPyConnection,
    study: Study,
    manifest: Manifest,
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
        ArchivedTable(table_of(name), by_path[f"{TABLES}/{name}.parquet"], rows)
        for name, rows in sorted(manifest.rows.items())
        if name in declared()
    ]
    ((has_replication,),) = connection.execute(REPLICATED).fetchall()
    return Description(
        study=manifest.study,
        version=manifest.perf_assets,
        published_at=moment(manifest.published_at),
        sources=tuple(_sources(connection, study)),
        files=tuple(every),
        tables=tuple(tables),
        has_replication=bool(has_replication),
        is_pseudonymised=manifest.is_pseudonymised,
        has_texts=manifest.texts == "all",
        authors=authors,
        removed_secrets=removed_secrets,
    )


def moment(text: str) -> datetime:
    """Return the moment that meta.about has as text."""
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC)


def media_type(path: str) -> str:
    """Return what kind of file ``path`` is, as the registry of media types calls it."""
    suffix = PurePosixPath(path).suffix
    return TYPES.get(suffix) or guess_type(path)[0] or "text/plain"


def meaning(path: str) -> str:
    """Return what the file at ``path`` is."""
    if path.startswith(f"{TABLES}/"):
        name = PurePosixPath(path).stem
        return declared()[name].description if name in declared() else f"The table {name}"
    return MEANINGS.get(path) or FOLDERS.get(path.partition("/")[0], path)


def _sources(connection: duckdb.DuckDBPyConnection, study: Study) -> Iterable[Source]:
    read = {name: rest for name, *rest in connection.execute(READ).fetchall()}
    newest = dict(connection.execute(NEWEST).fetchall())
    for repository in study.repositories:
        first, last, when = read.get(repository.name, (None, None, None))
        url = f"https://github.com/{repository.name}"
        yield Source(repository.name, url, first, last, when, newest.get(repository.name))
    for tag_set in study.tag_sets:
        first, last, when = read.get(tag_set.name, (None, None, None))
        url = f"https://{study.forum_of(tag_set).domain}"
        yield Source(tag_set.name, url, first, last, when, None)
