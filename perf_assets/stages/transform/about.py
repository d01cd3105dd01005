"""What the published database says of itself: meta.about, anew whenever one is published."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version

import polars as pl

from perf_assets import __version__
from perf_assets.config.study import Study
from perf_assets.schema import table_of
from perf_assets.schema.models.files import views_over
from perf_assets.storage.address_key import existing_key, fingerprint
from perf_assets.storage.audit.records import RESULTS
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.database_copy import STORAGE_VERSION, row_counts
from perf_assets.storage.lake_rows import IN_LAKE, MEANING
from perf_assets.storage.migrations import FORMAT
from perf_assets.storage.publishing import ABOUT, ADDRESS_KEY
from perf_assets.storage.warehouse import Difference

STUDY = f"SELECT fact, value FROM {ABOUT} WHERE topic = 'study'"
OLDEST_CLIENT = "1.1"  # reads what STORAGE_VERSION names
SOURCES = """
SELECT
    repository || CASE "table" WHEN 'raw.issues' THEN ' issues' ELSE ' commits' END AS fact,
    min(month) || ' to ' || max(month) || ', ' || count(*) || ' months' AS value,
    CASE "table" WHEN 'raw.issues' THEN 'Months of its issues that are loaded, from GitHub.'
    ELSE 'Months of its commits that are loaded, from git.' END AS meaning
FROM meta.partition_loads
WHERE is_stored AND "table" IN ('raw.issues', 'raw.commits')
GROUP BY repository, "table"
UNION ALL
SELECT
    repository || ' last look', strftime(max(started_at), '%Y-%m-%d %H:%M:%S UTC'),
    'When GitHub was last asked what changed; a look that finds nothing publishes nothing.'
FROM meta.source_requests
GROUP BY repository
UNION ALL
SELECT 'published package', count(*) || ' bug reports', 'The paper''s published data are loaded.'
FROM replication.bugs
HAVING count(*) > 0
UNION ALL
SELECT
    'published problems',
    count(*) || ' problems of ' || count(DISTINCT question_id) || ' questions',
    'The published performance problems of users are loaded.'
FROM replication.problems
HAVING count(*) > 0
ORDER BY fact
"""

Fact = tuple[str, str, str, str]


def store_study(writer: AuditedWriter, study: Study) -> None:
    """Note the study and the rules that it is decided by."""
    _store(writer, ("study", "rules"), study_facts(study))


def study_facts(study: Study) -> list[Fact]:
    """Return the facts of meta.about on the study and its rules."""
    rules = study.rules
    return [
        ("study", "name", study.name, "Name of the study."),
        (
            "study",
            "repositories",
            _listed(repository.name for repository in study.repositories),
            "The repositories that are mined.",
        ),
        (
            "study",
            "aliases",
            _listed(
                f"{repository.name}: {alias}"
                for repository in study.repositories
                for alias in repository.aliases
            ),
            "Former names of the repositories; references to them count too.",
        ),
        (
            "study",
            "checked",
            _listed(repository.name for repository in study.repositories if repository.checks),
            "The repositories whose trees go through the static checks.",
        ),
        *_lake_of(study),
        (
            "study",
            "analyze_fixes",
            str(study.analyze_fixes).lower(),
            "Whether fixes are analysed: methods, languages, who introduced the bug.",
        ),
        (
            "rules",
            "performance_labels",
            _listed(rules.performance_labels),
            "A label that contains one of these marks a performance bug.",
        ),
        (
            "rules",
            "non_bug_labels",
            _listed(rules.non_bug_labels),
            "A label that contains one of these marks an issue as not a bug report.",
        ),
        *_own_labels(study),
        (
            "rules",
            "keywords",
            _listed(rules.keywords),
            "One of these in title or body marks a performance bug.",
        ),
        (
            "rules",
            "strong_keywords",
            _listed(rules.strong_keywords),
            "A match of one of these is strong evidence in title and body.",
        ),
        (
            "rules",
            "weak_keywords",
            _listed(rules.weak_keywords),
            "A match of these alone is weak evidence in the body and moderate in the title.",
        ),
        (
            "rules",
            "widened_keywords",
            _listed(rules.widened_keywords),
            "Words of titles for the sensitivity analysis; they do not count as keywords.",
        ),
        (
            "rules",
            "count_approaches",
            _listed(study.count_approaches),
            "A link found by one of these counts as a fix.",
        ),
    ]


def _own_labels(study: Study) -> Iterator[Fact]:
    """Yield the labels of repositories that have some in place of the study's."""
    for key in ("performance_labels", "non_bug_labels"):
        for repository in study.repositories:
            entries = getattr(repository, key)
            if entries is not None:
                fact = f"{key} of {repository.name}"
                yield ("rules", fact, _listed(entries), "The same, in this repository.")


def _lake_of(study: Study) -> Iterator[Fact]:
    if study.lake is not None:
        meaning = "The lake to which workers ship mined rows."
        yield ("study", "lake", study.lake.url, meaning)
        yield (
            "study",
            "engine",
            study.lake.engine,
            "The engine that computes the models: duckdb in this database, or spark, which "
            "leaves the rows of issues and commits in the lake.",
        )


def store_database_facts(writer: AuditedWriter) -> None:
    """Store the facts of the database to publish: time, software, sources, and rows of tables."""
    moment = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S UTC}"
    facts: list[Fact] = [
        ("database", "published_at", moment, "When it was published."),
        (
            "database",
            "format",
            str(FORMAT),
            "Shape of the stored tables, as in meta.schema_version.",
        ),
        ("database", "storage_version", STORAGE_VERSION, "DuckDB's version of the file's format."),
        (
            "database",
            "oldest_client",
            f"DuckDB {OLDEST_CLIENT}",
            "Oldest DuckDB that can open this file; later ones can too.",
        ),
        *_address_key(writer),
        ("software", "perf-assets", __version__, "The version that wrote this file."),
        *(
            ("software", name, version(name), "A library that computed the content.")
            for name in ("duckdb", "polars", "scipy")
        ),
        *(("sources", *row) for row in writer.database.frame(SOURCES).iter_rows()),
        *_rows(writer),
    ]
    _store(writer, ("database", "software", "sources", "rows"), facts)


def _address_key(writer: AuditedWriter) -> Iterator[Fact]:
    """Yield the fingerprint of the address key, if the data directory has a key."""
    if (key := existing_key(writer.data_dir)) is not None:
        meaning = (
            "Fingerprint of the key by which addresses of commits are hashed; hashes of databases "
            "with other fingerprints cannot be compared."
        )
        yield "database", ADDRESS_KEY, fingerprint(key), meaning


def _rows(writer: AuditedWriter) -> Iterator[Fact]:
    connection = writer.database.connection
    counts = row_counts(connection)
    rows = {table: count for table, count in counts.items() if not table.startswith("meta.")}
    lake, far = _far_from_here(writer)
    # Where somebody pulled a repository, its rows are here.
    left_out = [] if any(rows.get(table) for table in far) else [*far, *views_over(far)]
    for table in left_out:
        yield "rows", table, f"{IN_LAKE}{lake}", MEANING
    for table in rows.keys() - set(left_out):
        yield "rows", table, str(rows[table]), "Rows of this table."


def _far_from_here(writer: AuditedWriter) -> tuple[str, list[str]]:
    """Return the lake, and the tables that Spark reads there; none where DuckDB computes."""
    writer.database.ensure(ABOUT)
    study = dict(writer.database.frame(STUDY).iter_rows())
    if study.get("engine") != "spark":
        return "", []
    from perf_assets.lake.tables import tables_of_repositories  # noqa: PLC0415

    return study["lake"], tables_of_repositories()


def _store(writer: AuditedWriter, topics: Sequence[str], facts: Sequence[Fact]) -> None:
    """Make ``facts`` those of their ``topics``."""
    database = writer.database
    for name in (ABOUT, RESULTS):
        database.ensure(name)
    current = pl.DataFrame(facts, schema=table_of(ABOUT).frame_schema, orient="row")
    stored = database.frame(f"FROM {ABOUT} WHERE list_contains(?, topic)", [list(topics)])
    with database.transaction():
        database.change(ABOUT, Difference.between(stored, current))


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words) or "none"
