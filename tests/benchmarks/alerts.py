"""How often planted changes raise an alert, how soon, and how often one is raised without any.

Run by hand:

    python -m tests.benchmarks.alerts [--histories 1000] [--seed 1]

Histories are a repository's counts by month and the times of its performance bugs: five years, of
12 to 60 bug reports a month (by the seed, for each history), of which 10 to 25 % are performance
bugs, with numbers of reports that grow and shrink by the season, times that vary as real ones do
(a factor of e to the standard deviation), shares that wander from month to month, and closings in
spells. In half of them one series changes in month 37 to 48, by a size of the list. Alerts are
raised as of the end of each month from the third year on, as somebody sees them who runs the
pipeline monthly. A change is found where an alert is raised whose month is within three of the
planted one, whichever series leads it. All other alerts are false, each counted once, but for those
of the planted series within a year of the change, which is then dated badly. Prints tables in
Markdown.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np
import polars as pl

from perf_assets.base.months import add_months
from perf_assets.core.analyses.alert_states import is_same
from perf_assets.core.analyses.alerts import alerts_of
from perf_assets.schema import schema_of
from tests.rows import REPOSITORY

FIRST, MONTHS, LOOKS_FROM = "2016-01", 60, 24
YEARS = (MONTHS - LOOKS_FROM) / 12
NEAR, DATED_BADLY = 3, 12
NO_STATES = pl.DataFrame(schema=schema_of("reviews.alert_states"))
SIZES = {
    "opened_share": [0.05, 0.10, 0.15, 0.25],
    "backlog_growth": [1.0, 2.0, 3.0, 5.0],
    "hours_to_first_comment": [1.5, 3.0, 6.0, 12.0],
    "fix_time_days": [1.5, 3.0, 6.0, 12.0],
}
UNITS = {
    "opened_share": "{:+.0%} of reports",
    "backlog_growth": "{:+.0f} a month",
    "hours_to_first_comment": "{:g} times as long",
    "fix_time_days": "{:g} times as long",
}
WANDERING = {"steady": 0.0, "wandering": 0.25}
"""Standard deviation of the log odds of the share, with a correlation of 0.3 between months."""


@dataclass
class Planted:
    """What a history has: nothing, or a change of ``series`` of ``size`` from month ``at`` on."""

    series: str | None = None
    size: float = 0.0
    at: int = 0


@dataclass
class Tally:
    """What became of histories."""

    histories: int = 0
    found: int = 0
    delays: list[int] = field(default_factory=list)
    false_alerts: int = 0
    with_false_alerts: int = 0


def history(
    draw: np.random.Generator, planted: Planted, wandering: float
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Counts by month and performance bugs, as ``alerts_of`` takes them."""
    months = [add_months(FIRST, index) for index in range(MONTHS)]
    after = np.arange(MONTHS) >= planted.at if planted.series else np.zeros(MONTHS, dtype=bool)
    season = 1 + 0.2 * np.sin(np.arange(MONTHS) * np.pi / 6)
    totals = draw.poisson(draw.uniform(12, 60) * season * np.exp(draw.normal(0, 0.15, MONTHS)))
    odds = np.log(draw.uniform(0.10, 0.25))
    noise = np.zeros(MONTHS)
    for index in range(1, MONTHS):
        noise[index] = 0.3 * noise[index - 1] + wandering * np.sqrt(1 - 0.09) * draw.normal()
    shares = np.exp(odds) + (planted.size * after if planted.series == "opened_share" else 0)
    shares = 1 / (1 + np.exp(-np.log(shares / (1 - shares)) - noise))
    opened = draw.binomial(totals, shares)
    # As many are closed as were opened on average, in spells; of more than there are none.
    drift = planted.size * after if planted.series == "backlog_growth" else 0
    rate = np.maximum(totals * np.exp(odds) * np.exp(draw.normal(0, 0.3, MONTHS)) - drift, 0)
    closed, level, levels = draw.poisson(rate), int(draw.integers(20, 60)), []
    for index in range(MONTHS):
        level = max(0, level + int(opened[index]) - int(closed[index]))
        levels.append(level)
    hours = 8 * np.where(after & (planted.series == "hours_to_first_comment"), planted.size, 1.0)
    days = 15 * np.where(after & (planted.series == "fix_time_days"), planted.size, 1.0)
    of_month = np.repeat(np.arange(MONTHS), opened)
    fixed = draw.uniform(size=len(of_month)) < 0.5
    reports = pl.DataFrame(
        {
            "number": np.arange(1, len(of_month) + 1),
            "month": [months[index] for index in of_month],
            "closed_month": [months[index] for index in of_month],
            "hours_to_first_comment": hours[of_month] * np.exp(draw.normal(0, 2, len(of_month))),
            "fix_time_days": days[of_month] * np.exp(draw.normal(0, 1.5, len(of_month))),
        }
    ).with_columns(
        repository=pl.lit(REPOSITORY),
        area=pl.lit(None, dtype=pl.String),
        fix_time_days=pl.when(pl.Series(fixed)).then("fix_time_days"),
    )
    counts = pl.DataFrame(
        {
            "month": months,
            "opened_performance": opened,
            "opened_total": totals,
            "open_performance": levels,
        }
    ).with_columns(repository=pl.lit(REPOSITORY), area=pl.lit(None, dtype=pl.String))
    return counts, reports


def looks(counts: pl.DataFrame, reports: pl.DataFrame, every: int) -> Iterator[tuple[int, Any]]:
    """What is raised as of the end of each month from LOOKS_FROM on: its number, and the rows."""
    for last in range(LOOKS_FROM, MONTHS + 1, every):
        month = counts["month"][last - 1]
        then = reports.filter(pl.col("month") <= month)
        yield last, alerts_of(counts.head(last), then, NO_STATES).to_dicts()


def measure(planted: Planted, draw: np.random.Generator, wandering: float, tally: Tally) -> None:
    """Add one history to ``tally``, looked at each month."""
    counts, reports = history(draw, planted, wandering)
    delay, false_ones = None, list[str]()
    for last, rows in looks(counts, reports, 1):
        for row in rows:
            index = (int(row["month"][:4]) - 2016) * 12 + int(row["month"][5:]) - 1
            apart = abs(index - planted.at) if planted.series else MONTHS
            if apart <= NEAR:
                delay = last - planted.at if delay is None else delay
            elif row["series"] == planted.series and apart <= DATED_BADLY:
                continue
            elif not any(is_same(row["alert_id"], other) for other in false_ones):
                false_ones.append(row["alert_id"])
    tally.histories += 1
    tally.false_alerts += len(false_ones)
    tally.with_false_alerts += bool(false_ones)
    if delay is not None:
        tally.found += 1
        tally.delays.append(delay)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--histories", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    begun = monotonic()
    print("| without a change | histories | alerts | a repository and year | histories with one |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, wandering in WANDERING.items():
        draw, tally = np.random.default_rng([options.seed, 0]), Tally()
        for _ in range(options.histories // 2):
            measure(Planted(), draw, wandering, tally)
        share = tally.with_false_alerts / tally.histories
        rate = tally.false_alerts / tally.histories / YEARS
        print(
            f"| {name} | {tally.histories:,} | {tally.false_alerts:,} | {rate:.3f} | {share:.1%} |",
            flush=True,
        )
    print("\n| series | change | histories | found | within a year | median delay, months | else |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    kinds = [(series, size) for series, sizes in SIZES.items() for size in sizes]
    for number, (series, size) in enumerate(kinds, 1):
        draw, tally = np.random.default_rng([options.seed, number]), Tally()
        for _ in range(options.histories // len(kinds)):
            at = int(draw.integers(36, 48))
            measure(Planted(series, size, at), draw, WANDERING["wandering"], tally)
        soon = sum(delay <= 12 for delay in tally.delays) / tally.histories
        median = f"{np.median(tally.delays):.0f}" if tally.delays else ""
        print(
            f"| {series} | {UNITS[series].format(size)} | {tally.histories:,} | "
            f"{tally.found / tally.histories:.0%} | {soon:.0%} | {median} | "
            f"{tally.false_alerts / tally.histories / YEARS:.3f} |",
            flush=True,
        )
    print(f"\n{monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
