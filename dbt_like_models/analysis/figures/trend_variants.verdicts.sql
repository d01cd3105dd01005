select repository, case
    when any_value(p) filter (where variant = 'all') is null
    then any_value(result) filter (where variant = 'all')
    when count(distinct p < 0.05 and odds > 1) = 1 and count(distinct p < 0.05 and odds < 1) = 1
    then 'the same is seen without rejected reports, with duplicates counted once'
        || case
            when count(*) = 4 then ', and within the periods of one way of labelling' else ''
        end
    else string_agg(printf('%s: %s', replace(variant, '_', ' '), result), '; ')
end
from figure_rows
group by repository
order by repository
