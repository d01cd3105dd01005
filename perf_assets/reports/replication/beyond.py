"""What the paper's data say by tests that hold: sentences by repository, and curves of fixes."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import polars as pl

from perf_assets.core.paper.figures import DATASET
from perf_assets.reports.fix_curves import FixCurves, read_fix_curves
from perf_assets.storage.warehouse import reading

RESULTS = """
with results as (
    select
        repository,
        case series
            when 'opened' then 1 when 'newly_fixed' then 2 when 'open' then 3 else 4
        end + case when method = 'cox_stuart' then 0.5 else 0 end as place,
        'share among ' || case series
            when 'opened' then 'reports opened in a month'
            when 'newly_fixed' then 'bugs newly fixed in a month'
            when 'open' then 'open bug reports, cumulative'
            else 'fixed bugs, cumulative'
        end as what,
        result
    from analysis.trend_tests
    where
        dataset = $dataset
        and (method in ('binomial_regression', 'permutation')
            or (method = 'cox_stuart' and series in ('open', 'fixed')))
    union all
    select repository, 5, 'why the open share changes', result
    from analysis.open_share_changes
    where dataset = $dataset
    union all
    select repository, 6, 'how often open bugs are closed', result
    from analysis.closing_rates
    where dataset = $dataset and kind = 'performance_against_other'
    union all
    select repository, 7, 'how soon bugs are fixed', result
    from analysis.fix_incidence
    where dataset = $dataset and event = 'fixed' and days = 365
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
    where dataset = $dataset
)

select repository, what, result
from results
where
    repository <> 'pooled'
    or (select count(distinct repository) > 2 from analysis.effect_sizes where dataset = $dataset)
order by repository = 'pooled', repository, place
"""


@dataclass(frozen=True)
class Beyond:
    """Results in words (repository, what, result), and the curves behind one of them."""

    results: pl.DataFrame
    curves: FixCurves


def read_beyond(published: Path) -> Beyond:
    """The results over the paper's data, from the published database."""
    with reading(published) as connection:
        results = connection.sql(RESULTS, params={"dataset": DATASET}).pl()
    return Beyond(results, read_fix_curves(published, DATASET))


def beyond_html(beyond: Beyond) -> Iterator[str]:
    """The section of the report, as HTML."""
    yield "<h2>The same data, read by tests that hold</h2>"
    yield (
        "<p>Cumulative series hold most of a month's value in the next, so that the paper's test "
        "finds a rise in permuted labels too; how often stands beside it. The month's own flow has "
        "an estimate with an interval. Bugs closed without a fix are not fixed later, fixes that "
        "share a commit are one cluster, and several repositories are compared within each.</p>"
    )
    for (repository,), rows in beyond.results.group_by("repository", maintain_order=True):
        cells = "".join(
            f"<tr><td>{escape(what)}</td><td>{escape(result)}</td></tr>"
            for what, result in rows.select("what", "result").iter_rows()
        )
        yield f"<table><caption>{escape(str(repository))}</caption>{cells}</table>"
    if beyond.curves.has_fixes:
        # Drawing takes a second to import.
        from perf_assets.reports.fix_curves_chart import fix_curves_svg  # noqa: PLC0415

        yield "<p>Share of bug reports fixed, and closed without a fix, up to each time.</p>"
        yield fix_curves_svg(beyond.curves.rows)
