-- The state of each regression, new unless a person set another: the last one that was set on commits that
-- may have brought it. So a state stays with its regression where further results leave fewer candidates.

with

positions as (
    select * from intermediate.commit_positions
),

states as (
    select
        states.*,
        first_commits.commit_position as first_position_then,
        last_commits.commit_position as last_position_then
    from reviews.regression_states as states
    inner join positions as first_commits
        on states.repository = first_commits.repository and states.first_sha = first_commits.sha
    inner join positions as last_commits
        on states.repository = last_commits.repository and states.last_sha = last_commits.sha
),

ranked as (
    select
        regressions.repository,
        regressions.regression_id,
        regressions.month,
        regressions.first_sha,
        regressions.last_sha,
        coalesce(states.regression_state, 'new') as regression_state,
        states.rater as state_by,
        states.note as state_note,
        states.imported_at as state_set_at,
        row_number() over (
            partition by regressions.repository, regressions.regression_id
            order by states.imported_at desc, states.verdict_id desc
        ) as place
    from marts.regressions as regressions
    left join states
        on
            regressions.repository = states.repository
            and regressions.last_position >= states.first_position_then
            and regressions.first_position <= states.last_position_then
    where regressions.is_regression
)

select
    repository,
    regression_id,
    month,
    first_sha,
    last_sha,
    regression_state,
    state_by,
    state_note,
    state_set_at
from ranked
where place = 1
