"""Results of airspeed velocity (asv), in both of its formats: a file for each commit and machine.

See "asv file formats" in asv's developer documentation: version 1 has a value or a record for each
benchmark, version 2 rows whose columns the file names. Both are read as they are; what asv itself
would take for out of date, such as a benchmark of an older version, stays.
"""

import itertools
import re
from collections.abc import Mapping
from typing import Any

from perf_assets.sources.benchmarks.results import (
    NO_NAME,
    Results,
    Run,
    UnusableError,
    number_of,
    parsed,
    text_of,
    whole_number_of,
)

UNITS_FILE = "benchmarks.json"
OTHER_FILES = (UNITS_FILE, "machine.json")
UNITS = {"time": "seconds", "timeraw": "seconds", "mem": "bytes", "peakmem": "bytes"}
"""Units by how a benchmark is called, which decides what asv measures."""

MOST_COMBINATIONS = 100_000
"""Of the parameters of a benchmark; a file with more was not written by asv."""

_KIND = re.compile(r"(?:^|\.)([a-z]+)_[^.]*$", re.IGNORECASE)


def is_results(path: str) -> bool:
    """Return whether the file at ``path`` holds results, by its name."""
    return path.endswith(".json") and path.rpartition("/")[2] not in OTHER_FILES


def read_units(content: bytes) -> dict[str, str]:
    """Return the unit of each benchmark whose name does not tell it, from benchmarks.json."""
    try:
        document = parsed(content)
    except UnusableError:
        return {}
    if not isinstance(document, dict):
        return {}
    return {
        name: text_of(entry["unit"])
        for name, entry in document.items()
        if isinstance(entry, dict) and "unit" in entry and _unit(name, {}) == ""
    }


def read_results(content: bytes, units: Mapping[str, str]) -> Results:
    """Return the results of a file; ``units`` as :func:`read_units` gives them.

    Raises
    ------
    UnusableError
        The file does not have one of asv's two formats.
    """
    document = parsed(content)
    if not isinstance(document, dict) or not isinstance(document.get("results"), dict):
        raise UnusableError("this is not a result file of asv")
    params = document.get("params")
    machine = params.get("machine") if isinstance(params, dict) else None
    run = Run(
        sha=text_of(document.get("commit_hash")),
        committed=whole_number_of(document.get("date")),
        machine=text_of(machine or NO_NAME),
        environment=text_of(document.get("env_name") or document.get("python") or NO_NAME),
    )
    records = _rows(document) if document.get("version") == 2 else _records(document)
    results = Results()
    columns: dict[str, list[Any]] = {
        name: []
        for name in ("benchmark", "parameters", "value", "lower", "upper", "samples", "version")
    }
    columns |= {"unit": [], "measured": []}
    for name, record in records:
        if not _add(columns, name, record, units):
            results.unusable["the record of the benchmark has another shape than asv's"] += 1
    results.add(run, columns)
    return results


def _rows(document: dict[str, Any]) -> Any:  # noqa: ANN401
    """Yield name and record of each benchmark of a file of version 2."""
    names = document.get("result_columns")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UnusableError("this is a result file of asv without the names of its columns")
    for name, row in document["results"].items():
        yield name, dict(zip(names, row, strict=False)) if isinstance(row, list) else None


def _records(document: dict[str, Any]) -> Any:  # noqa: ANN401
    """Yield name and record of each benchmark of a file of version 1, as version 2 has them."""
    started, versions = document.get("started_at"), document.get("benchmark_version")
    for name, entry in document["results"].items():
        record = dict(entry) if isinstance(entry, dict) else {"result": entry}
        stats = record.get("stats")
        if isinstance(stats, list):
            limits = [entry.get("ci_99") if isinstance(entry, dict) else None for entry in stats]
            pairs = [
                limit if isinstance(limit, list) and len(limit) == 2 else (None, None)
                for limit in limits
            ]
            record["stats_ci_99_a"] = [low for low, _ in pairs]
            record["stats_ci_99_b"] = [high for _, high in pairs]
            record["stats_repeat"] = [
                entry.get("repeat") if isinstance(entry, dict) else None for entry in stats
            ]
        record["started_at"] = started.get(name) if isinstance(started, dict) else None
        record["version"] = versions.get(name) if isinstance(versions, dict) else None
        yield name, record


def _add(
    columns: dict[str, list[Any]],
    name: str,
    record: Any,  # noqa: ANN401
    units: Mapping[str, str],
) -> bool:
    """Add the results of a benchmark, one for each combination of its parameters."""
    if not isinstance(record, dict):
        return False
    values = record.get("result")
    if not isinstance(values, list):
        values = [values]
    params = record.get("params") or []
    if not isinstance(params, list) or not all(isinstance(entry, list) for entry in params):
        return False
    number = 1
    for entry in params:
        number *= len(entry)
    if number > MOST_COMBINATIONS or len(values) > MOST_COMBINATIONS:
        return False
    if len(values) == 1 and values[0] is None and number != 1:
        values = [None] * number  # the benchmark failed as a whole
    if len(values) != number:
        return False
    size = len(values)
    columns["benchmark"] += [name] * size
    columns["parameters"] += [
        ", ".join(map(text_of, combination)) for combination in itertools.product(*params)
    ]
    columns["value"] += map(_float, values)
    columns["lower"] += map(_float, _of_size(record.get("stats_ci_99_a"), size))
    columns["upper"] += map(_float, _of_size(record.get("stats_ci_99_b"), size))
    columns["samples"] += map(whole_number_of, _of_size(record.get("stats_repeat"), size))
    version = record.get("version")
    columns["version"] += [None if version is None else text_of(version)] * size
    columns["unit"] += [_unit(name, units)] * size
    columns["measured"] += [whole_number_of(record.get("started_at"))] * size
    return True


def _float(value: object) -> float | None:
    return value if type(value) is float else number_of(value)  # most are, of millions


def _of_size(values: object, size: int) -> list[Any]:
    """Return ``values`` where they are a list of ``size``, else as many unknown ones."""
    return values if isinstance(values, list) and len(values) == size else [None] * size


def _unit(name: str, units: Mapping[str, str]) -> str:
    kind = _KIND.search(name)
    return UNITS.get(kind[1].lower() if kind else "") or units.get(name, "")
