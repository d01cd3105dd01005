-- Question: what makes each kind of question hard, by the root causes that people read from its answer?
-- How to read: one line for each kind and root cause (Zhang et al., ISSRE 2019, RQ3), with the questions
-- that a rater gave both; agreed are those to which every rater who gave a root cause gave the same one.
-- Kinds of a question are all that its raters gave; beside the seven there are three kinds of crash. It
-- is empty until review sheets of questions come back (perf-assets review sample --forum NAME).
-- Group: forums
-- Words: stack overflow, difficulty

with

verdicts as (
    select distinct
        forum,
        question_id,
        rater,
        challenge,
        kinds
    from staging.question_verdicts
    where challenge is not null
),

agreements as (
    select
        forum,
        question_id,
        count(distinct challenge) = 1 as is_agreed
    from verdicts
    group by forum, question_id
),

by_kind as (
    select distinct
        verdicts.forum,
        verdicts.question_id,
        verdicts.challenge,
        unnest(verdicts.kinds) as kind
    from verdicts
)

select
    by_kind.forum,
    by_kind.kind,
    by_kind.challenge as root_cause,
    count(*) as questions,
    count(*) filter (where agreements.is_agreed) as agreed
from by_kind
inner join agreements using (forum, question_id)
group by by_kind.forum, by_kind.kind, by_kind.challenge
order by by_kind.forum, by_kind.kind, questions desc, root_cause;
