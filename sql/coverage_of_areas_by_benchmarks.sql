-- Question: which areas with performance bugs do benchmarks measure, and which not?
-- How to read: the areas with the most performance bugs first. A benchmark measures an area if its name has the
-- words of the area's last part; the share is that of all performance bugs of the repository in the area.
-- Group: benchmarks
-- Words: coverage, areas, blind spot, benchmark suite

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows -- count: how many areas
),

bugs as (
    select
        repository,
        area,
        count(*) as performance_bugs,
        sum(share) as weight
    from marts.bug_areas
    where is_performance and repository in (select repository from raw.benchmark_files)
    group by repository, area
),

benchmarks as (
    select
        repository,
        area,
        count(*) as benchmarks
    from marts.benchmark_areas
    group by repository, area
)

select
    repository,
    area,
    performance_bugs,
    round(100 * weight / sum(weight) over (partition by repository), 1) as percent,
    coalesce(benchmarks, 0) as benchmarks
from bugs
left join benchmarks using (repository, area)
cross join parameters
qualify
    row_number() over (
        order by performance_bugs desc, repository, area
    ) <= parameters.rows
order by performance_bugs desc, repository, area;
