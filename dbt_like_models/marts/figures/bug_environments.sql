with counts as (
    select
        repository, environment_aspect as aspect, environment_value as environment,
        count(*) as n, count(*) filter (where stated_in <> 'text') as in_a_field_or_block,
        count(*) filter (where is_performance) as k
    from marts.bug_environments
    group by all
    having n >= 10
)

select
    repository, aspect, environment, n as bug_reports, in_a_field_or_block, k as performance_bugs,
    100.0 * k / n as estimate,
    wilson_low(k, n) as low, wilson_high(k, n) as high
from counts
order by repository, aspect, bug_reports desc, environment
