with quarters as (
    select
        repository, quarter, any_value(files_scanned) as files, sum(findings) as findings,
        sum("new") as came, sum(gone) as went,
        string_agg(
            rule || ' ' || findings || coalesce(
                printf(
                    ': %.0f %% right [%.0f, %.0f] of %d judged',
                    right_percent, right_low, right_high, judged
                ),
                ''
            ),
            ', ' order by rule
        ) filter (where findings > 0) as rules
    from figure_rows
    group by repository, quarter
)

select repository, printf(
    '%s to %s: %s in %d Python files%s%s%s', min(quarter), max(quarter),
    case
        when sum(findings) = 0 then 'no findings; at the end'
        else printf(
            'at the end %d finding%s', arg_max(findings, quarter),
            case when arg_max(findings, quarter) = 1 then '' else 's' end
        )
    end,
    arg_max(files, quarter),
    coalesce(' (' || arg_max(rules, quarter) || ')', ''),
    case when count(*) > 1 and sum(findings) > 0 then printf(
        '; between quarters %d appeared and %d disappeared', sum(came), sum(went)
    ) else '' end,
    case when any_value(unread.unparsed_files) > 0 then printf(
        '; files that could not be read: %d', any_value(unread.unparsed_files)
    ) else '' end
)
from quarters
left join (
    select repository, arg_max(unparsed_files, quarter) as unparsed_files
    from raw.scanned_trees
    group by repository
) as unread using (repository)
group by repository
order by repository
