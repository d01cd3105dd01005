"""Figures of the trend: shares month by month, their tests, and why the open share changes."""

import polars as pl

from perf_assets.reports.figures.drawing import COOL, OTHER, WARM, Spec
from perf_assets.reports.figures.panels import estimates, lengths, series

SHARES = {"open": WARM, "fixed": COOL}

LINES = {"rule": WARM, "classifier": COOL, "corrected by verdicts": OTHER}


def months(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of performance bugs by month, a panel a repository."""
    groups = rows.group_by("repository", maintain_order=True)
    measure = "performance bugs, percent"
    return [series(str(name), part, measure, SHARES) for (name,), part in groups]


def odds(rows: pl.DataFrame) -> list[Spec]:
    """Return how the share changes in a year, one panel of all repositories."""
    if rows.is_empty():
        return []
    both = rows.select(pl.col("repository").alias("what"), "estimate", "low", "high", color="what")
    measure = "odds of a performance bug, factor a year"
    return [estimates("Is the share changing?", both, measure, nothing=1, is_factor=True)]


def changes(rows: pl.DataFrame) -> list[Spec]:
    """Return the parts of the change of the open share, a panel a repository."""
    names = {"by_reports": "by what is reported", "by_closing": "by how long it stays open"}
    return [
        lengths(
            row["repository"],
            pl.DataFrame(
                {
                    "what": ["in all", *names.values()],
                    "value": [row["points_a_year"], *(row[name] for name in names)],
                }
            ),
            "points a year",
            strong="in all",
        )
        for row in rows.drop_nulls("points_a_year").iter_rows(named=True)
    ]


def ratios(rows: pl.DataFrame) -> list[Spec]:
    """Return how often performance bugs are closed, one panel of all repositories."""
    measure = "closed so many times as often as other bugs of the same age"
    title = "How often open performance bugs are closed"
    return [estimates(title, rows, measure, nothing=1, is_factor=True)] if rows.height else []


def by_classifier(rows: pl.DataFrame) -> list[Spec]:
    """Return the share by the rule and by a classifier, a panel a repository."""
    measure = "performance bugs among new bug reports by quarter, percent"
    return [
        series(
            str(name),
            part,
            measure,
            {line: LINES[line] for line in LINES if line in part["color"].unique()},
        )
        for (name,), part in rows.group_by("repository", maintain_order=True)
    ]
