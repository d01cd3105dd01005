-- Every link between a commit and an issue with what there is to judge it by: approach, evidence,
-- doubts by rule, and confidence, which is how often links of its approach are confirmed
-- (marts.link_quality): in its repository where at least 20 links could be compared, else over all
-- repositories where at least 20 could, else unknown.

with

links as (
    select * from links.fix_links
),

doubts as (
    select * from staging.link_doubts
),

own as (
    select * from marts.link_quality where comparable >= 20
),

pooled as (
    select * from marts.link_quality where repository = 'pooled' and comparable >= 20
),

rated as (
    select
        'live' as dataset,
        links.repository,
        links.number,
        links.sha,
        links.approach,
        links.evidence,
        links.pull_request,
        links.branch,
        links.is_counted,
        links.is_repeated,
        coalesce(own.precision, pooled.precision) as confidence,
        coalesce(own.comparable, pooled.comparable) as confidence_links,
        doubts.doubts
    from links
    inner join doubts
        on links.repository = doubts.repository
        and links.number = doubts.number
        and links.sha = doubts.sha
    left join own
        on links.repository = own.repository
        and links.approach = own.approach
    left join pooled
        on links.approach = pooled.approach
)

select * from rated
