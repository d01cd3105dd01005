"""Figures of the trend: shares month by month, their tests, and why the open share changes.

And the funnel of bug reports, by the steps of the paper, and the months around each alert.
"""

import polars as pl

from perf_assets.reports.figures.drawing import COOL, OTHER, WARM, Spec, over_time
from perf_assets.reports.figures.panels import (
    NARROW,
    PLAIN,
    WIDTH,
    category,
    colored,
    course,
    estimates,
    lengths,
    panel,
    panels,
    quantity,
    series,
    stacked,
    values,
    without_marks,
)

SHORT = 150
"""Pixels in height of the picture of the first screen."""

SHARES = {"open": WARM, "fixed": COOL}
LINES = {"rule": WARM, "classifier": COOL, "corrected by verdicts": OTHER}

STEPS = ("issues", "bug reports", "closed bug reports", "fixed bug reports")
"""What is counted at each step (Makkouk et al., section III)."""

PARTS = {"performance bugs": WARM, "all others": OTHER}

WORK = {"reports": WARM, "fixes": COOL, "optimisations": OTHER}

LEVELS = {"by month": COOL, "level": WARM}
MEASURES = {
    "opened_share": "performance bugs among new reports, percent",
    "backlog_growth": "open performance bugs",
    "hours_to_first_comment": "hours to the first comment, median",
    "fix_time_days": "days until fixed, median",
}


def months(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of performance bugs by month, a panel a repository."""
    return panels(series, rows, "{repository}", "performance bugs, percent", SHARES)


def work(rows: pl.DataFrame) -> list[Spec]:
    """Return reports and performance work by quarter, a panel a repository."""
    return panels(series, rows, "{repository}", "number in the quarter", WORK)


def share_by_month(rows: pl.DataFrame) -> list[Spec]:
    """Return the share among new bug reports and its level with intervals, a panel a repository."""
    if rows["repository"].n_unique() == 1:
        return [_share_by_month("Performance bugs among new bug reports", rows)]
    return panels(_share_by_month, rows, "{repository}")


def _share_by_month(title: str, rows: pl.DataFrame) -> Spec:
    x = over_time("month", {"format": "%Y", "tickCount": "year", "grid": False})
    y = quantity("value", title="percent")
    tooltip = [
        category("month"),
        quantity("value", title="percent", format=".0f"),
        category("counts"),
    ]
    marks, rows = without_marks(rows, x)
    levels = {"data": {"values": values(rows.drop_nulls("low"))}}
    step = {"interpolate": "step-after", "color": WARM}
    measure = "performance bugs among new bug reports, percent"
    return panel(
        title,
        course(rows, measure),
        rows.filter(pl.col("low").is_null()).drop("low", "high"),
        WIDTH,
        SHORT,
        layer=[
            *marks,
            levels
            | {
                "mark": {"type": "area", "opacity": 0.18, **step},
                "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 26, "color": OTHER},
                "encoding": {"x": x, "y": y, "tooltip": tooltip},
            },
            levels
            | {
                "mark": {"type": "line", "strokeWidth": 2.5, **step},
                "encoding": {"x": x, "y": y, "tooltip": tooltip},
            },
        ],
    )


def odds(rows: pl.DataFrame) -> list[Spec]:
    """Return how the share changes in a year, one panel of all repositories."""
    if rows.is_empty():
        return []
    both = rows.select(pl.col("repository").alias("what"), "estimate", "low", "high", color="what")
    measure = "odds of a performance bug, factor a year"
    return [estimates("Is the share changing?", both, measure, nothing=1, is_factor=True)]


def changes(rows: pl.DataFrame) -> list[Spec]:
    """Return the parts of the change of the open share, a panel a repository."""
    names = {
        "points_a_year": "in all",
        "by_reports": "by what is reported",
        "by_closing": "by how long it stays open",
    }
    parts = rows.drop_nulls("points_a_year").unpivot(
        list(names), index="repository", variable_name="what"
    )
    named = parts.with_columns(pl.col("what").replace(names))
    return panels(lengths, named, "{repository}", "points a year", strong="in all")


def ratios(rows: pl.DataFrame) -> list[Spec]:
    """Return how often performance bugs are closed, one panel of all repositories."""
    measure = "closed so many times as often as other bugs of the same age"
    title = "How often open performance bugs are closed"
    return [estimates(title, rows, measure, nothing=1, is_factor=True)] if rows.height else []


def by_classifier(rows: pl.DataFrame) -> list[Spec]:
    """Return the share by the rule and by a classifier, a panel a repository."""
    return panels(_by_classifier, rows, "{repository}")


def _by_classifier(repository: str, rows: pl.DataFrame) -> Spec:
    measure = "performance bugs among new bug reports by quarter, percent"
    lines = {line: color for line, color in LINES.items() if line in rows["color"].unique()}
    return series(repository, rows, measure, lines)


def funnel(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel a repository: a bar a step, of which performance bugs are the dark part."""
    return panels(_funnel, rows, "{repository}")


def _funnel(repository: str, rows: pl.DataFrame) -> Spec:
    performance, others = PARTS
    long = rows.select(
        "step",
        pl.col("performance_bugs").alias(performance),
        (pl.col("n") - pl.col("performance_bugs")).alias(others),
    ).unpivot(list(PARTS), index="step", variable_name="color", value_name="bugs")
    order = pl.col("color").replace_strict({performance: 0, others: 1})
    step = category("step", sort=list(STEPS), title=None, axis=PLAIN)
    labels = rows.select("step", "n", text=pl.format("{} of {}", "performance_bugs", "n"))
    counts = "; ".join(
        f"{name} {n:,}, of which {k:,} performance bugs"
        for name, n, k in rows.select("step", "n", "performance_bugs").rows()
    )
    reports = quantity("bugs", aggregate="sum", title="reports")
    text = {"type": "text", "align": "left", "dx": 4, "fontSize": 11}
    return panel(
        repository,
        counts,
        long.with_columns(order=order),
        NARROW,
        30 * rows.height,
        layer=[
            stacked(step, reports, colored(list(PARTS), PARTS), 18),
            {
                "data": {"values": values(labels)},
                "mark": text,
                "encoding": {"y": step, "x": quantity("n"), "text": {"field": "text"}},
            },
        ],
    )


def alerts(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel an alert, the newest first."""
    return panels(_alert, rows, "{alert_id}")


def _alert(_: str, rows: pl.DataFrame) -> Spec:
    first = rows.row(0, named=True)
    where = " ".join(filter(None, (first["repository"], first["area"])))
    drawn = rows.select("month", "color", "value", "counts", "low", "high")
    if not drawn["low"].count():
        drawn = drawn.drop("low", "high")
    colors = {name: LEVELS[name] for name in LEVELS if name in set(drawn["color"])}
    return series(f"{where}: {first['changed']}", drawn, MEASURES[first["series"]], colors)
