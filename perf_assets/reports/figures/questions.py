"""Figures of the users' side: how hard questions are, what they are about, both sides by month.

And of kinds of questions: the share of each, and how long each waits for its answer.
"""

import polars as pl

from perf_assets.reports.figures.drawing import AXIS, COOL, INK, WARM, Spec
from perf_assets.reports.figures.panels import (
    NARROW,
    PLAIN,
    ROW,
    WIDTH,
    category,
    colored,
    estimates,
    lengths,
    panel,
    panels,
    quantity,
    series,
)
from perf_assets.reports.formats import with_words

SIDES = {"performance questions": COOL, "performance bugs": WARM}
OF_TAG_SET = "{forum}, {tag_set}"
QUANTILES = ("p10", "p25", "p50", "p75", "p90")


def difficulty(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of accepted answers by kind, a panel a tag set."""
    sets = rows.filter(pl.col("tag_set") != "pooled")
    named = with_words(sets.with_columns(what="kind"))
    return panels(estimates, named, OF_TAG_SET, "questions with an accepted answer, percent")


def stems(rows: pl.DataFrame) -> list[Spec]:
    """Return questions by stem, the most frequent first, without stems of no question."""
    matched = rows.filter(pl.col("questions") > 0, stem_set="as_meant")
    return panels(_stems, matched.with_columns(what="entry", value="questions"), OF_TAG_SET)


def _stems(title: str, rows: pl.DataFrame) -> Spec:
    return lengths(title, rows, f"questions with the stem, of {rows['all_questions'][0]:,}")


def kinds(rows: pl.DataFrame) -> list[Spec]:
    """Return how well each kind is recognised, a panel a method."""
    named = with_words(rows.with_columns(what="kind", color="split"))
    return panels(estimates, named, "{forum}, by {method}", "F1 against people's judgement, 95 %")


def shares(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of each kind, a panel for each tag set."""
    named = with_words(rows.with_columns(what="kind"))
    return panels(estimates, named, OF_TAG_SET, "share of the questions, percent")


def months(rows: pl.DataFrame) -> list[Spec]:
    """Return performance questions and bugs by month, a panel a repository and forum."""
    named = rows.with_columns(pl.col("color").str.replace("_", " "))
    return panels(series, named, "{repository} and {forum}", "in the month", SIDES)


def lags(rows: pl.DataFrame) -> list[Spec]:
    """Rank correlations by lag, a panel a repository and forum."""
    return panels(_correlations, rows.drop_nulls("statistic"), "{repository} and {forum}")


def _correlations(title: str, rows: pl.DataFrame) -> Spec:
    """Correlations at each lag, dark where they are outside the band around 0."""
    x = quantity(
        "lag",
        title="months by which bugs are later",
        scale={"domain": [-12.5, 12.5], "nice": False},
        axis={"values": list(range(-12, 13, 4))},
    )
    y: Spec = {"type": "quantitative", "title": "rank correlation", "scale": {"domain": [-1, 1]}}
    outside = ", ".join(map(str, rows.filter("is_outside_band")["lag"])) or "none"
    is_dark = {"test": "datum.is_outside_band", "value": INK}
    return panel(
        title,
        f"Rank correlations at lags of a year each way; outside the band of chance: {outside}",
        rows.select("lag", "statistic", "is_outside_band", up="band", down=-pl.col("band")),
        WIDTH,
        150,
        layer=[
            {
                "mark": {"type": "area", "opacity": 0.25, "color": AXIS},
                "encoding": {"x": x, "y": y | {"field": "down"}, "y2": {"field": "up"}},
            },
            {
                "mark": {"type": "bar", "size": 6},
                "encoding": {
                    "x": x,
                    "y": y | {"field": "statistic"},
                    "color": {"condition": is_dark, "value": AXIS},
                    "tooltip": [
                        quantity("lag"),
                        quantity("statistic", format=".2f"),
                        quantity("up", title="band", format=".2f"),
                    ],
                },
            },
        ],
    )


def waits(rows: pl.DataFrame) -> list[Spec]:
    """For each forum the curves of its kinds, and beside them their boxes."""
    named = with_words(rows.with_columns(color="kind"))
    drawn: list[Spec] = []
    for (forum,), part in named.group_by("forum", maintain_order=True):
        curve, boxes = part.drop_nulls("percent"), part.drop_nulls("quantiles")
        drawn += [] if curve.is_empty() else [_curves(str(forum), curve)]
        drawn += [] if boxes.is_empty() else [_boxes(str(forum), boxes)]
    return drawn


def _hours(field: str, title: str) -> Spec:
    axis = {"format": "~g", "values": [0.01, 0.1, 1, 10, 100, 1000, 10_000], "labelOverlap": True}
    scale = {"type": "log", "nice": False, "padding": 8}
    return quantity(field, title=title, scale=scale, axis=axis)


def _curves(forum: str, rows: pl.DataFrame) -> Spec:
    last = rows.group_by("color", maintain_order=True).last()
    verdicts = (f"{row['color']} {row['percent']:.1f}" for row in last.iter_rows(named=True))
    measure = "with an accepted answer, percent"
    return panel(
        f"{forum}: share accepted by a time (Kaplan-Meier)",
        f"{measure}, at last: {'; '.join(verdicts)}",
        rows.select("color", "hours", "percent"),
        WIDTH,
        220,
        mark={"type": "line", "strokeWidth": 2, "interpolate": "step-after"},
        encoding={
            "x": _hours("hours", "hours after asking"),
            "y": quantity("percent", title=measure),
            "color": colored(rows["color"].unique(maintain_order=True).to_list()),
            "tooltip": [
                category("color", title="kind"),
                quantity("hours", format=",.3~r"),
                quantity("percent", format=".1f"),
            ],
        },
    )


def _boxes(forum: str, rows: pl.DataFrame) -> Spec:
    """Return bars of the middle half of the waits, lines of eight tenths, and medians."""
    quantiles = pl.col("quantiles").list.to_struct(fields=QUANTILES).struct.unnest()
    drawn = rows.select("color", quantiles).sort("p50", descending=True)
    order = drawn["color"].to_list()
    shared: Spec = {
        "y": category("color", sort=order, title=None, axis=PLAIN | {"labelPadding": 6}),
        "tooltip": [
            category("color", title="kind"),
            *(quantity(name, format=",.3~r") for name in QUANTILES),
        ],
    }
    title = "hours to the answer that was accepted"
    verdicts = (
        f"{row['color']} {row['p50']:.3g} [{row['p25']:.3g}, {row['p75']:.3g}]"
        for row in drawn.iter_rows(named=True)
    )
    layers = [
        ({"type": "rule"}, {"x": _hours("p10", title), "x2": {"field": "p90"}}),
        (
            {"type": "bar", "height": 12, "opacity": 0.45},
            {"x": _hours("p25", title), "x2": {"field": "p75"}},
        ),
        ({"type": "tick", "height": 14, "thickness": 3}, {"x": _hours("p50", title)}),
    ]
    return panel(
        f"{forum}: waits of those with an accepted answer",
        f"hours to the accepted answer, median and quartiles: {'; '.join(verdicts)}",
        drawn,
        NARROW,
        max(44, ROW * len(order)),
        layer=[{"mark": mark, "encoding": shared | across} for mark, across in layers],
    )
