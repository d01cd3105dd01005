"""The figure of what the audits said of each month of each repository."""

import polars as pl

from perf_assets.reports.figures.drawing import AXIS, COLORS, COOL, WARM, Spec
from perf_assets.reports.figures.figure import Figure
from perf_assets.reports.figures.panels import values
from perf_assets.sanitize import escape_text

MOST = 30
"""Repositories and tag sets in the picture: those with refused months first."""

STATES = {"passed": COOL, "refused, older rows kept": COLORS[4], "refused, nothing stored": WARM}

MONTHS = """
select
    repository, month,
    case
        when not bool_or(status = 'failed') then 'passed'
        when bool_and(is_stored) then 'refused, older rows kept'
        else 'refused, nothing stored'
    end as audit,
    string_agg("table", ', ' order by "table") filter (where status = 'failed') as refused_tables
from meta.partition_loads
group by repository, month
"""
ROWS = f"""
select
    repository, min(month) as first, max(month) as last, count(*) as months,
    count(*) filter (where audit = 'passed') as passed,
    count(*) filter (where audit <> 'passed') as refused,
    arg_max(month, month) filter (where audit <> 'passed') as newest_refused
from ({MONTHS.strip()})
group by repository
order by refused desc, repository
"""
TOLD = f"""
select
    repository,
    printf('%d of %d months passed their audits', passed, months)
    || case when refused > 0 then '; refused last: ' || newest_refused else '' end
from ({ROWS.strip()})
"""
DRAWN = f"""
select *
from ({MONTHS.strip()})
order by
    count(*) filter (where audit <> 'passed') over (partition by repository) desc, repository, month
"""


def _heat_map(rows: pl.DataFrame) -> list[Spec]:
    """A row for each repository, a cell for each month: what the audits of its tables said."""
    names = rows.get_column("repository").unique(maintain_order=True).head(MOST)
    cells = rows.filter(pl.col("repository").is_in(names.implode())).with_columns(
        repository=pl.col("repository").map_elements(escape_text, return_dtype=pl.String),
        refused_tables=pl.col("refused_tables").fill_null("none"),
    )
    audits = cells.get_column("audit").value_counts().sort("audit")
    told = "; ".join(f"{count} months {audit}" for audit, count in audits.iter_rows())
    nominal = {"type": "nominal", "title": None}
    return [
        {
            "title": "audits of each month",
            "description": told,
            "data": {"values": values(cells)},
            "width": 620,
            "height": 22 * len(names),
            "mark": {"type": "rect", "width": {"band": 0.9}, "height": {"band": 0.85}},
            "encoding": {
                "x": {
                    "field": "month",
                    "type": "ordinal",
                    "title": None,
                    "axis": {"labelOverlap": True, "labelAngle": 0, "tickColor": AXIS},
                },
                "y": {"field": "repository", "sort": None, **nominal},
                "color": {
                    "field": "audit",
                    **nominal,
                    "scale": {"domain": list(STATES), "range": list(STATES.values())},
                    "legend": {"orient": "top", "direction": "horizontal", "labelLimit": 300},
                },
                "tooltip": [
                    {"field": name, "type": "nominal", "title": name.replace("_", " ")}
                    for name in ("repository", "month", "audit", "refused_tables")
                ],
            },
        }
    ]


FIGURES = {
    "meta.partition_loads": Figure("What the audits said", ROWS, TOLD, _heat_map, DRAWN),
}
