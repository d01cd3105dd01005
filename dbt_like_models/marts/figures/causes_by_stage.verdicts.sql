select whose, printf(
    '%d problems; most often %s', any_value(total_problems),
    string_agg(
        printf('%s, introduced at %s (%d)', cause, stage, problems), '; '
        order by problems desc, cause, stage
    )
)
from (
    select *, row_number() over (partition by whose order by problems desc, cause, stage) as place
    from figure_rows
    where stage_of = 'introducing'
)
where place <= 3
group by whose
order by whose
