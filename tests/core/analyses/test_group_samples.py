"""The paper's tables: their figures from the published data, their shape, and their edges."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from perf_assets.core.analyses.effects import group_comparisons as comparisons_of
from perf_assets.core.analyses.group_samples import METRICS
from perf_assets.core.statistics.samples import cliffs_delta, mann_whitney_u
from perf_assets.schema import schema_of
from tests.bug_histories import fixes
from tests.effort import examples
from tests.paths import PYTORCH_PACKAGE

BUG_METRICS_SCHEMA = {
    "dataset": pl.String,
    "repository": pl.String,
    "number": pl.Int64,
    "is_performance": pl.Boolean,
    "is_fixed": pl.Boolean,
    **dict.fromkeys(METRICS, pl.Float64),
}


def group_comparisons(found):
    """The comparisons of bugs none of which shares a commit with another."""
    return comparisons_of(found, fixes())


def bugs(*rows, repository="a/a", dataset="live"):
    """Rows of (is_performance, is_fixed, fix time, size, comments, commentators, hours)."""
    full = [(dataset, repository, number, *row) for number, row in enumerate(rows, 1)]
    return pl.DataFrame(full, schema=BUG_METRICS_SCHEMA, orient="row")


def published(kind):
    """The published PyTorch bug reports of one kind, in the columns of marts.bug_metrics."""
    prefix = PYTORCH_PACKAGE / f"pytorch_{kind}"
    if not PYTORCH_PACKAGE.exists():
        pytest.skip(f"the study's published data is not there: {PYTORCH_PACKAGE}")
    found = pl.read_csv(f"{prefix}_bugs_information.csv", infer_schema=False)
    fixes = pl.read_csv(f"{prefix}_fixes_information.csv", infer_schema=False)
    joined = found.join(fixes, on="Issue.ID", how="left", validate="1:1")

    def number(column):
        return pl.col(column).cast(pl.Float64, strict=False)

    return joined.select(
        dataset=pl.lit("replication"),
        repository=pl.lit("pytorch/pytorch"),
        number=pl.int_range(pl.len(), dtype=pl.Int64),
        is_performance=pl.lit(kind == "perf"),
        is_fixed=pl.col("Number.of.issue.solving.commits.found").is_not_null(),
        fix_time_days=number("Time.before.issue.last.closed..in.minutes.") / 1440,
        fix_size=number("Total.changes.made.to.fix.the.issue"),
        comments=number("Number.of.Comment.s."),
        commentators=number("Number.of.commentators"),
        hours_to_first_comment=number("Time.before.first.comment..in.minutes.") / 60,
    )


@pytest.fixture(scope="module")
def published_comparisons():
    table = group_comparisons(pl.concat([published("perf"), published("non_perf")]))
    return {row["metric"]: row for row in table.rows(named=True) if row["repository"] != "pooled"}


@pytest.mark.parametrize(
    ("metric", "n", "medians", "delta", "magnitude"),
    [
        ("fix_size", (113, 2675), (50, 28), 0.125, "negligible"),
        ("fix_time_days", (113, 2675), (19.64, 11.49), 0.198, "small"),
        ("comments", (1008, 15276), (4, 2), 0.216, "small"),
        ("commentators", (1008, 15276), (3, 2), 0.216, "small"),
    ],
)
def test_published_pytorch_bugs_give_the_known_figures(
    published_comparisons, metric, n, medians, delta, magnitude
):
    row = published_comparisons[metric]
    assert (row["n_performance"], row["n_other"]) == n
    found = (row["median_performance"], row["median_other"])
    assert found == pytest.approx(medians, abs=0.005)
    assert row["cliffs_delta"] == pytest.approx(delta, abs=0.0005)
    assert row["magnitude"] == magnitude


def test_published_pytorch_fix_sizes_differ_with_the_known_p_value(published_comparisons):
    assert published_comparisons["fix_size"]["p_value"] == pytest.approx(0.024, abs=0.0005)


@pytest.mark.usefixtures("without_minimum")
def test_fix_metrics_are_compared_over_fixed_bugs_and_the_others_over_all():
    table = group_comparisons(
        bugs(
            (True, True, 4.0, 10, 1, 1, 2.0),
            (True, False, None, 99, 3, 2, None),
            (False, True, 2.0, 5, 0, 0, None),
            (False, False, None, None, 8, 4, 1.0),
        )
    ).filter(repository="a/a")
    counts = {
        row["metric"]: (row["n_performance"], row["n_other"]) for row in table.rows(named=True)
    }
    assert counts == {
        "fix_time_days": (1, 1),
        "fix_size": (1, 1),
        "comments": (2, 2),
        "commentators": (2, 2),
        "hours_to_first_comment": (1, 1),
    }
    medians = dict(table.select("metric", "median_performance").rows())
    assert (medians["fix_size"], medians["comments"]) == (10, 2)


@pytest.mark.usefixtures("without_minimum")
@settings(max_examples=examples(25))
@given(
    st.lists(
        st.tuples(
            st.booleans(), st.booleans(), *[st.none() | st.integers(0, 9).map(float)] * len(METRICS)
        ),
        max_size=25,
    )
)
def test_a_comparison_is_the_test_of_the_two_groups(rows):
    table = group_comparisons(bugs(*rows)).filter(repository="a/a", metric="comments")
    column = 2 + list(METRICS).index("comments")
    performance = [row[column] for row in rows if row[0]]
    other = [row[column] for row in rows if not row[0]]
    if not rows:
        assert table.is_empty()
        return
    row = table.row(0, named=True)
    test = mann_whitney_u(performance, other)
    assert (row["n_performance"], row["n_other"]) == (test.n_x, test.n_y)
    assert (row["statistic"], row["p_value"]) == (test.statistic, test.pvalue)
    assert row["cliffs_delta"] == cliffs_delta(performance, other)


def test_pooled_takes_all_repositories_of_its_dataset_and_of_no_other():
    row = (True, True, 1.0, 1, 1, 1, 1.0)
    table = group_comparisons(
        pl.concat(
            [
                bugs(row, row, repository="b/b"),
                bugs(row, repository="a/a"),
                bugs(row, repository="a/a", dataset="replication"),
            ]
        )
    ).filter(metric="comments")
    assert table.select("dataset", "repository", "n_performance").rows() == [
        ("live", "a/a", 1),
        ("live", "b/b", 2),
        ("live", "pooled", 3),
        ("replication", "a/a", 1),
        ("replication", "pooled", 1),
    ]


@pytest.mark.usefixtures("without_minimum")
def test_a_group_without_bugs_gives_null_figures():
    row = group_comparisons(bugs((False, True, 1.0, 2, 3, 1, 4.0))).row(0, named=True)
    assert (row["n_performance"], row["n_other"], row["median_other"]) == (0, 1, 1.0)
    empty = ("median_performance", "statistic", "p_value", "cliffs_delta", "magnitude")
    assert {row[column] for column in empty} == {None}


def test_the_order_of_input_rows_does_not_matter():
    rows = [(index % 3 == 0, index % 2 == 0, *[float(index % 7)] * 5) for index in range(30)]
    frames = [bugs(*rows, repository=name) for name in ("b/b", "a/a")]
    forth = group_comparisons(pl.concat(frames))
    assert_frame_equal(forth, group_comparisons(pl.concat(frames[::-1]).reverse()))


def test_empty_marts_give_empty_tables_with_the_right_columns():
    comparisons = group_comparisons(pl.DataFrame(schema=BUG_METRICS_SCHEMA))
    assert (comparisons.height, comparisons.schema) == (0, schema_of("analysis.group_comparisons"))
