"""The figure of the static checks: what they find, quarter by quarter."""

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.core.paper.constants import PUBLISHED_FINDINGS
from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.panels import WIDTH, colored, lengths, values

FEW = 10
"""Findings up to which each number has its line: there is no half of one."""


def quarters(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel a repository: a bar a quarter, a part a rule."""
    return [
        _bars(str(name), part) for (name,), part in rows.group_by("repository", maintain_order=True)
    ]


def _bars(repository: str, rows: pl.DataFrame) -> Spec:
    most = max(number for _, number in rows.group_by("quarter").agg(pl.sum("findings")).rows())
    rules = rows["rule"].unique().sort().to_list()
    drawn = rows.select("quarter", "findings", color="rule")
    newest = rows.filter(pl.col("quarter") == rows["quarter"].max())
    numbers = ", ".join(
        f"{rule} {found}" for rule, found in newest.select("rule", "findings").rows()
    )
    axis: Spec = {"values": list(range(most + 1))} if most <= FEW else {}
    return {
        "title": escape_text(repository),
        "description": escape_text(f"Findings of the newest quarter: {numbers}"),
        "data": {"values": values(drawn)},
        "width": WIDTH,
        "height": 150,
        "mark": "bar",
        "encoding": {
            "x": {
                "field": "quarter",
                "type": "ordinal",
                "title": None,
                "axis": {"labelOverlap": True, "labelSeparation": 8, "labelAngle": 0},
            },
            "y": {
                "field": "findings",
                "type": "quantitative",
                "title": "findings",
                "axis": axis,
            },
            "color": colored(rules),
            "tooltip": [
                {"field": "quarter", "type": "nominal"},
                {"field": "color", "type": "nominal", "title": "rule"},
                {"field": "findings", "type": "quantitative"},
            ],
        },
    }


STEPS = ("found", "reported", "confirmed", "fixed")
"""What becomes of findings; each step is within the one before."""


def steps(rows: pl.DataFrame) -> list[Spec]:
    """Return where anything was reported: findings by step, of one's own and of the study's
    checker.
    """
    if rows["reported"].sum() == 0:
        return []
    own = rows.group_by("repository", maintain_order=True).agg(pl.sum(*STEPS))
    panels = {str(row.pop("repository")): row for row in own.to_dicts()}
    panels["the study's checker"] = dict(PUBLISHED_FINDINGS)
    return [
        lengths(
            name,
            pl.DataFrame({"what": list(counts), "value": list(counts.values())}),
            "findings",
            strong="fixed",
        )
        for name, counts in panels.items()
    ]
