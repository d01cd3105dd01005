-- Who fixed each bug report: the persons behind the commits that count as its fix, each with a share of
-- it by the number of its commits. Deleted and blank addresses are nobody's and left out; so are fixes
-- of published data, whose authors are not published.

with

bugs as (
    select * from marts.bug_metrics
),

fixes as (
    select * from intermediate.counted_fixes where dataset = 'live'
),

commits as (
    select * from raw.commits
),

identities as (
    select * from staging.identities
),

merges as (
    select
        account,
        min(other) as other
    from meta.account_decisions
    where decision = 'same_as'
    group by account
),

accounts as (
    select
        accounts.repository,
        coalesce(merges.other, lower(accounts.login)) as login,
        bool_or(accounts.is_member) as is_member,
        bool_or(accounts.is_bot) as is_bot
    from staging.accounts as accounts
    left join merges on lower(accounts.login) = merges.account
    group by accounts.repository, coalesce(merges.other, lower(accounts.login))
),

written as (
    select
        repository,
        commits.sha,
        commits.committed_at,
        identities.person
    from commits
    inner join identities using (repository, author_email)
),

firsts as (
    select
        repository,
        person,
        min(committed_at) as first_commit_at
    from written
    group by repository, person
),

authored as (
    select
        repository,
        fixes.dataset,
        fixes.number,
        written.person,
        count(sha) as commits,
        min(written.committed_at) as fixed_at
    from fixes
    inner join written using (repository, sha)
    group by repository, fixes.dataset, fixes.number, written.person
),

totals as (
    select
        dataset,
        repository,
        number,
        cast(sum(commits) as bigint) as commits
    from authored
    group by dataset, repository, number
),

joined as (
    select
        dataset,
        repository,
        number,
        person,
        bugs.month,
        bugs.is_performance,
        bugs.is_fixed,
        authored.commits,
        authored.commits / totals.commits as fixing_share,
        authored.fixed_at = firsts.first_commit_at as is_first_contribution
    from authored
    inner join bugs using (dataset, repository, number)
    inner join totals using (dataset, repository, number)
    inner join firsts using (repository, person)
)

select
    joined.dataset,
    joined.repository,
    joined.number,
    joined.person,
    joined.month,
    joined.is_performance,
    joined.is_fixed,
    joined.commits,
    joined.fixing_share,
    joined.is_first_contribution,
    accounts.is_member,
    coalesce(accounts.is_bot, false) as is_bot
from joined
left join accounts
    on joined.repository = accounts.repository and joined.person = accounts.login
