-- Every link between a commit and an issue with what there is to judge it by: approach, evidence,
-- doubts by rule; confidence, the probability that it is right, by what links of its grade turned
-- out to be when they were read (intermediate.link_confidence_levels); and agreement, how often the other kind
-- of evidence confirms links of its approach here (marts.link_quality): in its repository where at
-- least 20 links could be compared, else over all repositories where at least 20 could, else
-- unknown.

with

links as (
    select
        'live' as dataset,
        *
    from links.fix_links
),

doubts as (
    select * from intermediate.link_warnings
),

grades as (
    select * from intermediate.link_confidence_levels
),

own as (
    select * from marts.link_quality where comparable >= 20
),

pooled as (
    select
        dataset,
        approach,
        agreement,
        comparable
    from own
    where repository = 'pooled'
),

graded as (
    select
        dataset,
        repository,
        number,
        sha,
        links.approach,
        links.evidence,
        links.pull_request,
        links.branch,
        links.is_counted,
        links.is_repeated,
        doubts.doubts,
        case
            when links.approach in ('closed_by_commit', 'closed_by_pull_request') then 'closing_words'
            when links.approach = 'pull_request' then 'closing_merge'
            when links.approach = 'named_by_pull_request' then 'merge_title'
            when links.approach = 'named_in_comment' then 'comment'
            when links.approach = 'plain_id' then 'plain_number'
            when
                array_length(
                    list_filter(doubts.doubts, lambda doubt: not starts_with(doubt, 'only_'))
                ) > 0
                then 'doubted_mention'
            when
                lower(links.evidence) like 'fix%'
                or lower(links.evidence) like 'clos%'
                or lower(links.evidence) like 'resolv%'
                then 'closing_words'
            else 'mention'
        end as grade
    from links
    inner join doubts using (dataset, repository, number, sha)
),

rated as (
    select
        dataset,
        repository,
        number,
        sha,
        approach,
        graded.evidence,
        graded.pull_request,
        graded.branch,
        graded.is_counted,
        graded.is_repeated,
        grade,
        grades.confidence,
        grades.confidence_low,
        grades.confidence_high,
        coalesce(own.agreement, pooled.agreement) as agreement,
        coalesce(own.comparable, pooled.comparable) as agreement_links,
        graded.doubts
    from graded
    inner join grades using (grade)
    left join own using (dataset, repository, approach)
    left join pooled using (dataset, approach)
)

select * from rated
