"""Small result files of every format that benchmark results are read from."""

import json
from typing import Any

SHAS = tuple(digit * 40 for digit in "abcdef")
COMMITTED = 1_580_000_000_000  # 2020-01-26 in milliseconds
DAY = 86_400_000
ASV_UNITS = {"bench.Many.track_size": {"unit": "items", "type": "track"}, "version": 2}


def asv(
    results: dict[str, Any],
    /,
    sha: str = SHAS[0],
    date: Any = COMMITTED,
    **changes: Any,
) -> bytes:
    """A result file of asv, version 2; ``results`` are rows of its columns."""
    document = {
        "commit_hash": sha,
        "env_name": "virtualenv-py3.9",
        "date": date,
        "params": {"machine": "i7", "python": "3.9"},
        "python": "3.9",
        "result_columns": [
            *("result", "params", "version", "started_at", "duration"),
            *("stats_ci_99_a", "stats_ci_99_b", "stats_q_25", "stats_q_75"),
            *("stats_number", "stats_repeat"),
        ],
        "results": results,
        "version": 2,
    }
    return json.dumps(document | changes).encode()


def asv_row(value: Any, params: Any = (), version: str = "v1", started: int | None = None) -> Any:
    """A row of an asv file with limits of 10 % about each value."""
    values = value if isinstance(value, list) else [value]
    limits = [
        [None if entry is None else entry * factor for entry in values] for factor in (0.9, 1.1)
    ]
    row = [values, params, version, started or COMMITTED, 1.0, *limits, None, None]
    return [*row, [1] * len(values), [5] * len(values)]


def asv_first(results: dict[str, Any], sha: str = SHAS[0]) -> bytes:
    """A result file of asv, version 1."""
    document = {
        "commit_hash": sha,
        "date": COMMITTED,
        "env_name": "conda-py3.8",
        "params": {"machine": "mbp"},
        "results": results,
        "started_at": dict.fromkeys(results, COMMITTED + DAY),
        "benchmark_version": dict.fromkeys(results, "v0"),
        "version": 1,
    }
    return json.dumps(document).encode()


def action(*runs: tuple[str, list[dict[str, Any]]], tool: str = "customSmallerIsBetter") -> bytes:
    """A data.js with a run of the suite "Speed" for each hash and benches."""
    entries = [
        {
            "commit": {"id": sha, "timestamp": "2020-01-26T01:53:20+01:00"},
            "date": COMMITTED + number,
            "tool": tool,
            "benches": benches,
        }
        for number, (sha, benches) in enumerate(runs)
    ]
    document = {"lastUpdate": COMMITTED, "repoUrl": "x", "entries": {"Speed": entries}}
    return b"window.BENCHMARK_DATA = " + json.dumps(document, indent=2).encode()


def pytest_benchmark(sha: str = SHAS[0], *, dirty: bool = False) -> bytes:
    """A file of pytest-benchmark with a benchmark that has a parameter."""
    stats = {"median": 0.2, "q1": 0.1, "q3": 0.3, "rounds": 7, "mean": 0.21}
    document = {
        "machine_info": {
            "node": "box",
            "python_implementation": "CPython",
            "python_version": "3.12.1",
        },
        "commit_info": {"id": sha, "time": "2020-01-26T01:53:20+01:00", "dirty": dirty},
        "benchmarks": [
            {
                "name": "test_sum[5]",
                "fullname": "tests/test_speed.py::test_sum[5]",
                "param": "5",
                "params": {"size": [5, [1, 2]], "kind": "dense"},
                "stats": stats,
            }
        ],
        "datetime": "2020-01-27T00:00:00.250000",
        "version": "5.1.0",
    }
    return json.dumps(document).encode()


CSV = (
    "benchmark,sha,committed_at,value,unit,better,lower,upper\n"
    f"rows,{SHAS[0]},2020-01-26T00:53:20Z,120.5,rows/s,higher,110,130\n"
    f"rows,{SHAS[1]},2020-02-01,nan,rows/s,higher,,\n"
).encode()
