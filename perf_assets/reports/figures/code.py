"""The figure of the static checks: what they find, quarter by quarter."""

import polars as pl

from perf_assets.core.paper.constants import PUBLISHED_FINDINGS
from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.panels import (
    WIDTH,
    category,
    colored,
    counted,
    lengths,
    panel,
    panels,
    quantity,
)

STEPS = ("found", "reported", "confirmed", "fixed")
"""What becomes of findings; each step is within the one before."""


def quarters(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel a repository: a bar a quarter, a part a rule."""
    return panels(_bars, rows, "{repository}")


def _bars(repository: str, rows: pl.DataFrame) -> Spec:
    most = max(number for _, number in rows.group_by("quarter").agg(pl.sum("findings")).rows())
    newest = rows.filter(pl.col("quarter") == rows["quarter"].max())
    numbers = ", ".join(
        f"{rule} {findings}" for rule, findings in newest.select("rule", "findings").rows()
    )
    axis = {"labelOverlap": True, "labelSeparation": 8, "labelAngle": 0}
    return panel(
        repository,
        f"Findings of the newest quarter: {numbers}",
        rows.select("quarter", "findings", color="rule"),
        WIDTH,
        150,
        mark="bar",
        encoding={
            "x": {"field": "quarter", "type": "ordinal", "title": None, "axis": axis},
            "y": quantity("findings", title="findings", axis=counted(most)),
            "color": colored(rows["rule"].unique().sort().to_list()),
            "tooltip": [category("quarter"), category("color", title="rule"), quantity("findings")],
        },
    )


def steps(rows: pl.DataFrame) -> list[Spec]:
    """Return reported findings by step, of the study and of the paper's checker."""
    if rows["reported"].sum() == 0:
        return []
    own = rows.group_by("repository", maintain_order=True).agg(pl.sum(*STEPS))
    counts = {str(row.pop("repository")): row for row in own.to_dicts()}
    counts["the study's checker"] = dict(PUBLISHED_FINDINGS)
    return [
        lengths(
            name,
            pl.DataFrame({"what": list(numbers), "value": list(numbers.values())}),
            "findings",
            strong="fixed",
        )
        for name, numbers in counts.items()
    ]
