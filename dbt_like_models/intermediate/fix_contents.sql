-- What the fix of each mined bug report touches: files, methods, languages, and how much of it is
-- tests. A published fix tells nothing of this.

with

commits as (
    select * from intermediate.counted_fixes where dataset = 'live'
),

files as (
    select
        commits.dataset,
        repository,
        commits.number,
        case
            when count(*) = count(commits.size) then count(distinct changed.path)
        end as fix_files
    from commits
    left join raw.commit_files as changed using (repository, sha)
    group by commits.dataset, repository, commits.number
),

looked_at as (
    select
        repository,
        sha,
        sha as found_sha,
        methods_changed,
        changed_methods,
        languages,
        test_share
    from details.commit_metrics
),

details as (
    select
        commits.dataset,
        repository,
        commits.number,
        commits.size,
        found.found_sha,
        found.methods_changed,
        found.changed_methods,
        list_transform(found.languages, lambda total: total.language) as languages,
        cast(round(coalesce(found.test_share, 0) * commits.size) as bigint) as test_size
    from commits
    left join looked_at as found using (repository, sha)
),

-- A number of a part of the fix would pass for that of the whole.
wholes as (
    select
        dataset,
        repository,
        number,
        case
            when count(*) = count(methods_changed)
                then array_length(list_distinct(flatten(list(changed_methods))))
        end as fix_methods,
        case
            when count(*) = count(found_sha) and count(*) = count(size)
                then list_sort(list_distinct(flatten(list(languages))))
        end as fix_languages,
        case
            when count(*) = count(found_sha) and count(*) = count(size)
                then sum(test_size) / nullif(sum(size), 0)
        end as fix_test_share,
        case
            when count(*) > count(found_sha) then 'not_looked_at'
            when count(*) > count(methods_changed) then 'not_analysed'
        end as fix_not_analysed
    from details
    group by dataset, repository, number
),

contents as (
    select
        dataset,
        repository,
        number,
        files.fix_files,
        wholes.fix_methods,
        wholes.fix_languages,
        wholes.fix_test_share,
        wholes.fix_not_analysed
    from files
    inner join wholes using (dataset, repository, number)
)

select * from contents
