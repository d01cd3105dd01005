-- How far the approaches that link commits to issues agree where two kinds of evidence exist: what
-- commit messages name (url, id, plain_id, named_by_pull_request) against what GitHub knows of
-- closing commits and pull requests (closed_by_commit, closed_by_pull_request, pull_request); what
-- comments name is compared with messages (rows of the repository pooled are over all repositories;
-- leave them out of sums). Each is judged on the issues for which the other kind has a commit at
-- all; what came by one pull request is one link here. Agreement is not precision: a fix may have
-- several commits, and each kind may know another. How often a link is right was read, in
-- intermediate.link_confidence_levels.

with

approaches as (
    select
        'live' as dataset,
        repositories.repository,
        kinds.approach,
        kinds.reference
    from meta.repositories as repositories
    cross join (
        values
        ('url', 'github'),
        ('id', 'github'),
        ('plain_id', 'github'),
        ('named_by_pull_request', 'github'),
        ('closed_by_commit', 'messages'),
        ('closed_by_pull_request', 'messages'),
        ('pull_request', 'messages'),
        ('named_in_comment', 'messages')
    ) as kinds(approach, reference)
),

link_references as (
    select * from intermediate.link_references
),

links as (
    select * from intermediate.compared_links
),

counted as (
    select
        dataset,
        repository,
        approach,
        approaches.reference,
        count(links.delivery) as comparable,
        count(links.delivery) filter (where links.agrees) as agreeing,
        count(distinct links.number) filter (where links.agrees) as found_issues
    from approaches
    left join links using (dataset, repository, approach)
    group by dataset, repository, approach, approaches.reference
),

measured as (
    select
        dataset,
        repository,
        counted.approach,
        reference,
        counted.comparable,
        counted.agreeing,
        counted.found_issues,
        coalesce(link_references.known_issues, 0) as known_issues
    from counted
    left join link_references using (dataset, repository, reference)
),

pooled as (
    select * from measured
    union all
    select
        dataset,
        'pooled' as repository,
        approach,
        reference,
        cast(sum(comparable) as bigint) as comparable,
        cast(sum(agreeing) as bigint) as agreeing,
        cast(sum(found_issues) as bigint) as found_issues,
        cast(sum(known_issues) as bigint) as known_issues
    from measured
    group by dataset, approach, reference
),

shares as (
    select
        *,
        agreeing / nullif(comparable, 0) as agreement,
        found_issues / nullif(known_issues, 0) as recall
    from pooled
),

-- Wilson's interval for 95 per cent: 1.959964 is the normal quantile, 3.841459 its square.
intervals as (
    select
        *,
        (agreeing + 3.841459e0 / 2) / cast(comparable + 3.841459 as double) as centre,
        1.959964e0 * sqrt(agreeing * (1 - agreement) + 3.841459e0 / 4)
            / cast(comparable + 3.841459 as double) as reach
    from shares
)

-- At the ends of the scale rounding could leave the share itself just outside.
select
    dataset,
    repository,
    approach,
    reference,
    comparable,
    agreeing,
    agreement,
    case when comparable > 0 then least(agreement, centre - reach) end as agreement_low,
    case when comparable > 0 then greatest(agreement, centre + reach) end as agreement_high,
    known_issues,
    found_issues,
    recall
from intervals
