"""Comparisons by metric: shared commits, pooled repositories, and the family of all tests."""

import polars as pl
import pytest

from perf_assets.core.analyses import trends
from perf_assets.core.analyses.closing import closing_rates, open_share_changes
from perf_assets.core.analyses.effects import effect_sizes, group_comparisons, in_clusters
from perf_assets.core.analyses.group_samples import METRICS
from perf_assets.core.analyses.incidence import fix_incidence
from perf_assets.core.analyses.multiple_testing import family_of_tests
from perf_assets.core.analyses.trends import HEADLINES, trend_tests
from perf_assets.core.statistics.samples import holm, mann_whitney_u
from perf_assets.schema import schema_of
from tests.bug_histories import Bug, bug_metrics, fixes, generated, issue_history, trend_monthly
from tests.cliffs_delta import cliffs_delta_interval


@pytest.fixture(autouse=True)
def few_permutations(monkeypatch):
    monkeypatch.setattr(trends, "PERMUTATIONS", 99)


def family(bugs, repositories=("a/a",)):
    metrics = pl.concat([bug_metrics(bugs, name) for name in repositories])
    trend = pl.concat([trend_monthly(bugs, 24, repository=name) for name in repositories])
    history = pl.concat([issue_history(bugs, name) for name in repositories])
    return family_of_tests(
        trend_tests(trend, history),
        open_share_changes(trend, history),
        closing_rates(metrics, trend),
        fix_incidence(metrics, trend),
        group_comparisons(metrics, fixes()),
    )


def row_of(table, **wanted):
    return table.filter(**wanted).row(0, named=True)


def test_effect_sizes_complete_the_comparisons_with_intervals():
    bugs = [Bug(0, 1, place % 4 == 0, is_fixed=True) for place in range(60)]
    metrics = bug_metrics(bugs)
    table = effect_sizes(metrics, fixes(), family(bugs))
    assert table.schema == schema_of("analysis.effect_sizes")
    own = table.filter(repository="a/a")
    assert own["metric"].to_list() == list(METRICS)
    for row in own.rows(named=True):
        x, y = (metrics.filter(is_performance=kind)[row["metric"]] for kind in (True, False))
        expected = cliffs_delta_interval(x, y)
        found = (row["cliffs_delta"], row["cliffs_delta_low"], row["cliffs_delta_high"])
        assert found == pytest.approx((expected.statistic, expected.low, expected.high))
        assert row["p_value"] == mann_whitney_u(x, y).pvalue


def test_beside_the_comparison_within_repositories_stands_the_test_of_all_values_together():
    # One repository is slow and has few performance bugs, the other is fast and has many.
    first = bug_metrics([Bug(0, 1, place % 9 == 0, is_fixed=True) for place in range(90)], "a/a")
    slow = first.with_columns(pl.col("comments") + 100)
    second = bug_metrics([Bug(0, 1, place % 9 != 0, is_fixed=True) for place in range(90)], "b/b")
    bugs = pl.concat([slow, second])
    table = group_comparisons(bugs, fixes())
    x, y = (bugs.filter(is_performance=kind)["comments"] for kind in (True, False))
    pooled = row_of(table, repository="pooled", metric="comments")
    assert pooled["rank_sum_p_value"] == mann_whitney_u(x, y).pvalue < 1e-6 < pooled["p_value"]
    assert pooled["rank_sum_cliffs_delta"] < -0.5 < pooled["cliffs_delta"]
    assert pooled["median_performance"], pooled["median_other"] == (x.median(), y.median())
    longer = 100 * (float(x.median()) / float(y.median()) - 1)
    assert pooled["percent_larger"] == pytest.approx(longer)
    alone = table.filter(repository="a/a")
    assert alone["rank_sum_p_value"].equals(alone["p_value"])
    assert alone["rank_sum_cliffs_delta"].equals(alone["cliffs_delta"])


def test_fixes_that_share_a_commit_are_one_cluster_in_their_metrics_alone():
    bugs = [Bug(0, 1, place // 4 % 5 < 2, is_fixed=True) for place in range(80)]
    # The metrics of a bug follow from its number, so that shared ones are made alike here.
    metrics = bug_metrics(bugs).with_columns(fix_size=(pl.col("number") - 1) // 4 * 7 % 10 * 1.0)
    shared = fixes(*((number, f"commit {(number - 1) // 4}") for number in range(1, 81)))
    alone, together = group_comparisons(metrics, fixes()), group_comparisons(metrics, shared)
    row = row_of(together, metric="fix_size")
    assert (row["clusters"], row_of(alone, metric="fix_size")["clusters"]) == (20, 80)
    assert row["p_value_clustered"] > 1.2 * row["p_value"]
    for metric in ("comments", "commentators", "hours_to_first_comment"):
        assert row_of(together, metric=metric) == row_of(alone, metric=metric)
        assert row_of(together, metric=metric)["clusters"] is None


def test_a_chain_of_commits_joins_bugs_of_its_repository_alone():
    metrics = pl.concat([bug_metrics([Bug(0)] * 4), bug_metrics([Bug(0)] * 4, "b/b")])
    links = pl.concat(
        [fixes((1, "x"), (2, "x"), (2, "y"), (3, "y")), fixes((1, "x"), repository="b/b")]
    )
    found = in_clusters(metrics, links)
    ours = found.filter(repository="a/a")["cluster"].to_list()
    assert len(set(ours[:3])) == 1
    assert ours[3] not in ours[:3]
    assert found.filter(repository="b/b")["cluster"].n_unique() == 4
    assert found["cluster"].n_unique() == 6


def test_pooled_repositories_are_compared_within_each():
    first, second = generated(1, months=24), generated(2, months=24)
    larger = bug_metrics(second, "b/b").with_columns(pl.col(list(METRICS)) + 100)
    table = group_comparisons(pl.concat([bug_metrics(first), larger]), fixes())
    for metric in METRICS:
        row = row_of(table, repository="pooled", metric=metric)
        own = table.filter(pl.col("repository") != "pooled", metric=metric)["cliffs_delta"]
        assert row["method"] == "van_elteren"
        assert own.min() <= row["cliffs_delta"] <= own.max()
        assert 0 <= row["heterogeneity_p_value"] <= 1
    alone = group_comparisons(bug_metrics(first), fixes())
    assert set(alone["method"]) == {"mann_whitney_u"}


def test_the_family_has_each_test_that_the_summary_prints_once():
    table = family(generated(3, months=24))
    assert table.schema == schema_of("analysis.adjusted_tests")
    found = set(table.select("source", "result_of", "method").iter_rows())
    assert found == {
        *(("trend_tests", series, method) for series, method in HEADLINES.items()),
        ("open_share_changes", "slope_from_closing", "normal_within_months"),
        ("closing_rates", "rate_ratio", "poisson_regression"),
        ("closing_rates", "rate_ratio_per_year", "poisson_regression"),
        ("fix_incidence", "fixed", "gray"),
        *(("group_comparisons", metric, "mann_whitney_u") for metric in METRICS),
    }
    assert set(table["repository"]) == {"a/a"}
    assert table["p_value_holm"].to_list() == holm(table["p_value"].to_list())
    assert set(table["tests"]) == {13}


def test_pooled_tests_of_several_repositories_belong_to_the_family():
    table = family(generated(3, months=24), ("a/a", "b/b"))
    pooled = table.filter(repository="pooled")
    assert set(pooled["source"]) == {"trend_tests", "fix_incidence", "group_comparisons"}
    assert set(table["tests"]) == {2 * 13 + 2 + 1 + 5}


def test_tests_that_were_not_possible_leave_the_family():
    table = family([Bug(0), Bug(0, 1)])
    assert table["p_value_holm"].null_count() == table["p_value"].null_count() > 0
    assert set(table["tests"]) == {table.height - table["p_value"].null_count()}


def test_adjusted_values_of_the_metrics_are_those_of_the_family():
    bugs = generated(4, months=24)
    known = family(bugs)
    table = effect_sizes(bug_metrics(bugs), fixes(), known)
    for row in table.filter(repository="a/a").rows(named=True):
        wanted = row_of(known, result_of=row["metric"])
        assert row["p_value_holm"] == wanted["p_value_holm"]
    assert table.filter(repository="pooled")["p_value_holm"].null_count() == len(METRICS)


def test_empty_marts_give_empty_tables_with_the_right_columns():
    nothing = bug_metrics([])
    groups = group_comparisons(nothing, fixes())
    assert (groups.height, groups.schema) == (0, schema_of("analysis.group_comparisons"))
    known = family([]).clear()
    sizes = effect_sizes(nothing, fixes(), known)
    assert (sizes.height, sizes.schema) == (0, schema_of("analysis.effect_sizes"))
