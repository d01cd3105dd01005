-- The verdict in force of each rater on each bug report: the one imported last. Verdicts on issues
-- that are bug reports no more, or are gone, do not appear; reviews.verdicts keeps them.

with

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

latest as (
    select max(verdict_id) as verdict_id
    from reviews.verdicts
    group by repository, number, rater
),

verdicts as (
    select
        bug_reports.dataset,
        repository,
        number,
        given.rater,
        given.verdict,
        given.category,
        given.subcategory,
        given.impact,
        given.note,
        given.imported_at,
        bug_reports.is_performance,
        bug_reports.matched_labels,
        bug_reports.matched_keywords,
        bug_reports.title,
        bug_reports.html_url
    from latest
    inner join reviews.verdicts as given using (verdict_id)
    inner join bug_reports using (repository, number)
)

select * from verdicts
