-- What the raters say together of each bug report they judged: for each question the answer that
-- most of them gave, and unsure, or NULL for cause and impact, where none has the most.

with

verdicts as (
    select * from staging.verdicts
),

bugs as (
    select
        dataset,
        repository,
        number,
        any_value(is_performance) as is_performance,
        any_value(matched_labels) as matched_labels,
        any_value(matched_keywords) as matched_keywords,
        count(rater) as raters
    from verdicts
    group by dataset, repository, number
),

answers as (
    select dataset, repository, number, 'verdict' as question, verdict as answer, null as detail
    from verdicts
    union all
    select dataset, repository, number, 'cause', category, subcategory
    from verdicts
    where category is not null
    union all
    select dataset, repository, number, 'impact', impact, null
    from verdicts
    where impact is not null
),

votes as (
    select dataset, repository, number, question, answer, detail, count(*) as votes
    from answers
    group by all
),

places as (
    select
        *,
        votes = max(votes) over bug as is_most,
        count(*) over (
            partition by dataset, repository, number, question, votes
        ) = 1 as is_alone
    from votes
    window bug as (partition by dataset, repository, number, question)
),

agreed as (
    select * from places where is_most and is_alone
)

select
    bugs.dataset,
    bugs.repository,
    bugs.number,
    bugs.raters,
    coalesce(verdict.answer, 'unsure') as verdict,
    case when verdict.answer = 'yes' then cause.answer end as category,
    case when verdict.answer = 'yes' then cause.detail end as subcategory,
    case when verdict.answer = 'yes' then impact.answer end as impact,
    bugs.is_performance,
    bugs.matched_labels,
    bugs.matched_keywords
from bugs
left join agreed as verdict
    on bugs.dataset = verdict.dataset
    and bugs.repository = verdict.repository
    and bugs.number = verdict.number
    and verdict.question = 'verdict'
left join agreed as cause
    on bugs.dataset = cause.dataset
    and bugs.repository = cause.repository
    and bugs.number = cause.number
    and cause.question = 'cause'
left join agreed as impact
    on bugs.dataset = impact.dataset
    and bugs.repository = impact.repository
    and bugs.number = impact.number
    and impact.question = 'impact'
