with shares as (
    select repository, kind, 'members' as who, n, percent_by_members as estimate
    from figure_rows
    union all
    select repository, kind, 'newcomers', n, percent_by_newcomers
    from figure_rows
)

select
    repository, kind as color, who || ', ' || kind as what, estimate,
    wilson_low(estimate * n / 100, n) as low, wilson_high(estimate * n / 100, n) as high
from shares
where n >= 6 and estimate is not null
order by repository = 'pooled', repository, who, kind desc
