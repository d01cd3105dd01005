"""Figures of how far all this can be trusted: verdicts of people, raters, rules, the papers."""

import polars as pl

from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.panels import estimates, panels


def labels(rows: pl.DataFrame) -> list[Spec]:
    """Return of all labels, and of each sort of them."""
    chosen = rows.filter((pl.col("rater") == "consensus") | (pl.col("rule") == "all"))
    chosen = chosen.with_columns(
        what=pl.when(pl.col("rule") == "all")
        .then(pl.col("measure").str.replace_all("_", " ") + " (" + pl.col("rater") + ")")
        .otherwise(pl.lit("precision of ") + pl.col("rule"))
    )
    drawn = chosen.group_by("repository", maintain_order=True).head(16)
    return panels(estimates, drawn, "{repository}", "percent, 95 %")


def precision(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of findings that are right, by rule, a panel a repository."""
    drawn = rows.with_columns(what="rule", color="rater")
    return panels(estimates, drawn, "{repository}", "right ones, percent")


def kappas(rows: pl.DataFrame) -> list[Spec]:
    """Return the kappa of each pair of raters, a panel a repository or forum."""
    drawn = rows.with_columns(what=pl.col("asked") + ", " + pl.col("raters"))
    return panels(estimates, drawn, "{place}", "kappa, 95 %", nothing=0)
