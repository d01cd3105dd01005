"""Checking an archive: what it says, computed again from its raw tables alone."""

import re
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import polars as pl

from perf_assets import __version__
from perf_assets.archive.differences import TableDifference, difference
from perf_assets.archive.manifest import (
    ADDED,
    CODEBOOKS,
    DATABASE,
    LOCK,
    MODEL,
    REPORT,
    REPORT_PAGE,
    RULES,
    STUDY,
    TABLES,
    VERDICTS,
    Manifest,
)
from perf_assets.archive.opening import damaged_files, unpacked
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
from perf_assets.storage.database_copy import tables_of
from perf_assets.storage.publishing import publish
from perf_assets.storage.verdicts import VERDICT_KINDS, read_log
from perf_assets.storage.warehouse import open_warehouse
from perf_assets.tables import declared
from perf_assets.tables.ddl import quoted

PROBABILITIES = "labels.performance_probabilities"
NEEDS = {
    "raw": "read at the source: only its checksum is checked",
    "details": "made from git histories, which are not in it: only its checksum is checked",
    "meta": "noted when the rest was read and computed: only its checksum is checked",
    "reviews": "judged by people: held against the log of verdicts",
    "replication": "published by the papers' authors: only its checksum is checked",
}
WITHOUT_TEXTS = "made from titles and bodies, which were left out"
COUNTS = """
    SELECT repository, month, "table", row_count FROM meta.partition_loads
    WHERE is_stored AND starts_with("table", 'raw.')
"""


@dataclass(frozen=True)
class Finding:
    """What the check says of a file, table or figure.

    state : ``equal``, ``differs``, or ``not recomputed``.
    """

    subject: str
    state: str
    details: tuple[str, ...] = ()


@dataclass
class Check:
    """What a check found.

    findings : on files, tables and figures, in this order.
    notes : what to know of it, a sentence each.
    tables : the tables that differ.
    """

    manifest: Manifest
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether all that can be computed again is equal."""
        return all(finding.state != "differs" for finding in self.findings)

    def add(self, subject: str, state: str, *details: str) -> None:
        """Note what was found of ``subject``."""
        self.findings.append(Finding(subject, state, details))


def check_archive(path: Path) -> Check:
    """Compute again what follows from the raw tables of the archive at ``path``, and compare.

    Nothing of it needs a network, and nothing is written but in a temporary folder.

    Raises
    ------
    PerfAssetsError
        It is no archive, damaged beyond reading, of a newer version, or there is no room for it.
    """
    with unpacked(path) as (content, manifest), phase(f"checking {path.name}"):
        check = Check(manifest)
        with phase("comparing checksums"):
            faults = damaged_files(content, str(path))
        if faults:
            for fault in faults:
                check.add(fault.split(" is ")[0], "differs", fault)
            check.notes.append(
                "Nothing was computed again, as the archive is not what was written: take another "
                "copy."
            )
            return check
        check.add("checksums of all files", "equal")
        _compare_software(content, check)
        study = read_copy(content) if (content / STUDY).exists() else no_study()
        _compare_given(content, check)
        with TemporaryDirectory(dir=content.parent) as temporary:
            home = _home(content, Path(temporary))
            kept = _kept(content, study, manifest, check)
            if names := _unstudied(home, study):
                check.notes.append(
                    f"{', '.join(names)}: mined, and not in the study file any more, so that "
                    "labels and links of it stay; what follows from these is computed again."
                )
            failures = recompute(home, study, kept, has_texts=manifest.texts == "all")
            publish(home)
            for failure in failures:
                check.add("audit", "differs", failure)
            _compare_recomputed(content, home, kept, check)
            with phase("comparing the report"):
                _compare_report(content, home, check)
        return check


def _unstudied(home: DataDirectory, study: Study) -> list[str]:
    """The repositories and tag sets that were mined and are not in the study file any more."""
    with duckdb.connect(str(home.warehouse), read_only=True) as connection:
        read = connection.execute("SELECT DISTINCT repository FROM meta.partition_loads").fetchall()
    return sorted(
        {name for (name,) in read} - {one.name for one in (*study.repositories, *study.tag_sets)}
    )


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
        for name in ("duckdb", "polars", "numpy", "scipy", "scikit-learn", "nltk")
        if name in libraries and libraries[name] != here.get(name)
    ]
    if others:
        check.notes.append(f"It was made with {', '.join(others)}.")


def _libraries(lock: str) -> dict[str, str]:
    lines = (line.partition("==") for line in lock.splitlines() if "==" in line)
    return {name: version for name, _, version in lines}


def _compare_given(content: Path, check: Check) -> None:
    """The database against the Parquet files, the bookkeeping against the rows, verdicts."""
    with _both(content / DATABASE, content) as connection:
        stored = tables_of(connection)
        files = {path.stem for path in (content / TABLES).glob("*.parquet")}
        unequal = [
            found.table
            for name in sorted(files & set(stored))
            if name in declared()
            and not (
                found := difference(connection, declared()[name], name, _file(content, name))
            ).is_equal
        ]
        unequal += sorted(files ^ set(stored))
        if unequal:
            check.add(DATABASE, "differs", *(f"{name} is not as in {TABLES}/" for name in unequal))
        else:
            check.add(f"{DATABASE} and {TABLES}/", "equal")
        counts = list(_miscounted(connection, set(stored)))
        check.add("months read and their rows", "differs" if counts else "equal", *counts)
        if (content / VERDICTS).exists():
            log = read_log(content / VERDICTS)
            lost = [f"line {line} of {VERDICTS} is damaged" for line in log.damaged]
            for kind in VERDICT_KINDS:
                rows = connection.execute(f"SELECT count(*) FROM {kind.table}").fetchall()
                if rows[0][0] != log.rows[kind.table].height:
                    lost.append(f"{kind.table} has other verdicts than {VERDICTS}")
            check.add(VERDICTS, "differs" if lost else "equal", *lost)


def _miscounted(connection: duckdb.DuckDBPyConnection, stored: set[str]) -> Iterable[str]:
    loads = pl.DataFrame(
        connection.execute(COUNTS).fetchall(),
        schema=["subject", "month", "table", "row_count"],
        orient="row",
    )
    for (table,), noted in sorted(loads.partition_by("table", as_dict=True).items()):
        if table not in stored:
            continue
        subject = " || ':' || ".join(declared()[str(table)].parts)
        rows = connection.execute(
            f"SELECT {subject}, month, count(*) FROM {table} GROUP BY ALL"
        ).fetchall()
        held = {(name, month): count for name, month, count in rows}
        for name, month, _, count in noted.iter_rows():
            if held.pop((name, month), 0) != count:
                yield f"{table}: {name} {month} has other than its {count:,} rows"
        for name, month in sorted(held):
            yield f"{table}: {name} {month} was never read"


def _home(content: Path, folder: Path) -> DataDirectory:
    """A data directory of what the archive holds."""
    home = DataDirectory(folder)
    for name, path in (
        (DATABASE, home.warehouse),
        (VERDICTS, home.verdicts),
        (MODEL, home.model),
        (ADDED, home.added),
    ):
        if (content / name).exists():
            shutil.copyfile(content / name, path)
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
    files = {path.stem for path in (content / TABLES).glob("*.parquet")}
    stored = {name for name in made if not declared()[name].is_view}
    for name in sorted({*check.manifest.rows, *stored} - files):
        if name in check.manifest.rows or check.manifest.perf_assets == __version__:
            check.add(name, "differs", f"{TABLES}/{name}.parquet is missing")
    with _both(home.published, content) as connection, phase("comparing tables"):
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
            found = difference(connection, declared()[name], _file(content, name), name)
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


@contextmanager
def _both(database: Path, content: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"ATTACH {quoted(str(database))} AS recomputed (READ_ONLY)")
        connection.execute("USE recomputed")
        yield connection


def _file(content: Path, table: str) -> str:
    return f"read_parquet({quoted(str(content / TABLES / f'{table}.parquet'))})"
