-- How many mined bug reports of a month the keywords find, how many the stems of the other study, and
-- how many both; the stems in both of their readings.

with

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

stems as (
    select * from labels.keyword_stems
),

found as (
    select
        bug_reports.dataset,
        repository,
        number,
        bug_reports.month,
        array_length(bug_reports.matched_keywords) > 0 as by_keywords,
        coalesce(array_length(stems.matched_stems), 0) > 0 as by_stems_as_meant,
        coalesce(array_length(stems.matched_stems_as_published), 0) > 0 as by_stems_as_published
    from bug_reports
    left join stems using (repository, number)
),

readings as (
    select
        dataset,
        repository,
        number,
        month,
        'as_meant' as stem_set,
        by_keywords,
        by_stems_as_meant as by_stems
    from found
    union all
    select
        dataset,
        repository,
        number,
        month,
        'as_published' as stem_set,
        by_keywords,
        by_stems_as_published as by_stems
    from found
),

counted as (
    select
        dataset,
        repository,
        month,
        stem_set,
        count(number) filter (where by_keywords and by_stems) as both_rules,
        count(number) filter (where by_keywords and not by_stems) as keywords_only,
        count(number) filter (where by_stems and not by_keywords) as stems_only,
        count(number) filter (where not by_keywords and not by_stems) as neither_rule
    from readings
    group by dataset, repository, month, stem_set
)

select * from counted
