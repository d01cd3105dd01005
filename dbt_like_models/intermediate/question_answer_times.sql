-- How long each question waited for its first answer, and for the answer that was accepted: the
-- forum tells when that one was given, not when it was accepted. Whoever gave an answer, it counts,
-- the asker too. An answer that is older than its question, as merging questions makes it, came at
-- once. A question was watched until the last thing that is known of its forum.

with

questions as (
    select * from staging.questions
),

answers as (
    select * from raw.answers
),

answer_times as (
    select
        forum,
        question_id,
        min(created_at) as first_at,
        min(created_at) filter (where is_accepted) as accepted_at
    from answers
    group by forum, question_id
),

known_moments as (
    select
        forum,
        greatest(asked_at, coalesce(last_activity_at, asked_at)) as known_at
    from questions
    union all
    select
        forum,
        created_at as known_at
    from answers
),

ends as (
    select
        forum,
        max(known_at) as watched_until
    from known_moments
    group by forum
),

waits as (
    select
        forum,
        question_id,
        questions.month,
        questions.asked_at,
        answer_times.first_at is not null or questions.accepted_answer_id is not null
            as is_answered,
        questions.accepted_answer_id is not null as is_accepted,
        case
            when answer_times.first_at <= questions.asked_at then 0e0
            else date_diff('microsecond', questions.asked_at, answer_times.first_at)
                / 3600000000
        end as hours_to_first_answer,
        case
            when questions.accepted_answer_id is null then null
            when answer_times.accepted_at <= questions.asked_at then 0e0
            else date_diff('microsecond', questions.asked_at, answer_times.accepted_at)
                / 3600000000
        end as hours_to_accepted,
        date_diff('microsecond', questions.asked_at, ends.watched_until)
            / 3600000000 as hours_watched,
        questions.views,
        questions.score
    from questions
    inner join ends using (forum)
    left join answer_times using (forum, question_id)
)

select * from waits
