with limits as (
    select *,
    wilson_low(percent_by_members * n / 100, n) as low,
    wilson_high(percent_by_members * n / 100, n) as high
    from figure_rows
)

select repository, string_agg(
    case
        when n < 6
            then printf(
                'too few %s bugs with a fix whose author is known: %d, at least 6 are needed',
                kind, n
            )
        else printf(
            '%d people fixed %d %s bugs, and %d of them fixed half (Gini %.2f); ',
            persons, n, kind, half_group, gini
        ) || coalesce(
            printf(
                'known members wrote %.0f %% [%.0f, %.0f] of the fixes',
                percent_by_members, low, high
            ),
            'which of them are members is not known'
        )
    end, '; ' order by kind desc
)
from limits
group by repository
order by repository = 'pooled', repository
