"""What the files of metadata say alike: title, version, period, and what an archive has."""

import json
from datetime import UTC, datetime
from urllib.parse import quote

import polars as pl

from perf_assets.archive.description import Description, Source
from perf_assets.schema import Column
from perf_assets.schema.types import polars_type

LICENCES = "LICENSES.md"
READ_ME = "README.md"
CITATION = "CITATION.cff"
KEYWORDS = (
    *("performance bugs", "deep learning frameworks", "mining software repositories"),
    *("empirical software engineering", "replication"),
)
FOLDERS = {
    "tables": "The tables, a Parquet file each.",
    "report": "The report as a page that opens offline.",
    "study": "The study file, and the files that it names: what was mined, and by which rules.",
    "codebooks": "By which questions and categories people judged.",
    "rules": "The SQL models, the rules of the audits, and the queries of the cookbook.",
    "software": "perf-assets as it was, and the versions and sums of all that it needs.",
}
"""What the folders of an archive have."""
FILES = {
    "perf_bugs.duckdb": "The same tables as one database, for DuckDB from version 1.1 on.",
    "report.md": "The results in words and numbers.",
    "dictionary.html": "What every table and column means.",
    "verdicts.jsonl": "What people decided, line by line.",
    "archive.json": "What this archive is, for perf-assets.",
    "manifest-sha256.txt": "The checksum of each file, for `sha256sum --check`.",
}
"""What the files beside them are."""


def as_json(content: object) -> str:
    """``content`` as JSON that people can read, and that is the same whenever it is written."""
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def folder_of(path: str) -> str | None:
    """Return the folder at the top of the archive that ``path`` is in; None of a file beside
    them.
    """
    folder, separator, _ = path.partition("/")
    return folder if separator else None


def title(description: Description) -> str:
    """Return what the archive is called."""
    return f"{description.study}: performance bugs and their fixes, month by month"


def abstract(description: Description) -> str:
    """Return what the archive is, in two sentences."""
    texts = "texts, " if description.has_texts else ""
    return (
        f"Issues, commits and questions of {len(description.sources):,} sources, mined by "
        f"perf-assets {description.version}: {texts}labels of performance bugs, links to the "
        "commits that fixed them, and statistics by month. It holds the tables, the rules by which "
        "they were made, and the software that checks them and makes them again."
    )


def version(description: Description) -> str:
    """Return the day of publication, as programs that want a version of three numbers take it."""
    day = description.published_at.astimezone(UTC)
    return f"{day.year}.{day.month}.{day.day}"


def moment(time: datetime) -> str:
    """``time`` in UTC, to the second."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def published(description: Description) -> str:
    """Return the moment of publication, in UTC."""
    return moment(description.published_at)


def uri(url: str) -> str:
    """``url`` without characters that no URI has, as a space or a quotation mark."""
    return quote(url, safe=":/?#[]@!$&'()*+,;=%~")


def authors(description: Description) -> tuple[str, ...]:
    """Return who made the archive: by name, or as those of the study where it has no names."""
    return description.authors or (f"The authors of the study {description.study}",)


def period(description: Description) -> tuple[str, str] | None:
    """Return the first and the last month of all sources; None where no month is stored."""
    firsts = [source.first_month for source in description.sources if source.first_month]
    lasts = [source.last_month for source in description.sources if source.last_month]
    return (min(firsts), max(lasts)) if firsts and lasts else None


def months(source: Source) -> str:
    """Return the months of ``source`` in words."""
    if source.first_month is None or source.last_month is None:
        return "no month"
    return f"{source.first_month} to {source.last_month}"


def described(column: Column) -> str:
    """Return what ``column`` means, with its unit, and what a list is a list of."""
    kind = polars_type(column.type)
    if not isinstance(kind, pl.List):
        return column.comment
    if isinstance(kind.inner, pl.Struct):
        names = ", ".join(field.name for field in kind.inner.fields)
        return f"{column.comment} A list; each entry has {names}."
    return f"{column.comment} A list."


def has_rows(description: Description, *tables: str) -> bool:
    """Return whether one of ``tables`` has rows in the archive."""
    return any(table.rows and table.table.name in tables for table in description.tables)
