select
    repository, rule, count(*) as found, count(*) filter (where is_gone) as gone,
    count(state) as reported, count(*) filter (where state in ('confirmed', 'fixed')) as confirmed,
    count(*) filter (where state = 'fixed') as fixed,
    count(*) filter (where state = 'rejected') as rejected
from marts.finding_states
group by repository, rule
order by repository, found desc, rule
