select
    repository, rule, arg_min(findings, quarter) as first, sum("new") as came, sum(gone) as went,
    arg_max(findings, quarter) as newest, arg_max(per_1000_files, quarter) as per_1000_files
from analysis.static_findings
group by repository, rule
order by repository, rule
