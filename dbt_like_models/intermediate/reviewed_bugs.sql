-- What the raters say together of each bug report they judged: what they agreed on when they
-- discussed it or, without that, for each question the answer that most of them gave, and unsure, or
-- NULL for cause and impact, where none has the most.

with

given as (
    select
        *,
        rater = 'agreed' as is_agreed,
        max(cast(rater = 'agreed' as integer)) over (
            partition by dataset, repository, number
        ) = 1 as was_discussed
    from staging.verdicts
),

verdicts as (
    select * from given where is_agreed or not was_discussed
),

bugs as (
    select
        dataset,
        repository,
        number,
        any_value(is_performance) as is_performance,
        any_value(matched_labels) as matched_labels,
        any_value(matched_keywords) as matched_keywords,
        count(case when not is_agreed then rater end) as rater_count
    from given
    group by dataset, repository, number
),

answers as (
    select
        dataset,
        repository,
        number,
        'verdict' as question,
        verdict as answer,
        cast(null as varchar) as detail
    from verdicts
    union all
    select
        dataset,
        repository,
        number,
        'cause' as question,
        category as answer,
        subcategory as detail
    from verdicts
    where category is not null
    union all
    select
        dataset,
        repository,
        number,
        'impact' as question,
        impact as answer,
        cast(null as varchar) as detail
    from verdicts
    where impact is not null
),

votes as (
    select
        dataset,
        repository,
        number,
        question,
        answer,
        detail,
        count(*) as votes
    from answers
    group by dataset, repository, number, question, answer, detail
),

places as (
    select
        *,
        votes = max(votes) over (partition by dataset, repository, number, question) as is_most,
        count(*) over (
            partition by dataset, repository, number, question, votes
        ) = 1 as is_alone
    from votes
),

agreed as (
    select
        dataset,
        repository,
        number,
        max(answer) filter (where question = 'verdict') as verdict,
        max(answer) filter (where question = 'cause') as category,
        max(detail) filter (where question = 'cause') as subcategory,
        max(answer) filter (where question = 'impact') as impact
    from places
    where is_most and is_alone
    group by dataset, repository, number
)

select
    dataset,
    repository,
    number,
    bugs.rater_count,
    coalesce(agreed.verdict, 'unsure') as verdict,
    case when agreed.verdict = 'yes' then agreed.category end as category,
    case when agreed.verdict = 'yes' then agreed.subcategory end as subcategory,
    case when agreed.verdict = 'yes' then agreed.impact end as impact,
    bugs.is_performance,
    bugs.matched_labels,
    bugs.matched_keywords
from bugs
left join agreed using (dataset, repository, number)
