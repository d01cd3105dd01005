-- Question: on which systems, devices and releases do performance bugs occur?
-- How to read: one line a value that bug reports state, with how many do and how many of those are
-- performance bugs, beside the share among all bug reports that state the aspect. In stated_by_form are
-- those that state it in a field or in the block of a tool; the others name it in their text.
-- Group: areas
-- Words: GPU, CPU, CUDA, version, regression, operating system, hardware

with

parameters as (
    select
        coalesce(getvariable('least'), 1) as least -- count: values that at least so many bug reports state
),

stated as (
    select *
    from marts.bug_environments
),

aspects as (
    select
        repository,
        environment_aspect,
        count(distinct number) as stating,
        count(distinct number) filter (where is_performance) as stating_performance
    from stated
    group by repository, environment_aspect
),

counted as (
    select
        repository,
        environment_aspect,
        environment_value,
        count(*) as bug_reports,
        count(*) filter (where stated_in <> 'text') as stated_by_form,
        count(*) filter (where is_performance) as performance_bugs
    from stated
    group by repository, environment_aspect, environment_value
)

select
    repository,
    environment_aspect,
    environment_value,
    bug_reports,
    stated_by_form,
    performance_bugs,
    round(100 * performance_bugs / nullif(bug_reports, 0), 1) as performance_percent,
    round(100 * stating_performance / nullif(stating, 0), 1) as performance_percent_of_aspect
from counted
inner join aspects using (repository, environment_aspect)
where bug_reports >= (select parameters.least from parameters)
order by repository, environment_aspect, bug_reports desc, environment_value;
