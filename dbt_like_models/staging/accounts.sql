-- The accounts that opened issues or commented, by repository: what each is to it, and whether a
-- program uses it. The study file decides; then GitHub, for what it calls a bot is one; then the name;
-- then what an account does: ten comments or more on issues of others, nine of ten of them within two
-- minutes of the opening and in at most a fifth as many wordings, is not written by a person.

with

issues as (
    select * from raw.issues
),

comments as (
    select * from raw.issue_comments
),

decisions as (
    select
        account,
        bool_or(decision = 'bot') as is_called_bot,
        bool_or(decision = 'person') as is_called_person
    from meta.account_decisions
    where decision in ('bot', 'person')
    group by account
),

seen as (
    select
        repository,
        author as login,
        author_type,
        author_association,
        created_at
    from issues
    where author is not null
    union all
    select
        repository,
        author as login,
        author_type,
        author_association,
        created_at
    from comments
    where author is not null
),

accounts as (
    select
        repository,
        login,
        max(author_type) as account_type,
        coalesce(bool_or(author_type = 'Bot'), false) as is_bot_to_github,
        min(
            case author_association
                when 'OWNER' then 1
                when 'MEMBER' then 2
                when 'COLLABORATOR' then 3
                when 'CONTRIBUTOR' then 4
                when 'FIRST_TIME_CONTRIBUTOR' then 5
                when 'FIRST_TIMER' then 6
                when 'MANNEQUIN' then 7
                when 'NONE' then 8
            end
        ) as rank_of_association,
        min(created_at) as first_seen_at,
        count(created_at) as contributions
    from seen
    group by repository, login
),

replies as (
    select
        repository,
        comments.author as login,
        epoch_us(comments.created_at) - epoch_us(issues.created_at) between 0 and 120000000
            as is_at_once,
        comments.comment_id
    from comments
    inner join issues using (repository, number)
    where comments.author is not null and comments.author <> coalesce(issues.author, '')
),

paces as (
    select
        repository,
        login,
        count(*) as replies,
        count(*) filter (where is_at_once) as replies_at_once
    from replies
    group by repository, login
    having count(*) >= 10 and 10 * count(*) filter (where is_at_once) >= 9 * count(*)
),

wordings as (
    select
        repository,
        login,
        count(
            distinct regexp_replace(comments.body, '@[A-Za-z0-9-]+|https?://[^ ]+|[0-9]+', '', 'g')
        ) as wordings
    from replies
    inner join paces using (repository, login)
    inner join comments using (repository, comment_id)
    group by repository, login
),

behaviour as (
    select
        repository,
        login,
        wordings.wordings * 5 <= paces.replies as is_templated
    from paces
    inner join wordings using (repository, login)
),

judged as (
    select
        repository,
        login,
        accounts.account_type,
        accounts.rank_of_association,
        accounts.first_seen_at,
        accounts.contributions,
        case
            when decisions.is_called_bot or decisions.is_called_person then 'study_file'
            when accounts.is_bot_to_github then 'github'
            when
                regexp_matches(login, '(^|[-_])[Bb]ot([-_0-9]|$)|[-_][Rr]obot$|[a-z0-9]Bot$')
                then 'name'
            when behaviour.is_templated then 'behaviour'
        end as reason,
        coalesce(decisions.is_called_person, false) as is_called_person
    from accounts
    left join behaviour using (repository, login)
    left join decisions on lower(login) = decisions.account
)

select
    repository,
    login,
    account_type,
    case rank_of_association
        when 1 then 'OWNER'
        when 2 then 'MEMBER'
        when 3 then 'COLLABORATOR'
        when 4 then 'CONTRIBUTOR'
        when 5 then 'FIRST_TIME_CONTRIBUTOR'
        when 6 then 'FIRST_TIMER'
        when 7 then 'MANNEQUIN'
        when 8 then 'NONE'
    end as association,
    rank_of_association <= 3 as is_member,
    reason is not null and not is_called_person as is_bot,
    reason as bot_reason,
    contributions,
    first_seen_at
from judged
