with limits as (
    select *,
    wilson_low(percent_by_members * n / 100, n) as low,
    wilson_high(percent_by_members * n / 100, n) as high
    from figure_rows
)

select repository, string_agg(
    case
        when n < 6
            then printf('too few %s bugs with a fix whose author is known: %d', kind, n)
        else printf(
            '%s bugs: %d persons fixed %d, half of these %d of them (Gini %.2f); ',
            kind, persons, n, half_group, gini
        ) || coalesce(
            printf(
                'accounts known as members made %.0f %% [%.0f, %.0f] of the fixes',
                percent_by_members, low, high
            ),
            'who of them is a member is not known'
        )
    end, '; ' order by kind desc
)
from limits
group by repository
order by repository = 'pooled', repository
