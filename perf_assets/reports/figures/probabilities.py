"""The figure of the classifier beside the rule: the share of performance bugs by both."""

import polars as pl

from perf_assets.reports.figures.drawing import COOL, OTHER, WARM, Spec
from perf_assets.reports.figures.figure import Figure
from perf_assets.reports.figures.panels import series

FEWEST = 10
"""Bug reports of a quarter at least: a share of fewer says nothing."""

LINES = {"rule": WARM, "classifier": COOL, "corrected by verdicts": OTHER}

TOTALS = """
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
"""
VERDICTS = f"""
select repository, printf(
    'by the rule %.1f %% of %d bug reports are about performance, by the classifier %.1f %% (both '
    || 'find %d); its probabilities let expect %.1f %%, %s',
    percent_labelled, bug_reports, percent_classified, by_both, percent_expected,
    case
        when percent_corrected is null
            then 'as calibrated on other projects: nobody judged both labelled and other bug '
            || 'reports here'
        else printf('and corrected by %d verdicts %.1f %%', judged, percent_corrected)
    end
)
from ({TOTALS.strip()})
"""
SERIES = f"""
with quarters as (
    select
        repository, strftime(date_trunc('quarter', (month || '-01')::date), '%Y-%m') as month,
        sum(bug_reports) as n, sum(labelled) as labelled, sum(classified) as classified,
        sum(corrected_performance_bugs) as corrected
    from marts.performance_probability_monthly
    where dataset = 'live'
    group by all
    having n >= {FEWEST}
)

select repository, month, 'rule' as color, 100.0 * labelled / n as value
from quarters
union all
select repository, month, 'classifier', 100.0 * classified / n
from quarters
union all
select repository, month, 'corrected by verdicts', 100.0 * corrected / n
from quarters
where corrected is not null
order by repository, month, color
"""


def _series(rows: pl.DataFrame) -> list[Spec]:
    measure = "performance bugs among new bug reports by quarter, percent"
    return [
        series(
            str(name),
            part,
            measure,
            {line: LINES[line] for line in LINES if line in part["color"].unique()},
        )
        for (name,), part in rows.group_by("repository", maintain_order=True)
    ]


FIGURES = {
    "marts.performance_probability_monthly": Figure(
        "The rule and a classifier that people's verdicts trained",
        TOTALS,
        VERDICTS,
        _series,
        SERIES,
    ),
}
