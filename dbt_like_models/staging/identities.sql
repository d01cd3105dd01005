-- The addresses of commits, and whose they are. By exact rules only: an address that GitHub made of a
-- login, the account that GitHub takes the author of a commit for, the file .mailmap, and the study
-- file, which goes before them. An address that two accounts claim belongs to nobody else, and so does
-- one that .mailmap takes for several by the names beside it.

with

commits as (
    select * from raw.commits
),

decisions as (
    select * from meta.account_decisions
),

merges as (
    select
        account,
        min(other) as other
    from decisions
    where decision = 'same_as'
    group by account
),

separated as (
    select
        account,
        other
    from decisions
    where decision = 'different_from'
    union
    select
        other as account,
        account as other
    from decisions
    where decision = 'different_from'
),

written as (
    select
        repository,
        sha,
        author_email,
        lower(author_login) as author_login,
        case when separated.account is null then canonical_email else author_email end as address
    from commits
    left join separated
        on
            commits.author_email = separated.account
            and commits.canonical_email = separated.other
    where author_email is not null
),

attributed as (
    select
        repository,
        merge_commit_sha as sha,
        lower(merge_commit_author) as login
    from raw.issue_pull_requests
    where merge_commit_author is not null
    union
    select
        repository,
        commit_sha as sha,
        lower(commit_author) as login
    from raw.issue_events
    where commit_author is not null
),

claims as (
    select
        repository,
        address,
        author_login as login,
        'noreply_address' as evidence
    from written
    where author_login is not null
    union
    select
        repository,
        written.address,
        attributed.login,
        'github_attribution' as evidence
    from written
    inner join attributed using (repository, sha)
),

kept as (
    select
        claims.repository,
        claims.address,
        claims.login,
        claims.evidence
    from claims
    left join separated
        on claims.address = separated.account and claims.login = separated.other
    where separated.account is null
),

owners as (
    select
        repository,
        address,
        min(login) as login,
        list_sort(list(distinct evidence)) as evidence
    from kept
    group by repository, address
    having count(distinct kept.login) = 1
),

addresses as (
    select
        repository,
        author_email,
        case when count(distinct address) = 1 then min(address) else author_email end as address,
        count(sha) as commits
    from written
    group by repository, author_email
),

owned as (
    select
        repository,
        address,
        addresses.author_email,
        addresses.commits,
        owners.login,
        owners.evidence
    from addresses
    left join owners using (repository, address)
),

joined as (
    select
        owned.repository,
        owned.address,
        owned.author_email,
        owned.commits,
        case when separated.account is null then owned.login end as login,
        case when separated.account is null then owned.evidence end as evidence,
        case
            when separated.account is null then coalesce(owned.login, owned.address)
            else owned.author_email
        end as person
    from owned
    left join separated
        on owned.author_email = separated.account and owned.login = separated.other
),

-- What is said of an address goes before what is said of its account.
merged as (
    select
        joined.repository,
        joined.address,
        joined.author_email,
        joined.commits,
        joined.login,
        joined.evidence,
        joined.person,
        coalesce(of_email.other, of_address.other, of_person.other) as other
    from joined
    left join merges as of_email on joined.author_email = of_email.account
    left join merges as of_address on joined.address = of_address.account
    left join merges as of_person on joined.person = of_person.account
),

-- Where the study file has an address for a person, whoever it belongs to is that person.
heads as (
    select
        joined.repository,
        joined.author_email,
        coalesce(merges.other, joined.person) as person
    from joined
    left join merges on joined.person = merges.account
)

select
    merged.repository,
    merged.author_email,
    coalesce(heads.person, merged.other, merged.person) as person,
    merged.login,
    list_concat(
        list_concat(
            coalesce(merged.evidence, cast([] as varchar[])),
            case
                when merged.address <> merged.author_email then cast(['mailmap'] as varchar[])
                else cast([] as varchar[])
            end
        ),
        case
            when merged.other is not null then cast(['study_file'] as varchar[])
            else cast([] as varchar[])
        end
    ) as merge_evidence,
    merged.commits
from merged
left join heads
    on merged.repository = heads.repository and merged.other = heads.author_email
