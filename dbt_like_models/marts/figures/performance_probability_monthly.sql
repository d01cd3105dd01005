select
    repository, sum(bug_reports) as bug_reports, sum(labelled) as labelled,
    sum(classified) as classified, sum(labelled_and_classified) as by_both,
    100.0 * sum(labelled) / sum(bug_reports) as percent_labelled,
    100.0 * sum(classified) / sum(bug_reports) as percent_classified,
    100.0 * sum(expected_performance_bugs) / sum(bug_reports) as percent_expected,
    100.0 * sum(corrected_performance_bugs) / sum(bug_reports) as percent_corrected,
    max(judged_bug_reports) as judged, max(model_version) as model_version
from marts.performance_probability_monthly
where dataset = 'live'
group by repository
order by repository
