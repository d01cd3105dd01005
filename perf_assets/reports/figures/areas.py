"""Figures of where performance bugs are: areas, hot spots, keywords and environments."""

import polars as pl

from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.panels import estimates, lengths, panels
from perf_assets.reports.figures.treemap import treemap
from perf_assets.reports.formats import with_words

MOST = 12
"""Areas or keywords in a picture."""


def areas(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of performance bugs in each area, a panel a repository."""
    estimated = rows.drop_nulls("estimate").filter(pl.col("area") != "unknown")
    what = pl.format("{} ({} of {})", "area", "performance_bugs", "bug_reports")
    drawn = estimated.with_columns(what=what).group_by("repository", maintain_order=True).head(MOST)
    measure = "performance bugs among the bug reports, percent"
    return panels(estimates, drawn, "{repository}", measure)


def hot_files(rows: pl.DataFrame) -> list[Spec]:
    """Return the files that fixes changed most often, a treemap a repository."""
    measure = "performance bugs whose fix changed it"
    shade = "mean age of the lines that these fixes removed, days"
    return panels(treemap, rows, "{repository}", measure, shade)


def keywords(rows: pl.DataFrame) -> list[Spec]:
    """Return performance bugs by keyword, a panel a repository."""
    drawn = rows.group_by("repository", maintain_order=True).head(MOST)
    drawn = drawn.rename({"keyword": "what", "bug_reports": "value"})
    return panels(lengths, drawn, "{repository}", "performance bugs")


def environments(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of performance bugs by environment, a panel a repository and aspect."""
    named = with_words(rows.with_columns(what="environment"))
    drawn = named.group_by("repository", "aspect", maintain_order=True).head(MOST)
    measure = "performance bugs among the bug reports that state it, percent"
    return panels(estimates, drawn, "{repository}, {aspect}", measure)
