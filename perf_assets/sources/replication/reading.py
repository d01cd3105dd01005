"""A folder with the package, read whole: every row is loaded or rejected with its reason."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import month_of
from perf_assets.schema import schema_of
from perf_assets.sources.replication import cells
from perf_assets.sources.replication.csv_files import (
    Line,
    Reject,
    RejectedError,
    load_rows,
    read_lines,
)
from perf_assets.sources.replication.package import (
    BUG_COLUMNS,
    FIX_COLUMNS,
    FRAMEWORKS,
    SERIES_COLUMNS,
    TAXONOMY,
    TAXONOMY_COLUMNS,
    Framework,
    pinned,
)

DATASET = "replication"

Rows = list[dict[str, object]]


@dataclass(frozen=True)
class Package:
    """The package as typed frames, each with the columns of its table in ``replication``."""

    bugs: pl.DataFrame
    fixes: pl.DataFrame
    fix_commits: pl.DataFrame
    paper_series: pl.DataFrame
    taxonomy: pl.DataFrame
    rejected_rows: pl.DataFrame

    @property
    def frames(self) -> dict[str, pl.DataFrame]:
        """Each frame by the name of its table in the schema ``replication``."""
        return dict(vars(self))


def read_package(folder: Path, *, accept_changes: bool = False) -> Package:
    """Return the package in ``folder``, of one framework or of both.

    Parameters
    ----------
    folder
        Holds the taxonomy and all files of at least one framework.
    accept_changes
        Take files whose content differs from the published one.

    Raises
    ------
    PerfAssetsError
        The folder is none of the package, or a file is missing, cut short, has other columns, or
        another content than published.
    """

    def accepts(file: str, digest: str) -> bool:
        return accept_changes or pinned().accepts(file, digest)

    reading = _Reading(folder, accepts)
    for framework in _frameworks(folder):
        reading.read_bugs(framework)
        reading.read_fixes(framework)
        reading.read_series(framework)
    reading.read_taxonomy()
    frames = {name: _frame(name, rows) for name, rows in reading.rows.items()}
    return Package(**frames, rejected_rows=rejects_frame(reading.rejects))


def _frame(name: str, rows: list[dict[str, object]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=schema_of(f"replication.{name}"), orient="row")


def rejects_frame(rejects: Sequence[Reject]) -> pl.DataFrame:
    """Return ``replication.rejected_rows``, the rows that could not be loaded."""
    return _frame("rejected_rows", [{"dataset": DATASET, **vars(reject)} for reject in rejects])


def _frameworks(folder: Path) -> list[Framework]:
    """Return the frameworks whose files are there; all of them, or none of one framework."""
    if not folder.is_dir():
        raise PerfAssetsError(
            f"{folder}: this folder does not exist; name the one with the CSV files"
        )
    found = []
    for framework in FRAMEWORKS:
        missing = [file for file in framework.files if not (folder / file).is_file()]
        if len(missing) < len(framework.files):
            found.append(framework)
            if missing:
                raise PerfAssetsError(
                    f"{folder / missing[0]}: the file is missing; the other files of "
                    f"{framework.repository} are there"
                )
    if not found:
        raise PerfAssetsError(
            f"{folder}: none of the published files is there; the folder must hold "
            f"{FRAMEWORKS[0].files[0]} and its companions"
        )
    if not (folder / TAXONOMY).is_file():
        raise PerfAssetsError(f"{folder / TAXONOMY}: the file is missing")
    return found


class _Reading:
    """Reads the files of a folder; ``rows`` of each table and ``rejects`` grow meanwhile."""

    def __init__(self, folder: Path, accepts: Callable[[str, str], bool]) -> None:
        self.folder, self.accepts = folder, accepts
        tables = ("bugs", "fixes", "fix_commits", "paper_series", "taxonomy")
        self.rows: dict[str, Rows] = {table: [] for table in tables}
        self.rejects: list[Reject] = []

    def read_bugs(self, framework: Framework) -> None:
        """Read the bug reports; a number that comes a second time is a reject."""
        seen: dict[int, str] = {}

        def parse(line: Line, *, is_performance: bool) -> dict[str, object]:
            row = _bug(line.cells)
            number = row["number"]
            assert isinstance(number, int)
            if number in seen:
                raise RejectedError(f"issue {number} is listed already, in {seen[number]}")
            seen[number] = f"{line.file} line {line.number}"
            return {"repository": framework.repository, "is_performance": is_performance, **row}

        self._load_both_kinds("bugs", framework.bugs_file, BUG_COLUMNS, parse)

    def read_fixes(self, framework: Framework) -> None:
        """Read the fixes and their commits; a fix belongs to a bug report that was read."""
        listed = {
            row["number"]: row["is_performance"]
            for row in self.rows["bugs"]
            if row["repository"] == framework.repository
        }
        fixed: set[int] = set()
        broken: list[Reject] = []

        def parse(line: Line, *, is_performance: bool) -> dict[str, object]:
            number, _ = cells.issue_number(line.cells[0])
            if listed.get(number) is not is_performance:
                file = framework.bugs_file(is_performance=is_performance)
                raise RejectedError(f"issue {number} is not in {file}")
            if number in fixed:
                raise RejectedError(f"the fix of issue {number} is listed already")
            names = ("commits", "additions", "deletions", "changes")
            totals = {
                name: cells.whole_number(cell, name)
                for name, cell in zip(names, line.cells[1:5], strict=True)
            }
            fixed.add(number)
            key = {"repository": framework.repository, "number": number}
            origin = {"file": line.file, "line": line.number}
            for position, commit in enumerate(cells.commits(line.cells[5]), 1):
                if isinstance(commit, str):
                    reason = f"entry {position} of the commits of issue {number} cannot be read"
                    broken.append(Reject(line.file, line.number, position, reason, commit))
                else:
                    row = {**key, "position": position, **commit, **origin}
                    self.rows["fix_commits"].append(row)
            return {**key, "is_performance": is_performance, **totals}

        self._load_both_kinds("fixes", framework.fixes_file, FIX_COLUMNS, parse)
        self.rejects += broken

    def read_series(self, framework: Framework) -> None:
        """Read the two monthly series."""
        for series, columns in SERIES_COLUMNS.items():
            seen: set[str] = set()

            def parse(line: Line, series: str = series, seen: set[str] = seen) -> dict[str, object]:
                month = cells.month(line.cells[0])
                if month in seen:
                    raise RejectedError(f"the month {month} is listed already")
                share = cells.decimal(line.cells[3], "percentage")
                performance = cells.whole_number(line.cells[1], "performance bugs")
                total = cells.whole_number(line.cells[2], "total")
                seen.add(month)
                year, month_number = map(int, month.split("-"))
                return {
                    "repository": framework.repository,
                    "series": series,
                    "month": month,
                    "cut_off": datetime(year, month_number, framework.cut_off_day, tzinfo=UTC),
                    "performance": performance,
                    "bug_reports": total,
                    "percent": None if share is None else 100 * share,
                }

            self._load("paper_series", framework.series_file(series), columns, parse)

    def read_taxonomy(self) -> None:
        """Read the root causes, a row for each bug; an issue may describe several."""
        repositories = {framework.prefix: framework.repository for framework in FRAMEWORKS}
        occurrences: Counter[tuple[str, int]] = Counter()

        def parse(line: Line) -> dict[str, object]:
            framework, published, issue = line.cells
            repository = repositories.get(framework.strip().casefold())
            if repository is None:
                names = ", ".join(repositories)
                raise RejectedError(f"{framework!r} is not a framework of the study ({names})")
            number, remark = cells.issue_number(issue)
            category, subcategory = cells.category(published)
            occurrences[repository, number] += 1
            return {
                "repository": repository,
                "number": number,
                "category": category,
                "subcategory": subcategory,
                "remark": remark,
                "published_category": published,
                "occurrence": occurrences[repository, number],
            }

        self._load("taxonomy", TAXONOMY, TAXONOMY_COLUMNS, parse)

    def _load_both_kinds(
        self,
        table: str,
        file_of: Callable[..., str],
        columns: tuple[str, ...],
        parse: Callable[..., dict[str, object]],
    ) -> None:
        """Load the file of performance bugs, then that of the others."""
        for kind in (True, False):
            of_kind = partial(parse, is_performance=kind)
            self._load(table, file_of(is_performance=kind), columns, of_kind)

    def _load(
        self,
        table: str,
        file: str,
        columns: tuple[str, ...],
        parse: Callable[[Line], dict[str, object]],
    ) -> None:
        lines = read_lines(self.folder / file, columns, partial(self.accepts, file))
        rows, rejects = load_rows(lines, len(columns), parse)
        self.rows[table] += rows
        self.rejects += rejects


def _bug(row: tuple[str, ...]) -> dict[str, object]:
    number, _ = cells.issue_number(row[0])
    opened_at = cells.moment(row[2], "opening time")
    if opened_at is None:
        raise RejectedError("the opening time is missing")
    closed_at = cells.moment(row[5], "closing time")
    minutes_to_close = cells.decimal(row[7], "time to close")
    if (closed_at is None) != (minutes_to_close is None):
        raise RejectedError("the closing time and the time to close do not agree")
    if closed_at is not None and closed_at < opened_at:
        raise RejectedError("it is closed before it is opened")
    posted = cells.commentators(row[10])
    author = row[1].strip()
    return {
        "number": number,
        "author": None if author in ("", "ghost") else author,
        "opened_at": opened_at,
        "first_comment_at": cells.moment(row[4], "time of the first comment"),
        "closed_at": closed_at,
        "minutes_to_first_comment": cells.decimal(row[6], "time to the first comment"),
        "minutes_to_close": minutes_to_close,
        "comments": cells.whole_number(row[3], "number of comments"),
        "participants": cells.whole_number(row[8], "number of participants"),
        "commentators": cells.whole_number(row[9], "number of commentators"),
        "commentator_names": list(posted),
        "commentator_comments": list(posted.values()),
        "labels": cells.labels(row[11]),
        "month": month_of(opened_at),
    }
