select
    repository, stem_set, n, both_rules, keywords_only, stems_only, neither_rule,
    kappa as estimate, low, high, reading
from analysis.labelling_rule_agreement
where
    dataset = 'live' and month = 'all'
    and is_listed(
        repository,
        (
            select count(distinct repository) from analysis.labelling_rule_agreement
            where dataset = 'live'
        )
    )
order by repository = 'pooled', repository, stem_set
