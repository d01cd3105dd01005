"""The queries of summary and agreement on the published database."""

# Pooling one repository says the same again.
NOT_POOLED_ALONE = """(
    repository <> 'pooled'
    or (select count(distinct repository) > 2 from analysis.{} where dataset = 'live')
)"""
OF_TESTS = NOT_POOLED_ALONE.replace("repository <>", "tests.repository <>")
TABLE_1 = """
select
    dataset, repository,
    case is_performance when true then 'performance' when false then 'other' else 'total' end
        as bugs,
    cast(sum(open) as bigint) as open, cast(sum(closed) as bigint) as closed,
    cast(sum(fixed) as bigint) as fixed
from (
    from marts.dataset_breakdown
    union all by name
    select dataset, 'pooled' as repository, is_performance, open, closed, fixed
    from marts.dataset_breakdown
    qualify count(*) over (partition by dataset) > 2
)
group by grouping sets ((dataset, repository, is_performance), (dataset, repository))
order by dataset, repository = 'pooled', repository, bugs = 'total', bugs = 'other'
"""
TABLE_1_OF_MINED = f"""
select * exclude (dataset)
from ({TABLE_1.strip()})
where dataset = 'live'
order by repository = 'pooled', repository, bugs = 'total', bugs = 'other'
"""
ADJUSTED = """
left join analysis.adjusted_tests as family
    on family.dataset = tests.dataset
    and family.repository = tests.repository
    and family.source = '{}'
    and family.result_of = {}
"""
TRENDS = f"""
select
    tests.repository, tests.series, split_part(tests.method, '_', -1) as test,
    case
        when odds_ratio_per_year is not null then printf(
            'odds x %.2f a year [%.2f, %.2f]',
            odds_ratio_per_year, odds_ratio_low, odds_ratio_high
        )
        when is_too_few then 'too few'
        when tests.method = 'permutation' then printf('%+.2f points a year', tests.statistic)
        else '-'
    end as result,
    tests.p_value as p, family.p_value_holm as p_adjusted
from analysis.trend_tests as tests
{ADJUSTED.format("trend_tests", "tests.series")}
where tests.dataset = 'live' and tests.method = family.method
order by
    tests.repository = 'pooled', tests.repository,
    list_position(['opened', 'newly_fixed', 'open', 'fixed'], tests.series)
"""
PAPERS_TEST = """
select
    repository, series, n as months, n_pairs as pairs, n_positive as rising, p_value as p,
    round(100 * false_alarm_share, 1) as false_alarms_percent
from analysis.trend_tests
where dataset = 'live' and method = 'cox_stuart' and series in ('open', 'fixed')
order by repository, series desc
"""
OPEN_SHARE = f"""
select
    tests.repository, slope as points_a_year, slope_from_reports as by_reports,
    slope_from_closing as by_closing, tests.p_value as p, family.p_value_holm as p_adjusted
from analysis.open_share_changes as tests
{ADJUSTED.format("open_share_changes", "'slope_from_closing'")}
where tests.dataset = 'live' and not tests.is_too_few
order by tests.repository
"""
CLOSING = f"""
with rates as (
    select
        dataset, repository, 'rate_ratio' as result_of,
        rate_ratio as ratio, rate_ratio_low as low, rate_ratio_high as high,
        rate_ratio_p_value as p_value
    from analysis.closing_rates
    where kind = 'performance_against_other'
    union all
    select
        dataset, repository, 'rate_ratio_per_year',
        rate_ratio_per_year, rate_ratio_per_year_low, rate_ratio_per_year_high, p_value
    from analysis.closing_rates
    where kind = 'performance_against_other'
)

select
    tests.repository,
    case tests.result_of when 'rate_ratio' then 'at equal age' else 'change a year' end as compared,
    printf('x %.2f [%.2f, %.2f]', ratio, low, high) as times_as_often,
    tests.p_value as p, family.p_value_holm as p_adjusted
from rates as tests
{ADJUSTED.format("closing_rates", "tests.result_of")}
where tests.dataset = 'live' and tests.ratio is not null
order by tests.repository, tests.result_of
"""
DIFFERING = """
with differing as (
    select series as result_of, heterogeneity_p_value as p
    from analysis.trend_tests
    where dataset = 'live' and method = 'binomial_regression'
    union all
    select distinct 'being ' || event, heterogeneity_p_value
    from analysis.fix_incidence
    where dataset = 'live' and event = 'fixed'
    union all
    select metric, heterogeneity_p_value
    from analysis.group_comparisons
    where dataset = 'live'
)

select 'pooled: the repositories differ from each other in '
    || string_agg(printf('%s (p = %.2g)', result_of, p), ', ' order by p)
    || '; read these of each repository alone'
from differing
where p < 0.05
having count(p) > 0
"""
FIXED_WITHIN = f"""
select
    tests.repository, days,
    coalesce(
        printf('%.1f %%', percent_performance), printf('too few (%d)', events_performance)
    )
        || coalesce(printf(' [%.1f, %.1f]', percent_performance_low, percent_performance_high), '')
        as performance,
    coalesce(printf('%.1f %%', percent_other), printf('too few (%d)', events_other))
        || coalesce(printf(' [%.1f, %.1f]', percent_other_low, percent_other_high), '') as other,
    tests.p_value as p, family.p_value_holm as p_adjusted
from analysis.fix_incidence as tests
{ADJUSTED.format("fix_incidence", "tests.event")}
where
    tests.dataset = 'live' and tests.event = 'fixed'
    and {OF_TESTS.format("fix_incidence")}
order by tests.repository = 'pooled', tests.repository, days
"""
GROUPS = f"""
select
    tests.repository, tests.metric,
    tests.n_performance || ' / ' || tests.n_other as bugs,
    coalesce(cast(round(tests.median_performance, 2) as varchar), '-') || ' / '
        || coalesce(cast(round(tests.median_other, 2) as varchar), '-') as median,
    tests.rank_sum_p_value as rank_sum_p,
    case
        when tests.is_too_few then 'too few'
        else printf('%.2f', tests.cliffs_delta) || coalesce(
            printf(' [%.2f, %.2f]', effects.cliffs_delta_low, effects.cliffs_delta_high), ''
        )
    end as delta,
    family.p_value_holm as p_adjusted
from analysis.group_comparisons as tests
left join analysis.effect_sizes as effects using (dataset, repository, metric)
{ADJUSTED.format("group_comparisons", "tests.metric")}
where
    tests.dataset = 'live'
    and {OF_TESTS.format("group_comparisons")}
order by tests.repository = 'pooled', tests.repository, tests.metric
"""
OF_BOTS = """
select
    repository || ': comments, commentators and first answers are those of persons. '
    || 'As the paper counted, '
    || result
from analysis.bot_sensitivity
where
    dataset = 'live' and repository <> 'pooled' and bots = 'counted'
    and metric = 'hours_to_first_comment' and with_bots > 0
order by repository
"""
LEFT_OUT = """
select repository, count(*) filter (where fix_not_analysed = 'not_looked_at') as left_out, count(*)
from marts.bug_metrics
where dataset = 'live' and fix_commits > 0
group by repository
having left_out > 0
order by repository
"""
UNREADABLE = """
select
    repository || printf(
        ': what %d of %d commits change is unknown, as git cannot read it (%s, for one); they are '
        || 'read again once the source has the object',
        count(unreadable), count(*), min(unreadable)
    )
from raw.commits
group by repository
having count(unreadable) > 0
order by repository
"""
NO_CHECKS = """
select repository || printf(
    ': no static check applies, as none of %d Python files imports TensorFlow',
    arg_max(files, quarter)
)
from raw.scanned_trees
group by repository
having sum(len(rules)) = 0 and arg_max(files, quarter) > 0
order by repository
"""
NOT_TRACED = """
with

reasons as (
    select
        repository,
        case
            when starts_with(not_traced, 'git cannot read') then 'git cannot read an object'
            when contains(not_traced, ' is larger than ') then 'a file is too large'
            else not_traced
        end as reason,
        count(*) as commits
    from details.commit_metrics
    where not_traced is not null and not starts_with(not_traced, 'a merge commit')
    group by all
),

totals as (
    select repository, count(*) as commits from details.commit_metrics group by repository
)

select
    repository || printf(
        ': %d of %d fix commits are not traced to the commits that introduced their bugs: ',
        sum(reasons.commits)::bigint, any_value(totals.commits)
    ) || string_agg(
        reasons.commits || ' (' || reason || ')', ', ' order by reasons.commits desc, reason
    )
from reasons
inner join totals using (repository)
group by repository
order by repository
"""
COST = """
select coalesce(sum(requests), 0) as requests, coalesce(sum(points), 0) as points
from meta.source_requests
where started_at >= ?
"""
QUALITY = f"""
select
    repository, measure, rule, rater, n as judged, successes as yes, n_unsure as unsure,
    estimate_percent as percent, low_percent as low, high_percent as high
from analysis.labelling_quality
where
    (rule = 'all' or rater = 'consensus') and {NOT_POOLED_ALONE.format("labelling_quality")}
order by repository = 'pooled', repository, rule <> 'all', measure, rater, n desc, rule
"""
AGREEMENT = f"""
select
    repository, question, raters, method, n as judged, observed, kappa, low, high, reading
from analysis.rater_agreement
where {NOT_POOLED_ALONE.format("rater_agreement")}
order by repository = 'pooled', repository, question, method, raters
"""
DISAGREEMENTS = """
select
    repository, '#' || number as bug_report, question,
    rater_1 || ': ' || answer_1 as one, rater_2 || ': ' || answer_2 as other
from analysis.rater_disagreements
order by repository, number, question, rater_1, rater_2
"""
QUESTIONS = """
select
    forum, rater, is_labelled as labelled, count(distinct question_id) as judged,
    count(distinct question_id) filter (where verdict = 'yes') as yes,
    count(distinct question_id) filter (where verdict = 'unsure') as unsure
from staging.question_verdicts
group by forum, rater, is_labelled
order by forum, rater, is_labelled desc
"""
QUESTION_AGREEMENT = """
select forum, asked, raters, method, n as judged, observed, kappa, low, high, reading
from analysis.question_agreement
order by forum, asked, method, raters
"""
ASKED = """
with asked as (
    select
        questions.forum || ':' || sets.tag_set as repository, labels.is_performance,
        questions.accepted_answer_id is not null as is_accepted
    from raw.questions as questions
    cross join unnest(questions.tag_sets) as sets(tag_set)
    inner join labels.performance_questions as labels using (forum, question_id)
)
select
    repository, case when is_performance then 'performance' else 'other' end as questions,
    count(*) as asked, count(*) filter (where is_accepted) as accepted,
    round(100 * count(*) filter (where is_accepted) / count(*), 1) as percent
from asked
group by repository, is_performance
order by repository, is_performance desc
"""
FINDINGS = """
select
    repository, rule, arg_min(findings, quarter) as first, sum("new") as came, sum(gone) as went,
    arg_max(findings, quarter) as newest, arg_max(per_1000_files, quarter) as per_1000_files
from analysis.static_findings
group by repository, rule
order by repository, rule
"""
FINDING_PRECISION = """
select
    repository, rule, rater, judged, right_ones as "right", wrong_ones as wrong,
    unsure_ones as unsure, estimate_percent as percent,
    low_percent as low, high_percent as high
from analysis.finding_precision
where
    repository <> 'pooled'
    or (select count(distinct repository) > 2 from analysis.finding_precision)
order by repository = 'pooled', repository, rule <> 'all', rule, rater
"""
FINDING_AGREEMENT = """
select repository, raters, method, n as judged, observed, kappa, low, high, reading
from analysis.finding_agreement
where
    repository <> 'pooled'
    or (select count(distinct repository) > 2 from analysis.finding_agreement)
order by repository = 'pooled', repository, method, raters
"""
ENDORSEMENT_PRECISION = """
select
    forum, endorsement, rater, judged_comments as judged, right_comments as "right",
    wrong_comments as wrong, unsure_comments as unsure,
    estimate_percent as percent, low_percent as low, high_percent as high
from analysis.endorsement_precision
order by forum, endorsement, rater
"""
OF_OTHERS = {
    "questions": QUESTIONS,
    "question_agreement": QUESTION_AGREEMENT,
    "finding_precision": FINDING_PRECISION,
    "finding_agreement": FINDING_AGREEMENT,
    "endorsement_precision": ENDORSEMENT_PRECISION,
}
