-- Question: what is known about one bug report?
-- How to read: one line a fact: the report itself, what labels it, the commits linked to it and how sure
-- each link is (confidence from 0 to 1, measured for links of its kind), pull requests, releases, other
-- reports of the same, causes as raters judged them, lifetime, areas and environments. What is not there
-- is not known. one_bug_traced has its history; by default the fixed performance bug with the most commits.
-- Group: bug reports
-- Words: detail, issue, label, link, evidence, confidence, release, duplicate, cause, lifetime

with

parameters as (
    select
        coalesce(getvariable('number'), 0) as number, -- number of live marts.bug_metrics: number of the issue; 0 for one with many commits
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
),

picked as (
    select *
    from marts.bug_metrics
    where
        dataset = 'live'
        and repository like (select parameters.repository from parameters)
        and ((select parameters.number from parameters) = number or ((select parameters.number from parameters) = 0 and is_fixed))
    order by is_performance desc, fix_commits desc, repository, number
    limit 1
),

report as (
    unpivot (
        select
            cast(title as varchar) as title,
            cast(html_url as varchar) as address,
            cast(author as varchar) as author,
            strftime(opened_at at time zone 'UTC', '%Y-%m-%d %H:%M') as opened_at_utc,
            strftime(closed_at at time zone 'UTC', '%Y-%m-%d %H:%M') as closed_at_utc,
            cast(state as varchar) as state,
            nullif(array_to_string(labels, ', '), '') as labels,
            cast(is_performance as varchar) as is_performance,
            cast(is_fixed as varchar) as is_fixed,
            cast(outcome as varchar) as outcome,
            cast(outcome_by as varchar) as outcome_by,
            cast(outcome_evidence as varchar) as outcome_evidence,
            cast(repeats as varchar) as repeats,
            cast(round(fix_time_days, 1) as varchar) as fix_time_days,
            cast(fix_commits as varchar) as fix_commits,
            cast(fix_files as varchar) as fix_files,
            cast(fix_size as varchar) as fix_size_lines,
            cast(comments as varchar) as comments,
            cast(commentators as varchar) as commentators,
            cast(round(hours_to_first_comment, 1) as varchar) as hours_to_first_comment,
            cast(reopenings as varchar) as reopenings
        from picked
    )
    on columns(*)
    into name fact value value
),

releases as (
    unpivot (
        select
            cast(outcome as varchar) as outcome,
            cast(introducing_sha as varchar) as introducing_commit,
            cast(first_affected_release as varchar) as first_affected_release,
            cast(first_fixed_release as varchar) as first_fixed_release,
            cast(stated_release as varchar) as stated_release,
            cast(unaffected_release as varchar) as unaffected_release,
            cast(round(exposure_days, 1) as varchar) as exposure_days,
            cast(round(days_to_release, 1) as varchar) as days_to_release
        from marts.bug_releases
        inner join (select repository, number from picked) as picked using (repository, number)
        where dataset = 'live'
    )
    on columns(*)
    into name fact value value
),

lifetime as (
    unpivot (
        select
            cast(outcome as varchar) as outcome,
            strftime(introduced_at at time zone 'UTC', '%Y-%m-%d %H:%M') as introduced_at_utc,
            cast(introducing_commits as varchar) as introducing_commits,
            cast(round(lifetime_days, 1) as varchar) as lifetime_days
        from marts.bug_lifetimes
        inner join (select repository, number from picked) as picked using (repository, number)
        where dataset = 'live'
    )
    on columns(*)
    into name fact value value
),

facts as (
    select
        1 as place,
        'report' as topic,
        fact,
        value,
        cast(null as varchar) as evidence,
        cast(null as double) as confidence,
        cast(null as boolean) as is_counted
    from report
    union all
    select 2, 'label', rule, match, 'in ' || replace(field, '_', ' '), null, null
    from labels.label_evidence
    inner join (select repository, number from picked) as picked using (repository, number)
    union all
    select 2, 'label', 'strength', strength, null, null, null
    from labels.performance_labels
    inner join (select repository, number from picked) as picked using (repository, number)
    where strength is not null
    union all
    select
        2,
        'label',
        'probability of the classifier',
        cast(round(probability, 3) as varchar),
        array_to_string(deciding_words, ', '),
        null,
        null
    from labels.performance_probabilities
    inner join (select repository, number from picked) as picked using (repository, number)
    union all
    select
        3,
        'link',
        approach,
        sha,
        evidence || case when len(doubts) > 0 then '; doubts: ' || array_to_string(doubts, ', ') else '' end,
        round(confidence, 3),
        is_counted
    from marts.fix_link_confidence
    inner join (select repository, number from picked) as picked using (repository, number)
    where dataset = 'live'
    union all
    select distinct
        4,
        'commit',
        strftime(commits.committed_at at time zone 'UTC', '%Y-%m-%d %H:%M'),
        sha,
        coalesce('+' || commits.additions || ' -' || commits.deletions || ' ', '') || split_part(commits.message, chr(10), 1),
        cast(null as double),
        true
    from links.fix_links as links
    inner join (select repository, number from picked) as picked using (repository, number)
    inner join raw.commits as commits using (repository, sha)
    where links.is_counted
    union all
    select
        5,
        'pull request',
        relation,
        pull_request_repository || '#' || pull_request,
        case when is_merged then 'merged' else 'not merged' end,
        null,
        null
    from raw.issue_pull_requests
    inner join (select repository, number from picked) as picked using (repository, number)
    union all
    select 6, 'release', fact, value, null, null, null from releases
    union all
    select
        7,
        'duplicate',
        case when others.is_first then 'reported first' else 'reports the same' end,
        repository || '#' || others.number,
        null,
        null,
        null
    from marts.duplicate_groups as others
    inner join (
        select
            repository,
            duplicates.first_number,
            duplicates.number
        from marts.duplicate_groups as duplicates
        inner join (select repository, number from picked) as picked using (repository, number)
    ) as own using (repository)
    where others.first_number = own.first_number and others.number <> own.number
    union all
    select 8, 'cause', category, coalesce(subcategory, category), 'impact: ' || impact, null, null
    from intermediate.bug_causes
    inner join (select repository, number from picked) as picked using (repository, number)
    where dataset = 'live'
    union all
    select 8, 'verdict', verdict, category, note, null, null
    from staging.verdicts
    inner join (select repository, number from picked) as picked using (repository, number)
    where dataset = 'live'
    union all
    select 9, 'lifetime', fact, value, null, null, null from lifetime
    union all
    select 10, 'area', area_source, area, evidence, null, null
    from marts.bug_areas
    inner join (select repository, number from picked) as picked using (repository, number)
    where dataset = 'live'
    union all
    select 11, 'environment', environment_aspect, environment_value, statement, null, null
    from marts.bug_environments
    inner join (select repository, number from picked) as picked using (repository, number)
    where dataset = 'live'
)

select
    picked.repository,
    picked.number,
    facts.topic,
    facts.fact,
    facts.value,
    facts.evidence,
    facts.confidence,
    facts.is_counted
from facts
cross join picked
order by facts.place, facts.topic, facts.fact, facts.value, facts.evidence;
