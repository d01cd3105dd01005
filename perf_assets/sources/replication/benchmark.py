"""The benchmark of the study of performance problems: those that its authors reproduced.

What three approaches did for each of them stands with the problem. The file has a byte order mark
and the spellings of the problems' file, calls the third approach otherwise than its own text, and
leaves the library blank once.
"""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from perf_assets.sources.replication.csv_files import (
    Line,
    Reject,
    RejectedError,
    load_rows,
    read_lines,
)
from perf_assets.sources.replication.package import pinned_benchmark
from perf_assets.sources.replication.problems import IDENTIFIER, REPRODUCED

FILE = "benchmark.csv"
COLUMNS = (
    "_id",
    "creation_date",
    "library",
    "url",
    "profiler_status",
    "xla_status",
    "performance_modified",
    "introducing stage",
    "exposing stage",
    "symptom1",
    "symptom2",
    "root cause1",
)
LIBRARIES = {"tf": "tensorflow", "keras": "keras", "": None}
STATUSES = {"-1": "not_applied", "0": "not_solved", "1": "partly_solved"}
APPROACHES = {
    "profiler_status": STATUSES,
    "xla_status": STATUSES,
    # The text of the repository calls it doc_status, and its 1 applied.
    "performance_modified": STATUSES | {"1": "applied"},
}


def with_benchmark(
    problems: pl.DataFrame, path: Path | None, *, accept_changes: bool = False
) -> tuple[pl.DataFrame, list[Reject]]:
    """Return the problems with what the file at ``path`` says of them, and what of it is rejected.

    Without a file no problem is one that was reproduced. A problem that the file names without a
    number, though its question holds several, is the first of them.

    Raises
    ------
    PerfAssetsError
        The file is cut short, has other columns, or another content than published.
    """
    if path is None:
        return problems, []
    digests = set(pinned_benchmark().sums.values())
    lines = read_lines(
        path,
        COLUMNS,
        lambda digest: accept_changes or digest in digests,
        ends_in_newline=False,  # as published
    )
    known = set(problems["problem_id"])
    seen: dict[str, int] = {}

    def parse(line: Line) -> Mapping[str, object]:
        cells = dict(zip(COLUMNS, (cell.strip() for cell in line.cells), strict=True))
        row = {"problem_id": _problem(cells["_id"], known), "library": _library(cells["library"])}
        for column, name in zip(APPROACHES, REPRODUCED[1:], strict=True):
            row[name] = _status(column, cells[column])
        problem = str(row["problem_id"])
        if problem in seen:
            raise RejectedError(f"problem {problem} is listed already, in line {seen[problem]}")
        seen[problem] = line.number
        return row

    rows, rejects = load_rows(lines, len(COLUMNS), parse)
    columns = ("problem_id", *REPRODUCED)
    values = [[row[name] for name in columns] for row in rows]
    reproduced = pl.DataFrame(values, schema=dict.fromkeys(columns, pl.String), orient="row")
    joined = problems.drop(REPRODUCED).join(
        reproduced, on="problem_id", how="left", maintain_order="left"
    )
    return joined.select(problems.columns), rejects


def _problem(name: str, known: set[str]) -> str:
    if IDENTIFIER.fullmatch(name) is None:
        raise RejectedError(f"{name!r} is not a question number such as 65160023 or 65160023_2")
    for problem in (name, f"{name}_1"):
        if problem in known:
            return problem
    raise RejectedError(f"problem {name} is not among the loaded problems")


def _library(text: str) -> str | None:
    if text not in LIBRARIES:
        raise RejectedError(f"library {text!r} is neither tf nor keras")
    return LIBRARIES[text]


def _status(column: str, text: str) -> str:
    try:
        return APPROACHES[column][text]
    except KeyError:
        raise RejectedError(f"{column} {text!r} is not -1, 0 or 1") from None
