-- Question: which kinds of questions find an accepted answer least often?
-- How to read: one line for each tag set and kind, over all months; the hardest first. all is every
-- question of the tag set, whose share the last column is the difference to, in points. Kinds other
-- than all are there once questions were classified.
-- Group: forums
-- Words: stack overflow, difficulty

with

totals as (
    select
        forum,
        tag_set,
        kind,
        cast(sum(questions) as bigint) as questions,
        cast(sum(accepted) as bigint) as accepted
    from marts.question_difficulty
    group by forum, tag_set, kind
)

select
    totals.forum,
    totals.tag_set,
    totals.kind,
    totals.questions,
    round(100 * totals.accepted / totals.questions, 1) as accepted_percentage,
    round(
        100 * totals.accepted / totals.questions - 100 * every.accepted / every.questions, 1
    ) as points_above_all
from totals
inner join totals as every
    on totals.forum = every.forum and totals.tag_set = every.tag_set and every.kind = 'all'
order by totals.forum, totals.tag_set, accepted_percentage, totals.kind;
