"""Checking an archive: what it says, computed again from its raw tables alone."""

import re
from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import polars as pl

from perf_assets import __version__
from perf_assets.archive.defined import code_warning, compare_definitions
from perf_assets.archive.differences import TableDifference, difference
from perf_assets.archive.findings import Check
from perf_assets.archive.given import (
    compare_bookkeeping,
    compare_database,
    lay_tables,
    missing_files,
    parquet_file,
)
from perf_assets.archive.manifest import (
    CODEBOOKS,
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
from perf_assets.archive.software import deciding_libraries, is_by_this_code, lock_text, rule_files
from perf_assets.archive.study_copy import no_study
from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import shortened
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, load_study
from perf_assets.reports.monthly import keep_report
from perf_assets.schema import declared
from perf_assets.schema.models.ddl import create_table
from perf_assets.storage.migrations import FORMAT as WAREHOUSE_FORMAT
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse, reading

PROBABILITIES = "labels.performance_probabilities"
NEEDS = {
    "raw": "read at the source: only its checksum is checked",
    "details": "made from git histories, which are not in it: only its checksum is checked",
    "meta": "noted when the rest was read and computed: only its checksum is checked",
    "reviews": "judged by people: held against the log of verdicts",
    "replication": "published by the papers' authors: only its checksum is checked",
}
LOCKED = re.compile(r"#.*|[a-z0-9-]+==[\w.+!]+")
WITHOUT_TEXTS = "made from titles and bodies, which were left out"


def check_archive(path: Path) -> Check:
    """Compute again what follows from the raw tables of the archive at ``path``, and compare.

    Nothing of it needs a network, and nothing is written but in a temporary folder.

    Raises
    ------
    PerfAssetsError
        It is not an archive, damaged beyond reading, of a newer version, or the disk is full.
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
        study = load_study(content / STUDY) if (content / STUDY).exists() else no_study()
        compare_definitions(content, compare_database(content, check), check)
        with TemporaryDirectory(dir=content.parent) as temporary:
            home = DataDirectory(Path(temporary))
            if not _laid(content, home, check):
                check.notes.append(
                    "Nothing was computed again, as a table that is needed is damaged."
                )
                return check
            copy_kept(content, home)
            with reading(home.warehouse) as connection:
                compare_bookkeeping(connection, content, study, check)
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
            f"It was made by perf-assets {manifest.perf_assets}, and is checked by {__version__}; "
            "--explain says what changed since. To check it by that version, install that release "
            f"into an empty environment, from where you had this one. {code_warning(content)}"
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
    elif is_by_this_code(manifest):
        check.add("rules", "differs", *(f"{name} is not that of this version" for name in changed))
    else:
        check.notes.append(f"These rules are others in this version: {', '.join(changed)}.")
    lock = (content / LOCK).read_text(encoding="utf-8")
    strange = [line for line in lock.splitlines() if LOCKED.fullmatch(line) is None]
    if strange:  # pip takes addresses and options there too
        faults = (f"{shortened(line, 100)!r} is not a version of a library" for line in strange)
        check.add(LOCK, "differs", *faults)
    libraries = _libraries(lock)
    here = _libraries(lock_text())
    others = [
        f"{name} {libraries[name]} (here {here.get(name, 'none')})"
        for name in deciding_libraries()
        if name in libraries and libraries[name] != here.get(name)
    ]
    if others:
        check.notes.append(f"It was made with {', '.join(others)}.")


def _libraries(lock: str) -> dict[str, str]:
    lines = (line.partition("==") for line in lock.splitlines() if "==" in line)
    return {name: version for name, _, version in lines}


def _laid(content: Path, home: DataDirectory, check: Check) -> bool:
    """Make the warehouse of ``home`` of the Parquet files; False where one is not as declared."""
    version = check.manifest.warehouse_format
    try:
        with phase("reading tables"):
            others = lay_tables(content, home, version, is_described=False)
    except duckdb.Error as error:
        check.add(f"{TABLES}/", "differs", str(error).splitlines()[0])
        return False
    if version != WAREHOUSE_FORMAT:
        return True  # tables of an older format got the shape of this one, or are empty
    again = recomputed_tables(has_texts=check.manifest.texts == "all")
    for name in others:
        check.add(name, "differs", "its columns, or conditions on its rows, are not met")
    with open_warehouse(home.warehouse) as database:
        for name in again.intersection(others):  # whatever it holds, it is made anew
            create_table(database.connection, declared()[name])
    return again.issuperset(others)


def _kept(content: Path, study: Study, manifest: Manifest, check: Check) -> dict[str, pl.DataFrame]:
    """Return the rows that cannot be made anew here, and are taken as they are."""
    kept = {}
    if owned := [repository.name for repository in study.repositories if needs_history(repository)]:
        kept[FIX_AREAS] = "its CODEOWNERS need the git history of " + ", ".join(owned)
    if manifest.is_pseudonymised and not (content / MODEL).exists():
        rows = pl.read_parquet(content / TABLES / f"{PROBABILITIES}.parquet")
        versions = set(rows["model_version"])
        from perf_assets.config.classifier import model_of  # noqa: PLC0415

        if versions - {model_of().version}:
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
    files = {path.stem for path in (content / TABLES).glob("*.parquet")}
    stored = {name for name in made if not declared()[name].is_view}
    # What the manifest lists and the folder lacks was named when the files were looked through.
    for name in sorted(stored - files - check.manifest.rows.keys()):
        if check.manifest.perf_assets == __version__:
            check.add(name, "differs", f"{TABLES}/{name}.parquet is missing")
    with reading(home.published) as connection, phase("comparing tables"):
        for name in sorted(files):
            if name in kept:
                continue
            if name not in declared() and is_by_this_code(check.manifest):
                check.add(name, "differs", "this version declares no such table")
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
        *(example.sentence(table) for example in found.examples),
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
    has_texts = check.manifest.texts == "all"
    is_by_these_libraries = (content / LOCK).read_text(encoding="utf-8") == lock_text()
    if (content / REPORT_PAGE).read_bytes() == home.report_page.read_bytes():
        check.add(REPORT_PAGE, "equal")
    elif has_texts and is_by_these_libraries and is_by_this_code(check.manifest):
        check.add(REPORT_PAGE, "differs")
    else:
        reason = "its drawings are others here; its figures are above"
        check.add(REPORT_PAGE, "not recomputed", reason if has_texts else WITHOUT_TEXTS)


def _figures(report: str) -> dict[str, str]:
    """Return the parts of a report in Markdown by their headings."""
    found: dict[str, str] = {}
    heading, section = "head", ""
    for line in report.splitlines():
        if match := re.match(r"(#+) (.*)", line):
            section = match[2] if len(match[1]) == 2 else section
            heading = match[2] if len(match[1]) <= 2 else f"{section}: {match[2]}"
        found[heading] = found.get(heading, "") + line + "\n"
    return found
