"""The figure of who fixes: members, newcomers, and on how few persons it rests."""

import polars as pl

from perf_assets.core.statistics.minimum_events import COMPARISON
from perf_assets.reports.figures.drawing import COOL, WARM, Spec
from perf_assets.reports.figures.figure import Figure, wilson_limits
from perf_assets.reports.figures.panels import estimates

FIXING = """
select
    repository, case when is_performance then 'performance' else 'other' end as kind,
    n, persons, half_group, gini, 100.0 * by_members_share as percent_by_members,
    100.0 * by_newcomers_share as percent_by_newcomers
from analysis.fixing_concentration
where dataset = 'live' and (repository <> 'pooled' or (
    select count(distinct repository) from analysis.fixing_concentration where dataset = 'live'
) > 2)
order by repository = 'pooled', repository, is_performance desc
"""
VERDICTS = f"""
with limits as (
    select *, {wilson_limits("(percent_by_members * n / 100)", "n")}
    from ({FIXING.strip()})
)

select repository, string_agg(
    case
        when n < {COMPARISON}
            then printf('too few %s bugs with a fix whose author is known: %d', kind, n)
        else printf(
            '%s bugs: %d persons fixed %d, half of these %d of them (Gini %.2f); accounts known as '
            || 'members made %.0f %% [%.0f, %.0f] of the fixes',
            kind, persons, n, half_group, gini, percent_by_members, low, high
        )
    end, '; ' order by kind desc
)
from limits
group by repository
order by repository = 'pooled', repository
"""
DRAWN = f"""
with shares as (
    select repository, kind, 'members' as who, n, percent_by_members as estimate
    from ({FIXING.strip()})
    union all
    select repository, kind, 'newcomers', n, percent_by_newcomers
    from ({FIXING.strip()})
)

select
    repository, kind as color, who || ', ' || kind as what, estimate,
    {wilson_limits("(estimate * n / 100)", "n")}
from shares
where n >= {COMPARISON}
order by repository = 'pooled', repository, who, kind desc
"""


def _members(rows: pl.DataFrame) -> list[Spec]:
    measure = "fixes that they made, percent"
    colors = {"performance": WARM, "other": COOL}
    return [
        estimates(str(name), part.drop("repository"), measure, colors=colors)
        for (name,), part in rows.group_by("repository", maintain_order=True)
    ]


FIGURES = {
    "analysis.fixing_concentration": Figure(
        "Who fixes, and on how few persons it rests", FIXING, VERDICTS, _members, DRAWN
    ),
}
