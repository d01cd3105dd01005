"""The figure of the static checks: what they find, quarter by quarter."""

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.core.paper.constants import PUBLISHED_FINDINGS
from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.figure import Figure
from perf_assets.reports.figures.panels import WIDTH, colored, lengths, values

FEW = 10
"""Findings up to which each number has its line: there is no half of one."""

CHANGING = """
    select findings.*
    from analysis.static_findings as findings
    left join (
        select
            repository,
            strptime(last_series_month, '%Y-%m') as began,
            year(began) || '-Q' || quarter(began) as rested_in
        from marts.activity
        where dataset = 'live' and is_at_rest
    ) as rested using (repository)
    window of_repository as (partition by repository)
    qualify
        quarter <= coalesce(rested_in, quarter)
        or quarter <= max(quarter) filter ("new" + gone + rewritten > 0) over of_repository
"""
"""The findings, of a repository at rest up to its last activity, or the last change of one."""

PRECISION = """
    select
        repository, rule, judged, estimate_percent as right_percent,
        low_percent as right_low, high_percent as right_high
    from analysis.finding_precision
    where rater = 'consensus'
"""
"""How often the findings of each rule are right, by what most of their raters say."""

NEWEST = f"""
select
    repository, quarter, rule, findings, "new", gone, rewritten, files_scanned, per_1000_files,
    judged, right_percent, right_low, right_high
from ({CHANGING})
left join ({PRECISION}) as judged_ones using (repository, rule)
order by quarter desc, repository, findings desc, rule
"""
QUARTERS = f"""
select repository, quarter, rule, findings
from ({CHANGING})
qualify sum(findings) over (partition by repository, rule) > 0
order by repository, quarter, rule
"""
FOUND = f"""
with quarters as (
    select
        repository, quarter, any_value(files_scanned) as files, sum(findings) as findings,
        sum("new") as came, sum(gone) as went,
        string_agg(
            rule || ' ' || findings || coalesce(
                printf(
                    ': %.0f %% right [%.0f, %.0f] of %d judged',
                    right_percent, right_low, right_high, judged
                ),
                ''
            ),
            ', ' order by rule
        ) filter (where findings > 0) as rules
    from ({CHANGING})
    left join ({PRECISION}) as judged_ones using (repository, rule)
    group by repository, quarter
)

select repository, printf(
    '%s to %s: %s in %d files of Python%s%s%s', min(quarter), max(quarter),
    case
        when sum(findings) = 0 then 'nothing found, at the end'
        else printf('at the end %d findings', arg_max(findings, quarter))
    end,
    arg_max(files, quarter),
    coalesce(' (' || arg_max(rules, quarter) || ')', ''),
    case when count(*) > 1 and sum(findings) > 0 then printf(
        ', and %d came and %d went from one quarter to the next', sum(came), sum(went)
    ) else '' end,
    case when any_value(unread.unparsed_files) > 0 then printf(
        '; %d could not be read', any_value(unread.unparsed_files)
    ) else '' end
)
from quarters
left join (
    select repository, arg_max(unparsed_files, quarter) as unparsed_files
    from raw.scanned_trees
    group by repository
) as unread using (repository)
group by repository
order by repository
"""


def quarters(rows: pl.DataFrame) -> list[Spec]:
    """A panel a repository: a bar a quarter, a part a rule."""
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

STATES = """
select
    repository, rule, count(*) as found, count(*) filter (where is_gone) as gone,
    count(state) as reported, count(*) filter (where state in ('confirmed', 'fixed')) as confirmed,
    count(*) filter (where state = 'fixed') as fixed,
    count(*) filter (where state = 'rejected') as rejected
from marts.finding_states
group by repository, rule
order by repository, found desc, rule
"""
STATES_FOUND = f"""
select repository, printf(
    '%d found, of which %d are gone from the newest tree; %s', sum(found), sum(gone),
    case
        when sum(reported) = 0 then 'nobody said that any was reported'
        else printf(
            '%d reported, %d confirmed, %d fixed, %d rejected', sum(reported), sum(confirmed),
            sum(fixed), sum(rejected)
        )
    end
)
from ({STATES.strip()})
group by repository
union all
select 'the study''s checker', '{PUBLISHED_FINDINGS["found"]} found, '
    || '{PUBLISHED_FINDINGS["confirmed"]} confirmed, {PUBLISHED_FINDINGS["fixed"]} fixed'
from (select count(*) as findings from marts.finding_states)
where findings > 0
"""


def steps(rows: pl.DataFrame) -> list[Spec]:
    """Where anything was reported: findings by step, of one's own and of the study's checker."""
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


FIGURES = {
    "analysis.static_findings": Figure(
        "What static checks find, quarter by quarter", NEWEST, FOUND, quarters, QUARTERS
    ),
    "marts.finding_states": Figure("What became of findings", STATES, STATES_FOUND, steps),
}
