"""What the paper's data say by tests that hold: in words by repository, and as pictures."""

from dataclasses import replace

import duckdb

from perf_assets.core.paper.performance_bugs import DATASET
from perf_assets.reports.document import Part, Section, of_figure
from perf_assets.reports.figures import figures

RESULTS = """
with results as (
    select
        repository,
        case series
            when 'opened' then 1 when 'newly_fixed' then 2 when 'open' then 3 else 4
        end + case when method = 'cox_stuart' then 0.5 else 0 end as location,
        'share among ' || case series
            when 'opened' then 'reports opened in a month'
            when 'newly_fixed' then 'bugs newly fixed in a month'
            when 'open' then 'open bug reports, cumulative'
            else 'fixed bugs, cumulative'
        end as what,
        result
    from analysis.trend_tests
    where
        dataset = 'replication'
        and (method in ('binomial_regression', 'permutation')
            or (method = 'cox_stuart' and series in ('open', 'fixed')))
    union all
    select repository, 5, 'why the open share changes', result
    from analysis.open_share_changes
    where dataset = 'replication'
    union all
    select repository, 6, 'how often open bugs are closed', result
    from analysis.closing_rates
    where dataset = 'replication' and kind = 'performance_against_other'
    union all
    select repository, 7, 'how soon bugs are fixed', result
    from analysis.fix_incidence
    where dataset = 'replication' and event = 'fixed' and days = 365
    union all
    select
        repository,
        7 + list_position(
            ['fix_time_days', 'fix_size', 'comments', 'commentators', 'hours_to_first_comment'],
            metric
        ),
        replace(metric, '_', ' '),
        result
    from analysis.effect_sizes
    where dataset = 'replication'
)

select repository, what, result
from results
where
    repository <> 'pooled'
    or (
        select count(distinct repository) > 2
        from analysis.effect_sizes
        where dataset = 'replication'
    )
order by repository = 'pooled', repository, location
"""


FIGURES_BESIDE = (
    "marts.dataset_breakdown",
    "analysis.trend_tests",
    "analysis.open_share_changes",
    "analysis.effect_sizes",
    "analysis.fix_incidence",
)


def read_beyond(connection: duckdb.DuckDBPyConnection) -> Section:
    """Return the section: every result over the paper's data, and the figures of the main ones."""
    results = connection.execute(RESULTS).fetchall()
    queries = {"the words": RESULTS.strip()}
    verdicts = [(repository, f"{what}: {result}") for repository, what, result in results]
    parts = [Part("results", "Results by repository", verdicts=verdicts, queries=queries)]
    for table in FIGURES_BESIDE:
        if found := figures()[table].shown(connection, [DATASET]):
            # Its words are among the results.
            parts.append(replace(of_figure(table.replace(".", "-"), found), verdicts=[]))
    return Section(
        "beyond",
        "The same data, read by tests that hold",
        [
            "Cumulative series hold most of a month's value in the next, so that the paper's test "
            "finds a rise in permuted labels too; how often stands beside it. The month's own flow "
            "has an estimate with an interval. Bugs closed without a fix are not fixed later, "
            "fixes that share a commit are one cluster, and several repositories are compared "
            "within each."
        ],
        parts if verdicts else [],
    )
