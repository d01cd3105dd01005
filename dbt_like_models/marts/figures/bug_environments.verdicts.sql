with totals as (
    select
        repository, environment_aspect as aspect, count(distinct number) as stating,
        count(distinct number) filter (where is_performance) as performance
    from marts.bug_environments
    group by all
),

shown as (
    from figure_rows
    qualify row_number() over (
        partition by repository, aspect order by bug_reports desc, environment
    ) <= 3
)

select repository, printf(
    'performance bugs among %d bug reports that state the %s: %d; %s', any_value(stating),
    replace(aspect, '_', ' '), any_value(performance), string_agg(printf(
        '%s: %d of %d (%.1f %% [%.1f, %.1f])', environment, performance_bugs, bug_reports, estimate,
        low, high
    ), '; ' order by bug_reports desc, environment)
)
from shown
inner join totals using (repository, aspect)
group by repository, aspect
order by repository, aspect
