"""Results by other labels: what each rule takes, and that the study's own gives the results."""

import polars as pl
import pytest

from perf_assets.core.analyses import label_sensitivity as module
from perf_assets.core.analyses import trends
from perf_assets.core.analyses.closing import open_share_changes
from perf_assets.core.analyses.effects import group_comparisons
from perf_assets.core.analyses.group_samples import METRICS
from perf_assets.core.analyses.incidence import fix_incidence
from perf_assets.core.analyses.label_sensitivity import RULES, label_sensitivity
from perf_assets.core.analyses.trends import trend_tests
from perf_assets.schema import schema_of
from tests.bug_histories import (
    Bug,
    bug_metrics,
    bug_reports,
    fixes,
    generated,
    issue_history,
    trend_monthly,
)

MONTHS = 30


@pytest.fixture(autouse=True)
def few_permutations(monkeypatch):
    monkeypatch.setattr(trends, "PERMUTATIONS", 199)
    monkeypatch.setattr(module, "PERMUTATIONS", 199)


def sensitivity(bugs, **graded):
    table = label_sensitivity(
        bug_reports(bugs, **graded),
        bug_metrics(bugs),
        fixes(),
        trend_monthly(bugs, MONTHS),
        issue_history(bugs),
    )
    assert table.schema == schema_of("analysis.label_sensitivity")
    return table


def row_of(table, **wanted):
    return table.filter(repository="a/a", **wanted).row(0, named=True)


def test_by_the_rule_of_the_study_the_results_are_those_of_their_tables():
    bugs = generated(1, months=MONTHS)
    table = sensitivity(bugs).filter(label_rule="study")
    metrics, trend, history = bug_metrics(bugs), trend_monthly(bugs, MONTHS), issue_history(bugs)
    groups = group_comparisons(metrics, fixes())
    for metric in METRICS:
        own, wanted = row_of(table, result_of=metric), row_of(groups, metric=metric)
        assert (own["n_performance"], own["effect"], own["p_value"]) == (
            wanted["n_performance"],
            wanted["cliffs_delta"],
            wanted["p_value_clustered"],
        )
    fixed = row_of(fix_incidence(metrics, trend), event="fixed", days=365)
    own = row_of(table, result_of="fixed_within_365_days")
    assert (own["value_performance"], own["p_value"]) == (
        fixed["percent_performance"],
        fixed["p_value"],
    )
    series = trend_tests(trend, history)
    for name in ("opened", "newly_fixed"):
        wanted = row_of(series, series=name, method="binomial_regression")
        own = row_of(table, result_of=name)
        assert own["effect"] == pytest.approx(wanted["odds_ratio_per_year"])
        assert own["p_value"] == pytest.approx(wanted["p_value"])
    for name in ("open", "fixed"):
        wanted = row_of(series, series=name, method="permutation")
        assert row_of(table, result_of=name)["p_value"] == wanted["p_value"]
    change = open_share_changes(trend, history).row(0, named=True)
    assert row_of(table, result_of="slope_from_closing")["effect"] == change["slope_from_closing"]


def test_each_rule_takes_its_bugs_and_makes_others_of_the_rest():
    bugs = [Bug(0, 1, is_performance=place < 6) for place in range(10)]
    graded = {"strengths": {1: "weak", 2: "weak", 3: "moderate"}, "widened": {9}}
    table = sensitivity(bugs, **graded).filter(result_of="share", repository="a/a")
    counts = {
        row["label_rule"]: (row["n_performance"], row["n_other"]) for row in table.rows(named=True)
    }
    assert counts == {
        "study": (6, 4),
        "without_weak": (4, 6),
        "strong_alone": (3, 7),
        "widened": (7, 3),
    }
    assert (
        row_of(sensitivity(bugs, **graded), label_rule="widened", result_of="open")["n_performance"]
        == 7
    )


def test_each_result_stands_once_for_each_rule():
    table = sensitivity(generated(2, months=MONTHS)).filter(repository="a/a")
    by_result = table.group_by("result_of", maintain_order=True).agg("label_rule")
    assert set(map(tuple, by_result["label_rule"].to_list())) == {tuple(RULES)}
    assert by_result.height == 1 + 1 + len(METRICS) + 4 + 1


def test_data_without_texts_have_no_rows():
    bugs = generated(3, months=MONTHS)
    bare = bug_reports(bugs).with_columns(strength=pl.lit(None, dtype=pl.String))
    table = label_sensitivity(
        bare, bug_metrics(bugs), fixes(), trend_monthly(bugs, MONTHS), issue_history(bugs)
    )
    assert table.is_empty()
