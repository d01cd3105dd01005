select 'the study of ' || replace(study, '_', ' '), 'figures of the paper: ' || string_agg(
    number || ' ' || replace(verdict, '_', ' '), ', '
    order by list_position(
        ['exact', 'within_rounding', 'coincides', 'differs', 'not_derivable'], verdict
    )
) filter (where number > 0) || case
    when sum(of_file) > 0
        then printf(' (%d of them counted in the published file, not printed)', sum(of_file))
    else ''
end || case
    when sum(of_itself) > 0 then printf('; of the paper compared with itself: %d', sum(of_itself))
    else ''
end
from (
    select
        study, verdict,
        count(*) filter (where location <> 'The paper against itself') as number,
        count(*) filter (where location = 'The paper against itself') as of_itself,
        count(*) filter (where starts_with(location, 'Published file')) as of_file
    from analysis.paper_comparison
    group by all
)
group by study
order by study
