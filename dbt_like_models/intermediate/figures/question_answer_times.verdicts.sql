select forum, printf(
    '%s: %d of %d questions had no accepted answer by the end of the data; %s',
    replace(kind, '_', ' '), never_accepted, questions,
    case
        when accepted < 6 then 'too few had one to say how soon'
        else printf(
            'half of the others had one within %.1f hours, a quarter after more than %.1f hours',
            median_hours, upper_quartile_hours
        )
    end
)
from figure_rows
order by forum, never_accepted / questions desc, kind
