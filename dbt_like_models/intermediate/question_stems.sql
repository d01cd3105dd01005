-- How many questions of a tag set each entry of the set of stems finds, and how many no other entry
-- finds, in both readings of the set; the row of any entry counts the questions that one of them finds.

with

questions as (
    select
        forum,
        question_id,
        unnest(tag_sets) as tag_set
    from raw.questions
),

labels as (
    select * from labels.performance_questions
),

readings as (
    select
        forum,
        questions.tag_set,
        question_id,
        'as_meant' as stem_set,
        labels.matched_stems as matched
    from questions
    inner join labels using (forum, question_id)
    union all
    select
        forum,
        questions.tag_set,
        question_id,
        'as_published' as stem_set,
        labels.matched_stems_as_published as matched
    from questions
    inner join labels using (forum, question_id)
),

entries as (
    select
        forum,
        tag_set,
        stem_set,
        question_id,
        unnest(matched) as stem,
        array_length(matched) = 1 as is_alone
    from readings
),

by_entry as (
    select
        forum,
        tag_set,
        stem_set,
        stem,
        count(question_id) as questions,
        count(question_id) filter (where is_alone) as only_by_it
    from entries
    group by forum, tag_set, stem_set, stem
),

by_any as (
    select
        forum,
        tag_set,
        stem_set,
        'any' as stem,
        count(question_id) filter (where array_length(matched) > 0) as questions,
        count(question_id) filter (where array_length(matched) > 0) as only_by_it
    from readings
    group by forum, tag_set, stem_set
),

totals as (
    select
        forum,
        tag_set,
        stem_set,
        count(question_id) as all_questions
    from readings
    group by forum, tag_set, stem_set
),

counted as (
    select * from by_entry
    union all
    select * from by_any
)

select
    forum,
    tag_set,
    stem_set,
    counted.stem,
    counted.questions,
    counted.only_by_it,
    totals.all_questions
from counted
inner join totals using (forum, tag_set, stem_set)
