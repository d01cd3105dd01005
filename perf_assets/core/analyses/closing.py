"""Why the share of open performance bugs moves: by what is reported, or by how it is closed."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy import stats

from perf_assets.core.analyses.formatting import factor_text, p_text
from perf_assets.core.analyses.group_samples import CONFIDENCE, by_repository, complete_months
from perf_assets.core.analyses.incidence import DAY, watched
from perf_assets.core.analyses.permutation_series import (
    MONTHS_IN_A_YEAR,
    CumulativeSeries,
    months_about_their_mean,
    series_by_repository,
)
from perf_assets.core.statistics.minimum_events import REGRESSION, too_few
from perf_assets.core.statistics.power import RATE_RATIO, power, ratio_power
from perf_assets.core.statistics.rates import RateFit, poisson_regression
from perf_assets.core.statistics.samples import Floats
from perf_assets.schema import schema_of

KINDS = ("performance", "other", "performance_against_other")

AGES = (0, 7, 30, 90, 365, 1095)
"""Days at which a band of ages begins: a bug is closed in its first week or, often, never."""

_RATIO = ("rate_ratio", "rate_ratio_low", "rate_ratio_high", "rate_ratio_p_value")
_PER_YEAR = (
    *("rate_ratio_per_year", "rate_ratio_per_year_low", "rate_ratio_per_year_high"),
    "p_value",
)

COEFFICIENTS = 2
"""Of each kind: the level of its rate, and its trend."""

NOT_TESTABLE = "not testable: too few bug reports or closes"

YEAR = 365.25


def closing_rates(bug_metrics: pl.DataFrame, trend_monthly: pl.DataFrame) -> pl.DataFrame:
    """Return how often open bugs are closed, and how that changes over the years, by kind.

    Parameters
    ----------
    bug_metrics, trend_monthly : as for :func:`~perf_assets.core.analyses.incidence.fix_incidence`.

    Returns
    -------
    ``analysis.closing_rates``: three rows for each dataset and repository, one for each of
    :data:`KINDS`. Rates are closes by year of being open.

    Notes
    -----
    The hazard of closing in a month, a piecewise exponential model: closes by month, kind and band
    of age (:data:`AGES`), with the time that bugs were open as exposure. Each band has a level, so
    that a backlog which grows old is not taken for slower closing; performance bugs have a factor
    of their own; and each kind has a trend over the years. Errors are widened where months vary
    more than chance would have it. A bug that was reopened counts as open until its last close.
    """
    rows = [
        {"dataset": dataset, "repository": repository, **row}
        for dataset, repository, bugs in by_repository(watched(bug_metrics, trend_monthly))
        for row in _rate_rows(bugs)
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.closing_rates"))


def open_share_changes(trend_monthly: pl.DataFrame, issue_history: pl.DataFrame) -> pl.DataFrame:
    """Return how much of the trend of the open share comes from reports, and how much from closing.

    Parameters
    ----------
    trend_monthly, issue_history : as for :func:`~perf_assets.core.analyses.trends.trend_tests`.

    Returns
    -------
    ``analysis.open_share_changes``: a row for each dataset and repository with a complete month.

    Notes
    -----
    The slope of the open share over months, each weighted by its open bug reports, is a sum
    over the performance bugs: each adds what its open months add. What a bug report of the
    month in which it was opened adds on the average, whatever its kind, is the part of the
    reports: it depends on how many performance bugs were opened when. What is left is the part
    of the closing: that performance bugs stay open longer, or shorter, than others of their
    month, ever more or ever less so. A difference that stays the same over the years adds about
    nothing to a slope; later closes are reported by :func:`closing_rates`. Without a
    difference in closing the part has mean 0 and the variance of labels permuted within the
    months of opening, by which it is tested.
    """
    months = complete_months(trend_monthly)
    key = ["dataset", "repository"]
    months = months.join(issue_history, on=key, how="semi", maintain_order="left")
    rows = [
        {"dataset": dataset, "repository": repository, **open_share_change(paths)}
        for (dataset, repository), paths in series_by_repository(issue_history, months).items()
        if paths.months > 1
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.open_share_changes"))


def open_share_change(paths: CumulativeSeries) -> dict[str, Any]:
    """Return the figures of a row of ``analysis.open_share_changes``; what is left out is NULL."""
    totals = paths.totals["open"]
    centred = months_about_their_mean(totals)
    spread = totals @ centred**2
    reason = paths.too_few("open")
    if reason is None and totals.sum() == 0:
        reason = "no bug report was open in any month"
    if reason is None and spread == 0:
        reason = "bug reports were open in one month alone"
    if reason is not None:
        return {"n": len(paths.opened), "is_too_few": True, "result": reason}
    # A report that opens in a month is open in all that follow, until a step takes it out.
    following = np.cumsum(centred[::-1])[::-1]
    adds = 100 * (paths.steps[:, : paths.months] @ following) / spread
    label = paths.is_performance.astype(np.float64)
    size, performance, total, squares = (
        np.bincount(paths.opened, weights=weights)
        for weights in (np.ones_like(adds), label, adds, adds**2)
    )
    mean = np.where(size > 0, total / np.maximum(size, 1), 0.0)
    slope, of_reports = float(label @ adds), float(performance @ mean)
    variance = float(
        np.sum(
            performance
            * (size - performance)
            / np.maximum(size - 1, 1)
            * np.maximum(squares / np.maximum(size, 1) - mean**2, 0)
        )
    )
    z = (slope - of_reports) / variance**0.5 if variance > 0 else None
    p = None if z is None else 2 * float(stats.norm.sf(abs(z)))
    return {
        "n": len(paths.opened),
        "slope": slope,
        "slope_from_reports": of_reports,
        "slope_from_closing": slope - of_reports,
        "statistic": z,
        "p_value": p,
        "power": power(paths.middling_slope("open"), variance**0.5),
        "is_too_few": False,
        "result": f"the open share changes by {slope:+.2f} points a year: {of_reports:+.2f} by "
        f"what is reported, {slope - of_reports:+.2f} by how long reports stay open ({p_text(p)})",
    }


def _rate_rows(bugs: pl.DataFrame) -> Iterator[dict[str, object]]:
    """Yield the rows of both kinds, and of one against the other; what one leaves out is NULL."""
    edges = _edges(bugs)
    groups = [bugs.filter(is_performance=kind) for kind in (True, False)]
    cells = [_cells(group, edges) for group in groups]
    performance, other = closes = [int(cell.events.sum()) for cell in cells]
    reason = too_few("compare", COEFFICIENTS * REGRESSION, performance, other, "closed")
    fit = _fit(*cells) if reason is None else None
    for kind, group, n_closes, cell in zip(KINDS, groups, closes, cells, strict=False):
        years = float(cell.exposure.sum() / YEAR)
        yield {
            "kind": kind,
            "n": group.height,
            "closes": n_closes,
            "open_years": years,
            "closes_per_open_year": n_closes / years if years else None,
            **_ratios(fit, kind, reason),
        }
    yield {"kind": KINDS[-1], "n": bugs.height, **_ratios(fit, KINDS[-1], reason)}


def _ratios(fit: RateFit | None, kind: str, reason: str | None) -> dict[str, object]:
    """Return rate ratio and its change by year, each with limits and p-value, and the rest."""
    if fit is None:
        return {"is_too_few": reason is not None, "result": reason or NOT_TESTABLE}
    figures = {"dispersion": fit.dispersion, "is_too_few": False, "result": NOT_TESTABLE}
    level, of_performance, of_others = np.eye(len(fit.coefficients))[-3:]
    contrasts = (of_performance, of_others, of_performance - of_others)
    change = fit.ratio(dict(zip(KINDS, contrasts, strict=True))[kind], CONFIDENCE)
    changes = {} if change is None else dict(zip(_PER_YEAR, change, strict=True))
    if kind != KINDS[-1]:
        if change is not None:
            figures["result"] = (
                f"at equal age the rate of closing changes by {factor_text(*change)}"
            )
        return figures | changes
    ratio = fit.ratio(level, CONFIDENCE)
    if ratio is None:
        return figures
    text = (
        f"open performance bugs are closed {ratio[0]:.2f} times as often as others of the same age "
        f"[{ratio[1]:.2f}, {ratio[2]:.2f}], {p_text(ratio[3])}; "
    )
    if change is None:
        text += "too few were closed to say whether this ratio changes"
    else:
        text += f"this ratio changes by {factor_text(*change)}"
    figures |= {"power": ratio_power(RATE_RATIO, ratio[1], ratio[2]), "result": text}
    return figures | changes | dict(zip(_RATIO, ratio, strict=True))


class _Cells(NamedTuple):
    """Of each month and band of ages: closes, open days, the band, and the time in years."""

    events: Floats
    exposure: Floats
    ages: Floats
    times: Floats


def _edges(bugs: pl.DataFrame) -> Floats:
    """Days at which months begin, of equal length, as long as anything was watched."""
    if bugs.is_empty():
        return np.zeros(0)
    opened = bugs["opened_at"].dt.timestamp("us").to_numpy()
    ended = opened + bugs["watched_days"].to_numpy() * DAY
    return np.arange(opened.min() / DAY, ended.max() / DAY, YEAR / MONTHS_IN_A_YEAR)


def _cells(bugs: pl.DataFrame, edges: Floats) -> _Cells:
    since = (bugs["opened_at"].dt.timestamp("us") / DAY).to_numpy()
    until = since + bugs["days"].to_numpy()
    is_closed = bugs["is_closed"].to_numpy()
    length = YEAR / MONTHS_IN_A_YEAR
    young, old = np.array([*pairwise([*AGES, np.inf])]).T[:, :, None]
    bands = np.arange(len(AGES), dtype=np.float64)
    cells = []
    for start in edges:
        alive = (since < start + length) & (until >= start)
        here, left = since[alive], until[alive]
        ends = is_closed[alive] & (left < start + length)
        low = np.maximum(here + young, start)
        high = np.minimum(np.minimum(here + old, start + length), left)
        age = left - here
        closes = np.sum(ends & (age >= young) & (age < old), axis=1)
        open_days = np.clip(high - low, 0, None).sum(axis=1)
        time = np.full(len(bands), (start + length / 2) / YEAR)
        cells.append(np.stack([closes, open_days, bands, time]))
    return _Cells(*np.concatenate(cells, axis=1) if cells else np.zeros((4, 0)))


def _fit(performance: _Cells, other: _Cells) -> RateFit | None:
    """Fit bands of age, the factor of performance bugs, and a trend of each kind."""
    events, exposure, ages, times = (
        np.concatenate(parts) for parts in zip(performance, other, strict=True)
    )
    # A band of ages in which nothing was closed yet has no finite level, and carries no other
    # information.
    bands = np.array([band for band in range(len(AGES)) if events[ages == band].sum()])
    if not (performance.events.sum() and other.events.sum()):
        return None
    is_performance = np.arange(len(events)) < len(performance.events)
    # The level of performance bugs is read in the middle of what was watched.
    middle = times - (exposure @ times) / exposure.sum()
    columns = np.column_stack(
        [ages[:, None] == bands, is_performance, is_performance * middle, ~is_performance * middle]
    ).astype(np.float64)
    is_finite = np.isin(ages, bands)
    return poisson_regression(events[is_finite], exposure[is_finite], columns[is_finite])
