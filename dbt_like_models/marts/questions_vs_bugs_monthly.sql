-- Both sides of each framework, month by month: what its users ask about performance and what is
-- reported as performance bugs, with answers and fixes. The months of marts.trend_monthly in which
-- all tag sets of the forum are loaded; one without any question has zeros. Questions are those of
-- the tag sets that the study says are about the repository, about performance by their stems (not
-- by their kind): candidates, of which people check some. Bug reports and fixes are as in
-- marts.trend_monthly.

with

frameworks as (
    select distinct
        repository,
        forum
    from meta.tag_sets
    where repository is not null
),

trend as (
    select * from marts.trend_monthly where dataset = 'live'
),

forum_months as (
    select * from staging.forum_months
),

questions as (
    select * from intermediate.framework_questions
),

asked as (
    select
        repository,
        forum,
        month,
        count(question_id) as questions,
        count(is_performance) as decided,
        count(question_id) filter (where is_performance) as performance_questions,
        count(question_id) filter (where is_performance and is_confirmed is not null) as checked,
        count(question_id) filter (where is_performance and is_confirmed) as confirmed,
        count(question_id) filter (where is_performance and is_answered) as answered,
        count(question_id) filter (where is_performance and is_accepted) as accepted
    from questions
    group by repository, forum, month
),

counted as (
    select
        repository,
        forum,
        month,
        trend.is_complete,
        coalesce(asked.questions, 0) as questions,
        coalesce(asked.questions, 0) = coalesce(asked.decided, 0) as is_decided,
        coalesce(asked.performance_questions, 0) as performance_questions,
        coalesce(asked.checked, 0) as checked,
        coalesce(asked.confirmed, 0) as confirmed,
        coalesce(asked.answered, 0) as answered,
        coalesce(asked.accepted, 0) as accepted,
        trend.opened_total,
        trend.opened_performance,
        trend.newly_fixed_performance
    from frameworks
    inner join trend using (repository)
    inner join forum_months using (forum, month)
    left join asked using (repository, forum, month)
),

compared as (
    select
        repository,
        forum,
        month,
        is_complete,
        questions,
        case when is_decided then performance_questions end as performance_questions,
        case when is_decided then checked end as checked_performance_questions,
        case when is_decided then confirmed end as confirmed_performance_questions,
        case when is_decided then answered end as answered_performance_questions,
        case when is_decided then accepted end as accepted_performance_questions,
        case when is_decided then performance_questions / nullif(questions, 0) end
            as performance_question_share,
        opened_total as bug_reports,
        opened_performance as performance_bugs,
        newly_fixed_performance as fixed_performance_bugs,
        opened_performance / nullif(opened_total, 0) as performance_bug_share
    from counted
)

select * from compared
