"""How often the steps of benchmarks are false alarms, how large one must be, and what they cost.

Run by hand, for series of a database that a run published, or without one for generated series:

    python -m tests.benchmarks.benchmark_steps [perf_bugs.duckdb] [--series 200] [--seed 1]

The results of a series are permuted, so that nothing changes at any commit: each step is a false
alarm then. For the power the results are divided by the level they belong to, permuted, and
multiplied by a ratio from the middle on; a step is found if it is within two results of there.
Agreement is that with asv's own steps of 10 % or more, on the series as they are: the levels that
last three results or more, one within two results of the other. Prints tables in Markdown.
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from time import monotonic

import duckdb
import numpy as np
from asv import step_detect

from perf_assets.core.analyses.benchmark_changes import LEAST_RESULTS, steps
from perf_assets.core.statistics.samples import Floats

RATIOS = (1.05, 1.1, 1.2, 1.5)
NEAR = 2  # results
LARGE = 1.1
LEAST = 20  # results of a series that is taken
QUERY = """
    SELECT list(measured_value ORDER BY committed_at, sha),
        date_diff('day', min(committed_at), max(committed_at)) / 365.25
    FROM raw.benchmark_results
    GROUP BY ALL HAVING count(*) >= ? AND min(measured_value) > 0
    ORDER BY hash(repository, benchmark, benchmark_parameters, machine, environment) LIMIT ?
"""
GROUPED = (
    "repository, benchmark, benchmark_parameters, machine, environment, unit, benchmark_version"
)


def series_of(
    path: Path | None, number: int, rng: np.random.Generator
) -> Iterator[tuple[Floats, float]]:
    """Yield series of results and how many years they cover."""
    if path is None:
        for _ in range(number):
            noise = rng.standard_t(3, 200) * rng.choice([0.002, 0.01, 0.05])
            yield np.repeat(rng.choice([1.0, 1.3], 4), 50) * np.exp(noise), 4.0
        return
    with duckdb.connect(str(path), read_only=True) as connection:
        query = QUERY.replace("GROUP BY ALL", f"GROUP BY {GROUPED}")
        for values, years in connection.execute(query, [LEAST, number]).fetchall():
            yield np.array(values), years


def asv_steps(values: Floats) -> list[int]:
    """Where asv has steps of 10 % or more between levels that last."""
    levels = [
        (start, level)
        for start, end, level, *_ in step_detect.detect_steps(values.tolist())
        if end - start >= LEAST_RESULTS
    ]
    pairs = pairwise(levels)
    return [at for (_, one), (at, other) in pairs if max(one, other) >= LARGE * min(one, other)]


def around_one(values: Floats) -> Floats:
    """The values, each divided by the level that asv gives it."""
    parts = step_detect.detect_steps(values.tolist())
    return np.concatenate([values[start:end] / level for start, end, level, *_ in parts])


def main() -> None:
    """Print the tables."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("database", type=Path, nargs="?", help="default: generated series")
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    false, years, seconds = 0, 0.0, 0.0
    found = dict.fromkeys(RATIOS, 0)
    ours_alone, both, asv_alone, number = 0, 0, 0, 0
    for values, span in series_of(arguments.database, arguments.series, rng):
        number += 1
        years += span
        false += len(list(steps(rng.permutation(values))))
        started = monotonic()
        ours = [
            step.at
            for step in steps(values)
            if max(ratio := step.value_after / step.value_before, 1 / ratio) >= LARGE
        ]
        seconds += monotonic() - started
        theirs = asv_steps(values)
        shared = sum(any(abs(at - other) <= NEAR for other in ours) for at in theirs)
        both += shared
        asv_alone += len(theirs) - shared
        ours_alone += sum(all(abs(at - other) > NEAR for other in theirs) for at in ours)
        noise = rng.permutation(around_one(values))
        middle = len(noise) // 2
        for ratio in RATIOS:
            planted = np.concatenate([noise[:middle], noise[middle:] * ratio])
            found[ratio] += any(abs(step.at - middle) <= NEAR for step in steps(planted))
    print("| series | years | false alarms | per series and year | ms per series |")
    print("| --- | --- | --- | --- | --- |")
    per_year, cost = false / max(years, 1e-9), 1000 * seconds / max(number, 1)
    print(f"| {number:,} | {years:,.0f} | {false} | {per_year:.4f} | {cost:.1f} |\n")
    print("| planted ratio | found |\n| --- | --- |")
    for ratio in RATIOS:
        print(f"| {ratio:g} | {found[ratio] / max(number, 1):.0%} |")
    agreement = 2 * both / max(2 * both + ours_alone + asv_alone, 1)
    print(
        f"\nasv's steps of 10 % or more: {both} found by both, {asv_alone} by asv alone,", end=" "
    )
    print(f"{ours_alone} here alone; F1 {agreement:.3f}")


if __name__ == "__main__":
    main()
