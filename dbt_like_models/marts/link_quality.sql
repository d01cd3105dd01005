-- How far the approaches that link commits to issues agree where two kinds of evidence exist: what
-- commit messages name (url, id) against what GitHub knows of closing commits and pull requests
-- (the other three). Each is judged by the other kind, on the issues for which that has a commit
-- at all. What came by one pull request is one link here. The two are not wholly independent, as
-- GitHub closes issues by such words itself; so this is how well a link is confirmed, and a
-- reviewed sample is still the better measure.

with

links as (
    select
        repository,
        number,
        sha,
        approach,
        coalesce(cast(pull_request as varchar), sha) as delivery,
        case when approach in ('url', 'id') then 'github' else 'messages' end as reference
    from links.fix_links
    where branch is null
),

approaches as (
    select
        repositories.repository,
        kinds.approach,
        kinds.reference
    from meta.repositories as repositories
    cross join (
        values
        ('url', 'github'),
        ('id', 'github'),
        ('closed_by_commit', 'messages'),
        ('closed_by_pull_request', 'messages'),
        ('pull_request', 'messages')
    ) as kinds(approach, reference)
),

-- The commits that the other kind of evidence gives.
known as (
    select distinct
        repository,
        number,
        sha,
        case when reference = 'github' then 'messages' else 'github' end as reference
    from links
),

known_bugs as (
    select distinct
        repository,
        number,
        reference
    from known
),

known_counts as (
    select
        repository,
        reference,
        count(number) as known_issues
    from known_bugs
    group by repository, reference
),

-- A pull request is confirmed when one of its commits is.
confirmed as (
    select
        links.repository,
        links.number,
        links.delivery,
        links.reference
    from links
    inner join known
        on links.repository = known.repository
        and links.number = known.number
        and links.sha = known.sha
        and links.reference = known.reference
    group by all
),

judged as (
    select distinct
        links.repository,
        links.approach,
        links.reference,
        links.number,
        links.delivery,
        confirmed.delivery is not null as agrees
    from links
    inner join known_bugs
        on links.repository = known_bugs.repository
        and links.number = known_bugs.number
        and links.reference = known_bugs.reference
    left join confirmed
        on links.repository = confirmed.repository
        and links.number = confirmed.number
        and links.delivery = confirmed.delivery
        and links.reference = confirmed.reference
),

counted as (
    select
        approaches.repository,
        approaches.approach,
        approaches.reference,
        count(judged.delivery) as comparable,
        count(judged.delivery) filter (where judged.agrees) as agreeing,
        count(distinct judged.number) filter (where judged.agrees) as found_issues,
        coalesce(any_value(known_counts.known_issues), 0) as known_issues
    from approaches
    left join known_counts
        on approaches.repository = known_counts.repository
        and approaches.reference = known_counts.reference
    left join judged
        on approaches.repository = judged.repository
        and approaches.approach = judged.approach
    group by approaches.repository, approaches.approach, approaches.reference
),

pooled as (
    select * from counted
    union all
    select
        'pooled' as repository,
        approach,
        reference,
        sum(comparable) as comparable,
        sum(agreeing) as agreeing,
        sum(found_issues) as found_issues,
        sum(known_issues) as known_issues
    from counted
    group by approach, reference
),

shares as (
    select
        *,
        agreeing / nullif(comparable, 0) as precision
    from pooled
),

-- Wilson's interval for 95 per cent: 1.959964 is the normal quantile, 3.841459 its square.
intervals as (
    select
        *,
        (agreeing + 3.841459 / 2) / (comparable + 3.841459) as centre,
        1.959964 * sqrt(agreeing * (1 - precision) + 3.841459 / 4)
            / (comparable + 3.841459) as reach
    from shares
),

-- At the ends of the scale rounding could leave the share itself just outside.
quality as (
    select
        'live' as dataset,
        repository,
        approach,
        reference,
        cast(comparable as bigint) as comparable,
        cast(agreeing as bigint) as agreeing,
        precision,
        case when comparable > 0 then least(precision, centre - reach) end as precision_low,
        case when comparable > 0 then greatest(precision, centre + reach) end as precision_high,
        cast(known_issues as bigint) as known_issues,
        cast(found_issues as bigint) as found_issues,
        found_issues / nullif(known_issues, 0) as recall
    from intervals
)

select * from quality
