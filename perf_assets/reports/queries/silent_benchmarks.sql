-- Machines and benchmarks that fell silent in the newest twelve months of their repository's commits.
select silences.*
from marts.benchmark_silences as silences
inner join (
    select
        repository,
        max(committed_at) - interval 12 month as first_at
    from intermediate.commit_positions
    group by repository
) as years using (repository)
where silences.committed_at >= years.first_at
order by silences.repository, silences.committed_at desc, silences.machine, silences.is_machine desc
