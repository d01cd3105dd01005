-- The addresses of commits, and whose they are. By exact rules only: an address that GitHub made of a
-- login, the account that GitHub takes the author of a commit for, the file .mailmap, and the study
-- file, which goes before them. An address that two accounts claim belongs to nobody else.

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
        other
    from decisions
    where decision = 'same_as'
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
        min(login) as owner,
        list_sort(list(distinct evidence)) as evidence
    from kept
    group by repository, address
    having count(distinct login) = 1
),

addresses as (
    select
        repository,
        author_email,
        min(address) as address,
        count(*) as commits
    from written
    group by repository, author_email
),

joined as (
    select
        repository,
        address,
        addresses.author_email,
        addresses.commits,
        owners.owner as login,
        owners.evidence,
        coalesce(owners.owner, address) as person
    from addresses
    left join owners using (repository, address)
)

select
    repository,
    author_email,
    coalesce(of_person.other, of_address.other, joined.person) as person,
    joined.login,
    list_concat(
        list_concat(
            coalesce(joined.evidence, cast([] as varchar[])),
            case
                when joined.address <> joined.author_email then cast(['mailmap'] as varchar[])
                else cast([] as varchar[])
            end
        ),
        case
            when of_person.other is not null or of_address.other is not null
                then cast(['study_file'] as varchar[])
            else cast([] as varchar[])
        end
    ) as merge_evidence,
    joined.commits
from joined
left join merges as of_person on joined.person = of_person.account
left join merges as of_address on joined.author_email = of_address.account
