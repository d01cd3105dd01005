select whose, printf(
    '%d problems by %s: %s', any_value(total_problems), replace(aspect, '_', ' '),
    string_agg(
        category || ' ' || problems
            || coalesce(printf(' (%.0f %% [%.0f, %.0f])', percent, low, high), ''),
        ', ' order by problems desc, category
    )
)
from figure_rows
where subcategory is null
group by whose, aspect
order by
    whose,
    list_position(
        ['symptom', 'root_cause', 'introducing_stage', 'exposing_stage'],
        aspect
    )
