"""How often each trend test is wrong where there is no trend (its size), and right where there is.

It prints a table, and fails where a size is not what it should be. Part of `make test-all`:

    python -m tests.benchmarks.test_sizes [--histories 1000]
    PERF_ASSETS_HISTORIES=1000 python -m pytest tests/benchmarks/test_sizes.py -s

Of the published PyTorch data the labels are permuted among the bug reports, which keep their
times. Generated histories have no trend, or ever more performance bugs among the reports, or
performance bugs that are closed more slowly than others. A size belongs to a test whose null
hypothesis holds: the part of the closing where reports alone rise, the flow of reports where
closing alone is slower. What is not a size is power. At 0.05 a size of a thousand histories has a
standard error of 0.007.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from scipy import stats

from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.analyses.closing import open_share_change
from perf_assets.core.analyses.permutation_series import (
    FLOWS,
    MONTHS_IN_A_YEAR,
    SERIES,
    CumulativeSeries,
    null_distribution,
    pairs_of,
    permutation_test,
)
from perf_assets.core.statistics.trend import binomial_regression, cochran_armitage
from perf_assets.stages.replicating import load_package
from perf_assets.stages.transform.derivation import derive
from perf_assets.stages.transform.models import lay_views
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.bug_histories import month, paths_of
from tests.effort import HISTORIES
from tests.paths import PYTORCH_PACKAGE

LEVEL = 0.05
BOUNDS = (0.03, 0.07)
MONTHS = 60
PERMUTATIONS = 499

Key = tuple[str, str]

VALID = {
    *((series, "permutation") for series in ("open", "fixed")),
    *(
        (series, method)
        for series in FLOWS
        for method in ("binomial_regression", "cochran_armitage")
    ),
    ("open", "slope_from_closing"),
}
"""What claims its size; ``cox_stuart``, the paper's test, stands beside it as a figure alone."""


@dataclass(frozen=True)
class Scenario:
    """Histories to be tested, and of which tests the null hypothesis holds in them."""

    name: str
    nulls: frozenset[Key]
    more_by_year: float = 1.0
    slower: float = 1.0


SCENARIOS = (
    Scenario("no trend", frozenset(VALID)),
    Scenario("reports rising", frozenset({("open", "slope_from_closing")}), more_by_year=1.25),
    Scenario(
        "closing slower",
        frozenset({("opened", "binomial_regression"), ("opened", "cochran_armitage")}),
        slower=3.0,
    ),
)


def history_of(scenario: Scenario, seed: int) -> pl.DataFrame:
    """As ``marts.issue_history``: some 3,000 reports of five years, ever more of them a month."""
    random = np.random.default_rng(seed)
    opened = np.repeat(np.arange(MONTHS), random.poisson(30 * (1 + np.arange(MONTHS) / 30)))
    odds = 0.08 / 0.92 * scenario.more_by_year ** (opened / MONTHS_IN_A_YEAR)
    is_performance = random.random(len(opened)) < odds / (1 + odds)
    wait = random.exponential(6, len(opened)) * np.where(is_performance, scenario.slower, 1)
    closed = opened + wait.astype(int)
    ends = (closed < MONTHS) & (random.random(len(opened)) < 0.8)
    is_fixed = ends & (random.random(len(opened)) < 0.3)
    names = np.array([month(place) for place in range(MONTHS)])
    bugs = pl.DataFrame(
        {
            "number": np.arange(len(opened)),
            "opened_month": names[opened],
            "closed_month": names[np.minimum(closed, MONTHS - 1)],
            "is_performance": is_performance,
            "ends": ends,
            "is_fixed": is_fixed,
            "at_once": ends & (closed == opened),
        }
    ).with_columns(is_bug_report=pl.lit(value=True))
    closed_at = pl.col("closed_month").str.to_datetime("%Y-%m", time_unit="us", time_zone="UTC")
    rest = ["number", "opened_month", "is_bug_report", "is_performance"]
    first = bugs.filter(~pl.col("at_once")).select(
        *rest,
        month="opened_month",
        until_month=pl.when("ends").then("closed_month"),
        state=pl.lit("open"),
        closed_at=pl.lit(None, dtype=pl.Datetime("us", "UTC")),
        is_fixed=pl.lit(value=False),
    )
    last = bugs.filter("ends").select(
        *rest,
        month="closed_month",
        until_month=pl.lit(None, dtype=pl.String),
        state=pl.lit("closed"),
        closed_at=closed_at,
        is_fixed="is_fixed",
    )
    return pl.concat([first, last])


def found_in(paths: CumulativeSeries) -> Iterator[tuple[Key, bool]]:
    """Of each test whether it finds a trend, or a part of the closing, in a history."""
    totals, counts = paths.totals, paths.performance_counts()
    chance = null_distribution(paths, PERMUTATIONS, alarms=False)
    assert chance is not None
    years = np.arange(paths.months) / MONTHS_IN_A_YEAR
    for series in SERIES:
        rising, falling = pairs_of(counts[series], totals[series])
        paper = stats.binom.sf(rising - 1, rising + falling, 0.5)
        yield (series, "cox_stuart"), bool(paper <= LEVEL)
        if series not in FLOWS:
            test = permutation_test(paths, series, PERMUTATIONS, chance)
            yield (series, "permutation"), test.p_value is not None and test.p_value <= LEVEL
            continue
        own = counts[series], totals[series], years
        yield (series, "binomial_regression"), bool(binomial_regression(*own).pvalue <= LEVEL)
        yield (series, "cochran_armitage"), bool(cochran_armitage(*own)[1] <= LEVEL)
    p = open_share_change(paths).get("p_value")
    yield ("open", "slope_from_closing"), p is not None and p <= LEVEL


def share_found(paths: Iterator[CumulativeSeries]) -> dict[Key, float]:
    """In what share of histories each test finds something."""
    found = [dict(found_in(one)) for one in paths]
    return {key: float(np.mean([one[key] for one in found])) for key in found[0]}


def generated(scenario: Scenario, histories: int) -> Iterator[CumulativeSeries]:
    names = [month(place) for place in range(MONTHS)]
    for seed in range(histories):
        yield paths_of(history_of(scenario, seed), names)


def permuted(histories: int) -> Iterator[CumulativeSeries]:
    """The published PyTorch reports with permuted labels."""
    with TemporaryDirectory() as folder:
        data_dir = DataDirectory.of(Path(folder))
        with open_warehouse(data_dir.warehouse) as database:
            writer = AuditedWriter(database, data_dir)
            load_package(writer, PYTORCH_PACKAGE)
            lay_views(writer)
            list(derive(writer, {"marts.issue_history", "marts.trend_monthly"}))
            history = database.frame("FROM marts.issue_history ORDER BY number, month")
            months = database.frame("SELECT DISTINCT month FROM marts.trend_monthly ORDER BY month")
    paths = paths_of(history, months["month"].to_list())
    random = np.random.default_rng(0)
    for _ in range(histories):
        yield replace(paths, is_performance=random.permutation(paths.is_performance))


def report_lines(name: str, shares: dict[Key, float], nulls: frozenset[Key]) -> Iterator[str]:
    for (series, method), share in shares.items():
        what = "size" if (series, method) in nulls else "power"
        if method == "cox_stuart" and name in {"no trend", "labels permuted"}:
            what = "size, not claimed"
        yield f"{name:16} {series:12} {method:20} {share:6.3f}  {what}"


def out_of_bounds(shares: dict[Key, float], nulls: frozenset[Key]) -> dict[Key, float]:
    low, high = BOUNDS
    return {key: shares[key] for key in nulls if not low <= shares[key] <= high}


def measured(
    name: str, paths: Iterator[CumulativeSeries], nulls: frozenset[Key]
) -> dict[Key, float]:
    """Print what is found of histories; returns the sizes that are out of bounds."""
    shares = share_found(paths)
    print("", *report_lines(name, shares, nulls), sep="\n", flush=True)
    return out_of_bounds(shares, nulls)


@pytest.mark.skipif(
    not HISTORIES, reason="on demand: PERF_ASSETS_HISTORIES says how many histories"
)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_sizes_of_generated_histories(scenario: Scenario) -> None:
    assert measured(scenario.name, generated(scenario, HISTORIES), scenario.nulls) == {}


@pytest.mark.skipif(
    not HISTORIES, reason="on demand: PERF_ASSETS_HISTORIES says how many histories"
)
@pytest.mark.skipif(not PYTORCH_PACKAGE.is_dir(), reason="the published PyTorch data are not there")
def test_sizes_of_permuted_labels() -> None:
    assert measured("labels permuted", permuted(HISTORIES), frozenset(VALID)) == {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=1000, help="of each kind")
    histories = parser.parse_args().histories
    wrong = [
        measured(scenario.name, generated(scenario, histories), scenario.nulls)
        for scenario in SCENARIOS
    ]
    if PYTORCH_PACKAGE.is_dir():
        wrong.append(measured("labels permuted", permuted(histories), frozenset(VALID)))
    else:
        print(f"labels permuted: the published PyTorch data are not at {PYTORCH_PACKAGE}")
    if any(wrong):
        raise SystemExit(f"sizes out of {BOUNDS}: {wrong}")


if __name__ == "__main__":
    main()
