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

RULES = {
    "performance_labels": "A label that contains one of these marks a performance bug.",
    "non_bug_labels": "A label that contains one of these marks an issue as not a bug report.",
    "keywords": "One of these in title or body marks a performance bug.",
    "strong_keywords": "A match of one of these is strong evidence in title and body.",
    "weak_keywords": "A match of these alone is weak evidence in the body and moderate in the "
    "title.",
    "widened_keywords": "Words of titles for the sensitivity analysis; they do not count as "
    "keywords.",
}
"""The rules of a study, and what each means."""
FURTHER_NAMES = "Former names of the repositories; references to them count too."
ENGINE = (
    "The engine that computes the models: duckdb in this database, or spark, which leaves the rows "
    "of issues and commits in the lake."
)
KEY = (
    "Fingerprint of the key by which addresses of commits are hashed; hashes of databases with "
    "other fingerprints cannot be compared."
)


def store_study(writer: AuditedWriter, study: Study) -> None:
    """Note the study and the rules that it is decided by."""
    _store(writer, ("study", "rules"), list(study_facts(study)))


def note_study(writer: AuditedWriter, study: Study) -> None:
    """Note the study before the first of its rows is mined; no-op if one is noted already."""
    writer.database.ensure(ABOUT)
    if writer.database.frame(STUDY).is_empty():
        store_study(writer, study)


def study_facts(study: Study) -> Iterator[Fact]:
    """Yield the facts of meta.about on the study and its rules."""
    repositories = study.repositories
    names = _listed(repository.name for repository in repositories)
    checked = _listed(repository.name for repository in repositories if repository.checks)
    aliases = _listed(
        f"{repository.name}: {alias}" for repository in repositories for alias in repository.aliases
    )
    analysed = "Whether fixes are analysed: methods, languages, who introduced the bug."
    yield "study", "name", study.name, "Name of the study."
    yield "study", "repositories", names, "The repositories that are mined."
    yield "study", "aliases", aliases, FURTHER_NAMES
    yield "study", "checked", checked, "The repositories whose trees go through the static checks."
    if study.lake is not None:
        yield "study", "lake", study.lake.url, "The lake to which workers ship mined rows."
        yield "study", "engine", study.lake.engine, ENGINE
    yield "study", "analyze_fixes", str(study.analyze_fixes).lower(), analysed
    yield "rules", "rule_set", study.rule_sentence, "By which words issues are labelled."
    for key, meaning in RULES.items():
        yield "rules", key, _listed(getattr(study.rules, key)), meaning
    counted = "A link found by one of these counts as a fix."
    yield "rules", "count_approaches", _listed(study.count_approaches), counted
    # Some repositories have labels of their own in place of the study's.
    for key in ("performance_labels", "non_bug_labels"):
        for repository in repositories:
            if (entries := getattr(repository, key)) is not None:
                fact = f"{key} of {repository.name}"
                yield "rules", fact, _listed(entries), "The same, in this repository."


def store_database_facts(writer: AuditedWriter) -> None:
    """Store the facts of the database to publish: time, software, sources, and rows of tables."""
    topics = ("database", "software", "sources", "rows")
    _store(writer, topics, list(_database_facts(writer)))


def _database_facts(writer: AuditedWriter) -> Iterator[Fact]:
    moment = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S UTC}"
    shape = "Shape of the stored tables, as in meta.schema_version."
    client = "Oldest DuckDB that can open this file; later ones can too."
    yield "database", "published_at", moment, "When it was published."
    yield "database", "format", str(FORMAT), shape
    yield "database", "storage_version", STORAGE_VERSION, "DuckDB's version of the file's format."
    yield "database", "oldest_client", f"DuckDB {OLDEST_CLIENT}", client
    if (key := existing_key(writer.data_dir)) is not None:
        yield "database", ADDRESS_KEY, fingerprint(key), KEY
    yield "software", "perf-assets", __version__, "The version that wrote this file."
    for name in ("duckdb", "polars", "scipy"):
        yield "software", name, version(name), "A library that computed the content."
    for fact, value, meaning in writer.database.frame(SOURCES).iter_rows():
        yield "sources", fact, value, meaning
    counts = row_counts(writer.database.connection)
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
