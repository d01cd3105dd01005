-- The regressions of each repository that has benchmark results, the newest first, with the first
-- of its newest three months with results; a row without a regression where it has none.
select
    newest.since,
    regressions.*
from (
    select
        repository as of_repository,
        strftime(cast(max(month) || '-01' as date) - interval 2 month, '%Y-%m') as since
    from raw.benchmark_files
    where results > 0
    group by repository
) as newest
left join marts.regression_lifetimes as regressions
    on newest.of_repository = regressions.repository
order by regressions.committed_at desc, newest.of_repository, regressions.regression_id
