-- Whether the share among new bug reports rises or falls, by each method and each set of labels.
with tests as (
    select
        repository,
        case method
            when 'binomial_regression' then 'a regression over the months'
            when 'cochran_armitage' then 'the Cochran-Armitage test'
            else 'the test of the study (Cox-Stuart)'
        end as method,
        list_position(['binomial_regression', 'cochran_armitage', 'cox_stuart'], method) as place,
        case
            when is_too_few or p_value is null then 'not tested'
            when p_value >= 0.05 then 'no change'
            when method = 'cox_stuart' and 2 * n_positive > n_pairs
            or method = 'binomial_regression' and odds_ratio_per_year > 1
            or method = 'cochran_armitage' and statistic > 0
            then 'rises'
            else 'falls'
        end as direction
    from analysis.trend_tests
    where dataset = 'live' and series = 'opened'
),

levels as (
    select
        repository, 'the search for a change of level' as method, 4 as place,
        coalesce(
            max_by(case direction when 'up' then 'rises' else 'falls' end, alerts.month),
            'no change'
        ) as direction
    from (select distinct repository from tests) as tested
    left join (
        from marts.alerts where series = 'opened_share' and area is null
    ) as alerts using (repository)
    group by repository
),

labels as (
    select
        repository,
        case label_rule
            when 'without_weak' then 'the labels without weak evidence'
            when 'strong_alone' then 'the labels with strong evidence alone'
            else 'the labels of a wider rule'
        end as method,
        5 as place,
        case
            when is_too_few or p_value is null then 'not tested'
            when p_value >= 0.05 then 'no change'
            when effect > 1 then 'rises'
            else 'falls'
        end as direction
    from analysis.label_sensitivity
    where dataset = 'live' and result_of = 'opened' and label_rule <> 'study'
),

variants as (
    select
        repository,
        case variant
            when 'not_rejected' then 'the reports that nobody rejected'
            when 'duplicates_folded' then 'the reports with duplicates counted once'
            else 'the trend within the periods of one way of labelling'
        end as method,
        6 as place,
        case
            when is_too_few or p_value is null then 'not tested'
            when p_value >= 0.05 then 'no change'
            when odds_ratio_per_year > 1 then 'rises'
            else 'falls'
        end as direction
    from analysis.trend_variants
    where dataset = 'live' and variant <> 'all'
)

select repository, method, direction
from (
    from tests union all by name from levels union all by name from labels
    union all by name from variants
)
order by repository, place, method
