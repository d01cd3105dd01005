-- The estimate of Kaplan and Meier, thinned to twenty steps for each power of ten.
with waits as (
    select *
    from queries.question_waits
),

ends as (
    select
        forum, kind, greatest(hours, 0.01) as hours, count(*) as leaving,
        count(*) filter (where is_accepted) as accepted
    from waits
    where hours is not null
    group by all
),

waiting as (
    select *, sum(leaving) over (partition by forum, kind order by hours desc) as number
    from ends
),

steps as (
    select
        forum, kind, hours,
        100 - 100 * exp(sum(ln(greatest(1 - accepted / number, 1e-12))) over (
            partition by forum, kind order by hours
        )) as percent,
        accepted > 0 as is_step,
        sum(accepted) over (partition by forum, kind) as events
    from waiting
),

thinned as (
    select forum, kind, hours, percent
    from steps
    where events >= 5 and is_step
    qualify hours = max(hours) over (partition by forum, kind, floor(20 * log10(hours)))
),

boxes as (
    select
        forum, kind,
        [
            greatest(value, 0.01) for value in
            quantile_cont(hours, [0.1, 0.25, 0.5, 0.75, 0.9])
        ] as quantiles
    from waits
    where is_accepted and hours is not null
    group by forum, kind
    having count(*) >= 6
)

select forum, kind, hours, percent, null as quantiles from thinned
union all
select forum, kind, null as hours, null as percent, quantiles from boxes
order by forum, kind, hours
