-- What the fix of each mined bug report touches: files, methods, languages, and how much of it is
-- tests. A published fix tells nothing of this.

with

commits as (
    select * from staging.counted_fixes where dataset = 'live'
),

details as (
    select * from details.commit_details
),

files as (
    select
        commits.dataset,
        commits.repository,
        commits.number,
        count(distinct changed.path) as fix_files
    from commits
    left join raw.commit_files as changed
        on commits.repository = changed.repository
        and commits.sha = changed.sha
    group by commits.dataset, commits.repository, commits.number
),

looked_at as (
    select
        commits.dataset,
        commits.repository,
        commits.number,
        commits.size,
        details.sha as detailed_sha,
        details.methods_changed,
        details.changed_methods,
        [total.language for total in details.languages] as languages,
        coalesce(details.test_share, 0) * commits.size as test_size
    from commits
    left join details
        on commits.repository = details.repository
        and commits.sha = details.sha
),

-- A number of a part of the fix would pass for that of the whole.
contents as (
    select
        dataset,
        repository,
        number,
        case
            when count(*) = count(methods_changed)
                then len(list_distinct(flatten(list(changed_methods))))
        end as fix_methods,
        case
            when count(*) = count(detailed_sha)
                then list_sort(list_distinct(flatten(list(languages))))
        end as fix_languages,
        case
            when count(*) = count(detailed_sha) then sum(test_size) / nullif(sum(size), 0)
        end as fix_test_share
    from looked_at
    group by dataset, repository, number
),

joined as (
    select
        files.dataset,
        files.repository,
        files.number,
        files.fix_files,
        contents.fix_methods,
        contents.fix_languages,
        contents.fix_test_share
    from files
    inner join contents
        on files.dataset = contents.dataset
        and files.repository = contents.repository
        and files.number = contents.number
)

select * from joined
