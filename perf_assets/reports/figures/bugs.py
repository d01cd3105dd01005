"""Figures of single bugs: how soon they are fixed, how they differ, and what that hangs on.

And of projects against each other, of areas against the rest of their repository, and Table II of
the paper: medians, tests, and the distributions behind them.
"""

from collections.abc import Mapping

import polars as pl

from perf_assets.reports.figures.drawing import COLORS, COOL, KINDS, OTHER, WARM, Spec
from perf_assets.reports.figures.panels import (
    PLAIN,
    WIDTH,
    category,
    colored,
    estimates,
    panel,
    panels,
    quantity,
    stacked,
)

METRIC_TITLES = {
    "fix_time_days": "fix time (days)",
    "fix_size": "fix size (lines)",
    "hours_to_first_comment": "time to first comment (hours)",
    "comments": "comments",
    "commentators": "commentators",
}
METRICS = {name: title.partition(" (")[0] for name, title in METRIC_TITLES.items()}
KIND = pl.when("is_performance").then(pl.lit("performance bugs")).otherwise(pl.lit("other bugs"))
OUTCOMES = {
    "fixed": "fixed",
    "closed_without_fix": "closed without a fix",
    "duplicate": "duplicate",
    "not_planned": "not planned",
    "invalid": "invalid",
    "open": "open",
}
"""What became of a report, in the order of the bars."""

EVENTS = {name: OUTCOMES[name] for name in ("fixed", "closed_without_fix")}
OUTCOME_COLORS = dict(
    zip(OUTCOMES.values(), (COOL, OTHER, COLORS[2], COLORS[3], COLORS[4], WARM), strict=True)
)

DELTA = "Cliff's delta; above 0 performance bugs have more"


def effects(rows: pl.DataFrame, color: str = "") -> list[Spec]:
    """Return a panel a repository: Cliff's delta of each metric, with intervals if known."""
    drawn = rows.with_columns(what=pl.col("metric").replace(METRICS))
    if color:
        drawn = drawn.with_columns(color=pl.col(color))
    if "low" not in drawn.columns:
        drawn = drawn.with_columns(low=pl.col("estimate"), high=pl.col("estimate"))
    return panels(estimates, drawn.drop_nulls("estimate"), "{repository}", DELTA, nothing=0)


def by_links(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel for each repository and metric: there are many ways to leave links out."""
    named = rows.with_columns(pl.col("metric").replace_strict(METRICS), what="variant")
    drawn = named.with_columns(low="estimate", high="estimate")
    return panels(estimates, drawn, "{repository}, {metric}", DELTA, nothing=0)


def by_bots(rows: pl.DataFrame) -> list[Spec]:
    """Cliff's delta of each metric by what is done with bots, a panel a repository."""
    return effects(rows, "variant")


def members(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of fixes that members and newcomers made, a panel a repository."""
    measure = "fixes that they made, percent"
    colors = {"performance": WARM, "other": COOL}
    return panels(estimates, rows, "{repository}", measure, colors=colors)


def outcomes(rows: pl.DataFrame) -> list[Spec]:
    """Return bars of 100 percent: what became of performance bugs, and of others."""
    return panels(_outcomes, rows, "{repository}")


def _outcomes(title: str, rows: pl.DataFrame) -> Spec:
    said = ", ".join(
        f"{kind} {OUTCOMES[outcome]} {percent:.0f} %"
        for kind, outcome, percent in rows.select("kind", "outcome", "percent").iter_rows()
    )
    drawn = rows.select(
        "kind",
        "percent",
        pl.col("bug_reports"),
        color=pl.col("outcome").replace_strict(OUTCOMES),
        order=pl.col("outcome").replace_strict(
            {name: place for place, name in enumerate(OUTCOMES)}
        ),
    )
    kinds = drawn["kind"].unique(maintain_order=True).to_list()
    names = [words for name, words in OUTCOMES.items() if name in rows["outcome"]]
    return panel(
        title,
        f"What became of the reports: {said}",
        drawn,
        WIDTH,
        40 * len(kinds),
        **stacked(
            category("kind", sort=kinds, title=None, axis=PLAIN),
            quantity("percent", title="percent of the reports"),
            colored(names, OUTCOME_COLORS),
            24,
        ),
    )


def by_labels(rows: pl.DataFrame) -> list[Spec]:
    """Cliff's delta of each metric by the labels that count, a panel a repository."""
    names = {"study": "of the study", "without_weak": "without weak evidence"}
    names |= {"strong_alone": "strong evidence alone", "widened": "of a wider rule"}
    drawn = rows.with_columns(pl.col("label_rule").replace(names), metric="result_of")
    return effects(drawn.filter(pl.col("metric").is_in(list(METRICS))), "label_rule")


def differences(rows: pl.DataFrame) -> list[Spec]:
    """Return the largest differences among bugs that are alike, a panel a repository."""
    drawn, colors = rows.with_columns(color=pl.lit("difference")), {"difference": COOL}
    measure = "difference among like bugs"
    return panels(estimates, drawn, "{repository}", measure, nothing=0.0, colors=colors)


def pooled(rows: pl.DataFrame) -> list[Spec]:
    """Return the mean difference of the repositories, by metric."""
    return [estimates("mean of the repositories", rows, DELTA, nothing=0.0)]


def curves(rows: pl.DataFrame) -> list[Spec]:
    """Panels of each repository: the share of reports that ended so by a time, with its interval.

    Of an event with too few for a curve of either kind there is none.
    """
    drawn = rows.with_columns(color=KIND)
    return [
        _curve(f"{name}: {title}", part, title)
        for name in drawn["repository"].unique(maintain_order=True)
        for event, title in EVENTS.items()
        if not (part := drawn.filter(repository=name, event=event)).is_empty()
    ]


def _curve(title: str, rows: pl.DataFrame, ended: str) -> Spec:
    y: Spec = {"type": "quantitative", "title": f"{ended}, percent"}
    shared: Spec = {
        "x": quantity("days", title="days after the report"),
        "color": colored(list(KINDS), KINDS),
    }
    tooltip = [
        quantity("days"),
        category("color", title="of"),
        *(quantity(name, format=".1f") for name in ("percent", "low", "high")),
    ]
    band = {"type": "area", "opacity": 0.18, "interpolate": "step-after"}
    line = {"type": "line", "strokeWidth": 2, "interpolate": "step-after"}
    limits = {"y": y | {"field": "low"}, "y2": {"field": "high"}}
    verdicts = "; ".join(
        f"{name} {part['percent'][-1]:.1f} percent after {part['days'][-1]:,} days"
        for (name,), part in rows.group_by("color", maintain_order=True)
    )
    return panel(
        title,
        f"Share {ended} up to each day: {verdicts}",
        rows.select("days", "percent", "low", "high", "color"),
        WIDTH,
        180,
        layer=[
            {"mark": band, "encoding": shared | limits},
            {
                "mark": line,
                "encoding": shared | {"y": y | {"field": "percent"}, "tooltip": tooltip},
            },
        ],
    )


def distributions(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel a metric, the share of bugs of each kind up to each value."""
    return panels(_with_medians, rows.with_columns(color=KIND), "{metric}")


def _with_medians(metric: str, rows: pl.DataFrame) -> Spec:
    medians = rows.select("color", "median").unique(maintain_order=True)
    return distribution(metric, rows, dict(medians.iter_rows()))


def distribution(metric: str, points: pl.DataFrame, medians: Mapping[str, float]) -> Spec:
    """Share of bug reports up to each value, on a logarithmic scale, and medians as rules.

    ``points`` has color (the kind of bugs), share and value.
    """
    rules = [{"color": kind, "value": float(f"{value:.5g}")} for kind, value in medians.items()]
    is_fine = metric in ("fix_time_days", "hours_to_first_comment")
    ticks = [0, *([0.1] if is_fine else []), 1, 10, 100, 1000, 10000]
    if metric in ("comments", "commentators"):
        ticks = [0, 1, 2, 5, 10, 20, 50]
    x = quantity(
        "value",
        title=METRIC_TITLES[metric],
        scale={"type": "symlog", "constant": 0.1 if is_fine else 1.0, "nice": False},
        axis={"values": ticks, "labelExpr": "datum.value", "labelOverlap": True},
    )
    color = colored(list(KINDS), KINDS)
    description = "; ".join(f"median of {kind} {value:.3g}" for kind, value in medians.items())
    return panel(
        METRICS[metric],
        f"Share of bug reports up to each value; {description}",
        points.select("color", "share", "value"),
        WIDTH,
        190,
        layer=[
            {
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {
                    "x": x,
                    "y": quantity("share", title="share up to here", axis={"format": "%"}),
                    "color": color,
                    "tooltip": [
                        category("color", title="of"),
                        quantity("value", format=".3~r"),
                        quantity("share", format=".0%"),
                    ],
                },
            },
            {
                "data": {"values": rules},
                "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.5},
                "encoding": {"x": x, "color": color},
            },
        ],
    )
