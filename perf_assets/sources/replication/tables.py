"""The rows of the package as the tables they become: one function for each kind of file."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from perf_assets.base.months import month_of
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
)

Rows = list[dict[str, object]]
Accepts = Callable[[str, str], bool]


def read_bugs(folder: Path, framework: Framework, accepts: Accepts) -> tuple[Rows, list[Reject]]:
    """Return the bug reports of one framework; a number that comes a second time is a reject."""
    seen: dict[int, str] = {}

    def parse(line: Line, *, is_performance: bool) -> dict[str, object]:
        row = _bug(line.cells)
        number = row["number"]
        assert isinstance(number, int)
        if number in seen:
            raise RejectedError(f"issue {number} is listed already, in {seen[number]}")
        seen[number] = f"{line.file} line {line.number}"
        return {"repository": framework.repository, "is_performance": is_performance, **row}

    return _of_both_kinds(folder, framework.bugs_file, BUG_COLUMNS, accepts, parse)


def read_fixes(
    folder: Path, framework: Framework, bugs: Rows, accepts: Accepts
) -> tuple[Rows, Rows, list[Reject]]:
    """Return the fixes of one framework and their commits; a fix belongs to a listed bug report."""
    listed = {row["number"]: row["is_performance"] for row in bugs}
    fixed: set[int] = set()
    commits: Rows = []
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
        for position, commit in enumerate(cells.commits(line.cells[5]), 1):
            if isinstance(commit, str):
                reason = f"entry {position} of the commits of issue {number} cannot be read"
                broken.append(Reject(line.file, line.number, position, reason, commit))
            else:
                origin = {"file": line.file, "line": line.number}
                commits.append({**key, "position": position, **commit, **origin})
        return {**key, "is_performance": is_performance, **totals}

    rows, rejects = _of_both_kinds(folder, framework.fixes_file, FIX_COLUMNS, accepts, parse)
    return rows, commits, rejects + broken


def read_series(folder: Path, framework: Framework, accepts: Accepts) -> tuple[Rows, list[Reject]]:
    """Return the two monthly series of one framework."""
    loaded: Rows = []
    rejects: list[Reject] = []
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

        file = framework.series_file(series)
        rows, broken = _loaded(folder, file, columns, accepts, parse)
        loaded += rows
        rejects += broken
    return loaded, rejects


def read_taxonomy(folder: Path, accepts: Accepts) -> tuple[Rows, list[Reject]]:
    """Return the root causes, a row for each bug; an issue may describe several."""
    repositories = {framework.prefix: framework.repository for framework in FRAMEWORKS}
    occurrences: dict[tuple[str, int], int] = {}

    def parse(line: Line) -> dict[str, object]:
        framework, published, issue = line.cells
        repository = repositories.get(framework.strip().casefold())
        if repository is None:
            names = ", ".join(repositories)
            raise RejectedError(f"{framework!r} is not a framework of the study ({names})")
        number, remark = cells.issue_number(issue)
        category, subcategory = cells.category(published)
        occurrences[repository, number] = occurrences.get((repository, number), 0) + 1
        return {
            "repository": repository,
            "number": number,
            "category": category,
            "subcategory": subcategory,
            "remark": remark,
            "published_category": published,
            "occurrence": occurrences[repository, number],
        }

    return _loaded(folder, TAXONOMY, TAXONOMY_COLUMNS, accepts, parse)


def _loaded(
    folder: Path,
    file: str,
    columns: tuple[str, ...],
    accepts: Accepts,
    parse: Callable[[Line], dict[str, object]],
) -> tuple[Rows, list[Reject]]:
    lines = read_lines(folder / file, columns, partial(accepts, file))
    return load_rows(lines, len(columns), parse)


def _of_both_kinds(
    folder: Path,
    file_of: Callable[..., str],
    columns: tuple[str, ...],
    accepts: Accepts,
    parse: Callable[..., dict[str, object]],
) -> tuple[Rows, list[Reject]]:
    """Return the rows of the file of performance bugs, then those of the file of the others."""
    loaded: Rows = []
    rejects: list[Reject] = []
    for kind in (True, False):
        file = file_of(is_performance=kind)
        of_kind = partial(parse, is_performance=kind)
        rows, broken = _loaded(folder, file, columns, accepts, of_kind)
        loaded += rows
        rejects += broken
    return loaded, rejects


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
