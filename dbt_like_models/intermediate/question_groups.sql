-- Every group in which a question counts: each of its tag sets that are studied, with each kind that
-- it is of, and with all, the kind that every question is of.

with

questions as (
    select * from staging.questions
),

tag_sets as (
    select * from meta.tag_sets
),

kinds as (
    select * from labels.question_kinds where is_assigned
),

named as (
    select
        forum,
        question_id,
        month,
        unnest(tag_sets) as tag_set
    from questions
),

studied as (
    select
        forum,
        named.question_id,
        tag_set,
        named.month
    from named
    inner join tag_sets using (forum, tag_set)
    where named.month >= tag_sets.start_month
)

select
    forum,
    question_id,
    tag_set,
    'all' as kind,
    month
from studied
union all
select
    forum,
    question_id,
    studied.tag_set,
    kinds.kind,
    studied.month
from studied
inner join kinds using (forum, question_id)
