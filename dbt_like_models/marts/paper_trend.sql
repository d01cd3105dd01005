-- Figure 1 of the paper, month by month: the published series beside the same counted again from
-- the published bug reports, at the moment at which the authors counted. The package tells of no
-- reopening, so that a bug report which was closed once is closed from its last close on.

with

published as (
    select * from replication.paper_series
),

bugs as (
    select * from marts.bug_metrics where dataset = 'replication'
),

counted as (
    select
        published.repository,
        published.series,
        published.month,
        count(bugs.number) filter (where bugs.is_performance) as reproduced_performance,
        count(bugs.number) as reproduced_total
    from published
    left join bugs
        on published.repository = bugs.repository
        and case
            when published.series = 'fixed'
                then bugs.is_fixed and bugs.closed_at < published.cut_off
            else
                bugs.opened_at < published.cut_off
                and (bugs.closed_at is null or bugs.closed_at >= published.cut_off)
        end
    group by published.repository, published.series, published.month
),

series as (
    select
        'replication' as dataset,
        repository,
        series,
        month,
        published.cut_off,
        published.performance as published_performance,
        published.bug_reports as published_total,
        published.percent as published_percent,
        counted.reproduced_performance,
        counted.reproduced_total,
        100 * counted.reproduced_performance
            / nullif(counted.reproduced_total, 0) as reproduced_percent
    from published
    inner join counted using (repository, series, month)
)

select * from series
