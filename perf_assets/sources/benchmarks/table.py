"""Results in a CSV file, one a line, whose header names the columns.

Beside the needed ones it may have parameters, machine, environment, measured_at, lower, upper,
samples, version and better, which is ``lower`` or ``higher``.
"""

import csv
import io
from typing import Any

from perf_assets.sources.benchmarks.results import (
    NO_NAME,
    Results,
    Run,
    UnusableError,
    milliseconds_of,
)

NEEDED = ("benchmark", "sha", "committed_at", "value", "unit")
"""Columns that a file must have: times are in ISO 8601, UTC where they name no zone."""
LONGEST_FIELD = 100_000


def is_results(path: str) -> bool:
    """Return whether the file at ``path`` holds results, by its name."""
    return path.endswith(".csv")


def read_results(content: bytes) -> Results:
    """Return the results of a file.

    Raises
    ------
    UnusableError
        It is not UTF-8, or has no such header.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnusableError("this is not UTF-8 text") from None
    csv.field_size_limit(LONGEST_FIELD)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        header = reader.fieldnames or ()
    except csv.Error:
        header = ()
    if missing := [name for name in NEEDED if name not in header]:
        raise UnusableError(f"the header lacks {', '.join(missing)}")
    results = Results()
    runs: dict[Run, dict[str, list[Any]]] = {}
    names = ("benchmark", "parameters", "value", "lower", "upper", "samples", "version", "unit")
    try:
        for row in reader:
            run = Run(
                sha=(row["sha"] or "").strip().lower(),
                committed=milliseconds_of(row["committed_at"]),
                machine=row.get("machine") or NO_NAME,
                environment=row.get("environment") or NO_NAME,
            )
            columns = runs.setdefault(
                run, {name: [] for name in (*names, "is_higher_better", "measured")}
            )
            for name in names:
                columns[name].append(row.get(name) or None)
            columns["is_higher_better"].append(row.get("better") == "higher")
            columns["measured"].append(milliseconds_of(row.get("measured_at")))
    except csv.Error:
        results.unusable["the rest of the file is not CSV"] += 1
    for run, columns in runs.items():
        for name, kind in (("value", float), ("lower", float), ("upper", float), ("samples", int)):
            columns[name] = [_number(text, kind) for text in columns[name]]
        results.add(run, columns)
    return results


def _number(text: str | None, kind: type[float] | type[int]) -> float | int | None:
    try:
        number = kind(text or "")
    except ValueError:
        return None
    return number if kind is float or abs(number) < 1 << 63 else None
