"""The figure of projects against each other, and of areas against the rest of their repository."""

import polars as pl

from perf_assets.reports.figures.drawing import COOL, Spec
from perf_assets.reports.figures.figure import Figure
from perf_assets.reports.figures.panels import estimates

METRICS = {
    "is_performance": "share of performance bugs",
    "fix_time_days": "fix time",
    "fix_size": "fix size",
    "hours_to_first_comment": "time to first comment",
    "hours_to_first_member_comment": "time to a member''s comment",
    "comments": "comments",
}
NAMED = "case metric " + " ".join(f"when '{key}' then '{name}'" for key, name in METRICS.items())
DELTA = "difference among those alike"

ROWS = f"""
select
    repository, first, second, {NAMED} end as what, n_first, n_second, level_first, level_second,
    cliffs_delta as among_all, adjusted_cliffs_delta as estimate, adjusted_cliffs_delta_low as low,
    adjusted_cliffs_delta_high as high, adjusted_p_value_holm as p, n_matched_first,
    n_matched_second
from analysis.project_comparisons
where dataset = 'live' and not is_too_few and adjusted_cliffs_delta is not null
order by compared <> 'repositories', repository, p, first, second, metric
"""
VERDICTS = f"""
select repository, case
    when count(*) filter (where p < 0.05) = 0
        then printf('%d comparisons, none of them different beyond chance and mix', count(*))
    else printf(
        '%d comparisons, different beyond chance and mix (adjusted p < 0.05) are: %s', count(*),
        string_agg(
            printf('%s of %s against %s (%+.2f)', what, first, second, estimate), ', '
            order by p, first, what
        ) filter (where p < 0.05)
    )
end
from ({ROWS.strip()})
group by repository
order by repository
"""
DRAWN = f"""
select repository, first || ' - ' || second || ': ' || what as what, estimate, low, high
from ({ROWS.strip()})
where low is not null
qualify row_number() over (partition by repository order by p, abs(estimate) desc, what) <= 12
order by repository, p, abs(estimate) desc, what
"""


def _differences(rows: pl.DataFrame) -> list[Spec]:
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


POOLED = """
select
    dataset, replace(metric, '_', ' ') as what, n as repositories, cliffs_delta as estimate,
    cliffs_delta_low as low, cliffs_delta_high as high, p_value as p, tau, i_squared,
    heterogeneity_p_value, prediction_low, prediction_high, result
from analysis.pooled_effects
where dataset = 'live'
order by metric
"""
POOLED_VERDICTS = f"""
select 'pooled', string_agg(what || ': ' || result, '; ' order by what)
from ({POOLED.strip()})
having count(*) > 0
"""


def _pooled(rows: pl.DataFrame) -> list[Spec]:
    measure = "Cliff's delta; above 0 performance bugs have more"
    return [estimates("mean of the repositories", rows, measure, nothing=0.0)]


FIGURES = {
    "analysis.pooled_effects": Figure(
        "Performance bugs against others, each repository as one study",
        POOLED,
        POOLED_VERDICTS,
        _pooled,
    ),
    "analysis.project_comparisons": Figure(
        "Repositories and areas against each other", ROWS, VERDICTS, _differences, DRAWN
    ),
}
