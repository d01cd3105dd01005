"""Figures of the users' side: how hard questions are, what they are about, both sides by month."""

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures.drawing import AXIS, COOL, INK, WARM, Spec
from perf_assets.reports.figures.panels import estimates, lengths, series, values
from perf_assets.reports.formats import with_words

SIDES = {"performance questions": COOL, "performance bugs": WARM}


def difficulty(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of accepted answers by kind, a panel a tag set."""
    sets = rows.filter(pl.col("tag_set") != "pooled")
    named = with_words(sets.with_columns(what="kind"))
    measure = "questions with an accepted answer, percent"
    return [
        estimates(f"{forum}, {tags}", part, measure)
        for (forum, tags), part in named.group_by("forum", "tag_set", maintain_order=True)
    ]


def stems(rows: pl.DataFrame) -> list[Spec]:
    """Return questions by stem as the set is meant, the most frequent first; none that finds
    nothing.
    """
    found = rows.filter(pl.col("questions") > 0, stem_set="as_meant").with_columns(what="entry")
    return [
        lengths(
            f"{forum}, {tags}",
            part.with_columns(value="questions"),
            f"questions with the stem, of {part['all_questions'][0]:,}",
        )
        for (forum, tags), part in found.group_by("forum", "tag_set", maintain_order=True)
    ]


def kinds(rows: pl.DataFrame) -> list[Spec]:
    """Return how well each kind is recognised, a panel a method."""
    named = with_words(rows.with_columns(what="kind", color="split"))
    measure = "F1 against people's judgement, 95 %"
    return [
        estimates(f"{forum}, by {method}", part, measure)
        for (forum, method), part in named.group_by("forum", "method", maintain_order=True)
    ]


def months(rows: pl.DataFrame) -> list[Spec]:
    """Return performance questions and bugs by month, a panel a repository and forum."""
    named = rows.with_columns(pl.col("color").str.replace("_", " "))
    return [
        series(f"{repository} and {forum}", part, "in the month", SIDES)
        for (repository, forum), part in named.group_by("repository", "forum", maintain_order=True)
    ]


def lags(rows: pl.DataFrame) -> list[Spec]:
    """Rank correlations by lag, a panel a repository and forum."""
    testable = rows.drop_nulls("statistic")
    return [
        _correlations(f"{repository} and {forum}", part)
        for (repository, forum), part in testable.group_by(
            "repository", "forum", maintain_order=True
        )
    ]


def _correlations(title: str, rows: pl.DataFrame) -> Spec:
    """Correlations at each lag, dark where they are outside the band around 0."""
    x: Spec = {
        "field": "lag",
        "type": "quantitative",
        "title": "months by which bugs are later",
        "scale": {"domain": [-12.5, 12.5], "nice": False},
        "axis": {"values": list(range(-12, 13, 4))},
    }
    y: Spec = {
        "type": "quantitative",
        "title": "rank correlation",
        "scale": {"domain": [-1, 1]},
    }
    drawn = rows.select("lag", "statistic", "is_outside_band", up="band", down=-pl.col("band"))
    band = {"type": "area", "opacity": 0.25, "color": AXIS}
    outside = rows.filter("is_outside_band")["lag"].to_list()
    return {
        "title": escape_text(title),
        "description": "Rank correlations at lags of a year each way; outside the band of chance: "
        + (", ".join(map(str, outside)) or "none"),
        "data": {"values": values(drawn)},
        "width": 380,
        "height": 150,
        "layer": [
            {
                "mark": band,
                "encoding": {"x": x, "y": y | {"field": "down"}, "y2": {"field": "up"}},
            },
            {
                "mark": {"type": "bar", "size": 6},
                "encoding": {
                    "x": x,
                    "y": y | {"field": "statistic"},
                    "color": {
                        "condition": {"test": "datum.is_outside_band", "value": INK},
                        "value": AXIS,
                    },
                    "tooltip": [
                        {"field": "lag", "type": "quantitative"},
                        {"field": "statistic", "type": "quantitative", "format": ".2f"},
                        {"field": "up", "type": "quantitative", "title": "band", "format": ".2f"},
                    ],
                },
            },
        ],
    }
