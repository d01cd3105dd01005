"""Figures of how far all this can be trusted: verdicts of people, raters, and audits by month."""

from collections.abc import Sequence

import polars as pl

from perf_assets.reports.figures.drawing import AXIS, COLORS, COOL, LINE, WARM, Spec
from perf_assets.reports.figures.panels import ROW, category, estimates, panel, panels

MOST_AUDITED = 30
"""Repositories and tag sets in the picture: those with refused months first."""

STATES = {
    "passed": COOL,
    "passed with warnings": COLORS[2],
    "refused, older rows kept": COLORS[4],
    "refused, nothing stored": WARM,
    "not loaded": LINE,
}
"""The outcomes of an audit, and their colours."""


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


def audit_grid(title: str, cells: pl.DataFrame, row: str, details: Sequence[str]) -> Spec:
    """Return a row for each value of the column ``row``, a cell for each month, coloured by its
    audit.

    ``details`` are the columns that a cell shows under the pointer.
    """
    counts = cells.get_column("audit").value_counts().sort("audit").iter_rows()
    states = [state for state in STATES if state in cells.get_column("audit")]
    return panel(
        title,
        "; ".join(f"{count} {audit}" for audit, count in counts),
        cells.select(row, "month", *details),
        620,
        ROW * cells.get_column(row).n_unique(),
        mark={"type": "rect", "width": {"band": 0.9}, "height": {"band": 0.85}},
        encoding={
            "x": {
                "field": "month",
                "type": "ordinal",
                "title": None,
                "axis": {"labelOverlap": True, "labelAngle": 0, "tickColor": AXIS},
            },
            "y": category(row, sort=None, title=None),
            "color": category(
                "audit",
                title=None,
                scale={"domain": states, "range": [STATES[state] for state in states]},
                legend={"orient": "top", "direction": "horizontal", "labelLimit": 300},
            ),
            "tooltip": [
                category(name, title=name.replace("_", " ")) for name in (row, "month", *details)
            ],
        },
    )


def audits(rows: pl.DataFrame) -> list[Spec]:
    """Return the outcomes of the audits of each repository and month as a grid."""
    names = rows.get_column("repository").unique(maintain_order=True).head(MOST_AUDITED)
    cells = rows.filter(pl.col("repository").is_in(names.implode())).with_columns(
        pl.col("refused_tables").fill_null("none")
    )
    return [audit_grid("audits of each month", cells, "repository", ("audit", "refused_tables"))]
