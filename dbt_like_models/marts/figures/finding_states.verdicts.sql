select repository, printf(
    '%d found, of which %d are gone from the newest tree; %s', sum(found), sum(gone),
    case
        when sum(reported) = 0 then 'nobody said that any was reported'
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
