"""Figures of where performance bugs are: areas, hot spots, keywords and environments."""

import polars as pl

from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.figure import Figure, wilson_limits
from perf_assets.reports.figures.panels import estimates, lengths
from perf_assets.reports.figures.treemap import treemap
from perf_assets.reports.formats import with_words

LEAST = 5
"""Performance bugs that an area has at least: a share of fewer says little."""

FEWEST_STATING = 10
"""Bug reports that state a value at least: of fewer the interval says nothing."""

AREAS = f"""
with counts as (
    select
        areas.repository, areas.area, count(*) as n,
        count(*) filter (where areas.is_performance) as k,
        count(*) filter (where areas.is_performance and bugs.state = 'open') as open_now
    from marts.bug_areas as areas
    inner join marts.bug_metrics as bugs using (dataset, repository, number)
    where dataset = 'live'
    group by areas.repository, areas.area
),

limits as (
    select *, {wilson_limits("k", "n")} from counts
)

select
    repository, area, n as bug_reports, k as performance_bugs, open_now as open_performance_bugs,
    case when k >= {LEAST} then 100.0 * k / n end as estimate,
    case when k >= {LEAST} then low end as low,
    case when k >= {LEAST} then high end as high
from limits
order by repository, performance_bugs desc, bug_reports desc, area
"""
AREAS_VERDICTS = f"""
with areas as (
    select *, row_number() over (partition by repository order by open_performance_bugs desc, area)
        as place
    from ({AREAS.strip()})
    where area <> 'unknown'
),

sources as (
    select
        repository, count(distinct number) as bug_reports,
        count(distinct number) filter (where area_source is not null) as located,
        count(distinct number) filter (where area_source = 'label') as by_label,
        count(distinct number) filter (where area_source = 'fix') as by_fix,
        count(distinct number) filter (where area_source = 'stack_trace') as by_trace
    from marts.bug_areas
    where dataset = 'live'
    group by repository
)

select repository, printf(
    'most performance bugs are in %s',
    string_agg(printf(
        '%s (%d, %d of them open; %.0f %% [%.0f, %.0f] of its %d bug reports)',
        area, performance_bugs, open_performance_bugs, estimate, low, high, bug_reports
    ), ', ' order by performance_bugs desc, area)
)
from (
    from areas where estimate is not null
    qualify row_number() over (partition by repository order by performance_bugs desc, area) <= 3
)
group by repository
union all
select repository, printf(
    'too few to compare areas: at most %d performance bug%s in one, at least {LEAST} are needed',
    max(performance_bugs), case when max(performance_bugs) = 1 then '' else 's' end
)
from areas
group by repository
having count(estimate) = 0
union all
select repository, printf(
    'of %d bug reports %d have an area: %d by labels, %d by the files of their fixes, %d by stack '
    || 'traces', bug_reports, located, by_label, by_fix, by_trace
)
from sources
order by all
"""
HOT_SPOTS = """
select
    repository, code_unit, name, area, performance_fixes, fixes, commits_between, churn_between,
    removed_lines, round(mean_age_of_removed_lines_days) as age_of_removed_lines_days
from marts.hot_spots
where dataset = 'live'
qualify row_number() over (
    partition by repository, code_unit order by performance_fixes desc, fixes desc, name
) <= 40
order by repository, code_unit, performance_fixes desc, fixes desc, name
"""
HOT_SPOTS_VERDICTS = f"""
with fixed as (
    select repository, count(*) as fixed
    from marts.bug_metrics
    where dataset = 'live' and is_performance and fix_commits > 0
    group by repository
),

spots as (
    select * from marts.hot_spots where dataset = 'live'
),

places as (
    select repository, code_unit, count(*) filter (where performance_fixes > 1) as again
    from spots
    group by repository, code_unit
),

named as (
    select repository, code_unit, string_agg(
        printf('%s (%d)', name, performance_fixes), ', '
        order by performance_fixes desc, fixes desc, name
    ) as names
    from (
        from spots where performance_fixes > 1
        qualify row_number() over (
            partition by repository, code_unit order by performance_fixes desc, fixes desc, name
        ) <= 3
    )
    group by repository, code_unit
)

select repository, case
    when fixed < {LEAST} then printf(
        'too few to tell hot spots: %d performance bug%s with a fix, at least {LEAST} are needed',
        fixed, case when fixed = 1 then '' else 's' end
    )
    when again = 0 then printf(
        'no %s was changed by the fixes of two of the %d performance bugs with one',
        code_unit, fixed
    )
    else printf(
        'fixes of several of %d performance bugs changed %d %ss; most often %s',
        fixed, again, code_unit, names
    )
end
from places
inner join fixed using (repository)
left join named using (repository, code_unit)
where fixed >= {LEAST} or code_unit = 'file'
order by repository, code_unit
"""
HOT_FILES = f"""
with fixed as (
    select repository
    from marts.bug_metrics
    where dataset = 'live' and is_performance and fix_commits > 0
    group by repository
    having count(*) >= {LEAST}
)

select
    repository, area as "group", name as what, performance_fixes as size,
    mean_age_of_removed_lines_days as shade
from marts.hot_spots
semi join fixed using (repository)
where dataset = 'live' and code_unit = 'file'
qualify row_number() over (
    partition by repository order by performance_fixes desc, fixes desc, name
) <= 40
order by repository, size desc, what
"""
KEYWORDS = """
with matches as (
    select
        repository, unnest(matched_keywords) as keyword, state,
        len(matched_keywords) = 1 and len(matched_labels) = 0 as is_only_reason
    from staging.bug_reports
    where dataset = 'live' and is_performance
)

select
    repository, keyword, count(*) as bug_reports,
    count(*) filter (where is_only_reason) as only_reason,
    count(*) filter (where state = 'open') as open_now
from matches
group by repository, keyword
order by repository, bug_reports desc, keyword
"""
KEYWORDS_VERDICTS = f"""
select repository, printf(
    '%d keywords mark performance bugs; the most frequent are %s', count(*),
    string_agg(printf('%s (%d)', keyword, bug_reports), ', ' order by bug_reports desc, keyword)
        filter (where place <= 5)
)
from (
    select
        *, row_number() over (partition by repository order by bug_reports desc, keyword) as place
    from ({KEYWORDS.strip()})
)
group by repository
order by repository
"""
ENVIRONMENTS = f"""
with counts as (
    select
        repository, environment_aspect as aspect, environment_value as environment,
        count(*) as n, count(*) filter (where stated_in <> 'text') as in_a_field_or_block,
        count(*) filter (where is_performance) as k
    from marts.bug_environments
    group by all
    having n >= {FEWEST_STATING}
)

select
    repository, aspect, environment, n as bug_reports, in_a_field_or_block, k as performance_bugs,
    100.0 * k / n as estimate, {wilson_limits("k", "n")}
from counts
order by repository, aspect, bug_reports desc, environment
"""
ENVIRONMENTS_VERDICTS = f"""
with totals as (
    select
        repository, environment_aspect as aspect, count(distinct number) as stating,
        count(distinct number) filter (where is_performance) as performance
    from marts.bug_environments
    group by all
),

shown as (
    from ({ENVIRONMENTS.strip()})
    qualify row_number() over (
        partition by repository, aspect order by bug_reports desc, environment
    ) <= 3
)

select repository, printf(
    'of %d bug reports that state the %s %d are performance bugs: %s', any_value(stating),
    replace(aspect, '_', ' '), any_value(performance), string_agg(printf(
        '%s %d of %d (%.1f %% [%.1f, %.1f])', environment, performance_bugs, bug_reports, estimate,
        low, high
    ), ', ' order by bug_reports desc, environment)
)
from shown
inner join totals using (repository, aspect)
group by repository, aspect
order by repository, aspect
"""
MOST = 12
"""Areas or keywords in a picture."""


def _areas(rows: pl.DataFrame) -> list[Spec]:
    estimated = rows.drop_nulls("estimate").filter(pl.col("area") != "unknown")
    what = pl.format("{} ({} of {})", "area", "performance_bugs", "bug_reports")
    groups = estimated.with_columns(what=what).group_by("repository", maintain_order=True)
    measure = "performance bugs among the bug reports, percent"
    return [estimates(str(name), part.head(MOST), measure) for (name,), part in groups]


def _hot_files(rows: pl.DataFrame) -> list[Spec]:
    groups = rows.group_by("repository", maintain_order=True)
    measure = "performance bugs whose fix changed it"
    shade = "mean age of the lines that these fixes removed, days"
    return [treemap(str(name), part, measure, shade) for (name,), part in groups]


def _keywords(rows: pl.DataFrame) -> list[Spec]:
    groups = rows.rename({"keyword": "what", "bug_reports": "value"}).group_by(
        "repository", maintain_order=True
    )
    return [lengths(str(name), part.head(MOST), "performance bugs") for (name,), part in groups]


def _environments(rows: pl.DataFrame) -> list[Spec]:
    named = with_words(rows.with_columns(what="environment"))
    groups = named.group_by("repository", "aspect", maintain_order=True)
    measure = "performance bugs among the bug reports that state it, percent"
    return [
        estimates(f"{name}, {aspect}", part.head(MOST), measure) for (name, aspect), part in groups
    ]


KEYWORDS_FIGURE = Figure(
    "Keywords that mark performance bugs", KEYWORDS, KEYWORDS_VERDICTS, _keywords
)

FIGURES = {
    "marts.bug_areas": Figure("Areas of the code", AREAS, AREAS_VERDICTS, _areas),
    "marts.hot_spots": Figure(
        "Hot spots: where performance bugs are fixed again and again",
        HOT_SPOTS,
        HOT_SPOTS_VERDICTS,
        _hot_files,
        HOT_FILES,
    ),
    "marts.bug_environments": Figure(
        "Environments that bug reports state", ENVIRONMENTS, ENVIRONMENTS_VERDICTS, _environments
    ),
}
