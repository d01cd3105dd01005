select
    case series when 'opened' then 'new reports' else 'newly fixed' end as what, repository,
    odds_a_year as estimate, low, high
from figure_rows
where odds_a_year is not null
