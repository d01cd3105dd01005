select repository, printf(
    'keywords and stems (%s) agree with kappa = %.2f [%.2f, %.2f], %s',
    replace(stem_set, '_', ' '), estimate, low, high, reading
)
from figure_rows
where estimate is not null
union all
select repository, printf(
    'too few to say how far keywords and stems (%s) agree: they mark %d and %d bug reports',
    replace(stem_set, '_', ' '), both_rules + keywords_only, both_rules + stems_only
)
from figure_rows
where estimate is null
