-- Performance bugs among the bug reports that were opened in a month, by the rule and by the
-- classifier: how many reach its threshold, how many its probabilities let expect, and how many these
-- do once they are corrected for the repository's own share of performance bugs, as far as people
-- judged a sample of both sides of the rule.

with

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

probabilities as (
    select * from labels.performance_probabilities
),

judged as (
    select
        repository,
        is_performance,
        sum(cast(verdict = 'yes' as integer)) as yes,
        sum(cast(verdict in ('yes', 'no') as integer)) as decided
    from intermediate.reviewed_labels
    where dataset = 'live' and rater = 'consensus'
    group by repository, is_performance
    having sum(cast(verdict in ('yes', 'no') as integer)) > 0
),

strata as (
    select
        judged.repository,
        judged.decided,
        sizes.bug_reports,
        1e0 * sizes.bug_reports * judged.yes / judged.decided as performance_bugs
    from judged
    inner join intermediate.review_sampling_strata as sizes
        on
            judged.repository = sizes.repository
            and judged.is_performance = sizes.is_performance
            and sizes.dataset = 'live'
),

shares as (
    select
        repository,
        cast(sum(decided) as bigint) as judged_bug_reports,
        sum(performance_bugs) / nullif(sum(bug_reports), 0) as actual_share
    from strata
    group by repository
    having count(*) = 2
),

scored as (
    select
        repository,
        number,
        bug_reports.month,
        bug_reports.is_performance as is_labelled,
        probabilities.is_performance as is_classified,
        probabilities.probability,
        probabilities.trained_share,
        probabilities.model_version,
        shares.judged_bug_reports,
        shares.actual_share
    from bug_reports
    inner join probabilities using (repository, number)
    left join shares using (repository)
),

corrected as (
    select
        *,
        probability * actual_share / nullif(trained_share, 0) as yes,
        (1 - probability) * (1 - actual_share) / nullif(1 - trained_share, 0) as no
    from scored
)

select
    'live' as dataset,
    repository,
    month,
    count(number) as bug_reports,
    cast(sum(cast(is_labelled as integer)) as bigint) as labelled,
    cast(sum(cast(is_classified as integer)) as bigint) as classified,
    cast(sum(cast(is_labelled and is_classified as integer)) as bigint) as labelled_and_classified,
    -- Decimals, as sums of floating numbers depend on the order of rows.
    cast(sum(cast(probability as decimal(18, 12))) as double) as expected_performance_bugs,
    cast(sum(cast(yes / nullif(yes + no, 0) as decimal(18, 12))) as double)
        as corrected_performance_bugs,
    max(judged_bug_reports) as judged_bug_reports,
    max(model_version) as model_version
from corrected
group by repository, month
order by repository, month
