"""When the instrument changed: a label, an automation, a form or a type that begins or ends."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from perf_assets.schema import schema_of

TABLE = "marts.instrument_changes"

LEAST_ISSUES = 10
LEAST_SHARE = 0.05
"""Of the issues opened while it was used."""

MARGIN = 3
"""Months of the series without it, before it begins or after it ends."""

SAID = {
    "label": "the label {name} {change} to be used",
    "automation": "the automation {name} {change} to label",
    "form": "the issue form {name} {change} to be used",
    "type": "the issue type {name} {change} to be used",
}


def instrument_changes(instrument_use: pl.DataFrame, trend_monthly: pl.DataFrame) -> pl.DataFrame:
    """Return the months in which an instrument begins or ends.

    Parameters
    ----------
    instrument_use : ``intermediate.instrument_use``.
    trend_monthly : ``marts.trend_monthly``: dataset, repository, month, is_complete and
        opened_total. The complete months are the series.

    Returns
    -------
    ``marts.instrument_changes``.
    """
    rows: list[dict[str, Any]] = []
    live = trend_monthly.filter("is_complete", dataset="live").sort("month")
    opened = {
        repository: dict(months.select("month", "opened_total").iter_rows())
        for (repository,), months in live.group_by("repository", maintain_order=True)
    }
    used = instrument_use.sort("repository", "instrument", "name", "month")
    for (repository, instrument, name), found in used.group_by(
        "repository", "instrument", "name", maintain_order=True
    ):
        months = opened.get(repository, {})
        counts = {
            month: issues
            for month, issues in found.select("month", "used_on").iter_rows()
            if month in months
        }
        for begins, month in _changes(months, counts):
            verb = "began" if begins else "ceased"
            said = SAID[instrument].format(name=name, change=verb)
            rows.append(
                {
                    "repository": repository,
                    "month": month,
                    "instrument": instrument,
                    "name": name,
                    "begins": begins,
                    "used_on": sum(counts.values()),
                    "result": said,
                }
            )
    return pl.DataFrame(rows, schema=schema_of(TABLE)).sort(
        "repository", "month", "instrument", "name", "begins"
    )


def _changes(opened: Mapping[str, int], counts: Mapping[str, int]) -> Iterator[tuple[bool, str]]:
    """Yield the month in which an instrument begins, and that in which it is no longer used.

    counts : issues by month on which it was used.
    """
    series: Sequence[str] = list(opened)
    if sum(counts.values()) < LEAST_ISSUES:
        return
    first, last = series.index(min(counts)), series.index(max(counts))
    meanwhile = sum(opened[month] for month in series[first : last + 1])
    if sum(counts.values()) < LEAST_SHARE * meanwhile:
        return
    if first >= MARGIN:
        yield True, series[first]
    if len(series) - 1 - last >= MARGIN:
        yield False, series[last + 1]
