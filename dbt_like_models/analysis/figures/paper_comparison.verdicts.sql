select 'the study of ' || replace(study, '_', ' '), string_agg(
    number || ' ' || replace(verdict, '_', ' '), ', '
    order by list_position(
        ['exact', 'within_rounding', 'coincides', 'differs', 'not_derivable'], verdict
    )
) || case
    when sum(of_file) > 0
        then printf(' (%d of them counted in the published file, not printed)', sum(of_file))
    else ''
end
from (
    select
        study, verdict, count(*) as number,
        count(*) filter (where starts_with(location, 'Published file')) as of_file
    from analysis.paper_comparison
    group by all
)
group by study
order by study
