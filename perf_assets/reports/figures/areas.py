"""Figures of what performance bugs are about: their labels, keywords and environments."""

import polars as pl

from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.figure import Figure, wilson_limits
from perf_assets.reports.figures.panels import estimates, lengths
from perf_assets.reports.formats import with_words

LEAST = 5
"""Performance bugs that an area has at least: a share of fewer says little."""

FEWEST_STATING = 10
"""Bug reports that state a value at least: of fewer the interval says nothing."""

# Words of labels that say what a report is or how far it is, and not where.
NO_AREA = (
    "bug|bugs|defect|issue|type|kind|stat|state|status|priority|severity|p[0-9]|high|low|medium|critical|"
    "urgent|triaged?|triage review|needs?|awaiting|pending|blocked|blocker|duplicate|stale|wontfix|"
    "invalid|question|help|wanted|first|welcome|todo|regression|confirmed|reproduced|fixed|resolved|"
    "closed|open|backlog|prio|cla|enhancement|feature|inactive|autoclosed?"
)

AREAS = f"""
with bugs as (
    select repository, number, is_performance, unnest(labels) as area
    from staging.bug_reports
    where dataset = 'live'
),

areas as (
    select
        bugs.repository, bugs.area, count(*) as n, count(*) filter (where bugs.is_performance) as k,
        1.0 * k / n as share
    from bugs
    left join labels.label_kinds as kinds
        on kinds.repository = bugs.repository and kinds.label = bugs.area
    where
        not coalesce(kinds.is_performance, false)
        and not regexp_matches(lower(bugs.area), '(^|[^a-z0-9])({NO_AREA})([^a-z0-9]|$)')
    group by bugs.repository, bugs.area
    having k >= {LEAST}
)

select
    repository, area, n as bug_reports, k as performance_bugs, 100 * share as estimate,
    {wilson_limits("k", "n")}
from areas
order by repository, performance_bugs desc, area
"""
AREAS_VERDICTS = f"""
select repository, printf(
    'most performance bugs carry %s',
    string_agg(
        printf(
            '%s (%d, %.0f %% [%.0f, %.0f] of its bug reports)',
            area, performance_bugs, estimate, low, high
        ),
        ', ' order by performance_bugs desc, area
    )
)
from (
    from ({AREAS.strip()})
    qualify row_number() over (partition by repository order by performance_bugs desc, area) <= 3
)
group by repository
order by repository
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
    groups = rows.with_columns(what="area").group_by("repository", maintain_order=True)
    measure = "performance bugs among the bug reports, percent"
    return [estimates(str(name), part.head(MOST), measure) for (name,), part in groups]


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


AREAS_FIGURE = Figure("Areas, by the labels of the project", AREAS, AREAS_VERDICTS, _areas)
KEYWORDS_FIGURE = Figure(
    "Keywords that mark performance bugs", KEYWORDS, KEYWORDS_VERDICTS, _keywords
)

FIGURES = {
    "marts.bug_environments": Figure(
        "Environments that bug reports state", ENVIRONMENTS, ENVIRONMENTS_VERDICTS, _environments
    ),
}
