-- Every link between a commit and an issue with what there is to judge it by: approach, evidence,
-- doubts by rule, and confidence, which is how often links of its approach are confirmed
-- (marts.link_quality): in its repository where at least 20 links could be compared, else over all
-- repositories where at least 20 could, else unknown.

with

links as (
    select
        'live' as dataset,
        *
    from links.fix_links
),

doubts as (
    select * from intermediate.link_doubts
),

own as (
    select * from marts.link_quality where comparable >= 20
),

pooled as (
    select
        dataset,
        approach,
        precision,
        comparable
    from own
    where repository = 'pooled'
),

rated as (
    select
        dataset,
        repository,
        number,
        sha,
        approach,
        links.evidence,
        links.pull_request,
        links.branch,
        links.is_counted,
        links.is_repeated,
        coalesce(own.precision, pooled.precision) as confidence,
        coalesce(own.comparable, pooled.comparable) as confidence_links,
        doubts.doubts
    from links
    inner join doubts using (dataset, repository, number, sha)
    left join own using (dataset, repository, approach)
    left join pooled using (dataset, approach)
)

select * from rated
