-- Question: in which languages are performance bugs fixed?
-- How to read: one line a language, with the bugs whose fix touches it; a fix in several languages
-- counts for each. Only fixes that were looked at closely have languages: see bugs_looked_at.
-- Group: fixes
-- Words: C++, CUDA, Python

with

looked_at as (
    select
        repository,
        is_performance,
        fix_languages
    from marts.bug_metrics
    where dataset = 'live' and fix_languages is not null
),

languages as (
    select
        repository,
        is_performance,
        unnest(fix_languages) as language
    from looked_at
),

totals as (
    select
        repository,
        count(*) filter (where is_performance) as performance_looked_at,
        count(*) as bugs_looked_at
    from looked_at
    group by repository
)

select
    repository,
    languages.language,
    count(*) filter (where languages.is_performance) as performance_bugs,
    count(*) as bugs,
    round(100 * performance_bugs / nullif(totals.performance_looked_at, 0), 1)
        as percentage_of_performance_bugs,
    totals.bugs_looked_at
from languages
inner join totals using (repository)
group by repository, languages.language, totals.performance_looked_at, totals.bugs_looked_at
order by repository, bugs desc, languages.language;
