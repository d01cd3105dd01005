-- Machines and benchmarks that fell silent in the newest twelve months of their project's commits.
select * exclude (is_recent)
from marts.benchmark_silences
where is_recent
order by repository, committed_at desc, machine, is_machine desc
