"""Results of github-action-benchmark: the file ``data.js``, which has all runs of all suites.

Its shape is that of the action's documentation: a script that gives ``window.BENCHMARK_DATA`` a
JSON value. The script is not run; the JSON in it is parsed.
"""

import re
from typing import Any

from perf_assets.sources.benchmarks.results import (
    NO_NAME,
    Results,
    Run,
    UnusableError,
    milliseconds_of,
    number_of,
    parsed,
    text_of,
    whole_number_of,
)

_HEAD = re.compile(rb"\s*window\.BENCHMARK_DATA\s*=")
_HIGHER = ("customBiggerIsBetter", "benchmarkjs", "pytest")
"""The tools that give operations a second, or say so."""
_RATE = re.compile(r"(ops|iter|op|iterations|operations)\s*/\s*(s|sec|ms|us|ns)\b", re.IGNORECASE)
_RANGE = re.compile(r"(?:(?:±|\+/?-)\s*)?([0-9.eE+-]+)\s*(%?)")


def is_results(path: str) -> bool:
    """Return whether the file at ``path`` holds results, by its name."""
    return path.rpartition("/")[2] in ("data.js", "data.json")


def read_results(content: bytes) -> Results:
    """Return the results of a file; the suite is the environment.

    Raises
    ------
    UnusableError
        It is not what the action writes.
    """
    head = _HEAD.match(content)
    document = parsed(content[head.end() :].strip().removesuffix(b";") if head else content)
    entries = document.get("entries") if isinstance(document, dict) else None
    if not isinstance(entries, dict):
        raise UnusableError("this is not a result file of github-action-benchmark")
    results = Results()
    for suite, runs in entries.items():
        for run in runs if isinstance(runs, list) else ():
            _add(results, suite, run)
    return results


def _add(results: Results, suite: str, run: Any) -> None:  # noqa: ANN401
    commit = run.get("commit") if isinstance(run, dict) else None
    benches = run.get("benches") if isinstance(run, dict) else None
    if not isinstance(commit, dict) or not isinstance(benches, list):
        results.unusable["the run has another shape than the action's"] += 1
        return
    whole = Run(
        sha=text_of(commit.get("id")),
        committed=milliseconds_of(commit.get("timestamp")),
        machine=NO_NAME,
        environment=suite or NO_NAME,
    )
    known = [bench for bench in benches if isinstance(bench, dict) and bench.get("name")]
    if len(known) < len(benches):
        results.unusable["the benchmark has no name"] += len(benches) - len(known)
    values = [number_of(bench.get("value")) for bench in known]
    spreads = [
        _spread(bench.get("range"), value) for bench, value in zip(known, values, strict=True)
    ]
    measured, tool = whole_number_of(run.get("date")), text_of(run.get("tool"))
    columns: dict[str, list[Any]] = {
        "benchmark": [text_of(bench["name"]) for bench in known],
        "value": values,
        "lower": [_sum(value, spread, -1) for value, spread in zip(values, spreads, strict=True)],
        "upper": [_sum(value, spread, 1) for value, spread in zip(values, spreads, strict=True)],
        "unit": [text_of(bench.get("unit") or "") for bench in known],
        "is_higher_better": [
            tool in _HIGHER or _RATE.search(text_of(bench.get("unit"))) is not None
            for bench in known
        ],
        "measured": [measured] * len(known),
    }
    results.add(whole, columns)


def _sum(value: float | None, spread: float | None, sign: int) -> float | None:
    return None if value is None or spread is None else value + sign * spread


def _spread(text: object, value: float | None) -> float | None:
    """Return half of the interval that ``range`` gives, as ± 0.3 or ± 2 %."""
    found = _RANGE.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None or value is None:
        return None
    try:
        number = abs(float(found[1]))
    except ValueError:
        return None
    return abs(value) * number / 100 if found[2] else number
