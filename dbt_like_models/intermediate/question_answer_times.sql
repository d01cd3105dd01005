-- How long each question waited for its first answer, for the answer that was accepted and, where
-- none is, for the first one that its asker endorses in a comment: the forum tells when an answer was
-- given, not when it was accepted. Accepted is the one that the question names now, whatever was
-- before. An answer of the asker counts too. An answer that is older than its question, as merging questions makes it, came at
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
        min(answers.created_at) as first_at,
        min(answers.created_at) filter (where answers.answer_id = questions.accepted_answer_id)
            as accepted_at
    from answers
    inner join questions using (forum, question_id)
    group by forum, question_id
),

endorsed as (
    select
        forum,
        question_id,
        min(answered_at) as endorsed_answer_at
    from intermediate.question_endorsements
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
        questions.accepted_answer_id is null and endorsed.endorsed_answer_at is not null
            as is_endorsed,
        case
            when answer_times.first_at <= questions.asked_at then 0e0
            else (epoch_us(answer_times.first_at) - epoch_us(questions.asked_at))
                / 3600000000
        end as hours_to_first_answer,
        case
            when questions.accepted_answer_id is null then null
            when answer_times.accepted_at <= questions.asked_at then 0e0
            else (epoch_us(answer_times.accepted_at) - epoch_us(questions.asked_at))
                / 3600000000
        end as hours_to_accepted,
        case
            when questions.accepted_answer_id is not null then null
            when endorsed.endorsed_answer_at <= questions.asked_at then 0e0
            else (epoch_us(endorsed.endorsed_answer_at) - epoch_us(questions.asked_at))
                / 3600000000
        end as hours_to_endorsed,
        (epoch_us(ends.watched_until) - epoch_us(questions.asked_at))
            / 3600000000 as hours_watched,
        questions.views,
        questions.score
    from questions
    inner join ends using (forum)
    left join answer_times using (forum, question_id)
    left join endorsed using (forum, question_id)
)

select * from waits
