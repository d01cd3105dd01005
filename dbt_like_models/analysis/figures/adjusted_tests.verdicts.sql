select 'all repositories', case
    when count(p_value) = 0 then 'no headline test was made: there are too few performance bugs'
    else printf(
        '%d of %d headline tests have p < 0.05, and %d of them also when adjusted for all (Holm)',
        count(*) filter (where p_value < 0.05), count(p_value),
        count(*) filter (where p_value_holm < 0.05)
    )
end
from analysis.adjusted_tests
where dataset = 'live'
