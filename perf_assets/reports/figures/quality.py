"""Figures of how far all this can be trusted: verdicts of people, raters, rules, the papers."""

import polars as pl

from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.panels import estimates


def labels(rows: pl.DataFrame) -> list[Spec]:
    """Return of all labels, and of each sort of them."""
    chosen = rows.filter((pl.col("rater") == "consensus") | (pl.col("rule") == "all"))
    chosen = chosen.with_columns(
        what=pl.when(pl.col("rule") == "all")
        .then(pl.col("measure").str.replace_all("_", " ") + " (" + pl.col("rater") + ")")
        .otherwise(pl.lit("precision of ") + pl.col("rule"))
    )
    groups = chosen.group_by("repository", maintain_order=True)
    return [estimates(str(name), part.head(16), "percent, 95 %") for (name,), part in groups]


def precision(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of findings that are right, by rule, a panel a repository."""
    groups = rows.with_columns(what="rule", color="rater").group_by(
        "repository", maintain_order=True
    )
    return [estimates(str(name), part, "right ones, percent") for (name,), part in groups]


def kappas(rows: pl.DataFrame) -> list[Spec]:
    """Return the kappa of each pair of raters, a panel a repository or forum."""
    named = rows.with_columns(what=pl.col("asked") + ", " + pl.col("raters"))
    groups = named.group_by("place", maintain_order=True)
    return [estimates(str(name), part, "kappa, 95 %", nothing=0) for (name,), part in groups]
