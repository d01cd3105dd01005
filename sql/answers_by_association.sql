-- Question: who is answered, by what they are to the project, and how soon?
-- How to read: one line for each association of the reporter (GitHub's word, NULL where it is not
-- known) and kind of bug report. Hours are medians over those that were answered, by any other person
-- and by a member; hours_unanswered is the median over all of the time in which nobody had answered
-- and the report was open. Bots answer nobody. answered_by_member is NULL where no association is known.
-- Group: people
-- Words: member, maintainer, newcomer, response time

select
    repository,
    author_association,
    case when is_performance then 'performance' else 'other' end as kind,
    count(*) as bug_reports,
    count(hours_to_first_comment) as answered,
    case
        when repository in (select repository from staging.accounts where association is not null)
            then count(hours_to_first_member_comment)
    end as answered_by_member,
    round(median(hours_to_first_comment), 1) as median_hours_to_answer,
    round(median(hours_to_first_member_comment), 1) as median_hours_to_member,
    round(median(hours_unanswered), 1) as median_hours_unanswered
from marts.bug_metrics
where dataset = 'live'
group by repository, author_association, is_performance
order by repository, author_association nulls last, is_performance desc;
