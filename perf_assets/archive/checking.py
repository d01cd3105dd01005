"""Checking an archive: what it says, computed again from its raw tables alone."""

import re
import shutil
from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import polars as pl

from perf_assets import __version__
from perf_assets.archive.differences import TableDifference, difference
from perf_assets.archive.findings import Check
from perf_assets.archive.given import (
    compare_given,
    missing_files,
    parquet_file,
    reading_database,
)
from perf_assets.archive.manifest import (
    CODEBOOKS,
    DATABASE,
    LOCK,
    MODEL,
    REPORT,
    REPORT_PAGE,
    RULES,
    STUDY,
    TABLES,
    Manifest,
    copy_kept,
)
from perf_assets.archive.opening import damaged_files, readable, unpacked
from perf_assets.archive.recomputing import (
    FIX_AREAS,
    made_from_texts,
    needs_history,
    recompute,
    recomputed_tables,
)
from perf_assets.archive.software import lock_text, rule_files, rule_versions
from perf_assets.archive.study_copy import no_study, read_copy
from perf_assets.config.study import Study
from perf_assets.processes.progress import phase
from perf_assets.reports.monthly import keep_report
from perf_assets.storage.data_directory import DataDirectory
from perf_assets.storage.fingerprints import LIBRARIES
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse
from perf_assets.tables import declared

PROBABILITIES = "labels.performance_probabilities"
NEEDS = {
    "raw": "read at the source: only its checksum is checked",
    "details": "made from git histories, which are not in it: only its checksum is checked",
    "meta": "noted when the rest was read and computed: only its checksum is checked",
    "reviews": "judged by people: held against the log of verdicts",
    "replication": "published by the papers' authors: only its checksum is checked",
}
DEFINITIONS = """
    SELECT schema_name || '.' || view_name, sql FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal
    UNION ALL
    SELECT schema_name || '.' || function_name,
        string_agg(macro_definition, ';' ORDER BY macro_definition)
    FROM duckdb_functions() WHERE database_name = current_database() AND NOT internal GROUP BY ALL
"""
WITHOUT_TEXTS = "made from titles and bodies, which were left out"


def check_archive(path: Path) -> Check:
    """Compute again what follows from the raw tables of the archive at ``path``, and compare.

    Nothing of it needs a network, and nothing is written but in a temporary folder.

    Raises
    ------
    PerfAssetsError
        It is no archive, damaged beyond reading, of a newer version, or there is no room for it.
    """
    with (
        unpacked(path) as (content, manifest),
        readable(path, content),
        phase(f"checking {path.name}"),
    ):
        check = Check(manifest)
        with phase("comparing checksums"):
            faults = damaged_files(content, str(path))
        for fault in faults:
            check.add(fault.split(" is ")[0], "differs", fault)
        if not faults:
            check.add("checksums of all files", "equal")
            faults = missing_files(content, manifest)
            for name in faults:
                check.add(name, "differs", f"{name} is missing")
        if faults:
            check.notes.append(
                "Nothing was computed again, as the archive is not what was written: take another "
                "copy."
            )
            return check
        _compare_software(content, check)
        study = read_copy(content) if (content / STUDY).exists() else no_study()
        compare_given(content, study, check)
        if any(fault.endswith("cannot be read") for one in check.findings for fault in one.details):
            check.notes.append("Nothing was computed again, as not all tables can be read.")
            return check
        with TemporaryDirectory(dir=content.parent) as temporary:
            home = _home(content, Path(temporary))
            kept = _kept(content, study, manifest, check)
            failures = recompute(home, study, kept, has_texts=manifest.texts == "all")
            publish(home)
            for failure in failures:
                check.add("audit", "differs", failure)
            _compare_recomputed(content, home, kept, check)
            with phase("comparing the report"):
                _compare_report(content, home, check)
        return check


def _compare_software(content: Path, check: Check) -> None:
    """Rules and versions of the archive against those that are installed here."""
    manifest = check.manifest
    if manifest.perf_assets != __version__:
        check.notes.append(
            f"It was made by perf-assets {manifest.perf_assets}, and is checked by {__version__}: "
            "to check it by that version, install the wheel and the lock in its folder software "
            "into an empty environment; --explain says what changed since."
        )
    there = rule_files()
    names = {
        path.relative_to(content).as_posix()
        for folder in (RULES, CODEBOOKS)
        for path in (content / folder).rglob("*")
        if path.is_file()
    }
    changed = [
        name
        for name in sorted(names | there.keys())
        if name not in names or name not in there or (content / name).read_bytes() != there[name]
    ]
    if not changed:
        check.add("rules", "equal")
    elif manifest.rules.get("code") == rule_versions()["code"]:
        check.add("rules", "differs", *(f"{name} is not that of this version" for name in changed))
    else:
        check.notes.append(f"{len(changed)} files of rules are others in this version.")
    libraries = _libraries((content / LOCK).read_text(encoding="utf-8"))
    here = _libraries(lock_text())
    others = [
        f"{name} {libraries[name]} (here {here.get(name, 'none')})"
        for name in LIBRARIES
        if name in libraries and libraries[name] != here.get(name)
    ]
    if others:
        check.notes.append(f"It was made with {', '.join(others)}.")


def _libraries(lock: str) -> dict[str, str]:
    lines = (line.partition("==") for line in lock.splitlines() if "==" in line)
    return {name: version for name, _, version in lines}


def _home(content: Path, folder: Path) -> DataDirectory:
    """A data directory of what the archive holds."""
    home = DataDirectory(folder)
    shutil.copyfile(content / DATABASE, home.warehouse)
    copy_kept(content, home)
    with open_warehouse(home.warehouse):  # an older format is migrated
        pass
    return home


def _kept(content: Path, study: Study, manifest: Manifest, check: Check) -> dict[str, pl.DataFrame]:
    """The rows that cannot be made anew here, and are taken as they are."""
    kept = {}
    if owned := [one.name for one in study.repositories if needs_history(one)]:
        kept[FIX_AREAS] = "its CODEOWNERS need the git history of " + ", ".join(owned)
    if manifest.is_pseudonymised and not (content / MODEL).exists():
        with duckdb.connect(str(content / DATABASE), read_only=True) as connection:
            versions = connection.execute(
                f"SELECT DISTINCT model_version FROM {PROBABILITIES}"
            ).fetchall()
        from perf_assets.config.classifier import model_of  # noqa: PLC0415

        if {version for (version,) in versions} - {model_of().version}:
            kept[PROBABILITIES] = "the model that was trained for it is left out, with its words"
    for table, reason in kept.items():
        check.add(table, "not recomputed", reason)
    return {table: pl.read_parquet(content / TABLES / f"{table}.parquet") for table in kept}


def _compare_recomputed(
    content: Path, home: DataDirectory, kept: Collection[str], check: Check
) -> None:
    has_texts = check.manifest.texts == "all"
    made = recomputed_tables(has_texts=has_texts)
    needs_texts = frozenset[str]() if has_texts else made_from_texts()
    _compare_views(content, home, check)
    files = {path.stem for path in (content / TABLES).glob("*.parquet")}
    stored = {name for name in made if not declared()[name].is_view}
    # What the manifest lists and the folder lacks was named when the files were looked through.
    for name in sorted(stored - files - check.manifest.rows.keys()):
        if check.manifest.perf_assets == __version__:
            check.add(name, "differs", f"{TABLES}/{name}.parquet is missing")
    with reading_database(home.published) as connection, phase("comparing tables"):
        for name in sorted(files):
            if name in kept:
                continue
            if name not in made:
                reason = NEEDS.get(name.partition(".")[0], WITHOUT_TEXTS)
                check.add(name, "not recomputed", reason)
                continue
            if name not in declared():
                check.add(name, "not recomputed", "this version of perf-assets has no such table")
                continue
            found = difference(connection, declared()[name], parquet_file(content, name), name)
            _add(check, found, is_of_texts=name in needs_texts)


def _compare_views(content: Path, home: DataDirectory, check: Check) -> None:
    """What views and macros of the database do, which no checksum of a table tells."""
    archived, again = (_definitions(one) for one in (content / DATABASE, home.published))
    names = sorted(archived.keys() | again.keys())
    changed = [name for name in names if archived.get(name) != again.get(name)]
    if not changed:
        check.add("views and macros", "equal")
    elif check.manifest.rules.get("code") == rule_versions()["code"]:
        faults = (f"{name} is not that of this version" for name in changed)
        check.add("views and macros", "differs", *faults)
    else:
        check.notes.append(f"{len(changed)} views and macros are others in this version.")


def _definitions(database: Path) -> dict[str, str]:
    with reading_database(database) as connection:
        return dict(connection.execute(DEFINITIONS).fetchall())


def _add(check: Check, found: TableDifference, *, is_of_texts: bool) -> None:
    table = declared()[found.table]
    if is_of_texts and not found.is_equal:
        check.add(found.table, "not recomputed", WITHOUT_TEXTS)
        return
    if found.is_equal:
        rounded = [f"{found.rounded} rows differ in last digits alone"] if found.rounded else []
        check.add(found.table, "equal", f"{found.rows:,} rows", *rounded)
        return
    check.tables.append(found.table)
    check.add(
        found.table,
        "differs",
        f"{found.count:,} of {found.rows:,} rows differ (first: the archive; second: recomputed)",
        *(one.sentence(table) for one in found.examples),
    )


def _compare_report(content: Path, home: DataDirectory, check: Check) -> None:
    keep_report(home)
    archived = _figures((content / REPORT).read_text(encoding="utf-8"))
    again = _figures(home.report.read_text(encoding="utf-8"))
    for name in dict.fromkeys([*archived, *again]):
        if archived.get(name) == again.get(name):
            check.add(f"report: {name}", "equal")
        elif check.manifest.texts == "none":
            check.add(f"report: {name}", "not recomputed", WITHOUT_TEXTS)
        else:
            check.add(f"report: {name}", "differs")
    is_same = (content / REPORT_PAGE).read_bytes() == home.report_page.read_bytes()
    if is_same:
        check.add(REPORT_PAGE, "equal")
    else:
        reason = "its drawings are others here; its figures are above"
        has_texts = check.manifest.texts == "all"
        check.add(REPORT_PAGE, "not recomputed", reason if has_texts else WITHOUT_TEXTS)


def _figures(report: str) -> dict[str, str]:
    """The parts of a report in Markdown by their headings."""
    found: dict[str, str] = {}
    heading, section = "head", ""
    for line in report.splitlines():
        if match := re.match(r"(#+) (.*)", line):
            section = match[2] if len(match[1]) == 2 else section
            heading = match[2] if len(match[1]) <= 2 else f"{section}: {match[2]}"
        found[heading] = found.get(heading, "") + line + "\n"
    return found
