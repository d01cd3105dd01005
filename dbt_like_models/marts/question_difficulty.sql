-- How hard questions are, by tag set, kind and the month in which they were asked: how many got an
-- answer, and one that their owner accepted, and how soon. A question of several tag sets or kinds
-- counts in each of them, and once in the kind all; where kinds were not decided there is no other
-- kind. A month is there from its first question on. Questions of the last months had little time:
-- analysis.question_difficulty takes that into account.

with

question_groups as (
    select * from intermediate.question_groups
),

-- In whole microseconds, whose sums do not depend on the order of the rows.
waits as (
    select
        *,
        cast(round(hours_to_first_answer * 3600000000) as bigint) as until_first_answer,
        cast(round(hours_to_accepted * 3600000000) as bigint) as until_accepted
    from intermediate.question_answer_times
),

difficulty as (
    select
        forum,
        question_groups.tag_set,
        question_groups.kind,
        question_groups.month,
        count(question_id) as questions,
        count(question_id) filter (where waits.is_accepted) as accepted,
        count(question_id) filter (where waits.is_accepted) / count(question_id)
            as accepted_share,
        median(waits.until_accepted) / 3600000000 as median_hours_to_accepted,
        avg(waits.until_accepted) / 3600000000 as mean_hours_to_accepted,
        count(question_id) filter (where waits.is_answered) as answered,
        count(question_id) filter (where waits.is_answered) / count(question_id)
            as answered_share,
        median(waits.until_first_answer) / 3600000000 as median_hours_to_first_answer,
        avg(waits.until_first_answer) / 3600000000 as mean_hours_to_first_answer,
        median(waits.views) as median_views,
        median(waits.score) as median_score
    from question_groups
    inner join waits using (forum, question_id)
    group by forum, question_groups.tag_set, question_groups.kind, question_groups.month
)

select * from difficulty
