-- How long pull requests waited for their first review and to be merged, and how large they are: those
-- of performance work beside those that fix other bug reports.

with

pull_requests as (
    select * from details.pull_requests
),

landed as (
    select
        repository,
        labels.pull_request,
        bool_or(labels.work = 'fix') as is_fix,
        bool_or(labels.work = 'optimisation') as is_optimisation,
        bool_or(labels.work = 'guard') as is_guard
    from labels.performance_commits as labels
    where labels.landed_by is null and labels.pull_request is not null
    group by repository, labels.pull_request
),

linked as (
    select
        repository,
        number,
        links.pull_request
    from links.fix_links as links
    where links.pull_request is not null
    union
    select
        repository,
        number,
        related.pull_request
    from raw.issue_pull_requests as related
    where lower(related.pull_request_repository) = lower(repository)
),

reports as (
    select
        repository,
        linked.pull_request,
        bool_or(labels.is_performance) as is_performance_bug,
        bool_or(labels.is_bug_report) as is_bug
    from linked
    inner join labels.performance_labels as labels using (repository, number)
    group by repository, linked.pull_request
),

times as (
    select
        repository,
        pull_request,
        pull_requests.month,
        pull_requests.author,
        pull_requests.opened_at,
        pull_requests.is_merged,
        (epoch_us(pull_requests.first_review_at) - epoch_us(pull_requests.opened_at)) / 3600000000
            as hours_to_first_review,
        (epoch_us(pull_requests.merged_at) - epoch_us(pull_requests.opened_at)) / 3600000000
            as hours_to_merge,
        pull_requests.additions + pull_requests.deletions as size,
        pull_requests.changed_files,
        pull_requests.reviews,
        pull_requests.reviewers,
        pull_requests.is_review_list_complete,
        case
            when landed.is_fix then 'fix'
            when landed.is_optimisation then 'optimisation'
            when landed.is_guard then 'guard'
            else 'none'
        end as work,
        coalesce(reports.is_performance_bug, false) as is_performance_bug,
        coalesce(reports.is_bug, false) as is_bug
    from pull_requests
    left join landed using (repository, pull_request)
    left join reports using (repository, pull_request)
)

select * from times
