-- What mined bug reports state of their environment, a row for each value: operating system, device,
-- releases and data types.

with

stated as (
    select * from labels.environments
),

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

joined as (
    select
        bug_reports.dataset,
        repository,
        number,
        bug_reports.month,
        stated.environment_aspect,
        stated.environment_value,
        stated.stated_in,
        stated.statement,
        bug_reports.is_performance
    from bug_reports
    inner join stated using (repository, number)
)

select * from joined
