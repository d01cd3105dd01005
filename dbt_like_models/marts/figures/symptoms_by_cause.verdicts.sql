select whose, printf(
    '%d problems; most often %s', any_value(total_problems),
    string_agg(
        printf('%s by %s (%d)', symptom, cause, problems), '; '
        order by problems desc, symptom, cause
    )
)
from (
    select *, row_number() over (partition by whose order by problems desc, symptom, cause) as place
    from figure_rows
    
)
where place <= 3
group by whose
order by whose
