"""Figures of projects against each other, and of areas against the rest of their repository."""

import polars as pl

from perf_assets.reports.figures.drawing import COOL, Spec
from perf_assets.reports.figures.panels import estimates

DELTA = "difference among those alike"


def differences(rows: pl.DataFrame) -> list[Spec]:
    """Return the largest differences among bugs that are alike, a panel a repository."""
    return [
        estimates(
            str(name),
            part.drop("repository").with_columns(color=pl.lit("difference")),
            DELTA,
            nothing=0.0,
            colors={"difference": COOL},
        )
        for (name,), part in rows.group_by("repository", maintain_order=True)
    ]


def pooled(rows: pl.DataFrame) -> list[Spec]:
    """Return the mean difference of the repositories, by metric."""
    measure = "Cliff's delta; above 0 performance bugs have more"
    return [estimates("mean of the repositories", rows, measure, nothing=0.0)]
