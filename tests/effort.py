"""How much tests try: little in `make check`, enough in `make test`, more in `make test-all`."""

import os

import pytest

IS_THOROUGH = os.environ.get("PERF_ASSETS_TESTS") == "all"
IS_QUICK = os.environ.get("PERF_ASSETS_TESTS") == "quick"
# How often a run is killed, and how many seeds a random story has.
KILLS = int(os.environ.get("PERF_ASSETS_KILLS", "5" if IS_THOROUGH else "1"))
SEEDS = int(os.environ.get("PERF_ASSETS_SEEDS", "5" if IS_THOROUGH else "1"))
# Of each kind, to measure how often tests of trends are wrong.
HISTORIES = int(os.environ.get("PERF_ASSETS_HISTORIES", "1000" if IS_THOROUGH else "0"))
if not IS_THOROUGH:  # a worker for each core: more threads would only contend, and are in test-all
    for name in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def examples(few: int, many: int | None = None) -> int:
    """The number of examples of a property that takes its time, of which ``few`` are enough.

    `make test-all` tries ``many``, by default five times as many; `make check` a fifth.
    """
    if IS_QUICK:
        return -(-few // 5)
    return (many or 5 * few) if IS_THOROUGH else few


EXAMPLES = examples(60, 200)  # of a property that is quick to try


def some(*cases: object, few: int = 1) -> list[object]:
    """Cases of which the first ``few`` are enough, and the others for `make test-all`."""
    return [
        case if index < few else pytest.param(*_values(case), marks=pytest.mark.exhaustive)
        for index, case in enumerate(cases)
    ]


def _values(case: object) -> tuple[object, ...]:
    return case if isinstance(case, tuple) else (case,)
