-- The verdict in force of each rater on each bug report: the one imported last. Verdicts on issues
-- that are no bug reports any more, or are gone, do not appear; reviews.verdicts keeps them.

with

verdicts as (
    select * from reviews.verdicts
),

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

latest as (
    select repository, number, rater, max(verdict_id) as verdict_id
    from verdicts
    group by repository, number, rater
)

select
    bug_reports.dataset,
    bug_reports.repository,
    bug_reports.number,
    verdicts.rater,
    verdicts.verdict,
    verdicts.category,
    verdicts.subcategory,
    verdicts.impact,
    verdicts.note,
    verdicts.imported_at,
    bug_reports.is_performance,
    bug_reports.matched_labels,
    bug_reports.matched_keywords,
    bug_reports.title,
    bug_reports.html_url
from latest
inner join verdicts on latest.verdict_id = verdicts.verdict_id
inner join bug_reports
    on verdicts.repository = bug_reports.repository
    and verdicts.number = bug_reports.number
