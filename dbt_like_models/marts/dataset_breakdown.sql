-- How many bug reports of each repository are open, closed and fixed, performance bugs apart from
-- the others: Table I of the paper. A group without any bug report is there with zeros.

with

groups as (
    select
        repositories.dataset,
        repositories.repository,
        kinds.is_performance
    from staging.repositories as repositories
    cross join (values (true), (false)) as kinds(is_performance)
),

bugs as (
    select * from marts.bug_metrics
),

breakdown as (
    select
        dataset,
        repository,
        is_performance,
        count(bugs.number) filter (where bugs.state = 'open') as open,
        count(bugs.number) filter (where bugs.state = 'closed') as closed,
        count(bugs.number) filter (where bugs.is_fixed) as fixed
    from groups
    left join bugs using (dataset, repository, is_performance)
    group by dataset, repository, is_performance
)

select * from breakdown
