"""Figures of single bugs: how soon they are fixed, how they differ, and what that hangs on."""

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures.drawing import COOL, KINDS, WARM, Spec
from perf_assets.reports.figures.panels import colored, estimates, values

METRICS = {
    "fix_time_days": "fix time",
    "fix_size": "fix size",
    "hours_to_first_comment": "time to first comment",
    "comments": "comments",
    "commentators": "commentators",
}
EVENTS = {"fixed": "fixed", "closed_without_fix": "closed without a fix"}
DELTA = "Cliff's delta; above 0 performance bugs have more"


def effects(rows: pl.DataFrame, color: str = "") -> list[Spec]:
    """Return a panel a repository: Cliff's delta of each metric, with its interval where there is
    one.
    """
    drawn = rows.with_columns(what=pl.col("metric").replace(METRICS))
    if color:
        drawn = drawn.with_columns(color=pl.col(color))
    if "low" not in drawn.columns:
        drawn = drawn.with_columns(low=pl.col("estimate"), high=pl.col("estimate"))
    groups = drawn.drop_nulls("estimate").group_by("repository", maintain_order=True)
    return [estimates(str(name), part, DELTA, nothing=0) for (name,), part in groups]


def by_links(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel for each repository and metric: there are many ways to leave links out."""
    drawn = rows.with_columns(what="variant", low="estimate", high="estimate")
    return [
        estimates(f"{repository}, {METRICS[str(metric)]}", part, DELTA, nothing=0)
        for (repository, metric), part in drawn.group_by(
            "repository", "metric", maintain_order=True
        )
    ]


def by_bots(rows: pl.DataFrame) -> list[Spec]:
    """Cliff's delta of each metric by what is done with bots, a panel a repository."""
    return effects(rows, "variant")


def members(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of fixes that members and newcomers made, a panel a repository."""
    measure = "fixes that they made, percent"
    colors = {"performance": WARM, "other": COOL}
    return [
        estimates(str(name), part.drop("repository"), measure, colors=colors)
        for (name,), part in rows.group_by("repository", maintain_order=True)
    ]


def by_labels(rows: pl.DataFrame) -> list[Spec]:
    """Cliff's delta of each metric by the labels that count, a panel a repository."""
    names = {"study": "the study's", "without_weak": "without weak ones"}
    names |= {"strong_alone": "strong ones alone", "widened": "with more words"}
    drawn = rows.with_columns(pl.col("label_rule").replace(names), metric="result_of")
    return effects(drawn.filter(pl.col("metric").is_in(list(METRICS))), "label_rule")


def curves(rows: pl.DataFrame) -> list[Spec]:
    """Panels of each repository: the share of reports that ended so by a time, with its interval.

    Of an event with too few for a curve of either kind there is none.
    """
    kind = (
        pl.when("is_performance").then(pl.lit("performance bugs")).otherwise(pl.lit("other bugs"))
    )
    drawn = rows.with_columns(color=kind)
    return [
        _curve(f"{name}: {title}", part, title)
        for name in drawn["repository"].unique(maintain_order=True)
        for event, title in EVENTS.items()
        if not (part := drawn.filter(repository=name, event=event)).is_empty()
    ]


def _curve(title: str, rows: pl.DataFrame, ended: str) -> Spec:
    measure = f"{ended}, percent"
    x: Spec = {"field": "days", "type": "quantitative", "title": "days after the report"}
    y: Spec = {"type": "quantitative", "title": measure}
    color = colored(list(KINDS), KINDS)
    tooltip = [
        {"field": "days", "type": "quantitative"},
        {"field": "color", "type": "nominal", "title": "of"},
        *({"field": name, "type": "quantitative", "format": ".1f"} for name in ("percent", "low")),
        {"field": "high", "type": "quantitative", "format": ".1f"},
    ]
    band = {"type": "area", "opacity": 0.18, "interpolate": "step-after"}
    line = {"type": "line", "strokeWidth": 2, "interpolate": "step-after"}
    verdicts = "; ".join(
        f"{name} {part['percent'][-1]:.1f} percent after {part['days'][-1]:,} days"
        for (name,), part in rows.group_by("color", maintain_order=True)
    )
    return {
        "title": escape_text(title),
        "description": f"Share {ended} up to each day: {verdicts}",
        "data": {"values": values(rows.select("days", "percent", "low", "high", "color"))},
        "width": 380,
        "height": 180,
        "layer": [
            {
                "mark": band,
                "encoding": {
                    "x": x,
                    "y": y | {"field": "low"},
                    "y2": {"field": "high"},
                    "color": color,
                },
            },
            {
                "mark": line,
                "encoding": {
                    "x": x,
                    "y": y | {"field": "percent"},
                    "color": color,
                    "tooltip": tooltip,
                },
            },
        ],
    }
