"""Results of pytest-benchmark: the JSON files of ``--benchmark-json`` and ``--benchmark-save``.

The value is the median of the rounds, in seconds, with the quartiles as its limits. A run on a tree
with changes that no commit has is not a result of its commit.
"""

import json
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


def is_results(path: str) -> bool:
    """Return whether the file at ``path`` holds results, by its name."""
    return path.endswith(".json")


def read_results(content: bytes) -> Results:
    """Return the results of a file.

    Raises
    ------
    UnusableError
        It is not what pytest-benchmark writes.
    """
    document = parsed(content)
    commit = document.get("commit_info") if isinstance(document, dict) else None
    benchmarks = document.get("benchmarks") if isinstance(document, dict) else None
    if not isinstance(commit, dict) or not isinstance(benchmarks, list):
        raise UnusableError("this is not a result file of pytest-benchmark")
    results = Results()
    if commit.get("dirty") is True:
        results.unusable["the tree had changes that its commit does not have"] += len(benchmarks)
        return results
    machine = document.get("machine_info")
    info = machine if isinstance(machine, dict) else {}
    python = (info.get("python_implementation"), info.get("python_version"))
    run = Run(
        sha=text_of(commit.get("id")),
        committed=milliseconds_of(commit.get("time")),
        machine=text_of(info.get("node") or NO_NAME),
        environment=" ".join(text_of(part) for part in python if part) or NO_NAME,
    )
    known = [
        entry
        for entry in benchmarks
        if isinstance(entry, dict) and entry.get("name") and isinstance(entry.get("stats"), dict)
    ]
    if len(known) < len(benchmarks):
        results.unusable["the benchmark has no name or no statistics"] += len(benchmarks) - len(
            known
        )
    stats = [entry["stats"] for entry in known]
    measured = milliseconds_of(document.get("datetime"))
    columns: dict[str, list[Any]] = {
        "benchmark": [_name(entry) for entry in known],
        "parameters": [_parameters(entry.get("params")) for entry in known],
        "value": [number_of(entry.get("median")) for entry in stats],
        "lower": [number_of(entry.get("q1")) for entry in stats],
        "upper": [number_of(entry.get("q3")) for entry in stats],
        "samples": [whole_number_of(entry.get("rounds")) for entry in stats],
        "unit": ["seconds"] * len(known),
        "measured": [measured] * len(known),
    }
    results.add(run, columns)
    return results


def _name(entry: dict[str, Any]) -> str:
    """Return the full name of a benchmark without the parameters, which pytest puts in brackets."""
    name = text_of(entry.get("fullname") or entry["name"])
    parameters = entry.get("param")
    return name.removesuffix(f"[{parameters}]") if isinstance(parameters, str) else name


def _parameters(params: object) -> str:
    if not isinstance(params, dict):
        return ""
    return ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value, default=str)}"
        for name, value in params.items()
    )
